/*
  A rectangular block that stands, rocks and slides on a floor: [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE
  solvers for nonsmooth multibody systems with unilateral and bilateral constraints, 3.1.2; [C] V. Acary, O. Bonnefon: Time integration
  of nonsmooth mechanical systems with unilateral contact, example (d). q = (x, y, theta): the centre, and the angle of the width w against x.

      corner k     r_k = (x, y) + a_k,    a_k = (s w/2 cos th + h/2 sin th, s w/2 sin th - h/2 cos th),    s = -1 left, +1 right
      gap          g_k = y + a_k,y        (19) of [E] for the left one: z - w/2 sin th - h/2 cos th
      rows         W_N = (0, 1, a_k,x),   W_T = (1, 0, -a_k,y): the corner's velocity along x
      rates        d_N = -a_k,y om^2,     d_T = -a_k,x om^2
*/
#include <math.h>
#include "percuss/mechanism.h"

enum { WIDTH, HEIGHT, MASS, INERTIA };

static const NsMechanismParameter parameters[] = {
  {"width", {1, 0, 0, 0}, "1 m", "0 <", 0, "of the block, the side along x where theta is 0"},
  {"height", {1, 0, 0, 0}, "0.5 m", "0 <", 0, "of the block, the other side"},
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "of the block"},
  {"inertia", {2, 1, 0, 0}, "0", "0", 0, "of the block about its centre; 0: that of a homogeneous one, m (w^2 + h^2)/12"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "0", "0"},
  {"y", "vy", {1, 0, 0, 0}, "0.25 m", "0"},
  {"theta", "omega", {0, 0, 0, 1}, "0", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"left", 1, 0}, {"right", 1, 0}, {0}};

static double length(const NsMechanismCase *c)
{
  return fmax(c->p[WIDTH], c->p[HEIGHT]);
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  const double *p = c->p;

  (void)q;
  M[0] = M[4] = p[MASS];
  M[8]        = p[INERTIA] > 0 ? p[INERTIA] : p[MASS] * (p[WIDTH] * p[WIDTH] + p[HEIGHT] * p[HEIGHT]) / 12;
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  (void)q;
  (void)v;
  for (int i = 0; i < 2; i++) h[i] = c->p[MASS] * c->gravity[i];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = 0;
  *potential = -c->p[MASS] * (c->gravity[0] * q[0] + c->gravity[1] * q[1]);
}

/* From the centre to a corner: along and across are -1 or 1. */
static void arm(const NsMechanismCase *c, const double *q, double along, double across, double a[2])
{
  const double u = along * c->p[WIDTH] / 2, v = across * c->p[HEIGHT] / 2;

  a[0] = u * cos(q[2]) - v * sin(q[2]);
  a[1] = u * sin(q[2]) + v * cos(q[2]);
}

/* Of the corners that touch. */
static const double end[2] = {-1, 1};

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  (void)drive;
  for (int k = 0; k < 2; k++) {
    double a[2], *n = W + 6 * k, *x = n + 3;
    arm(c, q, end[k], -1, a);
    g[k] = q[1] + a[1];
    n[0] = 0;
    n[1] = 1;
    n[2] = a[0];
    x[0] = 1;
    x[1] = 0;
    x[2] = -a[1];
  }
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)t;
  for (int k = 0; k < 2; k++) {
    double a[2];
    arm(c, q, end[k], -1, a);
    d[2 * k]     = -a[1] * v[2] * v[2];
    d[2 * k + 1] = -a[0] * v[2] * v[2];
  }
}

/* The corners below left and right, above right and left; the floor. */
static const int         lines[][2]     = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}};
static const char *const point_names[6] = {"left", "right"};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  static const double along[4] = {-1, 1, 1, -1}, across[4] = {-1, -1, 1, 1};

  for (int k = 0; k < 4; k++) {
    arm(c, q, along[k], across[k], x + 3 * k);
    x[3 * k] += q[0];
    x[3 * k + 1] += q[1];
    x[3 * k + 2] = 0;
  }
  for (int k = 0; k < 2; k++) {
    x[12 + 3 * k] = (k ? 1.5 : -1.5) * length(c);
    x[13 + 3 * k] = x[14 + 3 * k] = 0;
  }
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 100;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)t;
  arm(c, q, end[k], -1, x);
  x[0] += q[0];
  x[1] += q[1];
  x[2] = normal[0] = normal[2] = 0;
  normal[1]                    = 1;
}

const NsMechanism NsMechanism_RockingBlock = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "rocking_block",
  .title         = "block that rocks on a floor",
  .about         = "x, y of the block's centre and its angle theta; its corners left and right (of the lower side) touch the floor y = 0, with\n"
                   "friction along x. Gravity is the key `gravity` of the config, e.g. [0, -9.81, 0].\n"
                   "Housner: a block that rocks from corner to corner without sliding loses velocity by omega+/omega- = 1 - 3/2 sin^2 alpha,\n"
                   "tan alpha = width/height.\n"
                   "References: Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody\n"
                   "systems, 3.1.2; Housner, The behavior of inverted pendulum structures during earthquakes, 1963.",
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
  .points        = 6,
  .point_names   = point_names,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
