/*
  A Gmsh file in three parts: gmsh_text.c knows words and numbers, gmsh_read.c sections, gmsh.c makes a mesh of them.

  Words and numbers: the first error is reported with its line; from then on nothing is read any more and every function returns 0 or "", so that a caller need look at `failed`
  only in loops.
*/
#pragma once
#include "mesh_private.h"

typedef struct {
  const char *path, *text; /* text ends with a NUL that is not counted in size */
  size_t      size, at;
  size_t      token, length; /* where the last word or number began, and its bytes: what a message points at */
  NsArena    *arena;
  NsDiag     *diag;
  const char *section; /* for messages */
  bool        binary;  /* numbers are; words never are */
  bool        failed;
} NsGmshText;

/* What ends a word. */
static inline bool NsGmshIsWhite(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Only the first error is reported: the following ones are mostly its consequence. */
void NsGmshFail(NsGmshText *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next word, in the arena. It ends with one white byte, which is taken with it: in a binary file the data begin after it. */
const char *NsGmshWord(NsGmshText *in);
/* The last token, for quoting it. */
const char *NsGmshClipped(NsGmshText *in);
/* The last word as a whole number, and as a count (see NsGmshCount). */
long long NsGmshToWhole(NsGmshText *in);
size_t    NsGmshCountWord(NsGmshText *in);
/* So many raw bytes. */
bool NsGmshTake(NsGmshText *in, void *value, size_t bytes);
/* A whole number within PetscInt; in a binary file of 4 bytes (int), or 8 (size_t in format 4.1). same_line: in ASCII, it must be in the line of the number before. */
long long NsGmshWholeOf(NsGmshText *in, size_t bytes, bool same_line);
long long NsGmshWhole(NsGmshText *in);
long long NsGmshSize(NsGmshText *in);
/* A number of things to come: not more than bytes are left, which bounds what a wrong number can make us allocate. */
size_t NsGmshCount(NsGmshText *in);
double NsGmshReal(NsGmshText *in);
/* Nothing may follow in this line of an ASCII file. */
void NsGmshEndOfLine(NsGmshText *in);
/* The word that begins the next section; comments are skipped. where: name of the part before it, for messages. */
const char *NsGmshSection(NsGmshText *in, const char *where);
void        NsGmshExpect(NsGmshText *in, const char *found, const char *expected);
void        NsGmshEndSection(NsGmshText *in, const char *end);

/* Numbers whose count is not known beforehand. */
typedef struct {
  size_t    count, capacity;
  PetscInt *items;
} NsGmshList;

typedef struct {
  int         dimension, tag;
  const char *name;
} NsGmshName;

/* What a file holds. Nodes and elements are numbered from 0 in the order of the file. */
typedef struct {
  bool               version22; /* in format 2.2 an element in several groups is written once for each of them */
  int                names;
  NsGmshName        *name;      /* $PhysicalNames */
  int                dimension; /* of the elements that are wanted */
  PetscInt           nodes, elements;
  const NsMeshShape *shape;         /* of the elements; NULL without elements */
  double            *x;             /* [nodes, 3] */
  long long         *tag;           /* [nodes] the node's number in the file */
  NsGmshList         connection;    /* [elements, shape->nodes] */
  NsGmshList         number;        /* [elements] in the file */
  NsGmshList         node_group[3]; /* pairs of a group's tag, above 0, and a node in it: of what has a lower dimension, 0 .. dimension - 1 */
  NsGmshList         element_group; /* the same of elements */
  NsGmshList         side;          /* of solids: five numbers each, the group's tag and the corners of a side, unused ones -1 */
} NsGmshMesh;

/* Reads a whole file and checks every number; false after a mistake of the user, reported at its line. text ends with a NUL that is not counted in size. To be freed in both cases. */
bool NsGmshRead(const char *path, const char *text, size_t size, int dimension, NsArena *arena, NsDiag *diag, NsGmshMesh *mesh);
void NsGmshFree(NsGmshMesh *mesh);
