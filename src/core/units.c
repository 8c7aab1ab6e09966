/*
  Quantities. Powers of ten in a unit are not multiplied but put into the number's exponent before it is converted, so "0.1 us" is the
  double nearest to 1e-7, the same one as "1e-7"; only units such as min, in or rpm cost a rounding.
*/
#include "percuss/units.h"
#include "percuss/diag.h"
#include "core/text.h"
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MAX_POWER = 9, MAX_FACTORS = 12, MAX_MANTISSA = 40, MAX_SYMBOL = 12 };

typedef struct {
  const char *name, *prefixes;
  int         tens; /* 1 of it is factor 10^tens in SI */
  double      factor;
  NsDimension dimension;
} Symbol;

/* Prefixes in use; others are more likely a mistake (mPa for MPa) and are refused. */
static const Symbol symbols[] = {
  {"m", "numck", 0, 1, {1, 0, 0, 0}},
  {"g", "umk", -3, 1, {0, 1, 0, 0}},
  {"s", "num", 0, 1, {0, 0, 1, 0}},
  {"rad", "um", 0, 1, {0, 0, 0, 1}},
  {"deg", "", 0, PI / 180, {0, 0, 0, 1}},
  {"rev", "", 0, 2 * PI, {0, 0, 0, 1}},
  {"N", "numkMG", 0, 1, {1, 1, -2, 0}},
  {"Pa", "kMG", 0, 1, {-1, 1, -2, 0}},
  {"J", "numkMG", 0, 1, {2, 1, -2, 0}},
  {"W", "umkMG", 0, 1, {2, 1, -3, 0}},
  {"Hz", "kMG", 0, 2 * PI, {0, 0, -1, 1}},
  {"rpm", "k", 0, 2 * PI / 60, {0, 0, -1, 1}},
  {"min", "", 0, 60, {0, 0, 1, 0}},
  {"h", "", 0, 3600, {0, 0, 1, 0}},
  {"t", "", 3, 1, {0, 1, 0, 0}},
  {"in", "", 0, 0.0254, {1, 0, 0, 0}},
  {"ft", "", 0, 0.3048, {1, 0, 0, 0}},
  {"lbf", "", 0, 4.4482216152605, {1, 1, -2, 0}},
  {"psi", "", 0, 6894.757293168361, {-1, 1, -2, 0}},
  {"cP", "", -3, 1, {-1, 1, -1, 0}},
};

static const struct {
  char name;
  int  tens;
} prefixes[] = {{'n', -9}, {'u', -6}, {'m', -3}, {'c', -2}, {'k', 3}, {'M', 6}, {'G', 9}};

/* What people write instead, where the nearest symbol would be wrong. */
static const char *const instead[][2] = {{"Nm", "N*m"}, {"kNm", "kN*m"}, {"Nmm", "N*mm"}, {"Ns", "N*s"}, {"Nms", "N*m*s"}, {"Pas", "Pa*s"},
  {"sec", "s"}, {"second", "s"}, {"seconds", "s"}, {"meter", "m"}, {"metre", "m"}, {"hr", "h"}, {"hour", "h"}, {"\xc2\xb0", "deg"}, {"degree", "deg"},
  {"degrees", "deg"}, {"radian", "rad"}, {"radians", "rad"}, {"lb", "lbf"}, {"Mg", "t"}};

