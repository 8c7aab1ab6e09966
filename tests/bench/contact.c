/*
  Local problems of many contacts (tests/contact_problems.h), solved by the chain. Lines "KIND ROWS COLUMNS MU SEED" from the standard input; for each of them a line of CSV on the output:
  contacts, seconds of processor time from nothing (the least of several) and from the solution for velocities changed by 1e-6, residual of percuss/local.h, solver, Newton's iterations.
  With an argument, a folder, problems of up to 600 contacts are also written there, as tests/bench/contact.py, which calls this, reads them: int32 contacts; float64 mu[contacts], b[rows],
  G[rows, rows].

  cmake --build build/release --target bench_contact && echo wall 6 8 0.6 0 | build/release/tests/bench_contact
*/
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../contact_problems.h"

#define MOST_WRITTEN 600
#define LEAST        0.05 /* s of each figure, in all */

static double seconds(void)
{
  struct timespec t;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static PetscErrorCode measure(
  NsLocalChain *chain, const NsLocalProblem *problem, const PetscReal *start, PetscReal *P, NsLocalResult *result, double *least)
{
  double sum = 0;

  PetscFunctionBegin;
  *least = 1e300;
  for (int i = 0; i < 20 && sum < LEAST; i++) {
    PetscCall(PetscArraycpy(P, start, problem->rows));
    const double t = seconds();
    PetscCall(NsLocalChainSolve(chain, problem, P, result));
    const double took = seconds() - t;
    sum += took;
    if (took < *least) *least = took;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode write_problem(ContactCase *it, const char *name)
{
  const NsLocalProblem *p        = &it->problem;
  const int32_t         contacts = p->contacts;
  FILE                 *file     = fopen(name, "wb");

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s", name);
  PetscCall(contact_dense(it));
  fwrite(&contacts, sizeof(contacts), 1, file);
  fwrite(p->friction, sizeof(PetscReal), (size_t)contacts, file);
  fwrite(p->b, sizeof(PetscReal), (size_t)p->rows, file);
  fwrite(it->G, sizeof(PetscReal), (size_t)p->rows * (size_t)p->rows, file);
  PetscCheck(fclose(file) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s", name);
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsLocalChain *chain, const char *kind, int rows, int columns, double mu, int seed, const char *folder)
{
  ContactCase   it;
  NsLocalResult result, again;
  PetscReal    *P, *Q, *zero;
  double        cold, warm;

  PetscFunctionBegin;
  PetscCall(contact_case(kind, rows, columns, mu, seed, &it));
  const PetscInt n = it.problem.rows;
  PetscCall(PetscCalloc3(n, &P, n, &Q, n, &zero));
  PetscCall(measure(chain, &it.problem, zero, P, &result, &cold));
  const char     *name     = result.converged ? NsLocalStageNames[chain->stage] : "none";
  const PetscReal residual = NsLocalResidual(&it.problem, P);
  contact_perturb(&it, 1e-6);
  PetscCall(measure(chain, &it.problem, P, Q, &again, &warm));
  printf("%s,%d,%d,%g,%d,%d,%.9f,%.9f,%.3e,%s,%d\n", kind, rows, columns, mu, seed, (int)it.problem.contacts, cold, warm, residual, name,
    (int)result.iterations);
  fflush(stdout);
  if (folder && it.problem.contacts <= MOST_WRITTEN && n == 3 * it.problem.contacts) {
    char path[1024];
    PetscCall(contact_case_destroy(&it));
    PetscCall(contact_case(kind, rows, columns, mu, seed, &it));
    snprintf(path, sizeof(path), "%s/%s_%d_%d_%g_%d.bin", folder, kind, rows, columns, mu, seed);
    PetscCall(write_problem(&it, path));
  }
  PetscCall(PetscFree3(P, Q, zero));
  PetscCall(contact_case_destroy(&it));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  NsLocalChain *chain;
  char          kind[32];
  int           rows, columns, seed;
  double        mu;

  PetscCall(PetscInitializeNoArguments());
  PetscCall(NsLocalChainCreate(1, 1, &chain));
  printf("kind,rows,columns,mu,seed,contacts,seconds,seconds_warm,residual,solver,iterations\n");
  while (scanf("%31s %d %d %lf %d", kind, &rows, &columns, &mu, &seed) == 5)
    PetscCall(solve(chain, kind, rows, columns, mu, seed, argc > 1 ? argv[1] : NULL));
  PetscCall(NsLocalChainDestroy(&chain));
  PetscCall(PetscFinalize());
  return 0;
}
