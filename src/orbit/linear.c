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
#include "output/settings.h"
#include "scheme/event_driven.h"
#include "scheme/modal_step.h"

#define NS_SAMPLES   128
#define NS_HARMONICS 40
#define NS_FEW       4   /* harmonics that are tried first, with as many samples as they need */
#define NS_FINE      48  /* samples of the shortest period of the free motion */
#define NS_MOST_DOF  400 /* dense matrices */

void NsOrbitMult(PetscInt m, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
  const PetscBLASInt size = (PetscBLASInt)m, next = 1;
  const PetscReal    one = 1, zero = 0;

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

/* ---- what the system is made of ------------------------------------------------------------------------------------------------------------------------------ */

/* A model in n coordinates: degrees of freedom, or modes. */
typedef struct {
  NsRun        *run;
  NsModel      *model;
  NsModal      *modal; /* NULL: degrees of freedom */
  NsArena      *arena;
  PetscInt      n, contacts, probes;
  PetscReal    *M, *K, *C; /* [n, n] column-major; M is factored, K and C are multiplied by its inverse */
  PetscBLASInt *pivot;
  NsRows        rows;
  PetscInt     *along;  /* [contacts] row of the tangent, -1: none */
  PetscReal    *sizes;  /* of loads */
  PetscInt      values; /* n + 2 contacts + probes: forces, gaps and slip at q = 0, v = 0, probes there */
  Vec           q, v, h;
  NsProbe      *probe;
  PetscInt     *probe_column;
} Parts;

static const PetscInt *touch_index(const NsModel *model)
{
  return model->watch ? model->watch->index : model->touch;
}

/* Values over time at zero coordinates: forces [n], gaps [contacts], slip [contacts], probes. */
static PetscErrorCode sample(Parts *parts, PetscReal t, PetscReal *value)
{
  NsModel         *model = parts->model;
  const PetscReal *h;
  PetscReal       *gap;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(value, parts->values));
  PetscCall(VecZeroEntries(parts->q));
  PetscCall(VecZeroEntries(parts->v));
  if (parts->modal) {
    const NsReduced *reduced = &parts->modal->reduced;
    PetscCall(model->analysis.load_sizes(model, t, parts->sizes));
    for (PetscInt k = 0; k < reduced->loads; k++) {
      for (PetscInt i = 0; i < parts->n; i++) value[i] += parts->sizes[k] * reduced->load[k * parts->n + i];
    }
  } else {
    PetscCall(NsModelForce(model, t, parts->q, parts->v, parts->h));
    h = NsVecRead(parts->h);
    PetscCall(PetscArraycpy(value, h, parts->n));
  }
  if (!parts->contacts) PetscFunctionReturn(0);
  PetscInt *list = NsContactSelected(NsRunContact(parts->run));
  for (PetscInt i = 0; i < parts->contacts; i++) list[i] = i;
  gap = value + parts->n;
  PetscCall(NsModelGap(model, t, parts->q, gap));
  PetscCall(NsModelRows(model, t, parts->q, parts->contacts, list, &parts->rows));
  for (PetscInt i = 0; i < parts->contacts; i++) {
    const PetscInt row = parts->rows.start[i];
    if (parts->along[i] >= 0) value[parts->n + parts->contacts + i] = parts->rows.drive[row + parts->along[i]];
    if (!parts->modal) continue;
    const NsReduced *reduced = &parts->modal->reduced;
    for (PetscInt j = parts->rows.first[row]; j < parts->rows.first[row + 1]; j++) {
      for (PetscInt k = 0; k < reduced->loads; k++)
        gap[i] += parts->rows.value[j] * parts->sizes[k] * reduced->load_contact[k * reduced->touches + parts->rows.touch[j]];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode sample_probes(Parts *parts, PetscReal *value)
{
  PetscReal *to = value + parts->n + 2 * parts->contacts;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < parts->probes; p++) {
    const NsProbeColumn *column = &parts->probe[p].column[parts->probe_column[p]];
    to[p]                       = column->constant;
    if (!parts->modal || column->of_velocity) continue;
    const NsReduced *reduced = &parts->modal->reduced;
    for (PetscInt e = 0; e < column->entries; e++) {
      for (PetscInt k = 0; k < reduced->loads; k++)
        to[p] += column->weight[e] * parts->sizes[k] * reduced->load_flexibility[(size_t)k * (size_t)reduced->unknowns + (size_t)column->unknown[e]];
    }
  }
  PetscFunctionReturn(0);
}

/* M, K, C of degrees of freedom by columns: K e = h(0, 0) - h(e, 0). */
static PetscErrorCode find_matrices(Parts *parts)
{
  const PetscInt n = parts->n;
  PetscReal     *zero;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &zero));
  PetscCall(VecZeroEntries(parts->q));
  PetscCall(VecZeroEntries(parts->v));
  PetscCall(NsModelForce(parts->model, 0, parts->q, parts->v, parts->h));
  PetscCall(PetscArraycpy(zero, NsVecRead(parts->h), n));
  for (PetscInt j = 0; j < n; j++) {
    for (int what = 0; what < 3; what++) {
      Vec        at     = what == 1 ? parts->v : parts->q;
      PetscReal *to     = (what == 0 ? parts->M : what == 1 ? parts->C : parts->K) + j * n;
      NsVecArray(at)[j] = 1;
      if (what == 0)
        PetscCall(NsModelMult(parts->model, 0, parts->q, parts->q, parts->h));
      else
        PetscCall(NsModelForce(parts->model, 0, parts->q, parts->v, parts->h));
      NsVecArray(at)[j]  = 0;
      const PetscReal *h = NsVecRead(parts->h);
      for (PetscInt i = 0; i < n; i++) to[i] = what == 0 ? h[i] : zero[i] - h[i];
    }
  }
  PetscCall(PetscFree(zero));
  PetscFunctionReturn(0);
}

