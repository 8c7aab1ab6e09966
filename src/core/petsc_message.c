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
