/* Back end `lumped`: its forces are those of the assembled matrices, and have the same bits however the unknowns are shared out among processes. */
#include "support.h"
#include <petscmat.h>
#include "fe/backend/backend.h"
#include "fe/backend/lumped/lumped.h"

#define END \
  "scheme: {type: half_explicit, step: 10 ns}\n" \
  "time: {end: 1}\n"
#define STEEL "    material: {density: 7800, young: 210 GPa}\n"

/* More than two blocks of coefficients, all but the ends of them alike. */
static const char *const uniform_bar =
  "bodies:\n"
  "  bar:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [0.1, 0.2, 0.3], to: [1.1, 0.7, 1.3], elements: 1700}}\n" STEEL "    section: {circle: {radius: 10 mm}}\n"
  "    mass: lumped\n" END;

/* Supports inside and at the ends, one node alone between two of them, parts, a taper, grading, springs within and between, dashpots, point masses, Rayleigh damping
   of both matrices or one. */
static const char *const bars =
  "bodies:\n"
  "  thin:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 700}, nodes: {a: 0.3, b: 0.6}}\n" STEEL "    section: {circle: {radius: 10 mm}}\n"
  "    parts: [{range: [0.4, 0.7], section: {circle: {radius: 20 mm}}, section_end: {circle: {radius: 12 mm}}}]\n"
  "    damping: {rayleigh: {mass: 30 1/s, stiffness: 40 ns}}\n"
  "    mass: lumped\n"
  "  thick:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [1, 0, 0], to: [2, 0.2, 0], elements: 650, grading: 3}}\n" STEEL "    section: {circle: {radius: 20 mm}}\n"
  "    damping: {rayleigh: {mass: 50 1/s}}\n"
  "    mass: lumped\n"
  "  short:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [3, 0, 0], to: [3.1, 0, 0], elements: 2}}\n" STEEL "    section: {circle: {radius: 20 mm}}\n"
  "    damping: {rayleigh: {stiffness: 40 ns}}\n"
  "    mass: lumped\n"
  "supports:\n"
  "  ends: {at: [thick.right, short.left, short.right]}\n"
  "  inner: {at: [thin.a, thin.b]}\n"
  "masses: {lump: {at: thin.left, mass: 0.5}}\n"
  "springs:\n"
  "  joint: {between: [thin.right, thick.left], stiffness: 1e8, damping: 200, direction: [1, 0, 0]}\n"
  "  far: {between: [thin@0.35, thick@0.5], stiffness: 1e7}\n"
  "  foot: {between: [thick@0.7, ground], stiffness: 1e7, damping: 10}\n"
  "  held: {between: [thick.right, thin.left], stiffness: 1e7, damping: 30}\n" END;

/* Nothing but a dashpot between two bars damps; supports at the end, inside, beside each other. */
static const char *const dashpot =
  "bodies:\n"
  "  a:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 100}, nodes: {inner: 0.31, next: 0.32}}\n" STEEL
  "    section: {circle: {radius: 10 mm}}\n"
  "    mass: lumped\n"
  "  b: {type: bar, mesh: {line: {from: [1, 0, 0], to: [2, 0, 0], elements: 300}}, material: {density: 7800, young: 210 GPa}, section: {area: 1 cm^2}, mass: lumped}\n"
  "supports: {held: {at: [a.inner, a.next, b.right]}}\n"
  "springs: {damper: {between: [a@0.77, b.left], damping: 200}}\n" END;

static const char *const planar_truss = "bodies:\n"
                                        "  truss:\n"
                                        "    type: truss\n"
                                        "    dimension: 2\n"
                                        "    mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/truss.msh}\n" STEEL "    section: {area: 10 cm^2}\n"
                                        "    parts: [{group: diagonals, section: {area: 4 cm^2}, material: {density: 2700, young: 70 GPa}}]\n"
                                        "    mass: lumped\n"
                                        "supports:\n"
                                        "  hinge: {at: truss.support_left, fix: [x, y]}\n"
                                        "  roller: {at: truss.support_right, fix: y}\n"
                                        "springs: {stay: {between: [truss.loaded, ground], stiffness: 1e6, direction: [1, 2, 0]}}\n" END;

