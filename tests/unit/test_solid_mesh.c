/* Meshes of solids: Gmsh files of both formats, the sides of elements, meshes that run the wrong way round, generated boxes. What is said of wrong ones: tests/errors/cases/solids.txt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "arena.h"
#include "percuss/mesh.h"

static char path[64];

static int teardown_files(void **state)
{
  unlink(path);
  return teardown(state);
}

static NsMesh *make(const char *text, int dimension)
{
  NsMeshSettings settings;
  NsMesh        *mesh = NULL;
  const NsNode  *root = NsTreeReadText("/tmp/case.yaml", text, strlen(text), arena, diag);

  assert_non_null(root);
  assert_true(NsKeysRead(&NsTable_SolidMesh, root, &settings, arena, diag));
  assert_int_equal(NsMeshCreateSolid(&settings, dimension, arena, diag, &mesh), 0);
  if (!mesh) NsDiagPrint(diag, stderr, false);
  assert_non_null(mesh);
  return mesh;
}

static NsMesh *make_file(const char *text, const char *more, int dimension)
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return make(NsArenaPrint(arena, "{file: %s%s}", path, more), dimension);
}

/* Four unit squares; the left two are of the group "west", the side between them and the right ones of the group "inner"; "corner" is a point at (0, 0). */
#define NODES_22 "9\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 0 2 0\n8 1 2 0\n9 2 2 0\n"
static const char squares_22[] =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n2 1 \"west\"\n2 2 \"east\"\n1 3 \"bottom\"\n1 4 \"inner\"\n0 5 \"corner\"\n$EndPhysicalNames\n"
  "$Nodes\n" NODES_22 "$EndNodes\n$Elements\n9\n"
  "11 3 2 1 1 1 2 5 4\n12 3 2 1 1 4 5 8 7\n13 3 2 2 1 2 3 6 5\n14 3 2 2 1 5 6 9 8\n"
  "1 1 2 3 1 1 2\n2 1 2 3 1 2 3\n3 1 2 4 1 2 5\n4 1 2 4 1 5 8\n5 15 2 5 1 1\n$EndElements\n";
/* The same in format 4.1, all squares clockwise. */
static const char squares_41[] =
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n2 1 \"west\"\n2 2 \"east\"\n1 3 \"bottom\"\n1 4 \"inner\"\n0 5 \"corner\"\n$EndPhysicalNames\n"
  "$Entities\n1 2 2 0\n1 0 0 0 1 5\n1 0 0 0 2 0 0 1 3 0\n2 1 0 0 1 2 0 1 4 0\n1 0 0 0 1 2 0 1 1 0\n2 1 0 0 2 2 0 1 2 0\n$EndEntities\n"
  "$Nodes\n1 9 1 9\n2 1 0 9\n1\n2\n3\n4\n5\n6\n7\n8\n9\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n0 2 0\n1 2 0\n2 2 0\n$EndNodes\n"
  "$Elements\n5 9 1 14\n0 1 15 1\n5 1\n1 1 1 2\n1 1 2\n2 2 3\n1 2 1 2\n3 2 5\n4 5 8\n2 1 3 2\n11 1 4 5 2\n12 4 7 8 5\n2 2 3 2\n13 2 5 6 3\n14 5 8 9 6\n$EndElements\n";

/* All corners of the sides of a set have the coordinate x_axis = value. */
static void assert_sides(const NsMesh *mesh, const char *name, PetscInt count, int axis, double value)
{
  const NsMeshSideSet *set = NsMeshSides(mesh, name);

  assert_non_null(set);
  assert_int_equal(set->count, count);
  for (PetscInt k = 0; k < set->count; k++) {
    for (int c = 0; c < mesh->shape->side_shape->nodes; c++) {
      const PetscInt node = mesh->connection[mesh->shape->nodes * set->side[k][0] + mesh->shape->side[set->side[k][1]][c]];
      assert_true(fabs(mesh->x[3 * node + axis] - value) < 1e-12);
    }
  }
}

/* In the plane: corners run counter-clockwise. */
static void assert_turned(const NsMesh *mesh)
{
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscReal *a = mesh->x + 3 * mesh->connection[4 * e], *b = mesh->x + 3 * mesh->connection[4 * e + 1],
                    *c = mesh->x + 3 * mesh->connection[4 * e + 2];
    assert_true((b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]));
  }
}

