/*
  A point mass on a floor with an edge: flat on the left, a parabola on the right. [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3,
  index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and bilateral constraints, 4.1, Fig. 4. q = (x, y).

      flat      g1 = y                W1 = (0, 1)
      curved    g2 = y - c x |x|      W2 = (-2 c |x|, 1),    dW2'/dt v = -2 c (|x|)' vx

  Where the mass is on the floor, the other gap is c x^2 > 0: the floor of g2 goes down on the left. At x = 0 both touch, with one normal and
  different curvatures: with both as equations W is nearly singular, and forces reach 1e10 N; as inequalities they determine which one carries.

  (|x|)' is that of the time to come: sign(x) vx, and |vx| at x = 0. Gaps are along y, and so are reactions: lambda is the force along y.
*/
#include <math.h>
#include "percuss/mechanism.h"

enum { MASS, CURVATURE };
#include "point_mass.h" /* uses MASS */

static const NsMechanismParameter parameters[] = {
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "of the point"},
  {"curvature", {-1, 0, 0, 0}, "1", "0 <", 0, "c of the parabola y = c x^2, 1/m; its curvature at the edge is 2 c"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "-0.05 m", "4.7 m/s"},
  {"y", "vy", {1, 0, 0, 0}, "0", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"flat", 0, 0}, {"curved", 0, 0}, {0}};

static double length(const NsMechanismCase *c)
{
  return 1 / c->p[CURVATURE];
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  (void)drive;
  g[0] = q[1];
  W[0] = 0;
  W[1] = 1;
  g[1] = q[1] - c->p[CURVATURE] * q[0] * fabs(q[0]);
  W[2] = -2 * c->p[CURVATURE] * fabs(q[0]);
  W[3] = 1;
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  const double sign = q[0] != 0 ? q[0] : v[0]; /* where x is going to be */

  (void)t;
  d[0] = 0;
  d[1] = -2 * c->p[CURVATURE] * copysign(v[0] * v[0], sign);
}

/* The mass as a rhombus; the floor from -LEFT to RIGHT, in units of the length. */
#define FIRST 4 /* point of the floor */
#define LAST  19
#define LEFT  0.1
#define RIGHT 0.25
static const int lines[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 12}, {12, 13},
  {13, 14}, {14, 15}, {15, 16}, {16, 17}, {17, 18}, {18, LAST}};

static const char *const point_names[LAST + 1] = {"mass"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  static const double rhomb[FIRST][2] = {{0, 0}, {1, 2}, {0, 4}, {-1, 2}};

  for (int i = 0; i <= LAST; i++) {
    const double along = i == FIRST ? -LEFT : RIGHT * (i - FIRST - 1) / (LAST - FIRST - 1);
    x[3 * i]           = i < FIRST ? q[0] + rhomb[i][0] * length(c) / 150 : along * length(c);
    x[3 * i + 1]       = i < FIRST ? q[1] + rhomb[i][1] * length(c) / 150 : fmax(0, along) * along * length(c);
    x[3 * i + 2]       = 0;
  }
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 600;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  const double slope = k == 1 ? 2 * c->p[CURVATURE] * fabs(q[0]) : 0, size = hypot(slope, 1);

  (void)t;
  x[0]      = q[0];
  x[1]      = q[1];
  normal[0] = -slope / size;
  normal[1] = 1 / size;
  x[2] = normal[2] = 0;
}

const NsMechanism NsMechanism_Edge = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "edge",
  .title         = "point mass that slides over an edge: floor flat on the left, a parabola on the right",
  .about         = "x and y of the mass; floor y = 0 for x < 0 (contact flat), y = c x^2 for x > 0 (contact curved). At the edge normals agree,\n"
                   "curvatures differ: the force of the floor jumps from m g to m (g + 2 c vx^2). No friction. Gravity is the key `gravity` of the config.\n"
                   "Gaps and forces of both contacts are along y.\n"
                   "Reference: Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody\n"
                   "systems with unilateral and bilateral constraints, 4.",
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
  .points        = LAST + 1,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
