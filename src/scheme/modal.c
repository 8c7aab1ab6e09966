/*
  Modal integration: free flight of linear models is exact for any step, contacts have no mass.

  The lowest modes are integrated, all others act by their residual flexibility, and the weight of the modes at contacts decreases to zero at the end of the basis (reduced.h): a contact point is at
  q_c = Psi eta + R f with the reactions f = W lambda on it. From t0 to t1 = t0 + dt:

    1. eta, eta' without contact at t1, exactly (modal_flight.h)
    2. reactions lambda1 at t1, whose mean with those of t0 acts in the step:
         f_m = (W0 lambda0 + W1 lambda1)/2,   eta1 = eta_free + Q Psi' f_m,   q1 = Psi eta1 + R W1 lambda1,
         0 <= g(q1)  _|_  lambda1_N >= 0,   lambda1_T against the slip W1_T'(q1 - q0)/dt by Coulomb's law
       with G = W1'(Psi Q Psi'/2 + R) W1: a local problem of the closed contacts; Newton's method on the gap if normals rotate.

  So a contact is a massless spring 1/R in series with the modes, not a mass that has to stop: no impulse, no loss. The mean of the forces conserves the energy; in a step that closes
  or opens a contact, the fraction theta of it does (modal_step.h).

  Step length: any; forces follow the modes as long as omega dt is not far above 1 at the end of the basis, and oscillate, without growing, beyond. Where there is no residual flexibility
  (rigid bodies, trusses across their line) a contact would have to stop a mass, which takes an impulse: such models are refused, and so is restitution, because the rebound comes from the modes.

  Damping and gyroscopic terms of the other modes are neglected; so is the part of the initial state that the modes do not represent (the initial value of the ledger's `numerical`).

  Cost of a step: O(modes), for groups of modes that damping or gyroscopic terms couple their number squared; contact O(modes x touched unknowns). Unknowns beyond the touch list
  are computed on demand (`complete`).

  Static correction: R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968), with modes of the free body: R. H. MacNeal, Computers & Structures 1 (1971); S. Rubin, AIAA J. 13 (1975).
  Contact without mass and energy: H. B. Khenous, P. Laborde, Y. Renard, Eur. J. Mech. A/Solids 27 (2008).
*/
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "modal_step.h"

#define NS_MODES        40
#define NS_MOST_TOUCHED 50000000 /* numbers: touched unknowns times all of them */
#define NS_STIFF        1e-6     /* least residual flexibility of a contact, relative to that of the modes at the end of the basis */

typedef struct {
  NsSchemeSettings scheme;
  long             modes;
  double           up_to;
  int              fade; /* NsFade */
} NsSettings_Modal;

