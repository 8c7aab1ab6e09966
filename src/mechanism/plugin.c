/*
  A mechanism from the user's shared object: loaded when the config is read, with the same function table as the built-in ones.

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
_Static_assert(offsetof(NsPluginSettings, where) == 0, "the reader of tables fills `where` at the beginning of each struct");

static const NsKey plugin_keys[] = {
  {"library", NS_KEY_STRING, offsetof(NsPluginSettings, library), .file = true, .required = true,
    .help = "shared object, relative to the config's folder", .example = "../build/release/plugin/belt_block.so"},
  {"parameters", NS_KEY_MAPPING, offsetof(NsPluginSettings, parameters), .help = "the plugin's own parameters", .example = "{mass: 1 kg}"},
  {"initial", NS_KEY_MAPPING, offsetof(NsPluginSettings, initial), .help = "coordinates and rates at the start, by the plugin's names",
    .example = "{x: 1 mm}"},
  {"contact", NS_KEY_TABLE, offsetof(NsPluginSettings, contact), .table = &NsTable_MechanismLaw, .default_value = "{}",
    .help = "law of all its contacts", .example = "{restitution: 0.4, friction: 0.01}"},
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

/* What is wrong with the table, in a sentence; NULL: nothing. */
static const char *wrong_with(const NsMechanism *m)
{
  int n = 0;

  if (!m->name || !m->name[0]) return "has no name";
  if (!m->coordinates || !m->coordinates[0].name) return "has no coordinates";
  if (!m->length) return "has no length";
  if (!m->mass) return "has no mass";
  if (!m->force) return "has no force";
  if (!m->energy) return "has no energy";
  if (m->contacts && m->contacts[0].name && !m->contact) return "has contacts, but no function contact";
  for (n = 0; m->coordinates[n].name; n++) {
    if (n == NS_MECHANISM_COORDINATES) return "has more coordinates than NS_MECHANISM_COORDINATES";
    if (!m->coordinates[n].rate || !m->coordinates[n].position || !m->coordinates[n].speed) return "has a coordinate without rate, position or speed";
  }
  for (n = 0; m->parameters && m->parameters[n].name; n++) {
    if (n == NS_MECHANISM_PARAMETERS) return "has more parameters than NS_MECHANISM_PARAMETERS";
  }
  for (n = 0; m->contacts && m->contacts[n].name; n++) {
    if (m->contacts[n].tangents < 0 || m->contacts[n].tangents > 2) return "has a contact with less than 0 or more than 2 tangents";
    if (m->contacts[n].bilateral && m->contacts[n].tangents) return "has a joint with tangents";
  }
  if (m->points < 0 || m->lines < 0) return "has a negative number of points or lines";
  if (m->points > NS_MECHANISM_POINTS || m->lines > NS_MECHANISM_POINTS) return "has more points or lines than NS_MECHANISM_POINTS";
  if (m->draw && m->points < 1) return "has draw, but no points";
  if (m->draw && m->lines > 0 && !m->line) return "has lines, but no line";
  for (n = 0; m->draw && n < 2 * m->lines; n++) {
    if (m->line[n / 2][n % 2] < 0 || m->line[n / 2][n % 2] >= m->points) return "has a line to a point that does not exist";
  }
  return NULL;
}

/* "0", "0 <", "< 1" as a number; false: it is not one. */
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

/* Checks names, defaults and bounds of a plugin before the reader uses them. */
static bool check_key(const NsKey *keys, const NsKey *key, NsPlace place, NsDiag *diag)
{
  char   message[256] = "";
  double value = 0, low = 0, high = 0;
  int    column, length;
  bool   twice = false;

  for (const NsKey *other = keys; other < key; other++) twice = twice || !strcmp(other->name, key->name);
  if (twice || !is_word(key->name)) {
    NsDiagError(diag, place, "the plugin's table: the name '%s' %s", key->name, twice ? "is used twice" : "must consist of letters, digits and _");
    return false;
  }
  if (key->default_value && !NsParseQuantity(key->default_value, key->dimension, &value, message, sizeof(message), &column, &length)) {
    NsDiagError(diag, place, "the plugin's table: default '%s' of '%s': %s", key->default_value, key->name, message);
    return false;
  }
  if ((key->minimum && !read_bound(key->minimum, &low)) || (key->maximum && !read_bound(key->maximum, &high))) {
    NsDiagError(diag, place, "the plugin's table: cannot read the bounds of '%s': write \"0\", \"0 <\" or \"< 1\"", key->name);
    return false;
  }
  if (key->default_value && ((key->minimum && (strchr(key->minimum, '<') ? value <= low : value < low)) ||
                              (key->maximum && (strchr(key->maximum, '<') ? value >= high : value > high)))) {
    NsDiagError(diag, place, "the plugin's table: default '%s' of '%s' is out of its own range", key->default_value, key->name);
    return false;
  }
  return true;
}

/* Names of contacts are names of columns. */
static bool check_contacts(const NsMechanismContact *contacts, NsPlace place, NsDiag *diag)
{
  for (const NsMechanismContact *contact = contacts; contact && contact->name; contact++) {
    bool twice = false;
    for (const NsMechanismContact *other = contacts; other < contact; other++) twice = twice || !strcmp(other->name, contact->name);
    if (!twice && is_word(contact->name)) continue;
    NsDiagError(diag, place, "the plugin's table: the name '%s' of a contact %s", contact->name,
      twice ? "is used twice" : "must consist of letters, digits and _");
    return false;
  }
  return true;
}

/* Names of points are names of probes, as those of coordinates and rates. */
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
      twice ? "is used twice, or is that of a coordinate" : "must consist of letters, digits and _");
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

/* The mapping of a key; where it is absent an empty one, so that messages have a place. */
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
  const char             *path   = NsTreeFile(node, arena), *wrong;
  void                   *library;

  /* without a slash the loader would search its own folders */
  library = dlopen(strchr(path, '/') ? path : NsArenaPrint(arena, "./%s", path), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    NsDiagError(diag, place, "cannot load the plugin: %s", dlerror());
    NsDiagNote(diag, "give the path of a shared object from the config's folder; build it by: cc -shared -fPIC -O2 -I PERCUSS/include my.c -o my.so");
    return NULL;
  }
  const NsMechanism *mechanism = dlsym(library, "percuss_mechanism");
  if (!mechanism) {
    NsDiagError(diag, place, "'%s' defines no `percuss_mechanism`", path);
    NsDiagNote(diag, "const NsMechanism percuss_mechanism = {.version = NS_MECHANISM_VERSION, ...}; see include/percuss/mechanism.h");
    return NULL;
  }
  if (mechanism->version != NS_MECHANISM_VERSION) {
    NsDiagError(diag, place, "the plugin was made for version %d of the mechanism's table, this program has version %d: rebuild it",
      mechanism->version, NS_MECHANISM_VERSION);
    return NULL;
  }
  wrong = wrong_with(mechanism);
  if (wrong) {
    NsDiagError(diag, place, "the plugin's table %s", wrong);
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
