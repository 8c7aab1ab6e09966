/* Layouts of any owners, ghosts and orders: exchange, collect, spread, watch; and wrong ones, which all processes must refuse (run alone and by mpiexec). */
#include "../support.h"
#include "percuss/layout.h"

enum { MOST = 300, WATCHED = 50 };

static int rank, ranks;

static void ask_ranks(void)
{
  CHECK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
}

static PetscInt draw(PetscInt below)
{
  return (PetscInt)(lrand48() % below);
}

/* Any bits: also NaN and minus zero. */
static PetscReal value(PetscInt unknown, int array, int trial)
{
  const uint64_t bits =
    unknown % 7 == 0 ? UINT64_C(1) << 63 : ((uint64_t)unknown * 3 + (uint64_t)array + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)trial;
  const uint64_t none = UINT64_C(0x7ff8000000000000) | bits >> 20;
  PetscReal      x;

  memcpy(&x, unknown % 5 == 3 ? &none : &bits, sizeof(x));
  return x;
}

static void assert_value(PetscReal x, PetscInt unknown, int array, int trial)
{
  const PetscReal expected = value(unknown, array, trial);

  if (memcmp(&x, &expected, sizeof(x)) != 0) fail_msg("unknown %d of array %d: %a, expected %a", (int)unknown, array, x, expected);
}

typedef struct {
  PetscInt unknowns, local, natural[MOST];
  int      owner[MOST], owner_of[MOST];
} Case;

/* Drawn alike on all processes, which keep what is theirs. */
static Case random_case(void)
{
  const int idle = (int)draw(3); /* often a process owns nothing, or has no ghosts */
  Case      c    = {.unknowns = 1 + draw(MOST - 1)};

  for (PetscInt i = 0; i < c.unknowns; i++) c.owner_of[i] = ranks > 1 && idle < ranks ? (int)(idle + 1 + draw(ranks - 1)) % ranks : (int)draw(ranks);
  for (int r = 0; r < ranks; r++) {
    const PetscInt ghosts = draw(4);

    for (PetscInt i = 0; i < c.unknowns; i++) {
      const PetscBool here = c.owner_of[i] == r || draw(6) < ghosts;
      if (here && r == rank) c.natural[c.local++] = i;
    }
    for (PetscInt k = c.unknowns - 1; k > 0; k--) {
      const PetscInt other = draw(k + 1), swap = c.natural[k];

      if (r != rank || k >= c.local || other >= c.local) continue;
      c.natural[k]     = c.natural[other];
      c.natural[other] = swap;
    }
  }
  for (PetscInt k = 0; k < c.local; k++) c.owner[k] = c.owner_of[c.natural[k]];
  return c;
}

static void assert_places(const Case *c, const NsLayout *layout)
{
  PetscInt owned = 0, here = 0;

  assert_int_equal(layout->rank, rank);
  assert_int_equal(layout->ranks, ranks);
  assert_int_equal(layout->local, c->local);
  for (PetscInt k = 0; k < c->local; k++) {
    assert_int_equal(NsLayoutNatural(layout, k), c->natural[k]);
    assert_int_equal(NsLayoutIndex(layout, c->natural[k]), k);
    assert_int_equal(NsLayoutOwns(layout, k), c->owner[k] == rank);
    if (c->owner[k] == rank) owned++;
  }
  for (PetscInt i = 0; i < c->unknowns; i++)
    if (NsLayoutIndex(layout, i) >= 0) here++;
  assert_int_equal(layout->owned, owned);
  assert_int_equal(here, c->local);
}

static void fill_owned(const NsLayout *layout, int array, int trial, PetscReal *x)
{
  for (PetscInt k = 0; k < layout->local; k++) x[k] = NsLayoutOwns(layout, k) ? value(NsLayoutNatural(layout, k), array, trial) : 12345;
}

