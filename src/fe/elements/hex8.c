/* Hexahedron of eight nodes, trilinear; 2 x 2 x 2 points, also for the mass. */
#include "solid.h"

static const PetscReal nodes[8][3]  = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
static const PetscInt  edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
#define G 0.577350269189625764509
static const PetscReal xi_2[8][3]  = {{-G, -G, -G}, {G, -G, -G}, {G, G, -G}, {-G, G, -G}, {-G, -G, G}, {G, -G, G}, {G, G, G}, {-G, G, G}};
static const PetscReal weight_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};

static void shape(const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3])
{
  for (int a = 0; a < 8; a++) {
    const PetscReal f = 1 + nodes[a][0] * xi[0], g = 1 + nodes[a][1] * xi[1], h = 1 + nodes[a][2] * xi[2];
    N[a]     = f * g * h / 8;
    dN[a][0] = nodes[a][0] * g * h / 8;
    dN[a][1] = nodes[a][1] * f * h / 8;
    dN[a][2] = nodes[a][2] * f * g / 8;
  }
}

static void weights(const PetscReal xi[3], PetscReal *weight)
{
  PetscReal dN[8][3];

  shape(xi, weight, dN);
}

const NsSolidShape NsSolidShape_Hex8 =
  {.nodes = 8, .dimension = 3, .shape = shape, .stiffness = {8, xi_2, weight_2}, .mass = {8, xi_2, weight_2}, .has_modes = PETSC_TRUE};

static const NsElementCell    cell    = {NS_CELL_HEXAHEDRON, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 0}};
static const NsElementPicture picture = {0, 1, NULL, &cell};

const NsElementType NsElementType_Hex8 =
  {.name = "hex8", .nodes = 8, .node = nodes, .edges = 12, .edge = edges, .picture = &picture, .weights = weights, NS_SOLID_ELEMENT};
