/*
  Event-driven schemes on bars that hit walls and each other: the mesh's own motion in closed form, by its modes.

  The bar of elastic_bar.h is at its wall from 500.05 us on.
*/
#include "event_runs.h"
#include <petscblaslapack.h>
#include "elastic_bar.h"

#define N     50 /* elements of elastic_bar */
#define BEGIN (GAP / V0)

static EventRun it; /* large */

/* ---- the motion of the mesh --------------------------------------------------------------------------------------------------------------------------- */

/*
  Node 0 at rest, the others v0 and what the impulse P gives them: modes of the bar held at its end, M x'' + K x = 0. What holds it is

      lambda(t) = sum_i A_i sin w_i t,   A_i = (k_i - w_i^2 m_i) c_i/w_i,   k_i = K_0. x_i,  m_i = M_0. x_i,  c_i = x_i' M (v0 + M^-1 P)
*/
typedef struct {
  PetscReal P, loss; /* N s, J: of the impact */
  PetscReal w[N], A[N];
  PetscReal end, mean; /* s since the impact: lambda's first zero; N: its mean until then */
} Theory;

static PetscReal lambda(const Theory *th, PetscReal t)
{
  PetscReal sum = 0;

  for (int i = 0; i < N; i++) sum += th->A[i] * sin(th->w[i] * t);
  return sum;
}

/* Of an element, at distance 0 or 1 of its nodes. */
static PetscReal mass_of(PetscBool lumped, int distance)
{
  const PetscReal m = RHO * S / N;

  return lumped ? (distance ? 0 : m / 2) : m / (distance ? 6 : 3);
}

static Theory theory_of(PetscBool lumped)
{
  PetscReal    K[N * N] = {0}, M[N * N] = {0}, inverse[(N + 1) * (N + 1)] = {0}, v[N + 1] = {0}, work[40 * N];
  PetscBLASInt n = N, more = N + 1, one = 1, info, pivot[N + 1], size = 40 * N;
  Theory       th = {0};

  for (int i = 0; i <= N; i++) { /* M^-1 e_0 of the free bar */
    inverse[i * (N + 1) + i] = mass_of(lumped, 0) * (i % N ? 2 : 1);
    if (i < N) inverse[i * (N + 1) + i + 1] = inverse[(i + 1) * (N + 1) + i] = mass_of(lumped, 1);
  }
  v[0] = 1;
  LAPACKgesv_(&more, &one, inverse, &more, pivot, v, &more, &info);
  assert_int_equal(info, 0);
  th.P    = V0 / v[0];
  th.loss = th.P * V0 / 2;
  for (int i = 0; i <= N; i++) v[i] = v[i] * th.P - V0;
  for (int i = 0; i < N; i++) { /* nodes 1 to N */
    M[i * N + i] = mass_of(lumped, 0) * (i < N - 1 ? 2 : 1);
    K[i * N + i] = E * S * N * (i < N - 1 ? 2 : 1);
    if (i == N - 1) break;
    M[i * N + i + 1] = M[(i + 1) * N + i] = mass_of(lumped, 1);
    K[i * N + i + 1] = K[(i + 1) * N + i] = -E * S * N;
  }
  PetscReal X[N * N], weights[N * N];
  memcpy(X, K, sizeof(K));
  memcpy(weights, M, sizeof(M));
  LAPACKsygv_(&one, "V", "U", &n, X, &n, weights, &n, th.w, work, &size, &info);
  assert_int_equal(info, 0);
  for (int i = 0; i < N; i++) {
    PetscReal c = 0;
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++) c += X[i * N + j] * M[j * N + k] * v[k + 1];
    }
    th.A[i] = (-E * S * N - th.w[i] * mass_of(lumped, 1)) * X[i * N] * c / sqrt(th.w[i]);
  }
  for (int i = 0; i < N; i++) th.w[i] = sqrt(th.w[i]);
  PetscReal low = 1e-6, high = low;
  for (; lambda(&th, high) > 0; high += 1e-8) low = high;
  for (int i = 0; i < 60; i++) *(lambda(&th, (low + high) / 2) > 0 ? &low : &high) = (low + high) / 2;
  th.end = high;
  for (int i = 0; i < N; i++) th.mean += th.A[i] / th.w[i] * (1 - cos(th.w[i] * high)) / high;
  return th;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------------------------------------- */

