/*
  Checks that the functions of a mechanism are consistent: a mistake in a derivative by hand gives a run that looks plausible and is wrong.

  At the start, and at two later times in states near it, by central differences:

      M = M',  x' M x > 0                    the mass matrix (Cholesky)
      y = (dM/dt along v) v                  massrate against the mass matrix
      W_N = dg/dq,  drive_N = dg/dt          normals against gaps
      d = (dW'/dt) v + d(drive)/dt           rates of the rows
      v' h + 1/2 v' (dM/dt) v + d/dt (elastic + potential) = load - damping      forces against energies, gyroscopic terms included

  Mass matrix and normals are errors. Rates and energy are warnings: most schemes work without them, but the energy balance will not close.
*/
#include <math.h>
#include <string.h>
#include "mechanism.h"

#define NS_N         NS_MECHANISM_COORDINATES
#define NS_TRIALS    3
#define NS_TOLERANCE 1e-5 /* of the largest entry: differences are accurate to 1e-9, mistakes are of order one */

typedef struct {
  const NsMechanism     *m;
  const NsMechanismCase *c;
  int                    n, contacts, rows;
  const NsCandidate     *candidate;
  double                 t;           /* s */
  double                 first[NS_N]; /* coordinates of the start */
  NsArena               *arena;
  double                *g[2], *W[2], *drive[2], *d;
} Trial;

static const double step             = 6e-6;
static const double times[NS_TRIALS] = {0, 0.137, 1.71}; /* several, because a surface may be at rest at the start */

static void contact_at(const Trial *trial, double t, const double *q, int side)
{
  memset(trial->drive[side], 0, sizeof(double) * (size_t)trial->rows);
  memset(trial->W[side], 0, sizeof(double) * (size_t)(trial->rows * trial->n));
  trial->m->contact(trial->c, t, q, trial->g[side], trial->W[side], trial->drive[side]);
}

/* A time in which no coordinate changes by more than `step` of its scale. */
static double short_time(const Trial *trial, const double *v)
{
  double fastest = 0;

  for (int i = 0; i < trial->n; i++) fastest = fmax(fastest, fabs(v[i]) / NsMechanismScale(trial->m, trial->c, i));
  return fastest > 0 ? step / fastest : 0;
}

static bool check_mass(const Trial *trial, const double *q, NsPlace place, NsDiag *diag)
{
  const int n              = trial->n;
  double    M[NS_N * NS_N] = {0}, start[NS_N * NS_N] = {0}, largest = 0;

  trial->m->mass(trial->c, q, M);
  for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(M[i]));
  trial->m->mass(trial->c, trial->first, start);
  for (int i = 0; i < n * n && trial->m->constant_mass; i++) {
    if (fabs(M[i] - start[i]) <= 1e-12 * largest) continue;
    NsDiagError(diag, place, "the mass matrix of '%s' changes with its coordinates: M[%d, %d] = %g, and elsewhere %g; constant_mass must be 0",
      trial->m->name, i / n, i % n, start[i], M[i]);
    return false;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      if (fabs(M[i * n + j] - M[j * n + i]) <= 1e-12 * largest) continue;
      NsDiagError(diag, place, "the mass matrix of '%s' is not symmetric: M[%d, %d] = %g, but M[%d, %d] = %g", trial->m->name, i, j, M[i * n + j], j,
        i, M[j * n + i]);
      return false;
    }
  }
  for (int k = 0; k < n; k++) {
    if (!(M[k * n + k] > 0)) {
      NsDiagError(
        diag, place, "the mass matrix of '%s' is not positive definite (at coordinate '%s')", trial->m->name, trial->m->coordinates[k].name);
      return false;
    }
    for (int i = k + 1; i < n; i++) {
      for (int j = k + 1; j < n; j++) M[i * n + j] -= M[i * n + k] * M[k * n + j] / M[k * n + k];
    }
  }
  return true;
}

/* Differences of the gaps by coordinate j, or by time (j = n), against what the rows say; of contact *bad when they do not agree. Entries are compared by their effect
   over the scale of their coordinate: `largest` in m. Time has no scale: its differences are compared with their own size, and with rounding. */
static bool compare_gaps(const Trial *trial, const double *q, int j, double h, double largest, int *bad, double *difference, double *given)
{
  const int    n     = trial->n;
  const double scale = j < n ? NsMechanismScale(trial->m, trial->c, j) : 1;
  double       x[NS_N];

  for (int side = 0; side < 2; side++) {
    memcpy(x, q, sizeof(double) * (size_t)n);
    if (j < n) x[j] += side ? h : -h;
    contact_at(trial, trial->t + (j < n ? 0 : (side ? h : -h)), x, side);
  }
  for (int k = 0, row = 0; k < trial->contacts; row += 1 + trial->m->contacts[k].tangents, k++) {
    *bad               = k;
    *difference        = (trial->g[1][k] - trial->g[0][k]) / (2 * h);
    *given             = j < n ? (trial->W[0][row * n + j] + trial->W[1][row * n + j]) / 2 : (trial->drive[0][row] + trial->drive[1][row]) / 2;
    const double own   = NS_TOLERANCE * fmax(fabs(*difference), fabs(*given)),
                 floor = j < n ? NS_TOLERANCE * largest : 1e-9 * trial->m->length(trial->c) * 6e-6 / h;
    if (!(fabs(*difference - *given) * scale <= fmax(own * scale, floor))) return false;
  }
  return true;
}

