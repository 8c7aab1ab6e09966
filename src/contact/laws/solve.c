/*
  Local problems with friction over the sliding speed:

      mu_c = mu(|u_T,c|),   u = b + G P,   P by the laws of NsLocalProblem with the coefficients mu_c

  The set-valued part is solved exactly for given mu by the chain of solvers; mu is found by a secant method within a bracket, to 1e-13 of mu(0). The coefficient belongs to the velocity that the law
  of the step holds for, so that a scheme keeps its order and friction never adds energy. For one contact there is one solution where

      G_TT P_N max(-dmu/dv) < 1

  P_N is proportional to the step while contact lasts, so that this is a limit of the step: beyond it the problem is reported as not solved. In an impact the solution nearest to the
  coefficient at rest is taken.

  Where static and kinetic friction differ, a contact keeps its state (stick or slip) of the end of the last step as long as that is a solution; a new contact slips if it arrives with a tangential
  velocity.
*/
#include "law.h"
#include <stdlib.h>
#include "contact/contact_data.h"
#include "core/out_of_memory.h"

#define NS_MOST_ITERATIONS 100
#define NS_LIKE            1e-13

PetscErrorCode NsLawsCreate(NsContact *contact)
{
  NsLaws        *self = &contact->laws;
  const PetscInt n = contact->candidates, rows = contact->rows;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    const unsigned kinds = contact->model->candidate[i].law.kinds;
    self->sliding        = self->sliding || (kinds & NS_LAW_SLIDING);
    self->anisotropic    = self->anisotropic || (kinds & NS_LAW_ANISOTROPIC);
    self->two_phase      = self->two_phase || (kinds & NS_LAW_TWO_PHASE);
    self->joints         = self->joints || (kinds & (NS_LAW_JOINT | NS_LAW_RESISTANCE));
  }
  if (self->anisotropic) self->across = NsZeros((size_t)n, sizeof(PetscReal));
  if (self->joints) self->limit = NsZeros((size_t)n, sizeof(PetscReal));
  if (self->joints) self->discs = NsZeros((size_t)n, sizeof(PetscReal));
  if (!self->sliding && !self->two_phase) PetscFunctionReturn(0);
  PetscReal **const of_contacts[] = {&self->low, &self->high, &self->last_mu, &self->last_off, &self->share};
  PetscReal **const of_rows[]     = {&self->u, &self->Pc, &self->uc, &self->Pe, &self->b};
  for (size_t i = 0; i < sizeof(of_contacts) / sizeof(*of_contacts); i++) *of_contacts[i] = NsZeros((size_t)n, sizeof(PetscReal));
  for (size_t i = 0; i < sizeof(of_rows) / sizeof(*of_rows); i++) *of_rows[i] = NsZeros((size_t)rows, sizeof(PetscReal));
  self->tried = NsZeros((size_t)n, sizeof(PetscBool));
  self->given = NsZeros((size_t)n, sizeof(PetscBool));
  if (self->sliding) {
    self->mu = NsZeros((size_t)n, sizeof(PetscReal));
    for (PetscInt i = 0; i < n; i++) self->mu[i] = contact->model->candidate[i].law.friction;
  }
  if (self->two_phase) {
    self->room  = contact->room;
    self->saved = NsZeros((size_t)self->room, sizeof(PetscReal));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsLawsDestroy(NsContact *contact)
{
  NsLaws     *self   = &contact->laws;
  void *const kept[] = {self->mu, self->across, self->limit, self->discs, self->low, self->high, self->last_mu, self->last_off, self->share, self->u,
    self->Pc, self->uc, self->Pe, self->b, self->tried, self->given, self->saved};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) free(kept[i]);
  PetscFunctionReturn(0);
}

PetscReal *NsLawsRow(const NsContact *contact, const NsRows *rows, PetscInt i, PetscInt *width, PetscInt *at)
{
  const NsIslands *islands = &contact->islands;
  const PetscInt   s       = islands->of[i];

  *width = 0;
  for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) {
    const PetscInt c = islands->member[m];
    if (c == i) *at = *width;
    *width += rows->start[c + 1] - rows->start[c];
  }
  return contact->G + islands->block[s] + (PetscInt64)*at * *width;
}

