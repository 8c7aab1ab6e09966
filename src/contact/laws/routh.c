/*
  One impact of one contact, integrated along its normal impulse p (E. J. Routh, Dynamics of a system of rigid bodies, 1905; J. B. Keller, J. Appl. Mech. 53 (1986)):

      du/dp = G dP/dp,   dP_N/dp = 1,   dP_T/dp = -mu u_T/|u_T|  while it slips;  sticking, u_T stays 0 where |dP_T/dp| <= mu, or else it slips again

  Compression ends where u_N = 0; the expansion, where the work of the normal force, the integral of u_N dp, is -e^2 times that of the compression (Stronge's energetic restitution).

  With one tangent u is linear between the events (slip stops, u_N = 0, the end), which are found exactly. With two the direction of slip turns; a step of p turns or slows it by a thousandth at most, by the
  midpoint rule: impulses to 1e-6 of their size.
*/
#include "routh.h"

#define NS_TURN       1e-3 /* change of the slip in a step, over the slip */
#define NS_MOST_STEPS 200000

typedef struct {
  PetscInt  rows;
  PetscReal G[9], mu; /* tangent 2 in units in which the ellipse is a disc */
  PetscReal u[3], P[3];
  PetscReal work; /* of the normal force in this phase */
  PetscBool slips;
} Impact;

static PetscReal slip(const Impact *self, const PetscReal *u)
{
  return self->rows == 1 ? 0 : self->rows == 2 ? PetscAbsReal(u[1]) : PetscSqrtReal(u[1] * u[1] + u[2] * u[2]);
}

static void apply(const Impact *self, const PetscReal *dP, PetscReal *du)
{
  for (PetscInt i = 0; i < self->rows; i++) {
    du[i] = 0;
    for (PetscInt j = 0; j < self->rows; j++) du[i] += self->G[i * self->rows + j] * dP[j];
  }
}

/* Unit vector along the tangential part of x; false: it is zero. */
static PetscBool direction(const Impact *self, const PetscReal *x, PetscReal *d)
{
  const PetscReal size = slip(self, x);

  for (PetscInt i = 1; i < self->rows && size > 0; i++) d[i] = x[i] / size;
  return size > 0;
}

/* dP/dp that keeps u_T = 0; false: friction is too small for it. */
static PetscBool sticks(const Impact *self, PetscReal *dP)
{
  const PetscReal *G = self->G;

  dP[0] = 1;
  if (self->rows == 1) return PETSC_TRUE;
  if (self->rows == 2)
    dP[1] = -G[2] / G[3];
  else {
    const PetscReal det = G[4] * G[8] - G[5] * G[7];
    dP[1]               = -(G[8] * G[3] - G[5] * G[6]) / det;
    dP[2]               = -(G[4] * G[6] - G[7] * G[3]) / det;
  }
  return slip(self, dP) <= self->mu;
}

/* dP/dp of slip that begins from rest: u_T grows in the direction d in which it slips, found by iterating d. */
static void begins(const Impact *self, PetscReal *dP)
{
  PetscReal d[3] = {0}, du[3];

  dP[0] = 1;
  for (PetscInt i = 1; i < self->rows; i++) dP[i] = 0;
  for (int n = 0; n < 200; n++) {
    apply(self, dP, du);
    if (!direction(self, du, d)) return;
    for (PetscInt i = 1; i < self->rows; i++) dP[i] = n == 0 ? -self->mu * d[i] : (dP[i] - self->mu * d[i]) / 2;
  }
  for (PetscInt i = 1; i < self->rows; i++) dP[i] = -self->mu * d[i];
}

static void slides(const Impact *self, const PetscReal *u, PetscReal *dP)
{
  PetscReal d[3] = {0};

  (void)direction(self, u, d);
  dP[0] = 1;
  for (PetscInt i = 1; i < self->rows; i++) dP[i] = -self->mu * d[i];
}

