/* Parts of a study: how orders are observed, maxima found, columns laid over each other; values that stand in another file. */
#include "support.h"
#include "percuss/units.h"
#include "study/study.h"

static NsArena *arena;

static int set_up(void **state)
{
  (void)state;
  arena = NsArenaCreate();
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  NsArenaDestroy(&arena);
  return 0;
}

static NsOrders fit(int count, const double *size, const double *error)
{
  static double pair[16];
  NsOrders      orders = {.pair = pair};

  NsOrdersFit(count, size, error, &orders);
  return orders;
}

/* e = 3 h^2 is of order 2, whatever the ratio of steps. */
static void order_of_a_power(void **state)
{
  const double size[] = {1, 0.5, 0.2, 0.1};
  double       error[4];

  (void)state;
  for (int k = 0; k < 4; k++) error[k] = 3 * size[k] * size[k];
  const NsOrders orders = fit(4, size, error);
  for (int k = 0; k < 3; k++) assert_near(orders.pair[k], 2, 1e-14);
  assert_near(orders.fit, 2, 1e-14);
  assert_true(orders.asymptotic);
  assert_int_equal(orders.first, 0);
  assert_int_equal(orders.last, 3);
}

/* Too coarse at one end, rounding at the other: the stretch between is fitted, and nothing else. */
static void asymptotic_range(void **state)
{
  const double size[] = {8, 4, 2, 1, 0.5, 0.25}, error[] = {1, 0.9, 0.9 / 2, 0.9 / 4, 0.9 / 8, 0.9 / 8};

  (void)state;
  const NsOrders orders = fit(6, size, error);
  assert_near(orders.fit, 1, 1e-14);
  assert_true(orders.asymptotic);
  assert_int_equal(orders.first, 1);
  assert_int_equal(orders.last, 4);
}

static void no_asymptotic_range(void **state)
{
  const double size[] = {4, 2, 1}, error[] = {8, 1, 0.5}, gone[] = {8, 0, 0.5};

  (void)state;
  NsOrders orders = fit(3, size, error);
  assert_false(orders.asymptotic);
  assert_near(orders.fit, 2, 1e-14); /* of 3 and 1, by least squares over three */
  orders = fit(3, size, gone);
  assert_true(isnan(orders.pair[0]) && isnan(orders.fit));
  orders = fit(1, size, error);
  assert_true(isnan(orders.fit));
}

static void maxima(void **state)
{
  const double x[] = {0, 2, 1, 3, 3, 3, 2, 2, 5, 5, 6}; /* a peak, a flat top, a step that rises, no end */
  long         index[11];

  (void)state;
  assert_int_equal(NsLocalMaxima(11, x, index), 2);
  assert_int_equal(index[0], 1);
  assert_int_equal(index[1], 3);
  assert_int_equal(NsLocalMaxima(0, x, index), 0);
  assert_int_equal(NsLocalMaxima(1, x, index), 0);
}

static NsSignal signal_of(long rows, double *time, double *value)
{
  NsSignal signal = {.rows = rows, .columns = 1, .time = time};

  signal.value    = NsArenaAlloc(arena, sizeof(double *));
  signal.value[0] = value;
  return signal;
}

/* Straight lines between rows; at a jump the side after it; beyond the ends as there. */
static void signals_at_other_times(void **state)
{
  double         time[] = {0, 1, 1, 3}, value[] = {0, 2, 10, 14}, at[] = {-1, 0.5, 1, 2, 9};
  const NsSignal signal     = signal_of(4, time, value);
  const double   expected[] = {0, 1, 10, 12, 14};
  NsSignal       result;

  (void)state;
  NsSignalAt(&signal, 5, at, arena, &result);
  assert_int_equal(result.rows, 5);
  for (int i = 0; i < 5; i++) assert_near(result.value[0][i], expected[i], 1e-15);
}

static void signals_are_cut(void **state)
{
  double   time[] = {0, 0.1, 0.2, 0.30000000000000004, 0.4}, value[] = {0, 1, 2, 3, 4};
  NsSignal signal = signal_of(5, time, value);

  (void)state;
  NsSignalCut(&signal, 0.1, 0.3); /* the time of a row is that up to rounding */
  assert_int_equal(signal.rows, 3);
  assert_near(signal.value[0][0], 1, 0);
  NsSignalCut(&signal, 5, 6);
  assert_int_equal(signal.rows, 0);
}

