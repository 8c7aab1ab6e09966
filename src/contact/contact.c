#include "percuss/contact.h"

const char *const NsContactStateNames[] = {"open", "closed", "stick", "slip"};

PetscErrorCode NsContactCreate(NsModel *model, NsContact **result)
{
  NsContact     *contact;
  const PetscInt n = model->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&contact));
  contact->model      = model;
  contact->candidates = n;
  PetscCall(PetscMalloc2(n, &contact->first, n, &contact->tolerance));
  for (PetscInt i = 0; i < n; i++) {
    contact->tolerance[i] = PetscMax(1e-15 * model->length_scale, model->candidate[i].tolerance);
    contact->first[i]     = contact->rows;
    contact->rows += model->candidate[i].directions;
  }
  const PetscInt rows = contact->rows;
  PetscCall(PetscCalloc6(
    n, &contact->gap, n, &contact->active, n, &contact->report, n, &contact->last_report, (3 * n), &contact->guess, (rows * rows), &contact->G));
  PetscCall(PetscCalloc5(n, &contact->every, rows, &contact->u, rows, &contact->b, n, &contact->problem.friction, n, &contact->problem.bilateral));
  PetscCall(NsRowsCreate(model, &contact->all));
  for (PetscInt i = 0; i < n; i++) contact->every[i] = i;
  PetscCall(NsLocalChainCreate(n, rows, &contact->chain));
  *result = contact;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactDestroy(NsContact **result)
{
  NsContact *contact = *result;

  PetscFunctionBegin;
  if (!contact) PetscFunctionReturn(0);
  PetscCall(NsLocalChainDestroy(&contact->chain));
  PetscCall(NsRowsDestroy(&contact->all));
  PetscCall(PetscFree6(contact->gap, contact->active, contact->report, contact->last_report, contact->guess, contact->G));
  PetscCall(PetscFree5(contact->every, contact->u, contact->b, contact->problem.friction, contact->problem.bilateral));
  PetscCall(PetscFree2(contact->first, contact->tolerance));
  PetscCall(PetscFree(contact));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactGaps(NsContact *contact, PetscReal t, Vec q)
{
  PetscFunctionBegin;
  if (contact->candidates) PetscCall(NsModelGap(contact->model, t, q, contact->gap));
  PetscFunctionReturn(0);
}

PetscInt NsContactList(NsContact *contact, const PetscBool *flag)
{
  PetscInt count = 0;

  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (flag[i]) contact->active[count++] = i;
  }
  return count;
}