static bool check_normals(const Trial *trial, const double *q, NsPlace place, NsDiag *diag)
{
  static const double spans[] = {6e-6, 6e-8, 6e-10, 6e-4};
  const int           n       = trial->n;
  double              largest = 0, difference = 0, given = 0;
  int                 bad = 0;

  contact_at(trial, trial->t, q, 0);
  for (int i = 0; i < trial->rows * n; i++) largest = fmax(largest, fabs(trial->W[0][i]) * NsMechanismScale(trial->m, trial->c, i % n));
  for (int j = 0; j <= n; j++) {
    const double scale = j < n ? NsMechanismScale(trial->m, trial->c, j) : 1;
    bool         good  = false;
    for (size_t i = 0; !good && i < (j < n ? 1 : sizeof(spans) / sizeof(spans[0])); i++)
      good = compare_gaps(trial, q, j, j < n ? step * scale : spans[i], largest, &bad, &difference, &given);
    if (good) continue;
    NsDiagError(diag, place, "contact '%s' of '%s': the gap changes with %s by %g, but %s says %g", trial->candidate[bad].name, trial->m->name,
      j < n ? trial->m->coordinates[j].name : "time", difference, j < n ? "its normal row" : "its drive", given);
    return false;
  }
  return true;
}

/* Rowrate against differences over the following time 2 h: where rows have a kink, the rate is the right-hand one. False: *row does not agree. */
static bool compare_rates(const Trial *trial, const double *q, const double *v, double h, int *row, double *difference)
{
  const int n          = trial->n;
  double    x[2][NS_N] = {{0}}; /* after h and 2 h */

  for (int i = 0; i < n; i++) {
    x[0][i] = q[i] + h * v[i];
    x[1][i] = q[i] + 2 * h * v[i];
  }
  contact_at(trial, trial->t, q, 0);
  contact_at(trial, trial->t + 2 * h, x[1], 1);
  memset(trial->d, 0, sizeof(double) * (size_t)trial->rows);
  trial->m->rowrate(trial->c, trial->t + h, x[0], v, trial->d);
  for (*row = 0; *row < trial->rows; ++*row) {
    double size = 0;
    *difference = (trial->drive[1][*row] - trial->drive[0][*row]) / (2 * h);
    for (int i = 0; i < n; i++) {
      *difference += (trial->W[1][*row * n + i] - trial->W[0][*row * n + i]) / (2 * h) * v[i];
      size += fabs(trial->W[1][*row * n + i] * v[i]);
    }
    /* relative to the rate itself, or to the rate of a change of direction within a hundredth of the distance */
    if (!(fabs(*difference - trial->d[*row]) <= NS_TOLERANCE * fmax(fabs(*difference), 0.01 * size / short_time(trial, v) * step))) return false;
  }
  return true;
}

static bool check_rates(const Trial *trial, const double *q, const double *v, NsPlace place, NsDiag *diag)
{
  static const double shares[]   = {1, 1e-2, 1e-4}; /* of the short time, because surfaces may move faster than the mechanism */
  double              difference = 0;
  int                 row        = 0;

  if (!trial->m->rowrate || short_time(trial, v) == 0) return true;
  for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
    if (compare_rates(trial, q, v, shares[i] * short_time(trial, v), &row, &difference)) return true;
  }
  NsDiagWarning(diag, place, "'%s': rowrate gives %g for row %d, but (dW'/dt) v + d(drive)/dt is %g", trial->m->name, trial->d[row], row, difference);
  return false;
}

static double stored(const Trial *trial, const double *q)
{
  double elastic = 0, potential = 0;

  trial->m->energy(trial->c, q, &elastic, &potential);
  return elastic + potential;
}

