/*
  Matrices, strains and energies of solid elements (solid.h).

  The incompatible modes are treated as further nodes: all that enters of a node is the gradient G of its function at a point, and h = N/r where the state is axisymmetric.
*/
#include <string.h>
#include "core/tensor.h"
#include "fe/model/fe.h"
#include "solid.h"
#include "mesh/determinant.h"
#include <petscblaslapack.h>

#define NS_INSIDE 0.99 /* largest natural coordinates at which strains of collapsed elements are evaluated */

enum { FUNCTIONS = NS_ELEMENT_NODES + 1, COLUMNS = 3 * FUNCTIONS }; /* nodes and modes: 10, or 8 + 3 */

/* All functions of an element at one point. */
typedef struct {
  PetscReal w; /* volume that the point stands for, m^3 */
  PetscReal G[FUNCTIONS][3], h[FUNCTIONS];
} Point;

/* The same at its points of integration, and means over the volume. */
typedef struct {
  PetscInt  functions; /* nodes, then modes */
  Point     point[NS_SOLID_POINTS];
  PetscReal volume;
  Point     mean;                /* of G and h of the modes */
  PetscReal trace[FUNCTIONS][3]; /* mean of m'B of the nodes */
} Points;

/* J[k][i] = dx_i/dxi_k, in the plane with 1 along z; returns its determinant. */
static PetscReal jacobian(const NsSolidCell *cell, PetscReal (*dN)[3], PetscReal J[3][3])
{
  const PetscInt d = cell->shape->dimension;

  for (PetscInt k = 0; k < 3; k++) {
    for (PetscInt i = 0; i < 3; i++) {
      J[k][i] = k == i && k >= d ? 1 : 0;
      for (PetscInt a = 0; a < cell->nodes && k < d && i < d; a++) J[k][i] += dN[a][k] * cell->x[a][i];
    }
  }
  return NsDeterminant3(J);
}

static void invert(PetscReal J[3][3], PetscReal det, PetscReal inverse[3][3])
{
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      const int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
      inverse[i][k] = (J[a][c] * J[b][e] - J[a][e] * J[b][c]) / det;
    }
  }
}

/* G = J^-1 dN/dxi */
static void to_space(PetscReal inverse[3][3], const PetscReal dN[3], PetscReal G[3])
{
  for (int i = 0; i < 3; i++) G[i] = inverse[i][0] * dN[0] + inverse[i][1] * dN[1] + inverse[i][2] * dN[2];
}

PetscInt NsSolidModes(const NsSolidCell *cell)
{
  return cell->theory->formulation == NS_SOLID_INCOMPATIBLE && !cell->collapse ? cell->shape->dimension : 0;
}

void NsSolidFunctions(const NsSolidCell *cell, const PetscReal xi[3], PetscReal *N, PetscReal (*dN)[3])
{
  const NsMeshCollapse *collapse = cell->collapse;
  PetscReal             whole[NS_ELEMENT_NODES], gradient[NS_ELEMENT_NODES][3];

  if (!collapse) {
    cell->shape->shape(xi, N, dN);
    return;
  }
  cell->shape->shape(xi, whole, gradient);
  for (PetscInt a = 0; a < cell->nodes; a++) N[a] = dN[a][0] = dN[a][1] = dN[a][2] = 0;
  for (PetscInt k = 0; k < cell->shape->nodes; k++) {
    const int a = collapse->node_at[k];
    N[a] += whole[k];
    for (int i = 0; i < 3; i++) dN[a][i] += gradient[k][i];
  }
}

