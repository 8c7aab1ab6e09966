/* Beams through the config: patch tests, statics exact at nodes, frames, frequencies and their order, tension, tapers, step limits, energy. */
#include "dense.h"
#include "fe/elements/beam.h"

/* An irregular straight beam, oblique in space, of a section that is stiff one way. */
static const char *const oblique = "bodies:\n"
                                   "  beam:\n"
                                   "    type: beam\n"
                                   "    mesh: {line: {from: [0.1, 0.2, 0.3], to: [1.1, 0.7, 1.3], elements: 7, grading: 3}}\n"
                                   "    material: {density: 7800, young: 210 GPa, shear_modulus: 80 GPa}\n"
                                   "    section: {rectangle: {width: 20 mm, height: 50 mm}}\n"
                                   "    orientation: [0.2, 0.1, 1]\n"
                                   "scheme: {type: half_explicit, step: 1 ns}\n"
                                   "time: {end: 1 ns}\n";

/* A cantilever along x, 1 m long; bending about z with the height, about y with the width. */
static const char *const cantilever = "bodies:\n"
                                      "  beam:\n"
                                      "    type: beam\n"
                                      "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, grading: 2}}\n"
                                      "    material: {density: 7800, young: 210 GPa, shear_modulus: 80 GPa}\n"
                                      "    section: {rectangle: {width: 20 mm, height: 50 mm}, shear_factor: 0.8}\n"
                                      "supports: {clamp: {at: beam.left}}\n"
                                      "start: static\n"
                                      "scheme: {type: half_explicit, step: 1 ns}\n"
                                      "time: {end: 1 ns}\n";

static const PetscReal E = 210e9, G = 80e9, rho = 7800, b = 0.02, h = 0.05;

static PetscReal area(void)
{
  return b * h;
}

static PetscReal inertia_z(void)
{
  return b * h * h * h / 12;
}

static PetscReal inertia_y(void)
{
  return h * b * b * b / 12;
}

/* A mesh file in the working directory's place for tests; the name is the caller's to remove. */
static void write_mesh(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* Three members that are on no line: a corner in space. */
static const char *const corner =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n0 1 \"foot\"\n0 2 \"tip\"\n$EndPhysicalNames\n"
  "$Nodes\n6\n1 0 0 0\n2 0 0.35 0\n3 0 1 0\n4 0.8 1 0\n5 0.8 1 0.3\n6 0.8 1 0.5\n$EndNodes\n"
  "$Elements\n7\n1 15 2 1 1 1\n2 15 2 2 2 6\n3 1 2 3 1 1 2\n4 1 2 3 1 2 3\n5 1 2 3 2 3 4\n6 1 2 3 3 4 5\n7 1 2 3 3 5 6\n$EndElements\n";

/* q = a + w x x at every node, and rotations w. */
static void set_rigid(const TestRun *test, const double w[3], const double a[3], Vec q)
{
  const NsFe  *fe = fe_of(test);
  PetscScalar *value;

  CHECK(VecGetArray(q, &value));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody  *body = &fe->body[fe->node_body[i]];
    const PetscReal *x    = fe->x + 3 * i;
    for (PetscInt k = 0; k < body->node_unknowns; k++) {
      const PetscInt unknown = NsFeNodeUnknowns(fe, i)[k];
      if (unknown < 0) continue;
      value[unknown] = 0;
      for (int c = 0; c < 3; c++) {
        const double u = a[c] + w[(c + 1) % 3] * x[(c + 2) % 3] - w[(c + 2) % 3] * x[(c + 1) % 3];
        value[unknown] += (body->turns[k] ? w[c] : u) * body->direction[k][c];
      }
    }
  }
  CHECK(VecRestoreArray(q, &value));
}

static PetscReal force_norm(const TestRun *test)
{
  PetscReal *f = dense_new(test, test->run->model->unknowns), norm = 0;

  force_at(test, 0, test->run->state.q, NULL, f);
  for (PetscInt i = 0; i < test->run->model->unknowns; i++) norm = PetscMax(norm, PetscAbsReal(f[i]));
  return norm;
}

static void rigid_motion_gives_no_force(void **state)
{
  static const double      turn[3] = {1e-3, -2e-3, 3e-3}, flat[3] = {0, 0, 2e-3}, none[3] = {0}, move[3] = {1e-3, 2e-3, -3e-3};
  static const char *const theories[] = {"bodies.beam.theory=timoshenko", "bodies.beam.theory=euler_bernoulli"};
  char                     path[]     = "/tmp/percuss_mesh_XXXXXX.msh", mesh[128];
  TestRun                  test;

  (void)state;
  close(mkstemps(path, 4));
  write_mesh(path, corner);
  snprintf(mesh, sizeof(mesh), "bodies.beam.mesh={file: %s}", path);
  for (int k = 0; k < 2; k++) {
    for (int shape = 0; shape < 2; shape++) {
      const char *const set[] = {theories[k], "bodies.beam.orientation=[0.2, 0.3, 1]", shape ? mesh : "bodies.beam.mass=consistent", NULL};
      test                    = test_run_open(oblique, set);
      set_rigid(&test, none, move, test.run->state.q);
      assert_near(force_norm(&test), 0, 1e-5); /* against E A u/l = 1e6 N */
      set_rigid(&test, turn, move, test.run->state.q);
      assert_near(force_norm(&test), 0, 1e-5);
      test_run_close(&test);
    }
    const char *const planar[] = {
      theories[k], "bodies.beam.dimension=2", "bodies.beam.mesh.line={from: [0, 0, 2], to: [1, 2, 2], elements: 4}", NULL};
    static char text[2000];
    snprintf(text, sizeof(text), "%s", oblique);
    char *line = strstr(text, "    orientation"); /* planar beams have no orientation */
    memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n')));
    test = test_run_open(text, planar);
    assert_int_equal(test.run->model->unknowns, 15);
    set_rigid(&test, flat, move, test.run->state.q);
    assert_near(force_norm(&test), 0, 1e-5);
    test_run_close(&test);
  }
  unlink(path);
}

