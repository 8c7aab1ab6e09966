/*
  Sparse assembly:  M = sum of element masses and inertias, K = sum of element stiffnesses, springs and bearings,
  C = sum over bodies (a M_b + b K_b) + dashpots,  G = gyroscopic terms at constant spin and skew parts of bearings' damping; K has circulatory terms, too.
  Supported unknowns are skipped.

  A row's entries are the unknowns of its node and of the node's neighbours. Contributions are added in the order of the elements, so that a row is the same to the last bit
  on whatever process it is.
*/
#include <string.h>
#include "components.h"

/* What is being assembled: one matrix and where its rows are. */
typedef struct {
  NsSparse       *to;      /* NULL: not wanted */
  const PetscInt *held_at; /* [unknowns] row of to, -1: another process has it; NULL: the number itself */
} Target;

/* Neighbours of every node (itself included) through elements and springs: node numbers, each once, ascending. */
typedef struct {
  PetscInt *first, *count; /* [nodes] */
  PetscInt *item;
} Neighbours;

/* Each of these nodes with each other; counts only while `item` is not there. */
static void link_nodes(Neighbours *neighbours, PetscInt n, const PetscInt *node)
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt b = 0; b < n; b++) {
      if (a == b) continue;
      if (neighbours->item) neighbours->item[neighbours->first[node[a]] + neighbours->count[node[a]]] = node[b];
      neighbours->count[node[a]]++;
    }
  }
}

static PetscErrorCode find_neighbours(const NsFe *fe, PetscBool with_forces, Neighbours *neighbours)
{
  PetscFunctionBegin;
  neighbours->item = NULL;
  PetscCall(PetscCalloc2(fe->nodes, &neighbours->first, fe->nodes, &neighbours->count));
  for (int pass = 0; pass < 2; pass++) {
    PetscInt total = 0;
    for (PetscInt i = 0; pass && i < fe->nodes; i++) {
      neighbours->first[i] = total;
      total += neighbours->count[i];
    }
    if (pass) PetscCall(PetscMalloc1(total, &neighbours->item));
    for (PetscInt i = 0; i < fe->nodes; i++) {
      if (pass) neighbours->item[neighbours->first[i]] = i;
      neighbours->count[i] = 1;
    }
    for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
      PetscInt       node[NS_COMPONENT_NODES];
      const PetscInt n = NsFeComponentNodes(fe, &c, node);
      if (c.kind == NS_FE_ELEMENT || (c.kind == NS_FE_FORCE && with_forces)) link_nodes(neighbours, n, node);
    }
  }
  for (PetscInt i = 0; i < fe->nodes; i++) PetscCall(PetscSortRemoveDupsInt(&neighbours->count[i], neighbours->item + neighbours->first[i]));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_neighbours(Neighbours *neighbours)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(neighbours->item));
  PetscCall(PetscFree2(neighbours->first, neighbours->count));
  PetscFunctionReturn(0);
}

/* Rows of this process: those that are mine[unknowns], or all where that is NULL. */
static PetscErrorCode create_rows(const NsFe *fe, const PetscBool *mine, NsSparse *matrix)
{
  PetscFunctionBegin;
  matrix->rows = fe->unknowns;
  matrix->row  = NULL;
  if (mine) {
    matrix->rows = 0;
    for (PetscInt i = 0; i < fe->unknowns; i++) matrix->rows += mine[i] ? 1 : 0;
    PetscCall(PetscMalloc1(matrix->rows, &matrix->row));
    for (PetscInt i = 0, at = 0; i < fe->unknowns; i++) {
      if (mine[i]) matrix->row[at++] = i;
    }
  }
  PetscCall(PetscCalloc1(matrix->rows + 1, &matrix->start));
  PetscFunctionReturn(0);
}

/* Unknowns of a node and its neighbours, ascending, into column (NULL: only counted). */
static PetscInt node_columns(const NsFe *fe, const Neighbours *neighbours, PetscInt node, PetscInt *column)
{
  PetscInt count = 0;

  for (PetscInt j = 0; j < neighbours->count[node]; j++) {
    const PetscInt  other   = neighbours->item[neighbours->first[node] + j];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, other); /* ascending, as nodes are */
    for (PetscInt a = 0; a < fe->body[fe->node_body[other]].node_unknowns; a++) {
      if (unknown[a] < 0) continue;
      if (column) column[count] = unknown[a];
      count++;
    }
  }
  return count;
}

