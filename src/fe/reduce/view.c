/* What writers show of a reduced model: the whole model's view of T x (reduce.h). */
#include <stdio.h>
#include "fe/model/shares.h"
#include "reduce.h"

/* to = T x, a vector of the whole model. */
static void recover(NsFeReduced *self, Vec x, Vec to)
{
  const PetscInt N = self->natural;

  for (PetscInt i = 0; i < N; i++) self->full[i] = 0;
  NsDenseAdd(N, self->n, self->T, 1, NsVecRead(x), self->full);
  NsLayoutSpread(self->whole->layout, self->full, NsVecArray(to));
}

void NsReduceRecover(NsFeReduced *self, Vec q, Vec v, Vec a)
{
  recover(self, q, self->q);
  if (v) recover(self, v, self->v);
  if (a) recover(self, a, self->a);
}

static PetscErrorCode fields(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *result)
{
  NsFeReduced *self = model->data;

  PetscFunctionBegin;
  NsReduceRecover(self, q, v, a);
  PetscCall(self->whole->view.fields(self->whole, t, self->q, self->v, a ? self->a : NULL, result));
  PetscFunctionReturn(0);
}

static PetscErrorCode planes(NsModel *model, PetscReal t, NsPlaneFields *fields)
{
  NsModel *whole = ((NsFeReduced *)model->data)->whole;

  PetscFunctionBegin;
  PetscCall(whole->view.planes(whole, t, fields));
  PetscFunctionReturn(0);
}

static PetscErrorCode contact_point(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  NsModel *whole = ((NsFeReduced *)model->data)->whole;

  PetscFunctionBegin;
  PetscCall(whole->view.contact_point(whole, t, touch_q, candidate, x, u, n));
  PetscFunctionReturn(0);
}

static PetscErrorCode contact_frame(NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal d[3][3])
{
  NsModel *whole = ((NsFeReduced *)model->data)->whole;

  PetscFunctionBegin;
  PetscCall(whole->view.contact_frame(whole, t, touch_q, candidate, x, d));
  PetscFunctionReturn(0);
}

static PetscErrorCode owners(NsModel *model, PetscInt *count, const NsOwner **owner)
{
  NsFeReduced *self = model->data;

  PetscFunctionBegin;
  PetscCall(self->whole->view.owners(self->whole, count, owner));
  if (!self->share) self->share = NsArenaAlloc(model->arena, sizeof(*self->share) * (size_t)(*count + 1));
  PetscFunctionReturn(0);
}

/* For macneal: to = [R_b A, Phi - R_b A Phi_b] (P eta, eta) = Phi eta, the motion of the modes alone. */
static void recover_modes(NsFeReduced *self, Vec x, Vec to)
{
  const PetscReal *eta = NsVecRead(x) + self->boundary;

  for (PetscInt i = 0; i < self->boundary; i++) self->x[i] = 0;
  NsDenseAdd(self->boundary, self->modes, self->P, 1, eta, self->x);
  for (PetscInt j = 0; j < self->modes; j++) self->x[self->boundary + j] = eta[j];
  for (PetscInt i = 0; i < self->natural; i++) self->full[i] = 0;
  NsDenseAdd(self->natural, self->n, self->T, 1, self->x, self->full);
  NsLayoutSpread(self->whole->layout, self->full, NsVecArray(to));
}

