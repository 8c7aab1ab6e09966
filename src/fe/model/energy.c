/*
  Energies of a finite-element model, and the power of the other forces: dampers, loads, bearings of unsymmetric stiffness, unbalances.

      kinetic = v' M v / 2        elastic = sum of elements and springs        potential = -weight' q
      power.damping = w' C v      power.load = w' (f + bearings + unbalances), by the forces at (q, v)

  Elastic and potential energy are the same on any number of processes; kinetic energy and power are where the mass matrix is diagonal.
*/
#include "components.h"
#include "fe/backend/backend.h"

PetscBool NsFeCountsHere(const NsLayout *layout, PetscInt n, const PetscInt *unknown)
{
  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0) continue;
    const PetscInt index = NsLayoutIndex(layout, unknown[i]);
    return index >= 0 && NsLayoutOwns(layout, index);
  }
  return PETSC_FALSE;
}

/* Terms of an exact sum, added in batches. */
typedef struct {
  NsExactSum sum;
  PetscInt   terms;
  PetscReal  term[256];
} Terms;

static void begin(Terms *terms)
{
  terms->sum   = (NsExactSum){{0}};
  terms->terms = 0;
}

static void add_term(Terms *terms, PetscReal term)
{
  terms->term[terms->terms++] = term;
  if (terms->terms < (PetscInt)(sizeof(terms->term) / sizeof(*terms->term))) return;
  NsExactSumAdd(&terms->sum, terms->terms, terms->term);
  terms->terms = 0;
}

/* Of all processes: the same on any number of them. */
static PetscErrorCode total(const NsLayout *layout, Terms *terms, PetscReal *value)
{
  PetscFunctionBegin;
  NsExactSumAdd(&terms->sum, terms->terms, terms->term);
  PetscCall(NsExactSumReduce(&terms->sum, layout->comm));
  *value = NsExactSumValue(&terms->sum);
  PetscFunctionReturn(0);
}

PetscBool NsFeElasticEnergy(const NsFe *fe, NsFeComponent *c, const PetscReal *q, PetscReal *energy)
{
  const NsLayout *layout = fe->back_end->layout;
  const PetscBool alone  = layout->ranks == 1; /* every element counts; one without free unknowns has no energy */
  PetscReal       u[NS_COMPONENT_UNKNOWNS];

  NsFeTakeMoved(fe, c);
  if (c->kind == NS_FE_INERTIA || ((!alone || c->kind != NS_FE_ELEMENT) && !NsFeCountsHere(layout, c->n, c->unknown))) return PETSC_FALSE;
  for (PetscInt k = 0; k < c->n; k++) u[k] = c->unknown[k] < 0 ? NsFeHeldValue(fe, c->unknown[k]) : q[NsLayoutIndex(layout, c->unknown[k])];
  *energy = NsFeComponentEnergy(fe, c, NULL, u);
  return PETSC_TRUE;
}

/* Sum over components, not q' K q, which would lose the digits of small strains after large rigid displacements. */
static void add_elastic_energy(const NsFe *fe, const PetscReal *q, Terms *elastic)
{
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    PetscReal energy;
    if (NsFeElasticEnergy(fe, &c, q, &energy)) add_term(elastic, energy);
  }
}

PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsFe           *fe     = model->data;
  const NsLayout *layout = fe->back_end->layout;
  Terms           terms;
  PetscReal      *aq = NsVecArray(q), *av = NsVecArray(v);

  PetscFunctionBegin;
  energy->moved = 0;
  NsFeMovedAt(fe, t);
  PetscCall(fe->back_end->type->product(fe->back_end, PETSC_FALSE, av, av, &energy->kinetic));
  energy->kinetic /= 2;
  if (fe->mass_varies) {
    PetscReal *p = NsVecArray(fe->work), sum = 0; /* one process */
    PetscCall(PetscArrayzero(p, layout->local));
    PetscCall(NsFeUnbalancedMassMult(fe, t, aq, av, p));
    for (PetscInt i = 0; i < layout->local; i++) sum += p[i] * av[i];
    energy->kinetic += sum / 2;
  }
  PetscCall(NsLayoutExchange(fe->back_end->layout, 1, &aq));
  begin(&terms);
  add_elastic_energy(fe, aq, &terms);
  for (PetscInt k = 0; k < fe->here.varyings; k++) {
    if (fe->here.varying[k].counts) add_term(&terms, NsFeVaryingEnergy(&fe->here.varying[k], t, aq));
  }
  PetscCall(total(layout, &terms, &energy->elastic));
  PetscCall(NsFeMovedEnergy(fe, t, aq, av, energy));
  energy->potential = 0;
  if (fe->weight) {
    begin(&terms);
    for (PetscInt i = 0; i < layout->local; i++) {
      if (NsLayoutOwns(layout, i)) add_term(&terms, -fe->weight[i] * aq[i]);
    }
    PetscCall(total(layout, &terms, &energy->potential));
  }
  if (fe->mass_varies) energy->potential += NsFeSpinningPotential(&fe->here, t, aq); /* one process */
  PetscFunctionReturn(0);
}

