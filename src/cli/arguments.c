#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <slepcsys.h>
#include <string.h>
#include <unistd.h>
#include "arguments.h"
#include "cli.h"
#include "core/crash.h"
#include "core/out_of_memory.h"
#include "core/petsc_message.h"
#include "repeat.h"

typedef struct {
  NsRunOptions options; /* with PETSc's options */
  NsRunRecord *again;   /* results that are run again; NULL: none */
} Arguments;

bool NsColour(FILE *file)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

  return isatty(fileno(file)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

/* All options a command has, in one list. */
static const char *const *all_options(const char *const *allowed, const NsCommandOption *own, NsArena *arena)
{
  size_t       count = 0;
  const char **all;

  for (size_t i = 0; allowed[i]; i++) count++;
  for (size_t i = 0; own && own[i].name; i++) count++;
  all   = NsArenaAlloc(arena, sizeof(*all) * (count + 1));
  count = 0;
  for (size_t i = 0; own && own[i].name; i++) all[count++] = own[i].name;
  for (size_t i = 0; allowed[i]; i++) all[count++] = allowed[i];
  return all;
}

static bool complain_unknown(const char *command, const char *word, const char *const *allowed)
{
  const char *near = NsNearestWord(word, allowed);

  fprintf(stderr, "percuss %s: unknown option '%s'%s%s%s\n", command, word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  fprintf(stderr, "  options:");
  for (int i = 0; allowed[i]; i++) fprintf(stderr, " %s", allowed[i]);
  fprintf(stderr, "\n");
  return false;
}

static bool is_allowed(const char *word, const char *const *allowed)
{
  for (int i = 0; allowed[i]; i++) {
    if (!strcmp(word, allowed[i])) return true;
  }
  return false;
}

static NsCommandOption *find_own(const char *word, NsCommandOption *own)
{
  for (; own && own->name; own++) {
    if (!strcmp(word, own->name)) return own;
  }
  return NULL;
}

/* "--out=DIR" is taken apart: *word becomes the option, and the value is returned; NULL: there is none. */
static const char *split_option(const char **word, NsArena *arena)
{
  const char *value = strncmp(*word, "--", 2) ? NULL : strchr(*word, '=');

  if (!value) return NULL;
  *word = NsArenaCopy(arena, *word, (size_t)(value - *word));
  return value + 1;
}

static bool complain_no_value(const char *command, const char *word, const char *stands_for)
{
  fprintf(stderr, "percuss %s: %s needs a value: %s %s\n", command, word, word, stands_for);
  return false;
}

bool NsCommandWords(int argc, char **argv, NsCommandOption *own, int most, const char **word, int *words)
{
  static const char *const none[] = {NULL};
  NsArena                 *arena  = NsArenaCreate();
  bool                     good   = true;

  *words = 0;
  for (int i = 1; i < argc && good; i++) {
    const char      *option = argv[i], *value;
    NsCommandOption *mine;

    if (option[0] != '-' || !option[1]) {
      good = *words < most;
      if (good)
        word[(*words)++] = option;
      else
        fprintf(stderr, "percuss %s: '%s' is one too many\n", argv[0], option);
      continue;
    }
    value = split_option(&option, arena);
    mine  = find_own(option, own);
    if (!mine) {
      good = complain_unknown(argv[0], option, all_options(none, own, arena));
      continue;
    }
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value || !*value) good = complain_no_value(argv[0], option, mine->stands_for);
    mine->value = value;
  }
  NsArenaDestroy(&arena);
  return good;
}

/* False, after a message on stderr, when something is wrong. */
static bool read_arguments(int argc, char **argv, const char *kind, const char *example, const char *const *allowed, NsCommandOption *own,
  NsArena *arena, Arguments *arguments)
{
  NsRunOptions *options = &arguments->options;
  const char  **set     = NsArenaAlloc(arena, sizeof(*set) * (size_t)argc);
  const char   *command = argv[0];

  allowed = all_options(allowed, own, arena);
  memset(arguments, 0, sizeof(*arguments));
  options->set = set;
  for (int i = 1; i < argc; i++) {
    const char      *word = argv[i], *value;
    NsCommandOption *mine;
    if (!strcmp(word, "--")) {
      options->petsc_option  = (const char *const *)argv + i + 1;
      options->petsc_options = argc - i - 1;
      if (i + 1 < argc && argv[i + 1][0] != '-') {
        fprintf(stderr, "percuss %s: after '--' come PETSc options, which begin with '-'; '%s' does not\n", command, argv[i + 1]);
        return false;
      }
      break;
    }
    if (word[0] != '-' || !word[1]) {
      if (options->config_path) {
        fprintf(stderr, "percuss %s: one %s at a time: '%s' and '%s'\n", command, kind, options->config_path, word);
        return false;
      }
      options->config_path = word;
      continue;
    }
    value = split_option(&word, arena);
    if (!is_allowed(word, allowed)) return complain_unknown(command, word, allowed);
    mine = find_own(word, own);
    if (mine || !strcmp(word, "--out") || !strcmp(word, "--set")) {
      if (!value && i + 1 < argc) value = argv[++i];
      if (!value || !*value) return complain_no_value(command, word, mine ? mine->stands_for : !strcmp(word, "--out") ? "DIR" : "KEY=VALUE");
      if (mine)
        mine->value = value;
      else if (!strcmp(word, "--out"))
        options->directory = value;
      else
        set[options->sets++] = value;
      continue;
    }
    if (value) {
      fprintf(stderr, "percuss %s: %s takes no value\n", command, word);
      return false;
    }
    if (!strcmp(word, "--overwrite")) options->overwrite = PETSC_TRUE;
    if (!strcmp(word, "--quiet")) options->quiet = PETSC_TRUE;
    if (!strcmp(word, "--force")) options->force = PETSC_TRUE;
    if (!strcmp(word, "--resume")) options->resume = PETSC_TRUE;
    if (!strcmp(word, "--report")) options->report = PETSC_TRUE;
  }
  if (!options->config_path) {
    fprintf(stderr, "percuss %s: which %s? Such as: percuss %s %s\n", command, kind, command, example);
    return false;
  }
  return true;
}

/* Whether a launcher (mpiexec, srun ...) started this process, perhaps as one of several: it tells the process its number. */
static bool is_launched(void)
{
  static const char *const numbers[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD", "SLURM_PROCID", NULL};

  for (int i = 0; numbers[i]; i++) {
    if (getenv(numbers[i])) return true;
  }
  return false;
}

/* Environment variables that the user has not set himself. */
static void set_defaults(size_t count, const char *const (*variable)[2])
{
  for (size_t i = 0; i < count; i++) {
    if (setenv(variable[i][0], variable[i][1], 0)) NsOutOfMemory();
  }
}

/*
  What Open MPI does at its start beyond need, turned off unless the user's environment says otherwise; another MPI does not look at these.

  - It looks over the machine and asks X servers for graphics cards: slow over a network, and fatal when the server is just going down.
  - A process started by no launcher starts a daemon, through which it could start others: half the time of a start. Without one it must not make a directory
    for shared memory either: that has the same name in all such processes, and of those that start at once some would fail (14 of 600, eight at a time).
  - It loads every transport that it has to see which would do: a process alone needs none but the one to itself.
*/
static void prepare_mpi(void)
{
  static const char *const always[][2] = {{"HWLOC_COMPONENTS", "-gl"}};
  static const char *const alone[][2]  = {
     {"OMPI_MCA_ess_singleton_isolated", "1"}, {"OMPI_MCA_orte_create_session_dirs", "0"}, {"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "self"}};

  set_defaults(sizeof(always) / sizeof(always[0]), always);
  if (!is_launched()) set_defaults(sizeof(alone) / sizeof(alone[0]), alone);
}

/* Some BLAS share sums among threads, as many as there are cores: the last bits of a run would depend on the machine's. Matrices here are too small to gain by it. */
static void calm_blas(void)
{
  static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};

  for (int i = 0; i < 2; i++) {
    void (*set_threads)(int);
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, names[i]); /* as POSIX has it: C has no cast for it */
    if (set_threads) set_threads(1);
  }
}

/* PETSc would take options from these too, and a run would depend on who starts it. Returns the one that somebody may have meant, as NAME=VALUE; NULL: there is none. */
static const char *forget_petsc_environment(NsArena *arena)
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
  static char name[] = "percuss", skip[] = "-skip_petscrc"; /* nor from files */
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
  calm_blas();
  const char *forgotten = forget_petsc_environment(arena);
  code                  = SlepcInitialize(&argc, &argv, NULL, NULL);
  if (code) {
    fprintf(stderr, "percuss: PETSc refuses the options after '--': %s\n", message[0] ? message : "it does not say why");
    exit(NS_EXIT_INPUT);
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPopSignalHandler()); /* a user's Ctrl-C is no crash */
  NsCrashTell();
  if (forgotten && PetscGlobalRank == 0)
    fprintf(stderr, "percuss: warning: %s in the environment is not used; options of PETSc go after '--'\n", forgotten);
  if (PetscGlobalRank && !freopen("/dev/null", "w", stdout)) exit(NS_EXIT_FAILED); /* the first process speaks for all */
  PetscFunctionReturn(0);
}

static PetscErrorCode report_unused_options(const NsRunOptions *options)
{
  PetscInt count;
  char   **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  for (PetscInt i = 0; options->petsc_options && PetscGlobalRank == 0 && i < count; i++)
    fprintf(stderr, "percuss: warning: PETSc option -%s was used by nothing; is it spelled right?\n", names[i]);
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscCall(
    PetscOptionsSetValue(NULL, "-options_left", "no")); /* said once; PETSc would say it again at the end, where it reads options like -log_view */
  PetscFunctionReturn(0);
}

int NsFlushOutput(int code)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "percuss: cannot write to standard output: %s\n", strerror(errno));
  if (!freopen("/dev/null", "w", stdout)) return NS_EXIT_FAILED; /* PETSc flushes it again, and would end with a traceback */
  return NS_EXIT_FAILED;
}

