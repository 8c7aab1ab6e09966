/*
  A mesh of lines from a Gmsh file, through PETSc's DMPlex.

  What was found out about DMPlexCreateGmsh of PETSc 3.18 on meshes of lines:
  - `-dm_plex_gmsh_spacedim 3` keeps all coordinates; without it a mesh of dimension 1 has only x.
  - With interpolate, physical curves are the label "Cell Sets" and physical points the label "Face Sets", by tag. Without, points are lost.
    `-dm_plex_gmsh_mark_vertices` brings them back as "Vertex Sets", but in format 4.1 puts the nodes of curves with the curve's tag among them.
  - Names are lost. `-dm_plex_gmsh_use_regions` keeps them as labels, but mixes points and curves that have the same tag. So names come from our
    own scan.
  - A curve in several groups is one element with several tags in format 4.1 (`-dm_plex_gmsh_multiple_tags` keeps them all), and in format 2.2
    several elements with a tag each, which are joined here; the second tag of 2.2 is no group, so there the option must be off.
  - The tag -1 (a curve that is turned round in group 1: Physical Curve(1) = {-1}) is dropped, as -1 is a label's "no value"; the scan lists its lines.
  - Periodic curves would be glued together: `-dm_plex_gmsh_periodic 0`.
  - It is not safe on broken files: see gmsh_scan.c.

  The options are put in a database of their own, which only the viewer knows: the user's options are neither changed nor asked.
*/
#include <errno.h>
#include <locale.h>
#include <petscdmplex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/out_of_memory.h"
#include "core/petsc_message.h"
#include "core/text.h"
#include "mesh_private.h"

typedef struct {
  PetscInt  tag; /* positive */
  NsMeshSet set;
} Group;

typedef struct {
  int    count;
  Group *group; /* [count] by ascending tag */
} Groups;

/* The whole file with a NUL behind it, to be freed; NULL with the reason. */
static char *load(const char *path, size_t *size, const char **reason)
{
  struct stat status;
  FILE       *file = fopen(path, "rb");
  char       *text = NULL;

  *size   = 0;
  *reason = NULL;
  if (!file && errno == ENOMEM) NsOutOfMemory();
  if (!file || fstat(fileno(file), &status) != 0)
    *reason = strerror(errno);
  else if (!S_ISREG(status.st_mode))
    *reason = S_ISDIR(status.st_mode) ? "it is a folder" : "it is no regular file";
  else {
    text = malloc((size_t)status.st_size + 1);
    if (!text) NsOutOfMemory();
    *size = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file)) *reason = strerror(errno);
    text[*size] = '\0';
  }
  if (file) fclose(file);
  if (*reason) {
    free(text);
    text = NULL;
  }
  return text;
}

static PetscErrorCode read_plex(const char *path, const NsGmshInfo *info, PetscOptions options, DM *dm)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerCreate(PETSC_COMM_SELF, &viewer));
  PetscCall(PetscViewerSetType(viewer, info->binary ? PETSCVIEWERBINARY : PETSCVIEWERASCII));
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_READ));
  if (info->binary) PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE)); /* a file PATH.info would be read as options */
  PetscCall(PetscViewerFileSetName(viewer, path));
  PetscCall(PetscObjectSetOptions((PetscObject)viewer, options));
  PetscCall(DMPlexCreateGmsh(PETSC_COMM_SELF, viewer, PETSC_TRUE, dm));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

/* *dm is NULL, and reason set, when PETSc gave up; what it had allocated until then is lost, as its own clean-up would go astray. */
static PetscErrorCode create_plex(const char *path, const NsGmshInfo *info, DM *dm, char reason[PETSC_MAX_PATH_LEN])
{
  PetscOptions   options;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  reason[0] = '\0';
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsSetValue(options, "-dm_plex_gmsh_spacedim", "3"));
  PetscCall(PetscOptionsSetValue(options, "-dm_plex_gmsh_periodic", "0"));
  PetscCall(PetscOptionsSetValue(options, "-dm_plex_gmsh_multiple_tags", info->version22 ? "0" : "1"));
  PetscCall(PetscPushErrorHandler(NsKeepMessage, reason));
  errno = 0;
  code  = read_plex(path, info, options, dm);
  if (code && errno == ENOMEM) NsOutOfMemory(); /* opening the file: PETSc would blame that */
  PetscCall(PetscPopErrorHandler());
  if (code) {
    *dm = NULL;
    if (!reason[0]) PetscCall(PetscSNPrintf(reason, PETSC_MAX_PATH_LEN, "PETSc's reader fails with error %d", (int)code));
  }
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(0);
}

