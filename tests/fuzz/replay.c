/*
  Feeds files, or all files of folders, to a fuzz target: the kept inputs as a test, without libFuzzer.

  Says each file before it is tried, so that the one at fault is the last in the output.
*/
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  return 0;
}

static void try_file(const char *path, long size)
{
  uint8_t *data = malloc((size_t)size + 1); /* none of it is the byte behind the input */
  FILE    *file = fopen(path, "rb");

  if (!data || !file || fread(data, 1, (size_t)size, file) != (size_t)size) FuzzFinding("cannot read %s", path);
  fclose(file);
  data = realloc(data, size ? (size_t)size : 1); /* so that the sanitizers see a byte too far */
  if (!data) FuzzFinding("no memory for %s", path);
  printf("%s\n", path);
  fflush(stdout);
  (void)LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
}

/* How many files were tried. */
static int try_path(const char *path)
{
  struct stat     status;
  struct dirent **entry;
  int             count, tried = 0;

  if (stat(path, &status)) FuzzFinding("there is no %s", path);
  if (!S_ISDIR(status.st_mode)) {
    try_file(path, (long)status.st_size);
    return 1;
  }
  count = scandir(path, &entry, NULL, alphasort);
  if (count < 0) FuzzFinding("cannot list %s", path);
  for (int i = 0; i < count; i++) {
    char inner[4096];

    if (entry[i]->d_name[0] != '.' && snprintf(inner, sizeof(inner), "%s/%s", path, entry[i]->d_name) < (int)sizeof(inner)) tried += try_path(inner);
    free(entry[i]);
  }
  free(entry);
  return tried;
}

int main(int argc, char **argv)
{
  int tried = 0;

  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++) tried += try_path(argv[i]);
  printf("%d inputs\n", tried);
  return tried ? 0 : 1;
}
