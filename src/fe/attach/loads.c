/*
  Loads: forces and moments on points, distributed forces along bodies, constant or over time, fixed in space or rotating with the shaft; and unbalances.
*/
#include <string.h>
#include "fe/elements/beam.h"
#include "fe/model/fe.h"
#include "fe/model/span.h"

typedef struct {
  const NsNode *where;
  const char   *at;
  double        mass_eccentricity, phase;
  const NsSpin *spin; /* beside rotors; NULL: not given */
  double        axis[3];
  NsWindow      window;
} NsUnbalanceSettings;

static const NsKey load_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(NsLoadSettings, at), .help = "points on which `force` and `moment` act, each with the full value",
    .example = "bar.right"},
  {"on", NS_KEY_STRING, offsetof(NsLoadSettings, on),
    .help =
      "body along which `force_per_length` acts; sides of a solid, such as block.top, on which `pressure` or `traction` acts; or body given by matrices, with `vector`",
    .example = "bar"},
  {"force", NS_KEY_VECTOR, offsetof(NsLoadSettings, force), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_FORCE, .default_value = "[0, 0, 0]",
    .help = "force on these points", .example = "[-1 kN, 0, 0]"},
  {"moment", NS_KEY_VECTOR, offsetof(NsLoadSettings, moment), .space = NS_SPACE_DIRECTION, .dimension = {2, 1, -2, 0}, .default_value = "[0, 0, 0]",
    .help = "moment on these points, where nodes of the body have rotations", .example = "[100 N m, 0, 0]"},
  {"force_per_length", NS_KEY_VECTOR, offsetof(NsLoadSettings, force_per_length), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_FORCE_PER_LENGTH,
    .default_value = "[0, 0, 0]", .help = "force per length of the body", .example = "[10 N/m, 0, 0]"},
  {"pressure", NS_KEY_NUMBER, offsetof(NsLoadSettings, pressure), .dimension = NS_DIM_PRESSURE, .default_value = "0",
    .help = "pressure on the sides of a solid, along their inward normals in the undeformed state", .example = "1 MPa"},
  {"traction", NS_KEY_VECTOR, offsetof(NsLoadSettings, traction), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_PRESSURE,
    .default_value = "[0, 0, 0]", .help = "force per area on the sides of a solid", .example = "[0, -1 MPa, 0]"},
  {"vector", NS_KEY_STRING, offsetof(NsLoadSettings, vector), .file = true,
    .help =
      "file of the forces on all DOF of a body given by matrices, in its units: Matrix Market (one column), Abaqus (node, DOF, value), the right-hand side of an Ansys HBMAT file, or a number per row",
    .example = "pressure.mtx"},
  {"rotating", NS_KEY_BOOLEAN, offsetof(NsLoadSettings, rotating), .default_value = "false",
    .help = "the load rotates with the shaft; force and moment are given at the angle 0", .example = "true"},
  {"time", NS_KEY_TABLE, offsetof(NsLoadSettings, time), .table = &NsTable_TimeFunction, .help = "factor over time; default: constant load",
    .example = "{harmonic: {frequency: 50 Hz}}"},
  NS_RAMPED_WINDOW_KEYS(NsLoadSettings, "the load acts"),
  {NULL},
};
/* The keys of loads `at` points, and those of loads `on` a body or sides. */
static const char *const at_keys[] = {"force", "moment", NULL}, *const on_keys[] = {"force_per_length", "vector", "pressure", "traction", NULL};

static const char *given(const NsNode *where, const char *const *keys)
{
  while (*keys && !NsTreeChild(where, *keys)) keys++;
  return *keys;
}

