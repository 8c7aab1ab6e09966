/* Long chains in lanes, against sums over the matrices' entries and a plain factor: every width, every length modulo eight, every kernel this CPU can run. */
#include "random_numbers.h"
#include "support.h"
#include "fe/backend/band.h"
#include "fe/backend/lanes/lanes.h"

enum { MOST_EXTRAS = 4 };

/* A matrix as full rows of half width `wide`, and a few entries elsewhere. */
typedef struct {
  PetscInt   n, wide;
  PetscReal *value; /* [n][2 wide + 1] */
  PetscInt   extras, row[MOST_EXTRAS], column[MOST_EXTRAS];
  PetscReal  extra[MOST_EXTRAS];
} Plain;

static PetscReal *any_vector(PetscInt n)
{
  PetscReal *x;

  CHECK(PetscMalloc1(n, &x));
  for (PetscInt i = 0; i < n; i++) x[i] = draw();
  return x;
}

static void drop(PetscReal **x, int count)
{
  for (int i = 0; i < count; i++) CHECK(PetscFree(x[i]));
}

/* Diagonal 1 .. 1.5; others at most `off` in sum. */
static Plain plain(PetscInt n, PetscInt wide, PetscReal off, PetscBool symmetric)
{
  Plain p = {n, wide, NULL, 0};

  CHECK(PetscCalloc1((size_t)n * (size_t)(2 * wide + 1), &p.value));
  for (PetscInt i = 0; i < n; i++) {
    p.value[i * (2 * wide + 1) + wide] = 1.25 + draw() / 4;
    for (PetscInt k = 1; k <= wide; k++) {
      if (i + k >= n) continue;
      p.value[i * (2 * wide + 1) + wide + k]       = draw() * off / (PetscReal)(2 * wide);
      p.value[(i + k) * (2 * wide + 1) + wide - k] = symmetric ? p.value[i * (2 * wide + 1) + wide + k] : draw();
    }
  }
  return p;
}

/* Springs of random stiffness between neighbours; every one of them `uniform` where that is not zero. */
static Plain springs(PetscInt n, PetscReal uniform)
{
  Plain p = {n, 1, NULL, 0};

  CHECK(PetscCalloc1(3 * (size_t)n, &p.value));
  for (PetscInt i = 0; i + 1 < n; i++) {
    const PetscReal k = uniform != 0 ? uniform : 2 + draw();
    p.value[3 * i + 1] += k;
    p.value[3 * i + 2] -= k;
    p.value[3 * i + 3] -= k;
    p.value[3 * i + 4] += k;
  }
  return p;
}

static void add(Plain *p, PetscInt row, PetscInt column, PetscReal value)
{
  p->row[p->extras]     = row;
  p->column[p->extras]  = column;
  p->extra[p->extras++] = value;
}

static void free_plain(Plain *p)
{
  CHECK(PetscFree(p->value));
}

/* Columns ascending. */
static PetscInt entries_of_row(const Plain *p, PetscInt i, PetscInt *column, PetscReal *value)
{
  PetscInt count = 0;

  for (int side = 0; side < 2; side++) {
    for (PetscInt e = 0; e < p->extras; e++) {
      if (p->row[e] != i || (p->column[e] > i) != side) continue;
      column[count]  = p->column[e];
      value[count++] = p->extra[e];
    }
    for (PetscInt k = -p->wide; !side && k <= p->wide; k++) {
      if (i + k < 0 || i + k >= p->n) continue;
      column[count]  = i + k;
      value[count++] = p->value[i * (2 * p->wide + 1) + p->wide + k];
    }
  }
  return count;
}

static NsSparse sparse(const Plain *p)
{
  NsSparse     A    = {p->n, NULL, NULL, NULL, NULL};
  const size_t room = (size_t)p->n * (size_t)(2 * p->wide + 1 + MOST_EXTRAS);

  CHECK(PetscMalloc3(p->n + 1, &A.start, room, &A.column, room, &A.value));
  A.start[0] = 0;
  for (PetscInt i = 0; i < p->n; i++) A.start[i + 1] = A.start[i] + entries_of_row(p, i, A.column + A.start[i], A.value + A.start[i]);
  return A;
}

static void free_sparse(NsSparse *A)
{
  CHECK(PetscFree3(A->start, A->column, A->value));
}