static void find_modal_matrices(Parts *parts)
{
  const NsReduced *reduced = &parts->modal->reduced;
  const PetscInt   n       = parts->n;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      parts->M[j * n + i] = i == j;
      parts->C[j * n + i] = reduced->damping[i * n + j];
      parts->K[j * n + i] = reduced->circulation[i * n + j] + (i == j ? PetscSqr(reduced->omega[i]) : 0);
    }
  }
}

static PetscErrorCode invert_mass(Parts *parts)
{
  const PetscBLASInt n = (PetscBLASInt)parts->n;
  PetscBLASInt       info;

  PetscFunctionBegin;
  LAPACKgetrf_(&n, &n, parts->M, &n, parts->pivot, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "the mass matrix is singular (getrf: %d)", (int)info);
  LAPACKgetrs_("N", &n, &n, parts->M, &n, parts->pivot, parts->K, &n, &info);
  LAPACKgetrs_("N", &n, &n, parts->M, &n, parts->pivot, parts->C, &n, &info);
  PetscFunctionReturn(0);
}

/* x[n] = M^-1 of it. */
static void solve_mass(const Parts *parts, PetscReal *x)
{
  const PetscBLASInt n = (PetscBLASInt)parts->n, one = 1;
  PetscBLASInt       info;

  LAPACKgetrs_("N", &n, &one, parts->M, &n, parts->pivot, x, &n, &info);
}

/* ---- harmonics ----------------------------------------------------------------------------------------------------------------------------------------------- */

/* series[2 NS_HARMONICS + 1][values]: mean, cos, sin ... of the values over the period, up to `most` harmonics. */
static PetscErrorCode find_series(Parts *parts, PetscReal period, PetscInt most, PetscReal *series)
{
  const PetscInt values = parts->values, samples = !(period > 0) ? 1 : most == NS_HARMONICS ? NS_SAMPLES : 4 * most;
  PetscReal     *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(values, &value));
  PetscCall(PetscArrayzero(series, (2 * NS_HARMONICS + 1) * values));
  for (PetscInt s = 0; s < samples; s++) {
    PetscCall(sample(parts, period * (PetscReal)s / (PetscReal)samples, value));
    PetscCall(sample_probes(parts, value));
    for (PetscInt i = 0; i < values; i++) series[i] += value[i] / (PetscReal)samples;
    for (PetscInt k = 1; k <= most && samples > 1; k++) {
      const PetscReal angle = 2 * PETSC_PI * (PetscReal)((k * s) % samples) / (PetscReal)samples, c = 2 * cos(angle) / (PetscReal)samples,
                      d = 2 * sin(angle) / (PetscReal)samples;
      for (PetscInt i = 0; i < values; i++) {
        series[(2 * k - 1) * values + i] += c * value[i];
        series[2 * k * values + i] += d * value[i];
      }
    }
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(0);
}

