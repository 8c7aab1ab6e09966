/*
  Newton's method on the Alart-Curnier equations (see solvers/semismooth_newton.c) with an inverse that is kept from step to step. In unit form (local.c)

      F(p, w) = 0,   w = b + A p,   J = X + Y A,   X = F_p and Y = F_w: a block of each contact, I and 0 where it is open, 0 and I where it sticks

      p <- p - B F,   B = J_0^-1 with the X_0, Y_0 of earlier steps

  Contacts keep their states over many steps, and b alone changes: where all stick J_0 is J, and one iteration is exact; where they slip, X and Y turn with the slip, slowly. A contact c whose block is
  out of date causes an update of rank 3 (Sherman, Morrison, Woodbury),

      J_0 <- J_0 + E_c V,   V = (X - X_0) E_c' + (Y - Y_0) A_c,      B <- B - B E_c (I + V B E_c)^-1 V B

  so that nothing is ever factored: B is the identity while all are open. Solutions obey the law to the tolerance of all solvers, whatever B is: B only affects the number of iterations. Problems that are not
  solved in NS_MOST_ITERATIONS go to the chain of solvers.

  A has the rows of all candidates; those that do not take part are open, so that a contact that closes is an update of rank 3 as well. A is computed from the compliance column by column, once for each
  candidate. If rows or the compliance change, A is computed anew, but only after NS_PATIENCE problems with the same compliance.

  An iteration is two products with [rows, rows] matrices: 1 us for 16 contacts with friction in space; a factorization takes 15 us.

  History: all of `data` and `count`, so that runs resume to the same bytes.
*/
#include "lasting.h"
#include <string.h>
#include "compliance.h"
#include "core/processor.h"
#include "solvers/one_contact.h"
#include "solvers/proximal_newton.h"

#define NS_FEWEST          12    /* rows: for fewer, a factorization costs as much */
#define NS_PATIENCE        8     /* successive problems with the same compliance before their rows are kept */
#define NS_IMPATIENCE      (-56) /* start value of the count after keeping them was useless: 64 problems to wait */
#define NS_MOST_ITERATIONS 20
#define NS_WRONG           0.3  /* change of an entry of X or Y above which a block is replaced */
#define NS_DRIFT           1e-3 /* the same where convergence is slow, */
#define NS_TURNED          1e-2 /* and after a problem that took NS_MANY iterations, for the worst contact only */
#define NS_MANY            3
#define NS_SLOW            0.3
#define NS_SAME            1e-13 /* of A: rounding */
#define NS_SINGULAR        1e-10 /* of I + V B E: contacts depend on each other */
#define NS_LANES           8

/* What is kept from step to step: parts of one array, so that a rejected step restores it by one copy. */
typedef struct {
  PetscReal *A, *B;  /* [n, stride] column by column; B also row by row: */
  PetscReal *rows_B; /* [n, stride] */
  PetscReal *X, *Y;  /* [candidates, 9] X_0, Y_0 */
  PetscReal *root;   /* [n] scales of the unit form; 0: the candidate has not been in a problem yet */
  PetscReal *value;  /* [n, entries] of the rows of W', */
  PetscReal *touch;  /* [n, entries] and their indices in the touch list; -1 after the last one */
} Kept;

/* Indices in `count`: number (from 1) of the compliance whose contacts are kept (0: none); number of the last other compliance; how many problems in succession had that one. */
enum { SLOT, SEEN_SLOT, SEEN, COUNTS };

struct NsLasting {
  const NsModel *model;
  PetscInt       n, stride, candidates, entries;
  PetscInt      *start; /* [candidates + 1] rows of all */
  size_t         size;
  PetscReal     *data, *saved; /* [size] */
  PetscInt64     count[COUNTS], saved_count[COUNTS];
  PetscBool      is_saved;
  Kept           kept;
  PetscInt64     version;         /* of the compliance that A is of; -1: not known since the run was resumed */
  PetscInt       contacts, *list; /* [candidates] of the last NsLastingTake */
  /* scratch */
  PetscReal *b, *p, *w, *F, *step, *P, *friction, *inverse, *mu; /* [stride] */
  PetscReal *V, *T, *E;                                          /* [3, stride] */
  PetscReal *now;                                                /* [candidates, 18] X, Y */
  PetscBool *bilateral, *listed, *all_bilateral;                 /* [candidates] */
  PetscInt  *touch;                                              /* [entries] */
};

