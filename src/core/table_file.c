/*
  Tables of numbers from CSV files, wherever a key takes rows of numbers:

      table: {file: shaker.csv, columns: [t, F], units: [ms, kN]}

  The rows take the place of the mapping, and each number keeps its place in the file for messages. Separators are commas, semicolons or tabs, whichever the first line has; lines that begin with # are
  comments. A first line whose first field is not a number has the names of the columns, with their units if it has them: "time [ms]", "time/ms" is a name without a unit. Files have at most 4 MB.
*/
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/keys_internal.h"
#include "core/out_of_memory.h"
#include "core/text.h"
#include "core/tree_internal.h"

enum { MOST_BYTES = 4 << 20, MOST_FIELDS = 1000 };

typedef struct {
  const NsNode *where;
  const char   *file;
  NsStrings     columns, units;
} Settings;

static const NsKey keys[] = {
  {"file", NS_KEY_STRING, offsetof(Settings, file), .required = true, .help = "CSV file, relative to the folder of the config",
    .example = "shaker.csv"},
  {"columns", NS_KEY_STRINGS, offsetof(Settings, columns), .least = 1,
    .help    = "which columns of the file, in the order of the table: names of its first line, or numbers from 1; default: the first ones",
    .example = "[t, F]"},
  {"units", NS_KEY_STRINGS, offsetof(Settings, units), .least = 1,
    .help = "unit of each of these columns; default: the units in brackets in the first line of the file, else SI", .example = "[ms, kN]"},
  {NULL},
};
const NsTable NsTable_TableFile = {"table_file", "rows of numbers from a CSV file", keys, sizeof(Settings)};

typedef struct {
  const char *text; /* without blanks and quotes around it */
  size_t      size;
} Field;

typedef struct {
  NsKeysReader   *reader;
  const NsKey    *key;
  const Settings *settings;
  NsSource       *source;
  const char     *line, *end; /* of the line; without its break */
  int             number;     /* of the line, from 1 */
  char            separator;
  int             count, most; /* fields of the line; of the first line */
  Field           field[MOST_FIELDS];
  int             column[NS_MOST_COLUMNS]; /* of the file */
  const char     *unit[NS_MOST_COLUMNS];
} Table;

/* The whole file; NULL: *reason. Devices and pipes are refused, and do not block. */
static char *load(const char *path, NsArena *arena, size_t *size, const char **reason)
{
  const int   fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  char       *text = NULL;

  *reason = NULL;
  *size   = 0;
  if (fd < 0 && errno == ENOMEM) NsOutOfMemory();
  if (fd < 0 || fstat(fd, &status))
    *reason = strerror(errno);
  else if (!S_ISREG(status.st_mode))
    *reason = S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file";
  else if (status.st_size > MOST_BYTES)
    *reason = "it has more than 4 MB";
  const size_t room = *reason ? 0 : (size_t)status.st_size; /* rows that another program appends meanwhile are not read */
  if (!*reason) text = NsArenaAlloc(arena, room + 1);
  for (ssize_t got = 1; *size < room && got != 0; *size += got > 0 ? (size_t)got : 0) {
    got = read(fd, text + *size, room - *size);
    if (got >= 0 || errno == EINTR) continue;
    *reason = strerror(errno);
    break;
  }
  if (fd >= 0) close(fd);
  return *reason ? NULL : text;
}

static NsPlace place_of(const Table *table, const char *at, size_t size)
{
  return (NsPlace){table->source, table->number, 1 + NsTextCount(table->line, (size_t)(at - table->line)), size ? NsTextCount(at, size) : 1};
}

/* The next line that is no comment and not empty; false: the file ends. */
static bool next_line(Table *table)
{
  const char *stop = table->source->text + table->source->size;

  while (table->end < stop) {
    const char *from = table->number ? table->end + 1 : table->source->text, *to = from < stop ? memchr(from, '\n', (size_t)(stop - from)) : NULL;

    if (from >= stop) return false;
    table->line = from;
    table->end  = to ? to : stop;
    table->number++;
    while (from < table->end && strchr(" \t\r", *from)) from++;
    if (from < table->end && *from != '#') return true;
  }
  return false;
}

