/*
  External forces: loads, and what depends on a spin (src/fe/model/spinning.c).

      h += f(t) value,    for loads that turn with the shaft   f(t) (value cos psi + sine sin psi)

  with the mean of f over the interval that t represents, if f has a jump or a kink in it: so every scheme applies the exact impulse of a pulse, however short.

  The lists are made in natural numbers of unknowns; NsFeOuterIndices copies them into the indices of this process, with ghosts, which back ends with overlapping pieces
  need. Power is counted by the owners.
*/
#include <string.h>
#include "fe.h"

/* factor cos psi and factor sin psi of a load that turns; factor, and nothing, of others. */
static void load_factors(const NsFeLoad *load, PetscReal factor, PetscReal t, const PetscScalar *q, PetscReal *cosine, PetscReal *sine)
{
  const PetscReal angle = load->sine ? NsFeTwistAngle(&load->twist, t, q) : 0;

  *cosine = load->sine ? factor * PetscCosReal(angle) : factor;
  *sine   = load->sine ? factor * PetscSinReal(angle) : 0;
}

static PetscReal mean(const NsModel *model, const NsFeLoad *load, PetscReal t)
{
  if (!load->time) return 1;
  return model ? NsTimeFunctionMean(load->time, t, model->before, model->after) : NsTimeFunctionValue(load->time, t);
}

void NsFeOuterForce(const NsModel *model, const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h)
{
  for (PetscInt l = 0; l < forces->loads; l++) {
    const NsFeLoad *load = &forces->load[l];
    PetscReal       cosine, sine;
    load_factors(load, mean(model, load, t), t, q, &cosine, &sine);
    for (PetscInt i = 0; i < load->entries; i++) h[load->unknown[i]] += cosine * load->value[i] + (load->sine ? sine * load->sine[i] : 0);
  }
  NsFeGyroscopicForce(forces, t, v, h);
  NsFeVaryingForce(forces, t, q, v, h);
  NsFeUnbalanceForces(forces, t, q, v, h);
}

void NsFeOuterPower(const NsModel *model, const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w,
  NsFePower *load_power, NsFePower *damping_power)
{
  for (PetscInt l = 0; l < forces->loads; l++) {
    const NsFeLoad *load = &forces->load[l];
    PetscReal       cosine, sine;
    load_factors(load, mean(model, load, t), t, q, &cosine, &sine);
    for (PetscInt i = 0; i < load->counted; i++)
      NsFeAddPower(load_power, w[load->unknown[i]] * (cosine * load->value[i] + (load->sine ? sine * load->sine[i] : 0)));
  }
  NsFeVaryingPower(forces, t, q, v, w, load_power, damping_power);
  NsFeUnbalancePower(forces, t, q, v, w, load_power);
}

/* A rotating force has the period of a turn; a prescribed speed is largest at one end of its ramp. */
static void turn(const NsFeTwist *twist, PetscReal t, const PetscScalar *v, NsTimes *times)
{
  const PetscReal rate = PetscMax(PetscAbsReal(NsFeTwistRate(twist, t, v)), PetscAbsReal(NsSpinRate(twist->spin, NsSpinNext(twist->spin, t))));

  times->next = PetscMin(times->next, NsSpinNext(twist->spin, t));
  if (rate > 0) times->period = PetscMin(times->period, 2 * PETSC_PI / rate);
}

void NsFeOuterTimes(const NsFeForces *forces, PetscReal t, const PetscScalar *v, NsTimes *times)
{
  for (PetscInt l = 0; l < forces->loads; l++) {
    const NsFeLoad *load = &forces->load[l];
    times->next          = PetscMin(times->next, NsTimeFunctionNext(load->time, t));
    times->period        = PetscMin(times->period, NsTimeFunctionPeriod(load->time, t));
    if (load->sine) turn(&load->twist, t, v, times);
  }
  for (PetscInt k = 0; k < forces->unbalances; k++) turn(&forces->unbalance[k].twist, t, v, times);
}

/* To indices of this process; true if all of them are here. */
static PetscBool place_unknowns(const NsLayout *layout, PetscInt n, PetscInt *unknown)
{
  PetscBool here = PETSC_TRUE;

  for (PetscInt i = 0; i < n; i++) {
    unknown[i] = NsLayoutIndex(layout, unknown[i]);
    if (unknown[i] < 0) here = PETSC_FALSE;
  }
  return here;
}

/* A copy of a list of numbers. */
static PetscInt *copy_numbers(NsArena *arena, PetscInt n, const PetscInt *number)
{
  PetscInt *copy = NsArenaAlloc(arena, sizeof(*copy) * (size_t)(n + 1));

  for (PetscInt i = 0; i < n; i++) copy[i] = number[i];
  return copy;
}

