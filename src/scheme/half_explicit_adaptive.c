/*
  Half-explicit scheme on velocity level with step size control: steps as long as their error allows, short at impacts, below the stability limit.

  The step itself is that of T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous Galerkin
  methods, Fig. 9 (half_explicit.c, trapezoidal.h). Its length h:

    longest    the least of `step` and 0.7 of the limit that the model's highest frequencies set (scheme->step_limit), where that is known: not for mechanisms
    in flight  the local error of q1 = q0 + h v0 + h^2/2 a0 is h^3/6 q''', and q''' is the change of acceleration:

                   e = h^2/6 (M1^-1 h(t1, q1, v_a) - M0^-1 h(t0, q0, v0)),   largest component <= tolerance times the largest coordinate so far (at least 1e-6 of the length)

               A step with a larger error is repeated, and the next one is chosen, by h 0.9 (allowed/e)^(1/3), at most five times as long (dae/control.h). Reactions are left out:
               those of elastic bodies oscillate from step to step, whatever its length.
    impacts    a step that closes a contact is repeated to end just before, where the straight line through its gaps at both ends is zero, until it is at
               most `impact_step` long; the step that follows is as short, and then steps grow again. So impulses occur at impacts only, at most one impact_step late;
               penetration is at most impact_step |u^-|.

    friction   a contact that begins to stick, or reverses its slip, jumps in its friction force by d in the step: q1 then has an error of up to h^2/8 M1^-1 W1 d, which is held to the tolerance, too, by
               shorter steps. A step across it of sqrt(8 e/|M^-1 W d|) is enough: the time of the jump is not looked for.

    loads      a step ends where a load or a speed jumps or bends, and is at most a twentieth of their shortest period (jumps.h): a body at rest has no error that would show them.

  No step is shorter than impact_step, whatever its error, but for those that end at a jump. The error of velocities is not controlled: on elastic bodies it is that of the highest modes, which the mesh does not
  represent anyway.

  Cost: that of the half-explicit scheme, and about six more steps at an impact, one or two of them rejected before their local problem.
*/
#include "dae/control.h"
#include "jumps.h"
#include "trapezoidal.h"

#define NS_OF_LIMIT     0.7 /* of the stability limit: steps of 0.9 and 0.5 of it in turn grow 1.7 times a pair; no two below 1/sqrt(2) do */
#define NS_OF_STEP      0.01
#define NS_LEAST_SIZE   1e-6 /* of the model's length: motion that begins from nothing is as large at least */
#define NS_MOST_SECANTS 8
#define NS_SLIPS        1e-9 /* part of the largest friction force that rounding may take from a slip */
#define NS_OF_PERIOD    0.05 /* the trapezoidal rule has half a sine wave within 1 % */

typedef struct {
  NsTrapezoidalSettings common;
  double                tolerance, impact_step;
} NsSettings_HalfExplicitAdaptive;

typedef struct {
  NsTrapezoidal common;
  Vec           a, e;              /* a0 without reactions; e */
  PetscReal    *jump;              /* [rows] of friction forces */
  PetscReal     longest, shortest; /* s */
  PetscReal     next;              /* s: the length that the last step proposes */
  PetscReal     size;              /* the largest coordinate so far */
  PetscReal     last;              /* error of the last step, relative to the allowed one */
  PetscInt64    tried, rejected;
} NsScheme_HalfExplicitAdaptive;

static const char *refuses(const NsModel *model, const void *settings)
{
  const NsSettings_HalfExplicitAdaptive *self = settings;

  (void)model;
  return self && self->impact_step > self->common.scheme.step ? "impact_step, the shortest step, is longer than `step`, the longest" : NULL;
}

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_HalfExplicitAdaptive *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalDeclare(scheme, work));
  PetscCall(NsWorkVecs(work, &self->a, &self->e, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->jump, NULL));
  PetscCall(NsHistoryNumbers(work, "longest", 1, &self->longest));
  PetscCall(NsHistoryNumbers(work, "next", 1, &self->next));
  PetscCall(NsHistoryNumbers(work, "size", 1, &self->size));
  PetscCall(NsHistoryNumbers(work, "last", 1, &self->last));
  PetscCall(NsHistoryCounts(work, "tried", 1, &self->tried));
  PetscCall(NsHistoryCounts(work, "rejected", 1, &self->rejected));
  PetscFunctionReturn(0);
}

