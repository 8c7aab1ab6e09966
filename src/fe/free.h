/*
  Back ends of the free dynamics: what a step does with the large matrices. A new one: src/fe/NAME.c with an NsBackEnd, chosen in free.c.

  Arrays are in the order of free->layout (percuss/layout.h), `local` long; a back end chooses that layout in `create`. Ghosts of arguments are not right unless it
  says so: who reads them exchanges first.
*/
#pragma once
#include "fe.h"
#include "percuss/exact_sum.h"
#include "percuss/layout.h"
#include "sparse.h"

typedef struct {
  const char *name;
  /* Rows of the matrices that it wants to have: sets mine[unknowns], which is all true for those that this process owns. NULL: those, and on one process all. */
  void (*want)(const NsFreeDynamics *, PetscBool *mine);
  PetscBool by_elements; /* of the matrices it wants M alone */
  /* Takes what it needs of the matrices, and sets free->layout. */
  PetscErrorCode (*create)(NsFreeDynamics *);
  PetscErrorCode (*destroy)(NsFreeDynamics *);
  /* a = M^-1 (h - K q - C v); h may be NULL for zero. */
  PetscErrorCode (*accel)(NsFreeDynamics *, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a);
  /* One step of free flight, fused: q1 = q0 + dt v0 + dt^2/2 a0, va = v0 + dt a0, a1 = M^-1 (h - K q1 - C va), v1 = v0 + dt/2 (a0 + a1). No two arrays are one.
     Ghosts of q0, v0, a0 may be overwritten. */
  PetscErrorCode (*flight)(
    NsFreeDynamics *, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1);
  /* h -= K q + C v */
  PetscErrorCode (*force)(NsFreeDynamics *, PetscReal *q, PetscReal *v, PetscReal *h);
  PetscErrorCode (*mult)(NsFreeDynamics *, PetscReal *x, PetscReal *y); /* y = M x */
  /* A slot's operator changed; symmetric: A is. A slot keeps its kind (M alone, or with K): the first one chooses the solver. */
  PetscErrorCode (*factor)(NsFreeDynamics *, PetscInt slot, NsOperator op, PetscBool symmetric);
  PetscErrorCode (*solve)(NsFreeDynamics *, PetscInt slot, PetscReal *b, PetscReal *x);
  /* 1/2 v' M v, and w' (C without gyroscopic terms) v: of all processes, which call it together. */
  PetscErrorCode (*kinetic)(NsFreeDynamics *, PetscReal *v, PetscReal *energy);
  PetscErrorCode (*damping)(NsFreeDynamics *, PetscReal *v, PetscReal *w, PetscReal *power); /* only where there are dampers */
} NsBackEnd;

struct NsFreeDynamics {
  NsFe            *fe;            /* not owned */
  NsSparse         M, K;          /* the rows of this process; K and C only where the back end wants them */
  NsSparse         dampers;       /* no rows (start NULL) without damping */
  NsSparse         C;             /* dampers and gyroscopic terms; no rows without either */
  PetscBool        diagonal;      /* M is */
  PetscBool        damped, rates; /* there are dampers; C. Also where no rows of them are kept */
  PetscBool        symmetric[2];  /* C, K */
  NsOperator       op[NS_SLOTS];
  PetscBool        ready[NS_SLOTS];
  NsLayout        *layout;
  const NsBackEnd *type;
  PetscBool        created;
  void            *data;
};

extern const NsBackEnd NsBackEnd_Lumped, NsBackEnd_Banded, NsBackEnd_Petsc;

/* Frees K and C, for a back end that has its own; they are assembled again where an operator asks for them. */
PetscErrorCode NsFreeDynamicsForget(NsFreeDynamics *free);
/* A = m M + c C + k K, rows of this process; the caller destroys it. */
PetscErrorCode NsFreeDynamicsOperator(const NsFreeDynamics *free, NsOperator op, NsSparse *A);
/* Whether that is made of the mass matrix alone. */
static inline PetscBool NsOperatorIsMass(const NsFreeDynamics *free, NsOperator op)
{
  return op.stiffness == 0 && (op.damping == 0 || !free->rates) ? PETSC_TRUE : PETSC_FALSE;
}
