#include "reader.h"
#include "percuss/units.h"
#include <locale.h>
#include <math.h>

#define PI 3.14159265358979323846

static void accepts(const char *text, NsDimension dimension, double expected)
{
  char   message[256];
  double value;
  int    column, length;

  if (!NsParseQuantity(text, dimension, &value, message, sizeof(message), &column, &length)) fail_msg("'%s': %s", text, message);
  if (value != expected) fail_msg("'%s' gave %.17g, not %.17g", text, value, expected);
}

/* Within the rounding of a few products. */
static void accepts_nearly(const char *text, NsDimension dimension, double expected)
{
  char   message[256];
  double value;
  int    column, length;

  if (!NsParseQuantity(text, dimension, &value, message, sizeof(message), &column, &length)) fail_msg("'%s': %s", text, message);
  if (fabs(value - expected) > 4e-16 * fabs(expected)) fail_msg("'%s' gave %.17g, not %.17g", text, value, expected);
}

static void refuses(const char *text, NsDimension dimension, int column, int length, const char *expected)
{
  char   message[256];
  double value;
  int    from, size;

  if (NsParseQuantity(text, dimension, &value, message, sizeof(message), &from, &size)) fail_msg("'%s' was accepted as %g", text, value);
  assert_string_equal(message, expected);
  if (from != column || size != length) fail_msg("'%s': columns %d, %d, not %d, %d", text, from, size, column, length);
  assert_true(value == 0);
}

static void plain_numbers(void **state)
{
  (void)state;
  accepts("0", NS_DIM_LENGTH, 0);
  accepts("1.5", NS_DIM_NONE, 1.5);
  accepts("-1.5e-3", NS_DIM_NONE, -1.5e-3);
  accepts("+7", NS_DIM_PRESSURE, 7);
  accepts(".5", NS_DIM_NONE, .5);
  accepts("5.", NS_DIM_NONE, 5);
  accepts("1E+3", NS_DIM_NONE, 1000);
  accepts("  12  ", NS_DIM_NONE, 12);
  accepts("007", NS_DIM_NONE, 7);
  accepts("1e-310", NS_DIM_NONE, 1e-310);
  accepts("0.1", NS_DIM_NONE, 0.1);
  accepts("0e999999999999999999999", NS_DIM_NONE, 0);
}

static void units_of_each_kind(void **state)
{
  (void)state;
  accepts("210 GPa", NS_DIM_PRESSURE, 210e9);
  accepts("7800 kg/m^3", NS_DIM_DENSITY, 7800);
  accepts("7.8 t/m^3", NS_DIM_DENSITY, 7800);
  accepts("7.8 g/cm^3", NS_DIM_DENSITY, 7800);
  accepts("1e-3 kg*m^2", (NsDimension){2, 1, 0, 0}, 1e-3);
  accepts("10 N s/m", NS_DIM_DASHPOT, 10);
  accepts("10 N*s/m", NS_DIM_DASHPOT, 10);
  accepts("10 N\xc2\xb7s/m", NS_DIM_DASHPOT, 10);
  accepts("10 N * s / m", NS_DIM_DASHPOT, 10);
  accepts("3 m\xc2\xb2", NS_DIM_AREA, 3);
  accepts("3 kg/m\xc2\xb3", NS_DIM_DENSITY, 3);
  accepts("3 s^-1", NS_DIM_RATE, 3);
  accepts("3 1/s", NS_DIM_RATE, 3);
  accepts("3 1 / s", NS_DIM_RATE, 3);
  accepts("2 m s^-2", NS_DIM_ACCELERATION, 2);
  accepts("5 mm", NS_DIM_LENGTH, 5e-3);
  accepts("5 m", NS_DIM_LENGTH, 5);
  accepts("5 min", NS_DIM_TIME, 300);
  accepts("2 h", NS_DIM_TIME, 7200);
  accepts("5 ms", NS_DIM_TIME, 5e-3);
  accepts("5 us", NS_DIM_TIME, 5e-6);
  accepts("5 \xc2\xb5s", NS_DIM_TIME, 5e-6);
  accepts("5 \xce\xbcs", NS_DIM_TIME, 5e-6);
  accepts("1 in", NS_DIM_LENGTH, 0.0254);
  accepts("1 ft", NS_DIM_LENGTH, 0.3048);
  accepts("1 lbf", NS_DIM_FORCE, 4.4482216152605);
  accepts("1 psi", NS_DIM_PRESSURE, 6894.757293168361);
  accepts("4 mJ", (NsDimension){2, 1, -2, 0}, 4e-3);
  accepts("4 kW", (NsDimension){2, 1, -3, 0}, 4e3);
  accepts("3 m/m", NS_DIM_NONE, 3);
  /* the double nearest to the decimal number, not a product of two */
  accepts("0.1 us", NS_DIM_TIME, 0.1e-6);
  accepts("0.3 mm", NS_DIM_LENGTH, 0.3e-3);
  accepts("-0.7 cm^2", NS_DIM_AREA, -0.7e-4);
  accepts("1.1e3 um", NS_DIM_LENGTH, 1.1e-3);
  accepts_nearly("0.1000000000000000000000000000000000000000000000000001 mm", NS_DIM_LENGTH, 1e-4);
}

