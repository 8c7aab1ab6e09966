/*
  Energies of the parts of a multibody system: bodies have their kinetic energy and the potential energy of their weight; springs, bushings and the springs of joints, with their dampers, have the rest.

  Each spring is evaluated alone, by the functions that otherwise add up all of them.
*/
#include "shares.h"
#include "beams.h"
#include "joints.h"

struct NsMbShares {
  PetscInt owners;
  NsOwner *owner;
};

/* The system with the next spring, actuator or bushing alone; false: there are no more. Actuators without spring and damper are left out. */
static PetscBool take_one(const NsMultibody *self, PetscInt *next, NsMultibody *one)
{
  *one         = *self;
  one->springs = one->actuators = one->bushings = one->loads = one->beams = 0;
  while (PETSC_TRUE) {
    const PetscInt i = (*next)++, a = i - self->springs, b = a - self->actuators;
    if (i < self->springs) {
      one->springs = 1;
      one->spring  = &self->spring[i];
      return PETSC_TRUE;
    }
    if (a < self->actuators) {
      if (self->actuator[a].stiffness == 0 && self->actuator[a].damping == 0) continue;
      one->actuators = 1;
      one->actuator  = &self->actuator[a];
      return PETSC_TRUE;
    }
    if (b >= self->bushings) return PETSC_FALSE;
    one->bushings = 1;
    one->bushing  = &self->bushing[b];
    return PETSC_TRUE;
  }
}

static const char *name_of(const NsMultibody *self, const NsMultibody *one)
{
  if (one->springs) return NsArenaPrint(self->arena, "springs.%s", self->lists.springs->names[one->spring - self->spring]);
  return NsArenaPrint(self->arena, "joints.%s", one->actuators ? one->actuator->row.joint->name : one->bushing->joint->name);
}

PetscErrorCode NsMbOwners(NsModel *model, PetscInt *count, const NsOwner **owner)
{
  NsMultibody *self = model->data, one;
  NsMbShares  *list = self->shares;

  PetscFunctionBegin;
  if (!list) {
    list = self->shares = NsArenaAlloc(self->arena, sizeof(*list));
    list->owner = NsArenaAlloc(self->arena, sizeof(*list->owner) * (size_t)(self->bodies + self->springs + self->actuators + self->bushings + 1));
    for (int b = 0; b < self->config->bodies.count; b++) list->owner[list->owners++] = (NsOwner){self->config->bodies.names[b], PETSC_TRUE};
    for (PetscInt next = 0; take_one(self, &next, &one);) list->owner[list->owners++] = (NsOwner){name_of(self, &one), PETSC_FALSE};
  }
  *count = list->owners;
  *owner = list->owner;
  PetscFunctionReturn(0);
}

PetscErrorCode NsMbShareEnergies(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share)
{
  NsMultibody     *self = model->data, one;
  const PetscReal *aq = NsVecRead(q), *av = NsVecRead(v);

  PetscFunctionBegin;
  NsMbFrames(self, aq, av);
  for (int b = 0; b < self->config->bodies.count; b++) share[b] = (NsShare){0};
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    NsShare        *own  = &share[body->owner];
    own->potential -= body->mass * NsDot(self->config->gravity, self->frame[b].x);
    for (PetscInt i = body->first; i < body->first + body->unknowns; i++) own->kinetic += self->M[i] * av[i] * av[i] / 2;
  }
  for (PetscInt i = 0; i < self->beams; i++) {
    const NsMbBeam *beam = &self->beam[i];
    NsShare        *own  = &share[self->body[beam->first].owner];
    own->elastic         = NsMbBeamElastic(self, beam);
    NsMbBeamRates(self, beam, self->rate[0]);
    own->damping = NsMbBeamDamping(beam, self->rate[0], self->rate[0]);
  }
  for (int b = 0; b < self->config->bodies.count; b++) share[b].potential += 0.0; /* no -0 in tables */
  share += self->config->bodies.count;
  for (PetscInt next = 0; take_one(self, &next, &one); share++) {
    NsPower power = {0, 0};
    *share        = (NsShare){0};
    NsMbPower(&one, t, aq, av, av, &power);
    share->damping = power.damping;
    self->moves    = one.moves; /* its frames are those of the system */
    if (powers_only) continue;
    NsMbFrames(self, aq, av);
    share->elastic = NsMbElastic(&one, aq);
  }
  PetscFunctionReturn(0);
}
