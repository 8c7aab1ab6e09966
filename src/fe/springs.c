/*
  Springs and bearings: force and moment f = K r + C r' on the relative motion r of two places, or of a place and the ground.

  A spring acts along one direction, K = k d d'. A bearing has matrices in the frame of the rotor it holds (axis 1 along the shaft, 2 and 3 across), or in x, y, z.
  Where K is unsymmetric (a fluid film), its skew part is no spring: the ledger books its work as load.
*/
#include "fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     between;
  double        stiffness, damping;
  double        direction[3];
} NsSpringSettings;

typedef struct {
  const NsNode *where;
  NsStrings     between;
  NsNumbers     stiffness, damping, rotational_stiffness, rotational_damping;
  NsNumbers     stiffness_matrix, damping_matrix;
  NsNumbers     over_speed;
} NsBearingSettings;

static const NsKey spring_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsSpringSettings, between), .required = true, .least = 2, .most = 2,
    .help = "two places, or a place and `ground`", .example = "[bar.right, ground]"},
  {"stiffness", NS_KEY_NUMBER, offsetof(NsSpringSettings, stiffness), .dimension = NS_DIM_STIFFNESS, .standard = "0", .minimum = "0",
    .help = "force per elongation", .example = "1 MN/m"},
  {"damping", NS_KEY_NUMBER, offsetof(NsSpringSettings, damping), .dimension = NS_DIM_DASHPOT, .standard = "0", .minimum = "0",
    .help = "force per rate of elongation (a dashpot)", .example = "10 N s/m"},
  {"direction", NS_KEY_VECTOR, offsetof(NsSpringSettings, direction), .standard = "[0, 0, 0]",
    .help    = "direction in which it acts; without it: from place to place, or along the line of the body for springs to ground",
    .example = "[1, 0, 0]"},
  {NULL},
};
static void check_spring(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSpringSettings *spring = settings;

  (void)arena;
  if (spring->stiffness == 0 && spring->damping == 0) NsDiagError(diag, spring->where->place, "a spring needs a stiffness or a damping above zero");
}
const NsTable NsTable_Spring = {"spring", "spring and dashpot, massless and linear", spring_keys, sizeof(NsSpringSettings), .check = check_spring};

#define NS_COUNTS \
  "one number: every direction, of a rotor only those across it; two: axes 2 and 3; three: axes 1, 2, 3; four: rows of axes 2 and 3 (axes: of the rotor, else x, y, z)"

static const NsKey bearing_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsBearingSettings, between), .required = true, .least = 2, .most = 2,
    .help = "two places, or a place and `ground`; a rigid body reaches the other place by a rigid arm", .example = "[shaft.left, ground]"},
  {"stiffness", NS_KEY_NUMBERS, offsetof(NsBearingSettings, stiffness), .columns = 1, .columns_dimension = {NS_DIM_STIFFNESS}, .least = 1, .most = 4,
    .help = "force per displacement; " NS_COUNTS, .example = "1 MN/m"},
  {"damping", NS_KEY_NUMBERS, offsetof(NsBearingSettings, damping), .columns = 1, .columns_dimension = {NS_DIM_DASHPOT}, .least = 1, .most = 4,
    .help = "force per velocity; numbers as for stiffness", .example = "[10 N s/m, 20 N s/m]"},
  {"rotational_stiffness", NS_KEY_NUMBERS, offsetof(NsBearingSettings, rotational_stiffness), .columns = 1, .columns_dimension = {{2, 1, -2, -1}},
    .least = 1, .most = 4, .help = "moment per angle; numbers as for stiffness", .example = "1 kN m/rad"},
  {"rotational_damping", NS_KEY_NUMBERS, offsetof(NsBearingSettings, rotational_damping), .columns = 1, .columns_dimension = {{2, 1, -1, -1}},
    .least = 1, .most = 4, .help = "moment per angular velocity; numbers as for stiffness", .example = "0.1 N m s/rad"},
  {"stiffness_matrix", NS_KEY_NUMBERS, offsetof(NsBearingSettings, stiffness_matrix), .columns = 1, .least = 36, .most = 36,
    .help    = "6 x 6 row by row, SI without units: forces along and moments about axes 1, 2, 3 for displacements and rotations",
    .example = "[0, 0, 0, 0, 0, 0,  0, 1e6, 2e5, 0, 0, 0,  0, -2e5, 1e6, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0]"},
  {"damping_matrix", NS_KEY_NUMBERS, offsetof(NsBearingSettings, damping_matrix), .columns = 1, .least = 36, .most = 36,
    .help    = "the same for velocities",
    .example = "[0, 0, 0, 0, 0, 0,  0, 10, 0, 0, 0, 0,  0, 0, 10, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0]"},
  {"over_speed", NS_KEY_NUMBERS, offsetof(NsBearingSettings, over_speed), .columns = 9,
    .columns_dimension = {NS_DIM_ANGULAR_VELOCITY, NS_DIM_STIFFNESS, NS_DIM_STIFFNESS, NS_DIM_STIFFNESS, NS_DIM_STIFFNESS, NS_DIM_DASHPOT,
      NS_DIM_DASHPOT, NS_DIM_DASHPOT, NS_DIM_DASHPOT},
    .least             = 2,
    .help =
      "rows [speed, k22, k23, k32, k33, c22, c23, c32, c33] across a rotor, added to the rest: linear between, constant beyond; a table from 0 on "
      "serves both senses of spin",
    .example = "[[0 rpm, 1e6, 0, 0, 1e6, 10, 0, 0, 10], [6000 rpm, 2e6, 5e5, -5e5, 2e6, 50, 0, 0, 50]]"},
  {NULL},
};