static PetscBool is_zero(PetscInt n, const PetscReal *x)
{
  for (PetscInt i = 0; i < n; i++) {
    if (x[i] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- set-up ---------------------------------------------------------------------------------------------------------------------------------------- */

static const char *refuses(const NsModel *model, const void *settings)
{
  (void)settings;
  if (!model->analysis.modes) return "it integrates the modes of finite elements, and a mechanism has none";
  if (!model->linear)
    return "it needs linear forces; here a spring or bearing is nonlinear or has `from` or `until`, or the spin of a rotor changes or is free";
  if (model->layout->ranks > 1) return "it runs on one process";
  if (model->moved) return "supports or surfaces move; where the whole model is shaken, write `base: [{acceleration: ...}]`";
  if (model->slots) return NS_REFUSES_SLOTS;
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    char               name[NS_CANDIDATE_NAME];
    if (candidate->bilateral && candidate->off)
      return NsArenaPrint(model->arena, "the support of '%s' stops acting (`until`), which changes the modes", NsCandidateName(candidate, name));
    if (candidate->bilateral) return NsArenaPrint(model->arena, "bodies are joined by '%s' of a tie or link: mesh them as one body", candidate->name);
    if (candidate->law.restitution > 0 || candidate->law.restitution_tangential > 0) {
      return NsArenaPrint(model->arena, "contact '%s' has a restitution; set it to 0: contacts are massless, and the modes cause the rebound",
        NsCandidateName(candidate, name));
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

/* Whether a row has residual flexibility: else the mass of the modes would have to stop at once. */
static PetscBool has_flexibility(const NsModal *self, const NsRows *rows, PetscInt k)
{
  const NsReduced *reduced     = &self->reduced;
  PetscReal        flexibility = 0, moving = 0;

  if (rows->first[k] == rows->first[k + 1]) return PETSC_TRUE;
  for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++)
    flexibility += rows->value[j] * NsModalAlong(rows, k, reduced->flexibility_contact + rows->touch[j] * reduced->touches);
  for (PetscInt m = 0; m < reduced->modes; m++) {
    PetscReal shape = 0;
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) shape += rows->value[j] * reduced->at_contact[rows->touch[j] * reduced->modes + m];
    moving += shape * shape;
  }
  return flexibility > 0 && flexibility * PetscSqr(reduced->end) >= NS_STIFF * moving;
}

/* Refuses contacts without residual flexibility, in the initial configuration. */
static PetscErrorCode check_contacts(NsScheme *scheme)
{
  NsModal *self  = scheme->data;
  NsModel *model = scheme->model;
  NsState  state;

  PetscFunctionBegin;
  PetscCall(model->dynamics.initial(model, &state));
  for (PetscInt i = 0; i < model->candidates && !*scheme->refusal; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    char               name[NS_CANDIDATE_NAME];
    PetscBool          soft = PETSC_TRUE;
    PetscCall(NsModelRows(model, 0, state.q, 1, &i, &self->w1));
    for (PetscInt k = 0; k < self->w1.rows; k++) {
      if (k == 0 || candidate->bilateral || candidate->law.friction > 0) soft = soft && has_flexibility(self, &self->w1, k);
    }
    if (soft) continue;
    PetscCall(refuse(scheme, NULL,
      NsArenaPrint(model->arena, "contact '%s' has no residual flexibility and would have to stop a mass at once; use a scheme with impulses",
        NsCandidateName(candidate, name))));
  }
  PetscCall(NsVecsDestroy(&state.q, &state.v, NULL));
  PetscFunctionReturn(0);
}

/* How many modes: as given; else NS_MODES, and with contacts at most a third of all: the mesh does not represent higher ones correctly, and they oscillate. */
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
  if (!found) PetscCall(refuse(scheme, NULL, "it needs mass at every degree of freedom, and some have none"));
  if (settings->modes > scheme->model->unknowns)
    PetscCall(refuse(scheme, "modes",
      NsArenaPrint(
        scheme->model->arena, "it has only %d degrees of freedom, and `modes` must not exceed this number", (int)scheme->model->unknowns)));
  for (PetscInt j = 0; j < self->reduced.modes; j++) {
    if (isnan(self->reduced.omega[j])) PetscCall(refuse(scheme, NULL, "a body buckles: its lowest mode grows and has no frequency"));
  }
  PetscFunctionReturn(0);
}

static void serialize_parts(void *data, NsArchive *archive)
{
  NsModal *self = data;

  NsArchiveBytes(archive, "part", sizeof(*self->part) * (size_t)self->candidates, self->part);
}

/* Scratch, and the history. */
static PetscErrorCode declare_arrays(NsScheme *scheme, NsWorkspace *work)
{
  NsModal         *self = scheme->data;
  const PetscInt64 r = self->reduced.modes, loads = self->reduced.loads, touches = self->reduced.touches;

  PetscFunctionBegin;
  self->candidates = work->candidates;
  PetscCall(NsWorkTakesCompliance(work, &self->compliance));
  PetscCall(NsWorkReals(work, touches * touches, &self->push, &self->both, NULL));
  PetscCall(NsWorkReals(work, r, &self->g, NULL));
  PetscCall(NsWorkReals(work, 2 * r, &self->x1, NULL));
  PetscCall(NsWorkReals(work, loads, &self->size[1], &self->size[2], &self->work[1], &self->rate[1], NULL));
  PetscCall(NsWorkReals(work, touches, &self->base, &self->r1, &self->f1, &self->row, &self->next, &self->spare, &self->deficit[0], &self->deficit[1],
    &self->shift[0], &self->shift[1], NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->b, &self->lambda1, NULL));
  PetscCall(NsWorkInts(work, work->candidates, &self->list, NULL));
  PetscCall(NsWorkBytes(work, sizeof(*self->part) * (size_t)work->candidates, &self->part));
  PetscCall(NsWorkRows(work, &self->w1, NULL));
  PetscCall(NsWorkVecs(work, &self->at, NULL));
  PetscCall(NsHistoryReals(work, "x0", 2 * r, &self->x0));
  PetscCall(NsHistoryReals(work, "size0", loads, &self->size[0]));
  PetscCall(NsHistoryReals(work, "work0", loads, &self->work[0]));
  PetscCall(NsHistoryReals(work, "rate0", loads, &self->rate[0]));
  PetscCall(NsHistoryReals(work, "q0", touches, &self->q0));
  PetscCall(NsHistoryReals(work, "r0", touches, &self->r0));
  PetscCall(NsHistoryReals(work, "f0", touches, &self->f0));
  PetscCall(NsHistoryRows(work, "w0", &self->w0));
  PetscCall(NsHistoryReals(work, "lambda0", work->rows, &self->lambda0));
  PetscCall(NsHistoryOther(work, serialize_parts, self));
  PetscCall(NsHistoryFlags(work, "held", work->candidates, &self->held));
  PetscCall(NsHistoryReals(work, "velocity", work->rows, &self->velocity));
  PetscCall(NsHistoryFlag(work, "whole", &self->whole));
  PetscCall(NsHistoryCounts(work, "unshared", 1, &self->unshared));
  PetscFunctionReturn(0);
}

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  const NsSettings_Modal *settings = scheme->settings;
  NsModel                *model    = scheme->model;
  NsModal                *self     = scheme->data;
  PetscInt                found;

  PetscFunctionBegin;
  PetscCall(NsSchemeAddsPositions(scheme));
  if ((PetscInt64)model->touches * model->unknowns > NS_MOST_TOUCHED) {
    PetscCall(refuse(scheme, NULL,
      NsArenaPrint(model->arena, "contacts can act on %d of its %d degrees of freedom: too many, because the residual flexibility of each is stored",
        (int)model->touches, (int)model->unknowns)));
    PetscFunctionReturn(0);
  }
  PetscCall(NsReducedMake(model, choose(model, settings), settings->up_to, (NsFade)settings->fade, &found, &self->reduced));
  PetscCall(check_modes(scheme, found));
  if (*scheme->refusal) PetscFunctionReturn(0);
  const PetscInt r = self->reduced.modes;
  PetscCall(NsModalFlightDeclare(work, &self->reduced, &self->flight));
  PetscCall(declare_arrays(scheme, work));
  self->loaded     = !is_zero(r, self->reduced.load + r) || self->reduced.loads != 2;
  self->circulates = !is_zero(r * r, self->reduced.circulation);
  self->damped     = !is_zero(r * r, self->reduced.damping) || self->circulates;
  PetscCall(check_contacts(scheme));
  PetscFunctionReturn(0);
}

/* ---- start ---------------------------------------------------------------------------------------------------------------------------------------- */

/* Prepares what depends on the length of the step. */
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
  for (PetscInt k = 0; k < touches * touches; k++) self->both[k] = self->push[k] / 2 + reduced->flexibility_contact[k];
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

/* q, v of the modes, with the static displacements by reactions and by loads of these sizes (NULL: none). */
static PetscErrorCode assemble(const NsModal *self, const PetscReal *sizes, Vec whole_q, Vec whole_v)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   n       = reduced->unknowns;
  PetscScalar     *q, *v;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(whole_q));
  PetscCall(VecZeroEntries(whole_v));
  q = NsVecArray(whole_q);
  v = NsVecArray(whole_v);
  add_columns(n, reduced->modes, reduced->shape, self->x0, q);
  add_columns(n, reduced->modes, reduced->shape, self->x0 + reduced->modes, v);
  add_columns(n, reduced->touches, reduced->flexibility, self->f0, q);
  if (sizes) add_columns(n, reduced->loads, reduced->load_flexibility, sizes, q);
  PetscFunctionReturn(0);
}