/* The entries of this process, owned ones first. */
static PetscBool place_load(NsArena *arena, const NsLayout *layout, NsFeLoad *load)
{
  const NsFeLoad old = *load;
  const size_t   n   = (size_t)old.entries + 1;

  load->unknown = NsArenaAlloc(arena, sizeof(*load->unknown) * n);
  load->value   = NsArenaAlloc(arena, sizeof(*load->value) * n);
  if (old.sine) load->sine = NsArenaAlloc(arena, sizeof(*load->sine) * n);
  load->entries = 0;
  for (int ghosts = 0; ghosts < 2; ghosts++) {
    for (PetscInt i = 0; i < old.entries; i++) {
      const PetscInt index = NsLayoutIndex(layout, old.unknown[i]);
      if (index < 0 || NsLayoutOwns(layout, index) == (ghosts != 0)) continue;
      load->unknown[load->entries] = index;
      if (old.sine) load->sine[load->entries] = old.sine[i];
      load->value[load->entries++] = old.value[i];
    }
    if (!ghosts) load->counted = load->entries;
  }
  return place_unknowns(layout, load->twist.entries, load->twist.unknown) && load->entries > 0;
}

static PetscBool place_unbalance(const NsLayout *layout, NsFeUnbalance *unbalance)
{
  const NsFeUnbalance old = *unbalance;

  unbalance->entries = 0;
  for (int ghosts = 0; ghosts < 2; ghosts++) {
    for (PetscInt i = 0; i < old.entries; i++) {
      const PetscInt index = NsLayoutIndex(layout, old.unknown[i]);
      if (index < 0 || NsLayoutOwns(layout, index) == (ghosts != 0)) continue;
      for (int a = 0; a < 2; a++) unbalance->lateral[a][unbalance->entries] = old.lateral[a][i];
      unbalance->unknown[unbalance->entries++] = index;
    }
    if (!ghosts) unbalance->counted = unbalance->entries;
  }
  return place_unknowns(layout, unbalance->twist.entries, unbalance->twist.unknown) && unbalance->entries > 0;
}

static PetscInt place_varyings(NsArena *arena, const NsLayout *layout, PetscInt count, const NsFeVarying *from, NsFeVarying **to)
{
  PetscInt placed = 0;

  *to = NsArenaAlloc(arena, sizeof(**to) * (size_t)(count + 1));
  for (PetscInt b = 0; b < count; b++) {
    NsFeVarying *varying = &(*to)[placed];
    *varying             = from[b];
    if (place_unknowns(layout, varying->entries, varying->unknown) && place_unknowns(layout, varying->twist.entries, varying->twist.unknown))
      placed++;
    varying->counts = varying->entries > 0 && varying->unknown[0] >= 0 && NsLayoutOwns(layout, varying->unknown[0]);
  }
  return placed;
}

static void place_forces(NsFe *fe, const NsLayout *layout)
{
  const NsFeForces *from  = &fe->forces;
  NsFeForces       *to    = &fe->here;
  NsArena          *arena = fe->arena;

  *to           = (NsFeForces){0};
  to->load      = NsArenaAlloc(arena, sizeof(*to->load) * (size_t)(from->loads + 1));
  to->gyro      = NsArenaAlloc(arena, sizeof(*to->gyro) * (size_t)(from->gyros + 1));
  to->unbalance = NsArenaAlloc(arena, sizeof(*to->unbalance) * (size_t)(from->unbalances + 1));
  for (PetscInt l = 0; l < from->loads; l++) {
    to->load[to->loads] = from->load[l];
    if (place_load(arena, layout, &to->load[to->loads])) to->loads++;
  }
  for (PetscInt g = 0; g < from->gyros; g++) {
    NsFeGyro *gyro = &to->gyro[to->gyros];
    *gyro          = from->gyro[g];
    gyro->unknown  = copy_numbers(arena, gyro->n, gyro->unknown);
    if (place_unknowns(layout, gyro->n, gyro->unknown) && place_unknowns(layout, gyro->twist.entries, gyro->twist.unknown)) to->gyros++;
  }
  to->varyings = place_varyings(arena, layout, from->varyings, from->varying, &to->varying);
  to->watches  = place_varyings(arena, layout, from->watches, from->watch, &to->watch);
  for (PetscInt k = 0; k < from->unbalances; k++) {
    to->unbalance[to->unbalances] = from->unbalance[k];
    if (place_unbalance(layout, &to->unbalance[to->unbalances])) to->unbalances++;
  }
}

