/*
  A force element that acts for a part of the run: the keys `from` and `until` of any type that names them (NsForceType.window).

  It replaces the element and contains it (`within`). Its matrices are zero; all of the force, of the matrices and of a law, is computed in every step over all six components of r, as one
  nonlinear law that vanishes while the element is switched off (percuss/switches.h):

      f_t = -K r - C r' - D' F(D r, D r')        D: the components of the law within

  So no matrix changes when it is switched. Explicit schemes add it, implicit ones solve with its tangents (low_rank.h), and `modes` has it as it is at t = 0. Where all of its springs have a potential,
  what it stores counts as elastic energy, which a switch releases; else the work of its springs is that of loads.
*/
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"

typedef struct {
  NsForceElement   within;
  const PetscBool *off;
  PetscReal        K[36], C[36], steepest[2][36];
} Data;

typedef struct {
  NsForceLaw    law;
  Data          data;
  NsForceLawUse use;
} Switched;

/* y += X x */
static void add_product(const PetscReal X[36], const PetscReal *x, PetscReal *y)
{
  for (int i = 0; i < 36; i++) y[i / 6] += X[i] * x[i % 6];
}

/* The motion over the components of the law within; how many there are, 0 without a law. */
static PetscInt inside(const Data *data, const NsForceMotion *at, PetscReal direction[6][6], PetscReal r[6], PetscReal v[6], NsForceMotion *motion)
{
  if (!NsFeForceLaw(&data->within)) return 0;
  const PetscInt n = data->within.type->components(&data->within, direction);

  (void)NsFeForceComponents(&data->within, at->r, r);
  (void)NsFeForceComponents(&data->within, at->v, v);
  *motion = (NsForceMotion){.r = r, .v = v, .spin = at->spin, .angle = at->angle};
  return n;
}

static void force(const void *self, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Data   *data = self;
  PetscReal     direction[6][6], r[6], v[6], own[2][6];
  NsForceMotion motion;

  NsForceLawZero(6, spring);
  NsForceLawZero(6, damper);
  if (*data->off) return;
  const PetscInt n = inside(data, at, direction, r, v, &motion);
  if (n) NsFeForceNow(&data->within, &motion, own[0], own[1]);
  for (int i = 0; i < 36; i++) {
    spring[i / 6] -= data->K[i] * at->r[i % 6];
    damper[i / 6] -= data->C[i] * at->v[i % 6];
  }
  for (PetscInt c = 0; c < n; c++) {
    for (int k = 0; k < 6; k++) {
      spring[k] += direction[c][k] * own[0][c];
      damper[k] += direction[c][k] * own[1][c];
    }
  }
}

static void slopes(const void *self, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Data   *data = self;
  PetscReal     direction[6][6], r[6], v[6], own[2][36];
  NsForceMotion motion;

  NsForceLawZero(36, stiffness);
  NsForceLawZero(36, damping);
  if (*data->off) return;
  const PetscInt n = inside(data, at, direction, r, v, &motion);
  if (n) NsFeForceSlopes(&data->within, &motion, own[0], own[1]);
  for (int i = 0; i < 36; i++) {
    stiffness[i] = data->K[i];
    damping[i]   = data->C[i];
    for (PetscInt c = 0; c < n * n; c++) {
      const PetscReal both = direction[c / n][i / 6] * direction[c % n][i % 6];
      stiffness[i] += both * own[0][c];
      damping[i] += both * own[1][c];
    }
  }
}

static PetscReal stored(const void *self, const NsForceMotion *at)
{
  const Data          *data = self;
  const NsForceLawUse *use  = NsFeForceLaw(&data->within);
  PetscReal            direction[6][6], r[6], v[6], pull[6] = {0}, energy = 0;
  NsForceMotion        motion;

  if (*data->off) return 0;
  add_product(data->K, at->r, pull);
  for (int k = 0; k < 6; k++) energy += at->r[k] * pull[k] / 2;
  if (inside(data, at, direction, r, v, &motion)) energy += use->law->stored(use->data, &motion);
  return energy;
}

