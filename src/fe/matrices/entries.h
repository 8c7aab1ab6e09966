/* Private to the readers of matrices: entries as they come from the file, before they are sorted into rows. */
#pragma once
#include "matrices.h"

typedef struct {
  PetscInt row, column;
  double   value;
} NsMatrixEntry;

typedef struct {
  NsMatrixKind   kind;
  NsLines        lines;
  NsMatrixDofs  *dofs;
  NsArena       *arena;
  PetscInt       n, count, capacity;
  NsMatrixEntry *entry;
  PetscBool      upper, lower; /* there are entries above, below the diagonal */
  double        *right;        /* [n] the right-hand side is read into it, and no entries; NULL: the entries are */
} NsMatrixReader;

/* One entry, 0-based; entries of one triangle stand for both where no other has any. */
void NsMatrixAdd(NsMatrixReader *self, long row, long column, double value);
/* harwell_boeing.c: whether a line is the third one of such a file; and its entries, or right-hand side, with the first line read. */
PetscBool NsMatrixIsHarwellBoeing(const char *line);
void      NsMatrixReadHarwellBoeing(NsMatrixReader *self);
