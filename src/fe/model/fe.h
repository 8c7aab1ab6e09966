/*
  The finite-element model while it is built and while it runs.

  M q'' + C q' + K q = f(t, q, q') + W lambda.  Bodies add nodes, unknowns and elements; attachments (supports, springs, bearings, masses, discs, loads) and
  contact pairs refer to points on them; then the matrices are assembled once. Supported unknowns are left out of the equations, not penalised.

  A node has the unknowns of its body: displacements along and rotations about directions that its type chooses. Rotations are small, except for the twist of a
  rotor about its own axis: only forces that rotate with the shaft depend on it.

  This header is private to src/fe; other rooms use fe/fe.h.
*/
#pragma once
#include "assembly.h"
#include "balls.h"
#include "fe/attach/attach.h"
#include "fe/bodies/body.h"
#include "fe/elements/element.h"
#include "fe/fe.h"
#include "fe/forces/force.h"
#include "low_rank.h"
#include "massless.h"
#include "moving.h"
#include "mesh/partition.h"
#include "outer.h"
#include "point.h"
#include "section_loads.h"
#include "sparse.h"
#include "unbalanced_mass.h"

/* Of a rotor: its rate is the sum of weight[i] v[index[i]] over all processes. */
typedef struct {
  PetscInt   entries, *index; /* owned by this process */
  PetscReal *weight;
} NsFeMeanTwist;

/* What works with the large matrices (src/fe/backend/backend.h). */
typedef struct NsBackEnd NsBackEnd;

/* The points of a contact, as its pairs keep them. */
typedef struct NsFePairPoints NsFePairPoints;
struct NsFePairPoints {
  PetscInt        count;
  NsPairPoint    *point; /* [count] */
  NsFePairPoints *next;
};

typedef struct NsFeSurfaceContact NsFeSurfaceContact; /* src/fe/surface/contact.h */
typedef struct NsFeReactions      NsFeReactions;      /* src/fe/model/reactions.c */
typedef struct NsFeSliding        NsFeSliding;        /* src/fe/surface/sliding.h */
typedef struct NsFeLine           NsFeLine;           /* src/fe/surface/lines.h */
typedef struct NsFeShares         NsFeShares;         /* src/fe/model/shares.c */

/* A ring to draw, carried by a point: outline of a disc or of a round housing. */
typedef struct {
  NsPoint                centre;
  PetscInt               body; /* the body that carries it; for a surface fixed in space, the body that may touch it */
  PetscReal              axis[3], radius;
  const NsSurfaceMotion *moving; /* of a surface that no body carries; NULL: none */
} NsFeRing;

/* Rows that never change (the normal is fixed, and nothing turns with a spin of its own), made when they are first asked for: of a million candidates few are ever near. */
typedef struct {
  PetscInt  *row;     /* [candidates + 1] first row of each among those of all */
  PetscBool *stays;   /* [candidates] its rows are of this kind */
  PetscInt   most;    /* entries of a row */
  PetscInt  *entries; /* [rows] and 1; 0: not made yet */
  PetscReal *drive;   /* [rows] */
  PetscInt  *touch;   /* [rows, most] */
  PetscReal *value;   /* [rows, most] */
} NsFeKeptRows;

