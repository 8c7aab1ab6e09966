#include "force.h"
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"

const NsForceType *const NsForceTypes[] = {
#define NS_FORCE(Name, key, help, example) &NsForceType_##Name,
#include "fe/forces/list.h"
#undef NS_FORCE
  NULL,
};

/* What the settings of all force elements begin with. */
typedef struct {
  const NsNode *where;
  NsStrings     between;
} Settings;

typedef void (*Expand)(const NsFe *, const NsFePoint *, NsPoint *);

static PetscInt rows_by(Expand expand, const NsFe *fe, const NsForceElement *force, PetscInt *unknown, PetscReal (*row)[6])
{
  PetscInt n = 0;

  for (int p = 0; p < 2 && force->end[p].body >= 0; p++) {
    const PetscReal sign = p ? 1 : -1; /* r = motion of the second minus that of the first */
    NsPoint         point;
    expand(fe, &force->end[p], &point);
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

PetscInt NsFeForceRows(const NsFe *fe, const NsForceElement *force, PetscInt *unknown, PetscReal (*row)[6])
{
  return rows_by(NsFeExpand, fe, force, unknown, row);
}

PetscInt NsFeForceRowsMoved(const NsFe *fe, const NsForceElement *force, PetscInt *unknown, PetscReal (*row)[6])
{
  return rows_by(NsFeExpandMoved, fe, force, unknown, row);
}

const NsForceLawUse *NsFeForceLaw(const NsForceElement *force)
{
  const NsForceLawUse *use = force->type->law ? force->type->law(force) : NULL;

  return use && use->law ? use : NULL;
}

void NsFeForceNow(const NsForceElement *force, const NsForceMotion *motion, PetscReal *spring, PetscReal *damper)
{
  const NsForceLawUse *use = NsFeForceLaw(force);

  if (use)
    use->law->force(use->data, motion, spring, damper);
  else
    force->type->force(force, motion, spring, damper);
}

void NsFeForceSlopes(const NsForceElement *force, const NsForceMotion *motion, PetscReal *stiffness, PetscReal *damping)
{
  const NsForceLawUse *use = NsFeForceLaw(force);

  if (use)
    use->law->slopes(use->data, motion, stiffness, damping);
  else
    force->type->slopes(force, motion, stiffness, damping);
}

/* The part that belongs to the matrices. */
static void linear_tangents(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal K[36], PetscReal C[36])
{
  const NsFeBody *rotor = force->rotor >= 0 ? &fe->body[force->rotor] : NULL;
  PetscReal       spin;

  if (rotor && (speed || NsFeSpeedIsConstant(rotor))) {
    spin = speed ? speed[force->rotor] : NsSpinAtStart(rotor->spin);
    force->type->tangents(force, &spin, K, C);
  } else
    force->type->tangents(force, NULL, K, C);
}

/* X += D' x D of x[n, n] over the components. */
static void add_components(const NsForceElement *force, const PetscReal *x, PetscReal X[36])
{
  PetscReal      direction[6][6];
  const PetscInt n = force->type->components(force, direction);

  for (int i = 0; i < 36; i++) {
    for (PetscInt a = 0; a < n; a++) {
      for (PetscInt b = 0; b < n; b++) X[i] += direction[a][i / 6] * x[a * n + b] * direction[b][i % 6];
    }
  }
}

void NsFeForceSpinRates(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal *v)
{
  PetscReal r[6] = {0};

  for (int p = 0; p < 2 && speed; p++) {
    const NsFeBody *body = force->end[p].body >= 0 ? &fe->body[force->end[p].body] : NULL;
    for (int k = 0; k < 3 && body && body->is_rotor && NsSpinIsFree(body->spin); k++)
      r[3 + k] += (p ? 1 : -1) * speed[force->end[p].body] * body->frame[0][k];
  }
  (void)NsFeForceComponents(force, r, v);
}

void NsFeForceTangents(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal K[36], PetscReal C[36])
{
  PetscReal           v[6], stiffness[36], damping[36];
  const NsForceMotion motion = {.r = force->rest, .v = v, .spin = speed && force->rotor >= 0 ? speed[force->rotor] : 0};

  linear_tangents(fe, force, speed, K, C);
  if (!speed || !NsFeForceLaw(force)) return;
  NsFeForceSpinRates(fe, force, speed, v);
  NsFeForceSlopes(force, &motion, stiffness, damping);
  add_components(force, stiffness, K);
  add_components(force, damping, C);
}

void NsFeForceSteepest(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal K[36], PetscReal C[36])
{
  const NsForceLawUse *use = NsFeForceLaw(force);
  PetscReal            stiffness[36], damping[36];

  linear_tangents(fe, force, speed, K, C);
  if (!use) return;
  use->law->steepest(use->data, stiffness, damping);
  add_components(force, stiffness, K);
  add_components(force, damping, C);
}

PetscInt NsFeForceComponents(const NsForceElement *force, const PetscReal r[6], PetscReal *component)
{
  PetscReal      direction[6][6];
  const PetscInt n = force->type->components ? force->type->components(force, direction) : 0;

  for (PetscInt c = 0; c < n; c++) {
    component[c] = 0;
    for (int k = 0; k < 6; k++) component[c] += direction[c][k] * r[k];
  }
  return n;
}

PetscReal NsFeForceEnergy(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, const PetscReal r[6])
{
  PetscReal energy = 0, K[36], C[36];

  linear_tangents(fe, force, speed, K, C);
  for (int i = 0; i < 36; i++) energy += r[i / 6] * K[i] * r[i % 6] / 2;
  return energy;
}

PetscBool NsFeForceCirculates(const NsFe *fe, const NsForceElement *force, const PetscReal *speed)
{
  PetscReal K[36], C[36], size = 0, skew = 0;

  NsFeForceTangents(fe, force, speed, K, C);
  for (int i = 0; i < 36; i++) {
    size = PetscMax(size, PetscAbsReal(K[i]));
    skew = PetscMax(skew, PetscAbsReal(K[i] - K[6 * (i % 6) + i / 6]));
  }
  return skew > 1e-14 * size;
}

PetscBool NsFeForceFollowsSpin(const NsFe *fe, const NsForceElement *force)
{
  PetscReal spin;

  return force->rotor >= 0 && force->type->speed && force->type->speed(force, 0, &spin) && !NsFeSpeedIsConstant(&fe->body[force->rotor]);
}

static PetscBool is_same(const NsFePoint *a, const NsFePoint *b)
{
  if (a->body != b->body || a->node != b->node) return PETSC_FALSE;
  return a->node >= 0 || (a->element == b->element && a->xi[0] == b->xi[0]);
}

/* The two points; the ground comes second. */
static PetscBool find_spots(NsFe *fe, const char *kind, const NsStrings *between, const NsNode *where, NsFePoint spot[2])
{
  NsFePoint found[2];

  for (int k = 0; k < 2; k++) {
    if (!NsFeFindPoint(fe, between->items[k], NULL, between->where[k]->place, PETSC_TRUE, &found[k])) return PETSC_FALSE;
  }
  if (is_same(&found[0], &found[1])) {
    NsDiagError(fe->diag, NsKeysPlace(where, "between"), "a %s goes between two different points, or a point and `ground`", kind);
    return PETSC_FALSE;
  }
  const int ground = found[0].body < 0;
  spot[0]          = found[ground];
  spot[1]          = found[!ground];
  return PETSC_TRUE;
}

/* False after an error. */
static PetscBool is_in_range(NsFe *fe, const NsForceElement *force, const NsNode *where)
{
  PetscReal spin = 0, tangent[72], worst = 0;

  NsFeForceSteepest(fe, force, NULL, tangent, tangent + 36);
  for (PetscInt i = 0, more = 1; more; i++) {
    for (int k = 0; k < 72; k++) {
      if (!(PetscAbsReal(tangent[k]) <= PetscAbsReal(worst))) worst = tangent[k];
    }
    if (!(PetscAbsReal(spin) <= PetscAbsReal(worst))) worst = spin;
    more = force->type->speed && force->type->speed(force, i, &spin);
    if (more) force->type->tangents(force, &spin, tangent, tangent + 36);
  }
  if (PetscAbsReal(worst) < 1e30) return PETSC_TRUE;
  NsDiagError(fe->diag, where->key_place, "stiffness or damping of '%s' is out of range: %g", force->name, worst);
  return PETSC_FALSE;
}

/* Whether it acts on anything that can move: some unknown makes a force that is more than the rounding of its directions. */
static PetscBool has_effect(const NsFe *fe, const NsForceElement *force)
{
  PetscInt       unknown[NS_FORCE_UNKNOWNS];
  PetscReal      row[NS_FORCE_UNKNOWNS][6], tangent[2][36], component[6], spin;
  const PetscInt n = NsFeForceRows(fe, force, unknown, row);

  for (PetscInt i = 0; i < n && NsFeForceLaw(force); i++) {
    for (PetscInt c = NsFeForceComponents(force, row[i], component); c > 0; c--) {
      if (PetscAbsReal(component[c - 1]) > 1e-12) return PETSC_TRUE;
    }
  }
  force->type->tangents(force, NULL, tangent[0], tangent[1]);
  for (PetscInt i = 0; i < 2 * 6 * n; i++) {
    const PetscReal *X   = tangent[i / 6 % 2] + 6 * (i % 6);
    PetscReal        sum = 0, size = 0;
    for (int b = 0; b < 6; b++) {
      sum += X[b] * row[i / 12][b];
      size += PetscAbsReal(X[b]);
    }
    if (PetscAbsReal(sum) > 1e-12 * size) return PETSC_TRUE;
  }
  return force->has_mass || (force->type->speed && force->type->speed(force, 0, &spin));
}

static void create(NsFe *fe, const NsForceType *type, const void *settings, const char *name)
{
  const Settings *common = settings;
  NsForceElement *force  = &fe->force[fe->force_elements];
  const NsWindow *window = type->window ? (const NsWindow *)((const char *)settings + type->window) : NULL;

  *force = (NsForceElement){.type = type, .name = name, .where = common->where, .rotor = -1};
  if (!find_spots(fe, type->kind, &common->between, common->where, force->end)) return;
  for (int p = 1; p >= 0; p--) {
    if (force->end[p].body >= 0 && fe->body[force->end[p].body].is_rotor) force->rotor = force->end[p].body;
  }
  force->data = NsArenaAlloc(fe->arena, type->size);
  if (!type->create(fe, settings, force)) return;
  if (is_in_range(fe, force, common->where) && !has_effect(fe, force))
    NsDiagWarning(
      fe->diag, common->where->place, "this %s has no effect: its coefficients are zero in every direction in which its points can move", type->kind);
  if (window && NsWindowIsGiven(window) && !NsFeForceSwitch(fe, window, force)) return;
  force->circulates = NsFeForceCirculates(fe, force, NULL);
  fe->circulates    = fe->circulates || force->circulates;
  fe->force_elements++;
}

void NsFeForcesCreate(NsFe *fe)
{
  size_t most = 1;

  for (int k = 0; k < NS_FORCES; k++) most += (size_t)fe->config->forces[k].count;
  most += (size_t)NsFeInternalDampers(fe);
  fe->force = NsArenaAlloc(fe->arena, sizeof(*fe->force) * most);
  for (int k = 0; k < NS_FORCES; k++) {
    const NsForceType *type = NsForceTypes[k];
    const NsList      *list = &fe->config->forces[k];
    for (int i = 0; i < list->count; i++) create(fe, type, (const char *)list->items + type->table->size * (size_t)i, list->names[i]);
  }
  NsFeInternalDampersCreate(fe);
}

PetscReal NsFeFastest(const NsSpin *spin)
{
  return NsSpinIsFree(spin) ? PetscMax(1000, 2 * NsSpinHighest(spin)) : NsSpinHighest(spin);
}
