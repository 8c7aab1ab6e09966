/* percuss study STUDY: many runs of one config, in processes of their own; their table, orders of convergence, bifurcation data, figure. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "command.h"
#include "repeat.h"
#include "output/file.h"
#include "script.h"
#include "study/study.h"

enum { JOBS };

static NsOption options[] = {
  [JOBS] = {.name = "--jobs", .takes = "N", .about = "number of runs at a time (default: the number of cores)"},
  NS_OPTION_OUT,
  NS_OPTION_OVERWRITE,
  NS_OPTION_QUIET,
  NS_OPTION_FORCE,
  NS_OPTION_TRUST,
  {NULL},
};
static long jobs;

/* The directory ------------------------------------------------------------------------------------------------------------------------------------ */

/* An empty directory or one of a study. */
static bool may_use_directory(const NsStudy *study)
{
  const char *path = study->directory;

  switch (NsDirectoryLook(path, study->arena)) {
  case NS_DIRECTORY_FILE: fprintf(stderr, "percuss study: '%s' is a file; --out names a directory\n", path); return false;
  case NS_DIRECTORY_RESULTS:
  case NS_DIRECTORY_UNLISTED:
    fprintf(stderr, "percuss study: '%s' contains the results of a run, not of a study; use another directory: --out %s\n", path,
      NsDirectoryFreeName(path, study->arena));
    return false;
  case NS_DIRECTORY_UNKNOWN: fprintf(stderr, "percuss study: cannot read '%s': %s\n", path, strerror(errno)); return false;
  case NS_DIRECTORY_FOREIGN:
    fprintf(stderr,
      "percuss study: '%s' exists already and contains no results of a study (it has no " NS_FOLDER_LIST "); use another directory: --out %s\n", path,
      NsDirectoryFreeName(path, study->arena));
    return false;
  default: break;
  }
  return true;
}

/* Makes it, takes it for this process and its children alone, and writes study.json. Exit code. */
static int make_directory(NsStudy *study)
{
  static const char *const files[] = {"study.json", "study.csv", "times.csv", NULL};
  const char              *path    = study->directory;
  NsSink                  *sink    = NsArenaAlloc(study->arena, sizeof(*sink));

  *sink        = (NsSink){.arena = study->arena, .name = study->name, .directory = path, .writes = PETSC_TRUE};
  study->sink  = sink;
  sink->folder = NsFolderOpen(path, 0, true, NS_FOLDER_STUDY, study->arena);
  if (!sink->folder) {
    fprintf(stderr, "percuss study: cannot make the directory %s: %s\n", path, NsFolderWhy(errno));
    return NS_EXIT_FAILED;
  }
  if (!NsFolderLock(sink->folder)) {
    fprintf(stderr, "percuss study: another study writes into '%s'; use another: --out %s\n", path, NsDirectoryFreeName(path, study->arena));
    return NS_EXIT_INPUT;
  }
  if (!may_use_directory(study)) return NS_EXIT_INPUT; /* another may have been quicker */
  NsFileClaim(sink, files);
  NsFileMakeDirectory(sink, "runs");
  if (!sink->failure[0]) return NsStudyDescribe(study) ? NS_EXIT_DONE : NS_EXIT_FAILED;
  fprintf(stderr, "percuss study: %s\n", sink->failure);
  return NS_EXIT_FAILED;
}

/* Examination -------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  NsStudy *study;
  char (*fingerprint)[65]; /* [runs], shared with the process that examines */
} Examination;

static PetscErrorCode examine(void *context, int *code)
{
  const Examination *self = context;
  bool               good;

  PetscFunctionBegin;
  PetscCall(NsStudyExamine(self->study, &good));
  for (int i = 0; i < self->study->runs; i++) memcpy(self->fingerprint[i], self->study->run[i].fingerprint, sizeof(*self->fingerprint));
  *code = good ? NS_EXIT_DONE : NS_EXIT_INPUT;
  PetscFunctionReturn(0);
}

static int examine_apart(void *context)
{
  return NsCommandAlone(examine, context);
}