static inline PetscReal length(const PetscReal *x, PetscInt tangents)
{
  return tangents == 1 ? PetscAbsReal(x[0]) : tangents == 2 ? PetscSqrtReal(x[0] * x[0] + x[1] * x[1]) : 0;
}

/* Coefficients to begin with: at the last sliding speed, or that of the approach. */
static void begin(NsContact *contact, const NsRows *rows, const PetscReal *before)
{
  NsLaws *self = &contact->laws;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt         c = rows->contact[i], tangents = rows->start[i + 1] - rows->start[i] - 1;
    const NsLaw           *law   = &contact->model->candidate[c].law;
    const NsContactReport *last  = &contact->last_report[c];
    PetscReal              speed = 0;
    if (last->state == NS_SLIP)
      speed = PetscMax(length(last->velocity_after + 1, tangents), PETSC_SMALL);
    else if (last->state == NS_OPEN && before)
      speed = length(before + rows->start[i] + 1, tangents);
    self->mu[c]  = NsLawFriction(law, speed);
    self->low[i] = self->last_off[i] = 0;
    self->high[i]                    = PETSC_MAX_REAL;
    self->tried[i]                   = last->state != NS_SLIP;
    self->last_mu[i]                 = -1;
  }
}

/* Static or kinetic friction, by the last solution; whether it changed. */
static PetscBool change_state(NsContact *contact, PetscInt c, PetscInt i, PetscInt tangents, const PetscReal *w, const PetscReal *P)
{
  NsLaws          *self  = &contact->laws;
  const NsLaw     *law   = &contact->model->candidate[c].law;
  const PetscReal *slip  = contact->last_report[c].velocity_after + 1;
  const PetscReal  still = law->friction, sliding = NsLawFriction(law, 1);
  PetscReal        along = 0, norm = PetscAbsReal(P[1]);

  if (tangents == 2) norm = PetscSqrtReal(PetscSqr(P[1]) + PetscSqr(law->across > 0 ? P[2] / law->across : P[2]));
  const PetscBool slips = norm >= self->mu[c] * P[0] * (1 - 1e-12);
  if (self->mu[c] == still && still > sliding && slips) {
    self->mu[c] = sliding;
    return PETSC_TRUE;
  }
  for (PetscInt d = 0; d < tangents; d++) along += slip[d] * w[1 + d];
  if (self->tried[i] || !slips || along >= 0) return PETSC_FALSE;
  self->tried[i] = PETSC_TRUE; /* the slip would reverse: it stops on the way, and static friction may keep it there */
  self->mu[c]    = still;
  return PETSC_TRUE;
}

/* The next coefficient at a contact by the secant through the last two, within their bracket; whether it is not found yet. */
static PetscBool correct(NsLaws *self, const NsLaw *law, PetscInt c, PetscInt i, PetscReal speed)
{
  const PetscReal mu = self->mu[c], target = NsLawFriction(law, speed), off = target - mu;
  PetscReal       next = target;

  if (PetscAbsReal(off) <= NS_LIKE * law->friction) return PETSC_FALSE;
  if (off > 0)
    self->low[i] = mu;
  else
    self->high[i] = mu;
  if (self->low[i] > self->high[i]) { /* the others have moved the solution */
    self->low[i]  = off > 0 ? mu : 0;
    self->high[i] = off > 0 ? PETSC_MAX_REAL : mu;
  }
  if (self->last_mu[i] >= 0 && self->last_off[i] != off) next = mu - off * (mu - self->last_mu[i]) / (off - self->last_off[i]);
  if (!(next > self->low[i] && next < self->high[i])) next = self->high[i] < PETSC_MAX_REAL ? (self->low[i] + self->high[i]) / 2 : target;
  self->last_mu[i]  = mu;
  self->last_off[i] = off;
  self->mu[c]       = next;
  return next != mu;
}