static const char *const spatial_truss = "bodies:\n"
                                         "  truss:\n"
                                         "    type: truss\n"
                                         "    mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/truss.msh}\n" STEEL "    section: {area: 10 cm^2}\n"
                                         "    damping: {rayleigh: {mass: 20 1/s, stiffness: 1 us}}\n"
                                         "    mass: lumped\n"
                                         "  oblique:\n"
                                         "    type: truss\n"
                                         "    mesh: {line: {from: [0, 1, 0], to: [3, 2, 4], elements: 400}}\n" STEEL "    section: {area: 10 cm^2}\n"
                                         "    mass: lumped\n"
                                         "supports: {hinge: {at: truss.support_left, fix: [x, z]}}\n"
                                         "springs: {stay: {between: [truss.loaded, oblique@0.3333], stiffness: 1e6, damping: 7}}\n" END;

/* A frame in the plane, a beam in space with a dashpot against twisting, one tied to it that has no damping. */
static const char *const beams =
  "bodies:\n"
  "  frame:\n"
  "    type: beam\n"
  "    dimension: 2\n"
  "    mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/truss.msh}\n" STEEL "    section: {circle: {radius: 20 mm}}\n"
  "    damping: {rayleigh: {mass: 20 1/s, stiffness: 1 us}}\n"
  "    mass: lumped\n"
  "  girder:\n"
  "    type: beam\n"
  "    mesh: {line: {from: [0, 0, 5], to: [0, 2, 5], elements: 300}}\n" STEEL "    section: {rectangle: {width: 20 mm, height: 40 mm}}\n"
  "    damping: {rayleigh: {mass: 20 1/s, stiffness: 1 us}, torsion: 0.3}\n"
  "    mass: lumped\n"
  "  plain:\n"
  "    type: beam\n"
  "    mesh: {line: {from: [1, 0, 5], to: [3, 0, 5], elements: 10, grading: 2}}\n" STEEL "    section: {circle: {radius: 20 mm}}\n"
  "    mass: lumped\n"
  "supports:\n"
  "  hinge: {at: frame.support_left, fix: [x, y]}\n"
  "  clamp: {at: girder.left, fix: all}\n"
  "  guide: {at: girder.right, fix: [x, ry]}\n"
  "springs: {tie: {between: [girder@0.4321, plain.left], stiffness: 1e6, damping: 10}}\n" END;

/* Constant spin with gyroscopic terms of shaft and disc, with and without displacements along it; a free spin; bearings that circulate; a rigid housing. */
static const char *const rotors =
  "bodies:\n"
  "  shaft:\n"
  "    type: rotor\n"
  "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 40}}\n" STEEL "    section: {circle: {radius: 10 mm}}\n"
  "    damping: {rayleigh: {mass: 5 1/s, stiffness: 1 us}}\n"
  "    spin: 3000 rpm\n"
  "    mass: lumped\n"
  "  long:\n"
  "    type: rotor\n"
  "    mesh: {line: {from: [0, 0, 1], to: [0, 1, 1], elements: 30}}\n" STEEL "    section: {circle: {radius: 10 mm}}\n"
  "    spin: -5000 rpm\n"
  "    axial: true\n"
  "    mass: lumped\n"
  "  wheel:\n"
  "    type: rotor\n"
  "    mesh: {line: {from: [0, 0, 2], to: [1, 0, 2], elements: 20}}\n" STEEL "    section: {circle: {radius: 10 mm}}\n"
  "    damping: {torsion: 0.2}\n"
  "    spin: {free: 100 rpm}\n"
  "    axial: true\n"
  "    mass: lumped\n"
  "  housing: {type: rigid, at: [0, 0, 0], mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
  "discs:\n"
  "  disc: {at: shaft@0.4, mass: 3, polar_inertia: 0.02, diametral_inertia: 0.01}\n"
  "  other: {at: wheel@0.5, mass: 3, polar_inertia: 0.02, diametral_inertia: 0.01}\n"
  "bearings:\n"
  "  left: {between: [shaft.left, housing.center], stiffness: [1e6, 2e5, -1e5, 2e6], damping: [50, 20, -10, 30]}\n"
  "  right: {between: [shaft.right, ground], stiffness: 1e6, damping: [10, 20]}\n"
  "  inner: {between: [shaft@0.613, long@0.377], stiffness: 1e6, damping: [10, 20]}\n"
  "  mount: {between: [housing.center, ground], stiffness: 1e7, rotational_stiffness: 1e4}\n" END;

