#include "cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "percuss_version.h"

#define NS_CACHE_MAGIC   "percuss cache 1\n"
#define NS_CACHE_SUFFIX  ".percuss"
#define NS_CACHE_SECONDS 20.

/* In front of the numbers. */
typedef struct {
  char     magic[16], key[64];
  uint64_t count;
  char     checksum[64]; /* of the numbers */
} Head;

/* False: nothing is kept. */
static bool find_folder(char *folder, size_t size)
{
  const char *own = getenv("PERCUSS_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int         used;

  if (own && *own)
    used = strcmp(own, "off") == 0 ? -1 : snprintf(folder, size, "%s", own);
  else if (cache && *cache == '/')
    used = snprintf(folder, size, "%s/percuss", cache);
  else
    used = home && *home == '/' ? snprintf(folder, size, "%s/.cache/percuss", home) : -1;
  return used > 0 && (size_t)used < size;
}

/* It belongs to this user, and nobody else may write to it. */
static bool is_own(const struct stat *status)
{
  return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

static bool folder_is_own(const char *folder)
{
  struct stat status;

  return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && is_own(&status);
}

bool NsCacheKeeps(double seconds)
{
  const char *own = getenv("PERCUSS_CACHE");
  char        folder[4096];

  return ((own && *own) || seconds >= NS_CACHE_SECONDS) && find_folder(folder, sizeof(folder));
}

void NsCacheKeyBegin(NsSha256 *sha)
{
  static const char version[] = NS_CACHE_MAGIC PERCUSS_VERSION " " PERCUSS_COMMIT " " PERCUSS_COMPILER " " PERCUSS_BUILD;

  NsSha256Begin(sha);
  NsSha256Add(sha, version, sizeof(version));
}

/* False: the path is too long. */
static bool path_of(const char *key, char *path, size_t size)
{
  char      folder[4096];
  const int used = find_folder(folder, sizeof(folder)) ? snprintf(path, size, "%s/%s" NS_CACHE_SUFFIX, folder, key) : -1;

  return used > 0 && (size_t)used < size && folder_is_own(folder);
}

static bool read_all(int file, void *to, size_t size)
{
  for (size_t at = 0; at < size;) {
    const ssize_t got = read(file, (char *)to + at, size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

static bool write_all(int file, const void *from, size_t size)
{
  for (size_t at = 0; at < size;) {
    const ssize_t put = write(file, (const char *)from + at, size - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += (size_t)put;
  }
  return true;
}

double *NsCacheRead(const char key[NS_SHA256_TEXT], size_t *count, char *path, size_t size)
{
  char        name[4200], checksum[NS_SHA256_TEXT];
  struct stat status;
  Head        head;
  double     *value = NULL;

  *count         = 0;
  const int file = path_of(key, name, sizeof(name)) ? open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (file < 0) return NULL;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_own(&status) && read_all(file, &head, sizeof(head)) &&
      memcmp(head.magic, NS_CACHE_MAGIC, sizeof(head.magic)) == 0 && memcmp(head.key, key, sizeof(head.key)) == 0 &&
      head.count == ((uint64_t)status.st_size - sizeof(head)) / sizeof(double) &&
      (size_t)status.st_size == sizeof(head) + head.count * sizeof(double))
    value = malloc(head.count * sizeof(double) + 1);
  if (value) {
    bool good = read_all(file, value, head.count * sizeof(double));
    if (good) NsSha256Bytes(value, head.count * sizeof(double), checksum);
    good = good && memcmp(checksum, head.checksum, sizeof(head.checksum)) == 0;
    if (!good) free(value);
    if (!good) value = NULL;
  }
  if (value) {
    *count = head.count;
    (void)snprintf(path, size, "%s", name);
    (void)futimens(file, NULL); /* the oldest are removed first: it is in use */
  }
  close(file);
  return value;
}

/* Makes a folder and those above it, for this user alone. */
static void make_folders(const char *folder)
{
  char path[4096];

  (void)snprintf(path, sizeof(path), "%s", folder);
  for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    (void)mkdir(path, 0700);
    *at = '/';
  }
  (void)mkdir(path, 0700);
}

/* Removes the oldest files until `room` more bytes fit. */
static void make_room(const char *folder, double room)
{
  for (bool full = true; full;) {
    char           oldest[4600] = "";
    double         bytes        = room;
    time_t         least        = 0;
    struct dirent *entry;
    DIR           *list = opendir(folder);
    if (!list) return;
    while ((entry = readdir(list))) {
      char         path[4600];
      struct stat  status;
      const size_t length = strlen(entry->d_name), suffix = strlen(NS_CACHE_SUFFIX);
      if (length != 64 + suffix || strcmp(entry->d_name + 64, NS_CACHE_SUFFIX) != 0) continue;
      (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) continue;
      bytes += (double)status.st_size;
      if (*oldest && status.st_mtime >= least) continue;
      least = status.st_mtime;
      (void)snprintf(oldest, sizeof(oldest), "%s", path);
    }
    closedir(list);
    full = bytes > NS_CACHE_BYTES && *oldest && unlink(oldest) == 0;
  }
}

void NsCacheWrite(const char key[NS_SHA256_TEXT], int blocks, const NsCacheBlock *block)
{
  char     folder[4096], path[4200], part[4300], checksum[NS_SHA256_TEXT];
  Head     head = {.magic = NS_CACHE_MAGIC, .count = 0};
  NsSha256 sha;
  bool     good = true;

  if (!find_folder(folder, sizeof(folder))) return;
  make_folders(folder);
  if (!path_of(key, path, sizeof(path))) return;
  NsSha256Begin(&sha);
  for (int b = 0; b < blocks; b++) {
    head.count += block[b].count;
    NsSha256Add(&sha, block[b].value, block[b].count * sizeof(double));
  }
  NsSha256End(&sha, checksum);
  memcpy(head.checksum, checksum, sizeof(head.checksum));
  memcpy(head.key, key, sizeof(head.key));
  const double bytes = (double)sizeof(head) + 8. * (double)head.count;
  if (bytes > NS_CACHE_BYTES / 2) return;
  make_room(folder, bytes);
  (void)snprintf(part, sizeof(part), "%s/part.%ld", folder, (long)getpid());
  (void)unlink(part); /* left by an earlier process with the same number that did not finish */
  const int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  good = write_all(file, &head, sizeof(head));
  for (int b = 0; b < blocks && good; b++) good = write_all(file, block[b].value, block[b].count * sizeof(double));
  good = close(file) == 0 && good;
  if (!good || rename(part, path) != 0) (void)unlink(part);
}
