/*
  When the machine has no memory left: one line on stderr, "percuss: error: out of memory", and exit code 1, whoever asked - we, PETSc, libyaml. It is no bug, so there is
  no traceback.

  Nobody returns from it, for nobody could go on; several processes are ended by their launcher once one of them has ended this way.
*/
#pragma once

/* After the last words. */
_Noreturn void NsOutOfMemory(void);
/* Of whoever has begun what must not stay as it is (a run closes its results): called once, before the message. They should need no memory; if they run out
   of it too, the message comes at once. NULL: none. */
void NsLastWords(void (*words)(void *context), void *context);
