/*
  Contact between a model and the laws: which candidates are active, their local problem, and what came of it.

  A scheme asks, in its own order: gaps -> active set -> rows -> Delassus -> solve -> apply. Everything is in *impulse units*
  (N s), whatever the scheme calls it: one tolerance fits all.
*/
#pragma once
#include "memory.h"
#include "ledger.h"
#include "local.h"
#include "model.h"

/* C = E' A^-1 E for the touch list E, and its use: G = W_u' C W_P (NsContactDelassus), v += A^-1 W P. One for each operator a scheme solves with. */
typedef struct NsCompliance NsCompliance;

/* Slot must stay the scheme's for this operator. Model not owned. */
PetscErrorCode NsComplianceCreate(NsModel *model, PetscInt slot, NsCompliance **compliance);
PetscErrorCode NsComplianceDestroy(NsCompliance **compliance);
/* Factors A at (t, q, v) and renews C if A changed; free for constant operators after the first call. */
PetscErrorCode NsComplianceUpdate(NsCompliance *compliance, PetscReal t, Vec q, Vec v, NsOperator op);
/* One whose numbers are known, C[touches, touches], copied, constant: for NsContactDelassus, and nothing to apply. Without room for them *compliance is NULL. */
PetscErrorCode NsComplianceCreateKnown(NsModel *model, const PetscReal *C, NsCompliance **compliance);
/* v += scale A^-1 W P. */
PetscErrorCode NsComplianceApply(NsCompliance *compliance, const NsRows *wp, const PetscReal *P, PetscReal scale, Vec v);

typedef enum { NS_OPEN, NS_CLOSED, NS_STICK, NS_SLIP } NsContactState; /* CLOSED: without friction */
extern const char *const NsContactStateNames[];

/* What the last step did at each candidate; forces and impulses are kept apart where the scheme can tell. SI; [3]: normal, tangent 1, tangent 2. */
typedef struct {
  PetscReal      gap, gap_rate;                         /* at the end of the step */
  PetscReal      force[3];                              /* reaction force at the end of the step, N */
  PetscReal      impulse[3];                            /* reaction impulse within the step, N s */
  PetscReal      velocity_before[3], velocity_after[3]; /* relative: around the impulse; without one, `after` is that of the end */
  PetscReal      energy_lost;                           /* by the impulse, J */
  PetscBool      impact; /* the impulse is that of an impact, not only a contact force that the scheme reports as impulse */
  NsContactState state;
} NsContactReport;

/*
  Islands: active contacts that act on each other, directly or through others, by the numbers of C; where these are not known (varying mass, columns too many to be
  kept) all are one. Each has its block of the Delassus matrix and its own local problem.
*/
typedef struct {
  PetscInt    count;
  PetscInt   *of;     /* [contacts of the rows] island of each; they are numbered by their first contacts */
  PetscInt   *parent; /* [contacts] scratch */
  PetscInt   *start;  /* [count + 1] */
  PetscInt   *member; /* contacts of each island, ascending */
  PetscInt64 *block;  /* [count + 1] where its block of G begins */
  PetscInt   *owner;  /* [touches] scratch: -1 */
  PetscReal  *half;   /* [touches] scratch: 0 */
} NsIslands;

/* Candidates that sleep: provably open, and not looked at. See src/contact/near.c. */
typedef struct {
  PetscReal  *reference;             /* [touches] where all candidates were looked at */
  PetscReal  *touch_q, *touch_v;     /* [touches] of the last look at some */
  PetscReal  *end_q, *end_v, *spare; /* [touches] at the end of the last step; scratch */
  PetscReal  *limit;                 /* [sleepers] motion from the reference at which each could close, ascending */
  PetscInt   *sleeper, *woken;       /* [sleepers] */
  PetscInt   *bucket;                /* scratch */
  PetscInt    sleepers, up;          /* the first `up` of them have been woken */
  PetscInt64 *closed;                /* [candidates] number of the last step that found it closed somewhere */
  PetscInt64  steps, work;           /* begun; candidates looked at since all were */
  PetscInt64  ends;                  /* of steps */
  PetscBool   may;                   /* some candidates may sleep */
  PetscBool   known;                 /* contact->gap is that at touch_q */
} NsSleep;

