/* What stands behind `percuss compare`: common times, interpolation, differences, growth, order, events in pairs, configs. */
#include "reader.h"
#include "arena.h"
#include <math.h>
#include <unistd.h>
#include "percuss/tree.h"
#include "results/align.h"
#include "results/config_difference.h"
#include "results/difference.h"
#include "results/event_pairs.h"

/* A table as it would be read: the first column the time. */
typedef struct {
  NsResultTable  table;
  NsResultColumn column[8];
} Made;

static Made *make(const char *path, long rows)
{
  Made *made          = NsArenaAlloc(arena, sizeof(*made));
  made->table.path    = path;
  made->table.rows    = rows;
  made->table.columns = 0;
  made->table.column  = made->column;
  return made;
}

static double *add_numbers(Made *made, const char *name, const char *unit)
{
  double *numbers = NsArenaAlloc(arena, sizeof(*numbers) * (size_t)(made->table.rows + 1));

  made->column[made->table.columns++] = (NsResultColumn){.name = name, .unit = unit, .numbers = numbers};
  return numbers;
}

static const char **add_words(Made *made, const char *name)
{
  const char **words = NsArenaAlloc(arena, sizeof(*words) * (size_t)(made->table.rows + 1));

  made->column[made->table.columns++] = (NsResultColumn){.name = name, .words = words};
  return words;
}

static NsAligned *align(int runs, Made *const *made)
{
  const NsResultTable *tables[NS_ALIGN_RUNS];
  NsAligned           *aligned;

  for (int r = 0; r < runs; r++) tables[r] = &made[r]->table;
  aligned = NsAlign(tables, runs, arena, diag);
  if (!aligned) fail_msg("%s", printed(diag, arena));
  return aligned;
}

/* sin(t) and its rate, from 0 to 1 in so many rows. */
static Made *sine(long steps, bool rate, double shift)
{
  Made   *made = make("a/history.csv", steps + 1);
  double *t = add_numbers(made, "time", "s"), *x = add_numbers(made, "p.ux", "m"), *v = rate ? add_numbers(made, "p.vx", "m/s") : NULL;

  for (long i = 0; i <= steps; i++) {
    t[i] = (double)i / (double)steps;
    x[i] = sin(t[i]) + shift;
    if (v) v[i] = cos(t[i]);
  }
  return made;
}

static void common_times_are_taken(void **state)
{
  Made      *made[3] = {sine(10, false, 0), sine(20, false, 0.5), sine(40, false, 0)};
  NsAligned *aligned = align(3, made);

  (void)state;
  assert_int_equal(aligned->samples, 11);
  assert_false(aligned->interpolated);
  assert_int_equal(aligned->grid, 0);
  assert_int_equal(aligned->quantities, 1);
  for (long k = 0; k <= 10; k++) {
    assert_true(aligned->time[k] == (double)k / 10);
    assert_true(aligned->quantity[0].value[1][k] - aligned->quantity[0].value[0][k] - 0.5 < 1e-15);
    assert_true(aligned->quantity[0].value[2][k] == aligned->quantity[0].value[0][k]);
  }
  assert_true(aligned->quantity[0].error == 0);
  /* times that differ by rounding are the same */
  ((double *)(uintptr_t)made[1]->column[0].numbers)[2] += 1e-16;
  assert_int_equal(align(2, made)->samples, 11);
}

/* Error of interpolation against the truth, and what was expected of it. */
static void interpolate(bool rate, double *error, double *expected)
{
  Made      *made[2] = {sine(10, rate, 0), sine(33, rate, 0)};
  NsAligned *aligned = align(2, made);

  assert_true(aligned->interpolated);
  assert_int_equal(aligned->samples, 11);
  *expected = aligned->quantity[0].error;
  *error    = 0;
  for (long k = 0; k < aligned->samples; k++) *error = fmax(*error, fabs(aligned->quantity[0].value[1][k] - sin(aligned->time[k])));
}

static void interpolation_has_its_order_and_estimates_its_error(void **state)
{
  double line, cubic, expected;

  (void)state;
  interpolate(false, &line, &expected);
  assert_true(line > 1e-6 && line <= expected && expected < 3 * line); /* h^2/8 sin(1) = 9.7e-5 at most */
  assert_true(line < 1.0 / 33 / 33 / 8);
  interpolate(true, &cubic, &expected);
  assert_true(cubic > 1e-11 && cubic <= expected && expected < 5 * cubic);
  assert_true(cubic < pow(1.0 / 33, 4) / 384);
}

