/* Which DOF the rows of a matrix are: lines of "node.direction"; or, of Ansys, of the number of the row, the node, and a word such as UX. */
#include "matrices.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int compare(const void *a, const void *b)
{
  const NsMatrixDof *x = *(const NsMatrixDof *const *)a, *y = *(const NsMatrixDof *const *)b;

  return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : x->direction - y->direction;
}

/* No DOF is there twice. */
static void check_once(NsLines *lines, const NsMatrixDofs *dofs)
{
  const NsMatrixDof **sorted = malloc((size_t)(dofs->count + 1) * sizeof(*sorted));

  for (PetscInt i = 0; i < dofs->count && sorted; i++) sorted[i] = &dofs->item[i];
  if (sorted) qsort(sorted, (size_t)dofs->count, sizeof(*sorted), compare);
  for (PetscInt i = 1; i < dofs->count && sorted; i++) {
    if (compare(&sorted[i - 1], &sorted[i]) == 0) NsLinesFail(lines, "DOF %d of node %ld is duplicated", sorted[i]->direction, sorted[i]->node);
  }
  free(sorted);
}

/* 1 .. 6; 0: no such word. */
static long direction_of(const char *word)
{
  static const char *const words[] = {"UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
  const size_t             length  = strcspn(word, " \t\r");

  for (int k = 0; k < 6; k++) {
    if (length == strlen(words[k]) && strncasecmp(word, words[k], length) == 0) return k + 1;
  }
  return 0;
}

/* "row node UX" or "node UX" behind the first number, which is *node: rows in their order. */
static PetscBool read_word(NsLines *lines, char *at, PetscInt count, long *node, long *direction)
{
  const long row = *node;

  if (NsLinesWhole(&at, node) && row != count + 1)
    NsLinesFail(lines, "row %ld, where row %d is expected: rows must be in their order", row, (int)count + 1);
  at += strspn(at, " \t");
  *direction = direction_of(at);
  return *direction > 0;
}

PetscBool NsReadMatrixDofs(const NsNode *where, NsArena *arena, NsDiag *diag, NsMatrixDofs *dofs)
{
  NsLines lines;

  if (!NsLinesOpen(where, NULL, arena, diag, &lines)) {
    NsLinesClose(&lines);
    return PETSC_FALSE;
  }
  while (NsLinesNext(&lines)) {
    char *at = lines.line;
    long  node, direction;
    if (strchr("#%*", at[strspn(at, " \t")])) continue;
    PetscBool good = NsLinesWhole(&at, &node);
    if (!good && !dofs->count && strcasestr(lines.line, "node")) continue; /* the header of a table */
    const PetscBool dotted = good && *at == '.', word = good && !dotted && at[strcspn(at, "UuRr")];
    if (dotted) at++;
    good = good && (word ? read_word(&lines, at, dofs->count, &node, &direction) : NsLinesWhole(&at, &direction) && !at[strspn(at, " \t\r")]);
    if (!good)
      NsLinesFail(&lines, "expected the number of a node and of a direction, such as 12.3");
    else if (node < 1 || direction < 1 || direction > 6)
      NsLinesFail(
        &lines, "node %ld, direction %ld: nodes are numbered from 1, directions are 1 to 6 (x, y, z, and rotations about them)", node, direction);
    if (lines.failed) break;
    dofs->item                = NsMatrixGrow(dofs->item, dofs->count, 1, &dofs->capacity, sizeof(*dofs->item));
    dofs->item[dofs->count++] = (NsMatrixDof){node, (int)direction};
  }
  lines.number = 0;
  if (!lines.failed && !dofs->count) NsLinesFail(&lines, "there are no DOF in this file");
  if (!lines.failed) check_once(&lines, dofs);
  NsLinesClose(&lines);
  return !lines.failed;
}

const char *NsMatrixDofName(const NsMatrixDofs *dofs, PetscInt i, NsArena *arena)
{
  static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz"};

  return NsArenaPrint(arena, "node %ld, %s", dofs->item[i].node, words[dofs->item[i].direction - 1]);
}