/* Of few kinds and of many, straight and curved; held, damped, joined by a spring. */
#define RUBBER "material: {density: 1100, young: 10 MPa, poisson: 0.4}, mass: lumped"
#define WOOD \
  "material: {density: 600, orthotropic: {young: [12 MPa, 0.6 MPa, 1 MPa], poisson: [0.4, 0.4, 0.3], shear: [1 MPa, 1 MPa, 0.3 MPa], " \
  "axis_1: [1, 1, 0], axis_2: [0, 1, 2]}}, mass: lumped"
static const char *const solids =
  "bodies:\n"
  "  alike: {type: solid, mesh: {box: {from: [0, 0, 0], to: [3, 1, 1], cells: [6, 3, 3]}}, " RUBBER
  ", damping: {rayleigh: {mass: 3, stiffness: 1e-5}}}\n"
  "  differ: {type: solid, mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/patch_hex.msh}, " RUBBER "}\n"
  "  tets: {type: solid, mesh: {box: {from: [0, 0, 0], to: [1, 1, 1], cells: [2, 1, 3], elements: tet4}}, " RUBBER "}\n"
  "  fine: {type: solid, mesh: {box: {from: [0, 0, 0], to: [1, 1, 1], cells: [2, 1, 1], elements: tet10}}, " RUBBER
  ", damping: {rayleigh: {stiffness: 1e-5}}}\n"
  "  curved: {type: solid, mesh: {file: " PERCUSS_SOURCE_DIR "/tests/unit/meshes/curved_tets.msh}, " RUBBER "}\n"
  "  wood: {type: solid, mesh: {box: {from: [0, 0, 0], to: [1, 1, 1], cells: [2, 1, 2]}}, " WOOD "}\n"
  "  chips: {type: solid, mesh: {box: {from: [0, 0, 0], to: [1, 1, 1], cells: [2, 1, 2], elements: tet4}}, " WOOD "}\n"
  "supports: {held: {at: [alike.left, differ.left, fine.bottom]}, roller: {at: tets.left, fix: x}}\n"
  "springs: {s: {between: [alike.right_top_front, ground], stiffness: 1e4, direction: [1, 2, 0]}}\n" END;

static const char *const planar_solids =
  "bodies:\n"
  "  alike: {type: solid, state: plane_strain, mesh: {box: {from: [0, 0, 0], to: [3, 1, 0], cells: [9, 3, 0]}}, " RUBBER "}\n"
  "  triangles: {type: solid, state: plane_stress, thickness: 10 mm, mesh: {box: {from: [0, 0, 0], to: [3, 1, 0], cells: [5, 2, 0], elements: tri3}}, " RUBBER
  "}\n"
  "  differ: {type: solid, state: plane_strain, mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/patch_quad.msh}, " RUBBER "}\n"
  "supports: {held: {at: [alike.left, differ.left]}}\n" END;

static const char *const rings =
  "bodies:\n"
  "  ball: {type: solid, state: axisymmetric, mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/ball.msh, scale: 1 mm}, " RUBBER "}\n"
  "  tube: {type: solid, state: axisymmetric, mesh: {box: {from: [1, 0, 0], to: [2, 1, 0], cells: [2, 8, 0]}}, " RUBBER "}\n"
  "supports: {axis: {at: ball.axis, fix: x}}\n" END;

static const char *const models[] = {uniform_bar, bars, dashpot, planar_truss, spatial_truss, beams, rotors, solids, planar_solids, rings};
enum { MODELS = sizeof(models) / sizeof(models[0]) };

/* ------------------------------------------------------------------ what is compared with what */

typedef struct {
  TestRun   run;
  NsBackEnd back_end;
  PetscInt  n;
} Test;

