/*
  Multibody systems: rigid bodies whose rotations are large, in the plane and in space, with springs, loads, joints and contacts, as other rooms see them.
*/
#pragma once
#include "percuss/keys.h"
#include "percuss/model.h"
#include "percuss/settings.h"

extern const NsVariant NsBodyVariant_Body;
/* Keys of `joints` and `drives`. */
extern const NsVariant *const NsJointVariants[];
extern const NsTable          NsTable_Drive;

/* Whether this body is one of `type: body`. */
PetscBool NsMultibodyIs(const NsChosen *body);
/* Lists of the config whose keys belong to other rooms: NsSpringSettings, NsLoadSettings (percuss/settings.h). */
typedef struct {
  const NsList *springs, *loads;
} NsMultibodyLists;

/* The model of a config whose bodies are all of `type: body`. *model is NULL after errors in the config. The arena lives as long as the model. */
PetscErrorCode NsModelCreate_Multibody(const NsConfig *config, NsMultibodyLists lists, NsArena *arena, NsDiag *diag, NsModel **model);
