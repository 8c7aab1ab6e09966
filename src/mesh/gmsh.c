/*
  A mesh from a Gmsh file: physical points become node sets, physical groups of the elements element sets, and what is outside the wanted group is left out.

  A file is read whole and only here; PETSc's DMPlex is not used, which loses names and nodes' groups, keeps four groups of a curve at most, and trusts its input.
*/
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/out_of_memory.h"
#include "core/text.h"
#include "gmsh.h"

typedef struct {
  PetscInt   count;
  NsMeshSet *set; /* [count] by ascending tag */
} Groups;

/* The whole file with a NUL behind it, to be freed; NULL with the reason. */
static char *load(const char *path, size_t *size, const char **reason)
{
  struct stat status;
  FILE       *file = fopen(path, "rb");
  char       *text = NULL;

  *size   = 0;
  *reason = NULL;
  if (!file && errno == ENOMEM) NsOutOfMemory();
  if (!file || fstat(fileno(file), &status) != 0)
    *reason = strerror(errno);
  else if (!S_ISREG(status.st_mode))
    *reason = S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file";
  else {
    text = malloc((size_t)status.st_size + 1);
    if (!text) NsOutOfMemory();
    *size = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file)) *reason = strerror(errno);
    text[*size] = '\0';
  }
  if (file) fclose(file);
  if (*reason) {
    free(text);
    text = NULL;
  }
  return text;
}