static void column_names(void **state)
{
  NsColumnName name;

  (void)state;
  assert_true(NsColumnNameRead("history.bar@0.5.stress", arena, &name));
  assert_string_equal(name.file, "history.csv");
  assert_string_equal(name.heading, "bar@0.5.stress");
  assert_null(name.station);
  assert_true(NsColumnNameRead("poincare.right.u2", arena, &name));
  assert_string_equal(name.station, "right");
  assert_string_equal(name.heading, "u2");
  assert_false(NsColumnNameRead("poincare.u2", arena, &name));
  assert_false(NsColumnNameRead("histories.u2", arena, &name));
  assert_false(NsColumnNameRead("history.", arena, &name));
  assert_false(NsColumnNameRead("history", arena, &name));
}

static NsNode *tree(const char *name, const char *text, NsDiag *diag)
{
  return NsTreeReadText(name, text, strlen(text), arena, diag);
}

/* A value goes into several trees, is changed in one, and stays as it was in the others; messages find it in its own file. */
static void grafts(void **state)
{
  NsDiag       *diag = NsDiagCreate(arena);
  NsNode       *one = tree("a.yaml", "scheme: {type: x}\n", diag), *two = tree("b.yaml", "title: t\n", diag);
  NsNode       *study = tree("study.yaml", "scheme: {type: y, step: 1}\n", diag);
  const NsNode *value = study->first;

  (void)state;
  assert_true(NsTreeGraft(one, "scheme", value->key_place, value, arena, diag));
  assert_true(NsTreeGraft(one, "scheme.step", value->key_place, value->first, arena, diag));
  assert_true(NsTreeGraft(two, "scheme", value->key_place, value, arena, diag));
  assert_string_equal(NsTreeChild(NsTreeChild(one, "scheme"), "step")->text, "y");
  assert_string_equal(NsTreeChild(NsTreeChild(two, "scheme"), "step")->text, "1");
  assert_string_equal(NsTreeChild(value, "step")->text, "1");
  assert_ptr_equal(NsTreeChild(NsTreeChild(two, "scheme"), "step")->parent, NsTreeChild(two, "scheme"));
  assert_string_equal(NsTreeChild(two, "scheme")->place.source->name, "study.yaml");
  assert_int_equal(NsDiagErrors(diag), 0);
  assert_false(NsTreeGraft(two, "title.x", value->key_place, value, arena, diag));
  assert_false(NsTreeGraft(two, "scheme..step", value->key_place, value, arena, diag));
  assert_int_equal(NsDiagErrors(diag), 2);
}

static void quantities_of_any_dimension(void **state)
{
  NsDimension dimension;
  double      value;

  (void)state;
  assert_true(NsParseAnyQuantity("60 rpm", &dimension, &value));
  assert_near(value, 2 * M_PI, 1e-14);
  assert_string_equal(NsDimensionUnit(dimension), "rad/s");
  assert_true(NsParseAnyQuantity("-3", &dimension, &value));
  assert_near(value, -3, 0);
  assert_string_equal(NsDimensionUnit(dimension), "");
  assert_false(NsParseAnyQuantity("3 apples", &dimension, &value));
  assert_false(NsParseAnyQuantity("lumped", &dimension, &value));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(order_of_a_power, set_up, tear_down),
    cmocka_unit_test_setup_teardown(asymptotic_range, set_up, tear_down),
    cmocka_unit_test_setup_teardown(no_asymptotic_range, set_up, tear_down),
    cmocka_unit_test_setup_teardown(maxima, set_up, tear_down),
    cmocka_unit_test_setup_teardown(signals_at_other_times, set_up, tear_down),
    cmocka_unit_test_setup_teardown(signals_are_cut, set_up, tear_down),
    cmocka_unit_test_setup_teardown(column_names, set_up, tear_down),
    cmocka_unit_test_setup_teardown(grafts, set_up, tear_down),
    cmocka_unit_test_setup_teardown(quantities_of_any_dimension, set_up, tear_down),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
