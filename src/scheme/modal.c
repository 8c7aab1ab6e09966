/*
  Modal exact scheme: free flight of linear models exact for any step, contact without mass of its own.

  The lowest modes move, all others give way statically, and what contact sees of the modes fades towards the end of the basis (reduced.h): a touched place is at
  q_c = Psi eta + R f with the reactions f = W lambda on it. From t0 to t1 = t0 + dt:

    1. eta, eta' without contact at t1, exactly (modal_flight.h)
    2. reactions lambda1 at t1, whose mean with those of t0 acts in the step:
         f_m = (W0 lambda0 + W1 lambda1)/2,   eta1 = eta_free + Q Psi' f_m,   q1 = Psi eta1 + R W1 lambda1,
         0 <= g(q1)  _|_  lambda1_N >= 0,   lambda1_T against the slip W1_T'(q1 - q0)/dt by Coulomb's law
       with G = W1'(Psi Q Psi'/2 + R) W1: a local problem in the size of what is closed; Newton's method on the gap where normals turn.

  So a contact is a light spring 1/R before the modes, not a mass that has to stop: no impulse, no loss. With the mean of the forces, lasting contact keeps the energy of modes
  and springs exactly: what f_m does to the modes is what the springs lose. In a step that closes or opens a contact the mean would err by lambda times the gap that is left
  over; there the force acts for the part theta of the step in which the contact is closed if the gap changes evenly,

         f_m = theta (lambda0 + lambda1)/2,   theta = -dr/(dg - dr)        dg: change of the gap, dr: of the spring in it

  and the energy is kept in these steps, too. theta is found by iteration, for one contact without friction in closed form. It stays between 0 and 1: where many contacts
  open at once that leaves some 1e-5 of the energy unaccounted for.

  Step length: any; forces follow the modes as long as omega dt is not far above 1 at the end of the basis, and ring, without growing, beyond. Where nothing elastic gives way
  (rigid bodies, trusses across their line) a contact stops a mass, which takes an impulse: such are refused, and so is restitution, for the rebound comes out of the modes.

  Damping and gyroscopic terms of modes left out are left out; so is what the modes do not hold of the initial state (the ledger's `numerical` begins with it).

  Cost of a step: O(modes), for groups of modes that damping or gyroscopic terms couple their number squared; contact O(modes x touched unknowns). Unknowns beyond the touch list
  are made when somebody looks (`complete`).

  Energy is booked by what happened to the modes: work of loads by a rule of order 4; dampers have what is missing then. What contact holds in its give beside that of the model is
  in `impact` while it lasts.

  Static correction: R. R. Craig, M. C. C. Bampton, AIAA J. 6 (1968), with modes of the free body: R. H. MacNeal, Computers & Structures 1 (1971); S. Rubin, AIAA J. 13 (1975).
  Contact without mass and energy: H. B. Khenous, P. Laborde, Y. Renard, Eur. J. Mech. A/Solids 27 (2008).
*/
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "modal_flight.h"
#include "percuss/scheme.h"

#define NS_MODES        40
#define NS_MOST_ROUNDS  60
#define NS_MOST_SHARING 20       /* of these with theta */
#define NS_SETTLED      1e-14    /* of the model's length: changes of a round that are rounding */
#define NS_LOOSE        1e-11    /* up to which the iteration may end because it gets no better */
#define NS_MOST_TOUCHED 50000000 /* numbers: touched unknowns times all of them */
#define NS_STIFF        1e-6     /* least give of a contact, in units of what the modes have at the end of the basis */

typedef struct {
  const NsNode *where;
  double        step;
  long          modes;
  double        up_to;
} NsSettings_Modal;

/* One candidate in this step. */
typedef struct {
  PetscBool taken, had; /* takes part; had a reaction at the beginning */
  PetscReal share[2];   /* of the reactions at the beginning and at the end that acts: theta */
  PetscReal missing;    /* N: what theta took from the normal reaction of the end in the last round */
} Part;

