/*
  Every registered force element (src/fe/forces/list.h) keeps the promises of its contract (src/fe/forces/force.h).

  They are made from the examples of their keys, between points of two bodies that these examples name, with a constant, a free and no spin: each key once, with `damping`
  beside it where there is such a key, so that no element is empty. Whoever adds a force element has nothing to add here.
*/
#include "expect.h"
#include "random_numbers.h"
#include "dense.h"
#include "fe/forces/laws/law.h"
#include "fe/model/components.h"

static const char *const spins[] = {"0", "{constant: 1000 rpm}", "{free: 500 rpm}", "{table: [[0 s, 0 rpm], [1 s, 3000 rpm]]}"};

/* Finite, and all entries written. */
static void tangents(const NsForceElement *force, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  for (int i = 0; i < 36; i++) K[i] = C[i] = NAN;
  force->type->tangents(force, spin, K, C);
  for (int i = 0; i < 36; i++) EXPECT(isfinite(K[i]) && isfinite(C[i]), "tangent %d is not finite, or not written", i);
}

/* The part that `force` computes has the tangents that are missing where the spin is not known: by central differences, exact for what is linear. And `slopes` has them, too. */
static void check_tangents(const NsForceElement *force, PetscReal spin)
{
  const NsForceMotion motion = {.r = (PetscReal[6]){0}, .v = (PetscReal[6]){0}, .spin = spin};
  PetscReal           stiffness[36], damping[36];
  PetscReal           K[2][36], C[2][36], direction[6][6], r[6], v[6];
  const PetscInt      n = force->type->components ? force->type->components(force, direction) : 0;

  tangents(force, &spin, K[0], C[0]);
  tangents(force, NULL, K[1], C[1]);
  if (n) force->type->slopes(force, &motion, stiffness, damping);
  for (int c = 0; c < 6; c++) {
    r[c] = 1e-5 * draw();
    v[c] = 1e-2 * draw();
  }
  for (PetscInt b = 0; b < n; b++) {
    const PetscReal step[2] = {1e-6, 1e-3};
    for (int kind = 0; kind < 2; kind++) { /* by r, by r' */
      PetscReal *x = kind ? &v[b] : &r[b], f[2][2][6];
      for (int side = 0; side < 2; side++) {
        *x += side ? 2 * step[kind] : -step[kind];
        force->type->force(force, &(NsForceMotion){.r = r, .v = v, .spin = spin}, f[side][0], f[side][1]);
      }
      *x -= step[kind];
      for (PetscInt a = 0; a < n; a++) {
        const PetscReal *X = kind ? C[0] : K[0], *Y = kind ? C[1] : K[1];
        PetscReal        expected = 0, size = 0;
        for (int i = 0; i < 36; i++) {
          expected -= direction[a][i / 6] * (X[i] - Y[i]) * direction[b][i % 6];
          size = PetscMax(size, PetscAbsReal(X[i]));
        }
        const PetscReal found = (f[1][0][a] + f[1][1][a] - f[0][0][a] - f[0][1][a]) / (2 * step[kind]);
        EXPECT(PetscAbsReal(found - expected) <= 1e-6 * size, "component %d changes with %s %d by %g, by the tangents at %g rad/s by %g", (int)a,
          kind ? "rate" : "displacement", (int)b, found, spin, expected);
        const PetscReal slope = -(kind ? damping : stiffness)[a * n + b];
        EXPECT(PetscAbsReal(slope - expected) <= 1e-12 * size, "slope %d, %d is %g, by the tangents at %g rad/s %g", (int)a, (int)b, slope, spin,
          expected);
      }
    }
  }
}

/* ---- laws ---------------------------------------------------------------------------------------------------------------------------------------- */

/* A random motion, within what the examples of all laws call large. */
static void move(PetscInt n, PetscReal r[6], PetscReal v[6])
{
  for (PetscInt c = 0; c < n; c++) {
    r[c] = 3e-5 * draw();
    v[c] = 1e-3 * draw();
  }
}

