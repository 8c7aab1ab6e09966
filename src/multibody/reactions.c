/*
  Probes of springs, bushings and the springs of joints: functions of q and v of two bodies, which a law of the probe's columns computes from them.

      springs.NAME   length, force (tension is positive), energy
      joints.NAME    of a bushing: force and moment on the second body at its point, in space, and energy; of a hinge or slider with a spring or damper: its moment or force, and energy
*/
#include <string.h>
#include "joints.h"
#include "reactions.h"

typedef struct {
  NsMultibody        *self; /* a copy with this spring, actuator or bushing alone, and with frames of its own */
  const NsMbBushing  *bushing;
  const NsMbActuator *actuator;
  const NsMbSpring   *spring;
  int                 quantity;
  PetscInt            bodies, body[2], turn; /* those that matter; the unknown that is the angle, -1: none */
  PetscReal          *q, *v;
} Reaction;

enum { LENGTH, FORCE, ENERGY, WRENCH };

/* x: q of the bodies, the angle, v of the bodies. */
static PetscReal value_of(const void *data, PetscReal t, const PetscReal *x)
{
  const Reaction *r    = data;
  NsMultibody    *self = r->self;
  PetscReal       power[2][3];

  for (int rate = 0; rate < 2; rate++) {
    for (PetscInt b = 0; b < r->bodies; b++) {
      const NsMbBody *body = &self->body[r->body[b]];
      memcpy((rate ? r->v : r->q) + body->first, x, sizeof(*x) * (size_t)body->unknowns);
      x += body->unknowns;
    }
    if (!rate && r->turn >= 0) r->q[r->turn] = *x++;
  }
  NsMbFrames(self, r->q, r->v);
  if (r->quantity == ENERGY) return NsMbElastic(self, r->q);
  if (r->quantity >= WRENCH) {
    NsMbBushingWrench(self, r->bushing, power[0], power[1]);
    return power[(r->quantity - WRENCH) / 3][(r->quantity - WRENCH) % 3];
  }
  if (r->actuator) return NsMbActuatorForce(self, r->actuator, t, r->q);
  return NsMbSpringForce(self, r->spring, r->quantity == LENGTH);
}

static void add_column(const Reaction *from, const char *suffix, int quantity, NsProbe *probe)
{
  NsMultibody   *self   = from->self;
  NsProbeColumn *column = &probe->column[probe->columns++];
  Reaction      *own    = NsArenaAlloc(self->arena, sizeof(*own));
  NsProbeLaw    *law    = NsArenaAlloc(self->arena, sizeof(*law));

  *own          = *from;
  own->quantity = quantity;
  *law          = (NsProbeLaw){.value = value_of, .data = own};
  for (PetscInt b = 0; b < own->bodies; b++) law->inputs += 2 * self->body[own->body[b]].unknowns;
  law->inputs += own->turn >= 0;
  law->input = NsArenaAlloc(self->arena, sizeof(*law->input) * (size_t)law->inputs);
  PetscInt i = 0;
  for (int rate = 0; rate < 2; rate++) {
    for (PetscInt b = 0; b < own->bodies; b++) {
      const NsMbBody *body = &self->body[own->body[b]];
      for (PetscInt k = 0; k < body->unknowns; k++) {
        law->input[i] = (NsProbeColumn){.of_velocity = rate == 1};
        NsProbeAdd(&law->input[i++], self->arena, body->first + k, 1);
      }
    }
    if (rate || own->turn < 0) continue;
    law->input[i] = (NsProbeColumn){0};
    NsProbeAdd(&law->input[i++], self->arena, own->turn, 1);
  }
  *column = (NsProbeColumn){.suffix = suffix, .law = law};
}

