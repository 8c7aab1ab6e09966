/*
  Impacts in two phases (C. Glocker, F. Pfeiffer: Multiple impacts with friction in rigid multibody systems, Nonlinear Dynamics 7 (1995)):

      compression   u_c = u^- + G P_c,     0 <= u_c,N  _|_  P_c,N >= 0                          and friction
      expansion     u^+ = u_c + G P_e,     0 <= u^+_N  _|_  P_e,N - k P_c,N >= 0                and friction |P_e,T| <= mu P_e,N

  Poisson's law: k = e. Energetic law (W. J. Stronge, Rigid body collisions with friction, Proc. R. Soc. A 431 (1990)): k such that the work of the normal force in the expansion is -e^2 times that in
  the compression; a contact that nothing else is coupled with is integrated along its normal impulse (routh.c), exact where slip stops or reverses within a phase; of coupled contacts each phase works
  with the mean of the velocities around it. Contacts of Newton's law in the same impact are closed in the compression, and get their velocity -e u^- in the expansion.

  A given normal impulse is a row of its own: the normal row of G is replaced by G_NN P_N = G_NN k P_c,N. Where the contact would penetrate with it, it gets its row back.
*/
#include "contact/contact_data.h"
#include "law.h"
#include "routh.h"

#define NS_MOST_ROUNDS 100
#define NS_LIKE        1e-13

static PetscBool has_phases(const NsContact *contact, const NsRows *rows, PetscInt i, const PetscBool *restitute)
{
  return (contact->model->candidate[rows->contact[i]].law.kinds & NS_LAW_TWO_PHASE) && (!restitute || restitute[i]);
}

static PetscBool is_energetic(const NsContact *contact, const NsRows *rows, PetscInt i)
{
  return contact->model->candidate[rows->contact[i]].law.more->impact == NS_IMPACT_ENERGETIC;
}

static PetscReal restitution_of(const NsContact *contact, const NsRows *rows, PetscInt i, const PetscReal *before)
{
  return NsLawRestitution(&contact->model->candidate[rows->contact[i]].law, PetscAbsReal(before[rows->start[i]]));
}

PetscBool NsLawsHavePhases(const NsContact *contact, const NsRows *rows, const PetscReal *before, const PetscBool *restitute)
{
  for (PetscInt i = 0; before && i < rows->contacts; i++) {
    if (has_phases(contact, rows, i, restitute)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Replaces the normal rows of contacts whose impulse is given, and sets their b; false: there is no room to keep the rows. */
static PetscBool replace_rows(NsContact *contact, const NsRows *rows)
{
  NsLaws    *self = &contact->laws;
  PetscInt64 kept = 0;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    PetscInt width, at;
    if (!self->given[i]) continue;
    PetscReal *row = NsLawsRow(contact, rows, i, &width, &at), own = row[at];
    if (kept + width > self->room) return PETSC_FALSE;
    for (PetscInt k = 0; k < width; k++) {
      self->saved[kept++] = row[k];
      row[k]              = 0;
    }
    row[at]                 = own;
    self->b[rows->start[i]] = -own * self->share[i] * self->Pc[rows->start[i]];
  }
  return PETSC_TRUE;
}

static void restore_rows(NsContact *contact, const NsRows *rows)
{
  const PetscReal *saved = contact->laws.saved;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    PetscInt width, at;
    if (!contact->laws.given[i]) continue;
    PetscReal *row = NsLawsRow(contact, rows, i, &width, &at);
    for (PetscInt k = 0; k < width; k++) row[k] = *saved++;
  }
}

static void say_not_found(NsLaws *self)
{
  (void)snprintf(self->problem, sizeof(self->problem),
    "the iteration for the two phases of coupled impacts does not converge; `restitution_law: newton` needs none");
}

/* The expansion with laws.share: Pe, and laws.u = u^+. */
static PetscErrorCode expand(
  NsContact *contact, const NsRows *rows, const PetscReal *before, const PetscBool *restitute, PetscReal small, PetscBool *solved)
{
  NsLaws   *self  = &contact->laws;
  PetscBool again = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) self->given[i] = self->share[i] > 0;
  for (int n = 0; n < NS_MOST_ROUNDS && again; n++) {
    again = PETSC_FALSE;
    for (PetscInt i = 0; i < rows->contacts; i++) {
      const PetscInt     k         = rows->start[i];
      const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
      for (PetscInt j = k; j < rows->start[i + 1]; j++) self->b[j] = self->uc[j];
      if (!candidate->bilateral && !has_phases(contact, rows, i, restitute) && (!restitute || restitute[i]))
        self->b[k] += restitution_of(contact, rows, i, before) * before[k];
    }
    *solved = replace_rows(contact, rows);
    if (!*solved) (void)snprintf(self->problem, sizeof(self->problem), "an impact of so many coupled contacts needs `restitution_law: newton`");
    if (*solved) {
      PetscCall(NsLawsSolve(contact, rows, self->b, before, PETSC_TRUE, self->Pe, solved));
      restore_rows(contact, rows);
    }
    if (!*solved) PetscFunctionReturn(0);
    PetscCall(NsContactReact(contact, rows, self->Pe, self->u));
    for (PetscInt i = 0; i < rows->contacts; i++) {
      const PetscInt k = rows->start[i];
      for (PetscInt j = k; j < rows->start[i + 1]; j++) self->u[j] += self->uc[j];
      if (self->share[i] == 0) continue;
      const PetscBool given = self->given[i] ? self->u[k] >= -small : self->Pe[k] < self->share[i] * self->Pc[k];
      again                 = again || given != self->given[i];
      self->given[i]        = given;
    }
  }
  *solved = !again;
  if (again) say_not_found(self);
  PetscFunctionReturn(0);
}

