/*
  A mesh from a Gmsh file: physical points become node sets, physical groups of the elements element sets, and what is outside the wanted group is left out.

  A file is read whole and only here; PETSc's DMPlex is not used, which loses names and nodes' groups, keeps four groups of a curve at most, and trusts its input.
*/
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "core/load.h"
#include "core/text.h"
#include "gmsh.h"

typedef struct {
  PetscInt   count;
  NsMeshSet *set; /* [count] by ascending tag */
} Groups;

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

/* Sets of one name in several dimensions are one. */
static Groups join_groups(const Groups *of_dimension, int dimensions, NsArena *arena)
{
  Groups   all   = {0, NULL};
  PetscInt count = 0;

  for (int d = 0; d < dimensions; d++) count += of_dimension[d].count;
  all.set = NsArenaAlloc(arena, (size_t)(count + 1) * sizeof *all.set);
  for (int d = 0; d < dimensions; d++) {
    for (PetscInt g = 0; g < of_dimension[d].count; g++) {
      const NsMeshSet *from = &of_dimension[d].set[g];
      NsMeshSet       *to   = all.set;
      while (to < all.set + all.count && strcmp(to->name, from->name) != 0) to++;
      if (to == all.set + all.count) {
        all.count++;
        *to = *from;
        continue;
      }
      PetscInt *items = NsArenaAlloc(arena, (size_t)(to->count + from->count) * sizeof *items);
      memcpy(items, to->items, (size_t)to->count * sizeof *items);
      memcpy(items + to->count, from->items, (size_t)from->count * sizeof *items);
      *to = (NsMeshSet){from->name, to->count + from->count, items};
    }
  }
  return all;
}

static int compare_sides(const void *a, const void *b)
{
  const PetscInt *x = a, *y = b;

  for (int k = 0; k < 2; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

/* The sides that the file names: those on the surface, once each. node[old]: -1 where the body does not have it. Sides between two elements are no part of a surface. */
static PetscErrorCode write_sides(const NsGmshMesh *file, const PetscInt *node, NsArena *arena, NsMesh *raw)
{
  const PetscInt  count = (PetscInt)file->side.count / 5;
  const PetscInt *item  = file->side.items;
  NsMeshSide     *sides;

  PetscFunctionBeginUser;
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsMeshListSides(raw, &sides));
  raw->side_set = NsArenaAlloc(arena, (size_t)(file->names + (int)file->node_group[file->dimension - 1].count + 1) * sizeof *raw->side_set);
  for (PetscInt k = 0; k < count; k++, item += 5) {
    const char       *name = group_name(file, file->dimension - 1, item[0], arena);
    NsMeshSideSet    *set  = raw->side_set;
    const NsMeshSide *found;
    PetscInt          corner[4];
    bool              here = true;
    for (int c = 0; c < 4; c++) {
      corner[c] = item[1 + c] < 0 ? -1 : node[item[1 + c]];
      here      = here && (item[1 + c] < 0 || corner[c] >= 0);
    }
    if (!here || NsMeshFindSide(raw, sides, corner, &found) != 1) continue;
    while (set < raw->side_set + raw->side_sets && strcmp(set->name, name) != 0) set++;
    if (set == raw->side_set + raw->side_sets) {
      *set = (NsMeshSideSet){name, 0, NsArenaAlloc(arena, sizeof(*set->side) * (size_t)(count - k))};
      raw->side_sets++;
    }
    set->side[set->count][0]   = found->element;
    set->side[set->count++][1] = found->side;
  }
  for (PetscInt s = 0; s < raw->side_sets; s++) { /* in format 2.2 a side in two groups of one name is there twice */
    NsMeshSideSet *set  = &raw->side_set[s];
    PetscInt       kept = 0;
    qsort(set->side, (size_t)set->count, sizeof(*set->side), compare_sides);
    for (PetscInt k = 0; k < set->count; k++)
      if (k == 0 || compare_sides(&set->side[k - 1], &set->side[k]) != 0) memmove(set->side[kept++], set->side[k], sizeof(*set->side));
    set->count = kept;
  }
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(0);
}

/* The elements of the wanted group and their nodes, in metres. */
static PetscErrorCode write_mesh(
  const NsGmshMesh *file, Groups points, Groups groups, const NsMeshSet *wanted, PetscReal scale, NsArena *arena, NsMesh *raw, PetscInt **number)
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
  PetscCall(PetscMalloc1(raw->elements, number));
  for (PetscInt e = 0; e < file->elements; e++)
    if (element[e] >= 0) (*number)[element[e]] = file->number.items[e];
  write_sets(points, node, &raw->node_sets, &raw->node_set);
  write_sets(groups, element, &raw->element_sets, &raw->element_set);
  raw->shape = file->shape;
  if (file->dimension > 1) PetscCall(write_sides(file, node, arena, raw));
  PetscCall(PetscFree2(element, node));
  PetscFunctionReturn(0);
}

/* Without a wanted group every physical point should be on the mesh. names: those in the file. */
static void warn_of_lost_points(const char *const *names, const NsMesh *raw, const NsMeshSettings *settings, NsPlace place, NsDiag *diag)
{
  for (int g = 0; names[g]; g++) {
    bool found = false;
    for (PetscInt s = 0; s < raw->node_sets; s++) found = found || strcmp(raw->node_set[s].name, names[g]) == 0;
    if (!found)
      NsDiagWarning(diag, place,
        raw->shape->dimension == 1 ? "the physical point '%s' of '%s' is not on any line and is ignored"
                                   : "the physical group '%s' of '%s' has no node of an element and is ignored",
        names[g], settings->file);
  }
}

