/* Signed distance of two convex shapes: see convex.c. */
#pragma once
#include "manifold.h"

#define NS_CONVEX_SEGMENTS 6

/* The difference of two shapes. */
typedef struct {
  PetscReal d[3], ball;
  PetscBool planar;
  int       segments, discs;
  PetscReal v[NS_CONVEX_SEGMENTS][3], a[2][3], r[2];
  int       owner[NS_CONVEX_SEGMENTS], axis[NS_CONVEX_SEGMENTS], disc_owner[2]; /* 0: of the first shape; 1: of the second */
} NsConvexSum;

/* The feature that a normal belongs to. */
typedef struct {
  int flat;    /* a face of a box, or the end of a cylinder: 1 + which shape's; 0: none */
  int edges;   /* number of segments that it is perpendicular to by construction: */
  int edge[2]; /* which ones */
} NsConvexNormal;

typedef struct {
  PetscReal      s, n[3]; /* from the first shape to the second */
  NsConvexNormal kind;
} NsConvex;

void NsConvexSumOf(const NsSolid *a, const NsSolid *b, NsConvexSum *sum);
void NsConvexFind(const NsConvexSum *sum, NsConvex *best);