/* Constant strain, curvatures and twist: section forces are exact in every element, inner nodes feel nothing. */
static void constant_strains_are_exact(void **state)
{
  static const double      strain = 1e-3, twist = 2e-3, curvature[2] = {3e-3, -4e-3}; /* about axes 2 and 3 */
  static const char *const theories[] = {"bodies.beam.theory=timoshenko", "bodies.beam.theory=euler_bernoulli"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {theories[k], NULL};
    TestRun           test  = test_run_open(oblique, set);
    const NsFe       *fe    = fe_of(&test);
    PetscReal         frame[3][3], *f = dense_new(&test, test.run->model->unknowns);
    PetscScalar      *q;
    (void)NsFeBeamAxes(fe->body, fe->element, frame);
    CHECK(VecGetArray(test.run->state.q, &q));
    for (PetscInt i = 0; i < fe->nodes; i++) {
      PetscReal s = 0, u[3], r[3];
      for (int c = 0; c < 3; c++) s += (fe->x[3 * i + c] - fe->x[c]) * frame[0][c];
      u[0] = strain * s;
      u[1] = curvature[1] * s * s / 2; /* u2'' = r3' */
      u[2] = -curvature[0] * s * s / 2;
      r[0] = twist * s;
      r[1] = curvature[0] * s;
      r[2] = curvature[1] * s;
      for (int c = 0; c < 3; c++) {
        q[NsFeNodeUnknowns(fe, i)[c]]     = u[0] * frame[0][c] + u[1] * frame[1][c] + u[2] * frame[2][c];
        q[NsFeNodeUnknowns(fe, i)[3 + c]] = r[0] * frame[0][c] + r[1] * frame[1][c] + r[2] * frame[2][c];
      }
    }
    const PetscReal J           = NsLine(&fe->element[0])->property[0]->torsion,
                    expected[6] = {E * area() * strain, 0, 0, G * J * twist, E * inertia_y() * curvature[0], E * inertia_z() * curvature[1]};
    for (PetscInt e = 0; e < fe->elements; e++) {
      PetscReal values[12], force[6];
      NsFeElementValues(fe, NULL, &fe->element[e], q, values);
      for (int part = 0; part < 3; part++) {
        fe->body->element->outputs(fe->body, &fe->element[e], values, (PetscReal[3]){0.5 * part}, force);
        for (int c = 0; c < 6; c++) assert_near(force[c], expected[c], 1e-8 * (PetscAbsReal(expected[c]) + 1e3));
      }
      assert_relative(fe->body->element->energy(fe->body, &fe->element[e], values),
        NsLine(&fe->element[e])->length / 2 * (expected[0] * strain + expected[3] * twist + expected[4] * curvature[0] + expected[5] * curvature[1]),
        1e-9);
    }
    CHECK(VecRestoreArray(test.run->state.q, &q));
    force_at(&test, 0, test.run->state.q, NULL, f);
    for (PetscInt i = 6; i < test.run->model->unknowns - 6; i++) assert_near(f[i], 0, 1e-5);
    test_run_close(&test);
  }
}

/*
  Force and moment at the tip, and a distributed load: deflection and rotation exact at nodes on an irregular mesh, Euler-Bernoulli and Timoshenko.
  The moment about z goes with positive uy, that about y with negative uz.
*/
static void cantilever_is_exact(void **state)
{
  static const char *const theories[] = {"bodies.beam.theory=euler_bernoulli", "bodies.beam.theory=timoshenko"};
  const PetscReal          EIz = E * inertia_z(), EIy = E * inertia_y();

  (void)state;
  for (int k = 0; k < 2; k++) {
    const PetscReal   shear   = k ? 1 / (0.8 * G * area()) : 0;
    const char *const tip[]   = {theories[k], "loads={tip: {at: beam.right, force: [300, 500, 700], moment: [11, 13, 17]}}", NULL};
    const char *const along[] = {theories[k], "loads={wind: {on: beam, force_per_length: [300, 500, 700]}}", NULL};
    TestRun           test    = test_run_open(cantilever, tip);
    const PetscReal   J       = NsLine(&fe_of(&test)->element[0])->property[0]->torsion;
    assert_relative(probe_now(&test, "beam.right", "ux"), 300 / (E * area()), 1e-9);
    assert_relative(probe_now(&test, "beam.right", "uy"), 500 / (3 * EIz) + 17 / (2 * EIz) + 500 * shear, 1e-9);
    assert_relative(probe_now(&test, "beam.right", "uz"), 700 / (3 * EIy) - 13 / (2 * EIy) + 700 * shear, 1e-9);
    assert_relative(probe_now(&test, "beam.right", "rx"), 11 / (G * J), 1e-9);
    assert_relative(probe_now(&test, "beam.right", "ry"), 13 / EIy - 700 / (2 * EIy), 1e-9);
    assert_relative(probe_now(&test, "beam.right", "rz"), 17 / EIz + 500 / (2 * EIz), 1e-9);
    /* Clapeyron: the energy at the start is half the work that the loads would do */
    const PetscReal work = 300 * probe_now(&test, "beam.right", "ux") + 500 * probe_now(&test, "beam.right", "uy") +
                           700 * probe_now(&test, "beam.right", "uz") + 11 * probe_now(&test, "beam.right", "rx") +
                           13 * probe_now(&test, "beam.right", "ry") + 17 * probe_now(&test, "beam.right", "rz");
    assert_relative(test.run->ledger.initial, work / 2, 1e-9);
    /* between the nodes too: the shape functions are the solution */
    assert_relative(
      probe_now(&test, "beam@0.37", "uy"), 500 * 0.37 * 0.37 * (3 - 0.37) / (6 * EIz) + 17 * 0.37 * 0.37 / (2 * EIz) + 500 * 0.37 * shear, 1e-9);
    assert_relative(probe_now(&test, "beam@0.37", "moment_3"), 17 + 500 * 0.63, 1e-8);
    assert_relative(probe_now(&test, "beam@0.37", "moment_2"), 13 - 700 * 0.63, 1e-8);
    assert_relative(probe_now(&test, "beam@0.37", "shear_2"), 500, 1e-8);
    assert_relative(probe_now(&test, "beam@0.37", "shear_3"), 700, 1e-8);
    assert_relative(probe_now(&test, "beam@0.37", "torque"), 11, 1e-8);
    test_run_close(&test);
    test = test_run_open(cantilever, along);
    assert_relative(probe_now(&test, "beam.right", "ux"), 150 / (E * area()), 1e-9);
    assert_relative(probe_now(&test, "beam.right", "uy"), 500 / (8 * EIz) + 250 * shear, 1e-9);
    assert_relative(probe_now(&test, "beam.right", "uz"), 700 / (8 * EIy) + 350 * shear, 1e-9);
    assert_relative(probe_now(&test, "beam.right", "rz"), 500 / (6 * EIz), 1e-9);
    assert_relative(probe_now(&test, "beam.right", "ry"), -700 / (6 * EIy), 1e-9);
    test_run_close(&test);
  }
}

