/*
  Sparse assembly:  M = sum of element masses and inertias, K = sum of element stiffnesses, springs and bearings,
  C = sum over bodies (a M_b + b K_b) + dashpots,  G = gyroscopic terms at constant spin and skew parts of bearings' damping.
  Supported unknowns are skipped.

  A row's entries are the unknowns of its node and of the node's neighbours. Contributions are added in the order of the elements, so that a row is the same to the last bit
  on whatever process it is.
*/
#include <string.h>
#include "fe.h"

/* What is being assembled: one matrix and where its rows are. */
typedef struct {
  NsSparse       *to;      /* NULL: not wanted */
  const PetscInt *held_at; /* [unknowns] row of to, -1: another process has it; NULL: the number itself */
} Target;

enum { MASS, DAMPERS, GYROSCOPIC, STIFFNESS };

/* Neighbours of every node (itself included) through elements and springs: node numbers, each once, ascending. */
typedef struct {
  PetscInt *first, *count; /* [nodes] */
  PetscInt *item;
} Neighbours;

PetscInt NsFeSpringNodes(const NsFe *fe, const NsFeSpring *spring, PetscInt node[4])
{
  PetscInt n = 0;

  for (int p = 0; p < 2; p++) {
    const NsFeSpot *spot = &spring->spot[p];
    if (spot->body < 0) continue;
    if (spot->node >= 0) {
      node[n++] = spot->node;
    } else {
      for (int k = 0; k < 2; k++) node[n++] = fe->element[spot->element].node[k];
    }
  }
  return n;
}

/* Each of these nodes with each other; counts only while `item` is not there. */
static void link_nodes(Neighbours *near, PetscInt n, const PetscInt *node)
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt b = 0; b < n; b++) {
      if (a == b) continue;
      if (near->item) near->item[near->first[node[a]] + near->count[node[a]]] = node[b];
      near->count[node[a]]++;
    }
  }
}

static PetscErrorCode find_neighbours(const NsFe *fe, PetscBool with_springs, Neighbours *near)
{
  const PetscInt springs = with_springs ? fe->springs : 0;

  PetscFunctionBegin;
  near->item = NULL;
  PetscCall(PetscCalloc2(fe->nodes, &near->first, fe->nodes, &near->count));
  for (int pass = 0; pass < 2; pass++) {
    PetscInt total = 0;
    for (PetscInt i = 0; pass && i < fe->nodes; i++) {
      near->first[i] = total;
      total += near->count[i];
    }
    if (pass) PetscCall(PetscMalloc1(total, &near->item));
    for (PetscInt i = 0; i < fe->nodes; i++) {
      if (pass) near->item[near->first[i]] = i;
      near->count[i] = 1;
    }
    for (PetscInt i = 0; i < fe->elements; i++) link_nodes(near, 2, fe->element[i].node);
    for (PetscInt s = 0; s < springs; s++) {
      PetscInt       node[4];
      const PetscInt n = NsFeSpringNodes(fe, &fe->spring[s], node);
      link_nodes(near, n, node);
    }
  }
  for (PetscInt i = 0; i < fe->nodes; i++) PetscCall(PetscSortRemoveDupsInt(&near->count[i], near->item + near->first[i]));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_neighbours(Neighbours *near)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(near->item));
  PetscCall(PetscFree2(near->first, near->count));
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
static PetscInt node_columns(const NsFe *fe, const Neighbours *near, PetscInt node, PetscInt *column)
{
  PetscInt count = 0;

  for (PetscInt j = 0; j < near->count[node]; j++) {
    const PetscInt  other   = near->item[near->first[node] + j];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, other); /* ascending, as nodes are */
    for (PetscInt a = 0; a < fe->body[fe->node_body[other]].node_unknowns; a++) {
      if (unknown[a] < 0) continue;
      if (column) column[count] = unknown[a];
      count++;
    }
  }
  return count;
}

static PetscErrorCode create_matrix(const NsFe *fe, const PetscBool *mine, const Neighbours *near, const Target *target)
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
          if (width < 0) width = node_columns(fe, near, i, NULL);
          matrix->start[row + 1] = width;
        } else if (first < 0) {
          first = matrix->start[row];
          width = node_columns(fe, near, i, matrix->column + first);
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
  const PetscInt d = fe->body[element->body].node_unknowns;

  for (PetscInt k = 0; k < 2; k++) {
    const PetscInt *numbers = NsFeNodeUnknowns(fe, element->node[k]);
    for (PetscInt a = 0; a < d; a++) unknown[k * d + a] = numbers[a];
  }
  return 2 * d;
}

