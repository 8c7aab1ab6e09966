/*
  Matrices: a body of which mass and stiffness are known as matrices, made by another program.

      M q'' + (C + a M + b K) q' + K q = f

  Its nodes have displacements along x, y (and z), and rotations where the matrices have them. DOF that the matrices do not have are held. Its couplings (src/fe/elements/coupling.h) are the
  pairs of nodes that an entry of the matrices joins; so it takes part in everything that bodies of elements do.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "fe/elements/coupling.h"
#include "fe/matrices/matrices.h"
#include "line_body.h"

typedef struct {
  const NsNode *where;
  const char   *file;
  const NsNode *names;
} NsMatrixNodesSettings;

typedef struct {
  const NsNode *where;
  double        length, mass, time; /* m, kg, s */
} NsMatrixUnitsSettings;

typedef struct {
  const NsNode                *where;
  const char                  *stiffness, *mass, *damping_matrix, *unknowns;
  const NsMatrixNodesSettings *nodes;
  const NsMatrixUnitsSettings *units;
  const NsDamping             *damping;
  const NsInitial             *initial;
} NsMatricesSettings;

static const NsKey nodes_keys[] = {
  {"file", NS_KEY_STRING, offsetof(NsMatrixNodesSettings, file), .required = true,
    .help    = "coordinates and sets of nodes: a deck of CalculiX or Abaqus (*NODE, *NSET, *ELEMENT, *INCLUDE), or a Gmsh mesh (name.msh)",
    .example = "beam.inp"},
  {"names", NS_KEY_MAPPING, offsetof(NsMatrixNodesSettings, names), .help = "further names for nodes by their numbers in the file, one or a list",
    .example = "{tip: [188, 190], sensor: 1353}"},
  {NULL},
};
static const NsTable nodes_table = {
  "matrix_nodes", "nodes of a body given by matrices", nodes_keys, sizeof(NsMatrixNodesSettings), .shorthand = "file"};

static const NsKey units_keys[] = {
  {"length", NS_KEY_NUMBER, offsetof(NsMatrixUnitsSettings, length), .dimension = {1, 0, 0, 0}, .default_value = "1 m", .minimum = "0 <",
    .help = "unit of length of all files", .example = "1 mm"},
  {"mass", NS_KEY_NUMBER, offsetof(NsMatrixUnitsSettings, mass), .dimension = {0, 1, 0, 0}, .default_value = "1 kg", .minimum = "0 <",
    .help = "unit of mass; t with mm, s and N", .example = "1 t"},
  {"time", NS_KEY_NUMBER, offsetof(NsMatrixUnitsSettings, time), .dimension = {0, 0, 1, 0}, .default_value = "1 s", .minimum = "0 <",
    .help = "unit of time", .example = "1 s"},
  {NULL},
};
static const NsTable units_table = {"matrix_units", "units of the files of a body given by matrices", units_keys, sizeof(NsMatrixUnitsSettings)};

static const NsKey matrices_keys[] = {
  {"stiffness", NS_KEY_STRING, offsetof(NsMatricesSettings, stiffness), .required = true,
    .help = "file of the stiffness matrix: Matrix Market, CalculiX (.sti) or Abaqus (*MATRIX OUTPUT, FORMAT=MATRIX INPUT)", .example = "beam.sti"},
  {"mass", NS_KEY_STRING, offsetof(NsMatricesSettings, mass), .required = true, .help = "file of the mass matrix, of the same kinds",
    .example = "beam.mas"},
  {"damping_matrix", NS_KEY_STRING, offsetof(NsMatricesSettings, damping_matrix), .help = "file of a damping matrix, of the same kinds",
    .example = "beam.dam"},
  {"unknowns", NS_KEY_STRING, offsetof(NsMatricesSettings, unknowns),
    .help =
      "file with the node and direction of each row, `12.3` a line: 1, 2, 3 for x, y, z, 4, 5, 6 for rotations about them (CalculiX .dof); default: x, y, z of all nodes in the "
      "order of their file. Abaqus files need none",
    .example = "beam.dof"},
  {"nodes", NS_KEY_TABLE, offsetof(NsMatricesSettings, nodes), .table = &nodes_table, .required = true, .help = "coordinates and names of nodes",
    .example = "{file: beam.inp}"},
  {"units", NS_KEY_TABLE, offsetof(NsMatricesSettings, units), .table = &units_table, .default_value = "{}",
    .help = "units of the files; default: SI", .example = "{length: 1 mm, mass: 1 t, time: 1 s}"},
  {"damping", NS_KEY_TABLE, offsetof(NsMatricesSettings, damping), .table = &NsTable_Damping,
    .help = "internal damping, beside that of damping_matrix", .example = "{rayleigh: {stiffness: 5 ns}}"},
  {"initial", NS_KEY_TABLE, offsetof(NsMatricesSettings, initial), .table = &NsTable_Initial, .help = "state at the start",
    .example = "{velocity: [-0.1 m/s, 0, 0]}"},
  {NULL},
};
static const NsTable matrices_table = {"matrices", "body given by its matrices", matrices_keys, sizeof(NsMatricesSettings)};

