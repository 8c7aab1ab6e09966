/*
  The limit of the machine for bars with consistent mass: the half-explicit trapezoidal step of the undamped elastic bar in free flight, by hand.

      bench_limit_bar ELEMENTS STEPS SECONDS

  What a solver's step of the same bar is measured against, in the same run. One force and one solve a step (a(q) is kept from the last one):

      q1 = q0 + dt v0 + dt^2/2 a0;   M a1 = -K q1;   v1 = v0 + dt/2 (a0 + a1)

  The chain is cut into LANES pieces, one a SIMD lane (unknown i sits at row i % rows, lane i / rows). Each lane factors its own tridiagonal block of M, and the coupling
  of neighbouring pieces is added through their spikes, kept for REACH rows only: they decay by 0.268 a node, so nothing above rounding is lost. Arrays are updated in
  place; nothing can go wrong and nothing touches. This is a bound, not a program.

  STEPS steps, again and again until SECONDS have passed; the quickest counts; processor time. Prints us (a step) and speed, sqrt(v'v) after the first STEPS steps,
  which bench_petsc_bar must share. Compile for this machine: -O3 -march=native -ffp-contract=fast.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LANES = 8, REACH = 40 };

typedef double Lanes __attribute__((vector_size(8 * LANES)));

typedef struct {
  long    elements, unknowns, rows; /* rows: unknowns of a lane, the last ones padded */
  long    reach;                    /* rows that a spike is kept for */
  double  dt, k, m;                 /* E S/le, rho S le/6 */
  Lanes  *q, *v, *a0, *a1;          /* [rows] */
  Lanes  *l, *inverse;              /* [rows] factors L D L' of each lane's block */
  double *first, *last;             /* [LANES * reach] what a unit load m at a lane's first and last row does to the rows next to it */
} Bar;

static double processor_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *array(long count, size_t size)
{
  void *p = aligned_alloc(64, ((size_t)count * size + 63) / 64 * 64);

  if (!p) exit(1);
  return memset(p, 0, ((size_t)count * size + 63) / 64 * 64);
}

/* Unknown i. */
static double *at(const Bar *bar, Lanes *x, long i)
{
  return (double *)x + (i % bar->rows) * LANES + i / bar->rows;
}

static void factor(Bar *bar)
{
  double *x = array(bar->rows, sizeof(double));

  for (long c = 0; c < LANES; c++) {
    double pivot = 0;
    for (long j = 0; j < bar->rows; j++) {
      const long   i   = c * bar->rows + j;
      const double off = j == 0 || i >= bar->unknowns ? 0 : bar->m, l = off * pivot;
      const double diagonal = i >= bar->unknowns ? 1 : (i == 0 || i == bar->elements ? 2 : 4) * bar->m;
      pivot                 = 1 / (diagonal - l * off);
      bar->l[j][c]          = l;
      bar->inverse[j][c]    = pivot;
    }
    for (int end = 0; end < 2; end++) {
      memset(x, 0, sizeof(double) * (size_t)bar->rows);
      x[end ? bar->rows - 1 : 0] = bar->m;
      for (long j = 1; j < bar->rows; j++) x[j] -= bar->l[j][c] * x[j - 1];
      x[bar->rows - 1] *= bar->inverse[bar->rows - 1][c];
      for (long j = bar->rows - 2; j >= 0; j--) x[j] = x[j] * bar->inverse[j][c] - bar->l[j + 1][c] * x[j + 1];
      for (long j = 0; j < bar->reach; j++) {
        if (end)
          bar->last[c * bar->reach + j] = x[bar->rows - 1 - j];
        else
          bar->first[c * bar->reach + j] = x[j];
      }
    }
  }
  free(x);
}

