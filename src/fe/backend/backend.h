/*
  Back ends: how a finite-element model works with its large matrices M, C and K in a step.

  A new one: src/fe/backend/NAME.c with an NsBackEndType, and a line in src/fe/backend/list.h. Its `suits` says which models it can work with and where it is the
  best choice; the key `free_dynamics` forces one. All give the same results to rounding: tests/unit/test_back_ends.c compares them.

  Arrays are `local` long, in the order of back_end->layout (percuss/layout.h), which the back end sets in `create`. Ghosts of arguments may be out of date: a back
  end that reads them exchanges first.
*/
#pragma once
#include "fe/model/fe.h"
#include "percuss/exact_sum.h"
#include "percuss/layout.h"
#include "fe/model/sparse.h"

typedef enum {
  NS_SUITS_NOT,      /* cannot work with this model, or not with the operators that its scheme solves with */
  NS_SUITS_IF_ASKED, /* can, but another back end is quicker */
  NS_SUITS,
  NS_SUITS_ONLY /* the user's options name what this back end alone has */
} NsSuitability;

typedef struct {
  /* NS_SUITS_NOT: why, in a sentence for the user. */
  PetscErrorCode (*suits)(const NsFe *, NsSuitability *, char *why, size_t size);
  /* Several processes: adds to mine[unknowns], true for the unknowns that this process owns, the other rows of the matrices that it needs. NULL: none. */
  void (*need_rows)(const NsBackEnd *, PetscBool *mine);
  PetscBool by_elements; /* of the matrices it needs M alone */
  PetscBool exact_sums;  /* sums over unknowns have the same bits on any number of processes */
  /* Takes what it needs of the matrices, and sets back_end->layout. */
  PetscErrorCode (*create)(NsBackEnd *);
  PetscErrorCode (*destroy)(NsBackEnd *);
  /* a = M^-1 (h - K q - C v); h: NULL for zero. */
  PetscErrorCode (*accel)(NsBackEnd *, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a);
  /* One step of free flight in one call: q1 = q0 + dt v0 + dt^2/2 a0, va = v0 + dt a0, a1 = M^-1 (h - K q1 - C va), v1 = v0 + dt/2 (a0 + a1). The arrays must
     not overlap. Ghosts of q0, v0, a0 may be overwritten. */
  PetscErrorCode (*flight)(
    NsBackEnd *, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1);
  PetscErrorCode (*force)(NsBackEnd *, PetscReal *q, PetscReal *v, PetscReal *h); /* h -= K q + C v */
  PetscErrorCode (*mult)(NsBackEnd *, PetscReal *x, PetscReal *y);                /* y = M x */
  /* A slot gets another operator A; symmetric: A is. A slot keeps its kind (M alone, or with K): the first operator chooses the solver. */
  PetscErrorCode (*factor)(NsBackEnd *, PetscInt slot, NsOperator op, PetscBool symmetric);
  PetscErrorCode (*solve)(NsBackEnd *, PetscInt slot, PetscReal *b, PetscReal *x);
  /* (all) x' M y, or with dampers, where there are any, x' (C without gyroscopic terms) y; the same on all processes. */
  PetscErrorCode (*product)(NsBackEnd *, PetscBool dampers, PetscReal *x, PetscReal *y, PetscReal *sum);
} NsBackEndType;

struct NsBackEnd {
  NsFe                *fe;            /* not owned */
  const char          *name;          /* as in list.h */
  NsSparse             M, K;          /* rows of this process; K and C only where the back end needs them */
  NsSparse             dampers;       /* C without gyroscopic terms; no rows (start NULL) without damping */
  NsSparse             C;             /* dampers and gyroscopic terms; no rows without either */
  PetscBool            diagonal;      /* M is */
  PetscBool            damped, rates; /* there are dampers; there is C. Also where no rows of them are stored */
  PetscBool            symmetric[2];  /* C, K */
  NsOperator           op[NS_SLOTS];
  PetscBool            ready[NS_SLOTS]; /* op[slot] is factored */
  NsLayout            *layout;
  const NsBackEndType *type;
  PetscBool            created;
  void                *data;
};

#define NS_BACK_END(name, word) extern const NsBackEndType NsBackEndType_##name;
#include "list.h"
#undef NS_BACK_END

/* Frees K and C, for a back end that stores them in its own way; they are assembled again where an operator needs them. */
PetscErrorCode NsBackEndFreeMatrices(NsBackEnd *back_end);
/* A = m M + c C + k K, rows of this process; the caller destroys it. */
PetscErrorCode NsBackEndOperator(const NsBackEnd *back_end, NsOperator op, NsSparse *A);

/* Whether A is a multiple of M. */
static inline PetscBool NsOperatorIsMass(const NsBackEnd *back_end, NsOperator op)
{
  return op.stiffness == 0 && (op.damping == 0 || !back_end->rates);
}