/* y += s A x */
static void add_product(const NsSparse *A, PetscReal s, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) y[i] += s * A->value[k] * x[A->column[k]];
  }
}

/* |A| |x| largest: what rounding errors of a product are parts of. */
static PetscReal size_of_product(const NsSparse *A, const PetscReal *x)
{
  PetscReal largest = 0;

  for (PetscInt i = 0; i < A->rows; i++) {
    PetscReal sum = 0;
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) sum += PetscAbsReal(A->value[k] * x[A->column[k]]);
    largest = PetscMax(largest, sum);
  }
  return largest;
}

/* x = A^-1 x by the banded storage of another file. */
static void plain_solve(const Plain *p, PetscReal *x)
{
  NsProfile    profile = {p->n, 0, NULL, NULL, NULL};
  NsBandFactor factor  = {NULL};
  PetscReal   *b;

  CHECK(PetscMalloc3(p->n, &profile.low, p->n, &profile.high, p->n + 1, &profile.start));
  CHECK(PetscMalloc1(p->n, &b));
  profile.start[0] = 0;
  for (PetscInt i = 0; i < p->n; i++) {
    profile.low[i]       = PetscMax(0, i - p->wide);
    profile.high[i]      = PetscMin(p->n - 1, i + p->wide);
    profile.start[i + 1] = profile.start[i] + profile.high[i] - profile.low[i] + 1;
  }
  profile.entries = profile.start[p->n];
  PetscReal *band;
  CHECK(PetscMalloc1(profile.entries, &band));
  for (PetscInt i = 0; i < p->n; i++) {
    for (PetscInt j = profile.low[i]; j <= profile.high[i]; j++)
      band[profile.start[i] + j - profile.low[i]] = p->value[i * (2 * p->wide + 1) + p->wide + j - i];
  }
  CHECK(PetscArraycpy(b, x, p->n));
  CHECK(NsBandFactorCreate(&profile, &factor));
  assert_true(NsBandFactorize(&factor, band));
  NsBandSolve(&factor, b, x);
  CHECK(NsBandFactorDestroy(&factor));
  CHECK(NsProfileDestroy(&profile));
  CHECK(PetscFree(b));
  CHECK(PetscFree(band));
}

static PetscReal largest(PetscInt n, const PetscReal *x)
{
  PetscReal size = 0;
  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(x[i]));
  return size;
}

static void into_lanes(const NsLanes *lanes, PetscInt n, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < n; i++) y[i] = x[NsLanesNatural(lanes)[i]];
}

/* x (natural) and y (in lanes) differ by at most `error`. */
static void assert_same(const NsLanes *lanes, PetscInt n, const PetscReal *x, const PetscReal *y, PetscReal error)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal wanted = x[NsLanesNatural(lanes)[i]];
    if (!(PetscAbsReal(wanted - y[i]) <= error)) fail_msg("unknown %d of %d: %.17g, not %.17g", (int)NsLanesNatural(lanes)[i], (int)n, y[i], wanted);
  }
}

typedef struct {
  Plain     M, K, C;   /* C.n = 0: none */
  PetscReal condition; /* of M, where it is large */
} Case;

static const PetscReal rounding = 2e-14;

