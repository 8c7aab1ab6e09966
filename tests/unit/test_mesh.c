/* Meshes: generated lines and lattices, Gmsh files in all formats, and what is said of broken ones. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "arena.h"
#include "percuss/mesh.h"

#define FOLDER PERCUSS_SOURCE_DIR "/tests/unit/meshes/"

static char edited[64]; /* a mesh file that tests write */

static int teardown_files(void **state)
{
  unlink(edited);
  return teardown(state);
}

/* `mesh: TEXT` in a config in the folder of the test meshes. */
static NsMesh *make(const char *text)
{
  NsMeshSettings settings;
  NsMesh        *mesh   = NULL;
  const NsNode  *root   = NsTreeReadText(FOLDER "case.yaml", text, strlen(text), arena, diag);
  const int      before = NsDiagErrors(diag);

  assert_non_null(root);
  if (!NsKeysRead(&NsTable_Mesh, root, &settings, arena, diag)) return NULL;
  assert_int_equal(NsMeshCreate(&settings, arena, diag, &mesh), 0);
  assert_int_equal(mesh == NULL, NsDiagErrors(diag) > before);
  return mesh;
}

static void replace_all(char **text, const char *old, const char *new)
{
  for (char *at = *text; (at = strstr(at, old));) {
    char *made = NsArenaPrint(arena, "%.*s%s%s", (int)(at - *text), *text, new, at + strlen(old));
    at         = made + (at - *text) + strlen(new);
    *text      = made;
  }
}

/* All messages since the last call, with short file names. */
static const char *said(void)
{
  char  *text, *copy;
  size_t size;
  FILE  *file = open_memstream(&text, &size);

  NsDiagPrint(diag, file, false);
  fclose(file);
  copy = NsArenaCopy(arena, text, size);
  free(text);
  replace_all(&copy, FOLDER, "");
  replace_all(&copy, edited, "edited.msh");
  return copy;
}

static NsMesh *good(const char *text)
{
  NsMesh *mesh = make(text);

  assert_string_equal(said(), "");
  assert_non_null(mesh);
  return mesh;
}

static void bad(const char *text, const char *message)
{
  assert_null(make(text));
  assert_string_equal(said(), message);
}

static char *load(const char *name, size_t *size)
{
  const char *path = NsArenaPrint(arena, "%s%s", FOLDER, name);
  FILE       *file = fopen(path, "rb");
  char       *text = NsArenaAlloc(arena, 100000);

  assert_non_null(file);
  *size = fread(text, 1, 99999, file);
  fclose(file);
  return text;
}

static void write_edited(const char *text, size_t size)
{
  FILE *file;

  unlink(edited); /* some file systems wait for the disk when a file is written over */
  file = fopen(edited, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  fclose(file);
}

/* Replaces the first `old` of a mesh file by `new`, and returns a config with the result. */
static const char *edit(const char *name, const char *old, const char *new)
{
  size_t      size;
  const char *text = load(name, &size), *at = memmem(text, size, old, strlen(old));
  char       *made = NsArenaAlloc(arena, size + strlen(new) + 1);
  size_t      front;

  assert_non_null(at);
  front = (size_t)(at - text);
  memcpy(made, text, front);
  memcpy(made + front, new, strlen(new));
  memcpy(made + front + strlen(new), at + strlen(old), size - front - strlen(old));
  write_edited(made, size + strlen(new) - strlen(old));
  return edited;
}

/* cmocka compares as float. */
static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g instead of %.17g", value, expected);
}

static void assert_items(const NsMeshSet *set, PetscInt count, const PetscInt *items)
{
  assert_non_null(set);
  assert_int_equal(set->count, count);
  for (PetscInt k = 0; k < count; k++) assert_int_equal(set->items[k], items[k]);
}

#define NODES(mesh, name, ...) \
  assert_items(NsMeshNodeSet(mesh, name), sizeof((PetscInt[]){__VA_ARGS__}) / sizeof(PetscInt), (PetscInt[]){__VA_ARGS__})
#define ELEMENTS(mesh, name, ...) \
  assert_items(NsMeshElementSet(mesh, name), sizeof((PetscInt[]){__VA_ARGS__}) / sizeof(PetscInt), (PetscInt[]){__VA_ARGS__})

static void assert_chain(const NsMesh *mesh, PetscInt elements, double length)
{
  assert_int_equal(mesh->elements, elements);
  assert_int_equal(mesh->nodes, elements + 1);
  assert_non_null(mesh->along);
  assert_near(mesh->length, length, 1e-14 * length);
  assert_true(mesh->along[0] == 0 && mesh->along[elements] == mesh->length);
  for (PetscInt e = 0; e < elements; e++) {
    assert_int_equal(mesh->connection[2 * e], e);
    assert_int_equal(mesh->connection[2 * e + 1], e + 1);
    assert_true(mesh->along[e + 1] > mesh->along[e]);
  }
}

static PetscInt bandwidth(const NsMesh *mesh)
{
  PetscInt width = 0;

  for (PetscInt e = 0; e < mesh->elements; e++) width = PetscMax(width, abs(mesh->connection[2 * e] - mesh->connection[2 * e + 1]));
  return width;
}

static void line_is_uniform(void **state)
{
  const NsMesh *mesh = good("line: {from: [0, 1 m, 2], to: [1, 1 m, 2], elements: 50}");

  (void)state;
  assert_chain(mesh, 50, 1);
  for (PetscInt i = 0; i < 51; i++) {
    assert_true(mesh->x[3 * i] == i / 50.0); /* to the last digit */
    assert_true(mesh->x[3 * i + 1] == 1 && mesh->x[3 * i + 2] == 2);
  }
  NODES(mesh, "left", 0);
  NODES(mesh, "right", 50);
  assert_int_equal(NsMeshNodeSet(mesh, "all")->count, 51);
  assert_int_equal(NsMeshNodeSet(mesh, "all")->items[50], 50);
  assert_int_equal(NsMeshElementSet(mesh, "all")->count, 50);
  assert_null(NsMeshNodeSet(mesh, "middle"));
  assert_null(NsMeshElementSet(mesh, "left"));
}

static void line_is_graded(void **state)
{
  const double gradings[] = {1e-6, 0.1, 1 - 1e-9, 1 + 1e-9, 8, 1e6};

  (void)state;
  for (size_t k = 0; k < sizeof gradings / sizeof *gradings; k++) {
    const double  g    = gradings[k];
    const NsMesh *mesh = good(NsArenaPrint(arena, "line: {from: [0, 0, 0], to: [0, 0, -3], elements: 40, grading: %.17g}", g));
    assert_chain(mesh, 40, 3);
    assert_true(mesh->x[3 * 40 + 2] == -3); /* exactly where the user said */
    assert_near((mesh->along[40] - mesh->along[39]) / mesh->along[1], g, 1e-9 * g);
    for (PetscInt e = 1; e < 40; e++) /* constant growth */
      assert_near((mesh->along[e + 1] - mesh->along[e]) / (mesh->along[e] - mesh->along[e - 1]), pow(g, 1.0 / 39), 1e-8);
  }
  assert_chain(good("line: {from: [0, 0, 0], to: [1, 0, 0], elements: 1, grading: 5}"), 1, 1);
}