static PetscBool suits(const NsContact *contact)
{
  const NsModel *model = contact->model;

  if (!model->flat_contacts || !model->constant_mass || model->slots || contact->rows < NS_FEWEST || contact->rows > NS_LOCAL_SMALL)
    return PETSC_FALSE;
  return !contact->laws.anisotropic && !contact->laws.two_phase && !contact->laws.joints;
}

static void place(NsLasting *self, PetscReal **at, PetscInt size)
{
  *at = self->data + self->size;
  self->size += (size_t)size;
}

PetscErrorCode NsLastingCreate(const NsContact *contact, NsLasting **result)
{
  NsLasting *self;

  PetscFunctionBegin;
  *result = NULL;
  if (!suits(contact)) PetscFunctionReturn(0);
  PetscCall(PetscNew(&self));
  self->model      = contact->model;
  self->n          = contact->rows;
  self->candidates = contact->candidates;
  self->entries    = contact->model->row_entries;
  self->stride     = (self->n + NS_LANES - 1) / NS_LANES * NS_LANES;
  self->version    = -1;
  const PetscInt n = self->n, stride = self->stride, c = self->candidates, square = n * stride;
  const PetscInt size = 3 * square + 18 * c + n + 2 * n * self->entries;
  PetscCall(PetscCalloc2(size, &self->data, size, &self->saved));
  Kept *kept = &self->kept;
  place(self, &kept->A, square);
  place(self, &kept->B, square);
  place(self, &kept->rows_B, square);
  place(self, &kept->X, 9 * c);
  place(self, &kept->Y, 9 * c);
  place(self, &kept->root, n);
  place(self, &kept->value, n * self->entries);
  place(self, &kept->touch, n * self->entries);
  PetscCall(PetscCalloc5(stride, &self->b, stride, &self->p, stride, &self->w, stride, &self->F, stride, &self->step));
  PetscCall(PetscCalloc7(stride, &self->P, stride, &self->inverse, c, &self->friction, c, &self->mu, (3 * stride), &self->V, (3 * stride), &self->T,
    (3 * stride), &self->E));
  PetscCall(PetscCalloc5((18 * c), &self->now, c, &self->bilateral, c, &self->listed, c, &self->all_bilateral, c + 1, &self->start));
  PetscCall(PetscCalloc2(c, &self->list, self->entries, &self->touch));
  for (PetscInt i = 0; i < c; i++) {
    self->start[i + 1]     = self->start[i] + contact->model->candidate[i].directions;
    self->all_bilateral[i] = contact->model->candidate[i].bilateral;
  }
  *result = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLastingDestroy(NsLasting **result)
{
  NsLasting *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(PetscFree2(self->data, self->saved));
  PetscCall(PetscFree5(self->b, self->p, self->w, self->F, self->step));
  PetscCall(PetscFree7(self->P, self->inverse, self->friction, self->mu, self->V, self->T, self->E));
  PetscCall(PetscFree5(self->now, self->bilateral, self->listed, self->all_bilateral, self->start));
  PetscCall(PetscFree2(self->list, self->touch));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

void NsLastingSerialize(NsLasting *self, NsArchive *archive)
{
  if (!self) return;
  NsArchiveLongs(archive, "lasting", COUNTS, self->count);
  if (self->count[SLOT]) NsArchiveReals(archive, "lasting_data", (PetscInt64)self->size, self->data);
  if (archive->reading) self->version = -1;
}

void NsLastingBeginStep(NsLasting *self)
{
  if (!self) return;
  self->is_saved = PETSC_FALSE;
  memcpy(self->saved_count, self->count, sizeof(self->count));
}

/* Before any change: saves the history, once per step. */
static void save(NsLasting *self)
{
  if (self->is_saved) return;
  self->is_saved = PETSC_TRUE;
  memcpy(self->saved, self->data, self->size * sizeof(PetscReal));
}

void NsLastingCancelStep(NsLasting *self)
{
  if (!self) return;
  memcpy(self->count, self->saved_count, sizeof(self->count));
  if (!self->is_saved) return;
  memcpy(self->data, self->saved, self->size * sizeof(PetscReal));
  self->version = -1;
}

/* ---- A ------------------------------------------------------------------------------------------------------------------------------------------ */

/* All contacts are open: J_0 = B = I. */
static void open_all(NsLasting *self)
{
  const Kept *kept = &self->kept;

  memset(kept->B, 0, 2 * (size_t)self->n * (size_t)self->stride * sizeof(PetscReal)); /* and rows_B */
  memset(kept->X, 0, 18 * (size_t)self->candidates * sizeof(PetscReal));              /* and Y */
  for (PetscInt k = 0; k < self->n; k++) kept->B[k * self->stride + k] = kept->rows_B[k * self->stride + k] = 1;
  for (PetscInt c = 0; c < self->candidates; c++) {
    for (PetscInt i = 0, m = self->start[c + 1] - self->start[c]; i < m; i++) kept->X[9 * c + i * m + i] = 1;
  }
}

static void forget(NsLasting *self)
{
  memset(self->data, 0, self->size * sizeof(PetscReal));
  open_all(self);
}

/* Whether row k of the problem is the same as row `at` that is kept. */
static PetscBool is_known(const NsLasting *self, const NsRows *rows, PetscInt k, PetscInt at)
{
  const PetscReal *value = self->kept.value + at * self->entries, *touch = self->kept.touch + at * self->entries;
  const PetscInt   first = rows->first[k], entries = rows->first[k + 1] - first;

  for (PetscInt j = 0; j < entries; j++) {
    if (value[j] != rows->value[first + j] || touch[j] != (PetscReal)rows->touch[first + j]) return PETSC_FALSE;
  }
  return entries == self->entries || touch[entries] < 0;
}

/* W_at . half */
static PetscReal along(const NsLasting *self, PetscInt at, const PetscReal *half)
{
  const PetscReal *value = self->kept.value + at * self->entries, *touch = self->kept.touch + at * self->entries;
  PetscReal        sum = 0;

  for (PetscInt j = 0; j < self->entries && touch[j] >= 0; j++) sum += value[j] * half[(PetscInt)touch[j]];
  return sum;
}

/* A power of two, about sqrt(d). */
static PetscReal root_of(PetscReal d)
{
  int exponent;

  (void)frexp(d, &exponent);
  return ldexp(1, exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2));
}

/* Rows and columns of A of contact i of the problem, which has not been in one before. *good stays if the diagonal of A is positive there. */
static PetscErrorCode learn(NsLasting *self, NsCompliance *compliance, const NsRows *rows, PetscInt i, PetscBool *good)
{
  const Kept    *kept = &self->kept;
  const PetscInt c = rows->contact[i], m = rows->start[i + 1] - rows->start[i], first = self->start[c];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < m; d++) {
    const PetscInt from = rows->first[rows->start[i] + d], entries = rows->first[rows->start[i] + d + 1] - from;
    for (PetscInt j = 0; j < self->entries; j++) {
      kept->value[(first + d) * self->entries + j] = j < entries ? rows->value[from + j] : 0;
      kept->touch[(first + d) * self->entries + j] = j < entries ? (PetscReal)rows->touch[from + j] : -1;
    }
  }
  for (PetscInt d = 0; d < m; d++) {
    const PetscInt   k = first + d;
    const PetscReal *half;
    PetscCall(NsComplianceHalf(compliance, rows, rows->start[i] + d, &half));
    for (PetscInt r = 0; r < self->n; r++) {
      if (kept->root[r] != 0 || (r >= first && r <= k)) kept->A[k * self->stride + r] = kept->A[r * self->stride + k] = along(self, r, half);
    }
  }
  PetscReal d_T = 0;
  for (PetscInt k = first; k < first + m; k++) {
    *good = *good && kept->A[k * self->stride + k] > 0;
    if (k > first) d_T = PetscMax(d_T, kept->A[k * self->stride + k]);
  }
  if (!*good) PetscFunctionReturn(0);
  for (PetscInt k = first; k < first + m; k++) kept->root[k] = root_of(k == first ? kept->A[k * self->stride + k] : d_T);
  for (PetscInt k = first; k < first + m; k++) {
    for (PetscInt r = 0; r < self->n; r++) {
      if (kept->root[r] == 0) continue;
      kept->A[k * self->stride + r] /= kept->root[r] * kept->root[k];
      if (r < first || r >= first + m) kept->A[r * self->stride + k] = kept->A[k * self->stride + r];
    }
  }
  PetscFunctionReturn(0);
}