static void impulses_are_summed_and_words_repeated(void **state)
{
  Made        *made[2]      = {make("a/contacts.csv", 3), make("b/contacts.csv", 5)};
  const double wanted[2][3] = {{1, 3, 7}, {1, 3, 7}};
  NsAligned   *aligned;

  (void)state;
  for (int r = 0; r < 2; r++) {
    const long   rows = made[r]->table.rows;
    double      *t = add_numbers(made[r], "time", "s"), *j = add_numbers(made[r], "w.impulse", "N s");
    const char **s = add_words(made[r], "w.state");
    for (long i = 0; i < rows; i++) {
      t[i] = (double)(r ? i : 2 * i);
      s[i] = i == rows - 1 ? "open" : "closed";
    }
    if (r == 0) j[0] = 1, j[1] = 2, j[2] = 4;
    if (r == 1) j[0] = 1, j[1] = 0.5, j[2] = 1.5, j[3] = 4, j[4] = 0;
  }
  aligned = align(2, made);
  assert_int_equal(aligned->samples, 3);
  for (int r = 0; r < 2; r++)
    for (long k = 0; k < 3; k++) assert_true(aligned->quantity[0].value[r][k] == wanted[r][k]);
  const NsDifference *difference = NsDifferences(aligned, 0, 1, 1e-6, arena);
  assert_true(difference[0].largest == 0 && isnan(difference[0].parts));
  assert_true(aligned->quantity[1].words && difference[1].unequal == 0);
}

static void of_rows_at_one_time_the_last_counts_and_time_may_not_fall(void **state)
{
  Made   *made[2] = {make("a/energy.csv", 4), make("b/energy.csv", 3)};
  double *t = add_numbers(made[0], "time", "s"), *x = add_numbers(made[0], "kinetic", "J");
  double *u = add_numbers(made[1], "time", "s"), *y = add_numbers(made[1], "kinetic", "J");

  (void)state;
  t[0] = 0, t[1] = 1, t[2] = 1, t[3] = 2;
  x[0] = 5, x[1] = 6, x[2] = 7, x[3] = 8;
  for (long i = 0; i < 3; i++) u[i] = (double)i, y[i] = 0;
  const NsAligned *aligned = align(2, made);
  assert_int_equal(aligned->samples, 3);
  assert_true(aligned->quantity[0].value[0][1] == 7);
  t[3]                           = 0.5;
  const NsResultTable *tables[2] = {&made[0]->table, &made[1]->table};
  assert_null(NsAlign(tables, 2, arena, diag));
  assert_non_null(strstr(printed(diag, arena), "a/energy.csv: time goes back, from 1 s to 0.5 s, in row 5"));
}

static void differences_have_scales_and_a_beginning(void **state)
{
  Made         *made[2] = {make("a/history.csv", 11), make("b/history.csv", 11)};
  NsDifference *difference;

  (void)state;
  for (int r = 0; r < 2; r++) {
    double *t = add_numbers(made[r], "time", "s"), *x = add_numbers(made[r], "p.ux", "m"), *z = add_numbers(made[r], "p.uz", "m"),
           *n = add_numbers(made[r], "p.vx", "m/s"), *lone = add_numbers(made[r], r ? "q.ux" : "p.uy", "m");
    for (long i = 0; i < 11; i++) {
      t[i]    = (double)i;
      x[i]    = 2 + (r && i >= 5 ? 0.1 * (double)(i - 4) : 0);
      z[i]    = r ? 1e-18 : -1e-18; /* rounding: nothing that differs "by 100 %" */
      n[i]    = r && i == 7 ? NAN : 1;
      lone[i] = 0;
    }
  }
  NsAligned *aligned = align(2, made);
  assert_int_equal(aligned->quantities, 3);
  assert_int_equal(aligned->alone, 2);
  assert_string_equal(aligned->first_alone, "p.uy");
  difference = NsDifferences(aligned, 0, 1, 0.05, arena);
  assert_true(fabs(difference[0].largest - 0.6) < 1e-12 && difference[0].at == 10);
  assert_true(difference[0].scale == 2.6 && difference[0].parts == 6); /* 0.2 > 0.05 x 2.6 > 0.1 */
  assert_true(fabs(difference[0].rms - sqrt(0.91 / 11)) < 1e-12);
  assert_true(difference[1].relative < 1e-11 && isnan(difference[1].parts));
  assert_true(difference[1].minor && !difference[0].minor);
  assert_true(difference[2].unequal == 1 && difference[2].parts == 7 && difference[2].largest == 0);
  /* the same is the same at any tolerance */
  made[1]    = made[0];
  difference = NsDifferences(align(2, made), 0, 1, 0, arena);
  assert_true(difference[0].largest == 0 && isnan(difference[0].parts));
}

static NsGrowth growth_of(double (*law)(double t))
{
  enum { COUNT = 400 };
  double time[COUNT + 1], distance[COUNT + 1];

  for (int i = 0; i <= COUNT; i++) {
    time[i]     = 10.0 * i / COUNT;
    distance[i] = law(time[i]);
  }
  return NsGrowthOf(COUNT + 1, time, distance);
}

