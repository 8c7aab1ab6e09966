/*
  One table for each kind of mapping in the config: the only place where a key is described.

  The reader fills a C struct from it, the error messages, `percuss explain`, the JSON Schema and the docs are made from it.
  A key has the name of the struct's field. Example:

      typedef struct { const NsNode *where; double density, young; } NsMaterial;
      static const NsKey keys[] = {
        {"density", NS_KEY_NUMBER, offsetof(NsMaterial, density), .dimension = {-3, 1, 0, 0}, .required = true, .minimum = "0 <", .help = "mass per volume", .example = "7800 kg/m^3"},
        {"young",   NS_KEY_NUMBER, ...},
        {NULL}};
      const NsTable NsTable_Material = {"material", "elastic material", keys, sizeof(NsMaterial)};

  Every struct filled from a table begins with `const NsNode *where`: its node in the tree, for messages about meaning later on.
*/
#pragma once
#include "tree.h"
#include "units.h"

typedef struct NsVariant NsVariant;

typedef enum {
  NS_KEY_NUMBER,  /* double, SI */
  NS_KEY_INTEGER, /* long */
  NS_KEY_BOOLEAN, /* bool: true or false */
  NS_KEY_STRING,  /* const char *, NULL when absent */
  NS_KEY_CHOICE,  /* int: position in `choices` */
  NS_KEY_VECTOR,  /* double[3], exactly three numbers, each of `dimension` */
  NS_KEY_NUMBERS, /* NsNumbers: a list of rows of `columns` numbers each, [[t, f], ...]; with columns 1 a plain list of numbers, or a single number if `least` is 1 */
  NS_KEY_STRINGS,        /* NsStrings: a list of words; a single word is a list of one */
  NS_KEY_TABLE,          /* const T *: NULL when absent; T as in `table` */
  NS_KEY_LIST,           /* NsList: a list of mappings as in `table` */
  NS_KEY_NAMED,          /* NsList: a mapping from names to mappings as in `table` (bodies, contacts, loads ...), in the order of the
                     file; names are made of letters, digits, '_' and '-' */
  NS_KEY_VARIANT,        /* NsChosen: a mapping whose key `type` chooses one of `variants` */
  NS_KEY_NAMED_VARIANTS, /* NsList of NsChosen, each with a name */
  NS_KEY_NAMED_NUMBERS,  /* NsNamedNumbers: a mapping from names to numbers of `dimension` */
  NS_KEY_MAPPING         /* const NsNode *: a mapping whose keys are known later (those of a plugin); NULL when absent */
} NsKeyKind;

#define NS_MOST_COLUMNS 9

/* What becomes of a value where `copies` shifts and rotates the entry that it belongs to (core/tree_copies.c). */
typedef enum {
  NS_SPACE_NONE,      /* nothing */
  NS_SPACE_POINT,     /* a position in space: shifted and rotated */
  NS_SPACE_DIRECTION, /* a direction, velocity or force in space: rotated */
  NS_SPACE_TURN,      /* a mapping {axis, angle} that orients the entry: rotated, added where it is missing */
  NS_SPACE_CORNER,    /* a position that can be shifted but not rotated */
  NS_SPACE_AXES,      /* belongs to the axes of space: cannot be rotated, unless it is the same for all axes */
  NS_SPACE_FIXED      /* can neither be shifted nor rotated */
} NsSpace;

typedef struct {
  int     rows;
  double *values; /* [rows, columns] */
} NsNumbers;

typedef struct {
  int            count;
  const char   **items;
  const NsNode **where; /* [count] */
} NsStrings;

typedef struct {
  int            count;
  const char   **names; /* [count], then NULL; NULL itself for NS_KEY_LIST */
  void          *items; /* [count] of the table's struct, or of NsChosen */
  const NsNode **where; /* [count] */
} NsList;

typedef struct {
  int            count;
  const char   **names;
  double        *values;
  const NsNode **where;
} NsNamedNumbers;

