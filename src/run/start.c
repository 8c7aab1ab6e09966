/*
  start: {from: RUN}: the last state of another run; or an orbit, in the results of `percuss orbit`.

  The other run is built from its config.yaml and reads its checkpoint; then positions and velocities are taken over, each degree of freedom by its name, and the forces of closed
  contacts, with which the contact solver begins. So the two models may differ in all but their degrees of freedom: loads, bearings, contacts, scheme, step, back end. Time and the
  energy ledger begin anew; the scheme starts as from any initial state.

  Costs a second set-up, and for each degree of freedom its name, where the two orders differ. The state of an orbit is a table (orbit_state.csv) and needs no set-up.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checkpoint.h"
#include "core/out_of_memory.h"
#include "fe/fe.h"
#include "foreign.h"
#include "output/file.h"

#define NS_UNKNOWN_NAME 160

typedef struct {
  char     name[NS_UNKNOWN_NAME];
  PetscInt number;
} Named;

static int by_name(const void *a, const void *b)
{
  return strcmp(((const Named *)a)->name, ((const Named *)b)->name);
}

/* The names of all unknowns, in natural order. */
static PetscErrorCode name_all(NsModel *model, Named **result)
{
  Named *list = malloc(sizeof(*list) * (size_t)PetscMax(1, model->unknowns));

  PetscFunctionBegin;
  if (!list) NsOutOfMemory();
  for (PetscInt i = 0; i < model->unknowns; i++) {
    list[i].number = i;
    PetscCall(model->view.name_unknown(model, i, list[i].name, sizeof(list[i].name)));
  }
  *result = list;
  PetscFunctionReturn(0);
}

/* from[i]: which of the other run's unknowns is the i-th of this one. False, after a message, where one has no partner. Consumes the lists' order. */
static PetscBool match(NsRun *run, NsPlace place, Named *own, Named *other, PetscInt n, PetscInt m, PetscInt *from)
{
  PetscInt i = 0, k = 0;

  for (i = 0; i < PetscMin(n, m) && !strcmp(own[i].name, other[i].name); i++) from[i] = i;
  if (i == n && n == m) return PETSC_TRUE;
  qsort(own, (size_t)n, sizeof(*own), by_name);
  qsort(other, (size_t)m, sizeof(*other), by_name);
  for (i = k = 0; i < n && k < m; i++, k++) {
    if (strcmp(own[i].name, other[k].name) != 0) break;
    from[own[i].number] = other[k].number;
  }
  if (i == n && k == m) return PETSC_TRUE;
  const PetscBool lacks = k == m || (i < n && strcmp(own[i].name, other[k].name) < 0);
  NsDiagError(run->diag, place, "the degrees of freedom differ: %s %s '%s'%s", lacks ? own[i].name : other[k].name,
    lacks ? "of this model is not in" : "is in", run->config.start->from, lacks ? "" : ", but not in this model");
  return PETSC_FALSE;
}

/* A vector of the other run, by the unknowns of this one. */
static PetscErrorCode take_vector(NsRun *run, NsRun *other, const PetscInt *from, Vec there, Vec here)
{
  const PetscInt n   = run->model->unknowns;
  PetscReal     *all = malloc(sizeof(*all) * 2 * (size_t)PetscMax(1, n)), *own = all + n;

  PetscFunctionBegin;
  if (!all) NsOutOfMemory();
  PetscCall(NsLayoutCollect(other->model->layout, NsVecRead(there), all));
  if (run->model->layout->ranks > 1) PetscCallMPI(MPI_Bcast(all, (int)n, MPIU_REAL, 0, run->model->layout->comm));
  for (PetscInt i = 0; i < n; i++) own[i] = all[from[i]];
  NsLayoutSpread(run->model->layout, own, NsVecArray(here));
  free(all);
  PetscFunctionReturn(0);
}

