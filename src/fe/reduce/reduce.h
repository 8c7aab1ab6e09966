/*
  Bodies with the key `reduce`: a model of few coordinates in place of the finite-element model, with which every scheme, contact and writer works as with any other.

      u = T x,   x = (displacements of the boundary u_b, modal coordinates eta),   M = T'M T,  C = T'C T,  K = T'K T,  f = T'f

  The boundary is what contacts act on; bodies without `reduce` stay whole. Supports, springs, bearings, masses and discs are part of the model that is reduced, so that their points need no
  coordinates of their own. With the lowest free modes Phi, R = the residual flexibility of all others (src/model/reduced.h), A = R_bb^-1:

      macneal          T = [R_b A, Phi - R_b A Phi_b],  M without R's inertia: the boundary has no mass
      rubin            the same with the inertia of R
      craig_bampton    T = [I, 0; Psi, Theta]: static shapes Psi of the boundary, and modes Theta of the model with the boundary held

  All have K = [A, -A P; -P'A, Omega^2 + P'A P] with P = Phi_b (craig_bampton: P = 0, A the condensed stiffness), so that the elastic energy is that of d = u_b - P eta, which is small in rigid
  motions. With `fade` the boundary of macneal has the weighted modes and the larger flexibility that contacts have in modal integration.

  R. H. MacNeal, Comput. Struct. 1 (1971); S. Rubin, AIAA J. 13 (1975); R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968).

  Cost: set-up one factorization, the modes, a solve for each boundary DOF; a step (boundary + modes)^2. T is stored: DOF times coordinates. One process.
*/
#pragma once
#include "fe/model/fe.h"
#include "model/reduced.h"

typedef enum { NS_REDUCE_MACNEAL, NS_REDUCE_RUBIN, NS_REDUCE_CRAIG_BAMPTON } NsReduceMethod;

typedef struct NsReduceSettings NsReduceSettings;
extern const char *const        NsReduceMethods[];
#define NS_REDUCED_KIND "reduced finite elements"

struct NsReduceSettings {
  const NsNode *where;
  int           method;
  long          modes; /* 0: not given */
  double        up_to; /* rad/s; 0: not given */
  int           fade;
};

static inline size_t NsSquare(PetscInt n)
{
  return (size_t)n * (size_t)n;
}

/* Dense matrices by columns. */
typedef struct {
  PetscInt      n;
  PetscReal    *lu; /* [n, n] */
  PetscBLASInt *pivot;
  PetscBool     good;
} NsDenseFactor;

typedef struct {
  NsModel         *whole; /* owned */
  NsReduceSettings settings;
  NsPlace          place;                       /* of the first key `reduce` */
  NsReduced        basis;                       /* of macneal and rubin */
  PetscInt         n, boundary, modes, natural; /* coordinates; the whole model's DOF */
  PetscInt        *unknown;                     /* [boundary] natural numbers of the whole model */
  PetscReal       *T;                           /* [n] columns [natural] */
  PetscReal       *omega;                       /* [modes] */
  PetscReal       *transposed, *square;         /* P' [boundary] columns [modes]; omega^2 */
  PetscBool        coupled;                     /* P is not zero */
  PetscReal       *A, *P;                       /* [boundary, boundary]; [modes] columns [boundary] */
  PetscReal       *strain;                      /* [boundary] columns [boundary]: elastic energy of d is |strain d|^2/2 */
  PetscReal       *M, *K, *C, *dampers;         /* [n, n]; C NULL: no damping; dampers: its symmetric part */
  PetscBool        massless, skew;              /* the boundary has no mass; C is not symmetric */
  PetscInt         loads;
  PetscReal       *load, *size; /* [loads] columns [n]; [loads] */
  const char      *kept;        /* the file that the coordinates were read from (core/cache.h); NULL: they were computed */
  PetscReal        next;        /* rad/s: the first mode left out; 0: none is */
  PetscReal        neglected;   /* part of the compliance of loads that the coordinates do not have */
  PetscReal        highest, damping_rate;
  NsDenseFactor    factor[NS_SLOTS];
  NsOperator       op[NS_SLOTS];
  PetscBool        ready[NS_SLOTS];
  PetscReal       *h, *x; /* [n] scratch */
  PetscReal       *full;  /* [natural] scratch */
  NsShare         *share; /* [owners] scratch; NULL: nobody has asked for them */
  Vec              q, v, a;
} NsFeReduced;

/* settings.c. The common settings of all reduced bodies; false: no body is reduced, or settings conflict, or the model does not support it (errors in diag). */
PetscBool NsReduceSettingsOf(NsFe *fe, const NsModel *model, NsReduceSettings *settings);

/* matrices.c: arrays of so many coordinates; errors in diag where they are too many. */
PetscErrorCode NsReduceAllocate(NsFe *fe, NsFeReduced *self, PetscInt boundary, PetscInt modes);
/* free_modes.c, constraint_modes.c: boundary, T, A, P, omega, next, and (free_modes) loads where they are not T'f. Errors in diag. */
PetscErrorCode NsReduceByFreeModes(NsFe *fe, NsFeReduced *self);
PetscErrorCode NsReduceByConstraintModes(NsFe *fe, NsFeReduced *self);

/* M, C, K, loads from these, and the bounds of frequencies. */
PetscErrorCode NsReduceMatrices(NsFe *fe, NsFeReduced *self);
/* Frequencies of the reduced model, ascending, with the boundary free or held; rad/s, omega[count], *count at most n. shape NULL, or [count] columns [n]. */
PetscErrorCode NsReduceFrequencies(const NsFeReduced *self, PetscBool held, PetscInt *count, PetscReal *omega, PetscReal *shape);

/* model.c: the model over self->whole. */
PetscErrorCode NsReduceModel(NsFe *fe, NsFeReduced *self, NsModel **model);

/* equilibrium.c: x, of `start: static`, from the whole model's equilibrium q. Left as it is where the stiffness matrix is singular. */
PetscErrorCode NsReduceEquilibrium(NsModel *model, Vec q, Vec x);

/* report.c: warns if the basis cannot represent an initial motion, `what` of the whole model: compares x'M x of the coordinates with that of the DOF. */
PetscErrorCode NsReduceCheckInitial(NsModel *model, Vec whole, Vec reduced, const char *what);

/* view.c: the whole model's view of T x. */
extern const NsModelView NsReduceView;
/* (q, v) of the whole model into self->q, self->v; a NULL: self->a is not set. */
void NsReduceRecover(NsFeReduced *self, Vec q, Vec v, Vec a);

/* dense.c. Sums go column by column: no library, the same bits every time. */
void      NsDenseAdd(PetscInt rows, PetscInt columns, const PetscReal *A, PetscReal scale, const PetscReal *x, PetscReal *y); /* y += scale A x */
PetscReal NsDenseDot(PetscInt n, const PetscReal *x, const PetscReal *y);
PetscErrorCode NsDenseFactorize(NsDenseFactor *factor, PetscInt n); /* of factor->lu, which it overwrites */
void           NsDenseSolve(const NsDenseFactor *factor, PetscReal *x);
/* A^-1 of a symmetric matrix [n, n], in place; false: it is not positive definite to rounding; *at: its first row that depends on others. */
PetscBool NsDenseInvert(PetscInt n, PetscReal *A, PetscInt *at);
/* A x = lambda B x of symmetric matrices, ascending; A becomes the vectors, x' B x = 1. B NULL: the unit matrix. B is overwritten. */
PetscErrorCode NsDenseEigen(PetscInt n, PetscReal *A, PetscReal *B, PetscReal *lambda, PetscBool *done);
