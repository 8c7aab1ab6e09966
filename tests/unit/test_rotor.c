/*
  Rotors: spin, free or prescribed; gyroscopic moments, unbalances, loads that turn, bearings, discs within elements, shafts in any direction,
  stations.
*/
#include <complex.h>
#undef I
#include "dense.h"
#include "fe/elements/beam.h"

/* A shaft along x with a disc off its middle, undamped; spin, unbalance and gravity as the tests say. */
static const char *const rotor = "bodies:\n"
                                 "  shaft:\n"
                                 "    type: rotor\n"
                                 "    mesh: {line: {from: [0, 0, 0], to: [0.6, 0, 0], elements: 6}, nodes: {disc: 0.2}}\n"
                                 "    material: {density: 7800, young: 210 GPa, shear_modulus: 80 GPa}\n"
                                 "    section: {circle: {radius: 10 mm}}\n"
                                 "    spin: 300 rad/s\n"
                                 "discs: {wheel: {at: shaft.disc, mass: 4, polar_inertia: 0.02, diametral_inertia: 0.012}}\n"
                                 "bearings:\n"
                                 "  left: {between: [shaft.left, ground], stiffness: 2e6}\n"
                                 "  right: {between: [shaft.right, ground], stiffness: 1e6}\n"
                                 "scheme: {type: half_explicit, step: 5 us}\n"
                                 "time: {end: 50 ms}\n";

static const char *const unbalance = "unbalances={mark: {at: shaft.disc, mass_eccentricity: 2e-4, phase: 40 deg}}";
static const char *const weight    = "gravity=[0, 2, -9.81]";
static const char *const free_spin = "bodies.shaft.spin={free: 300 rad/s}";

/* Values of `place` along y and z and the twist rate at the end of a run of `config` with these settings; NULL: not wanted. */
static PetscReal end_of(const char *config, const char *const *set, const char *place, PetscReal u[2])
{
  TestRun test = test_run_open(config, set);

  run_to_end(&test);
  u[0]                   = probe_now(&test, place, "uy");
  u[1]                   = probe_now(&test, place, "uz");
  const PetscReal energy = test.run->ledger.numerical_max;
  test_run_close(&test);
  return energy;
}

/* Angular momentum about the axis: of the twist, and of what goes round it: sum over lateral pairs (x2 p3 - x3 p2), p = M(q) v. */
static PetscReal angular_momentum(const TestRun *test)
{
  const NsFe        *fe = fe_of(test);
  const NsState     *x  = &test->run->state;
  Vec                p;
  const PetscScalar *value, *q;
  PetscReal          sum = 0;

  CHECK(VecDuplicate(x->q, &p));
  CHECK(NsModelMult(test->run->model, x->t, x->q, x->v, p));
  CHECK(VecGetArrayRead(p, &value));
  CHECK(VecGetArrayRead(x->q, &q));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt *u = NsFeNodeUnknowns(fe, i); /* u2, u3, r1, r2, r3 */
    sum += value[u[2]] + q[u[0]] * value[u[1]] - q[u[1]] * value[u[0]] + q[u[3]] * value[u[4]] - q[u[4]] * value[u[3]];
  }
  CHECK(VecRestoreArrayRead(x->q, &q));
  CHECK(VecRestoreArrayRead(p, &value));
  CHECK(VecDestroy(&p));
  return sum;
}

/*
  Free spin, no losses: the energy stays, but for what falls with the square of the step; so does the angular momentum without gravity and gyroscopes.
*/
static void free_spin_conserves_energy_and_angular_momentum(void **state)
{
  static const char *const steps[] = {"scheme.step=4 us", "scheme.step=2 us"};

  (void)state;
  for (int g = 0; g < 2; g++) {
    for (int gyroscopic = 0; gyroscopic < 2; gyroscopic++) {
      PetscReal drift[2], momentum[2], kinetic = 0, first = 0;
      for (int k = 0; k < 2; k++) {
        const char *const set[] = {unbalance, free_spin, steps[k], g ? weight : "gravity=[0, 0, 0]",
          gyroscopic ? "bodies.shaft.gyroscopic=true" : "bodies.shaft.gyroscopic=false",
          gyroscopic ? "discs.wheel.gyroscopic=true" : "discs.wheel.gyroscopic=false", NULL};
        TestRun           test  = test_run_open(rotor, set);
        first                   = angular_momentum(&test);
        kinetic                 = test.run->ledger.initial;
        momentum[k]             = 0;
        for (PetscInt64 i = 0; i < test.run->steps; i++) {
          test_step(test.run);
          CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
          momentum[k] = PetscMax(momentum[k], PetscAbsReal(angular_momentum(&test) - first));
        }
        drift[k] = test.run->ledger.numerical_max;
        assert_near(test.run->ledger.damping, 0, 0);
        assert_near(test.run->ledger.load, 0, 0);
        test_run_close(&test);
      }
      assert_true(drift[1] < 1e-5 * kinetic);
      assert_near(PetscLog2Real(drift[0] / drift[1]), 2, 0.3);
      if (g || gyroscopic) continue;
      assert_true(momentum[1] < 1e-5 * first);
      assert_near(PetscLog2Real(momentum[0] / momentum[1]), 2, 0.3);
    }
  }
}

/* A torque runs the rotor through its first critical speed: what it puts in is found again, with order two. */
static void run_up_closes_its_ledger(void **state)
{
  static const char *const steps[] = {"scheme.step=8 us", "scheme.step=4 us"};
  PetscReal                error[2];

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {unbalance, "bodies.shaft.spin={free: 0}", "loads={motor: {at: shaft.right, moment: [40, 0, 0]}}", steps[k],
      "time.end=0.3", weight, "bodies.shaft.damping={rayleigh: {mass: 20}, torsion: 0.01}", NULL};
    TestRun           test  = test_run_open(rotor, set);
    run_to_end(&test);
    const NsLedger *ledger = &test.run->ledger;
    error[k]               = ledger->numerical_max;
    assert_true(ledger->load > 100 && ledger->damping > 0.01);
    assert_true(ledger->numerical_max < 1e-4 * ledger->load);
    assert_true(probe_now(&test, "shaft.disc", "wx") > 400);
    test_run_close(&test);
  }
  assert_near(PetscLog2Real(error[0] / error[1]), 2, 0.4);
}

