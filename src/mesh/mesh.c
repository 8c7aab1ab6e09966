/*
  The mesh of a body: its keys in the config, the checks that all sources have in common, numbering, named nodes.

  A source (line.c, lattice.c, gmsh.c) delivers nodes and elements in any order; here they are checked, renumbered (order.c) and copied to the arena.
*/
#include <math.h>
#include <string.h>
#include "mesh_private.h"

static const NsKey keys[] = {{"line", NS_KEY_TABLE, offsetof(NsMeshSettings, line), .table = &NsTable_Line, .help = "a straight line of elements",
                               .example = "{from: [0, 0, 0], to: [1 m, 0, 0], elements: 50}"},
  {"stations", NS_KEY_TABLE, offsetof(NsMeshSettings, stations), .table = &NsTable_Stations,
    .help =
      "a shaft defined by the lengths and diameters of its pieces, as on a drawing; nodes are where pieces end and where discs, bearings, contacts etc. are",
    .example = "[{length: 100 mm, diameter: 40 mm}, {length: 0.2 m, diameter: 60 mm, bore: 10 mm}]"},
  {"lattice", NS_KEY_TABLE, offsetof(NsMeshSettings, lattice), .table = &NsTable_Lattice,
    .help    = "a regular grid of elements in a plane or in space, with or without diagonals",
    .example = "{from: [0, 0, 0], to: [2 m, 1 m, 1 m], cells: [4, 2, 2], braces: faces}"},
  {"file", NS_KEY_STRING, offsetof(NsMeshSettings, file), .file = true, .space = NS_SPACE_FIXED,
    .help =
      "a Gmsh mesh of two-node lines (format 4.1 or 2.2, ASCII or binary), relative to the config's folder; its physical points are node sets, its "
      "physical curves element sets",
    .example = "../meshes/bar.msh"},
  {"group", NS_KEY_STRING, offsetof(NsMeshSettings, group), .help = "the physical curve of the file to use; default: all line elements",
    .example = "bar"},
  {"scale", NS_KEY_NUMBER, offsetof(NsMeshSettings, scale), .dimension = {1, 0, 0, 0}, .default_value = "1", .minimum = "0 <",
    .help = "unit of length of the file", .example = "1 mm"},
  {"nodes", NS_KEY_NAMED_NUMBERS, offsetof(NsMeshSettings, nodes), .dimension = {1, 0, 0, 0}, .minimum = "0",
    .help = "names for nodes, by their distance along the line from its first node", .example = "{middle: 0.5 m}"},
  {.name = NULL}};

static void check(const void *data, NsArena *arena, NsDiag *diag)
{
  static const char *const of_files[] = {"group", "scale", NULL};
  const NsMeshSettings    *settings   = data;

  (void)arena;
  for (int k = 0; !settings->file && of_files[k]; k++) {
    if (!NsTreeChild(settings->where, of_files[k])) continue;
    NsDiagError(diag, NsKeysPlace(settings->where, of_files[k]), "'%s' requires 'file'", of_files[k]);
  }
}

static const NsKey solid_keys[] = {
  {"box", NS_KEY_TABLE, offsetof(NsMeshSettings, box), .table = &NsTable_Box, .help = "a rectangle or box of equal elements",
    .example = "{from: [0, 0, 0], to: [40 mm, 20 mm, 20 mm], cells: [2, 1, 1]}"},
  {"file", NS_KEY_STRING, offsetof(NsMeshSettings, file), .file = true, .space = NS_SPACE_FIXED,
    .help =
      "a Gmsh mesh of triangles or quadrangles, of tetrahedra (also of ten nodes) or hexahedra (format 4.1 or 2.2, ASCII or binary), relative to the config's folder; its physical "
      "points, curves and surfaces are node sets, and those of the surface of the body carry pressures",
    .example = "../meshes/ball.msh"},
  {"group", NS_KEY_STRING, offsetof(NsMeshSettings, group),
    .help = "the physical volume (in the plane: surface) of the file to use; default: all elements", .example = "ball"},
  {"scale", NS_KEY_NUMBER, offsetof(NsMeshSettings, scale), .dimension = {1, 0, 0, 0}, .default_value = "1", .minimum = "0 <",
    .help = "unit of length of the file", .example = "1 mm"},
  {.name = NULL}};

