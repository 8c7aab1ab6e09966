/*
  The geometry of one body: nodes, elements of one shape, and names for some of them. The only shape so far is the line of two nodes.

  A mesh is read whole on one process (a line mesh of a million nodes takes 50 MB); it has no physical properties.
  Coordinates are always three, in metres. Nodes are numbered so that neighbours have near numbers (along the line, or by
  reverse Cuthill-McKee), which is what banded solvers want. Along a single open line element e joins node e to node e + 1.
*/
#pragma once
#include <petscsys.h>
#include "keys.h"

typedef struct {
  const char *name;
  PetscInt    count;
  PetscInt   *items; /* nodes or elements, ascending */
} NsMeshSet;

/* What the elements of a mesh are. */
typedef struct {
  const char *name; /* for messages */
  int         dimension, nodes;
} NsMeshShape;

extern const NsMeshShape NsMeshShape_Line2;

typedef struct {
  PetscInt           nodes, elements;
  const NsMeshShape *shape;      /* of all elements */
  PetscReal         *x;          /* [nodes, 3] */
  PetscInt          *connection; /* [elements, shape->nodes] */
  PetscInt           node_sets, element_sets;
  NsMeshSet
    *node_set; /* named nodes: `all`, a generated line's `left` and `right`, sides and corners of a lattice, user's own, Gmsh physical points */
  NsMeshSet *element_set; /* named elements: `all`, Gmsh physical curves */
  PetscReal *along;       /* [nodes] distance along the chain from its first node; NULL if the mesh is not a single open chain */
  PetscReal  length;      /* of the chain; sum of the elements otherwise */
  bool       from_file;
} NsMesh;

/* The keys of `mesh: {line: ...}`, `mesh: {lattice: ...}` and `mesh: {file: ...}`. */
typedef struct {
  const NsNode *where;
  double        from[3], to[3];
  long          elements;
  double        grading; /* length of the last element over that of the first */
} NsLineSettings;

typedef struct {
  const NsNode *where;
  double        from[3], to[3];
  double        cells[3]; /* whole numbers */
  int           braces;   /* none, faces, space */
} NsLatticeSettings;

typedef struct {
  const NsNode            *where;
  const NsLineSettings    *line;
  const NsLatticeSettings *lattice;
  const char              *file;  /* path relative to the config's folder */
  const char              *group; /* physical curve to take; NULL: all line elements */
  double                   scale; /* coordinates in the file times this are metres; as a key it is a length: `scale: 1 mm` */
  NsNamedNumbers           nodes; /* named nodes at a distance along the line */
} NsMeshSettings;

extern const NsTable NsTable_Mesh;

/* Generates or reads the mesh. Errors of the user go to diag, and *mesh is NULL then (the return code is still 0). Everything is in the arena.
   Checked: zero-length elements, elements twice, disconnected pieces (named by a node's place), missing or empty groups, no line elements, named
   nodes off the line. */
PetscErrorCode NsMeshCreate(const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh **mesh);
/* NULL if there is no set of this name. */
const NsMeshSet *NsMeshNodeSet(const NsMesh *mesh, const char *name);
const NsMeshSet *NsMeshElementSet(const NsMesh *mesh, const char *name);
/* The message for a name that NsMeshNodeSet does not know: the nearest one, the valid ones, and how to name an end. */
void NsMeshNodeSetError(const NsMesh *mesh, const char *name, NsPlace place, NsArena *arena, NsDiag *diag);
/* The message for a group that NsMeshElementSet does not know: the nearest one, and the valid ones. */
void NsMeshElementSetError(const NsMesh *mesh, const char *name, NsPlace place, NsArena *arena, NsDiag *diag);
/* The element that holds the point at this distance along the chain, and where in it (0..1). False when there is no chain or it is off it.
   A point at a node belongs to the element before it, but for the first. A point beyond an end by 1e-9 of the length still is that end. */
bool NsMeshLocate(const NsMesh *mesh, PetscReal distance, PetscInt *element, PetscReal *fraction);
/* NULL-terminated names of the node sets, for "did you mean". */
const char *const *NsMeshNodeSetNames(const NsMesh *mesh, NsArena *arena);