/* 1, 2, 4, 8 over 15 */
static void line_has_known_places(void **state)
{
  const double  x[]  = {0, 1, 3, 7, 15};
  const NsMesh *mesh = good("line: {from: [0, 0, 0], to: [15, 0, 0], elements: 4, grading: 8}");

  (void)state;
  for (int i = 0; i < 5; i++) assert_near(mesh->x[3 * i], x[i], 1e-14);
}

/* Where from + (to - from) is not to. */
/* Nodes at given distances, and elements of even length between them. */
static void line_has_nodes_where_the_user_says(void **state)
{
  const NsMesh *mesh    = good("line: {from: [0, 1, 0], to: [0, 4, 0], elements: 10, nodes_at: [0.2, 1.7]}");
  const double  along[] = {0, 0.2, 0.5, 0.8, 1.1, 1.4, 1.7, 2.025, 2.35, 2.675, 3};

  (void)state;
  assert_chain(mesh, 10, 3);
  for (int i = 0; i <= 10; i++) assert_near(mesh->along[i], along[i], 1e-14);
  assert_true(mesh->x[3 * 10 + 1] == 4);
  for (int elements = 3; elements < 60; elements++) {
    mesh = good(NsArenaPrint(arena, "line: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, nodes_at: [0.01, 0.3337]}", elements));
    assert_chain(mesh, elements, 1);
    double longest = 0;
    int    found   = 0;
    for (int i = 0; i <= elements; i++) {
      found += mesh->along[i] == 0.01 || mesh->along[i] == 0.3337;
      if (i) longest = PetscMax(longest, mesh->along[i] - mesh->along[i - 1]);
    }
    assert_int_equal(found, 2);
    assert_true(longest <= 1. / (elements - 2) + 1e-12);
  }
}

static void line_ends_where_the_user_says(void **state)
{
  const NsMesh *mesh = good("line: {from: [-0.5, 0, 0], to: [0.9, 0, 0], elements: 7}");

  (void)state;
  assert_true(mesh->x[0] == -0.5 && mesh->x[3 * 7] == 0.9);
}

static void line_is_long(void **state)
{
  const NsMesh *mesh = good("{line: {from: [0, 0, 0], to: [2, 0, 0], elements: 1000000}, nodes: {half: 1}}");

  (void)state;
  assert_chain(mesh, 1000000, 2);
  assert_near(mesh->along[500000], 1, 1e-15);
  NODES(mesh, "half", 500000);
}

static void line_is_wrong(void **state)
{
  (void)state;
  bad("line: {from: [1, 0, 0], to: [1, 0, 0], elements: 5}", "case.yaml:1:29: error: the line has no length: 'from' and 'to' are the same point\n"
                                                             "    1 | line: {from: [1, 0, 0], to: [1, 0, 0], elements: 5}\n"
                                                             "      |                             ^~~~~~~~~\n");
  bad("{line: {from: [1e9, 0, 0], to: [1000000000.000001, 0, 0], elements: 5}}",
    "case.yaml:1:8: error: the element from (1e+09, 0, 0) to (1e+09, 0, 0) has zero length, and 4 more like it\n"
    "    1 | {line: {from: [1e9, 0, 0], to: [1000000000.000001, 0, 0], elements: 5}}\n"
    "      |        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
  bad("line: {from: [0, 0, 0], to: [1, 0, 0], elements: 5}\nscale: 1 mm\ngroup: bar\n", "case.yaml:2:8: error: 'scale' requires 'file'\n"
                                                                                        "    2 | scale: 1 mm\n"
                                                                                        "      |        ^~~~\n"
                                                                                        "case.yaml:3:8: error: 'group' requires 'file'\n"
                                                                                        "    3 | group: bar\n"
                                                                                        "      |        ^~~\n");
}

/* The node at a place, which must be there to the last digit. */
static PetscInt node_at(const NsMesh *mesh, double x, double y, double z)
{
  for (PetscInt i = 0; i < mesh->nodes; i++)
    if (mesh->x[3 * i] == x && mesh->x[3 * i + 1] == y && mesh->x[3 * i + 2] == z) return i;
  fail_msg("no node at (%g, %g, %g)", x, y, z);
  return -1;
}

/* Whether an element joins two places. */
static bool joined(const NsMesh *mesh, const double a[3], const double b[3])
{
  const PetscInt i = node_at(mesh, a[0], a[1], a[2]), j = node_at(mesh, b[0], b[1], b[2]);

  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscInt *c = mesh->connection + 2 * e;
    if ((c[0] == i && c[1] == j) || (c[0] == j && c[1] == i)) return true;
  }
  return false;
}

/* Nodes of a set: so many, all with this coordinate. */
static void assert_side(const NsMesh *mesh, const char *name, PetscInt count, int axis, double value)
{
  const NsMeshSet *set = NsMeshNodeSet(mesh, name);

  assert_non_null(set);
  assert_int_equal(set->count, count);
  for (PetscInt k = 0; k < count; k++) {
    assert_true(mesh->x[3 * set->items[k] + axis] == value);
    if (k) assert_true(set->items[k] > set->items[k - 1]);
  }
}

static void lattice_has_known_counts(void **state)
{
  static const struct {
    const char *text;
    PetscInt    nodes, elements;
  } cases[] = {{"cells: [1, 1, 1]", 8, 12}, {"cells: [1, 1, 1], braces: faces", 8, 12 + 6}, {"cells: [1, 1, 1], braces: space", 8, 12 + 6 + 1},
    {"cells: [3, 2, 4]", 60, 3 * 15 + 2 * 20 + 4 * 12}, {"cells: [3, 2, 4], braces: faces", 60, 133 + 6 * 5 + 8 * 4 + 12 * 3},
    {"cells: [3, 2, 4], braces: space", 60, 231 + 24}};

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const NsMesh *mesh = good(NsArenaPrint(arena, "lattice: {from: [0, 0, 0], to: [3, 2, 4], %s}", cases[k].text));
    assert_int_equal(mesh->nodes, cases[k].nodes);
    assert_int_equal(mesh->elements, cases[k].elements);
    assert_int_equal(NsMeshNodeSet(mesh, "all")->count, cases[k].nodes);
    assert_null(mesh->along);
  }
}

