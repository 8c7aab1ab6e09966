#include <string.h>
#include "core/tensor.h"
#include "core/timefunction.h"
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

NsProbeColumn *NsProbePart(NsProbeColumn *column, NsArena *arena, int order)
{
  if (order == 0) return column;
  for (NsProbeColumn *part = column->plus; part; part = part->plus) {
    if (order == 2 ? part->of_acceleration : part->of_velocity) return part;
  }
  NsProbeColumn *part = NsArenaAlloc(arena, sizeof(*part));
  *part               = (NsProbeColumn){.suffix = column->suffix, .of_velocity = order == 1, .of_acceleration = order == 2, .plus = column->plus};
  column->plus        = part;
  return part;
}

void NsProbeAddTimed(NsProbeColumn *column, NsArena *arena, const NsTimeFunction *function, PetscReal factor)
{
  const PetscInt         n    = column->timed;
  const NsTimeFunction **all  = NsArenaAlloc(arena, sizeof(*all) * (size_t)(n + 1));
  PetscReal             *each = NsArenaAlloc(arena, sizeof(*each) * (size_t)(n + 1));

  if (n) memcpy(all, column->function, sizeof(*all) * (size_t)n);
  if (n) memcpy(each, column->factor, sizeof(*each) * (size_t)n);
  all[n]           = function;
  each[n]          = factor;
  column->function = all;
  column->factor   = each;
  column->timed++;
}

void NsProbeAddScaled(NsProbeColumn *column, NsArena *arena, const NsProbeColumn *from, PetscReal factor)
{
  column->constant += factor * from->constant;
  for (PetscInt k = 0; k < from->timed; k++) NsProbeAddTimed(column, arena, from->function[k], factor * from->factor[k]);
  for (const NsProbeColumn *part = from; part; part = part->plus) {
    NsProbeColumn *to = NsProbePart(column, arena, part->of_acceleration ? 2 : part->of_velocity ? 1 : 0);
    for (PetscInt i = 0; i < part->entries; i++) NsProbeAdd(to, arena, part->unknown[i], factor * part->weight[i]);
  }
}

PetscReal NsProbeTimed(const NsProbeColumn *column, PetscReal t)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < column->timed; k++) sum += column->factor[k] * NsTimeFunctionValue(column->function[k], t);
  return sum;
}

PetscReal NsProbeOfStress(const NsProbeColumn *column, PetscReal t, const PetscScalar *q, const PetscScalar *v)
{
  double stress[NS_TENSOR], principal[3], product = 0;

  for (int s = 0; s < NS_TENSOR; s++) stress[s] = column->back[s] ? NsProbeColumnSum(column - column->back[s], t, q, v) : 0;
  if (column->of_stress == 1) return NsTensorMises(stress);
  for (int s = 0; s < NS_TENSOR && column->of_stress == 5; s++) {
    const int back = column->back[NS_TENSOR + s];
    product += stress[s] * (back ? NsProbeColumnSum(column - back, t, q, v) : 0);
  }
  if (column->of_stress == 5) return product / 2;
  if (column->of_stress >= NS_PROBE_DIRECTION) {
    double direction[3][3];
    NsTensorDirections(stress, principal, direction);
    return direction[(column->of_stress - NS_PROBE_DIRECTION) / 3][(column->of_stress - NS_PROBE_DIRECTION) % 3];
  }
  NsTensorPrincipal(stress, principal, NULL);
  return principal[column->of_stress - 2];
}

PetscReal NsProbeOfLaws(const NsProbeColumn *column, PetscReal t, const PetscScalar *q, const PetscScalar *v)
{
  PetscReal sum = 0, x[2 * NS_PROBE_INPUTS]; /* so many of q, and of v */

  for (const NsProbeLaw *law = column->law; law; law = law->next) {
    for (PetscInt i = 0; i < law->inputs; i++) x[i] = NsProbeColumnSum(&law->input[i], t, q, v);
    sum += law->value(law->data, t, x);
  }
  return sum;
}

NsProbeColumn NsProbeCopy(const NsProbeColumn *column, NsArena *arena)
{
  NsProbeColumn copy = *column;

  copy.entries = copy.timed = 0;
  for (PetscInt i = 0; i < column->entries; i++) NsProbeAdd(&copy, arena, column->unknown[i], column->weight[i]);
  for (PetscInt k = 0; k < column->timed; k++) NsProbeAddTimed(&copy, arena, column->function[k], column->factor[k]);
  return copy;
}
