/*
  percuss selftest: models with closed-form solutions, simulated on this machine: value, exact value, error, result. Takes some seconds; writes no files.

  To add a case: its config, the contact or probe it watches, and a line for each value with the exact one and the allowed error.
*/
#include <math.h>
#include <string.h>
#include "command.h"

/* What is measured during a run, of its first contact. */
typedef struct {
  PetscReal first, last;     /* s: first impulse or force; last */
  PetscReal impulse, force;  /* N s, N: of the first impact; force at the end */
  PetscReal total;           /* N s: impulses and forces over time */
  PetscReal stuck;           /* s: since when it sticks */
  PetscReal lost, numerical; /* over the initial energy: dissipated by impacts; numerical error, at most */
  PetscReal deepest;         /* m */
  PetscReal position;        /* the probe's column at the end */
} Seen;

typedef struct {
  const char *what, *unit;
  size_t      value;      /* of Seen */
  double      exact, may; /* largest error; 0 exact: absolute, else relative */
} Figure;

#define NS_FIGURES 4

typedef struct {
  const char *name, *text, *probe, *column;
  Figure      figure[NS_FIGURES]; /* ended by one without a name */
} Case;

#define SEEN(field) offsetof(Seen, field)
#define G           9.81

static const char bar[] =
  "bodies: {bar: {type: bar, mesh: {line: {from: [0.1 mm, 0, 0], to: [1.0001, 0, 0], elements: 50}}, material: {density: 7800, young: 210 GPa},\n"
  "  section: {area: 1 cm^2}, mass: MASS, initial: {velocity: [-0.1, 0, 0]}}}\n"
  "contacts: {wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n";

