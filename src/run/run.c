/* One run: from the config to a model, a scheme and a state, with all errors of the user reported. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contact/settings.h"
#include "core/out_of_memory.h"
#include "core/petsc_message.h"
#include "core/sha256.h"
#include "fe/fe.h"
#include "mechanism/mechanism.h"
#include "multibody/multibody.h"
#include "output/folder.h"
#include "output/settings.h"
#include "private.h"

/* "configs/elastic_bar.yaml" -> "elastic_bar"; characters other than letters, digits, '-', '_' and '.' become '_', because it names files. */
static const char *run_name(const char *path, NsArena *arena)
{
  const char *slash = strrchr(path, '/');
  const char *base  = slash ? slash + 1 : path;
  const char *dot   = strrchr(base, '.');
  char       *name  = NsArenaCopy(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));

  for (char *c = name; *c; c++) {
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c)) *c = '_';
  }
  if (*name == '.') *name = '_'; /* ".." would lead elsewhere */
  return *name ? name : "run";
}

/* The file that a scalar names; NULL: none. */
static void resolve_file(NsRun *run, NsNode *file)
{
  const char *path;
  char       *absolute;

  if (!file || file->kind != NS_NODE_SCALAR) return;
  path     = NsTreeFile(file, run->arena);
  absolute = realpath(path, NULL);
  if (!absolute && errno == ENOMEM) NsOutOfMemory();
  if (absolute) path = file->text = NsArenaCopy(run->arena, absolute, strlen(absolute));
  free(absolute);
  NsFileListAdd(&run->inputs, path, run->arena);
}

static void resolve_start(NsRun *run)
{
  NsNode *from     = NsTreeChild(NsTreeChild(run->tree, "start"), "from");
  char   *absolute = from ? realpath(from->text, NULL) : NULL;

  if (absolute) from->text = NsArenaCopy(run->arena, absolute, strlen(absolute));
  free(absolute);
}

static bool visit_file(void *run, const NsKey *key, NsNode *node)
{
  if (key->file) resolve_file(run, node);
  return !key->file;
}

/* Input files become absolute in the tree, so that the config.yaml among the results can be run from anywhere; and they are recorded. */
static void resolve_files(NsRun *run)
{
  NsKeysVisit(&NsTable_Config, run->tree, visit_file, run);
  resolve_start(run);
  for (PetscInt i = 0; run->model && i < run->model->includes; i++) NsFileListAdd(&run->inputs, run->model->include[i], run->arena);
}

const char *NsRunConfigText(const NsRun *run, size_t *size)
{
  return NsTreeText(run->tree, run->arena, size);
}

/* A mechanism among the bodies makes the model, or one of `type: body`; else they are finite elements. */
static PetscErrorCode make_model(NsRun *run, NsModelNeeds needs)
{
  const NsList   *bodies    = &run->config.bodies;
  const NsChosen *body      = bodies->items;
  PetscBool       mechanism = PETSC_FALSE, multibody = PETSC_FALSE;

  PetscFunctionBegin;
  for (int b = 0; b < bodies->count; b++) {
    mechanism = mechanism || NsMechanismIs(&body[b]);
    multibody = multibody || NsMultibodyIs(&body[b]);
  }
  if ((mechanism || multibody) && PetscGlobalSize > 1) {
    NsDiagError(run->diag, bodies->where[0]->key_place, "a %s runs on one process, not on %d", mechanism ? "mechanism" : "multibody system",
      (int)PetscGlobalSize);
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 2 && !mechanism && !multibody; k++) {
    if (!(k ? run->config.drives : run->config.joints).count) continue;
    NsDiagError(run->diag, NsTreeChild(run->config.where, k ? "drives" : "joints")->key_place,
      "%s are for bodies of `type: body`, and this model has none", k ? "drives" : "joints");
    PetscFunctionReturn(0);
  }
  if (mechanism)
    PetscCall(NsModelCreate_Mechanism(&run->config, run->arena, run->diag, &run->model));
  else if (multibody)
    PetscCall(NsModelCreate_Multibody(&run->config,
      (NsMultibodyLists){&run->config.forces[NS_FORCE_Spring], &run->config.attachments[NS_ATTACHMENT_Load]}, run->arena, run->diag, &run->model));
  else
    PetscCall(NsModelCreate_Fe(&run->config, needs, run->arena, run->diag, &run->model));
  PetscFunctionReturn(0);
}