static void random_layouts(void **state)
{
  (void)state;
  ask_ranks();
  srand48(3);
  for (int trial = 0; trial < 200; trial++) {
    const Case c = random_case();
    NsLayout  *layout;
    NsWatch   *watch;
    PetscReal  x[3][MOST], all[MOST], seen[WATCHED];
    PetscReal *array[3] = {x[0], x[1], x[2]};
    PetscInt   watched  = draw(WATCHED), natural[WATCHED];

    for (PetscInt i = 0; i < watched; i++) natural[i] = draw(c.unknowns);
    CHECK(NsLayoutCreate(PETSC_COMM_WORLD, c.unknowns, c.local, c.natural, c.owner, &layout));
    CHECK(NsWatchCreate(layout, watched, natural, &watch));
    assert_places(&c, layout);
    for (int again = 0; again < 4; again++) {
      const int arrays = 1 + (trial + again) % 3;

      for (int a = 0; a < 3; a++) fill_owned(layout, a, again, x[a]);
      CHECK(NsWatchGather(watch, x[1], seen));
      for (PetscInt i = 0; i < watched; i++) assert_value(seen[i], natural[i], 1, again);

      CHECK(NsLayoutExchange(layout, arrays, array));
      for (PetscInt k = 0; k < c.local; k++)
        for (int a = 0; a < 3; a++) {
          if (a < arrays || c.owner[k] == rank)
            assert_value(x[a][k], c.natural[k], a, again);
          else
            assert_true(x[a][k] == 12345); /* was not asked for */
        }

      fill_owned(layout, 2, again, x[2]);
      for (PetscInt i = 0; i < c.unknowns; i++) all[i] = 54321;
      CHECK(NsLayoutCollect(layout, x[2], rank == 0 || again % 2 ? all : NULL));
      for (PetscInt i = 0; i < c.unknowns; i++) {
        if (rank == 0)
          assert_value(all[i], i, 2, again);
        else
          assert_true(all[i] == 54321);
      }
    }
    for (PetscInt i = 0; i < watched; i++) {
      if (c.owner_of[natural[i]] == rank)
        assert_int_equal(c.natural[watch->index[i]], natural[i]);
      else
        assert_int_equal(watch->index[i], -1);
    }
    for (PetscInt i = 0; i < c.unknowns; i++) all[i] = value(i, 0, trial);
    NsLayoutSpread(layout, all, x[0]);
    for (PetscInt k = 0; k < c.local; k++) assert_value(x[0][k], c.natural[k], 0, trial);
    CHECK(NsWatchDestroy(&watch));
    CHECK(NsLayoutDestroy(&layout));
    assert_null(layout);
  }
}

static void identity(void **state)
{
  const PetscInt natural[] = {0, 1, 2}, watched[] = {2, 0, 2};
  const int      owner[] = {0, 0, 0};

  (void)state;
  for (int made = 0; made < 2; made++) {
    NsLayout *layout;
    NsWatch  *watch;
    PetscReal x[] = {1, 2, 3}, y[3], *array = x;
    PetscInt  flags = 5;

    if (made)
      CHECK(NsLayoutCreate(PETSC_COMM_SELF, 3, 3, natural, owner, &layout));
    else
      CHECK(NsLayoutCreateIdentity(3, &layout));
    assert_null(layout->index);
    assert_null(layout->natural);
    assert_null(layout->owner);
    assert_int_equal(layout->owned, 3);
    assert_int_equal(layout->local, 3);
    assert_int_equal(NsLayoutIndex(layout, 2), 2);
    assert_true(NsLayoutOwns(layout, 2));
    CHECK(NsLayoutExchange(layout, 1, &array));
    CHECK(NsLayoutCollect(layout, x, y));
    assert_memory_equal(x, y, sizeof(x));
    NsLayoutSpread(layout, x, y);
    assert_memory_equal(x, y, sizeof(x));
    CHECK(NsWatchCreate(layout, 3, watched, &watch));
    CHECK(NsWatchGather(watch, x, y));
    assert_true(y[0] == 3 && y[1] == 1 && y[2] == 3);
    CHECK(NsLayoutAgree(layout, &flags));
    assert_int_equal(flags, 5);
    CHECK(NsLayoutMax(layout, &x[1]));
    assert_true(x[1] == 2);
    CHECK(NsWatchDestroy(&watch));
    CHECK(NsWatchDestroy(&watch));
    CHECK(NsLayoutDestroy(&layout));
    CHECK(NsLayoutDestroy(&layout));
  }
}

