/*
  The config as a tree of nodes with their places in the file.

  Read from libyaml events; aliases and merge keys are copied in. These are errors, reported with their place: duplicate keys, second documents, tags, non-scalar keys, empty keys,
  keys over 200 bytes, depth over 64, files over 1 MB, more than 100000 nodes, bytes that are not UTF-8, control characters.
  libyaml takes quadratic time on nested brackets; it looks ahead 1024 characters at most, so counting the depth of its events stops it in time.
*/
#pragma once
#include "diag.h"

typedef enum { NS_NODE_SCALAR, NS_NODE_LIST, NS_NODE_MAP } NsNodeKind;

typedef struct NsNode  NsNode;
typedef struct NsTable NsTable; /* keys.h */
struct NsNode {
  NsNodeKind  kind;
  NsPlace     place;     /* of the value */
  NsPlace     key_place; /* of the key; that of the value for list items and the root */
  const char *key;       /* NULL for list items and the root */
  const char *text;      /* scalars: their text; "" for an empty one */
  bool        quoted;    /* scalars: written in quotes, so it is text and never a number, null or boolean */
  int         count;     /* maps and lists: number of children */
  NsNode     *first, *next, *parent;
};

/* Reads a whole file; NULL when errors were reported. The tree lives in the arena. An empty file is an empty map. */
NsNode *NsTreeReadFile(const char *path, NsArena *arena, NsDiag *diag);
/* The same of a file that percuss wrote, run.json or config.yaml, which may be larger than one that a user gives. */
NsNode *NsTreeReadOwn(const char *path, NsArena *arena, NsDiag *diag);
/* The same from text in memory (not owned, must outlive the tree); name is what messages call it. */
NsNode *NsTreeReadText(const char *name, const char *text, size_t size, NsArena *arena, NsDiag *diag);
/* --set KEY=VALUE: KEY is a dotted path (list items by number from 0: "parts.0.range"); VALUE is YAML ("0.2 us", "[1, 0, 0]", "{circle: {radius: 1 mm}}").
   Makes maps on the way where they are missing, and keeps the order of keys; a path through a scalar, or a list index out of range, is an error. Values then have
   the --set argument as their source. False: errors were reported, and at most empty maps were added. */
bool NsTreeSet(NsNode *root, const char *assignment, NsArena *arena, NsDiag *diag);
/* The same with a value from another text: path "scheme.step" begins at `place`, where messages about it point to; the value keeps its places, and is copied. */
bool NsTreeGraft(NsNode *root, const char *path, NsPlace place, const NsNode *value, NsArena *arena, NsDiag *diag);
/* Merges the files of `include:` at the top, whose paths are relative to the file that names them, into the tree: mappings key by key; values that the tree has already take precedence. The key
   disappears; *files: what was read, NULL at the end. False: errors were reported. */
bool NsTreeInclude(NsNode *root, const char *const **files, NsArena *arena, NsDiag *diag);
/* Replaces `$name` and `${expression}` in all scalars by means of `parameters:`, which disappears. Warns of parameters that nothing uses. Makes the copies of `copies:`, which disappears, too; `top`
   is the table of the config, which says what is a position; NULL: no copies. False: errors were reported. */
bool NsTreeSubstitute(NsNode *root, const NsTable *top, NsArena *arena, NsDiag *diag);
/* NsTextTame (core/text.h) for all keys and scalars, so that titles and names can be printed as they are. */
void NsTreeTame(NsNode *root, NsArena *arena);
/* Whether it is small enough to be written and read again, after values have been set. */
bool NsTreeFits(const NsNode *root);
/* The place of a part of a scalar (bytes of its text), if the text is in the source as it is (not folded, no escapes); else of all of it. */
NsPlace NsTreePart(const NsNode *node, int column, int length);
/* The child with this key, or NULL (also when node is NULL or no map). */
NsNode *NsTreeChild(const NsNode *node, const char *key);
/* "contacts.wall" for a node, "bodies.bar.parts.0" for an item of a list; "" for the root. */
const char *NsTreePath(const NsNode *node, NsArena *arena);
/* Where the file is that this scalar names: relative to the folder of the config that contains it. */
const char *NsTreeFile(const NsNode *file, NsArena *arena);
/* Writes the tree as YAML that NsTreeReadFile reads back to the same tree; lists of scalars and small maps in flow style. Text that is
   no safe plain scalar gets quotes, also if it had none ("a: b, c"). Comments are lost. */
void NsTreeWrite(const NsNode *root, FILE *file);
/* A value on one line, "{type: half_explicit, step: 1 us}", as --set reads it. Empty scalars in it are written as "". */
void NsTreeWriteLine(const NsNode *value, FILE *file);
/* The same into the arena; terminated. */
const char *NsTreeText(const NsNode *root, NsArena *arena, size_t *size);
