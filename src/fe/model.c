/*
  The finite-element model: from settings to the operations of percuss/model.h.

      h(t, q, v) = f(t) + M g - K q - C v          constant M, C, K; small displacements
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

static PetscErrorCode NsModelForce_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  if (fe->has_weight)
    PetscCall(VecCopy(fe->weight, h));
  else
    PetscCall(VecZeroEntries(h));
  if (fe->loads) {
    PetscScalar *value;
    PetscCall(VecGetArray(h, &value));
    for (PetscInt l = 0; l < fe->loads; l++) {
      const NsFeLoad *load   = &fe->load[l];
      const PetscReal factor = NsTimeFunctionValue(load->time, t);
      for (PetscInt i = 0; i < load->entries; i++) value[load->unknown[i]] += factor * load->value[i];
    }
    PetscCall(VecRestoreArray(h, &value));
  }
  PetscCall(NsFreeDynamicsForce(fe->free, q, v, h));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelAccel_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsFactor(fe->free, 0, (NsOperator){1, 0, 0}));
  PetscCall(NsModelForce_Fe(model, t, q, v, fe->work)); /* not into a: KSPSolve copies when both vectors are one */
  PetscCall(NsFreeDynamicsSolve(fe->free, 0, fe->work, a));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelMult_Fe(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  PetscFunctionBegin;
  (void)t;
  (void)q;
  PetscCall(NsFreeDynamicsMult(((NsFe *)model->data)->free, x, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFactor_Fe(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  PetscFunctionBegin;
  (void)t;
  (void)q;
  (void)v;
  PetscCall(NsFreeDynamicsFactor(((NsFe *)model->data)->free, slot, op));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelSolve_Fe(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsSolve(((NsFe *)model->data)->free, slot, b, x));
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

/* Values of an element's unknowns; supported ones are 0. */
static void element_values(const NsFe *fe, const NsFeElement *element, const PetscScalar *x, PetscReal *values)
{
  PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt n = NsFeElementUnknowns(fe, element, unknown);

  for (PetscInt i = 0; i < n; i++) values[i] = unknown[i] < 0 ? 0 : x[unknown[i]];
}

static PetscReal spring_elongation(const NsFe *fe, const NsFeSpring *spring, const PetscScalar *x)
{
  PetscReal elongation = 0;

  for (int p = 0; p < 2 && spring->node[p] >= 0; p++) {
    const NsFeBody *body = &fe->body[fe->node_body[spring->node[p]]];
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * spring->node[p] + a];
      for (int k = 0; unknown >= 0 && k < 3; k++) elongation += (p ? 1 : -1) * spring->direction[k] * body->direction[a][k] * x[unknown];
    }
  }
  return elongation;
}

static PetscReal element_energy(const NsFeElement *element, PetscReal normal_force)
{
  return normal_force * normal_force * element->length / (2 * element->young * element->area);
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
    element_values(fe, element, x, u);
    *elastic += element_energy(element, body->element->normal_force(element, body->node_unknowns, u));
  }
  for (PetscInt s = 0; s < fe->springs; s++) *elastic += fe->spring[s].stiffness / 2 * PetscSqr(spring_elongation(fe, &fe->spring[s], x));
  PetscCall(VecRestoreArrayRead(q, &x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  (void)t;
  PetscCall(NsFreeDynamicsKinetic(fe->free, v, &energy->kinetic));
  PetscCall(elastic_energy(fe, q, &energy->elastic));
  energy->potential = 0;
  if (fe->has_weight) {
    PetscCall(VecDot(fe->weight, q, &energy->potential));
    energy->potential = -energy->potential;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  (void)q;
  PetscCall(NsFreeDynamicsDamping(fe->free, v, w, &power->damping));
  power->load = 0;
  if (fe->loads) {
    const PetscScalar *value;
    PetscCall(VecGetArrayRead(w, &value));
    for (PetscInt l = 0; l < fe->loads; l++) {
      const NsFeLoad *load = &fe->load[l];
      PetscReal       sum  = 0;
      for (PetscInt i = 0; i < load->entries; i++) sum += value[load->unknown[i]] * load->value[i];
      power->load += NsTimeFunctionValue(load->time, t) * sum;
    }
    PetscCall(VecRestoreArrayRead(w, &value));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFields_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsFields *fields)
{
  NsFe              *fe = model->data;
  const PetscScalar *aq, *av;

  PetscFunctionBegin;
  (void)t;
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(v, &av));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[i]];
    for (int k = 0; k < 3; k++) fields->displacement[3 * i + k] = fields->velocity[3 * i + k] = 0;
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * i + a];
      if (unknown < 0) continue;
      for (int k = 0; k < 3; k++) {
        fields->displacement[3 * i + k] += body->direction[a][k] * aq[unknown];
        fields->velocity[3 * i + k] += body->direction[a][k] * av[unknown];
      }
    }
  }
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *element = &fe->element[i];
    const NsFeBody    *body    = &fe->body[element->body];
    PetscReal          u[NS_ELEMENT_UNKNOWNS];
    element_values(fe, element, aq, u);
    fields->normal_force[i] = body->element->normal_force(element, body->node_unknowns, u);
    fields->stress[i]       = fields->normal_force[i] / element->area;
    fields->energy[i]       = element_energy(element, fields->normal_force[i]);
  }
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelDestroy_Fe(NsModel *model)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(NsFreeDynamicsDestroy(&fe->free));
  PetscCall(VecDestroy(&fe->weight));
  PetscCall(VecDestroy(&fe->work));
  PetscFunctionReturn(0);
}