static double nothing(double t)
{
  return 1e-15 * t;
}

static double exponential(double t)
{
  return 1e-8 * fabs(cos(7 * t)) * exp(2 * t);
}

static double linear(double t)
{
  return 1e-6 * t * fabs(sin(9 * t));
}

static double cubic_growth(double t)
{
  return 1e-6 * t * t;
}

static double bounded(double t)
{
  return 1e-5 * fabs(sin(9 * t));
}

static double jump(double t)
{
  return t < 6 ? 1e-6 * (1 + t / 10) : 2e-2;
}

static double not_a_number_any_more(double t)
{
  return t < 5 ? 1e-9 : INFINITY;
}

static void kinds_of_growth_are_distinguished(void **state)
{
  NsGrowth growth;

  (void)state;
  assert_int_equal(growth_of(nothing).kind, NS_GROWTH_ZERO);
  growth = growth_of(exponential);
  assert_int_equal(growth.kind, NS_GROWTH_EXPONENTIAL);
  assert_true(fabs(growth.rate - 2) < 0.1);
  assert_true(fabs(growth.apart - log(1e7) / 2) < 0.3);
  growth = growth_of(linear);
  assert_int_equal(growth.kind, NS_GROWTH_POWER);
  assert_true(fabs(growth.exponent - 1) < 0.15 && isnan(growth.apart));
  growth = growth_of(cubic_growth);
  assert_int_equal(growth.kind, NS_GROWTH_POWER);
  assert_true(fabs(growth.exponent - 2) < 0.1);
  assert_int_equal(growth_of(bounded).kind, NS_GROWTH_BOUNDED);
  growth = growth_of(jump);
  assert_int_equal(growth.kind, NS_GROWTH_JUMP);
  assert_true(fabs(growth.at - 6) < 0.2);
  growth = growth_of(not_a_number_any_more);
  assert_int_equal(growth.kind, NS_GROWTH_JUMP);
  assert_true(fabs(growth.apart - 5) < 0.1);
}

static void order_is_seen_over_time(void **state)
{
  Made *made[3];

  (void)state;
  for (int r = 0; r < 3; r++) { /* order 2 up to t = 5, then errors that do not shrink */
    made[r]   = make("a/history.csv", 801);
    double *t = add_numbers(made[r], "time", "s"), *x = add_numbers(made[r], "p.ux", "m");
    for (long i = 0; i <= 800; i++) {
      t[i] = 0.01 * (double)i;
      x[i] = sin(t[i]) + pow(0.25, r) * 1e-3 * t[i] + (t[i] > 5 ? 0.3 * cos(3 * t[i] + 2 * r) : 0);
    }
  }
  NsAligned *aligned = align(3, made);
  NsOrder    order   = NsOrderOf(aligned, &aligned->quantity[0], 1e-13, 2);
  for (int part = 0; part < 5; part++) assert_true(fabs(order.part[part] - 2) < 1e-9);
  for (int part = 5; part < 8; part++) assert_true(order.part[part] < 0.5);
  assert_true(order.order < 0.5);
  for (int r = 0; r < 3; r++) made[r]->table.rows = 400;
  aligned = align(3, made);
  order   = NsOrderOf(aligned, &aligned->quantity[0], 1e-13, 2);
  assert_true(fabs(order.order - 2) < 1e-9);
  assert_true(fabs(order.error - 1e-3 / 16 * 3.99) < 1e-9); /* what the finest one really is off by */
  order = NsOrderOf(aligned, &aligned->quantity[0], 1, 2);  /* all of it called rounding */
  assert_true(isnan(order.order) && isnan(order.error) && isnan(order.part[0]));
}

static void middle(void **state)
{
  double some[] = {3, NAN, 1, 2, INFINITY, 4}, none[] = {NAN}, median, least, most;

  (void)state;
  assert_true(NsMedian(6, some, &median, &least, &most));
  assert_true(median == 2.5 && least == 1 && most == 4);
  assert_false(NsMedian(1, none, &median, &least, &most));
}

static const NsResultTable *events(const char *path, long rows, const double *time, const char *const *contact, const char *const *event)
{
  Made        *made = make(path, rows);
  double      *t    = add_numbers(made, "time", "s");
  const char **c = add_words(made, "contact"), **e = add_words(made, "event");
  double      *j = add_numbers(made, "impulse", "N s");

  for (long i = 0; i < rows; i++) t[i] = time[i], c[i] = contact[i], e[i] = event[i], j[i] = 1 + time[i];
  return &made->table;
}

