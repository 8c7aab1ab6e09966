/*
  The dense adapter: the plain C functions of a mechanism as operations of a model.

  Everything is small (n <= NS_MECHANISM_COORDINATES): an operator is stored as its inverse, computed by elimination with pivoting, so that solves and the
  compliance of contacts are products. A KSP on three unknowns would cost eight times the step. Geometry (gaps and rows of all contacts) is
  computed once for each position and stored: schemes and writers ask several times for the same one. Nothing here allocates after set-up.
*/
#include <math.h>
#include <string.h>
#include "dense.h"

/* A mass matrix of up to three coordinates by its adjugate: a fifth of the time of elimination. */
static void invert_small(PetscInt n, const PetscReal *A, PetscReal *inverse)
{
  if (n == 1) {
    inverse[0] = 1 / A[0];
  } else if (n == 2) {
    const PetscReal scale = 1 / (A[0] * A[3] - A[1] * A[2]);
    inverse[0]            = scale * A[3];
    inverse[1]            = -scale * A[1];
    inverse[2]            = -scale * A[2];
    inverse[3]            = scale * A[0];
  } else {
    const PetscReal c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8], c2 = A[3] * A[7] - A[4] * A[6];
    const PetscReal scale = 1 / (A[0] * c0 + A[1] * c1 + A[2] * c2);
    inverse[0]            = scale * c0;
    inverse[3]            = scale * c1;
    inverse[6]            = scale * c2;
    inverse[1]            = scale * (A[2] * A[7] - A[1] * A[8]);
    inverse[4]            = scale * (A[0] * A[8] - A[2] * A[6]);
    inverse[7]            = scale * (A[1] * A[6] - A[0] * A[7]);
    inverse[2]            = scale * (A[1] * A[5] - A[2] * A[4]);
    inverse[5]            = scale * (A[2] * A[3] - A[0] * A[5]);
    inverse[8]            = scale * (A[0] * A[4] - A[1] * A[3]);
  }
}

/* inverse = A^-1 by Gauss-Jordan with row pivoting; destroys A. A singular A gives values that are not finite: the run stops at them (src/run/guard.c). */
static void invert(PetscInt n, PetscReal *A, PetscReal *inverse)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) inverse[i * n + j] = i == j;
  }
  for (PetscInt k = 0; k < n; k++) {
    PetscInt pivot = k;
    for (PetscInt i = k + 1; i < n; i++) {
      if (PetscAbsReal(A[i * n + k]) > PetscAbsReal(A[pivot * n + k])) pivot = i;
    }
    for (PetscInt j = 0; j < n && pivot != k; j++) {
      const PetscReal a = A[k * n + j], b = inverse[k * n + j];
      A[k * n + j]           = A[pivot * n + j];
      A[pivot * n + j]       = a;
      inverse[k * n + j]     = inverse[pivot * n + j];
      inverse[pivot * n + j] = b;
    }
    const PetscReal scale = 1 / A[k * n + k];
    for (PetscInt j = 0; j < n; j++) {
      A[k * n + j] *= scale;
      inverse[k * n + j] *= scale;
    }
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal factor = A[i * n + k];
      if (i == k || factor == 0) continue;
      for (PetscInt j = 0; j < n; j++) {
        A[i * n + j] -= factor * A[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
}

/* Gaps and rows at (t, q). */
void NsDenseGeometry(NsDense *self, PetscReal t, const PetscReal *q)
{
  if (!self->contacts || (self->known && self->t == t && !memcmp(self->q, q, sizeof(*q) * (size_t)self->n))) return;
  memset(self->drive, 0, sizeof(*self->drive) * (size_t)self->row[self->contacts]);
  memset(self->W, 0, sizeof(*self->W) * (size_t)(self->row[self->contacts] * self->n));
  self->m->contact(&self->c, t, q, self->g, self->W, self->drive);
  memcpy(self->q, q, sizeof(*q) * (size_t)self->n);
  self->t     = t;
  self->known = PETSC_TRUE;
}

/* M(q) into self->M. */
static const PetscReal *mass_at(NsDense *self, const PetscReal *q)
{
  memset(self->M, 0, sizeof(*self->M) * (size_t)(self->n * self->n));
  self->m->mass(&self->c, q, self->M);
  return self->M;
}

static PetscErrorCode NsModelInitial_Dense(NsModel *model, NsState *state)
{
  const NsDense *self = model->data;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &state->q, &state->v, NULL));
  PetscReal *q = NsVecArray(state->q), *v = NsVecArray(state->v);
  for (PetscInt i = 0; i < self->n; i++) {
    q[i] = self->start[2 * i];
    v[i] = self->start[2 * i + 1];
  }
  state->t = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelForce_Dense(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  NsDense   *self  = model->data;
  PetscReal *force = NsVecArray(h);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(force, self->n));
  self->m->force(&self->c, t, NsVecRead(q), NsVecRead(v), force);
  PetscFunctionReturn(0);
}

