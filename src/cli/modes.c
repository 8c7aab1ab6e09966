/* percuss modes CONFIG: natural frequencies and mode shapes; over the speed of rotation, the Campbell diagram and critical speeds. Contacts are ignored. */
#include <string.h>
#include "command.h"
#include "core/text.h"
#include "results.h"
#include "analysis/export.h"
#include "analysis/modal.h"

enum { COUNT, SPEED, CAMPBELL, MATRICES, FORMAT };

static NsOption options[] = {
  [COUNT]    = {.name = "--count", .takes = "N", .about = "number of modes (default 10); a pair of conjugate eigenvalues counts once"},
  [SPEED]    = {.name = "--speed", .takes = "SPEED", .about = "speed of the rotors, such as \"4000 rpm\" (default: their speed in the config)"},
  [CAMPBELL] = {.name = "--campbell",
    .takes            = "FROM:TO:N",
    .about =
      "compute a Campbell diagram: modes at N equally spaced speeds, such as \"0 rpm:6000 rpm:61\", followed from one to the next, and critical speeds"},
  [MATRICES] = {.name = "--matrices",
    .about =
      "write the matrices too: stiffness.mtx, mass.mtx, damping.mtx, gyroscopic.mtx and circulatory.mtx (Matrix Market, SI), unknowns.dof and nodes.inp, which a body of `type: matrices` reads"},
  [FORMAT]   = {.name = "--format",
      .takes          = "FORMAT",
      .about =
        "file format of --matrices: matrix_market (default), calculix, abaqus or ansys (Harwell-Boeing, with its mapping and an archive of nodes)"},
  NS_OPTION_OUT,
  NS_OPTION_TRUST,
  NS_OPTION_SET,
  NS_OPTION_OVERWRITE,
  {NULL},
};

static struct {
  long           count;
  double         speed; /* rad/s, if --speed was given */
  NsSpeedRange   range;
  NsExportFormat format;
} wanted = {.count = 10};

/* Rounding errors are printed as 0, and so is -0. */
static PetscReal visible(PetscReal value)
{
  return PetscAbsReal(value) < 1e-12 ? 0 : value;
}

static void print_modes(NsRun *run, const NsModes *modes, const NsWhirl *whirl, PetscReal speed)
{
  const NsFeRotor *rotors;
  const PetscInt   turning = NsFeRotors(NsRunModel(run), &rotors), unknowns = NsRunModel(run)->unknowns, ties = NsFeTies(NsRunModel(run));

  printf("%s: %d %s of %d %s", NsRunSink(run)->name, (int)modes->count, NsPlural(modes->count, "mode", "modes"), (int)unknowns,
    NsPlural(unknowns, "degree of freedom", "degrees of freedom"));
  if (ties) printf(" with %d %s of ties, links and supports", (int)ties, NsPlural(ties, "equation", "equations"));
  if (turning) printf(" at %.6g rad/s (%.6g rpm)", speed, speed * 30 / PETSC_PI);
  printf("%s\n", NsFeHasContacts(NsRunModel(run)) ? "; contacts are ignored" : "");
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

/* Only the lowest modes are followed: above the speed that equals the highest of them, others may have critical speeds. */
static void print_completeness(const NsCampbell *campbell)
{
  for (PetscInt s = 0; s < campbell->speeds; s++) {
    PetscReal highest = 0;
    PetscInt  count   = 0;

    for (PetscInt line = 0; line < campbell->lines; line++) {
      const NsCampbellPoint *point = &campbell->point[s * campbell->capacity + line];
      if (!point->there) continue;
      highest = PetscMax(highest, PetscAbsReal(point->im));
      count++;
    }
    if (count < wanted.count || highest >= PetscAbsReal(campbell->speed[s])) continue;
    printf("  from %.6g rad/s on the speed exceeds the frequencies of all %d modes followed: higher modes may have critical speeds there (--count)\n",
      campbell->speed[s], (int)wanted.count);
    return;
  }
}

/* Whether the response to unbalance has a peak there: an oscillator under a force that grows with Omega^2 has one up to this damping ratio. */
static bool has_peak(const NsCampbellEvent *event)
{
  return event->damping_ratio < PETSC_SQRT2 / 2;
}

static void print_events(const NsCampbell *campbell)
{
  PetscInt criticals = 0, damped = 0;

  for (PetscInt e = 0; e < campbell->events; e++) {
    if (campbell->event[e].onset) continue;
    if (has_peak(&campbell->event[e]))
      criticals++;
    else
      damped++;
  }
  printf("  critical speeds from %.6g to %.6g rad/s:%s\n", campbell->speed[0], campbell->speed[campbell->speeds - 1], criticals ? "" : " none");
  for (PetscInt e = 0; e < campbell->events; e++) {
    const NsCampbellEvent *event = &campbell->event[e];
    if (event->onset || !has_peak(event)) continue;
    printf("    %12.8g rad/s %12.8g rpm  mode %d, %s, damping ratio %.4g\n", event->speed, event->speed * 30 / PETSC_PI, (int)event->line + 1,
      NsWhirlNames[event->sense], visible(event->damping_ratio));
  }
  if (damped)
    printf("  %d more crossing%s of a mode with the speed: damping ratio above 0.7, so the response to unbalance has no peak there\n", (int)damped,
      damped > 1 ? "s" : "");
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
  const PetscInt   turning = NsFeRotors(NsRunModel(run), &rotors);
  const PetscReal  speed   = options[SPEED].value ? wanted.speed : turning ? rotors[0].speed : 0;
  Mat              M, C, K;
  NsModes          modes;
  NsWhirl         *whirl;

  PetscFunctionBegin;
  for (PetscInt r = 1; r < turning; r++) {
    if (rotors[r].ratio != 1) printf("%s turns at %.6g times the speed of %s\n", rotors[r].name, rotors[r].ratio, rotors[0].name);
  }
  const PetscInt free_modes = NsRunModel(run)->unknowns - NsFeTies(NsRunModel(run));
  if (free_modes < 1) {
    NsSinkFail(NsRunSink(run), "the supports hold all DOF of the model");
    PetscFunctionReturn(0);
  }
  NsAnalysisWarnOfTables(
    "modes", run, wanted.range.count ? PetscMin(speed, wanted.range.from) : speed, wanted.range.count ? PetscMax(speed, wanted.range.to) : speed);
  PetscCall(NsFeOperators(NsRunModel(run), speed, &M, &C, &K));
  PetscCall(NsModesSolve(M, C, K, PetscMin((PetscInt)wanted.count, free_modes), NS_MODES_AUTO, &modes));
  if (options[MATRICES].value) {
    char why[200];
    PetscCall(NsExportMatrices(NsRunSink(run), NsRunModel(run), wanted.format, M, C, K, why, sizeof(why)));
    if (*why) NsSinkFail(NsRunSink(run), "%s", why);
  }
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&K));
  if (modes.count == 0) NsSinkFail(NsRunSink(run), "the eigensolver found no modes; try another --count");
  whirl = NsArenaAlloc(NsRunArena(run), sizeof(*whirl) * (size_t)(modes.count + 1));
  PetscCall(NsModelWhirl(NsRunModel(run), speed, &modes, whirl));
  print_modes(run, &modes, whirl, speed);
  NsModalWriteModes(NsRunSink(run), &modes, whirl);
  PetscCall(NsModalWriteShapes(NsRunSink(run), NsRunModel(run), &modes));
  PetscCall(NsModesDestroy(&modes));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_campbell(NsRun *run)
{
  const NsSpinning spinning = NsSpinningModel(NsRunModel(run));
  const NsFeRotor *rotors;
  NsCampbell       campbell;

  PetscFunctionBegin;
  if (!NsFeRotors(NsRunModel(run), &rotors))
    fprintf(stderr, "percuss modes: warning: --campbell: this model has no rotor, its modes do not change with speed\n");
  PetscCall(NsCampbellCompute(
    &spinning, wanted.range.from, wanted.range.to, (PetscInt)wanted.range.count, (PetscInt)wanted.count, NsRunArena(run), &campbell));
  print_events(&campbell);
  print_completeness(&campbell);
  NsModalWriteCampbell(NsRunSink(run), &campbell);
  PetscFunctionReturn(0);
}

