/*
  A plugin's table: whatever numbers, names and NULLs stand in it, and whatever its functions return.

  The bytes fill the table of an empty plugin (plugin_table.c), which a config then loads as any other, and choose the scheme. The functions are those of masses on springs
  that hit walls, but up to four of their results are spoiled from some call on: no number, infinite, huge, of the other sign. Lists end and texts end: a plugin that
  does not keep to that much is lost in any case. Promises: a plugin that is refused has a message; none brings an error of PETSc; steps fail with a reason.
*/
#include "fuzz.h"
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>
#include "percuss/mechanism.h"
#include "run/private.h"

enum { MOST_STEPS = 4, MOST_CONTACTS = 8, MOST_POINTS = 40, SPOILS = 4 };
enum { CHECK, CHECK_START, SIZES, LENGTH, MASS, MASSRATE, FORCE, ENERGY, POWER, CONTACT, ROWRATE, RADIUS, DRAW, PLACE, FUNCTIONS };

static NsMechanism *table; /* of the library */

static struct {
  const uint8_t *data;
  size_t         left;
} input;

static uint8_t take(void)
{
  if (!input.left) return 0;
  input.left--;
  return *input.data++;
}

/* Mostly false: what is rarely so. */
static bool rarely(void)
{
  return take() >= 240;
}

static double take_number(void)
{
  static const double numbers[] = {0, 1, -1, 0.1, 1e-3, 1e3, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 1e-17, 1e17, 1e160};
  const uint8_t       choice    = take();
  double              x;
  uint8_t             bytes[sizeof(x)];

  if (choice < 224) return numbers[choice % (sizeof(numbers) / sizeof(*numbers))];
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = take();
  memcpy(&x, bytes, sizeof(x));
  return x;
}

static int take_count(int most)
{
  return rarely() ? (int)(((unsigned)take() << 24 | take()) - 3) : take() % (most + 1);
}

/* A name, by its number mostly; a text of any bytes rarely. */
static const char *take_name(NsArena *arena, const char *usual, int number)
{
  static const char *const odd[]  = {"", "x", "initial", "contact", "type", "a b", "q.0", "\xc3\xa9", "%s%n", "time", "../x", "energy"};
  const uint8_t            choice = take();

  if (choice < 200) return NsArenaPrint(arena, "%s%d", usual, number);
  if (choice < 248) return odd[choice % (sizeof(odd) / sizeof(*odd))];
  const size_t size = take();
  char        *name = NsArenaAlloc(arena, size + 1);
  for (size_t i = 0; i < size; i++) name[i] = (char)(take() | 1);
  return name;
}

static const char *take_quantity(void)
{
  static const char *const texts[] = {
    "0", "0", "0", "1", "0.1", "-1", "1 m", "1 s", "", "abc", "1e999", "nan", "1e-320", "0 <", "< 1", "1 kg", "90 deg", "1e300", "0.5"};

  return texts[take() % (sizeof(texts) / sizeof(*texts))];
}

/* ---- the functions ---- */

static struct {
  int    function, entry, from;
  double value;
} spoil[SPOILS];
static int  calls[FUNCTIONS], coordinates, contacts, rows, said_sizes[2];
static bool has_sizes;

static void spoiled(int function, double *values, int count)
{
  calls[function]++;
  for (int i = 0; i < SPOILS; i++) {
    if (spoil[i].function == function && calls[function] > spoil[i].from && count > 0) values[spoil[i].entry % count] = spoil[i].value;
  }
}

/* Coordinates and contacts that the program believes in, never more than there are. */
static int used(int which)
{
  const int all = which ? contacts : coordinates;

  return has_sizes && said_sizes[which] >= 0 && said_sizes[which] < all ? said_sizes[which] : all;
}

static const char *check(const NsMechanismCase *c)
{
  double wrong = 0;

  (void)c;
  spoiled(CHECK, &wrong, 1);
  return wrong != 0 ? "the parameters \033[1m of this\n plugin are wrong" : NULL;
}

