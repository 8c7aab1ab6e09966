/*
  Limits of a run, checked as rarely as is sufficient, so that they cost one or two per cent of it (five per cent of steps that are one pass over memory):

      contacts     each step, those that are active
      velocities   each 16th step: one pass; and spins, and motions of nonlinear springs and bearings
      energy       each 2048th, where a row of it is written anyway, and where velocities have doubled since: an instability is found within 16 steps, far from overflow
      deformations each 2048th (of reduced models each 131072nd), where velocities have doubled since, at the 16th, 32nd, 64th ... step, at the end, and where a whole state is written
      positions    before a whole state is written
      rows         each before it is written: its own numbers

  The numerical energy error is judged against the reference energy (reference_energy), and not against the present energy, of which it is a part. A run that starts at rest has
  no energy, and the error of its first few steps is as large as what there is: an error above the limit counts when it lasts for a hundredth of the run, or is very large at once. A
  body that lies still never has any: the reference is at least what weight and loads would give it in one step, m (g dt)^2/2.
*/
#include "percuss/guard.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "private.h"

#define NS_LASTING     0.01 /* of the simulated time: the error may be above its limit for so long */
#define NS_HOPELESS    100  /* times the limit: always stops the run, */
#define NS_AT_ONCE     1e4  /* and at this factor at once */
#define NS_MOVES       1e3  /* times the energy that loads and weight supply in one step: bodies with less are at rest */
#define NS_ROUNDING    1e-9 /* of the potential energy, whose zero is arbitrary: below, the error is rounding */
#define NS_DEEP        0.1  /* of the model's length: limit of penetration where neither the config nor the model has one */
#define NS_SOON        16   /* steps after which deformations are checked first */
#define NS_INSTANTS    64   /* at which loads are evaluated to find the largest */
#define NS_SPIN_MARGIN 1.1

const char *const NsGuardNames[] = {"energy", "loss", "rotation", "stretch", "penetration", "passage", "spin", "bearing_table", "law", "sliding"};

PetscErrorCode NsGuardCreate(NsRun *run)
{
  const NsLimitsSettings *limits = run->config.limits;
  NsGuard                *guard  = &run->guard;

  PetscFunctionBegin;
  guard->energy   = limits->energy;
  guard->rotation = limits->rotation;
  guard->stretch  = limits->stretch;
  guard->sliding  = limits->sliding;
  if (!run->guard_touch) run->guard_touch = NsArenaAlloc(run->arena, sizeof(*run->guard_touch) * (size_t)(run->model->touches + 1));
  guard->penetration = limits->penetration > 0 ? limits->penetration : NS_DEEP * run->model->length_scale;
  guard->stops       = limits->on_exceed == NS_ON_EXCEED_STOP;
  PetscCall(NsRunSpinLimit(run, &guard->spin_limit));
  PetscFunctionReturn(0);
}

/* Kinetic energy of the velocity that the forces at (t, q0, v0) give in a step. */
static PetscErrorCode push_at(NsRun *run, PetscReal t, Vec a, Vec h, PetscReal *most)
{
  const NsModel *model = run->model;
  PetscReal      work  = 0;

  PetscFunctionBegin;
  PetscCall(NsModelAccel(run->model, t, run->state.q, run->state.v, a));
  PetscCall(NsModelMult(run->model, t, run->state.q, a, h));
  const PetscReal *force = NsVecRead(h), *rate = NsVecRead(a);
  for (PetscInt i = 0; i < model->layout->local; i++) work += NsLayoutOwns(model->layout, i) ? force[i] * rate[i] : 0;
  PetscCall(NsLayoutSum(model->layout, 1, &work));
  work *= PetscSqr(run->step) / 2;
  if (work < PETSC_MAX_REAL) *most = PetscMax(*most, work);
  PetscFunctionReturn(0);
}

