/*
  body_energies.csv: the energies of each body, spring, bearing and elastic joint. Their sums are those of energy.csv.

  The energy that dampers have dissipated since the start is that of the ledger, by the quadrature of the scheme; it is shared among the owners in each step in proportion to the mean of their powers at its beginning and end:
  the sum is exact, each share as accurate as the trapezoidal rule. If the table is added to a run that is resumed, what was dissipated before is shared by the powers at that time.

  Cost: a step evaluates the powers if something damps; a row as much as one of energy.csv.
*/
#include "writer.h"

enum { HAS_MASS = 1 };

typedef struct {
  PetscReal kinetic, elastic, potential, damping;
} Energies;

typedef struct {
  PetscReal time;
  Energies  of[]; /* [owners] */
} Row;

typedef struct {
  PetscInt   owners;
  Row       *row;
  NsShare   *share;      /* [owners] scratch */
  PetscReal *power;      /* [owners] W at the last step */
  PetscReal *dissipated; /* [owners] J */
  PetscReal  before;     /* J: the ledger's damping, as far as it has been shared */
} Bodies;

static const NsColumn columns[] = {
  {"time", "s", "time", offsetof(Row, time)},
  {"kinetic", "J", "kinetic energy of the body", offsetof(Energies, kinetic), HAS_MASS},
  {"elastic", "J", "elastic energy of the body, spring, bearing or joint", offsetof(Energies, elastic)},
  {"potential", "J", "potential energy of the body's weight", offsetof(Energies, potential), HAS_MASS},
  {"damping", "J", "dissipated by its damping since the start", offsetof(Energies, damping)},
  {NULL},
};
static const NsCsvType body_energies = {"body_energies.csv",
  "energies of each body, spring, bearing and elastic joint, a row every `output.body_energies.every` steps", NS_CSV_STEPS, columns, "body",
  offsetof(Row, of), sizeof(Energies)};

static PetscErrorCode check(void *settings, NsModel *model, NsArena *arena, NsDiag *diag)
{
  const NsEverySettings *own = settings;

  PetscFunctionBegin;
  (void)arena;
  if (own->every > 0 && !model->view.shares)
    NsDiagError(diag, NsKeysPlace(own->where, "every"), "a mechanism does not provide energies of single bodies: leave out `output.body_energies`");
  PetscFunctionReturn(0);
}

static PetscBool wanted(const NsWriter *writer)
{
  return writer->model->view.shares != NULL;
}

static double bytes(const NsWriter *writer)
{
  PetscInt       count;
  const NsOwner *owner;

  return writer->model->view.owners(writer->model, &count, &owner) ? 0 : NS_CSV_NUMBER * (1 + 4.0 * count);
}

static PetscErrorCode open_table(NsWriter *writer)
{
  NsArena       *arena = writer->sink->arena;
  Bodies        *self  = NsArenaAlloc(arena, sizeof(*self));
  const NsOwner *owner;

  PetscFunctionBegin;
  PetscCall(writer->model->view.owners(writer->model, &self->owners, &owner));
  const size_t room    = (size_t)self->owners + 1;
  NsSubject   *subject = NsArenaAlloc(arena, sizeof(*subject) * room);
  self->row            = NsArenaAlloc(arena, NsCsvRowSize(&body_energies, self->owners));
  self->share          = NsArenaAlloc(arena, sizeof(*self->share) * room);
  self->power          = NsArenaAlloc(arena, sizeof(*self->power) * room);
  self->dissipated     = NsArenaAlloc(arena, sizeof(*self->dissipated) * room);
  for (PetscInt k = 0; k < self->owners; k++) subject[k] = (NsSubject){owner[k].name, owner[k].body ? HAS_MASS : 0};
  writer->data = self;
  NsCsvOpen(&writer->csv[0], writer->sink, &body_energies, self->owners, subject);
  PetscFunctionReturn(0);
}

/* Shares the energy that the dampers have dissipated since the last call. If there is none, or no owner has damping power, it is left to a later step. */
static PetscErrorCode observe(NsWriter *writer, const NsSnapshot *snapshot)
{
  Bodies         *self   = writer->data;
  const PetscReal amount = snapshot->ledger->damping - self->before;
  PetscReal       sum    = 0;

  PetscFunctionBegin;
  if (amount == 0) PetscFunctionReturn(0);
  PetscCall(writer->model->view.shares(writer->model, snapshot->state.t, snapshot->state.q, snapshot->state.v, PETSC_TRUE, self->share));
  for (PetscInt k = 0; k < self->owners; k++) sum += self->power[k] + self->share[k].damping;
  for (PetscInt k = 0; k < self->owners && sum > 0; k++) self->dissipated[k] += amount * ((self->power[k] + self->share[k].damping) / sum);
  for (PetscInt k = 0; k < self->owners; k++) self->power[k] = self->share[k].damping;
  if (sum > 0) self->before = snapshot->ledger->damping;
  PetscFunctionReturn(0);
}

static PetscErrorCode write_row(NsWriter *writer, const NsSnapshot *snapshot)
{
  Bodies   *self = writer->data;
  PetscReal sum  = 0;

  PetscFunctionBegin;
  PetscCall(writer->model->view.shares(writer->model, snapshot->state.t, snapshot->state.q, snapshot->state.v, PETSC_FALSE, self->share));
  self->row->time = snapshot->state.t;
  for (PetscInt k = 0; k < self->owners; k++) {
    const NsShare *share = &self->share[k];
    self->row->of[k]     = (Energies){share->kinetic, share->elastic, share->potential + 0.0, self->dissipated[k] + 0.0}; /* no -0 */
    sum += share->kinetic + share->elastic + share->potential;
  }
  if (NsWriterFinite(writer, sum)) NsCsvRow(&writer->csv[0], self->row);
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Bodies *self = writer->data;

  PetscFunctionBegin;
  NsArchiveReals(archive, "power", self->owners, self->power);
  NsArchiveReals(archive, "dissipated", self->owners, self->dissipated);
  NsArchiveReals(archive, "shared", 1, &self->before);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_BodyEnergies = {
  .name      = "body_energies",
  .csv       = {&body_energies},
  .wanted    = wanted,
  .check     = check,
  .bytes     = bytes,
  .open      = open_table,
  .observe   = observe,
  .write     = write_row,
  .serialize = serialize,
};