const NsTable NsTable_SolidMesh = {.name = "solid_mesh",
  .help                                  = "nodes and elements of a solid body: a generated box, or a file",
  .keys                                  = solid_keys,
  .size                                  = sizeof(NsMeshSettings),
  .one_of                                = "box, file",
  .shorthand                             = "file",
  .check                                 = check};

const NsTable NsTable_Mesh = {.name = "mesh",
  .help                             = "nodes and two-node line elements of a body: a generated line, shaft or lattice, or a file",
  .keys                             = keys,
  .size                             = sizeof(NsMeshSettings),
  .one_of                           = "line, stations, lattice, file",
  .shorthand                        = "file",
  .check                            = check};

const char *NsMeshPoint(const NsMesh *mesh, PetscInt node, NsArena *arena)
{
  const PetscReal *x = mesh->x + 3 * (size_t)node;

  return NsArenaPrint(arena, "(%g, %g, %g)", x[0], x[1], x[2]);
}

static PetscReal element_length(const NsMesh *mesh, PetscInt e)
{
  const PetscReal *a = mesh->x + 3 * (size_t)mesh->connection[2 * e], *b = mesh->x + 3 * (size_t)mesh->connection[2 * e + 1];

  return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

#define NS_MESH_FARTHEST 1e150 /* m */

static bool is_near(const NsMesh *mesh, PetscReal *extent, NsPlace place, NsDiag *diag)
{
  *extent = 0;
  for (PetscInt k = 0; k < 3 * mesh->nodes; k++)
    if (!(fabs(mesh->x[k]) <= *extent)) *extent = fabs(mesh->x[k]); /* also NaN */
  if (*extent <= NS_MESH_FARTHEST) return true;
  NsDiagError(diag, place, "the mesh extends more than %g m from the origin, where squares of lengths overflow", NS_MESH_FARTHEST);
  return false;
}

/* An element shorter than the rounding of its nodes' coordinates has no defined direction. */
static bool elements_have_lengths(const NsMesh *mesh, NsPlace place, NsArena *arena, NsDiag *diag)
{
  PetscReal extent;
  PetscInt  bad = 0, first = 0;

  if (!is_near(mesh, &extent, place, diag)) return false;
  for (PetscInt e = 0; e < mesh->elements; e++)
    if (!(element_length(mesh, e) > 16 * PETSC_MACHINE_EPSILON * extent) && bad++ == 0) first = e;
  if (bad == 0) return true;
  NsDiagError(diag, place, "the element from %s to %s has zero length%s", NsMeshPoint(mesh, mesh->connection[2 * first], arena),
    NsMeshPoint(mesh, mesh->connection[2 * first + 1], arena), bad > 1 ? NsArenaPrint(arena, ", and %ld more like it", (long)(bad - 1)) : "");
  return false;
}

/* A body in the plane lies at z = 0 or another constant z. */
static bool lies_in_plane(const NsMesh *mesh, NsPlace place, NsArena *arena, NsDiag *diag)
{
  PetscReal size = 0;

  for (PetscInt k = 0; k < 3 * mesh->nodes; k++) size = PetscMax(size, fabs(mesh->x[k] - mesh->x[k % 3]));
  for (PetscInt i = 0; i < mesh->nodes && mesh->shape->dimension == 2; i++) {
    if (fabs(mesh->x[3 * i + 2] - mesh->x[2]) <= 1e-9 * size) continue;
    NsDiagError(diag, place, "the mesh does not lie in a plane z = constant: it has nodes at %s and %s m", NsMeshPoint(mesh, 0, arena),
      NsMeshPoint(mesh, i, arena));
    NsDiagNote(diag, "leave out `state` for a body in space, which needs tetrahedra or hexahedra (gmsh -3 geometry.geo)");
    return false;
  }
  return true;
}

/* The same checks of solids. */
static PetscErrorCode elements_have_volumes(NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag, bool *good)
{
  PetscReal extent;

  PetscFunctionBeginUser;
  *good = is_near(raw, &extent, place, diag) && lies_in_plane(raw, place, arena, diag) && NsMeshCheckCells(raw, number, place, arena, diag);
  if (*good) PetscCall(NsMeshCheckSides(raw, number, place, arena, diag, good));
  PetscFunctionReturn(0);
}

static int compare_integers(const void *a, const void *b)
{
  const PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;

  return (x > y) - (x < y);
}

/* new_of[old]; several old numbers may have become one. */
static void renumber_set(NsMeshSet *set, const PetscInt new_of[])
{
  PetscInt kept = 0;

  for (PetscInt k = 0; k < set->count; k++) set->items[k] = new_of[set->items[k]];
  qsort(set->items, (size_t)set->count, sizeof *set->items, compare_integers);
  for (PetscInt k = 0; k < set->count; k++)
    if (k == 0 || set->items[k] != set->items[k - 1]) set->items[kept++] = set->items[k];
  set->count = kept;
}

/* The lowest node of an element in the new numbering. */
static PetscInt first_node(const NsMesh *raw, PetscInt e, const PetscInt *node)
{
  const PetscInt *of    = raw->connection + raw->shape->nodes * e;
  PetscInt        first = node[of[0]];

  for (int k = 1; k < raw->shape->nodes; k++) first = PetscMin(first, node[of[k]]);
  return first;
}

/* Copies the raw mesh to the arena with nodes in the given order; elements follow their first node. A chain's elements all point along it. */
static PetscErrorCode renumber(const NsMesh *raw, const PetscInt order[], bool chain, NsArena *arena, NsMesh *mesh)
{
  const int n = raw->shape->nodes;
  PetscInt *node, *element, *start;

  PetscFunctionBeginUser;
  *mesh            = *raw;
  mesh->x          = NsArenaAlloc(arena, 3 * (size_t)raw->nodes * sizeof *mesh->x);
  mesh->connection = NsArenaAlloc(arena, (size_t)n * (size_t)raw->elements * sizeof *mesh->connection);
  PetscCall(PetscMalloc2(raw->nodes, &node, raw->elements, &element));
  for (PetscInt k = 0; k < raw->nodes; k++) {
    node[order[k]] = k;
    for (int d = 0; d < 3; d++) mesh->x[3 * k + d] = raw->x[3 * order[k] + d];
  }
  PetscCall(PetscCalloc1((size_t)raw->nodes + 1, &start));
  for (PetscInt e = 0; e < raw->elements; e++) start[first_node(raw, e, node) + 1]++;
  for (PetscInt k = 0; k < raw->nodes; k++) start[k + 1] += start[k];
  for (PetscInt e = 0; e < raw->elements; e++) {
    const PetscInt *of   = raw->connection + n * e;
    const bool      turn = chain && node[of[0]] > node[of[1]];
    element[e]           = start[first_node(raw, e, node)]++;
    for (int k = 0; k < n; k++) mesh->connection[n * element[e] + k] = node[of[turn ? 1 - k : k]];
  }
  for (PetscInt s = 0; s < mesh->node_sets; s++) renumber_set(&mesh->node_set[s], node);
  for (PetscInt s = 0; s < mesh->element_sets; s++) renumber_set(&mesh->element_set[s], element);
  for (PetscInt s = 0; s < mesh->side_sets; s++) {
    NsMeshSideSet *set = &mesh->side_set[s];
    for (PetscInt k = 0; k < set->count; k++) set->side[k][0] = element[set->side[k][0]];
    qsort(set->side, (size_t)set->count, sizeof(*set->side), compare_integers); /* by element: a side of it is there once */
  }
  PetscCall(PetscFree(start));
  PetscCall(PetscFree2(node, element));
  PetscFunctionReturn(0);
}

/* In long double: a sum of a million lengths keeps its last digits. */
static void measure(NsMesh *mesh, bool chain, NsArena *arena)
{
  long double sum = 0;

  if (chain) mesh->along = NsArenaAlloc(arena, (size_t)mesh->nodes * sizeof *mesh->along);
  for (PetscInt e = 0; e < mesh->elements; e++) {
    sum += element_length(mesh, e);
    if (chain) mesh->along[e + 1] = (PetscReal)sum;
  }
  mesh->length = (PetscReal)sum;
}

/* Nodes in the middles of the edges of sides. */
static PetscErrorCode list_middles(NsMesh *mesh, NsArena *arena)
{
  const NsMeshShape *side = mesh->shape->side_shape;
  bool              *is_middle;

  PetscFunctionBeginUser;
  if (!side || side->nodes == side->corners) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(mesh->nodes, &is_middle));
  for (PetscInt s = 0; s < mesh->side_sets; s++) {
    NsMeshSideSet *set   = &mesh->side_set[s];
    PetscInt       count = 0;
    for (PetscInt i = 0; i < mesh->nodes; i++) is_middle[i] = false;
    for (PetscInt k = 0; k < set->count; k++)
      for (int c = side->corners; c < side->nodes; c++)
        is_middle[mesh->connection[mesh->shape->nodes * set->side[k][0] + mesh->shape->side[set->side[k][1]][c]]] = true;
    for (PetscInt i = 0; i < mesh->nodes; i++) count += is_middle[i];
    set->middles = (NsMeshSet){set->name, 0, NsArenaAlloc(arena, (size_t)count * sizeof(*set->middles.items))};
    for (PetscInt i = 0; i < mesh->nodes; i++)
      if (is_middle[i]) set->middles.items[set->middles.count++] = i;
  }
  PetscCall(PetscFree(is_middle));
  PetscFunctionReturn(0);
}

