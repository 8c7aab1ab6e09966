/*
  Equal balls in a row: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, example (c). q = (x1, x2, ...), displacements
  from their positions at the start, neighbours `gap` apart.

      m x_i'' = m g_x + lambda_{i-1} - lambda_i,   g_i = gap + x_{i+1} - x_i

  Touching balls (gap = 0) hit by the first one are all in one impact. Newton's law on all contacts, u+ = -e u- with u- = 0 between those at rest, gives
  v+ = (1 + e)/n v for the balls 2 .. n and (1 + e)/n v - e v for the first. With gaps the impacts come one after the other: e = 1 passes the velocity on to the last ball.
  Displacements, not positions: gaps of balls that have not moved are exact.
*/
#include <math.h>
#include "circle.h"
#include "percuss/mechanism.h"

enum { BALLS, MASS, DIAMETER, GAP };

static const NsMechanismParameter parameters[] = {
  {"balls", {0, 0, 0, 0}, "3", "2", "16", "number of balls"},
  {"mass", {0, 1, 0, 0}, "1 kg", "0 <", 0, "of each ball"},
  {"diameter", {1, 0, 0, 0}, "0.1 m", "0 <", 0, "of each ball"},
  {"gap", {1, 0, 0, 0}, "0 m", "0", 0, "between neighbours at zero displacements; 0: they touch"},
  {0},
};

#define BALL(i) \
  { \
    "x" #i, "v" #i, {1, 0, 0, 0}, "0", "0" \
  }
static const NsMechanismCoordinate coordinates[] = {BALL(1), BALL(2), BALL(3), BALL(4), BALL(5), BALL(6), BALL(7), BALL(8), BALL(9), BALL(10),
  BALL(11), BALL(12), BALL(13), BALL(14), BALL(15), BALL(16), {0}};

static const NsMechanismContact contacts[] = {{"pair1", 0, 0}, {"pair2", 0, 0}, {"pair3", 0, 0}, {"pair4", 0, 0}, {"pair5", 0, 0}, {"pair6", 0, 0},
  {"pair7", 0, 0}, {"pair8", 0, 0}, {"pair9", 0, 0}, {"pair10", 0, 0}, {"pair11", 0, 0}, {"pair12", 0, 0}, {"pair13", 0, 0}, {"pair14", 0, 0},
  {"pair15", 0, 0}, {0}};

static int balls(const NsMechanismCase *c)
{
  return (int)c->p[BALLS];
}

static const char *check(const NsMechanismCase *c)
{
  return c->p[BALLS] == floor(c->p[BALLS]) ? 0 : "`balls` is a whole number, from 2 to 16";
}

static void sizes(const NsMechanismCase *c, int *n, int *pairs)
{
  *n     = balls(c);
  *pairs = balls(c) - 1;
}

static double length(const NsMechanismCase *c)
{
  return c->p[DIAMETER];
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)q;
  for (int i = 0; i < balls(c); i++) M[i * balls(c) + i] = c->p[MASS];
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  (void)q;
  (void)v;
  for (int i = 0; i < balls(c); i++) h[i] = c->p[MASS] * c->gravity[0];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic = *potential = 0;
  for (int i = 0; i < balls(c); i++) *potential -= c->p[MASS] * c->gravity[0] * q[i];
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)t;
  (void)drive;
  for (int k = 0; k < balls(c) - 1; k++) {
    g[k]                    = c->p[GAP] + (q[k + 1] - q[k]);
    W[k * balls(c) + k]     = -1;
    W[k * balls(c) + k + 1] = 1;
  }
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)t;
  (void)q;
  (void)v;
  for (int k = 0; k < balls(c) - 1; k++) d[k] = 0;
}

/* Each ball as a polygon; balls beyond `balls` coincide with the last one. */
#define SIDES 12
#define RING(o) \
  {(o), (o) + 1}, {(o) + 1, (o) + 2}, {(o) + 2, (o) + 3}, {(o) + 3, (o) + 4}, {(o) + 4, (o) + 5}, {(o) + 5, (o) + 6}, {(o) + 6, (o) + 7}, \
    {(o) + 7, (o) + 8}, {(o) + 8, (o) + 9}, {(o) + 9, (o) + 10}, {(o) + 10, (o) + 11}, \
  { \
    (o) + 11, (o) \
  }
static const int lines[][2] = {RING(0), RING(12), RING(24), RING(36), RING(48), RING(60), RING(72), RING(84), RING(96), RING(108), RING(120),
  RING(132), RING(144), RING(156), RING(168), RING(180)};

static double middle(const NsMechanismCase *c, const double *q, int ball)
{
  return ball * (c->p[DIAMETER] + c->p[GAP]) + q[ball];
}

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  for (int i = 0; i < NS_MECHANISM_COORDINATES; i++) /* balls beyond `balls` coincide with the last one */
    ns_circle(SIDES, middle(c, q, i < balls(c) ? i : balls(c) - 1), 0, c->p[DIAMETER] / 2, x + 3 * SIDES * i);
}

static double radius(const NsMechanismCase *c)
{
  return length(c) / 50;
}

/* Halfway; the normal is that of the push on the second of the two. */
static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)t;
  x[0] = (middle(c, q, k) + middle(c, q, k + 1)) / 2;
  x[1] = x[2] = normal[1] = normal[2] = 0;
  normal[0]                           = 1;
}

const NsMechanism NsMechanism_BallChain = {
  .version       = NS_MECHANISM_VERSION,
  .name          = "ball_chain",
  .title         = "2 to 16 balls in a row, touching or apart",
  .about         = "x1, x2, ... are displacements along the row (the x axis) from where neighbours are `gap` apart; contacts pair1,\n"
                   "pair2, ... between them. Touching balls hit by the first one share one impact: 3 balls have then\n"
                   "-1/3, 2/3, 2/3 of its velocity (e = 1), with Newton's law on all contacts. With gaps and e = 1 the velocity passes on to\n"
                   "the last ball. After touching balls have moved, their gaps contain rounding errors: to hit them again, give the\n"
                   "contact a gap_tolerance, such as 1e-12 m.\n"
                   "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact.",
  .parameters    = parameters,
  .coordinates   = coordinates,
  .contacts      = contacts,
  .check         = check,
  .sizes         = sizes,
  .length        = length,
  .mass          = mass,
  .constant_mass = 1,
  .force         = force,
  .energy        = energy,
  .contact       = contact,
  .rowrate       = rowrate,
  .points        = NS_MECHANISM_COORDINATES * SIDES,
  .lines         = sizeof(lines) / sizeof(lines[0]),
  .line          = lines,
  .radius        = radius,
  .draw          = draw,
  .contact_point = contact_point,
};
