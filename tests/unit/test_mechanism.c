/* Mechanisms: the built-in ones against geometry and mechanics, the dense adapter, what finds wrong ones, plugins. */
#include "support.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include "mechanism/dense.h"

extern const NsMechanism NsMechanism_SliderCrank, NsMechanism_SliderCrankBilateral, NsMechanism_BallInBox, NsMechanism_BouncingBall,
  NsMechanism_BallChain, NsMechanism_Oscillator, NsMechanism_RockingBlock, NsMechanism_SliderCrankTwoJoints, NsMechanism_Edge,
  NsMechanism_SpringPendulum, NsMechanism_PendulumInRing;

/* The same numbers in each run, from -1 to 1. */
static double number(void)
{
  static unsigned long long state = 88172645463325252ull;

  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / (double)(1ull << 52) - 1;
}

/* ---- runs that may be refused ---- */

typedef struct {
  NsArena *arena;
  NsDiag  *diag;
  NsRun   *run;
  char    *said; /* all messages, as a user sees them */
  size_t   size;
} Opened;

/* Closed with close_run, whatever was said. */
static Opened open_run(const char *text)
{
  char         path[] = "/tmp/percuss_test_XXXXXX";
  Opened       opened = {NsArenaCreate(), NULL, NULL, NULL, 0};
  NsRunOptions options;
  const int    file = mkstemp(path);
  FILE        *stream;

  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  memset(&options, 0, sizeof(options));
  options.config_path = path;
  opened.diag         = NsDiagCreate(opened.arena);
  CHECK(NsRunCreate(&options, opened.arena, opened.diag, &opened.run));
  unlink(path);
  stream = open_memstream(&opened.said, &opened.size);
  assert_non_null(stream);
  NsDiagPrint(opened.diag, stream, false);
  fclose(stream);
  return opened;
}

static void close_run(Opened *opened)
{
  CHECK(NsRunDestroy(&opened->run));
  NsArenaDestroy(&opened->arena);
  free(opened->said);
}

static void expect_words(const char *said, const char *words)
{
  if (!strstr(said, words)) fail_msg("expected '%s' in:\n%s", words, *said ? said : "(nothing)");
}

/* ---- built-in mechanisms ---- */

typedef struct {
  const NsMechanism *m;
  double             p[NS_MECHANISM_PARAMETERS];
  double             gravity[3];
  int                n, contacts, rows;
} Trial;

static const Trial built_in[] = {
  {&NsMechanism_SliderCrank, {0.153, 0.306, 0.038, 0.041, 0.076, 7.4e-5, 5.9e-4, 2.7e-6, 0.05, 0.025, 0.001}, {1.5, -9.81, 0}, 3, 4, 8},
  {&NsMechanism_SliderCrankBilateral, {0.153, 0.306, 0.038, 0.041, 0.076, 7.4e-5, 5.9e-4}, {1.5, -9.81, 0}, 2, 1, 1},
  {&NsMechanism_BallInBox, {4, 3, 0.7, 2.5}, {-2, -9.81, 0}, 2, 4, 8},
  {&NsMechanism_RockingBlock, {0.9, 0.4, 1.7, 0}, {1.5, -9.81, 0}, 3, 2, 4},
  {&NsMechanism_SliderCrankTwoJoints, {1.1, 2.3, 1, 0.8, 1.2, 0, 0.3}, {1.5, -9.81, 0}, 3, 2, 2},
  {&NsMechanism_Edge, {1.7, 0.8}, {1.5, -9.81, 0}, 2, 2, 2},
};
#define BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))
#define WALLS    4 /* of the first ones gaps are distances of points from walls */

/* What is said of these functions at this start. Lives as long as the next call. */
static const char *verify(const NsMechanism *m, const double *p, const double *gravity, const double *start)
{
  static char           said[4096];
  NsArena              *arena = NsArenaCreate();
  NsDiag               *diag  = NsDiagCreate(arena);
  const NsPlace         place = {NULL, 0, 0, 0};
  const NsMechanismCase c     = {p, {gravity[0], gravity[1], gravity[2]}};
  NsCandidate           candidate[NS_MECHANISM_COORDINATES];
  FILE                 *stream = fmemopen(said, sizeof(said), "w");

  for (int k = 0; m->contacts && m->contacts[k].name; k++) candidate[k] = (NsCandidate){.name = m->contacts[k].name};
  NsMechanismVerify(m, &c, start, place, candidate, diag);
  memset(said, 0, sizeof(said));
  NsDiagPrint(diag, stream, false);
  fclose(stream);
  NsArenaDestroy(&arena);
  return said;
}

static void built_in_functions_fit_each_other(void **state)
{
  double start[2 * NS_MECHANISM_COORDINATES];

  (void)state;
  for (size_t b = 0; b < BUILT_IN; b++) {
    for (int trying = 0; trying < 300; trying++) {
      for (int i = 0; i < built_in[b].n; i++) {
        start[2 * i]     = 4 * number();
        start[2 * i + 1] = 100 * number();
      }
      const char *said = verify(built_in[b].m, built_in[b].p, built_in[b].gravity, start);
      if (*said) fail_msg("%s", said);
    }
  }
}

/* Rows may have kinks: right rates there are those of what follows, whichever way the mass goes. */
static void kinks_are_not_reported(void **state)
{
  const Trial *edge = &built_in[BUILT_IN - 1];

  (void)state;
  for (int way = -1; way <= 1; way += 2) {
    const double start[4] = {0, 4.7 * way, 0, 0};
    assert_string_equal(verify(edge->m, edge->p, edge->gravity, start), "");
  }
}

/* Those of one direction, and chains of every length. */
static void rows_of_balls_fit_too(void **state)
{
  double start[2 * NS_MECHANISM_COORDINATES];

  (void)state;
  for (int balls = 0; balls <= 16; balls++) {
    const NsMechanism    *m    = balls == 0 ? &NsMechanism_BouncingBall : balls == 1 ? &NsMechanism_Oscillator : &NsMechanism_BallChain;
    const double          p[]  = {balls > 1 ? balls : 1.3, balls == 1 ? 70 : 0.2, 0.3, balls == 1 ? -0.4 : 0.01};
    const double          g[3] = {1.5, -9.81, 0};
    const NsMechanismCase c    = {p, {g[0], g[1], g[2]}};
    const NsMechanismSize size = NsMechanismSizeOf(m, &c);
    assert_int_equal(size.n, balls > 1 ? balls : 1);
    assert_int_equal(size.contacts, balls > 1 ? balls - 1 : 1);
    assert_int_equal(size.rows, size.contacts);
    for (int trying = 0; trying < 20; trying++) {
      for (int i = 0; i < 2 * NS_MECHANISM_COORDINATES; i++) start[i] = number();
      const char *said = verify(m, p, g, start);
      if (*said) fail_msg("%s", said);
    }
  }
}

static void mass_matrices_are_symmetric_and_positive(void **state)
{
  (void)state;
  for (size_t b = 0; b < BUILT_IN; b++) {
    const int             n = built_in[b].n;
    const NsMechanismCase c = {built_in[b].p, {0}};
    for (int trying = 0; trying < 1000; trying++) {
      double M[9] = {0}, q[3], x[3], xMx = 0, xx = 0;
      for (int i = 0; i < n; i++) {
        q[i] = 4 * number();
        x[i] = number();
      }
      built_in[b].m->mass(&c, q, M);
      for (int i = 0; i < n; i++) {
        xx += x[i] * x[i];
        for (int j = 0; j < n; j++) {
          assert_true(M[i * n + j] == M[j * n + i]);
          xMx += x[i] * M[i * n + j] * x[j];
        }
      }
      assert_true(xMx > 1e-7 * xx);
    }
  }
}

/* Rows from where the touching point goes: W_N' v its way along the normal, W_T' v along the surface; the gap its distance to the wall. */
static void rows_are_the_ways_of_the_touching_points(void **state)
{
  const double h = 1e-6;

  (void)state;
  for (size_t b = 0; b < WALLS; b++) {
    const Trial          *trial = &built_in[b];
    const double         *p     = trial->p;
    const NsMechanismCase c     = {p, {0}};
    for (int trying = 0; trying < 100; trying++) {
      double q[3], side[3], g[4], W[24], drive[8] = {0}, x[2][3], normal[3], x0[3];
      for (int i = 0; i < trial->n; i++) q[i] = 3 * number();
      trial->m->contact(&c, 0, q, g, W, drive);
      for (int k = 0; k < trial->contacts; k++) {
        const int row = k * (1 + trial->m->contacts[k].tangents);
        double    tangent[2];
        trial->m->contact_point(&c, 0, q, k, x0, normal);
        assert_near(normal[0] * normal[0] + normal[1] * normal[1], 1, 1e-15);
        assert_near(normal[2], 0, 0);
        assert_near(x0[2], 0, 0);
        /* along +x for slider and block, a quarter turn further than the normal for the ball */
        tangent[0] = b == 2 ? -normal[1] : 1;
        tangent[1] = b == 2 ? normal[0] : 0;
        if (b == 0) assert_near(g[k], p[9] + p[10] + normal[1] * x0[1], 1e-15);
        if (b == 1 || b == 3) assert_near(g[k], x0[1], 1e-15);
        if (b == 2) assert_near(g[k], normal[0] * x0[0] + normal[1] * x0[1] + (k == 2 ? p[0] : 0) + (k == 3 ? p[1] : 0), 1e-15);
        for (int j = 0; j < trial->n; j++) {
          for (int s = 0; s < 2; s++) {
            double n[3];
            memcpy(side, q, sizeof(side));
            side[j] += s ? h : -h;
            trial->m->contact_point(&c, 0, side, k, x[s], n);
          }
          const double way[2] = {(x[1][0] - x[0][0]) / (2 * h), (x[1][1] - x[0][1]) / (2 * h)};
          assert_near(W[row * trial->n + j], normal[0] * way[0] + normal[1] * way[1], 1e-9);
          if (trial->m->contacts[k].tangents) assert_near(W[(row + 1) * trial->n + j], tangent[0] * way[0] + tangent[1] * way[1], 1e-9);
        }
      }
      for (int r = 0; r < trial->rows; r++) assert_true(drive[r] == 0);
    }
  }
}