/* Whether problems of this compliance are kept: after NS_PATIENCE of them in a row. */
static PetscBool is_chosen(NsLasting *self, PetscInt64 slot)
{
  PetscInt64 *count = self->count;

  if (count[SLOT] == slot) {
    count[SEEN] = PetscMin(count[SEEN], 0);
    return PETSC_TRUE;
  }
  count[SEEN]      = count[SEEN_SLOT] == slot || count[SEEN] < 0 ? count[SEEN] + 1 : 1;
  count[SEEN_SLOT] = slot;
  if (count[SEEN] < NS_PATIENCE) return PETSC_FALSE;
  save(self);
  count[SLOT]   = slot;
  self->version = -1;
  forget(self);
  return PETSC_TRUE;
}

static void give_up(NsLasting *self)
{
  self->count[SLOT] = 0;
  self->count[SEEN] = NS_IMPATIENCE;
}

/* Whether A is of this compliance. */
static PetscErrorCode compare(NsLasting *self, NsCompliance *compliance, PetscBool *same)
{
  const Kept *kept = &self->kept;

  PetscFunctionBegin;
  *same = PETSC_TRUE;
  for (PetscInt k = 0; k < self->n && *same; k++) {
    PetscInt         first[2] = {0, 0};
    const PetscReal *half;
    if (kept->root[k] == 0) continue;
    for (PetscInt j = 0; j < self->entries && kept->touch[k * self->entries + j] >= 0; j++)
      self->touch[first[1]++] = (PetscInt)kept->touch[k * self->entries + j];
    PetscCall(NsComplianceHalf(compliance, &(NsRows){.first = first, .touch = self->touch, .value = kept->value + k * self->entries}, 0, &half));
    for (PetscInt r = 0; r < self->n && *same; r++) {
      if (kept->root[r] == 0) continue;
      *same = PetscAbsReal(along(self, r, half) / (kept->root[r] * kept->root[k]) - kept->A[k * self->stride + r]) <= NS_SAME;
    }
  }
  PetscFunctionReturn(0);
}

