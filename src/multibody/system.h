/*
  A multibody system: what its files share. See model.c for the equations.

  Unknowns of a body, q and v in the same places:

      plane   q = (x, y, angle)                    v = (x', y', angle')
      space   q = (x, y, z, p0, p1, p2, p3)        v = (x', y', z', 0, w1, w2, w3)

  The body's own frame has its origin at the center of mass and the principal axes of inertia, so that M is diagonal; w is along its axes. The velocity beside p0 is always zero and
  has mass 1: with it positions and velocities have one layout.
*/
#pragma once
#include "contact/planes.h"
#include "core/timefunction.h"
#include "multibody.h"
#include "rotation.h"

/* ---- bodies (body.c, shapes.c) ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  const NsNode *where;
  double        axis[3], angle;
} NsRotationSettings;

typedef enum { NS_SHAPE_SPHERE, NS_SHAPE_BOX, NS_SHAPE_CYLINDER, NS_SHAPE_CAPSULE, NS_SHAPE_POINTS, NS_SHAPE_ELLIPSOID, NS_SHAPES } NsShapeKind;
extern const char *const NsShapeWords[];

/* A shape of a body, in the body's frame (principal axes). */
typedef struct {
  const char   *name;
  const NsNode *where;
  NsShapeKind   kind;
  PetscBool     inside;      /* what touches it is inside */
  PetscReal     x[3], R[9];  /* its center and axes */
  PetscReal     half[3];     /* box; ellipsoid: its half axes */
  PetscReal     radius;      /* sphere, cylinder, capsule */
  PetscReal     half_length; /* cylinder, capsule: along axis 3, of the capsule between the centers of its ends */
  PetscInt      points;
  PetscReal    *point; /* [points, 3] in the body's frame; of boxes their corners */
} NsShape;

typedef struct {
  const char *name;
  PetscReal   s[3]; /* in the body's frame */
} NsBodyPoint;

typedef struct {
  const char            *name;
  const NsNode          *where;
  PetscBool              planar, placed; /* placed: its position was given */
  PetscInt               first, unknowns;
  PetscInt               owner;                   /* among the bodies of the config */
  const struct NsMbBeam *beam;                    /* it is a node of this elastic rod (beams.c); NULL: rigid */
  PetscReal              mass, inertia[3];        /* principal; plane: inertia[2] */
  PetscReal              center[3], principal[9]; /* of the config's frame: center of mass, and its principal axes as columns */
  PetscInt               points;
  NsBodyPoint           *point; /* the first is the center */
  PetscInt               shapes;
  NsShape               *shape;
  PetscBool              rod;
  PetscReal              radius;           /* of the rod */
  PetscReal              extent;           /* farthest of its points and shapes from the center, m */
  PetscReal              x[3], R[9];       /* of the body's frame at the start */
  PetscReal              v[3], w[3];       /* v in space, w along the body's axes, at the start */
  PetscBool              given_v, given_w; /* in the config */
} NsMbBody;

/* A body's frame in space. */
typedef struct {
  PetscReal x[3], R[9];
  PetscReal v[3], O[3]; /* O = R w */
} NsFrame;

/* A point of a body, or of the ground. */
typedef struct {
  PetscInt  body; /* the number of bodies: the ground */
  PetscReal s[3]; /* in the body's frame; ground: in space */
} NsSide;

typedef struct {
  NsSide           side[2];
  PetscReal        stiffness, damping, length; /* free length */
  const PetscBool *off;                        /* NsSwitchesAdd */
} NsMbSpring;

typedef struct {
  NsSide                side;
  PetscBool             follows; /* force and moment turn with the body: in its frame */
  PetscReal             force[3], moment[3];
  const NsTimeFunction *time;
} NsMbLoad;

typedef struct {
  NsOperator op;
  PetscBool  ready, diagonal;
  PetscReal *inverse; /* [unknowns] of a diagonal operator */
  PetscReal *LU;      /* [unknowns, unknowns], made when it is first needed */
  PetscInt  *pivot;
} NsMbOperator;

typedef struct NsMultibody  NsMultibody;
typedef struct NsMbJoint    NsMbJoint; /* joints.h */
typedef struct NsMbRow      NsMbRow;
typedef struct NsMbActuator NsMbActuator;
typedef struct NsMbBushing  NsMbBushing;
typedef struct NsMbShares   NsMbShares; /* shares.c */
typedef struct NsMbBeam     NsMbBeam;   /* beams.h */
struct NsMultibody {
  NsArena           *arena;
  NsDiag            *diag;
  const NsConfig    *config;
  NsMultibodyLists   lists;
  NsSwitches        *switches; /* of the model */
  PetscInt           bodies, body_unknowns, unknowns;
  NsMbBody          *body;
  PetscInt           beams;
  NsMbBeam          *beam;
  NsFrame           *frame;            /* [bodies + 1] of the last NsMbFrames; the last one is the ground */
  PetscReal         *seen;             /* [unknowns] the q of the last NsMbFrames; NULL: there was none */
  PetscReal         *rate[2];          /* scratch of NsMbPower: rates of all dampers at v and at w */
  PetscInt64         moves;            /* counts changes of the frames' positions */
  struct NsMbPoints *points;           /* [joints] */
  PetscReal         *M, *inverse_mass; /* [unknowns] diagonal */
  PetscReal         *start_q, *start_v;
  PetscInt           springs, loads;
  NsMbSpring        *spring;
  NsMbLoad          *load;
  PetscInt           joints, rows, actuators, turns; /* turns: unknowns that are angles of joints, after those of the bodies */
  PetscInt           holds;                          /* further joints, which keep elastic rods rigid during the assembly of the initial state */
  NsMbJoint         *joint;
  struct NsMbTouch  *touch;
  PetscInt           touches; /* contacts, behind the rows of joints */
  NsPlanes          *planes;  /* to draw */
  PetscReal          now;     /* s: time of the contacts that are evaluated, for planes that move */
  struct NsMbPile   *pile;
  PetscInt           piles;     /* contacts of boxes; their candidates are behind those of `touch` */
  PetscInt          *first_row; /* [candidates] among the rows of all */
  NsMbRow           *row;       /* [rows] */
  NsMbActuator      *actuator;
  PetscInt           bushings;
  NsMbBushing       *bushing;
  PetscInt           rank, degrees; /* of the rows of joints at the start; degrees of freedom that these leave */
  const char        *redundant;     /* names of rows that depend on the others; "": none */
  PetscBool          tangents;      /* forces depend on positions or velocities */
  NsMbOperator       slot[NS_SLOTS];
  PetscReal         *work[4]; /* [unknowns] */
  PetscReal          length;
  NsMbShares        *shares;          /* NULL: nobody has asked for them */
  PetscInt          *first_point;     /* [bodies + 1] of the scene */
  PetscReal         *picture, *drawn; /* [points of the scene, 3] in the frames of their bodies; scratch */
};

