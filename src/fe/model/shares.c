/*
  Energies and dissipated power of each body and force element of a finite-element model. The terms are those of energy.c, in another order:

      body           v_b' (M v)_b / 2,   sum over its elements,   -weight_b' q_b,   v_b' (C v)_b less what force elements have of it
      force element  0,   its springs,   0,   r'' D r' with r' its relative velocity; of those that are part of a body (rotating damping), the body's

  for no element, inertia or weight belongs to two bodies. Where supports move, terms of moved unknowns are added component by component.

  Cost: that of the energies; the powers alone cost one product with the damping matrix.
*/
#include "components.h"
#include "fe/backend/backend.h"
#include "shares.h"

struct NsFeShares {
  PetscInt   owners;
  NsOwner   *owner;    /* [owners] */
  PetscInt  *body_of;  /* [local] */
  PetscReal *zero, *y; /* [local] */
};

static PetscInt owner_of(const NsFe *fe, const NsForceElement *force)
{
  return force->inner ? force->end[0].body : fe->bodies + (PetscInt)(force - fe->force); /* inner ones are the last */
}

PetscErrorCode NsFeOwners(NsModel *model, PetscInt *count, const NsOwner **owner)
{
  NsFe           *fe     = model->data;
  const NsLayout *layout = fe->back_end->layout;
  NsFeShares     *self   = fe->shares;

  PetscFunctionBegin;
  if (!self) {
    self = fe->shares = NsArenaAlloc(fe->arena, sizeof(*self));
    self->owners      = fe->bodies;
    for (PetscInt f = 0; f < fe->force_elements; f++) self->owners += fe->force[f].inner ? 0 : 1;
    self->owner   = NsArenaAlloc(fe->arena, sizeof(*self->owner) * (size_t)(self->owners + 1));
    self->body_of = NsArenaAlloc(fe->arena, sizeof(*self->body_of) * (size_t)(layout->local + 1));
    self->zero    = NsArenaAlloc(fe->arena, sizeof(*self->zero) * (size_t)(layout->local + 1));
    self->y       = NsArenaAlloc(fe->arena, sizeof(*self->y) * (size_t)(layout->local + 1));
    for (PetscInt b = 0; b < fe->bodies; b++) self->owner[b] = (NsOwner){fe->body[b].name, PETSC_TRUE};
    for (PetscInt f = 0; f < self->owners - fe->bodies; f++)
      self->owner[fe->bodies + f] = (NsOwner){NsArenaPrint(fe->arena, "%ss.%s", fe->force[f].type->kind, fe->force[f].name), PETSC_FALSE};
    for (PetscInt node = 0; node < fe->nodes; node++) {
      const PetscInt *unknown = NsFeNodeUnknowns(fe, node);
      for (PetscInt a = 0; a < fe->body[fe->node_body[node]].node_unknowns; a++) {
        const PetscInt index = unknown[a] < 0 ? -1 : NsLayoutIndex(layout, unknown[a]);
        if (index >= 0) self->body_of[index] = fe->node_body[node];
      }
    }
  }
  *count = self->owners;
  *owner = self->owner;
  PetscFunctionReturn(0);
}

PetscInt NsFeBodyOf(const NsFe *fe, PetscInt unknown)
{
  return fe->shares->body_of[NsLayoutIndex(fe->back_end->layout, unknown)];
}

/* What the terms of moved unknowns need. */
typedef struct {
  const NsFe      *fe;
  const PetscReal *v;
  PetscBool        diagonal; /* the mass matrix is */
  NsShare         *share;    /* of the component */
} Moved;

static PetscReal rate_of(const Moved *moved, PetscInt unknown)
{
  return unknown < 0 ? NsFeIsMoved(unknown) ? NsFeHeldRate(moved->fe, unknown) : 0 : moved->v[NsLayoutIndex(moved->fe->back_end->layout, unknown)];
}

/* x' X x over the pairs of which one is moved. */
static void add_moved_term(void *context, const NsFeComponent *c, NsFeMatrix to, const PetscReal *X, PetscReal factor)
{
  const Moved *moved = context;
  PetscReal    sum   = 0;

  for (PetscInt i = 0; i < c->n; i++) {
    for (PetscInt j = 0; j < c->n; j++) {
      if (!(NsFeIsMoved(c->unknown[i]) || NsFeIsMoved(c->unknown[j])) || (to == NS_FE_MASS && moved->diagonal && i != j)) continue;
      sum += factor * X[i * c->n + j] * rate_of(moved, c->unknown[i]) * rate_of(moved, c->unknown[j]);
    }
  }
  if (to == NS_FE_MASS)
    moved->share->kinetic += sum / 2;
  else
    moved->share->damping += sum;
}

static NsShare *share_of(const NsFe *fe, const NsFeComponent *c, NsShare *share)
{
  return &share[c->kind == NS_FE_FORCE ? owner_of(fe, c->force) : c->body - fe->body];
}

static void add_moved(const NsFe *fe, const PetscReal *v, PetscBool powers_only, NsShare *share)
{
  const PetscBool wanted[NS_FE_MATRICES] = {[NS_FE_MASS] = !powers_only, [NS_FE_DAMPERS] = fe->back_end->damped};
  Moved           moved                  = {.fe = fe, .v = v, .diagonal = fe->back_end->diagonal};

  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    PetscBool any = PETSC_FALSE, free = PETSC_FALSE;
    NsFeTakeMoved(fe, &c);
    for (PetscInt i = 0; i < c.n; i++) {
      any  = any || NsFeIsMoved(c.unknown[i]);
      free = free || c.unknown[i] >= 0;
    }
    if (!any || !(free ? NsFeCountsHere(fe->back_end->layout, c.n, c.unknown) : fe->back_end->layout->rank == 0)) continue;
    moved.share = share_of(fe, &c, share);
    NsFeComponentTerms(fe, &c, NULL, wanted, add_moved_term, &moved);
  }
}

