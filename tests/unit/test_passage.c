/* Contacts that a step jumps over, against the straight line that a ball flies; alone, and among many that lie still. */
#include "support.h"
#include "contact/contact_data.h"

#define RADIUS 3e-3 /* of ball and target together, m */
#define SPEED  10.0
#define START  0.0345

static uint64_t seed;

/* Uniform in (0, 1). */
static PetscReal draw(void)
{
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscReal)(seed >> 11) / (PetscReal)(1ULL << 53);
}

/* A ball that passes the centre of the target at a distance; `others`: bodies, and their contacts; NULL: bodies with large rotations instead, and "moves": the target flies towards the ball. */
static TestRun shoot(const char *scheme, PetscReal offset, PetscReal step, const char *others[2])
{
  char text[4096];

  if (!others[0]) {
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  ball: {type: body, at: [%.17g, %.17g, 0], mass: 0.1 kg, shapes: {hull: {sphere: 1 mm}}, initial: {velocity: [%.17g, 0, 0], angular_velocity: [0, 1 rad/s, 0]}}\n"
      "  target: {type: body, at: [0, 0, 0], mass: 0.1 kg, shapes: {hull: {sphere: 2 mm}}}\n"
      "contacts:\n"
      "  target: {between: [ball.hull, target.hull], restitution: 0.5}\n"
      "scheme: {type: %s, step: %.17g}\n"
      "time: {end: 1}\n",
      -START, offset, SPEED, scheme, step);
    return test_run_open(text, NULL);
  }
  if (!strcmp(others[0], "moves")) {
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  ball: {type: rigid, at: [0, %.17g, 0], mass: 0.1 kg, inertia: [1e-6, 1e-6, 1e-6]}\n"
      "contacts:\n"
      "  target: {between: [{node: ball.center, radius: 1 mm}, {sphere: {center: [%.17g, 0, 0], radius: 2 mm, side: outside, motion: [{velocity: [%.17g, 0, 0]}]}}]}\n"
      "scheme: {type: %s, step: %.17g}\n"
      "time: {end: 1}\n",
      offset, START, -SPEED, scheme, step);
    return test_run_open(text, NULL);
  }

  (void)snprintf(text, sizeof(text),
    "bodies:\n"
    "  ball: {type: rigid, at: [%.17g, %.17g, 0], mass: 0.1 kg, inertia: [1e-6, 1e-6, 1e-6], initial: {velocity: [%.17g, 0, 0]}}\n"
    "%s"
    "contacts:\n"
    "  target: {between: [{node: ball.center, radius: 1 mm}, {sphere: {center: [0, 0, 0], radius: 2 mm, side: outside}}], restitution: 0.5}\n"
    "%s"
    "scheme: {type: %s, step: %.17g}\n"
    "time: {end: 1}\n",
    -START, offset, SPEED, others[0], others[1], scheme, step);
  return test_run_open(text, NULL);
}

/* One shot; true where it was jumped over. The ball is at x = -START + SPEED t until it hits. */
static PetscBool check_shot(const char *scheme, PetscReal offset, PetscReal step, const char *others[2])
{
  TestRun   test = shoot(scheme, offset, step, others);
  NsPassage passage;
  PetscBool passed = PETSC_FALSE;
  PetscReal before = -START;

  for (int k = 1; before < 2 * RADIUS; k++) {
    const PetscReal x = -START + SPEED * k * step, depth = RADIUS - offset, clear = 1e-6; /* m: what lies on the edge may go both ways */
    const PetscReal g[2] = {hypot(before, offset) - RADIUS, hypot(x, offset) - RADIUS};
    test_step(test.run);
    if (NsContactReports(test.run->contact)[0].impulse[0] != 0 || NsContactReports(test.run->contact)[0].state != NS_OPEN) break;
    CHECK(NsContactPassage(test.run->contact, (k - 1) * step, k * step, &passage));
    const PetscBool between = before < 0 && x > 0 && depth > 0, deep = between && depth > 0.02 * SPEED * step + clear;
    if (deep) {
      assert_int_equal(passage.candidate, 0);
      assert_near(passage.depth, depth, 1e-3 * SPEED * step);
      assert_near(passage.before, g[0], 1e-12);
      assert_near(passage.after, g[1], 1e-12);
      assert_near(passage.travel, SPEED * step, 1e-12);
      passed = PETSC_TRUE;
    } else if (!between || depth < 0.02 * SPEED * step - clear)
      assert_int_equal(passage.candidate, -1);
    before = x;
  }
  test_run_close(&test);
  return passed;
}

static const char *alone[2] = {"", ""};

