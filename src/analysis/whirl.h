/*
  The sense of whirl of a mode: forward, backward, planar or mixed.

  A point's displacement Re(u e^(i omega t)), u complex, is an ellipse. Looking along the shaft's axis e, with Re u = a and Im u = b, its area is pi
  e.(b x a), positive for a forward orbit: in the sense of positive spin. Over all points of the shaft,

      kappa = 2 sum e.(b x a) / sum |u_lateral|^2       1: forward circles, -1: backward circles, 0: planar
*/
#pragma once
#include "fe/fe.h"
#include "fe/modes/modes.h"

typedef enum {
  NS_WHIRL_NONE, /* no rotor moves */
  NS_WHIRL_FORWARD,
  NS_WHIRL_BACKWARD,
  NS_WHIRL_PLANAR, /* |kappa| < 0.01 */
  NS_WHIRL_MIXED,  /* some points forward, others backward: each more than a tenth of the whole area */
  NS_WHIRL_TORSION,
  NS_WHIRL_AXIAL
} NsWhirlSense;

extern const char *const NsWhirlNames[];

typedef struct {
  NsWhirlSense sense;
  PetscReal    kappa;
  const char  *rotor; /* the one that moves most; NULL: none */
} NsWhirl;

/* From displacements u[points, 3] of one shaft; sense NONE and kappa 0 without lateral motion. */
NsWhirl NsWhirlOfOrbits(const PetscReal axis[3], PetscInt points, const PetscComplex *u);
/* Of all modes, whirl[modes->count]; forward is the sense in which the rotor turns when the first one has this speed. Of two modes with equal frequency only the plane of shapes
   is defined: they are first replaced by its combinations of largest and smallest kappa. */
PetscErrorCode NsModelWhirl(NsModel *model, PetscReal speed, NsModes *modes, NsWhirl *whirl);
/* u[points of the scene, 3]: displacements of the mode. */
PetscErrorCode NsModelShape(NsModel *model, const NsModes *modes, PetscInt mode, PetscComplex *u);
