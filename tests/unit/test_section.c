/* Sections and materials as a user writes them, what follows from them, and tapers. */
#include "reader.h"
#include <math.h>
#include "fe/elements/section.h"

#define PI 3.14159265358979323846

typedef struct {
  NsArena   *arena;
  NsDiag    *diag;
  NsSection  section;
  NsMaterial material;
} Texts;

static int set_up(void **state)
{
  Texts *texts = calloc(1, sizeof(*texts));

  if (!texts) return 1;
  texts->arena = NsArenaCreate();
  texts->diag  = NsDiagCreate(texts->arena);
  *state       = texts;
  return 0;
}

static int tear_down(void **state)
{
  Texts *texts = *state;

  NsArenaDestroy(&texts->arena);
  free(texts);
  return 0;
}

static const NsNode *tree_of(Texts *texts, const char *text)
{
  return NsTreeReadText("text", text, strlen(text), texts->arena, texts->diag);
}

/* Sections and materials live in the arena, so that properties can refer to them. */
static NsProperty property_of(void **state, const char *section, const char *material)
{
  Texts      *texts       = *state;
  NsSection  *section_of  = NsArenaAlloc(texts->arena, sizeof(*section_of));
  NsMaterial *material_of = NsArenaAlloc(texts->arena, sizeof(*material_of));
  NsProperty  p;

  if (!NsKeysRead(&NsTable_Section, tree_of(texts, section), section_of, texts->arena, texts->diag) ||
      !NsKeysRead(&NsTable_Material, tree_of(texts, material), material_of, texts->arena, texts->diag)) {
    fail_msg("%s", printed(texts->diag, texts->arena));
  }
  NsPropertyMake(section_of, material_of, &p);
  return p;
}

#define STEEL "{density: 7850, young: 210 GPa}"

static void is_near(double got, double expected, double tolerance)
{
  if (!(fabs(got - expected) <= tolerance)) fail_msg("%.17g is not %.17g within %g", got, expected, tolerance);
}

static void is_close(double got, double expected, double relative)
{
  is_near(got, expected, relative * fabs(expected));
}

static void circle(void **state)
{
  const NsProperty p = property_of(state, "{circle: {radius: 10 mm}}", STEEL);

  assert_string_equal(NsSectionShape(p.section), "circle");
  is_close(p.area, PI * 1e-4, 1e-15);
  is_close(p.inertia_2, PI * 1e-8 / 4, 1e-15);
  assert_true(p.inertia_3 == p.inertia_2);
  is_close(p.torsion, PI * 1e-8 / 2, 1e-15);
  is_close(p.shear_factor, 0.88636, 1e-5); /* 7.8/8.8 */
  assert_true(p.radius == 0.01 && p.edge_2 == 0.01 && p.edge_3 == 0.01);
  assert_true(p.density == 7850 && p.young == 210e9);
  is_close(p.area, NsSectionArea(p.section), 1e-15);
}

static void tube(void **state)
{
  const NsProperty p     = property_of(state, "{tube: {outer_radius: 12 mm, inner_radius: 10 mm}}", STEEL);
  const NsProperty thin  = property_of(state, "{tube: {outer_radius: 1 m, inner_radius: 0.999999}}", STEEL);
  const NsProperty solid = property_of(state, "{tube: {outer_radius: 10 mm, inner_radius: 0}}", STEEL);
  const NsProperty full  = property_of(state, "{circle: {radius: 10 mm}}", STEEL);

  assert_string_equal(NsSectionShape(p.section), "tube");
  is_close(p.area, PI * (144 - 100) * 1e-6, 1e-14);
  is_close(NsSectionArea(p.section), PI * (144 - 100) * 1e-6, 1e-14);
  is_close(p.inertia_2, PI / 4 * (20736 - 10000) * 1e-12, 1e-14);
  is_close(p.torsion, 2 * p.inertia_3, 1e-15);
  is_close(p.shear_factor, 7.8 * 244 * 244 / (8.8 * 244 * 244 + 23.6 * 100 * 144), 1e-14); /* m^2 = 100/144 */
  is_close(thin.shear_factor, 2 * 1.3 / (4 + 3 * 0.3), 1e-6);                              /* Cowper's thin-walled tube */
  is_close(thin.inertia_2, PI * 1e-6, 1e-5);
  is_close(solid.shear_factor, full.shear_factor, 1e-15);
  is_close(solid.area, full.area, 1e-15);
  is_close(solid.torsion, full.torsion, 1e-15);
}

