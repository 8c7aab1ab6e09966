/* Factors over time against closed forms. */
#include "reader.h"
#include "arena.h"
#include <math.h>
#include "core/timefunction.h"

#define HZ (2 * PETSC_PI)

static NsTimeFunction *read(const char *text)
{
  NsTimeFunction *function = NsArenaAlloc(arena, sizeof(*function));

  if (!NsKeysRead(&NsTable_TimeFunction, NsTreeReadText("x", text, strlen(text), arena, diag), function, arena, diag))
    fail_msg("%s", printed(diag, arena));
  return function;
}

static void near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g", value, expected);
}

/* The instantaneous frequency, from the phase between two zeros. */
static double frequency_after(const NsTimeFunction *function, double t)
{
  double zero[2];

  for (int i = 0; i < 2; i++) {
    double step = 1e-6;
    while (NsTimeFunctionValue(function, t) * NsTimeFunctionValue(function, t + step) > 0) t += step;
    for (double low = t, high = t + step; step > 1e-15; step /= 2) {
      zero[i] = (low + high) / 2;
      if (NsTimeFunctionValue(function, low) * NsTimeFunctionValue(function, zero[i]) > 0)
        low = zero[i];
      else
        high = zero[i];
    }
    t = zero[i] + 1e-9;
  }
  return 0.5 / (zero[1] - zero[0]);
}

/* Derivatives against differences, integrals against closed forms and against the derivative. */
static void derivatives_and_integrals_fit(void **state)
{
  static const char *const texts[] = {"harmonic: {frequency: 3 Hz, phase: 20 deg}", "sweep: {from: 2 Hz, to: 9 Hz, duration: 2 s}",
    "sweep: {from: 2 Hz, to: 9 Hz, duration: 2 s, start: 0.1 s, spacing: logarithmic}", "burst: {frequency: 3 Hz, cycles: 4, start: 0.1 s}",
    "random: {spectrum: [[1 Hz, 1 1/Hz], [5 Hz, 1 1/Hz]], components: 20}", "pulse: {start: 0.1 s, duration: 1 s}",
    "step: {start: 0.1 s, end: 1.5 s}", "table: [[0, 0], [0.3 s, 2], [1.1 s, -1]]"};
  static const double      at[]    = {0.05, 0.213, 0.77, 1.02, 1.31, 1.9, 2.6};
  static const NsWindow    window  = {.from = 0.15, .until = 2.3, .ramp = 0.9};
  const size_t             count   = sizeof(texts) / sizeof(*texts);
  const double             h       = 1e-4;

  (void)state;
  for (size_t i = 0; i < 2 * count; i++) { /* then within a window with ramps; the last but one the constant 1 */
    const NsTimeFunction *own = read(texts[i % count]), *f = i < count ? own : NsTimeFunctionWindow(i % count == 6 ? NULL : own, &window, arena);
    NsTimeFunction        d[5];
    for (int order = -2; order <= 2; order++) assert_true(NsTimeFunctionDerive(f, order, 2, arena, &d[2 + order]));
    for (int order = -2; order < 2; order++) {
      for (size_t k = 0; k < sizeof(at) / sizeof(*at); k++) {
        const NsTimeFunction *below = &d[2 + order];
        const double          slope = (NsTimeFunctionValue(below, at[k] + h) - NsTimeFunctionValue(below, at[k] - h)) / (2 * h);
        const double          size  = 1 + fabs(NsTimeFunctionValue(&d[4], at[k]));
        near(NsTimeFunctionValue(&d[3 + order], at[k]), slope, 1e-4 * size);
      }
    }
    near(NsTimeFunctionValue(&d[0], 0), 0, 0);
    near(NsTimeFunctionValue(&d[1], 0), 0, 0);
  }
  NsTimeFunction step, table;
  assert_true(NsTimeFunctionDerive(read(texts[6]), -2, 1, arena, &step));
  near(NsTimeFunctionValue(&step, 2), 1.4 * 1.4 / 2 + 1.4 * 0.5, 1e-14);
  assert_true(NsTimeFunctionDerive(read(texts[7]), -1, 1, arena, &table));
  near(NsTimeFunctionValue(&table, 3), 0.3 + 0.4 - 1.9, 1e-14);
}

