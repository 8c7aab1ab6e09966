/*
  Laws of contacts beyond constant coefficients, over every scheme that supports them: friction over the sliding speed and over the direction, restitution over the approach speed, impacts in two phases.

  Figures of the belt and of the rod: closed forms and integrations to 1e-12 (DOP853, Routh's integration along the impulse).
*/
#include "contact/laws/law.h"
#include "contact/laws/routh.h"
#include "promises.h"

static PetscBool supports(const Promise *p, unsigned kinds)
{
  return (kinds & ~promise_type(p)->laws) == 0;
}

/* ---- a block on a belt, m = 1 kg, k = 100 N/m, N = 10 N, belt at 0.1 m/s ------------------------------------------------------------------------- */

#define BELT(friction, damping) \
  "gravity: [0, -10 m/s^2, 0]\n" \
  "bodies: {block: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1], initial: {velocity: [0.1, 0, 0]}}}\n" \
  "supports: {guide: {at: block.center, fix: [z, rx, ry, rz]}}\n" \
  "springs: {k: {between: [block.center, ground], direction: [1, 0, 0], stiffness: 100 N/m, damping: " damping "}}\n" \
  "contacts:\n" \
  "  belt: {between: [block.center, {plane: {point: [0, 0, 0], normal: [0, 1, 0], velocity: [0.1 m/s, 0, 0]}}], friction: " friction "}\n" \
  "scheme: {type: half_explicit, step: 0.2 ms}\n" \
  "time: {end: 2.2 s}\n"

static const struct {
  const char *text;
  PetscReal   period, most, least;
} cycles[] = {
  {BELT("{static_kinetic: {static: 0.4, kinetic: 0.25}}", "0"), 0.7317597860684928, 0.04302775637731995, -0.18027756377319948},
  {BELT("{stribeck: {static: 0.4, kinetic: 0.25, velocity: 0.1 m/s}}", "0.5 N s/m"), 0.7815794159094052, 0.047523470863188574, -0.20453173415270562},
};

/* Two ends of sticking are a period apart; a step is the resolution of both, or the tolerance of schemes that locate them. */
static void stick_slip_on_a_belt(void **state)
{
  const PetscReal dt = 2e-4;

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies || !p->friction || p->rest < 0 || p->order == 1 || promise_gives(p) || !supports(p, NS_LAW_SLIDING)) continue;
    promise_print(p);
    for (size_t c = 0; c < sizeof(cycles) / sizeof(*cycles); c++) {
      TestRun        test    = promise_open(cycles[c].text, p, dt, "");
      PetscReal      ends[8] = {0}, most = 0, least = 0;
      PetscInt       count = 0;
      NsContactState last  = NS_STICK;
      while (test_runs(test.run)) {
        test_step(test.run);
        const NsContactState now = NsContactReports(test.run->contact)[0].state;
        const PetscReal     *q = NsVecRead(test.run->state.q), *v = NsVecRead(test.run->state.v);
        most  = PetscMax(most, q[0]);
        least = PetscMin(least, v[0]);
        if (last == NS_STICK && now == NS_SLIP && count < 8) ends[count++] = test.run->state.t;
        last = now;
      }
      assert_true(count >= 2);
      assert_near(ends[count - 1] - ends[count - 2], cycles[c].period, promise_meets(p) ? 1e-6 : 2.01 * dt);
      assert_near(most, cycles[c].most, 2e-5);
      assert_near(least, cycles[c].least, 1e-4);
      CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
      assert_near(test.run->ledger.numerical, 0, 1e-5);
      test_run_close(&test);
    }
  }
}

/* A step in which mu falls too steeply has several solutions: 1.18 of what is allowed (G with the implicit stiffness). */
static void steep_friction_is_refused(void **state)
{
  NsStepOutcome outcome = {PETSC_TRUE};
  const char   *set[]   = {"scheme={type: moreau_jean, step: 0.1 s}", NULL};
  TestRun       test    = test_run_open(cycles[1].text, set);

  (void)state;
  while (test_runs(test.run) && outcome.done) CHECK(NsRunStep(test.run, &outcome));
  assert_false(outcome.done);
  assert_non_null(strstr(outcome.reason, "falls too steeply"));
  assert_non_null(strstr(outcome.reason, "0.85 of its length"));
  test_run_close(&test);
}

/* ---- friction that depends on the direction ----------------------------------------------------------------------------------------------------- */

