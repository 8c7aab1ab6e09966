/*
  Makes nodes of libyaml's events. Features of YAML that a config does not need are refused with their place. Errors are collected; those that make the rest unreadable (syntax,
  depth, number of nodes) end the reading.
*/
#include "percuss/tree.h"
#include "core/out_of_memory.h"
#include "core/text.h"
#include "core/tree_alias.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

enum { MOST_BAD_BYTES = 6 }; /* that are reported: a binary file has thousands */

typedef struct {
  NsNode     *node, *last; /* a map or list that is open, and its last child so far */
  const char *key;         /* of the next child; NULL: a key is expected */
  NsPlace     key_place;
  bool        flow; /* in brackets */
} Frame;

typedef struct {
  yaml_parser_t   parser;
  const NsSource *source;
  int             shift; /* columns of the source's first line before the parsed text */
  int             base;  /* depth at which the root will hang */
  int             nodes, depth, documents;
  bool            failed;
  NsNode         *root;
  NsAnchor       *anchors;
  Frame           frames[NS_TREE_MAX_DEPTH];
  NsArena        *arena;
  NsDiag         *diag;
} Builder;

static NsPlace place_of(const Builder *b, const yaml_mark_t *start, const yaml_mark_t *end)
{
  NsPlace place = {b->source, (int)start->line + 1, (int)start->column + 1 + (start->line ? 0 : b->shift), 1};

  if (end->line > start->line)
    place.length = NS_TREE_MAX_BYTES; /* printing cuts it at the end of the line */
  else if (end->column > start->column)
    place.length = (int)(end->column - start->column);
  return place;
}

static bool stop(Builder *b)
{
  b->failed = true;
  return false;
}

static void refuse(Builder *b, NsPlace place, const char *message)
{
  NsDiagError(b->diag, place, "%s", message);
  b->failed = true;
}

/* The scalar of a key; what follows is its value. */
static bool take_key(Builder *b, Frame *frame, const yaml_event_t *event, NsPlace place)
{
  const char  *text;
  const size_t size = event->type == YAML_SCALAR_EVENT ? event->data.scalar.length : 0;

  if (event->type != YAML_SCALAR_EVENT) {
    NsDiagError(b->diag, place, "a key must be a word, not %s", event->type == YAML_ALIAS_EVENT ? "an alias" : "a list or mapping");
    return stop(b);
  }
  text = (const char *)event->data.scalar.value;
  if (!size)
    refuse(b, place, "empty key");
  else if (strlen(text) != size)
    refuse(b, place, "a key cannot hold a NUL character");
  else if (size > NS_TREE_MAX_KEY)
    refuse(b, place, "a key of more than 200 bytes");
  if (!strcmp(text, NsMergeKey) && event->data.scalar.plain_implicit)
    frame->key = NsMergeKey;
  else
    frame->key = NsArenaCopy(b->arena, text, size > NS_TREE_MAX_KEY ? NS_TREE_MAX_KEY : size);
  frame->key_place = place;
  return true;
}

/* Refuses a tag; returns the anchor or NULL. */
static const char *properties_of(Builder *b, const yaml_event_t *event, NsPlace place)
{
  const yaml_char_t *anchor = NULL, *tag = NULL;

  if (event->type == YAML_SCALAR_EVENT) {
    anchor = event->data.scalar.anchor;
    tag    = event->data.scalar.tag;
  } else if (event->type == YAML_SEQUENCE_START_EVENT) {
    anchor = event->data.sequence_start.anchor;
    tag    = event->data.sequence_start.tag;
  } else if (event->type == YAML_MAPPING_START_EVENT) {
    anchor = event->data.mapping_start.anchor;
    tag    = event->data.mapping_start.tag;
  }
  if (tag) refuse(b, place, "tags ('!') are not supported");
  return (const char *)anchor;
}

/* Copies count as values: an alias of aliases cannot grow without end. */
static bool take_alias(Builder *b, const char *name, NsNode *node)
{
  const int copied = NsAliasCopy(b->anchors, name, node, NS_TREE_MAX_NODES - b->nodes, NS_TREE_MAX_DEPTH - b->base - b->depth, b->arena, b->diag);

  b->nodes += copied > 0 ? copied : 0;
  b->failed = b->failed || copied < 0;
  return copied != -2;
}

