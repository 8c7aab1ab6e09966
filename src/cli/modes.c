/* percuss modes CONFIG: eigenfrequencies and mode shapes; over the speed of rotation, the Campbell diagram and critical speeds. Contacts are left
   out. */
#include "arguments.h"
#include "cli.h"
#include "output/modal.h"

enum { COUNT, SPEED, CAMPBELL };

static NsCommandOption own[] = {[COUNT] = {"--count", "N"}, [SPEED] = {"--speed", "SPEED"}, [CAMPBELL] = {"--campbell", "FROM:TO:N"}, {NULL}};

static struct {
  long         count;
  double       speed; /* rad/s, if own[SPEED] was given */
  NsSpeedRange range;
} wanted = {.count = 10};

static bool read_values(void)
{
  return NsOptionCount("modes", &own[COUNT], 1, 10000, &wanted.count) && NsOptionSpeed("modes", &own[SPEED], &wanted.speed) &&
         NsOptionRange("modes", &own[CAMPBELL], &wanted.range);
}

/* Rounding is not worth its digits; and no -0. */
static PetscReal visible(PetscReal value)
{
  return PetscAbsReal(value) < 1e-12 ? 0 : value;
}

static void print_modes(const NsRun *run, const NsModes *modes, const NsWhirl *whirl, PetscReal speed)
{
  const NsFeRotor *rotors;
  const PetscInt   turning = NsFeRotors(run->model, &rotors);

  printf("%s: %d mode%s of %d unknowns", run->name, (int)modes->count, modes->count == 1 ? "" : "s", (int)run->model->unknowns);
  if (turning) printf(" at %.6g rad/s (%.6g rpm)", speed, speed * 30 / PETSC_PI);
  printf("%s\n", run->model->candidates ? "; contacts are left out" : "");
  printf("  no.        rad/s           Hz  damping ratio  log. decrement  whirl            kind\n");
  for (PetscInt i = 0; i < modes->count; i++) {
    const NsMode *mode = &modes->mode[i];
    printf("  %3d %12.6g %12.6g ", (int)i + 1, mode->im, mode->im / (2 * PETSC_PI));
    if (mode->kind == NS_MODE_VIBRATION)
      printf("%14.4g  %14.4g  ", visible(mode->damping_ratio), visible(-2 * PETSC_PI * mode->re / mode->im));
    else
      printf("%14s  %14s  ", "-", "-");
    if (whirl[i].sense >= NS_WHIRL_FORWARD && whirl[i].sense <= NS_WHIRL_MIXED)
      printf("%-8s %6.3f  ", NsWhirlNames[whirl[i].sense], whirl[i].kappa);
    else
      printf("%-15s  ", NsWhirlNames[whirl[i].sense]);
    printf("%s", NsModeKindNames[mode->kind]);
    if (mode->kind == NS_MODE_OVERDAMPED) printf(", e^(%.6g t)", mode->re);
    printf("%s\n", mode->unstable ? ", UNSTABLE" : "");
  }
}

/* At each speed the lowest modes are followed, as many as wanted: where the highest of them is slower than the shaft, others may cross it. */
static void print_completeness(const NsCampbell *campbell)
{
  for (PetscInt s = 0; s < campbell->speeds; s++) {
    PetscReal highest = 0;
    PetscInt  count   = 0;

    for (PetscInt line = 0; line < campbell->lines; line++) {
      const NsCampbellPoint *point = &campbell->point[s * campbell->room + line];
      if (!point->there) continue;
      highest = PetscMax(highest, PetscAbsReal(point->im));
      count++;
    }
    if (count < wanted.count || highest >= PetscAbsReal(campbell->speed[s])) continue;
    printf("  from %.6g rad/s on the shaft is faster than the %d modes that are followed: others may have critical speeds there (--count)\n",
      campbell->speed[s], (int)wanted.count);
    return;
  }
}

