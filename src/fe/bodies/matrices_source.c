/* The files of a body given by matrices: rows, nodes, sets, and the pairs of nodes that the matrices couple. */
#include <stdlib.h>
#include <string.h>
#include "matrices_source.h"

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

/* Whether a file has named entries (Abaqus). */
static PetscBool names_its_dofs(const NsNode *where, NsArena *arena, NsDiag *diag, PetscBool *good)
{
  NsLines   lines;
  PetscBool named = PETSC_FALSE;

  *good = NsLinesOpen(where, NULL, arena, diag, &lines);
  if (*good) named = NsMatrixFormatOf(&lines) == NS_FILE_NAMED;
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

PetscErrorCode NsMatricesRead(const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source, PetscBool *good)
{
  static const struct {
    const char  *key;
    NsMatrixKind kind;
    int          times; /* how often the unit is divided by that of time */
  } file[NS_MATRICES]     = {[NS_MATRIX_K] = {"stiffness", NS_MATRIX_SYMMETRIC, 2},
        [NS_MATRIX_M]                      = {"mass", NS_MATRIX_SYMMETRIC, 0},
        [NS_MATRIX_C]                      = {"damping_matrix", NS_MATRIX_SYMMETRIC, 1},
        [NS_MATRIX_G]                      = {"gyroscopic_matrix", NS_MATRIX_SKEW, 1},
        [NS_MATRIX_N]                      = {"circulatory_matrix", NS_MATRIX_SKEW, 2}};
  const NsNode *stiffness = NsTreeChild(settings->where, "stiffness");
  NsMatrixDofs  read      = {0};

  PetscFunctionBegin;
  if (settings->unknowns)
    *good = NsReadMatrixDofs(NsTreeChild(settings->where, "unknowns"), fe->arena, fe->diag, &read);
  else if (!names_its_dofs(stiffness, fe->arena, fe->diag, good) && *good)
    all_dofs(nodes, &read);
  for (int m = 0; m < NS_MATRICES && *good; m++) {
    const NsNode *where = NsTreeChild(settings->where, file[m].key);
    if (where) PetscCall(NsReadMatrix(where, file[m].kind, &read, fe->arena, fe->diag, &source->matrix[m], good));
  }
  if (*good) {
    source->dofs      = read;
    source->length    = settings->units->length;
    source->force     = settings->units->mass * source->length / PetscSqr(settings->units->time);
    source->dofs.item = NsArenaAlloc(fe->arena, sizeof(*read.item) * (size_t)(read.count + 1));
    PetscCall(PetscArraycpy(source->dofs.item, read.item, read.count));
    for (int m = 0; m < NS_MATRICES; m++) scale(settings->units, &source->dofs, file[m].times, &source->matrix[m]);
  }
  free(read.item);
  PetscFunctionReturn(0);
}

PetscErrorCode NsMatricesDestroy(NsMatricesSource *source)
{
  PetscFunctionBegin;
  for (int m = 0; m < NS_MATRICES; m++) PetscCall(NsSparseDestroy(&source->matrix[m]));
  PetscFunctionReturn(0);
}

/* ---- nodes -------------------------------------------------------------------------------------------------------------------------------------- */

NsPlace NsMatricesPlace(const NsMatricesSettings *settings, const char *key)
{
  return NsKeysPlace(settings->where, key);
}

/* The nodes that have DOF, in the order of the rows. */
PetscErrorCode NsMatricesTakeNodes(
  const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source, PetscBool *good)
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
      NsDiagError(fe->diag, NsMatricesPlace(settings, settings->unknowns ? "unknowns" : "stiffness"),
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
PetscErrorCode NsMatricesTakeSets(
  const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source, PetscBool *good)
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

static PetscErrorCode rows_of_nodes(const NsMatricesSource *source, Rows *rows)
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
static PetscInt others_of(const NsMatricesSource *source, const Rows *rows, PetscInt node, PetscInt *met, PetscInt *other)
{
  const NsSparse *all   = source->matrix;
  PetscInt        count = 0;

  for (PetscInt r = rows->first[node]; r < rows->first[node + 1]; r++) {
    for (int m = 0; m < NS_MATRICES; m++) {
      const PetscInt row = rows->row[r];
      for (PetscInt k = all[m].start ? all[m].start[row] : 0; all[m].start && k < all[m].start[row + 1]; k++) {
        const PetscInt to = source->node_of[all[m].column[k]];
        if (to <= node || met[to] == node + 1) continue;
        met[to]        = node + 1;
        other[count++] = to;
      }
    }
  }
  (void)PetscSortInt(count, other);
  return count;
}

PetscReal NsMatricesDistance(const NsMesh *mesh, PetscInt a, PetscInt b)
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
static PetscErrorCode choose_drawn(NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source)
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
    const PetscReal l   = NsMatricesDistance(mesh, end[0], end[1]);
    if (l == 0) continue;
    shortest[end[0]] = PetscMin(shortest[end[0]], l);
    shortest[end[1]] = PetscMin(shortest[end[1]], l);
  }
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscInt *end = mesh->connection + 2 * e;
    const PetscReal l   = NsMatricesDistance(mesh, end[0], end[1]);
    source->drawn[e] =
      edges ? bsearch(end, edge, (size_t)edges, sizeof(*edge), compare_pairs) != NULL : l <= 1.5 * PetscMax(shortest[end[0]], shortest[end[1]]);
  }
  PetscCall(PetscFree(shortest));
  PetscCall(PetscFree(edge));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMatricesListCouplings(NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source)
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