static const char *group_name(const NsGmshInfo *info, int dim, PetscInt tag, NsArena *arena)
{
  for (int k = 0; k < info->names; k++)
    if (info->name[k].dim == dim && info->name[k].tag == tag) return info->name[k].name;
  return NsArenaPrint(arena, "%ld", (long)tag);
}

/* Adds items to the group of this tag; two tags of one name are one group. */
static void add_to_group(Groups *groups, const char *name, PetscInt tag, const PetscInt items[], PetscInt count, NsArena *arena)
{
  NsMeshSet *set = NULL;
  PetscInt  *all;

  for (int g = 0; g < groups->count && !set; g++)
    if (strcmp(groups->group[g].set.name, name) == 0) set = &groups->group[g].set;
  if (!set) {
    int g = groups->count++;
    for (; g > 0 && groups->group[g - 1].tag > tag; g--) groups->group[g] = groups->group[g - 1];
    groups->group[g] = (Group){tag, {name, 0, NULL}};
    set              = &groups->group[g].set;
  }
  all = NsArenaAlloc(arena, (size_t)(set->count + count) * sizeof *all);
  if (set->count) memcpy(all, set->items, (size_t)set->count * sizeof *all);
  memcpy(all + set->count, items, (size_t)count * sizeof *all);
  set->items = all;
  set->count += count;
}

/* The groups of a label; its points are counted from first. */
static PetscErrorCode read_groups(DM dm, const char *label_name, int dim, PetscInt first, const NsGmshInfo *info, NsArena *arena, Groups *groups)
{
  DMLabel         label;
  IS              values, points;
  const PetscInt *value, *point;
  PetscInt        number = 0, count, *items;

  PetscFunctionBeginUser;
  PetscCall(DMGetLabel(dm, label_name, &label));
  if (label) PetscCall(DMLabelGetNumValues(label, &number));
  groups->count = 0;
  groups->group = NsArenaAlloc(arena, (size_t)(number + 1) * sizeof *groups->group); /* and one for the tag -1 */
  if (!number) PetscFunctionReturn(0);
  PetscCall(DMLabelGetValueIS(label, &values));
  PetscCall(ISGetIndices(values, &value));
  for (PetscInt v = 0; v < number; v++) {
    const PetscInt tag = value[v] < 0 ? -value[v] : value[v]; /* negative: the curve is turned round in the group */
    if (tag == 0) continue;                                   /* in no group */
    PetscCall(DMLabelGetStratumIS(label, value[v], &points));
    PetscCall(ISGetLocalSize(points, &count));
    PetscCall(ISGetIndices(points, &point));
    PetscCall(PetscMalloc1(count, &items));
    for (PetscInt k = 0; k < count; k++) items[k] = point[k] - first;
    add_to_group(groups, group_name(info, dim, tag, arena), tag, items, count, arena);
    PetscCall(PetscFree(items));
    PetscCall(ISRestoreIndices(points, &point));
    PetscCall(ISDestroy(&points));
  }
  PetscCall(ISRestoreIndices(values, &value));
  PetscCall(ISDestroy(&values));
  PetscFunctionReturn(0);
}