static void measure_box(NsMesh *mesh)
{
  for (int d = 0; d < 3; d++) {
    PetscReal low = mesh->x[d], high = low;
    for (PetscInt i = 1; i < mesh->nodes; i++) {
      low  = PetscMin(low, mesh->x[3 * i + d]);
      high = PetscMax(high, mesh->x[3 * i + d]);
    }
    mesh->length = PetscMax(mesh->length, high - low);
  }
}

/* Room for `more` further sets. */
static void grow_sets(NsMeshSet **sets, PetscInt count, PetscInt more, NsArena *arena)
{
  NsMeshSet *grown = NsArenaAlloc(arena, (size_t)(count + more) * sizeof *grown);

  if (count) memcpy(grown, *sets, (size_t)count * sizeof *grown);
  *sets = grown;
}

/* `all` always means everything; a file's own group of this name may stay when it says the same. */
static bool add_all(NsMeshSet *sets, PetscInt *count, PetscInt total, const char *kind, NsPlace place, NsArena *arena, NsDiag *diag)
{
  NsMeshSet *set = &sets[*count];

  for (PetscInt s = 0; s < *count; s++) {
    if (strcmp(sets[s].name, "all") != 0) continue;
    if (sets[s].count == total) return true;
    NsDiagError(diag, place, "the physical %s 'all' of the file is only a part of the mesh", kind);
    NsDiagNote(diag, "'all' is the name of the whole mesh; rename the %s", kind);
    return false;
  }
  set->name  = "all";
  set->count = total;
  set->items = NsArenaAlloc(arena, (size_t)total * sizeof *set->items);
  for (PetscInt k = 0; k < total; k++) set->items[k] = k;
  ++*count;
  return true;
}

