/* The directory of a command's results. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "results.h"
#include "results/record.h"
#include "output/folder.h"
#include "fe/fe.h"

bool NsEmptyResults(const char *command, NsRun *run)
{
  if (NsRunClearDirectory(run)) return true;
  NsSinkFail(NsRunSink(run), "cannot remove the earlier results in '%s': %s", NsRunSink(run)->directory, NsFolderWhy(errno));
  fprintf(stderr, "percuss %s: %s\n", command, NsRunMessage(run));
  return false;
}

static bool take_results(const char *command, NsRun *run)
{
  const char *path = NsRunSink(run)->directory, *busy = NsRunTakeDirectory(run);

  if (busy)
    fprintf(
      stderr, "percuss %s: '%s' cannot be replaced: %s; use another: --out %s\n", command, path, busy, NsDirectoryFreeName(path, NsRunArena(run)));
  return !busy;
}

static bool clear_results(const char *command, NsRun *run)
{
  const char          *path = NsRunSink(run)->directory;
  const NsDirectoryUse use  = NsDirectoryLook(path, NsRunArena(run));

  if (use == NS_DIRECTORY_FREE) return true;
  if (use == NS_DIRECTORY_UNKNOWN) {
    NsSinkFail(NsRunSink(run), "cannot read '%s': %s", path, strerror(errno));
    fprintf(stderr, "percuss %s: %s\n", command, NsRunMessage(run));
    return false;
  }
  if (use == NS_DIRECTORY_FILE)
    fprintf(stderr, "percuss %s: '%s' is a file; --out names a directory\n", command, path);
  else if (use == NS_DIRECTORY_UNLISTED && NsRunGetOptions(run)->overwrite)
    fprintf(stderr,
      "percuss %s: '%s' is not changed: it has no " NS_FOLDER_LIST
      ", by which percuss knows its files; remove it yourself, or use another: --out %s\n",
      command, path, NsDirectoryFreeName(path, NsRunArena(run)));
  else if (use != NS_DIRECTORY_RESULTS && use != NS_DIRECTORY_UNLISTED && NsRunGetOptions(run)->overwrite)
    fprintf(stderr, "percuss %s: '%s' contains no results of percuss and is not changed\n", command, path);
  else if (use != NS_DIRECTORY_RESULTS && use != NS_DIRECTORY_UNLISTED) {
    fprintf(stderr, "percuss %s: '%s' exists already and contains no results of percuss; use another directory: --out %s\n", command, path,
      NsDirectoryFreeName(path, NsRunArena(run)));
  } else if (!NsRunGetOptions(run)->overwrite) {
    const NsRunRecord *record  = NsRunRecordRead(path, NsRunArena(run), NsDiagCreate(NsRunArena(run)));
    const bool         stopped = record && strcmp(record->status, "done") != 0 && access(NsSinkPath(NsRunSink(run), "checkpoint"), F_OK) == 0;
    fprintf(stderr, "percuss %s: '%s' exists already; %s--overwrite replaces it, --out %s keeps it\n", command, path,
      stopped ? "it is unfinished, and --resume continues it; " : "", NsDirectoryFreeName(path, NsRunArena(run)));
  } else
    return take_results(command, run) && NsEmptyResults(command, run);
  return false;
}

bool NsClearResults(const char *command, NsRun *run)
{
  PetscInt refused = NsRunSink(run)->writes && !clear_results(command, run) ? 1 : 0; /* and by the machine: */

  if (NsRunExit(run) == NS_EXIT_FAILED) refused |= 2;
  if (NsLayoutAgree(NsRunModel(run)->layout, &refused)) return false;
  if (refused & 2) NsSinkFail(NsRunSink(run), "another process failed");
  return !refused;
}

bool NsAnalysisAlone(const char *command, NsRun *run)
{
  const int ranks = NsRunModel(run)->layout->ranks;

  if (ranks > 1 && NsRunSink(run)->writes) fprintf(stderr, "percuss %s: runs on one process, not on %d\n", command, ranks);
  return ranks == 1;
}

bool NsAnalysisPossible(const char *command, NsRun *run)
{
  if (!NsAnalysisAlone(command, run)) return false;
  if (NsModelIsFe(NsRunModel(run))) return true;
  fprintf(stderr, "percuss %s: '%s' is a mechanism; this command needs a finite-element model\n", command, NsRunSink(run)->name);
  return false;
}

void NsAnalysisDirectory(const char *command, NsRun *run)
{
  if (!NsRunGetOptions(run)->directory) NsRunSink(run)->directory = NsArenaPrint(NsRunArena(run), "%s_%s", NsRunSink(run)->directory, command);
}

bool NsAnalysisAllowed(const char *command, NsRun *run)
{
  NsAnalysisDirectory(command, run);
  return NsClearResults(command, run);
}

void NsAnalysisWarnOfTables(const char *command, NsRun *run, PetscReal from, PetscReal to)
{
  const PetscReal rpm  = 30 / PETSC_PI;
  PetscInt        next = 0;
  NsFeTableEnd    it;

  while (NsFeNextBeyondTable(NsRunModel(run), from, to, &next, &it))
    fprintf(stderr, "percuss %s: warning: the table of %s '%s' %s at %.6g rpm: its %s values are used %s %.6g rpm\n", command, it.kind, it.name,
      it.begins ? "begins" : "ends", it.end * rpm, it.begins ? "first" : "last", it.begins ? "from" : "up to", it.speed * rpm);
}

int NsAnalysisEnd(const char *command, NsRun *run)
{
  if (*NsRunMessage(run))
    fprintf(stderr, "percuss %s: %s\n", command, NsRunMessage(run));
  else
    printf("  results: %s\n", NsRunSink(run)->directory);
  return (int)NsRunExit(run);
}
