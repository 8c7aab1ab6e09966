/*
  The static solution of models with contacts (`start: static`, `start: static_friction`): contacts may be closed, and may be what holds the model; ties always are.

      K q = f(0) + M g + W lambda,     g_N(q) >= 0,   lambda_N >= 0,   g_N lambda_N = 0;     ties: g_N = 0, W_T' q = 0

  `static`: tangential forces are zero. `static_friction`: contacts stick at the place where they are, W_T'(q - q_last) = 0, or slip with |lambda_T| = mu lambda_N against their slip since q_last. The loads are
  brought up in steps, for friction depends on the path; q_last is the solution of the step before.

  By active sets (primal-dual): contacts taken as closed have g = 0; one whose force pulls is opened, one that penetrates is closed, one whose friction force is too large slips, one that slips the
  way its friction force pushes sticks, until nothing changes. With the rows W of what is closed or sticks, whose gaps are linearised about the present q,

      (K + s W'W) q = f + W'(lambda + s b),   lambda += s (b - W q),   b = W q_now - g(q_now)

  On curved surfaces the normal turns with q: Newton's method adds -lambda_N g_qq to K, and -lambda_N g_qq q_now to f. Along the bore of a bearing this is the stiffness of a pendulum, lambda_N/clearance, and may be
  all that holds a journal. Until lambda_N is known, the sum of all loads is used in its place: this makes steps short.

  The equations hold to rounding (augmented Lagrangian: the error falls by a thousand each time, s being a thousand times the largest stiffness; the matrix is regular where contacts hold the model).

  M. Hintermueller, K. Ito, K. Kunisch, The primal-dual active set strategy as a semismooth Newton method, SIAM J. Optim. 13 (2003), 865-888.
*/
#include <petscksp.h>
#include "equilibrium.h"

#define NS_MOST_SETS    200  /* active sets that are tried */
#define NS_LOAD_STEPS   10   /* of `static_friction` */
#define NS_MOST_UPDATES 30   /* of the forces */
#define NS_SCALE        1e3  /* s over the largest stiffness */
#define NS_SOFTEST      1e10 /* the largest stiffness over that of a motion that is held */

/* Of a slipping contact in space: see set_turn. */
typedef struct {
  PetscReal kappa, p[2];
} Turn;

typedef struct {
  NsFe      *fe;
  NsModel   *model;
  Mat        K;
  Vec        f, x, right;            /* x: displacement due to the loads, without that of `initial` */
  PetscReal *initial;                /* [unknowns] displacements of `initial` */
  PetscReal *turning;                /* [unknowns] -lambda_N g_qq q_now of all closed contacts */
  PetscReal  scale, tolerance, load; /* load: sum of all forces in f */
  PetscReal *gap;                    /* [candidates] */
  PetscReal (*b)[3], (*force)[3];    /* [candidates] of its rows */
  PetscReal (*last)[2];              /* [candidates] W_T' x of the load step before */
  PetscBool *closed, *slips;         /* [candidates] */
  Turn      *turn;                   /* [candidates] */
  PetscBool  rubs;                   /* `static_friction` */
  PetscInt   behind;                 /* a candidate that is deeper than its faces are large, without contact forces; -1: none */
  PetscReal  depth;                  /* m: of that */
} Problem;

/* A force element that is nonlinear at the start; those that act for a part of the run count as they are at t = 0. NULL: none. */
static const NsForceElement *first_nonlinear(const NsFe *fe)
{
  for (PetscInt k = 0; k < fe->force_elements; k++) {
    if (NsFeForceLaw(&fe->force[k]) && !NsFeForceIsSwitchedLinear(&fe->force[k])) return &fe->force[k];
  }
  return NULL;
}

static PetscBool may_touch(const NsFe *fe)
{
  return fe->config->start->state > 0 && fe->config->contacts.count + fe->config->ties.count > 0;
}

