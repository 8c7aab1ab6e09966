/*
  What tests of whole models share: a run from a config in a string, and PETSc around the tests of a program.
*/
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/private.h"

/* PetscCall for tests: an error is a failure, not a return. */
#define CHECK(call) assert_int_equal((call), 0)

typedef struct {
  NsArena *arena;
  NsDiag  *diag;
  NsRun   *run;
} TestRun;

/* The text of a file in configs/, all of it. */
static inline void test_read_config(const char *name, char *text, size_t size)
{
  char  path[512];
  FILE *file;

  snprintf(path, sizeof(path), "%s/configs/%s", PERCUSS_SOURCE_DIR, name);
  file = fopen(path, "r");
  assert_non_null(file);
  const size_t length = fread(text, 1, size, file);
  fclose(file);
  assert_true(length < size);
  text[length] = 0;
}

/* A run from text (written to a file first: that is what the reader reads), with NULL-terminated --set arguments. Ready to step. */
static inline TestRun test_run_open(const char *text, const char *const *set)
{
  char         path[] = "/tmp/percuss_test_XXXXXX";
  TestRun      test   = {NsArenaCreate(), NULL, NULL};
  NsRunOptions options;
  const int    file = mkstemp(path);

  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  memset(&options, 0, sizeof(options));
  options.config_path = path;
  options.set         = set;
  while (set && set[options.sets]) options.sets++;
  test.diag = NsDiagCreate(test.arena);
  CHECK(NsRunCreate(&options, test.arena, test.diag, &test.run));
  unlink(path);
  if (NsDiagErrors(test.diag)) {
    NsDiagPrint(test.diag, stderr, false);
    fail_msg("the test's config has mistakes");
  }
  CHECK(NsRunStart(test.run));
  return test;
}

static inline void test_run_close(TestRun *test)
{
  CHECK(NsRunDestroy(&test->run));
  NsArenaDestroy(&test->arena);
}

/* One step as the loop does it; fails the test when the step fails. */
static inline NsStepOutcome test_step(NsRun *run)
{
  NsStepOutcome outcome;

  CHECK(NsRunStep(run, &outcome));
  if (!outcome.done) fail_msg("step at t = %g: %s", run->state.t, outcome.reason);
  CHECK(NsSchemeComplete(run->scheme, &run->state)); /* tests look at all of it */
  return outcome;
}

/* Steps as the loop does them, to the end. */
static inline PetscBool test_runs(const NsRun *run)
{
  return run->state.t < run->config.time->end - NsRunEndSlack(run);
}

/* |a - b| <= tolerance, with the figures when it is not. */
#define assert_near(a, b, tolerance) \
  do { \
    const double a_ = (a), b_ = (b), t_ = (tolerance); \
    if (!(PetscAbsReal(a_ - b_) <= t_)) fail_msg("%s = %.17g, expected %.17g +- %g (off by %g)", #a, a_, b_, t_, a_ - b_); \
  } while (0)

/* main of a test program: PETSc first, so that models can be built. */
#define TEST_MAIN(tests) \
  int main(int argc, char **argv) \
  { \
    int failed; \
    if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1; \
    failed = cmocka_run_group_tests(tests, NULL, NULL); \
    if (SlepcFinalize()) return 1; \
    return failed; \
  }