/* Where contacts are drawn, and which way they push. */
#define AWAY 0.8544003745317531 /* |(0.3, -0.8)| */
#define COS  0.8660254037844386 /* of 30 deg */
static void contacts_are_where_bodies_touch(void **state)
{
  static const struct {
    const NsMechanism *m;
    double             p[14], q[3];
    int                k;
    double             x[2], normal[2];
  } list[] = {
    {&NsMechanism_BouncingBall, {1, 0.2}, {1.5}, 0, {0, 1.3}, {0, 1}},
    {&NsMechanism_Oscillator, {1, 100}, {0.3}, 0, {0.3, 0}, {1, 0}},
    {&NsMechanism_BallChain, {3, 1, 0.1, 0.02}, {0.01, -0.02, 0.03}, 1, {0.185, 0}, {1, 0}},
    {&NsMechanism_PendulumInRing, {1, 1, 1, 0.3, 0}, {0.6, -0.8}, 0, {0.6, -0.8}, {0.6, -0.8}},
    {&NsMechanism_PendulumInRing, {1, 1, 1, 0.3, 0}, {0.6, -0.8}, 1, {0.3 + 0.3 / AWAY, -0.8 / AWAY}, {-0.3 / AWAY, 0.8 / AWAY}},
    {&NsMechanism_SpringPendulum, {1, 100, 1}, {2, PETSC_PI / 6}, 0, {1, -2 * COS}, {COS, 0.5}},
    {&NsMechanism_SliderCrankTwoJoints, {1, 2}, {PETSC_PI / 2, 0, 3}, 0, {2, 1}, {0, 1}},
    {&NsMechanism_SliderCrankTwoJoints, {1, 2}, {PETSC_PI / 2, 0, 3}, 1, {2, 1}, {-1, 0}},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    const NsMechanismCase c = {list[i].p, {0}};
    double                x[3], normal[3];
    list[i].m->contact_point(&c, 0, list[i].q, list[i].k, x, normal);
    for (int k = 0; k < 3; k++) {
      assert_near(x[k], k < 2 ? list[i].x[k] : 0, 1e-14);
      assert_near(normal[k], k < 2 ? list[i].normal[k] : 0, 1e-14);
    }
  }
}

/* Energies of the slider-cranks from the points of the picture: crank, rod and slider as masses that move and turn. */
static void slider_crank_energies_are_those_of_three_bodies(void **state)
{
  const double h = 1e-6;

  (void)state;
  for (size_t b = 0; b < 2; b++) {
    const Trial          *trial  = &built_in[b];
    const double         *p      = trial->p;
    const NsMechanismCase c      = {p, {trial->gravity[0], trial->gravity[1], 0}};
    double                lowest = 0;
    for (int trying = 0; trying < 100; trying++) {
      double       q[3], v[3], side[3], M[9], x[2][33], middle[3][3][2], kinetic = 0, expected = 0, potential, elastic, height = 0;
      const double mass[3] = {p[2], p[3], p[4]}, inertia[3] = {p[5], p[6], b == 0 ? p[7] : 0};
      for (int i = 0; i < trial->n; i++) {
        q[i] = 3 * number();
        v[i] = number();
      }
      for (int s = 0; s < 3; s++) { /* before, after, now */
        for (int i = 0; i < trial->n; i++) side[i] = q[i] + (s == 2 ? 0 : s ? h : -h) * v[i];
        trial->m->draw(&c, side, x[0]);
        for (int k = 0; k < 2; k++) {
          middle[s][0][k] = x[0][3 + k] / 2;
          middle[s][1][k] = (x[0][3 + k] + x[0][6 + k]) / 2;
          middle[s][2][k] = x[0][6 + k];
        }
      }
      trial->m->mass(&c, q, M);
      for (int i = 0; i < trial->n; i++) {
        for (int j = 0; j < trial->n; j++) kinetic += v[i] * M[i * trial->n + j] * v[j] / 2;
      }
      for (int i = 0; i < 3; i++) {
        double speed = 0;
        for (int k = 0; k < 2; k++) {
          speed += pow((middle[1][i][k] - middle[0][i][k]) / (2 * h), 2);
          height += mass[i] * c.gravity[k] * middle[2][i][k];
        }
        expected += mass[i] * speed / 2 + (i < trial->n ? inertia[i] * v[i] * v[i] / 2 : 0);
      }
      assert_near(kinetic, expected, 1e-10);
      trial->m->energy(&c, q, &elastic, &potential);
      assert_true(elastic == 0);
      if (trying == 0) lowest = potential + height;
      assert_near(potential + height, lowest, 1e-14);
    }
  }
}

/* The spring pendulum's gap is an angle, and not the way of its mass: it is not among the built-in ones above. */
static void spring_pendulum_fits_and_its_energies_are_those_of_a_point(void **state)
{
  const double          p[3] = {1.3, 70, 0.8}, h = 1e-6;
  const NsMechanismCase c = {p, {1.5, -9.81, 0}};
  const NsMechanism    *m = &NsMechanism_SpringPendulum;

  (void)state;
  for (int trying = 0; trying < 300; trying++) {
    const double start[4] = {1 + 0.5 * number(), 10 * number(), 4 * number(), 10 * number()};
    double       q[2], M[4] = {0}, x[2][3 * 14], speed = 0, height = 0, elastic, potential;
    const char  *said = verify(m, p, c.gravity, start);
    if (*said) fail_msg("%s", said);
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 2; i++) q[i] = start[2 * i] + (side ? h : -h) * start[2 * i + 1];
      m->draw(&c, q, x[side]);
    }
    for (int k = 0; k < 2; k++) {
      speed += pow((x[1][33 + k] - x[0][33 + k]) / (2 * h), 2); /* point 11 is the mass */
      height += c.gravity[k] * (x[1][33 + k] + x[0][33 + k]) / 2;
      q[k] = start[2 * k];
    }
    m->mass(&c, q, M);
    m->energy(&c, q, &elastic, &potential);
    assert_near(M[0] * start[1] * start[1] + M[3] * start[3] * start[3], p[0] * speed, 1e-7 * p[0] * speed);
    assert_near(potential, -p[0] * height, 1e-8);
    assert_near(elastic, 35 * pow(q[0] - 0.8, 2), 1e-13);
  }
}

/* ---- wrong mechanisms are found ---- */

/* A double pendulum of two rods without mass, a spring and a damper at its bearing, over a floor that rises and falls and runs to the side. */
typedef enum {
  RIGHT,
  UNSYMMETRIC,
  INDEFINITE,
  NO_NUMBER,
  MASS_RATE,
  ROW_SIGN,
  ROW_TRANSPOSED,
  RATE,
  RATE_OF_TANGENT,
  GYROSCOPIC,
  NO_ENERGY,
  ENERGY_SIGN,
  NO_POWER,
  POWER_SIGN,
  NO_DRIVE,
  NO_DRIVE_RATE
} Mistake;
static Mistake mistake;
static double  size = 1, pulse = 5; /* m, rad/s of the floor */

static const NsMechanismCoordinate pendulum_coordinates[] = {
  {"a", "va", {0, 0, 0, 1}, "0", "0"}, {"b", "vb", {0, 0, 0, 1}, "0", "0"}, {NULL, NULL, {0}, NULL, NULL}};
static const NsMechanismContact pendulum_contacts[] = {{"floor", 1, 0}, {NULL, 0, 0}};

static double pendulum_length(const NsMechanismCase *c)
{
  (void)c;
  return size;
}

static void pendulum_mass(const NsMechanismCase *c, const double *q, double *M)
{
  M[0] = mistake == INDEFINITE ? 0.01 * size * size * c->p[0] : 2 * size * size * c->p[0];
  M[1] = M[2] = size * size * c->p[0] * cos(q[0] - q[1]);
  M[3]        = size * size * c->p[0];
  if (mistake == UNSYMMETRIC) M[2] = -M[2];
  if (mistake == NO_NUMBER) M[3] = sqrt(-1.0);
}

static void pendulum_massrate(const NsMechanismCase *c, const double *q, const double *v, double *y)
{
  const double rate = -size * size * c->p[0] * sin(q[0] - q[1]) * (v[0] - v[1]);

  y[0] = rate * v[1];
  y[1] = mistake == MASS_RATE ? 0 : rate * v[0];
}

static void pendulum_force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  const double turn = size * size * c->p[0] * sin(q[0] - q[1]);

  (void)t;
  h[0] = (mistake == GYROSCOPIC ? turn : -turn) * v[1] * v[1] + 2 * c->p[0] * size * c->gravity[1] * sin(q[0]) - c->p[1] * q[0] - c->p[2] * v[0];
  h[1] = turn * v[0] * v[0] + c->p[0] * size * c->gravity[1] * sin(q[1]);
}

static void pendulum_energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = mistake == NO_ENERGY ? 0 : c->p[1] / 2 * q[0] * q[0];
  *potential = (mistake == ENERGY_SIGN ? -1 : 1) * c->p[0] * size * c->gravity[1] * (2 * cos(q[0]) + cos(q[1]));
}

static void pendulum_power(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load)
{
  (void)t;
  (void)q;
  *damping = (mistake == NO_POWER ? 0 : mistake == POWER_SIGN ? -1 : 1) * c->p[2] * v[0] * w[0];
  *load    = 0;
}

static void pendulum_contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)c;
  g[0] = size * (3 - cos(q[0]) - cos(q[1]) + 0.1 * sin(pulse * t + 0.5));
  W[0] = size * sin(q[0]);
  W[1] = size * sin(q[1]);
  W[2] = size * cos(q[0]);
  W[3] = size * cos(q[1]);
  if (mistake == ROW_SIGN) W[1] = -W[1];
  if (mistake == ROW_TRANSPOSED) {
    W[1] = size * cos(q[0]);
    W[2] = size * sin(q[1]);
  }
  if (mistake != NO_DRIVE) drive[0] = size * 0.1 * pulse * cos(pulse * t + 0.5);
  drive[1] = -0.2 * size;
}

static void pendulum_rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  d[0] = size * (cos(q[0]) * v[0] * v[0] + cos(q[1]) * v[1] * v[1]);
  if (mistake != NO_DRIVE_RATE) d[0] -= size * 0.1 * pulse * pulse * sin(pulse * t + 0.5);
  d[1] = -size * (sin(q[0]) * v[0] * v[0] + sin(q[1]) * v[1] * v[1]);
  if (mistake == RATE) d[0] = -d[0];
  if (mistake == RATE_OF_TANGENT) d[1] = 0;
}