typedef struct {
  NsReduced     reduced;
  NsModalFlight flight;
  NsCompliance *compliance;        /* Psi Q Psi'/2 + R */
  PetscReal    *push, *both;       /* [touches, touches] Psi Q Psi'; the numbers of the compliance */
  PetscReal    *x0, *x1, *g;       /* [2 modes] (eta, eta'); [modes] */
  PetscReal    *size[3];           /* [loads] at the beginning, the middle, the end */
  PetscReal    *work[2], *rate[2]; /* [loads] F_k' Phi eta and its rate at the beginning and at the end */
  PetscReal    *q0, *r0, *r1;      /* [touches] where touched places are at t0; the static part of it, and at t1 */
  PetscReal    *f0, *f1;           /* [touches] W lambda */
  PetscReal    *base, *next;       /* [touches] q without new reactions; q of a round */
  PetscReal    *less[2], *give[2]; /* [touches] what theta takes from f_m, and what that does to q: as used, and better */
  PetscReal    *spare, *row;       /* [touches] scratch; row is zero between uses */
  NsRows        w0, w1;
  PetscReal    *lambda0, *lambda1, *b; /* [rows] N, N, m/s */
  Part         *part;                  /* [candidates] */
  PetscInt     *list;                  /* [candidates] who takes part */
  PetscBool    *held;                  /* [candidates] */
  PetscReal    *velocity;              /* [rows] of all candidates */
  Vec           at;                    /* touched places of q1, where gaps are looked at */
  PetscBool     damped, loaded, whole;
  PetscInt64    unshared; /* steps whose theta was left out */
} NsModal;

/* ---- small algebra on the touch list ------------------------------------------------------------------------------------------------------------- */

/* y += scale A f for a symmetric A[n, n] and an f that is mostly zero. */
static void add_product(PetscInt n, const PetscReal *A, const PetscReal *f, PetscReal scale, PetscReal *y)
{
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal part = scale * f[j];
    if (part == 0) continue;
    for (PetscInt i = 0; i < n; i++) y[i] += part * A[j * n + i];
  }
}

/* f += scale W lambda of the rows of contact i. */
static void add_reaction(const NsRows *rows, PetscInt i, const PetscReal *lambda, PetscReal scale, PetscReal *f)
{
  for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) f[rows->touch[j]] += scale * lambda[k] * rows->value[j];
  }
}

static PetscReal along(const NsRows *rows, PetscInt k, const PetscReal *x)
{
  PetscReal sum = 0;

  for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) sum += rows->value[j] * x[rows->touch[j]];
  return sum;
}

