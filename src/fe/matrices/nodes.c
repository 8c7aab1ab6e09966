/*
  Nodes of a deck of Abaqus or CalculiX, or of a Gmsh file: numbers, coordinates, named sets, and edges of elements, along which the body is drawn.

  Of a deck *NODE, *NSET (lists, names of other sets, GENERATE), *ELEMENT and *INCLUDE are read; all else is skipped. Of an archive of Ansys (CDWRITE) NBLOCK and CMBLOCK are read.
*/
#include "matrices.h"
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/load.h"
#include "core/out_of_memory.h"
#include "core/text.h"
#include "mesh/gmsh.h"

#define NS_MOST_NESTED 8 /* files that include each other */

static NsNumberedSet *find_set(NsNumberedNodes *nodes, const char *name)
{
  for (PetscInt s = 0; s < nodes->sets; s++) {
    if (strcasecmp(nodes->set[s].name, name) == 0) return &nodes->set[s];
  }
  return NULL;
}

static NsNumberedSet *need_set(NsNumberedNodes *nodes, const char *name, NsArena *arena)
{
  NsNumberedSet *set = find_set(nodes, name);

  if (set) return set;
  nodes->set = realloc(nodes->set, (size_t)(nodes->sets + 1) * sizeof(*nodes->set));
  if (!nodes->set) NsOutOfMemory();
  set  = &nodes->set[nodes->sets++];
  *set = (NsNumberedSet){.name = NsArenaCopy(arena, name, strlen(name))};
  return set;
}

static void add_number(NsNumberedSet *set, long number)
{
  set->number               = NsMatrixGrow(set->number, set->count, 1, &set->capacity, sizeof(*set->number));
  set->number[set->count++] = number;
}

static void add_node(NsNumberedNodes *nodes, long number, const double x[3])
{
  const PetscInt before = nodes->capacity;

  nodes->number = NsMatrixGrow(nodes->number, nodes->nodes, 1, &nodes->capacity, sizeof(*nodes->number));
  if (nodes->capacity != before) {
    nodes->x = realloc(nodes->x, 3 * (size_t)nodes->capacity * sizeof(*nodes->x));
    if (!nodes->x) NsOutOfMemory();
  }
  for (int k = 0; k < 3; k++) nodes->x[3 * nodes->nodes + k] = x[k];
  nodes->number[nodes->nodes++] = number;
}

static void add_edge(NsNumberedNodes *nodes, long a, long b)
{
  nodes->edge                    = NsMatrixGrow(nodes->edge, nodes->edges, 1, &nodes->edge_capacity, sizeof(*nodes->edge));
  nodes->edge[nodes->edges][0]   = a;
  nodes->edge[nodes->edges++][1] = b;
}

/* ---- decks -------------------------------------------------------------------------------------------------------------------------------------- */

/* Edges of elements: corners, and the middle node between them in elements of second order. */
typedef struct {
  int corners, nodes, edges;
  int edge[12][3];
} Shape;

static const Shape shapes[] = {
  {2, 2, 1, {{0, 1}}},
  {2, 3, 1, {{0, 2, 1}}},
  {3, 3, 3, {{0, 1}, {1, 2}, {2, 0}}},
  {3, 6, 3, {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}},
  {4, 4, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
  {4, 8, 4, {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}},
  {4, 4, 6, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
  {4, 10, 6, {{0, 1, 4}, {1, 2, 5}, {2, 0, 6}, {0, 3, 7}, {1, 3, 8}, {2, 3, 9}}},
  {6, 6, 9, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}},
  {6, 15, 9, {{0, 1, 6}, {1, 2, 7}, {2, 0, 8}, {3, 4, 9}, {4, 5, 10}, {5, 3, 11}, {0, 3, 12}, {1, 4, 13}, {2, 5, 14}}},
  {8, 8, 12, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}},
  {8, 20, 12,
    {{0, 1, 8}, {1, 2, 9}, {2, 3, 10}, {3, 0, 11}, {4, 5, 12}, {5, 6, 13}, {6, 7, 14}, {7, 4, 15}, {0, 4, 16}, {1, 5, 17}, {2, 6, 18}, {3, 7, 19}}},
};

