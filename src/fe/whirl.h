/*
  In which sense the shaft's points go round in a mode.

  A point's displacement Re(u e^(i omega t)), u complex, is an ellipse. Looking along the shaft's axis e, with Re u = a and Im u = b, its area is pi
  e.(b x a), positive for a forward orbit: in the sense of positive spin. Over all points of the shaft,

      kappa = 2 sum e.(b x a) / sum |u_lateral|^2       1: forward circles, -1: backward circles, 0: planar
*/
#pragma once
#include "fe.h"
#include "modes.h"

typedef enum {
  NS_WHIRL_NONE, /* no rotor takes part */
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
  const char  *rotor; /* that moves most; NULL: none */
} NsWhirl;

/* From displacements u[points, 3] of one shaft; sense is NONE, kappa 0 when it does not move sideways. */
NsWhirl NsWhirlOfOrbits(const PetscReal axis[3], PetscInt points, const PetscComplex *u);
/* Of all modes, forward in the sense in which the rotor turns when the first one has this speed; whirl[modes->count]. Two modes of equal frequency are only known as a plane of shapes: they are first replaced by its purest
   forward and backward ones. */
PetscErrorCode NsModelWhirl(NsModel *model, PetscReal speed, NsModes *modes, NsWhirl *whirl);
/* u[points of the scene, 3]: displacement of x, by the model's fields. */
PetscErrorCode NsModelShape(NsModel *model, const NsModes *modes, PetscInt mode, PetscComplex *u);
