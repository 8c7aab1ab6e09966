/* Partitions: no part is empty, weights are even, chains are cut into runs, lattices by METIS; and the figures are those of a second, slow count. */
#include "../support.h"
#include "mesh/partition.h"

enum { MOST_NODES = 20000, MOST_LINKS = 80000, MOST_PARTS = 64 };

static PetscInt joined[MOST_LINKS][2], weight[MOST_NODES], part[MOST_NODES], links;

static void join(PetscInt a, PetscInt b)
{
  joined[links][0]   = a;
  joined[links++][1] = b;
}

static NsLinkedNodes graph(PetscInt nodes, const PetscInt *node_weight)
{
  return (NsLinkedNodes){.nodes = nodes, .links = links, .link = &joined[0][0], .node_weight = node_weight};
}

static void assert_figures(const NsLinkedNodes *g, PetscInt parts, const NsPartQuality *quality)
{
  PetscReal   heavy[MOST_PARTS] = {0}, total = 0, least, most;
  PetscInt    cut = 0, most_ghosts = 0, most_neighbours = 0;
  static char ghost[MOST_NODES];

  for (PetscInt i = 0; i < g->nodes; i++) {
    assert_in_range(part[i], 0, parts - 1);
    heavy[part[i]] += g->node_weight ? g->node_weight[i] : 1;
    total += g->node_weight ? g->node_weight[i] : 1;
  }
  least = most = heavy[0];
  for (PetscInt p = 0; p < parts; p++) {
    PetscInt ghosts = 0, neighbours = 0;
    char     met[MOST_PARTS] = {0};

    least = PetscMin(least, heavy[p]);
    most  = PetscMax(most, heavy[p]);
    memset(ghost, 0, sizeof(ghost));
    for (PetscInt k = 0; k < 2 * g->links; k++) {
      const PetscInt here = g->link[k], there = g->link[k ^ 1];
      if (part[here] == p && part[there] != p) ghost[there] = met[part[there]] = 1;
    }
    for (PetscInt i = 0; i < g->nodes; i++) ghosts += ghost[i];
    for (PetscInt q = 0; q < parts; q++) neighbours += met[q];
    most_ghosts     = PetscMax(most_ghosts, ghosts);
    most_neighbours = PetscMax(most_neighbours, neighbours);
  }
  for (PetscInt k = 0; k < g->links; k++) cut += part[g->link[2 * k]] != part[g->link[2 * k + 1]];
  assert_true(least > 0);
  assert_int_equal(quality->parts, parts);
  assert_near(quality->lightest, least * parts / total, 1e-12);
  assert_near(quality->heaviest, most * parts / total, 1e-12);
  assert_int_equal(quality->cut, cut);
  assert_int_equal(quality->most_ghosts, most_ghosts);
  assert_int_equal(quality->most_neighbours, most_neighbours);
}

/* Twice: the same. */
static NsPartQuality divide(const NsLinkedNodes *g, PetscInt parts)
{
  static PetscInt again[MOST_NODES];
  NsPartQuality   quality;
  PetscBool       enough;

  CHECK(NsPartition(g, parts, again, &quality, &enough));
  assert_true(enough);
  CHECK(NsPartition(g, parts, part, &quality, &enough));
  assert_true(enough);
  assert_memory_equal(again, part, (size_t)g->nodes * sizeof(*part));
  assert_figures(g, parts, &quality);
  return quality;
}

static PetscBool are_runs(PetscInt nodes)
{
  for (PetscInt i = 1; i < nodes; i++)
    if (part[i] != part[i - 1] && part[i] != part[i - 1] + 1) return PETSC_FALSE;
  return part[0] == 0;
}

