/* percuss check CONFIG: check a config and report what a run of it would do. */
#include <math.h>
#include <string.h>
#include "run/advice.h"
#include "command.h"
#include "core/json.h"
#include "core/text.h"
#include "fe/fe.h"

static void print_bytes(double bytes)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  int                      unit    = 0;

  for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1000;
  printf("%.3g %s", bytes, units[unit]);
}

static void print_limit(NsRun *run)
{
  const NsStability *stability = NsRunStability(run);

  if (NsRunScheme(run)->type->bounded)
    printf("  stability   critical time step %.6g s; the scheme keeps its steps below it\n", stability->step_limit);
  else
    printf("  stability   critical time step %s%.6g s; the step is %s%.3g %% of it\n", stability->exact ? "" : "at least ", stability->step_limit,
      stability->exact ? "" : "at most ", 100 * NsRunTimeStep(run) / stability->step_limit);
  if (stability->contact_limit < stability->step_limit)
    printf("              %.6g s while closed contacts couple massless nodes to nodes with mass\n", stability->contact_limit);
}

/* Where the run will warn, or end. */
static PetscErrorCode print_limits(NsRun *run)
{
  const NsGuard *guard = NsRunGuard(run);
  PetscReal      depth = PETSC_MAX_REAL; /* least of all contacts */

  PetscFunctionBegin;
  PetscCall(NsGuardCreate(run));
  printf("  limits      the run %s at a numerical energy error above %g of the reference energy", guard->stops ? "ends" : "warns", guard->energy);
  if (NsRunModel(run)->dynamics.deformation) printf(", a rotation above %g rad, a stretch above %g", guard->rotation, guard->stretch);
  for (PetscInt i = 0; i < NsRunModel(run)->candidates; i++) {
    const PetscReal limit = NsGuardDepth(run, i);
    if (limit > 0) depth = PetscMin(depth, limit);
  }
  if (depth < PETSC_MAX_REAL) printf(", a penetration above %.3g m", depth);
  if (guard->spin_limit < PETSC_MAX_REAL) printf(", a free spin above %.6g rpm (with this step)", guard->spin_limit * 30 / PETSC_PI);
  printf("\n");
  PetscFunctionReturn(0);
}

#define NS_MOST_LOOSE 8000 /* DOF: a factorization of some seconds for lattices in space, much less for chains */

static PetscErrorCode print_loose(NsRun *run)
{
  NsModel *model = NsRunModel(run);
  char     text[256];

  PetscFunctionBegin;
  if (!NsModelIsFe(model) || model->unknowns > NS_MOST_LOOSE) PetscFunctionReturn(0);
  PetscCall(NsFeLooseMotions(model, text, sizeof(text)));
  if (*text) printf("  supports    the model can move without strain, for example %s\n", text);
  PetscFunctionReturn(0);
}

static PetscErrorCode print_advice(NsRun *run)
{
  const char *name = NsRunScheme(run)->type->variant.name;
  NsAdvice    advice;

  PetscFunctionBegin;
  PetscCall(NsAdvise(run, &advice));
  const PetscBool fits =
    !strcmp(name, advice.scheme) && (advice.step == 0 || (NsRunTimeStep(run) <= advice.step && NsRunTimeStep(run) > advice.step / 20));
  printf("  advice      %s%s", fits ? "keep " : "", advice.scheme);
  if (advice.step > 0) printf(fits ? ", step up to %.2g s" : ", step %.2g s", advice.step);
  printf(": %s\n", advice.reason);
  PetscFunctionReturn(0);
}

/* The spin of rotors, and their lateral axes. */
static void print_spins(NsRun *run)
{
  const NsFeRotor *rotors;
  const PetscInt   count = NsModelIsFe(NsRunModel(run)) ? NsFeRotors(NsRunModel(run), &rotors) : 0;

  for (PetscInt r = 0; r < count; r++) {
    const PetscReal *a = rotors[r].lateral[0], *b = rotors[r].lateral[1];
    printf("  spin        %s: %s%.6g rpm", rotors[r].name, rotors[r].manner, rotors[r].speed * 30 / PETSC_PI);
    if (rotors[r].highest > 0) printf(", at most %.6g rpm", rotors[r].highest * 30 / PETSC_PI);
    printf("; axis 1 (%.3g, %.3g, %.3g), 2 (%.3g, %.3g, %.3g), 3 (%.3g, %.3g, %.3g)\n", rotors[r].axis[0], rotors[r].axis[1], rotors[r].axis[2], a[0],
      a[1], a[2], b[0], b[1], b[2]);
  }
}

/* Size and mass: those of a mesh in mm without `scale` are wrong. */
static void print_solids(NsRun *run)
{
  PetscInt  next = 0;
  NsFeSolid solid;

  while (NsModelIsFe(NsRunModel(run)) && NsFeNextSolid(NsRunModel(run), &next, &solid))
    printf("  solid       %s: %d %s, %.4g x %.4g x %.4g m, %.4g kg\n", solid.name, (int)solid.elements, solid.element, solid.size[0], solid.size[1],
      solid.size[2], solid.mass);
}