/* N/A + |M_3| h/(2 I_z) + |M_2| b/(2 I_y) at a corner of the rectangle, in the middle of each of the four parts of an element. */
static void stress_of_a_rectangle(void **state)
{
  const char *const tip[]  = {"loads={tip: {at: beam.right, force: [300, 500, 700], moment: [11, 13, 17]}}", NULL};
  TestRun           test   = test_run_open(cantilever, tip);
  const NsScene    *scene  = &test.run->model->scene;
  const NsFe       *fe     = fe_of(&test);
  NsFields          fields = {0};

  (void)state;
  fields.displacement = NsArenaAlloc(test.arena, sizeof(double) * 3 * (size_t)scene->points);
  fields.velocity     = NsArenaAlloc(test.arena, sizeof(double) * 3 * (size_t)scene->points);
  fields.stress       = NsArenaAlloc(test.arena, sizeof(double) * (size_t)scene->cells);
  fields.normal_force = NsArenaAlloc(test.arena, sizeof(double) * (size_t)scene->cells);
  fields.energy       = NsArenaAlloc(test.arena, sizeof(double) * (size_t)scene->cells);
  CHECK(test.run->model->view.fields(test.run->model, 0, test.run->state.q, test.run->state.v, NULL, &fields));
  assert_int_equal(scene->cells, 4 * fe->elements);
  for (PetscInt cell = 0; cell < scene->cells; cell++) {
    const NsFeElement *e    = &fe->element[cell / 4];
    const PetscReal    from = fe->x[3 * e->node[0]], x = from + (2 * (cell % 4) + 1) / 8.0 * (fe->x[3 * e->node[1]] - from);
    const PetscReal    about_z = PetscAbsReal(17 + 500 * (1 - x)) * h / 2 / inertia_z(),
                    about_y    = PetscAbsReal(13 - 700 * (1 - x)) * b / 2 / inertia_y();
    for (int k = 0; k < 2; k++)
      assert_near(scene->x[3 * scene->cell[2 * cell + k]], from + (cell % 4 + k) / 4.0 * (fe->x[3 * e->node[1]] - from), 1e-15);
    assert_relative(fields.stress[cell], 300 / area() + about_z + about_y, 1e-7);
  }
  test_run_close(&test);
}

/* Planar beams are those in space held in the plane. */
static void planar_is_spatial_in_the_plane(void **state)
{
  static const char *const flat[]  = {"bodies.beam.dimension=2", "bodies.beam.mesh.line={from: [0, 0, 0], to: [0.6, 0.8, 0], elements: 3}",
     "loads={tip: {at: beam.right, force: [300, 500, 0], moment: [0, 0, 17]}}", NULL};
  const char *const        space[] = {"bodies.beam.orientation=[-0.8, 0.6, 0]", flat[1], flat[2], NULL};
  static const char *const names[] = {"ux", "uy", "rz"};
  TestRun                  plane = test_run_open(cantilever, flat), other = test_run_open(cantilever, space);

  (void)state;
  for (int i = 0; i < 3; i++) assert_relative(probe_now(&plane, "beam.right", names[i]), probe_now(&other, "beam.right", names[i]), 1e-9);
  assert_near(probe_now(&plane, "beam@0.4", "moment_3"), probe_now(&other, "beam@0.4", "moment_3"), 1e-6);
  assert_near(probe_now(&other, "beam.right", "uz"), 0, 1e-15);
  test_run_close(&plane);
  test_run_close(&other);
}

