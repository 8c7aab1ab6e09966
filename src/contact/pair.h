/*
  One possible contact between two things: its gap and directions as functions of a few unknowns.

  A partner is a point of a body that moves and turns with up to NS_POINT_UNKNOWNS unknowns:

      x = x0 + sum move_k q_k,     v = sum move_k v_k,     w = sum turn_k v_k + Omega(t) axis

  A rigid arm from a node to the point is already in `move`; Omega is a prescribed spin. A kind of pair knows geometry only; it sees gathered values of the
  model's touch list, never vectors.

  Around a point there may be a ball or a journal: material points on it have the velocity v + w x arm, so that the row of a direction d is
  d . v + w . (arm x d): gaps see d . v alone, for their arms lie along the normal; friction sees both.
*/
#pragma once
#include "core/spin.h"
#include "percuss/model.h"

#define NS_POINT_UNKNOWNS 12

typedef struct {
  PetscReal     x[3]; /* reference position, m */
  PetscInt      unknowns;
  PetscInt      unknown[NS_POINT_UNKNOWNS]; /* numbers of the equations */
  PetscInt      touch[NS_POINT_UNKNOWNS];   /* positions in the touch list */
  PetscReal     move[NS_POINT_UNKNOWNS][3]; /* displacement of the point per unit */
  PetscReal     turn[NS_POINT_UNKNOWNS][3]; /* rotation of the body there per unit; 0: the body has none */
  const NsSpin *spin;                       /* prescribed, about `axis` (a unit vector); NULL: none. Not owned */
  PetscReal     axis[3];
} NsPoint;

typedef struct NsPair NsPair;

typedef struct {
  const char *name, *about;
  PetscBool   flat; /* the normal is fixed in space: the gap is linear in the unknowns */
  /* Chooses the tangents: none without friction, else those in which the two can move along each other at all. touch_q: the start. */
  void (*prepare)(NsPair *, const PetscReal *touch_q, PetscReal friction);
  PetscReal (*gap)(const NsPair *, PetscReal t, const PetscReal *touch_q);
  /* Adds the pair's directions to rows (NsRowsAdd): 1 normal, then tangents as many as candidate.directions - 1. */
  PetscErrorCode (*rows)(const NsPair *, PetscReal t, const PetscReal *touch_q, NsRows *rows);
  /* d[1 + tangents] = (dW'/dt) v + d(drive)/dt of each row. NULL: zero. */
  void (*rate)(const NsPair *, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d);
  /* Contact point on the first partner: its place in the reference configuration, its displacement, and the normal (the direction in which the first
     partner is pushed). */
  void (*place)(const NsPair *, PetscReal t, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3]);
} NsPairType;

struct NsPair {
  const NsPairType *type;
  PetscInt          points;
  NsPoint           point[2];  /* round: the second is the surface's centre; without unknowns where it is fixed in space */
  PetscReal         radius[2]; /* of the ball or journal around the first point; of the cylinder or sphere around the second */
  PetscBool         inside;    /* round: the first is in the hollow of the second */
  PetscReal         axis[3];   /* of a cylinder, unit vector */
  PetscReal         plane_point[3], plane_velocity[3]; /* of a belt, within the plane */
  PetscReal         normal[3], tangent[2][3];          /* unit vectors; flat: fixed in space; round: those of the start (see round.c) */
  PetscReal         pivot[3]; /* round: about it the tangents have turned where the normal is opposite to that of the start */
  PetscInt          tangents;
  PetscReal         offset; /* added to the gap, m */
};

extern const NsPairType NsPairType_NodePlane, NsPairType_NodeNode, NsPairType_Cylinder, NsPairType_Sphere;

/* `prepare` of flat pairs: orthonormal tangents of pair->normal. */
void NsPairPrepareFlat(NsPair *pair, const PetscReal *touch_q, PetscReal friction);
/* Whether the gap can change at all: some point moves along the normal, or across a cylinder's axis. */
PetscBool NsPairActs(const NsPair *pair);
/* Displacement of a point. */
void NsPointDisplacement(const NsPoint *point, const PetscReal *touch_q, PetscReal u[3]);
/* Velocity v of a point, and angular velocity w of its body with the prescribed spin. */
void NsPointVelocity(const NsPoint *point, PetscReal t, const PetscReal *touch_v, PetscReal v[3], PetscReal w[3]);
/* Adds one row of W: sum over the pair's points p of sign_p (d . v_p + w_p . (arm_p x d)). arm NULL: none. */
PetscErrorCode NsRowsAdd(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal d[3], const PetscReal sign[2], const PetscReal arm[2][3]);
/* Adds the rows of a flat pair; arms are along the normal. */
PetscErrorCode NsRowsAddFlat(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal sign[2], const PetscReal arm[2][3]);

static inline PetscReal NsDot3(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b */
static inline void NsCross3(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
