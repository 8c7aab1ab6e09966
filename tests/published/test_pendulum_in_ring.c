/*
  A pendulum in a ring, the illustration of [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact: what each scheme does to a
  joint and a contact that are both curved.

  Mass 1 kg on a rod of 1 m, from rest beside the pivot, (1, 0); the ring of radius 1 m about (0.3, 0) stops it at (0.15, -0.98869), e = 0.5; g = 9.81 m/s^2, 5 s. It hits the
  ring first with sqrt(2 g 0.98869) = 4.40 m/s, and comes to rest at it.
*/
#include "support.h"

#define HEIGHT 0.98868599666425949 /* sqrt(1 - 0.15^2) */

typedef struct {
  PetscReal joint, joint_rate; /* largest, m and m/s */
  PetscReal depth;             /* m into the ring */
  PetscInt  approaching;       /* steps that end at the ring and go on into it */
  PetscReal fastest;           /* m/s, of those */
  PetscReal x, y, speed;       /* at the end */
  PetscReal gain;              /* J, most in a step */
  PetscInt  problems;          /* velocity problems in a step, most */
} Figures;

static Figures run_pendulum(const char *scheme, PetscReal step)
{
  Figures            f = {0};
  NsEnergy           energy;
  PetscReal          last = 0; /* J at the start: y = 0, at rest */
  const PetscScalar *q;
  char               text[512];

  snprintf(text, sizeof(text),
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  pendulum: {type: pendulum_in_ring, contact: {restitution: 0.5}}\n"
    "scheme: {type: %s, step: %.17g}\n"
    "time: {end: 5}\n",
    scheme, step);
  TestRun test = test_run_open(text, NULL);
  for (PetscInt64 i = 0; i < test.run->steps; i++) {
    test_step(test.run);
    const NsContactReport *rod = &NsContactReports(test.run->contact)[0], *ring = &NsContactReports(test.run->contact)[1];
    CHECK(NsModelEnergy(test.run->model, test.run->state.t, test.run->state.q, test.run->state.v, &energy));
    f.gain       = PetscMax(f.gain, energy.kinetic + energy.potential - last);
    last         = energy.kinetic + energy.potential;
    f.joint      = PetscMax(f.joint, PetscAbsReal(rod->gap));
    f.joint_rate = PetscMax(f.joint_rate, PetscAbsReal(rod->gap_rate));
    f.depth      = PetscMax(f.depth, -ring->gap);
    if (PetscAbsReal(ring->gap) > 1e-12 || ring->gap_rate > -1e-12) continue;
    f.approaching++;
    f.fastest = PetscMax(f.fastest, -ring->gap_rate);
  }
  if (test.run->scheme->type->count) {
    NsCounter counter[NS_COUNTERS];
    test.run->scheme->type->count(test.run->scheme, counter);
    f.problems = (PetscInt)counter[0].value;
  }
  CHECK(VecGetArrayRead(test.run->state.q, &q));
  f.x = q[0];
  f.y = q[1];
  CHECK(VecRestoreArrayRead(test.run->state.q, &q));
  CHECK(VecNorm(test.run->state.v, NORM_2, &f.speed));
  test_run_close(&test);
  print_message("  %s, %g s: joint %.2g m, %.2g m/s; ring %.2g m; %d steps approach, at %.2g m/s; end (%.6f, %.6f), %.2g m/s; gain %.2g J\n", scheme,
    step, f.joint, f.joint_rate, f.depth, (int)f.approaching, f.fastest, f.x, f.y, f.speed, f.gain);
  return f;
}

/* Positions and velocities of both to 1e-12, whatever theta, also in the first impact, of 21 N s between normals that are nearly antiparallel. No energy is added in any step. */
static void combined_keeps_both(void **state)
{
  static const char *const schemes[] = {"projection_combined", "projection_combined, theta: 0.7", "projection_combined, theta: 1"};
  static const PetscReal   steps[]   = {2e-3, 1.37e-3, 5e-4};

  (void)state;
  for (int s = 0; s < 3; s++) {
    for (int k = 0; k < 3; k++) {
      const Figures f = run_pendulum(schemes[s], steps[k]);
      assert_true(f.joint < 1e-12 && f.joint_rate < 1e-12 && f.depth < 1e-12);
      assert_int_equal(f.approaching, 0);
      assert_in_range(f.problems, 2, 3); /* until nothing is added to the active set */
      assert_true(f.speed < 1e-12 && f.gain < 1e-13);
      assert_near(f.x, 0.15, 1e-12);
      assert_near(f.y, -HEIGHT, 1e-12);
    }
  }
}

/* Plain Moreau-Jean drifts off the rod with v^2 dt/2 a unit of time and length: at order 1, and for good. Velocities are those of the constraint in the middle of the step. */
static void moreau_jean_drifts(void **state)
{
  const Figures coarse = run_pendulum("moreau_jean", 2e-3), fine = run_pendulum("moreau_jean", 5e-4);

  (void)state;
  assert_near(coarse.joint, 6.9e-3, 1e-4);
  assert_near(PetscLog2Real(coarse.joint / fine.joint) / 2, 1, 0.05);
  assert_near(PetscLog2Real(coarse.joint_rate / fine.joint_rate) / 2, 1, 0.05);
  assert_true(coarse.depth > 1e-4);
  assert_true(coarse.speed < 1e-12); /* at rest, in a wrong place */
  assert_true(hypot(coarse.x, coarse.y) - 1 > 6e-3);
}

/* As printed: positions hold, velocities miss those of the joint by O(dt), as without projection, and the ring is left with -e u0 where the mass opens and falls back within
   a step. */
static void printed_misses_velocities(void **state)
{
  const Figures coarse = run_pendulum("projection_combined, variant: printed", 2e-3);
  const Figures fine   = run_pendulum("projection_combined, variant: printed", 5e-4);

  (void)state;
  assert_true(coarse.joint < 1e-12 && coarse.depth < 1e-12);
  assert_near(coarse.joint_rate, 1.9e-2, 1e-3); /* v^2 dt/2 at 4.4 m/s */
  assert_near(PetscLog2Real(coarse.joint_rate / fine.joint_rate) / 2, 1, 0.05);
  assert_in_range(coarse.approaching, 1, 20);
  assert_true(coarse.fastest > 1e-5 && coarse.fastest < 1e-3);
  assert_true(coarse.speed < 1e-12);
}

/* The naive projection flutters at the ring for ever, with the gravity along the rod's circle: 0.15 g; as decoupled and unified GGL do. */
static void naive_flutters(void **state)
{
  static const char *const schemes[] = {"projection_naive", "projection_naive, metric: identity", "ggl_decoupled", "ggl_unified"};

  (void)state;
  for (int s = 0; s < 4; s++) {
    const Figures f = run_pendulum(schemes[s], 2e-3);
    assert_true(f.joint < 1e-12 && f.depth < 1e-12);
    assert_in_range(f.approaching, 300, 500);
    assert_true(f.fastest > 0.1);
    assert_true(f.gain > 1e-4);
    assert_true(f.speed > 0.3 * 0.15 * 9.81 * 2e-3 && f.speed < 0.15 * 9.81 * 2e-3);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(combined_keeps_both),
  cmocka_unit_test(moreau_jean_drifts),
  cmocka_unit_test(printed_misses_velocities),
  cmocka_unit_test(naive_flutters),
};
TEST_MAIN(tests)
