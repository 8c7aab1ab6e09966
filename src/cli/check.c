/* percuss check CONFIG: everything short of stepping, and what a run would do. */
#include <math.h>
#include <string.h>
#include "advice.h"
#include "arguments.h"
#include "cli.h"
#include "fe/fe.h"

/* What a frame, a row of history etc. take on disk; good to a few per cent, for it counts digits of typical numbers. */
static double bytes_to_write(const NsRun *run, double steps)
{
  const NsOutputSettings *output = run->config.output;
  const NsScene          *scene  = &run->model->scene;
  const double            number = 21;
  double                  bytes  = 4096;

#define NS_COUNT(every) ((every) > 0 ? floor(steps / (double)(every)) + 1 : 0)
  bytes += NS_COUNT(output->frames->every) * (900 + (scene->rotations ? 104.0 : 80.0) * scene->points + (scene->beams ? 96.0 : 48.0) * scene->cells);
  bytes += NS_COUNT(output->history->every) * number * (1 + 4.0 * output->history->probes.count);
  bytes += run->model->candidates ? NS_COUNT(output->contacts->every) * number * (1 + 4.0 * run->model->candidates) : 0;
  bytes += NS_COUNT(output->energy->every) * number * 9;
  bytes += output->orbits->stations.count ? NS_COUNT(output->orbits->every) * number * (1 + 6.0 * output->orbits->stations.count) : 0;
#undef NS_COUNT
  return bytes;
}

static void print_bytes(double bytes)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  int                      unit    = 0;

  for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1000;
  printf("%.3g %s", bytes, units[unit]);
}

static double two_digits(double x)
{
  const double unit = x > 100 ? pow(10, floor(log10(x)) - 1) : 1;

  return unit * round(x / unit);
}

enum { NS_TIMED = 2000, NS_TOGETHER = 10 }; /* steps at most, and of which one time is taken */

/* A hundred steps on a copy of the state, or those of a second, tell what a step costs here: the median of their times, for others use the machine, too; and how many there are going to be, if
   they go on as long as the second half of these. */
static PetscErrorCode time_steps(NsRun *run, double *seconds, double *steps)
{
  const PetscInt64 most = run->scheme->type->bounded  ? NS_TIMED
                          : run->scheme->type->adapts ? 100
                                                      : PetscMin(run->steps, 100); /* explicit ones: cheap, and slow to grow from a sudden load */
  NsStepOutcome    outcome;
  NsState          state = {run->state.t, NULL, NULL};
  PetscInt64       done = 0, halfway = 0;
  PetscReal        t_halfway = 0;
  PetscInt         over, times = 0;
  PetscReal        taken[NS_TIMED / NS_TOGETHER];
  double           start, last;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(run->state.q, &state.q));
  PetscCall(VecDuplicate(run->state.v, &state.v));
  PetscCall(VecCopy(run->state.q, state.q));
  PetscCall(VecCopy(run->state.v, state.v));
  PetscCall(NsSchemeStart(run->scheme, &state));
  start = last = NsSeconds();
  do {
    PetscCall(NsSchemeStep(run->scheme, &state, run->step, &outcome));
    done++;
    if (done % NS_TOGETHER == 0) {
      const double now = NsSeconds();
      taken[times++]   = (now - last) / NS_TOGETHER;
      last             = now;
    }
    if (2 * done <= most) {
      halfway   = done;
      t_halfway = state.t;
    }
    over = !outcome.done || done >= most || state.t >= run->config.time->end - NsRunEndSlack(run) || NsSeconds() - start >= 1;
    PetscCall(NsLayoutAgree(run->model->layout, &over)); /* clocks differ */
  } while (!over);
  PetscCall(PetscSortReal(times, taken));
  *seconds = times ? taken[times / 2] : (NsSeconds() - start) / (double)done;
  *steps   = (double)run->steps;
  if (run->scheme->type->adapts && state.t >= run->config.time->end - NsRunEndSlack(run))
    *steps = (double)done;
  else if (run->scheme->type->adapts && done > halfway && state.t > t_halfway)
    *steps = PetscMax(*steps, two_digits((double)(done - halfway) * (run->config.time->end - t_halfway) / (state.t - t_halfway)));
  PetscCall(VecDestroy(&state.q));
  PetscCall(VecDestroy(&state.v));
  PetscFunctionReturn(0);
}

