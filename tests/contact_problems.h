/*
  Local problems of many contacts, for tests and benchmarks: all from a kind, two sizes, a coefficient of friction and a seed.

      wall R C     R rows of C boxes 2 x 1 x 1 m of 1 kg in running bond on the ground, four contacts at each interface, pushed sideways the more the higher: hyperstatic, G of low rank
      planar R C   the same in the plane, two contacts at each interface
      tower R 1    boxes upon each other
      joints R C   a wall of which every fourth box is held to its neighbour by a ball joint, and with restitution
      block N      an elastic block of N x N x 2 hexahedra, all nodes of its bottom on a plane, thrown down and sideways; an implicit step (M + h^2/4 K): G dense
*/
#pragma once
#include <math.h>
#include <string.h>
#include "percuss/local.h"

/* LAPACK's Cholesky factors of banded matrices. */
extern void dpbtrf_(const char *, const PetscBLASInt *, const PetscBLASInt *, PetscReal *, const PetscBLASInt *, PetscBLASInt *);
extern void dpbtrs_(const char *, const PetscBLASInt *, const PetscBLASInt *, const PetscBLASInt *, const PetscReal *, const PetscBLASInt *,
  PetscReal *, const PetscBLASInt *, PetscBLASInt *);

typedef struct {
  NsLocalProblem problem;
  NsLocalSparse  sparse;
  PetscInt      *start;
  PetscReal     *b, *G;
} ContactCase;

static uint64_t contact_seed;

static PetscReal contact_uniform(void)
{
  contact_seed = contact_seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((PetscReal)(contact_seed >> 12) + 0.5) / (PetscReal)(1ULL << 52);
}

/* Normal, of variance 1 (Box & Muller). */
static PetscReal contact_normal(void)
{
  const PetscReal u = contact_uniform(), v = contact_uniform();

  return sqrt(-2 * log(u)) * cos(2 * PETSC_PI * v);
}

static void contact_begin(PetscInt seed)
{
  contact_seed = 11400714819323198485U * (uint64_t)(seed + 1);
  for (int i = 0; i < 10; i++) (void)contact_uniform();
}

static PetscErrorCode contact_case_create(PetscInt contacts, PetscInt rows, ContactCase *it)
{
  PetscFunctionBegin;
  memset(it, 0, sizeof(*it));
  it->problem = (NsLocalProblem){.contacts = contacts, .rows = rows};
  PetscCall(PetscCalloc4(contacts + 1, &it->start, rows, &it->b, contacts, &it->problem.friction, contacts, &it->problem.bilateral));
  it->problem.start = it->start;
  it->problem.b     = it->b;
  PetscFunctionReturn(0);
}

static PetscErrorCode contact_case_destroy(ContactCase *it)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(it->start, it->b, it->problem.friction, it->problem.bilateral));
  PetscCall(PetscFree(it->G));
  PetscCall(PetscFree4(it->sparse.U.first, it->sparse.U.place, it->sparse.U.at, it->sparse.U.value));
  PetscCall(PetscFree(it->sparse.Y.value));
  PetscCall(PetscFree(it->sparse.v));
  PetscFunctionReturn(0);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscInt  body[2]; /* the second -1: the ground */
  PetscReal at[3];
  PetscBool joint;
} BoxContact;

typedef struct {
  PetscInt    rows, columns, contacts, room;
  BoxContact *contact;
} BoxWall;

static PetscErrorCode box_contact(BoxWall *wall, PetscInt i, PetscInt j, PetscReal x, PetscReal y, PetscReal z, PetscBool joint)
{
  PetscFunctionBegin;
  if (wall->contacts == wall->room) {
    wall->room = 2 * wall->room + 64;
    PetscCall(PetscRealloc(sizeof(BoxContact) * (size_t)wall->room, &wall->contact));
  }
  wall->contact[wall->contacts++] = (BoxContact){{i, j}, {x, y, z}, joint};
  PetscFunctionReturn(0);
}

/* Left edge of a box. */
static PetscInt box_left(const BoxWall *wall, PetscInt i)
{
  return 2 * (i % wall->columns) + (i / wall->columns) % 2;
}

static PetscErrorCode list_box_contacts(BoxWall *wall, PetscBool planar, PetscBool tower, PetscBool joints)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < wall->rows * wall->columns; i++) {
    const PetscInt row = i / wall->columns, left = tower ? 0 : box_left(wall, i);
    for (PetscInt j = row == 0 ? -1 : (row - 1) * wall->columns; j < (row == 0 ? 0 : row * wall->columns); j++) {
      const PetscInt below = j < 0 || tower ? left : box_left(wall, j), low = PetscMax(left, below), high = PetscMin(left, below) + 2;
      for (int side = 0; side < 2 && low < high; side++) {
        for (int depth = 0; depth < (planar ? 1 : 2); depth++)
          PetscCall(box_contact(wall, i, j, (PetscReal)(side ? high : low), depth, (PetscReal)row, PETSC_FALSE));
      }
    }
    if (joints && i % 4 == 1) PetscCall(box_contact(wall, i, i - 1, (PetscReal)left, 0.5, (PetscReal)row + 0.5, PETSC_TRUE));
  }
  PetscFunctionReturn(0);
}