/* The mesh, and what it was made from. */
typedef struct {
  NsMesh       mesh; /* first: NsFeBody.mesh is this */
  NsMatrixDofs dofs;
  PetscInt    *node_of;    /* [dofs] */
  PetscInt     directions; /* 2, 3 or 6 DOF a node */
  long        *number;     /* [nodes] in the file */
  NsSparse     K, M, C;    /* in the DOF of the files, SI; C may have no rows */
  PetscBool   *drawn;      /* [elements] */
  PetscBool    clamped;    /* the file has nodes without DOF */
} Source;

/* ---- files -------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  long     number;
  PetscInt index;
} Numbered;

static int compare_numbered(const void *a, const void *b)
{
  const Numbered *x = a, *y = b;

  return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : (x->index > y->index) - (x->index < y->index);
}

/* [count] sorted; to be freed. */
static PetscErrorCode index_numbers(PetscInt count, const long *number, Numbered **result)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(count, result));
  for (PetscInt i = 0; i < count; i++) (*result)[i] = (Numbered){number[i], i};
  qsort(*result, (size_t)count, sizeof(**result), compare_numbered);
  PetscFunctionReturn(0);
}

/* -1: not there. */
static PetscInt find_number(PetscInt count, const Numbered *sorted, long number)
{
  PetscInt low = 0, high = count;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (sorted[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && sorted[low].number == number ? sorted[low].index : -1;
}

static void all_dofs(const NsNumberedNodes *nodes, NsMatrixDofs *dofs)
{
  dofs->item = NsMatrixGrow(NULL, 0, 3 * nodes->nodes, &dofs->capacity, sizeof(*dofs->item));
  for (PetscInt i = 0; i < 3 * nodes->nodes; i++) dofs->item[i] = (NsMatrixDof){nodes->number[i / 3], (int)(i % 3) + 1};
  dofs->count = 3 * nodes->nodes;
}

/* Whether a file has named entries (Abaqus): its first line has a comma or is a keyword. */
static PetscBool names_its_dofs(const NsNode *where, NsArena *arena, NsDiag *diag, PetscBool *good)
{
  NsLines   lines;
  PetscBool named = PETSC_FALSE;

  *good = NsLinesOpen(where, NULL, arena, diag, &lines);
  if (*good && NsLinesNext(&lines)) named = lines.line[0] == '*' || strchr(lines.line, ',') != NULL;
  NsLinesClose(&lines);
  return named;
}

/* Forces a length: mass/time^2; a rotation in a row or a column brings a length each. */
static void scale(const NsMatrixUnitsSettings *units, const NsMatrixDofs *dofs, int times, NsSparse *matrix)
{
  PetscReal factor = units->mass;

  for (int k = 0; k < times; k++) factor /= units->time;
  for (PetscInt i = 0; i < matrix->rows && matrix->start; i++) {
    for (PetscInt k = matrix->start[i]; k < matrix->start[i + 1]; k++)
      matrix->value[k] *=
        factor * (dofs->item[i].direction > 3 ? units->length : 1) * (dofs->item[matrix->column[k]].direction > 3 ? units->length : 1);
  }
}

static PetscErrorCode read_matrices(const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, Source *source, PetscBool *good)
{
  const NsNode *stiffness = NsTreeChild(settings->where, "stiffness"), *damping = NsTreeChild(settings->where, "damping_matrix");

  PetscFunctionBegin;
  if (settings->unknowns)
    *good = NsReadMatrixDofs(NsTreeChild(settings->where, "unknowns"), fe->arena, fe->diag, &source->dofs);
  else if (!names_its_dofs(stiffness, fe->arena, fe->diag, good) && *good)
    all_dofs(nodes, &source->dofs);
  if (*good) PetscCall(NsReadMatrix(stiffness, &source->dofs, fe->arena, fe->diag, &source->K, good));
  if (*good) PetscCall(NsReadMatrix(NsTreeChild(settings->where, "mass"), &source->dofs, fe->arena, fe->diag, &source->M, good));
  if (*good && damping) PetscCall(NsReadMatrix(damping, &source->dofs, fe->arena, fe->diag, &source->C, good));
  if (!*good) PetscFunctionReturn(0);
  scale(settings->units, &source->dofs, 2, &source->K);
  scale(settings->units, &source->dofs, 0, &source->M);
  scale(settings->units, &source->dofs, 1, &source->C);
  PetscFunctionReturn(0);
}

/* ---- nodes -------------------------------------------------------------------------------------------------------------------------------------- */

static NsPlace place_of(const NsMatricesSettings *settings, const char *key)
{
  return NsKeysPlace(settings->where, key);
}

/* The nodes that have DOF, in the order of the rows. */
static PetscErrorCode take_nodes(const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, Source *source, PetscBool *good)
{
  const PetscReal     length = settings->units->length;
  const NsMatrixDofs *dofs   = &source->dofs;
  NsMesh             *mesh   = &source->mesh;
  PetscInt           *new_of;
  Numbered           *sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nodes->nodes, &new_of));
  PetscCall(index_numbers(nodes->nodes, nodes->number, &sorted));
  source->node_of = NsArenaAlloc(fe->arena, sizeof(*source->node_of) * (size_t)dofs->count);
  source->number  = NsArenaAlloc(fe->arena, sizeof(*source->number) * (size_t)nodes->nodes);
  mesh->x         = NsArenaAlloc(fe->arena, sizeof(*mesh->x) * 3 * (size_t)nodes->nodes);
  for (PetscInt i = 0; i < nodes->nodes; i++) new_of[i] = -1;
  source->directions = 2;
  for (PetscInt i = 0; i < dofs->count && *good; i++) {
    const PetscInt old = find_number(nodes->nodes, sorted, dofs->item[i].node);
    if (old < 0) {
      NsDiagError(fe->diag, place_of(settings, settings->unknowns ? "unknowns" : "stiffness"),
        "the matrices have a node %ld, which '%s' does not have", dofs->item[i].node, settings->nodes->file);
      NsDiagNote(fe->diag, "take the deck from which the matrices were made; elements with DOF of their own (C3D8I) cannot be used");
      *good = PETSC_FALSE;
      break;
    }
    if (new_of[old] < 0) {
      source->number[mesh->nodes] = nodes->number[old];
      for (int k = 0; k < 3; k++) mesh->x[3 * mesh->nodes + k] = length * nodes->x[3 * old + k];
      new_of[old] = mesh->nodes++;
    }
    source->node_of[i] = new_of[old];
    source->directions = PetscMax(source->directions, dofs->item[i].direction > 3 ? 6 : dofs->item[i].direction);
  }
  PetscCall(PetscFree(new_of));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

static void add_set(const char *name, PetscInt count, const PetscInt *items, NsArena *arena, NsMesh *mesh)
{
  NsMeshSet *set = &mesh->node_set[mesh->node_sets++];

  *set = (NsMeshSet){.name = name, .items = NsArenaAlloc(arena, sizeof(*items) * (size_t)count)};
  for (PetscInt k = 0; k < count; k++) {
    if (k == 0 || items[k] != items[k - 1]) set->items[set->count++] = items[k];
  }
}

/* The nodes of one entry of `names`; false after an error. */
static PetscBool named_nodes(NsFe *fe, const NsNode *name, PetscInt nodes, const Numbered *sorted, PetscInt *item, PetscInt *count)
{
  *count = 0;
  for (const NsNode *at = name->kind == NS_NODE_LIST ? name->first : name; at; at = name->kind == NS_NODE_LIST ? at->next : NULL) {
    char      *end    = NULL;
    const long number = at->kind == NS_NODE_SCALAR ? strtol(at->text, &end, 10) : 0;
    if (at->kind != NS_NODE_SCALAR || end == at->text || *end || number < 1) {
      NsDiagError(fe->diag, at->place, "expected the number of a node, or a list of numbers");
      return PETSC_FALSE;
    }
    const PetscInt node = find_number(nodes, sorted, number);
    if (node < 0) {
      NsDiagError(fe->diag, at->place, "the matrices have no DOF of node %ld: it is held in the deck, or not part of it", number);
      return PETSC_FALSE;
    }
    item[(*count)++] = node;
  }
  if (*count) return PETSC_TRUE;
  NsDiagError(fe->diag, name->place, "'%s' names no node", name->key);
  return PETSC_FALSE;
}

/* `all`, the sets of the file as far as they have DOF, and the user's own. */
static PetscErrorCode take_sets(const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, Source *source, PetscBool *good)
{
  NsMesh       *mesh  = &source->mesh;
  const NsNode *names = settings->nodes->names;
  PetscInt     *item;
  PetscInt      most = mesh->nodes;
  Numbered     *sorted;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < nodes->sets; s++) most = PetscMax(most, nodes->set[s].count);
  for (const NsNode *name = names ? names->first : NULL; name; name = name->next) most = PetscMax(most, name->count);
  PetscCall(PetscMalloc1(most + 1, &item));
  PetscCall(index_numbers(mesh->nodes, source->number, &sorted));
  mesh->node_set = NsArenaAlloc(fe->arena, sizeof(*mesh->node_set) * (size_t)(nodes->sets + 1 + (names ? names->count : 0)));
  for (PetscInt i = 0; i < mesh->nodes; i++) item[i] = i;
  add_set("all", mesh->nodes, item, fe->arena, mesh);
  for (PetscInt s = 0; s < nodes->sets; s++) {
    PetscInt count = 0;
    for (PetscInt k = 0; k < nodes->set[s].count; k++) {
      const PetscInt node = find_number(mesh->nodes, sorted, nodes->set[s].number[k]);
      if (node >= 0) item[count++] = node;
    }
    PetscCall(PetscSortInt(count, item));
    if (count && strcmp(nodes->set[s].name, "all") != 0) add_set(nodes->set[s].name, count, item, fe->arena, mesh);
  }
  for (const NsNode *name = names ? names->first : NULL; name; name = name->next) {
    PetscInt count;
    if (NsMeshNodeSet(mesh, name->key)) {
      NsDiagError(fe->diag, name->key_place, "the body already has a node set '%s'", name->key);
      *good = PETSC_FALSE;
    } else if (!named_nodes(fe, name, mesh->nodes, sorted, item, &count)) {
      *good = PETSC_FALSE;
    } else {
      PetscCall(PetscSortInt(count, item));
      add_set(name->key, count, item, fe->arena, mesh);
    }
  }
  PetscCall(PetscFree(item));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

/* ---- couplings ---------------------------------------------------------------------------------------------------------------------------------- */

/* The nodes above `node` that its rows reach, ascending; row_of[3 rows ...]: its rows. */
typedef struct {
  PetscInt *first, *row; /* rows of each node */
} Rows;

static PetscErrorCode rows_of_nodes(const Source *source, Rows *rows)
{
  const PetscInt nodes = source->mesh.nodes, count = source->dofs.count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nodes + 2, &rows->first));
  PetscCall(PetscMalloc1(count, &rows->row));
  for (PetscInt i = 0; i < count; i++) rows->first[source->node_of[i] + 2]++;
  for (PetscInt n = 0; n < nodes; n++) rows->first[n + 2] += rows->first[n + 1];
  for (PetscInt i = 0; i < count; i++) rows->row[rows->first[source->node_of[i] + 1]++] = i;
  PetscFunctionReturn(0);
}

