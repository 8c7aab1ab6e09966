/*
  Results of long computations that are kept between runs: arrays of numbers under the hash of everything they depend on, so that they cannot be stale.

  A file each, KEY.percuss, in the folder $PERCUSS_CACHE, else $XDG_CACHE_HOME/percuss, else ~/.cache/percuss; PERCUSS_CACHE=off: none. It is written under another name and renamed, so that
  processes do not disturb each other; read only if it and the folder belong to this user and nobody else may write to them, and if its length and checksum are right. Any folder or file may be removed at
  any time. The oldest files are removed where all would take more than NS_CACHE_BYTES. Failures are no errors: then nothing is kept.
*/
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "core/sha256.h"

#define NS_CACHE_BYTES 4e9

/* Whether numbers that take about `seconds` to compute are kept: those that take some seconds or more; all if the user has set a folder by PERCUSS_CACHE. */
bool NsCacheKeeps(double seconds);
/* Begins the hash of a key, with this version of the program. */
void NsCacheKeyBegin(NsSha256 *sha);
/* The numbers under a key, to be freed; NULL: nothing is kept. path[size]: of the file, set if it is read. */
double *NsCacheRead(const char key[NS_SHA256_TEXT], size_t *count, char *path, size_t size);
/* Blocks of numbers, one behind the other. */
typedef struct {
  const double *value;
  size_t        count;
} NsCacheBlock;
void NsCacheWrite(const char key[NS_SHA256_TEXT], int blocks, const NsCacheBlock *block);
