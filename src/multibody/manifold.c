/*
  Points at which two boxes touch, or a ball and a box.

  Boxes are convex: they are apart exactly if they are so along one of 15 axes (S. Gottschalk 1996), the normals of their faces and the cross products of their edges. Along a unit vector n from the
  first box to the second, with centres c, axes e_k and half lengths h_k,

      s(n) = n . (c_2 - c_1) - sum_k h_1k |n . e_1k| - sum_k h_2k |n . e_2k|.

  The axis with the greatest s is that of contact. If it is the normal of a face, the face of the other box that looks at it most is cut to the prism over the first (I. E. Sutherland, G. W. Hodgman
  1974): its corners are the points, each with its own gap over the face. If it is a product of edges, the two edges are nearest to each other in one point. Where boxes overlap, s of different axes
  is nearly the same time and again; a face is preferred, that of the first box before that of the second, by a thousandth of the boxes' size, so that points do not come and go. Where they are apart
  nothing is preferred: a gap is never closed that is not.
*/
#include "manifold.h"
#include "rotation.h"

#define NS_PREFER   1e-3 /* of the size: by so much a face is preferred */
#define NS_PARALLEL 1e-6 /* of edges: their cross product squared */

static PetscReal column(const NsSolid *s, int axis, PetscReal e[3])
{
  for (int k = 0; k < 3; k++) e[k] = s->R[3 * k + axis];
  return s->half[axis];
}

static int axes_of(const NsSolid *s)
{
  return s->planar ? 2 : 3;
}

/* sum_k h_k |n . e_k| */
static PetscReal width(const NsSolid *s, const PetscReal n[3])
{
  PetscReal sum = 0, e[3];

  for (int k = 0; k < axes_of(s); k++) {
    const PetscReal half = column(s, k, e);
    sum += half * PetscAbsReal(NsDot(n, e));
  }
  return sum;
}

static PetscReal size_of(const NsSolid *s)
{
  return s->planar ? PetscMin(s->half[0], s->half[1]) : PetscMin(s->half[0], PetscMin(s->half[1], s->half[2]));
}

typedef struct {
  PetscReal s, n[3]; /* from the first box to the second */
  int       face;    /* of which box it is a face: 0, 1; -1: edges */
  int       axis[2]; /* of the boxes */
} Axis;

/* s along +-n, if it is greater by `more`, or greater at all where it shows that the boxes are apart. */
static void try_axis(const NsSolid *a, const NsSolid *b, const PetscReal n[3], int face, int i, int j, PetscReal more, Axis *best)
{
  const PetscReal d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]}, along = NsDot(d, n);
  const PetscReal s = PetscAbsReal(along) - width(a, n) - width(b, n);

  if (!(s > best->s + more || (s > 0 && s > best->s))) return;
  *best = (Axis){.s = s, .face = face, .axis = {i, j}};
  for (int k = 0; k < 3; k++) best->n[k] = along < 0 ? -n[k] : n[k];
}

static void find_axis(const NsSolid *a, const NsSolid *b, Axis *best)
{
  const PetscReal prefer = NS_PREFER * PetscMin(size_of(a), size_of(b));
  PetscReal       e[3], f[3], n[3];
  Axis            of[2];

  for (int box = 0; box < 2; box++) {
    of[box].s = -PETSC_MAX_REAL;
    for (int k = 0; k < axes_of(a); k++) {
      (void)column(box ? b : a, k, e);
      try_axis(a, b, e, box, k, k, 0, &of[box]);
    }
  }
  *best = of[1].s > of[0].s + prefer || (of[1].s > 0 && of[1].s > of[0].s) ? of[1] : of[0];
  for (int i = 0; i < 3 && !a->planar; i++) {
    for (int j = 0; j < 3; j++) {
      (void)column(a, i, e);
      (void)column(b, j, f);
      NsCross(e, f, n);
      const PetscReal square = NsDot(n, n);
      if (square < NS_PARALLEL) continue;
      for (int k = 0; k < 3; k++) n[k] /= PetscSqrtReal(square);
      try_axis(a, b, n, -1, i, j, prefer, best);
    }
  }
}

