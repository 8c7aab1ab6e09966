/*
  Tetrahedron of ten nodes, quadratic; four points. Nodes as Gmsh numbers them: after the corners the middles of the edges 01 12 20 30 23 13 (VTK has the last two the other way round).

  The edges by which mass is redistributed join corners and middles, half an edge each.
*/
#include "solid.h"

static const PetscReal nodes[10][3] = {
  {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0, 0.5, 0.5}, {0.5, 0, 0.5}};
static const PetscInt edges[24][2] = {{0, 4}, {4, 1}, {1, 5}, {5, 2}, {2, 6}, {6, 0}, {3, 7}, {7, 0}, {2, 8}, {8, 3}, {1, 9}, {9, 3}, {4, 5}, {5, 6},
  {6, 4}, {4, 9}, {9, 7}, {7, 4}, {5, 8}, {8, 9}, {9, 5}, {6, 8}, {8, 7}, {7, 6}};
static const PetscInt ends[6][2]   = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}};
#define A 0.585410196624968515
#define B 0.138196601125010504
static const PetscReal xi_4[4][3] = {{B, B, B}, {A, B, B}, {B, A, B}, {B, B, A}}, weight_4[4] = {1. / 24, 1. / 24, 1. / 24, 1. / 24};
/* Of degree 5, N_a N_b exactly where edges are straight: 14 points. N. J. Walkington, Quadrature on simplices of arbitrary dimension, Carnegie Mellon University (2000). */
#define P  0.31088591926330060980
#define Q  0.09273525031089122628
#define R  0.04550370412564964949
#define S  (0.5 - R)
#define WP (0.11268792571801585080 / 6)
#define WQ (0.07349304311636194934 / 6)
#define WR (0.04254602077708146686 / 6)
static const PetscReal xi_14[14][3]  = {{P, P, P}, {1 - 3 * P, P, P}, {P, 1 - 3 * P, P}, {P, P, 1 - 3 * P}, {Q, Q, Q}, {1 - 3 * Q, Q, Q},
   {Q, 1 - 3 * Q, Q}, {Q, Q, 1 - 3 * Q}, {R, R, S}, {R, S, R}, {S, R, R}, {R, S, S}, {S, R, S}, {S, S, R}};
static const PetscReal weight_14[14] = {WP, WP, WP, WP, WQ, WQ, WQ, WQ, WR, WR, WR, WR, WR, WR};

static void shape(const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3])
{
  const PetscReal L[4] = {1 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};

  for (int a = 0; a < 4; a++) {
    N[a] = L[a] * (2 * L[a] - 1);
    for (int k = 0; k < 3; k++) dN[a][k] = a == 0 ? 1 - 4 * L[0] : a == k + 1 ? 4 * L[a] - 1 : 0;
  }
  for (int e = 0; e < 6; e++) {
    const int i = ends[e][0], j = ends[e][1];
    N[4 + e] = 4 * L[i] * L[j];
    for (int k = 0; k < 3; k++) {
      const PetscReal di = i == 0 ? -1 : i == k + 1, dj = j == 0 ? -1 : j == k + 1;
      dN[4 + e][k] = 4 * (di * L[j] + L[i] * dj);
    }
  }
}

static void weights(const PetscReal xi[3], PetscReal *weight)
{
  PetscReal dN[10][3];

  shape(xi, weight, dN);
}

const NsSolidShape NsSolidShape_Tet10 =
  {.nodes = 10, .dimension = 3, .shape = shape, .stiffness = {4, xi_4, weight_4}, .mass = {14, xi_14, weight_14}, .hrz = PETSC_TRUE};

static const NsElementCell    cell    = {NS_CELL_QUADRATIC_TETRA, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}, {0.25, 0.25, 0.25}};
static const NsElementPicture picture = {0, 1, NULL, &cell};

const NsElementType NsElementType_Tet10 =
  {.name = "tet10", .nodes = 10, .node = nodes, .edges = 24, .edge = edges, .picture = &picture, .weights = weights, NS_SOLID_ELEMENT};
