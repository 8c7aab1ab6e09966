/*
  Islands of several processes: the owner solves, and all get its impulses.

  Every process has the rows, blocks and guesses of all contacts. Islands do not act on each other, so that each process solves some: those whose middle lies in its part of the work, when the work
  of all is counted through in their order. One message then gives every process the impulses of all, with statistics and residuals. They travel as bits, into zeros: what a process gets is what
  the owner has found, and the same on any number of processes.

  An estimate of the work tells whether that is worth the message; it is made of sizes alone, so that all processes come to the same. If an island is not solved, all processes solve everything
  again, and fail with the same message as one process; that is a step that ends the run, or one that a scheme repeats. Where a process was asked to stop (a signal, the wall limit), all give up.
*/
#include "sharing.h"
#include "core/out_of_memory.h"
#include <stdlib.h>
#include <string.h>

#define NS_SHARED_WORK 2e5 /* multiplications, about 0.1 ms */

typedef struct {
  uint64_t          unsolved, stopped;
  PetscReal         residual;
  NsLocalStatistics statistics;
  PetscInt64        most_dense, most_sparse;
} Share;

struct NsSharing {
  uint64_t         *bits;  /* [rows] of P, then a Share of each process */
  PetscReal        *start; /* [rows] P at the beginning */
  NsLocalStatistics before;
};

#define NS_SHARE (sizeof(Share) / sizeof(uint64_t))
_Static_assert(sizeof(Share) % sizeof(uint64_t) == 0 && sizeof(PetscReal) == sizeof(uint64_t), "a share is sent as whole words");

PetscErrorCode NsSharingCreate(NsContact *contact)
{
  const NsLayout *layout = contact->model->layout;
  const size_t    rows = (size_t)contact->rows, ranks = layout ? (size_t)layout->ranks : 1;

  PetscFunctionBegin;
  if (ranks == 1 || rows == 0) PetscFunctionReturn(0);
  PetscCall(PetscNew(&contact->sharing));
  contact->sharing->bits  = NsZeros(rows + NS_SHARE * ranks, sizeof(uint64_t));
  contact->sharing->start = NsZeros(rows, sizeof(PetscReal));
  PetscFunctionReturn(0);
}

PetscErrorCode NsSharingDestroy(NsContact *contact)
{
  PetscFunctionBegin;
  if (!contact->sharing) PetscFunctionReturn(0);
  free(contact->sharing->bits);
  free(contact->sharing->start);
  PetscCall(PetscFree(contact->sharing));
  PetscFunctionReturn(0);
}

/* About so many multiplications. */
static PetscReal work_of(const NsIslands *islands, const NsRows *rows, PetscInt island)
{
  PetscReal n = 0;

  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++)
    n += rows->start[islands->member[m] + 1] - rows->start[islands->member[m]];
  if (n == 1) return 100;
  return islands->sparse[island] ? 3000 * n : 200 + 10 * n * n * n;
}

PetscBool NsSharingBegin(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscInt *first, PetscInt *last)
{
  const NsIslands *islands = &contact->islands;
  const NsLayout  *layout  = contact->model->layout;
  PetscReal        all = 0, done = 0;

  if (!contact->sharing) return PETSC_FALSE;
  for (PetscInt s = 0; s < islands->count; s++) all += work_of(islands, rows, s);
  if (!(all > NS_SHARED_WORK)) return PETSC_FALSE;
  *first = *last = 0;
  for (PetscInt s = 0; s < islands->count; s++) {
    const PetscReal work  = work_of(islands, rows, s);
    const int       owner = PetscMin((int)((done + work / 2) / all * layout->ranks), layout->ranks - 1);
    if (owner < layout->rank) *first = s + 1;
    if (owner <= layout->rank) *last = s + 1;
    done += work;
  }
  for (PetscInt k = 0; k < rows->rows; k++) contact->sharing->start[k] = P[k];
  contact->sharing->before = *NsContactStatistics(contact);
  return PETSC_TRUE;
}

static void add_statistics(NsLocalStatistics *sum, const NsLocalStatistics *before, const NsLocalStatistics *part)
{
  const NsLocalStatistics old = *sum;

  for (size_t k = 0; k < sizeof(*sum) / sizeof(PetscInt64); k++) (&sum->calls)[k] += (&part->calls)[k] - (&before->calls)[k];
  sum->most_iterations = PetscMax(old.most_iterations, part->most_iterations);
  sum->most_contacts   = PetscMax(old.most_contacts, part->most_contacts);
}

PetscErrorCode NsSharingEnd(NsContact *contact, const NsRows *rows, PetscInt first, PetscInt last, PetscReal *P, PetscBool *solved, PetscBool *again)
{
  NsSharing        *self    = contact->sharing;
  const NsIslands  *islands = &contact->islands;
  const NsLayout   *layout  = contact->model->layout;
  NsContactFigures *figures = &contact->figures;
  const size_t      words   = (size_t)rows->rows + NS_SHARE * (size_t)layout->ranks;
  Share             share   = {.unsolved = !*solved,
                  .stopped               = contact->stopped,
                  .residual              = contact->residual,
                  .statistics            = *NsContactStatistics(contact),
                  .most_dense            = figures->most_dense,
                  .most_sparse           = figures->most_sparse};
  PetscBool         stopped = PETSC_FALSE;

  PetscFunctionBegin;
  memset(self->bits, 0, sizeof(uint64_t) * words);
  for (PetscInt m = islands->start[first]; first < last && m < islands->start[last]; m++) {
    const PetscInt k = rows->start[islands->member[m]], end = rows->start[islands->member[m] + 1];
    memcpy(self->bits + k, P + k, sizeof(PetscReal) * (size_t)(end - k));
  }
  memcpy(self->bits + rows->rows + NS_SHARE * (size_t)layout->rank, &share, sizeof(share));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, self->bits, (int)words, MPI_UINT64_T, MPI_BOR, layout->comm));
  *NsContactStatistics(contact) = self->before;
  for (int rank = 0; rank < layout->ranks; rank++) {
    memcpy(&share, self->bits + rows->rows + NS_SHARE * (size_t)rank, sizeof(share));
    *solved              = *solved && !share.unsolved;
    stopped              = stopped || share.stopped;
    contact->residual    = PetscMax(contact->residual, share.residual);
    figures->most_dense  = PetscMax(figures->most_dense, share.most_dense);
    figures->most_sparse = PetscMax(figures->most_sparse, share.most_sparse);
    add_statistics(NsContactStatistics(contact), &self->before, &share.statistics);
  }
  contact->stopped = stopped;
  figures->shared++;
  *again = !*solved && !stopped;
  memcpy(P, *again ? (const void *)self->start : (const void *)self->bits, sizeof(PetscReal) * (size_t)rows->rows);
  if (*again) *NsContactStatistics(contact) = self->before;
  PetscFunctionReturn(0);
}
