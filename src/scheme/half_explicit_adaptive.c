/*
  Half-explicit scheme on velocity level with steps of chosen length: as long as their error allows, short at impacts, below the stability limit.

  The step itself is that of T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous Galerkin
  methods, Fig. 9 (half_explicit.c, trapezoidal.h). Its length h:

    longest    the least of `step` and 0.7 of the limit that the model's highest frequencies set (scheme->step_limit), where that is known: not for mechanisms
    in flight  the local error of q1 = q0 + h v0 + h^2/2 a0 is h^3/6 q''', and q''' is the change of acceleration:

                   e = h^2/6 (M1^-1 h(t1, q1, v_a) - M0^-1 h(t0, q0, v0)),   largest component <= tolerance times the largest coordinate so far (at least 1e-6 of the length)

               A step with more is taken again, and the next one is chosen, by h 0.9 (allowed/e)^(1/3), at most five times as long (dae/control.h). Reactions are left out:
               those of elastic bodies ring from step to step, whatever its length.
    impacts    a step in which some contact newly closes is taken again to end just before, where the straight line through its gaps at both ends is zero, until it is at
               most `impact_step` long; the step that follows is as short, and then steps grow again. So impulses stand for impacts alone, at most an impact_step late;
               penetration is at most impact_step |u^-|.

  No step is shorter than impact_step, whatever its error. The error of velocities is not asked for: on elastic bodies it is that of the highest modes, which the mesh has
  wrong anyway.

  Cost: that of the half-explicit scheme, and at an impact some six steps more, one or two of them taken in vain, with no contact problem at their ends.
*/
#include "dae/control.h"
#include "trapezoidal.h"

#define NS_OF_LIMIT     0.7 /* of the stability limit: steps of 0.9 and 0.5 of it in turn grow 1.7 times a pair; no two below 1/sqrt(2) do */
#define NS_OF_STEP      0.01
#define NS_LEAST_SIZE   1e-6 /* of the model's length: motion that begins from nothing is as large at least */
#define NS_MOST_SECANTS 8

typedef struct {
  const NsNode *where;
  double        step;
  int           restitution_of;
  int           positions; /* 0 free, 1 held */
  double        tolerance, impact_step;
} NsSettings_HalfExplicitAdaptive;

typedef struct {
  Vec        a, e;              /* a0 without reactions; e */
  PetscReal  longest, shortest; /* s */
  PetscReal  next;              /* s: the length that the last step proposes */
  PetscReal  size;              /* the largest coordinate so far */
  PetscReal  last;
  PetscInt64 tried, rejected;
} NsAdaptive;

static const char *NsSchemeRefuses_HalfExplicitAdaptive(const NsModel *model, const void *settings)
{
  const NsSettings_HalfExplicitAdaptive *self = settings;

  (void)model;
  return self && self->impact_step > self->step ? "its impact_step, the shortest, is longer than its step, the longest" : NULL;
}

static PetscErrorCode NsSchemeSetup_HalfExplicitAdaptive(NsScheme *scheme)
{
  NsAdaptive *own;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalSetup(scheme));
  if (((const NsSettings_HalfExplicitAdaptive *)scheme->settings)->positions) PetscCall(NsTrapezoidalHold(scheme));
  PetscCall(PetscNew(&own));
  PetscCall(NsVecsCreate(scheme->model, &own->a, &own->e, NULL));
  ((NsTrapezoidal *)scheme->data)->own = own;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_HalfExplicitAdaptive(NsScheme *scheme)
{
  NsAdaptive *own = ((NsTrapezoidal *)scheme->data)->own;

  PetscFunctionBegin;
  PetscCall(NsVecsDestroy(&own->a, &own->e, NULL));
  PetscCall(PetscFree(own));
  PetscCall(NsTrapezoidalDestroy(scheme));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_HalfExplicitAdaptive(NsScheme *scheme, const NsState *state)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsAdaptive                            *own      = ((NsTrapezoidal *)scheme->data)->own;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalStart(scheme, state));
  own->longest  = PetscMin(settings->step, NS_OF_LIMIT * scheme->step_limit);
  own->shortest = settings->impact_step > 0 ? PetscMin(settings->impact_step, own->longest) : NS_OF_STEP * own->longest;
  own->next     = own->longest;
  own->size     = NS_LEAST_SIZE * scheme->model->length_scale;
  own->last     = 0;
  own->tried = own->rejected = 0;
  PetscCall(NsControlGrow(scheme->model, state->q, &own->size));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_HalfExplicitAdaptive(NsScheme *scheme, NsMemory *memory)
{
  NsAdaptive *own = ((NsTrapezoidal *)scheme->data)->own;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalRemember(scheme, memory));
  NsMemoryReals(memory, "longest", 1, &own->longest);
  NsMemoryReals(memory, "next", 1, &own->next);
  NsMemoryReals(memory, "size", 1, &own->size);
  NsMemoryReals(memory, "last", 1, &own->last);
  NsMemoryLong(memory, "tried", &own->tried);
  NsMemoryLong(memory, "rejected", &own->rejected);
  PetscFunctionReturn(0);
}

