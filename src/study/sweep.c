/*
  Sweeps: the runs along one key in the order of its values, each from the last state of the one before. Where several motions exist at one value, the way up and the way down may follow
  different ones (hysteresis). Runs of different values of the other keys are sweeps of their own.
*/
#include <stdlib.h>
#include <string.h>
#include "study.h"

static const NsAxis *axis_of(const NsStudy *study, int *number)
{
  const NsSweep *sweep = study->settings.sweep;

  for (*number = 0; sweep && *number < study->axes; ++*number) {
    if (study->axis[*number].where != study->settings.cases && !strcmp(study->axis[*number].key, sweep->over)) return &study->axis[*number];
  }
  return NULL;
}

const char *NsStudyDirection(const NsStudy *study, int row)
{
  static const char *const word[] = {"up", "down"};
  int                      number;
  const NsAxis            *axis = axis_of(study, &number);

  if (!axis || !study->run[row].choice) return NULL;
  const int back = study->run[row].choice[number] >= axis->turn, first = study->settings.sweep->direction;
  return word[(first == NS_SWEEP_DOWN_AND_UP || first == NS_SWEEP_DOWN) ^ back];
}

int NsStudyPredecessor(const NsStudy *study, int row)
{
  int           number, stride = 1;
  const NsAxis *axis = axis_of(study, &number);

  if (!axis || study->run[row].choice[number] == 0) return -1;
  for (int a = number + 1; a < study->axes; a++) stride *= study->axis[a].count; /* rows in the order of make_row in rows.c */
  return row - stride;
}

typedef struct {
  double        number;
  const NsNode *value;
  const char   *text;
} Value;

static int by_number(const void *a, const void *b)
{
  const double x = ((const Value *)a)->number, y = ((const Value *)b)->number;

  return x < y ? -1 : x > y;
}

static void order_values(NsAxis *axis, int direction, NsArena *arena)
{
  const int  n = axis->count, back = direction == NS_SWEEP_UP_AND_DOWN || direction == NS_SWEEP_DOWN_AND_UP;
  const bool down = direction == NS_SWEEP_DOWN || direction == NS_SWEEP_DOWN_AND_UP;
  Value     *list = NsArenaAlloc(arena, sizeof(*list) * (size_t)n);

  for (int i = 0; i < n; i++) list[i] = (Value){axis->number[i], axis->value[i], axis->text[i]};
  qsort(list, (size_t)n, sizeof(*list), by_number);
  axis->turn   = n;
  axis->count  = back ? 2 * n : n;
  axis->number = NsArenaAlloc(arena, sizeof(*axis->number) * (size_t)axis->count);
  axis->value  = NsArenaAlloc(arena, sizeof(*axis->value) * (size_t)axis->count);
  axis->text   = NsArenaAlloc(arena, sizeof(*axis->text) * (size_t)axis->count);
  for (int i = 0; i < axis->count; i++) {
    const int    along = i < n ? i : 2 * n - 1 - i;
    const Value *from  = &list[down ? n - 1 - along : along];

    axis->number[i] = from->number;
    axis->value[i]  = from->value;
    axis->text[i]   = from->text;
  }
}

bool NsStudyMakeSweep(NsStudy *study)
{
  const NsStudySettings *settings = &study->settings;
  const NsSweep         *sweep    = settings->sweep;
  int                    number;
  NsAxis                *axis = (NsAxis *)axis_of(study, &number);

  if (!sweep) return true;
  if (!axis)
    NsDiagError(study->diag, NsKeysPlace(sweep->where, "over"), "'%s' is not a key of `vary`", sweep->over);
  else if (!axis->number)
    NsDiagError(study->diag, NsKeysPlace(sweep->where, "over"), "the values of %s are not numbers of one dimension, and have no order", sweep->over);
  else if (settings->combine == NS_ZIP || settings->reference || settings->convergence)
    NsDiagError(study->diag, sweep->where->key_place, "a sweep is not for %s",
      settings->combine == NS_ZIP ? "`combine: zip`"
      : settings->reference       ? "runs with a `reference`"
                                  : "`convergence`");
  else
    order_values(axis, sweep->direction, study->arena);
  return !NsDiagErrors(study->diag);
}