/* A += stiffness K_t + damping C_t with K_t = -dh/dq, C_t = -dh/dv by central differences: accurate to 1e-9, enough for an iteration. */
static void add_tangents(NsDense *self, PetscReal t, const PetscReal *q, const PetscReal *v, NsOperator op)
{
  const PetscInt  n = self->n;
  const PetscReal h = 6e-6; /* cube root of the rounding */
  PetscReal       x[2][NS_N], f[2][NS_N];

  for (int kind = 0; kind < 2; kind++) {
    const PetscReal weight = kind == 0 ? op.stiffness : op.damping;
    for (PetscInt j = 0; j < n && weight != 0; j++) {
      const PetscReal *at    = kind == 0 ? q : v;
      const PetscReal  delta = h * PetscMax(NsMechanismScale(self->m, &self->c, j), PetscAbsReal(at[j]));
      for (int side = 0; side < 2; side++) {
        memcpy(x[side], at, sizeof(*at) * (size_t)n);
        x[side][j] += side == 0 ? -delta : delta;
        memset(f[side], 0, sizeof(f[side]));
        self->m->force(&self->c, t, kind == 0 ? x[side] : q, kind == 0 ? v : x[side], f[side]);
      }
      for (PetscInt i = 0; i < n; i++) self->A[i * n + j] -= weight * (f[1][i] - f[0][i]) / (x[1][j] - x[0][j]);
    }
  }
}

/* A(q, v) inverted into a slot, unless it is there. */
static void factor(NsDense *self, PetscInt slot, PetscReal t, const PetscReal *q, const PetscReal *v, NsOperator op)
{
  const PetscInt   n        = self->n;
  NsDenseOperator *o        = &self->slot[slot];
  const PetscBool  tangents = op.damping != 0 || op.stiffness != 0;
  const PetscBool  same     = o->ready && o->op.mass == op.mass && o->op.damping == op.damping && o->op.stiffness == op.stiffness;

  if (same && !tangents && (self->m->constant_mass || !memcmp(o->q, q, sizeof(*q) * (size_t)n))) return;
  memset(self->A, 0, sizeof(*self->A) * (size_t)(n * n));
  self->m->mass(&self->c, q, self->A);
  for (PetscInt i = 0; i < n * n; i++) self->A[i] *= op.mass;
  if (tangents) add_tangents(self, t, q, v, op);
  if (n <= 3 && !tangents)
    invert_small(n, self->A, o->inverse);
  else
    invert(n, self->A, o->inverse);
  memcpy(o->q, q, sizeof(*q) * (size_t)n);
  o->op    = op;
  o->ready = PETSC_TRUE;
}

static PetscErrorCode NsModelFactor_Dense(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  PetscFunctionBegin;
  factor(model->data, slot, t, NsVecRead(q), NsVecRead(v), op);
  PetscFunctionReturn(0);
}

