/*
  Serialization: the history that parts of a run keep between two steps, as named arrays written to a checkpoint or read from one.

  Each part with a history lists it in one function, which serves both directions:

      PetscErrorCode NsThingSerialize(NsThing *thing, NsArchive *archive)
      {
        NsArchiveFlags(archive, "known", 1, &thing->known);
        if (thing->known) PetscCall(NsArchiveVec(archive, "a0", thing->a0));      what was just read decides what follows

  Names and sizes are checked when they are read, so a list that has changed is reported and not misread; counts and indices are checked against their ranges. After the first
  problem all further calls do nothing, so callers need not check each one. Work arrays are left out, and so is what the set-up computes from the config. Nothing here allocates.
*/
#pragma once
#include <petscvec.h>

typedef struct NsArchive NsArchive;
struct NsArchive {
  PetscBool reading; /* from a checkpoint; else writing to one */
  /* Reads or writes the next `size` bytes; false: the checkpoint ends here, or cannot be written. */
  PetscBool (*move)(void *context, void *bytes, size_t size);
  void *context;      /* not owned */
  char  problem[160]; /* why what was read does not fit, a phrase that follows "the checkpoint": "contains 'x' where 'y' is expected"; "": no problem */
};

void NsArchiveBytes(NsArchive *archive, const char *name, size_t size, void *bytes);
void NsArchiveReals(NsArchive *archive, const char *name, PetscInt64 count, PetscReal *value);
/* Counters: absolute value at most 2^60. */
void NsArchiveLong(NsArchive *archive, const char *name, PetscInt64 *value);
void NsArchiveLongs(NsArchive *archive, const char *name, PetscInt count, PetscInt64 *value);
void NsArchiveFlags(NsArchive *archive, const char *name, PetscInt count, PetscBool *flag);
/* 0 .. most. */
void NsArchiveCount(NsArchive *archive, const char *name, PetscInt *value, PetscInt most);
/* Each 0 .. below - 1. */
void NsArchiveIndices(NsArchive *archive, const char *name, PetscInt count, PetscInt *index, PetscInt below);
/* The part of this process, with its ghosts. */
PetscErrorCode NsArchiveVec(NsArchive *archive, const char *name, Vec x);
/* Reading: leaves out all up to the end of the array of this name. */
void NsArchiveSkip(NsArchive *archive, const char *name);
/* Reports that the value read under this name is invalid. */
void NsArchiveDeny(NsArchive *archive, const char *name);
