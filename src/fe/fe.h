/*
  The finite-element model while it is built and while it runs.

  M q'' + C q' + K q = f(t, q, q') + W lambda.  Bodies add nodes, unknowns and elements; attachments (supports, springs, bearings, masses, discs, loads) and
  contact pairs refer to places on them; then the matrices are assembled once. Supported unknowns are left out of the equations, not penalised.

  A node has the unknowns of its body: displacements and rotations, each along a direction of the body's choice. Rotations are small, but for the twist of a
  rotor about its own axis, which may be any angle: nothing but forces that turn with the shaft depends on it.
*/
#pragma once
#include <petscmat.h>
#include "beam_matrices.h"
#include "contact/pair.h"
#include "core/timefunction.h"
#include "mesh/partition.h"
#include "percuss/exact_sum.h"
#include "percuss/layout.h"
#include "percuss/mesh.h"
#include "percuss/model.h"
#include "percuss/settings.h"
#include "section.h"
#include "sparse.h"

#define NS_NODE_UNKNOWNS    6                      /* most unknowns of a node */
#define NS_ELEMENT_UNKNOWNS (2 * NS_NODE_UNKNOWNS) /* most unknowns of an element */

typedef struct NsFe        NsFe;
typedef struct NsFeBody    NsFeBody;
typedef struct NsFeElement NsFeElement;

/* Element matrices are row-major [n, n] with n = 2 * node_unknowns of the body: first node's unknowns, then the second's. */
typedef struct {
  const char *name;
  void (*mass)(const NsFeBody *, const NsFeElement *, PetscReal *M);
  void (*stiffness)(const NsFeBody *, const NsFeElement *, PetscReal *K);
  /* Gyroscopic matrix for a spin of 1 rad/s: the force is -Omega G v. NULL: none. */
  void (*gyroscopic)(const NsFeBody *, const NsFeElement *, PetscReal *G);
  /* Highest eigenfrequency of the element alone (rad/s): by Irons and Treharne's theorem none of the assembly is above the largest of them. NULL: from its matrices. */
  PetscReal (*frequency)(const NsFeBody *, const NsFeElement *);
  /* Displacement move[n][3] and rotation turn[n][3], in space, of the point of the axis at this fraction of the length, for unit unknowns. */
  void (*shape)(const NsFeBody *, const NsFeElement *, PetscReal fraction, PetscReal (*move)[3], PetscReal (*turn)[3]);
  /* Elastic energy (J), to the digits of the strains also where the body has moved far. */
  PetscReal (*energy)(const NsFeBody *, const NsFeElement *, const PetscReal *q);
  /* Section forces at a fraction of the length, in the element's frame: normal force, shear 2, shear 3 (N), torque, bending moments about 2 and 3 (N m). */
  void (*forces)(const NsFeBody *, const NsFeElement *, const PetscReal *q, PetscReal fraction, PetscReal f[6]);
} NsElementType;

struct NsFeElement {
  PetscInt              body;
  PetscInt              node[2];     /* global node numbers */
  PetscReal             length;      /* m */
  PetscReal             axis[3];     /* unit vector from the first node to the second */
  const NsProperty     *property[2]; /* at its ends; the same unless tapered */
  const NsBeamMatrices *beam;        /* of beams: shared by all elements that are alike */
};

struct NsFeBody {
  const char          *name;
  const NsNode        *where;
  const NsMesh        *mesh;    /* not owned (arena) */
  const NsElementType *element; /* NULL: the body has none (rigid) */
  PetscInt             first_node, first_element, first_slot;
  PetscInt             part; /* of the model: bodies that springs join are in one */
  PetscInt             node_unknowns;
  PetscReal            direction[NS_NODE_UNKNOWNS][3]; /* of each unknown in space, unit vectors: displacement along it, */
  PetscBool            turns[NS_NODE_UNKNOWNS];        /* or rotation about it */
  PetscBool            lumped, weightless;
  PetscBool            redistributed;                   /* lumped, and nodes that contacts touch have no mass */
  PetscReal            damping_mass, damping_stiffness; /* Rayleigh: 1/s and s */
  PetscReal            damping_torsion;                 /* N m s: a dashpot between the twists of each element's ends */
  PetscReal            velocity[3], displacement[3];    /* initial */
  PetscReal            angular_velocity[3];             /* initial, of rigid bodies, rad/s */
  /* beams and rotors */
  PetscReal     orientation[3]; /* local axis 2 lies in the plane of this and the axis; zero: chosen */
  NsBeamTheory  theory;
  PetscBool     planar;               /* in the x-y plane: axis 2 is too */
  PetscBool     is_rotor, gyroscopic; /* gyroscopic: of the shaft itself */
  const NsSpin *spin;                 /* NULL: no rotor */
  PetscReal     frame[3][3];          /* of a rotor: along the shaft, and the two lateral axes */
};