static PetscErrorCode add_reversed(const NsGmshInfo *info, NsArena *arena, Groups *curves)
{
  PetscInt *items;

  PetscFunctionBeginUser;
  for (PetscInt r = 0; r < info->reversed; r++) {
    const PetscInt first = info->reversed_run[r][0], count = info->reversed_run[r][1];
    if (!count) continue;
    PetscCall(PetscMalloc1(count, &items));
    for (PetscInt k = 0; k < count; k++) items[k] = first + k; /* DMPlex keeps the file's order of the lines */
    add_to_group(curves, group_name(info, 1, 1, arena), 1, items, count, arena);
    PetscCall(PetscFree(items));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode read_geometry(DM dm, PetscReal scale, NsMesh *raw)
{
  PetscInt           cells[2], vertices[2], offset;
  const PetscInt    *cone;
  const PetscScalar *value;
  PetscSection       section;
  Vec                coordinates;

  PetscFunctionBeginUser;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cells[0], &cells[1]));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vertices[0], &vertices[1]));
  raw->elements = cells[1] - cells[0];
  raw->nodes    = vertices[1] - vertices[0];
  PetscCall(PetscMalloc2(3 * (size_t)raw->nodes, &raw->x, 2 * (size_t)raw->elements, &raw->connection));
  for (PetscInt e = 0; e < raw->elements; e++) {
    PetscCall(DMPlexGetCone(dm, cells[0] + e, &cone));
    for (int k = 0; k < 2; k++) raw->connection[2 * e + k] = cone[k] - vertices[0];
  }
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(VecGetArrayRead(coordinates, &value));
  for (PetscInt i = 0; i < raw->nodes; i++) {
    PetscCall(PetscSectionGetOffset(section, vertices[0] + i, &offset));
    for (int d = 0; d < 3; d++) raw->x[3 * i + d] = scale * PetscRealPart(value[offset + d]);
  }
  PetscCall(VecRestoreArrayRead(coordinates, &value));
  PetscFunctionReturn(0);
}

static void write_set(NsMeshSet *set, const PetscInt new_of[])
{
  PetscInt kept = 0;

  for (PetscInt k = 0; k < set->count; k++)
    if (new_of[set->items[k]] >= 0) set->items[kept++] = new_of[set->items[k]];
  set->count = kept;
}

/* What is left of the sets when items are dropped and renumbered (new_of[old], -1: dropped); empty ones go. */
static void write_sets(const Groups *groups, const PetscInt new_of[], NsArena *arena, PetscInt *count, NsMeshSet **sets)
{
  *count = 0;
  *sets  = NsArenaAlloc(arena, (size_t)(groups->count + 1) * sizeof **sets);
  for (int g = 0; g < groups->count; g++) {
    NsMeshSet set = groups->group[g].set;
    write_set(&set, new_of);
    if (set.count) (*sets)[(*count)++] = set;
  }
}

/* In format 2.2 a line in several groups is written once for each: joined[e] is the first of such copies of element e, otherwise e itself.
   A copy for the same group is a mistake and stays, to be found later. Goes by the lower node of each line, which keeps it linear. */
static PetscErrorCode join_copies(const NsMesh *raw, const Groups *curves, PetscInt joined[])
{
  const PetscInt *c = raw->connection;
  PetscInt       *tag, *next, *first, *seen;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(raw->elements, &tag));
  PetscCall(PetscMalloc3(raw->elements, &next, raw->nodes, &first, raw->nodes, &seen));
  for (int g = 0; g < curves->count; g++)
    for (PetscInt k = 0; k < curves->group[g].set.count; k++) tag[curves->group[g].set.items[k]] = curves->group[g].tag;
  for (PetscInt i = 0; i < raw->nodes; i++) first[i] = seen[i] = -1;
  for (PetscInt e = raw->elements - 1; e >= 0; e--) { /* backwards, so that the lists below are in the file's order */
    const PetscInt low = PetscMin(c[2 * e], c[2 * e + 1]);
    next[e]            = first[low];
    first[low]         = e;
  }
  for (PetscInt low = 0; low < raw->nodes; low++) {
    for (PetscInt e = first[low]; e >= 0; e = next[e]) {
      const PetscInt high = PetscMax(c[2 * e], c[2 * e + 1]), other = seen[high];
      const bool     copy = other >= 0 && PetscMin(c[2 * other], c[2 * other + 1]) == low;
      joined[e]           = copy && tag[other] != tag[e] ? other : e;
      if (!copy) seen[high] = e;
    }
  }
  PetscCall(PetscFree3(next, first, seen));
  PetscCall(PetscFree(tag));
  PetscFunctionReturn(0);
}

