/*
  Errors of PETSc that a user caused: his mesh file, his options. They become messages of ours instead of tracebacks.

      char message[PETSC_MAX_PATH_LEN] = "";
      PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
      code = ...                                   what may fail
      PetscCall(PetscPopErrorHandler());
*/
#pragma once
#include <petscsys.h>

/* Keeps the message where an error began, in kept[PETSC_MAX_PATH_LEN]; the calls above it would only add the way it took. */
PetscErrorCode NsKeepMessage(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept);
