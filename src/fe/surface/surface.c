/* Surfaces: faces, normals and areas. */
#include <string.h>
#include "surface.h"

PetscReal NsFaceDepth(const NsFeBody *body, PetscReal r)
{
  return body->solid->state == NS_SOLID_AXISYMMETRIC ? 2 * PETSC_PI * r : body->solid->thickness;
}

void NsFaceShape(const NsFeSurface *surface, const PetscReal xi[2], PetscReal N[NS_FACE_NODES])
{
  if (surface->corners == 2) {
    for (int a = 0; a < 2; a++) N[a] = (1 + (a ? 1 : -1) * xi[0]) / 2;
  } else if (surface->corners == 4) {
    for (int a = 0; a < 4; a++) N[a] = (1 + (a == 1 || a == 2 ? 1 : -1) * xi[0]) * (1 + (a > 1 ? 1 : -1) * xi[1]) / 4;
  } else {
    const PetscReal L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]};
    for (int a = 0; a < 3; a++) {
      N[a] = surface->of_face == 6 ? L[a] * (2 * L[a] - 1) : L[a];
      if (surface->of_face == 6) N[3 + a] = 4 * L[a] * L[(a + 1) % 3];
    }
  }
}

PetscInt NsFaceCorners(const NsFeSurface *surface, PetscInt face, PetscInt corner[4])
{
  const PetscInt *of    = surface->face[face];
  PetscInt        count = 0;

  for (PetscInt a = 0; a < surface->corners; a++) {
    if (a == 0 || (of[a] != of[a - 1] && of[a] != of[0])) corner[count++] = of[a];
  }
  return count;
}

/* A triangle whose corners `twice` and the one behind it are the same: by its area coordinates, L = (1 + eta)/2 of this corner and (1 + xi) (1 - eta)/4 of the last but one before it, turned to where
   it stands. */
static PetscBool invert_collapsed(PetscInt twice, const PetscReal (*corner)[2], const PetscReal at[2], PetscReal xi[2])
{
  const PetscReal *p = corner[(twice + 2) % 4], *q = corner[(twice + 3) % 4], *top = corner[twice];
  const PetscReal  a[2] = {q[0] - p[0], q[1] - p[1]}, b[2] = {top[0] - p[0], top[1] - p[1]}, d[2] = {at[0] - p[0], at[1] - p[1]};
  const PetscReal  det = a[0] * b[1] - a[1] * b[0];

  if (det == 0) return PETSC_FALSE;
  const PetscReal of_q = (d[0] * b[1] - d[1] * b[0]) / det, of_top = (a[0] * d[1] - a[1] * d[0]) / det, t = 2 * of_top - 1;
  const PetscReal s = PetscAbsReal(1 - t) > 1e-9 ? 4 * of_q / (1 - t) - 1 : 0;
  xi[0]             = twice == 2 ? s : twice == 3 ? -t : twice == 0 ? -s : t;
  xi[1]             = twice == 2 ? t : twice == 3 ? s : twice == 0 ? -t : -s;
  return PETSC_TRUE;
}