static PetscErrorCode create_matrix(const NsFe *fe, const PetscBool *mine, const Neighbours *neighbours, const Target *target)
{
  NsSparse *matrix = target->to;

  PetscFunctionBegin;
  PetscCall(create_rows(fe, mine, matrix));
  for (int pass = 0; pass < 2; pass++) {
    for (PetscInt i = 0; i < fe->nodes; i++) {
      const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
      PetscInt        width = -1, first = -1;
      for (PetscInt a = 0; a < fe->body[fe->node_body[i]].node_unknowns; a++) {
        const PetscInt row = unknown[a] < 0 ? -1 : target->held_at ? target->held_at[unknown[a]] : unknown[a];
        if (row < 0) continue;
        if (!pass) {
          if (width < 0) width = node_columns(fe, neighbours, i, NULL);
          matrix->start[row + 1] = width;
        } else if (first < 0) {
          first = matrix->start[row];
          width = node_columns(fe, neighbours, i, matrix->column + first);
        } else
          PetscCall(PetscArraycpy(matrix->column + matrix->start[row], matrix->column + first, width));
      }
    }
    if (pass) break;
    for (PetscInt r = 0; r < matrix->rows; r++) matrix->start[r + 1] += matrix->start[r];
    PetscCall(PetscMalloc1(matrix->start[matrix->rows], &matrix->column));
    PetscCall(PetscCalloc1(matrix->start[matrix->rows], &matrix->value));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode create_diagonal(const NsFe *fe, const PetscBool *mine, const Target *target)
{
  NsSparse *matrix = target->to;

  PetscFunctionBegin;
  PetscCall(create_rows(fe, mine, matrix));
  PetscCall(PetscMalloc1(matrix->rows, &matrix->column));
  PetscCall(PetscCalloc1(matrix->rows, &matrix->value));
  for (PetscInt r = 0; r < matrix->rows; r++) {
    matrix->start[r + 1] = r + 1;
    matrix->column[r]    = matrix->row ? matrix->row[r] : r;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsSparseDestroy(NsSparse *matrix)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(matrix->row));
  PetscCall(PetscFree(matrix->start));
  PetscCall(PetscFree(matrix->column));
  PetscCall(PetscFree(matrix->value));
  matrix->rows = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsSparseToMat(const NsSparse *matrix, Mat *result)
{
  PetscInt *entries;

  PetscFunctionBegin;
  *result = NULL;
  if (!matrix->start) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(matrix->rows, &entries));
  for (PetscInt r = 0; r < matrix->rows; r++) entries[r] = matrix->start[r + 1] - matrix->start[r];
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, matrix->rows, matrix->rows, 0, entries, result));
  PetscCall(PetscFree(entries));
  for (PetscInt r = 0; r < matrix->rows; r++) {
    const PetscInt at = matrix->start[r];
    PetscCall(MatSetValues(*result, 1, &r, matrix->start[r + 1] - at, matrix->column + at, matrix->value + at, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*result, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*result, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscInt NsFeElementUnknowns(const NsFe *fe, const NsFeElement *element, PetscInt *unknown)
{
  const NsFeBody *body    = &fe->body[element->body];
  const PetscInt *numbers = fe->unknown + body->first_dof; /* as NsFeNodeUnknowns, of one body */
  const PetscInt  nodes = body->element->nodes, d = body->node_unknowns;

  for (PetscInt k = 0; k < nodes; k++, unknown += d) { /* a few numbers: a loop over vectors would mostly be its preparation */
    const PetscInt *from = numbers + (element->node[k] - body->first_node) * d;
    if (d == 3) {
      unknown[0] = from[0];
      unknown[1] = from[1];
      unknown[2] = from[2];
    } else {
      memcpy(unknown, from, (size_t)d * sizeof(*from));
    }
    if (k > 1 &&
        element->node[k] == element->node[k - 1]) /* in its matrices a repeated node only has entries at its first position (src/mesh/collapsed.h) */
      for (PetscInt i = 0; i < d; i++) unknown[i] = -1;
  }
  return nodes * d;
}

void NsFeElementValues(const NsFe *fe, const NsLayout *layout, const NsFeElement *element, const PetscScalar *x, PetscReal *values)
{
  PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt n = NsFeElementUnknowns(fe, element, unknown);

  for (PetscInt i = 0; i < n; i++)
    values[i] = unknown[i] < 0 ? NsFeHeldValue(fe, unknown[i]) : x[layout ? NsLayoutIndex(layout, unknown[i]) : unknown[i]];
}

/* The entry (i, j); it is there. */
static PetscReal *entry(const Target *target, PetscInt row, PetscInt column)
{
  const NsSparse *matrix = target->to;
  PetscInt        low = matrix->start[row], high = matrix->start[row + 1];

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (matrix->column[middle] > column)
      high = middle;
    else
      low = middle;
  }
  return matrix->value + low;
}

/* scale * X into matrix, dropping supported rows and columns, and rows of other processes. */
static void add_block(const Target *target, PetscInt n, const PetscInt *unknown, const PetscReal *X, PetscReal scale)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt row = unknown[i] < 0 ? -1 : target->held_at ? target->held_at[unknown[i]] : unknown[i];
    for (PetscInt j = 0; j < n && row >= 0; j++) {
      if (unknown[j] >= 0 && X[i * n + j] != 0) *entry(target, row, unknown[j]) += scale * X[i * n + j];
    }
  }
}

static void add_diagonal(const Target *target, PetscInt n, const PetscInt *unknown, const PetscReal *X)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt row = unknown[i] < 0 ? -1 : target->held_at ? target->held_at[unknown[i]] : unknown[i];
    if (row >= 0) target->to->value[row] += X[i * n + i];
  }
}

