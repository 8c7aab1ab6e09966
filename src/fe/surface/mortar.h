/*
  Dual mortar: how the nodes of one surface (slave) follow the surface opposite to it (master).

      D_j = int Phi_j dA,   M_jk = int Phi_j N_k(chi) dA,   g_j = int Phi_j h dA / D_j          row of node j:  sum_k (M_jk/D_j) u_k - u_j

  chi: the master's point opposite to a point of the slave, h the distance along the slave's normal, integrals over the covered part of the slave. Dual functions of a face, by its covered part:

      D_e = diag(int N_j),  M_e = int N N',  Phi = D_e M_e^-1 N          so that int Phi_i N_j = 0 for i != j, and sum Phi = 1

  Of triangles with six nodes only the middles of edges carry forces (under an even pressure the corners carry nothing): Phi = 1 - 2 L_opposite, whose integral is a third of the face and whose
  centre is the middle of the edge. Rows reproduce rigid motions and every linear displacement, so that patch tests hold to rounding.

  In the plane the ends of the master's lines are projected onto the slave's line along its interpolated nodal normals (a quadratic equation), three points a piece. In space both faces are projected
  onto the plane of the slave's face, the overlap is a polygon (Sutherland, Hodgman), cut into triangles about its centroid.

  B. I. Wohlmuth, A mortar finite element method using dual spaces for the Lagrange multiplier, SIAM J. Numer. Anal. 38 (2000), 989-1012.
  A. Popp, M. W. Gee, W. A. Wall, A finite deformation mortar contact formulation using a primal-dual active set strategy, Int. J. Numer. Methods Eng. 79 (2009), 1354-1391.
*/
#pragma once
#include "surface.h"

/* A point of integration on a slave's face. */
typedef struct {
  PetscReal xi[2], eta[2]; /* on the slave's face; on the master's */
  PetscReal weight, gap;   /* m^2 (with the depth of plane bodies); h, m */
  PetscInt  face;          /* of the master */
} NsMortarPoint;

/* A growing list of them. */
typedef struct {
  PetscInt       count, room;
  NsMortarPoint *point;
} NsMortarPoints;

typedef struct {
  PetscInt   rows;
  PetscInt  *slave;             /* [rows] nodes of the slave surface */
  PetscReal *area, *gap;        /* [rows] D_j, m^2; g_j, m */
  PetscInt  *first, *master;    /* [rows + 1]; [entries] nodes of the master surface */
  PetscReal *weight;            /* [entries] M_jk/D_j */
  PetscReal  covered, whole;    /* m^2 of the slave surface */
  PetscInt   left_out;          /* nodes whose D_j is too small a part of their area; */
  PetscReal  first_left_out[3]; /* where the first of them is */
  PetscInt   folded;            /* a face of the slave opposite to several faces at one place; -1: none is */
} NsFeMortar;

/* Everything in the arena. */
PetscErrorCode NsFeMortarCreate(NsFe *fe, const NsFeSurface *slave, const NsFeSurface *master, NsFeMortar *mortar);
/* The points of a face of the slave: mortar_plane.c, mortar_space.c. */
PetscErrorCode NsMortarPlane(
  const NsFeSurface *slave, const NsFeSurface *master, PetscInt face, PetscInt candidates, const PetscInt *candidate, NsMortarPoints *points);
PetscErrorCode NsMortarSpace(
  const NsFeSurface *slave, const NsFeSurface *master, PetscInt face, PetscInt candidates, const PetscInt *candidate, NsMortarPoints *points);
PetscErrorCode NsMortarAdd(NsMortarPoints *points, const NsMortarPoint *point);
/* Whether faces with these vector areas look at each other. */
static inline PetscBool NsMortarFaces(const PetscReal a[3], const PetscReal b[3])
{
  return NsDot3(a, b) < -0.1 * PetscSqrtReal(NsDot3(a, a) * NsDot3(b, b));
}
