/*
  Bearing: stiffness and damping between a rotor and what carries it, in the axes of the rotor (1 along the shaft, 2 and 3 across), else in x, y, z; and lateral
  coefficients over the speed of the rotor, from a table or a formula of src/fe/forces/coefficients, or one of the laws of src/fe/forces/laws. Mass that is added across the shaft
  becomes an inertia of the point that is not the ground.

  Where K is unsymmetric (a fluid film), its skew part stores no energy: the energy balance books its work as that of loads. So it does with springs of a table while the speed
  changes.
*/
#include "fe/forces/coefficients/coefficients.h"
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     between;
  NsNumbers     stiffness, damping, rotational_stiffness, rotational_damping;
  NsNumbers     stiffness_matrix, damping_matrix;
  NsNumbers     over_speed;
  double        added_mass;
  const void   *formula[NS_COEFFICIENTS_COUNT]; /* settings, as law */
  const void   *law[NS_BEARING_LAWS];           /* settings; all but one are NULL */
  NsWindow      window;
} NsBearingSettings;

typedef struct {
  PetscReal             stiffness[36], damping[36]; /* in space */
  const NsNumbers      *table;                      /* [rows, 9] speed, k22 k23 k32 k33, c22 c23 c32 c33 in the lateral axes; NULL: none */
  const NsCoefficients *formula;                    /* of the same eight over the speed; NULL: none */
  void                 *formula_data;
  PetscReal             lowest, highest; /* speeds of the formula, rad/s */
  PetscReal             lateral[2][3];   /* axes 2 and 3 of the rotor, else y and z */
  NsForceLawUse         nonlinear;
  PetscReal             sense; /* of r as laws take it: -1 where the shaft is the first point */
} Bearing;

#define NS_COUNTS \
  "one number: all directions (of a rotor: the lateral ones); two: axes 2 and 3; three: axes 1, 2, 3; four: 2 x 2 matrix of axes 2 and 3, row by row (axes of the rotor, else x, y, z)"

static const NsKey bearing_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsBearingSettings, between), .required = true, .least = 2, .most = 2,
    .help = "two points, or a point and `ground`; a rigid body is joined to the other point by a rigid arm", .example = "[shaft.left, ground]"},
  {"stiffness", NS_KEY_NUMBERS, offsetof(NsBearingSettings, stiffness), .space = NS_SPACE_AXES, .columns = 1, .columns_dimension = {NS_DIM_STIFFNESS},
    .least = 1, .most = 4, .help = "force per displacement; " NS_COUNTS, .example = "1 MN/m"},
  {"damping", NS_KEY_NUMBERS, offsetof(NsBearingSettings, damping), .space = NS_SPACE_AXES, .columns = 1, .columns_dimension = {NS_DIM_DASHPOT},
    .least = 1, .most = 4, .help = "force per velocity; numbers as for stiffness", .example = "[10 N s/m, 20 N s/m]"},
  {"rotational_stiffness", NS_KEY_NUMBERS, offsetof(NsBearingSettings, rotational_stiffness), .space = NS_SPACE_AXES, .columns = 1,
    .columns_dimension = {{2, 1, -2, -1}}, .least = 1, .most = 4, .help = "moment per angle; numbers as for stiffness", .example = "1 kN m/rad"},
  {"rotational_damping", NS_KEY_NUMBERS, offsetof(NsBearingSettings, rotational_damping), .space = NS_SPACE_AXES, .columns = 1,
    .columns_dimension = {{2, 1, -1, -1}}, .least = 1, .most = 4, .help = "moment per angular velocity; numbers as for stiffness",
    .example = "0.1 N m s/rad"},
  {"stiffness_matrix", NS_KEY_NUMBERS, offsetof(NsBearingSettings, stiffness_matrix), .space = NS_SPACE_AXES, .columns = 1, .least = 36, .most = 36,
    .help    = "6 x 6 matrix row by row in SI units: forces along and moments about axes 1, 2, 3 per displacements and rotations",
    .example = "[0, 0, 0, 0, 0, 0,  0, 1e6, 2e5, 0, 0, 0,  0, -2e5, 1e6, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0]"},
  {"damping_matrix", NS_KEY_NUMBERS, offsetof(NsBearingSettings, damping_matrix), .space = NS_SPACE_AXES, .columns = 1, .least = 36, .most = 36,
    .help    = "6 x 6 damping matrix, as stiffness_matrix",
    .example = "[0, 0, 0, 0, 0, 0,  0, 10, 0, 0, 0, 0,  0, 0, 10, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0]"},
  {"over_speed", NS_KEY_NUMBERS, offsetof(NsBearingSettings, over_speed), .space = NS_SPACE_AXES, .columns = 9,
    .columns_dimension = {NS_DIM_ANGULAR_VELOCITY, NS_DIM_STIFFNESS, NS_DIM_STIFFNESS, NS_DIM_STIFFNESS, NS_DIM_STIFFNESS, NS_DIM_DASHPOT,
      NS_DIM_DASHPOT, NS_DIM_DASHPOT, NS_DIM_DASHPOT},
    .least             = 2,
    .help =
      "lateral coefficients over the speed of the rotor, added to the others: rows [speed, k22, k23, k32, k33, c22, c23, c32, c33]; linear between rows, constant beyond; a table that begins at 0 or above "
      "is valid for both directions of spin",
    .example = "[[0 rpm, 1e6, 0, 0, 1e6, 10, 0, 0, 10], [6000 rpm, 2e6, 5e5, -5e5, 2e6, 50, 0, 0, 50]]"},
  {"added_mass", NS_KEY_NUMBER, offsetof(NsBearingSettings, added_mass), .dimension = NS_DIM_MASS, .default_value = "0", .minimum = "0",
    .help = "mass of fluid that moves with the shaft, in lateral directions only and without weight", .example = "5 kg"},
