/* Modes, whirl, instability and response against closed forms, on matrices and on bars. */
#include "support.h"
#include <complex.h>
#include "analysis/campbell.h"
#include "analysis/response.h"

static const char *const bar = "bodies:\n"
                               "  bar:\n"
                               "    type: bar\n"
                               "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 40}}\n"
                               "    material: {density: 7800, young: 210 GPa}\n"
                               "    section: {area: 1 cm^2}\n"
                               "scheme: {type: half_explicit, step: 1 us}\n"
                               "time: {end: 1 us}\n";

enum { ELEMENTS = 40 };

/* Consistent masses: omega = (c0/h) sqrt(6 (1 - cos a)/(2 + cos a)), a = the phase from node to node. */
static PetscReal discrete_frequency(PetscReal a)
{
  return ELEMENTS * PetscSqrtReal(210e9 / 7800) * PetscSqrtReal(6 * (1 - cos(a)) / (2 + cos(a)));
}

static NsModes bar_modes(const char *const *set, PetscInt count, NsModesMethod method)
{
  TestRun test = test_run_open(bar, set);
  NsModes modes;
  Mat     M, C, K;

  CHECK(NsFeOperators(test.run->model, 0, &M, &C, &K));
  CHECK(NsModesSolve(M, C, K, count, method, &modes));
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&C));
  CHECK(MatDestroy(&K));
  test_run_close(&test);
  return modes;
}

static void bars_vibrate_at_their_frequencies(void **state)
{
  static const char *const free_fixed[]  = {"supports={left: {at: bar.left}}", NULL};
  static const char *const fixed_fixed[] = {"supports={left: {at: bar.left}, right: {at: bar.right}}", NULL};

  (void)state;
  for (NsModesMethod method = NS_MODES_AUTO; method <= NS_MODES_DENSE; method++) {
    NsModes modes = bar_modes(free_fixed, 10, method);
    for (PetscInt i = 0; i < 10; i++) {
      const PetscReal omega = discrete_frequency((i + 0.5) * PETSC_PI / ELEMENTS);
      assert_near(modes.mode[i].omega, omega, 1e-9 * omega);
      assert_near(modes.mode[i].residual, 0, 1e-10);
      assert_int_equal(modes.mode[i].kind, NS_MODE_VIBRATION);
      assert_false(modes.mode[i].unstable);
    }
    CHECK(NsModesDestroy(&modes));
    modes = bar_modes(fixed_fixed, 1000, method); /* more than there are: all */
    assert_int_equal(modes.count, ELEMENTS - 1);
    for (PetscInt i = 0; i < ELEMENTS - 1; i++) {
      const PetscReal omega = discrete_frequency((i + 1) * PETSC_PI / ELEMENTS);
      assert_near(modes.mode[i].omega, omega, 1e-8 * omega);
    }
    CHECK(NsModesDestroy(&modes));
  }
}

static void free_bar_has_a_rigid_motion(void **state)
{
  (void)state;
  for (NsModesMethod method = NS_MODES_AUTO; method <= NS_MODES_DENSE; method++) {
    NsModes modes = bar_modes(NULL, 5, method);
    assert_int_equal(modes.count, 5);
    assert_int_equal(modes.mode[0].kind, NS_MODE_RIGID);
    assert_true(modes.mode[0].omega == 0);
    for (PetscInt i = 1; i < modes.n; i++) assert_near(creal(modes.mode[0].x[i]), creal(modes.mode[0].x[0]), 1e-6 * creal(modes.mode[0].x[0]));
    for (PetscInt i = 1; i < 5; i++) {
      const PetscReal omega = discrete_frequency(i * PETSC_PI / ELEMENTS);
      assert_int_equal(modes.mode[i].kind, NS_MODE_VIBRATION);
      assert_near(modes.mode[i].omega, omega, 1e-9 * omega);
    }
    CHECK(NsModesDestroy(&modes));
  }
}

