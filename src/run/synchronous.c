/*
  start: synchronous: the steady vibration that unbalance causes at constant spin, about the static equilibrium q_s.

      q(0) = q_s + sum Re x,    v(0) = - sum Omega Im x,    (K - Omega^2 M + i Omega C) x = Omega^2 (re + i im)

  summed over the speeds at which rotors turn. So a run begins without the transient, which lasts long where the damping of the shaft is low. Nonlinear springs and bearings are linearised about the
  equilibrium: then the state is only near the steady one. Contacts must be open.

  Costs one sparse factorization for each speed.
*/
#include <stdlib.h>
#include "analysis/response.h"
#include "core/out_of_memory.h"
#include "fe/fe.h"
#include "private.h"

/* False after an error in diag. */
static PetscBool is_possible(NsRun *run, NsPlace place)
{
  const NsFeRotor *rotor;
  PetscInt         rotors, turning = 0, own;

  if (NsModelIsReduced(run->model)) {
    NsDiagError(
      run->diag, place, "`start: synchronous` does not support bodies with `reduce`: start from a run without `reduce`, or with `start: static`");
    return PETSC_FALSE;
  }
  if (run->model->layout->ranks > 1) {
    NsDiagError(run->diag, place, "`start: synchronous` runs on one process, not on %d", (int)run->model->layout->ranks);
    return PETSC_FALSE;
  }
  rotors = NsFeRotors(run->model, &rotor);
  for (PetscInt r = 0; r < rotors; r++) {
    if (!rotor[r].constant) {
      NsDiagError(run->diag, place, "`start: synchronous` is the steady vibration at constant spins, but that of '%s' %s", rotor[r].name,
        rotor[r].highest > 0 ? "changes over time" : "is free");
      NsDiagNote(run->diag, "compute it with constant spins in a run of its own, from which this one starts: `start: {from: RUN}`");
      return PETSC_FALSE;
    }
    turning += rotor[r].speed != 0;
  }
  if ((own = NsFeUnbalanceOverTime(run->model)) >= 0) {
    const NsList *list = &run->config.attachments[NS_ATTACHMENT_Unbalance];
    NsDiagError(run->diag, place, "`start: synchronous` is the steady vibration at constant spins, but that of unbalance '%s' changes over time",
      list->names[own]);
    NsDiagNote(run->diag, "give it a constant `spin`, or let it act later, by `from`");
    return PETSC_FALSE;
  }
  if (turning && rotor[0].speed != 0) return PETSC_TRUE;
  if (turning)
    NsDiagError(
      run->diag, place, "`start: synchronous` requires that the first rotor turns, but '%s' does not: list it after the others", rotor[0].name);
  else
    NsDiagError(run->diag, place, "`start: synchronous` requires a rotor with a constant spin above zero");
  return PETSC_FALSE;
}

/* Adds the response of the unbalances on rotors that turn `ratio` times as fast as the first one. False after an error in diag. */
static PetscErrorCode add_response(NsRun *run, const Mat matrix[3], PetscReal first, PetscReal ratio, PetscReal *q, PetscReal *v, PetscBool *good)
{
  const PetscReal speed = first * ratio;
  PetscBool       solved;
  Vec             force[2], x[2];
  PetscReal       size[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) PetscCall(MatCreateVecs(matrix[2], &x[i], &force[i]));
  PetscCall(NsFeUnbalanceVectors(run->model, ratio, force[0], force[1]));
  for (int i = 0; i < 2; i++) PetscCall(VecNorm(force[i], NORM_2, &size[i]));
  if (size[0] > 0 || size[1] > 0) {
    PetscCall(NsResponseSolve(matrix[0], matrix[1], matrix[2], force[0], force[1], speed, x[0], x[1], &solved));
    for (PetscInt i = 0; i < run->model->unknowns; i++) {
      q[i] += NsVecRead(x[0])[i];
      v[i] -= speed * NsVecRead(x[1])[i];
    }
    if (!solved) {
      NsDiagError(run->diag, NsKeysPlace(run->config.where, "start"),
        "`start: synchronous` has no solution at %.9g rad/s: an undamped critical speed, or a body without supports", speed);
      *good = PETSC_FALSE;
    }
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDestroy(&force[i]));
    PetscCall(VecDestroy(&x[i]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode check_gaps(NsRun *run, NsPlace place)
{
  NsModel   *model = run->model;
  PetscReal *gap;
  char       name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(model->candidates + 1, &gap));
  PetscCall(NsModelGap(model, 0, run->state.q, gap));
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    if (candidate->bilateral || gap[i] > candidate->tolerance) continue;
    NsDiagError(run->diag, place, "`start: synchronous` is a vibration without contact, but contact '%s' is closed in it, with a gap of %.4g m",
      NsCandidateName(candidate, name), gap[i]);
    NsDiagNote(run->diag, "begin at a speed at which the shaft runs free, or with `start: static`");
    break;
  }
  PetscCall(PetscFree(gap));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunStartSynchronous(NsRun *run)
{
  const NsPlace    place = NsKeysPlace(run->config.where, "start");
  const NsFeRotor *rotor;
  PetscBool        good = PETSC_TRUE;
  Mat              matrix[3];

  PetscFunctionBegin;
  if (run->config.start->state != NS_START_SYNCHRONOUS || run->options.unstarted || run->options.analysis) PetscFunctionReturn(0);
  if (!is_possible(run, place)) PetscFunctionReturn(0);
  (void)NsFeRotors(run->model, &rotor);
  const PetscInt n = run->model->unknowns;
  PetscReal     *q = malloc(sizeof(*q) * 2 * (size_t)PetscMax(1, n)), *v = q + n;
  if (!q) NsOutOfMemory();
  PetscCall(NsLayoutCollect(run->model->layout, NsVecRead(run->state.q), q));
  PetscCall(NsLayoutCollect(run->model->layout, NsVecRead(run->state.v), v));
  PetscCall(NsFeOperators(run->model, rotor[0].speed, &matrix[0], &matrix[1], &matrix[2]));
  PetscReal     *ratio  = NsArenaAlloc(run->arena, sizeof(*ratio) * (size_t)(run->config.attachments[NS_ATTACHMENT_Unbalance].count + 1));
  const PetscInt ratios = NsFeUnbalanceRatios(run->model, ratio);
  for (PetscInt k = 0; k < ratios; k++) PetscCall(add_response(run, matrix, rotor[0].speed, ratio[k], q, v, &good));
  for (int m = 0; m < 3; m++) PetscCall(MatDestroy(&matrix[m]));
  NsLayoutSpread(run->model->layout, q, NsVecArray(run->state.q));
  NsLayoutSpread(run->model->layout, v, NsVecArray(run->state.v));
  free(q);
  if (good) PetscCall(check_gaps(run, place));
  PetscFunctionReturn(0);
}