/* The node at a distance along the chain; -1 with a message if no node is there. */
static PetscInt node_at(const NsMesh *mesh, const char *name, double distance, NsPlace place, NsDiag *diag)
{
  PetscInt  e;
  PetscReal fraction, size;

  if (!NsMeshLocate(mesh, distance, &e, &fraction)) {
    NsDiagError(diag, place, "node '%s' at %g m is off the line, which is %g m long", name, distance, mesh->length);
    return -1;
  }
  size = mesh->along[e + 1] - mesh->along[e];
  for (PetscInt i = e; i <= e + 1; i++)
    if (fabs(distance - mesh->along[i]) <= 1e-6 * size) return i;
  NsDiagError(diag, place, "there is no node at %.10g m along the line for '%s'", distance, name);
  NsDiagNote(diag, "the nearest nodes are at %.10g m and %.10g m", mesh->along[e], mesh->along[e + 1]);
  return -1;
}

static void add_named_nodes(NsMesh *mesh, const NsMeshSettings *settings, NsArena *arena, NsDiag *diag)
{
  const NsNamedNumbers *nodes = &settings->nodes;

  if (nodes->count && !mesh->along) {
    NsDiagError(diag, NsKeysPlace(settings->where, "nodes"), "'nodes' needs a mesh that is one open line; this one %s",
      mesh->elements >= mesh->nodes ? "has a loop" : "branches");
    if (settings->file) NsDiagNote(diag, "name the node in the .geo file: Physical Point(\"%s\") = {1};", nodes->names[0]);
    return;
  }
  for (int k = 0; k < nodes->count; k++) {
    const NsPlace place = nodes->where[k]->place;
    const bool    known = NsMeshNodeSet(mesh, nodes->names[k]) != NULL;
    NsMeshSet    *set   = &mesh->node_set[mesh->node_sets];
    PetscInt      node;

    if (known) NsDiagError(diag, nodes->where[k]->key_place, "the mesh already has a node set '%s'", nodes->names[k]);
    node = node_at(mesh, nodes->names[k], nodes->values[k], place, diag);
    if (known || node < 0) continue;
    set->name     = nodes->names[k];
    set->count    = 1;
    set->items    = NsArenaAlloc(arena, sizeof *set->items);
    set->items[0] = node;
    mesh->node_sets++;
  }
}