#define NS_COEFFICIENTS(Name, word, text, value) \
  {#word, NS_KEY_TABLE, offsetof(NsBearingSettings, formula[NS_COEFFICIENTS_##Name]), .table = &NsCoefficientsTable_##Name, .help = text, \
    .example = value},
#include "fe/forces/coefficients/list.h"
#undef NS_COEFFICIENTS
#define NS_SPRING_LAW(Name, word, text, value)
#define NS_BEARING_LAW(Name, word, text, value) \
  {#word, NS_KEY_TABLE, offsetof(NsBearingSettings, law[NS_BEARING_LAW_##Name]), .table = &NsForceLawTable_##Name, .help = text, .example = value},
#include "fe/forces/laws/list.h"
#undef NS_BEARING_LAW
  NS_WINDOW_KEYS(NsBearingSettings, "the bearing acts"),
  {NULL},
};

#define NS_COEFFICIENTS(Name, word, text, value) #word,
#define NS_BEARING_LAW(Name, word, text, value)  #word,
static const char *const formula_words[] = {
#include "fe/forces/coefficients/list.h"
};
static const char *const law_words[] = {
#include "fe/forces/laws/list.h"
};
#undef NS_BEARING_LAW
#undef NS_COEFFICIENTS
static const NsCoefficients *const formulas[] = {
#define NS_COEFFICIENTS(Name, word, text, value) &NsCoefficients_##Name,
#include "fe/forces/coefficients/list.h"
#undef NS_COEFFICIENTS
};

/* Forces computed in every step come from one law, or from one table or formula. Returns how many of them there are. */
static int check_laws(const NsBearingSettings *bearing, NsDiag *diag)
{
  const char *first = bearing->over_speed.rows ? "over_speed" : NULL;
  int         count = first != NULL;

  for (int i = 0; i < NS_COEFFICIENTS_COUNT + NS_BEARING_LAWS; i++) {
    const int   law  = i - NS_COEFFICIENTS_COUNT;
    const char *word = law < 0 ? formula_words[i] : law_words[law];
    if (!(law < 0 ? bearing->formula[i] : bearing->law[law])) continue;
    if (first) NsDiagError(diag, NsKeysPlace(bearing->where, word), "a bearing has '%s' or '%s', not both: write two bearings", first, word);
    first = word;
    count++;
  }
  return count;
}

