/*
  Surfaces of solids that touch, or are tied to, surfaces of other solids.

  A surface is a named set of sides of elements: lines in the plane (outward normal on the right of the line from its first to its second node), triangles or quadrangles in space. Normals come from
  the elements that the sides belong to.
*/
#pragma once
#include "fe/model/fe.h"

enum { NS_FACE_NODES = 6 };

typedef struct {
  const char     *name; /* "block.bottom" */
  const NsFeBody *body;
  int             dimension;               /* of the body: 2 or 3 */
  PetscInt        faces, corners, of_face; /* corners and nodes of each face */
  PetscInt (*face)[NS_FACE_NODES];         /* [faces] nodes of this surface; corners first */
  PetscInt nodes, *node;                   /* [nodes] numbers of nodes in the model */
  PetscReal (*x)[3], (*normal)[3];         /* [nodes] m; unit vectors: mean of the faces by area */
  PetscReal *area;                         /* [nodes] m^2: of the faces, what belongs to the node; of axisymmetric bodies of the whole ring */
  PetscReal  mean[3], size,
    face_size; /* mean normal (a unit vector, or 0: closed surfaces); largest side of the box around it; mean extent of a face, m */
} NsFeSurface;

/* NULL after an error in diag. */
const NsFeSurface *NsFeSurfaceFind(NsFe *fe, const char *name, NsPlace place);
/* area[set->count], m^2: the area that belongs to each node, if `name` is a side of a solid; 0 for other sets. */
void NsFeSideAreas(NsFe *fe, const char *name, NsPlace place, const NsFePointSet *set, PetscReal *area);
/* Shape functions N[of_face] at a point of a face: xi in -1..1 of lines and quadrangles, xi[0], xi[1] >= 0 with xi[0] + xi[1] <= 1 of triangles. */
void NsFaceShape(const NsFeSurface *surface, const PetscReal xi[2], PetscReal N[NS_FACE_NODES]);
/* A point in a face's plane in its natural coordinates, from plane coordinates of the corners. */
PetscBool NsFaceInvert(PetscInt corners, const PetscReal (*corner)[2], const PetscReal at[2], PetscReal xi[2]);
/* The corners of a face, each once: three of a triangle among quadrangles, which has one twice (src/mesh/collapsed.h). */
PetscInt NsFaceCorners(const NsFeSurface *surface, PetscInt face, PetscInt corner[4]);
/* Which nodes of a face carry forces: its corners, and of triangles with six nodes the middles of edges. */
static inline PetscInt NsFaceFirst(const NsFeSurface *surface)
{
  return surface->of_face > surface->corners ? surface->corners : 0;
}
static inline PetscInt NsFaceCarriers(const NsFeSurface *surface)
{
  return surface->corners;
}
/* Vector area of a flat face, by its corners: normal times area; in the plane per length of thickness. */
void NsFaceVector(const NsFeSurface *surface, PetscInt face, PetscReal n[3]);
/* 2 pi r of axisymmetric bodies, else the thickness; 1 in space. */
PetscReal NsFaceDepth(const NsFeBody *body, PetscReal r);
