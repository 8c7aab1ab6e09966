/*
  What a step of a rotor costs, without output, in one run. Usage: bench_rotor [ROUNDS]

  1. The rotor in its safety bearing (configs/rotor_in_safety_bearing.yaml) with 5 to 80 elements, half-explicit scheme, each at 0.7 of its own step
     limit. The clearance is 0.1 um here, so that fine meshes with their small steps touch soon, too.
  2. The same example as it is, for 0.1 s: the half-explicit scheme with two step sizes at 5 us against Moreau's midpoint scheme (half-explicit, one
     percussion a step) at a tenth of that. Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on
     time-discontinuous Galerkin methods, 7.2, say 0.32 of the time.

  3. The same example for 0.1 s, 5 us, with positions free and held: what it costs to put the journal onto its bearing in each step.

  Time is that of the processor, rounds alternate, the best of each counts: machines are shared. Ratios are what matters.
*/
#include <math.h>
#include <slepcsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "run/private.h"

enum { STEPS = 20000, MESHES = 5 };

typedef struct {
  double     seconds, share;    /* share: of the time in contact */
  double     step, penetration; /* s, m */
  double     gap;               /* m: largest of a closed contact */
  PetscInt   unknowns;
  PetscInt64 steps;
} Cost;

static double processor_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void give_up(NsDiag *diag)
{
  NsDiagPrint(diag, stderr, false);
  exit(1);
}

/* Steps to `end` (s), or STEPS of them where it is 0; with the step of the config, or 0.7 of the limit. */
static PetscErrorCode measure(const char *const *set, double end, PetscBool choose_step, Cost *cost)
{
  NsArena      *arena   = NsArenaCreate();
  NsDiag       *diag    = NsDiagCreate(arena);
  NsRunOptions  options = {.config_path = PERCUSS_SOURCE_DIR "/configs/rotor_in_safety_bearing.yaml", .set = set};
  NsRun        *run;
  NsStepOutcome outcome;
  double        start;

  PetscFunctionBegin;
  while (set[options.sets]) options.sets++;
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  if (NsDiagErrors(diag)) give_up(diag);
  if (choose_step) {
    PetscCall(NsRunCheckStep(run, PETSC_TRUE));
    run->step  = 0.7 * run->stability.step_limit;
    run->clock = NsStepClockMake(run->step);
  }
  PetscCall(NsRunStart(run));
  *cost = (Cost){.step = run->step, .unknowns = run->model->unknowns};
  start = processor_seconds();
  while (end > 0 ? run->state.t < end - 1e-6 * run->step : cost->steps < STEPS) {
    const double before = run->state.t;
    PetscCall(NsSchemeStep(run->scheme, &run->state, run->step, &outcome));
    if (!outcome.done) give_up(diag);
    cost->steps++;
    if (!run->scheme->type->varies) run->state.t = NsRunTime(run, cost->steps);
    if (NsContactReports(run->contact)[0].state != NS_OPEN) {
      cost->share += run->state.t - before;
      cost->gap = fmax(cost->gap, fabs(NsContactReports(run->contact)[0].gap));
    }
    cost->penetration = fmax(cost->penetration, -NsContactReports(run->contact)[0].gap);
  }
  cost->seconds = processor_seconds() - start;
  cost->share /= run->state.t;
  PetscCall(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static PetscErrorCode best_of(const char *const *set, double end, PetscBool choose_step, Cost *best)
{
  Cost cost;

  PetscFunctionBegin;
  PetscCall(measure(set, end, choose_step, &cost));
  if (best->steps == 0 || cost.seconds < best->seconds) *best = cost;
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  static const char *const elements[MESHES] = {"bodies.shaft.mesh.line.elements=5", "bodies.shaft.mesh.line.elements=10",
    "bodies.shaft.mesh.line.elements=20", "bodies.shaft.mesh.line.elements=40", "bodies.shaft.mesh.line.elements=80"};
  const char *const        two_step[]       = {"scheme={type: half_explicit_two_step, step: 5 us, decide: once}", NULL};
  const char *const        moreau[]         = {"scheme={type: moreau_midpoint, step: 0.5 us}", NULL};
  static const char *const held[][2] = {{"scheme={type: half_explicit, step: 5 us}", "scheme={type: half_explicit, step: 5 us, positions: held}"},
    {"scheme={type: half_explicit_two_step, step: 5 us, decide: once}",
      "scheme={type: half_explicit_two_step, step: 5 us, decide: once, positions: held}"},
    {"scheme={type: moreau_midpoint, step: 5 us}", "scheme={type: moreau_midpoint, step: 5 us, positions: held}"},
    {"scheme={type: moreau_jean, step: 5 us}", "scheme={type: moreau_jean, step: 5 us, positions: held}"}};
  Cost                     position[4][2] = {{{0}}};
  const int                rounds         = argc > 1 ? atoi(argv[1]) : 5;
  Cost                     mesh[MESHES] = {{0}}, half = {0}, tenth = {0};

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < MESHES; i++) {
      const char *const set[] = {elements[i], "scheme={type: half_explicit, step: 1 us}", "contacts.rub.gap_offset=-99.9 um", NULL};
      PetscCall(best_of(set, 0, PETSC_TRUE, &mesh[i]));
    }
    PetscCall(best_of(two_step, 0.1, PETSC_FALSE, &half));
    PetscCall(best_of(moreau, 0.1, PETSC_FALSE, &tenth));
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 2; k++) PetscCall(best_of((const char *const[]){held[i][k], NULL}, 0.1, PETSC_FALSE, &position[i][k]));
    }
  }
  printf("half-explicit        DOF   step (us)   contact (%%)     us/step          ns/DOF\n");
  for (int i = 0; i < MESHES; i++) {
    const double each = mesh[i].seconds / (double)mesh[i].steps;
    printf("%8d elements  %6d  %10.4f  %12.1f  %10.2f  %14.1f\n", 5 << i, (int)mesh[i].unknowns, 1e6 * mesh[i].step, 100 * mesh[i].share, 1e6 * each,
      1e9 * each / mesh[i].unknowns);
  }
  printf("\n0.1 s of the example                 steps   contact (%%)   penetration (nm)     us/step   seconds\n");
  printf("half-explicit, two steps, 5 us   %9lld  %12.1f  %17.1f  %10.2f  %8.4f\n", (long long)half.steps, 100 * half.share, 1e9 * half.penetration,
    1e6 * half.seconds / (double)half.steps, half.seconds);
  printf("Moreau midpoint, 0.5 us          %9lld  %12.1f  %17.1f  %10.2f  %8.4f\n", (long long)tenth.steps, 100 * tenth.share,
    1e9 * tenth.penetration, 1e6 * tenth.seconds / (double)tenth.steps, tenth.seconds);
  printf("ratio of their times: %.3f (the paper: 0.32)\n", half.seconds / tenth.seconds);
  printf("\n0.1 s at 5 us, positions free and held     |gap| closed (m)        us/step   ratio of us/step\n");
  for (int i = 0; i < 4; i++) {
    const Cost  *free = &position[i][0], *kept = &position[i][1];
    const double each[2] = {1e6 * free->seconds / (double)free->steps, 1e6 * kept->seconds / (double)kept->steps};
    printf("%-40.40s  %.1e  %.1e  %6.2f  %6.2f  %10.3f\n", held[i][0] + strlen("scheme="), free->gap, kept->gap, each[0], each[1], each[1] / each[0]);
  }
  PetscCall(SlepcFinalize());
  return 0;
}
