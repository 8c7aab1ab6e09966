/*
  Slider-crank mechanism with a joint in place of the clearance: the slider's centre stays on the x axis.

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 2.1: (21)-(24); the first
  row of (22) carries omega_2 squared (misprint). q = (th1, th2).

      g = l1 sin th1 + l2 sin th2 = 0
*/
#include "slider_crank.h"

static const NsMechanismParameter parameters[] = {NS_CRANK_KEYS, {0}};

static const NsMechanismCoordinate coordinates[] = {
  {"theta1", "omega1", {0, 0, 0, 1}, "0", "150 rad/s"},
  {"theta2", "omega2", {0, 0, 0, 1}, "0", "-75 rad/s"},
  {0},
};

static const NsMechanismContact contacts[] = {{"guide", 0, 1}, {0}};

static double length(const NsMechanismCase *c)
{
  return c->p[NS_L1];
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  ns_crank_mass(c->p, q, 2, M);
}

static void massrate(const NsMechanismCase *c, const double *q, const double *v, double *y)
{
  ns_crank_massrate(c->p, q, v, y);
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  ns_crank_force(c, q, v, h);
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = 0;
  *potential = ns_crank_potential(c, q);
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  (void)drive;
  g[0] = c->p[NS_L1] * sin(q[0]) + c->p[NS_L2] * sin(q[1]);
  W[0] = c->p[NS_L1] * cos(q[0]);
  W[1] = c->p[NS_L2] * cos(q[1]);
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)t;
  d[0] = -c->p[NS_L1] * sin(q[0]) * v[0] * v[0] - c->p[NS_L2] * sin(q[1]) * v[1] * v[1];
}

static const int lines[][2] = {{0, 1}, {1, 2}};

static const char *const point_names[3] = {NULL, "pin", "slider"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  const double *p = c->p;

  x[0] = x[1] = x[2] = x[5] = x[8] = 0;
  x[3]                             = p[NS_L1] * cos(q[0]);
  x[4]                             = p[NS_L1] * sin(q[0]);
  x[6]                             = x[3] + p[NS_L2] * cos(q[1]);
  x[7]                             = x[4] + p[NS_L2] * sin(q[1]);
}

static double radius(const NsMechanismCase *c)
{
  return c->p[NS_L1] / 50;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  double all[9];

  (void)t;
  (void)k;
  draw(c, q, all);
  for (int i = 0; i < 3; i++) {
    x[i]      = all[6 + i];
    normal[i] = i == 1;
  }
}

const NsMechanism NsMechanism_SliderCrankBilateral = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "slider_crank_bilateral",
  .title         = "slider-crank mechanism with a joint: one constraint, no impacts",
  .about         = "Angles theta1 and theta2 of crank and rod; the slider's centre is held on the x axis: l1 sin theta1 + l2 sin theta2 = 0.\n"
                   "A test case for index reduction and drift: compare schemes and levels of the constraint.\n"
                   "Reference: Schoeder, Ulbrich, Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting\n"
                   "mechanical systems, 2.1.",
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
  .points        = 3,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
