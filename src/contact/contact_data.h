/* What NsContact is, for the files of this folder and their tests. */
#pragma once
#include "percuss/contact.h"

/*
  Islands: active contacts that act on each other, directly or through others, by the numbers of C; where these are not known (varying mass, columns too many to be
  kept) all are one. Each has its block of the Delassus matrix and its own local problem.
*/
typedef struct {
  PetscInt            count;
  PetscInt           *of;     /* [contacts of the rows] island of each; they are numbered by their first contacts */
  PetscInt           *parent; /* [contacts] scratch */
  PetscInt           *start;  /* [count + 1] */
  PetscInt           *member; /* contacts of each island, ascending */
  PetscInt64         *block;  /* [count + 1] where its block of G begins; empty where */
  PetscBool          *sparse; /* [count] there is no dense G: NsSparseRows */
  const NsLocalBand **band;   /* [count] of those the ones with A: see coupling.c; NULL: the others */
  PetscInt           *owner;  /* [touches] scratch: 0; else a contact, from 1 */
  PetscReal          *half;   /* [touches] scratch: 0 */
} NsIslands;

/* Blocks of contacts, and the room there is for them. */
typedef struct {
  NsLocalBlocks blocks;
  PetscInt      contacts, places, numbers;
} NsSparseLists;

/* G = U Y of large islands: see coupling.c. */
typedef struct {
  PetscBool     some;    /* island is so */
  NsSparseLists U, Y[2]; /* of all contacts of the rows, over the touch list; the second Y is scratch */
  NsSparseLists part[2]; /* U and Y of an island */
  NsLocalSparse problem;
  PetscInt     *list;    /* [touches] scratch: places of a contact, */
  PetscInt      listed;  /* so many; */
  PetscBool    *marked;  /* [touches] in `list`; false between calls */
  PetscReal    *column;  /* [3 touches] scratch: 0 */
  PetscReal    *v;       /* [touches] scratch */
  PetscInt     *unknown; /* [touches] numbers in an island's problem */
  PetscReal    *z;       /* [unknowns and zeros on both sides] scratch of islands with a band */
  PetscInt      room_z;
  PetscBool     banded; /* island is so; of the last NsContactDelassus: */
  NsCompliance *compliance;
  const NsRows *wu, *wp;
  PetscReal     factor;
} NsSparseRows;

/* Inactive candidates are provably open, and not looked at. See broad_phase.c. */
typedef struct {
  PetscReal  *touch_q, *touch_v; /* [touches] of the last look at some */
  PetscReal  *end_q, *end_v;     /* [touches] at the end of the last step */
  PetscReal  *ahead;             /* [touches] scratch; NULL: there are no slots */
  PetscReal  *limit;             /* [inactives] a heap: the clock at which each could close */
  PetscInt   *inactive;          /* [inactives] in the places of their limits */
  PetscInt   *activated;         /* [candidates] scratch */
  PetscInt    inactives;
  PetscReal   clock, last, size; /* m: motion of all steps, and of the last one; the largest of stretch |q| */
  PetscInt64 *closed;            /* [candidates] number of the last step that found it closed somewhere */
  PetscInt64  begun;             /* 1: within a step, which may be repeated */
  PetscInt64  steps, work;       /* begun; candidates looked at since all were */
  PetscInt64  ends;              /* of steps */
  PetscBool   enabled;           /* some candidates may be inactive */
  PetscBool   started;           /* NsBroadPhaseStart has been called */
  PetscBool   keeps;             /* contact->gap is that at the end of the step: NsContactKeepGaps */
} NsBroadPhase;

/* Laws beyond constant coefficients: laws/solve.c. */
typedef struct {
  PetscBool  sliding, anisotropic, two_phase, joints; /* some contact's law is so */
  PetscReal *mu;                                      /* [candidates] coefficient of the last local problem; NULL unless `sliding` */
  PetscReal *limit, *discs; /* [candidates] friction in joints: discs of the contacts of the rows, and of an island; NULL unless `joints` */
  PetscReal *across;        /* [candidates] of an island's contacts, for the local problem; NULL unless `anisotropic` */
  PetscReal *low, *high, *last_mu, *last_off; /* [candidates] of the contacts of the rows: bracket of mu, last iterate and its residual */
  PetscBool *tried;                           /* [candidates] static friction, where the slip reverses */
  PetscReal *u;                               /* [rows] G P */
  PetscReal *Pc, *uc, *Pe, *b;                /* [rows] compression: impulses, velocities after it; expansion: impulses, its problem */
  PetscReal *share;                           /* [candidates] of an expansion: its normal impulse over that of the compression */
  PetscBool *given;                           /* [candidates] whether `share` is given */
  PetscReal *saved;                           /* rows of G that are replaced meanwhile; NULL unless `two_phase` */
  PetscInt64 room;                            /* numbers for which `saved` has room */
  char       problem[256];                    /* why the last problem was not solved; "": the solvers failed */
} NsLaws;
typedef struct NsSharing     NsSharing;     /* sharing.c */
typedef struct NsElimination NsElimination; /* elimination.c */
typedef struct NsLasting     NsLasting;     /* lasting.c */

