/* Semismooth Newton with a proximal term, as a solver of its own and as the end of others. */
#pragma once
#include "linear.h"

typedef struct {
  PetscInt   contacts, rows;       /* room */
  PetscReal *D;                    /* [9 contacts] */
  PetscReal *w, *F, *step;         /* [rows] */
  PetscReal *start, *first, *best; /* [rows] of the step, of the call; best iterate */
} NsProximalNewton;

PetscErrorCode NsProximalNewtonCreate(PetscInt contacts, PetscInt rows, NsProximalNewton *newton);
PetscErrorCode NsProximalNewtonDestroy(NsProximalNewton *newton);
/*
  From P, by at most so many steps in its second part, which may go through residuals up to `bold` times the least one; the linear systems are prepared for the problem. w[rows] belongs to the P that is left, and so does result->residual; iterations
  are added. Where it does not get to solver->tolerance, P is the iterate with the least residual.
*/
PetscErrorCode NsProximalNewtonSolve(NsProximalNewton *newton, NsLocalLinear *linear, const NsLocalSolver *solver, const NsLocalProblem *unit,
  PetscInt steps, PetscReal bold, PetscReal *P, PetscReal *w, NsLocalResult *result);
/* F of the tangential rows of a contact of m rows, and its derivatives by P and y, [m, m] row-major, which are 0 before. limit: the radius of the disc where it is given; negative: it is mu P_N. */
void NsFrictionRows(
  PetscInt m, PetscReal mu, PetscReal limit, PetscReal r, const PetscReal *P, const PetscReal *y, PetscReal *F, PetscReal *by_P, PetscReal *by_y);
