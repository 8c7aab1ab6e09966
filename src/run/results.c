/* The results of a run or an analysis: their directory, writers and run.json. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include "core/out_of_memory.h"
#include "output/file.h"
#include "output/settings.h"
#include "frames.h"
#include "private.h"

void NsRunStop(NsRun *run, const char *why)
{
  (void)snprintf(run->stopped, sizeof(run->stopped), "%s", why);
}

NsExit NsRunExit(const NsRun *run)
{
  if (run->sink.failure[0]) return NS_EXIT_FAILED;
  return run->stopped[0] ? NS_EXIT_STOPPED : NS_EXIT_DONE;
}

const char *NsRunMessage(const NsRun *run)
{
  return run->sink.failure[0] ? run->sink.failure : run->stopped;
}

static NsWriterContext context_of(NsRun *run)
{
  return (NsWriterContext){.sink = &run->sink,
    .model                       = run->model,
    .settings                    = run->config.output,
    .end                         = run->config.time->end,
    .steps                       = run->steps,
    .quiet                       = run->options.quiet};
}

/* The writers that the run uses, not open yet: run->writer[writers]. */
static PetscErrorCode create_writers(NsRun *run)
{
  const NsWriterContext context = context_of(run);
  int                   count   = 0;

  PetscFunctionBegin;
  while (NsWriterTypes[count]) count++;
  run->writer  = NsArenaAlloc(run->arena, sizeof(*run->writer) * (size_t)count);
  run->writers = 0;
  for (int i = 0; i < count; i++) {
    PetscCall(NsWriterCreate(NsWriterTypes[i], &context, &run->writer[run->writers]));
    if (run->writer[run->writers]) run->writers++;
  }
  PetscFunctionReturn(0);
}

/* Before the first of them is made: so the directory is known as one of percuss, wherever the run is killed. */
static void claim_files(NsRun *run)
{
  const char *names[64] = {"run.json", "config.yaml"};
  int         count     = 2;

  for (int i = 0; i < run->writers; i++) {
    for (int k = 0; run->writer[i]->type->csv[k] && count < 62; k++) names[count++] = run->writer[i]->type->csv[k]->file;
  }
  if (run->writers) names[count++] = "status.json";
  NsFileClaim(&run->sink, names);
}

