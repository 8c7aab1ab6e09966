/*
  Which unknowns this process has, and in which order its vectors hold them.

  A model numbers its unknowns along its bodies: *natural* numbers 0 .. unknowns - 1, the same on every process; names, pictures and files use these. Vectors
  hold the unknowns that this process works with, in the order that its back end chooses: *indices* 0 .. local - 1. Each unknown is owned by one process; others may hold copies of
  it (ghosts), whose values are valid only after NsLayoutExchange. Owned unknowns and ghosts may be in any order; a process may own none.

  One process and natural order: index, natural and owner are NULL, and every function here costs nothing (one process and another order: owner is NULL).
  Functions marked (all) must be called by all processes together, in the same order. Only ...Create allocates (MPI may allocate for itself); a wrong argument is a
  bug of the program and a PETSc error on all processes, whichever of them passed it.

  Why not PetscSF: a step exchanges up to three arrays at once, which here is one message to each neighbour through persistent requests; PetscSF sends one message for each array, or
  needs them packed by hand first. Checking who owns what, NsLayoutCollect and NsWatch would stay as they are.
*/
#pragma once
#include <petscvec.h>

#define NS_EXCHANGED 3 /* most arrays of one exchange */

typedef struct {
  MPI_Comm  comm; /* PETSc's own duplicate: messages of a layout are separate from all others */
  int       rank, ranks;
  PetscInt  unknowns;     /* of all processes */
  PetscInt  owned, local; /* of this one; local: with ghosts */
  PetscInt *index;        /* [unknowns] of a natural number: its index here, -1: not here. NULL: the number itself */
  PetscInt *natural;      /* [local] natural number of an index; NULL: the index itself */
  int      *owner;        /* [local] rank that owns it; NULL: this one */
  /* private: ghosts, packed by neighbour */
  int          tag;
  int          neighbours;                 /* processes to send to or to receive from */
  PetscInt    *send_start, *receive_start; /* [neighbours + 1] */
  PetscInt    *send, *receive;             /* indices */
  PetscReal   *out, *in;                   /* room for NS_EXCHANGED arrays; the messages of an exchange of n begin at n times their start */
  MPI_Request *request;                    /* [NS_EXCHANGED, 2 neighbours] ready to start: receive, then send */
  /* private: what NsLayoutCollect sends; NULL with one process */
  PetscInt  *own;               /* [owned] indices */
  PetscReal *packed;            /* [owned] */
  int       *counts, *starts;   /* [ranks] on rank 0, else NULL */
  PetscInt  *collected_natural; /* [unknowns] on rank 0, else NULL: in the order in which they arrive */
  PetscReal *collected;         /* [unknowns] on rank 0, else NULL */
} NsLayout;

/* All unknowns on this process, in natural order; every process may create one for itself. */
PetscErrorCode NsLayoutCreateIdentity(PetscInt unknowns, NsLayout **layout);
/* (all) natural[local], owner[local] are copied; unknowns is the same on all. Checked: no unknown is here twice, each is owned by exactly one process, and ghosts by
   the process that `owner` names. Time and memory are proportional to the number of all unknowns. */
PetscErrorCode NsLayoutCreate(MPI_Comm comm, PetscInt unknowns, PetscInt local, const PetscInt *natural, const int *owner, NsLayout **layout);
/* NULL: does nothing. */
PetscErrorCode NsLayoutDestroy(NsLayout **layout);

static inline PetscInt NsLayoutIndex(const NsLayout *layout, PetscInt natural)
{
  return layout->index ? layout->index[natural] : natural;
}
static inline PetscInt NsLayoutNatural(const NsLayout *layout, PetscInt index)
{
  return layout->natural ? layout->natural[index] : index;
}
/* One process, natural order. (`natural` does not show it: it is NULL also on a process without unknowns.) */
static inline PetscBool NsLayoutIsNatural(const NsLayout *layout)
{
  return layout->index == NULL;
}
static inline PetscBool NsLayoutOwns(const NsLayout *layout, PetscInt index)
{
  return !layout->owner || layout->owner[index] == layout->rank;
}

/* (all) Ghosts of `arrays` [local] each (at most NS_EXCHANGED, the same on all) get the values of their owners: one message to each neighbour. */
PetscErrorCode               NsLayoutExchangeGhosts(NsLayout *layout, int arrays, PetscReal *const *array);
static inline PetscErrorCode NsLayoutExchange(NsLayout *layout, int arrays, PetscReal *const *array)
{
  return layout->neighbours ? NsLayoutExchangeGhosts(layout, arrays, array) : 0;
}
/* (all) all[unknowns] in natural order on rank 0, from what is owned of x[local]; on other ranks `all` is not used and may be NULL. */
PetscErrorCode NsLayoutCollect(NsLayout *layout, const PetscReal *x, PetscReal *all);
/* x[local], ghosts too, from all[unknowns] of this process. */
void NsLayoutSpread(const NsLayout *layout, const PetscReal *all, PetscReal *x);
/* (all) The bitwise or of *flags of all processes: whether something happened anywhere. */
PetscErrorCode NsLayoutAgree(const NsLayout *layout, PetscInt *flags);
/* (all) Sums of value[count] over all processes; rounding depends on their number. */
PetscErrorCode NsLayoutSum(const NsLayout *layout, int count, PetscReal *value);
/* (all) The greatest *x of all processes; NaN if one of them is NaN. */
PetscErrorCode NsLayoutMax(const NsLayout *layout, PetscReal *x);

/* A short list of unknowns whose values every process needs: those that contacts touch, those that are recorded. It is destroyed before its layout. */
typedef struct {
  NsLayout *layout; /* not owned */
  PetscInt  count;
  PetscInt *index; /* [count] index here; -1: owned by another process */
  /* private: NULL with one process */
  PetscInt   own, *own_index; /* [own] of the items owned here */
  int       *counts, *starts; /* [ranks] */
  PetscInt  *item;            /* [count] of the packed values */
  PetscReal *out, *in;        /* [own], [count] packed values, by rank */
} NsWatch;

/* (all) natural[count], the same on all processes; an unknown may be listed more than once. */
PetscErrorCode NsWatchCreate(NsLayout *layout, PetscInt count, const PetscInt *natural, NsWatch **watch);
/* NULL: does nothing. */
PetscErrorCode NsWatchDestroy(NsWatch **watch);
/* (all) values[count], those of the owners in x[local], on every process. */
PetscErrorCode NsWatchGather(NsWatch *watch, const PetscReal *x, PetscReal *values);
