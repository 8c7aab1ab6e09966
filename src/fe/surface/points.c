/*
  Nodes against the surface of a solid where the sliding is small: ends of bars, nodes of beams, of rigid bodies.

  Each node stays opposite to the point of the surface that it had at the start, the nearest one whose face it projects onto; with the shape functions N_k of that face there and its normal n

      g = n . (x + u - sum_k N_k (x_k + u_k))

  A row of the mortar (mortar.h) with weights N_k. Right for points; under a whole surface of another solid the pressure would be wrong by 8 to 106 % in a patch test: there mortar is needed.
*/
#include <string.h>
#include "contact.h"
#include "faces.h"

/* Where x projects onto a face: its shape functions and normal there, and the distance along it. */
static PetscBool project(
  const NsFeSurface *surface, PetscInt face, const PetscReal x[3], PetscReal N[NS_FACE_NODES], PetscReal n[3], PetscReal *distance)
{
  const PetscInt *of = surface->face[face];
  PetscReal       t[2][3], corner[NS_FACE_NODES][2] = {{0}}, at[2] = {0, 0}, xi[2] = {0, 0}, y[3] = {0, 0, 0};

  NsFaceVector(surface, face, n);
  if (!NsUnit3(n)) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) t[0][k] = surface->x[of[1]][k] - surface->x[of[0]][k];
  const PetscReal length = PetscSqrtReal(NsDot3(t[0], t[0])), along = NsDot3(t[0], n);
  for (int k = 0; k < 3; k++) t[0][k] -= along * n[k];
  (void)NsUnit3(t[0]);
  NsCross3(n, t[0], t[1]);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) {
      at[i] += (x[k] - surface->x[of[0]][k]) * t[i][k];
      for (PetscInt a = 0; a < surface->corners; a++) corner[a][i] += (surface->x[of[a]][k] - surface->x[of[0]][k]) * t[i][k];
    }
  }
  if (surface->corners == 2)
    xi[0] = 2 * at[0] / length - 1;
  else if (!NsFaceInvert(surface->corners, (const PetscReal(*)[2])corner, at, xi))
    return PETSC_FALSE;
  const PetscReal low = surface->corners == 3 ? 0 : -1, slack = 1e-9;
  if (xi[0] < low - slack || xi[0] > 1 + slack || xi[1] < low - slack || xi[1] > 1 + slack) return PETSC_FALSE;
  if (surface->corners == 3 && xi[0] + xi[1] > 1 + slack) return PETSC_FALSE;
  NsFaceShape(surface, xi, N);
  for (PetscInt a = 0; a < surface->of_face; a++) {
    for (int k = 0; k < 3; k++) y[k] += N[a] * surface->x[of[a]][k];
  }
  *distance = n[0] * (x[0] - y[0]) + n[1] * (x[1] - y[1]) + n[2] * (x[2] - y[2]);
  return PETSC_TRUE;
}

const NsFeSurface *NsFePointsFind(NsFe *fe, const NsPartnerSettings *side)
{
  const char   *name  = NsPartnerNode(side);
  const NsPlace place = NsKeysPlace(side->where, "node");
  NsFeSurface  *points;
  NsFePointSet  set;

  if (!NsFeFindContactSet(fe, name, side->offset, place, &set)) return NULL;
  if (!set.nodes) {
    NsDiagError(fe->diag, place, "'%s' lies between nodes; a contact with the surface of a solid needs named nodes", name);
    return NULL;
  }
  points         = NsArenaAlloc(fe->arena, sizeof(*points));
  *points        = (NsFeSurface){.name = name, .body = &fe->body[set.spot.body], .nodes = set.count};
  points->node   = NsArenaAlloc(fe->arena, sizeof(*points->node) * (size_t)set.count);
  points->x      = NsArenaAlloc(fe->arena, sizeof(*points->x) * (size_t)set.count);
  points->normal = NsArenaAlloc(fe->arena, sizeof(*points->normal) * (size_t)set.count);
  for (PetscInt i = 0; i < set.count; i++) {
    points->node[i] = NsFePointOf(&set, i).node;
    for (int k = 0; k < 3; k++) points->x[i][k] = fe->x[3 * points->node[i] + k] + side->offset[k];
  }
  return points;
}

