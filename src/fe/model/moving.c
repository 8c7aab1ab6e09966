#include "moving.h"
#include <string.h>
#include "components.h"
#include "core/timefunction.h"
#include "fe/backend/backend.h"

/* ---- the list ----------------------------------------------------------------------------------------------------------------------------------- */

static void *grown(NsArena *arena, void *items, PetscInt count, size_t size)
{
  if (count & (count - 1)) return items;
  void *more = NsArenaAlloc(arena, size * (size_t)PetscMax(1, 2 * count));
  if (count) memcpy(more, items, size * (size_t)count);
  return more;
}

PetscInt NsFeAddMotion(NsFe *fe, NsMotion motion)
{
  NsFeMoving *self = &fe->moving;

  self->motion = grown(fe->arena, self->motion, self->sets, sizeof(*self->motion));
  self->first  = self->sets ? grown(fe->arena, self->first, self->sets + 1, sizeof(*self->first)) : NsArenaAlloc(fe->arena, 2 * sizeof(*self->first));
  self->motion[self->sets]    = motion;
  self->first[self->sets + 1] = self->first[self->sets] + motion.parts;
  return self->sets++;
}

PetscInt NsFeAddMoved(NsFe *fe, PetscInt set, const PetscReal direction[3])
{
  NsFeMoving *self = &fe->moving;

  self->unknown             = grown(fe->arena, self->unknown, self->moved, sizeof(*self->unknown));
  NsFeMovedUnknown *unknown = &self->unknown[self->moved++];
  unknown->set              = set;
  for (int k = 0; k < 3; k++) unknown->direction[k] = direction[k];
  return -1 - self->moved;
}

void NsFeMovedAt(const NsFe *fe, PetscReal t)
{
  const NsFeMoving *self = &fe->moving;
  PetscReal         u[3] = {0}, v[3] = {0}, a[3] = {0};

  for (PetscInt m = 0, set = -1; m < self->moved; m++) {
    const NsFeMovedUnknown *unknown = &self->unknown[m];
    if (unknown->set != set) {
      set = unknown->set;
      NsMotionAt(&self->motion[set], 0, t, u);
      NsMotionAt(&self->motion[set], 1, t, v);
      NsMotionAt(&self->motion[set], 2, t, a);
    }
    self->value[m]        = NsDot3(unknown->direction, u);
    self->rate[m]         = NsDot3(unknown->direction, v);
    self->acceleration[m] = NsDot3(unknown->direction, a);
  }
}

PetscReal NsFeHeldValue(const NsFe *fe, PetscInt unknown)
{
  return NsFeIsMoved(unknown) ? fe->moving.value[-2 - unknown] : 0;
}

PetscReal NsFeHeldRate(const NsFe *fe, PetscInt unknown)
{
  return NsFeIsMoved(unknown) ? fe->moving.rate[-2 - unknown] : 0;
}

PetscReal NsFeHeldAcceleration(const NsFe *fe, PetscInt unknown)
{
  return NsFeIsMoved(unknown) ? fe->moving.acceleration[-2 - unknown] : 0;
}

void NsFeMovedTimes(const NsFe *fe, PetscReal t, NsTimes *times)
{
  for (PetscInt s = 0; s < fe->moving.sets; s++) {
    times->next   = PetscMin(times->next, NsMotionNext(&fe->moving.motion[s], t));
    times->period = PetscMin(times->period, NsMotionPeriod(&fe->moving.motion[s], t));
  }
}

void NsFeMovedProbe(const NsFe *fe, NsProbeColumn *column, PetscInt unknown, int order, PetscReal weight)
{
  const NsFeMovedUnknown *moved  = &fe->moving.unknown[-2 - unknown];
  const NsMotion         *motion = &fe->moving.motion[moved->set];

  for (int a = 0; a < motion->parts; a++) {
    const PetscReal factor = weight * NsDot3(moved->direction, motion->part[a].vector);
    if (factor != 0) NsProbeAddTimed(column, fe->arena, &motion->part[a].derived[order], factor);
  }
}

/* ---- loads -------------------------------------------------------------------------------------------------------------------------------------- */

/* The terms that a unit factor of one part has: column[matrix][unknowns] of those that are free, and for all parts b w_b' X w of those that are moved. */
typedef struct {
  const NsFe *fe;
  PetscInt    part, set;
  PetscBool   diagonal;
  PetscReal  *column[NS_FE_MATRICES], *whole[NS_FE_MATRICES];
} Terms;

