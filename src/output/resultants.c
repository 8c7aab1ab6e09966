/*
  resultants.csv: force and moment of all contacts of one name on its first partner, and how many of them are closed.

      F = sum_i d_i lambda_i,   M = sum_i (x_i - x0) x d_i lambda_i        d_i: normal and tangents of contact i, at x_i in space; x0: the mean of the contact points at the start of the table

  For balls, whose pairs appear and disappear, x0 is the origin, and there is no share. Forces are those at the time of the row, impulses the sums since the previous row, with the directions at the end of each step. `closed` is the share of closed contacts, by area where
  they are parts of a surface. Joints are not contacts. A contact of balls has the resultant of its pairs; equal and opposite forces of pairs within one set add up to zero.

  Cost: a row evaluates the place and directions of all closed contacts, a step those with an impulse.
*/
#include <string.h>
#include "writer.h"

enum { LISTED = 1 };

typedef struct {
  PetscReal force[3], moment[3], impulse[3], contacts, closed;
} Resultant;

typedef struct {
  PetscReal time;
  Resultant of[]; /* [sets] */
} Row;

typedef struct {
  PetscInt     sets;
  const char **name;     /* [sets] */
  PetscReal   *whole;    /* [sets] area, or number, of all contacts */
  PetscReal (*about)[3]; /* [sets] x0 */
  PetscInt  *set;        /* [candidates] -1: a joint */
  PetscReal *touch_q;    /* [touches] */
  PetscBool  placed;     /* about is known */
  Row       *row;
} Resultants;

static const NsColumn columns[] = {
  {"time", "s", "time", offsetof(Row, time)},
  {"fx", "N", "resultant force on the first partner", offsetof(Resultant, force[0])},
  {"fy", "N", "the same along y", offsetof(Resultant, force[1])},
  {"fz", "N", "the same along z", offsetof(Resultant, force[2])},
  {"mx", "N m", "its moment about the mean of the contact points at the start", offsetof(Resultant, moment[0])},
  {"my", "N m", "the same about y", offsetof(Resultant, moment[1])},
  {"mz", "N m", "the same about z", offsetof(Resultant, moment[2])},
  {"px", "N s", "resultant impulse on the first partner since the previous row", offsetof(Resultant, impulse[0]), .sums = true},
  {"py", "N s", "the same along y", offsetof(Resultant, impulse[1]), .sums = true},
  {"pz", "N s", "the same along z", offsetof(Resultant, impulse[2]), .sums = true},
  {"contacts", "", "number of its contacts that are closed", offsetof(Resultant, contacts)},
  {"closed", "", "fraction of its contacts that are closed; between surfaces by area", offsetof(Resultant, closed), LISTED},
  {NULL},
};
static const NsCsvType resultants = {"resultants.csv",
  "resultant force, moment and impulse of all contacts of one name, a row every `output.resultants.every` steps", NS_CSV_STEPS, columns, "contact",
  offsetof(Row, of), sizeof(Resultant)};

/* Not a joint, nor a limit of an angle, nor the moments of a rolling or drilling resistance. */
static PetscBool is_contact(const NsCandidate *candidate)
{
  return !candidate->bilateral && candidate->moment_arm == 0 && !NsCandidateResists(candidate);
}

static PetscInt count_contacts(const NsModel *model)
{
  PetscInt count = 0;

  for (PetscInt i = 0; i < model->candidates; i++) count += is_contact(&model->candidate[i]) ? 1 : 0;
  return count;
}

static PetscErrorCode check(void *settings, NsModel *model, NsArena *arena, NsDiag *diag)
{
  const NsEverySettings *own = settings;

  PetscFunctionBegin;
  (void)arena;
  if (own->every > 0 && !model->view.contact_frame && model->candidates)
    NsDiagError(
      diag, NsKeysPlace(own->where, "every"), "a mechanism does not provide resultants of contacts: contacts.csv has the forces of its contacts");
  else if (own->every > 0 && !count_contacts(model))
    NsDiagError(diag, NsKeysPlace(own->where, "every"), "the model has no contacts, and so no resultants of them: leave out `output.resultants`");
  PetscFunctionReturn(0);
}