static const NsMechanism pendulum = {
  .version     = NS_MECHANISM_VERSION,
  .name        = "pendulum",
  .title       = "double pendulum over a floor",
  .coordinates = pendulum_coordinates,
  .contacts    = pendulum_contacts,
  .length      = pendulum_length,
  .mass        = pendulum_mass,
  .massrate    = pendulum_massrate,
  .force       = pendulum_force,
  .energy      = pendulum_energy,
  .power       = pendulum_power,
  .contact     = pendulum_contact,
  .rowrate     = pendulum_rowrate,
};
static const double pendulum_p[3] = {1.3, 7, 0.4}, pendulum_g[3] = {0, -9.81, 0}, pendulum_start[4] = {0.4, 1, -0.9, 0};

static void one_error_is_found_and_named(void **state)
{
  static const struct {
    Mistake     mistake;
    const char *kind, *said;
  } cases[] = {
    {UNSYMMETRIC, "error", "the mass matrix of 'pendulum' is not symmetric: M[1, 0] = "},
    {INDEFINITE, "error", "the mass matrix of 'pendulum' is not positive definite"},
    {NO_NUMBER, "error", "the mass matrix of 'pendulum' is not positive definite (at coordinate 'b')"},
    {MASS_RATE, "warning", "'pendulum': massrate gives 0 for coordinate 'b', but (dM/dt) v is "},
    {ROW_SIGN, "error", "contact 'floor' of 'pendulum': the gap changes with b by -0.7833"},
    {ROW_TRANSPOSED, "error", "contact 'floor' of 'pendulum': the gap changes with b by"},
    {NO_DRIVE, "error", "contact 'floor' of 'pendulum': the gap changes with time by "},
    {RATE, "warning", "'pendulum': rowrate gives "},
    {RATE_OF_TANGENT, "warning", "for row 1, but (dW'/dt) v"},
    {NO_DRIVE_RATE, "warning", "for row 0, but (dW'/dt) v"},
    {GYROSCOPIC, "warning", "'pendulum': forces and energies are inconsistent: power of the forces "},
    {NO_ENERGY, "warning", "'pendulum': forces and energies are inconsistent"},
    {ENERGY_SIGN, "warning", "'pendulum': forces and energies are inconsistent"},
    {NO_POWER, "warning", "forces without an energy need `power`"},
    {POWER_SIGN, "warning", "'pendulum': forces and energies are inconsistent"},
  };

  NsMechanism constant = pendulum;

  (void)state;
  mistake = RIGHT;
  assert_string_equal(verify(&pendulum, pendulum_p, pendulum_g, pendulum_start), "");
  constant.constant_mass = 1;
  expect_words(verify(&constant, pendulum_p, pendulum_g, pendulum_start), "constant_mass must be 0");
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mistake          = cases[i].mistake;
    const char *said = verify(&pendulum, pendulum_p, pendulum_g, pendulum_start);
    expect_words(said, cases[i].said);
    expect_words(said, cases[i].kind);
    assert_int_equal(strncmp(said, cases[i].kind, strlen(cases[i].kind)), 0); /* the first and only message */
  }
  mistake = RIGHT;
}

/* At any state, and at rest too, where nothing moves to show it. */
static void correct_mechanisms_pass(void **state)
{
  double start[4] = {0};

  (void)state;
  mistake = RIGHT;
  assert_string_equal(verify(&pendulum, pendulum_p, pendulum_g, start), "");
  for (int trying = 0; trying < 300; trying++) {
    for (int i = 0; i < 4; i++) start[i] = (i % 2 ? 30 : 4) * number();
    assert_string_equal(verify(&pendulum, pendulum_p, pendulum_g, start), "");
  }
}

/* Derivatives are by differences: their steps must suit the mechanism. */
static void correct_mechanisms_of_any_size_and_speed_pass(void **state)
{
  (void)state;
  mistake = RIGHT;
  for (size = 1e-6; size < 2e6; size *= 1000) {
    const char *said = verify(&pendulum, pendulum_p, pendulum_g, pendulum_start);
    if (*said) fail_msg("length %g m: %s", size, said);
  }
  size = 1;
  for (pulse = 1e-2; pulse < 2e5; pulse *= 100) { /* up to ultrasound */
    const char *said = verify(&pendulum, pendulum_p, pendulum_g, pendulum_start);
    if (*said) fail_msg("floor at %g rad/s: %s", pulse, said);
  }
  pulse = 5;
}

/* A bead on the wavy track y = s sin(x/s), pressed by a spring: coordinates are lengths, as small as the mechanism. */
static const NsMechanismCoordinate track_coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "0", "0"}, {"y", "vy", {1, 0, 0, 0}, "0", "0"}, {NULL, NULL, {0}, NULL, NULL}};
static const NsMechanismContact track_contacts[] = {{"track", 0, 0}, {NULL, 0, 0}};

static void track_mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)c;
  (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void track_force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)c;
  (void)t;
  (void)v;
  h[0] = 0;
  h[1] = -100 * q[1];
}

static void track_energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  (void)c;
  *elastic   = 50 * q[1] * q[1];
  *potential = 0;
}

static void track_contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)c;
  (void)t;
  (void)drive;
  g[0] = q[1] - size * sin(q[0] / size);
  W[0] = -cos(q[0] / size);
  W[1] = 1;
}

static void track_rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  (void)t;
  d[0] = sin(q[0] / size) / size * v[0] * v[0];
}

static void small_lengths_are_left_alone(void **state)
{
  static const NsMechanism track = {
    .version       = NS_MECHANISM_VERSION,
    .name          = "track",
    .title         = "bead on a wavy track",
    .coordinates   = track_coordinates,
    .contacts      = track_contacts,
    .length        = pendulum_length,
    .mass          = track_mass,
    .constant_mass = 1,
    .force         = track_force,
    .energy        = track_energy,
    .contact       = track_contact,
    .rowrate       = track_rowrate,
  };

  (void)state;
  for (size = 1e-6; size < 2e3; size *= 10) {
    const double start[4] = {0.3 * size, size, 1.1 * size, 0};
    const char  *said     = verify(&track, pendulum_p, pendulum_g, start);
    if (*said) fail_msg("length %g m: %s", size, said);
  }
  size = 1;
}

/* ---- the dense adapter ---- */

static const char *const crank     = "gravity: [0, -9.81, 0]\n"
                                     "bodies:\n"
                                     "  crank: {type: slider_crank, contact: {friction: 0.01, restitution: 0.4}}\n"
                                     "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                     "time: {end: 1 ms}\n";
static const char *const two_links = "bodies: {crank: {type: slider_crank_two_joints, crank_length: 0.4 m, rod_length: 0.7 m, initial: {x: 1.1 m}}}\n"
                                     "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                     "time: {end: 1 ms}\n";
static const char *const spring_and_mass = "bodies: {mass: {type: oscillator}}\n"
                                           "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                           "time: {end: 1 ms}\n";
static const char *const jointed         = "gravity: [1.5, -9.81, 0]\n"
                                           "bodies:\n"
                                           "  crank: {type: slider_crank_bilateral}\n"
                                           "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                           "time: {end: 1 ms}\n";
static const char *const ball            = "bodies:\n"
                                           "  ball: {type: ball_in_box, initial: {vx: 1 m/s, vy: 2 m/s}}\n"
                                           "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                           "time: {end: 1 ms}\n";
static const char *const swinging        = "bodies: {mass: {type: spring_pendulum}}\n"
                                           "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                           "time: {end: 1 ms}\n";
static const char *const belt            = "gravity: [0, -9.81, 0]\n"
                                           "bodies:\n"
                                           "  block:\n"
                                           "    type: plugin\n"
                                           "    library: " PERCUSS_BINARY_DIR "/plugin/belt_block.so\n"
                                           "    parameters: {mass: 2 kg, damping: 3 N s/m, belt_speed: 0.5 m/s}\n"
                                           "    contact: {friction: 0.3}\n"
                                           "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                           "time: {end: 1 ms}\n";

