/* Long chains in lanes, set up: shared by lanes.c (unknowns, matrices) and factor.c (factors). */
#pragma once
#include "core/pool.h"
#include "kernel.h"
#include "lanes.h"

/* A table of NsLaneRows; equal blocks are stored once. */
typedef struct {
  const PetscReal **block; /* [blocks of the lanes]; NULL within: all zero, where the table allows it */
  NsPool            pool;
} NsLaneTable;

struct NsLanesFactor {
  NsLaneFactor view; /* of what follows, for the kernels */
  PetscInt    *first;
  NsLaneTable  down, up, spike;
  PetscReal   *reduced;
};

struct NsLanes {
  PetscInt            n, blocks;
  PetscInt            start[NS_LANES + 1]; /* of each lane in natural order */
  PetscInt           *natural, *halo;
  NsLaneShape         shape;
  NsLaneForce         force;
  NsLanesFactor      *mass;
  NsLaneTable         K, C, M, dampers;
  NsLaneExtra        *damper_extra; /* K: unused */
  PetscInt            damper_extras;
  const NsLaneKernel *kernel;
};

/* What rows of a table hold behind the end of a lane, and whether blocks of zeros are NULL. */
typedef enum { NS_LANE_ZEROS_BEYOND, NS_LANE_NEXT_LANE_BEYOND, NS_LANE_THIN } NsLaneTableKind;

/* From value[n][width], natural order. */
PetscErrorCode NsLaneTableCreate(const NsLanes *lanes, PetscInt width, const PetscReal *value, NsLaneTableKind kind, NsLaneTable *table);
PetscErrorCode NsLaneTableDestroy(NsLaneTable *table);

/* A = U D U' of band[n][B + 1], A_{i, i + k}. *factor = NULL: not positive definite. */
PetscErrorCode NsLanesFactorBand(const NsLanes *lanes, const PetscReal *band, NsLanesFactor **factor);

/* Size of an array of `each` numbers a row. */
static inline size_t NsLaneNumbers(PetscInt rows, PetscInt each)
{
  return (size_t)rows * (size_t)each;
}
