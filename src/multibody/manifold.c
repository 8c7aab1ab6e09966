/*
  Points at which two shapes touch: boxes, balls, capsules, cylinders.

  Two boxes are apart exactly if their projections onto one of 15 axes are (S. Gottschalk 1996): the normals of their faces and the cross products of their edges. Along a unit vector n from the
  first box to the second, with centres c, axes e_k and half lengths h_k,

      s(n) = n . (c_2 - c_1) - sum_k h_1k |n . e_1k| - sum_k h_2k |n . e_2k|.

  The axis with the greatest s is the contact normal. If it is the normal of a face, the face of the other box that is most nearly opposite to it is clipped to the prism over the first (I. E. Sutherland,
  G. W. Hodgman 1974): the corners of what remains are the contact points, each with its own gap over the face. If it is a product of edges, there is one point, where these two edges are nearest. Several
  axes often have nearly the same s; where boxes overlap, faces are preferred, those of the first box before those of the second, by a thousandth of the boxes' size, so that points do not come and go.
  Where boxes are apart no axis is preferred, so that no open gap counts as closed.
*/
#include "convex.h"
#include "rotation.h"

#define NS_PREFER   1e-3 /* of the size: by so much a face is preferred */
#define NS_PARALLEL 1e-6 /* of edges: their cross product squared */
#define NS_UPRIGHT  0.5  /* cosine of the angle of a cylinder's axis to the normal, above which it touches with its end */
#define NS_LINE     0.02 /* sine of the angle between lines that touch in two points */

static PetscReal column(const NsSolid *s, int axis, PetscReal e[3])
{
  for (int k = 0; k < 3; k++) e[k] = s->R[3 * k + axis];
  return s->half[axis];
}

static PetscBool is_box(const NsSolid *s)
{
  return s->half[0] > 0 && s->half[1] > 0;
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
  if (!is_box(s)) return PetscMin(PetscMax(s->half[0], s->half[2]), PetscMax(s->disc, s->radius));
  return s->planar ? PetscMin(s->half[0], s->half[1]) : PetscMin(s->half[0], PetscMin(s->half[1], s->half[2]));
}

typedef struct {
  PetscReal s, n[3]; /* from the first box to the second */
  int       face;    /* of which box it is a face: 0, 1; -1: edges */
  int       axis[2]; /* of the boxes */
} Axis;

/* Keeps n or -n as the best axis if its s is greater by `more`; if it proves that the boxes are apart, by anything. */
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

/* The corners of the face of a box whose outer normal is most nearly opposite to n; in the plane, the two ends of that side. */
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

/* The angles, ascending, of that point of a cylinder's rim which lies farthest along p (across its axis), and of three points that are fixed to it: it stands on these. */
static void rim_angles(const NsSolid *s, const PetscReal p[3], PetscReal angle[4])
{
  PetscReal e[3], f[3];

  (void)column(s, 0, e);
  (void)column(s, 1, f);
  angle[0] = NsLength(p) > 1e-9 ? atan2(NsDot(p, f), NsDot(p, e)) : 0;
  for (int i = 1; i < 4; i++) angle[i] = 2 * PETSC_PI / 3 * (i - 2);
  for (int i = 1; i < 4; i++) {
    for (int k = i; k > 0 && angle[k] < angle[k - 1]; k--) {
      const PetscReal t = angle[k];
      angle[k]          = angle[k - 1];
      angle[k - 1]      = t;
    }
  }
}

static void rim_point(const NsSolid *s, PetscReal end, PetscReal angle, PetscReal x[3])
{
  for (int k = 0; k < 3; k++)
    x[k] = s->x[k] + end * s->half[2] * s->R[3 * k + 2] + s->disc * (cos(angle) * s->R[3 * k] + sin(angle) * s->R[3 * k + 1]);
}

/* The feature of a shape that faces most against n: a face or a line; for a cylinder, its lower end or the line of its side. */
static void lowest_face(const NsSolid *s, const PetscReal n[3], Polygon *polygon)
{
  PetscReal e[3], p[3], angle[4];

  if (is_box(s)) {
    opposite_face(s, n, polygon);
    return;
  }
  const PetscReal half = column(s, s->planar ? 0 : 2, e), along = NsDot(n, e);
  polygon->count = 2;
  for (int i = 0; i < 2 && !(s->disc > 0); i++) {
    for (int k = 0; k < 3; k++) polygon->x[i][k] = s->x[k] + (i ? half : -half) * e[k] - s->radius * n[k];
  }
  if (!(s->disc > 0)) return;
  for (int k = 0; k < 3; k++) p[k] = along * e[k] - n[k];
  if (PetscAbsReal(along) < NS_UPRIGHT) {
    const PetscReal length = NsLength(p);
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3; k++) polygon->x[i][k] = s->x[k] + (i ? half : -half) * e[k] + s->disc * p[k] / length;
    }
    return;
  }
  rim_angles(s, p, angle);
  polygon->count = 4;
  for (int i = 0; i < 4; i++) rim_point(s, along > 0 ? -1 : 1, angle[i], polygon->x[i]);
}