static const char *const sliding = "gravity: [0, 0, -10 m/s^2]\n"
                                   "bodies: {block: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1], initial: {velocity: [1, 1, 0]}}}\n"
                                   "supports: {guide: {at: block.center, fix: [rx, ry, rz]}}\n"
                                   "contacts:\n"
                                   "  floor: {between: [block.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}],\n"
                                   "    friction: {coefficient: 0.4, anisotropy: {along: [1, 0, 0.3], across: 0.25}}}\n"
                                   "scheme: {type: half_explicit, step: 0.5 ms}\n"
                                   "time: {end: 0.2}\n";

/* P = -N (mu1^2 u1, mu2^2 u2)/|(mu1 u1, mu2 u2)|: the rates are those of greatest dissipation. Integrated to 1e-10. The direction of slip turns, and is that of the end of a step: order 1. */
static void block_on_an_ellipse(void **state)
{
  static const PetscReal q_end[] = {0.12470639, 0.19345631}, v_end[] = {0.27101988, 0.92164267};

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies || p->friction != SPACE || p->rest < 0 || promise_gives(p) || !supports(p, NS_LAW_ANISOTROPIC)) continue;
    promise_print(p);
    TestRun test = promise_open(sliding, p, 5e-4, "");
    while (test_runs(test.run)) {
      test_step(test.run);
      const PetscReal *P = NsContactReports(test.run->contact)[0].force, *J = NsContactReports(test.run->contact)[0].impulse, *R = P[0] > 0 ? P : J;
      assert_true(PetscSqrtReal(R[1] * R[1] + 16 * R[2] * R[2]) <= 0.4 * R[0] * (1 + 1e-9));
    }
    const PetscReal *q = NsVecRead(test.run->state.q), *v = NsVecRead(test.run->state.v);
    for (int k = 0; k < 2; k++) {
      assert_near(q[k], q_end[k], 4e-4);
      assert_near(v[k], v_end[k], 1e-3);
    }
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    assert_near(test.run->ledger.numerical, 0, 1e-9);
    test_run_close(&test);
  }
}

/* ---- restitution over the approach speed --------------------------------------------------------------------------------------------------------- */

static const char *const thrown =
  "gravity: [0, 0, 0]\n"
  "bodies: {ball: {type: rigid, at: [0, 0, 0.0015], mass: 1 kg, inertia: [1, 1, 1], initial: {velocity: [0, 0, -2]}}}\n"
  "contacts:\n"
  "  floor: {between: [ball.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], restitution: {}}\n"
  "scheme: {type: half_explicit, step: 1 ms}\n"
  "time: {end: 5 ms}\n";

static void restitution_over_the_speed(void **state)
{
  static const struct {
    const char *law;
    PetscReal   e;
  } cases[] = {
    {"contacts.floor.restitution={power: {coefficient: 0.6, velocity: 1 m/s}}", 0.50453784915222},
    {"contacts.floor.restitution={table: [[0, 1], [1 m/s, 0.8], [3 m/s, 0.4]]}", 0.6},
    {"contacts.floor.restitution={table: [[0, 1], [1 m/s, 0.8]]}", 0.8},
  };

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies || promise_gives(p) || strstr(p->option, "always") || !supports(p, NS_LAW_APPROACH)) continue;
    promise_print(p);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
      TestRun test = promise_open(thrown, p, 1e-3, cases[i].law);
      while (test_runs(test.run)) test_step(test.run);
      assert_near(NsVecRead(test.run->state.v)[2], 2 * cases[i].e, 1e-9);
      test_run_close(&test);
    }
  }
}

/* ---- impacts in two phases ------------------------------------------------------------------------------------------------------------------------ */

/* A rod at `angle` hits with velocity (u_T, u_N) of its tip. */
typedef struct {
  PetscReal G[4], u[2], mu, e, P[2]; /* tangent, normal; P: of the energetic law */
  PetscReal poisson;                 /* u_N+ of Poisson's law */
  PetscReal angle;
} Rod;

static const Rod rods[] = {
  {{2.5, -1.5, -1.5, 2.5}, {0, -1}, 0.3, 0.5, {0.21951219512195114, 0.7317073170731705}, 0.5, 45},
  {{3.25, -1.2990381056766582, -1.2990381056766582, 1.75}, {-0.3, -1}, 0.6, 0.5, {0.6328608835274375, 1.3523836320021347}, 0.5599556048773846, 60},
  {{2.5, -1.5, -1.5, 2.5}, {0.5, -1}, 0.9, 0.7, {0.257881837692248, 0.7631363961537467}, 0.49, 45},
};

