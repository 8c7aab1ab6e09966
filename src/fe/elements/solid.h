/*
  What the elements of solid bodies have in common: triangles, quadrangles, tetrahedra, hexahedra. A file of each has its shape functions and points of integration.

  Isoparametric displacements u = sum_a N_a(xi) q_a, small strains e = (xx, yy, zz, xy, yz, zx; shears are angles), stresses s = C e:

      K = sum_points w B'C B        w = det J times the weight of the point, in the plane times the thickness, axisymmetric times 2 pi r

  In the plane (x, y): plane strain e_zz = 0; plane stress s_zz = 0, by C with the row and column of zz eliminated. Axisymmetric: x = r, y along the axis, e_zz = u_r/r around it
  (N_a/r; on the axis the limit is du_r/dr); masses and forces are those of the whole ring. Always: e_yz = e_zx = 0.

  Quadrangles and hexahedra have three formulations:

      standard      as above. Locks in bending, and near poisson = 1/2.
      b_bar         the volume change is its mean over the element:  B + 1/3 m (mean(m'B) - m'B)',  m = (1, 1, 1, 0, 0, 0).  Against locking near poisson = 1/2.
      incompatible  further displacements 1 - xi_k^2 within the element, k = 1 ... dimension, gradient (det J0/det J) J0^-T d/dxi, J0 in the middle; their B_a less its mean over the element, so
                    that constant stresses do no work on them. They follow without mass, a = A q, A = -K_aa^-1 K_aq:  K = K_qq + K_qa A.  Against both kinds of locking.

  All pass the patch test. b_bar and incompatible are not stiffer than standard.

  Elements with fewer corners (src/mesh/collapsed.h): the shape functions of coinciding nodes are added, in the natural coordinates of the whole element. det J times their gradients are
  polynomials that the Gauss points integrate exactly: they pass the patch test, too. They have no incompatible modes. The Jacobian vanishes where a side has shrunk, at nodes only: strains there are
  those a little inside.

  Mass: consistent, rho int N_a N_b; lumped by row sums, rho int N_a, which keeps the centre; of ten-node tetrahedra in proportion to the diagonal of the consistent one (HRZ: 1/36 of the mass at
  the corners, 4/27 at the middles of edges), for their row sums are negative at the corners.

  T. J. R. Hughes, The finite element method, Prentice-Hall (1987), sec. 4.5 (B-bar).
  R. L. Taylor, P. J. Beresford, E. L. Wilson, A non-conforming element for stress analysis, Int. J. Numer. Methods Eng. 10 (1976), 1211-1219.
  A. Ibrahimbegovic, E. L. Wilson, A modified method of incompatible modes, Commun. Appl. Numer. Methods 7 (1991), 187-194 (the mean).
  E. Hinton, T. Rock, O. C. Zienkiewicz, A note on mass lumping and related processes in the finite element method, Earthq. Eng. Struct. Dyn. 4 (1976), 245-249 (HRZ).
*/
#pragma once
#include <stdbool.h>
#include "element.h"
#include "mesh/collapsed.h"

enum { NS_SOLID_POINTS = 8, NS_SOLID_STRAINS = 6, NS_SOLID_MODES = 3 };

typedef enum { NS_SOLID_SPACE, NS_SOLID_PLANE_STRAIN, NS_SOLID_PLANE_STRESS, NS_SOLID_AXISYMMETRIC } NsSolidState;
typedef enum { NS_SOLID_INCOMPATIBLE, NS_SOLID_B_BAR, NS_SOLID_STANDARD } NsSolidFormulation;

/* What a body and an element's kind are. */
typedef struct {
  NsSolidState       state;
  NsSolidFormulation formulation; /* standard where the element has no other */
  PetscReal          thickness;   /* m, in the plane; else 1 */
} NsSolidTheory;

typedef struct {
  PetscReal density;
  PetscReal C[NS_SOLID_STRAINS * NS_SOLID_STRAINS]; /* Pa, as the state has it */
  PetscBool isotropic;
} NsSolidMaterial;

/* Shape functions N[nodes] and their derivatives dN[nodes][3] with respect to xi. */
typedef void (*NsSolidShapeFunctions)(const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3]);

typedef struct {
  PetscInt points;
  const PetscReal (*xi)[3];
  const PetscReal *weight;
} NsSolidRule;

/* Of an element type. */
typedef struct {
  PetscInt              nodes, dimension;
  NsSolidShapeFunctions shape;
  NsSolidRule           stiffness, mass;
  PetscBool             has_modes; /* formulations other than standard */
  PetscBool             hrz;       /* how its mass is lumped */
} NsSolidShape;