void NsFeInitialValues(const NsFe *fe, PetscReal *q, PetscReal *v)
{
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[i]];
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * i + a];
      if (unknown < 0) continue;
      q[unknown] = v[unknown] = 0;
      for (int k = 0; k < 3; k++) {
        q[unknown] += body->direction[a][k] * body->displacement[k];
        v[unknown] += body->direction[a][k] * body->velocity[k];
      }
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
  PetscCall(VecGetArrayWrite(state->q, &q));
  PetscCall(VecGetArrayWrite(state->v, &v));
  NsFeInitialValues(fe, q, v);
  PetscCall(VecRestoreArrayWrite(state->q, &q));
  PetscCall(VecRestoreArrayWrite(state->v, &v));
  state->t = 0;
  PetscFunctionReturn(0);
}

static const NsModelOps fe_ops = {
  .initial         = NsModelInitial_Fe,
  .force           = NsModelForce_Fe,
  .accel           = NsModelAccel_Fe,
  .mult            = NsModelMult_Fe,
  .factor          = NsModelFactor_Fe,
  .solve           = NsModelSolve_Fe,
  .gap             = NsModelGap_Fe,
  .rows            = NsModelRows_Fe,
  .rowrate         = NsModelRowrate_Fe,
  .energy          = NsModelEnergy_Fe,
  .power           = NsModelPower_Fe,
  .fields          = NsModelFields_Fe,
  .contact_point   = NsModelContactPoint_Fe,
  .name_unknown    = NsFeNameUnknown,
  .probe           = NsFeProbe,
  .frequency_bound = NsFeFrequencyBound,
  .highest_mode    = NsFeHighestMode,
  .destroy         = NsModelDestroy_Fe,
};

static PetscReal element_length(const NsFe *fe, const NsFeElement *e)
{
  const PetscReal *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[1];

  return PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
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
  fe->unknown   = NsArenaAlloc(fe->arena, sizeof(*fe->unknown) * NS_NODE_UNKNOWNS * (size_t)fe->nodes);
  fe->element   = NsArenaAlloc(fe->arena, sizeof(*fe->element) * (size_t)fe->elements);
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
      e->length = element_length(fe, e);
      if (i > 0 && PetscAbsReal(e->length - e[-1].length) <= 8 * PETSC_MACHINE_EPSILON * extent) e->length = e[-1].length;
    }
    for (const NsBodyType *const *type = NsBodyTypes; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->build(chosen[b].settings, fe, body));
    }
  }
  PetscFunctionReturn(0);
}

/* Products of keys that each are in order may still leave the range of numbers, or of sense. */
static void check_elements(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; i < body->mesh->elements; i++) {
      const NsFeElement *e    = &fe->element[body->first_element + i];
      const PetscReal    mass = e->density * e->area * e->length, stiffness = e->young * e->area / e->length;
      if (mass > 1e-60 && mass < 1e60 && stiffness > 1e-60 && stiffness < 1e60) continue;
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
    const PetscReal *d     = body->direction[a];
    const PetscReal  along = value[0] * d[0] + value[1] * d[1] + value[2] * d[2];
    for (int k = 0; k < 3; k++) left[k] -= along * d[k];
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
    NsDiagWarning(fe->diag, place, "'%s' moves in the x-y plane alone: the rest of this %s is left out", body->name, key);
  }
}

