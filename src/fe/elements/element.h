/*
  Elements: a file each in src/fe/elements, and a line in list.h.

  An element joins some nodes of one body. A node has the same degrees of freedom (DOF) in the whole body: displacements along and rotations about directions that the
  body's type chooses (NsFeBody.direction, NsFeBody.turns). An element has n = nodes x node_unknowns of the body, node after node; matrices are row-major [n, n], in SI units.

  To add one: fill an NsElementType and let a body type name it (src/fe/bodies). tests/conformance/test_elements.c checks every registered element against the contract below:
  symmetry, rigid motions, energies, masses, bounds.
*/
#pragma once
#include "percuss/model.h"

#define NS_NODE_UNKNOWNS    6  /* most DOF of a node */
#define NS_ELEMENT_NODES    10 /* most nodes of an element */
#define NS_ELEMENT_UNKNOWNS 30 /* most DOF of an element */
#define NS_ELEMENT_OUTPUTS  12

typedef struct NsFe     NsFe;
typedef struct NsFeBody NsFeBody;

typedef struct {
  PetscInt        body;
  const PetscInt *node; /* [type->nodes] global numbers */
  void           *data; /* type->size bytes for the element type alone; zero at first */
} NsFeElement;

/* What acts on a line element between its nodes, where nodal forces leave section forces inexact. Arrays are in the DOF of its body, [n]. */
typedef struct {
  const PetscReal *acceleration; /* of its nodes, less gravity: inertia and weight are -M times it, and -rho A times it along the element */
  const PetscReal *spin;         /* velocities of its nodes times the spin (rad/s) of its body: gyroscopic forces are -G times it */
  const PetscReal *line;         /* force per length along each displacement, the same at all its points, N/m */
  PetscReal        share[2];     /* displacements of its nodes have so many times the mass of the element */
} NsElementLoads;

/* What pictures show of a point of an element. Vectors are in space. */
typedef struct {
  PetscReal normal_force, stress;                /* N; Pa, that of the largest magnitude over the section */
  PetscReal section_force[3], section_moment[3]; /* N, N m; zero unless type->bends */
  PetscReal tensor[9];                           /* stress, Pa, in space, row-major; zero unless type->solid */
  PetscReal strain[9];                           /* the same of the strain */
} NsElementResults;

/* A cell that an element is drawn with: its points are the nodes (0 ..) and then those within the element; the stress is that of its middle. */
typedef struct {
  NsCellKind kind;
  PetscInt   point[NS_CELL_POINTS];
  PetscReal  middle[3]; /* natural coordinates */
} NsElementCell;

typedef struct {
  PetscInt points, cells;
  const PetscReal (*xi)[3];  /* [points] within the element, beyond its nodes */
  const NsElementCell *cell; /* [cells] each has an equal part of the element's energy */
} NsElementPicture;

/* A point of an element has natural coordinates xi[3]; of a line element xi[0] runs from 0 at the first to 1 at the last node, and the others are not used.
   NULL entries: where that is said. */