static PetscReal dot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static PetscBool is_zero(PetscInt n, const PetscReal *x)
{
  for (PetscInt i = 0; i < n; i++) {
    if (x[i] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void swap(PetscReal **a, PetscReal **b)
{
  PetscReal *old = *a;

  *a = *b;
  *b = old;
}

static PetscErrorCode put_touched(const NsModel *model, const PetscReal *x, Vec to)
{
  const PetscInt *place = model->watch ? model->watch->place : model->touch;
  PetscScalar    *value;

  PetscFunctionBegin;
  PetscCall(VecGetArray(to, &value));
  for (PetscInt k = 0; k < model->touches; k++) value[place[k]] = x[k];
  PetscCall(VecRestoreArray(to, &value));
  PetscFunctionReturn(0);
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
    give += rows->value[j] * along(rows, k, reduced->give_contact + rows->touch[j] * reduced->touches);
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
    for (PetscInt i = 0; i < touches; i++) self->push[j * touches + i] = dot(r, reduced->at_contact + i * r, self->x1);
  }
  for (PetscInt k = 0; k < touches * touches; k++) self->both[k] = self->push[k] / 2 + reduced->give_contact[k];
  PetscCall(NsComplianceDestroy(&self->compliance));
  PetscCall(NsComplianceCreateKnown(scheme->model, self->both, &self->compliance));
  PetscFunctionReturn(0);
}

/* What loads give at touched places, without the modes. */
static void give_of_loads(const NsModal *self, const PetscReal *size, PetscReal *r)
{
  const NsReduced *reduced = &self->reduced;

  for (PetscInt i = 0; i < reduced->touches; i++) r[i] = 0;
  for (PetscInt l = 0; l < reduced->loads; l++) {
    const PetscReal *give = reduced->load_contact + l * reduced->touches;
    for (PetscInt i = 0; i < reduced->touches; i++) r[i] += size[l] * give[i];
  }
}

/* F_k' Phi eta and its rate. */
static void look_at_loads(const NsModal *self, const PetscReal *x, PetscReal *work, PetscReal *rate)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;

  for (PetscInt l = 0; l < reduced->loads && (self->loaded || self->damped); l++) {
    work[l] = dot(r, reduced->load + l * r, x);
    rate[l] = dot(r, reduced->load + l * r, x + r);
  }
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
  look_at_loads(self, self->x0, self->work[0], self->rate[0]);
  give_of_loads(self, self->size[0], self->r0);
  for (PetscInt i = 0; i < reduced->touches; i++) self->q0[i] = dot(r, reduced->at_contact + i * r, self->x0) + self->r0[i];
  PetscCall(PetscArrayzero(self->f0, reduced->touches));
  PetscCall(PetscArrayzero(self->part, scheme->contact->candidates));
  self->w0.contacts = self->w0.rows = 0;
  self->whole                       = PETSC_TRUE;
  scheme->contact->held             = self->held;
  scheme->contact->velocity         = self->velocity;
  PetscFunctionReturn(0);
}

/* ---- reactions ------------------------------------------------------------------------------------------------------------------------------------ */

/* Who takes part, by gaps at self->next; *fresh: someone new. */
static PetscErrorCode take_part(NsScheme *scheme, PetscReal t, PetscInt *count, PetscBool *fresh)
{
  NsModal   *self    = scheme->data;
  NsContact *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(put_touched(scheme->model, self->next, self->at));
  PetscCall(NsContactGaps(contact, t, self->at));
  *count = 0;
  *fresh = PETSC_FALSE;
  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt i = contact->near[k];
    if (!self->part[i].taken && NsContactIsClosed(contact, i)) self->part[i].taken = *fresh = PETSC_TRUE;
    if (self->part[i].taken) self->list[(*count)++] = i;
  }
  PetscFunctionReturn(0);
}

/* lambda1 with the rows and gaps at self->next, and into self->spare where that leads. */
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
  for (PetscInt i = 0; i < touches; i++) self->spare[i] = self->base[i] + self->give[0][i];
  for (PetscInt i = 0; i < count; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const PetscBool normal = k == rows->start[i] ? PETSC_TRUE : PETSC_FALSE;
      self->b[k]             = normal ? contact->gap[self->list[i]] / dt : rows->drive[k];
      self->b[k] += (along(rows, k, self->spare) - along(rows, k, normal ? self->next : self->q0)) / dt;
    }
  }
  PetscCall(NsContactSolve(contact, rows, self->b, NULL, NULL, self->lambda1, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, rows, "forces"));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscArrayzero(self->f1, touches));
  for (PetscInt k = 0; k < rows->rows; k++) self->lambda1[k] /= dt;
  for (PetscInt i = 0; i < count; i++) add_reaction(rows, i, self->lambda1, 1, self->f1);
  add_product(touches, self->both, self->f1, 1, self->spare);
  PetscFunctionReturn(0);
}

/* A reaction force of a row on its own gap: by the modes over the step, or by the static give. */
static PetscReal own(const NsModal *self, const NsRows *rows, PetscInt k, const PetscReal *A)
{
  PetscReal sum = 0;

  for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) sum += rows->value[j] * along(rows, k, A + rows->touch[j] * self->reduced.touches);
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
  return theta >= 0 ? PetscMin(theta, 1) : 1; /* also what is no number: no gap, no spring */
}