/* Results in place of a config: those are run again. False after a message. */
static bool look_for_results(const char *command, Arguments *arguments, NsArena *arena, NsDiag *diag)
{
  arguments->again = NsRepeatLook(arguments->options.config_path, arena, diag);
  if (arguments->again) (void)NsRepeatPrepare(arguments->again, !strcmp(command, "run"), &arguments->options, arena, diag);
  if (NsDiagErrors(diag) == 0) return true;
  NsDiagPrint(diag, stderr, NsColour(stderr));
  return false;
}

int NsCommandOnConfig(int argc, char **argv, const char *const *allowed, NsCommandOption *own, bool (*check)(void),
  PetscErrorCode (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code))
{
  NsArena  *arena = NsArenaCreate();
  NsDiag   *diag  = NsDiagCreate(arena);
  Arguments arguments;
  int       code = NS_EXIT_INPUT;

  if (read_arguments(argc, argv, "config", "configs/elastic_bar.yaml", allowed, own, arena, &arguments) && (!check || check()) &&
      look_for_results(argv[0], &arguments, arena, diag)) {
    const NsRunOptions *options = &arguments.options;
    /* An error code is a bug: PETSc has printed where. */
    if (start(options, arena) || (arguments.again && NsRepeatWarn(arguments.again, diag)) || work(options, arena, diag, &code) ||
        report_unused_options(options))
      code = NS_EXIT_FAILED;
    code = NsFlushOutput(code);
    if (SlepcFinalize()) code = NS_EXIT_FAILED;
  }
  NsArenaDestroy(&arena);
  return code;
}

int NsCommandOnFile(int argc, char **argv, const char *kind, const char *example, const char *const *allowed, NsCommandOption *own,
  bool (*check)(void), int (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag))
{
  NsArena  *arena = NsArenaCreate();
  NsDiag   *diag  = NsDiagCreate(arena);
  Arguments arguments;
  int       code = NS_EXIT_INPUT;

  if (read_arguments(argc, argv, kind, example, allowed, own, arena, &arguments) && (!check || check())) {
    if (arguments.options.petsc_options > 0)
      fprintf(stderr, "percuss %s: takes no PETSc options\n", argv[0]);
    else
      code = work(&arguments.options, arena, diag);
  }
  NsArenaDestroy(&arena);
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