struct NsFe {
  NsArena        *arena; /* not owned */
  NsDiag         *diag;  /* not owned */
  const NsConfig *config;
  NsModelNeeds    needs;
  NsSwitches     *switches; /* of the model */
  MPI_Comm        comm;     /* of the processes that share the model */
  int             rank, ranks;
  int            *owner_of; /* [unknowns] natural number -> rank; NULL on one process */
  NsPartQuality   parting;  /* with several processes */
  PetscReal       gravity[3];
  PetscInt        bodies, nodes, elements, force_elements, inertias, rings;
  NsFeBody       *body;
  NsFeElement    *element;
  PetscReal      *x;         /* [nodes, 3] */
  PetscInt       *node_body; /* [nodes] */
  PetscInt     *unknown; /* body after body, node after node (NsFeNodeUnknowns): number of the equation; -1: supported; below: moved by its support */
  PetscInt      dofs, unknowns;              /* of nodes, with the supported ones; of equations */
  PetscInt     *holder;                      /* [dofs] number of the support that holds it, from 1; 0: none */
  PetscInt      rigids, *rigid;              /* nodes of bodies without elements */
  PetscReal    *mass_factor;                 /* [nodes] translations have so many times the mass of their elements; NULL: just that */
  PetscInt      massless, *massless_unknown; /* [massless] unknowns without mass, ascending */
  NsFeMassless *statics;                     /* of these; NULL: no massless unknowns */
  PetscInt      includes;
  const char  **include; /* [includes] paths of files that decks of bodies include; in the arena */
  NsForceElement  *force;
  NsFeInertia     *inertia;
  NsFeMoving       moving;
  NsFeLineLoads    line_loads;
  NsFeForces       forces; /* in natural numbers of unknowns, */
  NsFeForces       here;   /* and in indices of this process (percuss/layout.h) */
  NsFeRing        *ring;
  NsPlanes        *planes;
  PetscBool        circulates;  /* some bearing, or body given by matrices, has an unsymmetric stiffness */
  PetscBool        fused;       /* external forces depend on time alone: a step of free flight computes them once */
  PetscBool        works;       /* some of them have no potential: their power is counted */
  PetscBool        mass_varies; /* an unbalance on a rotor whose spin is free */
  NsFeLowRank     *low_rank;    /* NULL unless mass_varies or a force element is computed in every step */
  PetscReal       *weight;      /* [local] gravity force, N; NULL: none */
  PetscReal       *outer;       /* [local] weight and what else acts from outside at present; NULL: nothing ever does */
  NsBackEnd       *back_end;
  PetscInt         pairs;
  NsPair          *pair;              /* [candidates] */
  NsFeBalls       *balls;             /* contacts with slots */
  NsFePairPoints  *pair_points;       /* of all contacts */
  NsSurfaceMotion *surface_motion;    /* of contacts; NULL: all surfaces are at rest, or carried by bodies */
  PetscReal       *touch_q, *touch_v; /* [touches] values gathered for the pairs */
  NsRows           one;               /* scratch: of any single candidate */
  NsFeKeptRows     kept;              /* rows of candidates that never change */
  Vec              work;              /* [local] */
  PetscInt         free_spins;
  NsFreeSpin      *free_spin; /* [free_spins] */
  NsFeMeanTwist   *free_mean; /* [free_spins] */
  Vec              rest;      /* static solution the run starts from, in natural numbers; NULL: none */
  PetscReal (*rest_force)[3]; /* [candidates] contact forces of this solution, N: normal, tangents; NULL: none */

  PetscInt            holds;           /* DOF that supports hold until they stop acting */
  NsFeHold           *hold;            /* [holds] */
  NsList              contact_list;    /* of NsContactSettings: the contacts and ties of the config, and holds */
  NsFeSurfaceContact *surface_contact; /* contacts of two surfaces of solids */
  NsFeReactions      *reactions;       /* NULL: nobody has asked for them */
  NsFeShares         *shares;          /* NULL: nobody has asked for them */
  NsFeSliding        *sliding;         /* of these, the masters of contacts with finite sliding; NULL: none */
  NsFeLine           *lines;           /* bodies of line elements that touch along their length; NULL: none */
  PetscReal          *sliding_q;       /* [touches] where both are; NULL: not placed yet */
};

/* Initial displacements of the bodies added to q[unknowns], and their velocities v[unknowns]. */
void NsFeInitialValues(const NsFe *fe, PetscReal *q, PetscReal *v);

static inline PetscBool NsFeIsMassless(const NsFe *fe, PetscInt node)
{
  return fe->mass_factor && fe->mass_factor[node] == 0;
}

/* src/fe/model/energy.c: operations of percuss/model.h. */
PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy);
PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power);