void NsFeElementValues(const NsFe *fe, const NsLayout *layout, const NsFeElement *element, const PetscScalar *x, PetscReal *values)
{
  PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt n = NsFeElementUnknowns(fe, element, unknown);

  for (PetscInt i = 0; i < n; i++) values[i] = unknown[i] < 0 ? 0 : x[layout ? NsLayoutPlace(layout, unknown[i]) : unknown[i]];
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

/* A dashpot between the twists of the element's ends. */
static void add_torsional_dashpot(const NsFe *fe, const NsFeElement *e, const Target *C)
{
  const NsFeBody *body                         = &fe->body[e->body];
  PetscInt        unknown[NS_ELEMENT_UNKNOWNS] = {0};
  PetscReal       row[NS_ELEMENT_UNKNOWNS]     = {0}, X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  const PetscInt  n = NsFeElementUnknowns(fe, e, unknown), d = body->node_unknowns;

  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *a = body->direction[i % d];
    row[i]             = body->turns[i % d] ? (i < d ? -1 : 1) * (a[0] * e->axis[0] + a[1] * e->axis[1] + a[2] * e->axis[2]) : 0;
  }
  for (PetscInt i = 0; i < n * n; i++) X[i] = row[i / n] * row[i % n];
  add_block(C, n, unknown, X, body->damping_torsion);
}

/* At which gyroscopic terms are part of the matrices; 0: none are. */
static PetscReal speed_of(const NsFe *fe, const NsFeBody *body, const PetscReal *speed)
{
  if (!body->is_rotor) return 0;
  if (speed) return speed[body - fe->body];
  return NsFeSpeedIsConstant(body) ? NsSpinAtStart(body->spin) : 0;
}

static void add_elements(const NsFe *fe, const PetscReal *speed, PetscBool diagonal, const Target target[4])
{
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    PetscReal          Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], Ke[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS] = {0};
    const PetscInt     n                            = NsFeElementUnknowns(fe, e, unknown);
    NsFeElementMass(fe, e, Me);
    if (target[STIFFNESS].to) body->element->stiffness(body, e, Ke);
    if (diagonal)
      add_diagonal(&target[MASS], n, unknown, Me);
    else
      add_block(&target[MASS], n, unknown, Me, 1);
    if (!target[STIFFNESS].to) continue;
    add_block(&target[STIFFNESS], n, unknown, Ke, 1);
    if (target[DAMPERS].to) {
      add_block(&target[DAMPERS], n, unknown, Me, body->damping_mass);
      add_block(&target[DAMPERS], n, unknown, Ke, body->damping_stiffness);
      if (body->damping_torsion > 0) add_torsional_dashpot(fe, e, &target[DAMPERS]);
    }
    if (target[GYROSCOPIC].to) {
      PetscReal Ge[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS] = {0};
      if (body->is_rotor && body->gyroscopic) body->element->gyroscopic(body, e, Ge);
      add_block(&target[GYROSCOPIC], n, unknown, Ge, speed_of(fe, body, speed));
    }
  }
}

/* row' X row for the places of a spring; part 1 the symmetric, -1 the skew part of X. */
static void spring_block(PetscInt n, PetscReal (*row)[6], const PetscReal *X, int part, PetscReal *Y)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      Y[i * n + j] = 0;
      for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) Y[i * n + j] += row[i][a] * row[j][b] * (X[6 * a + b] + part * X[6 * b + a]) / 2;
      }
    }
  }
}

static void add_springs(const NsFe *fe, const PetscReal *speed, const Target target[4])
{
  for (PetscInt s = 0; s < fe->springs; s++) {
    PetscInt       unknown[NS_SPRING_ENTRIES];
    PetscReal      row[NS_SPRING_ENTRIES][6], k[36], c[36], X[NS_SPRING_ENTRIES * NS_SPRING_ENTRIES];
    const PetscInt n = NsFeSpringRows(fe, &fe->spring[s], unknown, row);
    NsFeSpringMatrices(fe, &fe->spring[s], speed, k, c);
    for (int part = 1; part >= -1; part -= 2) {
      spring_block(n, row, k, part, X);
      add_block(&target[STIFFNESS], n, unknown, X, 1);
      spring_block(n, row, c, part, X);
      if (part == 1 && target[DAMPERS].to) add_block(&target[DAMPERS], n, unknown, X, 1);
      if (part == -1 && target[GYROSCOPIC].to) add_block(&target[GYROSCOPIC], n, unknown, X, 1);
    }
  }
}

