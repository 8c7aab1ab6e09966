/* Starting and ending PETSc around the work of a command. */
#include <errno.h>
#include <locale.h>
#include <slepcsys.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "core/crash.h"
#include "repeat.h"
#include "run/begin.h"

bool NsColour(FILE *file)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

  return isatty(fileno(file)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static PetscErrorCode start(const NsRunOptions *options, NsArena *arena)
{
  char           refusal[PETSC_MAX_PATH_LEN];
  const char    *unused;
  PetscErrorCode code;

  (void)uselocale(newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)); /* numbers are written and read with a point, whatever the user's language */
  PetscFunctionBegin;
  code = NsBegin(options->petsc_options, options->petsc_option, arena, &unused, refusal);
  if (code) {
    fprintf(stderr, "percuss: PETSc refuses the options after '--': %s\n", refusal[0] ? refusal : "no reason given");
    exit(NS_EXIT_INPUT);
  }
  NsCrashReport();
  if (unused && PetscGlobalRank == 0)
    fprintf(stderr, "percuss: warning: %s in the environment is not used; options of PETSc go after '--'\n", unused);
  if (PetscGlobalRank && !freopen("/dev/null", "w", stdout)) exit(NS_EXIT_FAILED); /* only the first process prints */
  PetscFunctionReturn(0);
}

static PetscErrorCode warn_of_unused_options(const NsRunOptions *options)
{
  PetscInt count;
  char   **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  for (PetscInt i = 0; options->petsc_options && PetscGlobalRank == 0 && i < count; i++)
    fprintf(stderr, "percuss: warning: PETSc option -%s was not used; check its spelling\n", names[i]);
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscCall(PetscOptionsSetValue(NULL, "-options_left", "no")); /* PETSc would say it again at its end, where it reads options like -log_view */
  PetscFunctionReturn(0);
}

int NsFlushOutput(int code)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "percuss: cannot write to standard output: %s\n", strerror(errno));
  if (!freopen("/dev/null", "w", stdout)) return NS_EXIT_FAILED; /* PETSc flushes it again, and would end with a traceback */
  return NS_EXIT_FAILED;
}

/* If the config is in fact the results of an earlier run, changes options so that it is run again. False after a message. */
static bool find_earlier_run(const NsArguments *arguments, NsRunOptions *options, NsDiag *diag, NsRunRecord **record)
{
  *record = NsRepeatLook(options->config_path, arguments->arena, diag);
  if (*record) (void)NsRepeatPrepare(*record, arguments->command->name, options, arguments->arena, diag);
  if (NsDiagErrors(diag) == 0) return true;
  NsDiagPrint(diag, stderr, NsColour(stderr));
  return false;
}

int NsCommandOnConfig(const NsArguments *arguments, PetscErrorCode (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code))
{
  NsDiag      *diag    = NsDiagCreate(arguments->arena);
  NsRunOptions options = arguments->options;
  NsRunRecord *record;
  int          code = NS_EXIT_INPUT;

  options.analysis = arguments->command->analysis;
  if (!find_earlier_run(arguments, &options, diag, &record)) return NS_EXIT_INPUT;
  /* An error code is a bug: PETSc has printed where. */
  if (start(&options, arguments->arena) || (record && NsRepeatWarn(record, diag)) || work(&options, arguments->arena, diag, &code) ||
      warn_of_unused_options(&options))
    code = NS_EXIT_FAILED;
  code = NsFlushOutput(code);
  if (SlepcFinalize()) code = NS_EXIT_FAILED;
  return code;
}

int NsCommandAlone(PetscErrorCode (*work)(void *context, int *code), void *context)
{
  const NsRunOptions none  = {0};
  NsArena           *arena = NsArenaCreate();
  int                code  = NS_EXIT_FAILED;

  if (start(&none, arena) || work(context, &code)) code = NS_EXIT_FAILED;
  code = NsFlushOutput(code);
  if (SlepcFinalize()) code = NS_EXIT_FAILED;
  NsArenaDestroy(&arena);
  return code;
}
