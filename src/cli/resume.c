/* percuss run --resume: whether, and from where. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arguments.h"
#include "core/checkpoint.h"
#include "core/directory.h"
#include "core/out_of_memory.h"

/* The whole of a file, in the arena; NULL: it cannot be read. */
static const char *read_file(const char *path, NsArena *arena)
{
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long  size;

  if (!file && errno == ENOMEM) NsOutOfMemory();
  if (!file) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = NsArenaAlloc(arena, (size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) text = NULL;
  }
  (void)fclose(file);
  return text;
}

/* Says where the config differs from that of the results. */
static void tell_difference(const NsRun *run, const char *there, const char *here)
{
  const char *path = run->directory;
  int         line = 1;

  for (size_t i = 0; there[i] && there[i] == here[i]; i++) {
    if (there[i] != '\n') continue;
    line++;
    there += i + 1;
    here += i + 1;
    i = (size_t)-1;
  }
  fprintf(stderr, "percuss run: the results in '%s' are of another config: line %d of its config.yaml\n", path, line);
  fprintf(stderr, "  there  %.*s\n  here   %.*s\n", (int)strcspn(there, "\n"), there, (int)strcspn(here, "\n"), here);
  fprintf(stderr, "  --overwrite replaces them, --out %s keeps them\n", NsDirectoryFreeName(path, run->arena));
}

static PetscBool is_done(const char *manifest)
{
  const char *status = manifest ? strstr(manifest, "\"exit_status\": \"") : NULL;

  return status && !strncmp(status + 16, "done\"", 5) ? PETSC_TRUE : PETSC_FALSE;
}

/* Results of percuss. */
static NsResume look_at_results(NsRun *run)
{
  const char *path = run->directory, *manifest = read_file(NsRunPath(run, "run.json"), run->arena);
  const char *there = read_file(NsRunPath(run, "config.yaml"), run->arena), *here;
  char        why[1024];
  size_t      size;

  if (!NsDirectoryLock(path, &run->lock)) {
    fprintf(stderr, "percuss run: '%s' is still being written by another run\n", path);
    return NS_RESUME_REFUSED;
  }
  here = NsRunConfigText(run, &size);
  if (there && strcmp(there, here) != 0) { /* there is none where a run was killed at its very beginning; checkpoints know their config themselves */
    tell_difference(run, there, here);
    return NS_RESUME_REFUSED;
  }
  if (is_done(manifest)) {
    fprintf(stderr, "percuss run: '%s' is complete; nothing is left to do\n", path);
    return NS_RESUME_COMPLETE;
  }
  run->checkpoint = NsCheckpointFind(run, why, sizeof(why));
  if (!run->checkpoint && *why) {
    fprintf(stderr, "percuss run: cannot go on from %s\n  --overwrite starts anew\n", why);
    return NS_RESUME_REFUSED;
  }
  if (run->checkpoint && *why) fprintf(stderr, "percuss run: warning: %s; going on from the one before\n", why);
  if (run->checkpoint) return NS_RESUME_RUN;
  fprintf(stderr, "percuss run: there is no checkpoint in '%s' yet; the run starts anew\n", path);
  if (NsDirectoryRemoveResults(path, run->arena)) return NS_RESUME_RUN;
  fprintf(stderr, "percuss run: cannot empty '%s': %s\n", path, strerror(errno));
  return NS_RESUME_REFUSED;
}

PetscErrorCode NsResumeResults(NsRun *run, NsResume *way)
{
  PetscInt what[2] = {NS_RESUME_REFUSED, 0}; /* the first process knows */

  PetscFunctionBegin;
  PetscCall(NsCheckpointsCreate(run));
  if (run->writes) {
    const NsDirectoryUse use = NsDirectoryLook(run->directory, run->arena);
    if (use == NS_DIRECTORY_RESULTS) {
      what[0] = (PetscInt)look_at_results(run);
      what[1] = run->checkpoint ? 1 : 0;
    } else if (use == NS_DIRECTORY_FREE) {
      if (!run->options.quiet) fprintf(stderr, "percuss run: there is nothing in '%s' to go on from; the run starts\n", run->directory);
      what[0] = NS_RESUME_RUN;
    } else if (use == NS_DIRECTORY_FILE)
      fprintf(stderr, "percuss run: '%s' is a file; --out names a directory\n", run->directory);
    else
      fprintf(stderr, "percuss run: '%s' holds no results of percuss\n", run->directory);
  }
  for (int i = 0; i < 2; i++) PetscCall(NsLayoutAgree(run->model->layout, &what[i]));
  *way         = (NsResume)what[0];
  run->resumes = what[1] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(0);
}