static void print_limit(const NsRun *run)
{
  if (run->scheme->type->bounded)
    printf("  step limit  %.6g s: steps stay below it by themselves\n", run->step_limit);
  else
    printf("  step limit  %.6g s; the step is %.3g of it\n", run->step_limit, run->step / run->step_limit);
  if (run->contact_limit < run->step_limit)
    printf("              %.6g s would be safe also while contacts press nodes without mass on what has mass\n", run->contact_limit);
}

/* Beyond which the run will warn, or end. */
static PetscErrorCode print_limits(NsRun *run)
{
  const NsGuard *guard = &run->guard;

  PetscFunctionBegin;
  PetscCall(NsGuardCreate(run));
  printf("  limits      energy made by the scheme %g of what there was", guard->energy);
  if (run->model->candidates && guard->penetration > 0) printf(", penetration %g m", guard->penetration);
  if (guard->spin_limit < PETSC_MAX_REAL) printf(", free spin %.6g rpm for this step", guard->spin_limit * 30 / PETSC_PI);
  printf(": beyond, the run %s\n", guard->stops ? "ends" : "warns");
  PetscFunctionReturn(0);
}

static PetscErrorCode print_advice(NsRun *run)
{
  const char *name = run->scheme->type->variant->name;
  NsAdvice    advice;

  PetscFunctionBegin;
  PetscCall(NsAdvise(run, &advice));
  const PetscBool fits =
    !strcmp(name, advice.scheme) && (advice.step == 0 || (run->step <= advice.step && run->step > advice.step / 20)) ? PETSC_TRUE : PETSC_FALSE;
  printf("  advice      %s%s", fits ? "as it is, " : "", advice.scheme);
  if (advice.step > 0) printf(fits ? ", steps of up to %.2g s" : ", step %.2g s", advice.step);
  printf(": %s\n", advice.reason);
  PetscFunctionReturn(0);
}

/* How rotors turn, and where their lateral axes point. */
static void print_spins(const NsRun *run)
{
  const NsFeRotor *rotors;
  const PetscInt   count = NsModelIsFe(run->model) ? NsFeRotors(run->model, &rotors) : 0;

  for (PetscInt r = 0; r < count; r++) {
    const PetscReal *a = rotors[r].lateral[0], *b = rotors[r].lateral[1];
    printf("  spin        %s: %s%.6g rpm", rotors[r].name, rotors[r].manner, rotors[r].speed * 30 / PETSC_PI);
    if (rotors[r].highest > 0) printf(", at most %.6g rpm", rotors[r].highest * 30 / PETSC_PI);
    printf("; axis 1 (%.3g, %.3g, %.3g), 2 (%.3g, %.3g, %.3g), 3 (%.3g, %.3g, %.3g)\n", rotors[r].axis[0], rotors[r].axis[1], rotors[r].axis[2], a[0],
      a[1], a[2], b[0], b[1], b[2]);
  }
}

/* How the model is parted among processes: the step waits for the heaviest part, and for what it gets from its neighbours. */
static void print_parting(const NsRun *run)
{
  const NsFe          *fe      = run->model->data;
  const NsPartQuality *parting = &fe->parting;

  if (run->model->layout->ranks == 1) return;
  printf("  processes   %d, %s; parts from %.3g to %.3g of the mean, %d elements and springs cut, at most %d nodes from %d neighbours\n",
    (int)parting->parts, parting->pieces ? "pieces of a chain" : "parted by METIS", parting->lightest, parting->heaviest, (int)parting->cut,
    (int)parting->most_ghosts, (int)parting->most_neighbours);
}

