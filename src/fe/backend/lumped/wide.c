/*
  Forces of elements of more than two nodes: gathered, multiplied with the element's matrix, scattered.

      f = -K w - C v        K column by column, n = nodes x DOF of a node

  Four elements in succession with the same matrix are computed side by side, one in each lane of a vector: each number of the matrix is then read once for four.

  With constant n the compiler keeps all of f in registers. On x86-64 there are versions for wider registers, chosen when the program starts; sums run in the same order in each,
  without fused products, so that results have the same bits.
*/
#include "lumped.h"

/* Two and four numbers in a vector register, or in several narrower ones. */
typedef PetscReal Two __attribute__((vector_size(2 * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));
typedef PetscReal Four __attribute__((vector_size(4 * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));

/* Values of the nodes, those from DOF `relative` of each on less those of the first node. */
static inline __attribute__((always_inline)) void gather(
  const PetscInt nodes, const PetscInt d, PetscInt relative, const PetscReal *restrict values, const int *restrict member, PetscReal *restrict x)
{
  for (PetscInt k = 0; k < nodes; k++) {
    for (PetscInt i = 0; i < d; i++) x[k * d + i] = values[member[k] + i];
  }
  for (PetscInt i = relative; i < d; i++) {
    const PetscReal first = x[i];
    for (PetscInt k = 0; k < nodes; k++) x[k * d + i] -= first;
  }
}

/* f[n] += X x, n a multiple of the numbers in a Vector. */
#define ADD_PRODUCT(Vector, n, X, x, f) \
  do { \
    const PetscInt   lanes  = (PetscInt)(sizeof(Vector) / sizeof(PetscReal)); \
    const PetscReal *column = X; \
    Vector           sum[NS_ELEMENT_UNKNOWNS / 2]; \
    for (PetscInt i = 0; i < (n) / lanes; i++) sum[i] = ((const Vector *)(f))[i]; \
    _Pragma("GCC unroll 1") for (PetscInt j = 0; j < (n); j++, column += (n)) \
    { \
      const PetscReal xj = x[j]; \
      for (PetscInt i = 0; i < (n) / lanes; i++) sum[i] += ((const Vector *)column)[i] * xj; \
    } \
    for (PetscInt i = 0; i < (n) / lanes; i++) ((Vector *)(f))[i] = sum[i]; \
  } while (0)

enum { LANES = 4 };
typedef PetscReal Lanes __attribute__((vector_size(LANES * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));

/* LANES elements with the matrix X; two, four or eight rows at a time, whose sums stay in registers. */
static inline __attribute__((always_inline)) void add_alike(const PetscInt nodes, const PetscInt d, PetscInt relative, const int *restrict member,
  const PetscReal *restrict X, const PetscReal *restrict motion, PetscReal *restrict force)
{
  const PetscInt n = nodes * d, rows = n % 8 ? (n % 4 ? 2 : 4) : 8;
  Lanes          x[NS_ELEMENT_UNKNOWNS], f[NS_ELEMENT_UNKNOWNS];

  for (PetscInt l = 0; l < LANES; l++) {
    const int *node = member + (nodes + 1) * l;
    for (PetscInt k = 0; k < nodes; k++) {
      for (PetscInt i = 0; i < d; i++) x[k * d + i][l] = motion[node[k] + i];
    }
  }
  for (PetscInt i = relative; i < d; i++) {
    const Lanes first = x[i];
    for (PetscInt k = 0; k < nodes; k++) x[k * d + i] -= first;
  }
  for (PetscInt i = 0; i < n; i += rows) {
    Lanes sum[8] = {{0}};
    for (PetscInt j = 0; j < n; j++) {
      for (PetscInt k = 0; k < rows; k++) sum[k] += X[j * n + i + k] * x[j];
    }
    for (PetscInt k = 0; k < rows; k++) f[i + k] = sum[k];
  }
  for (PetscInt l = 0; l < LANES; l++) {
    const int *node = member + (nodes + 1) * l;
    for (PetscInt k = 0; k < nodes; k++) {
      for (PetscInt i = 0; i < d; i++) force[node[k] + i] -= f[k * d + i][l];
    }
  }
}

/* Whether LANES members from m on have one matrix and nothing but it. */
static inline PetscBool alike(const NsGroup *group, PetscInt m, const PetscReal *rate)
{
  const PetscInt width = group->nodes + 1;

  if (rate || m + LANES > group->members) return PETSC_FALSE;
  for (PetscInt l = 1; l < LANES; l++) {
    if (group->member[width * (m + l) + group->nodes] != group->member[width * m + group->nodes]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static inline __attribute__((always_inline)) void add_forces(const PetscInt nodes, const PetscInt d, const NsGroup *group, int which,
  const PetscReal *restrict motion, const PetscReal *restrict rate, PetscReal *restrict force)
{
  const PetscInt n = nodes * d;

  for (PetscInt m = 0; m < group->members; m++) {
    const int       *member = group->member + (nodes + 1) * m;
    const PetscReal *X      = group->kinds.row + (size_t)group->kinds.width * (size_t)member[nodes];
    PetscReal        x[NS_ELEMENT_UNKNOWNS], f[NS_ELEMENT_UNKNOWNS];
    if (alike(group, m, rate)) {
      add_alike(nodes, d, group->slides, member, X, motion, force);
      m += LANES - 1;
      continue;
    }
    for (PetscInt i = 0; i < n; i++) f[i] = 0;
    gather(nodes, d, group->slides, motion, member, x);
    if (n % 4 == 0)
      ADD_PRODUCT(Four, n, X, x, f);
    else
      ADD_PRODUCT(Two, n, X, x, f);
    if (rate) {
      gather(nodes, d, d, rate, member, x);
      for (PetscInt j = 0; j < n; j++) {
        for (PetscInt i = 0; i < n; i++) f[i] += X[(which * n + j) * n + i] * x[j];
      }
    }
    for (PetscInt k = 0; k < nodes; k++) {
      for (PetscInt i = 0; i < d; i++) force[member[k] + i] -= f[k * d + i];
    }
  }
}

/* With any numbers: elements whose n is odd, or that have no version of their own. */
static void add_any_forces(const NsGroup *group, int which, const PetscReal *motion, const PetscReal *rate, PetscReal *force)
{
  const PetscInt nodes = group->nodes, d = group->node_unknowns, n = nodes * d;

  for (PetscInt m = 0; m < group->members; m++) {
    const int       *member = group->member + (nodes + 1) * m;
    const PetscReal *X      = group->kinds.row + (size_t)group->kinds.width * (size_t)member[nodes];
    PetscReal        x[NS_ELEMENT_UNKNOWNS], f[NS_ELEMENT_UNKNOWNS];
    for (PetscInt i = 0; i < n; i++) f[i] = 0;
    for (int part = 0; part < (rate ? 2 : 1); part++) {
      gather(nodes, d, part ? d : group->slides, part ? rate : motion, member, x);
      for (PetscInt j = 0; j < n; j++) {
        for (PetscInt i = 0; i < n; i++) f[i] += X[((part ? which : 0) * n + j) * n + i] * x[j];
      }
    }
    for (PetscInt i = 0; i < n; i++) force[member[i / d] + i % d] -= f[i];
  }
}

NS_FOR_EACH_PROCESSOR
void NsLumpedAddWide(const NsGroup *group, int which, const PetscReal *motion, const PetscReal *rate, PetscReal *force)
{
  switch (10 * group->nodes + group->node_unknowns) {
  case 32: add_forces(3, 2, group, which, motion, rate, force); break;
  case 42: add_forces(4, 2, group, which, motion, rate, force); break;
  case 43: add_forces(4, 3, group, which, motion, rate, force); break;
  case 83: add_forces(8, 3, group, which, motion, rate, force); break;
  case 103: add_forces(10, 3, group, which, motion, rate, force); break;
  default: add_any_forces(group, which, motion, rate, force);
  }
}