static void set(Vec x, const double *value)
{
  PetscScalar *a;
  PetscInt     n;

  CHECK(VecGetLocalSize(x, &n));
  CHECK(VecGetArray(x, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = value ? value[i] : number();
  CHECK(VecRestoreArray(x, &a));
}

static void get(Vec x, double *value)
{
  const PetscScalar *a;
  PetscInt           n;

  CHECK(VecGetLocalSize(x, &n));
  CHECK(VecGetArrayRead(x, &a));
  for (PetscInt i = 0; i < n; i++) value[i] = a[i];
  CHECK(VecRestoreArrayRead(x, &a));
}

/* A^-1 b against A as the caller knows it. */
static void check_inverse(NsModel *model, PetscInt slot, const double *A, double tolerance)
{
  const PetscInt n = model->unknowns;
  double         b[NS_MECHANISM_COORDINATES], x[NS_MECHANISM_COORDINATES];
  Vec            vb, vx;

  CHECK(NsVecsCreate(model, &vb, &vx, NULL));
  for (int trying = 0; trying < 5; trying++) {
    set(vb, NULL);
    CHECK(NsModelSolve(model, slot, vb, vx));
    get(vb, b);
    get(vx, x);
    for (PetscInt i = 0; i < n; i++) {
      double rest = -b[i], large = 1;
      for (PetscInt j = 0; j < n; j++) {
        rest += A[i * n + j] * x[j];
        large = fmax(large, fabs(A[i * n + j] * x[j]));
      }
      assert_near(rest, 0, tolerance * large);
    }
  }
  CHECK(NsVecsDestroy(&vb, &vx, NULL));
}

/* M^-1 M = 1, and the compliance is M^-1 over the touch list. Both slots, whatever is in the other. */
static void check_solves(NsRun *run)
{
  NsModel       *model = run->model;
  const PetscInt n     = model->unknowns;
  double         x[NS_MECHANISM_COORDINATES], y[NS_MECHANISM_COORDINATES], C[NS_MECHANISM_COORDINATES * NS_MECHANISM_COORDINATES];
  Vec            q, v, vx, vy, vz;

  CHECK(NsVecsCreate(model, &q, &v, &vx, &vy, &vz, NULL));
  for (int trying = 0; trying < 20; trying++) {
    set(q, NULL);
    set(v, NULL);
    set(vx, NULL);
    CHECK(NsModelMult(model, 0.3, q, vx, vy));
    CHECK(NsModelFactor(model, 0, 0.3, q, v, (NsOperator){1, 0, 0}));
    CHECK(NsModelFactor(model, 1, 0.3, q, v, (NsOperator){4, 0, 0}));
    for (PetscInt slot = 0; slot < 2; slot++) {
      CHECK(NsModelSolve(model, slot, vy, vz));
      get(vx, x);
      get(vz, y);
      for (PetscInt i = 0; i < n; i++) assert_near(slot ? 4 * y[i] : y[i], x[i], 1e-11);
      assert_true(model->touches == n && model->contact.compliance);
      CHECK(model->contact.compliance(model, slot, C));
      for (PetscInt j = 0; j < n; j++) {
        CHECK(VecSet(vx, 0));
        CHECK(VecSetValue(vx, model->touch[j], 1, INSERT_VALUES));
        CHECK(VecAssemblyBegin(vx));
        CHECK(VecAssemblyEnd(vx));
        CHECK(NsModelSolve(model, slot, vx, vz));
        get(vz, y);
        for (PetscInt i = 0; i < n; i++) {
          assert_near(C[i * n + j], y[model->touch[i]], 0);
          assert_near(C[i * n + j], C[j * n + i], 1e-10 * (1 + fabs(C[i * n + j])));
        }
      }
      set(vx, x);
    }
    /* acceleration is M^-1 h, whatever slot 0 held */
    CHECK(NsModelFactor(model, 0, 0.3, q, v, (NsOperator){3, 0, 0}));
    CHECK(NsModelAccel(model, 0.3, q, v, vx));
    CHECK(NsModelMult(model, 0.3, q, vx, vy));
    CHECK(NsModelForce(model, 0.3, q, v, vz));
    get(vy, x);
    get(vz, y);
    for (PetscInt i = 0; i < n; i++) assert_near(x[i], y[i], 1e-11 * (1 + fabs(y[i])));
  }
  CHECK(NsVecsDestroy(&q, &v, &vx, &vy, &vz, NULL));
}

static void solving_undoes_multiplying(void **state)
{
  const char *const configs[] = {crank, jointed, ball, belt};

  (void)state;
  for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
    TestRun test = test_run_open(configs[i], NULL);
    check_solves(test.run);
    test_run_close(&test);
  }
}

/* (dM/dt) v by hand and, where a mechanism does not give it, by differences: the same to 1e-12. At rest, and where M is constant, it is nothing. */
static void rates_of_the_mass_by_hand_and_by_differences(void **state)
{
  const char *const configs[] = {crank, jointed, swinging, ball};

  (void)state;
  for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
    TestRun            test  = test_run_open(configs[k], NULL);
    NsModel           *model = test.run->model;
    NsDense           *dense = model->data;
    const NsMechanism *whole = dense->m;
    NsMechanism        bare  = *whole;
    Vec                q, v, y;
    CHECK(NsVecsCreate(model, &q, &v, &y, NULL));
    bare.massrate = NULL;
    for (int trying = 0; trying < 200; trying++) {
      double rate[2][NS_N], speed[NS_N] = {0}, most = 0;
      set(q, NULL);
      for (int i = 0; i < model->unknowns; i++) speed[i] = trying > 0 ? 100 * number() : 0;
      set(v, speed);
      for (int side = 0; side < 2; side++) {
        dense->m = side ? &bare : whole;
        CHECK(NsModelMassRate(model, 0, q, v, y));
        get(y, rate[side]);
      }
      CHECK(NsModelMult(model, 0, q, v, y));
      get(y, speed);
      for (int i = 0; i < model->unknowns; i++) most = fmax(most, 100 * fabs(speed[i])); /* M v times the fastest rate */
      for (int i = 0; i < model->unknowns; i++) {
        assert_near(rate[0][i], rate[1][i], 1e-12 * most);
        if (trying == 0 || configs[k] == ball) assert_near(rate[1][i], 0, 0);
      }
    }
    CHECK(NsVecsDestroy(&q, &v, &y, NULL));
    dense->m = whole;
    test_run_close(&test);
  }
}

/* Stiffness and damping of h by hand: K = -dh/dq, C = -dh/dv. The slider-crank's are gyroscopic terms and weight. */
static void factors_hold_stiffness_and_damping(void **state)
{
  const NsMechanismCase c    = {(double[]){0.153, 0.306, 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4}, {1.5, -9.81, 0}};
  const double          both = 0.153 * 0.306 * (0.019 + 0.076), w1 = 0.153 * (0.019 + 0.038 + 0.076), w2 = 0.306 * (0.019 + 0.076);
  TestRun               test = test_run_open(jointed, NULL);
  NsModel              *model;
  double                A[4], q[2], v[2], M[4];

  (void)state;
  model = test.run->model;
  for (int trying = 0; trying < 20; trying++) {
    for (int i = 0; i < 2; i++) {
      q[i] = 3 * number();
      v[i] = 100 * number();
    }
    const double co = both * cos(q[0] - q[1]), si = both * sin(q[0] - q[1]);
    /* h1 = -si v2^2 + w1 (gy cos q1 - gx sin q1), h2 = si v1^2 + w2 (gy cos q2 - gx sin q2) */
    const double K[4] = {co * v[1] * v[1] + w1 * (-9.81 * sin(q[0]) + 1.5 * cos(q[0])), -co * v[1] * v[1], -co * v[0] * v[0],
      co * v[0] * v[0] + w2 * (-9.81 * sin(q[1]) + 1.5 * cos(q[1]))};
    const double C[4] = {0, 2 * si * v[1], -2 * si * v[0], 0};
    NsMechanism_SliderCrankBilateral.mass(&c, q, M);
    set(test.run->state.q, q);
    set(test.run->state.v, v);
    for (int i = 0; i < 4; i++) A[i] = 2 * M[i] + 1e-3 * C[i] + 1e-6 * K[i];
    CHECK(NsModelFactor(model, 1, 0, test.run->state.q, test.run->state.v, (NsOperator){2, 1e-3, 1e-6}));
    check_inverse(model, 1, A, 1e-8);
    for (int i = 0; i < 4; i++) A[i] = 2 * M[i] + 1e-6 * K[i];
    CHECK(NsModelFactor(model, 1, 0, test.run->state.q, test.run->state.v, (NsOperator){2, 0, 1e-6}));
    check_inverse(model, 1, A, 1e-8);
    /* the same place at another speed is another operator */
    v[0] += 50;
    const double C2[4] = {0, 2 * si * v[1], -2 * si * v[0], 0};
    set(test.run->state.v, v);
    for (int i = 0; i < 4; i++) A[i] = M[i] + 1e-3 * C2[i];
    CHECK(NsModelFactor(model, 1, 0, test.run->state.q, test.run->state.v, (NsOperator){1, 1e-3, 0}));
    check_inverse(model, 1, A, 1e-8);
    /* and without tangents it is the mass matrix again */
    CHECK(NsModelFactor(model, 1, 0, test.run->state.q, test.run->state.v, (NsOperator){1, 0, 0}));
    check_inverse(model, 1, M, 1e-12);
  }
  test_run_close(&test);

  test  = test_run_open(belt, NULL);
  model = test.run->model;
  CHECK(NsModelFactor(model, 0, 0, test.run->state.q, test.run->state.v, (NsOperator){1, 0.5, 0.25}));
  A[0] = 2 + 0.5 * 3 + 0.25 * 100;
  A[1] = A[2] = 0;
  A[3]        = 2;
  check_inverse(model, 0, A, 1e-8);
  test_run_close(&test);
}

/* Rows of any choice of contacts are those the mechanism gives for all; rates of all candidates follow from them. */
static void rows_of_some_contacts(void **state)
{
  static const PetscInt    choice[2]   = {1, 3};
  const NsMechanismCase    c           = {(double[]){0.153, 0.306, 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6, 0.05, 0.025, 0.001}, {0, -9.81, 0}};
  static const char *const frictions[] = {"bodies.crank.contact.friction=0.01", "bodies.crank.contact.friction=0"};

  (void)state;
  for (int f = 0; f < 2; f++) {
    const char *const options[]  = {frictions[f], NULL};
    TestRun           test       = test_run_open(crank, options);
    NsModel          *model      = test.run->model;
    const PetscInt    directions = f ? 1 : 2;
    double            q[3], v[3], g[4], G[4], W[24], drive[8] = {0}, d[8], D[8], u[8];
    NsRows            rows;
    CHECK(NsRowsCreate(model, &rows));
    assert_int_equal(model->candidates, 4);
    for (int trying = 0; trying < 20; trying++) {
      set(test.run->state.q, NULL);
      set(test.run->state.v, NULL);
      get(test.run->state.q, q);
      get(test.run->state.v, v);
      NsMechanism_SliderCrank.contact(&c, 0, q, G, W, drive);
      NsMechanism_SliderCrank.rowrate(&c, 0, q, v, D);
      CHECK(NsModelGap(model, 0, test.run->state.q, g));
      for (int k = 0; k < 4; k++) assert_near(g[k], G[k], 0);
      CHECK(NsModelRows(model, 0, test.run->state.q, 2, choice, &rows));
      assert_int_equal(rows.rows, 2 * directions);
      assert_int_equal(rows.contacts, 2);
      CHECK(NsModelRowrate(model, 0, test.run->state.q, test.run->state.v, &rows, d));
      for (PetscInt i = 0; i < 2; i++) {
        assert_int_equal(rows.contact[i], choice[i]);
        assert_int_equal(rows.start[i], i * directions);
        for (PetscInt e = 0; e < directions; e++) {
          const PetscInt r = rows.start[i] + e;
          assert_int_equal(rows.first[r + 1] - rows.first[r], 3);
          for (PetscInt j = 0; j < 3; j++) {
            assert_int_equal(rows.touch[rows.first[r] + j], j);
            assert_near(rows.value[rows.first[r] + j], W[(2 * choice[i] + e) * 3 + j], 0);
          }
          assert_near(d[r], D[2 * choice[i] + e], 0);
        }
      }
      CHECK(model->contact.rates(model, 0, test.run->state.q, test.run->state.v, g, u));
      for (PetscInt k = 0; k < 4; k++) {
        for (PetscInt e = 0; e < directions; e++) {
          const double *w = W + (2 * k + e) * 3;
          assert_near(u[k * directions + e], w[0] * v[0] + w[1] * v[1] + w[2] * v[2], 1e-15);
        }
      }
      CHECK(NsModelRows(model, 0, test.run->state.q, 0, choice, &rows));
      assert_int_equal(rows.rows, 0);
    }
    CHECK(NsRowsDestroy(&rows));
    test_run_close(&test);
  }
}

