#include "load.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "out_of_memory.h"

char *NsFileLoad(const char *path, size_t *size, const char **reason)
{
  struct stat status;
  const int   fd   = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* pipes do not block: they are refused */
  FILE       *file = fd < 0 ? NULL : fdopen(fd, "rb");
  char       *text = NULL;

  *size   = 0;
  *reason = NULL;
  if (!file && errno == ENOMEM) NsOutOfMemory();
  if (!file || fstat(fileno(file), &status) != 0)
    *reason = strerror(errno);
  else if (!S_ISREG(status.st_mode))
    *reason = S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file";
  else {
    text = malloc((size_t)status.st_size + 1);
    if (!text) NsOutOfMemory();
    *size = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file)) *reason = strerror(errno);
    text[*size] = '\0';
  }
  if (file)
    fclose(file);
  else if (fd >= 0)
    close(fd);
  if (*reason) {
    free(text);
    text = NULL;
  }
  return text;
}
