/*
  Systems of joints only: b + G P = 0 is solved by sparse block elimination along the bodies.

      G = W_u' C W_P,   C diagonal:   row r is coupled with row s if both have an entry at the same unknown

  Rows that are coupled with the same other rows, as those of one joint are, form a node. Nodes are eliminated in the order of least degree (D. J. Rose 1972): from the leaves of a tree of bodies, without fill where each
  body has few joints; a loop causes a fill of at most its length times the rows of a joint. For node k and the later nodes that it is coupled with,

      D = L_D U_D,   U <- L_D^-1 U,   M' <- U_D^-T L',   (later, later) -= M U

  with L' and U, of one pattern, as dense panels [rows of k, rows of the later ones]; where W_u = W_P only U is needed. The order and the indices of all sums are computed once for each pattern, so
  that a factorization of n hinges takes a few operations for each entry, and its cost is linear in n. There is no pivoting: G is nearly symmetric and positive definite. Pivots that vanish relative to their
  diagonals show dependent rows; these problems, and all others that do not reach the tolerance, are left to the local solvers (percuss/local.h).

  Reference: I. S. Duff, A. M. Erisman, J. K. Reid: Direct Methods for Sparse Matrices, 2017, chapters 7 and 10.
*/
#include "elimination.h"
#include <stdlib.h>
#include <string.h>

#define NS_PIVOT     1e-11 /* of its diagonal */
#define NS_GOOD      1e-14 /* residual without refinement */
#define NS_TOLERANCE 1e-12
#define NS_REFINE    2
#define NS_FILL      64       /* entries for each row up to which the elimination is used; or */
#define NS_DENSE     4        /* times fewer entries than rows^2, */
#define NS_MOST      50000000 /* but never more: 800 MB with G */

/* One number of G: the sum over its products. */
typedef struct {
  PetscInt to, product; /* where it goes; its first product, up to that of the next entry */
} Entry;

/* Entries of W_u and W_P at the same unknown. */
typedef struct {
  PetscInt u, p;
} Product;

typedef struct {
  PetscInt first, rows;          /* in the order of elimination */
  PetscInt width, later, laters; /* rows of its panels; its first later node */
  PetscInt diagonal, panel;      /* in value; of the panel U, that of L' is `panels` behind it */
  PetscInt update;               /* its first update */
} Node;

/* Rows of a later node within the panels of another. */
typedef struct {
  PetscInt node, offset;
} Later;

struct NsElimination {
  PetscInt   rows, nodes, entries[2]; /* of W_u, W_P */
  PetscInt  *first, *touch;           /* the pattern: first of both, then touch of both */
  PetscInt  *place;                   /* [rows] in the order of elimination */
  PetscInt  *island;                  /* [rows] */
  PetscInt   islands, most;
  Node      *node; /* [nodes] in order */
  Later     *later;
  PetscInt  *column; /* rows of the panels, by place: those of node k from its `panel_rows` on */
  PetscInt  *start;  /* [nodes] of column */
  PetscInt  *update; /* where the products of two later nodes go: in value */
  Entry     *entry;  /* [numbers + 1]: diagonals and U first, then L' */
  Product   *product;
  PetscInt   numbers, upper, diagonals, panels; /* upper: entries of diagonals and U; diagonals, panels: numbers of value */
  PetscReal *G, *value;                         /* [diagonals + 2 panels] */
  PetscReal *scaled;                            /* [entries of W_P] C W_P */
  PetscReal *x, *w, *inverse;                   /* [rows] by place; 1/diagonal */
  PetscBool  symmetric, regular, fits;
  PetscInt   room[10];
};

enum { ROOM_FIRST, ROOM_TOUCH, ROOM_ROWS, ROOM_NODES, ROOM_LATER, ROOM_COLUMN, ROOM_UPDATE, ROOM_ENTRY, ROOM_PRODUCT, ROOM_VALUE };

PetscErrorCode NsEliminationCreate(NsElimination **elimination)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(elimination));
  PetscFunctionReturn(0);
}

