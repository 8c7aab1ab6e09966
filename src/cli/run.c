/* percuss run CONFIG: the whole way from a config to results. */
#include <limits.h>
#include <unistd.h>
#include "arguments.h"
#include "cli.h"
#include "script.h"

/* Of whom a report is to be made when MPI has ended; "": none. */
static struct {
  char directory[PATH_MAX];
  bool quiet;
} reported;

static void print_warnings(const NsRun *run)
{
  char text[1024];

  for (int kind = 0; kind < NS_GUARD_KINDS; kind++) {
    NsGuardTell(run, (NsGuardKind)kind, text, sizeof(text));
    if (*text) printf("  warning: %s\n", text);
  }
}

static void print_summary(const NsRun *run)
{
  const NsLedger *ledger = &run->ledger;

  if (run->options.quiet || !run->writes) return;
  printf("%s: %lld steps to t = %g s in %.3f s (%.3g us a step, %.0f %% of it output)\n", run->name, (long long)run->steps_done, run->state.t,
    run->loop_seconds, run->steps_done ? 1e6 * run->loop_seconds / (double)run->steps_done : 0.0,
    run->loop_seconds > 0 ? 100 * run->writing_seconds / run->loop_seconds : 0.0);
  printf("  energy, J: start %.6g, end %.6g (kinetic %.6g, elastic %.6g, potential %.6g)\n", ledger->initial,
    ledger->now.kinetic + ledger->now.elastic + ledger->now.potential, ledger->now.kinetic, ledger->now.elastic, ledger->now.potential);
  printf("  taken by impacts %.6g, friction %.6g, damping %.6g; brought by loads %.6g; made by the scheme %.3g (at most %.3g)\n", ledger->impact,
    ledger->friction, ledger->damping, ledger->load, ledger->numerical, ledger->numerical_max);
  if (run->model->candidates) {
    PetscInt joints = 0;
    for (PetscInt i = 0; i < run->model->candidates; i++) joints += run->model->candidate[i].bilateral ? 1 : 0;
    printf("  contact: %lld impulsive step%s, deepest penetration%s %.3g m\n", (long long)run->impulsive_steps, run->impulsive_steps == 1 ? "" : "s",
      joints ? " or gap of a joint" : "", run->max_penetration);
  }
  print_warnings(run);
  printf("  results: %s\n", run->directory);
}

enum { WALL_LIMIT };
static NsCommandOption own[] = {[WALL_LIMIT] = {"--wall-limit", "TIME"}, {NULL}};
static double          wall_limit;

static bool check_options(void)
{
  return NsOptionDuration("run", &own[WALL_LIMIT], &wall_limit);
}

PetscErrorCode NsRunConfig(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun   *run;
  NsResume way = NS_RESUME_REFUSED;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(options, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    if (!run->scheme->type->bounded) PetscCall(NsRunCheckStep(run, PETSC_FALSE)); /* the others knew it before */
    if (!NsDiagErrors(diag)) NsRunJudgeStep(run, run->options.force ? PETSC_FALSE : PETSC_TRUE);
  }
  if (run->writes) NsDiagPrint(diag, stderr, NsColour(stderr));
  run->options.wall_limit = wall_limit;
  if (!NsDiagErrors(diag) && run->options.resume)
    PetscCall(NsResumeResults(run, &way));
  else if (!NsDiagErrors(diag) && NsClearResults("run", run))
    way = NS_RESUME_RUN;
  if (way != NS_RESUME_RUN)
    *code = way == NS_RESUME_COMPLETE ? NS_EXIT_DONE : run->exit == NS_EXIT_FAILED ? NS_EXIT_FAILED : NS_EXIT_INPUT;
  else {
    PetscCall(NsRunExecute(run));
    *code = (int)run->exit;
    if (run->failure[0] && run->writes) fprintf(stderr, "percuss run: %s\n", run->failure);
    if (run->exit != NS_EXIT_FAILED) print_summary(run);
    if (options->report && run->writes && access(NsRunPath(run, "run.json"), R_OK) == 0) {
      snprintf(reported.directory, sizeof(reported.directory), "%s", run->directory);
      reported.quiet = options->quiet ? true : false;
    }
  }
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

/* What a run left stays as it is, and its exit code is not touched: where no report can be made a warning says how to make it afterwards. */
static void make_report(void)
{
  NsArena    *arena  = NsArenaCreate();
  const char *script = NsScriptFind("report.py", arena);

  if (!script)
    fprintf(stderr, "percuss run: warning: no report: there is no report.py where the program was built, nor where it was installed\n");
  else if (!NsScriptCall(script, reported.directory, true))
    fprintf(stderr, "percuss run: warning: no report was made; the results are as the run left them. Later: %s %s %s\n", NsScriptPython(), script,
      reported.directory);
  else if (!reported.quiet)
    printf("  report: %s/report.html\n", reported.directory);
  NsArenaDestroy(&arena);
}

int NsCommandRun(int argc, char **argv)
{
  static const char *const allowed[] = {"--out", "--set", "--overwrite", "--resume", "--quiet", "--force", "--report", NULL};
  const int                code      = NsCommandOnConfig(argc, argv, allowed, own, check_options, NsRunConfig);

  if (!reported.directory[0]) return code;
  make_report();
  return NsFlushOutput(code);
}