static const struct {
  NsDimension dimension;
  const char *name, *unit;
} known[] = {
  {{0, 0, 0, 0}, "a number without unit", ""},
  {{1, 0, 0, 0}, "a length", "m"},
  {{2, 0, 0, 0}, "an area", "m^2"},
  {{3, 0, 0, 0}, "a volume", "m^3"},
  {{4, 0, 0, 0}, "a second moment of area", "m^4"},
  {{0, 1, 0, 0}, "a mass", "kg"},
  {{-1, 1, 0, 0}, "a mass per length", "kg/m"},
  {{-3, 1, 0, 0}, "a density", "kg/m^3"},
  {{2, 1, 0, 0}, "a moment of inertia", "kg*m^2"},
  {{1, 1, 0, 0}, "an unbalance", "kg*m"},
  {{0, 0, 1, 0}, "a time", "s"},
  {{0, 0, -1, 0}, "a rate", "1/s"},
  {{0, 0, 0, 1}, "an angle", "rad"},
  {{0, 0, -1, 1}, "an angular velocity", "rad/s"},
  {{0, 0, -2, 1}, "an angular acceleration", "rad/s^2"},
  {{1, 0, -1, 0}, "a velocity", "m/s"},
  {{1, 0, -2, 0}, "an acceleration", "m/s^2"},
  {{1, 1, -2, 0}, "a force", "N"},
  {{1, 1, -1, 0}, "an impulse", "N*s"},
  {{0, 1, -2, 0}, "a stiffness or force per length", "N/m"},
  {{0, 1, -1, 0}, "a damping constant", "N*s/m"},
  {{2, 1, -2, 0}, "a torque or energy", "N*m"},
  {{2, 1, -2, -1}, "a torsional stiffness", "N*m/rad"},
  {{2, 1, -1, -1}, "a torsional damping constant", "N*m*s/rad"},
  {{2, 1, -1, 0}, "an angular momentum", "N*m*s"},
  {{2, 1, -3, 0}, "a power", "W"},
  {{-1, 1, -2, 0}, "a pressure", "Pa"},
  {{-1, 1, -1, 0}, "a viscosity", "Pa*s"},
  {{-2, 1, -2, 0}, "a cubic stiffness", "N/m^3"},
};

enum { SYMBOLS = sizeof(symbols) / sizeof(*symbols), PREFIXES = sizeof(prefixes) / sizeof(*prefixes), KNOWN = sizeof(known) / sizeof(*known) };

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool same(NsDimension a, NsDimension b)
{
  return a.m == b.m && a.kg == b.kg && a.s == b.s && a.rad == b.rad;
}

/* Texts built on the fly live until this thread asks for the eighth next one. */
static char *scratch(void)
{
  static _Thread_local char     buffers[8][80];
  static _Thread_local unsigned turn;

  return buffers[turn++ % 8];
}

const char *NsDimensionUnit(NsDimension dimension)
{
  const char *const names[4]     = {"kg", "m", "s", "rad"};
  const int         exponents[4] = {dimension.kg, dimension.m, dimension.s, dimension.rad};
  char             *text, *end;

  for (int i = 0; i < KNOWN; ++i) {
    if (same(known[i].dimension, dimension)) return known[i].unit;
  }
  text = end = scratch();
  for (int i = 0; i < 4; ++i) {
    if (exponents[i] > 0) end += sprintf(end, exponents[i] > 1 ? "%s%s^%d" : "%s%s", end > text ? "*" : "", names[i], exponents[i]);
  }
  if (end == text) end += sprintf(end, "1");
  for (int i = 0; i < 4; ++i) {
    if (exponents[i] < 0) end += sprintf(end, exponents[i] < -1 ? "/%s^%d" : "/%s", names[i], -exponents[i]);
  }
  return text;
}

const char *NsDimensionName(NsDimension dimension)
{
  char *text;

  for (int i = 0; i < KNOWN; ++i) {
    if (same(known[i].dimension, dimension)) return known[i].name;
  }
  text = scratch();
  snprintf(text, 80, "a quantity in %s", NsDimensionUnit(dimension));
  return text;
}

bool NsUnitSymbolAt(int i, NsUnitSymbol *symbol)
{
  if (i >= SYMBOLS) return false;
  *symbol = (NsUnitSymbol){symbols[i].name, symbols[i].prefixes, symbols[i].factor * pow(10, symbols[i].tens), symbols[i].dimension};
  return true;
}