/* A rigid body that nothing holds, beside a bridge: its six motions are no slow vibrations, and each is there once. */
static void free_body_beside_a_bridge(void **state)
{
  TestRun test = test_run_open(
    "bodies:\n"
    "  bridge: {type: beam, mesh: {line: {from: [0, 0, 0], to: [20, 0, 0], elements: 20}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}, section: {circle: {radius: 0.2}}}\n"
    "  ball: {type: rigid, at: [0.5, 0, 0.4], mass: 2000 kg, inertia: [50, 60, 70]}\n"
    "supports: {left: {at: bridge.left}, right: {at: bridge.right}}\n"
    "scheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
    NULL);
  Mat M, C, K;

  (void)state;
  CHECK(NsFeOperators(test.run->model, 0, &M, &C, &K));
  for (NsModesMethod method = NS_MODES_AUTO; method <= NS_MODES_DENSE; method++) {
    NsModes modes;
    CHECK(NsModesSolve(M, C, K, 10, method, &modes));
    for (PetscInt i = 0; i < 10; i++) {
      assert_int_equal(modes.mode[i].kind, i < 6 ? NS_MODE_RIGID : NS_MODE_VIBRATION);
      assert_true(i < 6 ? modes.mode[i].omega == 0 : modes.mode[i].omega > 1);
    }
    CHECK(NsModesDestroy(&modes));
  }
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&C));
  CHECK(MatDestroy(&K));
  test_run_close(&test);
}

/* C = a M + b K: lambda^2 + (a + b w^2) lambda + w^2 = 0 for each undamped w, the high ones overdamped. */
static void damped_bar_is_exact(void **state)
{
  static const char *const set[] = {"supports={left: {at: bar.left}}", "bodies.bar.damping={rayleigh: {mass: 2000 1/s, stiffness: 40 us}}", NULL};

  (void)state;
  for (NsModesMethod method = NS_MODES_AUTO; method <= NS_MODES_DENSE; method++) {
    NsModes         modes = bar_modes(set, 12, method);
    const PetscInt  n     = ELEMENTS;
    PetscComplex    exact[2 * ELEMENTS];
    PetscInt        count = 0, overdamped = 0;
    const PetscReal largest = modes.mode[modes.count - 1].omega;
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal w = discrete_frequency((i + 0.5) * PETSC_PI / n), c = (2000 + 40e-6 * w * w) / 2;
      if (c < w)
        exact[count++] = -c + PetscSqrtReal(w * w - c * c) * PETSC_i;
      else {
        const PetscReal fast = -c - PetscSqrtReal(c * c - w * w);
        exact[count++]       = w * w / fast;
        exact[count++]       = fast;
      }
    }
    PetscInt expected = 0; /* none missing: as many as theory has up to the largest */
    for (PetscInt i = 0; i < count; i++) expected += cabs(exact[i]) <= largest * (1 + 1e-9);
    assert_int_equal(modes.count, 12);
    assert_int_equal(expected, 12);
    for (PetscInt i = 0; i < modes.count; i++) {
      const PetscComplex lambda = modes.mode[i].re + modes.mode[i].im * PETSC_i;
      PetscReal          least  = PETSC_MAX_REAL;
      for (PetscInt k = 0; k < count; k++) least = PetscMin(least, cabs(lambda - exact[k]));
      assert_near(least, 0, 1e-8 * cabs(lambda));
      assert_near(modes.mode[i].damping_ratio, -creal(lambda) / cabs(lambda), 1e-12);
      overdamped += modes.mode[i].kind == NS_MODE_OVERDAMPED;
    }
    assert_true(overdamped > 0 && overdamped < 12);
    CHECK(NsModesDestroy(&modes));
  }
}

static Mat matrix(PetscInt n, const PetscReal *values)
{
  Mat A;

  CHECK(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, NULL, &A));
  for (PetscInt i = 0; i < n * n; i++) CHECK(MatSetValue(A, i / n, i % n, values[i], INSERT_VALUES));
  CHECK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  CHECK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

/* A disc on a massless shaft that does not tilt (Jeffcott) in y and z: external damping c, internal damping d (turning), gyroscopic term g per
   speed. */
typedef struct {
  PetscReal m, k, c, d, g;
} Jeffcott;

