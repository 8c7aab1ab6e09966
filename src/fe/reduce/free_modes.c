/* Coordinates of macneal and rubin (reduce.h): from the lowest free modes and the residual flexibility of all others. */
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "reduce.h"

static PetscErrorCode find_basis(NsFe *fe, NsFeReduced *self, PetscBool *good)
{
  const NsReduceSettings *settings = &self->settings;
  PetscInt                found;

  PetscFunctionBegin;
  PetscCall(NsReducedMake(self->whole, (PetscInt)settings->modes, settings->up_to,
    settings->method == NS_REDUCE_MACNEAL ? (NsFade)settings->fade : NS_FADE_OFF, &found, &self->basis));
  *good = found > 0;
  if (!found) NsDiagError(fe->diag, self->place, "the modes cannot be computed: a degree of freedom has no mass");
  for (PetscInt j = 0; *good && j < self->basis.modes; j++) {
    if (!isnan(self->basis.omega[j])) continue;
    NsDiagError(fe->diag, self->place, "a mode grows without bound: the model buckles under its axial forces, and cannot be reduced");
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

/* A and P. */
static PetscErrorCode take_boundary(NsFe *fe, NsFeReduced *self, PetscBool *good)
{
  const NsReduced *basis = &self->basis;
  const PetscInt   b = self->boundary, r = self->modes;
  PetscInt         at;
  char             name[256];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < b * b; i++) self->A[i] = basis->flexibility_contact[i];
  for (PetscInt i = 0; i < b; i++) {
    for (PetscInt j = 0; j < r; j++) self->P[j * b + i] = basis->at_contact[i * r + j];
  }
  *good = NsDenseInvert(b, self->A, &at);
  if (*good) PetscFunctionReturn(0);
  PetscCall(self->whole->view.name_unknown(self->whole, self->unknown[at], name, sizeof(name)));
  NsDiagError(
    fe->diag, self->place, "with %d modes the residual flexibility of the contact of %s depends on that of the other contacts", (int)r, name);
  NsDiagNote(fe->diag, "take fewer modes, or method craig_bampton");
  PetscFunctionReturn(0);
}

/* T: of the boundary R A, of the modes Phi - R A P. */
static PetscErrorCode take_shapes(NsFeReduced *self)
{
  const NsLayout    *layout = self->whole->layout;
  const PetscInt     N = self->natural, b = self->boundary, r = self->modes;
  const PetscBLASInt rows = (PetscBLASInt)N, side = (PetscBLASInt)b, columns = (PetscBLASInt)r;
  const PetscReal    one = 1, minus = -1, zero = 0;
  PetscReal         *T;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)N * (size_t)self->n, &T));
  PetscReal *modes = T + (size_t)N * (size_t)b;
  PetscCall(PetscArraycpy(modes, self->basis.shape, (size_t)N * (size_t)r));
  if (b) {
    BLASgemm_("N", "N", &rows, &side, &side, &one, self->basis.flexibility, &rows, self->A, &side, &zero, T, &rows);
    BLASgemm_("N", "N", &rows, &columns, &side, &minus, T, &rows, self->P, &side, &one, modes, &rows);
  }
  for (PetscInt j = 0; j < self->n; j++) {
    for (PetscInt i = 0; i < N; i++) self->T[(size_t)j * (size_t)N + (size_t)NsLayoutNatural(layout, i)] = T[(size_t)j * (size_t)N + (size_t)i];
  }
  PetscCall(PetscFree(T));
  PetscFunctionReturn(0);
}

/* With the flexibility that contacts have: static contact under loads is that of the whole model. */
static void take_loads(NsFe *fe, NsFeReduced *self)
{
  const NsReduced *basis = &self->basis;
  const PetscInt   b = self->boundary, r = self->modes;

  self->loads = basis->loads;
  self->load  = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(self->loads * self->n + 1));
  for (PetscInt l = 0; l < self->loads; l++) {
    PetscReal *to = self->load + l * self->n;
    NsDenseAdd(b, b, self->A, 1, basis->load_contact + l * b, to);
    for (PetscInt j = 0; j < r; j++) to[b + j] = basis->load[l * r + j] - NsDenseDot(b, self->P + j * b, to);
  }
}

/* Of the compliance F'(Phi Omega^-2 Phi' + R) F of loads, what the boundary does not have of F'R F; the largest of all loads. */
static PetscErrorCode judge_loads(NsFeReduced *self)
{
  const NsReduced *basis = &self->basis;
  const PetscInt   b = self->boundary, r = self->modes;
  PetscReal       *A, *x;
  PetscInt         at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(NsSquare(b), &A, b, &x));
  PetscCall(PetscArraycpy(A, basis->flexibility_touch, b * b));
  const PetscBool sharp = NsDenseInvert(b, A, &at);
  for (PetscInt l = 0; l < basis->loads && sharp; l++) {
    const PetscReal *touch = basis->load_touch + l * b, left = basis->load_load[l * basis->loads + l];
    PetscReal        had = 0, whole = left;
    PetscCall(PetscArrayzero(x, b));
    NsDenseAdd(b, b, A, 1, touch, x);
    had = NsDenseDot(b, touch, x);
    for (PetscInt j = 0; j < r; j++) {
      if (basis->omega[j] > 0) whole += PetscSqr(basis->load[l * r + j] / basis->omega[j]);
    }
    if (whole > 0) self->neglected = PetscMax(self->neglected, (left - had) / whole);
  }
  PetscCall(PetscFree2(A, x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsReduceByFreeModes(NsFe *fe, NsFeReduced *self)
{
  PetscBool good;

  PetscFunctionBegin;
  PetscCall(find_basis(fe, self, &good));
  if (!good) PetscFunctionReturn(0);
  self->next = self->basis.next;
  self->kept = self->basis.kept;
  PetscCall(NsReduceAllocate(fe, self, self->whole->touches, self->basis.modes));
  if (!self->n) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < self->boundary; i++) self->unknown[i] = self->whole->touch[i];
  PetscCall(PetscArraycpy(self->omega, self->basis.omega, self->modes));
  PetscCall(take_boundary(fe, self, &good));
  if (!good) PetscFunctionReturn(0);
  PetscCall(take_shapes(self));
  if (self->settings.method == NS_REDUCE_MACNEAL) take_loads(fe, self);
  PetscCall(judge_loads(self));
  PetscFunctionReturn(0);
}
