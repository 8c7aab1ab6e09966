/* Words and numbers of a Gmsh file, see gmsh.h. */
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "gmsh.h"

enum { LONGEST_WORD = 1000 };

/* The place of the last token; the file as a whole when its lines mean nothing. The text is copied, for the caller's does not last. */
static NsPlace place_of(NsGmshText *in)
{
  NsSource   *source = NsArenaAlloc(in->arena, sizeof *source);
  NsPlace     place  = {source, 0, 0, 0};
  const char *line = in->text, *end = in->text + in->token;

  source->name = in->path;
  source->size = in->size;
  source->text = "";
  if (in->binary || in->size == 0) return place;
  source->text = NsArenaCopy(in->arena, in->text, in->size);
  place.line   = 1;
  for (const char *p = line; p < end; p++) {
    const int bytes = NsTextBreak(p, in->text + in->size);
    if (!bytes || p + bytes > end) continue;
    place.line++;
    p += bytes - 1;
    line = p + 1;
  }
  place.column = 1 + NsTextCount(line, (size_t)(end - line));
  place.length = NsTextCount(end, in->length);
  return place;
}

void NsGmshFail(NsGmshText *in, const char *format, ...)
{
  va_list     arguments;
  const char *message;

  if (in->failed) return;
  in->failed = true;
  va_start(arguments, format);
  message = NsArenaPrintV(in->arena, format, arguments);
  va_end(arguments);
  NsDiagError(in->diag, place_of(in), "%s", message);
}

const char *NsGmshWord(NsGmshText *in)
{
  if (in->failed) return "";
  while (in->at < in->size && NsGmshIsWhite(in->text[in->at])) in->at++;
  in->token = in->at;
  while (in->at < in->size && !NsGmshIsWhite(in->text[in->at]) && in->at - in->token <= LONGEST_WORD) in->at++;
  in->length = in->at - in->token;
  if (in->length > LONGEST_WORD)
    NsGmshFail(in, "a word of more than %d bytes: this is not a Gmsh file", LONGEST_WORD);
  else if (memchr(in->text + in->token, 0, in->length))
    NsGmshFail(in, "a zero byte within a word; the file is damaged");
  else if (in->length == 0)
    NsGmshFail(in, "the file ends within %s; it is not complete", in->section);
  if (in->failed) return "";
  if (in->at < in->size) in->at++;
  return NsArenaCopy(in->arena, in->text + in->token, in->length);
}

const char *NsGmshClipped(NsGmshText *in)
{
  const char *text;

  if (in->failed) return "";
  text = NsArenaCopy(in->arena, in->text + in->token, in->length);
  return NsArenaPrint(in->arena, NS_CLIP, NsClip(text));
}

/* Finds the next number in ASCII; same_line: it must not be on a later line than the one before. */
static bool next_token(NsGmshText *in, bool same_line)
{
  if (in->failed) return false;
  in->token  = in->at;
  in->length = 0;
  while (in->at < in->size && NsGmshIsWhite(in->text[in->at])) {
    if (same_line && in->text[in->at] == '\n') NsGmshFail(in, "too few numbers in this line of %s", in->section);
    in->at++;
  }
  if (!same_line) in->token = in->at;
  if (in->at >= in->size) NsGmshFail(in, "the file ends within %s; it is not complete", in->section);
  if (in->failed) return false;
  in->token = in->at;
  while (in->at < in->size && !NsGmshIsWhite(in->text[in->at])) in->at++;
  in->length = in->at - in->token;
  return true;
}

bool NsGmshTake(NsGmshText *in, void *value, size_t bytes)
{
  if (in->failed) return false;
  in->token  = in->at;
  in->length = 0;
  if (in->size - in->at < bytes) {
    NsGmshFail(in, "the file ends within %s; it is not complete", in->section);
    return false;
  }
  memcpy(value, in->text + in->at, bytes);
  in->at += bytes;
  return true;
}

long long NsGmshToWhole(NsGmshText *in)
{
  char           *end;
  const long long value = strtoll(in->text + in->token, &end, 10);

  if (end != in->text + in->token + in->length) NsGmshFail(in, "expected a whole number in %s, got '%s'", in->section, NsGmshClipped(in));
  return in->failed ? 0 : value;
}

long long NsGmshWholeOf(NsGmshText *in, size_t bytes, bool same_line)
{
  long long value = 0;

  if (!in->binary)
    value = next_token(in, same_line) ? NsGmshToWhole(in) : 0;
  else if (bytes == sizeof(int)) {
    int number = 0;
    (void)NsGmshTake(in, &number, sizeof number);
    value = number;
  } else
    (void)NsGmshTake(in, &value, sizeof value);
  if (value > PETSC_MAX_INT - 1 || value < PETSC_MIN_INT + 1) {
    if (in->binary)
      NsGmshFail(in, "a number in %s is too large (%lld)", in->section, value);
    else
      NsGmshFail(in, "'%s' in %s is too large", NsGmshClipped(in), in->section);
  }
  return in->failed ? 0 : value;
}

long long NsGmshWhole(NsGmshText *in)
{
  return NsGmshWholeOf(in, sizeof(int), false);
}

long long NsGmshSize(NsGmshText *in)
{
  return NsGmshWholeOf(in, sizeof(long long), false);
}

static size_t bounded(NsGmshText *in, long long value)
{
  if (value < 0)
    NsGmshFail(in, "a negative count (%lld) in %s", value, in->section);
  else if ((size_t)value > in->size - in->at)
    NsGmshFail(in, "%s states %lld entries, more than the file can contain", in->section, value);
  return in->failed ? 0 : (size_t)value;
}

size_t NsGmshCount(NsGmshText *in)
{
  return bounded(in, NsGmshSize(in));
}

size_t NsGmshCountWord(NsGmshText *in)
{
  (void)NsGmshWord(in);
  return in->failed ? 0 : bounded(in, NsGmshToWhole(in));
}

double NsGmshReal(NsGmshText *in)
{
  double value = 0;

  if (in->binary)
    (void)NsGmshTake(in, &value, sizeof value);
  else if (next_token(in, false)) {
    char *end;
    value = strtod(in->text + in->token, &end);
    if (end != in->text + in->token + in->length) NsGmshFail(in, "expected a number in %s, got '%s'", in->section, NsGmshClipped(in));
  }
  return in->failed ? 0 : value;
}

void NsGmshEndOfLine(NsGmshText *in)
{
  if (in->failed || in->binary) return;
  while (in->at < in->size && NsGmshIsWhite(in->text[in->at]) && in->text[in->at] != '\n') in->at++;
  if (in->at >= in->size || in->text[in->at] == '\n') return;
  (void)next_token(in, true);
  NsGmshFail(in, "too many numbers in this line of %s", in->section);
}

const char *NsGmshSection(NsGmshText *in, const char *where)
{
  const char *name;

  in->section = where;
  for (;;) {
    name = NsGmshWord(in);
    if (strcmp(name, "$Comments") != 0) break;
    in->section = "$Comments";
    while (!in->failed && strcmp(NsGmshWord(in), "$EndComments") != 0) continue;
    in->section = where;
  }
  return name;
}

void NsGmshExpect(NsGmshText *in, const char *found, const char *expected)
{
  if (strcmp(found, expected) != 0) NsGmshFail(in, "expected %s here, got '%s'", expected, NsGmshClipped(in));
}

void NsGmshEndSection(NsGmshText *in, const char *end)
{
  NsGmshExpect(in, NsGmshWord(in), end);
}
