/*
  The multifrontal method (I. S. Duff, J. K. Reid: The multifrontal solution of unsymmetric sets of linear equations, SIAM J. Sci. Stat. Comput. 5, 1984) for a pattern that is symmetric
  in blocks.

      order      nested dissection of the graph of nodes (METIS; up to NS_FEW nodes as they come), elimination tree, its postorder (J. W. H. Liu 1990)
      fronts     nodes whose columns have nearly one pattern are eliminated together: a dense matrix [pivots and what they act on]^2, column-major
      factor     fronts_factor.c

  What is in memory is every front in full: up to twice the factors, but
  nothing is moved. Two-dimensional structures of n bodies take O(n log n) numbers and O(n^1.5) operations.
*/
#include <metis.h>
#include "fronts_private.h"

enum {
  NS_FEW  = 8,  /* nodes */
  NS_THIN = 24, /* pivots: so few are put together with what follows, for the sake of BLAS */
  SEED    = 1   /* of METIS's random choices: any, but always the same */
};
#define NS_SLACK      0.08 /* of a front's rows: zeros that may be stored for the sake of fewer fronts; of thin ones more */
#define NS_THIN_SLACK 0.4

/* Lists of which each has a length that is not known before. */
typedef struct {
  PetscInt *first, *item, items, room;
} Lists;

static PetscErrorCode append(Lists *lists, PetscInt item)
{
  PetscFunctionBegin;
  if (lists->items == lists->room) {
    lists->room = 2 * lists->room + 256;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)lists->room, &lists->item));
  }
  lists->item[lists->items++] = item;
  PetscFunctionReturn(0);
}

static PetscErrorCode lists_create(PetscInt count, Lists *lists)
{
  PetscFunctionBegin;
  *lists = (Lists){0};
  PetscCall(PetscCalloc1(count + 1, &lists->first));
  PetscFunctionReturn(0);
}

static PetscErrorCode lists_destroy(Lists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(lists->first));
  PetscCall(PetscFree(lists->item));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFrontsCreate(NsFronts **fronts)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(fronts));
  PetscFunctionReturn(0);
}

static PetscErrorCode forget(NsFronts *self)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(self->number));
  PetscCall(PetscFree(self->node_of));
  PetscCall(PetscFree(self->node_start));
  PetscCall(PetscFree(self->width));
  PetscCall(PetscFree(self->front));
  PetscCall(PetscFree(self->row));
  PetscCall(PetscFree(self->to));
  PetscCall(PetscFree(self->block_first));
  PetscCall(PetscFree(self->block));
  PetscCall(PetscFree(self->swap));
  PetscCall(PetscFree(self->x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFrontsDestroy(NsFronts **fronts)
{
  PetscFunctionBegin;
  if (!*fronts) PetscFunctionReturn(0);
  PetscCall(forget(*fronts));
  PetscCall(PetscFree((*fronts)->value));
  PetscCall(PetscFree(*fronts));
  PetscFunctionReturn(0);
}

PetscInt64 NsFrontsSize(const NsFronts *self)
{
  return self->size;
}

/* ---- analysis --------------------------------------------------------------------------------------------------------------------------------- */

/* Of each unknown the elements with it: 2 e in their rows, 2 e + 1 in their columns. */
static PetscErrorCode list_elements(const NsFrontsPattern *p, Lists *uses)
{
  PetscInt *first;

  PetscFunctionBegin;
  PetscCall(lists_create(p->unknowns + 1, uses));
  first       = uses->first + 1;
  uses->items = uses->room = p->row_first[p->elements] + p->column_first[p->elements];
  PetscCall(PetscMalloc1(uses->items + 1, &uses->item));
  for (PetscInt k = 0; k < p->row_first[p->elements]; k++) first[p->row[k] + 1]++;
  for (PetscInt k = 0; k < p->column_first[p->elements]; k++) first[p->column[k] + 1]++;
  for (PetscInt u = 0; u < p->unknowns; u++) first[u + 1] += first[u];
  for (PetscInt e = 0; e < p->elements; e++) {
    for (PetscInt k = p->row_first[e]; k < p->row_first[e + 1]; k++) uses->item[first[p->row[k]]++] = 2 * e;
    for (PetscInt k = p->column_first[e]; k < p->column_first[e + 1]; k++) uses->item[first[p->column[k]]++] = 2 * e + 1;
  }
  PetscFunctionReturn(0); /* now first[u - 1], which is uses->first[u], is where u begins */
}

static PetscErrorCode make_nodes(NsFronts *self, const Lists *uses)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(self->unknowns, &self->node_of));
  PetscCall(PetscMalloc1(self->unknowns + 1, &self->node_start));
  self->nodes = 0;
  for (PetscInt u = 0; u < self->unknowns; u++) {
    const PetscInt length = uses->first[u + 1] - uses->first[u];
    PetscBool      same   = PETSC_FALSE;
    if (u > 0 && length > 0 && length == uses->first[u] - uses->first[u - 1])
      PetscCall(PetscArraycmp(uses->item + uses->first[u], uses->item + uses->first[u - 1], length, &same));
    if (!same) self->node_start[self->nodes++] = u;
    self->node_of[u] = self->nodes - 1;
  }
  self->node_start[self->nodes] = self->unknowns;
  PetscFunctionReturn(0);
}

