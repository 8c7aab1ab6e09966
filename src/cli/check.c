/* percuss check CONFIG: check a config and report what a run of it would do. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "run/advice.h"
#include "command.h"
#include "core/json.h"
#include "core/text.h"
#include "fe/fe.h"
#include "picture.h"
#include "model/reduced.h"

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
  const PetscBool    exact     = stability->exact && !(NsModelIsFe(NsRunModel(run)) && NsFeHighestIsQuick(NsRunModel(run)));

  if (NsRunScheme(run)->type->bounded)
    printf("  stability   critical time step %.6g s; the scheme keeps its steps below it\n", stability->step_limit);
  else
    printf("  stability   critical time step %s%.6g s%s; the step is %s%.3g %% of it\n", exact ? "" : "at least ", stability->step_limit,
      stability->exact && !exact ? ", at most 1 % more" : "", exact ? "" : "at most ", 100 * NsRunTimeStep(run) / stability->step_limit);
  if (stability->contact_limit < stability->step_limit)
    printf("              %.6g s while closed contacts couple massless nodes to nodes with mass\n", stability->contact_limit);
}

/* Where the run will warn, or end. */
static PetscErrorCode print_limits(NsRun *run)
{
  const NsGuard *guard = NsRunGuard(run);
  PetscReal      depth = PETSC_MAX_REAL; /* least of all contacts */
  PetscBool      small = PETSC_FALSE;    /* for some of them sliding has to be */

  PetscFunctionBegin;
  PetscCall(NsGuardCreate(run));
  printf("  limits      the run %s at a numerical energy error above %g of the reference energy", guard->stops ? "ends" : "warns", guard->energy);
  if (NsRunModel(run)->dynamics.deformation) printf(", a rotation above %g rad, a stretch above %g", guard->rotation, guard->stretch);
  for (PetscInt i = 0; i < NsRunModel(run)->candidates; i++) {
    small                 = small || NsRunModel(run)->candidate[i].face > 0;
    const PetscReal limit = NsGuardDepth(run, i);
    if (limit > 0) depth = PetscMin(depth, limit);
  }
  if (small) printf(", sliding above %g of a face", guard->sliding);
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
    printf("  %-11s %s: %d %s, %.4g x %.4g x %.4g m, %.4g kg\n", solid.by_matrices ? "matrices" : "solid", solid.name,
      (int)(solid.by_matrices ? solid.nodes : solid.elements), solid.by_matrices ? "nodes" : solid.element, solid.size[0], solid.size[1],
      solid.size[2], solid.mass);
}

/* Groups of meshes from files, which supports, loads and contacts can name. */
static void print_groups(const NsModel *model)
{
  const char *body = NULL;
  PetscInt    next = 0;
  NsFeGroup   group;

  while ((NsModelIsFe(model) || NsModelIsReduced(model)) && NsFeNextGroup(model, &next, &group)) {
    if (body && !strcmp(body, group.body))
      printf(", ");
    else
      printf("%s  groups      %s: ", body ? "\n" : "", group.body);
    body = group.body;
    printf("%s (", group.name);
    if (group.nodes) printf("%d %s", (int)group.nodes, NsPlural(group.nodes, "node", "nodes"));
    if (group.elements)
      printf("%s%d %s of dimension %d", group.nodes ? ", " : "", (int)group.elements, NsPlural(group.elements, "element", "elements"),
        (int)group.dimension);
    if (group.sides) printf(", %d %s", (int)group.sides, NsPlural(group.sides, "side", "sides"));
    printf(")");
  }
  if (body) printf("\n");
}

static void print_surfaces(NsRun *run)
{
  PetscInt next = 0;
  char     text[512];

  while (NsModelIsFe(NsRunModel(run)) && NsFeNextSurfaces(NsRunModel(run), &next, text, sizeof(text))) printf("  surfaces    %s\n", text);
}

/* Of `modal`: where its basis ends, and what it is good for. */
static void print_basis(NsRun *run)
{
  const NsScheme *scheme = NsRunScheme(run);
  const NsNode   *fade   = NsTreeChild(NsRunSettings(run)->scheme.where, "fade");
  NsCounter       list[NS_COUNTERS];
  int             chosen = 0;

  if (strcmp(scheme->type->variant.name, "modal") != 0) return;
  (void)scheme->type->count(scheme, list);
  for (int k = 0; fade && NsFadeWords[k]; k++) {
    if (!strcmp(fade->text, NsFadeWords[k])) chosen = k;
  }
  printf("  basis       %d modes up to %.4g Hz", (int)list[0].value, (double)list[2].value);
  if (NsRunModel(run)->candidates) printf("; fade: %s, %s", NsFadeWords[chosen], NsFadeTexts[chosen]);
  printf("\n");
}