static void check_load(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsLoadSettings *load   = settings;
  const NsNode         *here   = load->where;
  const char           *at_key = given(here, at_keys), *on_key = given(here, on_keys);

  (void)arena;
  if (load->at.count && !at_key) NsDiagError(diag, here->place, "a load `at` points needs a `force` or a `moment`");
  if (load->on && !on_key)
    NsDiagError(diag, here->place, "a load `on` a body needs a `force_per_length` or a `vector`, on sides of a solid a `pressure` or a `traction`");
  if (load->at.count && on_key) NsDiagError(diag, NsKeysPlace(here, on_key), "%s needs `on`, not `at`", on_key);
  if (load->on && at_key) NsDiagError(diag, NsKeysPlace(here, at_key), "%s needs `at`, not `on`", at_key);
  if (load->on && NsTreeChild(here, "force_per_length") && given(here, on_keys + 1))
    NsDiagError(diag, NsKeysPlace(here, given(here, on_keys + 1)), "%s is for %s, force_per_length for a body of lines", given(here, on_keys + 1),
      load->vector ? "a body given by matrices" : "sides of a solid");
  else if (load->on && load->vector && given(here, on_keys + 2))
    NsDiagError(
      diag, NsKeysPlace(here, given(here, on_keys + 2)), "%s is for sides of a solid, vector for a body given by matrices", given(here, on_keys + 2));
  if (load->on && load->rotating) NsDiagError(diag, NsKeysPlace(here, "rotating"), "only a load `at` points can be `rotating`");
  NsWindowCheck(&load->window, here, diag);
}
const NsTable NsTable_Load = {"load", "force or moment on points, or distributed force along a body or on its sides", load_keys,
  sizeof(NsLoadSettings), .one_of = "at, on", .check = check_load};

static const NsKey unbalance_keys[] = {
  {"at", NS_KEY_STRING, offsetof(NsUnbalanceSettings, at), .required = true,
    .help = "point on a rotor; or, with `spin`, of another body, on which a mass turns", .example = "shaft@180 mm"},
  {"mass_eccentricity", NS_KEY_NUMBER, offsetof(NsUnbalanceSettings, mass_eccentricity), .dimension = {1, 1, 0, 0}, .required = true, .minimum = "0",
    .help = "mass times eccentricity; the mass itself is part of the shaft or a disc", .example = "1e-3 kg m"},
  {"phase", NS_KEY_NUMBER, offsetof(NsUnbalanceSettings, phase), .dimension = NS_DIM_ANGLE, .default_value = "0",
    .help = "angle at t = 0 from axis 2 of the rotor towards its axis 3", .example = "90 deg"},
  {"spin", NS_KEY_TABLE, offsetof(NsUnbalanceSettings, spin), .table = &NsTable_Spin,
    .help =
      "on a body that is not a rotor, such as the frame of a motor: speed at which the mass turns, constant or over time; a rotor has a spin of its own",
    .example = "1450 rpm"},
  {"axis", NS_KEY_VECTOR, offsetof(NsUnbalanceSettings, axis), .space = NS_SPACE_DIRECTION, .default_value = "[0, 0, 0]",
    .help = "with `spin`: axis about which the mass turns; its axes 2 and 3 are those of a rotor along it", .example = "[1, 0, 0]"},
  NS_WINDOW_KEYS(NsUnbalanceSettings, "the unbalance acts"),
  {NULL},
};
static void check_unbalance(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsUnbalanceSettings *unbalance = settings;

  (void)arena;
  NsWindowCheck(&unbalance->window, unbalance->where, diag);
}
const NsTable NsTable_Unbalance = {"unbalance", "unbalance of a rotor", unbalance_keys, sizeof(NsUnbalanceSettings), .check = check_unbalance};

/* Directions in which the points of a load can move, and turn. */
typedef struct {
  NsSpan move, turn;
} Reach;

/* Fixed in space, or turning about the shaft's axis e1, which it is across to: x cos psi + (e1 x x) sin psi. */
static void load_place(const NsFe *fe, NsFeLoad *load, const NsFePoint *spot, const double force[3], const double moment[3], Reach *reach)
{
  NsPoint   point;
  PetscReal cosine[2][3], sine[2][3] = {{0}};

  NsFeExpand(fe, spot, &point);
  for (int kind = 0; kind < 2; kind++) {
    const double *x = kind ? moment : force;
    for (int k = 0; k < 3; k++) cosine[kind][k] = x[k];
    if (!load->sine) continue;
    const PetscReal *e = fe->body[spot->body].frame[0];
    for (int k = 0; k < 3; k++) sine[kind][k] = e[(k + 1) % 3] * x[(k + 2) % 3] - e[(k + 2) % 3] * x[(k + 1) % 3];
  }
  for (PetscInt i = 0; i < point.unknowns; i++) {
    NsSpanAdd(&reach->move, point.move[i]);
    NsSpanAdd(&reach->turn, point.turn[i]);
    NsFeAddLoadEntry(load, point.unknown[i], NsDot3(point.move[i], cosine[0]) + NsDot3(point.turn[i], cosine[1]),
      NsDot3(point.move[i], sine[0]) + NsDot3(point.turn[i], sine[1]));
  }
}

