/* percuss orbit CONFIG: a periodic orbit with its multipliers; over a key of the config, branches of orbits with their bifurcations. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "core/text.h"
#include "orbit/orbit.h"
#include "output/settings.h"
#include "orbit_files.h"
#include "orbit_keep.h"
#include "results.h"

enum { OVER, TIMES, SETTLE, POINTS, STARTS, SWITCH, NS_SETTINGS };

static NsOption options[] = {
  [OVER]   = {.name = "--over",
      .takes        = "KEY=FROM:TO",
      .about        = "follow the orbit over a key of the config, such as loads.shaker.time.harmonic.frequency=\"30 Hz:90 Hz\" (default: orbit.over)"},
  [TIMES]  = {.name = "--times", .takes = "N", .about = "period of the orbit in periods of the forcing (default: orbit.times)"},
  [SETTLE] = {.name = "--settle",
    .takes          = "N",
    .about          = "simulated periods before Newton's method (default: orbit.settle); models without a periodic load are simulated to time.end"},
  [POINTS] = {.name = "--points", .takes = "N", .about = "most points of a branch (default: orbit.points)"},
  [STARTS] = {.name = "--starts", .takes = "N", .about = "number of further initial states from which orbits are searched (default: orbit.starts)"},
  [SWITCH] = {.name = "--switch",
    .takes          = "NAME,NAME...",
    .about          = "bifurcations whose other branch is followed, too, such as flip_1 (default: orbit.switch)"},
  NS_OPTION_OUT,
  NS_OPTION_TRUST,
  NS_OPTION_SET,
  NS_OPTION_OVERWRITE,
  {.name = "--resume", .about = "continue from the newest checkpoint; the results are the same, byte for byte, as those of an uninterrupted run"},
  NS_OPTION_QUIET,
  {NULL},
};

/* What is computed. Values of the key are numbers in the unit of its range. */
typedef struct {
  NsRunOptions run;  /* of the config, with room for one more --set */
  const char **set;  /* [run.sets + 1] */
  const char  *key;  /* NULL: one orbit */
  const char  *unit; /* "Hz"; "" */
  double       from, to;
  double       forcing_period;
  const char  *kept; /* orbit.checkpoint; NULL: it is computed from the beginning */
  size_t       kept_size;
  PetscInt     mode;               /* of a backbone curve, whose key is `energy`; 0: none */
  bool         resumes, resumable; /* --resume; there is such a file now */
  NsArena     *arena;
} Task;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
  (void)signal;
  interrupted = 1;
}

static PetscBool is_interrupted(void)
{
  return interrupted != 0;
}

/* ---- what is asked for ----------------------------------------------------------------------------------------------------------------------------------------- */

/* "30 Hz": number and unit. */
static bool split(NsArena *arena, const char *text, size_t length, double *number, const char **unit)
{
  const char *copy = NsArenaCopy(arena, text, length);
  char       *end;

  *number = strtod(copy, &end);
  if (end == copy || !isfinite(*number)) return false;
  while (*end == ' ') end++;
  *unit = end;
  for (size_t n = strlen(end); n > 0 && end[n - 1] == ' '; n--) end[n - 1] = '\0';
  return true;
}

static bool read_range(Task *task, const char *from, size_t length, const char *to)
{
  const char *other;

  if (!split(task->arena, from, length, &task->from, &task->unit) || !split(task->arena, to, strlen(to), &task->to, &other)) {
    fprintf(stderr, "percuss orbit: the range of '%s' needs two numbers, such as \"30 Hz:90 Hz\"\n", task->key);
    return false;
  }
  if (strcmp(task->unit, other)) {
    fprintf(stderr, "percuss orbit: the range of '%s' has two units, '%s' and '%s': give both ends in the same\n", task->key, task->unit, other);
    return false;
  }
  if (task->from == task->to) fprintf(stderr, "percuss orbit: the range of '%s' is empty\n", task->key);
  return task->from != task->to;
}

