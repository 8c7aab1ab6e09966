/* percuss static CONFIG: the static equilibrium under the loads at t = 0: displacements, reactions, section forces, closed contacts. */
#include <math.h>
#include <string.h>
#include "command.h"
#include "core/json.h"
#include "core/text.h"
#include "results.h"
#include "fe/fe.h"
#include "output/analyses.h"

enum { MOST_PRINTED = 20 }; /* closed contacts */

enum { JSON };

static NsOption options[] = {[JSON] = NS_OPTION_JSON, NS_OPTION_OUT, NS_OPTION_TRUST, NS_OPTION_SET, NS_OPTION_OVERWRITE, {NULL}};

/* All that is printed and written. */
typedef struct {
  NsRun              *run;
  PetscInt            deflections, reactions, sections;
  NsFeDeflection     *deflection;
  NsFeStaticReaction *reaction;
  NsFeStaticSection  *section;
  NsContactReport    *contact; /* [candidates] */
  PetscInt            closed;
} Solution;

static PetscReal length_of(const PetscReal x[3])
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static const char *state_of(const NsContactReport *contact)
{
  return NsContactStateNames[contact->state];
}

static PetscErrorCode collect(NsRun *run, Solution *self)
{
  NsModel *model = NsRunModel(run);
  const PetscReal(*force)[3];
  PetscReal *q, *gap;

  PetscFunctionBegin;
  *self = (Solution){.run = run};
  q     = NsArenaAlloc(NsRunArena(run), sizeof(*q) * (size_t)(model->unknowns + 1));
  PetscCall(NsLayoutCollect(model->layout, NsVecRead(NsRunState(run)->q), q));
  PetscCall(NsFeDeflections(model, q, &self->deflections, &self->deflection));
  PetscCall(NsFeStaticReactions(model, q, &self->reactions, &self->reaction));
  PetscCall(NsFeStaticSections(model, q, &self->sections, &self->section));
  self->contact = NsArenaAlloc(NsRunArena(run), sizeof(*self->contact) * (size_t)(model->candidates + 1));
  gap           = NsArenaAlloc(NsRunArena(run), sizeof(*gap) * (size_t)(model->candidates + 1));
  if (model->candidates) PetscCall(NsModelGap(model, 0, NsRunState(run)->q, gap));
  force = NsFeStaticForces(model);
  for (PetscInt i = 0; i < model->candidates; i++) {
    NsContactReport *contact = &self->contact[i];
    contact->gap             = gap[i];
    for (int d = 0; d < 3 && force; d++) contact->force[d] = force[i][d];
    contact->state = contact->force[0] != 0 || contact->force[1] != 0 || contact->force[2] != 0 ? NS_CLOSED : NS_OPEN;
    self->closed += contact->state == NS_CLOSED;
  }
  PetscFunctionReturn(0);
}

/* ---- files ------------------------------------------------------------------------------------------------------------------------------------- */

static void copy3(const PetscReal from[3], PetscReal to[3])
{
  for (int k = 0; k < 3; k++) to[k] = from[k];
}

static void write_reactions(const Solution *self)
{
  NsCsv csv;

  NsCsvOpen(&csv, NsRunSink(self->run), &NsCsvType_StaticReactions, 0, NULL);
  for (PetscInt i = 0; i < self->reactions; i++) {
    const NsFeStaticReaction *from = &self->reaction[i];
    NsReactionRow             row  = {.kind = from->kind, .name = from->name};
    copy3(from->x, row.x);
    copy3(from->force, row.force);
    copy3(from->moment, row.moment);
    NsCsvRow(&csv, &row);
  }
  NsCsvClose(&csv);
}

static void write_sections(const Solution *self)
{
  NsCsv csv;

  NsCsvOpen(&csv, NsRunSink(self->run), &NsCsvType_StaticSections, 0, NULL);
  for (PetscInt i = 0; i < self->sections; i++) {
    const NsFeStaticSection *from = &self->section[i];
    NsSectionRow             row  = {.body = from->body,
                   .along                  = from->along,
                   .normal_force           = from->normal_force,
                   .shear                  = {from->shear[0], from->shear[1]},
                   .torque                 = from->torque,
                   .moment                 = {from->moment[0], from->moment[1]}};
    copy3(from->x, row.x);
    copy3(from->u, row.u);
    copy3(from->turn, row.turn);
    NsCsvRow(&csv, &row);
  }
  NsCsvClose(&csv);
}

