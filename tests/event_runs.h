/*
  Runs of the event-driven schemes, step by step: what every step of them has to keep, and a list of the impacts.
*/
#pragma once
#include "support.h"
#include <math.h>

#define EVENT_HITS 1024 /* most impacts */
#define EVENT_N    201  /* most unknowns */

/* An impact at a contact that approached: normal, tangential. Contacts that only transmit an impact have no event of their own. */
typedef struct {
  PetscReal t, before, after, impulse[2];
  PetscInt  contact;
} EventHit;

typedef struct {
  TestRun   test;
  NsRun    *run;
  PetscReal t, length, q[EVENT_N], v[EVENT_N]; /* now; of the last step; natural order */
  PetscInt  steps, still, hits;                /* still: steps without a length, in a row */
  EventHit  hit[EVENT_HITS];
  PetscReal energy, depth,
    gain; /* J: of motion and place, now; m: deepest; J: most that a step gained beyond what loads gave, and what the scheme made */
} EventRun;

static inline void event_look(EventRun *it)
{
  const PetscScalar *x;

  for (int kind = 0; kind < 2; kind++) {
    Vec from = kind ? it->run->state.v : it->run->state.q;
    CHECK(VecGetArrayRead(from, &x));
    for (PetscInt i = 0; i < it->run->model->unknowns; i++) (kind ? it->v : it->q)[NsLayoutNatural(it->run->model->layout, i)] = x[i];
    CHECK(VecRestoreArrayRead(from, &x));
  }
  CHECK(NsLedgerClose(&it->run->ledger, it->run->model, &it->run->state));
  const NsEnergy *now = &it->run->ledger.now;
  it->t               = it->run->state.t;
  it->energy          = now->kinetic + now->elastic + now->potential;
}

static inline void event_begin(EventRun *it, const char *text, const char *const *set)
{
  memset(it, 0, sizeof(*it));
  it->test = test_run_open(text, set);
  it->run  = it->test.run;
  assert_true(it->run->model->unknowns <= EVENT_N);
  event_look(it);
}

/* A config without its scheme, which is given in a word or more: "event_driven_hem5, tolerance: 1e-9". */
static inline void event_open(EventRun *it, const char *scheme, PetscReal step, PetscReal end, const char *text)
{
  char whole[4096];

  assert_in_range(
    snprintf(whole, sizeof(whole), "%sscheme: {type: %s, step: %.17g}\ntime: {end: %.17g}\n", text, scheme, step, end), 1, sizeof(whole));
  event_begin(it, whole, NULL);
}

/* A file in configs/, with NULL-terminated --set arguments. */
static inline void event_open_config(EventRun *it, const char *name, const char *const *set)
{
  char text[16384];

  test_read_config(name, text, sizeof(text));
  event_begin(it, text, set);
}

/*
  One step; false: the run is over. No step is longer than `step`, and none has no length but a first one where the start does not fit; the last one ends with the run.
*/
static inline PetscBool event_step(EventRun *it)
{
  const NsRun    *run    = it->run;
  const NsLedger *ledger = &run->ledger;
  const PetscReal t = it->t, energy = it->energy, load = ledger->load, numerical = ledger->numerical;

  if (!test_runs(run)) {
    assert_near(run->state.t, run->config.time->end, 0);
    return PETSC_FALSE;
  }
  test_step(it->run);
  event_look(it);
  it->length = it->t - t;
  it->steps++;
  assert_true(it->length <= run->step * (1 + 1e-12) + 4 * PETSC_MACHINE_EPSILON * it->t);
  assert_true(it->length > 0 || it->steps == 1);
  it->gain = fmax(it->gain, it->energy - energy - (ledger->load - load) - fabs(ledger->numerical - numerical));
  for (PetscInt i = 0; i < run->model->candidates; i++) {
    const NsContactReport *now = &NsContactReports(run->contact)[i];
    if (!run->model->candidate[i].bilateral) it->depth = fmax(it->depth, -now->gap);
    if (now->state == NS_OPEN) assert_near(now->force[0], 0, 0);
    if (!now->impact || now->velocity_before[0] > -1e-12) continue;
    assert_true(it->hits < EVENT_HITS);
    it->hit[it->hits++] = (EventHit){it->t, now->velocity_before[0], now->velocity_after[0], {now->impulse[0], now->impulse[1]}, i};
  }
  return PETSC_TRUE;
}

static inline void event_finish(EventRun *it)
{
  while (event_step(it)) continue;
}

static inline PetscReal event_force(const EventRun *it, PetscInt contact)
{
  return NsContactReports(it->run->contact)[contact].force[0];
}

static inline void event_close(EventRun *it)
{
  test_run_close(&it->test);
}