/* Slopes are the derivatives of the force: by central differences, but where a kink lies between. */
static void check_slopes(const NsForceLawUse *use, PetscInt n, const PetscReal *r0, const PetscReal *v0, PetscReal spin, PetscReal angle)
{
  for (int kind = 0; kind < 2; kind++) {
    for (PetscInt b = 0; b < n; b++) {
      const PetscReal step = kind ? 1e-8 : 1e-11;
      PetscReal       f[3][6], slopes[3][2][36], size = 0;
      PetscBool       kink = PETSC_FALSE;
      for (int side = 0; side < 3; side++) {
        PetscReal           r[6], v[6], damper[6];
        const NsForceMotion at = {.r = r, .v = v, .spin = spin, .angle = angle};
        for (PetscInt c = 0; c < n; c++) {
          r[c] = r0[c] + (c == b && !kind ? (side - 1) * step : 0);
          v[c] = v0[c] + (c == b && kind ? (side - 1) * step : 0);
        }
        use->law->force(use->data, &at, f[side], damper);
        use->law->slopes(use->data, &at, slopes[side][0], slopes[side][1]);
        for (PetscInt a = 0; a < n; a++) f[side][a] += damper[a];
      }
      for (PetscInt i = 0; i < n * n; i++) {
        size = PetscMax(size, PetscAbsReal(slopes[1][kind][i]));
        kink = kink || PetscAbsReal(slopes[0][kind][i] - slopes[2][kind][i]) > 1e-3 * PetscAbsReal(slopes[1][kind][i]);
      }
      for (PetscInt a = 0; a < n && !kink; a++) {
        const PetscReal slope = -slopes[1][kind][a * n + b], found = (f[2][a] - f[0][a]) / (2 * step);
        EXPECT(PetscAbsReal(found - slope) <= 1e-4 * size + 1e-6, "the force %d changes with %s %d by %g, by its slopes by %g", (int)a,
          kind ? "rate" : "displacement", (int)b, found, slope);
      }
    }
  }
}

static PetscReal stored_at(const NsForceLawUse *use, const PetscReal *r, const PetscReal *v, PetscReal angle)
{
  return use->law->stored(use->data, &(NsForceMotion){.r = r, .v = v, .angle = angle});
}

/* Springs have the potential that they say, dampers take energy, and slopes are nowhere above the steepest: those of the spring at rest. */
static void check_law(const NsFe *fe, const NsForceElement *force)
{
  const NsForceLawUse *use  = NsFeForceLaw(force);
  const PetscReal      spin = force->rotor >= 0 ? NsSpinHighest(fe->body[force->rotor].spin) : 0, angle = 0.3, still[6] = {0};
  PetscReal            direction[6][6], steepest[2][36];

  if (!use) return;
  const PetscInt n = force->type->components(force, direction);
  use->law->steepest(use->data, steepest[0], steepest[1]);
  for (int trial = 0; trial < 200; trial++) {
    PetscReal           r[6], v[6], spring[6], damper[6], slopes[2][36], moving[36], power = 0;
    const NsForceMotion at = {.r = r, .v = v, .spin = spin, .angle = angle};
    move(n, r, v);
    check_slopes(use, n, r, v, spin, angle);
    use->law->force(use->data, &at, spring, damper);
    use->law->slopes(use->data, &at, moving, slopes[1]);
    for (PetscInt c = 0; c < n; c++) power += damper[c] * v[c];
    EXPECT(power <= 0, "dampers bring %g W", power);
    for (PetscInt c = 0; c < n && use->law->stored; c++) {
      PetscReal       energy[2];
      const PetscReal step = 1e-9, middle = r[c];
      for (int side = 0; side < 2; side++) {
        r[c]         = middle + (side ? step : -step);
        energy[side] = stored_at(use, r, v, angle);
      }
      r[c]                  = middle;
      const PetscReal found = -(energy[1] - energy[0]) / (2 * step);
      EXPECT(PetscAbsReal(found - spring[c]) <= 1e-3 * PetscAbsReal(spring[c]) + step * steepest[0][c * n + c] + 1e-6,
        "the spring's force is %g N, by its energy %g N", spring[c], found);
    }
    if (use->law->driven) {
      const PetscReal rate   = (stored_at(use, r, v, angle + 1e-6) - stored_at(use, r, v, angle - 1e-6)) / 2e-6 * spin,
                      driven = use->law->driven(use->data, &at);
      EXPECT(PetscAbsReal(rate - driven) <= 1e-4 * (PetscAbsReal(rate) + 1e-6), "the drive brings %g W, by the energy %g W", driven, rate);
    }
    use->law->slopes(use->data, &(NsForceMotion){.r = r, .v = still, .spin = spin, .angle = angle}, slopes[0], moving);
    for (int kind = 0; kind < 2; kind++) { /* x' (steepest - slopes) x >= 0 in random directions */
      PetscReal x[6], least = 0, size = 0;
      for (PetscInt c = 0; c < n; c++) x[c] = draw();
      for (PetscInt i = 0; i < n * n; i++) {
        least += x[i / n] * (steepest[kind][i] - slopes[kind][i]) * x[i % n];
        size += PetscAbsReal(steepest[kind][i]);
      }
      EXPECT(least >= -1e-9 * size, "the slope of the %s is above its steepest", kind ? "damper" : "spring");
    }
  }
}

