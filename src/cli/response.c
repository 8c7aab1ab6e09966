/*
  percuss response CONFIG: amplitude and phase of the synchronous response to unbalance, over speed. Contacts, loads and weight are left out: it is
  the vibration about the static state.

  u(t) = A cos(Omega t + phase): A is zero to peak. At t = 0 unbalances are at their `phase` of the config; phase >
  0: u leads.
*/
#include <complex.h>
#include <string.h>
#include "command.h"
#include "results.h"
#include "analysis/response.h"
#include "fe/fe.h"
#include "output/analyses.h"
#include "output/settings.h"

enum { SPEEDS, PROBES };

static NsOption options[] = {
  [SPEEDS] = {.name = "--speeds", .takes = "FROM:TO:N", .required = true, .about = "N equally spaced speeds, such as \"100 rpm:6000 rpm:60\""},
  [PROBES] = {.name = "--probes", .takes = "NAME,NAME...", .about = "points whose response is computed (default: those of output.history)"},
  NS_OPTION_OUT,
  NS_OPTION_TRUST,
  NS_OPTION_SET,
  NS_OPTION_OVERWRITE,
  {NULL},
};
static NsSpeedRange range;

/* A probe, its columns of free displacements and rotations, and the rotor about whose axis its orbit is computed. */
typedef struct {
  const char      *name;
  NsProbe          probe;
  PetscInt         columns, column[NS_PROBE_COLUMNS];
  PetscInt         axis[3]; /* column of ux, uy, uz, or -1 */
  const NsFeRotor *rotor;
  PetscReal        peak[NS_PROBE_COLUMNS], peak_speed[NS_PROBE_COLUMNS], peak_phase[NS_PROBE_COLUMNS];
} Probed;

/* The rotor whose name the probe's begins with, else the first. */
static const NsFeRotor *rotor_of(NsModel *model, const char *probe)
{
  const NsFeRotor *rotors;
  const PetscInt   count = NsFeRotors(model, &rotors);

  for (PetscInt r = 0; r < count; r++) {
    const size_t length = strlen(rotors[r].name);
    if (!strncmp(probe, rotors[r].name, length) && (probe[length] == '.' || probe[length] == '@')) return &rotors[r];
  }
  return count ? &rotors[0] : NULL;
}

/* False after a message. */
static PetscErrorCode find_probe(NsRun *run, const char *name, Probed *probed, bool *good)
{
  PetscBool found;
  char      why[256] = "";

  PetscFunctionBegin;
  memset(probed, 0, sizeof(*probed));
  probed->name = name;
  PetscCall(NsRunModel(run)->view.probe(NsRunModel(run), name, &probed->probe, &found, why, sizeof(why)));
  if (!found) {
    fprintf(stderr, "percuss response: --probes: %s\n  %s\n", why, NsRunModel(run)->probe_help);
    *good = false;
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 3; k++) probed->axis[k] = -1;
  for (PetscInt c = 0; c < probed->probe.columns; c++) {
    const NsProbeColumn *column = &probed->probe.column[c];
    const char          *suffix = column->suffix;
    if (column->of_velocity || column->coordinate || !column->entries || strlen(suffix) != 2 || !strchr("ur", suffix[0]) || !strchr("xyz", suffix[1]))
      continue;
    if (suffix[0] == 'u') probed->axis[suffix[1] - 'x'] = probed->columns;
    probed->column[probed->columns++] = c;
  }
  probed->rotor = probed->axis[0] >= 0 || probed->axis[1] >= 0 || probed->axis[2] >= 0 ? rotor_of(NsRunModel(run), name) : NULL;
  PetscFunctionReturn(0);
}

/* --probes a,b, else what the config records. NULL after a message. */
static PetscErrorCode find_probes(NsRun *run, Probed **probes, int *count)
{
  const NsStrings *names = NsHistoryProbes(NsRunSettings(run)->output);
  const char      *list  = options[PROBES].value;
  bool             good  = true;

  PetscFunctionBegin;
  *count = names->count;
  if (list) {
    *count = 1;
    for (const char *p = list; *p; p++) *count += *p == ',';
  }
  *probes = NsArenaAlloc(NsRunArena(run), sizeof(**probes) * (size_t)(*count + 1));
  for (int i = 0; i < *count && good; i++) {
    const size_t length = list ? strcspn(list, ",") : 0;
    const char  *name   = list ? NsArenaCopy(NsRunArena(run), list, length) : names->items[i];
    PetscCall(find_probe(run, name, &(*probes)[i], &good));
    if (list) list += length + (list[length] == ',');
  }
  if (!good) *probes = NULL;
  PetscFunctionReturn(0);
}