/* Row of a contact in one direction: what its velocity has of the unknowns of a body whose centre is `arm` away, times sign. */
static void box_row(PetscBool planar, const PetscReal d[3], const PetscReal arm[3], PetscReal sign, PetscReal *row)
{
  const PetscReal turn[3] = {arm[1] * d[2] - arm[2] * d[1], arm[2] * d[0] - arm[0] * d[2], arm[0] * d[1] - arm[1] * d[0]};

  if (planar) {
    row[0] = sign * d[0];
    row[1] = sign * d[2];
    row[2] = sign * turn[1];
    return;
  }
  for (int k = 0; k < 3; k++) {
    row[k]     = sign * d[k];
    row[3 + k] = sign * turn[k];
  }
}

static PetscErrorCode contact_boxes(const char *kind, PetscInt rows, PetscInt columns, PetscReal mu, PetscInt seed, ContactCase *it)
{
  static const PetscReal direction[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, inverse[6] = {1, 1, 1, 6, 12.0 / 5, 12.0 / 5};
  const PetscBool        planar = !strcmp(kind, "planar"), joints = !strcmp(kind, "joints");
  const PetscInt         unknowns = planar ? 3 : 6, m = planar ? 2 : 3;
  BoxWall                wall = {.rows = rows, .columns = columns};
  PetscReal             *v, dt = 0.01;

  PetscFunctionBegin;
  PetscCall(list_box_contacts(&wall, planar, !strcmp(kind, "tower"), joints));
  PetscCall(contact_case_create(wall.contacts, m * wall.contacts, it));
  NsLocalBlocks *U = &it->sparse.U, *Y = &it->sparse.Y;
  const size_t   wide = 2 * (size_t)(unknowns * wall.contacts);
  PetscCall(PetscMalloc4(wall.contacts + 1, &U->first, wall.contacts + 1, &U->place, wide, &U->at, (size_t)m * wide, &U->value));
  PetscCall(PetscMalloc1((size_t)m * wide, &Y->value));
  it->sparse.unknowns = unknowns * rows * columns;
  PetscCall(PetscCalloc1(it->sparse.unknowns, &it->sparse.v));
  PetscCall(PetscCalloc1(it->sparse.unknowns, &v));
  contact_begin(seed);
  for (PetscInt i = 0; i < rows * columns; i++) {
    v[unknowns * i + (planar ? 1 : 2)] = -9.81 * dt;
    v[unknowns * i]                    = 0.05 * (PetscReal)(i / columns) * dt * 10;
    for (PetscInt k = 0; k < unknowns; k++) v[unknowns * i + k] += 1e-3 * contact_normal();
  }
  U->first[0] = U->place[0] = 0;
  for (PetscInt c = 0; c < wall.contacts; c++) {
    const BoxContact *contact = &wall.contact[c];
    const PetscInt    sides = contact->body[1] < 0 ? 1 : 2, width = sides * unknowns;
    U->first[c + 1]          = U->first[c] + width;
    U->place[c + 1]          = U->place[c] + m * width;
    it->start[c + 1]         = it->start[c] + m;
    it->problem.friction[c]  = contact->joint ? 0 : mu;
    it->problem.bilateral[c] = contact->joint;
    for (PetscInt s = 0; s < sides; s++) { /* ascending: the second body is the lower one */
      const PetscInt  side = sides == 2 ? 1 - s : 0, i = contact->body[side];
      const PetscBool tower  = !strcmp(kind, "tower");
      const PetscReal arm[3] = {contact->at[0] - (tower ? 0 : (PetscReal)box_left(&wall, i)) - 1, planar ? 0 : contact->at[1] - 0.5,
        contact->at[2] - (PetscReal)(i / columns) - 0.5};
      for (PetscInt k = 0; k < unknowns; k++) U->at[U->first[c] + s * unknowns + k] = unknowns * i + k;
      for (PetscInt d = 0; d < m; d++) {
        PetscReal *row = U->value + U->place[c] + d * width + s * unknowns;
        box_row(planar, direction[d], arm, side == 0 ? 1 : -1, row);
        for (PetscInt k = 0; k < unknowns; k++) {
          Y->value[row - U->value + k] = row[k] * (planar ? inverse[k == 2 ? 4 : 0] : inverse[k]);
          it->b[it->start[c] + d] += row[k] * v[unknowns * i + k];
        }
      }
    }
    if (joints && !contact->joint && c % 3 == 0) it->b[it->start[c]] -= 0.01 * contact_uniform(); /* e u_N^- */
  }
  Y->first           = U->first;
  Y->place           = U->place;
  Y->at              = U->at;
  it->problem.sparse = &it->sparse;
  PetscCall(PetscFree(v));
  PetscCall(PetscFree(wall.contact));
  PetscFunctionReturn(0);
}

/* G of the boxes, dense: for solvers that require it. Small problems only. */
static inline PetscErrorCode contact_dense(ContactCase *it)
{
  const PetscInt   n = it->problem.rows;
  const PetscReal *b = it->problem.b;
  PetscReal       *P, *zero, *column;
  NsLocalProblem   unit = it->problem;

  PetscFunctionBegin;
  if (it->G) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1((size_t)n * (size_t)n, &it->G));
  PetscCall(PetscCalloc3(n, &P, n, &zero, n, &column));
  unit.b = zero;
  for (PetscInt j = 0; j < n; j++) {
    P[j] = 1;
    NsLocalVelocities(&unit, P, column);
    P[j] = 0;
    for (PetscInt i = 0; i < n; i++) it->G[i * n + j] = column[i];
  }
  PetscCall(PetscFree3(P, zero, column));
  it->problem.b = b;
  PetscFunctionReturn(0);
}