/* Timoshenko and Goodier's table of J/(a b^3). */
static void rectangle(void **state)
{
  static const struct {
    const char *section;
    double      a, b, factor;
  } table[] = {
    {"{rectangle: {height: 1, width: 1}}", 1, 1, 0.1406},
    {"{rectangle: {height: 1.2, width: 1}}", 1.2, 1, 0.166},
    {"{rectangle: {height: 1, width: 1.5}}", 1.5, 1, 0.196},
    {"{rectangle: {height: 2, width: 1}}", 2, 1, 0.2287},
    {"{rectangle: {height: 1, width: 2}}", 2, 1, 0.2287},
    {"{rectangle: {height: 3, width: 1}}", 3, 1, 0.263},
    {"{rectangle: {height: 10, width: 1}}", 10, 1, 0.312},
    {"{rectangle: {height: 1e9, width: 1}}", 1e9, 1, 1. / 3},
  };
  const NsProperty p = property_of(state, "{rectangle: {height: 50 mm, width: 20 mm}}", STEEL);

  for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
    const NsProperty q = property_of(state, table[i].section, STEEL);
    is_close(q.torsion, table[i].factor * table[i].a * pow(table[i].b, 3), i == 0 || i == 3 || i == 4 ? 3e-4 : 3e-3);
  }
  is_close(property_of(state, table[0].section, STEEL).torsion, 0.140577014955153, 1e-14); /* the series, summed with 40 digits */
  assert_string_equal(NsSectionShape(p.section), "rectangle");
  is_close(p.area, 1e-3, 1e-15);
  is_close(p.inertia_3, 20e-3 * pow(50e-3, 3) / 12, 1e-14); /* x2 along the height */
  is_close(p.inertia_2, 50e-3 * pow(20e-3, 3) / 12, 1e-14);
  is_close(p.edge_2, 0.025, 1e-15);
  is_close(p.edge_3, 0.01, 1e-15);
  is_close(p.shear_factor, 13 / 15.3, 1e-15);
  is_close(PI * p.radius * p.radius, 1e-3, 1e-15);
}

static void constants(void **state)
{
  const NsProperty same = property_of(state, "{constants: {area: 3 cm^2, inertia: 0.8 cm^4, radius: 12 mm}}", STEEL);
  const NsProperty two =
    property_of(state, "{constants: {area: 3 cm^2, inertia_2: 1 cm^4, inertia_3: 2 cm^4, torsion: 0.1 cm^4}, shear_factor: 0.4}", STEEL);
  const NsProperty area = property_of(state, "{area: 3 cm^2}", STEEL);

  assert_string_equal(NsSectionShape(same.section), "constants");
  assert_true(same.area == 3e-4 && same.inertia_2 == 0.8e-8 && same.inertia_3 == 0.8e-8 && same.shear_factor == 1);
  is_close(same.torsion, 1.6e-8, 1e-15);
  assert_true(same.radius == 0.012 && same.edge_2 == 0.012 && same.edge_3 == 0.012);
  assert_true(two.inertia_2 == 1e-8 && two.inertia_3 == 2e-8 && two.torsion == 0.1e-8 && two.shear_factor == 0.4 && two.edge_2 == 0);
  is_close(PI * two.radius * two.radius, 3e-4, 1e-15);
  assert_string_equal(NsSectionShape(area.section), "area");
  assert_true(area.area == 3e-4 && area.inertia_2 == 0 && area.inertia_3 == 0 && area.torsion == 0);
  assert_true(property_of(state, "{circle: {radius: 1}, shear_factor: 0.5}", STEEL).shear_factor == 0.5);
}

