/*
  Signed distance of two shapes, capsules, cylinders and boxes: each is its centre and a sum of segments -1 .. 1 times v_i, discs of radius r_j about the axis a_j, and a ball. So is their difference
  around d = c_2 - c_1, and along a unit vector n from the first to the second they are apart by

      s(n) = n . d - sum_i |n . v_i| - sum_j r_j |n x a_j| - R

  The signed distance is the maximum of s: for separate shapes at the normal of their nearest points, for overlapping shapes at the shortest translation that separates them. s is smooth except where n is
  perpendicular to some v_i, so that the greatest is one of these:

      faces      n = a_j, or perpendicular to two v_i: closed form            a box's face, the end of a cylinder, two edges
      edges      perpendicular to one v_i: Newton's method for the angle      the side of a cylinder, an edge of a box, against a rim or a corner
      corners    Newton's method on the sphere                                rims against rims, ends of capsules against corners

  Newton's method begins at the best of some angles, and for shapes that are apart at the result of some steps of E. G. Gilbert's method (SIAM J. Control 4, 1966) for the point of the difference that is
  nearest to the origin. Any n gives a lower bound: a gap is never too large.

      s' = u . w,   s'' = -sum_j r_j (t_j . u)^2/|p_j| - (s + R),    w = d - sum_i sign(n . v_i) v_i - sum_j r_j p_j/|p_j|,   p_j = n - a_j (n . a_j),   t_j = a_j x p_j/|p_j|,  along u across n
*/
#include "convex.h"
#include "rotation.h"

#define NS_PREFER   1e-3 /* of the size: margin by which faces are preferred where shapes overlap */
#define NS_PARALLEL 1e-12
#define NS_ANGLES   16
#define NS_NEWTON   12
#define NS_CLIMB    60
#define NS_SPIRAL   64
#define NS_GILBERT  150
#define NS_FLAT     1e-9 /* |p_j|: the normal is the axis of the disc */

static void add_segment(NsConvexSum *sum, const NsSolid *solid, int owner, int axis)
{
  if (!(solid->half[axis] > 0)) return;
  for (int k = 0; k < 3; k++) sum->v[sum->segments][k] = solid->half[axis] * solid->R[3 * k + axis];
  sum->owner[sum->segments]  = owner;
  sum->axis[sum->segments++] = axis;
}

void NsConvexSumOf(const NsSolid *a, const NsSolid *b, NsConvexSum *sum)
{
  const NsSolid *const both[2] = {a, b};

  *sum = (NsConvexSum){.ball = a->radius + b->radius, .planar = a->planar};
  for (int k = 0; k < 3; k++) sum->d[k] = b->x[k] - a->x[k];
  for (int s = 0; s < 2; s++) {
    for (int axis = 0; axis < (a->planar ? 2 : 3); axis++) add_segment(sum, both[s], s, axis);
    if (!(both[s]->disc > 0)) continue;
    for (int k = 0; k < 3; k++) sum->a[sum->discs][k] = both[s]->R[3 * k + 2];
    sum->r[sum->discs]            = both[s]->disc;
    sum->disc_owner[sum->discs++] = s;
  }
}

/* s(n), and w where it is wanted. */
static PetscReal height(const NsConvexSum *sum, const PetscReal n[3], PetscReal *w)
{
  PetscReal s = NsDot(n, sum->d) - sum->ball;

  for (int k = 0; k < 3 && w; k++) w[k] = sum->d[k];
  for (int i = 0; i < sum->segments; i++) {
    const PetscReal along = NsDot(n, sum->v[i]);
    s -= PetscAbsReal(along);
    for (int k = 0; k < 3 && w; k++) w[k] -= (along < 0 ? -1 : 1) * sum->v[i][k];
  }
  for (int j = 0; j < sum->discs; j++) {
    const PetscReal along = NsDot(n, sum->a[j]);
    PetscReal       p[3];
    for (int k = 0; k < 3; k++) p[k] = n[k] - along * sum->a[j][k];
    const PetscReal length = NsLength(p);
    s -= sum->r[j] * length;
    for (int k = 0; k < 3 && w && length > NS_FLAT; k++) w[k] -= sum->r[j] * p[k] / length;
  }
  return s;
}

/* s'' along u and u' (both across n) but for -(s + R) u . u'. */
static PetscReal bend(const NsConvexSum *sum, const PetscReal n[3], const PetscReal u[3], const PetscReal other[3])
{
  PetscReal curvature = 0;

  for (int j = 0; j < sum->discs; j++) {
    const PetscReal along = NsDot(n, sum->a[j]);
    PetscReal       p[3], t[3];
    for (int k = 0; k < 3; k++) p[k] = n[k] - along * sum->a[j][k];
    const PetscReal length = NsLength(p);
    if (!(length > NS_FLAT)) continue;
    NsCross(sum->a[j], p, t);
    curvature -= sum->r[j] / (length * length * length) * NsDot(t, u) * NsDot(t, other);
  }
  return curvature;
}

