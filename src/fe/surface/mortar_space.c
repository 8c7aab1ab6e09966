/* Mortar in space: overlap of a slave's face and the master's faces in the plane of the slave's face. */
#include <string.h>
#include "mortar.h"

enum { NS_POLYGON = 16, NS_RULE = 6 };

/* Gauss on 0..1. */
static const PetscReal gauss_3[3][2] = {{0.112701665379258311, 5. / 18}, {0.5, 8. / 18}, {0.887298334620741689, 5. / 18}};
static const PetscReal gauss_6[6][2] = {{0.033765242898423986, 0.085662246189585173}, {0.169395306766867743, 0.180380786524069303},
  {0.380690406958401546, 0.233956967286345524}, {0.619309593041598454, 0.233956967286345524}, {0.830604693233132257, 0.180380786524069303},
  {0.966234757101576014, 0.085662246189585173}};

typedef struct {
  PetscReal c[3], t[2][3], n[3];         /* the plane: a point, directions, normal */
  PetscReal corner[2][NS_FACE_NODES][2]; /* of both faces, in it */
  PetscReal polygon[2][NS_POLYGON][2];
  PetscInt  rule; /* points along an edge of a triangle */
  const PetscReal (*gauss)[2];
} Plane;

static void flatten(const Plane *plane, const PetscReal x[3], PetscReal to[2])
{
  for (int i = 0; i < 2; i++)
    to[i] = (x[0] - plane->c[0]) * plane->t[i][0] + (x[1] - plane->c[1]) * plane->t[i][1] + (x[2] - plane->c[2]) * plane->t[i][2];
}

static void set_plane(const NsFeSurface *slave, PetscInt face, Plane *plane)
{
  const PetscInt *of = slave->face[face];
  PetscReal       along;

  NsFaceVector(slave, face, plane->n);
  (void)NsUnit3(plane->n);
  for (int k = 0; k < 3; k++) {
    plane->c[k] = 0;
    for (PetscInt a = 0; a < slave->corners; a++) plane->c[k] += slave->x[of[a]][k] / (PetscReal)slave->corners;
    plane->t[0][k] = slave->x[of[1]][k] - slave->x[of[0]][k];
  }
  along = NsDot3(plane->t[0], plane->n);
  for (int k = 0; k < 3; k++) plane->t[0][k] -= along * plane->n[k];
  (void)NsUnit3(plane->t[0]);
  NsCross3(plane->n, plane->t[0], plane->t[1]);
  for (PetscInt a = 0; a < slave->corners; a++) flatten(plane, slave->x[of[a]], plane->corner[0][a]);
}

/* The part of the polygon on the left of the line from a to b; how many corners it has. */
static PetscInt cut(PetscInt count, const PetscReal (*from)[2], const PetscReal a[2], const PetscReal b[2], PetscReal (*to)[2])
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < count; i++) {
    const PetscReal *p = from[i], *q = from[(i + 1) % count];
    const PetscReal  at_p = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]),
                    at_q  = (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]);
    if (at_p >= 0) { memcpy(to[kept++], p, sizeof(*to)); }
    if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
      for (int k = 0; k < 2; k++) to[kept][k] = p[k] + (q[k] - p[k]) * at_p / (at_p - at_q);
      kept++;
    }
  }
  return kept;
}

/* The overlap into polygon[0]. The master's face runs the other way round. */
static PetscInt overlap(const NsFeSurface *slave, const NsFeSurface *master, Plane *plane)
{
  PetscInt count = master->corners;

  for (PetscInt a = 0; a < count; a++) memcpy(plane->polygon[0][a], plane->corner[1][count - 1 - a], sizeof(plane->polygon[0][a]));
  for (PetscInt a = 0; a < slave->corners && count >= 3; a++) {
    count = cut(count, (const PetscReal(*)[2])plane->polygon[0], plane->corner[0][a], plane->corner[0][(a + 1) % slave->corners], plane->polygon[1]);
    memcpy(plane->polygon[0], plane->polygon[1], sizeof(plane->polygon[0]));
  }
  return count < 3 ? 0 : count;
}

/* |dx/dxi_1 x dx/dxi_2| of a warped quadrangle over that of its projection; 1 of triangles. */
static PetscReal stretch(const NsFeSurface *slave, PetscInt face, const Plane *plane, const PetscReal xi[2])
{
  const PetscInt *of      = slave->face[face];
  PetscReal       d[2][3] = {{0}}, n[3];

  if (slave->corners == 3) return 1;
  for (int a = 0; a < 4; a++) {
    const PetscReal f = a == 1 || a == 2 ? 1 : -1, g = a > 1 ? 1 : -1;
    for (int k = 0; k < 3; k++) {
      d[0][k] += f * (1 + g * xi[1]) / 4 * slave->x[of[a]][k];
      d[1][k] += g * (1 + f * xi[0]) / 4 * slave->x[of[a]][k];
    }
  }
  NsCross3(d[0], d[1], n);
  return PetscSqrtReal(NsDot3(n, n)) / PetscAbsReal(NsDot3(n, plane->n));
}

