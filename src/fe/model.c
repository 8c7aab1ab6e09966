/*
  The finite-element model: from settings to the operations of percuss/model.h.

      h(t, q, v) = f(t, q) + M g - K q - C v + spinning(t, q, v)          constant M, C, K but for unbalances of rotors whose spin is free
*/
#include <string.h>
#include "free.h"

#define NS_BODY(name) extern const NsBodyType NsBodyType_##name;
#include "list.h"
#undef NS_BODY

const NsBodyType *const NsBodyTypes[] = {
#define NS_BODY(name) &NsBodyType_##name,
#include "list.h"
#undef NS_BODY
  NULL,
};

/* Everything but -K q - C v, in fe->outer; NULL: nothing. Loads leave most of the weight as it is. q and v may be NULL where fe->fused. */
static PetscErrorCode outer_force(NsFe *fe, PetscReal t, PetscReal *q, PetscReal *v, const PetscReal **outer)
{
  const NsFeForces *here  = &fe->here;
  const PetscInt    local = fe->free->layout->local;

  PetscFunctionBegin;
  *outer = fe->outer;
  if (!fe->outer) PetscFunctionReturn(0);
  if (fe->forces.gyros + fe->forces.varyings) PetscCall(NsLayoutExchange(fe->free->layout, 2, (PetscReal *[]){q, v})); /* they look at ghosts */
  if (here->gyros + here->varyings + here->unbalances) {
    if (fe->weight)
      PetscCall(PetscArraycpy(fe->outer, fe->weight, local));
    else
      PetscCall(PetscArrayzero(fe->outer, local));
  } else {
    for (PetscInt l = 0; l < here->loads; l++) {
      for (PetscInt i = 0; i < here->load[l].entries; i++)
        fe->outer[here->load[l].unknown[i]] = fe->weight ? fe->weight[here->load[l].unknown[i]] : 0;
    }
  }
  NsFeOuterForce(here, t, q, v, fe->outer);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelForce_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  NsFe            *fe = model->data;
  PetscReal       *aq, *av, *ah;
  const PetscReal *outer;

  PetscFunctionBegin;
  PetscCall(VecGetArray(q, &aq));
  PetscCall(VecGetArray(v, &av));
  PetscCall(VecGetArray(h, &ah));
  PetscCall(outer_force(fe, t, aq, av, &outer));
  if (outer)
    PetscCall(PetscArraycpy(ah, outer, fe->free->layout->local));
  else
    PetscCall(PetscArrayzero(ah, fe->free->layout->local));
  PetscCall(fe->free->type->force(fe->free, aq, av, ah));
  PetscCall(VecRestoreArray(h, &ah));
  PetscCall(VecRestoreArray(v, &av));
  PetscCall(VecRestoreArray(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFactor_Fe(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  (void)v;
  if (fe->statics) PetscCall(NsFeMasslessFactor(fe->statics, slot, op));
  if (fe->statics && op.mass == 0) PetscFunctionReturn(0);
  PetscCall(NsFreeDynamicsFactor(fe->free, slot, op));
  if (fe->unbalanced) PetscCall(NsFeUnbalancedMassFactor(fe, fe->unbalanced, slot, t, q, op));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSolve_Fe(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  if (fe->statics && NsFeMasslessHas(fe->statics, slot)) {
    const PetscScalar *ab;
    PetscScalar       *ax;
    PetscCall(VecGetArrayRead(b, &ab));
    PetscCall(VecGetArray(x, &ax));
    NsFeMasslessSolve(fe->statics, slot, fe->free->layout->local, ab, ax);
    PetscCall(VecRestoreArray(x, &ax));
    PetscCall(VecRestoreArrayRead(b, &ab));
    PetscFunctionReturn(0);
  }
  PetscCall(NsFreeDynamicsSolve(fe->free, slot, b, x));
  if (fe->unbalanced) PetscCall(NsFeUnbalancedMassCorrect(fe, fe->unbalanced, slot, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSettle_Fe(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v)
{
  NsFe            *fe = model->data;
  PetscReal       *aq, *av;
  const PetscReal *outer;

  PetscFunctionBegin;
  PetscCall(VecGetArray(q, &aq));
  PetscCall(VecGetArray(v, &av));
  PetscCall(outer_force(fe, t, aq, av, &outer));
  NsFeMasslessSettle(fe->statics, slot, outer, av, aq);
  PetscCall(VecRestoreArray(v, &av));
  PetscCall(VecRestoreArray(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelAccel_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  NsFe            *fe = model->data;
  PetscReal       *aq, *av, *aa;
  const PetscReal *outer;

  PetscFunctionBegin;
  PetscCall(NsModelFactor_Fe(model, 0, t, q, v, (NsOperator){1, 0, 0}));
  PetscCall(VecGetArray(q, &aq));
  PetscCall(VecGetArray(v, &av));
  PetscCall(VecGetArray(a, &aa));
  PetscCall(outer_force(fe, t, aq, av, &outer));
  PetscCall(fe->free->type->accel(fe->free, aq, av, outer, aa));
  PetscCall(VecRestoreArray(a, &aa));
  PetscCall(VecRestoreArray(v, &av));
  PetscCall(VecRestoreArray(q, &aq));
  if (fe->unbalanced) PetscCall(NsFeUnbalancedMassCorrect(fe, fe->unbalanced, 0, a));
  PetscFunctionReturn(0);
}

/* Fused where forces from outside do not ask for the position at the end. */
static PetscErrorCode NsModelFlight_Fe(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1)
{
  NsFe            *fe = model->data;
  PetscReal       *aq0, *av0, *aa0, *aq1, *av1, *aa1;
  const PetscReal *outer;

  PetscFunctionBegin;
  if (!fe->fused) {
    PetscCall(NsModelFlightInSteps(model, t1, dt, q0, v0, a0, q1, v1, a1));
    PetscFunctionReturn(0);
  }
  PetscCall(NsFreeDynamicsFactor(fe->free, 0, (NsOperator){1, 0, 0}));
  PetscCall(VecGetArray(q0, &aq0));
  PetscCall(VecGetArray(v0, &av0));
  PetscCall(VecGetArray(a0, &aa0));
  PetscCall(VecGetArray(q1, &aq1));
  PetscCall(VecGetArray(v1, &av1));
  PetscCall(VecGetArray(a1, &aa1));
  PetscCall(outer_force(fe, t1, NULL, NULL, &outer));
  PetscCall(fe->free->type->flight(fe->free, dt, aq0, av0, aa0, outer, aq1, av1, aa1));
  PetscCall(VecRestoreArray(a1, &aa1));
  PetscCall(VecRestoreArray(v1, &av1));
  PetscCall(VecRestoreArray(q1, &aq1));
  PetscCall(VecRestoreArray(a0, &aa0));
  PetscCall(VecRestoreArray(v0, &av0));
  PetscCall(VecRestoreArray(q0, &aq0));
  PetscFunctionReturn(0);
}

/* y += (M(q) - M) x */
static PetscErrorCode add_unbalanced(const NsFe *fe, PetscReal t, Vec q, Vec x, Vec y)
{
  const PetscScalar *aq, *ax;
  PetscScalar       *ay;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(x, &ax));
  PetscCall(VecGetArray(y, &ay));
  PetscCall(NsFeUnbalancedMassMult(fe, t, aq, ax, ay));
  PetscCall(VecRestoreArray(y, &ay));
  PetscCall(VecRestoreArrayRead(x, &ax));
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Fe(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  NsFe      *fe = model->data;
  PetscReal *ax, *ay;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &ax));
  PetscCall(VecGetArray(y, &ay));
  PetscCall(fe->free->type->mult(fe->free, ax, ay));
  PetscCall(VecRestoreArray(y, &ay));
  PetscCall(VecRestoreArray(x, &ax));
  if (fe->unbalanced) PetscCall(add_unbalanced(fe, t, q, x, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMassRate_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec y)
{
  const PetscScalar *aq, *av;
  PetscScalar       *ay;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(y));
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(v, &av));
  PetscCall(VecGetArray(y, &ay));
  PetscCall(NsFeUnbalancedMassRate(model->data, t, aq, av, ay));
  PetscCall(VecRestoreArray(y, &ay));
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelGap_Fe(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, q, fe->touch_q));
  for (PetscInt i = 0; i < fe->pairs; i++) g[i] = fe->pair[i]->type->gap(fe->pair[i], t, fe->touch_q);
  PetscFunctionReturn(0);
}

/* Appends the rows of a candidate, as they stay. */
static void copy_rows(const NsRows *all, PetscInt candidate, NsRows *rows)
{
  const PetscInt start = all->start[candidate], end = all->start[candidate + 1];
  PetscInt       at = rows->first[rows->rows];

  for (PetscInt k = start; k < end; k++) {
    for (PetscInt j = all->first[k]; j < all->first[k + 1]; j++, at++) {
      rows->touch[at] = all->touch[j];
      rows->value[at] = all->value[j];
    }
    rows->drive[rows->rows]   = all->drive[k];
    rows->first[++rows->rows] = at;
  }
}

static PetscErrorCode NsModelRows_Fe(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsFe     *fe       = model->data;
  PetscBool gathered = PETSC_FALSE;

  PetscFunctionBegin;
  rows->contacts = active;
  rows->rows     = 0;
  rows->first[0] = 0;
  for (PetscInt i = 0; i < active; i++) {
    const NsPair *pair = fe->pair[contact[i]];
    rows->contact[i]   = contact[i];
    rows->start[i]     = rows->rows;
    if (fe->row_stays[contact[i]]) {
      copy_rows(&fe->rows, contact[i], rows);
      continue;
    }
    if (!gathered) PetscCall(NsModelTouch(model, q, fe->touch_q));
    gathered = PETSC_TRUE;
    PetscCall(pair->type->rows(pair, t, fe->touch_q, rows));
  }
  rows->start[active] = rows->rows;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelLook_Fe(NsModel *model, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count,
  const PetscInt *candidate, PetscReal *g, PetscReal *u)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count && g; k++) g[candidate[k]] = fe->pair[candidate[k]]->type->gap(fe->pair[candidate[k]], t, touch_q);
  for (PetscInt k = 0; k < count && touch_v; k++) {
    const PetscInt i = candidate[k], first = fe->rows.start[i];
    NsRows         one = fe->rows; /* its rows where they stay as they are */
    if (fe->row_stays[i]) {
      one.first += first;
      one.drive += first;
      one.rows = fe->rows.start[i + 1] - first;
    } else {
      one      = fe->one;
      one.rows = 0;
      PetscCall(fe->pair[i]->type->rows(fe->pair[i], t, touch_q, &one));
    }
    NsRowsVelocityTouched(&one, touch_v, u + first);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRowrate_Fe(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(d, rows->rows));
  PetscCall(NsModelTouch(model, q, fe->touch_q));
  PetscCall(NsModelTouch(model, v, fe->touch_v));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const NsPair *pair    = fe->pair[rows->contact[i]];
    PetscReal     rate[3] = {0, 0, 0};
    if (pair->type->rate) pair->type->rate(pair, t, fe->touch_q, fe->touch_v, rate);
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) d[k] = rate[k - rows->start[i]];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelContactPoint_Fe(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  const NsFe   *fe   = model->data;
  const NsPair *pair = fe->pair[candidate];

  PetscFunctionBegin;
  pair->type->place(pair, t, touch_q, x, u, n);
  PetscFunctionReturn(0);
}

PetscReal NsFeElementEnergy(const NsFe *fe, const PetscReal *q)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *element = &fe->element[i];
    const NsFeBody    *body    = &fe->body[element->body];
    PetscReal          u[NS_ELEMENT_UNKNOWNS];
    NsFeElementValues(fe, NULL, element, q, u);
    sum += body->element->energy(body, element, u);
  }
  return sum;
}

/* Of several processes that know these unknowns, one counts them: the owner of the first. */
static PetscBool counts_here(const NsLayout *layout, PetscInt n, const PetscInt *unknown)
{
  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0) continue;
    const PetscInt place = NsLayoutPlace(layout, unknown[i]);
    return place >= 0 && NsLayoutOwns(layout, place) ? PETSC_TRUE : PETSC_FALSE;
  }
  return PETSC_FALSE;
}

/* Terms for a sum, in plenty at a time. */
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

/* Sum over elements and springs, not q' K q: a body that has flown far keeps the digits of its small strains. */
static void add_elastic_energy(const NsFe *fe, const PetscReal *q, Terms *elastic)
{
  const NsLayout *layout = fe->free->layout;

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *element = &fe->element[i];
    const NsFeBody    *body    = &fe->body[element->body];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    PetscReal          u[NS_ELEMENT_UNKNOWNS];
    const PetscInt     n = NsFeElementUnknowns(fe, element, unknown);
    if (!counts_here(layout, n, unknown)) continue;
    for (PetscInt k = 0; k < n; k++) u[k] = unknown[k] < 0 ? 0 : q[NsLayoutPlace(layout, unknown[k])];
    add_term(elastic, body->element->energy(body, element, u));
  }
  for (PetscInt s = 0; s < fe->springs; s++) {
    PetscInt       unknown[NS_SPRING_ENTRIES];
    PetscReal      row[NS_SPRING_ENTRIES][6];
    const PetscInt n = NsFeSpringRows(fe, &fe->spring[s], unknown, row);
    if (!counts_here(layout, n, unknown)) continue;
    add_term(elastic, NsFeSpringEnergy(fe, layout, &fe->spring[s], NULL, q));
  }
}

static PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsFe           *fe     = model->data;
  const NsLayout *layout = fe->free->layout;
  Terms           terms;
  PetscReal      *aq, *av;

  PetscFunctionBegin;
  PetscCall(VecGetArray(q, &aq));
  PetscCall(VecGetArray(v, &av));
  PetscCall(fe->free->type->kinetic(fe->free, av, &energy->kinetic));
  if (fe->unbalanced) {
    PetscReal *p, sum = 0; /* one process */
    PetscCall(VecZeroEntries(fe->work));
    PetscCall(VecGetArray(fe->work, &p));
    PetscCall(NsFeUnbalancedMassMult(fe, t, aq, av, p));
    for (PetscInt i = 0; i < layout->local; i++) sum += p[i] * av[i];
    PetscCall(VecRestoreArray(fe->work, &p));
    energy->kinetic += sum / 2;
  }
  PetscCall(NsLayoutExchange(fe->free->layout, 1, &aq));
  begin(&terms);
  add_elastic_energy(fe, aq, &terms);
  PetscCall(total(layout, &terms, &energy->elastic));
  energy->potential = 0;
  if (fe->weight) {
    begin(&terms);
    for (PetscInt i = 0; i < layout->local; i++) {
      if (NsLayoutOwns(layout, i)) add_term(&terms, -fe->weight[i] * aq[i]);
    }
    PetscCall(total(layout, &terms, &energy->potential));
  }
  if (fe->mass_varies) energy->potential += NsFeSpinningPotential(&fe->here, t, aq); /* one process */
  PetscCall(VecRestoreArray(v, &av));
  PetscCall(VecRestoreArray(q, &aq));
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

/* Adds what loads, bearings and unbalances do at (q, v) with the velocity w: array[3]. */
static PetscErrorCode outer_power(NsFe *fe, PetscReal t, PetscReal *const array[3], NsPower *power)
{
  NsLayout       *layout = fe->free->layout;
  const PetscBool exact  = fe->free->type == &NsBackEnd_Lumped ? PETSC_TRUE : PETSC_FALSE;
  NsExactSum      sums[2];
  NsFePower       load = {0, exact ? &sums[0] : NULL}, damping = {0, exact ? &sums[1] : NULL};

  PetscFunctionBegin;
  if (exact) sums[0] = sums[1] = (NsExactSum){{0}};
  PetscCall(NsLayoutExchange(layout, 3, array));
  NsFeOuterPower(&fe->here, t, array[0], array[1], array[2], &load, &damping);
  for (PetscInt s = 0; s < fe->springs && fe->circulates; s++) {
    PetscInt       unknown[NS_SPRING_ENTRIES];
    PetscReal      row[NS_SPRING_ENTRIES][6];
    const PetscInt n = fe->spring[s].circulates ? NsFeSpringRows(fe, &fe->spring[s], unknown, row) : 0;
    if (counts_here(layout, n, unknown)) NsFeAddPower(&load, NsFeSpringCirculation(fe, layout, &fe->spring[s], array[0], array[2]));
  }
  PetscCall(sum_power(layout, &load, &power->load));
  if (fe->forces.varyings) PetscCall(sum_power(layout, &damping, &power->damping)); /* nothing else of these damps */
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsFe      *fe = model->data;
  PetscReal *array[3];

  PetscFunctionBegin;
  *power = (NsPower){0, 0};
  PetscCall(VecGetArray(q, &array[0]));
  PetscCall(VecGetArray(v, &array[1]));
  PetscCall(VecGetArray(w, &array[2]));
  if (fe->free->damped) PetscCall(fe->free->type->damping(fe->free, array[1], array[2], &power->damping));
  if (fe->works) PetscCall(outer_power(fe, t, array, power));
  PetscCall(VecRestoreArray(w, &array[2]));
  PetscCall(VecRestoreArray(v, &array[1]));
  PetscCall(VecRestoreArray(q, &array[0]));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDestroy_Fe(NsModel *model)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsWatchDestroy(&model->watch));
  PetscCall(NsFreeDynamicsDestroy(&fe->free));
  PetscCall(NsFeUnbalancedMassDestroy(&fe->unbalanced));
  PetscCall(NsFeMasslessDestroy(&fe->statics));
  PetscCall(VecDestroy(&fe->work));
  PetscCall(VecDestroy(&fe->rest));
  PetscCall(NsRowsDestroy(&fe->rows));
  PetscFunctionReturn(0);
}

