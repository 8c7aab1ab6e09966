/* Mortar in the plane: pieces of a slave's line opposite to the master's lines. */
#include "mortar.h"

static PetscReal cross(const PetscReal a[2], const PetscReal b[2])
{
  return a[0] * b[1] - a[1] * b[0];
}

/* s in 0..1 along the line A B with (A + s (B - A) - C) x (nA + s (nB - nA)) = 0: where C is seen from along the normals. */
static PetscReal project(const PetscReal A[2], const PetscReal B[2], const PetscReal nA[2], const PetscReal nB[2], const PetscReal C[2])
{
  const PetscReal a0[2] = {A[0] - C[0], A[1] - C[1]}, a1[2] = {B[0] - A[0], B[1] - A[1]}, b1[2] = {nB[0] - nA[0], nB[1] - nA[1]};
  const PetscReal q2 = cross(a1, b1), q1 = cross(a0, b1) + cross(a1, nA), q0 = cross(a0, nA);

  if (PetscAbsReal(q2 * q0) < 1e-14 * q1 * q1) return -q0 / q1;
  const PetscReal root = PetscSqrtReal(PetscMax(0, q1 * q1 - 4 * q2 * q0)), q = -(q1 + (q1 < 0 ? -root : root)) / 2;
  const PetscReal one = q / q2, two = q0 / q;
  return PetscAbsReal(one - 0.5) < PetscAbsReal(two - 0.5) ? one : two;
}

PetscErrorCode NsMortarPlane(
  const NsFeSurface *slave, const NsFeSurface *master, PetscInt face, PetscInt candidates, const PetscInt *candidate, NsMortarPoints *points)
{
  static const PetscReal at[3] = {-0.774596669241483377, 0, 0.774596669241483377}, weight[3] = {5. / 9, 8. / 9, 5. / 9};
  const PetscInt        *of = slave->face[face];
  const PetscReal       *A = slave->x[of[0]], *B = slave->x[of[1]], *nA = slave->normal[of[0]], *nB = slave->normal[of[1]];
  PetscReal              outward[3];

  PetscFunctionBegin;
  NsFaceVector(slave, face, outward);
  const PetscReal length = PetscSqrtReal(NsDot3(outward, outward));
  for (PetscInt c = 0; c < candidates; c++) {
    const PetscInt  *other = master->face[candidate[c]];
    const PetscReal *C = master->x[other[0]], *D = master->x[other[1]], along[2] = {D[0] - C[0], D[1] - C[1]};
    PetscReal        normal[3];
    NsFaceVector(master, candidate[c], normal);
    if (!NsMortarFaces(outward, normal)) continue;
    const PetscReal one = project(A, B, nA, nB, C), two = project(A, B, nA, nB, D);
    const PetscReal low = PetscMax(0, PetscMin(one, two)), high = PetscMin(1, PetscMax(one, two));
    if (!(high - low > 1e-12)) continue;
    for (int p = 0; p < 3; p++) {
      const PetscReal s    = low + (high - low) * (at[p] + 1) / 2;
      PetscReal       n[3] = {nA[0] + s * (nB[0] - nA[0]), nA[1] + s * (nB[1] - nA[1]), 0};
      const PetscReal X[2] = {A[0] + s * (B[0] - A[0]), A[1] + s * (B[1] - A[1])}, back[2] = {X[0] - C[0], X[1] - C[1]};
      (void)NsUnit3(n);
      const PetscReal r    = cross(back, n) / cross(along, n);
      const PetscReal gap  = (C[0] + r * along[0] - X[0]) * n[0] + (C[1] + r * along[1] - X[1]) * n[1];
      NsMortarPoint   next = {.xi = {2 * s - 1, 0}, .eta = {2 * r - 1, 0}, .gap = gap, .face = candidate[c]};
      next.weight          = weight[p] * (high - low) / 2 * length * NsFaceDepth(slave->body, X[0]);
      PetscCall(NsMortarAdd(points, &next));
    }
  }
  PetscFunctionReturn(0);
}