/* The belt's own speed is part of the slip and no part of the gap's rate. */
static void a_belt_drives(void **state)
{
  static const PetscInt all[1] = {0};
  static const double   v[2]   = {0.2, -0.7};
  TestRun               test   = test_run_open(belt, NULL);
  NsModel              *model  = test.run->model;
  double                u[2], g[1];
  NsRows                rows;

  (void)state;
  CHECK(NsRowsCreate(model, &rows));
  set(test.run->state.v, v);
  CHECK(NsModelRows(model, 0, test.run->state.q, 1, all, &rows));
  assert_near(rows.drive[0], 0, 0);
  assert_near(rows.drive[1], -0.5, 0);
  CHECK(NsRowsVelocity(model, &rows, test.run->state.v, u));
  assert_near(u[0], -0.7, 0);
  assert_near(u[1], 0.2 - 0.5, 1e-16);
  CHECK(model->contact.rates(model, 0, test.run->state.q, test.run->state.v, g, u));
  assert_near(u[0], -0.7, 0);
  assert_near(u[1], 0.2 - 0.5, 1e-16);
  CHECK(NsRowsDestroy(&rows));
  test_run_close(&test);
}

/* Where the crank is after 0.3 s; how many steps had impacts. */
static PetscInt end_of_crank(bool bare, double x[6])
{
  TestRun            test = test_run_open(crank, NULL);
  const PetscScalar *value;
  PetscInt           impulsive = 0;

  if (bare) {
    test.run->model->dynamics.flight = NULL;
    test.run->model->contact.rates   = NULL;
  }
  for (int i = 0; i < 3000; i++) impulsive += test_step(test.run).impulsive ? 1 : 0;
  for (int k = 0; k < 2; k++) {
    Vec of = k ? test.run->state.v : test.run->state.q;
    CHECK(VecGetArrayRead(of, &value));
    for (int i = 0; i < 3; i++) x[3 * k + i] = value[i];
    CHECK(VecRestoreArrayRead(of, &value));
  }
  test_run_close(&test);
  return impulsive;
}

/* A flight and rates of gaps of its own cost less than what they are made of, and come to the same. */
static void flight_and_rates_may_be_left_out(void **state)
{
  double own[6], bare[6];

  (void)state;
  const PetscInt impulsive = end_of_crank(false, own);
  assert_true(impulsive > 5);
  assert_int_equal(end_of_crank(true, bare), impulsive);
  for (int i = 0; i < 6; i++) assert_near(bare[i], own[i], 1e-9 * (1 + fabs(own[i])));
}

static void pictures_show_the_mechanism(void **state)
{
  TestRun      test = test_run_open(crank, NULL);
  NsModel     *model;
  double       displacement[33], velocity[33], stress[8], force[8], energy[8];
  NsFields     fields = {displacement, velocity, stress, force, energy};
  const double q[3] = {0.3, -0.2, 0.01}, v[3] = {150, -75, 3};

  (void)state;
  model = test.run->model;
  assert_int_equal(model->scene.points, 11);
  assert_int_equal(model->scene.cells, 8);
  assert_string_equal(model->scene.body_name[0], "crank");
  for (PetscInt i = 0, at = 0; i < model->scene.cells; i++) {
    for (PetscInt k = 0; k < NsCellPoints(model->scene.kind[i]); k++, at++) assert_true(model->scene.cell[at] >= 0 && model->scene.cell[at] < 11);
  }
  for (PetscInt i = 0; i < 11; i++) assert_true(model->scene.radius[i] > 0);
  CHECK(model->view.fields(model, 0, test.run->state.q, test.run->state.v, NULL, &fields));
  for (int i = 0; i < 33; i++) assert_near(displacement[i], 0, 0);
  set(test.run->state.q, q);
  set(test.run->state.v, v);
  CHECK(model->view.fields(model, 0, test.run->state.q, test.run->state.v, NULL, &fields));
  /* crank pin and middle of the slider: where they are, how fast */
  const double pin[2] = {0.153 * cos(q[0]), 0.153 * sin(q[0])}, middle[2] = {pin[0] + 0.306 * cos(q[1]), pin[1] + 0.306 * sin(q[1])};
  const double turn[2] = {-pin[1] * v[0], pin[0] * v[0]};
  const double way[2]  = {turn[0] - 0.306 * sin(q[1]) * v[1], turn[1] + 0.306 * cos(q[1]) * v[1]};
  for (int k = 0; k < 2; k++) {
    assert_near(model->scene.x[k] + displacement[k], 0, 0);
    assert_near(model->scene.x[3 + k] + displacement[3 + k], pin[k], 1e-15);
    assert_near(model->scene.x[6 + k] + displacement[6 + k], middle[k], 1e-15);
    assert_near(velocity[3 + k], turn[k], 1e-7);
    assert_near(velocity[6 + k], way[k], 1e-7);
  }
  for (int i = 21; i < 33; i++) { /* the walls stay */
    assert_near(displacement[i], 0, 0);
    assert_near(velocity[i], 0, 0);
  }
  for (int i = 0; i < 11; i++) assert_near(model->scene.x[3 * i + 2] + displacement[3 * i + 2], 0, 0);
  /* the contact points are the picture's corners */
  for (PetscInt k = 0; k < 4; k++) {
    double    x[3], u[3], n[3];
    PetscReal touch_q[16];
    assert_true(model->touches <= 16);
    CHECK(NsModelTouch(model, test.run->state.q, touch_q));
    CHECK(model->view.contact_point(model, 0, touch_q, k, x, u, n));
    for (int i = 0; i < 3; i++) assert_near(x[i] + u[i], model->scene.x[9 + 3 * k + i] + displacement[9 + 3 * k + i], 1e-15);
    assert_near(n[1], k < 2 ? -1 : 1, 0);
  }
  test_run_close(&test);
}

/* Where the points of a picture are at q. */
static void draw_at(TestRun *test, const double *q, double *x)
{
  NsModel *model = test->run->model;
  double   velocity[64], stress[32], force[32], energy[32];
  NsFields fields = {x, velocity, stress, force, energy};

  assert_true(3 * model->scene.points <= 64 && model->scene.cells <= 32);
  set(test->run->state.q, q);
  CHECK(model->view.fields(model, 0, test->run->state.q, test->run->state.v, NULL, &fields));
  for (PetscInt i = 0; i < 3 * model->scene.points; i++) x[i] += model->scene.x[i];
}

static void pictures_of_links_and_coils(void **state)
{
  const double q[3] = {0.3, -0.2, 1.1}, stretched[1] = {0.07};
  double       x[64];
  TestRun      test = test_run_open(two_links, NULL);

  (void)state;
  draw_at(&test, q, x);
  assert_near(x[3], 0.4 * cos(q[0]), 1e-15);
  assert_near(x[4], 0.4 * sin(q[0]), 1e-15);
  assert_near(x[6] - x[3], 0.7 * cos(q[1]), 1e-15);
  assert_near(x[7] - x[4], 0.7 * sin(q[1]), 1e-15);
  for (int k = 0; k < 4; k++) { /* a square about the slider */
    assert_near(fabs(x[9 + 3 * k] - q[2]), 0.05, 1e-15);
    assert_near(fabs(x[10 + 3 * k]), 0.05, 1e-15);
  }
  test_run_close(&test);
  test = test_run_open(spring_and_mass, NULL);
  draw_at(&test, stretched, x);
  for (int k = 0; k < 9; k++) { /* from the mass, 0.1 m long, to the wall at 0.5 m */
    assert_near(x[18 + 3 * k], 0.07 + 0.05 + (0.5 - 0.12) * k / 8, 1e-15);
    assert_near(x[19 + 3 * k], k == 0 || k == 8 ? 0 : (k % 2 ? 0.01 : -0.01), 1e-15);
  }
  test_run_close(&test);
}

static void probes_are_coordinates_and_rates(void **state)
{
  static const char *const names[] = {"theta1", "omega1", "theta2", "omega2", "theta3", "omega3"};
  static const char *const wrong[] = {"theta1", "crank.", "crank.theta", "crank.theta11", "crankk.theta1", "cran", "crank@0.5", ".theta1", ""};
  TestRun                  test    = test_run_open(crank, NULL);
  NsModel                 *model   = test.run->model;
  NsProbe                  probe;
  PetscBool                found;
  char                     why[256], text[64];
  double                   place[33];

  (void)state;
  CHECK(model->view.probe(model, "crank", &probe, &found, why, sizeof(why)));
  assert_true(found);
  assert_int_equal(probe.columns, 6);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(probe.column[i].suffix, names[i]);
    assert_int_equal(probe.column[i].of_velocity, i % 2);
    assert_int_equal(probe.column[i].entries, 1);
    assert_int_equal(probe.column[i].unknown[0], i / 2);
    assert_near(probe.column[i].weight[0], 1, 0);
  }
  CHECK(model->view.probe(model, "crank.omega2", &probe, &found, why, sizeof(why)));
  assert_true(found && probe.columns == 1 && probe.column[0].of_velocity && probe.column[0].unknown[0] == 1);
  assert_string_equal(probe.column[0].suffix, "");
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    CHECK(model->view.probe(model, wrong[i], &probe, &found, why, sizeof(why)));
    assert_false(found);
    assert_true(strlen(why) > 0);
  }
  CHECK(model->view.probe(model, "crank.thetta1", &probe, &found, why, sizeof(why)));
  expect_words(why, "'crank.thetta1'; did you mean 'crank.theta1'?");
  /* a named point of the picture: where it is, x, y, z */
  CHECK(model->view.probe(model, "crank.slider", &probe, &found, why, sizeof(why)));
  assert_true(found && probe.columns == 3);
  CHECK(model->view.points(model, 0, test.run->state.q, place));
  for (int k = 0; k < 3; k++) {
    assert_string_equal(probe.column[k].suffix, k == 0 ? "x" : k == 1 ? "y" : "z");
    assert_near(place[probe.column[k].coordinate - 1], k ? 0 : 0.153 + 0.306, 1e-15);
  }
  for (int i = 0; model->probe_names[i]; i++) { /* what is recorded by default can be asked for */
    CHECK(model->view.probe(model, model->probe_names[i], &probe, &found, why, sizeof(why)));
    assert_true(found);
  }
  assert_string_equal(model->probe_names[0], "crank");
  CHECK(model->view.name_unknown(model, 2, text, sizeof(text)));
  assert_string_equal(text, "crank theta3");
  test_run_close(&test);
}