/* Cuts the line into its fields; a quoted field may contain the separator. */
static void cut(Table *table)
{
  const char *at = table->line, *end = table->end;

  table->count = 0;
  if (end > at && end[-1] == '\r') end--;
  while (table->count < MOST_FIELDS) {
    const char *from = at, *to;
    while (from < end && *from == ' ') from++;
    const bool quoted = from < end && *from == '"';
    to                = quoted ? memchr(from + 1, '"', (size_t)(end - from - 1)) : NULL;
    at                = memchr(to ? to : at, table->separator, (size_t)(end - (to ? to : at)));
    if (to) from++;
    if (!to) to = at ? at : end;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    table->field[table->count++] = (Field){from, (size_t)(to - from)};
    if (!at) return;
    at++;
  }
}

static bool is_number(const Table *table, const Field *field)
{
  double value;

  return !NsParseNumber(NsArenaCopy(table->reader->arena, field->text, field->size), &value);
}

/* "time [ms]": its name, and "ms"; *unit NULL: none. */
static const char *name_of(const Table *table, const Field *field, const char **unit)
{
  const char *text = NsArenaCopy(table->reader->arena, field->text, field->size), *open = strrchr(text, '[');
  size_t      size = strlen(text);

  *unit = NULL;
  if (!open || !size || text[size - 1] != ']') return text;
  *unit = NsArenaCopy(table->reader->arena, open + 1, size - (size_t)(open - text) - 2);
  size  = (size_t)(open - text);
  while (size && text[size - 1] == ' ') size--;
  return NsArenaCopy(table->reader->arena, text, size);
}

/* Which field a word of `columns` means; -1 after an error. */
static int find_column(Table *table, const char *word, NsPlace place, bool header)
{
  const char **names = NsArenaAlloc(table->reader->arena, ((size_t)table->count + 1) * sizeof(*names)), *unit;
  double       number;

  for (int i = 0; header && i < table->count; i++) {
    names[i] = name_of(table, &table->field[i], &unit);
    if (!strcmp(names[i], word)) return i;
  }
  if (!NsParseNumber(word, &number) && number >= 1 && number <= table->count && number == (int)number) return (int)number - 1;
  NsDiagError(table->reader->diag, place, "there is no column '" NS_CLIP "' in %s%s", NsClip(word), table->source->name,
    header ? NsDidYouMean(NsNearestWord(word, names)) : "");
  if (header)
    NsDiagNote(table->reader->diag, "its columns are: %s", NsKeysJoin(table->reader, names, table->count, 20));
  else
    NsDiagNote(table->reader->diag, "it has %d column%s without names: they are numbered from 1", table->count, table->count == 1 ? "" : "s");
  return -1;
}

/* A unit is checked once, not in each row. */
static bool check_unit(const Table *table, const char *unit, NsDimension dimension, NsPlace place)
{
  char   message[256];
  double value;
  int    column, length;

  if (!*unit || NsParseQuantity(NsArenaPrint(table->reader->arena, "1 %s", unit), dimension, &value, message, sizeof(message), &column, &length))
    return true;
  NsDiagError(table->reader->diag, place, "%s", message);
  if (!*NsDimensionUnit(dimension)) NsDiagNote(table->reader->diag, "to take the numbers of this column as they are, give `units`, with \"\" for it");
  return false;
}

static bool choose_columns(Table *table, bool header)
{
  const Settings *settings = table->settings;
  bool            good     = true;

  for (int k = 0; k < table->key->columns; k++) {
    const NsPlace place = settings->columns.count ? settings->columns.where[k]->place : NsKeysPlace(settings->where, "file");
    const char   *unit  = NULL;

    table->unit[k]   = "";
    table->column[k] = settings->columns.count ? find_column(table, settings->columns.items[k], place, header) : k;
    if (table->column[k] < 0) {
      good = false;
    } else if (settings->units.count) {
      table->unit[k] = settings->units.items[k];
      good           = check_unit(table, table->unit[k], table->key->columns_dimension[k], settings->units.where[k]->place) && good;
    } else if (header && table->column[k] < table->count) {
      const Field *field = &table->field[table->column[k]];
      (void)name_of(table, field, &unit);
      table->unit[k] = unit ? unit : "";
      good           = check_unit(table, table->unit[k], table->key->columns_dimension[k], place_of(table, field->text, field->size)) && good;
    }
  }
  return good;
}

static NsNode *child_of(const Table *table, NsNode *parent, NsNode ***end, NsNodeKind kind, NsPlace place)
{
  NsNode *node = **end = NsArenaAlloc(table->reader->arena, sizeof(*node));

  *node = (NsNode){.kind = kind, .place = place, .key_place = place, .parent = parent};
  *end  = &node->next;
  parent->count++;
  return node;
}