/* The key `energy`, or `energy.2` for the second mode: a backbone curve. False after a message. */
static bool read_mode(Task *task, const NsOrbitSettings *settings)
{
  char *end = "";

  if (strcmp(task->key, "energy") != 0 && strncmp(task->key, "energy.", 7) != 0) return true;
  task->mode = task->key[6] ? (PetscInt)strtol(task->key + 7, &end, 10) : 1;
  if (*end || task->mode < 1) {
    fprintf(stderr, "percuss orbit: '%s': a backbone curve needs the key `energy` (mode 1) or, for mode 2, `energy.2`\n", task->key);
    return false;
  }
  if (strcmp(task->unit, "J") != 0 || !(task->from > 0) || !(task->to > 0)) {
    fprintf(stderr, "percuss orbit: the range of `energy` needs two positive numbers in J, such as \"0.001 J:1 J\"\n");
    return false;
  }
  if (settings->circular || settings->starts || settings->times > 1) {
    fprintf(stderr, "percuss orbit: backbone curves (`energy`) cannot be combined with `circular`, `starts` or `times`\n");
    return false;
  }
  return true;
}

/* The options as settings of the config, so that the config.yaml among the results has them: orbit.points=200. NULL: no such option. */
static const char *setting_of(int option, NsArena *arena)
{
  static const char *const form[] = {[TIMES] = "orbit.times=%s",
    [SETTLE]                                 = "orbit.settle=%s",
    [POINTS]                                 = "orbit.points=%s",
    [STARTS]                                 = "orbit.starts=%s",
    [SWITCH]                                 = "orbit.switch=[%s]"};
  const char              *text   = options[option].value;

  if (!text) return NULL;
  if (option != OVER) return NsArenaPrint(arena, form[option], text);
  const char *equal = strchr(text, '='), *colon = equal ? strchr(equal, ':') : NULL;
  if (colon && equal > text)
    return NsArenaPrint(
      arena, "orbit.over={key: '%.*s', from: '%.*s', to: '%s'}", (int)(equal - text), text, (int)(colon - equal - 1), equal + 1, colon + 1);
  fprintf(stderr, "percuss orbit: --over: expected KEY=FROM:TO, such as loads.shaker.time.harmonic.frequency=\"30 Hz:90 Hz\"\n");
  return NULL;
}

/* The system of the config with the key at p. */
static PetscErrorCode make_system(void *context, PetscReal p, NsOrbitSystem **system, const char **why)
{
  Task        *task  = context;
  NsArena     *arena = NsArenaCreate();
  NsDiag      *diag  = NsDiagCreate(arena);
  NsRunOptions with  = task->run;
  NsRun       *run;

  PetscFunctionBegin;
  *system = NULL;
  *why    = NULL;
  if (task->key && !task->mode) {
    task->set[with.sets] = NsArenaPrint(arena, "%s=%.17g%s%s", task->key, p, *task->unit ? " " : "", task->unit);
    with.set             = task->set;
    with.sets++;
  }
  PetscCall(NsRunCreate(&with, arena, diag, &run));
  if (NsDiagErrors(diag)) {
    NsDiagPrint(diag, stderr, NsColour(stderr));
    *why = NsArenaPrint(task->arena, "with this value of '%s' the config has errors", task->key);
  } else {
    if (task->mode)
      PetscCall(NsOrbitConservedSystem(run, p, task->arena, system, why));
    else
      PetscCall(NsOrbitSystemCreate(run, task->forcing_period, task->arena, system, why));
    if (*why) *why = NsArenaPrint(task->arena, "does not support this model: %s", *why);
  }
  if (*system && (*system)->run)
    (*system)->run_arena = arena;
  else {
    PetscCall(NsRunDestroy(&run));
    NsArenaDestroy(&arena);
  }
  PetscFunctionReturn(0);
}

/* ---- the terminal ------------------------------------------------------------------------------------------------------------------------------------------------ */

