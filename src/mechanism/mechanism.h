/*
  Mechanisms in the program: their key tables, and the model made from one. The contract of a mechanism is percuss/mechanism.h.
*/
#pragma once
#include "contact/laws/law.h"
#include "percuss/mechanism.h"
#include "percuss/model.h"
#include "percuss/settings.h"

/* The law of a contact of a mechanism by its name. */
typedef struct {
  const NsNode        *where;
  NsContactLawSettings law;
} NsMechanismEachLaw;

/* The law of all contacts of a mechanism, and of single ones. */
typedef struct {
  const NsNode        *where;
  NsContactLawSettings law;
  double               gap_tolerance;
  NsList               each; /* NsMechanismEachLaw by the names of contacts */
} NsMechanismLaw;

/* Initial values: position and rate of each coordinate. */
typedef struct {
  const NsNode *where;
  double        value[2 * NS_MECHANISM_COORDINATES]; /* q_0, v_0, q_1, v_1 ... */
} NsMechanismInitial;

typedef struct {
  const NsNode             *where;
  double                    parameter[NS_MECHANISM_PARAMETERS];
  const NsMechanismInitial *initial;
  const NsMechanismLaw     *contact;
} NsMechanismSettings;

_Static_assert(offsetof(NsMechanismLaw, where) == 0 && offsetof(NsMechanismInitial, where) == 0 && offsetof(NsMechanismSettings, where) == 0,
  "the reader of tables fills `where` at the beginning of each struct");

#define NS_MECHANISM(name) extern NsVariant NsBodyVariant_##name;
#include "list.h"
#undef NS_MECHANISM
extern const NsVariant NsBodyVariant_Plugin;

/* Whether this body is a mechanism, built in or a plugin. */
PetscBool NsMechanismIs(const NsChosen *body);
/* The mechanism of such a body, and its settings: from the reader, or for a plugin by its own tables. NULL after errors in diag. */
const NsMechanism *NsMechanismFind(const NsChosen *body, NsMechanismSettings *settings, NsArena *arena, NsDiag *diag);
/* The model of a config with a mechanism, which must be its only body. *model is NULL after errors in the config. */
PetscErrorCode NsModelCreate_Mechanism(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **model);

/* src/mechanism/tables.c: key tables made from the lists of a mechanism, and their memory. */
typedef struct {
  NsKey   keys[NS_MECHANISM_PARAMETERS + 3], initial_keys[2 * NS_MECHANISM_COORDINATES + 1];
  NsKey   parameter_keys[NS_MECHANISM_PARAMETERS + 1]; /* the parameters alone, as in a plugin's config */
  NsTable table, initial_table, parameter_table;
  char    initial_name[64];
} NsMechanismTables;
void                 NsMechanismMakeTables(const NsMechanism *mechanism, NsMechanismTables *tables);
extern const NsTable NsTable_MechanismLaw;

/* src/mechanism/plugin.c: loads the library of a plugin body and reads its settings; NULL after errors in diag. The library stays loaded. */
const NsMechanism *NsMechanismLoad(const NsChosen *body, NsMechanismSettings *settings, NsArena *arena, NsDiag *diag);

/* The scale of a coordinate, for differences: the typical length for lengths, 1 for angles and numbers. */
static inline double NsMechanismScale(const NsMechanism *m, const NsMechanismCase *c, PetscInt coordinate)
{
  return m->coordinates[coordinate].dimension[0] ? m->length(c) : 1;
}

/* Coordinates, contacts and rows of a case. */
typedef struct {
  int n, contacts, rows;
} NsMechanismSize;

/* src/mechanism/create.c: those of the lists, or as many of them as `sizes` returns; n = 0 where it returns more than there are, or no coordinate. */
NsMechanismSize NsMechanismSizeOf(const NsMechanism *mechanism, const NsMechanismCase *c);

/* src/mechanism/verify.c: checks that the functions of a mechanism are consistent, at and near the start; errors go to diag. */
void NsMechanismVerify(
  const NsMechanism *mechanism, const NsMechanismCase *c, const double *start, NsPlace place, const NsCandidate *candidate, NsDiag *diag);
