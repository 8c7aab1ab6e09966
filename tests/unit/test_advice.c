/*
  What percuss check advises: schemes that can move the model, and that it can do what it names besides.
*/
#include "run/advice.h"
#include "support.h"

/* A mass on a spring, that falls on a floor. */
static const char *const ball = "bodies:\n"
                                "  ball: {type: rigid, at: [0, 0.2, 0], mass: 1, inertia: [0.01, 0.01, 0.01], initial: {velocity: [0, -1, 0]}}\n"
                                "springs: {hold: {between: [ball.center, ground], stiffness: 2000, direction: [0, 1, 0]}}\n"
                                "contacts: {floor: {between: [{node: ball.center, radius: 0.1}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n"
                                "scheme: {type: half_explicit, step: 10 ms}\n"
                                "time: {end: 0.2}\n";

/* An elastic bar in front of its wall; its limit is about 5 us. */
static const char *const bar = "bodies:\n"
                               "  bar:\n"
                               "    type: bar\n"
                               "    mesh: {line: {from: [0.1 mm, 0, 0], to: [1.0001, 0, 0], elements: 20}}\n"
                               "    material: {density: 7800, young: 210 GPa}\n"
                               "    section: {area: 1 cm^2}\n"
                               "    initial: {velocity: [-0.5, 0, 0]}\n"
                               "contacts: {wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n"
                               "scheme: {type: half_explicit, step: 1 us}\n"
                               "time: {end: 10 ms}\n";

/* The same without the wall, and with a load of 8 kHz. */
static const char *const shaken = "bodies:\n"
                                  "  bar:\n"
                                  "    type: bar\n"
                                  "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 50}}\n"
                                  "    material: {density: 7800, young: 210 GPa}\n"
                                  "    section: {area: 1 cm^2}\n"
                                  "loads: {push: {at: bar.left, force: [1 N, 0, 0], time: {harmonic: {frequency: 8 kHz}}}}\n"
                                  "scheme: {type: half_explicit, step: 1 us}\n"
                                  "time: {end: 10 ms}\n";

/* Boxes that fall on each other. */
static const char *const heap = "gravity: [0, 0, -9.81]\n"
                                "bodies:\n"
                                "  a: {type: body, at: [0, 0, 0.05], density: 1000, shapes: {hull: {box: [0.1, 0.1, 0.1]}}}\n"
                                "  b: {type: body, at: [0.02, 0, 0.16], density: 1000, shapes: {hull: {box: [0.1, 0.1, 0.1]}}}\n"
                                "contacts:\n"
                                "  floor: {between: [{node: [a, b]}, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], friction: 0.3}\n"
                                "  heap: {between: [{node: [a, b]}, {node: [a, b]}], friction: 0.3}\n"
                                "scheme: {type: half_explicit, step: 1 ms}\n"
                                "time: {end: 0.2}\n";

/* The advice, which its scheme can follow for some steps. */
static NsAdvice advice_on(const char *text, const char *change)
{
  TestRun  test = test_run_open(text, (const char *[]){change, NULL});
  NsAdvice advice;
  char     scheme[64];

  CHECK(NsRunCheckStep(test.run, PETSC_FALSE));
  CHECK(NsAdvise(test.run, &advice));
  snprintf(scheme, sizeof(scheme), "scheme={type: %s, step: %.17g}", advice.scheme, advice.step > 0 ? advice.step : test.run->step);
  test_run_close(&test);
  print_message("  %s: %s\n", scheme, advice.reason);
  test = test_run_open(text, (const char *[]){scheme, change, NULL});
  for (int i = 0; i < 50 && test_runs(test.run); i++) test_step(test.run);
  test_run_close(&test);
  return advice;
}

/* Where points of contact come and go no scheme that has forces between two steps. */
static void a_heap(void **state)
{
  const NsAdvice advice = advice_on(heap, NULL);

  (void)state;
  assert_string_equal(advice.scheme, "moreau_midpoint");
}

static void few_steps(void **state)
{
  const NsAdvice advice = advice_on(ball, NULL);

  (void)state;
  assert_string_equal(advice.scheme, "half_explicit");
  assert_near(advice.step, 0.2 / 100, 1e-15);          /* 0.8 of its limit: 35 ms */
  assert_null(strstr(advice.reason, "redistributed")); /* it has no elements */
}

static void some_steps(void **state)
{
  const NsAdvice advice = advice_on(bar, NULL), bounces = advice_on(bar, "contacts.wall.restitution=0.5");

  (void)state;
  assert_string_equal(advice.scheme, "half_explicit");
  assert_non_null(strstr(advice.reason, "redistributed"));
  assert_string_equal(bounces.scheme, "half_explicit");
  assert_null(strstr(bounces.reason, "redistributed"));
}

static void many_steps(void **state)
{
  const NsAdvice advice = advice_on(bar, "time.end=100");

  (void)state;
  assert_string_equal(advice.scheme, "moreau_jean");
  assert_non_null(strstr(advice.reason, "modal"));
}

static void no_contact(void **state)
{
  const NsAdvice advice = advice_on(bar, "contacts={}"), driven = advice_on(shaken, NULL);

  (void)state;
  assert_string_equal(advice.scheme, "modal");
  assert_near(advice.step, 10e-3 / 1000, 1e-18);
  assert_string_equal(driven.scheme, "modal");
  assert_near(driven.step, 1 / 8000.0 / 20, 1e-15); /* of the load's period */
}

/* Only schemes that have links. */
static void linked_bars(void **state)
{
  static const char *const text =
    "bodies:\n"
    "  a: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 4}}, material: {density: 7800, young: 210 GPa}, section: {area: 1 cm^2}}\n"
    "  b: {type: bar, mesh: {line: {from: [1, 0, 0], to: [2, 0, 0], elements: 4}}, material: {density: 7800, young: 210 GPa}, section: {area: 1 cm^2}}\n"
    "links: {joint: {between: [a.right, b.left], fix: x}}\n"
    "scheme: {type: half_explicit, step: 1 us}\n"
    "time: {end: 10 ms}\n";
  const NsAdvice advice = advice_on(text, NULL);

  (void)state;
  assert_string_equal(advice.scheme, "half_explicit");
  assert_null(strstr(advice.reason, "redistributed"));
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(a_heap),
  cmocka_unit_test(few_steps),
  cmocka_unit_test(some_steps),
  cmocka_unit_test(many_steps),
  cmocka_unit_test(no_contact),
  cmocka_unit_test(linked_bars),
};
TEST_MAIN(tests)
