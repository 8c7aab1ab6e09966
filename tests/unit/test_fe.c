/* Bars and trusses: patch tests, assembly, attachments, eigenfrequencies, waves. */
#include "support.h"
#include <slepceps.h>
#include "fe/elements/beam.h"
#include "fe/model/fe.h"

/* An irregular straight bar, oblique in space. */
static const char *const bar = "bodies:\n"
                               "  bar:\n"
                               "    type: bar\n"
                               "    mesh: {line: {from: [0.1, 0.2, 0.3], to: [1.1, 0.7, 1.3], elements: 7, grading: 3}}\n"
                               "    material: {density: 7800, young: 210 GPa}\n"
                               "    section: {tube: {outer_radius: 12 mm, inner_radius: 10 mm}}\n"
                               "scheme: {type: half_explicit, step: 1 us}\n"
                               "time: {end: 1 us}\n";

/* A truss in space with members in many directions: the mesh of the repository, tilted out of its plane by nothing; dimension 3. */
static const char *const truss = "bodies:\n"
                                 "  truss:\n"
                                 "    type: truss\n"
                                 "    mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/truss.msh}\n"
                                 "    material: {density: 7850, young: 200 GPa}\n"
                                 "    section: {area: 10 cm^2}\n"
                                 "    parts: [{group: diagonals, section: {area: 4 cm^2}, material: {density: 2700, young: 70 GPa}}]\n"
                                 "    mass: consistent\n"
                                 "    dimension: 3\n"
                                 "scheme: {type: half_explicit, step: 1 us}\n"
                                 "time: {end: 1 us}\n";

static NsFe *fe_of(const TestRun *test)
{
  return test->run->model->data;
}

static NsFields make_fields(const TestRun *test)
{
  const NsScene *scene  = &test->run->model->scene;
  NsFields       fields = {0}; /* no rotations, no section forces */

  fields.displacement = NsArenaAlloc(test->arena, sizeof(double) * 3 * (size_t)scene->points);
  fields.velocity     = NsArenaAlloc(test->arena, sizeof(double) * 3 * (size_t)scene->points);
  fields.stress       = NsArenaAlloc(test->arena, sizeof(double) * (size_t)scene->cells);
  fields.normal_force = NsArenaAlloc(test->arena, sizeof(double) * (size_t)scene->cells);
  fields.energy       = NsArenaAlloc(test->arena, sizeof(double) * (size_t)scene->cells);
  return fields;
}

/* q = A x + a at every node, along its unknowns. */
static void set_affine(const TestRun *test, const double A[9], const double a[3], Vec q)
{
  const NsFe  *fe = fe_of(test);
  PetscScalar *value;

  CHECK(VecGetArray(q, &value));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[i]];
    for (PetscInt k = 0; k < body->node_unknowns; k++) {
      const PetscInt unknown = NsFeNodeUnknowns(fe, i)[k];
      if (unknown < 0) continue;
      value[unknown] = 0;
      for (int r = 0; r < 3; r++) {
        double u = a[r];
        for (int c = 0; c < 3; c++) u += A[3 * r + c] * fe->x[3 * i + c];
        value[unknown] += u * body->direction[k][r];
      }
    }
  }
  CHECK(VecRestoreArray(q, &value));
}

static PetscReal force_norm(const TestRun *test)
{
  NsState  *x = &test->run->state;
  Vec       h;
  PetscReal norm;

  CHECK(VecDuplicate(x->q, &h));
  CHECK(NsModelForce(test->run->model, 0, x->q, x->v, h));
  CHECK(VecNorm(h, NORM_INFINITY, &norm));
  CHECK(VecDestroy(&h));
  return norm;
}

static void rigid_motion_gives_no_force(void **state)
{
  static const double none[9] = {0}, spin[9] = {0, -2e-3, 1e-3, 2e-3, 0, -3e-3, -1e-3, 3e-3, 0}, move[3] = {1e-3, 2e-3, -3e-3};
  TestRun             test;

  (void)state;
  test = test_run_open(bar, NULL);
  set_affine(&test, none, move, test.run->state.q);
  assert_near(force_norm(&test), 0, 1e-6); /* against E A u/l = 1e6 N */
  test_run_close(&test);
  test = test_run_open(truss, NULL);
  set_affine(&test, none, move, test.run->state.q);
  assert_near(force_norm(&test), 0, 1e-6);
  set_affine(&test, spin, move, test.run->state.q); /* small rotations strain nothing either */
  assert_near(force_norm(&test), 0, 1e-6);
  test_run_close(&test);
}