typedef struct {
  const char *name;
  PetscInt    nodes;
  const PetscReal (*node)[3];      /* [nodes] natural coordinates */
  PetscInt edges;                  /* between neighbours among its nodes: ways by which mass is redistributed */
  const PetscInt (*edge)[2];       /* [edges] */
  const NsElementPicture *picture; /* how it is drawn */
  /* Whether it is drawn. NULL: all are. */
  PetscBool (*drawn)(const NsFeElement *);
  size_t    size;  /* bytes of an element's own data; 0: none */
  PetscBool axial; /* K = [g g', -g g'; -g g', g g'] with one vector g of a node's DOF: the lumped back end needs no more than g */
  PetscBool bends; /* it has section forces and moments to draw */
  PetscBool solid; /* it has a stress tensor to draw */
  /* Symmetric, positive definite on all DOF that the body's nodes have. Diagonal where body->lumped, if the directions of the DOF allow. */
  void (*mass)(const NsFeBody *, const NsFeElement *, PetscReal *M);
  /* Symmetric; rigid motions make no force, but for an element under prestress. */
  void (*stiffness)(const NsFeBody *, const NsFeElement *, PetscReal *K);
  /* Skew gyroscopic matrix for a spin of 1 rad/s about the axis of the body's rotor: the force is -Omega G v. NULL: none. */
  void (*gyroscopic)(const NsFeBody *, const NsFeElement *, PetscReal *G);
  /* Relative twist of its ends for unit DOF, row[n]: what `damping: {torsion: ...}` acts on. NULL: it does not twist. */
  void (*twist)(const NsFeBody *, const NsFeElement *, PetscReal *row);
  /* Damping matrix of its own, beside Rayleigh's, of bodies that are damped_by_matrix. NULL: none. */
  void (*damping)(const NsFeBody *, const NsFeElement *, PetscReal *C);
  /* Skew matrices of bodies that have them: of velocities (turns_by_matrix; the force is -G v), or of displacements (circulates_by_matrix; -N q). NULL: none. */
  void (*skew)(const NsFeBody *, const NsFeElement *, PetscBool of_velocities, PetscReal *X);
  /* Where only the sum of all elements of a body has the properties above: matrices whose highest eigenvalues of (K, M) and (C, M) are bounds for the whole body, M of them no more than the
     body has. NULL: the element's own. */
  void (*cell)(const NsFeBody *, const NsFeElement *, PetscReal *M, PetscReal *C, PetscReal *K);
  /* Highest frequency of the element alone (rad/s): by Irons and Treharne's theorem no frequency of an assembly is above the highest of its elements. NULL: computed from M and K. */
  PetscReal (*frequency)(const NsFeBody *, const NsFeElement *);
  /* Weights[nodes] of the nodes' coordinates in those of a point. */
  void (*weights)(const PetscReal xi[3], PetscReal *weight);
  /* Displacement move[n][3] and rotation turn[n][3], in space, of a point for unit DOF. */
  void (*shape)(const NsFeBody *, const NsFeElement *, const PetscReal xi[3], PetscReal (*move)[3], PetscReal (*turn)[3]);
  /* Elastic energy q'Kq/2 (J), computed from strains, so that it is accurate after large rigid displacements. */
  PetscReal (*energy)(const NsFeBody *, const NsFeElement *, const PetscReal *q);
  /* What rounding of matrices that were read from files may add to the energy, J. NULL: nothing. */
  PetscReal (*rounding)(const NsFeBody *, const NsFeElement *, const PetscReal *q);
  /* Probe columns of a point: names, NULL-terminated, and their values, affine in q. */
  const char *const *output_names;
  void (*outputs)(const NsFeBody *, const NsFeElement *, const PetscReal *q, const PetscReal xi[3], PetscReal *value);
  /* Adds what these loads change of the outputs, linear in the loads; every array is given. NULL: outputs are those of the nodes alone. */
  void (*loaded)(const NsFeBody *, const NsFeElement *, const NsElementLoads *, const PetscReal xi[3], PetscReal *value);
  /* loads NULL: none. */
  void (*results)(
    const NsFeBody *, const NsFeElement *, const PetscReal *q, const NsElementLoads *loads, const PetscReal xi[3], NsElementResults *results);
  /* Total mass (kg), and the radius to draw at a point (m). No radius (NULL): the cells are the body itself. */
  PetscReal (*total_mass)(const NsFeBody *, const NsFeElement *);
  PetscReal (*radius)(const NsFeElement *, const PetscReal xi[3]);
  /* Length (m) and unit vector from the first node to the last. NULL: no line element, for which nothing counts by length. */
  PetscReal (*line)(const NsFeElement *, PetscReal axis[3]);
  /* Whether the matrices of two elements of a body are equal, but for axes that differ by up to `tolerance` (of a unit vector's entries). */
  PetscBool (*alike)(const NsFeElement *, const NsFeElement *, PetscReal tolerance);
  /* Whether numbers of its data are in range; otherwise why[size] says which are not, and hint[size] what to look at. */
  PetscBool (*check)(const NsFeBody *, const NsFeElement *, char *why, char *hint, size_t size);
} NsElementType;

#define NS_ELEMENT(name) extern const NsElementType NsElementType_##name;
#include "fe/elements/list.h"
#undef NS_ELEMENT
/* All of them, NULL-terminated. */
extern const NsElementType *const NsElementTypes[];
