/* One run: from the config to a model, a scheme and a state, with all the user's mistakes found on the way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/out_of_memory.h"
#include "core/petsc_message.h"
#include "core/sha256.h"
#include "fe/fe.h"
#include "mechanism/mechanism.h"
#include "percuss/run.h"

double NsSeconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "configs/elastic_bar.yaml" -> "elastic_bar"; what is no letter, digit, '-', '_' or '.' becomes '_', for it names files. */
static const char *run_name(const char *path, NsArena *arena)
{
  const char *slash = strrchr(path, '/');
  const char *base  = slash ? slash + 1 : path;
  const char *dot   = strrchr(base, '.');
  char       *name  = NsArenaCopy(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));

  for (char *c = name; *c; c++) {
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c)) *c = '_';
  }
  return *name ? name : "run";
}

const char *NsRunPath(NsRun *run, const char *format, ...)
{
  va_list     arguments;
  const char *tail;

  va_start(arguments, format);
  tail = NsArenaPrintV(run->arena, format, arguments);
  va_end(arguments);
  return NsArenaPrint(run->arena, "%s/%s", run->directory, tail);
}

void NsRunFail(NsRun *run, const char *format, ...)
{
  va_list arguments;

  if (run->exit == NS_EXIT_FAILED) return;
  run->exit = NS_EXIT_FAILED;
  va_start(arguments, format);
  vsnprintf(run->failure, sizeof(run->failure), format, arguments);
  va_end(arguments);
}

/* Mesh files and plugins become absolute in the tree, so that the config.yaml among the results can be run from anywhere; and they are inputs to record. */
static void resolve_files(NsRun *run)
{
  const NsList *bodies = &run->config.bodies;

  for (int b = 0; b < bodies->count; b++) {
    NsNode *mesh = NsTreeChild(bodies->where[b], "mesh");
    NsNode *file = mesh && mesh->kind == NS_NODE_SCALAR ? mesh : NsTreeChild(mesh, "file"); /* `mesh: bar.msh` is short for the file */
    if (!file) file = NsTreeChild(bodies->where[b], "library");
    const char *path;
    char       *absolute;
    if (!file) continue;
    path     = NsTreeFile(file, run->arena);
    absolute = realpath(path, NULL);
    if (!absolute && errno == ENOMEM) NsOutOfMemory();
    if (absolute) path = file->text = NsArenaCopy(run->arena, absolute, strlen(absolute));
    free(absolute);
    NsRunAddFile(run, &run->inputs, path);
  }
}

const char *NsRunFileHash(NsRunFile *file)
{
  return file->hash[0] || NsSha256File(file->path, file->hash) == 0 ? file->hash : NULL;
}

const char *NsRunConfigText(NsRun *run, size_t *size)
{
  return NsTreeText(run->tree, run->arena, size);
}

/* Probes that do not exist are mistakes; without any, every node with a name of its own is one (up to 16). */
static PetscErrorCode check_probes(NsRun *run)
{
  NsHistorySettings *history = (NsHistorySettings *)run->config.output->history; /* ours: the reader made it */
  NsModel           *model   = run->model;
  NsProbe            probe;
  PetscBool          found;
  char               why[256];

  PetscFunctionBegin;
  for (int i = 0; i < history->probes.count; i++) {
    const char *name = history->probes.items[i];
    PetscCall(model->ops->probe(model, name, &probe, &found, why, sizeof(why)));
    if (!found) {
      NsDiagError(run->diag, history->probes.where[i]->place, "%s", why);
      NsDiagNote(run->diag, "%s", model->probe_help);
    }
    for (int j = 0; j < i && found; j++) {
      if (strcmp(name, history->probes.items[j])) continue;
      NsDiagError(run->diag, history->probes.where[i]->place, "probe '%s' stands here twice", name);
      break;
    }
  }
  if (history->probes.count == 0) {
    history->probes.items = NsArenaAlloc(run->arena, 16 * sizeof(*history->probes.items));
    for (int i = 0; model->probe_names[i] && history->probes.count < 16; i++) {
      PetscCall(model->ops->probe(model, model->probe_names[i], &probe, &found, why, sizeof(why)));
      if (found) history->probes.items[history->probes.count++] = model->probe_names[i];
    }
  }
  PetscFunctionReturn(0);
}