/* Ramps are lines, and their ends are kinks: of a velocity the displacement is the area, and the acceleration of a displacement has impulses. */
static void windows_have_ramps(void **state)
{
  static const NsWindow window = {.from = 0.5, .until = 2, .ramp = 0.25}, start = {.ramp = 0.5};
  const NsTimeFunction *f = NsTimeFunctionWindow(NULL, &window, arena);
  NsTimeFunction        moved, second;

  (void)state;
  near(NsTimeFunctionValue(f, 0.5), 0, 0);
  near(NsTimeFunctionValue(f, 0.6), 0.4, 1e-15);
  near(NsTimeFunctionValue(f, 1), 1, 0);
  near(NsTimeFunctionValue(f, 1.9), 0.4, 1e-15);
  near(NsTimeFunctionValue(f, 2), 0, 0);
  for (int i = 0; i < 5; i++) near(NsTimeFunctionNext(f, (double[]){0, 0.5, 0.75, 1.75, 2}[i]), (double[]){0.5, 0.75, 1.75, 2, PETSC_MAX_REAL}[i], 0);
  assert_true(NsTimeFunctionDerive(f, -1, 3, arena, &moved));
  near(NsTimeFunctionValue(&moved, 3), 1.25, 1e-14);
  assert_true(NsTimeFunctionDerive(f, 2, 3, arena, &second));
  near(NsTimeFunctionMean(&second, 0.5, 0.05, 0.05), 4 / 0.1, 1e-10);
  near(NsTimeFunctionMean(f, 2, 0.1, 0.1), 0.4 * 0.05 / 0.2, 1e-15);
  near(NsTimeFunctionValue(NsTimeFunctionWindow(NULL, &start, arena), 0.1), 0.2, 1e-15);
  near(NsTimeFunctionValue(NsTimeFunctionWindow(NULL, &start, arena), 9), 1, 0);
  assert_ptr_equal(NsTimeFunctionWindow(f, &(NsWindow){0}, arena), f);
}

/* Of a second derivative it is the difference of the slopes: kinks are impulses. */
static void means_of_derivatives_have_the_kinks(void **state)
{
  NsTimeFunction second;

  (void)state;
  assert_true(NsTimeFunctionDerive(read("table: [[0, 0], [0.3 s, 3], [1 s, 3]]"), 2, 1, arena, &second));
  near(NsTimeFunctionMean(&second, 0.3, 0.05, 0.15), -10 / 0.2, 1e-10);
  near(NsTimeFunctionMean(&second, 0.25, 0.05, 0.05), -10 / 0.1, 1e-10);
  near(NsTimeFunctionMean(&second, 0.35, 0.05, 0.05), 0, 0);
}

static void sweeps_have_their_frequencies(void **state)
{
  const NsTimeFunction *linear      = read("sweep: {from: 100 Hz, to: 1100 Hz, duration: 1 s}");
  const NsTimeFunction *logarithmic = read("sweep: {from: 100 Hz, to: 1600 Hz, duration: 1 s, start: 2 s, spacing: logarithmic, phase: 90 deg}");
  const NsTimeFunction *constant    = read("sweep: {from: 100 Hz, to: 100 Hz, duration: 1 s, spacing: logarithmic}");

  (void)state;
  near(frequency_after(linear, 0.5), 600, 3);
  near(frequency_after(logarithmic, 2.25), 200, 3);
  near(frequency_after(logarithmic, 2.75), 800, 3);
  near(NsTimeFunctionValue(linear, 0.5), sin(HZ * (100 * 0.5 + 500 * 0.25)), 1e-12);
  near(NsTimeFunctionValue(logarithmic, 2), 1, 1e-12);
  near(NsTimeFunctionValue(logarithmic, 2.5), cos(HZ * 100 / log(16) * (4 - 1)), 1e-11);
  near(NsTimeFunctionValue(constant, 0.1), sin(HZ * 10), 1e-12);
  assert_true(NsTimeFunctionValue(logarithmic, 1.999) == 0 && NsTimeFunctionValue(logarithmic, 3) == 0);
  assert_true(
    NsTimeFunctionNext(logarithmic, 0) == 2 && NsTimeFunctionNext(logarithmic, 2) == 3 && NsTimeFunctionNext(logarithmic, 3) == PETSC_MAX_REAL);
  near(NsTimeFunctionPeriod(linear, 0), 1 / 1100., 1e-15);
  assert_true(NsTimeFunctionPeriod(logarithmic, 1) == PETSC_MAX_REAL);
  near(NsTimeFunctionPeriod(read("sweep: {from: 10 Hz, to: 1 Hz, duration: 1 s}"), 0.5), 1 / 5.5, 1e-12);
}