static bool check_mass_rate(const Trial *trial, const double *q, const double *v, NsPlace place, NsDiag *diag)
{
  const int    n       = trial->n;
  const double dt      = short_time(trial, v);
  double       y[NS_N] = {0}, M[2][NS_N * NS_N] = {{0}}, x[NS_N], rate[NS_N] = {0}, size = 0;

  if (!trial->m->massrate || dt == 0) return true;
  trial->m->massrate(trial->c, q, v, y);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) x[i] = q[i] + (side ? dt : -dt) * v[i];
    trial->m->mass(trial->c, x, M[side]);
  }
  for (int i = 0; i < n; i++) {
    double momentum = 0;
    for (int j = 0; j < n; j++) {
      rate[i] += (M[1][i * n + j] - M[0][i * n + j]) / (2 * dt) * v[j];
      momentum += fabs(M[0][i * n + j] * v[j]);
    }
    /* as power, because rows differ in units: relative to the rate itself, or to that of a change of M by a hundredth within the scale */
    size = fmax(size, fmax(fabs(rate[i]), 0.01 * momentum / dt * step) * NsMechanismScale(trial->m, trial->c, i));
  }
  for (int i = 0; i < n; i++) {
    if (fabs(y[i] - rate[i]) * NsMechanismScale(trial->m, trial->c, i) <= NS_TOLERANCE * size) continue;
    NsDiagWarning(
      diag, place, "'%s': massrate gives %g for coordinate '%s', but (dM/dt) v is %g", trial->m->name, y[i], trial->m->coordinates[i].name, rate[i]);
    return false;
  }
  return true;
}

static bool check_power(const Trial *trial, const double *q, const double *v, NsPlace place, NsDiag *diag)
{
  const int n       = trial->n;
  double    h[NS_N] = {0}, M[2][NS_N * NS_N] = {{0}}, x[2][NS_N], work = 0, inertia = 0, size = 0, damping = 0, load = 0;

  const double dt = short_time(trial, v);

  if (dt == 0) return true;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) x[side][i] = q[i] + (side ? dt : -dt) * v[i];
    trial->m->mass(trial->c, x[side], M[side]);
  }
  trial->m->force(trial->c, trial->t, q, v, h);
  if (trial->m->power) trial->m->power(trial->c, trial->t, q, v, v, &damping, &load);
  for (int i = 0; i < n; i++) {
    work += v[i] * h[i];
    size += fabs(v[i] * h[i]);
    for (int j = 0; j < n; j++) {
      const double part = v[i] * (M[1][i * n + j] - M[0][i * n + j]) / (4 * dt) * v[j];
      inertia += part;
      size += fabs(part);
    }
  }
  const double change = (stored(trial, x[1]) - stored(trial, x[0])) / (2 * dt);
  const double rest   = work + inertia + change - (load - damping);
  /* differences of energies lose digits where the energy is large against its change */
  const double noise = 1e-15 * (fabs(stored(trial, q)) + 1e-300) / dt;
  size += fabs(change) + fabs(load) + fabs(damping);
  if (fabs(rest) <= 10 * NS_TOLERANCE * size + 100 * noise) return true;
  NsDiagWarning(diag, place, "'%s': forces and energies are inconsistent: power of the forces %g W, of inertia %g W, rate of the stored energy %g W",
    trial->m->name, work, -inertia, change);
  NsDiagNote(diag, "`force` must include gyroscopic terms, and forces without an energy need `power`; else the energy balance does not close");
  return false;
}

void NsMechanismVerify(const NsMechanism *m, const NsMechanismCase *c, const double *start, NsPlace place, const NsCandidate *candidate, NsDiag *diag)
{
  Trial  trial   = {.m = m, .c = c, .candidate = candidate, .arena = NsArenaCreate()};
  bool   good    = true;
  double q[NS_N] = {0}, v[NS_N] = {0};

  const NsMechanismSize size = NsMechanismSizeOf(m, c);
  trial.n                    = size.n;
  trial.contacts             = size.contacts;
  trial.rows                 = size.rows;
  for (int side = 0; side < 2; side++) {
    trial.g[side]     = NsArenaAlloc(trial.arena, sizeof(double) * (size_t)(trial.contacts + 1));
    trial.W[side]     = NsArenaAlloc(trial.arena, sizeof(double) * (size_t)(trial.rows * trial.n + 1));
    trial.drive[side] = NsArenaAlloc(trial.arena, sizeof(double) * (size_t)(trial.rows + 1));
  }
  trial.d = NsArenaAlloc(trial.arena, sizeof(double) * (size_t)(trial.rows + 1));
  for (int i = 0; i < trial.n; i++) trial.first[i] = start[2 * i];
  for (int trying = 0; trying < NS_TRIALS && good; trying++) {
    trial.t = times[trying];
    for (int i = 0; i < trial.n; i++) {
      const double scale = NsMechanismScale(m, c, i);
      q[i]               = start[2 * i] + 0.05 * scale * trying * cos(1.7 * i + trying);
      v[i]               = start[2 * i + 1] + scale * sin(2.3 * i + trying + 1);
    }
    good = check_mass(&trial, q, place, diag) && check_mass_rate(&trial, q, v, place, diag) &&
           (!trial.contacts || (check_normals(&trial, q, place, diag) && check_rates(&trial, q, v, place, diag))) &&
           check_power(&trial, q, v, place, diag);
  }
  NsArenaDestroy(&trial.arena);
}