/* Exit code. Runs with one fingerprint are one. */
static int examine_all(NsStudy *study)
{
  const size_t size = sizeof(char[65]) * (size_t)study->runs;
  Examination  self = {study, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
  int          code;

  if (self.fingerprint == MAP_FAILED) {
    fprintf(stderr, "percuss study: %s\n", strerror(errno));
    return NS_EXIT_FAILED;
  }
  code = NsPoolCall(examine_apart, &self);
  for (int i = 0; i < study->runs && code == NS_EXIT_DONE; i++) {
    memcpy(study->run[i].fingerprint, self.fingerprint[i], sizeof(study->run[i].fingerprint));
  }
  if (code == NS_EXIT_DONE) NsStudyNameFolders(study);
  (void)munmap(self.fingerprint, size);
  if (code < 0) fprintf(stderr, "percuss study: killed by signal %d (%s) while checking the runs\n", -code, strsignal(-code));
  return code < 0 ? NS_EXIT_FAILED : code;
}

/* Runs --------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode run_row(void *context, int *code)
{
  const NsRunOptions *wanted = context;
  NsArena            *arena  = NsArenaCreate();

  PetscFunctionBegin;
  PetscCall(NsRunConfig(wanted, arena, NsDiagCreate(arena), code));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static int work(void *context, int number)
{
  NsRunOptions wanted = NsStudyRunOptions(context, number);

  return NsCommandAlone(run_row, &wanted);
}

/* "runs/NAME.log" */
static int open_log(const NsStudy *study, int number, int flags)
{
  const char *leaf, *name = NsArenaPrint(study->arena, "runs/%s.log", study->run[number].name);
  const int   at = NsFolderAt(study->sink->folder, name, &leaf);

  return at < 0 ? -1 : openat(at, leaf, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static int new_log(void *context, int number)
{
  return open_log(context, number, O_WRONLY | O_CREAT | O_TRUNC);
}

/* The last line of the messages of a run: the reason if there is no run.json. */
static const char *last_message(NsStudy *study, int number)
{
  const int   fd   = open_log(study, number, O_RDONLY);
  FILE       *file = fd < 0 ? NULL : fdopen(fd, "r");
  char        line[512];
  const char *last = "";

  while (file && fgets(line, sizeof(line), file)) {
    const size_t size = strcspn(line, "\n");
    if (size) last = NsArenaCopy(study->arena, line, size);
  }
  if (file) fclose(file);
  return last;
}

/* How a run ended: from run.json, or from the exit code if that is missing or, of a run that was refused, another's. */
static void ended(void *context, int number, int code)
{
  NsStudy    *study = context;
  NsStudyRun *run   = &study->run[number];

  run->state = NsStudyLook(run->directory, study->arena, &run->message, &run->seconds);
  if (code != NS_EXIT_STOPPED && (run->state == NS_ROW_MISSING || (run->state == NS_ROW_DONE && code != NS_EXIT_DONE))) {
    run->state   = NS_ROW_FAILED;
    run->message = code < 0 ? NsArenaPrint(study->arena, "killed by signal %d (%s)", -code, strsignal(-code))
                            : NsArenaPrint(study->arena, "exit code %d: %s", code, last_message(study, number));
  }
  if (run->state != NS_ROW_FAILED) (void)NsFolderRemoveFile(study->sink->folder, NsArenaPrint(study->arena, "runs/%s.log", run->name));
}

/* A run that stopped at a limit of its own has failed; it is missing only if the study was stopped. */
static void share_states(NsStudy *study, int stopped)
{
  for (int i = 0; i < study->runs; i++) {
    NsStudyRun *same = &study->run[study->run[i].same];

    if (!stopped && same->state == NS_ROW_MISSING) same->state = NS_ROW_FAILED;
    if (stopped && same->state == NS_ROW_MISSING) same->message = "";
    study->run[i].state   = same->state;
    study->run[i].message = same->message;
    study->run[i].seconds = same->seconds;
  }
}

/* A failure of the simulation would repeat itself; one of the machine ("cannot write ...: No space left on device") may be gone. */
static bool is_to_make(const NsStudy *study, NsStudyRun *run)
{
  run->state = study->options.overwrite ? NS_ROW_MISSING : NsStudyLook(run->directory, study->arena, &run->message, &run->seconds);
  if (run->state == NS_ROW_DONE) NsStudyTidy(run->directory);
  return run->state == NS_ROW_MISSING ||
         (run->state == NS_ROW_FAILED && (!strncmp(run->message, "cannot ", 7) || !strcmp(run->message, "out of memory")));
}

/* A run of a sweep starts once the one before it is done. */
static int ready(void *context, int number)
{
  NsStudy          *study  = context;
  NsStudyRun       *run    = &study->run[number];
  const NsStudyRun *before = run->after < 0 ? NULL : &study->run[study->run[run->after].same];

  if (!before || before->state == NS_ROW_DONE) return 1;
  if (before->state == NS_ROW_MISSING) return 0;
  run->state   = NS_ROW_FAILED;
  run->message = NsArenaPrint(study->arena, "run %d, from whose last state it starts, has failed", run->after + 1);
  return -1;
}

/* Makes missing runs. Returns the signal that stopped it, or 0. */
static int make_runs(NsStudy *study)
{
  int   *missing = NsArenaAlloc(study->arena, sizeof(int) * (size_t)study->runs), count = 0, distinct = 0, stopped;
  NsPool pool = {.jobs = (int)jobs,
    .quiet             = study->options.quiet,
    .context           = study,
    .work              = work,
    .log               = new_log,
    .ended             = ended,
    .ready             = ready,
    .name              = study->name};

  for (int pass = 0; pass < 2; pass++) { /* references are often the longest: first */
    for (int i = pass ? 0 : study->rows; i < (pass ? study->rows : study->runs); i++) {
      NsStudyRun *run = &study->run[i];

      if (run->same != i) continue;
      distinct++;
      if (is_to_make(study, run)) missing[count++] = i;
    }
  }
  if (count < distinct && !study->options.quiet) fprintf(stderr, "percuss study: %d of %d runs exist already\n", distinct - count, distinct);
  if (study->options.overwrite) (void)NsStudyOldRuns(study, true);
  stopped = NsPoolRun(&pool, count, missing);
  share_states(study, stopped);
  return stopped;
}

/* Results ------------------------------------------------------------------------------------------------------------------------------------------ */

static void measure_row(const NsStudy *study, int row, NsRunFiles *reference, const char **reported)
{
  const NsList *record = &study->settings.record;
  NsStudyRun   *run    = &study->run[row];
  NsRunFiles   *files  = NsRunFilesOpen(run->directory);

  for (int q = 0; q < record->count; q++) {
    const char *why = NULL;

    run->result[q] = NsQuantityMeasure((const NsQuantity *)record->items + q, files, reference, files->arena, &why);
    if (!why || reported[q]) continue;
    reported[q] = record->names[q];
    fprintf(stderr, "percuss study: run %d has no '%s': %s\n", row + 1, record->names[q], why);
  }
  NsRunFilesClose(&files);
}

/* If a quantity cannot be measured, the first reason is printed. Rows mostly share a reference, whose tables are kept from one row to the next. */
static void measure_rows(NsStudy *study)
{
  const char **reported  = NsArenaAlloc(study->arena, sizeof(*reported) * (size_t)study->settings.record.count);
  NsRunFiles  *reference = NULL;
  int          open      = -1;

  for (int i = study->rows; i < study->runs; i++) {
    if (study->run[i].state == NS_ROW_FAILED) fprintf(stderr, "percuss study: %s failed: %s\n", NsStudyRunName(study, i), study->run[i].message);
  }
  for (int row = 0; row < study->rows; row++) {
    const int of = study->run[row].reference;

    if (study->run[row].state != NS_ROW_DONE) continue;
    if (of != open) {
      NsRunFilesClose(&reference);
      open = of;
      if (of >= 0 && study->run[of].state == NS_ROW_DONE) reference = NsRunFilesOpen(study->run[of].directory);
    }
    measure_row(study, row, reference, reported);
  }
  NsRunFilesClose(&reference);
}

static void draw_figure(const NsStudy *study)
{
  const char *script = NsScriptFind("study.py", study->arena);

  if (script && NsScriptCall(script, study->directory, false))
    printf("  figure: %s/study.png\n", study->directory);
  else
    printf("  to draw it: %s %s %s\n", NsScriptPython(), script ? script : "postprocess/study.py", study->directory);
}

static int count_state(const NsStudy *study, NsRowState state)
{
  int count = 0;

  for (int row = 0; row < study->rows; row++) count += study->run[row].state == state;
  return count;
}

static int finish(NsStudy *study, int stopped)
{
  const int missing = count_state(study, NS_ROW_MISSING), failed = count_state(study, NS_ROW_FAILED);
  bool      good;

  measure_rows(study);
  good = NsStudyWrite(study);
  if (good && !study->options.quiet) {
    const int done = study->rows - missing - failed;

    printf("%s: %d %s done", study->settings.title ? study->settings.title : study->name, done, NsPlural(done, "run", "runs"));
    if (failed) printf(", %d failed", failed);
    if (missing) printf(", %d missing", missing);
    fputc('\n', stdout);
    NsStudyPrint(study, stdout);
  }
  FILE *out = study->options.quiet ? fopen("/dev/null", "w") : stdout;
  if (good && study->settings.convergence) good = NsStudyOrders(study, out ? out : stderr);
  if (good && study->settings.bifurcation) good = NsStudySamples(study, out ? out : stderr);
  if (out && out != stdout) fclose(out);
  if (good && !study->options.quiet) {
    const int old = NsStudyOldRuns(study, false);
    printf("\n  results: %s/study.csv\n", study->directory);
    if (old) printf("  runs/ contains %d more from earlier versions of the study; --overwrite removes them and repeats all runs\n", old);
    if (!stopped) draw_figure(study);
  }
  if (stopped) fprintf(stderr, "percuss study: stopped by a signal; the same command continues with the missing runs\n");
  return !good ? NS_EXIT_FAILED : stopped ? NS_EXIT_STOPPED : failed ? NS_EXIT_FAILED : NS_EXIT_DONE;
}

/* Results of others are treated as data: their config must not load code. */
static bool may_use_config(const NsStudy *study)
{
  const NsRunRecord *record = study->options.trust ? NULL : NsRepeatLook(study->config, study->arena, study->diag);

  if (record) NsRepeatAskForTrust(record, study->arena, study->diag);
  return NsDiagErrors(study->diag) == 0;
}

static int call(const NsArguments *arguments)
{
  NsArena  *arena = arguments->arena;
  NsStudy   study = {.arena = arena, .diag = NsDiagCreate(arena), .path = arguments->word[0], .options = arguments->options};
  cpu_set_t cores;
  int       code;

  jobs = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1; /* those that this process may use */
  if (!NsOptionCount("study", &options[JOBS], 1, 1024, &jobs)) return NS_EXIT_INPUT;
  if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE")) {
    fprintf(stderr, "percuss study: a study starts its own processes, one for each run; call it without mpiexec\n");
    return NS_EXIT_INPUT;
  }
  if (!NsStudyRead(&study) || !may_use_config(&study)) {
    NsDiagPrint(study.diag, stderr, NsColour(stderr));
    return NS_EXIT_INPUT;
  }
  study.directory = study.options.directory ? study.options.directory : NsArenaPrint(arena, "out/%s", study.name);
  if (!may_use_directory(&study)) return NS_EXIT_INPUT;
  code = examine_all(&study);
  if (code != NS_EXIT_DONE) return code;
  code = make_directory(&study);
  if (code == NS_EXIT_DONE) code = finish(&study, make_runs(&study));
  NsFolderClose(&study.sink->folder);
  return code;
}

const NsCommand NsCommand_Study = {
  .name    = "study",
  .words   = "STUDY",
  .options = options,
  .about   = "run a config for many values of its keys: table, convergence orders, bifurcation data, figure",
  .description =
    "STUDY is a YAML file that names a config and the keys to vary (percuss explain study). Each run is a process of its own; a run that fails is a row of the table with the reason, and "
    "makes the exit code 1. If the study is called again, only missing runs are made.\n"
    "\n"
    "Writes into out/NAME: study.csv, study.png, convergence.csv and bifurcation.csv if the study asks for them, and each run in a folder of its own.",
  .examples = "study configs/studies/oscillator_orders.yaml --jobs 2",
  .call     = call,
};
