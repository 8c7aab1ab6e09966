/*
  A factor that another program sets while the run is stepped (include/percuss/percuss.h): linear over the step after it was set, constant from then on. In `percuss run`
  nobody sets it, and it keeps its first value. It has no kinks for steps to end at: when a step is made, nobody knows what will be set after it.
*/
#include "core/timefunction.h"
#include "kind.h"

typedef struct {
  const NsNode *where;
  double        value;      /* from the time `end` on; key: from the start on */
  double        before;     /* until `begin` */
  double        begin, end; /* s */
} Input;

static const NsKey keys[] = {
  {"value", NS_KEY_NUMBER, offsetof(Input, value), .default_value = "0", .help = "factor until it is set", .example = "1"},
  {NULL},
};
const NsTable NsTimeTable_input = {"input", "factor set from outside while the run is stepped (percuss.Stepper, percuss.h)", keys, sizeof(Input)};

static PetscReal value(const void *settings, PetscReal t)
{
  const Input *self = settings;

  if (t >= self->end) return self->value;
  if (t <= self->begin) return self->before;
  return self->before + (t - self->begin) / (self->end - self->begin) * (self->value - self->before);
}

const NsTimeKind NsTimeKind_input = {value, NULL, NULL, NULL};

PetscBool NsTimeFunctionIsInput(const NsTimeFunction *function)
{
  return function && function->settings[NS_TIME_FUNCTION_input];
}

void NsTimeFunctionSetInput(const NsTimeFunction *function, PetscReal begin, PetscReal end, PetscReal factor)
{
  Input *self = (Input *)function->settings[NS_TIME_FUNCTION_input]; /* in the arena: const only for those who read the config */

  self->before = value(self, begin);
  self->begin  = begin;
  self->end    = end;
  self->value  = factor;
}
