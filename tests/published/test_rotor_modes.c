/* Example 5.9.1 of Friswell, Penny, Garvey, Lees, "Dynamics of Rotating Machines": frequencies, whirl, critical speeds, unbalance response. */
#include "rotor_matrices.h"
#include <complex.h>
#include "analysis/campbell.h"
#include "analysis/response.h"

static Rotor isotropic = {6, 1e6, 1e6, 0, 0}, anisotropic = {6, 0.8e6, 1e6, 0, 0};

/* Displacements of the nodes, shaft along x. */
static PetscErrorCode rotor_whirl(void *context, NsModes *modes, NsWhirl *whirl)
{
  static const PetscReal axis[3] = {1, 0, 0};
  const Rotor           *rotor   = context;
  PetscComplex          *u;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)(3 * (rotor->elements + 1)), &u));
  for (PetscInt i = 0; i < modes->count; i++) {
    for (PetscInt node = 0; node <= rotor->elements; node++) {
      u[3 * node + 1] = modes->mode[i].x[4 * node];
      u[3 * node + 2] = modes->mode[i].x[4 * node + 2];
    }
    whirl[i] = NsWhirlOfOrbits(axis, rotor->elements + 1, u);
  }
  PetscCall(PetscFree(u));
  PetscFunctionReturn(0);
}

static NsModes modes_at(Rotor *rotor, PetscReal speed, PetscInt count, NsModesMethod method)
{
  NsModes modes;
  Mat     M, C, K;

  CHECK(rotor_operators(rotor, speed, &M, &C, &K));
  CHECK(NsModesSolve(M, C, K, count, method, &modes));
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&C));
  CHECK(MatDestroy(&K));
  return modes;
}

static void expect(Rotor *rotor, PetscReal speed, const PetscReal *frequency, PetscInt count, PetscReal tolerance)
{
  for (NsModesMethod method = NS_MODES_SPARSE; method <= NS_MODES_DENSE; method++) {
    NsModes modes = modes_at(rotor, speed, count, method);
    assert_int_equal(modes.count, count);
    for (PetscInt i = 0; i < count; i++) assert_near(modes.mode[i].im, frequency[i], tolerance);
    for (PetscInt i = 0; i < count; i++) assert_true(modes.mode[i].residual < 1e-10 && !modes.mode[i].unstable);
    CHECK(NsModesDestroy(&modes));
  }
}

/* 4000 rpm. */
static const PetscReal speed_4000 = 4000 * PETSC_PI / 30;

static void frequencies(void **state)
{
  static const PetscReal rest[] = {86.66, 86.66, 274.31, 274.31, 716.78, 716.78}, turning[] = {85.39, 87.80, 251.78, 294.71, 600.18};
  static const PetscReal turning_anisotropic[] = {82.33, 86.86, 239.64, 287.25, 583.49};

  (void)state;
  expect(&isotropic, 0, rest, 6, 8e-3);
  expect(&isotropic, speed_4000, turning, 5, 8e-3);
  expect(&anisotropic, speed_4000, turning_anisotropic, 5, 8e-3);
}

static void whirl_of_modes(void **state)
{
  NsModes modes = modes_at(&isotropic, speed_4000, 6, NS_MODES_AUTO);
  NsWhirl whirl[6];

  (void)state;
  CHECK(rotor_whirl(&isotropic, &modes, whirl));
  for (int i = 0; i < 6; i++) {
    assert_int_equal(whirl[i].sense, i % 2 ? NS_WHIRL_FORWARD : NS_WHIRL_BACKWARD);
    assert_near(whirl[i].kappa, i % 2 ? 1 : -1, 1e-9);
  }
  CHECK(NsModesDestroy(&modes));
}

/*
  Both solvers to nine digits, on a fine mesh: at rest all frequencies are double; free in space there are four rigid motions. Beside eigenvalues zero
  the sparse solver works on an inverse of the size 1/s^2, s = 1e-4 (SHIFT in pencil.c), so that rounding may leave a backward error up to
  eps/s^2 = 2e-8; NsModesSolve accepts 1e-8. How much it is depends on the BLAS: 9e-10 with the reference, 5e-10 to 3e-9 with the kernels of
  OpenBLAS, and a fifth of it in the frequencies.
*/
static void solvers_agree(void **state)
{
  static const Rotor rotors[] = {
    {45, 1e6, 1e6, 0, 0}, {45, 1e6, 1e6, 300, 0}, {45, 0.8e6, 1e6, 1e5, 0}, {45, 1e6, 0.9e6, 300, 8e4}, {45, 0, 0, 0, 0}};

  (void)state;
  for (size_t r = 0; r < sizeof(rotors) / sizeof(*rotors); r++) {
    const PetscReal digits = rotors[r].ky == 0 ? 2e-9 : 1e-9, residual = rotors[r].ky == 0 ? 1e-8 : 1e-9;
    for (int turning = 0; turning < 2; turning++) {
      Rotor   rotor  = rotors[r];
      NsModes sparse = modes_at(&rotor, turning * speed_4000, 12, NS_MODES_SPARSE),
              dense  = modes_at(&rotor, turning * speed_4000, 12, NS_MODES_DENSE);
      assert_int_equal(sparse.count, 12);
      assert_int_equal(dense.count, 12);
      for (PetscInt i = 0; i < 12; i++) {
        const NsMode *a = &sparse.mode[i], *b = &dense.mode[i];
        assert_int_equal(a->kind, b->kind);
        assert_near(a->omega, b->omega, digits * b->omega);
        assert_near(a->re, b->re, digits * b->omega);
        assert_near(a->im, b->im, digits * b->omega);
        assert_near(a->residual, 0, residual);
        assert_near(b->residual, 0, 1e-12);
        if (rotor.ky == 0) assert_int_equal(b->kind == NS_MODE_RIGID, i < 4);
      }
      CHECK(NsModesDestroy(&sparse));
      CHECK(NsModesDestroy(&dense));
    }
  }
}