/* ---- faces --------------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt  count;
  PetscReal x[2 * NS_MANIFOLD][3];
} Polygon;

/* The part with sign e . (x - c) <= half. */
static void cut(Polygon *polygon, const PetscReal c[3], const PetscReal e[3], PetscReal sign, PetscReal half)
{
  const Polygon  old  = *polygon;
  PetscReal      last = 0, here;
  const PetscInt n = old.count, end = n > 2 ? n : n - 1; /* a segment has one side */

  polygon->count = 0;
  for (PetscInt i = 0; i <= end; i++, last = here) {
    const PetscReal *x = old.x[i % n], *before = old.x[(i + n - 1) % n];
    here = sign * (e[0] * (x[0] - c[0]) + e[1] * (x[1] - c[1]) + e[2] * (x[2] - c[2])) - half;
    if (i > 0 && (last < 0) != (here < 0) && last != 0 && here != 0) {
      for (int k = 0; k < 3; k++) polygon->x[polygon->count][k] = before[k] + last / (last - here) * (x[k] - before[k]);
      polygon->count++;
    }
    if (i < n && here <= 0) {
      for (int k = 0; k < 3; k++) polygon->x[polygon->count][k] = x[k];
      polygon->count++;
    }
  }
}

/* The corners of that face of a box which looks most against n; in the plane its two ends. */
static void opposite_face(const NsSolid *s, const PetscReal n[3], Polygon *polygon)
{
  static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  PetscReal        e[3][3], h[3], most = -1;
  int              axis = 0;

  for (int k = 0; k < 3; k++) h[k] = column(s, k, e[k]);
  for (int k = 0; k < axes_of(s); k++) {
    if (PetscAbsReal(NsDot(n, e[k])) <= most) continue;
    most = PetscAbsReal(NsDot(n, e[k]));
    axis = k;
  }
  const PetscReal side = NsDot(n, e[axis]) > 0 ? -1 : 1;
  const int       u = s->planar ? 1 - axis : (axis + 1) % 3, v = (axis + 2) % 3;
  polygon->count = s->planar ? 2 : 4;
  for (int i = 0; i < polygon->count; i++) {
    for (int k = 0; k < 3; k++)
      polygon->x[i][k] = s->x[k] + side * h[axis] * e[axis][k] + sign[i][0] * h[u] * e[u][k] + (s->planar ? 0 : sign[i][1] * h[v] * e[v][k]);
  }
}

static void touch_face(const NsSolid *a, const NsSolid *b, const Axis *axis, NsManifold *manifold)
{
  const NsSolid  *face = axis->face ? b : a, *other = axis->face ? a : b;
  const PetscReal turn = axis->face ? -1 : 1, n[3] = {turn * axis->n[0], turn * axis->n[1], turn * axis->n[2]}; /* out of the face */
  const PetscReal slack = 1e-9 * size_of(face);
  PetscReal       e[3];
  Polygon         polygon, whole;

  opposite_face(other, n, &whole);
  polygon = whole;
  for (int k = 0; k < axes_of(face); k++) {
    if (k == axis->axis[0]) continue;
    const PetscReal half = column(face, k, e);
    cut(&polygon, face->x, e, 1, half + slack);
    cut(&polygon, face->x, e, -1, half + slack);
  }
  if (!polygon.count) { /* apart along other axes too: the corner that is nearest to the plane of the face */
    PetscInt nearest = 0;
    for (PetscInt i = 1; i < whole.count; i++) {
      if (NsDot(n, whole.x[i]) < NsDot(n, whole.x[nearest])) nearest = i;
    }
    polygon.count = 1;
    for (int k = 0; k < 3; k++) polygon.x[0][k] = whole.x[nearest][k];
  }
  manifold->points = PetscMin(polygon.count, NS_MANIFOLD);
  for (PetscInt i = 0; i < manifold->points; i++) {
    const PetscReal d[3] = {polygon.x[i][0] - face->x[0], polygon.x[i][1] - face->x[1], polygon.x[i][2] - face->x[2]};
    manifold->gap[i]     = NsDot(n, d) - face->half[axis->axis[0]];
    for (int k = 0; k < 3; k++) manifold->x[i][k] = polygon.x[i][k] - manifold->gap[i] / 2 * n[k];
  }
}

/* ---- edges --------------------------------------------------------------------------------------------------------------------------------------------- */

