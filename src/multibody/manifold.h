/* Contact points of two convex shapes: see manifold.c. */
#pragma once
#include <petscsys.h>

#define NS_MANIFOLD 8 /* most points: of two squares that are turned by 45 degrees */

/* In space: a box (half), a ball around x (radius), a capsule (half[2], radius) or a cylinder (half[2], disc) along axis 3; in the plane a capsule lies along axis 1 (half[0]). */
typedef struct {
  PetscReal x[3], R[9]; /* centre; axes as columns */
  PetscReal half[3], radius, disc;
  PetscBool planar; /* moves in x and y: half[2] has no meaning */
} NsSolid;

typedef struct {
  PetscInt  points;            /* at least one */
  PetscReal n[3];              /* unit normal, which pushes the first shape */
  PetscReal x[NS_MANIFOLD][3]; /* in the middle between the surfaces */
  PetscReal gap[NS_MANIFOLD];  /* m */
} NsManifold;

/* A lower bound of the distance; not positive exactly where the shapes overlap, and then minus the least penetration along the axes that are tried. */
PetscReal NsSolidSeparation(const NsSolid *a, const NsSolid *b);
void      NsManifoldFind(const NsSolid *a, const NsSolid *b, NsManifold *manifold);
