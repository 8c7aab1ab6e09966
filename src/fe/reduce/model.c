/*
  The reduced model (reduce.h): operations of percuss/model.h over dense matrices; contacts, loads over time and pictures are those of the whole model.

      h = sum_k size_k(t) f_k - K x - C v

  Contacts read and write the touch list alone: its entries are coordinates of the boundary. For the rows of curved contacts they are put into a vector of the whole model, which is zero elsewhere.
*/
#include "reduce.h"

static NsFeReduced *reduced_of(const NsModel *model)
{
  return model->data;
}

/* ---- dynamics ----------------------------------------------------------------------------------------------------------------------------------- */

static void take_sizes(const NsModel *model, PetscReal t)
{
  NsFeReduced *self = reduced_of(model);

  self->whole->before = model->before;
  self->whole->after  = model->after;
  NsFeLoadMeans(self->whole, t, self->size);
}

/* d = u_b - P eta into self->x. */
static void find_strain(NsFeReduced *self, const PetscReal *q)
{
  for (PetscInt i = 0; i < self->boundary; i++) self->x[i] = q[i];
  NsDenseAdd(self->boundary, self->modes, self->P, -1, q + self->boundary, self->x);
}

/* K q = [A d; Omega^2 eta - P'A d]: fewer products than with K. h is not self->h. */
static void force(const NsModel *model, PetscReal t, const PetscReal *q, const PetscReal *v, PetscReal *restrict h)
{
  NsFeReduced   *self = reduced_of(model);
  const PetscInt n = self->n, b = self->boundary;
  PetscReal     *reaction = self->h;

  take_sizes(model, t);
  for (PetscInt i = 0; i < n; i++) h[i] = 0;
  NsDenseAdd(n, self->loads, self->load, 1, self->size, h);
  find_strain(self, q);
  for (PetscInt i = 0; i < b; i++) reaction[i] = 0;
  NsDenseAdd(b, b, self->A, 1, self->x, reaction);
  for (PetscInt i = 0; i < b; i++) h[i] -= reaction[i];
  if (self->coupled) NsDenseAdd(self->modes, b, self->transposed, 1, reaction, h + b);
  for (PetscInt j = 0; j < self->modes; j++) h[b + j] -= self->square[j] * q[b + j];
  if (self->C) NsDenseAdd(n, n, self->C, -1, v, h);
}

static PetscErrorCode NsModelForce_Reduced(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  PetscFunctionBegin;
  force(model, t, NsVecRead(q), NsVecRead(v), NsVecArray(h));
  PetscFunctionReturn(0);
}

/* The coordinates that an operator acts on: of the boundary alone, of the modes alone, or all. */
static void range_of(const NsFeReduced *self, NsOperator op, PetscInt *first, PetscInt *count)
{
  const PetscBool inner = op.mass == 0, mass_alone = op.stiffness == 0 && (op.damping == 0 || !self->C);

  *first = self->massless && !inner && mass_alone ? self->boundary : 0;
  *count = (self->massless && inner ? self->boundary : self->n) - *first;
}