static void print_events(const NsCampbell *campbell)
{
  PetscInt criticals = 0, onsets = 0;

  for (PetscInt e = 0; e < campbell->events; e++) {
    if (campbell->event[e].onset)
      onsets++;
    else
      criticals++;
  }
  printf("  critical speeds from %.6g to %.6g rad/s:%s\n", campbell->speed[0], campbell->speed[campbell->speeds - 1], criticals ? "" : " none");
  for (PetscInt e = 0; e < campbell->events; e++) {
    const NsCampbellEvent *event = &campbell->event[e];
    if (event->onset) continue;
    printf("    %12.8g rad/s %12.8g rpm  mode %d, %s, damping ratio %.4g\n", event->speed, event->speed * 30 / PETSC_PI, (int)event->line + 1,
      NsWhirlNames[event->sense], visible(event->damping_ratio));
  }
  for (PetscInt e = 0; e < campbell->events; e++) {
    const NsCampbellEvent *event = &campbell->event[e];
    if (!event->onset) continue;
    printf("  unstable above %.8g rad/s (%.8g rpm): mode %d, %s, at %.6g rad/s\n", event->speed, event->speed * 30 / PETSC_PI, (int)event->line + 1,
      NsWhirlNames[event->sense], event->frequency);
  }
  for (PetscInt line = 0; line < campbell->lines; line++) {
    const NsCampbellPoint *first = &campbell->point[line];
    if (first->there && first->unstable) printf("  unstable already at %.6g rad/s: mode %d\n", campbell->speed[0], (int)line + 1);
  }
}

static PetscErrorCode solve_modes(NsRun *run)
{
  const NsFeRotor *rotors;
  const PetscInt   turning = NsFeRotors(run->model, &rotors);
  const PetscReal  speed   = own[SPEED].value ? wanted.speed : turning ? rotors[0].speed : 0;
  Mat              M, C, K;
  NsModes          modes;
  NsWhirl         *whirl;

  PetscFunctionBegin;
  for (PetscInt r = 1; r < turning; r++) {
    if (rotors[r].ratio != 1) printf("%s turns at %.6g times the speed of %s\n", rotors[r].name, rotors[r].ratio, rotors[0].name);
  }
  PetscCall(NsFeOperators(run->model, speed, &M, &C, &K));
  PetscCall(NsModesSolve(M, C, K, (PetscInt)wanted.count, NS_MODES_AUTO, &modes));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&K));
  if (modes.count == 0) NsRunFail(run, "the eigensolver found no modes; another --count may help");
  whirl = NsArenaAlloc(run->arena, sizeof(*whirl) * (size_t)(modes.count + 1));
  PetscCall(NsModelWhirl(run->model, speed, &modes, whirl));
  print_modes(run, &modes, whirl, speed);
  NsModalWriteModes(run, &modes, whirl);
  PetscCall(NsModalWriteShapes(run, &modes));
  PetscCall(NsModesDestroy(&modes));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_campbell(NsRun *run)
{
  const NsSpinning spinning = NsSpinningModel(run->model);
  const NsFeRotor *rotors;
  NsCampbell       campbell;

  PetscFunctionBegin;
  if (!NsFeRotors(run->model, &rotors))
    fprintf(stderr, "percuss modes: warning: --campbell: this model has no rotor, its modes do not change with speed\n");
  PetscCall(
    NsCampbellCompute(&spinning, wanted.range.from, wanted.range.to, (PetscInt)wanted.range.count, (PetscInt)wanted.count, run->arena, &campbell));
  print_events(&campbell);
  print_completeness(&campbell);
  NsModalWriteCampbell(run, &campbell);
  PetscFunctionReturn(0);
}

static PetscErrorCode modes_of_config(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(options, arena, diag, &run));
  NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NS_EXIT_INPUT;
  if (!NsDiagErrors(diag) && NsAnalysisPossible("modes", run) && NsAnalysisAllowed("modes", run)) {
    PetscCall(NsModalOpen(run));
    if (run->exit == NS_EXIT_DONE) PetscCall(solve_modes(run));
    if (run->exit == NS_EXIT_DONE && wanted.range.count) PetscCall(solve_campbell(run));
    PetscCall(NsModalClose(run));
    *code = NsAnalysisEnd("modes", run);
  } else if (run->exit == NS_EXIT_FAILED)
    *code = NS_EXIT_FAILED;
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

int NsCommandModes(int argc, char **argv)
{
  static const char *const allowed[] = {"--out", "--set", "--overwrite", NULL};

  return NsCommandOnConfig(argc, argv, allowed, own, read_values, modes_of_config);
}
