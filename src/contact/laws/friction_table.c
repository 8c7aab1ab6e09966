/* Friction by a table (v_i, mu_i): linear between rows, constant beyond. */
#include "speed_table.h"

static const NsKey keys[] = {
  {"rows", NS_KEY_NUMBERS, offsetof(NsSpeedTable, rows), .columns = 2, .columns_dimension = {NS_DIM_VELOCITY, {0}}, .least = 1, .required = true,
    .help = "[sliding speed, coefficient of friction], ascending speeds", .example = "[[0, 0.4], [0.1 m/s, 0.3], [1 m/s, 0.25]]"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSpeedTable *table = settings;

  (void)arena;
  NsSpeedTableCheck(table, PETSC_MAX_REAL, diag);
  if (table->rows.values[1] == 0)
    NsDiagError(diag, NsKeysNumberPlace(table->where, "rows", 0, 1), "the coefficient at rest, in the first row, must be larger than 0");
}

static PetscReal coefficient(const void *settings, PetscReal speed)
{
  return NsSpeedTableAt(settings, speed);
}

static PetscReal fall(const void *settings)
{
  const NsNumbers *rows = &((const NsSpeedTable *)settings)->rows;
  PetscReal        most = 0;

  for (int i = 0; i + 1 < rows->rows; i++) {
    const double *row = rows->values + 2 * i;
    most              = PetscMax(most, (row[1] - row[3]) / (row[2] - row[0]));
  }
  return most;
}

const NsTable NsContactLawTable_FrictionTable = {
  "friction_table", "friction over the sliding speed", keys, sizeof(NsSpeedTable), .shorthand = "rows", .check = check};

const NsFrictionLaw NsContactLaw_FrictionTable = {.coefficient = coefficient, .fall = fall};