/* Neighbours of each node: of rows the columns of the same element, and the reverse. */
static PetscErrorCode link_nodes(const NsFronts *self, const NsFrontsPattern *p, const Lists *uses, Lists *graph)
{
  PetscInt *seen;

  PetscFunctionBegin;
  PetscCall(lists_create(self->nodes, graph));
  PetscCall(PetscMalloc1(self->nodes, &seen));
  for (PetscInt i = 0; i < self->nodes; i++) seen[i] = -1;
  for (PetscInt i = 0; i < self->nodes; i++) {
    const PetscInt u = self->node_start[i];
    graph->first[i]  = graph->items;
    seen[i]          = i;
    for (PetscInt k = uses->first[u]; k < uses->first[u + 1]; k++) {
      const PetscInt  e = uses->item[k] / 2, row = uses->item[k] % 2 == 0;
      const PetscInt *first = row ? p->column_first : p->row_first, *with = row ? p->column : p->row;
      for (PetscInt m = first[e]; m < first[e + 1];) {
        const PetscInt j = self->node_of[with[m]];
        if (seen[j] != i) PetscCall(append(graph, j));
        seen[j] = i;
        m += self->node_start[j + 1] - with[m];
      }
    }
  }
  graph->first[self->nodes] = graph->items;
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(0);
}

/* order[k]: the node that is eliminated k-th, before the postorder. */
static PetscErrorCode dissect(const NsFronts *self, const Lists *graph, PetscInt *order)
{
  const PetscInt n = self->nodes;
  idx_t         *first, *neighbour, *weight, *permutation, *inverse, options[METIS_NOPTIONS], count = (idx_t)n;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) order[i] = i;
  if (n <= NS_FEW || graph->items == 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc5(n + 1, &first, graph->items, &neighbour, n, &weight, n, &permutation, n, &inverse));
  for (PetscInt i = 0; i <= n; i++) first[i] = (idx_t)graph->first[i];
  for (PetscInt k = 0; k < graph->items; k++) neighbour[k] = (idx_t)graph->item[k];
  for (PetscInt i = 0; i < n; i++) weight[i] = (idx_t)(self->node_start[i + 1] - self->node_start[i]);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = SEED;
  PetscCheck(
    METIS_NodeND(&count, first, neighbour, weight, options, permutation, inverse) == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_NodeND failed");
  for (PetscInt i = 0; i < n; i++) order[i] = permutation[i];
  PetscCall(PetscFree5(first, neighbour, weight, permutation, inverse));
  PetscFunctionReturn(0);
}