static void add_inertias(const NsFe *fe, const PetscReal *speed, PetscBool diagonal, const Target target[4])
{
  for (PetscInt i = 0; i < fe->inertias; i++) {
    const NsFeInertia *inertia = &fe->inertia[i];
    const NsFeBody    *body    = &fe->body[inertia->spot.body];
    PetscReal          X[NS_POINT_UNKNOWNS * NS_POINT_UNKNOWNS];
    NsPoint            point;
    NsFeExpand(fe, &inertia->spot, &point);
    NsFeInertiaMass(inertia, &point, X);
    if (diagonal)
      add_diagonal(&target[MASS], point.unknowns, point.unknown, X);
    else
      add_block(&target[MASS], point.unknowns, point.unknown, X, 1);
    if (!target[GYROSCOPIC].to || !inertia->gyroscopic) continue;
    NsFeDiscGyroscopic(inertia, &point, X);
    add_block(&target[GYROSCOPIC], point.unknowns, point.unknown, X, speed_of(fe, body, speed));
  }
}

/* M times the acceleration of gravity; exact also where supports cut M (rows of M without the supported columns would lose weight). */
void NsFeWeight(const NsFe *fe, PetscReal *weight)
{
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    const PetscInt     d    = body->node_unknowns;
    PetscReal          Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS] = {0};
    const PetscInt     n                            = NsFeElementUnknowns(fe, e, unknown);
    if (body->weightless) continue;
    NsFeElementMass(fe, e, Me);
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt c = 0; c < n && unknown[r] >= 0; c++) {
        for (int k = 0; k < 3 && !body->turns[c % d]; k++) weight[unknown[r]] += Me[r * n + c] * body->direction[c % d][k] * fe->gravity[k];
      }
    }
  }
  for (PetscInt i = 0; i < fe->inertias; i++) {
    NsPoint point;
    NsFeExpand(fe, &fe->inertia[i].spot, &point);
    for (PetscInt a = 0; a < point.unknowns; a++) {
      for (int k = 0; k < 3; k++) weight[point.unknown[a]] += fe->inertia[i].mass * point.move[a][k] * fe->gravity[k];
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
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeBody *body = &fe->body[fe->element[i].body];
    if (!fe->element[i].beam) continue;
    body->element->mass(body, &fe->element[i], X);
    if (!is_diagonal(2 * body->node_unknowns, X)) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < fe->inertias; i++) {
    NsPoint point;
    NsFeExpand(fe, &fe->inertia[i].spot, &point);
    NsFeInertiaMass(&fe->inertia[i], &point, X);
    if (!is_diagonal(point.unknowns, X)) return PETSC_FALSE;
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
    if (body->damping_mass > 0 || body->damping_stiffness > 0 || body->damping_torsion > 0) *damped = PETSC_TRUE;
    if (speed_of(fe, body, speed) != 0) *skew = PETSC_TRUE;
  }
  for (PetscInt s = 0; s < fe->springs; s++) {
    PetscReal k[36], c[36];
    NsFeSpringMatrices(fe, &fe->spring[s], speed, k, c);
    for (int i = 0; i < 36; i++) {
      const int j = 6 * (i % 6) + i / 6;
      if (c[i] != 0) *damped = PETSC_TRUE;
      if (c[i] != c[j]) *skew = PETSC_TRUE;
    }
    if (NsFeSpringCirculates(fe, &fe->spring[s], speed)) *symmetric = PETSC_FALSE;
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
  Neighbours joined, near;

  PetscFunctionBegin;
  memset(matrices, 0, sizeof(*matrices));
  matrices->diagonal = NsFeMassIsDiagonal(fe);
  look_ahead(fe, speed, &matrices->damped, &matrices->skew, &matrices->symmetric);
  PetscCall(index_rows(fe, mine, &held_at));
  const Target target[4] = {{&matrices->M, held_at}, {matrices->damped && !mass_alone ? &matrices->C : NULL, held_at},
    {matrices->skew && !mass_alone ? &matrices->G : NULL, held_at}, {mass_alone ? NULL : &matrices->K, held_at}};
  if (!mass_alone) PetscCall(find_neighbours(fe, PETSC_TRUE, &near));
  if (matrices->diagonal) {
    PetscCall(create_diagonal(fe, mine, &target[MASS]));
  } else {
    PetscCall(find_neighbours(fe, PETSC_FALSE, &joined));
    PetscCall(create_matrix(fe, mine, &joined, &target[MASS]));
    PetscCall(destroy_neighbours(&joined));
  }
  for (int i = DAMPERS; i <= STIFFNESS; i++) {
    if (target[i].to) PetscCall(create_matrix(fe, mine, &near, &target[i]));
  }
  if (!mass_alone) PetscCall(destroy_neighbours(&near));
  add_elements(fe, speed, matrices->diagonal, target);
  if (!mass_alone) add_springs(fe, speed, target);
  add_inertias(fe, speed, matrices->diagonal, target);
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
    if (*matrix[i]) PetscCall(MatSetOption(*matrix[i], MAT_SYMMETRIC, i < 2 || (i == 2 && matrices.symmetric) ? PETSC_TRUE : PETSC_FALSE));
  }
  PetscCall(MatSetOption(*M, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}