/* Twist of a rotor at a place: its angle is that of the prescribed spin, plus a sum over unknowns where the spin is free. */
typedef struct {
  const NsSpin *spin; /* NULL: the place does not turn at all */
  PetscInt      entries, unknown[NS_POINT_UNKNOWNS];
  PetscReal     weight[NS_POINT_UNKNOWNS];
} NsFeTwist;

/* Of a rotor: its rate is the sum of weight[i] v[place[i]] over all processes. */
typedef struct {
  PetscInt   entries, *place; /* owned by this process */
  PetscReal *weight;
} NsFeMeanTwist;

/* A place on a body: a node, or a point within an element, and from there a rigid arm. */
typedef struct {
  PetscInt  body; /* -1: the ground */
  PetscInt  node; /* -1: within the element */
  PetscInt  element;
  PetscReal fraction;
  PetscReal arm[3]; /* m */
} NsFeSpot;

/* Force and moment f = K r + C r' on the motion r = (u_b - u_a, theta_b - theta_a) of two places, in space. */
typedef struct {
  const char      *name, *kind; /* "spring" or "bearing" */
  NsFeSpot         spot[2];     /* the second may be the ground */
  PetscReal        stiffness[36], damping[36];
  PetscBool        circulates; /* the stiffness is unsymmetric: its skew part feeds energy in or out */
  const NsNumbers *over_speed; /* [rows, 9] speed, kyy kyz kzy kzz, cyy cyz czy czz in the lateral axes of the rotor `body`; NULL: constant */
  PetscInt         body;
} NsFeSpring;

/* A rigid inertia carried by a place: point masses, discs, rigid bodies. */
typedef struct {
  const char *name;
  NsFeSpot    spot;
  PetscReal   mass;
  PetscReal   frame[3][3], inertia[3]; /* kg m^2 about these axes */
  PetscBool   gyroscopic;              /* of a rotor: frame[0] is its axis, inertia[0] the polar moment */
  NsFeSpot    spin_spot;               /* whose spin counts: its own, unless told otherwise */
  PetscReal   radius;                  /* to draw, m */
} NsFeInertia;

/* value[] * time(t) on unknown[] (already numbered, supports left out); those that turn with the shaft: time(t) (value[] cos psi + sine[] sin psi). */
typedef struct {
  const NsTimeFunction *time;
  PetscInt              entries;
  PetscInt              counted; /* the first so many are owned by this process, which books their power */
  PetscInt             *unknown;
  PetscReal            *value; /* N, N m */
  PetscReal            *sine;  /* NULL: does not turn */
  NsFeTwist             twist;
} NsFeLoad;

/* A mass m at the eccentricity e from the shaft's axis, at the angle `phase` from lateral axis 2 at t = 0: m e matters alone. */
typedef struct {
  NsFeSpot  spot;
  PetscReal moment, phase;    /* kg m, rad */
  PetscInt  entries, counted; /* as in NsFeLoad */
  PetscInt  unknown[NS_POINT_UNKNOWNS];
  PetscReal lateral[2][NS_POINT_UNKNOWNS]; /* of the displacements along lateral axes 2 and 3 */
  PetscReal gravity[2];                    /* m/s^2 along them */
  NsFeTwist twist;
} NsFeUnbalance;