PetscErrorCode NsEliminationDestroy(NsElimination **result)
{
  NsElimination *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(PetscFree(self->first));
  PetscCall(PetscFree2(self->touch, self->scaled));
  PetscCall(PetscFree5(self->place, self->island, self->x, self->w, self->inverse));
  PetscCall(PetscFree2(self->node, self->start));
  PetscCall(PetscFree(self->later));
  PetscCall(PetscFree(self->column));
  PetscCall(PetscFree(self->update));
  PetscCall(PetscFree(self->entry));
  PetscCall(PetscFree(self->product));
  PetscCall(PetscFree2(self->G, self->value));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

/* Whether more than the room is needed; then the room becomes `count` and a quarter more. There is always some: lists that are empty have an address, too. */
static PetscBool outgrown(NsElimination *self, int which, PetscInt count)
{
  if (self->room[which] > 0 && count <= self->room[which]) return PETSC_FALSE;
  self->room[which] = count + count / 4 + 16;
  return PETSC_TRUE;
}

/* ---- pattern ---------------------------------------------------------------------------------------------------------------------------------- */

static PetscBool is_same(const NsElimination *self, const NsRows *wu, const NsRows *wp)
{
  const PetscInt n = wu->rows, u = wu->first[n], p = wp->first[n];
  const size_t   one = sizeof(PetscInt);

  return self->rows == n && self->entries[0] == u && self->entries[1] == p && !memcmp(self->first, wu->first, one * (size_t)(n + 1)) &&
         !memcmp(self->first + n + 1, wp->first, one * (size_t)(n + 1)) && !memcmp(self->touch, wu->touch, one * (size_t)u) &&
         !memcmp(self->touch + u, wp->touch, one * (size_t)p);
}

static PetscErrorCode copy_pattern(NsElimination *self, const NsRows *wu, const NsRows *wp)
{
  const PetscInt n = wu->rows, u = wu->first[n], p = wp->first[n];

  PetscFunctionBegin;
  if (outgrown(self, ROOM_FIRST, 2 * n + 2)) {
    PetscCall(PetscFree(self->first));
    PetscCall(PetscMalloc1(self->room[ROOM_FIRST], &self->first));
  }
  if (outgrown(self, ROOM_TOUCH, u + p)) {
    PetscCall(PetscFree2(self->touch, self->scaled));
    PetscCall(PetscMalloc2(self->room[ROOM_TOUCH], &self->touch, self->room[ROOM_TOUCH], &self->scaled));
  }
  if (outgrown(self, ROOM_ROWS, n)) {
    const PetscInt room = self->room[ROOM_ROWS];
    PetscCall(PetscFree5(self->place, self->island, self->x, self->w, self->inverse));
    PetscCall(PetscMalloc5(room, &self->place, room, &self->island, room, &self->x, room, &self->w, room, &self->inverse));
  }
  self->rows       = n;
  self->entries[0] = u;
  self->entries[1] = p;
  PetscCall(PetscArraycpy(self->first, wu->first, n + 1));
  PetscCall(PetscArraycpy(self->first + n + 1, wp->first, n + 1));
  PetscCall(PetscArraycpy(self->touch, wu->touch, u));
  PetscCall(PetscArraycpy(self->touch + u, wp->touch, p));
  PetscFunctionReturn(0);
}

/* Lists that grow: neighbours of rows, then of nodes. */
typedef struct {
  PetscInt count, room, *item;
} List;

static PetscErrorCode append(List *list, PetscInt item)
{
  PetscFunctionBegin;
  if (list->count == list->room) {
    list->room = 2 * list->room + 8;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)list->room, &list->item));
  }
  list->item[list->count++] = item;
  PetscFunctionReturn(0);
}

/* Scratch of the symbolic analysis. */
typedef struct {
  PetscInt  nodes, *node_of, *size, *degree, *order, *place, *seen, *next, *last, *head;
  PetscInt *begin, *member; /* rows at each unknown */
  List     *list;           /* [nodes] neighbours of a node that are not eliminated yet; after its elimination, its later nodes */
} Analysis;

/* Rows at each unknown, W_u and W_P alike. */
static PetscErrorCode list_members(const NsElimination *self, PetscInt touches, Analysis *a)
{
  const PetscInt n = self->rows, all = self->entries[0] + self->entries[1];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(touches + 2, &a->begin));
  PetscCall(PetscMalloc1(all + 1, &a->member));
  for (PetscInt k = 0; k < all; k++) a->begin[self->touch[k] + 2]++;
  for (PetscInt k = 0; k < touches; k++) a->begin[k + 2] += a->begin[k + 1];
  for (PetscInt part = 0; part < 2; part++) {
    const PetscInt *first = self->first + part * (n + 1), *touch = self->touch + part * self->entries[0];
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt k = first[r]; k < first[r + 1]; k++) a->member[a->begin[touch[k] + 1]++] = r;
    }
  }
  PetscFunctionReturn(0);
}