/* By bits of the numbers: signs do not count, and of zeros it is zero. */
static void largest_of_a_vector(void **state)
{
  TestRun    test = test_run_open(bar, NULL);
  PetscReal *q    = NsVecArray(test.run->state.q), largest;
  PetscInt   n;

  (void)state;
  CHECK(VecGetLocalSize(test.run->state.q, &n));
  for (PetscInt i = 0; i < n; i++) q[i] = i % 2 ? -0.0 : 0;
  CHECK(NsModelLargest(test.run->model, test.run->state.q, &largest));
  assert_true(largest == 0);
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt i = 0; i < n; i++) q[i] = i == k ? -3 : 1e-3 * i;
    CHECK(NsModelLargest(test.run->model, test.run->state.q, &largest));
    assert_true(largest == 3);
  }
  test_run_close(&test);
}

/* Constant strain, exactly: the stress is E eps in every element, and nothing pulls at inner nodes. */
static void constant_strain_is_exact(void **state)
{
  static const double zero[3] = {0};
  TestRun             test    = test_run_open(bar, NULL);
  NsFields            fields  = make_fields(&test);
  const NsFe         *fe      = fe_of(&test);
  const double        n[3]    = {1 / 1.5, 0.5 / 1.5, 1 / 1.5};
  double              A[9];
  Vec                 h;
  const PetscScalar  *value;

  (void)state;
  for (int i = 0; i < 9; i++) A[i] = 1e-3 * n[i / 3] * n[i % 3];
  set_affine(&test, A, zero, test.run->state.q);
  CHECK(test.run->model->view.fields(test.run->model, 0, test.run->state.q, test.run->state.v, NULL, &fields));
  for (PetscInt i = 0; i < fe->elements; i++) {
    assert_near(fields.stress[i], 210e6, 1e-3);
    assert_near(fields.normal_force[i], 210e6 * PETSC_PI * (144e-6 - 100e-6), 1e-6);
    assert_near(fields.energy[i], 0.5 * 210e9 * 1e-6 * PETSC_PI * 44e-6 * NsLine(&fe->element[i])->length, 1e-9);
  }
  CHECK(VecDuplicate(test.run->state.q, &h));
  CHECK(NsModelForce(test.run->model, 0, test.run->state.q, test.run->state.v, h));
  CHECK(VecGetArrayRead(h, &value));
  for (PetscInt i = 1; i < fe->nodes - 1; i++) assert_near(value[i], 0, 1e-6);
  assert_near(value[0], fields.normal_force[0], 1e-6);
  CHECK(VecRestoreArrayRead(h, &value));
  CHECK(VecDestroy(&h));
  test_run_close(&test);
}

/* A truss under a homogeneous strain: every member has E times the strain along it. */
static void truss_members_have_their_strain(void **state)
{
  static const double A[9] = {1e-3, 4e-4, 0, 4e-4, -2e-3, 0, 0, 0, 5e-4}, zero[3] = {0};
  TestRun             test   = test_run_open(truss, NULL);
  NsFields            fields = make_fields(&test);
  const NsFe         *fe     = fe_of(&test);
  PetscInt            light  = 0;

  (void)state;
  set_affine(&test, A, zero, test.run->state.q);
  CHECK(test.run->model->view.fields(test.run->model, 0, test.run->state.q, test.run->state.v, NULL, &fields));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const PetscReal *a = fe->x + 3 * fe->element[i].node[0], *b = fe->x + 3 * fe->element[i].node[1];
    double           d[3], strain = 0, length = 0;
    for (int k = 0; k < 3; k++) {
      d[k] = b[k] - a[k];
      length += d[k] * d[k];
    }
    for (int k = 0; k < 9; k++) strain += A[k] * d[k / 3] * d[k % 3] / length;
    assert_near(fields.stress[i], NsLine(&fe->element[i])->property[0]->young * strain, 1e-3);
    light += NsLine(&fe->element[i])->property[0]->young < 100e9;
  }
  assert_int_equal(light, 8); /* the part took the diagonals, and them only */
  test_run_close(&test);
}