/* The same cantilever with all of it turned by a rotation R: displacements and rotations turn with it. */
static void any_orientation_is_the_same(void **state)
{
  const PetscReal          a = 0.7, c = 1.1; /* R = Rz(a) Rx(c) */
  const PetscReal          R[3][3]    = {{PetscCosReal(a), -PetscSinReal(a) * PetscCosReal(c), PetscSinReal(a) * PetscSinReal(c)},
                {PetscSinReal(a), PetscCosReal(a) * PetscCosReal(c), -PetscCosReal(a) * PetscSinReal(c)}, {0, PetscSinReal(c), PetscCosReal(c)}};
  static const char *const straight[] = {
    "loads={tip: {at: beam.right, force: [300, 500, 700], moment: [11, 13, 17]}}", "bodies.beam.orientation=[0.5, 1, 0]", NULL};
  static const char *const u[] = {"ux", "uy", "uz", "rx", "ry", "rz"};
  char                     mesh[256], orientation[256], load[512];
  const PetscReal          F[2][3] = {{300, 500, 700}, {11, 13, 17}};
  PetscReal                f[2][3] = {{0}}, o[3];

  (void)state;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 3; k++) f[i / 3][i % 3] += R[i % 3][k] * F[i / 3][k];
  }
  for (int i = 0; i < 3; i++) o[i] = 0.5 * R[i][0] + R[i][1];
  snprintf(mesh, sizeof(mesh), "bodies.beam.mesh.line={from: [3, 4, 5], to: [%.17g, %.17g, %.17g], elements: 3, grading: 2}", 3 + R[0][0],
    4 + R[1][0], 5 + R[2][0]);
  snprintf(orientation, sizeof(orientation), "bodies.beam.orientation=[%.17g, %.17g, %.17g]", o[0], o[1], o[2]);
  snprintf(load, sizeof(load), "loads={tip: {at: beam.right, force: [%.17g, %.17g, %.17g], moment: [%.17g, %.17g, %.17g]}}", f[0][0], f[0][1],
    f[0][2], f[1][0], f[1][1], f[1][2]);
  const char *const turned[] = {mesh, orientation, load, NULL};
  TestRun           one = test_run_open(cantilever, straight), two = test_run_open(cantilever, turned);
  for (int i = 0; i < 6; i++) {
    PetscReal expected = 0;
    for (int k = 0; k < 3; k++) expected += R[i % 3][k] * probe_now(&one, "beam.right", u[3 * (i / 3) + k]);
    assert_near(probe_now(&two, "beam.right", u[i]), expected, 1e-9 * PetscAbsReal(expected) + 1e-12);
  }
  const PetscInt n     = one.run->model->unknowns;
  PetscReal     *omega = dense_new(&one, n), *other = dense_new(&one, n);
  const Dense    d = dense_matrices(&one), D = dense_matrices(&two);
  dense_frequencies(&one, &d, omega);
  dense_frequencies(&two, &D, other);
  for (PetscInt i = 0; i < n; i++) assert_relative(other[i], omega[i], 1e-7);
  test_run_close(&one);
  test_run_close(&two);
}

/*
  A corner in space, foot clamped, of a round tube (one EI for all, torsion GJ), Euler-Bernoulli: the tip under a force along each axis, by
  Castigliano.
*/
static void frame_in_space(void **state)
{
  static const char *const shape  = "bodies.beam.section={tube: {outer_radius: 20 mm, inner_radius: 15 mm}}";
  static const char *const load   = "loads={tip: {at: beam.tip, force: [0, 0, 0]}}";
  char                     path[] = "/tmp/percuss_mesh_XXXXXX.msh", mesh[128];
  const PetscReal          I4 = PETSC_PI / 4 * (0.16e-6 - 0.050625e-6), A = PETSC_PI * (4e-4 - 2.25e-4), EI = E * I4, GJ = 2 * G * I4;
  const PetscReal          X[4][3] = {{0, 0, 0}, {0, 1, 0}, {0.8, 1, 0}, {0.8, 1, 0.5}};

  (void)state;
  close(mkstemps(path, 4));
  write_mesh(path, corner);
  snprintf(mesh, sizeof(mesh), "bodies.beam.mesh={file: %s}", path);
  for (int axis = 0; axis < 3; axis++) {
    char force[128];
    snprintf(force, sizeof(force), "loads.tip.force=[%d, %d, %d]", 1000 * (axis == 0), 1000 * (axis == 1), 1000 * (axis == 2));
    const char *const set[] = {mesh, shape, load, force, "bodies.beam.theory=euler_bernoulli", "supports.clamp.at=beam.foot", NULL};
    TestRun           test  = test_run_open(cantilever, set);
    PetscReal work = 0; /* u along P by Castigliano: sum over legs of the integral of M^2/EI, T^2/GJ, N^2/EA for the unit load; Simpson is exact */
    for (int leg = 0; leg < 3; leg++) {
      PetscReal d[3], length = 0;
      for (int k = 0; k < 3; k++) length += PetscAbsReal(d[k] = X[leg + 1][k] - X[leg][k]);
      for (int s = 0; s < 3; s++) {
        PetscReal r[3], F[3] = {axis == 0, axis == 1, axis == 2}, M[3], T = 0, N = 0, MM = 0;
        for (int k = 0; k < 3; k++) r[k] = X[3][k] - X[leg][k] - d[k] * s / 2;
        for (int k = 0; k < 3; k++) M[k] = r[(k + 1) % 3] * F[(k + 2) % 3] - r[(k + 2) % 3] * F[(k + 1) % 3];
        for (int k = 0; k < 3; k++) {
          T += M[k] * d[k] / length;
          N += F[k] * d[k] / length;
          MM += M[k] * M[k];
        }
        work += length * (s == 1 ? 4 : 1) / 6 * ((MM - T * T) / EI + T * T / GJ + N * N / (E * A));
      }
    }
    assert_relative(probe_now(&test, "beam.tip", axis == 0 ? "ux" : axis == 1 ? "uy" : "uz"), 1000 * work, 1e-8);
    test_run_close(&test);
  }
  unlink(path);
}

