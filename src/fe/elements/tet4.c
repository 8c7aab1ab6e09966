/* Tetrahedron of four nodes: constant strains; one point. Bends with half the deflection: ten-node tetrahedra or hexahedra are better. */
#include "solid.h"

static const PetscReal nodes[4][3]  = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const PetscInt  edges[6][2]  = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}};
static const PetscReal middle[1][3] = {{0.25, 0.25, 0.25}}, sixth[1] = {1. / 6};
/* Of degree 2: N_a N_b. */
#define A 0.585410196624968515
#define B 0.138196601125010504
static const PetscReal mass_xi[4][3] = {{B, B, B}, {A, B, B}, {B, A, B}, {B, B, A}}, mass_weight[4] = {1. / 24, 1. / 24, 1. / 24, 1. / 24};

static void shape(const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3])
{
  N[0] = 1 - xi[0] - xi[1] - xi[2];
  for (int k = 0; k < 3; k++) {
    N[1 + k] = xi[k];
    dN[0][k] = -1;
    for (int a = 1; a < 4; a++) dN[a][k] = a == 1 + k;
  }
}

static void weights(const PetscReal xi[3], PetscReal *weight)
{
  PetscReal dN[4][3];

  shape(xi, weight, dN);
}

const NsSolidShape NsSolidShape_Tet4 = {.nodes = 4,
  .dimension                                   = 3,
  .shape                                       = shape,
  .stiffness                                   = {1, middle, sixth},
  .mass                                        = {4, mass_xi, mass_weight}};

static const NsElementCell    cell    = {NS_CELL_TETRA, {0, 1, 2, 3}, {0.25, 0.25, 0.25}};
static const NsElementPicture picture = {0, 1, NULL, &cell};

const NsElementType NsElementType_Tet4 =
  {.name = "tet4", .nodes = 4, .node = nodes, .edges = 6, .edge = edges, .picture = &picture, .weights = weights, NS_SOLID_ELEMENT};