static void lattice_has_sides_and_corners(void **state)
{
  const NsMesh *mesh = good("lattice: {from: [-0.1, 1, 2], to: [0.9, 1.3, 2.7], cells: [7, 2, 3]}");

  (void)state;
  assert_int_equal(mesh->node_sets, 6 + 8 + 1);
  assert_side(mesh, "left", 12, 0, -0.1);
  assert_side(mesh, "right", 12, 0, 0.9); /* exactly where the user said */
  assert_side(mesh, "bottom", 32, 1, 1);
  assert_side(mesh, "top", 32, 1, 1.3);
  assert_side(mesh, "back", 24, 2, 2);
  assert_side(mesh, "front", 24, 2, 2.7);
  NODES(mesh, "left_bottom_back", node_at(mesh, -0.1, 1, 2));
  NODES(mesh, "right_bottom_back", node_at(mesh, 0.9, 1, 2));
  NODES(mesh, "left_top_front", node_at(mesh, -0.1, 1.3, 2.7));
  NODES(mesh, "right_top_front", node_at(mesh, 0.9, 1.3, 2.7));
}

static void lattice_may_be_planar(void **state)
{
  const NsMesh *mesh = good("lattice: {from: [0, 0, 5], to: [3, 2, 5], cells: [3, 2, 0], braces: faces}");

  (void)state;
  assert_int_equal(mesh->nodes, 12);
  assert_int_equal(mesh->elements, 9 + 8 + 6);
  assert_int_equal(mesh->node_sets, 4 + 4 + 1);
  assert_side(mesh, "all", 12, 2, 5);
  assert_side(mesh, "top", 4, 1, 2);
  NODES(mesh, "right_top", node_at(mesh, 3, 2, 5));
  assert_null(NsMeshNodeSet(mesh, "front"));
  assert_int_equal(NsMeshNodeSet(good("lattice: {from: [0, 0, 0], to: [0, 2, 3], cells: [0, 2, 3]}"), "front")->count, 3);
}

/* Diagonals begin at even nodes: neighbours are mirror images. */
static void lattice_has_braces(void **state)
{
  const NsMesh *mesh = good("lattice: {from: [0, 0, 0], to: [2, 2, 2], cells: [2, 2, 2], braces: space}");

  (void)state;
  for (int corner = 0; corner < 8; corner++) {
    const double a[3] = {2.0 * (corner & 1), 2.0 * (corner >> 1 & 1), 2.0 * (corner >> 2 & 1)}, middle[3] = {1, 1, 1};
    assert_true(joined(mesh, a, middle));
    for (int d = 0; d < 3; d++) {
      double face[3] = {1, 1, 1}, edge[3] = {a[0], a[1], a[2]}, next[3] = {a[0], a[1], a[2]};
      face[d] = a[d]; /* the middle of a face the corner lies in */
      edge[d] = next[(d + 1) % 3] = 1;
      assert_true(joined(mesh, a, face));
      assert_true(joined(mesh, a, edge));
      assert_false(joined(mesh, edge, next)); /* the other diagonal of a face */
    }
  }
}

/* Rank of the matrix of a truss whose bars these are: unknowns less rigid motions, if it is stiff. */
static PetscInt rank_of(const NsMesh *mesh)
{
  const PetscInt n = 3 * mesh->nodes, m = mesh->elements;
  PetscReal     *row  = NsArenaAlloc(arena, sizeof(*row) * (size_t)(n * m));
  PetscInt       rank = 0;

  for (PetscInt e = 0; e < m; e++) {
    const PetscInt *c = mesh->connection + 2 * e;
    for (int d = 0; d < 3; d++) {
      row[e * n + 3 * c[0] + d] = mesh->x[3 * c[0] + d] - mesh->x[3 * c[1] + d];
      row[e * n + 3 * c[1] + d] = -row[e * n + 3 * c[0] + d];
    }
  }
  for (PetscInt j = 0; j < n && rank < m; j++) { /* Gauss */
    PetscInt pivot = rank;
    for (PetscInt e = rank; e < m; e++)
      if (fabs(row[e * n + j]) > fabs(row[pivot * n + j])) pivot = e;
    if (fabs(row[pivot * n + j]) < 1e-9) continue;
    for (PetscInt k = 0; k < n; k++) {
      const PetscReal swap = row[pivot * n + k];
      row[pivot * n + k]   = row[rank * n + k];
      row[rank * n + k]    = swap;
    }
    for (PetscInt e = rank + 1; e < m; e++) {
      const PetscReal factor = row[e * n + j] / row[rank * n + j];
      for (PetscInt k = j; k < n; k++) row[e * n + k] -= factor * row[rank * n + k];
    }
    rank++;
  }
  return rank;
}

static void lattice_is_stiff(void **state)
{
  (void)state;
  for (int n = 1; n <= 3; n++) {
    const NsMesh *faces = good(NsArenaPrint(arena, "lattice: {from: [0, 0, 0], to: [2, 1, 3], cells: [%d, 2, 1], braces: faces}", n));
    const NsMesh *bare  = good(NsArenaPrint(arena, "lattice: {from: [0, 0, 0], to: [2, 1, 3], cells: [%d, 2, 1]}", n));
    assert_int_equal(rank_of(faces), 3 * faces->nodes - 6);
    assert_true(rank_of(bare) < 3 * bare->nodes - 6);
  }
}

static void lattice_is_large(void **state)
{
  const NsMesh *mesh = good("lattice: {from: [0, 0, 0], to: [1, 2, 1], cells: [30, 180, 30], braces: faces}");

  (void)state;
  assert_int_equal(mesh->nodes, 31 * 181 * 31);
  assert_int_equal(mesh->elements, 2 * 30 * 181 * 31 + 180 * 31 * 31 + 2 * 30 * 180 * 31 + 30 * 30 * 181);
  assert_true(bandwidth(mesh) < 3 * 31 * 31);
}

static void lattice_is_wrong(void **state)
{
  (void)state;
  bad("lattice: {from: [0, 0, 0], to: [1, 0, 0], cells: [5, 0, 0]}", "case.yaml:1:50: error: a lattice needs cells in two or three directions\n"
                                                                     "    1 | lattice: {from: [0, 0, 0], to: [1, 0, 0], cells: [5, 0, 0]}\n"
                                                                     "      |                                                  ^~~~~~~~~\n"
                                                                     "      = a single row of elements is a `line`\n");
  bad("lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2.5, 0]}",
    "case.yaml:1:32: error: without cells along z, 'to' and 'from' must agree in z\n"
    "    1 | lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2.5, 0]}\n"
    "      |                                ^~~~~~~~~\n"
    "case.yaml:1:50: error: the number of cells along y must be a whole number, got 2.5\n"
    "    1 | lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2.5, 0]}\n"
    "      |                                                  ^~~~~~~~~~~\n");
  bad("{lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2, 1]}, nodes: {a: 0.5}, scale: 1 mm}",
    "case.yaml:1:87: error: 'scale' requires 'file'\n"
    "    1 | {lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2, 1]}, nodes: {a: 0.5}, scale: 1 mm}\n"
    "      |                                                                                       ^~~~\n");
  bad("{lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2, 1]}, nodes: {a: 0.5}}",
    "case.yaml:1:70: error: 'nodes' needs a mesh that is one open line; this one has a loop\n"
    "    1 | {lattice: {from: [0, 0, 0], to: [1, 1, 1], cells: [5, 2, 1]}, nodes: {a: 0.5}}\n"
    "      |                                                                      ^~~~~~~~\n");
}

