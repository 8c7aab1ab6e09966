/*
  Spring by a table (r_i, F_i): F is linear between rows and goes on with the first and the last slope beyond; V by trapezia from r = 0, exact.
*/
#include "law.h"

typedef struct {
  const NsNode *where;
  NsNumbers     rows;
} Settings;

typedef struct {
  const NsNumbers *rows; /* r, F */
} Tabulated;

static const NsKey keys[] = {
  {"rows", NS_KEY_NUMBERS, offsetof(Settings, rows), .columns = 2, .columns_dimension = {NS_DIM_LENGTH, NS_DIM_FORCE}, .least = 2, .required = true,
    .help    = "[elongation, force], ascending elongations; tension is positive; beyond the ends the first and last slope go on",
    .example = "[[-2 mm, -50 N], [0, 0], [1 mm, 10 N], [2 mm, 50 N]]"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Settings *given = settings;
  const double   *row   = given->rows.values;

  (void)arena;
  for (int i = 1; i < given->rows.rows; i++) {
    if (row[2 * i] > row[2 * i - 2]) continue;
    NsDiagError(diag, NsKeysNumberPlace(given->where, "rows", i, 0), "elongations of a table must be ascending: row %d is at %g m, row %d at %g m", i,
      row[2 * i - 2], i + 1, row[2 * i]);
    return;
  }
}

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)highest;
  (void)diag;
  ((Tabulated *)data)->rows = &((const Settings *)settings)->rows;
  return PETSC_TRUE;
}

/* The row that the piece with r begins at. */
static int piece(const NsNumbers *rows, PetscReal r)
{
  int i = 0;

  while (i < rows->rows - 2 && rows->values[2 * (i + 1)] <= r) i++;
  return i;
}

static PetscReal slope(const NsNumbers *rows, int i)
{
  const double *row = rows->values + 2 * i;

  return (row[3] - row[1]) / (row[2] - row[0]);
}

static PetscReal value(const NsNumbers *rows, PetscReal r)
{
  const int i = piece(rows, r);

  return rows->values[2 * i + 1] + slope(rows, i) * (r - rows->values[2 * i]);
}

/* Integral of F from the first row to r. */
static PetscReal integral(const NsNumbers *rows, PetscReal r)
{
  const double *row = rows->values;
  const int     end = piece(rows, r);
  PetscReal     sum = (row[2 * end + 1] + value(rows, r)) / 2 * (r - row[2 * end]);

  for (int i = 0; i < end; i++) sum += (row[2 * i + 1] + row[2 * i + 3]) / 2 * (row[2 * i + 2] - row[2 * i]);
  return sum;
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  *spring = -value(((const Tabulated *)data)->rows, at->r[0]);
  *damper = 0;
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const NsNumbers *rows = ((const Tabulated *)data)->rows;

  *stiffness = slope(rows, piece(rows, at->r[0]));
  *damping   = 0;
}

static PetscReal stored(const void *data, const NsForceMotion *at)
{
  const NsNumbers *rows = ((const Tabulated *)data)->rows;

  return integral(rows, at->r[0]) - integral(rows, 0);
}

static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const NsNumbers *rows = ((const Tabulated *)data)->rows;

  *stiffness = *damping = 0;
  for (int i = 0; i + 1 < rows->rows; i++) *stiffness = PetscMax(*stiffness, slope(rows, i));
}

/* Over the row at the end of its side; a table that does not reach to that side of zero goes on in a straight line at once, as it says. */
static PetscReal used(const void *data, const NsForceMotion *at)
{
  const NsNumbers *rows = ((const Tabulated *)data)->rows;
  const double     last = rows->values[at->r[0] < 0 ? 0 : 2 * (rows->rows - 1)];

  return at->r[0] * last > 0 ? at->r[0] / last : 0;
}

const NsTable NsForceLawTable_Tabulated = {"spring_table", "force over elongation", keys, sizeof(Settings), .shorthand = "rows", .check = check};

const NsForceLaw NsForceLaw_Tabulated = {
  .size         = sizeof(Tabulated),
  .create       = create,
  .force        = force,
  .slopes       = slopes,
  .stored       = stored,
  .steepest     = steepest,
  .used         = used,
  .ends_with    = "rows",
  .extrapolates = PETSC_TRUE,
};
