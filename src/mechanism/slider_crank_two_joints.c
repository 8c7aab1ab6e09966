/*
  Slider-crank mechanism whose slider has a coordinate of its own: two joints, no impacts.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and
  bilateral constraints, 3.1.1, (18). q = (a1, a2, x): angles of crank and rod against the x axis, position of the slider on it.

      guide    g1 = l1 sin a1 + l2 sin a2 = 0
      slider   g2 = x - l1 cos a1 - l2 cos a2 = 0

  Crank and rod are those of slider_crank.h without a mass at the rod's end; the slider's own is on x. The paper does not state the inertias: its rods
  are taken as homogeneous.
*/
#include <string.h>
#include "slider_crank.h"

static const NsMechanismParameter parameters[] = {
  NS_CRANK_KEYS_WITH("1 m", "2 m", "1 kg", "1 kg", "1 kg", "0", "0", "0", "; 0: that of a homogeneous one, m l^2/12"), {0}};

static const NsMechanismCoordinate coordinates[] = {
  {"alpha1", "omega1", {0, 0, 0, 1}, "0", "8 rad/s"},
  {"alpha2", "omega2", {0, 0, 0, 1}, "0", "-4 rad/s"},
  {"x", "vx", {1, 0, 0, 0}, "3 m", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"guide", 0, 1}, {"slider", 0, 1}, {0}};

/* Crank and rod alone, with their inertias; their parameters are in p. */
static NsMechanismCase links(const NsMechanismCase *c, double p[NS_CRANK_PARAMETERS])
{
  memcpy(p, c->p, sizeof(*p) * NS_CRANK_PARAMETERS);
  p[NS_M3] = 0;
  if (p[NS_J1] == 0) p[NS_J1] = p[NS_M1] * p[NS_L1] * p[NS_L1] / 12;
  if (p[NS_J2] == 0) p[NS_J2] = p[NS_M2] * p[NS_L2] * p[NS_L2] / 12;
  return (NsMechanismCase){p, {c->gravity[0], c->gravity[1], c->gravity[2]}};
}

static const char *check(const NsMechanismCase *c)
{
  return c->p[NS_M3] > 0 ? 0 : "slider_mass must be positive, because the slider has its own coordinate";
}

static double length(const NsMechanismCase *c)
{
  return c->p[NS_L1];
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  double                p[NS_CRANK_PARAMETERS];
  const NsMechanismCase own = links(c, p);

  ns_crank_mass(own.p, q, 3, M);
  M[8] = c->p[NS_M3];
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  double                p[NS_CRANK_PARAMETERS];
  const NsMechanismCase own = links(c, p);

  (void)t;
  ns_crank_force(&own, q, v, h);
  h[2] = c->p[NS_M3] * c->gravity[0];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  double                p[NS_CRANK_PARAMETERS];
  const NsMechanismCase own = links(c, p);

  *elastic   = 0;
  *potential = ns_crank_potential(&own, q) - c->p[NS_M3] * c->gravity[0] * q[2];
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  const double l1 = c->p[NS_L1], l2 = c->p[NS_L2];

  (void)t;
  (void)drive;
  g[0] = l1 * sin(q[0]) + l2 * sin(q[1]);
  W[0] = l1 * cos(q[0]);
  W[1] = l2 * cos(q[1]);
  W[2] = 0;
  g[1] = q[2] - l1 * cos(q[0]) - l2 * cos(q[1]);
  W[3] = l1 * sin(q[0]);
  W[4] = l2 * sin(q[1]);
  W[5] = 1;
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  const double a1 = c->p[NS_L1] * v[0] * v[0], a2 = c->p[NS_L2] * v[1] * v[1];

  (void)t;
  d[0] = -a1 * sin(q[0]) - a2 * sin(q[1]);
  d[1] = a1 * cos(q[0]) + a2 * cos(q[1]);
}

/* Bearing, pin, end of the rod; corners of the slider, drawn as a square about its position; the axis within its range. */
static const int         lines[][2]     = {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {5, 6}, {6, 3}, {7, 8}};
static const char *const point_names[9] = {NULL, "pin", "rod_end"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const double       *p = c->p, half = p[NS_L1] / 8;

  memset(x, 0, sizeof(*x) * 27);
  x[3] = p[NS_L1] * cos(q[0]);
  x[4] = p[NS_L1] * sin(q[0]);
  x[6] = x[3] + p[NS_L2] * cos(q[1]);
  x[7] = x[4] + p[NS_L2] * sin(q[1]);
  for (int i = 0; i < 4; i++) {
    x[9 + 3 * i]  = q[2] + corner[i][0] * half;
    x[10 + 3 * i] = corner[i][1] * half;
  }
  x[21] = fabs(p[NS_L2] - p[NS_L1]) - half;
  x[24] = p[NS_L2] + p[NS_L1] + half;
}

static double radius(const NsMechanismCase *c)
{
  return c->p[NS_L1] / 50;
}

/* Both joints are at the end of the rod. The guide pushes it along y, the slider back along x. */
static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  double all[27];

  (void)t;
  draw(c, q, all);
  memcpy(x, all + 6, sizeof(*x) * 3);
  normal[0] = k == 1 ? -1 : 0;
  normal[1] = k == 0 ? 1 : 0;
  normal[2] = 0;
}

const NsMechanism NsMechanism_SliderCrankTwoJoints = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "slider_crank_two_joints",
  .title         = "slider-crank mechanism with a coordinate for the slider: two joints, no impacts",
  .about         = "Angles alpha1 and alpha2 of crank and rod, x of the slider. Joints: the rod's end stays on the x axis (guide:\n"
                   "l1 sin alpha1 + l2 sin alpha2 = 0) and at the slider (slider: x = l1 cos alpha1 + l2 cos alpha2).\n"
                   "A test case for work against precision, and for drift.\n"
                   "Reference: Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody\n"
                   "systems with unilateral and bilateral constraints, 3.1.1.",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .check         = check,
  .length        = length,
  .mass          = mass,
  .force         = force,
  .energy        = energy,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = 9,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
