/*
  Rotors of free spin: their speeds, and the range of the tables of their bearings.

  A twisting shaft has a different speed at each node. Its speed here is that of its angular momentum, w'v/w'e with e the rigid rotation of the shaft by 1 rad and w = M e: internal
  torques do not change it.
*/
#include "equilibrium.h"

/* The force element of a rotor whose table over speed ends first. */
static void find_table(const NsFe *fe, PetscInt body, NsFreeSpin *spin)
{
  for (PetscInt f = 0; f < fe->force_elements; f++) {
    const NsForceElement *force = &fe->force[f];
    PetscReal             end   = 0, speed;
    if (!NsFeForceFollowsSpin(fe, force) || force->rotor != body || force->exact) continue;
    for (PetscInt i = 0; force->type->speed(force, i, &speed); i++) end = PetscMax(end, PetscAbsReal(speed));
    if (spin->bearing && end >= spin->tabulated) continue;
    spin->bearing   = force->name;
    spin->tabulated = end;
  }
}

/* Its table over the speed, exact formulas apart: its ends in rad/s. */
static PetscBool table_of(const NsForceElement *force, PetscReal end[2])
{
  PetscReal speed;

  if (force->rotor < 0 || force->exact || !force->type->speed || !force->type->speed(force, 0, &end[0])) return PETSC_FALSE;
  for (PetscInt i = 0; force->type->speed(force, i, &speed); i++) end[1] = speed;
  return PETSC_TRUE;
}

PetscBool NsFeNextBeyondTable(NsModel *model, PetscReal from, PetscReal to, PetscInt *next, NsFeTableEnd *found)
{
  const NsFe *fe = model->data;

  for (; *next < fe->force_elements; ++*next) {
    const NsForceElement *force = &fe->force[*next];
    PetscReal             end[2];
    if (!table_of(force, end)) continue;
    const PetscReal ratio = NsFeSpeedRatio(fe, &fe->body[force->rotor]), slack = 1e-6 * PetscMax(PetscAbsReal(end[0]), PetscAbsReal(end[1]));
    PetscReal       lowest = PetscMin(from * ratio, to * ratio), highest = PetscMax(from * ratio, to * ratio);
    if (end[0] >= 0) { /* also valid for the other direction of spin */
      const PetscReal far = PetscMax(PetscAbsReal(lowest), PetscAbsReal(highest));
      lowest              = lowest < 0 && highest > 0 ? 0 : PetscMin(PetscAbsReal(lowest), PetscAbsReal(highest));
      highest             = far;
    }
    const PetscBool above = highest > end[1] + slack, below = lowest < end[0] - slack;
    if (!above && !below) continue;
    *found = (NsFeTableEnd){
      .kind = force->type->kind, .name = force->name, .speed = above ? highest : lowest, .end = above ? end[1] : end[0], .begins = !above};
    ++*next;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* e, ghosts too. */
static void fill_twist(const NsFe *fe, const NsFeBody *body, const NsLayout *layout, PetscScalar *e)
{
  for (PetscInt node = body->first_node; node < body->first_node + body->mesh->nodes; node++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, node);
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt index = unknown[a] >= 0 && body->turns[a] ? NsLayoutIndex(layout, unknown[a]) : -1;
      if (index >= 0) e[index] = NsDot3(body->direction[a], body->frame[0]);
    }
  }
}

/* The entries of w/w'e of this process that are not zero. */
static PetscErrorCode make_mean(NsFe *fe, NsModel *model, const NsFeBody *body, NsFeMeanTwist *mean)
{
  const NsLayout *layout = model->layout;
  NsState         start;
  Vec             e, w;
  PetscScalar    *ae;
  PetscReal       size = 0;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &e, &w, NULL));
  PetscCall(model->dynamics.initial(model, &start)); /* M may depend on the angle of unbalances, a little */
  ae = NsVecArray(e);
  fill_twist(fe, body, layout, ae);
  PetscCall(NsModelMult(model, 0, start.q, e, w));
  const PetscScalar *twist, *momentum;
  twist        = NsVecRead(e);
  momentum     = NsVecRead(w);
  mean->index  = NsArenaAlloc(fe->arena, sizeof(*mean->index) * (size_t)(body->mesh->nodes * body->node_unknowns + 1));
  mean->weight = NsArenaAlloc(fe->arena, sizeof(*mean->weight) * (size_t)(body->mesh->nodes * body->node_unknowns + 1));
  for (PetscInt i = 0; i < layout->local; i++) {
    if (twist[i] == 0 || !NsLayoutOwns(layout, i)) continue;
    mean->index[mean->entries]    = i;
    mean->weight[mean->entries++] = momentum[i];
    size += momentum[i] * twist[i];
  }
  PetscCall(NsLayoutSum(layout, 1, &size));
  if (!(size > 0)) mean->entries = 0; /* nothing of it turns */
  for (PetscInt i = 0; i < mean->entries; i++) mean->weight[i] /= size;
  PetscCall(VecDestroy(&start.q));
  PetscCall(VecDestroy(&start.v));
  PetscCall(NsVecsDestroy(&e, &w, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeFreeSpinsCreate(NsFe *fe, NsModel *model)
{
  PetscFunctionBegin;
  fe->free_spin = NsArenaAlloc(fe->arena, sizeof(*fe->free_spin) * (size_t)(fe->bodies + 1));
  fe->free_mean = NsArenaAlloc(fe->arena, sizeof(*fe->free_mean) * (size_t)(fe->bodies + 1));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    NsFreeSpin     *spin = &fe->free_spin[fe->free_spins];
    if (!body->is_rotor || !NsSpinIsFree(body->spin)) continue;
    *spin = (NsFreeSpin){.rotor = body->name, .start = NsSpinHighest(body->spin)};
    find_table(fe, b, spin);
    PetscCall(make_mean(fe, model, body, &fe->free_mean[fe->free_spins++]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeFreeSpins(NsModel *model, Vec v, PetscInt *count, const NsFreeSpin **spins)
{
  NsFe              *fe = model->data;
  const PetscScalar *value;

  PetscFunctionBegin;
  *count = fe->free_spins;
  *spins = fe->free_spin;
  for (PetscInt r = 0; r < fe->free_spins; r++) {
    const NsFeMeanTwist *mean = &fe->free_mean[r];
    PetscReal            rate = 0;
    value                     = NsVecRead(v);
    for (PetscInt i = 0; i < mean->entries; i++) rate += mean->weight[i] * value[mean->index[i]];
    PetscCall(NsLayoutSum(model->layout, 1, &rate));
    fe->free_spin[r].rate = PetscAbsReal(rate);
  }
  PetscFunctionReturn(0);
}
