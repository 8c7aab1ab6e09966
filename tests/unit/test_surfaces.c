/*
  Contact of two solids by dual mortar: patch tests with meshes that do not match, gaps and press fits, friction, against closed forms and an independent implementation.
*/
#include "support.h"
#include <stdio.h>
#include "fe/elements/solid.h"
#include "fe/model/fe.h"
#include "fe/surface/contact.h"

#define STEEL "    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}\n"

static NsFe *fe_of(const TestRun *test)
{
  return test->run->model->data;
}

/* The largest difference of a stress, at all nodes and the middles of elements, from the expected one. */
static double stress_error(const TestRun *test, const double expected[6])
{
  const NsFe *fe    = fe_of(test);
  double      error = 0;

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement   *e    = &fe->element[i];
    const NsFeBody      *body = &fe->body[e->body];
    const NsElementType *type = body->element;
    PetscReal            q[NS_ELEMENT_UNKNOWNS], stress[NS_ELEMENT_OUTPUTS];
    NsFeElementValues(fe, test->run->model->layout, e, NsVecRead(test->run->state.q), q);
    for (PetscInt k = 0; k <= type->nodes; k++) {
      type->outputs(body, e, q, k < type->nodes ? type->node[k] : type->picture->cell[0].middle, stress);
      for (int s = 0; s < 6; s++) error = PetscMax(error, fabs(stress[s] - expected[s]));
    }
  }
  return error;
}

/* ---- patch tests -------------------------------------------------------------------------------------------------------------------------------- */

/* Two blocks 100 x 50 (x 100) mm, 100 MPa on top; the upper one is named first. */
static TestRun open_patch(const char *state, const char *elements, const char *upper, const char *lower, const char *held)
{
  char       text[4000];
  const bool space = !*state;

  assert_true(snprintf(text, sizeof(text),
                "bodies:\n"
                "  lower:\n"
                "    type: solid\n" STEEL "    mesh: {box: {from: [0, 0, 0], to: [0.1, %s], cells: %s%s}}\n%s"
                "  upper:\n"
                "    type: solid\n" STEEL "    mesh: {box: {from: [0, %s], to: [0.1, %s], cells: %s%s}}\n%s"
                "supports: %s\n"
                "loads: {press: {on: upper.%s, pressure: 100 MPa}}\n"
                "contacts: {joint: {between: [{surface: upper.%s}, {surface: lower.%s}]}}\n"
                "start: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
                space ? "0.1, 0.05" : "0.05, 0", lower, elements, state, space ? "0, 0.05" : "0.05, 0", space ? "0.1, 0.1" : "0.1, 0", upper,
                elements, state, held, space ? "front" : "top", space ? "back" : "bottom", space ? "front" : "top") < (int)sizeof(text));
  return test_run_open(text, NULL);
}

#define HELD_2D "{a: {at: lower.bottom, fix: y}, b: {at: lower.left_bottom, fix: x}, c: {at: upper.left_top, fix: x}}"

static void plane_patch(void **state)
{
  static const char *const cells[][2] = {{"[4, 3, 0]", "[3, 3, 0]"}, {"[7, 3, 0]", "[5, 3, 0]"}, {"[3, 3, 0]", "[8, 3, 0]"}};

  (void)state;
  for (int c = 0; c < 3; c++) {
    TestRun      test     = open_patch("    state: plane_strain\n", "", cells[c][0], cells[c][1], HELD_2D);
    const double stress[] = {0, -1e8, -0.3e8, 0, 0, 0}, error = stress_error(&test, stress) / 1e8;
    print_message("  %s on %s: stress off by %.2g\n", cells[c][0], cells[c][1], error);
    assert_true(error < 1e-10);
    test_run_close(&test);
  }
}

#define HELD_3D \
  "{a: {at: lower.back, fix: z}, b: {at: lower.left_bottom_back, fix: x}, c: {at: lower.left_bottom_back, fix: y}, " \
  "d: {at: upper.left_bottom_front, fix: [x, y]}, e: {at: [upper.right_bottom_front, lower.right_bottom_back], fix: y}}"

static void space_patch(void **state)
{
  static const char *const elements[] = {"hex8", "tet4", "tet10"};

  (void)state;
  for (int e = 0; e < 3; e++) {
    char of[40];
    snprintf(of, sizeof(of), ", elements: %s", elements[e]);
    TestRun      test     = open_patch("", of, "[4, 3, 2]", "[3, 5, 2]", HELD_3D);
    const double stress[] = {0, 0, -1e8, 0, 0, 0}, error = stress_error(&test, stress) / 1e8;
    print_message("  %s: stress off by %.2g\n", elements[e], error);
    assert_true(error < (e == 2 ? 1e-9 : 1e-10));
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(plane_patch),
  cmocka_unit_test(space_patch),
};
TEST_MAIN(tests)
