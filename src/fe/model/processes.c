/*
  The partition of unknowns among processes, and the layouts that follow from it.

  Every process reads the whole config and mesh; the nodes are partitioned (src/mesh/partition.h) by their work, on every process with the same result. A
  process assembles the rows of the unknowns it owns. Beside these it holds ghosts: the other unknowns of elements, springs and discs that touch them.
*/
#include <stdio.h>
#include "components.h"

/* What makes nodes need each other: elements and force elements. */
static PetscErrorCode list_links(const NsFe *fe, PetscInt **link, PetscInt **weight, PetscInt *count)
{
  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) PetscCall(PetscMalloc2((size_t)(2 * *count), link, (size_t)*count, weight));
    *count = 0;
    for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
      PetscInt       node[NS_COMPONENT_NODES];
      const PetscInt n = c.kind == NS_FE_INERTIA ? 0 : NsFeComponentNodes(fe, &c, node);
      for (PetscInt i = 0; i < n * n; i++) {
        const PetscInt a = node[i % n], b = node[i / n];
        if (i % n >= i / n) continue;
        if (pass) {
          (*link)[2 * *count]     = a;
          (*link)[2 * *count + 1] = b;
          (*weight)[*count]       = fe->body[fe->node_body[b]].node_unknowns;
        }
        (*count)++;
      }
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeDistribute(NsFe *fe)
{
  NsLinkedNodes graph = {.nodes = fe->nodes};
  PetscInt     *link, *link_weight, *node_weight, *part;
  PetscBool     enough;

  PetscFunctionBegin;
  if (fe->ranks == 1) PetscFunctionReturn(0);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!NsSpinIsFree(fe->body[b].spin)) continue;
    NsDiagError(fe->diag, NsKeysPlace(fe->body[b].where, "spin"), "a rotor whose spin is free runs on one process, not on %d", fe->ranks);
    PetscFunctionReturn(0);
  }
  PetscCall(list_links(fe, &link, &link_weight, &graph.links));
  PetscCall(PetscMalloc2(fe->nodes, &node_weight, fe->nodes, &part));
  for (PetscInt i = 0; i < fe->nodes; i++) node_weight[i] = fe->body[fe->node_body[i]].node_unknowns;
  graph.link        = link;
  graph.link_weight = link_weight;
  graph.node_weight = node_weight;
  PetscCall(NsPartition(&graph, fe->ranks, part, &fe->parting, &enough));
  if (!enough)
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "bodies"), "%d nodes are too few for %d processes", (int)fe->nodes, fe->ranks);
  else {
    fe->owner_of = NsArenaAlloc(fe->arena, sizeof(*fe->owner_of) * (size_t)(fe->unknowns + 1));
    for (PetscInt i = 0; i < fe->nodes; i++) {
      const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
      for (PetscInt a = 0; a < fe->body[fe->node_body[i]].node_unknowns; a++) {
        if (unknown[a] >= 0) fe->owner_of[unknown[a]] = (int)part[i];
      }
    }
  }
  PetscCall(PetscFree2(node_weight, part));
  PetscCall(PetscFree2(link, link_weight));
  PetscFunctionReturn(0);
}

/* Marks all of these unknowns as needed where one of them is owned. */
static void need(const NsFe *fe, PetscInt n, const PetscInt *unknown, PetscBool *needed)
{
  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0 || fe->owner_of[unknown[i]] != fe->rank) continue;
    for (PetscInt k = 0; k < n; k++) {
      if (unknown[k] >= 0) needed[unknown[k]] = PETSC_TRUE;
    }
    return;
  }
}

PetscErrorCode NsFeLayoutOwnedFirst(const NsFe *fe, NsLayout **layout)
{
  PetscBool *needed;
  PetscInt  *natural, local = 0;
  int       *owner;

  PetscFunctionBegin;
  if (!fe->owner_of) {
    PetscCall(NsLayoutCreateIdentity(fe->unknowns, layout));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscCalloc1(fe->unknowns, &needed));
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) need(fe, c.n, c.unknown, needed);
  PetscCall(PetscMalloc2(fe->unknowns, &natural, fe->unknowns, &owner));
  for (int ghosts = 0; ghosts < 2; ghosts++) {
    for (PetscInt i = 0; i < fe->unknowns; i++) {
      const PetscBool mine = fe->owner_of[i] == fe->rank;
      if (ghosts ? mine || !needed[i] : !mine) continue;
      natural[local] = i;
      owner[local++] = fe->owner_of[i];
    }
  }
  PetscCall(NsLayoutCreate(fe->comm, fe->unknowns, local, natural, owner, layout));
  PetscCall(PetscFree2(natural, owner));
  PetscCall(PetscFree(needed));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeLayoutRange(const NsFe *fe, PetscInt low, PetscInt n, const PetscInt *order, NsLayout **layout)
{
  PetscInt *natural;
  int      *owner;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &natural, (size_t)n, &owner));
  for (PetscInt i = 0; i < n; i++) {
    natural[i] = low + (order ? order[i] : i);
    owner[i]   = fe->owner_of ? fe->owner_of[natural[i]] : fe->rank;
  }
  PetscCall(NsLayoutCreate(fe->comm, fe->unknowns, n, natural, owner, layout));
  PetscCall(PetscFree2(natural, owner));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFePartition(NsModel *model, char *text, size_t size)
{
  const NsFe          *fe      = model->data;
  const NsPartQuality *parting = &fe->parting;

  PetscFunctionBegin;
  (void)snprintf(text, size, "%d, %s; parts from %.3g to %.3g of the mean, %d links cut, at most %d nodes from %d neighbours", (int)parting->parts,
    parting->pieces ? "pieces of a chain" : "parted by METIS", parting->lightest, parting->heaviest, (int)parting->cut, (int)parting->most_ghosts,
    (int)parting->most_neighbours);
  PetscFunctionReturn(0);
}