static int compare_pairs(const void *a, const void *b)
{
  const PetscInt *x = a, *y = b;

  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static const char *group_name(const NsGmshMesh *file, int dimension, PetscInt tag, NsArena *arena)
{
  for (int k = 0; k < file->names; k++)
    if (file->name[k].dimension == dimension && file->name[k].tag == tag) return file->name[k].name;
  return NsArenaPrint(arena, "%ld", (long)tag);
}

/* The groups of pairs (tag, item), which are sorted for it; two tags of one name are one group. */
static Groups make_groups(const NsGmshMesh *file, NsGmshList *list, int dimension, NsArena *arena)
{
  const size_t    pairs  = list->count / 2;
  const PetscInt *pair   = list->items;
  Groups          groups = {0, NULL};
  PetscInt        tags   = 0;

  if (pairs) qsort(list->items, pairs, 2 * sizeof *list->items, compare_pairs);
  for (size_t k = 0; k < pairs; k++) tags += k == 0 || pair[2 * k] != pair[2 * k - 2];
  groups.set = NsArenaAlloc(arena, (size_t)(tags + 1) * sizeof *groups.set);
  for (size_t first = 0, end; first < pairs; first = end) {
    const char *name = group_name(file, dimension, pair[2 * first], arena);
    NsMeshSet  *set  = groups.set;
    PetscInt   *items;

    for (end = first; end < pairs && pair[2 * end] == pair[2 * first];) end++;
    while (set < groups.set + groups.count && strcmp(set->name, name) != 0) set++;
    if (set == groups.set + groups.count) groups.count++;
    items = NsArenaAlloc(arena, ((size_t)set->count + end - first) * sizeof *items);
    if (set->count) memcpy(items, set->items, (size_t)set->count * sizeof *items);
    for (size_t k = first; k < end; k++) items[(size_t)set->count + k - first] = pair[2 * k + 1];
    *set = (NsMeshSet){name, set->count + (PetscInt)(end - first), items};
  }
  return groups;
}

/* What is left of the sets when items are dropped and renumbered (new_of[old], -1: dropped); empty ones go. */
static void write_sets(Groups groups, const PetscInt new_of[], PetscInt *count, NsMeshSet **sets)
{
  *count = 0;
  *sets  = groups.set;
  for (PetscInt g = 0; g < groups.count; g++) {
    NsMeshSet set  = groups.set[g];
    PetscInt  kept = 0;

    for (PetscInt k = 0; k < set.count; k++)
      if (new_of[set.items[k]] >= 0) set.items[kept++] = new_of[set.items[k]];
    set.count = kept;
    if (kept) (*sets)[(*count)++] = set;
  }
}

/* Elements by their nodes, ascending, and then in the file's order. */
typedef struct {
  int             nodes;
  const PetscInt *sorted; /* [elements, nodes] */
} ByNodes;

static int compare_nodes(const ByNodes *by, PetscInt a, PetscInt b)
{
  for (int k = 0; k < by->nodes; k++) {
    const PetscInt x = by->sorted[by->nodes * a + k], y = by->sorted[by->nodes * b + k];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static int compare_elements(const void *a, const void *b, void *by)
{
  const PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;
  const int      order = compare_nodes(by, x, y);

  return order ? order : (x > y) - (x < y);
}

/* In format 2.2 an element in several groups is written once for each: joined[e] is the first of such copies of element e, otherwise e itself. A copy for the same group is a
   mistake and stays, to be found later. */
static PetscErrorCode join_copies(const NsGmshMesh *file, PetscInt joined[])
{
  const int nodes = file->shape->nodes;
  PetscInt *tag, *order, *sorted;
  ByNodes   by;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(file->elements, &tag));
  PetscCall(PetscMalloc2(file->elements, &order, (size_t)nodes * (size_t)file->elements, &sorted));
  for (size_t k = 0; k < file->element_group.count; k += 2) tag[file->element_group.items[k + 1]] = file->element_group.items[k];
  PetscCall(PetscArraycpy(sorted, file->connection.items, (size_t)nodes * (size_t)file->elements));
  for (PetscInt e = 0; e < file->elements; e++) {
    PetscCall(PetscSortInt(nodes, sorted + (size_t)nodes * (size_t)e));
    order[e] = joined[e] = e;
  }
  by = (ByNodes){nodes, sorted};
  qsort_r(order, (size_t)file->elements, sizeof *order, compare_elements, &by);
  for (PetscInt k = 0, first = 0; k < file->elements; k++) {
    if (compare_nodes(&by, order[first], order[k]) != 0) first = k;
    if (tag[order[k]] != tag[order[first]]) joined[order[k]] = order[first];
  }
  PetscCall(PetscFree2(order, sorted));
  PetscCall(PetscFree(tag));
  PetscFunctionReturn(0);
}

/* Element new_of[e] for element e, -1 for those outside the wanted group. */
static PetscErrorCode keep_elements(const NsGmshMesh *file, const NsMeshSet *wanted, PetscInt new_of[], PetscInt *kept)
{
  PetscInt *joined;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(file->elements, &joined));
  for (PetscInt e = 0; e < file->elements; e++) joined[e] = e;
  if (file->version22) PetscCall(join_copies(file, joined));
  for (PetscInt e = 0; e < file->elements; e++) new_of[e] = wanted ? -1 : 0;
  for (PetscInt k = 0; wanted && k < wanted->count; k++) new_of[joined[wanted->items[k]]] = 0;
  *kept = 0;
  for (PetscInt e = 0; e < file->elements; e++) /* the first copy comes first */
    if (joined[e] != e)
      new_of[e] = new_of[joined[e]];
    else if (new_of[e] >= 0)
      new_of[e] = (*kept)++;
  PetscCall(PetscFree(joined));
  PetscFunctionReturn(0);
}

/* The elements of the wanted group and their nodes, in metres. */
static PetscErrorCode write_mesh(const NsGmshMesh *file, Groups points, Groups groups, const NsMeshSet *wanted, PetscReal scale, NsMesh *raw)
{
  const int       nodes = file->shape->nodes;
  const PetscInt *from  = file->connection.items;
  PetscInt       *element, *node, *to;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(file->elements, &element, file->nodes, &node));
  PetscCall(keep_elements(file, wanted, element, &raw->elements));
  for (PetscInt i = 0; i < file->nodes; i++) node[i] = -1;
  for (PetscInt k = 0; k < nodes * file->elements; k++)
    if (element[k / nodes] >= 0) node[from[k]] = 0;
  for (PetscInt i = 0; i < file->nodes; i++)
    if (node[i] >= 0) node[i] = raw->nodes++;
  PetscCall(PetscMalloc2(3 * (size_t)raw->nodes, &raw->x, (size_t)nodes * (size_t)raw->elements, &raw->connection));
  for (PetscInt i = 0; i < file->nodes; i++)
    for (int d = 0; d < 3 && node[i] >= 0; d++) raw->x[3 * node[i] + d] = scale * file->x[3 * i + d];
  to = raw->connection;
  for (PetscInt k = 0, next = 0; k < nodes * file->elements; k++) {
    if (element[k / nodes] != next) continue; /* outside the group, or a copy of an earlier one */
    *to++ = node[from[k]];
    next += k % nodes == nodes - 1;
  }
  write_sets(points, node, &raw->node_sets, &raw->node_set);
  write_sets(groups, element, &raw->element_sets, &raw->element_set);
  raw->shape = file->shape;
  PetscCall(PetscFree2(element, node));
  PetscFunctionReturn(0);
}