/* The rows that row r is coupled with, unsorted; seen[row] = mark of those listed. */
static PetscErrorCode list_row(const NsElimination *self, const Analysis *a, PetscInt r, PetscInt mark, PetscInt *seen, List *list)
{
  PetscFunctionBegin;
  list->count = 0;
  for (PetscInt part = 0; part < 2; part++) {
    const PetscInt *first = self->first + part * (self->rows + 1), *touch = self->touch + part * self->entries[0];
    for (PetscInt k = first[r]; k < first[r + 1]; k++) {
      for (PetscInt i = a->begin[touch[k]]; i < a->begin[touch[k] + 1]; i++) {
        if (seen[a->member[i]] == mark) continue;
        seen[a->member[i]] = mark;
        PetscCall(append(list, a->member[i]));
      }
    }
  }
  PetscFunctionReturn(0);
}

/* Nodes of rows that follow each other and act on the same ones, and the neighbours of each node. */
static PetscErrorCode make_nodes(const NsElimination *self, Analysis *a)
{
  const PetscInt n = self->rows;
  PetscInt      *seen, mark = 0;
  List           row = {0}, last = {0};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &seen));
  PetscCall(PetscMalloc1(n, &a->node_of));
  PetscCall(PetscCalloc1(n, &a->size));
  PetscCall(PetscCalloc1(n, &a->list));
  for (PetscInt r = 0; r < n; r++) {
    PetscCall(list_row(self, a, r, ++mark, seen, &row));
    PetscBool same = r > 0 && row.count == last.count;
    for (PetscInt k = 0; k < last.count && same; k++) same = seen[last.item[k]] == mark;
    if (!same) a->nodes++;
    a->node_of[r] = a->nodes - 1;
    a->size[a->nodes - 1]++;
    const List swap = last;
    last            = row;
    row             = swap;
    if (same) continue;
    List *list = &a->list[a->nodes - 1]; /* rows for now */
    for (PetscInt k = 0; k < last.count; k++) PetscCall(append(list, last.item[k]));
  }
  for (PetscInt i = 0; i < n; i++) seen[i] = -1;
  for (PetscInt i = 0; i < a->nodes; i++) {
    List    *list  = &a->list[i];
    PetscInt count = 0;
    for (PetscInt k = 0; k < list->count; k++) {
      const PetscInt j = a->node_of[list->item[k]];
      if (j == i || seen[j] == i) continue;
      seen[j]             = i;
      list->item[count++] = j;
    }
    list->count = count;
  }
  PetscCall(PetscFree(seen));
  PetscCall(PetscFree(row.item));
  PetscCall(PetscFree(last.item));
  PetscFunctionReturn(0);
}

/* Nodes in lists by their degrees, counted in rows. */
static void link_node(Analysis *a, PetscInt i)
{
  PetscInt degree = 0;

  for (PetscInt k = 0; k < a->list[i].count; k++) degree += a->size[a->list[i].item[k]];
  a->degree[i] = degree;
  a->last[i]   = -1;
  a->next[i]   = a->head[degree];
  if (a->next[i] >= 0) a->last[a->next[i]] = i;
  a->head[degree] = i;
}

static void unlink_node(Analysis *a, PetscInt i)
{
  if (a->last[i] >= 0)
    a->next[a->last[i]] = a->next[i];
  else
    a->head[a->degree[i]] = a->next[i];
  if (a->next[i] >= 0) a->last[a->next[i]] = a->last[i];
}

static PetscInt64 most_numbers(PetscInt64 rows)
{
  return PetscMin(PetscMax(NS_FILL * rows, rows * rows / NS_DENSE), NS_MOST);
}