/* Nodes above `node` that it is coupled with, ascending, into other[] (NULL: only counted). met[nodes]: below `node + 1` at first. A node that nothing couples is coupled with a neighbour by zeros. */
static PetscInt others_of(const Source *source, const Rows *rows, PetscInt node, PetscInt *met, PetscInt *other)
{
  const NsSparse *all[3] = {&source->K, &source->M, &source->C};
  PetscInt        count  = 0;

  for (PetscInt r = rows->first[node]; r < rows->first[node + 1]; r++) {
    for (int m = 0; m < 3; m++) {
      const PetscInt row = rows->row[r];
      for (PetscInt k = all[m]->start ? all[m]->start[row] : 0; all[m]->start && k < all[m]->start[row + 1]; k++) {
        const PetscInt to = source->node_of[all[m]->column[k]];
        if (to <= node || met[to] == node + 1) continue;
        met[to]        = node + 1;
        other[count++] = to;
      }
    }
  }
  (void)PetscSortInt(count, other);
  return count;
}

static PetscReal distance(const NsMesh *mesh, PetscInt a, PetscInt b)
{
  PetscReal sum = 0;

  for (int k = 0; k < 3; k++) sum += PetscSqr(mesh->x[3 * a + k] - mesh->x[3 * b + k]);
  return PetscSqrtReal(sum);
}

