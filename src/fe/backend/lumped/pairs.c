/*
  Forces of solid elements that all differ, by pairs of nodes: their stiffness matrices are assembled, and what two nodes share is used for both.

      f_i = -sum_j K_ij (w_j - w_i) - R_i w_i,     R_i = sum_j K_ij, the force of a rigid displacement: zero but along r of an axisymmetric body

  Differences have all their digits after long flights. A pair takes d d + 1 numbers; of a mesh of hexahedra there are 13 pairs an element, 1 kB instead of 4.6 kB for matrices of their own.

  Pairs are taken in the order of the model's nodes, and K_ij is summed in the order of its elements: the same numbers in the same order on any number of processes.
*/
#include "fe/elements/solid.h"
#include "lumped.h"

/* ------------------------------------------------------------------ set-up */

static int compare_cells(const void *a, const void *b)
{
  const NsSolidCell *const *x = a, *const *y = b;

  return (*x > *y) - (*x < *y);
}

PetscErrorCode NsPairsSuit(const NsFe *fe, const NsFeBody *body, PetscBool *result)
{
  const PetscInt      n     = body->mesh->elements;
  PetscInt            kinds = n > 0 ? 1 : 0;
  const NsSolidCell **cell;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &cell));
  for (PetscInt i = 0; i < n; i++) cell[i] = NsSolidCellOf(&fe->element[body->first_element + i]);
  qsort((void *)cell, (size_t)n, sizeof(const NsSolidCell *), compare_cells);
  for (PetscInt i = 1; i < n; i++) kinds += cell[i] != cell[i - 1];
  *result = kinds > n / 4;
  PetscCall(PetscFree(cell));
  PetscFunctionReturn(0);
}

typedef struct {
  const NsFe     *fe;
  const NsFeBody *body;
  PetscInt        members;
  const PetscInt *member;
  const int      *entry; /* of the model's nodes */
  NsPairs        *pairs;
  int            *row_of;      /* [nodes of the body] */
  int            *first, *own; /* members at row r: own[first[r]] ... own[first[r + 1] - 1] */
} Setup;

static const NsFeElement *element_at(const Setup *self, PetscInt m)
{
  return &self->fe->element[self->body->first_element + self->member[m]];
}

static PetscErrorCode find_rows(Setup *self)
{
  const PetscInt nodes = self->body->mesh->nodes, corners = self->body->element->nodes;
  NsPairs       *pairs = self->pairs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nodes, &self->row_of));
  for (PetscInt i = 0; i < nodes; i++) self->row_of[i] = -1;
  for (PetscInt m = 0; m < self->members; m++) {
    for (PetscInt k = 0; k < corners; k++) self->row_of[element_at(self, m)->node[k] - self->body->first_node] = 0;
  }
  for (PetscInt i = 0; i < nodes; i++) self->row_of[i] = self->row_of[i] < 0 ? -1 : (int)pairs->rows++;
  PetscCall(PetscMalloc1(pairs->rows, &pairs->entry));
  PetscCall(PetscCalloc1(pairs->rows + 1, &self->first));
  for (PetscInt i = 0; i < nodes; i++) {
    if (self->row_of[i] >= 0) pairs->entry[self->row_of[i]] = self->entry[self->body->first_node + i];
  }
  for (PetscInt m = 0; m < self->members; m++) {
    for (PetscInt k = 0; k < corners; k++) self->first[self->row_of[element_at(self, m)->node[k] - self->body->first_node] + 1]++;
  }
  for (PetscInt r = 0; r < pairs->rows; r++) self->first[r + 1] += self->first[r];
  PetscCall(PetscMalloc1(self->first[pairs->rows], &self->own));
  for (PetscInt m = self->members - 1; m >= 0; m--) { /* filled from behind: first[r + 1] moves to first[r] of the next row */
    for (PetscInt k = 0; k < corners; k++) self->own[--self->first[self->row_of[element_at(self, m)->node[k] - self->body->first_node] + 1]] = (int)m;
  }
  for (PetscInt r = 0; r < pairs->rows; r++) self->first[r] = self->first[r + 1];
  self->first[pairs->rows] = (int)(self->members * corners);
  PetscFunctionReturn(0);
}

static int compare_rows(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* Rows above r that share a member with it, ascending; mark[rows] < r before, r where found. Returns their number. */
static PetscInt rows_beside(const Setup *self, PetscInt r, int *mark, int *found)
{
  PetscInt count = 0;

  for (PetscInt k = self->first[r]; k < self->first[r + 1]; k++) {
    const NsFeElement *e = element_at(self, self->own[k]);
    for (PetscInt a = 0; a < self->body->element->nodes; a++) {
      const int row = self->row_of[e->node[a] - self->body->first_node];
      if (row <= r || mark[row] == r) continue;
      mark[row]      = (int)r;
      found[count++] = row;
    }
  }
  qsort(found, (size_t)count, sizeof(*found), compare_rows);
  return count;
}

/* `other` holds rows, which NsPairsCreate replaces with entries once the matrices are summed. */
static PetscErrorCode find_pairs(Setup *self)
{
  NsPairs *pairs = self->pairs;
  int     *mark, *found;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(pairs->rows, &mark, pairs->rows, &found));
  PetscCall(PetscMalloc1(pairs->rows + 1, &pairs->start));
  for (int pass = 0; pass < 2; pass++) {
    PetscInt count = 0;
    for (PetscInt r = 0; r < pairs->rows; r++) mark[r] = -1;
    for (PetscInt r = 0; r < pairs->rows; r++) {
      const PetscInt n = rows_beside(self, r, mark, found);
      pairs->start[r]  = (int)count;
      for (PetscInt k = 0; pass && k < n; k++) pairs->other[count + k] = found[k];
      count += n;
    }
    pairs->start[pairs->rows] = (int)count;
    if (!pass) PetscCall(PetscMalloc1(count, &pairs->other));
  }
  PetscCall(PetscFree2(mark, found));
  PetscFunctionReturn(0);
}

