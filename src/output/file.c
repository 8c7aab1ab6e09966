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
  NsSinkFail(file->sink, "cannot write %s: %s", file->path, strerror(error));
}

void NsFileCreate(NsFile *file, NsSink *sink, size_t capacity)
{
  memset(file, 0, sizeof(*file));
  file->sink     = sink;
  file->capacity = capacity < 512 ? 512 : capacity;
  file->buffer   = NsArenaAlloc(sink->arena, file->capacity);
  file->fd       = -1;
}

/* The file is written under `name`, which may not be its own. `keep`: with what is in it, for NsFileSerialize. */
static void open_as(NsFile *file, const char *path, const char *name, PetscBool keep)
{
  struct stat status;

  file->path    = path;
  file->used    = 0;
  file->written = 0;
  file->flushed = file->sink->now;
  file->failed  = PETSC_FALSE;
  file->regular = PETSC_FALSE;
  if (!file->sink->writes) return;
  file->fd = (int)TEMP_FAILURE_RETRY(open(name, O_WRONLY | O_CREAT | (keep ? 0 : O_TRUNC) | O_CLOEXEC, 0666));
  if (file->fd < 0)
    fail(file, errno);
  else
    file->regular = fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode);
}

void NsFileOpen(NsFile *file, const char *path)
{
  file->part[0] = 0;
  open_as(file, path, path, file->sink->resumes);
}

void NsFileOpenPart(NsFile *file, const char *path)
{
  /* a name that does not fit is too long for any file, which the system says */
  open_as(file, path, (size_t)snprintf(file->part, sizeof(file->part), "%s.part", path) < sizeof(file->part) ? file->part : path, PETSC_FALSE);
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
    if (file->regular && TEMP_FAILURE_RETRY(ftruncate(file->fd, (off_t)file->written))) return;
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
  error = file->regular ? go_on_at(file, length) : 0; /* what went through a pipe is gone */
  if (error == ESTALE)
    NsSinkFail(file->sink, "cannot go on with %s: it is shorter than when the checkpoint was written", file->path);
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
static int give_name(const char *part, const char *path, PetscBool sync)
{
  char        folder[NS_FILE_PATH] = ".";
  const char *slash                = strrchr(path, '/');
  int         fd, error;

  if (rename(part, path)) return errno;
  if (!sync) return 0;
  if (slash) (void)snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
  fd = (int)TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd < 0) return 0; /* a folder that may be written to and not read */
  error = sync_file(fd);
  (void)close_file(fd);
  return error;
}

PetscBool NsFilePublish(NsFile *file, PetscBool sync)
{
  int error;

  if (!file->sink->writes) return PETSC_TRUE;
  if (!file->failed && NsFileClose(file, sync) && (error = give_name(file->part, file->path, sync))) fail(file, error);
  if (file->failed) NsFileDiscard(file);
  return !file->failed;
}

void NsFileDiscard(NsFile *file)
{
  if (file->fd >= 0) close(file->fd);
  file->fd   = -1;
  file->used = 0;
  if (file->regular) unlink(file->part[0] ? file->part : file->path);
}

/* 0 or errno. */
static int write_new(const char *path, const char *text, size_t size, PetscBool sync)
{
  const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int       error, close_error;

  if (fd < 0) return errno;
  error = write_all(fd, text, size);
  if (sync && !error) error = sync_file(fd);
  close_error = close_file(fd);
  return error ? error : close_error;
}

/* On a full disk a new file has no room, but the old one owns its blocks. */
static PetscBool write_in_place(const char *path, const char *text, size_t size)
{
  struct stat status;
  PetscBool   done = PETSC_FALSE;
  const int   fd   = (int)TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CLOEXEC));

  if (fd < 0) return PETSC_FALSE;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (int64_t)size <= 512 * (int64_t)status.st_blocks)
    done = write_all(fd, text, size) == 0 && TEMP_FAILURE_RETRY(ftruncate(fd, (off_t)size)) == 0 && sync_file(fd) == 0;
  return close_file(fd) == 0 && done;
}

PetscBool NsFileReplace(NsSink *sink, const char *path, const char *text, size_t size, PetscBool sync)
{
  char temporary[NS_FILE_PATH];
  int  error;

  if (!sink->writes) return PETSC_TRUE;
  if ((size_t)snprintf(temporary, sizeof(temporary), "%s.part", path) >= sizeof(temporary))
    error = ENAMETOOLONG;
  else {
    error = write_new(temporary, text, size, sync);
    if (!error) error = give_name(temporary, path, sync);
    if (error) unlink(temporary);
    if ((error == ENOSPC || error == EDQUOT) && write_in_place(path, text, size)) error = 0;
  }
  if (error) NsSinkFail(sink, "cannot write %s: %s", path, strerror(error));
  return error == 0;
}

PetscBool NsFileMakeDirectory(NsSink *sink, const char *path)
{
  if (!sink->writes || mkdir(path, 0777) == 0 || errno == EEXIST)
    return PETSC_TRUE; /* a plain file of that name: opening files in it will fail and say so */
  NsSinkFail(sink, "cannot make the directory %s: %s", path, strerror(errno));
  return PETSC_FALSE;
}
