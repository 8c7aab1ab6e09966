/*
  A mechanism from a user's own shared object: loaded when the config is read, with the same table of functions as the built-in ones.

  How to write one, in ten minutes: configs/plugin/README.md.
*/
#include <dlfcn.h>
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
    .example = "../build/release/configs/plugin/belt_block.so"},
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
  .about = "The library defines `const NsMechanism percuss_mechanism`, a table of C functions (include/percuss/mechanism.h): mass matrix, forces,\n"
           "gaps and rows of contacts. Every scheme, output and command then works with it. Its functions are checked against each other\n"
           "at the start (rows against gaps, forces against energies). configs/plugin has an example and explains it.",
  .table = &plugin_table,
};

/* What the table lacks; NULL: nothing. */
static const char *lacks(const NsMechanism *m)
{
  int n = 0;

  if (!m->name) return "name";
  if (!m->coordinates || !m->coordinates[0].name) return "coordinates";
  if (!m->length) return "length";
  if (!m->mass) return "mass";
  if (!m->force) return "force";
  if (!m->energy) return "energy";
  if (m->contacts && m->contacts[0].name && !m->contact) return "contact";
  for (n = 0; m->coordinates[n].name; n++) {
    if (!m->coordinates[n].rate || !m->coordinates[n].position || !m->coordinates[n].speed) return "rate, position and speed of every coordinate";
  }
  if (n > NS_MECHANISM_COORDINATES) return "room: it has more coordinates than NS_MECHANISM_COORDINATES";
  for (n = 0; m->parameters && m->parameters[n].name; n++) {}
  if (n > NS_MECHANISM_PARAMETERS) return "room: it has more parameters than NS_MECHANISM_PARAMETERS";
  return NULL;
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
  if (!NsKeysRead(&tables->parameter_table, plugin->parameters, settings, arena, diag)) return NULL;
  NsMechanismInitial *initial = NsArenaAlloc(arena, sizeof(*initial));
  if (!NsKeysRead(&tables->initial_table, plugin->initial, initial, arena, diag)) return NULL;
  settings->initial = initial;
  settings->contact = plugin->contact;
  return mechanism;
}