/* "belt" of the contacts "belt.hull.corner1" of a body's corners: names of the config have no dot. They are neighbours among the candidates: looked up once for each run of equal ones. */
static void find_sets(const NsModel *model, NsArena *arena, Resultants *self)
{
  self->set  = NsArenaAlloc(arena, sizeof(*self->set) * (size_t)(model->candidates + 1));
  self->name = NsArenaAlloc(arena, sizeof(*self->name) * (size_t)(count_contacts(model) + 1));
  for (PetscInt i = 0, last = -1; i < model->candidates; i++) {
    const char  *name = model->candidate[i].name;
    const size_t size = strcspn(name, ".");
    self->set[i]      = -1;
    if (!is_contact(&model->candidate[i])) continue;
    if (last < 0 || strlen(self->name[last]) != size || strncmp(self->name[last], name, size) != 0) {
      for (last = 0; last < self->sets && (strlen(self->name[last]) != size || strncmp(self->name[last], name, size) != 0);) last++;
      if (last == self->sets) self->name[self->sets++] = NsArenaCopy(arena, name, size);
    }
    self->set[i] = last;
  }
}

static PetscBool wanted(const NsWriter *writer)
{
  return writer->model->view.contact_frame && count_contacts(writer->model) > 0;
}

static double bytes(const NsWriter *writer)
{
  return NS_CSV_NUMBER * (1 + 10.0 * PetscMin(count_contacts(writer->model), 10));
}

/* The weight of a contact in the share: its area if it is part of a surface, else 1. */
static PetscReal weight_of(const NsCandidate *candidate)
{
  return candidate->area > 0 ? candidate->area : 1;
}

static PetscErrorCode open_table(NsWriter *writer)
{
  const NsModel *model = writer->model;
  NsArena       *arena = writer->sink->arena;
  Resultants    *self  = NsArenaAlloc(arena, sizeof(*self));

  PetscFunctionBegin;
  find_sets(model, arena, self);
  const size_t room    = (size_t)self->sets + 1;
  NsSubject   *subject = NsArenaAlloc(arena, sizeof(*subject) * room);
  self->whole          = NsArenaAlloc(arena, sizeof(*self->whole) * room);
  self->about          = NsArenaAlloc(arena, sizeof(*self->about) * room);
  self->touch_q        = NsArenaAlloc(arena, sizeof(*self->touch_q) * (size_t)(model->touches + 1));
  self->row            = NsArenaAlloc(arena, NsCsvRowSize(&resultants, self->sets));
  for (PetscInt k = 0; k < self->sets; k++) subject[k] = (NsSubject){self->name[k], LISTED};
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (self->set[i] < 0) continue;
    self->whole[self->set[i]] += weight_of(&model->candidate[i]);
    if (model->candidate[i].slot) subject[self->set[i]].has = 0;
  }
  writer->data = self;
  NsCsvOpen(&writer->csv[0], writer->sink, &resultants, self->sets, subject);
  PetscFunctionReturn(0);
}

/* x0, at the first state that the writer sees. */
static PetscErrorCode place(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsModel    *model = writer->model;
  Resultants *self  = writer->data;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, snapshot->state.q, self->touch_q));
  for (PetscInt i = 0; i < model->candidates; i++) {
    const PetscInt k = self->set[i];
    PetscReal      x[3], d[3][3];
    if (k < 0 || model->candidate[i].slot) continue;
    PetscCall(model->view.contact_frame(model, snapshot->state.t, self->touch_q, i, x, d));
    for (int a = 0; a < 3; a++) self->about[k][a] += x[a] * weight_of(&model->candidate[i]) / self->whole[k];
  }
  self->placed = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* value[3] of a contact, along its directions, in space. */
