/* Mortar: integrals over faces, summed into rows of nodes. */
#include <string.h>
#include "faces.h"
#include "mortar.h"

#define NS_LEAST_SHARE   1e-3 /* of its area that the covered part of a node must have */
#define NS_LEAST_COVERED 1e-4 /* of a face: less is left out, for its matrix is singular */

typedef struct {
  PetscInt  slave, master;
  PetscReal value;
} Entry;

typedef struct {
  NsFe              *fe;
  const NsFeSurface *slave, *master;
  NsMortarPoints     points;       /* of one face */
  NsFaces           *faces;        /* of the master */
  PetscInt          *candidate;    /* [faces of the master] scratch */
  PetscReal (*middle)[3], *radius; /* [faces of the master] */
  PetscReal  largest;              /* of these */
  PetscReal *D, *gap;              /* [nodes of the slave] sums */
  PetscInt   entries, room;
  Entry     *entry;
} Mortar;

PetscErrorCode NsMortarAdd(NsMortarPoints *points, const NsMortarPoint *point)
{
  PetscFunctionBegin;
  if (points->count == points->room) {
    points->room = 2 * points->room + 64;
    PetscCall(PetscRealloc(sizeof(*points->point) * (size_t)points->room, &points->point));
  }
  points->point[points->count++] = *point;
  PetscFunctionReturn(0);
}

static PetscErrorCode add_entry(Mortar *self, PetscInt slave, PetscInt master, PetscReal value)
{
  PetscFunctionBegin;
  if (self->entries == self->room) {
    self->room = 2 * self->room + 1024;
    PetscCall(PetscRealloc(sizeof(*self->entry) * (size_t)self->room, &self->entry));
  }
  self->entry[self->entries++] = (Entry){slave, master, value};
  PetscFunctionReturn(0);
}

static void extent_of(const NsFeSurface *surface, PetscInt face, PetscReal middle[3], PetscReal *radius)
{
  const PetscInt *of = surface->face[face];

  *radius = 0;
  for (int k = 0; k < 3; k++) {
    middle[k] = 0;
    for (PetscInt a = 0; a < surface->corners; a++) middle[k] += surface->x[of[a]][k] / (PetscReal)surface->corners;
  }
  for (PetscInt a = 0; a < surface->corners; a++) {
    PetscReal length = 0;
    for (int k = 0; k < 3; k++) length += PetscSqr(surface->x[of[a]][k] - middle[k]);
    *radius = PetscMax(*radius, PetscSqrtReal(length));
  }
}

/* Where faces of the master may be opposite to one of the slave: up to the size of the surfaces away along its normal, and not farther away across it. */
typedef struct {
  PetscReal n[3], middle[3], most, radius, largest;
} Cone;

/* Middles of faces are within `near` of `at`, their radii within `size`. */
static PetscBool in_cone(const Cone *cone, const PetscReal at[3], PetscReal near, PetscReal size)
{
  PetscReal d[3];

  for (int k = 0; k < 3; k++) d[k] = at[k] - cone->middle[k];
  const PetscReal along = NsDot3(d, cone->n), across = NsDot3(d, d) - along * along, reach = cone->radius + size + near;
  return PetscAbsReal(along) <= cone->most + reach && across <= PetscSqr(reach + near + PetscAbsReal(along));
}

static PetscBool ball_in_cone(const void *data, const PetscReal centre[3], PetscReal radius)
{
  const Cone *cone = data;

  return in_cone(cone, centre, radius + 2 * cone->largest, cone->largest);
}

static PetscInt find_candidates(Mortar *self, PetscInt face)
{
  Cone     cone  = {.most = PetscMax(self->slave->size, self->master->size), .largest = self->largest};
  PetscInt count = 0;

  NsFaceVector(self->slave, face, cone.n);
  (void)NsUnit3(cone.n);
  extent_of(self->slave, face, cone.middle, &cone.radius);
  const PetscInt near = NsFacesSelect(self->faces, ball_in_cone, &cone, self->candidate);
  for (PetscInt k = 0; k < near; k++) {
    const PetscInt f = self->candidate[k];
    if (in_cone(&cone, self->middle[f], 0, self->radius[f])) self->candidate[count++] = f;
  }
  return count;
}

