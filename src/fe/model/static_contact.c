/*
  The static solution of models with solids and contacts (`start: static`): contacts may be closed, and may be what holds the model.

      K q = f(0) + M g + W_N lambda,     g_N(q) >= 0,   lambda >= 0,   g_N lambda = 0        without friction: tangential forces are zero at the start

  By active sets (primal-dual): contacts taken as closed have g = 0; one whose force pulls is opened, one that penetrates is closed, until nothing changes. With the closed rows W, whose gaps are
  linearised about the present q,

      (K + s W'W) q = f + W'(lambda + s b),   lambda += s (b - W q),   b = W q_now - g(q_now)

  to rounding (augmented Lagrangian: the error falls by a thousand each time, s being a thousand times the largest stiffness; the matrix is regular where contacts hold the model).

  M. Hintermueller, K. Ito, K. Kunisch, The primal-dual active set strategy as a semismooth Newton method, SIAM J. Optim. 13 (2003), 865-888.
*/
#include <petscksp.h>
#include "equilibrium.h"

#define NS_MOST_SETS    200 /* active sets that are tried */
#define NS_MOST_UPDATES 30  /* of the forces */
#define NS_SCALE        1e3 /* s over the largest stiffness */

typedef struct {
  NsFe      *fe;
  NsModel   *model;
  Mat        K;
  Vec        f, x, right; /* x: displacement by the loads, without those of `initial` */
  PetscReal *initial;     /* [unknowns] displacements of `initial` */
  PetscReal  scale, tolerance;
  PetscReal *gap, *b, *force; /* [candidates] */
  PetscBool *closed;          /* [candidates] */
} Problem;

PetscBool NsFeStaticsTouch(const NsFe *fe)
{
  PetscBool solids = PETSC_FALSE;

  for (PetscInt b = 0; b < fe->bodies; b++) solids = solids || fe->body[b].solid;
  return solids && fe->config->start == 1 && fe->config->contacts.count > 0 && fe->ranks == 1 && !NsFeIsNonlinear(fe);
}

/* Gap of a candidate at x, and its normal row in self->row. */
static PetscErrorCode look(Problem *self, PetscInt i)
{
  NsFe            *fe   = self->fe;
  const PetscReal *x    = NsVecRead(self->x);
  const NsPair    *pair = &fe->pair[i];

  PetscFunctionBegin;
  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
      const PetscInt at = pair->point[p]->touch[a], unknown = self->model->touch[at];
      fe->touch_q[at] = x[unknown] + self->initial[unknown];
    }
  }
  self->gap[i]     = pair->type->gap(pair, fe->touch_q, NULL);
  fe->one.rows     = 0;
  fe->one.first[0] = 0;
  PetscCall(pair->type->rows(pair, 0, fe->touch_q, &fe->one));
  PetscFunctionReturn(0);
}

/* w x of the normal row that `look` has made. */
static PetscReal along_row(const Problem *self, const PetscReal *x)
{
  const NsRows *row = &self->fe->one;
  PetscReal     sum = 0;

  for (PetscInt k = row->first[0]; k < row->first[1]; k++) sum += row->value[k] * x[self->model->touch[row->touch[k]]];
  return sum;
}

