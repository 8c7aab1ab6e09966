/* The keys of `orbit`: what `percuss orbit` computes (src/orbit). */
#include "percuss/run.h"

static const NsKey over_keys[] = {
  {"key", NS_KEY_STRING, offsetof(NsOrbitOverSettings, key), .required = true,
    .help =
      "key of the config that is varied, as in --set: a dotted path; items of lists by their number from 0, and parameters.NAME for a parameter",
    .example = "loads.shaker.time.harmonic.frequency"},
  {"from", NS_KEY_STRING, offsetof(NsOrbitOverSettings, from), .required = true, .help = "value at which the branch begins", .example = "30 Hz"},
  {"to", NS_KEY_STRING, offsetof(NsOrbitOverSettings, to), .required = true, .help = "value up to which it is followed, with the same unit",
    .example = "90 Hz"},
  {NULL},
};
static const NsTable over_table = {"orbit_over", "what a branch of orbits is followed over", over_keys, sizeof(NsOrbitOverSettings)};

static const NsKey orbit_keys[] = {
  {"times", NS_KEY_INTEGER, offsetof(NsOrbitSettings, times), .default_value = "1", .minimum = "1", .maximum = "64",
    .help = "period of the orbit, in periods of the forcing", .example = "2"},
  {"forcing_period", NS_KEY_NUMBER, offsetof(NsOrbitSettings, forcing_period), .dimension = NS_DIM_TIME, .minimum = "0 <",
    .help = "period of the forcing; default: that of its loads and unbalances; give it if they have several", .example = "20 ms"},
  {"settle", NS_KEY_INTEGER, offsetof(NsOrbitSettings, settle), .default_value = "50", .minimum = "0", .maximum = "100000",
    .help =
      "periods that are simulated from the initial state before Newton's method begins; models without a periodic load are simulated to time.end instead",
    .example = "200"},
  {"starts", NS_KEY_INTEGER, offsetof(NsOrbitSettings, starts), .default_value = "0", .minimum = "0", .maximum = "10000",
    .help =
      "number of further initial states, spread around the first orbit, from which orbits are searched; each orbit found is listed and followed as a branch",
    .example = "20"},
  {"circular", NS_KEY_BOOLEAN, offsetof(NsOrbitSettings, circular), .default_value = "false",
    .help =
      "circular whirl of an isotropic rotor, solved as an equilibrium in the rotating frame, also with full annular rub, for any scheme; a simulation runs only if no orbit is found without it",
    .example = "true"},
  {"over", NS_KEY_TABLE, offsetof(NsOrbitSettings, over), .table = &over_table, .help = "follow the orbit over a key of the config",
    .example = "{key: loads.shaker.time.harmonic.frequency, from: 30 Hz, to: 90 Hz}"},
  {"points", NS_KEY_INTEGER, offsetof(NsOrbitSettings, points), .default_value = "400", .minimum = "2", .maximum = "100000",
    .help = "most points of a branch", .example = "1000"},
  {"step", NS_KEY_NUMBER, offsetof(NsOrbitSettings, step), .default_value = "0.05", .minimum = "1e-6", .maximum = "1",
    .help = "longest step along a branch; 1 is the range of the key, the size of a state, or a period in an event's time", .example = "0.02"},
  {"switch", NS_KEY_STRINGS, offsetof(NsOrbitSettings, follow), .least = 1,
    .help    = "bifurcations whose other branch is followed, too, one after the other: flip_1 is the first period doubling found",
    .example = "[flip_1]"},
  {NULL},
};
const NsTable NsTable_Orbit = {"orbit", "periodic orbits", orbit_keys, sizeof(NsOrbitSettings)};
