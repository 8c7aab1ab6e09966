#include "load.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "out_of_memory.h"

char *NsFileLoad(const char *path, size_t *size, const char **reason)
{
  struct stat status;
  const bool  other = stat(path, &status) == 0 && !S_ISREG(status.st_mode); /* not opened: a pipe would be waited for */
  FILE       *file  = other ? NULL : fopen(path, "rb");
  char       *text  = NULL;

  *size   = 0;
  *reason = NULL;
  if (!file && !other && errno == ENOMEM) NsOutOfMemory();
  if (other)
    *reason = S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file";
  else if (!file || fstat(fileno(file), &status) != 0)
    *reason = strerror(errno);
  else {
    text = malloc((size_t)status.st_size + 1);
    if (!text) NsOutOfMemory();
    *size = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file)) *reason = strerror(errno);
    text[*size] = '\0';
  }
  if (file) fclose(file);
  if (*reason) {
    free(text);
    text = NULL;
  }
  return text;
}