static void check_bearing(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsBearingSettings *bearing = settings;
  const NsNumbers         *table   = &bearing->over_speed;
  int any = bearing->stiffness.rows + bearing->damping.rows + bearing->rotational_stiffness.rows + bearing->rotational_damping.rows +
            bearing->stiffness_matrix.rows + bearing->damping_matrix.rows + (bearing->added_mass > 0);

  (void)arena;
  any += check_laws(bearing, diag);
  NsWindowCheck(&bearing->window, bearing->where, diag);
  if (bearing->added_mass > 0 && NsWindowIsGiven(&bearing->window))
    NsDiagError(
      diag, NsKeysPlace(bearing->where, "added_mass"), "added mass acts from the start to the end: give it to a bearing without `from` and `until`");
  if (!any) NsDiagError(diag, bearing->where->place, "a bearing needs a stiffness, a damping, or a law such as `film`");
  for (int i = 0; i < 4 * table->rows; i++) {
    static const int direct[4] = {1, 4, 5, 8}; /* k22, k33, c22, c33 */
    const double     value     = table->values[9 * (i / 4) + direct[i % 4]];
    if (value >= 0) continue;
    NsDiagError(diag, NsKeysNumberPlace(bearing->where, "over_speed", i / 4, direct[i % 4]), "row %d: %s must not be negative, but is %g", i / 4 + 1,
      (const char *const[]){"k22", "k33", "c22", "c33"}[i % 4], value);
    return;
  }
  for (int i = 1; i < table->rows; i++) {
    if (table->values[9 * i] > table->values[9 * i - 9]) continue;
    NsDiagError(diag, NsKeysNumberPlace(bearing->where, "over_speed", i, 0),
      "speeds of a table must be ascending: row %d is at %g rad/s, row %d at %g rad/s", i, table->values[9 * i - 9], i + 1, table->values[9 * i]);
    return;
  }
}
const NsTable NsTable_Bearing = {"bearing", "massless bearing between a rotor and its support", bearing_keys, sizeof(NsBearingSettings),
  .at_most_one_of = "stiffness, stiffness_matrix", .check = check_bearing};
#undef NS_SPRING_LAW

/* A table that begins at 0 or above is also valid for the other direction of spin, by symmetry: cross-coupling changes its sign. */
static void look_up(const NsNumbers *table, PetscReal signed_speed, PetscReal value[8])
{
  const PetscBool mirrored = signed_speed < 0 && table->values[0] >= 0;
  const PetscReal speed    = mirrored ? -signed_speed : signed_speed;

  const double *row  = table->values;
  int           high = 0;
  PetscReal     share;

  while (high < table->rows && row[9 * high] <= speed) high++;
  const int low = PetscMax(0, high - 1);
  high          = PetscMin(high, table->rows - 1);
  share         = high > low ? (speed - row[9 * low]) / (row[9 * high] - row[9 * low]) : 0;
  for (int i = 0; i < 8; i++) {
    value[i] = (1 - share) * row[9 * low + 1 + i] + share * row[9 * high + 1 + i];
    if (mirrored && (i % 4 == 1 || i % 4 == 2)) value[i] = -value[i];
  }
}

/* k22, k23, k32, k33, c22, c23, c32, c33 at a speed. */
static void coefficients_at(const Bearing *self, PetscReal spin, PetscReal value[8])
{
  if (self->table)
    look_up(self->table, spin, value);
  else
    self->formula->at(self->formula_data, spin, value);
}

/* Numbers of a key into a block (0: forces, 3: moments) of a 6 x 6 matrix in axes 1, 2, 3. */
static void fill_block(NsFe *fe, const NsNode *where, const char *key, const NsNumbers *numbers, PetscBool rotor, int block, PetscReal *X)
{
  const double *v     = numbers->values;
  const int     first = numbers->rows == 1 && !rotor ? 0 : numbers->rows == 3 ? 0 : 1;

  if (numbers->rows == 4) {
    for (int i = 0; i < 4; i++) X[6 * (block + 1 + i / 2) + block + 1 + i % 2] += v[i];
  } else {
    for (int i = first; i < 3 && numbers->rows; i++) X[7 * (block + i)] += v[numbers->rows == 1 ? 0 : i - first];
  }
  for (int i = 0; i < numbers->rows; i++) {
    if (v[i] < 0 && (numbers->rows < 4 || i == 0 || i == 3)) {
      NsDiagError(fe->diag, NsKeysPlace(where, key), "%s of a bearing must not be negative: %g", key, v[i]);
      return;
    }
  }
}

/* X = R' X R, R: rows are the axes. */
static void into_space(const PetscReal R[3][3], PetscReal *X)
{
  PetscReal Y[36] = {0};

  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) Y[6 * i + j] += R[a][i % 3] * X[6 * (i - i % 3 + a) + j - j % 3 + b] * R[b][j % 3];
      }
    }
  }
  for (int i = 0; i < 36; i++) X[i] = Y[i];
}

