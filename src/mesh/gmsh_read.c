/*
  The sections of a Gmsh file, format 4.1 or 2.2:

      $MeshFormat  version type size (binary: int 1)   $EndMeshFormat
      $PhysicalNames  number  {dimension tag "name"}   $EndPhysicalNames     may be absent
      $Entities  ...                                   $EndEntities          4.1 only
      $Nodes  ...  $EndNodes   $Elements  ...  $EndElements

  and $Comments between. What follows $EndElements is not read. Nothing is trusted: counts are bounded by the size of the file, and nodes and entities must exist.

  Reference: Gmsh manual, "MSH file format" and "Legacy formats: MSH file format version 2".
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/out_of_memory.h"
#include "collapsed.h"
#include "gmsh.h"

enum { LONGEST_NAME = 127 /* Gmsh's own limit */, POINT = 15, QUADRATIC_LINE = 8, MOST_NODES = 27 };

/* Gmsh's element types that can be read, but for points: a new one is a line here. */
static const struct {
  long long          type;
  const NsMeshShape *shape;
} types[] = {{1, &NsMeshShape_Line2}, {2, &NsMeshShape_Tri3}, {3, &NsMeshShape_Quad4}, {4, &NsMeshShape_Tet4}, {5, &NsMeshShape_Hex8},
  {6, &NsMeshShape_Prism}, {7, &NsMeshShape_Pyramid}, {8, &NsMeshShape_Line3}, {9, &NsMeshShape_Tri6}, {11, &NsMeshShape_Tet10}};

/* Elements that cannot be read: of which dimension they are, what they are called, of second or higher order. */
static const struct {
  long long   type;
  int         dimension;
  const char *name;
  bool        order; /* the first-order ones can be read */
} others[] = {{10, 2, "nine-node quadrangles", true}, {12, 3, "27-node hexahedra", true}, {16, 2, "eight-node quadrangles", true},
  {17, 3, "20-node hexahedra", true}, {20, 2, "nine-node triangles", true}, {21, 2, "ten-node triangles", true}, {29, 3, "20-node tetrahedra", true},
  {13, 3, "18-node prisms", false}, {14, 3, "14-node pyramids", false}, {18, 3, "15-node prisms", false}, {19, 3, "13-node pyramids", false},
  {26, 1, "four-node lines", true}};

typedef struct {
  long long tag;
  int       dimension, groups;
  PetscInt *group; /* [groups] */
} Entity;

typedef struct {
  NsGmshText  in;
  NsGmshMesh *mesh;
  Entity     *entity;
  size_t      entities;
  long long  *tag;   /* [nodes] the node's number in the file */
  size_t     *at;    /* [nodes] its position in the file, for messages */
  long long   least; /* smallest number */
  size_t      range; /* of numbers */
  PetscInt   *index; /* [range] node of a number, -1: none */
} Reader;

static void *allocate(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);

  if (!memory) NsOutOfMemory();
  return memory;
}

static void append(NsGmshList *list, PetscInt value)
{
  if (list->count == list->capacity) {
    list->capacity = 2 * list->capacity + 256;
    list->items    = realloc(list->items, list->capacity * sizeof *list->items);
    if (!list->items) NsOutOfMemory();
  }
  list->items[list->count++] = value;
}

/* Tags are negative where a curve is reversed in the group; 0 is no group. */
static void add_to_group(NsGmshList *list, PetscInt tag, PetscInt item)
{
  if (!tag) return;
  append(list, PetscAbsInt(tag));
  append(list, item);
}

static void say_how_to_export(Reader *reader)
{
  NsDiagNote(reader->in.diag, "write it again with Gmsh: gmsh old.msh -save -format msh41 -o new.msh");
}