/* Element new_of[e] for element e, -1 for those outside the wanted group. */
static PetscErrorCode keep_elements(const NsMesh *raw, const Groups *curves, const NsMeshSet *wanted, bool join, PetscInt new_of[], PetscInt *kept)
{
  PetscInt *joined;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(raw->elements, &joined));
  for (PetscInt e = 0; e < raw->elements; e++) joined[e] = e;
  if (join) PetscCall(join_copies(raw, curves, joined));
  for (PetscInt e = 0; e < raw->elements; e++) new_of[e] = wanted ? -1 : 0;
  for (PetscInt k = 0; wanted && k < wanted->count; k++) new_of[joined[wanted->items[k]]] = 0;
  *kept = 0;
  for (PetscInt e = 0; e < raw->elements; e++) /* the first copy comes first */
    if (joined[e] != e)
      new_of[e] = new_of[joined[e]];
    else if (new_of[e] >= 0)
      new_of[e] = (*kept)++;
  PetscCall(PetscFree(joined));
  PetscFunctionReturn(0);
}

/* Drops elements outside the group and nodes without element, in place. */
static PetscErrorCode reduce(const Groups *points, const Groups *curves, const NsMeshSet *wanted, const NsGmshInfo *info, NsArena *arena, NsMesh *raw)
{
  PetscInt *element, *node, kept = 0, nodes = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(raw->elements, &element, raw->nodes, &node));
  PetscCall(keep_elements(raw, curves, wanted, info->version22, element, &kept));
  for (PetscInt i = 0; i < raw->nodes; i++) node[i] = -1;
  for (PetscInt e = 0; e < raw->elements; e++)
    for (int k = 0; k < 2 && element[e] >= 0; k++) node[raw->connection[2 * e + k]] = 0;
  for (PetscInt i = 0; i < raw->nodes; i++) {
    if (node[i] < 0) continue;
    node[i] = nodes++;
    PetscCall(PetscArraymove(raw->x + 3 * node[i], raw->x + 3 * i, 3));
  }
  for (PetscInt e = 0; e < raw->elements; e++) /* new numbers are never above old ones */
    for (int k = 0; k < 2 && element[e] >= 0; k++) raw->connection[2 * element[e] + k] = node[raw->connection[2 * e + k]];
  write_sets(points, node, arena, &raw->node_sets, &raw->node_set);
  write_sets(curves, element, arena, &raw->element_sets, &raw->element_set);
  raw->nodes    = nodes;
  raw->elements = kept;
  PetscCall(PetscFree2(element, node));
  PetscFunctionReturn(0);
}

/* Without a wanted group every physical point should be on the mesh. */
static void warn_of_lost_points(const Groups *points, const NsMesh *raw, const NsMeshSettings *settings, NsPlace place, NsDiag *diag)
{
  for (int g = 0; g < points->count; g++) {
    const char *name  = points->group[g].set.name;
    bool        found = false;
    for (PetscInt s = 0; s < raw->node_sets; s++) found = found || strcmp(raw->node_set[s].name, name) == 0;
    if (!found) NsDiagWarning(diag, place, "the physical point '%s' of '%s' is on no line and is left out", name, settings->file);
  }
}

/* The wanted group; NULL with a message. */
static const NsMeshSet *find_group(
  const NsMeshSettings *settings, const Groups *points, const Groups *curves, const NsGmshInfo *info, NsArena *arena, NsDiag *diag)
{
  const NsPlace place = NsKeysPlace(settings->where, "group");
  const char   *group = settings->group, *file = settings->file, *near;
  const char  **names = NsArenaAlloc(arena, ((size_t)curves->count + 1) * sizeof *names);

  for (int g = 0; g < curves->count; g++) {
    names[g] = curves->group[g].set.name;
    if (strcmp(names[g], group) == 0) return &curves->group[g].set;
  }
  for (int k = 0; k < info->names; k++) {
    if (info->name[k].dim != 1 || strcmp(info->name[k].name, group) != 0) continue;
    NsDiagError(diag, place, "the group '" NS_CLIP "' of '%s' has no elements", NsClip(group), file);
    NsDiagNote(diag, "its curves were not meshed: gmsh -1 geometry.geo");
    return NULL;
  }
  if (!curves->count) {
    NsDiagError(diag, place, "'%s' has no physical curves, so there is no group '" NS_CLIP "'", file, NsClip(group));
    NsDiagNote(
      diag, "leave out `group` to take all lines, or add Physical Curve(\"" NS_CLIP "\") = {1}; to the .geo file and mesh again", NsClip(group));
    return NULL;
  }
  near = NsNearestWord(group, names);
  NsDiagError(
    diag, place, "unknown group '" NS_CLIP "' in '%s'%s", NsClip(group), file, near ? NsArenaPrint(arena, "; did you mean '%s'?", near) : "");
  for (int g = 0; g < points->count; g++)
    if (strcmp(points->group[g].set.name, group) == 0) NsDiagNote(diag, "'%s' is a physical point; a group is a physical curve", group);
  NsDiagNote(diag, "valid groups: %s", NsMeshWords(names, arena));
  return NULL;
}

