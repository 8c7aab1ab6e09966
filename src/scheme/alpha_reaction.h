/*
  Reactions on velocity level over the generalised-alpha method (alpha.h): contacts change positions and velocities of the end of the step,

      M w = W P,   v1 = v* + w,   q1 = q* + dt/2 w,       W, M at q1,

  which for rho = 1 is a force P/dt that is constant over the step. x does not contain it, so that a reaction has no effect after it has ended. The response of x1 to w is -S^-1 (dt/2 K + C) w, and that of
  velocities to P is

      D = (I - g S^-1 dt/2 K) M^-1 = (1 - s) M^-1 + s S^-1,     s = g dt/(2 B) = gamma/(2 beta) <= 1

  (B K = S - M, without C), and the local problem has the matrix W' D W. That is exact for linear models without dampers, which take one iteration with contact and one after it for x1; others
  iterate. Reactions of joints, which never end, are forces in x, M x1 = h + W lambda with W'v1 = 0, and cost no order: D is S^-1 for P = g lambda.
*/
#pragma once
#include "alpha.h"

/* The first member of the private data of the schemes. */
typedef struct {
  NsAlpha    alpha;        /* p: P by rows p.w, velocities u0 = W'v0 */
  NsRows     others;       /* p.w without joints */
  PetscReal *P, *reaction; /* [rows] part of p.P; D P of the previous iteration */
  PetscBool  joins;        /* some candidate is a joint */
  PetscBool *joint, *held; /* [candidates]; closed by the last NsAlphaListClosed */
  Vec        U, w;
} NsAlphaReaction;

typedef enum {
  NS_ALPHA_IMPACTS, /* contacts whose gap is closed at q* without jumps: 0 <= u1 + e u0 _|_ P >= 0 (and friction) */
  NS_ALPHA_FORCES   /* contacts that were closed, p.was: 0 <= u1 + max(u0, 0) _|_ P >= 0 (and friction), u0 at the end of the last step */
} NsAlphaLaw;

PetscErrorCode NsAlphaReactionDeclare(NsScheme *scheme, NsWorkspace *work);
/* Computes x1, P, q1 and v1 of the step. P of joints is dt lambda, with their force lambda at the end. */
PetscErrorCode NsAlphaReact(NsScheme *scheme, const NsState *x, PetscReal dt, NsAlphaLaw law, NsStepOutcome *outcome);
/*
  Candidates closed at the end of the step into the selection, and into the reports: by their gaps, or pressed, P > 0. With rho < 1 the gap of a lasting contact moves while its force changes, by
  about (1/2 - beta/gamma) dt^2 times the acceleration: by gaps alone it would open and have another impact.
*/
PetscErrorCode NsAlphaListClosed(NsScheme *scheme, PetscReal t1, PetscInt *count);