/* What NsFeComponentTerms adds to. */
typedef struct {
  Target    target[NS_FE_MATRICES];
  PetscBool diagonal; /* M is */
} Assembly;

static void add_term(void *context, const NsFeComponent *c, NsFeMatrix to, const PetscReal *X, PetscReal factor)
{
  const Assembly *self = context;

  if (to == NS_FE_MASS && self->diagonal)
    add_diagonal(&self->target[to], c->n, c->unknown, X);
  else
    add_block(&self->target[to], c->n, c->unknown, X, factor);
}

/* M times an acceleration in space; exact also where supports cut M (rows of M without the supported columns would lose weight). */
void NsFeWeight(const NsFe *fe, const PetscReal acceleration[3], PetscReal *weight)
{
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    PetscReal M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    if (c.kind == NS_FE_ELEMENT && !c.body->weightless) {
      const PetscInt d = c.body->node_unknowns;
      NsFeElementMass(fe, c.element, M);
      for (PetscInt i = 0; i < c.n; i++) {
        for (PetscInt j = 0; j < c.n && c.unknown[i] >= 0; j++) {
          for (int k = 0; k < 3 && !c.body->turns[j % d]; k++) weight[c.unknown[i]] += M[i * c.n + j] * c.body->direction[j % d][k] * acceleration[k];
        }
      }
    }
    for (PetscInt i = 0; i < c.n && c.kind == NS_FE_INERTIA && !c.inertia->across; i++) {
      for (int k = 0; k < 3; k++) weight[c.unknown[i]] += c.inertia->mass * c.point.move[i][k] * acceleration[k];
    }
  }
}

static PetscBool is_diagonal(PetscInt n, const PetscReal *X)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      if (i != j && PetscAbsReal(X[i * n + j]) > 1e-14 * PetscSqrtReal(X[i * n + i] * X[j * n + j])) return PETSC_FALSE; /* beyond rounding of axes */
    }
  }
  return PETSC_TRUE;
}

PetscBool NsFeMassIsDiagonal(const NsFe *fe)
{
  PetscReal X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].element && !fe->body[b].lumped) return PETSC_FALSE;
  }
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    if (c.kind == NS_FE_FORCE) continue;
    if (c.kind == NS_FE_ELEMENT && c.element > fe->element + c.body->first_element && NsFeAlike(c.body, c.element, c.element - 1, 0)) continue;
    if (c.kind == NS_FE_ELEMENT)
      c.body->element->mass(c.body, c.element, X);
    else
      NsFeInertiaMass(c.inertia, &c.point, X);
    if (!is_diagonal(c.n, X)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* What there is of it: dampers; gyroscopic terms at constant spin and skew damping; K unsymmetric. */
static void look_ahead(const NsFe *fe, const PetscReal *speed, PetscBool *damped, PetscBool *skew, PetscBool *symmetric)
{
  *damped = *skew = PETSC_FALSE;
  *symmetric      = PETSC_TRUE;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (body->damping_mass > 0 || body->damping_stiffness > 0 || body->damping_torsion > 0 || body->damped_by_matrix) *damped = PETSC_TRUE;
    if (NsFeSpeedOf(fe, body, speed) != 0 || body->turns_by_matrix) *skew = PETSC_TRUE;
    if (body->circulates_by_matrix) *symmetric = PETSC_FALSE;
  }
  for (PetscInt s = 0; s < fe->force_elements; s++) {
    PetscReal k[36], c[36];
    NsFeForceTangents(fe, &fe->force[s], speed, k, c);
    for (int i = 0; i < 36; i++) {
      const int j = 6 * (i % 6) + i / 6;
      if (c[i] != 0) *damped = PETSC_TRUE;
      if (c[i] != c[j]) *skew = PETSC_TRUE;
    }
    if (NsFeForceCirculates(fe, &fe->force[s], speed)) *symmetric = PETSC_FALSE;
  }
}