/* The wanted group; NULL with a message. */
static const NsMeshSet *find_group(const NsMeshSettings *settings, const NsGmshMesh *mesh, Groups points, Groups groups, NsArena *arena, NsDiag *diag)
{
  const NsPlace            place   = NsKeysPlace(settings->where, "group");
  static const char *const kinds[] = {"curve", "surface", "volume"}, *const geo[] = {"Curve", "Surface", "Volume"};
  const char        *group = settings->group, *file = settings->file, *kind = kinds[mesh->dimension - 1];
  const char *const *names = NsMeshSetNames(groups.set, groups.count, arena);

  for (PetscInt g = 0; g < groups.count; g++)
    if (strcmp(names[g], group) == 0) return &groups.set[g];
  for (int k = 0; k < mesh->names; k++) {
    if (mesh->name[k].dimension != mesh->dimension || strcmp(mesh->name[k].name, group) != 0) continue;
    NsDiagError(diag, place, "the group '" NS_CLIP "' of '%s' has no elements", NsClip(group), file);
    NsDiagNote(diag, "its %ss were not meshed: gmsh -%d geometry.geo", kind, mesh->dimension);
    return NULL;
  }
  if (!groups.count) {
    NsDiagError(diag, place, "'%s' has no physical %ss, so there is no group '" NS_CLIP "'", file, kind, NsClip(group));
    NsDiagNote(diag, "leave out `group` to take all %s, or add Physical %s(\"" NS_CLIP "\") = {1}; to the .geo file and mesh again",
      mesh->dimension == 1 ? "lines" : "elements", geo[mesh->dimension - 1], NsClip(group));
    return NULL;
  }
  NsDiagError(diag, place, "unknown group '" NS_CLIP "' in '%s'%s", NsClip(group), file, NsDidYouMean(NsNearestWord(group, names)));
  for (PetscInt g = 0; g < points.count; g++)
    if (strcmp(points.set[g].name, group) == 0)
      NsDiagNote(diag, "'%s' is a physical %s; a group is a physical %s", group, mesh->dimension == 1 ? "point" : "group of a lower dimension", kind);
  NsDiagNote(diag, "valid groups: %s", NsMeshWords(names, arena));
  return NULL;
}

static PetscErrorCode make_mesh(
  NsGmshMesh *file, const NsMeshSettings *settings, NsPlace place, NsArena *arena, NsDiag *diag, NsMesh *raw, PetscInt **number)
{
  const NsMeshSet *wanted = NULL;
  Groups           below[3];

  PetscFunctionBeginUser;
  if (!file->elements && file->dimension > 1) {
    NsDiagError(diag, place, "'%s' has no %s", settings->file, file->dimension == 2 ? "triangles or quadrangles" : "tetrahedra or hexahedra");
    NsDiagNote(diag,
      "mesh the %s (gmsh -%d geometry.geo); as soon as there is a physical group, Gmsh saves only elements of physical groups: add Physical %s(\"body\") = {1};",
      file->dimension == 2 ? "surfaces" : "volumes", file->dimension, file->dimension == 2 ? "Surface" : "Volume");
    PetscFunctionReturn(0);
  }
  if (!file->elements) {
    NsDiagError(diag, place, "'%s' has no line elements", settings->file);
    NsDiagNote(diag,
      "mesh the curves (gmsh -1 geometry.geo); as soon as there is a physical group, Gmsh saves only elements of physical groups: add Physical Curve(\"bar\") = {1};");
    PetscFunctionReturn(0);
  }
  for (int d = 0; d < file->dimension; d++) below[d] = make_groups(file, &file->node_group[d], d, arena);
  const Groups       points = join_groups(below, file->dimension, arena), groups = make_groups(file, &file->element_group, file->dimension, arena);
  const char *const *names = NsMeshSetNames(points.set, points.count, arena);
  if (settings->group) wanted = find_group(settings, file, points, groups, arena, diag);
  if (settings->group && !wanted) PetscFunctionReturn(0);
  PetscCall(write_mesh(file, points, groups, wanted, settings->scale, arena, raw, number));
  if (!wanted) warn_of_lost_points(names, raw, settings, place, diag);
  PetscFunctionReturn(0);
}

PetscErrorCode NsMeshRawGmsh(const NsMeshSettings *settings, int dimension, NsArena *arena, NsDiag *diag, NsMesh *raw, PetscInt **number)
{
  const NsNode  *node  = NsTreeChild(settings->where, "file"); /* NULL: `mesh: bar.msh`, where the mesh itself is the name */
  const NsPlace  place = NsKeysPlace(settings->where, "file");
  const char    *path  = NsTreeFile(node ? node : settings->where, arena), *reason;
  NsGmshMesh     file;
  size_t         size;
  char          *text  = NsFileLoad(path, &size, &reason);
  const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(plain); /* strtod reads numbers as the locale writes them */
  bool           good;

  PetscFunctionBeginUser;
  if (!text) {
    NsDiagError(diag, place, "cannot read the mesh file '%s': %s", settings->file, reason);
    if (strcmp(path, settings->file) != 0) NsDiagNote(diag, "looked for %s", path);
  } else {
    good = NsGmshRead(path, text, size, dimension, arena, diag, &file);
    free(text);
    if (good) PetscCall(make_mesh(&file, settings, place, arena, diag, raw, number));
    NsGmshFree(&file);
  }
  uselocale(before);
  freelocale(plain);
  PetscFunctionReturn(0);
}