/* Of all processes. */
static PetscErrorCode sum_power(const NsLayout *layout, NsFePower *sum, PetscReal *power)
{
  PetscFunctionBegin;
  if (sum->exact) {
    PetscCall(NsExactSumReduce(sum->exact, layout->comm));
    sum->plain = NsExactSumValue(sum->exact);
  } else
    PetscCall(NsLayoutSum(layout, 1, &sum->plain));
  *power += sum->plain;
  PetscFunctionReturn(0);
}

/* Power of the skew part of a force element's stiffness at velocity w, W. */
static PetscReal circulation(const NsFe *fe, const NsFeComponent *c, const PetscScalar *q, const PetscScalar *w)
{
  PetscReal r[6] = {0}, rate[6] = {0}, power = 0, k[36], d[36];

  NsFeForceTangents(fe, c->force, NULL, k, d);
  for (PetscInt i = 0; i < c->n; i++) {
    const PetscInt index = NsLayoutIndex(fe->back_end->layout, c->unknown[i]);
    for (int a = 0; a < 6; a++) {
      r[a] += c->row[i][a] * q[index];
      rate[a] += c->row[i][a] * w[index];
    }
  }
  for (int i = 0; i < 36; i++) power -= rate[i / 6] * (k[i] - k[6 * (i % 6) + i / 6]) / 2 * r[i % 6];
  return power;
}

/* The same of an element of a body that has a circulatory matrix. */
static PetscReal element_circulation(const NsFe *fe, const NsFeComponent *c, const PetscScalar *q, const PetscScalar *w)
{
  PetscReal N[4 * NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS], x[2 * NS_NODE_UNKNOWNS], rate[2 * NS_NODE_UNKNOWNS], power = 0;

  c->body->element->skew(c->body, c->element, PETSC_FALSE, N);
  NsFeElementValues(fe, fe->back_end->layout, c->element, q, x);
  for (PetscInt i = 0; i < c->n; i++) rate[i] = c->unknown[i] < 0 ? 0 : w[NsLayoutIndex(fe->back_end->layout, c->unknown[i])];
  for (PetscInt i = 0; i < c->n; i++) {
    for (PetscInt j = 0; j < c->n; j++) power -= rate[i] * N[i * c->n + j] * x[j];
  }
  return power;
}

/* Adds what loads, bearings and unbalances do at (q, v) with the velocity w: array[3]. */
static PetscErrorCode outer_power(const NsModel *model, PetscReal t, PetscReal *const array[3], NsPower *power)
{
  NsFe           *fe     = model->data;
  NsLayout       *layout = fe->back_end->layout;
  const PetscBool exact  = fe->back_end->type->exact_sums;
  NsExactSum      sums[2];
  NsFePower       load = {0, exact ? &sums[0] : NULL}, damping = {0, exact ? &sums[1] : NULL};

  PetscFunctionBegin;
  if (exact) sums[0] = sums[1] = (NsExactSum){{0}};
  PetscCall(NsLayoutExchange(layout, 3, array));
  NsFeOuterPower(model, &fe->here, t, array[0], array[1], array[2], &load, &damping);
  for (NsFeComponent c = {0}; fe->circulates && NsFeNext(fe, &c);) {
    if (c.kind == NS_FE_FORCE && c.force->circulates && NsFeCountsHere(layout, c.n, c.unknown))
      NsFeAddPower(&load, circulation(fe, &c, array[0], array[2]));
    if (c.kind == NS_FE_ELEMENT && c.body->circulates_by_matrix && NsFeCountsHere(layout, c.n, c.unknown))
      NsFeAddPower(&load, element_circulation(fe, &c, array[0], array[2]));
  }
  PetscCall(sum_power(layout, &load, &power->load));
  if (fe->forces.varyings) PetscCall(sum_power(layout, &damping, &power->damping)); /* nothing else of these damps */
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsFe      *fe       = model->data;
  PetscReal *array[3] = {NsVecArray(q), NsVecArray(v), NsVecArray(w)};

  PetscFunctionBegin;
  *power = (NsPower){0, 0};
  if (fe->back_end->damped) PetscCall(fe->back_end->type->product(fe->back_end, PETSC_TRUE, array[2], array[1], &power->damping));
  if (fe->works) PetscCall(outer_power(model, t, array, power));
  PetscCall(NsFeMovedPower(fe, t, array[1], array[2], power));
  PetscFunctionReturn(0);
}
