/*
  Static equilibrium of a model with nonlinear force elements.
*/
#pragma once
#include <petscksp.h>
#include "fe.h"

/*
  x[unknowns], in natural numbers, with  K x = f(0) + M g + f_t(x)  for rotors that turn at speed[bodies]: loads at t = 0, without contacts and unbalances. Sets the `rest` of all
  nonlinear force elements, about which NsFeForceTangents linearises them. found false: no equilibrium exists, or none was found; `rest` is 0 then. x may be NULL.
*/
PetscErrorCode NsFeEquilibrium(NsFe *fe, const PetscReal *speed, Vec x, PetscBool *found);
/* x = K^-1 f; largest: of K's diagonal. A singular K is shifted slightly: x is huge where f moves what nothing holds. */
PetscErrorCode NsFeSolveStatic(Mat K, PetscReal largest, Vec f, Vec x);
/* The solver of it, to be destroyed: for several f. */
PetscErrorCode NsFeStaticSolver(Mat K, PetscReal largest, KSP *ksp);
/* Whether some force element is nonlinear. */
PetscBool NsFeIsNonlinear(const NsFe *fe);
/* Weight and loads at t = 0 into f[unknowns], in natural numbers, without unbalances and force elements. */
void NsFeStaticLoads(const NsFe *fe, PetscReal *f);

/* src/fe/model/operators.c: speed of a rotor over that of the first one, which all keep; 1 where the first one is at rest. */
PetscReal NsFeSpeedRatio(const NsFe *fe, const NsFeBody *body);
/* src/fe/model/statics.c: holds the twist of each rotor of free spin at its first node, where turning the whole rotor strains nothing, by the stiffness in held[unknowns]; `zero` and `work` are for use in
   between. */
PetscErrorCode NsFeHoldTwists(const NsFe *fe, PetscReal largest, Mat K, Vec zero, Vec work, Vec held);

/* src/fe/model/static_contact.c: whether the static solution of this model is sought with its contacts: of linear models, on one process. */
PetscBool NsFeStaticsTouch(const NsFe *fe);
/* A note at the last error, where the model has contacts that take no part: why. */
void NsFeNoteStaticsApart(const NsFe *fe);
/* fe->rest with closed contacts where it penetrates, or (loose) where nothing else holds the model; fe->rest is 0 then. An error in diag where there is no solution.
   fe->rest_force: contact forces. */
PetscErrorCode NsFeStaticContact(NsFe *fe, NsModel *model, PetscBool loose);
