/*
  Oil film of a journal bearing, and of a squeeze-film damper, without negative pressures. Short bearings (pi film):

  F. W. Ocvirk, NACA TN 2808 (1952); J. F. Booker, J. Basic Eng. 87 (1965). Over the angle theta from axis 2 the film thickness is h = c - n.r with n = (cos theta, sin theta); the
  pressure of a short bearing is

      p = 6 mu (n.a) (L^2/4 - z^2)/h^3  where n.a > 0, else 0,        a = r' + Omega/2 (r2, -r3)' turned: (r2' + Omega r3/2, r3' - Omega r2/2)

      F = -mu R L^3 integral of n (n.a)/h^3 over the half circle n.a > 0

  With e = r/c, u and w its parts along and across a, s^2 = 1 - u^2 - w^2 and T = pi/2 + atan(u/s), the integral J = 2 T/s of 1/(1 - n.e) over the half circle gives those of F:

      F = -(mu R L^3/c^3) |a| (J_uu/2 along a, J_uw/2 across),   J_uu/2 = (3 u s + T (s^2 + 3 u^2))/s^5,   J_uw/2 = w (u^2/((1 - w^2) s^4) + 3 T u/s^5 + 2/s^4)

  `model: finite`: the same along and across a with the solution of the Reynolds equation (reynolds.h).

  Omega/2 vanishes in a damper, whose ring does not turn. The slopes are those of the same formula, by complex steps of 1e-30 (W. Squire, G. Trapp, SIAM Rev. 40, 1998): exact to rounding.

  The work of the film at rest (r' = 0) is booked as load: the drive of the shaft brings it; what r' adds is damping, never negative. Beyond an eccentricity of 0.999 the film keeps its
  coefficients of there, so that a contact with the shell can take over.
*/
#include <complex.h>
#include "fe/forces/reynolds.h"
#include "law.h"

#define NS_MOST_ECCENTRICITY 0.999

typedef struct {
  const NsNode *where;
  double        diameter, length, clearance, viscosity, eccentricity;
  int           model;
} Settings;

enum { NS_SHORT, NS_FINITE };
static const char *const models[] = {"short", "finite", NULL};

typedef struct {
  PetscReal       factor, clearance; /* mu R L^3/c^3, N s/m; m */
  PetscReal       eccentricity, highest;
  PetscBool       turns, finite;
  NsReynoldsTable table; /* if finite */
} Film;

static const NsKey keys[] = {
  {"diameter", NS_KEY_NUMBER, offsetof(Settings, diameter), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", .help = "of the journal",
    .example = "100 mm"},
  {"length", NS_KEY_NUMBER, offsetof(Settings, length), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "of the film along the shaft; `model: short` holds up to half the diameter", .example = "30 mm"},
  {"clearance", NS_KEY_NUMBER, offsetof(Settings, clearance), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "radial clearance: bore radius less journal radius", .example = "0.1 mm"},
  {"viscosity", NS_KEY_NUMBER, offsetof(Settings, viscosity), .dimension = {-1, 1, -1, 0}, .required = true, .minimum = "0 <",
    .help = "dynamic viscosity of the oil; 20 mPa s are 0.02 Pa s or 20 cP", .example = "20 cP"},
  {"model", NS_KEY_CHOICE, offsetof(Settings, model), .choices = models, .default_value = "short",
    .help = "`short`: closed form; `finite`: Reynolds equation for this length, solved once before the first step", .example = "finite"},
  {"eccentricity", NS_KEY_NUMBER, offsetof(Settings, eccentricity), .default_value = "0.9", .minimum = "0 <", .maximum = "0.999",
    .help = "largest displacement over clearance that the critical time step of explicit schemes is computed for", .example = "0.8"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Settings *film = settings;

  (void)arena;
  if (film->clearance >= film->diameter / 2)
    NsDiagError(diag, NsKeysPlace(film->where, "clearance"), "the clearance must be less than the radius of the journal, %g m", film->diameter / 2);
  else if (film->model == NS_SHORT && film->length > film->diameter)
    NsDiagWarning(diag, NsKeysPlace(film->where, "length"),
      "the film is longer than its diameter: the short-bearing theory overestimates its forces; take `model: finite`");
  else if (film->model == NS_FINITE && (film->length > 4 * film->diameter || film->length < film->diameter / 50))
    NsDiagError(diag, NsKeysPlace(film->where, "length"),
      "with `model: finite` the length must be between 0.02 and 4 times the diameter, but is %.4g times", film->length / film->diameter);
}

static PetscBool make(const Settings *given, PetscBool turns, PetscReal highest, Film *film)
{
  film->factor       = given->viscosity * given->diameter / 2 * PetscPowReal(given->length / given->clearance, 3);
  film->clearance    = given->clearance;
  film->eccentricity = given->eccentricity;
  film->highest      = turns ? highest : 0;
  film->turns        = turns;
  film->finite       = given->model == NS_FINITE;
  if (film->finite) NsReynoldsTableFill(&film->table, given->length / given->diameter, turns);
  return PETSC_TRUE;
}

static PetscBool create_journal(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)diag;
  return make(settings, PETSC_TRUE, highest, data);
}

