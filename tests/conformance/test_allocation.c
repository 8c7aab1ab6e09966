/*
  Nothing allocates in a step: every call of the allocator is counted, PETSc's, LAPACK's and ours alike, over steps in flight, through an impact, in contact.
*/
#include "promises.h"
#include "count_calls.h"

#if NS_COUNT_CALLS
static const char *const text = "gravity: [0, -9.81, 0]\n"
                                "bodies:\n"
                                "  frame:\n"
                                "    type: truss\n"
                                "    dimension: 2\n"
                                "    mesh: {line: {from: [0, 0.1 mm, 0], to: [0.4, 0.1 mm, 0], elements: 10}}\n"
                                "    material: {density: 2700, young: 70 GPa}\n"
                                "    section: {area: 2 cm^2}\n"
                                "    mass: consistent\n"
                                "    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
                                "    initial: {velocity: [0.5, -0.1, 0]}\n"
                                "loads: {push: {at: frame.left, force: [0, -20, 0], time: {table: [[0, 0], [1 ms, 1]]}}}\n"
                                "contacts:\n"
                                "  floor: {between: [frame.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.1, friction: 0.3}\n"
                                "scheme: {type: half_explicit, step: 1 us}\n"
                                "time: {end: 20 ms}\n";

/* For schemes that require massless contact nodes: forty cells, so that the other nodes can take their mass. */
static const char *const lattice = "gravity: [0, -9.81, 0]\n"
                                   "bodies:\n"
                                   "  frame:\n"
                                   "    type: truss\n"
                                   "    dimension: 2\n"
                                   "    mesh: {lattice: {from: [0, 0.1 mm, 0], to: [0.4, 0.2001, 0], cells: [8, 5, 0], braces: faces}}\n"
                                   "    material: {density: 2700, young: 70 GPa}\n"
                                   "    section: {area: 2 cm^2}\n"
                                   "    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
                                   "    initial: {velocity: [0.5, -0.1, 0]}\n"
                                   "loads: {push: {at: frame.top, force: [0, -20, 0], time: {table: [[0, 0], [1 ms, 1]]}}}\n"
                                   "contacts:\n"
                                   "  floor: {between: [frame.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.3}\n"
                                   "scheme: {type: half_explicit, step: 1 us}\n"
                                   "time: {end: 20 ms}\n";
/* For schemes whose contacts give way. */
static const char *const soft = "bodies:\n"
                                "  frame:\n"
                                "    type: bar\n"
                                "    mesh: {line: {from: [10 um, 0, 0], to: [1.00001, 0, 0], elements: 20}}\n"
                                "    material: {density: 7800, young: 210 GPa}\n"
                                "    section: {area: 1 cm^2}\n"
                                "    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
                                "    initial: {velocity: [-0.1, 0, 0]}\n"
                                "springs: {hold: {between: [frame.right, ground], stiffness: 1 MN/m, damping: 10}}\n"
                                "loads: {push: {at: frame.left, force: [-20, 0, 0], time: {table: [[0, 0], [1 ms, 1]]}}}\n"
                                "contacts: {floor: {between: [frame.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n"
                                "scheme: {type: modal, step: 1 us}\n"
                                "time: {end: 20 ms}\n";

/* For schemes that do not move finite elements. */
static const char *const mechanism = "gravity: [0, -9.81, 0]\n"
                                     "bodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: 0.01}}}\n"
                                     "scheme: {type: half_explicit, step: 10 us}\n"
                                     "time: {end: 20 ms}\n";
static const char *const joint     = "gravity: [0, -9.81, 0]\n"
                                     "bodies: {crank: {type: slider_crank_bilateral}}\n"
                                     "scheme: {type: half_explicit, step: 10 us}\n"
                                     "time: {end: 20 ms}\n";

/* Balls of a lattice without stiffness to speak of, which fall on each other. */
static const char *const balls =
  "gravity: [0, 0, -9.81]\n"
  "bodies:\n"
  "  heap:\n"
  "    type: truss\n"
  "    dimension: 3\n"
  "    mesh: {lattice: {from: [0, 0, 0], to: [30 mm, 30 mm, 40 mm], cells: [3, 3, 4]}}\n"
  "    material: {density: 2000, young: 1 kPa}\n"
  "    section: {area: 1 mm^2}\n"
  "    mass: lumped\n"
  "supports: {ground: {at: heap.back}}\n"
  "contacts: {hit: {between: [{node: heap.all, radius: 4 mm}, {node: heap.all, radius: 4 mm}], friction: 0.2, near_pairs: 500}}\n"
  "limits: {rotation: 100 rad, stretch: 100}\n"
  "scheme: {type: half_explicit, step: 0.1 ms}\n"
  "time: {end: 1}\n";

/* An implicit scheme that changes its step has to factor anew, and that allocates where a back end does: a mechanism shows that nothing else of it does. */
static PetscBool factors_anew(const Promise *p)
{
  return promise_type(p)->implicit && promise_type(p)->adapts;
}

/* Calls of the allocator in 3000 steps that see open and closed contacts. */
static long count_calls(const Promise *p)
{
  const PetscBool   bodies       = p->bodies && !factors_anew(p);
  const PetscBool   frictionless = bodies && !p->friction;
  const char *const config       = p->mass ? lattice : promise_gives(p) ? soft : bodies ? text : p->friction ? mechanism : joint;
  TestRun           test         = promise_open(config, p, bodies ? 1e-6 : 1e-5, frictionless ? "contacts.floor.friction=0" : "");
  PetscInt64        closed = 0, open = 0;
  long              before = calls;

  promise_print(p);
  assert_true(before > 100);                        /* the count works */
  for (int i = 0; i < 10; i++) test_step(test.run); /* the first steps may complete lazy set-up: factors */
  before = calls;
  for (int i = 0; i < 3000; i++) {
    test_step(test.run);
    if (NsContactReports(test.run->contact)[0].state == NS_OPEN)
      open++;
    else
      closed++;
  }
  before = calls - before;
  test_run_close(&test);
  if (closed <= 20 || (open <= 100 && config != joint)) fail_msg("contact was open in %d and closed in %d steps", (int)open, (int)closed);
  return before;
}
#endif

static void nothing_allocates_in_a_step(void **state)
{
  (void)state;
#if !NS_COUNT_CALLS
  skip();
#else
  for (const Promise *p = promises; p < promises + NS_PROMISES; p++) {
    const long count = count_calls(p);
    if (count) fail_msg("%s %s allocated %ld times in 3000 steps", p->scheme, p->option, count);
  }
#endif
}

/* Nor where pairs of balls come and go. */
static void searches_do_not_allocate(void **state)
{
  (void)state;
#if !NS_COUNT_CALLS
  skip();
#else
  TestRun  test   = test_run_open(balls, NULL);
  long     before = calls;
  PetscInt fewest = test.run->model->slots, most = 0;

  assert_true(before > 100);
  for (int i = 0; i < 10; i++) test_step(test.run);
  before = calls;
  for (int i = 0; i < 1500; i++) {
    test_step(test.run);
    fewest = PetscMin(fewest, test.run->model->slots - test.run->model->slots_free);
    most   = PetscMax(most, test.run->model->slots - test.run->model->slots_free);
  }
  before = calls - before;
  test_run_close(&test);
  if (fewest > 0 || most < 10) fail_msg("from %d to %d near pairs", (int)fewest, (int)most);
  if (before) fail_msg("%ld allocations in 1500 steps", before);
#endif
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_allocates_in_a_step), cmocka_unit_test(searches_do_not_allocate)};
TEST_MAIN(tests)