/* The subjects of the table: each column of each probe, and the orbits. Also how many. */
static PetscInt name_subjects(const Probed *probes, int count, NsSubject *subject, NsArena *arena)
{
  PetscInt n = 0;

  for (int i = 0; i < count; i++) {
    for (PetscInt c = 0; c < probes[i].columns; c++) {
      const char *suffix = probes[i].probe.column[probes[i].column[c]].suffix;
      subject[n++]       = (NsSubject){NsArenaPrint(arena, "%s.%s", probes[i].name, suffix), NS_RESPONSE_AMPLITUDE};
    }
    if (probes[i].rotor) subject[n++] = (NsSubject){probes[i].name, NS_RESPONSE_ORBIT};
  }
  return n;
}

/* A probe's values in the row; returns where the next one's begin. */
static NsResponseValue *respond_at(Probed *probed, PetscReal speed, const PetscScalar *re, const PetscScalar *im, NsResponseValue *to)
{
  PetscComplex value[NS_PROBE_COLUMNS], u[3] = {0, 0, 0};

  for (PetscInt c = 0; c < probed->columns; c++, to++) {
    const NsProbeColumn *column = &probed->probe.column[probed->column[c]];
    value[c]                    = 0;
    for (PetscInt k = 0; k < column->entries; k++) value[c] += column->weight[k] * (re[column->unknown[k]] + im[column->unknown[k]] * PETSC_i);
    to->amplitude = cabs(value[c]);
    to->phase     = carg(value[c]);
    if (to->amplitude > probed->peak[c]) {
      probed->peak[c]       = to->amplitude;
      probed->peak_speed[c] = speed;
      probed->peak_phase[c] = to->phase;
    }
  }
  if (!probed->rotor) return to;
  for (int k = 0; k < 3; k++) u[k] = probed->axis[k] < 0 ? 0 : value[probed->axis[k]];
  NsOrbit(probed->rotor->axis, u, &to->major, &to->minor);
  return to + 1;
}

/* Unbalances beside rotors that turn at another speed than the first rotor, or unbalance. */
static void note_other_speeds(NsRun *run, const NsFeRotor *rotors, PetscInt turning)
{
  PetscReal *ratio = NsArenaAlloc(NsRunArena(run), sizeof(*ratio) * (size_t)(NsRunSettings(run)->attachments[NS_ATTACHMENT_Unbalance].count + 1));

  for (PetscInt k = NsFeUnbalanceRatios(NsRunModel(run), ratio) - 1; k >= 0; k--) {
    PetscBool of_rotor = ratio[k] == 1;
    for (PetscInt r = 0; r < turning; r++) of_rotor = of_rotor || ratio[k] == rotors[r].ratio;
    if (!of_rotor) printf("unbalances that turn at %.6g times the speed of the first one are ignored\n", ratio[k]);
  }
}

static PetscErrorCode sweep(NsRun *run, Probed *probes, int count, Vec unbalance[2])
{
  const NsFeRotor *rotors;
  const PetscInt   turning = NsFeRotors(NsRunModel(run), &rotors);
  NsArena         *arena   = NsRunArena(run);
  NsSubject       *subject = NsArenaAlloc(arena, sizeof(*subject) * (size_t)count * (NS_PROBE_COLUMNS + 1));
  const PetscInt   values  = name_subjects(probes, count, subject, arena);
  NsResponseRow   *row     = NsArenaAlloc(arena, NsCsvRowSize(&NsCsvType_Response, values));
  NsCsv            csv;
  Vec              x[2];

  PetscFunctionBegin;
  for (PetscInt r = 1; r < turning; r++) {
    if (rotors[r].ratio != 1)
      printf("%s turns at %.6g times the speed of %s: its unbalances are ignored\n", rotors[r].name, rotors[r].ratio, rotors[0].name);
  }
  note_other_speeds(run, rotors, turning);
  NsAnalysisWarnOfTables("response", run, range.from, range.to);
  NsCsvOpen(&csv, NsRunSink(run), &NsCsvType_Response, values, subject);
  PetscCall(NsVecsCreate(NsRunModel(run), &x[0], &x[1], NULL));
  for (long k = 0; k < range.count && NsRunExit(run) == NS_EXIT_DONE; k++) {
    const PetscReal    speed = range.from + (range.to - range.from) * (PetscReal)k / (PetscReal)(range.count - 1);
    const PetscScalar *value[2];
    PetscBool          solved;
    Mat                M, C, K;
    PetscCall(NsFeOperators(NsRunModel(run), speed, &M, &C, &K));
    PetscCall(NsResponseSolve(M, C, K, unbalance[0], unbalance[1], speed, x[0], x[1], &solved));
    PetscCall(MatDestroy(&M));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&K));
    if (!solved) {
      fprintf(stderr, "percuss response: warning: no response at %.9g rad/s: an undamped critical speed, or a body without supports\n", speed);
      for (int i = 0; i < 2; i++) PetscCall(VecSet(x[i], NAN));
    }
    for (int i = 0; i < 2; i++) PetscCall(VecGetArrayRead(x[i], &value[i]));
    NsResponseValue *to = row->value;
    row->speed          = speed;
    for (int i = 0; i < count; i++) to = respond_at(&probes[i], speed, value[0], value[1], to);
    NsRunSink(run)->now = NsSeconds();
    NsCsvRow(&csv, row);
    for (int i = 0; i < 2; i++) PetscCall(VecRestoreArrayRead(x[i], &value[i]));
  }
  NsCsvClose(&csv);
  PetscCall(NsVecsDestroy(&x[0], &x[1], NULL));
  PetscFunctionReturn(0);
}

