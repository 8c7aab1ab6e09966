#include "petsc_message.h"

PetscErrorCode NsKeepMessage(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept)
{
  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  if (type == PETSC_ERROR_INITIAL) PetscSNPrintf(kept, PETSC_MAX_PATH_LEN, "%s", message);
  return code;
}

static PetscBool is_numerics(PetscErrorCode code)
{
  switch ((int)code) {
  case PETSC_ERR_FP:
  case PETSC_ERR_LIB: /* LAPACK: the matrix is not positive definite, singular, has eigenvalues that do not converge */
  case PETSC_ERR_MAT_LU_ZRPVT:
  case PETSC_ERR_MAT_CH_ZRPVT:
  case PETSC_ERR_NOT_CONVERGED:
  case PETSC_ERR_CONV_FAILED: return PETSC_TRUE;
  default: return PETSC_FALSE;
  }
}

PetscErrorCode NsKeepNumerics(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept)
{
  if (is_numerics(code)) return NsKeepMessage(comm, line, function, file, code, type, message, kept);
  return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, NULL);
}
