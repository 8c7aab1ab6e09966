/* The top of the config: what a file may say, and where its parts are described. */
#include <string.h>
#include "core/spin.h"
#include "fe/fe.h"
#include "mechanism/mechanism.h"
#include "percuss/scheme.h"

#define NS_BODY(name) extern const NsVariant NsBodyVariant_##name;
#include "fe/list.h"
#undef NS_BODY

const NsVariant *const NsBodyVariants[] = {
#define NS_BODY(name) &NsBodyVariant_##name,
#include "fe/list.h"
#undef NS_BODY
#define NS_MECHANISM(name) &NsBodyVariant_##name,
#include "mechanism/list.h"
#undef NS_MECHANISM
  &NsBodyVariant_Plugin,
  NULL,
};

static const NsKey plane_keys[] = {
  {"point", NS_KEY_VECTOR, offsetof(NsPlaneSettings, point), .dimension = NS_DIM_LENGTH, .required = true, .help = "a point of the plane",
    .example = "[0, 0, 0]"},
  {"normal", NS_KEY_VECTOR, offsetof(NsPlaneSettings, normal), .required = true, .help = "direction to the side where the body is; any length",
    .example = "[1, 0, 0]"},
  {"velocity", NS_KEY_VECTOR, offsetof(NsPlaneSettings, velocity), .dimension = NS_DIM_VELOCITY, .standard = "[0, 0, 0]",
    .help = "velocity of its surface within the plane: a belt", .example = "[0.1 m/s, 0, 0]"},
  {NULL},
};
static const NsTable plane_table = {"plane", "fixed rigid plane", plane_keys, sizeof(NsPlaneSettings)};

static const char *const sides[] = {"inside", "outside", NULL};

