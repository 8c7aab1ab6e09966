/*
  Every run of a study looked at before the first is started: what `percuss check` would say of it, the columns that the study asks for, and a fingerprint of all that its results
  depend on: config as run, files that it reads, program. Results in a directory of that name are those of this run.
*/
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/directory.h"
#include "core/sha256.h"
#include "percuss_version.h"
#include "study.h"

static void make_fingerprint(const NsRun *run, char fingerprint[NS_SHA256_TEXT])
{
  static const char program[] = PERCUSS_VERSION " " PERCUSS_COMMIT " " PERCUSS_BUILD;
  size_t            size;
  NsArenaStream     stream;
  FILE             *file = NsArenaStreamOpen(&stream, run->arena);
  NsSha256          sha;

  NsTreeWrite(run->tree, file);
  for (NsRunFile *input = run->inputs; input; input = input->next) {
    const char *hash = NsRunFileHash(input);
    fprintf(file, "%s %s\n", input->path, hash ? hash : "");
  }
  const char *text = NsArenaStreamClose(&stream, &size);
  NsSha256Begin(&sha);
  NsSha256Add(&sha, program, sizeof(program));
  NsSha256Add(&sha, text, size);
  NsSha256End(&sha, fingerprint);
}

/* The tables that the run would write, without rows, to see what columns they have: whoever writes them knows best. */
static PetscErrorCode open_tables(NsRun *run, const char *directory)
{
  static const char *const no_tables[] = {"frames", "view", "progress", NULL};
  const char *const        kept        = run->directory;
  NsWriter               **writer;
  int                      count = 0;

  PetscFunctionBegin;
  while (NsWriterTypes[count]) count++;
  writer         = NsArenaAlloc(run->arena, sizeof(NsWriter *) * (size_t)count);
  run->directory = directory;
  for (int i = 0; i < count; i++) {
    bool table = true;
    for (int k = 0; no_tables[k]; k++) table = table && strcmp(NsWriterTypes[i]->name, no_tables[k]);
    if (table && NsWriterTypes[i]->wanted(run)) PetscCall(NsWriterCreate(NsWriterTypes[i], run, &writer[i]));
  }
  for (int i = 0; i < count; i++) PetscCall(NsWriterDestroy(&writer[i]));
  run->directory = kept;
  PetscFunctionReturn(0);
}

static PetscErrorCode check_tables(const NsStudy *study, NsRun *run, NsDiag *diag)
{
  const char *folder   = getenv("TMPDIR");
  char       *scratch  = NsArenaPrint(run->arena, "%s/percuss_study_XXXXXX", folder && *folder ? folder : "/tmp");
  const bool  scratchy = mkdtemp(scratch) != NULL;

  PetscFunctionBegin;
  if (!scratchy) {
    NsDiagError(diag, (NsPlace){0}, "cannot make the directory %s: %s", scratch, strerror(errno));
    PetscFunctionReturn(0);
  }
  PetscCall(open_tables(run, scratch));
  if (run->failure[0])
    NsDiagError(diag, (NsPlace){0}, "%s", run->failure);
  else
    NsQuantityCheck(study, scratch, run, diag);
  (void)NsDirectoryRemoveResults(scratch, run->arena);
  (void)rmdir(scratch);
  PetscFunctionReturn(0);
}

static PetscErrorCode examine_run(NsStudy *study, int number, NsDiag *diag, NsArena *arena)
{
  const NsRunOptions options = NsStudyRunOptions(study, number);
  NsRun             *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    if (!run->scheme->type->bounded) PetscCall(NsRunCheckStep(run, PETSC_FALSE));
    NsRunJudgeStep(run, options.force ? PETSC_FALSE : PETSC_TRUE);
  }
  if (!NsDiagErrors(diag)) PetscCall(check_tables(study, run, diag));
  if (!NsDiagErrors(diag)) make_fingerprint(run, study->run[number].fingerprint);
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

PetscErrorCode NsStudyExamine(NsStudy *study, bool *good)
{
  int warned = 0;

  PetscFunctionBegin;
  *good = true;
  for (int i = 0; i < study->runs && *good; i++) {
    NsArena *arena = NsArenaCreate();
    NsDiag  *diag  = NsDiagCreate(arena);
    char    *said  = NULL;
    size_t   size  = 0;
    FILE    *file  = open_memstream(&said, &size);

    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for messages");
    PetscCall(examine_run(study, i, diag, arena));
    *good = !NsDiagErrors(diag);
    NsDiagPrint(diag, file, false);
    fclose(file);
    if (size && (!*good || !warned)) {
      fprintf(stderr, "%s", said);
      fprintf(stderr, "percuss study: this is run %d of %d: %s%s\n", i + 1, study->runs, NsStudyRunName(study, i), *good ? "" : "; nothing was run");
    }
    warned += size > 0;
    free(said);
    NsArenaDestroy(&arena);
  }
  if (*good && warned > 1) fprintf(stderr, "percuss study: %d more runs have warnings\n", warned - 1);
  PetscFunctionReturn(0);
}
