/*
  run.json: what produced these results, and how the run ended; config.yaml: the config as run, overrides applied.

  Both are written before the first step. run.json then says "running", and is written anew at the end with the summary: one that still says
  so without a process of that pid on that host belongs to a run that was killed.
*/
#include "core/arena_stream.h"
#include "core/json.h"
#include "core/sha256.h"
#include "output/file.h"
#include "private.h"
#include "versions.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

struct NsManifest {
  char   started[32];
  char   config_hash[NS_SHA256_TEXT]; /* of config.yaml; "": no config.yaml */
  NsJson json;                        /* kept between start and end, so that the end needs no memory */
};

/* ISO 8601, UTC. */
static void now(char text[32])
{
  const time_t seconds = time(NULL);
  struct tm    utc;

  gmtime_r(&seconds, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* "program.commit" goes into "program": the paths of a group must be adjacent. */
static PetscErrorCode put_versions(NsJson *json)
{
  NsVersion   version[NS_VERSIONS];
  const char *group = "";
  int         count;

  PetscFunctionBegin;
  PetscCall(NsVersionsHere(version, &count));
  for (int i = 0; i < count; i++) {
    const int length = (int)strcspn(version[i].path, ".");

    if (strncmp(group, version[i].path, (size_t)length + 1) != 0) {
      char name[32];

      if (*group) NsJsonClose(json);
      (void)snprintf(name, sizeof(name), "%.*s", length, version[i].path);
      NsJsonOpen(json, name, '{');
      group = version[i].path;
    }
    NsJsonString(json, version[i].path + length + 1, version[i].text);
  }
  NsJsonClose(json);
  PetscFunctionReturn(0);
}

/* A value of a study in the syntax of --set. */
static void put_graft(NsJson *json, const NsRunGraft *graft, NsArena *arena)
{
  NsArenaStream stream;
  FILE         *file = NsArenaStreamOpen(&stream, arena);

  fprintf(file, "%s=", graft->key);
  NsTreeWriteLine(graft->value, file);
  NsJsonString(json, NULL, NsArenaStreamClose(&stream, NULL));
}

/* What went in: command, config, files. */
static void put_inputs(NsJson *json, const NsRun *run, const char *as_run)
{
  const NsSource *source = run->tree ? run->tree->place.source : NULL;
  char            hash[NS_SHA256_TEXT];

  NsJsonOpen(json, "config", '{');
  NsJsonString(json, "path", run->options.config_path);
  if (source && source->text) NsSha256Bytes(source->text, source->size, hash);
  NsJsonString(json, "sha256", source && source->text ? hash : NULL);
  NsJsonString(json, "as_run_sha256", *as_run ? as_run : NULL); /* of config.yaml */
  NsJsonOpen(json, "set", '[');
  for (int i = 0; i < run->options.sets; i++) NsJsonString(json, NULL, run->options.set[i]);
  for (int i = 0; i < run->options.grafts; i++) put_graft(json, &run->options.graft[i], run->arena);
  NsJsonClose(json);
  NsJsonClose(json);
  NsJsonOpen(json, "command", '{');
  NsJsonBoolean(json, "force", run->options.force);
  NsJsonOpen(json, "petsc_options", '[');
  for (int i = 0; i < run->options.petsc_options; i++) NsJsonString(json, NULL, run->options.petsc_option[i]);
  NsJsonClose(json);
  NsJsonClose(json);
  if (*NsRunStartedFrom(run)) NsJsonString(json, "start", NsRunStartedFrom(run));
  NsJsonOpen(json, "inputs", '[');
  for (NsFileList *file = run->inputs; file; file = file->next) {
    NsJsonOpen(json, NULL, '{');
    NsJsonString(json, "path", file->path);
    NsJsonString(json, "sha256", NsFileListHash(file));
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

static void put_model(NsJson *json, const NsRun *run)
{
  const NsList   *bodies = &run->config.bodies;
  const NsChosen *chosen = bodies->items;

  NsJsonOpen(json, "model", '{');
  NsJsonString(json, "kind", run->model->kind);
  NsJsonInteger(json, "unknowns", run->model->unknowns);
  if (run->model->solver) NsJsonString(json, "free_dynamics", run->model->solver);
  NsJsonInteger(json, "bodies", bodies->count);
  NsJsonOpen(json, "body_types", '{');
  for (int i = 0; i < bodies->count; i++) NsJsonString(json, bodies->names[i], chosen[i].variant->name);
  NsJsonClose(json);
  NsJsonInteger(json, "contacts", run->model->candidates);
  NsJsonClose(json);
  NsJsonString(json, "scheme", run->scheme ? run->scheme->type->variant.name : NULL);
  NsJsonNumber(json, "step", run->options.analysis ? NAN : run->step);
  if (run->options.analysis || (run->scheme && run->scheme->type->varies))
    NsJsonNumber(json, "planned_steps", NAN); /* null: it takes as many as it needs, or none */
  else
    NsJsonInteger(json, "planned_steps", run->steps);
  NsJsonNumber(json, "end", run->config.time && !run->options.analysis ? run->config.time->end : NAN);
  /* null: not known, or none. */
  NsJsonNumber(json, "step_limit", run->stability.step_limit > 0 && run->stability.step_limit < PETSC_MAX_REAL ? run->stability.step_limit : NAN);
  NsJsonNumber(json, "omega_max", run->stability.omega_max > 0 && run->stability.omega_max < PETSC_MAX_REAL ? run->stability.omega_max : NAN);
}

/* What the user was warned of, before the first step and by the guard. */
static void put_warnings(NsJson *json, const NsRun *run)
{
  const char *warning;

  NsJsonOpen(json, "warnings", '[');
  for (int i = 0; run->diag && (warning = NsDiagWarningPrinted(run->diag, i)); i++) NsJsonString(json, NULL, warning);
  for (int kind = 0; kind < NS_GUARD_KINDS; kind++) {
    if (run->guard.exceeded[kind].exceeded) NsJsonString(json, NULL, run->guard.exceeded[kind].text);
  }
  NsJsonClose(json);
}

/* What the scheme itself counts. */
static void put_counters(const NsScheme *scheme, NsJson *json)
{
  NsCounter list[NS_COUNTERS];

  if (!scheme || !scheme->type->count) return; /* without a scheme there are no counters */
  const PetscInt count = scheme->type->count(scheme, list);
  NsJsonOpen(json, "scheme_work", '{');
  for (PetscInt i = 0; i < count; i++) NsJsonInteger(json, list[i].name, list[i].value);
  NsJsonClose(json);
}

/* A number for each solver of contact problems. */
static void put_stages(NsJson *json, const char *name, const PetscInt64 *value)
{
  NsJsonOpen(json, name, '{');
  for (int stage = 0; NsLocalStageNames[stage]; stage++) NsJsonInteger(json, NsLocalStageNames[stage], value[stage]);
  NsJsonClose(json);
}

/* How contacts were found, and the largest islands. */
static void put_contact(NsJson *json, const NsContact *contact)
{
  const NsContactFigures *figures = NsContactGetFigures(contact);

  NsJsonOpen(json, "contact_search", '{');
  NsJsonString(json, "method", NsContactSearchName(contact));
  NsJsonInteger(json, "gaps", figures->gaps);
  NsJsonInteger(json, "searches", figures->searches);
  NsJsonInteger(json, "most_active", figures->most_active);
  NsJsonInteger(json, "most_islands", figures->most_islands);
  NsJsonInteger(json, "most_dense_rows", figures->most_dense);
  NsJsonInteger(json, "most_sparse_rows", figures->most_sparse);
  NsJsonInteger(json, "shared_solves", figures->shared);
  NsJsonClose(json);
}

static void put_summary(NsJson *json, const NsRun *run)
{
  const NsLedger     *ledger  = &run->ledger;
  const NsRunFigures *figures = &run->figures;

  NsJsonOpen(json, "summary", '{');
  NsJsonInteger(json, "steps", figures->steps);
  NsJsonInteger(json, "impulsive_steps", figures->impulsive_steps);
  if (figures->short_steps) NsJsonInteger(json, "short_steps", figures->short_steps);
  NsJsonNumber(json, "time", run->state.t);
  NsJsonNumber(json, "max_penetration", figures->max_penetration);
  for (int i = 0; i < run->writers; i++) {
    if (run->writer[i]->type->summary && run->writer[i]->data) run->writer[i]->type->summary(run->writer[i], json);
  }
  NsJsonNumber(json, "setup_seconds", figures->setup_seconds);
  NsJsonNumber(json, "loop_seconds", figures->loop_seconds);
  NsJsonNumber(json, "writing_seconds", figures->writing_seconds);
  NsJsonNumber(json, "seconds_per_step", figures->steps ? figures->loop_seconds / (double)figures->steps : NAN);
  NsJsonNumber(json, "energy_numerical_max", ledger->numerical_max);
  NsJsonOpen(json, "energy", '{');
  NsJsonNumber(json, "initial", ledger->initial);
  NsJsonNumber(json, "kinetic", ledger->now.kinetic);
  NsJsonNumber(json, "elastic", ledger->now.elastic);
  NsJsonNumber(json, "potential", ledger->now.potential);
  NsJsonNumber(json, "damping", ledger->damping);
  NsJsonNumber(json, "impact", ledger->impact);
  NsJsonNumber(json, "friction", ledger->friction);
  NsJsonNumber(json, "load", ledger->external);
  NsJsonNumber(json, "numerical", ledger->numerical);
  NsJsonClose(json);
  NsRunPutSwitches(run, json);
  if (run->contact) put_contact(json, run->contact);
  if (run->contact) {
    const NsLocalStatistics *statistics = NsContactStatistics(run->contact);

    NsJsonOpen(json, "contact_solver", '{');
    NsJsonInteger(json, "calls", statistics->calls);
    NsJsonInteger(json, "iterations", statistics->iterations);
    NsJsonInteger(json, "most_iterations", statistics->most_iterations);
    NsJsonInteger(json, "most_contacts", statistics->most_contacts);
    put_stages(json, "solved_by", statistics->solved);
    put_stages(json, "tried", statistics->tried);
    put_stages(json, "iterations_of", statistics->worked);
    NsJsonInteger(json, "kept_inverse", NsContactGetFigures(run->contact)->lasting);
    NsJsonInteger(json, "loose", statistics->loose);
    NsJsonInteger(json, "failures", statistics->failures);
    NsJsonClose(json);
  }
  put_counters(run->scheme, json);
  NsJsonClose(json);
}

/* Limits that were exceeded, and how far. */
static void put_exceeded(NsJson *json, const NsRun *run)
{
  NsJsonOpen(json, "exceeded", '[');
  for (int kind = 0; kind < NS_GUARD_KINDS; kind++) {
    const NsExceeded *exceeded = &run->guard.exceeded[kind];
    if (!exceeded->exceeded) continue;
    NsJsonOpen(json, NULL, '{');
    NsJsonString(json, "kind", NsGuardNames[kind]);
    NsJsonString(json, "message", exceeded->text);
    NsJsonString(json, "name", exceeded->name);
    NsJsonNumber(json, "since", exceeded->since);
    NsJsonInteger(json, "step", exceeded->step);
    NsJsonNumber(json, "limit", exceeded->limit);
    NsJsonNumber(json, "worst", exceeded->worst);
    NsJsonNumber(json, "worst_at", exceeded->worst_at);
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

/* Bytes of the tables. */
static void put_sizes(NsJson *json, const NsRun *run)
{
  NsJsonOpen(json, "sizes", '{');
  for (const NsFileList *file = run->sink.files; file; file = file->next) {
    if (file->size > 0) NsJsonInteger(json, file->path, file->size);
  }
  NsJsonClose(json);
}

static PetscErrorCode write_manifest(NsRun *run, PetscBool ended)
{
  static const char *const status[]  = {[NS_EXIT_DONE] = "done", [NS_EXIT_FAILED] = "failed", [NS_EXIT_STOPPED] = "stopped"};
  NsManifest              *self      = run->manifest;
  NsJson                  *json      = &self->json;
  char                     host[256] = "", ended_at[32];
  PetscMPIInt              ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  now(ended_at);
  gethostname(host, sizeof(host) - 1);
  NsJsonClear(json);
  NsJsonOpen(json, NULL, '{');
  NsJsonString(json, "name", run->sink.name);
  NsJsonString(json, "title", run->config.title);
  NsJsonString(json, "exit_status", ended ? status[NsRunExit(run)] : "running");
  NsJsonString(json, "failure", ended && *NsRunMessage(run) ? NsRunMessage(run) : NULL);
  NsJsonString(json, "started", self->started);
  NsJsonString(json, "ended", ended ? ended_at : NULL);
  NsJsonString(json, "host", host);
  NsJsonInteger(json, "pid", (long long)getpid());
  NsJsonInteger(json, "ranks", ranks);
  PetscCall(put_versions(json));
  put_inputs(json, run, self->config_hash);
  put_model(json, run);
  put_warnings(json, run);
  if (ended) {
    put_exceeded(json, run);
    put_summary(json, run);
  }
  NsJsonOpen(json, "outputs", '[');
  for (const NsFileList *file = run->sink.files; file; file = file->next) NsJsonString(json, NULL, file->path);
  NsJsonClose(json);
  if (ended) put_sizes(json, run);
  NsJsonClose(json);
  NsFileReplace(&run->sink, "run.json", json->text, json->used, PETSC_TRUE);
  PetscFunctionReturn(0);
}

PetscErrorCode NsManifestOpen(NsRun *run)
{
  static const char *const own[] = {"run.json", "config.yaml", NULL};
  NsSink                  *sink  = &run->sink;
  NsManifest              *self  = NsArenaAlloc(run->arena, sizeof(*self));

  PetscFunctionBegin;
  NsFileClaim(sink, own); /* nothing to do, unless memory ended while they were claimed with the files of the writers */
  now(self->started);
  NsJsonBegin(&self->json, 16384);
  run->manifest = self; /* only now: if there was no memory, the last words of the run open it anew */
  if (run->tree) {
    size_t      size;
    const char *text = NsRunConfigText(run, &size);

    NsSha256Bytes(text, size, self->config_hash);
    NsFileReplace(sink, "config.yaml", text, size, PETSC_TRUE);
    NsFileListAdd(&sink->files, "config.yaml", run->arena);
  }
  NsFileListAdd(&sink->files, "run.json", run->arena);
  PetscCall(write_manifest(run, PETSC_FALSE));
  PetscFunctionReturn(0);
}

void NsManifestSerialize(NsRun *run, NsArchive *archive)
{
  char *started = run->manifest->started;

  NsArchiveBytes(archive, "started", sizeof(run->manifest->started), started);
  started[sizeof(run->manifest->started) - 1] = 0;
}

PetscErrorCode NsManifestClose(NsRun *run)
{
  PetscFunctionBegin;
  PetscCall(write_manifest(run, PETSC_TRUE));
  NsJsonEnd(&run->manifest->json);
  PetscFunctionReturn(0);
}
