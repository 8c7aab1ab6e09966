#include "timefunction.h"

static const NsKey harmonic_keys[] = {
  {"frequency", NS_KEY_NUMBER, offsetof(NsHarmonic, frequency), .dimension = NS_DIM_ANGULAR_VELOCITY, .required = true, .minimum = "0 <",
    .help = "angular frequency; Hz and rpm are converted to rad/s", .example = "50 Hz"},
  {"phase", NS_KEY_NUMBER, offsetof(NsHarmonic, phase), .dimension = NS_DIM_ANGLE, .default_value = "0", .help = "factor is sin(frequency t + phase)",
    .example = "90 deg"},
  {NULL},
};
static const NsTable harmonic_table = {"harmonic", "factor sin(frequency t + phase)", harmonic_keys, sizeof(NsHarmonic)};

static const NsKey pulse_keys[] = {
  {"start", NS_KEY_NUMBER, offsetof(NsPulse, start), .dimension = NS_DIM_TIME, .default_value = "0", .help = "time at which the pulse begins",
    .example = "10 us"},
  {"duration", NS_KEY_NUMBER, offsetof(NsPulse, duration), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "duration of the pulse", .example = "50 us"},
  {NULL},
};
static const NsTable pulse_table = {"pulse", "half a sine wave, zero before and after", pulse_keys, sizeof(NsPulse)};

static const NsKey step_keys[] = {
  {"start", NS_KEY_NUMBER, offsetof(NsStep, start), .dimension = NS_DIM_TIME, .default_value = "0", .help = "time from which it is 1",
    .example = "1 ms"},
  {"end", NS_KEY_NUMBER, offsetof(NsStep, end), .dimension = NS_DIM_TIME, .help = "time from which it is 0 again; default: never",
    .example = "50 ms"},
  {NULL},
};
static void check_step(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsStep *step = settings;

  (void)arena;
  if (NsTreeChild(step->where, "end") && step->end <= step->start)
    NsDiagError(diag, NsKeysPlace(step->where, "end"), "end (%g s) must be after start (%g s)", step->end, step->start);
}
static const NsTable step_table = {"step", "1 from start to end, 0 elsewhere", step_keys, sizeof(NsStep), .check = check_step};

static const NsKey time_keys[] = {
  {"harmonic", NS_KEY_TABLE, offsetof(NsTimeFunction, harmonic), .table = &harmonic_table, .help = "sine over time", .example = "{frequency: 50 Hz}"},
  {"pulse", NS_KEY_TABLE, offsetof(NsTimeFunction, pulse), .table = &pulse_table, .help = "half sine pulse", .example = "{duration: 50 us}"},
  {"step", NS_KEY_TABLE, offsetof(NsTimeFunction, step), .table = &step_table, .help = "1 from start to end, 0 before and after",
    .example = "{end: 50 ms}"},
  {"table", NS_KEY_NUMBERS, offsetof(NsTimeFunction, table), .columns = 2, .columns_dimension = {{0, 0, 1, 0}, {0, 0, 0, 0}}, .least = 2,
    .help = "rows [time, factor] with ascending times; linear between rows, constant before and after", .example = "[[0 s, 0], [1 ms, 1]]"},
  {NULL},
};

void NsTableCheckTimes(const NsNode *where, const NsNumbers *table, NsDiag *diag)
{
  for (int i = 1; i < table->rows; i++) {
    if (table->values[2 * i] <= table->values[2 * i - 2]) {
      NsDiagError(diag, NsKeysNumberPlace(where, "table", i, 0), "times of a table must be ascending: row %d is at %g s, row %d at %g s", i,
        table->values[2 * i - 2], i + 1, table->values[2 * i]);
      return;
    }
  }
}

static void check_time(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsTimeFunction *function = settings;

  (void)arena;
  NsTableCheckTimes(function->where, &function->table, diag);
}

const NsTable NsTable_TimeFunction = {
  "time_function", "factor over time", time_keys, sizeof(NsTimeFunction), .one_of = "harmonic, pulse, step, table", .check = check_time};

