/*
  The finite-element model: from settings to the operations of percuss/model.h.

      h(t, q, v) = f(t, q) + M g - K q - C v + spinning(t, q, v)          constant M, C, K but for unbalances of rotors whose spin is free
*/
#include <string.h>
#include "fe.h"

#define NS_BODY(name) extern const NsBodyType NsBodyType_##name;
#include "list.h"
#undef NS_BODY

const NsBodyType *const NsBodyTypes[] = {
#define NS_BODY(name) &NsBodyType_##name,
#include "list.h"
#undef NS_BODY
  NULL,
};

/* f(t) cos psi and f(t) sin psi of a load that turns; f(t), and nothing, of others. */
static void load_factors(const NsFeLoad *load, PetscReal t, const PetscScalar *q, PetscReal *cosine, PetscReal *sine)
{
  const PetscReal factor = NsTimeFunctionValue(load->time, t), angle = load->sine ? NsFeTwistAngle(&load->twist, t, q) : 0;

  *cosine = load->sine ? factor * PetscCosReal(angle) : factor;
  *sine   = load->sine ? factor * PetscSinReal(angle) : 0;
}

static PetscErrorCode NsModelForce_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  if (fe->has_weight)
    PetscCall(VecCopy(fe->weight, h));
  else
    PetscCall(VecZeroEntries(h));
  if (fe->loads || fe->gyros || fe->varyings || fe->unbalances) {
    PetscScalar       *value;
    const PetscScalar *aq, *av;
    PetscCall(VecGetArray(h, &value));
    PetscCall(VecGetArrayRead(q, &aq));
    PetscCall(VecGetArrayRead(v, &av));
    for (PetscInt l = 0; l < fe->loads; l++) {
      const NsFeLoad *load = &fe->load[l];
      PetscReal       cosine, sine;
      load_factors(load, t, aq, &cosine, &sine);
      for (PetscInt i = 0; i < load->entries; i++) value[load->unknown[i]] += cosine * load->value[i] + (load->sine ? sine * load->sine[i] : 0);
    }
    NsFeSpinningForce(fe, t, aq, av, value);
    PetscCall(VecRestoreArrayRead(v, &av));
    PetscCall(VecRestoreArrayRead(q, &aq));
    PetscCall(VecRestoreArray(h, &value));
  }
  PetscCall(NsFreeDynamicsForce(fe->free, q, v, h));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFactor_Fe(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  (void)v;
  PetscCall(NsFreeDynamicsFactor(fe->free, slot, op));
  if (fe->unbalanced) PetscCall(NsFeUnbalancedMassFactor(fe, fe->unbalanced, slot, t, q, op));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSolve_Fe(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsSolve(fe->free, slot, b, x));
  if (fe->unbalanced) PetscCall(NsFeUnbalancedMassCorrect(fe, fe->unbalanced, slot, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelAccel_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsModelFactor_Fe(model, 0, t, q, v, (NsOperator){1, 0, 0}));
  PetscCall(NsModelForce_Fe(model, t, q, v, fe->work)); /* not into a: KSPSolve copies when both vectors are one */
  PetscCall(NsModelSolve_Fe(model, 0, fe->work, a));
  PetscFunctionReturn(0);
}

/* y += (M(q) - M) x */
static PetscErrorCode add_unbalanced(const NsFe *fe, PetscReal t, Vec q, Vec x, Vec y)
{
  const PetscScalar *aq, *ax;
  PetscScalar       *ay;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(x, &ax));
  PetscCall(VecGetArray(y, &ay));
  PetscCall(NsFeUnbalancedMassMult(fe, t, aq, ax, ay));
  PetscCall(VecRestoreArray(y, &ay));
  PetscCall(VecRestoreArrayRead(x, &ax));
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Fe(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsMult(fe->free, x, y));
  if (fe->unbalanced) PetscCall(add_unbalanced(fe, t, q, x, y));
  PetscFunctionReturn(0);
}

