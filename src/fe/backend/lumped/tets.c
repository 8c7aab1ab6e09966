/*
  Forces of tetrahedra with straight edges, isotropic, from their shape instead of a stiffness matrix: 10 numbers an element instead of 144 or 900.

      H = sum_a u_a (grad N_a)',   S = mu (H + H') + lambda tr(H) 1,   f_a = -w S grad N_a       at one point, of ten-node ones at four

  With straight edges the gradients of the barycentric coordinates L_0 ... L_3 are constant. Those of the ten functions follow from them by constants:
  N_j = L_j (2 L_j - 1) at corners, N = 4 L_i L_j at the middle of an edge. Gradients are stored times sqrt(mu w), so that S and f need no further factor.

  Eight elements are computed side by side, one in each lane of a vector, and added one after the other: sums do not depend on how many there are on a process.
*/
#include <string.h>
#include "fe/elements/solid.h"
#include "lumped.h"

/* One number of each of NS_TETS elements. */
typedef PetscReal Lanes __attribute__((vector_size(NS_TETS * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));

static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}; /* nodes 4 to 9 are in their middles, as in Gmsh */

/* ------------------------------------------------------------------ set-up */

PetscBool NsTetsTake(const NsFeElement *e)
{
  const NsSolidCell *cell = NsSolidCellOf(e);
  PetscReal          size = 0;

  if (cell->shape != &NsSolidShape_Tet4 && cell->shape != &NsSolidShape_Tet10) return PETSC_FALSE;
  if (!cell->material->isotropic) return PETSC_FALSE;
  for (int i = 0; i < 3; i++)
    size = PetscMax(size, PetscMax(PetscAbsReal(cell->x[1][i]), PetscMax(PetscAbsReal(cell->x[2][i]), PetscAbsReal(cell->x[3][i]))));
  for (PetscInt k = 4; k < cell->shape->nodes; k++) {
    for (int i = 0; i < 3; i++) {
      const PetscReal middle = (cell->x[edge[k - 4][0]][i] + cell->x[edge[k - 4][1]][i]) / 2;
      if (PetscAbsReal(cell->x[k][i] - middle) > 1e-12 * size) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Rows of the inverse of (x1 - x0, x2 - x0, x3 - x0) are the gradients of L_1, L_2, L_3. */
static void shape_numbers(const NsSolidCell *cell, PetscReal number[NS_TET_NUMBERS])
{
  const PetscReal *C      = cell->material->C;
  const PetscReal  lambda = C[1], mu = C[(NS_SOLID_STRAINS + 1) * 3];
  PetscReal        cross[3][3];

  for (int k = 0; k < 3; k++) {
    const PetscReal *a = cell->x[1 + (k + 1) % 3], *b = cell->x[1 + (k + 2) % 3];
    for (int i = 0; i < 3; i++) cross[k][i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
  const PetscReal det   = cross[0][0] * cell->x[1][0] + cross[0][1] * cell->x[1][1] + cross[0][2] * cell->x[1][2];
  const PetscReal scale = PetscSqrtReal(mu * det / 6 / cell->shape->stiffness.points) / det;
  for (int i = 0; i < 9; i++) number[i] = scale * cross[i / 3][i % 3];
  number[9] = lambda / mu;
}

PetscErrorCode NsTetsCreate(const NsFe *fe, const NsFeBody *body, PetscInt members, const PetscInt *member, const int *entry, NsTets **result)
{
  const PetscInt nodes = body->element->nodes;
  NsTets        *tets;

  PetscFunctionBegin;
  PetscCall(PetscNew(&tets));
  *result = tets;
  *tets   = (NsTets){.nodes = nodes, .blocks = (members + NS_TETS - 1) / NS_TETS};
  PetscCall(PetscMalloc1((size_t)tets->blocks * NS_TETS * (size_t)nodes, &tets->member));
  PetscCall(PetscCalloc1((size_t)tets->blocks * NS_TETS * NS_TET_NUMBERS, &tets->shape));
  for (PetscInt m = 0; m < tets->blocks * NS_TETS; m++) {
    const NsFeElement *e = &fe->element[body->first_element + member[PetscMin(m, members - 1)]];
    PetscReal          number[NS_TET_NUMBERS];
    for (PetscInt k = 0; k < nodes; k++) tets->member[m * nodes + k] = entry[e->node[k]];
    if (m >= members) continue;
    shape_numbers(NsSolidCellOf(e), number);
    for (int i = 0; i < NS_TET_NUMBERS; i++)
      tets->shape[((size_t)(m / NS_TETS) * NS_TET_NUMBERS + (size_t)i) * NS_TETS + (size_t)(m % NS_TETS)] = number[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsTetsDestroy(NsTets **tets)
{
  PetscFunctionBegin;
  if (!*tets) PetscFunctionReturn(0);
  PetscCall(PetscFree((*tets)->member));
  PetscCall(PetscFree((*tets)->shape));
  PetscCall(PetscFree(*tets));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ forces */

#define INLINE static inline __attribute__((always_inline))

/* Displacements of all nodes but the first, relative to that one, which strain as much. */
INLINE void gather(const PetscInt nodes, const PetscReal *restrict motion, const int *restrict member, Lanes (*restrict u)[3])
{
  for (PetscInt l = 0; l < NS_TETS; l++) {
    const PetscReal *restrict first = motion + member[l * nodes];
    for (PetscInt a = 1; a < nodes; a++) {
      const PetscReal *restrict here = motion + member[l * nodes + a];
      for (int i = 0; i < 3; i++) u[a - 1][i][l] = here[i] - first[i];
    }
  }
}

INLINE void scatter(const PetscInt nodes, const Lanes (*restrict f)[3], const int *restrict member, PetscReal *restrict force)
{
  for (PetscInt l = 0; l < NS_TETS; l++) {
    for (PetscInt a = 0; a < nodes; a++) {
      PetscReal *restrict here = force + member[l * nodes + a];
      for (int i = 0; i < 3; i++) here[i] -= f[a][i][l];
    }
  }
}

/* T_j = S grad L_j, j = 1 ... 3, with S of H = sum_j D_j (grad L_j)'. */
INLINE void stress(const Lanes *restrict g, const Lanes (*restrict D)[3], Lanes (*restrict T)[3])
{
  Lanes H[3][3], S[3][3];

  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) H[i][k] = D[0][i] * g[k] + D[1][i] * g[3 + k] + D[2][i] * g[6 + k];
  }
  const Lanes pressure = g[9] * (H[0][0] + H[1][1] + H[2][2]);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) S[i][k] = H[i][k] + H[k][i];
    S[i][i] += pressure;
  }
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) T[j][i] = S[i][0] * g[3 * j] + S[i][1] * g[3 * j + 1] + S[i][2] * g[3 * j + 2];
  }
}

INLINE void add_tet4(const NsTets *tets, const PetscReal *restrict motion, PetscReal *restrict force)
{
  const Lanes *g = (const Lanes *)tets->shape;

  for (PetscInt b = 0; b < tets->blocks; b++, g += NS_TET_NUMBERS) {
    const int *member = tets->member + (size_t)b * NS_TETS * 4;
    Lanes      u[3][3], f[4][3];
    gather(4, motion, member, u);
    stress(g, (const Lanes(*)[3])u, f + 1);
    for (int i = 0; i < 3; i++) f[0][i] = -(f[1][i] + f[2][i] + f[3][i]);
    scatter(4, (const Lanes(*)[3])f, member, force);
  }
}

/* D_j = sum_a u_a dN_a/dL_j - the same for L_0, j = 1 ... 3, where L_at = A and the others are B. u begins with node 1, and u_0 = 0. */
INLINE void differences(const int at, const Lanes (*restrict u)[3], Lanes (*restrict D)[3])
{
  const PetscReal A = 0.585410196624968515, B = 0.138196601125010504;
  Lanes           all[4][3];

  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 3; i++) all[j][i] = (4 * (j == at ? A : B) - 1) * (j ? u[j - 1][i] : (Lanes){0});
  }
  for (int m = 0; m < 6; m++) {
    const int j = edge[m][0], k = edge[m][1];
    for (int i = 0; i < 3; i++) {
      all[j][i] += 4 * (k == at ? A : B) * u[3 + m][i];
      all[k][i] += 4 * (j == at ? A : B) * u[3 + m][i];
    }
  }
  for (int j = 1; j < 4; j++) {
    for (int i = 0; i < 3; i++) D[j - 1][i] = all[j][i] - all[0][i];
  }
}

/* The transpose of it: f_a += sum_j dN_a/dL_j T_j, T_0 = -(T_1 + T_2 + T_3). */
INLINE void to_nodes(const int at, const Lanes (*restrict T)[3], Lanes (*restrict f)[3])
{
  const PetscReal A = 0.585410196624968515, B = 0.138196601125010504;
  Lanes           all[4][3];

  for (int i = 0; i < 3; i++) {
    all[0][i] = -(T[0][i] + T[1][i] + T[2][i]);
    for (int j = 1; j < 4; j++) all[j][i] = T[j - 1][i];
  }
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 3; i++) f[j][i] += (4 * (j == at ? A : B) - 1) * all[j][i];
  }
  for (int m = 0; m < 6; m++) {
    const int j = edge[m][0], k = edge[m][1];
    for (int i = 0; i < 3; i++) f[4 + m][i] += 4 * (k == at ? A : B) * all[j][i] + 4 * (j == at ? A : B) * all[k][i];
  }
}

INLINE void add_tet10(const NsTets *tets, const PetscReal *restrict motion, PetscReal *restrict force)
{
  const Lanes *g = (const Lanes *)tets->shape;

  for (PetscInt b = 0; b < tets->blocks; b++, g += NS_TET_NUMBERS) {
    const int *member = tets->member + (size_t)b * NS_TETS * 10;
    Lanes      u[9][3], D[3][3], T[3][3], f[10][3];
    gather(10, motion, member, u);
    memset(f, 0, sizeof(f));
#pragma GCC unroll 4
    for (int at = 0; at < 4; at++) {
      differences(at, (const Lanes(*)[3])u, D);
      stress(g, (const Lanes(*)[3])D, T);
      to_nodes(at, (const Lanes(*)[3])T, f);
    }
    scatter(10, (const Lanes(*)[3])f, member, force);
  }
}

NS_FOR_EACH_PROCESSOR
void NsTetsAdd(const NsTets *tets, const PetscReal *motion, PetscReal *force)
{
  if (tets->nodes == 4)
    add_tet4(tets, motion, force);
  else
    add_tet10(tets, motion, force);
}