/* A bearing acts where the rotor is: a rigid body (a housing) reaches there by a rigid arm. Between other things apart its forces would make a moment. */
static void reach(NsFe *fe, const NsBearingSettings *settings, NsForceElement *bearing)
{
  NsPoint   point[2];
  PetscReal apart = 0;

  if (bearing->end[1].body < 0) return;
  for (int p = 0; p < 2; p++) NsFeExpand(fe, &bearing->end[p], &point[p]);
  for (int k = 0; k < 3; k++) apart = PetscMax(apart, PetscAbsReal(point[1].x[k] - point[0].x[k]));
  if (apart < 1e-9) return;
  for (int p = 1; p >= 0; p--) {
    if (fe->body[bearing->end[p].body].mesh->elements) continue;
    for (int k = 0; k < 3; k++) bearing->end[p].arm[k] = point[1 - p].x[k] - point[p].x[k];
    return;
  }
  NsDiagWarning(
    fe->diag, NsKeysPlace(settings->where, "between"), "the two points are %g m apart: the forces of the bearing make an unbalanced moment", apart);
}

static PetscReal last_speed(const NsNumbers *table)
{
  return PetscMax(PetscAbsReal(table->values[0]), PetscAbsReal(table->values[9 * (table->rows - 1)]));
}

/* A speed that is known beforehand, and that the table does not reach. */
static void check_speeds(NsFe *fe, const NsFeBody *body, const NsBearingSettings *settings)
{
  const PetscReal highest = NsSpinHighest(body->spin), end = last_speed(&settings->over_speed), rpm = 30 / PETSC_PI;

  if (highest <= end * (1 + 1e-6)) return;
  NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "over_speed"),
    "'%s' turns at up to %.6g rpm, but the table ends at %.6g rpm: its last values are used beyond", body->name, highest * rpm, end * rpm);
}

/* The formula of the settings. False after an error in diag. */
static PetscBool make_formula(NsFe *fe, const NsBearingSettings *settings, const NsFeBody *rotor, Bearing *self, NsForceElement *force)
{
  for (int i = 0; i < NS_COEFFICIENTS_COUNT; i++) {
    if (!settings->formula[i]) continue;
    if (!rotor) {
      NsDiagError(fe->diag, NsKeysPlace(settings->where, formula_words[i]), "neither of the two points is on a rotor: there is no speed for '%s'",
        formula_words[i]);
      return PETSC_FALSE;
    }
    const PetscReal highest = NsSpinHighest(rotor->spin);
    force->exact            = PETSC_TRUE;
    self->formula           = formulas[i];
    self->formula_data      = NsArenaAlloc(fe->arena, formulas[i]->size);
    self->highest           = NsFeFastest(rotor->spin);
    self->lowest            = NsSpinIsConstant(rotor->spin) ? 0 : -self->highest;
    return formulas[i]->create(settings->formula[i], highest, fe->diag, self->formula_data);
  }
  return PETSC_TRUE;
}

/* Mass across the shaft, of the point that is not the ground. False after an error in diag. */
static PetscBool add_mass(NsFe *fe, const NsBearingSettings *settings, const Bearing *self, NsForceElement *force)
{
  const NsCoefficients *formula = self->formula;
  const PetscReal       mass    = settings->added_mass + (formula && formula->mass ? formula->mass(self->formula_data) : 0);

  if (mass == 0) return PETSC_TRUE;
  if (force->end[1].body >= 0) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"),
      "fluid between two bodies that both move is not supported: one of the points has to be `ground`");
    return PETSC_FALSE;
  }
  force->has_mass    = PETSC_TRUE;
  NsFeInertia *added = NsFeAddInertia(fe);
  *added             = (NsFeInertia){.name = force->name, .at = force->end[0], .mass = mass, .across = PETSC_TRUE};
  for (int i = 0; i < 6; i++) added->frame[1 + i / 3][i % 3] = self->lateral[i / 3][i % 3];
  return PETSC_TRUE;
}

