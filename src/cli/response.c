/*
  percuss response CONFIG: amplitude and phase of the synchronous response to unbalance, over speed. Contacts, loads and weight are left out: it is
  the vibration about the static state.

  u(t) = A cos(Omega t + phase): A counts from the middle to the peak. At t = 0 the shaft's marks stand at the angles the config gives them; phase >
  0: u is ahead of them.
*/
#include <complex.h>
#include <string.h>
#include "arguments.h"
#include "cli.h"
#include "fe/response.h"
#include "output/modal.h"
#include "output/writer.h"

enum { SPEEDS, PROBES };

static NsCommandOption own[] = {[SPEEDS] = {"--speeds", "FROM:TO:N"}, [PROBES] = {"--probes", "NAME,NAME..."}, {NULL}};
static NsSpeedRange    range;

/* A probe, those of its columns that are displacements or rotations and not held, and the rotor along whose axis its orbit is seen. */
typedef struct {
  const char      *name;
  NsProbe          probe;
  PetscInt         columns, column[NS_PROBE_COLUMNS];
  PetscInt         axis[3]; /* column of ux, uy, uz, or -1 */
  const NsFeRotor *rotor;
  PetscReal        peak[NS_PROBE_COLUMNS], peak_speed[NS_PROBE_COLUMNS], peak_phase[NS_PROBE_COLUMNS];
} Place;

static bool read_values(void)
{
  if (!own[SPEEDS].value) {
    fprintf(stderr, "percuss response: which speeds? Such as --speeds \"0 rpm:6000 rpm:301\"\n");
    return false;
  }
  return NsOptionRange("response", &own[SPEEDS], &range);
}

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
static PetscErrorCode find_place(NsRun *run, const char *name, Place *place, bool *good)
{
  PetscBool found;
  char      why[256] = "";

  PetscFunctionBegin;
  memset(place, 0, sizeof(*place));
  place->name = name;
  PetscCall(run->model->ops->probe(run->model, name, &place->probe, &found, why, sizeof(why)));
  if (!found) {
    fprintf(stderr, "percuss response: --probes: %s\n  %s\n", why, run->model->probe_help);
    *good = false;
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 3; k++) place->axis[k] = -1;
  for (PetscInt c = 0; c < place->probe.columns; c++) {
    const NsProbeColumn *column = &place->probe.column[c];
    const char          *suffix = column->suffix;
    if (column->of_velocity || column->place || !column->entries || strlen(suffix) != 2 || !strchr("ur", suffix[0]) || !strchr("xyz", suffix[1]))
      continue;
    if (suffix[0] == 'u') place->axis[suffix[1] - 'x'] = place->columns;
    place->column[place->columns++] = c;
  }
  place->rotor = place->axis[0] >= 0 || place->axis[1] >= 0 || place->axis[2] >= 0 ? rotor_of(run->model, name) : NULL;
  PetscFunctionReturn(0);
}

/* --probes a,b, else what the config records. NULL after a message. */
static PetscErrorCode find_places(NsRun *run, Place **places, int *count)
{
  const NsStrings *names = &run->config.output->history->probes;
  const char      *list  = own[PROBES].value;
  bool             good  = true;

  PetscFunctionBegin;
  *count = names->count;
  if (list) {
    *count = 1;
    for (const char *p = list; *p; p++) *count += *p == ',';
  }
  *places = NsArenaAlloc(run->arena, sizeof(**places) * (size_t)(*count + 1));
  for (int i = 0; i < *count && good; i++) {
    const size_t length = list ? strcspn(list, ",") : 0;
    const char  *name   = list ? NsArenaCopy(run->arena, list, length) : names->items[i];
    PetscCall(find_place(run, name, &(*places)[i], &good));
    if (list) list += length + (list[length] == ',');
  }
  if (!good) *places = NULL;
  PetscFunctionReturn(0);
}

static void write_names(NsFile *file, const Place *places, int count)
{
  NsFileText(file, "speed");
  for (int i = 0; i < count; i++) {
    for (PetscInt c = 0; c < places[i].columns; c++) {
      const char *suffix = places[i].probe.column[places[i].column[c]].suffix;
      NsFilePrint(file, ",%.100s.%s.amplitude,%.100s.%s.phase", places[i].name, suffix, places[i].name, suffix);
    }
    if (places[i].rotor) NsFilePrint(file, ",%.100s.major,%.100s.minor", places[i].name, places[i].name);
  }
  NsFileText(file, "\n");
}

static void write_place(NsFile *file, Place *place, PetscReal speed, const PetscScalar *re, const PetscScalar *im)
{
  PetscComplex value[NS_PROBE_COLUMNS], u[3] = {0, 0, 0};
  PetscReal    major, minor;

  for (PetscInt c = 0; c < place->columns; c++) {
    const NsProbeColumn *column = &place->probe.column[place->column[c]];
    value[c]                    = 0;
    for (PetscInt k = 0; k < column->entries; k++) value[c] += column->weight[k] * (re[column->unknown[k]] + im[column->unknown[k]] * PETSC_i);
    NsFileText(file, ",");
    NsFileNumber(file, cabs(value[c]), ',');
    NsFileNumber(file, carg(value[c]), 0);
    if (cabs(value[c]) > place->peak[c]) {
      place->peak[c]       = cabs(value[c]);
      place->peak_speed[c] = speed;
      place->peak_phase[c] = carg(value[c]);
    }
  }
  if (!place->rotor) return;
  for (int k = 0; k < 3; k++) u[k] = place->axis[k] < 0 ? 0 : value[place->axis[k]];
  NsOrbit(place->rotor->axis, u, &major, &minor);
  NsFileText(file, ",");
  NsFileNumber(file, major, ',');
  NsFileNumber(file, minor, 0);
}