/* Stations need a shaft; the one at fault is pointed at. */
static PetscErrorCode check_stations(NsRun *run)
{
  const NsOrbitsSettings *orbits  = run->config.output->orbits;
  NsStationSettings      *station = orbits->stations.items;
  NsModel                *model   = run->model;

  PetscFunctionBegin;
  if (orbits->stations.count && !model->ops->station) {
    NsDiagError(run->diag, NsKeysPlace(orbits->where, "stations"), "there is no rotor here (%s) whose orbit could be recorded", model->kind);
    PetscFunctionReturn(0);
  }
  for (int i = 0; i < orbits->stations.count; i++) {
    NsStation found_station;
    PetscBool found = PETSC_FALSE;
    char      why[256];

    PetscCall(model->ops->station(model, &station[i], &found_station, &found, why, sizeof(why)));
    if (!found) NsDiagError(run->diag, NsKeysPlace(station[i].where, strncmp(why, "relative_to", 11) ? "at" : "relative_to"), "%s", why);
  }
  PetscFunctionReturn(0);
}

/* A mechanism among the bodies makes the model; else they are finite elements. */
static PetscErrorCode make_model(NsRun *run)
{
  const NsList   *bodies    = &run->config.bodies;
  const NsChosen *body      = bodies->items;
  PetscBool       mechanism = PETSC_FALSE;

  PetscFunctionBegin;
  for (int b = 0; b < bodies->count; b++) mechanism = mechanism || NsMechanismIs(&body[b]) ? PETSC_TRUE : PETSC_FALSE;
  if (mechanism && PetscGlobalSize > 1) {
    NsDiagError(run->diag, bodies->where[0]->key_place, "a mechanism runs on one process, not on %d", (int)PetscGlobalSize);
    PetscFunctionReturn(0);
  }
  if (mechanism)
    PetscCall(NsModelCreate_Mechanism(&run->config, run->arena, run->diag, &run->model));
  else
    PetscCall(NsModelCreate_Fe(&run->config, run->arena, run->diag, &run->model));
  PetscFunctionReturn(0);
}

static PetscErrorCode build(NsRun *run)
{
  const NsSchemeType *type = NsSchemeFind(&run->config.scheme);
  const char         *refusal;

  PetscFunctionBegin;
  run->config.solves_stiffness = type->implicit ? true : false;
  PetscCall(make_model(run));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  if (run->model->massless && !type->massless)
    refusal = "contacts touch nodes without mass (`mass: redistributed`), which massless_contact moves and no other scheme";
  else
    refusal = type->refuses ? type->refuses(run->model, run->config.scheme.settings) : NULL;
  if (refusal)
    NsDiagError(run->diag, NsKeysPlace(run->config.scheme.where, "type"), "scheme '%s' cannot move this model: %s", type->variant->name, refusal);
  PetscCall(check_probes(run));
  PetscCall(check_stations(run));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  PetscCall(run->model->ops->initial(run->model, &run->state));
  if (run->writes && !NsLayoutIsNatural(run->model->layout)) {
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, run->model->unknowns, &run->whole_q));
    PetscCall(VecDuplicate(run->whole_q, &run->whole_v));
  }
  PetscCall(NsContactCreate(run->model, &run->contact));
  PetscCall(NsSchemeCreate(&run->config.scheme, run->model, run->contact, &run->ledger, &run->scheme));
  if (*run->scheme->refusal) {
    NsDiagError(run->diag, NsKeysPlace(run->config.scheme.where, run->scheme->refusal_key ? run->scheme->refusal_key : "type"),
      "scheme '%s' cannot move this model: %s", type->variant->name, run->scheme->refusal);
  }
  if (!type->bounded) PetscFunctionReturn(0);
  PetscCall(NsRunCheckStep(run, PETSC_FALSE));
  run->scheme->step_limit = run->step_limit;
  PetscFunctionReturn(0);
}

/* After work under NsKeepNumerics: what the user's numbers brought to an end is an error in diag, anything else goes on up. */
static PetscErrorCode blame_numbers(NsRun *run, PetscErrorCode code, const char *message)
{
  PetscFunctionBegin;
  if (!*message) PetscCall(code);
  if (!code) PetscFunctionReturn(0);
  NsDiagError(run->diag, NsKeysPlace(run->config.where, "bodies"), NS_NUMERICS_SAID "%s", message);
  NsDiagNote(run->diag, NS_NUMERICS_NOTE);
  PetscFunctionReturn(0);
}

/* Whole steps, the last of which reaches the end; an end within a millionth of a step is met. */
static void plan_steps(NsRun *run)
{
  const double steps = run->config.time->end / run->step;

  if (steps > 1e15) {
    NsDiagError(
      run->diag, NsKeysPlace(run->config.scheme.where, "step"), "%g steps of %g s to reach %g s: too many", steps, run->step, run->config.time->end);
    return;
  }
  run->steps = (PetscInt64)ceil(steps - 1e-6);
  if (run->steps < 1) run->steps = 1;
}