/* Two unknowns for each process, and a ghost of the first one of the next; the last process may pass a wrong argument. */
enum { NO_MISTAKE, NOBODY, TWICE, WRONG_OWNER, NO_SUCH_RANK, NO_SUCH_UNKNOWN, BELOW_ZERO, TWICE_HERE, MISTAKES };

static PetscErrorCode create(int mistake)
{
  const int      next       = (rank + 1) % ranks;
  PetscInt       natural[4] = {2 * rank + 1, 2 * next, 2 * rank};
  int            owner[4]   = {rank, next, rank};
  PetscInt       local      = 3;
  NsLayout      *layout     = NULL;
  PetscErrorCode failed;

  if (ranks == 1) {
    natural[1] = 0;
    local      = 2;
  }
  if (rank == ranks - 1) switch (mistake) {
    case NOBODY: natural[0] = natural[--local], owner[0] = owner[local]; break;
    case TWICE: owner[1] = rank; break;
    case WRONG_OWNER: owner[1] = (next + 1) % ranks == rank ? (next + 2) % ranks : (next + 1) % ranks; break;
    case NO_SUCH_RANK: owner[1] = ranks; break;
    case NO_SUCH_UNKNOWN: natural[1] = 2 * ranks; break;
    case BELOW_ZERO: natural[1] = -1; break;
    case TWICE_HERE: natural[local] = natural[0], owner[local++] = rank; break;
    default: break;
    }
  failed = NsLayoutCreate(PETSC_COMM_WORLD, 2 * ranks, local, natural, owner, &layout);
  if (!failed) CHECK(NsLayoutDestroy(&layout));
  return failed;
}

static void errors_are_found(void **state)
{
  (void)state;
  ask_ranks();
  CHECK(create(NO_MISTAKE));
  CHECK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  for (int mistake = NOBODY; mistake < MISTAKES; mistake++) {
    if (ranks == 1 && mistake == TWICE) continue;
    if (ranks < 3 && mistake == WRONG_OWNER) continue; /* there is no third */
    if (create(mistake) != PETSC_ERR_ARG_WRONG) fail_msg("mistake %d was not found", mistake);
  }
  CHECK(PetscPopErrorHandler());
}

static PetscReal greatest(const NsLayout *layout, PetscReal mine, PetscReal others)
{
  PetscReal x = rank == ranks - 1 ? mine : others;

  CHECK(NsLayoutMax(layout, &x));
  return x;
}

static void values_common_to_all_processes(void **state)
{
  NsLayout *layout;
  PetscInt  natural, flags;
  int       owner;

  (void)state;
  ask_ranks();
  natural = rank;
  owner   = rank;
  flags   = (PetscInt)1 << rank;
  CHECK(NsLayoutCreate(PETSC_COMM_WORLD, ranks, 1, &natural, &owner, &layout));
  CHECK(NsLayoutAgree(layout, &flags));
  assert_int_equal(flags, (1 << ranks) - 1);
  assert_true(greatest(layout, 2, -3) == 2);
  assert_true(greatest(layout, 1e-310, -INFINITY) == 1e-310);
  assert_true(greatest(layout, -2, -3) == -2);
  assert_true(greatest(layout, -2, -2.5) == -2);
  assert_true(greatest(layout, 0, -0.0) == 0);
  assert_true(greatest(layout, INFINITY, 1e300) == INFINITY);
  assert_true(isnan(greatest(layout, NAN, 1)));
  assert_true(isnan(greatest(layout, -NAN, INFINITY)));
  if (ranks > 1) {
    assert_true(greatest(layout, -3, 2) == 2);
    assert_true(isnan(greatest(layout, 1, NAN)));
  }
  CHECK(NsLayoutDestroy(&layout));
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(random_layouts),
  cmocka_unit_test(identity),
  cmocka_unit_test(errors_are_found),
  cmocka_unit_test(values_common_to_all_processes),
};

TEST_MAIN(tests)