/* The part of x in which the body has no DOF; what supports hold is no mistake, and goes into their reactions. */
static void check_part(
  NsFe *fe, const NsFeBody *body, const NsLoadSettings *settings, const char *key, const double x[3], const NsSpan *reach, PetscBool turns)
{
  NsSpan    span = *reach;
  PetscReal lost[3];

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    if (body->turns[a] == turns) NsSpanAdd(&span, body->direction[a]);
  }
  NsSpanOutside(&span, x, lost);
  if (PetscSqrtReal(NsDot3(lost, lost)) <= NS_FLAT * PetscSqrtReal(NsDot3(x, x))) return;
  for (int c = 0; c < 3; c++) lost[c] = PetscAbsReal(lost[c]) <= 1e-12 * PetscSqrtReal(NsDot3(x, x)) ? 0 : lost[c];
  NsDiagWarning(fe->diag, NsKeysPlace(settings->where, key), "the part (%g, %g, %g) of this %s has no effect: '%s' has no DOF in that direction",
    lost[0], lost[1], lost[2], key, body->name);
}

/* A load without effect, or a part of one, is probably a wrong direction. */
static void check_effect(NsFe *fe, const NsFeBody *body, const NsFeLoad *load, const NsLoadSettings *settings, const char *key, const Reach *reach)
{
  PetscBool turns = PETSC_FALSE;

  for (PetscInt a = 0; a < body->node_unknowns; a++) turns = turns || body->turns[a];
  if (!turns && NsTreeChild(settings->where, "moment")) {
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "moment"), "nodes of '%s' have no rotations: the moment has no effect", body->name);
  } else if (!load->entries) {
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, key), "this load has no effect: its points are supported, or have no DOF in its direction");
    if (body->is_rotor) NsDiagNote(fe->diag, "a rotor moves along its axis only with `axial: true`, and twists only with `spin: {free: ...}`");
  } else if (!settings->rotating) {
    check_part(fe, body, settings, settings->on ? "force_per_length" : "force", settings->on ? settings->force_per_length : settings->force,
      &reach->move, PETSC_FALSE);
    check_part(fe, body, settings, "moment", settings->moment, &reach->turn, PETSC_TRUE);
  }
}

static PetscReal largest(const double x[3])
{
  return PetscMax(PetscMax(PetscAbsReal(x[0]), PetscAbsReal(x[1])), PetscAbsReal(x[2]));
}

static PetscBool is_in_range(NsFe *fe, const NsLoadSettings *settings)
{
  const PetscReal at   = PetscMax(largest(settings->force), largest(settings->moment)),
                  on   = PetscMax(PetscMax(largest(settings->force_per_length), largest(settings->traction)), PetscAbsReal(settings->pressure)),
                  size = PetscMax(at, on);

  if (size < 1e30) return PETSC_TRUE;
  NsDiagError(fe->diag, settings->where->key_place, "this load is out of range: %g", size);
  return PETSC_FALSE;
}

/* Beyond rounding. */
static PetscBool is_along(const NsFeBody *body, const double x[3])
{
  return PetscAbsReal(NsDot3(x, body->frame[0])) > 1e-9 * largest(x);
}

