/* Regular grids of nodes, and their node sets: the sides, `left` to `front`, and its corners. */
#include "mesh_private.h"

NsMeshGrid NsMeshGridMake(const double cells[3], PetscInt fine)
{
  NsMeshGrid grid = {.fine = fine};

  for (int d = 0; d < 3; d++) {
    grid.nodes[d]  = fine * (PetscInt)cells[d] + 1;
    grid.stride[d] = d ? grid.stride[d - 1] * grid.nodes[d - 1] : 1;
  }
  return grid;
}

/* The nodes of a side or a corner: side[d] is -1 or 1 for the low or the high end of axis d, 0 for all of it.  */
static void add_set(const NsMeshGrid *grid, const int side[3], const PetscInt *new_of, NsArena *arena, NsMesh *raw)
{
  static const char *const names[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  NsMeshSet               *set         = &raw->node_set[raw->node_sets++];
  PetscInt                 low[3], high[3], count = 1;

  set->name = "";
  for (int d = 0; d < 3; d++) {
    low[d]  = side[d] > 0 ? grid->nodes[d] - 1 : 0;
    high[d] = side[d] < 0 ? 0 : grid->nodes[d] - 1;
    count *= high[d] - low[d] + 1;
    if (side[d]) set->name = NsArenaPrint(arena, "%s%s%s", set->name, *set->name ? "_" : "", names[d][side[d] > 0]);
  }
  set->items = NsArenaAlloc(arena, (size_t)count * sizeof *set->items);
  for (PetscInt k = low[2]; k <= high[2]; k++)
    for (PetscInt j = low[1]; j <= high[1]; j++)
      for (PetscInt i = low[0]; i <= high[0]; i++) {
        const PetscInt point = i * grid->stride[0] + j * grid->stride[1] + k * grid->stride[2], node = new_of ? new_of[point] : point;
        if (node >= 0) set->items[set->count++] = node;
      }
}

void NsMeshGridSets(const NsMeshGrid *grid, const PetscInt *new_of, NsArena *arena, NsMesh *raw)
{
  raw->node_set = NsArenaAlloc(arena, (6 + 8) * sizeof *raw->node_set);
  for (int d = 0; d < 3; d++) {
    for (int end = -1; end <= 1 && grid->nodes[d] > 1; end += 2) {
      int side[3] = {0, 0, 0};
      side[d]     = end;
      add_set(grid, side, new_of, arena, raw);
    }
  }
  for (int corner = 0; corner < 8; corner++) {
    int side[3], twice = 0;
    for (int d = 0; d < 3; d++) {
      const int high = corner >> d & 1;
      if (grid->nodes[d] == 1) twice += high; /* both ends of this axis are one */
      side[d] = grid->nodes[d] == 1 ? 0 : high ? 1 : -1;
    }
    if (!twice) add_set(grid, side, new_of, arena, raw);
  }
}