bool NsUnitQuantityAt(int i, const char **name, const char **unit)
{
  if (i >= KNOWN) return false;
  *name = known[i].name;
  *unit = known[i].unit;
  return true;
}

/* The longest number at text: [sign] digits [. digits] [e [sign] digits]; NULL if the text does not begin with a number. *exponent: the position of its "e". */
static const char *skip_number(const char *text, const char **exponent)
{
  const char *p      = text;
  int         digits = 0;

  if (*p == '+' || *p == '-') ++p;
  for (; is_digit(*p); ++p) ++digits;
  if (*p == '.') {
    for (++p; is_digit(*p); ++p) ++digits;
  }
  *exponent = p;
  if (!digits) return NULL;
  if (*p == 'e' || *p == 'E') {
    const char *q = p + 1;

    if (*q == '+' || *q == '-') ++q;
    if (!is_digit(*q)) return p;
    while (is_digit(*q)) ++q;
    return q;
  }
  return p;
}

static bool starts_with(const char *text, const char *small)
{
  for (; *small; ++small, ++text) {
    if ((*text | 32) != *small) return false;
  }
  return true;
}

/* Why these bytes are not a number: the fault, and in brackets advice. */
static const char *number_fault(const char *text, size_t size)
{
  const char *end = text + size, *exponent, *rest = skip_number(text, &exponent);
  const char *word = text + (size && (*text == '-' || *text == '+'));

  if (!rest) {
    if (*word == '.') ++word; /* YAML's own .nan and .inf */
    if (starts_with(word, "$(")) return "not a number (write expressions as ${...})";
    if (end - word >= 3 && (starts_with(word, "nan") || starts_with(word, "inf"))) return "not a number (a finite one is needed)";
    return "not a number";
  }
  if (rest > end) rest = end;
  if (rest == end) return NULL;
  if (*rest == ',')
    return memchr(text, '.', size) || memchr(rest + 1, ',', (size_t)(end - rest - 1)) ? "not a number (digits cannot be grouped)"
                                                                                      : "not a number (use a decimal point)";
  if (*rest == '_' || *rest == '\'') return "not a number (digits cannot be grouped)";
  if (*rest == '.') return "not a number (more than one decimal point)";
  if ((*rest == 'x' || *rest == 'X') && rest == word + 1 && *word == '0') return "not a number (hexadecimal numbers are not supported)";
  if (*rest == '*' || *rest == '/' || *rest == '+' || *rest == '-') return "not a number (write expressions as ${...})";
  if (*rest == 'd' || *rest == 'D') {
    const char *p = rest + 1;

    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p < end && is_digit(*p)) return "not a number (write the exponent with e)";
  }
  if (*rest == 'e' || *rest == 'E') return "not a number (the exponent is incomplete)";
  return "not a number (put a blank between number and unit)";
}

static locale_t c_locale(void)
{
  static locale_t locale;

  if (!locale) locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!locale) abort(); /* the C locale is always there */
  return locale;
}

/* The number that ends at `end`, times 10^tens, rounded once if its mantissa has at most MAX_MANTISSA bytes. False: too large or too small for a double. */
static bool convert(const char *text, const char *end, int tens, double *value)
{
  const char  *exponent;
  const size_t mantissa = (skip_number(text, &exponent), (size_t)(exponent - text));
  bool         zero     = true;

  for (const char *p = text; p < exponent; ++p) zero = zero && !(*p >= '1' && *p <= '9');
  if (tens && mantissa <= MAX_MANTISSA) {
    char buffer[MAX_MANTISSA + 32];
    long power = exponent < end ? strtol(exponent + 1, NULL, 10) : 0;

    if (power > 100000) power = 100000;
    if (power < -100000) power = -100000;
    snprintf(buffer, sizeof(buffer), "%.*se%ld", (int)mantissa, text, power + tens);
    *value = strtod_l(buffer, NULL, c_locale());
  } else {
    *value = strtod_l(text, NULL, c_locale()) * pow(10, tens);
  }
  return isfinite(*value) && (zero || *value != 0);
}