/* Each scheme with the error of forces in units of tau, and of the time where they vanish in units of T. */
static const struct {
  const char *name;
  PetscReal   force, time;
} schemes[] = {
  {"event_driven_hem5, tolerance: 1e-9", 1e-9, 1e-9},
  {"event_driven_rkf45, tolerance: 1e-9", 1e-5, 1e-7},
  {"event_driven_alpha, tolerance: 1e-5", 1e-3, 1e-5},
};
#define EACH_SCHEME(s) for (size_t s = 0; s < sizeof(schemes) / sizeof(schemes[0]); s++)

/* What models.md says of the half-explicit scheme holds without its steps: impulse sqrt(3)/6 rho S le v0, loss sqrt(3)/(6 N) of the energy; lumped 1/2 and 1/(2 N). */
static void bar_hits_a_wall(void **state)
{
  const PetscReal T = 2 / c0(), tau = E * S * V0 / c0(), energy = RHO * S * V0 * V0 / 2;

  (void)state;
  for (int lumped = 0; lumped < 2; lumped++) {
    const Theory    th   = theory_of(lumped);
    const PetscReal part = lumped ? 0.5 : sqrt(3) / 6;
    assert_near(th.P, part * RHO * S / N * V0, 1e-6 * th.P);
    assert_near(th.loss / energy, part / N, 1e-6 * part / N);
    assert_near(th.end / T, lumped ? 1.0091 : 0.9908, 1e-4);
    assert_near(th.mean / tau, 1, 0.03);
    if (!lumped) assert_near(th.P, 1.414764e-3, 1e-9);
    EACH_SCHEME(s)
    {
      PetscReal off = 0, fastest = 0, deepest = 0, near = 1;
      char      scheme[128];
      snprintf(scheme, sizeof(scheme), "scheme={type: %s, step: 0.1 ms}", schemes[s].name);
      event_begin(&it, elastic_bar, (const char *[]){scheme, lumped ? "bodies.bar.mass=lumped" : "bodies.bar.mass=consistent", NULL});
      assert_near(it.energy, energy, 1e-12 * energy);
      while (event_step(&it)) {
        const PetscReal since = it.t - BEGIN;
        near                  = fmin(near, fabs(since - th.end));
        if (fabs(since - th.end) < 1e-12) assert_int_equal(NsContactReports(it.run->contact)[0].state, NS_OPEN); /* who is let go is open at once */
        if (since < 0 || since > th.end * (1 - schemes[s].time)) continue;
        off     = fmax(off, fabs(event_force(&it, 0) - lambda(&th, since)));
        fastest = fmax(fastest, fabs(it.v[0]));
        deepest = fmax(deepest, fabs(NsContactReports(it.run->contact)[0].gap));
      }
      print_message("  %s, %s: force off by %.1e tau, end by %.1e T (%.6f T), %d steps; rests within %.1e m/s, %.1e m\n", schemes[s].name,
        lumped ? "lumped" : "consistent", off / tau, near / T, th.end / T, (int)it.steps, fastest, deepest);
      assert_int_equal(it.hits, 1);
      assert_near(it.hit[0].t, BEGIN, 1e-12);
      assert_near(it.hit[0].impulse[0], th.P, 1e-9 * th.P);
      assert_near(it.run->ledger.impact, th.loss, 1e-9 * th.loss);
      assert_true(off < schemes[s].force * tau && near < schemes[s].time * T);
      assert_true(fastest < 1e-14 && deepest < 1e-14);
      assert_near(event_force(&it, 0), 0, 0);
      event_close(&it);
    }
  }
}

