/* Whether the files of a body given by matrices belong together: masses, rigid motions, units by plausibility. */
#include "matrices_source.h"

#define NS_RIGID 1e-6 /* of the forces that cancel: what rounding in the files may leave of K times a rigid motion */

/* Motion of each DOF: along x, y, z (0 .. 2), or about them through the first node. */
static void rigid_motion(const NsMatricesSource *source, int motion, PetscReal *r)
{
  const PetscReal *origin = source->mesh.x;

  for (PetscInt i = 0; i < source->dofs.count; i++) {
    const int        a = source->dofs.item[i].direction - 1, m = motion - 3;
    const PetscReal *x = source->mesh.x + 3 * source->node_of[i];
    if (motion < 3)
      r[i] = a == motion;
    else if (a >= 3)
      r[i] = a - 3 == m;
    else
      r[i] = a == (m + 1) % 3 ? -(x[(m + 2) % 3] - origin[(m + 2) % 3]) : a == (m + 2) % 3 ? x[(m + 1) % 3] - origin[(m + 1) % 3] : 0;
  }
}

/* K r = 0 of the rigid motions, r'Mr of those along x, y, z. A body that can move as it likes has all DOF; one that is held lacks some. */
PetscErrorCode NsMatricesCheckMotions(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source)
{
  const PetscInt n = source->dofs.count, held = source->directions * source->mesh.nodes - n;
  const int      motions = source->directions == 2 ? 2 : 3;
  PetscReal     *r, *f, *size, mass[3] = {0, 0, 0};
  PetscInt       worst = -1;
  PetscReal      most  = 0;
  int            of    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &r, n, &f, n, &size));
  for (int motion = 0; motion < 6; motion++) {
    if (source->directions == 2 && motion != 5 && motion > 1) continue;
    rigid_motion(source, motion, r);
    NsMatrixMultiply(&source->matrix[NS_MATRIX_K], r, f, size);
    for (PetscInt i = 0; i < n && worst < 0; i++) {
      if (PetscAbsReal(f[i]) > NS_RIGID * size[i] && PetscAbsReal(f[i]) > most) of = motion, most = PetscAbsReal(f[i]);
    }
    if (most > 0 && worst < 0) {
      worst = 0;
      for (PetscInt i = 0; i < n; i++) worst = PetscAbsReal(f[i]) == most ? i : worst;
    }
    NsMatrixMultiply(&source->matrix[NS_MATRIX_M], r, f, size);
    for (PetscInt i = 0; i < n && motion < motions; i++) mass[motion] += r[i] * f[i];
  }
  PetscCall(PetscFree3(r, f, size));
  if (held || source->clamped || worst < 0) {
    for (int k = 1; k < motions && !held; k++) {
      if (PetscAbsReal(mass[k] - mass[0]) <= 1e-6 * PetscAbsReal(mass[0])) continue;
      NsDiagWarning(fe->diag, NsMatricesPlace(settings, "mass"), "the mass of the body along %c is %.6g kg, along x %.6g kg: these should be equal",
        'x' + k, mass[k], mass[0]);
      NsDiagNote(fe->diag, "is `unknowns` the list of these matrices?");
      break;
    }
    PetscFunctionReturn(0);
  }
  NsDiagWarning(fe->diag, NsMatricesPlace(settings, "stiffness"), "a rigid-body %s causes a force of %.4g N at %s, which should be 0",
    of < 3 ? "displacement of 1 m" : "rotation of 1 rad", most, NsMatrixDofName(&source->dofs, worst, fe->arena));
  NsDiagNote(fe->diag, of < 3 ? "right for springs to ground in the deck; else the matrices and `unknowns` do not belong together"
                              : "right for springs to ground in the deck; else the nodes are those of another deck, or another unit");
  PetscFunctionReturn(0);
}

#define NS_SLOW 10.   /* m/s */
#define NS_FAST 200e3 /* m/s */

/* Units by plausibility: sqrt(K_ii/M_ii) times the distance to the nearest node is about the speed of waves. */
void NsMatricesCheckUnits(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source)
{
  const NsMesh *mesh = &source->mesh;
  PetscReal     k = 0, m = 0, length = 0;

  for (PetscInt i = 0; i < source->dofs.count; i++) {
    for (PetscInt at = source->matrix[NS_MATRIX_K].start[i]; at < source->matrix[NS_MATRIX_K].start[i + 1] && source->dofs.item[i].direction <= 3;
         at++)
      k += source->matrix[NS_MATRIX_K].column[at] == i ? source->matrix[NS_MATRIX_K].value[at] : 0;
    for (PetscInt at = source->matrix[NS_MATRIX_M].start[i]; at < source->matrix[NS_MATRIX_M].start[i + 1] && source->dofs.item[i].direction <= 3;
         at++)
      m += source->matrix[NS_MATRIX_M].column[at] == i ? source->matrix[NS_MATRIX_M].value[at] : 0;
  }
  for (PetscInt e = 0, drawn = 0; e < mesh->elements; e++) {
    if (!source->drawn[e]) continue;
    drawn++;
    length += (NsMatricesDistance(mesh, mesh->connection[2 * e], mesh->connection[2 * e + 1]) - length) / (PetscReal)drawn;
  }
  const PetscReal speed = m > 0 && k > 0 ? PetscSqrtReal(k / m) * length : 0;
  if (!(speed > 0) || (speed > NS_SLOW && speed < NS_FAST)) return;
  NsDiagWarning(fe->diag, NsMatricesPlace(settings, NsTreeChild(settings->where, "units") ? "units" : "stiffness"),
    "the wave speed in '%s', estimated from stiffness, mass and distances of nodes, is about %.2g m/s", NsTreePath(settings->where, fe->arena),
    speed);
  NsDiagNote(fe->diag, "check `units` (a deck in N, mm, s has its mass in t), and that `stiffness` and `mass` are not exchanged");
}

/* Positive masses; what is singular is named. */
PetscBool NsMatricesCheckMass(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source)
{
  for (PetscInt i = 0; i < source->dofs.count; i++) {
    PetscReal mass = 0;
    for (PetscInt k = source->matrix[NS_MATRIX_M].start[i]; k < source->matrix[NS_MATRIX_M].start[i + 1]; k++)
      mass += source->matrix[NS_MATRIX_M].column[k] == i ? source->matrix[NS_MATRIX_M].value[k] : 0;
    if (mass > 1e-60 && mass < 1e30) continue;
    NsDiagError(fe->diag, NsMatricesPlace(settings, "mass"), "the mass at %s is %g kg", NsMatrixDofName(&source->dofs, i, fe->arena), mass);
    NsDiagNote(fe->diag, "each DOF needs a mass; condense those without one in the other program");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}