static const char *check_start(const NsMechanismCase *c, const double *q)
{
  double wrong = q[0] * 0;

  (void)c;
  spoiled(CHECK_START, &wrong, 1);
  return wrong != 0 ? "" : NULL;
}

static void sizes(const NsMechanismCase *c, int *n, int *m)
{
  (void)c;
  *n = said_sizes[0];
  *m = said_sizes[1];
}

static double length(const NsMechanismCase *c)
{
  double x = 1;

  (void)c;
  spoiled(LENGTH, &x, 1);
  return x;
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  const int n = used(0);

  (void)c;
  for (int i = 0; i < n; i++) M[i * n + i] = table->constant_mass ? 1 : 2 + sin(q[i]);
  spoiled(MASS, M, n * n);
}

static void massrate(const NsMechanismCase *c, const double *q, const double *v, double *y)
{
  const int n = used(0);

  (void)c;
  for (int i = 0; i < n; i++) y[i] = table->constant_mass ? 0 : cos(q[i]) * v[i] * v[i];
  spoiled(MASSRATE, y, n);
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  const int n = used(0);

  (void)t;
  for (int i = 0; i < n; i++) h[i] = -100 * q[i] + c->gravity[1] - (table->constant_mass ? 0 : 0.5 * cos(q[i]) * v[i] * v[i]);
  spoiled(FORCE, h, n);
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  double both[2] = {0, 0};

  for (int i = 0; i < used(0); i++) {
    both[0] += 50 * q[i] * q[i];
    both[1] -= c->gravity[1] * q[i];
  }
  spoiled(ENERGY, both, 2);
  *elastic   = both[0];
  *potential = both[1];
}

static void power(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load)
{
  double both[2] = {0, 0 * (t + q[0] + v[0] + w[0])};

  (void)c;
  spoiled(POWER, both, 2);
  *damping = both[0];
  *load    = both[1];
}

/* Contact k: coordinate k against a wall a little below the start; its tangents move the next coordinate, its drive a belt. */
static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  const int n = used(0), m = used(1);

  (void)c;
  (void)t;
  for (int k = 0, row = 0; k < m; k++) {
    g[k]               = q[k % n] + (table->contacts[k].bilateral ? 0 : 1e-4 * k);
    W[row * n + k % n] = 1;
    row++;
    for (int i = 0; i < table->contacts[k].tangents; i++, row++) {
      W[row * n + (k + 1 + i) % n] = 1;
      drive[row]                   = 0.1;
    }
    rows = row;
  }
  switch (spoil[0].entry % 3) {
  case 0: spoiled(CONTACT, g, m); return;
  case 1: spoiled(CONTACT, W, rows * n); return;
  default: spoiled(CONTACT, drive, rows);
  }
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  d[0] = 0 * (t + q[0] + v[0]);
  spoiled(ROWRATE, d, rows);
}

static double radius(const NsMechanismCase *c)
{
  double x = 0.1;

  (void)c;
  spoiled(RADIUS, &x, 1);
  return x;
}

static void draw(const NsMechanismCase *c, const double *q, double *x)
{
  (void)c;
  for (int i = 0; i < table->points; i++) x[3 * i] = q[i % used(0)];
  spoiled(DRAW, x, 3 * table->points);
}

static void contact_point(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3])
{
  (void)c;
  (void)t;
  x[0]      = q[k % used(0)];
  normal[0] = 1;
  spoiled(PLACE, x, 3);
  spoiled(PLACE, normal, 3);
}

/* ---- the table from the bytes ---- */

