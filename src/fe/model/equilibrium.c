/*
  Newton's method for  R(x) = f - K x + f_t(x) = 0,  K of the linear part and f_t of nonlinear force elements, held by a shift (Levenberg and Marquardt):

      (K + S(x) + lambda D) dx = R(x),       S: slopes of f_t,   D: its steepest slopes

  Without the shift the first step fails where a gap or a Hertz contact, which has no stiffness yet, is all that carries the load. lambda falls by 4 after a step that reduces |R|, and
  rises by 8 after one that does not, which is taken back. One factorization a step.
*/
#include "equilibrium.h"
#include "components.h"

#define NS_MOST_ITERATIONS 500
#define NS_SMALL_SHIFT     1e-14

PetscBool NsFeIsNonlinear(const NsFe *fe)
{
  for (PetscInt k = 0; k < fe->force_elements; k++) {
    if (NsFeForceLaw(&fe->force[k])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void NsFeStaticLoads(const NsFe *fe, PetscReal *f)
{
  PetscReal *none = NsArenaAlloc(fe->arena, sizeof(*none) * (size_t)(fe->unknowns + 1));

  NsFeWeight(fe, fe->gravity, f);
  for (PetscInt l = 0; l < fe->forces.loads; l++) {
    NsFeLoad *load = &fe->forces.load[l];
    if (!load->part || load->matrix == NS_FE_STIFFNESS) NsFeOuterForce(NULL, &(NsFeForces){.loads = 1, .load = load}, 0, none, none, f);
  }
}

typedef struct {
  NsFe            *fe;
  const PetscReal *speed;
  Mat              K; /* with slopes about `rest`, and the shift */
  Vec              f, R, dx;
  Vec              held; /* stiffness that holds the twists of rotors of free spin, as at x = 0; NULL: not yet known */
  PetscReal        shift;
} Search;

/* Components of r of a force element at x. */
static void components_at(const NsFe *fe, const NsForceElement *force, const PetscReal *x, PetscReal *component)
{
  PetscInt       unknown[NS_FORCE_UNKNOWNS];
  PetscReal      row[NS_FORCE_UNKNOWNS][6], r[6] = {0};
  const PetscInt n = NsFeForceRows(fe, force, unknown, row);

  for (PetscInt i = 0; i < n; i++) {
    for (int k = 0; k < 6; k++) r[k] += row[i][k] * x[unknown[i]];
  }
  (void)NsFeForceComponents(force, r, component);
}

static void set_rest(NsFe *fe, const PetscReal *x)
{
  for (PetscInt k = 0; k < fe->force_elements; k++) {
    NsForceElement *force = &fe->force[k];
    if (NsFeForceLaw(force) && x) components_at(fe, force, x, force->rest);
    for (int c = 0; c < 6 && !x; c++) force->rest[c] = 0;
  }
}

/* R += row' y of y[components]. */
static void add_force(const NsFe *fe, const NsForceElement *force, const PetscReal *y, PetscReal *R)
{
  PetscInt       unknown[NS_FORCE_UNKNOWNS];
  PetscReal      row[NS_FORCE_UNKNOWNS][6], component[6];
  const PetscInt n = NsFeForceRows(fe, force, unknown, row);

  for (PetscInt i = 0; i < n; i++) {
    const PetscInt count = NsFeForceComponents(force, row[i], component);
    for (PetscInt c = 0; c < count; c++) R[unknown[i]] += component[c] * y[c];
  }
}

/* Adds what holds the twists to K. */
static PetscErrorCode hold_twists(Search *self)
{
  Vec       zero, work;
  PetscReal largest;

  PetscFunctionBegin;
  if (self->held) {
    PetscCall(MatDiagonalSet(self->K, self->held, ADD_VALUES));
    PetscFunctionReturn(0);
  }
  PetscCall(VecDuplicate(self->f, &self->held));
  PetscCall(VecDuplicate(self->f, &zero));
  PetscCall(VecDuplicate(self->f, &work));
  PetscCall(MatGetDiagonal(self->K, work));
  PetscCall(VecNorm(work, NORM_INFINITY, &largest));
  PetscCall(NsFeHoldTwists(self->fe, largest, self->K, zero, work, self->held));
  PetscCall(VecAssemblyBegin(self->held));
  PetscCall(VecAssemblyEnd(self->held));
  PetscCall(VecDestroy(&zero));
  PetscCall(VecDestroy(&work));
  PetscFunctionReturn(0);
}

/* K about x, and R there: f - (K - S) x + f_t. */
static PetscErrorCode linearise(Search *self, Vec x, PetscReal *size)
{
  NsFe           *fe       = self->fe;
  const PetscReal still[6] = {0};
  Mat             M, C, G;

  PetscFunctionBegin;
  set_rest(fe, NsVecRead(x));
  PetscCall(MatDestroy(&self->K));
  PetscCall(NsFeAssemble(fe, self->speed, &M, &C, &G, &self->K));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(hold_twists(self));
  PetscCall(MatMult(self->K, x, self->R));
  PetscCall(VecAYPX(self->R, -1, self->f));
  PetscReal *R = NsVecArray(self->R);
  for (PetscInt k = 0; k < fe->force_elements; k++) {
    const NsForceElement *force = &fe->force[k];
    PetscReal             v[6], spring[6], damper[6], S[36], damping[36];
    const NsForceMotion   at = {.r = force->rest, .v = v, .spin = force->rotor >= 0 ? self->speed[force->rotor] : 0};
    if (!NsFeForceLaw(force)) continue;
    NsFeForceSpinRates(fe, force, self->speed, v);
    NsFeForceNow(force, &at, spring, damper);
    NsFeForceSlopes(force, &at, S, damping);
    const PetscInt n = NsFeForceComponents(force, still, damping);
    for (PetscInt c = 0; c < n; c++) {
      for (PetscInt d = 0; d < n; d++) spring[c] += S[c * n + d] * force->rest[d];
    }
    add_force(fe, force, spring, R);
  }
  PetscCall(VecNorm(self->R, NORM_INFINITY, size));
  PetscFunctionReturn(0);
}

/* K += lambda D */
static PetscErrorCode add_shift(Search *self)
{
  const NsFe *fe = self->fe;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < fe->force_elements && self->shift > NS_SMALL_SHIFT; k++) {
    const NsForceElement *force = &fe->force[k];
    PetscInt              unknown[NS_FORCE_UNKNOWNS];
    PetscReal             row[NS_FORCE_UNKNOWNS][6], D[36] = {0}, damping[36] = {0}, X[NS_FORCE_UNKNOWNS * NS_FORCE_UNKNOWNS];
    if (!NsFeForceLaw(force)) continue;
    const PetscInt n = NsFeForceRows(fe, force, unknown, row);
    NsFeForceSteepest(fe, force, self->speed, D, damping);
    NsFeForceBlock(n, row, D, NS_FE_SYMMETRIC, X);
    for (PetscInt i = 0; i < n * n; i++) X[i] *= self->shift;
    PetscCall(MatSetValues(self->K, n, unknown, n, unknown, X, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(self->K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(self->K, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* From rest. The first steps are taken even if they increase |R|. */
static PetscErrorCode search(Search *self, PetscInt taken, Vec *x, Vec *next, PetscBool *found)
{
  PetscReal size, least, stiffest, shifted, largest;

  PetscFunctionBegin;
  self->shift = 1e-3;
  PetscCall(VecZeroEntries(*x));
  PetscCall(linearise(self, *x, &least));
  const PetscReal start = least;
  *found                = least == 0;
  for (PetscInt i = 0; i < NS_MOST_ITERATIONS && !*found && self->shift < 1e12; i++) {
    PetscCall(MatGetDiagonal(self->K, *next));
    PetscCall(VecNorm(*next, NORM_INFINITY, &stiffest));
    PetscCall(add_shift(self));
    PetscCall(MatGetDiagonal(self->K, *next));
    PetscCall(VecNorm(*next, NORM_INFINITY, &shifted));
    PetscCall(NsFeSolveStatic(self->K, shifted, self->R, self->dx));
    PetscCall(VecWAXPY(*next, 1, self->dx, *x));
    PetscCall(linearise(self, *next, &size));
    if (!(size <= least * (1 + 1e-12) || size < 1e-13 * start || (i < taken && !PetscIsInfOrNanReal(size)))) {
      self->shift = PetscMax(self->shift, NS_SMALL_SHIFT) * 8;
      PetscCall(linearise(self, *x, &size));
      continue;
    }
    PetscCall(VecNorm(*next, NORM_INFINITY, &largest));
    NsVecSwap(x, next);
    least = size;
    if (self->shift > NS_SMALL_SHIFT) self->shift /= 4;
    PetscReal rounding = 100 * PETSC_MACHINE_EPSILON * stiffest * largest; /* of K x */
    if (taken) rounding = PetscMin(rounding, 1e-6 * start);                /* else a mechanism that moves far enough would seem to rest */
    *found = least <= PetscMax(1e-10 * start, rounding);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeEquilibrium(NsFe *fe, const PetscReal *speed, Vec result, PetscBool *found)
{
  static const PetscInt taken[] = {0, 1, 4}; /* loads along a shaft are smaller than the reactions to which the first step adds them up */
  Search                self    = {.fe = fe, .speed = speed};
  Vec                   x, next;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, fe->unknowns, &x));
  PetscCall(VecDuplicate(x, &next));
  PetscCall(VecDuplicate(x, &self.f));
  PetscCall(VecDuplicate(x, &self.R));
  PetscCall(VecDuplicate(x, &self.dx));
  NsFeStaticLoads(fe, NsVecArray(self.f));
  *found = PETSC_FALSE;
  for (size_t k = 0; k < sizeof(taken) / sizeof(*taken) && !*found; k++) PetscCall(search(&self, taken[k], &x, &next, found));
  if (!*found) set_rest(fe, NULL);
  if (result) PetscCall(VecCopy(x, result));
  PetscCall(MatDestroy(&self.K));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&next));
  PetscCall(VecDestroy(&self.f));
  PetscCall(VecDestroy(&self.R));
  PetscCall(VecDestroy(&self.dx));
  PetscCall(VecDestroy(&self.held));
  PetscFunctionReturn(0);
}
