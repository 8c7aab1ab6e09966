/* Triangle of three nodes: constant strains; one point. Stiff: for parts of a mesh where nothing bends. */
#include "solid.h"

static const PetscReal nodes[3][3]  = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const PetscInt  edges[3][2]  = {{0, 1}, {1, 2}, {2, 0}};
static const PetscReal middle[1][3] = {{1. / 3, 1. / 3, 0}}, half[1] = {0.5};
/* Of degree 4: N_a N_b r. D. A. Dunavant, Int. J. Numer. Methods Eng. 21 (1985). */
#define A 0.445948490915965
#define B 0.091576213509771
static const PetscReal mass_xi[6][3] = {{A, A, 0}, {1 - 2 * A, A, 0}, {A, 1 - 2 * A, 0}, {B, B, 0}, {1 - 2 * B, B, 0}, {B, 1 - 2 * B, 0}};
#define WA (0.223381589678011 / 2)
#define WB (0.109951743655322 / 2)
static const PetscReal mass_weight[6] = {WA, WA, WA, WB, WB, WB};

static void shape(const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3])
{
  N[0] = 1 - xi[0] - xi[1];
  N[1] = xi[0];
  N[2] = xi[1];
  for (int k = 0; k < 3; k++) {
    dN[0][k] = k < 2 ? -1 : 0;
    dN[1][k] = k == 0;
    dN[2][k] = k == 1;
  }
}

static void weights(const PetscReal xi[3], PetscReal *weight)
{
  PetscReal dN[3][3];

  shape(xi, weight, dN);
}

const NsSolidShape NsSolidShape_Tri3 = {.nodes = 3,
  .dimension                                   = 2,
  .shape                                       = shape,
  .stiffness                                   = {1, middle, half},
  .mass                                        = {6, mass_xi, mass_weight}};

static const NsElementCell    cell    = {NS_CELL_TRIANGLE, {0, 1, 2}, {1. / 3, 1. / 3, 0}};
static const NsElementPicture picture = {0, 1, NULL, &cell};

const NsElementType NsElementType_Tri3 =
  {.name = "tri3", .nodes = 3, .node = nodes, .edges = 3, .edge = edges, .picture = &picture, .weights = weights, NS_SOLID_ELEMENT};
