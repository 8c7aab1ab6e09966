/*
  A linear model in modal coordinates: the lowest modes as they move, all others as they give under a force at rest.

      q = Phi eta + R (E f + sum_k size_k(t) F_k),     eta'' + C eta' + (Omega^2 + Z) eta = Phi' (E f + sum_k size_k(t) F_k)

  f: forces on the touch list E; C: damping and gyroscopic terms, Z: the skew part of bearings' stiffness, as the modes see them; R: the static give of the modes left out,

      R = sum over these of phi phi'/omega^2,

  which solves K x = b among them: x <- P (K + sigma M)^-1 (b + sigma M x) with P = I - Phi Phi'M goes there by a factor of sigma/(sigma + omega_next^2) a round. sigma keeps
  rigid motions regular, and P takes out what the modes have already.

  What contact does and sees fades towards the end of the basis:

      q_c = sum_j s_j phi_j eta_j + (R + sum_j (1 - s_j^2)/omega_j^2 phi_j phi_j') f + ...,   s_j^2 = 1 - (omega_j/omega_next)^2,   forces s_j phi_j' f on the modes

  A basis that ends sharply, with R behind it, has a vibration of its own above omega_next, of the modes against R: with any number of modes, a bar on a wall rings with 0.57 of its
  force. With s_j it does not (0.009 with 40 modes), statics are what they were, energy is kept, and the error of the state is a third less. The compliance that contact sees at the
  frequency omega is that of the modes times 1 - (omega/omega_next)^2. (sin x/x, cosines and parabolas for s_j leave more error, s_j = 1 up to the half rings.) Displacements of the
  model stay Phi eta + R (...); what contact has beside them is in its give.
*/
#pragma once
#include "percuss/workspace.h"

typedef struct {
  NsModel   *model; /* not owned */
  PetscInt   unknowns, touches, modes, loads;
  PetscInt   blocks, *block;            /* [blocks + 1] first mode of each group that C or Z couple; groups of one come first */
  PetscInt   alone;                     /* so many of them */
  PetscReal  next, end;                 /* rad/s: lowest frequency left out, 0: none is; where what contact sees has faded out */
  PetscReal *omega;                     /* [modes] within a group ascending */
  PetscReal *damping, *circulation;     /* [modes, modes] */
  PetscReal *shape;                     /* [modes, unknowns] as vectors have them */
  PetscReal *at_touch, *at_contact;     /* [touches, modes] Phi at the touch list; s_j phi_j */
  PetscReal *give;                      /* [touches, unknowns] R E */
  PetscReal *give_touch, *give_contact; /* [touches, touches] E'R E; and as contact sees it */
  PetscReal *load;                      /* [loads, modes] Phi'F_k */
  PetscReal *load_give, *load_load;     /* [loads, unknowns] R F_k; [loads, loads] F'R F */
  PetscReal *load_touch, *load_contact; /* [loads, touches] E'R F_k; and as contact sees it, so that its statics are exact */
} NsReduced;

/*
  With so many modes, or (0) with those up to `highest` rad/s, at least one; groups of equal frequencies stay together, rigid motions all are in. *found: how many modes there
  are to choose from; without any nothing else is made. Uses slot 1.
*/
PetscErrorCode NsReducedDeclare(NsWorkspace *work, PetscInt modes, PetscReal highest, PetscInt *found, NsReduced *self);
/* eta[modes] of x: Phi' M x. */
PetscErrorCode NsReducedProject(const NsReduced *self, PetscReal t, Vec x, PetscReal *eta);
