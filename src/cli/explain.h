/*
  The two commands that print tables, with any table as the root; and what `explain` finds, and how it looks on a page.
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
  const char      *also;    /* other paths of the same key, "" if there are none */
  const NsKey     *key;     /* or else */
  const NsVariant *variant; /* a type */
  NsExplainHit    *next;
};

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