/* Other velocities of the bodies, by up to `size` times the largest b: as a step later. */
static inline void contact_perturb(ContactCase *it, PetscReal size)
{
  const NsLocalProblem *p       = &it->problem;
  const NsLocalBlocks  *U       = &it->sparse.U;
  PetscReal             largest = 0;

  for (PetscInt k = 0; k < p->rows; k++) largest = PetscMax(largest, PetscAbsReal(it->b[k]));
  for (PetscInt k = 0; k < p->rows && !p->sparse; k++) it->b[k] += size * largest * contact_normal();
  if (!p->sparse) return;
  for (PetscInt u = 0; u < it->sparse.unknowns; u++) it->sparse.v[u] = size * largest * contact_normal();
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt width = U->first[c + 1] - U->first[c];
    for (PetscInt k = p->start[c], at = U->place[c]; k < p->start[c + 1]; k++, at += width) {
      for (PetscInt j = 0; j < width; j++) it->b[k] += U->value[at + j] * it->sparse.v[U->at[U->first[c] + j]];
    }
  }
}

/* ---- the elastic block ------------------------------------------------------------------------------------------------------------------------ */

#define BLOCK_STEP    5e-6 /* s */
#define BLOCK_SIDE    0.01 /* m, of an element */
#define BLOCK_DENSITY 7800.0
#define BLOCK_YOUNG   210e9
#define BLOCK_POISSON 0.3

/* Stiffness and consistent mass of a cube by Gauss's rule of 2 x 2 x 2 points. */
static void hexahedron(PetscReal K[24][24], PetscReal M[24][24])
{
  const PetscReal lambda = BLOCK_YOUNG * BLOCK_POISSON / (1 + BLOCK_POISSON) / (1 - 2 * BLOCK_POISSON), shear = BLOCK_YOUNG / 2 / (1 + BLOCK_POISSON);
  const PetscReal volume = BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE / 8;

  memset(K, 0, 24 * 24 * sizeof(PetscReal));
  memset(M, 0, 24 * 24 * sizeof(PetscReal));
  for (int g = 0; g < 8; g++) {
    PetscReal N[8], dN[8][3];
    for (int a = 0; a < 8; a++) {
      PetscReal f[3], xi[3];
      for (int d = 0; d < 3; d++) {
        xi[d] = a >> d & 1 ? 1 : -1;
        f[d]  = 1 + xi[d] * (g >> d & 1 ? 1 : -1) / sqrt(3);
      }
      N[a] = f[0] * f[1] * f[2] / 8;
      for (int d = 0; d < 3; d++) dN[a][d] = xi[d] * f[(d + 1) % 3] * f[(d + 2) % 3] / 8 * 2 / BLOCK_SIDE;
    }
    for (int a = 0; a < 8; a++) {
      for (int b = 0; b < 8; b++) {
        const PetscReal dot = dN[a][0] * dN[b][0] + dN[a][1] * dN[b][1] + dN[a][2] * dN[b][2];
        for (int i = 0; i < 3; i++) {
          for (int j = 0; j < 3; j++)
            K[3 * a + i][3 * b + j] += volume * (lambda * dN[a][i] * dN[b][j] + shear * dN[a][j] * dN[b][i] + (i == j ? shear * dot : 0));
          M[3 * a + i][3 * b + i] += volume * BLOCK_DENSITY * N[a] * N[b];
        }
      }
    }
  }
}