/* Drops rounding: numbers below 1e-13 of the largest of their kind. */
static void clean_series(const Parts *parts, PetscReal *series)
{
  const PetscInt end[4] = {parts->n, parts->n + parts->contacts, parts->n + 2 * parts->contacts, parts->values};

  for (PetscInt kind = 0, from = 0; kind < 4; from = end[kind++]) {
    PetscReal largest = 0;
    for (PetscInt k = 0; k <= 2 * NS_HARMONICS; k++) {
      for (PetscInt i = from; i < end[kind]; i++) largest = PetscMax(largest, PetscAbsReal(series[k * parts->values + i]));
    }
    for (PetscInt k = 0; k <= 2 * NS_HARMONICS; k++) {
      for (PetscInt i = from; i < end[kind]; i++) {
        if (PetscAbsReal(series[k * parts->values + i]) <= 1e-13 * largest) series[k * parts->values + i] = 0;
      }
    }
  }
}

/* Whether the series has the values of the model, also between the samples and in the next period. */
static PetscErrorCode check_series(Parts *parts, PetscReal period, PetscInt most, const PetscReal *series, PetscBool *fits)
{
  const PetscInt  values  = parts->values;
  const PetscReal place[] = {0.0031, 0.1234567, 0.38461, 0.7071, 0.92, 1.2718, 3.1416};
  PetscReal      *value;

  PetscFunctionBegin;
  *fits = PETSC_TRUE;
  PetscCall(PetscMalloc1(values, &value));
  for (size_t s = 0; s < sizeof(place) / sizeof(*place); s++) {
    PetscReal error = 0, largest = 0, wave[2 * NS_HARMONICS + 1] = {1};
    PetscCall(sample(parts, place[s] * (period > 0 ? period : 1), value));
    for (PetscInt k = 1; k <= most; k++) {
      wave[2 * k - 1] = cos(2 * PETSC_PI * (PetscReal)k * place[s]);
      wave[2 * k]     = sin(2 * PETSC_PI * (PetscReal)k * place[s]);
    }
    for (PetscInt i = 0; i < parts->n + 2 * parts->contacts; i++) {
      PetscReal sum = 0;
      for (PetscInt k = 0; k <= 2 * most; k++) sum += series[k * values + i] * wave[k];
      error   = PetscMax(error, PetscAbsReal(value[i] - sum));
      largest = PetscMax(largest, PetscMax(PetscAbsReal(value[i]), PetscAbsReal(sum)));
    }
    *fits = *fits && error <= 1e-12 * largest;
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(0);
}

/* ---- the system ----------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscReal *zeros(NsOrbitSystem *system, PetscInt count)
{
  return NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)PetscMax(count, 1));
}

/* Column k of the clock has these values of the series; k counts 1, cos, sin ... of the harmonics that are kept. */
static const PetscReal *clock_column(const NsOrbitSystem *system, const Parts *parts, const PetscReal *series, PetscInt k)
{
  if (k == 0) return series;
  const PetscInt harmonic = system->harmonic[(k - 1) / 2];
  return series + (k % 2 ? 2 * harmonic - 1 : 2 * harmonic) * parts->values;
}

static void fill_clock_row(const NsOrbitSystem *system, const Parts *parts, const PetscReal *series, PetscInt value, PetscReal *row)
{
  for (PetscInt k = 0; k <= 2 * system->harmonics; k++) row[system->states + k] = clock_column(system, parts, series, k)[value];
}

static void fill_motion(NsOrbitSystem *system, const Parts *parts, const PetscReal *series)
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
    solve_mass(parts, to);
  }
  for (PetscInt k = 0; k < system->harmonics; k++) {
    const PetscInt  c          = 2 * n + 1 + 2 * k;
    const PetscReal omega      = 2 * PETSC_PI * system->harmonic[k] / system->period;
    system->A[(c + 1) * m + c] = -omega;
    system->A[c * m + c + 1]   = omega;
  }
}