/* dP/dp from here on. */
static void push(Impact *self, PetscReal *dP)
{
  if (self->slips)
    slides(self, self->u, dP);
  else if (!sticks(self, dP))
    begins(self, dP);
}

/* The p at which the work of this phase reaches `work` (NaN: it never does), with the normal velocity falling or rising by `rate` per p. */
static PetscReal reaches(const Impact *self, PetscReal rate, PetscReal work)
{
  const PetscReal u = self->u[0], left = work - self->work, root = u * u + 2 * rate * left;

  return root < 0 ? PETSC_MAX_REAL : 2 * left / (u + PetscSqrtReal(root));
}

/* Advances by one segment; *done: the phase has ended. False: it jams. */
static PetscBool advance(Impact *self, PetscBool compression, PetscReal target, PetscReal scale, PetscBool *done)
{
  PetscReal dP[3], du[3], p = PETSC_MAX_REAL, end;
  PetscBool stops = PETSC_FALSE;

  push(self, dP);
  apply(self, dP, du);
  const PetscReal now = slip(self, self->u);
  if (self->slips && self->rows == 3) { /* by the midpoint rule */
    PetscReal middle[3], speed = PetscMax(slip(self, du), PETSC_SMALL);
    p = NS_TURN * PetscMax(now, 1e-3 * NS_TURN * scale) / speed;
    for (PetscInt i = 0; i < 3; i++) middle[i] = self->u[i] + p / 2 * du[i];
    slides(self, middle, dP);
    apply(self, dP, du);
    stops = now <= 1e-6 * NS_TURN * scale || (now < 1e-3 * NS_TURN * scale && self->u[1] * du[1] + self->u[2] * du[2] < 0);
  } else if (self->slips && self->u[1] * du[1] < 0) {
    p     = -self->u[1] / du[1];
    stops = PETSC_TRUE;
  }
  end = compression ? (du[0] > 0 ? -self->u[0] / du[0] : PETSC_MAX_REAL) : reaches(self, du[0], target);
  if (!(end >= 0)) end = PETSC_MAX_REAL;
  *done = end <= p;
  if (*done) p = end;
  if (p >= PETSC_MAX_REAL) return PETSC_FALSE;
  self->work += self->u[0] * p + du[0] * p * p / 2;
  for (PetscInt i = 0; i < self->rows; i++) {
    self->u[i] += p * du[i];
    self->P[i] += p * dP[i];
  }
  if (*done && compression) self->u[0] = 0;
  if (!*done && stops) {
    for (PetscInt i = 1; i < self->rows; i++) self->u[i] = 0;
    self->slips = PETSC_FALSE;
  } else if (!self->slips)
    self->slips = slip(self, self->u) > 1e-12 * scale && !sticks(self, dP);
  return PETSC_TRUE;
}

PetscBool NsRouth(PetscInt rows, const PetscReal *G, const PetscReal *before, PetscReal mu, PetscReal across, PetscReal e, PetscReal *P)
{
  const PetscReal unit[3] = {1, 1, across > 0 ? across : 1};
  Impact          self    = {.rows = rows, .mu = mu};
  PetscReal       scale = 0, target = 0;

  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < rows; j++) self.G[i * rows + j] = unit[i] * G[i * rows + j] * unit[j];
    self.u[i] = unit[i] * before[i];
    scale     = PetscMax(scale, PetscAbsReal(self.u[i]));
  }
  self.slips = slip(&self, self.u) > 1e-12 * scale;
  for (PetscInt i = 1; i < rows && !self.slips; i++) self.u[i] = 0;
  for (int phase = 0; phase < 2; phase++) {
    PetscBool done = self.u[0] >= 0 && phase == 0;
    self.work      = 0;
    for (int n = 0; !done; n++) {
      if (n == NS_MOST_STEPS || !advance(&self, phase == 0, target, scale, &done)) return PETSC_FALSE;
    }
    if (phase == 0) target = -e * e * self.work;
  }
  for (PetscInt i = 0; i < rows; i++) P[i] = unit[i] * self.P[i];
  return PETSC_TRUE;
}
