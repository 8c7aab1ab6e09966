/*
  Parameters: `$name` and `${expression}` in scalars, with the values of `parameters:` (core/expression.h).

  A scalar that is nothing else becomes the value, a quantity in SI or a word; within other text the value is written there. Parameters may use each other, in any order.
*/
#include "core/decimal.h"
#include "core/expression.h"
#include "core/text.h"
#include "core/tree_internal.h"
#include "percuss/keys.h"
#include <string.h>

enum { MOST = 1000, MOST_DEPTH = 64, MOST_TEXT = 10000 /* bytes of a scalar: parameters of parameters would grow without end */ };

typedef enum { UNREAD, READING, READ, WRONG } Progress;

typedef struct {
  NsNode    *node;
  Progress   progress;
  bool       is_quantity, used;
  NsQuantity quantity;
} Parameter;

typedef struct {
  Parameter   *parameter;
  const char **names; /* [count], then NULL */
  int          count, depth;
  const int   *number;  /* $i, $j, $k of a copy */
  int          numbers; /* 0: not in a copy */
  NsArena     *arena;
  NsDiag      *diag;
} Reader;

static bool substitute(Reader *reader, NsNode *node);

static Parameter *find(Reader *reader, const char *name)
{
  for (int i = 0; i < reader->count; i++) {
    if (!strcmp(reader->names[i], name)) return &reader->parameter[i];
  }
  return NULL;
}

/* Its value is read when it is asked for the first time. False: message says why, or "" after an error that was reported. */
static bool read(Reader *reader, Parameter *parameter, char *message, size_t size)
{
  const NsNode *node = parameter->node;

  parameter->used = true;
  if (parameter->progress == READ) return true;
  if (parameter->progress == WRONG) return false;
  if (parameter->progress == READING) {
    (void)snprintf(message, size, "parameter '" NS_CLIP "' depends on itself", NsClip(node->key));
    return false;
  }
  if (reader->depth == MOST_DEPTH) {
    (void)snprintf(message, size, "parameters refer to each other more than %d levels deep", MOST_DEPTH);
    return false;
  }
  parameter->progress = READING;
  reader->depth++;
  const bool good = substitute(reader, parameter->node);
  reader->depth--;
  if (!good) {
    parameter->progress = WRONG;
    return false;
  }
  parameter->is_quantity = !node->quoted && NsParseAnyQuantity(node->text, &parameter->quantity.dimension, &parameter->quantity.value);
  parameter->progress    = READ;
  return true;
}

static const char *const numbers_of_copies[] = {"i", "j", "k"};

/* The number of a copy that has this name, or 0. */
static int number_of_copy(const Reader *reader, const char *name)
{
  for (int d = 0; d < reader->numbers; d++) {
    if (!strcmp(name, numbers_of_copies[d])) return reader->number[d];
  }
  return 0;
}

static bool value_of(void *context, const char *name, NsQuantity *value, char *message, size_t size)
{
  Reader    *reader    = context;
  Parameter *parameter = find(reader, name);

  if (number_of_copy(reader, name)) {
    *value = (NsQuantity){number_of_copy(reader, name), NS_DIM_NONE};
    return true;
  }
  if (!parameter) {
    (void)snprintf(message, size, "unknown parameter '%s'%s", name, NsDidYouMean(NsNearestWord(name, reader->names)));
    return false;
  }
  if (!read(reader, parameter, message, size)) return false;
  if (parameter->is_quantity) {
    *value = parameter->quantity;
    return true;
  }
  (void)snprintf(message, size, "parameter '%s' is '" NS_CLIP "', which is not a quantity", name, NsClip(parameter->node->text));
  return false;
}

static const char *quantity_text(NsArena *arena, const NsQuantity *quantity)
{
  char        number[NS_DECIMAL_SIZE];
  const char *unit = NsDimensionUnit(quantity->dimension);
  const int   size = NsDecimal(quantity->value, number);

  return NsArenaPrint(arena, "%.*s%s%s", size, number, *unit ? " " : "", unit);
}

