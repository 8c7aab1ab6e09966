/*
  What is attached to bodies: supports, springs and dashpots, point masses, loads. All refer to named nodes.
*/
#include <string.h>
#include "fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     at;
  NsStrings     fix; /* x, y, z or all */
} NsSupportSettings;

typedef struct {
  const NsNode *where;
  NsStrings     between;
  double        stiffness, damping;
  double        direction[3];
} NsSpringSettings;

typedef struct {
  const NsNode *where;
  NsStrings     at;
  double        mass;
} NsMassSettings;

typedef struct {
  const NsNode         *where;
  NsStrings             at;
  const char           *on;
  double                force[3], force_per_length[3];
  const NsTimeFunction *time;
} NsLoadSettings;

static const NsKey support_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(NsSupportSettings, at), .required = true, .least = 1, .help = "nodes that are held", .example = "bar.right"},
  {"fix", NS_KEY_STRINGS, offsetof(NsSupportSettings, fix), .standard = "[all]", .least = 1, .help = "directions that are held: x, y, z or all",
    .example = "[x, y]"},
  {NULL},
};
static void check_support(const void *settings, NsArena *arena, NsDiag *diag)
{
  static const char *const words[] = {"x", "y", "z", "all", NULL};
  const NsSupportSettings *support = settings;

  (void)arena;
  for (int i = 0; i < support->fix.count; i++) {
    const char *word = support->fix.items[i];
    if (strlen(word) == 1 && strchr("xyz", *word)) continue;
    if (!strcmp(word, "all")) continue;
    const char *near = NsNearestWord(word, words);
    NsDiagError(diag, support->fix.where[i] ? support->fix.where[i]->place : NsKeysPlace(support->where, "fix"),
      "unknown direction '%s' in fix%s%s%s", word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    NsDiagNote(diag, "directions: x, y, z, all");
  }
}
const NsTable NsTable_Support = {"support", "nodes held in place", support_keys, sizeof(NsSupportSettings), .check = check_support};

static const NsKey spring_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsSpringSettings, between), .required = true, .least = 2, .most = 2,
    .help = "two nodes, or a node and `ground`", .example = "[bar.right, ground]"},
  {"stiffness", NS_KEY_NUMBER, offsetof(NsSpringSettings, stiffness), .dimension = NS_DIM_STIFFNESS, .standard = "0", .minimum = "0",
    .help = "force per elongation", .example = "1 MN/m"},
  {"damping", NS_KEY_NUMBER, offsetof(NsSpringSettings, damping), .dimension = NS_DIM_DASHPOT, .standard = "0", .minimum = "0",
    .help = "force per rate of elongation (a dashpot)", .example = "10 N s/m"},
  {"direction", NS_KEY_VECTOR, offsetof(NsSpringSettings, direction), .standard = "[0, 0, 0]",
    .help = "direction in which it acts; without it: from node to node, or along the line of the body for springs to ground", .example = "[1, 0, 0]"},
  {NULL},
};
static void check_spring(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSpringSettings *spring = settings;

  (void)arena;
  if (spring->stiffness == 0 && spring->damping == 0) NsDiagError(diag, spring->where->place, "a spring needs a stiffness or a damping above zero");
}
const NsTable NsTable_Spring = {"spring", "spring and dashpot, massless and linear", spring_keys, sizeof(NsSpringSettings), .check = check_spring};

static const NsKey mass_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(NsMassSettings, at), .required = true, .least = 1, .help = "nodes that carry it, each the whole mass",
    .example = "bar.right"},
  {"mass", NS_KEY_NUMBER, offsetof(NsMassSettings, mass), .dimension = NS_DIM_MASS, .required = true, .minimum = "0 <", .help = "point mass",
    .example = "0.2 kg"},
  {NULL},
};
const NsTable NsTable_Mass = {"mass", "point mass", mass_keys, sizeof(NsMassSettings)};

