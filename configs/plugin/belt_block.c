/*
  A block on a moving belt, held by a spring and a dashpot: the standard example of stick-slip, as a plugin of percuss.

      m x'' = -k x - d x' + F_T,   m y'' = F_N + m g_y,   gap y;   slip velocity x' - belt_speed

  Build it with any C compiler (see README.md in this folder):  cc -shared -fPIC -O2 -I../../include belt_block.c -o belt_block.so
*/
#include "percuss/mechanism.h"

/* The parameters, in the order of the list below. */
enum { MASS, STIFFNESS, DAMPING, BELT_SPEED };

static const NsMechanismParameter parameters[] = {
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "of the block"},
  {"stiffness", {0, 1, -2, 0}, "100 N/m", "0", 0, "of the spring to the ground"},
  {"damping", {0, 1, -1, 0}, "0", "0", 0, "of the dashpot beside it"},
  {"belt_speed", {1, 0, -1, 0}, "0.1 m/s", 0, 0, "of the belt, along x"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "0", "0"},
  {"y", "vy", {1, 0, 0, 0}, "0", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"belt", 1, 0}, {0}};

static double length(const NsMechanismCase *c)
{
  (void)c;
  return 0.1;
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)q;
  M[0] = M[3] = c->p[MASS];
  M[1] = M[2] = 0;
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  h[0] = c->p[MASS] * c->gravity[0] - c->p[STIFFNESS] * q[0] - c->p[DAMPING] * v[0];
  h[1] = c->p[MASS] * c->gravity[1];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = c->p[STIFFNESS] / 2 * q[0] * q[0];
  *potential = -c->p[MASS] * (c->gravity[0] * q[0] + c->gravity[1] * q[1]);
}

static void power(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load)
{
  (void)t;
  (void)q;
  *damping = c->p[DAMPING] * v[0] * w[0];
  *load    = 0;
}

/* One contact, two rows: the normal y, the tangent x. The prescribed speed of the belt is the drive of the tangent. */
static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  g[0]     = q[1];
  W[0]     = 0;
  W[1]     = 1;
  W[2]     = 1;
  W[3]     = 0;
  drive[1] = -c->p[BELT_SPEED];
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  (void)t;
  (void)q;
  (void)v;
  d[0] = d[1] = 0;
}

/* The block as a rectangle. */
static const int lines[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  static const double corner[4][2] = {{-0.05, 0}, {0.05, 0}, {0.05, 0.05}, {-0.05, 0.05}};

  (void)c;
  for (int i = 0; i < 4; i++) {
    x[3 * i]     = q[0] + corner[i][0];
    x[3 * i + 1] = q[1] + corner[i][1];
    x[3 * i + 2] = 0;
  }
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)c;
  (void)t;
  (void)k;
  x[0]      = q[0];
  x[1]      = q[1];
  normal[1] = 1;
  x[2] = normal[0] = normal[2] = 0;
}

const NsMechanism percuss_mechanism = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "belt_block",
  .title         = "block on a moving belt, held by a spring",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .length        = length,
  .mass          = mass,
  .constant_mass = 1,
  .force         = force,
  .energy        = energy,
  .power         = power,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = 4,
  .lines         = 4,
  .line          = lines,
  .draw          = draw,
  .contact_point = contact_point,
};