#define NS_ROUND_KEYS(what) \
  {"center", NS_KEY_VECTOR, offsetof(NsRoundSettings, center), .dimension = NS_DIM_LENGTH, .help = "centre of a " what " fixed in space", \
    .example = "[0, 0, 0.1 m]"}, \
    {"on", NS_KEY_STRING, offsetof(NsRoundSettings, on), .help = "node of a body, or place along it, that carries the " what, \
      .example = "housing.center"}, \
    {"offset", NS_KEY_VECTOR, offsetof(NsRoundSettings, offset), .dimension = NS_DIM_LENGTH, .standard = "[0, 0, 0]", \
      .help = "with `on`: rigid arm from the node to the centre", .example = "[9.5 mm, 0, 0]"}, \
    {"radius", NS_KEY_NUMBER, offsetof(NsRoundSettings, radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", \
      .help = "radius of the " what, .example = "10.1 mm"}, \
  { \
    "side", NS_KEY_CHOICE, offsetof(NsRoundSettings, side), \
      .choices = sides, .required = true, .help = "where the other partner is: inside, in the hollow, or outside", .example = "inside" \
  }

static const NsKey cylinder_keys[] = {
  NS_ROUND_KEYS("cylinder"),
  {"axis", NS_KEY_VECTOR, offsetof(NsRoundSettings, axis), .required = true, .help = "direction of the cylinder's axis, fixed in space; any length",
    .example = "[1, 0, 0]"},
  {"spin", NS_KEY_TABLE, offsetof(NsRoundSettings, spin), .table = &NsTable_Spin, .help = "prescribed rotation of its surface about the axis: a drum",
    .example = "3000 rpm"},
  {NULL},
};
static const NsKey sphere_keys[] = {NS_ROUND_KEYS("sphere"), {NULL}};

static void check_round(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsRoundSettings *round = settings;
  const double          *a     = round->axis;

  (void)arena;
  if (NsTreeChild(round->where, "offset") && !round->on)
    NsDiagError(diag, NsKeysPlace(round->where, "offset"), "offset goes with `on`; a surface fixed in space has its center");
  if (NsTreeChild(round->where, "axis") && a[0] == 0 && a[1] == 0 && a[2] == 0)
    NsDiagError(diag, NsKeysPlace(round->where, "axis"), "the axis of a cylinder must not be zero");
  if (NsSpinIsFree(round->spin)) {
    NsDiagError(diag, NsKeysPlace(round->where, "spin"), "the spin of a surface is prescribed; one that is free belongs to a body");
    NsDiagNote(diag, "give an angular velocity, such as 3000 rpm, or a table");
  }
}
static const NsTable cylinder_table = {
  "cylinder", "circular cylinder without ends", cylinder_keys, sizeof(NsRoundSettings), .one_of = "center, on", .check = check_round};
static const NsTable sphere_table = {"sphere", "sphere", sphere_keys, sizeof(NsRoundSettings), .one_of = "center, on", .check = check_round};

static const NsKey partner_keys[] = {
  {"node", NS_KEY_STRING, offsetof(NsPartnerSettings, node), .help = "named nodes of a body, or a place along it", .example = "bar.left"},
  {"radius", NS_KEY_NUMBER, offsetof(NsPartnerSettings, radius), .dimension = NS_DIM_LENGTH, .standard = "0", .minimum = "0",
    .help = "with `node`: radius of a ball or journal around it", .example = "10 mm"},
  {"offset", NS_KEY_VECTOR, offsetof(NsPartnerSettings, offset), .dimension = NS_DIM_LENGTH, .standard = "[0, 0, 0]",
    .help = "with `node`: rigid arm from the node to the point of contact, or to the centre of the ball or journal", .example = "[9.5 mm, 0, 0]"},
  {"plane", NS_KEY_TABLE, offsetof(NsPartnerSettings, plane), .table = &plane_table, .help = "fixed rigid plane",
    .example = "{point: [0, 0, 0], normal: [1, 0, 0]}"},
  {"cylinder", NS_KEY_TABLE, offsetof(NsPartnerSettings, cylinder), .table = &cylinder_table, .help = "circular cylinder: a bearing, a shaft, a drum",
    .example = "{on: housing.center, axis: [1, 0, 0], radius: 10.1 mm, side: inside}"},
  {"sphere", NS_KEY_TABLE, offsetof(NsPartnerSettings, sphere), .table = &sphere_table, .help = "sphere: a socket, a ball",
    .example = "{center: [0, 0, 0.1 m], radius: 50 mm, side: outside}"},
  {NULL},
};
static void check_partner(const void *settings, NsArena *arena, NsDiag *diag)
{
  static const char *const words[] = {"radius", "offset", NULL};
  const NsPartnerSettings *partner = settings;

  (void)arena;
  for (int i = 0; words[i] && !partner->node; i++) {
    if (NsTreeChild(partner->where, words[i]))
      NsDiagError(diag, NsKeysPlace(partner->where, words[i]), "%s goes with `node` here; that of a surface stands within it", words[i]);
  }
}
static const NsTable partner_table = {"partner", "one side of a contact", partner_keys, sizeof(NsPartnerSettings),
  .one_of = "node, plane, cylinder, sphere", .shorthand = "node", .check = check_partner};

static const NsKey contact_keys[] = {
  {"between", NS_KEY_LIST, offsetof(NsContactSettings, between), .table = &partner_table, .required = true, .least = 2, .most = 2,
    .help    = "the two that may touch: nodes of a body, and a plane, cylinder, sphere or a node of another body",
    .example = "[bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]"},
  {"normal", NS_KEY_VECTOR, offsetof(NsContactSettings, normal), .standard = "[0, 0, 0]",
    .help = "node against node: direction from the first to the second; without it, the line of the first body, outwards", .example = "[1, 0, 0]"},
  {"gap_offset", NS_KEY_NUMBER, offsetof(NsContactSettings, gap_offset), .dimension = NS_DIM_LENGTH, .standard = "0",
    .help = "added to the gap between the partners", .example = "0.1 mm"},
  {"gap_tolerance", NS_KEY_NUMBER, offsetof(NsContactSettings, gap_tolerance), .dimension = NS_DIM_LENGTH, .standard = "0", .minimum = "0",
    .help = "a gap up to this counts as closed: a lasting contact does not reopen for the error of a curved path", .example = "10 nm"},
  {"restitution", NS_KEY_NUMBER, offsetof(NsContactSettings, restitution), .standard = "0", .minimum = "0", .maximum = "1",
    .help = "Newton's coefficient: velocity after over velocity before an impact, of the touching points", .example = "0.5"},
  {"restitution_tangential", NS_KEY_NUMBER, offsetof(NsContactSettings, restitution_tangential), .standard = "0", .minimum = "0", .maximum = "1",
    .help = "the same along the surface, where there is friction", .example = "0"},
  {"friction", NS_KEY_NUMBER, offsetof(NsContactSettings, friction), .standard = "0", .minimum = "0", .help = "Coulomb's coefficient",
    .example = "0.3"},
  {NULL},
};
/* A journal must have room in its bearing; a node against a node has a direction, and no size. */
static void check_radius(const NsPartnerSettings *node, const NsPartnerSettings *other, NsDiag *diag)
{
  const NsRoundSettings *round = other->cylinder ? other->cylinder : other->sphere;

  if (!node->node || node->radius == 0) return;
  if (other->node) {
    NsDiagError(diag, NsKeysPlace(node->where, "radius"), "a radius goes with a plane, a cylinder or a sphere; node against node has none");
    NsDiagNote(diag, "make one of the two a sphere: {sphere: {on: %s, radius: ..., side: outside}}", other->node);
  } else if (round && round->side == NS_INSIDE && node->radius >= round->radius) {
    NsDiagError(diag, NsKeysPlace(node->where, "radius"), "a radius of %g m has no room in a hollow of %g m", node->radius, round->radius);
  }
}

static void check_contact(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsContactSettings *contact = settings;
  const NsPartnerSettings *side    = contact->between.items;

  (void)arena;
  for (int i = 0; i < 2; i++) check_radius(&side[i], &side[1 - i], diag);
  if (contact->restitution_tangential > 0 && contact->friction == 0)
    NsDiagWarning(diag, NsKeysPlace(contact->where, "restitution_tangential"), "restitution_tangential has no effect without friction");
}
static const NsTable contact_table = {"contact", "two things that may touch", contact_keys, sizeof(NsContactSettings), .check = check_contact};

static const NsKey time_keys[] = {
  {"end", NS_KEY_NUMBER, offsetof(NsTimeSettings, end), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "simulated time; rounded up to whole steps", .example = "600 us"},
  {NULL},
};
static const NsTable time_table = {"time", "simulated time", time_keys, sizeof(NsTimeSettings)};

static const char *const on_exceed_choices[] = {"warn", "stop", NULL};

static const NsKey limits_keys[] = {
  {"energy", NS_KEY_NUMBER, offsetof(NsLimitsSettings, energy), .standard = "0.1", .minimum = "0 <",
    .help =
      "most energy that the scheme itself may make, over what there was at the start and came from loads and weight; a hundred times it always ends the run",
    .example = "0.02"},
  {"penetration", NS_KEY_NUMBER, offsetof(NsLimitsSettings, penetration), .dimension = NS_DIM_LENGTH, .minimum = "0 <",
    .help = "deepest penetration of a contact, or gap of a joint; without it a tenth of the model's length", .example = "10 um"},
  {"on_exceed", NS_KEY_CHOICE, offsetof(NsLimitsSettings, on_exceed), .choices = on_exceed_choices, .standard = "warn",
    .help    = "warn once, on stderr and in run.json, or stop the run there; also of free spins beyond what the step or a bearing's table allows",
    .example = "stop"},
  {NULL},
};
static const NsTable limits_table = {"limits", "beyond which the numbers of a run are not to be trusted", limits_keys, sizeof(NsLimitsSettings)};

static const NsKey every_keys[] = {
  {"every", NS_KEY_INTEGER, offsetof(NsEverySettings, every), .required = true, .minimum = "0",
    .help = "steps between two of them; 0 switches the output off", .example = "20"},
  {NULL},
};
static const NsTable every_table = {"every", "an output", every_keys, sizeof(NsEverySettings)};

static const NsKey history_keys[] = {
  {"probes", NS_KEY_STRINGS, offsetof(NsHistorySettings, probes),
    .help    = "points to record: named nodes, or places along a body, body@0.5 or body@20 mm, of beams with section forces (by the ends alone)",
    .example = "[bar.left, bar@0.5]"},
  {"every", NS_KEY_INTEGER, offsetof(NsHistorySettings, every), .standard = "1", .minimum = "0", .help = "steps between two rows; 0 switches it off",
    .example = "1"},
  {NULL},
};
static const NsTable history_table = {"history", "time histories of points", history_keys, sizeof(NsHistorySettings)};

static const NsKey station_keys[] = {
  {"at", NS_KEY_STRING, offsetof(NsStationSettings, at), .required = true, .help = "named node of a rotor, or a place along it",
    .example = "shaft@180 mm"},
  {"offset", NS_KEY_VECTOR, offsetof(NsStationSettings, offset), .dimension = NS_DIM_LENGTH, .standard = "[0, 0, 0]",
    .help = "from there to the station, by a rigid arm", .example = "[9.5 mm, 0, 0]"},
  {"relative_to", NS_KEY_STRING, offsetof(NsStationSettings, relative_to),
    .help =
      "node of another body, such as a housing: its own displacement at this place is taken off, so that the orbit is that within the clearance",
    .example = "housing.center"},
  {NULL},
};
static const NsTable station_table = {
  "station", "a place along a rotor whose orbit is recorded", station_keys, sizeof(NsStationSettings), .shorthand = "at"};

static const NsKey orbits_keys[] = {
  {"stations", NS_KEY_NAMED, offsetof(NsOrbitsSettings, stations), .table = &station_table,
    .help = "where orbits about the undeflected axis are recorded, each with a name", .example = "{disc: {at: shaft@180 mm}}"},
  {"every", NS_KEY_INTEGER, offsetof(NsOrbitsSettings, every), .standard = "1", .minimum = "0", .help = "steps between two rows; 0 switches it off",
    .example = "1"},
  {NULL},
};
static const NsTable orbits_table = {"orbits", "orbits of rotors", orbits_keys, sizeof(NsOrbitsSettings)};

static const NsKey output_keys[] = {
  {"directory", NS_KEY_STRING, offsetof(NsOutputSettings, directory), .help = "where results go; without it out/NAME", .example = "out/trial"},
  {"frames", NS_KEY_TABLE, offsetof(NsOutputSettings, frames), .table = &every_table, .standard = "{every: 100}", .help = "VTK files for ParaView",
    .example = "{every: 20}"},
  {"history", NS_KEY_TABLE, offsetof(NsOutputSettings, history), .table = &history_table, .standard = "{every: 1}",
    .help = "history.csv: displacements and velocities of probes", .example = "{probes: [bar.left], every: 1}"},
  {"contacts", NS_KEY_TABLE, offsetof(NsOutputSettings, contacts), .table = &every_table, .standard = "{every: 1}",
    .help = "contacts.csv: gaps, gap rates, forces, impulses (those since the row before), states", .example = "{every: 1}"},
  {"energy", NS_KEY_TABLE, offsetof(NsOutputSettings, energy), .table = &every_table, .standard = "{every: 1}",
    .help = "energy.csv: where each joule is, or went; numerical: what the scheme itself made", .example = "{every: 10}"},
  {"orbits", NS_KEY_TABLE, offsetof(NsOutputSettings, orbits), .table = &orbits_table, .standard = "{}",
    .help    = "orbits.csv and poincare.csv: how a rotor goes round at its stations",
    .example = "{stations: {journal: {at: shaft.left, relative_to: housing.center}}}"},
  {"events", NS_KEY_BOOLEAN, offsetof(NsOutputSettings, events), .standard = "true",
    .help = "events.csv: impacts, closings, openings, stick and slip; gap rates before and after, impulse, energy lost", .example = "false"},
  {"checkpoints", NS_KEY_NUMBER, offsetof(NsOutputSettings, checkpoints), .dimension = NS_DIM_TIME, .standard = "10 min", .minimum = "0",
    .help = "wall time between two checkpoints, from which `percuss run --resume` goes on; 0: none but where the run is stopped", .example = "1 min"},
  {NULL},
};
static void check_output(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsOutputSettings *output = settings;

  (void)arena;
  if (output->directory && !*output->directory) NsDiagError(diag, NsKeysPlace(output->where, "directory"), "directory must not be empty");
}
static const NsTable output_table = {"output", "what is kept of a run", output_keys, sizeof(NsOutputSettings), .check = check_output};

static const char *const free_choices[]  = {"auto", "lumped", "banded", "petsc", NULL};
static const char *const start_choices[] = {"as_given", "static", NULL};

static const NsKey config_keys[] = {
  {"title", NS_KEY_STRING, offsetof(NsConfig, title), .help = "a line that names the run in its results", .example = "Elastic bar hits a rigid wall"},
  {"gravity", NS_KEY_VECTOR, offsetof(NsConfig, gravity), .dimension = NS_DIM_ACCELERATION, .standard = "[0, 0, 0]",
    .help = "acceleration of gravity", .example = "[0, 0, -9.81 m/s^2]"},
  {"bodies", NS_KEY_NAMED_VARIANTS, offsetof(NsConfig, bodies), .variants = NsBodyVariants, .required = true, .least = 1,
    .help    = "what moves, each with a name of your own",
    .example = "{bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 50}}}}"},
  {"supports", NS_KEY_NAMED, offsetof(NsConfig, supports), .table = &NsTable_Support, .help = "nodes held in place",
    .example = "{clamp: {at: bar.right}}"},
  {"springs", NS_KEY_NAMED, offsetof(NsConfig, springs), .table = &NsTable_Spring, .help = "springs and dashpots",
    .example = "{mount: {between: [bar.right, ground], stiffness: 1 MN/m}}"},
  {"bearings", NS_KEY_NAMED, offsetof(NsConfig, bearings), .table = &NsTable_Bearing, .help = "stiffness and damping of bearings and mounts",
    .example = "{left: {between: [shaft.left, ground], stiffness: 1 MN/m}}"},
  {"masses", NS_KEY_NAMED, offsetof(NsConfig, masses), .table = &NsTable_Mass, .help = "point masses",
    .example = "{head: {at: bar.right, mass: 0.2 kg}}"},
  {"discs", NS_KEY_NAMED, offsetof(NsConfig, discs), .table = &NsTable_Disc, .help = "rigid discs on shafts and beams",
    .example = "{flywheel: {at: shaft@180 mm, mass: 4.98 kg, polar_inertia: 0.01, diametral_inertia: 0.006}}"},
  {"unbalances", NS_KEY_NAMED, offsetof(NsConfig, unbalances), .table = &NsTable_Unbalance, .help = "masses beside the axis of rotors",
    .example = "{mark: {at: shaft@180 mm, mass_eccentricity: 1e-3 kg m}}"},
  {"loads", NS_KEY_NAMED, offsetof(NsConfig, loads), .table = &NsTable_Load, .help = "forces and moments",
    .example = "{push: {at: bar.right, force: [-1 kN, 0, 0]}}"},
  {"contacts", NS_KEY_NAMED, offsetof(NsConfig, contacts), .table = &contact_table, .help = "what may touch what",
    .example = "{wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}"},
  {"start", NS_KEY_CHOICE, offsetof(NsConfig, start), .choices = start_choices, .standard = "as_given",
    .help = "as_given: bodies as `initial` says; static: deflected by weight and by loads as at t = 0, without contact", .example = "static"},
  {"free_dynamics", NS_KEY_CHOICE, offsetof(NsConfig, free_dynamics), .choices = free_choices, .standard = "auto",
    .help =
      "how forces and solves of finite elements are computed: lumped where the mass matrix is diagonal, banded where rows are narrow, petsc anywhere; same results to rounding",
    .example = "petsc"},
  {"scheme", NS_KEY_VARIANT, offsetof(NsConfig, scheme), .variants = NsSchemeVariants, .required = true, .help = "how time advances",
    .example = "{type: half_explicit, step: 0.1 us}"},
  {"time", NS_KEY_TABLE, offsetof(NsConfig, time), .table = &time_table, .required = true, .help = "simulated time", .example = "{end: 600 us}"},
  {"limits", NS_KEY_TABLE, offsetof(NsConfig, limits), .table = &limits_table, .standard = "{}",
    .help = "beyond which a run warns that its numbers are not to be trusted, or ends", .example = "{penetration: 10 um, on_exceed: stop}"},
  {"output", NS_KEY_TABLE, offsetof(NsConfig, output), .table = &output_table, .standard = "{}", .help = "what is kept",
    .example = "{frames: {every: 20}}"},
  {NULL},
};
const NsTable NsTable_Config = {"config", "a run of percuss", config_keys, sizeof(NsConfig)};
