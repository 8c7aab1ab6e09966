/*
  Tables of analyses: what `percuss modes` and `percuss response` write with NsCsvOpen and NsCsvRow. NAN where something is not there.
*/
#pragma once
#include "csv.h"

/* modes.csv */
typedef struct {
  PetscReal   mode, re, im, hertz, undamped, damping_ratio, log_decrement, kappa, unstable, residual;
  const char *whirl, *kind;
} NsModesRow;

/* campbell.csv: a speed, then each mode; subjects: mode_1, mode_2 ... */
typedef struct {
  PetscReal frequency, re, damping_ratio, kappa;
} NsCampbellMode;
typedef struct {
  PetscReal      speed;
  NsCampbellMode mode[];
} NsCampbellRow;

/* critical_speeds.csv */
typedef struct {
  PetscReal   speed, mode, frequency, damping_ratio, kappa;
  const char *event, *whirl;
} NsCriticalRow;

/* response.csv: a speed, then what the probes do. A subject is a column of a probe ("shaft.left.uy"), with an amplitude, or a probe, with an orbit. */
enum { NS_RESPONSE_AMPLITUDE = 1, NS_RESPONSE_ORBIT = 2 };
typedef struct {
  PetscReal amplitude, phase, major, minor;
} NsResponseValue;
typedef struct {
  PetscReal       speed;
  NsResponseValue value[];
} NsResponseRow;

extern const NsCsvType NsCsvType_Modes, NsCsvType_Campbell, NsCsvType_CriticalSpeeds, NsCsvType_Response;
enum { NS_ANALYSIS_TABLES = 4 };
extern const NsCsvType *const NsAnalysisTables[NS_ANALYSIS_TABLES];
