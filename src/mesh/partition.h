/* Which process works on which node. */
#pragma once
#include <petscsys.h>

/* Nodes joined by elements, springs, bearings ...: whatever makes a node need the unknowns of another. */
typedef struct {
  PetscInt        nodes, links;
  const PetscInt *link;        /* [links, 2]; two nodes may be joined more than once, and a node with itself, which says nothing */
  const PetscInt *node_weight; /* [nodes] work, at least 1; NULL: 1 each */
  const PetscInt *link_weight; /* [links] unknowns that are shared where the link is cut, at least 1; NULL: 1 each */
} NsLinkedNodes;

typedef struct {
  PetscInt  parts;
  PetscReal lightest, heaviest; /* weight of such a part over the mean of all */
  PetscInt  cut;                /* links between parts */
  PetscInt  most_ghosts;        /* nodes that a part needs of others, where that is most */
  PetscInt  most_neighbours;    /* parts that a part shares links with, where that is most */
  PetscBool pieces;             /* parts are runs of the nodes in their order, not METIS's */
} NsPartQuality;

/*
  part[nodes]: 0 .. parts - 1, each with one node at least; the same in every run and, from the same input, on every process. False, and nothing else done, when there are
  fewer nodes than parts: an error of the user. Not collective.
*/
PetscErrorCode NsPartition(const NsLinkedNodes *graph, PetscInt parts, PetscInt part[], NsPartQuality *quality, PetscBool *enough);
