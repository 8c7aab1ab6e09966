/*
  Errors of PETSc that a user caused: his mesh file, his options. They become messages of ours instead of tracebacks.

      char message[PETSC_MAX_PATH_LEN] = "";
      PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
      code = ...                                   what may fail
      PetscCall(PetscPopErrorHandler());

  Each of these handlers ends the program where PETSc gets no memory (core/out_of_memory.h): that is neither a user's mistake nor a bug.
*/
#pragma once
#include <petscsys.h>

/* Keeps the message where an error began, in kept[PETSC_MAX_PATH_LEN]; the calls above it would only add the way it took. */
PetscErrorCode NsKeepMessage(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept);

/*
  The same for what numbers do that lie too far apart for double precision, or are too large or small: a matrix is singular, an iteration does not converge. No range of a
  key could exclude them all. Keeps the message of such errors; all others are bugs and left to PETSc, which prints where. kept is "" unless such an error came.
*/
PetscErrorCode NsKeepNumerics(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *kept);
/* What to say of it, before and after the message. */
#define NS_NUMERICS_SAID "the numbers of this model cannot be computed with: "
#define NS_NUMERICS_NOTE "some are very large or small, or too far apart for double precision: is there a unit amiss?"
/* Errors that are bugs: a traceback, which PETSc prints. In force from the start of the program. */
PetscErrorCode NsTraceBugs(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *context);
/* Errors that the caller expects, and sees by their code. */
PetscErrorCode NsIgnoreError(
  MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *context);
