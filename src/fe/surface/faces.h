/*
  The faces of a surface as they are now, and the nearest of them to a point: a tree of boxes, exact wherever the surface has moved to.

  A face is a line, a triangle or a bilinear quadrangle between nodes; a triangle with six nodes is cut into four. The signed distance g of x to the nearest point y of a face with normal n is

      within a face   g = n . (x - y),   else   g = +-|x - y|,  n = (x - y)/g,   with the sign of the adjacent face of largest |n . (x - y)|

  so that g changes by no more than x and the nodes move, and  dg = n . (dx - sum N_k dx_k)  with the shape functions N_k at y. The surface ends at its rim, NS_RIM of a face beyond its last nodes, where
  its faces are continued (N_k outside of 0..1): nodes that lie just on the edge of both bodies stay in contact. Beyond the rim g is the distance to the continued surface, > 0 on both sides, and n the
  face's normal.

  J. A. Baerentzen, H. Aanaes, Signed distance computation using the angle weighted pseudonormal, IEEE Trans. Vis. Comput. Graph. 11 (2005), 243-253.
*/
#pragma once
#include "surface.h"

#define NS_RIM 0.02

enum { NS_FACET_NODES = 4 };

typedef struct NsFaces NsFaces;

typedef struct {
  PetscInt  nodes, node[NS_FACET_NODES]; /* of the surface */
  PetscReal N[NS_FACET_NODES], n[3];     /* weights, their sum is 1; unit normal towards x */
  PetscReal facet_normal[3];             /* outward, of the face */
  PetscReal gap;                         /* m */
  PetscBool beyond;                      /* the rim: x is not opposite to the surface */
  PetscBool inside;                      /* x projects onto the face, between its edges */
} NsNearest;

/* (set-up) Everything in the arena. The surface is not owned. */
NsFaces *NsFacesCreate(NsArena *arena, const NsFeSurface *surface);
/* [nodes][3] where they are, m: to be written, then NsFacesPlace. */
PetscReal (*NsFacesPositions(NsFaces *faces))[3];
void NsFacesPlace(NsFaces *faces);
/* (undeformed) The largest angle, rad, by which neighbouring faces differ in direction, among angles below NS_CORNER; larger angles are corners of the body, not of the mesh. at: the middle of the edge. */
#define NS_CORNER 0.8
PetscReal NsFacesTurn(NsArena *arena, const NsFaces *faces, PetscReal at[3]);
void      NsFacesNearest(const NsFaces *faces, const PetscReal x[3], NsNearest *nearest);
/* Whether something within this ball may be wanted. */
typedef PetscBool (*NsFacesWanted)(const void *data, const PetscReal centre[3], PetscReal radius);
/* The faces of the surface (not their pieces) that lie in wanted balls, ascending, list[faces of the surface]; of a face with six nodes a corner and the middles of two edges have to. Returns their
   number. */
PetscInt NsFacesSelect(const NsFaces *faces, NsFacesWanted wanted, const void *data, PetscInt *list);
