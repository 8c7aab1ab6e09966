/*
  Layouts (percuss/layout.h). At set-up each process sends the owners of its ghosts the numbers of these unknowns, in the order in which it will unpack them; owners pack in that
  order. From then on only values are sent, by persistent requests on buffers allocated here.

  That every unknown has one owner is checked by counting owners over all unknowns on every process: 4 bytes an unknown for a moment, as much as `index` needs.
*/
#include "percuss/layout.h"
#include <stdint.h>
#include <string.h>

/* What can be wrong with the arguments of NsLayoutCreate; of several errors the last one of this list is reported. */
enum { FINE, OWNED_BY_NOBODY, OWNED_TWICE, NOT_OWNED_THERE, NO_RANK, TWICE_HERE, NO_UNKNOWN };

static const char *const mistakes[] = {
  [OWNED_BY_NOBODY] = "is owned by no process",
  [OWNED_TWICE]     = "is owned by several processes",
  [NOT_OWNED_THERE] = "is not owned by the process that a ghost of it names",
  [NO_RANK]         = "has an owner that does not exist",
  [TWICE_HERE]      = "is listed twice on a process",
  [NO_UNKNOWN]      = "does not exist",
};

typedef struct {
  PetscInt mistake, unknown; /* FINE: none */
} Finding;

static void find(Finding *finding, PetscInt mistake, PetscInt unknown)
{
  if (mistake > finding->mistake) *finding = (Finding){mistake, unknown};
}

/* (all) All processes fail if one does: one that continued alone would wait for the others for ever. */
static PetscErrorCode fail_together(const NsLayout *layout, Finding mine)
{
  Finding *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(layout->ranks, &all));
  PetscCallMPI(MPI_Allgather(&mine, 2, MPIU_INT, all, 2, MPIU_INT, layout->comm));
  for (int r = 0; r < layout->ranks; r++) find(&mine, all[r].mistake, all[r].unknown);
  PetscCall(PetscFree(all));
  PetscCheck(mine.mistake == FINE, layout->comm, PETSC_ERR_ARG_WRONG, "layout: unknown %" PetscInt_FMT " %s", mine.unknown, mistakes[mine.mistake]);
  PetscFunctionReturn(0);
}

static PetscErrorCode create_empty(MPI_Comm comm, PetscInt unknowns, PetscInt local, NsLayout **layout)
{
  NsLayout *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(PetscCommDuplicate(comm, &self->comm, &self->tag));
  PetscCallMPI(MPI_Comm_rank(self->comm, &self->rank));
  PetscCallMPI(MPI_Comm_size(self->comm, &self->ranks));
  self->unknowns = unknowns;
  self->local    = local;
  *layout        = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLayoutCreateIdentity(PetscInt unknowns, NsLayout **layout)
{
  PetscFunctionBegin;
  PetscCall(create_empty(PETSC_COMM_SELF, unknowns, unknowns, layout));
  (*layout)->owned = unknowns;
  PetscFunctionReturn(0);
}

/* (all) Fills `index`, and checks that each unknown has one owner. */
static PetscErrorCode number_unknowns(NsLayout *self)
{
  Finding   finding = {FINE, 0};
  PetscInt *owners;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(self->unknowns, &self->index));
  for (PetscInt i = 0; i < self->unknowns; i++) self->index[i] = -1;
  for (PetscInt k = 0; k < self->local; k++) {
    const PetscInt i = self->natural[k];

    if (i < 0 || i >= self->unknowns) {
      find(&finding, NO_UNKNOWN, i);
      continue;
    }
    if (self->index[i] >= 0) find(&finding, TWICE_HERE, i);
    if (self->owner[k] < 0 || self->owner[k] >= self->ranks) find(&finding, NO_RANK, i);
    if (self->owner[k] == self->rank) self->owned++;
    self->index[i] = k;
  }
  PetscCall(fail_together(self, finding));

  PetscCall(PetscCalloc1(self->unknowns, &owners));
  for (PetscInt k = 0; k < self->local; k++) owners[self->natural[k]] = NsLayoutOwns(self, k) ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, owners, (int)self->unknowns, MPIU_INT, MPI_SUM, self->comm));
  for (PetscInt i = 0; i < self->unknowns; i++)
    if (owners[i] != 1) find(&finding, owners[i] ? OWNED_TWICE : OWNED_BY_NOBODY, i);
  PetscCall(PetscFree(owners));
  PetscCall(fail_together(self, finding));
  PetscFunctionReturn(0);
}

