/*
  Contact of the model: rows of joints as bilateral candidates, limits as unilateral ones. A row has three numbers for each body in the plane, six in space; zeros are left out.
*/
#include <string.h>
#include "candidates.h"
#include "touch.h"

static PetscErrorCode NsModelGap_Multibody(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsMultibody     *self = model->data;
  const PetscReal *aq   = NsVecRead(q);
  NsMbWrench       w;

  PetscFunctionBegin;
  NsMbFrames(self, aq, NULL);
  for (PetscInt i = 0; i < self->rows; i++) {
    NsMbRowAt(self, &self->row[i], t, aq, PETSC_FALSE, &w);
    g[i] = w.g;
  }
  for (PetscInt i = 0; i < self->touches; i++) g[self->rows + i] = NsMbTouchAt(self, &self->touch[i], 0, NULL);
  PetscFunctionReturn(0);
}

static void add_entry(NsRows *rows, PetscInt *end, PetscInt touch, PetscReal value)
{
  if (value == 0) return;
  rows->touch[*end]     = touch;
  rows->value[(*end)++] = value;
}

static void add_row(const NsMultibody *self, const NsMbWrench *w, NsRows *rows)
{
  PetscInt end = rows->first[rows->rows];

  for (PetscInt b = 0; b < w->bodies; b++) {
    if (w->body[b] == self->bodies) continue;
    const NsMbBody *body = &self->body[w->body[b]];
    PetscReal       own[3];
    add_entry(rows, &end, body->first, w->f[b][0]);
    add_entry(rows, &end, body->first + 1, w->f[b][1]);
    if (body->planar) {
      add_entry(rows, &end, body->first + 2, w->m[b][2]);
      continue;
    }
    add_entry(rows, &end, body->first + 2, w->f[b][2]);
    NsTurnBack(self->frame[w->body[b]].R, w->m[b], own);
    for (int k = 0; k < 3; k++) add_entry(rows, &end, body->first + 4 + k, own[k]);
  }
  rows->drive[rows->rows]   = w->drive;
  rows->first[++rows->rows] = end;
}

static PetscErrorCode NsModelRows_Multibody(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsMultibody     *self = model->data;
  const PetscReal *aq   = NsVecRead(q);
  NsMbWrench       w;

  PetscFunctionBegin;
  NsMbFrames(self, aq, NULL);
  rows->contacts = active;
  rows->rows     = 0;
  rows->first[0] = 0;
  for (PetscInt i = 0; i < active; i++) {
    rows->contact[i] = contact[i];
    rows->start[i]   = rows->rows;
    if (contact[i] < self->rows) {
      NsMbRowAt(self, &self->row[contact[i]], t, aq, PETSC_FALSE, &w);
      add_row(self, &w, rows);
      continue;
    }
    NsMbWrench     three[3];
    const PetscInt directions = model->candidate[contact[i]].directions;
    (void)NsMbTouchAt(self, &self->touch[contact[i] - self->rows], directions, three);
    for (PetscInt k = 0; k < directions; k++) add_row(self, &three[k], rows);
  }
  rows->start[active] = rows->rows;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRowrate_Multibody(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  NsMultibody     *self = model->data;
  const PetscReal *aq   = NsVecRead(q);
  NsMbWrench       w;

  PetscFunctionBegin;
  NsMbFrames(self, aq, NsVecRead(v));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt k = rows->contact[i];
    if (k < self->rows) {
      NsMbRowAt(self, &self->row[k], t, aq, PETSC_TRUE, &w);
      d[rows->start[i]] = w.rate;
    } else
      NsMbTouchRate(self, &self->touch[k - self->rows], rows->start[i + 1] - rows->start[i], aq, NsVecRead(v), d + rows->start[i]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelContactPoint_Multibody(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  NsMultibody *self = model->data;
  NsMbWrench   w;

  PetscFunctionBegin;
  NsMbFrames(self, touch_q, NULL); /* every unknown can be touched */
  if (candidate >= self->rows) {
    NsMbTouchPoint(self, &self->touch[candidate - self->rows], x, n);
    for (int k = 0; k < 3; k++) u[k] = 0;
    PetscFunctionReturn(0);
  }
  const NsMbJoint *joint = self->row[candidate].joint;
  while (joint->geared[1]) joint = joint->geared[1];
  NsMbRowAt(self, &self->row[candidate], t, touch_q, PETSC_FALSE, &w);
  NsMbPoint(self, &joint->side[1], x);
  const PetscReal *along = NsLength(w.f[1]) > 0 ? w.f[1] : w.m[1], length = NsLength(along);
  for (int k = 0; k < 3; k++) {
    u[k] = 0;
    n[k] = length > 0 ? along[k] / length : 0;
  }
  PetscFunctionReturn(0);
}

static const NsModelContact NsMbContact = {
  .gap     = NsModelGap_Multibody,
  .rows    = NsModelRows_Multibody,
  .rowrate = NsModelRowrate_Multibody,
};

PetscErrorCode NsMbCandidates(NsMultibody *self, NsModel *model)
{
  PetscFunctionBegin;
  model->contact            = NsMbContact;
  model->view.contact_point = NsModelContactPoint_Multibody;
  model->candidates         = self->rows + self->touches;
  model->candidate          = NsArenaAlloc(self->arena, sizeof(*model->candidate) * (size_t)(model->candidates + 1));
  for (PetscInt i = 0; i < self->rows; i++) {
    const NsMbRow *row  = &self->row[i];
    model->candidate[i] = (NsCandidate){.name = row->name,
      .directions                             = 1,
      .bilateral                              = row->bilateral,
      .clearance                              = row->bilateral ? 0 : PETSC_MAX_REAL,
      .moment_arm                             = row->kind == NS_ROW_PERP || row->kind == NS_ROW_ANGLE ? PetscAbsReal(row->scale) : 0,
      .law                                    = {.restitution = row->restitution}};
  }
  for (PetscInt i = 0; i < self->touches; i++) {
    const NsMbTouch *touch           = &self->touch[i];
    model->candidate[self->rows + i] = (NsCandidate){.name = touch->name,
      .directions                                          = touch->law.friction > 0 ? self->body[0].planar ? 2 : 3 : 1,
      .tolerance                                           = touch->tolerance,
      .clearance                                           = PETSC_MAX_REAL,
      .law                                                 = touch->law};
  }
  model->joints_drift = self->rank > 0;
  model->touches      = model->candidates ? self->unknowns : 0;
  model->row_entries  = 24;
  model->touch        = NsArenaAlloc(self->arena, sizeof(*model->touch) * (size_t)(self->unknowns + 1));
  for (PetscInt i = 0; i < self->unknowns; i++) model->touch[i] = i;
  PetscFunctionReturn(0);
}