static void routh_in_the_plane_and_in_space(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(rods) / sizeof(*rods); i++) {
    const Rod      *r    = &rods[i];
    const PetscReal G[4] = {r->G[3], r->G[1], r->G[2], r->G[0]}, u[2] = {r->u[1], r->u[0]};
    PetscReal       P[3];
    assert_true(NsRouth(2, G, u, r->mu, 0, r->e, P));
    assert_near(P[0], r->P[1], 1e-12);
    assert_near(P[1], r->P[0], 1e-12);
    /* the same in space, tangents turned by 30 degrees, the second direction with a mass of its own */
    const PetscReal c = PetscCosReal(PETSC_PI / 6), s = PetscSinReal(PETSC_PI / 6), g = r->G[0], o = 1;
    const PetscReal G3[9] = {r->G[3], c * r->G[1], s * r->G[1], c * r->G[1], c * c * g + s * s * o, c * s * (g - o), s * r->G[1], c * s * (g - o),
      s * s * g + c * c * o},
                    u3[3] = {r->u[1], c * r->u[0], s * r->u[0]};
    assert_true(NsRouth(3, G3, u3, r->mu, 0, r->e, P));
    assert_near(P[0], r->P[1], 1e-5);
    assert_near(P[1], c * r->P[0], 1e-5);
    assert_near(P[2], s * r->P[0], 1e-5);
  }
}

static PetscReal draw(PetscReal from, PetscReal to)
{
  return from + (to - from) * (PetscReal)rand() / RAND_MAX;
}

/* The energetic law never adds energy, and its impulse is within the cone, for random inertias. */
static void energetic_law_is_dissipative(void **state)
{
  (void)state;
  srand(5);
  for (int n = 0; n < 2000; n++) {
    const PetscInt  m = n % 8 ? 2 : 3;
    PetscReal       W[9], G[9], u[3], P[3], gain = 0, T = 0;
    const PetscReal mu = draw(0, 1.5), e = draw(0.01, 1), across = n % 16 ? 0 : draw(0.3, 3);
    for (int k = 0; k < 9; k++) W[k] = draw(-1, 1);
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) {
        G[i * m + j] = i == j ? 0.2 : 0;
        for (int k = 0; k < 3; k++) G[i * m + j] += W[3 * i + k] * W[3 * j + k];
      }
      u[i] = i == 0 ? -1 : draw(-2, 2);
    }
    assert_true(NsRouth(m, G, u, mu, across, e, P));
    for (int i = 0; i < m; i++) {
      gain += P[i] * u[i];
      for (int j = 0; j < m; j++) gain += P[i] * G[i * m + j] * P[j] / 2;
    }
    if (m > 1) T = PetscSqrtReal(P[1] * P[1] + (m > 2 ? PetscSqr(P[2] / (across > 0 ? across : 1)) : 0));
    assert_true(gain <= 1e-6);
    assert_true(T <= mu * P[0] * (1 + 1e-6));
  }
}

/* The rods as multibody systems: what is off is that they turn within the steps before and after the impact. */
static void rods_hit_the_floor(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    if (promise_gives(p) || strstr(p->option, "always") || !supports(p, NS_LAW_TWO_PHASE) || !p->friction) continue;
    promise_print(p);
    for (size_t i = 0; i < sizeof(rods) / sizeof(*rods); i++) {
      for (int law = 0; law < 2; law++) {
        const Rod      *r = &rods[i];
        const PetscReal a = r->angle * PETSC_PI / 180, x = -0.5 * PetscCosReal(a), y = -0.5 * PetscSinReal(a);
        char            text[2000];
        (void)snprintf(text, sizeof(text),
          "gravity: [0, 0, 0]\n"
          "bodies: {rod: {type: body, dimension: 2, at: [0, %.17g, 0], mass: 1 kg, inertia: [%.17g], points: {tip: [%.17g, %.17g, 0]},\n"
          "  initial: {velocity: [%g, %g, 0]}}}\n"
          "contacts: {floor: {between: [rod.tip, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: %g, restitution: %g, restitution_law: %s}}\n"
          "scheme: {type: half_explicit, step: 1 us}\n"
          "time: {end: 3 us}\n",
          -y + 0.5e-6, 1. / 12, x, y, r->u[0], r->u[1], r->mu, r->e, law ? "energetic" : "poisson");
        TestRun test = promise_open(text, p, 1e-6, "");
        while (test_runs(test.run)) test_step(test.run);
        const PetscReal after = r->u[1] + r->G[2] * r->P[0] + r->G[3] * r->P[1];
        assert_near(NsContactReports(test.run->contact)[0].gap_rate, law ? after : r->poisson, 2e-5);
        test_run_close(&test);
      }
    }
  }
}

