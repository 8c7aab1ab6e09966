/*
  Slider-crank mechanism whose slider has clearance in its notch: four corners that hit and rub on two walls.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, 2.1: (23)-(36); parameters of its Table 1 as defaults. q = (th1, th2, th3): angles of crank, rod, slider against x.
  The slider is 2a long, 2b high; the notch of height d = 2 (b + c) lies along x. Corners 1, 2 touch the wall above, 3, 4 the one below:

      g = d/2 -/+ (l1 sin th1 + l2 sin th2) +/- a sin th3 - b cos th3

  W_N = dg_N/dq, W_T = dg_T/dq with the tangential displacements (29)-(32), (34); W_T' v is the corner's velocity along x.
*/
#include "slider_crank.h"

enum { J3 = NS_CRANK_PARAMETERS, A, B, C };

static const NsMechanismParameter parameters[] = {
  NS_CRANK_KEYS,
  {"slider_inertia", {2, 1, 0, 0}, "2.7e-6 kg m^2", "0 <", 0, "inertia of the slider, J3"},
  {"slider_half_length", {1, 0, 0, 0}, "50 mm", "0", 0, "half the length of the slider, a"},
  {"slider_half_height", {1, 0, 0, 0}, "25 mm", "0", 0, "half the height of the slider, b"},
  {"clearance", {1, 0, 0, 0}, "1 mm", "0 <", 0, "distance from slider to each wall when it is centred, c"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"theta1", "omega1", {0, 0, 0, 1}, "0", "150 rad/s"},
  {"theta2", "omega2", {0, 0, 0, 1}, "0", "-75 rad/s"},
  {"theta3", "omega3", {0, 0, 0, 1}, "0", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"corner1", 1, 0}, {"corner2", 1, 0}, {"corner3", 1, 0}, {"corner4", 1, 0}, {0}};

/* Of corner k: +1 at the wall below; +1 at the front end. (25)-(28): g = d/2 + wall (l1 s1 + l2 s2 + end a s3) - b c3. */
static const double wall[4] = {-1, -1, 1, 1}, end[4] = {-1, 1, -1, 1};

static double length(const NsMechanismCase *c)
{
  return c->p[NS_L1];
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  ns_crank_mass(c->p, q, 3, M);
  M[2] = M[5] = M[6] = M[7] = 0;
  M[8]                      = c->p[J3];
}

static void massrate(const NsMechanismCase *c, const double *q, const double *v, double *y)
{
  ns_crank_massrate(c->p, q, v, y);
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  ns_crank_force(c, q, v, h);
  h[2] = 0;
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = 0;
  *potential = ns_crank_potential(c, q);
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  const double *p  = c->p;
  const double  s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), s3 = sin(q[2]), c3 = cos(q[2]);
  const double  height = p[NS_L1] * s1 + p[NS_L2] * s2;

  (void)t;
  (void)drive;
  for (int k = 0; k < 4; k++) {
    double *n = W + 6 * k, *x = n + 3;
    g[k] = (p[B] + p[C]) + wall[k] * (height + end[k] * p[A] * s3) - p[B] * c3;
    n[0] = wall[k] * p[NS_L1] * c1;
    n[1] = wall[k] * p[NS_L2] * c2;
    n[2] = wall[k] * end[k] * p[A] * c3 + p[B] * s3;
    x[0] = -p[NS_L1] * s1;
    x[1] = -p[NS_L2] * s2;
    x[2] = -end[k] * p[A] * s3 + wall[k] * p[B] * c3;
  }
}

/* (35), and the same for W_T: only column i of dW'/dq_i does not vanish, so the rates are rows of second derivatives times v_i^2. */
static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  const double *p  = c->p;
  const double  s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), s3 = sin(q[2]), c3 = cos(q[2]);
  const double  v1 = v[0] * v[0], v2 = v[1] * v[1], v3 = v[2] * v[2];

  (void)t;
  for (int k = 0; k < 4; k++) {
    d[2 * k]     = -wall[k] * (p[NS_L1] * s1 * v1 + p[NS_L2] * s2 * v2) + (-wall[k] * end[k] * p[A] * s3 + p[B] * c3) * v3;
    d[2 * k + 1] = -p[NS_L1] * c1 * v1 - p[NS_L2] * c2 * v2 + (-end[k] * p[A] * c3 - wall[k] * p[B] * s3) * v3;
  }
}

/* Middle of the slider and a corner of it: x along the slider, y across. */
static void slider_point(const NsMechanismCase *c, const double *q, double along, double across, double x[3])
{
  const double *p = c->p;

  x[0] = p[NS_L1] * cos(q[0]) + p[NS_L2] * cos(q[1]) + along * cos(q[2]) - across * sin(q[2]);
  x[1] = p[NS_L1] * sin(q[0]) + p[NS_L2] * sin(q[1]) + along * sin(q[2]) + across * cos(q[2]);
  x[2] = 0;
}

/* Bearing, crank pin, middle of the slider, its four corners; the walls as far as the slider goes. */
static const int lines[][2] = {{0, 1}, {1, 2}, {3, 4}, {4, 6}, {6, 5}, {5, 3}, {7, 8}, {9, 10}};

static const char *const point_names[11] = {NULL, "pin", "slider"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  const double *p    = c->p;
  const double  near = fabs(p[NS_L2] - p[NS_L1]) - p[A], far = p[NS_L1] + p[NS_L2] + p[A];

  x[0] = x[1] = x[2] = x[5] = 0;
  x[3]                      = p[NS_L1] * cos(q[0]);
  x[4]                      = p[NS_L1] * sin(q[0]);
  slider_point(c, q, 0, 0, x + 6);
  for (int k = 0; k < 4; k++) slider_point(c, q, end[k] * p[A], -wall[k] * p[B], x + 9 + 3 * k);
  for (int k = 0; k < 4; k++) {
    x[21 + 3 * k] = k % 2 ? far : near;
    x[22 + 3 * k] = (k < 2 ? 1 : -1) * (p[B] + p[C]);
    x[23 + 3 * k] = 0;
  }
}

static double radius(const NsMechanismCase *c)
{
  return c->p[NS_L1] / 50;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)t;
  slider_point(c, q, end[k] * c->p[A], -wall[k] * c->p[B], x);
  normal[0] = normal[2] = 0;
  normal[1]             = wall[k];
}

const NsMechanism NsMechanism_SliderCrank = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "slider_crank",
  .title         = "slider-crank mechanism, slider with clearance: four corners that hit and rub",
  .about         = "Angles theta1, theta2, theta3 of crank, rod and slider; the notch of height 2 (slider_half_height + clearance) lies along x.\n"
                   "Corners 1 (rear) and 2 (front) touch the wall above, 3 and 4 the one below. Gravity is the key `gravity`\n"
                   "of the config, e.g. [0, -9.81, 0]; the default is none. Defaults are Table 1 of the reference; rates of\n"
                   "the rows for schemes on acceleration level.\n"
                   "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
                   "time-discontinuous Galerkin methods, 2.1.",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .length        = length,
  .mass          = mass,
  .massrate      = massrate,
  .force         = force,
  .energy        = energy,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = 11,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
