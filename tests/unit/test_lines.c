/*
  Lines that touch: nearest points of cubic curves against samples; rows of whole models against differences of gaps; closed forms of crossed beams and of a load that moves over a bridge.
*/
#include "gap_rows.h"
#include "fe/surface/lines.h"

/* ---- curves -------------------------------------------------------------------------------------------------------------------------------------- */

/* 1 m long, in any direction, its ends bent aside. */
static NsCurve random_curve(unsigned *seed, double about)
{
  PetscReal p[NS_CURVE_POINTS][3], at[3], along[3];
  NsCurve   curve;

  for (int k = 0; k < 3; k++) {
    at[k]    = random_in(seed, -about, about);
    along[k] = random_in(seed, -1, 1);
  }
  (void)NsUnit3(along);
  for (int i = 0; i < NS_CURVE_POINTS; i++) {
    for (int k = 0; k < 3; k++) p[i][k] = at[k] + i / 3.0 * along[k] + random_in(seed, -0.02, 0.02);
  }
  NsCurveControl((const PetscReal(*)[3])p, curve.P);
  NsCurveBox(&curve);
  return curve;
}

static void point_of(const NsCurve *curve, double xi, double x[3])
{
  PetscReal B[NS_CURVE_POINTS];

  NsCurveWeights(xi, B);
  for (int k = 0; k < 3; k++) x[k] = B[0] * curve->P[0][k] + B[1] * curve->P[1][k] + B[2] * curve->P[2][k] + B[3] * curve->P[3][k];
}

