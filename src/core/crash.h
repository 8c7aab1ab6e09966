/*
  What is printed when the program crashes: by a bug of a plugin, of a library, or its own.
*/
#pragma once

/* From now on an invalid memory access, an arithmetic error or abort() prints the calls that led there on stderr, and then ends the process as it would have. To be called after
   PETSc's start, which takes these signals for itself. */
void NsCrashReport(void);