/* e of the flight over h, over what is allowed. */
static PetscErrorCode flight_error(NsScheme *scheme, PetscReal h, PetscReal *ratio)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsTrapezoidal                         *self     = scheme->data;
  NsAdaptive                            *own      = self->own;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(own->e, -1, own->a, self->a1));
  PetscCall(VecScale(own->e, h * h / 6));
  PetscCall(NsControlRatio(scheme->model, own->e, self->q1, 0, settings->tolerance, own->size, ratio));
  PetscFunctionReturn(0);
}

/* When, after the step's beginning, the first of the newly closed contacts met its surface, by a straight line. */
static PetscReal time_of_impact(const NsScheme *scheme, PetscReal h)
{
  const NsTrapezoidal *self    = scheme->data;
  const NsContact     *contact = scheme->contact;
  PetscReal            first   = h;

  for (PetscInt i = 0; i < self->w1.contacts; i++) {
    const PetscInt  k     = self->w1.contact[i];
    const PetscReal begin = PetscMax(0, contact->last_report[k].gap), end = self->hold ? self->hold->gap[k] : contact->gap[k];
    if (self->newly[i]) first = PetscMin(first, end < begin ? h * begin / (begin - end) : 0);
  }
  return first;
}

/* A flight of at most *h with an error that is allowed and an end that closes nothing, or one of the shortest; its length, whether it has an impact, what the next step may be. */
static PetscErrorCode fly(NsScheme *scheme, const NsState *x, PetscReal *h, PetscBool *impact, PetscReal *next, NsStepOutcome *outcome)
{
  NsTrapezoidal *self    = scheme->data;
  NsAdaptive    *own     = self->own;
  PetscBool      landed  = PETSC_FALSE;
  PetscInt       secants = 0;

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

static PetscErrorCode NsSchemeStep_HalfExplicitAdaptive(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_HalfExplicitAdaptive *settings = scheme->settings;
  NsTrapezoidal                         *self     = scheme->data;
  NsAdaptive                            *own      = self->own;
  PetscReal                              h, next;
  PetscBool                              impact;

  PetscFunctionBegin;
  own->longest  = PetscMin(own->longest, NS_OF_LIMIT * scheme->step_limit); /* which falls while a free spin rises */
  own->shortest = PetscMin(own->shortest, own->longest);
  h             = PetscMin(dt, PetscMin(own->next, own->longest));
  PetscCall(fly(scheme, x, &h, &impact, &next, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  if (!impact)
    PetscCall(NsTrapezoidalForceStep(scheme, x, h, outcome));
  else if (settings->restitution_of == 1)
    PetscCall(NsTrapezoidalImpactStep(scheme, x, h, outcome));
  else
    PetscCall(NsTrapezoidalNewlyStep(scheme, x, h, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsTrapezoidalFinish(scheme, x, h));
  PetscCall(NsControlGrow(scheme->model, x->q, &own->size));
  own->next = PetscMax(own->shortest, PetscMin(own->longest, next));
  PetscFunctionReturn(0);
}

static PetscInt NsSchemeCount_HalfExplicitAdaptive(const NsScheme *scheme, NsCounter *list)
{
  const NsAdaptive *own = ((const NsTrapezoidal *)scheme->data)->own;

  list[0] = (NsCounter){"steps_tried", own->tried};
  list[1] = (NsCounter){"steps_rejected", own->rejected};
  return 2;
}

static const NsKey half_explicit_adaptive_keys[] = {
  {"step", NS_KEY_NUMBER, offsetof(NsSettings_HalfExplicitAdaptive, step), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "longest step; never above 0.7 of the stability limit, where that is known", .example = "0.1 ms"},
  {"tolerance", NS_KEY_NUMBER, offsetof(NsSettings_HalfExplicitAdaptive, tolerance), .standard = "1e-6", .minimum = "0 <", .maximum = "1",
    .help = "error allowed to the positions in a step, over the largest coordinate so far", .example = "1e-5"},
  {"impact_step", NS_KEY_NUMBER, offsetof(NsSettings_HalfExplicitAdaptive, impact_step), .dimension = NS_DIM_TIME, .standard = "0", .minimum = "0",
    .help = "shortest step, and that of impacts; 0: a hundredth of the longest", .example = "0.1 us"},
  NS_RESTITUTION_OF_KEY(NsSettings_HalfExplicitAdaptive),
  NS_POSITIONS_KEY(NsSettings_HalfExplicitAdaptive),
  {NULL},
};
static const NsTable half_explicit_adaptive_table = {
  "half_explicit_adaptive", "half-explicit scheme with steps of chosen length", half_explicit_adaptive_keys, sizeof(NsSettings_HalfExplicitAdaptive)};

const NsVariant NsSchemeVariant_HalfExplicitAdaptive = {
  .name  = "half_explicit_adaptive",
  .title = "half-explicit, velocity level, with steps by their error, short at impacts",
  .about =
    "The half-explicit scheme (see scheme.half_explicit) with steps of its own choice, none above `step` or 0.7 of the stability\n"
    "limit, none below impact_step:\n"
    "in flight    e = h^2/6 (M1^-1 h(t1, q1, v_a) - M0^-1 h(t0, q0, v0)), the local error of q1, at most tolerance times the largest\n"
    "             coordinate so far; else the step is taken again, h := 0.9 h (allowed/e)^(1/3)\n"
    "at impacts   a step that closes a contact ends just before it instead; impact_step closes it, and steps grow again after it\n"
    "Order 2 in flight and while contact lasts, order 1 in the impact times, with the error of impact_step; penetration is at\n"
    "most impact_step |u^-|. Energy drifts by what the tolerance allows: at 1e-6 a slider-crank without clearance loses 2 % in\n"
    "fifteen turns; impacts never add. With e near 1 less goes wrong than with steps of one length: a lumped bar between two\n"
    "walls, e = 1, loses 6 % in forty flights, where scheme.half_explicit gains a half. Long steps make curved joints drift:\n"
    "give them positions: held.\n"
    "Keeps below the step limit by itself, where that is known; mechanisms have none: give a `step` that follows their motion.\n"
    "Coordinates are compared as they are, m and rad: where a shaft turns through many turns, give a smaller tolerance.\n"
    "Work for the same accuracy as steps of one length (bench_adaptive): bouncing ball a thirtieth and less, elastic bar a quarter to\n"
    "a fiftieth, slider-crank two thirds to a fiftieth. Rotor in its safety bearing: a quarter where its orbit is good to 1 nm, two\n"
    "fifths at 3 nm, half at 10 nm, as much at 0.1 um: a shaft that rings without rest errs all the time, and 5 us is a third of\n"
    "its limit already.\n" NS_POSITIONS_ABOUT "Needs of a model: accelerations and contact rows. Joints (bilateral rows) and friction are covered.\n"
    "run.json counts steps tried and those of them rejected; outputs count steps, long and short ones alike.\n"
    "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
    "time-discontinuous Galerkin methods, Fig. 9; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4.",
  .table = &half_explicit_adaptive_table,
};

const NsSchemeType NsSchemeType_HalfExplicitAdaptive = {
  .variant = &NsSchemeVariant_HalfExplicitAdaptive,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "drifts within its tolerance; impacts never add",
      .needs         = "",
      .reference     = "Schindler et al. Fig. 9",
    },
  .refuses       = NsSchemeRefuses_HalfExplicitAdaptive,
  .setup         = NsSchemeSetup_HalfExplicitAdaptive,
  .start         = NsSchemeStart_HalfExplicitAdaptive,
  .remember      = NsSchemeRemember_HalfExplicitAdaptive,
  .step          = NsSchemeStep_HalfExplicitAdaptive,
  .varies        = PETSC_TRUE,
  .adapts        = PETSC_TRUE,
  .bounded       = PETSC_TRUE,
  .amplification = NsTrapezoidalAmplification,
  .count         = NsSchemeCount_HalfExplicitAdaptive,
  .destroy       = NsSchemeDestroy_HalfExplicitAdaptive,
};