static void fill_lists(NsArena *arena)
{
  NsMechanismParameter  *parameter;
  NsMechanismCoordinate *coordinate;
  NsMechanismContact    *one;
  const int              parameters = rarely() ? take() % 40 : take() % 4;

  coordinates = rarely() ? take() % 20 : 1 + take() % 4;
  contacts    = take() % (MOST_CONTACTS + 1);
  parameter   = NsArenaAlloc(arena, sizeof(*parameter) * (size_t)(parameters + 1));
  coordinate  = NsArenaAlloc(arena, sizeof(*coordinate) * (size_t)(coordinates + 1));
  one         = NsArenaAlloc(arena, sizeof(*one) * (size_t)(contacts + 1));
  for (int i = 0; i < parameters; i++) {
    parameter[i] = (NsMechanismParameter){.name = take_name(arena, "p", i)};
    for (int d = 0; d < 4; d++) parameter[i].dimension[d] = rarely() ? (signed char)take() : 0;
    parameter[i].default_value = rarely() ? NULL : take_quantity();
    if (rarely()) parameter[i].minimum = take_quantity();
    if (rarely()) parameter[i].maximum = take_quantity();
    if (rarely()) parameter[i].help = take_name(arena, "help", i);
  }
  for (int i = 0; i < coordinates; i++) {
    coordinate[i] = (NsMechanismCoordinate){take_name(arena, "q", i), take_name(arena, "v", i), {1, 0, 0, 0}, "0", "0"};
    if (rarely()) coordinate[i].rate = NULL;
    for (int d = 0; d < 4; d++) {
      if (rarely()) coordinate[i].dimension[d] = (signed char)take();
    }
    if (rarely()) coordinate[i].position = take_quantity();
    if (rarely()) coordinate[i].speed = take_quantity();
  }
  for (int i = 0; i < contacts; i++) one[i] = (NsMechanismContact){take_name(arena, "c", i), take() % 3, 0};
  for (int i = 0; i < contacts; i++) {
    if (rarely()) one[i].tangents = take_count(2);
    if (rarely()) one[i] = (NsMechanismContact){one[i].name, 0, take()};
  }
  table->parameters  = rarely() ? NULL : parameter;
  table->coordinates = rarely() ? NULL : coordinate;
  table->contacts    = contacts ? one : NULL;
}

static void fill_picture(NsArena *arena)
{
  const char **names = NsArenaAlloc(arena, sizeof(*names) * MOST_POINTS);
  int(*line)[2]      = NsArenaAlloc(arena, sizeof(*line) * MOST_POINTS);

  if (take() % 2) return;
  table->points = rarely() ? take_count(0) % (MOST_POINTS + 1) : 1 + take() % 4;
  table->lines  = rarely() ? take_count(0) % (MOST_POINTS + 1) : take() % 3;
  for (int i = 0; i < table->lines; i++) {
    line[i][0] = rarely() ? take_count(4) : 0;
    line[i][1] = table->points - 1;
  }
  for (int i = 0; i < table->points; i++) names[i] = rarely() ? NULL : take_name(arena, "point", i);
  table->line        = rarely() ? NULL : (const int(*)[2])line;
  table->point_names = take() % 2 ? names : NULL;
  table->draw        = rarely() ? NULL : draw;
  if (take() % 2) table->radius = radius;
  if (take() % 2) table->contact_point = contact_point;
}

static void fill_table(NsArena *arena)
{
  memset(table, 0, sizeof(*table));
  memset(calls, 0, sizeof(calls));
  has_sizes      = false;
  rows           = 0;
  table->version = rarely() ? take() : NS_MECHANISM_VERSION;
  table->name    = rarely() ? NULL : take_name(arena, "mechanism", 0);
  table->title   = rarely() ? NULL : "a mechanism";
  fill_lists(arena);
  fill_picture(arena);
  if (take() % 4 == 0) table->check = check;
  if (take() % 4 == 0) table->check_start = check_start;
  if (take() % 4 == 0) {
    has_sizes     = true;
    said_sizes[0] = take_count(coordinates);
    said_sizes[1] = take_count(contacts);
    table->sizes  = sizes;
  }
  table->constant_mass = take() % 2;
  table->length        = rarely() ? NULL : length;
  table->mass          = rarely() ? NULL : mass;
  table->massrate      = take() % 2 ? massrate : NULL;
  table->force         = rarely() ? NULL : force;
  table->energy        = rarely() ? NULL : energy;
  table->power         = take() % 2 ? power : NULL;
  table->contact       = rarely() ? NULL : contact;
  table->rowrate       = take() % 4 ? rowrate : NULL;
  for (int i = 0; i < SPOILS; i++) {
    spoil[i].function = take() % (2 * FUNCTIONS);
    spoil[i].entry    = take();
    spoil[i].from     = take();
    spoil[i].value    = take_number();
  }
}