PetscErrorCode NsRunOpenWriters(NsRun *run)
{
  PetscFunctionBegin;
  PetscCall(create_writers(run));
  claim_files(run);
  for (int i = 0; i < run->writers; i++) {
    if (NsRunExit(run) != NS_EXIT_DONE && run->model->layout->ranks == 1) /* several processes open all of them together */
      run->writers = i;
    else
      PetscCall(NsWriterOpen(run->writer[i]));
  }
  PetscCall(NsManifestOpen(run)); /* also after a failure, which it reports */
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunCloseResults(NsRun *run)
{
  static const char *const status[] = {[NS_EXIT_DONE] = "done", [NS_EXIT_FAILED] = "failed", [NS_EXIT_STOPPED] = "stopped"};

  PetscFunctionBegin;
  for (int i = 0; i < run->writers; i++) PetscCall(NsWriterClose(run->writer[i], status[NsRunExit(run)]));
  if (run->manifest) PetscCall(NsManifestClose(run));
  NsLastWords(NULL, NULL);
  if (run->checkpoints && NsRunExit(run) == NS_EXIT_DONE) NsCheckpointsTidy(run);
  if (run->sink.folder) NsFolderSeal(run->sink.folder);
  PetscFunctionReturn(0);
}

/* For NsLastWords: run.json says that there was no memory. */
static void close_without_memory(void *context)
{
  NsRun *run = context;

  NsSinkFail(&run->sink, "out of memory");
  if (!run->manifest && NsManifestOpen(run)) return;
  (void)NsRunCloseResults(run);
}

PetscBool NsRunOpenFolder(NsRun *run, PetscBool make)
{
  if (!run->sink.folder) run->sink.folder = NsFolderOpen(run->sink.directory, run->options.own_folders, make, NS_FOLDER_RUN, run->arena);
  return run->sink.folder != NULL;
}

const char *NsRunTakeDirectory(NsRun *run)
{
  if (!NsRunOpenFolder(run, PETSC_FALSE)) return NsFolderWhy(errno);
  return NsFolderLock(run->sink.folder) ? NULL : errno == EWOULDBLOCK ? "it is still being written by another run" : NsFolderWhy(errno);
}

PetscBool NsRunClearDirectory(NsRun *run)
{
  run->cleared = NsFolderClean(run->sink.folder);
  return run->cleared;
}

PetscErrorCode NsRunOpenDirectory(NsRun *run)
{
  const char *path   = run->sink.directory;
  PetscInt    failed = 0;

  PetscFunctionBegin;
  if (run->sink.writes && !NsRunOpenFolder(run, PETSC_TRUE))
    NsSinkFail(&run->sink, "cannot make the directory %.800s%s: %s", path, strlen(path) > 800 ? "..." : "", NsFolderWhy(errno));
  else if (run->sink.writes && !NsFolderLock(run->sink.folder)) {
    if (errno == EWOULDBLOCK)
      NsSinkFail(&run->sink, "another run is writing into %s", path);
    else
      NsSinkFail(&run->sink, "cannot lock %s: %s", path, NsFolderWhy(errno));
  } else if (run->sink.writes && !run->cleared && NsFolderLook(run->sink.folder) != NS_DIRECTORY_FREE) /* another was quicker */
    NsSinkFail(&run->sink, "cannot write into %s: it is not empty any more", path);
  failed = run->sink.failure[0] != 0;
  PetscCall(NsLayoutAgree(run->model->layout, &failed));
  if (failed)
    NsSinkFail(&run->sink, "another process failed");
  else
    NsLastWords(close_without_memory, run);
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunOpenResults(NsRun *run)
{
  PetscFunctionBegin;
  PetscCall(NsRunOpenDirectory(run));
  if (NsRunExit(run) == NS_EXIT_DONE) PetscCall(NsManifestOpen(run));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunWriteHeaders(NsRun *run, const char *directory)
{
  const NsSink kept = run->sink;

  PetscFunctionBegin;
  run->sink.directory = directory;
  run->sink.folder    = NULL;
  PetscCall(create_writers(run));
  for (int i = 0; i < run->writers; i++) {
    if (run->writer[i]->type->csv[0]) PetscCall(NsWriterOpen(run->writer[i]));
  }
  PetscCall(NsManifestOpen(run));
  PetscCall(NsRunCloseResults(run));
  NsFolderClose(&run->sink.folder);
  run->sink.folder    = kept.folder;
  run->sink.directory = kept.directory;
  run->sink.files     = kept.files;
  run->writers        = 0;
  run->manifest       = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunWriteFrame(NsRun *run, const NsContactReport *report)
{
  PetscFunctionBegin;
  PetscCall(NsRunWriteFrames(run, report, 1, NULL, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunWriteFrames(
  NsRun *run, const NsContactReport *report, PetscInt count, PetscErrorCode (*place)(void *context, PetscInt k, NsState *state), void *data)
{
  const NsWriterContext context = context_of(run);
  NsModel              *model   = run->model;
  NsSnapshot            shot    = {.contact = report, .before = report, .actives = model->candidates, .ledger = &run->ledger};
  PetscInt             *all     = NsArenaAlloc(run->arena, sizeof(*all) * (size_t)(model->candidates + 1));
  NsWriter             *writer;
  Vec                   still, none;
  int                   frames = 0;

  PetscFunctionBegin;
  while (strcmp(NsWriterTypes[frames]->name, "frames") != 0) frames++;
  PetscCall(NsWriterCreate(NsWriterTypes[frames], &context, &writer));
  if (!writer) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < model->candidates; i++) all[i] = i;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, model->unknowns, &still));
  PetscCall(VecDuplicate(still, &none));
  PetscCall(VecZeroEntries(still));
  PetscCall(VecZeroEntries(none));
  shot.active             = all;
  shot.whole_v            = still;
  shot.whole_acceleration = none;
  PetscCall(NsWriterOpen(writer));
  for (PetscInt k = 0; k < count; k++) {
    if (place) PetscCall(place(data, k, &run->state));
    if (run->whole_q) PetscCall(NsLayoutCollect(model->layout, NsVecRead(run->state.q), NsVecArray(run->whole_q)));
    shot.state   = run->state;
    shot.whole_q = run->whole_q ? run->whole_q : run->state.q;
    PetscCall(writer->type->write(writer, &shot));
  }
  PetscCall(NsWriterClose(writer, "done"));
  PetscCall(VecDestroy(&still));
  PetscCall(VecDestroy(&none));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunBytes(NsRun *run, double steps, double *bytes)
{
  PetscFunctionBegin;
  PetscCall(create_writers(run));
  *bytes = 4096;
  for (int i = 0; i < run->writers; i++) {
    const NsWriter *writer = run->writer[i];
    if (writer->every > 0 && writer->type->bytes) *bytes += (floor(steps / (double)writer->every) + 1) * writer->type->bytes(writer);
  }
  run->writers = 0;
  PetscFunctionReturn(0);
}

#define NS_SOME 1e9  /* bytes: smaller results are not judged */
#define NS_MUCH 1e11 /* bytes of results of which a user should know beforehand, whatever room there is */

/* Bytes that may be written where `path` is, or its nearest directory that exists; Inf: not known. */
static double free_bytes(const char *path, NsArena *arena)
{
  char          *parent = NsArenaCopy(arena, path, strlen(path));
  struct statvfs disk;

  while (statvfs(*parent ? parent : ".", &disk)) {
    char *slash = strrchr(parent, '/');
    if (errno != ENOENT || !*parent || (slash == parent && !parent[1])) return HUGE_VAL;
    if (slash == parent)
      parent[1] = 0;
    else
      *(slash ? slash : parent) = 0;
  }
  return (double)disk.f_bavail * (double)disk.f_frsize;
}

void NsRunJudgeBytes(NsRun *run, double bytes)
{
  const double  room = free_bytes(run->sink.directory, run->arena), gb = 1e-9;
  const NsPlace place = NsKeysPlace(run->config.where, "output");

  if (bytes > NS_SOME && bytes > room)
    NsDiagWarning(
      run->diag, place, "the results will be about %.3g GB, but the disk of %s has %.3g GB free", gb * bytes, run->sink.directory, gb * room);
  else if (bytes > NS_MUCH)
    NsDiagWarning(run->diag, place, "the results will be about %.3g GB", gb * bytes);
  else
    return;
  NsDiagNote(run->diag, "write fewer frames and rows: raise `every` of the outputs");
}

long NsRunFramesEvery(const NsRun *run)
{
  const NsEverySettings *frames = run->config.output->frames;

  return frames->every;
}
