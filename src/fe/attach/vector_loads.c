/* Loads of bodies given by matrices: a force (a moment) for each row, from a file in the units of the matrices. */
#include <string.h>
#include "fe/bodies/matrices_source.h"
#include "fe/model/fe.h"

void NsFeLoadVector(NsFe *fe, const NsLoadSettings *settings)
{
  const NsFeBody *body = NsFeFindBody(fe, settings->on, strlen(settings->on), NsKeysPlace(settings->where, "on"));
  const NsNode   *file = NsTreeChild(settings->where, "vector");
  PetscInt        lost;

  if (!body) return;
  if (!body->bounds) {
    NsDiagError(
      fe->diag, NsKeysPlace(settings->where, "vector"), "'%s' is not given by matrices: write `force`, `pressure` or `traction`", body->name);
    return;
  }
  const NsMatricesSource *source = (const NsMatricesSource *)body->mesh;
  const NsMatrixDofs     *dofs   = &source->dofs;
  double                 *value  = NsArenaAlloc(fe->arena, sizeof(*value) * (size_t)(dofs->count + 1));
  if (!NsReadMatrixVector(file, dofs, fe->arena, fe->diag, value, &lost)) return;
  NsFeLoad *load = NsFeAddLoad(fe, NsTimeFunctionWindow(settings->time, &settings->window, fe->arena), PETSC_FALSE, dofs->count);
  for (PetscInt i = 0; i < dofs->count; i++) {
    const int direction = dofs->item[i].direction;
    NsFeAddLoadEntry(load, NsFeNodeUnknowns(fe, body->first_node + source->node_of[i])[direction - 1],
      value[i] * source->force * (direction > 3 ? source->length : 1), 0);
  }
  if (!load->entries)
    NsDiagWarning(fe->diag, file->place, "this load has no effect: it is zero, or its DOF are supported");
  else if (lost)
    NsDiagWarning(fe->diag, file->place, "%d %s of '%s' %s no effect: the matrices do not have these DOF, which are held in the deck", (int)lost,
      lost == 1 ? "entry" : "entries", settings->vector, lost == 1 ? "has" : "have");
}
