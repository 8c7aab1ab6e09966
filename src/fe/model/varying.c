/*
  Force elements that are computed in every step: f_t of src/fe/forces/force.h, nonlinear, or of a bearing over a speed that changes.
*/
#include <math.h>
#include <stdio.h>
#include "fe.h"
#include "fe/forces/laws/law.h"

static void make_varying(NsFe *fe, const NsForceElement *force, NsFeVarying *self)
{
  const int side = force->end[0].body == force->rotor ? 0 : 1;
  PetscReal row[NS_FORCE_UNKNOWNS][6];

  self->element = force;
  self->entries = NsFeForceRows(fe, force, self->unknown, row);
  for (PetscInt i = 0; i < self->entries; i++) {
    PetscReal component[6];
    self->components = NsFeForceComponents(force, row[i], component);
    for (PetscInt c = 0; c < self->components; c++) self->row[c][i] = component[c];
  }
  if (force->rotor >= 0) NsFeMakeTwist(fe, &force->end[side], &self->twist);
}

static PetscBool varies(const NsFe *fe, const NsForceElement *force)
{
  return NsFeForceLaw(force) || NsFeForceFollowsSpin(fe, force);
}

static PetscReal room_of(const NsForceElement *force)
{
  return force->type->room ? force->type->room(force) : 0;
}

void NsFeVaryingCreate(NsFe *fe)
{
  NsFeForces *forces = &fe->forces;
  size_t      count = 1, watches = 1;

  for (PetscInt s = 0; s < fe->force_elements; s++) {
    count += varies(fe, &fe->force[s]) ? 1 : 0;
    watches += room_of(&fe->force[s]) > 0 ? 1 : 0;
  }
  forces->varying = NsArenaAlloc(fe->arena, sizeof(*forces->varying) * count);
  forces->watch   = NsArenaAlloc(fe->arena, sizeof(*forces->watch) * watches);
  for (PetscInt s = 0; s < fe->force_elements; s++) {
    if (varies(fe, &fe->force[s])) make_varying(fe, &fe->force[s], &forces->varying[forces->varyings++]);
    if (room_of(&fe->force[s]) > 0) make_varying(fe, &fe->force[s], &forces->watch[forces->watches++]);
  }
}

static PetscReal along(const NsFeVarying *self, PetscInt component, const PetscScalar *x)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < self->entries; i++) sum += self->row[component][i] * x[self->unknown[i]];
  return sum;
}

/* Room for the motion over the components. */
typedef struct {
  NsForceMotion motion;
  PetscReal     r[6], v[6];
} Motion;

static const NsForceMotion *motion_of(const NsFeVarying *self, PetscReal t, const PetscScalar *q, const PetscScalar *v, Motion *at)
{
  for (PetscInt c = 0; c < self->components; c++) {
    at->r[c] = along(self, c, q);
    at->v[c] = v ? along(self, c, v) : 0;
  }
  at->motion = (NsForceMotion){.r = at->r, .v = at->v};
  if (self->twist.spin && v) at->motion.spin = NsFeTwistRate(&self->twist, t, v);
  if (self->twist.spin) at->motion.angle = NsFeTwistAngle(&self->twist, t, q);
  return &at->motion;
}

void NsFeVaryingForce(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h)
{
  for (PetscInt k = 0; k < forces->varyings; k++) {
    const NsFeVarying *self = &forces->varying[k];
    PetscReal          spring[6], damper[6];
    Motion             at;
    NsFeForceNow(self->element, motion_of(self, t, q, v, &at), spring, damper);
    for (PetscInt i = 0; i < self->entries; i++) {
      for (PetscInt c = 0; c < self->components; c++) h[self->unknown[i]] += self->row[c][i] * (spring[c] + damper[c]);
    }
  }
}

/* The law if its springs have a potential energy, else NULL. */
static const NsForceLawUse *storing(const NsFeVarying *self)
{
  const NsForceLawUse *use = NsFeForceLaw(self->element);

  return use && use->law->stored ? use : NULL;
}