void NsFeInitialValues(const NsFe *fe, PetscReal *q, PetscReal *v)
{
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (unknown[a] < 0) continue;
      if (!body->turns[a]) q[unknown[a]] += NsDot3(body->direction[a], body->displacement);
      v[unknown[a]] = NsDot3(body->direction[a], body->turns[a] ? body->angular_velocity : body->velocity);
      if (body->turns[a] && NsSpinIsFree(body->spin)) v[unknown[a]] += NsSpinAtStart(body->spin) * NsDot3(body->direction[a], body->frame[0]);
    }
  }
}

static PetscErrorCode NsModelInitial_Fe(NsModel *model, NsState *state)
{
  NsFe              *fe = model->data;
  PetscReal         *q, *v, *here;
  const PetscScalar *rest;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &state->q, &state->v, NULL));
  PetscCall(PetscCalloc2(fe->unknowns, &q, fe->unknowns, &v));
  if (fe->rest) {
    PetscCall(VecGetArrayRead(fe->rest, &rest));
    PetscCall(PetscArraycpy(q, rest, fe->unknowns));
    PetscCall(VecRestoreArrayRead(fe->rest, &rest));
  }
  NsFeInitialValues(fe, q, v);
  PetscCall(VecGetArray(state->q, &here));
  NsLayoutSpread(model->layout, q, here);
  PetscCall(VecRestoreArray(state->q, &here));
  PetscCall(VecGetArray(state->v, &here));
  NsLayoutSpread(model->layout, v, here);
  PetscCall(VecRestoreArray(state->v, &here));
  PetscCall(PetscFree2(q, v));
  state->t = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelCompliance_Fe(NsModel *model, PetscInt slot, PetscReal *C)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFeUnbalancedMassCompliance(model, fe->unbalanced, slot, C));
  PetscFunctionReturn(0);
}