static PetscErrorCode sweep(NsRun *run, Place *places, int count, Vec unbalance[2])
{
  const NsFeRotor *rotors;
  const PetscInt   turning = NsFeRotors(run->model, &rotors);
  NsFile           file;
  Vec              x[2];
  PetscInt         columns = 1;

  PetscFunctionBegin;
  for (PetscInt r = 1; r < turning; r++) {
    if (rotors[r].ratio != 1)
      printf("%s turns at %.6g times the speed of %s: its unbalances are left out\n", rotors[r].name, rotors[r].ratio, rotors[0].name);
  }
  for (int i = 0; i < count; i++) columns += 2 * places[i].columns + 2;
  NsWriterOpenTable(&file, run, "response.csv", columns);
  write_names(&file, places, count);
  PetscCall(NsVecsCreate(run->model, &x[0], &x[1], NULL));
  for (long k = 0; k < range.count && run->exit == NS_EXIT_DONE; k++) {
    const PetscReal    speed = range.from + (range.to - range.from) * (PetscReal)k / (PetscReal)(range.count - 1);
    const PetscScalar *value[2];
    PetscBool          solved;
    Mat                M, C, K;
    PetscCall(NsFeOperators(run->model, speed, &M, &C, &K));
    PetscCall(NsResponseSolve(M, C, K, unbalance[0], unbalance[1], speed, x[0], x[1], &solved));
    PetscCall(MatDestroy(&M));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&K));
    if (!solved) {
      fprintf(stderr, "percuss response: warning: no answer at %.9g rad/s: a critical speed without damping, or a body that nothing holds\n", speed);
      for (int i = 0; i < 2; i++) PetscCall(VecSet(x[i], NAN));
    }
    for (int i = 0; i < 2; i++) PetscCall(VecGetArrayRead(x[i], &value[i]));
    NsFileNumber(&file, speed, 0);
    for (int i = 0; i < count; i++) write_place(&file, &places[i], speed, value[0], value[1]);
    NsFileText(&file, "\n");
    NsFileEndRow(&file);
    for (int i = 0; i < 2; i++) PetscCall(VecRestoreArrayRead(x[i], &value[i]));
  }
  NsFileClose(&file, PETSC_TRUE);
  PetscCall(NsVecsDestroy(&x[0], &x[1], NULL));
  PetscFunctionReturn(0);
}

static void print_peaks(const NsRun *run, const Place *places, int count)
{
  printf("%s: response to unbalance at %ld speeds from %.6g to %.6g rad/s%s\n", run->name, range.count, range.from, range.to,
    run->model->candidates ? "; contacts are left out" : "");
  printf("  %-28s %12s  %12s %12s %10s\n", "largest amplitude of", "m or rad", "at rad/s", "rpm", "phase, deg");
  for (int i = 0; i < count; i++) {
    for (PetscInt c = 0; c < places[i].columns; c++) {
      char name[256];
      snprintf(name, sizeof(name), "%s.%s", places[i].name, places[i].probe.column[places[i].column[c]].suffix);
      printf("  %-28s %12.5g  %12.6g %12.6g %10.1f\n", name, places[i].peak[c], places[i].peak_speed[c], places[i].peak_speed[c] * 30 / PETSC_PI,
        places[i].peak_phase[c] * 180 / PETSC_PI);
    }
  }
}

/* False after a message. */
static PetscErrorCode has_unbalance(NsRun *run, Vec unbalance[2], bool *has)
{
  PetscReal norm[2];

  PetscFunctionBegin;
  PetscCall(NsFeUnbalanceVectors(run->model, unbalance[0], unbalance[1]));
  for (int i = 0; i < 2; i++) PetscCall(VecNorm(unbalance[i], NORM_2, &norm[i]));
  *has = norm[0] > 0 || norm[1] > 0;
  if (!*has) fprintf(stderr, "percuss response: nothing in this model is out of balance: there is no response to compute\n");
  PetscFunctionReturn(0);
}

static PetscErrorCode respond(NsRun *run, int *code)
{
  Place *places;
  int    count;
  Vec    unbalance[2];
  bool   has = false;

  PetscFunctionBegin;
  PetscCall(find_places(run, &places, &count));
  if (!places) PetscFunctionReturn(0);
  PetscCall(NsVecsCreate(run->model, &unbalance[0], &unbalance[1], NULL));
  PetscCall(has_unbalance(run, unbalance, &has));
  if (has && NsAnalysisAllowed("response", run)) {
    PetscCall(NsModalOpen(run));
    if (run->exit == NS_EXIT_DONE) PetscCall(sweep(run, places, count, unbalance));
    if (run->exit == NS_EXIT_DONE) print_peaks(run, places, count);
    PetscCall(NsModalClose(run));
    *code = NsAnalysisEnd("response", run);
  } else if (run->exit == NS_EXIT_FAILED)
    *code = NS_EXIT_FAILED;
  PetscCall(NsVecsDestroy(&unbalance[0], &unbalance[1], NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode response_of_config(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(options, arena, diag, &run));
  NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NS_EXIT_INPUT;
  if (!NsDiagErrors(diag) && NsAnalysisPossible("response", run)) PetscCall(respond(run, code));
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

int NsCommandResponse(int argc, char **argv)
{
  static const char *const allowed[] = {"--out", "--set", "--overwrite", NULL};

  return NsCommandOnConfig(argc, argv, allowed, own, read_values, response_of_config);
}
