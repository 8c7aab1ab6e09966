#include "core/keys_internal.h"
#include "core/text.h"
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 256 };

bool NsKeysIsNull(const NsNode *node)
{
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};

  if (node->kind != NS_NODE_SCALAR || node->quoted) return false;
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); ++i) {
    if (!strcmp(node->text, words[i])) return true;
  }
  return false;
}

const char *NsKeysGot(const NsKeysReader *reader, const NsNode *node)
{
  if (node->kind == NS_NODE_LIST) return "a list";
  if (node->kind == NS_NODE_MAP) return "a mapping";
  return NsArenaPrint(reader->arena, "'" NS_CLIP "'", NsClip(node->text));
}

void NsKeysNote(NsKeysReader *reader, const NsKey *key)
{
  const char *help = key->help ? key->help : "";

  if (key->example)
    NsDiagNote(reader->diag, "%s: %s%sfor example %s", key->name, help, *help ? ", " : "", key->example);
  else if (*help)
    NsDiagNote(reader->diag, "%s: %s", key->name, help);
}

bool NsKeysCount(NsKeysReader *reader, const NsKey *key, const NsNode *node, const char *what)
{
  const int   count   = node->kind == NS_NODE_SCALAR ? 1 : node->count; /* a word alone is a list of one */
  const bool  exactly = key->least && key->least == key->most, few = key->least && count < key->least;
  const int   bound = few || exactly ? key->least : key->most, size = (int)strlen(what);
  const bool  y      = what[size - 1] == 'y';
  const char *plural = bound == 1 ? "" : y ? "ies" : "s";

  if (!few && !(key->most && count > key->most)) return true;
  NsDiagError(reader->diag, node->place, "%s needs %s %d %.*s%s, got %d", key->name,
    exactly ? "exactly"
    : few   ? "at least"
            : "at most",
    bound, bound != 1 && y ? size - 1 : size, what, plural, count);
  NsKeysNote(reader, key);
  return false;
}

bool NsKeysNameIsGood(NsKeysReader *reader, const NsNode *node)
{
  for (const char *p = node->key; *p; ++p) {
    if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || (unsigned char)*p >= 0x80) continue;
    if (*p == '_' || (*p == '-' && p > node->key)) continue;
    NsDiagError(reader->diag, node->key_place, "'" NS_CLIP "' cannot be a name", NsClip(node->key));
    NsDiagNote(reader->diag, "names consist of letters, digits, '_' and '-'");
    return false;
  }
  return true;
}

typedef struct {
  const char *text; /* NULL: none */
  int         size; /* of the number in it */
  bool        open; /* the value itself is excluded */
  double      value;
} Bound;

/* "0", "0 <" (for minimum), "< 1" (for maximum). */
static Bound bound_of(const NsKey *key, const char *text)
{
  Bound bound = {NULL, 0, false, 0};
  char  number[64];

  if (!text) return bound;
  bound.open = strchr(text, '<') != NULL;
  bound.text = text + strspn(text, "< ");
  bound.size = (int)strcspn(bound.text, "< ");
  if (bound.size < (int)sizeof(number)) {
    memcpy(number, bound.text, (size_t)bound.size);
    number[bound.size] = 0;
    if (!NsParseNumber(number, &bound.value)) return bound;
  }
  fprintf(stderr, "percuss: error in a table: bound '%s' of key '%s'\n", text, key->name);
  abort();
}

const char *NsKeysRangeText(NsArena *arena, const NsKey *key, NsDimension dimension)
{
  const Bound bounds[2] = {bound_of(key, key->minimum), bound_of(key, key->maximum)}, *low = &bounds[0], *high = &bounds[1];
  const char *text[2];

  for (int i = 0; i < 2; ++i) {
    const char *unit = bounds[i].text && bounds[i].value != 0 ? NsDimensionUnit(dimension) : "";

    text[i] = bounds[i].text ? NsArenaPrint(arena, "%.*s%s%s", bounds[i].size, bounds[i].text, *unit ? " " : "", unit) : "";
  }
  if (low->text && high->text && !low->open && !high->open) return NsArenaPrint(arena, "between %s and %s", text[0], text[1]);
  return NsArenaPrint(arena, "%s%s%s%s%s",
    !low->text  ? ""
    : low->open ? "greater than "
                : "at least ",
    text[0], low->text && high->text ? " and " : "",
    !high->text  ? ""
    : high->open ? "less than "
                 : "at most ",
    text[1]);
}

