/* How good a reduced model is, for `check` (reduce.h): static by the loads, dynamic by the frequencies that it does not have by construction. */
#include <string.h>
#include "reduce.h"

#define NS_REPRESENTED 0.99 /* of x'M x: less of an initial motion is reported */

PetscBool NsModelIsReduced(const NsModel *model)
{
  return !strcmp(model->kind, NS_REDUCED_KIND);
}

/* Frequencies of the whole model up to the limit. held: with the boundary held. */
static PetscErrorCode compare(NsFeReduced *self, PetscBool held, NsFeReduction *report)
{
  const PetscReal limit = report->end / 2 * 2 * PETSC_PI;
  PetscReal      *omega;
  PetscInt       *inner, count = 0, found, wanted = 0;
  NsModelModes    modes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(self->n, &omega, self->natural, &inner));
  PetscCall(NsReduceFrequencies(self, held, &found, omega, NULL));
  for (PetscInt j = 0; j < found; j++) wanted += omega[j] <= limit;
  for (PetscInt i = 0; i < self->natural; i++) {
    PetscInt at = -1;
    if (held) PetscCall(PetscFindInt(i, self->boundary, self->unknown, &at));
    if (at < 0) inner[count++] = i;
  }
  PetscCall(NsFeModesAmong(self->whole, count, held ? inner : NULL, wanted + 1, &modes));
  for (PetscInt j = 0; j < PetscMin(wanted, modes.count); j++) {
    if (!(modes.omega[j] > 1e-6 * limit)) continue; /* rigid motions */
    report->compared++;
    report->dynamic = PetscMax(report->dynamic, PetscAbsReal(omega[j] / modes.omega[j] - 1));
  }
  PetscCall(NsModelModesDestroy(&modes));
  PetscCall(PetscFree2(omega, inner));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeReductionFind(NsModel *model, PetscBool frequencies, NsFeReduction *report)
{
  NsFeReduced *self = model->data;
  const NsFe  *fe   = self->whole->data;

  PetscFunctionBegin;
  *report = (NsFeReduction){.method = NsReduceMethods[self->settings.method],
    .whole                          = self->natural,
    .boundary                       = self->boundary,
    .modes                          = self->modes,
    .next                           = self->next / (2 * PETSC_PI),
    .cache                          = self->kept,
    .neglected                      = self->neglected,
    .held                           = self->settings.method != NS_REDUCE_CRAIG_BAMPTON};
  for (PetscInt b = 0; b < fe->bodies; b++) report->kept = report->kept || !fe->body[b].reduce;
  for (PetscInt j = 0; j < self->modes; j++) report->end = PetscMax(report->end, self->omega[j] / (2 * PETSC_PI));
  if (frequencies) PetscCall(compare(self, report->held, report));
  PetscFunctionReturn(0);
}

PetscErrorCode NsReduceCheckInitial(NsModel *model, Vec whole, Vec reduced, const char *what)
{
  NsFeReduced *self    = model->data;
  const NsFe  *fe      = self->whole->data;
  NsModel     *of[2]   = {self->whole, model};
  Vec          from[2] = {whole, reduced}, product;
  PetscReal    size[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDuplicate(from[i], &product));
    PetscCall(NsModelMult(of[i], 0, from[i], from[i], product));
    PetscCall(VecDot(product, from[i], &size[i]));
    PetscCall(VecDestroy(&product));
  }
  if (!(size[1] < NS_REPRESENTED * size[0])) PetscFunctionReturn(0);
  NsDiagWarning(fe->diag, self->place, "the modes represent %.3g %% of the initial %s (in the measure of kinetic energy); the rest is lost",
    100 * size[1] / size[0], what);
  NsDiagNote(fe->diag, "take more modes, or initial values that the supports allow: uniform velocities belong to bodies without supports");
  PetscFunctionReturn(0);
}