PetscErrorCode NsRunCreate(const NsRunOptions *options, NsArena *arena, NsDiag *diag, NsRun **result)
{
  NsRun         *run                         = NsArenaAlloc(arena, sizeof(*run));
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  *result      = run;
  run->began   = NsSeconds();
  run->arena   = arena;
  run->diag    = diag;
  run->options = *options;
  run->writes  = PetscGlobalRank == 0 ? PETSC_TRUE : PETSC_FALSE;
  run->name    = options->name ? options->name : run_name(options->config_path, arena);
  run->tree    = options->config_text ? NsTreeReadText(options->config_path, options->config_text, strlen(options->config_text), arena, diag)
                                      : NsTreeReadFile(options->config_path, arena, diag);
  if (!run->tree) PetscFunctionReturn(0);
  for (int i = 0; i < options->sets; i++) (void)NsTreeSet(run->tree, options->set[i], arena, diag);
  for (int i = 0; i < options->grafts; i++)
    (void)NsTreeGraft(run->tree, options->graft[i].key, options->graft[i].place, options->graft[i].value, arena, diag);
  if (NsTreeChild(run->tree, "config") && !NsTreeChild(run->tree, "bodies")) {
    NsDiagError(diag, NsTreeChild(run->tree, "config")->key_place, "this is a study of many runs, not the config of one");
    NsDiagNote(diag, "percuss study %s makes them", options->config_path);
  }
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  if (!NsKeysRead(&NsTable_Config, run->tree, &run->config, arena, diag)) PetscFunctionReturn(0);
  run->directory = options->directory ? options->directory : run->config.output->directory;
  if (!run->directory) run->directory = NsArenaPrint(arena, "out/%s", run->name);
  run->step  = ((const NsSchemeSettings *)run->config.scheme.settings)->step;
  run->clock = NsStepClockMake(run->step);
  plan_steps(run);
  PetscCall(PetscPushErrorHandler(NsKeepNumerics, message));
  code = build(run);
  PetscCall(PetscPopErrorHandler());
  PetscCall(blame_numbers(run, code, message));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  resolve_files(run);
  run->setup_seconds = NsSeconds() - run->began;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunDestroy(NsRun **result)
{
  NsRun *run = *result;

  PetscFunctionBegin;
  if (!run) PetscFunctionReturn(0);
  PetscCall(NsSchemeDestroy(&run->scheme));
  PetscCall(NsContactDestroy(&run->contact));
  PetscCall(VecDestroy(&run->whole_q));
  PetscCall(VecDestroy(&run->whole_v));
  PetscCall(VecDestroy(&run->state.q));
  PetscCall(VecDestroy(&run->state.v));
  PetscCall(NsModelDestroy(&run->model));
  if (run->lock > 0) (void)close(run->lock);
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscReal NsRunTime(const NsRun *run, PetscInt64 number)
{
  return NsStepClockTime(&run->clock, number, 1);
}

/* Keeps what asks for the smallest step, or, where nothing does, the highest frequency. */
static void set_limit(NsRun *run, PetscReal limit, PetscReal omega, PetscReal damping_ratio, PetscBool growth, const char *where)
{
  if (limit > run->step_limit || (limit == run->step_limit && omega <= run->omega_max)) return;
  run->omega_max       = omega;
  run->damping_ratio   = damping_ratio;
  run->step_limit      = limit;
  run->limit_by_growth = growth;
  (void)snprintf(run->limit_where, sizeof(run->limit_where), "%s", where);
}

/* One part of the model, by its bounds or, `exact`, by the eigensolver. */
static PetscErrorCode limit_part(NsRun *run, PetscInt part, PetscBool exact)
{
  const NsModelOps   *ops      = run->model->ops;
  const NsSchemeType *type     = run->scheme->type;
  const void         *settings = run->scheme->settings;
  NsBound             omega, rate;
  PetscReal           undamped, damped, frequency;

  PetscFunctionBegin;
  PetscCall(ops->frequency_bound(run->model, part, &omega, &rate));
  undamped = NsSchemeStepLimit(type, settings, omega.value, 0);
  damped   = NsSchemeStepLimit(type, settings, omega.value, omega.value > 0 ? rate.value / (2 * omega.value) : 0);
  if (exact) PetscCall(ops->highest_mode(run->model, part, &omega.value, &rate.value));
  frequency             = PetscMax(omega.value, 1e-3 * rate.value); /* dampers without springs: as if there were a soft one */
  const PetscReal ratio = frequency > 0 ? rate.value / (2 * frequency) : 0;
  set_limit(run, NsSchemeStepLimit(type, settings, frequency, ratio), omega.value, ratio, PETSC_FALSE,
    damped < undamped / 2 || omega.value == 0 ? rate.where : omega.where); /* the damper, if it halves the limit */
  PetscFunctionReturn(0);
}

/* Modes that whirl grow a little at each explicit step: over the whole run it may not be much. */
static PetscErrorCode limit_growth(NsRun *run, PetscInt part)
{
  NsStabilityMode mode[NS_STABILITY_MODES];
  PetscInt        count;
  char            where[128];

  PetscFunctionBegin;
  if (!run->model->ops->gyroscopic_modes || !run->scheme->type->amplification) PetscFunctionReturn(0);
  PetscCall(run->model->ops->gyroscopic_modes(run->model, part, &count, mode));
  for (PetscInt i = 0; i < count; i++) {
    const PetscReal limit = NsSchemeGrowthLimit(run->scheme->type, run->scheme->settings, &mode[i], run->config.time->end);
    (void)snprintf(where, sizeof(where), "gyroscopic terms of the mode of %.6g rad/s: at the limit it grows by a tenth in %g s", mode[i].omega,
      run->config.time->end);
    set_limit(run, limit, mode[i].omega, mode[i].damping_rate / (2 * mode[i].omega), PETSC_TRUE, where);
    if (mode[i].gyroscopic_rise > 0) run->whirl[run->whirls++] = mode[i];
  }
  PetscFunctionReturn(0);
}

/* The fastest rotor of free spin at the start; the modes of run->whirl are those at that speed. */
static PetscErrorCode speed_at_start(const NsRun *run, PetscReal *speed)
{
  const NsFreeSpin *spin;
  PetscInt          count = 0;

  PetscFunctionBegin;
  *speed = 0;
  if (run->model->ops->free_spins) PetscCall(run->model->ops->free_spins(run->model, run->state.v, &count, &spin));
  for (PetscInt r = 0; r < count; r++) *speed = PetscMax(*speed, spin[r].start);
  PetscFunctionReturn(0);
}

static NsStabilityMode at_speed(NsStabilityMode mode, PetscReal more)
{
  mode.gyroscopic_rate += more * mode.gyroscopic_rise;
  return mode;
}

PetscErrorCode NsRunWhirlLimit(NsRun *run, PetscReal speed, PetscReal *limit)
{
  PetscReal start;

  PetscFunctionBegin;
  PetscCall(speed_at_start(run, &start));
  *limit = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < run->whirls; i++) {
    const NsStabilityMode mode = at_speed(run->whirl[i], PetscMax(0, speed - start));
    *limit                     = PetscMin(*limit, NsSchemeGrowthLimit(run->scheme->type, run->scheme->settings, &mode, run->config.time->end));
  }
  PetscFunctionReturn(0);
}

static PetscBool whirls_grow(const NsRun *run, PetscReal more)
{
  PetscBool grow = PETSC_FALSE;

  for (PetscInt i = 0; i < run->whirls && !grow; i++) {
    const NsStabilityMode mode = at_speed(run->whirl[i], more);
    grow                       = NsSchemeGrows(run->scheme->type, run->scheme->settings, &mode, run->config.time->end, run->step);
  }
  return grow;
}

PetscErrorCode NsRunSpinLimit(NsRun *run, PetscReal *speed)
{
  PetscReal start, low = 0, high = 1; /* rad/s above the start */

  PetscFunctionBegin;
  *speed = PETSC_MAX_REAL;
  if (run->scheme->type->bounded || run->step > run->step_limit) PetscFunctionReturn(0); /* follows the spin; is known to grow */
  while (high < 1e9 && !whirls_grow(run, high)) {
    low = high;
    high *= 2;
  }
  if (high >= 1e9) PetscFunctionReturn(0);
  for (int i = 0; i < 30; i++) {
    const PetscReal middle = (low + high) / 2;
    if (whirls_grow(run, middle))
      high = middle;
    else
      low = middle;
  }
  PetscCall(speed_at_start(run, &start));
  *speed = start + low;
  PetscFunctionReturn(0);
}

static PetscErrorCode check_step(NsRun *run, PetscBool exact)
{
  PetscReal stiffened = PETSC_MAX_REAL;

  PetscFunctionBegin;
  run->step_limit = run->contact_limit = PETSC_MAX_REAL;
  run->omega_max                       = 0;
  if (!run->model->ops->frequency_bound) PetscFunctionReturn(0);
  for (PetscInt part = 0; part < run->model->parts; part++) PetscCall(limit_part(run, part, PETSC_FALSE));
  if (exact || run->step > 0.9 * run->step_limit) { /* the bounds do not settle it */
    run->step_limit  = PETSC_MAX_REAL;
    run->omega_max   = 0;
    run->omega_exact = PETSC_TRUE;
    for (PetscInt part = 0; part < run->model->parts; part++) PetscCall(limit_part(run, part, PETSC_TRUE));
  }
  run->limit_at_once = run->step_limit;
  run->whirls        = 0;
  run->whirl         = NsArenaAlloc(run->arena, sizeof(*run->whirl) * (size_t)(NS_STABILITY_MODES * run->model->parts + 1));
  if (run->model->stiffening > 0) { /* damping by stiffness grows alike */
    const PetscReal omega = run->omega_max + run->model->stiffening;
    stiffened =
      NsSchemeStepLimit(run->scheme->type, run->scheme->settings, omega, run->omega_max > 0 ? run->damping_ratio * omega / run->omega_max : 0);
  }
  for (PetscInt part = 0; part < run->model->parts; part++) PetscCall(limit_growth(run, part));
  run->contact_limit = PetscMin(run->step_limit, stiffened);
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunCheckStep(NsRun *run, PetscBool exact)
{
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(NsKeepNumerics, message));
  code = check_step(run, exact);
  PetscCall(PetscPopErrorHandler());
  PetscCall(blame_numbers(run, code, message));
  PetscFunctionReturn(0);
}

const char *NsRunImplicitAdvice(const NsRun *run)
{
  if (run->model->massless) return "`mass: consistent` and an implicit scheme (moreau_jean with theta from 0.5)";
  return run->model->linear ? "an implicit scheme (moreau_jean with theta from 0.5)"
                            : "moreau_jean with theta from 0.5, which is implicit, at several times the cost of a step";
}

void NsRunJudgeStep(NsRun *run, PetscBool refuse)
{
  const NsPlace   place  = NsKeysPlace(run->config.scheme.where, "step");
  const char     *name   = run->scheme->type->variant->name;
  const PetscBool slowly = run->limit_by_growth && run->step <= run->limit_at_once ? PETSC_TRUE : PETSC_FALSE;

  if (run->step_limit == 0) {
    if (refuse)
      NsDiagError(run->diag, place, "%s with these settings is unstable at every step: the run would blow up", name);
    else
      NsDiagWarning(run->diag, place, "%s with these settings is unstable at every step: the run will blow up", name);
    NsDiagNote(run->diag, "take half_explicit, or moreau_jean with theta from 0.5; see `percuss explain scheme.%s`%s", name,
      refuse ? "; --force runs it all the same" : "");
  } else if (run->scheme->type->bounded) {
    return;
  } else if (run->step > run->step_limit * (1 + 1e-9)) {
    if (refuse)
      NsDiagError(run->diag, place, "the step, %g s, is above the stability limit of %s, %.5g s: %s", run->step, name, run->step_limit,
        slowly ? "whirling modes would grow" : "the run would blow up");
    else
      NsDiagWarning(run->diag, place, "the step, %g s, is above the stability limit of %s, %.5g s: %s", run->step, name, run->step_limit,
        slowly ? "whirling modes will grow" : "the run will blow up");
    NsDiagNote(run->diag, "the limit is set by the %s", run->limit_where);
    NsDiagNote(run->diag, "take a smaller step, larger elements, %s%s%s%s", run->model->massless ? "" : "`mass: lumped`, ",
      run->limit_by_growth     ? "a little damping (such as rayleigh: {stiffness: 0.1 us}), or "
      : run->damping_ratio > 0 ? "less damping, or "
                               : "or ",
      NsRunImplicitAdvice(run), refuse ? "; --force runs it all the same" : "");
  } else if (run->step > run->contact_limit) {
    NsDiagWarning(run->diag, place,
      "the step, %g s, is above %.5g s: contacts that press nodes without mass on what has mass (other bodies, rotations) may make it unstable while closed",
      run->step, run->contact_limit);
    NsDiagNote(run->diag, "this bound is on the safe side; watch the energy that the scheme makes, or give both bodies `mass: redistributed`");
  } else if (run->step > 0.9 * run->step_limit) {
    NsDiagWarning(run->diag, place, "the step, %g s, is within a tenth of the stability limit of %s, %.5g s: the highest frequencies are badly off",
      run->step, name, run->step_limit);
  }
}