static bool check_range(NsKeysReader *reader, const NsKey *key, NsDimension dimension, const NsNode *node, const char *label, double value)
{
  const Bound low = bound_of(key, key->minimum), high = bound_of(key, key->maximum);
  const bool  under = low.text && (low.open ? value <= low.value : value < low.value);
  const bool  over  = high.text && (high.open ? value >= high.value : value > high.value);

  if (!under && !over) return true;
  NsDiagError(reader->diag, node->place, "%s must be %s, got " NS_CLIP, label, NsKeysRangeText(reader->arena, key, dimension), NsClip(node->text));
  return false;
}

bool NsKeysIsKind(NsKeysReader *reader, const NsKey *key, const NsNode *node, NsNodeKind kind, const char *label, const char *expected)
{
  if (NsKeysIsNull(node))
    NsDiagError(reader->diag, node->key_place, "%s has no value", label);
  else if (node->kind != kind)
    NsDiagError(reader->diag, node->place, "expected %s, got %s", expected, NsKeysGot(reader, node));
  else
    return true;
  NsKeysNote(reader, key);
  return false;
}

static bool is_scalar(NsKeysReader *reader, const NsKey *key, const NsNode *node, const char *label, const char *expected)
{
  return NsKeysIsKind(reader, key, node, NS_NODE_SCALAR, label, expected);
}

/* A speed or a frequency whose unit does not say of what: of radians, turns or cycles. */
static void warn_without_angle(NsKeysReader *reader, const NsKey *key, const NsNode *node, double value)
{
  const double turn = 6.283185307179586;
  NsDimension  dimension;
  double       same;

  if (key->kind != NS_KEY_NUMBER || value == 0 || !NsParseAnyQuantity(node->text, &dimension, &same) || dimension.rad) return;
  NsDiagWarning(reader->diag, node->place, "'" NS_CLIP "' is read as %g rad/s, which is %.4g Hz or %.4g rpm", NsClip(node->text), value, value / turn,
    60 * value / turn);
  NsDiagNote(reader->diag, "write %g rad/s if this is meant, else Hz or rpm", value);
}

static void read_number(
  NsKeysReader *reader, const NsKey *key, NsDimension dimension, const NsNode *node, const char *label, const char *range_label, double *field)
{
  const bool pure = !dimension.m && !dimension.kg && !dimension.s && !dimension.rad;
  char       message[MESSAGE];
  double     value;
  int        column, length;

  if (!is_scalar(reader, key, node, label, pure ? "a number" : NsDimensionName(dimension))) return;
  if (!NsParseQuantity(node->text, dimension, &value, message, sizeof(message), &column, &length)) {
    NsDiagError(reader->diag, NsTreePart(node, column, length), "%s", message);
    NsKeysNote(reader, key);
  } else if (!range_label || check_range(reader, key, dimension, node, range_label, value)) {
    *field = value;
    if (dimension.rad == 1 && dimension.s == -1 && !dimension.m && !dimension.kg) warn_without_angle(reader, key, node, value);
  }
}

static void read_integer(NsKeysReader *reader, const NsKey *key, const NsNode *node, long *field)
{
  const long  most  = (long)(~0ul >> 1);
  const char *p     = node->text, *digits;
  long        value = 0;
  bool        large = false;

  if (!is_scalar(reader, key, node, key->name, "a whole number")) return;
  if (*p == '-' || *p == '+') ++p;
  for (digits = p; *p >= '0' && *p <= '9'; ++p) {
    const int digit = *p - '0';

    if (value > (most - digit) / 10)
      large = true;
    else
      value = 10 * value + digit;
  }
  if (*p || p == digits) {
    const bool exponent = p > digits && (*p == 'e' || *p == 'E');

    NsDiagError(
      reader->diag, node->place, "expected a whole number, got '" NS_CLIP "'%s", NsClip(node->text), exponent ? " (write out all its digits)" : "");
    NsKeysNote(reader, key);
  } else if (large) {
    NsDiagError(reader->diag, node->place, "out of range: '" NS_CLIP "'", NsClip(node->text));
  } else {
    if (*node->text == '-') value = -value;
    if (check_range(reader, key, NS_DIM_NONE, node, key->name, (double)value)) *field = value;
  }
}