/* From a source's raw mesh to the finished one. */
static PetscErrorCode finish(NsMesh *raw, const PetscInt *number, const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh **mesh)
{
  static const char *const kinds[] = {"curve", "surface", "volume"};
  const NsPlace            place   = NsKeysPlace(settings->where, settings->line       ? "line"
                                                                  : settings->stations ? "stations"
                                                                  : settings->lattice  ? "lattice"
                                                                  : settings->box      ? "box"
                                                                                       : "file");
  const int                before = NsDiagErrors(diag), dimension = raw->shape->dimension;
  NsMesh                  *made = NsArenaAlloc(arena, sizeof *made);
  PetscInt                *order;
  bool                     chain = false, good = true;

  PetscFunctionBeginUser;
  if (dimension == 1)
    good = elements_have_lengths(raw, place, arena, diag);
  else
    PetscCall(elements_have_volumes(raw, number, place, arena, diag, &good));
  if (!good) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(raw->nodes, &order));
  PetscCall(NsMeshOrder(raw, place, arena, diag, order, &chain, &good));
  if (good && dimension > 1 && settings->file) PetscCall(NsMeshWarnOfCoincidence(raw, number, place, arena, diag));
  if (good) PetscCall(renumber(raw, order, chain, arena, made));
  PetscCall(PetscFree(order));
  if (!good) PetscFunctionReturn(0);
  made->from_file = settings->file != NULL;
  if (dimension == 1)
    measure(made, chain, arena);
  else
    measure_box(made);
  PetscCall(list_middles(made, arena));
  grow_sets(&made->node_set, made->node_sets, settings->nodes.count + 1, arena);
  grow_sets(&made->element_set, made->element_sets, 1, arena);
  (void)add_all(made->node_set, &made->node_sets, made->nodes, dimension == 1 ? "point" : "group", place, arena, diag);
  (void)add_all(made->element_set, &made->element_sets, made->elements, kinds[dimension - 1], place, arena, diag);
  add_named_nodes(made, settings, arena, diag);
  if (NsDiagErrors(diag) == before) *mesh = made;
  PetscFunctionReturn(0);
}

static PetscErrorCode create(const NsMeshSettings *settings, int dimension, NsArena *arena, NsDiag *diag, NsMesh **mesh)
{
  NsMesh    raw    = {.shape = &NsMeshShape_Line2};
  PetscInt *number = NULL;

  PetscFunctionBeginUser;
  *mesh = NULL;
  if (settings->line)
    PetscCall(NsMeshRawLine(settings, arena, &raw));
  else if (settings->stations)
    PetscCall(NsMeshRawStations(settings, arena, &raw));
  else if (settings->lattice)
    PetscCall(NsMeshRawLattice(settings, arena, &raw));
  else if (settings->box)
    PetscCall(NsMeshRawBox(settings, arena, &raw));
  else
    PetscCall(NsMeshRawGmsh(settings, dimension, arena, diag, &raw, &number));
  if (raw.elements) PetscCall(finish(&raw, number, settings, arena, diag, mesh));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree2(raw.x, raw.connection));
  PetscFunctionReturn(0);
}

double NsMeshForesee(const NsNode *mesh, NsArena *arena)
{
  NsMeshSettings settings;

  if (!NsKeysRead(NsTreeChild(mesh, "box") ? &NsTable_SolidMesh : &NsTable_Mesh, mesh, &settings, arena, NsDiagCreate(arena))) return 0;
  return settings.line      ? (double)settings.line->elements
         : settings.lattice ? NsLatticeElements(settings.lattice)
         : settings.box     ? NsBoxElements(settings.box)
                            : 0;
}

