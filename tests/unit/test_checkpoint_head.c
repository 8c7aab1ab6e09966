/* The first lines of a checkpoint: whole numbers are that, or it is no checkpoint. */
#include "run/checkpoint.h"
#include "support.h"

static size_t head_with(const char *ranks, const char *step, NsCheckpointHead *head)
{
  char text[512];

  (void)snprintf(text, sizeof(text), "percuss checkpoint 2\nprogram p\nconfig c\ninputs i\noptions o\nranks %s\nstep %s\ntime 0.5\n\n", ranks, step);
  return NsCheckpointReadHead(text, strlen(text), head);
}

static void whole_numbers(void **state)
{
  static const char *const wrong[] = {"", "x", "12x", "-1", "1.5", "99999999999999999999", "12 "};
  NsCheckpointHead         head;

  (void)state;
  assert_int_equal(head_with("2", "1234567890123", &head),
    strlen("percuss checkpoint 2\nprogram p\nconfig c\ninputs i\noptions o\nranks 2\nstep 1234567890123\ntime 0.5\n\n"));
  assert_true(head.ranks == 2 && head.step == 1234567890123 && head.time == 0.5);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    assert_int_equal(head_with(wrong[i], "1", &head), 0);
    assert_int_equal(head_with("1", wrong[i], &head), 0);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers)};
TEST_MAIN(tests)
