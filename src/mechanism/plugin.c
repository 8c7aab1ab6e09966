/*
  A mechanism from a user's own shared object: loaded when the config is read, with the same table of functions as the built-in ones.

  How to write one, in ten minutes: configs/plugin/README.md.
*/
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "mechanism.h"

typedef struct {
  const NsNode         *where;
  const char           *library;
  const NsNode         *parameters, *initial;
  const NsMechanismLaw *contact;
} NsPluginSettings;

static const NsKey plugin_keys[] = {
  {"library", NS_KEY_STRING, offsetof(NsPluginSettings, library), .required = true, .help = "shared object, relative to the config's folder",
    .example = "../build/release/plugin/belt_block.so"},
  {"parameters", NS_KEY_MAPPING, offsetof(NsPluginSettings, parameters), .help = "the plugin's own parameters", .example = "{mass: 1 kg}"},
  {"initial", NS_KEY_MAPPING, offsetof(NsPluginSettings, initial), .help = "coordinates and rates at the start, by the plugin's names",
    .example = "{x: 1 mm}"},
  {"contact", NS_KEY_TABLE, offsetof(NsPluginSettings, contact), .table = &NsTable_MechanismLaw, .standard = "{}", .help = "law of all its contacts",
    .example = "{restitution: 0.4, friction: 0.01}"},
  {NULL},
};
static const NsTable plugin_table = {"plugin", "mechanism from a shared object", plugin_keys, sizeof(NsPluginSettings)};

const NsVariant NsBodyVariant_Plugin = {
  .name  = "plugin",
  .title = "a mechanism of your own, from a shared object",
  .about = "The library defines `const NsMechanism percuss_mechanism`, a table of C functions\n"
           "(include/percuss/mechanism.h): mass matrix, forces, gaps and rows of contacts. Every scheme, output and\n"
           "command then works with it. Its functions are checked against each other at the start (rows against gaps,\n"
           "forces against energies). configs/plugin has an example and explains it.",
  .table = &plugin_table,
};

/* What the table lacks; NULL: nothing. */
static const char *lacks(const NsMechanism *m)
{
  int n = 0;

  if (!m->name || !m->name[0]) return "name";
  if (!m->coordinates || !m->coordinates[0].name) return "coordinates";
  if (!m->length) return "length";
  if (!m->mass) return "mass";
  if (!m->force) return "force";
  if (!m->energy) return "energy";
  if (m->contacts && m->contacts[0].name && !m->contact) return "contact";
  for (n = 0; m->coordinates[n].name; n++) {
    if (n == NS_MECHANISM_COORDINATES) return "room: it has more coordinates than NS_MECHANISM_COORDINATES";
    if (!m->coordinates[n].rate || !m->coordinates[n].position || !m->coordinates[n].speed) return "rate, position and speed of every coordinate";
  }
  for (n = 0; m->parameters && m->parameters[n].name; n++) {
    if (n == NS_MECHANISM_PARAMETERS) return "room: it has more parameters than NS_MECHANISM_PARAMETERS";
  }
  for (n = 0; m->contacts && m->contacts[n].name; n++) {
    if (m->contacts[n].tangents < 0 || m->contacts[n].tangents > 2) return "sense: a contact has 0, 1 or 2 tangents";
    if (m->contacts[n].bilateral && m->contacts[n].tangents) return "sense: a joint has no tangents";
  }
  if (m->points < 0 || m->lines < 0) return "sense: it has fewer than no points or lines";
  if (m->points > NS_MECHANISM_POINTS || m->lines > NS_MECHANISM_POINTS) return "room: it has more points or lines than NS_MECHANISM_POINTS";
  if (m->draw && m->points < 1) return "points to draw";
  if (m->draw && m->lines > 0 && !m->line) return "line, the ends of its lines";
  for (n = 0; m->draw && n < 2 * m->lines; n++) {
    if (m->line[n / 2][n % 2] < 0 || m->line[n / 2][n % 2] >= m->points) return "sense: a line ends at a point that is none";
  }
  return NULL;
}

/* "0", "0 <", "< 1" as a number; false when it is none. */
static bool read_bound(const char *text, double *value)
{
  char plain[64];

  while (*text == ' ' || *text == '<') text++;
  (void)snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(text, " <"), text);
  return !NsParseNumber(plain, value);
}