int NsTableRow(const NsNumbers *table, PetscReal t)
{
  const double *row = table->values;
  int           low = 0, high = table->rows - 1;

  if (t < row[0]) return -1;
  if (t >= row[2 * high]) return high;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (row[2 * middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

PetscReal NsTableValue(const NsNumbers *table, PetscReal t)
{
  const int     i   = NsTableRow(table, t);
  const double *row = table->values + 2 * PetscMax(0, i);

  if (i < 0 || i == table->rows - 1) return row[1];
  return row[1] + (t - row[0]) / (row[2] - row[0]) * (row[3] - row[1]);
}

PetscReal NsTableNext(const NsNumbers *table, PetscReal t)
{
  const int i = table->rows ? NsTableRow(table, t) + 1 : 0;

  return i < table->rows ? table->values[2 * i] : PETSC_MAX_REAL;
}

PetscReal NsTimeFunctionValue(const NsTimeFunction *function, PetscReal t)
{
  if (!function) return 1.0;
  if (function->harmonic) return PetscSinReal(function->harmonic->frequency * t + function->harmonic->phase);
  if (function->pulse) {
    const PetscReal s = (t - function->pulse->start) / function->pulse->duration;
    return s > 0 && s < 1 ? PetscSinReal(PETSC_PI * s) : 0.0;
  }
  if (function->step) {
    const PetscReal now =
      t * (1 + 1.1 * PETSC_MACHINE_EPSILON); /* times of steps are rounded: the same instant may be t0 + dt and, of the next step, n dt */
    return now >= function->step->start && (now < function->step->end || function->step->end <= 0) ? 1.0 : 0.0;
  }
  return NsTableValue(&function->table, t);
}

/* The first of two times, ascending, that is after t. */
static PetscReal first_after(PetscReal t, PetscReal start, PetscReal end)
{
  return t < start ? start : t < end ? end : PETSC_MAX_REAL;
}

PetscReal NsTimeFunctionNext(const NsTimeFunction *function, PetscReal t)
{
  if (!function || function->harmonic) return PETSC_MAX_REAL;
  if (function->pulse) return first_after(t, function->pulse->start, function->pulse->start + function->pulse->duration);
  if (function->step) return first_after(t, function->step->start, function->step->end > 0 ? function->step->end : function->step->start);
  return NsTableNext(&function->table, t);
}

PetscReal NsTimeFunctionPeriod(const NsTimeFunction *function, PetscReal t)
{
  if (function && function->harmonic) return 2 * PETSC_PI / function->harmonic->frequency;
  if (function && function->pulse && t >= function->pulse->start && t < function->pulse->start + function->pulse->duration)
    return 2 * function->pulse->duration;
  return PETSC_MAX_REAL;
}

/* Of a piece without jumps and kinks, by Gauss's rule of 5 points: exact for lines, to 1e-10 for half a sine wave. */
static PetscReal smooth_integral(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  static const PetscReal point[5]  = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
  static const PetscReal weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const PetscReal        half = (to - from) / 2, middle = from + half;
  PetscReal              sum = 0;

  for (int i = 0; i < 5; i++) sum += weight[i] * NsTimeFunctionValue(function, middle + half * point[i]);
  return half * sum;
}

static PetscReal integral(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  PetscReal sum = 0;

  while (from < to) {
    const PetscReal end = PetscMin(to, NsTimeFunctionNext(function, from)), middle = from + (end - from) / 2;
    sum += smooth_integral(function, from, middle) + smooth_integral(function, middle, end);
    from = end;
  }
  return sum;
}

/* Whether it jumps or bends within [from, to] or at its ends, where a value may be of one side alone; or has a pulse there, which may be a few steps long. */
static PetscBool bends(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  const NsPulse *pulse = function ? function->pulse : NULL;

  if (pulse) return to > pulse->start && from < pulse->start + pulse->duration;
  return NsTimeFunctionNext(function, from - 1e-9 * (to - from)) <= to * (1 + 4 * PETSC_MACHINE_EPSILON);
}

PetscReal NsTimeFunctionMean(const NsTimeFunction *function, PetscReal t, PetscReal before, PetscReal after)
{
  const PetscReal from = PetscMax(0, t - before), to = t + after;

  if (!(to > from) || !bends(function, from, to)) return NsTimeFunctionValue(function, t);
  return integral(function, from, to) / (to - from);
}

PetscReal NsTimeFunctionMiddle(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  if (!(to > from) || !bends(function, from, to)) return NsTimeFunctionValue(function, from + (to - from) / 2);
  return (6 * integral(function, from, to) / (to - from) - NsTimeFunctionValue(function, from) - NsTimeFunctionValue(function, to)) / 4;
}
