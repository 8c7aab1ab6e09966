/*
  What the tests of the config's readers share: the messages as the user sees them.
*/
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "percuss/diag.h"

/* All messages so far; copied into the arena. */
static inline const char *printed_in(NsDiag *diag, NsArena *arena, bool colour)
{
  char  *text = NULL;
  size_t size = 0;
  FILE  *file = open_memstream(&text, &size);
  char  *copy;

  assert_non_null(file);
  NsDiagPrint(diag, file, colour);
  fclose(file);
  copy = NsArenaCopy(arena, text, size);
  free(text);
  return copy;
}

static inline const char *printed(NsDiag *diag, NsArena *arena)
{
  return printed_in(diag, arena, false);
}
