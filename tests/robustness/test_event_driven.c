/*
  Event-driven schemes from random starts: every run comes to its end, or fails with a sentence that names contacts; none takes steps without end, goes into anything, or makes energy.

  hem5 and rkf45 come to the same place, but where impacts of two contacts come as close to each other as one likes: motion does not depend continuously on which is first, and even the
  same method comes to other ends with tolerances of 1e-12 and 1e-13. A slider that clatters between two corners (e > 0) and rows of many balls are left out of that.

  Newton's law of impact with Coulomb's law of friction, by the slip after the impact, may add a little energy where that has turned (T. R. Kane, D. A. Levinson: Dynamics: Theory and
  Applications, 1985): up to 1e-4 of it was seen in 1000 starts of a slider-crank, with e = 0.9 and mu = 0.3.

  By hand: `robustness_event_driven 2000` takes that many starts of each kind.
*/
#include "event_runs.h"

#define STARTS 24    /* of each kind */
#define MOST   20000 /* steps; the longest took 5025 in 1500 of each kind */
#define DEEP   1e-6  /* m: rkf45 drifts, at its own tolerance, by up to 1.5e-7 */
#define GAIN   1e-6  /* of the energy: rkf45 at its own tolerance */
#define KANE   1e-3  /* the same, of the slider-crank */
#define LOADED 1e-5  /* the same, where loads work: by Gauss's rule on the dense output; 6e-7 was seen in 300 starts */
#define APART  1e-3  /* of hem5 and rkf45 at the end, m or rad */

#define DRAWN 20

static PetscReal drawn[DRAWN]; /* uniform in (0, 1) */

static void draw(uint64_t seed)
{
  for (int i = -10; i < DRAWN; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    if (i >= 0) drawn[i] = (PetscReal)(seed >> 11) / (PetscReal)(1ULL << 53);
  }
}

/* Number i of them as one in (low, high). */
static PetscReal pick(int i, PetscReal low, PetscReal high)
{
  return low + (high - low) * drawn[i];
}

/* A start into text; whether both methods must come to the same end. `k` counts them. */
static PetscBool crank(int k, char *text, size_t size)
{
  static const PetscReal mu[] = {0, 0.01, 0.1, 0.3}, e[] = {0, 0.4, 0.9};
  const PetscReal        theta = pick(0, -3.1, 3.1), rod = asin((pick(1, -0.7e-3, 0.7e-3) - 0.153 * sin(theta)) / 0.306), omega = pick(2, -150, 150);

  snprintf(text, size,
    "gravity: [0, -9.81, 0]\n"
    "bodies: {crank: {type: slider_crank, contact: {restitution: %g, friction: %g}, initial: {theta1: %.17g rad, theta2: %.17g rad, theta3: %.17g rad, omega1: %.17g rad/s, omega2: %.17g rad/s, omega3: %.17g rad/s}}}\n",
    e[k / 4 % 3], mu[k % 4], theta, rod, pick(3, -5e-3, 5e-3), omega, -0.153 * cos(theta) * omega / (0.306 * cos(rod)) + pick(4, -3, 3),
    pick(5, -5, 5));
  return e[k / 4 % 3] == 0;
}

static PetscBool box(int k, char *text, size_t size)
{
  const PetscReal down = pick(0, 0, 2 * PETSC_PI);

  snprintf(text, size,
    "gravity: [%.17g, %.17g, 0]\n"
    "bodies: {ball: {type: ball_in_box, contact: {restitution: %g, friction: %.17g}, initial: {x: %.17g, y: %.17g, vx: %.17g, vy: %.17g}}}\n",
    9.81 * cos(down), 9.81 * sin(down), k % 4 * 0.25, pick(1, 0, 1), pick(2, 1, 3), pick(3, 1, 3), pick(4, -5, 5), pick(5, -5, 5));
  return PETSC_TRUE;
}

/* Thrown on its corners, on a level floor or a slope. */
static PetscBool block(int k, char *text, size_t size)
{
  const PetscReal w = pick(0, 0.2, 1), h = pick(1, 0.2, 1), theta = pick(2, -1.2, 1.2);

  snprintf(text, size,
    "gravity: [%.17g, -9.81, 0]\n"
    "bodies: {block: {type: rocking_block, width: %.17g, height: %.17g, contact: {restitution: %g, friction: %.17g}, initial: {y: %.17g, theta: %.17g rad, vx: %.17g, vy: %.17g, omega: %.17g rad/s}}}\n",
    k % 3 ? 0 : pick(3, -3, 3), w, h, k % 4 * 0.25, k % 5 ? pick(4, 0, 1) : 0, w / 2 * fabs(sin(theta)) + h / 2 * cos(theta) + pick(5, 0, 0.3), theta,
    pick(6, -2, 2), pick(7, -1, 1), pick(8, -3, 3));
  return PETSC_TRUE;
}