/* A scalar, or the beginning of a map or list. */
static bool take_node(Builder *b, const yaml_event_t *event)
{
  Frame        *frame = b->depth ? &b->frames[b->depth - 1] : NULL;
  const NsPlace place = place_of(b, &event->start_mark, &event->end_mark);
  NsNode       *node;

  if (++b->nodes > NS_TREE_MAX_NODES) {
    NsDiagError(b->diag, place, "more than %d values", NS_TREE_MAX_NODES);
    return stop(b);
  }
  const char *anchor = properties_of(b, event, place);
  if (frame && frame->node->kind == NS_NODE_MAP && !frame->key) return take_key(b, frame, event, place);

  node        = NsArenaAlloc(b->arena, sizeof(*node));
  node->kind  = event->type == YAML_MAPPING_START_EVENT ? NS_NODE_MAP : event->type == YAML_SEQUENCE_START_EVENT ? NS_NODE_LIST : NS_NODE_SCALAR;
  node->place = node->key_place = place;
  if (frame) {
    if (frame->key) {
      node->key       = frame->key;
      node->key_place = frame->key_place;
      frame->key      = NULL;
    }
    node->parent = frame->node;
    if (frame->last)
      frame->last->next = node;
    else
      frame->node->first = node;
    frame->last = node;
    ++frame->node->count;
  } else {
    b->root = node;
  }
  if (anchor) NsAnchorAdd(&b->anchors, anchor, node, b->arena);
  if (node->kind == NS_NODE_SCALAR) {
    node->text = "";
    if (event->type == YAML_ALIAS_EVENT) return take_alias(b, (const char *)event->data.alias.anchor, node);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text   = NsArenaCopy(b->arena, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (strlen(node->text) != event->data.scalar.length) refuse(b, place, "text cannot hold a NUL character");
    return true;
  }
  if (b->base + b->depth >= NS_TREE_MAX_DEPTH) {
    NsDiagError(b->diag, place, "nested deeper than %d levels", NS_TREE_MAX_DEPTH);
    return stop(b);
  }
  b->frames[b->depth] = (Frame){.node = node};
  if (node->kind == NS_NODE_MAP)
    b->frames[b->depth].flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
  else
    b->frames[b->depth].flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
  ++b->depth;
  return true;
}

static int compare_keys(const void *pa, const void *pb)
{
  const NsNode *a = *(NsNode *const *)pa, *b = *(NsNode *const *)pb;
  const int     order = strcmp(a->key, b->key);

  if (order) return order;
  if (a->key_place.line != b->key_place.line) return a->key_place.line < b->key_place.line ? -1 : 1;
  return a->key_place.column < b->key_place.column ? -1 : 1;
}

/* Sorted, because a map may have 100000 keys. */
static void refuse_duplicates(Builder *b, const NsNode *map)
{
  const NsNode **sorted, *first;
  int            n = 0;

  if (map->count < 2) return;
  sorted = calloc((size_t)map->count, sizeof(*sorted));
  if (!sorted) NsOutOfMemory();
  for (const NsNode *child = map->first; child; child = child->next) sorted[n++] = child;
  qsort(sorted, (size_t)n, sizeof(*sorted), compare_keys);
  first = sorted[0];
  for (int i = 1; i < n; ++i) {
    if (strcmp(first->key, sorted[i]->key)) {
      first = sorted[i];
    } else if (*first->key) { /* empty ones were reported already */
      NsDiagError(b->diag, sorted[i]->key_place, "duplicate key '" NS_CLIP "'; first given in line %d", NsClip(first->key), first->key_place.line);
      b->failed = true;
    }
  }
  free(sorted);
}

static void close_node(Builder *b, const yaml_event_t *event)
{
  NsNode           *node  = b->frames[--b->depth].node;
  const yaml_mark_t start = {0, (size_t)node->place.line - 1, (size_t)(node->place.column - 1 - (node->place.line > 1 ? 0 : b->shift))};
  const bool        flow  = event->end_mark.line == start.line && event->end_mark.column > event->start_mark.column;

  /* What the caret underlines: all of "[1, 2]" or "{a: 1}" on one line, the first key of a map in block style. */
  if (flow)
    node->place = place_of(b, &start, &event->end_mark);
  else if (node->kind == NS_NODE_MAP && node->first && node->first->key_place.line == node->place.line &&
           node->first->key_place.column == node->place.column) {
    node->place.length = node->first->key_place.length;
  }
  if (!node->key) node->key_place = node->place;
  if (node->kind != NS_NODE_MAP) return;
  refuse_duplicates(b, node);
  const int merged = NsTreeMerge(node, NS_TREE_MAX_NODES - b->nodes, b->arena, b->diag);
  b->nodes += merged > 0 ? merged : 0;
  if (merged < 0) b->failed = true;
}

/* False ends the reading. */
static bool take_event(Builder *b, const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (++b->documents == 1) return true;
    NsDiagError(b->diag, place_of(b, &event->start_mark, &event->end_mark), "a second document begins here; a config is one document");
    return stop(b);
  case YAML_SCALAR_EVENT:
  case YAML_ALIAS_EVENT:
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: return take_node(b, event);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: close_node(b, event); return true;
  default: return event->type != YAML_STREAM_END_EVENT;
  }
}