/* The geometry and material of elements that are alike; made by NsSolidCellMake. */
typedef struct {
  const NsSolidShape    *shape;
  const NsMeshCollapse  *collapse; /* an element with fewer corners than its shape; else NULL */
  const NsSolidTheory   *theory;
  const NsSolidMaterial *material;
  PetscInt               nodes;      /* of the element, each once */
  PetscReal  x[NS_ELEMENT_NODES][3]; /* of the nodes relative to the first one, but for r, which is absolute where the state is axisymmetric */
  PetscReal *modes;                  /* A [modes * dimension, nodes * dimension]; NULL: none */
  PetscReal *root; /* of cells that several elements share, NsSolidCellShare; else NULL: K = root' root, [nodes * dimension, rank] */
  PetscInt   rank;
  PetscReal *middle; /* of the same cells: strains in the middle for unit displacements, [nodes * dimension, 6]; at middle_xi */
  PetscReal  middle_xi[3];
} NsSolidCell;

/* The data of an element. */
typedef struct {
  const NsSolidCell *cell;
} NsSolidElement;

/* src/fe/elements/elasticity.c: material->C */
void NsSolidIsotropic(NsSolidState state, PetscReal young, PetscReal poisson, NsSolidMaterial *material);
/* Axes 1, 2, 3 of the material: young[3] along them, poisson[3] and shear[3] of 12, 13, 23; nu_12 is minus the strain along 2 over that along 1 under tension along 1. axes[3]: unit vectors.
   In the plane one of them is along z. False: some motion would have no or a negative energy. */
bool NsSolidOrthotropic(
  NsSolidState state, const double young[3], const double poisson[3], const double shear[3], PetscReal axes[3][3], NsSolidMaterial *material);
/* e: of a solid body. */
const NsSolidCell *NsSolidCellOf(const NsFeElement *e);
/* The functions of the nodes of an element, and their derivatives with respect to xi; in collapsed elements the functions of coinciding nodes are added. */
void NsSolidFunctions(const NsSolidCell *cell, const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3]);
/* How many incompatible modes it has. */
PetscInt NsSolidModes(const NsSolidCell *cell);
/* Fills cell->modes[modes * dimension, nodes * dimension], once the rest is there. */
PetscErrorCode NsSolidCellMake(NsSolidCell *cell);
/* Makes cell->root in the arena, from which the energy of an element takes a tenth of the time, and cell->middle for the strains at xi. */
PetscErrorCode NsSolidCellShare(NsSolidCell *cell, const PetscReal xi[3], NsArena *arena);
/* Displacements q of an element (node after node, those of the body's dimension) to strains and stresses at a point. */
void NsSolidStress(
  const NsSolidCell *cell, const PetscReal *q, const PetscReal xi[3], PetscReal strain[NS_SOLID_STRAINS], PetscReal stress[NS_SOLID_STRAINS]);
/* How an element is drawn: collapsed triangles and tetrahedra as such, prisms and pyramids as hexahedra that have corners twice. */
const NsElementPicture *NsSolidPicture(const NsElementType *type, const NsFeElement *e);
/* The shape of the elements of a type; NULL: it is no solid. */
const NsSolidShape *NsSolidShapeOf(const NsElementType *type);

extern const NsSolidShape NsSolidShape_Tri3, NsSolidShape_Quad4, NsSolidShape_Tet4, NsSolidShape_Tet10, NsSolidShape_Hex8;

/* Entries of NsElementType. */
void      NsSolidMass(const NsFeBody *body, const NsFeElement *e, PetscReal *M);
void      NsSolidStiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *K);
void      NsSolidMove(const NsFeBody *body, const NsFeElement *e, const PetscReal xi[3], PetscReal (*move)[3], PetscReal (*turn)[3]);
PetscReal NsSolidEnergy(const NsFeBody *body, const NsFeElement *e, const PetscReal *q);
void      NsSolidOutputs(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const PetscReal xi[3], PetscReal *value);
void      NsSolidResults(
       const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const NsElementLoads *loads, const PetscReal xi[3], NsElementResults *results);
PetscReal                NsSolidTotalMass(const NsFeBody *body, const NsFeElement *e);
PetscBool                NsSolidAlike(const NsFeElement *a, const NsFeElement *b, PetscReal tolerance);
extern const char *const NsSolidOutputNames[]; /* stresses, then strains (shear: angles); of plane stress without ezz */

#define NS_SOLID_ELEMENT \
  .size = sizeof(NsSolidElement), .solid = PETSC_TRUE, .mass = NsSolidMass, .stiffness = NsSolidStiffness, .shape = NsSolidMove, \
  .energy = NsSolidEnergy, .output_names = NsSolidOutputNames, .outputs = NsSolidOutputs, .results = NsSolidResults, .total_mass = NsSolidTotalMass, \
  .alike = NsSolidAlike
