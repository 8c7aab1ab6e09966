/* Starting and ending PETSc around the work of a command. */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <slepcsys.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "core/crash.h"
#include "core/out_of_memory.h"
#include "core/petsc_message.h"
#include "repeat.h"

bool NsColour(FILE *file)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

  return isatty(fileno(file)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

/* Whether a launcher (mpiexec, srun ...) started this process, perhaps as one of several: it sets such a variable. */
static bool is_launched(void)
{
  static const char *const numbers[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD", "SLURM_PROCID", NULL};

  for (int i = 0; numbers[i]; i++) {
    if (getenv(numbers[i])) return true;
  }
  return false;
}

/* Environment variables that the user has not set. */
static void set_defaults(size_t count, const char *const (*variable)[2])
{
  for (size_t i = 0; i < count; i++) {
    if (setenv(variable[i][0], variable[i][1], 0)) NsOutOfMemory();
  }
}

/*
  Turns off what Open MPI does at its start and percuss does not need, unless the user's environment says otherwise; another MPI ignores these variables.

  - It examines the machine and asks X servers for graphics cards: slow over a network, and fatal when the server is just going down.
  - A process without a launcher starts a daemon, through which it could start others: half the time of a start. Without the daemon it must not make a directory for shared
    memory either: all such processes use the same name, and some of those that start at once would fail (14 of 600, eight at a time).
  - It loads every transport to find out which one works: a single process needs only the one to itself.
*/
static void prepare_mpi(void)
{
  static const char *const always[][2] = {{"HWLOC_COMPONENTS", "-gl"}};
  static const char *const alone[][2]  = {
     {"OMPI_MCA_ess_singleton_isolated", "1"}, {"OMPI_MCA_orte_create_session_dirs", "0"}, {"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "self"}};

  set_defaults(sizeof(always) / sizeof(always[0]), always);
  if (!is_launched()) set_defaults(sizeof(alone) / sizeof(alone[0]), alone);
}

/* Some BLAS split sums among threads, one for each core: the last bits of a run would depend on the machine. The matrices here are too small to gain from threads. */
static void use_one_blas_thread(void)
{
  static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};

  for (int i = 0; i < 2; i++) {
    void (*set_threads)(int);
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, names[i]); /* POSIX's way: C has no cast from a pointer to data */
    if (set_threads) set_threads(1);
  }
}

/* PETSc would take options from these variables too, and a run would depend on who starts it. Returns the last one that was set, as NAME=VALUE; NULL: none. */
static const char *unset_petsc_environment(NsArena *arena)
{
  static const char *const names[] = {"PETSC_OPTIONS", "PETSC_OPTIONS_YAML"};
  const char              *found   = NULL;

  for (int i = 0; i < 2; i++) {
    const char *value = getenv(names[i]);

    if (value && *value) found = NsArenaPrint(arena, "%s='%s'", names[i], value);
    (void)unsetenv(names[i]);
  }
  return found;
}

static PetscErrorCode start(const NsRunOptions *options, NsArena *arena)
{
  static char name[] = "percuss", skip[] = "-skip_petscrc"; /* no options from files either */
  int         argc = options->petsc_options + 2;
  char      **argv = NsArenaAlloc(arena, sizeof(*argv) * (size_t)(argc + 1));

  argv[0] = name;
  for (int i = 0; i < options->petsc_options; i++) argv[i + 1] = NsArenaCopy(arena, options->petsc_option[i], strlen(options->petsc_option[i]));
  argv[argc - 1] = skip;
  (void)uselocale(newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)); /* numbers are written and read with a point, whatever the user's language */
  PetscFunctionBegin;
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;
  if (PetscPushErrorHandler(NsTraceBugs, NULL) || PetscPushErrorHandler(NsKeepMessage, message)) NsOutOfMemory();
  prepare_mpi();
  use_one_blas_thread();
  const char *unused = unset_petsc_environment(arena);
  code               = SlepcInitialize(&argc, &argv, NULL, NULL);
  if (code) {
    fprintf(stderr, "percuss: PETSc refuses the options after '--': %s\n", message[0] ? message : "no reason given");
    exit(NS_EXIT_INPUT);
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPopSignalHandler()); /* PETSc would report a user's Ctrl-C as a crash */
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