/* Whether contacts have all of their rows: problems on position level have normals only. */
static PetscBool are_whole(const NsLasting *self, const NsRows *rows)
{
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt c = rows->contact[i];
    if (rows->start[i + 1] - rows->start[i] != self->start[c + 1] - self->start[c]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode NsLastingTake(NsLasting *self, NsCompliance *compliance, const NsRows *rows, PetscBool *takes)
{
  PetscInt64 version;
  PetscInt   slot;
  PetscBool  good = PETSC_TRUE;

  PetscFunctionBegin;
  *takes = PETSC_FALSE;
  if (rows->rows < NS_FEWEST || !are_whole(self, rows) || !NsComplianceIsConstant(compliance, &slot, &version) || !is_chosen(self, slot + 1))
    PetscFunctionReturn(0);
  for (PetscInt i = 0; i < rows->contacts && good; i++) {
    const PetscInt at = self->start[rows->contact[i]], m = rows->start[i + 1] - rows->start[i];
    for (PetscInt d = 0; d < m && good && self->kept.root[at] != 0; d++) good = is_known(self, rows, rows->start[i] + d, at + d);
  }
  if (good && self->version != version) PetscCall(compare(self, compliance, &good));
  self->version = version;
  for (PetscInt i = 0; i < rows->contacts && good; i++) {
    if (self->kept.root[self->start[rows->contact[i]]] != 0) continue;
    save(self);
    PetscCall(learn(self, compliance, rows, i, &good));
  }
  if (!good) give_up(self);
  *takes         = good;
  self->contacts = rows->contacts;
  for (PetscInt i = 0; i < rows->contacts; i++) self->list[i] = rows->contact[i];
  PetscFunctionReturn(0);
}

void NsLastingMatrix(const NsLasting *self, PetscReal factor, PetscReal *G)
{
  const PetscReal *root = self->kept.root;

  for (PetscInt i = 0; i < self->contacts; i++) {
    for (PetscInt k = self->start[self->list[i]]; k < self->start[self->list[i] + 1]; k++) {
      for (PetscInt j = 0; j < self->contacts; j++) {
        for (PetscInt r = self->start[self->list[j]]; r < self->start[self->list[j] + 1]; r++)
          *G++ = factor * (root[k] * root[r] * self->kept.A[k * self->stride + r]);
      }
    }
  }
}

/* ---- B ------------------------------------------------------------------------------------------------------------------------------------------ */

/* y += A x, columns of A; stride is a multiple of NS_LANES. */
NS_FOR_EACH_PROCESSOR static void add_product(PetscInt n, PetscInt stride, const PetscReal *A, const PetscReal *x, PetscReal *restrict y)
{
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal *restrict a = A + j * stride;
    const PetscReal value       = x[j];
    if (value == 0) continue;
    for (PetscInt i = 0; i < stride; i += NS_LANES) {
      for (PetscInt l = 0; l < NS_LANES; l++) y[i + l] += value * a[i + l];
    }
  }
}

/* B - E S^-1 T by columns and by rows; C [m, n]: S^-1 T, E [m, n]: columns of B. */
NS_FOR_EACH_PROCESSOR static void subtract(
  PetscInt n, PetscInt stride, PetscInt m, const PetscReal *E, const PetscReal *C, PetscReal *restrict B, PetscReal *restrict rows_B)
{
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < n; j++) {
      const PetscReal c = C[i * stride + j], e = E[i * stride + j];
      PetscReal *restrict column = B + j * stride, *restrict row = rows_B + j * stride;
      const PetscReal *restrict ofE = E + i * stride, *restrict ofC = C + i * stride;
      for (PetscInt k = 0; k < stride && c != 0; k++) column[k] -= c * ofE[k];
      for (PetscInt k = 0; k < stride && e != 0; k++) row[k] -= e * ofC[k];
    }
  }
}

