/*
  What stands between a user's .msh file and PETSc's reader: every number is looked at here first.

  DMPlexCreateGmsh (PETSc 3.18) is made for files that Gmsh wrote: it reads beyond its arrays when an element names a node or an entity that does
  not exist, writes beyond them when counts disagree, and crashes on two blanks before a physical name. A file that passes here has exactly the
  sections, counts and numbers that the reader expects, so what it reads from it is safe; and the user gets the line of his mistake. It
  costs one more pass over the file, which is shorter than PETSc's own.

  Layout:

      $MeshFormat  version type size (binary: int 1)   $EndMeshFormat
      $PhysicalNames  number  {dim tag "name"}         $EndPhysicalNames     may be absent
      $Entities  ...                                   $EndEntities          4.1 only
      $Nodes  ...  $EndNodes   $Elements  ...  $EndElements

  and $Comments between. What follows $EndElements is not read.
*/
#include <stdlib.h>
#include <string.h>
#include "gmsh_text.h"
#include "core/out_of_memory.h"

enum {
  LONGEST_NAME   = 127, /* PETSc reads names into 130 bytes without counting; Gmsh has the same limit */
  MOST_GROUPS    = 4,   /* physical groups of an entity that PETSc keeps */
  MOST_TAGS      = 100, /* tags of an element in format 2.2; Gmsh writes 2 to 5 */
  LINE           = 1,   /* element types */
  QUADRATIC_LINE = 8,
  POINT          = 15
};

typedef struct {
  long long tag;
  int       dim;
  bool      reversed; /* has the physical tag -1 */
} Entity;

typedef struct {
  long long tag;
  size_t    at; /* in the file, for messages */
} Node;

typedef struct {
  NsGmshText     in;
  NsGmshInfo    *info;
  Entity        *entity;
  size_t         entities;
  PetscInt       nodes;
  Node          *node;
  long long      least, most;
  unsigned char *has_node; /* [most - least + 1] */
} Scan;

static void say_how_to_export(Scan *scan)
{
  NsDiagNote(scan->in.diag, "write it again with Gmsh: gmsh old.msh -save -format msh41 -o new.msh");
}

static void mesh_format(Scan *scan)
{
  const char *version, *type, *size;
  int         one;

  scan->in.section = "$MeshFormat";
  if (scan->in.size == 0) NsGmshFail(&scan->in, "the file is empty");
  if (strcmp(NsGmshSection(&scan->in, "the header"), "$MeshFormat") != 0) {
    const bool old = scan->in.length == 4 && strncmp(scan->in.text + scan->in.token, "$NOD", 4) == 0;
    if (scan->in.failed) return;
    NsGmshFail(
      &scan->in, old ? "a Gmsh file of the old format 1.0; formats 4.1 and 2.2 can be read" : "not a Gmsh mesh: it must begin with $MeshFormat");
    if (old)
      say_how_to_export(scan);
    else
      NsDiagNote(scan->in.diag, "make one from a geometry: gmsh -1 -format msh41 geometry.geo");
    return;
  }
  scan->in.section      = "$MeshFormat";
  version               = NsGmshWord(&scan->in);
  scan->info->version22 = strcmp(version, "2.2") == 0;
  if (!scan->in.failed && !scan->info->version22 && strcmp(version, "4.1") != 0) {
    NsGmshFail(&scan->in, "Gmsh format %s cannot be read; formats 4.1 and 2.2 can", NsGmshClipped(&scan->in));
    say_how_to_export(scan);
  }
  type               = NsGmshWord(&scan->in);
  scan->info->binary = strcmp(type, "1") == 0;
  if (!scan->info->binary && strcmp(type, "0") != 0)
    NsGmshFail(&scan->in, "the file type is 0 (ASCII) or 1 (binary), not '%s'", NsGmshClipped(&scan->in));
  size = NsGmshWord(&scan->in);
  if (strcmp(size, "8") != 0) NsGmshFail(&scan->in, "numbers of 8 bytes are expected, not '%s'", NsGmshClipped(&scan->in));
  if (scan->in.failed) return;
  if (!scan->info->binary && memchr(scan->in.text, 0, scan->in.size)) {
    scan->in.token  = (size_t)((const char *)memchr(scan->in.text, 0, scan->in.size) - scan->in.text);
    scan->in.length = 1;
    NsGmshFail(&scan->in, "a zero byte in a file that calls itself ASCII; it is damaged");
  }
  scan->in.binary = scan->info->binary;
  if (scan->info->binary && NsGmshTake(&scan->in, &one, sizeof one) && one != 1)
    NsGmshFail(
      &scan->in, "not readable as a binary Gmsh file: it comes from a machine with another byte order, or was copied as text; write it as ASCII");
  NsGmshEndSection(&scan->in, "$EndMeshFormat");
}