static PetscBool create_damper(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)diag;
  return make(settings, PETSC_FALSE, highest, data);
}

typedef double complex Complex;

static void film_force(const Film *self, PetscReal spin, const Complex r[2], const Complex v[2], Complex f[2])
{
  const PetscReal turn = self->turns ? spin / 2 : 0;
  Complex         e[2] = {r[0] / self->clearance, r[1] / self->clearance}, a[2];
  const PetscReal most = PetscSqrtReal(PetscSqr(creal(e[0])) + PetscSqr(creal(e[1])));

  f[0] = f[1] = 0;
  a[0]        = v[0] + turn * r[1];
  a[1]        = v[1] - turn * r[0];
  if (creal(a[0]) == 0 && creal(a[1]) == 0) return;
  for (int k = 0; k < 2 && most > NS_MOST_ECCENTRICITY; k++) e[k] *= NS_MOST_ECCENTRICITY / most;
  const Complex size = csqrt(a[0] * a[0] + a[1] * a[1]), x = a[0] / size, y = a[1] / size;
  const Complex u = e[0] * x + e[1] * y, w = e[1] * x - e[0] * y;
  Complex       along, across;
  if (self->finite)
    NsReynoldsTableAt(&self->table, u, w, &along, &across);
  else
    NsShortFilm(u, w, &along, &across);
  f[0] = -self->factor * size * (along * x - across * y);
  f[1] = -self->factor * size * (along * y + across * x);
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Film   *self = data;
  const Complex r[2] = {at->r[0], at->r[1]}, v[2] = {at->v[0], at->v[1]}, still[2] = {0, 0};
  Complex       rest[2], f[2];

  film_force(self, at->spin, r, still, rest);
  film_force(self, at->spin, r, v, f);
  for (int k = 0; k < 2; k++) {
    spring[k] = creal(rest[k]);
    damper[k] = creal(f[k]) - creal(rest[k]);
  }
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const PetscReal tiny = 1e-30;

  for (int column = 0; column < 4; column++) {
    Complex r[2] = {at->r[0], at->r[1]}, v[2] = {at->v[0], at->v[1]}, f[2];
    (column < 2 ? r : v)[column % 2] += tiny * I;
    film_force(data, at->spin, r, v, f);
    for (int k = 0; k < 2; k++) (column < 2 ? stiffness : damping)[2 * k + column % 2] = -cimag(f[k]) / tiny;
  }
}

/* At the highest spin and the eccentricity given; the film is isotropic. The largest damping is that of motion towards the wall. */
static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Film     *self = data;
  const PetscReal r[2] = {self->eccentricity * self->clearance, 0}, towards[2] = {self->clearance * PetscMax(1, self->highest), 0}, still[2] = {0, 0};
  const NsForceMotion squeeze = {.r = r, .v = towards}, whirl = {.r = r, .v = still, .spin = self->highest};
  PetscReal           K[4], C[4], size = 0;

  slopes(self, &squeeze, stiffness, C);
  slopes(self, &whirl, K, damping);
  for (int k = 0; k < 4; k++) size += PetscSqr(K[k]);
  for (int k = 0; k < 4; k++) {
    stiffness[k] = k % 3 ? 0 : PetscSqrtReal(size);
    damping[k]   = k % 3 ? 0 : C[0];
  }
}

static PetscReal used(const void *data, const NsForceMotion *at)
{
  const Film *self = data;

  return PetscSqrtReal(PetscSqr(at->r[0]) + PetscSqr(at->r[1])) / (self->clearance * self->eccentricity);
}

#define NS_FILM(Name, word, title, creation) \
  const NsTable    NsForceLawTable_##Name = {word, title, keys, sizeof(Settings), .check = check}; \
  const NsForceLaw NsForceLaw_##Name      = { \
         .size      = sizeof(Film), \
         .create    = creation, \
         .force     = force, \
         .slopes    = slopes, \
         .steepest  = steepest, \
         .used      = used, \
         .ends_with = "eccentricity", \
  };
NS_FILM(Film, "film", "journal bearing with an oil film", create_journal)
NS_FILM(SqueezeFilm, "squeeze_film", "squeeze-film damper", create_damper)