/* The system with nothing else, with frames and points of its own. */
static void set_bodies(NsMultibody *self, const NsSide side[2], Reaction *r)
{
  const size_t n   = (size_t)self->unknowns;
  NsMultibody *own = NsArenaAlloc(self->arena, sizeof(*own));

  *own           = *self;
  own->springs   = r->spring != NULL;
  own->bushings  = r->bushing != NULL;
  own->actuators = r->actuator != NULL;
  own->beams = own->loads = 0;
  if (r->spring) own->spring = &self->spring[r->spring - self->spring];
  if (r->bushing) own->bushing = &self->bushing[r->bushing - self->bushing];
  if (r->actuator) own->actuator = &self->actuator[r->actuator - self->actuator];
  own->moves  = 0;
  own->frame  = NsArenaAlloc(self->arena, sizeof(*own->frame) * (size_t)(self->bodies + 1));
  own->seen   = NsArenaAlloc(self->arena, sizeof(*own->seen) * n);
  own->points = NsArenaAlloc(self->arena, sizeof(*own->points) * (size_t)(self->joints + self->holds + 1));
  memcpy(own->frame, self->frame, sizeof(*own->frame) * (size_t)(self->bodies + 1));
  r->self = own;
  r->q    = NsArenaAlloc(self->arena, sizeof(*r->q) * n);
  r->v    = NsArenaAlloc(self->arena, sizeof(*r->v) * n);
  memcpy(r->q, self->start_q, sizeof(*r->q) * n);
  for (int i = 0; i < 2; i++) {
    if (side[i].body < self->bodies && !(r->bodies && r->body[0] == side[i].body)) r->body[r->bodies++] = side[i].body;
  }
}

static void spring_probe(NsMultibody *self, const NsMbSpring *spring, NsProbe *probe)
{
  Reaction r = {.spring = spring, .turn = -1};

  set_bodies(self, spring->side, &r);
  add_column(&r, "length", LENGTH, probe);
  add_column(&r, "force", FORCE, probe);
  add_column(&r, "energy", ENERGY, probe);
}

static void bushing_probe(NsMultibody *self, const NsMbBushing *bushing, NsProbe *probe)
{
  static const char *const suffix[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  Reaction                 r        = {.bushing = bushing, .turn = -1};

  set_bodies(self, bushing->joint->side, &r);
  for (int k = 0; k < 6; k++) {
    if (self->body[0].planar && k >= 2 && k < 5) continue;
    add_column(&r, suffix[k], WRENCH + k, probe);
  }
  add_column(&r, "energy", ENERGY, probe);
}

static void actuator_probe(NsMultibody *self, const NsMbActuator *actuator, NsProbe *probe)
{
  const NsMbJoint *joint = actuator->row.joint;
  Reaction         r     = {.actuator = actuator, .turn = joint->turn};

  set_bodies(self, joint->side, &r);
  add_column(&r, joint->turns ? "moment" : "force", FORCE, probe);
  add_column(&r, "energy", ENERGY, probe);
}

PetscBool NsMbReactionProbe(NsMultibody *self, const char *name, NsProbe *probe, char *why, size_t size)
{
  const PetscBool spring = !strncmp(name, "springs.", 8), joint = !strncmp(name, "joints.", 7);
  const char     *word = strchr(name, '.') + 1;

  if (!spring && !joint) return PETSC_FALSE;
  for (PetscInt i = 0; i < self->springs && spring; i++) {
    if (!strcmp(self->lists.springs->names[i], word)) spring_probe(self, &self->spring[i], probe);
  }
  for (PetscInt i = 0; i < self->bushings && joint; i++) {
    if (!strcmp(self->bushing[i].joint->name, word)) bushing_probe(self, &self->bushing[i], probe);
  }
  for (PetscInt i = 0; i < self->actuators && joint && !probe->columns; i++) {
    const NsMbActuator *actuator = &self->actuator[i];
    if (!strcmp(actuator->row.joint->name, word) && (actuator->stiffness > 0 || actuator->damping > 0)) actuator_probe(self, actuator, probe);
  }
  if (probe->columns) return PETSC_TRUE;
  for (PetscInt j = 0; j < self->joints && joint; j++) {
    if (strcmp(self->joint[j].name, word)) continue;
    (void)snprintf(why, size, "joint '%s' has no spring or damper; its reactions are in contacts.csv", word);
    return PETSC_TRUE;
  }
  (void)snprintf(why, size, "there is no %s '%s'%s", spring ? "spring" : "joint", word,
    NsDidYouMean(NsNearestWord(word, spring ? self->lists.springs->names : self->config->joints.names)));
  return PETSC_TRUE;
}