/* Uniform velocity carries m v^2/2, whatever the mass matrix; gravity's work is m g h. */
static void mass_and_weight_are_complete(void **state)
{
  static const char *const sets[][4] = {
    {"bodies.truss.mass=consistent", "gravity=[1, 2, -9.81]", NULL}, {"bodies.truss.mass=lumped", "gravity=[1, 2, -9.81]", NULL}};
  static const double none[9] = {0}, move[3] = {0.3, -0.4, 1.2};

  (void)state;
  for (int k = 0; k < 2; k++) {
    TestRun  test = test_run_open(truss, sets[k]);
    NsEnergy energy;
    double   mass = 0;
    for (PetscInt i = 0; i < fe_of(&test)->elements; i++) {
      const NsFeElement *e = &fe_of(&test)->element[i];
      mass += NsLine(e)->property[0]->density * NsLine(e)->property[0]->area * NsLine(e)->length;
    }
    set_affine(&test, none, move, test.run->state.q);
    set_affine(&test, none, move, test.run->state.v);
    CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
    assert_near(energy.kinetic, mass / 2 * (0.09 + 0.16 + 1.44), 1e-10 * energy.kinetic);
    assert_near(energy.potential, -mass * (0.3 - 0.8 - 9.81 * 1.2), 1e-10 * mass);
    assert_near(test.run->model->mass_total, mass, 1e-12 * mass);
    test_run_close(&test);
  }
}

/* As many entries as were allocated, none missing; symmetric; a lumped mass has its diagonal only. */
static void preallocation_is_exact(void **state)
{
  static const char *const set[] = {
    "springs={tie: {between: [truss.support_left, truss.loaded], stiffness: 5}}", "bodies.truss.damping={rayleigh: {mass: 1 1/s}}", NULL};
  TestRun   test = test_run_open(truss, set);
  Mat       matrix[4];
  PetscBool symmetric;

  (void)state;
  CHECK(NsFeAssemble(fe_of(&test), NULL, &matrix[0], &matrix[1], &matrix[3], &matrix[2]));
  for (int i = 0; i < 3; i++) {
    MatInfo info;
    CHECK(MatGetInfo(matrix[i], MAT_LOCAL, &info));
    assert_true(info.mallocs == 0 && info.nz_unneeded == 0);
    CHECK(MatIsSymmetric(matrix[i], 1e-9, &symmetric));
    assert_true(symmetric);
    CHECK(MatDestroy(&matrix[i]));
  }
  test_run_close(&test);
  static const char *const lumped[] = {"bodies.truss.mass=lumped", NULL};
  NsFeMatrices             rows;
  test = test_run_open(truss, lumped);
  CHECK(NsFeAssembleRows(fe_of(&test), NULL, NULL, PETSC_FALSE, &rows));
  assert_true(rows.diagonal);
  assert_int_equal(rows.M.start[rows.M.rows], test.run->model->unknowns);
  CHECK(NsSparseDestroy(&rows.M));
  CHECK(NsSparseDestroy(&rows.C));
  CHECK(NsSparseDestroy(&rows.K));
  test_run_close(&test);
}

/* The lowest eigenfrequencies of (K, M), ascending. */
static void lowest_frequencies(const TestRun *test, PetscInt count, PetscReal *omega)
{
  Mat      M, C, G, K;
  EPS      eps;
  ST       st;
  PetscInt found;

  CHECK(NsFeAssemble(fe_of(test), NULL, &M, &C, &G, &K));
  CHECK(EPSCreate(PETSC_COMM_SELF, &eps));
  CHECK(EPSSetOperators(eps, K, M));
  CHECK(EPSSetProblemType(eps, EPS_GHEP));
  CHECK(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
  CHECK(EPSSetTarget(eps, 1e6));
  CHECK(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  CHECK(EPSSetTolerances(eps, 1e-13, 1000));
  CHECK(EPSGetST(eps, &st));
  CHECK(STSetType(st, STSINVERT));
  CHECK(EPSSolve(eps));
  CHECK(EPSGetConverged(eps, &found));
  assert_true(found >= count);
  for (PetscInt i = 0; i < count; i++) {
    PetscReal value;
    CHECK(EPSGetEigenvalue(eps, i, &value, NULL));
    omega[i] = PetscSqrtReal(value);
  }
  CHECK(EPSDestroy(&eps));
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&K));
}