static Test test_open(const char *config)
{
  Test         test = {.run = test_run_open(config, NULL)};
  NsFe        *fe   = test.run.run->model->data;
  NsFeMatrices rows;

  test.n           = fe->unknowns;
  test.back_end.fe = fe;
  CHECK(NsFeAssembleRows(fe, NULL, NULL, PETSC_FALSE, &rows));
  test.back_end.M        = rows.M;
  test.back_end.K        = rows.K;
  test.back_end.dampers  = rows.C;
  test.back_end.diagonal = rows.diagonal;
  test.back_end.damped   = rows.damped;
  test.back_end.rates    = rows.damped || rows.skew;
  test.back_end.C        = rows.C;
  if (rows.skew) {
    for (PetscInt i = 0; rows.C.start && i < rows.C.start[rows.C.rows]; i++) rows.G.value[i] += rows.C.value[i]; /* of one pattern */
    test.back_end.C = rows.G;
  }
  test.back_end.type = &NsBackEndType_Lumped;
  CHECK(test.back_end.type->create(&test.back_end));
  return test;
}

static void test_close(Test *test)
{
  CHECK(test->back_end.type->destroy(&test->back_end));
  CHECK(NsLayoutDestroy(&test->back_end.layout));
  if (test->back_end.C.value != test->back_end.dampers.value) CHECK(NsSparseDestroy(&test->back_end.C));
  CHECK(NsSparseDestroy(&test->back_end.dampers));
  CHECK(NsSparseDestroy(&test->back_end.M));
  CHECK(NsSparseDestroy(&test->back_end.K));
  test_run_close(&test->run);
}

/* Numbers of an arena, -size .. size, or not set at all. */
static PetscReal *random_numbers(const Test *test, PetscReal size)
{
  static unsigned long long seed = 1;
  PetscReal                *x    = NsArenaAlloc(test->run.arena, sizeof(*x) * (size_t)test->n);

  for (PetscInt i = 0; i < test->n; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    x[i] = size * (2 * (PetscReal)(seed >> 11) / 9007199254740992.0 - 1);
  }
  return x;
}

static PetscReal *not_numbers(const Test *test, PetscInt n)
{
  PetscReal *x = NsArenaAlloc(test->run.arena, sizeof(*x) * (size_t)n);

  for (PetscInt i = 0; i < n; i++) x[i] = NAN;
  return x;
}

/* y += A x, size += |A| |x| */
static void add_product(const NsSparse *A, const PetscReal *x, PetscReal *y, PetscReal *size)
{
  for (PetscInt i = 0; i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      y[i] += A->value[k] * x[A->column[k]];
      size[i] += PetscAbsReal(A->value[k] * x[A->column[k]]);
    }
  }
}

typedef struct {
  PetscReal *value, *size; /* of the sums it came from */
} Reference;

/* scale (h - K q - C v), scale 1/M or 1 */
static Reference forces(const Test *test, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscBool divide)
{
  Reference f = {random_numbers(test, 0), random_numbers(test, 0)};

  add_product(&test->back_end.K, q, f.value, f.size);
  add_product(&test->back_end.C, v, f.value, f.size);
  for (PetscInt i = 0; i < test->n; i++) {
    const PetscReal m = divide ? test->back_end.M.value[i] : 1;
    f.value[i]        = ((h ? h[i] : 0) - f.value[i]) / m;
    f.size[i]         = ((h ? PetscAbsReal(h[i]) : 0) + f.size[i]) / m;
  }
  return f;
}

/* Elements alike but for the rounding of their coordinates share a direction: lengths of the oblique line have 13 digits. */
#define NS_ROUNDING 1e-12

static void assert_is(const Test *test, const PetscReal *x, Reference f)
{
  for (PetscInt i = 0; i < test->n; i++) assert_near(x[i], f.value[i], NS_ROUNDING * f.size[i]);
}

/* ------------------------------------------------------------------ tests */