static PetscErrorCode print_report(NsRun *run)
{
  char               name[NS_CANDIDATE_NAME];
  PetscInt           listed = 0, contacts = 0; /* contacts: without the rows of joints */
  NsModel           *model     = NsRunModel(run);
  NsContact         *contact   = NsRunContact(run);
  const NsScheme    *scheme    = NsRunScheme(run);
  const NsConfig    *config    = NsRunSettings(run);
  const NsStability *stability = NsRunStability(run);
  const PetscReal    step      = NsRunTimeStep(run);
  const long         every     = NsRunFramesEvery(run);                                         /* steps between two frames */
  const PetscBool    adapts = scheme->type->adapts, shortens = scheme->type->varies && !adapts; /* at impacts */
  const char        *more = shortens ? " or more" : "", *about = shortens ? "at least" : "about";
  double             seconds = 0, steps = 0, bytes = 0;

  PetscFunctionBegin;
  PetscCall(NsRunTrySteps(run, &seconds, &steps));
  PetscCall(NsRunBytes(run, steps, &bytes));
  const double frames = every > 0 ? ceil(steps / (double)every) + 1 : 0;
  PetscCall(NsContactBeginStep(contact));
  PetscCall(NsContactEndStep(contact, NsRunState(run)));  /* gaps of the start, */
  PetscCall(NsContactComplete(contact, NsRunState(run))); /* inactive ones, too */
  printf("%s: %s\n", NsRunSink(run)->name, config->title ? config->title : "no title");
  printf("  model       %d %s", (int)model->unknowns, NsPlural(model->unknowns, "degree of freedom", "degrees of freedom"));
  if (model->massless) printf(" (%d without mass)", (int)model->massless);
  printf(", %d %s", config->bodies.count, NsPlural(config->bodies.count, "body", "bodies"));
  if (model->mass_total > 0)
    printf(", %d %s, mass %.6g kg", (int)model->scene.elements, NsPlural(model->scene.elements, "element", "elements"),
      model->mass_total); /* not of mechanisms */
  if (model->solver) printf(", %s", model->solver);
  printf("\n");
  if (model->view.joints) {
    char text[1024];
    PetscCall(model->view.joints(model, text, sizeof(text)));
    printf("  joints      %s\n", text);
  }
  if (model->view.partition) {
    char text[256];
    PetscCall(model->view.partition(model, text, sizeof(text)));
    printf("  processes   %s\n", text);
  }
  PetscCall(print_loose(run));
  print_spins(run);
  print_solids(run);
  for (PetscInt i = 0; i < model->candidates; i++) contacts += !model->candidate[i].bilateral;
  printf("  contacts    %d %s", (int)contacts, NsPlural(contacts, "candidate", "candidates"));
  if (model->slots) printf(", of which %d for pairs of balls that are near each other", (int)model->slots);
  for (PetscInt i = 0; i < model->candidates && listed < 8; i++) {
    if (model->candidate[i].bilateral || (model->candidate[i].slot && model->candidate[i].number[0] == 0)) continue;
    printf("%s%s (gap %.6g m)", listed++ ? ", " : ": ", NsCandidateName(&model->candidate[i], name), NsContactReports(contact)[i].gap);
  }
  printf("%s\n", contacts - model->slots_free > 8 ? ", ..." : "");
  printf("  scheme      %s, step %g s%s, %s%.0f %s%s to t = %g s\n", scheme->type->variant.name, step, adapts ? " at most" : "",
    adapts ? "about " : "", steps, NsPlural(steps, "step", "steps"), more, adapts ? config->time->end : (double)NsRunPlannedSteps(run) * step);
  if (model->analysis.frequency_bound && stability->omega_max == 0)
    printf("  highest     no vibration: the model has no stiffness\n");
  else if (model->analysis.frequency_bound)
    printf("  highest     %.6g rad/s (%.6g Hz), damping ratio %.3g, from the %s\n", stability->omega_max, stability->omega_max / (2 * PETSC_PI),
      stability->damping_ratio, stability->where);
  if (adapts && NsSchemeStepLimit(scheme->type, scheme->settings, 1, 0) == PETSC_MAX_REAL)
    printf("  stability   no critical time step: steps follow the error tolerance\n");
  else if (!model->analysis.frequency_bound)
    printf("  stability   critical time step unknown for mechanisms: %s\n",
      scheme->type->bounded ? "steps follow the error tolerance alone" : "halve the step and compare the results");
  else if (stability->step_limit < PETSC_MAX_REAL)
    print_limit(run);
  else
    printf("  stability   no critical time step\n");
  PetscCall(print_limits(run));
  PetscCall(print_advice(run));
  printf("  output      %.0f frames%s, %s ", frames, more, about);
  print_bytes(bytes);
  printf(" in %s\n", NsRunSink(run)->directory);
  printf("  time        %s %.3g s without output, %.3g us per step on this machine\n", about, seconds * steps, 1e6 * seconds);
  PetscFunctionReturn(0);
}

