/*
  The finite-element model while it is built and while it runs.

  M q'' + C q' + K q = f(t) + W lambda.  Bodies add nodes, unknowns and elements; attachments (supports, springs, masses, loads) and
  contact pairs refer to named nodes; then the matrices are assembled once. Supported unknowns are left out of the equations, not penalised.
*/
#pragma once
#include <petscmat.h>
#include "contact/pair.h"
#include "core/timefunction.h"
#include "percuss/mesh.h"
#include "percuss/model.h"
#include "percuss/settings.h"
#include "section.h"

#define NS_NODE_UNKNOWNS    3                      /* most unknowns of a node */
#define NS_ELEMENT_UNKNOWNS (2 * NS_NODE_UNKNOWNS) /* most unknowns of an element */

typedef struct NsFe        NsFe;
typedef struct NsFeElement NsFeElement;

/* Element matrices are row-major [n, n] with n = 2 * node_unknowns of the body: first node's unknowns, then the second's. */
typedef struct {
  const char *name;
  void (*mass)(const NsFeElement *, PetscInt node_unknowns, PetscBool lumped, PetscReal *M);
  void (*stiffness)(const NsFeElement *, PetscInt node_unknowns, PetscReal *K);
  /* Highest eigenfrequency of the element alone (rad/s): by Irons and Treharne's theorem none of the assembly is above the largest of them. */
  PetscReal (*frequency)(const NsFeElement *, PetscBool lumped);
  /* Normal force (N) for the element's displacements. */
  PetscReal (*normal_force)(const NsFeElement *, PetscInt node_unknowns, const PetscReal *q);
} NsElementType;

struct NsFeElement {
  PetscInt  body;
  PetscInt  node[2];   /* global node numbers */
  PetscReal length;    /* m */
  PetscReal cosine[3]; /* of the element's axis with the unknowns of its nodes */
  PetscReal area, density, young, radius;
};

typedef struct {
  const char          *name;
  const NsNode        *where;
  const NsMesh        *mesh; /* not owned (arena) */
  const NsElementType *element;
  PetscInt             first_node, first_element;
  PetscInt             node_unknowns;
  PetscReal            direction[NS_NODE_UNKNOWNS][3]; /* of each unknown in space, unit vectors */
  PetscBool            lumped;
  PetscReal            damping_mass, damping_stiffness; /* Rayleigh: 1/s and s */
  PetscReal            velocity[3], displacement[3];    /* initial */
} NsFeBody;

/* k (u_b - u_a) along a direction; node[1] < 0 is the ground. */
typedef struct {
  const char *name;
  PetscInt    node[2];
  PetscReal   direction[3];
  PetscReal   stiffness, damping; /* N/m, N s/m */
} NsFeSpring;

typedef struct {
  PetscInt  node;
  PetscReal mass;
} NsFeMass;

/* value[] * time(t) on unknown[] (already numbered, supports left out). */
typedef struct {
  const NsTimeFunction *time;
  PetscInt              entries;
  PetscInt             *unknown;
  PetscReal            *value; /* N */
} NsFeLoad;

/* The free dynamics: everything that touches large matrices. One today (src/fe/petsc.c). */
typedef struct NsFreeDynamics NsFreeDynamics;

struct NsFe {
  NsArena        *arena; /* not owned */
  NsDiag         *diag;  /* not owned */
  const NsConfig *config;
  PetscReal       gravity[3];
  PetscInt        bodies, nodes, elements, springs, masses, loads;
  NsFeBody       *body;
  NsFeElement    *element;
  PetscReal      *x;         /* [nodes, 3] */
  PetscInt       *node_body; /* [nodes] */
  PetscInt       *unknown;   /* [nodes, NS_NODE_UNKNOWNS]: number of the equation, -1: supported or absent */
  PetscInt        unknowns;
  NsFeSpring     *spring;
  NsFeMass       *mass;
  NsFeLoad       *load;
  Vec             weight; /* gravity force M g, N */
  PetscBool       has_weight;
  NsFreeDynamics *free;
  PetscInt        pairs;
  NsPair        **pair;              /* [candidates] */
  PetscReal      *touch_q, *touch_v; /* [touches] values gathered for the pairs */
  Vec             work;
};

/* A body type of the config that is made of finite elements: fills one NsFeBody and its elements' properties. */
typedef struct {
  const NsVariant *variant;
  /* Mesh of the body, or NULL after an error in diag. */
  PetscErrorCode (*mesh)(const void *settings, NsFe *fe, NsMesh **mesh);
  /* body->mesh, first_node, first_element are set and its nodes and elements (connection, length) filled. */
  PetscErrorCode (*build)(const void *settings, NsFe *fe, NsFeBody *body);
} NsBodyType;

extern const NsBodyType *const NsBodyTypes[];
extern const NsVariant *const  NsBodyVariants[];
extern const NsVariant         NsBodyVariant_Bar, NsBodyVariant_Truss;