/* The lowest frequencies in the x-y plane of a beam of `elements`. */
static void plane_frequencies(const char *theory, const char *supports, PetscInt elements, const char *more, PetscReal *omega, PetscInt count)
{
  char              mesh[128];
  const char *const set[] = {theory, supports, mesh, "bodies.beam.dimension=2", "start=as_given", more, NULL};

  snprintf(mesh, sizeof(mesh), "bodies.beam.mesh.line={from: [0, 0, 0], to: [1, 0, 0], elements: %d}", (int)elements);
  TestRun     test = test_run_open(cantilever, set);
  const Dense d    = dense_matrices(&test);
  PetscReal  *all  = dense_new(&test, d.n);
  dense_frequencies(&test, &d, all);
  for (PetscInt i = 0; i < count; i++) omega[i] = all[i];
  test_run_close(&test);
}

/*
  Roots of the frequency equations; free-free beams have three modes at 0 first. The error falls with the fourth power of the element length, from
  above.
*/
static void frequencies_converge_with_order_four(void **state)
{
  static const char *const supports[] = {
    "supports={clamp: {at: beam.left}}", "supports={left: {at: beam.left, fix: [x, y]}, right: {at: beam.right, fix: y}}", "supports={}"};
  static const PetscReal roots[3][2] = {
    {1.87510406871196116644, 4.69409113297417}, {PETSC_PI, 2 * PETSC_PI}, {4.73004074486270402602, 7.85320462409583755648}};
  static const PetscInt first[] = {0, 0, 3};

  (void)state;
  for (int s = 0; s < 3; s++) {
    PetscReal coarse[5], fine[5];
    plane_frequencies("bodies.beam.theory=euler_bernoulli", supports[s], 8, NULL, coarse, 5);
    plane_frequencies("bodies.beam.theory=euler_bernoulli", supports[s], 16, NULL, fine, 5);
    for (int m = 0; m < 2; m++) {
      const PetscReal exact    = PetscSqr(roots[s][m]) * PetscSqrtReal(E * inertia_z() / (rho * area()));
      const PetscReal error[2] = {coarse[first[s] + m] / exact - 1, fine[first[s] + m] / exact - 1};
      assert_true(error[1] > 0 && error[1] < 6e-5);
      assert_near(PetscLog2Real(error[0] / error[1]), 4, 0.15);
    }
    for (PetscInt i = 0; i < first[s]; i++) assert_near(fine[i], 0, 2); /* sqrt of the rounding of 1e10 */
  }
}

/*
  Simply supported Timoshenko beam, k = n pi/L, kappa G/rho = s, E/rho = c:

      w^4 - w^2 (s k^2 + c k^2 + s A/I) + s c k^4 = 0

  The element's shear angle is constant, its rotary inertia consistent: the error is of second order.
*/
static void timoshenko_frequencies(void **state)
{
  static const char *const supports = "supports={ends: {at: [beam.left, beam.right], fix: y}, axis: {at: beam.all, fix: x}}";
  PetscReal                coarse[3], fine[3];

  (void)state;
  plane_frequencies(
    "bodies.beam.theory=timoshenko", supports, 16, "bodies.beam.section={rectangle: {width: 20 mm, height: 200 mm}, shear_factor: 0.8}", coarse, 3);
  plane_frequencies(
    "bodies.beam.theory=timoshenko", supports, 32, "bodies.beam.section={rectangle: {width: 20 mm, height: 200 mm}, shear_factor: 0.8}", fine, 3);
  for (int n = 1; n <= 3; n++) {
    const PetscReal k2 = PetscSqr(n * PETSC_PI), shear = 0.8 * G / rho, B = shear * k2 + E / rho * k2 + shear * 12 / 0.04,
                    C     = shear * E / rho * k2 * k2;
    const PetscReal exact = PetscSqrtReal(2 * C / (B + PetscSqrtReal(B * B - 4 * C)));
    assert_relative(fine[n - 1], exact, 2e-3);
    assert_true(PetscLog2Real((coarse[n - 1] - exact) / (fine[n - 1] - exact)) > 1.9);
  }
}

/* No locking: 1e4 times as long as high. */
static void slender_beams_do_not_lock(void **state)
{
  static const char *const set[] = {"bodies.beam.section={rectangle: {width: 0.1 mm, height: 0.1 mm}, shear_factor: 0.8}",
    "loads={tip: {at: beam.right, force: [0, 1e-6, 0]}}", NULL};
  TestRun                  test  = test_run_open(cantilever, set);
  const PetscReal          I4    = 1e-16 / 12;

  (void)state;
  assert_relative(probe_now(&test, "beam.right", "uy"), 1e-6 / (3 * E * I4) + 1e-6 / (0.8 * G * 1e-8), 1e-9);
  test_run_close(&test);
}

/* Uniform motion carries all mass, lumped or consistent; the lumped frequency converges, too. Weight is complete. */
static void mass_is_complete(void **state)
{
  static const char *const masses[] = {"bodies.beam.mass=consistent", "bodies.beam.mass=lumped"};
  static const double      none[3] = {0}, move[3] = {0.3, -0.4, 1.2};
  const PetscReal          exact = PetscSqr(1.87510406871196116644) * PetscSqrtReal(E * inertia_z() / (rho * area()));

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {masses[k], "gravity=[1, 2, -9.81]", NULL};
    TestRun           test  = test_run_open(oblique, set);
    NsEnergy          energy;
    PetscReal         mass = rho * area() * 1.5;
    set_rigid(&test, none, move, test.run->state.q);
    set_rigid(&test, none, move, test.run->state.v);
    CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
    assert_relative(energy.kinetic, mass / 2 * 1.69, 1e-10);
    assert_relative(energy.potential, -mass * (0.3 - 0.8 - 9.81 * 1.2), 1e-10);
    test_run_close(&test);
  }
  PetscReal coarse, fine;
  plane_frequencies("bodies.beam.theory=euler_bernoulli", "supports={clamp: {at: beam.left}}", 20, "bodies.beam.mass=lumped", &coarse, 1);
  plane_frequencies("bodies.beam.theory=euler_bernoulli", "supports={clamp: {at: beam.left}}", 40, "bodies.beam.mass=lumped", &fine, 1);
  assert_near(PetscLog2Real((coarse - exact) / (fine - exact)), 2, 0.2);
  assert_relative(fine, exact, 1e-3);
}

