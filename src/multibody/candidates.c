/*
  Contact of the model: rows of joints as bilateral candidates, limits as unilateral ones. A row has three numbers for each body in the plane, six in space; zeros are left out.
*/
#include <string.h>
#include "candidates.h"
#include "piles.h"
#include "touch.h"

static PetscErrorCode NsModelGap_Multibody(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsMultibody     *self = model->data;
  const PetscReal *aq   = NsVecRead(q);
  NsMbWrench       w;

  PetscFunctionBegin;
  self->now = t;
  NsMbFrames(self, aq, NULL);
  for (PetscInt i = 0; i < self->rows; i++) {
    NsMbRowAt(self, &self->row[i], t, aq, NS_WANT_GAP, &w);
    g[i] = w.g;
  }
  for (PetscInt i = 0; i < self->touches; i++) g[self->rows + i] = NsMbTouchAt(self, &self->touch[i], 0, NULL);
  NsMbPileBegin(self);
  for (PetscInt i = self->rows + self->touches; i < model->candidates; i++) g[i] = NsMbPileAt(self, i, 0, NULL);
  PetscFunctionReturn(0);
}

/* Gap, and where they are wanted the rows of a candidate at the frames. Those of piles: NsMbPileBegin first. */
static PetscReal find_rows(NsMultibody *self, PetscReal t, const PetscReal *q, PetscInt candidate, PetscInt directions, NsMbWrench wrench[3])
{
  if (candidate < self->rows) {
    const NsMbRow *row = &self->row[candidate];
    NsMbRowAt(self, row, t, q, NS_WANT_ROW, wrench);
    for (PetscInt d = 1; d < directions; d++) NsMbRowAt(self, &row->rub[d - 1], t, q, NS_WANT_ROW, &wrench[d]);
    return wrench->g;
  }
  if (candidate < self->rows + self->touches) return NsMbTouchAt(self, &self->touch[candidate - self->rows], directions, directions ? wrench : NULL);
  return NsMbPileAt(self, candidate, directions, directions ? wrench : NULL);
}

static PetscErrorCode NsModelRatesOf_Multibody(NsModel *model, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count,
  const PetscInt *candidate, PetscReal *g, PetscReal *u)
{
  NsMultibody *self = model->data;
  NsMbWrench   w[3];

  PetscFunctionBegin;
  self->now = t;
  NsMbFrames(self, touch_q, touch_v);
  NsMbPileBegin(self);
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt  i = candidate[k], directions = touch_v ? model->candidate[i].directions : 0;
    const PetscReal gap = find_rows(self, t, touch_q, i, directions, w);
    if (g) g[i] = gap;
    for (PetscInt d = 0; d < directions; d++) u[self->first_row[i] + d] = NsMbWrenchRate(self, &w[d]) + w[d].drive;
  }
  PetscFunctionReturn(0);
}

static void add_entry(NsRows *rows, PetscInt *end, PetscInt touch, PetscBool kept, PetscReal value)
{
  if (value == 0 && !kept) return;
  rows->touch[*end]     = touch;
  rows->value[(*end)++] = value;
}

/* Entries of joints that are zero now but may change are kept, so that the pattern of joints is constant (src/contact/elimination.c). */
static void add_row(const NsMultibody *self, const NsMbWrench *w, NsRows *rows)
{
  const PetscBool moment = (w->parts & NS_PART_MOMENT) != 0;
  PetscInt        end    = rows->first[rows->rows];

  for (PetscInt b = 0; b < w->bodies; b++) {
    if (w->body[b] == self->bodies) continue;
    const NsMbBody *body = &self->body[w->body[b]];
    PetscReal       own[3];
    const int       directions = body->planar ? 2 : 3;
    for (int k = 0; k < directions; k++) add_entry(rows, &end, body->first + k, (w->parts >> k & 1) != 0, w->f[b][k]);
    if (body->planar) {
      add_entry(rows, &end, body->first + 2, moment, w->m[b][2]);
      continue;
    }
    NsTurnBack(self->frame[w->body[b]].R, w->m[b], own);
    for (int k = 0; k < 3; k++) add_entry(rows, &end, body->first + 4 + k, moment, own[k]);
  }
  rows->drive[rows->rows]   = w->drive;
  rows->first[++rows->rows] = end;
}

