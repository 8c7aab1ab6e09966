/*
  A plane through p with the normal n has no edges; what is drawn is the rectangle along t1, t2 (orthonormal, across n) around the shadows of all points x that may touch it,

      low_k = min t_k . (x - p) - r - margin,     high_k = max t_k . (x - p) + r + margin,

  with a margin of a share of the size of the model: a rectangle around one point would be invisible.
*/
#include "contact/planes.h"
#include "contact/pair.h"

#define MARGIN 0.1

typedef struct {
  NsPlane   plane;
  PetscReal tangent[2][3], low[2], high[2]; /* m from the plane's point */
  PetscReal gap;                            /* of the nearest point, m */
} Drawn;

struct NsPlanes {
  PetscInt count, most;
  Drawn   *drawn;
};

NsPlanes *NsPlanesCreate(PetscInt most, NsArena *arena)
{
  NsPlanes *self = NsArenaAlloc(arena, sizeof(*self));

  self->most  = most;
  self->drawn = NsArenaAlloc(arena, sizeof(*self->drawn) * (size_t)(most + 1));
  return self;
}

/* Copies of a motion share its parts. */
static PetscBool is_same(const NsPlane *a, const NsPlane *b)
{
  PetscReal off = 0;

  for (int k = 0; k < 3; k++)
    off += PetscAbsReal(a->point[k] - b->point[k]) + PetscAbsReal(a->normal[k] - b->normal[k]) + PetscAbsReal(a->velocity[k] - b->velocity[k]);
  return off == 0 && (a->motion ? a->motion->part : NULL) == (b->motion ? b->motion->part : NULL);
}

/* t1 is the coordinate axis that is nearest to the plane, without its part along n. */
static void set_tangents(const PetscReal n[3], PetscReal tangent[2][3])
{
  int flattest = 0;

  for (int k = 1; k < 3; k++) flattest = PetscAbsReal(n[k]) < PetscAbsReal(n[flattest]) ? k : flattest;
  for (int k = 0; k < 3; k++) tangent[0][k] = (k == flattest) - n[flattest] * n[k];
  (void)NsUnit3(tangent[0]);
  NsCross3(n, tangent[0], tangent[1]);
}

PetscBool NsPlanesAdd(NsPlanes *self, const NsPlane *plane, const PetscReal x[3], PetscReal radius)
{
  PetscInt  i = self->count - 1;
  PetscBool is_new;

  while (i >= 0 && !is_same(&self->drawn[i].plane, plane)) i--;
  is_new = i < 0;
  if (is_new) {
    if (self->count == self->most) return PETSC_FALSE;
    i                    = self->count++;
    self->drawn[i].plane = *plane;
    self->drawn[i].gap   = PETSC_MAX_REAL;
    set_tangents(plane->normal, self->drawn[i].tangent);
    for (int k = 0; k < 2; k++) self->drawn[i].low[k] = PETSC_MAX_REAL;
    for (int k = 0; k < 2; k++) self->drawn[i].high[k] = PETSC_MIN_REAL;
  }
  Drawn    *drawn = &self->drawn[i];
  PetscReal gap   = -radius;
  for (int d = 0; d < 3; d++) gap += plane->normal[d] * (x[d] - plane->point[d]);
  drawn->gap = PetscMin(drawn->gap, gap);
  for (int k = 0; k < 2; k++) {
    PetscReal along = 0;
    for (int d = 0; d < 3; d++) along += drawn->tangent[k][d] * (x[d] - plane->point[d]);
    drawn->low[k]  = PetscMin(drawn->low[k], along - radius);
    drawn->high[k] = PetscMax(drawn->high[k], along + radius);
  }
  return is_new;
}

/* The diagonal of the box around the points with their radii, m; where there is a single point without extent, 1. */
static PetscReal size_of(const NsScene *scene)
{
  PetscReal squares = 0;

  for (int k = 0; k < 3; k++) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;
    for (PetscInt i = 0; i < scene->points; i++) {
      low  = PetscMin(low, scene->x[3 * i + k] - scene->radius[i]);
      high = PetscMax(high, scene->x[3 * i + k] + scene->radius[i]);
    }
    squares += scene->points ? PetscSqr(high - low) : 0;
  }
  return squares > 0 ? PetscSqrtReal(squares) : 1;
}

void NsPlanesScene(const NsPlanes *self, const NsScene *model, NsArena *arena, NsScene *scene)
{
  const PetscReal margin = MARGIN * size_of(model);

  scene->points = 4 * self->count;
  scene->cells  = self->count;
  scene->x      = NsArenaAlloc(arena, sizeof(*scene->x) * 3 * (size_t)(scene->points + 1));
  scene->kind   = NsArenaAlloc(arena, sizeof(*scene->kind) * (size_t)(scene->cells + 1));
  scene->cell   = NsArenaAlloc(arena, sizeof(*scene->cell) * (size_t)(scene->points + 1));
  for (PetscInt i = 0; i < self->count; i++) {
    const Drawn *drawn = &self->drawn[i];
    scene->kind[i]     = NS_CELL_QUAD;
    for (PetscInt corner = 0; corner < 4; corner++) {
      const PetscInt  point = 4 * i + corner;
      const PetscReal s[2]  = {
         corner == 1 || corner == 2 ? drawn->high[0] + margin : drawn->low[0] - margin, corner > 1 ? drawn->high[1] + margin : drawn->low[1] - margin};
      scene->cell[point] = point;
      for (int k = 0; k < 3; k++) scene->x[3 * point + k] = drawn->plane.point[k] + s[0] * drawn->tangent[0][k] + s[1] * drawn->tangent[1][k];
    }
  }
}

void NsPlanesAt(const NsPlanes *self, PetscReal t, NsPlaneFields *fields)
{
  for (PetscInt i = 0; i < self->count; i++) {
    const NsPlane *plane = &self->drawn[i].plane;
    PetscReal      u[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    if (plane->motion) {
      NsMotionAt(plane->motion, 0, t, u);
      NsMotionAt(plane->motion, 1, t, v);
    }
    for (PetscInt j = 12 * i; j < 12 * (i + 1); j++) {
      fields->displacement[j] = u[j % 3];
      fields->velocity[j]     = v[j % 3] + plane->velocity[j % 3];
      fields->gap[j]          = PetscMax(0, self->drawn[i].gap) * plane->normal[j % 3];
    }
  }
}