static void angles_need_a_unit(void **state)
{
  (void)state;
  accepts("2 rad", NS_DIM_ANGLE, 2);
  accepts("0", NS_DIM_ANGLE, 0);
  accepts("-0.0", NS_DIM_ANGULAR_VELOCITY, 0);
  refuses("2", NS_DIM_ANGLE, 0, 1, "an angle needs a unit: write 2 deg or 2 rad");
  refuses(" 50 ", NS_DIM_ANGULAR_VELOCITY, 1, 2, "frequencies and angular velocities need a unit: write 50 Hz, 50 rpm or 50 rad/s");
  refuses("1e-3", ((NsDimension){0, 0, 1, -1}), 0, 4, "a quantity in s/rad needs a unit, such as 1e-3 1/Hz");
  accepts_nearly("180 deg", NS_DIM_ANGLE, PI);
  accepts_nearly("3000 rpm", NS_DIM_ANGULAR_VELOCITY, 100 * PI);
  accepts_nearly("50 Hz", NS_DIM_ANGULAR_VELOCITY, 100 * PI);
  accepts_nearly("50 rev/s", NS_DIM_ANGULAR_VELOCITY, 100 * PI);
  accepts_nearly("2 kHz", NS_DIM_ANGULAR_VELOCITY, 4000 * PI);
  accepts("50 1/s", NS_DIM_ANGULAR_VELOCITY, 50);
  accepts("50 rad/s", NS_DIM_ANGULAR_VELOCITY, 50);
  accepts("7 N*m/rad", (NsDimension){2, 1, -2, -1}, 7);
  accepts("7 N*m", (NsDimension){2, 1, -2, -1}, 7);
  refuses("50 Hz", NS_DIM_RATE, 3, 2, "expected a rate, got Hz");
  refuses("3 rad", NS_DIM_NONE, 2, 3, "expected a number without unit, got rad");
  refuses("3 rad^2", NS_DIM_ANGLE, 2, 5, "expected an angle, got rad^2");
}

static void wrong_units(void **state)
{
  (void)state;
  refuses("5 kg", NS_DIM_LENGTH, 2, 2, "expected a length, got kg");
  refuses("5  N/m ", NS_DIM_PRESSURE, 3, 3, "expected a pressure, got N/m");
  refuses("5 m", NS_DIM_NONE, 2, 1, "expected a number without unit, got m");
  refuses("210 Gpa", NS_DIM_PRESSURE, 4, 3, "unknown unit 'Gpa'; did you mean 'GPa'?");
  refuses("210 mPa", NS_DIM_PRESSURE, 4, 3, "unknown unit 'mPa'; did you mean 'MPa'?");
  refuses("5 KG", NS_DIM_MASS, 2, 2, "unknown unit 'KG'; did you mean 'kg'?");
  refuses("5 RPM", NS_DIM_ANGULAR_VELOCITY, 2, 3, "unknown unit 'RPM'; did you mean 'rpm'?");
  refuses("5 Nm", NS_DIM_FORCE, 2, 2, "unknown unit 'Nm'; did you mean 'N*m'?");
  refuses("5 \xc2\xb0", NS_DIM_ANGLE, 2, 2, "unknown unit '\xc2\xb0'; did you mean 'deg'?");
  refuses("5 cd", NS_DIM_LENGTH, 2, 2, "unknown unit 'cd'");
  refuses("5 m/parsec", NS_DIM_VELOCITY, 4, 6, "unknown unit 'parsec'");
  refuses("5 kmin", NS_DIM_TIME, 2, 4, "unknown unit 'kmin'; did you mean 'min'?");
  refuses("5 m2", NS_DIM_AREA, 2, 2, "unknown unit 'm2'; write 'm^2'");
  refuses("5 m^", NS_DIM_AREA, 2, 2, "expected a power from -9 to 9 after 'm^'");
  refuses("5 m^10", NS_DIM_AREA, 2, 2, "expected a power from -9 to 9 after 'm^'");
  refuses("5 m^2.5", NS_DIM_AREA, 5, 1, "unexpected '.' in a unit");
  refuses("5 m/", NS_DIM_VELOCITY, 0, 4, "the unit ends too early");
  refuses("5 /s", NS_DIM_RATE, 2, 1, "expected a unit before '/' (write 1/s)");
  refuses("5 m//s", NS_DIM_RATE, 4, 1, "unexpected '/' in a unit");
  refuses("5 %", NS_DIM_NONE, 2, 1, "unexpected '%' in a unit");
  refuses("5 kg/(m s)", NS_DIM_NONE, 5, 1, "unexpected '(' in a unit");
  refuses("1 000", NS_DIM_NONE, 0, 3, "not a number: '1 0' (a number cannot contain blanks)");
  refuses("5 m m m m m m m m m m m m m", NS_DIM_NONE, 26, 1, "a unit of more than 12 factors");
  refuses("5 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NS_DIM_NONE, 2, 67,
    "unknown unit 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'");
}

