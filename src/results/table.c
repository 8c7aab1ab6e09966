#include "table.h"
#include "columns.h"
#include "core/text.h"
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KNOWN = 8 }; /* words of a column that are kept once: states and kinds of events are few */

typedef struct {
  NsArena    *arena;
  NsDiag     *diag;
  NsSource   *source; /* for messages: the file's text itself, which the arena gets only when there is one */
  const char *file;   /* without folders */
  const char *end;    /* of the last whole line */
  int         columns;
  const char *name[1]; /* [columns] */
} Reader;

typedef struct {
  double      *numbers;
  const char **words;
  const char  *known[KNOWN];
  int          knowns;
} Target;

/* A field of the file, without its quotes. */
typedef struct {
  const char *text;
  size_t      size;
  bool        quoted; /* "" within means one quote */
} Field;

static locale_t c_locale(void)
{
  static locale_t locale;

  if (!locale) locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!locale) abort(); /* the C locale is always there */
  return locale;
}

/* The whole file, ended by a NUL; NULL with errno. The caller frees it. */
static char *read_all(int fd, size_t *size)
{
  struct stat about;
  char       *text;
  size_t      room;

  *size = 0;
  if (fstat(fd, &about)) return NULL;
  if (!S_ISREG(about.st_mode)) {
    errno = S_ISDIR(about.st_mode) ? EISDIR : ESPIPE;
    return NULL;
  }
  room = (size_t)about.st_size; /* rows that a running program appends meanwhile are not read */
  text = malloc(room + 1);
  while (text && *size < room) {
    const ssize_t got = read(fd, text + *size, room - *size);

    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      free(text);
      return NULL;
    }
    if (got == 0) break; /* cut meanwhile */
    *size += (size_t)got;
  }
  if (text) text[*size] = 0;
  return text;
}

/* Line `line`, its bytes from `at` on. */
static NsPlace place_of(Reader *reader, const char *at, size_t bytes)
{
  const char *text = reader->source->text, *begin = text;
  int         line = 1;

  for (const char *p = text; (p = memchr(p, '\n', (size_t)(at - p))); line++) begin = ++p;
  return (NsPlace){reader->source, line, 1 + NsTextCount(begin, (size_t)(at - begin)), bytes ? NsTextCount(at, bytes) : 1};
}

/* The next field; *at is then behind its comma, or NULL at the end of the line. False: an unterminated quote, or text behind it. */
static bool next_field(const char **at, const char *line_end, Field *field)
{
  const char *p = *at, *stop;

  field->quoted = p < line_end && *p == '"';
  if (field->quoted) {
    for (stop = ++p; stop < line_end && (*stop != '"' || (stop + 1 < line_end && stop[1] == '"')); stop++) stop += *stop == '"';
    if (stop >= line_end) return false;
    field->text = p;
    field->size = (size_t)(stop++ - p);
    if (stop < line_end && *stop != ',') return false;
  } else {
    stop        = memchr(p, ',', (size_t)(line_end - p));
    stop        = stop ? stop : line_end;
    field->text = p;
    field->size = (size_t)(stop - p);
  }
  *at = stop < line_end ? stop + 1 : NULL;
  return true;
}

/* Where the line ends; *next: the line after it. Windows' line ends are taken too, for tools that copy files put them there. */
static const char *end_of_line(const char *line, const char *end, const char **next)
{
  const char *stop = memchr(line, '\n', (size_t)(end - line));

  *next = stop + 1;
  return stop > line && stop[-1] == '\r' ? stop - 1 : stop;
}

