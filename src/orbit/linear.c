/*
  A linear model as a small dense system x' = A x, x = (q, v, 1, cos(j Omega t), sin(j Omega t) ...).

  Forcing, gaps and speeds of moving surfaces are sampled over one period and given by their harmonics, which is exact for harmonic loads and unbalances and spectrally accurate for other smooth ones;
  between the samples the series is compared with the model, so that loads with kinks or with another period are found out.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"
#include "parts.h"
#include "scheme/event_driven.h"

#define NS_FEW            4   /* harmonics that are tried first, with as many samples as they need */
#define NS_MOST_DOF       400 /* dense matrices */
#define NS_SHORT          12
#define NS_MOST_SIMULATED 60
#define NS_ROUGHEST       1e-7

void NsOrbitMult(PetscInt m, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
  const PetscBLASInt size = (PetscBLASInt)m, next = 1;
  const PetscReal    one = 1, zero = 0;

  if (m <= NS_SHORT) { /* a call costs more than its work */
    for (PetscInt i = 0; i < m; i++) y[i] = A[i] * x[0];
    for (PetscInt j = 1; j < m; j++) {
      for (PetscInt i = 0; i < m; i++) y[i] += A[j * m + i] * x[j];
    }
    return;
  }
  BLASgemv_("N", &size, &size, &one, A, &size, x, &next, &zero, y, &next);
}

PetscReal NsOrbitDot(PetscInt m, const PetscReal *r, const PetscReal *x)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < m; i++) sum += r[i] * x[i];
  return sum;
}

void NsOrbitClock(const NsOrbitSystem *system, PetscReal t, PetscReal *x)
{
  PetscReal *at = x + system->states;

  *at++ = 1;
  for (PetscInt k = 0; k < system->harmonics; k++) {
    const PetscReal turns = system->harmonic[k] * t / system->period, angle = 2 * PETSC_PI * (turns - floor(turns));
    *at++ = cos(angle);
    *at++ = sin(angle);
  }
}

/* ---- the system ----------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscReal *zeros(NsOrbitSystem *system, PetscInt count)
{
  return NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)PetscMax(count, 1));
}

/* Column k of the clock has these values of the series; k counts 1, cos, sin ... of the harmonics that are kept. */
static const PetscReal *clock_column(const NsOrbitSystem *system, const NsOrbitParts *parts, const PetscReal *series, PetscInt k)
{
  if (k == 0) return series;
  const PetscInt harmonic = system->harmonic[(k - 1) / 2];
  return series + (k % 2 ? 2 * harmonic - 1 : 2 * harmonic) * parts->values;
}

static void fill_clock_row(const NsOrbitSystem *system, const NsOrbitParts *parts, const PetscReal *series, PetscInt value, PetscReal *row)
{
  for (PetscInt k = 0; k <= 2 * system->harmonics; k++) row[system->states + k] = clock_column(system, parts, series, k)[value];
}

static void fill_motion(NsOrbitSystem *system, const NsOrbitParts *parts, const PetscReal *series)
{
  const PetscInt n = parts->n, m = system->m;

  for (PetscInt j = 0; j < n; j++) {
    system->A[(n + j) * m + j] = 1;
    for (PetscInt i = 0; i < n; i++) {
      system->A[j * m + n + i]       = -parts->K[j * n + i];
      system->A[(n + j) * m + n + i] = -parts->C[j * n + i];
    }
  }
  for (PetscInt k = 0; k <= 2 * system->harmonics; k++) {
    PetscReal *to = system->A + (2 * n + k) * m + n;
    for (PetscInt i = 0; i < n; i++) to[i] = clock_column(system, parts, series, k)[i];
    NsOrbitSolveMass(parts, to);
  }
  for (PetscInt k = 0; k < system->harmonics; k++) {
    const PetscInt  c          = 2 * n + 1 + 2 * k;
    const PetscReal omega      = 2 * PETSC_PI * system->harmonic[k] / system->period;
    system->A[(c + 1) * m + c] = -omega;
    system->A[c * m + c + 1]   = omega;
  }
}

/* The entries of a row of W over the coordinates. */
static void spread_row(const NsOrbitParts *parts, PetscInt row, PetscReal *to)
{
  const PetscInt *index = NsOrbitTouchIndex(parts->model);

  for (PetscInt j = parts->rows.first[row]; j < parts->rows.first[row + 1]; j++) {
    const PetscInt touch = parts->rows.touch[j];
    if (!parts->modal)
      to[index[touch]] += parts->rows.value[j];
    else
      for (PetscInt i = 0; i < parts->n; i++) to[i] += parts->rows.value[j] * parts->modal->reduced.at_contact[touch * parts->n + i];
  }
}

