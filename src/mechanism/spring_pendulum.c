/*
  A mass on a spring that swings about a pivot and hits a wall along which it would hang.

  [D] G. Capobianco, S. R. Eugster: A Moreau-type variational integrator, 4. q = (l, phi): length of the spring, angle from the wall, which is the line x = 0 below the
  pivot (0, 0); the mass is at l (sin phi, -cos phi).

      T = m/2 (l'^2 + l^2 phi'^2),   V = k/2 (l - l0)^2 - m g . x,   g = phi

  The gap is the angle, as in the paper: l sin phi = 0 is the same contact, but closes at another velocity where l' is not zero, and gives other results.
*/
#include <math.h>
#include "percuss/mechanism.h"

enum { MASS, STIFFNESS, REST };

static const NsMechanismParameter parameters[] = {
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "at the end of the spring"},
  {"stiffness", {0, 1, -2, 0}, "100 N/m", "0", 0, "of the spring"},
  {"rest_length", {1, 0, 0, 0}, "1 m", "0 <", 0, "of the spring without load"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"l", "vl", {1, 0, 0, 0}, "1.1 m", "0"},
  {"phi", "vphi", {0, 0, 0, 1}, "45 deg", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"wall", 0, 0}, {0}};

static double length(const NsMechanismCase *c)
{
  return c->p[REST];
}

static const char *check_start(const NsMechanismCase *c, const double *q)
{
  (void)c;
  return q[0] > 0 ? 0 : "the spring's length l must be positive at the start";
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  M[0] = c->p[MASS];
  M[3] = c->p[MASS] * q[0] * q[0];
}

static void massrate(const NsMechanismCase *c, const double *q, const double *v, double *y)
{
  y[1] = 2 * c->p[MASS] * q[0] * v[0] * v[1];
}

/* Gravity along the spring and across it. */
static void weight(const NsMechanismCase *c, double phi, double along[2])
{
  along[0] = c->gravity[0] * sin(phi) - c->gravity[1] * cos(phi);
  along[1] = c->gravity[0] * cos(phi) + c->gravity[1] * sin(phi);
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  const double m = c->p[MASS];
  double       g[2];

  (void)t;
  weight(c, q[1], g);
  h[0] = m * q[0] * v[1] * v[1] - c->p[STIFFNESS] * (q[0] - c->p[REST]) + m * g[0];
  h[1] = -2 * m * q[0] * v[0] * v[1] + m * q[0] * g[1];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  const double stretch = q[0] - c->p[REST];
  double       g[2];

  weight(c, q[1], g);
  *elastic   = c->p[STIFFNESS] / 2 * stretch * stretch;
  *potential = -c->p[MASS] * q[0] * g[0];
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)c;
  (void)t;
  (void)drive;
  g[0] = q[1];
  W[1] = 1;
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  (void)t;
  (void)q;
  (void)v;
  d[0] = 0;
}

/* The spring as a zigzag from the pivot to the mass, then the wall. */
#define CORNERS 12
#define POINTS  (CORNERS + 2)
static const int lines[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {10, 11}, {CORNERS, CORNERS + 1}};

static const char *const point_names[POINTS] = {[CORNERS - 1] = "mass"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  const double s = sin(q[1]), r = cos(q[1]), wide = 0.03 * length(c);

  for (int i = 0; i < CORNERS; i++) {
    const double along = q[0] * i / (CORNERS - 1), across = i < 2 || i > CORNERS - 3 ? 0 : i % 2 ? wide : -wide;
    x[3 * i]     = along * s + across * r;
    x[3 * i + 1] = -along * r + across * s;
    x[3 * i + 2] = 0;
  }
  for (int i = 0; i < 2; i++) {
    x[3 * (CORNERS + i)] = x[3 * (CORNERS + i) + 2] = 0;
    x[3 * (CORNERS + i) + 1]                        = i ? -1.6 * length(c) : 0;
  }
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 100;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)c;
  (void)t;
  (void)k;
  x[0]      = q[0] * sin(q[1]);
  x[1]      = -q[0] * cos(q[1]);
  normal[0] = cos(q[1]);
  normal[1] = sin(q[1]);
  x[2] = normal[2] = 0;
}

const NsMechanism NsMechanism_SpringPendulum = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "spring_pendulum",
  .title         = "mass on a spring that swings and hits a wall",
  .about         = "Length l of the spring and angle phi from the wall, along which the mass hangs with phi = 0; pivot in the origin, wall\n"
                   "x = 0 below it, mass at l (sin phi, -cos phi). Gravity is the key `gravity` of the config, e.g. [0, -9.81, 0].\n"
                   "The gap is phi, as in the reference: l sin phi would give other results, because the law would act on another\n"
                   "velocity where the spring's length changes. So gaps are in rad, and impulses are angular, in N m s.\n"
                   "The mass matrix varies with l: a test case for the energy error of schemes over long times.\n"
                   "Reference: Capobianco, Eugster, A Moreau-type variational integrator, 4.",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .check_start   = check_start,
  .length        = length,
  .mass          = mass,
  .massrate      = massrate,
  .force         = force,
  .energy        = energy,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = POINTS,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