static void print_orbit(const NsOrbitBranch *branch, const NsOrbitPoint *point)
{
  const NsOrbitSystem *system = branch->system;
  const PetscInt       shown  = PetscMin(system->states, 6);
  PetscInt             events = point->orbit->count;

  for (PetscInt k = 0; k < system->candidates * NS_ORBIT_KINDS; k++) events += (PetscInt)point->seen[k];
  printf("  period %.9g s", point->orbit->T);
  if (system->period > 0) printf(", %d %s of the forcing", (int)point->orbit->times, NsPlural(point->orbit->times, "period", "periods"));
  if (system->circle)
    printf("; circular%s; %s\n",
      !system->contacts  ? ""
      : point->share > 0 ? ", in contact"
                         : ", without contact",
      point->stable ? "stable" : "UNSTABLE");
  else
    printf("; %d %s, %d %s; %s\n", (int)events, NsPlural(events, "event", "events"), (int)point->impacts,
      NsPlural(point->impacts, "impact", "impacts"), point->stable ? "stable" : "UNSTABLE");
  printf("  multipliers");
  for (PetscInt i = 0; i < shown; i++) printf("  %.9g%+.9gi", point->re[i], point->im[i]);
  printf("%s\n", shown < system->states ? "  ..." : "");
  for (PetscInt k = 0; k < system->probes; k++) printf("  %-24s from %.9g to %.9g\n", system->probe[k].name, point->low[k], point->high[k]);
}

/* A range of a key on which orbits do not depend, such as the end of the run. */
static void judge_curve(const NsOrbitBranch *branch, const Task *task)
{
  const NsOrbitCurve *curve = &branch->curve[0];
  const NsOrbitPoint *a = &curve->point[0], *b = &curve->point[curve->points - 1];

  if (curve->points < 2 || a->p == b->p || a->orbit->T != b->orbit->T) return;
  for (PetscInt i = 0; i < branch->system->states; i++) {
    if (PetscAbsReal(a->orbit->x0[i] - b->orbit->x0[i]) > 1e-9 * branch->size[i]) return;
  }
  fprintf(stderr, "percuss orbit: warning: the orbits are the same for all values of '%s': they do not depend on it\n", task->key);
}

static void print_curve(const NsOrbitBranch *branch, const Task *task, PetscInt c)
{
  const NsOrbitCurve *curve  = &branch->curve[c];
  const NsOrbitPoint *last   = &curve->point[curve->points - 1];
  PetscInt            stable = 0;

  for (PetscInt k = 0; k < curve->points; k++) stable += curve->point[k].stable == PETSC_TRUE;
  printf("  branch %d: %d points, %d of them stable, from %.9g to %.9g%s%s; %s\n", (int)c + 1, (int)curve->points, (int)stable, curve->point[0].p,
    last->p, *task->unit ? " " : "", task->unit, curve->end);
  for (PetscInt b = 0; b < branch->bifurcations; b++) {
    const NsBifurcation *found = &branch->bifurcation[b];
    if (found->branch != c) continue;
    printf("    %-10s at %.13g%s%s", found->name, found->point->p, *task->unit ? " " : "", task->unit);
    if (found->kind == NS_BIFURCATION_TORUS) printf(", angle %.6g deg", found->angle * 180 / PETSC_PI);
    if (found->contact) printf(", contact %s", found->contact);
    printf("\n");
  }
}

/* ---- the work ---------------------------------------------------------------------------------------------------------------------------------------------------- */

/* The names of orbit.switch, one after the other, after those that are done. False after a message. */
static PetscErrorCode follow_others(NsOrbitBranch *branch, const NsOrbitSettings *settings, PetscInt done, bool *good)
{
  PetscFunctionBegin;
  for (int i = (int)done; *good && !interrupted && i < settings->follow.count; i++) {
    const char          *name = settings->follow.items[i];
    const NsBifurcation *at   = NULL;
    NsOrbitPoint        *first;
    const char          *why = "no bifurcation of this name was found";
    for (PetscInt b = 0; b < branch->bifurcations; b++) {
      if (!strcmp(branch->bifurcation[b].name, name)) at = &branch->bifurcation[b];
    }
    if (at) PetscCall(NsOrbitSwitch(branch, at, &first, &why));
    *good = at && first;
    if (*good)
      PetscCall(NsOrbitFollow(branch, first));
    else
      fprintf(stderr, "percuss orbit: --switch: %s: %s\n", name, why);
  }
  PetscFunctionReturn(0);
}