/* Whether the scheme can step the model, before it is made; errors into diag. */
static PetscErrorCode check_scheme(NsRun *run, const NsSchemeType *type)
{
  const char *refusal;
  char        law[512];

  PetscFunctionBegin;
  if (run->model->massless && !type->massless)
    refusal = NsModelIsReduced(run->model)
                ? "the contact boundary of macneal has no mass, which only massless_contact supports; other schemes take `reduce: {method: rubin}`"
                : "contacts act on massless nodes (`mass: redistributed`), which only massless_contact supports";
  else if (type->adapts && run->model->velocity_jump > 0)
    refusal = NsArenaPrint(run->arena,
      "the velocity of a prescribed motion jumps at %.4g s, and its steps would miss the impulse; give a motion without jumps of velocity, or use a scheme with a fixed step",
      run->model->velocity_jump);
  else
    refusal = type->refuses ? type->refuses(run->model, run->config.scheme.settings) : NULL;
  if (!refusal) refusal = NsSchemeRefusesLaw(type, run->model, law, sizeof(law));
  if (refusal)
    NsDiagError(run->diag, NsKeysPlace(run->config.scheme.where, "type"), "scheme '%s' does not support this model: %s", type->variant.name, refusal);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_scheme(NsRun *run, const NsSchemeType *type)
{
  PetscFunctionBegin;
  PetscCall(NsSchemeCreate(&run->config.scheme, run->model, run->contact, &run->ledger, &run->scheme));
  if (*run->scheme->refusal) {
    NsDiagError(run->diag, NsKeysPlace(run->config.scheme.where, run->scheme->refusal_key ? run->scheme->refusal_key : "type"),
      "scheme '%s' does not support this model: %s", type->variant.name, run->scheme->refusal);
  }
  NsRunCheckSwitches(run);
  if (!type->bounded) PetscFunctionReturn(0);
  PetscCall(NsRunCheckStep(run, PETSC_FALSE));
  run->scheme->step_limit = run->stability.step_limit;
  PetscFunctionReturn(0);
}

/* The model, its initial state, and what steps it; an analysis has no scheme. */
static PetscErrorCode build(NsRun *run)
{
  const NsSchemeType *type = run->options.analysis ? NULL : NsSchemeFind(&run->config.scheme);

  PetscFunctionBegin;
  NsContactMaterialsCheck(&run->config, run->arena, run->diag);
  PetscCall(make_model(run, (NsModelNeeds){.stiffness = !type || type->implicit, .whole = run->options.analysis}));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  PetscCall(NsModelCheck(run->model));
  if (type) PetscCall(check_scheme(run, type));
  PetscCall(NsWritersCheck(run->config.output, run->model, run->config.time ? run->config.time->end : 0, run->arena, run->diag));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  PetscCall(run->model->dynamics.initial(run->model, &run->state));
  if (run->sink.writes && !NsLayoutIsNatural(run->model->layout)) {
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, run->model->unknowns, &run->whole_q));
    PetscCall(VecDuplicate(run->whole_q, &run->whole_v));
  }
  PetscCall(NsRunStartFrom(run));
  PetscCall(NsRunStartSynchronous(run));
  if (NsDiagErrors(run->diag)) PetscFunctionReturn(0);
  PetscCall(NsContactCreate(run->model, &run->contact));
  PetscCall(NsRunStartForces(run));
  if (type) PetscCall(make_scheme(run, type));
  PetscFunctionReturn(0);
}

/* After work under NsKeepNumerics: a numerical failure caused by the config is an error in diag, any other error is returned. */
PetscErrorCode NsRunBlameNumbers(NsRun *run, PetscErrorCode code, const char *message)
{
  PetscFunctionBegin;
  if (!*message) PetscCall(code);
  if (!code) PetscFunctionReturn(0);
  NsDiagError(run->diag, NsKeysPlace(run->config.where, "bodies"), NS_NUMERICS_SAID "%s", message);
  NsDiagNote(run->diag, NS_NUMERICS_NOTE);
  PetscFunctionReturn(0);
}

/* For an analysis of the static solution. */
static void take_static_start(NsRun *run)
{
  NsStartSettings *start = NsArenaAlloc(run->arena, sizeof(*start));

  if (!run->options.statics || run->config.start->state > 0) return;
  *start            = *run->config.start;
  start->state      = NS_START_STATIC;
  start->from       = NULL;
  run->config.start = start;
}

/* Whole steps, the last of which reaches the end; an end within a millionth of a step is met. */
static void plan_steps(NsRun *run)
{
  double steps;

  run->step  = ((const NsSchemeSettings *)run->config.scheme.settings)->step;
  run->clock = NsStepClockMake(run->step);
  steps      = run->config.time->end / run->step;
  if (steps > 1e15) {
    NsDiagError(run->diag, NsKeysPlace(run->config.scheme.where, "step"), "too many steps: %g steps of %g s to reach t = %g s", steps, run->step,
      run->config.time->end);
    return;
  }
  run->steps = (PetscInt64)ceil(steps - 1e-6);
  if (run->steps < 1) run->steps = 1;
}