static int compare_pairs(const void *a, const void *b)
{
  const PetscInt *x = a, *y = b;

  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Those along edges of elements; where the file has none, those that are about as short as the shortest of both nodes. */
static PetscErrorCode choose_drawn(NsFe *fe, const NsNumberedNodes *nodes, Source *source)
{
  const NsMesh *mesh  = &source->mesh;
  PetscInt      edges = 0, (*edge)[2];
  PetscReal    *shortest;
  Numbered     *sorted;

  PetscFunctionBegin;
  source->drawn = NsArenaAlloc(fe->arena, sizeof(*source->drawn) * (size_t)(mesh->elements + 1));
  PetscCall(PetscMalloc1(mesh->nodes, &shortest));
  PetscCall(PetscMalloc1(nodes->edges + 1, &edge));
  PetscCall(index_numbers(mesh->nodes, source->number, &sorted));
  for (PetscInt k = 0; k < nodes->edges; k++) {
    const PetscInt a = find_number(mesh->nodes, sorted, nodes->edge[k][0]), b = find_number(mesh->nodes, sorted, nodes->edge[k][1]);
    if (a < 0 || b < 0) continue;
    edge[edges][0]   = PetscMin(a, b);
    edge[edges++][1] = PetscMax(a, b);
  }
  qsort(edge, (size_t)edges, sizeof(*edge), compare_pairs);
  for (PetscInt i = 0; i < mesh->nodes; i++) shortest[i] = PETSC_MAX_REAL;
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscInt *end = mesh->connection + 2 * e;
    const PetscReal l   = distance(mesh, end[0], end[1]);
    if (l == 0) continue;
    shortest[end[0]] = PetscMin(shortest[end[0]], l);
    shortest[end[1]] = PetscMin(shortest[end[1]], l);
  }
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscInt *end = mesh->connection + 2 * e;
    const PetscReal l   = distance(mesh, end[0], end[1]);
    source->drawn[e] =
      edges ? bsearch(end, edge, (size_t)edges, sizeof(*edge), compare_pairs) != NULL : l <= 1.5 * PetscMax(shortest[end[0]], shortest[end[1]]);
  }
  PetscCall(PetscFree(shortest));
  PetscCall(PetscFree(edge));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