/* Each orbit is a branch, of one point if there is no key. */
static PetscErrorCode follow_all(NsOrbitBranch *branch, const Task *task, NsOrbitPoint **found, PetscInt count)
{
  NsOrbitSystem *system;
  const char    *why;

  PetscFunctionBegin;
  if (!task->key) {
    branch->curve  = NsArenaAlloc(task->arena, sizeof(*branch->curve) * (size_t)count);
    branch->curves = count;
  }
  for (PetscInt k = task->key ? branch->curves : 0; k < count && !(interrupted && task->key); k++) {
    if (!task->key) {
      branch->curve[k] = (NsOrbitCurve){.point = found[k], .points = 1, .room = 1, .end = ""};
      continue;
    }
    PetscCall(NsOrbitBranchSystem(branch, task->from, &system, &why));
    PetscCall(NsOrbitScale(branch, found[k]->orbit));
    PetscCall(NsOrbitFollow(branch, found[k]));
  }
  PetscFunctionReturn(0);
}

/* The orbits from which branches begin, found[count]: from a search, or from the computation that is continued. */
static PetscErrorCode begin(NsOrbitBranch *branch, Task *task, const NsOrbitSettings *settings, NsOrbitPoint ***found, PetscInt *count, bool *good)
{
  NsOrbitSystem *system;
  NsOrbitPoint  *first;
  const char    *why;

  PetscFunctionBegin;
  *count = 0;
  if (task->kept) {
    PetscCall(NsOrbitBranchSystem(branch, task->from, &system, &why));
    *good = system && NsOrbitKeptTake(branch, system, task->kept, task->kept_size, count, found);
    if (!*good) *count = 0;
    PetscFunctionReturn(0);
  }
  if (task->mode)
    PetscCall(NsOrbitSearchMode(branch, task->from, task->mode, &first, &why));
  else
    PetscCall(NsOrbitSearch(branch, task->from, (PetscInt)settings->times, (PetscInt)settings->settle, &first, &why));
  *good = first != NULL;
  if (!first && !interrupted) fprintf(stderr, "percuss orbit: %s\n", why);
  if (!first) PetscFunctionReturn(0);
  *found      = NsArenaAlloc(task->arena, sizeof(**found) * (size_t)(settings->starts + 1));
  (*found)[0] = first;
  *count      = 1;
  if (settings->starts)
    PetscCall(
      NsOrbitSearchOthers(branch, task->from, (PetscInt)settings->times, (PetscInt)settings->settle, (PetscInt)settings->starts, *found, count));
  PetscFunctionReturn(0);
}

/* Probes without a column: reactions, where orbits do not know them. */
static void name_left_out(NsRun *run, const NsOrbitSystem *system, NsArena *arena)
{
  const NsStrings *names = NsHistoryProbes(NsRunSettings(run)->output);
  const char      *list  = "";

  for (int i = 0; i < names->count; i++) {
    const size_t length = strlen(names->items[i]);
    PetscBool    there  = PETSC_FALSE;
    for (PetscInt k = 0; k < system->probes && !there; k++)
      there = !strncmp(system->probe[k].name, names->items[i], length) && strchr(".", system->probe[k].name[length]);
    if (!there) list = NsArenaPrint(arena, "%s%s%s", list, *list ? ", " : "", names->items[i]);
  }
  if (*list)
    fprintf(stderr, "percuss orbit: warning: orbits of this model do not record %s; a run from the orbit does (`start: {from: ...}`)\n", list);
}

static PetscErrorCode report(NsRun *run, NsOrbitBranch *branch, const Task *task)
{
  const NsOrbitCurve *curve = &branch->curve[branch->curves - 1];
  const NsOrbitPoint *last  = &curve->point[curve->points - 1];

  PetscFunctionBegin;
  PetscCall(NsOrbitWriteLast(run, branch, last));
  NsOrbitWriteBranches(run, branch, task->unit);
  if (task->key) judge_curve(branch, task);
  name_left_out(run, branch->system, task->arena);
  if (NsRunGetOptions(run)->quiet) PetscFunctionReturn(0);
  printf("%s: %s\n", NsRunSink(run)->name, task->key ? task->key : "orbit");
  for (PetscInt c = 0; c < branch->curves && task->key; c++) print_curve(branch, task, c);
  for (PetscInt c = 0; c + 1 < branch->curves && !task->key; c++) print_orbit(branch, branch->curve[c].point);
  if (task->key) printf("  the last orbit, at %.9g%s%s:\n", last->p, *task->unit ? " " : "", task->unit);
  print_orbit(branch, last);
  PetscFunctionReturn(0);
}