#define NS_LONG 5.0 /* s */

/* Whether the model is to be built. Prints the estimated time and memory of a large model; with `quick` such a model is not built. */
static PetscBool is_to_be_built(NsRun *run)
{
  NsRunBuilding *building = &run->building;

  building->elements = NsFeForesee(&run->config, run->arena, &building->seconds, &building->bytes);
  if (building->seconds <= NS_LONG) return PETSC_TRUE;
  if (run->options.quick) return PETSC_FALSE;
  if (run->sink.writes && !run->options.quiet)
    fprintf(stderr, "percuss: building %.4g elements takes about %.3g s and %.3g GB of memory; percuss check --quick does not build them\n",
      building->elements, building->seconds, building->bytes / 1e9);
  return PETSC_TRUE;
}

PetscErrorCode NsRunCreate(const NsRunOptions *options, NsArena *arena, NsDiag *diag, NsRun **result)
{
  NsRun             *run                         = NsArenaAlloc(arena, sizeof(*run));
  char               message[PETSC_MAX_PATH_LEN] = "";
  const char *const *included;
  PetscErrorCode     code;

  PetscFunctionBegin;
  *result          = run;
  run->began       = NsSeconds();
  run->arena       = arena;
  run->diag        = diag;
  run->options     = *options;
  run->sink.writes = PetscGlobalRank == 0;
  run->sink.arena  = arena;
  run->sink.name   = options->name ? options->name : run_name(options->config_path, arena);
  run->tree        = options->config_text ? NsTreeReadText(options->config_path, options->config_text, strlen(options->config_text), arena, diag)
                     : options->repeat    ? NsTreeReadOwn(options->config_path, arena, diag)
                                          : NsTreeReadFile(options->config_path, arena, diag);
  if (!run->tree || !NsTreeInclude(run->tree, &included, arena, diag)) PetscFunctionReturn(0);
  for (int i = 0; included[i]; i++) NsFileListAdd(&run->inputs, included[i], arena);
  for (int i = 0; i < options->sets; i++) (void)NsTreeSet(run->tree, options->set[i], arena, diag);
  for (int i = 0; i < options->grafts; i++)
    (void)NsTreeGraft(run->tree, options->graft[i].key, options->graft[i].place, options->graft[i].value, arena, diag);
  if (!NsTreeFits(run->tree))
    NsDiagError(
      diag, (NsPlace){run->tree->place.source, 0, 0, 0}, "with the values of --set it has more than 100000 values, or more than 2 MB of text");
  if (NsTreeChild(run->tree, "config") && !NsTreeChild(run->tree, "bodies")) {
    NsDiagError(diag, NsTreeChild(run->tree, "config")->key_place, "this is a study, not the config of a single run");
    NsDiagNote(diag, "run it with: percuss study %s", options->config_path);
  }
  if (NsTreeChild(run->tree, "include"))
    NsDiagError(diag, NsTreeChild(run->tree, "include")->key_place, "files are included before values are set: name them in the config");
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  NsTreeTame(run->tree, arena);
  if (!NsTreeSubstitute(run->tree, &NsTable_Config, arena, diag)) PetscFunctionReturn(0);
  if (!NsConfigRead(run->tree, options->analysis, &run->config, arena, diag)) PetscFunctionReturn(0);
  take_static_start(run);
  run->sink.units     = run->config.output->units;
  run->sink.directory = options->directory ? options->directory : run->config.output->directory;
  if (!run->sink.directory) run->sink.directory = NsArenaPrint(arena, "out/%s", run->sink.name);
  if (!options->analysis) plan_steps(run);
  if (!is_to_be_built(run)) PetscFunctionReturn(0);
  PetscCall(PetscPushErrorHandler(NsKeepNumerics, message));
  code = build(run);
  PetscCall(PetscPopErrorHandler());
  PetscCall(NsRunBlameNumbers(run, code, message));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  resolve_files(run);
  run->figures.setup_seconds = NsSeconds() - run->began;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunDestroy(NsRun **result)
{
  NsRun *run = *result;

  PetscFunctionBegin;
  if (!run) PetscFunctionReturn(0);
  PetscCall(NsRunDestroy(&run->starts_from));
  PetscCall(NsSchemeDestroy(&run->scheme));
  PetscCall(NsContactDestroy(&run->contact));
  PetscCall(NsRunAccelerationDestroy(run));
  PetscCall(VecDestroy(&run->whole_q));
  PetscCall(VecDestroy(&run->whole_v));
  PetscCall(VecDestroy(&run->state.q));
  PetscCall(VecDestroy(&run->state.v));
  PetscCall(NsModelDestroy(&run->model));
  NsFolderClose(&run->sink.folder);
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscReal NsRunTime(const NsRun *run, PetscInt64 number)
{
  return NsStepClockTime(&run->clock, number, 1);
}

/* Nobody should wonder why a run does not begin. */
static PetscBool announce(void *data, PetscInt solves, double seconds)
{
  const NsRun *run = data;

  if (run->sink.writes && !run->options.quiet)
    fprintf(stderr, "percuss: preparing the %d degrees of freedom that contacts act on takes about %.2g s%s\n", (int)solves, seconds,
      run->scheme->type->implicit ? "" : "; with `mass: lumped` it takes no time");
  return PETSC_TRUE;
}

PetscErrorCode NsRunStart(NsRun *run)
{
  PetscFunctionBegin;
  run->model->patience = (NsPatience){announce, NULL, run};
  PetscCall(NsLedgerOpen(&run->ledger, run->model, &run->state));
  PetscCall(NsContactBeginStep(run->contact));
  PetscCall(NsContactEndStep(run->contact, &run->state));
  PetscCall(NsSchemeStart(run->scheme, &run->state));
  NsRunReportStart(run);
  PetscFunctionReturn(0);
}

PetscReal NsRunEndSlack(const NsRun *run)
{
  return run->scheme->type->adapts ? 1e-12 * run->config.time->end : 1e-6 * run->step;
}

PetscBool NsRunIsAtEnd(const NsRun *run)
{
  return run->scheme->type->varies ? run->state.t >= run->config.time->end - NsRunEndSlack(run) : run->figures.steps >= run->steps;
}

PetscReal NsRunStepLength(const NsRun *run)
{
  const PetscReal left = run->config.time->end - run->state.t;

  return run->scheme->type->adapts && left > 0 && left < run->step - NsRunEndSlack(run) ? left : run->step;
}

PetscErrorCode NsRunStep(NsRun *run, NsStepOutcome *outcome)
{
  const NsSchemeType *type   = run->scheme->type;
  const PetscReal     before = run->state.t;

  PetscFunctionBegin;
  if (run->model->switches.count) {
    PetscCall(NsRunSwitch(run, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  run->completed = PETSC_FALSE;
  PetscCall(NsSchemeStep(run->scheme, &run->state, NsRunStepLength(run), outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  run->last_step = run->state.t - before;
  run->figures.steps++;
  run->figures.impulsive_steps += outcome->impulsive;
  /* Times without the drift of a sum of lengths. */
  if (!type->varies)
    run->state.t = NsRunTime(run, run->figures.steps);
  else if (type->adapts && NsRunIsAtEnd(run))
    run->state.t = run->config.time->end;
  run->figures.short_steps += type->varies && !type->adapts && run->state.t - before < 0.99 * run->step;
  PetscFunctionReturn(0);
}

NsArena *NsRunArena(const NsRun *run)
{
  return run->arena;
}

const NsRunOptions *NsRunGetOptions(const NsRun *run)
{
  return &run->options;
}

const char *NsRunStartedFrom(const NsRun *run)
{
  return run->started_from ? run->started_from : "";
}

const NsNode *NsRunTree(const NsRun *run)
{
  return run->tree;
}

const NsConfig *NsRunSettings(const NsRun *run)
{
  return &run->config;
}

NsRunBuilding NsRunGetBuilding(const NsRun *run)
{
  return run->building;
}

NsModel *NsRunModel(const NsRun *run)
{
  return run->model;
}

NsContact *NsRunContact(const NsRun *run)
{
  return run->contact;
}

NsScheme *NsRunScheme(const NsRun *run)
{
  return run->scheme;
}

NsState *NsRunState(NsRun *run)
{
  return &run->state;
}

NsLedger *NsRunLedger(NsRun *run)
{
  return &run->ledger;
}

const NsGuard *NsRunGuard(const NsRun *run)
{
  return &run->guard;
}

NsSink *NsRunSink(NsRun *run)
{
  return &run->sink;
}

NsFileList *NsRunInputs(const NsRun *run)
{
  return run->inputs;
}

PetscReal NsRunTimeStep(const NsRun *run)
{
  return run->step;
}

PetscInt64 NsRunPlannedSteps(const NsRun *run)
{
  return run->steps;
}

const NsStability *NsRunStability(const NsRun *run)
{
  return &run->stability;
}

const NsRunFigures *NsRunGetFigures(const NsRun *run)
{
  return &run->figures;
}
