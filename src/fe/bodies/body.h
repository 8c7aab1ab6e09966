/*
  Bodies made of finite elements: a type of body in each file of src/fe/bodies, and a line in list.h.

  To add one: settings with a key table, an NsVariant that describes them, and an NsBodyType that names its element and fills the body.
*/
#pragma once
#include "core/spin.h"
#include "fe/elements/beam_matrices.h"
#include "fe/elements/element.h"
#include "fe/elements/solid.h"
#include "fe/matrices/matrices.h"
#include "percuss/diag.h"
#include "percuss/keys.h"
#include "percuss/mesh.h"

typedef struct NsReduceSettings NsReduceSettings; /* src/fe/reduce/reduce.h */

/* A point within an element that probes name. */
typedef struct {
  const char *name;
  PetscInt    element;
  PetscReal   xi[3];
} NsFeNamedPoint;

struct NsFeBody {
  const char             *name;
  const NsNode           *where;
  const NsMesh           *mesh;    /* not owned (arena) */
  const NsElementType    *element; /* NULL: the body has none (rigid) */
  PetscInt                first_node, first_element, first_dof;
  PetscInt                part; /* of the model: bodies that force elements join are one part */
  PetscInt                node_unknowns;
  PetscReal               direction[NS_NODE_UNKNOWNS][3]; /* of each unknown in space, unit vectors: displacement along it, */
  PetscBool               turns[NS_NODE_UNKNOWNS];        /* or rotation about it, */
  PetscBool               small[NS_NODE_UNKNOWNS];        /* which has to be small (src/fe/model/deformation.c) */
  const NsReduceSettings *reduce;                         /* src/fe/reduce; NULL: it stays whole */
  PetscBool               lumped, weightless;
  PetscBool               loose;                           /* nodes of a truss move across their bars: reported */
  PetscBool               redistributed;                   /* lumped, with massless contact nodes */
  PetscReal               damping_mass, damping_stiffness; /* Rayleigh: 1/s and s */
  PetscReal               damping_torsion;                 /* N m s: a dashpot between the twists of each element's ends */
  PetscReal               damping_rotating; /* s: of rotors, C = damping_rotating K in axes that turn with the shaft (forces/internal.c) */
  PetscReal               velocity[3], displacement[3]; /* initial */
  PetscReal               angular_velocity[3];          /* initial, of rigid bodies, rad/s */
  /* beams and rotors */
  PetscReal     orientation[3]; /* local axis 2 lies in the plane of this and the axis; zero: chosen */
  NsBeamTheory  theory;
  PetscBool     planar;               /* in the x-y plane: axis 2 is too */
  PetscBool     is_rotor, gyroscopic; /* gyroscopic: of the shaft itself */
  const NsSpin *spin;                 /* NULL: no rotor */
  PetscReal     frame[3][3];          /* of a rotor: along the shaft, and the two lateral axes */
  /* given by matrices */
  PetscBool             damped_by_matrix, turns_by_matrix, circulates_by_matrix; /* C, G, N: forces -C v - G v - N q */
  const PetscBool      *absent;    /* [nodes * node_unknowns] DOF that it does not have: held; NULL: it has all */
  const NsMatrixBounds *bounds;    /* of all its matrices; NULL: it has elements */
  const PetscReal      *node_mass; /* [nodes * node_unknowns] kg: diagonal of its mass matrix */
  /* solids */
  const NsSolidTheory *solid; /* NULL: no solid */
  PetscInt             points;
  NsFeNamedPoint      *point; /* [points] */
};

/* A body type of the config that is made of finite elements: fills one NsFeBody and its elements' properties. */
typedef struct {
  const NsVariant            *variant;
  const NsElementType        *element;  /* NULL: the body has none (rigid), or it depends on the mesh: */
  const NsElementType *const *elements; /* all that `choose` may return, NULL-terminated; NULL: `element` */
  const NsElementType *(*choose)(const NsMesh *mesh);
  /* Mesh of the body, or NULL after an error in diag. */
  PetscErrorCode (*mesh)(const void *settings, NsFe *fe, NsMesh **mesh);
  /* body->mesh, element, first_node, first_element are set; its elements have their nodes and zeroed data of their own. Sets node_unknowns, direction, turns and the
     elements' data. */
  PetscErrorCode (*build)(const void *settings, NsFe *fe, NsFeBody *body);
  /* What else the body brings once its unknowns have numbers (a rigid body its inertia). NULL: nothing. */
  void (*attach)(const void *settings, NsFe *fe, NsFeBody *body);
} NsBodyType;

/* src/fe/model/bodies.c: meshes, nodes and elements of all bodies; then checks of their keys; then, once unknowns have numbers, what types attach. Errors in diag. */
PetscErrorCode NsFeBodies(NsFe *fe);
void           NsFeCheckBodies(NsFe *fe);
void           NsFeAttachBodies(NsFe *fe);

/* Whether products of x with other quantities stay finite; false for NaN. */
static inline PetscBool NsFeIsInRange(PetscReal x)
{
  return x == 0 || (PetscAbsReal(x) > 1e-60 && PetscAbsReal(x) < 1e30);
}
/* Whether its spin never changes; true for bodies that do not spin. */
static inline PetscBool NsFeSpeedIsConstant(const NsFeBody *body)
{
  return !body->is_rotor || NsSpinIsConstant(body->spin);
}
/* Largest coordinate of a body's nodes, m: what the rounding of lengths and axes goes by. */
static inline PetscReal NsFeExtent(const NsFeBody *body)
{
  PetscReal extent = 0;

  for (PetscInt i = 0; i < 3 * body->mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(body->mesh->x[i]));
  return extent;
}
/* Unknowns of an element of a body. */
static inline PetscInt NsFeElementSize(const NsFeBody *body)
{
  return body->element->nodes * body->node_unknowns;
}
/* Whether two elements of a body have the same matrices, but for directions that differ by up to `tolerance` (NsElementType.alike). */
#define NS_SAME_AXIS 1e-6 /* changes a frequency by 1e-12 of it */
static inline PetscBool NsFeAlike(const NsFeBody *body, const NsFeElement *a, const NsFeElement *b, PetscReal tolerance)
{
  return body->element->alike && body->element->alike(a, b, tolerance);
}
