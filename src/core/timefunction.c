#include "timefunction.h"

#include "timefunctions/kind.h"

#define NS_TIME_FUNCTION(name, text, value) \
  extern const NsTimeKind NsTimeKind_##name; \
  extern const NsTable    NsTimeTable_##name;
#include "timefunctions/list.h"
#undef NS_TIME_FUNCTION

static const NsTimeKind *const kinds[] = {
#define NS_TIME_FUNCTION(name, text, value) &NsTimeKind_##name,
#include "timefunctions/list.h"
#undef NS_TIME_FUNCTION
};

static const NsKey time_keys[] = {
#define NS_TIME_FUNCTION(name, text, value) \
  {#name, NS_KEY_TABLE, offsetof(NsTimeFunction, settings[NS_TIME_FUNCTION_##name]), .table = &NsTimeTable_##name, .help = text, .example = value},
#include "timefunctions/list.h"
#undef NS_TIME_FUNCTION
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

const NsTable NsTable_TimeFunction = {"time_function", "factor over time", time_keys, sizeof(NsTimeFunction),
  .one_of =
#define NS_TIME_FUNCTION(name, text, value) #name ", "
#include "timefunctions/list.h"
#undef NS_TIME_FUNCTION
    "table",
  .check = check_time};

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

/* NULL: a table. */
static const NsTimeKind *kind_of(const NsTimeFunction *function, const void **settings)
{
  for (int k = 0; k < NS_TIME_FUNCTIONS; k++) {
    *settings = function->settings[k];
    if (*settings) return kinds[k];
  }
  return NULL;
}

PetscReal NsTimeFunctionValue(const NsTimeFunction *function, PetscReal t)
{
  const void       *settings;
  const NsTimeKind *kind;

  if (!function) return 1.0;
  if (function->derived) return NsTimeFunctionDerivedValue(function, t);
  if (function->windowed) return NsWindowHas(&function->window, t) ? NsWindowFactor(&function->window, t) * NsTimeFunctionValue(function->of, t) : 0;
  kind = kind_of(function, &settings);
  return kind ? kind->value(settings, t) : NsTableValue(&function->table, t);
}

/* Its ends and ramps, and within them what `of` does. */
static PetscReal window_next(const NsTimeFunction *function, PetscReal t)
{
  const PetscReal next = NsWindowNext(&function->window, t);

  return NsWindowHas(&function->window, t) ? PetscMin(next, NsTimeFunctionNext(function->of, t)) : next;
}

PetscReal NsTimeFunctionNext(const NsTimeFunction *function, PetscReal t)
{
  const void       *settings;
  const NsTimeKind *kind;

  if (function && function->derived) function = function->of;
  if (!function) return PETSC_MAX_REAL;
  if (function->windowed) return window_next(function, t);
  kind = kind_of(function, &settings);
  if (!kind) return NsTableNext(&function->table, t);
  return kind->next ? kind->next(settings, t) : PETSC_MAX_REAL;
}

PetscReal NsTimeFunctionPeriod(const NsTimeFunction *function, PetscReal t)
{
  const void       *settings;
  const NsTimeKind *kind;

  if (function && function->derived) function = function->of;
  if (function && function->windowed) return NsWindowHas(&function->window, t) ? NsTimeFunctionPeriod(function->of, t) : PETSC_MAX_REAL;
  kind = function ? kind_of(function, &settings) : NULL;
  return kind && kind->period ? kind->period(settings, t) : PETSC_MAX_REAL;
}

/* (w f)' = w' f + w f', (w f)'' = 2 w' f' + w f'', f = of, w: the window's factor. */
static PetscReal window_slope(const NsTimeFunction *function, PetscReal t, int order)
{
  const NsTimeFunction *of = function->of;
  const PetscReal       w = NsWindowFactor(&function->window, t), slope = NsWindowSlope(&function->window, t);

  if (!NsWindowHas(&function->window, t)) return 0;
  if (order == 1) return slope * NsTimeFunctionValue(of, t) + (of ? w * NsTimeFunctionSlope(of, t, 1) : 0);
  return of ? 2 * slope * NsTimeFunctionSlope(of, t, 1) + w * NsTimeFunctionSlope(of, t, 2) : 0;
}

PetscReal NsTimeFunctionSlope(const NsTimeFunction *function, PetscReal t, int order)
{
  if (function->windowed) return window_slope(function, t, order);
  const void       *settings;
  const NsTimeKind *kind = kind_of(function, &settings);

  if (kind) return kind->derivative ? kind->derivative(settings, t, order) : 0;
  const int     i   = NsTableRow(&function->table, t);
  const double *row = function->table.values + 2 * PetscMax(0, i);
  return order > 1 || i < 0 || i == function->table.rows - 1 ? 0 : (row[3] - row[1]) / (row[2] - row[0]);
}

PetscBool NsTimeFunctionIntegral(const NsTimeFunction *function, PetscReal t, int order, PetscReal *value)
{
  const void       *settings;
  const NsTimeKind *kind = kind_of(function, &settings);

  if (!kind || !kind->integrates) return PETSC_FALSE;
  *value = kind->derivative(settings, t, order) - kind->derivative(settings, 0, order) - (order == -2 ? t * kind->derivative(settings, 0, -1) : 0);
  return PETSC_TRUE;
}

/* Of a piece without jumps and kinks, by Gauss's rule of 5 points: exact for lines, to 1e-10 for a quarter of a sine wave. */
static PetscReal smooth_integral(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  static const PetscReal point[5]  = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
  static const PetscReal weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const PetscReal        half = (to - from) / 2, middle = from + half;
  PetscReal              sum = 0;

  for (int i = 0; i < 5; i++) sum += weight[i] * NsTimeFunctionValue(function, middle + half * point[i]);
  return half * sum;
}

/* Of a derivative of order 1 or 2: the difference of the one below it. */
static PetscReal difference(const NsTimeFunction *derived, PetscReal from, PetscReal to)
{
  NsTimeFunction below = *derived;

  below.order--;
  return NsTimeFunctionDerivedValue(&below, to) - NsTimeFunctionDerivedValue(&below, from);
}

/* Piece by piece: to the next jump or kink, and no longer than half a period. */
static PetscReal integral(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  PetscReal sum = 0;

  if (function->derived && function->order > 0) return difference(function, from, to);
  while (from < to) {
    const PetscReal smooth = PetscMin(NsTimeFunctionNext(function, from), from + NsTimeFunctionPeriod(function, from) / 2);
    const PetscReal end = smooth > from ? PetscMin(to, smooth) : to, middle = from + (end - from) / 2;
    sum += smooth_integral(function, from, middle) + smooth_integral(function, middle, end);
    from = end;
  }
  return sum;
}

/* Whether it jumps or bends within [from, to] or at its ends, where a value may be of one side alone; or acts there for a span that may be a few steps long. */
static PetscBool bends(const NsTimeFunction *function, PetscReal from, PetscReal to)
{
  const void       *settings;
  const NsTimeKind *kind;
  PetscReal         start, end;

  if (function && function->derived) function = function->of;
  if (function && function->windowed && bends(function->of, from, to)) return PETSC_TRUE;
  kind = function ? kind_of(function, &settings) : NULL;
  if (!kind || !kind->span) return NsTimeFunctionNext(function, from - 1e-9 * (to - from)) <= to * (1 + 4 * PETSC_MACHINE_EPSILON);
  kind->span(settings, &start, &end);
  return to > start && from < end;
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

const NsTimeFunction *NsTimeFunctionWindow(const NsTimeFunction *inside, const NsWindow *window, NsArena *arena)
{
  NsTimeFunction *function;

  if (!NsWindowIsGiven(window)) return inside;
  function  = NsArenaAlloc(arena, sizeof(*function));
  *function = (NsTimeFunction){.where = inside ? inside->where : NULL, .of = inside, .windowed = PETSC_TRUE, .window = *window};
  return function;
}
