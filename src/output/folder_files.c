/* Names in a directory of results: files that belong to percuss, claims, frames, removal. */
#include "folder_private.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ------------------------------------------------------------------------------------------------------------------------------------------- */

int NsFolderAt(NsFolder *folder, const char *name, const char **leaf)
{
  const char  *slash = strchr(name, '/');
  const size_t size  = slash ? (size_t)(slash - name) : 0;

  *leaf = slash ? slash + 1 : name;
  if (!slash) return folder->fd;
  if (size >= sizeof(folder->sub[0].name)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  for (int i = 0; i < folder->subs; i++) {
    if (!strncmp(folder->sub[i].name, name, size) && !folder->sub[i].name[size]) return folder->sub[i].fd;
  }
  if (folder->subs == NS_FOLDER_SUBS) {
    errno = EMFILE;
    return -1;
  }
  memcpy(folder->sub[folder->subs].name, name, size);
  folder->sub[folder->subs].name[size] = 0;

  const int fd = NsFolderOpenDirectory(folder->fd, folder->sub[folder->subs].name, O_NOFOLLOW);
  if (fd >= 0) folder->sub[folder->subs++].fd = fd;
  return fd;
}

void NsFolderCloseSubs(NsFolder *folder)
{
  while (folder->subs) (void)close(folder->sub[--folder->subs].fd);
}

/* "frames/bar_000012.vtk" of "frames/bar_*.vtk"; -1: it is no frame of that series. */
static int64_t number_of(const char *series, const char *name)
{
  const char  *star   = strchr(series, '*');
  const size_t before = (size_t)(star - series);
  char         again[32];
  long long    number;

  if (strncmp(series, name, before) != 0) return -1;
  number = strtoll(name + before, NULL, 10);
  (void)snprintf(again, sizeof(again), "%06lld", number);
  return number >= 0 && !strncmp(name + before, again, strlen(again)) && !strcmp(name + before + strlen(again), star + 1) ? number : -1;
}

bool NsFolderOwns(const NsFolder *folder, const char *name)
{
  for (const NsOwned *owned = folder->owned; owned; owned = owned->next) {
    if (!strchr(owned->name, '*') ? !strcmp(owned->name, name) : number_of(owned->name, name) >= 0 && number_of(owned->name, name) < owned->count)
      return true;
  }
  return false;
}

static bool find_file(NsFolder *folder, const char *name, struct stat *about)
{
  const char *leaf;
  const int   at = NsFolderAt(folder, name, &leaf);

  return at >= 0 && fstatat(at, leaf, about, AT_SYMLINK_NOFOLLOW) == 0;
}

bool NsFolderIsEmptyFile(NsFolder *folder, const char *name)
{
  struct stat about;

  return find_file(folder, name, &about) && S_ISREG(about.st_mode) && about.st_size == 0;
}

/* Whether another program has a file of this name, or of the name with .part. */
static bool is_taken(NsFolder *folder, const char *name)
{
  char        part[NS_FOLDER_NAME + 8];
  struct stat about;

  (void)snprintf(part, sizeof(part), "%s.part", name);
  return find_file(folder, name, &about) || (find_file(folder, part, &about) && !NsFolderIsEmptyFile(folder, part));
}

static void add_pending(NsFolder *folder, const char *name)
{
  const size_t size = strlen(name) + 1;

  if (folder->capacity - folder->used < size) {
    char *text = NsArenaAlloc(folder->arena, 2 * folder->capacity + size + 512);

    if (folder->used) memcpy(text, folder->pending, folder->used);
    folder->pending  = text;
    folder->capacity = 2 * folder->capacity + size + 512;
  }
  memcpy(folder->pending + folder->used, name, size - 1);
  folder->pending[folder->used + size - 1] = '\n';
  folder->used += size;
}

bool NsFolderCommit(NsFolder *folder)
{
  const bool good = !folder->used || NsFolderAppend(folder, folder->pending, folder->used);

  folder->held = false;
  folder->used = 0;
  return good;
}

void NsFolderHold(NsFolder *folder)
{
  folder->held = true;
}

/* A folder of the directory; one that percuss did not make is shared. */
static bool claim_folder(NsFolder *folder, const char *name)
{
  char        plain[64] = "";
  const char *leaf;

  (void)snprintf(plain, sizeof(plain), "%.*s", (int)strlen(name) - 1, name);
  if (NsFolderAt(folder, name, &leaf) >= 0) return true;
  if (errno != ENOENT) return false;
  if (!NsFolderOwns(folder, name)) {
    const bool held = folder->held;

    add_pending(folder, name); /* first: where memory ends between the two, it is listed */
    NsFolderOwn(folder, name, strlen(name), 0);
    if (!NsFolderCommit(folder)) return false;
    folder->held = held;
  }
  if (mkdirat(folder->fd, plain, 0777) && errno != EEXIST) return false;
  return NsFolderAt(folder, name, &leaf) >= 0;
}

bool NsFolderClaim(NsFolder *folder, const char *name)
{
  if (!NsFolderIsName(name)) {
    errno = EINVAL;
    return false;
  }
  if (name[strlen(name) - 1] == '/') return claim_folder(folder, name);
  if (NsFolderOwns(folder, name)) return !folder->used || folder->held || NsFolderCommit(folder);
  if (is_taken(folder, name)) {
    errno = EEXIST;
    return false;
  }
  add_pending(folder, name);
  NsFolderOwn(folder, name, strlen(name), 0);
  return folder->held || NsFolderCommit(folder);
}

/* ---- frames ------------------------------------------------------------------------------------------------------------------------------------------ */

void NsFolderFrameName(const char *series, int64_t number, char *name, size_t size)
{
  const char *star = strchr(series, '*');

  (void)snprintf(name, size, "%.*s%06lld%s", (int)(star - series), series, (long long)number, star + 1);
}

int64_t NsFolderFrames(const NsFolder *folder, const char *series)
{
  const NsOwned *owned = NsFolderFind(folder, series);

  return owned ? owned->count : 0;
}

static bool put_frames(NsFolder *folder, const char *series, int64_t count)
{
  char     line[NS_FOLDER_NAME];
  NsOwned *owned = NsFolderFind(folder, series);

  if (!owned) owned = NsFolderOwn(folder, series, strlen(series), 0); /* the first time, before there are steps */
  (void)snprintf(line, sizeof(line), "%s %lld", series, (long long)count);
  if (folder->held)
    add_pending(folder, line);
  else {
    strcat(line, "\n");
    if (!NsFolderAppend(folder, line, strlen(line))) return false;
  }
  owned->count = count;
  return true;
}

int64_t NsFolderClaimFrames(NsFolder *folder, const char *series, int64_t from, int64_t most)
{
  char    name[NS_FOLDER_NAME];
  int64_t count = from;

  NsFolderFrameName(series, 0, name, sizeof(name));
  if (strlen(series) >= 1019 || !NsFolderIsName(name)) {
    errno = NsFolderIsName(name) ? ENAMETOOLONG : EINVAL;
    return from;
  }
  for (; count < from + most; count++) {
    NsFolderFrameName(series, count, name, sizeof(name));
    if (is_taken(folder, name)) break;
  }
  if (count == from) errno = EEXIST;
  return count > from && put_frames(folder, series, count) ? count : from;
}

void NsFolderKeepFrames(NsFolder *folder, const char *series, int64_t count)
{
  NsOwned *owned = NsFolderFind(folder, series);
  char     name[NS_FOLDER_NAME];

  for (; owned && count < owned->count; count++) { /* a run stopped before the frames that an earlier one had written: they are still percuss's */
    NsFolderFrameName(series, count, name, sizeof(name));
    if (!is_taken(folder, name)) break; /* neither finished nor begun */
  }
  if (owned) owned->count = count;
}

/* ---- the end ----------------------------------------------------------------------------------------------------------------------------------------- */

static bool is_there(NsFolder *folder, const NsOwned *owned)
{
  struct stat about;
  const char *leaf;

  if (strchr(owned->name, '*')) return owned->count > 0;
  if (owned->name[strlen(owned->name) - 1] == '/') return NsFolderAt(folder, owned->name, &leaf) >= 0;
  return find_file(folder, owned->name, &about);
}

/* The first name behind `after` in the order of the alphabet; NULL: none. */
static const NsOwned *next_name(const NsFolder *folder, const char *after)
{
  const NsOwned *next = NULL;

  for (const NsOwned *owned = folder->owned; owned; owned = owned->next) {
    if (strcmp(owned->name, after) > 0 && (!next || strcmp(owned->name, next->name) < 0)) next = owned;
  }
  return next;
}

void NsFolderSeal(NsFolder *folder)
{
  static const char part[] = NS_FOLDER_LIST ".part";
  char              line[NS_FOLDER_NAME + 32];
  bool              good;

  if (folder->list < 0 || folder->use == NS_DIRECTORY_FREE) return;
  (void)unlinkat(folder->fd, part, 0);

  const int fd = (int)TEMP_FAILURE_RETRY(openat(folder->fd, part, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (fd < 0) return; /* the list as it is does, too */
  good = NsFolderWrite(fd, line, (size_t)snprintf(line, sizeof(line), "percuss 1 %s\n", folder->kind));
  for (const NsOwned *owned = next_name(folder, ""); owned && good; owned = next_name(folder, owned->name)) {
    int size;

    if (!is_there(folder, owned)) continue;
    if (strchr(owned->name, '*'))
      size = snprintf(line, sizeof(line), "%s %lld\n", owned->name, (long long)owned->count);
    else
      size = snprintf(line, sizeof(line), "%s\n", owned->name);
    good = NsFolderWrite(fd, line, (size_t)size);
  }
  good = good && NsFolderSync(fd) && renameat(folder->fd, part, folder->fd, NS_FOLDER_LIST) == 0;
  if (good) {
    (void)close(folder->list);
    folder->list = fd;
    folder->size = lseek(fd, 0, SEEK_END);
  } else {
    (void)close(fd);
    (void)unlinkat(folder->fd, part, 0);
  }
}

/* ---- removing ---------------------------------------------------------------------------------------------------------------------------------------- */

void NsFolderRemoveSub(NsFolder *folder, const char *name)
{
  NsFolderCloseSubs(folder);
  (void)unlinkat(folder->fd, name, AT_REMOVEDIR);
}

bool NsFolderRemoveFile(NsFolder *folder, const char *name)
{
  const char *leaf;
  const int   at = NsFolderAt(folder, name, &leaf);

  return (at >= 0 && unlinkat(at, leaf, 0) == 0) || errno == ENOENT;
}

/* False where a name of the list is something else now: a link, a folder. */
static bool is_still_ours(NsFolder *folder, const NsOwned *owned)
{
  const char *leaf;
  struct stat about;
  const int   at = NsFolderAt(folder, owned->name, &leaf);

  if (at < 0) return errno == ENOENT;
  if (!*leaf || strchr(leaf, '*')) return true;
  if (fstatat(at, leaf, &about, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT;
  errno = S_ISLNK(about.st_mode) ? ELOOP : S_ISDIR(about.st_mode) ? EISDIR : EEXIST;
  return S_ISREG(about.st_mode) != 0;
}

/* Of a folder that may hold others' files, too: those of the series, finished or not. */
static bool remove_frames(NsFolder *folder, const NsOwned *series)
{
  const char    *leaf;
  const int      at = NsFolderAt(folder, series->name, &leaf), fd = at < 0 ? -1 : NsFolderOpenDirectory(at, ".", 0);
  DIR           *directory = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;
  bool           good = true;

  if (!directory) return errno == ENOENT;
  while (good && (entry = readdir(directory))) {
    char         name[sizeof(entry->d_name) + 64];
    const size_t tail = strlen(".part");
    size_t       size = (size_t)snprintf(name, sizeof(name), "%.*s%s", (int)(leaf - series->name), series->name, entry->d_name);

    if (size > tail && !strcmp(name + size - tail, ".part")) name[size - tail] = 0;
    const int64_t number = number_of(series->name, name);
    if (number >= 0 && number < series->count) good = unlinkat(at, entry->d_name, 0) == 0;
  }
  (void)closedir(directory);
  return good;
}

/* One pass over the directory: the list may claim any number. */
static void drop_claims(NsFolder *folder, NsOwned *series)
{
  const char    *leaf;
  const int      at = NsFolderAt(folder, series->name, &leaf), fd = at < 0 ? -1 : NsFolderOpenDirectory(at, ".", 0);
  DIR           *directory = fd < 0 ? NULL : fdopendir(fd);
  int64_t        count     = 0;
  struct dirent *entry;

  if (!directory) return;
  while ((entry = readdir(directory))) {
    char name[sizeof(entry->d_name) + 64];

    (void)snprintf(name, sizeof(name), "%.*s%s", (int)(leaf - series->name), series->name, entry->d_name);
    const int64_t number = number_of(series->name, name);
    if (number >= count && number < series->count) count = number + 1;
  }
  (void)closedir(directory);
  series->count = count;
}

void NsFolderDropClaims(NsFolder *folder)
{
  for (NsOwned *owned = folder->owned; owned; owned = owned->next) {
    if (strchr(owned->name, '*')) drop_claims(folder, owned);
  }
}

void NsFolderRemoveParts(NsFolder *folder)
{
  char part[NS_FOLDER_NAME + 8];

  for (const NsOwned *owned = folder->owned; owned; owned = owned->next) {
    if (strchr(owned->name, '*') || owned->name[strlen(owned->name) - 1] == '/') continue;
    (void)snprintf(part, sizeof(part), "%s.part", owned->name);
    (void)NsFolderRemoveFile(folder, part);
  }
}

static bool remove_owned(NsFolder *folder, const NsOwned *owned)
{
  char part[NS_FOLDER_NAME + 8];

  if (strchr(owned->name, '*')) return remove_frames(folder, owned);
  if (owned->name[strlen(owned->name) - 1] == '/') return true; /* at last, when it is empty */
  (void)snprintf(part, sizeof(part), "%s.part", owned->name);
  return NsFolderRemoveFile(folder, owned->name) && NsFolderRemoveFile(folder, part);
}

bool NsFolderClean(NsFolder *folder)
{
  for (const NsOwned *owned = folder->owned; owned; owned = owned->next) {
    if (!is_still_ours(folder, owned)) return false;
  }
  for (const NsOwned *owned = folder->owned; owned; owned = owned->next) {
    if (!remove_owned(folder, owned)) return false;
  }
  NsFolderCloseSubs(folder);
  for (const NsOwned *owned = folder->owned; owned; owned = owned->next) {
    char         plain[64];
    const size_t size = strlen(owned->name);

    if (owned->name[size - 1] != '/' || size > sizeof(plain)) continue;
    (void)snprintf(plain, sizeof(plain), "%.*s", (int)size - 1, owned->name);
    (void)unlinkat(folder->fd, plain, AT_REMOVEDIR); /* it stays with what else is in it */
  }
  folder->owned = NULL;
  if (folder->list < 0) return true;
  return NsFolderSync(folder->fd) && NsFolderMakeList(folder);
}

bool NsFolderRemove(NsFolder **folder)
{
  const bool good = NsFolderClean(*folder);

  if (good && (*folder)->list >= 0) (void)unlinkat((*folder)->fd, NS_FOLDER_LIST, 0);
  if (good) (void)rmdir((*folder)->path); /* it stays with what else is in it */
  NsFolderClose(folder);
  return good;
}