static void both_formats_are_read(void **state)
{
  const char *text[] = {squares_22, squares_41};

  (void)state;
  for (int f = 0; f < 2; f++) {
    const NsMesh *mesh = make_file(text[f], ", scale: 1 mm", 2);
    assert_int_equal(mesh->nodes, 9);
    assert_int_equal(mesh->elements, 4);
    assert_ptr_equal(mesh->shape, &NsMeshShape_Quad4);
    assert_true(fabs(mesh->length - 2e-3) < 1e-15);
    assert_turned(mesh);
    assert_int_equal(NsMeshElementSet(mesh, "west")->count, 2);
    assert_int_equal(NsMeshNodeSet(mesh, "bottom")->count, 3);
    assert_int_equal(NsMeshNodeSet(mesh, "inner")->count, 3);
    assert_int_equal(NsMeshNodeSet(mesh, "corner")->count, 1);
    assert_sides(mesh, "bottom", 2, 1, 0);
    assert_null(NsMeshSides(mesh, "inner")); /* between two elements */
    assert_null(NsMeshSides(mesh, "corner"));
  }
}

/* Of one group the side to the other one is on the surface. */
static void group_has_its_own_surface(void **state)
{
  const char *text[] = {squares_22, squares_41};

  (void)state;
  for (int f = 0; f < 2; f++) {
    const NsMesh *mesh = make_file(text[f], ", group: west", 2);
    assert_int_equal(mesh->nodes, 6);
    assert_int_equal(mesh->elements, 2);
    assert_sides(mesh, "bottom", 1, 1, 0);
    assert_sides(mesh, "inner", 2, 0, 1);
  }
}

static void box_has_sides(void **state)
{
  static const struct {
    const char *elements;
    PetscInt    cells, nodes, sides[3], middles; /* elements of 2 x 3 x 4 cells; sides along x, y, z; nodes in the middles of edges of `left` */
  } cases[] = {{"hex8", 24, 60, {12, 8, 6}, 0}, {"tet4", 144, 60, {24, 16, 12}, 0}, {"tet10", 144, 315, {24, 16, 12}, 43}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    const NsMesh *mesh = make(NsArenaPrint(arena, "{box: {from: [1, 2, 3], to: [3, 5, 7], cells: [2, 3, 4], elements: %s}}", cases[c].elements), 3);
    assert_int_equal(mesh->elements, cases[c].cells);
    assert_int_equal(mesh->nodes, cases[c].nodes);
    assert_sides(mesh, "left", cases[c].sides[0], 0, 1);
    assert_sides(mesh, "right", cases[c].sides[0], 0, 3);
    assert_sides(mesh, "bottom", cases[c].sides[1], 1, 2);
    assert_sides(mesh, "top", cases[c].sides[1], 1, 5);
    assert_sides(mesh, "back", cases[c].sides[2], 2, 3);
    assert_sides(mesh, "front", cases[c].sides[2], 2, 7);
    assert_int_equal(NsMeshSides(mesh, "left")->middles.count, cases[c].middles);
    assert_int_equal(NsMeshNodeSet(mesh, "right_top_front")->count, 1);
  }
  const NsMesh *plane = make("{box: {from: [0, 0, 0], to: [2, 3, 0], cells: [2, 3, 0], elements: tri3}}", 2);
  assert_int_equal(plane->elements, 12);
  assert_sides(plane, "left", 3, 0, 0);
  assert_int_equal(NsMeshNodeSet(plane, "right_top")->count, 1);
  assert_null(NsMeshNodeSet(plane, "front"));
}

int main(int argc, char **argv)
{
  int                     failed;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(both_formats_are_read, setup, teardown_files),
    cmocka_unit_test_setup_teardown(group_has_its_own_surface, setup, teardown_files),
    cmocka_unit_test_setup_teardown(box_has_sides, setup, teardown_files),
  };

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)snprintf(path, sizeof path, "/tmp/percuss_test_solid_%ld.msh", (long)getpid());
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (PetscFinalize()) return 1;
  return failed;
}
