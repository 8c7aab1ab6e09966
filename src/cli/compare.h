/*
  The comparison of two or three runs by `percuss compare`, and how it is printed.
*/
#pragma once
#include "results/config_difference.h"
#include "results/difference.h"
#include "results/event_pairs.h"
#include "results/record.h"

enum { NS_COMPARE_TABLES = 16 }; /* at most */

/* One table of all runs. `a` and `b` are the runs that it is about: the two, or of three the two finer ones. */
typedef struct {
  const char   *file;
  long          rows[NS_ALIGN_RUNS];
  NsAligned    *aligned;    /* NULL: some run has no such table, or it is empty, or they have no time or no quantity in common */
  NsDifference *difference; /* of a and b */
  NsOrder      *order;      /* of three runs; else NULL */
} NsComparedTable;

typedef struct {
  int                       runs;
  NsRunRecord              *run[NS_ALIGN_RUNS]; /* of three the coarsest first */
  int                       a, b;
  double                    tolerance;
  const NsConfigDifference *config;  /* of a and b */
  const NsConfigDifference *refined; /* the one number of physics or scheme that alone differs; NULL: there is not just one */
  double                    ratio;   /* of refined, from each of three runs to the next, above 1 */
  double                    end;     /* s: the earliest end of a run */
  int                       tables;
  NsComparedTable           table[NS_COMPARE_TABLES]; /* [tables], those with a row for each recorded step */
  int                       contacts;
  NsEventPairs             *events; /* [contacts], of a and b */
} NsComparison;

/* A, B or C. */
char NsCompareLetter(int run);
/* The runs: their environment, configs and figures that differ. */
void NsComparePrintRuns(const NsComparison *comparison);
/* Quantities, largest difference first, and events. */
void NsComparePrintTables(const NsComparison *comparison, NsArena *arena);
/* The result. Returns whether the runs are equal within the tolerance. */
bool NsComparePrintVerdict(const NsComparison *comparison, NsArena *arena);
/* Every quantity, a row each. False with errno. */
bool NsCompareWrite(const NsComparison *comparison, const char *path);
