/*
  Modes of free vibration: u(t) = Re(x e^(lambda t)) with (lambda^2 M + lambda C + K) x = 0, M, C, K real, C and K possibly unsymmetric.
*/
#pragma once
#include <petscmat.h>

typedef enum { NS_MODES_AUTO, NS_MODES_SPARSE, NS_MODES_DENSE } NsModesMethod;

typedef enum {
  NS_MODE_RIGID,      /* lambda = 0: no stiffness resists */
  NS_MODE_VIBRATION,  /* one of a conjugate pair, the one with im > 0 */
  NS_MODE_OVERDAMPED, /* real lambda: no oscillation */
} NsModeKind;

extern const char *const NsModeKindNames[];

typedef struct {
  PetscReal     re, im;        /* lambda, 1/s and rad/s; im is the damped frequency */
  PetscReal     omega;         /* |lambda|, the undamped frequency, rad/s */
  PetscReal     damping_ratio; /* -re/|lambda|; 0 for rigid motions */
  PetscReal     residual;      /* backward error: |(lambda^2 M + lambda C + K) x| relative to the norms of the three terms, scaled */
  NsModeKind    kind;
  PetscBool     unstable; /* re > 0 by more than rounding */
  PetscComplex *x;        /* [n], owned; its largest entry, weighted by the mass, is real and positive */
} NsMode;

typedef struct {
  PetscInt   n, count;
  NsMode    *mode;   /* [count], |lambda| ascending */
  PetscReal *weight; /* [n] square roots of the masses, by which unknowns of different units become comparable */
} NsModes;

/*
  The `count` modes of smallest |lambda|, fewer where the model has fewer. C may be NULL. A pair of conjugate eigenvalues is one mode; so is each
  real eigenvalue, and each rigid motion, though its eigenvalue zero is double.

  AUTO: symmetric and undamped, Krylov-Schur (EPS); else small ones (120 unknowns, 300 where K is unsymmetric) by LAPACK, others by TOAR (PEP).
  DENSE finds all multiple eigenvalues and costs (2 n)^3.
*/
PetscErrorCode NsModesSolve(Mat M, Mat C, Mat K, PetscInt count, NsModesMethod method, NsModes *modes);
PetscErrorCode NsModesDestroy(NsModes *modes);
/* Multiplies x by e^(i phi) so that its largest weighted entry is real and positive. */
void NsModeTurn(NsModes *modes, PetscInt mode);
/* Real and imaginary part of x. */
PetscErrorCode NsModeParts(const NsModes *modes, PetscInt mode, Vec re, Vec im);
/* Modal assurance criterion, |a^H b|^2 / (a^H a b^H b) of weighted vectors: 1 for equal shapes; forward and backward whirl are orthogonal. */
PetscReal NsModesLikeness(const NsModes *a, PetscInt mode_a, const NsModes *b, PetscInt mode_b);