/* By the type's letters and its number of nodes: C3D8I, C3D20R, S4, CPS4, B31, T3D2. NULL: not drawn. */
static const Shape *shape_of(const char *type)
{
  static const struct {
    const char *begin;
    PetscBool   solid;
  } in_space[] = {
    {"C3D", PETSC_TRUE}, {"DC3D", PETSC_TRUE}, {"M3D", PETSC_FALSE}}; /* types in which the 3 is the dimension, not the number of nodes */
  PetscBool       solid  = PETSC_FALSE;
  const char     *digits = type + strcspn(type, "0123456789");
  const PetscBool beam   = type[0] == 'B' || type[0] == 'b' || type[0] == 'T' || type[0] == 't';

  for (size_t k = 0; k < sizeof(in_space) / sizeof(*in_space); k++) {
    const size_t length = strlen(in_space[k].begin);
    if (strncasecmp(type, in_space[k].begin, length) != 0) continue;
    digits = type + length;
    solid  = in_space[k].solid;
  }
  const int number = atoi(digits), nodes = beam ? (number % 10 == 2 && toupper((unsigned char)type[0]) == 'B' ? 3 : 2) : number;

  for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
    const Shape *shape = &shapes[k];
    if (shape->nodes != nodes) continue;
    if ((shape->edges >= 6) != solid) continue;
    return shape;
  }
  return NULL;
}

typedef struct {
  NsNumberedNodes *nodes;
  NsArena         *arena;
  enum { SKIP, NODES, SET, GENERATE, ELEMENTS, INCLUDE } section;
  NsNumberedSet *set; /* NULL: none */
  const char    *set_name;
  const Shape   *shape;
  long           element[21]; /* number and nodes of an element that may continue in the next line */
  int            found;
  int            depth;
} Deck;

/* The value of NAME=value in a keyword line, in the arena; NULL: it is not there. "": without a value. */
static const char *parameter(const char *line, const char *name, NsArena *arena)
{
  for (const char *at = strchr(line, ','); at; at = strchr(at, ',')) {
    at++;
    at += strspn(at, " \t");
    const size_t length = strcspn(at, "=, \t\r");
    const char  *rest   = at + length + strspn(at + length, " \t");
    if (length != strlen(name) || strncasecmp(at, name, length) != 0) continue;
    if (*rest != '=') return "";
    rest += 1 + strspn(rest + 1, " \t\"");
    return NsArenaCopy(arena, rest, strcspn(rest, ",\"\r"));
  }
  return NULL;
}

static PetscBool is_keyword(const char *line, const char *word)
{
  const size_t length = strlen(word);

  if (strncasecmp(line, word, length) != 0) return PETSC_FALSE;
  const char end = line[length + strspn(line + length, " \t\r")]; /* *NODE FILE and *NODE PRINT are other keywords */
  return end == '\0' || end == ',';
}

static void read_deck(NsLines *lines, Deck *deck);

static void include(NsLines *lines, Deck *deck, const char *file)
{
  const char *slash = strrchr(lines->name, '/');
  const char *path  = *file == '/' || !slash ? file : NsArenaPrint(deck->arena, "%.*s/%s", (int)(slash - lines->name), lines->name, file);
  NsLines     inner;

  if (deck->depth == NS_MOST_NESTED)
    NsLinesFail(lines, "files include each other");
  else {
    NsNode           where            = {.text = path, .place = lines->place};
    NsNumberedNodes *nodes            = deck->nodes;
    nodes->include                    = NsMatrixGrow(nodes->include, nodes->includes, 1, &nodes->include_capacity, sizeof(*nodes->include));
    nodes->include[nodes->includes++] = path;
    deck->depth++;
    if (NsLinesOpen(&where, path, deck->arena, lines->diag, &inner)) read_deck(&inner, deck);
    deck->depth--;
    lines->failed = lines->failed || inner.failed;
    NsLinesClose(&inner);
  }
}

static void begin_section(NsLines *lines, Deck *deck)
{
  const char *line = lines->line;

  deck->section  = SKIP;
  deck->set      = NULL;
  deck->set_name = NULL;
  deck->found    = 0;
  if (is_keyword(line, "*NODE")) {
    deck->section  = NODES;
    deck->set_name = parameter(line, "NSET", deck->arena);
  } else if (is_keyword(line, "*NSET")) {
    deck->section  = parameter(line, "GENERATE", deck->arena) ? GENERATE : SET;
    deck->set_name = parameter(line, "NSET", deck->arena);
    if (!deck->set_name || !*deck->set_name) NsLinesFail(lines, "*NSET without a name: expected *NSET, NSET=name");
  } else if (is_keyword(line, "*ELEMENT")) {
    const char *type = parameter(line, "TYPE", deck->arena);
    deck->shape      = type ? shape_of(type) : NULL;
    deck->section    = deck->shape ? ELEMENTS : SKIP;
  } else if (is_keyword(line, "*INCLUDE")) {
    const char *file = parameter(line, "INPUT", deck->arena);
    if (!file || !*file)
      NsLinesFail(lines, "*INCLUDE without a file: expected *INCLUDE, INPUT=file");
    else
      include(lines, deck, file);
    deck->section = SKIP;
  }
  if (deck->set_name && *deck->set_name) deck->set = need_set(deck->nodes, deck->set_name, deck->arena);
}