/* The elimination tree of that order: parent[k], both by their places in it, -1 for roots. */
static PetscErrorCode grow_tree(const Lists *graph, PetscInt n, const PetscInt *order, PetscInt *place, PetscInt *parent)
{
  PetscInt *ancestor;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &ancestor));
  for (PetscInt k = 0; k < n; k++) place[order[k]] = k;
  for (PetscInt k = 0; k < n; k++) {
    parent[k] = ancestor[k] = -1;
    for (PetscInt m = graph->first[order[k]]; m < graph->first[order[k] + 1]; m++) {
      for (PetscInt i = place[graph->item[m]]; i >= 0 && i < k;) {
        const PetscInt next = ancestor[i];
        ancestor[i]         = k;
        if (next < 0) parent[i] = k;
        i = next;
      }
    }
  }
  PetscCall(PetscFree(ancestor));
  PetscFunctionReturn(0);
}

/* Puts the order, and the tree with it, in postorder: children come right before their parents. */
static PetscErrorCode sort_tree(PetscInt n, PetscInt *order, PetscInt *place, PetscInt *parent)
{
  PetscInt *child, *sibling, *stack, *post, *old, top = 0, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n + 1, &child, n + 1, &sibling, n + 1, &stack, n + 1, &post, n + 1, &old));
  for (PetscInt k = 0; k <= n; k++) child[k] = -1;
  for (PetscInt k = n - 1; k >= 0; k--) {
    const PetscInt p = parent[k] < 0 ? n : parent[k];
    sibling[k]       = child[p];
    child[p]         = k;
  }
  for (stack[top++] = n; top > 0;) {
    const PetscInt k = stack[top - 1], c = child[k];
    if (c >= 0) {
      child[k]     = sibling[c];
      stack[top++] = c;
    } else {
      post[k] = count++;
      top--;
    }
  }
  for (PetscInt k = 0; k < n; k++) old[k] = parent[k] < 0 ? -1 : post[parent[k]];
  for (PetscInt k = 0; k < n; k++) parent[post[k]] = old[k];
  for (PetscInt k = 0; k < n; k++) old[post[k]] = order[k];
  for (PetscInt k = 0; k < n; k++) order[k] = old[k];
  for (PetscInt k = 0; k < n; k++) place[order[k]] = k;
  PetscCall(PetscFree5(child, sibling, stack, post, old));
  PetscFunctionReturn(0);
}

static int compare(const void *a, const void *b)
{
  const PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;

  return (x > y) - (x < y);
}

/* Of each node (by place) those after it on which its elimination acts, ascending. */
static PetscErrorCode find_columns(
  const Lists *graph, PetscInt n, const PetscInt *order, const PetscInt *place, const PetscInt *parent, Lists *columns)
{
  PetscInt *seen, *child, *sibling;

  PetscFunctionBegin;
  PetscCall(lists_create(n, columns));
  PetscCall(PetscMalloc3(n, &seen, n, &child, n, &sibling));
  for (PetscInt k = 0; k < n; k++) seen[k] = child[k] = -1;
  for (PetscInt k = 0; k < n; k++) {
    columns->first[k] = columns->items;
    seen[k]           = k;
    for (PetscInt m = graph->first[order[k]]; m < graph->first[order[k] + 1]; m++) {
      const PetscInt j = place[graph->item[m]];
      if (j > k && seen[j] != k) PetscCall(append(columns, j));
      if (j > k) seen[j] = k;
    }
    for (PetscInt c = child[k]; c >= 0; c = sibling[c]) {
      for (PetscInt m = columns->first[c]; m < columns->first[c + 1]; m++) {
        const PetscInt j = columns->item[m];
        if (seen[j] == k) continue;
        PetscCall(append(columns, j));
        seen[j] = k;
      }
    }
    columns->first[k + 1] = columns->items;
    if (columns->items > columns->first[k])
      qsort(columns->item + columns->first[k], (size_t)(columns->items - columns->first[k]), sizeof(PetscInt), compare);
    if (parent[k] < 0) continue;
    sibling[k]       = child[parent[k]];
    child[parent[k]] = k;
  }
  PetscCall(PetscFree3(seen, child, sibling));
  PetscFunctionReturn(0);
}