/* Values of the touch list out of a vector, for the pairs. */
static PetscErrorCode gather(const NsModel *model, Vec x, PetscReal *values)
{
  const PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &array));
  for (PetscInt i = 0; i < model->touches; i++) values[i] = array[model->touch[i]];
  PetscCall(VecRestoreArrayRead(x, &array));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelGap_Fe(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(gather(model, q, fe->touch_q));
  for (PetscInt i = 0; i < fe->pairs; i++) g[i] = fe->pair[i]->type->gap(fe->pair[i], t, fe->touch_q);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRows_Fe(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(gather(model, q, fe->touch_q));
  rows->contacts = active;
  rows->rows     = 0;
  rows->first[0] = 0;
  for (PetscInt i = 0; i < active; i++) {
    const NsPair *pair = fe->pair[contact[i]];
    rows->contact[i]   = contact[i];
    rows->start[i]     = rows->rows;
    PetscCall(pair->type->rows(pair, t, fe->touch_q, rows));
  }
  rows->start[active] = rows->rows;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRowrate_Fe(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(d, rows->rows));
  PetscCall(gather(model, q, fe->touch_q));
  PetscCall(gather(model, v, fe->touch_v));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const NsPair *pair    = fe->pair[rows->contact[i]];
    PetscReal     rate[3] = {0, 0, 0};
    if (pair->type->rate) pair->type->rate(pair, t, fe->touch_q, fe->touch_v, rate);
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) d[k] = rate[k - rows->start[i]];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelContactPoint_Fe(NsModel *model, PetscReal t, Vec q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  NsFe         *fe   = model->data;
  const NsPair *pair = fe->pair[candidate];

  PetscFunctionBegin;
  PetscCall(gather(model, q, fe->touch_q));
  pair->type->place(pair, t, fe->touch_q, x, u, n);
  PetscFunctionReturn(0);
}

/* Sum over elements and springs, not q' K q: a body that has flown far keeps the digits of its small strains. */
static PetscErrorCode elastic_energy(const NsFe *fe, Vec q, PetscReal *elastic)
{
  const PetscScalar *x;

  PetscFunctionBegin;
  *elastic = 0;
  PetscCall(VecGetArrayRead(q, &x));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *element = &fe->element[i];
    const NsFeBody    *body    = &fe->body[element->body];
    PetscReal          u[NS_ELEMENT_UNKNOWNS];
    NsFeElementValues(fe, element, x, u);
    *elastic += body->element->energy(body, element, u);
  }
  for (PetscInt s = 0; s < fe->springs; s++) *elastic += NsFeSpringEnergy(fe, &fe->spring[s], NULL, x);
  PetscCall(VecRestoreArrayRead(q, &x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  if (fe->unbalanced) {
    PetscCall(NsModelMult_Fe(model, t, q, v, fe->work));
    PetscCall(VecDot(v, fe->work, &energy->kinetic));
    energy->kinetic /= 2;
  } else
    PetscCall(NsFreeDynamicsKinetic(fe->free, v, &energy->kinetic));
  PetscCall(elastic_energy(fe, q, &energy->elastic));
  energy->potential = 0;
  if (fe->has_weight) {
    PetscCall(VecDot(fe->weight, q, &energy->potential));
    energy->potential = -energy->potential;
  }
  if (fe->unbalances) {
    const PetscScalar *aq;
    PetscCall(VecGetArrayRead(q, &aq));
    energy->potential += NsFeSpinningPotential(fe, t, aq);
    PetscCall(VecRestoreArrayRead(q, &aq));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsFe              *fe = model->data;
  const PetscScalar *aq, *av, *aw;

  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsDamping(fe->free, v, w, &power->damping));
  power->load = 0;
  if (!fe->loads && !fe->varyings && !fe->unbalances && !fe->circulates) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(v, &av));
  PetscCall(VecGetArrayRead(w, &aw));
  for (PetscInt l = 0; l < fe->loads; l++) {
    const NsFeLoad *load = &fe->load[l];
    PetscReal       cosine, sine;
    load_factors(load, t, aq, &cosine, &sine);
    for (PetscInt i = 0; i < load->entries; i++)
      power->load += aw[load->unknown[i]] * (cosine * load->value[i] + (load->sine ? sine * load->sine[i] : 0));
  }
  for (PetscInt s = 0; s < fe->springs && fe->circulates; s++) {
    if (fe->spring[s].circulates) power->load += NsFeSpringCirculation(fe, &fe->spring[s], aq, aw);
  }
  NsFeSpinningPower(fe, t, aq, av, aw, power);
  PetscCall(VecRestoreArrayRead(w, &aw));
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDestroy_Fe(NsModel *model)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsDestroy(&fe->free));
  PetscCall(NsFeUnbalancedMassDestroy(&fe->unbalanced));
  PetscCall(VecDestroy(&fe->weight));
  PetscCall(VecDestroy(&fe->work));
  PetscCall(VecDestroy(&fe->rest));
  PetscFunctionReturn(0);
}

