/*
  The highest modes of a part of the model by an eigensolver, where the bounds of bounds.c are not sharp enough, and for modes with gyroscopic terms.

  SLEPc's Krylov-Schur, shift-and-invert just above the bound. Eigenvalues crowd at the upper end of a fine mesh; without the shift a bar of
  5000 elements takes 6 s, with it a few iterations.

  Large lattices in space are too expensive to factor (a million elements: more than 500 s). They are solved without a shift, with products with X and
  solutions with M by conjugate gradients (M is well conditioned, or diagonal), to a relative tolerance of 1e-3, which is added to stay on the safe side.
*/
#include <petscksp.h>
#include <slepceps.h>
#include "bounds.h"

#define NS_DEAR           1e10 /* operations */
#define NS_WIDE_TOLERANCE 1e-3

/* Whether X is too expensive to factor, estimated from its profile in the model's own numbering. */
static PetscErrorCode is_wide(Mat X, PetscBool *wide)
{
  PetscReal operations = 0;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &n, NULL));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *column;
    PetscInt        count, first = i;
    PetscCall(MatGetRow(X, i, &count, &column, NULL));
    for (PetscInt j = 0; j < count; j++) first = PetscMin(first, column[j]);
    PetscCall(MatRestoreRow(X, i, &count, &column, NULL));
    operations += PetscSqr((PetscReal)(i - first));
  }
  *wide = operations > NS_DEAR;
  PetscFunctionReturn(0);
}

/* Finds the largest eigenvalues without factoring anything. */
static PetscErrorCode solve_without_factors(EPS eps)
{
  ST  st;
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(EPSSetTolerances(eps, NS_WIDE_TOLERANCE, 500));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetType(st, STSHIFT));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscFunctionReturn(0);
}

/* A solver for the largest eigenvalues of (X, M), none of which is above `bound`. */
static PetscErrorCode create_pencil(Mat X, Mat M, PetscReal bound, PetscInt wanted, EPS *result)
{
  EPS       eps;
  ST        st;
  PetscInt  n;
  PetscBool wide = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatGetSize(M, &n, NULL));
  PetscCall(is_wide(X, &wide));
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOptionsPrefix(eps, "highest_"));
  PetscCall(EPSSetOperators(eps, X, M));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetDimensions(eps, PetscMin(wanted, n), PETSC_DEFAULT, PETSC_DEFAULT));
  if (wide)
    PetscCall(solve_without_factors(eps));
  else {
    PetscCall(EPSSetTolerances(eps, 1e-8, 500));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(EPSSetTarget(eps, bound * (1 + 1e-6))); /* not on it: a uniform mesh meets its bound, and X - bound M would be singular */
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  }
  PetscCall(EPSSetFromOptions(eps));
  *result = eps;
  PetscFunctionReturn(0);
}

/* Largest eigenvalue of (X, M), which is at most `bound`; 0 when the solver finds none. */
static PetscErrorCode solve_pencil(Mat X, Mat M, PetscReal bound, PetscReal *largest)
{
  EPS       eps;
  PetscInt  found;
  PetscReal tolerance;

  PetscFunctionBegin;
  *largest = 0;
  if (bound == 0) PetscFunctionReturn(0); /* X is zero: nothing to factor */
  PetscCall(create_pencil(X, M, bound, 1, &eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  if (found > 0) PetscCall(EPSGetEigenvalue(eps, 0, largest, NULL));
  PetscCall(EPSGetTolerances(eps, &tolerance, NULL));
  if (tolerance >= NS_WIDE_TOLERANCE) *largest = PetscMin(bound, *largest * (1 + tolerance)); /* approached from below */
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(0);
}

static PetscBool is_massless(const NsFe *fe, PetscInt unknown)
{
  PetscInt at;

  (void)PetscFindInt(unknown, fe->massless, fe->massless_unknown, &at);
  return at >= 0;
}

/* The unknowns of a part, ascending; those without mass as if they were held, as they are while a contact sticks: open ones only lower the frequencies. */
static PetscErrorCode part_unknowns(const NsFe *fe, PetscInt part, IS *unknowns)
{
  PetscInt *number, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->unknowns, &number));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (body->part != part) continue;
    for (PetscInt i = body->first_dof; i < body->first_dof + body->mesh->nodes * body->node_unknowns; i++) {
      if (fe->unknown[i] >= 0 && !is_massless(fe, fe->unknown[i])) number[count++] = fe->unknown[i];
    }
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, number, PETSC_OWN_POINTER, unknowns));
  PetscFunctionReturn(0);
}