static void read_node(NsLines *lines, Deck *deck)
{
  char  *at   = lines->line;
  double x[3] = {0, 0, 0};
  long   number;

  if (!NsLinesWhole(&at, &number) || number < 1) {
    NsLinesFail(lines, "expected the number of a node and its coordinates");
    return;
  }
  for (int k = 0; k < 3 && NsLinesReal(&at, &x[k]); k++) {
    if (!(x[k] > -1e30 && x[k] < 1e30)) NsLinesFail(lines, "a coordinate of node %ld is out of range: %g", number, x[k]);
  }
  add_node(deck->nodes, number, x);
  if (deck->set) add_number(deck->set, number);
}

static void read_set(NsLines *lines, Deck *deck)
{
  char *at = lines->line;
  long  number;

  while (at[strspn(at, " \t\r")]) {
    if (NsLinesWhole(&at, &number)) {
      add_number(deck->set, number);
      continue;
    }
    at += strspn(at, " \t\r");
    const char          *name  = NsArenaCopy(deck->arena, at, strcspn(at, ", \t\r"));
    const NsNumberedSet *other = find_set(deck->nodes, name);
    if (!other || other == deck->set) {
      NsLinesFail(lines, "there is no set '" NS_CLIP "' before this line", NsClip(name));
      return;
    }
    for (PetscInt k = 0; k < other->count; k++) add_number(deck->set, other->number[k]);
    at += strcspn(at, ",");
    if (*at == ',') at++;
  }
}

static void generate_set(NsLines *lines, Deck *deck)
{
  char *at = lines->line;
  long  first, last, step = 1;

  if (!NsLinesWhole(&at, &first) || !NsLinesWhole(&at, &last)) {
    NsLinesFail(lines, "expected first, last, step");
    return;
  }
  (void)NsLinesWhole(&at, &step);
  if (step < 1 || last < first || (last - first) / step > 100000000) {
    NsLinesFail(lines, "a set of nodes from %ld to %ld in steps of %ld", first, last, step);
    return;
  }
  for (long number = first; number <= last; number += step) add_number(deck->set, number);
}

static void read_element(NsLines *lines, Deck *deck)
{
  char *at = lines->line;
  long  number;

  while (deck->found <= deck->shape->nodes && NsLinesWhole(&at, &number)) deck->element[deck->found++] = number;
  if (deck->found <= deck->shape->nodes) return; /* goes on in the next line */
  for (int e = 0; e < deck->shape->edges; e++) {
    const int *edge = deck->shape->edge[e];
    if (deck->shape->nodes == deck->shape->corners)
      add_edge(deck->nodes, deck->element[1 + edge[0]], deck->element[1 + edge[1]]);
    else {
      const int middle = deck->shape->corners == 2 ? 1 : edge[2], end = deck->shape->corners == 2 ? 2 : edge[1];
      add_edge(deck->nodes, deck->element[1 + edge[0]], deck->element[1 + middle]);
      add_edge(deck->nodes, deck->element[1 + middle], deck->element[1 + end]);
    }
  }
  deck->found = 0;
}

/* ---- archives of Ansys -------------------------------------------------------------------------------------------------------------------------- */

/* Width and number of the fields of one kind, 'i' or 'e', in a format such as (3i9,6e21.13e3). */
static void read_format(const char *line, char kind, int *count, int *width)
{
  for (const char *at = line; *at; at++) {
    if (tolower((unsigned char)*at) != kind || !isdigit((unsigned char)at[1])) continue;
    const char *first = at;
    while (first > line && isdigit((unsigned char)first[-1])) first--;
    *count = first < at ? (int)PetscMin(strtol(first, NULL, 10), 40) : 1;
    *width = (int)PetscMin(strtol(at + 1, NULL, 10), 40);
    return;
  }
}

/* The k-th of the fields from `offset` on; "": the line is too short. */
static const char *field(const char *line, size_t offset, int width, int k, char text[41])
{
  const size_t from = offset + (size_t)(k * width), length = strlen(line);

  memcpy(text, from < length ? line + from : "", from < length ? PetscMin((size_t)width, length - from) : 0);
  text[from < length ? PetscMin((size_t)width, length - from) : 0] = '\0';
  return text;
}

