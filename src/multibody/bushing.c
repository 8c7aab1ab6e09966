/*
  Bushings: springs and dashpots between two points in all directions, along axes that turn with the first body A. With E_A, E_B the axes of both bodies (they agree at the start),
  r = x_B - x_A, rho = E_A' r and theta the rotation vector of E_A' E_B (at most pi long):

      V = sum k_i rho_i^2/2 + sum K_i theta_i^2/2
      force on B at x_B    F = -E_A (k rho + c rho'),                    rho'   = E_A' (x_B' - x_A' - O_A x r)
      moment on B          M = -E_A J^-T (K theta + D theta'),           theta' = J^-1 E_A' (O_B - O_A)

  A has -F at x_B and -M. J is the left Jacobian of the rotation vector, so that F and M are the derivatives of V for any rotation:

      J^-1 = I - theta~/2 + (1/t^2 - (1 + cos t)/(2 t sin t)) theta~^2,   t = |theta|

  Reference: A. A. Shabana, Dynamics of Multibody Systems; J. Sola et al., A micro Lie theory for state estimation in robotics, 2018, (146).
*/
#include "joints.h"

void NsMbAddBushing(NsMultibody *self, const NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  NsMbBushing           *bushing  = &self->bushing[self->bushings++];
  PetscBool              any      = PETSC_FALSE;

  bushing->joint = joint;
  for (int k = 0; k < 3; k++) {
    bushing->value[0][k] = settings->stiffnesses[k];
    bushing->value[1][k] = settings->dampings[k];
    bushing->value[2][k] = settings->rotational_stiffness[k];
    bushing->value[3][k] = settings->rotational_damping[k];
    for (int i = 0; i < 4; i++) {
      static const char *const keys[] = {"stiffness", "damping", "rotational_stiffness", "rotational_damping"};
      const PetscBool          none   = self->body[0].planar && (i < 2 ? k == 2 : k < 2);
      if (bushing->value[i][k] < 0) NsDiagError(self->diag, NsKeysPlace(settings->where, keys[i]), "a %s must not be negative", keys[i]);
      if (none && bushing->value[i][k] != 0)
        NsDiagError(self->diag, NsKeysPlace(settings->where, keys[i]), "bodies in the plane do not move in this direction: only %s",
          i < 2 ? "x and y count" : "z counts");
      any = any || bushing->value[i][k] != 0;
    }
  }
  if (!any) NsDiagError(self->diag, settings->where->key_place, "bushing '%s' has neither stiffness nor damping, and no effect", joint->name);
}

typedef struct {
  PetscReal x[2][3], E[2][9]; /* points; axes as columns */
  PetscReal rho[3], theta[3], J[9];
} Shape;

