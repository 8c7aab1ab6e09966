/* Arithmetic with units against values by hand. */
#include "reader.h"
#include "core/expression.h"
#include <math.h>

static bool value_of(void *context, const char *name, NsQuantity *value, char *message, size_t size)
{
  (void)context;
  *value = (NsQuantity){0.5, NS_DIM_LENGTH};
  if (!strcmp(name, "a")) return true;
  if (!strcmp(name, "h")) return true; /* a unit, too */
  (void)snprintf(message, size, "no %s", name);
  return false;
}

static void gives(const char *text, double expected, NsDimension dimension)
{
  NsQuantity result;
  char       message[256];
  int        column, length;

  if (!NsExpressionValue(text, value_of, NULL, &result, message, sizeof(message), &column, &length)) fail_msg("'%s': %s", text, message);
  if (!(fabs(result.value - expected) <= 1e-15 * fabs(expected))) fail_msg("'%s' gave %.17g, not %.17g", text, result.value, expected);
  if (memcmp(&result.dimension, &dimension, sizeof(dimension))) fail_msg("'%s' gave %s", text, NsDimensionName(result.dimension));
}

static void fails(const char *text, int column, int length, const char *expected)
{
  NsQuantity result;
  char       message[256];
  int        from, size;

  if (NsExpressionValue(text, value_of, NULL, &result, message, sizeof(message), &from, &size)) fail_msg("'%s' gave %g", text, result.value);
  assert_string_equal(message, expected);
  if (from != column || size != length) fail_msg("'%s': columns %d, %d, not %d, %d", text, from, size, column, length);
}

static void operators_bind_as_on_paper(void **state)
{
  (void)state;
  gives("1 + 2*3", 7, NS_DIM_NONE);
  gives("(1 + 2)*3", 9, NS_DIM_NONE);
  gives("-2^2", -4, NS_DIM_NONE);
  gives("2^3^2", 512, NS_DIM_NONE);
  gives("2^-1", 0.5, NS_DIM_NONE);
  gives("8/2/2", 2, NS_DIM_NONE);
  gives("5 - 2 - 1", 2, NS_DIM_NONE);
  gives("--3", 3, NS_DIM_NONE);
  gives(" 2 * pi ", 6.283185307179586, NS_DIM_NONE);
  gives("1.5e-3", 1.5e-3, NS_DIM_NONE);
}

static void units_belong_to_numbers(void **state)
{
  (void)state;
  gives("2*a", 1, NS_DIM_LENGTH);
  gives("a + 1 mm", 0.501, NS_DIM_LENGTH);
  gives("a*a", 0.25, NS_DIM_AREA);
  gives("1 N/2 mm", 500, NS_DIM_STIFFNESS);
  gives("3 N/m*a", 1.5, NS_DIM_FORCE);
  gives("3 N s/m", 3, NS_DIM_DASHPOT);
  gives("50 1/s", 50, NS_DIM_RATE);
  gives("2 m^2 + a^2", 2.25, NS_DIM_AREA);
  gives("2 m\xc2\xb2", 2, NS_DIM_AREA);
  gives("(3 N)*h", 1.5, ((NsDimension){2, 1, -2, 0}));
  gives("2 h", 7200, NS_DIM_TIME); /* the unit: a number stands before it */
  gives("2*h", 1, NS_DIM_LENGTH);
  gives("sqrt(210 GPa/7800 kg/m^3)", 5188.7452166277088, NS_DIM_VELOCITY);
  gives("1 m/2 s", 0.5, NS_DIM_VELOCITY);
  gives("90 deg + 0", 1.5707963267948966, NS_DIM_ANGLE); /* angles are forgiving */
}

static void functions_mind_units(void **state)
{
  (void)state;
  gives("min(3 mm, a, 1 m)", 0.003, NS_DIM_LENGTH);
  gives("max(1, 2)", 2, NS_DIM_NONE);
  gives("abs(-a)", 0.5, NS_DIM_LENGTH);
  gives("sin(30 deg)", 0.49999999999999994, NS_DIM_NONE);
  gives("atan2(1 m, a)", 1.1071487177940904, NS_DIM_ANGLE);
  gives("acos(0)", 1.5707963267948966, NS_DIM_ANGLE);
  gives("floor(2.7) + ceil(2.2) + round(2.5)", 8, NS_DIM_NONE);
  gives("exp(1)*log(10)", 6.259075216766395, NS_DIM_NONE);
  fails("sin(3 m)", 0, 8, "sin cannot be applied to a length");
  fails("sqrt(a)", 0, 7, "sqrt cannot be applied to a length");
  fails("min(a, 1 s)", 0, 11, "min needs arguments of one dimension, not a length and a time");
  fails("sin(1, 2)", 0, 6, "sin takes 1 argument");
  fails("atan2(1)", 0, 8, "atan2 takes 2 arguments");
  fails("sqr(2)", 0, 3, "unknown function 'sqr'; did you mean 'sqrt'?");
}

static void says_what_is_wrong(void **state)
{
  char deep[400] = "";

  (void)state;
  for (int i = 0; i < 100; i++) strcat(deep, "(");
  fails(deep, 64, 1, "nested deeper than 64 levels");
  fails("", 0, 0, "expected a number or a name");
  fails("1 +", 3, 0, "expected a number or a name");
  fails("(1", 2, 0, "expected ')'");
  fails("1)", 1, 1, "unexpected ')'");
  fails("2 a", 2, 1, "expected an operator before 'a'");
  fails("2a", 0, 2, "not a number: '2a' (put a blank between number and unit)");
  fails("1.2.3", 0, 5, "not a number: '1.2.3'");
  fails("a + 1", 0, 5, "cannot add a length and a number without unit");
  fails("a - 1 s", 0, 7, "cannot subtract a time from a length");
  fails("2^a", 0, 3, "an exponent has no unit; got a length");
  fails("a^0.5", 0, 5, "a length can only have integer powers up to 9");
  fails("1/0", 0, 3, "the result is not finite");
  fails("3 + b", 4, 1, "no b");
  fails("3 N*h", 4, 1, "'h' is both a unit and a parameter; write the number before it in parentheses");
  fails("a^9*a^9*a", 0, 9, "a unit to a power of more than 18");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(operators_bind_as_on_paper),
    cmocka_unit_test(units_belong_to_numbers),
    cmocka_unit_test(functions_mind_units),
    cmocka_unit_test(says_what_is_wrong),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