static PetscErrorCode compute(NsRun *run, Task *task, const NsOrbitSettings *settings, bool *good)
{
  NsOrbitBranch  branch = {.arena = task->arena,
     .source                      = {task, make_system},
     .from                        = task->from,
     .to                          = task->to,
     .least                       = task->from,
     .most                        = task->to,
     .longest                     = settings->step,
     .span                        = NsRunSettings(run)->time->end,
     .points                      = (PetscInt)settings->points,
     .stop                        = is_interrupted};
  NsOrbitPoint **found;
  PetscInt       count;

  PetscFunctionBegin;
  PetscCall(begin(&branch, task, settings, &found, &count, good));
  if (count) {
    if (branch.curves) PetscCall(NsOrbitGoOn(&branch));
    PetscCall(follow_all(&branch, task, found, count));
    PetscCall(follow_others(&branch, settings, PetscMax(0, branch.curves - count), good));
  }
  if (branch.curves) PetscCall(report(run, &branch, task));
  task->resumable = branch.curves && interrupted && task->key;
  if (task->resumable) PetscCall(NsOrbitKeptWrite(run, &branch, branch.system, count, found));
  PetscCall(NsOrbitBranchFree(&branch));
  PetscFunctionReturn(0);
}

static PetscErrorCode work(NsRun *run, Task *task, int *code)
{
  const NsOrbitSettings *settings = NsRunSettings(run)->orbit;
  NsOrbitSystem         *system;
  const char            *why  = NULL;
  bool                   good = true;

  PetscFunctionBegin;
  if (!NsAnalysisAlone("orbit", run)) PetscFunctionReturn(0);
  if (settings->over) {
    task->key = settings->over->key;
    if (!read_range(task, settings->over->from, strlen(settings->over->from), settings->over->to)) PetscFunctionReturn(0);
    if (!read_mode(task, settings)) PetscFunctionReturn(0);
  }
  if (settings->follow.count && !task->key) {
    fprintf(stderr, "percuss orbit: %s needs a branch: give a key and its range with %s\n", options[SWITCH].value ? "--switch" : "orbit.switch",
      options[SWITCH].value ? "--over" : "orbit.over");
    PetscFunctionReturn(0);
  }
  task->forcing_period = settings->forcing_period;
  for (int end = 0; end < (task->key ? 2 : 1) && !why; end++) { /* both ends of the range must be models */
    PetscCall(make_system(task, end ? task->to : task->from, &system, &why));
    PetscCall(NsOrbitSystemDestroy(&system));
  }
  if (why) fprintf(stderr, "percuss orbit: %s\n", why);
  if (!why) NsAnalysisDirectory("orbit", run);
  if (!why && task->resumes) {
    const NsKept kept = NsOrbitKeptRead(run, &task->kept, &task->kept_size);
    if (kept == NS_KEPT_COMPLETE)
      printf("%s: nothing to continue: the results in '%s' are complete\n", NsRunSink(run)->name, NsRunSink(run)->directory);
    if (kept == NS_KEPT_COMPLETE) *code = NS_EXIT_DONE;
    if (kept == NS_KEPT_COMPLETE || kept == NS_KEPT_REFUSED) PetscFunctionReturn(0);
  }
  if (why || !NsClearResults("orbit", run)) {
    if (NsRunExit(run) == NS_EXIT_FAILED) *code = NS_EXIT_FAILED;
    PetscFunctionReturn(0);
  }
  PetscCall(NsRunOpenResults(run));
  if (NsRunExit(run) == NS_EXIT_DONE) {
    void (*before)(int) = signal(SIGINT, interrupt), (*term)(int) = signal(SIGTERM, interrupt);
    PetscCall(compute(run, task, settings, &good));
    (void)signal(SIGINT, before);
    (void)signal(SIGTERM, term);
  }
  if (interrupted)
    NsRunStop(run, task->resumable ? "stopped by a signal; the results so far are written, and --resume continues from there"
                                   : "stopped by a signal; the results so far are written");
  else if (!good)
    NsSinkFail(NsRunSink(run), "no orbit");
  PetscCall(NsRunCloseResults(run));
  *code = NsAnalysisEnd("orbit", run);
  PetscFunctionReturn(0);
}

