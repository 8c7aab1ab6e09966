/*
  A pendulum in a ring: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, the illustration of projection. q = (x, y).

  A point mass on a rigid rod from the origin, inside a ring of radius R about c that is not centred at the origin: a bilateral and a unilateral constraint,
  both curved.

      m q'' = m g + W lambda,   g_rod = |q| - l = 0,   g_ring = R - |q - c| >= 0

  The mass meets the ring where q . c = (l^2 + |c|^2 - R^2)/2: with the defaults at x = 0.15 m, where it comes to rest.
*/
#include <math.h>
#include "circle.h"
#include "percuss/mechanism.h"

enum { MASS, LENGTH, RING_RADIUS, RING_X, RING_Y };
#include "point_mass.h" /* uses MASS */

static const NsMechanismParameter parameters[] = {
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "at the end of the rod"},
  {"length", {1, 0, 0, 0}, "1 m", "0 <", 0, "of the rod, from the origin"},
  {"ring_radius", {1, 0, 0, 0}, "1 m", "0 <", 0, "of the ring"},
  {"ring_x", {1, 0, 0, 0}, "0.3 m", 0, 0, "x of the ring's centre"},
  {"ring_y", {1, 0, 0, 0}, "0 m", 0, 0, "y of the ring's centre"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "1 m", "0"},
  {"y", "vy", {1, 0, 0, 0}, "0", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"rod", 0, 1}, {"ring", 0, 0}, {0}};

static const char *check(const NsMechanismCase *c)
{
  const double offset = hypot(c->p[RING_X], c->p[RING_Y]), rod = c->p[LENGTH], ring = c->p[RING_RADIUS];

  return rod <= offset + ring && offset - rod <= ring ? 0 : "the end of the rod is outside the ring in every position";
}

static double length(const NsMechanismCase *c)
{
  return c->p[LENGTH];
}

/* From the middle of circle k, the rod's or the ring's: direction and distance of the mass. */
static double outward(const NsMechanismCase *c, const double *q, int k, double n[2])
{
  const double x = q[0] - k * c->p[RING_X], y = q[1] - k * c->p[RING_Y], distance = hypot(x, y);

  n[0] = x / distance;
  n[1] = y / distance;
  return distance;
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  double n[2];

  (void)t;
  (void)drive;
  g[0] = outward(c, q, 0, W) - c->p[LENGTH];
  g[1] = c->p[RING_RADIUS] - outward(c, q, 1, n);
  for (int i = 0; i < 2; i++) W[2 + i] = -n[i];
}

/* The direction turns with the velocity across it: v_across^2/distance. */
static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)t;
  for (int k = 0; k < 2; k++) {
    double       n[2];
    const double distance = outward(c, q, k, n), across = n[0] * v[1] - n[1] * v[0];
    d[k] = (k == 0 ? 1 : -1) * across * across / distance;
  }
}

/* Origin, mass, and the ring as a polygon. */
#define SIDES 48
enum { PIVOT, END, RING };

static const int lines[][2] = {{PIVOT, END},
#define NS_SIDE(i) \
  { \
    RING + (i), RING + ((i) + 1) % SIDES \
  }
#define NS_SIDES(i) \
  NS_SIDE(i), NS_SIDE((i) + 1), NS_SIDE((i) + 2), NS_SIDE((i) + 3), NS_SIDE((i) + 4), NS_SIDE((i) + 5), NS_SIDE((i) + 6), NS_SIDE((i) + 7)
  NS_SIDES(0), NS_SIDES(8), NS_SIDES(16), NS_SIDES(24), NS_SIDES(32), NS_SIDES(40)};

static const char *const point_names[RING + SIDES] = {"pivot", "mass"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  for (int k = 0; k < 3; k++) {
    x[3 * PIVOT + k] = 0;
    x[3 * END + k]   = k < 2 ? q[k] : 0;
  }
  ns_circle(SIDES, c->p[RING_X], c->p[RING_Y], c->p[RING_RADIUS], x + 3 * RING);
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 100;
}

/* The rod pushes the mass outwards, the ring inwards. */
static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  double       n[2];
  const double distance = outward(c, q, k, n), to_ring = k == 0 ? 0 : c->p[RING_RADIUS] - distance;

  (void)t;
  for (int i = 0; i < 2; i++) {
    x[i]      = q[i] + to_ring * n[i];
    normal[i] = k == 0 ? n[i] : -n[i];
  }
  x[2] = normal[2] = 0;
}

const NsMechanism NsMechanism_PendulumInRing = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "pendulum_in_ring",
  .title         = "pendulum on a rod, in a ring that stops it",
  .about         = "x and y of a point mass on a rigid rod from the origin (joint `rod`), inside a ring (contact `ring`) whose centre is\n"
                   "elsewhere. Gravity is the key `gravity` of the config, e.g. [0, -9.81, 0]; x and y at the start have to fit the rod.\n"
                   "A test case for drift of positions and velocities on curved constraints: compare moreau_jean, projection_naive,\n"
                   "projection_combined.\n"
                   "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact.",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .check         = check,
  .length        = length,
  .mass          = mass,
  .constant_mass = 1,
  .force         = force,
  .energy        = energy,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = RING + SIDES,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
