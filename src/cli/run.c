/* percuss run CONFIG: from a config to results. */
#include <limits.h>
#include <unistd.h>
#include "command.h"
#include "results.h"
#include "script.h"

/* The results of which a report is made after MPI has ended; "": none. */
static struct {
  char directory[PATH_MAX];
  bool quiet;
} reported;

static void print_warnings(const NsRun *run)
{
  char text[1024];

  for (int kind = 0; kind < NS_GUARD_KINDS; kind++) {
    NsGuardMessage(run, (NsGuardKind)kind, text, sizeof(text));
    if (*text) printf("  warning: %s\n", text);
  }
}

static void print_summary(NsRun *run)
{
  const NsRunFigures *figures = NsRunGetFigures(run);
  const NsModel      *model   = NsRunModel(run);
  const NsLedger     *ledger  = NsRunLedger(run);
  const NsSink       *sink    = NsRunSink(run);
  PetscBool           joints  = PETSC_FALSE;

  if (NsRunGetOptions(run)->quiet || !sink->writes) return;
  printf("%s: %lld step%s to t = %g s in %.3f s (%.3g us per step, %.0f %% of it output)\n", sink->name, (long long)figures->steps,
    figures->steps == 1 ? "" : "s", NsRunState(run)->t, figures->loop_seconds,
    figures->steps ? 1e6 * figures->loop_seconds / (double)figures->steps : 0.0,
    figures->loop_seconds > 0 ? 100 * figures->writing_seconds / figures->loop_seconds : 0.0);
  printf("  energy, J: start %.6g, end %.6g (kinetic %.6g, elastic %.6g, potential %.6g)\n", ledger->initial,
    ledger->now.kinetic + ledger->now.elastic + ledger->now.potential, ledger->now.kinetic, ledger->now.elastic, ledger->now.potential);
  printf("  dissipated by impacts %.6g, friction %.6g, damping %.6g; external work %.6g; numerical energy error %.3g (at most %.3g)\n",
    ledger->impact, ledger->friction, ledger->damping, ledger->external, ledger->numerical, ledger->numerical_max);
  for (PetscInt i = 0; i < model->candidates; i++) joints = joints || model->candidate[i].bilateral;
  if (model->candidates)
    printf("  contact: %lld impulsive step%s, deepest penetration%s %.3g m\n", (long long)figures->impulsive_steps,
      figures->impulsive_steps == 1 ? "" : "s", joints ? " or gap of a joint" : "", figures->max_penetration);
  print_warnings(run);
  printf("  results: %s\n", sink->directory);
}

enum { WALL_LIMIT };

static NsOption options[] = {
  [WALL_LIMIT] = {.name = "--wall-limit",
    .takes              = "TIME",
    .about              = "stop with a checkpoint after this wall-clock time, such as \"8 h\" (exit code 3)"},
  NS_OPTION_OUT,
  NS_OPTION_SET,
  NS_OPTION_OVERWRITE,
  {.name = "--resume", .about = "continue from the newest checkpoint; the results are the same, byte for byte, as those of an uninterrupted run"},
  NS_OPTION_QUIET,
  NS_OPTION_FORCE,
  NS_OPTION_TRUST,
  {.name = "--report", .about = "write report.html into the results, a page with key figures and plots (needs Python with numpy and matplotlib)"},
  {NULL},
};
static double wall_limit;

