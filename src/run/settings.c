/* The top of the config: what a file may say, and where its parts are described. */
#include <string.h>
#include "contact/settings.h"
#include "core/motion.h"
#include "core/spin.h"
#include "core/tree_copies.h"
#include "fe/elements/section.h"
#include "fe/fe.h"
#include "mechanism/mechanism.h"
#include "multibody/multibody.h"
#include "percuss/run.h"

#define NS_BODY(name) extern const NsVariant NsBodyVariant_##name;
#include "fe/bodies/list.h"
#undef NS_BODY

static const NsVariant *const body_variants[] = {
#define NS_BODY(name) &NsBodyVariant_##name,
#include "fe/bodies/list.h"
#undef NS_BODY
#define NS_MECHANISM(name) &NsBodyVariant_##name,
#include "mechanism/list.h"
#undef NS_MECHANISM
  &NsBodyVariant_Plugin,
  &NsBodyVariant_Body,
  NULL,
};

static const NsKey time_keys[] = {
  {"end", NS_KEY_NUMBER, offsetof(NsTimeSettings, end), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "simulated time; rounded up to whole steps", .example = "600 us"},
  {NULL},
};
static const NsTable time_table = {"time", "simulated time", time_keys, sizeof(NsTimeSettings)};

static const NsKey assembly_keys[] = {
  {"tolerance", NS_KEY_NUMBER, offsetof(NsAssemblySettings, tolerance), .dimension = NS_DIM_LENGTH, .default_value = "1 mm", .minimum = "0",
    .help = "largest displacement of a body that closes its joints at the start", .example = "1 mm"},
  {NULL},
};
static const NsTable assembly_table = {"assembly", "closing of the joints at the start", assembly_keys, sizeof(NsAssemblySettings)};

static const char *const start_choices[] = NS_START_WORDS;
static const NsKey       start_keys[]    = {
           {"state", NS_KEY_CHOICE, offsetof(NsStartSettings, state), .choices = start_choices, .default_value = "as_given",
             .help =
               "as_given: the state of `initial`; static: static equilibrium under weight and the loads at t = 0; contacts are included only in models with solids, without friction; static_friction: with friction; synchronous: the static equilibrium plus the steady vibration about it that unbalances on rotors of constant spin cause",
             .example = "static"},
           {"from", NS_KEY_STRING, offsetof(NsStartSettings, from),
             .help =
               "directory of the results of another run, whose last state is taken in place of `initial`, by the names of bodies and nodes; or of `percuss orbit`, whose last orbit is taken at the beginning of the forcing period; time begins at 0 again, and so do the energies",
             .example = "out/run_up"},
           {"at", NS_KEY_NUMBER, offsetof(NsStartSettings, at), .dimension = NS_DIM_TIME, .minimum = "0",
             .help = "with `from`: the time in that run, at which it must have kept a checkpoint; default: its last state", .example = "2 s"},
           {NULL},
};

static void check_start(const void *settings, NsArena *arena, NsDiag *diag)
{
  NsStartSettings *start = (NsStartSettings *)settings; /* the default of `at` is set here */

  (void)arena;
  if (!NsTreeChild(start->where, "at"))
    start->at = -1;
  else if (!start->from)
    NsDiagError(diag, NsKeysPlace(start->where, "at"), "at requires `from`");
}
static const NsTable start_table = {"start", "the state in which a run starts", start_keys, sizeof(NsStartSettings), .at_most_one_of = "state, from",
  .shorthand = "state", .check = check_start};

