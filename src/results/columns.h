/*
  What is known of percuss's tables by their files and the names of their columns: from the tables of the writers (percuss/output.h).
*/
#pragma once
#include "percuss/arena.h"
#include <stdbool.h>

/* The first column of a table: "time" for "history.csv"; NULL: percuss writes no table of this name. file: without folders. */
const char *NsColumnFirst(const char *file);
/* Unit of a column of such a table, "" without one; NULL: not known. Only what follows the last dot of `name` counts: "m" for "bar.left.ux". */
const char *NsColumnUnit(const char *file, const char *name);
/* Whether it holds words: contacts, events, states. */
bool NsColumnOfWords(const char *file, const char *name);
/* Whether its values are sums over the steps since the previous row. */
bool NsColumnSums(const char *file, const char *name);
/* The column that is the rate of this one, "bar.left.vx" of "bar.left.ux"; NULL: no such column. */
const char *NsColumnRate(const char *file, const char *name, NsArena *arena);
