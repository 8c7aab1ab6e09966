/*
  `percuss explain` and `percuss schema`, which print tables of keys, with any table as the root.
*/
#pragma once
#include <stdio.h>
#include "percuss/keys.h"
#include "percuss/scheme.h"

/* What `percuss explain WORD` prints; word NULL: the keys of the root. Returns 0, or 2 after a message on err. */
int NsExplain(const NsTable *root, const char *word, FILE *out, FILE *err);
/* The JSON Schema of what this table reads; false when it could not be written. */
bool NsSchemaWrite(const NsTable *root, FILE *out);

typedef struct NsExplainHit NsExplainHit;
struct NsExplainHit {
  const char      *path;    /* "contacts.restitution" */
  const char      *also;    /* other paths of the same key, or "" */
  const NsKey     *key;     /* or else */
  const NsVariant *variant; /* a type */
  NsExplainHit    *next;
};

/* Visits every key and type below a table; one of key and variant is NULL. */
typedef void NsExplainVisitor(void *context, const char *path, const NsKey *key, const NsVariant *variant);
void         NsExplainWalk(const NsTable *root, NsArena *arena, NsExplainVisitor *visit, void *context);
/* Prints the page whose name, help or text has this word, or a list if there are several. False: nothing found. roots ends with NULL. */
void NsExplainSeeAlso(
  const NsTable *const *roots, const char *word, NsArena *arena, FILE *out); /* the keys and types whose names contain the word, on one line */
bool NsExplainSearch(const NsTable *const *roots, const char *word, NsArena *arena, FILE *out);

#define NS_EXPLAIN_WIDTH 100 /* columns of a terminal */
/* Bytes of text that fit into so many columns, broken at a blank; a longer word goes whole. */
size_t NsExplainFit(const char *text, int width);
/* Text broken at blanks, and a line's end. `at`: the column where it begins, which further lines are indented to. */
void NsExplainWrap(FILE *out, int at, const char *text);

void NsExplainPage(const NsExplainHit *hit, NsArena *arena, FILE *out);
/* The keys of a config, a line each. */
void NsExplainRoot(const NsTable *root, FILE *out);
/* What `percuss explain schemes` prints: these schemes (NULL-terminated) side by side. */
void NsExplainSchemes(const NsSchemeType *const *types, FILE *out);
/* The tables of results ("results"), or one of them ("energy.csv"), with their columns. False: no such table. */
bool NsExplainResults(const char *word, FILE *out);
/* All tables with their columns, as JSON: name (a pattern where the model chooses names), unit (null: words), meaning. */
void NsExplainResultsJson(FILE *out);
/* The columns of results whose name or meaning has this word, with an empty line before them if `after`. False: nothing found. */
bool NsExplainColumns(const char *word, bool after, FILE *out);
/* Whether a word of the text, which may be NULL, begins like this. */
bool NsExplainContains(const char *text, const char *word);
/* All units, from the table that reads them. */
void NsExplainUnits(FILE *out);
/* A word that is a unit ("ft", "N/m"), and what it is in SI. False: it is not a unit. */
bool NsExplainUnit(const char *word, FILE *out);