PetscBool NsFeStaticsTouch(const NsFe *fe)
{
  return may_touch(fe) && fe->ranks == 1 && !first_nonlinear(fe);
}

void NsFeNoteStaticsApart(const NsFe *fe)
{
  if (!may_touch(fe) || NsFeStaticsTouch(fe)) return;
  const NsForceElement *force = first_nonlinear(fe);
  if (force)
    NsDiagNote(fe->diag, "contacts take no part in this static solution, because the %s '%s' is nonlinear", force->type->kind, force->name);
  else
    NsDiagNote(fe->diag, "contacts take no part in this static solution on several processes: run on one");
}

/* w x of a row that `look` has made. */
static PetscReal along_row(const Problem *self, PetscInt r, const PetscReal *x)
{
  const NsRows *row = &self->fe->one;
  PetscReal     sum = 0;

  for (PetscInt k = row->first[r]; k < row->first[r + 1]; k++) sum += row->value[k] * x[self->model->touch[row->touch[k]]];
  return sum;
}

/* Gap of a candidate at x, and its normal row in self->row. Of finite sliding (surface/sliding.h) linearised about the undeformed bodies: the indentation that a body makes must not hold it. */
static PetscErrorCode look(Problem *self, PetscInt i)
{
  NsFe            *fe   = self->fe;
  const PetscReal *x    = NsVecRead(self->x);
  const NsPair    *pair = &fe->pair[i];

  PetscFunctionBegin;
  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
      const PetscInt at = pair->point[p]->touch[a], unknown = self->model->touch[at];
      fe->touch_q[at] = (pair->type->others ? 0 : x[unknown]) + self->initial[unknown];
    }
  }
  self->gap[i] = NsIsOff(self->model->candidate[i].off) || NsCandidateResists(&self->model->candidate[i]) ? PETSC_MAX_REAL
                                                                                                          : pair->type->gap(pair, fe->touch_q, NULL);
  PetscCall(NsFeRowsOf(fe, i, 0, fe->touch_q));
  if (pair->type->others) self->gap[i] += along_row(self, 0, x);
  PetscFunctionReturn(0);
}

/* Rows of a candidate that are equations: of what is closed the normal; its tangents, where it is tied or sticks. */
static PetscInt equations_of(const Problem *self, PetscInt i)
{
  const NsCandidate *candidate = &self->model->candidate[i];

  if (!self->closed[i]) return 0;
  return candidate->bilateral || (self->rubs && candidate->law.friction > 0 && !self->slips[i]) ? candidate->directions : 1;
}

/* w' f += factor of a row. */
static void add_row(const Problem *self, PetscInt r, PetscReal factor, PetscReal *f)
{
  const NsRows *row = &self->fe->one;

  for (PetscInt k = row->first[r]; k < row->first[r + 1]; k++) f[self->model->touch[row->touch[k]]] += row->value[k] * factor;
}

/*
  Newton's method for the direction of slip in space, s = W_T' (q - q_last):  lambda_T = -mu lambda_N s/|s|  about a slip along -lambda_T is  lambda_T - kappa p p' s  with p across lambda_T and
  kappa = mu lambda_N/|s|, a stiffness, which is at most that of sticking.
*/
static void set_turn(Problem *self, PetscInt i)
{
  const PetscReal *force = self->force[i], size = PetscSqrtReal(PetscSqr(force[1]) + PetscSqr(force[2]));
  PetscReal        slip = 0;

  self->turn[i].kappa = 0;
  if (!self->slips[i] || self->model->candidate[i].directions < 3 || size == 0) return;
  for (int r = 1; r < 3; r++) slip += PetscSqr(along_row(self, r, NsVecRead(self->x)) - self->last[i][r - 1]);
  self->turn[i] = (Turn){PetscMin(size / PetscMax(PetscSqrtReal(slip), size / self->scale), self->scale), {-force[2] / size, force[1] / size}};
}