static void in_space(const NsCandidate *candidate, PetscReal d[3][3], const PetscReal value[3], PetscReal f[3])
{
  for (int a = 0; a < 3; a++) {
    f[a] = 0;
    for (PetscInt r = 0; r < candidate->directions; r++) f[a] += d[r][a] * value[r];
  }
}

static PetscErrorCode observe(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsModel    *model    = writer->model;
  Resultants *self     = writer->data;
  PetscBool   gathered = PETSC_FALSE;

  PetscFunctionBegin;
  if (!self->placed) PetscCall(place(writer, snapshot));
  for (PetscInt j = 0; j < snapshot->actives; j++) {
    const PetscInt   i = snapshot->active[j], k = self->set[i];
    const PetscReal *impulse = snapshot->contact[i].impulse;
    PetscReal        x[3], d[3][3], p[3];
    if (k < 0 || (impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0)) continue;
    if (!gathered) PetscCall(NsModelTouch(model, snapshot->state.q, self->touch_q));
    gathered = PETSC_TRUE;
    PetscCall(model->view.contact_frame(model, snapshot->state.t, self->touch_q, i, x, d));
    in_space(&model->candidate[i], d, impulse, p);
    for (int a = 0; a < 3; a++) self->row->of[k].impulse[a] += p[a];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode write_row(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsModel    *model = writer->model;
  Resultants *self  = writer->data;
  PetscReal   sum   = 0;

  PetscFunctionBegin;
  self->row->time = snapshot->state.t;
  for (PetscInt k = 0; k < self->sets; k++) {
    Resultant *of = &self->row->of[k];
    for (int a = 0; a < 3; a++) of->force[a] = of->moment[a] = 0;
    of->contacts = of->closed = 0;
  }
  PetscCall(NsModelTouch(model, snapshot->state.q, self->touch_q));
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsContactReport *report = &snapshot->contact[i];
    PetscReal              x[3], d[3][3], f[3];
    if (self->set[i] < 0 || report->state == NS_OPEN) continue;
    const PetscReal *x0 = self->about[self->set[i]];
    Resultant       *of = &self->row->of[self->set[i]];
    of->contacts++;
    of->closed += weight_of(&model->candidate[i]) / self->whole[self->set[i]];
    PetscCall(model->view.contact_frame(model, snapshot->state.t, self->touch_q, i, x, d));
    in_space(&model->candidate[i], d, report->force, f);
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      of->force[a] += f[a];
      sum += f[a] + x[a];
      of->moment[a] += (x[b] - x0[b]) * f[c] - (x[c] - x0[c]) * f[b];
    }
  }
  for (PetscInt k = 0; k < self->sets; k++) {
    self->row->of[k].closed = PetscMin(1, self->row->of[k].closed); /* rounding */
    for (int a = 0; a < 3; a++) self->row->of[k].impulse[a] += 0.0; /* no -0 */
  }
  if (NsWriterFinite(writer, sum)) NsCsvRow(&writer->csv[0], self->row);
  for (PetscInt k = 0; k < self->sets; k++) {
    for (int a = 0; a < 3; a++) self->row->of[k].impulse[a] = 0;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Resultants *self = writer->data;

  PetscFunctionBegin;
  NsArchiveFlags(archive, "placed", 1, &self->placed);
  for (PetscInt k = 0; k < self->sets; k++) {
    NsArchiveReals(archive, "impulse", 3, self->row->of[k].impulse);
    NsArchiveReals(archive, "about", 3, self->about[k]);
  }
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Resultants = {
  .name           = "resultants",
  .csv            = {&resultants},
  .wanted         = wanted,
  .check          = check,
  .bytes          = bytes,
  .open           = open_table,
  .observe        = observe,
  .write          = write_row,
  .serialize      = serialize,
  .needs_contacts = PETSC_TRUE,
};