/* Spin of a rigid beam about its middle has rho A L^3/12 w^2/2 (and rho I L w^2/2 with rotary inertia), as consistent mass has it exactly. */
static void rotary_inertia_of_the_whole(void **state)
{
  static const char *const sets[][3] = {{"bodies.beam.theory=euler_bernoulli", NULL}, {"bodies.beam.theory=timoshenko", NULL},
    {"bodies.beam.theory=euler_bernoulli", "bodies.beam.rotary_inertia=yes", NULL}};
  const PetscReal          axis[3] = {1 / 1.5, 0.5 / 1.5, 1 / 1.5}, middle[3] = {0.6, 0.45, 0.8};

  (void)state;
  for (int k = 0; k < 3; k++) {
    TestRun   test = test_run_open(oblique, sets[k]);
    NsEnergy  energy;
    PetscReal frame[3][3];
    (void)NsFeBeamAxes(fe_of(&test)->body, fe_of(&test)->element, frame);
    for (int a = 0; a < 3; a++) {
      double    w[3], move[3];
      PetscReal inertia = a ? rho * area() * 1.5 * 1.5 * 1.5 / 12 : rho * (inertia_y() + inertia_z()) * 1.5;
      if (a == 1 && k) inertia += rho * inertia_y() * 1.5; /* axis 2: the one along the height */
      if (a == 2 && k) inertia += rho * inertia_z() * 1.5;
      for (int c = 0; c < 3; c++) w[c] = frame[a][c];
      for (int c = 0; c < 3; c++) move[c] = -(w[(c + 1) % 3] * middle[(c + 2) % 3] - w[(c + 2) % 3] * middle[(c + 1) % 3]);
      set_rigid(&test, w, move, test.run->state.v);
      CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
      assert_relative(energy.kinetic, inertia / 2, 1e-9);
    }
    assert_near(frame[0][0], axis[0], 1e-12);
    test_run_close(&test);
  }
}

/* w_n^2 = (n pi/L)^4 EI/(rho A) (1 + P L^2/(n^2 pi^2 EI)); at P = -pi^2 EI/L^2 the beam buckles. */
static void tension_stiffens_and_pressure_buckles(void **state)
{
  static const char *const supports = "supports={left: {at: beam.left, fix: [x, y]}, right: {at: beam.right, fix: y}}";
  const PetscReal          EI = E * inertia_z(), euler = PETSC_PI * PETSC_PI * EI;
  const PetscReal          shares[] = {2, -0.5, -0.999};

  (void)state;
  for (int k = 0; k < 3; k++) {
    char      force[64];
    PetscReal omega[2];
    snprintf(force, sizeof(force), "bodies.beam.axial_force=%.17g", shares[k] * euler);
    plane_frequencies("bodies.beam.theory=euler_bernoulli", supports, 16, force, omega, 2);
    for (int n = 1; n <= 2; n++) {
      const PetscReal exact = PetscSqr(n * PETSC_PI) * PetscSqrtReal(EI / (rho * area()) * (1 + shares[k] / (n * n)));
      assert_relative(omega[n - 1], exact, k == 2 && n == 1 ? 2e-3 : 4e-5);
    }
  }
  /* beyond it the stiffness has a negative eigenvalue: the frequency is cut to 0 */
  char      force[64];
  PetscReal omega[2];
  snprintf(force, sizeof(force), "bodies.beam.axial_force=%.17g", -1.001 * euler);
  plane_frequencies("bodies.beam.theory=euler_bernoulli", supports, 16, force, omega, 2);
  assert_near(omega[0], 0, 0);
}

/* The same in space, in both planes of bending: of a beam that is held against stretching and twisting. */
static void tension_stiffens_both_planes(void **state)
{
  static const char *const ends = "supports={ends: {at: [beam.left, beam.right], fix: [y, z]}, all: {at: beam.all, fix: [x, rx]}}";
  const PetscReal          P = 2e5, line = rho * area(), k2 = PETSC_PI * PETSC_PI;
  const char *const        set[] = {ends, "bodies.beam.axial_force=2e5", "bodies.beam.mesh.line={from: [0, 0, 0], to: [1, 0, 0], elements: 12}",
           "bodies.beam.theory=euler_bernoulli", "start=as_given", NULL};
  TestRun                  test  = test_run_open(cantilever, set);
  const Dense              d     = dense_matrices(&test);
  PetscReal               *omega = dense_new(&test, d.n);

  (void)state;
  dense_frequencies(&test, &d, omega);
  const PetscReal soft  = PetscSqrtReal((k2 * k2 * E * inertia_y() + P * k2) / line),
                  stiff = PetscSqrtReal((k2 * k2 * E * inertia_z() + P * k2) / line);
  assert_relative(omega[0], soft, 1e-5);
  PetscReal nearest = 0;
  for (PetscInt i = 0; i < d.n; i++) {
    if (PetscAbsReal(omega[i] - stiff) < PetscAbsReal(nearest - stiff)) nearest = omega[i];
  }
  assert_relative(nearest, stiff, 1e-5);
  test_run_close(&test);
}