static PetscErrorCode NsModelRows_Multibody(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsMultibody     *self = model->data;
  const PetscReal *aq   = NsVecRead(q);
  NsMbWrench       w[3];

  PetscFunctionBegin;
  self->now = t;
  NsMbFrames(self, aq, NULL);
  NsMbPileBegin(self);
  rows->contacts = active;
  rows->rows     = 0;
  rows->first[0] = 0;
  for (PetscInt i = 0; i < active; i++) {
    const PetscInt directions = model->candidate[contact[i]].directions;
    rows->contact[i]          = contact[i];
    rows->start[i]            = rows->rows;
    (void)find_rows(self, t, aq, contact[i], directions, w);
    for (PetscInt k = 0; k < directions; k++) add_row(self, &w[k], rows);
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
  self->now = t;
  NsMbFrames(self, aq, NsVecRead(v));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt k = rows->contact[i];
    if (k < self->rows) {
      for (PetscInt r = rows->start[i]; r < rows->start[i + 1]; r++) {
        NsMbRowAt(self, r == rows->start[i] ? &self->row[k] : &self->row[k].rub[r - rows->start[i] - 1], t, aq, NS_WANT_RATE, &w);
        d[r] = w.rate;
      }
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
  self->now = t;
  NsMbFrames(self, touch_q, NULL); /* every unknown can be touched */
  if (candidate >= self->rows + self->touches) {
    NsMbPileBegin(self);
    NsMbPilePoint(self, candidate, x, n);
    for (int k = 0; k < 3; k++) u[k] = 0;
    PetscFunctionReturn(0);
  }
  if (candidate >= self->rows) {
    NsMbTouchPoint(self, &self->touch[candidate - self->rows], x, n);
    for (int k = 0; k < 3; k++) u[k] = 0;
    PetscFunctionReturn(0);
  }
  const NsMbJoint *joint = self->row[candidate].joint;
  while (joint->geared[1]) joint = joint->geared[1];
  NsMbRowAt(self, &self->row[candidate], t, touch_q, NS_WANT_ROW, &w);
  NsMbPoint(self, &joint->side[1], x);
  const PetscReal *along = NsLength(w.f[1]) > 0 ? w.f[1] : w.m[1], length = NsLength(along);
  for (int k = 0; k < 3; k++) {
    u[k] = 0;
    n[k] = length > 0 ? along[k] / length : 0;
  }
  PetscFunctionReturn(0);
}

/*
  On the straight path q(s), s = 0 .. 1, from q0 to q1 a body turns by no more than |angle1 - angle0| ds, and with a quaternion, whose length is not 1 on the way, by 2 c/sqrt(1 - c^2/4) ds,
  c = |p1 - p0|: so that a point at the distance r from the centre moves by r times as much.
*/
static PetscReal turn_between(const NsMbBody *body, const PetscReal *from, const PetscReal *to)
{
  PetscReal square = 0;

  if (body->planar) return PetscAbsReal(to[body->first + 2] - from[body->first + 2]);
  for (PetscInt k = body->first + 3; k < body->first + 7; k++) square += PetscSqr(to[k] - from[k]);
  return 2 * PetscSqrtReal(square / PetscMax(1 - square / 4, 1e-6));
}

/* Joints and their limits are not jumped over: they have no travel. */
static PetscReal NsModelTravel_Multibody(const NsModel *model, PetscInt candidate, const PetscReal t[2], const PetscReal *from, const PetscReal *to)
{
  NsMultibody *self     = model->data;
  PetscReal    reach[2] = {0, 0}, d[3] = {0, 0, 0}, turned = 0;
  NsSide       side[2];

  if (candidate < self->rows) return 0;
  if (candidate < self->rows + self->touches) {
    const NsMbTouch *touch = &self->touch[candidate - self->rows];
    memcpy(side, touch->side, sizeof(side));
    if (touch->kind == NS_TOUCH_RIM) reach[0] = touch->radius[0];
    for (int p = 0; p < 2 && touch->motion.parts; p++) {
      PetscReal moved[3];
      NsMotionAt(&touch->motion, 0, t[p], moved);
      for (int k = 0; k < 3; k++) d[k] += (p ? -1 : 1) * moved[k];
    }
  } else
    NsMbPileSides(self, candidate, side, reach);
  for (int p = 0; p < 2; p++) {
    if (side[p].body == self->bodies) continue;
    const NsMbBody *body = &self->body[side[p].body];
    for (int k = 0; k < (body->planar ? 2 : 3); k++) d[k] += (p == 0 ? 1 : -1) * (to[body->first + k] - from[body->first + k]);
    turned += (NsLength(side[p].s) + reach[p]) * turn_between(body, from, to);
  }
  return NsLength(d) + turned;
}

static PetscErrorCode NsModelContactFrame_Multibody(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal d[3][3])
{
  NsMultibody   *self       = model->data;
  const PetscInt directions = model->candidate[candidate].directions;
  PetscReal      u[3];
  NsMbWrench     w[3];

  PetscFunctionBegin;
  PetscCall(NsModelContactPoint_Multibody(model, t, touch_q, candidate, x, u, d[0]));
  (void)find_rows(self, t, touch_q, candidate, directions, w);
  for (PetscInt r = 0; r < 3; r++) {
    for (int k = 0; k < 3; k++) d[r][k] = r < directions ? w[r].f[0][k] : 0;
  }
  PetscFunctionReturn(0);
}

static const NsModelContact NsMbContact = {
  .gap      = NsModelGap_Multibody,
  .rows     = NsModelRows_Multibody,
  .rowrate  = NsModelRowrate_Multibody,
  .rates_of = NsModelRatesOf_Multibody,
  .travel   = NsModelTravel_Multibody,
};

#define NS_REACH 12 /* of two points: each less than sqrt(3) + 4 */

/*
  Only near candidates are evaluated. Points of a body move by at most |dx| + extent |angle|, and with a quaternion p by |dx| + 2 extent |dp|, each number by its stretch. Rows of joints and limits are always looked at, and slots by their own search.
*/
static void look_at_near(NsMultibody *self, NsModel *model)
{
  model->contact.rowrate = NULL; /* points of contact come and go while bodies turn */
  model->stretch         = NsArenaAlloc(self->arena, sizeof(PetscReal) * (size_t)self->unknowns);
  model->reach           = NsArenaAlloc(self->arena, sizeof(PetscReal) * (size_t)model->candidates);
  for (PetscInt i = 0; i < self->unknowns; i++) model->stretch[i] = 1;
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    for (PetscInt k = body->planar ? 2 : 3; k < body->unknowns; k++) model->stretch[body->first + k] = body->extent;
  }
  for (PetscInt i = 0; i < model->candidates; i++) {
    const PetscBool joint = i < self->rows || (i < self->rows + self->touches &&
                                                (self->touch[i - self->rows].kind > NS_TOUCH_PLANE || self->touch[i - self->rows].motion.parts));
    model->reach[i]       = joint ? PETSC_INFINITY : NS_REACH;
  }
}

/* Compression and expansion of an impact are solved for contacts alone. */
static void check_laws(NsMultibody *self, const NsModel *model)
{
  const NsMbRow *rubs = NULL;

  for (PetscInt i = 0; i < self->rows; i++) rubs = self->row[i].rubs ? &self->row[i] : rubs;
  for (PetscInt i = self->rows; i < model->candidates && rubs; i++) {
    if (!(model->candidate[i].law.kinds & NS_LAW_TWO_PHASE)) continue;
    NsDiagError(self->diag, NsKeysPlace(rubs->joint->settings->where, "friction"),
      "joints with friction support `restitution_law: newton` only, and contact '%s' has another one", model->candidate[i].name);
    return;
  }
}

PetscErrorCode NsMbCandidates(NsMultibody *self, NsModel *model)
{
  PetscFunctionBegin;
  model->contact            = NsMbContact;
  model->view.contact_point = NsModelContactPoint_Multibody;
  model->view.contact_frame = NsModelContactFrame_Multibody;
  model->candidates         = self->rows + self->touches + NsMbPileSlots(self);
  model->candidate          = NsArenaAlloc(self->arena, sizeof(*model->candidate) * (size_t)(model->candidates + 1));
  for (PetscInt i = 0; i < self->rows; i++) {
    const NsMbRow *row  = &self->row[i];
    model->candidate[i] = (NsCandidate){.name = row->name,
      .directions                             = 1 + row->rubs,
      .bilateral                              = row->bilateral,
      .carriers                               = row->carriers,
      .torque_arm                             = row->rubs && row->rub->kind == NS_ROW_ANGLE ? row->rub->scale : 0,
      .clearance                              = row->bilateral ? 0 : PETSC_MAX_REAL,
      .moment_arm                             = row->kind == NS_ROW_PERP || row->kind == NS_ROW_ANGLE ? PetscAbsReal(row->scale) : 0,
      .law = {.restitution = row->restitution, .friction = row->friction, .kinds = row->carriers ? NS_LAW_JOINT : 0}};
  }
  for (PetscInt i = 0; i < self->touches; i++) {
    const NsMbTouch *touch           = &self->touch[i];
    model->candidate[self->rows + i] = (NsCandidate){.name = touch->name,
      .directions                                          = 1 + NsMbTouchTangents(self, touch),
      .tolerance                                           = touch->tolerance,
      .clearance                                           = touch->clearance,
      .law                                                 = touch->law,
      .off                                                 = touch->off};
    if (!touch->resists) continue;
    NsCandidate *moment = &model->candidate[self->rows + i];
    *moment             = NsCandidateOfResistance(&moment[-touch->before], (int)touch->resists - 1, touch->before, self->arena);
    moment->directions  = 1 + NsMbTouchTangents(self, touch);
  }
  model->joints_drift = self->rank > 0;
  model->touches      = model->candidates ? self->unknowns : 0;
  model->row_entries  = 24;
  model->touch        = NsArenaAlloc(self->arena, sizeof(*model->touch) * (size_t)(self->unknowns + 1));
  for (PetscInt i = 0; i < self->unknowns; i++) model->touch[i] = i;
  PetscCall(NsMbPileCandidates(self, model, self->rows + self->touches));
  check_laws(self, model);
  self->first_row = NsArenaAlloc(self->arena, sizeof(PetscInt) * (size_t)(model->candidates + 1));
  for (PetscInt i = 0, rows = 0; i < model->candidates; rows += model->candidate[i++].directions) self->first_row[i] = rows;
  if (model->slots) look_at_near(self, model);
  PetscFunctionReturn(0);
}
