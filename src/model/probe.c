#include <string.h>
#include "percuss/model.h"

/* Room for the entries doubles where their number is a power of two. */
void NsProbeAdd(NsProbeColumn *column, NsArena *arena, PetscInt unknown, PetscReal weight)
{
  const PetscInt n = column->entries;

  if ((n & (n - 1)) == 0) {
    const size_t room        = (size_t)PetscMax(1, 2 * n);
    PetscInt    *all_unknown = NsArenaAlloc(arena, room * sizeof(*all_unknown));
    PetscReal   *all_weight  = NsArenaAlloc(arena, room * sizeof(*all_weight));
    if (n) memcpy(all_unknown, column->unknown, (size_t)n * sizeof(*all_unknown));
    if (n) memcpy(all_weight, column->weight, (size_t)n * sizeof(*all_weight));
    column->unknown = all_unknown;
    column->weight  = all_weight;
  }
  column->unknown[n] = unknown;
  column->weight[n]  = weight;
  column->entries++;
}

NsProbeColumn NsProbeCopy(const NsProbeColumn *column, NsArena *arena)
{
  NsProbeColumn copy = *column;

  copy.entries = 0;
  for (PetscInt i = 0; i < column->entries; i++) NsProbeAdd(&copy, arena, column->unknown[i], column->weight[i]);
  return copy;
}