const char *NsParseNumber(const char *text, double *value)
{
  const size_t size  = strlen(text);
  const char  *fault = number_fault(text, size);

  *value = 0;
  if (fault) return fault;
  if (convert(text, text + size, 0, value)) return NULL;
  *value = 0;
  return "out of range";
}

typedef struct {
  int    exponents[4]; /* m, kg, s, rad */
  int    tens;
  double factor;
} Unit;

typedef struct {
  const char *text;
  char       *message;
  size_t      size;
  int        *column, *length;
} Report;

static __attribute__((format(printf, 4, 5))) bool fail(const Report *report, const char *from, const char *to, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(report->message, report->size, format, arguments);
  va_end(arguments);
  *report->column = (int)(from - report->text);
  *report->length = (int)(to - from);
  return false;
}

/* Bytes of a micro sign (U+00B5) or a Greek mu (U+03BC); both are typed for micro. */
static int micro(const char *p)
{
  return !strncmp(p, "\xc2\xb5", 2) || !strncmp(p, "\xce\xbc", 2) ? 2 : 0;
}

static int times_sign(const char *p)
{
  return *p == '*' ? 1 : !strncmp(p, "\xc2\xb7", 2) ? 2 : 0;
}

static bool is_letter(const char *p)
{
  if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) return true;
  if (!strncmp(p, "\xc2\xb2", 2) || !strncmp(p, "\xc2\xb3", 2)) return false; /* squared, cubed */
  return (unsigned char)*p >= 0x80 && !times_sign(p);
}

static const Symbol *find_symbol(const char *word, int *tens)
{
  *tens = 0;
  for (int i = 0; i < SYMBOLS; ++i) {
    if (!strcmp(word, symbols[i].name)) return &symbols[i]; /* whole words first: min is a minute */
  }
  for (int i = 0; i < SYMBOLS; ++i) {
    if (!*word || strcmp(word + 1, symbols[i].name) || !strchr(symbols[i].prefixes, *word)) continue;
    for (int k = 0; k < PREFIXES; ++k) {
      if (prefixes[k].name == *word) *tens = prefixes[k].tens;
    }
    return &symbols[i];
  }
  return NULL;
}

static const char *nearest_symbol(const char *word)
{
  enum { MOST = SYMBOLS * (PREFIXES + 1) };
  static _Thread_local char names[MOST][MAX_SYMBOL];
  const char               *list[MOST + 1];
  int                       count = 0;

  for (size_t i = 0; i < sizeof(instead) / sizeof(*instead); ++i) {
    if (!strcmp(word, instead[i][0])) return instead[i][1];
  }
  for (int i = 0; i < SYMBOLS; ++i) {
    list[count++] = symbols[i].name;
    for (const char *prefix = symbols[i].prefixes; *prefix; ++prefix) {
      snprintf(names[count], MAX_SYMBOL, "%c%s", *prefix, symbols[i].name);
      list[count] = names[count];
      ++count;
    }
  }
  list[count] = NULL;
  return NsNearestWord(word, list);
}

static bool unknown_unit(const Report *report, const char *from, const char *to)
{
  char        word[64];
  const char *nearest = NULL;

  if (to - from < (long)sizeof(word)) {
    snprintf(word, sizeof(word), "%.*s", (int)(to - from), from);
    nearest = nearest_symbol(word);
  }
  return fail(
    report, from, to, "unknown unit '%.*s%s'%s", NsTextFit(from, (size_t)(to - from), 40), from, to - from > 40 ? "..." : "", NsDidYouMean(nearest));
}

static bool unexpected(const Report *report, const char *p)
{
  unsigned  code;
  const int length = NsTextDecode(p, p + strlen(p), &code);

  return fail(report, p, p + (length ? length : 1), "unexpected '%.*s' in a unit", length ? length : 1, p);
}