/* The block of contact c becomes X, Y [m, m]; false: J would be singular. */
static PetscBool change(NsLasting *self, PetscInt c, const PetscReal *X, const PetscReal *Y)
{
  const Kept    *kept  = &self->kept;
  const PetscInt first = self->start[c], m = self->start[c + 1] - first, stride = self->stride;
  PetscReal      S[9], inverse[9], unit[3], column[3], size = 0, most = 0;

  memset(self->V, 0, 3 * (size_t)stride * sizeof(PetscReal));
  memset(self->T, 0, 3 * (size_t)stride * sizeof(PetscReal));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt l = 0; l < m; l++) {
      const PetscReal  dY = Y[i * m + l] - kept->Y[9 * c + i * m + l];
      const PetscReal *a  = kept->A + (first + l) * stride; /* a row of A: it is symmetric */
      for (PetscInt k = 0; k < stride && dY != 0; k++) self->V[i * stride + k] += dY * a[k];
    }
    for (PetscInt l = 0; l < m; l++) self->V[i * stride + first + l] += X[i * m + l] - kept->X[9 * c + i * m + l];
    add_product(self->n, stride, kept->rows_B, self->V + i * stride, self->T + i * stride);
  }
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt l = 0; l < m; l++) S[i * m + l] = self->T[i * stride + first + l] + (i == l);
    memcpy(self->E + i * stride, kept->B + (first + i) * stride, (size_t)stride * sizeof(PetscReal));
  }
  for (PetscInt l = 0; l < m; l++) {
    for (PetscInt i = 0; i < m; i++) unit[i] = i == l;
    NsSolve3(m, S, unit, column);
    for (PetscInt i = 0; i < m; i++) {
      inverse[i * m + l] = column[i];
      size               = PetscMax(size, PetscAbsReal(S[i * m + l]));
      most               = PetscMax(most, PetscAbsReal(column[i]));
    }
  }
  if (!(size * most * NS_SINGULAR < 1)) return PETSC_FALSE;
  memset(self->V, 0, 3 * (size_t)stride * sizeof(PetscReal)); /* S^-1 T */
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt l = 0; l < m; l++) {
      for (PetscInt k = 0; k < stride; k++) self->V[i * stride + k] += inverse[i * m + l] * self->T[l * stride + k];
    }
  }
  save(self);
  subtract(self->n, stride, m, self->E, self->V, kept->B, kept->rows_B);
  for (PetscInt k = 0; k < m * m; k++) {
    kept->X[9 * c + k] = X[k];
    kept->Y[9 * c + k] = Y[k];
  }
  return PETSC_TRUE;
}