/* Whether too many rows meet at one unknown: all of them act on each other. Then there is nothing to gain, and a long analysis is saved. */
static PetscBool is_star(const NsElimination *self, PetscInt touches, const Analysis *a)
{
  for (PetscInt k = 0; k < touches; k++) {
    const PetscInt64 rows = (a->begin[k + 1] - a->begin[k]) / 2; /* W_u and W_P alike */
    if (rows * rows > most_numbers(self->rows)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The order of least degree, with the later nodes of each. *fits: few enough numbers. */
static PetscErrorCode find_order(const NsElimination *self, Analysis *a, PetscBool *fits)
{
  const PetscInt n = a->nodes, rows = self->rows;
  PetscInt64     numbers = 0;
  PetscInt       least   = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc6(n, &a->degree, n, &a->order, n, &a->place, n, &a->seen, n, &a->next, n, &a->last));
  PetscCall(PetscMalloc1(rows + 1, &a->head));
  for (PetscInt d = 0; d <= rows; d++) a->head[d] = -1;
  for (PetscInt i = n - 1; i >= 0; i--) link_node(a, i);
  for (PetscInt i = 0; i < n; i++) a->seen[i] = -1;
  *fits = PETSC_TRUE;
  for (PetscInt k = 0; k < n && *fits; k++) {
    while (a->head[least] < 0) least++;
    const PetscInt pivot = a->head[least];
    const List    *later = &a->list[pivot];
    unlink_node(a, pivot);
    a->order[k]     = pivot;
    a->place[pivot] = k;
    numbers += a->size[pivot] * (a->size[pivot] + 2 * (PetscInt64)a->degree[pivot]);
    *fits = numbers <= most_numbers(rows);
    for (PetscInt m = 0; m < later->count && *fits; m++) { /* they act on each other now */
      const PetscInt i    = later->item[m];
      List          *list = &a->list[i];
      PetscInt       left = 0;
      unlink_node(a, i);
      for (PetscInt j = 0; j < list->count; j++) {
        if (list->item[j] == pivot) continue;
        a->seen[list->item[j]] = i;
        list->item[left++]     = list->item[j];
      }
      list->count = left;
      for (PetscInt j = 0; j < later->count; j++) {
        if (later->item[j] != i && a->seen[later->item[j]] != i) PetscCall(append(list, later->item[j]));
      }
      for (PetscInt j = 0; j < list->count; j++) a->seen[list->item[j]] = -1;
      link_node(a, i);
      least = PetscMin(least, a->degree[i]);
    }
  }
  PetscFunctionReturn(0);
}

/* ---- places ----------------------------------------------------------------------------------------------------------------------------------- */

/* Offset of a later node in the panels of node k. */
static PetscInt offset_of(const NsElimination *self, PetscInt k, PetscInt later)
{
  const Later *list = self->later + self->node[k].later;
  PetscInt     low = 0, high = self->node[k].laters;

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (list[middle].node <= later)
      low = middle;
    else
      high = middle;
  }
  return list[low].offset;
}

static PetscErrorCode place_nodes(NsElimination *self, Analysis *a)
{
  PetscInt laters = 0, updates = 0, columns = 0, row = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < a->nodes; k++) {
    const PetscInt m = a->list[k].count;
    laters += m;
    updates += m * (m + 1) / 2;
    columns += a->degree[k];
  }
  if (outgrown(self, ROOM_NODES, a->nodes)) {
    PetscCall(PetscFree2(self->node, self->start));
    PetscCall(PetscMalloc2(self->room[ROOM_NODES], &self->node, self->room[ROOM_NODES], &self->start));
  }
  if (outgrown(self, ROOM_LATER, laters)) PetscCall(PetscRealloc(sizeof(Later) * (size_t)self->room[ROOM_LATER], &self->later));
  if (outgrown(self, ROOM_UPDATE, updates)) PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)self->room[ROOM_UPDATE], &self->update));
  if (outgrown(self, ROOM_COLUMN, columns)) PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)self->room[ROOM_COLUMN], &self->column));
  self->nodes     = a->nodes;
  self->diagonals = self->panels = laters = updates = columns = 0;
  for (PetscInt k = 0; k < a->nodes; k++) {
    const PetscInt i = a->order[k], m = a->list[i].count, size = a->size[i];
    for (PetscInt j = 0; j < m; j++) a->list[i].item[j] = a->place[a->list[i].item[j]];
    PetscCall(PetscSortInt(m, a->list[i].item));
    self->node[k] = (Node){row, size, 0, laters, m, self->diagonals, self->panels, updates};
    for (PetscInt j = 0; j < m; j++) {
      self->later[laters++] = (Later){a->list[i].item[j], self->node[k].width};
      self->node[k].width += a->size[a->order[a->list[i].item[j]]];
    }
    row += size;
    updates += m * (m + 1) / 2;
    self->diagonals += size * size;
    self->panels += size * self->node[k].width;
  }
  for (PetscInt k = 0; k < a->nodes; k++) {
    const Node  *node  = &self->node[k];
    const Later *later = self->later + node->later;
    PetscInt     at    = node->update;
    self->start[k]     = columns;
    for (PetscInt i = 0; i < node->laters; i++) {
      const Node *own = &self->node[later[i].node];
      for (PetscInt r = 0; r < own->rows; r++) self->column[columns++] = own->first + r;
      self->update[at++] = own->diagonal;
      for (PetscInt j = i + 1; j < node->laters; j++)
        self->update[at++] = self->diagonals + own->panel + offset_of(self, later[i].node, later[j].node);
    }
  }
  PetscFunctionReturn(0);
}