/* Pieces of all parts together. */
static PetscInt components(const NsLinkedNodes *g)
{
  static PetscInt label[MOST_NODES];
  PetscInt        count   = g->nodes;
  PetscBool       changed = PETSC_TRUE;

  for (PetscInt i = 0; i < g->nodes; i++) label[i] = i;
  while (changed) { /* the least number of a piece spreads through it */
    changed = PETSC_FALSE;
    for (PetscInt k = 0; k < g->links; k++) {
      const PetscInt a = g->link[2 * k], b = g->link[2 * k + 1], least = PetscMin(label[a], label[b]);

      if (part[a] != part[b] || label[a] == label[b]) continue;
      label[a] = label[b] = least;
      changed             = PETSC_TRUE;
    }
  }
  for (PetscInt i = 0; i < g->nodes; i++)
    if (label[i] != i) count--;
  return count;
}

/* Bodies of these numbers of nodes, one after the other. */
static PetscInt bodies_in_a_row(int bodies, const PetscInt *nodes)
{
  PetscInt first = 0;

  links = 0;
  for (int b = 0; b < bodies; b++, first += nodes[b - 1])
    for (PetscInt i = 0; i + 1 < nodes[b]; i++) join(first + i, first + i + 1);
  return first;
}

static void chains(void **state)
{
  const PetscInt one[] = {1000}, three[] = {400, 100, 500};
  NsPartQuality  quality;
  NsLinkedNodes  g;

  (void)state;
  g = graph(bodies_in_a_row(1, one), NULL);
  for (PetscInt parts = 1; parts <= 7; parts++) {
    quality = divide(&g, parts);
    assert_true(quality.pieces && are_runs(g.nodes));
    assert_int_equal(quality.cut, parts - 1);
    assert_int_equal(quality.most_neighbours, PetscMin(parts - 1, 2));
    assert_int_equal(quality.most_ghosts, PetscMin(parts - 1, 2));
    assert_true(quality.heaviest <= 1 + parts / 1000. && quality.lightest >= 1 - parts / 1000.);
  }
  g       = graph(bodies_in_a_row(3, three), NULL);
  quality = divide(&g, 2); /* at the end of a body */
  assert_int_equal(quality.cut, 0);
  join(399, 400); /* joined by springs, one of them twice, and one on two places of a node */
  join(499, 500);
  join(500, 499);
  join(7, 7);
  g       = graph(1000, NULL);
  quality = divide(&g, 2);
  assert_true(quality.pieces);
  assert_int_equal(quality.cut, 2);
  assert_int_equal(quality.most_ghosts, 1);
}

static void chains_with_weights(void **state)
{
  const PetscInt nodes[] = {2000};
  NsLinkedNodes  g       = graph(bodies_in_a_row(1, nodes), weight);
  NsPartQuality  quality;

  (void)state;
  srand48(1);
  for (PetscInt i = 0; i < 2000; i++) weight[i] = 1 + (PetscInt)(lrand48() % 30) + (i < 500 ? 1000 : 0);
  quality = divide(&g, 8);
  assert_true(are_runs(2000) && quality.heaviest < 1.02 && quality.lightest > 0.98);
  for (PetscInt i = 0; i < 2000; i++) weight[i] = 1;
  weight[0] = 100000; /* one part has this alone, and the others share the rest */
  (void)divide(&g, 5);
  assert_int_equal(part[0], 0);
  for (PetscInt i = 1; i < 2000; i++) assert_int_equal(part[i], 1 + PetscMin((i - 1) / 500, 3));
  weight[0]    = 1;
  weight[1999] = 100000;
  (void)divide(&g, 5);
  for (PetscInt i = 0; i < 1999; i++) assert_in_range(part[i], 0, 3);
  assert_int_equal(part[1999], 4);
  for (PetscInt i = 0; i < 2000; i++) weight[i] = 2000000; /* more together than 32 bits hold */
  quality = divide(&g, 5);
  assert_near(quality.heaviest, 1, 1e-12);
}

/* A frame of beams with diagonals; nodes are numbered along its shorter side, from `first`. */
static PetscInt lattice(PetscInt first, PetscInt wide, PetscInt high)
{
  for (PetscInt x = 0; x < wide; x++)
    for (PetscInt y = 0; y < high; y++) {
      const PetscInt i = first + x * high + y;
      if (y + 1 < high) join(i, i + 1);
      if (x + 1 < wide) join(i, i + high);
      if (x + 1 < wide && y + 1 < high) join(i, i + high + 1);
    }
  return first + wide * high;
}