static const char *make_config(NsArena *arena)
{
  const unsigned scheme = take();

  return NsArenaPrint(arena,
    "bodies:\n  m:\n    type: plugin\n    library: %s\n    contact: {restitution: %g, friction: %g}\n    parameters: {%s}\n    initial: {%s}\n"
    "gravity: [0, %g, 0]\nscheme: %s\ntime: {end: 1 s}\n",
    PERCUSS_FUZZ_PLUGIN, take() % 5 / 4.0, take() % 3 / 4.0, rarely() ? "p0: 1" : "", take() % 4 ? "v0: -1" : "", take() % 2 ? -9.81 : 0.0,
    FuzzScheme(scheme, take() % 4 ? "1 ms" : "0.1 s", arena));
}

static void step(NsRun *run, NsArena *arena)
{
  const size_t points = (size_t)run->model->scene.points + 1, cells = (size_t)run->model->scene.cells + 1;
  PetscReal   *vector[2] = {NsArenaAlloc(arena, sizeof(PetscReal) * 3 * points), NsArenaAlloc(arena, sizeof(PetscReal) * 3 * points)};
  PetscReal   *number    = NsArenaAlloc(arena, sizeof(PetscReal) * cells);
  PetscReal    x[3], u[3], normal[3], *touch = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)(run->model->touches + 1));
  NsFields     fields = {vector[0], vector[1], number, number, number, NULL, NULL, NULL};
  NsEnergy     sum;

  FuzzCheck(NsRunStart(run));
  for (int i = 0; i < MOST_STEPS; i++) {
    NsStepOutcome outcome;

    memset(&outcome, 0, sizeof(outcome));
    FuzzCheck(NsRunStep(run, &outcome));
    if (!outcome.done) {
      FuzzExpect(*outcome.reason, "a step fails without reason");
      break;
    }
    FuzzCheck(NsSchemeComplete(run->scheme, &run->state));
  }
  /* what writers ask */
  FuzzCheck(NsModelEnergy(run->model, run->state.t, run->state.q, run->state.v, &sum));
  if (run->model->view.fields) FuzzCheck(run->model->view.fields(run->model, run->state.t, run->state.q, run->state.v, NULL, &fields));
  FuzzCheck(NsModelTouch(run->model, run->state.q, touch));
  for (PetscInt k = 0; run->model->view.contact_point && k < run->model->candidates; k++)
    FuzzCheck(run->model->view.contact_point(run->model, run->state.t, touch, k, x, u, normal));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  void *library = dlopen(PERCUSS_FUZZ_PLUGIN, RTLD_NOW | RTLD_LOCAL);

  (void)argc;
  (void)argv;
  table = library ? dlsym(library, "percuss_mechanism") : NULL;
  if (!table) FuzzFinding("no library %s", PERCUSS_FUZZ_PLUGIN);
  FuzzStartPetsc();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena     *arena   = NsArenaCreate();
  NsDiag      *diag    = NsDiagCreate(arena);
  NsRunOptions options = {.config_path = "fuzz.yaml"};
  NsRun       *run     = NULL;

  input.data = data;
  input.left = size;
  fill_table(arena);
  options.config_text = make_config(arena);
  FuzzCheck(NsRunCreate(&options, arena, diag, &run));
  if (!NsDiagErrors(diag)) {
    FuzzExpect(run->model && run->scheme && run->contact, "no messages, and no run");
    step(run, arena);
  }
  FuzzCheck(NsRunDestroy(&run));
  (void)FuzzMessages(diag, arena);
  NsArenaDestroy(&arena);
  return 0;
}
