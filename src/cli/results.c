/* The directory of a command's results. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "arguments.h"
#include "core/directory.h"
#include "fe/fe.h"

bool NsEmptyResults(const char *command, NsRun *run)
{
  if (NsDirectoryRemoveResults(run->directory, run->arena)) return true;
  NsRunFail(run, "cannot empty '%s': %s", run->directory, strerror(errno));
  fprintf(stderr, "percuss %s: %s\n", command, run->failure);
  return false;
}

static bool clear_results(const char *command, NsRun *run)
{
  const char          *path = run->directory;
  const NsDirectoryUse use  = NsDirectoryLook(path, run->arena);

  if (use == NS_DIRECTORY_FREE) return true;
  if (use == NS_DIRECTORY_FILE)
    fprintf(stderr, "percuss %s: '%s' is a file; --out names a directory\n", command, path);
  else if (use == NS_DIRECTORY_FOREIGN && run->options.overwrite)
    fprintf(stderr, "percuss %s: '%s' holds no results of percuss; it is left alone\n", command, path);
  else if (use == NS_DIRECTORY_FOREIGN) {
    fprintf(stderr, "percuss %s: '%s' exists already and holds no results of percuss; take another: --out %s\n", command, path,
      NsDirectoryFreeName(path, run->arena));
  } else if (!run->options.overwrite) {
    const PetscBool stopped = access(NsRunPath(run, "checkpoint"), F_OK) ? PETSC_FALSE : PETSC_TRUE; /* a run that is done leaves none */
    fprintf(stderr, "percuss %s: '%s' exists already; %s--overwrite replaces it, --out %s keeps it\n", command, path,
      stopped ? "it was not finished, and --resume goes on with it; " : "", NsDirectoryFreeName(path, run->arena));
  } else if (!NsDirectoryLock(path, &run->lock)) {
    fprintf(
      stderr, "percuss %s: another run writes into '%s'; --out %s keeps out of its way\n", command, path, NsDirectoryFreeName(path, run->arena));
  } else
    return NsEmptyResults(command, run);
  return false;
}

bool NsClearResults(const char *command, NsRun *run)
{
  PetscInt refused = run->writes && !clear_results(command, run) ? 1 : 0; /* and by the machine: */

  if (run->exit == NS_EXIT_FAILED) refused |= 2;
  if (NsLayoutAgree(run->model->layout, &refused)) return false;
  if (refused & 2) run->exit = NS_EXIT_FAILED;
  return !refused;
}

bool NsAnalysisPossible(const char *command, const NsRun *run)
{
  if (run->model->layout->ranks > 1) {
    if (run->writes) fprintf(stderr, "percuss %s: works on one process; started on %d\n", command, run->model->layout->ranks);
    return false;
  }
  if (NsModelIsFe(run->model)) return true;
  fprintf(stderr, "percuss %s: '%s' is a mechanism; this command works on finite-element models\n", command, run->name);
  return false;
}

bool NsAnalysisAllowed(const char *command, NsRun *run)
{
  if (!run->options.directory) run->directory = NsArenaPrint(run->arena, "%s_%s", run->directory, command);
  return NsClearResults(command, run);
}

int NsAnalysisEnd(const char *command, const NsRun *run)
{
  if (run->failure[0])
    fprintf(stderr, "percuss %s: %s\n", command, run->failure);
  else
    printf("  results: %s\n", run->directory);
  return (int)run->exit;
}