/* Keeps n or -n as the best normal if its s is greater by `more`; if it proves that the shapes are apart, by anything. */
static void try_normal(const NsConvexSum *sum, const PetscReal n[3], PetscReal more, NsConvexNormal kind, NsConvex *best)
{
  const PetscReal turn = NsDot(n, sum->d) < 0 ? -1 : 1, m[3] = {turn * n[0], turn * n[1], turn * n[2]};
  const PetscReal s = height(sum, m, NULL);

  if (!(s > best->s + more || (s > 0 && s > best->s))) return;
  best->kind = kind;
  best->s    = s;
  for (int k = 0; k < 3; k++) best->n[k] = m[k];
}

static PetscReal size_of(const NsConvexSum *sum)
{
  PetscReal least = PETSC_MAX_REAL;

  for (int i = 0; i < sum->segments; i++) least = PetscMin(least, NsLength(sum->v[i]));
  for (int j = 0; j < sum->discs; j++) least = PetscMin(least, sum->r[j]);
  return least;
}

/* Faces of boxes and ends of cylinders first, then pairs of edges. */
static void try_faces(const NsConvexSum *sum, PetscReal prefer, NsConvex *best)
{
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < sum->segments; i++) {
      for (int j = 0; j < i && !sum->planar; j++) {
        const PetscBool face = sum->owner[i] == sum->owner[j];
        PetscReal       n[3];
        if (face != (pass == 0)) continue;
        NsCross(sum->v[i], sum->v[j], n);
        const PetscReal square = NsDot(n, n);
        if (square <= NS_PARALLEL * NsDot(sum->v[i], sum->v[i]) * NsDot(sum->v[j], sum->v[j])) continue;
        for (int k = 0; k < 3; k++) n[k] /= PetscSqrtReal(square);
        try_normal(sum, n, face ? 0 : prefer, (NsConvexNormal){.flat = face ? 1 + sum->owner[i] : 0, .edges = 2, .edge = {i, j}}, best);
      }
    }
    for (int j = 0; j < sum->discs && pass == 0; j++) try_normal(sum, sum->a[j], 0, (NsConvexNormal){.flat = 1 + sum->disc_owner[j]}, best);
  }
}

/* n moved by x along e, on the sphere. */
static void move_normal(const PetscReal n[3], const PetscReal e[2][3], const PetscReal x[2], PetscReal part, PetscReal to[3])
{
  for (int k = 0; k < 3; k++) to[k] = n[k] + part * (x[0] * e[0][k] + x[1] * e[1][k]);
  const PetscReal length = NsLength(to);
  for (int k = 0; k < 3; k++) to[k] /= length;
}

/* Newton's method on the sphere (in the plane on the circle) from n, uphill where s is not concave; steps that do not lead up are halved. */
static void try_corner(const NsConvexSum *sum, const PetscReal from[3], PetscReal prefer, NsConvex *best)
{
  const int count = sum->planar ? 1 : 2;
  PetscReal n[3] = {from[0], from[1], from[2]}, e[2][3] = {{0}}, w[3], b[2] = {0, 0}, to[3];
  PetscReal s = height(sum, n, w);

  for (int step = 0; step < NS_CLIMB; step++) {
    if (sum->planar)
      NsCross((PetscReal[3]){0, 0, 1}, n, e[0]);
    else
      NsAcross(n, e[0], e[1]);
    const PetscReal core = s + sum->ball, A = bend(sum, n, e[0], e[0]) - core;
    const PetscReal C = count > 1 ? bend(sum, n, e[1], e[1]) - core : -1, B = count > 1 ? bend(sum, n, e[0], e[1]) : 0, det = A * C - B * B;
    for (int i = 0; i < count; i++) b[i] = NsDot(e[i], w);
    PetscReal x[2] = {-(C * b[0] - B * b[1]) / det, -(A * b[1] - B * b[0]) / det}, way = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
    if (!(A < 0 && det > 0)) {
      for (int i = 0; i < 2; i++) x[i] = b[i];
      way = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
      for (int i = 0; i < 2 && way > 0; i++) x[i] *= 0.1 / way;
    }
    for (int i = 0; i < 2 && way > 0.3; i++) x[i] *= 0.3 / way;
    PetscReal part = 1, higher = s;
    for (; part > 1e-5; part /= 2) {
      move_normal(n, (const PetscReal(*)[3])e, x, part, to);
      higher = height(sum, to, w);
      if (higher > s) break;
    }
    if (!(higher > s)) break;
    s = higher;
    for (int k = 0; k < 3; k++) n[k] = to[k];
  }
  try_normal(sum, n, prefer, (NsConvexNormal){.edges = 0}, best);
}