/* The part of a polygon within a cylinder of infinite length; of its rim those of four points that are below the polygon, moved into its plane along n. */
static void cut_round(Polygon *polygon, const NsSolid *s, const PetscReal n[3])
{
  const Polygon  old = *polygon;
  const PetscInt m = old.count, end = m > 2 ? m : m - 1;
  PetscReal      axis[3], area[3]   = {0}; /* area: normal to the polygon; some of its corners may be the same point */

  (void)column(s, 2, axis);
  polygon->count = 0;
  for (PetscInt i = 0; i < m; i++) {
    PetscReal d[2][3]; /* from the axis to both ends of a side */
    for (int p = 0; p < 2; p++) {
      for (int k = 0; k < 3; k++) d[p][k] = old.x[(i + p) % m][k] - s->x[k];
      const PetscReal along = NsDot(d[p], axis);
      for (int k = 0; k < 3; k++) d[p][k] -= along * axis[k];
    }
    if (NsLength(d[0]) <= s->disc * (1 + 1e-9)) {
      for (int k = 0; k < 3; k++) polygon->x[polygon->count][k] = old.x[i][k];
      polygon->count++;
    }
    if (i >= end) continue;
    const PetscReal e[3] = {d[1][0] - d[0][0], d[1][1] - d[0][1], d[1][2] - d[0][2]}, a = NsDot(e, e), b = NsDot(e, d[0]);
    const PetscReal root = b * b - a * (NsDot(d[0], d[0]) - s->disc * s->disc);
    for (int side = -1; side <= 1 && root > 0 && a > 0; side += 2) {
      const PetscReal t = (-b + side * PetscSqrtReal(root)) / a;
      if (!(t > 0 && t < 1)) continue;
      for (int k = 0; k < 3; k++) polygon->x[polygon->count][k] = old.x[i][k] + t * (old.x[(i + 1) % m][k] - old.x[i][k]);
      polygon->count++;
    }
  }
  for (PetscInt i = 1; i + 1 < m; i++) {
    PetscReal u[3], v[3];
    for (int k = 0; k < 3; k++) {
      u[k] = old.x[i][k] - old.x[0][k];
      v[k] = old.x[i + 1][k] - old.x[0][k];
    }
    NsAddCross(u, v, area);
  }
  for (int r = 0; r < 4 && m > 2; r++) { /* points of the rim that are within all sides */
    PetscReal x[3], plane[3], u[3], v[3];
    PetscBool within = PETSC_TRUE;
    rim_point(s, 0, PETSC_PI / 2 * r, x);
    for (PetscInt i = 0; i < m && within; i++) {
      for (int k = 0; k < 3; k++) {
        u[k] = old.x[(i + 1) % m][k] - old.x[i][k];
        v[k] = x[k] - old.x[i][k];
      }
      NsCross(u, v, plane);
      within = NsDot(plane, axis) * NsDot(area, axis) >= 0;
    }
    const PetscReal steep = NsDot(area, n), d[3] = {old.x[0][0] - x[0], old.x[0][1] - x[1], old.x[0][2] - x[2]};
    if (!within || !(PetscAbsReal(steep) > 0.1 * NsLength(area)) || polygon->count >= 2 * NS_MANIFOLD) continue;
    for (int k = 0; k < 3; k++) polygon->x[polygon->count][k] = x[k] + NsDot(area, d) / steep * n[k];
    polygon->count++;
  }
}