static PetscErrorCode contact_block(PetscInt n, PetscReal mu, PetscInt seed, ContactCase *it)
{
  const PetscInt nodes = n + 1, contacts = nodes * nodes, all = 3 * 3 * contacts, band = 3 * (3 * (nodes + 1) + 2) + 2, lead = band + 1;
  PetscReal      K[24][24], M[24][24], *A, *X, *v, *f;
  PetscBLASInt size = (PetscBLASInt)all, width = (PetscBLASInt)band, height = (PetscBLASInt)lead, right = (PetscBLASInt)(3 * contacts), one = 1, info;

  PetscFunctionBegin;
  PetscCall(contact_case_create(contacts, 3 * contacts, it));
  PetscCall(PetscCalloc1((size_t)lead * (size_t)all, &A));
  PetscCall(PetscCalloc1((size_t)all * (size_t)(3 * contacts), &X));
  PetscCall(PetscCalloc2(all, &v, all, &f));
  PetscCall(PetscMalloc1((size_t)(9 * contacts * contacts), &it->G));
  hexahedron(K, M);
  contact_begin(seed);
#define BLOCK_NODE(i, j, k) (((j)*nodes + (i)) * 3 + (k)) /* three nodes of the height follow each other: a narrow band */
  for (PetscInt u = 0; u < all; u++) v[u] = u % 3 == 2 ? -1 + 0.1 * contact_normal() : u % 3 == 0 ? 0.4 : 0.1 * contact_normal();
  for (PetscInt e = 0; e < 2 * n * n; e++) {
    PetscInt dof[24];
    for (int a = 0; a < 8; a++) {
      const PetscInt node = BLOCK_NODE(e % n + (a & 1), e / n % n + (a >> 1 & 1), e / (n * n) + (a >> 2));
      for (int d = 0; d < 3; d++) dof[3 * a + d] = 3 * node + d;
    }
    for (int i = 0; i < 24; i++) {
      for (int j = 0; j < 24; j++) {
        f[dof[i]] += M[i][j] * v[dof[j]];
        if (dof[i] >= dof[j]) A[dof[i] - dof[j] + dof[j] * lead] += M[i][j] + BLOCK_STEP * BLOCK_STEP / 4 * K[i][j];
      }
    }
  }
  dpbtrf_("L", &size, &width, A, &height, &info);
  dpbtrs_("L", &size, &width, &one, A, &height, f, &size, &info);
  for (PetscInt c = 0; c < contacts; c++) {
    const PetscInt node = BLOCK_NODE(c % nodes, c / nodes, 0);
    for (int d = 0; d < 3; d++) X[(size_t)(3 * node + (d + 2) % 3) + (size_t)(3 * c + d) * (size_t)all] = 1;
  }
  dpbtrs_("L", &size, &width, &right, A, &height, X, &size, &info);
  for (PetscInt c = 0; c <= contacts; c++) it->start[c] = 3 * c;
  for (PetscInt c = 0; c < contacts; c++) {
    const PetscInt node     = BLOCK_NODE(c % nodes, c / nodes, 0);
    it->problem.friction[c] = mu;
    for (int d = 0; d < 3; d++) {
      const PetscInt u = 3 * node + (d + 2) % 3;
      it->b[3 * c + d] = f[u];
      for (PetscInt k = 0; k < 3 * contacts; k++) it->G[(3 * c + d) * 3 * contacts + k] = X[(size_t)u + (size_t)k * (size_t)all];
    }
  }
#undef BLOCK_NODE
  for (PetscInt i = 0; i < 3 * contacts; i++) {
    for (PetscInt j = 0; j < i; j++)
      it->G[i * 3 * contacts + j] = it->G[j * 3 * contacts + i] = (it->G[i * 3 * contacts + j] + it->G[j * 3 * contacts + i]) / 2;
  }
  it->problem.G = it->G;
  PetscCall(PetscFree(A));
  PetscCall(PetscFree(X));
  PetscCall(PetscFree2(v, f));
  PetscFunctionReturn(0);
}

/* Any of them by its word; a block takes its first size only. */
static PetscErrorCode contact_case(const char *kind, PetscInt rows, PetscInt columns, PetscReal mu, PetscInt seed, ContactCase *it)
{
  PetscFunctionBegin;
  PetscCall(strcmp(kind, "block") ? contact_boxes(kind, rows, columns, mu, seed, it) : contact_block(rows, mu, seed, it));
  PetscFunctionReturn(0);
}
