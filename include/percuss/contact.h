/*
  Contact between a model and the laws: which candidates are active, their local problem, and its results.

  A scheme asks, in its own order: gaps -> active set -> rows -> Delassus -> solve -> apply. Everything is in *impulse units*
  (N s), whatever the scheme calls it: one tolerance fits all.
*/
#pragma once
#include "archive.h"
#include "ledger.h"
#include "local.h"
#include "model.h"

/* C = E' A^-1 E for the touch list E, and its use: G = W_u' C W_P (NsContactDelassus), v += A^-1 W P. One for each operator a scheme solves with. */
typedef struct NsCompliance NsCompliance;

/* The slot must be reserved for this operator. The model is not owned. */
PetscErrorCode NsComplianceCreate(NsModel *model, PetscInt slot, NsCompliance **compliance);
PetscErrorCode NsComplianceDestroy(NsCompliance **compliance);
/* Factors A at (t, q, v) and renews C if A changed; free for constant operators after the first call. */
PetscErrorCode NsComplianceUpdate(NsCompliance *compliance, PetscReal t, Vec q, Vec v, NsOperator op);
/* A constant compliance with the given matrix C[touches, touches], which is copied: for NsContactDelassus only, not for NsComplianceApply. NULL if there is not enough memory for it. */
PetscErrorCode NsComplianceCreateKnown(NsModel *model, const PetscReal *C, NsCompliance **compliance);
/* v += scale A^-1 W P. */
PetscErrorCode NsComplianceApply(NsCompliance *compliance, const NsRows *wp, const PetscReal *P, PetscReal scale, Vec v);

typedef enum { NS_OPEN, NS_CLOSED, NS_STICK, NS_SLIP } NsContactState; /* CLOSED: without friction */
extern const char *const NsContactStateNames[];

/* What the last step did at each candidate; forces and impulses are separate if the scheme separates them. SI; [3]: normal, tangent 1, tangent 2. */
typedef struct {
  PetscReal      gap, gap_rate;                         /* at the end of the step */
  PetscReal      force[3];                              /* reaction force at the end of the step, N */
  PetscReal      impulse[3];                            /* reaction impulse within the step, N s */
  PetscReal      velocity_before[3], velocity_after[3]; /* relative: around the impulse; without one, `after` is that of the end */
  PetscReal      energy_lost;                           /* by the impulse, J */
  PetscBool      impact; /* the impulse is that of an impact, not only a contact force that the scheme reports as impulse */
  NsContactState state;
} NsContactReport;

/* N: the reaction force of direction d at the end of a step of this length (s): schemes may report a contact force as impulse. */
static inline PetscReal NsContactForce(const NsContactReport *report, PetscReal step, int d)
{
  return report->force[d] + (report->impact || step <= 0 ? 0 : report->impulse[d] / step);
}
/* What the contacts add to a column of a probe; report[candidates]. */
static inline PetscReal NsProbeForces(const NsProbeColumn *column, const NsContactReport *report, PetscReal step)
{
  PetscReal sum = 0;

  for (const NsProbeTouch *touch = column->touch; touch; touch = touch->next)
    sum += touch->weight * NsContactForce(&report[touch->candidate], step, 0);
  return sum;
}

/* The contacts of a model: which candidates may be closed, the local problem of those that are, and the reports of the step. Opaque. */
typedef struct NsContact NsContact;