/* x(xi) = at: of triangles linear, of quadrangles by Newton's method. */
PetscBool NsFaceInvert(PetscInt corners, const PetscReal (*corner)[2], const PetscReal at[2], PetscReal xi[2])
{
  PetscReal off = 1;

  for (PetscInt a = 0; a < corners && corners == 4; a++) {
    const PetscReal *p = corner[a], *q = corner[(a + 1) % 4];
    if (p[0] == q[0] && p[1] == q[1]) return invert_collapsed(a, corner, at, xi);
  }
  xi[0] = xi[1] = 0;
  for (int round = 0; round < (corners == 3 ? 1 : 30) && off > 1e-14; round++) {
    PetscReal r[2] = {-at[0], -at[1]}, J[2][2];
    for (int i = 0; i < 2; i++) {
      if (corners == 3) {
        J[i][0] = corner[1][i] - corner[0][i];
        J[i][1] = corner[2][i] - corner[0][i];
        r[i] += corner[0][i];
        continue;
      }
      const PetscReal b = (-corner[0][i] + corner[1][i] + corner[2][i] - corner[3][i]) / 4,
                      c = (-corner[0][i] - corner[1][i] + corner[2][i] + corner[3][i]) / 4,
                      d = (corner[0][i] - corner[1][i] + corner[2][i] - corner[3][i]) / 4;
      J[i][0]           = b + d * xi[1];
      J[i][1]           = c + d * xi[0];
      r[i] += (corner[0][i] + corner[1][i] + corner[2][i] + corner[3][i]) / 4 + b * xi[0] + c * xi[1] + d * xi[0] * xi[1];
    }
    const PetscReal det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    if (det == 0) return PETSC_FALSE;
    const PetscReal step[2] = {(J[1][1] * r[0] - J[0][1] * r[1]) / det, (J[0][0] * r[1] - J[1][0] * r[0]) / det};
    for (int i = 0; i < 2; i++) xi[i] -= step[i];
    off = PetscMax(PetscAbsReal(step[0]), PetscAbsReal(step[1]));
  }
  return isfinite(xi[0]) && isfinite(xi[1]);
}

void NsFaceVector(const NsFeSurface *surface, PetscInt face, PetscReal n[3])
{
  const PetscInt *of   = surface->face[face];
  PetscReal       a[3] = {0}, b[3] = {0, 0, 1};
  const PetscInt  last = surface->corners == 4 ? 3 : 2;

  for (int k = 0; k < 3; k++) {
    if (surface->corners == 2)
      a[k] = surface->x[of[1]][k] - surface->x[of[0]][k];
    else {
      a[k] = (surface->x[of[last == 3 ? 2 : 1]][k] - surface->x[of[0]][k]) / 2; /* diagonals of a quadrangle, sides of a triangle */
      b[k] = surface->x[of[last]][k] - surface->x[of[last == 3 ? 1 : 0]][k];
    }
  }
  NsCross3(a, b, n);
}

/* Nodes get numbers within the surface. */
static void take_faces(NsFe *fe, const NsMeshSideSet *sides, NsFeSurface *surface)
{
  const NsMeshShape *shape  = surface->body->mesh->shape;
  PetscInt          *number = NsArenaAlloc(fe->arena, sizeof(*number) * (size_t)surface->body->mesh->nodes); /* from 1 */

  surface->node = NsArenaAlloc(fe->arena, sizeof(*surface->node) * (size_t)(surface->faces * surface->of_face));
  for (PetscInt s = 0; s < sides->count; s++) {
    const PetscInt *of = fe->element[surface->body->first_element + sides->side[s][0]].node;
    for (PetscInt a = 0; a < surface->of_face; a++) {
      const PetscInt node = of[shape->side[sides->side[s][1]][a]], own = node - surface->body->first_node;
      if (!number[own]) {
        surface->node[surface->nodes] = node;
        number[own]                   = ++surface->nodes;
      }
      surface->face[s][a] = number[own] - 1;
    }
  }
}