static void wrong_numbers(void **state)
{
  (void)state;
  refuses("0,1", NS_DIM_NONE, 0, 3, "not a number: '0,1' (use a decimal point)");
  refuses("0,1 mm", NS_DIM_LENGTH, 0, 3, "not a number: '0,1' (use a decimal point)");
  refuses("1,000.5", NS_DIM_NONE, 0, 7, "not a number: '1,000.5' (digits cannot be grouped)");
  refuses("1_000", NS_DIM_NONE, 0, 5, "not a number: '1_000' (digits cannot be grouped)");
  refuses("1.2.3", NS_DIM_NONE, 0, 5, "not a number: '1.2.3' (more than one decimal point)");
  refuses("0x10", NS_DIM_NONE, 0, 4, "not a number: '0x10' (hexadecimal numbers are not supported)");
  refuses("1d3", NS_DIM_NONE, 0, 3, "not a number: '1d3' (write the exponent with e)");
  refuses("1e", NS_DIM_NONE, 0, 2, "not a number: '1e' (the exponent is incomplete)");
  refuses("1e+", NS_DIM_NONE, 0, 3, "not a number: '1e+' (the exponent is incomplete)");
  refuses("0.1s", NS_DIM_TIME, 0, 4, "not a number: '0.1s' (put a blank between number and unit)");
  refuses("210GPa", NS_DIM_PRESSURE, 0, 6, "not a number: '210GPa' (put a blank between number and unit)");
  refuses("2*3", NS_DIM_NONE, 0, 3, "not a number: '2*3' (write expressions as ${...})");
  refuses("nan", NS_DIM_NONE, 0, 3, "not a number: 'nan' (a finite one is needed)");
  refuses("-.INF", NS_DIM_NONE, 0, 5, "not a number: '-.INF' (a finite one is needed)");
  refuses("infinity", NS_DIM_NONE, 0, 8, "not a number: 'infinity' (a finite one is needed)");
  refuses("abc", NS_DIM_NONE, 0, 3, "not a number: 'abc'");
  refuses("GPa 210", NS_DIM_PRESSURE, 0, 3, "not a number: 'GPa'");
  refuses("", NS_DIM_NONE, 0, 0, "not a number: ''");
  refuses("-", NS_DIM_NONE, 0, 1, "not a number: '-'");
  refuses(".", NS_DIM_NONE, 0, 1, "not a number: '.'");
  refuses("e5", NS_DIM_NONE, 0, 2, "not a number: 'e5'");
  refuses("--1", NS_DIM_NONE, 0, 3, "not a number: '--1'");
  refuses("1e999", NS_DIM_NONE, 0, 5, "out of range: '1e999'");
  refuses("1e-999", NS_DIM_NONE, 0, 6, "out of range: '1e-999'");
  refuses("1e99999999999999999999", NS_DIM_NONE, 0, 22, "out of range: '1e99999999999999999999'");
  refuses("1e305 GPa", NS_DIM_PRESSURE, 0, 9, "out of range: '1e305 GPa'");
  refuses("1e-320 um", NS_DIM_LENGTH, 0, 9, "out of range: '1e-320 um'");
  refuses("1e99999999999999999999 mm", NS_DIM_LENGTH, 0, 25, "out of range: '1e99999999999999999999 mm'");
}

static void numbers_alone(void **state)
{
  double value;

  (void)state;
  assert_null(NsParseNumber("-2.5e3", &value));
  assert_true(value == -2500);
  assert_string_equal(NsParseNumber("0,1", &value), "not a number (use a decimal point)");
  assert_string_equal(NsParseNumber("1 m", &value), "not a number (put a blank between number and unit)");
  assert_string_equal(NsParseNumber(" 1", &value), "not a number");
  assert_string_equal(NsParseNumber("", &value), "not a number");
  assert_string_equal(NsParseNumber("1e400", &value), "out of range");
  assert_true(value == 0);
}