static void initial_values_and_defaults(void **state)
{
  TestRun test = test_run_open("bodies: {c: {type: slider_crank, initial: {theta1: 180 deg, omega1: 10 deg/s, theta3: 1e-3 rad}}}\n"
                               "scheme: {type: half_explicit, step: 0.1 ms}\n"
                               "time: {end: 1 ms}\n",
    NULL);
  double  q[3], v[3];

  (void)state;
  get(test.run->state.q, q);
  get(test.run->state.v, v);
  assert_near(q[0], PETSC_PI, 1e-15);
  assert_near(q[1], 0, 0);
  assert_near(q[2], 1e-3, 0);
  assert_near(v[0], PETSC_PI / 18, 1e-15);
  assert_near(v[1], -75, 0); /* what is not said keeps its default */
  assert_near(v[2], 0, 0);
  test_run_close(&test);
}

/* ---- plugins, built while the test runs ---- */

/* A ball over a floor; macros put one mistake each into it. */
static const char *const ball_source =
  "#include \"percuss/mechanism.h\"\n"
  "#ifndef STANDARD\n#define STANDARD \"1 kg\"\n#endif\n"
  "#ifndef START\n#define START \"1 m\"\n#endif\n"
  "#ifndef CONTACTS\n#define CONTACTS {\"floor\", 1, 0},\n#endif\n"
  "#ifndef MORE\n#define MORE\n#endif\n"
  "#ifndef LENGTH\n#define LENGTH 1\n#endif\n"
  "#ifndef TABLE\n#define TABLE\n#endif\n"
  "#ifndef SYMBOL\n#define SYMBOL percuss_mechanism\n#endif\n"
  "#ifndef VERSION\n#define VERSION NS_MECHANISM_VERSION\n#endif\n"
  "#ifndef BELT\n#define BELT 0\n#endif\n"
  "#ifndef FLOOR\n#define FLOOR 0\n#define SPEED 0\n#define RATE 0\n#endif\n"
  "extern double sin(double), cos(double);\n"
  "static const NsMechanismParameter parameters[] = {{\"mass\", {0, 1, 0, 0}, STANDARD, \"0 <\", 0, \"of the ball\"}, MORE {0}};\n"
  "static const NsMechanismCoordinate coordinates[] = {{\"y\", \"vy\", {1, 0, 0, 0}, START, \"0\"}, {\"x\", \"vx\", {1, 0, 0, 0}, \"0\", \"0\"}, {0}};\n"
  "static const NsMechanismContact contacts[] = {CONTACTS {0}};\n"
  "static double length(const NsMechanismCase *c) { (void)c; return LENGTH; }\n"
  "static void mass(const NsMechanismCase *c, const double *q, double *M) { (void)q; M[0] = M[3] = c->p[0]; M[1] = M[2] = 0; }\n"
  "static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)\n"
  "{ (void)t; (void)q; (void)v; h[0] = c->p[0] * c->gravity[1]; h[1] = 0; }\n"
  "static void energy(const NsMechanismCase *c, const double *q, double *e, double *p) { *e = 0; *p = -c->p[0] * c->gravity[1] * q[0]; }\n"
  "static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)\n"
  "{ (void)c; (void)t; g[0] = q[0] - (FLOOR); W[0] = 1; W[1] = 0; drive[0] = -(SPEED);\n"
  "  if (contacts[0].tangents) { W[2] = 0; W[3] = 1; if (BELT > 0 && t < BELT) drive[1] += -1; } }\n"
  "static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)\n"
  "{ (void)c; (void)t; (void)q; (void)v; d[0] = -(RATE); if (contacts[0].tangents) d[1] = 0; }\n"
  "static void draw(const NsMechanismCase *c, const double *q, double *x) { (void)c; x[0] = q[1]; x[1] = q[0]; x[2] = 0; }\n"
  "#ifdef SIZES\nstatic void sizes(const NsMechanismCase *c, int *n, int *m) { (void)c; SIZES; }\n#define SIZED .sizes = sizes,\n#else\n#define SIZED\n#endif\n"
  "const NsMechanism SYMBOL = {.version = VERSION, .name = \"drop\", .title = \"ball over a floor\", .parameters = parameters,\n"
  "  .coordinates = coordinates, .contacts = contacts, .length = length, .mass = mass, .constant_mass = 1, .force = force, .energy = energy,\n"
  "  .contact = contact, .rowrate = rowrate, .draw = draw, .points = 1, SIZED TABLE};\n";

/* Six masses in a row with springs, dashpots and a stop at the last; a mass matrix that needs more than three unknowns' adjugate. */
static const char *const chain_source =
  "#include \"percuss/mechanism.h\"\n"
  "#define C(i) {\"x\" #i, \"v\" #i, {1, 0, 0, 0}, \"0\", \"0\"}\n"
  "static const NsMechanismCoordinate coordinates[] = {C(0), C(1), C(2), C(3), C(4), C(5), {0}};\n"
  "static const NsMechanismContact contacts[] = {{\"stop\", 0, 0}, {0}};\n"
  "static double length(const NsMechanismCase *c) { (void)c; return 1; }\n"
  "static void mass(const NsMechanismCase *c, const double *q, double *M)\n"
  "{ (void)c; (void)q; for (int i = 0; i < 36; i++) M[i] = i % 7 == 0 ? 4 + i / 7 : i / 6 - i % 6 == 1 || i % 6 - i / 6 == 1 ? 1 : 0; }\n"
  "static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)\n"
  "{ (void)c; (void)t; for (int i = 0; i < 6; i++) { h[i] = 0;\n"
  "  if (i > 0) h[i] -= 100 * (q[i] - q[i - 1]) + 3 * (v[i] - v[i - 1]);\n"
  "  if (i < 5) h[i] -= 100 * (q[i] - q[i + 1]) + 3 * (v[i] - v[i + 1]); } }\n"
  "static void energy(const NsMechanismCase *c, const double *q, double *e, double *p)\n"
  "{ (void)c; *e = *p = 0; for (int i = 0; i < 5; i++) *e += 50 * (q[i + 1] - q[i]) * (q[i + 1] - q[i]); }\n"
  "static void power(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load)\n"
  "{ (void)c; (void)t; (void)q; *damping = *load = 0; for (int i = 0; i < 5; i++) *damping += 3 * (v[i + 1] - v[i]) * (w[i + 1] - w[i]); }\n"
  "static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)\n"
  "{ (void)c; (void)t; (void)drive; g[0] = 1 - q[5]; for (int i = 0; i < 6; i++) W[i] = i == 5 ? -1 : 0; }\n"
  "const NsMechanism percuss_mechanism = {.version = NS_MECHANISM_VERSION, .name = \"chain\", .title = \"masses in a row\",\n"
  "  .coordinates = coordinates, .contacts = contacts, .length = length, .mass = mass, .constant_mass = 1, .force = force, .energy = energy,\n"
  "  .power = power, .contact = contact};\n";

static char folder[] = "/tmp/percuss_plugin_XXXXXX";
static bool compiler;

static int make_folder(void **state)
{
  (void)state;
  compiler = !system("cc --version >/dev/null 2>&1");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  char command[64];

  (void)state;
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

/* folder/<name>.so from source, with compiler options such as macros. */
static void build(const char *name, const char *source, const char *options)
{
  char  path[128], command[2048];
  FILE *file;

  snprintf(path, sizeof(path), "%s/%s.c", folder, name);
  file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(source, file) >= 0);
  fclose(file);
  snprintf(command, sizeof(command), "cc -shared -fPIC -O1 -Wall -Werror -Wno-unused-function -I%s/include %s %s -o %s/%s.so", PERCUSS_SOURCE_DIR,
    options, path, folder, name);
  if (system(command)) fail_msg("%s", command);
}

/* A plugin of this name as a body called `it`, with more keys for it; the library stands at line 4, column 14. */
static Opened open_plugin(const char *name, const char *keys, const char *scheme)
{
  char text[1024];

  snprintf(text, sizeof(text),
    "gravity: [0, -10, 0]\n"
    "bodies:\n"
    "  it: {type: plugin,\n"
    "    library: %s/%s.so,\n"
    "    %s}\n"
    "scheme: {type: %s, step: 1 ms}\n"
    "time: {end: 1 s}\n",
    folder, name, keys, scheme);
  return open_run(text);
}

/* Many steps; the last state. Every message before is a failure. */
static void run_plugin(Opened *opened, int steps)
{
  NsRun        *run = opened->run;
  NsStepOutcome outcome;

  if (*opened->said) fail_msg("%s", opened->said);
  CHECK(NsRunStart(run));
  for (int i = 0; i < steps; i++) {
    CHECK(NsSchemeStep(run->scheme, &run->state, run->step, &outcome));
    if (!outcome.done) fail_msg("step at t = %g: %s", run->state.t, outcome.reason);
    run->figures.steps++;
    if (!run->scheme->type->varies) run->state.t = NsRunTime(run, run->figures.steps);
  }
}

static void good_plugins_are_loaded(void **state)
{
  Opened opened;
  double q[2];

  (void)state;
  if (!compiler) skip();
  build("good", ball_source, "");
  opened =
    open_plugin("good", "parameters: {mass: 3 kg}, initial: {y: 0.5 m, vx: 1 m/s}, contact: {friction: 0.2, restitution: 0.5}", "half_explicit");
  if (*opened.said) fail_msg("%s", opened.said);
  assert_string_equal(opened.run->model->kind, "drop");
  assert_int_equal(opened.run->model->unknowns, 2);
  assert_int_equal(opened.run->model->candidate[0].directions, 2);
  assert_near(opened.run->model->candidate[0].law.restitution, 0.5, 0);
  assert_true(opened.run->inputs && strstr(opened.run->inputs->path, "/good.so"));
  get(opened.run->state.q, q);
  assert_near(q[0], 0.5, 0);
  run_plugin(&opened, 1000);
  get(opened.run->state.q, q);
  assert_true(q[0] > -0.01 && q[0] < 0.5); /* it fell, bounced, and did not go through */
  close_run(&opened);
}

/* A belt that stops at 0.2 s, written as "add where it moves": arrays come in as zeros at every call, so the ball rides to 0.2 s and then stops, mu g = 5. */
static void arrays_are_zero_on_entry(void **state)
{
  Opened             opened;
  const PetscScalar *q, *v;

  (void)state;
  if (!compiler) skip();
  build("belt", ball_source, "-DBELT=0.2");
  opened = open_plugin("belt", "contact: {friction: 0.5}, initial: {y: 0}", "half_explicit");
  run_plugin(&opened, 1000);
  CHECK(VecGetArrayRead(opened.run->state.q, &q));
  CHECK(VecGetArrayRead(opened.run->state.v, &v));
  assert_true(fabs(v[1]) < 1e-12);
  assert_near(q[1], 0.5 * 5 * 0.2 * 0.2 * 2, 5e-3); /* 1 m/s is reached at 0.2 s, and takes as long to be lost */
  CHECK(VecRestoreArrayRead(opened.run->state.v, &v));
  CHECK(VecRestoreArrayRead(opened.run->state.q, &q));
  close_run(&opened);
}