/* ---- the problem -------------------------------------------------------------------------------------------------------------------------------- */

/* F of all candidates, and X and Y into `now`; candidates that do not take part are open. */
static void linearize(NsLasting *self)
{
  for (PetscInt c = 0; c < self->candidates; c++) {
    const PetscInt   first = self->start[c], m = self->start[c + 1] - first;
    const PetscReal *p = self->p + first, *w = self->w + first;
    PetscReal       *X = self->now + 18 * c, *Y = X + 9, *F = self->F + first;
    for (PetscInt k = 0; k < 18; k++) X[k] = 0;
    if (!self->listed[c]) {
      for (PetscInt i = 0; i < m; i++) X[i * m + i] = 1;
      for (PetscInt i = 0; i < m; i++) F[i] = 0;
      continue;
    }
    if (self->bilateral[c]) {
      for (PetscInt i = 0; i < m; i++) Y[i * m + i] = 1;
      for (PetscInt i = 0; i < m; i++) F[i] = w[i];
      continue;
    }
    const PetscBool closed = p[0] - w[0] > 0;
    F[0]                   = closed ? w[0] : p[0];
    *(closed ? Y : X)      = 1;
    if (m > 1) NsFrictionRows(m, self->mu[c], -1, 1, p, w, F, X, Y);
  }
}

/* Largest difference of an entry of the block of contact c from X, Y of the last linearize. */
static PetscReal drift_of(const NsLasting *self, PetscInt c)
{
  const PetscReal *X = self->now + 18 * c, *Y = X + 9, *X0 = self->kept.X + 9 * c, *Y0 = self->kept.Y + 9 * c;
  PetscReal        most = 0;

  for (PetscInt k = 0; k < 9; k++) most = PetscMax(most, PetscMax(PetscAbsReal(X[k] - X0[k]), PetscAbsReal(Y[k] - Y0[k])));
  return most;
}

