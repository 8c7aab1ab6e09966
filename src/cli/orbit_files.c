/* The files of percuss orbit: the last orbit over its period, as tables and frames; branches. */
#include "orbit_files.h"
#include <math.h>
#include <string.h>
#include "output/analyses.h"
#include "run/frames.h"

#define NS_FRAMES 41 /* of an orbit */

static NsSubject *subjects_of(const NsOrbitSystem *system, NsArena *arena)
{
  NsSubject *subject = NsArenaAlloc(arena, sizeof(*subject) * (size_t)(system->probes + 1));

  for (PetscInt k = 0; k < system->probes; k++) subject[k].name = system->probe[k].name;
  return subject;
}

/* The period of the forcing; without forcing that of the orbit. */
static PetscReal phase_of(const NsOrbitSystem *system, PetscReal T, PetscReal t)
{
  const PetscReal turns = t / (system->period > 0 ? system->period : T);

  return 2 * PETSC_PI * (turns - floor(turns));
}

typedef struct {
  const NsOrbitSystem *system;
  const NsOrbit       *orbit;
  NsCsv               *rows, *events;
  NsOrbitRow          *row;
  NsOrbitEventRow      event;
} Writing;

/* An event of a simulated orbit. */
static void write_seen(const Writing *writing, const NsOrbitSeen *event)
{
  const NsOrbitSystem *system = writing->system;
  const PetscReal      t      = NsOrbitBegins(system, writing->orbit) + event->t;
  char                 name[NS_CANDIDATE_NAME];

  NsCsvRow(writing->events, &(NsOrbitEventRow){t, phase_of(system, writing->orbit->T, t), event->before, event->after, NsOrbitKindNames[event->kind],
                              NsCandidateName(&NsRunModel(system->run)->candidate[event->contact], name)});
}

static void write_moment(void *context, const NsOrbitMoment *moment)
{
  Writing             *writing = context;
  const NsOrbitSystem *system  = writing->system;
  const PetscReal      t       = NsOrbitBegins(system, writing->orbit) + moment->t;

  writing->row->time = t;
  for (PetscInt k = 0; k < system->probes; k++) {
    writing->row->value[k] = NsOrbitDot(system->m, system->probe[k].row, moment->x);
    for (PetscInt i = 0; i < system->contacts && moment->mode; i++)
      writing->row->value[k] += system->probe[k].forces[i] * NsOrbitDot(system->m, moment->mode->force + i * system->m, moment->x);
  }
  NsCsvRow(writing->rows, writing->row);
  for (PetscInt k = 0; k < moment->seen_count; k++) write_seen(writing, &moment->seen[k]);
  if (moment->after && moment->mode) {
    writing->event.after = NsOrbitDot(system->m, system->contact[writing->orbit->step[moment->segment - 1].contact].rate, moment->x);
    NsCsvRow(writing->events, &writing->event);
  }
  if (!moment->before) return;
  const NsOrbitStep    *step    = &writing->orbit->step[moment->segment];
  const NsOrbitContact *contact = &system->contact[step->contact];
  writing->event                = (NsOrbitEventRow){
                   t, phase_of(system, writing->orbit->T, t), NsOrbitDot(system->m, contact->rate, moment->x), 0, NsOrbitKindNames[step->kind], contact->name};
}

static PetscErrorCode write_orbit(NsRun *run, NsOrbitBranch *branch, const NsOrbitPoint *point)
{
  NsArena       *arena = NsRunArena(run);
  NsOrbitSystem *system;
  const char    *why;
  NsCsv          rows, events;

  PetscFunctionBegin;
  PetscCall(NsOrbitBranchSystem(branch, point->p, &system, &why));
  Writing writing = {system, point->orbit, &rows, &events, NsArenaAlloc(arena, NsCsvRowSize(&NsCsvType_Orbit, system->probes)), {0}};
  NsCsvOpen(&rows, NsRunSink(run), &NsCsvType_Orbit, system->probes, subjects_of(system, arena));
  NsCsvOpen(&events, NsRunSink(run), &NsCsvType_OrbitEvents, 0, NULL);
  PetscCall(NsOrbitTrace(system, point->orbit, 400, write_moment, &writing));
  NsCsvClose(&rows);
  NsCsvClose(&events);
  PetscFunctionReturn(0);
}

/* orbit_state.csv; not for scheme `modal` over a key, because the basis of the last orbit is not that of this run. */
static PetscErrorCode write_state(NsRun *run, NsOrbitBranch *branch, const NsOrbitPoint *point)
{
  NsModel        *model = NsRunModel(run);
  const PetscInt  n     = model->unknowns;
  PetscReal      *q = NsArenaAlloc(NsRunArena(run), sizeof(*q) * 2 * (size_t)(n + 1)), *v = q + n;
  PetscBool       known = PETSC_FALSE;
  NsOrbitSystem  *system;
  const char     *why;
  char            name[160];
  NsOrbitStateRow row = {.coordinate = name};
  NsCsv           rows;

  PetscFunctionBegin;
  PetscCall(NsOrbitBranchSystem(branch, point->p, &system, &why));
  if (!system->compliance || branch->from == branch->to) PetscCall(NsOrbitStartState(run, system, point->orbit, q, v, &known));
  if (!known) PetscFunctionReturn(0);
  NsCsvOpen(&rows, NsRunSink(run), &NsCsvType_OrbitState, 0, NULL);
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(model->view.name_unknown(model, i, name, sizeof(name)));
    row.position = q[i];
    row.velocity = v[i];
    NsCsvRow(&rows, &row);
  }
  NsCsvClose(&rows);
  PetscFunctionReturn(0);
}