static const NsKey load_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(NsLoadSettings, at), .help = "nodes on which `force` acts, on each the whole of it", .example = "bar.right"},
  {"on", NS_KEY_STRING, offsetof(NsLoadSettings, on), .help = "body on whose length `force_per_length` acts", .example = "bar"},
  {"force", NS_KEY_VECTOR, offsetof(NsLoadSettings, force), .dimension = NS_DIM_FORCE, .standard = "[0, 0, 0]", .help = "force on nodes",
    .example = "[-1 kN, 0, 0]"},
  {"force_per_length", NS_KEY_VECTOR, offsetof(NsLoadSettings, force_per_length), .dimension = NS_DIM_FORCE_PER_LENGTH, .standard = "[0, 0, 0]",
    .help = "force per length of the body", .example = "[10 N/m, 0, 0]"},
  {"time", NS_KEY_TABLE, offsetof(NsLoadSettings, time), .table = &NsTable_TimeFunction, .help = "factor over time; without it the load is constant",
    .example = "{harmonic: {frequency: 50 Hz}}"},
  {NULL},
};
static void check_load(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsLoadSettings *load = settings;
  const NsNode         *here = load->where;

  (void)arena;
  if (load->at.count && !NsTreeChild(here, "force")) NsDiagError(diag, here->place, "a load `at` nodes needs a `force`");
  if (load->on && !NsTreeChild(here, "force_per_length")) NsDiagError(diag, here->place, "a load `on` a body needs a `force_per_length`");
  if (load->at.count && NsTreeChild(here, "force_per_length"))
    NsDiagError(diag, NsKeysPlace(here, "force_per_length"), "force_per_length goes with `on`, not with `at`");
  if (load->on && NsTreeChild(here, "force")) NsDiagError(diag, NsKeysPlace(here, "force"), "force goes with `at`, not with `on`");
}
const NsTable NsTable_Load = {"load", "force on nodes or along a body", load_keys, sizeof(NsLoadSettings), .one_of = "at, on", .check = check_load};

/* Holds the unknowns of a node whose direction lies within the fixed ones; those that lie across are a mistake. */
static void hold(NsFe *fe, const NsSupportSettings *support, PetscInt node, const PetscBool fixed[3], PetscBool *met)
{
  const NsFeBody *body = &fe->body[fe->node_body[node]];

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    PetscReal in = 0;
    for (int k = 0; k < 3; k++) in += fixed[k] ? PetscSqr(body->direction[a][k]) : 0;
    if (in < 1e-16) continue;
    if (in < 1 - 1e-12) {
      NsDiagError(fe->diag, NsKeysPlace(support->where, "fix"), "nodes of '%s' move along (%g, %g, %g) only, which is neither held nor free by this",
        body->name, body->direction[a][0], body->direction[a][1], body->direction[a][2]);
      NsDiagNote(fe->diag, "write `fix: all`");
      return;
    }
    fe->unknown[NS_NODE_UNKNOWNS * node + a] = -1;
    *met                                     = PETSC_TRUE;
  }
}

void NsFeSupports(NsFe *fe)
{
  const NsList            *list    = &fe->config->supports;
  const NsSupportSettings *support = list->items;

  for (int s = 0; s < list->count; s++) {
    PetscBool fixed[3] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
    for (int i = 0; i < support[s].fix.count; i++) {
      const char *word = support[s].fix.items[i];
      for (int k = 0; k < 3; k++) fixed[k] = fixed[k] || word[0] == 'a' || word[0] == "xyz"[k];
    }
    for (int i = 0; i < support[s].at.count; i++) {
      const NsPlace   place = support[s].at.where[i]->place;
      PetscBool       met   = PETSC_FALSE;
      PetscInt        count;
      const int       before = NsDiagErrors(fe->diag);
      const PetscInt *nodes  = NsFeFindNodes(fe, support[s].at.items[i], place, PETSC_FALSE, &count);
      for (PetscInt n = 0; nodes && n < count; n++) hold(fe, &support[s], nodes[n], fixed, &met);
      if (nodes && !met && NsDiagErrors(fe->diag) == before) {
        NsDiagError(fe->diag, NsKeysPlace(support[s].where, "fix"), "'%s' cannot move in these directions anyway: the support holds nothing",
          support[s].at.items[i]);
      }
    }
  }
  for (PetscInt i = 0; i < NS_NODE_UNKNOWNS * fe->nodes; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[i / NS_NODE_UNKNOWNS]];
    if (i % NS_NODE_UNKNOWNS >= body->node_unknowns)
      fe->unknown[i] = -1;
    else if (fe->unknown[i] == 0)
      fe->unknown[i] = fe->unknowns++;
  }
  if (fe->unknowns == 0 && !NsDiagErrors(fe->diag))
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "supports"), "the supports hold everything: nothing can move");
}

