/*
  A ball that falls on a floor: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, example (b). q = y.

      m y'' = m g_y + lambda,   g = y - R

  From rest at the height h it first hits after t1 = sqrt(2 (h - R)/|g_y|), and comes to rest, after infinitely many impacts, at t1 (1 + e)/(1 - e).
*/
#include "circle.h"
#include "percuss/mechanism.h"

enum { MASS, RADIUS };

static const NsMechanismParameter parameters[] = {
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "of the ball"},
  {"radius", {1, 0, 0, 0}, "0 m", "0", 0, "of the ball"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"y", "vy", {1, 0, 0, 0}, "1 m", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"floor", 0, 0}, {0}};

static double length(const NsMechanismCase *c)
{
  return c->p[RADIUS] > 0 ? c->p[RADIUS] : 1;
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)q;
  M[0] = c->p[MASS];
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  (void)q;
  (void)v;
  h[0] = c->p[MASS] * c->gravity[1];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = 0;
  *potential = -c->p[MASS] * c->gravity[1] * q[0];
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  (void)drive;
  g[0] = q[0] - c->p[RADIUS];
  W[0] = 1;
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  (void)t;
  (void)q;
  (void)v;
  d[0] = 0;
}

/* The ball as a polygon about its centre, and the floor. */
#define SIDES 16
static const int lines[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 12}, {12, 13},
  {13, 14}, {14, 15}, {15, 0}, {SIDES, SIDES + 1}};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  const double r = c->p[RADIUS] > 0 ? c->p[RADIUS] : 0.02 * length(c);

  ns_circle(SIDES, 0, q[0], r, x);
  for (int i = 0; i < 2; i++) {
    x[3 * (SIDES + i)]     = (i ? 2 : -2) * r;
    x[3 * (SIDES + i) + 1] = x[3 * (SIDES + i) + 2] = 0;
  }
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 100;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)t;
  (void)k;
  x[0] = x[2] = normal[0] = normal[2] = 0;
  x[1]                                = q[0] - c->p[RADIUS];
  normal[1]                           = 1;
}

const NsMechanism NsMechanism_BouncingBall = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "bouncing_ball",
  .title         = "ball that falls on a floor",
  .about         = "y of the ball's centre; the floor is y = 0. Gravity is the key `gravity` of the config, e.g. [0, -9.81, 0].\n"
                   "From rest at height h it comes to rest after sqrt(2 (h - radius)/g) (1 + e)/(1 - e), with infinitely many\n"
                   "impacts: a test case for accumulation points (Zeno).\n"
                   "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact.",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .length        = length,
  .mass          = mass,
  .constant_mass = 1,
  .force         = force,
  .energy        = energy,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = SIDES + 2,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
