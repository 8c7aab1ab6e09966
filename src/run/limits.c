/* The keys of `limits`, which the guard (guard.c) watches. */
#include "percuss/guard.h"

static const char *const on_exceed_choices[] = {"warn", "stop", NULL};

static const NsKey limits_keys[] = {
  {"energy", NS_KEY_NUMBER, offsetof(NsLimitsSettings, energy), .default_value = "0.1", .minimum = "0 <",
    .help =
      "largest numerical energy error, relative to the reference energy (energy at the start plus external work); a hundred times this value always stops the run. With explicit schemes also the largest numerical loss of energy",
    .example = "0.02"},
  {"rotation", NS_KEY_NUMBER, offsetof(NsLimitsSettings, rotation), .dimension = NS_DIM_ANGLE, .default_value = "0.15 rad", .minimum = "0 <",
    .help    = "largest rotation of bodies and elements whose rotations are assumed to be small: at 0.15 rad lengths and lever arms are wrong by 1 %",
    .example = "0.1 rad"},
  {"stretch", NS_KEY_NUMBER, offsetof(NsLimitsSettings, stretch), .default_value = "0.05", .minimum = "0 <",
    .help    = "largest change of an element's length over its length: metals yield at 0.002 to 0.01, and above 0.05 linear elasticity is not valid",
    .example = "0.002"},
  {"sliding", NS_KEY_NUMBER, offsetof(NsLimitsSettings, sliding), .default_value = "0.3", .minimum = "0 <",
    .help =
      "largest sliding of two surfaces of solids on each other over the extent of their faces: which nodes are opposite to each other is determined at the start",
    .example = "0.1"},
  {"penetration", NS_KEY_NUMBER, offsetof(NsLimitsSettings, penetration), .dimension = NS_DIM_LENGTH, .minimum = "0 <",
    .help    = "deepest penetration of a contact, or gap of a joint; default: the smallest of the clearance, the radius of a ball, the length of an "
               "element there and a tenth of the size of the bodies",
    .example = "10 um"},
  {"on_exceed", NS_KEY_CHOICE, offsetof(NsLimitsSettings, on_exceed), .choices = on_exceed_choices, .default_value = "warn",
    .help =
      "warn once, on stderr and in run.json, or stop the run; also for free spins above the speed that the step or the table of a bearing allows",
    .example = "stop"},
  {NULL},
};
const NsTable NsTable_Limits = {"limits", "limits of valid results", limits_keys, sizeof(NsLimitsSettings)};