/* "number, ..., x, y, z": zeros at the end are left out. Up to "N,..." or "-1". */
static void read_nblock(NsLines *lines, NsNumberedNodes *nodes)
{
  int  whole = 0, width = 0, reals = 0, real_width = 0;
  char text[41];

  if (!NsLinesNext(lines)) return;
  read_format(lines->line, 'i', &whole, &width);
  read_format(lines->line, 'e', &reals, &real_width);
  if (whole < 1 || width < 1 || reals < 3 || real_width < 1) {
    NsLinesFail(lines, "expected the format of NBLOCK, such as (3i9,6e21.13e3)");
    return;
  }
  while (NsLinesNext(lines) && toupper((unsigned char)lines->line[0]) != 'N' && strtol(lines->line, NULL, 10) != -1) {
    char      *end;
    double     x[3] = {0, 0, 0};
    const long node = strtol(field(lines->line, 0, width, 0, text), &end, 10);
    if (end == text || node < 1) {
      NsLinesFail(lines, "expected the number of a node and its coordinates");
      return;
    }
    for (int k = 0; k < 3; k++) {
      char *at = text;
      (void)field(lines->line, (size_t)(whole * width), real_width, k, text);
      if (text[strspn(text, " \t\r")] && (!NsLinesReal(&at, &x[k]) || !(x[k] > -1e30 && x[k] < 1e30)))
        NsLinesFail(lines, "a coordinate of node %ld is '%s'", node, text);
    }
    add_node(nodes, node, x);
  }
}

/* CMBLOCK,NAME,NODE,count: numbers; -b behind a is the range a .. b. */
static void read_cmblock(NsLines *lines, NsNumberedNodes *nodes, NsArena *arena)
{
  char *at     = lines->line + strcspn(lines->line, ",");
  int   fields = 0, width = 0;
  char  text[41];

  at += *at == ',';
  const char *name = NsArenaCopy(arena, at, strcspn(at, ", \t\r"));
  char       *kind = at + strcspn(at, ","), *count = kind + (*kind == ',');
  const int   taken = strncasecmp(count + strspn(count, " "), "NODE", 4) == 0;
  count += strcspn(count, ",");
  long left = *count == ',' ? strtol(count + 1, NULL, 10) : 0, last = 0;
  if (!NsLinesNext(lines)) return;
  read_format(lines->line, 'i', &fields, &width);
  if (fields < 1 || width < 1) NsLinesFail(lines, "expected the format of CMBLOCK, such as (8i10)");
  NsNumberedSet *set = taken ? need_set(nodes, name, arena) : NULL;
  while (left > 0 && NsLinesNext(lines)) {
    for (int k = 0; k < fields && left > 0; k++, left--) {
      char      *end;
      const long number = strtol(field(lines->line, 0, width, k, text), &end, 10);
      if (end == text || number == 0 || (number < 0 && (last < 1 || -number <= last || -number - last > 100000000))) {
        NsLinesFail(lines, "expected %ld more numbers of component '" NS_CLIP "'", left, NsClip(name));
        return;
      }
      for (long i = number < 0 ? last + 1 : number; set && i <= labs(number); i++) add_number(set, i);
      last = number;
    }
  }
}

/* ------------------------------------------------------------------------------------------------------------------------------------------------- */

static void read_deck(NsLines *lines, Deck *deck)
{
  while (NsLinesNext(lines)) {
    if (strncasecmp(lines->line, "NBLOCK", 6) == 0)
      read_nblock(lines, deck->nodes);
    else if (strncasecmp(lines->line, "CMBLOCK", 7) == 0)
      read_cmblock(lines, deck->nodes, deck->arena);
    if (lines->line[0] == '*' && lines->line[1] == '*') continue;
    if (lines->line[0] == '*')
      begin_section(lines, deck);
    else if (deck->section == NODES)
      read_node(lines, deck);
    else if (deck->section == SET)
      read_set(lines, deck);
    else if (deck->section == GENERATE)
      generate_set(lines, deck);
    else if (deck->section == ELEMENTS)
      read_element(lines, deck);
  }
}

/* ---- Gmsh --------------------------------------------------------------------------------------------------------------------------------------- */

static const char *group_name(const NsGmshMesh *file, int dimension, PetscInt tag, NsArena *arena)
{
  for (int k = 0; k < file->names; k++) {
    if (file->name[k].dimension == dimension && file->name[k].tag == tag) return file->name[k].name;
  }
  return NsArenaPrint(arena, "%ld", (long)tag);
}

