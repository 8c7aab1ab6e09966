/*
  Semismooth Newton on the Alart-Curnier equations (Alart & Curnier 1991; [A] Sec. 5).  With w = b + G P, x = P - r w:

      normal     F_N = P_N - max(0, x_N)
      friction   F_T = P_T - proj(x_T),  the disc of radius mu P_N (planar: the interval)
      bilateral  F   = r w

  Derivatives in full; in slip, with d = x_T/|x_T|, rho = mu P_N:

      dF_T = dP_T - rho/|x_T| (I - d d') (dP_T - r dw_T) - mu d dP_N

  (the last term is missing in [A] (105); without it Newton fails four times as often at mu = 0.3). The linear system is solved by a complete
  orthogonal factorisation (dgelsy): dependent contacts make it singular, and the smallest correction is what keeps P near its start.
*/
#include <petscsys.h>
#include <petscblaslapack.h>
#include "percuss/local.h"

/* Not among PETSc's LAPACK declarations. */
extern void dgelsy_(const PetscBLASInt *m, const PetscBLASInt *n, const PetscBLASInt *nrhs, PetscReal *a, const PetscBLASInt *lda, PetscReal *b,
  const PetscBLASInt *ldb, PetscBLASInt *jpvt, const PetscReal *rcond, PetscBLASInt *rank, PetscReal *work, const PetscBLASInt *lwork,
  PetscBLASInt *info);

typedef struct {
  PetscReal    *w, *F, *J; /* [rows], [rows], [rows, rows] column-major */
  PetscReal    *work;
  PetscBLASInt *pivot;
  PetscBLASInt  work_size;
} NsLocalSolver_SemismoothNewton;