/* St. Venant: 0.5 m at 0.1 m/s on 1 m at rest. Two masses at the ends stop each other, P = m v0/2; then both ends move with one velocity, v0/2 in the mean, for about 2 L_short/c0. */
static void bar_hits_a_bar(void **state)
{
  const PetscReal T = 1 / c0(), m = RHO * S * 0.01 / 2;

  (void)state;
  EACH_SCHEME(s)
  {
    PetscReal apart = 0, mean = 0, force = 0, end = 0, sum = 0, momentum[2] = {0};
    event_open(&it, schemes[s].name, 0.1e-3, 4e-4,
      "bodies:\n"
      "  short: {type: bar, mesh: {line: {from: [-0.50001, 0, 0], to: [-10.0005 um, 0, 0], elements: 50}}, material: {density: 7800, young: 210 GPa}, section: {area: 3.14159265358979e-4},\n"
      "    mass: lumped, initial: {velocity: [0.1, 0, 0]}}\n"
      "  long: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 100}}, material: {density: 7800, young: 210 GPa}, section: {area: 3.14159265358979e-4}, mass: lumped}\n"
      "contacts: {joint: {between: [short.right, long.left]}}\n");
    const PetscReal energy = it.energy, begin = 10.0005e-6 / V0;
    while (event_step(&it)) {
      if (event_force(&it, 0) > 0) {
        end   = it.t;
        apart = fmax(apart, fmax(fabs(it.v[50] - it.v[51]), fabs(NsContactReports(it.run->contact)[0].gap)));
      }
      if (it.t < begin + 0.3 * T || it.t > begin + 0.7 * T) continue;
      mean += it.length * it.v[50];
      force += it.length * event_force(&it, 0);
      sum += it.length;
    }
    for (int b = 0; b < 2; b++) {
      for (int i = 0; i <= (b ? 100 : 50); i++) momentum[b] += m * (i % (b ? 100 : 50) ? 2 : 1) * it.v[b ? 51 + i : i];
    }
    print_message("  %s: ends at %.4f T, %.5f v0, %.5f of the force; %d steps\n", schemes[s].name, (end - begin) / T, mean / sum / V0,
      force / sum / (E * S * V0 / c0() / 2), (int)it.steps);
    assert_int_equal(it.hits, 1);
    assert_near(it.hit[0].t, begin, 1e-12);
    assert_near(it.hit[0].impulse[0], m * V0 / 2, 1e-6 * m * V0); /* the short bar's elements are 1e-9 shorter */
    assert_near(it.run->ledger.impact, m * V0 * V0 / 4, 1e-6 * m * V0 * V0);
    assert_near(it.energy + it.run->ledger.impact, energy, 1e-7 * energy);
    assert_near(momentum[0] + momentum[1], RHO * S * 0.5 * V0, 1e-6 * RHO * S * V0);
    assert_true(apart < 1e-13);
    assert_near(mean / sum, V0 / 2, 1e-2 * V0);
    assert_near(force / sum, E * S * V0 / c0() / 2, 1e-2 * E * S * V0 / c0());
    assert_near((end - begin) / T, 1, 0.1);
    event_close(&it);
  }
}

/* To and fro between two walls, four times: nothing goes through, only impacts take energy, the first one 1/(2 N) of it; hem5 and rkf45 agree. */
static void bar_between_walls(void **state)
{
  PetscReal place[2], taken[2];

  (void)state;
  for (int s = 0; s < 2; s++) {
    event_open(&it, schemes[s].name, 0.1e-3, 9e-3,
      "bodies: {bar: {type: bar, mesh: {line: {from: [0.1 mm, 0, 0], to: [1.0001, 0, 0], elements: 20}}, material: {density: 7800, young: 210 GPa}, section: {circle: {radius: 10 mm}},\n"
      "  mass: lumped, initial: {velocity: [-0.1, 0, 0]}}}\n"
      "contacts:\n"
      "  left_wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}\n"
      "  right_wall: {between: [bar.right, {plane: {point: [1.0002, 0, 0], normal: [-1, 0, 0]}}]}\n");
    const PetscReal energy = it.energy;
    event_finish(&it);
    print_message("  %s: %d impacts, %.6f of the energy left, deepest %.1e m, gained %.1e J of %.1e\n", schemes[s].name, (int)it.hits,
      it.energy / energy, it.depth, it.gain, energy);
    assert_true(it.hits >= 4);
    assert_int_equal(it.hit[0].contact, 0);
    assert_near(it.hit[0].t, 1e-3, 1e-12);
    assert_near(it.hit[0].impulse[0] * V0 / 2, energy / 40, 1e-9 * energy);
    assert_near(it.energy + it.run->ledger.impact, energy, 1e-6 * energy);
    assert_true(it.depth < 1e-10 && it.gain < 1e-9 * energy);
    place[s] = it.q[0];
    taken[s] = it.run->ledger.impact / energy;
    event_close(&it);
  }
  assert_near(place[0], place[1], 1e-9);
  assert_near(taken[0], taken[1], 1e-5);
}

