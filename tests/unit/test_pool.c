/* src/core/pool.h: equal rows are stored once, whatever their number. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/pool.h"

#define WIDTH 3
#define ROWS  1000 /* enough for the table to grow several times */

static void make_row(int i, PetscReal x[WIDTH])
{
  for (int k = 0; k < WIDTH; k++) x[k] = 1. / (1 + i + k);
}

static void equal_rows_are_stored_once(void **state)
{
  NsPool pool;

  (void)state;
  assert_int_equal(NsPoolCreate(WIDTH, &pool), 0);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < ROWS; i++) {
      PetscReal x[WIDTH];
      int       number = -1;
      make_row(i, x);
      assert_int_equal(NsPoolAdd(&pool, x, &number), 0);
      assert_int_equal(number, i);
    }
  }
  assert_int_equal(NsPoolClose(&pool), 0);
  assert_int_equal(pool.rows, ROWS);
  assert_int_equal((uintptr_t)pool.row % 64, 0);
  for (int i = 0; i < ROWS; i++) {
    PetscReal x[WIDTH];
    make_row(i, x);
    assert_memory_equal(pool.row + WIDTH * i, x, sizeof(x));
  }
  assert_int_equal(NsPoolDestroy(&pool), 0);
}

/* 0 and -0 are equal numbers of different bits: they are two rows. */
static void equal_means_bit_by_bit(void **state)
{
  const PetscReal x[2] = {0., -0.};
  NsPool          pool;
  int             number[2];

  (void)state;
  assert_int_equal(NsPoolCreate(1, &pool), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(NsPoolAdd(&pool, &x[i], &number[i]), 0);
  assert_int_equal(number[0], 0);
  assert_int_equal(number[1], 1);
  assert_int_equal(NsPoolDestroy(&pool), 0);
}

static void empty_pools_are_destroyed(void **state)
{
  NsPool pool = {0}, closed;

  (void)state;
  assert_int_equal(NsPoolDestroy(&pool), 0);
  assert_int_equal(NsPoolCreate(WIDTH, &closed), 0);
  assert_int_equal(NsPoolClose(&closed), 0);
  assert_int_equal(NsPoolDestroy(&closed), 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_rows_are_stored_once),
    cmocka_unit_test(equal_means_bit_by_bit),
    cmocka_unit_test(empty_pools_are_destroyed),
  };

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
