/*
  Rotating internal damping of a shaft: the viscosity of its material, and of fits along it, resists the rate of deformation that an observer on the shaft sees. For an element with the
  stiffness K and the damping beta K,

      f = -beta K (r' - Omega e x r),   e x r = (e x u, e x theta)

  with r the motion of its second node relative to the rigid motion of the first, and K the part of the second node. So it is a force element between the two nodes, with an arm from the
  first to the second. The circulatory part, beta Omega K e x r, drives forward whirl: where other damping does not stop it, a mode of the frequency w becomes unstable at Omega > w
  (A. L. Kimball, Gen. Electr. Rev. 27, 1924; F. M. Dimentberg, Flexural vibrations of rotating shafts, 1961). Its work is supplied by the drive and booked as load.
*/
#include "force.h"
#include "fe/model/fe.h"

typedef struct {
  PetscReal damping[36], circulation[36]; /* beta K; and -beta K (e x), which times the spin is a stiffness */
  PetscReal highest;                      /* speed, rad/s */
} Internal;

static void tangents(const NsForceElement *force, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  const Internal *self = force->data;

  for (int i = 0; i < 36; i++) {
    K[i] = spin ? *spin * self->circulation[i] : 0;
    C[i] = self->damping[i];
  }
}

static PetscBool speed(const NsForceElement *force, PetscInt i, PetscReal *spin)
{
  const Internal *self = force->data;

  *spin = (i ? 1 : -1) * self->highest;
  return i < 2;
}

static PetscInt components(const NsForceElement *force, PetscReal direction[6][6])
{
  (void)force;
  for (int i = 0; i < 36; i++) direction[i / 6][i % 6] = i / 6 == i % 6;
  return 6;
}

static void internal_force(const NsForceElement *force, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Internal *self = force->data;

  for (int i = 0; i < 6; i++) {
    spring[i] = damper[i] = 0;
    for (int j = 0; j < 6; j++) spring[i] -= at->spin * self->circulation[6 * i + j] * at->r[j];
  }
}

static void slopes(const NsForceElement *force, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Internal *self = force->data;

  for (int i = 0; i < 36; i++) {
    stiffness[i] = at->spin * self->circulation[i];
    damping[i]   = 0;
  }
}

static const NsForceType internal = {
  .kind       = "rotating damping of",
  .size       = sizeof(Internal),
  .tangents   = tangents,
  .speed      = speed,
  .components = components,
  .force      = internal_force,
  .slopes     = slopes,
};

/* K over displacements and rotations of the second node, in space. */
static void stiffness_of(const NsFeBody *body, const NsFeElement *element, PetscReal K[36])
{
  const PetscInt d = body->node_unknowns, n = 2 * d;
  PetscReal      own[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

  body->element->stiffness(body, element, own);
  for (int i = 0; i < 36; i++) {
    K[i] = 0;
    for (PetscInt a = 0; a < d; a++) {
      for (PetscInt b = 0; b < d; b++) {
        if (body->turns[a] != (i / 6 >= 3) || body->turns[b] != (i % 6 >= 3)) continue;
        K[i] += body->direction[a][i / 6 % 3] * own[(d + a) * n + d + b] * body->direction[b][i % 3];
      }
    }
  }
}

static void make(NsFe *fe, PetscInt b, const NsFeElement *element, NsForceElement *force)
{
  const NsFeBody  *body = &fe->body[b];
  const PetscReal *e = body->frame[0], beta = body->damping_rotating;
  const PetscReal  turn[9] = {0, -e[2], e[1], e[2], 0, -e[0], -e[1], e[0], 0}; /* e x */
  Internal        *self    = NsArenaAlloc(fe->arena, sizeof(*self));

  *force =
    (NsForceElement){.type = &internal, .name = body->name, .where = body->where, .rotor = b, .data = self, .inner = PETSC_TRUE, .exact = PETSC_TRUE};
  for (int p = 0; p < 2; p++) force->end[p] = (NsFePoint){.body = b, .node = element->node[p], .element = -1};
  for (int k = 0; k < 3; k++) force->end[0].arm[k] = fe->x[3 * element->node[1] + k] - fe->x[3 * element->node[0] + k];
  stiffness_of(body, element, self->damping);
  for (int i = 0; i < 36; i++) self->damping[i] *= beta;
  for (int i = 0; i < 36; i++) {
    self->circulation[i] = 0;
    for (int k = 0; k < 3; k++) self->circulation[i] -= self->damping[i - i % 3 + k] * turn[3 * k + i % 3];
  }
  self->highest = NsFeFastest(body->spin);
}

PetscInt NsFeInternalDampers(const NsFe *fe)
{
  PetscInt count = 0;

  for (PetscInt b = 0; b < fe->bodies; b++) count += fe->body[b].damping_rotating > 0 ? fe->body[b].mesh->elements : 0;
  return count;
}

void NsFeInternalDampersCreate(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (body->damping_rotating > 0 && body->redistributed) {
      NsDiagError(fe->diag, NsKeysPlace(NsTreeChild(body->where, "damping"), "rotating"),
        "rotating damping is not supported with `mass: redistributed`: use `mass: lumped`");
      continue;
    }
    for (PetscInt i = 0; i < body->mesh->elements && body->damping_rotating > 0; i++) {
      NsForceElement *force = &fe->force[fe->force_elements++];
      make(fe, b, &fe->element[body->first_element + i], force);
      force->circulates = NsFeForceCirculates(fe, force, NULL);
      fe->circulates    = fe->circulates || force->circulates;
    }
  }
}