typedef struct NsContact NsContact;
struct NsContact {
  NsModel   *model;            /* not owned */
  PetscInt   candidates, rows; /* rows: of all candidates together */
  PetscInt   nears;
  PetscInt  *near; /* [nears] ascending: candidates that may be closed; all others are open, and their gaps and reports are those of some time ago */
  PetscReal *gap;  /* [candidates] of the last NsContactGaps */
  PetscReal *
    tolerance; /* [candidates] m: a gap up to this is closed; at least 1e-15 of the model's length, so that rounding does not open a contact at rest */
  const PetscBool *held; /* [candidates] not owned: who is closed at the end of a step, where the scheme knows; NULL: by gaps */
  const PetscReal                *
    velocity; /* [rows] not owned: of all candidates, row after row; velocities of those that are held, where the scheme knows them better than the state; NULL: it does not */
  PetscInt        *active;   /* [candidates] scratch: list of active candidates */
  NsContactReport *report;   /* [candidates] of the present step; another array each step */
  NsLocalChain    *chain;    /* solves the local problems; its statistics */
  PetscReal        residual; /* of the last local problem, for messages where it was not solved */
  PetscInt         crowd;    /* rows of the largest island where the Delassus matrix has no room for it; else 0 */
  PetscReal       *guess;    /* [candidates, 3] last solution, N s: where the solvers start */
  PetscReal       *G;        /* the last NsContactDelassus, island after island: [rows, rows] of each, row-major */
  PetscInt64       room;     /* for so many numbers */
  NsContactReport *last_report; /* [candidates] of the step before */
  /* private */
  PetscInt      *every; /* [candidates] 0, 1, 2, ... */
  PetscInt      *first; /* [candidates] first row of each among the rows of all */
  NsRows         all;
  PetscReal     *u, *b; /* [rows] */
  NsIslands      islands;
  NsSleep        sleep;
  NsLocalProblem problem;
  PetscInt      *start;  /* [candidates + 1] of an island's problem */
  PetscReal     *c, *Pc; /* [rows] its b and P */
};

PetscErrorCode NsContactCreate(NsModel *model, NsContact **contact);
PetscErrorCode NsContactDestroy(NsContact **contact);
/* Memory between two steps: guesses, reports, who sleeps, statistics. */
void NsContactRemember(NsContact *contact, NsMemory *memory);
/* Gaps of the candidates that are near at (t, q) into contact->gap; which those are, may grow. */
PetscErrorCode NsContactGaps(NsContact *contact, PetscReal t, Vec q);
/* Closed, by the gaps of the last NsContactGaps; joints always are. */
static inline PetscBool NsContactIsClosed(const NsContact *contact, PetscInt candidate)
{
  return contact->model->candidate[candidate].bilateral || contact->gap[candidate] <= contact->tolerance[candidate] ? PETSC_TRUE : PETSC_FALSE;
}
/* Candidates with a flag[candidates] into contact->active; how many. Flags of those that are not near do not count: a candidate falls asleep only after a step in which
   nobody found it closed. */
PetscInt NsContactList(NsContact *contact, const PetscBool *flag);
/* The same of those that are closed. */
PetscInt NsContactListClosed(NsContact *contact);
/* Candidates into contact->active whose gap, forecast from its present rate over the time `ahead`, is closed: g + ahead gdot; joints always are. */
PetscErrorCode NsContactForecast(NsContact *contact, const NsState *state, PetscReal ahead, PetscInt *count);
/* closed[candidates] at a state where a run starts: those that touch but still approach, and joints that move, are not, for an
   impact is due to them in the first step. */
