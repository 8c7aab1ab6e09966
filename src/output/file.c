#include "file.h"
#include "core/decimal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(NsFile *file, int error)
{
  file->failed = PETSC_TRUE;
  file->used   = 0;
  NsSinkFail(file->sink, "cannot write %s/%s: %s", file->sink->directory, file->name, NsFolderWhy(error));
}

NsFolder *NsFileFolder(NsSink *sink)
{
  if (!sink->writes) return NULL;
  if (!sink->folder) sink->folder = NsFolderOpen(sink->directory, 0, false, NS_FOLDER_RUN, sink->arena);
  if (!sink->folder) NsSinkFail(sink, "cannot write into %s: %s", sink->directory, NsFolderWhy(errno));
  return sink->folder;
}

void NsFileClaim(NsSink *sink, const char *const *names)
{
  NsFolder *folder = NsFileFolder(sink);

  if (!folder) return;
  NsFolderHold(folder);
  for (int i = 0; names[i]; i++) {
    if (!NsFolderClaim(folder, names[i])) NsSinkFail(sink, "cannot write %s/%s: %s", sink->directory, names[i], NsFolderWhy(errno));
  }
  if (!NsFolderCommit(folder)) NsSinkFail(sink, "cannot write %s/" NS_FOLDER_LIST ": %s", sink->directory, NsFolderWhy(errno));
}

void NsFileCreate(NsFile *file, NsSink *sink, size_t capacity)
{
  memset(file, 0, sizeof(*file));
  file->sink     = sink;
  file->capacity = capacity < 512 ? 512 : capacity;
  file->buffer   = NsArenaAlloc(sink->arena, file->capacity);
  file->fd       = -1;
}

/* A plain file with no other name; `more`: O_TRUNC, O_EXCL ... -1: errno. */
static int open_own(NsFolder *folder, const char *name, int more)
{
  struct stat status;
  const char *leaf;
  const int   at = NsFolderAt(folder, name, &leaf);
  int         fd = at < 0 ? -1 : (int)TEMP_FAILURE_RETRY(openat(at, leaf, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | more, 0666));
  int         error;

  if (fd < 0) return -1;
  error = fstat(fd, &status) ? errno : !S_ISREG(status.st_mode) ? EEXIST : status.st_nlink > 1 ? EMLINK : 0;
  if (!error) return fd;
  (void)close(fd);
  errno = error;
  return -1;
}

/* Opens a file that does not exist, under this name, which is percuss's: what a killed run has left of it goes. */
static int open_new(NsFolder *folder, const char *name)
{
  int fd = open_own(folder, name, O_CREAT | O_EXCL);

  if (fd < 0 && errno == EEXIST && NsFolderRemoveFile(folder, name)) fd = open_own(folder, name, O_CREAT | O_EXCL);
  return fd;
}

static void begin(NsFile *file, const char *name)
{
  file->name    = name;
  file->used    = 0;
  file->written = 0;
  file->flushed = file->sink->now;
  file->failed  = PETSC_FALSE;
  file->made    = PETSC_FALSE;
}

void NsFileOpen(NsFile *file, const char *name)
{
  NsFolder *folder = NsFileFolder(file->sink);

  begin(file, name);
  file->part[0] = 0;
  if (!file->sink->writes) return;
  if (folder && NsFolderClaim(folder, name)) file->fd = file->sink->resumes ? open_own(folder, name, O_CREAT) : open_new(folder, name);
  file->made = file->fd >= 0;
  if (!file->made) fail(file, errno);
}

void NsFileOpenPart(NsFile *file, const char *name)
{
  NsFolder *folder = NsFileFolder(file->sink);

  begin(file, name);
  if (!file->sink->writes) return;
  if ((size_t)snprintf(file->part, sizeof(file->part), "%s.part", name) >= sizeof(file->part))
    errno = ENAMETOOLONG;
  else if (folder && NsFolderClaim(folder, name))
    file->fd = open_new(folder, file->part);
  file->made = file->fd >= 0;
  if (!file->made) fail(file, errno);
}