/* The entries of a row of W over the coordinates. */
static void spread_row(const Parts *parts, PetscInt row, PetscReal *to)
{
  const PetscInt *index = touch_index(parts->model);

  for (PetscInt j = parts->rows.first[row]; j < parts->rows.first[row + 1]; j++) {
    const PetscInt touch = parts->rows.touch[j];
    if (!parts->modal)
      to[index[touch]] += parts->rows.value[j];
    else
      for (PetscInt i = 0; i < parts->n; i++) to[i] += parts->rows.value[j] * parts->modal->reduced.at_contact[touch * parts->n + i];
  }
}

static void fill_contacts(NsOrbitSystem *system, const Parts *parts, const PetscReal *series)
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
    solve_mass(parts, contact->normal + n);
    fill_clock_row(system, parts, series, n + i, contact->gap);
    for (PetscInt j = 0; j < m; j++) contact->rate[j] = NsOrbitDot(m, contact->gap, system->A + j * m);
    if (!contact->tangent) continue;
    spread_row(parts, row + parts->along[i], contact->slip + n);
    spread_row(parts, row + parts->along[i], contact->along + n);
    solve_mass(parts, contact->along + n);
    fill_clock_row(system, parts, series, n + parts->contacts + i, contact->slip);
  }
}

static void fill_compliance(NsOrbitSystem *system, const Parts *parts)
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

static void fill_probes(NsOrbitSystem *system, const Parts *parts, const PetscReal *series)
{
  const PetscInt n = parts->n;

  for (PetscInt p = 0; p < parts->probes; p++) {
    const NsProbeColumn *column = &parts->probe[p].column[parts->probe_column[p]];
    NsOrbitProbe        *probe  = &system->probe[p];
    const PetscInt       from   = column->of_velocity ? n : 0;
    probe->name                 = *column->suffix ? NsArenaPrint(system->arena, "%s.%s", parts->probe[p].name, column->suffix)
                                                  : NsArenaCopy(system->arena, parts->probe[p].name, strlen(parts->probe[p].name));
    probe->row                  = zeros(system, system->m);
    probe->forces               = zeros(system, parts->contacts);
    fill_clock_row(system, parts, series, n + 2 * parts->contacts + p, probe->row);
    for (PetscInt e = 0; e < column->entries; e++) {
      if (!parts->modal) {
        probe->row[from + column->unknown[e]] += column->weight[e];
        continue;
      }
      const NsReduced *reduced = &parts->modal->reduced;
      const size_t     all = (size_t)reduced->unknowns, unknown = (size_t)column->unknown[e];
      for (PetscInt i = 0; i < n; i++) probe->row[from + i] += column->weight[e] * reduced->shape[(size_t)i * all + unknown];
      for (PetscInt c = 0; c < parts->contacts && !column->of_velocity; c++) {
        const PetscInt row = parts->rows.start[c];
        for (PetscInt j = parts->rows.first[row]; j < parts->rows.first[row + 1]; j++)
          probe->forces[c] += column->weight[e] * parts->rows.value[j] * reduced->flexibility[(size_t)parts->rows.touch[j] * all + unknown];
      }
    }
  }
}

/* The shortest period of the free motion, also with contacts without mass closed, over NS_FINE. */
static PetscErrorCode find_sample(NsOrbitSystem *system, const Parts *parts)
{
  const PetscInt m = system->m, n = system->states;
  PetscReal     *A, *re, *im, fastest = 0, stiffest = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)(n * n), &A, n, &re, n, &im));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(A + j * n, system->A + j * m, n));
  PetscCall(NsOrbitMultipliers(n, A, re, im));
  for (PetscInt i = 0; i < n; i++) fastest = PetscMax(fastest, PetscSqrtReal(re[i] * re[i] + im[i] * im[i]));
  for (PetscInt i = 0; i < parts->contacts && system->compliance; i++)
    stiffest += NsOrbitDot(m, system->contact[i].rate, system->contact[i].normal) / system->compliance[i * parts->contacts + i];
  fastest        = PetscSqrtReal(fastest * fastest + stiffest);
  system->sample = fastest > 0 ? 2 * PETSC_PI / fastest / NS_FINE : 1;
  if (system->period > 0) system->sample = PetscMin(system->sample, system->period / NS_FINE / PetscMax(1, system->harmonics));
  PetscCall(PetscFree3(A, re, im));
  PetscFunctionReturn(0);
}

