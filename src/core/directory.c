#include "directory.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool NsDirectoryMake(const char *path)
{
  char        part[4096];
  struct stat info;

  if (strlen(path) >= sizeof(part)) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (size_t i = 0; path[i]; i++) {
    part[i]     = path[i];
    part[i + 1] = '\0';
    if (path[i] == '/' && i > 0 && mkdir(part, 0777) && errno != EEXIST) return false;
  }
  if (mkdir(path, 0777) == 0) return true;
  if (errno != EEXIST || stat(path, &info)) return false;
  if (S_ISDIR(info.st_mode)) return true;
  errno = ENOTDIR;
  return false;
}

bool NsDirectoryIsUsed(const char *path)
{
  DIR           *directory = opendir(path);
  struct dirent *entry;
  bool           used = false;

  if (!directory) return errno == ENOTDIR;
  while (!used && (entry = readdir(directory))) used = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
  closedir(directory);
  return used;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
  (void)info;
  (void)type;
  (void)walk;
  return remove(path);
}

bool NsDirectoryRemoveResults(const char *path, NsArena *arena)
{
  struct stat info;

  if (stat(NsArenaPrint(arena, "%s/run.json", path), &info)) {
    errno = ENOTEMPTY;
    return false;
  }
  return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

const char *NsDirectoryFreeName(const char *path, NsArena *arena)
{
  const char *name = path;

  for (int i = 2; NsDirectoryIsUsed(name); i++) name = NsArenaPrint(arena, "%s_%d", path, i);
  return name;
}