/* A bearing whose stiffness and damping change with the speed while stepping. */
typedef struct {
  const NsNumbers *table; /* as in NsFeSpring */
  PetscInt         entries;
  PetscInt         unknown[2 * NS_POINT_UNKNOWNS];
  PetscReal        lateral[2][2 * NS_POINT_UNKNOWNS]; /* relative motion along the lateral axes */
  NsFeTwist        twist;
  PetscBool        counts; /* this process books its power */
} NsFeVarying;

/* Gyroscopic force -Omega G v on a few unknowns, where Omega changes while stepping. */
typedef struct {
  PetscInt   n;
  PetscInt  *unknown; /* [n], none of them supported */
  PetscReal *G;       /* [n, n] for 1 rad/s */
  NsFeTwist  twist;
} NsFeGyro;

/* What acts beside M, C and K. */
typedef struct {
  PetscInt       loads, gyros, varyings, unbalances;
  NsFeLoad      *load;
  NsFeGyro      *gyro;
  NsFeVarying   *varying;
  NsFeUnbalance *unbalance;
} NsFeForces;

/* The static problem of unknowns without mass. */
typedef struct NsFeMassless NsFeMassless;

/* What unbalances on rotors of free spin do to the mass matrix. */
typedef struct NsFeUnbalancedMass NsFeUnbalancedMass;

/* The free dynamics: everything that touches large matrices. */
typedef struct NsFreeDynamics NsFreeDynamics;

/* A ring to draw, carried by a point: outline of a disc or of a round housing. */
typedef struct {
  NsPoint   centre;
  PetscInt  body; /* whose it is; of a surface fixed in space: of what may touch it */
  PetscReal axis[3], radius;
} NsFeRing;

struct NsFe {
  NsArena            *arena; /* not owned */
  NsDiag             *diag;  /* not owned */
  const NsConfig     *config;
  MPI_Comm            comm; /* of the processes that share the model */
  int                 rank, ranks;
  int                *owner_of; /* [unknowns] natural number -> rank; NULL on one process */
  NsPartQuality       parting;  /* with several processes */
  PetscReal           gravity[3];
  PetscInt            bodies, nodes, elements, springs, inertias, rings;
  NsFeBody           *body;
  NsFeElement        *element;
  PetscReal          *x;         /* [nodes, 3] */
  PetscInt           *node_body; /* [nodes] */
  PetscInt           *unknown;   /* body after body, node after node (NsFeNodeUnknowns): number of the equation, -1: supported */
  PetscInt            slots, unknowns;
  PetscInt            rigids, *rigid;              /* bodies without elements */
  PetscReal          *mass_factor;                 /* [nodes] translations have so many times the mass of their elements; NULL: just that */
  PetscInt            massless, *massless_unknown; /* [massless] unknowns without mass, ascending */
  NsFeMassless       *statics;                     /* of these; NULL: there are none */
  NsFeSpring         *spring;
  NsFeInertia        *inertia;
  NsFeForces          forces; /* in natural numbers of unknowns, */
  NsFeForces          here;   /* and in places of this process (percuss/layout.h) */
  NsFeRing           *ring;
  PetscBool           circulates;  /* some bearing has an unsymmetric stiffness */
  PetscBool           fused;       /* forces from outside depend on time alone: a step of free flight needs no look at them in between */
  PetscBool           works;       /* some of them work, and are no part of an energy */
  PetscBool           mass_varies; /* an unbalance on a rotor whose spin is free */
  NsFeUnbalancedMass *unbalanced;  /* NULL unless mass_varies */
  PetscReal          *weight;      /* [local] gravity force, N; NULL: none */
  PetscReal          *outer;       /* [local] weight and what else acts from outside at present; NULL: nothing ever does */
  NsFreeDynamics     *free;
  PetscInt            pairs;
  NsPair            **pair;              /* [candidates] */
  PetscReal          *touch_q, *touch_v; /* [touches] values gathered for the pairs */
  NsRows              rows;              /* of all candidates at the start */
  NsRows              one;               /* scratch: of any single candidate */
  PetscBool          *row_stays;         /* [candidates] its rows never change: the normal is fixed, and nothing turns with a spin of its own */
  Vec                 work;              /* [local] */
  PetscInt            free_spins;
  NsFreeSpin         *free_spin; /* [free_spins] */
  NsFeMeanTwist      *free_mean; /* [free_spins] */
  Vec                 rest;      /* static solution the run starts from, in natural numbers; NULL: none */
};