static PetscErrorCode start(NsScheme *scheme, const NsState *state)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsScheme_HalfExplicitAdaptive         *own      = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalStart(scheme, state));
  own->longest  = PetscMin(settings->common.scheme.step, NS_OF_LIMIT * scheme->step_limit);
  own->shortest = settings->impact_step > 0 ? PetscMin(settings->impact_step, own->longest) : NS_OF_STEP * own->longest;
  own->next     = own->longest;
  own->size     = NS_LEAST_SIZE * scheme->model->length_scale;
  own->last     = 0;
  PetscCall(NsControlGrow(scheme->model, state->q, &own->size));
  PetscFunctionReturn(0);
}

/* e of the flight over h, relative to the allowed error. */
static PetscErrorCode flight_error(NsScheme *scheme, PetscReal h, PetscReal *ratio)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsScheme_HalfExplicitAdaptive         *own      = scheme->data;
  NsTrapezoidal                         *self     = &own->common;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(own->e, -1, own->a, self->a1));
  PetscCall(VecScale(own->e, h * h / 6));
  PetscCall(NsControlRatio(scheme->model, own->e, self->q1, 0, settings->tolerance, own->size, ratio));
  PetscFunctionReturn(0);
}

/* Time from the beginning of the step to the first closing of a newly closed contact, by linear interpolation of its gap. */
static PetscReal time_of_impact(const NsScheme *scheme, PetscReal h)
{
  const NsTrapezoidal *self    = scheme->data;
  const NsContact     *contact = scheme->contact;
  PetscReal            first   = h;

  for (PetscInt i = 0; i < self->w1.contacts; i++) {
    const PetscInt  k     = self->w1.contact[i];
    const PetscReal begin = PetscMax(0, NsContactLastReports(contact)[k].gap), end = self->hold ? self->hold->gap[k] : NsContactLastGaps(contact)[k];
    if (self->newly[i]) first = PetscMin(first, end < begin ? h * begin / (begin - end) : 0);
  }
  return first;
}