static void add_load_at(NsFe *fe, const NsLoadSettings *settings)
{
  for (int i = 0; i < settings->at.count; i++) {
    PetscInt         count;
    Reach            reach = {{0}, {0}};
    const NsPlace    place = settings->at.where[i]->place;
    const NsFePoint *spots = NsFeFindPoints(fe, settings->at.items[i], NULL, place, PETSC_FALSE, &count);
    if (!spots || !count) continue;
    const NsFeBody *body = &fe->body[spots[0].body];
    if (settings->rotating && !body->is_rotor) {
      NsDiagError(fe->diag, NsKeysPlace(settings->where, "rotating"), "'%s' is not a rotor: only loads on rotors can be `rotating`", body->name);
      return;
    }
    if (settings->rotating && count != 1) {
      NsDiagError(fe->diag, place, "'%s' is a set of %d nodes; a rotating load needs a single point", settings->at.items[i], (int)count);
      return;
    }
    NsFeLoad *load =
      NsFeAddLoad(fe, NsTimeFunctionWindow(settings->time, &settings->window, fe->arena), settings->rotating, NS_POINT_UNKNOWNS * count);
    for (PetscInt n = 0; n < count; n++) load_place(fe, load, &spots[n], settings->force, settings->moment, &reach);
    check_effect(fe, body, load, settings, NsTreeChild(settings->where, "force") ? "force" : "moment", &reach);
    if (!settings->rotating) continue;
    NsFeMakeTwist(fe, &spots[0], &load->twist);
    if (is_along(body, settings->force) || is_along(body, settings->moment)) {
      NsDiagError(fe->diag, settings->where->place,
        "a rotating load must be perpendicular to the shaft; define its part along (%g, %g, %g) as a separate load", body->frame[0][0],
        body->frame[0][1], body->frame[0][2]);
    }
  }
}

/* Consistent with the element's shape functions: by Gauss's rule of three points, exact for cubics. */
static void add_load_on(NsFe *fe, const NsLoadSettings *settings)
{
  static const PetscReal at[3] = {0.112701665379258311, 0.5, 0.887298334620741689}, share[3] = {5. / 18, 8. / 18, 5. / 18};
  const NsFeBody        *body = NsFeFindBody(fe, settings->on, strlen(settings->on), NsKeysPlace(settings->where, "on"));

  if (!body) return;
  if (!body->element || !body->element->line) {
    if (body->solid)
      NsDiagError(fe->diag, NsKeysPlace(settings->where, "on"), "'%s' is a solid: write `on: %s.SIDE` and `pressure` or `traction`, or `gravity`",
        body->name, body->name);
    else if (body->element)
      NsDiagError(fe->diag, NsKeysPlace(settings->where, "on"), "'%s' is given by its matrices: write `at: %s.NODES` and `force`, or `vector`",
        body->name, body->name);
    else
      NsDiagError(
        fe->diag, NsKeysPlace(settings->where, "on"), "rigid body '%s' has no length; write `at: %s.center` and `force`", body->name, body->name);
    return;
  }
  const NsTimeFunction *time  = NsTimeFunctionWindow(settings->time, &settings->window, fe->arena);
  NsFeLoad             *load  = NsFeAddLoad(fe, time, PETSC_FALSE, NsFeElementSize(body) * body->mesh->elements);
  Reach                 reach = {{0}, {0}};
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[body->first_element + i];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    PetscReal          value[NS_ELEMENT_UNKNOWNS] = {0}, axis[3];
    const PetscInt     n                          = NsFeElementUnknowns(fe, e, unknown);
    const PetscReal    length                     = body->element->line(e, axis);
    for (int g = 0; g < 3; g++) {
      PetscReal move[NS_ELEMENT_UNKNOWNS][3], turn[NS_ELEMENT_UNKNOWNS][3];
      body->element->shape(body, e, (PetscReal[3]){at[g]}, move, turn);
      for (PetscInt a = 0; a < n; a++) value[a] += share[g] * length * NsDot3(move[a], settings->force_per_length);
    }
    for (PetscInt a = 0; a < n; a++) NsFeAddLoadEntry(load, unknown[a], value[a], 0);
    for (PetscInt a = 0; a < n; a++) {
      if (unknown[a] >= 0 && !body->turns[a % body->node_unknowns]) NsSpanAdd(&reach.move, body->direction[a % body->node_unknowns]);
    }
  }
  NsFeAddLineLoad(fe, (PetscInt)(body - fe->body), settings->force_per_length, time);
  check_effect(fe, body, load, settings, "force_per_length", &reach);
}