static void read_format(Reader *reader)
{
  NsGmshText *in = &reader->in;
  const char *version, *type, *size, *zero;
  int         one;

  in->section = "$MeshFormat";
  if (in->size == 0) NsGmshFail(in, "the file is empty");
  if (strcmp(NsGmshSection(in, "the header"), "$MeshFormat") != 0) {
    const bool old = in->length == 4 && strncmp(in->text + in->token, "$NOD", 4) == 0;
    if (in->failed) return;
    NsGmshFail(in, old ? "a Gmsh file of the old format 1.0; formats 4.1 and 2.2 can be read" : "not a Gmsh mesh: it must begin with $MeshFormat");
    if (old)
      say_how_to_export(reader);
    else
      NsDiagNote(in->diag, "make one from a geometry: gmsh -1 -format msh41 geometry.geo");
    return;
  }
  in->section             = "$MeshFormat";
  version                 = NsGmshWord(in);
  reader->mesh->version22 = strcmp(version, "2.2") == 0;
  if (!in->failed && !reader->mesh->version22 && strcmp(version, "4.1") != 0) {
    NsGmshFail(in, "Gmsh format %s cannot be read; formats 4.1 and 2.2 can", NsGmshClipped(in));
    say_how_to_export(reader);
  }
  type              = NsGmshWord(in);
  const bool binary = strcmp(type, "1") == 0;
  if (!binary && strcmp(type, "0") != 0) NsGmshFail(in, "the file type is 0 (ASCII) or 1 (binary), not '%s'", NsGmshClipped(in));
  size = NsGmshWord(in);
  if (strcmp(size, "8") != 0) NsGmshFail(in, "numbers of 8 bytes are expected, not '%s'", NsGmshClipped(in));
  if (in->failed) return;
  zero = binary ? NULL : memchr(in->text, 0, in->size);
  if (zero) {
    in->token  = (size_t)(zero - in->text);
    in->length = 1;
    NsGmshFail(in, "a zero byte in an ASCII file; the file is damaged");
  }
  in->binary = binary;
  if (binary && NsGmshTake(in, &one, sizeof one) && one != 1)
    NsGmshFail(in, "not readable as a binary Gmsh file: it comes from a machine with another byte order, or was copied as text; write it as ASCII");
  NsGmshEndSection(in, "$EndMeshFormat");
}

/* The name is the rest of the line, after one blank. */
static void read_name(Reader *reader, NsGmshName *name)
{
  NsGmshText *in = &reader->in;
  const char *rest, *end, *newline, *close;
  long long   dimension, tag;

  (void)NsGmshWord(in);
  dimension = in->failed ? 0 : NsGmshToWhole(in);
  if (dimension < 0 || dimension > 3) NsGmshFail(in, "a physical group of dimension %lld", dimension);
  (void)NsGmshWord(in);
  tag = in->failed ? 1 : NsGmshToWhole(in);
  if (tag < 1 || tag > PETSC_MAX_INT - 1) NsGmshFail(in, "a physical group with the tag %lld", tag);
  if (in->failed) return;
  rest    = in->text + in->at;
  end     = in->text + in->size;
  newline = memchr(rest, '\n', (size_t)(end - rest));
  if (!newline) newline = end;
  for (close = newline; close > rest && NsGmshIsWhite(close[-1]); close--) continue;
  in->token  = in->at;
  in->length = (size_t)(close - rest);
  if (rest[-1] != ' ' || close - rest < 3 || rest[0] != '"' || close[-1] != '"' || memchr(rest, 0, in->length))
    NsGmshFail(in, "expected one blank and a name in double quotes after the tag of a physical group");
  else if (close - rest - 2 > LONGEST_NAME)
    NsGmshFail(in, "the name of a physical group has more than %d bytes", LONGEST_NAME);
  if (in->failed) return;
  *name  = (NsGmshName){(int)dimension, (int)tag, NsArenaCopy(in->arena, rest + 1, (size_t)(close - rest - 2))};
  in->at = (size_t)(newline - in->text) + (newline < end);
}

static void read_names(Reader *reader)
{
  size_t names;

  reader->in.section  = "$PhysicalNames";
  names               = NsGmshCountWord(&reader->in);
  reader->mesh->name  = NsArenaAlloc(reader->in.arena, (names + 1) * sizeof *reader->mesh->name);
  reader->mesh->names = (int)names;
  for (size_t k = 0; k < names && !reader->in.failed; k++) read_name(reader, &reader->mesh->name[k]);
  NsGmshEndSection(&reader->in, "$EndPhysicalNames");
}