static void check_bearing(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsBearingSettings *bearing = settings;
  const NsNumbers         *table   = &bearing->over_speed;
  const int any = bearing->stiffness.rows + bearing->damping.rows + bearing->rotational_stiffness.rows + bearing->rotational_damping.rows +
                  bearing->stiffness_matrix.rows + bearing->damping_matrix.rows + table->rows;

  (void)arena;
  if (!any) NsDiagError(diag, bearing->where->place, "a bearing needs a stiffness or a damping");
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
    NsDiagError(diag, NsKeysNumberPlace(bearing->where, "over_speed", i, 0), "speeds of a table must rise: row %d is at %g rad/s, row %d at %g rad/s",
      i, table->values[9 * i - 9], i + 1, table->values[9 * i]);
    return;
  }
}
const NsTable NsTable_Bearing = {"bearing", "stiffness and damping between a rotor and what carries it, massless", bearing_keys,
  sizeof(NsBearingSettings), .at_most_one_of = "stiffness, stiffness_matrix", .check = check_bearing};

PetscInt NsFeSpringRows(const NsFe *fe, const NsFeSpring *spring, PetscInt *unknown, PetscReal (*row)[6])
{
  PetscInt n = 0;

  for (int p = 0; p < 2 && spring->spot[p].body >= 0; p++) {
    const PetscReal sign = p ? 1 : -1; /* r = motion of the second minus that of the first */
    NsPoint         point;
    NsFeExpand(fe, &spring->spot[p], &point);
    for (PetscInt i = 0; i < point.unknowns; i++, n++) {
      unknown[n] = point.unknown[i];
      for (int k = 0; k < 3; k++) {
        row[n][k]     = sign * point.move[i][k];
        row[n][3 + k] = sign * point.turn[i][k];
      }
    }
  }
  return n;
}

void NsFeSpringMatrices(const NsFe *fe, const NsFeSpring *spring, const PetscReal *speed, PetscReal stiffness[36], PetscReal damping[36])
{
  PetscReal value[8];

  for (int i = 0; i < 36; i++) {
    stiffness[i] = spring->stiffness[i];
    damping[i]   = spring->damping[i];
  }
  if (!spring->over_speed || (!speed && !NsFeSpeedIsConstant(&fe->body[spring->body]))) return;
  const NsFeBody *body = &fe->body[spring->body];
  NsFeOverSpeed(spring->over_speed, speed ? speed[spring->body] : NsSpinAtStart(body->spin), value);
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 4; k++) {
      const PetscReal both = body->frame[1 + k / 2][i / 3] * body->frame[1 + k % 2][i % 3];
      stiffness[6 * (i / 3) + i % 3] += value[k] * both;
      damping[6 * (i / 3) + i % 3] += value[4 + k] * both;
    }
  }
}

