/*
  The finite-element model: from settings to the operations of percuss/model.h.

      h(t, q, v) = f(t, q) + M g - K q - C v + spinning(t, q, v)          constant M, C, K but for unbalances of rotors whose spin is free
*/
#include "shares.h"
#include "equilibrium.h"
#include "fe/backend/backend.h"
#include "fe/surface/contact.h"

/* Everything but -K q - C v, in fe->outer; NULL: nothing. Loads do not change most entries of the weight. q and v may be NULL where fe->fused. */
static PetscErrorCode outer_force(const NsModel *model, PetscReal t, PetscReal *q, PetscReal *v, const PetscReal **outer)
{
  NsFe             *fe    = model->data;
  const NsFeForces *here  = &fe->here;
  const PetscInt    local = fe->back_end->layout->local;

  PetscFunctionBegin;
  *outer = fe->outer;
  if (!fe->outer) PetscFunctionReturn(0);
  if (fe->forces.gyros + fe->forces.varyings) PetscCall(NsLayoutExchange(fe->back_end->layout, 2, (PetscReal *[]){q, v})); /* they read ghosts */
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
  NsFeOuterForce(model, here, t, q, v, fe->outer);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelForce_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  NsFe            *fe = model->data;
  PetscReal       *aq = NsVecArray(q), *av = NsVecArray(v), *ah = NsVecArray(h);
  const PetscReal *outer;

  PetscFunctionBegin;
  PetscCall(outer_force(model, t, aq, av, &outer));
  if (outer)
    PetscCall(PetscArraycpy(ah, outer, fe->back_end->layout->local));
  else
    PetscCall(PetscArrayzero(ah, fe->back_end->layout->local));
  PetscCall(fe->back_end->type->force(fe->back_end, aq, av, ah));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFactor_Fe(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  if (fe->statics) PetscCall(NsFeMasslessFactor(fe->statics, slot, op));
  if (fe->statics && op.mass == 0) PetscFunctionReturn(0);
  PetscCall(NsBackEndFactor(fe->back_end, slot, op));
  if (fe->low_rank) PetscCall(NsFeLowRankFactor(fe, fe->low_rank, slot, t, q, v, op));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSolve_Fe(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  if (fe->statics && NsFeMasslessHas(fe->statics, slot)) {
    NsFeMasslessSolve(fe->statics, slot, fe->back_end->layout->local, NsVecRead(b), NsVecArray(x));
    PetscFunctionReturn(0);
  }
  PetscCall(NsBackEndSolve(fe->back_end, slot, b, x));
  if (fe->low_rank) PetscCall(NsFeLowRankCorrect(fe->low_rank, slot, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSettle_Fe(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v)
{
  NsFe            *fe = model->data;
  PetscReal       *aq = NsVecArray(q), *av = NsVecArray(v);
  const PetscReal *outer;

  PetscFunctionBegin;
  PetscCall(outer_force(model, t, aq, av, &outer));
  NsFeMasslessSettle(fe->statics, slot, outer, av, aq);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelAccel_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  NsFe            *fe = model->data;
  PetscReal       *aq = NsVecArray(q), *av = NsVecArray(v);
  const PetscReal *outer;

  PetscFunctionBegin;
  PetscCall(NsModelFactor_Fe(model, 0, t, q, v, (NsOperator){1, 0, 0}));
  PetscCall(outer_force(model, t, aq, av, &outer));
  PetscCall(fe->back_end->type->accel(fe->back_end, aq, av, outer, NsVecArray(a)));
  if (fe->low_rank) PetscCall(NsFeLowRankCorrect(fe->low_rank, 0, a));
  PetscFunctionReturn(0);
}

/* Fused if external forces do not depend on the position at the end. */
static PetscErrorCode NsModelFlight_Fe(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1)
{
  NsFe            *fe = model->data;
  const PetscReal *outer;

  PetscFunctionBegin;
  if (!fe->fused) {
    PetscCall(NsModelFlightInSteps(model, t1, dt, q0, v0, a0, q1, v1, a1));
    PetscFunctionReturn(0);
  }
  PetscCall(NsBackEndFactor(fe->back_end, 0, (NsOperator){1, 0, 0}));
  PetscCall(outer_force(model, t1, NULL, NULL, &outer));
  PetscReal *from[3] = {(PetscReal *)NsVecRead(q0), (PetscReal *)NsVecRead(v0), (PetscReal *)NsVecRead(a0)}; /* no more than ghosts are written */
  PetscCall(fe->back_end->type->flight(fe->back_end, dt, from[0], from[1], from[2], outer, NsVecArray(q1), NsVecArray(v1), NsVecArray(a1)));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Fe(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  NsFe      *fe = model->data;
  PetscReal *ax = NsVecArray(x), *ay = NsVecArray(y);

  PetscFunctionBegin;
  PetscCall(fe->back_end->type->mult(fe->back_end, ax, ay));
  if (fe->mass_varies) PetscCall(NsFeUnbalancedMassMult(fe, t, NsVecRead(q), ax, ay)); /* += (M(q) - M) x */
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMassRate_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(y));
  PetscCall(NsFeUnbalancedMassRate(model->data, t, NsVecRead(q), NsVecRead(v), NsVecArray(y)));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelContactPoint_Fe(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  NsFe         *fe   = model->data;
  const NsPair *pair = &fe->pair[candidate];

  PetscFunctionBegin;
  NsSurfaceMotionAt(fe->surface_motion, t);
  NsFeSlidingAt(fe, touch_q, model->touches);
  NsPairContactPoint(pair, touch_q, x, u, n);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelContactFrame_Fe(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal d[3][3])
{
  NsFe     *fe = model->data;
  PetscReal u[3];

  PetscFunctionBegin;
  PetscCall(NsModelContactPoint_Fe(model, t, touch_q, candidate, x, u, d[0]));
  for (int k = 0; k < 3; k++) x[k] += u[k];
  NsPairTangents(&fe->pair[candidate], d[0], d + 1);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDestroy_Fe(NsModel *model)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsWatchDestroy(&model->watch));
  PetscCall(NsBackEndDestroy(&fe->back_end));
  PetscCall(NsFeLowRankDestroy(&fe->low_rank));
  PetscCall(NsFeMasslessDestroy(&fe->statics));
  PetscCall(VecDestroy(&fe->work));
  PetscCall(VecDestroy(&fe->rest));
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
  NsFeHoldValues(fe, q, v);
}

static PetscErrorCode NsModelInitial_Fe(NsModel *model, NsState *state)
{
  NsFe      *fe = model->data;
  PetscReal *q, *v;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &state->q, &state->v, NULL));
  PetscCall(PetscCalloc2(fe->unknowns, &q, fe->unknowns, &v));
  if (fe->rest) PetscCall(PetscArraycpy(q, NsVecRead(fe->rest), fe->unknowns));
  NsFeInitialValues(fe, q, v);
  NsLayoutSpread(model->layout, q, NsVecArray(state->q));
  NsLayoutSpread(model->layout, v, NsVecArray(state->v));
  PetscCall(PetscFree2(q, v));
  state->t = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelCompliance_Fe(NsModel *model, PetscInt slot, PetscReal *C)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFeLowRankCompliance(model, fe->low_rank, slot, C));
  PetscFunctionReturn(0);
}

/* Loads, and speeds: of shafts, and of surfaces in contacts. */
static PetscErrorCode NsModelTimes_Fe(NsModel *model, PetscReal t, Vec v, NsTimes *times)
{
  const NsFe *fe = model->data;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) times->next = PetscMin(times->next, NsSpinNext(fe->body[b].spin, t));
  for (PetscInt i = 0; i < fe->pairs; i++) times->next = PetscMin(times->next, NsSpinNext(fe->pair[i].point[1]->spin, t));
  NsFeOuterTimes(&fe->here, t, NsVecRead(v), times);
  NsFeMovedTimes(fe, t, times);
  for (const NsSurfaceMotion *at = fe->surface_motion; at; at = at->next) {
    times->next   = PetscMin(times->next, NsMotionNext(&at->motion, t));
    times->period = PetscMin(times->period, NsMotionPeriod(&at->motion, t));
  }
  PetscReal next = -times->next, period = -times->period; /* loads are on the processes that own their nodes */
  PetscCall(NsLayoutMax(model->layout, &next));
  PetscCall(NsLayoutMax(model->layout, &period));
  times->next   = -next;
  times->period = -period;
  PetscFunctionReturn(0);
}

static const NsModelDynamics fe_dynamics = {
  .initial  = NsModelInitial_Fe,
  .force    = NsModelForce_Fe,
  .accel    = NsModelAccel_Fe,
  .flight   = NsModelFlight_Fe,
  .mult     = NsModelMult_Fe,
  .massrate = NsModelMassRate_Fe,
  .factor   = NsModelFactor_Fe,
  .solve    = NsModelSolve_Fe,
  .energy   = NsModelEnergy_Fe,
  .power    = NsModelPower_Fe,
  .times    = NsModelTimes_Fe,

  .deformation = NsFeDeformation,
  .outgrown    = NsFeOutgrown,
};

static PetscErrorCode NsModelMatrix_Fe(NsModel *model, NsOperator op, NsMatrix *A)
{
  const NsFe *fe = model->data;
  NsSparse    rows;

  PetscFunctionBegin;
  PetscCall(NsBackEndOperator(fe->back_end, op, &rows));
  *A = (NsMatrix){rows.rows, rows.start, rows.column, rows.value};
  PetscFunctionReturn(0);
}

static const NsModelView fe_view = {
  .fields        = NsModelFields_Fe,
  .planes        = NsModelPlanes_Fe,
  .contact_point = NsModelContactPoint_Fe,
  .contact_frame = NsModelContactFrame_Fe,
  .owners        = NsFeOwners,
  .shares        = NsFeShareEnergies,
  .gauge         = NsFeGauge,
  .name_unknown  = NsFeNameUnknown,
  .probe         = NsFeProbe,
  .station       = NsFeStation,
  .spin          = NsFeStationSpin,
};

static const NsModelAnalysis fe_analysis = {
  .frequency_bound  = NsFeFrequencyBound,
  .highest_mode     = NsFeHighestMode,
  .mesh_frequency   = NsFeMeshFrequency,
  .free_spins       = NsFeFreeSpins,
  .gyroscopic_modes = NsFeGyroscopicModes,
  .modes            = NsFeModes,
  .fingerprint      = NsFeFingerprint,
  .load_shapes      = NsFeLoadShapes,
  .load_sizes       = NsFeLoadSizes,
  .load_middles     = NsFeLoadMiddles,
};

/* Forces linear in q and v with constant matrices: prescribed spin may change loads over time, but no matrix. */
static PetscBool is_linear(const NsFe *fe)
{
  for (PetscInt l = 0; l < fe->forces.loads; l++) {
    if (fe->forces.load[l].sine && fe->forces.load[l].twist.entries) return PETSC_FALSE;
  }
  return fe->forces.gyros + fe->forces.varyings == 0 && !fe->mass_varies;
}

/* The compliance of contacts is solved for once where the operators of the scheme are constant; else it is put together each time. Where nothing damps or loads there is
   no power to ask for. */
static void set_operations(const NsFe *fe, NsModel *model)
{
  model->dynamics = fe_dynamics;
  model->contact  = NsModelContact_Fe;
  model->view     = fe_view;
  model->analysis = fe_analysis;
  if (fe->mass_varies || (fe->low_rank && fe->needs.stiffness)) model->contact.compliance = NsModelCompliance_Fe;
  if (fe->back_end->type == &NsBackEndType_Banded && fe->ranks == 1 && !fe->massless && !fe->low_rank) model->contact.matrix = NsModelMatrix_Fe;
  if (fe->massless) model->dynamics.settle = NsModelSettle_Fe;
  if (!fe->works && !fe->back_end->damped) model->dynamics.power = NULL;
  if (fe->ranks > 1) model->view.partition = NsFePartition;
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
      "`mass: redistributed` does not support an unbalance on a rotor of free spin, whose mass matrix varies");
}

/* What the static solution with contacts does not support (NsFeStaticsTouch). */
static void check_start(NsFe *fe)
{
  const NsPlace   place = NsKeysPlace(fe->config->where, "start");
  const NsFeHold *hold  = fe->hold;

  if (fe->config->start->state && fe->holds && NsTreeChild(fe->config->where, "start"))
    NsDiagError(fe->diag, place,
      "`start: %s` does not support links, nor supports that stop acting (`until`): start from another run, or from the undeformed state",
      NsStartWord(fe->config->start->state));
  else if (fe->config->start->state && fe->holds)
    NsDiagError(fe->diag, hold->where->key_place, "`percuss static` does not support links, nor supports that stop acting (`until`)");
  if (NsFeStaticsTouch(fe)) return;
  if (fe->config->start->state == NS_START_STATIC_FRICTION) {
    NsDiagError(fe->diag, place, "`start: static_friction` is for models with contacts or ties, with linear springs and bearings, on one process");
    NsDiagNote(fe->diag, "without contacts write `start: static`");
  } else if (fe->config->start->state && fe->config->ties.count)
    NsDiagError(fe->diag, place, "`start: %s` with ties is for linear springs and bearings, on one process", NsStartWord(fe->config->start->state));
}

static PetscErrorCode set_massless(NsFe *fe, NsModel *model)
{
  PetscFunctionBegin;
  model->massless       = fe->massless;
  model->massless_index = NsArenaAlloc(fe->arena, sizeof(*model->massless_index) * (size_t)fe->massless);
  for (PetscInt i = 0; i < fe->massless; i++) model->massless_index[i] = NsLayoutIndex(model->layout, fe->massless_unknown[i]);
  PetscCall(NsFeMasslessCreate(fe, model, &fe->statics));
  PetscFunctionReturn(0);
}

static void take_surface_motions(const NsFe *fe, NsModel *model)
{
  for (const NsSurfaceMotion *at = fe->surface_motion; at; at = at->next) {
    const PetscReal jump = NsMotionJump(&at->motion, fe->config->time->end);
    model->moved         = PETSC_TRUE;
    if (jump < PETSC_MAX_REAL && !(model->velocity_jump > 0 && model->velocity_jump < jump)) model->velocity_jump = jump;
  }
}

static void set_search(NsModel *model)
{
  model->contact.strays    = NsFeBallsStray;
  model->contact.search    = NsFeBallsSearch;
  model->contact.release   = NsFeBallsRelease;
  model->contact.serialize = NsFeBallsSerialize;
}

PetscErrorCode NsModelCreate_Fe(const NsConfig *config, NsModelNeeds needs, NsArena *arena, NsDiag *diag, NsModel **result)
{
  NsFe     *fe    = NsArenaAlloc(arena, sizeof(*fe));
  NsModel  *model = NsArenaAlloc(arena, sizeof(*model));
  PetscBool loose = PETSC_FALSE;

  PetscFunctionBegin;
  *result      = NULL;
  fe->arena    = arena;
  fe->diag     = diag;
  fe->config   = config;
  fe->needs    = needs;
  fe->switches = &model->switches;
  fe->comm     = PETSC_COMM_WORLD;
  fe->rank     = PetscGlobalRank;
  fe->ranks    = PetscGlobalSize;
  for (int k = 0; k < 3; k++) fe->gravity[k] = config->gravity[k];
  PetscCall(NsFeBodies(fe));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  for (PetscInt b = 0; b < fe->bodies && !needs.whole; b++)
    fe->needs.stiffness = fe->needs.stiffness || fe->body[b].reduce; /* solves for static shapes */
  NsFeCheckBodies(fe);
  NsFeSupports(fe);
  if (!NsDiagErrors(diag)) NsFeLinks(fe);
  NsFeForcesCreate(fe);
  NsFeAttachments(fe);
  NsFeAttachBodies(fe);
  PetscCall(NsFeRedistribute(fe));
  model->arena         = arena;
  model->data          = fe;
  model->includes      = fe->includes;
  model->include       = fe->include;
  model->destroy       = NsModelDestroy_Fe;
  model->kind          = "finite elements";
  model->unknowns      = fe->unknowns;
  model->parts         = NsFeParts(fe);
  model->constant_mass = fe->mass_varies ? PETSC_FALSE : PETSC_TRUE;
  if (!NsDiagErrors(diag)) {
    *result = model; /* from here on it is destroyed by the caller, errors or not */
    NsFeMovingCreate(fe);
    model->velocity_jump = NsFeMovedJump(fe);
    model->moved         = fe->moving.moved > 0;
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    NsFeVaryingCreate(fe);
    NsFeSpinning(fe);
    check_massless(fe);
    model->linear        = is_linear(fe);
    model->diagonal_mass = !fe->mass_varies && NsFeMassIsDiagonal(fe);
    PetscCall(NsFeDistribute(fe));
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    PetscCall(NsBackEndCreate(fe, &fe->back_end));
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    model->layout = fe->back_end->layout;
    model->solver = fe->back_end->name;
    PetscCall(NsFeOuterIndices(fe, model->layout));
    PetscCall(NsVecsCreate(model, &fe->work, NULL));
    model->velocity_matters = fe->back_end->rates || fe->forces.gyros || fe->forces.varyings || fe->mass_varies;
    model->tangents_vary    = fe->here.varyings && fe->ranks == 1;
    fe->fused               = model->linear;
    fe->works               = fe->forces.loads || fe->forces.varyings || fe->forces.unbalances || fe->circulates;
    PetscCall(NsFeLowRankCreate(fe, &fe->low_rank));
    set_operations(fe, model);
    if (fe->mass_varies) {
      PetscCall(VecZeroEntries(fe->work));
      PetscCall(NsFeUnbalancedMassCheck(fe, fe->work));
    }
    if (fe->massless) PetscCall(set_massless(fe, model));
    if (NsDiagErrors(diag)) PetscFunctionReturn(0);
    PetscCall(NsFeFreeSpinsCreate(fe, model));
    PetscCall(NsFeCheckHeld(fe));
    NsFeJudgeMasses(fe);
    PetscCall(NsFeCheckBuckling(fe, model));
    check_start(fe);
    if (config->start->state > 0 && !fe->holds) PetscCall(NsFeStatics(fe, model, &loose));
  }
  PetscCall(NsFeContacts(fe, model));
  take_surface_motions(fe, model);
  if (!NsDiagErrors(diag) && NsFeStaticsTouch(fe)) PetscCall(NsFeStaticContact(fe, model, loose));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  if (fe->surface_contact) model->contact.slip = NsFeSurfaceSlip;
  if (fe->balls) set_search(model);
  PetscCall(NsFeContactDepths(fe, model));
  PetscCall(NsFeDeformationCreate(fe, model));
  if (fe->massless) PetscCall(NsFeMasslessStiffening(fe, model));
  NsFeScene(fe, model);
  model->probe_names = NsFePointNames(fe);
  model->probe_help =
    "points: a named node such as bar.left, a fraction of a body's length such as bar@0.5, a distance along it such as bar@20 mm, or a set of nodes such as lattice.bottom, of which the mean is recorded; and reactions: supports.NAME, springs.NAME, bearings.NAME, motors.NAME, gears.NAME";
  if (!needs.whole) PetscCall(NsFeReduce(fe, result));
  PetscFunctionReturn(0);
}