static bool is_number(const Field *field, double *value)
{
  static const char *const rare[] = {"nan", "-nan", "inf", "-inf"};
  char                    *end;

  *value = NAN;
  if (field->quoted) return false;
  if (!field->size) return true;
  for (size_t i = 0; i < field->size; i++) {
    const char c = field->text[i];

    if ((c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e') continue;
    for (int k = 0; k < 4; k++) {
      if (field->size != strlen(rare[k]) || memcmp(field->text, rare[k], field->size)) continue;
      *value = k < 2 ? NAN : k == 2 ? (double)INFINITY : -(double)INFINITY;
      return true;
    }
    return false;
  }
  *value = strtod_l(field->text, &end, c_locale());
  return end == field->text + field->size;
}

static const char *keep_word(NsArena *arena, const Field *field)
{
  char *word = NsArenaCopy(arena, field->text, field->size), *to = word;

  for (const char *from = word; field->quoted && *from; from++) {
    from += from[0] == '"' && from[1] == '"';
    *to++ = *from;
  }
  if (field->quoted) *to = 0;
  return NsTextTame(word, arena);
}

static const char *known_word(NsArena *arena, Target *target, const Field *field)
{
  const char *word;

  for (int i = 0; i < target->knowns && !field->quoted; i++) {
    if (!strncmp(target->known[i], field->text, field->size) && !target->known[i][field->size]) return target->known[i];
  }
  word = keep_word(arena, field);
  if (target->knowns < KNOWN) target->known[target->knowns++] = word;
  return word;
}

/* The message gets the text, which must live as long as it does. */
static void __attribute__((format(printf, 4, 5))) complain(Reader *reader, const char *at, size_t bytes, const char *format, ...)
{
  va_list     arguments;
  NsSource   *source = NsArenaAlloc(reader->arena, sizeof(*source));
  NsPlace     place  = place_of(reader, at, bytes);
  const char *message;

  va_start(arguments, format);
  message = NsArenaPrintV(reader->arena, format, arguments);
  va_end(arguments);
  *source      = *reader->source;
  source->text = NsArenaCopy(reader->arena, source->text, source->size);
  place.source = source;
  NsDiagError(reader->diag, place, "%s", message);
}

/* "gap" of "gap [m]", as headers with `output.units` have it. */
static void drop_unit(Field *field)
{
  const char *unit = field->quoted || !field->size || field->text[field->size - 1] != ']' ? NULL : memchr(field->text, '[', field->size);

  if (unit && unit > field->text + 1 && unit[-1] == ' ') field->size = (size_t)(unit - 1 - field->text);
}

/* NULL after an error. The file is percuss's if its first words are those of the table of this name; any other must at least have names. */
static Reader *read_names(Reader plain, const char *line_end)
{
  const char *text = plain.source->text, *at = text, *first = NsColumnFirst(plain.file);
  Reader     *reader;
  int         columns = 1;

  for (const char *p = text; p < line_end; p++) columns += *p == ',';
  reader  = NsArenaAlloc(plain.arena, sizeof(*reader) + sizeof(*reader->name) * (size_t)columns);
  *reader = plain;
  while (at) {
    const char *from = at;
    Field       field;
    double      value;

    if (!next_field(&at, line_end, &field)) {
      complain(reader, from, (size_t)(line_end - from), "an unterminated quote, or text between a quote and the next comma");
      return NULL;
    }
    drop_unit(&field);
    reader->name[reader->columns++] = keep_word(reader->arena, &field);
    if (first && reader->columns == 1 && strcmp(reader->name[0], first)) {
      complain(reader, text, field.size, "not a table %s of percuss: its first column must be '%s'", reader->file, first);
      return NULL;
    }
    if (!is_number(&field, &value)) continue;
    complain(reader, from, field.size, "not a table of percuss: expected names of columns here%s", field.size ? ", not numbers" : "");
    return NULL;
  }
  return reader;
}

/* Whether each column holds words, in a file whose columns are not known by name: it does if any field is not a number. */
static void find_word_columns(const Reader *reader, const char *rows, bool *of_words)
{
  const char *next;

  for (const char *line = rows; line < reader->end; line = next) {
    const char *line_end = end_of_line(line, reader->end, &next), *at = line;
    Field       field;
    double      value;

    for (int c = 0; at && c < reader->columns && next_field(&at, line_end, &field); c++) of_words[c] = of_words[c] || !is_number(&field, &value);
  }
}

static bool read_row(Reader *reader, const char *line, const char *line_end, Target *target, long row)
{
  const char *at = line;
  int         c  = 0;

  for (; at && c < reader->columns; c++) {
    const char *from = at;
    Field       field;

    if (!next_field(&at, line_end, &field)) {
      complain(reader, from, (size_t)(line_end - from), "an unterminated quote, or text between a quote and the next comma");
      return false;
    }
    if (target[c].words) {
      target[c].words[row] = known_word(reader->arena, &target[c], &field);
      continue;
    }
    if (is_number(&field, &target[c].numbers[row])) continue;
    complain(reader, from, field.size, "expected a number here, in column '%s'", reader->name[c]);
    return false;
  }
  if (!at && c == reader->columns) return true;
  for (; at; c++) at = (at = memchr(at, ',', (size_t)(line_end - at))) ? at + 1 : NULL;
  complain(reader, line, (size_t)(line_end - line), "%d %s in this row, but %d %s in the first line", c, NsPlural(c, "value", "values"),
    reader->columns, NsPlural(reader->columns, "name", "names"));
  return false;
}

static bool read_rows(Reader *reader, const char *rows, NsResultTable *table)
{
  const bool      known    = NsColumnFirst(reader->file) != NULL;
  const size_t    columns  = (size_t)reader->columns;
  NsResultColumn *column   = NsArenaAlloc(reader->arena, sizeof(*column) * columns);
  Target         *target   = NsArenaAlloc(reader->arena, sizeof(*target) * columns);
  bool           *of_words = NsArenaAlloc(reader->arena, sizeof(*of_words) * columns);
  const char     *next;
  long            count = 0;

  for (const char *p = rows; p < reader->end && (p = memchr(p, '\n', (size_t)(reader->end - p))); p++) count++;
  if (!known) find_word_columns(reader, rows, of_words);
  for (size_t c = 0; c < columns; c++) {
    column[c].name = reader->name[c];
    column[c].unit = NsColumnUnit(reader->file, reader->name[c]);
    if (known) of_words[c] = NsColumnOfWords(reader->file, reader->name[c]);
    if (of_words[c])
      column[c].words = target[c].words = NsArenaAlloc(reader->arena, sizeof(*target->words) * (size_t)count);
    else
      column[c].numbers = target[c].numbers = NsArenaAlloc(reader->arena, sizeof(*target->numbers) * (size_t)count);
  }
  table->columns = reader->columns;
  table->column  = column;
  for (const char *line = rows; line < reader->end; line = next) {
    const char *line_end = end_of_line(line, reader->end, &next);

    if (!read_row(reader, line, line_end, target, table->rows)) return false;
    table->rows++;
  }
  return true;
}

/* A file that ends within its first line: of a run that was killed at once, if so much of it is right. */
static bool begins_well(const Reader *reader)
{
  const char  *first  = NsColumnFirst(reader->file);
  const size_t size   = reader->source->size;
  const size_t length = first ? strlen(first) : 0;

  return size == 0 || (first && !strncmp(reader->source->text, first, size < length ? size : length));
}

static NsResultTable *read_text(NsSource *source, const char *file, NsArena *arena, NsDiag *diag)
{
  NsResultTable *table  = NsArenaAlloc(arena, sizeof(*table));
  Reader         plain  = {.arena = arena, .diag = diag, .source = source, .file = file}, *reader;
  const char    *broken = memchr(source->text, 0, source->size), *next, *line_end;
  size_t         size   = source->size;

  table->path = source->name;
  while (size && !source->text[size - 1]) size--; /* a machine that went down leaves a file's new end as zeros */
  if (broken && broken < source->text + size) {
    NsDiagError(diag, (NsPlace){.source = NULL}, "%s: not a table: it contains bytes that are not text", source->name);
    return NULL;
  }
  plain.end = source->text + size;
  while (plain.end > source->text && plain.end[-1] != '\n') plain.end--;
  table->unfinished = plain.end < source->text + source->size || !source->size;
  if (plain.end == source->text) {
    if (begins_well(&plain)) return table;
    complain(&plain, source->text, size, "not a table of percuss: expected names of columns, separated by commas, in the first line");
    return NULL;
  }
  line_end = end_of_line(source->text, plain.end, &next);
  reader   = read_names(plain, line_end);
  return reader && read_rows(reader, next, table) ? table : NULL;
}

NsResultTable *NsResultTableRead(const char *path, NsArena *arena, NsDiag *diag)
{
  const char    *slash  = strrchr(path, '/');
  NsSource       source = {.name = NsArenaCopy(arena, path, strlen(path))};
  const int      fd     = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char          *text   = fd < 0 ? NULL : read_all(fd, &source.size);
  NsResultTable *table  = NULL;

  if (text) {
    source.text = text;
    table       = read_text(&source, slash ? slash + 1 : path, arena, diag);
  } else if (errno == ESPIPE)
    NsDiagError(diag, (NsPlace){.source = NULL}, "cannot read %s: not a regular file", path);
  else
    NsDiagError(diag, (NsPlace){.source = NULL}, "cannot read %s: %s", path, strerror(errno));
  free(text);
  if (fd >= 0) (void)close(fd);
  return table;
}

const NsResultColumn *NsResultTableColumn(const NsResultTable *table, const char *name)
{
  for (int c = 0; c < table->columns; c++) {
    if (!strcmp(table->column[c].name, name)) return &table->column[c];
  }
  return NULL;
}