PetscBool NsFeSpringCirculates(const NsFe *fe, const NsFeSpring *spring, const PetscReal *speed)
{
  PetscReal k[36], c[36], size = 0, skew = 0;

  NsFeSpringMatrices(fe, spring, speed, k, c);
  for (int i = 0; i < 36; i++) {
    size = PetscMax(size, PetscAbsReal(k[i]));
    skew = PetscMax(skew, PetscAbsReal(k[i] - k[6 * (i % 6) + i / 6]));
  }
  return skew > 1e-14 * size ? PETSC_TRUE : PETSC_FALSE;
}

PetscReal NsFeSpringEnergy(const NsFe *fe, const NsLayout *layout, const NsFeSpring *spring, const PetscReal *speed, const PetscScalar *q)
{
  PetscInt       unknown[NS_SPRING_ENTRIES];
  PetscReal      row[NS_SPRING_ENTRIES][6], r[6] = {0}, energy = 0, stiffness[36], damping[36];
  const PetscInt n = NsFeSpringRows(fe, spring, unknown, row);

  NsFeSpringMatrices(fe, spring, speed, stiffness, damping);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt place = layout ? NsLayoutPlace(layout, unknown[i]) : unknown[i];
    for (int k = 0; k < 6; k++) r[k] += row[i][k] * q[place];
  }
  for (int i = 0; i < 36; i++) energy += r[i / 6] * stiffness[i] * r[i % 6] / 2; /* the skew part gives nothing */
  return energy;
}

PetscReal NsFeSpringCirculation(const NsFe *fe, const NsLayout *layout, const NsFeSpring *spring, const PetscScalar *q, const PetscScalar *w)
{
  PetscInt       unknown[NS_SPRING_ENTRIES];
  PetscReal      row[NS_SPRING_ENTRIES][6], r[6] = {0}, rate[6] = {0}, power = 0, k[36], c[36];
  const PetscInt n = NsFeSpringRows(fe, spring, unknown, row);

  NsFeSpringMatrices(fe, spring, NULL, k, c);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt place = layout ? NsLayoutPlace(layout, unknown[i]) : unknown[i];
    for (int a = 0; a < 6; a++) {
      r[a] += row[i][a] * q[place];
      rate[a] += row[i][a] * w[place];
    }
  }
  for (int i = 0; i < 36; i++) power -= rate[i / 6] * (k[i] - k[6 * (i % 6) + i / 6]) / 2 * r[i % 6];
  return power;
}

/* A table that begins at 0 or above serves the other sense of spin as well: seen in a mirror, cross-coupling changes its sign. */
void NsFeOverSpeed(const NsNumbers *table, PetscReal signed_speed, PetscReal value[8])
{
  const PetscBool mirrored = signed_speed < 0 && table->values[0] >= 0 ? PETSC_TRUE : PETSC_FALSE;
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

PetscReal NsFeOverSpeedEnd(const NsNumbers *table)
{
  return PetscMax(PetscAbsReal(table->values[0]), PetscAbsReal(table->values[9 * (table->rows - 1)]));
}

/* The direction of a spring: given, or from place to place, or the body's line. */
static PetscBool spring_direction(NsFe *fe, const NsSpringSettings *settings, const NsFeSpring *spring, PetscReal d[3])
{
  PetscReal length = 0;

  for (int k = 0; k < 3; k++) d[k] = settings->direction[k];
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
    if (spring->spot[1].body < 0) {
      if (!NsFeAxis(fe, &spring->spot[0], d)) {
        NsDiagError(fe->diag, settings->where->place, "this spring needs a `direction`: '%s' lies on no single line", settings->between.items[0]);
        return PETSC_FALSE;
      }
    } else {
      NsPoint a, b;
      NsFeExpand(fe, &spring->spot[0], &a);
      NsFeExpand(fe, &spring->spot[1], &b);
      for (int k = 0; k < 3; k++) d[k] = b.x[k] - a.x[k];
    }
  }
  for (int k = 0; k < 3; k++) length += PetscSqr(d[k]);
  length = PetscSqrtReal(length);
  if (length == 0) {
    NsDiagError(fe->diag, settings->where->place, "this spring needs a `direction`: its nodes are at the same place");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) d[k] /= length;
  return PETSC_TRUE;
}