PetscErrorCode NsContactCreate(NsModel *model, NsContact **contact);
PetscErrorCode NsContactDestroy(NsContact **contact);
/* The history: initial guesses, reports, the broad phase, statistics. */
void NsContactSerialize(NsContact *contact, NsArchive *archive);
/* The forces of another run's contacts, with which the local solver begins, where both have the same candidates by name; else nothing, and false. Before the first step. */
PetscBool NsContactTakeForces(NsContact *contact, const NsContact *other);
NsModel  *NsContactModel(const NsContact *contact);    /* not owned */
PetscInt  NsContactRowCount(const NsContact *contact); /* of all candidates together: capacity for arrays of the caller */
/* Gaps of the active candidates at (t, q); more candidates may become active. */
PetscErrorCode NsContactGaps(NsContact *contact, PetscReal t, Vec q);
/* Call this if the step ends at the position of the last NsContactGaps: NsContactEndStep then uses the gaps computed there. Otherwise it computes them again. */
void NsContactKeepGaps(NsContact *contact);
/* As NsContactGaps at a state, with relative velocities of all directions. Candidates that such velocities could close within the time `ahead` become active. */
PetscErrorCode NsContactRates(NsContact *contact, const NsState *state, PetscReal ahead);
/*
  Results of the last NsContactGaps or NsContactRates, not owned. The addresses are fixed until NsContactDestroy.
    NsContactActive: the number of candidates that the broad phase treats as possibly closed, and (list not NULL) which, ascending. All others are open; their gaps and reports
                     are out of date.
    NsContactLastGaps: [candidates] m.
    NsContactVelocity: [directions of the candidate] m/s, of the last NsContactRates.
*/
PetscInt         NsContactActive(const NsContact *contact, const PetscInt **list);
const PetscReal *NsContactLastGaps(const NsContact *contact);
const PetscReal *NsContactVelocity(const NsContact *contact, PetscInt candidate);
/* Where the rows of a candidate begin among those of all candidates. */
PetscInt NsContactFirstRow(const NsContact *contact, PetscInt candidate);
/* [candidates] m: a gap up to this is closed; at least 1e-15 of the model's length, so that rounding does not open a contact at rest. */
const PetscReal *NsContactTolerances(const NsContact *contact);
/* [candidates] The list that NsContactList, NsContactListClosed, NsContactFlagClosed and NsContactForecast fill; the caller may change it. */
PetscInt *NsContactSelected(const NsContact *contact);
/* [candidates] Reports of the present step and of the one before. The addresses change with every step. A scheme that does not use NsContactReport... fills in its own. */
NsContactReport       *NsContactReports(const NsContact *contact);
const NsContactReport *NsContactLastReports(const NsContact *contact);
/*
  Results that a scheme knows more exactly than they can be computed from the state at the end of a step: held[candidates], which candidates are closed (NULL: determined by gaps), and
  velocity[rows of all candidates], the contact velocities of these (NULL: computed from the state). The arrays are not copied.
*/
void NsContactSetHeld(NsContact *contact, const PetscBool *held, const PetscReal *velocity);
/* `stop` is called between iterations of long local problems; when it returns true, the problem is not solved and the step fails. NULL: never called. */
void NsContactStopBy(NsContact *contact, PetscBool (*stop)(void *), void *data);
/* How local problems are solved: by all solvers in turn, or one alone (NsLocalChainSolveBy); tolerance 0: leaves the tolerance unchanged. */
void NsContactSolveBy(NsContact *contact, int choice, PetscReal tolerance);
/* Of the local problems so far. */
NsLocalStatistics *NsContactStatistics(const NsContact *contact);
/* How contacts have been found so far, and the largest local problems. */
typedef struct {
  PetscInt64 gaps;        /* evaluated, each of one candidate */
  PetscInt64 searches;    /* looks at all candidates, or for pairs of balls by the grid */
  PetscInt64 most_active; /* candidates at the end of a step that were not skipped */
  PetscInt64 most_islands;
  PetscInt64 most_dense, most_sparse; /* rows of an island whose Delassus matrix was dense; sparse */
  PetscInt64 shared;                  /* times that several processes shared the islands */
  PetscInt64 lasting;                 /* local problems solved with an inverse that is kept from step to step */
} NsContactFigures;
const NsContactFigures *NsContactGetFigures(const NsContact *contact);
/* "all candidates", "distant candidates are skipped", "pairs of balls by a grid, ..." */
const char *NsContactSearchName(const NsContact *contact);
/* The residual of the last local problem, for error messages. */
PetscReal NsContactResidual(const NsContact *contact);
/*
  Painleve's paradox: the contact of the last local problem, which was not solved, whose force at sliding drives it further in: w_N = b_N + slope G_NN P_N, slope = 1 - mu G_NT . t / G_NN < 0 (painleve.c).
  False: there is none. rows: those of the problem.
*/
typedef struct {
  PetscInt  candidate;
  PetscReal slope;
  PetscBool inconsistent; /* b_N < 0: no contact force satisfies the law; else indeterminate: zero and a positive force do */
} NsPainleve;
PetscBool NsContactPainleve(const NsContact *contact, const NsRows *rows, NsPainleve *found);
/* Why the law of a contact has no solution in the last local problem, a sentence without full stop; "": the solvers failed. Not owned. */
const char *NsContactProblem(const NsContact *contact);
/* The coefficient of friction (along tangent 1) of the last local problem that the candidate was in: of laws over the sliding speed, that of its solution. */
PetscReal NsContactFriction(const NsContact *contact, PetscInt candidate);
/* The coefficient of a speed-dependent law that the scheme has used itself; it sets the state (stick or slip) in the report. */
void NsContactTakeFriction(NsContact *contact, PetscInt candidate, PetscReal mu);
/* Number of rows of the largest island if its Delassus matrix did not fit into memory in the last NsContactDelassus, else 0; *room (or NULL): number of entries that are allowed. */
PetscInt NsContactOverflow(const NsContact *contact, PetscInt64 *room);
/* Closed, by the gaps of the last NsContactGaps; joints always are. */
PetscBool NsContactIsClosed(const NsContact *contact, PetscInt candidate);
/* Sets flag[candidates] of each active candidate: whether it is closed. Also selects the closed ones, and returns their number. */
PetscInt NsContactFlagClosed(NsContact *contact, PetscBool *flag);
/* flag[candidates] of the active ones becomes false. */
void NsContactClearFlags(const NsContact *contact, PetscBool *flag);
/* Selects the active candidates whose flag is true, and returns their number. Flags of inactive candidates do not count: a candidate becomes inactive only after a step in which it was
   never found closed. */