static void many_coordinates(void **state)
{
  Opened           opened;
  double           A[36] = {0};
  NsModel         *model;
  const NsOperator op = {2, 0.5, 0.25};

  (void)state;
  if (!compiler) skip();
  build("chain", chain_source, "");
  opened = open_plugin("chain", "initial: {v5: 2 m/s}", "half_explicit");
  assert_non_null(strstr(opened.said, "warning: gravity has no effect")); /* the chain has no weight */
  assert_null(strstr(opened.said, "error"));
  check_solves(opened.run);
  model = opened.run->model;
  set(opened.run->state.q, NULL);
  CHECK(NsModelFactor(model, 0, 0, opened.run->state.q, opened.run->state.v, op));
  for (int i = 0; i < 6; i++) {
    A[7 * i] = 2 * (4 + i) + (0.5 * 3 + 0.25 * 100) * (i % 5 ? 2 : 1);
    if (i) A[6 * i + i - 1] = A[6 * (i - 1) + i] = 2 - 0.5 * 3 - 0.25 * 100;
  }
  check_inverse(model, 0, A, 1e-8);
  close_run(&opened);
}

/* Two jaws that close on a damped point, and cross: in the step in which they do the percussions still find a solution, and the projection none. */
static const char *const vise_source =
  "#include \"percuss/mechanism.h\"\n"
  "static const NsMechanismCoordinate coordinates[] = {{\"x\", \"vx\", {1, 0, 0, 0}, \"0\", \"0.5 m/s\"}, {0}};\n"
  "static const NsMechanismContact contacts[] = {{\"left\", 0, 0}, {\"right\", 0, 0}, {0}};\n"
  "static double length(const NsMechanismCase *c) { (void)c; return 1; }\n"
  "static void mass(const NsMechanismCase *c, const double *q, double *M) { (void)c; (void)q; M[0] = 1; }\n"
  "static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h) { (void)t; (void)q; h[0] = c->gravity[1] - 100 * v[0]; }\n"
  "static void energy(const NsMechanismCase *c, const double *q, double *e, double *p) { *e = 0; *p = -c->gravity[1] * q[0]; }\n"
  "static void power(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load)\n"
  "{ (void)c; (void)t; (void)q; *damping = 100 * v[0] * w[0]; *load = 0; }\n"
  "static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)\n"
  "{ (void)c; g[0] = 0.08 - 10 * t + q[0]; g[1] = 0.08 - 10 * t - q[0]; W[0] = 1; W[1] = -1; drive[0] = drive[1] = -10; }\n"
  "const NsMechanism percuss_mechanism = {.version = NS_MECHANISM_VERSION, .name = \"vise\", .coordinates = coordinates, .contacts = contacts,\n"
  "  .length = length, .mass = mass, .constant_mass = 1, .force = force, .energy = energy, .power = power, .contact = contact};\n";

/* A step that fails when its work is booked already gives that back, with everything else. */
static void failed_step_books_no_work(void **state)
{
  Opened        opened;
  NsStepOutcome outcome = {.done = PETSC_TRUE};
  NsLedger      before  = {.initial = 0};
  double        q = 0, v = 0, t = 0;

  (void)state;
  if (!compiler) skip();
  build("vise", vise_source, "");
  opened     = open_plugin("vise", "contact: {restitution: 0}", "ggl_decoupled");
  NsRun *run = opened.run;
  run_plugin(&opened, 0); /* ready to step */
  while (outcome.done && run->state.t < 0.05) {
    before = run->ledger;
    t      = run->state.t;
    CHECK(VecSum(run->state.q, &q));
    CHECK(VecSum(run->state.v, &v));
    CHECK(NsSchemeStep(run->scheme, &run->state, 4.5e-3, &outcome));
  }
  assert_false(outcome.done);
  expect_words(outcome.reason, "projection of 2 contacts");
  assert_true(before.damping > 0.01);
  assert_memory_equal(&before, &run->ledger, sizeof(before));
  assert_near(run->state.t, t, 0);
  PetscScalar now;
  CHECK(VecSum(run->state.q, &now));
  assert_near(now, q, 0);
  CHECK(VecSum(run->state.v, &now));
  assert_near(now, v, 0);
  close_run(&opened);
}

static void plugins_that_cannot_be_used(void **state)
{
  static const struct {
    const char *name, *options, *said;
  } cases[] = {
    {"nothing", "-DSYMBOL=percus_mechanism", "nothing.so' defines no `percuss_mechanism`"},
    {"older", "-DVERSION=0", "the plugin was made for version 0 of the mechanism's table, this program has version 3: rebuild it"},
    {"newer", "-DVERSION=99", "the plugin was made for version 99"},
    {"no_name", "-DTABLE=.name=0,", "the plugin's table has no name"},
    {"no_coordinates", "-DTABLE=.coordinates=0,", "the plugin's table has no coordinates"},
    {"no_length", "-DTABLE=.length=0,", "the plugin's table has no length"},
    {"no_mass", "-DTABLE=.mass=0,", "the plugin's table has no mass"},
    {"no_force", "-DTABLE=.force=0,", "the plugin's table has no force"},
    {"no_energy", "-DTABLE=.energy=0,", "the plugin's table has no energy"},
    {"no_contact", "-DTABLE=.contact=0,", "the plugin's table has contacts, but no function contact"},
    {"no_start", "-DSTART=0", "the plugin's table has a coordinate without rate, position or speed"},
  };

  (void)state;
  if (!compiler) skip();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    build(cases[i].name, ball_source, strchr(cases[i].options, '.') ? "" : cases[i].options);
    if (strchr(cases[i].options, '.')) { /* a later initializer wins, of which compilers warn */
      char options[128];
      snprintf(options, sizeof(options), "-Wno-override-init -Wno-initializer-overrides -Wno-unknown-warning-option '%s'", cases[i].options);
      build(cases[i].name, ball_source, options);
    }
    Opened opened = open_plugin(cases[i].name, "initial: {}", "half_explicit");
    assert_int_equal(NsDiagErrors(opened.diag), 1);
    expect_words(opened.said, ":4:14: error: ");
    expect_words(opened.said, cases[i].said);
    close_run(&opened);
  }
}

static void plugins_with_too_much(void **state)
{
  char   options[4096] = "'-DMORE=";
  Opened opened;

  (void)state;
  if (!compiler) skip();
  for (int i = 0; i < 32; i++) snprintf(options + strlen(options), sizeof(options) - strlen(options), "{\"p%d\",{0},\"0\",0,0,\"a\"},", i);
  strcat(options, "'");
  build("parameters", ball_source, options);
  opened = open_plugin("parameters", "initial: {}", "half_explicit");
  expect_words(opened.said, "NS_MECHANISM_PARAMETERS");
  close_run(&opened);
}

static void configs_that_do_not_fit_the_plugin(void **state)
{
  static const struct {
    const char *keys, *scheme, *said[2];
  } cases[] = {
    {"parameters: {mas: 1 kg}", "half_explicit", {":5:18: error: unknown key 'mas'", "did you mean 'mass'?"}},
    {"parameters: {mass: 1 m}", "half_explicit", {":5:26: error: expected a mass, got m", "mass: of the ball, for example 1 kg"}},
    {"parameters: {mass: 0 kg}", "half_explicit", {":5:24: error: mass must be greater than 0, got 0 kg", ""}},
    {"mass: 1 kg", "half_explicit", {":5:5: error: unknown key 'mass' in bodies.it", "parameters"}},
    {"initial: {z: 1 m}", "half_explicit", {":5:15: error: unknown key 'z'", "valid keys: vx, vy, x, y"}},
    {"initial: {y: 1 m/s}", "half_explicit", {":5:20: error: expected a length, got m/s", ""}},
    {"contact: {fricton: 0.1}", "half_explicit", {":5:15: error: unknown key 'fricton'", "did you mean 'friction'?"}},
    {"contact: {friction: 0.1}", "half_explicit_acceleration", {"friction is not supported on acceleration level", ""}},
  };

  (void)state;
  if (!compiler) skip();
  build("fits", ball_source, "");
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    Opened opened = open_plugin("fits", cases[i].keys, cases[i].scheme);
    assert_true(NsDiagErrors(opened.diag) > 0);
    for (int k = 0; k < 2; k++) expect_words(opened.said, cases[i].said[k]);
    close_run(&opened);
  }
}

/* A case with fewer contacts than the list has; and sizes that no list has. */
static void sizes_of_a_case(void **state)
{
  static const char *const wrong[] = {"*n = 0", "*n = 3", "*m = 2", "*m = -1"};
  double                   q[2];

  (void)state;
  if (!compiler) skip();
  build("open", ball_source, "'-DSIZES=*m = 0'");
  Opened opened = open_plugin("open", "initial: {vx: 1 m/s}", "half_explicit");
  run_plugin(&opened, 500);
  get(opened.run->state.q, q);
  assert_int_equal(opened.run->model->candidates, 0);
  assert_near(q[0], 1 - 10 * 0.125, 0.01); /* through the floor */
  close_run(&opened);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    char name[32], option[64];
    snprintf(name, sizeof(name), "sizes%d", (int)i);
    snprintf(option, sizeof(option), "'-DSIZES=%s'", wrong[i]);
    build(name, ball_source, option);
    opened = open_plugin(name, "contact: {friction: 0.5}", "half_explicit");
    assert_int_equal(NsDiagErrors(opened.diag), 1);
    expect_words(opened.said, ":3:3: error: `sizes` of 'drop' returns more coordinates or contacts than its lists have");
    close_run(&opened);
  }
}

/* A missing parameter is blamed on the plugin's body, with `parameters` there or not. */
static void required_parameters(void **state)
{
  static const char *const keys[] = {"parameters: {}", "initial: {}"};

  (void)state;
  if (!compiler) skip();
  build("required", ball_source, "-DSTANDARD=0");
  for (int i = 0; i < 2; i++) {
    Opened opened = open_plugin("required", keys[i], "half_explicit");
    assert_int_equal(NsDiagErrors(opened.diag), 1);
    expect_words(opened.said, "error: missing key 'mass'");
    expect_words(opened.said, i ? ":3:3: error" : ":5:5: error");
    close_run(&opened);
  }
}