/* Speeds rise; tangents are linear in between, those of a formula within this part of the largest. */
static void check_speeds(const NsForceElement *force, PetscReal tolerance)
{
  PetscReal last = -PETSC_MAX_REAL, spin;

  if (NsFeForceLaw(force)) return;

  check_tangents(force, 100);
  for (PetscInt i = 0; force->type->speed && force->type->speed(force, i, &spin); i++) {
    PetscReal K[3][36], C[3][36], middle = (last + spin) / 2;
    EXPECT(spin > last, "speed %d, %g rad/s, is not above the one before, %g rad/s", (int)i, spin, last);
    check_tangents(force, spin);
    if (i) {
      tangents(force, &last, K[0], C[0]);
      tangents(force, &middle, K[1], C[1]);
      tangents(force, &spin, K[2], C[2]);
      for (int k = 0; k < 36; k++)
        EXPECT(PetscAbsReal(K[0][k] + K[2][k] - 2 * K[1][k]) <= tolerance * PetscMax(PetscAbsReal(K[1][k]), PetscAbsReal(K[0][k])) &&
                 PetscAbsReal(C[0][k] + C[2][k] - 2 * C[1][k]) <= tolerance * PetscMax(PetscAbsReal(C[1][k]), PetscAbsReal(C[0][k])),
          "tangent %d is not linear between %g and %g rad/s", k, last, spin);
    }
    last = spin;
  }
}

/* The energy is the work against the symmetric part of K, on the way from rest. */
static void check_energy(const NsFe *fe, const NsFeComponent *c)
{
  PetscReal X[NS_FORCE_UNKNOWNS * NS_FORCE_UNKNOWNS], q[NS_COMPONENT_UNKNOWNS], stiffness[36], damping[36], work = 0, size = 0;

  NsFeForceTangents(fe, c->force, NULL, stiffness, damping);
  NsFeForceBlock(c->n, c->row, stiffness, NS_FE_SYMMETRIC, X);
  for (PetscInt i = 0; i < c->n; i++) q[i] = draw();
  for (PetscInt i = 0; i < c->n * c->n; i++) work += q[i / c->n] * X[i] * q[i % c->n] / 2;
  for (int i = 0; i < 36; i++) size = PetscMax(size, PetscAbsReal(stiffness[i])); /* of a skew one the work is 0 */
  const PetscReal energy = NsFeComponentEnergy(fe, c, NULL, q);
  EXPECT(PetscAbsReal(energy - work) <= 1e-10 * PetscAbsReal(work) + 1e-14 * size, "the energy is %g J, the work %g J", energy, work);
}

/* It restores and damps: the symmetric parts of K and C have no eigenvalue below zero. */
static void check_signs(const NsForceElement *force, PetscReal spin)
{
  PetscReal X[2][36], S[36], values[6], work[256];

  tangents(force, &spin, X[0], X[1]);
  for (int m = 0; m < 2; m++) {
    const PetscBLASInt n = 6, room = 256;
    PetscBLASInt       info;
    for (int i = 0; i < 36; i++) S[i] = (X[m][i] + X[m][6 * (i % 6) + i / 6]) / 2;
    LAPACKsyev_("N", "U", &n, S, &n, values, work, &room, &info);
    EXPECT(info == 0, "dsyev returned %d", (int)info);
    EXPECT(values[0] >= -1e-12 * values[5] && values[5] >= 0,
      "%s: the force is -K r - C r', and the symmetric part of this matrix has the eigenvalue %g", m ? "C" : "K", values[0]);
  }
}