static void bursts_are_smooth_and_short(void **state)
{
  const NsTimeFunction *burst = read("burst: {frequency: 10 Hz, cycles: 4, start: 1 s}");
  double                sum   = 0;

  (void)state;
  near(NsTimeFunctionValue(burst, 1.2), 0, 1e-12);
  near(NsTimeFunctionValue(burst, 1.225), (1 - cos(HZ * 2.25 / 4)) / 2, 1e-12);
  assert_true(NsTimeFunctionValue(burst, 1) == 0 && NsTimeFunctionValue(burst, 1.4) == 0);
  assert_true(NsTimeFunctionNext(burst, 0) == 1);
  near(NsTimeFunctionNext(burst, 1), 1.4, 1e-15);
  near(NsTimeFunctionPeriod(burst, 1.1), 0.1, 1e-15);
  /* steps longer than it have its impulse, which is 0 */
  near(NsTimeFunctionMean(burst, 1, 0.5, 0.5) + NsTimeFunctionMean(burst, 2, 0.5, 0.5), 0, 1e-9);
  for (int i = 0; i < 400; i++) sum += NsTimeFunctionMean(burst, 1 + i * 1e-3, 0, 1e-3) * 1e-3;
  near(sum, 0, 1e-12);
}

static void random_has_its_spectrum(void **state)
{
  const NsTimeFunction *one = read("random: {spectrum: [[100 Hz, 2e-3 1/Hz], [200 Hz, 6e-3 1/Hz]], components: 400}");
  const NsTimeFunction *two = read("random: {spectrum: [[100 Hz, 2e-3 1/Hz], [200 Hz, 6e-3 1/Hz]], components: 400, seed: 2}");
  double                sum = 0, products = 0, squares = 0;
  enum { SAMPLES = 200000 };

  (void)state;
  for (int i = 0; i < SAMPLES; i++) {
    const double t = i * 3.7e-4, x = NsTimeFunctionValue(one, t), y = i % 10 ? 0 : NsTimeFunctionValue(two, t);
    sum += x;
    squares += x * x;
    products += x * y;
  }
  near(sum / SAMPLES, 0, 2e-3);
  near(squares / SAMPLES, 0.4, 0.02); /* the integral of the spectrum */
  near(products / (SAMPLES / 10), 0, 0.05);
  assert_true(NsTimeFunctionValue(one, 1) ==
              NsTimeFunctionValue(read("random: {spectrum: [[100 Hz, 2e-3 1/Hz], [200 Hz, 6e-3 1/Hz]], components: 400, seed: 1}"), 1));
  near(NsTimeFunctionPeriod(one, 0), 1 / 200., 1e-15);
  assert_true(NsTimeFunctionNext(one, 0) == PETSC_MAX_REAL);
}

/* What the mean is for: an impulse does not depend on the steps. */
static void pulses_and_steps_keep_their_impulse(void **state)
{
  static const struct {
    const char *text;
    double      impulse;
  } cases[] = {{"pulse: {start: 0.31 s, duration: 0.2 s}", 0.4 / PETSC_PI}, {"step: {start: 0.1234 s, end: 0.4 s}", 0.2766},
    {"table: [[0.1 s, 0], [0.15 s, 2], [0.2 s, 0]]", 0.1}, {"burst: {frequency: 10 Hz, cycles: 1}", 0}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    const NsTimeFunction *function = read(cases[c].text);
    for (int steps = 1; steps < 300; steps = 3 * steps + 1) {
      double sum = 0;
      for (int i = 0; i < steps; i++) sum += NsTimeFunctionMean(function, (double)i / steps, 0, 1. / steps) / steps;
      near(sum, cases[c].impulse, 1e-3 / steps);
    }
  }
}

/* Linear over the step after it was set, from whatever it was; no kinks. */
static void inputs_are_set(void **state)
{
  const NsTimeFunction *function = read("input: {value: 2}");

  (void)state;
  assert_true(NsTimeFunctionIsInput(function));
  assert_false(NsTimeFunctionIsInput(read("pulse: {duration: 1 s}")));
  near(NsTimeFunctionValue(function, 0), 2, 0);
  NsTimeFunctionSetInput(function, 1, 1.5, 6);
  near(NsTimeFunctionValue(function, 0.5), 2, 0);
  near(NsTimeFunctionValue(function, 1.25), 4, 1e-15);
  near(NsTimeFunctionValue(function, 9), 6, 0);
  NsTimeFunctionSetInput(function, 1.25, 2.25, 0); /* before the end of the last one: no jump */
  near(NsTimeFunctionValue(function, 1.25), 4, 1e-15);
  near(NsTimeFunctionValue(function, 1.75), 2, 1e-15);
  near(NsTimeFunctionMean(function, 1.75, 0.25, 0.25), 2, 1e-15);
  assert_true(NsTimeFunctionNext(function, 0) == PETSC_MAX_REAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
    TEST(derivatives_and_integrals_fit),
    TEST(windows_have_ramps),
    TEST(means_of_derivatives_have_the_kinks),
    TEST(sweeps_have_their_frequencies),
    TEST(bursts_are_smooth_and_short),
    TEST(random_has_its_spectrum),
    TEST(pulses_and_steps_keep_their_impulse),
    TEST(inputs_are_set),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