/* Gaps of all candidates into contact->gap, and relative velocities into contact->u: the rows of candidate i from contact->first[i]. */
static PetscErrorCode find_rates(NsContact *contact, const NsState *state)
{
  NsModel *model = contact->model;

  PetscFunctionBegin;
  if (model->ops->rates) {
    PetscCall(model->ops->rates(model, state->t, state->q, state->v, contact->gap, contact->u));
  } else {
    PetscCall(NsContactGaps(contact, state->t, state->q));
    PetscCall(NsModelRows(model, state->t, state->q, contact->candidates, contact->every, &contact->all));
    PetscCall(NsRowsVelocity(model, &contact->all, state->v, contact->u));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactForecast(NsContact *contact, const NsState *state, PetscReal ahead, PetscInt *count)
{
  PetscFunctionBegin;
  *count = 0;
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(find_rates(contact, state));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    const PetscReal gap = contact->gap[i] + ahead * contact->u[contact->first[i]];
    if (contact->model->candidate[i].bilateral || gap <= contact->tolerance[i]) contact->active[(*count)++] = i;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactClosedAtStart(NsContact *contact, const NsState *state, PetscBool *closed)
{
  PetscReal fastest;

  PetscFunctionBegin;
  PetscCall(find_rates(contact, state));
  PetscCall(VecNorm(state->v, NORM_INFINITY, &fastest));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    const PetscReal u = contact->u[contact->first[i]];
    const PetscBool moves =
      contact->model->candidate[i].bilateral ? PetscAbsReal(u) > 1e-9 * fastest * PetscMin(1, contact->model->length_scale) : u < -1e-12 * fastest;
    closed[i] = NsContactIsClosed(contact, i) && !moves ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

static void swap_reports(NsContact *contact)
{
  NsContactReport *old = contact->report;

  contact->report      = contact->last_report;
  contact->last_report = old;
}

PetscErrorCode NsContactBeginStep(NsContact *contact)
{
  PetscFunctionBegin;
  swap_reports(contact);
  PetscCall(PetscArrayzero(contact->report, contact->candidates));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactCancelStep(NsContact *contact)
{
  PetscFunctionBegin;
  swap_reports(contact);
  PetscFunctionReturn(0);
}

/* The local problem of these rows from its b, with contact->G, friction and joints as set; P is the start, and the solution. */
static PetscErrorCode solve(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  NsLocalProblem *problem = &contact->problem;
  NsLocalResult   result;

  PetscFunctionBegin;
  problem->contacts = rows->contacts;
  problem->rows     = rows->rows;
  problem->start    = rows->start;
  problem->G        = contact->G;
  problem->b        = b;
  PetscCall(NsLocalChainSolve(contact->chain, problem, P, &result));
  contact->residual = result.residual;
  *solved           = result.converged;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSolve(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const NsCandidate *candidate  = &contact->model->candidate[rows->contact[i]];
    const PetscBool    bounce     = before && !candidate->bilateral && (!restitute || restitute[i]) ? PETSC_TRUE : PETSC_FALSE;
    contact->problem.friction[i]  = candidate->law.friction;
    contact->problem.bilateral[i] = candidate->bilateral;
    for (PetscInt k = rows->start[i], d = 0; k < rows->start[i + 1]; k++, d++) {
      const PetscReal e = d == 0 ? candidate->law.restitution : candidate->law.restitution_tangential;
      contact->b[k]     = u_free[k] + (bounce ? e * before[k] : 0);
      P[k]              = contact->guess[3 * rows->contact[i] + d];
    }
  }
  PetscCall(solve(contact, rows, contact->b, P, solved));
  for (PetscInt i = 0; *solved && i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) contact->guess[3 * rows->contact[i] + k - rows->start[i]] = P[k];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSolveGaps(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *Psi, PetscBool *solved)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    contact->problem.friction[i]  = 0;
    contact->problem.bilateral[i] = contact->model->candidate[rows->contact[i]].bilateral;
  }
  PetscCall(solve(contact, rows, b, Psi, solved));
  PetscFunctionReturn(0);
}

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
      const PetscInt d = k - rows->start[i];
      /* an ideal joint does no work: what its lasting reactions do all the same is the scheme's */
      const PetscBool ideal      = contact->model->candidate[rows->contact[i]].bilateral && impact && !impact[i];
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
    report->impact = (!impact || impact[i]) && P[rows->start[i]] != 0 ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactBookForces(NsContact *contact, NsLedger *ledger, const NsRows *rows, const PetscReal *P, PetscReal scale, Vec vs)
{
  PetscFunctionBegin;
  if (!rows->rows) PetscFunctionReturn(0);
  PetscCall(NsRowsVelocity(contact->model, rows, vs, contact->u)); /* with the drive once, but twice the velocity */
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      if (k > rows->start[i]) ledger->friction -= scale * (contact->u[k] + rows->drive[k]) / 2 * P[k];
      ledger->load -= scale * rows->drive[k] * P[k];
    }
  }
  PetscFunctionReturn(0);
}

/* Stick or slip: by the law that the last reaction obeys, force or impulse. */
static NsContactState friction_state(const NsContactReport *report, const NsCandidate *candidate)
{
  for (int kind = 0; kind < 2; kind++) {
    const PetscReal *P          = kind == 0 ? report->force : report->impulse;
    const PetscReal  tangential = PetscSqrtReal(P[1] * P[1] + P[2] * P[2]);
    if (P[0] > 0) return tangential < candidate->law.friction * P[0] * (1 - 1e-9) ? NS_STICK : NS_SLIP;
  }
  return NS_CLOSED;
}

PetscErrorCode NsContactEndStep(NsContact *contact, const NsState *state)
{
  PetscFunctionBegin;
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(find_rates(contact, state));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    NsContactReport   *report    = &contact->report[i];
    const NsCandidate *candidate = &contact->model->candidate[i];
    report->gap                  = contact->gap[i];
    report->gap_rate             = contact->u[contact->first[i]];
    for (PetscInt d = 0; d < candidate->directions && report->impulse[0] == 0; d++) report->velocity_after[d] = contact->u[contact->first[i] + d];
    if (!NsContactIsClosed(contact, i))
      report->state = NS_OPEN;
    else
      report->state = candidate->directions > 1 ? friction_state(report, candidate) : NS_CLOSED;
  }
  PetscFunctionReturn(0);
}
