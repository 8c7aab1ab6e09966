/* percuss run --resume: whether, and from where. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "results.h"
#include "output/folder.h"
#include "results/config_difference.h"
#include "results/record.h"
#include "run/physics.h"

enum { MOST_DIFFERENCES = 5 };

/* Whether a writer is switched off. */
static bool is_off(const NsNode *writer)
{
  const NsNode *every = writer && writer->kind == NS_NODE_MAP ? NsTreeChild(writer, "every") : writer;

  return every && every->kind == NS_NODE_SCALAR && (!strcmp(every->text, "0") || !strcmp(every->text, "false"));
}

/* Whether this key, "output.history.every", may change where a run continues: its tables keep their columns. */
static bool keeps_columns(const char *path, const NsNode *there, const NsNode *here, NsArena *arena)
{
  static const char *const free[] = {"output.directory", "output.checkpoints", "output.events", "output.frames.format", NULL};
  const size_t             size   = strlen(path);
  const char              *writer = NsArenaCopy(arena, path + strlen("output."), strcspn(path + strlen("output."), "."));

  for (int i = 0; free[i]; i++) {
    if (!strcmp(path, free[i])) return true;
  }
  if (size > strlen(".every") && !strcmp(path + size - strlen(".every"), ".every")) return true;
  return is_off(NsTreeChild(NsTreeChild(there, "output"), writer)) || is_off(NsTreeChild(NsTreeChild(here, "output"), writer));
}

/* A section that one config alone has differs by each of its keys. */
static const NsConfigDifference *differ_in_outputs(const NsNode *there, const NsNode *here, NsArena *arena)
{
  static const NsNode empty = {.kind = NS_NODE_MAP};
  NsNode              pair[2], output[2];

  for (int k = 0; k < 2; k++) {
    const NsNode *section = NsTreeChild(k ? here : there, "output"), *other = NsTreeChild(k ? there : here, "output");
    NsNode      **end = &output[k].first;

    output[k]       = section ? *section : empty;
    output[k].key   = "output";
    output[k].first = output[k].next = NULL;
    for (const NsNode *child = section ? section->first : NULL; child; child = child->next, end = &(*end)->next) {
      *end         = NsArenaAlloc(arena, sizeof(**end));
      **end        = *child;
      (*end)->next = NULL;
    }
    for (const NsNode *child = other ? other->first : NULL; child; child = child->next) {
      if (NsTreeChild(section, child->key) || child->kind != NS_NODE_MAP) continue;
      *end        = NsArenaAlloc(arena, sizeof(**end));
      **end       = empty;
      (*end)->key = child->key;
      end         = &(*end)->next;
    }
    pair[k]       = empty;
    pair[k].first = &output[k];
  }
  return NsConfigDiffer(&pair[0], &pair[1], arena);
}

static void print_difference(const NsConfigDifference *difference)
{
  const char *there = difference->value[0], *here = difference->value[1];

  fprintf(stderr, "  %s: %s in the results, %s now\n", difference->path, there ? there : "not set", here ? here : "not set");
}

/* The same motion: only the end, limits and output may differ. Else lists the keys that do. */
static bool is_same_physics(NsRun *run, const NsRunRecord *record)
{
  const NsConfigDifference *difference =
    NsConfigDiffer(NsRunPhysics(record->config, NsRunArena(run)), NsRunPhysics(NsRunTree(run), NsRunArena(run)), NsRunArena(run));

  if (!difference) return true;
  fprintf(stderr, "percuss run: the results in '%s' belong to another config\n", NsRunSink(run)->directory);
  for (int shown = 0; difference && shown < MOST_DIFFERENCES; difference = difference->next, shown++) print_difference(difference);
  fprintf(stderr, "  --overwrite replaces them, --out %s keeps them; a run continues with another time.end, limits and output alone\n",
    NsDirectoryFreeName(NsRunSink(run)->directory, NsRunArena(run)));
  return false;
}