/* Displacement of an unknown for a unit factor of a part. */
static PetscReal shape(const NsFe *fe, PetscInt unknown, PetscInt set, const NsMotionPart *part)
{
  const NsFeMovedUnknown *moved = NsFeIsMoved(unknown) ? &fe->moving.unknown[-2 - unknown] : NULL;

  return moved && moved->set == set ? NsDot3(moved->direction, part->vector) : 0;
}

static void add_term(void *context, const NsFeComponent *c, NsFeMatrix to, const PetscReal *X, PetscReal factor)
{
  const Terms      *terms  = context;
  const NsFe       *fe     = terms->fe;
  const NsFeMoving *moving = &fe->moving;
  const PetscBool   own    = to == NS_FE_MASS && terms->diagonal; /* only the diagonal */

  for (PetscInt j = 0; j < c->n; j++) {
    const PetscReal w = factor * shape(fe, c->unknown[j], terms->set, &moving->motion[terms->set].part[terms->part - moving->first[terms->set]]);
    if (w == 0) continue;
    for (PetscInt i = 0; i < c->n; i++) {
      const PetscInt  unknown = c->unknown[i];
      const PetscReal x       = own && i != j ? 0 : X[i * c->n + j] * w;
      if (unknown >= 0) terms->column[to][unknown] += x;
      if (!NsFeIsMoved(unknown) || !terms->whole[to]) continue;
      const PetscInt set = moving->unknown[-2 - unknown].set;
      for (PetscInt b = moving->first[set]; b < moving->first[set + 1]; b++)
        terms->whole[to][b] += x * shape(fe, unknown, set, &moving->motion[set].part[b - moving->first[set]]);
    }
  }
}