/* The matrix of the closed contacts, factored, and b. The rows stay those of this call: linearised gaps. */
static PetscErrorCode factor(Problem *self, Mat *A, KSP *ksp)
{
  PetscFunctionBegin;
  PetscCall(MatDuplicate(self->K, MAT_COPY_VALUES, A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    const NsRows *row = &self->fe->one;
    if (!self->closed[i]) continue;
    PetscCall(look(self, i));
    self->b[i] = along_row(self, NsVecRead(self->x)) - self->gap[i];
    for (PetscInt k = row->first[0]; k < row->first[1]; k++) {
      for (PetscInt j = row->first[0]; j < row->first[1]; j++)
        PetscCall(MatSetValue(
          *A, self->model->touch[row->touch[k]], self->model->touch[row->touch[j]], self->scale * row->value[k] * row->value[j], ADD_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(NsFeStaticSolver(*A, self->scale, ksp));
  PetscFunctionReturn(0);
}

/* One solution: x and forces for the closed contacts. Where contacts have fixed normals their rows do not change with x. */
static PetscErrorCode solve(Problem *self)
{
  Mat A;
  KSP ksp;
  Vec from; /* x about which gaps are linearised */

  PetscFunctionBegin;
  PetscCall(factor(self, &A, &ksp));
  PetscCall(VecDuplicate(self->x, &from));
  PetscCall(VecCopy(self->x, from));
  for (int update = 0; update < NS_MOST_UPDATES; update++) {
    PetscReal off = 0;
    PetscCall(VecCopy(self->f, self->right));
    PetscCall(VecCopy(from, self->x)); /* rows of `look` are those at `from` */
    PetscReal *right = NsVecArray(self->right);
    for (PetscInt i = 0; i < self->model->candidates; i++) {
      const NsRows *row = &self->fe->one;
      if (!self->closed[i]) continue;
      PetscCall(look(self, i));
      for (PetscInt k = row->first[0]; k < row->first[1]; k++)
        right[self->model->touch[row->touch[k]]] += row->value[k] * (self->force[i] + self->scale * self->b[i]);
    }
    PetscCall(KSPSolve(ksp, self->right, self->right));
    for (PetscInt i = 0; i < self->model->candidates; i++) {
      if (!self->closed[i]) continue;
      PetscCall(look(self, i));
      const PetscReal left = self->b[i] - along_row(self, NsVecRead(self->right));
      self->force[i] += self->scale * left;
      off = PetscMax(off, PetscAbsReal(left));
    }
    PetscCall(VecCopy(self->right, self->x));
    if (off <= 1e-3 * self->tolerance) break;
  }
  PetscCall(VecDestroy(&from));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

/* Closes what penetrates, opens what pulls; returns how many changed, or are closed and not at g = 0 yet (curved surfaces). */
static PetscErrorCode update_set(Problem *self, PetscInt *changed)
{
  PetscFunctionBegin;
  *changed = 0;
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscCall(look(self, i));
    const PetscBool was = self->closed[i];
    self->closed[i]     = was ? self->force[i] > 0 : self->gap[i] < -self->tolerance;
    if (!self->closed[i]) self->force[i] = 0;
    if (was != self->closed[i] || (was && PetscAbsReal(self->gap[i]) > self->tolerance)) ++*changed;
  }
  PetscFunctionReturn(0);
}

/* Whether K x = f + W'force holds: it does not where something is free to move. */
static PetscErrorCode is_balanced(Problem *self, PetscBool *balanced)
{
  PetscReal size, left;

  PetscFunctionBegin;
  PetscCall(MatMult(self->K, self->x, self->right));
  PetscCall(VecAXPY(self->right, -1, self->f));
  PetscReal *right = NsVecArray(self->right);
  PetscCall(VecNorm(self->f, NORM_INFINITY, &size));
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    const NsRows *row = &self->fe->one;
    if (!self->closed[i]) continue;
    PetscCall(look(self, i));
    size = PetscMax(size, self->force[i]);
    for (PetscInt k = row->first[0]; k < row->first[1]; k++) right[self->model->touch[row->touch[k]]] -= row->value[k] * self->force[i];
  }
  PetscCall(VecNorm(self->right, NORM_INFINITY, &left));
  *balanced = left <= 1e-6 * size;
  PetscFunctionReturn(0);
}

/* The contacts with the smallest gaps: where nothing else holds the model, they do. */
static PetscErrorCode first_set(Problem *self, PetscBool loose)
{
  PetscReal least = PETSC_MAX_REAL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscCall(look(self, i));
    least = PetscMin(least, self->gap[i]);
  }
  for (PetscInt i = 0; i < self->model->candidates; i++)
    self->closed[i] = loose ? self->gap[i] <= least + self->tolerance : self->gap[i] < -self->tolerance;
  PetscFunctionReturn(0);
}

static PetscErrorCode find(Problem *self, PetscBool loose)
{
  NsFe     *fe       = self->fe;
  PetscInt  changed  = 1;
  PetscBool balanced = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(first_set(self, loose));
  for (int set = 0; set < NS_MOST_SETS && changed; set++) {
    PetscCall(solve(self));
    PetscCall(update_set(self, &changed));
  }
  if (!changed) PetscCall(is_balanced(self, &balanced));
  if (balanced) PetscFunctionReturn(0);
  NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "start"),
    changed ? "`start: static` found no solution: which contacts are closed does not settle"
            : "`start: static` has no solution: supports, springs, bearings and contacts do not hold the whole model");
  NsDiagNote(
    fe->diag, "contacts have no friction in the static solution; hold the directions along their surfaces, such as symmetry planes, by supports");
  PetscFunctionReturn(0);
}

static PetscErrorCode penetrates(Problem *self, PetscBool *deep)
{
  PetscFunctionBegin;
  *deep = PETSC_FALSE;
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscCall(look(self, i));
    *deep = *deep || self->gap[i] < -self->tolerance;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeStaticContact(NsFe *fe, NsModel *model, PetscBool loose)
{
  Problem    self = {.fe = fe, .model = model, .x = fe->rest, .tolerance = 1e-12 * model->length_scale};
  Mat        M, C, G;
  PetscReal *speeds, *rates, largest;
  PetscBool  deep;

  PetscFunctionBegin;
  if (fe->balls) {
    NsDiagError(
      fe->diag, NsKeysPlace(fe->config->where, "start"), "`start: static` does not support balls that touch each other in a model with solids");
    PetscFunctionReturn(0);
  }
  PetscCall(PetscCalloc5(
    fe->unknowns, &self.initial, fe->unknowns, &rates, model->candidates, &self.gap, model->candidates, &self.b, model->candidates, &self.force));
  PetscCall(PetscCalloc2(model->candidates, &self.closed, fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = fe->body[b].is_rotor ? NsSpinAtStart(fe->body[b].spin) : 0;
  NsFeInitialValues(fe, self.initial, rates);
  PetscCall(penetrates(&self, &deep));
  if (loose || deep) {
    PetscCall(NsFeAssemble(fe, speeds, &M, &C, &G, &self.K));
    PetscCall(MatCreateVecs(self.K, &self.f, &self.right));
    NsFeStaticLoads(fe, NsVecArray(self.f));
    PetscCall(MatGetDiagonal(self.K, self.right));
    PetscCall(VecNorm(self.right, NORM_INFINITY, &largest));
    self.scale = NS_SCALE * largest;
    PetscCall(find(&self, loose));
    PetscCall(VecDestroy(&self.f));
    PetscCall(VecDestroy(&self.right));
    PetscCall(MatDestroy(&M));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&G));
    PetscCall(MatDestroy(&self.K));
  }
  PetscCall(PetscFree2(self.closed, speeds));
  PetscCall(PetscFree5(self.initial, rates, self.gap, self.b, self.force));
  PetscFunctionReturn(0);
}