static void compare(const char *config)
{
  const PetscReal dt   = 1e-6;
  Test            test = test_open(config);
  const NsSparse *D = &test.back_end.dampers, *M = &test.back_end.M;
  PetscReal      *q = random_numbers(&test, 1e-3), *v = random_numbers(&test, 1), *h = random_numbers(&test, 1e4), *a = random_numbers(&test, 1e5);
  PetscReal      *w = random_numbers(&test, 1), *y = not_numbers(&test, test.n), *q1 = not_numbers(&test, test.n), *v1 = not_numbers(&test, test.n);
  PetscReal      *va = random_numbers(&test, 0), *size = random_numbers(&test, 0), *product = random_numbers(&test, 0);
  PetscReal       expected = 0, whole = 0;

  for (int with = 0; with < 2; with++) {
    PetscReal *given = with ? h : NULL;
    CHECK(test.back_end.type->accel(&test.back_end, q, v, given, y));
    assert_is(&test, y, forces(&test, q, v, given, PETSC_TRUE));
    CHECK(test.back_end.type->flight(&test.back_end, dt, q, v, a, given, q1, v1, y));
    for (PetscInt i = 0; i < test.n; i++) {
      va[i] = v[i] + dt * a[i];
      assert_near(q1[i], q[i] + dt * v[i] + dt * dt / 2 * a[i], 1e-18);
      assert_near(v1[i], v[i] + dt / 2 * (a[i] + y[i]), 1e-15 * (1 + PetscAbsReal(dt * y[i])));
    }
    assert_is(&test, y, forces(&test, q1, va, given, PETSC_TRUE));
  }
  CHECK(PetscArraycpy(y, h, test.n));
  CHECK(test.back_end.type->force(&test.back_end, q, v, y));
  assert_is(&test, y, forces(&test, q, v, h, PETSC_FALSE));

  CHECK(test.back_end.type->mult(&test.back_end, v, y));
  for (PetscInt i = 0; i < test.n; i++) assert_near(y[i], M->value[i] * v[i], 0);
  CHECK(test.back_end.type->factor(&test.back_end, 1, (NsOperator){.mass = 2}, PETSC_TRUE));
  CHECK(test.back_end.type->solve(&test.back_end, 1, h, y));
  for (PetscInt i = 0; i < test.n; i++) assert_near(y[i], h[i] / M->value[i] / 2, 1e-15 * PetscAbsReal(y[i]));

  PetscReal energy, power;
  CHECK(test.back_end.type->product(&test.back_end, PETSC_FALSE, v, v, &energy));
  energy /= 2;
  for (PetscInt i = 0; i < test.n; i++) expected += M->value[i] * v[i] * v[i];
  assert_near(energy, expected / 2, 1e-12 * expected);
  if (D->rows) {
    add_product(D, v, product, size);
    expected = 0;
    for (PetscInt i = 0; i < test.n; i++) {
      expected += w[i] * product[i];
      whole += PetscAbsReal(w[i]) * size[i];
    }
    CHECK(test.back_end.type->product(&test.back_end, PETSC_TRUE, w, v, &power));
    assert_near(power, expected, NS_ROUNDING * whole);
    assert_true(PetscAbsReal(expected) > 1e3 * NS_ROUNDING * whole);
  }
  test_close(&test);
}

static void forces_are_those_of_matrices(void **state)
{
  (void)state;
  for (int i = 0; i < MODELS; i++) compare(models[i]);
}

/* ------------------------------------------------------------------ several processes, one after the other */

enum { MOST_RANKS = 5 };

typedef struct {
  const Test *test;
  int         ranks;
  int        *owner_of;
  NsLumped   *lumped[MOST_RANKS];
} Parts;

static PetscReal *part_of(const Parts *parts, int rank, const PetscReal *x)
{
  const NsLumped *lumped = parts->lumped[rank];
  PetscReal      *part   = not_numbers(parts->test, lumped->local);

  for (PetscInt p = 0; p < lumped->owned; p++) part[p] = x[lumped->natural[p]];
  return part;
}

/* What NsLayoutExchange does. */
static void exchange(const Parts *parts, PetscReal *const *x)
{
  for (int r = 0; r < parts->ranks; r++) {
    const NsLumped *lumped = parts->lumped[r];
    for (PetscInt p = lumped->owned; p < lumped->local; p++) {
      const NsLumped *owner = parts->lumped[lumped->owner[p]];
      PetscInt        place = 0;
      assert_int_not_equal(lumped->owner[p], r);
      while (owner->natural[place] != lumped->natural[p]) place++;
      assert_true(place < owner->owned);
      x[r][p] = x[lumped->owner[p]][place];
    }
  }
}