static const char *const clamped = "bodies:\n"
                                   "  bar:\n"
                                   "    type: bar\n"
                                   "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 10}}\n"
                                   "    material: {density: 7800, young: 210 GPa}\n"
                                   "    section: {area: 3 cm^2}\n"
                                   "    mass: consistent\n"
                                   "supports: {clamp: {at: bar.left, fix: x}}\n"
                                   "scheme: {type: half_explicit, step: 1 us}\n"
                                   "time: {end: 1 us}\n";

/* Clamped-free: omega_n = (n - 1/2) pi c0/L; the error is second order in the element length, from above (consistent) and below (lumped). */
static void eigenfrequencies_converge_with_order_two(void **state)
{
  static const char *const masses[] = {"bodies.bar.mass=consistent", "bodies.bar.mass=lumped"};
  const PetscReal          exact    = 1.5 * PETSC_PI * PetscSqrtReal(210e9 / 7800);

  (void)state;
  for (int m = 0; m < 2; m++) {
    PetscReal error[2];
    for (int k = 0; k < 2; k++) {
      const char *const set[] = {masses[m], k ? "bodies.bar.mesh.line.elements=80" : "bodies.bar.mesh.line.elements=40", NULL};
      TestRun           test  = test_run_open(clamped, set);
      PetscReal         omega[2];
      lowest_frequencies(&test, 2, omega);
      error[k] = PetscMax(omega[0], omega[1]) / exact - 1;
      test_run_close(&test);
    }
    assert_true(m == 0 ? error[0] > 0 : error[0] < 0);
    assert_near(PetscLog2Real(error[0] / error[1]), 2, 0.1);
  }
}

/* (k, m) of a nearly massless bar with a point mass and a spring to ground, and a spring between two bodies: closed forms. */
static void springs_and_masses_set_frequencies(void **state)
{
  static const char *const one[] = {"bodies.bar.material={density: 1e-3, young: 1e16}", "bodies.bar.mesh.line.elements=1", "supports={}",
    "masses={head: {at: bar.right, mass: 2}}", "springs={mount: {between: [ground, bar.right], stiffness: 800}}", NULL};
  TestRun                  test  = test_run_open(clamped, one);
  NsEnergy                 energy;
  PetscReal                limit = 0;

  (void)state;
  /* a rigid move of 1 m: the spring alone stores energy */
  CHECK(VecSet(test.run->state.q, 1));
  CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
  assert_near(energy.elastic, 400, 1e-6);
  CHECK(VecSet(test.run->state.v, 3));
  CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
  assert_near(energy.kinetic, 9, 1e-5);
  CHECK(NsRunCheckStep(test.run, PETSC_FALSE));
  limit = test.run->stability.step_limit;
  CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
  assert_true(limit <= test.run->stability.step_limit * (1 + 1e-6)); /* the bound is on the safe side */
  test_run_close(&test);
}

/* The bound is never below the exact highest frequency, with springs, masses, grading, dampers; and not far above. */
static void frequency_bound_is_a_bound(void **state)
{
  static const char *const sets[][5] = {
    {"bodies.bar.mesh.line.grading=5", NULL},
    {"springs={a: {between: [bar.right, ground], stiffness: 1e12, damping: 1e4}}", NULL},
    {"springs={a: {between: [bar.left, bar.right], stiffness: 3e11, damping: 2e4}}", "supports={}", NULL},
    {"masses={a: {at: bar.right, mass: 5}}", "springs={a: {between: [bar.right, ground], stiffness: 1e11}}", "bodies.bar.mass=lumped", NULL},
    {"bodies.bar.damping={rayleigh: {mass: 100 1/s, stiffness: 1 us}}", "bodies.bar.parts=[{range: [0, 0.3], section: {area: 1 cm^2}}]", NULL},
  };

  (void)state;
  for (size_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++) {
    TestRun   test = test_run_open(clamped, sets[k]);
    PetscReal omega, rate;
    NsBound   bound, bound_rate;
    CHECK(NsFeFrequencyBound(test.run->model, 0, &bound, &bound_rate));
    CHECK(NsFeHighestMode(test.run->model, 0, &omega, &rate));
    assert_true(omega <= bound.value * (1 + 1e-6));
    assert_true(bound.value < 2 * omega);
    assert_true(rate <= bound_rate.value * (1 + 1e-6));
    if (k == 4) assert_near(rate, 100 + 1e-6 * omega * omega, 1e-3 * rate);
    test_run_close(&test);
  }
}

