/*
  Numbers with units: "210 GPa", "1 us", "3000 rpm", "1e-3 kg*m^2", "10 N s/m", "-0.1 mm". A bare number is SI, except angles, angular velocities and frequencies, which need a unit unless they are 0.

  Grammar:  number [unit]      unit = factor {("*" | " " | "/") factor}      factor = [prefix]symbol["^"integer]   or "1" (as in 1/s)
  (also "·" for "*", and "²", "³"). Factors are taken from left to right: "N/m s" is N/m*s. Number and unit are two words: "0.1s" is an error.
  A number is read whole and independent of the locale; "0,1", "1_000", "1e999", "nan", "inf", "0x1" are errors.
  Powers of ten cost no rounding: "0.1 us" is the same double as "1e-7".
  Symbols: m g s rad deg rev N Pa J W Hz rpm min h t (tonne) in ft lbf psi cP; prefixes n u µ m c k M G where they make sense ("mPa" does not:
  it is a mistake for MPa).
  An angle is a dimension of its own, but `rad` may be left out: "1/s" is accepted for rad/s. rpm, Hz, rev and deg contain
  an angle (50 Hz = 100 pi rad/s), so they are errors where a plain rate in 1/s is expected (Rayleigh damping).
*/
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Exponents of m, kg, s and angle. */
typedef struct {
  signed char m, kg, s, rad;
} NsDimension;

#define NS_DIM_NONE             ((NsDimension){0, 0, 0, 0})
#define NS_DIM_LENGTH           ((NsDimension){1, 0, 0, 0})
#define NS_DIM_AREA             ((NsDimension){2, 0, 0, 0})
#define NS_DIM_MASS             ((NsDimension){0, 1, 0, 0})
#define NS_DIM_TIME             ((NsDimension){0, 0, 1, 0})
#define NS_DIM_RATE             ((NsDimension){0, 0, -1, 0})
#define NS_DIM_ANGLE            ((NsDimension){0, 0, 0, 1})
#define NS_DIM_ANGULAR_VELOCITY ((NsDimension){0, 0, -1, 1})
#define NS_DIM_VELOCITY         ((NsDimension){1, 0, -1, 0})
#define NS_DIM_ACCELERATION     ((NsDimension){1, 0, -2, 0})
#define NS_DIM_FORCE            ((NsDimension){1, 1, -2, 0})
#define NS_DIM_FORCE_PER_LENGTH ((NsDimension){0, 1, -2, 0})
#define NS_DIM_STIFFNESS        ((NsDimension){0, 1, -2, 0})
#define NS_DIM_DASHPOT          ((NsDimension){0, 1, -1, 0})
#define NS_DIM_PRESSURE         ((NsDimension){-1, 1, -2, 0})
#define NS_DIM_DENSITY          ((NsDimension){-3, 1, 0, 0})

/* What a user calls it: "a length", "a pressure"; "a number without unit" for NONE; built from the exponents if it has no name.
   Built ones (here and below) live until the eighth next call in this thread. */
const char *NsDimensionName(NsDimension dimension);
/* Its SI unit as the user would write it: "m", "kg/m^3", "Pa"; "" for NONE. */
const char *NsDimensionUnit(NsDimension dimension);

/* The i-th symbol and the i-th quantity that has a name ("a force", "N"), from 0, for lists; false after the last. */
typedef struct {
  const char *name, *prefixes; /* "Pa", "kMG" */
  double      factor;          /* 1 of it in SI */
  NsDimension dimension;
} NsUnitSymbol;
bool NsUnitSymbolAt(int i, NsUnitSymbol *symbol);
bool NsUnitQuantityAt(int i, const char **name, const char **unit);

/* Reads text as a value of this dimension, in SI. On failure returns false and puts a message such as "expected a length, got kg" or
   "not a number: '0,1' (use a decimal point)" into message; *column (from 0) and *length, bytes of
   text, say which part of it is wrong; they are set on failure only. */
bool NsParseQuantity(const char *text, NsDimension dimension, double *value, char *message, size_t message_size, int *column, int *length);
/* The same for any dimension; false: not a number with a unit. */
bool NsParseAnyQuantity(const char *text, NsDimension *dimension, double *value);
/* The number alone, whole text, locale-independent; NULL on success, else a message (static text): "not a number (use a decimal point)". */
const char *NsParseNumber(const char *text, double *value);
