/*
  Motor: a torque on a shaft of free spin that depends on its speed: motors, fans, pumps, brakes.

      T(w) about axis 1 of the rotor and -T on the other point,    w = rate of twist of the rotor relative to that point

  T is linear between the rows of a table and constant beyond, where runs warn if the table does not end level. Its work is part of the external work. `modes` linearises it about the speed of
  rotation.
*/
#include "core/timefunction.h"
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     between;
  NsNumbers     torque;
  NsWindow      window;
} NsMotorSettings;

typedef struct {
  const NsNumbers *torque; /* rad/s, N m */
  PetscReal        axis[3], sense;
  NsForceLawUse    law;
} Motor;

static const NsKey motor_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsMotorSettings, between), .required = true, .least = 2, .most = 2,
    .help =
      "a point of a rotor of free spin, on which the torque acts, and what carries the opposite torque: `ground`, a body, or another rotor of free spin",
    .example = "[shaft.left, ground]"},
  {"torque", NS_KEY_NUMBERS, offsetof(NsMotorSettings, torque), .columns = 2, .columns_dimension = {NS_DIM_ANGULAR_VELOCITY, {2, 1, -2, 0}},
    .least = 2, .required = true,
    .help =
      "torque over the speed of the rotor relative to the other point: rows [speed, torque] with ascending speeds; linear between rows, constant beyond, where runs warn unless the last two torques are equal; positive about axis 1 of the rotor; that of a fan or brake is negative where the speed is positive",
    .example = "[[0 rpm, 20 N m], [3000 rpm, 0 N m]]"},
  NS_WINDOW_KEYS(NsMotorSettings, "the torque acts"),
  {NULL},
};

static void check_motor(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsMotorSettings *motor = settings;
  const double          *row   = motor->torque.values;

  (void)arena;
  NsWindowCheck(&motor->window, motor->where, diag);
  for (int i = 1; i < motor->torque.rows; i++) {
    if (row[2 * i] > row[2 * i - 2]) continue;
    NsDiagError(diag, NsKeysNumberPlace(motor->where, "torque", i, 0),
      "speeds of a table must be ascending: row %d is at %g rad/s, row %d at %g rad/s", i, row[2 * i - 2], i + 1, row[2 * i]);
    return;
  }
}
const NsTable NsTable_Motor = {"motor", "torque over speed on a shaft", motor_keys, sizeof(NsMotorSettings), .check = check_motor};

/* -dT/dw of the piece with w; zero beyond the table. */
static PetscReal falls(const NsNumbers *table, PetscReal w)
{
  const int     i   = NsTableRow(table, w);
  const double *row = table->values + 2 * i;

  return i < 0 || i >= table->rows - 1 ? 0 : (row[1] - row[3]) / (row[2] - row[0]);
}

static void motor_force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  *spring = NsTableValue(((const Motor *)data)->torque, at->v[0]);
  *damper = 0;
}

static void motor_slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  *stiffness = 0;
  *damping   = falls(((const Motor *)data)->torque, at->v[0]);
}

static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const NsNumbers *table = ((const Motor *)data)->torque;

  *stiffness = *damping = 0;
  for (int i = 0; i + 1 < table->rows; i++) *damping = PetscMax(*damping, falls(table, table->values[2 * i]));
}

/* Beyond an end of the table where the torque still changes. */
static PetscReal used(const void *data, const NsForceMotion *at)
{
  const NsNumbers *table = ((const Motor *)data)->torque;
  const double    *first = table->values, *last = table->values + 2 * (table->rows - 2);
  const PetscReal  middle = (first[0] + last[2]) / 2, half = (last[2] - first[0]) / 2, w = at->v[0];

  return (w < middle ? first[1] != first[3] : last[1] != last[3]) ? PetscAbsReal(w - middle) / half : 0;
}

static const NsForceLaw law = {
  .size         = sizeof(Motor),
  .force        = motor_force,
  .slopes       = motor_slopes,
  .steepest     = steepest,
  .used         = used,
  .ends_with    = "torque",
  .extrapolates = PETSC_TRUE,
};

static PetscBool create(NsFe *fe, const void *settings, NsForceElement *force)
{
  const NsMotorSettings *motor = settings;
  Motor                 *self  = force->data;

  for (int p = 0; p < 2; p++) {
    const NsFeBody *body = force->end[p].body >= 0 ? &fe->body[force->end[p].body] : NULL;
    if (!body || !body->is_rotor || NsSpinIsFree(body->spin)) continue;
    NsDiagError(fe->diag, NsKeysPlace(motor->where, "between"), "the spin of '%s' is prescribed: a torque has no effect on it", body->name);
    NsDiagNote(fe->diag, "write `spin: {free: SPEED}` in '%s', with its speed at the start", body->name);
    return PETSC_FALSE;
  }
  if (force->rotor < 0) {
    NsDiagError(fe->diag, NsKeysPlace(motor->where, "between"), "neither of the two points is on a rotor: a motor drives a rotor of free spin");
    return PETSC_FALSE;
  }
  self->torque = &motor->torque;
  self->sense  = force->end[0].body == force->rotor ? -1 : 1;
  self->law    = (NsForceLawUse){&law, self};
  for (int k = 0; k < 3; k++) self->axis[k] = fe->body[force->rotor].frame[0][k];
  return PETSC_TRUE;
}

static void tangents(const NsForceElement *force, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  (void)force;
  (void)spin;
  NsForceLawZero(36, K);
  NsForceLawZero(36, C);
}

static PetscInt components(const NsForceElement *force, PetscReal direction[6][6])
{
  const Motor *self = force->data;

  for (int k = 0; k < 6; k++) direction[0][k] = k < 3 ? 0 : self->sense * self->axis[k - 3];
  return 1;
}

static const NsForceLawUse *law_of(const NsForceElement *force)
{
  return &((const Motor *)force->data)->law;
}

const NsForceType NsForceType_Motor = {
  .kind       = "motor",
  .table      = &NsTable_Motor,
  .size       = sizeof(Motor),
  .create     = create,
  .tangents   = tangents,
  .components = components,
  .law        = law_of,
  .window     = offsetof(NsMotorSettings, window),
};