static PetscErrorCode list_couplings(NsFe *fe, const NsNumberedNodes *nodes, Source *source)
{
  NsMesh   *mesh = &source->mesh;
  PetscInt *met, *other, *coupled, capacity = 0;
  Rows      rows;

  PetscFunctionBegin;
  PetscCall(rows_of_nodes(source, &rows));
  PetscCall(PetscCalloc3(mesh->nodes, &met, mesh->nodes + 1, &other, mesh->nodes, &coupled));
  for (int pass = 0; pass < 2; pass++) {
    mesh->elements = 0;
    for (PetscInt i = 0; i < mesh->nodes; i++) met[i] = 0;
    for (PetscInt i = 0; i < mesh->nodes; i++) {
      PetscInt count = others_of(source, &rows, i, met, other);
      for (PetscInt k = 0; k < count && !pass; k++) coupled[i] = coupled[other[k]] = 1;
      if (!count && !coupled[i]) other[count++] = i + 1 < mesh->nodes ? i + 1 : i - 1; /* a node that stands alone, by zeros */
      for (PetscInt k = 0; k < count && pass; k++) {
        mesh->connection[2 * (mesh->elements + k)]     = i;
        mesh->connection[2 * (mesh->elements + k) + 1] = other[k];
      }
      mesh->elements += count;
    }
    capacity = mesh->elements;
    if (!pass) mesh->connection = NsArenaAlloc(fe->arena, sizeof(*mesh->connection) * 2 * (size_t)capacity);
  }
  PetscCall(PetscFree3(met, other, coupled));
  PetscCall(PetscFree(rows.first));
  PetscCall(PetscFree(rows.row));
  PetscCall(choose_drawn(fe, nodes, source));
  PetscFunctionReturn(0);
}

/* ---- checks ------------------------------------------------------------------------------------------------------------------------------------- */

#define NS_RIGID 1e-6 /* of the forces that cancel: what rounding in the files may leave of K times a rigid motion */

/* Motion of each DOF: along x, y, z (0 .. 2), or about them through the first node. */
static void rigid_motion(const Source *source, int motion, PetscReal *r)
{
  const PetscReal *origin = source->mesh.x;

  for (PetscInt i = 0; i < source->dofs.count; i++) {
    const int        a = source->dofs.item[i].direction - 1, m = motion - 3;
    const PetscReal *x = source->mesh.x + 3 * source->node_of[i];
    if (motion < 3)
      r[i] = a == motion;
    else if (a >= 3)
      r[i] = a - 3 == m;
    else
      r[i] = a == (m + 1) % 3 ? -(x[(m + 2) % 3] - origin[(m + 2) % 3]) : a == (m + 2) % 3 ? x[(m + 1) % 3] - origin[(m + 1) % 3] : 0;
  }
}

/* K r = 0 of the rigid motions, r'Mr of those along x, y, z. A body that can move as it likes has all DOF; one that is held lacks some. */
static PetscErrorCode check_rigid_motions(const NsMatricesSettings *settings, NsFe *fe, const Source *source)
{
  const PetscInt n = source->dofs.count, held = source->directions * source->mesh.nodes - n;
  const int      motions = source->directions == 2 ? 2 : 3;
  PetscReal     *r, *f, *size, mass[3] = {0, 0, 0};
  PetscInt       worst = -1;
  PetscReal      most  = 0;
  int            of    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &r, n, &f, n, &size));
  for (int motion = 0; motion < 6; motion++) {
    if (source->directions == 2 && motion != 5 && motion > 1) continue;
    rigid_motion(source, motion, r);
    NsMatrixMultiply(&source->K, r, f, size);
    for (PetscInt i = 0; i < n && worst < 0; i++) {
      if (PetscAbsReal(f[i]) > NS_RIGID * size[i] && PetscAbsReal(f[i]) > most) of = motion, most = PetscAbsReal(f[i]);
    }
    if (most > 0 && worst < 0) {
      worst = 0;
      for (PetscInt i = 0; i < n; i++) worst = PetscAbsReal(f[i]) == most ? i : worst;
    }
    NsMatrixMultiply(&source->M, r, f, size);
    for (PetscInt i = 0; i < n && motion < motions; i++) mass[motion] += r[i] * f[i];
  }
  PetscCall(PetscFree3(r, f, size));
  if (held || source->clamped || worst < 0) {
    for (int k = 1; k < motions && !held; k++) {
      if (PetscAbsReal(mass[k] - mass[0]) <= 1e-6 * PetscAbsReal(mass[0])) continue;
      NsDiagWarning(fe->diag, place_of(settings, "mass"), "the mass of the body along %c is %.6g kg, along x %.6g kg: these should be equal", 'x' + k,
        mass[k], mass[0]);
      NsDiagNote(fe->diag, "is `unknowns` the list of these matrices?");
      break;
    }
    PetscFunctionReturn(0);
  }
  NsDiagWarning(fe->diag, place_of(settings, "stiffness"), "a rigid %s of the body makes a force of %.4g N at %s: its stiffness holds it",
    of < 3 ? "displacement" : "rotation", most, NsMatrixDofName(&source->dofs, worst, fe->arena));
  NsDiagNote(fe->diag, of < 3 ? "right for springs to ground in the deck; else the matrices and `unknowns` do not belong together"
                              : "right for springs to ground in the deck; else the nodes are those of another deck, or another unit");
  PetscFunctionReturn(0);
}