static PetscErrorCode jeffcott_operators(void *context, PetscReal speed, Mat *M, Mat *C, Mat *K)
{
  const Jeffcott *j = context;

  *M = matrix(2, (PetscReal[]){j->m, 0, 0, j->m});
  *C = matrix(2, (PetscReal[]){j->c + j->d, j->g * speed, -j->g * speed, j->c + j->d});
  *K = matrix(2, (PetscReal[]){j->k, j->d * speed, -j->d * speed, j->k}); /* internal damping sees u' - Omega x u */
  return 0;
}

static PetscErrorCode jeffcott_whirl(void *context, NsModes *modes, NsWhirl *whirl)
{
  static const PetscReal axis[3] = {1, 0, 0};

  (void)context;
  for (PetscInt i = 0; i < modes->count; i++) whirl[i] = NsWhirlOfOrbits(axis, 1, (PetscComplex[]){0, modes->mode[i].x[0], modes->mode[i].x[1]});
  return 0;
}

static NsModes jeffcott_modes(Jeffcott j, PetscReal speed)
{
  NsModes modes;
  Mat     M, C, K;

  CHECK(jeffcott_operators(&j, speed, &M, &C, &K));
  CHECK(NsModesSolve(M, C, K, 4, NS_MODES_AUTO, &modes));
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&C));
  CHECK(MatDestroy(&K));
  return modes;
}

/* omega = -+ g Omega/2m + sqrt((g Omega/2m)^2 + k/m), the slower one backward. */
static void gyroscopic_pair_splits(void **state)
{
  const Jeffcott  j     = {2, 800, 0, 0, 0.5};
  const PetscReal speed = 30, half = 0.5 * 30 / 4.0, root = PetscSqrtReal(half * half + 400);
  NsModes         modes = jeffcott_modes(j, speed);
  NsWhirl         whirl[4];

  (void)state;
  assert_int_equal(modes.count, 2);
  CHECK(jeffcott_whirl(NULL, &modes, whirl));
  for (int i = 0; i < 2; i++) {
    assert_near(modes.mode[i].im, root + (i ? half : -half), 1e-11 * root);
    assert_near(modes.mode[i].re, 0, 1e-11 * root);
    assert_near(whirl[i].kappa, i ? 1 : -1, 1e-12);
    assert_int_equal(whirl[i].sense, i ? NS_WHIRL_FORWARD : NS_WHIRL_BACKWARD);
    assert_false(modes.mode[i].unstable);
  }
  CHECK(NsModesDestroy(&modes));
}

/* Cross-coupled stiffness q = d Omega: the forward whirl is unstable when q > (c + d) omega, omega = sqrt(k/m) at the threshold. */
static void internal_damping_ends_stability(void **state)
{
  Jeffcott         j         = {2, 800, 1.2, 0.8, 0};
  const PetscReal  threshold = (1.2 + 0.8) / 0.8 * 20;
  NsModes          below = jeffcott_modes(j, 0.999 * threshold), above = jeffcott_modes(j, 1.001 * threshold);
  const NsSpinning spinning = {&j, jeffcott_operators, jeffcott_whirl};
  NsArena         *arena    = NsArenaCreate();
  NsCampbell       campbell;
  PetscInt         onsets = 0, criticals = 0;

  (void)state;
  assert_false(below.mode[0].unstable || below.mode[1].unstable);
  assert_int_equal((above.mode[0].unstable != 0) + (above.mode[1].unstable != 0), 1);
  CHECK(NsModesDestroy(&below));
  CHECK(NsModesDestroy(&above));

  CHECK(NsCampbellCompute(&spinning, 0, 80, 9, 2, arena, &campbell));
  assert_int_equal(campbell.lines, 2);
  for (PetscInt e = 0; e < campbell.events; e++) {
    const NsCampbellEvent *event = &campbell.event[e];
    onsets += event->onset ? 1 : 0;
    criticals += event->onset ? 0 : 1;
    if (!event->onset) continue;
    assert_near(event->speed, threshold, 1e-6 * threshold);
    assert_near(event->frequency, 20, 1e-6);
    assert_int_equal(event->sense, NS_WHIRL_FORWARD);
  }
  assert_int_equal(onsets, 1);
  assert_int_equal(criticals, 2);
  NsArenaDestroy(&arena);
}