static int compare_entities(const void *a, const void *b)
{
  const Entity *x = a, *y = b;

  if (x->dimension != y->dimension) return x->dimension - y->dimension;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static void read_entity(NsGmshText *in, int dimension, Entity *entity)
{
  entity->dimension = dimension;
  entity->tag       = NsGmshWhole(in);
  for (int d = 0; d < (dimension ? 6 : 3); d++) (void)NsGmshReal(in); /* bounding box */
  const size_t groups = NsGmshCount(in);
  entity->group       = NsArenaAlloc(in->arena, (groups + 1) * sizeof *entity->group);
  for (size_t g = 0; g < groups && !in->failed; g++) entity->group[entity->groups++] = (PetscInt)NsGmshWhole(in);
  for (size_t b = dimension ? NsGmshCount(in) : 0; b > 0 && !in->failed; b--) (void)NsGmshWhole(in); /* what bounds it */
  NsGmshEndOfLine(in);
}

static void read_entities(Reader *reader)
{
  static const char *const kind[] = {"point", "curve", "surface", "volume"};
  NsGmshText              *in     = &reader->in;
  size_t                   counts[4], k = 0;

  in->section = "$Entities";
  for (int d = 0; d < 4; d++) reader->entities += counts[d] = NsGmshCount(in);
  if (in->failed) return;
  reader->entity = NsArenaAlloc(in->arena, (reader->entities + 1) * sizeof *reader->entity);
  for (int d = 0; d < 4; d++)
    for (size_t n = 0; n < counts[d] && !in->failed; n++) read_entity(in, d, &reader->entity[k++]);
  if (!in->failed) qsort(reader->entity, reader->entities, sizeof *reader->entity, compare_entities);
  for (k = 1; k < reader->entities && !in->failed; k++)
    if (compare_entities(&reader->entity[k - 1], &reader->entity[k]) == 0)
      NsGmshFail(in, "%s %lld occurs twice in $Entities", kind[reader->entity[k].dimension], reader->entity[k].tag);
  NsGmshEndSection(in, "$EndEntities");
}

/* The entity of a block of nodes or elements; NULL after a mistake. */
static const Entity *block_entity(Reader *reader, int *dimension)
{
  NsGmshText   *in    = &reader->in;
  Entity        key   = {.dimension = (int)NsGmshWhole(in)};
  const Entity *found = NULL;

  key.tag    = NsGmshWhole(in);
  *dimension = key.dimension;
  if (!in->failed) found = bsearch(&key, reader->entity, reader->entities, sizeof key, compare_entities);
  if (!found) NsGmshFail(in, "%s refers to an entity of dimension %d and tag %lld that $Entities does not have", in->section, key.dimension, key.tag);
  return found;
}

static void allocate_nodes(Reader *reader, size_t nodes)
{
  if (reader->in.failed) return;
  reader->mesh->nodes = (PetscInt)nodes;
  reader->mesh->x     = allocate(nodes, 3 * sizeof *reader->mesh->x);
  reader->tag         = allocate(nodes, sizeof *reader->tag);
  reader->at          = allocate(nodes, sizeof *reader->at);
}

static void read_node_number(Reader *reader, size_t n, size_t bytes)
{
  const long long tag = NsGmshWholeOf(&reader->in, bytes, false);

  if (tag <= 0) NsGmshFail(&reader->in, "node %lld: nodes are numbered from 1", tag);
  if (reader->in.failed) return;
  reader->tag[n] = tag;
  reader->at[n]  = reader->in.token;
}

static void read_place(Reader *reader, size_t n)
{
  for (int d = 0; d < 3 && !reader->in.failed; d++) {
    const double x = NsGmshReal(&reader->in);

    if (!isfinite(x)) NsGmshFail(&reader->in, "a coordinate that is not finite");
    reader->mesh->x[3 * n + (size_t)d] = x;
  }
}

static void read_nodes_22(Reader *reader)
{
  const size_t nodes = NsGmshCountWord(&reader->in);

  allocate_nodes(reader, nodes);
  for (size_t n = 0; n < nodes && !reader->in.failed; n++) {
    read_node_number(reader, n, sizeof(int));
    read_place(reader, n);
    NsGmshEndOfLine(&reader->in);
  }
}

static void read_nodes_41(Reader *reader)
{
  NsGmshText     *in     = &reader->in;
  const size_t    blocks = NsGmshCount(in), nodes = NsGmshCount(in);
  const long long least = NsGmshSize(in), most = NsGmshSize(in);
  size_t          n = 0;

  if (nodes && (least < 1 || most < least)) NsGmshFail(in, "$Nodes states node numbers from %lld to %lld", least, most);
  allocate_nodes(reader, nodes);
  for (size_t block = 0; block < blocks && !in->failed; block++) {
    int    dimension;
    size_t here;

    (void)block_entity(reader, &dimension);
    if (NsGmshWhole(in) != 0) {
      NsGmshFail(in, "nodes with parametric coordinates cannot be read");
      NsDiagNote(in->diag, "set Mesh.SaveParametric = 0; in the .geo file and mesh again");
    }
    here = NsGmshCount(in);
    if (here > nodes - n) NsGmshFail(in, "the blocks of $Nodes contain more nodes than the %zu that it states", nodes);
    for (size_t k = 0; k < here && !in->failed; k++) read_node_number(reader, n + k, sizeof(long long));
    for (size_t k = 0; k < here && !in->failed; k++) read_place(reader, n + k);
    n += here;
  }
  if (n < nodes) NsGmshFail(in, "the blocks of $Nodes contain %zu nodes instead of the %zu that it states", n, nodes);
}

static void point_at(Reader *reader, PetscInt node)
{
  NsGmshText *in = &reader->in;

  in->token = in->at = reader->at[node];
  in->length         = in->binary ? 0 : strcspn(in->text + in->token, " \t\r\n");
}

/* Makes the table of node numbers; few nodes with huge numbers are refused. */
static void index_nodes(Reader *reader)
{
  const PetscInt nodes   = reader->mesh->nodes;
  PetscInt       largest = 0;

  if (reader->in.failed || !nodes) return;
  reader->least = reader->tag[0];
  for (PetscInt n = 0; n < nodes; n++) {
    reader->least = PetscMin(reader->least, reader->tag[n]);
    if (reader->tag[n] > reader->tag[largest]) largest = n;
  }
  const long long most = reader->tag[largest];
  if ((most - reader->least) / 100 > (long long)nodes + 10000) {
    point_at(reader, largest);
    NsGmshFail(&reader->in, "the %ld nodes have numbers from %lld to %lld, which is too sparse", (long)nodes, reader->least, most);
    NsDiagNote(reader->in.diag, "let Gmsh renumber them: RenumberMeshNodes; in the .geo file, or Tools, Renumber");
    return;
  }
  reader->range = (size_t)(most - reader->least) + 1;
  reader->index = allocate(reader->range, sizeof *reader->index);
  for (size_t k = 0; k < reader->range; k++) reader->index[k] = -1;
  for (PetscInt n = 0; n < nodes && !reader->in.failed; n++) {
    PetscInt *index = &reader->index[reader->tag[n] - reader->least];

    if (*index >= 0) {
      point_at(reader, n);
      NsGmshFail(&reader->in, "node %lld occurs twice", reader->tag[n]);
    }
    *index = n;
  }
}

/* Of bodies of lines: no other elements may be in the file. */
static void fail_beside_lines(Reader *reader, long long type)
{
  static const char *const names[] = {"", "", "triangles", "quadrangles", "tetrahedra", "hexahedra", "prisms", "pyramids"};
  NsGmshText              *in      = &reader->in;

  if (type == QUADRATIC_LINE || (type >= 26 && type <= 28) || (type >= 62 && type <= 66)) {
    NsGmshFail(in, "the file has lines of %s; only two-node lines can be read", type == QUADRATIC_LINE ? "three nodes" : "more than three nodes");
    NsDiagNote(in->diag, "mesh with first-order elements: gmsh -1 -order 1 geometry.geo, or Mesh.ElementOrder = 1; in the .geo file");
  } else {
    NsGmshFail(in, "the file has %s; only two-node lines can be read",
      type >= 2 && type <= 7 ? names[type] : NsArenaPrint(in->arena, "elements of Gmsh's type %lld", type));
    NsDiagNote(in->diag, "mesh the curves alone: gmsh -1 geometry.geo");
  }
}

/* Of solids: elements that no solid can have. */
static void fail_unknown(Reader *reader, long long type)
{
  NsGmshText *in = &reader->in;
  size_t      k  = 0;

  while (k < sizeof others / sizeof *others && others[k].type != type) k++;
  const bool known = k < sizeof others / sizeof *others;
  NsGmshFail(in, "the file has %s, which cannot be read", known ? others[k].name : NsArenaPrint(in->arena, "elements of Gmsh's type %lld", type));
  if (known && !others[k].order)
    NsDiagNote(in->diag, "mesh with first-order elements: Mesh.ElementOrder = 1; in the .geo file");
  else
    NsDiagNote(in->diag, "mesh with first-order elements: Mesh.ElementOrder = 1; in the .geo file; of second order, tetrahedra can be read");
}

/* The shape of a mesh that has elements of these two shapes; NULL: no mesh has both. */
static const NsMeshShape *shape_of_both(const NsMeshShape *a, const NsMeshShape *b)
{
  const NsMeshCollapse *of_a = NsMeshCollapseOf(a), *of_b = NsMeshCollapseOf(b);
  const NsMeshShape    *host_a = of_a ? of_a->host : a, *host_b = of_b ? of_b->host : b;

  return a == b ? a : host_a == host_b ? host_a : NULL;
}

/* Whether a shape can be the element of a solid, of a body of this dimension. */
static bool is_solid(const NsMeshShape *shape, int dimension)
{
  return shape->dimension == dimension && shape->sides > 0;
}

/* Whether a solid may have elements of this shape, or of a lower dimension on its surface; otherwise says why not. */
static bool suits_solid(Reader *reader, const NsMeshShape *shape)
{
  NsGmshText *in        = &reader->in;
  const int   dimension = reader->mesh->dimension;

  if (shape->dimension > dimension) {
    NsGmshFail(in, "the file has %s, but this body lies in the x-y plane (its `state`)", shape->name);
    NsDiagNote(in->diag, "mesh the surfaces alone (gmsh -2 geometry.geo), or leave out `state` for a body in space");
  } else if (shape->dimension == dimension && !is_solid(shape, dimension)) {
    NsGmshFail(in, "the file has %s; in the plane only three-node triangles and four-node quadrangles can be read", shape->name);
    NsDiagNote(in->diag, "mesh with first-order elements: gmsh -2 -order 1 geometry.geo, or Mesh.ElementOrder = 1; in the .geo file");
  } else if (shape->dimension == dimension && reader->mesh->shape && !shape_of_both(reader->mesh->shape, shape)) {
    NsGmshFail(in, "the file has %s and %s, which have no sides in common", reader->mesh->shape->name, shape->name);
    NsDiagNote(in->diag, "a body is made of ten-node tetrahedra alone, or of elements of first order: Mesh.ElementOrder = 1; in the .geo file");
  }
  return !in->failed;
}

/* The shape of an element type; points have no shape, and *nodes is 1. */
static const NsMeshShape *shape_of(Reader *reader, long long type, int *nodes)
{
  *nodes = 0;
  if (reader->in.failed) return NULL;
  if (type == POINT) {
    *nodes = 1;
    return NULL;
  }
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    if (types[k].type != type || (reader->mesh->dimension == 1 && types[k].shape != &NsMeshShape_Line2)) continue;
    if (reader->mesh->dimension > 1 && !suits_solid(reader, types[k].shape)) return NULL;
    *nodes = types[k].shape->nodes;
    return types[k].shape;
  }
  if (reader->mesh->dimension == 1)
    fail_beside_lines(reader, type);
  else
    fail_unknown(reader, type);
  return NULL;
}