/* A flywheel of any size makes a free spin a prescribed one. Its own gyroscopic moment is left out, the shaft is stiff against twist. */
static void huge_inertia_is_prescribed_spin(void **state)
{
  static const char *const constant[] = {
    unbalance, weight, "bodies.shaft.spin=300 rad/s", "discs.big={at: shaft.disc, mass: 1e-9, polar_inertia: 1e9, gyroscopic: false}", NULL};
  const char *const free[] = {unbalance, weight, free_spin, constant[3], NULL};
  PetscReal         u[2], v[2];

  (void)state;
  end_of(rotor, constant, "shaft.disc", u);
  end_of(rotor, free, "shaft.disc", v);
  for (int k = 0; k < 2; k++) assert_near(v[k], u[k], 1e-6 * hypot(u[0], u[1]));
  /* and of a ramp: the torque J alpha against a table; the acceleration of the unbalance is in one of them part of the mass matrix */
  const char *const table[]  = {unbalance, weight, "bodies.shaft.spin={table: [[0, 0], [50 ms, 500 rad/s]]}", constant[3], NULL};
  const char *const torque[] = {
    unbalance, weight, "bodies.shaft.spin={free: 0}", constant[3], "loads={motor: {at: shaft.disc, moment: [1e13, 0, 0]}}", NULL};
  end_of(rotor, table, "shaft.disc", u);
  end_of(rotor, torque, "shaft.disc", v);
  for (int k = 0; k < 2; k++) assert_near(v[k], u[k], 1e-6 * hypot(u[0], u[1]));
}

/* Constant spin (gyroscopic terms in a matrix), a table of that value (in a force) and free spin without unbalance: one and the same motion. */
static void three_definitions_of_a_spin_agree(void **state)
{
  static const char *const kick    = "bodies.shaft.initial={velocity: [0, 0.1, 0.2]}";
  static const char *const spins[] = {
    "bodies.shaft.spin=300 rad/s", "bodies.shaft.spin={table: [[0, 300 rad/s], [1, 300 rad/s]]}", "bodies.shaft.spin={free: 300 rad/s}"};
  PetscReal u[3][2], heavy[2][2];

  (void)state;
  for (int k = 0; k < 3; k++) {
    const char *const set[] = {kick, spins[k], weight, "loads={push: {at: shaft.right, force: [0, 100, 50], rotating: true}}", NULL};
    end_of(rotor, set, "shaft.disc", u[k]);
    const char *const with[] = {kick, spins[k], weight, unbalance, NULL};
    if (k < 2) end_of(rotor, with, "shaft.disc", heavy[k]);
  }
  for (int i = 0; i < 2; i++) {
    assert_near(u[1][i], u[0][i], 1e-9 * hypot(u[0][0], u[0][1]));
    assert_near(u[2][i], u[0][i], 1e-9 * hypot(u[0][0], u[0][1]));
    assert_near(heavy[1][i], heavy[0][i], 1e-9 * hypot(heavy[0][0], heavy[0][1]));
  }
}

/* A table that has become constant is a constant spin with another phase. */
static void ramp_that_ends_is_constant(void **state)
{
  static const char *const table[] = {unbalance, "bodies.shaft.spin={table: [[0, 100 rad/s], [20 ms, 300 rad/s]]}", NULL};
  TestRun                  test    = test_run_open(rotor, table);
  PetscReal               *f = dense_new(&test, test.run->model->unknowns), *g = dense_new(&test, test.run->model->unknowns);
  const PetscReal          angle = 200 * 0.02 + 300 * 0.03 + PETSC_PI * 40 / 180;
  char                     mark[200];

  (void)state;
  force_at(&test, 0.05, NULL, NULL, f);
  assert_near(probe_of(&test, "shaft.disc", "uy", f, f), 2e-4 * 9e4 * PetscCosReal(angle), 1e-9);
  assert_near(probe_of(&test, "shaft.disc", "uz", f, f), 2e-4 * 9e4 * PetscSinReal(angle), 1e-9);
  /* on the ramp: psi'' = 1e4 */
  force_at(&test, 0.01, NULL, NULL, g);
  const PetscReal there = 150 * 0.01 + PETSC_PI * 40 / 180;
  assert_near(probe_of(&test, "shaft.disc", "uy", g, g), 2e-4 * (4e4 * PetscCosReal(there) + 1e4 * PetscSinReal(there)), 1e-9);
  assert_near(probe_of(&test, "shaft.disc", "uz", g, g), 2e-4 * (4e4 * PetscSinReal(there) - 1e4 * PetscCosReal(there)), 1e-9);
  test_run_close(&test);
  snprintf(mark, sizeof(mark), "unbalances={mark: {at: shaft.disc, mass_eccentricity: 2e-4, phase: %.17g rad}}", angle - 300 * 0.05);
  const char *const constant[] = {mark, NULL};
  test                         = test_run_open(rotor, constant);
  g                            = dense_new(&test, test.run->model->unknowns);
  force_at(&test, 0.05, NULL, NULL, g);
  assert_near(probe_of(&test, "shaft.disc", "uz", g, g), 2e-4 * 9e4 * PetscSinReal(angle), 1e-9);
  test_run_close(&test);
}

