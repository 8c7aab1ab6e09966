#include "percuss/diag.h"
#include "core/text.h"
#include <stdlib.h>
#include <string.h>

enum {
  MAX_KEPT  = 1000, /* of each kind; further ones are only counted, so that a broken file of 1 MB costs no memory */
  TAB_WIDTH = 4,
  SHOWN     = 112, /* columns of the user's line; 120 with the line number in front */
  BEFORE    = 40   /* of these before the place, when the line is cut at its beginning */
};

typedef struct Note Note;
struct Note {
  const char *text;
  Note       *next;
};

typedef struct Message Message;
struct Message {
  NsPlace     place;
  int         rank, number; /* of its source; of itself */
  int         again;        /* further copies that have the same message */
  bool        warning;
  const char *text;
  Note       *notes;
  Message    *next;
};

typedef struct Known Known;
struct Known {
  const NsSource *source;
  int             rank;
  Known          *next;
};

struct NsDiag {
  NsArena *arena;
  Message *messages; /* the last one first */
  Known   *sources;
  int      kept[2], dropped[2]; /* errors, warnings: since the last print */
  int      errors, number;
  bool     last_kept;
  Note    *printed, **printed_end; /* warnings */
};

NsDiag *NsDiagCreate(NsArena *arena)
{
  NsDiag *diag = NsArenaAlloc(arena, sizeof(*diag));

  diag->arena       = arena;
  diag->printed_end = &diag->printed;
  return diag;
}

int NsDiagErrors(const NsDiag *diag)
{
  return diag->errors;
}

/* Sources in the order of their first messages; messages without a place come before all others. */
static int rank_of(NsDiag *diag, const NsSource *source)
{
  Known *known;

  if (!source) return 0;
  if (source->origin) source = source->origin;
  for (known = diag->sources; known; known = known->next) {
    if (known->source == source) return known->rank;
  }
  known         = NsArenaAlloc(diag->arena, sizeof(*known));
  known->source = source;
  known->rank   = diag->sources ? diag->sources->rank + 1 : 1;
  known->next   = diag->sources;
  diag->sources = known;
  return known->rank;
}

static __attribute__((format(printf, 4, 0))) void add(NsDiag *diag, bool warning, NsPlace place, const char *format, va_list arguments)
{
  Message *message;

  if (!warning) ++diag->errors;
  diag->last_kept = diag->kept[warning] < MAX_KEPT;
  if (!diag->last_kept) {
    ++diag->dropped[warning];
    return;
  }
  ++diag->kept[warning];
  message          = NsArenaAlloc(diag->arena, sizeof(*message));
  message->place   = place;
  message->rank    = rank_of(diag, place.source);
  message->number  = diag->number++;
  message->warning = warning;
  message->text    = NsArenaPrintV(diag->arena, format, arguments);
  message->next    = diag->messages;
  diag->messages   = message;
}

void NsDiagError(NsDiag *diag, NsPlace place, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  add(diag, false, place, format, arguments);
  va_end(arguments);
}

void NsDiagWarning(NsDiag *diag, NsPlace place, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  add(diag, true, place, format, arguments);
  va_end(arguments);
}

void NsDiagNote(NsDiag *diag, const char *format, ...)
{
  va_list arguments;
  Note   *note, **end;

  if (!diag->last_kept || !diag->messages) return;
  note = NsArenaAlloc(diag->arena, sizeof(*note));
  va_start(arguments, format);
  note->text = NsArenaPrintV(diag->arena, format, arguments);
  va_end(arguments);
  for (end = &diag->messages->notes; *end; end = &(*end)->next) continue;
  *end = note;
}