/* The residual flexibility responds to loads at once, also at the start: the energy it stores then belongs to the initial energy. */
static PetscErrorCode book_flexibility(NsScheme *scheme, const NsState *state)
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

static PetscErrorCode start(NsScheme *scheme, const NsState *state)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;

  PetscFunctionBegin;
  PetscCall(prepare(scheme, ((const NsSchemeSettings *)scheme->settings)->step));
  PetscCall(NsReducedProject(reduced, state->t, state->q, self->x0));
  PetscCall(NsReducedProject(reduced, state->t, state->v, self->x0 + r));
  PetscCall(scheme->model->analysis.load_sizes(scheme->model, state->t, self->size[0]));
  NsModalLookAtLoads(self, self->x0, self->work[0], self->rate[0]);
  NsModalLoadDisplacement(self, self->size[0], self->r0);
  for (PetscInt i = 0; i < reduced->touches; i++) self->q0[i] = NsModalDot(r, reduced->at_contact + i * r, self->x0) + self->r0[i];
  PetscCall(PetscArrayzero(self->f0, reduced->touches));
  PetscCall(PetscArrayzero(self->part, scheme->model->candidates));
  self->w0.contacts = self->w0.rows = 0;
  self->whole                       = !self->loaded; /* the residual flexibility responds to loads at once */
  PetscCall(book_flexibility(scheme, state));
  NsContactSetHeld(scheme->contact, self->held, self->velocity);
  PetscFunctionReturn(0);
}