/* starts[ranks + 1] of lists of these lengths, one after the other. */
static void add_up(int ranks, const int *counts, int *starts)
{
  starts[0] = 0;
  for (int r = 0; r < ranks; r++) starts[r + 1] = starts[r] + counts[r];
}

/* Empty messages are not sent. */
static int partner(int rank, PetscInt count)
{
  return count ? rank : MPI_PROC_NULL;
}

/* (all) Which values go to and come from which process, and the requests for them. */
static PetscErrorCode prepare_exchange(NsLayout *self)
{
  const int ranks   = self->ranks;
  Finding   finding = {FINE, 0};
  int      *wanted, *asked, *wanted_start, *asked_start, *fill, *neighbour; /* by rank: ghosts here, ghosts there of what is owned here */
  PetscInt *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(ranks, &asked, ranks + 1, &wanted_start, ranks + 1, &asked_start, ranks, &fill, ranks, &neighbour));
  PetscCall(PetscCalloc1(ranks, &wanted));
  for (PetscInt k = 0; k < self->local; k++)
    if (!NsLayoutOwns(self, k)) wanted[self->owner[k]]++;
  PetscCallMPI(MPI_Alltoall(wanted, 1, MPI_INT, asked, 1, MPI_INT, self->comm));
  add_up(ranks, wanted, wanted_start);
  add_up(ranks, asked, asked_start);

  PetscCall(PetscMalloc2(asked_start[ranks], &self->send, wanted_start[ranks], &self->receive));
  PetscCall(PetscMalloc1(wanted_start[ranks], &number));
  PetscCall(PetscArraycpy(fill, wanted_start, ranks));
  for (PetscInt k = 0; k < self->local; k++)
    if (!NsLayoutOwns(self, k)) {
      const int slot      = fill[self->owner[k]]++;
      self->receive[slot] = k;
      number[slot]        = self->natural[k];
    }
  PetscCallMPI(MPI_Alltoallv(number, wanted, wanted_start, MPIU_INT, self->send, asked, asked_start, MPIU_INT, self->comm));
  PetscCall(PetscFree(number));
  for (int k = 0; k < asked_start[ranks]; k++) {
    const PetscInt i = self->send[k], index = self->index[i];

    if (index < 0 || !NsLayoutOwns(self, index)) find(&finding, NOT_OWNED_THERE, i);
    self->send[k] = index;
  }
  PetscCall(fail_together(self, finding));

  for (int r = 0; r < ranks; r++)
    if (wanted[r] || asked[r]) neighbour[self->neighbours++] = r;
  PetscCall(PetscCalloc2(self->neighbours + 1, &self->send_start, self->neighbours + 1, &self->receive_start));
  for (int n = 0; n < self->neighbours; n++) {
    self->send_start[n + 1]    = self->send_start[n] + asked[neighbour[n]];
    self->receive_start[n + 1] = self->receive_start[n] + wanted[neighbour[n]];
  }
  PetscCall(PetscMalloc2((size_t)(NS_EXCHANGED * asked_start[ranks]), &self->out, (size_t)(NS_EXCHANGED * wanted_start[ranks]), &self->in));
  PetscCall(PetscMalloc1((size_t)(NS_EXCHANGED * 2 * self->neighbours), &self->request));
  for (int arrays = 1; arrays <= NS_EXCHANGED; arrays++) {
    MPI_Request *receive = self->request + (arrays - 1) * 2 * self->neighbours, *send = receive + self->neighbours;

    for (int n = 0; n < self->neighbours; n++) {
      const int r = neighbour[n];

      PetscCallMPI(MPI_Recv_init(
        self->in + arrays * self->receive_start[n], arrays * wanted[r], MPIU_REAL, partner(r, wanted[r]), self->tag, self->comm, &receive[n]));
      PetscCallMPI(
        MPI_Send_init(self->out + arrays * self->send_start[n], arrays * asked[r], MPIU_REAL, partner(r, asked[r]), self->tag, self->comm, &send[n]));
    }
  }
  PetscCall(PetscFree5(asked, wanted_start, asked_start, fill, neighbour));
  PetscCall(PetscFree(wanted));
  PetscFunctionReturn(0);
}

