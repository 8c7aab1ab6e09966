/*
  Why a local problem with friction may have no solution, or several (P. Painleve 1895; F. Genot, B. Brogliato: New results on Painleve paradoxes, 1999).  While a contact slides in the direction t
  of its free velocity,

      P_T = -mu P_N t,     w_N = b_N + (G_NN - mu G_NT . t) P_N

  Where the number in brackets is negative, its force drives the contact further in: with b_N < 0 there is no force (inconsistent), with b_N >= 0 there are two, of which one is 0 (indeterminate).
*/
#include "contact_data.h"

/* The number in brackets over |G_NN|; 1 where nothing slides. Event-driven schemes have it as G_NN of a row that slides. */
static PetscReal slope_of(const NsLocalProblem *p, PetscInt c)
{
  const PetscInt k = p->start[c], m = p->start[c + 1] - k;
  PetscReal      block[9], length = 0, across = 0;

  if (p->bilateral[c]) return 1;
  NsLocalOwnBlock(p, c, block);
  if (block[0] < 0) return -1;
  if (NsLocalIsSmooth(p, c)) return 1;
  for (PetscInt i = 1; i < m; i++) length += p->b[k + i] * p->b[k + i];
  for (PetscInt i = 1; i < m; i++) across += block[i] * p->b[k + i];
  if (!(length > 0) || !(block[0] > 0)) return 1;
  return 1 - p->friction[c] * across / PetscSqrtReal(length) / block[0];
}

PetscBool NsContactPainleve(const NsContact *contact, const NsRows *rows, NsPainleve *found)
{
  const NsLocalProblem *p     = &contact->problem;
  const NsIslands      *all   = &contact->islands;
  PetscReal             least = 0;

  if (contact->island >= all->count || p->contacts != all->start[contact->island + 1] - all->start[contact->island]) return PETSC_FALSE;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscReal slope = slope_of(p, c);
    if (!(slope < least)) continue;
    least  = slope;
    *found = (NsPainleve){rows->contact[all->member[all->start[contact->island] + c]], slope, p->b[p->start[c]] < 0};
  }
  return least < 0;
}