static void assert_same_bits(const Parts *parts, PetscReal *const *x, const PetscReal *whole)
{
  PetscInt total = 0;

  for (int r = 0; r < parts->ranks; r++) {
    const NsLumped *lumped = parts->lumped[r];
    total += lumped->owned;
    for (PetscInt p = 0; p < lumped->owned; p++) {
      const PetscInt u = lumped->natural[p];
      if (memcmp(&x[r][p], &whole[u], sizeof(*whole)))
        fail_msg("unknown %d of %d, rank %d of %d: %.17g instead of %.17g", (int)u, (int)parts->test->n, r, parts->ranks, x[r][p], whole[u]);
    }
  }
  assert_int_equal(total, parts->test->n);
}

static void compare_parts(Test *test, int ranks, int *owner_of)
{
  const PetscReal dt    = 1e-6;
  const PetscInt  n     = test->n;
  Parts           parts = {.test = test, .ranks = ranks, .owner_of = owner_of};
  PetscReal      *q = random_numbers(test, 1e-3), *v = random_numbers(test, 1), *h = random_numbers(test, 1e4), *a = random_numbers(test, 1e5);
  PetscReal      *q1 = not_numbers(test, n), *v1 = not_numbers(test, n), *a1 = not_numbers(test, n), *force = not_numbers(test, n);
  PetscReal      *qr[MOST_RANKS], *vr[MOST_RANKS], *hr[MOST_RANKS], *ar[MOST_RANKS], *q1r[MOST_RANKS], *v1r[MOST_RANKS], *a1r[MOST_RANKS];

  for (int r = 0; r < ranks; r++) {
    CHECK(NsLumpedCreate(test->back_end.fe, &test->back_end.M, r, owner_of, &parts.lumped[r]));
    for (PetscInt p = 1; p < parts.lumped[r]->local; p++) {
      if (p != parts.lumped[r]->owned) assert_true(parts.lumped[r]->natural[p] > parts.lumped[r]->natural[p - 1]);
    }
  }
  for (int r = 0; r < ranks; r++) {
    qr[r]  = part_of(&parts, r, q);
    vr[r]  = part_of(&parts, r, v);
    hr[r]  = part_of(&parts, r, h);
    ar[r]  = part_of(&parts, r, a);
    q1r[r] = not_numbers(test, parts.lumped[r]->local);
    v1r[r] = not_numbers(test, parts.lumped[r]->local);
    a1r[r] = not_numbers(test, parts.lumped[r]->local);
  }
  CHECK(test->back_end.type->flight(&test->back_end, dt, q, v, a, h, q1, v1, a1));
  for (int r = 0; r < ranks; r++) NsLumpedPredict(parts.lumped[r], dt, qr[r], vr[r], ar[r], q1r[r], v1r[r]);
  exchange(&parts, q1r);
  if (parts.lumped[0]->damped) exchange(&parts, v1r);
  for (int r = 0; r < ranks; r++) NsLumpedFlight(parts.lumped[r], dt, qr[r], vr[r], ar[r], hr[r], q1r[r], v1r[r], a1r[r]);
  assert_same_bits(&parts, q1r, q1);
  assert_same_bits(&parts, v1r, v1);
  assert_same_bits(&parts, a1r, a1);

  exchange(&parts, qr);
  if (parts.lumped[0]->damped) exchange(&parts, vr);
  CHECK(test->back_end.type->accel(&test->back_end, q, v, h, a1));
  for (int r = 0; r < ranks; r++) NsLumpedAccel(parts.lumped[r], qr[r], vr[r], hr[r], a1r[r]);
  assert_same_bits(&parts, a1r, a1);
  CHECK(PetscArraycpy(force, h, n));
  CHECK(test->back_end.type->force(&test->back_end, q, v, force));
  for (int r = 0; r < ranks; r++) NsLumpedForce(parts.lumped[r], qr[r], vr[r], hr[r]);
  assert_same_bits(&parts, hr, force);
  if (parts.lumped[0]->damped) {
    NsLumped *whole;
    CHECK(NsLumpedCreate(test->back_end.fe, &test->back_end.M, 0, NULL, &whole));
    NsLumpedDamping(whole, v, force);
    CHECK(NsLumpedDestroy(&whole));
    for (int r = 0; r < ranks; r++) NsLumpedDamping(parts.lumped[r], vr[r], a1r[r]);
    assert_same_bits(&parts, a1r, force);
  }
  for (int r = 0; r < ranks; r++) assert_int_equal(parts.lumped[r]->damped, parts.lumped[0]->damped);
  for (int r = 0; r < ranks; r++) CHECK(NsLumpedDestroy(&parts.lumped[r]));
}

