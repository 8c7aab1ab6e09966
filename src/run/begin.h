/*
  Starting PETSc, SLEPc and MPI: of the program (src/cli/start.c) and of the library (src/api). SlepcFinalize ends them.
*/
#pragma once
#include <slepcsys.h>
#include "percuss/arena.h"

/* option[options]: words for PETSc. *unused: a variable of the environment, as NAME=VALUE, that PETSc would have read and percuss does not; NULL: none. An error code: PETSc
   refuses the options, and `refusal` says why. Error handlers of percuss's are in force afterwards. */
PetscErrorCode NsBegin(int options, const char *const *option, NsArena *arena, const char **unused, char refusal[PETSC_MAX_PATH_LEN]);