/* Numbers of the equations of a node's unknowns [body->node_unknowns]; -1: supported. */
static inline PetscInt *NsFeNodeUnknowns(const NsFe *fe, PetscInt node)
{
  const NsFeBody *body = &fe->body[fe->node_body[node]];

  return fe->unknown + body->first_dof + (node - body->first_node) * body->node_unknowns;
}
/* The element's unknowns' numbers, negative for supported ones; returns how many there are. */
PetscInt NsFeElementUnknowns(const NsFe *fe, const NsFeElement *element, PetscInt *unknown);
/* Values of an element's unknowns; supported ones are 0, moved ones as of the last NsFeMovedAt. x is in natural numbers, or, with a layout, in its indices. */
void NsFeElementValues(const NsFe *fe, const NsLayout *layout, const NsFeElement *element, const PetscScalar *x, PetscReal *values);

/* src/fe/model/processes.c: fe->owner_of, fe->parting. An error in diag where the model does not part. */
PetscErrorCode NsFeDistribute(NsFe *fe);
/* Operation of percuss/model.h. */
PetscErrorCode NsFePartition(NsModel *model, char *text, size_t size);
/* (all) Own unknowns in natural order, then ghosts; the identity on one process. */
PetscErrorCode NsFeLayoutOwnedFirst(const NsFe *fe, NsLayout **layout);
/* (all) Unknowns low .. low + n - 1: low + order[i] at index i; NULL: as they are. */
PetscErrorCode NsFeLayoutRange(const NsFe *fe, PetscInt low, PetscInt n, const PetscInt *order, NsLayout **layout);

/* src/fe/model/basis.c */
PetscErrorCode NsFeModes(NsModel *model, PetscInt wanted, NsModelModes *modes);
/* The same with all unknowns held but among[count], ascending natural numbers. */
PetscErrorCode NsFeModesAmong(NsModel *model, PetscInt count, const PetscInt *among, PetscInt wanted, NsModelModes *modes);
/* src/fe/model/fingerprint.c: operation of percuss/model.h. */
PetscErrorCode NsFeFingerprint(NsModel *model, NsSha256 *sha);

/* src/fe/reduce/model.c: the reduced model in place of *model, which it owns then; *model stays where no body has the key `reduce`, or after errors in diag. */
PetscErrorCode NsFeReduce(NsFe *fe, NsModel **model);

/* src/fe/model/free_spin.c: rotors whose spin is free, once the mass matrix is there; and their speeds. */
PetscErrorCode NsFeFreeSpinsCreate(NsFe *fe, NsModel *model);
PetscErrorCode NsFeFreeSpins(NsModel *model, Vec v, PetscInt *count, const NsFreeSpin **spins);

/* src/fe/model/station.c */
PetscErrorCode NsFeStation(NsModel *model, const NsStationSettings *settings, NsStation *station, PetscBool *found, char *why, size_t size);
PetscErrorCode NsFeStationSpin(NsModel *model, PetscReal t, const NsStation *station, PetscReal *angle, PetscReal *rate);

/* (all) Adds springs in place of ties to a stiffness matrix in natural numbers, a million times as stiff as its largest entry. */
PetscErrorCode NsFeAddTies(const NsModel *model, Mat K);

/* Whether some body is a solid. */
PetscBool NsFeHasSolids(const NsFe *fe);
/* src/fe/model/statics.c: fe->rest. Where something can move freely (loose): an error in diag, but for models whose contacts may hold them (equilibrium.h). */
PetscErrorCode NsFeStatics(NsFe *fe, NsModel *model, PetscBool *loose);
/* A warning where axial forces make bodies buckle. */
PetscErrorCode NsFeCheckBuckling(NsFe *fe, NsModel *model);

