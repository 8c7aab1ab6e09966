/*
  Directories of results: what percuss wrote there it knows by a list, percuss.files, and it touches nothing else.

      percuss 1 run                 first line: what the directory is for (run, study)
      history.csv
      frames/                       a folder that percuss made
      frames/bar_*.vtk 128          frames/bar_000000.vtk ... bar_000127.vtk; the last line of a series holds

  A name is on the list, and the list on the disk, before a file of that name is made: NsFolderClaim. So a directory is known as one of percuss from its first file on, wherever a
  run is killed, and --overwrite removes the files of the list (and NAME.part, by which a file is made) and no others. A name that exists and is not on the list belongs to the
  user or another program: claiming it fails with EEXIST.

  The directory is held open, and files in it are opened, renamed and removed relative to it (openat ...). A symbolic link is followed on the way to the directory, which the user
  names, and never within it (O_NOFOLLOW). Functions that fail return false, NULL or -1 and set errno; NsFolderWhy puts it into words.
*/
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "percuss/arena.h"

typedef struct NsFolder NsFolder;

#define NS_FOLDER_LIST  "percuss.files"
#define NS_FOLDER_RUN   "run"
#define NS_FOLDER_STUDY "study"

typedef enum {
  NS_DIRECTORY_FREE,     /* does not exist, or is empty, or percuss was killed there before its list had a first line */
  NS_DIRECTORY_RESULTS,  /* of a run or an analysis, by its list; they may lack run.json where percuss was killed early */
  NS_DIRECTORY_STUDY,    /* of a study, by its list */
  NS_DIRECTORY_UNLISTED, /* holds a run.json of percuss and no list: to be read, and not to be changed */
  NS_DIRECTORY_FOREIGN,  /* holds something else */
  NS_DIRECTORY_FILE,     /* is no directory */
  NS_DIRECTORY_UNKNOWN   /* the machine fails: errno */
} NsDirectoryUse;
NsDirectoryUse NsDirectoryLook(const char *path, NsArena *arena);
/* path, or path_2, path_3 ...: the first that is not used. */
const char *NsDirectoryFreeName(const char *path, NsArena *arena);

/* Opens a directory. `own`: how many folders at the end of the path are not the user's word but percuss's, such as 2 of DIR/runs/0123456789ab: there no link is followed. `make`: like
   mkdir -p. `kind`: for a new list. */
NsFolder *NsFolderOpen(const char *path, int own, bool make, const char *kind, NsArena *arena);
void      NsFolderClose(NsFolder **folder);
/* Its state when it was opened, locked or cleaned. */
NsDirectoryUse NsFolderLook(const NsFolder *folder);
/* Whether this process alone writes there from now on, until NsFolderClose; false with EWOULDBLOCK: another does. Also true where this is unknown: not every file system has locks. */
bool NsFolderLock(NsFolder *folder);

/* Makes this name percuss's own: "history.csv", "checkpoint/step_000000000000100.ckpt", or "frames/" for a folder, which is then made. On the disk when it returns. */
bool NsFolderClaim(NsFolder *folder, const char *name);
/* Between these, claims are collected and brought to the disk together, by the second: one fsync for all. */
void NsFolderHold(NsFolder *folder);
bool NsFolderCommit(NsFolder *folder);
/* "frames/bar_000012.vtk" of the series "frames/bar_*.vtk". */
void NsFolderFrameName(const char *series, int64_t number, char *name, size_t size);
/* Frames of a series: how many are claimed. The second claims more, from the number `from` on: at least one and at most `most`, up to a name that is taken. The third keeps
   `count` of them: NsFolderSeal writes it. They do not allocate. */
int64_t NsFolderFrames(const NsFolder *folder, const char *series);
int64_t NsFolderClaimFrames(NsFolder *folder, const char *series, int64_t from, int64_t most);
void    NsFolderKeepFrames(NsFolder *folder, const char *series, int64_t count);
bool    NsFolderOwns(const NsFolder *folder, const char *name);

/* Of a complete run: frames that were claimed and not made are no longer claimed. */
void NsFolderDropClaims(NsFolder *folder);
/* At the end of a run: the list with the names of what is there, sorted, the same for a run that was stopped on the way. Does not allocate. */
void NsFolderSeal(NsFolder *folder);

/* For openat and its kind: the open directory in which a name of this folder is, and its last part there. -1: no such directory. */
int NsFolderAt(NsFolder *folder, const char *name, const char **leaf);
/* Whether an empty file has this name: nothing is lost with it, whoever made it. */
bool NsFolderIsEmptyFile(NsFolder *folder, const char *name);
/* Removes a file, if it is there. */
bool NsFolderRemoveFile(NsFolder *folder, const char *name);
/* Removes what a run that was killed has left of files that were being made; of frames it stays, for they are made again. */
void NsFolderRemoveParts(NsFolder *folder);
/* Removes a folder of the directory, if it is empty. */
void NsFolderRemoveSub(NsFolder *folder, const char *name);
/* Removes all files of the list, and folders that percuss made if they are empty then; nothing where one of them is no longer a file. The list stays, empty. */
bool NsFolderClean(NsFolder *folder);
/* NsFolderClean, then the list and, if nothing else is in it, the directory. */
bool NsFolderRemove(NsFolder **folder);
/* strerror, and what it means here that a name is taken, is a link or has a second name. */
const char *NsFolderWhy(int error);
