/*
  Memory bandwidth, as a bar with many elements sees it: a = b + s c over arrays that no cache holds.

      bench_triad SECONDS

  Until SECONDS (wall) have passed; prints gigabytes, the best of the passes in GB/s: 24 bytes an unknown (what the cache fetches before it writes a is not counted).
  Run one, then two at once on two cores: what the second core adds is what a second process can add to steps that memory bounds. -O3 -march=native.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1 << 23 };

static double seconds_now(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
  const double seconds = argc > 1 ? atof(argv[1]) : 1, begin = seconds_now();
  double *restrict a = malloc(sizeof(double) * COUNT), *restrict b = malloc(sizeof(double) * COUNT), *restrict c = malloc(sizeof(double) * COUNT);
  double best = INFINITY;

  if (!a || !b || !c) return 1;
  for (long i = 0; i < COUNT; i++) {
    a[i] = 0;
    b[i] = 1;
    c[i] = (double)i;
  }
  do {
    const double start = seconds_now(), scale = start - begin;
    for (long i = 0; i < COUNT; i++) a[i] = b[i] + scale * c[i];
    best = fmin(best, seconds_now() - start);
  } while (seconds_now() - begin < seconds);
  printf("{\"gigabytes\": %.4g, \"last\": %g}\n", 24e-9 * COUNT / best, a[COUNT - 1]); /* `last`, so that the loop is not left out */
  return 0;
}
