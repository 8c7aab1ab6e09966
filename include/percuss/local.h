/*
  The local contact problem, on plain small arrays:

      u = b + G P     and for every contact, with the shift s = e u^- (0 for forces),

      normal     0 <= u_N + s_N  _|_  P_N >= 0
      friction   -(u_T + s_T) in the normal cone of the disc |P_T| <= mu P_N (planar: the interval) at P_T
      bilateral  u = 0

  G need not be symmetric and may be singular (dependent contacts): P is then one of many, u is what counts.
*/
#pragma once
#include <petscsys.h>

typedef struct {
  PetscInt         contacts, rows;
  const PetscInt  *start;     /* [contacts + 1] */
  const PetscReal *G;         /* [rows, rows] row-major */
  const PetscReal *b;         /* [rows] u_free + shift */
  PetscReal       *friction;  /* [contacts] mu */
  PetscBool       *bilateral; /* [contacts] */
} NsLocalProblem;

typedef struct {
  PetscBool converged;
  PetscInt  iterations;
  PetscReal residual; /* NsLocalResidual at the end */
} NsLocalResult;

typedef struct NsLocalSolver NsLocalSolver;

typedef struct {
  const char *name, *about;
  PetscErrorCode (*create)(NsLocalSolver *); /* workspace for max_rows, max_contacts */
  PetscErrorCode (*solve)(NsLocalSolver *, const NsLocalProblem *, PetscReal *P, NsLocalResult *);
  PetscErrorCode (*destroy)(NsLocalSolver *);
} NsLocalSolverType;

struct NsLocalSolver {
  const NsLocalSolverType *type;
  PetscInt                 max_contacts, max_rows;
  PetscReal                tolerance; /* relative: 1e-12 */
  PetscInt                 max_iterations;
  void                    *data;
};

extern const NsLocalSolverType *const NsLocalSolverTypes[]; /* NULL-terminated, from src/contact/list.h */

PetscErrorCode NsLocalSolverCreate(const NsLocalSolverType *type, PetscInt max_contacts, PetscInt max_rows, NsLocalSolver **solver);
PetscErrorCode NsLocalSolverDestroy(NsLocalSolver **solver);
/* P holds the start on entry and the solution (or the last iterate) on return. Allocates nothing. */
PetscErrorCode NsLocalSolve(NsLocalSolver *solver, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result);
/* The residual every solver is judged by: largest row of |P - proj(P - r u)|, over the largest of r|b| and |P|. Relative: with an absolute
   tolerance a contact of tiny mass (r = 1/G_kk small) would be "solved" by anything. */
PetscReal NsLocalResidual(const NsLocalProblem *problem, const PetscReal *P);
/* r of a contact's normal or of its tangents: 1 over the largest diagonal entry; that of the whole G where it is zero. kg. */
PetscReal NsLocalScaling(const NsLocalProblem *problem, PetscInt contact, PetscBool tangential);
