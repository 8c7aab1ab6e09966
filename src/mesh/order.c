/*
  How the elements of a mesh hang together, and a numbering of its nodes that keeps neighbours near.

  Everything is linear in the size of the mesh, also for a node with a million neighbours: elements twice are found by marks instead of
  sorting, and the neighbour lists come out sorted by degree, as the method of Cuthill and McKee requires, by writing them in the order of the degrees.

  Reference: A. George, J. W. H. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4 (the reversed order, and
  the search for a node at the far end of the graph to begin with).
*/
#include <stdlib.h>
#include "mesh_private.h"

/* Neighbours of node i: neighbour[offset[i]] ... neighbour[offset[i + 1] - 1] */
typedef struct {
  PetscInt  nodes;
  PetscInt *offset;    /* [nodes + 1] */
  PetscInt *neighbour; /* [offset[nodes]] once for each element that joins the two */
} Graph;

static PetscInt degree(const Graph *graph, PetscInt i)
{
  return graph->offset[i + 1] - graph->offset[i];
}

static PetscErrorCode graph_create(const NsMesh *mesh, Graph *graph)
{
  const int       n     = mesh->shape->nodes;
  const PetscInt *c     = mesh->connection;
  const size_t    total = (size_t)n * (size_t)mesh->elements;
  PetscInt       *fill;

  PetscFunctionBeginUser;
  graph->nodes = mesh->nodes;
  PetscCall(PetscCalloc1((size_t)mesh->nodes + 1, &graph->offset));
  PetscCall(PetscMalloc1(total * (size_t)(n - 1), &graph->neighbour));
  for (size_t k = 0; k < total; k++) graph->offset[c[k] + 1] += n - 1;
  for (PetscInt i = 0; i < mesh->nodes; i++) graph->offset[i + 1] += graph->offset[i];
  PetscCall(PetscMalloc1(mesh->nodes, &fill));
  PetscCall(PetscArraycpy(fill, graph->offset, mesh->nodes));
  for (; c < mesh->connection + total; c += n) {
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++)
        if (a != b) graph->neighbour[fill[c[a]]++] = c[b];
    }
  }
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(0);
}

static PetscErrorCode graph_destroy(Graph *graph)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(graph->offset));
  PetscCall(PetscFree(graph->neighbour));
  PetscFunctionReturn(0);
}

/* Sorts every neighbour list by degree: goes through the nodes by ascending degree and writes each into its neighbours' lists. */
static PetscErrorCode graph_sort(Graph *graph)
{
  const PetscInt n     = graph->nodes;
  const PetscInt links = graph->offset[n];
  PetscInt      *start, *by_degree, *fill, *sorted, top = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < n; i++) top = PetscMax(top, degree(graph, i));
  PetscCall(PetscCalloc1((size_t)top + 2, &start));
  PetscCall(PetscMalloc3(n, &by_degree, n, &fill, links, &sorted));
  for (PetscInt i = 0; i < n; i++) start[degree(graph, i) + 1]++;
  for (PetscInt d = 0; d <= top; d++) start[d + 1] += start[d];
  for (PetscInt i = 0; i < n; i++) by_degree[start[degree(graph, i)]++] = i;
  PetscCall(PetscArraycpy(fill, graph->offset, n));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt i = by_degree[k];
    for (PetscInt j = graph->offset[i]; j < graph->offset[i + 1]; j++) sorted[fill[graph->neighbour[j]]++] = i;
  }
  PetscCall(PetscArraycpy(graph->neighbour, sorted, links));
  PetscCall(PetscFree3(by_degree, fill, sorted));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(0);
}

/* Writes the nodes reached from start to queue, nearest first, and marks them; *last is where the farthest level begins. */
static PetscInt breadth_first(const Graph *graph, PetscInt start, PetscInt mark, PetscInt marks[], PetscInt queue[], PetscInt *levels, PetscInt *last)
{
  PetscInt count = 1, end = 1;

  queue[0]     = start;
  marks[start] = mark;
  *levels      = 1;
  *last        = 0;
  for (PetscInt k = 0; k < count; k++) {
    if (k == end) {
      ++*levels;
      *last = end;
      end   = count;
    }
    for (PetscInt j = graph->offset[queue[k]]; j < graph->offset[queue[k] + 1]; j++) {
      const PetscInt i = graph->neighbour[j];
      if (marks[i] == mark) continue;
      marks[i]       = mark;
      queue[count++] = i;
    }
  }
  return count;
}

/* marks starts as all -1 and holds each pass's own mark then. */
static PetscErrorCode reverse_cuthill_mckee(Graph *graph, PetscInt marks[], PetscInt order[])
{
  PetscInt start = 0, depth = 0, levels, last, mark = 0;

  PetscFunctionBeginUser;
  PetscCall(graph_sort(graph));
  /* From the far end of the graph back and forth until it gets no longer. Mostly 2 or 3 passes; bounded because each visits all nodes. */
  for (int pass = 0; pass < 8; pass++) {
    const PetscInt count = breadth_first(graph, start, mark++, marks, order, &levels, &last);
    if (levels <= depth) break;
    depth = levels;
    start = order[last];
    for (PetscInt k = last; k < count; k++)
      if (degree(graph, order[k]) < degree(graph, start)) start = order[k];
  }
  (void)breadth_first(graph, start, mark, marks, order, &levels, &last);
  for (PetscInt a = 0, b = graph->nodes - 1; a < b; a++, b--) {
    const PetscInt swap = order[a];
    order[a]            = order[b];
    order[b]            = swap;
  }
  PetscFunctionReturn(0);
}

