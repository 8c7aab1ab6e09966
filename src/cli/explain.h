/*
  The two commands that print tables, with any table as the root; and what `explain` finds, and how it looks on a page.
*/
#pragma once
#include <stdio.h>
#include "percuss/keys.h"

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

void NsExplainPage(const NsExplainHit *hit, NsArena *arena, FILE *out);
/* The keys of a config, a line each. */
void NsExplainRoot(const NsTable *root, FILE *out);