/* `flat` is the axis of the face; of the end of a cylinder 2. n: out of the face. */
static void touch_face(const NsSolid *face, const NsSolid *other, int flat, const PetscReal n[3], NsManifold *manifold)
{
  const PetscReal slack = 1e-9 * size_of(face);
  PetscReal       e[3];
  Polygon         polygon, whole;

  lowest_face(other, n, &whole);
  polygon = whole;
  if (face->disc > 0) cut_round(&polygon, face, n);
  for (int k = 0; k < axes_of(face); k++) {
    const PetscReal half = column(face, k, e);
    if (k == flat || !(half > 0)) continue;
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
    manifold->gap[i]     = NsDot(n, d) - face->half[flat] - face->radius;
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
  return s->half[0] == 0 && s->half[1] == 0 && s->half[2] == 0;
}

/* The nearest point to `own` of a shape without its ball, in its frame; *inside: the depth of `own` within the shape (negative: outside), out: the normal of the side with this depth. */
static void nearest_in(const NsSolid *s, const PetscReal own[3], PetscReal near[3], PetscReal *inside, PetscReal out[3])
{
  const PetscReal around = PetscSqrtReal(own[0] * own[0] + own[1] * own[1]);

  *inside = PETSC_MAX_REAL;
  for (int k = 0; k < 3; k++) out[k] = 0;
  for (int k = 0; k < 3; k++) {
    const PetscBool round = s->disc > 0 && k < 2;
    near[k]               = round            ? own[k] * (around > s->disc ? s->disc / around : 1)
                            : k < axes_of(s) ? PetscMax(-s->half[k], PetscMin(s->half[k], own[k]))
                                             : own[k];
    if (round || k >= axes_of(s) || s->half[k] - PetscAbsReal(own[k]) >= *inside) continue;
    *inside = s->half[k] - PetscAbsReal(own[k]);
    for (int i = 0; i < 3; i++) out[i] = i == k ? (own[k] < 0 ? -1 : 1) : 0;
  }
  if (!(s->disc > 0) || s->disc - around >= *inside) return;
  *inside = s->disc - around;
  out[0]  = around > 0 ? own[0] / around : 1;
  out[1]  = around > 0 ? own[1] / around : 0;
  out[2]  = 0;
}

/* From the shape b to the ball a: gap, normal on the ball. */
static PetscReal touch_ball(const NsSolid *a, const NsSolid *b, PetscReal n[3], PetscReal x[3])
{
  const PetscReal d[3] = {a->x[0] - b->x[0], a->x[1] - b->x[1], a->x[2] - b->x[2]};
  PetscReal       own[3], near[3], local[3], inside, distance;

  NsTurnBack(b->R, d, own);
  nearest_in(b, own, near, &inside, local);
  const PetscReal out[3] = {own[0] - near[0], own[1] - near[1], own[2] - near[2]};
  distance               = NsLength(out);
  if (distance > 0) {
    for (int k = 0; k < 3; k++) local[k] = out[k] / distance;
  } else {
    distance = inside < PETSC_MAX_REAL ? -inside : 0;
  }
  NsTurn(b->R, local, n);
  const PetscReal gap = distance - a->radius - b->radius;
  for (int k = 0; k < 3; k++) x[k] = a->x[k] - (a->radius + gap / 2) * n[k];
  return gap;
}

/* ---- capsules and cylinders ------------------------------------------------------------------------------------------------------------------------------ */

/* The point of a shape that lies farthest along sign n, without its segments `left` (bits). */
static void support(const NsSolid *s, const PetscReal n[3], PetscReal sign, int left, PetscReal x[3])
{
  PetscReal e[3], p[3];

  for (int k = 0; k < 3; k++) x[k] = s->x[k] + sign * s->radius * n[k];
  for (int i = 0; i < axes_of(s); i++) {
    const PetscReal half = column(s, i, e), way = sign * NsDot(n, e) < 0 ? -half : half;
    for (int k = 0; k < 3 && !(left >> i & 1); k++) x[k] += way * e[k];
  }
  if (!(s->disc > 0)) return;
  (void)column(s, 2, e);
  const PetscReal along = NsDot(n, e);
  for (int k = 0; k < 3; k++) p[k] = n[k] - along * e[k];
  const PetscReal length = NsLength(p);
  for (int k = 0; k < 3 && length > 1e-9; k++) x[k] += sign * s->disc * p[k] / length;
}

/* Lines of both shapes that are nearly parallel, and perpendicular to n, touch at both ends of their overlap. False: there are no such lines. */
static PetscBool touch_lines(const NsSolid *a, const NsSolid *b, const NsConvexSum *sum, const NsConvex *found, NsManifold *manifold)
{
  for (int i = 0; i < sum->segments; i++) {
    for (int j = 0; j < sum->segments; j++) {
      if (sum->owner[i] != 0 || sum->owner[j] != 1) continue;
      const PetscReal length[2] = {NsLength(sum->v[i]), NsLength(sum->v[j])};
      PetscReal       u[2][3], c[3], x[2][3];
      for (int k = 0; k < 3; k++) {
        u[0][k] = sum->v[i][k] / length[0];
        u[1][k] = sum->v[j][k] / length[1];
      }
      NsCross(u[0], u[1], c);
      if (NsLength(c) > NS_LINE || PetscAbsReal(NsDot(found->n, u[0])) > NS_LINE || PetscAbsReal(NsDot(found->n, u[1])) > NS_LINE) continue;
      const PetscReal turn = NsDot(u[0], u[1]);
      support(a, found->n, 1, 1 << sum->axis[i], x[0]);
      support(b, found->n, -1, 1 << sum->axis[j], x[1]);
      const PetscReal apart = u[0][0] * (x[1][0] - x[0][0]) + u[0][1] * (x[1][1] - x[0][1]) + u[0][2] * (x[1][2] - x[0][2]);
      const PetscReal reach = length[1] * PetscAbsReal(turn), low = PetscMax(-length[0], apart - reach), high = PetscMin(length[0], apart + reach);
      if (!(high > low)) return PETSC_FALSE;
      manifold->points = 2;
      for (int p = 0; p < 2; p++) {
        const PetscReal at  = p ? high : low;
        PetscReal       gap = 0;
        for (int k = 0; k < 3; k++) {
          const PetscReal y[2] = {x[0][k] + at * u[0][k], x[1][k] + (at - apart) / turn * u[1][k]};
          gap += found->n[k] * (y[1] - y[0]);
          manifold->x[p][k] = (y[0] + y[1]) / 2;
        }
        manifold->gap[p] = gap;
      }
      return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* One point: where n is perpendicular to segments, the point along these by least squares, so that both points differ along n alone. */
static void touch_once(const NsSolid *a, const NsSolid *b, const NsConvexSum *sum, const NsConvex *found, NsManifold *manifold)
{
  const NsConvexNormal *kind    = &found->kind;
  int                   left[2] = {0, 0};
  PetscReal             x[2][3], rest[3], t[2] = {0, 0};

  for (int e = 0; e < kind->edges; e++) left[sum->owner[kind->edge[e]]] |= 1 << sum->axis[kind->edge[e]];
  support(a, found->n, 1, left[0], x[0]);
  support(b, found->n, -1, left[1], x[1]);
  for (int k = 0; k < 3; k++) rest[k] = x[1][k] - x[0][k] - found->s * found->n[k];
  const PetscReal *v = sum->v[kind->edge[0]], *w = sum->v[kind->edge[1]];
  if (kind->edges == 1) t[0] = NsDot(rest, v) / NsDot(v, v);
  if (kind->edges == 2) {
    const PetscReal vv = NsDot(v, v), vw = NsDot(v, w), ww = NsDot(w, w), det = vv * ww - vw * vw, r = NsDot(rest, v), q = NsDot(rest, w);
    t[0] = (ww * r - vw * q) / det;
    t[1] = (vv * q - vw * r) / det;
  }
  for (int e = 0; e < kind->edges; e++) {
    const int owner = sum->owner[kind->edge[e]];
    for (int k = 0; k < 3; k++) x[owner][k] += (owner ? -1 : 1) * PetscMax(-1, PetscMin(1, t[e])) * sum->v[kind->edge[e]][k];
  }
  manifold->points = 1;
  manifold->gap[0] = found->s;
  for (int k = 0; k < 3; k++) manifold->x[0][k] = (x[0][k] + x[1][k]) / 2;
}

/* The axis of the face whose normal n is. */
static int face_axis(const NsSolid *s, const PetscReal n[3])
{
  PetscReal e[3], most = 0;
  int       axis = 2;

  for (int k = 0; k < axes_of(s) && is_box(s); k++) {
    (void)column(s, k, e);
    if (PetscAbsReal(NsDot(n, e)) <= most) continue;
    most = PetscAbsReal(NsDot(n, e));
    axis = k;
  }
  return axis;
}

static void touch_convex(const NsSolid *a, const NsSolid *b, NsManifold *manifold)
{
  NsConvexSum sum;
  NsConvex    found;

  NsConvexSumOf(a, b, &sum);
  NsConvexFind(&sum, &found);
  for (int k = 0; k < 3; k++) manifold->n[k] = -found.n[k];
  if (found.kind.flat == 1)
    touch_face(a, b, face_axis(a, found.n), found.n, manifold);
  else if (found.kind.flat == 2)
    touch_face(b, a, face_axis(b, found.n), (PetscReal[3]){-found.n[0], -found.n[1], -found.n[2]}, manifold);
  else if (!touch_lines(a, b, &sum, &found, manifold))
    touch_once(a, b, &sum, &found, manifold);
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
  if (!is_box(a) || !is_box(b)) {
    touch_convex(a, b, manifold);
    return;
  }
  find_axis(a, b, &axis);
  for (int k = 0; k < 3; k++) manifold->n[k] = -axis.n[k];
  if (axis.face == 0)
    touch_face(a, b, axis.axis[0], axis.n, manifold);
  else if (axis.face == 1)
    touch_face(b, a, axis.axis[0], manifold->n, manifold);
  else
    touch_edges(a, b, &axis, manifold);
}

PetscReal NsSolidSeparation(const NsSolid *a, const NsSolid *b)
{
  PetscReal   n[3], x[3];
  NsConvexSum sum;
  NsConvex    found;
  Axis        axis;

  if (is_ball(a)) return touch_ball(a, b, n, x);
  if (is_ball(b)) return touch_ball(b, a, n, x);
  if (!is_box(a) || !is_box(b)) {
    NsConvexSumOf(a, b, &sum);
    NsConvexFind(&sum, &found);
    return found.s;
  }
  find_axis(a, b, &axis);
  return axis.s;
}
