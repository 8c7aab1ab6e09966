/*
  Scripts of postprocess/ that a command calls: they need Debian's Python with numpy and matplotlib, which need not be there.
*/
#pragma once
#include "percuss/arena.h"

#define NS_SCRIPT_PYTHON "/usr/bin/python3"

/* The script of this name beside the program, as installed or as built in a checkout; NULL: not there. */
const char *NsScriptFind(const char *name, NsArena *arena);
/* Runs it on a directory, in silence; its exit code, or another number than 0 where it cannot be run. */
int NsScriptCall(const char *script, const char *directory);