/* No frequency of the model, at any speed of the tables, is above the bound. */
static void check_bound(const TestRun *test)
{
  NsModel           *model = test->run->model;
  const Dense        d     = dense_matrices(test);
  const PetscBLASInt n = (PetscBLASInt)d.n, room = 64 * n, type = 1;
  PetscBLASInt       info;
  PetscReal         *values = dense_new(test, d.n), *work = dense_new(test, room), bound = 0;

  for (PetscInt i = 0; i < d.n * d.n; i++) {
    if (i / d.n < i % d.n) d.K[i] = d.K[d.n * (i % d.n) + i / d.n] = (d.K[i] + d.K[d.n * (i % d.n) + i / d.n]) / 2;
  }
  LAPACKsygv_(&type, "N", "U", &n, d.K, &n, d.M, &n, values, work, &room, &info);
  EXPECT(info == 0, "dsygv returned %d", (int)info);
  for (PetscInt part = 0; part < model->parts; part++) {
    NsBound omega, rate;
    CHECK(model->analysis.frequency_bound(model, part, &omega, &rate));
    bound = PetscMax(bound, omega.value);
  }
  EXPECT(bound >= PetscSqrtReal(values[d.n - 1]) * (1 - 1e-9), "the highest frequency is %g rad/s, above the bound of %g rad/s",
    PetscSqrtReal(values[d.n - 1]), bound);
}

/* The key of the config that has this table. */
static const char *list_key(const NsForceType *type)
{
  for (const NsKey *key = NsTable_Config.keys; key->name; key++) {
    if (key->table == type->table) return key->name;
  }
  fail_msg("no key of the config has the list of '%s'", type->kind);
  return NULL;
}

static PetscBool is_kind(const NsForceType *type, const char *kind)
{
  return strcmp(type->kind, kind) ? PETSC_FALSE : PETSC_TRUE;
}

/* What gears are on. */
static const char pair[] = "  pinion:\n"
                           "    type: rotor\n"
                           "    mesh: {line: {from: [0, 1 m, 0], to: [0.2 m, 1 m, 0], elements: 2}}\n"
                           "    material: {density: 7800, young: 210 GPa}\n"
                           "    section: {circle: {radius: 10 mm}}\n"
                           "    spin: {free: 0 rpm}\n"
                           "  wheel:\n"
                           "    type: rotor\n"
                           "    mesh: {line: {from: [0, 1 m, 0.3 m], to: [0.2 m, 1 m, 0.3 m], elements: 2}}\n"
                           "    material: {density: 7800, young: 210 GPa}\n"
                           "    section: {circle: {radius: 10 mm}}\n"
                           "    spin: {free: 0 rpm}\n";