static void multiply(PetscInt n, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < n; i++) {
    y[i] = 0;
    for (PetscInt j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}

static PetscErrorCode NsModelSolve_Dense(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  const NsDense *self = model->data;

  PetscFunctionBegin;
  multiply(self->n, self->slot[slot].inverse, NsVecRead(b), NsVecArray(x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelCompliance_Dense(NsModel *model, PetscInt slot, PetscReal *C)
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  memcpy(C, self->slot[slot].inverse, sizeof(*C) * (size_t)(self->n * self->n));
  PetscFunctionReturn(0);
}

/* a = M^-1 h */
static void accelerate(NsDense *self, PetscReal t, const PetscReal *q, const PetscReal *v, PetscReal *a)
{
  PetscReal h[NS_N];

  factor(self, 0, t, q, v, (NsOperator){1, 0, 0});
  memset(h, 0, sizeof(*h) * (size_t)self->n);
  self->m->force(&self->c, t, q, v, h);
  multiply(self->n, self->slot[0].inverse, h, a);
}

static PetscErrorCode NsModelAccel_Dense(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  PetscFunctionBegin;
  accelerate(model->data, t, NsVecRead(q), NsVecRead(v), NsVecArray(a));
  PetscFunctionReturn(0);
}

/* By loops over a few numbers: four operations on vectors would cost as much as all the rest. */
static PetscErrorCode NsModelFlight_Dense(
  NsModel *model, PetscReal t1, PetscReal dt, Vec vec_q0, Vec vec_v0, Vec vec_a0, Vec vec_q1, Vec vec_v1, Vec vec_a1)
{
  NsDense         *self = model->data;
  const PetscReal *q0 = NsVecRead(vec_q0), *v0 = NsVecRead(vec_v0), *a0 = NsVecRead(vec_a0);
  PetscReal       *q1 = NsVecArray(vec_q1), *v1 = NsVecArray(vec_v1), *a1 = NsVecArray(vec_a1);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->n; i++) {
    q1[i] = q0[i] + dt * (v0[i] + dt / 2 * a0[i]);
    v1[i] = v0[i] + dt * a0[i]; /* until a1 is known */
  }
  accelerate(self, t1, q1, v1, a1);
  for (PetscInt i = 0; i < self->n; i++) v1[i] = v0[i] + dt / 2 * (a0[i] + a1[i]);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Dense(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  (void)t;
  multiply(self->n, mass_at(self, NsVecRead(q)), NsVecRead(x), NsVecArray(y));
  PetscFunctionReturn(0);
}

#define NS_SLOWEST 1e-300 /* 1/s: slower motion counts as none, as its reciprocal would not be finite */

/* y = d/ds M(q + s v) v at s = 0 by differences of fourth order over a thousandth of the coordinates' scale: accurate to 1e-13 of M v times the fastest rate. */
static void difference_mass(NsDense *self, const PetscReal *q, const PetscReal *v, PetscReal *y)
{
  static const PetscReal at[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  const PetscInt         n       = self->n;
  PetscReal              fastest = 0, x[NS_N], Mv[NS_N];

  for (PetscInt i = 0; i < n; i++) fastest = PetscMax(fastest, PetscAbsReal(v[i]) / NsMechanismScale(self->m, &self->c, i));
  for (int k = 0; k < 4 && fastest > NS_SLOWEST; k++) {
    const PetscReal s = 1e-3 / fastest;
    for (PetscInt i = 0; i < n; i++) x[i] = q[i] + at[k] * s * v[i];
    multiply(n, mass_at(self, x), v, Mv);
    for (PetscInt i = 0; i < n; i++) y[i] += weight[k] * Mv[i] / s;
  }
}

static PetscErrorCode NsModelMassRate_Dense(NsModel *model, PetscReal t, Vec q, Vec v, Vec y)
{
  NsDense   *self = model->data;
  PetscReal *rate = NsVecArray(y);

  PetscFunctionBegin;
  (void)t;
  PetscCall(PetscArrayzero(rate, self->n));
  if (self->m->massrate)
    self->m->massrate(&self->c, NsVecRead(q), NsVecRead(v), rate);
  else
    difference_mass(self, NsVecRead(q), NsVecRead(v), rate);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelGap_Dense(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  NsDenseGeometry(self, t, NsVecRead(q));
  PetscCall(PetscArraycpy(g, self->g, self->contacts));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRows_Dense(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsDense       *self = model->data;
  const PetscInt n    = self->n;
  PetscInt       row = 0, at = 0;

  PetscFunctionBegin;
  NsDenseGeometry(self, t, NsVecRead(q));
  rows->contacts = active;
  rows->first[0] = 0;
  for (PetscInt i = 0; i < active; i++) {
    const PetscInt k = contact[i];
    rows->contact[i] = k;
    rows->start[i]   = row;
    for (PetscInt d = 0; d < model->candidate[k].directions; d++, at += n) {
      const PetscReal *W = self->W + (self->row[k] + d) * n;
      for (PetscInt j = 0; j < n; j++) {
        rows->touch[at + j] = j;
        rows->value[at + j] = W[j];
      }
      rows->drive[row]   = self->drive[self->row[k] + d];
      rows->first[++row] = at + n;
    }
  }
  rows->start[active] = rows->rows = row;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRates_Dense(NsModel *model, PetscReal t, Vec q, Vec v, PetscReal *g, PetscReal *u)
{
  NsDense         *self = model->data;
  const PetscInt   n    = self->n;
  const PetscReal *av   = NsVecRead(v);

  PetscFunctionBegin;
  NsDenseGeometry(self, t, NsVecRead(q));
  for (PetscInt k = 0; k < self->contacts; k++) {
    g[k] = self->g[k];
    for (PetscInt row = self->row[k]; row < self->row[k] + model->candidate[k].directions; row++, u++) {
      *u = self->drive[row];
      for (PetscInt j = 0; j < n; j++) *u += self->W[row * n + j] * av[j];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRowrate_Dense(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(self->rate, self->row[self->contacts]));
  self->m->rowrate(&self->c, t, NsVecRead(q), NsVecRead(v), self->rate);
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) d[k] = self->rate[self->row[rows->contact[i]] + k - rows->start[i]];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelEnergy_Dense(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsDense         *self = model->data;
  PetscReal        Mv[NS_N];
  const PetscReal *aq = NsVecRead(q), *av = NsVecRead(v);

  PetscFunctionBegin;
  (void)t;
  multiply(self->n, mass_at(self, aq), av, Mv);
  energy->kinetic = 0;
  for (PetscInt i = 0; i < self->n; i++) energy->kinetic += av[i] * Mv[i] / 2;
  self->m->energy(&self->c, aq, &energy->elastic, &energy->potential);
  energy->potential += 0.0; /* no -0 in tables */
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPower_Dense(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  self->m->power(&self->c, t, NsVecRead(q), NsVecRead(v), NsVecRead(w), &power->damping, &power->load);
  PetscFunctionReturn(0);
}

/* Velocities of the picture's points by differences along v: 1e-9 of the picture's size over a step of 1e-5 of it. */
static PetscErrorCode NsModelFields_Dense(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *fields)
{
  NsDense         *self = model->data;
  const PetscInt   n = self->n, numbers = 3 * model->scene.points;
  const PetscReal *aq = NsVecRead(q), *av = NsVecRead(v);
  PetscReal        fastest = 0, x[NS_N];

  PetscFunctionBegin;
  (void)t;
  (void)a;
  self->m->draw(&self->c, aq, self->x[0]);
  for (PetscInt i = 0; i < numbers; i++) fields->displacement[i] = self->x[0][i] - model->scene.x[i];
  for (PetscInt i = 0; i < n; i++) fastest = PetscMax(fastest, PetscAbsReal(av[i]) / NsMechanismScale(self->m, &self->c, i));
  for (PetscInt i = 0; i < numbers; i++) fields->velocity[i] = 0;
  if (fastest > NS_SLOWEST) {
    const PetscReal h = 1e-5 / fastest;
    for (int side = 0; side < 2; side++) {
      for (PetscInt i = 0; i < n; i++) x[i] = aq[i] + (side ? h : -h) * av[i];
      self->m->draw(&self->c, x, self->x[side]);
    }
    for (PetscInt i = 0; i < numbers; i++) fields->velocity[i] = (self->x[1][i] - self->x[0][i]) / (2 * h);
  }
  for (PetscInt i = 0; i < model->scene.cells; i++) fields->stress[i] = fields->normal_force[i] = fields->energy[i] = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPoints_Dense(NsModel *model, PetscReal t, Vec q, PetscReal *x)
{
  const NsDense *self = model->data;

  PetscFunctionBegin;
  (void)t;
  self->m->draw(&self->c, NsVecRead(q), x);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelContactPoint_Dense(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  self->m->contact_point(&self->c, t, touch_q, (int)candidate, x, n); /* every unknown can be touched */
  u[0] = u[1] = u[2] = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelNameUnknown_Dense(NsModel *model, PetscInt i, char *text, size_t size)
{
  NsDense *self = model->data;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "%s %s", self->name, self->m->coordinates[i].name));
  PetscFunctionReturn(0);
}

/* The body's name: every coordinate and its rate; body.coordinate or body.rate: that alone; body.point: x, y, z of a point of the picture. */
static PetscErrorCode NsModelProbe_Dense(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  static const char *const axes[] = {"x", "y", "z"};
  NsDense                 *self   = model->data;
  const NsMechanism       *m      = self->m;
  const PetscBool          all    = !strcmp(name, self->name);
  const size_t             length = strlen(self->name);
  const char *const        word   = !strncmp(name, self->name, length) && name[length] == '.' ? name + length + 1 : "";
  const char             **words  = NsArenaAlloc(model->arena, sizeof(*words) * (size_t)(2 * self->n + m->points + 2)), *nearest;
  PetscInt                 count  = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(probe, sizeof(*probe)));
  probe->name    = name;
  words[count++] = self->name;
  for (PetscInt i = 0; i < 2 * self->n; i++) {
    const char *suffix = i % 2 ? m->coordinates[i / 2].rate : m->coordinates[i / 2].name;
    words[count++]     = NsArenaPrint(model->arena, "%s.%s", self->name, suffix);
    if (!all && strcmp(word, suffix)) continue;
    probe->column[probe->columns] = (NsProbeColumn){.suffix = all ? suffix : "", .of_velocity = i % 2 == 1};
    NsProbeAdd(&probe->column[probe->columns++], model->arena, i / 2, 1);
  }
  for (PetscInt i = 0; m->draw && m->point_names && i < m->points; i++) {
    if (!m->point_names[i]) continue;
    words[count++] = NsArenaPrint(model->arena, "%s.%s", self->name, m->point_names[i]);
    for (PetscInt k = 0; k < 3 && !strcmp(word, m->point_names[i]); k++)
      probe->column[probe->columns++] = (NsProbeColumn){.suffix = axes[k], .coordinate = 1 + 3 * i + k};
  }
  *found  = probe->columns > 0;
  nearest = NsNearestWord(name, words);
  for (PetscInt i = 1; words[i]; i++) {
    if (!strcmp(words[i] + length + 1, name)) nearest = words[i]; /* without the body's name */
  }
  if (!*found) (void)snprintf(why, size, "there is no coordinate or point '%s'%s", name, NsDidYouMean(nearest));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDestroy_Dense(NsModel *model)
{
  PetscFunctionBegin;
  PetscCall(NsLayoutDestroy(&model->layout)); /* all else is in the arena */
  PetscFunctionReturn(0);
}

static const NsModelDynamics dense_dynamics = {
  .initial  = NsModelInitial_Dense,
  .force    = NsModelForce_Dense,
  .accel    = NsModelAccel_Dense,
  .flight   = NsModelFlight_Dense,
  .mult     = NsModelMult_Dense,
  .massrate = NsModelMassRate_Dense,
  .factor   = NsModelFactor_Dense,
  .solve    = NsModelSolve_Dense,
  .energy   = NsModelEnergy_Dense,
};

static const NsModelContact dense_contact = {
  .gap        = NsModelGap_Dense,
  .rows       = NsModelRows_Dense,
  .rates      = NsModelRates_Dense,
  .compliance = NsModelCompliance_Dense,
};

static const NsModelView dense_view = {
  .name_unknown = NsModelNameUnknown_Dense,
  .probe        = NsModelProbe_Dense,
};

void NsDenseOperations(const NsDense *self, NsModel *model)
{
  model->dynamics = dense_dynamics;
  model->contact  = dense_contact;
  model->view     = dense_view;
  model->destroy  = NsModelDestroy_Dense;
  if (self->m->rowrate) model->contact.rowrate = NsModelRowrate_Dense;
  if (self->m->power) model->dynamics.power = NsModelPower_Dense;
  if (self->m->contact_point) model->view.contact_point = NsModelContactPoint_Dense;
  if (!self->m->draw) return;
  model->view.fields = NsModelFields_Dense;
  model->view.points = NsModelPoints_Dense;
}