struct NsContact {
  NsModel   *model;            /* not owned */
  PetscInt   candidates, rows; /* rows: of all candidates together */
  PetscInt   actives;
  PetscInt  *active; /* [actives] in order, slots by their balls: candidates that may be closed */
  PetscReal *gap;    /* [candidates] of the last NsContactGaps */
  PetscReal *
    tolerance; /* [candidates] m: a gap up to this is closed; at least 1e-15 of the model's length, so that rounding does not open a contact at rest */
  const PetscBool *held; /* [candidates] not owned: which are closed at the end of a step, where the scheme knows; NULL: by gaps */
  const PetscReal                 *
    velocity; /* [rows] not owned: of all candidates, row after row; velocities of those that are held, where the scheme knows them better than the state; NULL: it does not */
  PetscInt         *selected; /* [candidates] */
  NsContactReport  *report;   /* [candidates] of the present step; the address changes with each step */
  NsLocalChain     *chain;    /* solves the local problems; its statistics */
  PetscInt          island;   /* of the last local problem */
  PetscReal         residual; /* of the last local problem, for messages where it was not solved */
  PetscInt          overflow; /* rows of the largest island where the Delassus matrix has no room for it; else 0 */
  PetscReal        *guess;    /* [candidates, 3] last solution, N s: where the solvers start */
  PetscReal        *last_guess;  /* [candidates, 3] of active ones, that at the beginning of the step, to which a step that is given up returns; */
  NsLocalStatistics begun_with;  /* and the statistics */
  PetscReal        *G;           /* of the last NsContactDelassus, one island after the other: [rows, rows], row-major */
  PetscInt64        room;        /* allocated numbers of G, */
  PetscInt64        most_room;   /* and the most that may be */
  NsContactReport  *last_report; /* [candidates] of the step before */
  PetscInt         *every;       /* [candidates] 0, 1, 2, ... */
  PetscInt         *first;       /* [candidates] first row of each among the rows of all */
  NsRows            all;
  PetscReal        *u, *b; /* [rows] */
  NsIslands         islands;
  NsSparseRows      sparse;
  NsBroadPhase      broad;
  NsLocalProblem    problem;
  PetscInt         *start;  /* [candidates + 1] of an island's problem */
  PetscReal        *c, *Pc; /* [rows] its b and P */
  NsLaws            laws;
  NsContactFigures  figures;
  NsElimination    *elimination;
  PetscBool         eliminated; /* the elimination has taken the rows of the last NsContactDelassus: there are no islands, and no G */
  NsLasting        *lasting;    /* NULL: not for this model */
  PetscBool         lasts;      /* `lasting` may solve the problem of the last NsContactDelassus, */
  PetscBool         made;       /* and G of this problem has been assembled */
  NsSharing        *sharing;    /* NULL: one process */
  PetscBool (*stop)(void *);    /* NsContactStopBy */
  void     *stop_data;
  PetscBool stopped; /* it has returned true */
};

static inline PetscBool NsIsClosed(const NsContact *contact, PetscInt candidate)
{
  return contact->model->candidate[candidate].bilateral || contact->gap[candidate] <= contact->tolerance[candidate];
}

/* The local problems of these rows from their b with friction, by the blocks of the last NsContactDelassus and the coefficients in laws.mu; P is the start, and the solution. */
PetscErrorCode NsContactLocal(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved);

/* The same with the discs of joints in laws.limit. */
PetscErrorCode NsContactLocalOnce(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved);
/* laws/joints.c: NsContactLocal where joints have friction. */
PetscErrorCode NsLawsJoints(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved);

/* delassus.c: makes the islands and their G if the elimination had taken the rows of the last NsContactDelassus. */
PetscErrorCode NsContactBlocks(NsContact *contact);

/* laws/solve.c */
PetscErrorCode NsLawsCreate(NsContact *contact);
PetscErrorCode NsLawsDestroy(NsContact *contact);
/* NsContactLocal with the coefficients of friction at the sliding speeds of the solution. impact: the problem is an impact, which may have several solutions. */
PetscErrorCode NsLawsSolve(
  NsContact *contact, const NsRows *rows, const PetscReal *b, const PetscReal *before, PetscBool impact, PetscReal *P, PetscBool *solved);
/* NsContactSolveAt. */
PetscErrorCode NsLawsSolveAt(NsContact *contact, const NsRows *rows, const PetscReal *b, const PetscReal *speed, PetscReal *P, PetscBool *solved);
/* Row of G of the normal of contact i of the rows, [*width]; *at: its own entry. Of islands with a dense block only. */
PetscReal *NsLawsRow(const NsContact *contact, const NsRows *rows, PetscInt i, PetscInt *width, PetscInt *at);

/* laws/two_phase.c: whether an impact of these contacts has two phases; and its impulses. */
PetscBool      NsLawsHavePhases(const NsContact *contact, const NsRows *rows, const PetscReal *before, const PetscBool *restitute);
PetscErrorCode NsLawsTwoPhases(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved);