/* A body that spins free of all torques nods at Jp Omega/Jt; and gyroscopic moments do no work. */
static void free_disc_precesses(void **state)
{
  static const char *const set[] = {"bearings={}",
    "bodies.shaft.mesh={line: {from: [-50 mm, 0, 0], to: [50 mm, 0, 0], elements: 2}, nodes: {disc: 50 mm}}",
    "bodies.shaft.section={circle: {radius: 20 mm}}", NULL};
  TestRun                  test  = test_run_open(rotor, set);
  const Dense              d     = dense_matrices(&test);
  PetscReal               *w     = dense_new(&test, 2 * d.n);
  const PetscReal          line = 7800 * PETSC_PI * 4e-4, second = PETSC_PI / 4 * 16e-8;
  const PetscReal          Jp = 0.02 + 2 * 7800 * second * 0.1, Jt = 0.012 + line * 1e-3 / 12 + 7800 * second * 0.1;

  (void)state;
  for (PetscInt i = 0; i < d.n; i++) {
    for (PetscInt j = 0; j < d.n; j++) assert_near(d.G[i * d.n + j], -d.G[j * d.n + i], 0);
  }
  assert_true(dense_whirl(&test, &d, 50, w) > 0); /* a rigid body's zeros are no better than sqrt of rounding */
  assert_relative(w[0], Jp * 300 / Jt, 1e-4);
  /* the sense: M2 = -Jp Omega theta3', M3 = Jp Omega theta2' */
  Vec          v;
  PetscScalar *value;
  PetscReal   *f = dense_new(&test, d.n), *none = dense_new(&test, d.n);
  CHECK(VecDuplicate(test.run->state.v, &v));
  CHECK(VecGetArray(v, &value));
  for (PetscInt i = 0; i < 3; i++) {
    value[NsFeNodeUnknowns(fe_of(&test), i)[3]] = 1; /* r3' = 1 everywhere, u2' = x */
    value[NsFeNodeUnknowns(fe_of(&test), i)[0]] = fe_of(&test)->x[3 * i];
  }
  CHECK(VecRestoreArray(v, &value));
  force_at(&test, 0, NULL, v, f);
  force_at(&test, 0, NULL, NULL, none);
  PetscReal moment = 0;
  for (PetscInt i = 0; i < 3; i++) { /* about axis 2: r2, and u3 = -x r2 */
    const PetscInt *u = NsFeNodeUnknowns(fe_of(&test), i);
    moment += f[u[2]] - none[u[2]] - fe_of(&test)->x[3 * i] * (f[u[1]] - none[u[1]]);
  }
  assert_relative(moment, -Jp * 300, 1e-9);
  CHECK(VecDestroy(&v));
  test_run_close(&test);
}

/* The polar moment of a shaft alone, consistent and lumped, by the moment it needs to be tilted at the rate 1: M2 = -Jp Omega, M3 = Jp Omega. */
static void polar_moment_of_the_shaft(void **state)
{
  static const char *const masses[] = {"bodies.shaft.mass=consistent", "bodies.shaft.mass=lumped"};
  const PetscReal          Jp       = 2 * 7800 * PETSC_PI / 4 * 1e-8 * 0.6;

  (void)state;
  for (int k = 0; k < 4; k++) {
    const char *const set[] = {masses[k % 2], "discs={}", "bearings={}", NULL};
    TestRun           test  = test_run_open(rotor, set);
    const NsFe       *fe    = fe_of(&test);
    const Dense       d     = dense_matrices(&test);
    PetscReal        *f = dense_new(&test, d.n), *v = dense_new(&test, d.n), moment = 0;
    for (PetscInt i = 0; i < fe->nodes; i++) { /* r3 = 1, u2 = x; or r2 = 1, u3 = -x */
      v[NsFeNodeUnknowns(fe, i)[k < 2 ? 3 : 2]] = 1;
      v[NsFeNodeUnknowns(fe, i)[k < 2 ? 0 : 1]] = (k < 2 ? 1 : -1) * fe->x[3 * i];
    }
    for (PetscInt i = 0; i < d.n; i++) {
      for (PetscInt j = 0; j < d.n; j++) f[i] -= d.G[i * d.n + j] * v[j];
    }
    for (PetscInt i = 0; i < fe->nodes; i++) {
      const PetscInt *u = NsFeNodeUnknowns(fe, i);
      moment += k < 2 ? f[u[2]] - fe->x[3 * i] * f[u[1]] : f[u[3]] + fe->x[3 * i] * f[u[0]];
    }
    assert_relative(moment, (k < 2 ? -1 : 1) * Jp * 300, 1e-9);
    for (PetscInt i = 0; i < d.n; i++) {
      for (PetscInt j = 0; j < d.n; j++) assert_near(d.G[i * d.n + j], -d.G[j * d.n + i], 0);
    }
    test_run_close(&test);
  }
}

/* A load that turns with the shaft is two that swing; whatever the sense of the spin, stepped and by modes. */
static void rotating_load_is_two_harmonic_ones(void **state)
{
  static const char *const turning = "loads={a: {at: shaft.right, force: [0, 300, 200], moment: [0, 20, -30], rotating: true}}";
  PetscReal                u[2], v[2];

  (void)state;
  for (int k = 0; k < 4; k++) {
    char              loads[500];
    const int         sense  = k % 2 ? -1 : 1;
    const char       *spin   = sense > 0 ? "bodies.shaft.spin=300 rad/s" : "bodies.shaft.spin=-300 rad/s";
    const char       *scheme = k < 2 ? "scheme.type=half_explicit" : "scheme={type: modal, step: 50 us, modes: 8}";
    const char *const one[]  = {turning, spin, scheme, NULL};
    snprintf(loads, sizeof(loads),
      "loads={a: {at: shaft.right, force: [0, 300, 200], moment: [0, 20, -30], time: {harmonic: {frequency: 300 rad/s, phase: 90 deg}}}, "
      "b: {at: shaft.right, force: [0, "
      "%d, %d], moment: [0, %d, %d], time: {harmonic: {frequency: 300 rad/s}}}}",
      -200 * sense, 300 * sense, 30 * sense, 20 * sense);
    const char *const two[] = {loads, spin, scheme, NULL};
    end_of(rotor, one, "shaft.disc", u);
    end_of(rotor, two, "shaft.disc", v);
    for (int i = 0; i < 2; i++) assert_near(v[i], u[i], 1e-9 * hypot(u[0], u[1]));
  }
}