/*
  A contact that closes: with A and R for its own compliances, rho = R lambda + others, gap g at the beginning, and all else D,

      0 = g + D + A/2 (rho - others)/R theta + rho,   theta = rho/(rho + g).
*/
static void close_contact(NsModal *self, Part *part, PetscInt row, PetscReal gap, PetscReal rho)
{
  const PetscReal A = own(self, &self->w1, row, self->push) / 2, R = own(self, &self->w1, row, self->reduced.give_contact);
  const PetscReal lambda = self->lambda1[row], others = rho - R * lambda, D = -gap - rho - A * (lambda - part->missing), kappa = A / R;
  const PetscReal better = positive_root(1 + kappa, 2 * gap + D - kappa * others, (gap + D) * gap), theta = within(better / (better + gap));
  const PetscReal then = (better - others) / R;

  part->share[1] = then > 0 && gap > 0 ? 1 - (1 - theta) * then / lambda : 1;
  part->missing  = (1 - part->share[1]) * lambda;
}

/*
  One that opens: A is what its last reaction, acting through the whole step, does to the gap x at the end, rho what its spring gives back,

      x = B + A theta,   theta = rho/(rho + x).
*/
static void open_contact(Part *part, PetscReal A, PetscReal gap, PetscReal rho)
{
  const PetscReal B = gap - A * part->share[0];

  part->share[0] =
    rho > 0 ? within(rho / (rho + positive_root(1, rho - B, -rho * (A + B)))) : 0; /* 0: others, which open too, have pressed its spring */
}

/* theta of the contacts that close or open, and what it takes from the motion; *change: how much that differs from before, m. */
static void share_forces(NsScheme *scheme, PetscReal *change)
{
  NsModal       *self    = scheme->data;
  const NsRows  *rows    = &self->w1;
  const PetscInt touches = self->reduced.touches;

  give_of_loads(self, self->size[2], self->r1);
  add_product(touches, self->reduced.give_contact, self->f1, 1, self->r1);
  for (PetscInt i = 0; i < touches; i++) self->less[1][i] = 0;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    Part              *part      = &self->part[rows->contact[i]];
    const NsCandidate *candidate = &scheme->model->candidate[rows->contact[i]];
    const PetscInt     k         = rows->start[i];
    const PetscBool    has       = self->lambda1[k] > 0 ? PETSC_TRUE : PETSC_FALSE;
    const PetscReal    rho       = along(rows, k, self->r1) - along(rows, k, self->r0);
    if (has == part->had || candidate->bilateral) {
      part->share[0] = part->share[1] = 1;
      part->missing                   = 0;
      continue;
    }
    if (has) {
      close_contact(self, part, k, PetscMax(0, scheme->contact->last_report[rows->contact[i]].gap), rho);
      add_reaction(rows, i, self->lambda1, (part->share[1] - 1) / 2, self->less[1]);
    } else {
      PetscReal pushed = 0;
      PetscInt  at     = 0;
      while (self->w0.contact[at] != rows->contact[i]) at++;
      add_reaction(&self->w0, at, self->lambda0, 0.5, self->row);
      for (PetscInt j = 0; j < touches; j++) {
        if (self->row[j] != 0) pushed += self->row[j] * along(rows, k, self->push + j * touches);
        self->row[j] = 0;
      }
      open_contact(part, pushed, scheme->contact->gap[rows->contact[i]] + along(rows, k, self->spare) - along(rows, k, self->next), -rho);
      add_reaction(&self->w0, at, self->lambda0, (part->share[0] - 1) / 2, self->less[1]);
    }
  }
  *change = 0;
  for (PetscInt i = 0; i < touches; i++) self->give[1][i] = 0;
  add_product(touches, self->push, self->less[1], 1, self->give[1]);
  for (PetscInt i = 0; i < touches; i++) *change = PetscMax(*change, PetscAbsReal(self->give[1][i] - self->give[0][i]));
}

/* No theta: the force acts through the whole step. */
static void share_nothing(NsScheme *scheme)
{
  NsModal *self = scheme->data;

  for (PetscInt i = 0; i < self->reduced.touches; i++) self->less[0][i] = self->give[0][i] = 0;
  for (PetscInt k = 0; k < scheme->contact->nears; k++) {
    Part *part     = &self->part[scheme->contact->near[k]];
    part->share[0] = part->share[1] = 1;
    part->missing                   = 0;
  }
}