void NsFeInitialValues(const NsFe *fe, PetscReal *q, PetscReal *v)
{
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (unknown[a] < 0) continue;
      if (!body->turns[a]) q[unknown[a]] += NsDot3(body->direction[a], body->displacement);
      v[unknown[a]] = NsDot3(body->direction[a], body->turns[a] ? body->angular_velocity : body->velocity);
      if (body->turns[a] && NsSpinIsFree(body->spin)) v[unknown[a]] += NsSpinAtStart(body->spin) * NsDot3(body->direction[a], body->frame[0]);
    }
  }
}

static PetscErrorCode NsModelInitial_Fe(NsModel *model, NsState *state)
{
  NsFe        *fe = model->data;
  PetscScalar *q, *v;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(fe->work, &state->q));
  PetscCall(VecDuplicate(fe->work, &state->v));
  if (fe->rest) PetscCall(VecCopy(fe->rest, state->q)); /* else zero */
  PetscCall(VecGetArray(state->q, &q));
  PetscCall(VecGetArray(state->v, &v));
  NsFeInitialValues(fe, q, v);
  PetscCall(VecRestoreArray(state->q, &q));
  PetscCall(VecRestoreArray(state->v, &v));
  state->t = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelCompliance_Fe(NsModel *model, PetscInt slot, PetscReal *C)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFeUnbalancedMassCompliance(model, fe->unbalanced, slot, C));
  PetscFunctionReturn(0);
}

static const NsModelOps fe_ops = {
  .initial          = NsModelInitial_Fe,
  .force            = NsModelForce_Fe,
  .accel            = NsModelAccel_Fe,
  .mult             = NsModelMult_Fe,
  .factor           = NsModelFactor_Fe,
  .solve            = NsModelSolve_Fe,
  .gap              = NsModelGap_Fe,
  .rows             = NsModelRows_Fe,
  .rowrate          = NsModelRowrate_Fe,
  .energy           = NsModelEnergy_Fe,
  .power            = NsModelPower_Fe,
  .fields           = NsModelFields_Fe,
  .contact_point    = NsModelContactPoint_Fe,
  .name_unknown     = NsFeNameUnknown,
  .probe            = NsFeProbe,
  .station          = NsFeStation,
  .spin             = NsFeStationSpin,
  .frequency_bound  = NsFeFrequencyBound,
  .highest_mode     = NsFeHighestMode,
  .gyroscopic_modes = NsFeGyroscopicModes,
  .destroy          = NsModelDestroy_Fe,
};

/* Length and axis. */
static void measure(const NsFe *fe, NsFeElement *e)
{
  const PetscReal *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[1];

  e->length = PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
  for (int k = 0; k < 3; k++) e->axis[k] = (b[k] - a[k]) / e->length;
}

/*
  Meshes of all bodies, then their nodes and elements in one numbering, body after body. Elements that follow each other and are equally long but for the
  rounding of their coordinates get the same length to the last bit: then the rows of K sum to zero exactly, and a body in free flight feels no force at all.
  (With lengths as they come, 1e-11 N a node pushed the bar of 50 elements all the way, and the energy of a long flight grew with the square of time.)
*/
static PetscErrorCode add_bodies(NsFe *fe)
{
  const NsList   *list   = &fe->config->bodies;
  const NsChosen *chosen = list->items;

  PetscFunctionBegin;
  fe->bodies = list->count;
  fe->body   = NsArenaAlloc(fe->arena, sizeof(*fe->body) * (size_t)list->count);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody *body = &fe->body[b];
    NsMesh   *mesh = NULL;
    body->name     = list->names[b];
    if (!strcmp(body->name, "ground")) NsDiagError(fe->diag, list->where[b]->key_place, "'ground' is what does not move: a body needs another name");
    body->where = list->where[b];
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->mesh(chosen[b].settings, fe, &mesh));
    }
    if (!mesh) continue;
    body->mesh          = mesh;
    body->first_node    = fe->nodes;
    body->first_element = fe->elements;
    fe->nodes += mesh->nodes;
    fe->elements += mesh->elements;
  }
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);

  fe->x         = NsArenaAlloc(fe->arena, sizeof(*fe->x) * 3 * (size_t)fe->nodes);
  fe->node_body = NsArenaAlloc(fe->arena, sizeof(*fe->node_body) * (size_t)fe->nodes);
  fe->element   = NsArenaAlloc(fe->arena, sizeof(*fe->element) * (size_t)(fe->elements + 1));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody     *body   = &fe->body[b];
    const NsMesh *mesh   = body->mesh;
    PetscReal     extent = 0;
    PetscCall(PetscArraycpy(fe->x + 3 * body->first_node, mesh->x, 3 * mesh->nodes));
    for (PetscInt i = 0; i < 3 * mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(mesh->x[i]));
    for (PetscInt i = 0; i < mesh->nodes; i++) fe->node_body[body->first_node + i] = b;
    for (PetscInt i = 0; i < mesh->elements; i++) {
      NsFeElement *e = &fe->element[body->first_element + i];
      e->body        = b;
      for (int k = 0; k < 2; k++) e->node[k] = body->first_node + mesh->connection[2 * i + k];
      measure(fe, e);
      if (i > 0 && PetscAbsReal(e->length - e[-1].length) <= 8 * PETSC_MACHINE_EPSILON * extent) e->length = e[-1].length;
    }
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->build(chosen[b].settings, fe, body));
    }
    body->first_slot = fe->slots;
    fe->slots += mesh->nodes * body->node_unknowns;
  }
  fe->unknown = NsArenaAlloc(fe->arena, sizeof(*fe->unknown) * (size_t)(fe->slots + 1));
  PetscFunctionReturn(0);
}

