/*
  The multibody model: from settings to the operations of percuss/model.h.

      M v' = h(t, q, v) + W lambda,   q' = rate(q, v)          (system.h: q and v of a body)

      h = (f, R'n - w x I w)  in space,   (f, n)  in the plane          M = diag(m, m, m, 1, I1, I2, I3), diag(m, m, I)

  Cost: linear in bodies. Nothing here allocates after set-up.
*/
#include <string.h>
#include "beams.h"
#include "candidates.h"
#include "piles.h"
#include "operators.h"
#include "touch.h"

static PetscErrorCode NsModelInitial_Multibody(NsModel *model, NsState *state)
{
  const NsMultibody *self = model->data;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &state->q, &state->v, NULL));
  PetscCall(PetscArraycpy(NsVecArray(state->q), self->start_q, self->unknowns));
  PetscCall(PetscArraycpy(NsVecArray(state->v), self->start_v, self->unknowns));
  state->t = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMove_Multibody(NsModel *model, Vec q0, PetscReal h, Vec v, Vec q1)
{
  PetscFunctionBegin;
  NsMbMove(model->data, NsVecRead(q0), h, NsVecRead(v), NsVecArray(q1));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelWay_Multibody(NsModel *model, Vec q0, Vec q1, Vec d)
{
  PetscFunctionBegin;
  NsMbWay(model->data, NsVecRead(q0), NsVecRead(q1), NsVecArray(d));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRate_Multibody(NsModel *model, Vec q, Vec v, Vec rate)
{
  PetscFunctionBegin;
  NsMbRate(model->data, NsVecRead(q), NsVecRead(v), NsVecArray(rate));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelTidy_Multibody(NsModel *model, Vec q)
{
  PetscFunctionBegin;
  NsMbTidy(model->data, NsVecArray(q));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelForce_Multibody(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  PetscFunctionBegin;
  NsMbForce(model->data, t, NsVecRead(q), NsVecRead(v), NsVecArray(h));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelAccel_Multibody(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  NsMultibody *self = model->data;
  PetscReal   *to   = NsVecArray(a);

  PetscFunctionBegin;
  NsMbForce(self, t, NsVecRead(q), NsVecRead(v), to);
  for (PetscInt i = 0; i < self->unknowns; i++) to[i] *= self->inverse_mass[i];
  PetscFunctionReturn(0);
}

/* By loops over a few numbers: operations on vectors would cost as much as all the rest. */
static PetscErrorCode NsModelFlight_Multibody(
  NsModel *model, PetscReal t1, PetscReal dt, Vec vec_q0, Vec vec_v0, Vec vec_a0, Vec vec_q1, Vec vec_v1, Vec vec_a1)
{
  NsMultibody     *self = model->data;
  const PetscReal *v0 = NsVecRead(vec_v0), *a0 = NsVecRead(vec_a0);
  PetscReal       *q1 = NsVecArray(vec_q1), *v1 = NsVecArray(vec_v1), *a1 = NsVecArray(vec_a1);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->unknowns; i++) {
    v1[i] = v0[i] + dt * a0[i]; /* until a1 is known */
    a1[i] = v0[i] + dt / 2 * a0[i];
  }
  NsMbMove(self, NsVecRead(vec_q0), dt, a1, q1);
  NsMbForce(self, t1, q1, v1, a1);
  for (PetscInt i = 0; i < self->unknowns; i++) {
    a1[i] *= self->inverse_mass[i];
    v1[i] = v0[i] + dt / 2 * (a0[i] + a1[i]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Multibody(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  const NsMultibody *self = model->data;
  const PetscReal   *ax   = NsVecRead(x);
  PetscReal         *ay   = NsVecArray(y);

  PetscFunctionBegin;
  (void)t;
  (void)q;
  for (PetscInt i = 0; i < self->unknowns; i++) ay[i] = self->M[i] * ax[i];
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFactor_Multibody(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  PetscFunctionBegin;
  PetscCall(NsMbFactor(model->data, slot, t, NsVecRead(q), NsVecRead(v), op));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSolve_Multibody(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  PetscFunctionBegin;
  NsMbSolve(model->data, slot, NsVecRead(b), NsVecArray(x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelEnergy_Multibody(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsMultibody     *self = model->data;
  const PetscReal *aq = NsVecRead(q), *av = NsVecRead(v);

  PetscFunctionBegin;
  (void)t;
  NsMbFrames(self, aq, av);
  *energy = (NsEnergy){.elastic = NsMbElastic(self, aq)};
  for (PetscInt i = 0; i < self->unknowns; i++) energy->kinetic += self->M[i] * av[i] * av[i] / 2;
  for (PetscInt b = 0; b < self->bodies; b++) energy->potential -= self->body[b].mass * NsDot(self->config->gravity, self->frame[b].x);
  energy->potential += 0.0; /* no -0 in tables */
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPower_Multibody(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  PetscFunctionBegin;
  NsMbPower(model->data, t, NsVecRead(q), NsVecRead(v), NsVecRead(w), power);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelTimes_Multibody(NsModel *model, PetscReal t, Vec v, NsTimes *times)
{
  const NsMultibody *self = model->data;

  PetscFunctionBegin;
  (void)v;
  for (PetscInt i = 0; i < self->loads; i++) {
    times->next   = PetscMin(times->next, NsTimeFunctionNext(self->load[i].time, t));
    times->period = PetscMin(times->period, NsTimeFunctionPeriod(self->load[i].time, t));
  }
  for (PetscInt i = 0; i < self->actuators; i++) {
    times->next   = PetscMin(times->next, NsTimeFunctionNext(self->actuator[i].time, t));
    times->period = PetscMin(times->period, NsTimeFunctionPeriod(self->actuator[i].time, t));
  }
  for (PetscInt i = 0; i < self->touches; i++) {
    if (!self->touch[i].motion.parts) continue;
    times->next   = PetscMin(times->next, NsMotionNext(&self->touch[i].motion, t));
    times->period = PetscMin(times->period, NsMotionPeriod(&self->touch[i].motion, t));
  }
  for (PetscInt i = 0; i < self->rows; i++) {
    if (self->row[i].speed) times->next = PetscMin(times->next, NsSpinNext(self->row[i].speed, t));
    if (!self->row[i].motion) continue;
    times->next   = PetscMin(times->next, NsMotionNext(self->row[i].motion, t));
    times->period = PetscMin(times->period, NsMotionPeriod(self->row[i].motion, t));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDestroy_Multibody(NsModel *model)
{
  PetscFunctionBegin;
  PetscCall(NsLayoutDestroy(&model->layout)); /* all else is in the arena */
  PetscFunctionReturn(0);
}

static const NsModelDynamics multibody_dynamics = {
  .initial = NsModelInitial_Multibody,
  .force   = NsModelForce_Multibody,
  .accel   = NsModelAccel_Multibody,
  .flight  = NsModelFlight_Multibody,
  .mult    = NsModelMult_Multibody,
  .factor  = NsModelFactor_Multibody,
  .solve   = NsModelSolve_Multibody,
  .energy  = NsModelEnergy_Multibody,
  .times   = NsModelTimes_Multibody,
};

static void set_operations(const NsMultibody *self, NsModel *model)
{
  model->dynamics = multibody_dynamics;
  model->view     = NsMbView;
  model->destroy  = NsModelDestroy_Multibody;
  if (!self->body[0].planar) {
    model->dynamics.move = NsModelMove_Multibody;
    model->dynamics.way  = NsModelWay_Multibody;
    model->dynamics.rate = NsModelRate_Multibody;
    model->dynamics.tidy = NsModelTidy_Multibody;
  }
  if (NsMbDamps(self) || NsMbLoads(self)) model->dynamics.power = NsModelPower_Multibody;
}

/* Sections of the config that these models do not have, and bodies of other kinds. */
static void refuse_others(const NsConfig *config, NsDiag *diag)
{
  static const char *const common[]     = {"title", "gravity", "bodies", "joints", "drives", "assembly", "springs", "loads", "contacts",
        "contact_materials", "start", "free_dynamics", "scheme", "time", "limits", "output", "orbit", NULL};
  static const char *const instead[][2] = {{"supports", "fix a body by a joint: {type: fixed, between: [ground, BODY]}"},
    {"bearings", "use `springs` between points, or the `stiffness` of joints"}, {"masses", "a body has its own `mass`"},
    {"discs", "a body has its own `inertia`, or shapes"}, {"unbalances", "use a body whose centre of mass is off its axis"}};
  const NsChosen          *body         = config->bodies.items;

  for (int b = 0; b < config->bodies.count; b++) {
    if (NsMultibodyIs(&body[b])) continue;
    NsDiagError(diag, config->bodies.where[b]->key_place,
      "'%s' is of type '%s': a model with bodies of `type: body` cannot have bodies of other types", config->bodies.names[b], body[b].variant->name);
  }
  for (const NsNode *section = config->where->first; section; section = section->next) {
    int i = 0;
    while (common[i] && strcmp(common[i], section->key)) i++;
    if (common[i] || !section->count) continue;
    NsDiagError(diag, section->key_place, "`%s` cannot be used with bodies of `type: body`", section->key);
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(instead); k++) {
      if (!strcmp(instead[k][0], section->key)) NsDiagNote(diag, "%s", instead[k][1]);
    }
  }
  if (config->start->state > 0)
    NsDiagError(diag, NsKeysPlace(config->where, NsTreeChild(config->where, "start") ? "start" : "bodies"),
      "bodies of `type: body` do not support `%s%s`: they start from their `initial` state",
      NsTreeChild(config->where, "start") ? "start: " : "percuss ",
      NsTreeChild(config->where, "start") ? NsStartWord(config->start->state) : "static");
}

/* Weight along z has no effect in the plane. */
static void check_gravity(const NsMultibody *self)
{
  const double *g = self->config->gravity;

  if (!self->body[0].planar || g[2] == 0) return;
  if (g[0] == 0 && g[1] == 0)
    NsDiagWarning(self->diag, NsKeysPlace(self->config->where, "gravity"), "gravity has no effect: bodies with `dimension: 2` move along x and y");
  else
    NsDiagError(self->diag, NsKeysPlace(self->config->where, "gravity"),
      "the z component of gravity has no effect: bodies with `dimension: 2` move along x and y");
}

static void make_mass(NsMultibody *self, NsModel *model)
{
  const size_t n = (size_t)self->unknowns;

  self->M            = NsArenaAlloc(self->arena, sizeof(*self->M) * n);
  self->inverse_mass = NsArenaAlloc(self->arena, sizeof(*self->inverse_mass) * n);
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    PetscReal      *M    = self->M + body->first;
    for (int k = 0; k < 3; k++) M[k] = body->mass;
    if (body->planar)
      M[2] = body->inertia[2];
    else
      M[3] = 1;
    for (int k = 0; k < 3 && !body->planar; k++) M[4 + k] = body->inertia[k];
    model->mass_total += body->mass;
  }
  for (PetscInt i = self->body_unknowns; i < self->unknowns; i++) self->M[i] = 1; /* angles of joints, whose v is 0 */
  for (size_t i = 0; i < n; i++) self->inverse_mass[i] = 1 / self->M[i];
}

PetscErrorCode NsModelCreate_Multibody(const NsConfig *config, NsMultibodyLists lists, NsArena *arena, NsDiag *diag, NsModel **result)
{
  NsMultibody *self  = NsArenaAlloc(arena, sizeof(*self));
  NsModel     *model = NsArenaAlloc(arena, sizeof(*model));

  PetscFunctionBegin;
  *result        = NULL;
  self->arena    = arena;
  self->diag     = diag;
  self->config   = config;
  self->lists    = lists;
  self->switches = &model->switches;
  refuse_others(config, diag);
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  NsMbBodies(self);
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  check_gravity(self);
  NsMbJoints(self);
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  self->body_unknowns = self->unknowns;
  self->unknowns += self->turns;
  self->seen    = NsArenaAlloc(arena, sizeof(*self->seen) * (size_t)self->unknowns);
  self->points  = NsArenaAlloc(arena, sizeof(*self->points) * (size_t)(self->joints + self->holds + 1));
  self->start_q = NsArenaAlloc(arena, sizeof(*self->start_q) * (size_t)self->unknowns);
  self->start_v = NsArenaAlloc(arena, sizeof(*self->start_v) * (size_t)self->unknowns);
  NsMbStart(self, self->start_q, self->start_v);
  for (PetscInt j = 0; j < self->joints; j++) {
    if (self->joint[j].turn >= 0) self->start_q[self->joint[j].turn] = self->joint[j].zero;
  }
  make_mass(self, model);
  PetscCall(NsMbAssemble(self));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  NsMbFrames(self, self->start_q, self->start_v);
  NsMbCheckLimits(self);
  NsMbForces(self);
  NsMbTouches(self);
  NsMbPiles(self);
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  PetscCall(NsMbOperatorsCreate(self));
  self->tangents          = !self->body[0].planar || self->springs || self->loads || self->actuators || self->bushings || self->beams;
  model->arena            = arena;
  model->data             = self;
  model->kind             = "multibody";
  model->unknowns         = self->unknowns;
  model->constant_mass    = PETSC_TRUE;
  model->diagonal_mass    = PETSC_TRUE;
  model->tangents_vary    = self->beams > 0;
  model->velocity_matters = !self->body[0].planar || NsMbDamps(self);
  model->length_scale     = self->length;
  PetscCall(NsLayoutCreateIdentity(self->unknowns, &model->layout));
  set_operations(self, model);
  PetscCall(NsMbCandidates(self, model));
  for (PetscInt i = 0; i < self->touches + self->rows; i++) {
    const NsMotion *motion = i < self->touches ? &self->touch[i].motion : self->row[i - self->touches].motion;
    if (!motion || !motion->parts) continue;
    const PetscReal jump = NsMotionJump(motion, config->time->end);
    model->moved         = model->moved || i < self->touches;
    if (jump < PETSC_MAX_REAL && !(model->velocity_jump > 0 && model->velocity_jump < jump)) model->velocity_jump = jump;
  }
  NsMbFrequencies(self, model);
  PetscCall(NsMbScene(self, model));
  *result = model;
  PetscFunctionReturn(0);
}