/* An element of three nodes: two of the lines that its body had; its data is the first of them. */
static void pair_stiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *K)
{
  const NsFeElement *line = *(const NsFeElement *const *)e->data;
  const PetscInt     d = body->node_unknowns, n = 3 * d;
  PetscReal          X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

  for (PetscInt i = 0; i < n * n; i++) K[i] = 0;
  for (PetscInt half = 0; half < 2; half++) {
    NsElementType_Beam.stiffness(body, line + half, X);
    for (PetscInt i = 0; i < 4 * d * d; i++) K[(half * d + i / (2 * d)) * n + half * d + i % (2 * d)] += X[i];
  }
}

static const NsElementType pair = {.name = "pair", .nodes = 3, .stiffness = pair_stiffness};

static const char *const cantilever =
  "bodies:\n"
  "  beam:\n"
  "    type: beam\n"
  "    mesh: {line: {from: [0, 0, 0], to: [1, 0.3, 0.2], elements: 12, grading: 2}}\n" STEEL "    section: {circle: {radius: 10 mm}}\n"
  "    damping: {rayleigh: {stiffness: 40 ns}}\n"
  "    mass: lumped\n"
  "supports: {clamp: {at: beam.left}}\n" END;

/* Elements of more than two nodes make the same forces as the matrices. */
static void elements_may_have_more_nodes(void **state)
{
  Test               test = test_open(cantilever);
  NsFe              *fe   = test.run.run->model->data;
  NsFeBody          *body = fe->body;
  NsMesh             mesh = *body->mesh;
  const NsFeElement *line = fe->element;
  NsLumped          *lumped;
  const PetscReal   *q = random_numbers(&test, 1e-3), *v = random_numbers(&test, 1);
  PetscReal         *h = random_numbers(&test, 0);
  Reference          f = forces(&test, q, v, NULL, PETSC_FALSE);

  (void)state;
  mesh.elements = fe->elements = fe->elements / 2;
  body->mesh                   = &mesh;
  body->element                = &pair;
  fe->element                  = NsArenaAlloc(test.run.arena, sizeof(*fe->element) * (size_t)fe->elements);
  for (PetscInt i = 0; i < fe->elements; i++) {
    PetscInt           *node = NsArenaAlloc(test.run.arena, 3 * sizeof(*node));
    const NsFeElement **data = NsArenaAlloc(test.run.arena, sizeof(*data));
    for (PetscInt k = 0; k < 3; k++) node[k] = line[2 * i].node[0] + k;
    *data          = line + 2 * i;
    fe->element[i] = (NsFeElement){.node = node, .data = data};
  }
  CHECK(NsLumpedCreate(fe, &test.back_end.M, 0, NULL, &lumped));
  assert_int_equal(lumped->group[0].nodes, 3);
  NsLumpedForce(lumped, q, v, h);
  assert_is(&test, h, f);
  CHECK(NsLumpedDestroy(&lumped));
  test_close(&test);
}