/* The middle of the edge along `axis` that lies farthest along n. */
static void edge_of(const NsSolid *s, int axis, const PetscReal n[3], PetscReal sign, PetscReal x[3])
{
  PetscReal e[3];

  for (int k = 0; k < 3; k++) x[k] = s->x[k];
  for (int i = 0; i < 3; i++) {
    if (i == axis) continue;
    const PetscReal half = column(s, i, e), way = sign * NsDot(n, e) > 0 ? half : -half;
    for (int k = 0; k < 3; k++) x[k] += way * e[k];
  }
}

static void touch_edges(const NsSolid *a, const NsSolid *b, const Axis *axis, NsManifold *manifold)
{
  PetscReal x[3], y[3], e[3], f[3];

  edge_of(a, axis->axis[0], axis->n, 1, x);
  edge_of(b, axis->axis[1], axis->n, -1, y);
  (void)column(a, axis->axis[0], e);
  (void)column(b, axis->axis[1], f);
  const PetscReal d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, c = NsDot(e, f), det = 1 - c * c;
  const PetscReal on_a = (NsDot(d, e) - c * NsDot(d, f)) / det, on_b = (c * NsDot(d, e) - NsDot(d, f)) / det;
  manifold->points = 1;
  manifold->gap[0] = axis->s;
  for (int k = 0; k < 3; k++) manifold->x[0][k] = (x[k] + on_a * e[k] + y[k] + on_b * f[k]) / 2;
}

/* ---- balls --------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscBool is_ball(const NsSolid *s)
{
  return s->half[0] == 0;
}

/* From the box, or centre, of b to the ball a: gap, normal on the ball. */
static PetscReal touch_ball(const NsSolid *a, const NsSolid *b, PetscReal n[3], PetscReal x[3])
{
  const PetscReal d[3] = {a->x[0] - b->x[0], a->x[1] - b->x[1], a->x[2] - b->x[2]};
  PetscReal       own[3], near[3], least = PETSC_MAX_REAL, distance;
  int             axis = 0;

  NsTurnBack(b->R, d, own);
  for (int k = 0; k < 3; k++) {
    near[k] = k < axes_of(b) ? PetscMax(-b->half[k], PetscMin(b->half[k], own[k])) : own[k];
    if (k >= axes_of(b) || is_ball(b) || b->half[k] - PetscAbsReal(own[k]) >= least) continue;
    least = b->half[k] - PetscAbsReal(own[k]);
    axis  = k;
  }
  const PetscReal out[3]   = {own[0] - near[0], own[1] - near[1], own[2] - near[2]};
  PetscReal       local[3] = {0, 0, 0};
  distance                 = NsLength(out);
  if (distance > 0) {
    for (int k = 0; k < 3; k++) local[k] = out[k] / distance;
  } else {
    local[axis] = own[axis] < 0 ? -1 : 1;
    distance    = is_ball(b) ? 0 : -least;
  }
  NsTurn(b->R, local, n);
  const PetscReal gap = distance - a->radius - (is_ball(b) ? b->radius : 0);
  for (int k = 0; k < 3; k++) x[k] = a->x[k] - (a->radius + gap / 2) * n[k];
  return gap;
}

void NsManifoldFind(const NsSolid *a, const NsSolid *b, NsManifold *manifold)
{
  Axis axis;

  if (is_ball(a) || is_ball(b)) {
    const PetscReal sign = is_ball(a) ? 1 : -1;
    manifold->points     = 1;
    manifold->gap[0]     = is_ball(a) ? touch_ball(a, b, manifold->n, manifold->x[0]) : touch_ball(b, a, manifold->n, manifold->x[0]);
    for (int k = 0; k < 3; k++) manifold->n[k] *= sign;
    return;
  }
  find_axis(a, b, &axis);
  for (int k = 0; k < 3; k++) manifold->n[k] = -axis.n[k];
  if (axis.face >= 0)
    touch_face(a, b, &axis, manifold);
  else
    touch_edges(a, b, &axis, manifold);
}

PetscReal NsSolidSeparation(const NsSolid *a, const NsSolid *b)
{
  PetscReal n[3], x[3];
  Axis      axis;

  if (is_ball(a)) return touch_ball(a, b, n, x);
  if (is_ball(b)) return touch_ball(b, a, n, x);
  find_axis(a, b, &axis);
  return axis.s;
}