/* Updates all blocks with a drift above `most`. False: J would be singular. */
static PetscBool change_those(NsLasting *self, PetscReal most)
{
  for (PetscInt c = 0; c < self->candidates; c++) {
    const PetscReal *X = self->now + 18 * c;
    if (drift_of(self, c) > most && !change(self, c, X, X + 9)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* After a problem that took many iterations: updates the block of the contact whose slip has turned most. */
static void follow(NsLasting *self)
{
  PetscReal most  = NS_TURNED;
  PetscInt  worst = -1;

  for (PetscInt c = 0; c < self->candidates; c++) {
    const PetscReal drift = drift_of(self, c);
    if (drift > most) worst = c;
    most = PetscMax(most, drift);
  }
  if (worst >= 0) (void)change(self, worst, self->now + 18 * worst, self->now + 18 * worst + 9);
}

/* w = b + A p; 0 where a contact takes no part. */
static void set_velocities(NsLasting *self)
{
  memcpy(self->w, self->b, (size_t)self->stride * sizeof(PetscReal));
  add_product(self->n, self->stride, self->kept.A, self->p, self->w);
  for (PetscInt c = 0; c < self->candidates; c++) {
    for (PetscInt k = self->start[c]; k < self->start[c + 1] && !self->listed[c]; k++) self->w[k] = 0;
  }
}

/* False: not solved; then *regular tells whether J was regular in all iterations. */
static PetscBool iterate(NsLasting *self, const NsLocalProblem *unit, PetscReal tolerance, NsLocalResult *result, PetscBool *regular)
{
  PetscReal last = PETSC_INFINITY;

  *regular = PETSC_TRUE;
  for (result->iterations = 0;; result->iterations++) {
    set_velocities(self);
    result->residual = NsLocalUnitResidual(unit, self->p, self->w);
    if (result->residual <= tolerance && result->iterations < NS_MANY) return PETSC_TRUE;
    if (!(result->residual <= PETSC_MAX_REAL) || result->iterations == NS_MOST_ITERATIONS) return PETSC_FALSE;
    linearize(self);
    if (result->residual <= tolerance) {
      follow(self);
      return PETSC_TRUE;
    }
    *regular = change_those(self, result->residual > NS_SLOW * last ? NS_DRIFT : NS_WRONG);
    last     = result->residual;
    if (!*regular) return PETSC_FALSE;
    memset(self->step, 0, (size_t)self->stride * sizeof(PetscReal));
    add_product(self->n, self->stride, self->kept.B, self->F, self->step);
    for (PetscInt c = 0; c < self->candidates; c++) {
      for (PetscInt k = self->start[c]; k < self->start[c + 1]; k++) self->p[k] = self->listed[c] ? self->p[k] - self->step[k] : 0;
    }
  }
}

/* The problem in unit form, with the rows of all candidates: for the unknowns factor P its matrix is A. */
static void begin(NsLasting *self, const NsContact *contact, const NsRows *rows, PetscReal factor, const PetscReal *b, const PetscReal *P)
{
  for (PetscInt c = 0; c < self->candidates; c++) self->listed[c] = self->bilateral[c] = PETSC_FALSE;
  memset(self->b, 0, (size_t)self->stride * sizeof(PetscReal));
  memset(self->p, 0, (size_t)self->stride * sizeof(PetscReal));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt   c = rows->contact[i], first = self->start[c], m = self->start[c + 1] - first;
    const PetscReal *root = self->kept.root + first;
    self->listed[c]       = PETSC_TRUE;
    self->bilateral[c]    = self->all_bilateral[c];
    self->friction[c]     = NsContactFriction(contact, c);
    self->mu[c]           = m > 1 ? self->friction[c] * root[1] / root[0] : 0;
    for (PetscInt d = 0; d < m; d++) {
      self->inverse[first + d] = 1 / root[d];
      self->b[first + d]       = self->inverse[first + d] * b[rows->start[i] + d];
      self->p[first + d]       = root[d] * factor * P[rows->start[i] + d];
    }
  }
}

PetscErrorCode NsLastingSolve(
  NsLasting *self, NsContact *contact, const NsRows *rows, PetscReal factor, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  NsLocalProblem unit = {
    .contacts = self->candidates, .rows = self->n, .start = self->start, .b = self->b, .friction = self->mu, .bilateral = self->bilateral};
  NsLocalResult result = {0};
  PetscBool     regular;

  PetscFunctionBegin;
  begin(self, contact, rows, factor, b, P);
  *solved = iterate(self, &unit, contact->chain->solver[0]->tolerance, &result, &regular);
  if (!*solved) {
    save(self);
    if (regular)
      open_all(self);
    else
      give_up(self); /* contacts are linearly dependent: the chain of solvers finds the smallest forces */
    PetscFunctionReturn(0);
  }
  unit.friction = self->friction;
  for (PetscInt k = 0; k < self->n; k++) self->P[k] = self->inverse[k] * self->p[k];
  NsLocalTidy(&unit, self->inverse, self->p, self->w, self->P);
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt first = self->start[rows->contact[i]] - rows->start[i];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) P[k] = self->P[first + k] / factor;
  }
  contact->residual = result.residual;
  contact->figures.lasting++;
  contact->figures.most_islands = PetscMax(contact->figures.most_islands, 1);
  contact->figures.most_dense   = PetscMax(contact->figures.most_dense, rows->rows);
  NsLocalChainCount(contact->chain, 1, result.iterations, rows->contacts);
  PetscFunctionReturn(0);
}