static void read_boolean(NsKeysReader *reader, const NsKey *key, const NsNode *node, bool *field)
{
  static const char *const words[] = {
    "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "1", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "0"};
  const char *instead = NULL;

  if (!is_scalar(reader, key, node, key->name, "true or false")) return;
  if (!strcmp(node->text, "true"))
    *field = true;
  else if (!strcmp(node->text, "false"))
    *field = false;
  else {
    for (int i = 0; i < 18; ++i) {
      if (!strcmp(node->text, words[i])) instead = i < 9 ? "true" : "false";
    }
    NsDiagError(reader->diag, node->place, "expected true or false, got '" NS_CLIP "'%s%s%s", NsClip(node->text), instead ? " (write " : "",
      instead ? instead : "", instead ? ")" : "");
    if (!instead) NsKeysNote(reader, key);
  }
}

static void read_choice(NsKeysReader *reader, const NsKey *key, const NsNode *node, int *field)
{
  const char *list = "";

  if (!is_scalar(reader, key, node, key->name, "a word")) return;
  for (int i = 0; key->choices[i]; ++i) {
    if (!strcmp(node->text, key->choices[i])) {
      *field = i;
      return;
    }
    list = NsArenaPrint(reader->arena, "%s%s%s", list, i ? ", " : "", key->choices[i]);
  }
  NsDiagError(
    reader->diag, node->place, "unknown %s '" NS_CLIP "'%s", key->name, NsClip(node->text), NsDidYouMean(NsNearestWord(node->text, key->choices)));
  NsDiagNote(reader->diag, "valid values: %s", list);
}

/* "item 2 of velocity", for messages about a part of a list. */
static const char *item_label(const NsKeysReader *reader, const NsKey *key, int index)
{
  return NsArenaPrint(reader->arena, "item %d of %s", index + 1, key->name);
}

static void read_vector(NsKeysReader *reader, const NsKey *key, const NsNode *node, double *field)
{
  const char *label;
  int         i = 0;

  if (!NsKeysIsKind(reader, key, node, NS_NODE_LIST, key->name, "a list of 3 numbers")) return;
  if (node->count != 3) {
    NsDiagError(reader->diag, node->place, "%s needs exactly 3 numbers, got %d", key->name, node->count);
    NsKeysNote(reader, key);
    return;
  }
  label = NsArenaPrint(reader->arena, "each number of %s", key->name);
  for (const NsNode *item = node->first; item; item = item->next, ++i)
    read_number(reader, key, key->dimension, item, item_label(reader, key, i), label, &field[i]);
}

static void read_numbers(NsKeysReader *reader, const NsKey *key, const NsNode *node, NsNumbers *field)
{
  const int   columns = key->columns > 1 ? key->columns : 1;
  const char *label;
  int         row = 0;

  if (columns == 1 && key->least == 1 && node->kind == NS_NODE_SCALAR && !NsKeysIsNull(node)) { /* a number alone is a list of one */
    field->rows   = 1;
    field->values = NsArenaAlloc(reader->arena, sizeof(*field->values));
    read_number(reader, key, key->columns_dimension[0], node, key->name, NULL, field->values);
    return;
  }
  if (columns > 1 && node->kind == NS_NODE_MAP && NsTreeChild(node, "file") && !NsTableLoad(reader, key, (NsNode *)node)) return;
  if (!NsKeysIsKind(reader, key, node, NS_NODE_LIST, key->name, columns > 1 ? "a list of rows" : "a list of numbers")) return;
  if (!NsKeysCount(reader, key, node, columns > 1 ? "row" : "number")) return;
  label         = columns > 1 ? NULL : NsArenaPrint(reader->arena, "each number of %s", key->name);
  field->rows   = node->count;
  field->values = NsArenaAlloc(reader->arena, (size_t)node->count * (size_t)columns * sizeof(*field->values));
  for (const NsNode *item = node->first; item; item = item->next, ++row) {
    double *values = &field->values[row * columns];
    int     column = 0;

    if (columns == 1) {
      read_number(reader, key, key->columns_dimension[0], item, item_label(reader, key, row), label, values);
    } else if (item->kind != NS_NODE_LIST || item->count != columns) {
      if (item->kind == NS_NODE_LIST)
        NsDiagError(reader->diag, item->place, "each row of %s needs exactly %d numbers, got %d", key->name, columns, item->count);
      else
        NsDiagError(
          reader->diag, item->place, "expected a row of %d numbers, got %s", columns, NsKeysIsNull(item) ? "nothing" : NsKeysGot(reader, item));
      NsKeysNote(reader, key);
    } else {
      for (const NsNode *cell = item->first; cell; cell = cell->next, ++column) {
        read_number(reader, key, key->columns_dimension[column], cell, item_label(reader, key, row), NULL, &values[column]);
      }
    }
  }
}

static void read_strings(NsKeysReader *reader, const NsKey *key, const NsNode *node, NsStrings *field)
{
  const bool    list  = node->kind == NS_NODE_LIST;
  const NsNode *first = list ? node->first : node;
  const int     count = list ? node->count : 1;

  if (!list && !is_scalar(reader, key, node, key->name, "a list of words")) return;
  if (!NsKeysCount(reader, key, node, "item")) return;
  field->items = NsArenaAlloc(reader->arena, ((size_t)count + 1) * sizeof(*field->items));
  field->where = NsArenaAlloc(reader->arena, ((size_t)count + 1) * sizeof(*field->where));
  for (const NsNode *item = first; field->count < count; item = item->next, ++field->count) {
    field->items[field->count] = "";
    field->where[field->count] = item;
    if (is_scalar(reader, key, item, item_label(reader, key, field->count), "a word")) field->items[field->count] = item->text;
  }
}

static void read_named_numbers(NsKeysReader *reader, const NsKey *key, const NsNode *node, NsNamedNumbers *field)
{
  const size_t count = (size_t)node->count;

  if (!NsKeysIsKind(reader, key, node, NS_NODE_MAP, key->name, "a mapping from names to numbers")) return;
  if (!NsKeysCount(reader, key, node, "entry")) return;
  field->names  = NsArenaAlloc(reader->arena, count * sizeof(*field->names));
  field->values = NsArenaAlloc(reader->arena, count * sizeof(*field->values));
  field->where  = NsArenaAlloc(reader->arena, count * sizeof(*field->where));
  for (const NsNode *child = node->first; child; child = child->next, ++field->count) {
    field->names[field->count] = child->key;
    field->where[field->count] = child;
    if (NsKeysNameIsGood(reader, child)) read_number(reader, key, key->dimension, child, child->key, child->key, &field->values[field->count]);
  }
}

void NsKeysReadValue(NsKeysReader *reader, const NsKey *key, const NsNode *node, void *field)
{
  switch (key->kind) {
  case NS_KEY_NUMBER: read_number(reader, key, key->dimension, node, key->name, key->name, field); return;
  case NS_KEY_INTEGER: read_integer(reader, key, node, field); return;
  case NS_KEY_BOOLEAN: read_boolean(reader, key, node, field); return;
  case NS_KEY_STRING:
    if (is_scalar(reader, key, node, key->name, "text")) *(const char **)field = key->file ? node->text : NsTextLine(node->text, reader->arena);
    return;
  case NS_KEY_CHOICE: read_choice(reader, key, node, field); return;
  case NS_KEY_VECTOR: read_vector(reader, key, node, field); return;
  case NS_KEY_NUMBERS: read_numbers(reader, key, node, field); return;
  case NS_KEY_STRINGS: read_strings(reader, key, node, field); return;
  case NS_KEY_NAMED_NUMBERS: read_named_numbers(reader, key, node, field); return;
  case NS_KEY_MAPPING:
    if (NsKeysIsKind(reader, key, node, NS_NODE_MAP, key->name, "a mapping")) *(const NsNode **)field = node;
    return;
  default: abort();
  }
}