/* A body type of the config that is made of finite elements: fills one NsFeBody and its elements' properties. */
typedef struct {
  const NsVariant *variant;
  /* Mesh of the body, or NULL after an error in diag. */
  PetscErrorCode (*mesh)(const void *settings, NsFe *fe, NsMesh **mesh);
  /* body->mesh, first_node, first_element are set and its nodes and elements (connection, length, axis) filled. */
  PetscErrorCode (*build)(const void *settings, NsFe *fe, NsFeBody *body);
  /* What else the body brings once its unknowns have numbers (a rigid body its inertia). NULL: nothing. */
  void (*attach)(const void *settings, NsFe *fe, NsFeBody *body);
} NsBodyType;

extern const NsVariant *const NsBodyVariants[];

/* Bodies, unknowns, attachments, contact pairs, matrices. *model is NULL after errors in the config. */
PetscErrorCode NsModelCreate_Fe(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **model);
/* Initial displacements of the bodies added to q[unknowns], and their velocities v[unknowns]. */
void NsFeInitialValues(const NsFe *fe, PetscReal *q, PetscReal *v);

/* src/fe/bodies.c. Meshes, nodes and elements of all bodies, and where their unknowns will be; then what their keys say, once they are there; then what types attach,
   once unknowns have numbers. Errors in diag. */
PetscErrorCode NsFeBodies(NsFe *fe);
void           NsFeCheckBodies(NsFe *fe);
void           NsFeAttachBodies(NsFe *fe);

/* src/fe/energy.c. Elastic energy of all elements, J; q[unknowns] in natural numbers. */
PetscReal NsFeElementEnergy(const NsFe *fe, const PetscReal *q);
/* Operations of percuss/model.h. */
PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy);
PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power);

/* Not so large or small that products of it leave the range of numbers, or of sense; false for what is no number. */
static inline PetscBool NsFeIsInRange(PetscReal x)
{
  return x == 0 || (PetscAbsReal(x) > 1e-60 && PetscAbsReal(x) < 1e30) ? PETSC_TRUE : PETSC_FALSE;
}
/* Spin that never changes; also of bodies that do not spin. */
static inline PetscBool NsFeSpeedIsConstant(const NsFeBody *body)
{
  return !body->is_rotor || NsSpinIsConstant(body->spin) ? PETSC_TRUE : PETSC_FALSE;
}
/* Numbers of the equations of a node's unknowns [body->node_unknowns]; -1: supported. */
static inline PetscInt *NsFeNodeUnknowns(const NsFe *fe, PetscInt node)
{
  const NsFeBody *body = &fe->body[fe->node_body[node]];

  return fe->unknown + body->first_slot + (node - body->first_node) * body->node_unknowns;
}
/* The element's unknowns' numbers, -1 for supported ones; returns how many there are. */
PetscInt NsFeElementUnknowns(const NsFe *fe, const NsFeElement *element, PetscInt *unknown);
/* Values of an element's unknowns; supported ones are 0. x is in natural numbers, or, with a layout, in its places. */
void NsFeElementValues(const NsFe *fe, const NsLayout *layout, const NsFeElement *element, const PetscScalar *x, PetscReal *values);

/* src/fe/names.c. The body of this name (of so many bytes); NULL after an error in diag at that place. */
const NsFeBody *NsFeFindBody(NsFe *fe, const char *name, size_t length, NsPlace place);
/* "bar.left" -> global nodes. NULL after an error in diag at that place. */
const PetscInt *NsFeFindNodes(NsFe *fe, const char *name, NsPlace place, PetscInt *count);
/* "bar.left", "shaft@0.3" (of its length), "shaft@180 mm", and "ground" where allow_ground. NULL after an error in diag at that place. arm: NULL for none. */
const NsFeSpot *NsFeFindSpots(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, PetscInt *count);
/* The same where exactly one is wanted; false after an error. */
PetscBool NsFeFindSpot(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, NsFeSpot *spot);
/* The unit direction along the body at a place, pointing out of it at its ends; false when the body has none there. */
PetscBool      NsFeAxis(const NsFe *fe, const NsFeSpot *spot, PetscReal axis[3]);
PetscErrorCode NsFeProbe(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size);
/* "body.set" for every named node set, NULL-terminated: what a probe, a load, a contact may name. */
const char *const *NsFePlaceNames(const NsFe *fe);
/* "body.node" of one node, or "body@place"; false: why says what is wrong with the name. */
PetscBool      NsFeLocate(NsFe *fe, const char *name, const double arm[3], NsFeSpot *spot, char *why, size_t size);
PetscErrorCode NsFeNameUnknown(NsModel *model, PetscInt unknown, char *text, size_t size);