/* The static displacement by the contacts that have ended leaves. Those that last begin with it anew, and their energy returns in the next step: it is not taken out here. */
static PetscErrorCode settle(NsScheme *scheme, NsState *x, NsStepOutcome *outcome)
{
  NsModal *self = scheme->data;

  PetscFunctionBegin;
  (void)outcome; /* always */
  if (!self->w0.contacts) PetscFunctionReturn(0);
  NsModalEndContacts(scheme);
  PetscCall(assemble(self, self->size[0], x->q, x->v));
  PetscFunctionReturn(0);
}

/* ---- the step ------------------------------------------------------------------------------------------------------------------------------------- */

/* Free flight, and the displacements of the touch list that would follow with half of the old reactions. */
static PetscErrorCode fly(NsScheme *scheme, PetscReal t, PetscReal dt)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   touches = reduced->touches, r = reduced->modes;

  PetscFunctionBegin;
  if (reduced->loads > 2) {
    PetscCall(scheme->model->analysis.load_middles(scheme->model, t, dt, self->size[1]));
    PetscCall(scheme->model->analysis.load_sizes(scheme->model, t + dt, self->size[2]));
  } else
    self->size[2][0] = self->size[2][1] = 1;
  NsModalFly(&self->flight, self->x0, self->size, self->x1);
  NsModalLoadDisplacement(self, self->size[2], self->base);
  for (PetscInt i = 0; i < touches; i++) self->base[i] += NsModalDot(r, reduced->at_contact + i * r, self->x1);
  NsModalAddProduct(touches, self->push, self->f0, 0.5, self->base);
  for (PetscInt i = 0; i < touches; i++) {
    self->next[i]       = self->base[i];
    self->deficit[0][i] = self->shift[0][i] = self->f1[i] = 0;
  }
  NsModalAddProduct(touches, self->both, self->f0, 1, self->next);
  self->w1.contacts = self->w1.rows = 0;
  const PetscInt *active, actives = NsContactActive(scheme->contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    NsModalPart *part = &self->part[active[k]];
    part->taken       = part->had;
    part->share[0] = part->share[1] = 1;
    part->missing                   = 0;
  }
  PetscFunctionReturn(0);
}

/* The end of the step becomes the beginning of the next. */
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

/* Velocities of contact points are those of the modes: the residual flexibility has no mass and no kinetic energy. */
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

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
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
    NsModalLoadDisplacement(self, self->size[2], self->r1);
    NsModalAddProduct(touches, reduced->flexibility_contact, self->f1, 1, self->r1);
    for (PetscInt i = 0; i < touches; i++) self->row[i] = (self->f0[i] + self->f1[i]) / 2 + self->deficit[0][i];
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

