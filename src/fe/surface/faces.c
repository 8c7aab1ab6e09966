/* Faces of a surface and the nearest of them: see faces.h. Boxes in a binary tree, halved at the median along their longest side. */
#include "faces.h"
#include <stdlib.h>
#include <string.h>

#define NS_TIE   1e-10 /* of a squared distance: as near */
#define NS_CLOSE 1e-9  /* of a face: too near to tell a direction */

enum { NS_LEAF = 4, NS_DEEPEST = 64 };

typedef struct {
  PetscReal low[3], high[3];
  PetscInt  first, count; /* of the order; a leaf if there is no child */
  PetscInt  child;        /* the first of two, which follow each other; 0: a leaf */
} Box;

typedef struct {
  PetscInt  nodes, node[NS_FACET_NODES];
  PetscInt  whole;               /* the face of the surface */
  PetscBool rim[NS_FACET_NODES]; /* of the edge from node a to the next; of a line of its node a */
} Facet;

struct NsFaces {
  const NsFeSurface *surface;
  PetscInt           facets, boxes, *order;
  Facet             *facet;
  PetscBool         *rim; /* [nodes] some edge of the rim ends there */
  PetscReal (*x)[3];
  PetscReal extent; /* m, of a facet */
  Box      *box;
};

/* How a facet sees a point. */
typedef struct {
  PetscReal y[3], n[3], N[NS_FACET_NODES]; /* nearest point, the facet's normal and weights there */
  PetscReal free[NS_FACET_NODES];          /* weights where x projects onto the plane of the facet, beyond its edges, too */
  PetscReal square, facing;                /* |x - y|^2, |n . (x - y)| */
  PetscBool inside, rim;                   /* y is not on an edge; y is on the rim */
} View;

/* ---- rim -------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt a, b, facet, edge;
} Edge;

static int by_ends(const void *one, const void *two)
{
  const Edge *e = one, *f = two;

  if (e->a != f->a) return e->a < f->a ? -1 : 1;
  if (e->b != f->b) return e->b < f->b ? -1 : 1;
  if (e->facet != f->facet) return e->facet < f->facet ? -1 : 1;
  return (e->edge > f->edge) - (e->edge < f->edge);
}

/* The edges of all facets (of lines their ends), the same ones side by side. Returns their number. */
static PetscInt list_edges(NsArena *arena, const NsFaces *faces, Edge **list)
{
  PetscInt count = 0;
  Edge    *edge  = NsArenaAlloc(arena, sizeof(*edge) * (size_t)(NS_FACET_NODES * faces->facets));

  for (PetscInt f = 0; f < faces->facets; f++) {
    const Facet *facet = &faces->facet[f];
    for (PetscInt e = 0; e < facet->nodes; e++) {
      const PetscInt a = facet->node[e], b = facet->nodes == 2 ? a : facet->node[(e + 1) % facet->nodes];
      edge[count++] = (Edge){PetscMin(a, b), PetscMax(a, b), f, e};
    }
  }
  qsort(edge, (size_t)count, sizeof(*edge), by_ends);
  *list = edge;
  return count;
}

/* Unit normal of a facet, by its diagonals where it has four corners. */
static void facet_normal(const NsFaces *faces, const Facet *facet, PetscReal n[3])
{
  const PetscReal *x[NS_FACET_NODES];
  PetscReal        a[3], b[3] = {0, 0, 1};
  const int        last = (int)facet->nodes - 1;

  for (PetscInt k = 0; k < facet->nodes; k++) x[k] = faces->x[facet->node[k]];
  for (int k = 0; k < 3; k++) {
    a[k] = last == 3 ? x[2][k] - x[0][k] : x[1][k] - x[0][k];
    if (last > 1) b[k] = x[last][k] - (last == 3 ? x[1][k] : x[0][k]);
  }
  NsCross3(a, b, n);
  (void)NsUnit3(n);
}

PetscReal NsFacesTurn(NsArena *arena, const NsFaces *faces, PetscReal at[3])
{
  PetscReal      most = 0;
  Edge          *edge;
  const PetscInt count = list_edges(arena, faces, &edge);

  for (PetscInt i = 1; i < count; i++) {
    PetscReal n[2][3], across[3];
    if (edge[i - 1].a != edge[i].a || edge[i - 1].b != edge[i].b) continue;
    for (int p = 0; p < 2; p++) facet_normal(faces, &faces->facet[edge[i - p].facet], n[p]);
    NsCross3(n[0], n[1], across);
    const PetscReal angle = atan2(PetscSqrtReal(NsDot3(across, across)), NsDot3(n[0], n[1]));
    if (angle > NS_CORNER || angle <= most) continue;
    most = angle;
    for (int k = 0; k < 3; k++) at[k] = (faces->x[edge[i].a][k] + faces->x[edge[i].b][k]) / 2;
  }
  return most;
}

