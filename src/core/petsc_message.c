#include "petsc_message.h"
#include "core/out_of_memory.h"
#include <string.h>

/* PETSc 3.18 gives the error of an allocation another code; its allocators raise no other. */
static void detect_out_of_memory(PetscErrorCode code, const char *function)
{
  if (code == PETSC_ERR_MEM || (function && (!strcmp(function, "PetscMallocAlign") || !strcmp(function, "PetscReallocAlign")))) NsOutOfMemory();
}

PetscErrorCode NsKeepMessage(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept)
{
  (void)comm;
  (void)line;
  (void)file;
  detect_out_of_memory(code, function);
  if (type == PETSC_ERROR_INITIAL) PetscSNPrintf(kept, PETSC_MAX_PATH_LEN, "%s", message);
  return code;
}

static PetscBool is_numerics(PetscErrorCode code, const char *function)
{
  switch ((int)code) {
  case PETSC_ERR_USER_INPUT: return function && !strcmp(function, "BV_SafeSqrt"); /* x' M x < 0, by rounding */
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
  detect_out_of_memory(code, function);
  if (is_numerics(code, function) || (type == PETSC_ERROR_REPEAT && *(const char *)kept))
    return NsKeepMessage(comm, line, function, file, code, type, message, kept);
  return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, NULL);
}

PetscErrorCode NsTraceBugs(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *context)
{
  detect_out_of_memory(code, function);
  return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, context);
}

PetscErrorCode NsIgnoreError(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *context)
{
  detect_out_of_memory(code, function);
  return PetscIgnoreErrorHandler(comm, line, function, file, code, type, message, context);
}