static void materials(void **state)
{
  NsProperty p = property_of(state, "{circle: {radius: 1}}", STEEL);

  is_close(p.shear_modulus, 210e9 / 2.6, 1e-15);
  assert_true(NsMaterialPoisson(p.material) == 0.3);
  p = property_of(state, "{circle: {radius: 1}}", "{density: 1, young: 210 GPa, shear_modulus: 81 GPa}");
  assert_true(p.shear_modulus == 81e9);
  is_close(NsMaterialPoisson(p.material), 210. / 162 - 1, 1e-14);
  is_close(p.shear_factor, 6 * (210. / 162) / (7 + 6 * (210. / 162 - 1)), 1e-14);
  p = property_of(state, "{circle: {radius: 1}}", "{density: 1, young: 2 GPa, poisson: -0.5}");
  assert_true(p.shear_modulus == 2e9);
  is_close(p.shear_factor, 0.75, 1e-15);
  /* not isotropic: wood, and a shaft that hardly twists */
  p = property_of(state, "{circle: {radius: 1}}", "{density: 1, young: 16 GPa, shear_modulus: 1 GPa}");
  is_close(p.shear_factor, 0.9, 1e-15);
  p = property_of(state, "{circle: {radius: 1}}", "{density: 1, young: 16 GPa, shear_modulus: 60 GPa}");
  is_close(p.shear_factor, 6. / 7, 1e-15);
}

static void between_shapes(void **state)
{
  const NsProperty a       = property_of(state, "{tube: {outer_radius: 20 mm, inner_radius: 0}}", STEEL);
  const NsProperty b       = property_of(state, "{tube: {outer_radius: 12 mm, inner_radius: 8 mm}}", "{density: 2700, young: 70 GPa}");
  const NsProperty c       = property_of(state, "{rectangle: {height: 40 mm, width: 10 mm}}", STEEL);
  const NsProperty d       = property_of(state, "{rectangle: {height: 20 mm, width: 30 mm}, shear_factor: 0.5}", STEEL);
  const NsProperty quarter = property_of(state, "{tube: {outer_radius: 18 mm, inner_radius: 2 mm}}", STEEL);
  NsProperty       p, q;

  NsPropertyBetween(&a, &b, 0.25, &p);
  is_close(p.size[0], 0.018, 1e-14);
  is_close(p.size[1], 0.002, 1e-14);
  is_close(p.area, quarter.area, 1e-14);
  is_close(p.inertia_2, quarter.inertia_2, 1e-14);
  is_close(p.torsion, quarter.torsion, 1e-14);
  is_close(p.shear_factor, quarter.shear_factor, 1e-14);
  is_close(p.radius, 0.018, 1e-14);
  assert_true(p.density == 7850 && p.young == 210e9 && p.material == a.material && p.section == a.section);
  NsPropertyBetween(&a, &b, 0.5, &q);
  NsPropertyBetween(&a, &q, 0.5, &q); /* a taper of a taper, onto itself */
  is_close(q.inertia_2, quarter.inertia_2, 1e-14);
  is_close(q.shear_factor, quarter.shear_factor, 1e-14);
  NsPropertyBetween(&b, &b, 0.7, &p);
  assert_true(p.inertia_2 == b.inertia_2 && p.size[1] == b.size[1] && p.density == 2700);
  NsPropertyBetween(&c, &d, 0.5, &p);
  is_close(p.inertia_3, 0.02 * pow(0.03, 3) / 12, 1e-14);
  is_close(p.inertia_2, 0.03 * pow(0.02, 3) / 12, 1e-14);
  is_close(p.edge_2, 0.015, 1e-14);
  is_close(p.shear_factor, (13 / 15.3 + 0.5) / 2, 1e-14);
}