/* Rows in the order of elimination; islands are elimination trees: a node belongs to the island of its first later node. */
static PetscErrorCode place_rows(NsElimination *self, const Analysis *a)
{
  PetscInt *next, *tree, *count;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(a->nodes, &next, a->nodes, &tree, a->nodes, &count));
  self->islands = self->most = 0;
  for (PetscInt k = a->nodes - 1; k >= 0; k--) {
    const Node *node = &self->node[k];
    next[k]          = node->first;
    tree[k]          = node->laters ? tree[self->later[node->later].node] : self->islands++;
    if (!node->laters) count[tree[k]] = 0;
    count[tree[k]] += node->rows;
    self->most = PetscMax(self->most, count[tree[k]]);
  }
  for (PetscInt r = 0; r < self->rows; r++) {
    const PetscInt k = a->place[a->node_of[r]];
    self->place[r]   = next[k]++;
    self->island[r]  = tree[k];
  }
  PetscCall(PetscFree3(next, tree, count));
  PetscFunctionReturn(0);
}

/* Entries of row r of W_u and row s of W_P at the same unknowns; where[touch]: entry of row s there, or -1. */
static PetscErrorCode add_products(NsElimination *self, PetscInt r, const PetscInt *where, PetscInt *products)
{
  PetscFunctionBegin;
  for (PetscInt u = self->first[r]; u < self->first[r + 1]; u++) {
    const PetscInt p = where[self->touch[u]];
    if (p < 0) continue;
    if (outgrown(self, ROOM_PRODUCT, *products + 1)) {
      self->room[ROOM_PRODUCT] *= 2;
      PetscCall(PetscRealloc(sizeof(Product) * (size_t)self->room[ROOM_PRODUCT], &self->product));
    }
    self->product[(*products)++] = (Product){u, p};
  }
  PetscFunctionReturn(0);
}

/* Where G_rs goes; lower: it is in the panels L'. */
static PetscInt target_of(const NsElimination *self, const Analysis *a, PetscInt r, PetscInt s, PetscBool *lower)
{
  const PetscInt i = a->place[a->node_of[r]], j = a->place[a->node_of[s]], early = PetscMin(i, j);
  const Node    *node = &self->node[early];
  const PetscInt row = self->place[r] - self->node[i].first, column = self->place[s] - self->node[j].first;

  *lower = j < i;
  if (i == j) return node->diagonal + row * node->rows + column;
  const PetscInt offset = offset_of(self, early, PetscMax(i, j));
  if (i < j) return self->diagonals + node->panel + row * node->width + offset + column;
  return self->diagonals + self->panels + node->panel + column * node->width + offset + row;
}

/* Where the numbers of G come from and go to. */
static PetscErrorCode place_numbers(NsElimination *self, const Analysis *a, PetscInt touches)
{
  PetscInt *where, *seen, products = 0, numbers = 0;
  List      list = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(touches, &where, self->rows, &seen));
  for (PetscInt k = 0; k < touches; k++) where[k] = -1;
  for (PetscInt part = 0; part < 2; part++) { /* L' last */
    for (PetscInt r = 0; r < self->rows; r++) seen[r] = -1;
    for (PetscInt s = 0; s < self->rows; s++) {
      const PetscInt *first = self->first + self->rows + 1, *touch = self->touch + self->entries[0];
      for (PetscInt k = first[s]; k < first[s + 1]; k++) {
        self->fits      = self->fits && where[touch[k]] < 0; /* one entry at each unknown */
        where[touch[k]] = k;
      }
      PetscCall(list_row(self, a, s, s, seen, &list));
      for (PetscInt m = 0; m < list.count; m++) {
        PetscBool      lower;
        const PetscInt r = list.item[m], to = target_of(self, a, r, s, &lower), before = products;
        if ((lower ? 1 : 0) != part) continue;
        PetscCall(add_products(self, r, where, &products));
        if (products == before) continue;
        if (outgrown(self, ROOM_ENTRY, numbers + 2)) {
          self->room[ROOM_ENTRY] *= 2;
          PetscCall(PetscRealloc(sizeof(Entry) * (size_t)self->room[ROOM_ENTRY], &self->entry));
        }
        self->entry[numbers++] = (Entry){to, before};
      }
      for (PetscInt k = first[s]; k < first[s + 1]; k++) where[touch[k]] = -1;
    }
    if (part == 0) self->upper = numbers;
  }
  if (outgrown(self, ROOM_ENTRY, numbers + 1)) PetscCall(PetscRealloc(sizeof(Entry) * (size_t)self->room[ROOM_ENTRY], &self->entry));
  self->entry[numbers] = (Entry){0, products};
  self->numbers        = numbers;
  PetscCall(PetscFree2(where, seen));
  PetscCall(PetscFree(list.item));
  PetscFunctionReturn(0);
}