static void nodes_are_named(void **state)
{
  const NsMesh *mesh = good("{line: {from: [0, 0, 0], to: [1, 0, 0], elements: 4}, nodes: {a: 250.0001 mm, b: 0, c: 1 m, d: 0.25}}");
  NsMesh       *file = good("{file: bar_22.msh, nodes: {quarter: 0.24}}");

  (void)state;
  NODES(mesh, "a", 1);
  NODES(mesh, "b", 0);
  NODES(mesh, "c", 4);
  NODES(mesh, "d", 1);
  NODES(file, "quarter", 12);
  bad("line: {from: [0, 0, 0], to: [1, 0, 0], elements: 3}\n"
      "nodes:\n"
      "  tip: 1.5 m\n"
      "  left: 1\n"
      "  third: 0.3334\n"
      "  near: 0.3333338\n",
    "case.yaml:3:8: error: node 'tip' at 1.5 m is off the line, which is 1 m long\n"
    "    3 |   tip: 1.5 m\n"
    "      |        ^~~~~\n"
    "case.yaml:4:3: error: the mesh already has a node set 'left'\n"
    "    4 |   left: 1\n"
    "      |   ^~~~\n"
    "case.yaml:5:10: error: there is no node at 0.3334 m along the line for 'third'\n"
    "    5 |   third: 0.3334\n"
    "      |          ^~~~~~\n"
    "      = the nearest nodes are at 0.3333333333 m and 0.6666666667 m\n"
    "case.yaml:6:9: error: there is no node at 0.3333338 m along the line for 'near'\n"
    "    6 |   near: 0.3333338\n"
    "      |         ^~~~~~~~~\n"
    "      = the nearest nodes are at 0.3333333333 m and 0.6666666667 m\n");
  bad("{file: ../../../meshes/truss.msh, nodes: {a: 1}}", "case.yaml:1:42: error: 'nodes' needs a mesh that is one open line; this one has a loop\n"
                                                          "    1 | {file: ../../../meshes/truss.msh, nodes: {a: 1}}\n"
                                                          "      |                                          ^~~~~~\n"
                                                          "      = name the node in the .geo file: Physical Point(\"a\") = {1};\n");
}

static void points_are_located(void **state)
{
  const NsMesh *mesh = good("line: {from: [0, 0, 0], to: [4, 0, 0], elements: 4}");
  const struct {
    double   distance;
    PetscInt element;
    double   fraction;
  } cases[] = {{0, 0, 0}, {0.25, 0, 0.25}, {1, 0, 1}, {1.5, 1, 0.5}, {3, 2, 1}, {4, 3, 1}, {4 + 1e-9, 3, 1}, {-1e-9, 0, 0}};
  PetscInt  element;
  PetscReal fraction;

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    assert_true(NsMeshLocate(mesh, cases[k].distance, &element, &fraction));
    assert_int_equal(element, cases[k].element);
    assert_near(fraction, cases[k].fraction, 1e-15);
  }
  assert_false(NsMeshLocate(mesh, 4.001, &element, &fraction));
  assert_false(NsMeshLocate(mesh, -0.001, &element, &fraction));
  assert_false(NsMeshLocate(mesh, NAN, &element, &fraction));
  assert_false(NsMeshLocate(good("ring_22.msh"), 0.5, &element, &fraction));
}

/* Physical names, physical points, and the numbering along the chain, in every format. */
static void bar_is_read_in_all_formats(void **state)
{
  const char *files[] = {"../../../meshes/bar.msh", "bar_22.msh", "bar_22_binary.msh", "bar_41_binary.msh"};

  (void)state;
  for (size_t f = 0; f < 4; f++) {
    const NsMesh *mesh = good(files[f]);
    assert_chain(mesh, 50, 1);
    for (PetscInt i = 0; i < 51; i++) {
      assert_near(mesh->x[3 * i], i / 50.0, 1e-12); /* Gmsh's own accuracy */
      assert_true(mesh->x[3 * i + 1] == 0 && mesh->x[3 * i + 2] == 0);
    }
    assert_int_equal(mesh->node_sets, 4);
    NODES(mesh, "left", 0);
    NODES(mesh, "middle", 25);
    NODES(mesh, "right", 50);
    assert_int_equal(mesh->element_sets, 2);
    assert_int_equal(NsMeshElementSet(mesh, "bar")->count, 50);
    assert_int_equal(NsMeshElementSet(mesh, "bar")->items[49], 49);
  }
}

static void elements_point_along_the_chain(void **state)
{
  (void)state;
  assert_chain(good(edit("bar_22.msh", "\n30 1 2 4 2 28 29", "\n30 1 2 4 2 29 28")), 50, 1);
}

static void group_is_taken(void **state)
{
  const NsMesh *mesh = good("{file: ../../../meshes/stepped_bar.msh, group: thick, scale: 1 mm}");

  (void)state;
  assert_chain(mesh, 30, 0.5e-3);
  assert_near(mesh->x[0], 0.5e-3, 1e-18);
  NODES(mesh, "step", 0);
  NODES(mesh, "right", 30);
  assert_null(NsMeshNodeSet(mesh, "left")); /* is on the other part */
  assert_null(NsMeshElementSet(mesh, "thin"));
  assert_int_equal(NsMeshElementSet(mesh, "thick")->count, 30);
  mesh = good("{file: ../../../meshes/stepped_bar.msh}");
  assert_chain(mesh, 50, 1);
  NODES(mesh, "step", 20);
  assert_int_equal(NsMeshElementSet(mesh, "thin")->count, 20);
  assert_int_equal(NsMeshElementSet(mesh, "thick")->items[0], 20);
}

static void truss_branches(void **state)
{
  const NsMesh *mesh = good("../../../meshes/truss.msh");

  (void)state;
  assert_int_equal(mesh->nodes, 9);
  assert_int_equal(mesh->elements, 15);
  assert_null(mesh->along);
  assert_near(mesh->length, 7 * 3 + 8 * 2.5, 1e-12);
  assert_int_equal(bandwidth(mesh), 2); /* the least there is for panels of triangles */
  NODES(mesh, "support_left", 0);
  NODES(mesh, "loaded", 4);
  NODES(mesh, "support_right", 8);
  assert_near(mesh->x[3 * 4], 6, 1e-15);
  assert_true(mesh->x[3 * 4 + 1] == 0);
  assert_true(mesh->x[3 * 1 + 1] == 2); /* y is kept on a mesh of lines */
  ELEMENTS(mesh, "chords", 0, 2, 4, 6, 8, 10, 12);
  ELEMENTS(mesh, "diagonals", 1, 3, 5, 7, 9, 11, 13, 14);
}