/* The rows and columns of a part; NULL stays NULL. The caller destroys them. */
static PetscErrorCode take_part(const NsFe *fe, PetscInt part, PetscInt matrices, const Mat *whole, Mat *own)
{
  IS unknowns;

  PetscFunctionBegin;
  PetscCall(part_unknowns(fe, part, &unknowns));
  for (PetscInt i = 0; i < matrices; i++) {
    own[i] = NULL;
    if (whole[i]) PetscCall(MatCreateSubMatrix(whole[i], unknowns, unknowns, MAT_INITIAL_MATRIX, &own[i]));
  }
  PetscCall(ISDestroy(&unknowns));
  PetscFunctionReturn(0);
}

/* M, dampers, K, G of a part, all rotors at their highest known speed, those of free spin at so much more. */
static PetscErrorCode matrices_at_speed(NsFe *fe, PetscInt part, PetscReal more, Mat own[4])
{
  PetscReal *speeds;
  Mat        whole[4];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++)
    speeds[b] = fe->body[b].is_rotor ? NsSpinHighest(fe->body[b].spin) + (NsSpinIsFree(fe->body[b].spin) ? more : 0) : 0;
  PetscCall(NsFeAssemble(fe, speeds, &whole[0], &whole[1], &whole[3], &whole[2]));
  PetscCall(PetscFree(speeds));
  PetscCall(take_part(fe, part, 4, whole, own));
  for (int i = 0; i < 4; i++) PetscCall(MatDestroy(&whole[i]));
  PetscFunctionReturn(0);
}

/* Lowers a bound of the damping rate of solids to the largest a + b omega^2, where no force element damps. */
static void lower_rate(const NsFe *fe, PetscInt part, PetscReal omega, PetscReal *rate)
{
  PetscReal mass = 0, stiffness = 0;

  for (PetscInt s = 0; s < fe->force_elements; s++) {
    if (fe->body[fe->force[s].end[0].body].part == part) return;
  }
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].part != part) continue;
    mass      = PetscMax(mass, fe->body[b].damping_mass);
    stiffness = PetscMax(stiffness, fe->body[b].damping_stiffness);
  }
  *rate = PetscMin(*rate, mass + stiffness * omega * omega);
}

PetscErrorCode NsFeHighestMode(NsModel *model, PetscInt part, PetscReal *omega, PetscReal *damping_rate)
{
  NsFe     *fe = model->data;
  Mat       whole[4], own[3];
  PetscInt  size;
  NsBound   frequency, rate; /* stay where the eigensolver does not converge, and where matrices change with the speed */
  PetscReal value, gyroscopic;

  PetscFunctionBegin;
  PetscCall(NsFeBounds(fe, part, &frequency, &rate, &gyroscopic));
  *omega        = NsFeRaised(frequency.value, gyroscopic);
  *damping_rate = rate.value;
  if (fe->forces.varyings) PetscFunctionReturn(0);
  if (NsFeHighestIsQuick(model)) {
    PetscCall(NsFeHighestByLanczos(fe, part, omega));
    lower_rate(fe, part, *omega, damping_rate);
    PetscFunctionReturn(0);
  }
  PetscCall(NsFeAssemble(fe, NULL, &whole[0], &whole[1], &whole[3], &whole[2]));
  PetscCall(take_part(fe, part, 3, whole, own));
  PetscCall(MatGetSize(own[0], &size, NULL));
  if (size) PetscCall(solve_pencil(own[2], own[0], PetscSqr(frequency.value), &value));
  if (size && value > 0) *omega = NsFeRaised(PetscSqrtReal(value), gyroscopic);
  if (size && own[1]) PetscCall(solve_pencil(own[1], own[0], rate.value, &value));
  if (size && own[1] && value > 0) *damping_rate = value;
  for (int i = 0; i < 3; i++) PetscCall(MatDestroy(&own[i]));
  for (int i = 0; i < 4; i++) PetscCall(MatDestroy(&whole[i]));
  PetscFunctionReturn(0);
}