/* src/fe/spot.c: where a place is and how it moves with the unknowns; the ground has none. */
void NsFeExpand(const NsFe *fe, const NsFeSpot *spot, NsPoint *point);
/* Twist of a rotor at a place: prescribed part and unknowns. */
void      NsFeMakeTwist(const NsFe *fe, const NsFeSpot *spot, NsFeTwist *twist);
PetscReal NsFeTwistAngle(const NsFeTwist *twist, PetscReal t, const PetscScalar *q);
PetscReal NsFeTwistRate(const NsFeTwist *twist, PetscReal t, const PetscScalar *v);

/* src/fe/beam_element.c: axes of a beam, 1 along it, 2 in the plane of it and the orientation (NULL or zero: chosen), 3 across. False where these are parallel. */
PetscBool NsBeamFrame(const PetscReal axis[3], const PetscReal *orientation, PetscReal frame[3][3]);
/* The same of an element. */
PetscBool NsFeBeamAxes(const NsFeBody *body, const NsFeElement *e, PetscReal frame[3][3]);

/* src/fe/supports.c: numbers the unknowns. */
void NsFeSupports(NsFe *fe);
/* src/fe/springs.c: springs and bearings; src/fe/masses.c: point masses and discs; src/fe/loads.c: loads and unbalances. */
void                 NsFeSprings(NsFe *fe);
void                 NsFeMasses(NsFe *fe);
void                 NsFeLoads(NsFe *fe);
extern const NsTable NsTable_Support, NsTable_Spring, NsTable_Bearing, NsTable_Mass, NsTable_Disc, NsTable_Load, NsTable_Unbalance;
/* Rows of the relative motion of a spring's places, [6] over the unknowns of both: [entries][6]. Returns entries; unknown and row hold NS_SPRING_ENTRIES. */
#define NS_SPRING_ENTRIES (2 * NS_POINT_UNKNOWNS)
PetscInt NsFeSpringRows(const NsFe *fe, const NsFeSpring *spring, PetscInt *unknown, PetscReal (*row)[6]);
/* Its matrices; a table over speed counts at speed[bodies] of its rotor, or, where that is NULL, if the rotor's spin is constant. */
void NsFeSpringMatrices(const NsFe *fe, const NsFeSpring *spring, const PetscReal *speed, PetscReal stiffness[36], PetscReal damping[36]);
/* Whether its stiffness is unsymmetric beyond the rounding of its axes. */
PetscBool NsFeSpringCirculates(const NsFe *fe, const NsFeSpring *spring, const PetscReal *speed);
/* 1/2 r' K r with the symmetric part of K; q as in NsFeElementValues. */
PetscReal NsFeSpringEnergy(const NsFe *fe, const NsLayout *layout, const NsFeSpring *spring, const PetscReal *speed, const PetscScalar *q);
/* Power of the skew part of the stiffness at velocity w, W. */
PetscReal NsFeSpringCirculation(const NsFe *fe, const NsLayout *layout, const NsFeSpring *spring, const PetscScalar *q, const PetscScalar *w);
/* Values of a table over speed: linear between rows, constant beyond. value[8] */
void NsFeOverSpeed(const NsNumbers *table, PetscReal speed, PetscReal value[8]);
/* The speed (rad/s, its size) up to which it goes. */
PetscReal NsFeOverSpeedEnd(const NsNumbers *table);