static PetscErrorCode forget(Analysis *a)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->nodes; i++) PetscCall(PetscFree(a->list[i].item));
  PetscCall(PetscFree(a->begin));
  PetscCall(PetscFree(a->member));
  PetscCall(PetscFree(a->node_of));
  PetscCall(PetscFree(a->size));
  PetscCall(PetscFree(a->list));
  PetscCall(PetscFree6(a->degree, a->order, a->place, a->seen, a->next, a->last));
  PetscCall(PetscFree(a->head));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyse(NsElimination *self, PetscInt touches)
{
  Analysis a = {0};

  PetscFunctionBegin;
  PetscCall(list_members(self, touches, &a));
  self->fits = !is_star(self, touches, &a);
  if (self->fits) {
    PetscCall(make_nodes(self, &a));
    PetscCall(find_order(self, &a, &self->fits));
  }
  if (self->fits) {
    PetscCall(place_nodes(self, &a));
    PetscCall(place_rows(self, &a));
    PetscCall(place_numbers(self, &a, touches));
    if (outgrown(self, ROOM_VALUE, self->diagonals + 2 * self->panels)) {
      PetscCall(PetscFree2(self->G, self->value));
      PetscCall(PetscMalloc2(self->room[ROOM_VALUE], &self->G, self->room[ROOM_VALUE], &self->value));
    }
  }
  PetscCall(forget(&a));
  PetscFunctionReturn(0);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------------------------------------- */

static void assemble(NsElimination *self, const PetscReal *diagonal, const NsRows *wu, const NsRows *wp)
{
  const PetscInt numbers      = self->symmetric ? self->upper : self->numbers;
  const PetscReal *restrict u = wu->value, *restrict p = self->scaled;
  PetscReal *restrict G = self->G;

  for (PetscInt k = 0; k < self->entries[1]; k++) self->scaled[k] = diagonal ? diagonal[wp->touch[k]] * wp->value[k] : wp->value[k];
  memset(G, 0, sizeof(*G) * (size_t)(self->diagonals + (self->symmetric ? 1 : 2) * self->panels));
  for (PetscInt e = 0; e < numbers; e++) {
    const Product *product = self->product + self->entry[e].product, *end = self->product + self->entry[e + 1].product;
    PetscReal      sum = 0;
    for (; product < end; product++) sum += u[product->u] * p[product->p];
    G[self->entry[e].to] = sum;
  }
  for (PetscInt i = 0; i < self->nodes; i++) {
    const Node *node = &self->node[i];
    for (PetscInt r = 0; r < node->rows; r++) self->inverse[node->first + r] = 1 / G[node->diagonal + r * (node->rows + 1)];
  }
}

/* D = L_D U_D in place, and the panels with it. False: a pivot vanishes. */
static PetscBool factor_node(const NsElimination *self, const Node *node, PetscReal *D, PetscReal *U, PetscReal *M)
{
  const PetscInt m = node->rows, width = node->width;

  for (PetscInt p = 0; p < m; p++) {
    const PetscReal pivot = D[p * m + p], inverse = 1 / pivot;
    if (!(PetscAbsReal(pivot * self->inverse[node->first + p]) > NS_PIVOT)) return PETSC_FALSE;
    for (PetscInt i = p + 1; i < m; i++) {
      const PetscReal factor = D[i * m + p] *= inverse;
      for (PetscInt j = p + 1; j < m; j++) D[i * m + j] -= factor * D[p * m + j];
      for (PetscInt j = 0; j < width; j++) U[i * width + j] -= factor * U[p * width + j];
    }
    if (self->symmetric) {
      for (PetscInt j = 0; j < width; j++) M[p * width + j] = inverse * U[p * width + j];
      continue;
    }
    for (PetscInt j = 0; j < width; j++) M[p * width + j] *= inverse;
    for (PetscInt i = p + 1; i < m; i++) {
      for (PetscInt j = 0; j < width; j++) M[i * width + j] -= D[p * m + i] * M[p * width + j];
    }
  }
  return PETSC_TRUE;
}

/* T[rows, columns] -= A' B, over m rows of each with so many numbers. */
static inline void subtract_of(PetscInt m, PetscInt width, PetscInt rows, PetscInt columns, const PetscReal *restrict A, const PetscReal *restrict B,
  PetscInt stride, PetscReal *restrict T)
{
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < columns; j++) {
      PetscReal sum = 0;
      for (PetscInt p = 0; p < m; p++) sum += A[p * width + i] * B[p * width + j];
      T[i * stride + j] -= sum;
    }
  }
}