/* Normals and areas of nodes. Shares of a face: of its corners by int N, of the middles of edges a third each. */
static void measure(NsFeSurface *surface)
{
  PetscReal low[3], high[3], sum[3] = {0}, whole = 0;

  for (PetscInt s = 0; s < surface->faces; s++) {
    const PetscInt *of = surface->face[s];
    PetscInt        corner[4];
    const PetscInt  corners = NsFaceCorners(surface, s, corner);
    PetscReal       n[3], extent = 0;
    NsFaceVector(surface, s, n);
    const PetscReal area = PetscSqrtReal(NsDot3(n, n));
    whole += area;
    for (int k = 0; k < 3; k++) sum[k] += n[k];
    for (PetscInt a = 0; a < corners; a++) {
      for (int k = 0; k < 3; k++) surface->normal[corner[a]][k] += n[k];
    }
    for (PetscInt a = surface->corners; a < surface->of_face; a++) {
      for (int k = 0; k < 3; k++) surface->normal[of[a]][k] += n[k];
    }
    for (PetscInt a = 0; a < corners; a++) {
      PetscReal r = surface->x[corner[a]][0];
      if (corners == 2) r = (2 * r + surface->x[corner[1 - a]][0]) / 3; /* integral of N 2 pi r over a line */
      surface->area[NsFaceFirst(surface) ? of[NsFaceFirst(surface) + a] : corner[a]] += area / (PetscReal)corners * NsFaceDepth(surface->body, r);
    }
    for (PetscInt a = 1; a < surface->corners; a++) {
      PetscReal length = 0;
      for (int k = 0; k < 3; k++) length += PetscSqr(surface->x[of[a]][k] - surface->x[of[a - 1]][k]);
      extent = PetscMax(extent, PetscSqrtReal(length));
    }
    surface->face_size += extent / (PetscReal)surface->faces;
  }
  for (int k = 0; k < 3; k++) {
    low[k] = high[k] = surface->x[0][k];
    for (PetscInt i = 1; i < surface->nodes; i++) {
      low[k]  = PetscMin(low[k], surface->x[i][k]);
      high[k] = PetscMax(high[k], surface->x[i][k]);
    }
    surface->size = PetscMax(surface->size, high[k] - low[k]);
  }
  for (PetscInt i = 0; i < surface->nodes; i++) (void)NsUnit3(surface->normal[i]);
  if (PetscSqrtReal(NsDot3(sum, sum)) < 1e-6 * whole || !NsUnit3(sum)) return;
  for (int k = 0; k < 3; k++) surface->mean[k] = sum[k];
}

const NsFeSurface *NsFeSurfaceFind(NsFe *fe, const char *name, NsPlace place)
{
  const NsFeBody      *body  = NULL;
  const NsMeshSideSet *sides = NsFeFindSides(fe, name, place, &body);
  NsFeSurface         *surface;

  if (!sides) return NULL;
  surface       = NsArenaAlloc(fe->arena, sizeof(*surface));
  *surface      = (NsFeSurface){.name = name,
         .body                        = body,
         .dimension                   = body->mesh->shape->dimension,
         .faces                       = sides->count,
         .corners                     = body->mesh->shape->side_shape->corners,
         .of_face                     = body->mesh->shape->side_shape->nodes};
  surface->face = NsArenaAlloc(fe->arena, sizeof(*surface->face) * (size_t)surface->faces);
  take_faces(fe, sides, surface);
  surface->x      = NsArenaAlloc(fe->arena, sizeof(*surface->x) * (size_t)surface->nodes);
  surface->normal = NsArenaAlloc(fe->arena, sizeof(*surface->normal) * (size_t)surface->nodes);
  surface->area   = NsArenaAlloc(fe->arena, sizeof(*surface->area) * (size_t)surface->nodes);
  for (PetscInt i = 0; i < surface->nodes; i++) memcpy(surface->x[i], fe->x + 3 * surface->node[i], sizeof(surface->x[i]));
  measure(surface);
  return surface;
}

void NsFeSideAreas(NsFe *fe, const char *name, NsPlace place, const NsFePointSet *set, PetscReal *area)
{
  const NsFeBody *body = set->nodes && set->spot.body >= 0 ? &fe->body[set->spot.body] : NULL;

  for (PetscInt i = 0; i < set->count; i++) area[i] = 0;
  if (!body || !body->solid || !NsMeshSides(body->mesh, set->nodes->name)) return;
  const NsFeSurface *surface = NsFeSurfaceFind(fe, name, place);
  for (PetscInt k = 0; surface && k < surface->nodes; k++) {
    PetscInt at;
    (void)PetscFindInt(surface->node[k] - body->first_node, set->count, set->nodes->items, &at);
    if (at >= 0) area[at] = surface->area[k];
  }
}