/* The direction of a spring: given, or from node to node, or the body's line. */
static PetscBool spring_direction(NsFe *fe, const NsSpringSettings *settings, NsFeSpring *spring)
{
  PetscReal d[3], length = 0;

  for (int k = 0; k < 3; k++) d[k] = settings->direction[k];
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
    if (spring->node[1] < 0) {
      if (!NsFeAxis(fe, spring->node[0], d)) {
        NsDiagError(fe->diag, settings->where->place, "this spring needs a `direction`: '%s' lies on no single line", settings->between.items[0]);
        return PETSC_FALSE;
      }
    } else {
      for (int k = 0; k < 3; k++) d[k] = fe->x[3 * spring->node[1] + k] - fe->x[3 * spring->node[0] + k];
    }
  }
  for (int k = 0; k < 3; k++) length += PetscSqr(d[k]);
  length = PetscSqrtReal(length);
  if (length == 0) {
    NsDiagError(fe->diag, settings->where->place, "this spring needs a `direction`: its nodes are at the same place");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) spring->direction[k] = d[k] / length;
  return PETSC_TRUE;
}

static PetscBool spring_moves(const NsFe *fe, const NsFeSpring *spring)
{
  for (int p = 0; p < 2 && spring->node[p] >= 0; p++) {
    const NsFeBody *body = &fe->body[fe->node_body[spring->node[p]]];
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      PetscReal along = 0;
      for (int k = 0; k < 3; k++) along += spring->direction[k] * body->direction[a][k];
      if (fe->unknown[NS_NODE_UNKNOWNS * spring->node[p] + a] >= 0 && PetscAbsReal(along) > 1e-12) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static void add_springs(NsFe *fe)
{
  const NsList           *list     = &fe->config->springs;
  const NsSpringSettings *settings = list->items;

  fe->spring = NsArenaAlloc(fe->arena, sizeof(*fe->spring) * (size_t)PetscMax(1, list->count));
  for (int s = 0; s < list->count; s++) {
    NsFeSpring *spring = &fe->spring[fe->springs];
    PetscInt    node[2];
    PetscBool   good = PETSC_TRUE;
    for (int k = 0; k < 2; k++) {
      if (!NsFeFindNode(fe, settings[s].between.items[k], settings[s].between.where[k]->place, PETSC_TRUE, &node[k])) good = PETSC_FALSE;
    }
    if (!good) continue;
    if (node[0] == node[1]) {
      NsDiagError(fe->diag, NsKeysPlace(settings[s].where, "between"), "a spring goes between two different nodes, or a node and `ground`");
      continue;
    }
    spring->node[0]   = node[0] < 0 ? node[1] : node[0];
    spring->node[1]   = node[0] < 0 ? -1 : node[1];
    spring->name      = list->names[s];
    spring->stiffness = settings[s].stiffness;
    spring->damping   = settings[s].damping;
    if (!spring_direction(fe, &settings[s], spring)) continue;
    if (!spring_moves(fe, spring)) {
      NsDiagWarning(
        fe->diag, NsKeysPlace(settings[s].where, "direction"), "this spring moves nothing: its nodes are held, or cannot move in its direction");
    }
    fe->springs++;
  }
}

static void add_masses(NsFe *fe)
{
  const NsList         *list     = &fe->config->masses;
  const NsMassSettings *settings = list->items;
  size_t                capacity = 1;

  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    for (int m = 0; m < list->count; m++) {
      for (int i = 0; i < settings[m].at.count; i++) {
        PetscInt        count;
        const PetscInt *nodes = NsFeFindNodes(fe, settings[m].at.items[i], settings[m].at.where[i]->place, PETSC_FALSE, &count);
        if (!nodes) continue;
        if (pass == 0)
          capacity += (size_t)count;
        else {
          for (PetscInt n = 0; n < count; n++) fe->mass[fe->masses++] = (NsFeMass){nodes[n], settings[m].mass};
        }
      }
    }
    if (pass == 0) fe->mass = NsArenaAlloc(fe->arena, sizeof(*fe->mass) * capacity);
  }
}

static void load_node(const NsFe *fe, NsFeLoad *load, PetscInt node, const double force[3], PetscReal share)
{
  const NsFeBody *body = &fe->body[fe->node_body[node]];

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * node + a];
    PetscReal      value   = 0;
    for (int k = 0; k < 3; k++) value += share * force[k] * body->direction[a][k];
    if (unknown < 0 || value == 0) continue;
    load->unknown[load->entries] = unknown;
    load->value[load->entries++] = value;
  }
}