/* A plugin is a program: a config that is read for its state alone loads none that this one does not. */
static PetscBool has_strange_plugin(const NsRun *run, const NsNode *tree)
{
  const NsNode *bodies = NsTreeChild(tree, "bodies"), *own = NsTreeChild(run->tree, "bodies");
  const char   *so_far = "";

  for (const NsNode *body = bodies && bodies->kind == NS_NODE_MAP ? bodies->first : NULL; body; body = body->next) {
    const NsNode *library = NsTreeChild(body, "library"), *same = NsTreeChild(NsTreeChild(own, body->key), "library");
    if (!library) continue;
    char           *path  = same ? realpath(NsTreeFile(same, run->arena), NULL) : NULL;
    const PetscBool known = path && library->kind == NS_NODE_SCALAR && !strcmp(path, library->text);
    free(path);
    if (!known) return PETSC_TRUE;
    so_far = NsArenaPrint(run->arena, "%s%s%s", so_far, *so_far ? " " : "", library->text);
  }
  /* nor one that is hidden where percuss writes none */
  return *NsForeignIncludes(tree, run->arena) || strcmp(NsForeignLibraries(tree, run->arena), so_far) != 0;
}

/* The other run, with its state; *other stays NULL, or errors are in diag, where it cannot be had. */
static PetscErrorCode open_other(NsRun *run, NsPlace place, NsRun **other)
{
  const NsStartSettings *start   = run->config.start;
  const char            *config  = NsArenaPrint(run->arena, "%s/config.yaml", start->from);
  NsDiag                *diag    = NsDiagCreate(run->arena);
  const NsRunOptions     options = {
        .config_path = config, .directory = start->from, .quiet = PETSC_TRUE, .force = PETSC_TRUE, .repeat = PETSC_TRUE, .unstarted = PETSC_TRUE};

  PetscFunctionBegin;
  if (access(config, R_OK)) {
    NsDiagError(run->diag, place, "'%s' holds no results of a run: it has no config.yaml", start->from);
    NsDiagNote(run->diag, "name the directory of a run that is done; it is looked for from where percuss is called");
    PetscFunctionReturn(0);
  }
  const NsNode *tree = NsTreeReadOwn(config, run->arena, diag);
  if (tree && !run->options.trust && has_strange_plugin(run, tree)) {
    NsDiagError(run->diag, place, "'%s' uses a plugin that this config does not load", start->from);
    PetscFunctionReturn(0);
  }
  if (tree) PetscCall(NsRunCreate(&options, run->arena, diag, other));
  if (!tree || NsDiagErrors(diag)) {
    NsDiagError(run->diag, place, "cannot read the run in '%s': its config.yaml has an error", start->from);
    PetscFunctionReturn(0);
  }
  PetscCall(NsCheckpointReadState(*other, start->at));
  if ((*other)->sink.failure[0]) {
    NsDiagError(run->diag, place, "cannot start from '%s': %s", start->from, (*other)->sink.failure);
    if (!(*other)->checkpoint && run->sink.writes) NsDiagNote(run->diag, "a run keeps its last state when it is done or stopped");
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode take_state(NsRun *run, NsRun *other, NsPlace place)
{
  const PetscInt n = run->model->unknowns, m = other->model->unknowns;
  PetscInt      *from = NsArenaAlloc(run->arena, sizeof(*from) * (size_t)(n + 1));
  Named         *own, *theirs;

  PetscFunctionBegin;
  PetscCall(name_all(run->model, &own));
  PetscCall(name_all(other->model, &theirs));
  if (match(run, place, own, theirs, n, m, from)) {
    PetscCall(take_vector(run, other, from, other->state.q, run->state.q));
    PetscCall(take_vector(run, other, from, other->state.v, run->state.v));
  }
  free(own);
  free(theirs);
  PetscFunctionReturn(0);
}

/* The file is an input of the run, by its absolute path. */
static void add_input(NsRun *run, const char *path)
{
  char *absolute = run->sink.writes ? realpath(path, NULL) : NULL;

  if (run->sink.writes) NsFileListAdd(&run->inputs, absolute ? NsArenaCopy(run->arena, absolute, strlen(absolute)) : path, run->arena);
  free(absolute);
}

/* ---- an orbit ----------------------------------------------------------------------------------------------------------------------------------- */

/* A state by names of coordinates. */
typedef struct {
  PetscInt   count, room;
  Named     *name;
  PetscReal *q, *v;
} Table;

static void grow(Table *table)
{
  if (table->count < table->room) return;
  table->room = 2 * table->room + 64;
  table->name = realloc(table->name, sizeof(*table->name) * (size_t)table->room);
  table->q    = realloc(table->q, sizeof(*table->q) * (size_t)table->room);
  table->v    = realloc(table->v, sizeof(*table->v) * (size_t)table->room);
  if (!table->name || !table->q || !table->v) NsOutOfMemory();
}

/* A row: a name, in quotes if it has a comma, and two numbers. False: it is none. */
static PetscBool read_row(const char *line, Table *table)
{
  const PetscBool quoted = *line == '"';
  const char     *stop   = quoted ? strstr(line, "\",") : strchr(line, ',');
  char           *end;

  grow(table);
  line += quoted;
  if (!stop || stop - line >= NS_UNKNOWN_NAME) return PETSC_FALSE;
  Named *name = &table->name[table->count];
  memcpy(name->name, line, (size_t)(stop - line));
  name->name[stop - line] = '\0';
  name->number            = table->count;
  table->q[table->count]  = strtod(stop + 1 + quoted, &end);
  if (*end != ',') return PETSC_FALSE;
  table->v[table->count++] = strtod(end + 1, &end);
  return (*end == '\n' || *end == '\r') && isfinite(table->q[table->count - 1]) && isfinite(table->v[table->count - 1]);
}

/* False: the file is damaged. */
static PetscBool read_table(const char *path, Table *table)
{
  FILE     *file = fopen(path, "r");
  char      line[NS_UNKNOWN_NAME + 80];
  PetscBool good = file && fgets(line, sizeof(line), file) && !strncmp(line, "coordinate,", 11);

  while (good && fgets(line, sizeof(line), file)) good = read_row(line, table);
  good = good && !ferror(file);
  if (file) (void)fclose(file);
  return good && table->count > 0;
}

/* What differs from a run: the orbit is the last one of its branch, over a key. */
static const char *branch_of(NsRun *run)
{
  const NsNode *tree = NsTreeReadOwn(NsArenaPrint(run->arena, "%s/config.yaml", run->config.start->from), run->arena, NsDiagCreate(run->arena));
  const NsNode *key  = NsTreeChild(NsTreeChild(NsTreeChild(tree, "orbit"), "over"), "key");

  if (!key || key->kind != NS_NODE_SCALAR) return "";
  return NsArenaPrint(run->arena, "; it is the last orbit of its branch: set %s to the value in the last row of branch.csv", key->text);
}

static PetscErrorCode take_orbit(NsRun *run, NsPlace place, const char *path)
{
  const NsStartSettings *start = run->config.start;
  const PetscInt         n     = run->model->unknowns;
  PetscInt              *from  = NsArenaAlloc(run->arena, sizeof(*from) * (size_t)(n + 1));
  PetscReal             *own   = NsArenaAlloc(run->arena, sizeof(*own) * (size_t)(n + 1));
  Table                  table = {0};
  Named                 *names;

  PetscFunctionBegin;
  PetscCall(name_all(run->model, &names));
  if (start->at >= 0)
    NsDiagError(run->diag, NsKeysPlace(start->where, "at"), "an orbit gives the state at the beginning of its forcing: `at` is for runs");
  else if (!read_table(path, &table))
    NsDiagError(run->diag, place, "cannot read the orbit in '%s': orbit_state.csv is damaged", start->from);
  else if (match(run, place, names, table.name, n, table.count, from)) {
    for (PetscInt i = 0; i < n; i++) own[i] = table.q[from[i]];
    NsLayoutSpread(run->model->layout, own, NsVecArray(run->state.q));
    for (PetscInt i = 0; i < n; i++) own[i] = table.v[from[i]];
    NsLayoutSpread(run->model->layout, own, NsVecArray(run->state.v));
    run->started_from = NsArenaPrint(run->arena, "starts from the orbit in '%s', at the beginning of its forcing%s", start->from, branch_of(run));
    add_input(run, path);
  }
  free(names);
  free(table.name);
  free(table.q);
  free(table.v);
  PetscFunctionReturn(0);
}

/* ---- both ---------------------------------------------------------------------------------------------------------------------------------------- */

static PetscBool has_initial(const NsRun *run)
{
  const NsNode *bodies = NsTreeChild(run->tree, "bodies");

  for (const NsNode *body = bodies && bodies->kind == NS_NODE_MAP ? bodies->first : NULL; body; body = body->next) {
    if (NsTreeChild(body, "initial")) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode NsRunStartFrom(NsRun *run)
{
  const NsStartSettings *start = run->config.start;
  const NsPlace          place = NsKeysPlace(start->where, "from");
  PetscInt               failed;

  PetscFunctionBegin;
  if (!start->from || run->options.unstarted) PetscFunctionReturn(0);
  if (NsModelIsReduced(run->model)) { /* the signs of modes, and modes of equal frequencies, may be others there */
    NsDiagError(run->diag, place, "`start: {from: ...}` does not support bodies with `reduce`: modal coordinates of two runs need not be the same");
    PetscFunctionReturn(0);
  }
  const char *orbit = NsArenaPrint(run->arena, "%s/orbit_state.csv", start->from);
  if (!access(orbit, R_OK)) {
    PetscCall(take_orbit(run, place, orbit));
    PetscFunctionReturn(0);
  }
  if (!access(NsArenaPrint(run->arena, "%s/orbit.csv", start->from), R_OK)) {
    NsDiagError(
      run->diag, place, "the orbit in '%s' has no state to start from (orbit_state.csv): that of scheme `modal` over a key is not kept", start->from);
    NsDiagNote(run->diag, "compute the orbit without `over`, at the value of the key");
    PetscFunctionReturn(0);
  }
  PetscCall(open_other(run, place, &run->starts_from));
  NsRun *other = run->starts_from;
  failed       = NsDiagErrors(run->diag) > 0;
  PetscCall(NsLayoutAgree(run->model->layout, &failed));
  if (!failed) PetscCall(take_state(run, other, place));
  if (!failed && !NsDiagErrors(run->diag)) {
    run->started_from = NsArenaPrint(run->arena, "starts from the state of '%s' at t = %.9g s%s; time and energies begin anew", start->from,
      other->state.t, has_initial(run) ? ", not from `initial`" : "");
    add_input(run, NsArenaPrint(run->arena, "%s/%s", start->from, other->checkpoint));
  }
  PetscFunctionReturn(0);
}

/* The first record has the forces of the state that it starts from, where the scheme has not found any: those of contacts that are closed. */
void NsRunReportStart(NsRun *run)
{
  NsContactReport *report = NsContactReports(run->contact);
  const PetscInt  *active, actives = NsContactActive(run->contact, &active);

  for (PetscInt k = 0; k < actives && run->start_report; k++) {
    const PetscInt i = active[k];
    if (!NsContactIsClosed(run->contact, i) || report[i].force[0] != 0) continue;
    report[i].state = run->start_report[i].state;
    for (int d = 0; d < 3; d++) report[i].force[d] = run->start_report[i].force[d];
  }
}

PetscErrorCode NsRunStartForces(NsRun *run)
{
  PetscFunctionBegin;
  if (!run->starts_from) PetscFunctionReturn(0);
  const NsRun *from = run->starts_from;
  if (NsContactTakeForces(run->contact, from->contact)) {
    const NsContactReport *report = NsContactReports(from->contact);
    run->start_report             = NsArenaAlloc(run->arena, sizeof(*run->start_report) * (size_t)(run->model->candidates + 1));
    for (PetscInt i = 0; i < run->model->candidates; i++) {
      run->start_report[i].state = report[i].state;
      for (int d = 0; d < 3; d++) run->start_report[i].force[d] = NsRunForceOf(from, &report[i], d);
    }
  }
  PetscCall(NsRunDestroy(&run->starts_from));
  PetscFunctionReturn(0);
}