/* kappa p p' s of the candidate at x, along its tangents. */
static void turned(const Problem *self, PetscInt i, const PetscReal *x, PetscReal along[2])
{
  const Turn *turn   = &self->turn[i];
  PetscReal   across = 0;

  along[0] = along[1] = 0;
  if (turn->kappa == 0) return;
  for (int r = 0; r < 2; r++) across += turn->p[r] * ((x ? along_row(self, r + 1, x) : 0) - self->last[i][r]);
  for (int r = 0; r < 2; r++) along[r] = turn->kappa * turn->p[r] * across;
}

/* A += factor w_r w_s', of rows that `look` has made. */
static PetscErrorCode add_square(const Problem *self, PetscInt r, PetscInt s, PetscReal factor, Mat A)
{
  const NsRows   *row   = &self->fe->one;
  const PetscInt *touch = self->model->touch;

  PetscFunctionBegin;
  for (PetscInt k = row->first[r]; k < row->first[r + 1]; k++) {
    for (PetscInt j = row->first[s]; j < row->first[s + 1]; j++)
      PetscCall(MatSetValue(A, touch[row->touch[k]], touch[row->touch[j]], factor * row->value[k] * row->value[j], ADD_VALUES));
  }
  PetscFunctionReturn(0);
}

/* v'g_qq v of a candidate at the place of `look`, with the rate v at two of its touched unknowns. */
static PetscReal bent(const Problem *self, const NsPair *pair, PetscInt one, PetscInt other)
{
  PetscReal *v = self->fe->touch_v, moving[3], still[3];

  pair->type->rate(pair, 0, self->fe->touch_q, v, still); /* a surface that moves */
  v[one] = v[other] = 1;
  pair->type->rate(pair, 0, self->fe->touch_q, v, moving);
  v[one] = v[other] = 0;
  return moving[0] - still[0];
}

/* -lambda_N g_qq of a closed contact into A and self->turning, after `look`. g_qq from its quadratic form over the touched unknowns, which are few. */
static PetscErrorCode add_curvature(Problem *self, PetscInt i, Mat A)
{
  const NsPair    *pair  = &self->fe->pair[i];
  const PetscReal *x     = NsVecRead(self->x);
  const PetscReal  force = self->force[i][0] > 0 ? self->force[i][0] : self->load;
  PetscInt         touch[2 * NS_POINT_UNKNOWNS], n = 0;
  PetscReal        own[2 * NS_POINT_UNKNOWNS];

  PetscFunctionBegin;
  if (pair->type->flat || pair->type->others || !pair->type->rate || self->model->candidate[i].bilateral) PetscFunctionReturn(0);
  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
      PetscInt k = 0;
      while (k < n && touch[k] != pair->point[p]->touch[a]) k++;
      if (k == n) touch[n++] = pair->point[p]->touch[a];
    }
  }
  for (PetscInt a = 0; a < n; a++) self->fe->touch_v[touch[a]] = 0;
  for (PetscInt a = 0; a < n; a++) own[a] = bent(self, pair, touch[a], touch[a]);
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt b = 0; b < n; b++) {
      const PetscReal curvature = a == b ? own[a] : (bent(self, pair, touch[a], touch[b]) - own[a] - own[b]) / 2;
      const PetscInt  row = self->model->touch[touch[a]], column = self->model->touch[touch[b]];
      if (curvature == 0) continue;
      PetscCall(MatSetValue(A, row, column, -force * curvature, ADD_VALUES));
      self->turning[row] -= force * curvature * x[column];
    }
  }
  PetscFunctionReturn(0);
}

