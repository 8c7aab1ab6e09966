/*
  What a step of free flight of a long chain costs: in lanes (src/fe/backend/lanes/lanes.h) with every kernel this CPU can run, in plain banded storage, and for the uniform undamped bar
  the same step by hand. Run by hand: build/release/tests/bench_lanes. Least time of several rounds, taken in turns: compare figures of one run.
*/
#include "fe/backend/band.h"
#include "fe/backend/lanes/lanes.h"
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <time.h>

enum { ROUNDS = 15 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *room(size_t count)
{
  double *x = aligned_alloc(64, (count * sizeof(double) + 127) / 64 * 64);

  if (!x) abort();
  for (size_t i = 0; i < count; i++) x[i] = 0;
  return x;
}

/* -- by hand ------------------------------------------------------------------------------------------------------------------------------------------
   The elastic bar without damping, consistent mass: unknown i at row i % R, lane i / R, the last lane padded; spikes cut after 40 rows. */

enum { W = 8 };
typedef double Lane __attribute__((vector_size(8 * W)));

typedef struct {
  long   n, R, T;
  double k, dt, *spike, *back;
  Lane  *q, *v, *a0, *a1, *l, *inverse;
} Hand;

#define AT(x, i) (((double *)(x))[((i) % h->R) * W + (i) / h->R])

static Lane *lanes_room(long R)
{
  return (Lane *)(void *)room((size_t)R * W);
}

static void hand_create(Hand *h, long n)
{
  const long   N = n - 1, R = (n + W - 1) / W, T = R < 40 ? R : 40;
  const double le = 1.0 / (double)N, m = 7800 * 3e-4 * le / 6;
  double      *x = room((size_t)R);

  *h = (Hand){n, R, T, 2.1e11 * 3e-4 / le, 0.3 * le / 5188.7, room((size_t)(W * T)), room((size_t)(W * T)), lanes_room(R), lanes_room(R),
    lanes_room(R), lanes_room(R), lanes_room(R), lanes_room(R)};
  for (int c = 0; c < W; c++) {
    double before = 0;
    for (long j = 0; j < R; j++) {
      const long   i = c * R + j;
      const double d = i >= n ? 1 : (i == 0 || i == N ? 2 * m : 4 * m), off = j == 0 || i >= n ? 0 : m, l = off * before;
      before           = 1 / (d - l * off);
      h->l[j][c]       = l;
      h->inverse[j][c] = before;
    }
  }
  for (long i = 0; i < n; i++) AT(h->v, i) = -0.1;
  AT(h->q, 0) = 1e-6;
  for (int c = 0; c < W; c++) {
    for (int side = 0; side < 2; side++) {
      for (long j = 0; j < R; j++) x[j] = 0;
      x[side ? R - 1 : 0] = m;
      for (long j = 1; j < R; j++) x[j] -= h->l[j][c] * x[j - 1];
      x[R - 1] *= h->inverse[R - 1][c];
      for (long j = R - 2; j >= 0; j--) x[j] = x[j] * h->inverse[j][c] - h->l[j + 1][c] * x[j + 1];
      for (long j = 0; j < T; j++) {
        if (side)
          h->spike[c * T + j] = x[R - 1 - j];
        else
          h->back[c * T + j] = x[j];
      }
    }
  }
  free(x);
}

static void hand_step(Hand *h)
{
  const long   R = h->R, T = h->T, n = h->n;
  const double dt = h->dt, k = h->k;
  Lane        *q = h->q, *v = h->v, *a0 = h->a0, *a1 = h->a1, *l = h->l, left, right, y, z;

  for (long j = 0; j < R; j++) q[j] += dt * v[j] + dt * dt / 2 * a0[j];
  for (int c = 0; c < W; c++) {
    left[c]  = c ? q[R - 1][c - 1] : q[0][0];
    right[c] = c < W - 1 ? q[0][c + 1] : q[R - 1][c];
  }
  {
    const double end = AT(q, n - 1);
    for (long p = n; p < W * R; p++) AT(q, p) = end;
  }
  if (n == W * R) right[W - 1] = q[R - 1][W - 1];
  y     = k * (left - 2 * q[0] + q[1]);
  a1[0] = y;
  for (long j = 1; j < R - 1; j++) {
    y     = k * (q[j - 1] - 2 * q[j] + q[j + 1]) - l[j] * y;
    a1[j] = y;
  }
  y         = k * (q[R - 2] - 2 * q[R - 1] + right) - l[R - 1] * y;
  z         = y * h->inverse[R - 1];
  a1[R - 1] = z;
  for (long j = R - 2; j >= 0; j--) {
    z     = a1[j] * h->inverse[j] - l[j + 1] * z;
    a1[j] = z;
  }
  for (int c = 0; c < W - 1; c++) {
    const double b = a1[R - 1][c], f = a1[0][c + 1], al = h->spike[c * T], be = h->back[(c + 1) * T];
    const double xl = (b - al * f) / (1 - al * be), xf = f - be * xl;
    for (long j = 0; j < T; j++) {
      ((double *)a1)[(R - 1 - j) * W + c] -= h->spike[c * T + j] * xf;
      ((double *)a1)[j * W + c + 1] -= h->back[(c + 1) * T + j] * xl;
    }
  }
  for (long j = 0; j < R; j++) v[j] += dt / 2 * (a0[j] + a1[j]);
  h->a0 = a1;
  h->a1 = a0;
}

/* -- matrices ----------------------------------------------------------------------------------------------------------------------------------------- */

typedef enum { UNIFORM, STEPPED, RANDOM, DAMPED, BAND } Kind;

/* Half width b, filled; bars (b = 1) as springs and consistent masses. */
static NsSparse matrix(PetscInt n, PetscInt b, Kind kind, bool mass)
{
  NsSparse  A     = {n, NULL, malloc(sizeof(PetscInt) * (size_t)(n + 1)), malloc(sizeof(PetscInt) * (size_t)n * (size_t)(2 * b + 1)),
         malloc(sizeof(PetscReal) * (size_t)n * (size_t)(2 * b + 1))};
  PetscInt  count = 0;
  PetscReal le    = 1.0 / (PetscReal)(n - 1);

  if (!A.start || !A.column || !A.value) abort();
  for (PetscInt i = 0; i < n; i++) {
    PetscReal own[2] = {0, 0}; /* of the elements before and after */
    A.start[i]       = count;
    for (int side = 0; side < 2; side++) {
      const PetscInt  element = i - 1 + side;
      const PetscReal length  = le * (kind == STEPPED && element > n / 3 ? 1.7 : kind == RANDOM ? 1 + 0.1 * sin((double)element) : 1);
      if (element >= 0 && element < n - 1) own[side] = mass ? 7800 * 3e-4 * length / 6 : 2.1e11 * 3e-4 / length;
    }
    for (PetscInt k = -b; k <= b; k++) {
      if (i + k < 0 || i + k >= n) continue;
      A.column[count] = i + k;
      if (b > 1)
        A.value[count++] = mass ? (k ? 0.3 / (PetscReal)(b * (1 + abs((int)k))) : 1) : k ? -1.0 / (PetscReal)(2 * b) : 1;
      else
        A.value[count++] = k ? (mass ? 1 : -1) * own[k > 0] : (mass ? 2 : 1) * (own[0] + own[1]);
    }
  }
  A.start[n] = count;
  return A;
}

static void matrix_free(NsSparse *A)
{
  free(A->start);
  free(A->column);
  free(A->value);
}

/* -- plain -------------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  NsProfile    profile;
  NsBandFactor factor;
  PetscReal   *K;
} Band;

static PetscErrorCode plain_create(const NsSparse *M, const NsSparse *K, PetscInt b, Band *plain)
{
  const PetscInt n = M->rows;
  NsProfile     *p = &plain->profile;
  PetscReal     *band;

  PetscFunctionBegin;
  p->n = n;
  PetscCall(PetscMalloc3(n, &p->low, n, &p->high, n + 1, &p->start));
  p->start[0] = 0;
  for (PetscInt i = 0; i < n; i++) {
    p->low[i]       = PetscMax(0, i - b);
    p->high[i]      = PetscMin(n - 1, i + b);
    p->start[i + 1] = p->start[i] + p->high[i] - p->low[i] + 1;
  }
  p->entries = p->start[n];
  PetscCall(PetscMalloc1(p->entries, &band));
  PetscCall(PetscMalloc1(p->entries, &plain->K));
  PetscCall(PetscArraycpy(band, M->value, p->entries));
  PetscCall(PetscArraycpy(plain->K, K->value, p->entries));
  plain->factor.profile = NULL;
  PetscCall(NsBandFactorCreate(p, &plain->factor));
  PetscCheck(NsBandFactorize(&plain->factor, band), PETSC_COMM_SELF, PETSC_ERR_PLIB, "the mass matrix of the benchmark is not definite");
  PetscCall(PetscFree(band));
  PetscFunctionReturn(0);
}

static PetscErrorCode plain_destroy(Band *plain)
{
  PetscFunctionBegin;
  PetscCall(NsBandFactorDestroy(&plain->factor));
  PetscCall(NsProfileDestroy(&plain->profile));
  PetscCall(PetscFree(plain->K));
  PetscFunctionReturn(0);
}

static void plain_step(const Band *p, PetscReal dt, PetscReal *const x[6], PetscReal *f)
{
  const PetscInt n = p->profile.n;

  for (PetscInt i = 0; i < n; i++) {
    x[3][i] = x[0][i] + dt * x[1][i] + dt * dt / 2 * x[2][i];
    f[i]    = 0;
  }
  NsBandForce(&p->profile, p->K, NULL, x[3], NULL, f);
  NsBandSolve(&p->factor, f, x[5]);
  for (PetscInt i = 0; i < n; i++) x[4][i] = x[1][i] + dt / 2 * (x[2][i] + x[5][i]);
}

/* -- times -------------------------------------------------------------------------------------------------------------------------------------------- */

static void swap(PetscReal *x[6])
{
  for (int i = 0; i < 3; i++) {
    PetscReal *y = x[i];
    x[i]         = x[i + 3];
    x[i + 3]     = y;
  }
}

static PetscErrorCode measure(const char *name, PetscInt n, PetscInt b, Kind kind, int offset)
{
  NsSparse       M = matrix(n, b, kind, true), K = matrix(n, b, kind, false), C = matrix(n, b, kind, false);
  const PetscInt steps = PetscMax(1, 2000000 / n / PetscMax(1, b / 2));
  PetscReal      dt = 0.1 / (PetscReal)(n - 1) / 5188.7, *x[6], *f = room((size_t)n), best[5] = {1e9, 1e9, 1e9, 1e9, 1e9};
  double        *memory[6];
  NsLanes       *lanes;
  Band           plain;
  Hand           hand;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < C.start[n]; i++) C.value[i] *= 1e-9;
  PetscCall(NsLanesCreate(&M, &K, kind == DAMPED ? &C : NULL, NULL, &lanes));
  if (!lanes) {
    printf("%-10s n = %-8d b = %-2d no lanes\n", name, (int)n, (int)b);
    PetscFunctionReturn(0);
  }
  PetscCall(plain_create(&M, &K, b, &plain));
  if (b == 1) hand_create(&hand, n);
  for (int i = 0; i < 6; i++) {
    memory[i] = room((size_t)n + 8);
    x[i]      = memory[i] + offset;
  }
  if (b > 1) dt = 0.01;
  for (PetscInt i = 0; i < n; i++) x[1][i] = -0.1;
  x[0][0] = 1e-6;
  for (int round = 0; round < ROUNDS; round++) {
    for (int way = 0; way < 5; way++) {
      if (way >= 1 && way <= 3 && way > NsLanesKernels()) continue;
      if (way == 0 && b > 1) continue;
      if (way >= 1 && way <= 3) (void)NsLanesUseKernel(lanes, way - 1);
      for (PetscInt i = 0; i < n; i++) { /* oscillation about rest: numbers stay ordinary */
        x[0][i] = 1e-6 * (PetscReal)(i % 7);
        x[1][i] = x[2][i] = 0;
      }
      const double start = now();
      for (PetscInt step = 0; step < steps; step++) {
        if (way == 0)
          hand_step(&hand);
        else if (way == 4)
          plain_step(&plain, dt, x, f);
        else
          NsLanesFlight(lanes, dt, x[0], x[1], x[2], NULL, x[3], x[4], x[5]);
        if (way) swap(x);
      }
      best[way] = PetscMin(best[way], (now() - start) / (double)steps);
    }
  }
  printf("%-10s n = %-8d b = %-2d ns per unknown: plain %6.2f", name, (int)n, (int)b, best[4] / n * 1e9);
  if (b == 1) printf(", by hand %5.2f", best[0] / n * 1e9);
  for (int kernel = 0; kernel < NsLanesKernels(); kernel++) {
    printf(", %s %5.2f", NsLanesUseKernel(lanes, kernel), best[kernel + 1] / n * 1e9);
    if (b == 1)
      printf(" (%.2f by hand)", best[kernel + 1] / best[0]);
    else
      printf(" (%.2f plain)", best[kernel + 1] / best[4]);
  }
  printf("\n");
  fflush(stdout);
  for (int i = 0; i < 6; i++) free(memory[i]);
  free(f);
  if (b == 1) {
    void *const all[] = {hand.spike, hand.back, hand.q, hand.v, hand.a0, hand.a1, hand.l, hand.inverse};
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) free(all[i]);
  }
  PetscCall(plain_destroy(&plain));
  PetscCall(NsLanesDestroy(&lanes));
  matrix_free(&M);
  matrix_free(&K);
  matrix_free(&C);
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  static const PetscInt lengths[] = {51, 75, 101, 151, 201, 401, 1001, 10001, 100001, 1000001}, widths[] = {3, 5, 7, 11};

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(lengths); i++) {
    PetscCall(measure("uniform", lengths[i], 1, UNIFORM, 0));
    PetscCall(measure("unaligned", lengths[i], 1, UNIFORM, 2));
    PetscCall(measure("stepped", lengths[i], 1, STEPPED, 0));
    PetscCall(measure("random", lengths[i], 1, RANDOM, 0));
    PetscCall(measure("damped", lengths[i], 1, DAMPED, 0));
  }
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(widths); w++) {
    for (PetscInt n = 125; n <= 32000; n *= n < 1000 ? 2 : 8) PetscCall(measure("band", n, widths[w], BAND, 0));
  }
  PetscCall(PetscFinalize());
  return 0;
}