static void fill_contacts(NsOrbitSystem *system, const NsOrbitParts *parts, const PetscReal *series)
{
  const PetscInt n = parts->n, m = system->m;

  for (PetscInt i = 0; i < parts->contacts; i++) {
    NsOrbitContact    *contact   = &system->contact[i];
    const NsCandidate *candidate = &parts->model->candidate[i];
    const PetscInt     row       = parts->rows.start[i];
    char               name[NS_CANDIDATE_NAME];
    const char        *text = NsCandidateName(candidate, name);
    contact->name           = NsArenaCopy(system->arena, text, strlen(text));
    contact->law            = candidate->law;
    contact->tangent        = parts->along[i] >= 0;
    contact->gap            = zeros(system, m);
    contact->rate           = zeros(system, m);
    contact->slip           = zeros(system, m);
    contact->normal         = zeros(system, m);
    contact->along          = zeros(system, m);
    spread_row(parts, row, contact->gap);
    spread_row(parts, row, contact->normal + n);
    NsOrbitSolveMass(parts, contact->normal + n);
    fill_clock_row(system, parts, series, n + i, contact->gap);
    for (PetscInt j = 0; j < m; j++) contact->rate[j] = NsOrbitDot(m, contact->gap, system->A + j * m);
    if (!contact->tangent) continue;
    spread_row(parts, row + parts->along[i], contact->slip + n);
    spread_row(parts, row + parts->along[i], contact->along + n);
    NsOrbitSolveMass(parts, contact->along + n);
    fill_clock_row(system, parts, series, n + parts->contacts + i, contact->slip);
  }
}

static void fill_compliance(NsOrbitSystem *system, const NsOrbitParts *parts)
{
  const NsReduced *reduced = &parts->modal->reduced;

  system->compliance = zeros(system, parts->contacts * parts->contacts);
  for (PetscInt i = 0; i < parts->contacts; i++) {
    for (PetscInt j = 0; j < parts->contacts; j++) {
      const PetscInt a = parts->rows.start[i], b = parts->rows.start[j];
      for (PetscInt k = parts->rows.first[a]; k < parts->rows.first[a + 1]; k++) {
        for (PetscInt l = parts->rows.first[b]; l < parts->rows.first[b + 1]; l++)
          system->compliance[j * parts->contacts + i] += parts->rows.value[k] * parts->rows.value[l] *
                                                         reduced->flexibility_contact[parts->rows.touch[k] * reduced->touches + parts->rows.touch[l]];
      }
    }
  }
}

/* Entries of one kind, in the coordinates. */
static void fill_probe(const NsOrbitParts *parts, const NsProbeColumn *column, PetscReal *to, PetscReal *forces)
{
  for (PetscInt e = 0; e < column->entries; e++) {
    if (!parts->modal) {
      to[column->unknown[e]] += column->weight[e];
      continue;
    }
    const NsReduced *reduced = &parts->modal->reduced;
    const size_t     all = (size_t)reduced->unknowns, unknown = (size_t)column->unknown[e];
    for (PetscInt i = 0; i < parts->n; i++) to[i] += column->weight[e] * reduced->shape[(size_t)i * all + unknown];
    for (PetscInt c = 0; c < parts->contacts && !column->of_velocity && !column->of_acceleration; c++) {
      const PetscInt row = parts->rows.start[c];
      for (PetscInt j = parts->rows.first[row]; j < parts->rows.first[row + 1]; j++)
        forces[c] += column->weight[e] * parts->rows.value[j] * reduced->flexibility[(size_t)parts->rows.touch[j] * all + unknown];
    }
  }
}

