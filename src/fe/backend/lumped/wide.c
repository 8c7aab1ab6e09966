/*
  Forces of elements of more than two nodes: gathered, multiplied with the element's matrix, scattered.

      f = -K w - C v        K column by column, n = nodes x DOF of a node

  With constant n the compiler keeps all of f in registers. On x86-64 there are versions for wider registers, chosen when the program starts; sums run in the same order in each,
  without fused products, so that results have the same bits.
*/
#include "lumped.h"

/* clang 14 gives the versions names of its own, which other files do not find. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define NS_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define NS_FOR_EACH_PROCESSOR
#endif

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

static inline __attribute__((always_inline)) void add_forces(const PetscInt nodes, const PetscInt d, const NsGroup *group, int which,
  const PetscReal *restrict motion, const PetscReal *restrict rate, PetscReal *restrict force)
{
  const PetscInt n = nodes * d;

  for (PetscInt m = 0; m < group->members; m++) {
    const int       *member = group->member + (nodes + 1) * m;
    const PetscReal *X      = group->kinds.row + (size_t)group->kinds.width * (size_t)member[nodes];
    PetscReal        x[NS_ELEMENT_UNKNOWNS], f[NS_ELEMENT_UNKNOWNS];
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