/* Re(u e^(i omega t)): a forward ellipse of semi-axes 2 and 1, turned; and points that go round in opposite senses. */
static void orbits(void **state)
{
  static const PetscReal axis[3] = {1, 0, 0};
  const PetscComplex     w = cexp(0.3 * PETSC_i), u[] = {0.7, w * (2 * cos(0.4) + PETSC_i * sin(0.4)), w * (2 * sin(0.4) - PETSC_i * cos(0.4))};
  const PetscComplex     both[] = {0, 1, -PETSC_i, 0, 1, PETSC_i}, line[] = {0, 1, 2, 0, 3, 4};
  PetscReal              major, minor;

  (void)state;
  NsOrbit(axis, u, &major, &minor);
  assert_near(major, 2, 1e-14);
  assert_near(minor, 1, 1e-14);
  assert_near(NsWhirlOfOrbits(axis, 1, u).kappa, 2 * 2 * 1 / 5.0, 1e-14);
  assert_int_equal(NsWhirlOfOrbits(axis, 1, u).sense, NS_WHIRL_FORWARD);
  assert_int_equal(NsWhirlOfOrbits(axis, 2, both).sense, NS_WHIRL_MIXED);
  assert_int_equal(NsWhirlOfOrbits(axis, 2, line).sense, NS_WHIRL_PLANAR);
}

/* Damped Jeffcott rotor: u = e m Omega^2 / (k - m Omega^2 + i c Omega), a circle; without damping there is no answer at the critical speed. */
static void unbalance_of_a_jeffcott_rotor(void **state)
{
  Jeffcott               j       = {2, 800, 1.5, 0, 0};
  static const PetscReal axis[3] = {1, 0, 0};

  (void)state;
  for (int i = 0; i <= 4; i++) {
    const PetscReal    speed = 10.0 * i, e = 1e-3;
    const PetscComplex expected = 2 * e * speed * speed / (800 - 2 * speed * speed + 1.5 * speed * PETSC_i);
    Mat                M, C, K;
    Vec                re, im, x[2];
    const PetscScalar *a, *b;
    PetscReal          major, minor;
    PetscBool          solved;
    j.c = 1.5;
    CHECK(jeffcott_operators(&j, speed, &M, &C, &K));
    CHECK(MatCreateVecs(K, &re, &im));
    CHECK(MatCreateVecs(K, &x[0], &x[1]));
    CHECK(VecSetValue(re, 0, 2 * e, INSERT_VALUES));
    CHECK(VecSetValue(im, 1, -2 * e, INSERT_VALUES));
    CHECK(NsResponseSolve(M, C, K, re, im, speed, x[0], x[1], &solved));
    assert_true(solved);
    CHECK(VecGetArrayRead(x[0], &a));
    CHECK(VecGetArrayRead(x[1], &b));
    assert_near(cabs(a[0] + b[0] * PETSC_i - expected), 0, 1e-10 * cabs(expected));
    NsOrbit(axis, (PetscComplex[]){0, a[0] + b[0] * PETSC_i, a[1] + b[1] * PETSC_i}, &major, &minor);
    assert_near(major, cabs(expected), 1e-10 * cabs(expected));
    assert_near(minor, cabs(expected), 1e-10 * cabs(expected));
    CHECK(VecRestoreArrayRead(x[0], &a));
    CHECK(VecRestoreArrayRead(x[1], &b));
    if (speed == 20) {
      CHECK(NsResponseSolve(M, NULL, K, re, im, speed, x[0], x[1], &solved));
      assert_false(solved);
    }
    CHECK(VecDestroy(&re));
    CHECK(VecDestroy(&im));
    for (int k = 0; k < 2; k++) CHECK(VecDestroy(&x[k]));
    CHECK(MatDestroy(&M));
    CHECK(MatDestroy(&C));
    CHECK(MatDestroy(&K));
  }
}

