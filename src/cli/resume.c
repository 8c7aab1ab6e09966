/* percuss run --resume: whether, and from where. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "results.h"
#include "output/folder.h"
#include "core/sha256.h"
#include "results/config_difference.h"
#include "results/record.h"

enum { MOST_DIFFERENCES = 5 };

/* Lists the keys in which the config differs from that of the results. */
static void print_differences(NsRun *run, const NsRunRecord *record)
{
  const NsConfigDifference *difference = record->config ? NsConfigDiffer(record->config, NsRunTree(run), NsRunArena(run)) : NULL;

  fprintf(stderr, "percuss run: the results in '%s' belong to another config\n", NsRunSink(run)->directory);
  for (int shown = 0; difference && shown < MOST_DIFFERENCES; difference = difference->next, shown++) {
    const char *there = difference->value[0], *here = difference->value[1];
    fprintf(stderr, "  %s: %s in the results, %s now\n", difference->path, there ? there : "not set", here ? here : "not set");
  }
  fprintf(stderr, "  --overwrite replaces them, --out %s keeps them\n", NsDirectoryFreeName(NsRunSink(run)->directory, NsRunArena(run)));
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
static NsResume inspect_results(NsRun *run, bool *resumes)
{
  const char        *path = NsRunSink(run)->directory;
  NsDiag            *diag = NsDiagCreate(NsRunArena(run));
  const NsRunRecord *record;
  char               why[1024];

  const char *busy = NsRunTakeDirectory(run);
  if (busy) {
    fprintf(stderr, "percuss run: '%s' cannot be gone on with: %s\n", path, busy);
    return NS_RESUME_REFUSED;
  }
  if (access(NsSinkPath(NsRunSink(run), "run.json"), F_OK) && !NsCheckpointsAreThere(run)) {
    fprintf(stderr, "percuss run: '%s' has no run.json: percuss was stopped before the first step; the run starts anew\n", path);
    return NsEmptyResults("run", run) ? NS_RESUME_RUN : NS_RESUME_REFUSED;
  }
  record = NsRunRecordRead(path, NsRunArena(run), diag);
  if (!record) {
    NsDiagPrint(diag, stderr, NsColour(stderr));
    return NS_RESUME_REFUSED;
  }
  if (!is_same_config(run, record)) {
    print_differences(run, record);
    return NS_RESUME_REFUSED;
  }
  if (!strcmp(record->status, "done")) {
    NsCheckpointsRemove(run); /* as a run does at its end; this one may have been killed just before */
    NsFolderDropClaims(NsRunSink(run)->folder);
    NsFolderSeal(NsRunSink(run)->folder);
    fprintf(stderr, "percuss run: '%s' is complete; nothing is left to do\n", path);
    return NS_RESUME_COMPLETE;
  }
  if (NsFolderLook(NsRunSink(run)->folder) != NS_DIRECTORY_RESULTS) {
    fprintf(stderr, "percuss run: cannot go on in '%s': it has no " NS_FOLDER_LIST ", by which percuss knows its files\n", path);
    return NS_RESUME_REFUSED;
  }
  const char *checkpoint = NsCheckpointFind(run, why, sizeof(why));
  *resumes               = checkpoint != NULL;
  if (!checkpoint && *why) {
    fprintf(stderr, "percuss run: cannot continue from %s\n  --overwrite starts from the beginning\n", why);
    return NS_RESUME_REFUSED;
  }
  if (checkpoint && *why) fprintf(stderr, "percuss run: warning: %s; continuing from the previous one\n", why);
  if (checkpoint) return NS_RESUME_RUN;
  fprintf(stderr, "percuss run: there is no checkpoint in '%s' yet; the run starts from the beginning\n", path);
  return NsEmptyResults("run", run) ? NS_RESUME_RUN : NS_RESUME_REFUSED;
}

PetscErrorCode NsResumeResults(NsRun *run, NsResume *resume)
{
  enum { FROM_CHECKPOINT = 1, FAILED = 2 };
  PetscInt what[2] = {NS_RESUME_REFUSED, 0}; /* known on the first process only */
  bool     resumes = false;

  PetscFunctionBegin;
  PetscCall(NsCheckpointsCreate(run));
  if (NsRunSink(run)->writes) {
    const NsDirectoryUse use = NsDirectoryLook(NsRunSink(run)->directory, NsRunArena(run));
    if (use == NS_DIRECTORY_RESULTS || use == NS_DIRECTORY_UNLISTED) {
      what[0] = (PetscInt)inspect_results(run, &resumes);
      what[1] = (resumes ? FROM_CHECKPOINT : 0) | (NsRunExit(run) == NS_EXIT_FAILED ? FAILED : 0);
    } else if (use == NS_DIRECTORY_FREE) {
      if (!NsRunGetOptions(run)->quiet) fprintf(stderr, "percuss run: no run to resume in '%s'; a new run starts\n", NsRunSink(run)->directory);
      what[0] = NS_RESUME_RUN;
    } else if (use == NS_DIRECTORY_FILE)
      fprintf(stderr, "percuss run: '%s' is a file; --out names a directory\n", NsRunSink(run)->directory);
    else if (use == NS_DIRECTORY_UNKNOWN) {
      NsSinkFail(NsRunSink(run), "cannot read '%s': %s", NsRunSink(run)->directory, strerror(errno));
      fprintf(stderr, "percuss run: %s\n", NsRunMessage(run));
      what[1] = FAILED;
    } else
      fprintf(stderr, "percuss run: '%s' holds no results of percuss\n", NsRunSink(run)->directory);
  }
  for (int i = 0; i < 2; i++) PetscCall(NsLayoutAgree(NsRunModel(run)->layout, &what[i]));
  *resume = (NsResume)what[0];
  NsRunResume(run, (what[1] & FROM_CHECKPOINT) != 0);
  if (what[1] & FAILED) NsSinkFail(NsRunSink(run), "another process failed");
  PetscFunctionReturn(0);
}