PetscErrorCode NsContactClosedAtStart(NsContact *contact, const NsState *state, PetscBool *closed);
/* Everything is near again. */
void NsContactWakeAll(NsContact *contact);
/* Clears forces, impulses and losses of all reports: every step begins with it. */
PetscErrorCode NsContactBeginStep(NsContact *contact);
/* The step failed: the reports are those of the step before again. */
PetscErrorCode NsContactCancelStep(NsContact *contact);
/*
  G = W_u' C W_P of the same contacts in wu and wp, in blocks; compliance NULL: C is the identity. Where there is no room for it (contact->crowd) nothing can be solved
  until the next call.
*/
PetscErrorCode NsContactDelassus(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp);
/* G += factor W_u' C W_P, of the same contacts: what acts on each other by this C does by that of the last NsContactDelassus, too. */
PetscErrorCode NsContactDelassusAdd(NsContact *contact, PetscReal factor, NsCompliance *compliance, const NsRows *wu, const NsRows *wp);
/* G of the last NsContactDelassus times a factor. */
void NsContactScale(NsContact *contact, PetscReal factor);
/* u = G P of these rows, those of the last NsContactDelassus. */
void NsContactReact(const NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal *u);
/* flag[contacts] becomes true for all contacts of an island, by the last NsContactDelassus, in which it is for one. */
void NsContactSpread(const NsContact *contact, PetscBool *flag);
/* reached[contacts of wu]: whether impulses of the contacts of wp with a flag act on them. */
void NsContactReached(
  NsContact *contact, const NsCompliance *compliance, const NsRows *wp, const PetscBool *flag, const NsRows *wu, PetscBool *reached);
/*
  Solves for P[rows] with  u = u_free + G P  and the laws of the contacts in `rows`; G is that of the last NsContactDelassus.
    before: NULL: forces, u itself obeys the law;
            else u^-[rows]: u + e u^- obeys it, with the restitution of those contacts for which restitute[i] is true (NULL: all).
  *solved is false when every solver of the chain failed: a reason for the caller, not an error.
*/
PetscErrorCode NsContactSolve(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved);
/*
  Contacts on position level: solves 0 <= b + G Psi  _|_  Psi >= 0 (joints: = 0) for Psi[rows]; rows are normals, b their gaps without Psi. No friction, no
  restitution, no memory: Psi holds the start on entry.
*/
PetscErrorCode NsContactSolveGaps(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *Psi, PetscBool *solved);
/* Contacts as equations, whatever their laws: b + G P = 0 in all rows, or least squares where rows depend on each other and their b do not fit. *left: the largest |b + G P|, infinite
   where something is no number or there is no room. */
PetscErrorCode NsContactFit(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscReal *left);
/* Puts P * scale into the reports as reaction forces (N). */
PetscErrorCode NsContactReportForce(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal scale);
/*
  Puts impulses P into the reports with the velocities around them, and books their energy: what the mean velocity (before + after)/2 takes out, normal part as
  impact, tangential part as friction. impact[i] (NULL: all) says which are impacts; the others are reactions of lasting contact,
  and at joints book nothing.
*/
PetscErrorCode NsContactReportImpulse(NsContact *contact, NsLedger *ledger, const NsRows *rows, const PetscReal *P, const PetscReal *before,
  const PetscReal *after, const PetscBool *impact);
/* Whether the reactions of these rows can work: friction, or surfaces that move by themselves. */
PetscBool NsRowsWork(const NsRows *rows);
/* Books the work of reaction forces whose impulses over the step are scale P, at its mean velocity us/2, us = W' (v0 + v1) with the drive counted twice: friction takes
   -u_T . P_T; the normal part does none, but where a surface moves by itself. us is not looked at unless NsRowsWork. */
void NsContactBookForces(NsLedger *ledger, const NsRows *rows, const PetscReal *P, PetscReal scale, const PetscReal *us);
/* Gap, gap rate and state of the candidates that are near at the end of the step. */
PetscErrorCode NsContactEndStep(NsContact *contact, const NsState *state);
/* The same of the others, for who wants to see all. */
PetscErrorCode NsContactComplete(NsContact *contact, const NsState *state);
