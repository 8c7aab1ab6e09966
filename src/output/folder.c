#include "folder_private.h"
#include "core/out_of_memory.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LIST = 1 << 26 /* bytes */ };

static const char *const kinds[] = {NS_FOLDER_RUN, NS_FOLDER_STUDY, NULL};

const char *NsFolderWhy(int error)
{
  switch (error) {
  case EEXIST: return "its name is taken by a file that percuss did not write";
  case ELOOP: return "it is a symbolic link, which is not followed";
  case EMLINK: return "the file has a second name (a hard link), under which it would change, too";
  default: return strerror(error);
  }
}

/* ---- paths ------------------------------------------------------------------------------------------------------------------------------------------ */

int NsFolderOpenDirectory(int at, const char *name, int more)
{
  const int fd = (int)TEMP_FAILURE_RETRY(openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | more));

  if (fd < 0 && errno == ENOTDIR && (more & O_NOFOLLOW)) {
    struct stat about;

    errno = fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode) ? ELOOP : ENOTDIR;
  }
  return fd;
}

/* Like mkdir -p. */
static bool make_directories(const char *path)
{
  char        part[NS_FOLDER_NAME];
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

/* The last `own` parts of the path one by one, without following links. */
static int open_path(const char *path, int own, bool make)
{
  char   text[NS_FOLDER_NAME];
  size_t end = strlen(path);
  int    fd;

  if (end >= sizeof(text)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(text, path, end + 1);
  while (end > 1 && text[end - 1] == '/') text[--end] = 0;
  for (int left = own; left > 0 && end; left--) {
    while (end && text[end - 1] != '/') end--;
    if (end) text[--end] = 0;
  }
  const char *base = end ? text : path[0] == '/' ? "/" : ".";
  if (make && strcmp(base, ".") && strcmp(base, "/") && !make_directories(base)) return -1;
  fd = NsFolderOpenDirectory(AT_FDCWD, base, 0);
  for (const char *part = text + end + (end || path[0] == '/' ? 1 : 0); own > 0 && fd >= 0; own--, part += strlen(part) + 1) {
    const int up = fd;

    fd              = make && mkdirat(up, part, 0777) && errno != EEXIST ? -1 : NsFolderOpenDirectory(up, part, O_NOFOLLOW);
    const int error = errno;
    (void)close(up);
    errno = error;
  }
  return fd;
}

/* ---- the list ---------------------------------------------------------------------------------------------------------------------------------------- */

bool NsFolderIsName(const char *name)
{
  int slashes = 0;

  if (strlen(name) >= 1024) return false;
  for (const char *p = name; *p; p++) {
    const bool begins = p == name || p[-1] == '/';

    if ((unsigned char)*p < 0x20 || *p == 0x7f || (begins && (*p == '.' || *p == '/'))) return false;
    slashes += *p == '/';
  }
  return *name && slashes <= 1;
}

NsOwned *NsFolderFind(const NsFolder *folder, const char *name)
{
  NsOwned *owned = folder->owned;

  while (owned && strcmp(owned->name, name) != 0) owned = owned->next;
  return owned;
}

NsOwned *NsFolderOwn(NsFolder *folder, const char *name, size_t size, int64_t count)
{
  char    *copy  = NsArenaCopy(folder->arena, name, size);
  NsOwned *owned = NsFolderFind(folder, copy);

  if (!owned) {
    owned         = NsArenaAlloc(folder->arena, sizeof(*owned));
    owned->name   = copy;
    owned->next   = folder->owned;
    folder->owned = owned;
  }
  owned->count = count;
  return owned;
}

/* Reads a line of the list; invalid lines are skipped. */
static void take_line(NsFolder *folder, const char *line, size_t size)
{
  const char *text = NsArenaCopy(folder->arena, line, size), *blank = strrchr(text, ' ');
  char       *stop  = NULL;
  long long   count = 0;

  if (!NsFolderIsName(text)) return;
  if (strchr(text, '*')) {
    if (!blank || blank[-1] == ' ' || !strchr("0123456789", blank[1])) return;
    count = strtoll(blank + 1, &stop, 10);
    if (*stop || count < 0) return;
    size = (size_t)(blank - text);
  }
  NsFolderOwn(folder, text, size, count);
}

/* 0, or the number of a kind from 1 on: the text begins with its line. -1: the text is the beginning of such a line. */
static int kind_of(const char *text, size_t size, size_t *length)
{
  for (int i = 0; kinds[i]; i++) {
    char line[32];

    *length = (size_t)snprintf(line, sizeof(line), "percuss 1 %s\n", kinds[i]);
    if (size >= *length && memcmp(text, line, *length) == 0) return i + 1;
    if (size < *length && memcmp(text, line, size) == 0) return -1;
  }
  return 0;
}

/* Of the first file of earlier versions. */
static bool is_empty_part(int fd, const char *name)
{
  struct stat about;

  return !strcmp(name, "run.json.part") && fstatat(fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

/* Whether it is empty except for percuss.files. errno is 0, or the error of reading it. */
static bool is_empty(int fd)
{
  const int      own_fd    = NsFolderOpenDirectory(fd, ".", 0);
  DIR           *directory = own_fd < 0 ? NULL : fdopendir(own_fd);
  const int      error     = directory ? 0 : errno;
  struct dirent *entry;
  bool           empty = directory != NULL;

  if (!directory && errno == ENOMEM) NsOutOfMemory();
  while (empty && (entry = readdir(directory))) {
    empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || !strcmp(entry->d_name, NS_FOLDER_LIST) || is_empty_part(fd, entry->d_name);
  }
  if (directory)
    (void)closedir(directory);
  else if (own_fd >= 0)
    (void)close(own_fd);
  errno = error;
  return empty;
}

/* Percuss's own run.json says so in its first lines. */
static bool has_our_manifest(int fd)
{
  char      text[4096];
  const int file = (int)TEMP_FAILURE_RETRY(openat(fd, "run.json", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  ssize_t   size = file < 0 ? -1 : TEMP_FAILURE_RETRY(read(file, text, sizeof(text) - 1));

  if (file >= 0) (void)close(file);
  if (size < 0) return false;
  text[size] = 0;
  return strstr(text, "\"name\": \"percuss\"") != NULL;
}

/* The text of an open file; NULL: it cannot be read. The caller frees it. */
static char *read_list(int fd, size_t size)
{
  char  *text = malloc(size + 1);
  size_t used = 0;

  if (!text) NsOutOfMemory();
  while (used < size) {
    const ssize_t n = TEMP_FAILURE_RETRY(pread(fd, text + used, size - used, (off_t)used));

    if (n <= 0) break;
    used += (size_t)n;
  }
  text[used] = 0;
  if (used == size) return text;
  free(text);
  return NULL;
}

/* Whether this says something of the file, and not of the machine. */
static bool is_of_the_file(int error)
{
  return error == EACCES || error == EPERM || error == ELOOP || error == EISDIR || error == ENXIO || error == EROFS;
}

/* The state of a directory whose list could not be opened (errno). False: an error of the machine; the state is unknown. */
static bool look_without_list(NsFolder *folder)
{
  const bool empty = errno == ENOENT && is_empty(folder->fd);

  if (errno && !is_of_the_file(errno)) return false;
  folder->use = empty ? NS_DIRECTORY_FREE : has_our_manifest(folder->fd) ? NS_DIRECTORY_UNLISTED : NS_DIRECTORY_FOREIGN;
  return true;
}

/* Reads the list, if it exists, and determines the state of the directory. */
static bool inspect(NsFolder *folder)
{
  struct stat about;
  size_t      length, size;
  char       *text;
  int         kind;

  folder->list = (int)TEMP_FAILURE_RETRY(openat(folder->fd, NS_FOLDER_LIST, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (folder->list < 0 && errno != ENOENT) /* may be read and not be written, as an archive */
    folder->list = (int)TEMP_FAILURE_RETRY(openat(folder->fd, NS_FOLDER_LIST, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (folder->list < 0) return look_without_list(folder);
  folder->use = NS_DIRECTORY_FOREIGN;
  if (fstat(folder->list, &about) || !S_ISREG(about.st_mode) || about.st_nlink > 1 || about.st_size > MOST_LIST) return true;
  size = (size_t)about.st_size;
  text = read_list(folder->list, size);
  if (!text) return true;
  kind = kind_of(text, size, &length);
  if (kind < 0 && is_empty(folder->fd)) folder->use = NS_DIRECTORY_FREE;
  if (kind > 0) {
    folder->use  = kind == 1 ? NS_DIRECTORY_RESULTS : NS_DIRECTORY_STUDY;
    folder->kind = kinds[kind - 1];
    folder->size = (off_t)length;
    for (const char *line = text + length, *stop; (stop = memchr(line, '\n', size - (size_t)(line - text))); line = stop + 1) {
      take_line(folder, line, (size_t)(stop - line));
      folder->size = (off_t)(stop + 1 - text);
    }
  }
  free(text);
  return true;
}

bool NsFolderWrite(int fd, const char *text, size_t size)
{
  while (size) {
    const ssize_t n = TEMP_FAILURE_RETRY(write(fd, text, size));

    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    text += n;
    size -= (size_t)n;
  }
  return true;
}

bool NsFolderSync(int fd)
{
  return TEMP_FAILURE_RETRY(fsync(fd)) == 0 || errno == EINVAL || errno == EROFS;
}

bool NsFolderMakeList(NsFolder *folder)
{
  char      line[32];
  const int length = snprintf(line, sizeof(line), "percuss 1 %s\n", folder->kind);

  if (folder->list >= 0 &&
      (folder->use == NS_DIRECTORY_RESULTS || folder->use == NS_DIRECTORY_STUDY)) { /* it keeps its first line, wherever a run is killed */
    if (TEMP_FAILURE_RETRY(ftruncate(folder->list, length))) return false;
    folder->size = length;
    return true;
  }
  if (folder->list < 0)
    folder->list = (int)TEMP_FAILURE_RETRY(openat(folder->fd, NS_FOLDER_LIST, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (folder->list < 0) return false;
  if (TEMP_FAILURE_RETRY(ftruncate(folder->list, 0)) || !NsFolderWrite(folder->list, line, (size_t)length)) {
    const int error = errno;

    (void)unlinkat(folder->fd, NS_FOLDER_LIST, 0);
    (void)close(folder->list);
    folder->list = -1;
    errno        = error;
    return false;
  }
  folder->size = length;
  folder->use  = strcmp(folder->kind, NS_FOLDER_RUN) ? NS_DIRECTORY_STUDY : NS_DIRECTORY_RESULTS;
  return true;
}

bool NsFolderAppend(NsFolder *folder, const char *lines, size_t size)
{
  const bool is_new = folder->use == NS_DIRECTORY_FREE || folder->list < 0;

  if (is_new && !NsFolderMakeList(folder)) return false;
  if (TEMP_FAILURE_RETRY(ftruncate(folder->list, folder->size))) return false; /* a line that was cut off by a kill */
  if (!NsFolderWrite(folder->list, lines, size) || !NsFolderSync(folder->list) || (is_new && !NsFolderSync(folder->fd))) {
    const int error = errno;

    if (TEMP_FAILURE_RETRY(ftruncate(folder->list, folder->size))) folder->size += 0; /* the reader passes over half a line */
    errno = error;
    return false;
  }
  folder->size += (off_t)size;
  return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------------------------------------------- */

NsFolder *NsFolderOpen(const char *path, int own_parts, bool make, const char *kind, NsArena *arena)
{
  const int fd = open_path(path, own_parts, make);
  NsFolder *folder;

  if (fd < 0) return NULL;
  folder        = NsArenaAlloc(arena, sizeof(*folder));
  folder->arena = arena;
  folder->path  = NsArenaCopy(arena, path, strlen(path));
  folder->kind  = kind;
  folder->fd    = fd;
  if (!inspect(folder)) NsFolderClose(&folder);
  return folder;
}

void NsFolderClose(NsFolder **folder)
{
  const int error = errno;

  if (!*folder) return;
  NsFolderCloseSubs(*folder);
  if ((*folder)->list >= 0) (void)close((*folder)->list);
  (void)close((*folder)->fd);
  *folder = NULL;
  errno   = error;
}

NsDirectoryUse NsFolderLook(const NsFolder *folder)
{
  return folder->use;
}

bool NsFolderLock(NsFolder *folder)
{
  if (flock(folder->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) return false;
  if (folder->list >= 0) (void)close(folder->list);
  folder->owned = NULL;
  if (!inspect(folder)) return false; /* again: another may have written until now */
  if (folder->use == NS_DIRECTORY_RESULTS || folder->use == NS_DIRECTORY_STUDY)
    (void)unlinkat(folder->fd, NS_FOLDER_LIST ".part", 0); /* of a run that was killed at its end */
  return true;
}

NsDirectoryUse NsDirectoryLook(const char *path, NsArena *arena)
{
  struct stat    info;
  NsFolder      *folder;
  NsDirectoryUse use;

  if (stat(path, &info)) return NS_DIRECTORY_FREE; /* creating it reports the error, if there is one */
  if (!S_ISDIR(info.st_mode)) return NS_DIRECTORY_FILE;
  folder = NsFolderOpen(path, 0, false, NS_FOLDER_RUN, arena);
  use    = folder ? folder->use : errno == EACCES ? NS_DIRECTORY_FOREIGN : NS_DIRECTORY_UNKNOWN;
  NsFolderClose(&folder);
  return use;
}

const char *NsDirectoryFreeName(const char *path, NsArena *arena)
{
  const char *name = path;

  for (int i = 2; NsDirectoryLook(name, arena) != NS_DIRECTORY_FREE; i++) name = NsArenaPrint(arena, "%s_%d", path, i);
  return name;
}
