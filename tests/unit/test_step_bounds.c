/*
  The highest frequency of solids by Lanczos with a random start (src/fe/model/lanczos.c): above the eigenvalue of SLEPc and at most 1 % above it; with supports, springs, massless nodes, several
  bodies and damping.
*/
#include "support.h"
#include <stdio.h>
#include "fe/fe.h"
#include "fe/model/fe.h"

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"
#define BOX   "{from: [0, 0, 0], to: [40 mm, 20 mm, 20 mm], cells: "

/* Of part 0: *omega and *rate by the back end that `free_dynamics` names. */
static void highest(const char *model, const char *scheme, const char *back_end, bool quick, PetscReal *omega, PetscReal *rate)
{
  char text[4000];

  assert_true(snprintf(text, sizeof(text), "%sscheme: {type: %s, step: 1 ns}\ntime: {end: 1 ns}\nfree_dynamics: %s\n", model, scheme, back_end) <
              (int)sizeof(text));
  TestRun test = test_run_open(text, NULL);
  assert_int_equal(NsFeHighestIsQuick(test.run->model), quick);
  CHECK(NsFeHighestMode(test.run->model, 0, omega, rate));
  test_run_close(&test);
}

static void lanczos_encloses_the_eigenvalue(void **state)
{
  static const struct {
    const char *model, *scheme;
  } cases[] = {
    {"bodies:\n  b: {type: solid, mass: lumped, mesh: {box: " BOX "[12, 9, 8]}}, " STEEL "}\n", "half_explicit"},
    {"bodies:\n  b: {type: solid, mass: lumped, mesh: {box: " BOX "[14, 9, 9], elements: tet4}}, " STEEL "}\nsupports: {foot: {at: b.left}}\n"
     "springs: {s: {between: [b.right_top_front, ground], stiffness: 1e12, direction: [1, 1, 0]}}\n",
      "half_explicit"},
    {"bodies:\n  b: {type: solid, mass: redistributed, damping: {rayleigh: {mass: 1e3, stiffness: 5 ns}}, mesh: {box: " BOX
     "[6, 4, 4], elements: tet10}}, " STEEL "}\n"
     "contacts: {w: {between: [b.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n",
      "massless_contact"},
    {"bodies:\n  b: {type: solid, mass: lumped, state: axisymmetric, formulation: b_bar, mesh: {box: {from: [10 mm, 0, 0], to: [20 mm, 40 mm, 0], cells: [20, 80, 0]}}, " STEEL
     "}\n"
     "  faster: {type: solid, mass: lumped, state: plane_strain, mesh: {box: {from: [0, 0, 0], to: [1 mm, 1 mm, 0], cells: [10, 10, 0]}}, " STEEL
     "}\n",
      "half_explicit"},
    /* Triangles; massless contact nodes. */
    {"bodies:\n  b: {type: solid, mass: lumped, state: plane_strain, mesh: {box: {from: [0, 0, 0], to: [40 mm, 20 mm, 0], cells: [60, 30, 0], elements: tri3}}, " STEEL
     "}\n",
      "half_explicit"},
    {"bodies:\n  b: {type: solid, mass: redistributed, formulation: standard, state: axisymmetric, mesh: {box: {from: [10 mm, 0, 0], to: [20 mm, 40 mm, 0], cells: [30, 60, 0]}}, " STEEL
     "}\n"
     "contacts: {w: {between: [b.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n",
      "massless_contact"},
    {"bodies:\n  b: {type: solid, mass: redistributed, mesh: {box: " BOX "[16, 9, 8]}}, " STEEL "}\n"
     "contacts: {w: {between: [b.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n",
      "massless_contact"},
    {"bodies:\n  b: {type: solid, mass: redistributed, mesh: {box: " BOX "[16, 9, 8], elements: tet4}}, " STEEL "}\n"
     "contacts: {w: {between: [b.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n",
      "massless_contact"},
  };

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    PetscReal bound, exact, rate, exact_rate;
    highest(cases[c].model, cases[c].scheme, "lumped", true, &bound, &rate);
    highest(cases[c].model, cases[c].scheme, "petsc", false, &exact, &exact_rate);
    print_message("%g rad/s, at most %g; damping rate %g, at most %g 1/s\n", exact, bound, exact_rate, rate);
    assert_true(bound >= exact * (1 - 1e-9));
    assert_true(bound <= exact * 1.0102);
    assert_true(rate >= exact_rate * (1 - 1e-9) && rate <= exact_rate * 1.0205 + 1);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(lanczos_encloses_the_eigenvalue)};
TEST_MAIN(tests)