static bool is_name(const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    const bool letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') || text[i] == '_';
    if (!letter && !(i > 0 && text[i] >= '0' && text[i] <= '9')) return false;
  }
  return size > 0;
}

static bool report(Reader *reader, const NsNode *node, const char *from, int size, const char *message)
{
  if (!*message) return false; /* reported already, where the parameter stands */
  NsDiagError(reader->diag, NsTreePart(node, (int)(from - node->text), size), "%s", message);
  if (!reader->count && !strncmp(message, "unknown parameter", 17))
    NsDiagNote(reader->diag, "parameters are given at the top of the config: parameters: {length: 10 mm}");
  return false;
}

/* The text for `size` bytes between the braces, or of a name; *word: it is a word in quotes or out of them, and no quantity. */
static bool expand(Reader *reader, const NsNode *node, const char *from, size_t size, const char **text, const NsNode **word)
{
  const char *inner = NsArenaCopy(reader->arena, from, size), *name = inner + strspn(inner, " ");
  char        message[320] = "";
  int         column = 0, length = (int)size;
  NsQuantity  quantity;
  Parameter  *parameter;

  *word = NULL;
  if (is_name(name, strcspn(name, " ")) && !name[strcspn(name, " ") + strspn(name + strcspn(name, " "), " ")]) {
    name      = NsArenaCopy(reader->arena, name, strcspn(name, " "));
    parameter = find(reader, name);
    if (parameter && !read(reader, parameter, message, sizeof(message))) return report(reader, node, from, length, message);
    if (parameter) { /* as it is written, so that "0.1 mm" stays that */
      *text = parameter->node->text;
      *word = parameter->is_quantity ? NULL : parameter->node;
      return true;
    }
  }
  if (!NsExpressionValue(inner, value_of, reader, &quantity, message, sizeof(message), &column, &length))
    return report(reader, node, from + column, length > 0 ? length : 1, message);
  *text = quantity_text(reader->arena, &quantity);
  return true;
}

/* Replaces all in one scalar. */
static bool substitute(Reader *reader, NsNode *node)
{
  const char *result = "", *done = node->text, *at = done, *text;
  bool        quoted = node->quoted, good = true;

  while ((at = strchr(at, '$'))) {
    const bool    braces = at[1] == '{';
    const char   *from = at + 1 + braces, *end = from;
    const NsNode *word;

    if (braces)
      end = strchr(from, '}');
    else
      while (is_name(from, (size_t)(end + 1 - from)) && *end) end++;
    if (!end) {
      NsDiagError(reader->diag, NsTreePart(node, (int)(at - node->text), 2), "this '${' is not closed with '}'");
      return false;
    }
    if (end == from && !braces) { /* a sign of money */
      at++;
      continue;
    }
    if (expand(reader, node, from, (size_t)(end - from), &text, &word)) {
      const bool all = at == node->text && !end[braces];
      result         = strlen(result) > MOST_TEXT ? result : NsArenaPrint(reader->arena, "%s%.*s%s", result, (int)(at - done), done, text);
      if (all) quoted = word && word->quoted;
    } else {
      good = false;
    }
    done = at = end + braces;
  }
  if (done == node->text || !good) return good;
  if (strlen(result) + strlen(done) > MOST_TEXT) {
    NsDiagError(reader->diag, node->place, "with its parameters this has more than %d bytes", MOST_TEXT);
    return false;
  }
  node->text   = NsArenaPrint(reader->arena, "%s%s", result, done);
  node->quoted = quoted;
  return true;
}

static void substitute_all(Reader *reader, NsNode *node)
{
  if (node->kind == NS_NODE_SCALAR) (void)substitute(reader, node);
  for (NsNode *child = node->first; child; child = child->next) substitute_all(reader, child);
}

static void substitute_copy(void *context, const int *number, int numbers, NsNode *copy)
{
  Reader *reader = context;

  reader->number  = number;
  reader->numbers = numbers;
  substitute_all(reader, copy);
  reader->numbers = 0;
}

