/* The result of a comparison: equal or not; how the difference grows; the order of three runs. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compare.h"

/* The table whose displacements measure the difference of the motions: the first one present of history, orbits, contacts, energy. */
static const NsComparedTable *main_table(const NsComparison *it)
{
  for (int i = 0; i < it->tables; i++) {
    if (it->table[i].aligned) return &it->table[i];
  }
  return NULL;
}

typedef struct {
  bool                   same, alike;
  const NsComparedTable *first_table;
  const NsDifference    *first, *largest;
  const NsEventPairs    *alone; /* the first event without a partner */
} Summary;

static Summary sum_up(const NsComparison *it)
{
  Summary sum = {.same = true, .alike = true};

  for (int i = 0; i < it->tables; i++) {
    const NsComparedTable *table = &it->table[i];

    for (int r = 0; r < it->runs; r++) sum.same = sum.same && (table->aligned || !table->rows[r]);
    if (!table->aligned) continue;
    if (table->aligned->interpolated) sum.same = false;
    for (int r = 0; r < it->runs; r++) sum.same = sum.same && table->aligned->rows[r] == table->aligned->samples;
    for (int k = 0; k < table->aligned->quantities; k++) {
      const NsDifference *difference = &table->difference[k];

      if (difference->relative > 0 || difference->unequal) sum.same = false;
      if (!difference->quantity->words && (!sum.largest || difference->relative > sum.largest->relative)) sum.largest = difference;
      if (difference->quantity->words ? difference->relative <= it->tolerance : isnan(difference->parts)) continue;
      sum.alike = false;
      if (sum.first && sum.first->parts <= difference->parts) continue;
      sum.first       = difference;
      sum.first_table = table;
    }
  }
  for (int i = 0; i < it->contacts; i++) {
    const NsEventPairs *pairs = &it->events[i];

    if (pairs->shift > 0 || pairs->impulse > 0) sum.same = false;
    if (pairs->alone < 0) continue;
    sum.same = sum.alike = false;
    if (!sum.alone || pairs->alone_at < sum.alone->alone_at) sum.alone = pairs;
  }
  return sum;
}

/* At the same time, with the same status. */
static bool ended_alike(const NsComparison *it)
{
  const double a = NsRunRecordNumber(it->run[it->a], "summary.time"), b = NsRunRecordNumber(it->run[it->b], "summary.time");
  const double step = fmax(NsRunRecordNumber(it->run[it->a], "step"), NsRunRecordNumber(it->run[it->b], "step"));

  return !strcmp(it->run[it->a]->status, it->run[it->b]->status) && !(fabs(a - b) > fabs(step));
}

static void print_alone(const NsComparison *it, const NsEventPairs *alone)
{
  printf("  events differ from %.6g s on: %c has the %s of %s there, and %c has no such event\n", alone->alone_at,
    NsCompareLetter(alone->alone ? it->b : it->a), alone->alone_event, alone->contact, NsCompareLetter(alone->alone ? it->a : it->b));
}

static void print_growth(const NsComparison *it, const NsComparedTable *table, NsArena *arena)
{
  const double  *distance = NsDistance(table->aligned, it->a, it->b, table->difference, arena);
  const NsGrowth growth   = NsGrowthOf(table->aligned->samples, table->aligned->time, distance);

  switch (growth.kind) {
  case NS_GROWTH_ZERO: printf("  motion: equal except for rounding\n"); return;
  case NS_GROWTH_UNKNOWN:
    printf("  motion: differs by %.2g of its magnitude; too few rows before that to determine the growth\n", growth.last);
    break;
  case NS_GROWTH_BOUNDED:
    printf("  motion: differs by %.2g of its magnitude; the difference is constant from %.6g s on\n", growth.last, growth.from);
    break;
  case NS_GROWTH_POWER: printf("  motion: the difference grows about as t^%.1f, to %.2g of the magnitude\n", growth.exponent, growth.last); break;
  case NS_GROWTH_EXPONENTIAL:
    printf("  motion: the difference grows exponentially, by a factor e in %.3g s (from %.6g to %.6g s), to %.2g of the magnitude\n", 1 / growth.rate,
      growth.from, growth.to, growth.last);
    break;
  case NS_GROWTH_JUMP:
    printf("  motion: the difference jumps near %.6g s, to %.2g of the magnitude: as if only one run has an impact there\n", growth.at, growth.last);
    break;
  }
  if (isnan(growth.apart)) return;
  if (growth.kind == NS_GROWTH_EXPONENTIAL)
    printf("  chaotic after %.6g s: later states of the two runs are unrelated; a step with a tenth of the error delays this by %.3g s\n",
      growth.apart, log(10) / growth.rate);
  else
    printf("  from %.6g s on they differ by more than a tenth of their magnitude\n", growth.apart);
}