/* G and h of the nodes at a point; returns det J times 2 pi r or the thickness. On the axis, where N/r is 0/0, h of a displacement that vanishes there is dN/dr. */
static PetscReal nodes_at(const NsSolidCell *cell, const PetscReal xi[3], Point *point, PetscReal *det, PetscReal *radius)
{
  PetscReal N[NS_ELEMENT_NODES], dN[NS_ELEMENT_NODES][3], J[3][3], inverse[3][3], at[3], r = 0, size = 0;

  for (int k = 0; k < 3; k++) at[k] = cell->collapse ? PetscMax(-NS_INSIDE, PetscMin(NS_INSIDE, xi[k])) : xi[k];
  NsSolidFunctions(cell, at, N, dN);
  *det = jacobian(cell, dN, J);
  invert(J, *det, inverse);
  for (PetscInt a = 0; a < cell->nodes; a++) {
    to_space(inverse, dN[a], point->G[a]);
    r += N[a] * cell->x[a][0];
    size = PetscMax(size, cell->x[a][0]);
  }
  *radius = r;
  if (cell->theory->state != NS_SOLID_AXISYMMETRIC) {
    for (PetscInt a = 0; a < cell->nodes; a++) point->h[a] = 0;
    return *det * cell->theory->thickness;
  }
  for (PetscInt a = 0; a < cell->nodes; a++) point->h[a] = r > 1e-12 * size ? N[a] / r : point->G[a][0];
  return *det * 2 * PETSC_PI * r;
}

/* The same of the modes 1 - xi_k^2. */
static void modes_at(const NsSolidCell *cell, const PetscReal xi[3], PetscReal det, PetscReal radius, Point *point)
{
  static const PetscReal middle[3] = {0, 0, 0};
  const PetscInt         modes     = NsSolidModes(cell);
  PetscReal              N[NS_ELEMENT_NODES], dN[NS_ELEMENT_NODES][3], J[3][3], inverse[3][3];

  if (!modes) return;
  NsSolidFunctions(cell, middle, N, dN);
  const PetscReal det0 = jacobian(cell, dN, J);
  invert(J, det0, inverse);
  for (PetscInt k = 0; k < modes; k++) {
    PetscReal dP[3] = {0, 0, 0};
    dP[k]           = -2 * xi[k] * det0 / det;
    to_space(inverse, dP, point->G[cell->nodes + k]);
    point->h[cell->nodes + k] = cell->theory->state == NS_SOLID_AXISYMMETRIC && radius > 0 ? (1 - xi[k] * xi[k]) / radius : 0;
  }
}

/* All of it at a point, before means are taken out. */
static void functions_at(const NsSolidCell *cell, const PetscReal xi[3], Point *point)
{
  PetscReal det, radius;

  point->w = nodes_at(cell, xi, point, &det, &radius);
  modes_at(cell, xi, det, radius, point);
}

static void less_mean(const NsSolidCell *cell, const Points *points, Point *point)
{
  for (PetscInt a = cell->nodes; a < points->functions; a++) {
    for (int i = 0; i < 3; i++) point->G[a][i] -= points->mean.G[a][i];
    point->h[a] -= points->mean.h[a];
  }
}

static void make_points(const NsSolidCell *cell, Points *points)
{
  const NsSolidShape *shape = cell->shape;
  const NsSolidRule  *rule  = &shape->stiffness;

  points->functions = cell->nodes + NsSolidModes(cell);
  points->volume    = 0;
  memset(&points->mean, 0, sizeof(points->mean));
  memset(points->trace, 0, sizeof(points->trace));
  for (PetscInt p = 0; p < rule->points; p++) {
    Point *point = &points->point[p];
    functions_at(cell, rule->xi[p], point);
    point->w *= rule->weight[p];
    points->volume += point->w;
    for (PetscInt a = 0; a < points->functions; a++) {
      for (int i = 0; i < 3; i++) {
        points->mean.G[a][i] += point->w * point->G[a][i];
        points->trace[a][i] += point->w * (point->G[a][i] + (i == 0 ? point->h[a] : 0));
      }
      points->mean.h[a] += point->w * point->h[a];
    }
  }
  for (PetscInt a = 0; a < points->functions; a++) {
    for (int i = 0; i < 3; i++) {
      points->mean.G[a][i] /= points->volume;
      points->trace[a][i] /= points->volume;
    }
    points->mean.h[a] /= points->volume;
  }
  for (PetscInt p = 0; p < rule->points; p++) less_mean(cell, points, &points->point[p]);
}

