#include "pair.h"
#include <string.h>
#include "laws/law.h"

#define NS_STILL 1e-10 /* a displacement per unit below this is rounding */

#define NS_PAIR(Name)                        extern const NsPairType NsPairType_##Name;
#define NS_SURFACE(Name, key, help, example) NS_PAIR(Name)
#include "pairs/list.h"
#undef NS_PAIR
#define NS_PAIR(Name) &NsPairType_##Name,
const NsPairType *const NsPairTypes[] = {
#include "pairs/list.h"
  NULL};
#undef NS_PAIR
#undef NS_SURFACE

const NsPairType *const NsSurfaceTypes[NS_SURFACES + 1] = {
#define NS_PAIR(Name)
#define NS_SURFACE(Name, key, help, example) &NsPairType_##Name,
#include "pairs/list.h"
#undef NS_SURFACE
#undef NS_PAIR
  NULL};

PetscBool NsUnit3(PetscReal v[3])
{
  const PetscReal size = PetscMax(PetscMax(PetscAbsReal(v[0]), PetscAbsReal(v[1])), PetscAbsReal(v[2]));
  PetscReal       length;

  if (size == 0) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) v[k] /= size; /* first, for squares may overflow */
  length = PetscSqrtReal(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int k = 0; k < 3; k++) v[k] /= length;
  return PETSC_TRUE;
}

/* A copy of count vectors, or `like` where they are the same. */
static const PetscReal (*keep_vectors(PetscInt count, const PetscReal v[][3], const PetscReal (*like)[3], NsArena *arena))[3]
{
  const size_t bytes = sizeof(*v) * (size_t)count;
  PetscReal(*copy)[3];

  if (like && !memcmp(like, v, bytes)) return like;
  copy = NsArenaAlloc(arena, bytes);
  if (bytes) memcpy(copy, v, bytes);
  return (const PetscReal(*)[3])copy;
}

void NsPairPointKeep(const NsPoint *point, const NsPairPoint *like, NsArena *arena, NsPairPoint *to)
{
  const PetscInt  n    = point->unknowns;
  const PetscBool same = like && like->unknowns == n;

  *to       = (NsPairPoint){.unknowns = n, .spin = point->spin};
  to->touch = NsArenaAlloc(arena, sizeof(*to->touch) * (size_t)n);
  for (PetscInt a = 0; a < n; a++) to->touch[a] = point->unknown[a];
  for (int k = 0; k < 3; k++) to->x[k] = point->x[k];
  to->move = keep_vectors(n, point->move, same ? like->move : NULL, arena);
  to->turn = keep_vectors(n, point->turn, same ? like->turn : NULL, arena);
  to->axis = keep_vectors(1, (const PetscReal(*)[3])point->axis, like ? (const PetscReal(*)[3])like->axis : NULL, arena)[0];
}

void NsSurfaceMotionAt(NsSurfaceMotion *list, PetscReal t)
{
  for (; list; list = list->next) {
    for (int order = 0; order < 3; order++) NsMotionAt(&list->motion, order, t, list->at[order]);
  }
}

void NsPointDisplacement(const NsPairPoint *point, const PetscReal *touch_q, PetscReal u[3])
{
  for (int k = 0; k < 3; k++) u[k] = point->moving ? point->moving->at[0][k] : 0;
  for (PetscInt a = 0; a < point->unknowns; a++) {
    for (int k = 0; k < 3; k++) u[k] += point->move[a][k] * touch_q[point->touch[a]];
  }
}

void NsPointVelocity(const NsPairPoint *point, PetscReal t, const PetscReal *touch_v, PetscReal v[3], PetscReal w[3])
{
  const PetscReal spin = NsSpinRate(point->spin, t);

  for (int k = 0; k < 3; k++) {
    v[k] = point->moving ? point->moving->at[1][k] : 0;
    w[k] = spin * point->axis[k];
  }
  for (PetscInt a = 0; a < point->unknowns; a++) {
    for (int k = 0; k < 3; k++) {
      v[k] += point->move[a][k] * touch_v[point->touch[a]];
      w[k] += point->turn[a][k] * touch_v[point->touch[a]];
    }
  }
}