/* A mass on a short stiff shaft whose ends do not tilt: a Jeffcott rotor. */
static const char *const jeffcott = "bodies:\n"
                                    "  shaft:\n"
                                    "    type: rotor\n"
                                    "    mesh: {line: {from: [0, 0, 0], to: [0.1, 0, 0], elements: 1}}\n"
                                    "    material: {density: 1000, young: 210 GPa}\n"
                                    "    section: {circle: {radius: 1 mm}}\n"
                                    "    spin: 300 rad/s\n"
                                    "    initial: {displacement: [0, 1 mm, 0]}\n"
                                    "supports: {straight: {at: shaft.all, fix: rotations}}\n"
                                    "masses: {ends: {at: shaft.all, mass: 1}}\n"
                                    "bearings:\n"
                                    "  left: {between: [shaft.left, ground], stiffness: [1e4, 300, -300, 1e4], damping: 2}\n"
                                    "  right: {between: [shaft.right, ground], stiffness: [1e4, 300, -300, 1e4], damping: 2}\n"
                                    "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                    "time: {end: 1}\n";

/* m s^2 + c s + k - i kx = 0: unstable forwards above c w = kx; in time, too, and the ledger books the energy as external work. */
static void cross_coupling_excites_forward_whirl(void **state)
{
  static const char *const damping[] = {"2", "6"}; /* about the threshold kx/w = 300/100 */
  const PetscReal          m         = 1 + 1000 * PETSC_PI * 1e-6 * 0.1 / 2;

  (void)state;
  for (int k = 0; k < 2; k++) {
    char left[64], right[64];
    snprintf(left, sizeof(left), "bearings.left.damping=%s", damping[k]);
    snprintf(right, sizeof(right), "bearings.right.damping=%s", damping[k]);
    const char *const    set[] = {left, right, NULL};
    TestRun              test  = test_run_open(jeffcott, set);
    const Dense          d     = dense_matrices(&test);
    PetscReal           *real = dense_new(&test, 2 * d.n), *imaginary = dense_new(&test, 2 * d.n), largest = -1e30;
    const PetscReal      c     = k ? 6 : 2;
    const double complex s     = (-c + csqrt(c * c - 4 * m * (1e4 - 300 * _Complex_I))) / (2 * m),
                         other = (-c - csqrt(c * c - 4 * m * (1e4 - 300 * _Complex_I))) / (2 * m);
    const PetscReal expected   = PetscMax(creal(s), creal(other));
    dense_modes(&test, &d, real, imaginary);
    for (PetscInt i = 0; i < 2 * d.n; i++) {
      if (PetscAbsReal(imaginary[i]) < 200) largest = PetscMax(largest, real[i]);
    }
    assert_near(largest, expected, 1e-6);
    assert_true(k ? expected < -1 : expected > 0.4);
    run_to_end(&test);
    PetscReal radius[2] = {hypot(probe_now(&test, "shaft.left", "uy"), probe_now(&test, "shaft.left", "uz")), 0};
    for (int i = 0; i < 10000; i++) test_step(test.run);
    radius[1] = hypot(probe_now(&test, "shaft.left", "uy"), probe_now(&test, "shaft.left", "uz"));
    if (!k) {
      assert_near(PetscLogReal(radius[1] / radius[0]), expected, 0.2);
      assert_true(probe_now(&test, "shaft.left", "uy") * probe_now(&test, "shaft.left", "vz") -
                    probe_now(&test, "shaft.left", "uz") * probe_now(&test, "shaft.left", "vy") >
                  0);
      assert_true(test.run->ledger.load > 0);
    } else {
      assert_true(radius[1] < radius[0]);
    }
    assert_true(test.run->ledger.numerical_max < 1e-4 * test.run->ledger.initial + 1e-4 * test.run->ledger.damping);
    test_run_close(&test);
  }
}

/* The force of a bearing at some state, whichever way it was written: tables at a speed between rows, matrices 6 x 6, numbers. */
static void equivalent_bearings_give_the_same(void **state)
{
  static const char *const same[][4] = {
    {"bodies.shaft.spin=150 rad/s", "bearings={left: {between: [shaft.left, ground], stiffness: [1.5e6, 2e5, -1e5, 3e6], damping: [15, 4, -6, 30]}}",
      NULL},
    {"bodies.shaft.spin=150 rad/s",
      "bearings={left: {between: [shaft.left, ground], over_speed: [[100 rad/s, 1e6, 1e5, 0, 2e6, 10, 2, -2, 20], [200 rad/s, 2e6, 3e5, -2e5, "
      "4e6, 20, 6, -10, 40]]}}",
      NULL},
    {"bodies.shaft.spin={table: [[0, 150 rad/s], [1, 150 rad/s]]}",
      "bearings={left: {between: [shaft.left, ground], over_speed: [[100 rad/s, 1e6, 1e5, 0, 2e6, 10, 2, -2, 20], [200 rad/s, 2e6, 3e5, -2e5, "
      "4e6, 20, 6, -10, 40]]}}",
      NULL},
    {"bodies.shaft.spin={free: 150 rad/s}",
      "bearings={left: {between: [ground, shaft.left], over_speed: [[100 rad/s, 1e6, 1e5, 0, 2e6, 10, 2, -2, 20], [200 rad/s, 2e6, 3e5, -2e5, "
      "4e6, 20, 6, -10, 40]]}}",
      NULL},
    {"bodies.shaft.spin=150 rad/s",
      "bearings={left: {between: [shaft.left, ground], stiffness_matrix: [0, 0, 0, 0, 0, 0,  0, 1.5e6, 2e5, 0, 0, 0,  0, -1e5, 3e6, 0, 0, 0,  0, "
      "0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0], "
      "damping: [15, 4, -6, 30]}}",
      NULL},
    {"bodies.shaft.spin=150 rad/s",
      "bearings={left: {between: [shaft.left, ground], stiffness: [1.5e6, 2e5, -1e5, 3e6], damping_matrix: [0, 0, 0, 0, 0, 0,  0, 15, 4, 0, 0, 0, "
      " 0, -6, 30, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0]}}",
      NULL},
  };
  PetscReal first[6] = {0};

  (void)state;
  for (size_t k = 0; k < sizeof(same) / sizeof(same[0]); k++) {
    TestRun      test = test_run_open(rotor, same[k]);
    const NsFe  *fe   = fe_of(&test);
    PetscScalar *q, *v;
    PetscReal   *f = dense_new(&test, test.run->model->unknowns);
    NsPower      power;
    CHECK(VecZeroEntries(test.run->state.q));
    CHECK(VecGetArray(test.run->state.q, &q));
    CHECK(VecGetArray(test.run->state.v, &v));
    for (PetscInt i = 0; i < fe->nodes; i++) {
      const PetscInt *u = NsFeNodeUnknowns(fe, i); /* a rigid move: the bearing alone acts */
      q[u[0]]           = 1e-3;
      q[u[1]]           = 2e-3;
      v[u[0]]           = 3;
      v[u[1]]           = -1;
    }
    CHECK(VecRestoreArray(test.run->state.v, &v));
    CHECK(VecRestoreArray(test.run->state.q, &q));
    force_at(&test, 0, test.run->state.q, test.run->state.v, f);
    CHECK(NsModelPower(test.run->model, 0, test.run->state.q, test.run->state.v, test.run->state.v, &power));
    const PetscReal got[] = {probe_of(&test, "shaft.left", "uy", f, f), probe_of(&test, "shaft.left", "uz", f, f)};
    assert_near(got[0], -(1500 + 400 + 45 - 4), 1e-6);
    assert_near(got[1], -(-100 + 6000 - 18 - 30), 1e-6);
    assert_near(power.damping, 3 * (45 - 4) - (-18 - 30), 1e-6);
    first[0] = k ? first[0] : got[0];
    test_run_close(&test);
  }
}

