/*
  What a run has to remember between two steps: named arrays that go into a checkpoint, or come out of one.

  Each part with memory lists it in one function, which serves both ways:

      PetscErrorCode NsThingRemember(NsThing *thing, NsMemory *memory)
      {
        NsMemoryFlags(memory, "known", 1, &thing->known);
        if (thing->known) PetscCall(NsMemoryVec(memory, "a0", thing->a0));      what was just read decides what comes next

  Names and sizes are compared where they are read, so that a list that has changed is found and not misread; numbers that count or point into something are held against their range.
  After the first problem nothing moves any more, and callers need not look. Scratch is left out; so is what the set-up makes again from the config. Allocates nothing.
*/
#pragma once
#include "model.h"

typedef struct NsMemory NsMemory;
struct NsMemory {
  PetscBool reading; /* out of a checkpoint; else into one */
  /* Moves so many bytes on, one way or the other; false: there are no more. */
  PetscBool (*move)(void *context, void *bytes, size_t size);
  void *context;      /* not owned */
  char  problem[160]; /* why what is read does not fit, a phrase behind "the checkpoint": "holds 'x' where 'y' should be"; "": it does */
};

void NsMemoryBytes(NsMemory *memory, const char *name, size_t size, void *bytes);
void NsMemoryReals(NsMemory *memory, const char *name, PetscInt64 count, PetscReal *value);
/* What counts something: within 2^60 either way. */
void NsMemoryLong(NsMemory *memory, const char *name, PetscInt64 *value);
void NsMemoryLongs(NsMemory *memory, const char *name, PetscInt count, PetscInt64 *value);
void NsMemoryFlags(NsMemory *memory, const char *name, PetscInt count, PetscBool *flag);
/* 0 .. most. */
void NsMemoryCount(NsMemory *memory, const char *name, PetscInt *value, PetscInt most);
/* Each 0 .. below - 1. */
void NsMemoryIndices(NsMemory *memory, const char *name, PetscInt count, PetscInt *index, PetscInt below);
/* What this process has of it, ghosts too. */
PetscErrorCode NsMemoryVec(NsMemory *memory, const char *name, Vec x);
/* Rows of this model. */
void NsMemoryRows(NsMemory *memory, const char *name, const NsModel *model, NsRows *rows);
/* What was read under this name is no value of it. */
void NsMemoryDeny(NsMemory *memory, const char *name);