/* Whether nodes eliminated in a front of so many pivots and rows go together with the next, which would give it `merged` rows. */
static PetscBool goes_with(PetscInt pivots, PetscInt rows, PetscInt merged)
{
  const PetscReal zeros = (PetscReal)(merged - rows);

  return zeros <= (pivots <= NS_THIN ? NS_THIN_SLACK : NS_SLACK) * (PetscReal)merged;
}

/* Which nodes each front eliminates: start[fronts + 1], by place; front_of[nodes]. */
static PetscErrorCode gather_fronts(
  NsFronts *self, const PetscInt *order, const PetscInt *parent, const Lists *columns, PetscInt *start, PetscInt *front_of)
{
  PetscInt pivots = 0, rows = 0;

  PetscFunctionBegin;
  self->fronts = 0;
  for (PetscInt k = 0; k < self->nodes; k++) {
    const PetscInt own = self->node_start[order[k] + 1] - self->node_start[order[k]];
    PetscInt       all = own;
    for (PetscInt m = columns->first[k]; m < columns->first[k + 1]; m++)
      all += self->node_start[order[columns->item[m]] + 1] - self->node_start[order[columns->item[m]]];
    if (k > 0 && parent[k - 1] == k && goes_with(pivots, rows, pivots + all)) {
      rows = pivots + all;
      pivots += own;
    } else {
      start[self->fronts++] = k;
      pivots                = own;
      rows                  = all;
    }
    front_of[k] = self->fronts - 1;
  }
  start[self->fronts] = self->nodes;
  PetscFunctionReturn(0);
}

/* The fronts with their rows, and where these are in the front above. */
static PetscErrorCode make_fronts(
  NsFronts *self, const PetscInt *order, const Lists *columns, const PetscInt *start, const PetscInt *front_of, PetscInt *begin)
{
  PetscInt rows = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0, at = 0; k < self->nodes; k++) { /* new numbers; begin[place]: the first of a node */
    begin[k] = at;
    for (PetscInt u = self->node_start[order[k]]; u < self->node_start[order[k] + 1]; u++) self->number[u] = at++;
    begin[k + 1] = at;
  }
  PetscCall(PetscMalloc1(self->fronts, &self->front));
  self->size = self->most_rows = 0;
  for (PetscInt s = 0; s < self->fronts; s++) {
    const PetscInt last  = start[s + 1] - 1;
    Front         *front = &self->front[s];
    *front               = (Front){begin[start[s]], begin[last + 1] - begin[start[s]], 0, -1, rows, self->size};
    front->rows          = front->pivots;
    for (PetscInt m = columns->first[last]; m < columns->first[last + 1]; m++) front->rows += begin[columns->item[m] + 1] - begin[columns->item[m]];
    if (columns->first[last + 1] > columns->first[last]) front->parent = front_of[columns->item[columns->first[last]]];
    rows += front->rows;
    self->size += (PetscInt64)front->rows * front->rows;
    self->most_rows = PetscMax(self->most_rows, front->rows);
  }
  PetscCall(PetscMalloc1(rows, &self->row));
  PetscCall(PetscMalloc1(rows, &self->to));
  for (PetscInt s = self->fronts - 1; s >= 0; s--) {
    const Front   *front = &self->front[s];
    const PetscInt last = start[s + 1] - 1, *above = front->parent < 0 ? NULL : self->row + self->front[front->parent].index;
    PetscInt       at = front->index, place = 0;
    for (PetscInt k = front->first; k < front->first + front->pivots; k++) self->row[at++] = k;
    for (PetscInt m = columns->first[last]; m < columns->first[last + 1]; m++) {
      for (PetscInt k = begin[columns->item[m]]; k < begin[columns->item[m] + 1]; k++) {
        while (above[place] < k) place++;
        self->to[at]    = place;
        self->row[at++] = k;
      }
    }
  }
  PetscFunctionReturn(0);
}