/* The 6 x 6 form with moments and tilts; frames: axis 1 along the shaft. f = -K r for a unit of each motion of the node. */
static void six_by_six(void **state)
{
  char      text[2000] = "bodies.shaft.axial=true", bearing[2000] = "bearings={left: {between: [shaft.left, ground], stiffness_matrix: [";
  PetscReal K[36];

  (void)state;
  for (int i = 0; i < 36; i++) {
    const int row = i / 6;
    K[i]          = 1000 * (row + 1) + 37 * (i % 6) + (i % 7 == 0 ? 1e5 : 0);
    snprintf(bearing + strlen(bearing), sizeof(bearing) - strlen(bearing), "%s%g", i ? ", " : "", K[i]);
  }
  snprintf(bearing + strlen(bearing), sizeof(bearing) - strlen(bearing), "]}}");
  for (int way = 0; way < 2; way++) {
    const char *const set[]     = {text, bearing, free_spin, way ? "bodies.shaft.mesh.line.to=[0, 0.36, 0.48]" : "title=x", NULL};
    const char *const without[] = {text, "bearings={}", free_spin, set[3], NULL};
    TestRun           test = test_run_open(rotor, set), other = test_run_open(rotor, without);
    const Dense       d = dense_matrices(&test), e = dense_matrices(&other);
    const PetscInt   *u = NsFeNodeUnknowns(fe_of(&test), 0);
    for (int i = 0; i < 36; i++) {
      const PetscInt at = u[i / 6] * d.n + u[i % 6];
      assert_near(d.K[at] - e.K[at], K[i], 1e-4); /* behind 1e8 of the shaft's own */
    }
    test_run_close(&test);
    test_run_close(&other);
  }
}

/*
  A disc within an element: the shape functions have no kink of curvature where its moment of inertia bends the shaft, so that modes in which it tilts
  come down with the first power of the element length or less (2 % at 20 elements), others are right at once. Its mass and moments are those of its
  shape.
*/
static void disc_within_an_element(void **state)
{
  static const char *const node[] = {"bodies.shaft.mesh={line: {from: [0, 0, 0], to: [0.6, 0, 0], elements: 60}, nodes: {disc: 0.2}}", NULL};
  PetscReal                exact[6], error[3];

  (void)state;
  for (int k = -1; k < 3; k++) {
    char              mesh[200];
    const char *const set[] = {"discs.wheel.at=shaft@200 mm", mesh, NULL};
    snprintf(mesh, sizeof(mesh), "bodies.shaft.mesh={line: {from: [0, 0, 0], to: [0.6, 0, 0], elements: %d}}",
      10 << PetscMax(k, 0)); /* 200 mm: at 1/3 or 2/3 of an element */
    TestRun     test = test_run_open(rotor, k < 0 ? node : set);
    const Dense d    = dense_matrices(&test);
    PetscReal  *w    = dense_new(&test, 2 * d.n);
    dense_whirl(&test, &d, 1, w);
    for (int i = 0; i < 6 && k < 0; i++) exact[i] = w[i];
    error[PetscMax(k, 0)] = w[2] / exact[2] - 1;
    for (int i = 0; i < 2 && k > 0; i++) assert_relative(w[i], exact[i], 2e-3);
    test_run_close(&test);
  }
  assert_true(error[2] > 0 && error[2] < error[1] && error[1] < error[0] && error[2] < 0.015);
  static const char *const shape[] = {
    "discs.wheel={at: shaft@215 mm, shape: {outer_radius: 0.1, inner_radius: 0.04, thickness: 0.03, density: 7000}}", NULL};
  TestRun            test = test_run_open(rotor, shape);
  const NsFeInertia *disc = &fe_of(&test)->inertia[0];
  const PetscReal    m    = 7000 * PETSC_PI * (0.01 - 0.0016) * 0.03;
  assert_relative(disc->mass, m, 1e-12);
  assert_relative(disc->inertia[0], m / 2 * 0.0116, 1e-12);
  assert_relative(disc->inertia[1], m * (3 * 0.0116 + 9e-4) / 12, 1e-12);
  test_run_close(&test);
}

