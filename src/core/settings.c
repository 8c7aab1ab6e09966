/* The top of the config: what a file may say, and where its parts are described. */
#include <string.h>
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

static const NsKey partner_keys[] = {
  {"node", NS_KEY_STRING, offsetof(NsPartnerSettings, node), .help = "named nodes of a body", .example = "bar.left"},
  {"plane", NS_KEY_TABLE, offsetof(NsPartnerSettings, plane), .table = &plane_table, .help = "fixed rigid plane",
    .example = "{point: [0, 0, 0], normal: [1, 0, 0]}"},
  {NULL},
};
static const NsTable partner_table = {
  "partner", "one side of a contact", partner_keys, sizeof(NsPartnerSettings), .one_of = "node, plane", .shorthand = "node"};

static const NsKey contact_keys[] = {
  {"between", NS_KEY_LIST, offsetof(NsContactSettings, between), .table = &partner_table, .required = true, .least = 2, .most = 2,
    .help    = "the two that may touch: nodes of a body, and a plane or a node of another body",
    .example = "[bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]"},
  {"normal", NS_KEY_VECTOR, offsetof(NsContactSettings, normal), .standard = "[0, 0, 0]",
    .help = "node against node: direction from the first to the second; without it, the line of the first body, outwards", .example = "[1, 0, 0]"},
  {"gap_offset", NS_KEY_NUMBER, offsetof(NsContactSettings, gap_offset), .dimension = NS_DIM_LENGTH, .standard = "0",
    .help = "added to the gap between the partners", .example = "0.1 mm"},
  {"restitution", NS_KEY_NUMBER, offsetof(NsContactSettings, restitution), .standard = "0", .minimum = "0", .maximum = "1",
    .help = "Newton's coefficient: velocity after over velocity before an impact, of the touching points", .example = "0.5"},
  {"restitution_tangential", NS_KEY_NUMBER, offsetof(NsContactSettings, restitution_tangential), .standard = "0", .minimum = "0", .maximum = "1",
    .help = "the same along the surface, where there is friction", .example = "0"},
  {"friction", NS_KEY_NUMBER, offsetof(NsContactSettings, friction), .standard = "0", .minimum = "0", .help = "Coulomb's coefficient",
    .example = "0.3"},
  {NULL},
};
static void check_contact(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsContactSettings *contact = settings;

  (void)arena;
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

static const NsKey every_keys[] = {
  {"every", NS_KEY_INTEGER, offsetof(NsEverySettings, every), .required = true, .minimum = "0",
    .help = "steps between two of them; 0 switches the output off", .example = "20"},
  {NULL},
};
static const NsTable every_table = {"every", "an output", every_keys, sizeof(NsEverySettings)};

static const NsKey history_keys[] = {
  {"probes", NS_KEY_STRINGS, offsetof(NsHistorySettings, probes), .help = "points to record: named nodes, or body@fraction of its length",
    .example = "[bar.left, bar@0.5]"},
  {"every", NS_KEY_INTEGER, offsetof(NsHistorySettings, every), .standard = "1", .minimum = "0", .help = "steps between two rows; 0 switches it off",
    .example = "1"},
  {NULL},
};
static const NsTable history_table = {"history", "time histories of points", history_keys, sizeof(NsHistorySettings)};

static const NsKey output_keys[] = {
  {"directory", NS_KEY_STRING, offsetof(NsOutputSettings, directory), .help = "where results go; without it out/NAME", .example = "out/trial"},
  {"frames", NS_KEY_TABLE, offsetof(NsOutputSettings, frames), .table = &every_table, .standard = "{every: 100}", .help = "VTK files for ParaView",
    .example = "{every: 20}"},
  {"history", NS_KEY_TABLE, offsetof(NsOutputSettings, history), .table = &history_table, .standard = "{every: 1}",
    .help = "history.csv: displacements and velocities of probes", .example = "{probes: [bar.left], every: 1}"},
  {"contacts", NS_KEY_TABLE, offsetof(NsOutputSettings, contacts), .table = &every_table, .standard = "{every: 1}",
    .help = "contacts.csv: gaps, forces, impulses, states", .example = "{every: 1}"},
  {"energy", NS_KEY_TABLE, offsetof(NsOutputSettings, energy), .table = &every_table, .standard = "{every: 1}",
    .help = "energy.csv: where each joule is", .example = "{every: 10}"},
  {"events", NS_KEY_BOOLEAN, offsetof(NsOutputSettings, events), .standard = "true", .help = "events.csv: impacts, openings, stick and slip",
    .example = "false"},
  {NULL},
};
static void check_output(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsOutputSettings *output = settings;

  (void)arena;
  if (output->directory && !*output->directory) NsDiagError(diag, NsKeysPlace(output->where, "directory"), "directory must not be empty");
}
static const NsTable output_table = {"output", "what is kept of a run", output_keys, sizeof(NsOutputSettings), .check = check_output};

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
  {"masses", NS_KEY_NAMED, offsetof(NsConfig, masses), .table = &NsTable_Mass, .help = "point masses",
    .example = "{head: {at: bar.right, mass: 0.2 kg}}"},
  {"loads", NS_KEY_NAMED, offsetof(NsConfig, loads), .table = &NsTable_Load, .help = "forces",
    .example = "{push: {at: bar.right, force: [-1 kN, 0, 0]}}"},
  {"contacts", NS_KEY_NAMED, offsetof(NsConfig, contacts), .table = &contact_table, .help = "what may touch what",
    .example = "{wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}"},
  {"scheme", NS_KEY_VARIANT, offsetof(NsConfig, scheme), .variants = NsSchemeVariants, .required = true, .help = "how time advances",
    .example = "{type: half_explicit, step: 0.1 us}"},
  {"time", NS_KEY_TABLE, offsetof(NsConfig, time), .table = &time_table, .required = true, .help = "simulated time", .example = "{end: 600 us}"},
  {"output", NS_KEY_TABLE, offsetof(NsConfig, output), .table = &output_table, .standard = "{}", .help = "what is kept",
    .example = "{frames: {every: 20}}"},
  {NULL},
};
const NsTable NsTable_Config = {"config", "a run of percuss", config_keys, sizeof(NsConfig)};