/* Tables that go on have the columns that they began with. */
static bool is_same_columns(NsRun *run, const NsRunRecord *record)
{
  const NsConfigDifference *difference = differ_in_outputs(record->config, NsRunTree(run), NsRunArena(run));
  int                       shown      = 0;

  for (; difference; difference = difference->next) {
    if (keeps_columns(difference->path, record->config, NsRunTree(run), NsRunArena(run))) continue;
    if (!shown++) fprintf(stderr, "percuss run: the tables in '%s' have other columns\n", NsRunSink(run)->directory);
    if (shown <= MOST_DIFFERENCES) print_difference(difference);
  }
  if (shown)
    fprintf(stderr, "  --out %s writes all of the run anew; `every` may change, and tables be added\n",
      NsDirectoryFreeName(NsRunSink(run)->directory, NsRunArena(run)));
  return !shown;
}

static bool is_same_config(NsRun *run, const NsRunRecord *record)
{
  if (record->config) return is_same_physics(run, record) && is_same_columns(run, record);
  fprintf(stderr, "percuss run: cannot continue '%s': its config.yaml is missing\n", NsRunSink(run)->directory);
  return false;
}

static void say_beyond(NsRun *run, double t)
{
  fprintf(stderr, "percuss run: the results in '%s' already reach t = %g s, which is beyond time.end = %g s\n", NsRunSink(run)->directory, t,
    NsRunSettings(run)->time->end);
}

/* Whether a run that is done has a later end now; *complete: it has not, and nothing is left to do. */
static bool is_extended(NsRun *run, const NsRunRecord *record, bool *complete)
{
  const double end = NsRunRecordNumber(record, "end"), wanted = NsRunSettings(run)->time->end;

  *complete = !(wanted < end) && !(wanted > end);
  if (wanted < end) say_beyond(run, end);
  return wanted > end;
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
    fprintf(stderr, "percuss run: cannot continue '%s': %s\n", path, busy);
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
  if (!is_same_config(run, record)) return NS_RESUME_REFUSED;
  const bool done = !strcmp(record->status, "done");
  bool       complete;
  if (done && !is_extended(run, record, &complete)) {
    if (!complete) return NS_RESUME_REFUSED;
    NsCheckpointsTidy(run); /* as a run does at its end; this one may have been killed just before */
    NsFolderDropClaims(NsRunSink(run)->folder);
    NsFolderSeal(NsRunSink(run)->folder);
    fprintf(stderr, "percuss run: '%s' is complete; nothing is left to do\n", path);
    return NS_RESUME_COMPLETE;
  }
  if (NsFolderLook(NsRunSink(run)->folder) != NS_DIRECTORY_RESULTS) {
    fprintf(stderr, "percuss run: cannot go on in '%s': it has no " NS_FOLDER_LIST ", by which percuss knows its files\n", path);
    return NS_RESUME_REFUSED;
  }
  PetscReal   t          = 0;
  const bool  cut        = done && NsRunScheme(run)->type->adapts; /* its last step was shortened to meet the end that it had */
  const char *checkpoint = NsCheckpointFind(run, cut ? NsRunRecordNumber(record, "end") : PETSC_MAX_REAL, &t, why, sizeof(why));
  *resumes               = checkpoint != NULL;
  if (!checkpoint && *why) {
    fprintf(stderr, "percuss run: cannot continue from %s\n  --overwrite starts from the beginning\n", why);
    return NS_RESUME_REFUSED;
  }
  if (checkpoint && !done && NsRunSettings(run)->time->end < PetscMin(t, NsRunRecordNumber(record, "end"))) {
    say_beyond(run, t);
    return NS_RESUME_REFUSED;
  }
  if (checkpoint && *why) fprintf(stderr, "percuss run: warning: %s; continuing from the previous one\n", why);
  if (checkpoint) return NS_RESUME_RUN;
  if (done) {
    fprintf(stderr,
      "percuss run: '%s' is complete, but has no checkpoint from which it can continue to the later end\n  --overwrite starts from the beginning\n",
      path);
    return NS_RESUME_REFUSED;
  }
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
