/*
  See unbalanced_mass.h. E of low_rank.h are p, l2 and l3 of each unbalance, and S has the coefficients of p with l2 and of p with l3.
*/
#include "fe/backend/backend.h"

/* Entries of vector k: unknown and weight. */
static PetscInt entries(const NsFeUnbalance *u, PetscInt k, const PetscInt **unknown, const PetscReal **weight)
{
  *unknown = k ? u->unknown : u->twist.unknown;
  *weight  = k ? u->lateral[k - 1] : u->twist.weight;
  return k ? u->entries : u->twist.entries;
}

/* E'x of vector k. */
static PetscReal project(const NsFeUnbalance *u, PetscInt k, const PetscScalar *x)
{
  const PetscInt  *unknown;
  const PetscReal *weight;
  const PetscInt   n   = entries(u, k, &unknown, &weight);
  PetscReal        sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += weight[i] * x[unknown[i]];
  return sum;
}

static void coefficients(const NsFeUnbalance *u, PetscReal t, const PetscScalar *q, PetscReal S[2])
{
  const PetscReal angle = NsFeTwistAngle(&u->twist, t, q) + u->phase, moment = NsIsOff(u->off) ? 0 : u->moment;

  S[0] = -moment * PetscSinReal(angle);
  S[1] = moment * PetscCosReal(angle);
}

void NsFeUnbalanceCoefficients(const NsFeUnbalance *u, PetscReal t, const PetscScalar *q, PetscReal mass, PetscReal *S)
{
  PetscReal c[2];

  coefficients(u, t, q, c);
  for (int i = 0; i < NS_UNBALANCE_VECTORS * NS_UNBALANCE_VECTORS; i++) S[i] = 0;
  for (int k = 0; k < 2; k++) S[1 + k] = S[NS_UNBALANCE_VECTORS * (1 + k)] = mass * c[k];
}

/* y += S0 (p l2' + l2 p') x + S1 (p l3' + l3 p') x */
static void add_product(const NsFeUnbalance *u, const PetscReal S[2], const PetscScalar *x, PetscScalar *y)
{
  PetscReal e[NS_UNBALANCE_VECTORS], f[NS_UNBALANCE_VECTORS];

  for (PetscInt k = 0; k < NS_UNBALANCE_VECTORS; k++) e[k] = project(u, k, x);
  f[0] = S[0] * e[1] + S[1] * e[2];
  f[1] = S[0] * e[0];
  f[2] = S[1] * e[0];
  for (PetscInt k = 0; k < NS_UNBALANCE_VECTORS; k++) {
    const PetscInt  *unknown;
    const PetscReal *weight;
    const PetscInt   n = entries(u, k, &unknown, &weight);
    for (PetscInt i = 0; i < n; i++) y[unknown[i]] += f[k] * weight[i];
  }
}

PetscErrorCode NsFeUnbalancedMassMult(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *x, PetscScalar *y)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->here.unbalances; b++) {
    PetscReal S[2];
    coefficients(&fe->here.unbalance[b], t, q, S);
    add_product(&fe->here.unbalance[b], S, x, y);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeUnbalancedMassRate(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *y)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->here.unbalances; b++) {
    const NsFeUnbalance *u    = &fe->here.unbalance[b];
    const PetscReal      rate = NsFeTwistRate(&u->twist, t, v);
    PetscReal            S[2];
    coefficients(u, t, q, S);
    add_product(u, (PetscReal[]){-rate * S[1], rate * S[0]}, v, y);
  }
  PetscFunctionReturn(0);
}

/*
  M(q) stays positive definite for all angles when the sum over unbalances of m e sqrt((p' M^-1 p) (d' M^-1 d)) is below 1: of one unbalance this is
  (m e)^2 < (inertia of the spin) (mass at that point). A larger one is not physical.
*/
PetscErrorCode NsFeUnbalancedMassCheck(NsFe *fe, Vec at)
{
  const NsList *list = &fe->config->attachments[NS_ATTACHMENT_Unbalance];
  PetscReal     sum  = 0;

  PetscFunctionBegin;
  PetscCall(NsBackEndFactor(fe->back_end, 0, (NsOperator){1, 0, 0}));
  PetscCall(NsFeLowRankFactor(fe, fe->low_rank, 0, 0, at, at, (NsOperator){1, 0, 0}));
  for (PetscInt b = 0; b < fe->here.unbalances; b++) {
    const PetscReal moment  = fe->here.unbalance[b].moment;
    const PetscInt  k       = NS_UNBALANCE_VECTORS * b;
    const PetscReal lateral = PetscMax(NsFeLowRankGram(fe->low_rank, 0, k + 1, k + 1), NsFeLowRankGram(fe->low_rank, 0, k + 2, k + 2));
    const PetscReal limit   = 1 / PetscSqrtReal(PetscMax(NsFeLowRankGram(fe->low_rank, 0, k, k) * lateral, PETSC_SMALL * PETSC_SMALL));
    sum += moment / limit;
    if (sum < 1) continue;
    NsDiagError(fe->diag, NsKeysPlace(list->where[fe->here.unbalance[b].number], "mass_eccentricity"),
      "the unbalance of %g kg m is too large for its rotor: it must be below %.3g kg m", moment, limit);
    NsDiagNote(fe->diag, "its square must be less than mass times polar inertia at its point: place it at a disc, or prescribe the spin");
    break;
  }
  PetscFunctionReturn(0);
}
