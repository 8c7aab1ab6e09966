/*
  Mechanisms within the program: their key tables, and the model they make. What a mechanism itself is: percuss/mechanism.h.
*/
#pragma once
#include "percuss/mechanism.h"
#include "percuss/model.h"
#include "percuss/settings.h"

/* One law for all contacts of a mechanism. */
typedef struct {
  const NsNode *where;
  double        restitution, restitution_tangential, friction, gap_tolerance;
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

#define NS_MECHANISM(name) extern NsVariant NsBodyVariant_##name;
#include "list.h"
#undef NS_MECHANISM
extern const NsVariant NsBodyVariant_Plugin;

/* Whether this body is a mechanism, built in or a plugin. */
PetscBool NsMechanismIs(const NsChosen *body);
/* The mechanism behind such a body, and its settings: those the reader made, or for a plugin those its own tables say. NULL after errors in diag. */
const NsMechanism *NsMechanismFind(const NsChosen *body, NsMechanismSettings *settings, NsArena *arena, NsDiag *diag);
/* The model of a config whose bodies include a mechanism, which must then be the only one. *model is NULL after errors in the config. */
PetscErrorCode NsModelCreate_Mechanism(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **model);

/* src/mechanism/tables.c: key tables from the lists of a mechanism, and room for them. */
typedef struct {
  NsKey   keys[NS_MECHANISM_PARAMETERS + 3], initial_keys[2 * NS_MECHANISM_COORDINATES + 1];
  NsKey   parameter_keys[NS_MECHANISM_PARAMETERS + 1]; /* of the parameters alone, as a plugin's config has them */
  NsTable table, initial_table, parameter_table;
  char    initial_name[64];
} NsMechanismTables;
void                 NsMechanismMakeTables(const NsMechanism *mechanism, NsMechanismTables *tables);
extern const NsTable NsTable_MechanismLaw;

/* src/mechanism/plugin.c: loads the library of a plugin body and reads its settings; NULL after errors in diag. The library stays loaded. */
const NsMechanism *NsMechanismLoad(const NsChosen *body, NsMechanismSettings *settings, NsArena *arena, NsDiag *diag);

/* The size that counts as one for a coordinate: the typical length for lengths, 1 for angles and numbers. Differences are taken in its terms. */
static inline double NsMechanismScale(const NsMechanism *m, const NsMechanismCase *c, PetscInt coordinate)
{
  return m->coordinates[coordinate].dimension[0] ? m->length(c) : 1;
}

/* Coordinates, contacts and rows of a case. */
typedef struct {
  int n, contacts, rows;
} NsMechanismSize;

/* src/mechanism/create.c: those of the lists, or as many of them as `sizes` says; n = 0 where it says more than there are, or no coordinate. */
NsMechanismSize NsMechanismSizeOf(const NsMechanism *mechanism, const NsMechanismCase *c);

/* src/mechanism/verify.c: what functions of a mechanism must be to each other, tried at and near the start; mistakes go to diag. */
void NsMechanismVerify(
  const NsMechanism *mechanism, const NsMechanismCase *c, const double *start, NsPlace place, const NsCandidate *candidate, NsDiag *diag);