/* Loads, and speeds: of shafts, and of surfaces in contacts. */
static PetscErrorCode NsModelTimes_Fe(NsModel *model, PetscReal t, Vec v, NsTimes *times)
{
  const NsFe        *fe = model->data;
  const PetscScalar *av;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) times->next = PetscMin(times->next, NsSpinNext(fe->body[b].spin, t));
  for (PetscInt i = 0; i < fe->pairs; i++) times->next = PetscMin(times->next, NsSpinNext(fe->pair[i]->point[1].spin, t));
  PetscCall(VecGetArrayRead(v, &av));
  NsFeOuterTimes(&fe->here, t, av, times);
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscFunctionReturn(0);
}

static const NsModelOps fe_ops = {
  .initial          = NsModelInitial_Fe,
  .force            = NsModelForce_Fe,
  .accel            = NsModelAccel_Fe,
  .flight           = NsModelFlight_Fe,
  .mult             = NsModelMult_Fe,
  .massrate         = NsModelMassRate_Fe,
  .factor           = NsModelFactor_Fe,
  .solve            = NsModelSolve_Fe,
  .gap              = NsModelGap_Fe,
  .rows             = NsModelRows_Fe,
  .rowrate          = NsModelRowrate_Fe,
  .look             = NsModelLook_Fe,
  .energy           = NsModelEnergy_Fe,
  .power            = NsModelPower_Fe,
  .times            = NsModelTimes_Fe,
  .fields           = NsModelFields_Fe,
  .contact_point    = NsModelContactPoint_Fe,
  .name_unknown     = NsFeNameUnknown,
  .probe            = NsFeProbe,
  .station          = NsFeStation,
  .spin             = NsFeStationSpin,
  .frequency_bound  = NsFeFrequencyBound,
  .highest_mode     = NsFeHighestMode,
  .free_spins       = NsFeFreeSpins,
  .gyroscopic_modes = NsFeGyroscopicModes,
  .modes            = NsFeModes,
  .load_shapes      = NsFeLoadShapes,
  .load_sizes       = NsFeLoadSizes,
  .destroy          = NsModelDestroy_Fe,
};

