/*
  Parts of about the same work, with few links between them (mesh/partition.h).

  Where links join only nodes with near numbers (bars, beams, rotors, one after the other), parts are runs of nodes: the least cut there is, and neighbours in the order.
  Other meshes are given to METIS (G. Karypis, V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 20, 1998), in
  integers of its own type (32 bits in Debian). Where there is hardly a node for each part METIS leaves some empty: then, too, runs are taken, which numbers by reverse
  Cuthill-McKee make passable.

  Linear in the size of the mesh; METIS takes about 1 s for a million nodes.
*/
#include "partition.h"
#include <metis.h>

enum {
  NEAR      = 4,  /* numbers apart; a cut of a chain has at most 1 + 2 + 3 + 4 different links then */
  SEED      = 1,  /* of METIS's random choices: any, but always the same */
  IMBALANCE = 10, /* thousandths by which a part may be heavier than the mean: it is what a step waits for */
};

static PetscInt weight_of(const PetscInt *weight, PetscInt i)
{
  return weight ? weight[i] : 1;
}

/* Neighbours of node i: neighbour[start[i]] ... neighbour[start[i + 1] - 1], each once; share: weight of the links to it. In METIS's form. */
typedef struct {
  idx_t *start, *neighbour, *share;
} Adjacency;

static PetscErrorCode adjacency_create(const NsLinkedNodes *graph, Adjacency *adjacency)
{
  idx_t *start, *neighbour, *share, *seen, end = 0;

  PetscFunctionBegin;
  PetscCheck(graph->links < IDX_MAX / 2 && graph->nodes < IDX_MAX - 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
    "partition: more than METIS's integers can count");
  PetscCall(PetscCalloc1(graph->nodes + 2, &start));
  PetscCall(PetscMalloc2(2 * (size_t)graph->links, &neighbour, 2 * (size_t)graph->links, &share));
  /* Counted two places up, so that filling moves each start to where it belongs. */
  for (PetscInt k = 0; k < 2 * graph->links; k++) start[graph->link[k] + 2]++;
  for (PetscInt i = 0; i < graph->nodes; i++) start[i + 2] += start[i + 1];
  for (PetscInt k = 0; k < 2 * graph->links; k++) {
    const idx_t slot = start[graph->link[k] + 1]++;

    neighbour[slot] = (idx_t)graph->link[k ^ 1];
    share[slot]     = (idx_t)weight_of(graph->link_weight, k / 2);
  }
  /* Several links to one neighbour become one, and those to the node itself none. */
  PetscCall(PetscMalloc1(graph->nodes, &seen));
  for (PetscInt i = 0; i < graph->nodes; i++) seen[i] = -1;
  for (PetscInt i = 0; i < graph->nodes; i++) {
    const idx_t first = start[i], after = start[i + 1], begin = end;

    start[i] = begin;
    for (idx_t j = first; j < after; j++) {
      const idx_t other = neighbour[j], weight = share[j];

      if (other == i) continue;
      if (seen[other] >= begin) {
        share[seen[other]] += weight;
      } else {
        seen[other]    = end;
        neighbour[end] = other;
        share[end++]   = weight;
      }
    }
  }
  start[graph->nodes] = end;
  PetscCall(PetscFree(seen));
  *adjacency = (Adjacency){start, neighbour, share};
  PetscFunctionReturn(0);
}

static PetscErrorCode adjacency_destroy(Adjacency *adjacency)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(adjacency->start));
  PetscCall(PetscFree2(adjacency->neighbour, adjacency->share));
  PetscFunctionReturn(0);
}

static PetscBool is_chain(const NsLinkedNodes *graph)
{
  for (PetscInt k = 0; k < graph->links; k++)
    if (PetscAbsInt(graph->link[2 * k] - graph->link[2 * k + 1]) > NEAR) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Runs of nodes: each ends where it is nearest to the mean of what it and those after it have to share. */
static void cut_pieces(const NsLinkedNodes *graph, PetscInt parts, PetscInt part[])
{
  PetscInt64 rest = 0;
  PetscInt   i    = 0;

  for (PetscInt k = 0; k < graph->nodes; k++) rest += weight_of(graph->node_weight, k);
  for (PetscInt p = 0; p < parts; p++) {
    const PetscInt   last = graph->nodes - (parts - 1 - p); /* so that the others get a node each */
    const PetscInt64 left = parts - p;
    PetscInt64       sum  = 0;

    do { /* the next node is taken if more than half of it is below the mean */
      sum += weight_of(graph->node_weight, i);
      part[i++] = p;
    } while (i < last && (left == 1 || left * (2 * sum + weight_of(graph->node_weight, i)) <= 2 * rest));
    rest -= sum;
  }
}

/* METIS can keep parts in one piece only where the whole is. */
static PetscErrorCode is_connected(PetscInt nodes, const Adjacency *adjacency, PetscBool *connected)
{
  PetscInt  *queue, count = 0;
  PetscBool *seen;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nodes, &queue));
  PetscCall(PetscCalloc1(nodes, &seen));
  queue[count++] = 0;
  seen[0]        = PETSC_TRUE;
  for (PetscInt k = 0; k < count; k++)
    for (idx_t j = adjacency->start[queue[k]]; j < adjacency->start[queue[k] + 1]; j++) {
      const PetscInt i = (PetscInt)adjacency->neighbour[j];

      if (seen[i]) continue;
      seen[i]        = PETSC_TRUE;
      queue[count++] = i;
    }
  *connected = count == nodes;
  PetscCall(PetscFree(queue));
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(0);
}

