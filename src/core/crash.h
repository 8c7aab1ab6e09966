/*
  What is said where the program breaks: by a mistake of a plugin, of a library, or its own.
*/
#pragma once

/* From now on a bad access, an arithmetic error or abort() tells where, with the calls that led there, on stderr; then it ends the process as it would have. After PETSc's
   start, which takes these signals for itself. */
void NsCrashTell(void);
