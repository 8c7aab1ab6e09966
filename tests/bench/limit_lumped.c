/*
  The limit of the machine for bars with lumped mass: the half-explicit trapezoidal step in free flight, in plain C.

      bench_limit_lumped ELEMENTS STEPS SECONDS [loops]

      q1 = q0 + dt v0 + dt^2/2 a0;   a1 = -K q1/m;   v1 = v0 + dt/2 (a0 + a1)

  in place and in one pass over memory: blocks that stay in the first cache, the positions of a block one unknown ahead of its accelerations. With the word `loops` it
  is two plain loops over the whole bar instead, as one would write it first: two passes over memory.

  STEPS steps, again and again until SECONDS have passed; the quickest counts; processor time. Prints us (a step) and speed, sqrt(v'v) after the first STEPS steps.
  Compile for this machine: -O3 -march=native -ffp-contract=fast.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 512 };

typedef struct {
  long    unknowns;
  double  dt, rate; /* s; k/m, 1/s^2; the end nodes have twice that */
  double *q, *v, *a;
} Bar;

static double processor_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double *array(long count)
{
  double *p = aligned_alloc(64, ((size_t)count * sizeof(double) + 63) / 64 * 64);

  if (!p) exit(1);
  for (long i = 0; i < count; i++) p[i] = 0;
  return p;
}

static void move(const Bar *bar, long from, long to)
{
  const double dt          = bar->dt;
  double *restrict q       = bar->q;
  const double *restrict v = bar->v, *restrict a = bar->a;

  for (long i = from; i < to; i++) q[i] += dt * v[i] + dt * dt / 2 * a[i];
}

static void turn(const Bar *bar, long i, double acceleration)
{
  bar->v[i] += bar->dt / 2 * (bar->a[i] + acceleration);
  bar->a[i] = acceleration;
}

/* Unknowns with two neighbours only. */
static void accelerate(const Bar *bar, long from, long to)
{
  const double half = bar->dt / 2, rate = bar->rate;
  const double *restrict q = bar->q;
  double *restrict v = bar->v, *restrict a = bar->a;

  for (long i = from; i < to; i++) {
    const double a1 = rate * (q[i - 1] - 2 * q[i] + q[i + 1]);
    v[i] += half * (a[i] + a1);
    a[i] = a1;
  }
}

static void one_step(const Bar *bar, long block)
{
  const long    n = bar->unknowns;
  const double *q = bar->q;

  for (long from = 0, done = 1; from < n; from += block) {
    const long to = from + block < n ? from + block : n;
    move(bar, from, to);
    if (from == 0) turn(bar, 0, 2 * bar->rate * (q[1] - q[0]));
    accelerate(bar, done, to - 1);
    done = to - 1;
  }
  turn(bar, n - 1, 2 * bar->rate * (q[n - 2] - q[n - 1]));
}

int main(int argc, char **argv)
{
  const long   elements = argc > 1 ? atol(argv[1]) : 1000, steps = argc > 2 ? atol(argv[2]) : 1000;
  const double seconds = argc > 3 ? atof(argv[3]) : 0, length = 1 / (double)elements;
  const long   block = argc > 4 && !strcmp(argv[4], "loops") ? elements + 1 : BLOCK;
  Bar          bar   = {.unknowns = elements + 1, .dt = 0.3 * length / 5188.7, .rate = 2.1e11 / 7800 / length / length};
  double       best = INFINITY, passed = 0, speed = 0;

  if (elements < 2 || steps < 1) return 2;
  bar.q = array(bar.unknowns);
  bar.v = array(bar.unknowns);
  bar.a = array(bar.unknowns);
  for (long i = 0; i < bar.unknowns; i++) bar.v[i] = -0.1;
  bar.q[0] = 1e-6;
  do {
    double start = processor_seconds();
    for (long s = 0; s < steps; s++) one_step(&bar, block);
    start = processor_seconds() - start;
    if (passed == 0) {
      for (long i = 0; i < bar.unknowns; i++) speed += bar.v[i] * bar.v[i];
    }
    passed += start;
    best = fmin(best, start);
  } while (passed < seconds);
  printf("{\"us\": %.6g, \"speed\": %.15g}\n", 1e6 * best / (double)steps, sqrt(speed));
  return 0;
}
