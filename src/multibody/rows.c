/* Rows of joints at the frames of the bodies; angles. See joints.h for the formulas. */
#include "joints.h"

/* a of A or B in space. */
static void axis_in_space(const NsMultibody *self, const NsMbJoint *joint, int side, int axis, PetscReal a[3])
{
  NsTurn(self->frame[joint->side[side].body].R, joint->e[side][axis], a);
}

typedef struct {
  const NsFrame    *frame[2];
  const NsMbPoints *at;
} Points;

/* Rows of a joint share its points, and so do gaps and rows at the same frames. */
static void points_of(const NsMultibody *self, const NsMbJoint *joint, Points *p)
{
  NsMbPoints *at = &self->points[joint - self->joint];

  for (int i = 0; i < 2; i++) p->frame[i] = &self->frame[joint->side[i].body];
  p->at = at;
  if (at->moves == self->moves) return;
  at->moves = self->moves;
  for (int i = 0; i < 2; i++) NsTurn(p->frame[i]->R, joint->side[i].s, at->arm[i]);
  for (int k = 0; k < 3; k++) at->r[k] = p->frame[1]->x[k] + at->arm[1][k] - p->frame[0]->x[k] - at->arm[0][k];
}

/* r' of the points, and c_B - c_A. */
static void rates_of(const Points *p, PetscReal dr[3], PetscReal dc[3])
{
  PetscReal v[2][3], c[2][3];

  for (int i = 0; i < 2; i++) {
    NsCross(p->frame[i]->O, p->at->arm[i], v[i]);
    NsCross(p->frame[i]->O, v[i], c[i]);
    for (int k = 0; k < 3; k++) v[i][k] += p->frame[i]->v[k];
  }
  for (int k = 0; k < 3; k++) {
    dr[k] = v[1][k] - v[0][k];
    dc[k] = c[1][k] - c[0][k];
  }
}

/* Unit force along n between the points. */
static void pull(const Points *p, const PetscReal n[3], NsMbWrench *w)
{
  for (int k = 0; k < 3; k++) {
    w->f[0][k] = -n[k];
    w->f[1][k] = n[k];
  }
  NsCross(w->f[0], p->at->arm[0], w->m[0]); /* -(arm x f) */
  for (int k = 0; k < 3; k++) w->m[0][k] = -w->m[0][k];
  NsCross(p->at->arm[1], n, w->m[1]);
}

static void point_row(const Points *p, int direction, NsMbWanted wanted, NsMbWrench *w)
{
  PetscReal dr[3], dc[3];

  w->g     = p->at->r[direction];
  w->parts = 1 << direction | NS_PART_MOMENT;
  if (wanted == NS_WANT_GAP) return;
  const int next = (direction + 1) % 3, last = (direction + 2) % 3; /* arm x e */
  for (int i = 0; i < 2; i++) {
    const PetscReal *arm = p->at->arm[i], sign = i ? 1 : -1;
    w->f[i][direction] = sign;
    w->f[i][next] = w->f[i][last] = w->m[i][direction] = 0;
    w->m[i][next]                                      = sign * arm[last];
    w->m[i][last]                                      = -sign * arm[next];
  }
  if (wanted < NS_WANT_RATE) return;
  rates_of(p, dr, dc);
  w->rate = dc[direction];
}

static void turn_only(const PetscReal m[3], NsMbWrench *w)
{
  for (int k = 0; k < 3; k++) {
    w->f[0][k] = w->f[1][k] = 0;
    w->m[0][k]              = m[k];
    w->m[1][k]              = -m[k];
  }
  w->parts = NS_PART_MOMENT;
}

static void perp_row(const NsMultibody *self, const NsMbRow *row, NsMbWanted wanted, NsMbWrench *w)
{
  const NsFrame *A = &self->frame[row->joint->side[0].body], *B = &self->frame[row->joint->side[1].body];
  PetscReal      a[3], b[3], n[3], x[3], y[3];

  axis_in_space(self, row->joint, 0, row->axis[0], a);
  axis_in_space(self, row->joint, 1, row->axis[1], b);
  w->g = NsDot(a, b);
  if (wanted == NS_WANT_GAP) return;
  NsCross(a, b, n);
  turn_only(n, w);
  if (wanted < NS_WANT_RATE) return;
  NsCross(A->O, a, x);
  NsCross(x, b, n);
  NsCross(B->O, b, y);
  NsAddCross(a, y, n);
  w->rate = n[0] * (A->O[0] - B->O[0]) + n[1] * (A->O[1] - B->O[1]) + n[2] * (A->O[2] - B->O[2]);
}