/* Mass and stiffness of a beam's bending and twisting. */
static PetscBool matrices_in_range(const NsFeBody *body, const NsFeElement *e)
{
  PetscReal      M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  const PetscInt n = 2 * body->node_unknowns;

  body->element->mass(body, e, M);
  body->element->stiffness(body, e, K);
  for (PetscInt i = 0; i < n * n; i++) {
    if (!(PetscAbsReal(K[i]) < 1e30) || !(PetscAbsReal(M[i]) < 1e30) || (i % (n + 1) == 0 && !(M[i] > 1e-60))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Products of keys that each are in order may still leave the range of numbers, or of sense. */
static void check_elements(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; i < body->mesh->elements; i++) {
      const NsFeElement *e    = &fe->element[body->first_element + i];
      const NsProperty  *p    = e->property[0];
      const PetscReal    mass = p->density * p->area * e->length, stiffness = p->young * p->area / e->length;
      if (mass > 1e-60 && mass < 1e30 && stiffness > 1e-60 && stiffness < 1e30) {
        if (!e->beam || (i > 0 && e->beam == e[-1].beam) || matrices_in_range(body, e)) continue;
        NsDiagError(
          fe->diag, body->where->key_place, "an element of '%s' has a mass or a stiffness in bending or torsion that is out of range", body->name);
        NsDiagNote(fe->diag, "look at section, shear_factor, material, axial_force and the length of the elements (%g m)", e->length);
        break;
      }
      NsDiagError(fe->diag, body->where->key_place, "an element of '%s' has a mass of %g kg and a stiffness of %g N/m: out of range", body->name,
        mass, stiffness);
      NsDiagNote(fe->diag, "look at density, young, section and the length of the elements (%g m)", e->length);
      break;
    }
  }
}

/* The part of a start that a body cannot follow is a mistake, or a thought too many: bars move along their line, planar trusses in their plane. */
static void check_initial(NsFe *fe, const NsFeBody *body, const char *key, const PetscReal value[3])
{
  PetscReal left[3], size = 0, rest = 0;

  for (int k = 0; k < 3; k++) left[k] = value[k];
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscReal *d = body->direction[a];
    if (body->turns[a]) continue;
    for (int k = 0; k < 3; k++) left[k] -= NsDot3(value, d) * d[k];
  }
  for (int k = 0; k < 3; k++) {
    size = PetscMax(size, PetscAbsReal(value[k]));
    rest = PetscMax(rest, PetscAbsReal(left[k]));
  }
  const NsPlace place = NsKeysPlace(NsTreeChild(body->where, "initial"), key);
  if (size > 1e60)
    NsDiagError(fe->diag, place, "%s of '%s' is out of range: %g", key, body->name, size);
  else if (rest > 1e-9 * size && body->node_unknowns == 1) {
    NsDiagWarning(fe->diag, place, "'%s' moves along (%g, %g, %g) alone: the rest of this %s is left out", body->name, body->direction[0][0],
      body->direction[0][1], body->direction[0][2], key);
  } else if (rest > 1e-9 * size) {
    NsDiagWarning(fe->diag, place, "'%s' moves %s alone: the rest of this %s is left out", body->name,
      body->is_rotor ? "across its axis" : "in the x-y plane", key);
  }
}