/* A flight of at most *h whose error is allowed and which closes no contact, or the shortest one: its length, whether it has an impact, and the length of the next step. */
static PetscErrorCode fly(NsScheme *scheme, const NsState *x, PetscReal *h, PetscBool *impact, PetscReal *next, NsStepOutcome *outcome)
{
  NsScheme_HalfExplicitAdaptive *own     = scheme->data;
  NsTrapezoidal                 *self    = &own->common;
  PetscBool                      landed  = PETSC_FALSE;
  PetscInt                       secants = 0;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalBegin(scheme, x));
  PetscCall(VecCopy(self->a0, own->a));
  for (;; own->rejected++) {
    PetscReal ratio, shorter = *h;
    own->tried++;
    PetscCall(NsTrapezoidalEulerStage(scheme, x, *h, self->closed, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsTrapezoidalPosition(scheme, x, *h, impact, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(flight_error(scheme, *h, &ratio));
    if (!(ratio <= 1)) shorter = *h * NsControlChange(ratio, 3);
    if (*impact && *h > own->shortest) {
      const PetscReal before = secants++ < NS_MOST_SECANTS ? time_of_impact(scheme, *h) - own->shortest / 2 : *h / 2;
      shorter                = PetscMin(shorter, before);
      landed                 = PETSC_TRUE;
    }
    *next   = *impact || landed ? own->shortest : *h * NsControlKeep(NsControlChange(PetscMax(ratio, own->last), 3));
    shorter = PetscMax(shorter, PetscMin(*h, own->shortest));
    if (!(shorter < *h)) {
      own->last = ratio;
      PetscFunctionReturn(0);
    }
    *h = shorter;
    PetscCall(VecCopy(own->a, self->a0));
    self->w0.contacts = self->w0.rows = 0;
  }
}

/* Of contact i of w1: the jumps of its tangential forces, where it sticks after slip, slips after stick, or slips the other way; whether it does. */
static PetscBool friction_jumps(const NsScheme *scheme, PetscInt i, PetscReal h, PetscReal *jump)
{
  const NsTrapezoidal   *self      = scheme->data;
  const PetscInt         k         = self->w1.contact[i];
  const NsCandidate     *candidate = &scheme->model->candidate[k];
  const NsContactReport *last      = &NsContactLastReports(scheme->contact)[k];
  const PetscReal       *P         = self->P1 + self->w1.start[i];
  PetscReal              now = 0, along = 0;

  for (PetscInt d = 0; d < candidate->directions; d++) jump[d] = 0;
  if (candidate->directions < 2 || (last->state != NS_STICK && last->state != NS_SLIP)) return PETSC_FALSE;
  for (PetscInt d = 1; d < candidate->directions; d++) {
    const PetscReal force = 2 / h * P[d];
    jump[d]               = force - last->force[d];
    now += force * force;
    along += force * last->force[d];
  }
  const PetscReal most  = 2 / h * NsContactFriction(scheme->contact, k) * P[0];
  const PetscBool slips = PetscSqrtReal(now) > (1 - NS_SLIPS) * most;
  return slips != (last->state == NS_SLIP) || along < 0;
}

/* The error that they cause over h, over what is allowed; 0 without such contacts. */
static PetscErrorCode friction_error(NsScheme *scheme, PetscReal h, PetscReal *ratio)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsScheme_HalfExplicitAdaptive         *own      = scheme->data;
  NsTrapezoidal                         *self     = &own->common;
  PetscBool                              jumps    = PETSC_FALSE;

  PetscFunctionBegin;
  *ratio = 0;
  for (PetscInt i = 0; i < self->w1.contacts; i++) {
    PetscReal      *jump = own->jump + self->w1.start[i];
    const PetscBool does = friction_jumps(scheme, i, h, jump);
    for (PetscInt d = 0; d < scheme->model->candidate[self->w1.contact[i]].directions && !does; d++) jump[d] = 0;
    jumps = jumps || does;
  }
  if (!jumps) PetscFunctionReturn(0);
  PetscCall(VecZeroEntries(own->e));
  PetscCall(NsComplianceApply(self->mass, &self->w1, own->jump, h * h / 8, own->e));
  PetscCall(NsControlRatio(scheme->model, own->e, self->q1, 0, settings->tolerance, own->size, ratio));
  PetscFunctionReturn(0);
}

/* The forces of a step without an impact, or a shorter *h, with *again, where friction jumps too much in it. */
static PetscErrorCode push(NsScheme *scheme, const NsState *x, PetscReal *h, PetscBool *again, NsStepOutcome *outcome)
{
  NsScheme_HalfExplicitAdaptive *own  = scheme->data;
  NsTrapezoidal                 *self = &own->common;
  PetscReal                      ratio;

  PetscFunctionBegin;
  *again = PETSC_FALSE;
  PetscCall(NsTrapezoidalForceStep(scheme, x, *h, outcome));
  if (!outcome->done || !(*h > own->shortest)) PetscFunctionReturn(0);
  PetscCall(friction_error(scheme, *h, &ratio));
  if (ratio <= 1) PetscFunctionReturn(0);
  *again = PETSC_TRUE;
  *h     = PetscMax(own->shortest, *h * NsControlChange(ratio, 2));
  for (PetscInt i = 0; i < self->w1.contacts; i++) NsContactReports(scheme->contact)[self->w1.contact[i]] = (NsContactReport){.state = NS_OPEN};
  PetscCall(VecCopy(own->a, self->a0));
  self->known = PETSC_TRUE; /* to begin the step anew */
  own->rejected++;
  PetscFunctionReturn(0);
}

static PetscErrorCode try_step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsScheme_HalfExplicitAdaptive         *own      = scheme->data;
  PetscReal                              h, next;
  PetscBool                              impact, again;
  NsTimes                                times;

  PetscFunctionBegin;
  PetscCall(NsModelTimes(scheme->model, x->t, x->v, &times));
  own->longest  = PetscMin(own->longest, NS_OF_LIMIT * scheme->step_limit); /* which falls while a free spin rises */
  own->shortest = PetscMin(own->shortest, own->longest);
  h             = PetscMin(PetscMin(dt, NsJumpStep(&times, x->t, NS_OF_PERIOD)), PetscMin(own->next, own->longest));
  do {
    again = PETSC_FALSE;
    PetscCall(fly(scheme, x, &h, &impact, &next, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (!impact) PetscCall(push(scheme, x, &h, &again, outcome));
  } while (again);
  if (impact && settings->common.restitution_of == 1)
    PetscCall(NsTrapezoidalImpactStep(scheme, x, h, outcome));
  else if (impact)
    PetscCall(NsTrapezoidalNewlyStep(scheme, x, h, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsTrapezoidalFinish(scheme, x, h));
  PetscCall(NsControlGrow(scheme->model, x->q, &own->size));
  own->next = PetscMax(own->shortest, PetscMin(own->longest, next));
  if (!NsJumpIsAt(&times, x->t)) PetscFunctionReturn(0);
  x->t = times.next;
  PetscCall(NsJumpArrive(scheme->model, x->v, &x->t));
  own->common.known = PETSC_FALSE;   /* a0 is that after the jump, */
  own->next         = own->shortest; /* and steps grow from there */
  PetscFunctionReturn(0);
}

/* A step that is given up leaves no trace: repeated after a stop it is the same. */
static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_HalfExplicitAdaptive *own   = scheme->data;
  const PetscReal                last  = own->last;
  const PetscInt64               tried = own->tried, rejected = own->rejected;

  PetscFunctionBegin;
  PetscCall(try_step(scheme, x, dt, outcome));
  if (outcome->done) PetscFunctionReturn(0);
  own->last     = last;
  own->tried    = tried;
  own->rejected = rejected;
  PetscFunctionReturn(0);
}

static PetscInt count(const NsScheme *scheme, NsCounter *list)
{
  const NsScheme_HalfExplicitAdaptive *own = scheme->data;

  list[0] = (NsCounter){"steps_tried", own->tried};
  list[1] = (NsCounter){"steps_rejected", own->rejected};
  return 2;
}

static const NsKey keys[] = {
  {"step", NS_KEY_NUMBER, offsetof(NsSchemeSettings, step), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "longest step; at most 0.7 of the critical time step, if that is known", .example = "0.1 ms"},
  {"tolerance", NS_KEY_NUMBER, offsetof(NsSettings_HalfExplicitAdaptive, tolerance), .default_value = "1e-6", .minimum = "0 <", .maximum = "1",
    .help = "error of positions in a step, relative to the largest coordinate so far", .example = "1e-5"},
  {"impact_step", NS_KEY_NUMBER, offsetof(NsSettings_HalfExplicitAdaptive, impact_step), .dimension = NS_DIM_TIME, .default_value = "0",
    .minimum = "0", .help = "shortest step, used at impacts; 0: a hundredth of the longest", .example = "0.1 us"},
  NS_RESTITUTION_OF_KEY,
  NS_POSITIONS_KEY(NsTrapezoidalSettings),
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_HalfExplicitAdaptive = {
  .variant =
    {
      .name  = "half_explicit_adaptive",
      .title = "half-explicit on velocity level with step size control, short steps at impacts",
      .about =
        "As scheme.half_explicit, with steps between impact_step and `step`. In flight a step is as long as its local error allows "
        "(tolerance); this error includes the jump of the friction force where slip ends or reverses. A step that would close a contact ends just before the impact, and a step of at most impact_step then closes it. Penetration is at most impact_step "
        "times the approach velocity.\n"
        "For models whose suitable step is not known, and for few impacts. Steps stay below the critical time step, if that is known. "
        "For mechanisms it is not: choose a `step` that resolves their motion. Energy drifts within the tolerance.\n"
        "Coordinates are compared as they are, m and rad: use a smaller tolerance for a shaft that makes many turns. Long steps make "
        "curved joints drift: use positions: held. run.json counts tried and rejected steps; `every` of outputs counts steps, long and short alike.\n" NS_POSITIONS_ABOUT,
      .table =
        &(const NsTable){"half_explicit_adaptive", "half-explicit scheme with step size control", keys, sizeof(NsSettings_HalfExplicitAdaptive)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "drifts within its tolerance; e near 1 increases it with long steps",
      .needs         = "",
      .cited         = "Schindler et al. Fig. 9",
      .step_limit    = "chosen by the scheme: at most 0.7 of that of half_explicit",
      .theory        = "schemes_velocity",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, Fig. 9; E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4",
    },
  .refuses       = refuses,
  .laws          = NS_LAWS,
  .size          = sizeof(NsScheme_HalfExplicitAdaptive),
  .declare       = declare,
  .start         = start,
  .step          = step,
  .varies        = PETSC_TRUE,
  .adapts        = PETSC_TRUE,
  .bounded       = PETSC_TRUE,
  .amplification = NsTrapezoidalAmplification,
  .count         = count,
};
