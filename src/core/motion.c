#include "motion.h"

static const NsKey motion_keys[] = {
  {"displacement", NS_KEY_VECTOR, offsetof(NsMotionPart, displacement), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_LENGTH,
    .default_value = "[0, 0, 0]", .help = "displacement for the factor 1", .example = "[0, 1 mm, 0]"},
  {"velocity", NS_KEY_VECTOR, offsetof(NsMotionPart, velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "velocity for the factor 1; the displacement starts at 0", .example = "[0.1 m/s, 0, 0]"},
  {"acceleration", NS_KEY_VECTOR, offsetof(NsMotionPart, acceleration), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_ACCELERATION,
    .default_value = "[0, 0, 0]", .help = "acceleration for the factor 1; velocity and displacement start at 0", .example = "[0, 0, 5 m/s^2]"},
  {"time", NS_KEY_TABLE, offsetof(NsMotionPart, time), .table = &NsTable_TimeFunction, .help = "factor over time; default: constant",
    .example = "{harmonic: {frequency: 50 Hz}}"},
  NS_RAMPED_WINDOW_KEYS(NsMotionPart, "the motion has this part"),
  {NULL},
};

static void check_part(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsMotionPart *part = settings;

  (void)arena;
  NsWindowCheck(&part->window, part->where, diag);
}
const NsTable NsTable_Motion = {"motion", "displacement, velocity or acceleration over time", motion_keys, sizeof(NsMotionPart),
  .one_of = "displacement, velocity, acceleration", .check = check_part};

static const char *const levels[] = {"displacement", "velocity", "acceleration"};

/* What the part is given as: 0 displacement, 1 velocity, 2 acceleration. */
static int level_of(const NsMotionPart *part)
{
  int level = 0;

  while (level < 2 && !NsTreeChild(part->where, levels[level])) level++;
  return level;
}

/* The first jump of a derived function in (0, end], beyond rounding. */
static PetscReal first_jump(const NsTimeFunction *function, double end, PetscReal *jump)
{
  for (PetscReal t = NsTimeFunctionNext(function, 0); t <= end; t = NsTimeFunctionNext(function, t)) {
    const PetscReal size = PetscAbsReal(NsTimeFunctionValue(function, t)) + PetscAbsReal(NsTimeFunctionValue(function, t * (1 - 1e-9)));
    *jump                = NsTimeFunctionJump(function, t);
    if (PetscAbsReal(*jump) > 1e-6 * size && PetscAbsReal(*jump) > 1e-9) return t;
  }
  return PETSC_MAX_REAL;
}

static PetscBool prepare(NsMotionPart *part, double end, NsArena *arena, NsDiag *diag)
{
  const int     level     = level_of(part);
  const double *vector[3] = {part->displacement, part->velocity, part->acceleration};
  const NsNode *time      = NsTreeChild(part->where, "time");
  const NsPlace place     = time ? time->place : NsKeysPlace(part->where, part->window.from > 0 ? "from" : "until");
  PetscReal     jump, at;

  part->vector   = vector[level];
  part->function = NsTimeFunctionWindow(part->time, &part->window, arena);
  if (NsTimeFunctionIsInput(part->time)) {
    NsDiagError(diag, place, "a motion must be known in advance, and an input is not");
    NsDiagNote(diag, "`input` is for loads and drives: a stiff spring and a load move a point, too");
    return PETSC_FALSE;
  }
  for (int order = 0; order < 3; order++) {
    if (NsTimeFunctionDerive(part->function, order - level, end, arena, &part->derived[order])) continue;
    NsDiagError(diag, place, "this motion has too many periods up to %g s to be integrated", end);
    NsDiagNote(diag, "give it as a displacement");
    return PETSC_FALSE;
  }
  at = level ? PETSC_MAX_REAL : first_jump(&part->derived[0], end, &jump);
  if (at == PETSC_MAX_REAL) return PETSC_TRUE;
  NsDiagError(diag, place, "the displacement jumps at %g s: its velocity would be infinite", at);
  NsDiagNote(diag, "a table, a pulse, a burst or a `ramp` does not jump; or write `velocity` or `acceleration`");
  return PETSC_FALSE;
}

NsMotion NsMotionPrepare(const NsList *list, double end, NsArena *arena, NsDiag *diag)
{
  NsMotionPart *part   = list->items;
  NsMotion      motion = {list->count, part};

  for (int i = 0; i < list->count; i++) {
    if (!prepare(&part[i], end, arena, diag)) motion.parts = 0;
  }
  return motion;
}

void NsMotionAt(const NsMotion *motion, int order, PetscReal t, PetscReal x[3])
{
  x[0] = x[1] = x[2] = 0;
  for (int i = 0; i < motion->parts; i++) {
    const PetscReal factor = NsTimeFunctionValue(&motion->part[i].derived[order], t);
    for (int k = 0; k < 3; k++) x[k] += factor * motion->part[i].vector[k];
  }
}

PetscReal NsMotionNext(const NsMotion *motion, PetscReal t)
{
  PetscReal next = PETSC_MAX_REAL;

  for (int i = 0; i < motion->parts; i++) next = PetscMin(next, NsTimeFunctionNext(motion->part[i].function, t));
  return next;
}

PetscReal NsMotionPeriod(const NsMotion *motion, PetscReal t)
{
  PetscReal period = PETSC_MAX_REAL;

  for (int i = 0; i < motion->parts; i++) period = PetscMin(period, NsTimeFunctionPeriod(motion->part[i].function, t));
  return period;
}

PetscReal NsMotionJump(const NsMotion *motion, double end)
{
  PetscReal first = PETSC_MAX_REAL, jump;

  for (int i = 0; i < motion->parts; i++) first = PetscMin(first, first_jump(&motion->part[i].derived[1], end, &jump));
  return first;
}