/* The matrix of the closed contacts, factored, and b. The rows stay those of this call: linearised gaps. */
static PetscErrorCode factor(Problem *self, Mat *A, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(self->K, MAT_COPY_VALUES, A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PetscArrayzero(self->turning, self->fe->unknowns));
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    if (!self->closed[i]) continue;
    PetscCall(look(self, i));
    set_turn(self, i);
    PetscCall(add_curvature(self, i, *A));
    self->b[i][0] = along_row(self, 0, NsVecRead(self->x)) - self->gap[i];
    for (PetscInt r = 1; r < equations_of(self, i); r++) self->b[i][r] = self->last[i][r - 1];
    for (PetscInt r = 0; r < equations_of(self, i); r++) PetscCall(add_square(self, r, r, self->scale, *A));
    for (int k = 0; k < 4 && self->turn[i].kappa > 0; k++)
      PetscCall(add_square(self, 1 + k / 2, 1 + k % 2, self->turn[i].kappa * self->turn[i].p[k / 2] * self->turn[i].p[k % 2], *A));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(NsFeStaticSolver(*A, self->scale, ksp));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-16)); /* over the row's sum, in which s is: pivots of K alone are a thousandth of it and less */
  PetscFunctionReturn(0);
}

/* |lambda_T| = mu lambda_N in the direction that it has; returns the change. */
static PetscReal rescale(Problem *self, PetscInt i)
{
  PetscReal      *force  = self->force[i];
  const PetscReal size   = PetscSqrtReal(PetscSqr(force[1]) + PetscSqr(force[2])),
                  wanted = self->model->candidate[i].law.friction * PetscMax(0, force[0]);

  for (int r = 1; r < 3 && size > 0; r++) force[r] *= wanted / size;
  return PetscAbsReal(wanted - size);
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
    for (PetscInt i = 0; i < self->fe->unknowns; i++) right[i] += self->turning[i];
    for (PetscInt i = 0; i < self->model->candidates; i++) {
      const PetscInt equations = equations_of(self, i);
      PetscReal      along[2];
      if (!self->closed[i]) continue;
      PetscCall(look(self, i));
      turned(self, i, NULL, along);
      for (PetscInt r = 0; r < self->model->candidate[i].directions; r++)
        add_row(self, r, self->force[i][r] + (r < equations ? self->scale * self->b[i][r] : r > 0 ? -along[r - 1] : 0), right);
    }
    PetscCall(KSPSolve(ksp, self->right, self->right));
    for (PetscInt i = 0; i < self->model->candidates; i++) {
      if (!self->closed[i]) continue;
      PetscCall(look(self, i));
      for (PetscInt r = 0; r < equations_of(self, i); r++) {
        const PetscReal left = self->b[i][r] - along_row(self, r, NsVecRead(self->right));
        self->force[i][r] += self->scale * left;
        off = PetscMax(off, PetscAbsReal(left));
      }
      if (self->slips[i]) off = PetscMax(off, rescale(self, i) / self->scale);
    }
    PetscCall(VecCopy(self->right, self->x));
    if (off <= 1e-3 * self->tolerance) break;
  }
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscReal along[2];
    if (!self->closed[i] || self->turn[i].kappa == 0) continue;
    PetscCall(look(self, i));
    turned(self, i, NsVecRead(self->x), along);
    for (int r = 1; r < 3; r++) self->force[i][r] -= along[r - 1];
    (void)rescale(self, i);
  }
  PetscCall(VecDestroy(&from));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

/* Friction of a closed contact: whether it changes between stick and slip, or its direction is not that of the slip yet. */
static PetscBool update_friction(Problem *self, PetscInt i)
{
  const NsCandidate *candidate = &self->model->candidate[i];
  PetscReal         *force = self->force[i], slip[2] = {0, 0}, size = 0;

  if (!self->rubs || candidate->bilateral || candidate->law.friction == 0 || candidate->directions == 1) return PETSC_FALSE;
  const PetscReal most = candidate->law.friction * PetscMax(0, force[0]), now = PetscSqrtReal(PetscSqr(force[1]) + PetscSqr(force[2]));
  if (!self->slips[i]) {
    if (now <= most * (1 + 1e-9)) return PETSC_FALSE;
    self->slips[i] = PETSC_TRUE;
    (void)rescale(self, i);
    return PETSC_TRUE;
  }
  for (PetscInt r = 1; r < candidate->directions; r++) slip[r - 1] = along_row(self, r, NsVecRead(self->x)) - self->last[i][r - 1];
  size = PetscSqrtReal(PetscSqr(slip[0]) + PetscSqr(slip[1]));
  if (slip[0] * force[1] + slip[1] * force[2] > 1e-9 * now * size && size > self->tolerance) {
    self->slips[i] = PETSC_FALSE; /* it slips the way its friction force pushes */
    return PETSC_TRUE;
  }
  if (candidate->directions < 3 || size <= self->tolerance) return PETSC_FALSE;
  return PetscAbsReal(slip[0] * force[2] - slip[1] * force[1]) > 1e-7 * size * now;
}