PetscInt NsContactList(NsContact *contact, const PetscBool *flag);
/* Selects those that are closed. */
PetscInt NsContactListClosed(NsContact *contact);
/* Selects those whose gap, forecast from its present rate over the time `ahead`, is closed: g + ahead gdot; joints always are. */
PetscErrorCode NsContactForecast(NsContact *contact, const NsState *state, PetscReal ahead, PetscInt *count);
/* closed[candidates] at the state in which a run starts. Contacts that touch but still approach, and joints with a velocity, count as not closed: an
   impact in the first step has to stop them. */
PetscErrorCode NsContactClosedAtStart(NsContact *contact, const NsState *state, PetscBool *closed);
/* After candidates have been switched on or off (percuss/switches.h), between two steps, before the scheme starts anew. *deep: the deepest of those that begin to act with a penetration; -1: none does. */
PetscErrorCode NsContactSwitched(NsContact *contact, const NsState *state, PetscInt *deep);
/* Clears forces, impulses and losses of all reports: every step begins with it. */
PetscErrorCode NsContactBeginStep(NsContact *contact);
/* After a failed step: restores the reports of the step before. */
PetscErrorCode NsContactCancelStep(NsContact *contact);
/*
  G = W_u' C W_P of the same contacts in wu and wp, in blocks; compliance NULL: C is the identity. If it does not fit into memory (NsContactOverflow), nothing can be solved
  until the next call.
*/
PetscErrorCode NsContactDelassus(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp);
/* G += factor W_u' C W_P, of the same contacts, which must be coupled only where the C of the last NsContactDelassus couples them. */
PetscErrorCode NsContactDelassusAdd(NsContact *contact, PetscReal factor, NsCompliance *compliance, const NsRows *wu, const NsRows *wp);
/* G of the last NsContactDelassus times a factor. */
void NsContactScale(NsContact *contact, PetscReal factor);
/* u = G P of these rows, those of the last NsContactDelassus. */
PetscErrorCode NsContactReact(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal *u);
/* Sets flag[contacts] of all contacts of each island (of the last NsContactDelassus) that has a contact with this flag. */
void NsContactSpread(const NsContact *contact, PetscBool *flag);
/* reached[contacts of wu]: whether impulses of the contacts of wp with a flag act on them. */
void NsContactReached(
  NsContact *contact, const NsCompliance *compliance, const NsRows *wp, const PetscBool *flag, const NsRows *wu, PetscBool *reached);
