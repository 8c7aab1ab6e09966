/*
  A linear model in modal coordinates: the lowest modes are integrated, all others act by their residual flexibility, without inertia.

      q = Phi eta + R (E f + sum_k size_k(t) F_k),     eta'' + C eta' + (Omega^2 + Z) eta = Phi' (E f + sum_k size_k(t) F_k)

  f: forces on the touch list E; C: damping and gyroscopic terms, Z: the skew part of the stiffness of bearings, both in modal coordinates; R: the residual flexibility of the omitted modes,

      R = sum over these of phi phi'/omega^2,

  x = R b is found by the iteration x <- P (K + sigma M)^-1 (b + sigma M x) with P = I - Phi Phi'M, which converges by a factor of sigma/(sigma + omega_next^2). sigma makes the matrix
  regular for rigid motions, and P removes the modes of the basis.

  Contacts use the modes with weights s_j that decrease to zero at the end of the basis (of `fade: 2`):

      q_c = sum_j s_j phi_j eta_j + (R + sum_j (1 - s_j^2)/omega_j^2 phi_j phi_j') f + ...,   s_j^2 = 1 - (omega_j/omega_next)^2,   forces s_j phi_j' f on the modes

  Without weights the modes vibrate against R at a frequency above omega_next: with any number of modes the contact force of a bar on a wall oscillates by 0.57 of its value. With s_j it
  oscillates by 0.009 (40 modes), the static flexibility is unchanged, energy is conserved, and the error of the state is a third less. The compliance at the contact for the
  frequency omega is that of the modes times 1 - (omega/omega_next)^2. (sin x/x, cosines and parabolas for s_j leave more error; with s_j = 1 up to the middle of the basis the force
  oscillates.) Displacements of the model are Phi eta + R (...) without weights; the additional term of q_c counts as flexibility of the contact.

  The weights change the phase of the motion after an impact, which adds up over many impacts (table in docs/theory/schemes_elastic.md):

      fade       s_j^2, x = omega_j/omega_next
      2          1 - x^2                the force oscillates least
      balanced   a table                motion and force err alike: 0.84 at x = 0.45, 0.50 at 0.6, 0.18 at the end
      2.7        1 - x^2.7              the motion of the first impacts is better, the force oscillates a little
      off        1                      the motion of many impacts is best; the force oscillates by half of its value, however many modes there are
*/
#pragma once
#include "percuss/model.h"

typedef enum { NS_FADE_2, NS_FADE_BALANCED, NS_FADE_27, NS_FADE_OFF } NsFade;
extern const char *const NsFadeWords[]; /* NULL-terminated */
extern const char *const NsFadeTexts[]; /* what each is good for */

typedef struct {
  NsModel    *model; /* not owned */
  PetscInt    unknowns, touches, modes, loads;
  PetscInt    blocks, *block;        /* [blocks + 1] first mode of each group that C or Z couple; groups of one come first */
  PetscInt    alone;                 /* number of groups of one mode */
  PetscReal   next, end;             /* rad/s: lowest omitted frequency, 0: none is omitted; frequency at which the weights are zero */
  PetscReal  *omega;                 /* [modes] ascending within a group */
  PetscReal  *damping, *circulation; /* [modes, modes] */
  PetscReal  *shape;                 /* [modes, unknowns] in the order of vectors */
  PetscReal  *at_touch, *at_contact; /* [touches, modes] Phi at the touch list; s_j phi_j */
  PetscReal  *flexibility;           /* [touches, unknowns] R E */
  PetscReal  *flexibility_touch, *flexibility_contact; /* [touches, touches] E'R E; the same with the additional flexibility of the contact */
  const char *kept;                         /* the file that modes and flexibilities were read from (core/cache.h); NULL: they were computed */
  PetscReal  *load;                         /* [loads, modes] Phi'F_k */
  PetscReal  *load_flexibility, *load_load; /* [loads, unknowns] R F_k; [loads, loads] F'R F */
  PetscReal  *load_touch, *load_contact;    /* [loads, touches] E'R F_k; the same for q_c, so that static contact is exact */
} NsReduced;

/*
  With this number of modes, or (0) with those up to `highest` rad/s, at least one; groups of equal frequencies stay together, all rigid motions are included. *found: number of modes
  of the model; 0: nothing else is computed. Uses slot 1. Its arrays are in the arena of the model. What takes long is kept between runs (core/cache.h).
*/
PetscErrorCode NsReducedMake(NsModel *model, PetscInt modes, PetscReal highest, NsFade fade, PetscInt *found, NsReduced *self);
/* eta[modes] of x: Phi' M x. */
PetscErrorCode NsReducedProject(const NsReduced *self, PetscReal t, Vec x, PetscReal *eta);