/* 0 or errno. */
static int write_all(int fd, const char *bytes, size_t size)
{
  while (size) {
    const ssize_t n = write(fd, bytes, size);

    if (n > 0) {
      bytes += n;
      size -= (size_t)n;
    } else if (n == 0 || errno != EINTR)
      return n == 0 ? ENOSPC : errno;
  }
  return 0;
}

/* 0 or errno. Pipes and devices cannot be synced, and say EINVAL. */
static int sync_file(int fd)
{
  return TEMP_FAILURE_RETRY(fsync(fd)) && errno != EINVAL && errno != EROFS ? errno : 0;
}

/* 0 or errno. Never called again after EINTR: on Linux the descriptor is gone. */
static int close_file(int fd)
{
  return close(fd) && errno != EINTR ? errno : 0;
}

void NsFileFlush(NsFile *file)
{
  int error;

  if (file->failed || file->fd < 0) file->used = 0;
  error = write_all(file->fd, file->buffer, file->used);
  if (error) {
    fail(file, error);
    /* Back to the end of the last flush, which was the end of a row. If this fails too there is nothing better to do. */
    if (TEMP_FAILURE_RETRY(ftruncate(file->fd, (off_t)file->written))) return;
    return;
  }
  file->written += (int64_t)file->used;
  file->used    = 0;
  file->flushed = file->sink->now;
}

void NsFileBytes(NsFile *file, const void *bytes, size_t size)
{
  for (const char *from = bytes; size;) {
    const size_t room = file->capacity - file->used, n = size < room ? size : room;

    memcpy(file->buffer + file->used, from, n);
    file->used += n;
    from += n;
    size -= n;
    if (size) NsFileFlush(file);
  }
}

void NsFileText(NsFile *file, const char *text)
{
  NsFileBytes(file, text, strlen(text));
}

void NsFilePrint(NsFile *file, const char *format, ...)
{
  char    text[256];
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  NsFileText(file, text);
}

void NsFileNumber(NsFile *file, double value, char separator)
{
  char *text   = NsFileReserve(file, NS_DECIMAL_SIZE + 1);
  int   length = NsDecimal(value, text);

  if (separator) text[length++] = separator;
  file->used += (size_t)length;
}