static const NsKey config_keys[] = {
  {"include", NS_KEY_STRINGS, offsetof(NsConfig, include), .least = 1,
    .help =
      "files that are merged into this one, mapping by mapping; values in this file take precedence, then those of the file that is named first",
    .example = "common.yaml"},
  {"parameters", NS_KEY_MAPPING, offsetof(NsConfig, parameters),
    .help =
      "quantities and words by name, for the whole config: $name, or ${expression} with + - * / ^ ( ), pi, sqrt abs min max sin cos tan asin acos atan atan2 exp log floor ceil round mod; in brackets, expressions need quotes: {step: \"${h/2}\"}",
    .example = "{length: 1 m, h: \"${length/50}\"}"},
  {"copies", NS_KEY_NAMED, offsetof(NsConfig, copies), .table = &NsTable_Copies,
    .help =
      "rows, rings and grids of bodies, contacts, springs and so on: `bodies.ball` becomes ball_1, ball_2 ...; $i is the number of a copy, as in ball_$i; ball_* stands for the names of all; entries under the name of a copy take precedence over it",
    .example = "{balls: {of: bodies.ball, row: {count: 20, shift: [50 mm, 0, 0]}}}"},
  {"materials", NS_KEY_NAMED, offsetof(NsConfig, materials), .table = &NsTable_Material, .help = "materials by name: `material: steel` takes one",
    .example = "{steel: {density: 7800 kg/m^3, young: 210 GPa}}"},
  {"sections", NS_KEY_NAMED, offsetof(NsConfig, sections), .table = &NsTable_Section, .help = "cross-sections by name: `section: shaft` takes one",
    .example = "{shaft: {circle: {radius: 10 mm}}}"},
  {"title", NS_KEY_STRING, offsetof(NsConfig, title), .help = "title of the run in its results", .example = "Elastic bar hits a rigid wall"},
  {"gravity", NS_KEY_VECTOR, offsetof(NsConfig, gravity), .dimension = NS_DIM_ACCELERATION, .default_value = "[0, 0, 0]",
    .help = "acceleration of gravity", .example = "[0, 0, -9.81 m/s^2]"},
  {"base", NS_KEY_LIST, offsetof(NsConfig, base), .table = &NsTable_Motion,
    .help =
      "motion of the base in space, of which only the acceleration matters: everything is relative to the base, on which supports, walls and ground rest; the inertia forces are loads",
    .example = "[{acceleration: [0, 0, 5 m/s^2], time: {harmonic: {frequency: 10 Hz}}}]"},
  {"bodies", NS_KEY_NAMED_VARIANTS, offsetof(NsConfig, bodies), .variants = body_variants, .required = true, .least = 1,
    .help    = "bodies of the model, each with a name of your choice",
    .example = "{bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 50}}}}"},
  {"supports", NS_KEY_NAMED, offsetof(NsConfig, supports), .table = &NsTable_Support, .help = "boundary conditions: DOF held in place",
    .example = "{clamp: {at: bar.right}}"},
#define NS_FORCE(Name, key, text, value) \
  {#key, NS_KEY_NAMED, offsetof(NsConfig, forces[NS_FORCE_##Name]), .table = &NsTable_##Name, .help = text, .example = value},
#include "fe/forces/list.h"
#undef NS_FORCE
#define NS_ATTACHMENT(Name, key, text, value) \
  {#key, NS_KEY_NAMED, offsetof(NsConfig, attachments[NS_ATTACHMENT_##Name]), .table = &NsTable_##Name, .help = text, .example = value},
#include "fe/attach/list.h"
#undef NS_ATTACHMENT
  {"links", NS_KEY_NAMED, offsetof(NsConfig, links), .table = &NsTable_Link, .help = "rigid links and hinges between points of bodies",
    .example = "{joint: {between: [left.right, right.left], fix: [displacements]}}"},
  {"ties", NS_KEY_NAMED, offsetof(NsConfig, ties), .table = &NsTable_Tie, .help = "surfaces of solids that are joined, whose meshes need not match",
    .example = "{seam: {between: [upper.bottom, lower.top]}}"},
  {"contacts", NS_KEY_NAMED, offsetof(NsConfig, contacts), .table = &NsTable_Contact, .help = "unilateral contacts",
    .example = "{wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}"},
  {"contact_materials", NS_KEY_LIST, offsetof(NsConfig, contact_materials), .table = &NsTable_MaterialPair,
    .help    = "restitution and friction by pairs of materials, for contacts that do not give their own",
    .example = "[{between: [steel, bronze], friction: 0.18, restitution: 0.6}]"},
  {"joints", NS_KEY_NAMED_VARIANTS, offsetof(NsConfig, joints), .variants = NsJointVariants,
    .help    = "joints between bodies of `type: body`, each with a name of your choice",
    .example = "{A: {type: revolute, between: [ground, crank.left]}}"},
  {"drives", NS_KEY_NAMED, offsetof(NsConfig, drives), .table = &NsTable_Drive, .help = "motors of joints",
    .example = "{motor: {joint: A, speed: 300 rpm}}"},
  {"assembly", NS_KEY_TABLE, offsetof(NsConfig, assembly), .table = &assembly_table, .default_value = "{}",
    .help = "closing of the joints at the start", .example = "{tolerance: 1 mm}"},
  {"start", NS_KEY_TABLE, offsetof(NsConfig, start), .table = &start_table, .default_value = "{}",
    .help = "the state in which the run starts: static, or {from: RUN}, the last state of another run", .example = "static"},
  {"free_dynamics", NS_KEY_CHOICE, offsetof(NsConfig, free_dynamics), .choices = NsBackEndNames, .default_value = "auto",
    .help =
      "back end that computes forces and solves of finite elements: lumped (diagonal mass matrix), banded (narrow matrices), petsc (any); results agree to rounding",
    .example = "petsc"},
  {"scheme", NS_KEY_VARIANT, offsetof(NsConfig, scheme), .variants = NsSchemeVariants, .required = true,
    .help = "time integration scheme; `modes` and `response` need none", .example = "{type: half_explicit, step: 0.1 us}"},
  {"time", NS_KEY_TABLE, offsetof(NsConfig, time), .table = &time_table, .required = true, .help = "simulated time; `modes` and `response` need none",
    .example = "{end: 600 us}"},
  {"limits", NS_KEY_TABLE, offsetof(NsConfig, limits), .table = &NsTable_Limits, .default_value = "{}",
    .help = "limits beyond which a run warns or stops", .example = "{penetration: 10 um, on_exceed: stop}"},
  {"orbit", NS_KEY_TABLE, offsetof(NsConfig, orbit), .table = &NsTable_Orbit, .default_value = "{}",
    .help = "what `percuss orbit` computes; runs ignore it", .example = "{times: 2}"},
  {"output", NS_KEY_TABLE, offsetof(NsConfig, output), .table = &NsTable_Output, .default_value = "{}", .help = "files of the results",
    .example = "{frames: {every: 20}}"},
  {NULL},
};
const NsTable NsTable_Config = {"config", "a run of percuss", config_keys, sizeof(NsConfig)};

bool NsConfigRead(const NsNode *tree, bool analysis, NsConfig *config, NsArena *arena, NsDiag *diag)
{
  static NsTimeSettings one_second = {.end = 1};
  NsKey                 keys[sizeof(config_keys) / sizeof(config_keys[0])];
  NsTable               table = NsTable_Config;

  memcpy(keys, config_keys, sizeof(keys));
  for (NsKey *key = keys; key->name; key++) {
    if (key->offset == offsetof(NsConfig, scheme) || key->offset == offsetof(NsConfig, time)) key->required = !analysis;
  }
  table.keys = keys;
  if (!NsKeysRead(&table, tree, config, arena, diag)) return false;
  if (!config->time) config->time = &one_second;
  return true;
}