static PetscReal *block_of(NsPairs *pairs, int row, int other)
{
  int low = pairs->start[row], high = pairs->start[row + 1] - 1;

  while (low < high) {
    const int middle = (low + high) / 2;
    if (pairs->other[middle] < other)
      low = middle + 1;
    else
      high = middle;
  }
  return pairs->K + (size_t)low * (size_t)(pairs->d * pairs->d);
}

static void add_matrix(Setup *self, const NsFeElement *e, const PetscReal *X)
{
  NsPairs       *pairs = self->pairs;
  const PetscInt d = pairs->d, nodes = self->body->element->nodes, n = nodes * d;

  for (PetscInt a = 0; a < nodes; a++) {
    const int row = self->row_of[e->node[a] - self->body->first_node];
    for (PetscInt b = 0; b < nodes; b++) {
      const int  other = self->row_of[e->node[b] - self->body->first_node];
      PetscReal *K     = other > row ? block_of(pairs, row, other) : NULL;
      for (PetscInt i = 0; i < d; i++) {
        for (PetscInt j = 0; j < d && K; j++) K[i * d + j] += X[(a * d + i) * n + b * d + j];
        if (pairs->hoop) pairs->hoop[row * d + i] += X[(a * d + i) * n + b * d];
      }
    }
  }
}

PetscErrorCode NsPairsCreate(const NsFe *fe, const NsFeBody *body, PetscInt members, const PetscInt *member, const int *entry, NsPairs **result)
{
  const PetscInt     d    = body->node_unknowns;
  Setup              self = {.fe = fe, .body = body, .members = members, .member = member, .entry = entry};
  const NsSolidCell *last = NULL;
  PetscReal          X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(PetscNew(result));
  NsPairs *pairs = self.pairs = *result;
  pairs->d                    = d;
  PetscCall(find_rows(&self));
  PetscCall(find_pairs(&self));
  PetscCall(PetscCalloc1((size_t)pairs->start[pairs->rows] * (size_t)(d * d), &pairs->K));
  if (body->solid->state == NS_SOLID_AXISYMMETRIC) PetscCall(PetscCalloc1((size_t)pairs->rows * (size_t)d, &pairs->hoop));
  for (PetscInt m = 0; m < members; m++) {
    const NsFeElement *e = element_at(&self, m);
    if (NsSolidCellOf(e) != last) body->element->stiffness(body, e, X);
    last = NsSolidCellOf(e);
    add_matrix(&self, e, X);
  }
  for (PetscInt k = 0; k < pairs->start[pairs->rows]; k++) pairs->other[k] = pairs->entry[pairs->other[k]];
  PetscCall(PetscFree(self.row_of));
  PetscCall(PetscFree(self.first));
  PetscCall(PetscFree(self.own));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPairsDestroy(NsPairs **pairs)
{
  PetscFunctionBegin;
  if (!*pairs) PetscFunctionReturn(0);
  PetscCall(PetscFree((*pairs)->entry));
  PetscCall(PetscFree((*pairs)->start));
  PetscCall(PetscFree((*pairs)->other));
  PetscCall(PetscFree((*pairs)->K));
  PetscCall(PetscFree((*pairs)->hoop));
  PetscCall(PetscFree(*pairs));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ forces */

static inline __attribute__((always_inline)) void add_pairs(
  const PetscInt d, const NsPairs *pairs, const PetscReal *restrict motion, PetscReal *restrict force)
{
  for (PetscInt r = 0; r < pairs->rows; r++) {
    const PetscReal *here = motion + pairs->entry[r], *K = pairs->K + (size_t)pairs->start[r] * (size_t)(d * d);
    PetscReal        sum[3] = {0, 0, 0};
    for (int k = pairs->start[r]; k < pairs->start[r + 1]; k++, K += d * d) {
      const PetscReal *restrict there = motion + pairs->other[k];
      PetscReal *restrict f           = force + pairs->other[k];
      PetscReal w[3], t[3] = {0, 0, 0};
      for (PetscInt i = 0; i < d; i++) w[i] = there[i] - here[i];
      for (PetscInt i = 0; i < d; i++) {
        for (PetscInt j = 0; j < d; j++) {
          sum[i] += K[i * d + j] * w[j];
          t[j] += K[i * d + j] * w[i];
        }
      }
      for (PetscInt j = 0; j < d; j++) f[j] += t[j];
    }
    for (PetscInt i = 0; i < d; i++) force[pairs->entry[r] + i] -= sum[i] + (pairs->hoop ? pairs->hoop[r * d + i] * here[0] : 0);
  }
}

NS_FOR_EACH_PROCESSOR
void NsPairsAdd(const NsPairs *pairs, const PetscReal *motion, PetscReal *force)
{
  if (pairs->d == 2)
    add_pairs(2, pairs, motion, force);
  else
    add_pairs(3, pairs, motion, force);
}
