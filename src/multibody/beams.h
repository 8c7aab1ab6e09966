/* Elastic rods: their nodes are bodies of the model, and beam elements are between them. See beams.c for the equations. */
#pragma once
#include "system.h"

typedef struct NsElasticSettings {
  const NsNode *where;
  double        young, poisson, damping;
  long          elements;
} NsElasticSettings;
extern const NsTable NsTable_Elastic;

/* One rod: its nodes are the bodies first .. first + elements, from left to right. */
struct NsMbBeam {
  const char *name;
  PetscInt    first, elements;
  PetscReal   length;          /* of an element */
  PetscReal   stiffness[2][3]; /* of an element along its axes: N/m, N m */
  PetscReal   damping;         /* s: of this times the stiffness */
  PetscReal  *rate;            /* [elements, 6] scratch: rates of the strains */
};

/* Number of bodies of a rod: its nodes; 1 if it is rigid (NULL). */
PetscInt NsMbBeamNodes(const NsElasticSettings *settings);
/* Appends the nodes of the rod, which is given as if it were rigid. */
void NsMbAddBeam(NsMultibody *self, const NsMbBody *rod, const NsElasticSettings *settings);
/* The node of a rod that is nearest to a point in space at the start. */
PetscInt NsMbBeamNearest(const NsMultibody *self, const NsMbBeam *beam, const PetscReal x[3]);
/* h += forces of a rod, by the frames with velocities; its elastic energy; the power that it dissipates at w, leaving the frames at (q, w). */
void      NsMbBeamForce(const NsMultibody *self, const NsMbBeam *beam, PetscReal *h);
PetscReal NsMbBeamElastic(const NsMultibody *self, const NsMbBeam *beam);
PetscReal NsMbBeamDamping(NsMultibody *self, const NsMbBeam *beam, const PetscReal *q, const PetscReal *v, const PetscReal *w);
/* Normal force (N) and elastic energy (J) of an element, by the frames. */
void NsMbBeamElement(const NsMultibody *self, const NsMbBeam *beam, PetscInt element, PetscReal *normal_force, PetscReal *energy);
/* frequencies.c: what is known of the highest frequencies: of models with elastic rods. */
void NsMbFrequencies(const NsMultibody *self, NsModel *model);