/*
  With macneal the boundary has no mass, and with `fade` it has more flexibility than the shapes T. Energies are those of the modes, and d'A d/2 of d = u_b - P eta belongs to the bodies of
  the boundary's DOF, each with d_i (A d)_i/2.
*/
static PetscErrorCode share_macneal(NsFeReduced *self, PetscReal t, Vec q, Vec v, PetscInt owners, NsShare *share)
{
  const NsFe      *fe = self->whole->data;
  const PetscReal *x  = NsVecRead(q);
  const PetscInt   b  = self->boundary;

  PetscFunctionBegin;
  recover_modes(self, q, self->a);
  recover_modes(self, v, self->v);
  PetscCall(self->whole->view.shares(self->whole, t, self->a, self->v, PETSC_FALSE, self->share));
  for (PetscInt k = 0; k < owners; k++) {
    share[k].kinetic   = self->share[k].kinetic;
    share[k].elastic   = self->share[k].elastic;
    share[k].potential = self->share[k].potential;
  }
  for (PetscInt i = 0; i < b; i++) {
    self->x[i] = x[i];
    self->h[i] = 0;
  }
  NsDenseAdd(b, self->modes, self->P, -1, x + b, self->x);
  NsDenseAdd(b, b, self->A, 1, self->x, self->h);
  for (PetscInt i = 0; i < b; i++) {
    NsShare *body = &share[NsFeBodyOf(fe, self->unknown[i])];
    body->elastic += self->x[i] * self->h[i] / 2;
    body->potential -= self->x[i] * self->load[i]; /* that of the weight */
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode shares(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share)
{
  NsFeReduced   *self = model->data;
  PetscInt       count;
  const NsOwner *owner;

  PetscFunctionBegin;
  PetscCall(owners(model, &count, &owner));
  NsReduceRecover(self, q, v, NULL);
  PetscCall(self->whole->view.shares(self->whole, t, self->q, self->v, powers_only, share));
  if (self->massless && !powers_only) PetscCall(share_macneal(self, t, q, v, count, share));
  PetscFunctionReturn(0);
}

static PetscErrorCode name_unknown(NsModel *model, PetscInt i, char *text, size_t size)
{
  NsFeReduced *self = model->data;

  PetscFunctionBegin;
  if (i < self->boundary)
    PetscCall(self->whole->view.name_unknown(self->whole, self->unknown[i], text, size));
  else
    (void)snprintf(text, size, "mode of %.5g Hz of the reduced bodies", self->omega[i - self->boundary] / (2 * PETSC_PI));
  PetscFunctionReturn(0);
}

static void take_column(NsFeReduced *self, NsArena *arena, NsProbeColumn *column);

/* A law with sums over coordinates, and the laws that are added to it. */
static const NsProbeLaw *take_law(NsFeReduced *self, NsArena *arena, const NsProbeLaw *law)
{
  NsProbeLaw *own;

  if (!law) return NULL;
  own        = NsArenaAlloc(arena, sizeof(*own));
  *own       = *law;
  own->input = NsArenaAlloc(arena, sizeof(*own->input) * (size_t)(law->inputs + 1));
  for (PetscInt i = 0; i < law->inputs; i++) {
    own->input[i] = law->input[i];
    take_column(self, arena, &own->input[i]);
  }
  own->next = take_law(self, arena, law->next);
  return own;
}

/* A sum over DOF becomes one over coordinates, and so do those that are added to it. */
static void take_column(NsFeReduced *self, NsArena *arena, NsProbeColumn *column)
{
  const NsProbeColumn old = *column;

  column->law     = take_law(self, arena, old.law);
  column->entries = 0;
  column->unknown = NULL;
  column->weight  = NULL;
  for (PetscInt j = 0; j < self->n && old.entries; j++) {
    const PetscReal *shape = self->T + (size_t)j * (size_t)self->natural;
    PetscReal        sum   = 0;
    for (PetscInt i = 0; i < old.entries; i++) sum += old.weight[i] * shape[old.unknown[i]];
    if (sum != 0) NsProbeAdd(column, arena, j, sum);
  }
  if (!old.plus) return;
  column->plus  = NsArenaAlloc(arena, sizeof(*column->plus));
  *column->plus = *old.plus;
  take_column(self, arena, column->plus);
}

static PetscErrorCode probe(NsModel *model, const char *name, NsProbe *result, PetscBool *found, char *why, size_t size)
{
  NsFeReduced *self = model->data;

  PetscFunctionBegin;
  PetscCall(self->whole->view.probe(self->whole, name, result, found, why, size));
  for (PetscInt c = 0; c < result->columns && *found; c++) take_column(self, model->arena, &result->column[c]);
  PetscFunctionReturn(0);
}

static PetscErrorCode gauge(NsModel *model, const NsGaugeSettings *settings, NsProbe *result, PetscBool *found, char *why, size_t size)
{
  NsFeReduced *self = model->data;

  PetscFunctionBegin;
  PetscCall(self->whole->view.gauge(self->whole, settings, result, found, why, size));
  for (PetscInt c = 0; c < result->columns && *found; c++) take_column(self, model->arena, &result->column[c]);
  PetscFunctionReturn(0);
}

static PetscErrorCode station(NsModel *model, const NsStationSettings *settings, NsStation *result, PetscBool *found, char *why, size_t size)
{
  NsFeReduced *self = model->data;

  PetscFunctionBegin;
  PetscCall(self->whole->view.station(self->whole, settings, result, found, why, size));
  if (!*found) PetscFunctionReturn(0);
  for (int a = 0; a < 2; a++) {
    take_column(self, model->arena, &result->lateral[a]);
    take_column(self, model->arena, &result->lateral_rate[a]);
  }
  take_column(self, model->arena, &result->angle);
  take_column(self, model->arena, &result->angle_rate);
  PetscFunctionReturn(0);
}

static PetscErrorCode spin(NsModel *model, PetscReal t, const NsStation *at, PetscReal *angle, PetscReal *rate)
{
  NsModel *whole = ((NsFeReduced *)model->data)->whole;

  PetscFunctionBegin;
  PetscCall(whole->view.spin(whole, t, at, angle, rate));
  PetscFunctionReturn(0);
}

const NsModelView NsReduceView = {
  .fields        = fields,
  .planes        = planes,
  .contact_point = contact_point,
  .contact_frame = contact_frame,
  .owners        = owners,
  .shares        = shares,
  .gauge         = gauge,
  .name_unknown  = name_unknown,
  .probe         = probe,
  .station       = station,
  .spin          = spin,
};
