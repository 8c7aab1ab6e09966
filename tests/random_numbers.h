/* Random numbers that are the same on every machine (a linear congruential generator); tests set `seed` where they begin. */
#pragma once
#include <stdint.h>
#include <petscsys.h>

static uint64_t seed = 1;

/* Uniform in (-1, 1). */
static inline PetscReal draw(void)
{
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscReal)(seed >> 11) / (PetscReal)(1ULL << 52) - 1;
}

/* A direction, uniform on the sphere. */
static inline void draw_unit(PetscReal n[3])
{
  PetscReal length;

  do {
    for (int k = 0; k < 3; k++) n[k] = draw();
    length = PetscSqrtReal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  } while (length > 1 || length < 0.01);
  for (int k = 0; k < 3; k++) n[k] /= length;
}