static void print_peaks(NsRun *run, const Probed *probes, int count)
{
  printf("%s: response to unbalance at %ld speeds from %.6g to %.6g rad/s%s\n", NsRunSink(run)->name, range.count, range.from, range.to,
    NsFeHasContacts(NsRunModel(run)) ? "; contacts are ignored" : "");
  printf("  %-28s %12s  %12s %12s %10s\n", "largest amplitude of", "m or rad", "at rad/s", "rpm", "phase, deg");
  for (int i = 0; i < count; i++) {
    for (PetscInt c = 0; c < probes[i].columns; c++) {
      char name[256];
      snprintf(name, sizeof(name), "%s.%s", probes[i].name, probes[i].probe.column[probes[i].column[c]].suffix);
      printf("  %-28s %12.5g  %12.6g %12.6g %10.1f\n", name, probes[i].peak[c], probes[i].peak_speed[c], probes[i].peak_speed[c] * 30 / PETSC_PI,
        probes[i].peak_phase[c] * 180 / PETSC_PI);
    }
  }
}

/* The response is that of the model as it is at t = 0. */
static void explain_none(const NsModel *model)
{
  for (PetscInt k = 0; k < model->switches.count; k++) {
    const NsSwitch *it = &model->switches.item[k];
    if (strcmp(it->kind, "unbalance") || !it->acts) continue;
    fprintf(stderr,
      "percuss response: no unbalance acts at t = 0, so there is no response to compute: '%s' begins at %g s\n  for its response add --set unbalances.%s.from=\"0 s\"\n",
      it->name, it->t, it->name);
    return;
  }
  fprintf(stderr, "percuss response: this model has no unbalance, so there is no response to compute\n");
}

/* False after a message. */
static PetscErrorCode has_unbalance(NsRun *run, Vec unbalance[2], bool *has)
{
  PetscReal norm[2];

  PetscFunctionBegin;
  PetscCall(NsFeUnbalanceVectors(NsRunModel(run), 1, unbalance[0], unbalance[1]));
  for (int i = 0; i < 2; i++) PetscCall(VecNorm(unbalance[i], NORM_2, &norm[i]));
  *has = norm[0] > 0 || norm[1] > 0;
  if (!*has) explain_none(NsRunModel(run));
  PetscFunctionReturn(0);
}

static PetscErrorCode respond(NsRun *run, int *code)
{
  Probed *probes;
  int     count;
  Vec     unbalance[2];
  bool    has = false;

  PetscFunctionBegin;
  PetscCall(find_probes(run, &probes, &count));
  if (!probes) PetscFunctionReturn(0);
  PetscCall(NsVecsCreate(NsRunModel(run), &unbalance[0], &unbalance[1], NULL));
  PetscCall(has_unbalance(run, unbalance, &has));
  if (has && NsAnalysisAllowed("response", run)) {
    PetscCall(NsRunOpenResults(run));
    if (NsRunExit(run) == NS_EXIT_DONE) PetscCall(sweep(run, probes, count, unbalance));
    if (NsRunExit(run) == NS_EXIT_DONE) print_peaks(run, probes, count);
    PetscCall(NsRunCloseResults(run));
    *code = NsAnalysisEnd("response", run);
  } else if (NsRunExit(run) == NS_EXIT_FAILED)
    *code = NS_EXIT_FAILED;
  PetscCall(NsVecsDestroy(&unbalance[0], &unbalance[1], NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode response_of_config(const NsRunOptions *settings, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(settings, arena, diag, &run));
  NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NS_EXIT_INPUT;
  if (!NsDiagErrors(diag) && NsAnalysisPossible("response", run)) PetscCall(respond(run, code));
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

static int call(const NsArguments *arguments)
{
  return NsOptionRange("response", &options[SPEEDS], &range) ? NsCommandOnConfig(arguments, response_of_config) : NS_EXIT_INPUT;
}

const NsCommand NsCommand_Response = {
  .name     = "response",
  .words    = "CONFIG",
  .options  = options,
  .petsc    = true,
  .analysis = true,
  .about    = "compute the steady-state response of rotors to unbalance, over speed",
  .description =
    "Contacts are ignored. Writes response.csv into out/NAME_response: amplitude A (zero to peak) and phase of the displacements u(t) = A cos(Omega t + phase) at the "
    "probes, at each speed. At t = 0 unbalances are at the `phase` of the config. A displacement with a positive phase leads cos(Omega t). The semi-axes of the orbits are written, too; the minor one is "
    "negative for backward whirl.",
  .examples = "response my_rotor.yaml --speeds \"100 rpm:6000 rpm:60\"",
  .call     = call,
};