/* States at equal intervals of the orbit. */
typedef struct {
  PetscInt  states, count;
  PetscReal begins, T, *t, *x; /* [NS_FRAMES], [NS_FRAMES][states] */
} Film;

static void take_picture(void *context, const NsOrbitMoment *moment)
{
  Film *film = context;

  if (film->count == NS_FRAMES || moment->t < film->T * (PetscReal)film->count / (NS_FRAMES - 1) * (1 - 1e-9)) return;
  film->t[film->count] = film->begins + moment->t;
  memcpy(film->x + film->count++ * film->states, moment->x, sizeof(PetscReal) * (size_t)film->states);
}

static PetscErrorCode place_picture(void *context, PetscInt k, NsState *state)
{
  const Film    *film = context;
  const PetscInt n    = film->states / 2;

  PetscFunctionBegin;
  state->t = film->t[k];
  PetscCall(PetscArraycpy(NsVecArray(state->q), film->x + k * film->states, n));
  PetscCall(PetscArraycpy(NsVecArray(state->v), film->x + k * film->states + n, n));
  PetscFunctionReturn(0);
}

/* Of the last orbit, where the config has frames. States of the scheme modal are modes, not DOF. */
static PetscErrorCode write_frames(NsRun *run, NsOrbitBranch *branch, const NsOrbitPoint *point)
{
  NsArena         *arena = NsRunArena(run);
  NsOrbitSystem   *system;
  NsContactReport *report = NsArenaAlloc(arena, sizeof(*report) * (size_t)(NsRunModel(run)->candidates + 1));
  const char      *why;

  PetscFunctionBegin;
  PetscCall(NsOrbitBranchSystem(branch, point->p, &system, &why));
  if (system->states != 2 * NsRunModel(run)->unknowns || system->compliance) PetscFunctionReturn(0);
  Film film = {system->states, 0, NsOrbitBegins(system, point->orbit), point->orbit->T, NsArenaAlloc(arena, sizeof(PetscReal) * NS_FRAMES),
    NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)(NS_FRAMES * system->states))};
  PetscCall(NsOrbitTrace(system, point->orbit, 4 * (NS_FRAMES - 1), take_picture, &film));
  PetscCall(NsRunWriteFrames(run, report, film.count, place_picture, &film));
  PetscFunctionReturn(0);
}

/* The table, with the unit of the key that is varied for its values. */
static const NsCsvType *with_unit(const NsCsvType *type, const char *unit, NsArena *arena)
{
  size_t     columns = 0;
  NsColumn  *column;
  NsCsvType *own = NsArenaAlloc(arena, sizeof(*own));

  while (type->column[columns].name) columns++;
  column = NsArenaAlloc(arena, (columns + 1) * sizeof(*column));
  for (size_t c = 0; c <= columns; c++) {
    column[c] = type->column[c];
    if (column[c].unit && !strcmp(column[c].unit, NS_UNIT_UNKNOWN)) column[c].unit = unit;
  }
  *own        = *type;
  own->column = column;
  return own;
}

void NsOrbitWriteBranches(NsRun *run, const NsOrbitBranch *branch, const char *unit)
{
  const NsOrbitSystem *system = branch->system;
  NsArena             *arena  = NsRunArena(run);
  NsBranchProbesRow   *row    = NsArenaAlloc(arena, NsCsvRowSize(&NsCsvType_BranchProbes, system->probes));
  PetscInt             number = 0;
  NsCsv                points, probes, multipliers, bifurcations;

  NsCsvOpen(&points, NsRunSink(run), with_unit(&NsCsvType_Branch, unit, arena), 0, NULL);
  NsCsvOpen(&probes, NsRunSink(run), &NsCsvType_BranchProbes, system->probes, subjects_of(system, arena));
  NsCsvOpen(&multipliers, NsRunSink(run), &NsCsvType_Multipliers, 0, NULL);
  NsCsvOpen(&bifurcations, NsRunSink(run), with_unit(&NsCsvType_Bifurcations, unit, arena), 0, NULL);
  for (PetscInt c = 0; c < branch->curves; c++) {
    for (PetscInt k = 0; k < branch->curve[c].points; k++) {
      const NsOrbitPoint *point = &branch->curve[c].point[k];
      NsCsvRow(&points,
        &(NsBranchRow){++number, c + 1, point->s, point->p, point->orbit->T, point->stable, system->states ? hypot(point->re[0], point->im[0]) : 0,
          point->impacts, point->slowest, point->share, point->confirmed, point->residual, *point->mark ? point->mark : "-"});
      row->point = number;
      for (PetscInt i = 0; i < system->probes; i++) row->value[i] = (NsBranchValue){point->low[i], point->high[i]};
      NsCsvRow(&probes, row);
      for (PetscInt i = 0; i < system->states; i++)
        NsCsvRow(&multipliers, &(NsMultiplierRow){number, point->re[i], point->im[i], hypot(point->re[i], point->im[i])});
    }
  }
  for (PetscInt b = 0; b < branch->bifurcations; b++) {
    const NsBifurcation *found = &branch->bifurcation[b];
    NsCsvRow(&bifurcations, &(NsBifurcationRow){found->branch + 1, found->point->p, found->point->orbit->T, found->angle, found->name,
                              NsBifurcationNames[found->kind], found->contact ? found->contact : "-"});
  }
  NsCsvClose(&points);
  NsCsvClose(&probes);
  NsCsvClose(&multipliers);
  NsCsvClose(&bifurcations);
}

PetscErrorCode NsOrbitWriteLast(NsRun *run, NsOrbitBranch *branch, const NsOrbitPoint *point)
{
  PetscFunctionBegin;
  PetscCall(write_orbit(run, branch, point));
  PetscCall(write_state(run, branch, point));
  PetscCall(write_frames(run, branch, point));
  PetscFunctionReturn(0);
}
