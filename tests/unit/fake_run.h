/*
  A run without physics, for the writers: four points in a row, each with one unknown, that move as told; two contacts, one of them with friction.
  With `spins` the unknowns are those of a rotor at two stations that whirls backward at 3 rad/s.
*/
#pragma once
#include "contact/contact_data.h"
#include "output/folder.h"
#include "output/settings.h"
#include "run/private.h"
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { FAKE_POINTS = 4, FAKE_CANDIDATES = 2 };

typedef struct {
  NsRun             run;
  NsModel           model;
  NsContact         contact;
  NsLocalChain      chain;
  NsContactReport   report[FAKE_CANDIDATES], before[FAKE_CANDIDATES];
  NsOutputSettings  output;
  NsEverySettings   frames, contacts, energy;
  NsHistorySettings history;
  NsOrbitsSettings  orbits;
  union {
    NsEverySettings every;
    char            room[1024];
  } others; /* settings of all writers that have none above */
  PetscBool      spins;
  PetscReal      spin_rate; /* rad/s, prescribed */
  NsTimeSettings time;
  char           directory[64];
} FakeRun;

static inline PetscErrorCode fake_fields(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *fields)
{
  const PetscReal *aq, *av;

  PetscFunctionBegin;
  (void)t;
  (void)a;
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(v, &av));
  for (PetscInt i = 0; i < model->scene.points; i++) {
    fields->displacement[3 * i] = aq[i];
    fields->velocity[3 * i]     = av[i];
  }
  for (PetscInt i = 0; i < model->scene.cells; i++) {
    fields->normal_force[i] = aq[i + 1] - aq[i];
    fields->stress[i]       = 2 * fields->normal_force[i];
    fields->energy[i]       = 0.5 * fields->normal_force[i] * fields->normal_force[i];
  }
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscFunctionReturn(0);
}

static inline PetscErrorCode fake_contact_point(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  const PetscInt point = candidate ? FAKE_POINTS - 1 : 0;

  PetscFunctionBegin;
  (void)t;
  for (int k = 0; k < 3; k++) {
    x[k] = model->scene.x[3 * point + k];
    u[k] = k ? 0 : touch_q[point];
    n[k] = k ? 0 : candidate ? -1 : 1;
  }
  PetscFunctionReturn(0);
}

/* "bar.left", "bar.right", and "bar@0.5" in the middle of the middle cell. */
static inline PetscErrorCode fake_contact_frame(
  NsModel *model, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal d[3][3])
{
  PetscReal u[3];

  memset(d, 0, 9 * sizeof(PetscReal));
  d[1][1] = d[2][2] = 1;
  return fake_contact_point(model, t, touch_q, candidate, x, u, d[0]);
}

static inline PetscErrorCode fake_owners(NsModel *model, PetscInt *count, const NsOwner **owner)
{
  static const NsOwner owners[] = {{"bar", PETSC_TRUE}, {"springs.pad", PETSC_FALSE}};

  (void)model;
  *count = 2;
  *owner = owners;
  return 0;
}

static inline PetscErrorCode fake_shares(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share)
{
  (void)model, (void)q, (void)v, (void)powers_only;
  share[0] = (NsShare){1 + t, 2 + t, 3 + t, 4 + t};
  share[1] = (NsShare){.elastic = 5 + t, .damping = 6 + t};
  return 0;
}

