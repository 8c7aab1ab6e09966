#include "hold.h"

#define NS_ON 1e-15 /* of the model's length: a gap of this is zero but for rounding */

const char *const NsPositionsChoices[] = {"free", "held", NULL};

PetscErrorCode NsHoldCreate(NsContact *contact, NsHold **result)
{
  const PetscInt candidates = contact->candidates;
  NsHold        *hold;

  PetscFunctionBegin;
  PetscCall(PetscNew(&hold));
  PetscCall(NsPositionCreate(contact, &hold->position));
  PetscCall(
    PetscCalloc5(candidates, &hold->closed, candidates, &hold->carried, candidates, &hold->pressed, candidates, &hold->held, candidates, &hold->gap));
  PetscCall(NsVecsCreate(contact->model, &hold->q, NULL));
  *result = hold;
  PetscFunctionReturn(0);
}

PetscErrorCode NsHoldDestroy(NsHold **result)
{
  NsHold *hold = *result;

  PetscFunctionBegin;
  if (!hold) PetscFunctionReturn(0);
  hold->position.contact->held = NULL;
  PetscCall(NsPositionDestroy(&hold->position));
  PetscCall(PetscFree5(hold->closed, hold->carried, hold->pressed, hold->held, hold->gap));
  PetscCall(NsVecsDestroy(&hold->q, NULL));
  PetscCall(PetscFree(hold));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsHoldStart(NsHold *hold, const PetscBool *closed)
{
  NsContact *contact = hold->position.contact;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(hold->closed, closed, contact->candidates));
  PetscCall(PetscArrayzero(hold->carried, contact->candidates));
  contact->held = hold->closed;
  PetscFunctionReturn(0);
}

void NsHoldRemember(NsHold *hold, NsMemory *memory)
{
  const PetscInt candidates = hold->position.contact->candidates;

  NsMemoryFlags(memory, "held_closed", candidates, hold->closed);
  NsMemoryFlags(memory, "carried", candidates, hold->carried);
}

PetscBool NsHoldTouches(const NsContact *contact, PetscInt i)
{
  return contact->model->candidate[i].bilateral || contact->gap[i] <= NS_HELD * contact->model->length_scale ? PETSC_TRUE : PETSC_FALSE;
}

/* flag[candidates] of those in rows that last and have P > 0 along their normals; whether there are some. */
static PetscBool mark(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P, PetscBool *flag)
{
  const NsContact *contact = hold->position.contact;
  PetscBool        any     = PETSC_FALSE;

  for (PetscInt k = 0; k < contact->nears; k++) flag[contact->near[k]] = PETSC_FALSE;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt k = rows->contact[i];
    flag[k]          = (!lasting || lasting[k]) && P[rows->start[i]] > 0 ? PETSC_TRUE : PETSC_FALSE;
    any              = any || flag[k] ? PETSC_TRUE : PETSC_FALSE;
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
  for (PetscInt k = 0; k < contact->nears; k++) hold->closed[contact->near[k]] = NsHoldTouches(contact, contact->near[k]);
}

/* The largest gap of what is held; one that is open because the others keep it so (Psi = 0) is none. */
static PetscReal largest_gap(const NsHold *hold, PetscBool solved)
{
  const NsContact *contact = hold->position.contact;
  PetscReal        largest = 0;

  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt  i    = contact->near[k];
    const PetscReal gap  = contact->gap[i];
    const PetscBool free = solved && hold->position.multiplier[i] == 0 && !contact->model->candidate[i].bilateral ? PETSC_TRUE : PETSC_FALSE;
    if (hold->held[i] && !(PetscAbsReal(gap) <= largest)) largest = free ? PetscMax(largest, -gap) : PetscAbsReal(gap);
  }
  return largest;
}

/* Whether a contact with g <= 0 is to stay closed: it did not bounce. */
static PetscBool stays(const NsHold *hold, PetscInt i)
{
  const NsCandidate *candidate = &hold->position.contact->model->candidate[i];

  return candidate->bilateral || candidate->law.restitution == 0 || hold->carried[i] ? PETSC_TRUE : PETSC_FALSE;
}

void NsHoldFind(NsHold *hold, PetscBool *off)
{
  const NsContact *contact = hold->position.contact;

  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt i = contact->near[k];
    hold->gap[i]     = contact->gap[i];
    hold->held[i]    = hold->pressed[i] || (NsHoldTouches(contact, i) && stays(hold, i)) ? PETSC_TRUE : PETSC_FALSE;
  }
  *off = largest_gap(hold, PETSC_FALSE) > NS_ON * contact->model->length_scale ? PETSC_TRUE : PETSC_FALSE;
}

#define NS_MOST_HELD_STEPS 8 /* Newton's method takes two to four; where gaps fit in a double root alone it only halves the distance */

PetscErrorCode NsHoldProject(NsScheme *scheme, NsHold *hold, PetscReal t, NsCompliance *mass, Vec *q, NsStepOutcome *outcome)
{
  NsPosition     *position = &hold->position;
  NsContact      *contact  = position->contact;
  const PetscReal length   = contact->model->length_scale;
  const Vec       free     = *q;
  PetscReal       left, last = PETSC_MAX_REAL;

  PetscFunctionBegin;
  PetscCall(NsPositionBegin(position));
  PetscCall(VecCopy(free, hold->q));
  for (int i = 0; i < NS_MOST_STEPS; i++, last = left) {
    const Vec from = hold->q;
    position->held = i < NS_MOST_HELD_STEPS ? hold->held : NULL;
    PetscCall(NsPositionStep(position, hold->held, t, from, t, from, free, mass, 1, position->next, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &position->wg, "projection"));
      PetscFunctionReturn(0);
    }
    hold->q        = position->next;
    position->next = from;
    PetscCall(NsContactGaps(contact, t, hold->q));
    left = largest_gap(hold, PETSC_TRUE);
    if (left <= NS_ON * length || (left <= NS_HELD * length && left >= last) ||
        !(left < PETSC_INFINITY)) { /* what is no number is found by the loop */
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
