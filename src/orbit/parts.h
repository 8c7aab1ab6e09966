/*
  A linear model with contacts as matrices, rows, and values over time at zero coordinates, from which src/orbit/linear.c makes its dense system.
*/
#pragma once
#include <petscvec.h>
#include "orbit.h"
#include "scheme/modal_step.h"

#define NS_SAMPLES   128
#define NS_HARMONICS 40

/* A model in n coordinates: degrees of freedom, or modes. */
typedef struct {
  NsRun        *run;
  NsModel      *model;
  NsModal      *modal; /* NULL: degrees of freedom */
  NsArena      *arena;
  PetscInt      n, contacts, probes;
  PetscReal    *M, *K, *C; /* [n, n] column-major; M is factored, K and C are multiplied by its inverse */
  PetscBLASInt *pivot;
  NsRows        rows;
  PetscInt     *along;  /* [contacts] row of the tangent, -1: none */
  PetscReal    *sizes;  /* of loads */
  PetscInt      values; /* n + 2 contacts + probes: forces, gaps and slip at q = 0, v = 0, probes there */
  Vec           q, v, h;
  NsProbe      *probe;
  PetscInt     *probe_column;
} NsOrbitParts;

/* *why: NULL, or why a contact is not supported (in `arena`). */
PetscErrorCode NsOrbitPartsCreate(NsRun *run, NsArena *arena, NsOrbitParts *parts, const char **why);
PetscErrorCode NsOrbitPartsDestroy(NsOrbitParts *parts);
/* The columns of probes that are linear in the state; parts with run, model and arena. */
PetscErrorCode NsOrbitProbesFind(NsOrbitParts *parts);
const char    *NsOrbitProbeName(const NsOrbitParts *parts, PetscInt p, NsArena *arena);
/* x[n] = M^-1 of it. */
void NsOrbitSolveMass(const NsOrbitParts *parts, PetscReal *x);
/* Unknowns of the entries of `rows`. */
const PetscInt *NsOrbitTouchIndex(const NsModel *model);
/* series[2 NS_HARMONICS + 1][values]: mean, cos, sin ... of the values over the period, up to `most` harmonics. */
PetscErrorCode NsOrbitSeriesFind(NsOrbitParts *parts, PetscReal period, PetscInt most, PetscReal *series);
/* Drops rounding: numbers below 1e-13 of the largest of their kind. */
void NsOrbitSeriesClean(const NsOrbitParts *parts, PetscReal *series);
/* Whether the series has the values of the model, also between the samples and in the next period. */
PetscErrorCode NsOrbitSeriesCheck(NsOrbitParts *parts, PetscReal period, PetscInt most, const PetscReal *series, PetscBool *fits);