static PetscErrorCode modes_of_config(const NsRunOptions *settings, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(settings, arena, diag, &run));
  NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NS_EXIT_INPUT;
  if (!NsDiagErrors(diag) && NsAnalysisPossible("modes", run) && NsAnalysisAllowed("modes", run)) {
    PetscCall(NsRunOpenResults(run));
    if (NsRunExit(run) == NS_EXIT_DONE) PetscCall(solve_modes(run));
    if (NsRunExit(run) == NS_EXIT_DONE && wanted.range.count) PetscCall(solve_campbell(run));
    PetscCall(NsRunCloseResults(run));
    *code = NsAnalysisEnd("modes", run);
  } else if (NsRunExit(run) == NS_EXIT_FAILED)
    *code = NS_EXIT_FAILED;
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

/* False after an error. */
static bool take_format(const char *word)
{
  int k = 0;

  if (!word) return true;
  while (NsExportWords[k] && strcmp(NsExportWords[k], word) != 0) k++;
  wanted.format = (NsExportFormat)k;
  if (!NsExportWords[k])
    fprintf(stderr, "percuss modes: --format: unknown format '%s'; expected matrix_market, calculix, abaqus or ansys\n", word);
  else if (!options[MATRICES].value)
    fprintf(stderr, "percuss modes: --format requires --matrices\n");
  return NsExportWords[k] && options[MATRICES].value;
}

static int call(const NsArguments *arguments)
{
  if (!NsOptionCount("modes", &options[COUNT], 1, 10000, &wanted.count)) return NS_EXIT_INPUT;
  if (!NsOptionSpeed("modes", &options[SPEED], &wanted.speed)) return NS_EXIT_INPUT;
  if (!NsOptionRange("modes", &options[CAMPBELL], &wanted.range)) return NS_EXIT_INPUT;
  if (!take_format(options[FORMAT].value)) return NS_EXIT_INPUT;
  return NsCommandOnConfig(arguments, modes_of_config);
}

const NsCommand NsCommand_Modes = {
  .name     = "modes",
  .words    = "CONFIG",
  .options  = options,
  .petsc    = true,
  .analysis = true,
  .about    = "compute natural frequencies, damping and mode shapes; Campbell diagram and critical speeds",
  .description =
    "Contacts are ignored. Prints frequency, damping and whirl direction of the lowest modes of a finite-element model, and writes modes.csv and frames of the mode shapes for ParaView into "
    "out/NAME_modes.\n"
    "\n"
    "With --campbell also campbell.csv, frequency and damping of each mode over speed, followed by its shape and eigenvalue; and critical_speeds.csv, the speeds at which a "
    "mode's frequency equals the speed, and those above which a mode is unstable.",
  .examples = "modes my_bar.yaml --count 5\n"
              "modes my_beam.yaml --matrices --format ansys --out matrices\n"
              "modes my_rotor.yaml --campbell \"0 rpm:6000 rpm:61\"",
  .call     = call,
};
