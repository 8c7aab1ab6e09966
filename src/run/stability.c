/*
  Which time steps a run is stable with: the critical time step of its scheme on its model, that of whirling modes, and the judgement of the config's step.

  Bounds and modes come from the model (NsModelAnalysis); whether a scheme is stable for a mode, from the scheme (NsSchemeStepLimit, NsSchemeGrowthLimit).
*/
#include <math.h>
#include <stdio.h>
#include "core/petsc_message.h"
#include "fe/fe.h"
#include "private.h"

#define NS_LARGE 20000 /* DOF: from here on the eigensolver takes more than some seconds, and what it would make more exact is left to bounds */
#define NS_CLOSE 0.9   /* of the critical time step: from here on its bounds do not settle it, and the highest frequencies are inaccurate */

/* Keeps the mode that requires the smallest step or, if none does, the highest frequency. */
static void set_limit(NsStability *stability, PetscReal limit, PetscReal omega, PetscReal damping_ratio, PetscBool growth, const char *where)
{
  if (limit > stability->step_limit || (limit == stability->step_limit && omega <= stability->omega_max)) return;
  stability->omega_max     = omega;
  stability->damping_ratio = damping_ratio;
  stability->step_limit    = limit;
  stability->by_growth     = growth;
  (void)snprintf(stability->where, sizeof(stability->where), "%s", where);
}

/* One part of the model, by its bounds or, `exact`, by the eigensolver. */
static PetscErrorCode limit_part(NsRun *run, PetscInt part, PetscBool exact)
{
  const NsModelAnalysis *analysis = &run->model->analysis;
  const NsSchemeType    *type     = run->scheme->type;
  const void            *settings = run->scheme->settings;
  NsBound                omega, rate;
  PetscReal              undamped, damped, frequency;

  PetscFunctionBegin;
  PetscCall(analysis->frequency_bound(run->model, part, &omega, &rate));
  undamped = NsSchemeStepLimit(type, settings, omega.value, 0);
  damped   = NsSchemeStepLimit(type, settings, omega.value, omega.value > 0 ? rate.value / (2 * omega.value) : 0);
  if (exact) PetscCall(analysis->highest_mode(run->model, part, &omega.value, &rate.value));
  frequency             = PetscMax(omega.value, 1e-3 * rate.value); /* dampers without springs: as if there were a soft one */
  const PetscReal ratio = frequency > 0 ? rate.value / (2 * frequency) : 0;
  set_limit(&run->stability, NsSchemeStepLimit(type, settings, frequency, ratio), omega.value, ratio, PETSC_FALSE,
    damped < undamped / 2 || omega.value == 0 ? rate.where : omega.where); /* the damper, if it halves the limit */
  PetscFunctionReturn(0);
}

static PetscErrorCode limit_parts(NsRun *run, PetscBool exact)
{
  NsStability *stability = &run->stability;

  PetscFunctionBegin;
  stability->step_limit = PETSC_MAX_REAL;
  stability->omega_max  = 0;
  stability->exact      = exact;
  for (PetscInt part = 0; part < run->model->parts; part++) PetscCall(limit_part(run, part, exact));
  PetscFunctionReturn(0);
}

/* Modes that whirl grow a little at each explicit step: over the whole run it may not be much. */
static PetscErrorCode limit_growth(NsRun *run, PetscInt part)
{
  NsStability    *stability = &run->stability;
  NsStabilityMode mode[NS_STABILITY_MODES];
  PetscInt        count;
  char            where[128];

  PetscFunctionBegin;
  if (!run->model->analysis.gyroscopic_modes || !run->scheme->type->amplification) PetscFunctionReturn(0);
  PetscCall(run->model->analysis.gyroscopic_modes(run->model, part, &count, mode));
  for (PetscInt i = 0; i < count; i++) {
    const PetscReal limit = NsSchemeGrowthLimit(run->scheme->type, run->scheme->settings, &mode[i], run->config.time->end);
    (void)snprintf(where, sizeof(where), "gyroscopic terms of the mode of %.6g rad/s: at the limit it grows by a tenth in %g s", mode[i].omega,
      run->config.time->end);
    set_limit(stability, limit, mode[i].omega, mode[i].damping_rate / (2 * mode[i].omega), PETSC_TRUE, where);
    if (mode[i].gyroscopic_rise > 0) stability->whirl[stability->whirls++] = mode[i];
  }
  PetscFunctionReturn(0);
}

