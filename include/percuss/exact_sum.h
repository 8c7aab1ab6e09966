/*
  A sum that is exact until it is read, and then rounded once: the same bits in whatever order, and on however many processes, its terms come.

  Every double is an integer times 2^-1074. The sum is kept as one, in digits of 32 bits that overlap in integers of 64 (R. M. Neal, Fast exact summation using small and large
  superaccumulators, 2015). Many terms at a time are first added up in doubles, in a way that rounds nothing off (src/core/exact_sum.c), at about 1 ns a term; less than 16 at
  a time cost a few ns each.

  No bit is lost: not of denormal terms, not where terms cancel, not where the sum of some terms exceeds the largest double. A term that is Inf or NaN makes the sum NaN.
  All zero (`NsExactSum sum = {{0}}`) is the empty sum.
*/
#pragma once
#include <petscsys.h>

#define NS_EXACT_CHUNKS 68

typedef struct {
  /* private; all of one type, since NsExactSumReduce adds them as one array */
  PetscInt64 chunk[NS_EXACT_CHUNKS]; /* the sum is that of chunk[i] 2^(32 i - 1074) */
  PetscInt64 additions;              /* to the chunks since the last carry */
  PetscInt64 invalid;                /* terms that were Inf or NaN */
} NsExactSum;

void NsExactSumAdd(NsExactSum *sum, PetscInt terms, const PetscReal *term);
/* term[k] = x[k] y[k], each product rounded. */
void NsExactSumAddProducts(NsExactSum *sum, PetscInt terms, const PetscReal *x, const PetscReal *y);
/* (all) The sums of all processes, on all processes. */
PetscErrorCode NsExactSumReduce(NsExactSum *sum, MPI_Comm comm);
/* Rounded to nearest, ties to even; Inf beyond the largest double; a sum of zero is +0. */
PetscReal NsExactSumValue(const NsExactSum *sum);