static PetscReal driven(const void *self, const NsForceMotion *at)
{
  const Data          *data = self;
  const NsForceLawUse *use  = NsFeForceLaw(&data->within);
  PetscReal            direction[6][6], r[6], v[6];
  NsForceMotion        motion;

  if (*data->off || !inside(data, at, direction, r, v, &motion)) return 0;
  return use->law->driven(use->data, &motion);
}

static PetscReal used(const void *self, const NsForceMotion *at)
{
  const Data          *data = self;
  const NsForceLawUse *use  = NsFeForceLaw(&data->within);
  PetscReal            direction[6][6], r[6], v[6];
  NsForceMotion        motion;

  if (*data->off || !inside(data, at, direction, r, v, &motion)) return 0;
  return use->law->used(use->data, &motion);
}

/* Also while it is switched off, so that the critical time step does not change. */
static void steepest(const void *self, PetscReal *stiffness, PetscReal *damping)
{
  const Data *data = self;

  for (int i = 0; i < 36; i++) {
    stiffness[i] = data->steepest[0][i];
    damping[i]   = data->steepest[1][i];
  }
}

static void tangents(const NsForceElement *self, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  (void)self;
  (void)spin;
  NsForceLawZero(36, K);
  NsForceLawZero(36, C);
}

static PetscInt components(const NsForceElement *self, PetscReal direction[6][6])
{
  (void)self;
  for (int i = 0; i < 36; i++) direction[i / 6][i % 6] = i / 6 == i % 6;
  return 6;
}

static const NsForceLawUse *law_of(const NsForceElement *self)
{
  return &((const Switched *)self->data)->use;
}

PetscBool NsFeForceIsSwitchedLinear(const NsForceElement *force)
{
  return force->type->law == law_of && !NsFeForceLaw(&((const Switched *)force->data)->data.within);
}

PetscBool NsFeForceSwitch(NsFe *fe, const NsWindow *window, NsForceElement *element)
{
  const NsForceLawUse *use  = NsFeForceLaw(element);
  Switched            *self = NsArenaAlloc(fe->arena, sizeof(*self));
  NsForceType         *type = NsArenaAlloc(fe->arena, sizeof(*type));
  Data                *data = &self->data;
  PetscReal            spin;

  if (element->type->speed && element->type->speed(element, 0, &spin)) {
    NsDiagError(fe->diag, NsKeysPlace(element->where, window->from > 0 ? "from" : "until"),
      "a %s whose coefficients depend on the speed acts from the start to the end", element->type->kind);
    return PETSC_FALSE;
  }
  data->within = *element;
  data->off    = NsSwitchesAdd(fe->switches, window->from, window->until, element->type->kind, element->name, element->where, fe->arena);
  NsFeForceTangents(fe, element, NULL, data->K, data->C);
  NsFeForceSteepest(fe, element, NULL, data->steepest[0], data->steepest[1]);
  const PetscBool stores = !NsFeForceCirculates(fe, element, NULL) && (!use || use->law->stored);
  self->law              = (NsForceLaw){.size = sizeof(*data),
                 .force                       = force,
                 .slopes                      = slopes,
                 .stored                      = stores ? stored : NULL,
                 .driven                      = stores && use && use->law->driven ? driven : NULL,
                 .steepest                    = steepest,
                 .used                        = use && use->law->used ? used : NULL,
                 .ends_with                   = use ? use->law->ends_with : NULL,
                 .extrapolates                = use ? use->law->extrapolates : PETSC_FALSE};
  self->use              = (NsForceLawUse){&self->law, data};
  *type                  = (NsForceType){.kind = element->type->kind, .tangents = tangents, .components = components, .law = law_of};
  element->type          = type;
  element->data          = self;
  return PETSC_TRUE;
}