static void print_next_step(const NsComparison *it)
{
  double a, b;

  if (!it->refined || strcmp(it->refined->path, "scheme.step") != 0) return;
  a = NsRunRecordNumber(it->run[0], "step");
  b = NsRunRecordNumber(it->run[1], "step");
  if (!(a > 0 && b > 0) || a == b) return;
  printf("  a third run shows the order of convergence: percuss run %s --set scheme.step=%.9g --out %s_finer\n", it->run[a < b ? 0 : 1]->directory,
    fmin(a, b) * fmin(a, b) / fmax(a, b), it->run[a < b ? 0 : 1]->directory);
}

/* Of the displacements of the main table that are not minor, or of all quantities if it has no displacements. */
static int gather(const NsComparedTable *table, int part, double *value)
{
  const NsAligned *aligned       = table->aligned;
  bool             displacements = false;
  int              count         = 0;

  for (int i = 0; i < aligned->quantities; i++) displacements = displacements || NsIsDisplacement(&aligned->quantity[i]);
  for (int i = 0; i < aligned->quantities; i++) {
    if (displacements && (!NsIsDisplacement(&aligned->quantity[i]) || table->difference[i].minor)) continue;
    value[count++] = part < 0 ? table->order[i].order : table->order[i].part[part];
  }
  return count;
}

static void print_order(const NsComparison *it, const NsComparedTable *table, NsArena *arena)
{
  const NsAligned *aligned = table->aligned;
  double          *value   = NsArenaAlloc(arena, sizeof(*value) * (size_t)aligned->quantities), median, least, most;
  const double     begin = aligned->time[0], length = aligned->time[aligned->samples - 1] - begin;
  double           last_good = NAN, worst = 0;
  const char      *worst_name = NULL;
  bool             lost       = false; /* in the last part with an order */

  printf("  %s changes by a factor of %.6g from A to B and from B to C\n", it->refined->path, it->ratio);
  if (!NsMedian(gather(table, -1, value), value, &median, &least, &most)) {
    printf("  order: not observable, the differences are rounding errors\n");
    return;
  }
  const bool converges = median >= 0.5;
  printf("  order %.2f (median of the quantities of %s, %.2f to %.2f)", median, table->file, least, most);
  if (converges && fabs(median - round(median)) <= 0.2)
    printf(": consistent with order %.0f\n", round(median));
  else
    printf("%s\n", converges ? "" : ": no convergence");
  printf("  in eighths of the time:");
  for (int part = 0; part < NS_ORDER_PARTS; part++) {
    if (!NsMedian(gather(table, part, value), value, &median, &least, &most)) {
      printf("  -");
      continue;
    }
    printf(" %.1f", median);
    if (median >= 0.5) last_good = begin + (part + 1) * length / NS_ORDER_PARTS;
    lost = median < 0.5;
  }
  printf("\n");
  if (isnan(last_good))
    printf("  no convergence (order below 0.5) at any time\n");
  else if (lost)
    printf("  convergence up to about %.6g s, not later\n", last_good);
  for (int i = 0; i < aligned->quantities && converges; i++) {
    const double relative = table->difference[i].scale > 0 ? table->order[i].error / table->difference[i].scale : NAN;
    if (!(relative > worst) || table->difference[i].minor) continue;
    worst      = relative;
    worst_name = aligned->quantity[i].name;
  }
  if (worst_name) printf("  expected error of C: at most about %.2g of a quantity's scale (%s)\n", worst, worst_name);
}

bool NsComparePrintVerdict(const NsComparison *it, NsArena *arena)
{
  const Summary          sum   = sum_up(it);
  const NsComparedTable *table = main_table(it);
  const bool             ended = ended_alike(it);
  const char             a = NsCompareLetter(it->a), b = NsCompareLetter(it->b);

  printf("\n");
  if (sum.same && ended) {
    printf("%c and %c are identical, to the last bit of every number\n", a, b);
    return true;
  }
  if (sum.alike && ended)
    printf("%c and %c are equal within the tolerance: no quantity differs by more than %g of its scale (largest: %s, %.2g)\n", a, b, it->tolerance,
      sum.largest->quantity->name, sum.largest->relative);
  else if (sum.alike)
    printf("%c and %c ended differently; up to %g s no quantity differs by more than %g of its scale\n", a, b, it->end, it->tolerance);
  else if (sum.first)
    printf("%c and %c differ by more than %g of their scale from %.6g s on (%s, %s)\n", a, b, it->tolerance, sum.first->parts, sum.first_table->file,
      sum.first->quantity->name);
  else
    printf("%c and %c differ in their events only: all quantities are equal within the tolerance\n", a, b);
  if (sum.alone) print_alone(it, sum.alone);
  print_growth(it, table, arena);
  if (table->aligned->interpolated)
    printf(
      "  times do not match: differences below the column `interp.` are interpolation errors; for equal times: --set output.history.every=N, or steps that divide each other\n");
  if (it->runs == 3)
    print_order(it, table, arena);
  else
    print_next_step(it);
  return sum.alike && ended;
}