/* "^"integer, or a raised 2 or 3; 1 when there is neither. */
static bool parse_power(const Report *report, const char *factor, const char **text, int *power)
{
  const char *p    = *text;
  int         sign = 1;

  *power = 1;
  if (is_digit(*p)) {
    while (is_digit(*p)) ++p;
    return fail(report, factor, p, "unknown unit '%.*s'; write '%.*s^%.*s'", (int)(p - factor), factor, (int)(*text - factor), factor,
      NsTextFit(*text, (size_t)(p - *text), 8), *text);
  }
  if (!strncmp(p, "\xc2\xb2", 2) || !strncmp(p, "\xc2\xb3", 2)) {
    *power = p[1] == '\xb2' ? 2 : 3;
    *text  = p + 2;
    return true;
  }
  if (*p != '^') return true;
  ++p;
  if (*p == '-' || *p == '+') sign = *p++ == '-' ? -1 : 1;
  if (!is_digit(*p) || is_digit(p[1]) || *p - '0' > MAX_POWER) {
    return fail(report, factor, *text + 1, "expected a power from -%d to %d after '%.*s'", MAX_POWER, MAX_POWER, (int)(*text + 1 - factor), factor);
  }
  *power = sign * (*p - '0');
  *text  = p + 1;
  return true;
}

static bool parse_factor(const Report *report, const char **text, int sign, bool first, Unit *unit)
{
  const char   *p = *text, *from = p;
  char          word[MAX_SYMBOL] = "";
  size_t        size             = 0;
  const Symbol *symbol;
  int           tens, power;

  if (first && *p == '1') { /* 1/s */
    const char *q = p + 1;

    while (is_blank(*q)) ++q;
    if (*q == '/') {
      *text = p + 1;
      return true;
    }
  }
  if (is_digit(*p))
    return fail(report, report->text, p + 1, "not a number: '%.*s' (a number cannot contain blanks)", (int)(p + 1 - report->text), report->text);
  if (!*p) return fail(report, report->text, p, "the unit ends too early");
  if (first && *p == '/') return fail(report, p, p + 1, "expected a unit before '/' (write 1/s)");
  if (!is_letter(p)) return unexpected(report, p);
  while (is_letter(p)) {
    const int length = micro(p);

    if (size + 1 < sizeof(word)) word[size] = length ? 'u' : *p;
    ++size;
    p += length ? length : 1;
  }
  symbol = size < sizeof(word) ? find_symbol(word, &tens) : NULL;
  if (!symbol) return unknown_unit(report, from, p);
  *text = p;
  if (!parse_power(report, from, text, &power)) return false;
  power *= sign;
  unit->tens += power * (tens + symbol->tens);
  for (int i = 0; i < abs(power); ++i) unit->factor = power > 0 ? unit->factor * symbol->factor : unit->factor / symbol->factor;
  unit->exponents[0] += power * symbol->dimension.m;
  unit->exponents[1] += power * symbol->dimension.kg;
  unit->exponents[2] += power * symbol->dimension.s;
  unit->exponents[3] += power * symbol->dimension.rad;
  return true;
}

static bool parse_unit(const Report *report, const char *text, const char *end, Unit *unit)
{
  int sign = 1;

  for (int factors = 0;; ++factors) {
    const char *p;

    if (factors == MAX_FACTORS) return fail(report, text, end, "a unit of more than %d factors", MAX_FACTORS);
    if (!parse_factor(report, &text, sign, factors == 0, unit)) return false;
    for (p = text; is_blank(*p); ++p) continue;
    if (p >= end) return true;
    sign = 1;
    if (*p == '/') {
      sign = -1;
      ++p;
    } else if (times_sign(p)) {
      p += times_sign(p);
    } else if (p == text) {
      return unexpected(report, p);
    }
    while (is_blank(*p)) ++p;
    text = p;
  }
}

