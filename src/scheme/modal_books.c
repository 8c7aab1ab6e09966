#include "modal_step.h"

void NsModalLookAtLoads(const NsModal *self, const PetscReal *x, PetscReal *work, PetscReal *rate)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;

  for (PetscInt l = 0; l < reduced->loads && (self->loaded || self->damped); l++) {
    work[l] = NsModalDot(r, reduced->load + l * r, x);
    rate[l] = NsModalDot(r, reduced->load + l * r, x + r);
  }
}

static PetscReal energy_of(const NsReduced *reduced, const PetscReal *x)
{
  PetscReal twice = 0;

  for (PetscInt i = 0; i < reduced->modes; i++) twice += PetscSqr(x[reduced->modes + i]) + PetscSqr(reduced->omega[i] * x[i]);
  return twice / 2;
}

/* Static part of the displacement on which load l does work. */
static PetscReal static_work(const NsReduced *reduced, PetscInt l, const PetscReal *f, const PetscReal *size)
{
  return NsModalDot(reduced->touches, reduced->load_touch + l * reduced->touches, f) +
         NsModalDot(reduced->loads, reduced->load_load + l * reduced->loads, size);
}

/* -int y' Z y of the skew part of the stiffness, along the cubics that have displacements and velocities of both ends. */
static PetscReal circulation(const NsModal *self, PetscReal dt)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;
  const PetscReal *y0 = self->x0, *v0 = self->x0 + r, *y1 = self->x1, *v1 = self->x1 + r;
  PetscReal        sum = 0;

  for (PetscInt i = 0; i < r && self->circulates; i++) {
    for (PetscInt j = 0; j < r; j++) {
      const PetscReal Z = reduced->circulation[i * r + j];
      if (Z == 0) continue;
      sum += Z * (y0[i] * (y1[j] + dt * (v0[j] - v1[j]) / 5) + dt * v0[i] * (y1[j] / 5 - dt * v1[j] / 30) + y1[i] * dt * v1[j] / 5);
    }
  }
  return sum;
}

void NsModalBookLoads(NsScheme *scheme, PetscReal dt, const PetscReal *mean)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  NsLedger        *ledger  = scheme->ledger;
  PetscReal        gain    = 0;

  if (!self->loaded && !self->damped) return;
  NsModalLookAtLoads(self, self->x1, self->work[1], self->rate[1]);
  for (PetscInt l = 0; l < reduced->loads; l++) {
    const PetscReal a[3] = {self->size[0][l], l < 2 ? 1 : self->size[1][l], self->size[2][l]};
    const PetscReal work =
      (a[0] + 4 * a[1] + a[2]) / 6 * (self->work[1][l] - self->work[0][l]) + (a[2] - a[0]) * dt / 12 * (self->rate[1][l] - self->rate[0][l]);
    gain += work;
    if (l == 0) continue; /* weight: in the potential energy */
    ledger->load += work;
    ledger->load += (a[0] + a[2]) / 2 * (static_work(reduced, l, self->f1, self->size[2]) - static_work(reduced, l, self->f0, self->size[0]));
  }
  if (!self->damped) return;
  const PetscReal drive = circulation(self, dt);
  ledger->load += drive;
  gain += drive;
  for (PetscInt i = 0; i < reduced->touches; i++) gain += mean[i] * (self->next[i] - self->r1[i] - self->q0[i] + self->r0[i]);
  ledger->damping += gain - (energy_of(reduced, self->x1) - energy_of(reduced, self->x0));
}

/* Energy stored in the additional flexibility of contacts: the mean of the reactions at both ends times the change of that displacement. size: of the loads at the end. */
static PetscReal held_back(const NsModal *self, const PetscReal *size)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   touches = reduced->touches;
  PetscReal        work    = 0;

  for (PetscInt i = 0; i < touches; i++) {
    const PetscReal mean = (self->f0[i] + self->f1[i]) / 2, *contact = reduced->flexibility_contact + i * touches,
                    *touch = reduced->flexibility_touch + i * touches;
    if (mean == 0) continue;
    for (PetscInt j = 0; j < touches; j++) work += mean * (contact[j] - touch[j]) * (self->f1[j] - self->f0[j]);
    for (PetscInt l = 0; l < reduced->loads; l++)
      work += mean * (reduced->load_contact[l * touches + i] - reduced->load_touch[l * touches + i]) * (size[l] - self->size[0][l]);
  }
  return work;
}

/* Work of friction and of surfaces that move by themselves; normal parts do no work except by numerical errors, which the ledger shows. */
static void book_reactions(NsScheme *scheme, PetscReal dt, int end)
{
  NsModal         *self   = scheme->data;
  NsLedger        *ledger = scheme->ledger;
  const NsRows    *rows   = end ? &self->w1 : &self->w0;
  const PetscReal *lambda = end ? self->lambda1 : self->lambda0;

  if (!NsRowsWork(rows)) return;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscReal share = self->part[rows->contact[i]].share[end];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const PetscReal still = NsModalAlong(rows, k, self->r1) - NsModalAlong(rows, k, self->r0),
                      slip  = NsModalAlong(rows, k, self->next) - NsModalAlong(rows, k, self->q0) + dt * rows->drive[k];
      if (k > rows->start[i]) ledger->friction -= lambda[k] / 2 * (share * slip + (1 - share) * still);
      ledger->load -= share * lambda[k] / 2 * dt * rows->drive[k];
    }
  }
}

void NsModalBookContacts(NsScheme *scheme, PetscReal dt)
{
  for (int end = 0; end < 2; end++) book_reactions(scheme, dt, end);
  scheme->ledger->impact += held_back(scheme->data, ((const NsModal *)scheme->data)->size[2]);
}

void NsModalEndContacts(NsScheme *scheme)
{
  NsModal      *self = scheme->data;
  const NsRows *rows = &self->w0;

  (void)PetscArraycpy(self->f1, self->f0, self->reduced.touches);
  for (PetscInt i = 0; i < rows->contacts; i++) {
    if (NsIsOff(scheme->model->candidate[rows->contact[i]].off)) NsModalAddReaction(rows, i, self->lambda0, -1, self->f1);
  }
  scheme->ledger->impact += held_back(self, self->size[0]);
  NsModalSwap(&self->f0, &self->f1);
}

PetscErrorCode NsModalReport(NsScheme *scheme, PetscReal dt)
{
  NsModal      *self    = scheme->data;
  NsContact    *contact = scheme->contact;
  const NsRows *rows    = &self->w1;

  PetscFunctionBegin;
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    self->held[active[k]]     = PETSC_FALSE;
    self->part[active[k]].had = PETSC_FALSE;
  }
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt  candidate = rows->contact[i], first = rows->start[i];
    const PetscBool has       = self->lambda1[first] > 0 || scheme->model->candidate[candidate].bilateral;
    self->part[candidate].had = has;
    self->held[candidate]     = has || NsContactIsClosed(contact, candidate);
    for (PetscInt k = first; k < rows->start[i + 1]; k++) {
      const PetscReal slip = (NsModalAlong(rows, k, self->next) - NsModalAlong(rows, k, self->q0)) / dt + rows->drive[k];
      self->velocity[NsContactFirstRow(contact, candidate) + k - first] = k == first && has ? 0 : slip;
    }
  }
  PetscCall(NsContactReportForce(contact, rows, self->lambda1, 1));
  PetscFunctionReturn(0);
}