/* Bodies, unknowns, attachments, contact pairs, matrices. *model is NULL after errors in the config. */
PetscErrorCode NsModelCreate_Fe(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **model);
/* Initial displacement and velocity of the bodies, q[unknowns] and v[unknowns]. */
void NsFeInitialValues(const NsFe *fe, PetscReal *q, PetscReal *v);

/* The body of this name (of so many bytes); NULL after an error in diag at that place. */
const NsFeBody *NsFeFindBody(NsFe *fe, const char *name, size_t length, NsPlace place);
/* "bar.left" -> global nodes. NULL after an error in diag at that place. Also "ground" when allow_ground (then *count is 0). */
const PetscInt *NsFeFindNodes(NsFe *fe, const char *name, NsPlace place, PetscBool allow_ground, PetscInt *count);
/* The same where exactly one node is wanted; false after an error. Ground gives -1. */
PetscBool NsFeFindNode(NsFe *fe, const char *name, NsPlace place, PetscBool allow_ground, PetscInt *node);
/* The unit direction along the chain at a node, pointing out of the body at its ends; false when the body has none there. */
PetscBool      NsFeAxis(const NsFe *fe, PetscInt node, PetscReal axis[3]);
PetscErrorCode NsFeProbe(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size);
PetscErrorCode NsFeNameUnknown(NsModel *model, PetscInt unknown, char *text, size_t size);

/* src/fe/attach.c: numbers the unknowns (supports) and reads springs, masses, loads. */
extern const NsTable NsTable_Support, NsTable_Spring, NsTable_Mass, NsTable_Load;
void                 NsFeSupports(NsFe *fe);
void                 NsFeAttachments(NsFe *fe);

/* src/fe/contacts.c: the candidates of the config as pairs, and the touch list. */
PetscErrorCode NsFeContacts(NsFe *fe, NsModel *model);

/* src/fe/frequency.c */
PetscErrorCode NsFeFrequencyBound(NsModel *model, NsBound *omega, NsBound *damping_rate);
PetscErrorCode NsFeHighestMode(NsModel *model, PetscReal *omega, PetscReal *damping_rate);

/* src/fe/assembly.c: exact preallocation from the nodes' neighbours, then values. *C is NULL where there is no damping. */
PetscErrorCode NsFeAssemble(NsFe *fe, Mat *M, Mat *C, Mat *K, Vec *weight);
/* The element's unknowns' numbers, -1 for supported ones; returns how many there are. */
PetscInt NsFeElementUnknowns(const NsFe *fe, const NsFeElement *element, PetscInt *unknown);

/* src/fe/petsc.c: M, C, K as AIJ matrices and a KSP for each slot, set up from the options database. */
PetscErrorCode NsFreeDynamicsCreate(NsFe *fe, NsFreeDynamics **free);
PetscErrorCode NsFreeDynamicsDestroy(NsFreeDynamics **free);
/* h -= K q + C v */
PetscErrorCode NsFreeDynamicsForce(NsFreeDynamics *free, Vec q, Vec v, Vec h);
PetscErrorCode NsFreeDynamicsMult(NsFreeDynamics *free, Vec x, Vec y);
PetscErrorCode NsFreeDynamicsFactor(NsFreeDynamics *free, PetscInt slot, NsOperator op);
PetscErrorCode NsFreeDynamicsSolve(NsFreeDynamics *free, PetscInt slot, Vec b, Vec x);
/* 1/2 v' M v */
PetscErrorCode NsFreeDynamicsKinetic(NsFreeDynamics *free, Vec v, PetscReal *kinetic);
/* w' C v; 0 without damping. */
PetscErrorCode NsFreeDynamicsDamping(NsFreeDynamics *free, Vec v, Vec w, PetscReal *power);
PetscBool      NsFreeDynamicsIsDamped(const NsFreeDynamics *free);
PetscErrorCode NsFreeDynamicsMatrices(NsFreeDynamics *free, Mat *M, Mat *C, Mat *K);

/* A body that spins. Points first_point ... of the model's scene are its shaft's nodes; not owned by the caller. */
typedef struct {
  const char *name;
  PetscReal   axis[3]; /* unit vector; positive spin is right-handed about it */
  PetscInt    first_point, points;
  PetscReal   speed; /* at the start, rad/s */
} NsFeRotor;

/* src/fe/operators.c: the model as eigenvalue and frequency analyses want it, linear about its reference state. */
/* Whether a model is made of finite elements; the functions below want one that is. */
PetscBool NsModelIsFe(const NsModel *model);
/* M, C, K of the model with all rotors turning at `speed` (rad/s): C holds gyroscopic terms, K and C those of bearings tabulated over speed; both
   may be unsymmetric. New AIJ matrices, the caller destroys them. *C is NULL when there is none. */
PetscErrorCode NsFeOperators(NsModel *model, PetscReal speed, Mat *M, Mat *C, Mat *K);
/* Unbalance per Omega^2: force f(t) = Omega^2 (re cos(Omega t) - im sin(Omega t)); both zero where there is none. */
PetscErrorCode NsFeUnbalance(NsModel *model, Vec re, Vec im);
/* Their number. */
PetscInt NsFeRotors(NsModel *model, const NsFeRotor **rotors);