static void slide_row(const NsMultibody *self, const NsMbJoint *joint, int axis, const Points *p, NsMbWanted wanted, NsMbWrench *w)
{
  PetscReal a[3], da[3], dda[3], dr[3], dc[3];

  axis_in_space(self, joint, 0, axis, a);
  w->g     = NsDot(a, p->at->r);
  w->parts = NS_PART_FORCE | NS_PART_MOMENT;
  if (wanted == NS_WANT_GAP) return;
  pull(p, a, w);
  NsAddCross(a, p->at->r, w->m[0]);
  if (wanted < NS_WANT_RATE) return;
  rates_of(p, dr, dc);
  NsCross(p->frame[0]->O, a, da);
  NsCross(p->frame[0]->O, da, dda);
  w->rate = NsDot(dda, p->at->r) + 2 * NsDot(da, dr) + NsDot(a, dc);
}

static void distance_row(const Points *p, NsMbWanted wanted, NsMbWrench *w)
{
  const PetscReal length = NsLength(p->at->r);
  PetscReal       n[3], dr[3], dc[3];

  w->g     = length;
  w->parts = NS_PART_FORCE | NS_PART_MOMENT;
  if (wanted == NS_WANT_GAP) return;
  for (int k = 0; k < 3; k++) n[k] = length > 0 ? p->at->r[k] / length : k == 0; /* of a slack rope whose ends meet, any direction */
  pull(p, n, w);
  if (wanted < NS_WANT_RATE) return;
  rates_of(p, dr, dc);
  w->rate = NsDot(n, dc) + (length > 0 ? (NsDot(dr, dr) - PetscSqr(NsDot(n, dr))) / length : 0);
}

PetscReal NsMbAngleNear(const NsMultibody *self, const NsMbJoint *joint, PetscReal near)
{
  PetscReal e1[3], e2[3], b[3], angle;

  axis_in_space(self, joint, 0, 0, e1);
  axis_in_space(self, joint, 0, 1, e2);
  axis_in_space(self, joint, 1, 0, b);
  angle = joint->zero + atan2(NsDot(e2, b), NsDot(e1, b));
  return angle + 2 * PETSC_PI * round((near - angle) / (2 * PETSC_PI));
}

PetscReal NsMbAngle(const NsMultibody *self, const NsMbJoint *joint, const PetscReal *q)
{
  PetscReal angle = 0;

  if (joint->turn >= 0) return NsMbAngleNear(self, joint, q[joint->turn]);
  for (int i = 0; i < 2; i++) {
    if (joint->side[i].body < self->bodies) angle += (i ? 1 : -1) * q[self->body[joint->side[i].body].first + 2];
  }
  return angle;
}

PetscReal NsMbAngleRate(const NsMultibody *self, const NsMbJoint *joint)
{
  const PetscReal *A = self->frame[joint->side[0].body].O, *B = self->frame[joint->side[1].body].O;
  PetscReal        a[3];

  axis_in_space(self, joint, 0, joint->about, a);
  return a[0] * (B[0] - A[0]) + a[1] * (B[1] - A[1]) + a[2] * (B[2] - A[2]);
}

PetscReal NsMbWayAlong(const NsMultibody *self, const NsMbJoint *joint)
{
  PetscReal a[3];
  Points    p;

  points_of(self, joint, &p);
  axis_in_space(self, joint, 0, 2, a);
  return NsDot(a, p.at->r) - joint->zero_slide;
}

static void angle_row(const NsMultibody *self, const NsMbJoint *joint, const PetscReal *q, NsMbWanted wanted, NsMbWrench *w)
{
  const NsFrame *A = &self->frame[joint->side[0].body], *B = &self->frame[joint->side[1].body];
  PetscReal      a[3], n[3], da[3];

  w->g = NsMbAngle(self, joint, q);
  if (wanted == NS_WANT_GAP) return;
  axis_in_space(self, joint, 0, joint->about, a);
  for (int k = 0; k < 3; k++) n[k] = -a[k];
  turn_only(n, w);
  if (wanted < NS_WANT_RATE) return;
  NsCross(A->O, a, da);
  w->rate = da[0] * (B->O[0] - A->O[0]) + da[1] * (B->O[1] - A->O[1]) + da[2] * (B->O[2] - A->O[2]);
}

