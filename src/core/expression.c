#include "core/expression.h"
#include "percuss/diag.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_POWER = 9, MOST_WORD = 64, MOST_ARGUMENTS = 8 };

typedef enum { SAME, ANGLE, PLAIN, ROOT, TO_ANGLE } Rule;

/* SAME: arguments of one dimension, which the result has; ANGLE: of an angle; PLAIN: of a number without unit; TO_ANGLE: the result is an angle. */
static const struct {
  const char *name;
  Rule        rule;
  int         least, most; /* arguments */
  double (*of)(double);
} functions[] = {
  {"sqrt", ROOT, 1, 1, sqrt},
  {"abs", SAME, 1, 1, fabs},
  {"min", SAME, 1, MOST_ARGUMENTS, NULL},
  {"max", SAME, 1, MOST_ARGUMENTS, NULL},
  {"sin", ANGLE, 1, 1, sin},
  {"cos", ANGLE, 1, 1, cos},
  {"tan", ANGLE, 1, 1, tan},
  {"asin", TO_ANGLE, 1, 1, asin},
  {"acos", TO_ANGLE, 1, 1, acos},
  {"atan", TO_ANGLE, 1, 1, atan},
  {"atan2", SAME, 2, 2, NULL},
  {"mod", SAME, 2, 2, NULL},
  {"exp", PLAIN, 1, 1, exp},
  {"log", PLAIN, 1, 1, log},
  {"floor", PLAIN, 1, 1, floor},
  {"ceil", PLAIN, 1, 1, ceil},
  {"round", PLAIN, 1, 1, round},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

typedef struct {
  const char  *text, *at;
  NsNameValue *value_of;
  void        *context;
  char        *message;
  size_t       size;
  int         *column, *length;
  int          depth;
} Reader;

static bool sum(Reader *r, NsQuantity *result);

static __attribute__((format(printf, 4, 5))) bool fail(Reader *r, const char *from, const char *to, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(r->message, r->size, format, arguments);
  va_end(arguments);
  *r->column = (int)(from - r->text);
  *r->length = (int)(to - from);
  return false;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static void skip_blanks(Reader *r)
{
  while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool equal(NsDimension a, NsDimension b)
{
  return a.m == b.m && a.kg == b.kg && a.s == b.s && (a.rad == b.rad || !a.rad || !b.rad);
}

static bool is_plain(NsDimension a)
{
  return equal(a, NS_DIM_NONE);
}

static bool check(Reader *r, const char *from, NsQuantity *x)
{
  if (isfinite(x->value)) return true;
  return fail(r, from, r->at, "the result is not finite");
}

/* a*b^power. */
static bool multiply(Reader *r, const char *from, NsQuantity *a, NsQuantity b, int power)
{
  const int e[4] = {a->dimension.m + power * b.dimension.m, a->dimension.kg + power * b.dimension.kg, a->dimension.s + power * b.dimension.s,
    a->dimension.rad + power * b.dimension.rad};

  for (int i = 0; i < 4; i++) {
    if (e[i] > 2 * MOST_POWER || e[i] < -2 * MOST_POWER) return fail(r, from, r->at, "a unit to a power of more than %d", 2 * MOST_POWER);
  }
  a->dimension = (NsDimension){(signed char)e[0], (signed char)e[1], (signed char)e[2], (signed char)e[3]};
  return true;
}

/* ---- atoms ------------------------------------------------------------------------------------------------------------------------------------------- */

/* The end of a word of a unit with its power; NULL: there is none. Bytes from 0x80 on are signs such as micro and the raised 2. */
static const char *unit_word(const char *p)
{
  const char *from = p;

  while (is_letter(*p) || (unsigned char)*p >= 0x80) p++;
  if (p == from) return NULL;
  if (*p == '^') {
    const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
    if (!is_digit(*q)) return p;
    while (is_digit(*q)) q++;
    return q;
  }
  return p;
}

static bool is_quantity(const char *from, const char *to, NsQuantity *x)
{
  char text[256];

  if ((size_t)(to - from) >= sizeof(text)) return false;
  memcpy(text, from, (size_t)(to - from));
  text[to - from] = 0;
  return NsParseAnyQuantity(text, &x->dimension, &x->value);
}

/* The end of the next factor of a unit: "m", "1/s" at first, then "/s", "* s", " s". NULL: there is none. */
static const char *next_factor(const char *p, bool first)
{
  const char *q   = p + strspn(p, " \t");
  const bool  one = first && *q == '1';

  if (q == p && (first || (*q != '*' && *q != '/'))) return NULL;
  if (one) q += 1 + strspn(q + 1, " \t");
  if (one && *q != '/') return NULL;
  if (*q == '/' || (*q == '*' && !first)) q += 1 + strspn(q + 1, " \t");
  return unit_word(q);
}

/* "3 N*h": a force times a time, or times a parameter named h? */
static bool is_ambiguous(Reader *r, const char *from, const char *to)
{
  char       word[MOST_WORD], message[320] = "";
  NsQuantity value;

  from += strspn(from, " \t");
  if (*from != '*' && *from != '/') return false;
  from += 1 + strspn(from + 1, " \t");
  (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(from, "^ */()"), from);
  if (from + strlen(word) > to || !r->value_of(r->context, word, &value, message, sizeof(message))) return false;
  return !fail(r, from, to, "'%s' is both a unit and a parameter; write the number before it in parentheses", word);
}

/* A number, and the words after it as far as they are a unit. */
static bool number(Reader *r, NsQuantity *x)
{
  const char *from = r->at, *end = from + strspn(from, "0123456789.");

  if (*end == 'e' || *end == 'E') {
    const char *q = end + 1 + (end[1] == '-' || end[1] == '+');
    if (is_digit(*q)) end = q + strspn(q, "0123456789");
  }
  if (is_letter(*end)) return fail(r, from, end + 1, "not a number: '%.*s' (put a blank between number and unit)", (int)(end + 1 - from), from);
  if (!is_quantity(from, end, x)) return fail(r, from, end, "not a number: '%.*s'", (int)(end - from), from);
  r->at = end;
  for (const char *next = next_factor(end, true); next && is_quantity(from, next, x); next = next_factor(next, false)) {
    if (is_ambiguous(r, r->at, next)) return false;
    r->at = next;
  }
  return is_quantity(from, r->at, x);
}

static const char *nearest_function(const char *word)
{
  const char *names[FUNCTIONS + 1];

  for (int i = 0; i < FUNCTIONS; i++) names[i] = functions[i].name;
  names[FUNCTIONS] = NULL;
  return NsNearestWord(word, names);
}

static double combine(const char *name, const NsQuantity *x, int count)
{
  double result = x[0].value;

  if (!strcmp(name, "atan2")) return atan2(x[0].value, x[1].value);
  if (!strcmp(name, "mod")) return x[0].value - x[1].value * floor(x[0].value / x[1].value);
  for (int i = 1; i < count; i++) result = !strcmp(name, "min") ? fmin(result, x[i].value) : fmax(result, x[i].value);
  return result;
}

static bool apply(Reader *r, int f, const char *from, const NsQuantity *x, int count, NsQuantity *result)
{
  const NsDimension d = x[0].dimension;

  result->value     = functions[f].of ? functions[f].of(x[0].value) : combine(functions[f].name, x, count);
  result->dimension = NS_DIM_NONE;
  for (int i = 1; i < count; i++) {
    if (!equal(d, x[i].dimension))
      return fail(
        r, from, r->at, "%s needs arguments of one dimension, not %s and %s", functions[f].name, NsDimensionName(d), NsDimensionName(x[i].dimension));
  }
  switch (functions[f].rule) {
  case SAME: result->dimension = !strcmp(functions[f].name, "atan2") ? NS_DIM_ANGLE : d; break;
  case ROOT:
    if (d.m % 2 || d.kg % 2 || d.s % 2 || d.rad % 2) return fail(r, from, r->at, "sqrt cannot be applied to %s", NsDimensionName(d));
    result->dimension = (NsDimension){(signed char)(d.m / 2), (signed char)(d.kg / 2), (signed char)(d.s / 2), (signed char)(d.rad / 2)};
    break;
  case ANGLE:
  case PLAIN:
  case TO_ANGLE:
    if (!is_plain(d)) return fail(r, from, r->at, "%s cannot be applied to %s", functions[f].name, NsDimensionName(d));
    if (functions[f].rule == TO_ANGLE) result->dimension = NS_DIM_ANGLE;
  }
  return check(r, from, result);
}

static bool call(Reader *r, const char *word, const char *from, NsQuantity *result)
{
  NsQuantity x[MOST_ARGUMENTS];
  int        f = 0, count = 0;

  while (f < FUNCTIONS && strcmp(functions[f].name, word)) f++;
  if (f == FUNCTIONS) return fail(r, from, r->at, "unknown function '%s'%s", word, NsDidYouMean(nearest_function(word)));
  do {
    r->at++;
    if (count == functions[f].most) return fail(r, from, r->at, "%s takes %d argument%s", word, functions[f].most, functions[f].most > 1 ? "s" : "");
    if (!sum(r, &x[count++])) return false;
  } while (*r->at == ',');
  if (*r->at != ')') return fail(r, r->at, r->at + (*r->at != 0), "expected ')' after the arguments of %s", word);
  r->at++;
  if (count < functions[f].least) return fail(r, from, r->at, "%s takes %d arguments", word, functions[f].least);
  return apply(r, f, from, x, count, result);
}

static bool name(Reader *r, NsQuantity *result)
{
  const char *from = r->at;
  char        word[MOST_WORD];

  while (is_letter(*r->at) || is_digit(*r->at)) r->at++;
  if ((size_t)(r->at - from) >= sizeof(word)) return fail(r, from, r->at, "a name of more than %d letters", MOST_WORD - 1);
  memcpy(word, from, (size_t)(r->at - from));
  word[r->at - from] = 0;
  skip_blanks(r);
  if (*r->at == '(') return call(r, word, from, result);
  if (!strcmp(word, "pi")) {
    *result = (NsQuantity){3.14159265358979323846, NS_DIM_NONE};
    return true;
  }
  *r->message = 0;
  if (r->value_of(r->context, word, result, r->message, r->size)) return true;
  *r->column = (int)(from - r->text);
  *r->length = (int)strlen(word);
  return false;
}

static bool atom(Reader *r, NsQuantity *result)
{
  if (is_digit(*r->at) || *r->at == '.') return number(r, result);
  if (is_letter(*r->at)) return name(r, result);
  if (*r->at == '(') {
    r->at++;
    if (!sum(r, result)) return false;
    if (*r->at != ')') return fail(r, r->at, r->at + (*r->at != 0), "expected ')'");
    r->at++;
    return true;
  }
  return fail(r, r->at, r->at + (*r->at != 0), "expected a number or a name");
}

/* ---- operators --------------------------------------------------------------------------------------------------------------------------------------- */

static bool signed_power(Reader *r, NsQuantity *result);

static bool power(Reader *r, NsQuantity *result)
{
  const char *from = r->at;
  NsQuantity  exponent, base;

  if (!atom(r, result)) return false;
  skip_blanks(r);
  if (*r->at != '^') return true;
  r->at++;
  base = *result;
  if (!signed_power(r, &exponent)) return false;
  if (!is_plain(exponent.dimension)) return fail(r, from, r->at, "an exponent has no unit; got %s", NsDimensionName(exponent.dimension));
  result->value     = pow(base.value, exponent.value);
  result->dimension = NS_DIM_NONE;
  if (memcmp(&base.dimension, &result->dimension, sizeof(base.dimension))) {
    if (exponent.value != rint(exponent.value) || fabs(exponent.value) > MOST_POWER)
      return fail(r, from, r->at, "%s can only have integer powers up to %d", NsDimensionName(base.dimension), MOST_POWER);
    if (!multiply(r, from, result, base, (int)exponent.value)) return false;
  }
  return check(r, from, result);
}

static bool signed_power(Reader *r, NsQuantity *result)
{
  bool negative = false;

  if (++r->depth > MOST_DEPTH) return fail(r, r->at, r->at + 1, "nested deeper than %d levels", MOST_DEPTH);
  for (skip_blanks(r); *r->at == '-' || *r->at == '+'; skip_blanks(r)) negative ^= *r->at++ == '-';
  if (!power(r, result)) return false;
  r->depth--;
  if (negative) result->value = -result->value;
  return true;
}

static bool product(Reader *r, NsQuantity *result)
{
  const char *from = r->at;
  NsQuantity  b;

  if (!signed_power(r, result)) return false;
  for (skip_blanks(r); *r->at == '*' || *r->at == '/'; skip_blanks(r)) {
    const bool divides = *r->at++ == '/';

    if (!signed_power(r, &b) || !multiply(r, from, result, b, divides ? -1 : 1)) return false;
    result->value = divides ? result->value / b.value : result->value * b.value;
    if (!check(r, from, result)) return false;
  }
  return true;
}

static bool sum(Reader *r, NsQuantity *result)
{
  const char *from = r->at;
  NsQuantity  b;

  if (!product(r, result)) return false;
  while (*r->at == '+' || *r->at == '-') {
    const bool minus = *r->at++ == '-';

    if (!product(r, &b)) return false;
    if (!equal(result->dimension, b.dimension))
      return minus ? fail(r, from, r->at, "cannot subtract %s from %s", NsDimensionName(b.dimension), NsDimensionName(result->dimension))
                   : fail(r, from, r->at, "cannot add %s and %s", NsDimensionName(result->dimension), NsDimensionName(b.dimension));
    if (!result->dimension.rad) result->dimension = b.dimension;
    result->value += minus ? -b.value : b.value;
    if (!check(r, from, result)) return false;
  }
  return true;
}

bool NsExpressionValue(
  const char *text, NsNameValue *value_of, void *context, NsQuantity *result, char *message, size_t message_size, int *column, int *length)
{
  Reader r = {text, text, value_of, context, message, message_size, column, length, 0};

  *message = 0;
  *column = *length = 0;
  if (!sum(&r, result)) return false;
  if (*r.at) return fail(&r, r.at, r.at + 1, is_letter(*r.at) ? "expected an operator before '%c'" : "unexpected '%c'", *r.at);
  return true;
}

const char *NsExpressionReserves(const char *name)
{
  if (!strcmp(name, "pi")) return "the number pi";
  for (int i = 0; i < FUNCTIONS; i++) {
    if (!strcmp(name, functions[i].name)) return "a function";
  }
  return NULL;
}
