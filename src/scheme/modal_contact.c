#include "modal_step.h"

#define NS_MOST_ITERATIONS 60
#define NS_MOST_SHARING    20    /* of these with theta */
#define NS_SETTLED         1e-14 /* of the model's length: changes of an iteration that are rounding */
#define NS_LOOSE           1e-11 /* up to which the iteration may end because it gets no better */

void NsModalAddReaction(const NsRows *rows, PetscInt i, const PetscReal *lambda, PetscReal scale, PetscReal *f)
{
  for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) f[rows->touch[j]] += scale * lambda[k] * rows->value[j];
  }
}

PetscErrorCode NsModalPutTouched(const NsModel *model, const PetscReal *x, Vec to)
{
  const PetscInt *index = model->watch ? model->watch->index : model->touch;
  PetscReal      *value = NsVecArray(to);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < model->touches; k++) value[index[k]] = x[k];
  PetscFunctionReturn(0);
}

void NsModalLoadDisplacement(const NsModal *self, const PetscReal *size, PetscReal *r)
{
  const NsReduced *reduced = &self->reduced;

  if (!reduced->touches) return; /* nor are there arrays */
  for (PetscInt i = 0; i < reduced->touches; i++) r[i] = 0;
  for (PetscInt l = 0; l < reduced->loads; l++) {
    const PetscReal *displacement = reduced->load_contact + l * reduced->touches;
    for (PetscInt i = 0; i < reduced->touches; i++) r[i] += size[l] * displacement[i];
  }
}

/* Contacts that take part, by gaps at self->next; *fresh: there is a new one. */
static PetscErrorCode take_part(NsScheme *scheme, PetscReal t, PetscInt *count, PetscBool *fresh)
{
  NsModal   *self    = scheme->data;
  NsContact *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsModalPutTouched(scheme->model, self->next, self->at));
  PetscCall(NsContactGaps(contact, t, self->at));
  *count = 0;
  *fresh = PETSC_FALSE;
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (!self->part[i].taken && NsContactIsClosed(contact, i)) self->part[i].taken = *fresh = PETSC_TRUE;
    if (self->part[i].taken) self->list[(*count)++] = i;
  }
  PetscFunctionReturn(0);
}

/* lambda1 with the rows and gaps at self->next, and the resulting displacements into self->spare. */
static PetscErrorCode solve(NsScheme *scheme, PetscReal t, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsModal       *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  NsRows        *rows    = &self->w1;
  const PetscInt touches = self->reduced.touches;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t, self->at, count, self->list, rows));
  PetscCall(NsContactDelassus(contact, self->compliance, rows, rows));
  NsContactScale(contact, 1 / (dt * dt)); /* impulses dt lambda against gaps over dt: the units of all local problems */
  for (PetscInt i = 0; i < touches; i++) self->spare[i] = self->base[i] + self->shift[0][i];
  for (PetscInt i = 0; i < count; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const PetscBool normal = k == rows->start[i];
      self->b[k]             = normal ? NsContactLastGaps(contact)[self->list[i]] / dt : rows->drive[k];
      self->b[k] += (NsModalAlong(rows, k, self->spare) - NsModalAlong(rows, k, normal ? self->next : self->q0)) / dt;
    }
  }
  PetscCall(NsContactSolve(contact, rows, self->b, NULL, NULL, self->lambda1, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, rows, "forces"));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscArrayzero(self->f1, touches));
  for (PetscInt k = 0; k < rows->rows; k++) self->lambda1[k] /= dt;
  for (PetscInt i = 0; i < count; i++) NsModalAddReaction(rows, i, self->lambda1, 1, self->f1);
  NsModalAddProduct(touches, self->both, self->f1, 1, self->spare);
  PetscFunctionReturn(0);
}

/* Effect of the reaction of a row on its own gap: by the modes over the step, or by the flexibility. */
static PetscReal own(const NsModal *self, const NsRows *rows, PetscInt k, const PetscReal *A)
{
  PetscReal sum = 0;

  for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++)
    sum += rows->value[j] * NsModalAlong(rows, k, A + rows->touch[j] * self->reduced.touches);
  return sum;
}

/* Positive root of a x^2 + b x + c = 0 for a > 0 >= c, without cancellation. */
static PetscReal positive_root(PetscReal a, PetscReal b, PetscReal c)
{
  const PetscReal root = PetscSqrtReal(PetscMax(0, b * b - 4 * a * c));

  return b > 0 ? -2 * c / (b + root) : (root - b) / (2 * a);
}

static PetscReal within(PetscReal theta)
{
  return theta >= 0 ? PetscMin(theta, 1) : 1; /* also for NaN: 0/0 without gap and spring */
}

/*
  A contact that closes: with A and R for its own compliances, rho = R lambda + others, gap g at the beginning, and all else D,

      0 = g + D + A/2 (rho - others)/R theta + rho,   theta = rho/(rho + g).
*/
static void close_contact(NsModal *self, NsModalPart *part, PetscInt row, PetscReal gap, PetscReal rho)
{
  const PetscReal A = own(self, &self->w1, row, self->push) / 2, R = own(self, &self->w1, row, self->reduced.flexibility_contact);
  const PetscReal lambda = self->lambda1[row], others = rho - R * lambda, D = -gap - rho - A * (lambda - part->missing), kappa = A / R;
  const PetscReal better = positive_root(1 + kappa, 2 * gap + D - kappa * others, (gap + D) * gap), theta = within(better / (better + gap));
  const PetscReal then = (better - others) / R;

  part->share[1] = then > 0 && gap > 0 ? 1 - (1 - theta) * then / lambda : 1;
  part->missing  = (1 - part->share[1]) * lambda;
}

