/*
  Sparse assembly:  M = sum of element masses and inertias, K = sum of element stiffnesses, springs and bearings,
  C = sum over bodies (a M_b + b K_b) + dashpots,  G = gyroscopic terms at constant spin and skew parts of bearings' damping.
  Supported unknowns are skipped.

  Preallocation is exact: a row's entries are the unknowns of its node and of the node's neighbours, each counted once.
*/
#include "fe.h"

/* Neighbours of every node (itself included) through elements and springs: node numbers, each once, ascending. */
typedef struct {
  PetscInt *first, *count; /* [nodes] */
  PetscInt *item;
} Neighbours;

/* The nodes that a spring joins: one or two for each of its places. */
static PetscInt spring_nodes(const NsFe *fe, const NsFeSpring *spring, PetscInt node[4])
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
      const PetscInt n = spring_nodes(fe, &fe->spring[s], node);
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

static PetscErrorCode create_matrix(const NsFe *fe, PetscBool with_springs, Mat *matrix)
{
  Neighbours near;
  PetscInt  *entries;

  PetscFunctionBegin;
  PetscCall(find_neighbours(fe, with_springs, &near));
  PetscCall(PetscCalloc1(fe->unknowns, &entries));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    PetscInt        width   = 0;
    for (PetscInt j = 0; j < near.count[i]; j++) {
      const PetscInt  node  = near.item[near.first[i] + j];
      const PetscInt *other = NsFeNodeUnknowns(fe, node);
      for (PetscInt a = 0; a < fe->body[fe->node_body[node]].node_unknowns; a++) width += other[a] >= 0;
    }
    for (PetscInt a = 0; a < fe->body[fe->node_body[i]].node_unknowns; a++) {
      if (unknown[a] >= 0) entries[unknown[a]] = width;
    }
  }
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, fe->unknowns, fe->unknowns, 0, entries, matrix));
  PetscCall(MatSetOption(*matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
  PetscCall(PetscFree(entries));
  PetscCall(destroy_neighbours(&near));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_diagonal(const NsFe *fe, Mat *matrix)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, fe->unknowns, fe->unknowns, 1, NULL, matrix));
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

void NsFeElementValues(const NsFe *fe, const NsFeElement *element, const PetscScalar *x, PetscReal *values)
{
  PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt n = NsFeElementUnknowns(fe, element, unknown);

  for (PetscInt i = 0; i < n; i++) values[i] = unknown[i] < 0 ? 0 : x[unknown[i]];
}

/* scale * X into matrix, dropping supported rows and columns. Zeros are entered too: every matrix keeps its whole pattern. */
static PetscErrorCode add_block(Mat matrix, PetscInt n, const PetscInt *unknown, const PetscReal *X, PetscReal scale)
{
  PetscReal scaled[NS_SPRING_ENTRIES * NS_SPRING_ENTRIES];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * n; i++) scaled[i] = scale * X[i];
  PetscCall(MatSetValues(matrix, n, unknown, n, unknown, scaled, ADD_VALUES)); /* ignores negative numbers */
  PetscFunctionReturn(0);
}

static PetscErrorCode add_diagonal(Mat matrix, PetscInt n, const PetscInt *unknown, const PetscReal *X)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] >= 0) PetscCall(MatSetValue(matrix, unknown[i], unknown[i], X[i * n + i], ADD_VALUES));
  }
  PetscFunctionReturn(0);
}

/* A dashpot between the twists of the element's ends. */
static PetscErrorCode add_torsional_dashpot(const NsFe *fe, const NsFeElement *e, Mat C)
{
  const NsFeBody *body = &fe->body[e->body];
  PetscInt        unknown[NS_ELEMENT_UNKNOWNS];
  PetscReal       row[NS_ELEMENT_UNKNOWNS], X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  const PetscInt  n = NsFeElementUnknowns(fe, e, unknown), d = body->node_unknowns;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *a = body->direction[i % d];
    row[i]             = body->turns[i % d] ? (i < d ? -1 : 1) * (a[0] * e->axis[0] + a[1] * e->axis[1] + a[2] * e->axis[2]) : 0;
  }
  for (PetscInt i = 0; i < n * n; i++) X[i] = row[i / n] * row[i % n];
  PetscCall(add_block(C, n, unknown, X, body->damping_torsion));
  PetscFunctionReturn(0);
}

/* At which gyroscopic terms are part of the matrices; 0: none are. */
static PetscReal speed_of(const NsFe *fe, const NsFeBody *body, const PetscReal *speed)
{
  if (!body->is_rotor) return 0;
  if (speed) return speed[body - fe->body];
  return NsFeSpeedIsConstant(body) ? NsSpinAtStart(body->spin) : 0;
}

static PetscErrorCode add_elements(const NsFe *fe, const PetscReal *speed, PetscBool diagonal, Mat M, Mat C, Mat G, Mat K)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    PetscReal          Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], Ke[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);
    body->element->mass(body, e, Me);
    body->element->stiffness(body, e, Ke);
    if (diagonal)
      PetscCall(add_diagonal(M, n, unknown, Me));
    else
      PetscCall(add_block(M, n, unknown, Me, 1));
    PetscCall(add_block(K, n, unknown, Ke, 1));
    if (C) {
      PetscCall(add_block(C, n, unknown, Me, body->damping_mass));
      PetscCall(add_block(C, n, unknown, Ke, body->damping_stiffness));
      if (body->damping_torsion > 0) PetscCall(add_torsional_dashpot(fe, e, C));
    }
    if (G) {
      PetscReal Ge[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS] = {0};
      if (body->is_rotor && body->gyroscopic) body->element->gyroscopic(body, e, Ge);
      PetscCall(add_block(G, n, unknown, Ge, speed_of(fe, body, speed)));
    }
  }
  PetscFunctionReturn(0);
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