/* Length and axis. */
static void measure(const NsFe *fe, NsFeElement *e)
{
  const PetscReal *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[1];

  e->length = PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
  for (int k = 0; k < 3; k++) e->axis[k] = (b[k] - a[k]) / e->length;
}

/*
  Meshes of all bodies, then their nodes and elements in one numbering, body after body. Elements that follow each other and are equally long but for the
  rounding of their coordinates get the same length to the last bit: then the rows of K sum to zero exactly, and a body in free flight feels no force at all.
  (With lengths as they come, 1e-11 N a node pushed the bar of 50 elements all the way, and the energy of a long flight grew with the square of time.)
*/
static PetscErrorCode add_bodies(NsFe *fe)
{
  const NsList   *list   = &fe->config->bodies;
  const NsChosen *chosen = list->items;

  PetscFunctionBegin;
  fe->bodies = list->count;
  fe->body   = NsArenaAlloc(fe->arena, sizeof(*fe->body) * (size_t)list->count);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody *body = &fe->body[b];
    NsMesh   *mesh = NULL;
    body->name     = list->names[b];
    if (!strcmp(body->name, "ground")) NsDiagError(fe->diag, list->where[b]->key_place, "'ground' is what does not move: a body needs another name");
    body->where = list->where[b];
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->mesh(chosen[b].settings, fe, &mesh));
    }
    if (!mesh) continue;
    body->mesh          = mesh;
    body->first_node    = fe->nodes;
    body->first_element = fe->elements;
    fe->nodes += mesh->nodes;
    fe->elements += mesh->elements;
  }
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);

  fe->x         = NsArenaAlloc(fe->arena, sizeof(*fe->x) * 3 * (size_t)fe->nodes);
  fe->node_body = NsArenaAlloc(fe->arena, sizeof(*fe->node_body) * (size_t)fe->nodes);
  fe->element   = NsArenaAlloc(fe->arena, sizeof(*fe->element) * (size_t)(fe->elements + 1));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody     *body   = &fe->body[b];
    const NsMesh *mesh   = body->mesh;
    PetscReal     extent = 0;
    PetscCall(PetscArraycpy(fe->x + 3 * body->first_node, mesh->x, 3 * mesh->nodes));
    for (PetscInt i = 0; i < 3 * mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(mesh->x[i]));
    for (PetscInt i = 0; i < mesh->nodes; i++) fe->node_body[body->first_node + i] = b;
    for (PetscInt i = 0; i < mesh->elements; i++) {
      NsFeElement *e = &fe->element[body->first_element + i];
      e->body        = b;
      for (int k = 0; k < 2; k++) e->node[k] = body->first_node + mesh->connection[2 * i + k];
      measure(fe, e);
      if (i > 0 && PetscAbsReal(e->length - e[-1].length) <= 8 * PETSC_MACHINE_EPSILON * extent) e->length = e[-1].length;
    }
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->build(chosen[b].settings, fe, body));
    }
    body->first_slot = fe->slots;
    fe->slots += mesh->nodes * body->node_unknowns;
  }
  fe->unknown = NsArenaAlloc(fe->arena, sizeof(*fe->unknown) * (size_t)(fe->slots + 1));
  PetscFunctionReturn(0);
}