/* A point, or what is on a curve or surface of a solid (shape): its nodes are in the group, and it may be a side of an element. */
static void add_below(NsGmshMesh *mesh, const NsMeshShape *shape, PetscInt group, int nodes, const PetscInt *node)
{
  const int dimension = shape ? shape->dimension : 0;

  for (int k = 0; k < nodes; k++) add_to_group(&mesh->node_group[dimension], group, node[k]);
  if (!group || !shape || dimension != mesh->dimension - 1) return;
  append(&mesh->side, PetscAbsInt(group));
  for (int k = 0; k < 4; k++) append(&mesh->side, k < shape->corners ? node[k] : -1);
}

/* The elements so far get the nodes of the shape `to`. */
static void widen(NsGmshMesh *mesh, const NsMeshShape *to)
{
  const NsMeshCollapse *collapse = NsMeshCollapseOf(mesh->shape);
  const NsGmshList      from     = mesh->connection;

  mesh->connection = (NsGmshList){0, 0, NULL};
  for (size_t first = 0; first < from.count; first += (size_t)mesh->shape->nodes)
    for (int k = 0; k < to->nodes; k++) append(&mesh->connection, from.items[first + (size_t)collapse->node_at[k]]);
  free(from.items);
  mesh->shape = to;
}

static void add_element(NsGmshMesh *mesh, const NsMeshShape *shape, const PetscInt *node)
{
  const NsMeshCollapse *collapse = NsMeshCollapseOf(shape);

  if (!mesh->shape) mesh->shape = shape == &NsMeshShape_Prism || shape == &NsMeshShape_Pyramid ? collapse->host : shape;
  if (shape_of_both(mesh->shape, shape) != mesh->shape) widen(mesh, shape_of_both(mesh->shape, shape));
  for (int k = 0; k < mesh->shape->nodes; k++) append(&mesh->connection, node[shape == mesh->shape ? k : collapse->node_at[k]]);
  mesh->elements++;
}

