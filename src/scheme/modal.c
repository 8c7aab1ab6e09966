/*
  Modal exact scheme: free flight of linear models exact for any step, contact without mass of its own.

  The lowest modes move, all others give way statically, and what contact sees of the modes fades towards the end of the basis (reduced.h): a touched place is at
  q_c = Psi eta + R f with the reactions f = W lambda on it. From t0 to t1 = t0 + dt:

    1. eta, eta' without contact at t1, exactly (modal_flight.h)
    2. reactions lambda1 at t1, whose mean with those of t0 acts in the step:
         f_m = (W0 lambda0 + W1 lambda1)/2,   eta1 = eta_free + Q Psi' f_m,   q1 = Psi eta1 + R W1 lambda1,
         0 <= g(q1)  _|_  lambda1_N >= 0,   lambda1_T against the slip W1_T'(q1 - q0)/dt by Coulomb's law
       with G = W1'(Psi Q Psi'/2 + R) W1: a local problem in the size of what is closed; Newton's method on the gap where normals turn.

  So a contact is a light spring 1/R before the modes, not a mass that has to stop: no impulse, no loss. The mean of the forces keeps the energy; in a step that closes
  or opens a contact, a part theta of it does (modal_step.h).

  Step length: any; forces follow the modes as long as omega dt is not far above 1 at the end of the basis, and ring, without growing, beyond. Where nothing elastic gives way
  (rigid bodies, trusses across their line) a contact stops a mass, which takes an impulse: such are refused, and so is restitution, for the rebound comes out of the modes.

  Damping and gyroscopic terms of modes left out are left out; so is what the modes do not hold of the initial state (the ledger's `numerical` begins with it).

  Cost of a step: O(modes), for groups of modes that damping or gyroscopic terms couple their number squared; contact O(modes x touched unknowns). Unknowns beyond the touch list
  are made when somebody looks (`complete`).

  Static correction: R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968), with modes of the free body: R. H. MacNeal, Computers & Structures 1 (1971); S. Rubin, AIAA J. 13 (1975).
  Contact without mass and energy: H. B. Khenous, P. Laborde, Y. Renard, Eur. J. Mech. A/Solids 27 (2008).
*/
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "modal_step.h"

#define NS_MODES        40
#define NS_MOST_TOUCHED 50000000 /* numbers: touched unknowns times all of them */
#define NS_STIFF        1e-6     /* least give of a contact, in units of what the modes have at the end of the basis */

typedef struct {
  const NsNode *where;
  double        step;
  long          modes;
  double        up_to;
} NsSettings_Modal;

static PetscBool is_zero(PetscInt n, const PetscReal *x)
{
  for (PetscInt i = 0; i < n; i++) {
    if (x[i] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- set-up ---------------------------------------------------------------------------------------------------------------------------------------- */

static const char *NsSchemeRefuses_Modal(const NsModel *model, const void *settings)
{
  (void)settings;
  if (!model->ops->modes) return "it moves finite elements by their modes, and a mechanism has none";
  if (!model->linear) return "modes are those of linear forces, and here are rotors whose spin changes or is free";
  if (model->layout->ranks > 1) return "it runs on one process";
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    if (candidate->law.restitution > 0 || candidate->law.restitution_tangential > 0) {
      return NsArenaPrint(model->arena,
        "contact '%s' has a restitution; here contacts have no mass of their own that could bounce, the rebound comes out of the modes",
        candidate->name);
    }
  }
  return NULL;
}

static PetscErrorCode refuse(NsScheme *scheme, const char *key, const char *sentence)
{
  PetscFunctionBegin;
  scheme->refusal_key = key;
  PetscCall(PetscStrncpy(scheme->refusal, sentence, sizeof(scheme->refusal)));
  PetscFunctionReturn(0);
}

/* Whether a row gives way: else the mass of the modes would hit something hard. */
static PetscBool gives_way(const NsModal *self, const NsRows *rows, PetscInt k)
{
  const NsReduced *reduced = &self->reduced;
  PetscReal        give = 0, moving = 0;

  if (rows->first[k] == rows->first[k + 1]) return PETSC_TRUE;
  for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++)
    give += rows->value[j] * NsModalAlong(rows, k, reduced->give_contact + rows->touch[j] * reduced->touches);
  for (PetscInt m = 0; m < reduced->modes; m++) {
    PetscReal shape = 0;
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) shape += rows->value[j] * reduced->at_contact[rows->touch[j] * reduced->modes + m];
    moving += shape * shape;
  }
  return give > 0 && give * PetscSqr(reduced->end) >= NS_STIFF * moving ? PETSC_TRUE : PETSC_FALSE;
}

