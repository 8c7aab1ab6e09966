/*
  The reader of tables in two files: keys.c knows mappings and lists of them, keys_values.c scalars and lists of scalars.
*/
#pragma once
#include "percuss/keys.h"

/* The reader's position, as a chain on the stack: its text is built for messages only. */
typedef struct NsKeysPath NsKeysPath;
struct NsKeysPath {
  const NsKeysPath *up;
  const char       *name;  /* NULL: an item of a list */
  int               index; /* from 0 */
};

typedef struct {
  NsArena *arena;
  NsDiag  *diag;
  NsDiag  *defaults; /* errors in tables; created when first needed */
  bool     loaded;   /* the tree has rows of files in it */
} NsKeysReader;

const char *NsKeysPathText(const NsKeysReader *reader, const NsKeysPath *path);
/* `young:` with nothing behind it, or with null. */
bool NsKeysIsNull(const NsNode *node);
/* "a list", "a mapping", "'text'": what was found instead of what was expected. */
const char *NsKeysGot(const NsKeysReader *reader, const NsNode *node);
/* Whether the node is there, and of this kind; else reports what it is instead. */
bool NsKeysIsKind(NsKeysReader *reader, const NsKey *key, const NsNode *node, NsNodeKind kind, const char *label, const char *expected);
/* Words sorted and joined by ", "; at most `most` of them, then "..." (0: all). */
const char *NsKeysJoin(const NsKeysReader *reader, const char **words, int count, int most);
/* "between 0 and 1", "greater than 0 and at most 2 m", ...; "" without bounds. */
const char *NsKeysRangeText(NsArena *arena, const NsKey *key, NsDimension dimension);
/* "young: modulus of elasticity, for example 210 GPa" below the last message. */
void NsKeysNote(NsKeysReader *reader, const NsKey *key);
/* Whether the list has as many items as the key requires; `what` they are: "item", "entry". */
bool NsKeysCount(NsKeysReader *reader, const NsKey *key, const NsNode *node, const char *what);
/* Numbers, words and lists of them (NS_KEY_NUMBER to NS_KEY_STRINGS), NS_KEY_NAMED_NUMBERS and NS_KEY_MAPPING. */
void NsKeysReadValue(NsKeysReader *reader, const NsKey *key, const NsNode *node, void *field);
/* {file: table.csv, ...} becomes the rows that the key takes (table_file.c). False: errors were reported. */
bool NsTableLoad(NsKeysReader *reader, const NsKey *key, NsNode *node);
/* Whether the key takes rows of numbers, which may be in a file. */
static inline bool NsKeysTakesRows(const NsKey *key)
{
  return key->kind == NS_KEY_NUMBERS && key->columns > 1;
}
extern const NsTable NsTable_TableFile;
/* Whether the key of this node may be the name of a thing; else reports it. */
bool NsKeysNameIsGood(NsKeysReader *reader, const NsNode *node);