static PetscErrorCode complete(NsScheme *scheme, NsState *x)
{
  NsModal *self = scheme->data;

  PetscFunctionBegin;
  if (!self->whole) PetscCall(assemble(self, self->size[0], x->q, x->v));
  self->whole = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscInt count(const NsScheme *scheme, NsCounter *list)
{
  const NsModal *self = scheme->data;

  list[0] = (NsCounter){"modes", self->reduced.modes};
  list[1] = (NsCounter){"coupled_modes", self->reduced.modes - self->reduced.alone};
  list[2] = (NsCounter){"basis_ends_at_hz", (PetscInt64)PetscMin(self->reduced.end / (2 * PETSC_PI), 1e18)};
  list[3] = (NsCounter){"steps_without_theta", self->unshared};
  return 4;
}

static const NsKey keys[] = {
  NS_STEP_KEY,
  {"modes", NS_KEY_INTEGER, offsetof(NsSettings_Modal, modes), .minimum = "1",
    .help    = "number of modes, from the lowest on; modes of equal frequency stay together; default: 40, with contacts at most a third of all",
    .example = "40"},
  {"up_to", NS_KEY_NUMBER, offsetof(NsSettings_Modal, up_to), .dimension = NS_DIM_ANGULAR_VELOCITY, .minimum = "0 <",
    .help = "all modes up to this frequency; Hz and rpm are converted to rad/s", .example = "20 kHz"},
  {"fade", NS_KEY_CHOICE, offsetof(NsSettings_Modal, fade), .choices = NsFadeWords, .default_value = "2",
    .help =
      "how the weights of modes at contacts decrease towards the end of the basis; 2: for contact forces; balanced: for motion and forces after many impacts; 2.7, off: for the motion",
    .example = "balanced"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_Modal = {
  .variant =
    {
      .name  = "modal",
      .title = "modal integration: linear models, flight exact for any step, massless contacts",
      .about =
        "The lowest modes are integrated; all others act by their residual flexibility. Flight is exact for any step; loads are interpolated by a parabola within a "
        "step. Contact forces act on the modes through the residual flexibility: no impulse, no loss at impacts, no penetration. Friction "
        "acts on the slip of the step.\n"
        "Forces oscillate, without growing, where the step is far above 1/omega of the highest modes. The error of a truncated basis "
        "decreases with the number of modes; `fade` chooses whether at contacts the motion or the force has more of it. Gaps and penetrations are those of the contact, in series "
        "with the flexibility that `fade` adds; probes and frames show the nodes of the mesh, which differ by this flexibility times the force (not with `fade: off`). While contacts last, the `impact` energy contains what they store elastically.\n"
        "A step costs O(modes), O(modes^2) where dampers or gyroscopic terms couple them; whole states are assembled only when written: "
        "raise `every`. Set-up solves an eigenvalue problem. Damping of the omitted modes is neglected, and so is the part of the initial state that the modes do not "
        "represent: `start: static` with closed contacts is at rest only approximately, best with `fade: off`.\n",
      .table = &(const NsTable){"modal", "modal integration", keys, sizeof(NsSettings_Modal), .at_most_one_of = "modes, up_to"},
    },
  .sheet =
    {
      .order         = 4,
      .order_impacts = 2,
      .level         = "position",
      .energy        = "conserved to rounding, in contact too",
      .needs         = "linear forces, modes",
      .cited         = "Rubin, and Khenous, Laborde, Renard",
      .step_limit    = "none",
      .theory        = "schemes_elastic",
      .reference     = "R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968); S. Rubin, AIAA J. 13 (1975); H. B. Khenous, P. Laborde, Y. Renard, Eur. J. "
                       "Mech. A/Solids 27 (2008)",
    },
  .implicit = PETSC_TRUE,
  .refuses  = refuses,
  .laws     = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC,
  .size     = sizeof(NsModal),
  .declare  = declare,
  .start    = start,
  .settle   = settle,
  .step     = step,
  .complete = complete,
  .count    = count,
};