/* In stretches, one of them of nobody's; scattered, so that nodes are torn apart, too. */
static void bits_are_the_same_on_any_number_of_processes(void **state)
{
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    Test test     = test_open(models[i]);
    int *owner_of = NsArenaAlloc(test.run.arena, sizeof(*owner_of) * (size_t)test.n);
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
      for (PetscInt u = 0; u < test.n; u++) owner_of[u] = (int)(u * ranks / test.n);
      compare_parts(&test, ranks, owner_of);
    }
    for (PetscInt u = 0; u < test.n; u++) owner_of[u] = u < test.n / 3 ? 2 : 0;
    compare_parts(&test, 3, owner_of);
    for (PetscInt u = 0; u < test.n; u++) owner_of[u] = (int)((unsigned)(u / 2) * 2654435761U >> 16) % 4;
    compare_parts(&test, 4, owner_of);
    test_close(&test);
  }
}

/* A process in the middle of a bar needs one neighbour on each side; one with a spring also what is at its other end. */
static void ghosts_are_the_neighbours(void **state)
{
  Test      test     = test_open(uniform_bar);
  int      *owner_of = NsArenaAlloc(test.run.arena, sizeof(*owner_of) * (size_t)test.n);
  NsLumped *lumped;

  (void)state;
  for (PetscInt u = 0; u < test.n; u++) owner_of[u] = u < 600 ? 0 : u < 1200 ? 1 : 2;
  CHECK(NsLumpedCreate(test.back_end.fe, &test.back_end.M, 1, owner_of, &lumped));
  assert_int_equal(lumped->owned, 600);
  assert_int_equal(lumped->local, 602);
  assert_int_equal(lumped->natural[600], 599);
  assert_int_equal(lumped->natural[601], 1200);
  assert_int_equal(lumped->owner[600], 0);
  assert_int_equal(lumped->owner[601], 2);
  CHECK(NsLumpedDestroy(&lumped));
  test_close(&test);
}

/* Equal coefficients, directions and matrices are stored once. */
static void equal_numbers_are_shared(void **state)
{
  Test      test;
  NsLumped *lumped;

  (void)state;
  test = test_open(uniform_bar); /* the block at each end of its own */
  CHECK(NsLumpedCreate(test.back_end.fe, &test.back_end.M, 0, NULL, &lumped));
  assert_int_equal(lumped->coupling.distinct.rows, 3);
  assert_int_equal(lumped->inverse.distinct.rows, 3);
  CHECK(NsLumpedDestroy(&lumped));
  test_close(&test);

  test = test_open(spatial_truss); /* chords, two diagonals; one line in no particular direction */
  CHECK(NsLumpedCreate(test.back_end.fe, &test.back_end.M, 0, NULL, &lumped));
  assert_int_equal(lumped->groups, 2);
  assert_in_range(lumped->group[0].kinds.rows, 3, 5);
  assert_int_equal(lumped->group[1].kinds.rows, 1);
  CHECK(NsLumpedDestroy(&lumped));
  test_close(&test);

  test = test_open(beams);
  CHECK(NsLumpedCreate(test.back_end.fe, &test.back_end.M, 0, NULL, &lumped));
  assert_int_equal(lumped->group[1].kinds.rows, 1);
  assert_int_equal(lumped->group[2].kinds.rows, 10); /* graded */
  CHECK(NsLumpedDestroy(&lumped));
  test_close(&test);

  test = test_open(solids);
  CHECK(NsLumpedCreate(test.back_end.fe, &test.back_end.M, 0, NULL, &lumped));
  assert_int_equal(lumped->group[0].kinds.rows, 1);
  for (int g = 1; g < 5; g++) {
    assert_int_equal(lumped->group[g].tets != NULL, g >= 2);
    assert_int_equal(lumped->group[g].pairs != NULL, g == 1 || g == 4);
  }
  assert_int_equal(lumped->group[3].tets->blocks, 2); /* 2 cells of 6 tetrahedra */
  assert_int_equal(lumped->group[4].pairs->rows, 10); /* one of two is curved */
  CHECK(NsLumpedDestroy(&lumped));
  test_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(forces_are_those_of_matrices),
  cmocka_unit_test(elements_may_have_more_nodes),
  cmocka_unit_test(bits_are_the_same_on_any_number_of_processes),
  cmocka_unit_test(ghosts_are_the_neighbours),
  cmocka_unit_test(equal_numbers_are_shared),
};

TEST_MAIN(tests)