/* After the tag's white byte PETSc takes the rest of the line, and the name must begin it. */
static void physical_name(Scan *scan, NsGmshName *name)
{
  const char *rest, *end, *newline, *close;
  long long   dim, tag;

  (void)NsGmshWord(&scan->in);
  dim = scan->in.failed ? 0 : NsGmshToWhole(&scan->in);
  if (dim < 0 || dim > 3) NsGmshFail(&scan->in, "a physical group of dimension %lld", dim);
  (void)NsGmshWord(&scan->in);
  tag = scan->in.failed ? 1 : NsGmshToWhole(&scan->in);
  if (tag < 1 || tag > PETSC_MAX_INT - 1) NsGmshFail(&scan->in, "a physical group with the tag %lld", tag);
  if (scan->in.failed) return;
  name->dim = (int)dim;
  name->tag = (int)tag;
  rest      = scan->in.text + scan->in.at;
  end       = scan->in.text + scan->in.size;
  newline   = memchr(rest, '\n', (size_t)(end - rest));
  if (!newline) newline = end;
  for (close = newline; close > rest && NsGmshIsWhite(close[-1]); close--) continue;
  scan->in.token  = scan->in.at;
  scan->in.length = (size_t)(close - rest);
  if (rest[-1] != ' ' || close - rest < 3 || rest[0] != '"' || close[-1] != '"' || memchr(rest, 0, scan->in.length))
    NsGmshFail(&scan->in, "expected one blank and a name in double quotes after the tag of a physical group");
  else if (close - rest - 2 > LONGEST_NAME)
    NsGmshFail(&scan->in, "the name of a physical group has more than %d bytes", LONGEST_NAME);
  if (scan->in.failed) return;
  name->name  = NsArenaCopy(scan->in.arena, rest + 1, (size_t)(close - rest - 2));
  scan->in.at = (size_t)(newline - scan->in.text) + (newline < end);
}

static void physical_names(Scan *scan)
{
  size_t names;

  scan->in.section  = "$PhysicalNames";
  names             = NsGmshCountWord(&scan->in);
  scan->info->name  = NsArenaAlloc(scan->in.arena, (names + 1) * sizeof *scan->info->name);
  scan->info->names = (int)names;
  for (size_t k = 0; k < names && !scan->in.failed; k++) physical_name(scan, &scan->info->name[k]);
  NsGmshEndSection(&scan->in, "$EndPhysicalNames");
}