static void flight_agrees(const Case *c, const NsLanes *lanes, const NsSparse *K, const NsSparse *C, PetscBool loaded)
{
  const PetscInt  n  = c->M.n;
  const PetscReal dt = 0.125;
  PetscReal      *q = any_vector(n), *v = any_vector(n), *a = any_vector(n), *h = any_vector(n), *va = any_vector(n), *f = any_vector(n);
  PetscReal      *lq = any_vector(n), *lv = any_vector(n), *la = any_vector(n), *lh = any_vector(n), *lq1, *lv1, *la1, size;

  CHECK(PetscMalloc1(n, &lq1));
  CHECK(PetscMalloc1(n, &lv1));
  CHECK(PetscMalloc1(n, &la1));
  for (PetscInt i = 0; i < n; i++) lq1[i] = lv1[i] = la1[i] = NAN;
  into_lanes(lanes, n, q, lq);
  into_lanes(lanes, n, v, lv);
  into_lanes(lanes, n, a, la);
  into_lanes(lanes, n, h, lh);
  NsLanesFlight(lanes, dt, lq, lv, la, loaded ? lh : NULL, lq1, lv1, la1);
  for (PetscInt i = 0; i < n; i++) {
    q[i] += dt * v[i] + dt * dt / 2 * a[i];
    va[i] = v[i] + dt * a[i];
    f[i]  = loaded ? h[i] : 0;
  }
  add_product(K, -1, q, f);
  size = size_of_product(K, q) + 1;
  if (C->rows) {
    add_product(C, -1, va, f);
    size += size_of_product(C, va);
  }
  size *= PetscMax(1, c->condition);
  plain_solve(&c->M, f);
  for (PetscInt i = 0; i < n; i++) v[i] += dt / 2 * (a[i] + f[i]);
  assert_same(lanes, n, q, lq1, rounding);
  assert_same(lanes, n, f, la1, rounding * size);
  assert_same(lanes, n, v, lv1, rounding * size);

  for (PetscInt i = 0; i < n; i++) la1[i] = NAN;
  into_lanes(lanes, n, va, lv);
  NsLanesAccel(lanes, lq1, lv, loaded ? lh : NULL, la1);
  assert_same(lanes, n, f, la1, rounding * size);

  for (PetscInt i = 0; i < n; i++) f[i] = h[i];
  add_product(K, -1, q, f);
  if (C->rows) add_product(C, -1, va, f);
  NsLanesForce(lanes, lq1, lv, lh);
  assert_same(lanes, n, f, lh, rounding * size);
  drop((PetscReal *[]){q, v, a, h, va, f, lq, lv, la, lh, lq1, lv1, la1}, 13);
}

static void products_agree(const Case *c, const NsLanes *lanes, const NsSparse *M, const NsSparse *C)
{
  const PetscInt n = c->M.n;
  PetscReal     *x = any_vector(n), *y = any_vector(n), *z = any_vector(n), *lx = any_vector(n), *ly = any_vector(n), *lz = any_vector(n), sum = 0;

  into_lanes(lanes, n, x, lx);
  into_lanes(lanes, n, y, ly);
  CHECK(PetscArrayzero(z, n));
  add_product(M, 1, y, z);
  NsLanesMult(lanes, ly, lz);
  assert_same(lanes, n, z, lz, rounding * size_of_product(M, y));
  for (PetscInt i = 0; i < n; i++) sum += x[i] * z[i];
  assert_near(NsLanesMassProduct(lanes, lx, ly), sum, 1e-14 * n);
  CHECK(PetscArrayzero(z, n));
  if (C->rows) add_product(C, 1, y, z);
  sum = 0;
  for (PetscInt i = 0; i < n; i++) sum += x[i] * z[i];
  assert_near(NsLanesDampersProduct(lanes, lx, ly), sum, 1e-14 * n);
  plain_solve(&c->M, y);
  NsLanesSolve(lanes, NULL, ly, lz);
  assert_same(lanes, n, y, lz, rounding * PetscMax(1, c->condition) * (1 + largest(n, y)));
  drop((PetscReal *[]){x, y, z, lx, ly, lz}, 6);
}

/* A = M + stiff K */
static void factor_agrees(const Case *c, const NsLanes *lanes, PetscReal stiff)
{
  const PetscInt n = c->M.n, wide = PetscMax(c->M.wide, c->K.wide);
  Plain          A = {n, wide, NULL, 0};
  NsSparse       rows;
  NsLanesFactor *factor;
  PetscReal     *b = any_vector(n), *x = any_vector(n), *r = any_vector(n), *lb = any_vector(n), *lx = any_vector(n);

  CHECK(PetscCalloc1((size_t)n * (size_t)(2 * wide + 1), &A.value));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = -c->M.wide; k <= c->M.wide; k++) A.value[i * (2 * wide + 1) + wide + k] += c->M.value[i * (2 * c->M.wide + 1) + c->M.wide + k];
    for (PetscInt k = -c->K.wide; k <= c->K.wide; k++)
      A.value[i * (2 * wide + 1) + wide + k] += stiff * c->K.value[i * (2 * c->K.wide + 1) + c->K.wide + k];
  }
  rows = sparse(&A);
  CHECK(NsLanesFactorCreate(lanes, &rows, &factor));
  assert_non_null(factor);
  into_lanes(lanes, n, b, lb);
  NsLanesSolve(lanes, factor, lb, lx);
  for (PetscInt i = 0; i < n; i++) {
    x[NsLanesNatural(lanes)[i]] = lx[i];
    r[i]                        = b[i];
  }
  add_product(&rows, -1, x, r); /* what is left over, as part of the terms it is left over from */
  assert_near(largest(n, r) / (size_of_product(&rows, x) + largest(n, b)), 0, 1e-14);
  CHECK(NsLanesFactorDestroy(&factor));
  assert_null(factor);
  free_sparse(&rows);
  free_plain(&A);
  drop((PetscReal *[]){b, x, r, lb, lx}, 5);
}