PetscErrorCode NsMeshCreate(const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh **mesh)
{
  PetscFunctionBeginUser;
  PetscCall(create(settings, 1, arena, diag, mesh));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMeshCreateSolid(const NsMeshSettings *settings, int dimension, NsArena *arena, NsDiag *diag, NsMesh **mesh)
{
  PetscFunctionBeginUser;
  *mesh = NULL;
  if (settings->box && (settings->box->cells[2] > 0) != (dimension == 3)) {
    const NsPlace place = NsKeysPlace(settings->box->where, "cells");
    if (dimension == 3) {
      NsDiagError(diag, place, "a body in space needs cells along x, y and z");
      NsDiagNote(diag, "a body in the x-y plane has a `state`: plane_strain, plane_stress or axisymmetric");
    } else {
      NsDiagError(diag, place, "this body lies in the x-y plane (its `state`): it has no cells along z");
      NsDiagNote(diag, "cells: [%g, %g, 0], and the same z in `from` and `to`", settings->box->cells[0], settings->box->cells[1]);
    }
    PetscFunctionReturn(0);
  }
  PetscCall(create(settings, dimension, arena, diag, mesh));
  PetscFunctionReturn(0);
}

const NsMeshSideSet *NsMeshSides(const NsMesh *mesh, const char *name)
{
  for (PetscInt s = 0; s < mesh->side_sets; s++)
    if (strcmp(mesh->side_set[s].name, name) == 0) return &mesh->side_set[s];
  return NULL;
}

static const NsMeshSet *find(const NsMeshSet *sets, PetscInt count, const char *name)
{
  for (PetscInt s = 0; s < count; s++)
    if (strcmp(sets[s].name, name) == 0) return &sets[s];
  return NULL;
}

const NsMeshSet *NsMeshNodeSet(const NsMesh *mesh, const char *name)
{
  return find(mesh->node_set, mesh->node_sets, name);
}

const NsMeshSet *NsMeshElementSet(const NsMesh *mesh, const char *name)
{
  return find(mesh->element_set, mesh->element_sets, name);
}

const char *const *NsMeshSetNames(const NsMeshSet *sets, PetscInt count, NsArena *arena)
{
  const char **names = NsArenaAlloc(arena, (size_t)(count + 1) * sizeof *names);

  for (PetscInt s = 0; s < count; s++) names[s] = sets[s].name;
  return names;
}

const char *const *NsMeshNodeSetNames(const NsMesh *mesh, NsArena *arena)
{
  return NsMeshSetNames(mesh->node_set, mesh->node_sets, arena);
}

const char *NsMeshWords(const char *const *words, NsArena *arena)
{
  const char *text = "";

  for (int k = 0; words[k]; k++) text = NsArenaPrint(arena, "%s%s%s", text, k ? ", " : "", words[k]);
  return text;
}

void NsMeshNodeSetError(const NsMesh *mesh, const char *name, NsPlace place, NsArena *arena, NsDiag *diag)
{
  const char *const *names = NsMeshNodeSetNames(mesh, arena);

  NsDiagError(diag, place, "unknown node set '%s'%s", name, NsDidYouMean(NsNearestWord(name, names)));
  NsDiagNote(diag, "valid node sets: %s", NsMeshWords(names, arena));
  /* Only a generated line has its ends named; which end of a curve in a file is the left one is not defined. */
  if (mesh->from_file && (strcmp(name, "left") == 0 || strcmp(name, "right") == 0))
    NsDiagNote(diag, "the ends of a mesh from a file have the names that the file gives them: add Physical Point(\"%s\") = {1}; to the .geo file%s",
      name, mesh->along ? NsArenaPrint(arena, ", or `nodes: {%s: %g m}` below `mesh`", name, name[0] == 'l' ? 0 : mesh->length) : "");
}

void NsMeshElementSetError(const NsMesh *mesh, const char *name, NsPlace place, NsArena *arena, NsDiag *diag)
{
  const char *const *names = NsMeshSetNames(mesh->element_set, mesh->element_sets, arena);

  NsDiagError(diag, place, "unknown group '%s'%s", name, NsDidYouMean(NsNearestWord(name, names)));
  NsDiagNote(diag, "valid groups: %s", NsMeshWords(names, arena));
}

bool NsMeshLocate(const NsMesh *mesh, PetscReal distance, PetscInt *element, PetscReal *fraction)
{
  PetscInt  low = 0, high = mesh->elements - 1;
  PetscReal t;

  if (!mesh->along || !(distance >= -1e-9 * mesh->length && distance <= (1 + 1e-9) * mesh->length)) return false;
  while (low < high) { /* the first element that ends at the point or behind it */
    const PetscInt middle = low + (high - low) / 2;
    if (mesh->along[middle + 1] >= distance)
      high = middle;
    else
      low = middle + 1;
  }
  t         = (distance - mesh->along[low]) / (mesh->along[low + 1] - mesh->along[low]);
  *element  = low;
  *fraction = PetscMin(PetscMax(t, 0), 1);
  return true;
}