/* The strains of unit motions: column a * dimension + i of B [6, columns] for function a along axis i. */
static void strain_rows(const NsSolidCell *cell, const Points *points, const Point *point, PetscReal B[NS_SOLID_STRAINS][COLUMNS])
{
  const PetscInt d = cell->shape->dimension;

  for (PetscInt a = 0; a < points->functions; a++) {
    const PetscReal *G = point->G[a], h = point->h[a];
    for (PetscInt i = 0; i < d; i++) {
      const PetscInt  c      = a * d + i;
      const PetscReal change = cell->theory->formulation == NS_SOLID_B_BAR ? (points->trace[a][i] - G[i] - (i == 0 ? h : 0)) / 3 : 0;
      for (int s = 0; s < 3; s++) B[s][c] = (s == i ? G[i] : 0) + change;
      if (i == 0) B[2][c] += h;
      B[3][c] = i == 0 ? G[1] : i == 1 ? G[0] : 0;
      B[4][c] = d < 3 ? 0 : i == 1 ? G[2] : i == 2 ? G[1] : 0;
      B[5][c] = d < 3 ? 0 : i == 0 ? G[2] : i == 2 ? G[0] : 0;
    }
  }
}

/* K[n, n] += w B'C B, n columns. */
static void add_product(const NsSolidMaterial *material, PetscInt n, PetscReal w, PetscReal B[NS_SOLID_STRAINS][COLUMNS], PetscReal *K)
{
  PetscReal CB[NS_SOLID_STRAINS][COLUMNS];

  for (int s = 0; s < NS_SOLID_STRAINS; s++) {
    for (PetscInt j = 0; j < n; j++) CB[s][j] = 0;
    for (int r = 0; r < NS_SOLID_STRAINS; r++) {
      const PetscReal c = w * material->C[NS_SOLID_STRAINS * s + r];
      for (PetscInt j = 0; j < n && c != 0; j++) CB[s][j] += c * B[r][j];
    }
  }
  for (PetscInt i = 0; i < n; i++) {
    for (int s = 0; s < NS_SOLID_STRAINS; s++) {
      const PetscReal b = B[s][i];
      for (PetscInt j = i; j < n && b != 0; j++) K[i * n + j] += b * CB[s][j];
    }
  }
}

/* Of nodes and modes, [n, n]; symmetric to the last bit. */
static PetscInt whole_stiffness(const NsSolidCell *cell, PetscReal *K)
{
  Points    points;
  PetscReal B[NS_SOLID_STRAINS][COLUMNS];

  make_points(cell, &points);
  const PetscInt n = points.functions * cell->shape->dimension;
  for (PetscInt i = 0; i < n * n; i++) K[i] = 0;
  for (PetscInt p = 0; p < cell->shape->stiffness.points; p++) {
    strain_rows(cell, &points, &points.point[p], B);
    add_product(cell->material, n, points.point[p].w, B, K);
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < i; j++) K[i * n + j] = K[j * n + i];
  }
  return n;
}

PetscErrorCode NsSolidCellMake(NsSolidCell *cell)
{
  const PetscInt d = cell->shape->dimension, n = cell->nodes * d, m = NsSolidModes(cell) * d;
  PetscReal      K[COLUMNS * COLUMNS], inner[9 * 9], right[9 * NS_ELEMENT_UNKNOWNS];
  PetscBLASInt   size = (PetscBLASInt)m, columns = (PetscBLASInt)n, info;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(0);
  const PetscInt all = whole_stiffness(cell, K);
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < m; j++) inner[i * m + j] = K[(n + i) * all + n + j];
    for (PetscInt j = 0; j < n; j++) right[j * m + i] = -K[(n + i) * all + j];
  }
  LAPACKpotrf_("U", &size, inner, &size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dpotrf returned %d for the incompatible modes of an element", (int)info);
  LAPACKpotrs_("U", &size, &columns, inner, &size, right, &size, &info);
  for (PetscInt i = 0; i < m * n; i++) cell->modes[i] = right[(i % n) * m + i / n];
  PetscFunctionReturn(0);
}