/* Starts from the best of some normals on a spiral over the sphere, and from the best normal so far. */
static void try_corners(const NsConvexSum *sum, PetscReal prefer, NsConvex *best)
{
  PetscReal n[3], most = -PETSC_MAX_REAL, from[3] = {0, 0, 1};

  for (int c = 0; c < NS_SPIRAL; c++) {
    const PetscReal z = 1 - (2 * c + 1.0) / NS_SPIRAL, r = PetscSqrtReal(1 - z * z), angle = 2.399963229728653 * c;
    n[0]              = r * cos(angle);
    n[1]              = r * sin(angle);
    n[2]              = z;
    const PetscReal s = height(sum, n, NULL);
    if (s <= most) continue;
    most = s;
    for (int k = 0; k < 3; k++) from[k] = n[k];
  }
  try_corner(sum, from, prefer, best);
  for (int k = 0; k < 3; k++) n[k] = best->n[k];
  try_corner(sum, n, prefer, best);
}

/* Newton's method for the angle of n = e cos + f sin. */
static void climb(const NsConvexSum *sum, const PetscReal e[3], const PetscReal f[3], PetscReal angle, PetscReal n[3])
{
  PetscReal u[3], w[3];

  for (int step = 0; step < NS_NEWTON; step++) {
    for (int k = 0; k < 3; k++) {
      n[k] = cos(angle) * e[k] + sin(angle) * f[k];
      u[k] = cos(angle) * f[k] - sin(angle) * e[k];
    }
    const PetscReal s = height(sum, n, w) + sum->ball, slope = NsDot(u, w), curvature = bend(sum, n, u, u) - s;
    const PetscReal change = curvature < 0 ? -slope / curvature : slope > 0 ? 0.1 : -0.1;
    angle += PetscMax(-0.3, PetscMin(0.3, change));
    if (PetscAbsReal(change) < 1e-15) break;
  }
  for (int k = 0; k < 3; k++) n[k] = cos(angle) * e[k] + sin(angle) * f[k];
}

/* Starts from every angle that is better than its neighbours. */
static void try_edge(const NsConvexSum *sum, int i, PetscReal prefer, NsConvex *best)
{
  const PetscReal length = NsLength(sum->v[i]), v[3] = {sum->v[i][0] / length, sum->v[i][1] / length, sum->v[i][2] / length};
  PetscReal       e[3], f[3], n[3], at[NS_ANGLES];

  if (sum->planar) { /* one normal in the plane */
    n[0] = -v[1];
    n[1] = v[0];
    n[2] = 0;
    try_normal(sum, n, 0, (NsConvexNormal){.edges = 1, .edge = {i}}, best);
    return;
  }
  NsAcross(v, e, f);
  for (int c = 0; c < NS_ANGLES; c++) {
    const PetscReal x = 2 * PETSC_PI * c / NS_ANGLES;
    for (int k = 0; k < 3; k++) n[k] = cos(x) * e[k] + sin(x) * f[k];
    at[c] = height(sum, n, NULL);
  }
  for (int c = 0; c < NS_ANGLES; c++) {
    if (at[c] < at[(c + 1) % NS_ANGLES] || at[c] < at[(c + NS_ANGLES - 1) % NS_ANGLES]) continue;
    climb(sum, e, f, 2 * PETSC_PI * c / NS_ANGLES, n);
    try_normal(sum, n, prefer, (NsConvexNormal){.edges = 1, .edge = {i}}, best);
    if (sum->discs > 1) try_corner(sum, n, prefer, best);
  }
}

/* Towards the point of the difference that is nearest to the origin; false: it is within. */
static PetscBool approach(const NsConvexSum *sum, PetscReal n[3])
{
  PetscReal x[3] = {sum->d[0], sum->d[1], sum->d[2]}, w[3];

  for (int step = 0; step < NS_GILBERT; step++) {
    const PetscReal length = NsLength(x);
    if (!(length > 1e-12 * NsLength(sum->d))) return PETSC_FALSE;
    for (int k = 0; k < 3; k++) n[k] = x[k] / length;
    (void)height(sum, n, w); /* the point that lies farthest against n */
    const PetscReal d[3] = {w[0] - x[0], w[1] - x[1], w[2] - x[2]}, square = NsDot(d, d), gain = -NsDot(d, x);
    if (!(gain > 1e-10 * length * length) || !(square > 0)) break;
    const PetscReal part = PetscMin(1, gain / square);
    for (int k = 0; k < 3; k++) x[k] += part * d[k];
  }
  return PETSC_TRUE;
}

void NsConvexFind(const NsConvexSum *sum, NsConvex *best)
{
  const PetscReal prefer = NS_PREFER * size_of(sum);
  PetscReal       n[3];

  *best = (NsConvex){.s = -PETSC_MAX_REAL, .n = {1, 0, 0}};
  try_faces(sum, prefer, best);
  for (int i = 0; i < sum->segments; i++) try_edge(sum, i, prefer, best);
  if (sum->discs > 0 && !sum->planar) try_corners(sum, prefer, best);
  if (approach(sum, n)) {
    try_corner(sum, n, prefer, best);
    try_normal(sum, n, prefer, (NsConvexNormal){.edges = 0}, best);
  }
}