/* Damping and spin. */
static void check_rates(NsFe *fe, const NsFeBody *body)
{
  const PetscReal spin = NsSpinHighest(body->spin);

  if (!NsFeIsInRange(body->damping_mass) || !NsFeIsInRange(body->damping_stiffness) || !NsFeIsInRange(body->damping_torsion)) {
    NsDiagError(fe->diag, NsKeysPlace(body->where, "damping"), "the damping of '%s' is out of range: %g 1/s, %g s, %g N m s", body->name,
      body->damping_mass, body->damping_stiffness, body->damping_torsion);
  }
  if (!NsFeIsInRange(spin)) NsDiagError(fe->diag, NsKeysPlace(body->where, "spin"), "the spin of '%s' is out of range: %g rad/s", body->name, spin);
}

static void check_bodies(NsFe *fe)
{
  const PetscReal *g     = fe->gravity;
  PetscBool        moves = PETSC_FALSE;

  check_elements(fe);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    check_rates(fe, body);
    if (NsTreeChild(body->where, "initial")) {
      check_initial(fe, body, "velocity", body->velocity);
      check_initial(fe, body, "displacement", body->displacement);
    }
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (!body->turns[a] && NsDot3(g, body->direction[a]) != 0) moves = PETSC_TRUE;
    }
  }
  if ((g[0] != 0 || g[1] != 0 || g[2] != 0) && !moves) {
    NsDiagWarning(fe->diag, NsKeysPlace(fe->config->where, "gravity"), "gravity moves nothing: no node can move in its direction");
  }
}

/* What bodies bring beside their elements. */
static void attach_bodies(NsFe *fe)
{
  const NsChosen *chosen = fe->config->bodies.items;

  for (PetscInt b = 0; b < fe->bodies && !NsDiagErrors(fe->diag); b++) {
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant && (*type)->attach) (*type)->attach(chosen[b].settings, fe, &fe->body[b]);
    }
  }
}

/* Forces linear in q and v with constant matrices: prescribed spin may change loads over time, but no matrix. */
static PetscBool is_linear(const NsFe *fe)
{
  for (PetscInt l = 0; l < fe->loads; l++) {
    if (fe->load[l].sine && fe->load[l].twist.entries) return PETSC_FALSE;
  }
  return fe->gyros + fe->varyings == 0 && !fe->mass_varies ? PETSC_TRUE : PETSC_FALSE;
}

/* With a constant mass matrix the compliance of contacts is solved for once; with one that varies it is put together each time. */
static const NsModelOps *varying_ops(NsArena *arena)
{
  NsModelOps *ops = NsArenaAlloc(arena, sizeof(*ops));

  *ops            = fe_ops;
  ops->compliance = NsModelCompliance_Fe;
  return ops;
}

PetscErrorCode NsModelCreate_Fe(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **result)
{
  NsFe    *fe    = NsArenaAlloc(arena, sizeof(*fe));
  NsModel *model = NsArenaAlloc(arena, sizeof(*model));

  PetscFunctionBegin;
  *result    = NULL;
  fe->arena  = arena;
  fe->diag   = diag;
  fe->config = config;
  for (int k = 0; k < 3; k++) fe->gravity[k] = config->gravity[k];
  PetscCall(add_bodies(fe));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  check_bodies(fe);
  NsFeSupports(fe);
  NsFeSprings(fe);
  NsFeMasses(fe);
  attach_bodies(fe);
  NsFeLoads(fe);
  model->arena         = arena;
  model->data          = fe;
  model->ops           = fe->mass_varies ? varying_ops(arena) : &fe_ops;
  model->kind          = "finite elements";
  model->unknowns      = fe->unknowns;
  model->parts         = NsFeParts(fe);
  model->constant_mass = fe->mass_varies ? PETSC_FALSE : PETSC_TRUE;
  if (!NsDiagErrors(diag)) {
    *result = model; /* from here on it is destroyed by the caller, errors or not */
    NsFeSpinning(fe);
    model->linear = is_linear(fe);
    PetscCall(NsFreeDynamicsCreate(fe, &fe->free));
    if (fe->mass_varies) {
      PetscCall(NsFeUnbalancedMassCreate(fe, &fe->unbalanced));
      PetscCall(NsFeUnbalancedMassCheck(fe, fe->unbalanced));
    }
    PetscCall(NsFeCheckBuckling(fe, model));
    if (config->start == 1) PetscCall(NsFeStatics(fe, model));
  }
  PetscCall(NsFeContacts(fe, model));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  NsFeScene(fe, model);
  model->probe_names = NsFePlaceNames(fe);
  model->probe_help =
    "points: a named node such as bar.left, or a place along a body: a fraction of its length such as bar@0.5, or a distance such as bar@20 mm";
  PetscFunctionReturn(0);
}