/* K of the nodes, modes condensed. */
static void condensed_stiffness(const NsSolidCell *cell, PetscReal *result)
{
  const PetscInt d = cell->shape->dimension, n = cell->nodes * d, m = NsSolidModes(cell) * d;
  PetscReal      K[COLUMNS * COLUMNS];

  const PetscInt all = whole_stiffness(cell, K);
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i; j < n; j++) {
      PetscReal sum = K[i * all + j];
      for (PetscInt k = 0; k < m; k++) sum += K[i * all + n + k] * cell->modes[k * n + j];
      result[i * n + j] = result[j * n + i] = sum;
    }
  }
}

const NsSolidCell *NsSolidCellOf(const NsFeElement *e)
{
  return ((const NsSolidElement *)e->data)->cell;
}

/* A matrix of the nodes to one of the places of the whole element, where a node has its first place; zero elsewhere. */
static void spread(const NsSolidCell *cell, const PetscReal *X, PetscReal *result)
{
  const PetscInt d = cell->shape->dimension, n = cell->nodes * d, all = cell->shape->nodes * d;

  memset(result, 0, sizeof(*result) * (size_t)(all * all));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++)
      result[(cell->collapse->position[i / d] * d + i % d) * all + cell->collapse->position[j / d] * d + j % d] = X[i * n + j];
  }
}

/* Displacements of the places to those of the nodes; room[NS_ELEMENT_UNKNOWNS]. */
static const PetscReal *gather(const NsSolidCell *cell, const PetscReal *q, PetscReal *room)
{
  const PetscInt d = cell->shape->dimension;

  if (!cell->collapse) return q;
  for (PetscInt i = 0; i < cell->nodes * d; i++) room[i] = q[cell->collapse->position[i / d] * d + i % d];
  return room;
}

void NsSolidStiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *result)
{
  const NsSolidCell *cell = NsSolidCellOf(e);
  PetscReal          K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

  (void)body;
  condensed_stiffness(cell, cell->collapse ? K : result);
  if (cell->collapse) spread(cell, K, result);
}

/* ---- mass --------------------------------------------------------------------------------------------------------------------------------------- */

/* m[a, b] = rho int N_a N_b, or (diagonal) rho int N_a at [a, a]; returns rho int 1. */
static PetscReal node_masses(const NsSolidCell *cell, PetscBool diagonal, PetscReal *m)
{
  const NsSolidShape *shape = cell->shape;
  const PetscInt      n     = cell->nodes;
  PetscReal           mass  = 0;

  for (PetscInt i = 0; i < n * n; i++) m[i] = 0;
  for (PetscInt p = 0; p < shape->mass.points; p++) {
    PetscReal N[NS_ELEMENT_NODES], dN[NS_ELEMENT_NODES][3], J[3][3], r = 0;
    NsSolidFunctions(cell, shape->mass.xi[p], N, dN);
    for (PetscInt a = 0; a < n; a++) r += N[a] * cell->x[a][0];
    const PetscReal w = cell->material->density * shape->mass.weight[p] * jacobian(cell, dN, J) *
                        (cell->theory->state == NS_SOLID_AXISYMMETRIC ? 2 * PETSC_PI * r : cell->theory->thickness);
    mass += w;
    for (PetscInt i = 0; i < n * n; i++) {
      if (!diagonal)
        m[i] += w * N[i / n] * N[i % n];
      else if (i % (n + 1) == 0)
        m[i] += w * (shape->hrz ? N[i / n] * N[i / n] : N[i / n]);
    }
  }
  if (!diagonal || !shape->hrz) return mass;
  PetscReal sum = 0;
  for (PetscInt a = 0; a < n; a++) sum += m[a * (n + 1)];
  for (PetscInt a = 0; a < n; a++) m[a * (n + 1)] *= mass / sum;
  return mass;
}

void NsSolidMass(const NsFeBody *body, const NsFeElement *e, PetscReal *M)
{
  const NsSolidCell *cell = NsSolidCellOf(e);
  const PetscInt     d = cell->shape->dimension, nodes = cell->nodes, n                                                = nodes * d;
  PetscReal          m[NS_ELEMENT_NODES * NS_ELEMENT_NODES], own[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], *of_nodes = cell->collapse ? own : M;

  (void)node_masses(cell, body->lumped, m);
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) of_nodes[i * n + j] = i % d == j % d ? m[(i / d) * nodes + j / d] : 0;
  }
  if (cell->collapse) spread(cell, own, M);
}