/*
  Solves for P[rows] with  u = u_free + G P  and the laws of the contacts in `rows`; G is that of the last NsContactDelassus.
    before: NULL: forces, u itself obeys the law;
            else u^-[rows]: u + e u^- obeys it, with the restitution of those contacts for which restitute[i] is true (NULL: all).
  Friction over the sliding speed takes its coefficient at |u_T| of the solution; in an impact alone (u_free is `before`) that nearest to rest, of several. With a two-phase law the shift is replaced by an expansion (src/contact/laws/two_phase.c): u_free has to be
  u^- then, an impact alone.
  *solved is false if every solver of the chain failed, or a law has no unique solution (NsContactProblem), which is not a PETSc error.
*/
PetscErrorCode NsContactSolve(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved);
/* The same for forces, with the friction at the known sliding speeds[contacts] (m/s). Where static and kinetic friction differ, a contact at rest that static friction cannot hold has the kinetic
   coefficient. NsContactFriction is the coefficient of each. */
PetscErrorCode NsContactSolveAt(
  NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *speed, PetscReal *P, PetscBool *solved);
/*
  Contacts on position level: solves 0 <= b + G Psi  _|_  Psi >= 0 (joints: = 0) for Psi[rows]; rows are normals, b their gaps without Psi. No friction, no
  restitution, no history: Psi is the initial guess on entry.
*/
PetscErrorCode NsContactSolveGaps(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *Psi, PetscBool *solved);
/* Contacts as equations, whatever their laws: b + G P = 0 in all rows, or least squares where rows depend on each other and their b do not fit. *left: the largest |b + G P|, Inf
   if a value is not finite or G does not fit into memory. */
PetscErrorCode NsContactFit(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscReal *left);
/* Puts P * scale into the reports as reaction forces (N). */
PetscErrorCode NsContactReportForce(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal scale);
/*
  Writes impulses P into the reports with the velocities before and after them, and books the energy that they dissipate, computed with the mean velocity (before + after)/2: the normal part
  as impact, the tangential part as friction. impact[i] (NULL: all) says which are impacts. The others are reactions of lasting contact;
  for those of joints nothing is booked.
*/
PetscErrorCode NsContactReportImpulse(NsContact *contact, NsLedger *ledger, const NsRows *rows, const PetscReal *P, const PetscReal *before,
  const PetscReal *after, const PetscBool *impact);
/* Whether the reactions of these rows can do work: with friction, or at surfaces with a prescribed motion. */
static inline PetscBool NsRowsWork(const NsRows *rows)
{
  if (rows->rows > rows->contacts) return PETSC_TRUE;
  for (PetscInt k = 0; k < rows->rows; k++) {
    if (rows->drive[k] != 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
/* Books the work of reaction forces whose impulses over the step are scale P. The mean contact velocity of the step is us/2, with us = W' (v0 + v1) + 2 drive. Friction dissipates
   -u_T . P_T; normal forces do no work, except on a surface with a prescribed motion. us is read only if NsRowsWork. */
void NsContactBookForces(NsLedger *ledger, const NsRows *rows, const PetscReal *P, PetscReal scale, const PetscReal *us);
/* Whether some contact had an impact in this step. */
PetscBool NsContactHadImpact(const NsContact *contact);
/* Gap, gap rate and state of the active candidates at the end of the step. */
PetscErrorCode NsContactEndStep(NsContact *contact, const NsState *state);
/* A contact that a step jumped over: gaps (m) before and after, the largest penetration in between, and the relative displacement of the partners. */
typedef struct {
  PetscInt  candidate; /* -1: none */
  PetscReal before, depth, after, travel;
} NsPassage;
/* After NsContactEndStep, and before the next step begins: the deepest passage of the step, which went from the time `from` to the time `to`. Only for models with the operation `travel`; curved paths are
   approximated by straight ones. */
PetscErrorCode NsContactPassage(NsContact *contact, PetscReal from, PetscReal to, NsPassage *passage);
/* Gap, gap rate and state of the inactive candidates at the end of the step, for outputs of all candidates. */
PetscErrorCode NsContactComplete(NsContact *contact, const NsState *state);