static int compare(const void *pa, const void *pb)
{
  const Message *a = *(Message *const *)pa, *b = *(Message *const *)pb;

  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
  if (a->place.column != b->place.column) return a->place.column < b->place.column ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

static bool same_place(const Message *a, const Message *b)
{
  return a->rank == b->rank && a->place.line == b->place.line && a->place.column == b->place.column;
}

/* In copies of one text the names differ, but what is wrong is the same. */
static bool same_message(const Message *a, const Message *b)
{
  if (a->warning != b->warning) return false;
  if (!a->place.source || !a->place.source->copy || !b->place.source->copy || a->place.source == b->place.source) return !strcmp(a->text, b->text);
  return !strncmp(a->text, b->text, strcspn(a->text, "'")); /* up to the first name */
}

/* The user's text may hold bytes that would drive the terminal; newlines only where the caller indents them. */
static void print_clean(FILE *file, const char *text, const char *newline)
{
  const char *end = text + strlen(text);

  while (text < end) {
    unsigned  code;
    const int length = NsTextDecode(text, end, &code);

    if (length && NsTextPrintable(code))
      fwrite(text, 1, (size_t)length, file);
    else if (code == '\n')
      fputs(newline, file);
    else if (code == '\t')
      fputs("\\t", file);
    else
      fputs("\xef\xbf\xbd", file);
    text += length ? length : 1;
  }
}

typedef struct {
  int  length; /* bytes; 0 at the end of the line */
  int  width;
  bool shown; /* as it is; else as a replacement character or, for a tab, as blanks */
} Cell;

static Cell cell_at(const char *text, const char *end, long x)
{
  unsigned code;
  Cell     cell = {0, 0, false};

  if (text >= end || NsTextBreak(text, end)) return cell;
  cell.length = NsTextDecode(text, end, &code);
  if (!cell.length) cell.length = 1, code = 0;
  cell.shown = NsTextPrintable(code);
  cell.width = code == '\t' ? TAB_WIDTH - (int)(x % TAB_WIDTH) : cell.shown ? NsTextWidth(code) : 1;
  return cell;
}

static void print_line(FILE *file, const char *line, const char *end, long from, long total)
{
  const bool cut_end = total - from > SHOWN;
  const long to      = cut_end ? from + SHOWN - 3 : total;
  long       x       = 0;
  Cell       cell;

  if (from) fputs("...", file);
  for (const char *p = line; (cell = cell_at(p, end, x)).length && x < to; p += cell.length, x += cell.width) {
    const long first = from ? from + 3 : 0;

    if (x + cell.width <= first && x < first) continue;
    if (cell.shown && x >= first && x + cell.width <= to)
      fwrite(p, 1, (size_t)cell.length, file);
    else if (*p == '\t' || cell.shown)
      fprintf(file, "%*s", (int)((x + cell.width < to ? x + cell.width : to) - (x > first ? x : first)), "");
    else
      fputs("\xef\xbf\xbd", file);
  }
  if (cut_end) fputs("...", file);
  fputc('\n', file);
}

/* The line itself, and below it a caret at the place. Tabs become blanks so that the caret is aligned on any terminal. */
static void print_excerpt(FILE *file, const NsPlace *place, bool colour)
{
  const char *line = place->source->text, *end = line + place->source->size;
  long        x = 0, column = 1, start = -1, stop = -1, from = 0;
  Cell        cell;

  for (int number = 1; number < place->line; ++line) {
    int length;

    while (line < end && !NsTextBreak(line, end)) ++line;
    if (line == end) return; /* beyond the last line */
    length = NsTextBreak(line, end);
    line += length - 1;
    ++number;
  }
  if (line == end && place->line > 1) return;
  for (const char *p = line; (cell = cell_at(p, end, x)).length; p += cell.length, x += cell.width, ++column) {
    if (column == place->column) start = x;
    if (column == (long)place->column + place->length) stop = x;
  }
  if (start < 0) start = x;
  if (stop < 0) stop = x;
  if (x > SHOWN && start > SHOWN - BEFORE) from = start - BEFORE < x - SHOWN ? start - BEFORE : x - SHOWN;
  if (stop > from + SHOWN) stop = from + SHOWN;
  if (stop <= start) stop = start + 1;

  fprintf(file, "%5d |%s", place->line, x ? " " : "");
  print_line(file, line, end, from, x);
  fprintf(file, "      | %*s%s^", (int)(start - from), "", colour ? "\033[1;32m" : "");
  for (long i = start + 1; i < stop; ++i) fputc('~', file);
  fprintf(file, "%s\n", colour ? "\033[0m" : "");
}

static void print_message(FILE *file, const Message *message, bool colour)
{
  const NsPlace *place = &message->place;

  if (place->source) {
    if (colour) fputs("\033[1m", file);
    print_clean(file, place->source->name, "?");
    if (place->line > 0) fprintf(file, ":%d:%d", place->line, place->column);
    fprintf(file, ": %s", colour ? "\033[0m" : "");
  }
  if (colour) fputs(message->warning ? "\033[1;35m" : "\033[1;31m", file);
  fputs(message->warning ? "warning: " : "error: ", file);
  if (colour) fputs("\033[0m", file);
  print_clean(file, message->text, "\\n");
  fputc('\n', file);
  if (place->source && place->line > 0 && place->source->text) print_excerpt(file, place, colour);
  if (place->source && place->source->copy) {
    fputs("      = in ", file);
    print_clean(file, place->source->copy, "?");
    if (message->again) fprintf(file, ", and in %d other cop%s", message->again, message->again > 1 ? "ies" : "y");
    fputc('\n', file);
  }
  for (const Note *note = message->notes; note; note = note->next) {
    fputs("      = ", file);
    print_clean(file, note->text, "\n        ");
    fputc('\n', file);
  }
}

/* Keeps the text of a printed warning. */
static void keep_warning(NsDiag *diag, const Message *message)
{
  const NsPlace *place = &message->place;
  Note          *note  = NsArenaAlloc(diag->arena, sizeof(*note));

  if (place->source && place->line > 0)
    note->text = NsArenaPrint(diag->arena, "%s:%d:%d: %s", place->source->name, place->line, place->column, message->text);
  else
    note->text = place->source ? NsArenaPrint(diag->arena, "%s: %s", place->source->name, message->text) : message->text;
  *diag->printed_end = note;
  diag->printed_end  = &note->next;
}

const char *NsDiagWarningPrinted(const NsDiag *diag, int number)
{
  const Note *note = diag->printed;

  for (; note && number > 0; number--) note = note->next;
  return note ? note->text : NULL;
}

void NsDiagPrint(NsDiag *diag, FILE *file, bool colour)
{
  static const char *const kinds[2]   = {"error", "warning"};
  const int                count      = diag->kept[0] + diag->kept[1];
  int                      printed[2] = {0, 0}, hidden[2] = {diag->dropped[0], diag->dropped[1]};
  Message                **sorted  = NsArenaAlloc(diag->arena, ((size_t)count + 1) * sizeof(*sorted));
  bool                    *dropped = NsArenaAlloc(diag->arena, ((size_t)count + 1) * sizeof(*dropped));
  int                      n       = 0;

  for (Message *message = diag->messages; message; message = message->next) sorted[n++] = message;
  if (n) qsort(sorted, (size_t)n, sizeof(*sorted), compare);
  for (int i = 0; i < n; ++i) {
    for (int j = i - 1; j >= 0 && !dropped[i] && same_place(sorted[j], sorted[i]); --j) {
      if (dropped[j] || !same_message(sorted[j], sorted[i])) continue;
      dropped[i] = true;
      sorted[j]->again += sorted[i]->place.source != sorted[j]->place.source;
    }
  }
  for (int i = 0; i < n; ++i) {
    const Message *message = sorted[i];

    if (dropped[i]) continue;
    if (printed[message->warning] >= NS_DIAG_MAX_ERRORS) {
      ++hidden[message->warning];
      continue;
    }
    ++printed[message->warning];
    print_message(file, message, colour);
    if (message->warning) keep_warning(diag, message);
  }
  for (int kind = 0; kind < 2; ++kind) {
    if (hidden[kind]) fprintf(file, "... and %d more %s%s\n", hidden[kind], kinds[kind], hidden[kind] > 1 ? "s" : "");
    diag->kept[kind] = diag->dropped[kind] = 0;
  }
  diag->messages  = NULL;
  diag->last_kept = false;
}