/* Without friction the three laws are one, also where contacts act on each other: a bar of two points that falls flat. */
static void laws_agree_without_friction(void **state)
{
  static const char *const flat =
    "bodies:\n"
    "  rod:\n"
    "    type: body\n"
    "    dimension: 2\n"
    "    at: [0, 0.0015, 0]\n"
    "    mass: 1 kg\n"
    "    inertia: [0.2]\n"
    "    points: {a: [-0.5, 0, 0], b: [0.5, 0, 0]}\n"
    "    initial: {velocity: [0, -1, 0]}\n"
    "contacts:\n"
    "  a: {between: [rod.a, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.5, restitution_law: poisson}\n"
    "  b: {between: [rod.b, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.5, restitution_law: energetic}\n"
    "scheme: {type: half_explicit, step: 1 ms}\n"
    "time: {end: 3 ms}\n";

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (promise_gives(p) || strstr(p->option, "always") || !supports(p, NS_LAW_TWO_PHASE)) continue;
    promise_print(p);
    TestRun test = promise_open(flat, p, 1e-3, "");
    while (test_runs(test.run)) test_step(test.run);
    for (int c = 0; c < 2; c++) assert_near(NsContactReports(test.run->contact)[c].gap_rate, 0.5, 1e-9);
    assert_near(test.run->ledger.impact, 0.5 * (1 - 0.25), 1e-9);
    test_run_close(&test);
  }
}

/* ---- rolling and drilling ------------------------------------------------------------------------------------------------------------------------- */

/* m = 2 kg, I = 2/5 m r^2, r = 50 mm, g = 10 m/s^2, mu_r = 1 mm, mu_s = 0.5 mm: rolls at 1 m/s along (0.6, 0.8) and spins with 30 rad/s about the vertical. */
#define ROLLS(body, node) \
  "gravity: [0, 0, -10 m/s^2]\n" \
  "bodies: {ball: {" body ", at: [0, 0, 50 mm], mass: 2 kg, inertia: [0.002, 0.002, 0.002],\n" \
  "  initial: {velocity: [0.6, 0.8, 0], angular_velocity: [-16 rad/s, 12 rad/s, 30 rad/s]}}}\n" \
  "contact_materials: [{between: [steel, rubber], friction: {coefficient: 0.5, rolling: 1 mm, drilling: 0.5 mm}}]\n" \
  "contacts: {floor: {between: [{node: " node ", radius: 50 mm}, {material: rubber, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]}}\n" \
  "scheme: {type: half_explicit, step: 10 ms}\n" \
  "time: {end: 8 s}\n"

static const char *const balls[] = {ROLLS("type: rigid, radius: 50 mm, material: steel", "ball.center"),
  ROLLS("type: body, points: {middle: [0, 0, 0]}, material: steel", "ball.middle")};

/*
  It rolls for v0/a with a = 5/7 mu_r g/r: 7 s and 3.5 m; and spins for I w0/(mu_s m g): 6 s. Rolling and drilling are independent of friction, which sticks. A step is the resolution of both ends.
*/
static void ball_rolls_out(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    if (p->friction != SPACE || promise_gives(p) || !supports(p, NS_LAW_RESISTANCE)) continue;
    promise_print(p);
    for (size_t i = 0; i < sizeof(balls) / sizeof(*balls); i++) {
      TestRun test = promise_open(balls[i], p, 1e-2, "");
      while (test_runs(test.run)) {
        test_step(test.run);
        const NsContactReport *report = NsContactReports(test.run->contact);
        const PetscReal        t      = test.run->state.t;
        if (t < 5.9) assert_true(report[1].state == NS_SLIP && report[2].state == NS_SLIP);
        if (t > 6.1) assert_int_equal(report[2].state, NS_STICK);
        if (t > 7.1) assert_int_equal(report[1].state, NS_STICK);
        assert_true(report[0].state == NS_STICK && report[1].force[0] == 0 && report[1].impulse[0] == 0);
      }
      const PetscReal *q = NsVecRead(test.run->state.q);
      assert_near(q[0], 2.1, 0.03); /* steps of a third of a radian turn the direction */
      assert_near(q[1], 2.8, 0.03);
      assert_near(PetscSqrtReal(q[0] * q[0] + q[1] * q[1]), 3.5, p->order == 1 ? 0.006 : 2e-3);
      CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
      assert_near(test.run->ledger.friction, 1 + 0.4 + 0.9, 1e-6);
      assert_near(test.run->ledger.numerical, 0, 1e-9);
      test_run_close(&test);
    }
  }
}

