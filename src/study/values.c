/* Numbers from columns over time, one function for each line of values.h. Integrals are by the trapezoidal rule; a signal has one row at least, but for events. */
#include <math.h>
#include "study.h"

#define NS_VALUE(word, kind) static double NsValue_##word(const NsSignal *signal);
#include "values.h"
#undef NS_VALUE

const NsStudyValue NsStudyValues[] = {
#define NS_VALUE(word, kind) {#word, NS_VALUE_OF_##kind, NsValue_##word},
#include "values.h"
#undef NS_VALUE
};

const char *const NsStudyValueWords[] = {
#define NS_VALUE(word, kind) #word,
#include "values.h"
#undef NS_VALUE
  NULL};

/* The interval of time that a row represents: half of the intervals to its neighbours. */
static double weight(const NsSignal *signal, long row)
{
  const double before = row > 0 ? signal->time[row] - signal->time[row - 1] : 0;
  const double after  = row + 1 < signal->rows ? signal->time[row + 1] - signal->time[row] : 0;

  return signal->rows == 1 ? 1 : (before + after) / 2;
}

static double total_weight(const NsSignal *signal)
{
  return signal->rows == 1 ? 1 : signal->time[signal->rows - 1] - signal->time[0];
}

/* Integral of (x - less)^power. */
static double integrate(const NsSignal *signal, int column, double less, int power)
{
  double sum = 0;

  for (long row = 0; row < signal->rows; row++) {
    const double x = signal->value[column][row] - less;
    sum += weight(signal, row) * (power == 1 ? x : x * x);
  }
  return sum;
}

static double NsValue_final(const NsSignal *signal)
{
  return signal->value[0][signal->rows - 1];
}

static double NsValue_initial(const NsSignal *signal)
{
  return signal->value[0][0];
}

static double NsValue_max(const NsSignal *signal)
{
  double most = -INFINITY;

  for (long row = 0; row < signal->rows; row++) most = fmax(most, signal->value[0][row]);
  return most;
}

static double NsValue_min(const NsSignal *signal)
{
  double least = INFINITY;

  for (long row = 0; row < signal->rows; row++) least = fmin(least, signal->value[0][row]);
  return least;
}

static double NsValue_mean(const NsSignal *signal)
{
  return integrate(signal, 0, 0, 1) / total_weight(signal);
}

static double NsValue_deviation(const NsSignal *signal)
{
  return sqrt(integrate(signal, 0, NsValue_mean(signal), 2) / total_weight(signal));
}

static double NsValue_largest(const NsSignal *signal)
{
  double largest = 0;

  for (int c = 0; c < signal->columns; c++)
    for (long row = 0; row < signal->rows; row++) largest = fmax(largest, fabs(signal->value[c][row]));
  return largest;
}

static double NsValue_rms(const NsSignal *signal)
{
  double sum = 0;

  for (int c = 0; c < signal->columns; c++) sum += integrate(signal, c, 0, 2) / total_weight(signal);
  return sqrt(sum);
}

/* The largest singular value of the matrix columns x rows, by power iteration on its square, columns x columns. */
static double NsValue_spectral(const NsSignal *signal)
{
  const int n                                         = signal->columns;
  double    square[NS_MOST_SIGNALS * NS_MOST_SIGNALS] = {0}, x[NS_MOST_SIGNALS], y[NS_MOST_SIGNALS], value = 0, before;

  for (int i = 0; i < n; i++) {
    x[i] = 1 + 0.1 * i; /* a start that is orthogonal to no singular vector that occurs */
    for (int j = 0; j < n; j++) {
      for (long row = 0; row < signal->rows; row++) square[n * i + j] += signal->value[i][row] * signal->value[j][row];
    }
  }
  for (int iteration = 0; iteration < 1000; iteration++) {
    double norm = 0;

    before = value;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++) y[i] += square[n * i + j] * x[j];
    }
    for (int i = 0; i < n; i++) norm += y[i] * y[i];
    value = sqrt(norm);
    if (value == 0) return 0;
    for (int i = 0; i < n; i++) x[i] = y[i] / value;
    if (fabs(value - before) <= 1e-15 * value) break;
  }
  return sqrt(value);
}

static double NsValue_sum(const NsSignal *signal)
{
  double sum = 0;

  for (long row = 0; row < signal->rows; row++) sum += signal->value[0][row];
  return sum;
}

static double NsValue_integral(const NsSignal *signal)
{
  return signal->rows > 1 ? integrate(signal, 0, 0, 1) : 0;
}

/* Of the time above zero; a row represents the step before it. */
static double NsValue_share(const NsSignal *signal)
{
  double sum = 0;

  for (long row = 1; row < signal->rows; row++)
    if (signal->value[0][row] > 0) sum += signal->time[row] - signal->time[row - 1];
  return sum / total_weight(signal);
}

static double NsValue_count(const NsSignal *signal)
{
  return (double)signal->rows;
}

static double NsValue_first(const NsSignal *signal)
{
  return signal->rows ? signal->time[0] : NAN;
}

static double NsValue_last(const NsSignal *signal)
{
  return signal->rows ? signal->time[signal->rows - 1] : NAN;
}
