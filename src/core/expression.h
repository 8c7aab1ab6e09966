/*
  Arithmetic with units, as `${...}` in a config has it: "2*(length + 1 mm)/sqrt(3)".

  Grammar:  sum = product {("+" | "-") product}      product = signed {("*" | "/") signed}      signed = {"+" | "-"} power
            power = atom ["^" signed]                atom = number [unit] | name | function "(" sum {"," sum} ")" | "(" sum ")"

  A unit belongs to the number before it, as far as it goes: "1 N/2 mm" is (1 N)/(2 mm), "3 N/m*x" is (3 N/m)*x; where the word behind `*` or `/` is a name, too, the
  text is refused. Angles are forgiving, as everywhere (units.h).
*/
#pragma once
#include "percuss/units.h"

typedef struct {
  double      value; /* SI */
  NsDimension dimension;
} NsQuantity;

/* The value of a name. False: it has none; a message is made here then, or by the caller where `message` stays empty. */
typedef bool NsNameValue(void *context, const char *name, NsQuantity *value, char *message, size_t message_size);

/* False: message says why; column and length (bytes of text, from 0) say where. */
bool NsExpressionValue(
  const char *text, NsNameValue *value_of, void *context, NsQuantity *result, char *message, size_t message_size, int *column, int *length);
/* Whether a name means something else in an expression. Says what: "a function". NULL: it is free. */
const char *NsExpressionReserves(const char *name);