/* Of bodies with the key `reduce`. */
static PetscErrorCode print_reduction(NsRun *run, PetscBool quick)
{
  NsFeReduction found;

  PetscFunctionBegin;
  if (!NsModelIsReduced(NsRunModel(run))) PetscFunctionReturn(0);
  PetscCall(NsFeReductionFind(NsRunModel(run), !quick, &found));
  printf("  reduction   %s: %d DOF at contacts%s and %d modes up to %.4g Hz in place of %d DOF", found.method, (int)found.boundary,
    found.kept ? " and of bodies that are not reduced" : "", (int)found.modes, found.end, (int)found.whole);
  if (found.next > 0) printf("; the next mode has %.4g Hz", found.next);
  printf(
    "\n              static: contact forces exact; loads lack %.2g %% of their compliance\n", found.neglected > 1e-12 ? 100 * found.neglected : 0);
  if (found.cache) printf("              read from %s\n", found.cache);
  if (found.compared)
    printf(
      "              dynamic: with %s contacts the %d frequencies up to half of the basis differ by at most %.2g %% from those of the whole model\n",
      found.held ? "held" : "open", (int)found.compared, 100 * found.dynamic);
  PetscFunctionReturn(0);
}

/* open: the model has contacts, and none was closed in the steps that were measured. */
static void print_time(const NsTrial *trial, const char *about, PetscBool quick, PetscBool open)
{
  printf("  time        ");
  if (quick)
    printf("not measured\n");
  else if (trial->measured)
    printf("%s %.3g s without output, %.3g us per step on this machine%s\n", about, trial->seconds * trial->steps, 1e6 * trial->seconds,
      open ? "; measured with all contacts open: steps with closed ones take longer" : "");
  else
    printf("not measured: %s\n", trial->preparation > 0 ? "closed contacts need the preparation that follows"
                                 : trial->stopped       ? "a step takes more than some seconds"
                                                        : "the first step was not solved");
  if (trial->preparation > 0)
    printf("              and about %.2g s before the first step, for the %d degrees of freedom that contacts act on\n", trial->preparation,
      (int)trial->solves);
}

/* What begins to act and stops acting, with what happens at the same instant in one line. */
static void print_switches(const NsSwitches *switches)
{
  for (PetscInt k = 0; k < switches->count; k++) {
    const NsSwitch *it   = &switches->item[k];
    const PetscBool same = k > 0 && it[-1].t == it->t;
    if (!same) printf("  %-11s at t = %.9g s: ", k ? "" : "events", it->t);
    printf("%s%s '%s' %s", same ? ", " : "", it->kind, it->name, it->acts ? "begins to act" : "stops acting");
    if (k + 1 == switches->count || it[1].t != it->t) printf("\n");
  }
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
  const PetscBool    quick = NsRunGetOptions(run)->quick;
  double             bytes = 0;
  NsTrial            trial = {.steps = (double)NsRunPlannedSteps(run)};

  PetscFunctionBegin;
  if (!quick) PetscCall(NsRunTrySteps(run, &trial));
  const double steps = trial.steps;
  PetscCall(NsRunBytes(run, steps, &bytes));
  NsRunJudgeBytes(run, bytes);
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
  if (!quick) PetscCall(print_loose(run));
  print_spins(run);
  print_solids(run);
  print_groups(model);
  PetscCall(print_reduction(run, quick));
  for (PetscInt i = 0; i < model->candidates; i++) contacts += !model->candidate[i].bilateral && !NsCandidateResists(&model->candidate[i]);
  printf("  contacts    %d %s", (int)contacts, NsPlural(contacts, "candidate", "candidates"));
  if (model->slots) printf(", of which %d for pairs that are near each other", (int)model->slots);
  for (PetscInt i = 0; i < model->candidates && listed < 8; i++) {
    if (model->candidate[i].bilateral || NsCandidateResists(&model->candidate[i]) || (model->candidate[i].slot && model->candidate[i].number[0] == 0))
      continue;
    printf("%s%s (gap %.6g m)", listed++ ? ", " : ": ", NsCandidateName(&model->candidate[i], name), NsContactReports(contact)[i].gap);
  }
  printf("%s\n", contacts - model->slots_free > 8 ? ", ..." : "");
  print_surfaces(run);
  if (contacts > 8) printf("  search      %s\n", NsContactSearchName(contact));
  printf("  scheme      %s, step %g s%s, %s%.0f %s%s to t = %g s\n", scheme->type->variant.name, step, adapts ? " at most" : "",
    adapts ? "about " : "", steps, NsPlural(steps, "step", "steps"), more, adapts ? config->time->end : (double)NsRunPlannedSteps(run) * step);
  print_basis(run);
  print_switches(&model->switches);
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
  if (!quick) PetscCall(print_advice(run));
  printf("  output      %.0f frames%s, %s ", frames, more, about);
  print_bytes(bytes);
  printf(" in %s\n", NsRunSink(run)->directory);
  print_time(&trial, about, quick, contacts > 0 && !trial.touched);
  PetscFunctionReturn(0);
}