/* Loops over the rows of a usual joint are unrolled. */
static void subtract(
  PetscInt m, PetscInt width, PetscInt rows, PetscInt columns, const PetscReal *A, const PetscReal *B, PetscInt stride, PetscReal *T)
{
  switch (m) {
  case 1: subtract_of(1, width, rows, columns, A, B, stride, T); break;
  case 2: subtract_of(2, width, rows, columns, A, B, stride, T); break;
  case 3: subtract_of(3, width, rows, columns, A, B, stride, T); break;
  case 5: subtract_of(5, width, rows, columns, A, B, stride, T); break;
  default: subtract_of(m, width, rows, columns, A, B, stride, T); break;
  }
}

static PetscBool factor(NsElimination *self)
{
  PetscReal *value = self->value, *upper = value + self->diagonals;

  memcpy(value, self->G, sizeof(*value) * (size_t)(self->diagonals + (self->symmetric ? 1 : 2) * self->panels));
  for (PetscInt k = 0; k < self->nodes; k++) {
    const Node     *node  = &self->node[k];
    const Later    *later = self->later + node->later;
    PetscReal      *U = upper + node->panel, *M = U + self->panels;
    const PetscInt *to = self->update + node->update, m = node->rows, width = node->width;
    if (!factor_node(self, node, value + node->diagonal, U, M)) return PETSC_FALSE;
    for (PetscInt i = 0; i < node->laters; i++) {
      const Node    *own = &self->node[later[i].node];
      const PetscInt a   = later[i].offset;
      subtract(m, width, own->rows, own->rows, M + a, U + a, own->rows, value + *to++);
      for (PetscInt j = i + 1; j < node->laters; j++, to++) {
        const PetscInt b = later[j].offset, rows = self->node[later[j].node].rows;
        subtract(m, width, own->rows, rows, M + a, U + b, own->width, value + *to);
        if (!self->symmetric) subtract(m, width, own->rows, rows, U + a, M + b, own->width, value + *to + self->panels);
      }
    }
  }
  return PETSC_TRUE;
}

/* x <- G^-1 x, by place. */
static void solve(const NsElimination *self, PetscReal *x)
{
  const PetscReal *value = self->value, *upper = value + self->diagonals;

  for (PetscInt k = 0; k < self->nodes; k++) {
    const Node      *node = &self->node[k];
    const PetscReal *D = value + node->diagonal, *M = upper + self->panels + node->panel;
    const PetscInt  *column = self->column + self->start[k], m = node->rows, width = node->width;
    PetscReal       *own = x + node->first;
    for (PetscInt p = 0; p < m; p++) {
      for (PetscInt j = 0; j < p; j++) own[p] -= D[p * m + j] * own[j];
      for (PetscInt j = 0; j < width; j++) x[column[j]] -= M[p * width + j] * own[p];
    }
  }
  for (PetscInt k = self->nodes - 1; k >= 0; k--) {
    const Node      *node = &self->node[k];
    const PetscReal *D = value + node->diagonal, *U = upper + node->panel;
    const PetscInt  *column = self->column + self->start[k], m = node->rows, width = node->width;
    PetscReal       *own = x + node->first;
    for (PetscInt p = m - 1; p >= 0; p--) {
      PetscReal sum = own[p];
      for (PetscInt j = 0; j < width; j++) sum -= U[p * width + j] * x[column[j]];
      for (PetscInt j = p + 1; j < m; j++) sum -= D[p * m + j] * own[j];
      own[p] = sum / D[p * m + p];
    }
  }
}