static void take_gmsh(const NsGmshMesh *file, NsArena *arena, NsNumberedNodes *nodes)
{
  for (PetscInt i = 0; i < file->nodes; i++) add_node(nodes, (long)file->tag[i], file->x + 3 * i);
  for (int d = 0; d < file->dimension; d++) {
    for (size_t k = 0; k + 1 < file->node_group[d].count; k += 2)
      add_number(need_set(nodes, group_name(file, d, file->node_group[d].items[k], arena), arena), (long)file->tag[file->node_group[d].items[k + 1]]);
  }
  for (PetscInt e = 0; e < file->elements; e++) {
    const NsMeshShape *shape = file->shape;
    const PetscInt    *node  = file->connection.items + (size_t)shape->nodes * (size_t)e;
    for (int s = 0; s < shape->sides; s++) {
      const int corners = shape->side_shape->corners;
      for (int c = 0; c < (corners == 2 ? 1 : corners); c++) {
        const PetscInt a = node[shape->side[s][c]], b = node[shape->side[s][(c + 1) % corners]];
        if (a != b) add_edge(nodes, (long)file->tag[a], (long)file->tag[b]);
      }
    }
    if (!shape->sides) add_edge(nodes, (long)file->tag[node[0]], (long)file->tag[node[1]]);
  }
}

/* Elements of the highest dimension that the file has. */
static PetscBool read_gmsh(const NsNode *where, const char *path, const char *text, size_t size, NsArena *arena, NsDiag *diag, NsNumberedNodes *nodes)
{
  PetscBool good = PETSC_TRUE;

  (void)where;
  for (int dimension = 3; dimension >= 1 && good; dimension--) {
    NsGmshMesh file;
    good                = NsGmshRead(path, text, size, dimension, arena, diag, &file);
    const PetscBool any = good && file.elements > 0;
    if (any) take_gmsh(&file, arena, nodes);
    NsGmshFree(&file);
    if (any) break;
  }
  return good;
}

/* ------------------------------------------------------------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
  return (*(const long *)a > *(const long *)b) - (*(const long *)a < *(const long *)b);
}

PetscErrorCode NsReadNumberedNodes(const NsNode *where, NsArena *arena, NsDiag *diag, NsNumberedNodes *nodes, PetscBool *good)
{
  const char *path = NsTreeFile(where, arena);
  NsLines     lines;

  PetscFunctionBegin;
  *nodes = (NsNumberedNodes){0};
  if (NsTextEndsWith(path, ".msh")) {
    const char *reason;
    size_t      size;
    char       *text = NsFileLoad(path, &size, &reason);
    if (!text) NsDiagError(diag, where->place, "cannot read the file '%s': %s", where->text, reason);
    *good = text && read_gmsh(where, path, text, size, arena, diag, nodes);
    free(text);
  } else {
    Deck deck = {.nodes = nodes, .arena = arena};
    if (NsLinesOpen(where, path, arena, diag, &lines)) read_deck(&lines, &deck);
    *good = !lines.failed;
    NsLinesClose(&lines);
  }
  if (*good && !nodes->nodes) {
    NsDiagError(diag, where->place, "'%s' has no nodes", where->text);
    NsDiagNote(diag, "expected a deck of Abaqus or CalculiX with *NODE, an archive of Ansys with NBLOCK, or a Gmsh file whose name ends with .msh");
    *good = PETSC_FALSE;
  }
  long *sorted = *good ? malloc((size_t)nodes->nodes * sizeof(*sorted)) : NULL;
  if (sorted) {
    memcpy(sorted, nodes->number, (size_t)nodes->nodes * sizeof(*sorted));
    qsort(sorted, (size_t)nodes->nodes, sizeof(*sorted), compare_numbers);
    for (PetscInt i = 1; i < nodes->nodes && *good; i++) {
      if (sorted[i] != sorted[i - 1]) continue;
      NsDiagError(diag, where->place, "node %ld of '%s' is duplicated", sorted[i], where->text);
      *good = PETSC_FALSE;
    }
    free(sorted);
  }
  PetscFunctionReturn(0);
}

void NsNumberedNodesFree(NsNumberedNodes *nodes)
{
  for (PetscInt s = 0; s < nodes->sets; s++) free(nodes->set[s].number);
  free(nodes->set);
  free(nodes->number);
  free(nodes->x);
  free(nodes->edge);
  free(nodes->include);
  *nodes = (NsNumberedNodes){0};
}
