/* 1 from start to end, 0 elsewhere. */
#include "kind.h"

typedef struct {
  const NsNode *where;
  double        start, end; /* s; end 0: never */
} Step;

static const NsKey keys[] = {
  {"start", NS_KEY_NUMBER, offsetof(Step, start), .dimension = NS_DIM_TIME, .default_value = "0", .help = "time from which the factor is 1",
    .example = "1 ms"},
  {"end", NS_KEY_NUMBER, offsetof(Step, end), .dimension = NS_DIM_TIME, .help = "time from which the factor is 0 again; default: never",
    .example = "50 ms"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Step *self = settings;

  (void)arena;
  if (NsTreeChild(self->where, "end") && self->end <= self->start)
    NsDiagError(diag, NsKeysPlace(self->where, "end"), "end (%g s) must be after start (%g s)", self->end, self->start);
}
const NsTable NsTimeTable_step = {"step", "1 from start to end, 0 elsewhere", keys, sizeof(Step), .check = check};

/* Times of steps are rounded: the same instant may be t0 + dt and, of the next step, n dt. */
static PetscReal value(const void *settings, PetscReal t)
{
  const Step     *self = settings;
  const PetscReal now  = t * (1 + 1.1 * PETSC_MACHINE_EPSILON);

  return now >= self->start && (now < self->end || self->end <= 0) ? 1.0 : 0.0;
}

static PetscReal next(const void *settings, PetscReal t)
{
  const Step *self = settings;

  return NsFirstAfter(t, self->start, self->end > 0 ? self->end : self->start);
}

const NsTimeKind NsTimeKind_step = {value, next, NULL, NULL, NULL, PETSC_FALSE};