/* All operations, with every kernel; frees the case. */
static void check(Case *c, PetscBool symmetric)
{
  NsSparse M = sparse(&c->M), K = sparse(&c->K), C = c->C.n ? sparse(&c->C) : (NsSparse){0};
  NsLanes *lanes;

  CHECK(NsLanesCreate(&M, &K, &C, &C, &lanes));
  assert_non_null(lanes);
  for (int kernel = 0; kernel < NsLanesKernels(); kernel++) {
    (void)NsLanesUseKernel(lanes, kernel);
    flight_agrees(c, lanes, &K, &C, PETSC_FALSE);
    flight_agrees(c, lanes, &K, &C, PETSC_TRUE);
    products_agree(c, lanes, &M, &C);
    if (symmetric) {
      factor_agrees(c, lanes, 0.1);
      factor_agrees(c, lanes, 1e4);
    }
  }
  CHECK(NsLanesDestroy(&lanes));
  assert_null(lanes);
  free_sparse(&M);
  free_sparse(&K);
  if (c->C.n) {
    free_sparse(&C);
    free_plain(&c->C);
  }
  free_plain(&c->M);
  free_plain(&c->K);
}

static void widths(void **state)
{
  (void)state;
  for (PetscInt wide = 1; wide <= 11; wide++) {
    for (PetscInt more = 0; more < 8; more++) {
      const PetscInt n = 8 * (8 * (wide <= 7 ? wide | 1 : 11) + 13 * (more % 3)) + more; /* from the shortest chain that has lanes on */
      Case           c = {plain(n, wide, 0.9, PETSC_TRUE), plain(n, wide, 1, more % 2 == 1), {0}};
      if (more % 4 > 1) c.C = plain(n, wide, 1, PETSC_FALSE);
      if (more % 3 == 1) {
        add(&c.K, 3, n - 2, 1);
        add(&c.K, n - 1, 40, -2);
        if (c.C.n) add(&c.C, n - 1, 0, 0.5);
      }
      check(&c, more % 2 && more % 3 != 1);
    }
  }
}

/* Bars: differences; K singular, so its sums of rows are all zero but those of supports. */
static void bars(void **state)
{
  (void)state;
  for (PetscInt n = 400; n < 416; n++) {
    Case c = {plain(n, 1, 0.9, PETSC_TRUE), springs(n, 0), {0}};
    if (n % 3 == 1) {
      c.K.value[1] += 2;
      c.K.value[3 * (n - 1) + 1] += 3;
      c.K.value[3 * 200 + 1] += 1;
    }
    if (n % 4 > 1) {
      c.C = springs(n, 0.25);
      if (n % 4 > 2) {
        for (PetscInt i = 0; i < n; i++) c.C.value[3 * i + 1] += 0.1 * (1 + draw());
      }
    }
    if (n % 5 == 2) {
      add(&c.K, 0, n - 1, -1);
      add(&c.K, n - 1, 0, -1);
    }
    check(&c, n % 5 != 2);
  }
}

/* Lanes cut into pieces for the cache, the last one ragged; uniform, so that blocks are shared. */
static void long_chains(void **state)
{
  static const PetscInt rows[] = {1023, 1024, 1025, 1600, 2500};

  (void)state;
  for (PetscInt i = 0; i < 5; i++) {
    const PetscInt n = 8 * rows[i] + 3 * i % 8;
    for (PetscInt wide = 1; wide <= 3; wide += 2) {
      Case c = {plain(n, wide, 0.9, PETSC_TRUE), wide == 1 ? springs(n, 3) : plain(n, wide, 1, PETSC_TRUE), {0}};
      if (i % 2) c.C = plain(n, wide, 1, PETSC_FALSE);
      if (i == 4) add(&c.K, 5, n - 7, 1);
      check(&c, i != 4);
    }
  }
}

