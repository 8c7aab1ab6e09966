/*
  Whether steps resolve the loads: their shortest period over the run, and the pieces between their jumps.

  All schemes keep the impulse of what jumps within a step (NsModel.before); an oscillation is sampled, and below four samples a period it is not that oscillation any more.
*/
#include "private.h"

#define NS_FEWEST  4        /* steps in a period: fewer are refused */
#define NS_FEW     10       /* fewer are warned of: amplitudes are wrong by some per cent */
#define NS_PIECES  4        /* steps in a pulse: with fewer its shape is lost */
#define NS_MOST    4096     /* pieces between jumps that are checked */
#define NS_OF_MESH (1. / 3) /* of the lowest frequency of an element alone: six elements in the wave of a bar */

/* The shortest over the run, s; PETSC_MAX_REAL: none. */
typedef struct {
  PetscReal period, pulse, piece;
} Shortest;

static PetscErrorCode find_shortest(NsRun *run, Shortest *shortest)
{
  const PetscReal end = run->config.time->end;
  PetscReal       t   = 0;

  PetscFunctionBegin;
  *shortest = (Shortest){PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL};
  for (int i = 0; i < NS_MOST && t < end; i++) {
    NsTimes times;
    PetscCall(NsModelTimes(run->model, t, run->state.v, &times));
    const PetscReal piece = times.next - t;
    if (times.next < end) shortest->piece = PetscMin(shortest->piece, piece);
    if (times.period < PETSC_MAX_REAL && piece <= times.period / 2 * (1 + 1e-9))
      shortest->pulse = PetscMin(shortest->pulse, times.period / 2); /* half a sine wave, or a part of one */
    else
      shortest->period = PetscMin(shortest->period, times.period);
    t = times.next;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunLoadPeriod(NsRun *run, PetscReal *period)
{
  Shortest shortest;

  PetscFunctionBegin;
  PetscCall(find_shortest(run, &shortest));
  *period = PetscMin(shortest.period, 2 * shortest.pulse);
  PetscFunctionReturn(0);
}

static PetscErrorCode judge_mesh(NsRun *run, const Shortest *shortest)
{
  const PetscReal period = PetscMin(shortest->period, 2 * shortest->pulse);
  NsBound         element;

  PetscFunctionBegin;
  if (!run->model->analysis.mesh_frequency || !(period < PETSC_MAX_REAL)) PetscFunctionReturn(0);
  PetscCall(run->model->analysis.mesh_frequency(run->model, &element));
  if (!(2 * PETSC_PI / period > NS_OF_MESH * element.value)) PetscFunctionReturn(0);
  NsDiagWarning(run->diag, NsKeysPlace(run->config.where, "loads"),
    "the mesh does not resolve a load of %.4g Hz: %s alone has the frequency %.4g Hz, and waves above a third of it are not represented", 1 / period,
    element.where, element.value / (2 * PETSC_PI));
  NsDiagNote(run->diag, "use shorter elements there");
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunJudgeLoads(NsRun *run, PetscBool refuse)
{
  const NsPlace place = NsKeysPlace(run->config.scheme.where, "step");
  Shortest      shortest;

  PetscFunctionBegin;
  PetscCall(find_shortest(run, &shortest));
  PetscCall(judge_mesh(run, &shortest));
  if (run->scheme->type->adapts) PetscFunctionReturn(0); /* its steps end at jumps, and are parts of the period */
  const PetscReal steps = shortest.period / run->step;
  if (steps < NS_FEWEST && refuse) {
    NsDiagError(run->diag, place,
      "the time step, %g s, does not resolve a load or an unbalance with a period of %.5g s: at least %d steps a period are needed", run->step,
      shortest.period, NS_FEWEST);
    NsDiagNote(run->diag, "take a step of %.2g s or less; --force runs it nevertheless", shortest.period / NS_FEW);
  } else if (steps < NS_FEW) {
    NsDiagWarning(run->diag, place, "%.3g steps in the period of a load or an unbalance, %.5g s: amplitudes are inaccurate", steps, shortest.period);
    NsDiagNote(run->diag, "take a step of %.2g s or less", shortest.period / NS_FEW);
  }
  if (shortest.pulse < NS_PIECES * run->step)
    NsDiagWarning(
      run->diag, place, "a pulse of %.5g s is shorter than %d steps: its impulse is exact, its shape is not resolved", shortest.pulse, NS_PIECES);
  else if (shortest.piece < run->step * (1 - 1e-9))
    NsDiagWarning(
      run->diag, place, "loads jump or have kinks within a step, after %.5g s: their impulse is exact, the times are not resolved", shortest.piece);
  PetscFunctionReturn(0);
}