/* ---- beams, and loads ---------------------------------------------------------------------------------------------------------------------------------- */

/* configs/beam_on_stop.yaml, a beam in space: the first impact is at 1.485 ms, with 3.29 m/s; without friction, which is one of space there. */
static void beam_hits_a_stop(void **state)
{
  static const char *const sets[][4] = {
    {"scheme={type: event_driven_hem5, step: 1 ms}", "contacts.stop.friction=0", "time.end=2 ms", NULL},
    {"scheme={type: event_driven_rkf45, step: 1 ms}", "contacts.stop.friction=0", "time.end=2 ms", NULL},
    {"scheme={type: half_explicit, step: 0.1 us}", "contacts.stop.friction=0", "time.end=1.6 ms", NULL},
  };
  EventHit first[3];

  (void)state;
  for (int s = 0; s < 3; s++) {
    event_open_config(&it, "beam_on_stop.yaml", sets[s]);
    while (it.hits == 0) assert_true(event_step(&it));
    first[s] = it.hit[0];
    if (s < 2) {
      event_finish(&it);
      assert_true(it.depth < 1e-10 && it.gain < 1e-8);
    }
    event_close(&it);
  }
  print_message("  first impact at %.9f, %.9f ms with %.9f, %.9f m/s\n", 1e3 * first[0].t, 1e3 * first[1].t, first[0].before, first[1].before);
  assert_near(first[0].t, 1.485e-3, 0.5e-6);
  assert_near(first[0].before, -3.29, 5e-3);
  assert_near(first[0].t, first[1].t, 1e-10);
  assert_near(first[0].before, first[1].before, 1e-5);
  assert_near(first[0].t, first[2].t, 1e-7); /* a step */
  assert_near(first[0].impulse[0], first[2].impulse[0], 1e-3 * first[0].impulse[0]);
}

/* A bar at rest, pushed by F sin w t: at first there is no motion whose size could measure an error. Its momentum is F/w (1 - cos w t). */
static void a_load_that_grows_from_nothing(void **state)
{
  static const char *const names[] = {"event_driven_hem5", "event_driven_rkf45", "event_driven_alpha"};
  const PetscReal          w = 2 * PETSC_PI * 100, t = 1e-3, m = RHO * 1e-4 / 10;

  (void)state;
  for (int s = 0; s < 3; s++) {
    PetscReal momentum = 0;
    event_open(&it, names[s], 1e-3, t,
      "bodies: {bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 10}}, material: {density: 7800, young: 210 GPa}, section: {area: 1 cm^2}, mass: lumped}}\n"
      "loads: {push: {at: bar.right, force: [1, 0, 0], time: {harmonic: {frequency: 100 Hz}}}}\n");
    event_finish(&it);
    for (int i = 0; i <= 10; i++) momentum += m * (i % 10 ? 1 : 0.5) * it.v[i];
    assert_near(momentum / ((1 - cos(w * t)) / w), 1, s == 2 ? 1e-5 : 1e-6);
    event_close(&it);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(bar_hits_a_wall),
  cmocka_unit_test(bar_hits_a_bar),
  cmocka_unit_test(bar_between_walls),
  cmocka_unit_test(beam_hits_a_stop),
  cmocka_unit_test(a_load_that_grows_from_nothing),
};
TEST_MAIN(tests)