static void write_contacts(const Solution *self)
{
  const NsModel *model = NsRunModel(self->run);
  NsCsv          csv;
  char           name[NS_CANDIDATE_NAME];

  NsCsvOpen(&csv, NsRunSink(self->run), &NsCsvType_StaticContacts, 0, NULL);
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (NsCandidateResists(&model->candidate[i])) continue; /* rolling resistance plays no part in statics */
    const NsContactReport *from = &self->contact[i];
    NsStaticContactRow     row  = {.contact = NsCandidateName(&model->candidate[i], name), .state = state_of(from), .gap = from->gap};
    copy3(from->force, row.force);
    NsCsvRow(&csv, &row);
  }
  NsCsvClose(&csv);
}

/* ---- text -------------------------------------------------------------------------------------------------------------------------------------- */

/* Rounding errors beside the largest are printed as 0, and so is -0. */
static PetscReal visible(PetscReal value, PetscReal largest)
{
  return PetscAbsReal(value) <= 1e-10 * largest ? 0 : value;
}

static void print_six(const char *kind, const char *name, const PetscReal force[3], const PetscReal moment[3], PetscReal largest)
{
  printf("    %-10s %-20s", kind, name);
  for (int k = 0; k < 3; k++) printf(" %12.6g", visible(force[k], largest));
  for (int k = 0; k < 3; k++) printf(" %12.6g", visible(moment[k], largest));
  printf("\n");
}

static void print_reactions(const Solution *self)
{
  PetscReal largest = 0, sum[3] = {0};
  PetscInt  grounded = 0;

  if (!self->reactions) return;
  printf("  reactions: force (N) and moment (N m) on the body\n    %-31s %12s %12s %12s %12s %12s %12s\n", "", "fx", "fy", "fz", "mx", "my", "mz");
  for (PetscInt i = 0; i < self->reactions; i++)
    largest = PetscMax(largest, PetscMax(length_of(self->reaction[i].force), length_of(self->reaction[i].moment)));
  for (PetscInt i = 0; i < self->reactions; i++) {
    const NsFeStaticReaction *it = &self->reaction[i];
    print_six(it->kind, it->name, it->force, it->moment, largest);
    for (int k = 0; k < 3 && it->ground; k++) sum[k] += it->force[k];
    if (it->ground) grounded++;
  }
  printf("    %-31s", "sum of ground reactions");
  for (int k = 0; k < 3 && grounded; k++) printf(" %12.6g", visible(sum[k], largest));
  printf("\n");
}

/* The largest magnitude of a section force over a body, and where. */
typedef struct {
  const char *body;
  PetscReal   shear, moment, normal_force, torque, at[4];
} Extreme;

static void take_extreme(PetscReal value, PetscReal along, PetscReal *most, PetscReal *at)
{
  if (!(PetscAbsReal(value) > PetscAbsReal(*most) * (1 + 1e-12))) return;
  *most = value;
  *at   = along;
}

static void print_extreme(const char *what, const char *unit, PetscReal value, PetscReal at)
{
  if (value == 0) return;
  printf("  %s %.6g %s", what, value, unit);
  if (!isnan(at)) printf(" at %.4g m", at);
}

static void print_sections(const Solution *self)
{
  for (PetscInt i = 0; i < self->sections;) {
    Extreme most = {.body = self->section[i].body};
    for (; i < self->sections && !strcmp(self->section[i].body, most.body); i++) {
      const NsFeStaticSection *it = &self->section[i];
      take_extreme(hypot(it->shear[0], it->shear[1]), it->along, &most.shear, &most.at[0]);
      take_extreme(hypot(it->moment[0], it->moment[1]), it->along, &most.moment, &most.at[1]);
      take_extreme(it->normal_force, it->along, &most.normal_force, &most.at[2]);
      take_extreme(it->torque, it->along, &most.torque, &most.at[3]);
    }
    printf("  section forces of %s, largest:", most.body);
    print_extreme("shear", "N", most.shear, most.at[0]);
    print_extreme("bending moment", "N m", most.moment, most.at[1]);
    print_extreme("normal force", "N", most.normal_force, most.at[2]);
    print_extreme("torque", "N m", most.torque, most.at[3]);
    printf("%s\n", most.shear == 0 && most.moment == 0 && most.normal_force == 0 && most.torque == 0 ? " none" : "");
  }
}

