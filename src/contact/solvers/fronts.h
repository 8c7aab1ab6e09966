/*
  LU of large sparse matrices that are a sum of small dense ones, I + sum_e K_e: the multifrontal method of fronts.c. The pattern is analysed once and factored often.
*/
#pragma once
#include <petscsys.h>

typedef struct NsFronts NsFronts;

/* Element e has the rows row[row_first[e] .. row_first[e + 1]) and columns alike, both ascending; every unknown that elements treat alike and that follow each other make a node. */
typedef struct {
  PetscInt        unknowns, elements;
  const PetscInt *row_first, *row, *column_first, *column;
} NsFrontsPattern;

PetscErrorCode NsFrontsCreate(NsFronts **fronts);
PetscErrorCode NsFrontsDestroy(NsFronts **fronts);
/* Order of elimination and memory; the pattern is copied as far as it is needed. Allocates where there is not room enough yet. */
PetscErrorCode NsFrontsAnalyse(NsFronts *fronts, const NsFrontsPattern *pattern);
/* Numbers of the factors. */
PetscInt64 NsFrontsSize(const NsFronts *fronts);
/* The identity; K[rows, columns] row-major of an element added; factors; x <- A^-1 x. Allocate nothing. */
void           NsFrontsClear(NsFronts *fronts);
void           NsFrontsAdd(NsFronts *fronts, PetscInt element, const PetscReal *K);
PetscErrorCode NsFrontsFactor(NsFronts *fronts);
PetscErrorCode NsFrontsSolve(NsFronts *fronts, PetscReal *x);