static void ring_is_no_chain(void **state)
{
  const NsMesh *mesh = good("ring_22.msh");

  (void)state;
  assert_int_equal(mesh->nodes, 8);
  assert_int_equal(mesh->elements, 8);
  assert_null(mesh->along);
  assert_int_equal(bandwidth(mesh), 2);
}

static void lines_and_points_are_in_several_groups(void **state)
{
  const char *files[] = {"groups_41.msh", "groups_22.msh"};

  (void)state;
  for (int f = 0; f < 2; f++) {
    const NsMesh *mesh = good(files[f]);
    assert_chain(mesh, 4, 2);
    NODES(mesh, "a", 0);
    NODES(mesh, "ends", 0, 4);
    ELEMENTS(mesh, "one", 0, 1);
    ELEMENTS(mesh, "both", 0, 1, 2, 3);
    mesh = good(NsArenaPrint(arena, "{file: %s, group: one}", files[f]));
    assert_chain(mesh, 2, 1);
    NODES(mesh, "ends", 0);
    ELEMENTS(mesh, "one", 0, 1);
    ELEMENTS(mesh, "both", 0, 1);
    assert_int_equal(mesh->element_sets, 3);
  }
}

/* A curve with a minus sign in group 1 has the tag -1. */
static void reversed_curve_keeps_its_group(void **state)
{
  const NsMesh *mesh = good("reversed.msh");

  (void)state;
  assert_chain(mesh, 4, 2); /* all elements point along the chain nevertheless */
  ELEMENTS(mesh, "one", 0, 1, 2, 3);
  NODES(mesh, "a", 0);
  assert_int_equal(good("{file: reversed.msh, group: one}")->elements, 4);
}

static void untagged_mesh_is_taken_whole(void **state)
{
  const char *files[] = {"untagged_41.msh", "untagged_22.msh"};

  (void)state;
  for (int f = 0; f < 2; f++) {
    const NsMesh *mesh = good(files[f]);
    assert_chain(mesh, 2, 1);
    assert_int_equal(mesh->node_sets, 1); /* `all` */
    assert_int_equal(mesh->element_sets, 1);
    bad(NsArenaPrint(arena, "{file: %s, group: bar}", files[f]),
      NsArenaPrint(arena,
        "case.yaml:1:32: error: '%s' has no physical curves, so there is no group 'bar'\n"
        "    1 | {file: %s, group: bar}\n"
        "      |                                ^~~\n"
        "      = leave out `group` to take all lines, or add Physical Curve(\"bar\") = {1}; to the .geo file and mesh again\n",
        files[f], files[f]));
  }
}

static void nameless_group_is_called_by_its_number(void **state)
{
  const NsMesh *mesh = good(edit("bar_22.msh", "4\n0 1 \"left\"\n0 2 \"middle\"\n0 3 \"right\"\n1 4 \"bar\"", "1\n0 2 \"middle\""));

  (void)state;
  NODES(mesh, "1", 0);
  NODES(mesh, "middle", 25);
  assert_int_equal(NsMeshElementSet(mesh, "4")->count, 50);
  assert_int_equal(good(NsArenaPrint(arena, "{file: %s, group: '4'}", edited))->elements, 50);
}

static void group_is_wrong(void **state)
{
  (void)state;
  bad("file: bar_22.msh\ngroup: barr\n", "case.yaml:2:8: error: unknown group 'barr' in 'bar_22.msh'; did you mean 'bar'?\n"
                                         "    2 | group: barr\n"
                                         "      |        ^~~~\n"
                                         "      = valid groups: bar\n");
  bad("file: ../../../meshes/stepped_bar.msh\ngroup: left\n", "case.yaml:2:8: error: unknown group 'left' in '../../../meshes/stepped_bar.msh'\n"
                                                              "    2 | group: left\n"
                                                              "      |        ^~~~\n"
                                                              "      = 'left' is a physical point; a group is a physical curve\n"
                                                              "      = valid groups: thin, thick\n");
  bad(NsArenaPrint(arena, "file: %s\ngroup: ghost\n", edit("bar_22.msh", "4\n0 1", "5\n1 9 \"ghost\"\n0 1")),
    NsArenaPrint(arena, "case.yaml:2:8: error: the group 'ghost' of 'edited.msh' has no elements\n"
                        "    2 | group: ghost\n"
                        "      |        ^~~~~\n"
                        "      = its curves were not meshed: gmsh -1 geometry.geo\n"));
}

static void file_is_missing(void **state)
{
  (void)state;
  bad("file: no.msh", "case.yaml:1:7: error: cannot read the mesh file 'no.msh': No such file or directory\n"
                      "    1 | file: no.msh\n"
                      "      |       ^~~~~~\n"
                      "      = looked for no.msh\n");
  bad("file: ../meshes", "case.yaml:1:7: error: cannot read the mesh file '../meshes': it is a directory\n"
                         "    1 | file: ../meshes\n"
                         "      |       ^~~~~~~~~\n"
                         "      = looked for ../meshes\n");
}

/* A value of --set has no folder of its own: the config's is taken. */
static void file_from_set_is_beside_the_config(void **state)
{
  const char    *text = "{mesh: {file: no.msh}}";
  NsNode        *root = NsTreeReadText(FOLDER "case.yaml", text, strlen(text), arena, diag);
  NsMeshSettings settings;
  NsMesh        *mesh;

  (void)state;
  assert_true(NsTreeSet(root, "mesh.file=bar_22.msh", arena, diag));
  assert_true(NsKeysRead(&NsTable_Mesh, NsTreeChild(root, "mesh"), &settings, arena, diag));
  assert_int_equal(NsMeshCreate(&settings, arena, diag, &mesh), 0);
  assert_string_equal(said(), "");
  assert_int_equal(mesh->elements, 50);
}

static void pieces_are_refused(void **state)
{
  (void)state;
  bad("pieces.msh", "case.yaml:1:1: warning: the physical point 'hook' of 'pieces.msh' is not on any line and is ignored\n"
                    "    1 | pieces.msh\n"
                    "      | ^~~~~~~~~~\n"
                    "case.yaml:1:1: error: the mesh is in 2 pieces: the first has a node at (0, 0, 0), the second at (1, 0, 0)\n"
                    "    1 | pieces.msh\n"
                    "      | ^~~~~~~~~~\n"
                    "      = two nodes of different pieces lie at (1, 0, 0): `Coherence Mesh;` in the .geo file joins such nodes\n");
  bad(NsArenaPrint(arena, "{group: bar, file: %s}", edit("bar_22.msh", "\n30 1 2 4 2 28 29", "\n30 15 2 9 2 28")),
    NsArenaPrint(arena,
      "case.yaml:1:20: error: the mesh is in 2 pieces: the first has a node at (0, 0, 0), the second at (1, 0, 0)\n"
      "    1 | {group: bar, file: edited.msh}\n"
      "      |                    ^%.*s\n"
      "      = a body is one piece: join them, or make each a physical curve and a body of its own with `group`\n",
      (int)strlen(edited) - 1, "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"));
  assert_chain(good("{file: pieces.msh, group: second}"), 1, 1); /* each alone is fine */
}