static void inverse_jacobian(const PetscReal a[3], PetscReal J[9])
{
  const PetscReal t = NsLength(a), square = t * t;
  /* series below 0.1: to rounding */
  const PetscReal f    = t < 0.1 ? (1 + square / 60 * (1 + square / 42 * (1 + square / 40))) / 12 : 1 / square - (1 + cos(t)) / (2 * t * sin(t));
  const PetscReal X[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  PetscReal       XX[9];

  NsProduct(X, X, XX);
  for (int i = 0; i < 9; i++) J[i] = (i % 4 == 0) - X[i] / 2 + f * XX[i];
}

static void shape_of(const NsMultibody *self, const NsMbBushing *bushing, Shape *s)
{
  const NsMbJoint *joint = bushing->joint;
  PetscReal        r[3], T[9], p[4];

  for (int i = 0; i < 2; i++) {
    NsMbPoint(self, &joint->side[i], s->x[i]);
    for (int a = 0; a < 3; a++) {
      PetscReal e[3];
      NsTurn(self->frame[joint->side[i].body].R, joint->e[i][a], e);
      for (int k = 0; k < 3; k++) s->E[i][3 * k + a] = e[k];
    }
  }
  for (int k = 0; k < 3; k++) r[k] = s->x[1][k] - s->x[0][k];
  NsTurnBack(s->E[0], r, s->rho);
  for (int i = 0; i < 3; i++) { /* E_A' E_B */
    for (int j = 0; j < 3; j++) T[3 * i + j] = s->E[0][i] * s->E[1][j] + s->E[0][3 + i] * s->E[1][3 + j] + s->E[0][6 + i] * s->E[1][6 + j];
  }
  NsMatrixQuaternion(T, p);
  NsQuaternionLog(p, s->theta);
  inverse_jacobian(s->theta, s->J);
}

static void rates_of(const NsMultibody *self, const NsMbBushing *bushing, const Shape *s, PetscReal rho[3], PetscReal theta[3])
{
  const NsFrame *A = &self->frame[bushing->joint->side[0].body], *B = &self->frame[bushing->joint->side[1].body];
  PetscReal      v[2][3], d[3], own[3];

  NsMbPointVelocity(A, s->x[1], v[0]); /* of A's material there */
  NsMbPointVelocity(B, s->x[1], v[1]);
  for (int k = 0; k < 3; k++) d[k] = v[1][k] - v[0][k];
  NsTurnBack(s->E[0], d, rho);
  for (int k = 0; k < 3; k++) d[k] = B->O[k] - A->O[k];
  NsTurnBack(s->E[0], d, own);
  NsTurn(s->J, own, theta);
}

/* F and M on A. */
static void load_of(const NsMultibody *self, const NsMbBushing *bushing, Shape *s, PetscReal F[3], PetscReal M[3])
{
  PetscReal rho[3], theta[3], f[3], m[3], own[3];

  shape_of(self, bushing, s);
  rates_of(self, bushing, s, rho, theta);
  for (int k = 0; k < 3; k++) {
    f[k] = bushing->value[0][k] * s->rho[k] + bushing->value[1][k] * rho[k];
    m[k] = bushing->value[2][k] * s->theta[k] + bushing->value[3][k] * theta[k];
  }
  NsTurnBack(s->J, m, own);
  NsTurn(s->E[0], f, F);
  NsTurn(s->E[0], own, M);
}

void NsMbBushingForce(const NsMultibody *self, const NsMbBushing *bushing, PetscReal *h)
{
  Shape     s;
  PetscReal F[2][3], M[2][3];

  load_of(self, bushing, &s, F[0], M[0]);
  for (int k = 0; k < 3; k++) {
    F[1][k] = -F[0][k];
    M[1][k] = -M[0][k];
  }
  for (int i = 0; i < 2; i++) NsMbPush(self, bushing->joint->side[i].body, s.x[1], F[i], M[i], h);
}

void NsMbBushingWrench(const NsMultibody *self, const NsMbBushing *bushing, PetscReal f[3], PetscReal m[3])
{
  Shape s;

  load_of(self, bushing, &s, f, m);
  for (int k = 0; k < 3; k++) {
    f[k] = -f[k];
    m[k] = -m[k];
  }
}

PetscReal NsMbBushingElastic(const NsMultibody *self, const NsMbBushing *bushing)
{
  Shape     s;
  PetscReal energy = 0;

  shape_of(self, bushing, &s);
  for (int k = 0; k < 3; k++) energy += bushing->value[0][k] / 2 * PetscSqr(s.rho[k]) + bushing->value[2][k] / 2 * PetscSqr(s.theta[k]);
  return energy;
}

void NsMbBushingRates(const NsMultibody *self, const NsMbBushing *bushing, PetscReal rate[6])
{
  Shape s;

  shape_of(self, bushing, &s);
  rates_of(self, bushing, &s, rate, rate + 3);
}

PetscReal NsMbBushingDamping(const NsMbBushing *bushing, const PetscReal at_v[6], const PetscReal at_w[6])
{
  PetscReal power = 0;

  for (int k = 0; k < 3; k++) power += bushing->value[1][k] * at_v[k] * at_w[k] + bushing->value[3][k] * at_v[3 + k] * at_w[3 + k];
  return power;
}

PetscBool NsMbBushingDamps(const NsMbBushing *bushing)
{
  for (int k = 0; k < 3; k++) {
    if (bushing->value[1][k] > 0 || bushing->value[3][k] > 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
