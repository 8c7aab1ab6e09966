/*
  The words after a command: one config, known options, and PETSc's options after "--".
*/
#pragma once
#include <stdio.h>
#include "percuss/run.h"

typedef struct {
  NsRunOptions options;
  int          petsc_count;
  char       **petsc; /* after "--"; starts with the program's name, as PetscInitialize wants it */
} NsArguments;

/* Reads `command`'s words; allowed: NULL-terminated options of this command, without their values ("--out", "--quiet").
   False, after a message on stderr, when something is wrong. */
bool NsArgumentsRead(int argc, char **argv, const char *const *allowed, NsArena *arena, NsArguments *arguments);
/* PETSc and SLEPc, with the C locale for numbers. */
PetscErrorCode NsStart(const NsArguments *arguments);
/* Options after "--" that nothing took are reported: a mistyped one would change nothing silently. */
PetscErrorCode NsReportUnusedOptions(const NsArguments *arguments);
PetscErrorCode NsFinish(void);
/* Whether messages on stderr may be coloured: a terminal, and NO_COLOR is not set. */
bool NsColour(FILE *file);