/* Closes what penetrates, opens what pulls; returns how many changed, or are closed and not at g = 0 yet (curved surfaces). */
static PetscErrorCode update_set(Problem *self, PetscInt *changed)
{
  PetscFunctionBegin;
  *changed = 0;
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscCall(look(self, i));
    const PetscBool was = self->closed[i];
    self->closed[i]     = self->model->candidate[i].bilateral || (was ? self->force[i][0] > 0 : self->gap[i] < -self->tolerance);
    if (!self->closed[i]) self->slips[i] = PETSC_FALSE;
    for (int r = 0; r < 3 && !self->closed[i]; r++) self->force[i][r] = 0;
    if (was != self->closed[i] || (was && PetscAbsReal(self->gap[i]) > self->tolerance)) ++*changed;
    if (was && self->closed[i] && update_friction(self, i)) ++*changed;
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
    if (!self->closed[i]) continue;
    PetscCall(look(self, i));
    for (PetscInt r = 0; r < self->model->candidate[i].directions; r++) {
      size = PetscMax(size, PetscAbsReal(self->force[i][r]));
      add_row(self, r, -self->force[i][r], right);
    }
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
    if (!self->model->candidate[i].bilateral) least = PetscMin(least, self->gap[i]);
  }
  for (PetscInt i = 0; i < self->model->candidates; i++)
    self->closed[i] = self->model->candidate[i].bilateral || (loose ? self->gap[i] <= least + self->tolerance : self->gap[i] < -self->tolerance);
  PetscFunctionReturn(0);
}

/* Places along the tangents from which the next load step slips. */
static PetscErrorCode keep_places(Problem *self)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscCall(look(self, i));
    for (PetscInt r = 1; r < self->model->candidate[i].directions; r++) self->last[i][r - 1] = along_row(self, r, NsVecRead(self->x));
  }
  PetscFunctionReturn(0);
}