static void fast_balls_are_reported_or_hit(void **state)
{
  static const char *const schemes[] = {"half_explicit", "moreau_jean", "moreau_jean_explicit"};
  int                      jumped = 0, shots = 0;

  (void)state;
  seed = 1;
  for (; shots < 150; shots++) jumped += check_shot(schemes[shots % 3], 1.2 * RADIUS * draw(), 1e-4 * (1 + 9 * draw()), alone) ? 1 : 0;
  print_message("  %d of %d jumped over\n", jumped, shots);
  assert_true(jumped >= 10 && jumped <= 100);
}

static void fast_surfaces_too(void **state)
{
  const char *moves[2] = {"moves", ""};
  int         jumped   = 0;

  (void)state;
  seed = 4;
  for (int k = 0; k < 50; k++)
    jumped += check_shot(k % 2 ? "half_explicit" : "moreau_jean", 1.2 * RADIUS * draw(), 1e-4 * (1 + 9 * draw()), moves) ? 1 : 0;
  assert_true(jumped >= 3 && jumped < 40);
}

static void bodies_with_large_rotations_too(void **state)
{
  const char *bodies[2] = {NULL, NULL};
  int         jumped    = 0;

  (void)state;
  seed = 5;
  for (int k = 0; k < 50; k++)
    jumped += check_shot(k % 2 ? "half_explicit" : "moreau_jean", 1.2 * RADIUS * draw(), 1e-4 * (1 + 9 * draw()), bodies) ? 1 : 0;
  assert_true(jumped >= 3 && jumped < 40);
}

/* Through a plate 1 mm thick by 4 mm a step: pairs that were never near each other before. */
static void boxes_through_plates(void **state)
{
  static const char text[] =
    "bodies:\n"
    "  box: {type: body, at: [-14.5 mm, 0, 0], density: 7800, shapes: {hull: {box: [1 mm, 1 mm, 1 mm]}}, initial: {velocity: [40 m/s, 0, 0]}}\n"
    "  plate: {type: body, at: [0, 0, 0], density: 7800, shapes: {hull: {box: [1 mm, 20 mm, 20 mm]}}}\n"
    "contacts: {s: {between: [box.hull, plate.hull]}}\n"
    "scheme: {type: half_explicit, step: 100 us}\n"
    "time: {end: 1}\n";
  TestRun  test   = test_run_open(text, NULL);
  PetscInt passed = 0;

  (void)state;
  for (int k = 0; k < 10; k++) {
    NsPassage passage;
    test_step(test.run);
    CHECK(NsContactPassage(test.run->contact, k * 1e-4, (k + 1) * 1e-4, &passage));
    if (passage.candidate < 0) continue;
    passed++;
    assert_int_equal(k, 3); /* from -2.5 mm to 1.5 mm */
    assert_near(passage.before, 1.5e-3, 1e-9);
    assert_near(passage.after, 0.5e-3, 1e-9);
    assert_near(passage.depth, 1e-3, 5e-6); /* where it is in the middle, the way out is as long to both sides */
  }
  assert_int_equal(passed, 1);
  test_run_close(&test);
}

/* With half of what the warning says the next run finds the contact, wherever its steps begin. */
static void the_advice_helps(void **state)
{
  (void)state;
  seed = 2;
  for (int k = 0; k < 50; k++) {
    const PetscReal offset = 0.9 * RADIUS * draw(), travel = 0.01, depth = RADIUS - offset;
    assert_false(check_shot("moreau_jean_explicit", offset, 1e-3 * depth / travel * (0.5 + 0.5 * draw()), alone));
  }
}

/* Forty balls that lie still enable the broad phase, which lets the target sleep until the ball is there. */
static void inactive_contacts_are_written_too(void **state)
{
  const char *others[2] = {"  chain:\n"
                           "    type: truss\n"
                           "    dimension: 3\n"
                           "    mesh: {line: {from: [0, 1, 0], to: [1, 1, 0], elements: 40}}\n"
                           "    material: {density: 1000, young: 1 kPa}\n"
                           "    section: {area: 1 mm^2}\n"
                           "    mass: lumped\n",
    "  still: {between: [chain.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}\n"};
  int         jumped    = 0;

  (void)state;
  seed = 3;
  for (int k = 0; k < 30; k++) jumped += check_shot("moreau_jean_explicit", 0.7 * RADIUS * draw(), 1e-3 * (0.5 + 0.5 * draw()), others) ? 1 : 0;
  assert_true(jumped >= 3 && jumped < 30);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(fast_balls_are_reported_or_hit),
  cmocka_unit_test(fast_surfaces_too),
  cmocka_unit_test(bodies_with_large_rotations_too),
  cmocka_unit_test(boxes_through_plates),
  cmocka_unit_test(the_advice_helps),
  cmocka_unit_test(inactive_contacts_are_written_too),
};
TEST_MAIN(tests)
