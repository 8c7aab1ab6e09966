/*
  A double as the shortest decimal text that reads back as the same double, independent of the locale.

  Plain notation where printf's %.17g would use it (1e-4 <= |x| < 1e17), else with an exponent: "0.1", "-12", "1e-07", "nan", "inf", "-0".
*/
#pragma once
#include <stdio.h>

#define NS_DECIMAL_SIZE 32 /* bytes that NsDecimal may touch: the longest text has 24 */

/* Writes no terminating NUL; returns the length. */
int NsDecimal(double x, char *text);
/* The same into a file; nothing for NAN, which is an empty field of a CSV file. */
void NsPutNumber(FILE *file, double value);
