/* What contacts report of a step: forces, impulses, their work, and the state at its end. */
#include "broad_phase.h"
#include "laws/law.h"

PetscErrorCode NsContactReportForce(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal scale)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    NsContactReport *report = &contact->report[rows->contact[i]];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) report->force[k - rows->start[i]] = scale * P[k];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactReportImpulse(NsContact *contact, NsLedger *ledger, const NsRows *rows, const PetscReal *P, const PetscReal *before,
  const PetscReal *after, const PetscBool *impact)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    NsContactReport *report = &contact->report[rows->contact[i]];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const PetscInt     d         = k - rows->start[i];
      const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
      /* an ideal joint does no work: the work of its lasting reactions is numerical error; friction in a joint does work */
      const PetscBool ideal      = candidate->bilateral && impact && !impact[i] && (d == 0 || !candidate->carriers);
      const PetscReal lost       = ideal ? 0 : -(before[k] + after[k]) / 2 * P[k];
      report->impulse[d]         = P[k];
      report->velocity_before[d] = before[k];
      report->velocity_after[d]  = after[k];
      report->energy_lost += lost;
      if (d == 0)
        ledger->impact += lost;
      else
        ledger->friction += lost;
      ledger->load -= rows->drive[k] * P[k]; /* W' v = u - drive: the surface's own motion works too */
    }
    report->impact = (!impact || impact[i]) && P[rows->start[i]] != 0;
  }
  PetscFunctionReturn(0);
}

void NsContactBookForces(NsLedger *ledger, const NsRows *rows, const PetscReal *P, PetscReal scale, const PetscReal *us)
{
  if (!NsRowsWork(rows)) return;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      if (k > rows->start[i]) ledger->friction -= scale * us[k] / 2 * P[k];
      ledger->load -= scale * rows->drive[k] * P[k];
    }
  }
}

/* The same of a joint with friction, or of a resistance. */
static NsContactState joint_state(const NsContact *contact, PetscInt i)
{
  const NsCandidate *candidate = &contact->model->candidate[i];

  for (int kind = 0; kind < 2; kind++) {
    PetscReal square = 0;
    for (PetscInt k = i - candidate->carriers + 1; k <= i; k++)
      square += PetscSqr(kind == 0 ? contact->report[k].force[0] : contact->report[k].impulse[0]);
    const PetscReal *P = kind == 0 ? contact->report[i].force : contact->report[i].impulse;
    if (square > 0) return PetscSqr(P[1]) + PetscSqr(P[2]) < PetscSqr(candidate->law.friction * (1 - 1e-9)) * square ? NS_STICK : NS_SLIP;
  }
  return NS_CLOSED;
}

/* Stick or slip: by the law that the last reaction obeys, force or impulse. */
static NsContactState friction_state(const NsContactReport *report, const NsCandidate *candidate, PetscReal mu)
{
  const PetscReal across = candidate->law.across > 0 ? candidate->law.across : 1;

  for (int kind = 0; kind < 2; kind++) {
    const PetscReal *P          = kind == 0 ? report->force : report->impulse;
    const PetscReal  tangential = PetscSqrtReal(P[1] * P[1] + P[2] / across * (P[2] / across));
    if (P[0] > 0) return tangential < mu * P[0] * (1 - 1e-9) ? NS_STICK : NS_SLIP;
  }
  return NS_CLOSED;
}

PetscErrorCode NsContactEndStep(NsContact *contact, const NsState *state)
{
  PetscFunctionBegin;
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(NsBroadPhaseEndStep(contact, state));
  contact->figures.most_active = PetscMax(contact->figures.most_active, contact->actives);
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt     i         = contact->active[k];
    NsContactReport   *report    = &contact->report[i];
    const NsCandidate *candidate = &contact->model->candidate[i];
    report->gap                  = contact->gap[i];
    const PetscReal *velocity    = (contact->velocity && contact->held[i] ? contact->velocity : contact->u) + contact->first[i];
    report->gap_rate             = velocity[0];
    for (PetscInt d = 0; d < candidate->directions && report->impulse[0] == 0; d++) report->velocity_after[d] = velocity[d];
    if (contact->held ? !candidate->bilateral && !contact->held[i] : !NsIsClosed(contact, i))
      report->state = NS_OPEN;
    else if (candidate->carriers)
      report->state = joint_state(contact, i);
    else
      report->state = candidate->directions > 1 ? friction_state(report, candidate, NsContactFriction(contact, i)) : NS_CLOSED;
    /* candidates of balls are reused for other pairs: the initial guess must not depend on how long a candidate belonged to one pair */
    for (int d = 0; d < 3 && candidate->number[1] > 0 && report->state == NS_OPEN; d++) contact->guess[3 * i + d] = 0;
  }
  PetscFunctionReturn(0);
}