/* G[unknowns, unknowns] of a disc for 1 rad/s. */
void NsFeDiscGyroscopic(const NsFeInertia *disc, const NsPoint *point, PetscReal *G);
/* M[unknowns, unknowns] of an inertia. */
void NsFeInertiaMass(const NsFeInertia *inertia, const NsPoint *point, PetscReal *M);

/* src/fe/redistribution.c: fe->mass_factor and the list of massless unknowns, once unknowns have numbers and inertias are known. Errors in diag. */
PetscErrorCode NsFeRedistribute(NsFe *fe);
/* The element's mass matrix as the model has it: element->mass, with what redistribution makes of it. */
void                    NsFeElementMass(const NsFe *fe, const NsFeElement *e, PetscReal *M);
static inline PetscBool NsFeIsMassless(const NsFe *fe, PetscInt node)
{
  return fe->mass_factor && fe->mass_factor[node] == 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* src/fe/massless.c: the static problem of massless unknowns, in the order of fe->free->layout; one process. Errors in diag where it has no solution. */
PetscErrorCode NsFeMasslessCreate(NsFe *fe, NsModel *model, NsFeMassless **statics);
PetscErrorCode NsFeMasslessDestroy(NsFeMassless **statics);
/* A = damping C + stiffness K among these unknowns into a slot; where an operator is no longer massless, the slot is let go. */
PetscErrorCode NsFeMasslessFactor(NsFeMassless *statics, PetscInt slot, NsOperator op);
/* Whether the slot has such an operator. */
PetscBool NsFeMasslessHas(const NsFeMassless *statics, PetscInt slot);
/* x = A^-1 b among them, 0 elsewhere: [local] */
void NsFeMasslessSolve(NsFeMassless *statics, PetscInt slot, PetscInt local, const PetscReal *b, PetscReal *x);
/* model->stiffening, once there are contacts. */
PetscErrorCode NsFeMasslessStiffening(NsFe *fe, NsModel *model);
/* q += A^-1 (outer - K q - C v) of these unknowns. outer: NULL for zero. */
void NsFeMasslessSettle(NsFeMassless *statics, PetscInt slot, const PetscReal *outer, const PetscReal *v, PetscReal *q);

/* src/fe/processes.c: fe->owner_of, fe->parting. An error in diag where the model does not part. */
PetscErrorCode NsFeDistribute(NsFe *fe);
/* (all) Own unknowns in natural order, then ghosts; the identity on one process. */
PetscErrorCode NsFeLayoutOwnedFirst(const NsFe *fe, NsLayout **layout);
/* (all) Unknowns low .. low + n - 1: low + order[i] at place i; NULL: as they are. */
PetscErrorCode NsFeLayoutRange(const NsFe *fe, PetscInt low, PetscInt n, const PetscInt *order, NsLayout **layout);

/* src/fe/outer.c: h += loads and all that spins, at (t, q, v); arrays in the numbers that `forces` has. */
void NsFeOuterForce(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h);
/* A sum of powers: exact where the bits must not depend on the number of processes (NULL: not), for that costs half a microsecond a step. */
typedef struct {
  PetscReal   plain;
  NsExactSum *exact;
} NsFePower;
static inline void NsFeAddPower(NsFePower *sum, PetscReal power)
{
  if (sum->exact)
    NsExactSumAdd(sum->exact, 1, &power);
  else
    sum->plain += power;
}
/* Power at velocity w of all of them that are no part of an energy, added to sums over what this process counts. */
void NsFeOuterPower(
  const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w, NsFePower *load, NsFePower *damping);
/* When and how fast they change by themselves; *times comes in with what is known so far. */
void NsFeOuterTimes(const NsFeForces *forces, PetscReal t, const PetscScalar *v, NsTimes *times);
/* fe->here, fe->weight and fe->outer, once the layout is known. */
PetscErrorCode NsFeOuterPlace(NsFe *fe, const NsLayout *layout);

/* Loads of a linear model apart in time and space, as NsModelOps has them. */
PetscErrorCode NsFeLoadShapes(NsModel *model, PetscInt *count, Vec **shape);
PetscErrorCode NsFeLoadSizes(NsModel *model, PetscReal t, PetscReal *size);

/* src/fe/basis.c */
PetscErrorCode NsFeModes(NsModel *model, PetscInt wanted, NsModelModes *modes);

/* src/fe/spinning.c: forces that depend on the spin: gyroscopic, bearings over speed, unbalance. Lists are made once the unknowns have numbers. */
void NsFeSpinning(NsFe *fe);
void NsFeSpinningForce(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h);
/* Power at velocity w of those of these forces that are no part of an energy: dampers of bearings, and what feeds energy in. */
void NsFeSpinningPower(
  const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w, NsFePower *load, NsFePower *damping);
/* Force of an unbalance along the lateral axes of its rotor, without what the mass matrix has of it, and the torque of its weight. */
void NsFeUnbalanceForce(const NsFeUnbalance *unbalance, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscReal f[2], PetscReal *torque);
/* Of the weight of unbalances where the spin is free, J. */
PetscReal NsFeSpinningPotential(const NsFeForces *forces, PetscReal t, const PetscScalar *q);

/* src/fe/free_spin.c: rotors whose spin is free, once the mass matrix is there; and their speeds. */
PetscErrorCode NsFeFreeSpinsCreate(NsFe *fe, NsModel *model);
PetscErrorCode NsFeFreeSpins(NsModel *model, Vec v, PetscInt *count, const NsFreeSpin **spins);

/* src/fe/unbalanced_mass.c: M(q) where unbalances turn with an unknown angle. */
PetscErrorCode NsFeUnbalancedMassCreate(NsFe *fe, NsFeUnbalancedMass **mass);
/* An error in diag where an unbalance is beyond its rotor: M(q) would not be positive definite. */
PetscErrorCode NsFeUnbalancedMassCheck(NsFe *fe, NsFeUnbalancedMass *mass);
PetscErrorCode NsFeUnbalancedMassDestroy(NsFeUnbalancedMass **mass);
/* y += (M(q) - M) x */
PetscErrorCode NsFeUnbalancedMassMult(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *x, PetscScalar *y);
/* y += (dM/dt along v) v */
PetscErrorCode NsFeUnbalancedMassRate(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *y);
/* After NsFreeDynamicsFactor of the same slot and operator. */
PetscErrorCode NsFeUnbalancedMassFactor(const NsFe *fe, NsFeUnbalancedMass *mass, PetscInt slot, PetscReal t, Vec q, NsOperator op);
/* After NsFreeDynamicsSolve: x = A^-1 b becomes (A + op.mass (M(q) - M))^-1 b. */
PetscErrorCode NsFeUnbalancedMassCorrect(const NsFe *fe, NsFeUnbalancedMass *mass, PetscInt slot, Vec x);
/* C[touches, touches] of (A + op.mass (M(q) - M))^-1; solves nothing after the first call. */
PetscErrorCode NsFeUnbalancedMassCompliance(const NsModel *model, NsFeUnbalancedMass *mass, PetscInt slot, PetscReal *C);

/* src/fe/station.c */
PetscErrorCode NsFeStation(NsModel *model, const NsStationSettings *settings, NsStation *station, PetscBool *found, char *why, size_t size);
PetscErrorCode NsFeStationSpin(NsModel *model, PetscReal t, const NsStation *station, PetscReal *angle, PetscReal *rate);

/* src/fe/statics.c: fe->rest. An error in diag where something can move freely. */
PetscErrorCode NsFeStatics(NsFe *fe, NsModel *model);
/* A warning where axial forces make bodies buckle. */
PetscErrorCode NsFeCheckBuckling(NsFe *fe, NsModel *model);

/* src/fe/contacts.c: the candidates of the config as pairs, and the touch list. */
PetscErrorCode NsFeContacts(NsFe *fe, NsModel *model);

/* src/fe/scene.c: what is drawn. */
void           NsFeScene(NsFe *fe, NsModel *model);
PetscErrorCode NsModelFields_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsFields *fields);