static PetscErrorCode NsLocalSolverCreate_SemismoothNewton(NsLocalSolver *solver)
{
  NsLocalSolver_SemismoothNewton *self;
  const PetscInt                  n = PetscMax(1, solver->max_rows);

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(PetscBLASIntCast(4 * n + 64 * (n + 1), &self->work_size)); /* dgelsy: at least mn + 2n + nb (n + 1), nb up to 64 */
  PetscCall(PetscMalloc5(n, &self->w, n, &self->F, (n * n), &self->J, self->work_size, &self->work, n, &self->pivot));
  solver->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_SemismoothNewton(NsLocalSolver *solver)
{
  NsLocalSolver_SemismoothNewton *self = solver->data;

  PetscFunctionBegin;
  PetscCall(PetscFree5(self->w, self->F, self->J, self->work, self->pivot));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

/* J row k = r G_k (the row of F = r w). */
static void set_sticking_row(const NsLocalProblem *p, PetscReal *J, PetscInt k, PetscReal r)
{
  for (PetscInt j = 0; j < p->rows; j++) J[j * p->rows + k] = r * p->G[k * p->rows + j];
}

static void set_unit_row(const NsLocalProblem *p, PetscReal *J, PetscInt k)
{
  for (PetscInt j = 0; j < p->rows; j++) J[j * p->rows + k] = 0;
  J[k * p->rows + k] = 1;
}

static void friction_rows(const NsLocalProblem *p, PetscInt c, const PetscReal *P, const PetscReal *w, PetscReal *F, PetscReal *J)
{
  const PetscInt  n = p->rows, first = p->start[c] + 1, tangents = p->start[c + 1] - first;
  const PetscReal r      = NsLocalScaling(p, c, PETSC_TRUE);
  const PetscReal radius = p->friction[c] * PetscMax(P[first - 1], 0);
  PetscReal       x[2], length = 0;

  for (PetscInt i = 0; i < tangents; i++) {
    x[i] = P[first + i] - r * w[first + i];
    length += x[i] * x[i];
  }
  length = PetscSqrtReal(length);
  for (PetscInt i = 0; i < tangents; i++) {
    const PetscInt k = first + i;
    if (length <= radius && radius > 0) { /* stick */
      F[k] = r * w[k];
      set_sticking_row(p, J, k, r);
      continue;
    }
    set_unit_row(p, J, k);
    F[k] = P[k];
    if (length == 0) continue; /* radius 0 and nothing drives: no friction force */
    F[k] -= radius * x[i] / length;
    for (PetscInt l = 0; l < tangents; l++) {
      const PetscReal s = radius / length * ((i == l ? 1.0 : 0.0) - x[i] * x[l] / (length * length));
      J[(first + l) * n + k] -= s;
      for (PetscInt j = 0; j < n; j++) J[j * n + k] += s * r * p->G[(first + l) * n + j];
    }
    if (P[first - 1] > 0) J[(first - 1) * n + k] -= p->friction[c] * x[i] / length;
  }
}

/* w = b + G P */
static void relative_velocities(const NsLocalProblem *p, const PetscReal *P, PetscReal *w)
{
  for (PetscInt k = 0; k < p->rows; k++) {
    w[k] = p->b[k];
    for (PetscInt j = 0; j < p->rows; j++) w[k] += p->G[k * p->rows + j] * P[j];
  }
}

static void evaluate(const NsLocalProblem *p, const PetscReal *P, PetscReal *w, PetscReal *F, PetscReal *J)
{
  relative_velocities(p, P, w);
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt  k = p->start[c];
    const PetscReal r = NsLocalScaling(p, c, PETSC_FALSE);
    if (p->bilateral[c]) {
      for (PetscInt i = k; i < p->start[c + 1]; i++) {
        F[i] = r * w[i];
        set_sticking_row(p, J, i, r);
      }
      continue;
    }
    if (P[k] - r * w[k] > 0) {
      F[k] = r * w[k];
      set_sticking_row(p, J, k, r);
    } else {
      F[k] = P[k];
      set_unit_row(p, J, k);
    }
    if (p->start[c + 1] > k + 1) friction_rows(p, c, P, w, F, J);
  }
}

static PetscErrorCode solve_linear(NsLocalSolver_SemismoothNewton *self, PetscInt rows)
{
  const PetscReal rcond = 1e-12;
  PetscBLASInt    n, one = 1, rank, info;

  PetscFunctionBegin;
  if (rows == 1) { /* one contact without friction is most steps of most runs */
    self->F[0] = self->J[0] != 0 ? self->F[0] / self->J[0] : 0;
    PetscFunctionReturn(0);
  }
  PetscCall(PetscBLASIntCast(rows, &n));
  for (PetscInt i = 0; i < rows; i++) self->pivot[i] = 0;
  dgelsy_(&n, &n, &one, self->J, &n, self->F, &n, self->pivot, &rcond, &rank, self->work, &self->work_size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dgelsy returned %d", (int)info);
  PetscFunctionReturn(0);
}

/* Rounding leaves an open contact with 1e-17 of an impulse, or a sliding one as far outside its disc: a solution is exactly within the law. */
static void tidy(const NsLocalProblem *p, const PetscReal *w, PetscReal *P)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt k      = p->start[c];
    PetscReal      length = 0;
    if (p->bilateral[c]) continue;
    if (P[k] - NsLocalScaling(p, c, PETSC_FALSE) * w[k] <= 0) P[k] = 0;
    P[k] = PetscMax(P[k], 0);
    for (PetscInt i = k + 1; i < p->start[c + 1]; i++) length += P[i] * P[i];
    length                 = PetscSqrtReal(length);
    const PetscReal radius = p->friction[c] * P[k];
    for (PetscInt i = k + 1; i < p->start[c + 1] && length > radius; i++) P[i] *= radius / length;
  }
}

static PetscErrorCode NsLocalSolve_SemismoothNewton(NsLocalSolver *solver, const NsLocalProblem *p, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_SemismoothNewton *self = solver->data;

  PetscFunctionBegin;
  result->converged = PETSC_FALSE;
  for (result->iterations = 0; result->iterations <= solver->max_iterations; result->iterations++) {
    result->residual = NsLocalResidual(p, P);
    if (result->residual <= solver->tolerance) {
      result->converged = PETSC_TRUE;
      break;
    }
    if (!(result->residual <= PETSC_MAX_REAL)) break; /* not a number */
    evaluate(p, P, self->w, self->F, self->J);
    PetscCall(solve_linear(self, p->rows));
    for (PetscInt k = 0; k < p->rows; k++) P[k] -= self->F[k];
  }
  if (result->converged) {
    relative_velocities(p, P, self->w);
    tidy(p, self->w, P);
  }
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_SemismoothNewton = {
  .name    = "semismooth_newton",
  .about   = "Newton's method on the projection equations with their full generalised derivative; quadratic once the states are right",
  .create  = NsLocalSolverCreate_SemismoothNewton,
  .solve   = NsLocalSolve_SemismoothNewton,
  .destroy = NsLocalSolverDestroy_SemismoothNewton,
};