static PetscBool is_same(const NsFeSpot *a, const NsFeSpot *b)
{
  if (a->body != b->body || a->node != b->node) return PETSC_FALSE;
  return a->node >= 0 || (a->element == b->element && a->fraction == b->fraction) ? PETSC_TRUE : PETSC_FALSE;
}

/* The two places; the ground comes second. */
static PetscBool find_spots(NsFe *fe, const char *kind, const NsStrings *between, const NsNode *where, NsFeSpot spot[2])
{
  NsFeSpot found[2];

  for (int k = 0; k < 2; k++) {
    if (!NsFeFindSpot(fe, between->items[k], NULL, between->where[k]->place, PETSC_TRUE, &found[k])) return PETSC_FALSE;
  }
  if (is_same(&found[0], &found[1])) {
    NsDiagError(fe->diag, NsKeysPlace(where, "between"), "a %s goes between two different places, or a place and `ground`", kind);
    return PETSC_FALSE;
  }
  const int ground = found[0].body < 0;
  spot[0]          = found[ground];
  spot[1]          = found[!ground];
  return PETSC_TRUE;
}

/* False after an error. */
static PetscBool is_in_range(NsFe *fe, const NsFeSpring *spring, const NsNode *where)
{
  const int numbers = spring->over_speed ? 9 * spring->over_speed->rows : 0;

  for (int i = 0; i < 72 + numbers; i++) {
    const PetscReal x = i < 36 ? spring->stiffness[i] : i < 72 ? spring->damping[i - 36] : spring->over_speed->values[i - 72];
    if (PetscAbsReal(x) < 1e30) continue;
    NsDiagError(fe->diag, where->key_place, "stiffness or damping of '%s' is out of range: %g", spring->name, x);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Whether it acts on anything that can move: some unknown makes a force that is more than the rounding of its directions. */
static PetscBool acts(const NsFe *fe, const NsFeSpring *spring)
{
  const PetscReal *matrix[2] = {spring->stiffness, spring->damping};
  PetscInt         unknown[NS_SPRING_ENTRIES];
  PetscReal        row[NS_SPRING_ENTRIES][6];
  const PetscInt   n = NsFeSpringRows(fe, spring, unknown, row);

  for (PetscInt i = 0; i < n; i++) {
    for (int m = 0; m < 2; m++) {
      for (int a = 0; a < 6; a++) {
        PetscReal force = 0, size = 0;
        for (int b = 0; b < 6; b++) {
          force += matrix[m][6 * a + b] * row[i][b];
          size += PetscAbsReal(matrix[m][6 * a + b]);
        }
        if (PetscAbsReal(force) > 1e-12 * size) return PETSC_TRUE;
      }
    }
  }
  return spring->over_speed ? PETSC_TRUE : PETSC_FALSE;
}

static void add_springs(NsFe *fe)
{
  const NsList           *list     = &fe->config->springs;
  const NsSpringSettings *settings = list->items;

  for (int s = 0; s < list->count; s++) {
    NsFeSpring *spring = &fe->spring[fe->springs];
    PetscReal   d[3];
    if (!find_spots(fe, "spring", &settings[s].between, settings[s].where, spring->spot)) continue;
    spring->name = list->names[s];
    spring->kind = "spring";
    spring->body = -1;
    if (!spring_direction(fe, &settings[s], spring, d)) continue;
    for (int i = 0; i < 9; i++) {
      spring->stiffness[6 * (i / 3) + i % 3] = settings[s].stiffness * d[i / 3] * d[i % 3];
      spring->damping[6 * (i / 3) + i % 3]   = settings[s].damping * d[i / 3] * d[i % 3];
    }
    if (is_in_range(fe, spring, settings[s].where) && !acts(fe, spring)) {
      NsDiagWarning(
        fe->diag, NsKeysPlace(settings[s].where, "direction"), "this spring moves nothing: its nodes are held, or cannot move in its direction");
    }
    fe->springs++;
  }
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
static void reach(NsFe *fe, const NsBearingSettings *settings, NsFeSpring *bearing)
{
  NsPoint   point[2];
  PetscReal apart = 0;

  if (bearing->spot[1].body < 0) return;
  for (int p = 0; p < 2; p++) NsFeExpand(fe, &bearing->spot[p], &point[p]);
  for (int k = 0; k < 3; k++) apart = PetscMax(apart, PetscAbsReal(point[1].x[k] - point[0].x[k]));
  if (apart < 1e-9) return;
  for (int p = 1; p >= 0; p--) {
    if (fe->body[bearing->spot[p].body].mesh->elements) continue;
    for (int k = 0; k < 3; k++) bearing->spot[p].arm[k] = point[1 - p].x[k] - point[p].x[k];
    return;
  }
  NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "between"),
    "the two places are %g m apart: forces of the bearing make a moment that nothing balances", apart);
}

/* A speed that is known beforehand, and that the table does not go up to: what is taken there is a guess. */
static void check_speeds(NsFe *fe, const NsFeSpring *bearing, const NsNode *where)
{
  const NsFeBody *body    = &fe->body[bearing->body];
  const PetscReal highest = NsSpinHighest(body->spin), end = NsFeOverSpeedEnd(bearing->over_speed), rpm = 30 / PETSC_PI;

  if (highest <= end * (1 + 1e-6)) return;
  NsDiagWarning(fe->diag, NsKeysPlace(where, "over_speed"),
    "'%s' turns at up to %.6g rpm, but the table ends at %.6g rpm: the values of its end are taken beyond", body->name, highest * rpm, end * rpm);
}

static void add_bearing(NsFe *fe, const NsBearingSettings *settings, const char *name)
{
  NsFeSpring *bearing = &fe->spring[fe->springs];

  if (!find_spots(fe, "bearing", &settings->between, settings->where, bearing->spot)) return;
  bearing->name = name;
  bearing->kind = "bearing";
  bearing->body = -1;
  for (int p = 1; p >= 0; p--) {
    if (bearing->spot[p].body >= 0 && fe->body[bearing->spot[p].body].is_rotor) bearing->body = bearing->spot[p].body;
  }
  const PetscBool rotor = bearing->body >= 0 ? PETSC_TRUE : PETSC_FALSE;
  reach(fe, settings, bearing);
  fill_block(fe, settings->where, "stiffness", &settings->stiffness, rotor, 0, bearing->stiffness);
  fill_block(fe, settings->where, "damping", &settings->damping, rotor, 0, bearing->damping);
  fill_block(fe, settings->where, "rotational_stiffness", &settings->rotational_stiffness, rotor, 3, bearing->stiffness);
  fill_block(fe, settings->where, "rotational_damping", &settings->rotational_damping, rotor, 3, bearing->damping);
  for (int i = 0; i < settings->stiffness_matrix.rows; i++) bearing->stiffness[i] += settings->stiffness_matrix.values[i];
  for (int i = 0; i < settings->damping_matrix.rows; i++) bearing->damping[i] += settings->damping_matrix.values[i];
  if (settings->over_speed.rows) {
    if (!rotor) {
      NsDiagError(fe->diag, NsKeysPlace(settings->where, "over_speed"), "none of the two is a rotor: there is no speed to look up");
      return;
    }
    bearing->over_speed = &settings->over_speed;
    check_speeds(fe, bearing, settings->where);
  }
  if (rotor) {
    into_space(fe->body[bearing->body].frame, bearing->stiffness);
    into_space(fe->body[bearing->body].frame, bearing->damping);
  }
  if (is_in_range(fe, bearing, settings->where) && !acts(fe, bearing))
    NsDiagWarning(fe->diag, settings->where->place, "this bearing does nothing: its numbers are zero wherever its places can move");
  fe->springs++;
}

void NsFeSprings(NsFe *fe)
{
  const NsList            *bearings = &fe->config->bearings;
  const NsBearingSettings *settings = bearings->items;

  fe->spring = NsArenaAlloc(fe->arena, sizeof(*fe->spring) * (size_t)PetscMax(1, fe->config->springs.count + bearings->count));
  add_springs(fe);
  for (int b = 0; b < bearings->count; b++) add_bearing(fe, &settings[b], bearings->names[b]);
  for (PetscInt s = 0; s < fe->springs; s++) {
    fe->spring[s].circulates = NsFeSpringCirculates(fe, &fe->spring[s], NULL);
    fe->circulates           = fe->circulates || fe->spring[s].circulates ? PETSC_TRUE : PETSC_FALSE;
  }
}