/* At the start, and at the jumps and between the jumps of loads. */
static PetscErrorCode find_push(NsRun *run)
{
  NsGuard  *guard = &run->guard;
  PetscReal t     = 0;
  NsTimes   times;
  Vec       a, h;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(run->model, &a, &h, NULL));
  for (int i = 0; i < NS_INSTANTS && t < run->config.time->end; i++) {
    PetscCall(push_at(run, t, a, h, &guard->push));
    PetscCall(NsModelTimes(run->model, t, run->state.v, &times));
    if (times.period < PETSC_MAX_REAL) PetscCall(push_at(run, t + times.period / 4, a, h, &guard->push));
    if (!(times.next < PETSC_MAX_REAL)) break;
    t = times.next;
  }
  PetscCall(NsVecsDestroy(&a, &h, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardStart(NsRun *run)
{
  NsGuard        *guard = &run->guard;
  const NsEnergy *now   = &run->ledger.now;

  PetscFunctionBegin;
  guard->motion         = now->kinetic + now->elastic;
  guard->most           = guard->motion;
  guard->potential      = now->potential;
  guard->height         = PetscAbsReal(now->potential);
  guard->above_since[0] = guard->above_since[1] = -1;
  PetscCall(NsModelLargest(run->model, run->state.v, &guard->fastest));
  PetscCall(find_push(run));
  PetscFunctionReturn(0);
}

void NsGuardSerialize(NsGuard *guard, NsArchive *archive)
{
  const NsGuard own = *guard;

  NsArchiveBytes(archive, "guard", sizeof(*guard), guard);
  guard->energy      = own.energy; /* a run may continue with other limits, and with loads up to a later end */
  guard->rotation    = own.rotation;
  guard->stretch     = own.stretch;
  guard->sliding     = own.sliding;
  guard->penetration = own.penetration;
  guard->spin_limit  = own.spin_limit;
  guard->stops       = own.stops;
  guard->push        = own.push;
  for (int kind = 0; kind < NS_GUARD_KINDS; kind++) {
    NsExceeded *exceeded                       = &guard->exceeded[kind];
    exceeded->name[sizeof(exceeded->name) - 1] = exceeded->text[sizeof(exceeded->text) - 1] = 0;
  }
}

const char *NsGuardHint(const NsRun *run)
{
  const NsModel *model = run->model;

  if (model->slots && !model->contact.rowrate && strcmp(run->scheme->type->variant.name, "moreau_midpoint") != 0)
    return "; moreau_midpoint bears best that contact points come and go";
  if (run->scheme->type->bounded) return "";
  if (run->step > run->stability.step_limit) return "; the time step is above the critical time step";
  return run->guard.exceeded[NS_GUARD_SPIN].exceeded ? "; the time step is above the critical time step at this spin" : "";
}

void NsGuardMessage(const NsRun *run, NsGuardKind kind, char *text, size_t size)
{
  static const char *const units[]  = {"times the reference energy", "times the reference energy", "rad", "of the length", "m", "m", "rpm", "rpm",
     "times what its law is given for", "of a face"};
  const NsExceeded        *exceeded = &run->guard.exceeded[kind];
  const PetscReal          unit     = kind == NS_GUARD_SPIN || kind == NS_GUARD_TABLE ? 30 / PETSC_PI : 1;

  text[0] = 0;
  if (exceeded->exceeded)
    (void)snprintf(text, size, "%s; at worst %.6g %s at t = %.9g s", exceeded->text, exceeded->worst * unit, units[kind], exceeded->worst_at);
}

/* On a terminal the progress line is erased first. */
static void warn(const NsRun *run, const char *text)
{
  if (!run->sink.writes) return;
  fprintf(stderr, "%spercuss run: warning: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

/* Keeps the first text of a kind; afterwards only the worst value. */
static void exceed(
  NsRun *run, NsGuardKind kind, PetscInt64 step, PetscReal since, PetscReal limit, PetscReal value, const char *name, const char *text)
{
  NsExceeded *exceeded = &run->guard.exceeded[kind];

  if (!exceeded->exceeded) {
    *exceeded = (NsExceeded){PETSC_TRUE, step, since, limit, value, run->state.t, "", ""};
    (void)snprintf(exceeded->name, sizeof(exceeded->name), "%s", name);
    (void)snprintf(exceeded->text, sizeof(exceeded->text), "%s", text);
    if (!run->guard.stops) warn(run, text);
  } else if (value > exceeded->worst) {
    exceeded->worst    = value;
    exceeded->worst_at = run->state.t;
  }
  if (!run->guard.stops) return;
  run->guard.stop = PETSC_TRUE;
  NsSinkFail(&run->sink, "%s", text);
}

/* The first of all unknowns, in natural numbers, whose x is NaN or Inf, or, if `largest` is finite, has this magnitude; -1: no such unknown. */
static PetscErrorCode find_unknown(const NsRun *run, Vec x, PetscReal largest, PetscInt *unknown)
{
  const NsLayout    *layout = run->model->layout;
  const PetscScalar *value;
  PetscReal          first = -PETSC_MAX_REAL;

  PetscFunctionBegin;
  value = NsVecRead(x);
  for (PetscInt i = 0; i < layout->local; i++) {
    if (!NsLayoutOwns(layout, i) || !(isfinite(largest) ? PetscAbsReal(value[i]) == largest : !isfinite(value[i]))) continue;
    first = PetscMax(first, -(PetscReal)NsLayoutNatural(layout, i));
  }
  PetscCall(NsLayoutMax(layout, &first));
  *unknown = first == -PETSC_MAX_REAL ? -1 : (PetscInt)-first;
  PetscFunctionReturn(0);
}

/* Ends the run where x has NaN or Inf; names the first such unknown. */
static PetscErrorCode check_finite(NsRun *run, PetscInt64 step, Vec x, const char *what, PetscReal *largest)
{
  PetscInt unknown;
  char     name[256];

  PetscFunctionBegin;
  PetscCall(NsModelLargest(run->model, x, largest));
  if (isfinite(*largest)) PetscFunctionReturn(0);
  PetscCall(find_unknown(run, x, *largest, &unknown));
  if (unknown < 0) PetscFunctionReturn(0); /* a copy of another process's unknown, which is not used */
  PetscCall(run->model->view.name_unknown(run->model, unknown, name, sizeof(name)));
  NsSinkFail(&run->sink, "NaN or Inf at t = %.9g s (step %lld): %s of %s%s", run->state.t, (long long)step, what, name, NsGuardHint(run));
  run->guard.stop = run->guard.broken = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardFinite(NsRun *run, PetscInt64 step)
{
  PetscReal largest;

  PetscFunctionBegin;
  PetscCall(check_finite(run, step, run->state.v, "velocity", &largest));
  if (!run->guard.broken) PetscCall(check_finite(run, step, run->state.q, "position", &largest));
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardTable(NsRun *run, PetscInt64 step, const char *table)
{
  PetscFunctionBegin;
  if (run->model->layout->ranks > 1) PetscFunctionReturn(0); /* the next look finds it on all processes */
  PetscCall(NsGuardFinite(run, step));                       /* prefer a message that names a degree of freedom */
  NsSinkFail(&run->sink, "NaN or Inf at t = %.9g s (step %lld): in %s%s", run->state.t, (long long)step, table, NsGuardHint(run));
  run->guard.stop = run->guard.broken = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Not finite if something in the report is not. */
static PetscReal sum_of(const NsContactReport *report)
{
  return report->gap + report->force[0] + report->force[1] + report->force[2] + report->impulse[0] + report->impulse[1] + report->impulse[2];
}

static PetscErrorCode fail_contact(NsRun *run, PetscInt64 step, PetscInt contact)
{
  const NsContactReport *report = &NsContactReports(run->contact)[contact];
  char                   name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  PetscCall(NsGuardFinite(run, step)); /* prefer a message that names a degree of freedom */
  NsSinkFail(&run->sink, "NaN or Inf at t = %.9g s (step %lld): %s of contact '%s'%s", run->state.t, (long long)step,
    isfinite(report->gap) ? "force" : "gap", NsCandidateName(&run->model->candidate[contact], name), NsGuardHint(run));
  run->guard.stop = run->guard.broken = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscReal NsGuardDepth(const NsRun *run, PetscInt contact)
{
  const NsCandidate *candidate = &run->model->candidate[contact];
  PetscReal          limit     = run->guard.penetration;

  if (run->config.limits->penetration > 0) return limit;
  if (candidate->depth > 0) limit = candidate->depth;
  return candidate->clearance > 0 ? PetscMin(limit, candidate->clearance) : limit;
}

static void check_depth(NsRun *run, PetscInt64 step, PetscInt contact, PetscReal depth)
{
  const NsCandidate *candidate = &run->model->candidate[contact];
  const PetscReal    limit     = NsGuardDepth(run, contact);
  if (!(limit > 0 && depth > limit)) return;
  const char *source    = run->config.limits->penetration > 0 ? "limits.penetration"
                          : limit == candidate->clearance     ? "the clearance of the contact"
                          : limit == candidate->depth         ? "a tenth of the body, the length of an element or the radius of a ball"
                                                              : "a tenth of the model's length";
  char        text[512] = "", name[NS_CANDIDATE_NAME];

  (void)NsCandidateName(candidate, name);
  if (!run->guard.exceeded[NS_GUARD_PENETRATION].exceeded)
    (void)snprintf(text, sizeof(text), "%s of contact '%s' is %.3g m at t = %.9g s (step %lld), above %.3g m (%s)%s",
      candidate->bilateral ? "gap" : "penetration", name, depth, run->state.t, (long long)step, limit, source, NsGuardHint(run));
  exceed(run, NS_GUARD_PENETRATION, step, run->state.t, limit, depth, name, text);
}

/* Schemes with error control follow curved paths, and detect contacts within their steps. */
static PetscErrorCode check_passages(NsRun *run, PetscInt64 step, PetscReal from)
{
  const NsSchemeType *type = run->scheme->type;
  char                text[512], name[NS_CANDIDATE_NAME]; /* each step comes here: not to be cleared */
  NsPassage           passage;

  PetscFunctionBegin;
  if (type->adapts && !type->bounded) PetscFunctionReturn(0);
  PetscCall(NsContactPassage(run->contact, from, run->state.t, &passage));
  if (passage.candidate < 0) PetscFunctionReturn(0);
  (void)NsCandidateName(&run->model->candidate[passage.candidate], name);
  text[0] = 0;
  if (!run->guard.exceeded[NS_GUARD_PASSAGE].exceeded) /* within the other for 2 depth/travel of the step at least: half of that length is detected */
    (void)snprintf(text, sizeof(text),
      "contact '%s' was jumped over in the step to t = %.9g s (step %lld): its gap was %.3g m before, %.3g m after and %.3g m in between; steps of at most %.3g s detect it",
      name, run->state.t, (long long)step, passage.before, passage.after, -passage.depth, run->step * passage.depth / passage.travel);
  exceed(run, NS_GUARD_PASSAGE, step, run->state.t, 0, passage.depth, name, text);
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardContacts(NsRun *run, PetscInt64 step, PetscReal from)
{
  const PetscInt        *active, actives = NsContactActive(run->contact, &active);
  const NsContactReport *reports = NsContactReports(run->contact);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < actives && !run->guard.stop; k++) {
    const PetscInt         i      = active[k];
    const NsContactReport *report = &reports[i];
    const PetscReal        depth  = run->model->candidate[i].bilateral ? PetscAbsReal(report->gap) : -report->gap;
    if (!isfinite(sum_of(report))) PetscCall(fail_contact(run, step, i));
    run->figures.max_penetration = PetscMax(run->figures.max_penetration, depth);
    if (depth > 0) check_depth(run, step, i, depth);
  }
  if (!run->guard.stop) PetscCall(check_passages(run, step, from));
  if (run->model->crowded && !run->guard.stop) {
    NsSinkFail(&run->sink,
      "more pairs of contact '%s' are near each other at t = %.9g s (step %lld) than its near_pairs allows: raise near_pairs, or name only bodies that can touch",
      run->model->crowded, run->state.t, (long long)step);
    run->guard.stop = run->guard.broken = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

/* J: the kinetic and elastic energy at the start, the largest external work and change of potential energy since, and what a step gives to a body at rest. */
static PetscReal reference_energy(NsGuard *guard, const NsLedger *ledger)
{
  const NsEnergy *now = &ledger->now;

  guard->load   = PetscMax(guard->load, PetscAbsReal(ledger->external));
  guard->fall   = PetscMax(guard->fall, PetscAbsReal(now->potential - guard->potential));
  guard->height = PetscMax(guard->height, PetscAbsReal(now->potential));
  return guard->motion + guard->load + guard->fall + guard->push + NS_ROUNDING * guard->height;
}

static PetscErrorCode exceed_energy(NsRun *run, PetscInt64 step, PetscReal ratio, PetscReal reference)
{
  NsGuard    *guard     = &run->guard;
  const char *more      = run->model->analysis.frequency_bound ? "" : " (or the work of forces whose power the mechanism does not give)";
  char        name[128] = "", text[512];
  PetscReal   largest;
  PetscInt    unknown;

  PetscFunctionBegin;
  const PetscBool hopeless = ratio > NS_HOPELESS * guard->energy;
  if (!guard->exceeded[NS_GUARD_ENERGY].exceeded || hopeless) {
    PetscCall(check_finite(run, step, run->state.v, "velocity", &largest));
    if (guard->broken) PetscFunctionReturn(0);
    PetscCall(find_unknown(run, run->state.v, largest, &unknown));
    if (unknown >= 0) PetscCall(run->model->view.name_unknown(run->model, unknown, name, sizeof(name)));
    (void)snprintf(text, sizeof(text),
      "at t = %.9g s (step %lld) the numerical energy error%s is %.3g J, %.3g times the reference energy (%.3g J), above %g (limits.energy) since t = %.9g s; fastest: %s%s",
      run->state.t, (long long)step, more, run->ledger.numerical, ratio, reference, guard->energy, guard->above_since[0], name, NsGuardHint(run));
  }
  guard->stops = guard->stops || hopeless;
  exceed(run, NS_GUARD_ENERGY, guard->above_step[0], guard->above_since[0], guard->energy, ratio, name, text);
  PetscFunctionReturn(0);
}

static void exceed_loss(NsRun *run, PetscReal ratio, PetscReal reference)
{
  NsGuard    *guard     = &run->guard;
  const char *more      = run->model->analysis.frequency_bound ? "" : " (or forces whose power the mechanism does not report have dissipated)";
  char        text[512] = "";

  if (!guard->exceeded[NS_GUARD_LOSS].exceeded)
    (void)snprintf(text, sizeof(text),
      "at t = %.9g s the scheme has lost%s %.3g J, %.3g times the reference energy (%.3g J), above %g (limits.energy) since t = %.9g s: contacts or vibrations are not resolved; compare with a smaller step, or with half_explicit",
      run->state.t, more, -run->ledger.numerical, ratio, reference, guard->energy, guard->above_since[1]);
  exceed(run, NS_GUARD_LOSS, guard->above_step[1], guard->above_since[1], guard->energy, ratio, "", text);
}

/* An error that lasts above the limit, or is very large. */
static PetscErrorCode judge_energy(NsRun *run, PetscInt64 step)
{
  NsGuard        *guard     = &run->guard;
  const PetscReal reference = reference_energy(guard, &run->ledger), ratio = reference > 0 ? run->ledger.numerical / reference : 0;
  const PetscReal end = run->config.time->end, lasting = NS_LASTING * end;
  PetscBool       above[2];

  PetscFunctionBegin;
  guard->most           = PetscMax(guard->most, run->ledger.now.kinetic + run->ledger.now.elastic);
  const PetscBool keeps = !run->scheme->type->implicit && guard->most > NS_MOVES * guard->push;
  for (int loss = 0; loss < 2; loss++) {
    const PetscReal error = loss ? (keeps ? -ratio : 0) : ratio;
    above[loss]           = PETSC_FALSE;
    if (!(error > guard->energy)) {
      guard->above_since[loss] = -1;
      continue;
    }
    if (guard->above_since[loss] < 0) {
      guard->above_since[loss] = run->state.t;
      guard->above_step[loss]  = step;
    }
    above[loss] = run->state.t - guard->above_since[loss] >= lasting || run->state.t >= end - lasting || error > NS_AT_ONCE * guard->energy;
  }
  if (above[0]) PetscCall(exceed_energy(run, step, ratio, reference));
  if (above[1]) exceed_loss(run, -ratio, reference);
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardEnergy(NsRun *run, PetscInt64 step)
{
  PetscFunctionBegin;
  if (isfinite(run->ledger.numerical)) {
    PetscCall(judge_energy(run, step));
    PetscFunctionReturn(0);
  }
  PetscCall(NsGuardFinite(run, step)); /* prefer a message that names a degree of freedom */
  NsSinkFail(&run->sink, "NaN or Inf at t = %.9g s (step %lld): in the energy%s", run->state.t, (long long)step, NsGuardHint(run));
  run->guard.stop = run->guard.broken = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Surfaces of solids, whose weights are those of the start. */
static PetscErrorCode check_sliding(NsRun *run, PetscInt64 step)
{
  NsModel    *model = run->model;
  char        name[NS_CANDIDATE_NAME], text[512];
  PetscReal   most   = 0;
  PetscInt    at     = -1;
  const char *remedy = "the weights of its nodes are those of the start; write `sliding: finite` in the contact";

  PetscFunctionBegin;
  if (!model->contact.slip) PetscFunctionReturn(0);
  PetscCall(NsModelTouch(model, run->state.q, run->guard_touch));
  for (PetscInt i = 0; i < model->candidates; i++) {
    const PetscReal slip = model->candidate[i].face > 0 ? model->contact.slip(model, i, run->guard_touch) / model->candidate[i].face : 0;
    if (!(slip > most)) continue;
    most = slip;
    at   = i;
  }
  if (!(most > run->guard.sliding)) PetscFunctionReturn(0);
  (void)NsCandidateName(&model->candidate[at], name);
  (void)snprintf(text, sizeof(text), "sliding of contact '%s' is %.3g of a face at t = %.9g s (step %lld), above %.3g (limits.sliding): %s", name,
    most, run->state.t, (long long)step, run->guard.sliding, remedy);
  exceed(run, NS_GUARD_SLIDING, step, run->state.t, run->guard.sliding, most, name, text);
  PetscFunctionReturn(0);
}

static PetscErrorCode check_laws(NsRun *run, PetscInt64 step)
{
  const PetscBool steps = run->stability.step_limit < PETSC_MAX_REAL;
  NsBound         used;
  char            text[512], name[128];

  PetscFunctionBegin;
  PetscCall(run->model->dynamics.outgrown(run->model, steps, run->state.t, run->state.q, run->state.v, &used));
  if (!(used.value > 1 + 1e-6)) PetscFunctionReturn(0);
  (void)snprintf(text, sizeof(text),
    "the motion of %s is %.3g times the largest value given in its law, at t = %.9g s (step %lld); beyond that value the law is extrapolated, and the critical time step may be shorter%s",
    used.where, used.value, run->state.t, (long long)step, NsGuardHint(run));
  (void)snprintf(name, sizeof(name), "%.100s", used.where);
  exceed(run, NS_GUARD_LAW, step, run->state.t, 1, used.value, name, text);
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardDeformation(NsRun *run, PetscInt64 step)
{
  static const char *const remedy[] = {
    "rotations are assumed to be small; rigid bodies of `type: body` may turn by any angle, rotors of free spin about their axis",
    "linear elasticity does not hold there; check supports, loads and units"};
  const PetscReal limit[] = {run->guard.rotation, run->guard.stretch};
  NsBound         found[2];
  char            text[512];

  PetscFunctionBegin;
  if (!run->model->dynamics.deformation) PetscFunctionReturn(0);
  PetscCall(run->model->dynamics.deformation(run->model, run->state.t, run->state.q, &found[0], &found[1]));
  for (int i = 0; i < 2 && !run->guard.stop; i++) {
    const NsGuardKind kind = i ? NS_GUARD_STRETCH : NS_GUARD_ROTATION;
    if (!(found[i].value > limit[i])) continue; /* NaN is found elsewhere */
    (void)snprintf(text, sizeof(text), "%s of %s is %.3g%s at t = %.9g s (step %lld), above %.3g%s (limits.%s): %s%s", NsGuardNames[kind],
      found[i].where, found[i].value, i ? " of the length" : " rad", run->state.t, (long long)step, limit[i], i ? "" : " rad", NsGuardNames[kind],
      remedy[i], NsGuardHint(run));
    exceed(run, kind, step, run->state.t, limit[i], found[i].value, found[i].where, text);
  }
  if (!run->guard.stop) PetscCall(check_sliding(run, step));
  if (run->scheme->type->complete && run->model->dynamics.outgrown && !run->guard.stop)
    PetscCall(check_laws(run, step)); /* of others NsGuardCheck does, in every step */
  PetscFunctionReturn(0);
}

static void exceed_spin(NsRun *run, PetscInt64 step, const NsFreeSpin *spin)
{
  const PetscReal rpm = 30 / PETSC_PI, limit = run->guard.spin_limit;
  char            text[512] = "";

  if (!run->guard.exceeded[NS_GUARD_SPIN].exceeded)
    (void)snprintf(text, sizeof(text),
      "'%s' turns at %.6g rpm at t = %.9g s (step %lld): from %.6g rpm on the time step is above the critical time step, and whirling modes grow by more than a tenth in %g s",
      spin->rotor, spin->rate * rpm, run->state.t, (long long)step, limit * rpm, run->config.time->end);
  exceed(run, NS_GUARD_SPIN, step, run->state.t, limit, spin->rate, spin->rotor, text);
}

static void exceed_table(NsRun *run, PetscInt64 step, const NsFreeSpin *spin)
{
  const PetscReal rpm       = 30 / PETSC_PI;
  char            text[512] = "";

  if (!run->guard.exceeded[NS_GUARD_TABLE].exceeded)
    (void)snprintf(text, sizeof(text),
      "'%s' turns at %.6g rpm at t = %.9g s (step %lld), beyond the table of bearing '%s', which ends at %.6g rpm: the values at its end are used",
      spin->rotor, spin->rate * rpm, run->state.t, (long long)step, spin->bearing, spin->tabulated * rpm);
  exceed(run, NS_GUARD_TABLE, step, run->state.t, spin->tabulated, spin->rate, spin->bearing, text);
}

/* Rotors of free spin; schemes that keep their steps below the critical one get its present value. */
static PetscErrorCode check_spins(NsRun *run, PetscInt64 step)
{
  NsGuard          *guard = &run->guard;
  const NsFreeSpin *spin;
  PetscInt          count;
  PetscReal         limit;

  PetscFunctionBegin;
  PetscCall(run->model->analysis.free_spins(run->model, run->state.v, &count, &spin));
  for (PetscInt r = 0; r < count; r++) {
    if (spin[r].rate > guard->spin_limit) exceed_spin(run, step, &spin[r]);
    if (spin[r].bearing && spin[r].rate > spin[r].tabulated * (1 + 1e-6)) exceed_table(run, step, &spin[r]);
    if (!run->scheme->type->bounded || !(spin[r].rate > guard->spin)) continue;
    guard->spin = NS_SPIN_MARGIN * spin[r].rate;
    PetscCall(NsRunWhirlLimit(run, guard->spin, &limit));
    run->scheme->step_limit = PetscMin(run->scheme->step_limit, limit);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsGuardCheck(NsRun *run, PetscInt64 step, PetscBool *energy)
{
  const PetscBool  incomplete = run->scheme->type->complete != NULL;
  const PetscInt64 every      = incomplete ? NS_RARELY * NS_ENERGY_EVERY : NS_ENERGY_EVERY;
  PetscReal        largest;

  PetscFunctionBegin;
  *energy = step % every == 0 || (step >= NS_SOON && step < every && (step & (step - 1)) == 0);
  if (incomplete) PetscFunctionReturn(0); /* velocities are those of some time ago */
  PetscCall(check_finite(run, step, run->state.v, "velocity", &largest));
  if (run->model->analysis.free_spins && !run->guard.broken) PetscCall(check_spins(run, step));
  if (run->model->dynamics.outgrown && !run->guard.stop) PetscCall(check_laws(run, step));
  if (largest > 2 * run->guard.fastest) *energy = PETSC_TRUE;
  if (*energy) run->guard.fastest = PetscMax(run->guard.fastest, largest);
  PetscFunctionReturn(0);
}