/* The nodes of an element, as many as its shape has, or one of a point (shape NULL); and its groups. */
static void read_element(Reader *reader, const NsMeshShape *shape, long long number, size_t bytes, int groups, const PetscInt *group)
{
  NsGmshMesh *mesh = reader->mesh;
  PetscInt    node[MOST_NODES];
  const int   nodes = shape ? shape->nodes : 1;

  for (int k = 0; k < nodes; k++) {
    const long long tag   = NsGmshWholeOf(&reader->in, bytes, true);
    const bool      known = tag >= reader->least && (size_t)(tag - reader->least) < reader->range && reader->index[tag - reader->least] >= 0;

    if (!known) NsGmshFail(&reader->in, "element %lld has a node %lld that $Nodes does not have", number, tag);
    if (reader->in.failed) return;
    node[k] = reader->index[tag - reader->least];
  }
  NsGmshEndOfLine(&reader->in);
  for (int g = 0; g < groups; g++) {
    if (shape && shape->dimension == mesh->dimension)
      add_to_group(&mesh->element_group, group[g], mesh->elements);
    else
      add_below(mesh, shape, group[g], nodes, node);
  }
  if (!shape || shape->dimension < mesh->dimension) return;
  append(&mesh->number, (PetscInt)PetscMin(number, PETSC_MAX_INT));
  add_element(mesh, shape, node);
}

