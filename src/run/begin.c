#include "run/begin.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include "core/out_of_memory.h"
#include "core/petsc_message.h"

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

PetscErrorCode NsBegin(int options, const char *const *option, NsArena *arena, const char **unused, char refusal[PETSC_MAX_PATH_LEN])
{
  static char name[] = "percuss", skip[] = "-skip_petscrc"; /* no options from files either */
  int         argc = options + 2;
  char      **argv = NsArenaAlloc(arena, sizeof(*argv) * (size_t)(argc + 1));

  PetscFunctionBegin;
  argv[0] = name;
  for (int i = 0; i < options; i++) argv[i + 1] = NsArenaCopy(arena, option[i], strlen(option[i]));
  argv[argc - 1] = skip;
  refusal[0]     = '\0';
  if (PetscPushErrorHandler(NsTraceBugs, NULL) || PetscPushErrorHandler(NsKeepMessage, refusal)) NsOutOfMemory();
  prepare_mpi();
  use_one_blas_thread();
  *unused                   = unset_petsc_environment(arena);
  const PetscErrorCode code = SlepcInitialize(&argc, &argv, NULL, NULL);
  if (code) PetscFunctionReturn(code);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPopSignalHandler()); /* PETSc would report a user's Ctrl-C as a crash */
  PetscFunctionReturn(0);
}