void NsFeVaryingPower(
  const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w, NsFePower *load, NsFePower *damping)
{
  for (PetscInt k = 0; k < forces->varyings; k++) {
    const NsFeVarying   *self   = &forces->varying[k];
    const NsForceLawUse *stores = storing(self);
    PetscReal            spring[6], damper[6];
    Motion               at;
    if (!self->counts) continue;
    const NsForceMotion *motion = motion_of(self, t, q, v, &at);
    NsFeForceNow(self->element, motion, spring, damper);
    for (PetscInt c = 0; c < self->components; c++) {
      const PetscReal rate = along(self, c, w);
      if (!stores) NsFeAddPower(load, spring[c] * rate);
      NsFeAddPower(damping, -damper[c] * rate);
    }
    if (stores && stores->law->driven) NsFeAddPower(load, stores->law->driven(stores->data, motion));
  }
}

PetscReal NsFeVaryingEnergy(const NsFeVarying *self, PetscReal t, const PetscScalar *q)
{
  const NsForceLawUse *stores = storing(self);
  Motion               at;

  return stores ? stores->law->stored(stores->data, motion_of(self, t, q, NULL, &at)) : 0;
}

void NsFeVaryingTangent(const NsFeVarying *self, PetscReal t, const PetscScalar *q, const PetscScalar *v, NsOperator op, PetscReal *S)
{
  PetscReal damping[36];
  Motion    at;

  NsFeForceSlopes(self->element, motion_of(self, t, q, v, &at), S, damping);
  for (PetscInt i = 0; i < self->components * self->components; i++) S[i] = op.stiffness * S[i] + op.damping * damping[i];
}

/* The motion of a force element over the largest that its law is meant for; 0: there is none. steps: the critical time step counts, too. */
static PetscReal part_used(const NsFeVarying *self, PetscBool steps, PetscReal t, const PetscScalar *q, const PetscScalar *v)
{
  const NsForceLawUse *use = NsFeForceLaw(self->element);
  Motion               at;

  if (!self->counts || !use || !use->law->used || !(steps || use->law->extrapolates)) return 0;
  return use->law->used(use->data, motion_of(self, t, q, v, &at));
}

static PetscReal room_taken(const NsFeVarying *self, const PetscScalar *q)
{
  return self->counts ? hypot(along(self, 0, q), along(self, 1, q)) / room_of(self->element) : 0;
}

PetscErrorCode NsFeOutgrown(NsModel *model, PetscBool steps, PetscReal t, Vec q, Vec v, NsBound *used)
{
  const NsFe *fe     = model->data;
  NsLayout   *layout = model->layout;
  PetscReal  *aq = NsVecArray(q), *av = NsVecArray(v), first = -PETSC_MAX_REAL;
  PetscInt    most = -1; /* force element */

  PetscFunctionBegin;
  *used = (NsBound){0, ""};
  if (!(fe->forces.varyings + fe->forces.watches)) PetscFunctionReturn(0);
  PetscCall(NsLayoutExchange(layout, 1, &aq));
  PetscCall(NsLayoutExchange(layout, 1, &av));
  for (PetscInt k = 0; k < fe->here.varyings + fe->here.watches; k++) {
    const PetscBool    watch = k >= fe->here.varyings;
    const NsFeVarying *self  = watch ? &fe->here.watch[k - fe->here.varyings] : &fe->here.varying[k];
    const PetscReal    part  = watch ? room_taken(self, aq) : part_used(self, steps, t, aq, av);
    if (!(part > used->value)) continue;
    used->value = part;
    most        = (PetscInt)(self->element - fe->force);
  }
  const PetscReal own = used->value;
  PetscCall(NsLayoutMax(layout, &used->value));
  if (most >= 0 && own == used->value) first = -(PetscReal)most;
  PetscCall(NsLayoutMax(layout, &first)); /* the first of equal ones */
  if (first == -PETSC_MAX_REAL) PetscFunctionReturn(0);
  const NsForceElement *force = &fe->force[(PetscInt)-first];
  (void)snprintf(used->where, sizeof(used->where), "%s '%s' (its key `%s`)", force->type->kind, force->name,
    NsFeForceLaw(force) ? NsFeForceLaw(force)->law->ends_with : "clearance");
  PetscFunctionReturn(0);
}