static void events_find_their_partners(void **state)
{
  static const double      a[] = {0.1, 0.1, 0.2, 0.3, 0.4, 0.5}, b[] = {0.11, 0.11, 0.2, 0.41, 0.5};
  static const char *const ca[] = {"x", "y", "x", "x", "x", "x"}, *const cb[] = {"x", "y", "x", "x", "x"};
  static const char *const e[]       = {"impact", "impact", "impact", "impact", "impact", "impact"};
  static const char *const other[]   = {"impact", "slip", "impact", "impact", "impact"};
  const NsResultTable     *tables[2] = {events("a/events.csv", 6, a, ca, e), events("b/events.csv", 5, b, cb, e)};
  NsEventPairs            *pairs;
  int                      count;

  (void)state;
  pairs = NsPairEvents(tables, 1, arena, &count);
  assert_int_equal(count, 2);
  assert_string_equal(pairs[0].contact, "x");
  assert_int_equal(pairs[0].count[0], 5);
  assert_int_equal(pairs[0].count[1], 4);
  assert_int_equal(pairs[0].pairs, 2); /* then run a has an impact at 0.3 that b has not: the next of b is that of 0.4 */
  assert_int_equal(pairs[0].alone, 0);
  assert_true(pairs[0].alone_at == 0.3 && fabs(pairs[0].shift - 0.01) < 1e-15 && pairs[0].shift_at == 0.1 && fabs(pairs[0].impulse - 0.01) < 1e-15);
  assert_int_equal(pairs[1].alone, -1);
  pairs = NsPairEvents(tables, 0.25, arena, &count); /* both have been no further */
  assert_int_equal(pairs[0].alone, -1);
  assert_int_equal(pairs[0].pairs, 2);
  tables[1] = events("b/events.csv", 5, b, cb, other);
  pairs     = NsPairEvents(tables, 1, arena, &count);
  assert_int_equal(pairs[1].alone, 0); /* impact and slip are not a pair; the earlier one is reported */
  assert_string_equal(pairs[1].alone_event, "impact");
  tables[1] = events("b/events.csv", 0, b, cb, e);
  pairs     = NsPairEvents(tables, 1, arena, &count);
  assert_int_equal(count, 2);
  assert_int_equal(pairs[0].alone, 0);
}

static const NsNode *tree(const char *text)
{
  const NsNode *node = NsTreeReadText("x", text, strlen(text), arena, diag);

  if (!node) fail_msg("%s", printed(diag, arena));
  return node;
}

static void configs_differ_by_key(void **state)
{
  const NsNode *a = tree("title: x\nscheme: {type: half_explicit, step: 100 us}\nlist: [1, 2 mm]\nonly: {a: 1, b: [1, {c: d}]}\nsame: 0.1 ms\n");
  const NsNode *b = tree("same: 100 us\nscheme: {step: 5e-5, type: half_explicit}\ntitle: y\nlist: [1, 2e-3, 3]\nmore: 1\n");
  const NsConfigDifference *d = NsConfigDiffer(a, b, arena);

  (void)state;
  assert_string_equal(d->path, "title");
  assert_true(NsConfigIsOutput(d));
  assert_true(isnan(NsConfigRatio(d)));
  d = d->next;
  assert_string_equal(d->path, "scheme.step");
  assert_string_equal(d->value[0], "100 us");
  assert_string_equal(d->value[1], "5e-5");
  assert_true(fabs(NsConfigRatio(d) - 2) < 1e-12 && !NsConfigIsOutput(d));
  d = d->next;
  assert_string_equal(d->path, "list");
  assert_string_equal(d->value[0], "[1, 2 mm]");
  d = d->next;
  assert_string_equal(d->path, "only");
  assert_string_equal(d->value[0], "{a: 1, b: [1, {c: d}]}");
  assert_null(d->value[1]);
  d = d->next;
  assert_string_equal(d->path, "more");
  assert_null(d->value[0]);
  assert_null(d->next);
  assert_null(NsConfigDiffer(a, a, arena));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(common_times_are_taken, setup, teardown),
    cmocka_unit_test_setup_teardown(interpolation_has_its_order_and_estimates_its_error, setup, teardown),
    cmocka_unit_test_setup_teardown(impulses_are_summed_and_words_repeated, setup, teardown),
    cmocka_unit_test_setup_teardown(of_rows_at_one_time_the_last_counts_and_time_may_not_fall, setup, teardown),
    cmocka_unit_test_setup_teardown(differences_have_scales_and_a_beginning, setup, teardown),
    cmocka_unit_test_setup_teardown(kinds_of_growth_are_distinguished, setup, teardown),
    cmocka_unit_test_setup_teardown(order_is_seen_over_time, setup, teardown),
    cmocka_unit_test_setup_teardown(middle, setup, teardown),
    cmocka_unit_test_setup_teardown(events_find_their_partners, setup, teardown),
    cmocka_unit_test_setup_teardown(configs_differ_by_key, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