/* A smooth wave from a loaded end: v(x, t) = F(t - (L - x)/c0)/(rho c0 A) until it comes back. Error second order in space. */
static PetscReal wave_error(const char *mass, PetscInt elements)
{
  static const char *const loads =
    "loads={a: {at: bar.right, force: [750, 0, 0]}, b: {at: bar.right, force: [1000, 0, 0], time: {harmonic: {frequency: 60000 rad/s, phase: -90 deg}}}, "
    "c: {at: bar.right, force: [250, 0, 0], time: {harmonic: {frequency: 120000 rad/s, phase: 90 deg}}}}"; /* 500 (1 - cos)^2 */
  char               count[64], step[64];
  const char *const  set[] = {mass, count, step, loads, "supports={}", "time.end=150 us", NULL};
  const PetscReal    c0 = PetscSqrtReal(210e9 / 7800), impedance = 7800 * c0 * 3e-4;
  PetscReal          error = 0;
  const PetscScalar *v;

  snprintf(count, sizeof(count), "bodies.bar.mesh.line.elements=%d", (int)elements);
  snprintf(step, sizeof(step), "scheme.step=%g", 150e-6 / (10 * (double)elements)); /* a tenth of the element's transit: space decides */
  TestRun test = test_run_open(clamped, set);
  for (PetscInt64 i = 0; i < test.run->steps; i++) test_step(test.run);
  CHECK(VecGetArrayRead(test.run->state.v, &v));
  for (PetscInt i = 0; i <= elements; i++) {
    const PetscReal late  = test.run->state.t - (1 - (PetscReal)i / elements) / c0;
    const PetscReal exact = late > 0 ? 500 * PetscSqr(1 - PetscCosReal(60000 * late)) / impedance : 0;
    error += PetscSqr(v[NsLayoutIndex(test.run->model->layout, i)] - exact) / elements;
  }
  CHECK(VecRestoreArrayRead(test.run->state.v, &v));
  test_run_close(&test);
  return PetscSqrtReal(error);
}

static void waves_run_at_c0_and_converge_with_order_two(void **state)
{
  static const char *const masses[] = {"bodies.bar.mass=consistent", "bodies.bar.mass=lumped"};

  (void)state;
  for (int m = 0; m < 2; m++) {
    const PetscReal coarse = wave_error(masses[m], 160), fine = wave_error(masses[m], 320);
    assert_true(fine < 1e-2);
    assert_near(PetscLog2Real(coarse / fine), 2, 0.1);
  }
}

/* A distributed load and one at nodes: resultants; the time functions; a support takes its share away. */
static void loads_have_their_resultants(void **state)
{
  static const char *const set[] = {
    "loads={w: {on: bar, force_per_length: [7, 0, 0]}, p: {at: [bar.left, bar.right], force: [3, 0, 0], time: {table: [[0, 0], [2, 4]]}}}",
    "supports={}", NULL};
  TestRun   test = test_run_open(clamped, set);
  Vec       h;
  PetscReal sum;
  NsPower   power;

  (void)state;
  CHECK(VecDuplicate(test.run->state.q, &h));
  CHECK(VecZeroEntries(test.run->state.q));
  CHECK(VecZeroEntries(test.run->state.v));
  CHECK(NsModelForce(test.run->model, 0.5, test.run->state.q, test.run->state.v, h));
  CHECK(VecSum(h, &sum));
  assert_near(sum, 7 + 2 * 3 * 1, 1e-12);
  CHECK(NsModelForce(test.run->model, 9, test.run->state.q, test.run->state.v, h));
  CHECK(VecSum(h, &sum));
  assert_near(sum, 7 + 2 * 3 * 4, 1e-12);
  CHECK(VecSet(test.run->state.v, 2));
  CHECK(NsModelPower(test.run->model, 0.5, test.run->state.q, test.run->state.v, test.run->state.v, &power));
  assert_near(power.load, 2 * 13, 1e-12);
  assert_near(power.damping, 0, 0);
  CHECK(VecDestroy(&h));
  test_run_close(&test);
}