/* The fastest rotor of free spin at the start; the modes of stability.whirl are those at that speed. */
static PetscErrorCode speed_at_start(const NsRun *run, PetscReal *speed)
{
  const NsFreeSpin *spin;
  PetscInt          count = 0;

  PetscFunctionBegin;
  *speed = 0;
  if (run->model->analysis.free_spins) PetscCall(run->model->analysis.free_spins(run->model, run->state.v, &count, &spin));
  for (PetscInt r = 0; r < count; r++) *speed = PetscMax(*speed, spin[r].start);
  PetscFunctionReturn(0);
}

static NsStabilityMode at_speed(NsStabilityMode mode, PetscReal more)
{
  mode.gyroscopic_rate += more * mode.gyroscopic_rise;
  return mode;
}

PetscErrorCode NsRunWhirlLimit(NsRun *run, PetscReal speed, PetscReal *limit)
{
  const NsStability *stability = &run->stability;
  PetscReal          start;

  PetscFunctionBegin;
  PetscCall(speed_at_start(run, &start));
  *limit = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < stability->whirls; i++) {
    const NsStabilityMode mode = at_speed(stability->whirl[i], PetscMax(0, speed - start));
    *limit                     = PetscMin(*limit, NsSchemeGrowthLimit(run->scheme->type, run->scheme->settings, &mode, run->config.time->end));
  }
  PetscFunctionReturn(0);
}

static PetscBool whirls_grow(const NsRun *run, PetscReal more)
{
  PetscBool grow = PETSC_FALSE;

  for (PetscInt i = 0; i < run->stability.whirls && !grow; i++) {
    const NsStabilityMode mode = at_speed(run->stability.whirl[i], more);
    grow                       = NsSchemeGrows(run->scheme->type, run->scheme->settings, &mode, run->config.time->end, run->step);
  }
  return grow;
}

PetscErrorCode NsRunSpinLimit(NsRun *run, PetscReal *speed)
{
  PetscReal start, low = 0, high = 1; /* rad/s above the start */

  PetscFunctionBegin;
  *speed = PETSC_MAX_REAL;
  if (run->scheme->type->bounded || run->step > run->stability.step_limit) PetscFunctionReturn(0); /* follows the spin; is known to grow */
  while (high < 1e9 && !whirls_grow(run, high)) {
    low = high;
    high *= 2;
  }
  if (high >= 1e9) PetscFunctionReturn(0);
  for (int i = 0; i < 30; i++) {
    const PetscReal middle = (low + high) / 2;
    if (whirls_grow(run, middle))
      high = middle;
    else
      low = middle;
  }
  PetscCall(speed_at_start(run, &start));
  *speed = start + low;
  PetscFunctionReturn(0);
}

PetscBool NsRunIsLarge(const NsRun *run)
{
  return run->options.quick || (run->model->unknowns > NS_LARGE && !(NsModelIsFe(run->model) && NsFeHighestIsQuick(run->model)));
}

static PetscErrorCode check_step(NsRun *run, PetscBool exact)
{
  NsStability *stability = &run->stability;
  PetscReal    stiffened = PETSC_MAX_REAL;

  PetscFunctionBegin;
  stability->step_limit = stability->contact_limit = PETSC_MAX_REAL;
  stability->omega_max                             = 0;
  if (!run->model->analysis.frequency_bound) PetscFunctionReturn(0);
  PetscCall(limit_parts(run, PETSC_FALSE));
  const PetscBool close = run->step > NS_CLOSE * stability->step_limit, large = NsRunIsLarge(run);
  if (close && large && !run->options.quick && run->sink.writes)
    fprintf(stderr,
      "percuss: the step is not below %.5g s, for which bounds would do: computing the highest frequency of %d degrees of freedom, which may take minutes\n",
      NS_CLOSE * stability->step_limit, (int)run->model->unknowns);
  if (!run->options.quick && (close || (exact && !large))) PetscCall(limit_parts(run, PETSC_TRUE));
  stability->at_once = stability->step_limit;
  stability->whirls  = 0;
  stability->whirl   = NsArenaAlloc(run->arena, sizeof(*stability->whirl) * (size_t)(NS_STABILITY_MODES * run->model->parts + 1));
  if (run->model->stiffening > 0) { /* damping by stiffness grows alike */
    const PetscReal omega = stability->omega_max + run->model->stiffening;
    const PetscReal ratio = stability->omega_max > 0 ? stability->damping_ratio * omega / stability->omega_max : 0;
    stiffened             = NsSchemeStepLimit(run->scheme->type, run->scheme->settings, omega, ratio);
  }
  for (PetscInt part = 0; part < run->model->parts; part++) PetscCall(limit_growth(run, part));
  stability->contact_limit = PetscMin(stability->step_limit, stiffened);
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunCheckStep(NsRun *run, PetscBool exact)
{
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(NsKeepNumerics, message));
  code = check_step(run, exact);
  PetscCall(PetscPopErrorHandler());
  PetscCall(NsRunBlameNumbers(run, code, message));
  PetscFunctionReturn(0);
}

