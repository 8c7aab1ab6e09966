/*
  Scripts of postprocess/ that a command calls: they need Python with numpy and matplotlib, which need not be there.
*/
#pragma once
#include <stdbool.h>
#include "percuss/arena.h"

/* Debian's Python, to which its packages belong; where there is none, that of the PATH. */
const char *NsScriptPython(void);
/* The script of this name, of the installed program or of the source tree; NULL: not there. */
const char *NsScriptFind(const char *name, NsArena *arena);
/* Runs it on a directory without its output (told: with its messages); whether it ended well. Ctrl-C meanwhile is the script's alone. Not between MPI's start and end: it starts a process. */
bool NsScriptCall(const char *script, const char *directory, bool told);