PetscErrorCode NsFeOuterIndices(NsFe *fe, const NsLayout *layout)
{
  const NsFeForces *forces = &fe->forces;
  const PetscBool   heavy  = fe->gravity[0] != 0 || fe->gravity[1] != 0 || fe->gravity[2] != 0;
  const size_t      size   = sizeof(PetscReal) * (size_t)layout->local;

  PetscFunctionBegin;
  place_forces(fe, layout);
  if (heavy) {
    PetscReal *all;
    PetscCall(PetscCalloc1(fe->unknowns, &all));
    NsFeWeight(fe, fe->gravity, all);
    fe->weight = NsArenaAlloc(fe->arena, size);
    NsLayoutSpread(layout, all, fe->weight);
    PetscCall(PetscFree(all));
  }
  if (!heavy && !(forces->loads + forces->gyros + forces->varyings + forces->unbalances)) PetscFunctionReturn(0);
  fe->outer = NsArenaAlloc(fe->arena, size);
  if (heavy) memcpy(fe->outer, fe->weight, size);
  PetscFunctionReturn(0);
}

/* ---- the loads of a linear model, f(t) = sum_k size_k(t) F_k ------------------------------------------------------------------------------------ */

/* Constant and not rotating. */
static PetscBool is_constant(const NsFeLoad *load)
{
  return !load->time && !load->sine;
}

PetscErrorCode NsFeLoadShapes(NsModel *model, PetscInt *count, Vec **shape)
{
  NsFe             *fe   = model->data;
  const NsFeForces *here = &fe->here;
  PetscReal       **value;

  PetscFunctionBegin;
  *count = 2;
  for (PetscInt l = 0; l < here->loads; l++) *count += is_constant(&here->load[l]) ? 0 : here->load[l].sine ? 2 : 1;
  *count += 2 * here->unbalances;
  PetscCall(VecDuplicateVecs(fe->work, *count, shape));
  for (PetscInt k = 0; k < *count; k++) PetscCall(VecZeroEntries((*shape)[k]));
  PetscCall(VecGetArrays(*shape, *count, &value));
  if (fe->weight) PetscCall(PetscArraycpy(value[0], fe->weight, model->layout->local));
  for (PetscInt l = 0, next = 2; l < here->loads; l++) {
    const NsFeLoad *load = &here->load[l];
    const PetscInt  to   = is_constant(load) ? 1 : next++;
    for (PetscInt i = 0; i < load->entries; i++) value[to][load->unknown[i]] += load->value[i];
    if (!load->sine) continue;
    for (PetscInt i = 0; i < load->entries; i++) value[next][load->unknown[i]] += load->sine[i];
    next++;
  }
  for (PetscInt u = 0; u < here->unbalances; u++) {
    const NsFeUnbalance *unbalance = &here->unbalance[u];
    for (int a = 0; a < 2; a++) {
      for (PetscInt i = 0; i < unbalance->entries; i++)
        value[*count - 2 * (here->unbalances - u) + a][unbalance->unknown[i]] += unbalance->lateral[a][i];
    }
  }
  PetscCall(VecRestoreArrays(*shape, *count, &value));
  PetscFunctionReturn(0);
}

/* The sizes at time t of those that change, from the factors of their time functions: their middle between t0 and t1 or, with a model, their mean over the interval that t represents in its step. */
static void fill_sizes(const NsFe *fe, const NsModel *mean_of, PetscReal t, PetscReal t0, PetscReal t1, PetscReal *size)
{
  const NsFeForces *here = &fe->here;
  PetscReal         torque;

  *size++ = 1;
  *size++ = 1;
  for (PetscInt l = 0; l < here->loads; l++) {
    const NsFeLoad *load = &here->load[l];
    PetscReal       cosine, sine;
    if (is_constant(load)) continue;
    load_factors(load, mean_of ? mean(mean_of, load, t) : NsTimeFunctionMiddle(load->time, t0, t1), t, NULL, &cosine, &sine);
    *size++ = cosine;
    if (load->sine) *size++ = sine;
  }
  for (PetscInt u = 0; u < here->unbalances; u++, size += 2) NsFeUnbalanceForce(&here->unbalance[u], t, NULL, NULL, size, &torque);
}

PetscErrorCode NsFeLoadMiddles(NsModel *model, PetscReal t0, PetscReal dt, PetscReal *size)
{
  PetscFunctionBegin;
  fill_sizes(model->data, NULL, t0 + dt / 2, t0, t0 + dt, size);
  PetscFunctionReturn(0);
}

void NsFeLoadMeans(const NsModel *model, PetscReal t, PetscReal *size)
{
  fill_sizes(model->data, model, t, t, t, size);
}

PetscErrorCode NsFeLoadSizes(NsModel *model, PetscReal t, PetscReal *size)
{
  PetscFunctionBegin;
  PetscCall(NsFeLoadMiddles(model, t, 0, size));
  PetscFunctionReturn(0);
}