/* A buffer that is too small cuts the message and nothing else. */
static void short_message_buffer(void **state)
{
  char   message[8] = "zzzzzzz";
  double value;
  int    column, length;

  (void)state;
  assert_false(NsParseQuantity("5 kg", NS_DIM_LENGTH, &value, message, sizeof(message), &column, &length));
  assert_string_equal(message, "expecte");
}

static void names_of_dimensions(void **state)
{
  (void)state;
  assert_string_equal(NsDimensionName(NS_DIM_LENGTH), "a length");
  assert_string_equal(NsDimensionName(NS_DIM_PRESSURE), "a pressure");
  assert_string_equal(NsDimensionName(NS_DIM_NONE), "a number without unit");
  assert_string_equal(NsDimensionName((NsDimension){5, -2, 1, 0}), "a quantity in m^5*s/kg^2");
  assert_string_equal(NsDimensionUnit(NS_DIM_NONE), "");
  assert_string_equal(NsDimensionUnit(NS_DIM_DENSITY), "kg/m^3");
  assert_string_equal(NsDimensionUnit((NsDimension){0, 0, -3, 0}), "1/s^3");
}

/* What we print as a unit is a unit that we read. */
static void units_are_read_back(void **state)
{
  (void)state;
  for (int m = -5; m <= 5; ++m) {
    for (int kg = -2; kg <= 2; ++kg) {
      for (int s = -4; s <= 4; ++s) {
        for (int rad = -2; rad <= 2; ++rad) {
          const NsDimension dimension = {(signed char)m, (signed char)kg, (signed char)s, (signed char)rad};
          char              text[100];

          snprintf(text, sizeof(text), "3 %s", NsDimensionUnit(dimension));
          accepts(text, dimension, 3);
        }
      }
    }
  }
}

static void comma_locale_changes_nothing(void **state)
{
  static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};

  (void)state;
  for (size_t i = 0; i < 3 && !setlocale(LC_ALL, names[i]); ++i) continue;
  accepts("0.5 mm", NS_DIM_LENGTH, 0.5e-3);
  refuses("0,5 mm", NS_DIM_LENGTH, 0, 3, "not a number: '0,5' (use a decimal point)");
  setlocale(LC_ALL, "C");
}

/* Each symbol of the table with each of its prefixes means one thing, and its quantity has a name. */
static void every_symbol_is_read(void **state)
{
  static const char   letters[] = "numckMG";
  static const double tens[]    = {1e-9, 1e-6, 1e-3, 1e-2, 1e3, 1e6, 1e9};
  NsUnitSymbol        symbol, other;

  (void)state;
  for (int i = 0; NsUnitSymbolAt(i, &symbol); i++) {
    char text[32];
    if (!symbol.name[0] || symbol.factor <= 0) fail_msg("unit '%s' has a factor of %g", symbol.name, symbol.factor);
    if (!strncmp(NsDimensionName(symbol.dimension), "a quantity", 10))
      fail_msg("the dimension of unit '%s', %s, has no name in `known` of src/core/units.c", symbol.name, NsDimensionUnit(symbol.dimension));
    snprintf(text, sizeof(text), "1 %s", symbol.name);
    accepts_nearly(text, symbol.dimension, symbol.factor);
    for (const char *p = symbol.prefixes; *p; p++) {
      const char *letter = strchr(letters, *p);
      if (!letter) fail_msg("unit '%s' has the unknown prefix '%c'", symbol.name, *p);
      snprintf(text, sizeof(text), "1 %c%s", *p, symbol.name);
      accepts_nearly(text, symbol.dimension, tens[letter - letters] * symbol.factor);
      for (int j = 0; NsUnitSymbolAt(j, &other); j++) {
        if (!strcmp(other.name, text + 2)) fail_msg("'%s' is a unit, and '%s' with a prefix", other.name, symbol.name);
      }
    }
    for (int j = 0; j < i && NsUnitSymbolAt(j, &other); j++) {
      if (!strcmp(other.name, symbol.name)) fail_msg("unit '%s' is there twice", symbol.name);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(plain_numbers),
    cmocka_unit_test(units_of_each_kind),
    cmocka_unit_test(every_symbol_is_read),
    cmocka_unit_test(angles_need_a_unit),
    cmocka_unit_test(wrong_units),
    cmocka_unit_test(wrong_numbers),
    cmocka_unit_test(numbers_alone),
    cmocka_unit_test(short_message_buffer),
    cmocka_unit_test(names_of_dimensions),
    cmocka_unit_test(units_are_read_back),
    cmocka_unit_test(comma_locale_changes_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