PetscReal NsSolidTotalMass(const NsFeBody *body, const NsFeElement *e)
{
  PetscReal m[NS_ELEMENT_NODES * NS_ELEMENT_NODES];

  (void)body;
  return node_masses(NsSolidCellOf(e), PETSC_TRUE, m);
}

/* ---- strains, stresses, energy ------------------------------------------------------------------------------------------------------------------ */

/* Values of all functions, [functions * dimension]: displacements relative to the first node, which strain nothing but u_r/r, and the modes that follow from them. */
static void all_values(const NsSolidCell *cell, const PetscReal *q, PetscReal *value)
{
  const PetscInt d = cell->shape->dimension, n = cell->nodes * d, m = NsSolidModes(cell) * d;

  for (PetscInt i = 0; i < n; i++) value[i] = q[i] - (i % d == 0 && cell->theory->state == NS_SOLID_AXISYMMETRIC ? 0 : q[i % d]);
  for (PetscInt k = 0; k < m; k++) {
    value[n + k] = 0;
    for (PetscInt j = 0; j < n; j++) value[n + k] += cell->modes[k * n + j] * value[j];
  }
}

static void strain_at(const NsSolidCell *cell, const Points *points, const Point *point, const PetscReal *value, PetscReal strain[NS_SOLID_STRAINS])
{
  const PetscInt d    = cell->shape->dimension;
  PetscReal      H[9] = {0}, hoop = 0, trace = 0; /* H[3 i + j] = du_i/dx_j */

  for (PetscInt a = 0; a < points->functions; a++) {
    for (PetscInt i = 0; i < d; i++) {
      const PetscReal u = value[a * d + i];
      for (PetscInt j = 0; j < d; j++) H[3 * i + j] += u * point->G[a][j];
      trace += u * points->trace[a][i];
    }
    hoop += value[a * d] * point->h[a];
  }
  const PetscReal change = cell->theory->formulation == NS_SOLID_B_BAR ? (trace - H[0] - H[4] - H[8] - hoop) / 3 : 0;
  strain[0]              = H[0] + change;
  strain[1]              = H[4] + change;
  strain[2]              = H[8] + hoop + change;
  strain[3]              = H[1] + H[3];
  strain[4]              = H[5] + H[7];
  strain[5]              = H[2] + H[6];
}

static void stress_of(const NsSolidMaterial *material, const PetscReal strain[NS_SOLID_STRAINS], PetscReal stress[NS_SOLID_STRAINS])
{
  for (int s = 0; s < NS_SOLID_STRAINS; s++) stress[s] = 0;
  for (int r = 0; r < NS_SOLID_STRAINS; r++) { /* sums of all components side by side */
    for (int s = 0; s < NS_SOLID_STRAINS; s++) stress[s] += material->C[NS_SOLID_STRAINS * s + r] * strain[r];
  }
}

/* |root q|^2/2: the strains of the modes phi_k of K, scaled; what rigid motions leave there is rounding of them, as of strains at points. */
static PetscReal shared_energy(const NsSolidCell *cell, const PetscReal *q)
{
  const PetscInt d = cell->shape->dimension, n = cell->nodes * d, rank = cell->rank, whole = cell->theory->state == NS_SOLID_AXISYMMETRIC;
  PetscReal      y[NS_ELEMENT_UNKNOWNS] = {0}, sum = 0;

  for (PetscInt i = 0; i < n; i++) {
    const PetscReal  u   = q[i] - (i % d == 0 && whole ? 0 : q[i % d]);
    const PetscReal *row = cell->root + i * rank;
    for (PetscInt k = 0; k < rank; k++) y[k] += row[k] * u;
  }
  for (PetscInt k = 0; k < rank; k++) sum += y[k] * y[k];
  return sum / 2;
}