/* A round bar that tapers from 10 to 20 mm, stretched alike everywhere: the force of each element is that of the mean of its end areas, and goes through the area in its middle. */
static void stress_of_a_taper(void **state)
{
  static const double      A[9] = {1e-3, 0, 0, 0, 0, 0, 0, 0, 0}, a[3] = {0, 0, 0};
  static const char *const set[] = {
    "bodies.bar.section={circle: {radius: 10 mm}}", "bodies.bar.section_end={circle: {radius: 20 mm}}", "supports={}", NULL};
  TestRun     test   = test_run_open(clamped, set);
  const NsFe *fe     = fe_of(&test);
  NsFields    fields = make_fields(&test);

  (void)state;
  set_affine(&test, A, a, test.run->state.q);
  CHECK(test.run->model->view.fields(test.run->model, 0, test.run->state.q, test.run->state.v, NULL, &fields));
  for (PetscInt i = 0; i < fe->elements; i++) {
    PetscReal r[2];
    for (int k = 0; k < 2; k++) r[k] = 0.01 * (1 + fe->x[3 * fe->element[i].node[k]] / fe->x[3 * (fe->nodes - 1)]);
    const PetscReal area = PETSC_PI * (r[0] * r[0] + r[1] * r[1]) / 2, middle = PETSC_PI * PetscSqr((r[0] + r[1]) / 2);
    assert_near(fields.normal_force[i], 210e6 * area, 1e-3);
    assert_near(fields.stress[i], 210e6 * area / middle, 1);
  }
  test_run_close(&test);
}

/* Probes are weighted sums of unknowns: between nodes, with the stress of their element. */
static void probes_interpolate(void **state)
{
  static const double      A[9] = {2e-3, 0, 0, 0, 0, 0, 0, 0, 0}, a[3] = {1e-3, 0, 0};
  static const char *const set[] = {"supports={}", NULL};
  TestRun                  test  = test_run_open(clamped, set);
  NsProbe                  probe;
  PetscBool                found;
  char                     why[256];
  const PetscScalar       *q;

  (void)state;
  set_affine(&test, A, a, test.run->state.q);
  CHECK(test.run->model->view.probe(test.run->model, "bar@0.525", &probe, &found, why, sizeof(why)));
  assert_true(found);
  assert_int_equal(probe.columns, 3);
  assert_string_equal(probe.column[0].suffix, "ux");
  assert_string_equal(probe.column[1].suffix, "vx");
  assert_string_equal(probe.column[2].suffix, "stress");
  CHECK(VecGetArrayRead(test.run->state.q, &q));
  for (int c = 0; c < 3; c += 2) {
    double value = 0;
    for (PetscInt i = 0; i < probe.column[c].entries; i++) value += probe.column[c].weight[i] * q[probe.column[c].unknown[i]];
    assert_near(value, c == 0 ? 1e-3 + 2e-3 * 0.525 : 210e9 * 2e-3, c == 0 ? 1e-15 : 1e-3);
  }
  CHECK(VecRestoreArrayRead(test.run->state.q, &q));
  CHECK(test.run->model->view.probe(test.run->model, "bar@1.2", &probe, &found, why, sizeof(why)));
  assert_false(found);
  CHECK(test.run->model->view.probe(test.run->model, "beam.left", &probe, &found, why, sizeof(why)));
  assert_false(found);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(largest_of_a_vector),
  cmocka_unit_test(rigid_motion_gives_no_force),
  cmocka_unit_test(constant_strain_is_exact),
  cmocka_unit_test(truss_members_have_their_strain),
  cmocka_unit_test(mass_and_weight_are_complete),
  cmocka_unit_test(preallocation_is_exact),
  cmocka_unit_test(eigenfrequencies_converge_with_order_two),
  cmocka_unit_test(springs_and_masses_set_frequencies),
  cmocka_unit_test(frequency_bound_is_a_bound),
  cmocka_unit_test(waves_run_at_c0_and_converge_with_order_two),
  cmocka_unit_test(loads_have_their_resultants),
  cmocka_unit_test(stress_of_a_taper),
  cmocka_unit_test(probes_interpolate),
};
TEST_MAIN(tests)