static PetscErrorCode print_report(NsRun *run)
{
  const NsModel          *model  = run->model;
  const NsOutputSettings *output = run->config.output;
  const PetscBool         adapts = run->scheme->type->adapts, shortens = run->scheme->type->varies && !adapts; /* at impacts */
  const char             *more = shortens ? " or more" : "", *about = shortens ? "at least" : "about";
  double                  seconds = 0, steps = 0;

  PetscFunctionBegin;
  PetscCall(time_steps(run, &seconds, &steps));
  const double frames = output->frames->every > 0 ? ceil(steps / (double)output->frames->every) + 1 : 0;
  PetscCall(NsContactBeginStep(run->contact));
  PetscCall(NsContactEndStep(run->contact, &run->state));  /* gaps of the start, */
  PetscCall(NsContactComplete(run->contact, &run->state)); /* far ones, too */
  printf("%s: %s\n", run->name, run->config.title ? run->config.title : "no title");
  printf("  model       %d unknowns", (int)model->unknowns);
  if (model->massless) printf(" (%d without mass)", (int)model->massless);
  printf(", %d bod%s", run->config.bodies.count, run->config.bodies.count == 1 ? "y" : "ies");
  if (model->mass_total > 0) printf(", %d elements, mass %.6g kg", (int)model->scene.elements, model->mass_total); /* no mechanism */
  if (model->solver) printf(", %s", model->solver);
  printf("\n");
  print_parting(run);
  print_spins(run);
  printf("  contacts    %d candidate%s", (int)model->candidates, model->candidates == 1 ? "" : "s");
  for (PetscInt i = 0; i < model->candidates && i < 8; i++)
    printf("%s%s (gap %.6g m)", i ? ", " : ": ", model->candidate[i].name, run->contact->report[i].gap);
  printf("%s\n", model->candidates > 8 ? ", ..." : "");
  printf("  scheme      %s, step %g s%s, %s%.0f step%s%s to t = %g s\n", run->scheme->type->variant->name, run->step, adapts ? " at most" : "",
    adapts ? "about " : "", steps, steps == 1 ? "" : "s", more, adapts ? run->config.time->end : (double)run->steps * run->step);
  if (model->ops->frequency_bound && run->omega_max == 0)
    printf("  highest     nothing vibrates\n");
  else if (model->ops->frequency_bound)
    printf("  highest     %.6g rad/s (%.6g Hz), damping ratio %.3g, set by the %s\n", run->omega_max, run->omega_max / (2 * PETSC_PI),
      run->damping_ratio, run->limit_where);
  if (adapts && NsSchemeStepLimit(run->scheme->type, run->scheme->settings, 1, 0) == PETSC_MAX_REAL)
    printf("  step limit  none: steps are as short as the tolerance asks\n");
  else if (!model->ops->frequency_bound)
    printf(
      "  step limit  not known for mechanisms: %s\n", run->scheme->type->bounded ? "steps follow their error alone" : "halve the step and compare");
  else if (run->step_limit < PETSC_MAX_REAL)
    print_limit(run);
  else
    printf("  step limit  none\n");
  PetscCall(print_limits(run));
  PetscCall(print_advice(run));
  printf("  output      %.0f frames%s, %s ", frames, more, about);
  print_bytes(bytes_to_write(run, steps));
  printf(" in %s\n", run->directory);
  printf("  time        %s %.3g s without output, %.3g us a step on this machine\n", about, seconds * steps, 1e6 * seconds);
  PetscFunctionReturn(0);
}

static PetscErrorCode check_config(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(options, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    PetscCall(NsRunCheckStep(run, PETSC_TRUE));
    if (!NsDiagErrors(diag)) {
      NsRunJudgeStep(run, PETSC_TRUE);
      PetscCall(print_report(run)); /* also of what would not run: it has the limit and advice */
    }
  }
  if (run->writes) NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NsDiagErrors(diag) ? NS_EXIT_INPUT : NS_EXIT_DONE;
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

int NsCommandCheck(int argc, char **argv)
{
  static const char *const allowed[] = {"--set", NULL};

  return NsCommandOnConfig(argc, argv, allowed, NULL, NULL, check_config);
}