static void read_elements_22(Reader *reader)
{
  NsGmshText  *in       = &reader->in;
  const size_t elements = NsGmshCountWord(in);

  for (size_t e = 0; e < elements && !in->failed;) {
    /* ASCII: number type tags; binary: type elements tags, then their numbers */
    const long long    first = NsGmshWhole(in), second = NsGmshWholeOf(in, sizeof(int), true), here = in->binary ? second : 1;
    int                nodes;
    const NsMeshShape *shape = shape_of(reader, in->binary ? first : second, &nodes);
    const long long    tags  = NsGmshWholeOf(in, sizeof(int), true);

    if (here < 1 || (size_t)here > elements - e)
      NsGmshFail(in, "the blocks of $Elements contain more elements than the %zu that it states", elements);
    if (tags < 0) NsGmshFail(in, "an element with %lld tags", tags);
    for (long long k = 0; k < here && !in->failed; k++, e++) {
      const long long number = in->binary ? NsGmshWhole(in) : first;
      PetscInt        group  = 0; /* the first tag; the others are not groups */

      for (long long t = 0; t < tags && !in->failed; t++) {
        const PetscInt tag = (PetscInt)NsGmshWholeOf(in, sizeof(int), true);
        if (t == 0) group = tag;
      }
      read_element(reader, shape, number, sizeof(int), 1, &group);
    }
  }
}

