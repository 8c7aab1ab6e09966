/*
  A fixed sequence of independent random numbers, any of which can be asked for by its position: the same on all processes and machines.

  G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
*/
#pragma once
#include <math.h>
#include <stdint.h>

/* The k-th number, uniform in (0, 1). */
static inline double NsNoiseUniform(uint64_t k)
{
  uint64_t z = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.;
}

/* The k-th number, normally distributed (Box and Muller). */
static inline double NsNoiseNormal(uint64_t k)
{
  return sqrt(-2 * log(NsNoiseUniform(2 * k))) * cos(2 * 3.14159265358979323846 * NsNoiseUniform(2 * k + 1));
}