/* Reactions of the end of the step, and where they lead: self->next. Where several contacts close or open at once, or with friction, theta may turn in circles: then it is left out. */
static PetscErrorCode react(NsScheme *scheme, PetscReal t, PetscReal dt, NsStepOutcome *outcome)
{
  NsModal       *self    = scheme->data;
  const NsModel *model   = scheme->model;
  const PetscInt touches = self->reduced.touches;
  PetscReal      change = 0, last = PETSC_MAX_REAL;
  PetscBool      settled = PETSC_FALSE, fresh = PETSC_FALSE;
  PetscInt       count = 0;

  PetscFunctionBegin;
  for (int round = 0; round < NS_MOST_ROUNDS; round++) {
    PetscCall(take_part(scheme, t, &count, &fresh));
    if (!count || (settled && !fresh)) PetscFunctionReturn(0);
    if (round == NS_MOST_SHARING) {
      share_nothing(scheme);
      self->unshared++;
    }
    PetscCall(solve(scheme, t, dt, count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    change = 0;
    if (round < NS_MOST_SHARING) share_forces(scheme, &change);
    for (PetscInt i = 0; i < touches && !model->flat_contacts; i++) change = PetscMax(change, PetscAbsReal(self->spare[i] - self->next[i]));
    swap(&self->next, &self->spare);
    settled = !(change > NS_SETTLED * model->length_scale) || (change <= NS_LOOSE * model->length_scale && change >= last) ? PETSC_TRUE : PETSC_FALSE;
    last    = fresh || round == NS_MOST_SHARING ? PETSC_MAX_REAL : change;
    if (settled || round >= NS_MOST_SHARING) continue;
    swap(&self->less[0], &self->less[1]);
    swap(&self->give[0], &self->give[1]);
  }
  outcome->done = PETSC_FALSE;
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason),
    "the reactions of contacts do not converge in %d rounds (last change %.1e m); a shorter step may help", NS_MOST_ROUNDS, change));
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
  give_of_loads(self, self->size[2], self->base);
  for (PetscInt i = 0; i < touches; i++) self->base[i] += dot(r, reduced->at_contact + i * r, self->x1);
  add_product(touches, self->push, self->f0, 0.5, self->base);
  for (PetscInt i = 0; i < touches; i++) {
    self->next[i]    = self->base[i];
    self->less[0][i] = self->give[0][i] = self->f1[i] = 0;
  }
  add_product(touches, self->both, self->f0, 1, self->next);
  self->w1.contacts = self->w1.rows = 0;
  for (PetscInt k = 0; k < scheme->contact->nears; k++) {
    Part *part     = &self->part[scheme->contact->near[k]];
    part->taken    = part->had;
    part->share[0] = part->share[1] = 1;
    part->missing                   = 0;
  }
  PetscFunctionReturn(0);
}

static PetscReal energy_of(const NsReduced *reduced, const PetscReal *x)
{
  PetscReal twice = 0;

  for (PetscInt i = 0; i < reduced->modes; i++) twice += PetscSqr(x[reduced->modes + i]) + PetscSqr(reduced->omega[i] * x[i]);
  return twice / 2;
}

/* Static part of what load l moves along. */
static PetscReal static_work(const NsReduced *reduced, PetscInt l, const PetscReal *f, const PetscReal *size)
{
  return dot(reduced->touches, reduced->load_touch + l * reduced->touches, f) + dot(reduced->loads, reduced->load_load + l * reduced->loads, size);
}

/*
  Work of loads on the modes: of a parabola with mean a and change da on a motion y, int a y' = a Dy + da dt/12 D(y') + O(dt^5); on what gives way statically, by the mean of both
  ends. Dampers, and bearings that circulate, have what the modes then lack. `mean`: reactions as they acted.
*/
static void book_loads(NsScheme *scheme, PetscReal dt, const PetscReal *mean)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  NsLedger        *ledger  = scheme->ledger;
  PetscReal        gain    = 0;

  if (!self->loaded && !self->damped) return;
  look_at_loads(self, self->x1, self->work[1], self->rate[1]);
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
  for (PetscInt i = 0; i < reduced->touches; i++) gain += mean[i] * (self->next[i] - self->r1[i] - self->q0[i] + self->r0[i]);
  ledger->damping += gain - (energy_of(reduced, self->x1) - energy_of(reduced, self->x0));
}