/* Contacts at which nothing gives way, as the model stands at the start. */
static PetscErrorCode check_contacts(NsScheme *scheme)
{
  NsModal *self  = scheme->data;
  NsModel *model = scheme->model;
  NsState  state;

  PetscFunctionBegin;
  PetscCall(model->ops->initial(model, &state));
  for (PetscInt i = 0; i < model->candidates && !*scheme->refusal; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    PetscBool          soft      = PETSC_TRUE;
    PetscCall(NsModelRows(model, 0, state.q, 1, &i, &self->w1));
    for (PetscInt k = 0; k < self->w1.rows; k++) {
      if (k == 0 || candidate->bilateral || candidate->law.friction > 0) soft = soft && gives_way(self, &self->w1, k) ? PETSC_TRUE : PETSC_FALSE;
    }
    if (soft) continue;
    PetscCall(refuse(scheme, NULL,
      NsArenaPrint(model->arena, "nothing elastic gives way at contact '%s', which would have to stop a mass at once; take a scheme with impulses",
        candidate->name)));
  }
  PetscCall(NsVecsDestroy(&state.q, &state.v, NULL));
  PetscFunctionReturn(0);
}

/* How many modes: as told; else NS_MODES, and with contacts not more than a third of all: the mesh itself has higher ones wrong, and rings with them. */
static PetscInt choose(const NsModel *model, const NsSettings_Modal *settings)
{
  if (settings->modes) return (PetscInt)PetscMin(settings->modes, model->unknowns);
  if (settings->up_to > 0) return 0;
  return PetscMax(1, PetscMin(NS_MODES, model->candidates ? model->unknowns / 3 : model->unknowns));
}