/* |Gx|/|x| in the mass; no G: 0. */
static PetscErrorCode gyroscopic_rate(Mat G, KSP by_M, PetscReal mass, Vec x, Vec y, Vec z, PetscReal *rate)
{
  PetscReal value;

  PetscFunctionBegin;
  *rate = 0;
  if (!G) PetscFunctionReturn(0);
  PetscCall(MatMult(G, x, y));
  PetscCall(KSPSolve(by_M, y, z));
  PetscCall(VecDot(y, z, &value));
  *rate = PetscSqrtReal(PetscMax(0, value / mass));
  PetscFunctionReturn(0);
}

/* Its damping and gyroscopic rate from its shape x: of two equal frequencies any mixture has the same. faster: G with rotors of free spin `more` (rad/s) faster; NULL: no such
   rotors. */
static PetscErrorCode rates_of(Mat M, Mat C, Mat G, Mat faster, PetscReal more, KSP by_M, Vec x, Vec y, Vec z, NsStabilityMode *mode)
{
  PetscReal mass, value;

  PetscFunctionBegin;
  PetscCall(MatMult(M, x, y));
  PetscCall(VecDot(x, y, &mass));
  mode->damping_rate = 0;
  if (C) {
    PetscCall(MatMult(C, x, y));
    PetscCall(VecDot(x, y, &value));
    mode->damping_rate = value / mass;
  }
  PetscCall(gyroscopic_rate(G, by_M, mass, x, y, z, &mode->gyroscopic_rate));
  mode->gyroscopic_rise = 0;
  if (!faster) PetscFunctionReturn(0);
  PetscCall(gyroscopic_rate(faster, by_M, mass, x, y, z, &value));
  mode->gyroscopic_rise = PetscMax(0, value - mode->gyroscopic_rate) / more;
  PetscFunctionReturn(0);
}

/* A change of the speed of rotors of free spin, to determine its effect; 0: no such rotor in this part. */
static PetscReal more_spin(const NsFe *fe, PetscInt part)
{
  PetscReal more = 0;

  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].part == part && NsSpinIsFree(fe->body[b].spin)) more = PetscMax(more, PetscMax(1, NsSpinHighest(fe->body[b].spin)));
  }
  return more;
}

static PetscBool spins(const NsFe *fe, PetscInt part)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].part == part && fe->body[b].is_rotor && NsSpinHighest(fe->body[b].spin) != 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode NsFeGyroscopicModes(NsModel *model, PetscInt part, PetscInt *count, NsStabilityMode *modes)
{
  NsFe     *fe = model->data;
  Mat       own[4], faster[4] = {NULL, NULL, NULL, NULL};
  EPS       eps;
  KSP       by_M;
  PC        pc;
  Vec       x, y, z;
  NsBound   frequency, rate;
  PetscReal gyroscopic;
  PetscInt  found;

  PetscFunctionBegin;
  *count               = 0;
  const PetscReal more = more_spin(fe, part);
  if (!spins(fe, part) && more == 0) PetscFunctionReturn(0);
  PetscCall(NsFeBounds(fe, part, &frequency, &rate, &gyroscopic));
  if ((gyroscopic == 0 && more == 0) || frequency.value == 0) PetscFunctionReturn(0);
  PetscCall(matrices_at_speed(fe, part, 0, own));
  if (more > 0) PetscCall(matrices_at_speed(fe, part, more, faster));
  PetscCall(create_pencil(own[2], own[0], PetscSqr(frequency.value), NS_STABILITY_MODES, &eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCall(MatCreateVecs(own[0], &x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &by_M));
  PetscCall(KSPSetOptionsPrefix(by_M, "gyroscopic_"));
  PetscCall(KSPSetOperators(by_M, own[0], own[0]));
  PetscCall(KSPSetType(by_M, KSPPREONLY));
  PetscCall(KSPGetPC(by_M, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetZeroPivot(pc, PETSC_SMALL * PETSC_SMALL));
  for (PetscInt i = 0; i < PetscMin(found, NS_STABILITY_MODES); i++) {
    PetscReal value;
    PetscCall(EPSGetEigenpair(eps, i, &value, NULL, x, NULL));
    if (value <= 0) continue;
    modes[*count].omega = PetscSqrtReal(value);
    PetscCall(rates_of(own[0], own[1], own[3], faster[3], more, by_M, x, y, z, &modes[(*count)++]));
  }
  PetscCall(KSPDestroy(&by_M));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(EPSDestroy(&eps));
  for (int i = 0; i < 4; i++) {
    PetscCall(MatDestroy(&own[i]));
    PetscCall(MatDestroy(&faster[i]));
  }
  PetscFunctionReturn(0);
}
