/* Quadrangle of four nodes, bilinear; 2 x 2 points. */
#include "solid.h"

static const PetscReal nodes[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
static const PetscInt  edges[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
#define G 0.577350269189625764509
static const PetscReal xi_2[4][3] = {{-G, -G, 0}, {G, -G, 0}, {G, G, 0}, {-G, G, 0}}, weight_2[4] = {1, 1, 1, 1};
/* Of three by three points: N_a N_b r det J has the degree 4 in each direction. */
#define H  0.774596669241483377036
#define W0 (8. / 9)
#define W1 (5. / 9)
static const PetscReal xi_3[9][3]  = {{-H, -H, 0}, {0, -H, 0}, {H, -H, 0}, {-H, 0, 0}, {0, 0, 0}, {H, 0, 0}, {-H, H, 0}, {0, H, 0}, {H, H, 0}};
static const PetscReal weight_3[9] = {W1 * W1, W0 *W1, W1 *W1, W1 *W0, W0 *W0, W1 *W0, W1 *W1, W0 *W1, W1 *W1};

static void shape(const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3])
{
  for (int a = 0; a < 4; a++) {
    const PetscReal f = 1 + nodes[a][0] * xi[0], g = 1 + nodes[a][1] * xi[1];
    N[a]     = f * g / 4;
    dN[a][0] = nodes[a][0] * g / 4;
    dN[a][1] = nodes[a][1] * f / 4;
    dN[a][2] = 0;
  }
}

static void weights(const PetscReal xi[3], PetscReal *weight)
{
  PetscReal dN[4][3];

  shape(xi, weight, dN);
}

const NsSolidShape NsSolidShape_Quad4 =
  {.nodes = 4, .dimension = 2, .shape = shape, .stiffness = {4, xi_2, weight_2}, .mass = {9, xi_3, weight_3}, .has_modes = PETSC_TRUE};

static const NsElementCell    cell    = {NS_CELL_QUAD, {0, 1, 2, 3}, {0, 0, 0}};
static const NsElementPicture picture = {0, 1, NULL, &cell};

const NsElementType NsElementType_Quad4 =
  {.name = "quad4", .nodes = 4, .node = nodes, .edges = 4, .edge = edges, .picture = &picture, .weights = weights, NS_SOLID_ELEMENT};