/* src/fe/model/contacts.c: the candidates of the config as pairs, and the touch list. */
PetscErrorCode NsFeContacts(NsFe *fe, NsModel *model);
/* (surface/sliding.c) Places the surfaces of contacts with finite sliding: before any gap or row of their pairs is evaluated at other values of the touch list than the last ones. */
void      NsFeSlidingAt(NsFe *fe, const PetscReal *touch_q, PetscInt touches);
PetscBool NsFeSamePoint(const NsPairPoint *a, const NsPairPoint *b);
/* src/fe/model/duplicates.c: errors of pairs that duplicate others; source[pairs]: the contact of each among `settings`. */
PetscErrorCode NsFeContactDuplicates(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const PetscInt *source);
/* src/fe/model/rows.c: operations of percuss/model.h. */
extern const NsModelContact NsModelContact_Fe;
/* (set-up) Room for the rows of all candidates: fe->one, and fe->kept for those of fixed normals. */
void NsFeMakeRows(NsFe *fe, const NsModel *model);
/* Rows of a candidate, in fe->one. */
PetscErrorCode NsFeRowsOf(NsFe *fe, PetscInt candidate, PetscReal t, const PetscReal *touch_q);
/*
  src/fe/model/candidates.c: the candidates of one contact, each a point against the same: appended to pair[] and candidate[], or only counted where pair is NULL. The count is 0 after
  an error.
*/
PetscInt NsFeExpandCandidates(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate);
/* A motion that gaps and rows of pairs follow, at its start. */
const NsSurfaceMotion *NsFeSurfaceMoves(NsFe *fe, const NsMotion *motion);
/* Room for the points of a contact, whose `touch` are numbers of equations at first. */
NsPairPoint *NsFeAddPairPoints(NsFe *fe, PetscInt count);
/* NsFeExpand of a point that a contact acts on; an error in diag where a support moves it. */
void NsFeExpandContact(NsFe *fe, const NsFePoint *spot, NsPoint *point);
/* The points of a name, for pairs. */
const NsPairPoint *NsFeKeepPoints(NsFe *fe, const NsFePointSet *set);

/* src/fe/model/deformation.c: NsModelDynamics.deformation; which rotations are small ones, once contacts and attachments are there; and NsCandidate.depth. */
PetscErrorCode NsFeDeformationCreate(NsFe *fe, const NsModel *model);
PetscErrorCode NsFeDeformation(NsModel *model, PetscReal t, Vec q, NsBound *rotation, NsBound *stretch);
PetscErrorCode NsFeContactDepths(const NsFe *fe, NsModel *model);

/* src/fe/model/resolution.c: NsModelAnalysis.mesh_frequency; a warning where nodes of trusses are held by nothing. */
PetscErrorCode NsFeMeshFrequency(NsModel *model, NsBound *lowest);
PetscErrorCode NsFeCheckHeld(NsFe *fe);

/* src/fe/model/scene.c: what is drawn. */
void           NsFeScene(NsFe *fe, NsModel *model);
PetscErrorCode NsModelPlanes_Fe(NsModel *model, PetscReal t, NsPlaneFields *fields);
PetscErrorCode NsModelFields_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *fields);

/* src/fe/model/bounds.c, frequency.c */
/* Sets body->part: bodies that force elements join are one part; returns the number of parts. */
PetscInt       NsFeParts(NsFe *fe);
PetscErrorCode NsFeFrequencyBound(NsModel *model, PetscInt part, NsBound *omega, NsBound *damping_rate);
PetscErrorCode NsFeGyroscopicModes(NsModel *model, PetscInt part, PetscInt *count, NsStabilityMode *modes);
PetscErrorCode NsFeHighestMode(NsModel *model, PetscInt part, PetscReal *omega, PetscReal *damping_rate);

/* src/fe/backend/backend.c: the matrices and the back end that works with them. Errors go to fe->diag. */
PetscErrorCode NsBackEndCreate(NsFe *fe, NsBackEnd **back_end);
PetscErrorCode NsBackEndDestroy(NsBackEnd **back_end);
/* Factors A = m M + c C + k K into a slot, unless it is there. */
PetscErrorCode NsBackEndFactor(NsBackEnd *back_end, PetscInt slot, NsOperator op);
/* x = A^-1 b of a slot; two vectors. */
PetscErrorCode NsBackEndSolve(NsBackEnd *back_end, PetscInt slot, Vec b, Vec x);

/* src/fe/model/plausible.c: warnings of values that no solid has, where there are no errors. */
void NsFeJudgeMaterial(const NsNode *where, PetscReal density, PetscReal young, NsDiag *diag);
/* Of all solids whose mesh has no unit. */
void NsFeJudgeMasses(const NsFe *fe);
/* NsFeNextSolid while the model is made. */
PetscBool NsFeMeasure(const NsFe *fe, PetscInt *next, NsFeSolid *solid);
void      NsFeJudgeLength(const NsNode *mesh, const char *name, PetscReal length, PetscReal thickness, NsDiag *diag);
