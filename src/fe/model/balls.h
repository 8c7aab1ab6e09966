/*
  Sets of balls that may touch each other: more pairs than could be listed. Few of them are near each other at a time, and these have *slots*: candidates that represent
  different pairs in the course of a run (percuss/model.h). Private to src/fe.
*/
#pragma once
#include "contact/pair.h"
#include "contact/settings.h"

typedef struct NsFe      NsFe;
typedef struct NsFeBalls NsFeBalls;

/* The candidates of a contact of balls, as NsFeExpandCandidates: how many (0 after an error); appended to pair[] and candidate[] unless pair is NULL. */
PetscInt NsFeBallSets(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate);
/* How many pairs of two sets of balls there are; `same`: of one set with itself. PETSC_MAX_INT where there are more. */
PetscInt NsFeBallPairs(const PetscInt count[2], PetscBool same);
/* Slots for near pairs by default. */
PetscInt NsFeBallSlots(const PetscInt count[2], PetscBool same);

/* The slots of a contact: common[slots] and candidate[slots] are filled, each with a pair that acts, if there is one. False after an error. */
PetscBool NsFeBallsCreate(NsFe *fe, const NsContactSettings *settings, const char *name, const NsPairPoint *const point[2], const PetscInt count[2],
  PetscBool same, PetscInt slots, NsPair *pair, NsCandidate *candidate);
/* Sets `first` of the contact that was added last, once its candidates have numbers. */
void NsFeBallsNumber(NsFe *fe, PetscInt first);
/* Stretch (pass 0) and reach (pass 1) of all pairs that slots may represent. */
void NsFeBallsReach(const NsFe *fe, NsModel *model, int pass);
/* (set-up) Checks the start: too few slots or overlaps are errors. */
PetscErrorCode NsFeBallsCheckStart(NsFe *fe, NsModel *model);

/* Operations of percuss/model.h. */
PetscBool      NsFeBallsStray(NsModel *model, const PetscReal *touch_q);
PetscErrorCode NsFeBallsSearch(NsModel *model, const PetscReal *from, const PetscReal *to, PetscInt *count, PetscInt *found);
void           NsFeBallsRelease(NsModel *model, PetscInt candidate);
void           NsFeBallsSerialize(NsModel *model, NsArchive *archive);