static PetscErrorCode add_point(const NsFeSurface *slave, const NsFeSurface *master, PetscInt face, PetscInt other, const Plane *plane,
  const PetscReal at[2], PetscReal weight, NsMortarPoints *points)
{
  NsMortarPoint next = {.face = other};
  PetscReal     N[NS_FACE_NODES], x[3] = {0};

  PetscFunctionBegin;
  if (!NsFaceInvert(slave->corners, plane->corner[0], at, next.xi) || !NsFaceInvert(master->corners, plane->corner[1], at, next.eta))
    PetscFunctionReturn(0);
  next.weight = weight * stretch(slave, face, plane, next.xi);
  NsFaceShape(master, next.eta, N);
  for (PetscInt a = 0; a < master->of_face; a++) {
    for (int k = 0; k < 3; k++) x[k] += N[a] * master->x[master->face[other][a]][k];
  }
  NsFaceShape(slave, next.xi, N);
  for (PetscInt a = 0; a < slave->of_face; a++) {
    for (int k = 0; k < 3; k++) x[k] -= N[a] * slave->x[slave->face[face][a]][k];
  }
  next.gap = NsDot3(x, plane->n);
  PetscCall(NsMortarAdd(points, &next));
  PetscFunctionReturn(0);
}

/* Points of a triangle o a b. */
static PetscErrorCode add_triangle(const NsFeSurface *slave, const NsFeSurface *master, PetscInt face, PetscInt other, const Plane *plane,
  const PetscReal o[2], const PetscReal a[2], const PetscReal b[2], PetscReal double_area, NsMortarPoints *points)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < plane->rule; i++) {
    for (PetscInt j = 0; j < plane->rule; j++) {
      const PetscReal r = plane->gauss[i][0], s = plane->gauss[j][0] * (1 - r), w = plane->gauss[i][1] * plane->gauss[j][1] * (1 - r);
      const PetscReal at[2] = {o[0] + r * (a[0] - o[0]) + s * (b[0] - o[0]), o[1] + r * (a[1] - o[1]) + s * (b[1] - o[1])};
      PetscCall(add_point(slave, master, face, other, plane, at, w * double_area, points));
    }
  }
  PetscFunctionReturn(0);
}

/* Whether the map of a face is linear. */
static PetscBool is_affine(PetscInt corners, const PetscReal (*corner)[2])
{
  PetscReal off = 0, size = 0;

  if (corners == 3) return PETSC_TRUE;
  for (int k = 0; k < 2; k++) {
    off  = PetscMax(off, PetscAbsReal(corner[0][k] - corner[1][k] + corner[2][k] - corner[3][k]));
    size = PetscMax(size, PetscAbsReal(corner[2][k] - corner[0][k]));
  }
  return off <= 1e-12 * size;
}

PetscErrorCode NsMortarSpace(
  const NsFeSurface *slave, const NsFeSurface *master, PetscInt face, PetscInt candidates, const PetscInt *candidate, NsMortarPoints *points)
{
  Plane plane = {.rule = NS_RULE, .gauss = gauss_6};

  PetscFunctionBegin;
  set_plane(slave, face, &plane);
  for (PetscInt c = 0; c < candidates; c++) {
    PetscReal normal[3], o[2] = {0, 0}, area = 0;
    NsFaceVector(master, candidate[c], normal);
    if (!NsMortarFaces(plane.n, normal)) continue;
    for (PetscInt a = 0; a < master->corners; a++) flatten(&plane, master->x[master->face[candidate[c]][a]], plane.corner[1][a]);
    const PetscInt  count = overlap(slave, master, &plane);
    const PetscBool linear =
      is_affine(slave->corners, (const PetscReal(*)[2])plane.corner[0]) && is_affine(master->corners, (const PetscReal(*)[2])plane.corner[1]);
    plane.rule  = linear ? 3 : 6;
    plane.gauss = linear ? gauss_3 : gauss_6;
    for (PetscInt i = 0; i < count; i++) {
      for (int k = 0; k < 2; k++) o[k] += plane.polygon[0][i][k] / (PetscReal)count;
    }
    for (int pass = 0; pass < 2; pass++) {
      for (PetscInt i = 0; i < count; i++) {
        const PetscReal *a = plane.polygon[0][i], *b = plane.polygon[0][(i + 1) % count];
        const PetscReal  twice = (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
        if (pass == 0)
          area += twice;
        else if (area > 1e-12 * PetscSqr(slave->face_size) && twice > 0)
          PetscCall(add_triangle(slave, master, face, candidate[c], &plane, o, a, b, twice, points));
      }
    }
  }
  PetscFunctionReturn(0);
}
