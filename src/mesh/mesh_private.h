/* Shared by the files of src/mesh only. */
#pragma once
#include "percuss/mesh.h"

extern const NsTable NsTable_Line, NsTable_Stations, NsTable_Lattice, NsTable_Box;

/* Elements that they make; of a lattice with diagonals, at most. */
double NsLatticeElements(const NsLatticeSettings *lattice);
double NsBoxElements(const NsBoxSettings *box);

/*
  The sources of a mesh. Each fills a raw mesh: nodes, elements, shape, x, connection (PetscMalloc2, freed by the caller, also after a
  user's mistake) and the sets (in the arena), with nodes and elements in any order. Every node belongs to an element.
  After a mistake of the user (reported to diag) raw->elements is 0.
*/
PetscErrorCode NsMeshRawLine(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw);
PetscErrorCode NsMeshRawStations(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw);
PetscErrorCode NsMeshRawLattice(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw);
PetscErrorCode NsMeshRawBox(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw);
/* Elements of this dimension. *number: those of the elements in the file, to be freed; left NULL where there are no elements. */
PetscErrorCode NsMeshRawGmsh(const NsMeshSettings *settings, int dimension, NsArena *arena, NsDiag *diag, NsMesh *raw, PetscInt **number);

/* src/mesh/line.c: n elements between nodes at share[n + 1] of the way, ascending from 0 to 1, with the node sets `left` and `right`. */
PetscErrorCode NsMeshRawShares(const double from[3], const double to[3], PetscInt n, const double *share, NsArena *arena, NsMesh *raw);

/* src/mesh/grid.c: nodes along each axis, how far apart in number they are, and steps of the grid for a cell. */
typedef struct {
  PetscInt nodes[3], stride[3], fine;
} NsMeshGrid;
NsMeshGrid NsMeshGridMake(const double cells[3], PetscInt fine);
/* The node sets: sides along x, y, z, the low one first, then corners. new_of[nodes]: -1 for points of the grid without a node; NULL: all are nodes with their own number. */
void NsMeshGridSets(const NsMeshGrid *grid, const PetscInt *new_of, NsArena *arena, NsMesh *raw);

/* src/mesh/cells.c: whether all elements of a solid have volume and the right sense; a mesh of which all elements run the wrong way round is turned. number: NULL, or those in the file, for
   messages. */
bool NsMeshCheckCells(NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag);
/* "the quadrangle 17 at (0.1, 0, 0) m": element e by its number in the file and its first node. */
const char *NsMeshElementName(const NsMesh *mesh, const PetscInt *number, PetscInt e, NsArena *arena);

/* src/mesh/sides.c: the sides of all elements of a mesh, sorted by their corners. */
typedef struct {
  PetscInt corner[4]; /* ascending, unused ones -1 */
  PetscInt element, side;
} NsMeshSide;
/* sides[elements * shape->sides], to be freed. */
PetscErrorCode NsMeshListSides(const NsMesh *mesh, NsMeshSide **sides);
/* The first of those with the corners of the nodes node[corners], and how many follow each other; 0: there is none. */
PetscInt NsMeshFindSide(const NsMesh *mesh, const NsMeshSide *sides, const PetscInt *node, const NsMeshSide **found);
/* Elements that are there twice, or overlap so that three of them have a side in common; hanging nodes. */
PetscErrorCode NsMeshCheckSides(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag, bool *good);
/* Duplicate nodes: two nodes at the same point, where parts are not joined although the mesh is connected. */
PetscErrorCode NsMeshWarnOfCoincidence(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag);

/* "(0.5, 0, 0)" for messages. */
const char *NsMeshPoint(const NsMesh *mesh, PetscInt node, NsArena *arena);
/* NULL-terminated. */
const char *const *NsMeshSetNames(const NsMeshSet *sets, PetscInt count, NsArena *arena);
/* "a, b, c" */
const char *NsMeshWords(const char *const *words, NsArena *arena);

/*
  Checks how the elements hang together and finds a good numbering: order[new] = old [nodes, allocated by the caller].
  *chain says whether the mesh is one open line; nodes are then in order along it, otherwise by reverse Cuthill-McKee.
  Elements twice and disconnected pieces are reported at place, and *good is false.
*/
PetscErrorCode NsMeshOrder(const NsMesh *mesh, NsPlace place, NsArena *arena, NsDiag *diag, PetscInt order[], bool *chain, bool *good);