/* What a plugin may leave out: rates of rows, a law, pictures, contacts. */
static void plugins_without_extras(void **state)
{
  static const char *const schemes[] = {"half_explicit", "half_explicit_two_step", "explicit_velocity", "moreau_midpoint", "moreau_jean_explicit",
    "ggl_decoupled", "ggl_unified", "schatzman_paoli"};
  Opened                   opened;
  double                   q[2];

  (void)state;
  if (!compiler) skip();
  build("bare", ball_source, "-Wno-override-init '-DTABLE=.rowrate=0,.draw=0,.points=0,.title=0,'");
  opened = open_plugin("bare", "initial: {}", "half_explicit_acceleration");
  expect_words(opened.said, "it needs the rates of the contact rows, which this model does not give (rowrate)");
  close_run(&opened);
  build("free", ball_source, "-Wno-override-init '-DTABLE=.rowrate=0,.draw=0,.points=0,.contacts=0,.contact=0,'");
  for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
    opened = open_plugin("bare", "contact: {restitution: 0.5}", schemes[i]);
    run_plugin(&opened, 500);
    close_run(&opened);
  }
  for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
    opened = open_plugin("free", "initial: {vx: 1 m/s}", schemes[i]);
    run_plugin(&opened, 500);
    get(opened.run->state.q, q);
    assert_near(q[0], 1 - 10 * 0.125, 0.01);
    assert_near(q[1], 0.5, 1e-3);
    close_run(&opened);
  }
}

/* A floor that rises and falls carries the ball: gaps and rates at the time asked for, and its work in the balance of energy. */
static void a_moving_floor(void **state)
{
  static const struct {
    const char *plugin, *scheme;
  } cases[] = {{"floor", "half_explicit"}, {"floor", "half_explicit_two_step"}, {"floor", "moreau_midpoint"}, {"floor", "ggl_decoupled"},
    {"floor", "ggl_unified"}, {"glued", "half_explicit"}, {"glued", "half_explicit_acceleration"}, {"glued", "moreau_midpoint"},
    {"glued", "ggl_unified"}, {"glued", "position_level"}, {"floor", "schatzman_paoli"}, {"glued", "schatzman_paoli"}};
  const char *const motion = "'-DFLOOR=0.1*sin(5*t)' '-DSPEED=0.5*cos(5*t)' '-DRATE=-2.5*sin(5*t)'"; /* at most 2.5 m/s^2: the ball stays on it */
  Opened            opened;
  double            g, u[1], q[2] = {0.5, 0}, v[2] = {0.25, 0};
  char              options[256];

  (void)state;
  if (!compiler) skip();
  build("floor", ball_source, motion);
  snprintf(options, sizeof(options), "%s '-DCONTACTS={\"floor\",0,1},'", motion);
  build("glued", ball_source, options);
  opened = open_plugin("floor", "initial: {y: 0, vy: 0.5 m/s}", "half_explicit");
  if (*opened.said) fail_msg("%s", opened.said);
  set(opened.run->state.q, q);
  set(opened.run->state.v, v);
  for (int i = 0; i < 10; i++) { /* the same place at other times */
    const double t = 0.1 * i;
    CHECK(NsModelGap(opened.run->model, t, opened.run->state.q, &g));
    assert_near(g, 0.5 - 0.1 * sin(5 * t), 1e-15);
    CHECK(opened.run->model->contact.rates(opened.run->model, t, opened.run->state.q, opened.run->state.v, &g, u));
    assert_near(u[0], 0.25 - 0.5 * cos(5 * t), 1e-15);
  }
  close_run(&opened);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    opened = open_plugin(cases[i].plugin, "initial: {y: 0, vy: 0.5 m/s}", cases[i].scheme);
    run_plugin(&opened, 1000);
    get(opened.run->state.q, q);
    get(opened.run->state.v, v);
    const double t = opened.run->state.t;
    if (fabs(q[0] - 0.1 * sin(5 * t)) > 2e-3) fail_msg("%s: the ball is at %g m, the floor at %g m", cases[i].scheme, q[0], 0.1 * sin(5 * t));
    assert_near(v[0], 0.5 * cos(5 * t), 5e-3);
    /* the floor's work, about -1 J, is load; what is left is of the size of the step */
    assert_near(opened.run->ledger.load, 0.5 * (pow(0.5 * cos(5 * t), 2) - 0.25) + sin(5 * t), 5e-3);
    if (fabs(opened.run->ledger.numerical) > 5e-3) fail_msg("%s: %g J from nowhere", cases[i].scheme, opened.run->ledger.numerical);
    close_run(&opened);
  }
}

/* Errors in the table of a plugin are reported, and do not end the program. */
static void wrong_tables_are_refused(void **state)
{
  static const char *const options[] = {
    "'-DCONTACTS={\"floor\",-1,0},'", /* as many directions as that */
    "'-DCONTACTS={\"floor\",3,0},'",
    "'-DCONTACTS={\"floor\",1,1},'",            /* a joint that rubs */
    "-Wno-override-init '-DTABLE=.lines=2,'",   /* lines between which points? */
    "'-DMORE={\"mass\",{0},\"0\",0,0,\"a\"},'", /* the same name twice */
    "'-DSTANDARD=\"1 m\"'",                     /* of another kind */
    "'-DSTANDARD=\"1kilo\"'",
    "'-DSTANDARD=\"-1 kg\"'", /* out of its own range */
    "'-DSTART=\"high\"'",
    "'-DCONTACTS={\"a,b\",1,0},'", /* names of columns */
    "'-DCONTACTS={\"floor\",1,0},{\"floor\",0,0},'",
  };

  (void)state;
  if (!compiler) skip();
  for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    char name[32];
    snprintf(name, sizeof(name), "table%d", (int)i);
    build(name, ball_source, options[i]);
    Opened opened = open_plugin(name, "contact: {friction: 0.5}", "half_explicit");
    if (!NsDiagErrors(opened.diag)) fail_msg("%s: not refused", options[i]);
    expect_words(opened.said, ":4:14: error: ");
    close_run(&opened);
  }
}

/* ---- models that are refused ---- */

static void mechanism_must_be_the_only_body(void **state)
{
  static const char *const bar       = "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {area: 1 cm^2}\n";
  static const char *const mechanism = "  crank: {type: slider_crank}\n";
  static const char *const rest      = "scheme: {type: half_explicit, step: 1 us}\ntime: {end: 1 ms}\n";

  (void)state;
  for (int first = 0; first < 2; first++) { /* the mechanism, the bar */
    char   text[1024];
    Opened opened;
    snprintf(text, sizeof(text), "bodies:\n%s%s%s", first ? bar : mechanism, first ? mechanism : bar, rest);
    opened = open_run(text);
    assert_int_equal(NsDiagErrors(opened.diag), 1);
    expect_words(opened.said, "a mechanism is a complete model: a config with a mechanism cannot have other bodies");
    close_run(&opened);
  }
}

/* As finite elements: an initial penetration or an open joint is an error. */
static void impossible_initial_states(void **state)
{
  static const char *const bodies[] = {
    "{type: ball_in_box, initial: {x: 7 m}}",
    "{type: ball_in_box, initial: {y: 0.999 m}}",
    "{type: slider_crank, initial: {theta1: 0.2 rad}}",
    "{type: slider_crank_bilateral, initial: {theta1: 0.2 rad}}",
    "{type: slider_crank_bilateral, crank_length: 0.2 m}", /* the default rates do not fit this crank */
    "{type: slider_crank_bilateral, initial: {omega1: 10 rad/s}}",
  };

  (void)state;
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    char   text[512];
    Opened opened;
    snprintf(text, sizeof(text), "bodies:\n  it: %s\nscheme: {type: half_explicit, step: 0.1 ms}\ntime: {end: 1 ms}\n", bodies[i]);
    opened = open_run(text);
    if (!*opened.said) fail_msg("%s: nothing is said", bodies[i]);
    expect_words(opened.said, ":2:");
    close_run(&opened);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(built_in_functions_fit_each_other),
    cmocka_unit_test(kinks_are_not_reported),
    cmocka_unit_test(rows_of_balls_fit_too),
    cmocka_unit_test(mass_matrices_are_symmetric_and_positive),
    cmocka_unit_test(rows_are_the_ways_of_the_touching_points),
    cmocka_unit_test(contacts_are_where_bodies_touch),
    cmocka_unit_test(slider_crank_energies_are_those_of_three_bodies),
    cmocka_unit_test(spring_pendulum_fits_and_its_energies_are_those_of_a_point),
    cmocka_unit_test(one_error_is_found_and_named),
    cmocka_unit_test(correct_mechanisms_pass),
    cmocka_unit_test(correct_mechanisms_of_any_size_and_speed_pass),
    cmocka_unit_test(small_lengths_are_left_alone),
    cmocka_unit_test(solving_undoes_multiplying),
    cmocka_unit_test(rates_of_the_mass_by_hand_and_by_differences),
    cmocka_unit_test(factors_hold_stiffness_and_damping),
    cmocka_unit_test(rows_of_some_contacts),
    cmocka_unit_test(a_belt_drives),
    cmocka_unit_test(flight_and_rates_may_be_left_out),
    cmocka_unit_test(pictures_show_the_mechanism),
    cmocka_unit_test(pictures_of_links_and_coils),
    cmocka_unit_test(probes_are_coordinates_and_rates),
    cmocka_unit_test(initial_values_and_defaults),
    cmocka_unit_test(impossible_initial_states),
    cmocka_unit_test(mechanism_must_be_the_only_body),
    cmocka_unit_test(good_plugins_are_loaded),
    cmocka_unit_test(arrays_are_zero_on_entry),
    cmocka_unit_test(many_coordinates),
    cmocka_unit_test(failed_step_books_no_work),
    cmocka_unit_test(plugins_that_cannot_be_used),
    cmocka_unit_test(plugins_with_too_much),
    cmocka_unit_test(configs_that_do_not_fit_the_plugin),
    cmocka_unit_test(required_parameters),
    cmocka_unit_test(sizes_of_a_case),
    cmocka_unit_test(a_moving_floor),
    cmocka_unit_test(plugins_without_extras),
    cmocka_unit_test(wrong_tables_are_refused),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  if (SlepcFinalize()) return 1;
  return failed;
}