static inline PetscErrorCode fake_probe(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  PetscFunctionBegin;
  (void)why;
  (void)size;
  *found         = PETSC_TRUE;
  probe->name    = name;
  probe->columns = 2;
  for (int c = 0; c < 2; c++) {
    NsProbeColumn *column = &probe->column[c];

    *column = (NsProbeColumn){.suffix = c ? "vx" : "ux", .of_velocity = c != 0};
    if (!strcmp(name, "bar.left"))
      NsProbeAdd(column, model->arena, 0, 1);
    else if (!strcmp(name, "bar.right"))
      NsProbeAdd(column, model->arena, FAKE_POINTS - 1, 1);
    else if (!strcmp(name, "bar@0.5")) {
      NsProbeAdd(column, model->arena, 1, 0.5);
      NsProbeAdd(column, model->arena, 2, 0.5);
    } else
      *found = PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

/* u2, u3 are the unknowns 0 and 1; a housing moves with half of them. Without prescribed spin the twist is unknown 2. */
static inline PetscErrorCode fake_station(
  NsModel *model, const NsStationSettings *settings, NsStation *station, PetscBool *found, char *why, size_t size)
{
  PetscFunctionBegin;
  (void)why;
  (void)size;
  *found = PETSC_TRUE;
  memset(station, 0, sizeof(*station));
  for (int k = 0; k < 2; k++) {
    NsProbeAdd(&station->lateral[k], model->arena, k, 1);
    if (settings->relative_to) NsProbeAdd(&station->lateral[k], model->arena, k, -0.5);
    station->lateral_rate[k]             = NsProbeCopy(&station->lateral[k], model->arena);
    station->lateral_rate[k].of_velocity = PETSC_TRUE;
  }
  if (!model->view.spin) {
    NsProbeAdd(&station->angle, model->arena, 2, 1);
    station->angle_rate             = NsProbeCopy(&station->angle, model->arena);
    station->angle_rate.of_velocity = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

static inline PetscErrorCode fake_spin(NsModel *model, PetscReal t, const NsStation *station, PetscReal *angle, PetscReal *rate)
{
  const PetscReal spin = *(const PetscReal *)model->data;

  PetscFunctionBegin;
  (void)station;
  *angle = spin * t;
  *rate  = spin;
  PetscFunctionReturn(0);
}

/* Of all writers that have this key. */
static inline void fake_set_every(FakeRun *fake, long every)
{
#define NS_WRITER(Name, key, table, default_text, help_text, example_text) ((NsEverySettings *)(uintptr_t)fake->output.key)->every = every;
#define NS_WRITER_SWITCH(Name, key, default_text, help_text, example_text)
#define NS_WRITER_ALWAYS(Name)
#include "output/list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH
#undef NS_WRITER_ALWAYS
}

static inline void fake_create(FakeRun *fake)
{
  static PetscReal   x[3 * FAKE_POINTS], radius[FAKE_POINTS];
  static NsCellKind  kind[FAKE_POINTS - 1];
  static PetscInt    touch[FAKE_POINTS], cell[2 * (FAKE_POINTS - 1)], body[FAKE_POINTS - 1], element[FAKE_POINTS - 1] = {0, 1, 2};
  static const char *body_name[] = {"bar"}, *probes[] = {"bar.left", "bar.right", "bar@0.5"};
  static NsCandidate candidate[] = {{.name = "wall", .directions = 1}, {.name = "rub", .directions = 3, .law = {.friction = 0.1}}};
  NsRun             *run         = &fake->run;
  NsModel           *model       = &fake->model;

  memset(fake, 0, sizeof(*fake));
  snprintf(fake->directory, sizeof(fake->directory), "%s", "/tmp/percuss_test_XXXXXX");
  assert_non_null(mkdtemp(fake->directory));
  for (int i = 0; i < FAKE_POINTS; i++) {
    x[3 * i]  = 0.5 * i;
    radius[i] = 0.01;
    touch[i]  = i;
  }
  for (int i = 0; i < FAKE_POINTS - 1; i++) {
    kind[i]         = NS_CELL_LINE;
    cell[2 * i]     = i;
    cell[2 * i + 1] = i + 1;
  }
  model->view       = (NsModelView){.fields = fake_fields,
          .contact_point                    = fake_contact_point,
          .contact_frame                    = fake_contact_frame,
          .owners                           = fake_owners,
          .shares                           = fake_shares,
          .probe                            = fake_probe};
  model->kind       = "fake";
  model->unknowns   = FAKE_POINTS;
  model->candidates = FAKE_CANDIDATES;
  model->touches    = FAKE_POINTS;
  model->touch      = touch;
  model->candidate  = candidate;
  model->scene      = (NsScene){.points = FAKE_POINTS,
         .cells                         = FAKE_POINTS - 1,
         .x                             = x,
         .radius                        = radius,
         .kind                          = kind,
         .cell                          = cell,
         .body                          = body,
         .element                       = element,
         .bodies                        = 1,
         .body_name                     = body_name};
  model->data       = &fake->spin_rate;
  fake->spin_rate   = 5;

  fake->history.probes.count = 3;
  fake->history.probes.items = probes;
  fake->time.end             = 1;
  fake->output               = (NsOutputSettings){.frames = &fake->frames,
                  .history                                = &fake->history,
                  .contacts                               = &fake->contacts,
                  .energy                                 = &fake->energy,
                  .orbits                                 = &fake->orbits,
                  .events                                 = true};
#define NS_WRITER(Name, key, table, default_text, help_text, example_text) \
  if (!fake->output.key) fake->output.key = &fake->others;
#define NS_WRITER_SWITCH(Name, key, default_text, help_text, example_text)
#define NS_WRITER_ALWAYS(Name)
#include "output/list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH
#undef NS_WRITER_ALWAYS
  fake_set_every(fake, 1);
  fake->contact.candidates = FAKE_CANDIDATES;
  fake->contact.model      = model;
  fake->contact.chain      = &fake->chain;
  fake->contact.report     = fake->report;

  run->arena          = NsArenaCreate();
  fake->model.arena   = run->arena;
  run->sink.arena     = run->arena;
  run->sink.name      = "fake bar"; /* blanks in file names must not hurt */
  run->sink.directory = fake->directory;
  run->model          = model;
  run->contact        = &fake->contact;
  run->config.output  = &fake->output;
  run->config.time    = &fake->time;
  run->options.quiet  = PETSC_TRUE;
  run->step           = 0.125;
  run->steps          = 8;
  run->sink.writes    = PETSC_TRUE;
  assert_int_equal(NsLayoutCreateIdentity(FAKE_POINTS, &model->layout), 0);
  assert_int_equal(VecCreateSeq(PETSC_COMM_SELF, FAKE_POINTS, &run->state.q), 0);
  assert_int_equal(VecDuplicate(run->state.q, &run->state.v), 0);
}

static inline void fake_open(FakeRun *fake)
{
  assert_int_equal(NsRunOpenWriters(&fake->run), 0);
}

/* The state at a step: a wave of no meaning, with digits in all places. */
static inline void fake_state(FakeRun *fake, PetscInt64 step)
{
  NsState   *state = &fake->run.state;
  PetscReal *q, *v;

  state->t = fake->run.step * (PetscReal)step;
  assert_int_equal(VecGetArray(state->q, &q), 0);
  assert_int_equal(VecGetArray(state->v, &v), 0);
  for (int i = 0; i < FAKE_POINTS; i++) {
    q[i] = 1e-3 * sin(0.1 * i + 0.7 * (double)step);
    v[i] = 0.3 * cos(0.1 * i + 0.7 * (double)step);
  }
  if (fake->spins) {
    const PetscReal a = 3 * state->t;

    q[0] = cos(a), v[0] = -3 * sin(a);
    q[1] = -sin(a), v[1] = -3 * cos(a);
    q[2] = fake->spin_rate * state->t, v[2] = fake->spin_rate;
  }
  assert_int_equal(VecRestoreArray(state->v, &v), 0);
  assert_int_equal(VecRestoreArray(state->q, &q), 0);
}

static const PetscInt fake_near[FAKE_CANDIDATES] = {0, 1};

/* As the loop does it; `again`: the state of the last write turns out to be the last. */
static inline void fake_give(FakeRun *fake, PetscInt64 step, PetscBool last, PetscBool again)
{
  NsRun     *run      = &fake->run;
  NsSnapshot snapshot = {.step = step,
    .state                     = run->state,
    .whole_q                   = run->state.q,
    .whole_v                   = run->state.v,
    .contact                   = fake->report,
    .before                    = fake->before,
    .actives                   = FAKE_CANDIDATES,
    .active                    = fake_near,
    .ledger                    = &run->ledger};

  for (int i = 0; i < run->writers; i++) {
    NsWriter           *writer   = run->writer[i];
    const NsWriterType *type     = writer->type;
    const PetscBool     by_every = writer->every > 0 && step % writer->every == 0;
    const PetscBool     due      = type->due ? last || step == 0 || type->due(writer, step) : again ? !by_every : by_every || last;

    if (type->observe && !again) assert_int_equal(type->observe(writer, &snapshot), 0);
    if (type->write && (type->due || writer->every > 0) && due) assert_int_equal(type->write(writer, &snapshot), 0);
  }
}

static inline void fake_write(FakeRun *fake, PetscInt64 step)
{
  fake_state(fake, step);
  fake_give(fake, step, step == fake->run.steps, PETSC_FALSE);
  memcpy(fake->before, fake->report, sizeof(fake->before));
}

static inline void fake_write_again(FakeRun *fake, PetscInt64 step)
{
  fake_give(fake, step, PETSC_TRUE, PETSC_TRUE);
}

static inline void fake_close(FakeRun *fake)
{
  assert_int_equal(NsRunCloseResults(&fake->run), 0);
}

static inline int fake_remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
  (void)status, (void)type, (void)place;
  return remove(path);
}

static inline void fake_destroy(FakeRun *fake)
{
  assert_int_equal(VecDestroy(&fake->run.state.q), 0);
  assert_int_equal(VecDestroy(&fake->run.state.v), 0);
  assert_int_equal(NsLayoutDestroy(&fake->model.layout), 0);
  NsFolderClose(&fake->run.sink.folder);
  NsArenaDestroy(&fake->run.arena);
  nftw(fake->directory, fake_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The whole file, terminated; from malloc. */
static inline char *fake_read(const char *directory, const char *name, size_t *size)
{
  char   path[1024];
  FILE  *file;
  char  *text = malloc(1 << 20);
  size_t n;

  snprintf(path, sizeof(path), "%s/%s", directory, name);
  file = fopen(path, "rb");
  if (!file) fail_msg("cannot open %s", path);
  n = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  text[n] = 0;
  if (size) *size = n;
  return text;
}

/* Of all tests of a program. */
static inline int fake_setup(void **state)
{
  (void)state;
  return PetscInitializeNoArguments();
}

static inline int fake_teardown(void **state)
{
  (void)state;
  return PetscFinalize();
}
