/* A directory of results shared by folder.c (the directory and its list) and folder_files.c (names of files in it). */
#pragma once
#include <sys/types.h>
#include "folder.h"

enum { NS_FOLDER_SUBS = 4, NS_FOLDER_NAME = 4096 };

typedef struct NsOwned NsOwned;
struct NsOwned {
  const char *name;  /* of a series with '*' for the number */
  int64_t     count; /* of a series */
  NsOwned    *next;
};

struct NsFolder {
  NsArena       *arena;
  const char    *path, *kind;
  int            fd, list; /* list: -1: not open */
  off_t          size;     /* of the list, up to the end of its last whole line */
  NsDirectoryUse use;
  NsOwned       *owned;
  bool           held;
  char          *pending; /* lines that are not on the disk yet */
  size_t         used, capacity;
  struct {
    char name[64];
    int  fd;
  } sub[NS_FOLDER_SUBS];
  int subs;
};

/* Relative to an open directory; `more`: O_NOFOLLOW or 0. -1: errno, ELOOP for a link that is not followed. */
int NsFolderOpenDirectory(int at, const char *name, int more);
/* A name, or one in a folder; nothing that leads elsewhere or is hidden. */
bool     NsFolderIsName(const char *name);
NsOwned *NsFolderFind(const NsFolder *folder, const char *name);
/* Puts a name of `size` bytes among the owned ones. */
NsOwned *NsFolderOwn(NsFolder *folder, const char *name, size_t size, int64_t count);
/* Adds lines to the list, on the disk when it returns. What is not written whole is cut off. */
bool NsFolderAppend(NsFolder *folder, const char *lines, size_t size);
/* The list with its first line alone; not on the disk yet. */
bool NsFolderMakeList(NsFolder *folder);
/* All of the text, or errno. */
bool NsFolderWrite(int fd, const char *text, size_t size);
/* fsync, where there is such a thing. */
bool NsFolderSync(int fd);
void NsFolderCloseSubs(NsFolder *folder);