/* Where contact lasts and mu falls too steeply for the step, the problem has several solutions. */
static PetscBool is_unique(NsContact *contact, const NsRows *rows, const PetscReal *P)
{
  char name[NS_CANDIDATE_NAME];

  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt     k = rows->start[i], tangents = rows->start[i + 1] - k - 1;
    const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
    const NsLaw       *law       = &candidate->law;
    if (!(law->kinds & NS_LAW_SLIDING) || law->more->friction->jumps || tangents == 0) continue;
    if (contact->last_report[rows->contact[i]].state == NS_OPEN || contact->islands.sparse[contact->islands.of[i]]) continue;
    PetscInt         width, at;
    const PetscReal *row  = NsLawsRow(contact, rows, i, &width, &at);
    PetscReal        most = row[width + at + 1];
    if (tangents == 2) most = PetscMax(most, row[2 * width + at + 2]);
    const PetscReal part = most * P[k] * law->more->friction->fall(law->more->friction_settings) * (law->friction / law->more->at_rest);
    if (!(part >= 1)) continue;
    (void)snprintf(contact->laws.problem, sizeof(contact->laws.problem),
      "friction of contact '%s' falls too steeply over the sliding speed for this step, which must be below %.3g of its length (G_TT P_N max(-dmu/dv) < 1)",
      NsCandidateName(candidate, name), 1 / part);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode NsLawsSolve(
  NsContact *contact, const NsRows *rows, const PetscReal *b, const PetscReal *before, PetscBool impact, PetscReal *P, PetscBool *solved)
{
  NsLaws *self = &contact->laws;

  PetscFunctionBegin;
  self->problem[0] = '\0';
  if (!self->sliding) {
    PetscCall(NsContactLocal(contact, rows, b, P, solved));
    PetscFunctionReturn(0);
  }
  begin(contact, rows, before);
  for (int n = 0; n < NS_MOST_ITERATIONS; n++) {
    PetscBool again = PETSC_FALSE;
    PetscCall(NsContactLocal(contact, rows, b, P, solved));
    if (!*solved) PetscFunctionReturn(0);
    PetscCall(NsContactReact(contact, rows, P, self->u));
    for (PetscInt k = 0; k < rows->rows; k++) self->u[k] += b[k];
    for (PetscInt i = 0; i < rows->contacts; i++) {
      const PetscInt c = rows->contact[i], k = rows->start[i], tangents = rows->start[i + 1] - k - 1;
      const NsLaw   *law = &contact->model->candidate[c].law;
      if (!(law->kinds & NS_LAW_SLIDING) || tangents == 0 || !(P[k] > 0)) continue;
      const PetscBool changed = law->more->friction->jumps ? change_state(contact, c, i, tangents, self->u + k, P + k)
                                                           : correct(self, law, c, i, length(self->u + k + 1, tangents));
      again                   = again || changed;
    }
    if (again) continue;
    *solved = impact || is_unique(contact, rows, P);
    if (!*solved) PetscCall(PetscArrayzero(P, rows->rows));
    PetscFunctionReturn(0);
  }
  (void)snprintf(self->problem, sizeof(self->problem),
    "friction over the sliding speed has no solution in this step that an iteration finds; a shorter step may help");
  *solved = PETSC_FALSE;
  PetscCall(PetscArrayzero(P, rows->rows));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLawsSolveAt(NsContact *contact, const NsRows *rows, const PetscReal *b, const PetscReal *speed, PetscReal *P, PetscBool *solved)
{
  NsLaws   *self  = &contact->laws;
  PetscBool again = PETSC_TRUE;

  PetscFunctionBegin;
  self->problem[0] = '\0';
  for (PetscInt i = 0; i < rows->contacts; i++)
    self->mu[rows->contact[i]] = NsLawFriction(&contact->model->candidate[rows->contact[i]].law, speed[i]);
  while (again) { /* once for each contact, at most */
    again = PETSC_FALSE;
    PetscCall(NsContactLocal(contact, rows, b, P, solved));
    if (!*solved) PetscFunctionReturn(0);
    for (PetscInt i = 0; i < rows->contacts; i++) {
      const PetscInt c = rows->contact[i], k = rows->start[i], tangents = rows->start[i + 1] - k - 1;
      const NsLaw   *law = &contact->model->candidate[c].law;
      if (!(law->kinds & NS_LAW_SLIDING) || tangents == 0 || !(P[k] > 0) || self->mu[c] < law->friction) continue;
      const PetscReal sliding = NsLawFriction(law, PETSC_SMALL);
      if (sliding >= law->friction || length(P + k + 1, tangents) < law->friction * P[k] * (1 - 1e-12)) continue;
      self->mu[c] = sliding;
      again       = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(0);
}
