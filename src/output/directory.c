#include "directory.h"
#include "core/out_of_memory.h"
#include "percuss/output.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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

/* Percuss's own run.json says so in its first lines. */
static bool is_our_manifest(const char *path)
{
  char   text[4096];
  FILE  *file = fopen(path, "r");
  size_t size;

  if (!file && errno == ENOMEM) NsOutOfMemory();
  if (!file) return false;
  size       = fread(text, 1, sizeof(text) - 1, file);
  text[size] = '\0';
  fclose(file);
  return strstr(text, "\"name\": \"percuss\"") != NULL;
}

NsDirectoryUse NsDirectoryLook(const char *path, NsArena *arena)
{
  struct stat    info;
  DIR           *directory;
  struct dirent *entry;
  bool           used = false;

  if (stat(path, &info)) return NS_DIRECTORY_FREE; /* making it will tell what is wrong, if anything is */
  if (!S_ISDIR(info.st_mode)) return NS_DIRECTORY_FILE;
  directory = opendir(path);
  if (!directory && errno == ENOMEM) NsOutOfMemory();
  if (!directory) return NS_DIRECTORY_FOREIGN;
  while (!used && (entry = readdir(directory))) {
    used = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strcmp(entry->d_name, "run.json.part"); /* killed at its very first file */
  }
  closedir(directory);
  if (!used) return NS_DIRECTORY_FREE;
  return is_our_manifest(NsArenaPrint(arena, "%s/run.json", path)) ? NS_DIRECTORY_RESULTS : NS_DIRECTORY_FOREIGN;
}

/* "name" or, unfinished, "name.part". */
static bool matches(const char *pattern, const char *name)
{
  static const char unfinished[] = ".part";
  char              whole[256];
  const size_t      length = strlen(name), tail = sizeof(unfinished) - 1;

  if (fnmatch(pattern, name, 0) == 0) return true;
  if (length <= tail || length >= sizeof(whole) || strcmp(name + length - tail, unfinished) != 0) return false;
  memcpy(whole, name, length - tail);
  whole[length - tail] = '\0';
  return fnmatch(pattern, whole, 0) == 0;
}

bool NsDirectoryRemoveMatching(const char *path, const char *const *patterns, NsArena *arena)
{
  DIR           *directory = opendir(path);
  struct dirent *entry;
  bool           good = true;

  if (!directory) return errno == ENOENT;
  while (good && (entry = readdir(directory))) {
    for (int i = 0; patterns[i] && good; i++) {
      if (matches(patterns[i], entry->d_name)) good = unlink(NsArenaPrint(arena, "%s/%s", path, entry->d_name)) == 0;
    }
  }
  closedir(directory);
  return good;
}

/* A pattern of the directory ("energy.csv") or of a folder in it ("frames/x_*.vtk"); an empty folder goes, too. */
static bool remove_pattern(const char *path, const char *pattern, NsArena *arena)
{
  const char *slash    = strchr(pattern, '/');
  const char *folder   = slash ? NsArenaPrint(arena, "%s/%.*s", path, (int)(slash - pattern), pattern) : path;
  const char *these[2] = {slash ? slash + 1 : pattern, NULL};

  if (!NsDirectoryRemoveMatching(folder, these, arena)) return false;
  if (slash) (void)rmdir(folder); /* it stays with what else is in it */
  return true;
}

bool NsDirectoryRemoveResults(const char *path, NsArena *arena)
{
  static const char *const run[] = {
    "checkpoint/step_[0-9]*.ckpt", "config.yaml", "report.html", "run.json", NULL}; /* run.json at last: it says whose the rest is */
  const NsCsvType *table;
  bool             good = true;

  for (int i = 0; NsWriterTypes[i]; i++) {
    const char *const *files = NsWriterTypes[i]->files;
    for (int k = 0; files && files[k] && good; k++) good = remove_pattern(path, files[k], arena);
  }
  for (int i = 0; (table = NsCsvTypeAt(i)) && good; i++) good = remove_pattern(path, table->file, arena);
  for (int i = 0; run[i] && good; i++) good = remove_pattern(path, run[i], arena);
  return good;
}

bool NsDirectoryLock(const char *path, int *lock)
{
  if (*lock > 0) return true;
  *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true; /* not every file system has locks */
  (void)close(*lock);
  *lock = 0;
  return false;
}

const char *NsDirectoryFreeName(const char *path, NsArena *arena)
{
  const char *name = path;

  for (int i = 2; NsDirectoryLook(name, arena) != NS_DIRECTORY_FREE; i++) name = NsArenaPrint(arena, "%s_%d", path, i);
  return name;
}
