/*
  Tables of analyses: what `percuss modes`, `percuss response` and `percuss orbit` write with NsCsvOpen and NsCsvRow. NAN where something is not there.
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

/* orbit.csv: moments of an orbit; subjects: columns of probes. */
typedef struct {
  PetscReal time;
  PetscReal value[];
} NsOrbitRow;

/* orbit_events.csv */
typedef struct {
  PetscReal   time, phase, before, after;
  const char *event, *contact;
} NsOrbitEventRow;

/* orbit_state.csv */
typedef struct {
  const char *coordinate;
  PetscReal   position, velocity;
} NsOrbitStateRow;

/* branch.csv */
typedef struct {
  PetscReal   point, branch, arc, parameter, period, stable, modulus, impacts, slowest, share, confirmed, residual;
  const char *mark;
} NsBranchRow;

/* branch_probes.csv; subjects: columns of probes. */
typedef struct {
  PetscReal low, high;
} NsBranchValue;
typedef struct {
  PetscReal     point;
  NsBranchValue value[];
} NsBranchProbesRow;

/* multipliers.csv */
typedef struct {
  PetscReal point, re, im, modulus;
} NsMultiplierRow;

/* bifurcations.csv */
typedef struct {
  PetscReal   branch, parameter, period, angle;
  const char *name, *kind, *contact;
} NsBifurcationRow;

/* static_reactions.csv */
typedef struct {
  const char *kind, *name;
  PetscReal   x[3], force[3], moment[3];
} NsReactionRow;

/* static_sections.csv: of each element of a line five points, its ends twice */
typedef struct {
  const char *body;
  PetscReal   along, x[3], u[3], turn[3], normal_force, shear[2], torque, moment[2];
} NsSectionRow;

/* static_contacts.csv */
typedef struct {
  const char *contact, *state;
  PetscReal   gap, force[3];
} NsStaticContactRow;

extern const NsCsvType NsCsvType_StaticReactions, NsCsvType_StaticSections, NsCsvType_StaticContacts;
extern const NsCsvType NsCsvType_Orbit, NsCsvType_OrbitEvents, NsCsvType_OrbitState, NsCsvType_Branch, NsCsvType_BranchProbes, NsCsvType_Multipliers,
  NsCsvType_Bifurcations;
extern const NsCsvType NsCsvType_Modes, NsCsvType_Campbell, NsCsvType_CriticalSpeeds, NsCsvType_Response;
enum { NS_ANALYSIS_TABLES = 14 };
extern const NsCsvType *const NsAnalysisTables[NS_ANALYSIS_TABLES];