/* Three equal oscillators and a fourth: a triple eigenvalue, by both ways; and one that falls over: lambda = +-1. */
static void multiple_and_negative_eigenvalues(void **state)
{
  enum { N = 30 };
  PetscReal m[N * N] = {0}, k[N * N] = {0};

  (void)state;
  for (int i = 0; i < N; i++) {
    m[N * i + i] = 1;
    k[N * i + i] = i < 3 ? 4 : i == 3 ? -1 : 10.0 + i * i;
  }
  for (NsModesMethod method = NS_MODES_SPARSE; method <= NS_MODES_DENSE; method++) {
    Mat     M = matrix(N, m), K = matrix(N, k);
    NsModes modes;
    CHECK(NsModesSolve(M, NULL, K, 6, method, &modes));
    assert_int_equal(modes.count, 6);
    for (int i = 0; i < 2; i++) {
      assert_near(PetscAbsReal(modes.mode[i].re), 1, 1e-10);
      assert_int_equal(modes.mode[i].kind, NS_MODE_OVERDAMPED);
      assert_int_equal(modes.mode[i].unstable, modes.mode[i].re > 0);
    }
    for (int i = 2; i < 5; i++) assert_near(modes.mode[i].im, 2, 1e-10);
    for (int i = 2; i < 5; i++) {
      for (int other = 2; other < i; other++) assert_true(NsModesLikeness(&modes, i, &modes, other) < 0.999);
    }
    assert_near(modes.mode[5].im, PetscSqrtReal(26), 1e-9);
    CHECK(NsModesDestroy(&modes));
    CHECK(MatDestroy(&M));
    CHECK(MatDestroy(&K));
  }
}

/* Pairs of oscillators that push each other round and that nothing damps: lambda^2 = -(k + i s), half of them growing; by both ways, though there is no damping matrix. */
static void cross_coupling_without_damping(void **state)
{
  enum { N = 20 };
  PetscReal m[N * N] = {0}, k[N * N] = {0};

  (void)state;
  for (int i = 0; i < N; i++) {
    m[N * i + i] = 1;
    k[N * i + i] = 10.0 + (i / 2) * (i / 2);
    if (i % 2 == 0) k[N * i + i + 1] = 1;
    if (i % 2 == 1) k[N * i + i - 1] = -1;
  }
  for (NsModesMethod method = NS_MODES_SPARSE; method <= NS_MODES_DENSE; method++) {
    Mat     M = matrix(N, m), K = matrix(N, k);
    NsModes modes;
    CHECK(NsModesSolve(M, NULL, K, 6, method, &modes));
    assert_int_equal(modes.count, 6);
    for (int i = 0; i < 6; i++) {
      const PetscComplex lambda = csqrt(-(10.0 + (i / 2) * (i / 2)) + PETSC_i); /* in the upper right */
      assert_near(PetscAbsReal(modes.mode[i].re), creal(lambda), 1e-10);
      assert_near(modes.mode[i].im, cimag(lambda), 1e-10);
      assert_int_equal(modes.mode[i].unstable, modes.mode[i].re > 0);
    }
    for (int i = 0; i < 6; i += 2) assert_true(modes.mode[i].re * modes.mode[i + 1].re < 0);
    CHECK(NsModesDestroy(&modes));
    CHECK(MatDestroy(&M));
    CHECK(MatDestroy(&K));
  }
}

/* A shaft free to spin: its rigid motion counts once, and where air brakes it, lambda = -d/J beside it. */
static void free_spin(void **state)
{
  (void)state;
  for (int braked = 0; braked < 2; braked++) {
    for (NsModesMethod method = NS_MODES_AUTO; method <= NS_MODES_DENSE; method++) {
      Mat     M = matrix(3, (PetscReal[]){2, 0, 0, 0, 2, 0, 0, 0, 0.01}), K = matrix(3, (PetscReal[]){800, 0, 0, 0, 800, 0, 0, 0, 0});
      Mat     C = matrix(3, (PetscReal[]){0.4, 3, 0, -3, 0.4, 0, 0, 0, braked * 0.001});
      NsModes modes;
      CHECK(NsModesSolve(M, C, K, 10, method, &modes));
      assert_int_equal(modes.count, 3 + braked);
      assert_int_equal(modes.mode[0].kind, NS_MODE_RIGID);
      assert_near(creal(modes.mode[0].x[2]), 10, 1e-9); /* 1/sqrt(J) */
      assert_near(cabs(modes.mode[0].x[0]), 0, 1e-9);
      if (braked) {
        assert_int_equal(modes.mode[1].kind, NS_MODE_OVERDAMPED);
        assert_near(modes.mode[1].re, -0.1, 1e-10);
      }
      assert_int_equal(modes.mode[1 + braked].kind, NS_MODE_VIBRATION);
      CHECK(NsModesDestroy(&modes));
      CHECK(MatDestroy(&M));
      CHECK(MatDestroy(&C));
      CHECK(MatDestroy(&K));
    }
  }
}

