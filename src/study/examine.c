/*
  Checks every run of a study before the first is started: its config, as `percuss check` does, and the columns that the study records. Makes its fingerprint, a hash of all that its
  results depend on: config as run, files that it reads, program. Results in a directory of that name are those of this run.
*/
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "output/folder.h"
#include "core/sha256.h"
#include "percuss_version.h"
#include "study.h"

static void make_fingerprint(NsRun *run, char fingerprint[NS_SHA256_TEXT])
{
  static const char program[] = PERCUSS_VERSION " " PERCUSS_COMMIT " " PERCUSS_BUILD;
  size_t            size;
  NsArenaStream     stream;
  FILE             *file = NsArenaStreamOpen(&stream, NsRunArena(run));
  NsSha256          sha;

  NsTreeWrite(NsRunTree(run), file);
  for (NsFileList *input = NsRunInputs(run); input; input = input->next) {
    const char *hash = NsFileListHash(input);
    fprintf(file, "%s %s\n", input->path, hash ? hash : "");
  }
  const char *text = NsArenaStreamClose(&stream, &size);
  NsSha256Begin(&sha);
  NsSha256Add(&sha, program, sizeof(program));
  NsSha256Add(&sha, text, size);
  NsSha256End(&sha, fingerprint);
}

static PetscErrorCode check_tables(const NsStudy *study, NsRun *run, NsDiag *diag)
{
  const char *folder   = getenv("TMPDIR");
  char       *scratch  = NsArenaPrint(NsRunArena(run), "%s/percuss_study_XXXXXX", folder && *folder ? folder : "/tmp");
  const bool  scratchy = mkdtemp(scratch) != NULL;

  PetscFunctionBegin;
  if (!scratchy) {
    NsDiagError(diag, (NsPlace){0}, "cannot make the directory %s: %s", scratch, strerror(errno));
    PetscFunctionReturn(0);
  }
  PetscCall(NsRunWriteHeaders(run, scratch));
  if (*NsRunMessage(run))
    NsDiagError(diag, (NsPlace){0}, "%s", NsRunMessage(run));
  else
    NsQuantityCheck(study, scratch, run, diag);
  NsFolder *made = NsFolderOpen(scratch, 0, false, NS_FOLDER_RUN, NsRunArena(run));
  if (made) (void)NsFolderRemove(&made);
  PetscFunctionReturn(0);
}

static PetscErrorCode examine_run(NsStudy *study, int number, NsDiag *diag, NsArena *arena)
{
  const NsRunOptions options = NsStudyRunOptions(study, number);
  NsRun             *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    if (!NsRunScheme(run)->type->bounded) PetscCall(NsRunCheckStep(run, PETSC_FALSE));
    PetscCall(NsRunJudgeStep(run, !options.force));
  }
  if (!NsDiagErrors(diag)) PetscCall(check_tables(study, run, diag));
  if (!NsDiagErrors(diag)) make_fingerprint(run, study->run[number].fingerprint);
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

/* What a run starts from is the result of all runs before it. */
static void chain_fingerprint(NsStudy *study, int number)
{
  NsStudyRun *run = &study->run[number];
  NsSha256    sha;

  if (run->after < 0) return;
  NsSha256Begin(&sha);
  NsSha256Add(&sha, study->run[run->after].fingerprint, sizeof(run->fingerprint));
  NsSha256Add(&sha, run->fingerprint, sizeof(run->fingerprint));
  NsSha256End(&sha, run->fingerprint);
}

PetscErrorCode NsStudyExamine(NsStudy *study, bool *good)
{
  int warned = 0;

  PetscFunctionBegin;
  *good = true;
  for (int i = 0; i < study->runs && *good; i++) {
    NsArena *arena    = NsArenaCreate();
    NsDiag  *diag     = NsDiagCreate(arena);
    char    *messages = NULL;
    size_t   size     = 0;
    FILE    *file     = open_memstream(&messages, &size);

    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for messages");
    PetscCall(examine_run(study, i, diag, arena));
    *good = !NsDiagErrors(diag);
    chain_fingerprint(study, i);
    NsDiagPrint(diag, file, false);
    fclose(file);
    if (size && (!*good || !warned)) {
      fprintf(stderr, "%s", messages);
      fprintf(
        stderr, "percuss study: this concerns run %d of %d: %s%s\n", i + 1, study->runs, NsStudyRunName(study, i), *good ? "" : "; nothing was run");
    }
    warned += size > 0;
    free(messages);
    NsArenaDestroy(&arena);
  }
  if (*good && warned > 1) fprintf(stderr, "percuss study: %d more run%s warnings\n", warned - 1, warned == 2 ? " has" : "s have");
  PetscFunctionReturn(0);
}
