/*
  The geometry of one body: nodes, elements of one shape, and names for some of them: lines, or the triangles ... hexahedra of solid bodies.

  A mesh is read whole on one process (a line mesh of a million nodes takes 50 MB); it has no physical properties.
  Coordinates are always three, in metres. Nodes are numbered so that the numbers of neighbours differ little (along the line, or by
  reverse Cuthill-McKee), which keeps the bandwidth of the matrices small. Along a single open line element e joins node e to node e + 1.
*/
#pragma once
#include <petscsys.h>
#include "keys.h"

typedef struct {
  const char *name;
  PetscInt    count;
  PetscInt   *items; /* nodes or elements, ascending */
} NsMeshSet;

/* Sides of elements on the surface of a body, by ascending element. */
typedef struct {
  const char *name;
  PetscInt    count;
  PetscInt (*side)[2]; /* [count] an element, and which of its sides */
  NsMeshSet middles;   /* nodes in the middles of edges of these sides; count 0: sides of first order */
} NsMeshSideSet;

/* What the elements of a mesh are (src/mesh/shapes.c). */
typedef struct NsMeshShape NsMeshShape;
struct NsMeshShape {
  const char        *name; /* for messages */
  int                dimension, nodes;
  int                corners; /* the first nodes; the others are middles of edges */
  int                sides;
  const NsMeshShape *side_shape;
  const int (*side)[6]; /* [sides] nodes, so that normals point outwards */
};

extern const NsMeshShape NsMeshShape_Line2, NsMeshShape_Line3, NsMeshShape_Tri3, NsMeshShape_Tri6, NsMeshShape_Quad4, NsMeshShape_Tet4,
  NsMeshShape_Tet10, NsMeshShape_Hex8;

typedef struct {
  PetscInt           nodes, elements;
  const NsMeshShape *shape;      /* of all elements */
  PetscReal         *x;          /* [nodes, 3] */
  PetscInt          *connection; /* [elements, shape->nodes] */
  PetscInt           node_sets, element_sets;
  NsMeshSet
    *node_set; /* named nodes: `all`, a generated line's `left` and `right`, sides and corners of a lattice, user's own, Gmsh physical points */
  NsMeshSet     *element_set; /* named elements: `all`, Gmsh physical groups of the dimension of the elements */
  PetscInt       side_sets;   /* of solids */
  NsMeshSideSet *side_set;    /* named sides of elements on the surface; their nodes are a node set of this name */
  PetscReal     *along;       /* [nodes] distance along the chain from its first node; NULL if the mesh is not a single open chain */
  PetscReal      length;      /* of the chain; sum of the lines otherwise; of solids the largest side of the box around them */
  bool           from_file;
} NsMesh;

/* The keys of `mesh: {line: ...}`, `mesh: {lattice: ...}`, `mesh: {box: ...}` and `mesh: {file: ...}`. */
typedef struct {
  const NsNode *where;
  double        from[3], to[3];
  long          elements;
  double        grading;  /* length of the last element over that of the first */
  NsNumbers     nodes_at; /* m from the start: where there must be nodes */
} NsLineSettings;

/* A piece of a shaft: diameters and bores at its start and end, or one for both; no bore: solid. */
typedef struct {
  const NsNode *where;
  double        length;
  NsNumbers     diameter, bore; /* m */
} NsShaftPiece;
/* m at the start (end 0) or the end of a piece. */
double NsShaftDiameter(const NsNumbers *diameter, int end);

typedef struct {
  const NsNode *where;
  double        from[3], direction[3];
  NsList        list; /* NsShaftPiece */
  double        longest;
} NsStationsSettings;

typedef struct {
  const NsNode *where;
  double        from[3], to[3];
  double        cells[3]; /* whole numbers */
  int           braces;   /* none, faces, space */
} NsLatticeSettings;

typedef struct {
  const NsNode *where;
  double        from[3], to[3];
  double        cells[3]; /* whole numbers; 0 along z: a plane body */
  int           elements; /* NS_BOX_QUAD4 ... */
} NsBoxSettings;
enum { NS_BOX_AUTO, NS_BOX_TRI3, NS_BOX_QUAD4, NS_BOX_TET4, NS_BOX_TET10, NS_BOX_HEX8 };

typedef struct {
  const NsNode             *where;
  const NsLineSettings     *line;
  const NsStationsSettings *stations;
  const NsLatticeSettings  *lattice;
  const NsBoxSettings      *box;
  const char               *file;  /* path relative to the config's folder */
  const char               *group; /* physical group to take; NULL: all elements */
  double                    scale; /* coordinates in the file times this are metres; as a key it is a length: `scale: 1 mm` */
  NsNamedNumbers            nodes; /* named nodes at a distance along the line */
} NsMeshSettings;

extern const NsTable NsTable_Mesh, NsTable_SolidMesh; /* of lines; of solids */

/* Generates or reads the mesh. Errors of the user go to diag, and *mesh is NULL then (the return code is still 0). Everything is in the arena.
   Checked: zero-length elements, elements twice, disconnected pieces (named by a node's place), missing or empty groups, no line elements, named
   nodes off the line. */
PetscErrorCode NsMeshCreate(const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh **mesh);
/* The same of a body of this dimension, 2 (in the x-y plane) or 3, whose elements have a volume. Checked: inverted and degenerate elements, elements twice, disconnected pieces, hanging
   nodes, elements of several shapes or of another dimension. */
PetscErrorCode NsMeshCreateSolid(const NsMeshSettings *settings, int dimension, NsArena *arena, NsDiag *diag, NsMesh **mesh);
/* Elements that a mesh of these keys, which are valid, will have, at most; 0: not known, as of a file. */
double NsMeshForesee(const NsNode *mesh, NsArena *arena);
/* NULL if there is no set of this name. */
const NsMeshSideSet *NsMeshSides(const NsMesh *mesh, const char *name);
/* NULL if there is no set of this name. */
const NsMeshSet *NsMeshNodeSet(const NsMesh *mesh, const char *name);
const NsMeshSet *NsMeshElementSet(const NsMesh *mesh, const char *name);
/* The message for a name that NsMeshNodeSet does not know: the nearest one, the valid ones, and how to name an end. */
void NsMeshNodeSetError(const NsMesh *mesh, const char *name, NsPlace place, NsArena *arena, NsDiag *diag);
/* The message for a group that NsMeshElementSet does not know: the nearest one, and the valid ones. */
void NsMeshElementSetError(const NsMesh *mesh, const char *name, NsPlace place, NsArena *arena, NsDiag *diag);
/* The element that holds the point at this distance along the chain, and where in it (0..1). False if the mesh is not a chain, or the point lies outside of it.
   A point at a node belongs to the element before this node, except at the first node. A point beyond an end by at most 1e-9 of the length counts as that end. */
bool NsMeshLocate(const NsMesh *mesh, PetscReal distance, PetscInt *element, PetscReal *fraction);
/* NULL-terminated names of the node sets, for "did you mean". */
const char *const *NsMeshNodeSetNames(const NsMesh *mesh, NsArena *arena);
