/* Contacts between surfaces of two solids. */
#pragma once
#include "contact/settings.h"
#include "mortar.h"

struct NsFeSurfaceContact {
  const NsContactSettings *settings;
  const char              *name;
  const NsFeSurface       *surface[2]; /* slave, which carries the forces; master */
  NsFeMortar               mortar;     /* of finite sliding the nodes of the slave alone, */
  NsFeSliding             *sliding;    /* and the master; NULL: small sliding */
  PetscReal                expected;   /* m: sliding that is prescribed by initial velocities and supports */
  NsFeSurfaceContact      *next;
};

/* (set-up) fe->contact_list: the contacts of the config and its ties. */
void NsFeTiesAdd(NsFe *fe);
/* (set-up) Errors and warnings where `initial` differs on both sides of a tie; source[pair]: its place in settings. */
PetscErrorCode NsFeTiesCheckInitial(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const PetscInt *source);
/* (set-up) The contacts of two surfaces into fe->surface_contact; errors in diag. */
PetscErrorCode NsFeSurfaceContactsFind(NsFe *fe);
/* points.c: the nodes of a partner as a surface without faces (NULL after an error), and their rows. */
const NsFeSurface *NsFePointsFind(NsFe *fe, const NsPartnerSettings *side);
void               NsFePointsProject(NsFe *fe, const NsFeSurface *points, const NsFeSurface *surface, NsFeMortar *mortar);
/* Whether a contact is one of two surfaces, or of nodes and a surface. */
static inline PetscBool NsFeHasSurface(const NsContactSettings *settings)
{
  const NsPartnerSettings *side = settings->between.items;

  return (side[0].sides || side[1].sides) && (side[0].sides || NsPartnerNode(&side[0])) && (side[1].sides || NsPartnerNode(&side[1]));
}
/* Operation of percuss/model.h. */
PetscReal NsFeSurfaceSlip(NsModel *model, PetscInt candidate, const PetscReal *touch_q);
/* The candidates of such a contact, as NsFeExpandCandidates: how many (0 after an error); filled in unless pair is NULL. */
PetscInt NsFeSurfaceCandidates(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate);