static PetscBool rubs(const NsModel *model)
{
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].law.friction > 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether a motion is unrestrained although the loads do not excite it: then an unsymmetric test load causes large displacements. */
static PetscErrorCode is_free(Problem *self, PetscBool *found)
{
  Mat       A;
  KSP       ksp;
  Vec       x;
  PetscReal most;

  PetscFunctionBegin;
  PetscCall(factor(self, &A, &ksp));
  PetscCall(VecDuplicate(self->x, &x));
  PetscReal *right = NsVecArray(self->right);
  for (PetscInt i = 0; i < self->fe->unknowns; i++) right[i] = PetscSinReal(1 + 1.7 * (PetscReal)i);
  PetscCall(KSPSolve(ksp, self->right, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &most));
  *found = !(most * self->scale / NS_SCALE < NS_SOFTEST);
  PetscCall(VecDestroy(&x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

/* A journal in the middle of its bore has no normal: springs of the stiffness load/clearance in place of the contacts bring it to the side that the loads press it to. */
static PetscErrorCode approach(Problem *self)
{
  PetscBool any = PETSC_FALSE;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(self->K, MAT_COPY_VALUES, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    const NsPair      *pair  = &self->fe->pair[i];
    const NsPairPoint *point = pair->point[0];
    if (pair->type->flat || pair->type->others || !(self->model->candidate[i].clearance < PETSC_MAX_REAL)) continue;
    any = PETSC_TRUE;
    for (PetscInt a = 0; a < point->unknowns; a++) {
      for (PetscInt b = 0; b < point->unknowns; b++) {
        PetscCall(MatSetValue(A, self->model->touch[point->touch[a]], self->model->touch[point->touch[b]],
          self->load / self->model->candidate[i].clearance * NsDot3(point->move[a], point->move[b]), ADD_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  if (any && self->load > 0) PetscCall(NsFeSolveStatic(A, self->scale / NS_SCALE, self->f, self->x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscErrorCode find(Problem *self, PetscBool loose)
{
  char      name[NS_CANDIDATE_NAME];
  NsFe     *fe       = self->fe;
  const int steps    = self->rubs ? NS_LOAD_STEPS : 1;
  PetscInt  changed  = 1;
  PetscBool balanced = PETSC_FALSE, free_motion = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(VecNorm(self->f, NORM_1, &self->load));
  if (loose && !self->rubs) PetscCall(approach(self));
  PetscCall(first_set(self, loose));
  for (int step = 1; step <= steps; step++) {
    changed = self->scale == 0 ? 0 : 1; /* no stiffness at all: nothing to solve */
    PetscCall(VecScale(self->f, step == 1 ? 1. / steps : (double)step / (step - 1)));
    PetscCall(VecNorm(self->f, NORM_1, &self->load));
    for (int set = 0; set < NS_MOST_SETS && changed; set++) {
      PetscCall(solve(self));
      PetscCall(update_set(self, &changed));
    }
    if (changed) break;
    PetscCall(keep_places(self));
  }
  if (!changed && self->scale > 0) PetscCall(is_balanced(self, &balanced));
  if (balanced && loose && !NsFeHasSolids(fe)) PetscCall(is_free(self, &free_motion)); /* solids that may slide stay where they are */
  if (balanced && !free_motion) PetscFunctionReturn(0);
  NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "start"),
    changed ? "`start: %s` found no solution: which contacts are closed does not settle"
            : "`start: %s` has no solution: supports, springs, bearings and contacts do not hold the whole model",
    NsStartWord(fe->config->start->state));
  if (self->behind >= 0) {
    NsDiagNote(fe->diag, "without contact forces, the surfaces of '%s' overlap by %.3g m, more than the size of their faces",
      NsCandidateName(&self->model->candidate[self->behind], name), self->depth);
    NsDiagNote(fe->diag, "name the sides that face each other, or move the bodies apart");
  }
  if (self->rubs)
    NsDiagNote(fe->diag, "friction cannot carry the loads along the surfaces; hold these directions by supports");
  else
    NsDiagNote(fe->diag,
      "contacts have no friction in the static solution; hold the directions along their surfaces, such as symmetry planes, by supports%s",
      rubs(self->model) ? ", or write `start: static_friction`" : "");
  PetscFunctionReturn(0);
}

static PetscErrorCode penetrates(Problem *self, PetscBool *deep)
{
  PetscFunctionBegin;
  *deep = PETSC_FALSE;
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    PetscCall(look(self, i));
    *deep = *deep || self->model->candidate[i].bilateral || self->gap[i] < -self->tolerance;
    if (self->model->candidate[i].face <= 0 || self->gap[i] >= -PetscMax(self->model->candidate[i].face, self->depth)) continue;
    self->behind = i;
    self->depth  = -self->gap[i];
  }
  PetscFunctionReturn(0);
}

/* K at the start, with what holds twists of free spin; f. */
static PetscErrorCode assemble(Problem *self)
{
  NsFe      *fe = self->fe;
  Mat        M, C, G;
  Vec        zero, held;
  PetscReal *speeds, largest;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = fe->body[b].is_rotor ? NsSpinAtStart(fe->body[b].spin) : 0;
  PetscCall(NsFeAssemble(fe, speeds, &M, &C, &G, &self->K));
  PetscCall(MatCreateVecs(self->K, &self->f, &self->right));
  PetscCall(VecDuplicate(self->f, &zero));
  PetscCall(VecDuplicate(self->f, &held));
  NsFeStaticLoads(fe, NsVecArray(self->f));
  PetscCall(MatGetDiagonal(self->K, self->right));
  PetscCall(VecNorm(self->right, NORM_INFINITY, &largest));
  self->scale = NS_SCALE * largest;
  PetscCall(NsFeHoldTwists(fe, largest, self->K, zero, self->right, held));
  PetscCall(VecDestroy(&zero));
  PetscCall(VecDestroy(&held));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(PetscFree(speeds));
  PetscFunctionReturn(0);
}

/*
  The state at the start has gaps of rounding and, of finite sliding, of second order of the displacements: closed contacts get them as offset, so that they are closed in the first step, too. Of `sliding`, the
  faces are those at the start afterwards.
*/
static void close_gaps(Problem *self)
{
  NsFe            *fe    = self->fe;
  const PetscReal *x     = NsVecRead(self->x);
  const PetscInt  *touch = self->model->touch;

  for (PetscInt k = 0; k < self->model->touches; k++) fe->touch_q[k] = x[touch[k]] + self->initial[touch[k]];
  NsFeSlidingAt(fe, fe->touch_q, self->model->touches);
  for (PetscInt i = 0; i < self->model->candidates; i++) {
    NsPair *pair = &fe->pair[i];
    if (self->closed[i] && !self->model->candidate[i].bilateral) pair->offset -= pair->type->gap(pair, fe->touch_q, NULL);
    if (NsCandidateResists(&self->model->candidate[i])) pair->offset = fe->pair[i - self->model->candidate[i].carriers + 1].offset;
  }
}

PetscErrorCode NsFeStaticContact(NsFe *fe, NsModel *model, PetscBool loose)
{
  Problem    self = {.fe = fe, .model = model, .x = fe->rest, .tolerance = 1e-12 * model->length_scale, .behind = -1};
  PetscReal *rates;
  PetscBool  deep;

  PetscFunctionBegin;
  if (fe->balls && (loose || NsFeHasSolids(fe)))
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "start"), "`start: %s` does not support balls that touch each other in a model with solids",
      NsStartWord(fe->config->start->state));
  if (fe->balls) PetscFunctionReturn(0);
  self.rubs = fe->config->start->state == NS_START_STATIC_FRICTION;
  PetscCall(PetscCalloc6(fe->unknowns, &self.initial, fe->unknowns, &rates, model->candidates, &self.gap, model->candidates, &self.b,
    model->candidates, &self.force, model->candidates, &self.last));
  PetscCall(
    PetscCalloc4(model->candidates, &self.closed, model->candidates, &self.slips, model->candidates, &self.turn, fe->unknowns, &self.turning));
  NsFeInitialValues(fe, self.initial, rates);
  for (PetscInt k = 0; k < model->touches; k++) fe->touch_q[k] = self.initial[model->touch[k]];
  NsFeSlidingAt(fe, fe->touch_q, model->touches);
  PetscCall(penetrates(&self, &deep));
  if (loose || deep) {
    PetscCall(assemble(&self));
    PetscCall(find(&self, loose));
    if (!NsDiagErrors(fe->diag)) close_gaps(&self);
    PetscCall(VecDestroy(&self.f));
    PetscCall(VecDestroy(&self.right));
    PetscCall(MatDestroy(&self.K));
  }
  fe->rest_force = NsArenaAlloc(fe->arena, sizeof(*fe->rest_force) * (size_t)(model->candidates + 1));
  for (PetscInt i = 0; i < model->candidates; i++) PetscCall(PetscArraycpy(fe->rest_force[i], self.force[i], 3));
  PetscCall(PetscFree4(self.closed, self.slips, self.turn, self.turning));
  PetscCall(PetscFree6(self.initial, rates, self.gap, self.b, self.force, self.last));
  PetscFunctionReturn(0);
}
