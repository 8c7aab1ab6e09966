/*
  Forces on bodies: springs and dashpots between points, loads.

      spring  f = k (l - l0) + c l'  along the line of its points, l its length       load  f(t) at a point, m(t), in space or turning with the body
*/
#include <string.h>
#include "beams.h"
#include "joints.h"

static const char *const no_length[] = {"on", "force_per_length", "pressure", "traction", "vector", NULL};

static void make_spring(NsMultibody *self, const NsSpringSettings *settings, const char *name)
{
  NsMbSpring *spring = &self->spring[self->springs];
  PetscReal   x[2][3], d[3];

  for (int i = 0; i < 2; i++) {
    const NsPlace place = settings->between.where[i]->place;
    if (!NsMbFindPoint(self, settings->between.items[i], PETSC_TRUE, place, &spring->side[i])) return;
    if (spring->side[i].body == self->bodies && !NsTreeChild(settings->where, "anchor")) {
      NsDiagError(self->diag, place, "spring '%s' to the ground needs an `anchor`, the fixed point in space", name);
      return;
    }
    for (int k = 0; k < 3 && spring->side[i].body == self->bodies; k++) spring->side[i].s[k] = settings->anchor[k];
    NsMbPoint(self, &spring->side[i], x[i]);
  }
  if (settings->law) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "law"), "springs between bodies of `type: body` are linear: remove `law`");
    return;
  }
  if (NsTreeChild(settings->where, "direction")) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "direction"),
      "a spring between bodies of `type: body` acts along the line between its points: remove `direction`");
    return;
  }
  if (spring->side[0].body == spring->side[1].body) {
    NsDiagError(self->diag, settings->between.where[1]->place, "both ends of spring '%s' are on '%s'", name,
      spring->side[0].body < self->bodies ? self->body[spring->side[0].body].name : "ground");
    return;
  }
  for (int k = 0; k < 3; k++) d[k] = x[1][k] - x[0][k];
  spring->stiffness = settings->stiffness;
  spring->damping   = settings->damping;
  spring->length    = NsTreeChild(settings->where, "length") ? settings->length : NsLength(d);
  if (NsLength(d) <= 1e-12 * self->length) {
    NsDiagError(self->diag, settings->where->key_place, "the points of spring '%s' coincide at the start, so its direction is undefined", name);
    return;
  }
  spring->off = NsSwitchesAdd(self->switches, settings->window.from, settings->window.until, "spring", name, settings->where, self->arena);
  self->springs++;
}

static void make_load(NsMultibody *self, const NsLoadSettings *settings, int at)
{
  NsMbLoad *load = &self->load[self->loads];

  if (!NsMbFindPoint(self, settings->at.items[at], PETSC_FALSE, settings->at.where[at]->place, &load->side)) return;
  const NsMbBody *body = &self->body[load->side.body];
  const double   *f = settings->force, *m = settings->moment;
  if (body->planar && (f[2] != 0 || m[0] != 0 || m[1] != 0)) {
    NsDiagError(
      self->diag, settings->where->key_place, "'%s' moves in the plane: a force along z, or a moment about x or y, has no effect on it", body->name);
    return;
  }
  load->follows = settings->rotating;
  load->time    = NsTimeFunctionWindow(settings->time, &settings->window, self->arena);
  for (int k = 0; k < 3; k++) {
    load->force[k]  = f[k];
    load->moment[k] = m[k];
  }
  if (load->follows) {
    NsTurnBack(body->R, f, load->force);
    NsTurnBack(body->R, m, load->moment);
  }
  self->loads++;
}

void NsMbForces(NsMultibody *self)
{
  const NsList           *springs = self->lists.springs, *loads = self->lists.loads;
  const NsSpringSettings *spring = springs->items;
  const NsLoadSettings   *load   = loads->items;
  size_t                  room   = 1;

  self->spring = NsArenaAlloc(self->arena, sizeof(*self->spring) * (size_t)(springs->count + 1));
  for (int i = 0; i < springs->count; i++) make_spring(self, &spring[i], springs->names[i]);
  for (int i = 0; i < loads->count; i++) room += (size_t)load[i].at.count;
  self->load = NsArenaAlloc(self->arena, sizeof(*self->load) * room);
  for (int i = 0; i < loads->count; i++) {
    for (int k = 0; no_length[k]; k++) {
      if (!NsTreeChild(load[i].where, no_length[k])) continue;
      NsDiagError(
        self->diag, NsKeysPlace(load[i].where, no_length[k]), "bodies of `type: body` do not support a force per length: use `at` and `force`");
      break;
    }
    NsSwitchesNote(self->switches, load[i].window.from, load[i].window.until, "load", loads->names[i], load[i].where, self->arena);
    for (int j = 0; j < load[i].at.count; j++) make_load(self, &load[i], j);
  }
  room = (size_t)(self->springs + self->actuators + 6 * self->bushings);
  for (PetscInt i = 0; i < self->beams; i++) room += 6 * (size_t)self->beam[i].elements;
  for (int i = 0; i < 2; i++) self->rate[i] = NsArenaAlloc(self->arena, sizeof(PetscReal) * (room + 1));
}