static double apart(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void nearest_points(void **state)
{
  enum { FINE = 300 };
  unsigned seed    = 1;
  int      crossed = 0;

  (void)state;
  for (int n = 0; n < 300; n++) {
    const NsCurve curve[2] = {random_curve(&seed, 0.3), random_curve(&seed, 0.3)};
    const double  ball[3]  = {random_in(&seed, -1, 1), random_in(&seed, -1, 1), random_in(&seed, -1, 1)};
    double        x[2][3], least[2] = {10, 10};
    PetscReal     xi[2];
    NsCurve       point;
    NsCurveOfPoint(ball, &point);
    for (int i = 0; i <= FINE; i++) {
      point_of(&curve[0], (double)i / FINE, x[0]);
      least[0] = PetscMin(least[0], apart(x[0], ball));
      for (int j = 0; j <= FINE; j++) {
        point_of(&curve[1], (double)j / FINE, x[1]);
        least[1] = PetscMin(least[1], apart(x[0], x[1]));
      }
    }
    const double to_ball = sqrt(NsCurvesNearest(&point, &curve[0], xi)), between = sqrt(NsCurvesNearest(&curve[0], &curve[1], xi));
    assert_true(to_ball <= least[0] + 1e-12 && to_ball >= least[0] - 0.01);
    assert_true(between <= least[1] + 1e-12 && between >= least[1] - 0.01);
    for (int i = 0; i < 2; i++) {
      assert_true(xi[i] >= 0 && xi[i] <= 1);
      point_of(&curve[i], xi[i], x[i]);
    }
    assert_near(apart(x[0], x[1]), between, 1e-12);
    crossed += xi[0] > 0 && xi[0] < 1 && xi[1] > 0 && xi[1] < 1;
    assert_true(NsCurvesApart(&curve[0], &curve[1]) <= between * between + 1e-15);
  }
  assert_true(crossed > 30);
}

/* The second begins beside the first's 0.4: side by side from there to the end. */
static void side_by_side(void **state)
{
  const PetscReal p[2][NS_CURVE_POINTS][3] = {
    {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{1.2, 0.1, 0}, {3.2, 0.1, 0}, {5.2, 0.1, 0}, {7.2, 0.1, 0}}};
  NsCurve   curve[2];
  PetscReal xi[2];

  (void)state;
  for (int i = 0; i < 2; i++) {
    NsCurveControl(p[i], curve[i].P);
    NsCurveBox(&curve[i]);
  }
  assert_near(NsCurvesNearest(&curve[0], &curve[1], xi), 0.01, 1e-15);
  assert_near(xi[0], 0.7, 1e-12);
  assert_near(xi[1], 0.15, 1e-12);
}

/* ---- models -------------------------------------------------------------------------------------------------------------------------------------- */

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"
#define ROD   "section: {circle: {radius: 5 mm}}"

/* Rates of rows against differences of the rows' velocities along the motion, where the nearest points stay within the same elements. */
static void check_rates(NsModel *model)
{
  const double ahead = 1e-6;
  NsFe        *fe    = model->data;
  unsigned     seed  = 5;
  double       off = 0, most = 0;
  PetscReal   *q, *v, u[2][3], d[3];

  CHECK(PetscMalloc2(model->touches, &q, model->touches, &v));
  for (int n = 0; n < 100; n++) {
    const PetscInt i = n % model->candidates;
    for (PetscInt k = 0; k < model->touches; k++) q[k] = random_in(&seed, -3e-3, 3e-3), v[k] = random_in(&seed, -1, 1);
    for (int side = 0; side < 2; side++) {
      for (PetscInt k = 0; k < model->touches; k++) q[k] += (side ? 2 : -1) * ahead * v[k];
      NsFeSlidingAt(fe, q, model->touches);
      CHECK(NsFeRowsOf(fe, i, 0, q));
      NsRowsVelocityTouched(&fe->one, v, u[side]);
    }
    for (PetscInt k = 0; k < model->touches; k++) q[k] -= ahead * v[k];
    NsFeSlidingAt(fe, q, model->touches);
    fe->pair[i].type->rate(&fe->pair[i], 0, q, v, d);
    for (PetscInt k = 0; k < fe->one.rows; k++) {
      off  = PetscMax(off, fabs((u[1][k] - u[0][k]) / (2 * ahead) - d[k]));
      most = PetscMax(most, fabs(d[k]));
    }
  }
  print_message("    rates off by %.2g of the largest, %.3g m/s^2\n", off / most, most);
  assert_true(most > 10);
  assert_true(off < 1e-6 * most);
  CHECK(PetscFree2(q, v));
}

static void rows_are_gradients(void **state)
{
  static const char *const bodies[] = {"bodies:\n"
                                       "  low: {type: beam, " STEEL ", " ROD ", mesh: {line: {from: [-0.5, 0, 0], to: [0.5, 0, 0], elements: 7}}}\n"
                                       "  high: {type: beam, " STEEL ", " ROD
                                       ", mesh: {line: {from: [0.1, -0.5, 0.02], to: [0, 0.5, 0.02], elements: 5}}}\n"
                                       "supports: {end: {at: [low.left, high.left]}}\n"
                                       "contacts: {cross: {between: [{line: low, radius: 5 mm}, {line: high, radius: 5 mm}], friction: 0.1}}\n",
    "bodies:\n"
    "  deck: {type: beam, " STEEL ", " ROD ", mesh: {line: {from: [-0.5, 0, 0], to: [0.5, 0, 0], elements: 7}}}\n"
    "  ball: {type: rigid, at: [0.05, 0, 0.05], mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3]}\n"
    "contacts: {wheel: {between: [{node: ball.center, radius: 10 mm}, {line: deck, radius: 5 mm}], friction: 0.1}}\n",
    "bodies:\n"
    "  bars: {type: truss, " STEEL ", section: {area: 1 cm^2}, mesh: {line: {from: [-0.5, 0, 0], to: [0.5, 0, 0], elements: 1}}}\n"
    "  beam: {type: beam, theory: timoshenko, " STEEL ", " ROD ", mesh: {line: {from: [0, -0.5, 0.05], to: [0, 0.5, 0.05], elements: 4}}}\n"
    "contacts: {wheel: {between: [{node: beam.all, radius: 10 mm}, {line: bars}], friction: 0.1}}\n"};

  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[2000];
    (void)snprintf(text, sizeof(text), "%sscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 ms}\n", bodies[i]);
    TestRun test = test_run_open(text, NULL);
    assert_true(test.run->model->touches > 0 && test.run->model->row_entries >= 15);
    check_gap_rows(test.run->model->candidate[0].name, test.run->model, 3e-3, (const double[]){0.3, 0.02, 5e-3});
    check_rates(test.run->model);
    test_run_close(&test);
  }
}