NsNode *NsTreeBuild(const NsSource *source, size_t offset, int base, NsArena *arena, NsDiag *diag)
{
  Builder      b    = {.source = source, .shift = NsTextCount(source->text, offset), .base = base, .arena = arena, .diag = diag};
  bool         more = true;
  yaml_event_t event;

  if (!yaml_parser_initialize(&b.parser)) NsOutOfMemory();
  yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&b.parser, (const unsigned char *)source->text + offset, source->size - offset);
  while (more) {
    if (!yaml_parser_parse(&b.parser, &event)) {
      const Frame *frame = b.depth ? &b.frames[b.depth - 1] : NULL;

      NsTreeSyntaxError(&b.parser, source, b.shift, frame && frame->flow ? &frame->node->place : NULL, diag);
      b.failed = true;
      break;
    }
    more = take_event(&b, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&b.parser);
  if (b.failed) return NULL;
  if (!b.root) {
    b.root        = NsArenaAlloc(arena, sizeof(*b.root));
    b.root->place = b.root->key_place = (NsPlace){source, 1, 1 + b.shift, 1};
    b.root->text                      = "";
  }
  return b.root;
}

/* Reports all that libyaml would refuse without a place: bytes that are not UTF-8, control characters. */
bool NsTreeCheckText(const NsSource *source, size_t most, NsDiag *diag)
{
  const char *p = source->text, *end = p + source->size;
  int         line = 1, column = 1, bad = 0;
  size_t      zeros = 0;

  if (source->size > most) {
    NsDiagError(diag, (NsPlace){source, 0, 0, 0}, "larger than %zu MB: this is not a config", most >> 20);
    return false;
  }
  if (source->size >= 2 && (!memcmp(p, "\xff\xfe", 2) || !memcmp(p, "\xfe\xff", 2))) {
    NsDiagError(diag, (NsPlace){source, 0, 0, 0}, "is UTF-16; save the file as UTF-8");
    return false;
  }
  for (size_t i = 0; i < source->size; i++) zeros += p[i] == 0;
  if (zeros > 8 + source->size / 100) { /* a stray one is listed below */
    NsDiagError(diag, (NsPlace){source, 0, 0, 0}, "is not a text file: it has bytes of value zero");
    NsDiagNote(diag, "percuss reads a config, a YAML text such as `percuss init bar` prints");
    return false;
  }
  while (p < end) {
    unsigned  code;
    const int newline = NsTextBreak(p, end), length = NsTextDecode(p, end, &code);

    if (newline) {
      p += newline;
      column = 1;
      ++line;
      continue;
    }
    if (!length || (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0xfeff || (code & 0xfffe) == 0xfffe) {
      const NsPlace place = {source, line, column, 1};

      if (!length)
        NsDiagError(diag, place, "byte 0x%02x is not UTF-8; save the file as UTF-8", (unsigned)(unsigned char)*p);
      else
        NsDiagError(diag, place, "control character U+%04X", code);
      if (++bad == MOST_BAD_BYTES) {
        NsDiagNote(diag, "further ones are not listed; is this a text file?");
        return false;
      }
    }
    p += length ? length : 1;
    ++column;
  }
  return bad == 0;
}

static NsNode *read_text(const char *name, const char *text, size_t size, size_t most, NsArena *arena, NsDiag *diag)
{
  NsSource *source = NsArenaAlloc(arena, sizeof(*source));
  NsNode   *root;

  if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, size -= 3; /* byte order mark */
  source->name = NsArenaCopy(arena, name, strlen(name));
  source->text = text;
  source->size = size;
  if (!NsTreeCheckText(source, most, diag)) return NULL;
  root = NsTreeBuild(source, 0, 0, arena, diag);
  if (root && root->kind == NS_NODE_SCALAR && !root->quoted && !*root->text) root->kind = NS_NODE_MAP; /* nothing but comments */
  return root;
}

NsNode *NsTreeReadText(const char *name, const char *text, size_t size, NsArena *arena, NsDiag *diag)
{
  return read_text(name, text, size, NS_TREE_MAX_BYTES, arena, diag);
}

static const char *nearest_file(const char *path, NsArena *arena)
{
  enum { MOST = 1000 };
  const char *slash     = strrchr(path, '/'), *names[MOST + 1], *nearest;
  const int   folder    = slash ? (int)(slash - path) + 1 : 0;
  DIR        *directory = opendir(folder ? NsArenaPrint(arena, "%.*s", folder, path) : ".");
  int         count     = 0;

  if (!directory) return NULL;
  for (struct dirent *entry; count < MOST && (entry = readdir(directory));) {
    if (*entry->d_name != '.') names[count++] = NsArenaCopy(arena, entry->d_name, strlen(entry->d_name));
  }
  closedir(directory);
  names[count] = NULL;
  nearest      = NsNearestWord(path + folder, names);
  return nearest ? NsArenaPrint(arena, "%.*s%s", folder, path, nearest) : NULL;
}

/* Reads up to one byte more than is allowed, to detect a file that is too large. NULL: errno. The size of devices and pipes is not known beforehand. */
static char *read_whole(FILE *file, size_t most, NsArena *arena, size_t *size)
{
  size_t room = 1 << 16;
  char  *text = NsArenaAlloc(arena, room + 1);

  *size = 0;
  for (;;) {
    *size += fread(text + *size, 1, room - *size, file);
    if (ferror(file)) return NULL;
    if (*size < room || room > most) return text;
    room       = 4 * room > most ? most + 1 : 4 * room;
    char *more = NsArenaAlloc(arena, room + 1);
    memcpy(more, text, *size);
    text = more;
  }
}

static void measure(const NsNode *node, long *values, size_t *text)
{
  *values += node->key ? 2 : 1;
  *text += (node->key ? strlen(node->key) : 0) + (node->text ? strlen(node->text) : 0);
  for (const NsNode *child = node->first; child; child = child->next) measure(child, values, text);
}

void NsTreeTame(NsNode *root, NsArena *arena)
{
  if (root->key) root->key = NsTextTame(root->key, arena);
  if (root->text) root->text = NsTextTame(root->text, arena);
  for (NsNode *child = root->first; child; child = child->next) NsTreeTame(child, arena);
}

bool NsTreeFits(const NsNode *root)
{
  long   values = 0;
  size_t text   = 0;

  measure(root, &values, &text);
  return values <= NS_TREE_MAX_NODES && text <= NS_TREE_MAX_TEXT;
}

/* place: where the file is named. */
static NsNode *read_file(const char *path, size_t most, NsPlace place, NsArena *arena, NsDiag *diag)
{
  FILE       *file = fopen(path, "rb");
  struct stat status;
  char       *text;
  size_t      size;
  int         error;

  if (!file && errno == ENOMEM) NsOutOfMemory();
  if (!file) {
    const char *reason  = strerror(errno);
    const char *nearest = errno == ENOENT ? nearest_file(path, arena) : NULL;

    NsDiagError(diag, place, "cannot open '%s': %s%s", path, reason, NsDidYouMean(nearest));
    return NULL;
  }
  if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
    NsDiagError(diag, place, "'%s' is a directory; a config is a file", path);
    fclose(file);
    return NULL;
  }
  text  = read_whole(file, most, arena, &size);
  error = text ? 0 : errno;
  fclose(file);
  if (error) {
    NsDiagError(diag, place, "cannot read '%s': %s", path, strerror(error));
    return NULL;
  }
  return read_text(path, text, size, most, arena, diag);
}

NsNode *NsTreeReadFile(const char *path, NsArena *arena, NsDiag *diag)
{
  return read_file(path, NS_TREE_MAX_BYTES, (NsPlace){NULL, 0, 0, 0}, arena, diag);
}

NsNode *NsTreeReadNamed(const char *path, NsPlace place, NsArena *arena, NsDiag *diag)
{
  return read_file(path, NS_TREE_MAX_BYTES, place, arena, diag);
}

NsNode *NsTreeReadOwn(const char *path, NsArena *arena, NsDiag *diag)
{
  return read_file(path, NS_TREE_MAX_OWN, (NsPlace){NULL, 0, 0, 0}, arena, diag);
}

/* A value from --set has no folder: that of the mapping around it is taken. */
const char *NsTreeFile(const NsNode *file, NsArena *arena)
{
  const char *name = "", *slash;

  if (file->text[0] == '/') return file->text;
  for (const NsNode *node = file; node; node = node->parent) {
    if (!node->place.source || strncmp(node->place.source->name, "--set", 5) == 0) continue;
    name = node->place.source->name;
    break;
  }
  slash = strrchr(name, '/');
  return slash ? NsArenaPrint(arena, "%.*s%s", (int)(slash - name + 1), name, file->text) : file->text;
}