static void check_bodies(NsFe *fe)
{
  const PetscReal *g     = fe->gravity;
  PetscBool        moves = PETSC_FALSE;

  check_elements(fe);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (NsTreeChild(body->where, "initial")) {
      check_initial(fe, body, "velocity", body->velocity);
      check_initial(fe, body, "displacement", body->displacement);
    }
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscReal along = g[0] * body->direction[a][0] + g[1] * body->direction[a][1] + g[2] * body->direction[a][2];
      moves                 = moves || along != 0 ? PETSC_TRUE : PETSC_FALSE;
    }
  }
  if ((g[0] != 0 || g[1] != 0 || g[2] != 0) && !moves) {
    NsDiagWarning(fe->diag, NsKeysPlace(fe->config->where, "gravity"), "gravity moves nothing: no node can move in its direction");
  }
}

static void make_scene(NsFe *fe, NsModel *model)
{
  NsScene  *scene = &model->scene;
  PetscInt *count;

  scene->points    = fe->nodes;
  scene->cells     = fe->elements;
  scene->elements  = fe->elements;
  scene->bodies    = fe->bodies;
  scene->x         = fe->x;
  scene->radius    = NsArenaAlloc(fe->arena, sizeof(*scene->radius) * (size_t)fe->nodes);
  scene->cell      = NsArenaAlloc(fe->arena, sizeof(*scene->cell) * 2 * (size_t)fe->elements);
  scene->body      = NsArenaAlloc(fe->arena, sizeof(*scene->body) * (size_t)fe->elements);
  scene->element   = NsArenaAlloc(fe->arena, sizeof(*scene->element) * (size_t)fe->elements);
  scene->body_name = NsArenaAlloc(fe->arena, sizeof(*scene->body_name) * (size_t)fe->bodies);
  count            = NsArenaAlloc(fe->arena, sizeof(*count) * (size_t)fe->nodes);
  for (PetscInt i = 0; i < fe->bodies; i++) scene->body_name[i] = fe->body[i].name;
  for (PetscInt i = 0; i < fe->elements; i++) {
    for (int k = 0; k < 2; k++) {
      const PetscInt node    = fe->element[i].node[k];
      scene->cell[2 * i + k] = node;
      scene->radius[node] += fe->element[i].radius;
      count[node]++;
    }
    scene->body[i]    = fe->element[i].body;
    scene->element[i] = i - fe->body[fe->element[i].body].first_element;
    model->mass_total += fe->element[i].density * fe->element[i].area * fe->element[i].length;
  }
  for (PetscInt i = 0; i < fe->masses; i++) model->mass_total += fe->mass[i].mass;
  for (PetscInt i = 0; i < fe->nodes; i++) scene->radius[i] /= (PetscReal)count[i];
}

/* "body.set" for every named node set: what a probe, a load, a contact may name. */
static void list_names(NsFe *fe, NsModel *model)
{
  size_t       count = 1;
  const char **names;

  for (PetscInt b = 0; b < fe->bodies; b++) count += (size_t)fe->body[b].mesh->node_sets;
  names = NsArenaAlloc(fe->arena, sizeof(*names) * count);
  count = 0;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsMesh *mesh = fe->body[b].mesh;
    for (PetscInt s = 0; s < mesh->node_sets; s++) names[count++] = NsArenaPrint(fe->arena, "%s.%s", fe->body[b].name, mesh->node_set[s].name);
  }
  model->probe_names = names;
  model->probe_help  = "points: a named node such as bar.left, or body@fraction with a fraction of its length from 0 to 1, such as bar@0.5";
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
  NsFeAttachments(fe);
  model->arena = arena;
  model->data  = fe;
  PetscCall(NsFeContacts(fe, model));
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);

  model->ops           = &fe_ops;
  model->kind          = "finite elements";
  model->unknowns      = fe->unknowns;
  model->linear        = PETSC_TRUE;
  model->constant_mass = PETSC_TRUE;
  PetscCall(NsFreeDynamicsCreate(fe, &fe->free));
  make_scene(fe, model);
  list_names(fe, model);
  *result = model; /* also after an error in the options, so that it is destroyed */
  PetscFunctionReturn(0);
}
