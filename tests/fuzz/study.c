/*
  Study files: keys, what is varied, the runs that come of it; short of looking at these.

  The input is the file; the configs of the repository stand in the folder above it. Promises: what is refused has a message; runs have names, and values for what is varied.
*/
#include "fuzz.h"
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "study/study.h"

enum { MOST_LOOKED_AT = 50 };

static char path[300];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  const char    *configs = PERCUSS_SOURCE_DIR "/configs";
  NsArena       *arena   = NsArenaCreate();
  DIR           *folder  = opendir(configs);
  struct dirent *entry;

  (void)argc;
  (void)argv;
  if (!folder || mkdir(NsArenaPrint(arena, "%s/studies", FuzzFolder()), 0700)) FuzzFinding("cannot make folders in %s", FuzzFolder());
  while ((entry = readdir(folder))) {
    if (!strstr(entry->d_name, ".yaml")) continue;
    if (symlink(NsArenaPrint(arena, "%s/%s", configs, entry->d_name), NsArenaPrint(arena, "%s/%s", FuzzFolder(), entry->d_name)))
      FuzzFinding("cannot link %s", entry->d_name);
  }
  closedir(folder);
  (void)snprintf(path, sizeof(path), "%s/studies/fuzz.yaml", FuzzFolder());
  NsArenaDestroy(&arena);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena *arena = NsArenaCreate();
  NsStudy  study = {.arena = arena, .diag = NsDiagCreate(arena), .path = path, .directory = "out/fuzz"};
  FILE    *file  = fopen(path, "wb");
  bool     good;

  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) FuzzFinding("cannot write %s", path);
  good = NsStudyRead(&study);
  FuzzExpect(good == !NsDiagErrors(study.diag), "the verdict and the messages disagree");
  if (good) {
    FuzzExpect(study.rows > 0 && study.runs >= study.rows, "%d rows of %d runs", study.rows, study.runs);
    for (int run = 0; run < study.runs && run < MOST_LOOKED_AT; run++) {
      const NsRunOptions options = NsStudyRunOptions(&study, run);

      FuzzExpect(*NsStudyRunName(&study, run), "run %d has no name", run);
      FuzzExpect(options.config_path, "run %d has no config", run);
      for (int axis = 0; axis < study.axes && run < study.rows; axis++) (void)NsStudyNumber(&study, run, study.axis[axis].key, NULL);
    }
  }
  (void)FuzzMessages(study.diag, arena);
  NsArenaDestroy(&arena);
  return 0;
}