static void read_elements_41(Reader *reader)
{
  NsGmshText  *in     = &reader->in;
  const size_t blocks = NsGmshCount(in), elements = NsGmshCount(in);
  size_t       e = 0;

  (void)NsGmshSize(in); /* smallest and largest element number */
  (void)NsGmshSize(in);
  for (size_t block = 0; block < blocks && !in->failed; block++) {
    int                nodes, dimension;
    const Entity      *entity = block_entity(reader, &dimension);
    const long long    type   = NsGmshWhole(in);
    const NsMeshShape *shape  = shape_of(reader, type, &nodes);
    size_t             here;

    if (nodes && dimension != (shape ? shape->dimension : 0)) NsGmshFail(in, "elements of type %lld in an entity of dimension %d", type, dimension);
    here = NsGmshCount(in);
    if (here > elements - e) NsGmshFail(in, "the blocks of $Elements contain more elements than the %zu that it states", elements);
    for (size_t k = 0; k < here && !in->failed; k++, e++) {
      const long long number = NsGmshSize(in);
      read_element(reader, shape, number, sizeof(long long), entity ? entity->groups : 0, entity ? entity->group : NULL);
    }
  }
  if (e < elements) NsGmshFail(in, "the blocks of $Elements contain %zu elements instead of the %zu that it states", e, elements);
}

static void read_sections(Reader *reader)
{
  NsGmshText *in = &reader->in;
  const char *next;

  read_format(reader);
  next = NsGmshSection(in, "the header");
  if (strcmp(next, "$PhysicalNames") == 0) {
    read_names(reader);
    next = NsGmshSection(in, "the header");
  }
  if (!in->failed && !reader->mesh->version22) {
    if (strcmp(next, "$Nodes") == 0) {
      NsGmshFail(in, "the section $Entities is missing, which a file of format 4.1 needs here");
      say_how_to_export(reader);
    } else
      NsGmshExpect(in, next, "$Entities");
    read_entities(reader);
    next = NsGmshSection(in, "the header");
  }
  if (strcmp(next, "$PartitionedEntities") == 0) NsGmshFail(in, "a partitioned mesh cannot be read; save it without partitions");
  NsGmshExpect(in, next, "$Nodes");
  in->section = "$Nodes";
  if (reader->mesh->version22)
    read_nodes_22(reader);
  else
    read_nodes_41(reader);
  index_nodes(reader);
  NsGmshEndSection(in, "$EndNodes");
  next = NsGmshSection(in, "the part after $Nodes");
  NsGmshExpect(in, next, "$Elements");
  in->section = "$Elements";
  if (reader->mesh->version22)
    read_elements_22(reader);
  else
    read_elements_41(reader);
  NsGmshEndSection(in, "$EndElements");
}

bool NsGmshRead(const char *path, const char *text, size_t size, int dimension, NsArena *arena, NsDiag *diag, NsGmshMesh *mesh)
{
  Reader reader = {.in = {.path = path, .text = text, .size = size, .arena = arena, .diag = diag}, .mesh = mesh};

  *mesh = (NsGmshMesh){.dimension = dimension, .shape = dimension == 1 ? &NsMeshShape_Line2 : NULL};
  read_sections(&reader);
  mesh->tag = reader.tag;
  free(reader.at);
  free(reader.index);
  return !reader.in.failed;
}

void NsGmshFree(NsGmshMesh *mesh)
{
  free(mesh->x);
  free(mesh->tag);
  free(mesh->connection.items);
  free(mesh->number.items);
  free(mesh->side.items);
  for (int d = 0; d < 3; d++) free(mesh->node_group[d].items);
  free(mesh->element_group.items);
}
