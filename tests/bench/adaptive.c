/*
  Accuracy against work of the half-explicit scheme, with steps of one length and with chosen ones (half_explicit_adaptive). Usage: bench_adaptive

  Positions at thirty times of each motion against a run with many small steps: root mean square over these times, of the journal in its safety bearing in um (15 ms, eleven
  impacts), of all coordinates over the largest of them for the others: a bouncing ball (closed form instead), the slider-crank with clearance, an elastic bar on a wall. Where
  in its step an impact falls is by chance: errors of steps of one length are means over five lengths about the one that is named. Work is steps tried, those taken again
  included. `like` is the number of steps of one length that make the same error, between two of them by a power law; and the share of them that chosen steps need.
*/
#include <math.h>
#include <slepcsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "output/settings.h"
#include "../motion.h"

enum { LINES = 12 };

typedef struct {
  const char *title, *config;
  double      end;          /* s */
  PetscBool   journal;      /* its orbit, not all coordinates */
  const char *more;         /* --set argument, or NULL */
  const char *reference;    /* a scheme; NULL: the closed form of the ball */
  const char *positions;    /* of steps of one length */
  double      fixed[LINES]; /* s, from long to short */
  const char *adaptive[LINES];
} Case;

static PetscErrorCode move(const Case *c, const char *scheme, Motion *motion)
{
  NsArena    *arena = NsArenaCreate();
  NsDiag     *diag  = NsDiagCreate(arena);
  char        type[256], config[512];
  const char *set[] = {
    type, "time.end=1000", "output.orbits.stations={journal: {at: shaft.left, offset: [9.5 mm, 0, 0], relative_to: housing.center}}", c->more};
  const char  *plain[] = {type, "time.end=1000", c->more};
  NsRunOptions options = {.config_path = config, .set = c->journal ? set : plain, .sets = (c->journal ? 3 : 2) + (c->more ? 1 : 0)};
  NsRun       *run;
  NsStation    station;
  const char  *failed;
  PetscBool    found;
  char         why[256];

  PetscFunctionBegin;
  snprintf(type, sizeof(type), "scheme={type: %s}", scheme);
  snprintf(config, sizeof(config), PERCUSS_SOURCE_DIR "/configs/%s.yaml", c->config);
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  if (NsDiagErrors(diag)) {
    NsDiagPrint(diag, stderr, false);
    exit(1);
  }
  if (c->journal) PetscCall(run->model->view.station(run->model, NsOrbitStations(run->config.output)->items, &station, &found, why, sizeof(why)));
  PetscCall(NsRunStart(run));
  PetscCall(motion_follow(run, c->journal ? &station : NULL, c->end, motion, &failed));
  if (failed) {
    fprintf(stderr, "%s: %s\n", scheme, failed);
    exit(1);
  }
  PetscCall(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static double distance(const Case *c, const Motion *a, const Motion *b)
{
  double       largest;
  const double off = motion_distance(a, b, &largest);

  return off / (c->journal ? 1e-6 : largest);
}

#define ROTOR_TRUTH "half_explicit_adaptive, step: 0.1 us, tolerance: 1, impact_step: 1 ns, positions: held"

static const Case cases[] = {
  {"rotor in its safety bearing, gap_tolerance 0.01 nm, 15 ms, um", "rotor_in_safety_bearing", 0.015, PETSC_TRUE, "contacts.rub.gap_tolerance=1e-11",
    ROTOR_TRUTH, "free", {10e-6, 5e-6, 2.5e-6, 1e-6, 0.5e-6, 0.25e-6, 0.1e-6, 0.05e-6},
    {"half_explicit_adaptive, step: 1 ms, tolerance: 1e-4", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-5",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-6", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-7, impact_step: 10 ns",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-8, impact_step: 10 ns",
      "half_explicit_adaptive, step: 1 ms, tolerance: 2e-9, impact_step: 5 ns"}},
  {"the same, positions held", "rotor_in_safety_bearing", 0.015, PETSC_TRUE, "contacts.rub.gap_tolerance=1e-11", ROTOR_TRUTH, "held",
    {10e-6, 5e-6, 2.5e-6, 1e-6, 0.5e-6, 0.25e-6, 0.1e-6},
    {"half_explicit_adaptive, step: 1 ms, tolerance: 1e-5, positions: held", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-6, positions: held",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-7, positions: held"}},
  {"bouncing ball, 1.3 s", "bouncing_ball", 1.3, PETSC_FALSE, NULL, NULL, "free", {10e-3, 1e-3, 0.1e-3, 10e-6},
    {"half_explicit_adaptive, step: 50 ms", "half_explicit_adaptive, step: 50 ms, impact_step: 0.1 ms",
      "half_explicit_adaptive, step: 50 ms, impact_step: 10 us", "half_explicit_adaptive, step: 50 ms, impact_step: 1 us"}},
  {"slider-crank with clearance, 50 ms", "slider_crank", 0.05, PETSC_FALSE, NULL,
    "half_explicit_adaptive, step: 1 us, tolerance: 1, impact_step: 1 ns", "free", {100e-6, 20e-6, 5e-6, 1e-6, 0.2e-6},
    {"half_explicit_adaptive, step: 1 ms, tolerance: 1e-4, impact_step: 10 us",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-5, impact_step: 1 us",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-6, impact_step: 0.1 us",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-7, impact_step: 10 ns",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-8, impact_step: 1 ns"}},
  {"elastic bar on a wall, 0.6 ms", "elastic_bar", 0.0006, PETSC_FALSE, NULL,
    "half_explicit_adaptive, step: 10 ns, tolerance: 1, impact_step: 0.1 ns", "free", {2e-6, 1e-6, 0.5e-6, 0.25e-6, 0.1e-6, 0.05e-6},
    {"half_explicit_adaptive, step: 1 ms, tolerance: 1e-3", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-4",
      "half_explicit_adaptive, step: 1 ms, tolerance: 1e-5", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-6"}},
};

/* The mean error of steps about one length, and how many there are of that. */
static PetscErrorCode of_one_length(const Case *c, double step, const Motion *exact, double *error, PetscInt64 *work)
{
  static Motion motion;

  PetscFunctionBegin;
  *error = 0;
  for (int k = -2; k <= 2; k++) {
    char scheme[128];
    snprintf(scheme, sizeof(scheme), "half_explicit, step: %.17g, positions: %s", step * (1 + 0.0382 * k), c->positions);
    PetscCall(move(c, scheme, &motion));
    *error += distance(c, &motion, exact) / 5;
    if (k == 0) *work = motion.tried;
  }
  PetscFunctionReturn(0);
}

/* Steps of one length that err by so much. */
static double like(int lines, const double *error, const PetscInt64 *work, double wanted)
{
  int i = 0;

  while (i < lines - 2 && error[i + 1] > wanted) i++;
  return (double)work[i] * pow((double)work[i + 1] / (double)work[i], log(wanted / error[i]) / log(error[i + 1] / error[i]));
}

int main(int argc, char **argv)
{
  static Motion exact, motion;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const Case *c = &cases[i];
    double      error[LINES];
    PetscInt64  work[LINES];
    int         lines = 0;
    if (c->reference)
      PetscCall(move(c, c->reference, &exact));
    else
      motion_of_ball(c->end, &exact);
    printf("%s\n     tried       error\n", c->title);
    for (; c->fixed[lines] > 0; lines++) {
      PetscCall(of_one_length(c, c->fixed[lines], &exact, &error[lines], &work[lines]));
      printf(
        "%10lld  %10.2e  half_explicit, step: %g us, positions: %s\n", (long long)work[lines], error[lines], 1e6 * c->fixed[lines], c->positions);
    }
    for (int k = 0; c->adaptive[k]; k++) {
      PetscCall(move(c, c->adaptive[k], &motion));
      const double off = distance(c, &motion, &exact), steps = like(lines, error, work, off);
      printf("%10lld  %10.2e  %s: like %.0f, %.2f of them\n", (long long)motion.tried, off, c->adaptive[k], steps, (double)motion.tried / steps);
    }
    printf("\n");
  }
  PetscCall(SlepcFinalize());
  return 0;
}
