#include "align.h"
#include "columns.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a run that count, and their times; its columns by their names, for tables have as many as there are contacts. */
typedef struct {
  const NsResultTable   *table;
  const NsResultColumn **sorted; /* [table->columns] */
  long                   count;
  long                  *row;  /* [count] */
  double                *time; /* [count], rising */
} Samples;

/* Of one run and quantity. */
typedef struct {
  const Samples *samples;
  double        *value; /* [samples->count] */
  double        *rate;  /* the same; NULL: not known */
} Curve;

/* Of one name in the order of the file. */
static int by_name(const void *a, const void *b)
{
  const NsResultColumn *x = *(const NsResultColumn *const *)a, *y = *(const NsResultColumn *const *)b;
  const int             order = strcmp(x->name, y->name);

  return order ? order : (x > y) - (x < y);
}

/* The first column of this name, or NULL. */
static const NsResultColumn *find_column(const Samples *samples, const char *name)
{
  int low = 0, high = samples->table->columns;

  while (low < high) {
    const int middle = (low + high) / 2;
    if (strcmp(samples->sorted[middle]->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < samples->table->columns && !strcmp(samples->sorted[low]->name, name) ? samples->sorted[low] : NULL;
}

static bool collect(const NsResultTable *table, NsArena *arena, NsDiag *diag, Samples *samples)
{
  const double *time = table->columns ? table->column[0].numbers : NULL;

  *samples        = (Samples){.table = table};
  samples->sorted = NsArenaAlloc(arena, sizeof(*samples->sorted) * (size_t)(table->columns + 1));
  for (int c = 0; c < table->columns; c++) samples->sorted[c] = &table->column[c];
  if (table->columns) qsort(samples->sorted, (size_t)table->columns, sizeof(*samples->sorted), by_name);
  if (!time) return true;
  samples->row  = NsArenaAlloc(arena, sizeof(*samples->row) * (size_t)(table->rows + 1));
  samples->time = NsArenaAlloc(arena, sizeof(*samples->time) * (size_t)(table->rows + 1));
  for (long i = 0; i < table->rows; i++) {
    const double before = samples->count ? samples->time[samples->count - 1] : -DBL_MAX;

    if (!(time[i] >= before)) { /* also for NaN */
      NsDiagError(diag, (NsPlace){.source = NULL}, "%s: time goes back, from %.9g s to %.9g s, in row %ld", table->path, before, time[i], i + 2);
      return false;
    }
    if (time[i] > before || !samples->count) samples->count++;
    samples->row[samples->count - 1]  = i;
    samples->time[samples->count - 1] = time[i];
  }
  return true;
}

/* The first sample not before t, from `from` on. */
static long not_before(const Samples *samples, double t, long from)
{
  while (from < samples->count && samples->time[from] < t) from++;
  return from;
}

/* The sample at t, within rounding (a millionth of the distance of rows); -1: no such sample. *from advances with t. */
static long sample_at(const Samples *samples, double t, long *from)
{
  const long k = *from = not_before(samples, t, *from);

  for (long i = k - 1; i <= k; i++) {
    if (i < 0 || i >= samples->count) continue;
    const double near = samples->count > 1 ? samples->time[i ? i : 1] - samples->time[i ? i - 1 : 0] : 0;
    if (fabs(samples->time[i] - t) <= 1e-6 * near) return i;
  }
  return -1;
}

/* The columns' values in the rows that count; impulses added up; words by their numbers in `word`. */
static double *values_of(
  const Samples *samples, const NsResultColumn *column, const char *file, const char **word, int *words, int most, NsArena *arena)
{
  const bool sums   = !column->words && NsColumnSums(file, column->name);
  double    *value  = NsArenaAlloc(arena, sizeof(*value) * (size_t)samples->count);
  double     sum    = 0;
  long       summed = 0;

  for (long k = 0; k < samples->count; k++) {
    const long row = samples->row[k];

    if (!column->words) {
      for (; sums && summed <= row; summed++) sum += column->numbers[summed];
      value[k] = sums ? sum : column->numbers[row];
      continue;
    }
    int w = 0;
    while (w < *words && strcmp(word[w], column->words[row])) w++;
    if (w == *words && w < most) word[(*words)++] = column->words[row];
    value[k] = w;
  }
  return value;
}

static double between(const Curve *curve, long i, long j, double t)
{
  const double *T = curve->samples->time, *x = curve->value, h = T[j] - T[i], s = (t - T[i]) / h;

  if (!curve->rate) return x[i] + s * (x[j] - x[i]);
  return x[i] * (1 + 2 * s) * (1 - s) * (1 - s) + x[j] * s * s * (3 - 2 * s) + h * s * (1 - s) * ((1 - s) * curve->rate[i] - s * curve->rate[j]);
}

/* What interpolation between rows costs at most, within [from, to]. */
static double guess_error(const Curve *curve, double from, double to)
{
  const Samples *samples = curve->samples;
  double         largest = 0;

  for (long k = 1; k + 1 < samples->count; k++) {
    if (samples->time[k - 1] < from || samples->time[k + 1] > to) continue;
    largest = fmax(largest, fabs(curve->value[k] - between(curve, k - 1, k + 1, samples->time[k]))); /* fmax ignores NaN */
  }
  return largest / (curve->rate ? 16 : 4);
}

static double value_at(const Curve *curve, bool words, double t, long *from)
{
  const long k = sample_at(curve->samples, t, from);

  if (k >= 0) return curve->value[k];
  if (words) return curve->value[*from - 1];
  return between(curve, *from - 1, *from, t);
}

static void find_times(NsAligned *aligned, const Samples *samples, NsArena *arena)
{
  double from = -DBL_MAX, to          = DBL_MAX;
  long   first[NS_ALIGN_RUNS], common = 0;

  for (int r = 0; r < aligned->runs; r++) {
    if (!samples[r].count) return;
    from = fmax(from, samples[r].time[0]);
    to   = fmin(to, samples[r].time[samples[r].count - 1]);
  }
  for (int r = 0; r < aligned->runs; r++) {
    first[r] = not_before(&samples[r], from, 0);
    for (long k = first[r]; k < samples[r].count && samples[r].time[k] <= to; k++) aligned->rows[r]++;
    if (aligned->rows[r] < aligned->rows[aligned->grid]) aligned->grid = r;
  }
  const Samples *grid = &samples[aligned->grid];
  const long     rows = aligned->rows[aligned->grid];
  long           at[NS_ALIGN_RUNS];

  aligned->time = NsArenaAlloc(arena, sizeof(*aligned->time) * (size_t)(rows + 1));
  memcpy(at, first, sizeof(at));
  for (long k = 0; k < rows; k++) {
    const double t   = grid->time[first[aligned->grid] + k];
    bool         all = true;

    for (int r = 0; r < aligned->runs; r++) all = sample_at(&samples[r], t, &at[r]) >= 0 && all;
    if (all) aligned->time[common++] = t;
  }
  aligned->samples      = common;
  aligned->interpolated = 2 * common < rows;
  if (!aligned->interpolated) return;
  aligned->samples = rows;
  memcpy(aligned->time, grid->time + first[aligned->grid], sizeof(*aligned->time) * (size_t)rows);
}

static void align_quantity(NsAligned *aligned, int runs, const Samples *samples, const NsResultColumn *const *column, NsArena *arena)
{
  enum { WORDS = 64 };
  NsAlignedQuantity *quantity = &aligned->quantity[aligned->quantities++];
  const char        *rate     = NsColumnRate(aligned->file, column[0]->name, arena), *word[WORDS];
  int                words    = 0;

  *quantity = (NsAlignedQuantity){.name = column[0]->name, .unit = column[0]->unit, .words = column[0]->words != NULL};
  for (int r = 0; r < runs; r++) {
    const NsResultColumn *rates = rate ? find_column(&samples[r], rate) : NULL;
    Curve                 curve = {.samples = &samples[r]};
    long                  from  = 0;

    curve.value = values_of(&samples[r], column[r], aligned->file, word, &words, WORDS, arena);
    if (aligned->interpolated && rates && rates->numbers) curve.rate = values_of(&samples[r], rates, aligned->file, word, &words, WORDS, arena);
    quantity->value[r] = NsArenaAlloc(arena, sizeof(double) * (size_t)aligned->samples);
    for (long k = 0; k < aligned->samples; k++) quantity->value[r][k] = value_at(&curve, quantity->words, aligned->time[k], &from);
    if (aligned->interpolated && r != aligned->grid && !quantity->words)
      quantity->error = fmax(quantity->error, guess_error(&curve, aligned->time[0], aligned->time[aligned->samples - 1]));
  }
}

static void note_alone(NsAligned *aligned, const char *name)
{
  if (!aligned->alone++) aligned->first_alone = name;
}

NsAligned *NsAlign(const NsResultTable *const *tables, int runs, NsArena *arena, NsDiag *diag)
{
  NsAligned  *aligned = NsArenaAlloc(arena, sizeof(*aligned));
  const char *slash   = strrchr(tables[0]->path, '/');
  Samples     samples[NS_ALIGN_RUNS];

  assert(runs > 0 && runs <= NS_ALIGN_RUNS);
  aligned->file     = slash ? slash + 1 : tables[0]->path;
  aligned->runs     = runs;
  aligned->quantity = NsArenaAlloc(arena, sizeof(*aligned->quantity) * (size_t)(tables[0]->columns + 1));
  for (int r = 0; r < runs; r++) {
    if (!collect(tables[r], arena, diag, &samples[r])) return NULL;
  }
  find_times(aligned, samples, arena);
  for (int c = 1; c < tables[0]->columns; c++) {
    const NsResultColumn *column[NS_ALIGN_RUNS] = {&tables[0]->column[c]};
    bool                  all                   = find_column(&samples[0], column[0]->name) == column[0]; /* not searched for a second time */

    if (!all) continue;
    for (int r = 1; r < runs; r++) {
      column[r] = find_column(&samples[r], column[0]->name);
      all       = all && column[r] && !column[r]->words == !column[0]->words;
    }
    if (all)
      align_quantity(aligned, runs, samples, column, arena);
    else
      note_alone(aligned, column[0]->name);
  }
  for (int r = 1; r < runs; r++) {
    for (int c = 1; c < tables[r]->columns; c++) {
      if (!find_column(&samples[0], tables[r]->column[c].name)) note_alone(aligned, tables[r]->column[c].name);
    }
  }
  return aligned;
}
