/* The C interface (include/percuss/percuss.h) over NsRun: it makes the steps of the time loop without writers, guard and signals. */
#define PERCUSS_EXPORT __attribute__((visibility("default")))
#include "percuss/percuss.h"
#include <locale.h>
#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>
#include "core/out_of_memory.h"
#include "core/timefunction.h"
#include "fe/fe.h"
#include "multibody/joints.h"
#include "percuss/run.h"
#include "percuss_version.h"
#include "run/begin.h"

typedef struct Input Input;
struct Input {
  const char           *name;
  const NsTimeFunction *time;
  double                factor;
  bool                  fresh; /* set since the last step */
  Input                *next;
};

struct percuss {
  NsArena   *arena;
  NsDiag    *diag;
  NsRun     *run;
  char      *messages; /* allocated */
  PetscReal *q, *v;    /* [dof] in natural order; copies, because the run exchanges its arrays */
  PetscReal *points;   /* [scene.points, 3]; NULL: no probe has needed them */
  Input     *input;
  int        inputs;
  bool       ready, failed;
};

/* Numbers are read and written with a point, whatever the language of the caller, which is given back its own. */
static locale_t enter(void)
{
  static locale_t plain = (locale_t)0;

  if (!plain) plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  return uselocale(plain);
}

static void end_petsc(void)
{
  PetscBool ended = PETSC_TRUE;

  (void)PetscFinalized(&ended);
  if (!ended) (void)SlepcFinalize();
}

static PetscErrorCode begin_petsc(NsArena *arena)
{
  PetscBool   begun;
  const char *unused;
  char        refusal[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscInitialized(&begun));
  if (begun) PetscFunctionReturn(0);
  PetscCall(NsBegin(0, NULL, arena, &unused, refusal));
  (void)atexit(end_petsc);
  PetscFunctionReturn(0);
}

/* Replaces the messages by what `diag` has and a line; both may be missing. */
static void say(percuss *run, NsDiag *diag, const char *line)
{
  size_t size;
  FILE  *file;

  free(run->messages);
  run->messages = NULL;
  file          = open_memstream(&run->messages, &size);
  if (!file) NsOutOfMemory();
  if (diag) NsDiagPrint(diag, file, false);
  if (line) fprintf(file, "%s\n", line);
  if (fclose(file)) NsOutOfMemory();
}

static int fail(percuss *run, const char *why)
{
  run->failed = true;
  say(run, NULL, why);
  return PERCUSS_FAILED;
}

int percuss_api(void)
{
  return PERCUSS_API;
}

const char *percuss_version(void)
{
  return PERCUSS_VERSION " (" PERCUSS_COMMIT ", " PERCUSS_COMPILER ", " PERCUSS_BUILD ")";
}

/* ---- open, close ------------------------------------------------------------------------------------------------------------------------------------------- */

static void add_input(percuss *run, const char *name, const NsTimeFunction *time)
{
  Input **end = &run->input;

  if (!NsTimeFunctionIsInput(time)) return;
  while (*end) end = &(*end)->next;
  *end         = NsArenaAlloc(run->arena, sizeof(**end));
  (*end)->name = name;
  (*end)->time = time;
  run->inputs++;
}

static void find_inputs(percuss *run)
{
  const NsConfig        *config = NsRunSettings(run->run);
  const NsList          *loads = &config->attachments[NS_ATTACHMENT_Load], *drives = &config->drives;
  const NsLoadSettings  *load  = loads->items;
  const NsDriveSettings *drive = drives->items;

  for (int i = 0; i < loads->count; i++) add_input(run, loads->names[i], load[i].time);
  for (int i = 0; i < drives->count; i++) add_input(run, drives->names[i], drive[i].time);
}