/* Mass and stiffness of a beam's bending and twisting. */
static PetscBool matrices_in_range(const NsFeBody *body, const NsFeElement *e)
{
  PetscReal      M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  const PetscInt n = 2 * body->node_unknowns;

  body->element->mass(body, e, M);
  body->element->stiffness(body, e, K);
  for (PetscInt i = 0; i < n * n; i++) {
    if (!(PetscAbsReal(K[i]) < 1e30) || !(PetscAbsReal(M[i]) < 1e30) || (i % (n + 1) == 0 && !(M[i] > 1e-60))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Products of keys that each are in order may still leave the range of numbers, or of sense. */
static void check_elements(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; i < body->mesh->elements; i++) {
      const NsFeElement *e    = &fe->element[body->first_element + i];
      const NsProperty  *p    = e->property[0];
      const PetscReal    mass = p->density * p->area * e->length, stiffness = p->young * p->area / e->length;
      if (mass > 1e-60 && mass < 1e30 && stiffness > 1e-60 && stiffness < 1e30) {
        if (!e->beam || (i > 0 && e->beam == e[-1].beam) || matrices_in_range(body, e)) continue;
        NsDiagError(
          fe->diag, body->where->key_place, "an element of '%s' has a mass or a stiffness in bending or torsion that is out of range", body->name);
        NsDiagNote(fe->diag, "look at section, shear_factor, material, axial_force and the length of the elements (%g m)", e->length);
        break;
      }
      NsDiagError(fe->diag, body->where->key_place, "an element of '%s' has a mass of %g kg and a stiffness of %g N/m: out of range", body->name,
        mass, stiffness);
      NsDiagNote(fe->diag, "look at density, young, section and the length of the elements (%g m)", e->length);
      break;
    }
  }
}

/* The part of a start that a body cannot follow is a mistake, or a thought too many: bars move along their line, planar trusses in their plane. */
static void check_initial(NsFe *fe, const NsFeBody *body, const char *key, const PetscReal value[3])
{
  PetscReal left[3], size = 0, rest = 0;

  for (int k = 0; k < 3; k++) left[k] = value[k];
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscReal *d = body->direction[a];
    if (body->turns[a]) continue;
    for (int k = 0; k < 3; k++) left[k] -= NsDot3(value, d) * d[k];
  }
  for (int k = 0; k < 3; k++) {
    size = PetscMax(size, PetscAbsReal(value[k]));
    rest = PetscMax(rest, PetscAbsReal(left[k]));
  }
  const NsPlace place = NsKeysPlace(NsTreeChild(body->where, "initial"), key);
  if (size > 1e60)
    NsDiagError(fe->diag, place, "%s of '%s' is out of range: %g", key, body->name, size);
  else if (rest > 1e-9 * size && body->node_unknowns == 1) {
    NsDiagWarning(fe->diag, place, "'%s' moves along (%g, %g, %g) alone: the rest of this %s is left out", body->name, body->direction[0][0],
      body->direction[0][1], body->direction[0][2], key);
  } else if (rest > 1e-9 * size) {
    NsDiagWarning(fe->diag, place, "'%s' moves %s alone: the rest of this %s is left out", body->name,
      body->is_rotor ? "across its axis" : "in the x-y plane", key);
  }
}

