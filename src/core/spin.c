#include "spin.h"
#include "timefunction.h"

static const NsKey spin_keys[] = {
  {"constant", NS_KEY_NUMBER, offsetof(NsSpin, constant), .dimension = NS_DIM_ANGULAR_VELOCITY,
    .help = "constant angular velocity; a number alone means the same", .example = "3000 rpm"},
  {"table", NS_KEY_NUMBERS, offsetof(NsSpin, table), .columns = 2, .columns_dimension = {{0, 0, 1, 0}, {0, 0, -1, 1}}, .least = 2,
    .help    = "rows [time, angular velocity] with ascending times; linear between rows, constant before and after",
    .example = "[[0 s, 0 rpm], [1 s, 3000 rpm]]"},
  {"free", NS_KEY_NUMBER, offsetof(NsSpin, free), .dimension = NS_DIM_ANGULAR_VELOCITY,
    .help = "initial angular velocity of a free spin, which moments drive and brake", .example = "3000 rpm"},
  {NULL},
};

static void check_spin(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSpin *spin = settings;

  (void)arena;
  NsTableCheckTimes(spin->where, &spin->table, diag);
}

const NsTable NsTable_Spin = {"spin", "angular velocity, prescribed over time or free", spin_keys, sizeof(NsSpin), .one_of = "constant, table, free",
  .shorthand = "constant", .check = check_spin};

PetscBool NsSpinIsFree(const NsSpin *spin)
{
  return spin && NsTreeChild(spin->where, "free");
}

PetscBool NsSpinIsConstant(const NsSpin *spin)
{
  return !spin || (!NsSpinIsFree(spin) && spin->table.rows == 0);
}

PetscReal NsSpinAtStart(const NsSpin *spin)
{
  return NsSpinIsFree(spin) ? spin->free : NsSpinRate(spin, 0);
}

PetscReal NsSpinHighest(const NsSpin *spin)
{
  PetscReal highest = PetscAbsReal(NsSpinAtStart(spin));

  for (int i = 0; spin && i < spin->table.rows; i++) highest = PetscMax(highest, PetscAbsReal(spin->table.values[2 * i + 1]));
  return highest;
}

PetscReal NsSpinRate(const NsSpin *spin, PetscReal t)
{
  if (!spin) return 0;
  return spin->table.rows ? NsTableValue(&spin->table, t) : spin->constant;
}

/* Of the table from its first row to t. A table has some ten rows: nothing is gained by keeping the sums. */
static PetscReal integral(const NsNumbers *table, PetscReal t)
{
  const double *row = table->values;
  PetscReal     sum = 0;
  int           i   = 1;

  if (t <= row[0]) return row[1] * (t - row[0]);
  for (; i < table->rows && row[2 * i] <= t; i++) sum += (row[2 * i - 1] + row[2 * i + 1]) / 2 * (row[2 * i] - row[2 * i - 2]);
  return sum + (row[2 * i - 1] + NsTableValue(table, t)) / 2 * (t - row[2 * i - 2]);
}

PetscReal NsSpinAngle(const NsSpin *spin, PetscReal t)
{
  if (!spin) return 0;
  return spin->table.rows ? integral(&spin->table, t) - integral(&spin->table, 0) : spin->constant * t;
}

PetscReal NsSpinAcceleration(const NsSpin *spin, PetscReal t)
{
  if (!spin || !spin->table.rows) return 0;
  const int     i   = NsTableRow(&spin->table, t);
  const double *row = spin->table.values + 2 * i;

  return i < 0 || i == spin->table.rows - 1 ? 0 : (row[3] - row[1]) / (row[2] - row[0]);
}

PetscReal NsSpinNext(const NsSpin *spin, PetscReal t)
{
  return spin ? NsTableNext(&spin->table, t) : PETSC_MAX_REAL;
}