/* Shares of the energetic law from the works of the two phases, for the next expansion; whether they changed. */
static PetscBool balance(NsContact *contact, const NsRows *rows, const PetscReal *before, const PetscBool *restitute)
{
  NsLaws   *self    = &contact->laws;
  PetscBool changed = PETSC_FALSE;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt k = rows->start[i];
    if (self->share[i] == 0 || !has_phases(contact, rows, i, restitute) || !is_energetic(contact, rows, i)) continue;
    const PetscReal in = -before[k] * self->Pc[k], out = self->u[k] * self->Pe[k], e = restitution_of(contact, rows, i, before);
    if (!(in > 0) || !(out > 0)) continue;
    const PetscReal factor = e / PetscSqrtReal(out / in);
    if (PetscAbsReal(factor - 1) <= NS_LIKE) continue;
    self->share[i] *= factor;
    changed = PETSC_TRUE;
  }
  return changed;
}

PetscErrorCode NsLawsTwoPhases(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved)
{
  NsLaws          *self    = &contact->laws;
  PetscReal        fastest = 0;
  const NsIslands *islands = &contact->islands;

  PetscFunctionBegin;
  PetscCall(NsLawsSolve(contact, rows, u_free, before, PETSC_TRUE, P, solved));
  if (!*solved) PetscFunctionReturn(0);
  PetscCall(NsContactReact(contact, rows, P, self->uc));
  for (PetscInt k = 0; k < rows->rows; k++) {
    fastest = PetscMax(fastest, PetscAbsReal(u_free[k]));
    self->uc[k] += u_free[k];
    self->Pc[k] = self->Pe[k] = P[k];
  }
  for (PetscInt i = 0; i < rows->contacts; i++)
    self->share[i] = has_phases(contact, rows, i, restitute) && P[rows->start[i]] > 0 ? restitution_of(contact, rows, i, before) : 0;
  for (int n = 0; n < NS_MOST_ROUNDS && *solved; n++) {
    PetscCall(expand(contact, rows, before, restitute, 1e-12 * fastest, solved));
    if (!*solved || !balance(contact, rows, before, restitute)) break;
    *solved = n < NS_MOST_ROUNDS - 1;
    if (!*solved) say_not_found(self);
  }
  if (!*solved) {
    PetscCall(PetscArrayzero(P, rows->rows));
    PetscFunctionReturn(0);
  }
  for (PetscInt k = 0; k < rows->rows; k++) P[k] = self->Pc[k] + self->Pe[k];
  for (PetscInt i = 0; i < rows->contacts && *solved; i++) {
    const PetscInt s = islands->of[i], k = rows->start[i];
    if (self->share[i] == 0 || !is_energetic(contact, rows, i) || islands->start[s + 1] - islands->start[s] > 1) continue;
    const NsLaw *law = &contact->model->candidate[rows->contact[i]].law;
    *solved          = NsRouth(rows->start[i + 1] - k, contact->G + islands->block[s], before + k, law->friction, law->across,
               restitution_of(contact, rows, i, before), P + k);
    if (!*solved) {
      (void)snprintf(self->problem, sizeof(self->problem), "the sliding impact jams: its normal impulse grows without end");
      PetscCall(PetscArrayzero(P, rows->rows));
    }
  }
  PetscFunctionReturn(0);
}