/* What contact takes into its give beside that of the model: the mean of the reactions at both ends on how that changes. */
static PetscReal held_back(const NsModal *self)
{
  const NsReduced *reduced = &self->reduced;
  const PetscInt   touches = reduced->touches;
  PetscReal        work    = 0;

  for (PetscInt i = 0; i < touches; i++) {
    const PetscReal mean = (self->f0[i] + self->f1[i]) / 2, *contact = reduced->give_contact + i * touches,
                    *touch = reduced->give_touch + i * touches;
    if (mean == 0) continue;
    for (PetscInt j = 0; j < touches; j++) work += mean * (contact[j] - touch[j]) * (self->f1[j] - self->f0[j]);
    for (PetscInt l = 0; l < reduced->loads; l++)
      work += mean * (reduced->load_contact[l * touches + i] - reduced->load_touch[l * touches + i]) * (self->size[2][l] - self->size[0][l]);
  }
  return work;
}

/* Work of friction and of surfaces that move by themselves; the normal parts do none but by errors, which the ledger shows. */
static void book_contacts(NsScheme *scheme, PetscReal dt, int end)
{
  NsModal         *self   = scheme->data;
  NsLedger        *ledger = scheme->ledger;
  const NsRows    *rows   = end ? &self->w1 : &self->w0;
  const PetscReal *lambda = end ? self->lambda1 : self->lambda0;

  if (!NsRowsWork(rows)) return;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscReal share = self->part[rows->contact[i]].share[end];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const PetscReal still = along(rows, k, self->r1) - along(rows, k, self->r0),
                      slip  = along(rows, k, self->next) - along(rows, k, self->q0) + dt * rows->drive[k];
      if (k > rows->start[i]) ledger->friction -= lambda[k] / 2 * (share * slip + (1 - share) * still);
      ledger->load -= share * lambda[k] / 2 * dt * rows->drive[k];
    }
  }
}

/* Reports, and who begins the next step with a reaction. The gap of a contact that is closed has no rate, though its modes do: the static give makes up for it. */
static PetscErrorCode report(NsScheme *scheme, PetscReal dt)
{
  NsModal      *self    = scheme->data;
  NsContact    *contact = scheme->contact;
  const NsRows *rows    = &self->w1;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < contact->nears; k++) {
    self->held[contact->near[k]]     = PETSC_FALSE;
    self->part[contact->near[k]].had = PETSC_FALSE;
  }
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt  candidate = rows->contact[i], first = rows->start[i];
    const PetscBool has       = self->lambda1[first] > 0 || scheme->model->candidate[candidate].bilateral ? PETSC_TRUE : PETSC_FALSE;
    self->part[candidate].had = has;
    self->held[candidate]     = has || NsContactIsClosed(contact, candidate) ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt k = first; k < rows->start[i + 1]; k++) {
      const PetscReal slip                                  = (along(rows, k, self->next) - along(rows, k, self->q0)) / dt + rows->drive[k];
      self->velocity[contact->first[candidate] + k - first] = k == first && has ? 0 : slip;
    }
  }
  PetscCall(NsContactReportForce(contact, rows, self->lambda1, 1));
  PetscFunctionReturn(0);
}

/* What was the end becomes the beginning. */
static void turn_over(NsModal *self)
{
  const NsRows old = self->w0;

  self->w0 = self->w1;
  self->w1 = old;
  swap(&self->lambda0, &self->lambda1);
  swap(&self->x0, &self->x1);
  swap(&self->f0, &self->f1);
  swap(&self->r0, &self->r1);
  swap(&self->q0, &self->next);
  swap(&self->size[0], &self->size[2]);
  swap(&self->work[0], &self->work[1]);
  swap(&self->rate[0], &self->rate[1]);
}

