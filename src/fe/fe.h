/*
  Models made of finite elements, for other rooms: creation from a config, and what analyses in the frequency domain need.
*/
#pragma once
#include <petscmat.h>
#include "percuss/keys.h"
#include "percuss/model.h"
#include "percuss/settings.h"

/* Keys of what is attached to bodies, and the places of its lists in NsConfig: forces[NS_FORCE_Spring], attachments[NS_ATTACHMENT_Mass]. */
#define NS_FORCE(Name, key, help, example)      NS_FORCE_##Name,
#define NS_ATTACHMENT(Name, key, help, example) NS_ATTACHMENT_##Name,
enum {
#include "fe/forces/list.h"
  NS_FORCES
};
enum {
#include "fe/attach/list.h"
  NS_ATTACHMENTS
};
#undef NS_FORCE
#undef NS_ATTACHMENT
_Static_assert(NS_FORCES <= NS_CONFIG_KINDS && NS_ATTACHMENTS <= NS_CONFIG_KINDS, "NS_CONFIG_KINDS is too small");
#define NS_FORCE(Name, key, help, example)      extern const NsTable NsTable_##Name;
#define NS_ATTACHMENT(Name, key, help, example) extern const NsTable NsTable_##Name;
#include "fe/forces/list.h"
#include "fe/attach/list.h"
#undef NS_FORCE
#undef NS_ATTACHMENT
extern const NsTable NsTable_Support, NsTable_Tie, NsTable_Link;

/* Bodies, unknowns, attachments, contact pairs, matrices. *model is NULL after errors in the config. The arena lives as long as the model. */
PetscErrorCode NsModelCreate_Fe(const NsConfig *config, NsModelNeeds needs, NsArena *arena, NsDiag *diag, NsModel **model);
/* Elements that generated meshes will have, and about what building them takes: s, and bytes of memory. Of a config that has been read. */
double NsFeForesee(const NsConfig *config, NsArena *arena, double *seconds, double *bytes);
/* Words of the key `free_dynamics`: "auto", then the back ends; ends with NULL. */
extern const char *const NsBackEndNames[];
/* Whether a model is made of finite elements, as the functions below require. */
PetscBool NsModelIsFe(const NsModel *model);

/* A body that spins. Points first_point ... of the model's scene are its shaft's nodes; not owned by the caller. */
typedef struct {
  const char *name;
  PetscReal   axis[3]; /* unit vector, axis 1: positive spin is right-handed about it */
  PetscInt    first_point, points;
  PetscReal   lateral[2][3]; /* axes 2 and 3 */
  const char *manner;        /* "constant ", "free, from ", "over time, from ": text before its speed */
  PetscReal   speed;         /* at the start, rad/s, about axis 1 */
  PetscReal   highest;       /* |speed| of a table, rad/s; else 0 */
  PetscReal   ratio;         /* of its speed to that of the first rotor */
  PetscBool   constant;      /* its spin is prescribed and does not change */
} NsFeRotor;

/* M, C, K of the model with the first rotor turning at `speed` (rad/s) and others at their ratio to it: C holds gyroscopic terms, K and C those of bearings tabulated over speed; both
   may be unsymmetric. Nonlinear springs and bearings are linearised about the static equilibrium at that speed, or about r = 0 if there is no equilibrium. New AIJ matrices, which the caller destroys. *C is NULL without damping and gyroscopic terms. */
PetscErrorCode NsFeOperators(NsModel *model, PetscReal speed, Mat *M, Mat *C, Mat *K);
/* A force element whose table over the speed does not reach a speed of an analysis, rad/s. */
typedef struct {
  const char *kind, *name;
  PetscReal   speed, end;
  PetscBool   begins; /* the speed is below its first row, not beyond its last one */
} NsFeTableEnd;
/* src/fe/model/free_spin.c: the next of them, from *next = 0 on, where the first rotor turns at speeds between `from` and `to`; false: there are no more. */
PetscBool NsFeNextBeyondTable(NsModel *model, PetscReal from, PetscReal to, PetscInt *next, NsFeTableEnd *found);
/* Unbalance per Omega^2: force f(t) = Omega^2 (re cos(Omega t) - im sin(Omega t)); both zero without unbalance. Of rotors
   whose speed Omega is `ratio` times that of the first one. */
PetscErrorCode NsFeUnbalanceVectors(NsModel *model, PetscReal ratio, Vec re, Vec im);
/* The different ratios of all unbalances that act at the start, ratio[unbalances of the config]; returns how many. Without rotors they are over the speed of the first unbalance. */
PetscInt NsFeUnbalanceRatios(NsModel *model, PetscReal *ratio);
/* The first unbalance of the config, beside rotors, that acts at the start and whose own spin changes over time; -1: none. */
PetscInt NsFeUnbalanceOverTime(NsModel *model);
/* All rotors, in the order of the config; returns their number. */
PetscInt NsFeRotors(NsModel *model, const NsFeRotor **rotors);
/* Motions that no stiffness resists, of linear models on one process without free spins: text names the unknown that moves most; "" without such a motion, or where it is unknown. A warning in diag
   where a truss is a mechanism. One factorization of the model and of each truss. */
PetscErrorCode NsFeLooseMotions(NsModel *model, char *text, size_t size);