static void print_contacts(const Solution *self)
{
  const NsModel *model   = NsRunModel(self->run);
  PetscInt       printed = 0, contacts = 0;
  char           name[NS_CANDIDATE_NAME];

  if (!model->candidates) return;
  for (PetscInt i = 0; i < model->candidates; i++) contacts += NsCandidateResists(&model->candidate[i]) ? 0 : 1;
  printf("  contacts: %d of %d closed\n", (int)self->closed, (int)contacts);
  for (PetscInt i = 0; i < model->candidates && printed < MOST_PRINTED; i++) {
    const NsContactReport *it = &self->contact[i];
    if (it->state == NS_OPEN) continue;
    printf("    %-31s %12.6g N", NsCandidateName(&model->candidate[i], name), it->force[0]);
    if (it->force[1] != 0 || it->force[2] != 0) printf(", friction %.6g N", hypot(it->force[1], it->force[2]));
    printf("\n");
    printed++;
  }
  if (self->closed > printed) printf("    %d more in static_contacts.csv\n", (int)(self->closed - printed));
}

static void print_text(const Solution *self)
{
  printf("%s: static equilibrium of %d %s under the loads at t = 0, without unbalances\n", NsRunSink(self->run)->name,
    (int)NsRunModel(self->run)->unknowns, NsPlural(NsRunModel(self->run)->unknowns, "degree of freedom", "degrees of freedom"));
  printf("  largest displacement (m)\n    %-31s %12s %12s %12s\n", "", "ux", "uy", "uz");
  for (PetscInt b = 0; b < self->deflections; b++) {
    const NsFeDeflection *it = &self->deflection[b];
    printf("    %-31s", it->body);
    for (int k = 0; k < 3; k++) printf(" %12.6g", visible(it->u[k], length_of(it->u)));
    printf("  at (%.4g, %.4g, %.4g) m\n", it->x[0], it->x[1], it->x[2]);
  }
  print_reactions(self);
  print_sections(self);
  print_contacts(self);
}

/* ---- JSON: SI units; null where there is none ------------------------------------------------------------------------------------------------------ */

static void put3(NsJson *json, const char *name, const PetscReal x[3])
{
  NsJsonOpen(json, name, '[');
  for (int k = 0; k < 3; k++) NsJsonNumber(json, NULL, x[k]);
  NsJsonClose(json);
}