static void lattices(void **state)
{
  static PetscInt share[MOST_LINKS];
  NsLinkedNodes   g;
  NsPartQuality   quality;
  PetscInt        nodes;

  (void)state;
  links   = 0;
  g       = graph(lattice(0, 100, 90), NULL);
  g.links = links;
  for (PetscInt parts = 2; parts <= 32; parts *= 2) {
    quality = divide(&g, parts);
    assert_false(quality.pieces);
    assert_true(quality.heaviest <= 1.02 && quality.lightest > 0.9);
    assert_int_equal(components(&g), parts);
    /* Squares would have 2 links a node along their sides: sqrt(parts) - 1 lines of 95 nodes each way. */
    assert_true(quality.cut < 1.5 * 2 * 95 * 2 * (PetscSqrtReal(parts) - 0.4));
    assert_true(quality.most_neighbours <= 8);
  }
  for (PetscInt i = 0; i < g.nodes; i++) weight[i] = i % 3 ? 200000 : 700000; /* more together than 32 bits hold */
  g.node_weight = weight;
  quality       = divide(&g, 4);
  assert_false(quality.pieces);
  assert_true(quality.heaviest < 1.02 && quality.lightest > 0.95);
  g.node_weight = NULL;

  links =
    0; /* 300 long, 30 wide: cut across, but not below every other row where those hold together better: once the odd ones, once the even ones */
  g       = graph(lattice(0, 30, 300), NULL);
  g.links = links;
  for (PetscInt odd = 0; odd < 2; odd++) {
    PetscInt heavy = 0;

    for (PetscInt k = 0; k < links; k++) share[k] = joined[k][0] % 2 == odd && joined[k][1] % 2 != odd ? 10 : 1;
    g.link_weight = share;
    (void)divide(&g, 2);
    for (PetscInt k = 0; k < links; k++) heavy += share[k] == 10 && part[joined[k][0]] != part[joined[k][1]];
    assert_true(heavy <= 5);
  }

  links = 0; /* frames that only contacts join */
  nodes = lattice(0, 40, 30);
  nodes = lattice(nodes, 40, 30);
  nodes = lattice(nodes, 10, 10);
  g     = graph(nodes, NULL);
  for (PetscInt parts = 2; parts <= 9; parts++) assert_true(divide(&g, parts).heaviest < 1.05);
}

static void rings(void **state)
{
  const PetscInt nodes[] = {1000};
  NsLinkedNodes  g;
  NsPartQuality  quality;

  (void)state;
  (void)bodies_in_a_row(1, nodes);
  join(0, 999);
  g       = graph(1000, NULL);
  quality = divide(&g, 4);
  assert_true(quality.cut <= 6 && quality.heaviest < 1.02);
  assert_int_equal(components(&g), 4);
}

/* Parts of hardly a node each, where METIS leaves some empty. */
static void few_nodes(void **state)
{
  NsLinkedNodes g;
  NsPartQuality quality;
  PetscBool     enough;

  (void)state;
  for (PetscInt nodes = 1; nodes <= 40; nodes++)
    for (int star = 0; star < 2; star++) {
      links = 0;
      for (PetscInt i = 0; i < nodes; i++)
        for (PetscInt j = i + 1; j < nodes; j++)
          if (!star || i == 0) join(i, j);
      g = graph(nodes, NULL);
      for (PetscInt parts = 1; parts <= nodes; parts++) (void)divide(&g, parts);
      CHECK(NsPartition(&g, nodes + 1, part, &quality, &enough));
      assert_false(enough);
    }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(chains),
  cmocka_unit_test(chains_with_weights),
  cmocka_unit_test(lattices),
  cmocka_unit_test(rings),
  cmocka_unit_test(few_nodes),
};

TEST_MAIN(tests)