/* Before everything else, for in copies $i has a value. */
static bool expand_copies(Reader *reader, NsNode *root, const NsTable *top)
{
  const int errors = NsDiagErrors(reader->diag);
  NsNode   *copies = top ? NsTreeChild(root, "copies") : NULL;

  if (!copies) return true;
  substitute_all(reader, copies);
  for (int d = 0; d < 3; d++) {
    const Parameter *hidden = find(reader, numbers_of_copies[d]);
    if (hidden)
      NsDiagError(reader->diag, hidden->node->key_place, "'%s' is the number of a copy here; give the parameter another name", numbers_of_copies[d]);
  }
  return NsDiagErrors(reader->diag) == errors && NsTreeExpand(root, top, substitute_copy, reader, reader->arena, reader->diag);
}

static void take_parameters(Reader *reader, NsNode *map)
{
  reader->names     = NsArenaAlloc(reader->arena, ((size_t)(map ? map->count : 0) + 1) * sizeof(*reader->names));
  reader->parameter = NsArenaAlloc(reader->arena, (size_t)(map ? map->count : 0) * sizeof(*reader->parameter));
  for (NsNode *child = map ? map->first : NULL; child; child = child->next) {
    const char *other = NsExpressionReserves(child->key);

    if (!is_name(child->key, strlen(child->key))) {
      NsDiagError(reader->diag, child->key_place, "'" NS_CLIP "' cannot be the name of a parameter", NsClip(child->key));
      NsDiagNote(reader->diag, "names of parameters consist of letters, digits and '_', and begin with a letter");
    } else if (other) {
      NsDiagError(reader->diag, child->key_place, "'%s' is %s and cannot be the name of a parameter", child->key, other);
    } else if (child->kind != NS_NODE_SCALAR) {
      NsDiagError(reader->diag, child->place, "a parameter is a quantity or a word, not a %s", child->kind == NS_NODE_MAP ? "mapping" : "list");
    } else if (!child->quoted && !*child->text) {
      NsDiagError(reader->diag, child->key_place, "parameter '%s' has no value", child->key);
    } else if (reader->count == MOST) {
      NsDiagError(reader->diag, child->key_place, "more than %d parameters", MOST);
      return;
    } else {
      reader->parameter[reader->count].node = child;
      reader->names[reader->count++]        = child->key;
    }
  }
}

bool NsTreeSubstitute(NsNode *root, const NsTable *top, NsArena *arena, NsDiag *diag)
{
  Reader    reader       = {.arena = arena, .diag = diag};
  NsNode   *map          = NsTreeChild(root, "parameters");
  const int errors       = NsDiagErrors(diag);
  char      message[320] = "";

  if (map && map->kind != NS_NODE_MAP && (map->quoted || map->kind == NS_NODE_LIST || *map->text)) {
    NsDiagError(diag, map->place, "expected a mapping from names to quantities, got %s", map->kind == NS_NODE_LIST ? "a list" : "a scalar");
    NsDiagNote(diag, "such as parameters: {length: 10 mm}");
    return false;
  }
  take_parameters(&reader, map);
  if (NsDiagErrors(diag) > errors || !expand_copies(&reader, root, top)) return false;
  for (NsNode **child = &root->first; *child;) {
    if (*child == map) {
      *child = map->next;
      root->count--;
      continue;
    }
    substitute_all(&reader, *child);
    child = &(*child)->next;
  }
  for (int i = 0; i < reader.count; i++) {
    const bool used = reader.parameter[i].used;
    (void)read(&reader, &reader.parameter[i], message, sizeof(message));
    reader.parameter[i].used = used;
  }
  for (int i = 0; i < reader.count && NsDiagErrors(diag) == errors; i++) {
    if (!reader.parameter[i].used) NsDiagWarning(diag, reader.parameter[i].node->key_place, "parameter '%s' is not used", reader.names[i]);
  }
  return NsDiagErrors(diag) == errors;
}
