#include "difference.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double of_rounding = 1e-13, least_scale = 1e-6, least_part = 1e-3, minor = 1e-3;

static double largest_of(const NsAligned *aligned, const NsAlignedQuantity *quantity, int run)
{
  double largest = 0;

  for (long k = 0; k < aligned->samples; k++) largest = fmax(largest, isfinite(quantity->value[run][k]) ? fabs(quantity->value[run][k]) : 0);
  return largest;
}

static void set_scales(const NsAligned *aligned, int a, int b, NsDifference *difference)
{
  enum { UNITS = 32 };
  const char *unit[UNITS];
  double      largest[UNITS] = {0};
  int         units          = 0;

  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < aligned->quantities; i++) {
      const NsAlignedQuantity *quantity = &aligned->quantity[i];
      int                      u        = 0;

      if (!pass) difference[i].scale = fmax(largest_of(aligned, quantity, a), largest_of(aligned, quantity, b));
      while (quantity->unit && u < units && strcmp(unit[u], quantity->unit) != 0) u++;
      if (pass) {
        const double most      = quantity->unit && u < units ? largest[u] : difference[i].scale;
        difference[i].minor    = difference[i].scale < minor * most;
        difference[i].scale    = fmax(difference[i].scale, least_scale * most);
        difference[i].rounding = of_rounding * most;
      } else if (quantity->unit && u < UNITS) {
        if (u == units) unit[units++] = quantity->unit;
        largest[u] = fmax(largest[u], difference[i].scale);
      }
    }
  }
}

static void part_at(NsDifference *difference, double t)
{
  if (isnan(difference->parts)) difference->parts = t;
}

static void differ(const NsAligned *aligned, int a, int b, double tolerance, NsDifference *difference)
{
  const NsAlignedQuantity *quantity = difference->quantity;
  double                   squares  = 0;
  long                     count    = 0;

  difference->parts = NAN;
  difference->at    = NAN;
  for (long k = 0; k < aligned->samples; k++) {
    const double x = quantity->value[a][k], y = quantity->value[b][k], d = x == y ? 0 : fabs(x - y);

    if (quantity->words ? x != y : isnan(d)) {
      if (!quantity->words && isnan(x) && isnan(y)) continue;
      difference->unequal++;
      part_at(difference, aligned->time[k]);
      continue;
    }
    squares += d * d;
    count++;
    if (d > difference->largest) {
      difference->largest = d;
      difference->at      = aligned->time[k];
    }
    if (d > tolerance * difference->scale) part_at(difference, aligned->time[k]);
  }
  difference->rms      = count ? sqrt(squares / (double)count) : 0;
  difference->relative = difference->largest > 0 ? difference->largest / difference->scale : 0;
  if (!quantity->words) return;
  difference->largest = difference->rms = NAN;
  difference->relative                  = aligned->samples ? (double)difference->unequal / (double)aligned->samples : 0;
}

NsDifference *NsDifferences(const NsAligned *aligned, int a, int b, double tolerance, NsArena *arena)
{
  NsDifference *difference = NsArenaAlloc(arena, sizeof(*difference) * (size_t)(aligned->quantities + 1));

  set_scales(aligned, a, b, difference);
  for (int i = 0; i < aligned->quantities; i++) {
    difference[i].quantity = &aligned->quantity[i];
    differ(aligned, a, b, tolerance, &difference[i]);
  }
  return difference;
}

bool NsIsDisplacement(const NsAlignedQuantity *quantity)
{
  return quantity->unit && (!strcmp(quantity->unit, "m") || !strcmp(quantity->unit, "rad"));
}

double *NsDistance(const NsAligned *aligned, int a, int b, const NsDifference *differences, NsArena *arena)
{
  double *distance      = NsArenaAlloc(arena, sizeof(*distance) * (size_t)(aligned->samples + 1));
  bool    displacements = false;

  for (int i = 0; i < aligned->quantities; i++) displacements = displacements || NsIsDisplacement(&aligned->quantity[i]);
  for (int i = 0; i < aligned->quantities; i++) {
    const NsAlignedQuantity *quantity = &aligned->quantity[i];

    if (quantity->words || (displacements && (!NsIsDisplacement(quantity) || differences[i].minor)) || differences[i].scale == 0) continue;
    for (long k = 0; k < aligned->samples; k++) {
      const double d = fabs(quantity->value[a][k] - quantity->value[b][k]) / differences[i].scale;
      distance[k]    = isnan(d) ? INFINITY : fmax(distance[k], d);
    }
  }
  return distance;
}

/* Straight line y = c + slope x through the points; the root mean square of the residuals. */
static double fit_line(int count, const double *x, const double *y, double *slope)
{
  double mx = 0, my = 0, xx = 0, xy = 0, left = 0;

  for (int i = 0; i < count; i++) mx += x[i] / count, my += y[i] / count;
  for (int i = 0; i < count; i++) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  *slope = xy / xx;
  for (int i = 0; i < count; i++) left += pow(y[i] - my - *slope * (x[i] - mx), 2);
  return sqrt(left / count);
}