/* Damping and spin. */
static void check_rates(NsFe *fe, const NsFeBody *body)
{
  const PetscReal spin = NsSpinHighest(body->spin);

  if (!NsFeIsInRange(body->damping_mass) || !NsFeIsInRange(body->damping_stiffness) || !NsFeIsInRange(body->damping_torsion)) {
    NsDiagError(fe->diag, NsKeysPlace(body->where, "damping"), "the damping of '%s' is out of range: %g 1/s, %g s, %g N m s", body->name,
      body->damping_mass, body->damping_stiffness, body->damping_torsion);
  }
  if (!NsFeIsInRange(spin)) NsDiagError(fe->diag, NsKeysPlace(body->where, "spin"), "the spin of '%s' is out of range: %g rad/s", body->name, spin);
}

static void check_bodies(NsFe *fe)
{
  const PetscReal *g     = fe->gravity;
  PetscBool        moves = PETSC_FALSE;

  check_elements(fe);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    check_rates(fe, body);
    if (NsTreeChild(body->where, "initial")) {
      check_initial(fe, body, "velocity", body->velocity);
      check_initial(fe, body, "displacement", body->displacement);
    }
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (!body->turns[a] && NsDot3(g, body->direction[a]) != 0) moves = PETSC_TRUE;
    }
  }
  if ((g[0] != 0 || g[1] != 0 || g[2] != 0) && !moves) {
    NsDiagWarning(fe->diag, NsKeysPlace(fe->config->where, "gravity"), "gravity moves nothing: no node can move in its direction");
  }
}

