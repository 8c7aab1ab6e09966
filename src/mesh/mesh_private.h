/* Shared by the files of src/mesh only. */
#pragma once
#include "percuss/mesh.h"

extern const NsTable NsTable_Line, NsTable_Lattice;

/*
  The sources of a mesh. Each fills a raw mesh: nodes, elements, shape, x, connection (PetscMalloc2, freed by the caller, also after a
  user's mistake) and the sets (in the arena), with nodes and elements in any order. Every node belongs to an element.
  After a mistake of the user (reported to diag) raw->elements is 0.
*/
PetscErrorCode NsMeshRawLine(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw);
PetscErrorCode NsMeshRawLattice(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw);
PetscErrorCode NsMeshRawGmsh(const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh *raw);

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