/* The component with its moved unknowns; whether it has any. */
static PetscBool with_moved(const NsFe *fe, NsFeComponent *c)
{
  NsFeTakeMoved(fe, c);
  for (PetscInt i = 0; i < c->n; i++) {
    if (NsFeIsMoved(c->unknown[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A load of values -column over a function of time, where it has any. */
static void add_load(NsFe *fe, const PetscReal *column, const NsTimeFunction *time, NsFeMatrix matrix, PetscInt part)
{
  PetscInt entries = 0;

  for (PetscInt i = 0; i < fe->unknowns; i++) entries += column[i] != 0;
  if (!entries) return;
  NsFeLoad *load = NsFeAddLoad(fe, time, PETSC_FALSE, entries);
  load->part     = 1 + part;
  load->matrix   = matrix;
  for (PetscInt i = 0; i < fe->unknowns; i++) NsFeAddLoadEntry(load, i, -column[i], 0);
}

static const int order_of[NS_FE_MATRICES] = {[NS_FE_MASS] = 2, [NS_FE_DAMPERS] = 1, [NS_FE_GYROSCOPIC] = 1, [NS_FE_STIFFNESS] = 0};

static void add_part(NsFe *fe, PetscInt set, PetscInt part, PetscReal *column)
{
  NsFeMoving         *self                   = &fe->moving;
  const NsMotionPart *it                     = &self->motion[set].part[part - self->first[set]];
  const PetscInt      parts                  = self->first[self->sets];
  const PetscBool     wanted[NS_FE_MATRICES] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  Terms               terms                  = {.fe = fe, .part = part, .set = set, .diagonal = NsFeMassIsDiagonal(fe)};

  terms.whole[NS_FE_MASS]      = self->mass + parts * part;
  terms.whole[NS_FE_DAMPERS]   = self->damping + parts * part;
  terms.whole[NS_FE_STIFFNESS] = self->stiffness + parts * part;
  for (int m = 0; m < NS_FE_MATRICES; m++) terms.column[m] = column + (size_t)m * (size_t)fe->unknowns;
  (void)PetscArrayzero(column, NS_FE_MATRICES * fe->unknowns);
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    if (with_moved(fe, &c)) NsFeComponentTerms(fe, &c, NULL, wanted, add_term, &terms);
  }
  for (int m = 0; m < NS_FE_MATRICES; m++) add_load(fe, terms.column[m], &it->derived[order_of[m]], (NsFeMatrix)m, part);
}

/* Attached to a moved point, but computed in every step: it would not feel the motion. */
static void check_forces(NsFe *fe)
{
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    const PetscBool moved = with_moved(fe, &c);
    if (moved && c.kind == NS_FE_FORCE && (NsFeForceLaw(c.force) || NsFeForceFollowsSpin(fe, c.force))) {
      NsDiagError(
        fe->diag, c.force->where->key_place, "a nonlinear spring, or a bearing over speed, is attached to a node that a support moves (`motion`)");
      NsDiagNote(fe->diag, "for a shaken base write `base: [{acceleration: ...}]`: its frame moves, and supports are at rest in it");
      return;
    }
    if (moved && c.kind == NS_FE_ELEMENT && (c.body->redistributed || (c.body->is_rotor && !NsFeSpeedIsConstant(c.body)))) {
      NsDiagError(
        fe->diag, c.body->where->key_place, "a support that moves does not hold bodies with `mass: redistributed`, or rotors whose spin changes");
      return;
    }
  }
}

/* Inertia forces -M r a in the frame of the base. */
static void add_base(NsFe *fe, PetscReal *column)
{
  NsMotion motion = NsMotionPrepare(&fe->config->base, fe->config->time->end, fe->arena, fe->diag);

  fe->moving.base = motion;
  NsSwitchesNoteMotion(fe->switches, &motion, "base", fe->arena);
  if (motion.parts && fe->mass_varies) {
    NsDiagError(
      fe->diag, NsKeysPlace(fe->config->where, "base"), "`base` does not support an unbalance on a rotor of free spin, whose mass matrix varies");
    return;
  }
  for (int a = 0; a < motion.parts; a++) {
    (void)PetscArrayzero(column, fe->unknowns);
    NsFeWeight(fe, motion.part[a].vector, column);
    add_load(fe, column, &motion.part[a].derived[2], NS_FE_MASS, -1);
  }
}

/* Bodies start undeformed: a support that is elsewhere already strains the elements next to it. Said once. */
static void check_start(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies && fe->config->start->state == NS_START_AS_GIVEN && !fe->config->start->from; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; i < body->mesh->nodes * body->node_unknowns; i++) {
      const PetscInt  unknown = fe->unknown[body->first_dof + i], a = i % body->node_unknowns;
      const PetscReal at = NsFeHeldValue(fe, unknown), rest = body->turns[a] ? 0 : NsDot3(body->direction[a], body->displacement);
      if (!NsFeIsMoved(unknown) || PetscAbsReal(at - rest) <= 1e-9 * PetscMax(PetscAbsReal(at), PetscAbsReal(rest))) continue;
      NsDiagWarning(fe->diag, fe->moving.motion[fe->moving.unknown[-2 - unknown].set].part[0].where->place,
        "this support is displaced by %.4g m at t = 0, and '%s' starts with %.4g m there: the elements next to it are strained from the start", at,
        body->name, rest);
      NsDiagNote(fe->diag, "begin the motion at 0, or give `start: static`, or the body this displacement by `initial`");
      return;
    }
  }
}

void NsFeMovingCreate(NsFe *fe)
{
  NsFeMoving  *self  = &fe->moving;
  const size_t parts = self->sets ? (size_t)self->first[self->sets] : 0, n = (size_t)self->moved;
  PetscReal   *column;

  if (!self->moved && !fe->config->base.count) return;
  check_forces(fe);
  if (NsDiagErrors(fe->diag)) return;
  column             = NsArenaAlloc(fe->arena, sizeof(*column) * NS_FE_MATRICES * (size_t)fe->unknowns);
  self->value        = NsArenaAlloc(fe->arena, sizeof(*self->value) * (n + 1));
  self->rate         = NsArenaAlloc(fe->arena, sizeof(*self->rate) * (n + 1));
  self->acceleration = NsArenaAlloc(fe->arena, sizeof(*self->acceleration) * (n + 1));
  self->mass         = NsArenaAlloc(fe->arena, sizeof(*self->mass) * (parts * parts + 1));
  self->damping      = NsArenaAlloc(fe->arena, sizeof(*self->damping) * (parts * parts + 1));
  self->stiffness    = NsArenaAlloc(fe->arena, sizeof(*self->stiffness) * (parts * parts + 1));
  for (PetscInt set = 0; set < self->sets; set++) {
    for (PetscInt a = self->first[set]; a < self->first[set + 1]; a++) add_part(fe, set, a, column);
  }
  add_base(fe, column);
  NsFeMovedAt(fe, 0);
  check_start(fe);
}

/* A velocity that jumps acts where the motion has loads by masses, or moves masses. */
PetscReal NsFeMovedJump(const NsFe *fe)
{
  const double end  = fe->config->time->end;
  PetscReal    jump = fe->moving.base.parts ? NsMotionJump(&fe->moving.base, end) : PETSC_MAX_REAL;

  for (PetscInt l = 0; l < fe->forces.loads; l++) {
    const NsFeLoad *load = &fe->forces.load[l];
    if (load->part <= 0 || load->matrix != NS_FE_MASS) continue;
    for (PetscInt set = 0; set < fe->moving.sets; set++) {
      if (load->part - 1 >= fe->moving.first[set] && load->part - 1 < fe->moving.first[set + 1])
        jump = PetscMin(jump, NsMotionJump(&fe->moving.motion[set], end));
    }
  }
  return jump == PETSC_MAX_REAL ? 0 : jump;
}

/* ---- energies ----------------------------------------------------------------------------------------------------------------------------------- */

/* Factor of part a, in a derivative of this order. */
static PetscReal factor(const NsFeMoving *self, PetscInt a, int order, PetscReal t)
{
  PetscInt set = 0;

  while (self->first[set + 1] <= a) set++;
  return NsTimeFunctionValue(&self->motion[set].part[a - self->first[set]].derived[order], t);
}

/* sum_ab f_a f_b X_ab */
static PetscReal square(const NsFeMoving *self, const PetscReal *X, int order, PetscReal t)
{
  const PetscInt parts = self->first[self->sets];
  PetscReal      sum   = 0;

  for (PetscInt a = 0; a < parts; a++) {
    for (PetscInt b = 0; b < parts; b++) sum += factor(self, a, order, t) * factor(self, b, order, t) * X[parts * a + b];
  }
  return sum;
}

/* -sum_a f_a x . S_a of the loads of one matrix, S_a = -X_fp w_a: x' X_fp p. The same on any number of processes. */
static PetscErrorCode mixed(const NsFe *fe, NsFeMatrix matrix, PetscReal t, const PetscReal *x, PetscReal *value)
{
  NsExactSum sum = {{0}};

  PetscFunctionBegin;
  for (PetscInt l = 0; l < fe->here.loads; l++) {
    const NsFeLoad *load = &fe->here.load[l];
    if (load->part <= 0 || load->matrix != (PetscInt)matrix) continue;
    const PetscReal f = factor(&fe->moving, load->part - 1, matrix == NS_FE_STIFFNESS ? 0 : 1, t);
    for (PetscInt i = 0; i < load->counted; i++) {
      const PetscReal term = -f * load->value[i] * x[load->unknown[i]];
      NsExactSumAdd(&sum, 1, &term);
    }
  }
  PetscCall(NsExactSumReduce(&sum, fe->back_end->layout->comm));
  *value = NsExactSumValue(&sum);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeMovedEnergy(const NsFe *fe, PetscReal t, const PetscReal *q, const PetscReal *v, NsEnergy *energy)
{
  const NsFeMoving *self = &fe->moving;
  PetscReal         kinetic, elastic;

  PetscFunctionBegin;
  if (!self->moved) PetscFunctionReturn(0);
  PetscCall(mixed(fe, NS_FE_MASS, t, v, &kinetic));
  PetscCall(mixed(fe, NS_FE_STIFFNESS, t, q, &elastic));
  kinetic += square(self, self->mass, 1, t) / 2;
  elastic += square(self, self->stiffness, 0, t) / 2;
  energy->kinetic += kinetic;
  energy->moved = kinetic + elastic; /* the elastic energy itself is counted by elements, from the strains of all unknowns */
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeMovedPower(const NsFe *fe, PetscReal t, const PetscReal *v, const PetscReal *w, NsPower *power)
{
  const NsFeMoving *self = &fe->moving;
  PetscReal         by_v, by_w;

  PetscFunctionBegin;
  if (!self->moved || !fe->back_end->damped) PetscFunctionReturn(0);
  PetscCall(mixed(fe, NS_FE_DAMPERS, t, v, &by_v));
  PetscCall(mixed(fe, NS_FE_DAMPERS, t, w, &by_w));
  by_v += by_w + square(self, self->damping, 1, t);
  power->damping += by_v;
  power->load += by_v;
  PetscFunctionReturn(0);
}