/* Its size, from the planned steps. */
static PetscErrorCode judge_output(NsRun *run)
{
  double bytes = 0;

  PetscFunctionBegin;
  PetscCall(NsRunBytes(run, (double)NsRunPlannedSteps(run), &bytes));
  NsRunJudgeBytes(run, bytes);
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunConfig(const NsRunOptions *wanted, NsArena *arena, NsDiag *diag, int *code)
{
  NsRunOptions limited = *wanted;
  NsResume     resume  = NS_RESUME_REFUSED;
  NsRun       *run;

  PetscFunctionBegin;
  limited.wall_limit = wall_limit;
  PetscCall(NsRunCreate(&limited, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    if (!NsRunScheme(run)->type->bounded) PetscCall(NsRunCheckStep(run, PETSC_FALSE)); /* NsRunCreate has done it for the others */
    if (!NsDiagErrors(diag)) PetscCall(NsRunJudgeStep(run, !NsRunGetOptions(run)->force));
    if (!NsDiagErrors(diag) && !NsRunGetOptions(run)->resume) PetscCall(judge_output(run));
  }
  if (NsRunSink(run)->writes) NsDiagPrint(diag, stderr, NsColour(stderr));
  if (!NsDiagErrors(diag) && NsRunGetOptions(run)->resume)
    PetscCall(NsResumeResults(run, &resume));
  else if (!NsDiagErrors(diag) && NsClearResults("run", run))
    resume = NS_RESUME_RUN;
  if (resume != NS_RESUME_RUN)
    *code = resume == NS_RESUME_COMPLETE ? NS_EXIT_DONE : NsRunExit(run) == NS_EXIT_FAILED ? NS_EXIT_FAILED : NS_EXIT_INPUT;
  else {
    if (*NsRunStartedFrom(run) && !wanted->quiet && NsRunSink(run)->writes) fprintf(stderr, "percuss run: %s\n", NsRunStartedFrom(run));
    PetscCall(NsRunExecute(run));
    *code = (int)NsRunExit(run);
    if (*NsRunMessage(run) && NsRunSink(run)->writes) fprintf(stderr, "percuss run: %s\n", NsRunMessage(run));
    if (NsRunExit(run) != NS_EXIT_FAILED) print_summary(run);
    if (wanted->report && NsRunSink(run)->writes && access(NsSinkPath(NsRunSink(run), "run.json"), R_OK) == 0) {
      snprintf(reported.directory, sizeof(reported.directory), "%s", NsRunSink(run)->directory);
      reported.quiet = wanted->quiet;
    }
  }
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

/* A failure changes neither the results nor the exit code: a warning says how to make the report afterwards. */
static void make_report(void)
{
  NsArena    *arena  = NsArenaCreate();
  const char *script = NsScriptFind("report.py", arena);

  if (!script)
    fprintf(stderr, "percuss run: warning: no report: report.py was found neither in the source tree of the program nor in its installation\n");
  else if (!NsScriptCall(script, reported.directory, true))
    fprintf(stderr, "percuss run: warning: no report was made; the results are unchanged. To make it later: %s %s %s\n", NsScriptPython(), script,
      reported.directory);
  else if (!reported.quiet)
    printf("  report: %s/report.html\n", reported.directory);
  NsArenaDestroy(&arena);
}

static int call(const NsArguments *arguments)
{
  int code;

  if (!NsOptionDuration("run", &options[WALL_LIMIT], &wall_limit)) return NS_EXIT_INPUT;
  if (arguments->options.resume && arguments->options.overwrite) {
    fprintf(stderr, "percuss run: --resume continues a run and --overwrite replaces it: give one of them\n");
    return NS_EXIT_INPUT;
  }
  code = NsCommandOnConfig(arguments, NsRunConfig);
  if (reported.directory[0]) make_report();
  return code;
}

const NsCommand NsCommand_Run = {
  .name    = "run",
  .words   = "CONFIG",
  .options = options,
  .petsc   = true,
  .about   = "run a config and write its results",
  .description =
    "CONFIG is a YAML file, or the results of an earlier run: their directory, or the run.json or config.yaml in it. That run is repeated with its config, name, PETSc options and "
    "--force, into a directory beside it (out/NAME_2). On the same machine the same program writes the same bytes, except for times in run.json and status.json. A config, "
    "mesh or plugin that has changed since is an error; another version, CPU or number of processes is a warning.\n"
    "\n"
    "Ctrl-C, SIGTERM and --wall-limit stop a run with a checkpoint (exit code 3). SIGUSR1 writes one, and by default one is written every ten minutes (output.checkpoints); the two newest "
    "are kept. --resume continues from the newest one. It starts the run if there are no results yet, and does nothing if the run is done, so that one command line serves a job "
    "that is started again and again. A run that is done keeps its last state: with a later time.end, --resume continues it; limits and outputs may change, too.\n"
    "\n"
    "Options after -- are PETSc's. PETSC_OPTIONS in the environment and .petscrc are not used.",
  .examples = "run my_bar.yaml --set scheme.step=\"0.5 us\" --out out/fine\n"
              "run out/fine\n"
              "run my_bar.yaml --resume --wall-limit \"8 h\"\n"
              "run my_bar.yaml -- -ksp_type cg -pc_type jacobi",
  .call     = call,
};