/* Edges that belong to one facet only. */
static void find_rim(NsArena *arena, NsFaces *faces)
{
  Edge          *edge;
  const PetscInt count = list_edges(arena, faces, &edge);

  for (PetscInt i = 0; i < count; i++) {
    const PetscBool alone = (i == 0 || edge[i - 1].a != edge[i].a || edge[i - 1].b != edge[i].b) &&
                            (i == count - 1 || edge[i + 1].a != edge[i].a || edge[i + 1].b != edge[i].b);
    if (!alone) continue;
    faces->facet[edge[i].facet].rim[edge[i].edge] = PETSC_TRUE;
    faces->rim[edge[i].a] = faces->rim[edge[i].b] = PETSC_TRUE;
  }
}

/* ---- tree ------------------------------------------------------------------------------------------------------------------------------------- */

static PetscReal middle(const NsFaces *faces, PetscInt facet, int k)
{
  const Facet *f   = &faces->facet[facet];
  PetscReal    sum = 0;

  for (PetscInt a = 0; a < f->nodes; a++) sum += faces->x[f->node[a]][k];
  return sum / (PetscReal)f->nodes;
}

static int longest_side(const NsFaces *faces, const PetscInt *order, PetscInt count)
{
  PetscReal most = -1;
  int       side = 0;

  for (int k = 0; k < 3; k++) {
    PetscReal low = PETSC_MAX_REAL, high = -PETSC_MAX_REAL;
    for (PetscInt i = 0; i < count; i++) {
      low  = PetscMin(low, middle(faces, order[i], k));
      high = PetscMax(high, middle(faces, order[i], k));
    }
    if (high - low > most) side = k;
    most = PetscMax(most, high - low);
  }
  return side;
}

/* Halves by the median (Hoare's selection), equal ones by their numbers. */
static void halve(const NsFaces *faces, PetscInt *order, PetscInt count, int k)
{
  const PetscInt half = count / 2;
  PetscInt       low = 0, high = count - 1;

  while (low < high) {
    const PetscInt  pivot = order[(low + high) / 2];
    const PetscReal at    = middle(faces, pivot, k);
    PetscInt        i = low, j = high;
    while (i <= j) {
      while (middle(faces, order[i], k) < at || (middle(faces, order[i], k) == at && order[i] < pivot)) i++;
      while (middle(faces, order[j], k) > at || (middle(faces, order[j], k) == at && order[j] > pivot)) j--;
      if (i > j) break;
      const PetscInt other = order[i];
      order[i++]           = order[j];
      order[j--]           = other;
    }
    if (half <= j)
      high = j;
    else if (half >= i)
      low = i;
    else
      return;
  }
}

static void make_tree(NsFaces *faces)
{
  faces->boxes  = 1;
  faces->box[0] = (Box){.count = faces->facets};
  for (PetscInt b = 0; b < faces->boxes; b++) {
    const Box box = faces->box[b];
    if (box.count <= NS_LEAF) continue;
    const PetscInt half = box.count / 2;
    halve(faces, faces->order + box.first, box.count, longest_side(faces, faces->order + box.first, box.count));
    faces->box[b].child        = faces->boxes;
    faces->box[faces->boxes++] = (Box){.first = box.first, .count = half};
    faces->box[faces->boxes++] = (Box){.first = box.first + half, .count = box.count - half};
  }
}

void NsFacesPlace(NsFaces *faces)
{
  for (PetscInt b = faces->boxes - 1; b >= 0; b--) { /* children come behind their parents */
    Box *box = &faces->box[b];
    for (int k = 0; k < 3; k++) {
      box->low[k]  = box->child ? PetscMin(faces->box[box->child].low[k], faces->box[box->child + 1].low[k]) : PETSC_MAX_REAL;
      box->high[k] = box->child ? PetscMax(faces->box[box->child].high[k], faces->box[box->child + 1].high[k]) : -PETSC_MAX_REAL;
    }
    for (PetscInt i = box->first; i < box->first + box->count && !box->child; i++) {
      const Facet *facet = &faces->facet[faces->order[i]];
      for (PetscInt a = 0; a < facet->nodes; a++) {
        const PetscReal *x = faces->x[facet->node[a]];
        for (int k = 0; k < 3; k++) {
          box->low[k]  = PetscMin(box->low[k], x[k]);
          box->high[k] = PetscMax(box->high[k], x[k]);
        }
      }
    }
  }
}