/* A body that belongs to both joints is listed once. */
static void add_side(NsMbWrench *w, PetscInt body, PetscReal weight, const PetscReal f[3], const PetscReal m[3])
{
  PetscInt b = 0;

  while (b < w->bodies && w->body[b] != body) b++;
  if (b == w->bodies) {
    w->body[w->bodies++] = body;
    for (int k = 0; k < 3; k++) w->f[b][k] = w->m[b][k] = 0;
  }
  for (int k = 0; k < 3; k++) {
    w->f[b][k] += weight * f[k];
    w->m[b][k] += weight * m[k];
  }
}

/* position[0] + ratio position[1] of two joints. */
static void gear_row(const NsMultibody *self, const NsMbJoint *gear, const PetscReal *q, NsMbWanted wanted, NsMbWrench *w)
{
  NsMbWrench one;
  Points     p;

  w->g = w->rate = 0;
  w->bodies      = 0;
  w->parts       = NS_PART_FORCE | NS_PART_MOMENT;
  for (int j = 0; j < 2; j++) {
    const NsMbJoint *joint  = gear->geared[j];
    const PetscReal  weight = j ? gear->ratio : 1;
    one.rate                = 0;
    if (joint->turns) {
      angle_row(self, joint, q, wanted, &one);
    } else {
      points_of(self, joint, &p);
      slide_row(self, joint, 2, &p, wanted, &one);
      one.g -= joint->zero_slide;
    }
    w->g += weight * one.g;
    w->rate += weight * one.rate;
    for (int i = 0; i < 2 && wanted > NS_WANT_GAP; i++) add_side(w, joint->side[i].body, weight, one.f[i], one.m[i]);
  }
}

void NsMbRowAt(const NsMultibody *self, const NsMbRow *row, PetscReal t, const PetscReal *q, NsMbWanted wanted, NsMbWrench *w)
{
  const NsMbJoint *joint = row->joint;
  Points           p;

  w->rate = w->drive = 0;
  w->bodies          = 2;
  w->body[0]         = joint->side[0].body;
  w->body[1]         = joint->side[1].body;
  if (row->kind == NS_ROW_POINT || row->kind == NS_ROW_SLIDE || row->kind == NS_ROW_DISTANCE) points_of(self, joint, &p);
  switch (row->kind) {
  case NS_ROW_POINT: point_row(&p, row->axis[0], wanted, w); break;
  case NS_ROW_PERP: perp_row(self, row, wanted, w); break;
  case NS_ROW_SLIDE: slide_row(self, joint, row->axis[0], &p, wanted, w); break;
  case NS_ROW_DISTANCE: distance_row(&p, wanted, w); break;
  case NS_ROW_ANGLE: angle_row(self, joint, q, wanted, w); break;
  case NS_ROW_GEAR: gear_row(self, joint, q, wanted, w); break;
  }
  w->g -= row->offset;
  if (row->speed) {
    w->g -= NsSpinAngle(row->speed, t);
    w->drive = -NsSpinRate(row->speed, t);
    w->rate -= NsSpinAcceleration(row->speed, t);
  } else if (row->motion) {
    PetscReal moved[3][3];
    for (int order = 0; order < 3; order++) NsMotionAt(row->motion, order, t, moved[order]);
    w->g -= moved[0][0];
    w->drive = -moved[1][0];
    w->rate -= moved[2][0];
  }
  if (row->scale == 1) return;
  w->g *= row->scale;
  if (wanted == NS_WANT_GAP) return;
  w->drive *= row->scale;
  w->rate *= row->scale;
  for (PetscInt b = 0; b < w->bodies; b++) {
    for (int k = 0; k < 3; k++) {
      w->f[b][k] *= row->scale;
      w->m[b][k] *= row->scale;
    }
  }
}

PetscReal NsMbWrenchRate(const NsMultibody *self, const NsMbWrench *w)
{
  PetscReal rate = 0;

  for (PetscInt b = 0; b < w->bodies; b++) rate += NsDot(w->f[b], self->frame[w->body[b]].v) + NsDot(w->m[b], self->frame[w->body[b]].O);
  return rate;
}

void NsMbApply(const NsMultibody *self, const NsMbWrench *w, PetscReal scale, PetscReal *h)
{
  for (PetscInt b = 0; b < w->bodies; b++) {
    const PetscReal f[3] = {scale * w->f[b][0], scale * w->f[b][1], scale * w->f[b][2]};
    const PetscReal m[3] = {scale * w->m[b][0], scale * w->m[b][1], scale * w->m[b][2]};
    NsMbPush(self, w->body[b], self->frame[w->body[b]].x, f, m, h);
  }
}