/* Nodes in order from one end to the other, or false when this is no open chain (the graph is connected). */
static bool follow_chain(const Graph *graph, PetscInt order[])
{
  PetscInt ends = 0, first = 0, before = -1;

  for (PetscInt i = graph->nodes - 1; i >= 0; i--) {
    if (degree(graph, i) > 2) return false;
    if (degree(graph, i) == 1) {
      ends++;
      first = i; /* the end that comes first in the source */
    }
  }
  if (ends != 2) return false;
  for (PetscInt k = 0, i = first; k < graph->nodes; k++) {
    const PetscInt *next = graph->neighbour + graph->offset[i];
    order[k]             = i;
    if (k + 1 < graph->nodes) i = next[degree(graph, i) == 2 && next[0] == before];
    before = order[k];
  }
  return true;
}

/* Of elements of two nodes. marks: all -1 before and after. */
static bool no_element_twice(const NsMesh *mesh, const Graph *graph, PetscInt marks[], NsPlace place, NsArena *arena, NsDiag *diag)
{
  PetscInt twice = 0, from = 0, to = 0;

  for (PetscInt i = 0; i < graph->nodes; i++) {
    for (PetscInt j = graph->offset[i]; j < graph->offset[i + 1]; j++) {
      const PetscInt other = graph->neighbour[j];
      if (other < i) continue; /* was reached from there */
      if (marks[other] == i && twice++ == 0) {
        from = i;
        to   = other;
      }
      marks[other] = i;
    }
  }
  for (PetscInt i = 0; i < graph->nodes; i++) marks[i] = -1;
  if (twice == 0) return true;
  NsDiagError(diag, place, "the element between %s and %s occurs twice%s", NsMeshPoint(mesh, from, arena), NsMeshPoint(mesh, to, arena),
    twice > 1 ? NsArenaPrint(arena, ", and %ld more like it", (long)(twice - 1)) : "");
  NsDiagNote(diag, "two curves on top of each other? `Coherence;` in the .geo file joins them");
  return false;
}

static int compare_positions(const void *a, const void *b, void *mesh)
{
  const PetscReal *x = ((const NsMesh *)mesh)->x + 3 * *(const PetscInt *)a, *y = ((const NsMesh *)mesh)->x + 3 * *(const PetscInt *)b;

  for (int d = 0; d < 3; d++)
    if (x[d] != y[d]) return x[d] < y[d] ? -1 : 1;
  return 0;
}

/* One of two coincident nodes of different pieces, or -1: the most common cause of pieces. Costs a sort, but only before an error. */
static PetscErrorCode common_place(const NsMesh *mesh, const PetscInt piece[], PetscInt *found)
{
  PetscInt *sorted;

  PetscFunctionBeginUser;
  *found = -1;
  PetscCall(PetscMalloc1(mesh->nodes, &sorted));
  for (PetscInt i = 0; i < mesh->nodes; i++) sorted[i] = i;
  qsort_r(sorted, (size_t)mesh->nodes, sizeof *sorted, compare_positions, (void *)mesh);
  for (PetscInt k = 0; k + 1 < mesh->nodes && *found < 0; k++)
    if (compare_positions(&sorted[k], &sorted[k + 1], (void *)mesh) == 0 && piece[sorted[k]] != piece[sorted[k + 1]]) *found = sorted[k];
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

/* marks: all -1 before; the number of each node's piece after. queue is scratch. */
static PetscErrorCode one_piece(
  const NsMesh *mesh, const Graph *graph, PetscInt marks[], PetscInt queue[], NsPlace place, NsArena *arena, NsDiag *diag, bool *one)
{
  PetscInt pieces = 0, second = 0, levels, last, common;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < graph->nodes; i++) {
    if (marks[i] >= 0) continue;
    if (pieces == 1) second = i;
    (void)breadth_first(graph, i, pieces++, marks, queue, &levels, &last);
  }
  *one = pieces == 1;
  if (*one) PetscFunctionReturn(0);
  NsDiagError(diag, place, "the mesh is in %ld pieces: the first has a node at %s, the second at %s", (long)pieces, NsMeshPoint(mesh, 0, arena),
    NsMeshPoint(mesh, second, arena));
  PetscCall(common_place(mesh, marks, &common));
  if (common >= 0)
    NsDiagNote(
      diag, "two nodes of different pieces lie at %s: `Coherence Mesh;` in the .geo file joins such nodes", NsMeshPoint(mesh, common, arena));
  else
    NsDiagNote(diag, "a body is one piece: join them, or make each a physical %s and a body of its own with `group`",
      mesh->shape->dimension == 1   ? "curve"
      : mesh->shape->dimension == 2 ? "surface"
                                    : "volume");
  PetscFunctionReturn(0);
}

PetscErrorCode NsMeshOrder(const NsMesh *mesh, NsPlace place, NsArena *arena, NsDiag *diag, PetscInt order[], bool *chain, bool *good)
{
  Graph     graph;
  PetscInt *marks;

  PetscFunctionBeginUser;
  *chain = false;
  PetscCall(graph_create(mesh, &graph));
  PetscCall(PetscMalloc1(mesh->nodes, &marks));
  for (PetscInt i = 0; i < mesh->nodes; i++) marks[i] = -1;
  *good = mesh->shape->dimension > 1 || no_element_twice(mesh, &graph, marks, place, arena, diag); /* solids: by NsMeshCheckSides */
  if (*good) PetscCall(one_piece(mesh, &graph, marks, order, place, arena, diag, good));
  if (*good) {
    *chain = mesh->shape->dimension == 1 && follow_chain(&graph, order);
    for (PetscInt i = 0; i < mesh->nodes; i++) marks[i] = -1;
    if (!*chain) PetscCall(reverse_cuthill_mckee(&graph, marks, order));
  }
  PetscCall(PetscFree(marks));
  PetscCall(graph_destroy(&graph));
  PetscFunctionReturn(0);
}