/* Thrown up while it spins, by up to 60 turns a second: steps are long, for its flight makes no error, and its corners go down and up within one. */
static PetscBool spinning(int k, char *text, size_t size)
{
  const PetscReal w = pick(0, 0.2, 1), h = pick(1, 0.2, 1);

  snprintf(text, size,
    "gravity: [0, -9.81, 0]\n"
    "bodies: {block: {type: rocking_block, width: %.17g, height: %.17g, contact: {restitution: %g, friction: %.17g}, initial: {y: %.17g, theta: %.17g rad, vy: %.17g, omega: %.17g rad/s}}}\n",
    w, h, k % 4 * 0.25, k % 5 ? pick(2, 0, 1) : 0, hypot(w, h) / 2 + pick(3, 0, 0.3), pick(4, -3, 3), pick(5, -1, 3), pick(6, -400, 400));
  return PETSC_FALSE;
}

/* On a floor, under a load that swings and jumps. */
static PetscBool shaken(int k, char *text, size_t size)
{
  snprintf(text, size,
    "gravity: [0, -9.81, 0]\n"
    "bodies: {p: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1]}}\n"
    "contacts: {floor: {between: [{node: p.center}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: %g}}\n"
    "loads:\n"
    "  shake: {at: p.center, force: [0, %.17g, 0], time: {harmonic: {frequency: %.17g rad/s, phase: %.17g rad}}}\n"
    "  push: {at: p.center, force: [1, %.17g, 0], time: {%s: %.17g, %s: %.17g}}}\n",
    k % 3 * 0.3, pick(0, 5, 20), pick(1, 50, 500), pick(2, 0, 6), pick(3, -20, 20), k % 2 ? "step: {start" : "pulse: {start", pick(4, 0, 0.2),
    k % 2 ? "end" : "duration", pick(5, 0.2, 0.4));
  return PETSC_FALSE;
}

/* Slender, with much friction, on one corner: here forces may have no solution (Painleve), or grow beyond all bounds. */
static PetscBool rod(int k, char *text, size_t size)
{
  const PetscReal w = pick(0, 0.005, 0.05), theta = pick(1, -1.5, 1.5);

  snprintf(text, size,
    "gravity: [0, -9.81, 0]\n"
    "bodies: {block: {type: rocking_block, width: %.17g, height: 1, contact: {restitution: %g, friction: %.17g}, initial: {y: %.17g, theta: %.17g rad, vx: %.17g}}}\n",
    w, k % 3 * 0.3, pick(2, 1, 4), w / 2 * fabs(sin(theta)) + cos(theta) / 2, theta, pick(3, -8, 8));
  return PETSC_TRUE;
}

/* Touching and apart, all with velocities: impacts of many at once, and some of those part before. */
static PetscBool chain(int k, char *text, size_t size)
{
  const int balls = 2 + k % 15;
  char      speeds[512];
  int       used = 0;

  for (int i = 1; i <= balls; i++)
    used += snprintf(speeds + used, sizeof(speeds) - (size_t)used, "%sv%d: %.6f", i > 1 ? ", " : "", i, pick(i, -1, 1));
  snprintf(text, size, "gravity: [%.17g, 0, 0]\nbodies: {row: {type: ball_chain, balls: %d, gap: %g, contact: {restitution: %g}, initial: {%s}}}\n",
    k % 2 ? 0 : pick(0, -1, 1), balls, k % 3 ? 0.01 : 0, k % 5 * 0.25, speeds);
  return balls < 8;
}

static PetscBool edge(int k, char *text, size_t size)
{
  const PetscReal x = pick(0, -0.2, 0.2), vx = pick(1, -5, 5), slope = x > 0 ? 2 * x : 0;

  snprintf(text, size,
    "gravity: [0, -9.81, 0]\nbodies: {point: {type: edge, contact: {restitution: %g}, initial: {x: %.17g, y: %.17g, vx: %.17g, vy: %.17g}}}\n",
    k % 4 * 0.25, x, x * slope / 2 + (k % 3 ? pick(2, 0, 0.05) : 0), vx, slope * vx);
  return PETSC_TRUE;
}

static PetscBool belt(int k, char *text, size_t size)
{
  snprintf(text, size,
    "gravity: [%.17g, -9.81, 0]\n"
    "bodies: {block: {type: plugin, library: " PERCUSS_BINARY_DIR
    "/plugin/belt_block.so, parameters: {stiffness: %.17g, damping: %.17g, belt_speed: %.17g}, contact: {friction: %.17g, restitution: %g}, initial: {x: %.17g, vx: %.17g, y: %.17g}}}\n",
    pick(0, -2, 2), pick(1, 0, 300), k % 2 ? 0 : pick(2, 0, 5), pick(3, -1, 1), pick(4, 0, 1), k % 3 * 0.4, pick(5, -0.1, 0.1), pick(6, -1, 1),
    k % 4 ? 0 : pick(7, 0, 0.1));
  return PETSC_TRUE;
}