/* A steel bar of 1 m that flies at 0.1 m/s, its first node a micrometre off. */
static Bar open_bar(long elements)
{
  const double section = M_PI * 1e-4, density = 7800, young = 2.1e11, length = 1 / (double)elements;
  const long   unknowns = elements + 1, rows = (unknowns + LANES - 1) / LANES;
  Bar          bar = {.elements = elements, .unknowns = unknowns, .rows = rows, .reach = rows < REACH ? rows : REACH};

  bar.dt      = 0.3 * length / 5188.7;
  bar.k       = young * section / length;
  bar.m       = density * section * length / 6;
  bar.q       = array(rows, sizeof(Lanes));
  bar.v       = array(rows, sizeof(Lanes));
  bar.a0      = array(rows, sizeof(Lanes));
  bar.a1      = array(rows, sizeof(Lanes));
  bar.l       = array(rows, sizeof(Lanes));
  bar.inverse = array(rows, sizeof(Lanes));
  bar.first   = array(LANES * bar.reach, sizeof(double));
  bar.last    = array(LANES * bar.reach, sizeof(double));
  factor(&bar);
  for (long i = 0; i < unknowns; i++) *at(&bar, bar.v, i) = -0.1;
  *at(&bar, bar.q, 0) = 1e-6;
  return bar;
}

static void flight(Bar *bar, long steps)
{
  const long   rows = bar->rows, reach = bar->reach;
  const double dt = bar->dt, k = bar->k;
  Lanes *restrict q = bar->q, *restrict v = bar->v, *restrict a0 = bar->a0, *restrict a1 = bar->a1;
  const Lanes *restrict l = bar->l, *restrict inverse = bar->inverse;

  for (long s = 0; s < steps; s++) {
    Lanes left, right, y, z, *swap;
    for (long j = 0; j < rows; j++) q[j] += dt * v[j] + dt * dt / 2 * a0[j];
    /* padded rows mirror the last node: no force where the bar ends */
    for (long p = bar->unknowns; p < LANES * rows; p++) *at(bar, q, p) = *at(bar, q, bar->elements);
    for (int c = 0; c < LANES; c++) {
      left[c]  = c ? q[rows - 1][c - 1] : q[0][0];
      right[c] = c < LANES - 1 ? q[0][c + 1] : q[rows - 1][c];
    }
    a1[0] = y = k * (left - 2 * q[0] + q[1]);
    for (long j = 1; j < rows - 1; j++) a1[j] = y = k * (q[j - 1] - 2 * q[j] + q[j + 1]) - l[j] * y;
    y            = k * (q[rows - 2] - 2 * q[rows - 1] + right) - l[rows - 1] * y;
    a1[rows - 1] = z = y * inverse[rows - 1];
    for (long j = rows - 2; j >= 0; j--) a1[j] = z = a1[j] * inverse[j] - l[j + 1] * z;
    /* neighbouring ends of two lanes solve 2 x 2 systems of their own, for a spike does not reach through a lane */
    for (int c = 0; c < LANES - 1; c++) {
      const double *down = bar->last + c * reach, *up = bar->first + (c + 1) * reach;
      const double  end = (a1[rows - 1][c] - down[0] * a1[0][c + 1]) / (1 - down[0] * up[0]), begin = a1[0][c + 1] - up[0] * end;
      for (long j = 0; j < reach; j++) {
        a1[rows - 1 - j][c] -= down[j] * begin;
        a1[j][c + 1] -= up[j] * end;
      }
    }
    for (long j = 0; j < rows; j++) v[j] += dt / 2 * (a0[j] + a1[j]);
    swap = a0;
    a0   = a1;
    a1   = swap;
  }
  bar->a0 = a0;
  bar->a1 = a1;
}

int main(int argc, char **argv)
{
  const long   elements = argc > 1 ? atol(argv[1]) : 1000, steps = argc > 2 ? atol(argv[2]) : 1000;
  const double seconds = argc > 3 ? atof(argv[3]) : 0;
  double       best = INFINITY, passed = 0, speed = 0;
  Bar          bar;

  if (elements < 3 * LANES || steps < 1) return 2; /* shorter lanes than three rows are not cut right */
  bar = open_bar(elements);
  do {
    double start = processor_seconds();
    flight(&bar, steps);
    start = processor_seconds() - start;
    if (passed == 0) {
      for (long i = 0; i < bar.unknowns; i++) speed += *at(&bar, bar.v, i) * *at(&bar, bar.v, i);
    }
    passed += start;
    best = fmin(best, start);
  } while (passed < seconds);
  printf("{\"us\": %.6g, \"speed\": %.15g}\n", 1e6 * best / (double)steps, sqrt(speed));
  return 0;
}