/* src/fe/bounds.c, frequency.c */
/* body->part of all bodies, those that springs join in one; returns how many. */
PetscInt       NsFeParts(NsFe *fe);
PetscErrorCode NsFeFrequencyBound(NsModel *model, PetscInt part, NsBound *omega, NsBound *damping_rate);
PetscErrorCode NsFeGyroscopicModes(NsModel *model, PetscInt part, PetscInt *count, NsStabilityMode *modes);
PetscErrorCode NsFeHighestMode(NsModel *model, PetscInt part, PetscReal *omega, PetscReal *damping_rate);

/* src/fe/assembly.c. C: dampers (symmetric), no rows where there is no damping; G: gyroscopic terms and the skew parts of bearings' damping, no rows where there
   is none. M is within the pattern of the others, which have the same one. */
typedef struct {
  NsSparse  M, C, G, K;
  PetscBool diagonal, symmetric; /* M, K is */
  PetscBool damped, skew;        /* there are C, G */
} NsFeMatrices;
/* speed[bodies] (rad/s): that of each rotor; NULL: rotors of constant spin have their own, and what depends on the speed of others is left out. Rows of those
   unknowns that are mine[unknowns]; NULL: all. mass_alone: what is told of the others is told, but they have no rows. */
PetscErrorCode NsFeAssembleRows(const NsFe *fe, const PetscReal *speed, const PetscBool *mine, PetscBool mass_alone, NsFeMatrices *matrices);
/* Whether M is diagonal; the nodes that a spring joins, one or two for each of its places. */
PetscBool NsFeMassIsDiagonal(const NsFe *fe);
PetscInt  NsFeSpringNodes(const NsFe *fe, const NsFeSpring *spring, PetscInt node[4]);
/* All rows as PETSc's matrices; NULL where there are none. */
PetscErrorCode NsFeAssemble(const NsFe *fe, const PetscReal *speed, Mat *M, Mat *C, Mat *G, Mat *K);
/* Gravity force M g, weight[unknowns] in N. */
void NsFeWeight(const NsFe *fe, PetscReal *weight);

