/*
  Materials of solids as the config gives them: isotropic or orthotropic.
*/
#pragma once
#include "fe/elements/solid.h"
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  double        young[3], poisson[3], shear[3]; /* Pa, -, Pa: of 1, 2, 3; of 12, 13, 23 */
  double        axis_1[3], axis_2[3];           /* zeros: the default */
} NsOrthotropicSettings;

typedef struct {
  const NsNode                *where;
  double                       density, young, poisson; /* of orthotropic materials young and poisson are 0 */
  const NsOrthotropicSettings *orthotropic;             /* NULL: isotropic */
} NsSolidMaterialSettings;

extern const NsTable NsTable_SolidMaterial;

/* In the arena; of values that make no material (an error in diag) an isotropic one. */
const NsSolidMaterial *NsSolidMaterialMake(NsFe *fe, const NsSolidMaterialSettings *settings, const NsSolidTheory *theory);