/* Where each unknown's row is. */
static PetscErrorCode index_rows(const NsFe *fe, const PetscBool *mine, PetscInt **held_at)
{
  PetscFunctionBegin;
  *held_at = NULL;
  if (!mine) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(fe->unknowns, held_at));
  for (PetscInt i = 0, at = 0; i < fe->unknowns; i++) (*held_at)[i] = mine[i] ? at++ : -1;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeAssembleRows(const NsFe *fe, const PetscReal *speed, const PetscBool *mine, PetscBool mass_alone, NsFeMatrices *matrices)
{
  PetscInt  *held_at;
  Neighbours joined, neighbours;

  PetscFunctionBegin;
  memset(matrices, 0, sizeof(*matrices));
  matrices->diagonal = NsFeMassIsDiagonal(fe);
  look_ahead(fe, speed, &matrices->damped, &matrices->skew, &matrices->symmetric);
  PetscCall(index_rows(fe, mine, &held_at));
  Assembly  assembly           = {.diagonal = matrices->diagonal};
  NsSparse *to[NS_FE_MATRICES] = {[NS_FE_MASS] = &matrices->M,
    [NS_FE_DAMPERS]                            = matrices->damped && !mass_alone ? &matrices->C : NULL,
    [NS_FE_GYROSCOPIC]                         = matrices->skew && !mass_alone ? &matrices->G : NULL,
    [NS_FE_STIFFNESS]                          = mass_alone ? NULL : &matrices->K};
  PetscBool wanted[NS_FE_MATRICES];
  for (int i = 0; i < NS_FE_MATRICES; i++) {
    assembly.target[i] = (Target){to[i], held_at};
    wanted[i]          = to[i] != NULL;
  }
  if (!mass_alone) PetscCall(find_neighbours(fe, PETSC_TRUE, &neighbours));
  if (matrices->diagonal) {
    PetscCall(create_diagonal(fe, mine, &assembly.target[NS_FE_MASS]));
  } else {
    PetscCall(find_neighbours(fe, PETSC_FALSE, &joined));
    PetscCall(create_matrix(fe, mine, &joined, &assembly.target[NS_FE_MASS]));
    PetscCall(destroy_neighbours(&joined));
  }
  for (int i = NS_FE_DAMPERS; i <= NS_FE_STIFFNESS; i++) {
    if (to[i]) PetscCall(create_matrix(fe, mine, &neighbours, &assembly.target[i]));
  }
  if (!mass_alone) PetscCall(destroy_neighbours(&neighbours));
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) NsFeComponentTerms(fe, &c, speed, wanted, add_term, &assembly);
  PetscCall(PetscFree(held_at));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeAssemble(const NsFe *fe, const PetscReal *speed, Mat *M, Mat *C, Mat *G, Mat *K)
{
  NsFeMatrices matrices;
  NsSparse    *sparse[4] = {&matrices.M, &matrices.C, &matrices.K, &matrices.G};
  Mat         *matrix[4] = {M, C, K, G};

  PetscFunctionBegin;
  PetscCall(NsFeAssembleRows(fe, speed, NULL, PETSC_FALSE, &matrices));
  for (int i = 0; i < 4; i++) {
    PetscCall(NsSparseToMat(sparse[i], matrix[i]));
    PetscCall(NsSparseDestroy(sparse[i]));
    if (*matrix[i]) PetscCall(MatSetOption(*matrix[i], MAT_SYMMETRIC, i < 2 || (i == 2 && matrices.symmetric)));
  }
  PetscCall(MatSetOption(*M, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}
