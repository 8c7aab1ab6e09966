/*
  Sparse assembly:  M = sum of element masses and point masses, K = sum of element stiffnesses and springs,
  C = sum over bodies (a M_b + b K_b) + dashpots.  Supported unknowns are skipped.

  Preallocation is exact: a row's entries are the unknowns of its node and of the node's neighbours, each counted once.
*/
#include "fe.h"

/* Neighbours of every node (itself included) through elements and springs: node numbers, each once, ascending. */
typedef struct {
  PetscInt *first, *count; /* [nodes] */
  PetscInt *item;
} Neighbours;

static void link_nodes(Neighbours *near, PetscInt a, PetscInt b)
{
  near->item[near->first[a] + near->count[a]++] = b;
  near->item[near->first[b] + near->count[b]++] = a;
}

static PetscErrorCode find_neighbours(const NsFe *fe, PetscBool with_springs, Neighbours *near)
{
  const PetscInt springs = with_springs ? fe->springs : 0;
  PetscInt       total   = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(fe->nodes, &near->first, fe->nodes, &near->count));
  for (PetscInt i = 0; i < fe->nodes; i++) near->count[i] = 1;
  for (PetscInt i = 0; i < fe->elements; i++) {
    for (int k = 0; k < 2; k++) near->count[fe->element[i].node[k]]++;
  }
  for (PetscInt i = 0; i < springs; i++) {
    for (int k = 0; k < 2 && fe->spring[i].node[1] >= 0; k++) near->count[fe->spring[i].node[k]]++;
  }
  for (PetscInt i = 0; i < fe->nodes; i++) {
    near->first[i] = total;
    total += near->count[i];
    near->count[i] = 0;
  }
  PetscCall(PetscMalloc1(total, &near->item));
  for (PetscInt i = 0; i < fe->nodes; i++) near->item[near->first[i] + near->count[i]++] = i;
  for (PetscInt i = 0; i < fe->elements; i++) link_nodes(near, fe->element[i].node[0], fe->element[i].node[1]);
  for (PetscInt i = 0; i < springs; i++) {
    if (fe->spring[i].node[1] >= 0) link_nodes(near, fe->spring[i].node[0], fe->spring[i].node[1]);
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
    PetscInt width = 0;
    for (PetscInt j = 0; j < near.count[i]; j++) {
      const PetscInt *unknown = fe->unknown + NS_NODE_UNKNOWNS * near.item[near.first[i] + j];
      for (PetscInt a = 0; a < NS_NODE_UNKNOWNS; a++) width += unknown[a] >= 0;
    }
    for (PetscInt a = 0; a < NS_NODE_UNKNOWNS; a++) {
      const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * i + a];
      if (unknown >= 0) entries[unknown] = width;
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
    for (PetscInt a = 0; a < d; a++) unknown[k * d + a] = fe->unknown[NS_NODE_UNKNOWNS * element->node[k] + a];
  }
  return 2 * d;
}