/* A load across an oblique shaft is across it but for rounding: it may turn with it, whatever the direction. */
static void loads_turn_with_oblique_shafts(void **state)
{
  (void)state;
  for (int k = 1; k < 20; k++) {
    const PetscReal   axis[3] = {PetscCosReal(k), PetscSinReal(k) * PetscCosReal(2 * k), PetscSinReal(k) * PetscSinReal(2 * k)};
    PetscReal         frame[3][3];
    char              mesh[200], load[300];
    const char *const set[] = {mesh, load, NULL};
    assert_true(NsBeamFrame(axis, NULL, frame));
    snprintf(mesh, sizeof(mesh), "bodies.shaft.mesh.line.to=[%.17g, %.17g, %.17g]", 0.6 * axis[0], 0.6 * axis[1], 0.6 * axis[2]);
    snprintf(load, sizeof(load), "loads={a: {at: shaft.right, force: [%.17g, %.17g, %.17g], rotating: true}}", 200 * frame[1][0] + 100 * frame[2][0],
      200 * frame[1][1] + 100 * frame[2][1], 200 * frame[1][2] + 100 * frame[2][2]);
    TestRun test = test_run_open(rotor, set);
    test_run_close(&test);
  }
}

/* Shafts in any direction: gravity and loads turned into their axes give the same unknowns to rounding. */
static void any_direction_is_the_same(void **state)
{
  static const char *const ends[]    = {"[0.6, 0, 0]", "[0, 0.6, 0]", "[0, 0, 0.6]", "[0.36, 0, -0.48]", "[-0.6, 0, 0]", "[0.2, -0.4, 0.4]"};
  static const char *const spins[]   = {"300 rad/s", "{free: 300 rad/s}", "{table: [[0, 0], [1, 3000 rad/s]]}"};
  static const PetscReal   own[3][3] = {{3, 2, -9.81}, {0, 300, 200}, {5, 0, 7}}; /* gravity, a force, a moment */
  PetscReal                first[3][400];

  (void)state;
  for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
    for (int s = 0; s < 3; s++) {
      char              mesh[200], spin[100], gravity[200], loads[600];
      const char *const probe[] = {mesh, NULL};
      snprintf(mesh, sizeof(mesh), "bodies.shaft.mesh.line.to=%s", ends[k]);
      TestRun   test    = test_run_open(rotor, probe);
      PetscReal x[3][3] = {{0}};
      for (int i = 0; i < 9; i++) {
        for (int c = 0; c < 3; c++) x[i / 3][i % 3] += own[i / 3][c] * fe_of(&test)->body->frame[c][i % 3];
      }
      test_run_close(&test);
      snprintf(spin, sizeof(spin), "bodies.shaft.spin=%s", spins[s]);
      snprintf(gravity, sizeof(gravity), "gravity=[%.17g, %.17g, %.17g]", x[0][0], x[0][1], x[0][2]);
      snprintf(loads, sizeof(loads), "loads={a: {at: shaft@0.83, force: [%.17g, %.17g, %.17g]}, b: {at: shaft.left, moment: [%.17g, %.17g, %.17g]}}",
        x[1][0], x[1][1], x[1][2], x[2][0], x[2][1], x[2][2]);
      const char *const set[] = {mesh, spin, gravity, loads, unbalance, "bearings.left.stiffness=[2e6, 3e5, -3e5, 1e6]",
        "bearings.right.damping=[3, 7]", "bodies.shaft.axial=true", "bearings.thrust={between: [shaft.left, ground], stiffness: [1e7, 0, 0]}",
        "time.end=10 ms", NULL};
      test                    = test_run_open(rotor, set);
      for (PetscInt64 i = 0; i < test.run->steps; i++) test_step(test.run);
      const PetscScalar *q;
      PetscReal          largest = 0, off = 0;
      assert_true(test.run->model->unknowns <= 400);
      CHECK(VecGetArrayRead(test.run->state.q, &q));
      for (PetscInt i = 0; i < test.run->model->unknowns; i++) {
        if (k == 0) first[s][i] = q[i];
        off     = PetscMax(off, PetscAbsReal(q[i] - first[s][i]));
        largest = PetscMax(largest, PetscAbsReal(q[i]));
      }
      CHECK(VecRestoreArrayRead(test.run->state.q, &q));
      if (off > 1e-9 * largest) fail_msg("shaft to %s, spin %s: off by %g of %g", ends[k], spins[s], off, largest);
      test_run_close(&test);
    }
  }
}

/*
  What an orbit's station says: displacement across the axis, less that of a housing that moves and tilts; the angle of the spin, prescribed and free.
*/
static void stations_record_the_orbit(void **state)
{
  static const char *const housing = "bodies.housing={type: rigid, at: [-0.1, 0, 0], mass: 1, inertia: [1, 1, 1]}";
  static const char *const spins[] = {"bodies.shaft.spin={table: [[0, 100 rad/s], [2, 300 rad/s]]}", "bodies.shaft.spin={free: 5 rad/s}"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {housing, spins[k], NULL};
    TestRun           test  = test_run_open(rotor, set);
    NsStationSettings settings;
    NsStation         station;
    PetscBool         found;
    char              why[300];
    PetscReal         angle, rate;
    PetscScalar      *q;
    memset(&settings, 0, sizeof(settings));
    settings.at          = "shaft.left";
    settings.offset[0]   = 0.02;
    settings.relative_to = "housing.center";
    CHECK(test.run->model->view.station(test.run->model, &settings, &station, &found, why, sizeof(why)));
    assert_true(found);
    CHECK(VecGetArray(test.run->state.q, &q));
    const PetscInt *u = NsFeNodeUnknowns(fe_of(&test), 0), *U = NsFeNodeUnknowns(fe_of(&test), fe_of(&test)->body[1].first_node);
    q[u[0]]         = 1e-3;
    q[u[1]]         = 2e-3;
    q[u[k ? 3 : 2]] = 0.1;  /* r2: u3 -= 0.02 r2 */
    q[u[k ? 4 : 3]] = 0.2;  /* r3: u2 += 0.02 r3 */
    q[U[1]]         = 4e-4; /* y */
    q[U[2]]         = 5e-4; /* z */
    q[U[4]]         = 0.03; /* about y: z -= 0.12 of it, at the station */
    q[U[5]]         = 0.04; /* about z */
    if (k) q[u[2]] = 7;
    assert_near(NsProbeColumnSum(&station.lateral[0], 0, q, q), 1e-3 + 0.02 * 0.2 - 4e-4 - 0.12 * 0.04, 1e-15);
    assert_near(NsProbeColumnSum(&station.lateral[1], 0, q, q), 2e-3 - 0.02 * 0.1 - 5e-4 + 0.12 * 0.03, 1e-15);
    CHECK(test.run->model->view.spin(test.run->model, 1, &station, &angle, &rate));
    assert_near(angle + NsProbeColumnSum(&station.angle, 0, q, q), k ? 7 : 150, 1e-12);
    assert_near(rate, k ? 0 : 200, 1e-12);
    assert_int_equal(station.angle_rate.entries, k);
    if (!k) { /* a table that begins later: the angle counts from t = 0 */
      TestRun later = test_run_open(rotor, (const char *const[]){housing, "bodies.shaft.spin={table: [[1, 100 rad/s], [2, 300 rad/s]]}", NULL});
      CHECK(later.run->model->view.spin(later.run->model, 1.5, &station, &angle, &rate));
      assert_near(angle, 175, 1e-12);
      assert_near(rate, 200, 1e-12);
      test_run_close(&later);
    }
    CHECK(VecRestoreArray(test.run->state.q, &q));
    test_run_close(&test);
  }
}

