/*
  Directories of results: made with their parents, and never emptied unless they hold results of percuss.
*/
#pragma once
#include <stdbool.h>
#include "percuss/arena.h"

/* Like mkdir -p; errno says why not. */
bool NsDirectoryMake(const char *path);
/* Whether there is anything in it; false when it does not exist. */
bool NsDirectoryIsUsed(const char *path);
/* Removes it with all its content, if it holds a run.json: else nothing is touched and false is returned, with errno ENOTEMPTY. */
bool NsDirectoryRemoveResults(const char *path, NsArena *arena);
/* path, or path_2, path_3 ...: the first that is not used. */
const char *NsDirectoryFreeName(const char *path, NsArena *arena);