/* The line of a spring: its ends, the unit vector from the first to the second; its length. */
static PetscReal line_of(const NsMultibody *self, const NsMbSpring *spring, PetscReal x[2][3], PetscReal e[3])
{
  for (int i = 0; i < 2; i++) NsMbPoint(self, &spring->side[i], x[i]);
  for (int k = 0; k < 3; k++) e[k] = x[1][k] - x[0][k];
  const PetscReal length = NsLength(e), scale = length > 0 ? 1 / length : 0;
  for (int k = 0; k < 3; k++) e[k] *= scale;
  return length;
}

static PetscReal rate_of(const NsMultibody *self, const NsMbSpring *spring, PetscReal x[2][3], const PetscReal e[3])
{
  return NsMbPowerOf(self, spring->side[1].body, x[1], e, NULL) - NsMbPowerOf(self, spring->side[0].body, x[0], e, NULL);
}

/* Force and moment of a load in space. */
static void load_now(const NsMultibody *self, const NsMbLoad *load, PetscReal t, PetscReal f[3], PetscReal m[3])
{
  const PetscReal factor = NsTimeFunctionValue(load->time, t);

  if (load->follows) {
    NsTurn(self->frame[load->side.body].R, load->force, f);
    NsTurn(self->frame[load->side.body].R, load->moment, m);
  }
  for (int k = 0; k < 3; k++) {
    f[k] = factor * (load->follows ? f[k] : load->force[k]);
    m[k] = factor * (load->follows ? m[k] : load->moment[k]);
  }
}

static PetscReal pull_of(const NsMultibody *self, const NsMbSpring *spring, PetscReal x[2][3], PetscReal e[3])
{
  const PetscReal length = line_of(self, spring, x, e);

  return spring->stiffness * (length - spring->length) + (spring->damping > 0 ? spring->damping * rate_of(self, spring, x, e) : 0);
}

PetscReal NsMbSpringForce(const NsMultibody *self, const NsMbSpring *spring, PetscBool length)
{
  PetscReal x[2][3], e[3];

  if (length) return line_of(self, spring, x, e);
  return NsIsOff(spring->off) ? 0 : pull_of(self, spring, x, e);
}

/* Of a row whose forces and moments are `w`. */
static PetscReal passive_of(const NsMultibody *self, const NsMbActuator *actuator, const NsMbWrench *w)
{
  return -actuator->stiffness * (w->g - actuator->rest) - (actuator->damping > 0 ? actuator->damping * NsMbWrenchRate(self, w) : 0);
}

PetscReal NsMbActuatorForce(const NsMultibody *self, const NsMbActuator *actuator, PetscReal t, const PetscReal *q)
{
  NsMbWrench w;

  NsMbRowAt(self, &actuator->row, t, q, NS_WANT_ROW, &w);
  return passive_of(self, actuator, &w);
}

void NsMbForce(NsMultibody *self, PetscReal t, const PetscReal *q, const PetscReal *v, PetscReal *h)
{
  NsMbFrames(self, q, v);
  for (PetscInt i = self->body_unknowns; i < self->unknowns; i++) h[i] = 0;
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    PetscReal      *hb   = h + body->first;
    for (int k = 0; k < (body->planar ? 2 : 3); k++) hb[k] = body->mass * self->config->gravity[k];
    if (body->planar) {
      hb[2] = 0;
      continue;
    }
    const PetscReal *w = v + body->first + 4, *J = body->inertia;
    hb[3] = 0;
    for (int k = 0; k < 3; k++) hb[4 + k] = (J[(k + 1) % 3] - J[(k + 2) % 3]) * w[(k + 1) % 3] * w[(k + 2) % 3]; /* -w x I w */
  }
  for (PetscInt i = 0; i < self->springs; i++) {
    const NsMbSpring *spring = &self->spring[i];
    PetscReal         x[2][3], e[3], f[2][3];
    if (NsIsOff(spring->off)) continue;
    const PetscReal pull = pull_of(self, spring, x, e);
    for (int k = 0; k < 3; k++) {
      f[0][k] = pull * e[k];
      f[1][k] = -pull * e[k];
    }
    for (int k = 0; k < 2; k++) NsMbPush(self, spring->side[k].body, x[k], f[k], NULL, h);
  }
  for (PetscInt i = 0; i < self->actuators; i++) {
    const NsMbActuator *actuator = &self->actuator[i];
    NsMbWrench          w;
    NsMbRowAt(self, &actuator->row, t, q, NS_WANT_ROW, &w);
    NsMbApply(self, &w, actuator->push * NsTimeFunctionValue(actuator->time, t) + passive_of(self, actuator, &w), h);
  }
  for (PetscInt i = 0; i < self->bushings; i++) NsMbBushingForce(self, &self->bushing[i], h);
  for (PetscInt i = 0; i < self->beams; i++) NsMbBeamForce(self, &self->beam[i], h);
  for (PetscInt i = 0; i < self->loads; i++) {
    const NsMbLoad *load = &self->load[i];
    PetscReal       x[3], f[3], m[3];
    load_now(self, load, t, f, m);
    NsMbPoint(self, &load->side, x);
    NsMbPush(self, load->side.body, x, f, m, h);
  }
}