/* What bodies bring beside their elements. */
static void attach_bodies(NsFe *fe)
{
  const NsChosen *chosen = fe->config->bodies.items;

  for (PetscInt b = 0; b < fe->bodies && !NsDiagErrors(fe->diag); b++) {
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant && (*type)->attach) (*type)->attach(chosen[b].settings, fe, &fe->body[b]);
    }
  }
}

/* Forces linear in q and v with constant matrices: prescribed spin may change loads over time, but no matrix. */
static PetscBool is_linear(const NsFe *fe)
{
  for (PetscInt l = 0; l < fe->forces.loads; l++) {
    if (fe->forces.load[l].sine && fe->forces.load[l].twist.entries) return PETSC_FALSE;
  }
  return fe->forces.gyros + fe->forces.varyings == 0 && !fe->mass_varies ? PETSC_TRUE : PETSC_FALSE;
}

/* With a constant mass matrix the compliance of contacts is solved for once; with one that varies it is put together each time. Where nothing damps or loads there is
   no power to ask for. */
static const NsModelOps *operations(const NsFe *fe)
{
  NsModelOps *ops = NsArenaAlloc(fe->arena, sizeof(*ops));

  *ops = fe_ops;
  if (fe->mass_varies) ops->compliance = NsModelCompliance_Fe;
  if (fe->massless) ops->settle = NsModelSettle_Fe;
  if (!fe->works && !fe->free->damped) ops->power = NULL;
  return ops;
}

