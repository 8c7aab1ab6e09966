/*
  A ball in the corner of a box: [A] 6.2. q = (x, y), the ball's centre; walls x = 0, x = a, y = 0, y = b.

      g = (x - R, y - R, a - x - R, b - y - R)

  The ball does not turn: friction acts at its centre. (133) of the paper lacks the mass and the sign of gravity.
*/
#include "circle.h"
#include "percuss/mechanism.h"

enum { WIDTH, HEIGHT, RADIUS, MASS };
#include "point_mass.h" /* uses MASS */

static const NsMechanismParameter parameters[] = {
  {"width", {1, 0, 0, 0}, "4 m", "0 <", 0, "of the box, along x"},
  {"height", {1, 0, 0, 0}, "4 m", "0 <", 0, "of the box, along y"},
  {"radius", {1, 0, 0, 0}, "1 m", "0", 0, "of the ball"},
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "of the ball"},
  {0},
};

static const NsMechanismCoordinate coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "2 m", "0"},
  {"y", "vy", {1, 0, 0, 0}, "2 m", "0"},
  {0},
};

static const NsMechanismContact contacts[] = {{"left", 1, 0}, {"below", 1, 0}, {"right", 1, 0}, {"above", 1, 0}, {0}};

static const char *check(const NsMechanismCase *c)
{
  return 2 * c->p[RADIUS] < c->p[WIDTH] && 2 * c->p[RADIUS] < c->p[HEIGHT] ? 0 : "the ball does not fit into the box";
}

static double length(const NsMechanismCase *c)
{
  return c->p[WIDTH] < c->p[HEIGHT] ? c->p[WIDTH] : c->p[HEIGHT];
}

/* Inward normals of the walls left, below, right, above; tangents a quarter turn further. */
static const double inward[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  (void)drive;
  for (int k = 0; k < 4; k++) {
    const double *n = inward[k];
    g[k]            = n[0] * q[0] + n[1] * q[1] - c->p[RADIUS];
    if (k == 2) g[k] += c->p[WIDTH];
    if (k == 3) g[k] += c->p[HEIGHT];
    W[4 * k]     = n[0];
    W[4 * k + 1] = n[1];
    W[4 * k + 2] = -n[1];
    W[4 * k + 3] = n[0];
  }
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  (void)t;
  (void)q;
  (void)v;
  for (int i = 0; i < 8; i++) d[i] = 0;
}

/* The ball as a polygon, the box as a rectangle. */
#define SIDES 16
static const int lines[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 12}, {12, 13},
  {13, 14}, {14, 15}, {15, 0}, {SIDES, SIDES + 1}, {SIDES + 1, SIDES + 2}, {SIDES + 2, SIDES + 3}, {SIDES + 3, SIDES}};

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  const double width = c->p[WIDTH], height = c->p[HEIGHT];
  const double corner[4][2] = {{0, 0}, {width, 0}, {width, height}, {0, height}};

  ns_circle(SIDES, q[0], q[1], c->p[RADIUS], x);
  for (int i = 0; i < 4; i++) {
    x[3 * (SIDES + i)]     = corner[i][0];
    x[3 * (SIDES + i) + 1] = corner[i][1];
    x[3 * (SIDES + i) + 2] = 0;
  }
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 100;
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)t;
  for (int i = 0; i < 2; i++) {
    x[i]      = q[i] - c->p[RADIUS] * inward[k][i];
    normal[i] = inward[k][i];
  }
  x[2] = normal[2] = 0;
}

const NsMechanism NsMechanism_BallInBox = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "ball_in_box",
  .title         = "ball in a rectangular box",
  .about         = "x and y of the ball's centre; walls left (x = 0), below (y = 0), right, above. The ball does not rotate.\n"
                   "With gravity (key `gravity` of the config) towards a corner the ball comes to rest on two walls.\n"
                   "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
                   "time-discontinuous Galerkin methods, 6.2.",
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
  .points        = SIDES + 4,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