typedef struct {
  const NsNode    *where;
  const NsVariant *variant;  /* which type; NULL when absent */
  void            *settings; /* the struct of variant->table */
} NsChosen;

typedef struct {
  const char *name;
  NsKeyKind   kind;
  size_t      offset;                             /* of the field */
  NsDimension dimension;                          /* numbers, vectors, named numbers */
  NsDimension columns_dimension[NS_MOST_COLUMNS]; /* NS_KEY_NUMBERS: dimension of each column */
  int         columns;
  bool        required;
  const char *unless; /* "mesh.stations": not required where this key of the same mapping is there */
  const char
    *default_value; /* default as the user would write it ("0", "consistent", "[1, 0, 0]"; "{}": a mapping of defaults); NULL: field stays zero */
  const char *minimum,
    *maximum; /* "0" or "0 <" (open: the value itself is excluded, as in 0 < x); for `maximum` "< 1"; NULL: none. SI. Vectors and plain
                                           lists of numbers: of each; tables of several columns: not checked */
  int                     least, most; /* number of items of lists; 0: no limit */
  const char *const      *choices;     /* NULL-terminated */
  const NsTable          *table;
  const NsVariant *const *variants; /* NULL-terminated; made from a list.h */
  NsSpace                 space;
  bool                    file;    /* NS_KEY_STRING: names an input file, relative to the folder of the config */
  const char             *help;    /* one sentence, no full stop needed */
  const char             *example; /* value as the user would write it */
} NsKey;

struct NsTable {
  const char  *name; /* unique: names the definition in the JSON Schema */
  const char  *help;
  const NsKey *keys;   /* ends with a key without name */
  size_t       size;   /* of the struct */
  const char  *one_of; /* "line, file": exactly one of these keys must be there */
  const char  *at_most_one_of;
  const char  *shorthand; /* a scalar (or list of scalars) in place of the mapping means {shorthand: it} */
  /* Rules between keys, after all keys were read without error; may be NULL. */
  void (*check)(const void *settings, NsArena *arena, NsDiag *diag);
  /* NULL, or what a mapping lacks that `copies` in a ring would have to rotate: the key's name. NULL itself: nothing. */
  const char *(*lacks_to_turn)(const NsNode *node);
  const char *library; /* "materials": a mapping at the top of the config whose entries can be named in place of the mapping. Not with `shorthand` */
};

/* One choice of a mapping with a `type`: a body, a scheme. Registered by a line in a list.h. */
struct NsVariant {
  const char    *name;  /* the word after `type:` */
  const char    *title; /* a line for lists */
  const char    *about; /* pages for `explain`: equations, order, limits, reference */
  const NsTable *table;
  const char    *also; /* other words for it, "hinge, pin", for "did you mean"; may be NULL */
};

/* Fills settings (table->size bytes, any content) from node, which may be NULL (an empty mapping at the root's place). Reports every
   error it finds: unknown keys (with the nearest valid one and the list of valid ones), missing keys (at the mapping they belong to),
   wrong kinds, units, ranges, choices, counts. Returns true when there was none. Defaults are filled in. Lives in the arena. */
bool NsKeysRead(const NsTable *table, const NsNode *node, void *settings, NsArena *arena, NsDiag *diag);

/* Calls visit(context, key, node) for each key that a mapping has, and where it returns true for those within. */
void NsKeysVisit(const NsTable *table, NsNode *node, bool (*visit)(void *context, const NsKey *key, NsNode *node), void *context);
/* The table of the variant that a mapping with a `type` chooses; of other keys, their own; NULL: none, or an unknown type. */
const NsTable *NsKeysTableOf(const NsKey *key, const NsNode *node);

/* The place for messages about a key: its value, or the mapping itself if the key is absent. */
NsPlace NsKeysPlace(const NsNode *where, const char *key);
/* The place for messages about a number of NS_KEY_NUMBERS: row and column from 0; the row, or the whole value, if it has no such column or row. */
NsPlace NsKeysNumberPlace(const NsNode *where, const char *key, int row, int column);