static NsFeLoad *new_load(NsFe *fe, const NsLoadSettings *settings, PetscInt nodes)
{
  NsFeLoad    *load     = &fe->load[fe->loads++];
  const size_t capacity = NS_NODE_UNKNOWNS * (size_t)PetscMax(1, nodes);

  load->time    = settings->time;
  load->unknown = NsArenaAlloc(fe->arena, sizeof(*load->unknown) * capacity);
  load->value   = NsArenaAlloc(fe->arena, sizeof(*load->value) * capacity);
  return load;
}

/* A load that moves nothing is a mistake of direction. */
static void check_effect(NsFe *fe, const NsFeLoad *load, const NsLoadSettings *settings, const char *key)
{
  if (!load->entries)
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, key), "this load moves nothing: its nodes are held, or cannot move in its direction");
}

static void add_load_at(NsFe *fe, const NsLoadSettings *settings)
{
  for (int i = 0; i < settings->at.count; i++) {
    PetscInt        count;
    const PetscInt *nodes = NsFeFindNodes(fe, settings->at.items[i], settings->at.where[i]->place, PETSC_FALSE, &count);
    if (!nodes) continue;
    NsFeLoad *load = new_load(fe, settings, count);
    for (PetscInt n = 0; n < count; n++) load_node(fe, load, nodes[n], settings->force, 1);
    check_effect(fe, load, settings, "force");
  }
}

static void add_load_on(NsFe *fe, const NsLoadSettings *settings)
{
  const NsFeBody *body = NsFeFindBody(fe, settings->on, strlen(settings->on), NsKeysPlace(settings->where, "on"));

  if (!body) return;
  NsFeLoad *load = new_load(fe, settings, 2 * body->mesh->elements);
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[body->first_element + i];
    for (int k = 0; k < 2; k++) load_node(fe, load, e->node[k], settings->force_per_length, e->length / 2);
  }
  check_effect(fe, load, settings, "force_per_length");
}

static void add_loads(NsFe *fe)
{
  const NsList         *list     = &fe->config->loads;
  const NsLoadSettings *settings = list->items;
  size_t                capacity = 1;

  for (int l = 0; l < list->count; l++) capacity += 1 + (size_t)settings[l].at.count;
  fe->load = NsArenaAlloc(fe->arena, sizeof(*fe->load) * capacity);
  for (int l = 0; l < list->count; l++) {
    if (settings[l].on)
      add_load_on(fe, &settings[l]);
    else
      add_load_at(fe, &settings[l]);
  }
}

void NsFeAttachments(NsFe *fe)
{
  add_springs(fe);
  add_masses(fe);
  add_loads(fe);
}