static bool is_word(const char *name)
{
  return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* Names, defaults and bounds are the plugin author's: what is wrong with them is said here, before the reader trusts them. */
static bool check_key(const NsKey *keys, const NsKey *key, NsPlace place, NsDiag *diag)
{
  char   message[256] = "";
  double value = 0, low = 0, high = 0;
  int    column, length;
  bool   twice = false;

  for (const NsKey *other = keys; other < key; other++) twice = twice || !strcmp(other->name, key->name);
  if (twice || !is_word(key->name)) {
    NsDiagError(
      diag, place, "the plugin's table: the name '%s' %s", key->name, twice ? "stands there twice" : "is not made of letters, digits and _");
    return false;
  }
  if (key->standard && !NsParseQuantity(key->standard, key->dimension, &value, message, sizeof(message), &column, &length)) {
    NsDiagError(diag, place, "the plugin's table: default '%s' of '%s': %s", key->standard, key->name, message);
    return false;
  }
  if ((key->minimum && !read_bound(key->minimum, &low)) || (key->maximum && !read_bound(key->maximum, &high))) {
    NsDiagError(diag, place, "the plugin's table: the bounds of '%s' do not read: write \"0\", \"0 <\" or \"< 1\"", key->name);
    return false;
  }
  if (key->standard && ((key->minimum && (strchr(key->minimum, '<') ? value <= low : value < low)) ||
                         (key->maximum && (strchr(key->maximum, '<') ? value >= high : value > high)))) {
    NsDiagError(diag, place, "the plugin's table: default '%s' of '%s' is out of its own range", key->standard, key->name);
    return false;
  }
  return true;
}

/* Contacts name columns. */
static bool check_contacts(const NsMechanismContact *contacts, NsPlace place, NsDiag *diag)
{
  for (const NsMechanismContact *contact = contacts; contact && contact->name; contact++) {
    bool twice = false;
    for (const NsMechanismContact *other = contacts; other < contact; other++) twice = twice || !strcmp(other->name, contact->name);
    if (!twice && is_word(contact->name)) continue;
    NsDiagError(diag, place, "the plugin's table: the name '%s' of a contact %s", contact->name,
      twice ? "stands there twice" : "is not made of letters, digits and _");
    return false;
  }
  return true;
}

/* Points name probes, as coordinates and rates do. */
static bool check_points(const NsMechanism *m, NsPlace place, NsDiag *diag)
{
  for (int i = 0; m->draw && m->point_names && i < m->points; i++) {
    const char *name  = m->point_names[i];
    bool        twice = false;
    if (!name) continue;
    for (int k = 0; k < i; k++) twice = twice || (m->point_names[k] && !strcmp(m->point_names[k], name));
    for (const NsMechanismCoordinate *c = m->coordinates; c->name; c++) twice = twice || !strcmp(c->name, name) || !strcmp(c->rate, name);
    if (!twice && is_word(name)) continue;
    NsDiagError(diag, place, "the plugin's table: the name '%s' of a point %s", name,
      twice ? "stands there twice, or is that of a coordinate" : "is not made of letters, digits and _");
    return false;
  }
  return true;
}

static bool check_keys(const NsKey *keys, NsPlace place, NsDiag *diag)
{
  bool good = true;

  for (const NsKey *key = keys; key->name; key++) good = check_key(keys, key, place, diag) && good;
  return good;
}

/* The mapping behind a key; where it is absent an empty one in its place, so that messages know where they belong. */
static const NsNode *mapping(const NsNode *body, const NsNode *node, const char *key, NsArena *arena)
{
  NsNode *empty;

  if (node) return node;
  empty            = NsArenaAlloc(arena, sizeof(*empty));
  empty->kind      = NS_NODE_MAP;
  empty->key       = key;
  empty->parent    = (NsNode *)body;
  empty->place     = body->place;
  empty->key_place = body->key_place;
  return empty;
}

const NsMechanism *NsMechanismLoad(const NsChosen *body, NsMechanismSettings *settings, NsArena *arena, NsDiag *diag)
{
  const NsPluginSettings *plugin = body->settings;
  const NsNode           *node   = NsTreeChild(plugin->where, "library");
  const NsPlace           place  = NsKeysPlace(plugin->where, "library");
  const char             *path   = NsTreeFile(node, arena), *missing;
  void                   *library;

  /* without a slash the loader would search its own folders */
  library = dlopen(strchr(path, '/') ? path : NsArenaPrint(arena, "./%s", path), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    NsDiagError(diag, place, "cannot load the plugin: %s", dlerror());
    NsDiagNote(diag, "a shared object is wanted, by its path from the config's folder: cc -shared -fPIC -O2 -I PERCUSS/include my.c -o my.so");
    return NULL;
  }
  const NsMechanism *mechanism = dlsym(library, "percuss_mechanism");
  if (!mechanism) {
    NsDiagError(diag, place, "'%s' defines no `percuss_mechanism`", path);
    NsDiagNote(diag, "const NsMechanism percuss_mechanism = {.version = NS_MECHANISM_VERSION, ...}; see include/percuss/mechanism.h");
    return NULL;
  }
  if (mechanism->version != NS_MECHANISM_VERSION) {
    NsDiagError(diag, place, "the plugin was made for version %d of the mechanism's table, this program has version %d: build it anew",
      mechanism->version, NS_MECHANISM_VERSION);
    return NULL;
  }
  missing = lacks(mechanism);
  if (missing) {
    NsDiagError(diag, place, "the plugin's table lacks %s", missing);
    return NULL;
  }
  NsMechanismTables *tables = NsArenaAlloc(arena, sizeof(*tables));
  NsMechanismMakeTables(mechanism, tables);
  if (!check_keys(tables->parameter_keys, place, diag) || !check_keys(tables->initial_keys, place, diag) ||
      !check_contacts(mechanism->contacts, place, diag) || !check_points(mechanism, place, diag))
    return NULL;
  if (!NsKeysRead(&tables->parameter_table, mapping(plugin->where, plugin->parameters, "parameters", arena), settings, arena, diag)) return NULL;
  NsMechanismInitial *initial = NsArenaAlloc(arena, sizeof(*initial));
  if (!NsKeysRead(&tables->initial_table, mapping(plugin->where, plugin->initial, "initial", arena), initial, arena, diag)) return NULL;
  settings->initial = initial;
  settings->contact = plugin->contact;
  return mechanism;
}
