#include "analyses.h"
#include <stddef.h>

static const NsColumn modes_columns[] = {
  {"mode", "", "number of the mode, from 1", offsetof(NsModesRow, mode)},
  {"re", "1/s", "real part of the eigenvalue", offsetof(NsModesRow, re)},
  {"im", "rad/s", "imaginary part of the eigenvalue: the damped angular frequency", offsetof(NsModesRow, im)},
  {"frequency_hz", "Hz", "damped frequency", offsetof(NsModesRow, hertz)},
  {"undamped", "rad/s", "magnitude of the eigenvalue: the undamped angular frequency", offsetof(NsModesRow, undamped)},
  {"damping_ratio", "", "damping ratio", offsetof(NsModesRow, damping_ratio)},
  {"log_decrement", "", "logarithmic decrement of a vibration", offsetof(NsModesRow, log_decrement)},
  {"kappa", "", "sense of whirl: 1 forward circle, -1 backward circle, 0 straight line", offsetof(NsModesRow, kappa)},
  {"whirl", NULL, "forward, backward, planar, mixed, torsion, axial, or - without whirl", offsetof(NsModesRow, whirl)},
  {"kind", NULL, "rigid, vibration or overdamped", offsetof(NsModesRow, kind)},
  {"unstable", "", "1: the mode grows", offsetof(NsModesRow, unstable)},
  {"residual", "", "relative residual of the eigenvalue problem", offsetof(NsModesRow, residual)},
  {NULL},
};
const NsCsvType NsCsvType_Modes = {"modes.csv", "a row for each mode", NS_CSV_ANALYSIS, modes_columns};

static const NsColumn campbell_columns[] = {
  {"speed", "rad/s", "speed of rotation", offsetof(NsCampbellRow, speed)},
  {"frequency", "rad/s", "damped angular frequency of the mode", offsetof(NsCampbellMode, frequency)},
  {"re", "1/s", "real part of its eigenvalue", offsetof(NsCampbellMode, re)},
  {"damping_ratio", "", "damping ratio", offsetof(NsCampbellMode, damping_ratio)},
  {"whirl", "", "sense of whirl: 1 forward circle, -1 backward circle, 0 straight line", offsetof(NsCampbellMode, kappa)},
  {NULL},
};
const NsCsvType NsCsvType_Campbell = {"campbell.csv", "a row for each speed, four columns for each mode", NS_CSV_ANALYSIS, campbell_columns, "mode",
  offsetof(NsCampbellRow, mode), sizeof(NsCampbellMode)};

static const NsColumn critical_columns[] = {
  {"speed", "rad/s", "speed of rotation", offsetof(NsCriticalRow, speed)},
  {"event", NULL, "critical (the frequency of the mode equals the speed) or unstable (above this speed the mode grows)",
    offsetof(NsCriticalRow, event)},
  {"mode", "", "number of the mode in campbell.csv", offsetof(NsCriticalRow, mode)},
  {"frequency", "rad/s", "damped angular frequency of the mode", offsetof(NsCriticalRow, frequency)},
  {"damping_ratio", "", "damping ratio", offsetof(NsCriticalRow, damping_ratio)},
  {"kappa", "", "sense of whirl: 1 forward circle, -1 backward circle, 0 straight line", offsetof(NsCriticalRow, kappa)},
  {"whirl", NULL, "forward, backward, planar, mixed, torsion, axial, or - without whirl", offsetof(NsCriticalRow, whirl)},
  {NULL},
};
const NsCsvType NsCsvType_CriticalSpeeds = {"critical_speeds.csv",
  "a row for each crossing of a mode's frequency with the speed, and for each onset of instability", NS_CSV_ANALYSIS, critical_columns};

static const NsColumn response_columns[] = {
  {"speed", "rad/s", "speed of rotation", offsetof(NsResponseRow, speed)},
  {"amplitude", "m or rad", "zero to peak", offsetof(NsResponseValue, amplitude), .needs = NS_RESPONSE_AMPLITUDE},
  {"phase", "rad", "u(t) = amplitude cos(speed t + phase)", offsetof(NsResponseValue, phase), .needs = NS_RESPONSE_AMPLITUDE},
  {"major", "m", "semi-major axis of the orbit", offsetof(NsResponseValue, major), .needs = NS_RESPONSE_ORBIT},
  {"minor", "m", "semi-minor axis; negative: backward whirl", offsetof(NsResponseValue, minor), .needs = NS_RESPONSE_ORBIT},
  {NULL},
};
const NsCsvType NsCsvType_Response = {
  "response.csv", "a row for each speed", NS_CSV_ANALYSIS, response_columns, "probe", offsetof(NsResponseRow, value), sizeof(NsResponseValue)};

const NsCsvType *const NsAnalysisTables[NS_ANALYSIS_TABLES] = {&NsCsvType_Modes, &NsCsvType_Campbell, &NsCsvType_CriticalSpeeds, &NsCsvType_Response};