static const Case cases[] = {
  {"bar on a wall, 50 elements, consistent mass", "MASS: consistent\nscheme: {type: half_explicit, step: 0.3 us}\ntime: {end: 1.6 ms}\n", NULL, NULL,
    {{"impulse of the contact node, sqrt(3)/6 rho S le v0", "N s", SEEN(impulse), 4.503332099679081e-4, 1e-12},
      {"energy lost by it, sqrt(3)/(6 N)", "", SEEN(lost), 5.773502691896258e-3, 1e-12},
      {"total impulse, 2 M v0", "N s", SEEN(total), 0.156, 0.02}, /* the mesh keeps 1 % of the energy as vibration */
      {"numerical energy error", "", SEEN(numerical), 0, 1e-3}}},
  {"bar on a wall, massless contact node", "MASS: redistributed\nscheme: {type: massless_contact, step: 0.3 us}\ntime: {end: 1.6 ms}\n", NULL, NULL,
    {{"energy lost by impacts", "", SEEN(lost), 0, 1e-15}, {"penetration", "m", SEEN(deepest), 0, 1e-18},
      {"total impulse, 2 M v0", "N s", SEEN(total), 0.156, 0.02}, {"numerical energy error", "", SEEN(numerical), 0, 1e-3}}},
  {"bar on a wall, implicit", "MASS: consistent\nscheme: {type: generalised_alpha_velocity, step: 2 us, rho: 1}\ntime: {end: 1.6 ms}\n", NULL, NULL,
    {{"numerical energy error", "", SEEN(numerical), 0, 1e-12}, {"total impulse, 2 M v0", "N s", SEEN(total), 0.156, 0.02}}},
  {"mass on a spring, modal integration",
    "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2, inertia: [1, 1, 1], initial: {displacement: [0.1, 0, 0]}}}\n"
    "springs: {k: {between: [mass.center, ground], stiffness: 800, direction: [1, 0, 0]}}\n"
    "scheme: {type: modal, step: 0.1, modes: 6}\ntime: {end: 10}\n",
    "mass.center", "ux", {{"0.1 cos(20 t) at 10 s", "m", SEEN(position), 0.1 * 0.48718767500700594, 1e-10}}},
  {"bouncing ball, event-driven",
    "gravity: [0, -9.81, 0]\nbodies: {ball: {type: bouncing_ball, contact: {restitution: 0.5}}}\n"
    "scheme: {type: event_driven_hem5, step: 50 ms}\ntime: {end: 2}\n",
    NULL, NULL,
    {{"first impact, sqrt(2 h/g)", "s", SEEN(first), 0.45152364098573085, 1e-12},
      {"its impulse, (1 + e) g t1", "N s", SEEN(impulse), 1.5 * 4.429446918070019, 1e-12}, {"force at rest, m g", "N", SEEN(force), G, 1e-12},
      {"energy lost (all of it)", "", SEEN(lost), 1, 1e-9}}},
  {"block that slides to rest",
    "gravity: [0, -10, 0]\n"
    "bodies: {block: {type: truss, dimension: 2, mesh: {line: {from: [0, 0, 0], to: [0.1, 0, 0], elements: 1}},\n"
    "  material: {density: 1000, young: 1 GPa}, section: {area: 10 cm^2}, initial: {velocity: [1, 0, 0]}}}\n"
    "contacts: {floor: {between: [block.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.2}}\n"
    "scheme: {type: half_explicit, step: 20 us}\ntime: {end: 0.6}\n",
    "block.left", "ux",
    {{"sliding distance, v0^2/(2 mu g)", "m", SEEN(position), 0.25, 1e-4},
      {"time of rest, v0/(mu g)", "s", SEEN(stuck), 0.5, 1e-3}}}, /* at most a step late */
  {"disc that spins down in a bore",
    "gravity: [0, 0, -9.81]\n"
    "bodies: {disc: {type: rigid, at: [0, -0.9950371902099892 mm, -9.950371902099892 mm], mass: 1, inertia: [1.25e-3, 6.25e-4, 6.25e-4],\n"
    "  radius: 50 mm, initial: {angular_velocity: [100 rad/s, 0, 0]}}}\n"
    "supports: {plane: {at: disc.center, fix: [x, ry, rz]}}\n"
    "contacts: {bore: {between: [{node: disc.center, radius: 50 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 60 mm,\n"
    "  side: inside}}], friction: 0.1, gap_tolerance: 10 nm}}\n"
    "scheme: {type: half_explicit, step: 50 us}\ntime: {end: 2.6}\n",
    NULL, NULL, {{"time of rest, J Omega sqrt(1 + mu^2)/(mu m g r)", "s", SEEN(stuck), 2.5611299736, 1e-4}}},
  {"slider-crank with clearance",
    "gravity: [0, -9.81, 0]\nbodies: {crank: {type: slider_crank, contact: {restitution: 0.4}}}\n"
    "scheme: {type: event_driven_hem5, step: 1 ms, tolerance: 1e-12}\ntime: {end: 5 ms}\n",
    NULL, NULL, {{"first impact", "s", SEEN(first), 2.692502752e-3, 1e-7}, {"its impulse", "N s", SEEN(impulse), 0.055395015, 1e-7}}},
  {"impact on a row of three touching balls",
    "bodies: {row: {type: ball_chain, initial: {v1: 1}, contact: {restitution: 0.5}}}\n"
    "scheme: {type: generalised_alpha, step: 1 ms}\ntime: {end: 0.1}\n",
    "row", "v3", {{"velocity of the last ball, (1 + e)/3", "m/s", SEEN(position), 0.5, 1e-12}}},
  {"cantilever, static deflection",
    "bodies: {beam: {type: beam, theory: euler_bernoulli, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 3}},\n"
    "  material: {density: 7850, young: 210 GPa}, section: {rectangle: {width: 20 mm, height: 10 mm}}}}\n"
    "supports: {clamp: {at: beam.left}}\nloads: {tip: {at: beam.right, force: [0, -10, 0]}}\nstart: static\n"
    "scheme: {type: moreau_jean, step: 1 ms}\ntime: {end: 1 ms}\n",
    "beam.right", "uy", {{"tip, F L^3/(3 E I)", "m", SEEN(position), -10 / (3 * 210e9 * 0.02 * 1e-6 / 12), 1e-9}}},
};

/* The config of a case: of the bar with its mass. */
static const char *text_of(const Case *it, NsArena *arena)
{
  const char *mass = "MASS: ";
  const char *rest, *found;

  if (strncmp(it->text, mass, strlen(mass))) return it->text;
  rest  = strchr(it->text, '\n');
  found = strstr(bar, "MASS");
  return NsArenaPrint(
    arena, "%.*s%.*s%s%s", (int)(found - bar), bar, (int)(rest - it->text) - (int)strlen(mass), it->text + strlen(mass), found + 4, rest + 1);
}

/* After a step of length dt. */
static void observe(NsRun *run, PetscReal dt, Seen *seen)
{
  for (PetscInt i = 0; i < NsRunModel(run)->candidates; i++) {
    const NsContactReport *report = &NsContactReports(NsRunContact(run))[i];
    const PetscReal        pushed = report->impulse[0] + dt * report->force[0];
    seen->deepest                 = PetscMax(seen->deepest, -report->gap);
    if (i > 0) continue;
    seen->total += pushed;
    seen->force = report->force[0];
    if (report->impact && seen->impulse == 0) {
      seen->impulse = report->impulse[0];
      seen->first   = NsRunState(run)->t;
    }
    if (pushed > 0) seen->last = NsRunState(run)->t;
    if (report->state != NS_STICK) seen->stuck = NsRunState(run)->t;
  }
}