/* scale * X into matrix, dropping supported rows and columns. Zeros are entered too: every matrix keeps its whole pattern. */
static PetscErrorCode add_element(Mat matrix, PetscInt n, const PetscInt *unknown, const PetscReal *X, PetscReal scale)
{
  PetscReal scaled[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

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

static PetscErrorCode add_elements(const NsFe *fe, PetscBool lumped, Mat M, Mat C, Mat K)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    PetscReal          Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], Ke[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);
    body->element->mass(e, body->node_unknowns, body->lumped, Me);
    body->element->stiffness(e, body->node_unknowns, Ke);
    if (lumped)
      PetscCall(add_diagonal(M, n, unknown, Me));
    else
      PetscCall(add_element(M, n, unknown, Me, 1));
    PetscCall(add_element(K, n, unknown, Ke, 1));
    if (!C) continue;
    PetscCall(add_element(C, n, unknown, Me, body->damping_mass));
    PetscCall(add_element(C, n, unknown, Ke, body->damping_stiffness));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode add_springs(const NsFe *fe, Mat C, Mat K)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < fe->springs; s++) {
    const NsFeSpring *spring = &fe->spring[s];
    PetscInt          unknown[NS_ELEMENT_UNKNOWNS], n = 0;
    PetscReal         row[NS_ELEMENT_UNKNOWNS], X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    for (int p = 0; p < 2 && spring->node[p] >= 0; p++) { /* elongation = row . q */
      const NsFeBody *body = &fe->body[fe->node_body[spring->node[p]]];
      for (PetscInt a = 0; a < body->node_unknowns; a++) {
        unknown[n] = fe->unknown[NS_NODE_UNKNOWNS * spring->node[p] + a];
        row[n]     = 0;
        for (int k = 0; k < 3; k++) row[n] += (p ? 1 : -1) * spring->direction[k] * body->direction[a][k];
        n++;
      }
    }
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < n; j++) X[i * n + j] = row[i] * row[j];
    }
    PetscCall(add_element(K, n, unknown, X, spring->stiffness));
    if (C) PetscCall(add_element(C, n, unknown, X, spring->damping));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode add_masses(const NsFe *fe, Mat M)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fe->masses; i++) {
    const PetscInt node = fe->mass[i].node;
    for (PetscInt a = 0; a < NS_NODE_UNKNOWNS; a++) {
      const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * node + a];
      if (unknown >= 0) PetscCall(MatSetValue(M, unknown, unknown, fe->mass[i].mass, ADD_VALUES));
    }
  }
  PetscFunctionReturn(0);
}

/* M times the acceleration of gravity; exact also where supports cut M (rows of M without the supported columns would lose weight). */
static PetscErrorCode make_weight(const NsFe *fe, Vec weight)
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
    body->element->mass(e, d, body->lumped, Me);
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt c = 0; c < n && unknown[r] >= 0; c++) {
        for (int k = 0; k < 3; k++) value[unknown[r]] += Me[r * n + c] * body->direction[c % d][k] * fe->gravity[k];
      }
    }
  }
  for (PetscInt i = 0; i < fe->masses; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[fe->mass[i].node]];
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * fe->mass[i].node + a];
      for (int k = 0; unknown >= 0 && k < 3; k++) value[unknown] += fe->mass[i].mass * body->direction[a][k] * fe->gravity[k];
    }
  }
  PetscCall(VecRestoreArray(weight, &value));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeAssemble(NsFe *fe, Mat *M, Mat *C, Mat *K, Vec *weight)
{
  PetscBool damped = PETSC_FALSE, lumped = PETSC_TRUE;
  Mat       matrix[3];

  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    damped = damped || fe->body[b].damping_mass > 0 || fe->body[b].damping_stiffness > 0 ? PETSC_TRUE : PETSC_FALSE;
    lumped = lumped && fe->body[b].lumped ? PETSC_TRUE : PETSC_FALSE;
  }
  for (PetscInt s = 0; s < fe->springs; s++) damped = damped || fe->spring[s].damping > 0 ? PETSC_TRUE : PETSC_FALSE;

  if (lumped)
    PetscCall(create_diagonal(fe, M)); /* all bodies lumped */
  else
    PetscCall(create_matrix(fe, PETSC_FALSE, M));
  PetscCall(create_matrix(fe, PETSC_TRUE, K));
  *C = NULL;
  if (damped) PetscCall(create_matrix(fe, PETSC_TRUE, C));

  PetscCall(add_elements(fe, lumped, *M, *C, *K));
  PetscCall(add_springs(fe, *C, *K));
  PetscCall(add_masses(fe, *M));
  matrix[0] = *M;
  matrix[1] = *C;
  matrix[2] = *K;
  for (int i = 0; i < 3; i++) {
    if (!matrix[i]) continue;
    PetscCall(MatAssemblyBegin(matrix[i], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix[i], MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(matrix[i], MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscCall(MatSetOption(*M, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(*M, weight, NULL));
  PetscCall(make_weight(fe, *weight));
  PetscFunctionReturn(0);
}