#define NS_SLOW 10.   /* m/s */
#define NS_FAST 200e3 /* m/s */

/* Units by plausibility: sqrt(K_ii/M_ii) times the distance to the nearest node is about the speed of waves. */
static void check_units(const NsMatricesSettings *settings, NsFe *fe, const Source *source)
{
  const NsMesh *mesh = &source->mesh;
  PetscReal     k = 0, m = 0, length = 0;

  for (PetscInt i = 0; i < source->dofs.count; i++) {
    for (PetscInt at = source->K.start[i]; at < source->K.start[i + 1] && source->dofs.item[i].direction <= 3; at++)
      k += source->K.column[at] == i ? source->K.value[at] : 0;
    for (PetscInt at = source->M.start[i]; at < source->M.start[i + 1] && source->dofs.item[i].direction <= 3; at++)
      m += source->M.column[at] == i ? source->M.value[at] : 0;
  }
  for (PetscInt e = 0, drawn = 0; e < mesh->elements; e++) {
    if (!source->drawn[e]) continue;
    drawn++;
    length += (distance(mesh, mesh->connection[2 * e], mesh->connection[2 * e + 1]) - length) / (PetscReal)drawn;
  }
  const PetscReal speed = m > 0 && k > 0 ? PetscSqrtReal(k / m) * length : 0;
  if (!(speed > 0) || (speed > NS_SLOW && speed < NS_FAST)) return;
  NsDiagWarning(fe->diag, place_of(settings, NsTreeChild(settings->where, "units") ? "units" : "stiffness"),
    "by stiffness, mass and distances of the nodes, waves travel at about %.2g m/s in '%s'", speed, NsTreePath(settings->where, fe->arena));
  NsDiagNote(fe->diag, "check `units` (a deck in N, mm, s has its mass in t), and that `stiffness` and `mass` are not exchanged");
}