static PetscErrorCode take_state(percuss *run)
{
  const PetscInt   n = NsRunModel(run->run)->unknowns;
  const PetscReal *q, *v;
  double           sum = 0;

  PetscFunctionBegin;
  PetscCall(NsRunWholeState(run->run, &q, &v));
  PetscCall(PetscArraycpy(run->q, q, n));
  PetscCall(PetscArraycpy(run->v, v, n));
  for (PetscInt i = 0; i < n; i++) sum += 0 * (run->q[i] + run->v[i]);
  if (sum != 0) (void)fail(run, "the state has NaN or Inf: the solution grows without bound");
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(percuss *run, const NsRunOptions *options)
{
  PetscFunctionBegin;
  PetscCall(NsRunCreate(options, run->arena, run->diag, &run->run));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  if (PetscGlobalSize > 1) {
    NsDiagError(run->diag, (NsPlace){NULL, 0, 0, 0}, "the library works on one process, not on %d", (int)PetscGlobalSize);
    PetscFunctionReturn(0);
  }
  if (!NsRunScheme(run->run)->type->bounded) PetscCall(NsRunCheckStep(run->run, PETSC_FALSE));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  PetscCall(NsRunJudgeStep(run->run, PETSC_TRUE));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  PetscCall(NsRunStart(run->run));
  find_inputs(run);
  run->q = NsArenaAlloc(run->arena, sizeof(*run->q) * (size_t)NsRunModel(run->run)->unknowns);
  run->v = NsArenaAlloc(run->arena, sizeof(*run->v) * (size_t)NsRunModel(run->run)->unknowns);
  PetscCall(take_state(run));
  PetscFunctionReturn(0);
}

int percuss_open(const char *config, int sets, const char *const *set, percuss **result)
{
  const NsRunOptions options = {.config_path = config, .sets = sets, .set = set, .quiet = PETSC_TRUE};
  const locale_t     theirs  = enter();
  percuss           *run     = calloc(1, sizeof(*run));
  PetscErrorCode     code;

  if (!run) NsOutOfMemory();
  *result    = run;
  run->arena = NsArenaCreate();
  run->diag  = NsDiagCreate(run->arena);
  code       = begin_petsc(run->arena);
  if (!code) code = prepare(run, &options);
  const bool wrong = NsDiagErrors(run->diag) > 0;
  if (!run->failed) say(run, run->diag, code ? "internal error, see above" : NULL);
  run->ready = !code && !wrong && !run->failed;
  (void)uselocale(theirs);
  return wrong ? PERCUSS_INPUT : run->ready ? PERCUSS_DONE : PERCUSS_FAILED;
}

void percuss_close(percuss *run)
{
  if (!run) return;
  (void)NsRunDestroy(&run->run);
  NsArenaDestroy(&run->arena);
  free(run->messages);
  free(run);
}

const char *percuss_messages(const percuss *run)
{
  return run->messages ? run->messages : "";
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------------------------------------- */

static void set_inputs(percuss *run)
{
  const PetscReal t = NsRunState(run->run)->t;

  for (Input *input = run->input; input; input = input->next) {
    if (input->fresh) NsTimeFunctionSetInput(input->time, t, t + NsRunStepLength(run->run), input->factor);
    input->fresh = false;
  }
}

static PetscErrorCode make_steps(percuss *run, long long steps)
{
  NsStepOutcome outcome = {0};

  PetscFunctionBegin;
  for (; steps > 0 && !NsRunIsAtEnd(run->run); steps--) {
    set_inputs(run);
    PetscCall(NsRunStep(run->run, &outcome));
    if (outcome.done) continue;
    (void)fail(run, outcome.reason);
    break;
  }
  PetscCall(take_state(run));
  PetscFunctionReturn(0);
}

int percuss_step(percuss *run, long long steps)
{
  const locale_t theirs = enter();

  if (!run->failed && make_steps(run, steps)) (void)fail(run, "internal error, see above");
  (void)uselocale(theirs);
  return run->failed ? PERCUSS_FAILED : PERCUSS_DONE;
}

int percuss_is_at_end(const percuss *run)
{
  return NsRunIsAtEnd(run->run) ? 1 : 0;
}

double percuss_time(const percuss *run)
{
  return NsRunState(run->run)->t;
}

long long percuss_steps(const percuss *run)
{
  return NsRunGetFigures(run->run)->steps;
}

double percuss_time_step(const percuss *run)
{
  return NsRunTimeStep(run->run);
}

double percuss_end(const percuss *run)
{
  return NsRunSettings(run->run)->time->end;
}

/* ---- the state --------------------------------------------------------------------------------------------------------------------------------------------- */

int percuss_dof(const percuss *run)
{
  return (int)NsRunModel(run->run)->unknowns;
}

const double *percuss_q(const percuss *run)
{
  return run->q;
}

const double *percuss_v(const percuss *run)
{
  return run->v;
}

int percuss_dof_name(const percuss *run, int dof, char *text, int size)
{
  NsModel *model = NsRunModel(run->run);

  if (dof < 0 || dof >= model->unknowns || size < 1) return PERCUSS_INPUT;
  return model->view.name_unknown(model, dof, text, (size_t)size) ? PERCUSS_FAILED : PERCUSS_DONE;
}

/* "bar.left.ux": the model's probes are named without the quantity, or, of coordinates, with it. */
static PetscErrorCode probe(percuss *run, const char *name, double *value, bool *known)
{
  NsModel    *model = NsRunModel(run->run);
  NsArena    *arena = NsArenaCreate();
  const char *dot = strrchr(name, '.'), *suffix = dot ? dot + 1 : "";
  PetscBool   found = PETSC_FALSE;
  char        why[256];
  NsProbe    *read = NsArenaAlloc(arena, sizeof(*read));

  PetscFunctionBegin;
  *known = false;
  for (int whole = 1; whole >= 0 && !*known && (whole || dot); whole--) {
    const char *of = whole ? name : NsArenaCopy(arena, name, (size_t)(dot - name));

    PetscCall(model->view.probe(model, of, read, &found, why, sizeof(why)));
    for (PetscInt c = 0; found && c < read->columns && !*known; c++) {
      const NsProbeColumn *column = &read->column[c];

      if (strcmp(column->suffix, whole ? "" : suffix) != 0) continue;
      if (column->coordinate && !run->points) run->points = NsArenaAlloc(run->arena, sizeof(*run->points) * 3 * (size_t)model->scene.points);
      if (column->coordinate) PetscCall(model->view.points(model, NsRunState(run->run)->t, NsRunState(run->run)->q, run->points));
      const PetscReal *a = NULL;
      if (NsProbeAccelerations(column)) PetscCall(NsRunWholeAcceleration(run->run, &a));
      *value = column->coordinate ? run->points[column->coordinate - 1]
                                  : NsProbeColumnValue(column, NsRunState(run->run)->t, run->q, run->v, a) + NsRunProbeForces(run->run, column);
      *known = true;
    }
  }
  if (!*known && found)
    say(run, NULL, NsArenaPrint(arena, "the probe of '%s' has no quantity '%s'", name, suffix));
  else if (!*known)
    say(run, NULL, why);
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

int percuss_probe(percuss *run, const char *name, double *value)
{
  bool known = false;

  if (!NsRunModel(run->run)->view.probe) return PERCUSS_INPUT;
  if (probe(run, name, value, &known)) return PERCUSS_FAILED;
  return known ? PERCUSS_DONE : PERCUSS_INPUT;
}

int percuss_contacts(const percuss *run)
{
  return (int)NsRunModel(run->run)->candidates;
}

int percuss_contact_name(const percuss *run, int contact, char *text, int size)
{
  char name[NS_CANDIDATE_NAME];

  if (contact < 0 || contact >= percuss_contacts(run) || size < 1) return PERCUSS_INPUT;
  (void)snprintf(text, (size_t)size, "%s", NsCandidateName(&NsRunModel(run->run)->candidate[contact], name));
  return PERCUSS_DONE;
}

int percuss_contact_report(const percuss *run, int contact, percuss_contact *report)
{
  const NsContactReport *last;

  if (contact < 0 || contact >= percuss_contacts(run)) return PERCUSS_INPUT;
  if (NsContactComplete(NsRunContact(run->run), NsRunState(run->run))) return PERCUSS_FAILED;
  last             = &NsContactReports(NsRunContact(run->run))[contact];
  report->gap      = last->gap;
  report->gap_rate = last->gap_rate;
  report->state    = (int)last->state;
  memcpy(report->force, last->force, sizeof(report->force));
  memcpy(report->impulse, last->impulse, sizeof(report->impulse));
  return PERCUSS_DONE;
}

int percuss_energy(percuss *run, percuss_energies *energies)
{
  NsLedger *ledger = NsRunLedger(run->run);

  if (NsLedgerClose(ledger, NsRunModel(run->run), NsRunState(run->run))) return PERCUSS_FAILED;
  *energies = (percuss_energies){.kinetic = ledger->now.kinetic,
    .elastic                              = ledger->now.elastic,
    .potential                            = ledger->now.potential,
    .initial                              = ledger->initial,
    .load                                 = ledger->external,
    .damping                              = ledger->damping,
    .impact                               = ledger->impact,
    .friction                             = ledger->friction,
    .numerical                            = ledger->numerical};
  return PERCUSS_DONE;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------------------------------------------------ */

static Input *input_at(const percuss *run, int number)
{
  Input *input = run->input;

  for (; input && number > 0; number--) input = input->next;
  return number < 0 ? NULL : input;
}

int percuss_inputs(const percuss *run)
{
  return run->inputs;
}

const char *percuss_input_name(const percuss *run, int input)
{
  return input_at(run, input) ? input_at(run, input)->name : NULL;
}

int percuss_set_input(percuss *run, int number, double factor)
{
  Input *input = input_at(run, number);

  if (!input || !isfinite(factor)) return PERCUSS_INPUT;
  input->factor = factor;
  input->fresh  = true;
  return PERCUSS_DONE;
}