void NsFileWord(NsFile *file, const char *word, char separator)
{
  if (!strpbrk(word, ",\"\r\n"))
    NsFileText(file, word);
  else {
    NsFileBytes(file, "\"", 1);
    for (const char *p = word; *p; p++) NsFileBytes(file, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    NsFileBytes(file, "\"", 1);
  }
  if (separator) NsFileBytes(file, &separator, 1);
}

void NsFileEndRow(NsFile *file)
{
  if (2 * file->used >= file->capacity || file->sink->now > file->flushed + 1) NsFileFlush(file);
}

/* 0 or errno; the file has been cut to this length, and goes on from there. ESTALE: it is shorter. */
static int go_on_at(NsFile *file, int64_t length)
{
  struct stat status;

  if (fstat(file->fd, &status)) return errno;
  if ((int64_t)status.st_size < length) return ESTALE;
  return ftruncate(file->fd, (off_t)length) || lseek(file->fd, (off_t)length, SEEK_SET) < 0 ? errno : 0;
}

void NsFileRestart(NsFile *file)
{
  if (!file->sink->writes || file->fd < 0) return;
  const int error = go_on_at(file, 0);
  if (error) fail(file, error);
}

void NsFileSerialize(NsFile *file, NsArchive *archive)
{
  PetscInt64 length;
  int        error;

  if (!archive->reading) {
    NsFileFlush(file);
    error = file->failed || file->fd < 0 ? 0 : sync_file(file->fd);
    if (error) fail(file, error);
  }
  length = file->written;
  NsArchiveLong(archive, "file", &length);
  if (!archive->reading || archive->problem[0] || !file->sink->writes || file->fd < 0) return;
  error = go_on_at(file, length);
  if (error == ESTALE)
    NsSinkFail(file->sink, "cannot go on with %s/%s: it is shorter than when the checkpoint was written", file->sink->directory, file->name);
  else if (error)
    fail(file, error);
  file->written = length;
  file->used    = 0;
}

PetscBool NsFileClose(NsFile *file, PetscBool sync)
{
  int error = 0, close_error;

  if (file->fd < 0) return !file->failed;
  NsFileFlush(file);
  if (sync && !file->failed) error = sync_file(file->fd);
  close_error = close_file(file->fd);
  file->fd    = -1;
  if (!error) error = close_error;
  if (error && !file->failed) fail(file, error);
  return !file->failed;
}

/* Gives a file its name; sync: on the disk, too, for a name is in its folder, which is there when that is. 0 or errno. */
static int give_name(NsFolder *folder, const char *part, const char *name, PetscBool sync)
{
  const char *from, *to;
  const int   at = NsFolderAt(folder, part, &from);

  (void)NsFolderAt(folder, name, &to);
  if (at < 0 || renameat(at, from, at, to)) return errno;
  return sync ? sync_file(at) : 0;
}

PetscBool NsFilePublish(NsFile *file, PetscBool sync)
{
  int error;

  if (!file->sink->writes) return PETSC_TRUE;
  if (!file->failed && NsFileClose(file, sync) && (error = give_name(file->sink->folder, file->part, file->name, sync))) fail(file, error);
  if (file->failed) NsFileDiscard(file);
  return !file->failed;
}

void NsFileDiscard(NsFile *file)
{
  if (file->fd >= 0) close(file->fd);
  file->fd   = -1;
  file->used = 0;
  if (file->made) (void)NsFolderRemoveFile(file->sink->folder, file->part[0] ? file->part : file->name);
}

/* 0 or errno. */
static int write_new(NsFolder *folder, const char *name, const char *text, size_t size, PetscBool sync)
{
  const int fd = open_new(folder, name);
  int       error, close_error;

  if (fd < 0) return errno;
  error = write_all(fd, text, size);
  if (sync && !error) error = sync_file(fd);
  close_error = close_file(fd);
  return error ? error : close_error;
}

/* On a full disk a new file has no room, but the old one owns its blocks. */
static PetscBool write_in_place(NsFolder *folder, const char *name, const char *text, size_t size)
{
  struct stat status;
  PetscBool   done = PETSC_FALSE;
  const int   fd   = open_own(folder, name, 0);

  if (fd < 0) return PETSC_FALSE;
  if (fstat(fd, &status) == 0 && (int64_t)size <= 512 * (int64_t)status.st_blocks)
    done = write_all(fd, text, size) == 0 && TEMP_FAILURE_RETRY(ftruncate(fd, (off_t)size)) == 0 && sync_file(fd) == 0;
  return close_file(fd) == 0 && done;
}

PetscBool NsFileReplace(NsSink *sink, const char *name, const char *text, size_t size, PetscBool sync)
{
  char      temporary[NS_FILE_PATH];
  NsFolder *folder = NsFileFolder(sink);
  int       error  = 0;

  if (!sink->writes) return PETSC_TRUE;
  if (!folder) return PETSC_FALSE;
  if ((size_t)snprintf(temporary, sizeof(temporary), "%s.part", name) >= sizeof(temporary))
    error = ENAMETOOLONG;
  else if (!NsFolderClaim(folder, name))
    error = errno;
  else {
    error = write_new(folder, temporary, text, size, sync);
    if (!error) error = give_name(folder, temporary, name, sync);
    if (error) (void)NsFolderRemoveFile(folder, temporary);
    if ((error == ENOSPC || error == EDQUOT) && write_in_place(folder, name, text, size)) error = 0;
  }
  if (error) NsSinkFail(sink, "cannot write %s/%s: %s", sink->directory, name, NsFolderWhy(error));
  return error == 0;
}

PetscBool NsFileMakeDirectory(NsSink *sink, const char *name)
{
  char      claimed[64];
  NsFolder *folder = NsFileFolder(sink);

  if (!sink->writes) return PETSC_TRUE;
  (void)snprintf(claimed, sizeof(claimed), "%s/", name);
  if (folder && NsFolderClaim(folder, claimed)) return PETSC_TRUE;
  NsSinkFail(sink, "cannot make the directory %s/%s: %s", sink->directory, name, NsFolderWhy(errno));
  return PETSC_FALSE;
}