/* Positive masses; what is singular is named. */
static PetscBool check_mass(const NsMatricesSettings *settings, NsFe *fe, const Source *source)
{
  for (PetscInt i = 0; i < source->dofs.count; i++) {
    PetscReal mass = 0;
    for (PetscInt k = source->M.start[i]; k < source->M.start[i + 1]; k++) mass += source->M.column[k] == i ? source->M.value[k] : 0;
    if (mass > 1e-60 && mass < 1e30) continue;
    NsDiagError(fe->diag, place_of(settings, "mass"), "the mass at %s is %g kg", NsMatrixDofName(&source->dofs, i, fe->arena), mass);
    NsDiagNote(fe->diag, "each DOF needs a mass; condense those without one in the other program");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ------------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode NsBodyMesh_Matrices(const void *data, NsFe *fe, NsMesh **mesh)
{
  const NsMatricesSettings *settings = data;
  Source                   *source   = NsArenaAlloc(fe->arena, sizeof(*source));
  const NsNode             *file     = NsTreeChild(settings->nodes->where, "file");
  NsNumberedNodes           nodes;
  PetscBool                 good;

  PetscFunctionBegin;
  PetscCall(NsReadNumberedNodes(file ? file : settings->nodes->where, fe->arena, fe->diag, &nodes, &good));
  if (good) PetscCall(read_matrices(settings, fe, &nodes, source, &good));
  if (good) PetscCall(take_nodes(settings, fe, &nodes, source, &good));
  source->clamped = good && source->mesh.nodes < nodes.nodes;
  if (good && source->mesh.nodes < 2) {
    NsDiagError(fe->diag, place_of(settings, "stiffness"), "the matrices are of one node: write a body of `type: rigid` and springs");
    good = PETSC_FALSE;
  }
  if (good) PetscCall(take_sets(settings, fe, &nodes, source, &good));
  if (good) good = check_mass(settings, fe, source);
  if (good) {
    NsMesh *to = &source->mesh;
    PetscCall(list_couplings(fe, &nodes, source));
    to->shape     = &NsMeshShape_Line2;
    to->from_file = true;
    for (int k = 0; k < 3; k++) {
      PetscReal low = to->x[k], high = low;
      for (PetscInt i = 0; i < to->nodes; i++) low = PetscMin(low, to->x[3 * i + k]), high = PetscMax(high, to->x[3 * i + k]);
      to->length = PetscMax(to->length, high - low);
    }
    check_units(settings, fe, source);
    PetscCall(check_rigid_motions(settings, fe, source));
    *mesh = to;
  }
  NsNumberedNodesFree(&nodes);
  if (!good) {
    free(source->dofs.item);
    PetscCall(NsSparseDestroy(&source->K));
    PetscCall(NsSparseDestroy(&source->M));
    PetscCall(NsSparseDestroy(&source->C));
  }
  PetscFunctionReturn(0);
}

/* Blocks of one matrix: own[nodes][d, d], and those of couplings where they are not zero, between[elements]. */
static PetscErrorCode take_blocks(NsFe *fe, const Source *source, const NsSparse *matrix, PetscReal *own, const PetscReal **between)
{
  const NsMesh  *mesh = &source->mesh;
  const PetscInt d = source->directions, square = d * d;
  PetscInt      *first;
  PetscReal    **block;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->nodes + 1, &first));
  PetscCall(PetscCalloc1(mesh->elements + 1, &block));
  for (PetscInt e = 0; e < mesh->elements; e++) first[mesh->connection[2 * e] + 1]++;
  for (PetscInt n = 0; n < mesh->nodes; n++) first[n + 1] += first[n];
  for (PetscInt i = 0; i < matrix->rows && matrix->start; i++) {
    const PetscInt node = source->node_of[i], a = source->dofs.item[i].direction - 1;
    for (PetscInt k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
      const PetscInt to = source->node_of[matrix->column[k]], b = source->dofs.item[matrix->column[k]].direction - 1;
      if (to == node) own[node * square + a * d + b] = matrix->value[k];
      if (to <= node || matrix->value[k] == 0) continue;
      PetscInt low = first[node], high = first[node + 1];
      while (high - low > 1) {
        const PetscInt middle = (low + high) / 2;
        if (mesh->connection[2 * middle + 1] > to)
          high = middle;
        else
          low = middle;
      }
      if (!block[low]) block[low] = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)square);
      block[low][a * d + b] = matrix->value[k];
    }
  }
  for (PetscInt e = 0; e < mesh->elements; e++) between[e] = block[e];
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(0);
}

#define NS_LEFT 1e-11 /* of the terms of a sum: what is rounding of the files, and no spring to ground */

/* What the shares of the couplings leave of the nodes' own blocks of K. */
static PetscErrorCode take_rests(const NsFeBody *body, const NsMesh *mesh, const PetscReal *const *between, PetscReal *own)
{
  const PetscInt d = body->node_unknowns, square = d * d;
  PetscReal     *size, share[NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)mesh->nodes * (size_t)square, &size));
  for (PetscInt i = 0; i < mesh->nodes * square; i++) size[i] = PetscAbsReal(own[i]);
  for (PetscInt e = 0; e < mesh->elements; e++) {
    for (int end = 0; end < 2 && between[e]; end++) {
      const PetscInt at = mesh->connection[2 * e + end] * square;
      NsCouplingShare(body, between[e], end, share);
      for (PetscInt i = 0; i < square; i++) own[at + i] -= share[i], size[at + i] += PetscAbsReal(share[i]);
    }
  }
  for (PetscInt n = 0; n < mesh->nodes; n++) { /* by the largest of the node's block: its entries near zero are rounding of others */
    PetscReal largest = 0;
    for (PetscInt i = 0; i < square; i++) largest = PetscMax(largest, size[n * square + i]);
    for (PetscInt i = 0; i < square; i++) {
      const PetscBool rotations = body->turns[i / d] && body->turns[i % d];
      if (!rotations && PetscAbsReal(own[n * square + i]) <= NS_LEFT * largest) own[n * square + i] = 0;
    }
  }
  PetscCall(PetscFree(size));
  PetscFunctionReturn(0);
}

static void take_state(const NsMatricesSettings *settings, NsFeBody *body)
{
  if (settings->damping && settings->damping->rayleigh) {
    body->damping_mass      = settings->damping->rayleigh->mass;
    body->damping_stiffness = settings->damping->rayleigh->stiffness;
  }
  for (int k = 0; settings->initial && k < 3; k++) {
    body->velocity[k]     = settings->initial->velocity[k];
    body->displacement[k] = settings->initial->displacement[k];
  }
}

/* DOF that the matrices lack. */
static void find_absent(NsFe *fe, const Source *source, NsFeBody *body)
{
  const PetscInt d = source->directions, n = d * source->mesh.nodes;
  PetscBool     *absent = NsArenaAlloc(fe->arena, sizeof(*absent) * (size_t)n);

  for (PetscInt i = 0; i < n; i++) absent[i] = PETSC_TRUE;
  for (PetscInt i = 0; i < source->dofs.count; i++) absent[source->node_of[i] * d + source->dofs.item[i].direction - 1] = PETSC_FALSE;
  body->absent = source->dofs.count < n ? absent : NULL;
}

