/*
  How far two runs are apart, quantity by quantity and over time.

  A quantity's scale is its largest absolute value in either run, but at least a millionth of that of the largest quantity of the same unit in its table: what is zero but
  for rounding does not differ "by 100 %". Relative differences are by scale.
*/
#pragma once
#include "align.h"

typedef struct {
  const NsAlignedQuantity *quantity;
  double                   scale;
  double                   rounding;    /* differences up to here are: 1e-13 of the largest quantity of the same unit */
  bool                     minor;       /* scale is below a thousandth of that one: no part of what the motion is judged by */
  double                   largest, at; /* largest |a - b|, and when; words: NAN */
  double                   rms;
  double                   relative; /* largest / scale; 0 where both are 0; words: share of samples that differ */
  double parts;   /* when the relative difference first exceeds the tolerance, or words differ, or only one of them is finite; NAN: never */
  long   unequal; /* samples of words that differ, or where only one is finite */
} NsDifference;

/* [aligned->quantities], of runs a and b. */
NsDifference *NsDifferences(const NsAligned *aligned, int a, int b, double tolerance, NsArena *arena);

/* Displacements and angles, by the unit. */
bool NsIsDisplacement(const NsAlignedQuantity *quantity);

/* The largest relative difference of all displacements and angles that are not minor (of all quantities, without such ones): velocities jump at impacts, and a small shift in time would count
   as much as two motions that have nothing to do with each other. [aligned->samples] */
double *NsDistance(const NsAligned *aligned, int a, int b, const NsDifference *differences, NsArena *arena);

/* By what law a distance grows, looked at by its running maximum M up to where M reaches NS_APART, where the two runs are unrelated. */
#define NS_APART 0.1
typedef enum {
  NS_GROWTH_ZERO,        /* no difference, but for rounding (1e-13) */
  NS_GROWTH_BOUNDED,     /* by less than a factor of 3 */
  NS_GROWTH_POWER,       /* as t^exponent */
  NS_GROWTH_EXPONENTIAL, /* as e^(rate t): faster than t^2.5, and nearer to it than to any power */
  NS_GROWTH_JUMP,        /* more than half of its decades at once, `at` */
  NS_GROWTH_UNKNOWN      /* too few samples */
} NsGrowthKind;

typedef struct {
  NsGrowthKind kind;
  double       exponent, rate; /* of the fits, whatever the kind; NAN: none */
  double       at;             /* s: of the jump */
  double       from, to;       /* s: what was looked at */
  double       apart;          /* s: when M reaches NS_APART; NAN: never */
  double       last;           /* M in the end */
} NsGrowth;

NsGrowth NsGrowthOf(long samples, const double *time, const double *distance);

/* The result of three runs a, b, c whose steps (or other refined parameter) have one ratio r > 1 from each to the next: order p = log(|a - b| / |b - c|) / log(r), by the root
   of the mean square over all times and over each of equal parts of the time. NAN where the differences are not above `rounding`, or in a part a
   thousand times below what they have been before: then they are over. */
enum { NS_ORDER_PARTS = 8 };
typedef struct {
  double coarse, fine; /* root mean squares of a - b and b - c */
  double order, part[NS_ORDER_PARTS];
  double error; /* the largest that c is to be expected to have: max |b - c| / (r^p - 1); NAN where p is below 0.5 */
} NsOrder;

NsOrder NsOrderOf(const NsAligned *aligned, const NsAlignedQuantity *quantity, double rounding, double ratio);
/* The middle one of those that are numbers, with the least and the largest of them; false: no value is a number. Sorts the values. */
bool NsMedian(int count, double *value, double *median, double *least, double *most);
