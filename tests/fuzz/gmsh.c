/*
  Mesh files: the reader, and the mesh made of what it reads.

  The input is a mesh file. What follows $EndElements is not read, so keys of `mesh` may stand behind the last "#mesh " in it: "#mesh {group: bar, scale: 1 mm}". Promises:
  a mesh or a message, within memory (PETSc's checked by its own debugging malloc); a mesh that comes out is one.
*/
#include "fuzz.h"
#include <math.h>
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "percuss/mesh.h"

static char path[64]; /* of a file in memory: the reader opens it by its name */
static int  file = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  file = memfd_create("percuss_fuzz", 0);
  if (file < 0) FuzzFinding("no file in memory");
  (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  (void)setenv("PETSC_OPTIONS", "-malloc_debug", 0);
  FuzzStartPetsc();
  return 0;
}

static void check_set(const NsMeshSet *set, PetscInt count, const char *what)
{
  FuzzExpect(set->name && *set->name, "%s without name", what);
  FuzzExpect(set->count > 0, "%s '%s' is empty", what, set->name);
  for (PetscInt i = 0; i < set->count; i++) {
    FuzzExpect(set->items[i] >= 0 && set->items[i] < count, "%s '%s' holds %ld of %ld", what, set->name, (long)set->items[i], (long)count);
    FuzzExpect(!i || set->items[i] > set->items[i - 1], "%s '%s' is not ascending", what, set->name);
  }
}

static void check_sides(const NsMesh *mesh, const NsMeshSideSet *set)
{
  FuzzExpect(set->count > 0 && NsMeshNodeSet(mesh, set->name), "sides '%s' are empty, or without nodes", set->name);
  for (PetscInt i = 0; i < set->count; i++)
    FuzzExpect(set->side[i][0] >= 0 && set->side[i][0] < mesh->elements && set->side[i][1] >= 0 && set->side[i][1] < mesh->shape->sides,
      "sides '%s' hold side %ld of element %ld", set->name, (long)set->side[i][1], (long)set->side[i][0]);
}

static void check_mesh(const NsMesh *mesh)
{
  FuzzExpect(mesh->nodes >= 2 && mesh->elements >= 1, "a mesh of %ld nodes and %ld elements", (long)mesh->nodes, (long)mesh->elements);
  for (PetscInt i = 0; i < 3 * mesh->nodes; i++) FuzzExpect(isfinite(mesh->x[i]), "a coordinate is %g", mesh->x[i]);
  for (PetscInt i = 0; i < mesh->shape->nodes * mesh->elements; i++)
    FuzzExpect(mesh->connection[i] >= 0 && mesh->connection[i] < mesh->nodes, "an element names node %ld of %ld", (long)mesh->connection[i],
      (long)mesh->nodes);
  for (PetscInt s = 0; s < mesh->node_sets; s++) check_set(&mesh->node_set[s], mesh->nodes, "node set");
  for (PetscInt s = 0; s < mesh->element_sets; s++) check_set(&mesh->element_set[s], mesh->elements, "element set");
  FuzzExpect(NsMeshNodeSet(mesh, "all") && NsMeshNodeSet(mesh, "all")->count == mesh->nodes, "'all' is not all nodes");
  FuzzExpect(isfinite(mesh->length) && mesh->length > 0, "a mesh %g m long", mesh->length);
  for (PetscInt s = 0; s < mesh->side_sets; s++) check_sides(mesh, &mesh->side_set[s]);
  for (PetscInt i = 1; mesh->along && i < mesh->nodes; i++)
    FuzzExpect(mesh->along[i] > mesh->along[i - 1], "node %ld is not after the one before", (long)i);
}

/* The keys behind the last "#mesh ", and the file. */
static bool read_settings(const char *text, size_t size, NsMeshSettings *settings, NsArena *arena, NsDiag *diag)
{
  const char *keys = NULL;
  NsNode     *root;

  for (const char *p = text; (p = memmem(p, (size_t)(text + size - p), "#mesh ", 6)); p += 6) keys = p + 6;
  if (!keys) keys = "{}";
  root = NsTreeReadText("fuzz.yaml", keys, strlen(keys), arena, diag);
  return root && root->kind == NS_NODE_MAP && !NsTreeChild(root, "line") && !NsTreeChild(root, "box") && !NsTreeChild(root, "lattice") &&
         NsTreeSet(root, NsArenaPrint(arena, "file=%s", path), arena, diag) && NsKeysRead(&NsTable_Mesh, root, settings, arena, diag);
}

/* The mesh of a body of lines, or of a solid in the plane or in space. */
static void make(const uint8_t *data, size_t size, int dimension)
{
  NsArena       *arena = NsArenaCreate();
  NsDiag        *diag  = NsDiagCreate(arena);
  NsMeshSettings settings;
  NsMesh        *mesh = NULL;

  if (read_settings(FuzzText(data, size, arena), size, &settings, arena, diag)) {
    settings.nodes.count = dimension == 1 ? settings.nodes.count : 0; /* no key of solids */
    FuzzCheck(dimension == 1 ? NsMeshCreate(&settings, arena, diag, &mesh) : NsMeshCreateSolid(&settings, dimension, arena, diag, &mesh));
    FuzzExpect(!mesh == (NsDiagErrors(diag) > 0), "%s", mesh ? "a mesh in spite of errors" : "no mesh, and no message");
    if (mesh) check_mesh(mesh);
  }
  (void)FuzzMessages(diag, arena);
  NsArenaDestroy(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) FuzzFinding("cannot write the file in memory");
  for (int dimension = 1; dimension <= 3; dimension++) make(data, size, dimension);
  return 0;
}