/* The free motion of masses with mass damping, whose stiffness is negative by rounding, does not grow. */
static void free_motion_rounded(void **state)
{
  Mat M = matrix(2, (PetscReal[]){1, 0, 0, 1}), C = matrix(2, (PetscReal[]){100, 0, 0, 100}),
      K = matrix(2, (PetscReal[]){1e6, -1e6, -1e6, 1e6 - 1e-7});
  NsModes modes;

  (void)state;
  CHECK(NsModesSolve(M, C, K, 10, NS_MODES_DENSE, &modes));
  for (PetscInt i = 0; i < modes.count; i++) assert_false(modes.mode[i].unstable || modes.mode[i].re > 0 || modes.mode[i].damping_ratio < 0);
  CHECK(NsModesDestroy(&modes));
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&C));
  CHECK(MatDestroy(&K));
}

/* Two points with lateral motions (1, -i b), whatever the unit of the shape: forward for b > 0. Mixed: each sense has more than a tenth of an area that is not next to nothing. */
static void senses_of_two_orbits(void **state)
{
  static const struct {
    PetscReal    b[2];
    NsWhirlSense sense;
  } cases[] = {
    {{1, 1}, NS_WHIRL_FORWARD},
    {{-1, -0.2}, NS_WHIRL_BACKWARD},
    {{1, 0}, NS_WHIRL_FORWARD},
    {{1, -0.2}, NS_WHIRL_MIXED},
    {{1, -0.1}, NS_WHIRL_FORWARD},
    {{-1, 0.1}, NS_WHIRL_BACKWARD},
    {{0.02, -0.02}, NS_WHIRL_MIXED},
    {{0.004, -0.004}, NS_WHIRL_PLANAR},
    {{0.004, 0.004}, NS_WHIRL_PLANAR},
    {{0, 0}, NS_WHIRL_PLANAR},
  };
  static const PetscReal sizes[] = {1e-4, 1, 1e4}, axis[3] = {1, 0, 0};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    for (int k = 0; k < 3; k++) {
      const PetscReal    s = sizes[k], *b = cases[i].b;
      const PetscComplex u[6]  = {0, s, -PETSC_i * b[0] * s, 0, s, -PETSC_i * b[1] * s};
      const NsWhirl      whirl = NsWhirlOfOrbits(axis, 2, u);
      assert_int_equal(whirl.sense, cases[i].sense);
      assert_near(whirl.kappa, 2 * (b[0] + b[1]) / (2 + b[0] * b[0] + b[1] * b[1]), 1e-15);
    }
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(senses_of_two_orbits),
  cmocka_unit_test(bars_vibrate_at_their_frequencies),
  cmocka_unit_test(free_bar_has_a_rigid_motion),
  cmocka_unit_test(free_body_beside_a_bridge),
  cmocka_unit_test(damped_bar_is_exact),
  cmocka_unit_test(gyroscopic_pair_splits),
  cmocka_unit_test(internal_damping_ends_stability),
  cmocka_unit_test(orbits),
  cmocka_unit_test(unbalance_of_a_jeffcott_rotor),
  cmocka_unit_test(multiple_and_negative_eigenvalues),
  cmocka_unit_test(cross_coupling_without_damping),
  cmocka_unit_test(free_spin),
  cmocka_unit_test(free_motion_rounded),
};
TEST_MAIN(tests)