static double displacement(const TestRun *test, PetscInt body, PetscInt node, int along)
{
  const NsFe *fe = test->run->model->data;

  return NsVecRead(test->run->state.q)[NsFeNodeUnknowns(fe, fe->body[body].first_node + node)[along]];
}

/* A force on the upper of two beams on two supports each that cross in the middle: F L^3/48 over the sum of E I. The elements' nodes are there (10), or the middle lies within elements, where the cubic
   displacement leaves out (h/L)^3/4 of each (11). */
static void crossed_beams(void **state)
{
  const double EI = 210e9 * PETSC_PI / 4 * pow(5e-3, 4), L = 1, F = 10;

  (void)state;
  for (int elements = 10; elements <= 11; elements++) {
    char text[3000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  low: {type: beam, theory: euler_bernoulli, " STEEL ", " ROD ", mesh: {line: {from: [-0.5, 0, 0], to: [0.5, 0, 0], elements: %d}}}\n"
      "  high: {type: beam, theory: euler_bernoulli, " STEEL ", " ROD ", mesh: {line: {from: [0, -0.5, 0.01], to: [0, 0.5, 0.01], elements: %d}}}\n"
      "supports:\n"
      "  low: {at: low.left, fix: [x, y, z, rx]}\n  low2: {at: low.right, fix: [y, z]}\n"
      "  high: {at: high.left, fix: [x, y, z, ry]}\n  high2: {at: high.right, fix: [x, z]}\n"
      "loads: {press: {at: high@0.5, force: [0, 0, %g]}}\n"
      "contacts: {cross: {between: [{line: high, radius: 5 mm}, {line: low, radius: 5 mm}]}}\n"
      "start: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
      elements, elements, -F);
    TestRun      test   = test_run_open(text, NULL);
    const double wanted = -F * L * L * L / (96 * EI);
    double       w      = 0;
    if (elements == 10)
      for (int b = 0; b < 2; b++) assert_near(displacement(&test, b, 5, 2) / wanted, 1, 1e-7);
    else
      w = (displacement(&test, 0, 5, 2) + displacement(&test, 0, 6, 2)) / 2 / wanted;
    if (elements == 11) assert_near(w, 1, 0.02);
    test_run_close(&test);
  }
}