static void put_sections(NsJson *json, const Solution *self)
{
  NsJsonOpen(json, "sections", '[');
  for (PetscInt i = 0; i < self->sections; i++) {
    const NsFeStaticSection *it = &self->section[i];
    NsJsonOpen(json, NULL, '{');
    NsJsonString(json, "body", it->body);
    NsJsonNumber(json, "along", it->along);
    put3(json, "position", it->x);
    put3(json, "displacement", it->u);
    put3(json, "rotation", it->turn);
    NsJsonNumber(json, "normal_force", it->normal_force);
    NsJsonNumber(json, "shear_2", it->shear[0]);
    NsJsonNumber(json, "shear_3", it->shear[1]);
    NsJsonNumber(json, "torque", it->torque);
    NsJsonNumber(json, "moment_2", it->moment[0]);
    NsJsonNumber(json, "moment_3", it->moment[1]);
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

static void put_contacts(NsJson *json, const Solution *self)
{
  const NsModel *model = NsRunModel(self->run);
  char           name[NS_CANDIDATE_NAME];

  NsJsonOpen(json, "contacts", '[');
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (NsCandidateResists(&model->candidate[i])) continue;
    NsJsonOpen(json, NULL, '{');
    NsJsonString(json, "name", NsCandidateName(&model->candidate[i], name));
    NsJsonString(json, "state", state_of(&self->contact[i]));
    NsJsonNumber(json, "gap", self->contact[i].gap);
    put3(json, "force", self->contact[i].force);
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

static void print_json(const Solution *self)
{
  NsJson json;

  NsJsonBegin(&json, 4096);
  NsJsonOpen(&json, NULL, '{');
  NsJsonString(&json, "name", NsRunSink(self->run)->name);
  NsJsonInteger(&json, "dof", NsRunModel(self->run)->unknowns);
  NsJsonString(&json, "directory", NsRunSink(self->run)->directory);
  NsJsonOpen(&json, "displacements", '[');
  for (PetscInt b = 0; b < self->deflections; b++) {
    NsJsonOpen(&json, NULL, '{');
    NsJsonString(&json, "body", self->deflection[b].body);
    put3(&json, "position", self->deflection[b].x);
    put3(&json, "displacement", self->deflection[b].u);
    NsJsonClose(&json);
  }
  NsJsonClose(&json);
  NsJsonOpen(&json, "reactions", '[');
  for (PetscInt i = 0; i < self->reactions; i++) {
    const NsFeStaticReaction *it = &self->reaction[i];
    NsJsonOpen(&json, NULL, '{');
    NsJsonString(&json, "kind", it->kind);
    NsJsonString(&json, "name", it->name);
    NsJsonBoolean(&json, "from_ground", it->ground);
    put3(&json, "position", it->x);
    put3(&json, "force", it->force);
    put3(&json, "moment", it->moment);
    NsJsonClose(&json);
  }
  NsJsonClose(&json);
  put_contacts(&json, self);
  put_sections(&json, self);
  NsJsonClose(&json);
  (void)fwrite(json.text, 1, json.used, stdout);
  NsJsonEnd(&json);
}

static PetscErrorCode solve(NsRun *run)
{
  Solution self;

  PetscFunctionBegin;
  PetscCall(collect(run, &self));
  write_reactions(&self);
  write_sections(&self);
  if (NsRunModel(run)->candidates) write_contacts(&self);
  PetscCall(NsRunWriteFrame(run, self.contact));
  if (NsRunExit(run) != NS_EXIT_DONE) PetscFunctionReturn(0);
  if (options[JSON].value)
    print_json(&self);
  else
    print_text(&self);
  PetscFunctionReturn(0);
}

static PetscErrorCode statics_of_config(const NsRunOptions *settings, NsArena *arena, NsDiag *diag, int *code)
{
  NsRunOptions of_statics = *settings;
  NsRun       *run;

  PetscFunctionBegin;
  of_statics.statics = PETSC_TRUE;
  PetscCall(NsRunCreate(&of_statics, arena, diag, &run));
  NsDiagPrint(diag, stderr, NsColour(stderr));
  *code = NS_EXIT_INPUT;
  if (!NsDiagErrors(diag) && NsAnalysisPossible("static", run) && NsAnalysisAllowed("static", run)) {
    PetscCall(NsRunOpenResults(run));
    if (NsRunExit(run) == NS_EXIT_DONE) PetscCall(solve(run));
    PetscCall(NsRunCloseResults(run));
    *code = options[JSON].value && !*NsRunMessage(run) ? (int)NsRunExit(run) : NsAnalysisEnd("static", run);
  } else if (NsRunExit(run) == NS_EXIT_FAILED)
    *code = NS_EXIT_FAILED;
  PetscCall(NsRunDestroy(&run));
  PetscFunctionReturn(0);
}

static int call(const NsArguments *arguments)
{
  return NsCommandOnConfig(arguments, statics_of_config);
}

const NsCommand NsCommand_Static = {
  .name     = "static",
  .words    = "CONFIG",
  .options  = options,
  .petsc    = true,
  .analysis = true,
  .about    = "compute the static equilibrium: displacements, reactions, section forces, closed contacts",
  .description =
    "The loads are those at t = 0, without unbalances; rotors turn at their initial speed. Nonlinear springs and bearings are included; contacts may be closed where springs and bearings are linear, without "
    "friction unless the config has `start: static_friction`. Prints the largest displacement of each body, the reactions of all supports, springs and bearings, the largest section forces and the closed "
    "contacts, and writes static_reactions.csv, static_sections.csv, static_contacts.csv and a frame for ParaView into out/NAME_static.\n"
    "\n"
    "With --json everything is printed in SI units, with all section forces.",
  .examples = "static my_rotor.yaml\n"
              "static my_rotor.yaml --set gravity=\"[0, -9.81, 0]\" --json",
  .call     = call,
};