/* The same figures for programs. */
static PetscErrorCode print_json(NsRun *run)
{
  const NsModel     *model     = NsRunModel(run);
  const NsConfig    *config    = NsRunSettings(run);
  const NsStability *stability = NsRunStability(run);
  const long         every     = NsRunFramesEvery(run);
  const bool         known     = model->analysis.frequency_bound && stability->step_limit < PETSC_MAX_REAL;
  double             seconds = 0, steps = 0, bytes = 0;
  NsAdvice           advice;
  NsJson             json;

  PetscFunctionBegin;
  PetscCall(NsRunTrySteps(run, &seconds, &steps));
  PetscCall(NsRunBytes(run, steps, &bytes));
  PetscCall(NsAdvise(run, &advice));
  NsJsonBegin(&json, 4096);
  NsJsonOpen(&json, NULL, '{');
  NsJsonOpen(&json, "figures", '{');
  NsJsonString(&json, "name", NsRunSink(run)->name);
  NsJsonString(&json, "title", config->title);
  NsJsonInteger(&json, "dof", model->unknowns);
  NsJsonInteger(&json, "bodies", config->bodies.count);
  NsJsonInteger(&json, "elements", model->scene.elements);
  NsJsonNumber(&json, "mass", model->mass_total > 0 ? model->mass_total : NAN); /* kg; null: not known, as of mechanisms */
  NsJsonInteger(&json, "contacts", model->candidates);
  NsJsonString(&json, "scheme", NsRunScheme(run)->type->variant.name);
  NsJsonNumber(&json, "step", NsRunTimeStep(run));
  NsJsonNumber(&json, "steps", steps);
  NsJsonNumber(&json, "end", config->time->end);
  NsJsonNumber(&json, "highest_frequency", model->analysis.frequency_bound ? stability->omega_max / (2 * PETSC_PI) : NAN); /* Hz */
  NsJsonNumber(&json, "critical_step", known ? stability->step_limit : NAN); /* null: there is none, or it is not known */
  NsJsonBoolean(&json, "critical_step_exact", known && stability->exact);
  NsJsonNumber(&json, "frames", every > 0 ? ceil(steps / (double)every) + 1 : 0);
  NsJsonNumber(&json, "bytes", bytes);
  NsJsonNumber(&json, "seconds", seconds * steps);
  NsJsonString(&json, "directory", NsRunSink(run)->directory);
  NsJsonOpen(&json, "advice", '{');
  NsJsonString(&json, "scheme", advice.scheme);
  NsJsonNumber(&json, "step", advice.step > 0 ? advice.step : NAN);
  NsJsonString(&json, "reason", advice.reason);
  NsJsonClose(&json);
  NsJsonClose(&json);
  NsJsonClose(&json);
  fwrite(json.text, 1, json.used, stdout);
  NsJsonEnd(&json);
  PetscFunctionReturn(0);
}

enum { JSON };

static NsOption options[] = {
  [JSON] = NS_OPTION_JSON,
  NS_OPTION_SET,
  NS_OPTION_TRUST,
  {NULL},
};

static PetscErrorCode check_config(const NsRunOptions *wanted, NsArena *arena, NsDiag *diag, int *code)
{
  NsRun *run;

  PetscFunctionBegin;
  PetscCall(NsRunCreate(wanted, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    PetscCall(NsRunCheckStep(run, PETSC_TRUE));
    if (!NsDiagErrors(diag)) {
      PetscCall(NsRunJudgeStep(run, PETSC_TRUE));
      PetscCall(
        options[JSON].value ? print_json(run) : print_report(run)); /* also if the step is too large: it has the critical time step and advice */
    }
  }
  if (NsRunSink(run)->writes) NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NsDiagErrors(diag) ? NS_EXIT_INPUT : NS_EXIT_DONE;
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

static int call(const NsArguments *arguments)
{
  return NsCommandOnConfig(arguments, check_config);
}

const NsCommand NsCommand_Check = {
  .name    = "check",
  .words   = "CONFIG",
  .options = options,
  .petsc   = true,
  .about   = "check a config and report what a run of it would do",
  .description =
    "Reports all errors of the config, the number of degrees of freedom, the highest frequency and the critical time step of the scheme, advice on scheme and step, and the expected amount "
    "of output and run time. A few steps are timed on a copy of the model; no files are written. With --json the figures are in SI units, null where there is none. Exit code 0: a run would start; 2: it would not.",
  .examples = "check my_bar.yaml\n"
              "check my_bar.yaml --json",
  .call     = call,
};
