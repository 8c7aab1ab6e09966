/*
  A mass on a spring and a dashpot, with a stop: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, example (a).

      m x'' = -k (x - rest) - c x' + lambda,   g = x

  With rest < 0 the spring is preloaded: it presses the mass onto the stop with -k rest, and without dashpot each bounce is an arc of the oscillation about `rest`.
*/
#include "percuss/mechanism.h"

enum { MASS, STIFFNESS, DAMPING, REST };

static const NsMechanismParameter parameters[] = {
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "mass that moves along x"},
  {"stiffness", {0, 1, -2, 0}, "100 N/m", "0 <", 0, "of the spring"},
  {"damping", {0, 1, -1, 0}, "0 kg/s", "0", 0, "of the dashpot parallel to the spring"},
  {"rest", {1, 0, 0, 0}, "0 m", 0, 0, "position at which the spring is unstretched; negative: it presses the mass onto the stop"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"x", "v", {1, 0, 0, 0}, "0.1 m", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"stop", 0, 0}, {0}};

/* The picture extends as far. */
static double length(const NsMechanismCase *c)
{
  const double rest = c->p[REST] < 0 ? -c->p[REST] : c->p[REST];

  return rest > 0.1 ? rest : 0.1;
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)q;
  M[0] = c->p[MASS];
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  h[0] = -c->p[STIFFNESS] * (q[0] - c->p[REST]) - c->p[DAMPING] * v[0] + c->p[MASS] * c->gravity[0];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = c->p[STIFFNESS] / 2 * (q[0] - c->p[REST]) * (q[0] - c->p[REST]);
  *potential = -c->p[MASS] * c->gravity[0] * q[0];
}

static void power(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load)
{
  (void)t;
  (void)q;
  *damping = c->p[DAMPING] * v[0] * w[0];
  *load    = 0;
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)c;
  (void)t;
  (void)drive;
  g[0] = q[0];
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

/* The stop, the mass as a square behind it, and the spring as a zigzag to a wall far on the right. */
#define COILS 8
static const int lines[][2] = {
  {0, 1}, {2, 3}, {3, 4}, {4, 5}, {5, 2}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 12}, {12, 13}, {13, 14}, {15, 16}};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  const double size = length(c) / 2, wall = 5 * length(c), right = q[0] + size;
  const double corner[6][2] = {{0, -size}, {0, size}, {q[0], -size / 2}, {right, -size / 2}, {right, size / 2}, {q[0], size / 2}};

  for (int i = 0; i < 6; i++) {
    x[3 * i]     = corner[i][0];
    x[3 * i + 1] = corner[i][1];
  }
  for (int i = 0; i <= COILS; i++) {
    x[3 * (6 + i)]     = right + (wall - right) * i / COILS;
    x[3 * (6 + i) + 1] = i == 0 || i == COILS ? 0 : (i % 2 ? 0.2 : -0.2) * size;
  }
  for (int i = 0; i < 2; i++) {
    x[3 * (7 + COILS + i)]     = wall;
    x[3 * (7 + COILS + i) + 1] = i ? size : -size;
  }
  for (int i = 0; i < 9 + COILS; i++) x[3 * i + 2] = 0;
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 50;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)c;
  (void)t;
  (void)k;
  x[0] = q[0];
  x[1] = x[2] = normal[1] = normal[2] = 0;
  normal[0]                           = 1;
}

const NsMechanism NsMechanism_Oscillator = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "oscillator",
  .title         = "mass on a spring and a dashpot, with a stop",
  .about         = "x of the mass; the stop is x = 0 and keeps it at x >= 0. The spring is unstretched at x = rest; a negative\n"
                   "rest presses the mass onto the stop. Without dashpot and preload it comes back to the stop every\n"
                   "pi sqrt(mass/stiffness), with e times its speed.\n"
                   "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact.",
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
  .points        = 9 + COILS,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