PetscErrorCode NsRowsAdd(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal d[3], const PetscReal sign[2], const PetscReal arm[2][3])
{
  PetscInt  at    = rows->first[rows->rows];
  PetscReal drive = 0;

  PetscFunctionBegin;
  PetscCheck(rows->rows < rows->row_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " contact rows", rows->row_capacity);
  for (PetscInt p = 0; p < 2; p++) {
    const NsPairPoint *point     = pair->point[p];
    PetscReal          moment[3] = {0, 0, 0};
    if (arm) NsCross3(arm[p], d, moment);
    for (PetscInt a = 0; a < point->unknowns; a++) {
      const PetscReal value = sign[p] * (NsDot3(d, point->move[a]) + NsDot3(moment, point->turn[a]));
      if (value == 0) continue;
      PetscCheck(
        at < rows->entry_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " entries of contact rows", rows->entry_capacity);
      rows->touch[at]   = point->touch[a];
      rows->value[at++] = value;
    }
    if (point->moving) drive += sign[p] * NsDot3(d, point->moving->at[1]);
    if (point->spin) drive += sign[p] * NsSpinRate(point->spin, t) * NsDot3(moment, point->axis);
  }
  rows->drive[rows->rows]   = drive;
  rows->first[++rows->rows] = at;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsAddFlat(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal sign[2], const PetscReal arm[2][3])
{
  PetscFunctionBegin;
  PetscCall(NsRowsAdd(rows, pair, t, pair->frame->normal, sign, NULL));
  for (PetscInt i = 0; i < pair->frame->tangents; i++) PetscCall(NsRowsAdd(rows, pair, t, pair->frame->tangent[i], sign, arm));
  PetscFunctionReturn(0);
}

PetscBool NsPairPointsAlike(const NsPairPoint *a, const NsPairPoint *b)
{
  if (a->unknowns != b->unknowns) return PETSC_FALSE;
  for (PetscInt i = 0; i < a->unknowns; i++) {
    if (a->touch[i] != b->touch[i]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscReal NsPairTravel(const NsPair *pair, const PetscReal t[2], const PetscReal *from, const PetscReal *to)
{
  const NsSurfaceMotion *moving = pair->point[1]->moving;
  PetscReal              d[3]   = {0, 0, 0}, at[2][3];

  for (int end = 0; end < 2 && moving; end++) NsMotionAt(&moving->motion, 0, t[end], at[end]);
  for (int k = 0; k < 3 && moving; k++) d[k] = at[0][k] - at[1][k];
  for (int p = 0; p < 2; p++) {
    const NsPairPoint *point = pair->point[p];
    for (PetscInt a = 0; a < point->unknowns; a++) {
      const PetscReal change = to[point->touch[a]] - from[point->touch[a]];
      for (int k = 0; k < 3; k++) d[k] += (p == 0 ? 1 : -1) * point->move[a][k] * change;
    }
  }
  return PetscSqrtReal(NsDot3(d, d));
}

void NsPairPoints(const NsPair *pair, const NsPairPoint *list[2], PetscInt count[2])
{
  for (int p = 0; p < 2; p++) {
    list[p] = pair->type->others ? pair->type->others(pair, p, &count[p]) : NULL;
    if (list[p]) continue;
    list[p]  = pair->point[p];
    count[p] = 1;
  }
}

PetscBool NsPairActs(const NsPair *pair)
{
  const NsPairPoint *point[2];
  PetscInt           count[2];

  NsPairPoints(pair, point, count);
  for (PetscInt p = 0; p < 2; p++) {
    for (PetscInt i = 0; i < count[p]; i++) {
      for (PetscInt a = 0; a < point[p][i].unknowns; a++) {
        if (pair->type->bound(pair, point[p][i].move[a]) > 1e-12) return PETSC_TRUE;
      }
    }
  }
  return PETSC_FALSE;
}

void NsPairContactPoint(const NsPair *pair, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  pair->type->gap(pair, touch_q, n);
  NsPointDisplacement(pair->point[0], touch_q, u);
  for (int k = 0; k < 3; k++) x[k] = pair->point[0]->x[k] - pair->radius[0] * n[k];
}

/* Whether some point of the pair can move along t, or turn about b with an arm (to rounding). */
static PetscBool has_slip(const NsPair *pair, const PetscReal t[3], const PetscReal b[3])
{
  for (PetscInt p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
      if (PetscAbsReal(NsDot3(t, pair->point[p]->move[a])) > NS_STILL) return PETSC_TRUE;
      if (pair->radius[p] > 0 && PetscAbsReal(NsDot3(b, pair->point[p]->turn[a])) > NS_STILL) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static void add_tangent(NsPair *pair, const PetscReal t[3])
{
  for (int k = 0; k < 3; k++) pair->frame->tangent[pair->frame->tangents][k] = t[k];
  pair->frame->tangents++;
}

/* ---- flat ------------------------------------------------------------------------------------------------------------------------------------ */

PetscReal NsPairBoundFlat(const NsPair *pair, const PetscReal move[3])
{
  return PetscAbsReal(NsDot3(move, pair->frame->normal));
}

PetscReal NsPairClearanceOpen(const NsPair *pair)
{
  (void)pair;
  return PETSC_MAX_REAL;
}

void NsPairPrepareFlat(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  const PetscReal *n = pair->frame->normal;
  PetscReal        t[2][3];
  int              axis = 0;

  (void)touch_q;
  pair->frame->tangents = 0;
  if (friction == 0) return;
  /* The first tangent lies in the plane of the normal and the coordinate axis it is farthest from, x before y before z:
     for a normal in the x-y plane that is the in-plane tangent, so planar models get one tangent. */
  for (int k = 1; k < 3; k++) {
    if (PetscAbsReal(n[k]) < PetscAbsReal(n[axis]) - 1e-12) axis = k;
  }
  if (PetscAbsReal(n[2]) < 1e-12 && axis == 2) axis = PetscAbsReal(n[0]) <= PetscAbsReal(n[1]) ? 0 : 1;
  PetscReal length = 0;
  for (int k = 0; k < 3; k++) {
    t[0][k] = (k == axis ? 1.0 : 0.0) - n[axis] * n[k];
    length += t[0][k] * t[0][k];
  }
  length = PetscSqrtReal(length);
  for (int k = 0; k < 3; k++) t[0][k] /= length;
  NsCross3(n, t[0], t[1]);
  for (int i = 0; i < 2; i++) {
    PetscReal moment[3];
    NsCross3(n, t[i], moment);
    if (has_slip(pair, t[i], moment)) add_tangent(pair, t[i]);
  }
}

/* ---- curved ---------------------------------------------------------------------------------------------------------------------------------- */

/* m of the header; false: the normal is opposite to that of the start. */
static PetscBool mirror(const NsPair *pair, const PetscReal n[3], PetscReal m[3])
{
  for (int k = 0; k < 3; k++) m[k] = pair->frame->normal[k] + n[k];
  if (NsDot3(m, m) > 1e-24) return PETSC_TRUE;
  NsCross3(pair->frame->pivot, pair->frame->normal, m);
  return PETSC_FALSE;
}

/* A tangent of the start carried along with the normal: the mirror image t0 - 2 (m . t0)/(m . m) m. */
static void carry(const PetscReal m[3], const PetscReal t0[3], PetscReal tangent[3])
{
  const PetscReal factor = 2 * NsDot3(m, t0) / NsDot3(m, m);

  for (int k = 0; k < 3; k++) tangent[k] = t0[k] - factor * m[k];
}

PetscErrorCode NsRowsAddCurved(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal n[3], const PetscReal arm[2])
{
  static const PetscReal sign[2] = {1, -1};
  PetscReal              m[3], arms[2][3];

  PetscFunctionBegin;
  PetscCall(NsRowsAdd(rows, pair, t, n, sign, NULL));
  for (int p = 0; p < 2; p++) {
    for (int k = 0; k < 3; k++) arms[p][k] = arm[p] * n[k];
  }
  mirror(pair, n, m);
  for (PetscInt i = 0; i < pair->frame->tangents; i++) {
    PetscReal tangent[3];
    carry(m, pair->frame->tangent[i], tangent);
    PetscCall(NsRowsAdd(rows, pair, t, tangent, sign, (const PetscReal(*)[3])arms));
  }
  PetscFunctionReturn(0);
}

/* Tangents of flat pairs are those of the frame, with the opposite sign where n is opposite to its normal; those of curved pairs are carried along with n. */
void NsPairTangents(const NsPair *pair, const PetscReal n[3], PetscReal tangent[2][3])
{
  const PetscReal side = NsDot3(n, pair->frame->normal) < 0 ? -1 : 1;
  PetscReal       m[3];

  if (!pair->type->flat) (void)mirror(pair, n, m);
  for (PetscInt i = 0; i < 2; i++) {
    const PetscReal *t0 = pair->frame->tangent[i];
    for (int k = 0; k < 3; k++) tangent[i][k] = i < pair->frame->tangents ? side * t0[k] : 0;
    if (!pair->type->flat && i < pair->frame->tangents) carry(m, t0, tangent[i]);
  }
}

void NsPairRelativeVelocity(const NsPair *pair, PetscReal t, const PetscReal *touch_v, PetscReal between[3])
{
  PetscReal v[2][3], w[3];

  for (int p = 0; p < 2; p++) NsPointVelocity(pair->point[p], t, touch_v, v[p], w);
  for (int k = 0; k < 3; k++) between[k] = v[0][k] - v[1][k];
}

void NsPairTangentRates(
  const NsPair *pair, PetscReal t, const PetscReal *touch_v, const PetscReal n[3], const PetscReal dn[3], const PetscReal arm[2], PetscReal *d)
{
  PetscReal       m[3], between[3], turning[3] = {0, 0, 0}, speeding[3] = {0, 0, 0};
  const PetscBool regular = mirror(pair, n, m);

  NsPairRelativeVelocity(pair, t, touch_v, between);
  for (int p = 0; p < 2; p++) {
    const PetscReal lever = p == 0 ? -arm[0] : arm[1], acceleration = NsSpinAcceleration(pair->point[p]->spin, t);
    PetscReal       v[3], w[3];
    NsPointVelocity(pair->point[p], t, touch_v, v, w);
    for (int k = 0; k < 3; k++) turning[k] += lever * w[k];
    for (int k = 0; acceleration != 0 && k < 3; k++) speeding[k] += lever * acceleration * pair->point[p]->axis[k];
  }
  for (PetscInt i = 0; i < pair->frame->tangents; i++) {
    const PetscReal *t0 = pair->frame->tangent[i];
    const PetscReal  mm = NsDot3(m, m), factor = 2 * NsDot3(m, t0) / mm;
    const PetscReal  change = regular ? 2 * NsDot3(dn, t0) / mm - 2 * factor * NsDot3(m, dn) / mm : 0;
    PetscReal        tangent[3], dt[3], b[3], db[3], other[3];
    for (int k = 0; k < 3; k++) {
      tangent[k] = t0[k] - factor * m[k];
      dt[k]      = regular ? -change * m[k] - factor * dn[k] : 0;
    }
    NsCross3(n, tangent, b);
    NsCross3(dn, tangent, db);
    NsCross3(n, dt, other);
    for (int k = 0; k < 3; k++) db[k] += other[k];
    d[1 + i] = NsDot3(dt, between) - NsDot3(db, turning) - NsDot3(b, speeding) - NsPairAcceleration(pair, tangent);
  }
}

/* The part of a across n; its length. */
static PetscReal reject(const PetscReal a[3], const PetscReal n[3], PetscReal part[3])
{
  const PetscReal along = NsDot3(a, n);

  for (int k = 0; k < 3; k++) part[k] = a[k] - along * n[k];
  return PetscSqrtReal(NsDot3(part, part));
}

/* The longest of the parts across the axis and n of what the points move by: the direction in which the normal will turn. 0: none. */
static PetscReal sideways(const NsPair *pair, const PetscReal axis[3], const PetscReal n[3], PetscReal direction[3])
{
  PetscReal longest = 0;

  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
      PetscReal part[3], length;
      reject(pair->point[p]->move[a], axis, part);
      length = reject(part, n, part);
      if (length < longest + 1e-12) continue;
      longest = length;
      for (int k = 0; k < 3; k++) direction[k] = part[k] / length;
    }
  }
  return longest;
}

/* Any unit vector across a. */
static void any_across(const PetscReal a[3], PetscReal direction[3])
{
  PetscReal best = 0;

  for (int axis = 0; axis < 3; axis++) {
    const PetscReal unit[3] = {axis == 0, axis == 1, axis == 2};
    PetscReal       part[3], length = reject(unit, a, part);
    if (length < best + 1e-12) continue;
    best = length;
    for (int k = 0; k < 3; k++) direction[k] = part[k] / length;
  }
}

void NsPairAnyNormal(const NsPair *pair, const PetscReal axis[3], PetscReal n[3])
{
  if (sideways(pair, axis, (const PetscReal[3]){0, 0, 0}, n) == 0) any_across(axis, n);
}

/* Slip along the first tangent is caused by motion along it and by rotation about b = pivot, which is constant. The second's b is the first, and where the normal turns, n0 some time. */
void NsPairPrepareCurved(NsPair *pair, const PetscReal n[3], const PetscReal axis[3], PetscReal friction)
{
  PetscReal       first[3] = {0};
  const PetscBool turns    = sideways(pair, axis, n, first) > 0;

  if (NsDot3(axis, axis) > 0) {
    NsCross3(axis, n, first);
    if (PetscAbsReal(NsDot3(axis, n)) > 1e-9) (void)NsUnit3(first); /* of a cone n is not across the axis */
  } else if (!turns)
    any_across(n, first);
  for (int k = 0; k < 3; k++) pair->frame->normal[k] = n[k];
  NsCross3(n, first, pair->frame->pivot);
  pair->frame->tangents = 0;
  if (friction == 0) return;
  if (has_slip(pair, first, pair->frame->pivot)) add_tangent(pair, first);
  if (has_slip(pair, pair->frame->pivot, first) || (turns && has_slip(pair, pair->frame->pivot, n))) add_tangent(pair, pair->frame->pivot);
}

/* ---- rolling and drilling ------------------------------------------------------------------------------------------------------------------------ */

/* What the points turn by, across n (rolling) or along it: up to two directions, orthonormal; how many. Planar models turn about one axis only. */
static PetscInt axes_of(const NsPair *pair, int kind, const PetscReal n[3], PetscReal axis[2][3])
{
  PetscInt count = 0;

  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns && count < (kind == NS_DRILLING ? 1 : 2); a++) {
      const PetscReal *turn = pair->point[p]->turn[a];
      PetscReal        part[3], along = NsDot3(turn, n), other = count ? NsDot3(turn, axis[0]) : 0;
      for (int k = 0; k < 3; k++) part[k] = kind == NS_DRILLING ? along * n[k] : turn[k] - along * n[k] - (count ? other * axis[0][k] : 0);
      if (NsDot3(part, part) <= PetscSqr(1e-9) || !NsUnit3(part)) continue;
      for (int k = 0; k < 3; k++) axis[count][k] = kind == NS_DRILLING ? n[k] : part[k];
      count++;
    }
  }
  return count;
}

PetscBool NsPairResist(const NsPair *contact, int kind, NsArena *arena, NsPair *moment)
{
  NsPairFrame *frame = NsArenaAlloc(arena, sizeof(*frame));

  *frame            = *contact->frame;
  frame->torque_arm = 0;
  frame->tangents   = axes_of(contact, kind, frame->normal, frame->tangent);
  *moment           = *contact;
  moment->resists   = 1 + kind;
  moment->frame     = frame;
  return frame->tangents > 0;
}

/* Row of the relative rotation about e. */
static PetscErrorCode add_turn(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal e[3])
{
  PetscInt  at    = rows->first[rows->rows];
  PetscReal drive = 0;

  PetscFunctionBegin;
  PetscCheck(rows->rows < rows->row_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " contact rows", rows->row_capacity);
  for (PetscInt p = 0; p < 2; p++) {
    const NsPairPoint *point = pair->point[p];
    for (PetscInt a = 0; a < point->unknowns; a++) {
      const PetscReal value = (p == 0 ? 1 : -1) * NsDot3(e, point->turn[a]);
      if (value == 0) continue;
      PetscCheck(
        at < rows->entry_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " entries of contact rows", rows->entry_capacity);
      rows->touch[at]   = point->touch[a];
      rows->value[at++] = value;
    }
    if (point->spin) drive += (p == 0 ? 1 : -1) * NsSpinRate(point->spin, t) * NsDot3(e, point->axis);
  }
  rows->drive[rows->rows]   = drive;
  rows->first[++rows->rows] = at;
  PetscFunctionReturn(0);
}

PetscErrorCode NsPairRows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *rows)
{
  NsPair      contact = *pair;
  NsPairFrame frame;
  PetscReal   n[3], axis[2][3];

  PetscFunctionBegin;
  if (!pair->resists) {
    PetscCall(pair->type->rows(pair, t, touch_q, rows));
    PetscFunctionReturn(0);
  }
  frame          = *pair->frame;
  frame.tangents = 0;
  contact.frame  = &frame;
  PetscCall(pair->type->rows(&contact, t, touch_q, rows));
  pair->type->gap(pair, touch_q, n);
  NsPairTangents(pair, n, axis);
  for (PetscInt i = 0; i < pair->frame->tangents; i++) PetscCall(add_turn(rows, pair, t, pair->resists == 1 + NS_DRILLING ? n : axis[i]));
  PetscFunctionReturn(0);
}

void NsPairRates(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d)
{
  if (pair->type->rate) pair->type->rate(pair, t, touch_q, touch_v, d);
  for (PetscInt i = 0; pair->resists && i < pair->frame->tangents; i++) d[1 + i] = 0; /* no scheme that needs rates solves resistances */
}
