/*
  Where the unknowns live.

  A model numbers its unknowns along its bodies: *natural* numbers 0 .. unknowns - 1, the same on every process; whoever names, draws or writes them uses these. Vectors
  hold those that this process works with, in the order that suits its back end: *places* 0 .. local - 1. Each unknown is owned by one process; others may hold copies of
  it (ghosts), which are right only after NsLayoutExchange: between, they hold anything. Owned unknowns and ghosts may stand in any order; a process may own none.

  One process and natural order: place, natural and owner are NULL, and every function here costs nothing (one process and another order: owner is NULL).
  Functions marked (all) must be called by all processes together, in the same order. Only ...Create allocates (but MPI may, for itself); what is wrong in its arguments is a
  mistake of the program and a PETSc error on all processes, whichever made it.
*/
#pragma once
#include <petscvec.h>

#define NS_EXCHANGED 3 /* most arrays of one exchange */

typedef struct {
  MPI_Comm  comm; /* PETSc's own duplicate: messages of a layout meet no others */
  int       rank, ranks;
  PetscInt  unknowns;     /* of all processes */
  PetscInt  owned, local; /* of this one; local: with ghosts */
  PetscInt *place;        /* [unknowns] of a natural number: where it is here, -1: it is not. NULL: the number itself */
  PetscInt *natural;      /* [local] of a place; NULL: the number itself */
  int      *owner;        /* [local] rank that owns what is at a place; NULL: this one */
  /* private: ghosts, packed by neighbour */
  int          tag;
  int          neighbours;                 /* processes to send to or to receive from */
  PetscInt    *send_start, *receive_start; /* [neighbours + 1] */
  PetscInt    *send, *receive;             /* places */
  PetscReal   *out, *in;                   /* room for NS_EXCHANGED arrays; the messages of an exchange of n begin at n times their start */
  MPI_Request *request;                    /* [NS_EXCHANGED, 2 neighbours] ready to start: receive, then send */
  /* private: what NsLayoutCollect sends; NULL with one process */
  PetscInt  *own;               /* [owned] places */
  PetscReal *packed;            /* [owned] */
  int       *counts, *starts;   /* [ranks] on rank 0, else NULL */
  PetscInt  *collected_natural; /* [unknowns] on rank 0, else NULL: in the order in which they come */
  PetscReal *collected;         /* [unknowns] on rank 0, else NULL */
} NsLayout;

/* All unknowns on this process in natural order; as many processes as like may have the same for themselves. */
PetscErrorCode NsLayoutCreateIdentity(PetscInt unknowns, NsLayout **layout);
/* (all) natural[local], owner[local] are copied; unknowns is the same on all. Checked: no unknown is here twice, each is owned by exactly one process, and ghosts by
   whom owner says. Costs time and memory with the number of all unknowns. */
PetscErrorCode NsLayoutCreate(MPI_Comm comm, PetscInt unknowns, PetscInt local, const PetscInt *natural, const int *owner, NsLayout **layout);
/* Of NULL does nothing. */
PetscErrorCode NsLayoutDestroy(NsLayout **layout);

static inline PetscInt NsLayoutPlace(const NsLayout *layout, PetscInt natural)
{
  return layout->place ? layout->place[natural] : natural;
}
static inline PetscInt NsLayoutNatural(const NsLayout *layout, PetscInt place)
{
  return layout->natural ? layout->natural[place] : place;
}
/* One process, and places are natural numbers. (A process that holds nothing has no `natural` either: that alone tells nothing.) */
static inline PetscBool NsLayoutIsNatural(const NsLayout *layout)
{
  return layout->place ? PETSC_FALSE : PETSC_TRUE;
}
static inline PetscBool NsLayoutOwns(const NsLayout *layout, PetscInt place)
{
  return !layout->owner || layout->owner[place] == layout->rank ? PETSC_TRUE : PETSC_FALSE;
}

/* (all) Ghosts of `arrays` [local] each (at most NS_EXCHANGED, the same on all) become what their owners hold, bit by bit: one message to each neighbour. */
PetscErrorCode NsLayoutExchange(NsLayout *layout, int arrays, PetscReal *const *array);
/* (all) all[unknowns] in natural order on rank 0, from what is owned of x[local]; elsewhere `all` is not touched and may be NULL. */
PetscErrorCode NsLayoutCollect(NsLayout *layout, const PetscReal *x, PetscReal *all);
/* x[local], ghosts too, out of all[unknowns], which is known here. */
void NsLayoutSpread(const NsLayout *layout, const PetscReal *all, PetscReal *x);
/* (all) *flags of all processes, or-ed bit by bit: whether something happened anywhere. */
PetscErrorCode NsLayoutAgree(const NsLayout *layout, PetscInt *flags);
/* (all) Sums of value[count] over all processes; rounding depends on their number. */
PetscErrorCode NsLayoutSum(const NsLayout *layout, int count, PetscReal *value);
/* (all) The greatest *x of all processes; no number if one of them is none. */
PetscErrorCode NsLayoutMax(const NsLayout *layout, PetscReal *x);

/* A short list of unknowns whose values every process wants to see: those that contacts touch, those that are recorded. Belongs to its layout, and goes before it. */
typedef struct {
  NsLayout *layout; /* not owned */
  PetscInt  count;
  PetscInt *place; /* [count] where it is here and owned; -1: on another process */
  /* private: NULL with one process */
  PetscInt   own, *own_place; /* [own] of the items owned here */
  int       *counts, *starts; /* [ranks] */
  PetscInt  *item;            /* [count] of the packed values */
  PetscReal *out, *in;        /* [own], [count] packed values, by rank */
} NsWatch;

/* (all) natural[count], the same on all processes; an unknown may stand there more than once. */
PetscErrorCode NsWatchCreate(NsLayout *layout, PetscInt count, const PetscInt *natural, NsWatch **watch);
/* Of NULL does nothing. */
PetscErrorCode NsWatchDestroy(NsWatch **watch);
/* (all) values[count] on every process, bit by bit those of the owners in x[local]. */
PetscErrorCode NsWatchGather(NsWatch *watch, const PetscReal *x, PetscReal *values);
