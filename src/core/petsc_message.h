/*
  Errors of PETSc that a user caused, such as a wrong option, become messages of ours instead of tracebacks.

      char message[PETSC_MAX_PATH_LEN] = "";
      PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
      code = ...                                   what may fail
      PetscCall(PetscPopErrorHandler());

  Each of these handlers ends the program where PETSc gets no memory (core/out_of_memory.h): that is neither an error of the user nor a bug.
*/
#pragma once
#include <petscsys.h>

/* Keeps the message of the call where the error began, in kept[PETSC_MAX_PATH_LEN]; the calls above it would only add a traceback. */
PetscErrorCode NsKeepMessage(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept);

/*
  The same for numerical failures, from values that are too large, too small or too far apart for double precision: a matrix is singular, an iteration does not converge. The ranges
  of keys cannot exclude them all. Keeps the message of such errors; all others are bugs and left to PETSc, which prints where. kept stays "" without such an error.
*/
PetscErrorCode NsKeepNumerics(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept);
/* The beginning of the message to the user, and its hint. */
#define NS_NUMERICS_SAID "numerical failure: "
#define NS_NUMERICS_NOTE "some values are very large or small, or too far apart for double precision: check their units"
/* Errors that are bugs: a traceback, which PETSc prints. In force from the start of the program. */
PetscErrorCode NsTraceBugs(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *context);
/* Errors that the caller expects and detects by their code. */
PetscErrorCode NsIgnoreError(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *context);
