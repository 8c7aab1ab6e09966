/*
  What results depend on besides their config: this program, the libraries that compute, the kind of CPU.
*/
#pragma once
#include <petscsys.h>

enum { NS_VERSIONS = 16, NS_VERSION_TEXT = 256 };

typedef struct {
  const char *path; /* in run.json: "program.commit", "libraries.petsc" */
  char        text[NS_VERSION_TEXT];
} NsVersion;

/* In the order of run.json. PETSc must have started. */
PetscErrorCode NsVersionsHere(NsVersion version[NS_VERSIONS], int *count);
