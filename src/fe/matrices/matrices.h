/*
  Matrices of other programs, for bodies of `type: matrices` (src/fe/bodies/matrices.c): reading, checks, and the bounds that explicit schemes need.

  Files are read whole, on every process. Errors of the user go to diag with file and line, and the function returns false.
*/
#pragma once
#include "fe/model/sparse.h"
#include "percuss/arena.h"
#include "percuss/diag.h"
#include "percuss/tree.h"

/* ---- files -------------------------------------------------------------------------------------------------------------------------------------- */

/* A DOF of the file: the number of a node, and 1, 2, 3 for displacements along x, y, z, 4, 5, 6 for rotations about them. */
typedef struct {
  long node;
  int  direction;
} NsMatrixDof;

/* The DOF in the order of the rows, to be freed. */
typedef struct {
  PetscInt     count, capacity;
  NsMatrixDof *item;
} NsMatrixDofs;

/* Named nodes by their numbers, to be freed. */
typedef struct {
  const char *name; /* in the arena */
  PetscInt    count, capacity;
  long       *number;
} NsNumberedSet;

/* Nodes with coordinates in the unit of the file, in its order; edges of elements, for drawing. */
typedef struct {
  PetscInt       nodes, capacity;
  long          *number; /* [nodes] */
  double        *x;      /* [nodes, 3] */
  PetscInt       sets, edges, edge_capacity;
  NsNumberedSet *set;
  PetscInt       includes, include_capacity;
  const char   **include; /* [includes] paths of files that the deck includes, in the arena */
  long (*edge)[2];        /* numbers of nodes */
} NsNumberedNodes;

/* A text file that is read line by line; the first error is reported with its line, and then nothing is read any more. */
typedef struct {
  const char *name; /* as the user wrote it */
  NsPlace     place;
  NsDiag     *diag;
  char       *text; /* all of it */
  char       *line; /* the present one, without its end */
  char       *next;
  long        number; /* of the present one; 0: messages are about the whole file */
  PetscBool   failed;
} NsLines;

/* text.c. where: the scalar that names the file. False: it cannot be read, which has been reported. */
PetscBool NsLinesOpen(const NsNode *where, const char *path, NsArena *arena, NsDiag *diag, NsLines *lines);
void      NsLinesClose(NsLines *lines);
/* The next line that is not blank; false at the end, or after an error. */
PetscBool NsLinesNext(NsLines *lines);
void      NsLinesFail(NsLines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next number of the line at *at, which moves behind it and a comma after it. False: there is none (an empty field, the end of the line, a word). */
PetscBool NsLinesReal(char **at, double *value);
PetscBool NsLinesWhole(char **at, long *value);
/* Room for `more` further items of `size` bytes behind `count` of them. */
void *NsMatrixGrow(void *items, PetscInt count, PetscInt more, PetscInt *capacity, size_t size);

/* dofs.c: lines of "node.direction" (CalculiX .dof) or "node direction"; or "row node UX" under a header (Ansys HBMAT, .mapping). */
PetscBool NsReadMatrixDofs(const NsNode *where, NsArena *arena, NsDiag *diag, NsMatrixDofs *dofs);
/* "node 12, y" */
const char *NsMatrixDofName(const NsMatrixDofs *dofs, PetscInt i, NsArena *arena);

typedef enum { NS_FILE_TRIPLES, NS_FILE_NAMED, NS_FILE_MARKET, NS_FILE_HARWELL_BOEING } NsMatrixFormat;
/* Of a file of which no line has been read yet. */
NsMatrixFormat NsMatrixFormatOf(const NsLines *lines);

typedef enum { NS_MATRIX_SYMMETRIC, NS_MATRIX_SKEW } NsMatrixKind;
/* entries.c, harwell_boeing.c: Matrix Market; Harwell-Boeing (Ansys HBMAT); "row column value" of one triangle (CalculiX .sti, .mas; Abaqus COORDINATE); "node, dof, node, dof, value" (Abaqus), which
   makes *dofs where that is empty. In rows, both triangles, every row with its diagonal. Reported where the file is not of this kind. */
PetscErrorCode NsReadMatrix(
  const NsNode *where, NsMatrixKind kind, NsMatrixDofs *dofs, NsArena *arena, NsDiag *diag, NsSparse *matrix, PetscBool *good);

/* vector.c: value[dofs->count] from Matrix Market (one column), Harwell-Boeing (its right-hand side), "node, dof, value" (Abaqus, *CLOAD), or one number per row. *lost: entries that are not zero, of
   DOF that are not among these. */
PetscBool NsReadMatrixVector(const NsNode *where, const NsMatrixDofs *dofs, NsArena *arena, NsDiag *diag, double *value, PetscInt *lost);

/* nodes.c: *NODE, *NSET, *ELEMENT, *INCLUDE of an Abaqus or CalculiX deck; NBLOCK and CMBLOCK of an Ansys archive; or a Gmsh file. */
PetscErrorCode NsReadNumberedNodes(const NsNode *where, NsArena *arena, NsDiag *diag, NsNumberedNodes *nodes, PetscBool *good);
void           NsNumberedNodesFree(NsNumberedNodes *nodes);

/* ---- bounds ------------------------------------------------------------------------------------------------------------------------------------- */

/*
  Bounds from the rows: with D = diag(M) and M - share D positive definite,

      x'K x <= omega^2 x'M x,   omega^2 = max_i sum_j |K_ij|/sqrt(M_ii M_jj) / share   (Gershgorin)

  share is 1 for a diagonal M; else the largest of 1/2, 1/4, 1/8, ... for which the factor of M - share D has positive pivots only; of many DOF what Lanczos' method with a random start proves,
  but for a probability of 1e-12.
*/
typedef struct {
  PetscReal share, omega, damping_rate, gyroscopic_rate; /* rad/s; 1/s; rad/s: no eigenvalue of (iG, M) is larger */
} NsMatrixBounds;
/* C and G may have no rows. share 0: M is not positive definite. */
PetscErrorCode NsMatrixFindBounds(const NsSparse *M, const NsSparse *C, const NsSparse *G, const NsSparse *K, NsMatrixBounds *bounds);
/* y = A x, and the sums of |A_ij x_j|. */
void NsMatrixMultiply(const NsSparse *A, const PetscReal *x, PetscReal *y, PetscReal *sizes);
