/* What a linear model with contacts consists of (parts.h). */
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "output/settings.h"
#include "parts.h"

const PetscInt *NsOrbitTouchIndex(const NsModel *model)
{
  return model->watch ? model->watch->index : model->touch;
}

/* Values over time at zero coordinates: forces [n], gaps [contacts], slip [contacts], probes. */
static PetscErrorCode sample(NsOrbitParts *parts, PetscReal t, PetscReal *value)
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

static PetscErrorCode sample_probes(NsOrbitParts *parts, PetscReal t, PetscReal *value)
{
  PetscReal *to = value + parts->n + 2 * parts->contacts;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < parts->probes; p++) {
    const NsProbeColumn *column = &parts->probe[p].column[parts->probe_column[p]];
    to[p]                       = column->constant + (column->timed ? NsProbeTimed(column, t) : 0);
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
static PetscErrorCode find_matrices(NsOrbitParts *parts)
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

static void find_modal_matrices(NsOrbitParts *parts)
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

static PetscErrorCode invert_mass(NsOrbitParts *parts)
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

void NsOrbitSolveMass(const NsOrbitParts *parts, PetscReal *x)
{
  const PetscBLASInt n = (PetscBLASInt)parts->n, one = 1;
  PetscBLASInt       info;

  LAPACKgetrs_("N", &n, &one, parts->M, &n, parts->pivot, x, &n, &info);
}

/* ---- harmonics ----------------------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsOrbitSeriesFind(NsOrbitParts *parts, PetscReal period, PetscInt most, PetscReal *series)
{
  const PetscInt values = parts->values, samples = !(period > 0) ? 1 : most == NS_HARMONICS ? NS_SAMPLES : 4 * most;
  PetscReal     *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(values, &value));
  PetscCall(PetscArrayzero(series, (2 * NS_HARMONICS + 1) * values));
  for (PetscInt s = 0; s < samples; s++) {
    const PetscReal t = period * (PetscReal)s / (PetscReal)samples;
    PetscCall(sample(parts, t, value));
    PetscCall(sample_probes(parts, t, value));
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

void NsOrbitSeriesClean(const NsOrbitParts *parts, PetscReal *series)
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

PetscErrorCode NsOrbitSeriesCheck(NsOrbitParts *parts, PetscReal period, PetscInt most, const PetscReal *series, PetscBool *fits)
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

PetscErrorCode NsOrbitProbesFind(NsOrbitParts *parts)
{
  const NsStrings   *names = NsHistoryProbes(NsRunSettings(parts->run)->output);
  const char *const *given = names->count ? names->items : parts->model->probe_names;
  const PetscInt     count = names->count ? names->count : 1;

  PetscFunctionBegin;
  if (!parts->model->view.probe) PetscFunctionReturn(0);
  parts->probe        = NsArenaAlloc(parts->arena, sizeof(*parts->probe) * (size_t)(count * NS_PROBE_COLUMNS));
  parts->probe_column = NsArenaAlloc(parts->arena, sizeof(PetscInt) * (size_t)(count * NS_PROBE_COLUMNS));
  for (PetscInt i = 0; i < count && given && given[i]; i++) {
    NsProbe   probe;
    PetscBool found;
    char      why[256];
    PetscCall(parts->model->view.probe(parts->model, given[i], &probe, &found, why, sizeof(why)));
    for (PetscInt c = 0; found && c < probe.columns; c++) {
      if (probe.column[c].coordinate || probe.column[c].of_stress || probe.column[c].law || probe.column[c].touch ||
          !(probe.column[c].entries || probe.column[c].timed))
        continue;
      parts->probe[parts->probes]          = probe;
      parts->probe_column[parts->probes++] = c;
    }
  }
  PetscFunctionReturn(0);
}

const char *NsOrbitProbeName(const NsOrbitParts *parts, PetscInt p, NsArena *arena)
{
  const char *name = parts->probe[p].name, *suffix = parts->probe[p].column[parts->probe_column[p]].suffix;

  return *suffix ? NsArenaPrint(arena, "%s.%s", name, suffix) : NsArenaCopy(arena, name, strlen(name));
}

/* Which tangent of each contact can slip; NULL, or why a contact is not supported. */
static PetscErrorCode find_tangents(NsOrbitParts *parts, const char **why)
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

PetscErrorCode NsOrbitPartsCreate(NsRun *run, NsArena *arena, NsOrbitParts *parts, const char **why)
{
  PetscFunctionBegin;
  *parts = (NsOrbitParts){.run = run, .model = NsRunModel(run), .arena = arena};
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
  PetscCall(NsOrbitProbesFind(parts));
  parts->values = parts->n + 2 * parts->contacts + parts->probes;
  if (parts->modal)
    find_modal_matrices(parts);
  else
    PetscCall(find_matrices(parts));
  PetscCall(invert_mass(parts));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitPartsDestroy(NsOrbitParts *parts)
{
  PetscFunctionBegin;
  if (parts->contacts) PetscCall(NsRowsDestroy(&parts->rows));
  PetscCall(NsVecsDestroy(&parts->q, &parts->v, &parts->h, NULL));
  PetscFunctionReturn(0);
}
