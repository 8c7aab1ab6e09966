/*
  The commands of the program. Each gets its own word as argv[0] and returns the exit code: 0 done, 1 the run failed, 2 the input is wrong,
  3 stopped by a signal with a checkpoint written.
*/
#pragma once

#define NS_COMMAND(name, Name, arguments, about) int NsCommand##Name(int argc, char **argv);
#include "list.h"
#undef NS_COMMAND

/* src/cli/init.c: what `percuss init` knows, one after the other; NULL after the last. */
const char *NsInitKind(int i);

/* Ends a command: what it printed goes out. Output that cannot be written is a failure, and told; returns code, or that of a failure. */
int NsFlushOutput(int code);