PetscReal NsSolidEnergy(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  const NsSolidCell *cell = NsSolidCellOf(e);
  PetscReal          value[COLUMNS], strain[NS_SOLID_STRAINS], stress[NS_SOLID_STRAINS], room[NS_ELEMENT_UNKNOWNS], energy = 0;
  Points             points;

  (void)body;
  q = gather(cell, q, room);
  if (cell->root) return shared_energy(cell, q);
  make_points(cell, &points);
  all_values(cell, q, value);
  for (PetscInt p = 0; p < cell->shape->stiffness.points; p++) {
    strain_at(cell, &points, &points.point[p], value, strain);
    stress_of(cell->material, strain, stress);
    for (int s = 0; s < NS_SOLID_STRAINS; s++) energy += points.point[p].w * strain[s] * stress[s] / 2;
  }
  return energy;
}

/* At xi, of the values of all functions. */
static void strain_of(const NsSolidCell *cell, const PetscReal *value, const PetscReal xi[3], PetscReal strain[NS_SOLID_STRAINS])
{
  Points points;
  Point  point;

  make_points(cell, &points);
  functions_at(cell, xi, &point);
  less_mean(cell, &points, &point);
  strain_at(cell, &points, &point, value, strain);
}

/* K = sum_k lambda_k phi_k phi_k', without the eigenvalues of rigid motions, which are 0 up to rounding. */
PetscErrorCode NsSolidCellShare(NsSolidCell *cell, const PetscReal xi[3], NsArena *arena)
{
  const PetscInt n = cell->nodes * cell->shape->dimension;
  PetscReal      K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], lambda[NS_ELEMENT_UNKNOWNS], work[8 * NS_ELEMENT_UNKNOWNS], value[COLUMNS];
  PetscBLASInt   size = (PetscBLASInt)n, space = 8 * NS_ELEMENT_UNKNOWNS, info;

  PetscFunctionBegin;
  condensed_stiffness(cell, K);
  LAPACKsyev_("V", "U", &size, K, &size, lambda, work, &space, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dsyev returned %d for the stiffness matrix of an element", (int)info);
  PetscInt first = 0;
  while (first < n && lambda[first] <= 1e-12 * lambda[n - 1]) first++;
  cell->rank = n - first;
  cell->root = NsArenaAlloc(arena, sizeof(*cell->root) * (size_t)(n * cell->rank));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < cell->rank; k++) cell->root[i * cell->rank + k] = PetscSqrtReal(lambda[first + k]) * K[(first + k) * n + i];
  }
  cell->middle = NsArenaAlloc(arena, sizeof(*cell->middle) * (size_t)(NS_SOLID_STRAINS * n));
  for (int k = 0; k < 3; k++) cell->middle_xi[k] = xi[k];
  PetscCall(PetscMemzero(value, sizeof(value)));
  for (PetscInt i = 0; i < n; i++) {
    PetscReal strain[NS_SOLID_STRAINS];
    value[i] = 1;
    for (PetscInt m = 0; m < NsSolidModes(cell) * cell->shape->dimension; m++) value[n + m] = cell->modes[m * n + i];
    strain_of(cell, value, xi, strain);
    value[i] = 0;
    for (int s = 0; s < NS_SOLID_STRAINS; s++) cell->middle[i * NS_SOLID_STRAINS + s] = strain[s];
  }
  PetscFunctionReturn(0);
}

static void strain_in_middle(const NsSolidCell *cell, const PetscReal *q, PetscReal strain[NS_SOLID_STRAINS])
{
  const PetscInt d = cell->shape->dimension, n = cell->nodes * d, whole = cell->theory->state == NS_SOLID_AXISYMMETRIC;

  for (int s = 0; s < NS_SOLID_STRAINS; s++) strain[s] = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal  u   = q[i] - (i % d == 0 && whole ? 0 : q[i % d]);
    const PetscReal *row = cell->middle + i * NS_SOLID_STRAINS;
    for (int s = 0; s < NS_SOLID_STRAINS; s++) strain[s] += row[s] * u;
  }
}

