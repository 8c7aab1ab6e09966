/*
  Scripts of postprocess/ that commands call. They need Python with numpy and matplotlib, which may be missing.
*/
#pragma once
#include <stdbool.h>
#include "percuss/arena.h"

/* Debian's Python, which has the packages of Debian; if it is missing, that of the PATH. */
const char *NsScriptPython(void);
/* The script of this name, of the installed program or of the source tree; NULL: not there. */
const char *NsScriptFind(const char *name, NsArena *arena);
/* Runs the script on a directory, without its output, with its messages if `messages`; whether it succeeded. Ctrl-C then ends the script alone. Not between MPI's start and end: it
   starts a process. */
bool NsScriptCall(const char *script, const char *directory, bool messages);
