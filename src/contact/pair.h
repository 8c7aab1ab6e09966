/*
  One possible contact between two things: its gap and directions as functions of a few unknowns.

  A partner is a point of a body that moves and rotates with up to NS_POINT_UNKNOWNS unknowns:

      x = x0 + sum move_k q_k,     v = sum move_k v_k,     w = sum turn_k v_k + Omega(t) axis

  A rigid arm from a node to the point is already in `move`; Omega is a prescribed spin. A pair type is geometry only; it gets the values of the
  model's touch list, not vectors.

  Around a point there may be a ball or a journal: material points on it have the velocity v + w x arm, so that the row of a direction d is
  d . v + w . (arm x d): gap rates are d . v only, because their arms are parallel to the normal; friction has both.
*/
#pragma once
#include "core/motion.h"
#include "core/spin.h"
#include "planes.h"
#include "percuss/model.h"
#include "settings.h"

#define NS_POINT_UNKNOWNS 12

typedef struct {
  PetscReal     x[3]; /* reference position, m */
  PetscInt      unknowns;
  PetscInt      unknown[NS_POINT_UNKNOWNS]; /* numbers of the equations */
  PetscInt      touch[NS_POINT_UNKNOWNS];   /* positions in the touch list */
  PetscReal     move[NS_POINT_UNKNOWNS][3]; /* displacement of the point per unit */
  PetscReal     turn[NS_POINT_UNKNOWNS][3]; /* rotation of the body there per unit; 0: the body has no rotations */
  const NsSpin *spin;                       /* prescribed, about `axis` (a unit vector); NULL: none. Not owned */
  PetscReal     axis[3];
} NsPoint;

/* A surface that moves without turning: displacement, velocity and acceleration at the time of the last NsSurfaceMotionAt, which models call before they evaluate pairs. */
typedef struct NsSurfaceMotion NsSurfaceMotion;
struct NsSurfaceMotion {
  NsMotion         motion;
  PetscReal        at[3][3];
  NsSurfaceMotion *next;
};
void NsSurfaceMotionAt(NsSurfaceMotion *list, PetscReal t);

/*
  A point as pairs store it, in a tenth of the memory, because models may have a million of them. What the nodes of a body have in common (move, turn, axis) is there once. Not owned.
*/
typedef struct {
  PetscReal x[3]; /* reference position, m */
  PetscInt  unknowns;
  PetscInt *touch; /* [unknowns] positions in the touch list; while the list is made, the numbers of the equations */
  const PetscReal (*move)[3], (*turn)[3];
  const NsSpin          *spin;
  const PetscReal       *axis;   /* [3] */
  const NsSurfaceMotion *moving; /* of a surface that no body carries; NULL: at rest */
} NsPairPoint;

/* A circle to draw, carried by a point. */
typedef struct {
  NsPairPoint centre;
  PetscReal   axis[3], radius; /* unit vector; m */
} NsRing;
#define NS_PAIR_RINGS 4 /* at most, of one pair */
#define NS_PAIR_MEAN  4 /* points that a mean has weights of */

typedef struct NsPair NsPair;

/* What a surface is made from. */
typedef struct {
  const NsSurfaceSettings *surface; /* of the pair's own table */
  PetscReal                friction;
  NsDiag                  *diag;
} NsPairSetup;

