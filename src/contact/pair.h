/*
  One possible contact between two things: its gap and directions as functions of a few unknowns.

  A partner is a point of a body that moves with up to NS_POINT_UNKNOWNS unknowns:  x = x0 + sum direction_k q_touch(k).
  A kind of pair (src/contact/list.h) knows geometry only; it sees gathered values of the model's touch list, never vectors.
*/
#pragma once
#include "percuss/model.h"

#define NS_POINT_UNKNOWNS 3

typedef struct {
  PetscReal x[3]; /* reference position, m */
  PetscInt  unknowns;
  PetscInt  touch[NS_POINT_UNKNOWNS]; /* positions in the touch list */
  PetscReal direction[NS_POINT_UNKNOWNS][3];
} NsPoint;

typedef struct NsPair NsPair;

typedef struct {
  const char *name, *about;
  PetscReal (*gap)(const NsPair *, PetscReal t, const PetscReal *touch_q);
  /* Adds the pair's directions to rows (NsRowsAdd): 1 normal, then tangents as many as candidate.directions - 1. */
  PetscErrorCode (*rows)(const NsPair *, PetscReal t, const PetscReal *touch_q, NsRows *rows);
  /* Contact point, its displacement, and the normal (the direction in which the first partner is pushed). */
  void (*place)(const NsPair *, PetscReal t, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3]);
} NsPairType;

struct NsPair {
  const NsPairType *type;
  PetscInt          points;
  NsPoint           point[2];
  PetscReal         plane_point[3], plane_velocity[3]; /* of a belt, within the plane */
  PetscReal         normal[3], tangent[2][3];          /* fixed in space; unit vectors */
  PetscInt          tangents;
  PetscReal         offset; /* added to the gap, m */
};

extern const NsPairType NsPairType_NodePlane, NsPairType_NodeNode;

/* Chooses tangents for a fixed normal: orthonormal directions in which the points can move at all; none without friction. */
void NsPairChooseTangents(NsPair *pair, PetscReal friction);
/* Displacement of a point. */
void NsPointDisplacement(const NsPoint *point, const PetscReal *touch_q, PetscReal u[3]);
/* Adds one row of W: sum over the pair's points of sign_p d . u_p. */
PetscErrorCode NsRowsAdd(NsRows *rows, const NsPair *pair, const PetscReal d[3], const PetscReal sign[2]);
/* Adds the rows of a pair whose normal and tangents are fixed in space. */
PetscErrorCode NsRowsAddFixed(NsRows *rows, const NsPair *pair, const PetscReal sign[2]);