static void fill_probes(NsOrbitSystem *system, const NsOrbitParts *parts, const PetscReal *series)
{
  const PetscInt n = parts->n;

  for (PetscInt p = 0; p < parts->probes; p++) {
    const NsProbeColumn *column = &parts->probe[p].column[parts->probe_column[p]];
    NsOrbitProbe        *probe  = &system->probe[p];
    probe->name                 = NsOrbitProbeName(parts, p, system->arena);
    probe->row                  = zeros(system, system->m);
    probe->forces               = zeros(system, parts->contacts);
    fill_clock_row(system, parts, series, n + 2 * parts->contacts + p, probe->row);
    for (const NsProbeColumn *part = column; part; part = part->plus) {
      if (part->of_acceleration && !probe->rates) probe->rates = zeros(system, system->m);
      fill_probe(
        parts, part, (part->of_acceleration ? probe->rates : probe->row) + (part->of_velocity || part->of_acceleration ? n : 0), probe->forces);
    }
  }
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------------------ */

static const char *refusal(NsRun *run, NsArena *arena)
{
  const char    *name  = NsRunScheme(run)->type->variant.name;
  const NsModel *model = NsRunModel(run);

  if (strcmp(name, "modal") && strncmp(name, "event_driven", 12))
    return NsArenaPrint(arena,
      "scheme '%s' does not meet events: its map of one period is not differentiable at an impact or a reversal of slip, so that orbits and multipliers would be wrong; use "
      "event_driven_hem5 or modal",
      name);
  if (model->switches.count)
    return NsArenaPrint(arena, "the %s '%s' begins or stops acting at a given time (`from`, `until`), which does not repeat",
      model->switches.item[0].kind, model->switches.item[0].name);
  if (model->massless) return "it has degrees of freedom without mass";
  if (!strcmp(name, "modal") && model->candidates && !model->flat_contacts)
    return "its contact normals rotate; use event_driven_hem5, whose motion is simulated over a period";
  if (strcmp(name, "modal") && model->unknowns > NS_MOST_DOF)
    return NsArenaPrint(
      arena, "it has %d degrees of freedom, and dense matrices allow %d; reduce it to modes: scheme modal", (int)model->unknowns, NS_MOST_DOF);
  return NULL;
}

/* Whether the motion is not linear between events. */
static PetscBool is_simulated(const NsModel *model)
{
  PetscBool laws = PETSC_FALSE;

  for (PetscInt i = 0; i < model->candidates; i++) laws = laws || model->candidate[i].law.kinds || model->candidate[i].bilateral;
  return !model->linear || laws || (model->candidates && !model->flat_contacts);
}

/* Why a model cannot be simulated over a period from any state. */
static const char *simulation_refusal(NsRun *run, NsArena *arena)
{
  const NsModel         *model    = NsRunModel(run);
  const NsEventSettings *settings = NsRunScheme(run)->settings;

  PetscInt free = model->unknowns;

  for (PetscInt i = 0; i < model->candidates; i++) free -= model->candidate[i].bilateral ? 1 : 0;
  if (free > NS_MOST_SIMULATED)
    return NsArenaPrint(
      arena, "its motion is nonlinear, and such orbits are limited to %d degrees of freedom: it has %d", NS_MOST_SIMULATED, (int)free);
  if (!(settings->tolerance > 0 && settings->tolerance <= NS_ROUGHEST))
    return NsArenaPrint(arena,
      "its motion is nonlinear, and multipliers are computed by finite differences: give the scheme a tolerance of at most %g, such as 1e-10",
      NS_ROUGHEST);
  return NULL;
}

const char *NsOrbitSimulationRefusal(NsRun *run, NsArena *arena)
{
  const char *why = refusal(run, arena);

  if (!why && !strcmp(NsRunScheme(run)->type->variant.name, "modal")) why = "its motion is simulated over a period: take event_driven_hem5";
  return why ? why : simulation_refusal(run, arena);
}

/* ---- creation -------------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode take_start(NsOrbitSystem *system, NsOrbitParts *parts)
{
  const NsState *state = NsRunState(parts->run);

  PetscFunctionBegin;
  system->start = zeros(system, system->states);
  if (parts->modal) {
    PetscCall(NsReducedProject(&parts->modal->reduced, 0, state->q, system->start));
    PetscCall(NsReducedProject(&parts->modal->reduced, 0, state->v, system->start + parts->n));
  } else {
    PetscCall(PetscArraycpy(system->start, NsVecRead(state->q), parts->n));
    PetscCall(PetscArraycpy(system->start + parts->n, NsVecRead(state->v), parts->n));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode fill(NsOrbitSystem *system, NsOrbitParts *parts, PetscReal *series)
{
  const PetscInt values = parts->values;

  PetscFunctionBegin;
  NsOrbitSeriesClean(parts, series);
  system->harmonic = NsArenaAlloc(system->arena, sizeof(PetscInt) * NS_HARMONICS);
  for (PetscInt k = 1; k <= NS_HARMONICS && system->period > 0; k++) {
    PetscBool there = PETSC_FALSE;
    for (PetscInt i = 0; i < 2 * values; i++) there = there || series[(2 * k - 1) * values + i] != 0;
    if (there) system->harmonic[system->harmonics++] = k;
  }
  system->states   = 2 * parts->n;
  system->m        = system->states + 1 + 2 * system->harmonics;
  system->contacts = parts->contacts;
  system->probes   = parts->probes;
  system->A        = zeros(system, system->m * system->m);
  system->contact  = NsArenaAlloc(system->arena, sizeof(*system->contact) * (size_t)(parts->contacts + 1));
  system->probe    = NsArenaAlloc(system->arena, sizeof(*system->probe) * (size_t)(parts->probes + 1));
  fill_motion(system, parts, series);
  fill_contacts(system, parts, series);
  if (parts->modal) fill_compliance(system, parts);
  fill_probes(system, parts, series);
  PetscCall(take_start(system, parts));
  system->room = 64;
  system->mode = NsArenaAlloc(system->arena, sizeof(*system->mode) * (size_t)system->room);
  PetscCall(NsLocalChainCreate(PetscMax(1, parts->contacts), PetscMax(1, 2 * parts->contacts), &system->chain));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSystemCreate(NsRun *run, PetscReal forcing_period, NsArena *arena, NsOrbitSystem **result, const char **why)
{
  NsOrbitSystem *system;
  NsOrbitParts   parts;
  NsTimes        times;
  PetscReal     *series;
  PetscBool      fits = PETSC_FALSE;

  PetscFunctionBegin;
  *result = NULL;
  if (NsRunSettings(run)->orbit->circular) {
    *why = NsOrbitCircleRefusal(run, arena);
    if (!*why) PetscCall(NsOrbitCircleSystem(run, forcing_period, arena, result, why));
    PetscFunctionReturn(0);
  }
  *why                      = refusal(run, arena);
  const PetscBool simulated = is_simulated(NsRunModel(run)) && strcmp(NsRunScheme(run)->type->variant.name, "modal");
  if (!*why && simulated) *why = simulation_refusal(run, arena);
  if (!*why && simulated) PetscCall(NsOrbitSimulatedSystem(run, forcing_period, arena, result, why));
  if (*why || simulated) PetscFunctionReturn(0);
  PetscCall(NsOrbitPartsCreate(run, arena, &parts, why));
  if (!*why) {
    NsArena *own  = NsArenaCreate();
    system        = NsArenaAlloc(own, sizeof(*system));
    system->arena = own;
    PetscCall(NsModelTimes(parts.model, 0, NsRunState(run)->v, &times));
    system->period             = forcing_period > 0 ? forcing_period : times.period < PETSC_MAX_REAL ? times.period : 0;
    system->gap_tolerance      = 1e-9;
    system->velocity_tolerance = 1e-6;
    if (!parts.modal) {
      const NsEventSettings *settings = NsRunScheme(run)->settings;
      system->gap_tolerance           = settings->gap_tolerance;
      system->velocity_tolerance      = settings->velocity_tolerance;
    }
    PetscCall(PetscMalloc1((size_t)((2 * NS_HARMONICS + 1) * parts.values), &series));
    for (PetscInt most = NS_FEW; !fits && most <= NS_HARMONICS; most = most < NS_HARMONICS ? NS_HARMONICS : NS_HARMONICS + 1) {
      PetscCall(NsOrbitSeriesFind(&parts, system->period, most, series));
      PetscCall(NsOrbitSeriesCheck(&parts, system->period, most, series, &fits));
    }
    if (!fits)
      *why = NsArenaPrint(arena,
        system->period > 0 ? "its loads do not repeat with the period of %.9g s, or they have jumps, kinks or more than %d harmonics"
                           : "its loads change with time and have no period; give it: orbit.forcing_period",
        system->period, NS_HARMONICS);
    else
      PetscCall(fill(system, &parts, series));
    PetscCall(PetscFree(series));
    *result = system;
    if (*why) PetscCall(NsOrbitSystemDestroy(result));
  }
  PetscCall(NsOrbitPartsDestroy(&parts));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSystemDestroy(NsOrbitSystem **system)
{
  NsArena *arena;

  PetscFunctionBegin;
  if (!*system) PetscFunctionReturn(0);
  if (!(*system)->borrows && (*system)->chain) PetscCall(NsLocalChainDestroy(&(*system)->chain));
  if ((*system)->circle) PetscCall(NsOrbitCircleDestroy((*system)->circle));
  if ((*system)->run) {
    PetscCall(NsRunDestroy(&(*system)->run));
    NsArenaDestroy(&(*system)->run_arena);
  }
  PetscCall(PetscFree((*system)->seen));
  arena   = (*system)->arena;
  *system = NULL;
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}