/* ---- set-up ----------------------------------------------------------------------------------------------------------------------------------- */

/* A face as facets; triangles with six nodes as four. */
static void add_facets(NsFaces *faces, PetscInt face)
{
  static const int   quarter[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
  const NsFeSurface *surface       = faces->surface;
  const PetscInt    *of            = surface->face[face];
  const int          pieces        = surface->of_face == 6 ? 4 : 1;

  for (int p = 0; p < pieces; p++) {
    Facet *facet = &faces->facet[faces->facets++];
    *facet       = (Facet){.nodes = surface->corners, .whole = face};
    if (pieces == 1) facet->nodes = NsFaceCorners(surface, face, facet->node);
    for (PetscInt a = 0; a < surface->corners && pieces > 1; a++) facet->node[a] = of[quarter[p][a]];
  }
}

NsFaces *NsFacesCreate(NsArena *arena, const NsFeSurface *surface)
{
  const size_t most  = (size_t)surface->faces * (surface->of_face == 6 ? 4 : 1);
  NsFaces     *faces = NsArenaAlloc(arena, sizeof(*faces));

  *faces       = (NsFaces){.surface = surface, .extent = surface->face_size / (surface->of_face == 6 ? 2 : 1)};
  faces->facet = NsArenaAlloc(arena, sizeof(*faces->facet) * most);
  faces->order = NsArenaAlloc(arena, sizeof(*faces->order) * most);
  faces->box   = NsArenaAlloc(arena, sizeof(*faces->box) * (2 * most + 1));
  faces->rim   = NsArenaAlloc(arena, sizeof(*faces->rim) * (size_t)surface->nodes);
  faces->x     = NsArenaAlloc(arena, sizeof(*faces->x) * (size_t)surface->nodes);
  memset(faces->rim, 0, sizeof(*faces->rim) * (size_t)surface->nodes);
  memcpy(faces->x, surface->x, sizeof(*faces->x) * (size_t)surface->nodes);
  for (PetscInt f = 0; f < surface->faces; f++) add_facets(faces, f);
  for (PetscInt f = 0; f < faces->facets; f++) faces->order[f] = f;
  find_rim(arena, faces);
  make_tree(faces);
  NsFacesPlace(faces);
  return faces;
}

PetscReal (*NsFacesPositions(NsFaces *faces))[3]
{
  return faces->x;
}

static int ascending(const void *a, const void *b)
{
  return (*(const PetscInt *)a > *(const PetscInt *)b) - (*(const PetscInt *)a < *(const PetscInt *)b);
}

PetscInt NsFacesSelect(const NsFaces *faces, NsFacesWanted wanted, const void *data, PetscInt *list)
{
  PetscInt stack[NS_DEEPEST], depth = 1, count = 0;

  stack[0] = 0;
  while (depth > 0) {
    const Box *box = &faces->box[stack[--depth]];
    PetscReal  centre[3], radius = 0;
    for (int k = 0; k < 3; k++) {
      centre[k] = (box->low[k] + box->high[k]) / 2;
      radius += PetscSqr(box->high[k] - box->low[k]) / 4;
    }
    if (!wanted(data, centre, PetscSqrtReal(radius))) continue;
    if (box->child) {
      stack[depth++] = box->child;
      stack[depth++] = box->child + 1;
      continue;
    }
    for (PetscInt i = box->first; i < box->first + box->count; i++) {
      const Facet *facet = &faces->facet[faces->order[i]];
      if (facet->whole * (faces->surface->of_face == 6 ? 4 : 1) == faces->order[i]) list[count++] = facet->whole; /* the first piece stands for all */
    }
  }
  qsort(list, (size_t)count, sizeof(*list), ascending);
  return count;
}

/* ---- a facet and a point ---------------------------------------------------------------------------------------------------------------------- */

static void less(const PetscReal a[3], const PetscReal b[3], PetscReal d[3])
{
  for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
}

/* Where x projects onto the line from a to b: 0 at a, 1 at b. */
static PetscReal along(const PetscReal a[3], const PetscReal b[3], const PetscReal x[3])
{
  PetscReal d[3], e[3];

  less(b, a, d);
  less(x, a, e);
  return NsDot3(d, e) / NsDot3(d, d);
}

/* The nearest point of the edges: weights, and whether it is on the rim. */
static void nearest_edge(const NsFaces *faces, const Facet *facet, const PetscReal x[3], View *view)
{
  PetscReal least = PETSC_MAX_REAL;

  for (PetscInt a = 0; a < facet->nodes; a++) {
    const PetscInt  b = (a + 1) % facet->nodes, from = facet->node[a], to = facet->node[b];
    const PetscReal s = along(faces->x[from], faces->x[to], x), on = PetscMax(0, PetscMin(1, s));
    PetscReal       d[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - (1 - on) * faces->x[from][k] - on * faces->x[to][k];
    if (NsDot3(d, d) >= least) continue;
    least = NsDot3(d, d);
    memset(view->N, 0, sizeof(view->N));
    view->N[a] = 1 - on;
    view->N[b] = on;
    view->rim  = on > 0 && on < 1 ? facet->rim[a] : faces->rim[on > 0 ? to : from];
  }
}

static void see_line(const NsFaces *faces, const Facet *facet, const PetscReal x[3], View *view)
{
  const PetscReal *a = faces->x[facet->node[0]], *b = faces->x[facet->node[1]], s = along(a, b, x), on = PetscMax(0, PetscMin(1, s));

  view->n[0]    = b[1] - a[1];
  view->n[1]    = a[0] - b[0];
  view->n[2]    = 0;
  view->N[0]    = 1 - on;
  view->N[1]    = on;
  view->free[0] = 1 - s;
  view->free[1] = s;
  view->inside  = s > 0 && s < 1;
  view->rim     = !view->inside && faces->rim[facet->node[s > 0]];
}

static void see_triangle(const NsFaces *faces, const Facet *facet, const PetscReal x[3], View *view)
{
  const PetscReal *a = faces->x[facet->node[0]];
  PetscReal        e[2][3], d[3], c[3];

  for (int i = 0; i < 2; i++) less(faces->x[facet->node[1 + i]], a, e[i]);
  less(x, a, d);
  NsCross3(e[0], e[1], view->n);
  const PetscReal nn = NsDot3(view->n, view->n);
  NsCross3(d, e[1], c);
  view->free[1] = NsDot3(c, view->n) / nn;
  NsCross3(e[0], d, c);
  view->free[2] = NsDot3(c, view->n) / nn;
  view->free[0] = 1 - view->free[1] - view->free[2];
  view->inside  = view->free[0] > 0 && view->free[1] > 0 && view->free[2] > 0;
  if (view->inside)
    memcpy(view->N, view->free, sizeof(view->N));
  else
    nearest_edge(faces, facet, x, view);
}

static void quadrangle_at(const NsFaces *faces, const Facet *facet, const PetscReal xi[2], PetscReal N[4], PetscReal y[3], PetscReal d[2][3])
{
  memset(y, 0, 3 * sizeof(*y));
  memset(d, 0, 2 * sizeof(*d));
  for (int a = 0; a < 4; a++) {
    const PetscReal *x = faces->x[facet->node[a]], f = a == 1 || a == 2 ? 1 : -1, g = a > 1 ? 1 : -1;
    N[a] = (1 + f * xi[0]) * (1 + g * xi[1]) / 4;
    for (int k = 0; k < 3; k++) {
      y[k] += N[a] * x[k];
      d[0][k] += f * (1 + g * xi[1]) / 4 * x[k];
      d[1][k] += g * (1 + f * xi[0]) / 4 * x[k];
    }
  }
}

/* (x - y) . dy/dxi = 0 by the method of Gauss and Newton: of a flat quadrangle Newton's. */
static void see_quadrangle(const NsFaces *faces, const Facet *facet, const PetscReal x[3], View *view)
{
  PetscReal xi[2] = {0, 0}, y[3], d[2][3], r[3], off = 1;

  quadrangle_at(faces, facet, xi, view->free, y, d);
  NsCross3(d[0], d[1], view->n);
  for (int round = 0; round < 30 && off > 1e-14; round++) {
    less(x, y, r);
    const PetscReal A = NsDot3(d[0], d[0]), B = NsDot3(d[0], d[1]), C = NsDot3(d[1], d[1]), b[2] = {NsDot3(r, d[0]), NsDot3(r, d[1])};
    const PetscReal det = A * C - B * B;
    if (!(det > 1e-12 * A * C)) break;
    const PetscReal step[2] = {(C * b[0] - B * b[1]) / det, (A * b[1] - B * b[0]) / det};
    for (int i = 0; i < 2; i++) xi[i] = PetscMax(-3, PetscMin(3, xi[i] + step[i])); /* farther away edges decide */
    off = PetscMax(PetscAbsReal(step[0]), PetscAbsReal(step[1]));
    quadrangle_at(faces, facet, xi, view->free, y, d);
  }
  view->inside = PetscAbsReal(xi[0]) < 1 && PetscAbsReal(xi[1]) < 1 && off < 1e-6;
  if (off < 1e-6) NsCross3(d[0], d[1], view->n);
  if (view->inside)
    memcpy(view->N, view->free, sizeof(view->N));
  else
    nearest_edge(faces, facet, x, view);
}

static void see(const NsFaces *faces, const Facet *facet, const PetscReal x[3], View *view)
{
  PetscReal r[3];

  memset(view, 0, sizeof(*view));
  (facet->nodes == 2 ? see_line : facet->nodes == 3 ? see_triangle : see_quadrangle)(faces, facet, x, view);
  (void)NsUnit3(view->n);
  for (PetscInt a = 0; a < facet->nodes; a++) {
    for (int k = 0; k < 3; k++) view->y[k] += view->N[a] * faces->x[facet->node[a]][k];
  }
  less(x, view->y, r);
  view->square = NsDot3(r, r);
  view->facing = PetscAbsReal(NsDot3(view->n, r));
}

/* ---- the nearest ------------------------------------------------------------------------------------------------------------------------------ */

static PetscReal box_square(const Box *box, const PetscReal x[3])
{
  PetscReal sum = 0;

  for (int k = 0; k < 3; k++) sum += PetscSqr(PetscMax(0, PetscMax(box->low[k] - x[k], x[k] - box->high[k])));
  return sum;
}

static const Facet *find_nearest(const NsFaces *faces, const PetscReal x[3], View *best)
{
  const Facet *found = NULL;
  PetscInt     stack[NS_DEEPEST], depth = 1;

  stack[0] = 0;
  while (depth > 0) {
    const Box *box = &faces->box[stack[--depth]];
    if (found && box_square(box, x) > best->square * (1 + 2 * NS_TIE)) continue;
    if (box->child) {
      const PetscBool second = box_square(&faces->box[box->child], x) > box_square(&faces->box[box->child + 1], x);
      stack[depth++]         = box->child + (second ? 0 : 1); /* the nearer one is looked at first */
      stack[depth++]         = box->child + (second ? 1 : 0);
      continue;
    }
    for (PetscInt i = box->first; i < box->first + box->count; i++) {
      View view;
      see(faces, &faces->facet[faces->order[i]], x, &view);
      const PetscReal tie = NS_TIE * PetscMax(view.square, PetscSqr(NS_CLOSE * faces->extent));
      if (found && (view.square > best->square + tie || (view.square > best->square - tie && view.facing <= best->facing))) continue;
      *best = view;
      found = &faces->facet[faces->order[i]];
    }
  }
  return found;
}

/* Between the last nodes and the rim. */
static void continue_face(const NsFaces *faces, const Facet *facet, const PetscReal x[3], const View *view, NsNearest *nearest)
{
  PetscReal r[3] = {x[0], x[1], x[2]};

  for (PetscInt a = 0; a < facet->nodes; a++) {
    nearest->N[a] = view->free[a];
    for (int k = 0; k < 3; k++) r[k] -= view->free[a] * faces->x[facet->node[a]][k];
  }
  nearest->gap = NsDot3(view->n, r);
}

void NsFacesNearest(const NsFaces *faces, const PetscReal x[3], NsNearest *nearest)
{
  View         view  = {.square = 0};
  const Facet *facet = find_nearest(faces, x, &view);
  PetscReal    r[3], over[3];

  nearest->nodes  = facet->nodes;
  nearest->beyond = PETSC_FALSE;
  nearest->inside = view.inside;
  for (PetscInt a = 0; a < facet->nodes; a++) nearest->node[a] = facet->node[a];
  memcpy(nearest->N, view.N, sizeof(nearest->N));
  memcpy(nearest->n, view.n, sizeof(nearest->n));
  memcpy(nearest->facet_normal, view.n, sizeof(nearest->facet_normal));
  less(x, view.y, r);
  nearest->gap = NsDot3(view.n, r);
  if (view.inside) return;
  const PetscReal distance = PetscSqrtReal(view.square);
  if (view.rim) {
    for (int k = 0; k < 3; k++) over[k] = r[k] - nearest->gap * view.n[k];
    const PetscReal beyond = PetscSqrtReal(NsDot3(over, over)) - NS_RIM * faces->extent;
    nearest->beyond        = beyond > 0;
    if (beyond > 0)
      nearest->gap = PetscSqrtReal(PetscSqr(nearest->gap) + PetscSqr(beyond));
    else
      continue_face(faces, facet, x, &view, nearest);
  } else if (distance > NS_CLOSE * faces->extent) {
    const PetscReal sign = nearest->gap < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) nearest->n[k] = sign * r[k] / distance;
    nearest->gap = sign * distance;
  }
}
