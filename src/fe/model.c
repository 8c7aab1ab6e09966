/*
  The finite-element model: from settings to the operations of percuss/model.h.

      h(t, q, v) = f(t, q) + M g - K q - C v + spinning(t, q, v)          constant M, C, K but for unbalances of rotors whose spin is free
*/
#include "free.h"

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
  PetscCall(NsFeBodies(fe));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  NsFeCheckBodies(fe);
  NsFeSupports(fe);
  NsFeSprings(fe);
  NsFeMasses(fe);
  NsFeAttachBodies(fe);
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
