/* Private to bodies given by matrices: what they are made from (matrices_source.c), and its checks (matrices_checks.c). */
#pragma once
#include "fe/matrices/matrices.h"
#include "line_body.h"

typedef struct {
  const NsNode *where;
  const char   *file;
  const NsNode *names;
} NsMatrixNodesSettings;

typedef struct {
  const NsNode *where;
  double        length, mass, time; /* m, kg, s */
} NsMatrixUnitsSettings;

typedef struct {
  const NsNode                *where;
  const char                  *stiffness, *mass, *damping_matrix, *gyroscopic_matrix, *circulatory_matrix, *unknowns;
  const NsMatrixNodesSettings *nodes;
  const NsMatrixUnitsSettings *units;
  const NsDamping             *damping;
  const NsInitial             *initial;
  const NsReduceSettings      *reduce;
} NsMatricesSettings;
/* Stiffness, mass, damping, gyroscopic and circulatory matrix. */
enum { NS_MATRIX_K, NS_MATRIX_M, NS_MATRIX_C, NS_MATRIX_G, NS_MATRIX_N, NS_MATRICES };

/* The mesh, and what it was made from. */
typedef struct {
  NsMesh       mesh;                /* first: NsFeBody.mesh is this */
  NsMatrixDofs dofs;                /* in the arena */
  PetscInt    *node_of;             /* [dofs] */
  PetscInt     directions;          /* 2, 3 or 6 DOF a node */
  long        *number;              /* [nodes] in the file */
  NsSparse     matrix[NS_MATRICES]; /* in the DOF of the files, SI; those of C, G, N may have no rows */
  PetscReal    force, length;       /* N and m in the units of the files */
  PetscBool   *drawn;               /* [elements] */
  PetscBool    clamped;             /* the file has nodes without DOF */
} NsMatricesSource;
NsPlace NsMatricesPlace(const NsMatricesSettings *settings, const char *key);
/* The matrices in SI, and the DOF of their rows. Like all below: false in *good after an error. */
PetscErrorCode NsMatricesRead(const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source, PetscBool *good);
/* All matrices. */
PetscErrorCode NsMatricesDestroy(NsMatricesSource *source);
/* The nodes that have DOF, in the order of the rows. */
PetscErrorCode NsMatricesTakeNodes(
  const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source, PetscBool *good);
/* `all`, the sets of the file as far as they have DOF, and the user's own. */
PetscErrorCode NsMatricesTakeSets(
  const NsMatricesSettings *settings, NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source, PetscBool *good);
/* The pairs of nodes that an entry of the matrices joins, as elements of the mesh, and which of them are drawn. */
PetscErrorCode NsMatricesListCouplings(NsFe *fe, const NsNumberedNodes *nodes, NsMatricesSource *source);
PetscReal      NsMatricesDistance(const NsMesh *mesh, PetscInt a, PetscInt b);

/* Every DOF has a mass; false after an error. */
PetscBool NsMatricesCheckMass(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source);
/* Warnings: rigid motions that the stiffness holds, unequal masses along the axes; speeds of waves that no material has. */
PetscErrorCode NsMatricesCheckMotions(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source);
void           NsMatricesCheckUnits(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source);
