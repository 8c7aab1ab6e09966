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
};

/* Number of bodies of a rod: its nodes; 1 if it is rigid (NULL). */
PetscInt NsMbBeamNodes(const NsElasticSettings *settings);
/* Appends the nodes of the rod, which is given as if it were rigid. */
void NsMbAddBeam(NsMultibody *self, const NsMbBody *rod, const NsElasticSettings *settings);
/* The node of a rod that is nearest to a point in space at the start. */
PetscInt NsMbBeamNearest(const NsMultibody *self, const NsMbBeam *beam, const PetscReal x[3]);
/* h += forces of a rod, by the frames with velocities; its elastic energy. */
void      NsMbBeamForce(const NsMultibody *self, const NsMbBeam *beam, PetscReal *h);
PetscReal NsMbBeamElastic(const NsMultibody *self, const NsMbBeam *beam);
/* rate[elements, 6] of its strains, by the frames with velocities, if it is damped; the power that it dissipates with rates at v and w. */
void      NsMbBeamRates(const NsMultibody *self, const NsMbBeam *beam, PetscReal *rate);
PetscReal NsMbBeamDamping(const NsMbBeam *beam, const PetscReal *at_v, const PetscReal *at_w);
/* Normal force (N) and elastic energy (J) of an element, by the frames. */
void NsMbBeamElement(const NsMultibody *self, const NsMbBeam *beam, PetscInt element, PetscReal *normal_force, PetscReal *energy);
/* frequencies.c: what is known of the highest frequencies: of models with elastic rods. */
void NsMbFrequencies(const NsMultibody *self, NsModel *model);
