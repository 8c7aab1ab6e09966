/*
  What `explain` says of schemes.

  Orders in free flight where forces depend on velocities and the mass matrix on positions: a spring pendulum that swings far from its wall. What `explain` says of a scheme holds here, too.
*/
#include <math.h>
#include "promises.h"

static const char *const pendulum = "gravity: [0, -9.81, 0]\n"
                                    "bodies:\n"
                                    "  pendulum: {type: spring_pendulum, initial: {l: 1.1 m, phi: 45 deg}, contact: {restitution: 1}}\n"
                                    "scheme: {type: half_explicit, step: 1 ms}\n"
                                    "time: {end: 0.2}\n";

static void fly(const Promise *promise, PetscReal step, const char *extra, PetscReal q[2])
{
  TestRun            test = promise_open(pendulum, promise, step, extra);
  const PetscScalar *at;

  while (test_runs(test.run)) test_step(test.run);
  assert_near(test.run->state.t, 0.2, 1e-12);
  CHECK(VecGetArrayRead(test.run->state.q, &at));
  for (int k = 0; k < 2; k++) q[k] = at[k];
  CHECK(VecRestoreArrayRead(test.run->state.q, &at));
  assert_int_equal(test.run->figures.impulsive_steps, 0);
  test_run_close(&test);
}

static PetscReal distance(const PetscReal a[2], const PetscReal b[2])
{
  return hypot(a[0] - b[0], a[1] - b[1]);
}

static const Promise exact = {"event_driven_hem5", "scheme.tolerance=1e-12", PETSC_TRUE, PLANE, 5, UNLIMITED, 1e-6, 1e-15, 0};

static void orders_where_forces_depend_on_velocities(void **state)
{
  PetscReal reference[2], coarse[2], fine[2];

  (void)state;
  fly(&exact, 1e-3, "", reference);
  EACH_WITH_MASS(p)
  {
    const NsSchemeSheet *sheet = &promise_type(p)->sheet;
    if (promise_gives(p) || promise_adapts(p) || promise_meets(p) || !strcmp(p->scheme, "position_level") ||
        !strcmp(p->scheme, "half_explicit_adaptive"))
      continue;
    fly(p, 2e-3, "", coarse);
    fly(p, 1e-3, "", fine);
    const PetscReal order   = log2(distance(coarse, reference) / distance(fine, reference));
    const int       claimed = strstr(p->option, "theta=1") ? 1 : sheet->order_velocity ? sheet->order_velocity : sheet->order;
    print_message("  %s %s: order %.2f, claimed %d\n", p->scheme, p->option, order, claimed);
    if (!(PetscAbsReal(order - claimed) < 0.15)) fail_msg("%s %s: order %.3f, not %d", p->scheme, p->option, order, claimed);
  }
}

/* A bar that flies to and fro between two walls for some hundred impacts, elastic ones. */
static const char *const between_walls = "bodies:\n"
                                         "  bar:\n"
                                         "    type: bar\n"
                                         "    mesh: {line: {from: [0.1 mm, 0, 0], to: [1.0001 m, 0, 0], elements: 20}}\n"
                                         "    material: {density: 7800, young: 210 GPa}\n"
                                         "    section: {circle: {radius: 10 mm}}\n"
                                         "    mass: lumped\n"
                                         "    initial: {velocity: [-0.1, 0, 0]}\n"
                                         "contacts:\n"
                                         "  left: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}], restitution: 1}\n"
                                         "  right: {between: [bar.right, {plane: {point: [1.0002, 0, 0], normal: [-1, 0, 0]}}], restitution: 1}\n"
                                         "scheme: {type: half_explicit, step: 5 us}\n"
                                         "time: {end: 0.2}\n";

/* Energy at the end over that of the start. */
static PetscReal energy_left(const Promise *promise, PetscReal step)
{
  TestRun  test = promise_open(between_walls, promise, step, "");
  NsLedger ledger;

  while (test_runs(test.run)) test_step(test.run);
  CHECK(NsSchemeComplete(test.run->scheme, &test.run->state));
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  ledger = test.run->ledger;
  test_run_close(&test);
  /* Nothing but the law's own loss may be in `impact`: what the scheme makes is in `numerical`. Those that project take the approach velocity at another position. */
  if (!strstr(promise_type(promise)->sheet.energy, "projections") && PetscAbsReal(ledger.impact) > 0.01 * ledger.initial)
    fail_msg("%s %s: impacts \"dissipate\" %g of the energy", promise->scheme, promise->option, ledger.impact / ledger.initial);
  return (ledger.now.kinetic + ledger.now.elastic) / ledger.initial;
}

static void energy_gain_with_e_near_1_is_stated(void **state)
{
  int silent = 0;

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies || promise_gives(p) || promise_meets(p)) continue;
    const PetscReal left = PetscMax(energy_left(p, 4e-6), energy_left(p, 5e-6));
    print_message("  %s %s: %.3f of the energy\n", p->scheme, p->option, left);
    const char *says = promise_type(p)->sheet.energy;
    if (!(left > 1.05) || strstr(says, "e near 1") || strstr(says, "projections")) continue;
    print_message("  it gains, but says \"%s\"\n", says);
    silent++;
  }
  assert_int_equal(silent, 0);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(orders_where_forces_depend_on_velocities), cmocka_unit_test(energy_gain_with_e_near_1_is_stated)};
TEST_MAIN(tests)