/* ---- probes, refusals ---------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode find_probes(Parts *parts)
{
  const NsStrings   *names = NsHistoryProbes(NsRunSettings(parts->run)->output);
  const char *const *given = names->count ? names->items : parts->model->probe_names;
  const PetscInt     count = names->count ? names->count : 1;

  PetscFunctionBegin;
  parts->probe        = NsArenaAlloc(parts->arena, sizeof(*parts->probe) * (size_t)(count * NS_PROBE_COLUMNS));
  parts->probe_column = NsArenaAlloc(parts->arena, sizeof(PetscInt) * (size_t)(count * NS_PROBE_COLUMNS));
  for (PetscInt i = 0; i < count && given && given[i]; i++) {
    NsProbe   probe;
    PetscBool found;
    char      why[256];
    PetscCall(parts->model->view.probe(parts->model, given[i], &probe, &found, why, sizeof(why)));
    for (PetscInt c = 0; found && c < probe.columns; c++) {
      if (probe.column[c].coordinate || !probe.column[c].entries) continue;
      parts->probe[parts->probes]          = probe;
      parts->probe_column[parts->probes++] = c;
    }
  }
  PetscFunctionReturn(0);
}

/* Which tangent of each contact can slip; NULL, or why a contact is not supported. */
static PetscErrorCode find_tangents(Parts *parts, const char **why)
{
  char name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < parts->contacts && !*why; i++) {
    const NsCandidate *candidate = &parts->model->candidate[i];
    PetscInt           tangents  = 0;
    parts->along[i]              = -1;
    if (candidate->bilateral) *why = "it has joints";
    if (candidate->law.kinds)
      *why =
        NsArenaPrint(parts->arena, "contact '%s' has a law beyond Newton's restitution and Coulomb's friction", NsCandidateName(candidate, name));
    for (PetscInt d = 1; d < candidate->directions && candidate->law.friction > 0; d++) {
      const PetscInt row  = parts->rows.start[i] + d;
      PetscReal      size = 0;
      for (PetscInt j = parts->rows.first[row]; j < parts->rows.first[row + 1]; j++) size = PetscMax(size, PetscAbsReal(parts->rows.value[j]));
      if (size == 0) continue;
      parts->along[i] = d;
      tangents++;
    }
    if (tangents > 1)
      *why =
        NsArenaPrint(parts->arena, "contact '%s' has friction along two directions; orbits need planar friction", NsCandidateName(candidate, name));
    if (tangents && parts->modal)
      *why = NsArenaPrint(
        parts->arena, "contact '%s' has friction, and contacts without mass (scheme modal) are frictionless here", NsCandidateName(candidate, name));
  }
  PetscFunctionReturn(0);
}

static const char *refusal(NsRun *run, NsArena *arena)
{
  const char    *name  = NsRunScheme(run)->type->variant.name;
  const NsModel *model = NsRunModel(run);

  if (strcmp(name, "modal") && strncmp(name, "event_driven", 12))
    return NsArenaPrint(arena,
      "scheme '%s' does not meet events: its map of one period is not differentiable at an impact or a turn of slip, so that orbits and multipliers would be wrong; use "
      "event_driven_hem5 or modal",
      name);
  if (!model->linear) return "its forces are nonlinear, or a spin changes or is free; orbits are computed of linear models with contact";
  if (model->dynamics.move || model->massless) return "it has unknowns without mass or large rotations";
  if (model->candidates && !model->flat_contacts) return "its contact normals rotate; orbits are computed with flat surfaces";
  if (strcmp(name, "modal") && model->unknowns > NS_MOST_DOF)
    return NsArenaPrint(
      arena, "it has %d degrees of freedom, and dense matrices allow %d; reduce it to modes: scheme modal", (int)model->unknowns, NS_MOST_DOF);
  return NULL;
}