/* What spans the multipliers: the shape functions of corners, or those of the middles of edges that are linear, 1 - 2 L_opposite. */
static void carriers_at(const NsFeSurface *slave, const PetscReal xi[2], PetscReal *C)
{
  const PetscReal L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]};

  if (slave->of_face == slave->corners)
    NsFaceShape(slave, xi, C);
  else
    for (int a = 0; a < 3; a++) C[a] = 1 - 2 * L[(a + 2) % 3];
}

/* Z = D M^-1 by Gauss-Jordan with M symmetric and positive definite. */
static PetscBool dual_basis(PetscInt n, PetscReal M[4][4], const PetscReal D[4], PetscReal Z[4][4])
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) Z[i][j] = i == j;
  }
  for (PetscInt k = 0; k < n; k++) {
    const PetscReal pivot = M[k][k];
    if (!(pivot > 0)) return PETSC_FALSE;
    for (PetscInt j = 0; j < n; j++) {
      M[k][j] /= pivot;
      Z[k][j] /= pivot;
    }
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal f = M[i][k];
      for (PetscInt j = 0; i != k && j < n; j++) {
        M[i][j] -= f * M[k][j];
        Z[i][j] -= f * Z[k][j];
      }
    }
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) Z[i][j] *= D[i];
  }
  return PETSC_TRUE;
}

static PetscErrorCode add_face(Mortar *self, PetscInt face, NsFeMortar *mortar)
{
  const NsFeSurface *slave = self->slave, *master = self->master;
  const PetscInt     n = NsFaceCarriers(slave), *carrier = slave->face[face] + NsFaceFirst(slave);
  PetscReal          M[4][4] = {{0}}, D[4] = {0}, Z[4][4], vector[3], area, covered = 0, r = 0;

  PetscFunctionBegin;
  NsFaceVector(slave, face, vector);
  for (PetscInt a = 0; a < slave->corners; a++) r += slave->x[slave->face[face][a]][0] / (PetscReal)slave->corners;
  area = PetscSqrtReal(NsDot3(vector, vector)) * NsFaceDepth(slave->body, r);
  for (PetscInt p = 0; p < self->points.count; p++) {
    const NsMortarPoint *point            = &self->points.point[p];
    PetscReal            C[NS_FACE_NODES] = {0};
    carriers_at(slave, point->xi, C);
    covered += point->weight;
    for (PetscInt a = 0; a < n; a++) {
      D[a] += point->weight * C[a];
      for (PetscInt b = 0; b < n; b++) M[a][b] += point->weight * C[a] * C[b];
    }
  }
  mortar->whole += area;
  mortar->covered += covered;
  if (covered > 1.01 * area && mortar->folded < 0) mortar->folded = face;
  if (covered < NS_LEAST_COVERED * area || !dual_basis(n, M, D, Z)) PetscFunctionReturn(0);
  for (PetscInt a = 0; a < n; a++) self->D[carrier[a]] += D[a];
  for (PetscInt p = 0; p < self->points.count;) {
    const PetscInt other                 = self->points.point[p].face;
    PetscReal      sum[4][NS_FACE_NODES] = {{0}};
    for (; p < self->points.count && self->points.point[p].face == other; p++) {
      const NsMortarPoint *point            = &self->points.point[p];
      PetscReal            C[NS_FACE_NODES] = {0}, N[NS_FACE_NODES];
      carriers_at(slave, point->xi, C);
      NsFaceShape(master, point->eta, N);
      for (PetscInt a = 0; a < n; a++) {
        PetscReal phi = 0;
        for (PetscInt b = 0; b < n; b++) phi += Z[a][b] * C[b];
        for (PetscInt k = 0; k < master->of_face; k++) sum[a][k] += point->weight * phi * N[k];
        self->gap[carrier[a]] += point->weight * phi * point->gap;
      }
    }
    for (PetscInt a = 0; a < n; a++) {
      for (PetscInt k = 0; k < master->of_face; k++) PetscCall(add_entry(self, carrier[a], master->face[other][k], sum[a][k]));
    }
  }
  PetscFunctionReturn(0);
}

