/*
  Numbers: quantities with units, plain numbers, shortest decimals, times and ranges of command lines, factors over time.

  The first byte chooses the dimension, the rest is text; its first eight bytes are a double as well. Promises: plain numbers are those of strtod in the C locale; a number
  that is written reads back the same, and no shorter text would; a value times its unit; what a message points at is within the text.
*/
#include "fuzz.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/decimal.h"
#include "core/spin.h"
#include "core/text.h"
#include "core/timefunction.h"

static const NsDimension dimensions[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}, {0, 1, 0, 0}, {-3, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, -1, 0},
  {0, 0, 0, 1}, {0, 0, -1, 1}, {1, 0, -2, 0}, {1, 1, -2, 0}, {0, 1, -2, 0}, {0, 1, -1, 0}, {2, 1, -2, -1}, {-1, 1, -2, 0}, {2, 1, 0, 0},
  {5, -3, 2, -1}, {-9, 9, -9, 9}};
enum { DIMENSIONS = sizeof(dimensions) / sizeof(*dimensions) };

static bool same_bits(double a, double b)
{
  return !memcmp(&a, &b, sizeof(a));
}

/* Not finite: refused by the readers, but written in results. */
static void check_decimal(double x)
{
  char   text[NS_DECIMAL_SIZE + 1], shorter[64];
  double back;
  int    length = NsDecimal(x, text), digits = 0;

  FuzzExpect(length > 0 && length <= 24, "%.17g takes %d characters", x, length);
  text[length] = 0;
  if (isnan(x)) {
    FuzzExpect(!strcmp(text, "nan"), "NaN as '%s'", text);
    return;
  }
  FuzzExpect(same_bits(strtod(text, NULL), x), "%.17g is written as '%s'", x, text);
  if (isfinite(x)) {
    const char *fault = NsParseNumber(text, &back);

    FuzzExpect(!fault && same_bits(back, x), "'%s' is read as %.17g: %s", text, back, fault ? fault : "");
  }
  for (const char *p = text; *p && *p != 'e'; p++) digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
  while (digits > 1 && isfinite(x) && fabs(x) < 1e17 && !strchr(text, '.') && !strchr(text, 'e') && text[length - 1] == '0') digits--, length--;
  if (!isfinite(x) || digits < 2) return;
  snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, x);
  FuzzExpect(!same_bits(strtod(shorter, NULL), x), "%.17g is written as '%s', but '%s' is shorter", x, text, shorter);
}

static void check_number(const char *text)
{
  double       value = -1;
  char        *end;
  const char  *fault    = NsParseNumber(text, &value);
  const double expected = strtod(text, &end);

  if (fault) {
    FuzzExpect(*fault && same_bits(value, 0), "'%s' is refused without reason or leaves %g", text, value);
    return;
  }
  FuzzExpect(!*end && end > text, "'%s' is taken for the number %g", text, value);
  FuzzExpect(isfinite(value), "'%s' is read as %g", text, value);
  FuzzExpect(same_bits(value, expected), "'%s' is read as %.17g, not %.17g", text, value, expected);
  check_decimal(value);
}

static bool quantity(const char *text, NsDimension dimension, double *value)
{
  char       message[300] = "";
  int        column = -1, length = -1;
  const bool good = NsParseQuantity(text, dimension, value, message, sizeof(message), &column, &length);

  if (good) {
    FuzzExpect(isfinite(*value), "'%s' is %g", text, *value);
    return true;
  }
  FuzzExpect(*message && *value == 0, "'%s' is refused without reason, or leaves %g", text, *value);
  FuzzExpect(
    column >= 0 && length >= 0 && (size_t)column + (size_t)length <= strlen(text), "'%s': '%s' points at %d, %d", text, message, column, length);
  return false;
}