static PetscErrorCode check_modes(NsScheme *scheme, PetscInt found)
{
  const NsModal          *self     = scheme->data;
  const NsSettings_Modal *settings = scheme->settings;

  PetscFunctionBegin;
  if (!found) PetscCall(refuse(scheme, NULL, "it has no modes, for some unknown has no mass"));
  if (settings->modes > scheme->model->unknowns)
    PetscCall(
      refuse(scheme, "modes", NsArenaPrint(scheme->model->arena, "it has %d unknowns, and so many modes at most", (int)scheme->model->unknowns)));
  for (PetscInt j = 0; j < self->reduced.modes; j++) {
    if (isnan(self->reduced.omega[j])) PetscCall(refuse(scheme, NULL, "a body buckles: its lowest mode grows and has no frequency"));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeSetup_Modal(NsScheme *scheme)
{
  const NsSettings_Modal *settings = scheme->settings;
  NsModel                *model    = scheme->model;
  NsModal                *self;
  const PetscInt          touches = model->touches, rows = scheme->contact->rows, candidates = scheme->contact->candidates;
  PetscInt                found;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  if ((PetscInt64)touches * model->unknowns > NS_MOST_TOUCHED) {
    PetscCall(refuse(scheme, NULL,
      NsArenaPrint(model->arena, "contacts can touch %d of its %d unknowns: too many, for the static give of each is kept", (int)touches,
        (int)model->unknowns)));
    PetscFunctionReturn(0);
  }
  PetscCall(NsReducedCreate(model, choose(model, settings), settings->up_to, &found, &self->reduced));
  PetscCall(check_modes(scheme, found));
  if (*scheme->refusal) PetscFunctionReturn(0);
  const size_t   r = (size_t)self->reduced.modes, square = (size_t)touches * (size_t)touches;
  const PetscInt loads = self->reduced.loads;
  PetscCall(NsModalFlightCreate(&self->reduced, &self->flight));
  /* each block is freed by its first, so that the first never changes places */
  PetscCall(PetscCalloc5(square, &self->push, square, &self->both, r, &self->g, 2 * r, &self->x0, 2 * r, &self->x1));
  PetscCall(PetscCalloc7(loads, &self->size[1], loads, &self->size[0], loads, &self->size[2], loads, &self->work[0], loads, &self->work[1], loads,
    &self->rate[0], loads, &self->rate[1]));
  PetscCall(PetscCalloc6(touches, &self->base, touches, &self->q0, touches, &self->r0, touches, &self->r1, touches, &self->f0, touches, &self->f1));
  PetscCall(PetscCalloc7(touches, &self->row, touches, &self->next, touches, &self->spare, touches, &self->less[0], touches, &self->less[1], touches,
    &self->give[0], touches, &self->give[1]));
  PetscCall(PetscCalloc7(rows, &self->b, rows, &self->lambda0, rows, &self->lambda1, candidates, &self->part, candidates, &self->list, candidates,
    &self->held, rows, &self->velocity));
  PetscCall(NsRowsCreate(model, &self->w0));
  PetscCall(NsRowsCreate(model, &self->w1));
  PetscCall(NsVecsCreate(model, &self->at, NULL));
  self->loaded = is_zero((PetscInt)r, self->reduced.load + r) && loads == 2 ? PETSC_FALSE : PETSC_TRUE;
  self->damped =
    is_zero((PetscInt)(r * r), self->reduced.damping) && is_zero((PetscInt)(r * r), self->reduced.circulation) ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(check_contacts(scheme));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_Modal(NsScheme *scheme)
{
  NsModal *self = scheme->data;

  PetscFunctionBegin;
  scheme->contact->held     = NULL;
  scheme->contact->velocity = NULL;
  PetscCall(NsReducedDestroy(&self->reduced));
  PetscCall(NsModalFlightDestroy(&self->flight));
  PetscCall(NsComplianceDestroy(&self->compliance));
  PetscCall(PetscFree5(self->push, self->both, self->g, self->x0, self->x1));
  PetscCall(PetscFree7(self->size[1], self->size[0], self->size[2], self->work[0], self->work[1], self->rate[0], self->rate[1]));
  PetscCall(PetscFree6(self->base, self->q0, self->r0, self->r1, self->f0, self->f1));
  PetscCall(PetscFree7(self->row, self->next, self->spare, self->less[0], self->less[1], self->give[0], self->give[1]));
  PetscCall(PetscFree7(self->b, self->lambda0, self->lambda1, self->part, self->list, self->held, self->velocity));
  PetscCall(NsRowsDestroy(&self->w0));
  PetscCall(NsRowsDestroy(&self->w1));
  PetscCall(NsVecsDestroy(&self->at, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

/* ---- start ---------------------------------------------------------------------------------------------------------------------------------------- */

/* What belongs to the length of the step. */
static PetscErrorCode prepare(NsScheme *scheme, PetscReal dt)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   touches = reduced->touches, r = reduced->modes;

  PetscFunctionBegin;
  if (self->flight.dt == dt) PetscFunctionReturn(0);
  PetscCall(NsModalFlightPrepare(&self->flight, dt));
  if (!touches) PetscFunctionReturn(0);
  for (PetscInt j = 0; j < touches; j++) {
    PetscCall(PetscArrayzero(self->x1, 2 * r));
    NsModalPush(&self->flight, reduced->at_contact + j * r, self->x1);
    for (PetscInt i = 0; i < touches; i++) self->push[j * touches + i] = NsModalDot(r, reduced->at_contact + i * r, self->x1);
  }
  for (PetscInt k = 0; k < touches * touches; k++) self->both[k] = self->push[k] / 2 + reduced->give_contact[k];
  PetscCall(NsComplianceDestroy(&self->compliance));
  PetscCall(NsComplianceCreateKnown(scheme->model, self->both, &self->compliance));
  PetscFunctionReturn(0);
}

/* y += B x of columns B[columns, n]. */
static void add_columns(PetscInt n, PetscInt columns, const PetscReal *B, const PetscReal *x, PetscReal *y)
{
  const PetscBLASInt rows = (PetscBLASInt)n, width = (PetscBLASInt)columns, next = 1;
  const PetscReal    one = 1;

  if (columns) BLASgemv_("N", &rows, &width, &one, B, &rows, x, &next, &one, y, &next);
}

/* q, v of the modes, of what gives way under reactions, and under loads of these sizes (NULL: none). */
static PetscErrorCode assemble(const NsModal *self, const PetscReal *sizes, Vec whole_q, Vec whole_v)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   n       = reduced->unknowns;
  PetscScalar     *q, *v;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(whole_q));
  PetscCall(VecZeroEntries(whole_v));
  PetscCall(VecGetArray(whole_q, &q));
  PetscCall(VecGetArray(whole_v, &v));
  add_columns(n, reduced->modes, reduced->shape, self->x0, q);
  add_columns(n, reduced->modes, reduced->shape, self->x0 + reduced->modes, v);
  add_columns(n, reduced->touches, reduced->give, self->f0, q);
  if (sizes) add_columns(n, reduced->loads, reduced->load_give, sizes, q);
  PetscCall(VecRestoreArray(whole_v, &v));
  PetscCall(VecRestoreArray(whole_q, &q));
  PetscFunctionReturn(0);
}

/* What is not in the basis gives way to loads at once, at the start, too: what that stores is no gain of the scheme, but there from the beginning. */
static PetscErrorCode count_give(NsScheme *scheme, const NsState *state)
{
  NsModal  *self = scheme->data;
  NsEnergy  with, without;
  PetscReal change;
  Vec       q, v;

  PetscFunctionBegin;
  if (!self->loaded) PetscFunctionReturn(0);
  PetscCall(NsVecsCreate(scheme->model, &q, &v, NULL));
  PetscCall(assemble(self, NULL, q, v));
  PetscCall(NsModelEnergy(scheme->model, state->t, q, v, &without));
  PetscCall(assemble(self, self->size[0], q, v));
  PetscCall(NsModelEnergy(scheme->model, state->t, q, v, &with));
  change = with.elastic + with.potential - without.elastic - without.potential;
  scheme->ledger->initial += change;
  PetscCall(NsVecsDestroy(&q, &v, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_Modal(NsScheme *scheme, const NsState *state)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;

  PetscFunctionBegin;
  PetscCall(prepare(scheme, ((const NsSchemeSettings *)scheme->settings)->step));
  PetscCall(NsReducedProject(reduced, state->t, state->q, self->x0));
  PetscCall(NsReducedProject(reduced, state->t, state->v, self->x0 + r));
  PetscCall(scheme->model->ops->load_sizes(scheme->model, state->t, self->size[0]));
  NsModalLookAtLoads(self, self->x0, self->work[0], self->rate[0]);
  NsModalGiveOfLoads(self, self->size[0], self->r0);
  for (PetscInt i = 0; i < reduced->touches; i++) self->q0[i] = NsModalDot(r, reduced->at_contact + i * r, self->x0) + self->r0[i];
  PetscCall(PetscArrayzero(self->f0, reduced->touches));
  PetscCall(PetscArrayzero(self->part, scheme->contact->candidates));
  self->w0.contacts = self->w0.rows = 0;
  self->whole                       = self->loaded ? PETSC_FALSE : PETSC_TRUE; /* what gives way to loads does so at once */
  PetscCall(count_give(scheme, state));
  scheme->contact->held     = self->held;
  scheme->contact->velocity = self->velocity;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_Modal(NsScheme *scheme, NsMemory *memory)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  NsMemoryReals(memory, "x0", 2 * reduced->modes, self->x0);
  NsMemoryReals(memory, "size0", reduced->loads, self->size[0]);
  NsMemoryReals(memory, "work0", reduced->loads, self->work[0]);
  NsMemoryReals(memory, "rate0", reduced->loads, self->rate[0]);
  NsMemoryReals(memory, "q0", reduced->touches, self->q0);
  NsMemoryReals(memory, "r0", reduced->touches, self->r0);
  NsMemoryReals(memory, "f0", reduced->touches, self->f0);
  NsMemoryRows(memory, "w0", scheme->model, &self->w0);
  NsMemoryReals(memory, "lambda0", rows, self->lambda0);
  NsMemoryBytes(memory, "part", sizeof(*self->part) * (size_t)candidates, self->part);
  NsMemoryFlags(memory, "held", candidates, self->held);
  NsMemoryReals(memory, "velocity", rows, self->velocity);
  NsMemoryFlags(memory, "whole", 1, &self->whole);
  NsMemoryLong(memory, "unshared", &self->unshared);
  PetscFunctionReturn(0);
}

/* ---- the step ------------------------------------------------------------------------------------------------------------------------------------- */

/* Free flight, and where it would lead touched places with half of the old reactions. */
static PetscErrorCode fly(NsScheme *scheme, PetscReal t, PetscReal dt)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   touches = reduced->touches, r = reduced->modes;

  PetscFunctionBegin;
  if (reduced->loads > 2) {
    PetscCall(scheme->model->ops->load_sizes(scheme->model, t + dt / 2, self->size[1]));
    PetscCall(scheme->model->ops->load_sizes(scheme->model, t + dt, self->size[2]));
  } else
    self->size[2][0] = self->size[2][1] = 1;
  NsModalFly(&self->flight, self->x0, self->size, self->x1);
  NsModalGiveOfLoads(self, self->size[2], self->base);
  for (PetscInt i = 0; i < touches; i++) self->base[i] += NsModalDot(r, reduced->at_contact + i * r, self->x1);
  NsModalAddProduct(touches, self->push, self->f0, 0.5, self->base);
  for (PetscInt i = 0; i < touches; i++) {
    self->next[i]    = self->base[i];
    self->less[0][i] = self->give[0][i] = self->f1[i] = 0;
  }
  NsModalAddProduct(touches, self->both, self->f0, 1, self->next);
  self->w1.contacts = self->w1.rows = 0;
  for (PetscInt k = 0; k < scheme->contact->nears; k++) {
    NsModalPart *part = &self->part[scheme->contact->near[k]];
    part->taken       = part->had;
    part->share[0] = part->share[1] = 1;
    part->missing                   = 0;
  }
  PetscFunctionReturn(0);
}

/* What was the end becomes the beginning. */
static void turn_over(NsModal *self)
{
  const NsRows old = self->w0;

  self->w0 = self->w1;
  self->w1 = old;
  NsModalSwap(&self->lambda0, &self->lambda1);
  NsModalSwap(&self->x0, &self->x1);
  NsModalSwap(&self->f0, &self->f1);
  NsModalSwap(&self->r0, &self->r1);
  NsModalSwap(&self->q0, &self->next);
  NsModalSwap(&self->size[0], &self->size[2]);
  NsModalSwap(&self->work[0], &self->work[1]);
  NsModalSwap(&self->rate[0], &self->rate[1]);
}

/* Velocities of touched places are those of the modes: what gives way statically has no mass, and no part in the kinetic energy. */
static PetscErrorCode write_touched(NsScheme *scheme, NsState *x)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;

  PetscFunctionBegin;
  PetscCall(NsModalPutTouched(scheme->model, self->next, x->q));
  for (PetscInt i = 0; i < reduced->touches; i++) self->spare[i] = NsModalDot(r, reduced->at_touch + i * r, self->x1 + r);
  PetscCall(NsModalPutTouched(scheme->model, self->spare, x->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_Modal(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   touches = reduced->touches, r = reduced->modes;

  PetscFunctionBegin;
  PetscCall(prepare(scheme, dt));
  PetscCall(fly(scheme, x->t, dt));
  if (touches) {
    PetscCall(NsModalReact(scheme, x->t + dt, dt, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    NsModalGiveOfLoads(self, self->size[2], self->r1);
    NsModalAddProduct(touches, reduced->give_contact, self->f1, 1, self->r1);
    for (PetscInt i = 0; i < touches; i++) self->row[i] = (self->f0[i] + self->f1[i]) / 2 + self->less[0][i];
    for (PetscInt j = 0; j < r; j++) self->g[j] = 0;
    for (PetscInt i = 0; i < touches; i++) {
      for (PetscInt j = 0; j < r && self->row[i] != 0; j++) self->g[j] += self->row[i] * reduced->at_contact[i * r + j];
    }
    if (!is_zero(touches, self->row)) NsModalPush(&self->flight, self->g, self->x1);
    NsModalBookContacts(scheme, dt);
    PetscCall(NsModalReport(scheme, dt));
  }
  NsModalBookLoads(scheme, dt, self->row);
  for (PetscInt i = 0; i < touches; i++) self->row[i] = 0;
  PetscCall(write_touched(scheme, x));
  turn_over(self);
  self->whole = PETSC_FALSE;
  x->t += dt;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeComplete_Modal(NsScheme *scheme, NsState *x)
{
  NsModal *self = scheme->data;

  PetscFunctionBegin;
  if (!self->whole) PetscCall(assemble(self, self->size[0], x->q, x->v));
  self->whole = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscInt NsSchemeCount_Modal(const NsScheme *scheme, NsCounter *list)
{
  const NsModal *self = scheme->data;

  list[0] = (NsCounter){"modes", self->reduced.modes};
  list[1] = (NsCounter){"coupled_modes", self->reduced.modes - self->reduced.alone};
  list[2] = (NsCounter){"basis_ends_at_hz", (PetscInt64)PetscMin(self->reduced.end / (2 * PETSC_PI), 1e18)};
  list[3] = (NsCounter){"steps_without_theta", self->unshared};
  return 4;
}

static const NsKey modal_keys[] = {
  NS_STEP_KEY(NsSettings_Modal),
  {"modes", NS_KEY_INTEGER, offsetof(NsSettings_Modal, modes), .minimum = "1",
    .help    = "how many of the lowest modes move; equal frequencies stay together; without it 40, with contacts at most a third of all",
    .example = "40"},
  {"up_to", NS_KEY_NUMBER, offsetof(NsSettings_Modal, up_to), .dimension = NS_DIM_ANGULAR_VELOCITY, .minimum = "0 <",
    .help = "instead: those up to this frequency; Hz and rpm are turned into rad/s", .example = "20 kHz"},
  {NULL},
};
static const NsTable modal_table = {"modal", "modal exact scheme", modal_keys, sizeof(NsSettings_Modal), .at_most_one_of = "modes, up_to"};

const NsVariant NsSchemeVariant_Modal = {
  .name  = "modal",
  .title = "modal exact scheme: linear models, flight exact for any step, contacts without mass of their own",
  .about = "q = Phi eta + R W lambda,   eta'' + Phi'C Phi eta' + Omega^2 eta = Phi' (f + W lambda): the lowest modes move, the\n"
           "others give way statically. Flight is exact for any step (loads: as parabolas in a step, order 4). Contact:\n"
           "eta1 = eta_free + Q (W0 lambda0 + W1 lambda1)/2,   0 <= g(q1) _|_ lambda1 >= 0,   friction on the slip of the step.\n"
           "Reactions are forces; there is no impulse and no impact that takes energy: modes and contacts keep it to\n"
           "rounding where nothing rubs or damps (many contacts at once: to 1e-5); the ledger's impact is what contacts\n"
           "hold while they last. No step limit; forces ring, without growing, where the step is far above 1/omega of the\n"
           "highest modes. Penetration: none. Order 2 in contact; the error of a truncated basis falls with the number of\n"
           "modes.\n"
           "A step costs O(modes), O(modes^2) where dampers or gyroscopic terms couple them; whole states are made when\n"
           "written, O(unknowns modes): raise `every`. Set-up: an eigensolver, n^3 up to 2000 unknowns.\n"
           "Left out: damping of the modes left out, and what the modes do not hold of the initial state.\n"
           "Needs of a model: finite elements with linear forces on one process, no restitution, contacts at places where\n"
           "something elastic gives way.\n"
           "Reference: Craig, Bampton, AIAA J. 6 (1968); Rubin, AIAA J. 13 (1975); Khenous, Laborde, Renard, Eur. J. Mech.\n"
           "A/Solids 27 (2008).",
  .table = &modal_table,
};

const NsSchemeType NsSchemeType_Modal = {
  .variant = &NsSchemeVariant_Modal,
  .sheet =
    {
      .order         = 4,
      .order_impacts = 2,
      .level         = "position",
      .energy        = "kept to rounding, in contact too",
      .needs         = "linear forces, modes",
      .reference     = "Rubin, and Khenous, Laborde, Renard",
    },
  .implicit = PETSC_TRUE,
  .refuses  = NsSchemeRefuses_Modal,
  .setup    = NsSchemeSetup_Modal,
  .start    = NsSchemeStart_Modal,
  .remember = NsSchemeRemember_Modal,
  .step     = NsSchemeStep_Modal,
  .complete = NsSchemeComplete_Modal,
  .count    = NsSchemeCount_Modal,
  .destroy  = NsSchemeDestroy_Modal,
};