/* Velocities of touched places are those of the modes: what gives way statically has no mass, and no part in the kinetic energy. */
static PetscErrorCode write_touched(NsScheme *scheme, NsState *x)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   r       = reduced->modes;

  PetscFunctionBegin;
  PetscCall(put_touched(scheme->model, self->next, x->q));
  for (PetscInt i = 0; i < reduced->touches; i++) self->spare[i] = dot(r, reduced->at_touch + i * r, self->x1 + r);
  PetscCall(put_touched(scheme->model, self->spare, x->v));
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
    PetscCall(react(scheme, x->t + dt, dt, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    give_of_loads(self, self->size[2], self->r1);
    add_product(touches, reduced->give_contact, self->f1, 1, self->r1);
    for (PetscInt i = 0; i < touches; i++) self->row[i] = (self->f0[i] + self->f1[i]) / 2 + self->less[0][i];
    for (PetscInt j = 0; j < r; j++) self->g[j] = 0;
    for (PetscInt i = 0; i < touches; i++) {
      for (PetscInt j = 0; j < r && self->row[i] != 0; j++) self->g[j] += self->row[i] * reduced->at_contact[i * r + j];
    }
    if (!is_zero(touches, self->row)) NsModalPush(&self->flight, self->g, self->x1);
    for (int end = 0; end < 2; end++) book_contacts(scheme, dt, end);
    scheme->ledger->impact += held_back(self);
    PetscCall(report(scheme, dt));
  }
  book_loads(scheme, dt, self->row);
  for (PetscInt i = 0; i < touches; i++) self->row[i] = 0;
  PetscCall(write_touched(scheme, x));
  turn_over(self);
  self->whole = PETSC_FALSE;
  x->t += dt;
  PetscFunctionReturn(0);
}

/* y += B x of columns B[columns, n]. */
static void add_columns(PetscInt n, PetscInt columns, const PetscReal *B, const PetscReal *x, PetscReal *y)
{
  const PetscBLASInt rows = (PetscBLASInt)n, width = (PetscBLASInt)columns, next = 1;
  const PetscReal    one = 1;

  if (columns) BLASgemv_("N", &rows, &width, &one, B, &rows, x, &next, &one, y, &next);
}

static PetscErrorCode NsSchemeComplete_Modal(NsScheme *scheme, NsState *x)
{
  NsModal         *self    = scheme->data;
  const NsReduced *reduced = &self->reduced;
  const PetscInt   n       = reduced->unknowns;
  PetscScalar     *q, *v;

  PetscFunctionBegin;
  if (self->whole) PetscFunctionReturn(0);
  self->whole = PETSC_TRUE;
  PetscCall(VecZeroEntries(x->q));
  PetscCall(VecZeroEntries(x->v));
  PetscCall(VecGetArray(x->q, &q));
  PetscCall(VecGetArray(x->v, &v));
  add_columns(n, reduced->modes, reduced->shape, self->x0, q);
  add_columns(n, reduced->modes, reduced->shape, self->x0 + reduced->modes, v);
  add_columns(n, reduced->touches, reduced->give, self->f0, q);
  add_columns(n, reduced->loads, reduced->load_give, self->size[0], q);
  PetscCall(VecRestoreArray(x->v, &v));
  PetscCall(VecRestoreArray(x->q, &q));
  PetscFunctionReturn(0);
}

static PetscInt NsSchemeCount_Modal(const NsScheme *scheme, NsCounter *list)
{
  const NsModal *self = scheme->data;

  list[0] = (NsCounter){"modes", self->reduced.modes};
  list[1] = (NsCounter){"coupled_modes", self->reduced.modes - self->reduced.alone};
  list[2] = (NsCounter){"basis_ends_at_hz", (PetscInt64)(self->reduced.end / (2 * PETSC_PI))};
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
  .step     = NsSchemeStep_Modal,
  .complete = NsSchemeComplete_Modal,
  .count    = NsSchemeCount_Modal,
  .destroy  = NsSchemeDestroy_Modal,
};