/*
  A kind of pair. n is the unit normal, the direction in which the first partner is pushed. A gap depends on time by the motion of a surface alone. Operations may be NULL where that is said.

  `bound` and `clearance` are contracts: without `bound` the broad phase would skip contacts that close. tests/conformance/test_pairs.c tests every pair.
*/
typedef struct {
  const char *name, *about;
  PetscBool   flat; /* the normal is fixed in space: the gap is linear in the unknowns */
  const char *side; /* for errors about a penetration at the start: on which side the first partner may be */
  size_t      size; /* of the private data, zeroed */
  /* Private data from the settings of the surface, and its radius. `carrier` becomes point[1]: where no body carries the surface, its reference position is set here. False after an
     error. NULL: no surface. */
  PetscBool (*create)(NsPair *, const NsPairSetup *, NsPoint *carrier);
  /* Normal and tangents at the start: none without friction, else those along which the partners can move on each other at all. */
  void (*prepare)(NsPair *, const PetscReal *touch_q, PetscReal friction);
  /* Returns the gap, m; n where it is not NULL. */
  PetscReal (*gap)(const NsPair *, const PetscReal *touch_q, PetscReal n[3]);
  /* Adds the pair's directions to rows (NsRowsAdd): the normal, then the tangents. */
  PetscErrorCode (*rows)(const NsPair *, PetscReal t, const PetscReal *touch_q, NsRows *rows);
  /* d[1 + tangents] = (dW'/dt) v + d(drive)/dt of each row. NULL: zero. */
  void (*rate)(const NsPair *, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d);
  /* The most by which the gap can change while one of the points moves by `move`, wherever the two are, m. 0: not at all. */
  PetscReal (*bound)(const NsPair *, const PetscReal move[3]);
  /* How far the partners can be apart at most, m: of a journal in a bearing the difference of the radii; PETSC_MAX_REAL where nothing bounds the gap. A penetration beyond it is
     reported by default, whatever the size of the model. */
  PetscReal (*clearance)(const NsPair *);
  /* Of pairs whose point[p] is a mean of up to NS_PAIR_MEAN of many points, which change as the pair moves: these points, of point[1] the same list for all pairs with one surface. Returns NULL where
     point[p] is all there is. NULL: both are. */
  const NsPairPoint *(*others)(const NsPair *, int p, PetscInt *count);
  /* Circles that show the surface; how many. NULL: none. */
  PetscInt (*draw)(const NsPair *, NsRing ring[NS_PAIR_RINGS]);
  /* The surface as a plane to draw. NULL: the surface is not a plane. */
  void (*plane)(const NsPair *, NsPlane *plane);
} NsPairType;

/* Directions of a pair. */
typedef struct {
  PetscReal normal[3], tangent[2][3]; /* at the start, unit vectors; for flat pairs always */
  PetscReal pivot[3];                 /* curved: see NsPairPrepareCurved */
  PetscInt  tangents;
  PetscReal torque_arm; /* m: NsCandidate.torque_arm */
} NsPairFrame;

struct NsPair {
  const NsPairType *type;
  void             *data; /* private to the type; not owned */
  /* Node, or centre of the ball or journal; the other node, or what carries the surface (without unknowns where it is fixed in space). Not owned. */
  const NsPairPoint *point[2];
  PetscReal          radius[2]; /* m: of the ball or journal around the first point; of the surface around the second: arm of its friction; 0: none */
  PetscReal          offset;    /* added to the gap, m */
  PetscInt
               resists; /* 1 + NS_ROLLING, 1 + NS_DRILLING: a resistance of the same contact: its rows are the normal and rotations about the frame's tangents; 0: a contact */
  NsPairFrame *frame;   /* only `create` and `prepare` write it; candidates against one plane share it */
};

extern const NsPairType *const NsPairTypes[];                   /* every pair, NULL-terminated, from pairs/list.h */
extern const NsPairType *const NsSurfaceTypes[NS_SURFACES + 1]; /* of each surface */
extern const NsPairType        NsPairType_NodeNode, NsPairType_Balls;

/* Relative displacement of the points from the time t[0] to t[1], m: an upper bound of the change of the gap. */
PetscReal NsPairTravel(const NsPair *pair, const PetscReal t[2], const PetscReal *from, const PetscReal *to);
/* Whether the points are carried by the same unknowns in the same way, as points of one rigid body are. */
PetscBool NsPairPointsAlike(const NsPairPoint *a, const NsPairPoint *b);
/* All points by which the gap may ever change, in two lists. */
void NsPairPoints(const NsPair *pair, const NsPairPoint *list[2], PetscInt count[2]);
/* Whether the gap can change at all. */
PetscBool NsPairActs(const NsPair *pair);
/* Contact point on the first partner: in the reference configuration, its displacement, and the normal. */
void NsPairContactPoint(const NsPair *pair, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3]);
/* Tangents of the first partner's friction at the normal n that `gap` gives, as many as the frame has; others are zero. */
void NsPairTangents(const NsPair *pair, const PetscReal n[3], PetscReal tangent[2][3]);

/* ---- for flat pairs -------------------------------------------------------------------------------------------------------------------------- */

