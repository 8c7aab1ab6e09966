/*
  The finite-element model as analyses in the frequency domain want it: M u'' + C u' + K u = f about the reference state, at a speed of rotation.
*/
#include <string.h>
#include "fe.h"

PetscBool NsModelIsFe(const NsModel *model)
{
  return strcmp(model->kind, "finite elements") ? PETSC_FALSE : PETSC_TRUE;
}

PetscErrorCode NsFeOperators(NsModel *model, PetscReal speed, Mat *M, Mat *C, Mat *K)
{
  const NsFe *fe = model->data;
  Mat         own[3], *copy[3] = {M, C, K};

  PetscFunctionBegin;
  (void)speed; /* bars and trusses do not turn */
  PetscCall(NsFreeDynamicsMatrices(fe->free, &own[0], &own[1], &own[2]));
  for (int i = 0; i < 3; i++) {
    *copy[i] = NULL;
    if (own[i]) PetscCall(MatDuplicate(own[i], MAT_COPY_VALUES, copy[i]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeUnbalance(NsModel *model, Vec re, Vec im)
{
  PetscFunctionBegin;
  (void)model;
  PetscCall(VecZeroEntries(re));
  PetscCall(VecZeroEntries(im));
  PetscFunctionReturn(0);
}

PetscInt NsFeRotors(NsModel *model, const NsFeRotor **rotors)
{
  (void)model;
  *rotors = NULL;
  return 0;
}