static PetscBool create(NsFe *fe, const void *values, NsForceElement *force)
{
  const NsBearingSettings *settings = values;
  Bearing                 *self     = force->data;
  const NsFeBody          *rotor    = force->rotor >= 0 ? &fe->body[force->rotor] : NULL;

  reach(fe, settings, force);
  fill_block(fe, settings->where, "stiffness", &settings->stiffness, rotor != NULL, 0, self->stiffness);
  fill_block(fe, settings->where, "damping", &settings->damping, rotor != NULL, 0, self->damping);
  fill_block(fe, settings->where, "rotational_stiffness", &settings->rotational_stiffness, rotor != NULL, 3, self->stiffness);
  fill_block(fe, settings->where, "rotational_damping", &settings->rotational_damping, rotor != NULL, 3, self->damping);
  for (int i = 0; i < settings->stiffness_matrix.rows; i++) self->stiffness[i] += settings->stiffness_matrix.values[i];
  for (int i = 0; i < settings->damping_matrix.rows; i++) self->damping[i] += settings->damping_matrix.values[i];
  if (settings->over_speed.rows) {
    if (!rotor) {
      NsDiagError(fe->diag, NsKeysPlace(settings->where, "over_speed"), "neither of the two points is on a rotor: there is no speed to look up");
      return PETSC_FALSE;
    }
    self->table = &settings->over_speed;
    check_speeds(fe, rotor, settings);
  }
  for (int i = 0; i < 6; i++) self->lateral[i / 3][i % 3] = rotor ? rotor->frame[1 + i / 3][i % 3] : i / 3 + 1 == i % 3;
  self->sense = rotor && force->end[0].body == force->rotor ? -1 : 1;
  if (!NsForceLawCreate(NsBearingLaws, settings->law, NS_BEARING_LAWS, rotor ? NsSpinHighest(rotor->spin) : 0, fe->arena, fe->diag, &self->nonlinear))
    return PETSC_FALSE;
  if (!make_formula(fe, settings, rotor, self, force) || !add_mass(fe, settings, self, force)) return PETSC_FALSE;
  if (!rotor) return PETSC_TRUE;
  into_space(rotor->frame, self->stiffness);
  into_space(rotor->frame, self->damping);
  return PETSC_TRUE;
}

static void tangents(const NsForceElement *force, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  const Bearing *self = force->data;
  PetscReal      value[8];

  for (int i = 0; i < 36; i++) {
    K[i] = self->stiffness[i];
    C[i] = self->damping[i];
  }
  if ((!self->table && !self->formula) || !spin) return;
  coefficients_at(self, *spin, value);
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 4; k++) {
      const PetscReal both = self->lateral[k / 2][i / 3] * self->lateral[k % 2][i % 3];
      K[6 * (i / 3) + i % 3] += value[k] * both;
      C[6 * (i / 3) + i % 3] += value[4 + k] * both;
    }
  }
}

/* The coefficients of a formula are nearly linear between so many speeds. */
#define NS_FORMULA_SPEEDS 17

static PetscBool speed(const NsForceElement *force, PetscInt i, PetscReal *spin)
{
  const Bearing   *self  = force->data;
  const NsNumbers *table = self->table;

  if (self->formula) {
    *spin = self->lowest + (self->highest - self->lowest) * (PetscReal)i / (NS_FORMULA_SPEEDS - 1);
    return i < (self->highest > self->lowest ? NS_FORMULA_SPEEDS : 1);
  }
  if (!table || i >= table->rows) return PETSC_FALSE;
  *spin = table->values[9 * i];
  return PETSC_TRUE;
}

static PetscInt components(const NsForceElement *force, PetscReal direction[6][6])
{
  const Bearing *self = force->data;

  for (int i = 0; i < 12; i++) direction[i / 6][i % 6] = i % 6 < 3 ? self->sense * self->lateral[i / 6][i % 6] : 0;
  return self->table || self->formula || self->nonlinear.law ? 2 : 0;
}

static void bearing_force(const NsForceElement *force, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  PetscReal value[8];

  coefficients_at(force->data, at->spin, value);
  for (int a = 0; a < 2; a++) {
    spring[a] = -(value[2 * a] * at->r[0] + value[2 * a + 1] * at->r[1]);
    damper[a] = -(value[4 + 2 * a] * at->v[0] + value[4 + 2 * a + 1] * at->v[1]);
  }
}

static void slopes(const NsForceElement *force, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  PetscReal value[8];

  coefficients_at(force->data, at->spin, value);
  for (int i = 0; i < 4; i++) {
    stiffness[i] = value[i];
    damping[i]   = value[4 + i];
  }
}

static PetscReal room(const NsForceElement *force)
{
  const Bearing *self = force->data;

  return self->formula && self->formula->room ? self->formula->room(self->formula_data) : 0;
}

static const NsForceLawUse *law_of(const NsForceElement *force)
{
  return &((const Bearing *)force->data)->nonlinear;
}

const NsForceType NsForceType_Bearing = {
  .kind       = "bearing",
  .table      = &NsTable_Bearing,
  .size       = sizeof(Bearing),
  .create     = create,
  .tangents   = tangents,
  .speed      = speed,
  .components = components,
  .force      = bearing_force,
  .slopes     = slopes,
  .law        = law_of,
  .room       = room,
  .window     = offsetof(NsBearingSettings, window),
};