/* Torsion: clamped-free (n - 1/2) pi sqrt(G/rho)/L of a tube, where the polar moment is the torsion constant. Second order, from above. */
static void torsion_frequencies(void **state)
{
  static const char *const fix = "supports={clamp: {at: beam.left}, guide: {at: beam.all, fix: [x, y, z, ry, rz]}}";
  PetscReal                error[2];

  (void)state;
  for (int k = 0; k < 2; k++) {
    char              mesh[128];
    const char *const set[] = {fix, mesh, "bodies.beam.section={tube: {outer_radius: 20 mm, inner_radius: 15 mm}}", NULL};
    snprintf(mesh, sizeof(mesh), "bodies.beam.mesh.line={from: [0, 0, 0], to: [1, 0, 0], elements: %d}", k ? 40 : 20);
    TestRun     test  = test_run_open(cantilever, set);
    const Dense d     = dense_matrices(&test);
    PetscReal  *omega = dense_new(&test, d.n);
    assert_int_equal(d.n, k ? 40 : 20);
    dense_frequencies(&test, &d, omega);
    error[k] = omega[1] / (1.5 * PETSC_PI * PetscSqrtReal(G / rho)) - 1;
    test_run_close(&test);
  }
  assert_true(error[1] > 0);
  assert_near(PetscLog2Real(error[0] / error[1]), 2, 0.05);
}

/*
  Truncated cone under a tip force, radius r0 to r1 over L: u = 4 P L^3/(3 pi E r0^3 r1) for bending of the clamped thick end (Euler-Bernoulli).
  Converges; a single exact stiffness needs no more than the mean of it.
*/
static void tapered_cone(void **state)
{
  PetscReal error[2];

  (void)state;
  for (int k = 0; k < 2; k++) {
    char              mesh[128];
    const char *const set[] = {"bodies.beam.section={circle: {radius: 30 mm}}", "bodies.beam.section_end={circle: {radius: 15 mm}}",
      "bodies.beam.theory=euler_bernoulli", "loads={tip: {at: beam.right, force: [0, 1000, 0]}}", mesh, NULL};
    snprintf(mesh, sizeof(mesh), "bodies.beam.mesh.line={from: [0, 0, 0], to: [1, 0, 0], elements: %d}", k ? 16 : 8);
    TestRun test = test_run_open(cantilever, set);
    error[k]     = probe_now(&test, "beam.right", "uy") / (4 * 1000 / (3 * PETSC_PI * E * 0.03 * 0.03 * 0.03 * 0.015)) - 1;
    test_run_close(&test);
  }
  assert_true(PetscAbsReal(error[1]) < 1e-5);
  assert_true(PetscLog2Real(error[0] / error[1]) > 3.8);
  /* the mass of a cone, in the matrix and as it is reported, on the coarsest of meshes */
  static const char *const cone[]  = {"bodies.beam.section={circle: {radius: 30 mm}}", "bodies.beam.section_end={circle: {radius: 15 mm}}",
     "supports={}", "start=as_given", "bodies.beam.mesh.line.elements=1", NULL};
  static const double      none[3] = {0}, move[3] = {1, 0, 2};
  TestRun                  test = test_run_open(cantilever, cone);
  const PetscReal          mass = rho * PETSC_PI / 3 * (9e-4 + 4.5e-4 + 2.25e-4);
  NsEnergy                 energy;
  set_rigid(&test, none, move, test.run->state.v);
  CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
  assert_relative(energy.kinetic, 2.5 * mass, 1e-12);
  assert_relative(test.run->model->mass_total, mass, 1e-12);
  test_run_close(&test);
}

/* Free vibration: at half the limit the energy stays within a band, of a beam and of a frame. */
static void energy_is_bounded(void **state)
{
  static const char *const theories[] = {"bodies.beam.theory=euler_bernoulli", "bodies.beam.theory=timoshenko"};
  char                     path[]     = "/tmp/percuss_mesh_XXXXXX.msh", mesh[128];

  (void)state;
  close(mkstemps(path, 4));
  write_mesh(path, corner);
  snprintf(mesh, sizeof(mesh), "bodies.beam.mesh={file: %s}", path);
  for (int k = 0; k < 4; k++) {
    char              step[64], end[64];
    const char *const set[] = {theories[k % 2], k < 2 ? "title=beam" : mesh, k < 2 ? "supports.clamp.at=beam.left" : "supports.clamp.at=beam.foot",
      "start=as_given", "bodies.beam.initial={velocity: [0.1, 0.2, 0.3]}", step, end, NULL};
    snprintf(step, sizeof(step), "scheme.step=1 ns");
    snprintf(end, sizeof(end), "time.end=1 ns");
    TestRun test = test_run_open(cantilever, set);
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    const PetscReal dt = 0.5 * test.run->stability.step_limit;
    test_run_close(&test);
    snprintf(step, sizeof(step), "scheme.step=%.17g", dt);
    snprintf(end, sizeof(end), "time.end=%.17g", 20000 * dt);
    test                    = test_run_open(cantilever, set);
    const PetscReal initial = test.run->ledger.initial;
    run_to_end(&test);
    /* modified energy of the Verlet scheme: E (1 - (w dt)^2/4 sin^2) of each mode, at most 1/3 of it at w dt = 1 */
    assert_true(test.run->ledger.numerical_max < 0.35 * initial);
    PetscReal mean = 0;
    for (int i = 0; i < 2000; i++) {
      test_step(test.run);
      CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
      mean += test.run->ledger.numerical / 2000;
    }
    assert_true(PetscAbsReal(mean) < 0.15 * initial);
    test_run_close(&test);
  }
  unlink(path);
}