/* An element with its required keys and one more, on a shaft with this spin. */
static void check_force(const NsForceType *type, const NsKey *more, const char *value, const char *spin)
{
  PetscInt forces = 0;
  int      used   = snprintf(about, TEXT,
           "bodies:\n"
                  "  bar:\n"
                  "    type: beam\n"
                  "    mesh: {line: {from: [0, 0, 0], to: [0.4 m, 0.3 m, 0.1 m], elements: 2}}\n"
                  "    material: {density: 7800, young: 210 GPa}\n"
                  "    section: {circle: {radius: 10 mm}}\n"
                  "  shaft:\n"
                  "    type: rotor\n"
                  "    mesh: {line: {from: [1 m, 0, 0], to: [1.4 m, 0.3 m, 0], elements: 3}}\n"
                  "    material: {density: 7800, young: 210 GPa}\n"
                  "    section: {circle: {radius: 10 mm}}\n"
                  "    spin: %s\n"
                  "%s"
                  "%s:\n"
                  "  force:\n",
           spin, is_kind(type, "gear") ? pair : "", list_key(type));

  for (const NsKey *key = type->table->keys; key->name; key++) {
    const PetscBool extra = !strcmp(key->name, "damping") && strcmp(more->name, "damping");
    if (!key->required && key != more && !extra) continue;
    used += snprintf(about + used, (size_t)(TEXT - used), "    %s: %s\n", key->name, key == more ? value : key->example);
    assert_true(used < TEXT);
  }
  used += snprintf(about + used, (size_t)(TEXT - used), "scheme: {type: half_explicit, step: 1 ns}\ntime: {end: 1 ns}\n");
  assert_true(used < TEXT);
  TestRun     test = test_run_open(about, NULL);
  const NsFe *fe   = test.run->model->data;
  NsSwitchesSet(&test.run->model->switches, !strcmp(more->name, "from")); /* as it acts */
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    if (c.kind != NS_FE_FORCE) continue;
    forces++;
    EXPECT(c.force->type == type || (type->window && !strcmp(c.force->type->kind, type->kind)), "it is made as '%s'", c.force->type->kind);
    check_speeds(c.force, !strcmp(more->name, "annular_seal") ? 1e-2 : 1e-9);
    check_law(fe, c.force);
    check_signs(c.force, 100);
    check_energy(fe, &c);
  }
  EXPECT(forces == 1, "the config has one force element, the model %d", (int)forces);
  check_bound(&test);
  test_run_close(&test);
}

/* With each word of a choice of the law, such as the models of a film. */
static void check_choices(const NsForceType *type, const NsKey *key, const char *spin)
{
  for (const NsKey *inner = key->table->keys; inner->name; inner++) {
    for (int i = 0; inner->kind == NS_KEY_CHOICE && inner->choices[i]; i++) {
      char value[TEXT];
      (void)snprintf(value, sizeof(value), "%.*s, %s: %s}", (int)strlen(key->example) - 1, key->example, inner->name, inner->choices[i]);
      check_force(type, key, value, spin);
    }
  }
}

/* With each choice of a mapping of which one is given: the laws of a spring. */
static void check_key(const NsForceType *type, const NsKey *key, const char *spin)
{
  if (!strcmp(key->name, "length") || !strcmp(key->name, "anchor"))
    return; /* of springs between bodies of large rotations: refused here (tests/errors) */
  if (key->kind != NS_KEY_TABLE || !key->table->one_of) {
    check_force(type, key, key->example, spin);
    if (key->kind == NS_KEY_TABLE) check_choices(type, key, spin);
    return;
  }
  for (const NsKey *choice = key->table->keys; choice->name; choice++) {
    char value[TEXT];
    (void)snprintf(value, sizeof(value), "{%s: %s}", choice->name, choice->example);
    check_force(type, key, value, spin);
  }
}

static void force_elements_fulfil_their_contract(void **state)
{
  (void)state;
  for (const NsForceType *const *type = NsForceTypes; *type; type++) {
    for (const NsKey *key = (*type)->table->keys; key->name; key++) {
      for (size_t s = 0; s < sizeof(spins) / sizeof(*spins) && !key->required; s++) {
        if (!is_kind(*type, "motor") || strstr(spins[s], "free")) check_key(*type, key, spins[s]); /* a motor drives a free spin */
      }
    }
  }
}

static void settings_begin_as_the_contract_says(void **state)
{
  (void)state;
  for (const NsForceType *const *type = NsForceTypes; *type; type++) {
    const NsKey *key = (*type)->table->keys;
    while (key->name && strcmp(key->name, "between")) key++;
    if (!key->name || key->kind != NS_KEY_STRINGS || key->offset != sizeof(const NsNode *) || !key->required)
      fail_msg("the settings of '%s' do not begin with where, between", (*type)->kind);
    if (!(*type)->slopes != !(*type)->force || !(*type)->speed != !(*type)->force || ((*type)->force && !(*type)->components))
      fail_msg("'%s' has components, force, slopes or speed alone", (*type)->kind);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(settings_begin_as_the_contract_says),
  cmocka_unit_test(force_elements_fulfil_their_contract),
};
TEST_MAIN(tests)
