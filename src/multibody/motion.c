/*
  Motion of bodies: positions, frames, and forces on points.

      move  x1 = x0 + h v,  p1 = p0 exp(h w/2), normalised          way  d = x1 - x0,  2 log(p0^-1 p1)          rate  p' = p (0, w)/2
*/
#include <string.h>
#include "joints.h"

/* Angles of joints in space, from those they were near. */
static void count_turns(NsMultibody *self, const PetscReal *near, PetscReal *q)
{
  if (!self->turns) return;
  NsMbFrames(self, q, NULL);
  for (PetscInt j = 0; j < self->joints; j++) {
    const NsMbJoint *joint = &self->joint[j];
    if (joint->turn >= 0) q[joint->turn] = NsMbAngleNear(self, joint, near[joint->turn]);
  }
}

void NsMbMove(NsMultibody *self, const PetscReal *q0, PetscReal h, const PetscReal *v, PetscReal *q1)
{
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody  *body = &self->body[b];
    const PetscReal *from = q0 + body->first, *vb = v + body->first;
    PetscReal       *to = q1 + body->first, turn[4], p[4];
    for (int k = 0; k < 3; k++) to[k] = from[k] + h * vb[k];
    if (body->planar) continue;
    NsQuaternionExp((PetscReal[3]){h * vb[4], h * vb[5], h * vb[6]}, turn);
    NsQuaternionProduct(from + 3, turn, p);
    const PetscReal scale = 1 / PetscSqrtReal(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) to[3 + k] = scale * p[k];
  }
  count_turns(self, q0, q1);
}

void NsMbWay(const NsMultibody *self, const PetscReal *q0, const PetscReal *q1, PetscReal *d)
{
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody  *body = &self->body[b];
    const PetscReal *from = q0 + body->first, *to = q1 + body->first;
    PetscReal       *db = d + body->first, p[4];
    for (int k = 0; k < 3; k++) db[k] = to[k] - from[k];
    if (body->planar) continue;
    NsQuaternionProduct((PetscReal[4]){from[3], -from[4], -from[5], -from[6]}, to + 3, p);
    db[3] = 0;
    NsQuaternionLog(p, db + 4);
  }
  for (PetscInt i = self->body_unknowns; i < self->unknowns; i++) d[i] = 0;
}

void NsMbRate(NsMultibody *self, const PetscReal *q, const PetscReal *v, PetscReal *rate)
{
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody  *body = &self->body[b];
    const PetscReal *vb   = v + body->first;
    PetscReal       *to   = rate + body->first;
    for (int k = 0; k < 3; k++) to[k] = vb[k];
    if (!body->planar) NsQuaternionProduct(q + body->first + 3, (PetscReal[4]){0, vb[4] / 2, vb[5] / 2, vb[6] / 2}, to + 3);
  }
  if (self->turns) NsMbFrames(self, q, v);
  for (PetscInt j = 0; j < self->joints; j++) {
    if (self->joint[j].turn >= 0) rate[self->joint[j].turn] = NsMbAngleRate(self, &self->joint[j]);
  }
}

void NsMbTidy(NsMultibody *self, PetscReal *q)
{
  for (PetscInt b = 0; b < self->bodies; b++) {
    PetscReal *p = q + self->body[b].first + 3;
    if (self->body[b].planar) continue;
    const PetscReal scale = 1 / PetscSqrtReal(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) p[k] *= scale;
  }
  count_turns(self, q, q);
}

/* Positions; those of the last call stay. */
static void place_frames(NsMultibody *self, const PetscReal *q)
{
  const size_t size = sizeof(*q) * (size_t)self->body_unknowns;

  if (self->moves && !memcmp(self->seen, q, size)) return;
  memcpy(self->seen, q, size);
  self->moves++;
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody  *body  = &self->body[b];
    const PetscReal *qb    = q + body->first;
    NsFrame         *frame = &self->frame[b];
    if (body->planar) {
      const PetscReal c = cos(qb[2]), s = sin(qb[2]);
      frame->x[0] = qb[0];
      frame->x[1] = qb[1];
      frame->x[2] = body->x[2];
      frame->R[0] = frame->R[4] = c;
      frame->R[3]               = s;
      frame->R[1]               = -s;
      frame->R[8]               = 1; /* the others stay 0 */
    } else {
      for (int k = 0; k < 3; k++) frame->x[k] = qb[k];
      NsQuaternionMatrix(qb + 3, frame->R);
    }
  }
}

void NsMbFrames(NsMultibody *self, const PetscReal *q, const PetscReal *v)
{
  place_frames(self, q);
  for (PetscInt b = 0; b < self->bodies && v; b++) {
    const NsMbBody  *body  = &self->body[b];
    const PetscReal *vb    = v + body->first;
    NsFrame         *frame = &self->frame[b];
    if (body->planar) {
      frame->v[0] = vb[0];
      frame->v[1] = vb[1];
      frame->O[2] = vb[2];
    } else {
      for (int k = 0; k < 3; k++) frame->v[k] = vb[k];
      NsTurn(frame->R, vb + 4, frame->O);
    }
  }
}

void NsMbPush(const NsMultibody *self, PetscInt body, const PetscReal x[3], const PetscReal f[3], const PetscReal *m, PetscReal *h)
{
  if (body == self->bodies) return;
  const NsMbBody *b      = &self->body[body];
  const NsFrame  *frame  = &self->frame[body];
  const PetscReal arm[3] = {x[0] - frame->x[0], x[1] - frame->x[1], x[2] - frame->x[2]};
  PetscReal       moment[3], own[3], *hb = h + b->first;

  NsCross(arm, f, moment);
  for (int k = 0; k < 3 && m; k++) moment[k] += m[k];
  hb[0] += f[0];
  hb[1] += f[1];
  if (b->planar) {
    hb[2] += moment[2];
    return;
  }
  hb[2] += f[2];
  NsTurnBack(frame->R, moment, own);
  for (int k = 0; k < 3; k++) hb[4 + k] += own[k];
}

PetscReal NsMbPowerOf(const NsMultibody *self, PetscInt body, const PetscReal x[3], const PetscReal f[3], const PetscReal *m)
{
  const NsFrame *frame = &self->frame[body];
  PetscReal      v[3];

  NsMbPointVelocity(frame, x, v);
  return NsDot(f, v) + (m ? NsDot(m, frame->O) : 0);
}