/* What is wrong with a mesh that can be read: at the config's place. */
static void elements_are_wrong(void **state)
{
  const struct {
    const char *old, *new, *message;
  } cases[] = {
    {"\n30 1 2 4 2 28 29", "\n30 1 2 4 2 28 28", "the element from (0.52, 0, 0) to (0.52, 0, 0) has zero length"},
    {"\n30 1 2 4 2 28 29", "\n30 1 2 4 2 2 28", "the element between (0.5, 0, 0) and (0.52, 0, 0) occurs twice"},
    {"\n30 1 2 4 2 28 29\n31 1 2 4 2 29 30", "\n30 1 2 4 2 2 28\n31 1 2 4 2 28 2",
      "the element between (0.5, 0, 0) and (0.52, 0, 0) occurs twice, and 1 more like it"},
    {NULL, NULL, NULL},
  };

  (void)state;
  for (int k = 0; cases[k].message; k++) {
    const char *text;
    assert_null(make(edit("bar_22.msh", cases[k].old, cases[k].new)));
    text = said();
    if (!strstr(text, cases[k].message)) print_message("%s", text);
    assert_non_null(strstr(text, cases[k].message));
  }
}

/* Mistakes in the file, with their line. */
static void file_is_broken(void **state)
{
  const struct {
    const char *file, *old, *new, *message;
  } cases[] = {
    {"format_10.msh", "", "",
      "edited.msh:1:1: error: a Gmsh file of the old format 1.0; formats 4.1 and 2.2 can be read\n"
      "    1 | $NOD\n"
      "      | ^~~~\n"
      "      = write it again with Gmsh: gmsh old.msh -save -format msh41 -o new.msh\n"},
    {"format_40.msh", "", "",
      "edited.msh:2:1: error: Gmsh format 4 cannot be read; formats 4.1 and 2.2 can\n"
      "    2 | 4 0 8\n"
      "      | ^\n"
      "      = write it again with Gmsh: gmsh old.msh -save -format msh41 -o new.msh\n"},
    {"bar_22.msh", "$MeshFormat", "# vtk",
      "edited.msh:1:1: error: not a Gmsh mesh: it must begin with $MeshFormat\n"
      "    1 | # vtk\n"
      "      | ^\n"
      "      = make one from a geometry: gmsh -1 -format msh41 geometry.geo\n"},
    {"bar_22.msh", "2.2 0 8", "2.2 2 8",
      "edited.msh:2:5: error: the file type is 0 (ASCII) or 1 (binary), not '2'\n"
      "    2 | 2.2 2 8\n"
      "      |     ^\n"},
    {"bar_22.msh", "2.2 0 8", "2.2 0 4",
      "edited.msh:2:7: error: numbers of 8 bytes are expected, not '4'\n"
      "    2 | 2.2 0 4\n"
      "      |       ^\n"},
    {"bar_22_binary.msh", "\1", "\2",
      "edited.msh: error: not readable as a binary Gmsh file: it comes from a machine with another byte order, or was copied as text; write it as ASCII\n"},
    {"bar_22.msh", "0 2 \"middle\"", "0 2  \"middle\"",
      "edited.msh:7:5: error: expected one blank and a name in double quotes after the tag of a physical group\n"
      "    7 | 0 2  \"middle\"\n"
      "      |     ^~~~~~~~~\n"},
    {"bar_22.msh", "0 2 \"middle\"", "0 0 \"middle\"",
      "edited.msh:7:3: error: a physical group with the tag 0\n"
      "    7 | 0 0 \"middle\"\n"
      "      |   ^\n"},
    {"bar_22.msh", "0 2 \"middle\"", "4 2 \"middle\"",
      "edited.msh:7:1: error: a physical group of dimension 4\n"
      "    7 | 4 2 \"middle\"\n"
      "      | ^\n"},
    {"untagged_41.msh", "$Entities\n2 1 0 0\n1 0 0 0 0 \n2 1 0 0 0 \n1 0 0 0 1 0 0 0 2 1 -2 \n$EndEntities\n", "",
      "edited.msh:4:1: error: the section $Entities is missing, which a file of format 4.1 needs here\n"
      "    4 | $Nodes\n"
      "      | ^~~~~~\n"
      "      = write it again with Gmsh: gmsh old.msh -save -format msh41 -o new.msh\n"},
    {"untagged_41.msh", "$Nodes", "$PartitionedEntities",
      "edited.msh:10:1: error: a partitioned mesh cannot be read; save it without partitions\n"
      "   10 | $PartitionedEntities\n"
      "      | ^~~~~~~~~~~~~~~~~~~~\n"},
    {"untagged_41.msh", "2 1 0 0 0 \n", "1 1 0 0 0 \n",
      "edited.msh:8:21: error: point 1 occurs twice in $Entities\n"
      "    8 | 1 0 0 0 1 0 0 0 2 1 -2 \n"
      "      |                     ^~\n"},
    {"untagged_41.msh", "1 1 0 1\n3\n", "1 7 0 1\n3\n",
      "edited.msh:18:3: error: $Nodes refers to an entity of dimension 1 and tag 7 that $Entities does not have\n"
      "   18 | 1 7 0 1\n"
      "      |   ^\n"},
    {"untagged_41.msh", "1 1 0 1\n3\n", "1 1 0 2\n3\n",
      "edited.msh:18:7: error: the blocks of $Nodes contain more nodes than the 3 that it states\n"
      "   18 | 1 1 0 2\n"
      "      |       ^\n"},
    {"untagged_41.msh", "3 4 1 4\n0 1 15 1", "3 4 1 4\n1 1 15 1",
      "edited.msh:24:5: error: elements of type 15 in an entity of dimension 1\n"
      "   24 | 1 1 15 1\n"
      "      |     ^~\n"},
    {"parametric.msh", "", "",
      "edited.msh:18:5: error: nodes with parametric coordinates cannot be read\n"
      "   18 | 1 1 1 1\n"
      "      |     ^\n"
      "      = set Mesh.SaveParametric = 0; in the .geo file and mesh again\n"},
    {"quadratic.msh", "", "",
      "edited.msh:32:5: error: the file has lines of three nodes; only two-node lines can be read\n"
      "   32 | 1 1 8 2\n"
      "      |     ^\n"
      "      = mesh with first-order elements: gmsh -1 -order 1 geometry.geo, or Mesh.ElementOrder = 1; in the .geo file\n"},
    {"triangles.msh", "", "",
      "edited.msh:74:5: error: the file has triangles; only two-node lines can be read\n"
      "   74 | 2 1 2 14\n"
      "      |     ^\n"
      "      = mesh the curves alone: gmsh -1 geometry.geo\n"},
    {"bar_22.msh", "$Nodes\n51", "$Nodes\n52",
      "edited.msh:64:1: error: expected a whole number in $Nodes, got '$EndNodes'\n"
      "   64 | $EndNodes\n"
      "      | ^~~~~~~~~\n"},
    {"bar_22.msh", "$Nodes\n51", "$Nodes\n50",
      "edited.msh:63:1: error: expected $EndNodes here, got '51'\n"
      "   63 | 51 0.98 0 0\n"
      "      | ^~\n"},
    {"bar_22.msh", "$Nodes\n51", "$Nodes\n99999",
      "edited.msh:12:1: error: $Nodes states 99999 entries, more than the file can contain\n"
      "   12 | 99999\n"
      "      | ^~~~~\n"},
    {"bar_22.msh", "2 0.5 0 0", "1 0.5 0 0",
      "edited.msh:14:1: error: node 1 occurs twice\n"
      "   14 | 1 0.5 0 0\n"
      "      | ^\n"},
    {"bar_22.msh", "2 0.5 0 0", "2 0,5 0 0",
      "edited.msh:14:3: error: expected a number in $Nodes, got '0,5'\n"
      "   14 | 2 0,5 0 0\n"
      "      |   ^~~\n"},
    {"bar_22.msh", "2 0.5 0 0", "2 nan 0 0",
      "edited.msh:14:3: error: a coordinate that is not finite\n"
      "   14 | 2 nan 0 0\n"
      "      |   ^~~\n"},
    {"bar_22.msh", "2 0.5 0 0", "2 0.5 0 0 0",
      "edited.msh:14:11: error: too many numbers in this line of $Nodes\n"
      "   14 | 2 0.5 0 0 0\n"
      "      |           ^\n"},
    {"bar_22.msh", "2 0.5 0 0", "2000000000 0.5 0 0",
      "edited.msh:14:1: error: the 51 nodes have numbers from 1 to 2000000000, which is too sparse\n"
      "   14 | 2000000000 0.5 0 0\n"
      "      | ^~~~~~~~~~\n"
      "      = let Gmsh renumber them: RenumberMeshNodes; in the .geo file, or Tools, Renumber\n"},
    {"bar_22.msh", "2 0.5 0 0", "0 0.5 0 0",
      "edited.msh:14:1: error: node 0: nodes are numbered from 1\n"
      "   14 | 0 0.5 0 0\n"
      "      | ^\n"},
    {"bar_22.msh", "2 0.5 0 0", "9000000000 0.5 0 0",
      "edited.msh:14:1: error: '9000000000' in $Nodes is too large\n"
      "   14 | 9000000000 0.5 0 0\n"
      "      | ^~~~~~~~~~\n"},
    {"bar_22.msh", "\n30 1 2 4 2 28 29", "\n30 1 2 4 2 28 77",
      "edited.msh:96:15: error: element 30 has a node 77 that $Nodes does not have\n"
      "   96 | 30 1 2 4 2 28 77\n"
      "      |               ^~\n"},
    {"bar_22.msh", "\n30 1 2 4 2 28 29", "\n30 1 2 4 2 28",
      "edited.msh:96:14: error: too few numbers in this line of $Elements\n"
      "   96 | 30 1 2 4 2 28\n"
      "      |              ^\n"},
    {"bar_22.msh", "\n30 1 2 4 2 28 29", "\n30 1 2 4 2 28 29 30",
      "edited.msh:96:18: error: too many numbers in this line of $Elements\n"
      "   96 | 30 1 2 4 2 28 29 30\n"
      "      |                  ^~\n"},
    {"bar_22.msh", "\n30 1 2 4 2 28 29", "\n30 1 -2 4 2 28 29",
      "edited.msh:96:6: error: an element with -2 tags\n"
      "   96 | 30 1 -2 4 2 28 29\n"
      "      |      ^~\n"},
    {"bar_22.msh", "$EndMeshFormat", "$EndMeshFormat\n$Comments\nmade by hand\n",
      "edited.msh:124:1: error: the file ends within $Comments; it is not complete\n"},
  };

  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    assert_null(make(edit(cases[k].file, cases[k].old, cases[k].new)));
    assert_string_equal(said(), cases[k].message);
  }
}