/* The fields of the line that the table takes, as a row of the list. */
static bool add_row(Table *table, NsNode *list, NsNode ***end)
{
  NsNode *row = child_of(table, list, end, NS_NODE_LIST, place_of(table, table->line, (size_t)(table->end - table->line))), **cell = &row->first;

  for (int k = 0; k < table->key->columns; k++) {
    if (table->column[k] >= table->count) {
      NsDiagError(table->reader->diag, row->place, "this line has %d column%s; the table needs column %d", table->count, table->count == 1 ? "" : "s",
        table->column[k] + 1);
      if (table->count == 1) NsDiagNote(table->reader->diag, "columns are separated by commas, semicolons or tabs");
      return false;
    }
    const Field *field = &table->field[table->column[k]];
    NsNode      *node  = child_of(table, row, &cell, NS_NODE_SCALAR, place_of(table, field->text, field->size));
    if (!is_number(table, field)) {
      NsDiagError(table->reader->diag, node->place, "not a number: '" NS_CLIP "'%s",
        NsClip(NsArenaCopy(table->reader->arena, field->text, field->size)), memchr(field->text, ',', field->size) ? " (use a decimal point)" : "");
      return false;
    }
    node->text = NsArenaPrint(table->reader->arena, "%.*s%s%s", (int)field->size, field->text, *table->unit[k] ? " " : "", table->unit[k]);
  }
  return true;
}

/* The first line says which separator there is, and what the columns are. */
static bool begin(Table *table)
{
  static const char separators[] = ";\t,";

  if (!next_line(table)) {
    NsDiagError(table->reader->diag, (NsPlace){table->source, 0, 0, 0}, "has no rows");
    return false;
  }
  for (const char *s = separators; *s && !table->separator; s++)
    table->separator = memchr(table->line, *s, (size_t)(table->end - table->line)) ? *s : 0;
  if (!table->separator) table->separator = ',';
  cut(table);
  return true;
}

static bool check_counts(Table *table)
{
  const NsStrings  *given[2] = {&table->settings->columns, &table->settings->units};
  const char *const words[2] = {"columns", "units"};

  for (int i = 0; i < 2; i++) {
    if (!given[i]->count || given[i]->count == table->key->columns) continue;
    NsDiagError(table->reader->diag, NsKeysPlace(table->settings->where, words[i]), "%s of %s needs %d items, got %d", words[i], table->key->name,
      table->key->columns, given[i]->count);
    NsKeysNote(table->reader, table->key);
    return false;
  }
  return true;
}

bool NsTableLoad(NsKeysReader *reader, const NsKey *key, NsNode *node)
{
  Settings    settings;
  Table      *table = NsArenaAlloc(reader->arena, sizeof(*table));
  const char *path, *reason;
  NsNode      list = {.kind = NS_NODE_LIST}, **end = &list.first;

  if (!NsKeysRead(&NsTable_TableFile, node, &settings, reader->arena, reader->diag)) return false;
  table->reader   = reader;
  table->key      = key;
  table->settings = &settings;
  if (!check_counts(table)) return false;
  path                = NsTreeFile(NsTreeChild(node, "file"), reader->arena);
  table->source       = NsArenaAlloc(reader->arena, sizeof(*table->source));
  table->source->name = path;
  table->source->text = table->end = load(path, reader->arena, &table->source->size, &reason);
  if (!table->source->text) {
    NsDiagError(reader->diag, NsKeysPlace(node, "file"), "cannot read the table '%s': %s", settings.file, reason);
    if (strcmp(path, settings.file) != 0) NsDiagNote(reader->diag, "looked for %s", path);
    return false;
  }
  if (table->source->size >= 3 && !memcmp(table->source->text, "\xef\xbb\xbf", 3))
    table->source->text += 3, table->source->size -= 3, table->end += 3;
  if (!NsTreeCheckText(table->source, MOST_BYTES, reader->diag) || !begin(table)) return false;
  const bool header = !is_number(table, &table->field[0]);
  if (!choose_columns(table, header)) return false;
  for (bool more = header ? next_line(table) : true; more; more = next_line(table)) {
    cut(table);
    if ((long)list.count * (key->columns + 1) > NS_TREE_MAX_NODES) {
      NsDiagError(reader->diag, (NsPlace){table->source, 0, 0, 0}, "a config may have %d values; this table has more", NS_TREE_MAX_NODES);
      return false;
    }
    if (!add_row(table, &list, &end)) return false;
  }
  node->kind  = NS_NODE_LIST;
  node->first = list.first;
  node->count = list.count;
  for (NsNode *row = node->first; row; row = row->next) row->parent = node;
  reader->loaded = true;
  return true;
}
