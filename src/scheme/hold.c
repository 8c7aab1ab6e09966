#include "hold.h"

#define NS_ON 1e-15 /* of the model's length: a gap of this is zero but for rounding */

const char *const NsPositionsChoices[] = {"auto", "free", "held", NULL};

PetscBool NsHoldIsWanted(const NsModel *model, int positions)
{
  return positions == 2 || (positions == 0 && model->joints_drift);
}

PetscErrorCode NsHoldDeclare(NsScheme *scheme, NsWorkspace *work, NsHold **result)
{
  NsHold *hold;

  PetscFunctionBegin;
  PetscCall(NsWorkBytes(work, sizeof(*hold), result));
  hold = *result;
  PetscCall(NsPositionDeclare(scheme, work, &hold->position));
  PetscCall(NsWorkVecs(work, &hold->q, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &hold->pressed, &hold->held, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &hold->gap, NULL));
  PetscCall(NsHistoryFlags(work, "held_closed", work->candidates, &hold->closed));
  PetscCall(NsHistoryFlags(work, "carried", work->candidates, &hold->carried));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHoldStart(NsHold *hold, const PetscBool *closed)
{
  NsContact *contact = hold->position.contact;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(hold->closed, closed, NsContactModel(contact)->candidates));
  PetscCall(PetscArrayzero(hold->carried, NsContactModel(contact)->candidates));
  NsContactSetHeld(contact, hold->closed, NULL);
  PetscFunctionReturn(0);
}

PetscBool NsHoldTouches(const NsContact *contact, PetscInt i)
{
  return NsContactModel(contact)->candidate[i].bilateral || NsContactLastGaps(contact)[i] <= NS_HELD * NsContactModel(contact)->length_scale;
}

/* flag[candidates] of those in rows that last and have P > 0 along their normals; whether there are some. */
static PetscBool mark(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P, PetscBool *flag)
{
  const NsContact *contact = hold->position.contact;
  PetscBool        any     = PETSC_FALSE;

  NsContactClearFlags(contact, flag);
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt k = rows->contact[i];
    flag[k]          = (!lasting || lasting[k]) && P[rows->start[i]] > 0;
    any              = any || flag[k];
  }
  return any;
}

PetscBool NsHoldPress(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P)
{
  return mark(hold, lasting, rows, P, hold->pressed);
}

void NsHoldEnd(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P)
{
  const NsContact *contact = hold->position.contact;

  (void)mark(hold, lasting, rows, P, hold->carried);
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) hold->closed[active[k]] = NsHoldTouches(contact, active[k]);
}

/* The largest gap of held contacts; one that the others keep open (Psi = 0) does not count. */
static PetscReal largest_gap(const NsHold *hold, PetscBool solved)
{
  const NsContact *contact = hold->position.contact;
  PetscReal        largest = 0;

  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt  i    = active[k];
    const PetscReal gap  = NsContactLastGaps(contact)[i];
    const PetscBool free = solved && hold->position.multiplier[i] == 0 && !NsContactModel(contact)->candidate[i].bilateral;
    if (hold->held[i] && !(PetscAbsReal(gap) <= largest)) largest = free ? PetscMax(largest, -gap) : PetscAbsReal(gap);
  }
  return largest;
}

/* Whether a contact with g <= 0 is to stay closed: it did not bounce. */
static PetscBool stays(const NsHold *hold, PetscInt i)
{
  const NsCandidate *candidate = &NsContactModel(hold->position.contact)->candidate[i];

  return candidate->bilateral || (candidate->law.restitution == 0 && !(candidate->law.kinds & NS_LAW_APPROACH)) || hold->carried[i];
}

void NsHoldFind(NsHold *hold, PetscBool *off)
{
  const NsContact *contact = hold->position.contact;

  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    hold->gap[i]     = NsContactLastGaps(contact)[i];
    hold->held[i] = hold->pressed[i] || (NsHoldTouches(contact, i) && stays(hold, i) && !NsCandidateResists(&NsContactModel(contact)->candidate[i]));
  }
  *off = largest_gap(hold, PETSC_FALSE) > NS_ON * NsContactModel(contact)->length_scale;
}

#define NS_MOST_HELD_STEPS 8 /* Newton's method takes two to four; at a double root it only halves the distance */

static PetscErrorCode project(NsScheme *scheme, NsHold *hold, PetscReal t, NsCompliance *mass, Vec *q, NsStepOutcome *outcome)
{
  NsPosition             *position = &hold->position;
  NsContact              *contact  = position->contact;
  const PetscReal         length   = NsContactModel(contact)->length_scale;
  const Vec               free     = *q;
  const NsPositionProblem problem  = {.t = t, .q_free = free, .metric = mass, .scale = 1, .allowed = hold->held};
  PetscReal               left, last = PETSC_MAX_REAL;

  PetscFunctionBegin;
  PetscCall(NsPositionBegin(position));
  PetscCall(VecCopy(free, hold->q));
  for (int i = 0; i < NS_MOST_STEPS; i++, last = left) {
    const Vec from = hold->q;
    position->held = i < NS_MOST_HELD_STEPS ? hold->held : NULL;
    PetscCall(NsPositionStep(position, &problem, from, position->next, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &position->wg, "projection"));
      PetscFunctionReturn(0);
    }
    hold->q        = position->next;
    position->next = from;
    PetscCall(NsContactGaps(contact, t, hold->q));
    left = largest_gap(hold, PETSC_TRUE);
    if (left <= NS_ON * length || (left <= NS_HELD * length && left >= last) ||
        !(left < PETSC_INFINITY)) { /* NaN is found by the guard of the time loop */
      *q      = hold->q;
      hold->q = free;
      PetscFunctionReturn(0);
    }
  }
  outcome->done = PETSC_FALSE;
  PetscCall(PetscSNPrintf(
    outcome->reason, sizeof(outcome->reason), "the projection of closed contacts onto their gaps does not converge (largest gap %.1e m)", last));
  PetscFunctionReturn(0);
}

/* Releases contact points of shapes that appear and disappear, because the rates of their rows are not known; returns whether there were some. */
static PetscBool let_go(NsHold *hold)
{
  const NsContact *contact = hold->position.contact;
  const NsModel   *model   = NsContactModel(contact);
  PetscBool        any     = PETSC_FALSE;

  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives && !model->contact.rowrate; k++) {
    const PetscInt i = active[k];
    any              = any || (model->candidate[i].slot && hold->held[i]);
    hold->held[i]    = hold->held[i] && !model->candidate[i].slot;
  }
  return any;
}

/* If the projection does not converge because of such points, it is repeated without them: in this step the law holds for their velocities only. */
PetscErrorCode NsHoldProject(NsScheme *scheme, NsHold *hold, PetscReal t, NsCompliance *mass, Vec *q, NsStepOutcome *outcome)
{
  const NsStepOutcome before = *outcome;

  PetscFunctionBegin;
  PetscCall(project(scheme, hold, t, mass, q, outcome));
  if (outcome->done || !let_go(hold)) PetscFunctionReturn(0);
  *outcome = before;
  PetscCall(NsContactGaps(hold->position.contact, t, *q));
  PetscCall(project(scheme, hold, t, mass, q, outcome));
  PetscFunctionReturn(0);
}