static PetscErrorCode ask_metis(const NsLinkedNodes *graph, const Adjacency *adjacency, PetscInt parts, PetscInt part[])
{
  idx_t     *start = adjacency->start, *neighbour = adjacency->neighbour, *share = adjacency->share, *weight, *found;
  idx_t      nodes = (idx_t)graph->nodes, constraints = 1, wanted = (idx_t)parts, cut, options[METIS_NOPTIONS];
  PetscInt64 total     = 0, unit;
  PetscBool  connected = PETSC_FALSE;
  int        result;

  PetscFunctionBegin;
  PetscCall(is_connected(graph->nodes, adjacency, &connected));
  PetscCall(PetscMalloc2(graph->nodes, &weight, graph->nodes, &found));
  for (PetscInt i = 0; i < graph->nodes; i++) total += weight_of(graph->node_weight, i);
  unit = 1 + total / (IDX_MAX / 4); /* METIS adds all weights up */
  for (PetscInt i = 0; i < graph->nodes; i++) weight[i] = (idx_t)((weight_of(graph->node_weight, i) + unit - 1) / unit);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_CONTIG]  = connected ? 1 : 0;
  options[METIS_OPTION_SEED]    = SEED;
  options[METIS_OPTION_UFACTOR] = IMBALANCE;

  result = METIS_PartGraphKway(&nodes, &constraints, start, neighbour, weight, NULL, share, &wanted, NULL, NULL, options, &cut, found);
  PetscCheck(result == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphKway failed: error %d", result);
  for (PetscInt i = 0; i < graph->nodes; i++) part[i] = (PetscInt)found[i];
  PetscCall(PetscFree2(weight, found));
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(const NsLinkedNodes *graph, const Adjacency *adjacency, PetscInt parts, const PetscInt part[], NsPartQuality *quality)
{
  PetscInt64 *weight, total = 0;
  PetscInt   *first, *next, *seen_by, *met_by, least = 0, most = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(parts, &weight));
  PetscCall(PetscMalloc4(parts, &first, graph->nodes, &next, graph->nodes, &seen_by, parts, &met_by));
  for (PetscInt p = 0; p < parts; p++) first[p] = met_by[p] = -1;
  for (PetscInt i = 0; i < graph->nodes; i++) {
    total += weight_of(graph->node_weight, i);
    weight[part[i]] += weight_of(graph->node_weight, i);
    next[i]        = first[part[i]];
    first[part[i]] = i;
    seen_by[i]     = -1;
  }
  *quality = (NsPartQuality){.parts = parts};
  for (PetscInt p = 0; p < parts; p++) {
    PetscInt ghosts = 0, neighbours = 0;

    for (PetscInt i = first[p]; i >= 0; i = next[i])
      for (idx_t j = adjacency->start[i]; j < adjacency->start[i + 1]; j++) {
        const PetscInt other = (PetscInt)adjacency->neighbour[j], q = part[other];

        if (q == p || seen_by[other] == p) continue;
        seen_by[other] = p;
        ghosts++;
        if (met_by[q] == p) continue;
        met_by[q] = p;
        neighbours++;
      }
    quality->most_ghosts     = PetscMax(quality->most_ghosts, ghosts);
    quality->most_neighbours = PetscMax(quality->most_neighbours, neighbours);
    if (weight[p] < weight[least]) least = p;
    if (weight[p] > weight[most]) most = p;
  }
  quality->lightest = (PetscReal)weight[least] * (PetscReal)parts / (PetscReal)total;
  quality->heaviest = (PetscReal)weight[most] * (PetscReal)parts / (PetscReal)total;
  for (PetscInt k = 0; k < graph->links; k++)
    if (part[graph->link[2 * k]] != part[graph->link[2 * k + 1]]) quality->cut++;
  PetscCall(PetscFree(weight));
  PetscCall(PetscFree4(first, next, seen_by, met_by));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPartition(const NsLinkedNodes *graph, PetscInt parts, PetscInt part[], NsPartQuality *quality, PetscBool *enough)
{
  Adjacency adjacency;
  PetscBool pieces;

  PetscFunctionBegin;
  *enough = graph->nodes >= parts;
  if (!*enough) PetscFunctionReturn(0);
  PetscCall(adjacency_create(graph, &adjacency));
  pieces = parts == 1 || is_chain(graph);
  if (!pieces) {
    PetscCall(ask_metis(graph, &adjacency, parts, part));
    PetscCall(measure(graph, &adjacency, parts, part, quality));
    pieces = quality->lightest > 0 ? PETSC_FALSE : PETSC_TRUE;
  }
  if (pieces) {
    cut_pieces(graph, parts, part);
    PetscCall(measure(graph, &adjacency, parts, part, quality));
    quality->pieces = PETSC_TRUE;
  }
  PetscCall(adjacency_destroy(&adjacency));
  PetscFunctionReturn(0);
}