/* Two masses and a spring between them, thrown on a belt. */
static PetscBool truss(int k, char *text, size_t size)
{
  snprintf(text, size,
    "gravity: [%.17g, -9.81, 0]\n"
    "bodies: {b: {type: truss, dimension: 2, mesh: {line: {from: [0, %.17g, 0], to: [0.3, %.17g, 0], elements: 1}}, material: {density: 1000, young: %.17g}, section: {area: 10 cm^2},\n"
    "  mass: %s, initial: {velocity: [%.17g, %.17g, 0]}}}\n"
    "contacts: {floor: {between: [b.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0], velocity: [%.17g, 0, 0]}}], friction: %.17g, restitution: %g}}\n",
    pick(0, -2, 2), pick(1, 0, 0.1), pick(2, 0, 0.1), pow(10, pick(3, 3, 5)), k % 2 ? "lumped" : "consistent", pick(4, -1, 1), pick(5, -1, 0),
    k % 3 ? 0 : pick(6, -1, 1), pick(7, 0, 1), k % 3 * 0.4);
  return PETSC_TRUE;
}

static const struct {
  const char *name;
  PetscBool (*start)(int k, char *text, size_t size);
  PetscReal step, end;
} kinds[] = {{"slider-crank", crank, 1e-3, 0.1}, {"ball in a box", box, 1e-2, 2}, {"block", block, 1e-2, 1.5}, {"spinning block", spinning, 0.3, 0.7},
  {"shaken", shaken, 0.1, 0.3}, {"rod", rod, 1e-2, 1}, {"chain", chain, 1e-2, 1}, {"edge", edge, 1e-2, 0.5}, {"belt", belt, 1e-2, 1},
  {"truss", truss, 1e-2, 0.3}};

/* What came of all runs of a kind. */
typedef struct {
  int       failed, apart, most; /* most: steps */
  PetscReal deepest, gain;
} Rates;

static EventRun it; /* large */

/* A run to its end; false: it failed. */
static PetscBool runs(const char *scheme, PetscReal step, PetscReal end, const char *text, Rates *rates)
{
  NsStepOutcome outcome = {.done = PETSC_TRUE};
  int           steps   = 0;

  event_open(&it, scheme, step, end, text);
  const PetscReal start = it.energy, size = it.run->ledger.now.kinetic + fabs(it.run->ledger.now.potential) + 1;
  for (; test_runs(it.run) && outcome.done; steps++) {
    if (steps == MOST) fail_msg("%d steps, and at %g s only:\n%s", MOST, it.t, text);
    CHECK(NsSchemeStep(it.run->scheme, &it.run->state, NsRunStepLength(it.run), &outcome));
    event_look(&it);
    rates->gain = fmax(rates->gain, (it.energy - it.run->ledger.load - start) / size);
    for (PetscInt i = 0; i < it.run->model->candidates; i++) rates->deepest = fmax(rates->deepest, -NsContactReports(it.run->contact)[i].gap);
  }
  rates->most = rates->most > steps ? rates->most : steps;
  if (!outcome.done) {
    rates->failed++;
    if (!strstr(outcome.reason, it.run->model->candidate[0].name) &&
        !strstr(outcome.reason, it.run->model->candidate[it.run->model->candidates - 1].name))
      fail_msg("a reason without contacts: %s", outcome.reason);
  }
  event_close(&it);
  return outcome.done;
}

static int starts = STARTS;

static void random_starts(void **state)
{
  static PetscReal hem5[EVENT_N];
  char             text[2048];

  (void)state;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    Rates rates = {0};
    for (int k = 0; k < starts; k++) {
      draw(1000003 * (uint64_t)(k + 1) + (uint64_t)i);
      const PetscBool same = kinds[i].start(k, text, sizeof(text)), one = runs("event_driven_hem5", kinds[i].step, kinds[i].end, text, &rates);
      memcpy(hem5, it.q, sizeof(hem5));
      const PetscBool other = runs("event_driven_rkf45", kinds[i].step, kinds[i].end, text, &rates);
      for (int j = 0; j < EVENT_N && same && one && other; j++) {
        if (fabs(it.q[j] - hem5[j]) <= APART) continue;
        rates.apart++;
        break;
      }
    }
    print_message("  %s: %d starts, %d of %d runs fail; at most %d steps, %.1e m deep, %.1e of the energy gained; %d apart\n", kinds[i].name, starts,
      rates.failed, 2 * starts, rates.most, rates.deepest, rates.gain, rates.apart);
    assert_true(rates.failed == 0 || kinds[i].start == rod);
    assert_true(rates.deepest < DEEP && rates.gain < (kinds[i].start == crank ? KANE : kinds[i].start == shaken ? LOADED : GAIN));
    assert_int_equal(rates.apart, 0);
  }
}

int main(int argc, char **argv)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(random_starts)};
  int                            failed;

  if (argc > 1) starts = atoi(argv[1]);
  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (SlepcFinalize()) return 1;
  return failed;
}
