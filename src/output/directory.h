/*
  Directories of results: made with their parents, and never emptied unless they hold results of percuss.
*/
#pragma once
#include <stdbool.h>
#include "percuss/arena.h"

/* Like mkdir -p; errno says why not. */
bool NsDirectoryMake(const char *path);
typedef enum {
  NS_DIRECTORY_FREE,    /* does not exist, or is empty, or a run was killed there before its run.json was whole */
  NS_DIRECTORY_RESULTS, /* holds a run.json of percuss */
  NS_DIRECTORY_FOREIGN, /* holds something else */
  NS_DIRECTORY_FILE     /* is no directory */
} NsDirectoryUse;
NsDirectoryUse NsDirectoryLook(const char *path, NsArena *arena);
/* Removes the files that runs and analyses write: those of every writer, every table, and run.json at last; everything else stays. False, with errno, when one cannot be removed. */
bool NsDirectoryRemoveResults(const char *path, NsArena *arena);
/* Whether this process alone writes there from now on, until *lock, a file descriptor (0: none yet), is closed. True, too, where that cannot be told. */
bool NsDirectoryLock(const char *path, int *lock);
/* Removes the files of a directory that match one of the patterns (NULL-terminated), unfinished ones ("NAME.part"), too; there may be none, nor a directory. */
bool NsDirectoryRemoveMatching(const char *path, const char *const *patterns, NsArena *arena);
/* path, or path_2, path_3 ...: the first that is not used. */
const char *NsDirectoryFreeName(const char *path, NsArena *arena);
