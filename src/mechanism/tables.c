/*
  Key tables of mechanisms, made from the lists in their function tables: a mechanism states its parameters in one place, built in or as a plugin.

  They are filled before main, so that they are constants to all other rooms.
*/
#include <stdio.h>
#include <string.h>
#include "mechanism.h"

static void check_law(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsMechanismLaw *law = settings;

  (void)arena;
  NsContactLawCheck(&law->law, law->where, PETSC_TRUE, diag);
}

static void check_each(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsMechanismEachLaw *law = settings;

  (void)arena;
  NsContactLawCheck(&law->law, law->where, PETSC_FALSE, diag);
}

static const NsKey each_keys[] = {
  NS_CONTACT_LAW_KEYS(NsMechanismEachLaw),
  {NULL},
};
static const NsTable each_table = {
  "mechanism_contact_each", "law of one contact of a mechanism", each_keys, sizeof(NsMechanismEachLaw), .check = check_each};

static const NsKey law_keys[] = {
  NS_CONTACT_LAW_KEYS(NsMechanismLaw),
  {"each", NS_KEY_NAMED, offsetof(NsMechanismLaw, each), .table = &each_table,
    .help    = "laws of single contacts by their names (`percuss explain` of the body lists them); what they leave out is that of all",
    .example = "{left: {restitution: 0.2}}"},
  {"gap_tolerance", NS_KEY_NUMBER, offsetof(NsMechanismLaw, gap_tolerance), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "a contact with a gap up to this is closed, so that rounding does not open it", .example = "1e-12 m"},
  {NULL},
};
const NsTable NsTable_MechanismLaw = {
  "mechanism_contact", "law of all contacts of a mechanism", law_keys, sizeof(NsMechanismLaw), .check = check_law};

static NsDimension dimension_of(const signed char exponents[4], int time)
{
  return (NsDimension){exponents[0], exponents[1], (signed char)(exponents[2] - time), exponents[3]};
}

/* With a unit, even if the default is written without one. */
static const char *example_of(const char *default_value, const signed char dimension[4], int rate)
{
  if (strcmp(default_value, "0")) return default_value;
  if (dimension[3] == 1) return rate ? "10 rad/s" : "10 deg";
  if (dimension[0] == 1) return rate ? "1 m/s" : "1 mm";
  return default_value;
}

/* Whether it has a contact that is not a joint: joints have no law. */
static bool can_hit(const NsMechanism *mechanism)
{
  for (const NsMechanismContact *contact = mechanism->contacts; contact && contact->name; contact++) {
    if (!contact->bilateral) return true;
  }
  return false;
}

void NsMechanismMakeTables(const NsMechanism *mechanism, NsMechanismTables *tables)
{
  NsKey *key = tables->keys, *initial = tables->initial_keys;

  memset(tables, 0, sizeof(*tables));
  snprintf(tables->initial_name, sizeof(tables->initial_name), "initial_%.50s", mechanism->name);
  for (const NsMechanismCoordinate *c = mechanism->coordinates; c->name; c++) {
    for (int rate = 0; rate < 2; rate++) {
      const size_t number = (size_t)(2 * (c - mechanism->coordinates) + rate);
      *initial++          = (NsKey){.name = rate ? c->rate : c->name,
                 .kind                    = NS_KEY_NUMBER,
                 .offset                  = offsetof(NsMechanismInitial, value) + number * sizeof(double),
                 .dimension               = dimension_of(c->dimension, rate),
                 .default_value           = rate ? c->speed : c->position,
                 .help                    = rate ? "its rate at the start" : "coordinate at the start",
                 .example                 = example_of(rate ? c->speed : c->position, c->dimension, rate)};
    }
  }
  tables->initial_table = (NsTable){tables->initial_name, "state at the start", tables->initial_keys, sizeof(NsMechanismInitial)};
  for (const NsMechanismParameter *p = mechanism->parameters; p && p->name; p++) {
    *key++ = (NsKey){.name = p->name,
      .kind                = NS_KEY_NUMBER,
      .offset              = offsetof(NsMechanismSettings, parameter) + (size_t)(p - mechanism->parameters) * sizeof(double),
      .dimension           = dimension_of(p->dimension, 0),
      .required            = !p->default_value,
      .default_value       = p->default_value,
      .minimum             = p->minimum,
      .maximum             = p->maximum,
      .help                = p->help,
      .example             = p->default_value ? p->default_value : "1"};
  }
  memcpy(tables->parameter_keys, tables->keys, sizeof(*key) * (size_t)(key - tables->keys));
  tables->parameter_table = (NsTable){"parameters", mechanism->title, tables->parameter_keys, sizeof(NsMechanismSettings)};
  *key++                  = (NsKey){.name = "initial",
                     .kind                = NS_KEY_TABLE,
                     .offset              = offsetof(NsMechanismSettings, initial),
                     .table               = &tables->initial_table,
                     .default_value       = "{}",
                     .help                = "state at the start",
                     .example             = "{}"};
  if (can_hit(mechanism))
    *key++ = (NsKey){.name = "contact",
      .kind                = NS_KEY_TABLE,
      .offset              = offsetof(NsMechanismSettings, contact),
      .table               = &NsTable_MechanismLaw,
      .default_value       = "{}",
      .help                = "law of all its contacts",
      .example             = "{restitution: 0.4, friction: 0.01}"};
  tables->table = (NsTable){mechanism->name, mechanism->title, tables->keys, sizeof(NsMechanismSettings)};
}

#define NS_MECHANISM(name) \
  extern const NsMechanism NsMechanism_##name; \
  static NsMechanismTables tables_##name; \
  NsVariant                NsBodyVariant_##name;
#include "list.h"
#undef NS_MECHANISM

__attribute__((constructor)) static void make_all_tables(void)
{
#define NS_MECHANISM(id) \
  NsMechanismMakeTables(&NsMechanism_##id, &tables_##id); \
  NsBodyVariant_##id = (NsVariant){NsMechanism_##id.name, NsMechanism_##id.title, NsMechanism_##id.about, &tables_##id.table};
#include "list.h"
#undef NS_MECHANISM
}

PetscBool NsMechanismIs(const NsChosen *body)
{
#define NS_MECHANISM(name) \
  if (body->variant == &NsBodyVariant_##name) return PETSC_TRUE;
#include "list.h"
#undef NS_MECHANISM
  return body->variant == &NsBodyVariant_Plugin;
}

const NsMechanism *NsMechanismFind(const NsChosen *body, NsMechanismSettings *settings, NsArena *arena, NsDiag *diag)
{
#define NS_MECHANISM(name) \
  if (body->variant == &NsBodyVariant_##name) { \
    *settings = *(const NsMechanismSettings *)body->settings; \
    return &NsMechanism_##name; \
  }
#include "list.h"
#undef NS_MECHANISM
  return NsMechanismLoad(body, settings, arena, diag);
}