/* The same figures for programs. */
static void json_groups(const NsModel *model, NsJson *json)
{
  PetscInt  next = 0;
  NsFeGroup group;

  NsJsonOpen(json, "groups", '[');
  while ((NsModelIsFe(model) || NsModelIsReduced(model)) && NsFeNextGroup(model, &next, &group)) {
    NsJsonOpen(json, NULL, '{');
    NsJsonString(json, "body", group.body);
    NsJsonString(json, "name", group.name);
    NsJsonInteger(json, "nodes", group.nodes);
    NsJsonInteger(json, "elements", group.elements);
    NsJsonInteger(json, "sides", group.sides);
    NsJsonInteger(json, "dimension", group.dimension);
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

static PetscErrorCode print_json(NsRun *run)
{
  const NsModel     *model     = NsRunModel(run);
  const NsConfig    *config    = NsRunSettings(run);
  const NsStability *stability = NsRunStability(run);
  const long         every     = NsRunFramesEvery(run);
  const bool         known     = model->analysis.frequency_bound && stability->step_limit < PETSC_MAX_REAL;
  const PetscBool    quick     = NsRunGetOptions(run)->quick;
  double             bytes     = 0;
  NsTrial            trial     = {.steps = (double)NsRunPlannedSteps(run)};
  NsAdvice           advice;
  NsJson             json;

  PetscFunctionBegin;
  if (!quick) PetscCall(NsRunTrySteps(run, &trial));
  const double steps = trial.steps;
  PetscCall(NsRunBytes(run, steps, &bytes));
  NsRunJudgeBytes(run, bytes);
  if (!quick) PetscCall(NsAdvise(run, &advice));
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
  NsJsonNumber(&json, "seconds", trial.measured ? trial.seconds * steps : NAN);
  NsJsonNumber(&json, "preparation_seconds", quick ? NAN : trial.preparation);
  NsJsonString(&json, "directory", NsRunSink(run)->directory);
  json_groups(model, &json);
  if (!quick) {
    NsJsonOpen(&json, "advice", '{');
    NsJsonString(&json, "scheme", advice.scheme);
    NsJsonNumber(&json, "step", advice.step > 0 ? advice.step : NAN);
    NsJsonString(&json, "reason", advice.reason);
    NsJsonClose(&json);
  }
  NsJsonClose(&json);
  NsJsonClose(&json);
  fwrite(json.text, 1, json.used, stdout);
  NsJsonEnd(&json);
  PetscFunctionReturn(0);
}

/* A file with other contents than a picture of percuss. */
static bool is_foreign(const char *path)
{
  char  begin[sizeof(NS_PICTURE_BEGINS)] = "";
  FILE *file                             = fopen(path, "r");

  if (!file) return false;
  const size_t size = fread(begin, 1, sizeof(begin) - 1, file);
  (void)fclose(file);
  return size > 0 && strcmp(begin, NS_PICTURE_BEGINS) != 0;
}

/* The first process draws. False after a message. */
static PetscErrorCode draw(NsRun *run, const char *path, PetscBool *drawn)
{
  const NsModel *model = NsRunModel(run);
  FILE          *file  = NULL;

  PetscFunctionBegin;
  *drawn = PETSC_TRUE;
  if (!path || !NsRunSink(run)->writes) PetscFunctionReturn(0);
  if (model->layout->ranks > 1)
    fprintf(stderr, "percuss check: --picture works on one process only: run it without mpiexec\n");
  else if (!model->scene.points)
    fprintf(stderr, "percuss check: --picture: this model has nothing to draw\n");
  else if (!NsTextEndsWith(path, ".svg"))
    fprintf(stderr, "percuss check: --picture writes SVG: the name of the file must end in .svg, but is '%s'\n", path);
  else if (is_foreign(path))
    fprintf(stderr, "percuss check: '%s' is not a picture made by percuss and is left unchanged: choose another name\n", path);
  else if (!(file = fopen(path, "w")))
    fprintf(stderr, "percuss check: cannot write '%s': %s\n", path, strerror(errno));
  *drawn = file != NULL;
  if (!file) PetscFunctionReturn(0);
  PetscCall(NsPictureWrite(NsRunModel(run), NsRunState(run), NsRunSettings(run)->title ? NsRunSettings(run)->title : NsRunSink(run)->name, file));
  const PetscBool bad = ferror(file) != 0;
  if (!fclose(file) && !bad) PetscFunctionReturn(0);
  fprintf(stderr, "percuss check: cannot write '%s': %s\n", path, strerror(errno));
  *drawn = PETSC_FALSE;
  PetscFunctionReturn(0);
}

enum { JSON, QUICK, PICTURE };

static NsOption options[] = {
  [JSON]    = NS_OPTION_JSON,
  [QUICK]   = {.name = "--quick",
      .about =
        "skip everything that needs a factorization: bounds of the highest frequency in place of eigenvalues, no advice, no timing of steps; models that take more than 5 s to build are not built"},
  [PICTURE] = {.name = "--picture", .takes = "FILE", .about = "draw the initial state of the model as an SVG file, for any web browser"},
  NS_OPTION_SET,
  NS_OPTION_TRUST,
  {NULL},
};

#define NS_FACTOR \
  3e-8 /* s: times the square of the number of unknowns, a factorization of a lattice or solid in space; chains and plates take a small part of it */
#define NS_LONG 5.0 /* s */

/* What takes long, and how it is left out. */
static void announce(NsRun *run)
{
  const NsModel      *model  = NsRunModel(run);
  const NsSchemeType *type   = NsRunScheme(run)->type;
  const double        factor = NS_FACTOR * (double)model->unknowns * (double)model->unknowns;

  if (NsRunGetOptions(run)->quick || !model->solver || strcmp(model->solver, "petsc") != 0 || (model->diagonal_mass && !type->implicit)) return;
  if (factor > NS_LONG && NsRunSink(run)->writes)
    fprintf(stderr, "percuss check: factoring matrices of %d degrees of freedom may take up to %.2g s; --quick leaves it out\n", (int)model->unknowns,
      factor);
}

/* What is known of a model that --quick does not build. */
static void report_unbuilt(NsRun *run)
{
  const NsRunBuilding building = NsRunGetBuilding(run);
  const char         *title = NsRunSettings(run)->title, *name = NsRunSink(run)->name;
  NsJson              json;

  if (!NsRunSink(run)->writes) return;
  if (!options[JSON].value) {
    printf("%s: %s\n  model       %.4g elements; building them takes about %.3g s and ", name, title ? title : "no title", building.elements,
      building.seconds);
    print_bytes(building.bytes);
    printf(" of memory\n              not built (--quick): only the keys of the config were checked, not names of nodes, loads and contacts\n");
    return;
  }
  NsJsonBegin(&json, 1024);
  NsJsonOpen(&json, NULL, '{');
  NsJsonOpen(&json, "figures", '{');
  NsJsonString(&json, "name", name);
  NsJsonString(&json, "title", title);
  NsJsonNumber(&json, "elements", building.elements);
  NsJsonBoolean(&json, "built", false);
  NsJsonNumber(&json, "building_seconds", building.seconds);
  NsJsonNumber(&json, "building_bytes", building.bytes);
  NsJsonClose(&json);
  NsJsonClose(&json);
  fwrite(json.text, 1, json.used, stdout);
  NsJsonEnd(&json);
}

static PetscErrorCode check_config(const NsRunOptions *wanted, NsArena *arena, NsDiag *diag, int *code)
{
  NsRunOptions limited = *wanted;
  NsRun       *run;
  PetscBool    drawn = PETSC_TRUE;

  PetscFunctionBegin;
  limited.quick = options[QUICK].value != NULL;
  PetscCall(NsRunCreate(&limited, arena, diag, &run));
  if (!NsDiagErrors(diag) && !NsRunModel(run))
    report_unbuilt(run);
  else if (!NsDiagErrors(diag)) {
    PetscCall(draw(run, options[PICTURE].value, &drawn));
    announce(run);
    PetscCall(NsRunCheckStep(run, PETSC_TRUE));
    if (!NsDiagErrors(diag)) {
      if (!limited.quick || NsRunTimeStep(run) <= NsRunStability(run)->step_limit) PetscCall(NsRunJudgeStep(run, PETSC_TRUE));
      PetscCall(
        options[JSON].value ? print_json(run) : print_report(run)); /* also if the step is too large: it has the critical time step and advice */
    }
  }
  if (NsRunSink(run)->writes) NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NsDiagErrors(diag) || !drawn ? NS_EXIT_INPUT : NS_EXIT_DONE;
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
    "of output and run time. A few steps are timed on a copy of the model; no files are written except the picture: bodies in their true thickness, planes, contact points with normals, supports, loads, "
    "springs, bearings, joints. With --json the figures are in SI units, null where there is none. Exit code 0: a run would start; 2: it would not.\n\n"
    "Large models: check prints an estimate before anything that would take more than some seconds. --quick leaves these parts out, and does not build a model if this would take more than 5 s. With --quick a step above the bound of the critical time step is not judged.",
  .examples = "check my_bar.yaml\n"
              "check my_bar.yaml --picture my_bar.svg\n"
              "check my_bar.yaml --json\n"
              "check my_million_elements.yaml --quick",
  .call     = call,
};