/* What to take where explicit steps are too short, as the end of a sentence. */
static const char *implicit_advice(const NsModel *model)
{
  if (NsModelIsReduced(model))
    return model->massless ? "`method: rubin` and an implicit scheme (moreau_jean with theta >= 0.5, the default)"
                           : "an implicit scheme (moreau_jean with theta >= 0.5, the default)";
  if (model->massless) return "`mass: consistent` and an implicit scheme (moreau_jean with theta >= 0.5, the default)";
  return model->linear ? "an implicit scheme (moreau_jean with theta >= 0.5, the default)"
                       : "moreau_jean with theta >= 0.5 (the default), which is implicit; a step then costs several times as much";
}

/* An error, or only a warning where the user insists on the run. */
static void __attribute__((format(printf, 4, 5))) complain(NsRun *run, PetscBool refuse, NsPlace place, const char *format, ...)
{
  va_list     arguments;
  const char *text;

  va_start(arguments, format);
  text = NsArenaPrintV(run->arena, format, arguments);
  va_end(arguments);
  if (refuse)
    NsDiagError(run->diag, place, "%s", text);
  else
    NsDiagWarning(run->diag, place, "%s", text);
}

/* Judges the step against the stability limits. */
static void judge_stability(NsRun *run, PetscBool refuse)
{
  const NsStability *stability = &run->stability;
  const NsPlace      place     = NsKeysPlace(run->config.scheme.where, "step");
  const char        *name      = run->scheme->type->variant.name;
  const char        *how       = refuse ? "; --force runs it nevertheless" : "";
  const PetscReal    limit     = stability->step_limit;

  if (limit == 0) {
    complain(run, refuse, place, "%s with these settings is unstable at every time step: the solution grows without bound", name);
    NsDiagNote(run->diag, "take half_explicit, or moreau_jean with theta >= 0.5; see `percuss explain scheme.%s`%s", name, how);
  } else if (run->scheme->type->bounded) {
    return;
  } else if (run->step > limit * (1 + 1e-9)) {
    complain(run, refuse, place, "the time step, %g s, is above the critical time step of %s, %.5g s: %s", run->step, name, limit,
      stability->by_growth && run->step <= stability->at_once ? "whirling modes grow" : "the solution grows without bound");
    NsDiagNote(run->diag, "the critical time step is set by the %s", stability->where);
    NsDiagNote(run->diag, "take a smaller step, %s, %s%s%s%s", NsModelIsReduced(run->model) ? "fewer modes" : "larger elements",
      run->model->massless || !NsModelIsFe(run->model) ? "" : "`mass: lumped`, ",
      stability->by_growth           ? "a little damping (such as rayleigh: {stiffness: 0.1 us}), or "
      : stability->damping_ratio > 0 ? "less damping, or "
                                     : "or ",
      implicit_advice(run->model), how);
  } else if (run->step > stability->contact_limit) {
    NsDiagWarning(run->diag, place,
      "the time step, %g s, is above %.5g s: closed contacts between massless nodes and nodes with mass (other bodies, rotations) may make it unstable",
      run->step, stability->contact_limit);
    NsDiagNote(run->diag, "this bound is conservative; watch the numerical energy error, or give both bodies `mass: redistributed`");
  } else if (run->step > NS_CLOSE * limit) {
    NsDiagWarning(run->diag, place,
      "the time step, %g s, is within a tenth of the critical time step of %s, %.5g s: the highest frequencies are inaccurate", run->step, name,
      limit);
  }
}

PetscErrorCode NsRunJudgeStep(NsRun *run, PetscBool refuse)
{
  PetscFunctionBegin;
  judge_stability(run, refuse);
  PetscCall(NsRunJudgeLoads(run, refuse));
  PetscFunctionReturn(0);
}