/* Energy after so many steps at a share of the exact limit, from a random-like start. */
static PetscReal growth_at(const char *const *extra, PetscReal share)
{
  char        step[64];
  const char *set[10] = {"start=as_given", "scheme.step=1 ns", "time.end=1"};
  int         n       = 3;

  for (; extra[n - 3]; n++) set[n] = extra[n - 3];
  set[n]       = NULL;
  TestRun test = test_run_open(cantilever, set);
  CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
  snprintf(step, sizeof(step), "scheme.step=%.17g", share * test.run->stability.step_limit);
  test_run_close(&test);
  set[1] = step;
  test   = test_run_open(cantilever, set);
  PetscScalar *v;
  NsEnergy     before, after;
  CHECK(VecGetArray(test.run->state.v, &v));
  for (PetscInt i = 0; i < test.run->model->unknowns; i++) v[i] = PetscSinReal(7.0 * (PetscReal)(i + 1));
  CHECK(VecRestoreArray(test.run->state.v, &v));
  CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &before));
  for (int i = 0; i < 1500; i++) test_step(test.run);
  CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &after));
  test_run_close(&test);
  return (after.kinetic + after.elastic) / (before.kinetic + before.elastic);
}

/* Undamped: stable below the exact limit, blows up above it; with damping the limit is on the safe side. */
static void step_limit_is_right(void **state)
{
  static const char *const plain[][4]  = {{"bodies.beam.theory=euler_bernoulli", NULL}, {"bodies.beam.theory=timoshenko", NULL},
     {"bodies.beam.mass=lumped", NULL}, {"springs={mount: {between: [beam.right, ground], stiffness: 1e12, direction: [0, 1, 0]}}", NULL},
     {"discs={wheel: {at: beam@0.45, mass: 3, polar_inertia: 0.02, diametral_inertia: 0.01}}", "bodies.beam.axial_force=1e6", NULL}};
  static const char *const damped[][3] = {{"bodies.beam.damping={rayleigh: {mass: 100, stiffness: 1 us}, torsion: 0.1}", NULL},
    {"springs={mount: {between: [beam.right, ground], stiffness: 1e8, damping: 1e5, direction: [0, 1, 0]}}", NULL}};

  (void)state;
  for (size_t k = 0; k < sizeof(plain) / sizeof(plain[0]); k++) {
    assert_true(growth_at(plain[k], 0.99) < 100);
    assert_false(growth_at(plain[k], 1.01) < 1e6);
  }
  for (size_t k = 0; k < sizeof(damped) / sizeof(damped[0]); k++) assert_true(growth_at(damped[k], 0.99) < 100);
}

/* The bounds are never below the exact values, and the limit of the step by the exact ones never below that by the bounds; not far off either. */
static void frequency_bound_is_a_bound(void **state)
{
  static const char *const sets[][4] = {
    {"start=as_given", NULL},
    {"bodies.beam.damping={rayleigh: {mass: 100, stiffness: 1 us}, torsion: 0.1}", NULL},
    {"bodies.beam.damping={torsion: 5}", "bodies.beam.mesh.line={from: [0, 0, 0], to: [1, 0, 0], elements: 10}", NULL},
    {"springs={a: {between: [beam@0.9, ground], stiffness: 1e12, damping: 1e5, direction: [0, 1, 0]}}", NULL},
    {"springs={a: {between: [beam@0.3, beam@0.9], stiffness: 1e13, damping: 1e6}}", NULL},
    {"bearings={a: {between: [beam.right, beam@0.5], rotational_stiffness: 1e8, rotational_damping: 10}}", "bodies.beam.mass=lumped", NULL},
    {"discs={wheel: {at: beam@0.45, mass: 3, polar_inertia: 0.02, diametral_inertia: 0.01}}", "bodies.beam.axial_force=1e6",
      "springs={a: {between: [beam@0.45, ground], stiffness: 1e12, direction: [0, 0, 1]}}", NULL},
  };

  (void)state;
  for (size_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++) {
    TestRun   test = test_run_open(cantilever, sets[k]);
    PetscReal omega, rate;
    NsBound   bound, bound_rate;
    CHECK(NsFeFrequencyBound(test.run->model, 0, &bound, &bound_rate));
    CHECK(NsFeHighestMode(test.run->model, 0, &omega, &rate));
    const Dense d   = dense_matrices(&test);
    PetscReal  *all = dense_new(&test, d.n);
    dense_frequencies(&test, &d, all);
    assert_relative(omega, all[d.n - 1], 1e-6);
    assert_true(all[d.n - 1] <= bound.value * (1 + 1e-6));
    assert_true(bound.value < 2 * omega);
    const Dense dampers = {d.n, d.M, d.C, d.G, d.C};
    dense_frequencies(&test, &dampers, all);
    assert_near(rate, PetscSqr(all[d.n - 1]), 1e-6 * rate + 1e-9);
    assert_true(PetscSqr(all[d.n - 1]) <= bound_rate.value * (1 + 1e-6));
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(rigid_motion_gives_no_force),
  cmocka_unit_test(constant_strains_are_exact),
  cmocka_unit_test(cantilever_is_exact),
  cmocka_unit_test(stress_of_a_rectangle),
  cmocka_unit_test(planar_is_spatial_in_the_plane),
  cmocka_unit_test(any_orientation_is_the_same),
  cmocka_unit_test(frame_in_space),
  cmocka_unit_test(frequencies_converge_with_order_four),
  cmocka_unit_test(timoshenko_frequencies),
  cmocka_unit_test(slender_beams_do_not_lock),
  cmocka_unit_test(mass_is_complete),
  cmocka_unit_test(rotary_inertia_of_the_whole),
  cmocka_unit_test(tension_stiffens_and_pressure_buckles),
  cmocka_unit_test(tension_stiffens_both_planes),
  cmocka_unit_test(torsion_frequencies),
  cmocka_unit_test(tapered_cone),
  cmocka_unit_test(energy_is_bounded),
  cmocka_unit_test(step_limit_is_right),
  cmocka_unit_test(frequency_bound_is_a_bound),
};
TEST_MAIN(tests)