/* Rates of springs, actuators, bushings and elastic rods by the frames with velocities, one behind the other. */
static void find_rates(const NsMultibody *self, PetscReal t, const PetscReal *q, PetscReal *rate)
{
  PetscReal  x[2][3], e[3];
  NsMbWrench wrench;

  for (PetscInt i = 0; i < self->springs; i++) {
    const NsMbSpring *spring = &self->spring[i];
    if (spring->damping > 0 && !NsIsOff(spring->off)) {
      (void)line_of(self, spring, x, e);
      *rate = rate_of(self, spring, x, e);
    }
    rate++;
  }
  for (PetscInt i = 0; i < self->actuators; i++) {
    NsMbRowAt(self, &self->actuator[i].row, t, q, NS_WANT_ROW, &wrench);
    *rate++ = NsMbWrenchRate(self, &wrench);
  }
  for (PetscInt i = 0; i < self->bushings; i++, rate += 6) NsMbBushingRates(self, &self->bushing[i], rate);
  for (PetscInt i = 0; i < self->beams; rate += 6 * self->beam[i++].elements) NsMbBeamRates(self, &self->beam[i], rate);
}

void NsMbPower(NsMultibody *self, PetscReal t, const PetscReal *q, const PetscReal *v, const PetscReal *w, NsPower *power)
{
  const PetscReal *at_v = self->rate[0], *at_w = self->rate[1];
  PetscReal        x[3], f[3], m[3];

  NsMbFrames(self, q, v);
  find_rates(self, t, q, self->rate[0]);
  NsMbFrames(self, q, w);
  find_rates(self, t, q, self->rate[1]);
  for (PetscInt i = 0; i < self->springs; i++, at_v++, at_w++) {
    const NsMbSpring *spring = &self->spring[i];
    if (spring->damping > 0 && !NsIsOff(spring->off)) power->damping += spring->damping * *at_v * *at_w;
  }
  for (PetscInt i = 0; i < self->actuators; i++, at_v++, at_w++) {
    const NsMbActuator *actuator = &self->actuator[i];
    power->damping += actuator->damping * *at_v * *at_w;
    power->load += actuator->push * NsTimeFunctionValue(actuator->time, t) * *at_w;
  }
  for (PetscInt i = 0; i < self->bushings; i++, at_v += 6, at_w += 6) power->damping += NsMbBushingDamping(&self->bushing[i], at_v, at_w);
  for (PetscInt i = 0; i < self->beams; i++) {
    power->damping += NsMbBeamDamping(&self->beam[i], at_v, at_w);
    at_v += 6 * self->beam[i].elements;
    at_w += 6 * self->beam[i].elements;
  }
  for (PetscInt i = 0; i < self->loads; i++) {
    load_now(self, &self->load[i], t, f, m);
    NsMbPoint(self, &self->load[i].side, x);
    power->load += NsMbPowerOf(self, self->load[i].side.body, x, f, m);
  }
}

PetscReal NsMbElastic(NsMultibody *self, const PetscReal *q)
{
  PetscReal  energy = 0, x[2][3], e[3];
  NsMbWrench w;

  for (PetscInt i = 0; i < self->actuators; i++) {
    if (self->actuator[i].stiffness == 0) continue;
    NsMbRowAt(self, &self->actuator[i].row, 0, q, NS_WANT_ROW, &w);
    energy += self->actuator[i].stiffness / 2 * PetscSqr(w.g - self->actuator[i].rest);
  }
  for (PetscInt i = 0; i < self->bushings; i++) energy += NsMbBushingElastic(self, &self->bushing[i]);
  for (PetscInt i = 0; i < self->beams; i++) energy += NsMbBeamElastic(self, &self->beam[i]);
  for (PetscInt i = 0; i < self->springs; i++) {
    if (NsIsOff(self->spring[i].off)) continue;
    energy += self->spring[i].stiffness / 2 * PetscSqr(line_of(self, &self->spring[i], x, e) - self->spring[i].length);
  }
  return energy;
}

PetscBool NsMbDamps(const NsMultibody *self)
{
  for (PetscInt i = 0; i < self->springs; i++) {
    if (self->spring[i].damping > 0) return PETSC_TRUE;
  }
  for (PetscInt i = 0; i < self->actuators; i++) {
    if (self->actuator[i].damping > 0) return PETSC_TRUE;
  }
  for (PetscInt i = 0; i < self->bushings; i++) {
    if (NsMbBushingDamps(&self->bushing[i])) return PETSC_TRUE;
  }
  for (PetscInt i = 0; i < self->beams; i++) {
    if (self->beam[i].damping > 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool NsMbLoads(const NsMultibody *self)
{
  for (PetscInt i = 0; i < self->actuators; i++) {
    if (self->actuator[i].push != 0) return PETSC_TRUE;
  }
  return self->loads > 0;
}