static PetscErrorCode add_springs(const NsFe *fe, const PetscReal *speed, Mat C, Mat G, Mat K)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < fe->springs; s++) {
    PetscInt       unknown[NS_SPRING_ENTRIES];
    PetscReal      row[NS_SPRING_ENTRIES][6], k[36], c[36], X[NS_SPRING_ENTRIES * NS_SPRING_ENTRIES];
    const PetscInt n = NsFeSpringRows(fe, &fe->spring[s], unknown, row);
    NsFeSpringMatrices(fe, &fe->spring[s], speed, k, c);
    for (int part = 1; part >= -1; part -= 2) {
      spring_block(n, row, k, part, X);
      PetscCall(add_block(K, n, unknown, X, 1));
      spring_block(n, row, c, part, X);
      if (part == 1 && C) PetscCall(add_block(C, n, unknown, X, 1));
      if (part == -1 && G) PetscCall(add_block(G, n, unknown, X, 1));
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode add_inertias(const NsFe *fe, const PetscReal *speed, PetscBool diagonal, Mat M, Mat G)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fe->inertias; i++) {
    const NsFeInertia *inertia = &fe->inertia[i];
    const NsFeBody    *body    = &fe->body[inertia->spot.body];
    PetscReal          X[NS_POINT_UNKNOWNS * NS_POINT_UNKNOWNS];
    NsPoint            point;
    NsFeExpand(fe, &inertia->spot, &point);
    NsFeInertiaMass(inertia, &point, X);
    if (diagonal)
      PetscCall(add_diagonal(M, point.unknowns, point.unknown, X));
    else
      PetscCall(add_block(M, point.unknowns, point.unknown, X, 1));
    if (!G || !inertia->gyroscopic) continue;
    NsFeDiscGyroscopic(inertia, &point, X);
    PetscCall(add_block(G, point.unknowns, point.unknown, X, speed_of(fe, body, speed)));
  }
  PetscFunctionReturn(0);
}

/* M times the acceleration of gravity; exact also where supports cut M (rows of M without the supported columns would lose weight). */
PetscErrorCode NsFeWeight(const NsFe *fe, Vec weight)
{
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(weight));
  PetscCall(VecGetArray(weight, &value));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    const PetscInt     d    = body->node_unknowns;
    PetscReal          Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);
    if (body->weightless) continue;
    body->element->mass(body, e, Me);
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt c = 0; c < n && unknown[r] >= 0; c++) {
        for (int k = 0; k < 3 && !body->turns[c % d]; k++) value[unknown[r]] += Me[r * n + c] * body->direction[c % d][k] * fe->gravity[k];
      }
    }
  }
  for (PetscInt i = 0; i < fe->inertias; i++) {
    NsPoint point;
    NsFeExpand(fe, &fe->inertia[i].spot, &point);
    for (PetscInt a = 0; a < point.unknowns; a++) {
      for (int k = 0; k < 3; k++) value[point.unknown[a]] += fe->inertia[i].mass * point.move[a][k] * fe->gravity[k];
    }
  }
  PetscCall(VecRestoreArray(weight, &value));
  PetscFunctionReturn(0);
}

static PetscBool is_diagonal(PetscInt n, const PetscReal *X)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      if (i != j && X[i * n + j] != 0) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* All bodies lumped, and no beam or disc turns about other axes than its unknowns do. */
static PetscBool mass_is_diagonal(const NsFe *fe)
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

/* The pattern of bodies without elements, which springs need not reach. */
static PetscErrorCode add_rigid_pattern(const NsFe *fe, Mat matrix)
{
  static const PetscReal zero[NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS];

  PetscFunctionBegin;
  for (PetscInt b = 0; matrix && b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (body->mesh->elements == 0) PetscCall(add_block(matrix, body->node_unknowns, NsFeNodeUnknowns(fe, body->first_node), zero, 1));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeAssemble(NsFe *fe, const PetscReal *speed, Mat *M, Mat *C, Mat *G, Mat *K)
{
  const PetscBool diagonal = mass_is_diagonal(fe);
  PetscBool       damped, skew, symmetric;
  Mat             matrix[4];

  PetscFunctionBegin;
  look_ahead(fe, speed, &damped, &skew, &symmetric);
  if (diagonal)
    PetscCall(create_diagonal(fe, M));
  else
    PetscCall(create_matrix(fe, PETSC_FALSE, M));
  PetscCall(create_matrix(fe, PETSC_TRUE, K));
  *C = *G = NULL;
  if (damped) PetscCall(create_matrix(fe, PETSC_TRUE, C));
  if (skew) PetscCall(create_matrix(fe, PETSC_TRUE, G));

  PetscCall(add_elements(fe, speed, diagonal, *M, *C, *G, *K));
  PetscCall(add_springs(fe, speed, *C, *G, *K));
  PetscCall(add_inertias(fe, speed, diagonal, *M, *G));
  PetscCall(add_rigid_pattern(fe, *K));
  PetscCall(add_rigid_pattern(fe, *C));
  PetscCall(add_rigid_pattern(fe, *G));
  matrix[0] = *M;
  matrix[1] = *C;
  matrix[2] = *K;
  matrix[3] = *G;
  for (int i = 0; i < 4; i++) {
    if (!matrix[i]) continue;
    PetscCall(MatAssemblyBegin(matrix[i], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix[i], MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(matrix[i], MAT_SYMMETRIC, i < 2 || (i == 2 && symmetric) ? PETSC_TRUE : PETSC_FALSE));
  }
  PetscCall(MatSetOption(*M, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}
