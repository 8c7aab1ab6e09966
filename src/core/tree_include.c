/* include: other files that a config is made of. */
#include "core/text.h"
#include "core/tree_internal.h"
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 8, MOST_FILES = 100 };

typedef struct {
  const char *file[MOST_FILES + 1];
  int         files, depth;
  NsArena    *arena;
  NsDiag     *diag;
} Reader;

static bool read_includes(Reader *reader, NsNode *root);

static bool read_one(Reader *reader, NsNode *root, const NsNode *name)
{
  const char *path;
  struct stat status;
  NsNode     *other;
  const int   errors = NsDiagErrors(reader->diag);

  if (name->kind != NS_NODE_SCALAR || !*name->text) {
    NsDiagError(reader->diag, name->kind == NS_NODE_SCALAR ? name->key_place : name->place, "expected the name of a file, or a list of names");
    return false;
  }
  path = NsTreeFile(name, reader->arena);
  if (reader->depth == MOST_DEPTH || reader->files == MOST_FILES) {
    NsDiagError(reader->diag, name->place, reader->depth == MOST_DEPTH ? "files that include each other, more than %d deep" : "more than %d files",
      reader->depth == MOST_DEPTH ? MOST_DEPTH : MOST_FILES);
    return false;
  }
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) { /* a pipe would be waited for */
    NsDiagError(reader->diag, name->place, "cannot read the file '" NS_CLIP "': it is not a regular file", NsClip(name->text));
    return false;
  }
  reader->file[reader->files++] = path;
  other                         = NsTreeReadNamed(path, name->place, reader->arena, reader->diag);
  if (!other) {
    if (NsDiagErrors(reader->diag) > errors)
      NsDiagNote(reader->diag, "included by %s, line %d", name->place.source ? name->place.source->name : "", name->place.line);
    return false;
  }
  if (other->kind != NS_NODE_MAP) {
    NsDiagError(reader->diag, other->place, "expected a mapping, as in a config");
    return false;
  }
  reader->depth++;
  const bool good = read_includes(reader, other);
  reader->depth--;
  if (!good || NsTreeFill(root, other, true, reader->arena) >= 0) return good;
  NsDiagError(reader->diag, name->place, "too many keys to be merged");
  return false;
}

/* Files named first win. */
static bool read_includes(Reader *reader, NsNode *root)
{
  NsNode **at   = &root->first, *include;
  bool     good = true;

  while (*at && strcmp((*at)->key, "include")) at = &(*at)->next;
  if (!*at) return true;
  include = *at;
  *at     = include->next;
  root->count--;
  if (include->kind != NS_NODE_LIST) return read_one(reader, root, include);
  for (const NsNode *item = include->first; item; item = item->next) good = read_one(reader, root, item) && good;
  return good;
}

bool NsTreeInclude(NsNode *root, const char *const **files, NsArena *arena, NsDiag *diag)
{
  Reader    *reader = NsArenaAlloc(arena, sizeof(*reader));
  const bool good   = (reader->arena = arena, reader->diag = diag, root->kind != NS_NODE_MAP) || read_includes(reader, root);

  *files = reader->file;
  if (!good || NsTreeFits(root)) return good;
  NsDiagError(
    diag, (NsPlace){root->place.source, 0, 0, 0}, "with the files that it includes it holds more than 100000 values, or more than 2 MB of text");
  return false;
}