/* Moves the power of the dampers of force elements from the bodies, where the damping matrix puts it, to these elements. */
static void take_forces(const NsFe *fe, const PetscReal *v, NsShare *share)
{
  const NsLayout *layout = fe->back_end->layout;
  const PetscInt *body   = fe->shares->body_of;

  for (NsFeComponent c = {.next = fe->elements}; NsFeNextBehindElements(fe, &c) && c.kind == NS_FE_FORCE;) {
    PetscReal k[36], d[36], rate[6] = {0}, force[6] = {0};
    if (!NsFeCountsHere(layout, c.n, c.unknown)) continue;
    NsFeForceTangents(fe, c.force, NULL, k, d);
    for (PetscInt i = 0; i < c.n; i++) {
      for (int a = 0; a < 6; a++) rate[a] += c.row[i][a] * v[NsLayoutIndex(layout, c.unknown[i])];
    }
    for (int i = 0; i < 36; i++) force[i / 6] += d[i] * rate[i % 6];
    for (PetscInt i = 0; i < c.n; i++) {
      const PetscInt index = NsLayoutIndex(layout, c.unknown[i]);
      for (int a = 0; a < 6; a++) share[body[index]].damping -= v[index] * c.row[i][a] * force[a];
    }
    for (int a = 0; a < 6; a++) share_of(fe, &c, share)->damping += rate[a] * force[a];
  }
}

static PetscErrorCode add_powers(const NsFe *fe, PetscReal t, PetscReal *q, PetscReal *v, NsShare *share)
{
  const NsFeShares *self   = fe->shares;
  const NsLayout   *layout = fe->back_end->layout;

  PetscFunctionBegin;
  if (fe->back_end->damped) {
    PetscCall(PetscArrayzero(self->y, layout->local));
    PetscCall(fe->back_end->type->force(fe->back_end, self->zero, v, self->y));
    for (PetscInt i = 0; i < layout->local; i++) {
      if (NsLayoutOwns(layout, i)) share[self->body_of[i]].damping -= v[i] * self->y[i];
    }
    take_forces(fe, v, share);
  }
  for (PetscInt k = 0; k < fe->here.varyings; k++) {
    NsFeForces one  = fe->here;
    NsFePower  load = {0, NULL}, damping = {0, NULL};
    one.varyings = 1;
    one.varying  = &fe->here.varying[k];
    NsFeVaryingPower(&one, t, q, v, v, &load, &damping);
    share[owner_of(fe, one.varying->element)].damping += damping.plain;
  }
  PetscFunctionReturn(0);
}

/* Along the diagonals of energy.c. */
static PetscErrorCode add_energies(const NsFe *fe, PetscReal t, PetscReal *q, PetscReal *v, NsShare *share)
{
  const NsFeShares *self   = fe->shares;
  const NsLayout   *layout = fe->back_end->layout;

  PetscFunctionBegin;
  PetscCall(fe->back_end->type->mult(fe->back_end, v, self->y));
  if (fe->mass_varies) PetscCall(NsFeUnbalancedMassMult(fe, t, q, v, self->y)); /* one process */
  for (PetscInt i = 0; i < layout->local; i++) {
    NsShare *body = &share[self->body_of[i]];
    if (!NsLayoutOwns(layout, i)) continue;
    body->kinetic += v[i] * self->y[i] / 2;
    if (fe->weight) body->potential -= fe->weight[i] * q[i];
  }
  for (PetscInt u = 0; u < fe->here.unbalances && fe->mass_varies; u++) {
    NsFeForces one = fe->here;
    one.unbalances = 1;
    one.unbalance  = &fe->here.unbalance[u];
    share[one.unbalance->at.body].potential += NsFeSpinningPotential(&one, t, q);
  }
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    PetscReal energy;
    if (NsFeElasticEnergy(fe, &c, q, &energy)) share_of(fe, &c, share)->elastic += energy;
  }
  for (PetscInt k = 0; k < fe->here.varyings; k++) {
    const NsFeVarying *varying = &fe->here.varying[k];
    if (varying->counts) share[owner_of(fe, varying->element)].elastic += NsFeVaryingEnergy(varying, t, q);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeShareEnergies(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share)
{
  NsFe      *fe       = model->data;
  NsLayout  *layout   = fe->back_end->layout;
  PetscReal *array[2] = {NsVecArray(q), NsVecArray(v)};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < fe->shares->owners; k++) share[k] = (NsShare){0};
  NsFeMovedAt(fe, t);
  PetscCall(NsLayoutExchange(layout, 2, array));
  PetscCall(add_powers(fe, t, array[0], array[1], share));
  if (!powers_only) PetscCall(add_energies(fe, t, array[0], array[1], share));
  if (fe->moving.moved) add_moved(fe, array[1], powers_only, share);
  if (layout->ranks > 1) PetscCall(NsLayoutSum(layout, (int)(sizeof(*share) / sizeof(PetscReal) * (size_t)fe->shares->owners), &share->kinetic));
  PetscFunctionReturn(0);
}