void NsSolidStress(
  const NsSolidCell *cell, const PetscReal *q, const PetscReal xi[3], PetscReal strain[NS_SOLID_STRAINS], PetscReal stress[NS_SOLID_STRAINS])
{
  PetscReal value[COLUMNS], room[NS_ELEMENT_UNKNOWNS];

  q = gather(cell, q, room);
  if (cell->middle && xi[0] == cell->middle_xi[0] && xi[1] == cell->middle_xi[1] && xi[2] == cell->middle_xi[2]) {
    strain_in_middle(cell, q, strain);
  } else {
    all_values(cell, q, value);
    strain_of(cell, value, xi, strain);
  }
  stress_of(cell->material, strain, stress);
}

const char *const NsSolidOutputNames[] = {"sxx", "syy", "szz", "sxy", "syz", "szx", "exx", "eyy", "ezz", "gxy", "gyz", "gzx", NULL};

void NsSolidOutputs(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const PetscReal xi[3], PetscReal *value)
{
  (void)body;
  NsSolidStress(NsSolidCellOf(e), q, xi, value + NS_SOLID_STRAINS, value);
}

void NsSolidResults(
  const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const NsElementLoads *loads, const PetscReal xi[3], NsElementResults *results)
{
  static const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  PetscReal        strain[NS_SOLID_STRAINS], stress[NS_SOLID_STRAINS];

  (void)body;
  (void)loads;
  NsSolidStress(NsSolidCellOf(e), q, xi, strain, stress);
  *results = (NsElementResults){.stress = NsTensorMises(stress)};
  for (int i = 0; i < 9; i++) {
    results->tensor[i] = stress[place[i]];
    results->strain[i] = strain[place[i]] / (place[i] < 3 ? 1 : 2);
  }
}

/* ---- the rest ----------------------------------------------------------------------------------------------------------------------------------- */

void NsSolidMove(const NsFeBody *body, const NsFeElement *e, const PetscReal xi[3], PetscReal (*move)[3], PetscReal (*turn)[3])
{
  const NsSolidCell *cell = NsSolidCellOf(e);
  const PetscInt     d    = cell->shape->dimension;
  PetscReal          N[NS_ELEMENT_NODES], dN[NS_ELEMENT_NODES][3];

  NsSolidFunctions(cell, xi, N, dN);
  for (PetscInt i = 0; i < cell->shape->nodes * d; i++) {
    const int       position = (int)(i / d);
    const PetscReal weight   = NsMeshRepeated(cell->collapse, position) ? 0 : N[cell->collapse ? cell->collapse->node_at[position] : position];
    for (int k = 0; k < 3; k++) {
      move[i][k] = weight * body->direction[i % d][k];
      turn[i][k] = 0;
    }
  }
}

PetscBool NsSolidAlike(const NsFeElement *a, const NsFeElement *b, PetscReal tolerance)
{
  (void)tolerance;
  return NsSolidCellOf(a) == NsSolidCellOf(b);
}

const NsElementPicture *NsSolidPicture(const NsElementType *type, const NsFeElement *e)
{
  static const NsElementCell    triangle = {NS_CELL_TRIANGLE, {0, 1, 2}, {0, 0, 0}}, tetrahedron = {NS_CELL_TETRA, {0, 1, 2, 4}, {0, 0, 0}};
  static const NsElementPicture of_triangle = {0, 1, NULL, &triangle}, of_tetrahedron = {0, 1, NULL, &tetrahedron};
  const NsMeshCollapse         *collapse = NsSolidCellOf(e)->collapse;

  if (collapse && collapse->shape == &NsMeshShape_Tri3) return &of_triangle;
  return collapse && collapse->shape == &NsMeshShape_Tet4 ? &of_tetrahedron : type->picture;
}

const NsSolidShape *NsSolidShapeOf(const NsElementType *type)
{
  static const struct {
    const NsElementType *type;
    const NsSolidShape  *shape;
  } all[] = {{&NsElementType_Tri3, &NsSolidShape_Tri3}, {&NsElementType_Quad4, &NsSolidShape_Quad4}, {&NsElementType_Tet4, &NsSolidShape_Tet4},
    {&NsElementType_Tet10, &NsSolidShape_Tet10}, {&NsElementType_Hex8, &NsSolidShape_Hex8}};

  for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
    if (all[k].type == type) return all[k].shape;
  }
  return NULL;
}
