/* Restitution by a table (v_i, e_i): linear between rows, constant beyond. */
#include "speed_table.h"

static const NsKey keys[] = {
  {"rows", NS_KEY_NUMBERS, offsetof(NsSpeedTable, rows), .columns = 2, .columns_dimension = {NS_DIM_VELOCITY, {0}}, .least = 1, .required = true,
    .help = "[approach speed, coefficient of restitution], ascending speeds", .example = "[[0, 0.9], [1 m/s, 0.7], [5 m/s, 0.5]]"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  (void)arena;
  NsSpeedTableCheck(settings, 1, diag);
}

static PetscReal coefficient(const void *settings, PetscReal speed)
{
  return NsSpeedTableAt(settings, speed);
}

const NsTable NsContactLawTable_RestitutionTable = {
  "restitution_table", "restitution over the approach speed", keys, sizeof(NsSpeedTable), .shorthand = "rows", .check = check};

const NsRestitutionLaw NsContactLaw_RestitutionTable = {.coefficient = coefficient};