/* y = G x, by place; y is not x. */
static void multiply(const NsElimination *self, const PetscReal *x, PetscReal *y)
{
  const PetscReal *upper = self->G + self->diagonals, *lower = self->symmetric ? upper : upper + self->panels;

  for (PetscInt r = 0; r < self->rows; r++) y[r] = 0;
  for (PetscInt k = 0; k < self->nodes; k++) {
    const Node      *node = &self->node[k];
    const PetscReal *D = self->G + node->diagonal, *U = upper + node->panel, *L = lower + node->panel;
    const PetscInt  *column = self->column + self->start[k], m = node->rows, width = node->width;
    for (PetscInt p = 0; p < m; p++, U += width, L += width) {
      const PetscReal xp  = x[node->first + p];
      PetscReal       sum = 0;
      for (PetscInt j = 0; j < m; j++) sum += D[p * m + j] * x[node->first + j];
      for (PetscInt j = 0; j < width; j++) {
        sum += U[j] * x[column[j]];
        y[column[j]] += L[j] * xp;
      }
      y[node->first + p] += sum;
    }
  }
}

/* ---- use -------------------------------------------------------------------------------------------------------------------------------------- */

/* Whether all contacts of the rows are joints without friction. */
static PetscBool are_joints(const NsContact *contact, const NsRows *rows)
{
  const NsLaws *laws = &contact->laws;

  if (rows->contacts != rows->rows || rows->contacts < 2 || laws->sliding || laws->two_phase || laws->joints) return PETSC_FALSE;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    if (!contact->model->candidate[rows->contact[i]].bilateral) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode NsEliminationTake(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp, PetscBool *taken)
{
  NsElimination   *self     = contact->elimination;
  const PetscReal *diagonal = compliance ? NsComplianceDiagonal(compliance) : NULL;

  PetscFunctionBegin;
  *taken = PETSC_FALSE;
  if ((compliance && !diagonal) || contact->chain->choice || !are_joints(contact, wu)) PetscFunctionReturn(0);
  if (!is_same(self, wu, wp)) {
    PetscCall(copy_pattern(self, wu, wp));
    PetscCall(analyse(self, contact->model->touches));
  }
  if (!self->fits) PetscFunctionReturn(0);
  self->symmetric = wu == wp;
  assemble(self, diagonal, wu, wp);
  self->regular = factor(self);
  *taken        = self->regular;
  PetscFunctionReturn(0);
}

PetscBool NsEliminationSolve(NsElimination *self, PetscReal factor_of, const PetscReal *b, PetscReal *P, PetscReal *residual)
{
  PetscReal *x = self->x, *w = self->w;

  for (PetscInt r = 0; r < self->rows; r++) {
    x[self->place[r]] = -b[r] / factor_of;
    P[r]              = 0;
  }
  *residual = PETSC_INFINITY;
  for (int refine = 0; refine <= NS_REFINE; refine++) {
    PetscReal left = 0, size = 0;
    solve(self, x);
    for (PetscInt r = 0; r < self->rows; r++) P[r] += x[self->place[r]];
    for (PetscInt r = 0; r < self->rows; r++) x[self->place[r]] = P[r];
    multiply(self, x, w);
    for (PetscInt r = 0; r < self->rows; r++) { /* w^2/d, d P^2 and b^2/d are energies */
      const PetscInt  i = self->place[r];
      const PetscReal d = PetscAbsReal(self->inverse[i]), v = factor_of * w[i] + b[r];
      left = PetscMax(left, v * v * d);
      size = PetscMax(size, PetscMax(b[r] * b[r] * d, factor_of * factor_of * P[r] * P[r] / d));
      x[i] = -v / factor_of;
      if (PetscIsInfOrNanReal(v)) return PETSC_FALSE;
    }
    *residual = size > 0 ? PetscSqrtReal(left / size) : 0;
    if (*residual <= NS_GOOD) break;
  }
  return *residual <= NS_TOLERANCE;
}

void NsEliminationReact(const NsElimination *self, PetscReal factor_of, const PetscReal *P, PetscReal *u)
{
  for (PetscInt r = 0; r < self->rows; r++) self->x[self->place[r]] = P[r];
  multiply(self, self->x, self->w);
  for (PetscInt r = 0; r < self->rows; r++) u[r] = factor_of * self->w[self->place[r]];
}

void NsEliminationSpread(const NsElimination *self, PetscBool *flag)
{
  for (PetscInt s = 0; s < self->islands; s++) {
    PetscBool any = PETSC_FALSE;
    for (PetscInt r = 0; r < self->rows; r++) any = any || (self->island[r] == s && flag[r]);
    for (PetscInt r = 0; r < self->rows && any; r++) flag[r] = flag[r] || self->island[r] == s;
  }
}

PetscInt NsEliminationIslands(const NsElimination *self, PetscInt *most)
{
  *most = self->most;
  return self->islands;
}
