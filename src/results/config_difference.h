/*
  Where two configs differ, key by key.
*/
#pragma once
#include "percuss/tree.h"

typedef struct NsConfigDifference NsConfigDifference;
struct NsConfigDifference {
  const char         *path;     /* "scheme.step" */
  const char         *value[2]; /* as YAML, in a line; NULL: not there */
  NsConfigDifference *next;
};

/* In the order of the first, then what the second alone has; NULL: none. The same quantity in other units ("0.1 ms", "100 us") is not a difference, nor is the order of
   keys. */
const NsConfigDifference *NsConfigDiffer(const NsNode *a, const NsNode *b, NsArena *arena);
/* Ratio of the two values where both are numbers above zero of one dimension ("100 us" to "50 us": 2); NAN else. */
double NsConfigRatio(const NsConfigDifference *difference);
/* Whether it is of what is written or called, and of no physics: title, output. */
bool NsConfigIsOutput(const NsConfigDifference *difference);