static void check_quantity(const char *text, NsDimension dimension, NsArena *arena)
{
  const char *start = text + strspn(text, " \t\r\n"), *blank = start + strcspn(start, " \t\r\n");
  const char *unit = NsDimensionUnit(dimension), *written, *given;
  char        number[NS_DECIMAL_SIZE + 1];
  double      value, again, mantissa, one;

  FuzzExpect(*NsDimensionName(dimension), "a dimension without name");
  if (!quantity(text, dimension, &value)) return;
  number[NsDecimal(value, number)] = 0;
  written                          = *unit ? NsArenaPrint(arena, "%s %s", number, unit) : number;
  FuzzExpect(quantity(written, dimension, &again) && same_bits(value, again), "'%s' is '%s', which reads as %.17g", text, written, again);
  given = NsArenaCopy(arena, start, (size_t)(blank - start));
  FuzzExpect(!NsParseNumber(given, &mantissa) || strspn(blank, " \t\r\n") < strlen(blank), "'%s' is good, but '%s' is not", text, given);
  /* a unit alone may be out of range where the whole is not */
  if (!quantity(NsArenaPrint(arena, "1%s", blank), dimension, &one) || !isfinite(mantissa * one) || fabs(one) < 1e-290 || fabs(mantissa) < 1e-290 ||
      fabs(value) < 1e-290)
    return;
  FuzzExpect(fabs(value - mantissa * one) <= 1e-14 * fabs(value), "'%s' is %.17g, but %.17g times %.17g", text, value, mantissa, one);
}

/* The text as the value of a key, read from this table. */
static const NsNode *read_as(const NsTable *table, const char *text, void *settings, NsArena *arena)
{
  NsDiag *diag = NsDiagCreate(arena);
  NsNode *node = NsTreeReadText("fuzz.yaml", text, strlen(text), arena, diag);
  bool    good = node && NsKeysRead(table, node, settings, arena, diag);

  (void)FuzzMessages(diag, arena);
  return good ? node : NULL;
}

/* All that the time loop asks of a factor over time, at what would be times of steps. */
static void check_time_function(const char *text, NsArena *arena)
{
  NsTimeFunction f;
  PetscReal      t = -1, most = 1;

  if (!read_as(&NsTable_TimeFunction, text, &f, arena)) return;
  if (f.table.rows || f.settings[NS_TIME_FUNCTION_random]) most = PETSC_INFINITY;
  for (int i = 0; i < 40; i++) {
    const PetscReal value = NsTimeFunctionValue(&f, t), next = NsTimeFunctionNext(&f, t), period = NsTimeFunctionPeriod(&f, t);

    FuzzExpect(!isnan(value) && fabs(value) <= most, "%s: factor %g at %g s", text, value, t);
    FuzzExpect(next > t, "%s: what comes next after %.17g s is at %.17g s", text, t, next);
    FuzzExpect(period > 0, "%s: a period of %g s", text, period);
    t = next < PETSC_MAX_REAL && i % 2 ? next : t + PetscMax(1e-3, fabs(t));
  }
}

static void check_spin(const char *text, NsArena *arena)
{
  NsSpin    spin;
  PetscReal t = 0, highest;

  if (!read_as(&NsTable_Spin, text, &spin, arena)) return;
  highest = NsSpinHighest(&spin);
  FuzzExpect(highest >= 0 || isfinite(highest), "%s: highest speed %g", text, highest);
  if (NsSpinIsFree(&spin)) return;
  for (int i = 0; i < 20; i++) {
    const PetscReal next = NsSpinNext(&spin, t), rate = NsSpinRate(&spin, t);

    FuzzExpect(fabs(rate) <= highest * (1 + 1e-12), "%s: speed %g at %g s, but at most %g", text, rate, t, highest);
    FuzzExpect(!isnan(NsSpinAngle(&spin, t)) || fabs(rate) > 1e100 || t > 1e100, "%s: no angle at %g s", text, t);
    (void)NsSpinAcceleration(&spin, t);
    FuzzExpect(next > t, "%s: what comes next after %.17g s is at %.17g s", text, t, next);
    t = next < PETSC_MAX_REAL && i % 2 ? next : 2 * t + 1e-3;
  }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  (void)uselocale(newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)); /* as the program does */
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena *arena = NsArenaCreate();
  char    *text  = size ? FuzzText(data + 1, size - 1, arena) : FuzzText(data, 0, arena);
  double   x;

  if (size > sizeof(x)) {
    memcpy(&x, data + 1, sizeof(x));
    check_decimal(x);
  }
  check_number(text);
  check_quantity(text, dimensions[size ? data[0] % DIMENSIONS : 0], arena);
  check_time_function(text, arena);
  check_spin(text, arena);
  NsArenaDestroy(&arena);
  return 0;
}