static int by_nodes(const void *a, const void *b)
{
  const Entry *one = a, *two = b;

  if (one->slave != two->slave) return one->slave < two->slave ? -1 : 1;
  return (one->master > two->master) - (one->master < two->master);
}

/* Sums of entries into rows, nodes in ascending order of their numbers in the model's mesh, which `slave` lists. */
static void make_rows(Mortar *self, NsFeMortar *mortar)
{
  NsArena       *arena = self->fe->arena;
  const PetscInt nodes = self->slave->nodes;

  /* Of equal nodes few entries: their order does not matter beyond rounding. */
  if (self->entries) qsort(self->entry, (size_t)self->entries, sizeof(*self->entry), by_nodes);
  mortar->slave  = NsArenaAlloc(arena, sizeof(*mortar->slave) * (size_t)nodes);
  mortar->area   = NsArenaAlloc(arena, sizeof(*mortar->area) * (size_t)nodes);
  mortar->gap    = NsArenaAlloc(arena, sizeof(*mortar->gap) * (size_t)nodes);
  mortar->first  = NsArenaAlloc(arena, sizeof(*mortar->first) * (size_t)(nodes + 1));
  mortar->master = NsArenaAlloc(arena, sizeof(*mortar->master) * (size_t)(self->entries + 1));
  mortar->weight = NsArenaAlloc(arena, sizeof(*mortar->weight) * (size_t)(self->entries + 1));
  for (PetscInt e = 0, at = 0; e < self->entries;) {
    const PetscInt  j   = self->entry[e].slave;
    const PetscReal D   = self->D[j];
    const PetscBool has = D >= NS_LEAST_SHARE * self->slave->area[j];
    if (has) {
      mortar->slave[mortar->rows]   = j;
      mortar->area[mortar->rows]    = D;
      mortar->gap[mortar->rows]     = self->gap[j] / D;
      mortar->first[mortar->rows++] = at;
    } else if (!mortar->left_out++)
      memcpy(mortar->first_left_out, self->slave->x[j], sizeof(mortar->first_left_out));
    while (e < self->entries && self->entry[e].slave == j) {
      const PetscInt k   = self->entry[e].master;
      PetscReal      sum = 0;
      for (; e < self->entries && self->entry[e].slave == j && self->entry[e].master == k; e++) sum += self->entry[e].value;
      if (!has || PetscAbsReal(sum) < 1e-13 * D) continue;
      mortar->master[at]   = k;
      mortar->weight[at++] = sum / D;
    }
    mortar->first[mortar->rows] = at;
  }
}

PetscErrorCode NsFeMortarCreate(NsFe *fe, const NsFeSurface *slave, const NsFeSurface *master, NsFeMortar *mortar)
{
  Mortar self = {.fe = fe, .slave = slave, .master = master};

  PetscFunctionBegin;
  *mortar = (NsFeMortar){.folded = -1};
  PetscCall(PetscCalloc5(
    master->faces, &self.candidate, master->faces, &self.middle, master->faces, &self.radius, slave->nodes, &self.D, slave->nodes, &self.gap));
  for (PetscInt f = 0; f < master->faces; f++) {
    extent_of(master, f, self.middle[f], &self.radius[f]);
    self.largest = PetscMax(self.largest, self.radius[f]);
  }
  self.faces = NsFacesCreate(fe->arena, master);
  for (PetscInt f = 0; f < slave->faces; f++) {
    const PetscInt count = find_candidates(&self, f);
    self.points.count    = 0;
    PetscCall((slave->dimension == 2 ? NsMortarPlane : NsMortarSpace)(slave, master, f, count, self.candidate, &self.points));
    PetscCall(add_face(&self, f, mortar));
  }
  make_rows(&self, mortar);
  PetscCall(PetscFree5(self.candidate, self.middle, self.radius, self.D, self.gap));
  PetscCall(PetscFree(self.points.point));
  PetscCall(PetscFree(self.entry));
  PetscFunctionReturn(0);
}
