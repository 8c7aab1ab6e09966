/*
  Friction in joints. The reactions of a joint's rows carry its load, and the tangents of the last of these rows obey Coulomb's law under it:

      w_N = 0 of all carriers,   |P_T| <= mu |P_N| with |P_N| = sqrt(sum over the carriers P_k^2),   -w_T in the normal cone of this disc

  The same problem is that of moments against rolling and drilling (spinning) of a contact,

      |M_T| <= mu_r P_N,   |M_N| <= mu_s P_N,   with mu_r and mu_s in m, and rotations against them as above

  independent of friction and of each other: the product of three sets (Coulomb-Contensou's law couples drilling with sliding). The carrier is the contact, the first of the carriers of a resistance, whose own normals
  have no impulse.

  The disc depends on reactions of other contacts, and is found by iteration: a local problem with given discs (percuss/local.h), then discs by its reactions, until they stay. Where all joints
  stick that is two problems; else the error falls by a factor of about mu times the share of friction in the load in each of them: 1e-13 after ten or so. Joints that wedge have no solution, or it
  is not found: then the step fails.

  References: C. Glocker: Set-Valued Force Laws, 2001, chapter 5; bearing friction by M = mu r |F|. R. I. Leine, C. Glocker: A set-valued force law for spatial Coulomb-Contensou friction, Eur. J. Mech. A 22, 2003;
  A. Tasora, M. Anitescu: A complementarity-based rolling friction model for rigid contacts, Meccanica 48, 2013.
*/
#include "contact/contact_data.h"

#define NS_MOST_ITERATIONS 300
#define NS_SAME            1e-13
#define NS_NEARLY          1e-9

/* The disc of contact i of the rows at P; negative: it is neither a joint with friction nor a resistance. */
static PetscReal disc_of(const NsContact *contact, const NsRows *rows, PetscInt i, const PetscReal *P)
{
  const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
  PetscReal          square    = 0;

  if (!candidate->carriers) return -1;
  for (PetscInt k = i; k >= 0 && rows->contact[k] > rows->contact[i] - candidate->carriers; k--) square += PetscSqr(P[rows->start[k]]);
  return candidate->law.friction * PetscSqrtReal(square);
}

PetscErrorCode NsLawsJoints(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  NsLaws   *self = &contact->laws;
  PetscReal last = PETSC_INFINITY;

  PetscFunctionBegin;
  self->problem[0] = '\0';
  for (int iteration = 0; iteration < NS_MOST_ITERATIONS; iteration++) {
    PetscReal change = 0, largest = 0;
    for (PetscInt i = 0; i < rows->contacts; i++) {
      const PetscReal disc = disc_of(contact, rows, i, P);
      change               = PetscMax(change, PetscAbsReal(disc - self->limit[i]));
      largest              = PetscMax(largest, disc);
      self->limit[i]       = disc;
    }
    if (iteration > 0 && (change <= NS_SAME * largest || (change <= NS_NEARLY * largest && change >= last))) PetscFunctionReturn(0);
    if (iteration > 0) last = change;
    PetscCall(NsContactLocalOnce(contact, rows, b, P, solved));
    if (!*solved) PetscFunctionReturn(0);
  }
  *solved = PETSC_FALSE;
  PetscCall(PetscArrayzero(P, rows->rows));
  PetscCall(PetscSNPrintf(self->problem, sizeof(self->problem),
    "friction in joints, or rolling resistance, and the load that it causes do not balance: a joint may be wedged"));
  PetscFunctionReturn(0);
}
