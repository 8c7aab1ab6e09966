/*
  The step of bench_limit_bar in plain PETSc calls: what `free_dynamics: petsc` is measured against.

      bench_petsc_bar ELEMENTS STEPS SECONDS

      q += dt v + dt^2/2 a0;   M a1 = -K q;   v += dt/2 (a0 + a1)

  VecAXPBYPCZ, MatMult, KSPSolve with a Cholesky factor in natural order, VecAXPBYPCZ; AIJ matrices.
  STEPS steps, again and again until SECONDS have passed; the quickest counts; processor time. Prints us (a step) and speed, sqrt(v'v) after the first STEPS steps.
*/
#include <math.h>
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static PetscErrorCode chain(PetscInt elements, PetscReal diagonal, PetscReal off, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, elements + 1, elements + 1, 3, NULL, A));
  for (PetscInt i = 0; i <= elements; i++) {
    PetscCall(MatSetValue(*A, i, i, i == 0 || i == elements ? diagonal / 2 : diagonal, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*A, i, i - 1, off, INSERT_VALUES));
    if (i < elements) PetscCall(MatSetValue(*A, i, i + 1, off, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode solver(Mat M, PetscReal smallest, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(MatSetOption(M, MAT_SPD, PETSC_TRUE));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOperators(*ksp, M, M));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-14 * smallest));
  PetscCall(KSPSetUp(*ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(PetscInt elements, long steps, double seconds)
{
  const PetscReal length = 1 / (PetscReal)elements, dt = 0.3 * length / 5188.7, section = PETSC_PI * 1e-4;
  const PetscReal k = 2.1e11 * section / length, m = 7800 * section * length / 6;
  double          best = INFINITY, passed = 0;
  PetscReal       speed = 0;
  Mat             M, K;
  KSP             ksp;
  Vec             q, v, a0, a1, force;

  PetscFunctionBegin;
  PetscCall(chain(elements, 4 * m, m, &M));
  PetscCall(chain(elements, 2 * k, -k, &K));
  PetscCall(solver(M, m, &ksp));
  PetscCall(MatCreateVecs(K, &q, &v));
  PetscCall(VecDuplicate(q, &a0));
  PetscCall(VecDuplicate(q, &a1));
  PetscCall(VecDuplicate(q, &force));
  PetscCall(VecSet(v, -0.1));
  PetscCall(VecSetValue(q, 0, 1e-6, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(q));
  PetscCall(VecAssemblyEnd(q));
  do {
    double start = processor_seconds();
    for (long s = 0; s < steps; s++) {
      Vec swap = a0;
      PetscCall(VecAXPBYPCZ(q, dt, dt * dt / 2, 1, v, a0));
      PetscCall(MatMult(K, q, force));
      PetscCall(VecScale(force, -1));
      PetscCall(KSPSolve(ksp, force, a1));
      PetscCall(VecAXPBYPCZ(v, dt / 2, dt / 2, 1, a0, a1));
      a0 = a1;
      a1 = swap;
    }
    start = processor_seconds() - start;
    if (passed == 0) PetscCall(VecNorm(v, NORM_2, &speed));
    passed += start;
    best = fmin(best, start);
  } while (passed < seconds);
  printf("{\"us\": %.6g, \"speed\": %.15g}\n", 1e6 * best / (double)steps, speed);
  PetscCall(VecDestroy(&q));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&a0));
  PetscCall(VecDestroy(&a1));
  PetscCall(VecDestroy(&force));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  static char name[] = "bench_petsc_bar";
  char       *bare[] = {name, NULL}, **words = bare;
  int         count = 1;

  if (argc < 4) {
    fprintf(stderr, "usage: bench_petsc_bar ELEMENTS STEPS SECONDS\n");
    return 2;
  }
  PetscCall(PetscInitialize(&count, &words, NULL, NULL));
  PetscCall(measure((PetscInt)atol(argv[1]), atol(argv[2]), atof(argv[3])));
  PetscCall(PetscFinalize());
  return 0;
}