static PetscErrorCode NsModelFactor_Reduced(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  NsFeReduced *self = reduced_of(model);
  NsOperator  *old  = &self->op[slot];
  PetscInt     first, count;

  PetscFunctionBegin;
  (void)t;
  (void)q;
  (void)v;
  if (self->ready[slot] && old->mass == op.mass && old->damping == op.damping && old->stiffness == op.stiffness) PetscFunctionReturn(0);
  range_of(self, op, &first, &count);
  for (PetscInt j = 0; j < count; j++) {
    for (PetscInt i = 0; i < count; i++) {
      const PetscInt at                    = (first + j) * self->n + first + i;
      self->factor[slot].lu[j * count + i] = op.mass * self->M[at] + op.stiffness * self->K[at] + (self->C ? op.damping * self->C[at] : 0);
    }
  }
  PetscCall(NsDenseFactorize(&self->factor[slot], count));
  *old              = op;
  self->ready[slot] = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSolve_Reduced(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  NsFeReduced *self = reduced_of(model);
  PetscInt     first, count;

  PetscFunctionBegin;
  range_of(self, self->op[slot], &first, &count);
  const PetscReal *from = NsVecRead(b);
  PetscReal       *to   = NsVecArray(x);
  for (PetscInt i = 0; i < self->n; i++) to[i] = i < first || i >= first + count ? 0 : from[i];
  if (!(self->massless && first)) NsDenseSolve(&self->factor[slot], to + first);
  for (PetscInt i = first; i < self->n && self->massless && first; i++) to[i] /= self->op[slot].mass; /* the modes have unit mass */
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelAccel_Reduced(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  PetscFunctionBegin;
  PetscCall(NsModelFactor_Reduced(model, 0, t, q, v, (NsOperator){1, 0, 0}));
  force(model, t, NsVecRead(q), NsVecRead(v), NsVecArray(a));
  PetscCall(NsModelSolve_Reduced(model, 0, a, a));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Reduced(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  NsFeReduced     *self = reduced_of(model);
  const PetscReal *from = NsVecRead(x);
  PetscReal       *to   = NsVecArray(y);

  PetscFunctionBegin;
  (void)t;
  (void)q;
  for (PetscInt i = 0; i < self->n; i++) to[i] = 0;
  NsDenseAdd(self->n, self->n, self->M, 1, from, to);
  PetscFunctionReturn(0);
}

/* Of macneal, whose boundary has no damping: u_b = P eta + A^-1 f_b. */
static PetscErrorCode NsModelSettle_Reduced(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v)
{
  NsFeReduced   *self = reduced_of(model);
  const PetscInt b    = self->boundary;
  PetscReal     *to   = NsVecArray(q);

  PetscFunctionBegin;
  (void)v;
  take_sizes(model, t);
  find_strain(self, to);
  for (PetscInt i = 0; i < b; i++) {
    self->x[i] = -self->x[i];
    self->h[i] = 0;
  }
  for (PetscInt l = 0; l < self->loads; l++) NsDenseAdd(b, 1, self->load + l * self->n, 1, self->size + l, self->h);
  NsDenseAdd(b, b, self->basis.flexibility_contact, 1, self->h, self->x);
  for (PetscInt i = 0; i < b; i++) to[i] += self->x[i] / self->op[slot].stiffness;
  PetscFunctionReturn(0);
}

/* w' X v */
static PetscReal product(NsFeReduced *self, const PetscReal *X, const PetscReal *w, const PetscReal *v)
{
  for (PetscInt i = 0; i < self->n; i++) self->h[i] = 0;
  NsDenseAdd(self->n, self->n, X, 1, v, self->h);
  return NsDenseDot(self->n, w, self->h);
}

/* |strain (u_b - P eta)|^2/2 + eta' Omega^2 eta/2 */
static PetscReal elastic_energy(NsFeReduced *self, const PetscReal *q)
{
  const PetscInt   b   = self->boundary;
  const PetscReal *eta = q + b;
  PetscReal        sum = 0;

  find_strain(self, q);
  for (PetscInt i = 0; i < b; i++) self->h[i] = 0;
  NsDenseAdd(b, b, self->strain, 1, self->x, self->h);
  for (PetscInt i = 0; i < b; i++) sum += PetscSqr(self->h[i]);
  for (PetscInt j = 0; j < self->modes; j++) sum += PetscSqr(self->omega[j] * eta[j]);
  return sum / 2;
}

static PetscErrorCode NsModelEnergy_Reduced(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsFeReduced     *self = reduced_of(model);
  const PetscReal *x = NsVecRead(q), *w = NsVecRead(v);

  PetscFunctionBegin;
  (void)t;
  energy->kinetic   = product(self, self->M, w, w) / 2;
  energy->elastic   = elastic_energy(self, x);
  energy->potential = 0 - NsDenseDot(self->n, self->load, x);
  energy->moved     = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPower_Reduced(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsFeReduced     *self = reduced_of(model);
  const PetscReal *mean = NsVecRead(w), *rate = NsVecRead(v);

  PetscFunctionBegin;
  (void)q;
  *power = (NsPower){0, 0};
  if (self->C) power->damping = product(self, self->dampers, mean, rate);
  take_sizes(model, t);
  for (PetscInt l = 1; l < self->loads; l++) power->load += self->size[l] * NsDenseDot(self->n, self->load + l * self->n, mean);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelTimes_Reduced(NsModel *model, PetscReal t, Vec v, NsTimes *times)
{
  NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  (void)v; /* no spin is free */
  PetscCall(self->whole->dynamics.times(self->whole, t, self->v, times));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDeformation_Reduced(NsModel *model, PetscReal t, Vec q, NsBound *rotation, NsBound *stretch)
{
  NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  NsReduceRecover(self, q, NULL, NULL);
  PetscCall(self->whole->dynamics.deformation(self->whole, t, self->q, rotation, stretch));
  PetscFunctionReturn(0);
}

/* ---- start -------------------------------------------------------------------------------------------------------------------------------------- */

/* The modes have the momentum of the whole model, and the boundary its displacements, less what fades. x[n] of a vector of the whole model. */
static PetscErrorCode project_motion(NsFeReduced *self, Vec from, PetscReal *x)
{
  const NsLayout *layout = self->whole->layout;
  const PetscInt  b = self->boundary, N = self->natural;

  PetscFunctionBegin;
  const PetscReal *value = NsVecRead(from);
  for (PetscInt i = 0; i < b; i++) x[i] = value[NsLayoutIndex(layout, self->unknown[i])];
  if (self->settings.method != NS_REDUCE_CRAIG_BAMPTON) {
    PetscCall(NsReducedProject(&self->basis, 0, from, x + b));
    for (PetscInt i = 0; i < b; i++) {
      for (PetscInt j = 0; j < self->modes; j++) x[i] -= (self->basis.at_touch[i * self->modes + j] - self->P[j * b + i]) * x[b + j];
    }
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < N; i++) self->full[i] = value[NsLayoutIndex(layout, i)];
  NsDenseAdd(N, b, self->T, -1, x, self->full);
  NsLayoutSpread(layout, self->full, NsVecArray(self->a));
  PetscCall(NsModelMult(self->whole, 0, self->a, self->a, self->v));
  value = NsVecRead(self->v);
  for (PetscInt i = 0; i < N; i++) self->full[i] = value[NsLayoutIndex(layout, i)];
  for (PetscInt j = 0; j < self->modes; j++) x[b + j] = NsDenseDot(N, self->T + (size_t)(b + j) * (size_t)N, self->full);
  PetscCall(VecZeroEntries(self->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelInitial_Reduced(NsModel *model, NsState *state)
{
  NsFeReduced *self = reduced_of(model);
  const NsFe  *fe   = self->whole->data;
  NsState      whole;

  PetscFunctionBegin;
  PetscCall(self->whole->dynamics.initial(self->whole, &whole));
  PetscCall(NsVecsCreate(model, &state->q, &state->v, NULL));
  PetscCall(project_motion(self, whole.q, NsVecArray(state->q)));
  PetscCall(project_motion(self, whole.v, NsVecArray(state->v)));
  PetscCall(NsReduceCheckInitial(model, whole.v, state->v, "velocities"));
  if (fe->config->start->state == NS_START_AS_GIVEN) PetscCall(NsReduceCheckInitial(model, whole.q, state->q, "displacements"));
  if (fe->config->start->state != NS_START_AS_GIVEN) PetscCall(NsReduceEquilibrium(model, whole.q, state->q));
  state->t = 0;
  PetscCall(NsVecsDestroy(&whole.q, &whole.v, NULL));
  PetscFunctionReturn(0);
}

/* ---- contact ------------------------------------------------------------------------------------------------------------------------------------ */

/* The touch list of x in a vector of the whole model. */
static Vec touched(const NsModel *model, Vec x, Vec to)
{
  const NsFeReduced *self  = reduced_of(model);
  const NsModel     *whole = self->whole;
  const PetscReal   *from  = NsVecRead(x);
  PetscReal         *value = NsVecArray(to);

  for (PetscInt k = 0; k < model->touches; k++) value[NsLayoutIndex(whole->layout, whole->touch[k])] = from[model->touch[k]];
  return to;
}

static PetscErrorCode NsModelGap_Reduced(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  PetscCall(self->whole->contact.gap(self->whole, t, touched(model, q, self->q), g));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRows_Reduced(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  PetscCall(self->whole->contact.rows(self->whole, t, touched(model, q, self->q), active, contact, rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRowrate_Reduced(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  PetscCall(self->whole->contact.rowrate(self->whole, t, touched(model, q, self->q), touched(model, v, self->a), rows, d));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRatesOf_Reduced(NsModel *model, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count,
  const PetscInt *candidate, PetscReal *g, PetscReal *u)
{
  NsModel *whole = reduced_of(model)->whole;

  PetscFunctionBegin;
  PetscCall(whole->contact.rates_of(whole, t, touch_q, touch_v, count, candidate, g, u));
  PetscFunctionReturn(0);
}

static PetscReal NsModelTravel_Reduced(const NsModel *model, PetscInt candidate, const PetscReal t[2], const PetscReal *from, const PetscReal *to)
{
  const NsModel *whole = reduced_of(model)->whole;

  return whole->contact.travel(whole, candidate, t, from, to);
}

static PetscReal NsModelSlip_Reduced(NsModel *model, PetscInt candidate, const PetscReal *touch_q)
{
  NsModel *whole = reduced_of(model)->whole;

  return whole->contact.slip(whole, candidate, touch_q);
}

static PetscErrorCode NsModelActed_Reduced(NsModel *model, PetscBool *acted)
{
  NsModel *whole = reduced_of(model)->whole;

  PetscFunctionBegin;
  PetscCall(whole->contact.acted(whole, acted));
  PetscFunctionReturn(0);
}

/* ---- frequencies -------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode NsModelFrequencyBound_Reduced(NsModel *model, PetscInt part, NsBound *omega, NsBound *damping_rate)
{
  const NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  (void)part;
  omega->value        = self->highest;
  damping_rate->value = self->damping_rate;
  PetscCall(PetscSNPrintf(omega->where, sizeof(omega->where), "highest frequency of the reduced bodies, %.5g Hz", self->highest / (2 * PETSC_PI)));
  PetscCall(PetscSNPrintf(damping_rate->where, sizeof(damping_rate->where), "damping of the reduced bodies"));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelHighestMode_Reduced(NsModel *model, PetscInt part, PetscReal *omega, PetscReal *damping_rate)
{
  const NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  (void)part;
  *omega        = self->highest;
  *damping_rate = self->damping_rate;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMeshFrequency_Reduced(NsModel *model, NsBound *lowest)
{
  NsModel *whole = reduced_of(model)->whole;

  PetscFunctionBegin;
  PetscCall(whole->analysis.mesh_frequency(whole, lowest));
  PetscFunctionReturn(0);
}

/* Rates of the highest modes: damping x'Cx and gyroscopic |X'Gx| of modes with unit mass. */
static PetscErrorCode NsModelGyroscopicModes_Reduced(NsModel *model, PetscInt part, PetscInt *count, NsStabilityMode *modes)
{
  NsFeReduced   *self  = reduced_of(model);
  const PetscInt first = self->massless ? self->boundary : 0, size = self->n - first;
  PetscReal     *omega, *shape, *y, *z;
  PetscInt       all;

  PetscFunctionBegin;
  (void)part;
  *count = 0;
  PetscCall(PetscMalloc4(self->n, &omega, NsSquare(size), &shape, size, &y, size, &z));
  PetscCall(NsReduceFrequencies(self, self->massless, &all, omega, shape));
  for (PetscInt j = PetscMax(0, all - NS_STABILITY_MODES); j < all; j++) {
    const PetscReal *x       = shape + j * size;
    PetscReal        damping = 0, turning = 0;
    for (PetscInt i = 0; i < size; i++) {
      y[i] = z[i] = 0;
      for (PetscInt k = 0; k < size; k++) {
        const PetscInt at = (first + k) * self->n + first + i;
        y[i] += self->dampers[at] * x[k];
        z[i] += (self->C[at] - self->dampers[at]) * x[k];
      }
      damping += x[i] * y[i];
    }
    for (PetscInt k = 0; k < all; k++) turning += PetscSqr(NsDenseDot(size, shape + k * size, z));
    modes[(*count)++] = (NsStabilityMode){.omega = omega[j], .damping_rate = damping, .gyroscopic_rate = PetscSqrtReal(turning)};
  }
  PetscCall(PetscFree4(omega, shape, y, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode fill_modes(NsModel *model, const PetscReal *shape, NsModelModes *modes)
{
  NsFeReduced   *self = reduced_of(model);
  const PetscInt n    = self->n;
  Vec            model_vector;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &model_vector, NULL));
  PetscCall(VecDuplicateVecs(model_vector, modes->count, &modes->shape));
  PetscCall(NsVecsDestroy(&model_vector, NULL));
  for (PetscInt j = 0; j < modes->count; j++) {
    PetscCall(PetscArraycpy(NsVecArray(modes->shape[j]), shape + j * n, n));
    modes->omega[j] = PetscSqrtReal(2 * elastic_energy(self, shape + j * n)); /* keeps the zeros of rigid motions */
    if (modes->omega[j] <= 1e-9 * self->highest) modes->omega[j] = 0;
    for (PetscInt i = 0; i < modes->count && self->C; i++)
      modes->damping[i * modes->count + j] = product(self, self->C, shape + i * n, shape + j * n);
  }
  PetscFunctionReturn(0);
}

/* None of a massless boundary. */
static PetscErrorCode NsModelModes_Reduced(NsModel *model, PetscInt wanted, NsModelModes *modes)
{
  NsFeReduced *self = reduced_of(model);
  PetscReal   *omega, *shape;
  PetscInt     found;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(modes, sizeof(*modes)));
  if (self->massless && self->boundary) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(self->n, &omega, NsSquare(self->n), &shape));
  PetscCall(NsReduceFrequencies(self, PETSC_FALSE, &found, omega, shape));
  modes->count       = PetscMin(wanted, found);
  const size_t count = (size_t)modes->count;
  PetscCall(PetscCalloc3(count, &modes->omega, count * count, &modes->damping, count * count, &modes->circulation));
  if (modes->count) PetscCall(fill_modes(model, shape, modes));
  PetscCall(PetscFree2(omega, shape));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelLoadShapes_Reduced(NsModel *model, PetscInt *count, Vec **shape)
{
  const NsFeReduced *self = reduced_of(model);
  Vec                model_vector;

  PetscFunctionBegin;
  *count = self->loads;
  PetscCall(NsVecsCreate(model, &model_vector, NULL));
  PetscCall(VecDuplicateVecs(model_vector, self->loads, shape));
  PetscCall(NsVecsDestroy(&model_vector, NULL));
  for (PetscInt l = 0; l < self->loads; l++) PetscCall(PetscArraycpy(NsVecArray((*shape)[l]), self->load + l * self->n, self->n));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelLoadSizes_Reduced(NsModel *model, PetscReal t, PetscReal *size)
{
  PetscFunctionBegin;
  PetscCall(NsFeLoadSizes(reduced_of(model)->whole, t, size));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelLoadMiddles_Reduced(NsModel *model, PetscReal t, PetscReal dt, PetscReal *size)
{
  PetscFunctionBegin;
  PetscCall(NsFeLoadMiddles(reduced_of(model)->whole, t, dt, size));
  PetscFunctionReturn(0);
}

/* ---- creation ----------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode NsModelDestroy_Reduced(NsModel *model)
{
  NsFeReduced *self = reduced_of(model);

  PetscFunctionBegin;
  PetscCall(NsLayoutDestroy(&model->layout));
  PetscCall(VecDestroy(&self->q));
  PetscCall(VecDestroy(&self->v));
  PetscCall(VecDestroy(&self->a));
  PetscCall(NsModelDestroy(&self->whole));
  PetscFunctionReturn(0);
}

static void set_operations(const NsFeReduced *self, NsModel *model)
{
  const NsModel *whole  = self->whole;
  PetscBool      loaded = self->loads > 2;

  for (PetscInt i = self->n; i < self->n * PetscMin(2, self->loads); i++) loaded = loaded || self->load[i] != 0; /* constant loads */
  model->dynamics = (NsModelDynamics){.initial = NsModelInitial_Reduced,
    .force                                     = NsModelForce_Reduced,
    .accel                                     = NsModelAccel_Reduced,
    .mult                                      = NsModelMult_Reduced,
    .factor                                    = NsModelFactor_Reduced,
    .solve                                     = NsModelSolve_Reduced,
    .settle                                    = model->massless ? NsModelSettle_Reduced : NULL,
    .energy                                    = NsModelEnergy_Reduced,
    .power                                     = self->C || loaded ? NsModelPower_Reduced : NULL,
    .times                                     = NsModelTimes_Reduced,
    .deformation                               = whole->dynamics.deformation ? NsModelDeformation_Reduced : NULL};
  model->contact  = (NsModelContact){.gap = NsModelGap_Reduced,
     .rows                                = NsModelRows_Reduced,
     .rowrate                             = NsModelRowrate_Reduced,
     .rates_of                            = NsModelRatesOf_Reduced,
     .travel                              = NsModelTravel_Reduced,
     .slip                                = whole->contact.slip ? NsModelSlip_Reduced : NULL,
     .acted                               = NsModelActed_Reduced};
  model->view     = NsReduceView;
  model->analysis = (NsModelAnalysis){.frequency_bound = NsModelFrequencyBound_Reduced,
    .highest_mode                                      = NsModelHighestMode_Reduced,
    .mesh_frequency                                    = NsModelMeshFrequency_Reduced,
    .gyroscopic_modes                                  = self->skew ? NsModelGyroscopicModes_Reduced : NULL,
    .modes                                             = NsModelModes_Reduced,
    .load_shapes                                       = NsModelLoadShapes_Reduced,
    .load_sizes                                        = NsModelLoadSizes_Reduced,
    .load_middles                                      = NsModelLoadMiddles_Reduced};
}

/* Copies the fields of the whole model and replaces those that differ. */
static void set_constants(NsFe *fe, const NsFeReduced *self, NsModel *model)
{
  *model                  = *self->whole;
  model->data             = (void *)self;
  model->kind             = NS_REDUCED_KIND;
  model->solver           = "reduced";
  model->destroy          = NsModelDestroy_Reduced;
  model->unknowns         = self->n;
  model->parts            = 1;
  model->diagonal_mass    = self->massless;
  model->velocity_matters = self->C != NULL;
  model->watch            = NULL;
  model->massless         = self->massless ? self->boundary : 0;
  model->massless_index   = NsArenaAlloc(fe->arena, sizeof(*model->massless_index) * (size_t)(model->massless + 1));
  for (PetscInt i = 0; i < model->massless; i++) model->massless_index[i] = i;
  model->touch = NsArenaAlloc(fe->arena, sizeof(*model->touch) * (size_t)(model->touches + 1));
  for (PetscInt k = 0; k < model->touches; k++) (void)PetscFindInt(self->whole->touch[k], self->boundary, self->unknown, &model->touch[k]);
  for (PetscInt i = 0; i < model->candidates; i++) model->candidate[i].massless = self->massless;
}

PetscErrorCode NsReduceModel(NsFe *fe, NsFeReduced *self, NsModel **result)
{
  NsModel *model = NsArenaAlloc(fe->arena, sizeof(*model));

  PetscFunctionBegin;
  set_constants(fe, self, model);
  PetscCall(NsLayoutCreateIdentity(self->n, &model->layout));
  set_operations(self, model);
  for (int s = 0; s < NS_SLOTS; s++) {
    self->factor[s].lu    = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(self->n * self->n + 1));
    self->factor[s].pivot = NsArenaAlloc(fe->arena, sizeof(PetscBLASInt) * (size_t)(self->n + 1));
  }
  self->h = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(self->n + 1));
  self->x = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(self->n + 1));
  PetscCall(NsVecsCreate(self->whole, &self->q, &self->v, &self->a, NULL));
  *result = model;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeReduce(NsFe *fe, NsModel **model)
{
  NsFeReduced *self = NsArenaAlloc(fe->arena, sizeof(*self));

  PetscFunctionBegin;
  if (!NsReduceSettingsOf(fe, *model, &self->settings)) PetscFunctionReturn(0);
  self->whole    = *model;
  self->natural  = fe->unknowns;
  self->place    = NsKeysPlace(self->settings.where, "method");
  self->massless = self->settings.method == NS_REDUCE_MACNEAL;
  if (self->settings.method == NS_REDUCE_CRAIG_BAMPTON)
    PetscCall(NsReduceByConstraintModes(fe, self));
  else
    PetscCall(NsReduceByFreeModes(fe, self));
  if (!NsDiagErrors(fe->diag)) PetscCall(NsReduceMatrices(fe, self));
  if (!NsDiagErrors(fe->diag)) PetscCall(NsReduceModel(fe, self, model));
  PetscFunctionReturn(0);
}