/* (all) Which unknowns rank 0 receives from each process. */
static PetscErrorCode prepare_collect(NsLayout *self)
{
  const int owned = (int)self->owned;
  PetscInt *number, own = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(self->owned, &self->own, self->owned, &self->packed));
  PetscCall(PetscMalloc1(self->owned, &number));
  for (PetscInt k = 0; k < self->local; k++)
    if (NsLayoutOwns(self, k)) {
      number[own]      = self->natural[k];
      self->own[own++] = k;
    }
  if (self->rank == 0)
    PetscCall(PetscMalloc4(
      self->ranks, &self->counts, self->ranks + 1, &self->starts, self->unknowns, &self->collected_natural, self->unknowns, &self->collected));
  PetscCallMPI(MPI_Gather(&owned, 1, MPI_INT, self->counts, 1, MPI_INT, 0, self->comm));
  if (self->rank == 0) add_up(self->ranks, self->counts, self->starts);
  PetscCallMPI(MPI_Gatherv(number, owned, MPIU_INT, self->collected_natural, self->counts, self->starts, MPIU_INT, 0, self->comm));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLayoutCreate(MPI_Comm comm, PetscInt unknowns, PetscInt local, const PetscInt *natural, const int *owner, NsLayout **layout)
{
  NsLayout *self;
  PetscBool in_order = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(create_empty(comm, unknowns, local, &self));
  PetscCall(PetscMalloc1(local, &self->natural));
  PetscCall(PetscMalloc1(local, &self->owner));
  PetscCall(PetscArraycpy(self->natural, natural, local));
  PetscCall(PetscArraycpy(self->owner, owner, local));
  PetscCall(number_unknowns(self));
  if (self->ranks == 1) {
    PetscCall(PetscFree(self->owner));
    for (PetscInt k = 0; k < local; k++)
      if (natural[k] != k) in_order = PETSC_FALSE;
    if (in_order) {
      PetscCall(PetscFree(self->natural));
      PetscCall(PetscFree(self->index));
    }
  } else {
    PetscCall(prepare_exchange(self));
    PetscCall(prepare_collect(self));
  }
  *layout = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLayoutDestroy(NsLayout **layout)
{
  NsLayout *self = *layout;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  for (int i = 0; i < NS_EXCHANGED * 2 * self->neighbours; i++) PetscCallMPI(MPI_Request_free(&self->request[i]));
  PetscCall(PetscFree(self->request));
  PetscCall(PetscFree2(self->out, self->in));
  PetscCall(PetscFree2(self->send_start, self->receive_start));
  PetscCall(PetscFree2(self->send, self->receive));
  PetscCall(PetscFree2(self->own, self->packed));
  PetscCall(PetscFree4(self->counts, self->starts, self->collected_natural, self->collected));
  PetscCall(PetscFree(self->index));
  PetscCall(PetscFree(self->natural));
  PetscCall(PetscFree(self->owner));
  PetscCall(PetscCommDestroy(&self->comm));
  PetscCall(PetscFree(*layout));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLayoutExchangeGhosts(NsLayout *self, int arrays, PetscReal *const *array)
{
  MPI_Request *request;
  PetscReal   *out = self->out;
  PetscReal   *in  = self->in;

  PetscFunctionBegin;
  PetscCheck(arrays > 0 && arrays <= NS_EXCHANGED, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "exchange of %d arrays", arrays);
  request = self->request + (arrays - 1) * 2 * self->neighbours;
  PetscCallMPI(MPI_Startall(self->neighbours, request));
  for (int n = 0; n < self->neighbours; n++)
    for (int a = 0; a < arrays; a++)
      for (PetscInt k = self->send_start[n]; k < self->send_start[n + 1]; k++) *out++ = array[a][self->send[k]];
  PetscCallMPI(MPI_Startall(self->neighbours, request + self->neighbours));
  PetscCallMPI(MPI_Waitall(2 * self->neighbours, request, MPI_STATUSES_IGNORE));
  for (int n = 0; n < self->neighbours; n++)
    for (int a = 0; a < arrays; a++)
      for (PetscInt k = self->receive_start[n]; k < self->receive_start[n + 1]; k++) array[a][self->receive[k]] = *in++;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLayoutCollect(NsLayout *self, const PetscReal *x, PetscReal *all)
{
  PetscFunctionBegin;
  if (self->ranks == 1) {
    for (PetscInt k = 0; k < self->local; k++) all[NsLayoutNatural(self, k)] = x[k];
    PetscFunctionReturn(0);
  }
  for (PetscInt k = 0; k < self->owned; k++) self->packed[k] = x[self->own[k]];
  PetscCallMPI(MPI_Gatherv(self->packed, (int)self->owned, MPIU_REAL, self->collected, self->counts, self->starts, MPIU_REAL, 0, self->comm));
  if (self->rank == 0)
    for (PetscInt k = 0; k < self->unknowns; k++) all[self->collected_natural[k]] = self->collected[k];
  PetscFunctionReturn(0);
}

void NsLayoutSpread(const NsLayout *self, const PetscReal *all, PetscReal *x)
{
  for (PetscInt k = 0; k < self->local; k++) x[k] = all[NsLayoutNatural(self, k)];
}

PetscErrorCode NsLayoutAgree(const NsLayout *self, PetscInt *flags)
{
  PetscFunctionBegin;
  if (self->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flags, 1, MPIU_INT, MPI_BOR, self->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLayoutSum(const NsLayout *layout, int count, PetscReal *value)
{
  PetscFunctionBegin;
  if (layout->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, count, MPIU_REAL, MPI_SUM, layout->comm));
  PetscFunctionReturn(0);
}

/* By integers: the bits of doubles are in the order of the doubles, those of negative ones in reverse. MPI_MAX of doubles is undefined where one of them is NaN. */
PetscErrorCode NsLayoutMax(const NsLayout *self, PetscReal *x)
{
  PetscInt64 bits;

  PetscFunctionBegin;
  if (self->ranks == 1) PetscFunctionReturn(0);
  memcpy(&bits, x, sizeof(bits));
  if (bits < 0) bits ^= INT64_MAX;
  if (PetscIsNanReal(*x)) bits = INT64_MAX; /* above Inf, and the bits of a NaN, too */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPIU_INT64, MPI_MAX, self->comm));
  if (bits < 0) bits ^= INT64_MAX;
  memcpy(x, &bits, sizeof(bits));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWatchCreate(NsLayout *layout, PetscInt count, const PetscInt *natural, NsWatch **watch)
{
  NsWatch  *self;
  PetscInt *own_item;
  int       own;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  self->layout = layout;
  self->count  = count;
  PetscCall(PetscMalloc1(count, &self->index));
  PetscCall(PetscMalloc1(count, &own_item));
  for (PetscInt i = 0; i < count; i++) {
    const PetscInt unknown = natural[i];
    PetscInt       index;

    PetscCheck(
      unknown >= 0 && unknown < layout->unknowns, layout->comm, PETSC_ERR_ARG_OUTOFRANGE, "watch: unknown %" PetscInt_FMT " does not exist", unknown);
    index          = NsLayoutIndex(layout, unknown);
    self->index[i] = index >= 0 && NsLayoutOwns(layout, index) ? index : -1;
    if (self->index[i] >= 0) own_item[self->own++] = i;
  }
  if (layout->ranks > 1) {
    own = (int)self->own;
    PetscCall(PetscMalloc2(layout->ranks, &self->counts, layout->ranks + 1, &self->starts));
    PetscCallMPI(MPI_Allgather(&own, 1, MPI_INT, self->counts, 1, MPI_INT, layout->comm));
    add_up(layout->ranks, self->counts, self->starts);
    PetscCheck(self->starts[layout->ranks] == count, layout->comm, PETSC_ERR_ARG_INCOMP,
      "watch: lists of %" PetscInt_FMT " and others on other processes", count);
    PetscCall(PetscMalloc4(self->own, &self->own_index, count, &self->item, self->own, &self->out, count, &self->in));
    for (PetscInt k = 0; k < self->own; k++) self->own_index[k] = self->index[own_item[k]];
    PetscCallMPI(MPI_Allgatherv(own_item, own, MPIU_INT, self->item, self->counts, self->starts, MPIU_INT, layout->comm));
  }
  PetscCall(PetscFree(own_item));
  *watch = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsWatchDestroy(NsWatch **watch)
{
  NsWatch *self = *watch;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(PetscFree4(self->own_index, self->item, self->out, self->in));
  PetscCall(PetscFree2(self->counts, self->starts));
  PetscCall(PetscFree(self->index));
  PetscCall(PetscFree(*watch));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWatchGather(NsWatch *self, const PetscReal *x, PetscReal *values)
{
  PetscFunctionBegin;
  if (self->layout->ranks == 1) {
    for (PetscInt i = 0; i < self->count; i++) values[i] = x[self->index[i]];
  } else if (self->count > 0) {
    for (PetscInt k = 0; k < self->own; k++) self->out[k] = x[self->own_index[k]];
    PetscCallMPI(MPI_Allgatherv(self->out, (int)self->own, MPIU_REAL, self->in, self->counts, self->starts, MPIU_REAL, self->layout->comm));
    for (PetscInt k = 0; k < self->count; k++) values[self->item[k]] = self->in[k];
  }
  PetscFunctionReturn(0);
}