/* A bare number that counts angles: nobody can tell degrees from radians, or Hz from rad/s. */
static bool needs_unit(const Report *report, const char *start, const char *stop, NsDimension wanted)
{
  const bool  angle = wanted.rad == 1 && wanted.s == 0, speed = wanted.rad == 1 && wanted.s == -1;
  const char *unit = NsDimensionUnit(wanted);
  const int   size = NsTextFit(start, (size_t)(stop - start), 40);

  if (angle) return fail(report, start, stop, "an angle needs a unit: write %.*s deg or %.*s rad", size, start, size, start);
  if (speed)
    return fail(report, start, stop, "frequencies and angular velocities need a unit: write %.*s Hz, %.*s rpm or %.*s rad/s", size, start, size,
      start, size, start);
  if (wanted.rad == -1 && wanted.s == 1) unit = "1/Hz";
  return fail(report, start, stop, "%s needs a unit, such as %.*s %s", NsDimensionName(wanted), size, start, unit);
}

/* wanted: NULL takes any dimension. */
static bool parse_quantity(const Report *report, const NsDimension *wanted, NsDimension *got, double *value)
{
  Unit        unit = {{0}, 0, 1};
  const char *text = report->text, *end = text + strlen(text), *start, *stop, *from, *fault;

  *value = 0;
  if (report->size) *report->message = 0;
  for (start = text; is_blank(*start); ++start) continue;
  while (end > start && is_blank(end[-1])) --end;
  for (stop = start; stop < end && !is_blank(*stop); ++stop) continue;
  fault = number_fault(start, (size_t)(stop - start));
  if (fault) {
    const char  *advice = strchr(fault, '(');
    const size_t size   = (size_t)(stop - start);

    return fail(report, start, stop, "not a number: '%.*s%s'%s%s", NsTextFit(start, size, 40), start, size > 40 ? "..." : "", advice ? " " : "",
      advice ? advice : "");
  }
  for (from = stop; from < end && is_blank(*from); ++from) continue;
  if (from < end) {
    const size_t size = (size_t)(end - from);

    if (!parse_unit(report, from, end, &unit)) return false;
    for (int i = 0; wanted && i < 4; ++i) {
      const int exponents[4] = {wanted->m, wanted->kg, wanted->s, wanted->rad};

      if (unit.exponents[i] == exponents[i] || (i == 3 && !unit.exponents[i])) continue; /* radians may be left out */
      return fail(report, from, end, "expected %s, got %.*s%s", NsDimensionName(*wanted), NsTextFit(from, size, 40), from, size > 40 ? "..." : "");
    }
  }
  *got =
    (NsDimension){(signed char)unit.exponents[0], (signed char)unit.exponents[1], (signed char)unit.exponents[2], (signed char)unit.exponents[3]};
  if (convert(start, stop, unit.tens, value)) {
    const bool zero = *value == 0;

    if (wanted && wanted->rad && !wanted->m && !wanted->kg && from == end && !zero) {
      *value = 0;
      return needs_unit(report, start, stop, *wanted);
    }
    *value *= unit.factor;
    if (isfinite(*value) && (zero || *value != 0)) return true;
  }
  *value = 0;
  return fail(report, start, end, "out of range: '%.*s%s'", NsTextFit(start, (size_t)(end - start), 40), start, end - start > 40 ? "..." : "");
}

bool NsParseQuantity(const char *text, NsDimension dimension, double *value, char *message, size_t message_size, int *column, int *length)
{
  const Report report = {text, message, message_size, column, length};
  NsDimension  got;

  return parse_quantity(&report, &dimension, &got, value);
}

bool NsParseAnyQuantity(const char *text, NsDimension *dimension, double *value)
{
  char         message[256];
  int          column, length;
  const Report report = {text, message, sizeof(message), &column, &length};

  return parse_quantity(&report, NULL, dimension, value);
}