/* Bodies of the config with their start. Errors in diag. */
void NsMbBodies(NsMultibody *self);
/* Places q and v of the start from the bodies. */
void NsMbStart(const NsMultibody *self, PetscReal *q, PetscReal *v);
/* A body by its name, of an elastic rod its first node; -1 after an error at `place`. */
PetscInt NsMbFindBody(NsMultibody *self, const char *name, size_t length, NsPlace place);
/* "body.point", or "body" for its center, or "ground" (only where `ground`). False after an error at `place`. */
PetscBool NsMbFindPoint(NsMultibody *self, const char *text, PetscBool ground, NsPlace place, NsSide *side);

/* Shapes: volume, center and inertia about that center for density 1, added up over all shapes of the body; draw. */
typedef struct {
  PetscReal mass, moment[3], second[6]; /* sum m, sum m x, sum m (xx, yy, zz, xy, xz, yz) */
} NsMassSums;
void NsShapeMass(const NsShape *shape, PetscReal density, NsMassSums *sums);
/* Farthest distance of the shape from the origin of the frame. */
PetscReal NsShapeExtent(const NsShape *shape);
/* Points and cells of a picture, which grow: x[points, 3] in the body's frame, the kinds of cells and their points, one after the other; arrays NULL: only counted. */
typedef struct {
  PetscInt    points, cells, ends;
  PetscReal  *x;
  NsCellKind *kind;
  PetscInt   *end;
} NsMbPicture;
void NsMbAddCell(NsMbPicture *picture, NsCellKind kind, const PetscInt *point);
/* Adds the surface of the shape. */
void NsShapeDraw(const NsShape *shape, NsMbPicture *picture);

/* ---- motion (motion.c) ------------------------------------------------------------------------------------------------------------------------------ */

/* q1 = q0 moved with v for the time h: quaternions by p0 exp(h w/2), normalised. q1 may be q0. */
void NsMbMove(NsMultibody *self, const PetscReal *q0, PetscReal h, const PetscReal *v, PetscReal *q1);
/* The velocity d with which q1 is reached from q0 in unit time; turns of at most pi. */
void NsMbWay(const NsMultibody *self, const PetscReal *q0, const PetscReal *q1, PetscReal *d);
/* q' at (q, v). */
void NsMbRate(NsMultibody *self, const PetscReal *q, const PetscReal *v, PetscReal *rate);
/* Quaternions of length 1. */
void NsMbTidy(NsMultibody *self, PetscReal *q);
/* Frames of all bodies at q; v NULL: without velocities. */
void NsMbFrames(NsMultibody *self, const PetscReal *q, const PetscReal *v);

/* The place and velocity of a point. */
static inline void NsMbPoint(const NsMultibody *self, const NsSide *side, PetscReal x[3])
{
  const NsFrame *frame = &self->frame[side->body];

  NsTurn(frame->R, side->s, x);
  for (int k = 0; k < 3; k++) x[k] += frame->x[k];
}

static inline void NsMbPointVelocity(const NsFrame *frame, const PetscReal x[3], PetscReal v[3])
{
  const PetscReal r[3] = {x[0] - frame->x[0], x[1] - frame->x[1], x[2] - frame->x[2]};

  NsCross(frame->O, r, v);
  for (int k = 0; k < 3; k++) v[k] += frame->v[k];
}

/* h += force f at the point x in space, and moment m. */
void NsMbPush(const NsMultibody *self, PetscInt body, const PetscReal x[3], const PetscReal f[3], const PetscReal *m, PetscReal *h);
/* f . v(x) + m . O of a body. */
PetscReal NsMbPowerOf(const NsMultibody *self, PetscInt body, const PetscReal x[3], const PetscReal f[3], const PetscReal *m);

/* ---- forces (forces.c) ---------------------------------------------------------------------------------------------------------------------------- */

void NsMbForces(NsMultibody *self);
/* h[unknowns] at (t, q, v). */
void      NsMbForce(NsMultibody *self, PetscReal t, const PetscReal *q, const PetscReal *v, PetscReal *h);
void      NsMbPower(NsMultibody *self, PetscReal t, const PetscReal *q, const PetscReal *v, const PetscReal *w, NsPower *power);
PetscReal NsMbElastic(NsMultibody *self, const PetscReal *q); /* at the frames of q */
PetscBool NsMbDamps(const NsMultibody *self);
PetscBool NsMbLoads(const NsMultibody *self);

/* ---- picture and probes (view.c) -------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode           NsMbScene(NsMultibody *self, NsModel *model);
extern const NsModelView NsMbView;