/* Orthonormal tangents of the frame's normal. */
void NsPairPrepareFlat(NsPair *pair, const PetscReal *touch_q, PetscReal friction);
/* |n . move| */
PetscReal NsPairBoundFlat(const NsPair *pair, const PetscReal move[3]);
/* Adds the rows; arms are along the normal. */
PetscErrorCode NsRowsAddFlat(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal sign[2], const PetscReal arm[2][3]);
/* Nothing bounds the gap. */
PetscReal NsPairClearanceOpen(const NsPair *pair);

/* ---- for curved pairs, whose tangents turn with the normal ------------------------------------------------------------------------------------- */

/*
  The tangents are those of the start, carried along by the smallest rotation from the normal n0 of the start to n; with m = n0 + n that is

      t = t0 - 2 (m . t0)/(m . m) m

  For a surface of revolution that is nearly its axis, and axis x n. A frame without any jump does not exist on a sphere; this one has it opposite to the start, at m = 0: there
  m = pivot x n0 is taken, which is right for motion in the plane of n0 and t0.

  n: the normal of the start. axis: unit vector along which motion does not turn the normal; 0: none. The first tangent is where the normal will turn to: axis x n, or without axis a direction of
  motion, which in planar models lies in the plane; the second is the pivot, n x first.
*/
void NsPairPrepareCurved(NsPair *pair, const PetscReal n[3], const PetscReal axis[3], PetscReal friction);
/* n: a direction across the axis in which something moves, or any; for a start at which the surface has no normal. */
void NsPairAnyNormal(const NsPair *pair, const PetscReal axis[3], PetscReal n[3]);
/* Adds the rows at the normal n; arm[p]: from point p to the contact, m along n. */
PetscErrorCode NsRowsAddCurved(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal n[3], const PetscReal arm[2]);
/*
  Velocity of the first point relative to the second, and d[1 ...] of the tangents for the normal's rate dn:  with a = -arm and b = n x t

      t' . (v1 - v2) - b' . (a1 w1 - a2 w2) - b . (a1 Omega1' axis1 - a2 Omega2' axis2),     b' = n' x t + n x t'
*/
void NsPairRelativeVelocity(const NsPair *pair, PetscReal t, const PetscReal *touch_v, PetscReal between[3]);
void NsPairTangentRates(
  const NsPair *pair, PetscReal t, const PetscReal *touch_v, const PetscReal n[3], const PetscReal dn[3], const PetscReal arm[2], PetscReal *d);

/* ---- rolling and drilling ------------------------------------------------------------------------------------------------------------------------ */

/* The resistance of a prepared contact: its copy with axes of rotation in place of tangents, at the start. False: its points do not have these rotations. */
PetscBool NsPairResist(const NsPair *contact, int kind, NsArena *arena, NsPair *moment);
/* Rows of a pair, and their rates d[directions]: of its type, or of a resistance. */
PetscErrorCode NsPairRows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *rows);
void           NsPairRates(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d);

/* ---- points and rows --------------------------------------------------------------------------------------------------------------------------- */

/* Keeps a point in `to`; move, turn and axis are those of `like` where they are the same (NULL: nothing is). The touch list is that of the point's numbers of equations. */
void NsPairPointKeep(const NsPoint *point, const NsPairPoint *like, NsArena *arena, NsPairPoint *to);

/* Acceleration of a moving surface along a direction; 0: it is at rest. */
static inline PetscReal NsPairAcceleration(const NsPair *pair, const PetscReal d[3])
{
  const NsSurfaceMotion *moving = pair->point[1]->moving;

  return moving ? d[0] * moving->at[2][0] + d[1] * moving->at[2][1] + d[2] * moving->at[2][2] : 0;
}
/* Displacement of a point. */
void NsPointDisplacement(const NsPairPoint *point, const PetscReal *touch_q, PetscReal u[3]);
/* Velocity v of a point, and angular velocity w of its body with the prescribed spin. */
void NsPointVelocity(const NsPairPoint *point, PetscReal t, const PetscReal *touch_v, PetscReal v[3], PetscReal w[3]);
/* Adds one row of W: sum over the pair's points p of sign_p (d . v_p + w_p . (arm_p x d)). arm NULL: none. */
PetscErrorCode NsRowsAdd(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal d[3], const PetscReal sign[2], const PetscReal arm[2][3]);
/* Scales v to the length 1; false where it is zero. */
PetscBool NsUnit3(PetscReal v[3]);

static inline PetscReal NsDot3(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b */
static inline void NsCross3(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