/*
  A light ball runs over a bridge: the deflection in the middle of a force that moves (L. Fryba, Vibration of solids and structures under moving loads, 1972, eq. 1.31, without damping)

      w = (2 F L^3)/(pi^4 E I) sum_n sin(n pi/2)/(n^2 (n^2 - a^2)) (sin n W t - (a/n) sin w_n t),    W = pi v/L,  a = W/w_1
*/
static void moving_load(void **state)
{
  const double L = 20, v = 40, E = 210e9, inertia = 0.2 * pow(0.4, 3) / 12, m = 7800 * 0.08, mass = 10, F = 9.81 * mass, end = 0.45;
  TestRun      test = test_run_open(
         "bodies:\n"
              "  bridge: {type: beam, theory: euler_bernoulli, " STEEL
         ", section: {rectangle: {width: 0.2, height: 0.4}}, orientation: [0, 0, 1], mesh: {line: {from: [0, 0, 0], to: [20, 0, 0], elements: 10}}}\n"
              "  ball: {type: rigid, at: [0, 0, 0.4], mass: 10 kg, inertia: [1, 1, 1], initial: {velocity: [40 m/s, 0, 0]}}\n"
              "supports:\n  left: {at: bridge.left, fix: [x, y, z, rx]}\n  right: {at: bridge.right, fix: [y, z]}\n"
              "loads: {weight: {at: ball.center, force: [0, 0, -98.1 N]}}\n"
              "contacts: {wheel: {between: [{node: ball.center, radius: 0.2}, {line: bridge, radius: 0.2}]}}\n"
              "scheme: {type: moreau_jean, step: 0.2 ms}\ntime: {end: 0.45 s}\n",
         NULL);
  double off = 0, most = 0;

  (void)state;
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    const double t = test.run->state.t, W = PETSC_PI * v / L, first = pow(PETSC_PI / L, 2) * sqrt(E * inertia / m), a = W / first;
    double       w = 0;
    for (int n = 1; n < 20; n += 2) w += (n % 4 == 1 ? 1 : -1) / (n * n * (n * n - a * a)) * (sin(n * W * t) - a / n * sin(n * n * first * t));
    w *= -2 * F * L * L * L / (pow(PETSC_PI, 4) * E * inertia);
    off  = PetscMax(off, fabs(displacement(&test, 0, 5, 2) - w));
    most = PetscMax(most, fabs(w));
  }
  print_message("  deflection off by %.2g of its largest; the ball keeps %.12g of its velocity\n", off / most,
    NsVecRead(test.run->state.v)[NsFeNodeUnknowns(test.run->model->data, 11)[0]] / v);
  assert_near(test.run->state.t, end, 1e-9);
  assert_true(off < 0.005 * most);
  test_run_close(&test);
}

/* A shaft that turns falls upon a beam in the middle of both, at nodes (6 elements) or within elements (5). Shear deforms both: were the axes to have corners at the nodes, two of their points would be
   nearest there, one on each side, and forces of closed contacts would not converge. */
static void node_of_shear_beams(void **state)
{
  static const char *const schemes[] = {"modal", "generalised_alpha"};

  (void)state;
  for (int k = 0; k < 4; k++) {
    char text[3000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  shaft: {type: rotor, spin: 1000 rpm, " STEEL
      ", section: {circle: {radius: 5 cm}}, mesh: {line: {from: [-1, 0, 0], to: [1, 0, 0], elements: %d}}}\n"
      "  beam: {type: beam, " STEEL ", section: {circle: {radius: 5 cm}}, mesh: {line: {from: [0, -1, 0.1001], to: [0, 1, 0.1001], elements: 5}},\n"
      "    initial: {velocity: [0, 0, -5 m/s]}}\n"
      "bearings:\n  l: {between: [shaft.left, ground], stiffness: 100 MN/m}\n  r: {between: [shaft.right, ground], stiffness: 100 MN/m}\n"
      "contacts: {cross: {between: [{line: beam, radius: 5 cm}, {line: shaft, radius: 5 cm}], friction: 0.3}}\n"
      "scheme: {type: %s, step: 5 us}\ntime: {end: 1 ms}\n",
      k % 2 ? 5 : 6, schemes[k / 2]);
    TestRun test = test_run_open(text, NULL);
    while (test_runs(test.run)) (void)test_step(test.run);
    print_message("  %s: the shaft is pushed down by %.3g mm\n", schemes[k / 2], -1e3 * displacement(&test, 0, 3, 1));
    assert_near(test.run->state.t, 1e-3, 1e-9);
    assert_true(displacement(&test, 0, 3, 1) < -1e-4);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(nearest_points),
  cmocka_unit_test(side_by_side),
  cmocka_unit_test(rows_are_gradients),
  cmocka_unit_test(crossed_beams),
  cmocka_unit_test(moving_load),
  cmocka_unit_test(node_of_shear_beams),
};
TEST_MAIN(tests)
