#include "core/text.h"
#include <stdio.h>
#include <string.h>

int NsTextDecode(const char *text, const char *end, unsigned *code)
{
  static const unsigned smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char  *byte        = (const unsigned char *)text;
  int                   length;
  unsigned              value;

  *code = 0;
  if (text >= end) return 0;
  if (byte[0] < 0x80) {
    *code = byte[0];
    return 1;
  }
  if ((byte[0] & 0xe0) == 0xc0)
    length = 2;
  else if ((byte[0] & 0xf0) == 0xe0)
    length = 3;
  else if ((byte[0] & 0xf8) == 0xf0)
    length = 4;
  else
    return 0;
  if (end - text < length) return 0;
  value = byte[0] & (0xffu >> (length + 1));
  for (int i = 1; i < length; ++i) {
    if ((byte[i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte[i] & 0x3fu);
  }
  if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
  *code = value;
  return length;
}

int NsTextCount(const char *text, size_t bytes)
{
  const char *end   = text + bytes;
  int         count = 0;

  while (text < end) {
    unsigned  code;
    const int length = NsTextDecode(text, end, &code);

    text += length ? length : 1;
    ++count;
  }
  return count;
}

int NsTextBreak(const char *text, const char *end)
{
  unsigned code;
  int      length;

  if (text >= end) return 0;
  if (*text == '\n') return 1;
  if (*text == '\r') return end - text > 1 && text[1] == '\n' ? 2 : 1;
  length = NsTextDecode(text, end, &code);
  return code == 0x85 || code == 0x2028 || code == 0x2029 ? length : 0;
}

bool NsTextPrintable(unsigned code)
{
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  if (code >= 0x200b && code <= 0x200f) return false; /* zero width, direction marks */
  if (code >= 0x2028 && code <= 0x202e) return false;
  if (code >= 0x2060 && code <= 0x206f) return false;
  return code != 0xfeff && (code & 0xfffe) != 0xfffe;
}

static bool drives_terminal(unsigned code)
{
  return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

const char *NsTextTame(const char *text, NsArena *arena)
{
  const char *end  = text + strlen(text);
  char       *copy = NULL, *to = NULL;

  for (const char *from = text; from < end;) {
    unsigned   code;
    const int  length = NsTextDecode(from, end, &code), size = length ? length : 1;
    const bool drives = length && drives_terminal(code);

    if (drives && !copy) {
      copy = NsArenaCopy(arena, text, (size_t)(end - text));
      to   = copy + (from - text);
    }
    if (drives)
      *to++ = '?';
    else
      for (int i = 0; copy && i < size; i++) *to++ = from[i];
    from += size;
  }
  if (to) *to = 0;
  return copy ? copy : text;
}

const char *NsTextLine(const char *text, NsArena *arena)
{
  static const char blanks[] = " \t\r\n";
  char             *copy, *to;

  if (!text[strcspn(text, blanks + 1)]) return text;
  copy = to = NsArenaCopy(arena, text, strlen(text));
  for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
    const size_t length = strcspn(text, blanks);

    if (to > copy) *to++ = ' ';
    for (size_t i = 0; i < length; i++) *to++ = *text++;
  }
  *to = 0;
  return copy;
}

int NsTextWidth(unsigned code)
{
  static const struct {
    unsigned from, to;
  } wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60},
    {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

  if (code >= 0x300 && code <= 0x36f) return 0;
  for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); ++i) {
    if (code >= wide[i].from && code <= wide[i].to) return 2;
  }
  return 1;
}

int NsTextFit(const char *text, size_t bytes, int most)
{
  int fit = most;

  if (bytes <= (size_t)most) return (int)bytes;
  while (fit > 0 && ((unsigned char)text[fit] & 0xc0) == 0x80) --fit;
  return fit;
}

bool NsTextIsFileName(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

  return *text && *text != '.' && !text[strspn(text, letters)];
}

bool NsTextEndsWith(const char *text, const char *end)
{
  const size_t a = strlen(text), b = strlen(end);

  return a >= b && !strcmp(text + a - b, end);
}

void NsPutWord(FILE *file, const char *word)
{
  if (!strpbrk(word, ",\"\r\n")) {
    fputs(word, file);
    return;
  }
  fputc('"', file);
  for (; *word; word++) {
    if (*word == '"') fputc('"', file);
    fputc(*word == '\n' || *word == '\r' ? ' ' : *word, file);
  }
  fputc('"', file);
}