/* Stable below the exact limit and lost above it: also where gyroscopic moments raise the frequencies, in a matrix or in a force. */
static void step_limit_with_gyroscopes(void **state)
{
  static const char *const spins[] = {
    "bodies.shaft.spin=3000 rad/s", "bodies.shaft.spin={table: [[0, 3000 rad/s], [1, 3000 rad/s]]}", "bodies.shaft.spin={free: 3000 rad/s}"};

  (void)state;
  for (int k = 0; k < 3; k++) {
    char              step[64] = "scheme.step=1 ns";
    const char *const set[]    = {spins[k], step, "bodies.shaft.initial={velocity: [0, 0.1, 0.2]}", "time.end=1", NULL};
    TestRun           test     = test_run_open(rotor, set);
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    snprintf(step, sizeof(step), "scheme.step=%.17g", 0.95 * test.run->stability.step_limit);
    test_run_close(&test);
    test                    = test_run_open(rotor, set);
    const PetscReal initial = test.run->ledger.initial;
    for (int i = 0; i < 3000; i++) test_step(test.run);
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    assert_true(PetscAbsReal(test.run->ledger.numerical) < 10 * initial);
    test_run_close(&test);
  }
}

/* Bearings over speed count for the step limit, also where the speed changes while stepping. */
static void bearings_over_speed_limit_the_step(void **state)
{
  static const char *const spins[] = {
    "bodies.shaft.spin=300 rad/s", "bodies.shaft.spin={table: [[0, 300 rad/s], [1, 300 rad/s]]}", "bodies.shaft.spin={free: 300 rad/s}"};
  static const char *const stiff =
    "bearings.left={between: [shaft.left, ground], over_speed: [[0, 1e11, 0, 0, 1e11, 10, 0, 0, 10], [400 rad/s, 2e11, 0, 0, 2e11, 10, 0, 0, 10]]}";
  PetscReal limit[3];

  (void)state;
  for (int k = 0; k < 3; k++) {
    const char *const set[] = {spins[k], stiff, NULL};
    TestRun           test  = test_run_open(rotor, set);
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    limit[k] = test.run->stability.step_limit;
    test_run_close(&test);
  }
  for (int k = 1; k < 3; k++) assert_true(limit[k] < 1.1 * limit[0]);
}

/* And they hold the static state: at the speed of the start. */
static void bearings_over_speed_act_at_rest(void **state)
{
  static const char *const spins[] = {
    "bodies.shaft.spin=300 rad/s", "bodies.shaft.spin={table: [[0, 300 rad/s], [1, 300 rad/s]]}", "bodies.shaft.spin={free: 300 rad/s}"};
  static const char *const soft =
    "bearings.left={between: [shaft.left, ground], over_speed: [[0, 1e6, 0, 0, 1e6, 10, 0, 0, 10], [400 rad/s, 2e6, 0, 0, 2e6, 10, 0, 0, 10]]}";
  PetscReal sag[3];

  (void)state;
  for (int k = 0; k < 3; k++) {
    const char *const set[] = {spins[k], soft, weight, "bearings.extra={between: [shaft.left, ground], stiffness: 1e5}", "start=static", NULL};
    TestRun           test  = test_run_open(rotor, set);
    sag[k]                  = probe_now(&test, "shaft.left", "uz");
    test_run_close(&test);
  }
  for (int k = 1; k < 3; k++) assert_relative(sag[k], sag[0], 1e-6);
}

/* An unbalance turns: it is no part of the static state. */
static void unbalance_is_not_static(void **state)
{
  static const char *const plain[] = {weight, "start=static", NULL};
  const char *const        heavy[] = {weight, "start=static", unbalance, NULL};
  TestRun                  one = test_run_open(rotor, plain), two = test_run_open(rotor, heavy);

  (void)state;
  assert_true(probe_now(&one, "shaft.disc", "uz") < -1e-6);
  assert_near(probe_now(&two, "shaft.disc", "uz"), probe_now(&one, "shaft.disc", "uz"), 1e-15);
  assert_near(probe_now(&two, "shaft.disc", "uy"), probe_now(&one, "shaft.disc", "uy"), 1e-15);
  test_run_close(&one);
  test_run_close(&two);
}

/* A rigid body that nothing holds has no frequency, and no limit; one on a dashpot alone has that of the dashpot: dt d/m <= 2. */
static void limit_without_stiffness(void **state)
{
  static const char *const config    = "bodies: {disc: {type: rigid, at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}}\n"
                                       "scheme: {type: half_explicit, step: 1 us}\n"
                                       "time: {end: 1 us}\n";
  static const char *const dashpot[] = {"bearings={oil: {between: [disc.center, ground], damping: 1e7}}", NULL};
  TestRun                  test      = test_run_open(config, dashpot);
  PetscScalar             *v;

  (void)state;
  CHECK(NsRunCheckStep(test.run, PETSC_FALSE));
  assert_true(test.run->stability.step_limit < 2.1e-7);
  test_run_close(&test);
  test = test_run_open(config, NULL);
  CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
  assert_true(test.run->stability.step_limit > 1);
  CHECK(VecGetArray(test.run->state.v, &v));
  v[0] = 1;
  CHECK(VecRestoreArray(test.run->state.v, &v));
  test_step(test.run);
  assert_near(probe_now(&test, "disc.center", "ux"), 1e-6, 1e-20);
  test_run_close(&test);
}

