/* percuss run --resume: whether, and from where. */
#include <stdio.h>
#include <string.h>
#include "arguments.h"
#include "core/checkpoint.h"
#include "core/directory.h"
#include "core/sha256.h"
#include "results/config_difference.h"
#include "results/record.h"

enum { TOLD = 5 };

/* Says where the config differs from that of the results. */
static void tell_difference(const NsRun *run, const NsRunRecord *record)
{
  const NsConfigDifference *difference = record->config ? NsConfigDiffer(record->config, run->tree, run->arena) : NULL;

  fprintf(stderr, "percuss run: the results in '%s' are of another config\n", run->directory);
  for (int told = 0; difference && told < TOLD; difference = difference->next, told++) {
    const char *there = difference->value[0], *here = difference->value[1];
    fprintf(stderr, "  %s: there %s, here %s\n", difference->path, there ? there : "none", here ? here : "none");
  }
  fprintf(stderr, "  --overwrite replaces them, --out %s keeps them\n", NsDirectoryFreeName(run->directory, run->arena));
}

static bool is_same_config(NsRun *run, const NsRunRecord *record)
{
  const char *there = NsRunRecordText(record, "config.as_run_sha256");
  char        here[NS_SHA256_TEXT];
  size_t      size;
  const char *text = NsRunConfigText(run, &size);

  NsSha256Bytes(text, size, here);
  return there && !strcmp(there, here);
}

/* Results of percuss. */
static NsResume look_at_results(NsRun *run)
{
  const char        *path = run->directory;
  NsDiag            *diag = NsDiagCreate(run->arena);
  const NsRunRecord *record;
  char               why[1024];

  if (!NsDirectoryLock(path, &run->lock)) {
    fprintf(stderr, "percuss run: '%s' is still being written by another run\n", path);
    return NS_RESUME_REFUSED;
  }
  record = NsRunRecordRead(path, run->arena, diag);
  if (!record) {
    NsDiagPrint(diag, stderr, NsColour(stderr));
    return NS_RESUME_REFUSED;
  }
  if (!is_same_config(run, record)) {
    tell_difference(run, record);
    return NS_RESUME_REFUSED;
  }
  if (!strcmp(record->status, "done")) {
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
  return NsEmptyResults("run", run) ? NS_RESUME_RUN : NS_RESUME_REFUSED;
}

PetscErrorCode NsResumeResults(NsRun *run, NsResume *way)
{
  enum { FROM_CHECKPOINT = 1, FAILED = 2 };
  PetscInt what[2] = {NS_RESUME_REFUSED, 0}; /* the first process knows */

  PetscFunctionBegin;
  PetscCall(NsCheckpointsCreate(run));
  if (run->writes) {
    const NsDirectoryUse use = NsDirectoryLook(run->directory, run->arena);
    if (use == NS_DIRECTORY_RESULTS) {
      what[0] = (PetscInt)look_at_results(run);
      what[1] = (run->checkpoint ? FROM_CHECKPOINT : 0) | (run->exit == NS_EXIT_FAILED ? FAILED : 0);
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
  run->resumes = what[1] & FROM_CHECKPOINT ? PETSC_TRUE : PETSC_FALSE;
  if (what[1] & FAILED) run->exit = NS_EXIT_FAILED;
  PetscFunctionReturn(0);
}
