/*
  Random vibration with a one-sided spectrum S (power spectral density):

      sum_k sqrt(2 S(w_k) dw) sin(w_k t + phi_k),      variance = integral of S dw

  with one frequency w_k, at random, in each of n equal intervals dw, and random phases phi_k. Nearly Gaussian, stationary, and without a period: with frequencies in equal distances it would
  repeat itself after 2 pi/dw. The same seed gives the same vibration.
  Reference: Shinozuka, Jan, Digital simulation of random processes and its applications, J. Sound Vib. 25 (1972).
*/
#include <math.h>
#include <stdint.h>
#include "../timefunction.h"
#include "kind.h"

typedef struct {
  double frequency, amplitude, phase; /* rad/s, -, rad */
} Component;

typedef struct {
  const NsNode *where;
  NsNumbers     spectrum; /* [rows, 2]: rad/s, s/rad */
  long          seed, components;
  Component    *component; /* [components], made by check */
} Random;

static const NsKey keys[] = {
  {"spectrum", NS_KEY_NUMBERS, offsetof(Random, spectrum), .columns = 2, .columns_dimension = {{0, 0, -1, 1}, {0, 0, 1, -1}}, .required = true,
    .least   = 2,
    .help    = "rows [frequency, power spectral density of the factor, one-sided] with ascending frequencies; linear between rows, 0 outside",
    .example = "[[10 Hz, 1e-3 1/Hz], [200 Hz, 1e-3 1/Hz]]"},
  {"seed", NS_KEY_INTEGER, offsetof(Random, seed), .default_value = "1", .minimum = "0",
    .help = "another seed gives another vibration of the same spectrum", .example = "2"},
  {"components", NS_KEY_INTEGER, offsetof(Random, components), .default_value = "200", .minimum = "1", .maximum = "100000",
    .help = "number of sines; each costs about 20 ns per evaluation", .example = "500"},
  {NULL},
};

/* Uniform in [0, 1); splitmix64. */
static double uniform(uint64_t *state)
{
  uint64_t x = *state += 0x9e3779b97f4a7c15U;

  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* Makes the components of settings without error. */
static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  Random       *self = (Random *)(uintptr_t)settings; /* of the reader, which completes them here */
  const double *row = self->spectrum.values, *last = row + 2 * (self->spectrum.rows - 1);
  uint64_t      state = (uint64_t)self->seed;

  for (int i = 0; i < self->spectrum.rows; i++) {
    if (row[2 * i] < 0 || row[2 * i + 1] < 0 || (i && row[2 * i] <= row[2 * i - 2])) {
      NsDiagError(diag, NsKeysNumberPlace(self->where, "spectrum", i, row[2 * i + 1] < 0), "%s",
        row[2 * i + 1] < 0 ? "a power spectral density cannot be negative" : "frequencies of a spectrum must be positive and ascending");
      return;
    }
  }
  const double width = (last[0] - row[0]) / (double)self->components;
  self->component    = NsArenaAlloc(arena, sizeof(*self->component) * (size_t)self->components);
  for (long k = 0; k < self->components; k++) {
    const double frequency = row[0] + ((double)k + uniform(&state)) * width;
    self->component[k] = (Component){frequency, PetscSqrtReal(2 * NsTableValue(&self->spectrum, frequency) * width), 2 * PETSC_PI * uniform(&state)};
  }
  for (long k = 0; k < self->components; k++) {
    if (isfinite(self->component[k].amplitude)) continue;
    NsDiagError(diag, NsKeysPlace(self->where, "spectrum"), "the spectrum is too large for a number");
    return;
  }
}
const NsTable NsTimeTable_random = {
  "random", "sum of sines of random frequencies and phases, with a given spectrum", keys, sizeof(Random), .check = check};

static PetscReal value(const void *settings, PetscReal t)
{
  const Random *self = settings;
  PetscReal     sum  = 0;

  for (long k = 0; k < self->components; k++)
    sum += self->component[k].amplitude * PetscSinReal(self->component[k].frequency * t + self->component[k].phase);
  return sum;
}

static PetscReal period(const void *settings, PetscReal t)
{
  const Random *self = settings;

  (void)t;
  return 2 * PETSC_PI / self->spectrum.values[2 * (self->spectrum.rows - 1)];
}

static PetscReal derivative(const void *settings, PetscReal t, int order)
{
  const Random *self = settings;
  PetscReal     sum  = 0;

  for (long k = 0; k < self->components; k++)
    sum += self->component[k].amplitude * NsSineDerivative(self->component[k].frequency, self->component[k].phase, t, order);
  return sum;
}

const NsTimeKind NsTimeKind_random = {value, NULL, period, NULL, derivative, PETSC_TRUE};