/* Axis 1 about which an unbalance turns, and 2 and 3. False after an error in diag. */
static PetscBool find_frame(NsFe *fe, const NsUnbalanceSettings *settings, const NsFeBody *body, PetscReal frame[3][3])
{
  static const char *const own[] = {"spin", "axis"};
  PetscReal                axis[3];

  for (int k = 0; k < 2 && body->is_rotor; k++) {
    if (!NsTreeChild(settings->where, own[k])) continue;
    NsDiagError(fe->diag, NsKeysPlace(settings->where, own[k]), "'%s' is a rotor: the unbalance turns with it; remove `%s`", body->name, own[k]);
    return PETSC_FALSE;
  }
  for (int k = 0; k < 9 && body->is_rotor; k++) frame[k / 3][k % 3] = body->frame[k / 3][k % 3];
  if (body->is_rotor) return PETSC_TRUE;
  for (int k = 0; k < 3; k++) axis[k] = settings->axis[k];
  if (!settings->spin)
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "at"), "'%s' is not a rotor: an unbalance on it needs `spin` and `axis`", body->name);
  else if (NsSpinIsFree(settings->spin))
    NsDiagError(
      fe->diag, NsKeysPlace(settings->where, "spin"), "only rotors have a free spin; the spin of this unbalance must be constant or a `table`");
  else if (!NsUnit3(axis))
    NsDiagError(fe->diag, NsKeysPlace(settings->where, NsTreeChild(settings->where, "axis") ? "axis" : "spin"),
      "an unbalance with a `spin` of its own needs an `axis` about which it turns");
  else
    return NsBeamFrame(axis, NULL, frame);
  return PETSC_FALSE;
}

static void add_unbalance(NsFe *fe, const NsUnbalanceSettings *settings, const char *name)
{
  NsFeUnbalance *self = &fe->forces.unbalance[fe->forces.unbalances];
  PetscReal      frame[3][3];
  NsPoint        point;

  if (!NsFeFindPoint(fe, settings->at, NULL, NsKeysPlace(settings->where, "at"), PETSC_FALSE, &self->at)) return;
  const NsFeBody *body = &fe->body[self->at.body];
  if (!find_frame(fe, settings, body, frame)) return;
  if (!(settings->mass_eccentricity < 1e30)) {
    NsDiagError(
      fe->diag, NsKeysPlace(settings->where, "mass_eccentricity"), "mass_eccentricity is out of range: %g kg m", settings->mass_eccentricity);
    return;
  }
  self->moment = settings->mass_eccentricity;
  self->phase  = settings->phase;
  self->off    = NsSwitchesAdd(fe->switches, settings->window.from, settings->window.until, "unbalance", name, settings->where, fe->arena);
  NsFeExpand(fe, &self->at, &point);
  for (PetscInt i = 0; i < point.unknowns; i++) {
    const PetscReal lateral[2] = {NsDot3(point.move[i], frame[1]), NsDot3(point.move[i], frame[2])};
    if (lateral[0] == 0 && lateral[1] == 0) continue;
    self->unknown[self->entries]    = point.unknown[i];
    self->lateral[0][self->entries] = lateral[0];
    self->lateral[1][self->entries] = lateral[1];
    self->entries++;
  }
  for (int k = 0; k < 2; k++) self->gravity[k] = NsDot3(fe->gravity, frame[1 + k]);
  NsFeMakeTwist(fe, &self->at, &self->twist);
  if (!body->is_rotor) self->twist.spin = settings->spin;
  if (!self->entries)
    NsDiagWarning(fe->diag, settings->where->place, "this unbalance has no effect: its point is supported, or does not move across the axis");
  if (NsSpinIsFree(body->spin)) fe->mass_varies = PETSC_TRUE;
  self->number = fe->forces.unbalances++;
}

void NsFeAttach_Load(NsFe *fe, const NsList *list)
{
  const NsLoadSettings *settings = list->items;

  for (int l = 0; l < list->count; l++) {
    if (!is_in_range(fe, &settings[l])) continue;
    NsSwitchesNote(fe->switches, settings[l].window.from, settings[l].window.until, "load", list->names[l], settings[l].where, fe->arena);
    if (settings[l].vector && settings[l].on)
      NsFeLoadVector(fe, &settings[l]);
    else if (settings[l].on && given(settings[l].where, on_keys + 2))
      NsFeLoadSides(fe, &settings[l]);
    else if (settings[l].on)
      add_load_on(fe, &settings[l]);
    else
      add_load_at(fe, &settings[l]);
  }
}

void NsFeAttach_Unbalance(NsFe *fe, const NsList *list)
{
  const NsUnbalanceSettings *settings = list->items;

  fe->forces.unbalance = NsArenaAlloc(fe->arena, sizeof(*fe->forces.unbalance) * (size_t)PetscMax(1, list->count));
  for (int u = 0; u < list->count; u++) add_unbalance(fe, &settings[u], list->names[u]);
}