static PetscErrorCode from_plex(
  DM dm, const NsMeshSettings *settings, const NsGmshInfo *info, NsPlace place, NsArena *arena, NsDiag *diag, NsMesh *raw)
{
  Groups           points, curves;
  PetscInt         cells, vertices;
  const NsMeshSet *wanted = NULL;

  PetscFunctionBeginUser;
  PetscCall(read_geometry(dm, settings->scale, raw));
  PetscCheck(
    raw->elements == info->lines, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " cells of %" PetscInt_FMT " lines", raw->elements, info->lines);
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cells, NULL));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vertices, NULL));
  PetscCall(read_groups(dm, "Cell Sets", 1, cells, info, arena, &curves));
  PetscCall(read_groups(dm, "Face Sets", 0, vertices, info, arena, &points));
  PetscCall(add_reversed(info, arena, &curves));
  if (settings->group) wanted = find_group(settings, &points, &curves, info, arena, diag);
  if (settings->group && !wanted) {
    raw->elements = 0;
    PetscFunctionReturn(0);
  }
  PetscCall(reduce(&points, &curves, wanted, info, arena, raw));
  if (!wanted) warn_of_lost_points(&points, raw, settings, place, diag);
  PetscFunctionReturn(0);
}

/* strtod here and scanf in PETSc read numbers as the locale writes them. */
static locale_t use_plain_numbers(locale_t *plain)
{
  *plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  return uselocale(*plain);
}

PetscErrorCode NsMeshRawGmsh(const NsMeshSettings *settings, NsArena *arena, NsDiag *diag, NsMesh *raw)
{
  const NsNode *node  = NsTreeChild(settings->where, "file"); /* NULL: `mesh: bar.msh`, where the mesh itself is the name */
  const NsPlace place = NsKeysPlace(settings->where, "file");
  const char   *path  = NsTreeFile(node ? node : settings->where, arena), *reason;
  char          message[PETSC_MAX_PATH_LEN];
  NsGmshInfo    info;
  size_t        size;
  char         *text = load(path, &size, &reason);
  locale_t      plain, users;
  bool          good;
  DM            dm = NULL;

  PetscFunctionBeginUser;
  if (!text) {
    NsDiagError(diag, place, "cannot read the mesh file '%s': %s", settings->file, reason);
    if (strcmp(path, settings->file) != 0) NsDiagNote(diag, "looked for %s", path);
    PetscFunctionReturn(0);
  }
  users = use_plain_numbers(&plain);
  good  = NsGmshScan(path, text, size, arena, diag, &info);
  free(text);
  if (good && info.lines) PetscCall(create_plex(path, &info, &dm, message));
  uselocale(users);
  freelocale(plain);
  if (!good) PetscFunctionReturn(0);
  if (!info.lines) {
    NsDiagError(diag, place, "'%s' has no line elements", settings->file);
    NsDiagNote(
      diag, "mesh the curves (gmsh -1 geometry.geo); once there is a physical group, Gmsh saves only such: add Physical Curve(\"bar\") = {1};");
    PetscFunctionReturn(0);
  }
  if (!dm) {
    NsDiagError(diag, place, "'%s' is not readable as a Gmsh file: %s", settings->file, message);
    PetscFunctionReturn(0);
  }
  PetscCall(from_plex(dm, settings, &info, place, arena, diag, raw));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(0);
}