/* Spikes that do not decay: off-diagonals almost as large as the diagonal. */
static void slow_decay(void **state)
{
  (void)state;
  for (PetscInt n = 300; n < 308; n++) {
    Case c = {springs(n, 1), springs(n, 0), {0}, 400};
    for (PetscInt i = 0; i < n; i++) c.M.value[3 * i + 1] += 0.01;
    check(&c, PETSC_FALSE);
  }
}

static void rigid_motion(void **state)
{
  const PetscInt n = 1003;
  Plain          M = plain(n, 1, 0.9, PETSC_TRUE), K = springs(n, 0), C = springs(n, 0);
  NsSparse       m = sparse(&M), k = sparse(&K), c = sparse(&C);
  NsLanes       *lanes;
  PetscReal     *q = any_vector(n), *v = any_vector(n), *h = any_vector(n), *a = any_vector(n), *q1 = any_vector(n), *v1 = any_vector(n);

  (void)state;
  CHECK(NsLanesCreate(&m, &k, &c, NULL, &lanes));
  assert_non_null(lanes);
  for (int kernel = 0; kernel < NsLanesKernels(); kernel++) {
    (void)NsLanesUseKernel(lanes, kernel);
    for (PetscInt i = 0; i < n; i++) {
      q[i] = 1 / 3.0;
      v[i] = 1 / 7.0;
      h[i] = 0;
    }
    NsLanesForce(lanes, q, v, h);
    for (PetscInt i = 0; i < n; i++) assert_true(h[i] == 0);
    NsLanesFlight(lanes, 0.1, q, v, h, NULL, q1, v1, a);
    for (PetscInt i = 0; i < n; i++) assert_true(a[i] == 0 && v1[i] == v[i]);
  }
  CHECK(NsLanesDestroy(&lanes));
  free_sparse(&m);
  free_sparse(&k);
  free_sparse(&c);
  free_plain(&M);
  free_plain(&K);
  free_plain(&C);
  drop((PetscReal *[]){q, v, h, a, q1, v1}, 6);
}

static NsLanes *lanes_of(Plain M, Plain K)
{
  NsSparse m = sparse(&M), k = sparse(&K);
  NsLanes *lanes;

  CHECK(NsLanesCreate(&m, &k, NULL, NULL, &lanes));
  free_sparse(&m);
  free_sparse(&k);
  free_plain(&M);
  free_plain(&K);
  return lanes;
}

static void refuses(void **state)
{
  Plain          not_definite = plain(1000, 1, 0.9, PETSC_TRUE), far = plain(1000, 1, 0.9, PETSC_TRUE);
  NsLanes       *lanes = lanes_of(plain(1000, 1, 0.9, PETSC_TRUE), springs(1000, 1));
  NsSparse       A;
  NsLanesFactor *factor;

  (void)state;
  assert_non_null(lanes);
  not_definite.value[3 * 500 + 1] = -1;
  A                               = sparse(&not_definite);
  CHECK(NsLanesFactorCreate(lanes, &A, &factor));
  assert_null(factor);
  free_sparse(&A);
  add(&far, 0, 999, 1e-3);
  A = sparse(&far);
  CHECK(NsLanesFactorCreate(lanes, &A, &factor));
  assert_null(factor);
  free_sparse(&A);
  CHECK(NsLanesDestroy(&lanes));
  assert_null(lanes_of(not_definite, springs(1000, 1)));
  assert_null(lanes_of(far, springs(1000, 1)));                         /* entries of M elsewhere */
  assert_null(lanes_of(plain(51, 1, 0.9, PETSC_TRUE), springs(51, 1))); /* short */
  assert_null(lanes_of(plain(1000, 20, 0.9, PETSC_TRUE), springs(1000, 1)));
  assert_null(lanes_of(plain(1000, 1, 0.9, PETSC_TRUE), plain(1000, 20, 1, PETSC_TRUE)));
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(widths),
  cmocka_unit_test(bars),
  cmocka_unit_test(long_chains),
  cmocka_unit_test(slow_decay),
  cmocka_unit_test(rigid_motion),
  cmocka_unit_test(refuses),
};

TEST_MAIN(tests)