/* A wheel in the plane, thrown onto the floor: with e = 1/2 its fall from 1 m/s gives the normal impulse 3 N s, which brakes a roll of w0 = v/r by M = mu_r 3 N s where it still rolls. */
static void impact_with_rolling_resistance(void **state)
{
  static const char *const wheel =
    "gravity: [0, 0, 0]\n"
    "bodies: {wheel: {type: body, dimension: 2, at: [0, 100.5 mm, 0], mass: 2 kg, inertia: [0.01], points: {middle: [0, 0, 0]},\n"
    "  initial: {velocity: [2, -1, 0], angular_velocity: -20 rad/s}}}\n"
    "contacts: {floor: {between: [{node: wheel.middle, radius: 100 mm}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.5,\n"
    "  friction: {coefficient: 0.5, rolling: 5 mm}}}\n"
    "scheme: {type: half_explicit, step: 1 ms}\n"
    "time: {end: 3 ms}\n";

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->friction || promise_gives(p) || strstr(p->option, "always") || !supports(p, NS_LAW_RESISTANCE)) continue;
    promise_print(p);
    TestRun test = promise_open(wheel, p, 1e-3, "");
    while (test_runs(test.run)) test_step(test.run);
    const PetscReal *v = NsVecRead(test.run->state.v), w = 20 - 0.015 / (0.01 + 2 * 0.01);
    assert_near(v[1], 0.5, 1e-9);
    assert_near(v[2], -w, 1e-9);
    assert_near(v[0], 0.1 * w, 1e-9);
    test_run_close(&test);
  }
}

/* ---- where laws come from ---------------------------------------------------------------------------------------------------------------------------- */

static const char *const pairs =
  "materials: {steel: {density: 7800 kg/m^3, young: 210 GPa}, bronze: {density: 8800 kg/m^3, young: 110 GPa}}\n"
  "bodies:\n"
  "  a: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 2}}, material: steel, section: {area: 1 cm^2}}\n"
  "  b: {type: bar, mesh: {line: {from: [1.1, 0, 0], to: [2, 0, 0], elements: 2}}, material: bronze, section: {area: 1 cm^2}}\n"
  "contacts:\n"
  "  ab: {between: [a.right, b.left]}\n"
  "  wall: {between: [a.left, {material: oak, plane: {point: [-1, 0, 0], normal: [1, 0, 0]}}]}\n"
  "  own: {between: [b.right, {material: oak, plane: {point: [3, 0, 0], normal: [-1, 0, 0]}}], restitution: 0.9}\n"
  "contact_materials:\n"
  "  - {between: [bronze, steel], restitution: 0.6}\n"
  "  - {between: [oak, steel], restitution: 0.3, restitution_law: poisson}\n"
  "  - {between: [oak, bronze], restitution: 0.2, restitution_law: poisson}\n"
  "scheme: {type: half_explicit, step: 1 us}\n"
  "time: {end: 10 us}\n";

static void pairs_of_materials(void **state)
{
  TestRun            test = test_run_open(pairs, NULL);
  const NsCandidate *c    = test.run->model->candidate;

  (void)state;
  assert_near(c[0].law.restitution, 0.6, 0);
  assert_near(c[1].law.restitution, 0.3, 0);
  assert_near(c[2].law.restitution, 0.9, 0);
  assert_int_equal(c[1].law.more->impact, NS_IMPACT_POISSON);
  test_run_close(&test);
}

static void single_contacts_of_mechanisms(void **state)
{
  TestRun test =
    test_run_open("bodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: 0.01, each: {corner1: {restitution: 0.1}}}}}\n"
                  "scheme: {type: half_explicit, step: 1 us}\n"
                  "time: {end: 10 us}\n",
      NULL);
  const NsCandidate *c = test.run->model->candidate;

  (void)state;
  assert_near(c[0].law.restitution, 0.1, 0);
  assert_near(c[1].law.restitution, 0.4, 0);
  assert_near(c[0].law.friction, 0.01, 0);
  test_run_close(&test);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stick_slip_on_a_belt),
    cmocka_unit_test(steep_friction_is_refused),
    cmocka_unit_test(block_on_an_ellipse),
    cmocka_unit_test(restitution_over_the_speed),
    cmocka_unit_test(routh_in_the_plane_and_in_space),
    cmocka_unit_test(energetic_law_is_dissipative),
    cmocka_unit_test(rods_hit_the_floor),
    cmocka_unit_test(laws_agree_without_friction),
    cmocka_unit_test(ball_rolls_out),
    cmocka_unit_test(impact_with_rolling_resistance),
    cmocka_unit_test(pairs_of_materials),
    cmocka_unit_test(single_contacts_of_mechanisms),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (SlepcFinalize()) return 1;
  return failed;
}