static PetscErrorCode orbit_of_config(const NsRunOptions *settings, NsArena *arena, NsDiag *diag, int *code)
{
  Task   task = {.run = *settings, .arena = arena, .unit = "", .resumes = settings->resume};
  NsRun *run;

  PetscFunctionBegin;
  *code    = NS_EXIT_INPUT;
  task.set = NsArenaAlloc(arena, sizeof(*task.set) * (size_t)(settings->sets + NS_SETTINGS + 1));
  for (int i = 0; i < settings->sets; i++) task.set[i] = settings->set[i];
  for (int option = 0; option < NS_SETTINGS; option++) {
    const char *setting = setting_of(option, arena);
    if (!setting && options[option].value) PetscFunctionReturn(0);
    if (setting) task.set[task.run.sets++] = setting;
  }
  task.run.set       = task.set;
  task.run.overwrite = task.run.overwrite || task.resumes; /* the files that are overwritten have been read by now */
  task.run.resume    = PETSC_FALSE;
  PetscCall(NsRunCreate(&task.run, arena, diag, &run));
  NsDiagPrint(diag, stderr, NsColour(stderr));
  if (!NsDiagErrors(diag)) PetscCall(work(run, &task, code));
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

static int call(const NsArguments *arguments)
{
  long count;

  if (!NsOptionCount("orbit", &options[TIMES], 1, 64, &count)) return NS_EXIT_INPUT;
  if (!NsOptionCount("orbit", &options[SETTLE], 0, 100000, &count)) return NS_EXIT_INPUT;
  if (!NsOptionCount("orbit", &options[STARTS], 0, 10000, &count)) return NS_EXIT_INPUT;
  if (!NsOptionCount("orbit", &options[POINTS], 2, 100000, &count)) return NS_EXIT_INPUT;
  return NsCommandOnConfig(arguments, orbit_of_config);
}

const NsCommand NsCommand_Orbit = {
  .name    = "orbit",
  .words   = "CONFIG",
  .options = options,
  .petsc   = true,
  .about   = "compute periodic orbits of systems that hit and rub: Floquet multipliers, branches, bifurcations",
  .description =
    "Simulates some periods from the initial state, then solves for the orbit by Newton's method with the times of all impacts, openings and reversals of slip as unknowns, and checks it by one more "
    "simulation. Writes into out/NAME_orbit: orbit.csv, orbit_events.csv, orbit_state.csv, branch.csv, branch_probes.csv, multipliers.csv and bifurcations.csv, and frames of the last orbit (unless output.frames.every is 0). The scheme of the config must be event-driven "
    "(such as event_driven_hem5) or modal. The motion of linear models with flat contact surfaces is exact; that of others (nonlinear springs, curved surfaces, restitution over the speed, multibody systems, mechanisms) is "
    "simulated over a period, with derivatives by finite differences.\n"
    "\n"
    "With --over the orbit is followed over any key of the config, by pseudo-arclength, around folds and through unstable parts, with its bifurcations: folds, flips (period doublings), tori "
    "(Neimark-Sacker), grazing and sliding. With --switch also the branches that begin there. Ctrl-C stops a branch and writes the results so far; --resume continues it.",
  .examples = "orbit my_oscillator.yaml\n"
              "orbit my_oscillator.yaml --over loads.shaker.time.harmonic.frequency=\"1.5 rad/s:3.2 rad/s\" --switch flip_1",
  .call     = call,
};