/* Critical speeds without damping are the roots of det(K - w^2 M + i w C(w)), C = w G: an eigenvalue problem in w^2 of its own. */
static void critical_speeds(void **state)
{
  NsArena         *arena    = NsArenaCreate();
  const NsSpinning spinning = {&isotropic, rotor_operators, rotor_whirl};
  NsCampbell       campbell;
  PetscInt         forward = 0, backward = 0;

  (void)state;
  CHECK(NsCampbellCompute(&spinning, 1, 400, 12, 6, arena, &campbell));
  for (PetscInt e = 0; e < campbell.events; e++) {
    const NsCampbellEvent *event   = &campbell.event[e];
    NsModes                modes   = modes_at(&isotropic, event->speed, 8, NS_MODES_AUTO);
    PetscReal              nearest = PETSC_MAX_REAL;
    assert_false(event->onset);
    for (PetscInt i = 0; i < modes.count; i++) nearest = PetscMin(nearest, PetscAbsReal(modes.mode[i].im - event->speed));
    assert_near(nearest, 0, 1e-6 * event->speed);
    forward += event->sense == NS_WHIRL_FORWARD;
    backward += event->sense == NS_WHIRL_BACKWARD;
    CHECK(NsModesDestroy(&modes));
  }
  assert_int_equal(forward, 2);
  assert_int_equal(backward, 2);
  /* lines of one sense all the way, and the forward ones rise */
  for (PetscInt line = 0; line < 4; line++) {
    const NsCampbellPoint *first = &campbell.point[line], *last = &campbell.point[(campbell.speeds - 1) * campbell.capacity + line];
    assert_true(first->there && last->there);
    assert_int_equal(first->sense, last->sense);
    assert_true(first->sense == NS_WHIRL_FORWARD ? last->im > first->im : last->im < first->im);
  }
  NsArenaDestroy(&arena);
}

/* 1e-3 kg m at the first disc: amplitude at the left bearing in its stiffer direction. */
static void unbalance(void **state)
{
  static const PetscReal speed[] = {150, 300, 450}, amplitude[] = {1.14259057e-6, 1.88932819e-4, 4.50376020e-5};

  (void)state;
  for (int i = 0; i < 3; i++) {
    Mat            M, C, K;
    Vec            re, im, x[2];
    PetscBool      solved;
    PetscReal      value[2];
    const PetscInt node = 2; /* uz of the first */
    CHECK(rotor_operators(&anisotropic, speed[i], &M, &C, &K));
    CHECK(MatCreateVecs(K, &re, &im));
    CHECK(MatCreateVecs(K, &x[0], &x[1]));
    CHECK(VecSetValue(re, 4 * 2, 1e-3, INSERT_VALUES));
    CHECK(VecSetValue(im, 4 * 2 + 2, -1e-3, INSERT_VALUES)); /* z component sin(Omega t) = Re(-i e^(i Omega t)) */
    CHECK(NsResponseSolve(M, C, K, re, im, speed[i], x[0], x[1], &solved));
    assert_true(solved);
    for (int k = 0; k < 2; k++) CHECK(VecGetValues(x[k], 1, &node, &value[k]));
    assert_near(hypot(value[0], value[1]), amplitude[i], 1e-8 * amplitude[i]);
    CHECK(VecDestroy(&re));
    CHECK(VecDestroy(&im));
    for (int k = 0; k < 2; k++) CHECK(VecDestroy(&x[k]));
    CHECK(MatDestroy(&M));
    CHECK(MatDestroy(&C));
    CHECK(MatDestroy(&K));
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(frequencies),
  cmocka_unit_test(whirl_of_modes),
  cmocka_unit_test(solvers_agree),
  cmocka_unit_test(critical_speeds),
  cmocka_unit_test(unbalance),
};

TEST_MAIN(tests)