static PetscErrorCode probe(NsRun *run, const Case *it, Seen *seen)
{
  NsProbe            probe;
  PetscBool          found;
  char               why[256];
  const PetscScalar *q, *v;

  PetscFunctionBegin;
  if (!it->probe) PetscFunctionReturn(0);
  PetscCall(NsRunModel(run)->view.probe(NsRunModel(run), it->probe, &probe, &found, why, sizeof(why)));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s", why);
  q = NsVecRead(NsRunState(run)->q);
  v = NsVecRead(NsRunState(run)->v);
  for (PetscInt i = 0; i < probe.columns; i++) {
    if (!strcmp(probe.column[i].suffix, it->column)) seen->position = NsProbeColumnSum(&probe.column[i], NsRunState(run)->t, q, v);
  }
  PetscFunctionReturn(0);
}

/* The whole run; *reason "" or why it did not get to its end. */
static PetscErrorCode step_through(NsRun *run, const Case *it, Seen *seen, char *reason, size_t size)
{
  PetscFunctionBegin;
  *reason = 0;
  PetscCall(NsRunStart(run));
  while (!NsRunIsAtEnd(run)) {
    const PetscReal before = NsRunState(run)->t;
    NsStepOutcome   outcome;
    PetscCall(NsRunStep(run, &outcome));
    if (!outcome.done) {
      (void)snprintf(reason, size, "%s", outcome.reason);
      PetscFunctionReturn(0);
    }
    observe(run, NsRunState(run)->t - before, seen);
  }
  PetscCall(NsSchemeComplete(NsRunScheme(run), NsRunState(run)));
  PetscCall(NsLedgerClose(NsRunLedger(run), NsRunModel(run), NsRunState(run)));
  PetscCall(probe(run, it, seen));
  if (NsRunLedger(run)->initial != 0) {
    seen->lost      = NsRunLedger(run)->impact / NsRunLedger(run)->initial;
    seen->numerical = PetscAbsReal(NsRunLedger(run)->numerical / NsRunLedger(run)->initial);
  }
  PetscFunctionReturn(0);
}

static PetscBool print_figure(const Figure *figure, const Seen *seen)
{
  const double value    = *(const PetscReal *)((const char *)seen + figure->value),
               off      = fabs(value - figure->exact) / (figure->exact == 0 ? 1 : fabs(figure->exact));
  const PetscBool holds = off <= figure->may; /* false where the value is not finite */

  printf("  %-52s %18.12g %18.12g %-4s %8.1e  %s\n", figure->what, value, figure->exact, figure->unit, off, holds ? "passed" : "FAILED");
  return holds;
}

static PetscErrorCode test_case(const Case *it, int *failed)
{
  NsArena           *arena   = NsArenaCreate();
  NsDiag            *diag    = NsDiagCreate(arena);
  const NsRunOptions options = {.config_path = "selftest.yaml", .config_text = text_of(it, arena)};
  NsRun             *run;
  Seen               seen = {0};
  char               reason[512];

  PetscFunctionBegin;
  printf("%s\n", it->name);
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  if (NsDiagErrors(diag)) {
    NsDiagPrint(diag, stderr, false);
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "the config of '%s' has errors", it->name);
  }
  PetscCall(step_through(run, it, &seen, reason, sizeof(reason)));
  if (*reason) printf("  stopped at t = %g s: %s\n", NsRunState(run)->t, reason);
  for (int i = 0; i < NS_FIGURES && it->figure[i].what; i++) *failed += !print_figure(&it->figure[i], &seen) || *reason ? 1 : 0;
  PetscCall(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static PetscErrorCode test_all(void *context, int *code)
{
  const size_t count  = sizeof(cases) / sizeof(cases[0]);
  const double start  = NsSeconds();
  int          failed = 0, figures = 0;

  PetscFunctionBegin;
  (void)context;
  printf("  %-52s %18s %18s %-4s %8s\n", "", "value", "exact", "", "error");
  for (size_t i = 0; i < count; i++) {
    PetscCall(test_case(&cases[i], &failed));
    for (int k = 0; k < NS_FIGURES && cases[i].figure[k].what; k++) figures++;
  }
  if (failed)
    printf("\n%d of %d checks failed: do not trust results of this program on this machine\n", failed, figures);
  else
    printf("\nall %d checks passed (%.1f s)\n", figures, NsSeconds() - start);
  *code = failed ? NS_EXIT_FAILED : NS_EXIT_DONE;
  PetscFunctionReturn(0);
}

static int call(const NsArguments *arguments)
{
  (void)arguments;
  return NsCommandAlone(test_all, NULL);
}

const NsCommand NsCommand_Selftest = {
  .name        = "selftest",
  .words       = "",
  .about       = "run models with known solutions and compare",
  .description = "Prints value, exact value, error and result of each check; takes a second and writes no files. Exit code 1: a check failed.",
  .examples    = "selftest",
  .call        = call,
};