typedef struct {
  const PetscReal *x;
  PetscReal        most;
} Near;

static PetscBool is_near(const void *data, const PetscReal centre[3], PetscReal radius)
{
  const Near *near   = data;
  PetscReal   square = 0;

  for (int k = 0; k < 3; k++) square += PetscSqr(near->x[k] - centre[k]);
  return square <= PetscSqr(near->most + radius);
}

/* Faces onto which x may project and that are not farther than the nearest of these. */
static PetscInt faces_near(const NsFaces *faces, const NsFeSurface *surface, const PetscReal x[3], PetscInt *list)
{
  Near      near = {x, 3 * surface->size};
  NsNearest nearest;

  NsFacesNearest(faces, x, &nearest);
  if (nearest.inside)
    near.most = PetscAbsReal(nearest.gap) + 2 * surface->face_size; /* of warped and curved faces not quite the distance to their planes */
  return NsFacesSelect(faces, is_near, &near, list);
}

void NsFePointsProject(NsFe *fe, const NsFeSurface *points, const NsFeSurface *surface, NsFeMortar *mortar)
{
  const size_t nodes = (size_t)points->nodes;
  NsFaces     *faces = NsFacesCreate(fe->arena, surface);
  PetscInt    *list  = NsArenaAlloc(fe->arena, sizeof(*list) * (size_t)surface->faces);

  *mortar        = (NsFeMortar){.folded = -1};
  mortar->slave  = NsArenaAlloc(fe->arena, sizeof(*mortar->slave) * nodes);
  mortar->area   = NsArenaAlloc(fe->arena, sizeof(*mortar->area) * nodes); /* none belongs to a point */
  mortar->gap    = NsArenaAlloc(fe->arena, sizeof(*mortar->gap) * nodes);
  mortar->first  = NsArenaAlloc(fe->arena, sizeof(*mortar->first) * (nodes + 1));
  mortar->master = NsArenaAlloc(fe->arena, sizeof(*mortar->master) * nodes * NS_FACE_NODES);
  mortar->weight = NsArenaAlloc(fe->arena, sizeof(*mortar->weight) * nodes * NS_FACE_NODES);
  for (PetscInt i = 0; i < points->nodes; i++) {
    PetscReal      least = 2 * surface->size;
    const PetscInt row = mortar->rows, from = mortar->first[row];
    PetscInt       entries = 0;
    PetscBool      hit     = PETSC_FALSE;
    const PetscInt count   = faces_near(faces, surface, points->x[i], list);
    for (PetscInt c = 0; c < count; c++) {
      const PetscInt f                = list[c];
      PetscReal      N[NS_FACE_NODES] = {0}, n[3], distance;
      if (!project(surface, f, points->x[i], N, n, &distance) || PetscAbsReal(distance) >= least) continue;
      hit              = PETSC_TRUE;
      least            = PetscAbsReal(distance);
      mortar->gap[row] = distance;
      for (int k = 0; k < 3; k++) points->normal[i][k] = -n[k]; /* from the node to the surface */
      entries = 0;
      for (PetscInt a = 0; a < surface->of_face; a++) {
        const PetscInt node = surface->face[f][a];
        PetscInt       at   = 0;
        while (at < entries && mortar->master[from + at] != node) at++; /* of triangles among quadrangles one is there twice */
        mortar->weight[from + at] = N[a] + (at < entries ? mortar->weight[from + at] : 0);
        mortar->master[from + at] = node;
        entries                   = PetscMax(entries, at + 1);
      }
    }
    if (hit) {
      mortar->slave[row]            = i;
      mortar->first[++mortar->rows] = from + entries;
    } else if (!mortar->left_out++)
      memcpy(mortar->first_left_out, points->x[i], sizeof(mortar->first_left_out));
  }
}