/* A solid body or one given by matrices (its elements are couplings of nodes), for the reader to see wrong units: its elements, the sides of the box around it (m), its mass (kg; axisymmetric: of the whole ring). */
typedef struct {
  const char *name, *element;
  PetscInt    elements, nodes;
  PetscBool   by_matrices;
  PetscReal   size[3], mass;
} NsFeSolid;
/* The first solid from body number *next on, which becomes that of the body after it; false: there is none. */
PetscBool NsFeNextSolid(NsModel *model, PetscInt *next, NsFeSolid *solid);
/* Whether NsModelAnalysis.highest_mode takes no factorization, but as long as some 130 explicit steps: solids of many DOF with a diagonal mass matrix. It is then at most 1 % above the highest frequency. */
PetscBool NsFeHighestIsQuick(const NsModel *model);
/* Whether it has contacts beside ties, which modes and responses leave out. */
PetscBool NsFeHasContacts(const NsModel *model);
/* Number of equations of ties, links and supports with `until`: as many modes, the highest ones, are those of their stiff springs. */
PetscInt NsFeTies(const NsModel *model);
/* A model with the key `reduce`, and how it compares with the whole one. */
typedef struct {
  const char *method;
  PetscInt    whole, boundary, modes; /* DOF of the whole model; of contacts and bodies that are not reduced; modal coordinates */
  PetscBool   kept;                   /* there are bodies that are not reduced */
  PetscReal   end, next;              /* Hz: the highest mode; the first one that is left out, 0: none is */
  const char *cache;                  /* the file that it was read from (core/cache.h); NULL: it was computed */
  PetscReal   neglected;              /* the largest part of the static compliance of a load that is left out */
  PetscBool   held;                   /* the frequencies that are compared are those with the boundary held; else free */
  PetscInt    compared;               /* of vibrations up to half of `end`; */
  PetscReal   dynamic;                /* the largest error, relative to the whole model's frequency */
} NsFeReduction;
PetscBool NsModelIsReduced(const NsModel *model);
/* frequencies: they are compared, which takes as long as the modes. */
PetscErrorCode NsFeReductionFind(NsModel *model, PetscBool frequencies, NsFeReduction *reduction);

/* A mark for a support, load, spring etc. in the picture of a finite-element model, whole or reduced. x: its point; `to`: the force of a load, or the second point of a force element. */
typedef enum { NS_FE_MARK_SUPPORT, NS_FE_MARK_LOAD, NS_FE_MARK_FORCE, NS_FE_MARK_GROUNDED, NS_FE_MARK_INERTIA, NS_FE_MARKS } NsFeMarkKind;
typedef struct {
  NsFeMarkKind kind;
  PetscReal    x[3], to[3];
} NsFeMark;
/* marks NULL: only counts. */
PetscErrorCode NsFeMarks(const NsModel *model, NsFeMark *marks, PetscInt *count);

/* The named groups of the bodies' meshes, one after the other from *next = 0 on: nodes, and elements of the body, of this dimension, or sides of elements on its surface; false: there are no more. */
typedef struct {
  const char *body, *name;
  PetscInt    nodes, elements, sides, dimension;
} NsFeGroup;
PetscBool NsFeNextGroup(const NsModel *model, PetscInt *next, NsFeGroup *group);

/* How two surfaces of solids touch, in a line for the user: of contact number *next of them, which becomes the next; false: there is none. */
PetscBool NsFeNextSurfaces(NsModel *model, PetscInt *next, char *text, size_t size);

/* src/fe/model/named_dofs.c. Of each equation: its node, 1 to 6 for displacements along and rotations about x, y, z, and 1 or -1 where it is the opposite one. dof[unknowns]; false: a DOF of *body has
   another direction. */
typedef struct {
  PetscInt node;
  int      direction, sign;
} NsFeDof;
PetscBool NsFeListDofs(NsModel *model, NsFeDof *dof, const char **body);
/* Number of nodes, and their coordinates x[nodes, 3]. */
PetscInt NsFeNodes(NsModel *model, const PetscReal **x);
/* Named sets of all bodies; sets may be NULL. Returns their number. */
typedef struct {
  const char     *body, *name; /* body: NULL where there is only one */
  PetscInt        first, count;
  const PetscInt *item; /* [count] nodes, from `first` on */
} NsFeNodeSet;
PetscInt NsFeNodeSets(NsModel *model, NsFeNodeSet *sets);

/* ---- the static solution: of models whose config starts with it (NS_START_STATIC, NS_START_STATIC_FRICTION), on one process; all lists are in the model's arena ------------------------------- */

/* src/fe/model/reactions.c: of all supports and force elements at the displacements q[unknowns]; loads at t = 0, without unbalances. Force and moment on the body in space, N and N m: of a support about
   the middle x of its nodes, of a force element at its point x on the first body. */
typedef struct {
  const char *kind, *name;
  PetscBool   ground; /* from the ground, not from another body */
  PetscReal   x[3], force[3], moment[3];
} NsFeStaticReaction;
PetscErrorCode NsFeStaticReactions(NsModel *model, const PetscReal *q, PetscInt *count, NsFeStaticReaction **list);

/* src/fe/model/static_results.c: points along bodies of lines, five for each element, whose ends come twice: displacement u, rotation, and section forces with the loads within the element. */
typedef struct {
  const char *body;
  PetscReal   along, x[3], u[3], turn[3];                /* m along the body, NaN where it is no single line; m; m; rad */
  PetscReal   normal_force, shear[2], torque, moment[2]; /* N, N m; NaN: the element has none */
} NsFeStaticSection;
PetscErrorCode NsFeStaticSections(NsModel *model, const PetscReal *q, PetscInt *count, NsFeStaticSection **list);
/* Of each body the node that moves most. */
typedef struct {
  const char *body;
  PetscReal   x[3], u[3];
} NsFeDeflection;
PetscErrorCode NsFeDeflections(NsModel *model, const PetscReal *q, PetscInt *count, NsFeDeflection **list);
/* Contact forces force[candidates][3] (normal, tangents), N; NULL: there are no contacts. */
const PetscReal (*NsFeStaticForces(NsModel *model))[3];