static void file_is_empty_or_ends_early(void **state)
{
  size_t size;
  char  *text = load("bar_22.msh", &size);

  (void)state;
  write_edited("", 0);
  bad(edited, "edited.msh: error: the file is empty\n");
  write_edited(text, 1000);
  bad(edited, "edited.msh:55:24: error: the file ends within $Nodes; it is not complete\n"
              "   55 | 43 0.8200000000000001 0\n"
              "      |                        ^\n");
  text[20] = '\0';
  write_edited(text, size);
  bad(edited, "edited.msh:3:1: error: a zero byte in an ASCII file; the file is damaged\n"
              "    3 | \xef\xbf\xbd"
              "EndMeshFormat\n"
              "      | ^\n");
  text = load("bar_22_binary.msh", &size);
  write_edited(text, 1000);
  bad(edited, "edited.msh: error: the file ends within $Nodes; it is not complete\n");
}

static void words_may_not_be_endless(void **state)
{
  char *name = NsArenaAlloc(arena, 1102);

  (void)state;
  memset(name, 'x', 1101);
  assert_null(make(edit("bar_22.msh", "$EndPhysicalNames", name)));
  assert_non_null(strstr(said(), "edited.msh:10:1: error: a word of more than 1000 bytes: this is not a Gmsh file\n"));
  name[128] = '\0';
  assert_null(make(edit("bar_22.msh", "middle", name)));
  assert_non_null(strstr(said(), "edited.msh:7:5: error: the name of a physical group has more than 127 bytes\n"));
  name[127] = '\0';
  assert_int_equal(NsMeshNodeSet(good(edit("bar_22.msh", "middle", name)), name)->items[0], 25);
}

/* The name of the file is taken as it is, and a point may be in any number of groups. */
static void odd_files_are_read(void **state)
{
  char        plain[64];
  size_t      size;
  const char *text = load("bar_22.msh", &size);

  (void)state;
  snprintf(plain, sizeof plain, "%s", edited);
  strrchr(edited, '_')[0] = '\\';
  write_edited(text, size);
  assert_chain(good(edited), 50, 1);
  unlink(edited);
  strcpy(edited, plain);
  assert_non_null(NsMeshNodeSet(good(edit("untagged_41.msh", "1 0 0 0 0 \n", "1 0 0 0 5 1 2 3 4 5\n")), "5"));
}

/* A file without lines is not an error of format. */
static void file_has_no_lines(void **state)
{
  (void)state;
  assert_null(make(edit("untagged_41.msh", "3 4 1 4\n0 1 15 1\n1 1 \n0 2 15 1\n2 2 \n1 1 1 2\n3 1 3 \n4 3 2 \n", "1 1 1 1\n0 1 15 1\n1 1\n")));
  assert_non_null(strstr(said(), "error: 'edited.msh' has no line elements\n"));
}