/*
  A contact that opens: A is the effect of its last reaction, acting over the whole step, on the gap x at the end, rho the displacement of its spring that is released,

      x = B + A theta,   theta = rho/(rho + x).
*/
static void open_contact(NsModalPart *part, PetscReal A, PetscReal gap, PetscReal rho)
{
  const PetscReal B = gap - A * part->share[0];

  part->share[0] =
    rho > 0 ? within(rho / (rho + positive_root(1, rho - B, -rho * (A + B)))) : 0; /* 0: other contacts that open, too, have loaded its spring */
}

/* theta of the contacts that close or open, and its effect on the displacements; *change: difference from the previous iteration, m. */
static void share_forces(NsScheme *scheme, PetscReal *change)
{
  NsModal       *self    = scheme->data;
  const NsRows  *rows    = &self->w1;
  const PetscInt touches = self->reduced.touches;

  NsModalLoadDisplacement(self, self->size[2], self->r1);
  NsModalAddProduct(touches, self->reduced.flexibility_contact, self->f1, 1, self->r1);
  for (PetscInt i = 0; i < touches; i++) self->deficit[1][i] = 0;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    NsModalPart       *part      = &self->part[rows->contact[i]];
    const NsCandidate *candidate = &scheme->model->candidate[rows->contact[i]];
    const PetscInt     k         = rows->start[i];
    const PetscBool    has       = self->lambda1[k] > 0;
    const PetscReal    rho       = NsModalAlong(rows, k, self->r1) - NsModalAlong(rows, k, self->r0);
    if (has == part->had || candidate->bilateral) {
      part->share[0] = part->share[1] = 1;
      part->missing                   = 0;
      continue;
    }
    if (has) {
      close_contact(self, part, k, PetscMax(0, NsContactLastReports(scheme->contact)[rows->contact[i]].gap), rho);
      NsModalAddReaction(rows, i, self->lambda1, (part->share[1] - 1) / 2, self->deficit[1]);
    } else {
      PetscReal pushed = 0;
      PetscInt  at     = 0;
      while (self->w0.contact[at] != rows->contact[i]) at++;
      NsModalAddReaction(&self->w0, at, self->lambda0, 0.5, self->row);
      for (PetscInt j = 0; j < touches; j++) {
        if (self->row[j] != 0) pushed += self->row[j] * NsModalAlong(rows, k, self->push + j * touches);
        self->row[j] = 0;
      }
      open_contact(part, pushed,
        NsContactLastGaps(scheme->contact)[rows->contact[i]] + NsModalAlong(rows, k, self->spare) - NsModalAlong(rows, k, self->next), -rho);
      NsModalAddReaction(&self->w0, at, self->lambda0, (part->share[0] - 1) / 2, self->deficit[1]);
    }
  }
  *change = 0;
  for (PetscInt i = 0; i < touches; i++) self->shift[1][i] = 0;
  NsModalAddProduct(touches, self->push, self->deficit[1], 1, self->shift[1]);
  for (PetscInt i = 0; i < touches; i++) *change = PetscMax(*change, PetscAbsReal(self->shift[1][i] - self->shift[0][i]));
}

/* No theta: the force acts over the whole step. */
static void share_nothing(NsScheme *scheme)
{
  NsModal *self = scheme->data;

  for (PetscInt i = 0; i < self->reduced.touches; i++) self->deficit[0][i] = self->shift[0][i] = 0;
  const PetscInt *active, actives = NsContactActive(scheme->contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    NsModalPart *part = &self->part[active[k]];
    part->share[0] = part->share[1] = 1;
    part->missing                   = 0;
  }
}

/* Where several contacts close or open at once, or with friction, the iteration for theta may cycle: then theta is not used. */
PetscErrorCode NsModalReact(NsScheme *scheme, PetscReal t, PetscReal dt, NsStepOutcome *outcome)
{
  NsModal       *self    = scheme->data;
  const NsModel *model   = scheme->model;
  const PetscInt touches = self->reduced.touches;
  PetscReal      change = 0, last = PETSC_MAX_REAL;
  PetscBool      settled = PETSC_FALSE, fresh = PETSC_FALSE;
  PetscInt       count = 0;

  PetscFunctionBegin;
  for (int iteration = 0; iteration < NS_MOST_ITERATIONS; iteration++) {
    PetscCall(take_part(scheme, t, &count, &fresh));
    if (!count || (settled && !fresh)) PetscFunctionReturn(0);
    if (iteration == NS_MOST_SHARING) {
      share_nothing(scheme);
      self->unshared++;
    }
    PetscCall(solve(scheme, t, dt, count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    change = 0;
    if (iteration < NS_MOST_SHARING) share_forces(scheme, &change);
    for (PetscInt i = 0; i < touches && !model->flat_contacts; i++) change = PetscMax(change, PetscAbsReal(self->spare[i] - self->next[i]));
    NsModalSwap(&self->next, &self->spare);
    settled = !(change > NS_SETTLED * model->length_scale) || (change <= NS_LOOSE * model->length_scale && change >= last);
    last    = fresh || iteration == NS_MOST_SHARING ? PETSC_MAX_REAL : change;
    if (settled || iteration >= NS_MOST_SHARING) continue;
    NsModalSwap(&self->deficit[0], &self->deficit[1]);
    NsModalSwap(&self->shift[0], &self->shift[1]);
  }
  if (change <= NS_LOOSE * model->length_scale) PetscFunctionReturn(0); /* oscillates by rounding */
  outcome->done = PETSC_FALSE;
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason),
    "the reactions of contacts do not converge in %d iterations (last change %.1e m); a shorter step may help", NS_MOST_ITERATIONS, change));
  PetscFunctionReturn(0);
}