NsGrowth NsGrowthOf(long samples, const double *time, const double *distance)
{
  enum { POINTS = 64 };
  NsGrowth growth = {.kind = NS_GROWTH_ZERO, .exponent = NAN, .rate = NAN, .at = NAN, .from = NAN, .to = NAN, .apart = NAN};
  double   seconds[POINTS], logarithm[POINTS], log_maximum[POINTS], maximum = 0, steepest = 0;
  long     first = -1, last = samples - 1, k;

  for (k = 0; k < samples; k++) {
    growth.last = fmax(growth.last, distance[k]);
    if (first < 0 && growth.last > of_rounding) first = k;
    if (isnan(growth.apart) && growth.last >= NS_APART) {
      growth.apart = time[k];
      last         = k;
    }
  }
  if (first < 0) return growth;
  growth.kind = NS_GROWTH_UNKNOWN;
  if (last - first < 8) return growth;
  /* The first eighth is left out: the difference is just being made. */
  growth.from = time[first] + (time[last] - time[first]) / 8;
  growth.to   = time[last];
  k           = 0;
  for (int i = 0; i < POINTS; i++) {
    const double t = growth.from + (growth.to - growth.from) * i / (POINTS - 1);

    for (; k <= last && time[k] <= t * (1 + 1e-12); k++) maximum = fmax(maximum, distance[k]);
    seconds[i]     = t;
    logarithm[i]   = log(t - time[0]);
    log_maximum[i] = log(fmin(maximum, 1 / of_rounding)); /* a value that is not finite counts as very different, but not infinitely */
    if (i && log_maximum[i] - log_maximum[i - 1] > steepest) {
      steepest  = log_maximum[i] - log_maximum[i - 1];
      growth.at = t;
    }
  }
  const double exponential = fit_line(POINTS, seconds, log_maximum, &growth.rate);
  const double power       = fit_line(POINTS, logarithm, log_maximum, &growth.exponent);
  const double total       = log_maximum[POINTS - 1] - log_maximum[0];
  if (total < log(3))
    growth.kind = NS_GROWTH_BOUNDED;
  else if (steepest > total / 2 && total > log(30))
    growth.kind = NS_GROWTH_JUMP;
  else
    growth.kind = growth.exponent > 2.5 && exponential < power ? NS_GROWTH_EXPONENTIAL : NS_GROWTH_POWER;
  return growth;
}

NsOrder NsOrderOf(const NsAligned *aligned, const NsAlignedQuantity *quantity, double rounding, double ratio)
{
  const double begin = aligned->samples ? aligned->time[0] : 0, end = aligned->samples ? aligned->time[aligned->samples - 1] : 0;
  double       square[2][NS_ORDER_PARTS] = {{0}}, sum[2] = {0}, largest = 0, most = 0;
  long         count[NS_ORDER_PARTS] = {0};
  NsOrder      order                 = {.order = NAN, .error = NAN};

  for (int part = 0; part < NS_ORDER_PARTS; part++) order.part[part] = NAN;
  if (quantity->words || !aligned->samples) return order;
  for (long k = 0; k < aligned->samples; k++) {
    const double *const *value = (const double *const *)quantity->value;
    const double         d[2]  = {value[0][k] - value[1][k], value[1][k] - value[2][k]};
    int                  part  = end > begin ? (int)(NS_ORDER_PARTS * (aligned->time[k] - begin) / (end - begin)) : 0;

    part = part < NS_ORDER_PARTS ? part : NS_ORDER_PARTS - 1;
    count[part]++;
    for (int i = 0; i < 2; i++) square[i][part] += d[i] * d[i];
    largest = fmax(largest, fabs(d[1]));
  }
  for (int part = 0; part < NS_ORDER_PARTS; part++) {
    const double coarse = sqrt(square[0][part] / fmax((double)count[part], 1)), fine = sqrt(square[1][part] / fmax((double)count[part], 1));

    for (int i = 0; i < 2; i++) sum[i] += square[i][part];
    most             = fmax(most, coarse);
    order.part[part] = coarse > fmax(rounding, least_part * most) && fine > rounding ? log(coarse / fine) / log(ratio) : NAN;
  }
  order.coarse = sqrt(sum[0] / (double)aligned->samples);
  order.fine   = sqrt(sum[1] / (double)aligned->samples);
  if (order.coarse > rounding && order.fine > rounding) order.order = log(order.coarse / order.fine) / log(ratio);
  if (order.order >= 0.5) order.error = largest / (pow(ratio, order.order) - 1);
  return order;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

bool NsMedian(int count, double *value, double *median, double *least, double *most)
{
  int numbers = 0;

  for (int i = 0; i < count; i++) {
    if (isfinite(value[i])) value[numbers++] = value[i];
  }
  if (!numbers) return false;
  qsort(value, (size_t)numbers, sizeof(*value), by_size);
  *median = (value[(numbers - 1) / 2] + value[numbers / 2]) / 2;
  *least  = value[0];
  *most   = value[numbers - 1];
  return true;
}