/* What goes with unknowns without mass. */
static void check_massless(NsFe *fe)
{
  const NsFeBody *body = fe->body;

  if (!fe->massless) return;
  while (!body->redistributed) body++;
  if (fe->ranks > 1)
    NsDiagError(fe->diag, NsKeysPlace(body->where, "mass"), "`mass: redistributed` runs on one process, not on %d", fe->ranks);
  else if (fe->mass_varies)
    NsDiagError(fe->diag, NsKeysPlace(body->where, "mass"),
      "`mass: redistributed` does not go with an unbalance on a rotor whose spin is free: the mass matrix would vary");
}

static PetscErrorCode set_massless(NsFe *fe, NsModel *model)
{
  PetscFunctionBegin;
  model->massless       = fe->massless;
  model->massless_place = NsArenaAlloc(fe->arena, sizeof(*model->massless_place) * (size_t)fe->massless);
  for (PetscInt i = 0; i < fe->massless; i++) model->massless_place[i] = NsLayoutPlace(model->layout, fe->massless_unknown[i]);
  PetscCall(NsFeMasslessCreate(fe, model, &fe->statics));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelCreate_Fe(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **result)
{
  NsFe    *fe    = NsArenaAlloc(arena, sizeof(*fe));
  NsModel *model = NsArenaAlloc(arena, sizeof(*model));

  PetscFunctionBegin;
  *result    = NULL;
  fe->arena  = arena;
  fe->diag   = diag;
  fe->config = config;
  fe->comm   = PETSC_COMM_WORLD;
  fe->rank   = PetscGlobalRank;
  fe->ranks  = PetscGlobalSize;
  for (int k = 0; k < 3; k++) fe->gravity[k] = config->gravity[k];
  PetscCall(add_bodies(fe));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  check_bodies(fe);
  NsFeSupports(fe);
  NsFeSprings(fe);
  NsFeMasses(fe);
  attach_bodies(fe);
  PetscCall(NsFeRedistribute(fe));
  NsFeLoads(fe);
  model->arena         = arena;
  model->data          = fe;
  model->ops           = &fe_ops;
  model->kind          = "finite elements";
  model->unknowns      = fe->unknowns;
  model->parts         = NsFeParts(fe);
  model->constant_mass = fe->mass_varies ? PETSC_FALSE : PETSC_TRUE;
  if (!NsDiagErrors(diag)) {
    *result = model; /* from here on it is destroyed by the caller, errors or not */
    NsFeSpinning(fe);
    check_massless(fe);
    model->linear        = is_linear(fe);
    model->diagonal_mass = !fe->mass_varies && NsFeMassIsDiagonal(fe) ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(NsFeDistribute(fe));
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    PetscCall(NsFreeDynamicsCreate(fe, &fe->free));
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    model->layout = fe->free->layout;
    model->solver = fe->free->type->name;
    PetscCall(NsFeOuterPlace(fe, model->layout));
    PetscCall(NsVecsCreate(model, &fe->work, NULL));
    model->velocity_matters = fe->free->rates || fe->forces.gyros || fe->forces.varyings || fe->mass_varies ? PETSC_TRUE : PETSC_FALSE;
    fe->fused               = model->linear;
    fe->works               = fe->forces.loads || fe->forces.varyings || fe->forces.unbalances || fe->circulates ? PETSC_TRUE : PETSC_FALSE;
    model->ops              = operations(fe);
    if (fe->mass_varies) {
      PetscCall(NsFeUnbalancedMassCreate(fe, &fe->unbalanced));
      PetscCall(NsFeUnbalancedMassCheck(fe, fe->unbalanced));
    }
    if (fe->massless) PetscCall(set_massless(fe, model));
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    PetscCall(NsFeFreeSpinsCreate(fe, model));
    PetscCall(NsFeCheckBuckling(fe, model));
    if (config->start == 1) PetscCall(NsFeStatics(fe, model));
  }
  PetscCall(NsFeContacts(fe, model));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  if (fe->massless) PetscCall(NsFeMasslessStiffening(fe, model));
  NsFeScene(fe, model);
  model->probe_names = NsFePlaceNames(fe);
  model->probe_help =
    "points: a named node such as bar.left, or a place along a body: a fraction of its length such as bar@0.5, or a distance such as bar@20 mm";
  PetscFunctionReturn(0);
}