static void between_constants(void **state)
{
  const NsProperty a = property_of(state, "{constants: {area: 2 cm^2, inertia: 1 cm^4, radius: 10 mm}}", STEEL);
  const NsProperty b = property_of(state, "{constants: {area: 4 cm^2, inertia_2: 2 cm^4, inertia_3: 5 cm^4, torsion: 1 cm^4, radius: 20 mm}}", STEEL);
  const NsProperty c = property_of(state, "{constants: {area: 4 cm^2, inertia: 1 cm^4}}", STEEL);
  NsProperty       p;

  NsPropertyBetween(&a, &b, 0.25, &p);
  is_close(p.area, 2.5e-4, 1e-14);
  is_close(p.inertia_2, 1.25e-8, 1e-14);
  is_close(p.inertia_3, 2e-8, 1e-14);
  is_close(p.torsion, 1.75e-8, 1e-14);
  is_close(p.edge_3, 0.0125, 1e-14);
  is_close(p.radius, 0.0125, 1e-14);
  NsPropertyBetween(&a, &c, 0.25, &p);
  assert_true(p.edge_2 == 0 && p.edge_3 == 0); /* unknown at one end: unknown */
}

static void refuses(void **state, const NsTable *table, const char *text, const char *expected)
{
  Texts *texts = *state;
  void  *where = table == &NsTable_Section ? (void *)&texts->section : &texts->material;

  assert_false(NsKeysRead(table, tree_of(texts, text), where, texts->arena, texts->diag));
  const char *message = printed(texts->diag, texts->arena);
  if (!strstr(message, expected)) fail_msg("'%s' is not in\n%s", expected, message);
}

static void mistakes(void **state)
{
  refuses(state, &NsTable_Section, "{constants: {inertia: 1 cm^4}}", "missing key 'area'");
  refuses(state, &NsTable_Section, "{constants: {area: 1 cm^2}}", "constants needs inertia, or inertia_2 and inertia_3");
  refuses(state, &NsTable_Section, "{constants: {area: 1 cm^2, inertia_2: 1 cm^4}}", "constants needs inertia, or inertia_2 and inertia_3");
  refuses(state, &NsTable_Section, "{constants: {area: 1 cm^2, inertia: 1 cm^4, inertia_3: 1 cm^4}}", "give either `inertia` (the same about both axes)");
  refuses(state, &NsTable_Section, "{constants: {area: 1 cm^2, inertia: 1 cm^2}}", "expected a second moment of area, got cm^2");
  refuses(state, &NsTable_Section, "{circle: {radius: 1}, shear_factor: 0}", "shear_factor must be greater than 0");
  refuses(state, &NsTable_Material, "{density: 0, young: 1}", "density must be greater than 0");
  refuses(state, &NsTable_Material, "{density: 1, young: 1, poisson: 0.5}", "poisson must be greater than -1 and less than 0.5, got 0.5");
  refuses(state, &NsTable_Material, "{density: 1, young: 1, poisson: -1}", "poisson must be greater than -1 and less than 0.5, got -1");
  refuses(state, &NsTable_Material, "{density: 1, young: 1, poisson: 0.3, shear_modulus: 1}", "at most one of: shear_modulus, poisson");
}

/* 81 MPa for 81 GPa. */
static void warns_of_a_slip(void **state)
{
  Texts *texts = *state;

  property_of(state, "{circle: {radius: 1}}", "{density: 1, young: 210 GPa, shear_modulus: 81 GPa}");
  assert_string_equal(printed(texts->diag, texts->arena), "");
  property_of(state, "{circle: {radius: 1}}", "{density: 1, young: 210 GPa, shear_modulus: 81 MPa}");
  assert_non_null(strstr(printed(texts->diag, texts->arena), "warning: shear_modulus is 0.000386 times young"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(circle, set_up, tear_down),
    cmocka_unit_test_setup_teardown(tube, set_up, tear_down),
    cmocka_unit_test_setup_teardown(rectangle, set_up, tear_down),
    cmocka_unit_test_setup_teardown(constants, set_up, tear_down),
    cmocka_unit_test_setup_teardown(materials, set_up, tear_down),
    cmocka_unit_test_setup_teardown(between_shapes, set_up, tear_down),
    cmocka_unit_test_setup_teardown(between_constants, set_up, tear_down),
    cmocka_unit_test_setup_teardown(mistakes, set_up, tear_down),
    cmocka_unit_test_setup_teardown(warns_of_a_slip, set_up, tear_down),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