/* The weight of a disc acts also on a shaft with `weight: false`, and with it the eccentric mass that is a part of it: it pulls the shaft round. */
static void eccentric_disc_on_a_weightless_shaft_swings(void **state)
{
  static const char *const set[] = {"bodies.shaft.spin={free: 0}", "bodies.shaft.weight=false", "gravity=[0, 0, -9.81]",
    "unbalances={mark: {at: shaft.disc, mass_eccentricity: 1e-3}}", NULL};
  TestRun                  test  = test_run_open(rotor, set);
  PetscReal               *f     = dense_new(&test, test.run->model->unknowns);

  (void)state;
  force_at(&test, 0, NULL, NULL, f);
  assert_near(probe_of(&test, "shaft.disc", "rx", f, f), -9.81e-3, 1e-12);
  test_run_close(&test);
}

/* What bearings over speed take and give is in the ledger, with cross-coupling and a speed that changes. */
static void ledger_of_bearings_over_speed(void **state)
{
  static const char *const steps[] = {"scheme.step=4 us", "scheme.step=2 us"};
  PetscReal                error[2];

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {"bodies.shaft.spin={table: [[0, 0], [50 ms, 400 rad/s]]}", "bodies.shaft.initial={velocity: [0, 0.1, 0.2]}", unbalance,
      steps[k],
      "bearings.left={between: [shaft.left, ground], over_speed: [[0, 1e6, 1e5, 0, 1e6, 10, 1, 2, 20], [400 rad/s, 2e6, 1e6, -1e6, 3e6, 20, -1, 5, 10]]}",
      NULL};
    TestRun           test  = test_run_open(rotor, set);
    run_to_end(&test);
    error[k] = test.run->ledger.numerical_max;
    assert_true(PetscAbsReal(test.run->ledger.load) > 1e-3 && test.run->ledger.damping > 1e-4);
    assert_true(error[k] < 1e-3 * PetscAbsReal(test.run->ledger.load));
    test_run_close(&test);
  }
  assert_near(PetscLog2Real(error[0] / error[1]), 2, 0.4);
}

/* A mass matrix with an unbalance beyond what its rotor can have, (m e)^2 > m J, is not positive: energies below zero would follow. */
static void unbalance_beyond_its_rotor_is_refused(void **state)
{
  static const char *const text   = "bodies.shaft.spin={free: 100 rad/s}";
  char                     path[] = "/tmp/percuss_test_XXXXXX";
  const char *const        set[]  = {text, "unbalances={mark: {at: shaft.disc, mass_eccentricity: 5}}"};
  NsArena                 *arena  = NsArenaCreate();
  NsDiag                  *diag   = NsDiagCreate(arena);
  NsRunOptions             options;
  NsRun                   *run;
  const int                file = mkstemp(path);

  (void)state;
  assert_int_equal(write(file, rotor, strlen(rotor)), strlen(rotor));
  close(file);
  memset(&options, 0, sizeof(options));
  options.config_path = path;
  options.set         = set;
  options.sets        = 2;
  CHECK(NsRunCreate(&options, arena, diag, &run));
  unlink(path);
  assert_true(NsDiagErrors(diag) > 0);
  CHECK(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
}

/* Lumped masses come to the same whirl as consistent ones. */
static void lumped_rotors_converge(void **state)
{
  static const char *const masses[] = {"bodies.shaft.mass=consistent", "bodies.shaft.mass=lumped"};
  PetscReal                w[2][4];

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {masses[k], "bodies.shaft.spin=1000 rad/s",
      "bodies.shaft.mesh={line: {from: [0, 0, 0], to: [0.6, 0, 0], elements: 30}, nodes: {disc: 0.2}}", NULL};
    TestRun           test  = test_run_open(rotor, set);
    const Dense       d     = dense_matrices(&test);
    PetscReal        *all   = dense_new(&test, 2 * d.n);
    dense_whirl(&test, &d, 1, all);
    for (int i = 0; i < 4; i++) w[k][i] = all[i];
    test_run_close(&test);
  }
  for (int i = 0; i < 4; i++) assert_relative(w[1][i], w[0][i], 5e-3);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(free_spin_conserves_energy_and_angular_momentum),
  cmocka_unit_test(run_up_closes_its_ledger),
  cmocka_unit_test(huge_inertia_is_prescribed_spin),
  cmocka_unit_test(three_definitions_of_a_spin_agree),
  cmocka_unit_test(ramp_that_ends_is_constant),
  cmocka_unit_test(free_disc_precesses),
  cmocka_unit_test(polar_moment_of_the_shaft),
  cmocka_unit_test(rotating_load_is_two_harmonic_ones),
  cmocka_unit_test(cross_coupling_excites_forward_whirl),
  cmocka_unit_test(equivalent_bearings_give_the_same),
  cmocka_unit_test(six_by_six),
  cmocka_unit_test(disc_within_an_element),
  cmocka_unit_test(loads_turn_with_oblique_shafts),
  cmocka_unit_test(any_direction_is_the_same),
  cmocka_unit_test(stations_record_the_orbit),
  cmocka_unit_test(step_limit_with_gyroscopes),
  cmocka_unit_test(bearings_over_speed_limit_the_step),
  cmocka_unit_test(bearings_over_speed_act_at_rest),
  cmocka_unit_test(unbalance_is_not_static),
  cmocka_unit_test(limit_without_stiffness),
  cmocka_unit_test(eccentric_disc_on_a_weightless_shaft_swings),
  cmocka_unit_test(ledger_of_bearings_over_speed),
  cmocka_unit_test(unbalance_beyond_its_rotor_is_refused),
  cmocka_unit_test(lumped_rotors_converge),
};
TEST_MAIN(tests)