/* Place of a new number among the rows of a front. */
static PetscInt place_in(const NsFronts *self, const Front *front, PetscInt number)
{
  const PetscInt *row = self->row + front->index;
  PetscInt        low = front->pivots, high = front->rows;

  if (number < front->first + front->pivots) return number - front->first;
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (row[middle] <= number)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Runs of unknowns of one node in a list. */
static PetscInt run_length(const NsFronts *self, const PetscInt *list, PetscInt k, PetscInt end)
{
  PetscInt length = 1;

  while (k + length < end && self->node_of[list[k + length]] == self->node_of[list[k]]) length++;
  return length;
}

/* Where the numbers of each element go. */
static PetscErrorCode place_elements(NsFronts *self, const NsFrontsPattern *p, const PetscInt *place, const PetscInt *front_of)
{
  PetscInt room = 0, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->elements + 1, &self->block_first));
  PetscCall(PetscMalloc1(p->elements, &self->width));
  for (PetscInt e = 0; e < p->elements; e++) {
    self->width[e]       = p->column_first[e + 1] - p->column_first[e];
    self->block_first[e] = count;
    for (PetscInt i = p->row_first[e], rows; i < p->row_first[e + 1]; i += rows) {
      rows = run_length(self, p->row, i, p->row_first[e + 1]);
      for (PetscInt j = p->column_first[e], columns; j < p->column_first[e + 1]; j += columns) {
        columns = run_length(self, p->column, j, p->column_first[e + 1]);
        if (count == room) {
          room = 2 * room + 4 * p->elements;
          PetscCall(PetscRealloc(sizeof(Block) * (size_t)room, &self->block));
        }
        const PetscInt a = place[self->node_of[p->row[i]]], b = place[self->node_of[p->column[j]]];
        const Front   *front  = &self->front[front_of[PetscMin(a, b)]];
        const PetscInt row    = place_in(self, front, self->number[p->row[i]]);
        const PetscInt column = place_in(self, front, self->number[p->column[j]]);
        self->block[count++] =
          (Block){front->at + row + (PetscInt64)column * front->rows, i - p->row_first[e], j - p->column_first[e], rows, columns, front->rows};
      }
    }
  }
  self->block_first[p->elements] = count;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFrontsAnalyse(NsFronts *self, const NsFrontsPattern *p)
{
  Lists     uses, graph, columns;
  PetscInt *order, *place, *parent, *start, *front_of, *begin;

  PetscFunctionBegin;
  PetscCall(forget(self));
  self->unknowns = p->unknowns;
  self->elements = p->elements;
  PetscCall(list_elements(p, &uses));
  PetscCall(make_nodes(self, &uses));
  PetscCall(link_nodes(self, p, &uses, &graph));
  const PetscInt n = self->nodes;
  PetscCall(PetscMalloc6(n, &order, n, &place, n, &parent, n + 1, &start, n, &front_of, n + 1, &begin));
  PetscCall(dissect(self, &graph, order));
  PetscCall(grow_tree(&graph, n, order, place, parent));
  PetscCall(sort_tree(n, order, place, parent));
  PetscCall(find_columns(&graph, n, order, place, parent, &columns));
  PetscCall(gather_fronts(self, order, parent, &columns, start, front_of));
  PetscCall(PetscMalloc1(self->unknowns, &self->number));
  PetscCall(make_fronts(self, order, &columns, start, front_of, begin));
  PetscCall(place_elements(self, p, place, front_of));
  PetscCall(PetscMalloc1(self->unknowns, &self->swap));
  PetscCall(PetscMalloc1((2 * self->unknowns), &self->x));
  if (self->size > self->room) {
    PetscCall(PetscFree(self->value));
    self->room = self->size;
    PetscCall(PetscMalloc1(self->room, &self->value));
  }
  PetscCall(PetscFree6(order, place, parent, start, front_of, begin));
  PetscCall(lists_destroy(&uses));
  PetscCall(lists_destroy(&graph));
  PetscCall(lists_destroy(&columns));
  PetscFunctionReturn(0);
}