static int compare_entities(const void *a, const void *b)
{
  const Entity *x = a, *y = b;

  if (x->dim != y->dim) return x->dim - y->dim;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static void entities(Scan *scan)
{
  static const char *const kind[] = {"point", "curve", "surface", "volume"};
  size_t                   counts[4], k = 0;

  scan->in.section = "$Entities";
  for (int dim = 0; dim < 4; dim++) scan->entities += counts[dim] = NsGmshCount(&scan->in);
  if (scan->in.failed) return;
  scan->entity = NsArenaAlloc(scan->in.arena, (scan->entities + 1) * sizeof *scan->entity);
  for (int dim = 0; dim < 4; dim++) {
    for (size_t n = 0; n < counts[dim] && !scan->in.failed; n++, k++) {
      Entity *entity = &scan->entity[k];
      size_t  groups;

      entity->dim = dim;
      entity->tag = NsGmshWhole(&scan->in);
      for (int d = 0; d < (dim ? 6 : 3); d++) (void)NsGmshReal(&scan->in); /* bounding box */
      groups = NsGmshCount(&scan->in);
      if (groups > MOST_GROUPS)
        NsGmshFail(&scan->in, "%s %lld is in %zu physical groups; at most %d can be read", kind[dim], entity->tag, groups, MOST_GROUPS);
      for (size_t g = 0; g < groups; g++) entity->reversed |= NsGmshWhole(&scan->in) == -1;
      for (size_t b = dim ? NsGmshCount(&scan->in) : 0; b > 0 && !scan->in.failed; b--) (void)NsGmshWhole(&scan->in);
      NsGmshEndOfLine(&scan->in);
    }
  }
  if (!scan->in.failed) qsort(scan->entity, scan->entities, sizeof *scan->entity, compare_entities);
  for (k = 1; k < scan->entities && !scan->in.failed; k++)
    if (compare_entities(&scan->entity[k - 1], &scan->entity[k]) == 0)
      NsGmshFail(&scan->in, "%s %lld is in $Entities twice", kind[scan->entity[k].dim], scan->entity[k].tag);
  NsGmshEndSection(&scan->in, "$EndEntities");
}

static const Entity *block_entity(Scan *scan, int dim, long long tag)
{
  const Entity  key   = {.tag = tag, .dim = dim};
  const Entity *found = scan->in.failed ? NULL : bsearch(&key, scan->entity, scan->entities, sizeof key, compare_entities);

  if (!found) NsGmshFail(&scan->in, "%s refers to an entity of dimension %d and tag %lld that $Entities does not have", scan->in.section, dim, tag);
  return found;
}

static void node_tag(Scan *scan, PetscInt n, long long tag)
{
  if (tag <= 0) NsGmshFail(&scan->in, "node %lld: nodes are numbered from 1", tag);
  if (!scan->in.failed) scan->node[n] = (Node){tag, scan->in.token};
}

static void point_at(Scan *scan, const Node *node)
{
  scan->in.token = scan->in.at = node->at;
  scan->in.length              = scan->in.binary ? 0 : strcspn(scan->in.text + node->at, " \t\r\n");
}

/* Which node numbers exist; PETSc makes a table of them as well, so few nodes with huge numbers are refused. */
static void index_nodes(Scan *scan)
{
  const Node *largest = scan->node;

  if (scan->in.failed) return;
  scan->least = scan->most = scan->nodes ? largest->tag : 1;
  for (PetscInt n = 0; n < scan->nodes; n++) {
    scan->least = PetscMin(scan->least, scan->node[n].tag);
    if (scan->node[n].tag > largest->tag) largest = &scan->node[n];
  }
  if (scan->nodes) scan->most = largest->tag;
  if ((scan->most - scan->least) / 100 > (long long)scan->nodes + 10000) {
    point_at(scan, largest);
    NsGmshFail(&scan->in, "the %ld nodes have numbers from %lld to %lld, which is too sparse", (long)scan->nodes, scan->least, scan->most);
    NsDiagNote(scan->in.diag, "let Gmsh renumber them: RenumberMeshNodes; in the .geo file, or Tools, Renumber");
    return;
  }
  scan->has_node = calloc((size_t)(scan->most - scan->least) + 1, 1);
  if (!scan->has_node) NsOutOfMemory();
  for (PetscInt n = 0; n < scan->nodes && !scan->in.failed; n++) {
    unsigned char *has = &scan->has_node[scan->node[n].tag - scan->least];
    if (*has) {
      point_at(scan, &scan->node[n]);
      NsGmshFail(&scan->in, "node %lld is there twice", scan->node[n].tag);
    }
    *has = 1;
  }
}

static void allocate_nodes(Scan *scan, size_t nodes)
{
  if (scan->in.failed) return;
  scan->nodes = (PetscInt)nodes;
  scan->node  = calloc(nodes + 1, sizeof *scan->node);
  if (!scan->node) NsOutOfMemory();
}

static void nodes_22(Scan *scan)
{
  const size_t nodes = NsGmshCountWord(&scan->in);

  allocate_nodes(scan, nodes);
  for (size_t n = 0; n < nodes && !scan->in.failed; n++) {
    node_tag(scan, (PetscInt)n, NsGmshWhole(&scan->in));
    for (int d = 0; d < 3; d++) NsGmshCoordinate(&scan->in);
    NsGmshEndOfLine(&scan->in);
  }
}

static void nodes_41(Scan *scan)
{
  const size_t    blocks = NsGmshCount(&scan->in), nodes = NsGmshCount(&scan->in);
  const long long least = NsGmshSize(&scan->in), most = NsGmshSize(&scan->in);
  size_t          n = 0;

  if (nodes && (least < 1 || most < least)) NsGmshFail(&scan->in, "$Nodes claims node numbers from %lld to %lld", least, most);
  allocate_nodes(scan, nodes);
  for (size_t block = 0; block < blocks && !scan->in.failed; block++) {
    const int       dim = (int)NsGmshWhole(&scan->in);
    const long long tag = NsGmshWhole(&scan->in);
    size_t          here;

    (void)block_entity(scan, dim, tag);
    if (NsGmshWhole(&scan->in) != 0) {
      NsGmshFail(&scan->in, "nodes with parametric coordinates cannot be read");
      NsDiagNote(scan->in.diag, "set Mesh.SaveParametric = 0; in the .geo file and mesh again");
    }
    here = NsGmshCount(&scan->in);
    if (here > nodes - n) NsGmshFail(&scan->in, "the blocks of $Nodes hold more than the %zu nodes it claims", nodes);
    for (size_t k = 0; k < here && !scan->in.failed; k++) node_tag(scan, (PetscInt)(n + k), NsGmshSize(&scan->in));
    for (size_t k = 0; k < 3 * here && !scan->in.failed; k++) NsGmshCoordinate(&scan->in);
    n += here;
  }
  if (n < nodes) NsGmshFail(&scan->in, "the blocks of $Nodes hold %zu nodes instead of the %zu it claims", n, nodes);
}

/* Number of nodes of an element type that can be read. */
static int nodes_of(Scan *scan, long long type)
{
  static const char *const names[] = {"", "", "triangles", "quadrangles", "tetrahedra", "hexahedra", "prisms", "pyramids"};
  const char              *what;

  if (scan->in.failed) return 0;
  if (type == LINE) return 2;
  if (type == POINT) return 1;
  if (type == QUADRATIC_LINE || (type >= 26 && type <= 28) || (type >= 62 && type <= 66)) {
    NsGmshFail(
      &scan->in, "the file has lines of %s; only two-node lines can be read", type == QUADRATIC_LINE ? "three nodes" : "more than three nodes");
    NsDiagNote(scan->in.diag, "mesh with first-order elements: gmsh -1 -order 1 geometry.geo, or Mesh.ElementOrder = 1; in the .geo file");
    return 0;
  }
  what = type >= 2 && type <= 7 ? names[type] : NsArenaPrint(scan->in.arena, "elements of Gmsh's type %lld", type);
  NsGmshFail(&scan->in, "the file has %s; only two-node lines can be read", what);
  NsDiagNote(scan->in.diag, "mesh the curves alone: gmsh -1 geometry.geo");
  return 0;
}

static void element_node(Scan *scan, long long number, size_t bytes)
{
  const long long tag = NsGmshWholeOf(&scan->in, bytes, true);

  if (scan->in.failed) return;
  if (tag < scan->least || tag > scan->most || !scan->has_node || !scan->has_node[tag - scan->least])
    NsGmshFail(&scan->in, "element %lld has a node %lld that $Nodes does not have", number, tag);
}

static void elements_22(Scan *scan)
{
  const size_t elements = NsGmshCountWord(&scan->in);

  for (size_t e = 0; e < elements && !scan->in.failed;) {
    /* ASCII: number type tags; binary: type elements tags, then their numbers */
    const long long first = NsGmshWhole(&scan->in), second = NsGmshWholeOf(&scan->in, sizeof(int), true);
    const long long type = scan->in.binary ? first : second, here = scan->in.binary ? second : 1;
    const int       points = nodes_of(scan, type);
    const long long tags   = NsGmshWholeOf(&scan->in, sizeof(int), true);

    if (here < 1 || (size_t)here > elements - e) NsGmshFail(&scan->in, "the blocks of $Elements hold more than the %zu elements it claims", elements);
    if (tags < 0 || tags > MOST_TAGS) NsGmshFail(&scan->in, "an element with %lld tags", tags);
    for (long long k = 0; k < here && !scan->in.failed; k++, e++) {
      const long long number = scan->in.binary ? NsGmshWhole(&scan->in) : first;
      for (long long t = 0; t < tags; t++) (void)NsGmshWholeOf(&scan->in, sizeof(int), true);
      for (int p = 0; p < points; p++) element_node(scan, number, sizeof(int));
      NsGmshEndOfLine(&scan->in);
      scan->info->lines += type == LINE;
    }
  }
}

static void elements_41(Scan *scan)
{
  const size_t blocks = NsGmshCount(&scan->in), elements = NsGmshCount(&scan->in);
  size_t       e = 0;

  (void)NsGmshSize(&scan->in); /* smallest and largest element number */
  (void)NsGmshSize(&scan->in);
  scan->info->reversed_run = NsArenaAlloc(scan->in.arena, (blocks + 1) * sizeof *scan->info->reversed_run);
  for (size_t block = 0; block < blocks && !scan->in.failed; block++) {
    const int       dim    = (int)NsGmshWhole(&scan->in);
    const long long tag    = NsGmshWhole(&scan->in);
    const Entity   *entity = block_entity(scan, dim, tag);
    const long long type   = NsGmshWhole(&scan->in);
    const int       points = nodes_of(scan, type);
    size_t          here;

    if (points && dim != points - 1) NsGmshFail(&scan->in, "elements of type %lld in an entity of dimension %d", type, dim);
    here = NsGmshCount(&scan->in);
    if (here > elements - e) NsGmshFail(&scan->in, "the blocks of $Elements hold more than the %zu elements it claims", elements);
    if (!scan->in.failed && type == LINE && entity->reversed) {
      PetscInt *run = scan->info->reversed_run[scan->info->reversed++];
      run[0]        = scan->info->lines;
      run[1]        = (PetscInt)here;
    }
    for (size_t k = 0; k < here && !scan->in.failed; k++, e++) {
      const long long number = NsGmshSize(&scan->in);
      for (int p = 0; p < points; p++) element_node(scan, number, sizeof(long long));
      NsGmshEndOfLine(&scan->in);
      scan->info->lines += type == LINE;
    }
  }
  if (e < elements) NsGmshFail(&scan->in, "the blocks of $Elements hold %zu elements instead of the %zu it claims", e, elements);
}

bool NsGmshScan(const char *path, const char *text, size_t size, NsArena *arena, NsDiag *diag, NsGmshInfo *info)
{
  Scan        scan = {.in = {.path = path, .text = text, .size = size, .arena = arena, .diag = diag}, .info = info};
  const char *next;

  memset(info, 0, sizeof *info);
  mesh_format(&scan);
  next = NsGmshSection(&scan.in, "the header");
  if (strcmp(next, "$PhysicalNames") == 0) {
    physical_names(&scan);
    next = NsGmshSection(&scan.in, "the header");
  }
  if (!scan.in.failed && !info->version22) {
    if (strcmp(next, "$Nodes") == 0) {
      NsGmshFail(&scan.in, "the section $Entities is missing, which a file of format 4.1 needs here");
      say_how_to_export(&scan);
    } else
      NsGmshExpect(&scan.in, next, "$Entities");
    entities(&scan);
    next = NsGmshSection(&scan.in, "the header");
  }
  if (strcmp(next, "$PartitionedEntities") == 0) NsGmshFail(&scan.in, "a partitioned mesh cannot be read; save it without partitions");
  NsGmshExpect(&scan.in, next, "$Nodes");
  scan.in.section = "$Nodes";
  if (info->version22)
    nodes_22(&scan);
  else
    nodes_41(&scan);
  index_nodes(&scan);
  NsGmshEndSection(&scan.in, "$EndNodes");
  next = NsGmshSection(&scan.in, "the part after $Nodes");
  NsGmshExpect(&scan.in, next, "$Elements");
  scan.in.section = "$Elements";
  if (info->version22)
    elements_22(&scan);
  else
    elements_41(&scan);
  NsGmshEndSection(&scan.in, "$EndElements");
  free(scan.node);
  free(scan.has_node);
  return !scan.in.failed;
}