static PetscErrorCode find_bounds(const NsMatricesSettings *settings, NsFe *fe, const Source *source, const PetscReal *own, NsFeBody *body)
{
  const PetscInt  d      = source->directions;
  NsMatrixBounds *bounds = NsArenaAlloc(fe->arena, sizeof(*bounds));
  PetscReal      *mass   = NsArenaAlloc(fe->arena, sizeof(*mass) * (size_t)(d * source->mesh.nodes));

  PetscFunctionBegin;
  PetscCall(NsMatrixFindBounds(&source->M, &source->C, &source->K, bounds));
  if (bounds->share == 0) {
    NsDiagError(fe->diag, place_of(settings, "mass"), "the mass matrix of '%s' is not positive definite, though its diagonal is", body->name);
    NsDiagNote(fe->diag, "are `stiffness` and `mass` exchanged, or is `unknowns` that of another deck?");
  }
  for (PetscInt i = 0; i < d * source->mesh.nodes; i++) {
    const PetscReal value = own[i / d * d * d + i % d * (d + 1)];
    mass[i]               = value > 0 ? value : 1; /* 1: of a DOF that is absent, and so held */
  }
  body->bounds    = bounds;
  body->node_mass = mass;
  body->lumped    = bounds->share == 1;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsBodyBuild_Matrices(const void *data, NsFe *fe, NsFeBody *body)
{
  const NsMatricesSettings *settings = data;
  Source                   *source   = (Source *)body->mesh;
  const NsMesh             *mesh     = body->mesh;
  const PetscInt            d = source->directions, square = d * d;
  const NsSparse           *matrix[3] = {&source->K, &source->M, &source->C};
  const PetscReal         **between[3];
  PetscReal                *own[3];
  NsCouplingRest           *rest  = NsArenaAlloc(fe->arena, sizeof(*rest) * (size_t)mesh->nodes);
  PetscBool                *given = NsArenaAlloc(fe->arena, sizeof(*given) * (size_t)mesh->nodes);

  PetscFunctionBegin;
  body->node_unknowns = d;
  for (PetscInt a = 0; a < d; a++) {
    body->direction[a][a % 3] = 1;
    body->turns[a]            = a >= 3;
  }
  take_state(settings, body);
  find_absent(fe, source, body);
  for (int m = 0; m < 3; m++) {
    own[m] = NsArenaAlloc(fe->arena, sizeof(**own) * (size_t)(mesh->nodes * square));
    PetscCall(PetscMalloc1(mesh->elements, &between[m]));
    PetscCall(take_blocks(fe, source, matrix[m], own[m], between[m]));
  }
  PetscCall(find_bounds(settings, fe, source, own[1], body));
  PetscCall(take_rests(body, mesh, between[0], own[0]));
  body->damped_by_matrix = source->C.start != NULL;
  for (PetscInt i = 0; i < mesh->nodes; i++)
    rest[i] = (NsCouplingRest){own[0] + i * square, own[1] + i * square, source->C.start ? own[2] + i * square : NULL};
  for (PetscInt e = 0; e < mesh->elements; e++) {
    NsCoupling *coupling = fe->element[body->first_element + e].data;
    *coupling            = (NsCoupling){.K = between[0][e], .M = between[1][e], .C = between[2][e], .drawn = source->drawn[e]};
    for (int end = 0; end < 2; end++) {
      const PetscInt node = mesh->connection[2 * e + end];
      if (!given[node]) coupling->rest[end] = &rest[node];
      given[node] = PETSC_TRUE;
    }
  }
  for (int m = 0; m < 3; m++) PetscCall(PetscFree(between[m]));
  free(source->dofs.item);
  PetscCall(NsSparseDestroy(&source->K));
  PetscCall(NsSparseDestroy(&source->M));
  PetscCall(NsSparseDestroy(&source->C));
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Matrices = {
  .name  = "matrices",
  .title = "elastic body given by its mass and stiffness matrices",
  .about =
    "Matrices of another finite-element program: Matrix Market, CalculiX (*FREQUENCY, SOLVER=MATRIXSTORAGE, GLOBAL=YES writes .sti, .mas and .dof) or Abaqus (*MATRIX OUTPUT, FORMAT=MATRIX INPUT),\n"
    "with the nodes of the deck. DOF that the deck holds stay held. NAME.all are all nodes; sets of the deck (*NSET) and names by numbers are subsets. The body is held, loaded, joined by springs,\n"
    "and touches surfaces like any other one; explicit schemes need a diagonal mass matrix only to be quick.",
  .table = &matrices_table,
};
const NsBodyType NsBodyType_Matrices = {.variant = &NsBodyVariant_Matrices,
  .element                                       = &NsElementType_Coupling,
  .mesh                                          = NsBodyMesh_Matrices,
  .build                                         = NsBodyBuild_Matrices};
