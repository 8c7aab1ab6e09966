/*
  The words after a command that works on a config: the config, known options, and PETSc's options after "--".
*/
#pragma once
#include <stdio.h>
#include "percuss/run.h"

/* The frame of a command that works on a config: reads its words, starts PETSc (numbers in the C locale), calls work, reports options after "--" that nothing
   took (a mistyped one would change nothing silently), ends PETSc. Returns the exit code that work left in *code. */
int NsCommandOnConfig(
  int argc, char **argv, const char *const *allowed, PetscErrorCode (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code));
/* Whether messages on stderr may be coloured: a terminal, and NO_COLOR is not set. */
bool NsColour(FILE *file);