static void comments_and_other_sections_are_skipped(void **state)
{
  (void)state;
  assert_chain(good(edit("bar_22.msh", "$EndMeshFormat", "$EndMeshFormat\n$Comments\nmade by $Nodes hand\n$EndComments")), 50, 1);
  assert_chain(good(edit("bar_22.msh", "$EndElements", "$EndElements\n$Periodic\nnonsense\n")), 50, 1);
}

static void lines_may_end_as_on_windows(void **state)
{
  size_t size;
  char  *text = load("bar_22.msh", &size);

  (void)state;
  replace_all(&text, "\n", "\r\n");
  write_edited(text, strlen(text));
  assert_chain(good(edited), 50, 1);
  assert_non_null(NsMeshNodeSet(good(edited), "middle"));
}

static void node_set_of_all_is_all(void **state)
{
  const NsMesh *mesh = good(edit("bar_22.msh", "\"bar\"", "\"all\""));

  (void)state;
  assert_int_equal(mesh->element_sets, 1);
  assert_int_equal(NsMeshElementSet(mesh, "all")->count, 50);
  assert_null(make(edit("bar_22.msh", "\"middle\"", "\"all\"")));
  assert_non_null(strstr(said(), "error: the physical point 'all' of the file is only a part of the mesh\n"));
}

/* A hub of many arms: each step is linear, so this takes no time. */
static void star_is_read(void **state)
{
  const int     arms = 20000;
  char         *text;
  size_t        size;
  FILE         *file = open_memstream(&text, &size);
  const NsMesh *mesh;

  (void)state;
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n1 0 0 0\n", arms + 1);
  for (int k = 0; k < arms; k++) fprintf(file, "%d 1 %d 0\n", k + 2, k);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", arms);
  for (int k = 0; k < arms; k++) fprintf(file, "%d 1 2 0 1 1 %d\n", k + 1, k + 2);
  fprintf(file, "$EndElements\n");
  fclose(file);
  write_edited(text, size);
  free(text);
  mesh = good(edited);
  assert_int_equal(mesh->nodes, arms + 1);
  assert_int_equal(mesh->elements, arms);
  assert_null(mesh->along);
  bad(NsArenaPrint(arena, "nodes: {tip: 1}\nfile: %s", edited),
    "case.yaml:1:8: error: 'nodes' needs a mesh that is one open line; this one branches\n"
    "    1 | nodes: {tip: 1}\n"
    "      |        ^~~~~~~~\n"
    "      = name the node in the .geo file: Physical Point(\"tip\") = {1};\n");
}

/* With a decimal comma, 0.5 would be read as 0. */
static void locale_does_not_matter(void **state)
{
  const char *comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", NULL};
  bool        found   = false;

  for (int k = 0; comma[k] && !found; k++) found = setlocale(LC_NUMERIC, comma[k]) != NULL;
  if (!found) skip();
  bar_is_read_in_all_formats(state);
  assert_string_equal(localeconv()->decimal_point, ",");
  setlocale(LC_NUMERIC, "C");
}

static void unknown_node_set_is_explained(void **state)
{
  const NsMesh *bar = good("untagged_22.msh"), *line = good("line: {from: [0, 0, 0], to: [1, 0, 0], elements: 5}");

  (void)state;
  NsMeshNodeSetError(bar, "right", (NsPlace){0}, arena, diag);
  assert_string_equal(said(),
    "error: unknown node set 'right'\n"
    "      = valid node sets: all\n"
    "      = the ends of a mesh from a file have the names that the file gives them: add Physical Point(\"right\") = {1}; to the .geo file, or "
    "`nodes: {right: 1 m}` below `mesh`\n");
  NsMeshNodeSetError(line, "rigth", (NsPlace){0}, arena, diag);
  assert_string_equal(said(), "error: unknown node set 'rigth'; did you mean 'right'?\n"
                              "      = valid node sets: left, right, all\n");
}

/* Whatever happens to a byte of a file: a mesh or a message (checked in make). */
static void try_all(const char *name, size_t stride)
{
  size_t      size;
  const char *original = load(name, &size);
  const char  bytes[]  = {0, 1, ' ', '\n', '-', '9', '"', '$', (char)0x80, (char)0xff};

  for (size_t at = 0; at < size; at += stride) {
    for (size_t b = 0; b <= sizeof bytes; b++) {
      NsArena *outer = arena;
      char    *text;

      setup(NULL);
      text = NsArenaCopy(arena, original, size);
      if (b < sizeof bytes) text[at] = bytes[b];
      write_edited(text, b < sizeof bytes ? size : at);
      (void)make(edited);
      NsArenaDestroy(&arena);
      arena = outer;
      diag  = NsDiagCreate(arena);
    }
  }
}

static void no_byte_breaks_the_reader(void **state)
{
  (void)state;
  try_all("groups_41.msh", 3);
  try_all("groups_22.msh", 3);
  try_all("bar_22_binary.msh", 17);
  try_all("bar_41_binary.msh", 17);
}

int main(int argc, char **argv)
{
  int                     failed;
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown_files)
    TEST(line_is_uniform),
    TEST(line_is_graded),
    TEST(line_has_known_places),
    TEST(line_has_nodes_where_the_user_says),
    TEST(line_ends_where_the_user_says),
    TEST(line_is_long),
    TEST(line_is_wrong),
    TEST(lattice_has_known_counts),
    TEST(lattice_has_sides_and_corners),
    TEST(lattice_may_be_planar),
    TEST(lattice_has_braces),
    TEST(lattice_is_stiff),
    TEST(lattice_is_large),
    TEST(lattice_is_wrong),
    TEST(nodes_are_named),
    TEST(points_are_located),
    TEST(bar_is_read_in_all_formats),
    TEST(elements_point_along_the_chain),
    TEST(group_is_taken),
    TEST(truss_branches),
    TEST(ring_is_no_chain),
    TEST(lines_and_points_are_in_several_groups),
    TEST(reversed_curve_keeps_its_group),
    TEST(untagged_mesh_is_taken_whole),
    TEST(nameless_group_is_called_by_its_number),
    TEST(group_is_wrong),
    TEST(file_is_missing),
    TEST(file_from_set_is_beside_the_config),
    TEST(pieces_are_refused),
    TEST(elements_are_wrong),
    TEST(file_is_broken),
    TEST(file_is_empty_or_ends_early),
    TEST(file_has_no_lines),
    TEST(words_may_not_be_endless),
    TEST(odd_files_are_read),
    TEST(comments_and_other_sections_are_skipped),
    TEST(lines_may_end_as_on_windows),
    TEST(node_set_of_all_is_all),
    TEST(star_is_read),
    TEST(locale_does_not_matter),
    TEST(unknown_node_set_is_explained),
    TEST(no_byte_breaks_the_reader),
  };

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  snprintf(edited, sizeof edited, "/tmp/percuss_test_mesh_%ld.msh", (long)getpid());
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (PetscFinalize()) return 1;
  return failed;
}