/* Without a wanted group every physical point should be on the mesh. names: those in the file. */
static void warn_of_lost_points(const char *const *names, const NsMesh *raw, const NsMeshSettings *settings, NsPlace place, NsDiag *diag)
{
  for (int g = 0; names[g]; g++) {
    bool found = false;
    for (PetscInt s = 0; s < raw->node_sets; s++) found = found || strcmp(raw->node_set[s].name, names[g]) == 0;
    if (!found) NsDiagWarning(diag, place, "the physical point '%s' of '%s' is not on any line and is ignored", names[g], settings->file);
  }
}

/* The wanted group; NULL with a message. */
static const NsMeshSet *find_group(const NsMeshSettings *settings, const NsGmshMesh *mesh, Groups points, Groups groups, NsArena *arena, NsDiag *diag)
{
  const NsPlace      place = NsKeysPlace(settings->where, "group");
  const char        *group = settings->group, *file = settings->file;
  const char *const *names = NsMeshSetNames(groups.set, groups.count, arena);

  for (PetscInt g = 0; g < groups.count; g++)
    if (strcmp(names[g], group) == 0) return &groups.set[g];
  for (int k = 0; k < mesh->names; k++) {
    if (mesh->name[k].dimension != mesh->shape->dimension || strcmp(mesh->name[k].name, group) != 0) continue;
    NsDiagError(diag, place, "the group '" NS_CLIP "' of '%s' has no elements", NsClip(group), file);
    NsDiagNote(diag, "its curves were not meshed: gmsh -1 geometry.geo");
    return NULL;
  }
  if (!groups.count) {
    NsDiagError(diag, place, "'%s' has no physical curves, so there is no group '" NS_CLIP "'", file, NsClip(group));
    NsDiagNote(
      diag, "leave out `group` to take all lines, or add Physical Curve(\"" NS_CLIP "\") = {1}; to the .geo file and mesh again", NsClip(group));
    return NULL;
  }
  NsDiagError(diag, place, "unknown group '" NS_CLIP "' in '%s'%s", NsClip(group), file, NsDidYouMean(NsNearestWord(group, names)));
  for (PetscInt g = 0; g < points.count; g++)
    if (strcmp(points.set[g].name, group) == 0) NsDiagNote(diag, "'%s' is a physical point; a group is a physical curve", group);
  NsDiagNote(diag, "valid groups: %s", NsMeshWords(names, arena));
  return NULL;
}

static PetscErrorCode make_mesh(NsGmshMesh *file, const NsMeshSettings *settings, NsPlace place, NsArena *arena, NsDiag *diag, NsMesh *raw)
{
  const NsMeshSet *wanted = NULL;

  PetscFunctionBeginUser;
  if (!file->elements) {
    NsDiagError(diag, place, "'%s' has no line elements", settings->file);
    NsDiagNote(diag,
      "mesh the curves (gmsh -1 geometry.geo); as soon as there is a physical group, Gmsh saves only elements of physical groups: add Physical Curve(\"bar\") = {1};");
    PetscFunctionReturn(0);
  }
  const Groups points      = make_groups(file, &file->node_group, 0, arena),
               groups      = make_groups(file, &file->element_group, file->shape->dimension, arena);
  const char *const *names = NsMeshSetNames(points.set, points.count, arena);
  if (settings->group) wanted = find_group(settings, file, points, groups, arena, diag);
  if (settings->group && !wanted) PetscFunctionReturn(0);
  PetscCall(write_mesh(file, points, groups, wanted, settings->scale, raw));
  if (!wanted) warn_of_lost_points(names, raw, settings, place, diag);
  PetscFunctionReturn(0);
}

PetscErrorCode NsMeshRawGmsh(const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh *raw)
{
  const NsNode  *node  = NsTreeChild(settings->where, "file"); /* NULL: `mesh: bar.msh`, where the mesh itself is the name */
  const NsPlace  place = NsKeysPlace(settings->where, "file");
  const char    *path  = NsTreeFile(node ? node : settings->where, arena), *reason;
  NsGmshMesh     file;
  size_t         size;
  char          *text  = load(path, &size, &reason);
  const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(plain); /* strtod reads numbers as the locale writes them */
  bool           good;

  PetscFunctionBeginUser;
  if (!text) {
    NsDiagError(diag, place, "cannot read the mesh file '%s': %s", settings->file, reason);
    if (strcmp(path, settings->file) != 0) NsDiagNote(diag, "looked for %s", path);
  } else {
    good = NsGmshRead(path, text, size, arena, diag, &file);
    free(text);
    if (good) PetscCall(make_mesh(&file, settings, place, arena, diag, raw));
    NsGmshFree(&file);
  }
  uselocale(before);
  freelocale(plain);
  PetscFunctionReturn(0);
}