/* src/fe/free.c: the matrices and the back end that works with them. */
PetscErrorCode NsFreeDynamicsCreate(NsFe *fe, NsFreeDynamics **free);
PetscErrorCode NsFreeDynamicsDestroy(NsFreeDynamics **free);
/* Factors A = m M + c C + k K into a slot, unless it is there. The rest is free->type's own (src/fe/free.h). */
PetscErrorCode NsFreeDynamicsFactor(NsFreeDynamics *free, PetscInt slot, NsOperator op);
/* x = A^-1 b of a slot; two vectors. */
PetscErrorCode NsFreeDynamicsSolve(NsFreeDynamics *free, PetscInt slot, Vec b, Vec x);

/* A body that spins. Points first_point ... of the model's scene are its shaft's nodes; not owned by the caller. */
typedef struct {
  const char *name;
  PetscReal   axis[3]; /* unit vector, axis 1: positive spin is right-handed about it */
  PetscInt    first_point, points;
  PetscReal   lateral[2][3]; /* axes 2 and 3 */
  const char *manner;        /* "constant ", "free, from ", "over time, from ": what stands before its speed */
  PetscReal   speed;         /* at the start, rad/s, about axis 1 */
  PetscReal   highest;       /* |speed| of a table, rad/s; else 0 */
  PetscReal   ratio;         /* of its speed to that of the first rotor */
} NsFeRotor;

/* src/fe/operators.c: the model as eigenvalue and frequency analyses want it, linear about its reference state. */
/* Whether a model is made of finite elements; the functions below want one that is. */
PetscBool NsModelIsFe(const NsModel *model);
/* M, C, K of the model with the first rotor turning at `speed` (rad/s) and others at their ratio to it: C holds gyroscopic terms, K and C those of bearings tabulated over speed; both
   may be unsymmetric. New AIJ matrices, the caller destroys them. *C is NULL when there is none. */
PetscErrorCode NsFeOperators(NsModel *model, PetscReal speed, Mat *M, Mat *C, Mat *K);
/* Unbalance per Omega^2: force f(t) = Omega^2 (re cos(Omega t) - im sin(Omega t)); both zero where there is none. Of rotors
   that turn as fast as the first one. */
PetscErrorCode NsFeUnbalanceVectors(NsModel *model, Vec re, Vec im);
/* Their number. */
PetscInt NsFeRotors(NsModel *model, const NsFeRotor **rotors);
