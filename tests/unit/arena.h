/* An arena and diagnostics of its own for each test. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "percuss/diag.h"

static NsArena *arena;
static NsDiag  *diag;

static inline int setup(void **state)
{
  (void)state;
  arena = NsArenaCreate();
  diag  = NsDiagCreate(arena);
  return 0;
}

static inline int teardown(void **state)
{
  (void)state;
  NsArenaDestroy(&arena);
  return arena != NULL;
}
