/*
  The pattern of the elimination of joints (elimination.c): nodes of rows, their order, and where the numbers of G and of its factors come from and go to.
*/
#include "elimination_private.h"
#include <string.h>

#define NS_FILL  64       /* entries for each row up to which the elimination is used; or */
#define NS_DENSE 4        /* times fewer entries than rows^2, */
#define NS_MOST  50000000 /* but never more: 800 MB with G */

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

PetscErrorCode NsEliminationAnalyse(NsElimination *self, PetscInt touches, const NsRows *wu, const NsRows *wp)
{
  Analysis a = {0};

  PetscFunctionBegin;
  if (is_same(self, wu, wp)) PetscFunctionReturn(0);
  PetscCall(copy_pattern(self, wu, wp));
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