/* ---- creation -------------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_parts(NsRun *run, NsArena *arena, Parts *parts, const char **why)
{
  PetscFunctionBegin;
  *parts = (Parts){.run = run, .model = NsRunModel(run), .arena = arena};
  if (!strcmp(NsRunScheme(run)->type->variant.name, "modal")) parts->modal = NsRunScheme(run)->data;
  parts->n        = parts->modal ? parts->modal->reduced.modes : parts->model->unknowns;
  parts->contacts = parts->model->candidates;
  const size_t n  = (size_t)parts->n;
  parts->M        = NsArenaAlloc(arena, sizeof(PetscReal) * n * n);
  parts->K        = NsArenaAlloc(arena, sizeof(PetscReal) * n * n);
  parts->C        = NsArenaAlloc(arena, sizeof(PetscReal) * n * n);
  parts->pivot    = NsArenaAlloc(arena, sizeof(*parts->pivot) * n);
  parts->along    = NsArenaAlloc(arena, sizeof(PetscInt) * (size_t)(parts->contacts + 1));
  parts->sizes    = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)(parts->modal ? parts->modal->reduced.loads : 1));
  PetscCall(NsVecsCreate(parts->model, &parts->q, &parts->v, &parts->h, NULL));
  if (parts->contacts) {
    PetscInt *list = NsContactSelected(NsRunContact(run));
    PetscCall(NsRowsCreate(parts->model, &parts->rows));
    for (PetscInt i = 0; i < parts->contacts; i++) list[i] = i;
    PetscCall(NsModelRows(parts->model, 0, parts->q, parts->contacts, list, &parts->rows));
  }
  PetscCall(find_tangents(parts, why));
  PetscCall(find_probes(parts));
  parts->values = parts->n + 2 * parts->contacts + parts->probes;
  if (parts->modal)
    find_modal_matrices(parts);
  else
    PetscCall(find_matrices(parts));
  PetscCall(invert_mass(parts));
  PetscFunctionReturn(0);
}

static PetscErrorCode free_parts(Parts *parts)
{
  PetscFunctionBegin;
  if (parts->contacts) PetscCall(NsRowsDestroy(&parts->rows));
  PetscCall(NsVecsDestroy(&parts->q, &parts->v, &parts->h, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_start(NsOrbitSystem *system, Parts *parts)
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

static PetscErrorCode fill(NsOrbitSystem *system, Parts *parts, PetscReal *series)
{
  const PetscInt values = parts->values;

  PetscFunctionBegin;
  clean_series(parts, series);
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
  PetscCall(find_sample(system, parts));
  PetscCall(take_start(system, parts));
  system->room = 64;
  system->mode = NsArenaAlloc(system->arena, sizeof(*system->mode) * (size_t)system->room);
  PetscCall(NsLocalChainCreate(PetscMax(1, parts->contacts), PetscMax(1, 2 * parts->contacts), &system->chain));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSystemCreate(NsRun *run, PetscReal forcing_period, NsArena *arena, NsOrbitSystem **result, const char **why)
{
  NsOrbitSystem *system;
  Parts          parts;
  NsTimes        times;
  PetscReal     *series;
  PetscBool      fits = PETSC_FALSE;

  PetscFunctionBegin;
  *result = NULL;
  *why    = refusal(run, arena);
  if (*why) PetscFunctionReturn(0);
  PetscCall(make_parts(run, arena, &parts, why));
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
      PetscCall(find_series(&parts, system->period, most, series));
      PetscCall(check_series(&parts, system->period, most, series, &fits));
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
  PetscCall(free_parts(&parts));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSystemDestroy(NsOrbitSystem **system)
{
  NsArena *arena;

  PetscFunctionBegin;
  if (!*system) PetscFunctionReturn(0);
  PetscCall(NsLocalChainDestroy(&(*system)->chain));
  arena   = (*system)->arena;
  *system = NULL;
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}
