/*
  Set-up of src/fe/backend/lumped/lumped.h: which elements, springs and discs act on an unknown of this process, which other unknowns they need (ghosts), and their matrices,
  equal ones stored once.

  Elements that follow each other and differ by the rounding of their nodes' coordinates alone count as equal, as their lengths do (src/fe/model/bodies.c).
*/
#include <string.h>
#include "fe/elements/solid.h"
#include "fe/model/components.h"
#include "lumped.h"

typedef struct {
  const NsFe *fe;
  NsLumped   *lumped;
  int         rank;
  const int  *owner_of; /* NULL: one process */
  int        *index;    /* [unknowns] -1: not here */
  int        *entry;    /* [nodes] of trusses and beams, -1: not here */
} Setup;

static PetscBool owns(const Setup *self, PetscInt unknown)
{
  return unknown >= 0 && (!self->owner_of || self->owner_of[unknown] == self->rank);
}

static PetscBool touches(const Setup *self, PetscInt n, const PetscInt *unknown)
{
  for (PetscInt i = 0; i < n; i++) {
    if (owns(self, unknown[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool is_chain(const NsFeBody *body)
{
  return body->element && body->element->axial && body->node_unknowns == 1;
}

/* Whether its elements have a part of C beside Rayleigh's. */
static PetscBool has_rates(const NsFe *fe, const NsFeBody *body)
{
  return body->element && (body->damping_torsion > 0 || (body->gyroscopic && NsFeSpeedOf(fe, body, NULL) != 0));
}

/* ------------------------------------------------------------------ vectors in blocks */

/* x[n], each block with so many numbers of the next one. */
static PetscErrorCode make_blocks(PetscInt n, const PetscReal *x, PetscInt overlap, NsBlocks *blocks)
{
  const PetscInt count = (n + NS_LUMPED_BLOCK - 1) / NS_LUMPED_BLOCK;

  PetscFunctionBegin;
  PetscCall(NsPoolCreate(NS_LUMPED_BLOCK + overlap, &blocks->distinct));
  PetscCall(PetscMalloc1(count, &blocks->block));
  for (PetscInt b = 0; b < count; b++) {
    PetscReal      buffer[NS_LUMPED_BLOCK + 1] = {0};
    const PetscInt first                       = b * NS_LUMPED_BLOCK;
    for (PetscInt i = first; i < PetscMin(n, first + NS_LUMPED_BLOCK + overlap); i++) buffer[i - first] = x[i];
    PetscCall(NsPoolAdd(&blocks->distinct, buffer, &blocks->block[b]));
  }
  PetscCall(NsPoolClose(&blocks->distinct));
  PetscCall(PetscMalloc1(blocks->distinct.rows, &blocks->even));
  for (PetscInt r = 0; r < blocks->distinct.rows; r++) {
    const PetscReal *row = blocks->distinct.row + (size_t)r * (size_t)blocks->distinct.width;
    blocks->even[r]      = PETSC_TRUE;
    for (PetscInt i = 1; i < blocks->distinct.width; i++) blocks->even[r] = blocks->even[r] && row[i] == row[0];
  }
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ springs and discs */

#define NS_JOINT_ENTRIES (NS_FORCE_UNKNOWNS * NS_FORCE_UNKNOWNS)

/* Whether a component is a joint: a force element, or a disc with gyroscopic terms at constant spin. */
static PetscBool is_joint(const NsFe *fe, const NsFeComponent *c)
{
  return c->kind == NS_FE_FORCE || (c->kind == NS_FE_INERTIA && c->inertia->gyroscopic && NsFeSpeedOf(fe, c->body, NULL) != 0);
}

/* Matrices of a joint, [n, n] each. */
static void joint_matrices(const NsFe *fe, const NsFeComponent *c, PetscReal *K, PetscReal *C, PetscReal *dampers)
{
  PetscReal k[36], d[36];

  if (c->kind == NS_FE_INERTIA) {
    NsFeDiscGyroscopic(c->inertia, &c->point, C);
    for (PetscInt i = 0; i < c->n * c->n; i++) {
      C[i] *= NsFeSpeedOf(fe, c->body, NULL);
      K[i] = dampers[i] = 0;
    }
    return;
  }
  NsFeForceTangents(fe, c->force, NULL, k, d);
  NsFeForceBlock(c->n, c->row, k, NS_FE_WHOLE, K);
  NsFeForceBlock(c->n, c->row, d, NS_FE_WHOLE, C);
  NsFeForceBlock(c->n, c->row, d, NS_FE_SYMMETRIC, dampers); /* the skew part dissipates nothing */
}

static PetscBool is_zero(PetscInt n, const PetscReal *x)
{
  for (PetscInt i = 0; i < n; i++) {
    if (x[i] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* *copy is NULL for zeros. */
static PetscErrorCode copy_unless_zero(PetscInt n, const PetscReal *x, PetscReal **copy)
{
  PetscFunctionBegin;
  *copy = NULL;
  if (is_zero(n, x)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(n, copy));
  PetscCall(PetscArraycpy(*copy, x, n));
  PetscFunctionReturn(0);
}

/* Places of the unknowns, and where their forces are summed. */
static PetscErrorCode add_joint(Setup *self, PetscInt n, const PetscInt *unknown, int *item_of, NsJoint *joint)
{
  NsLumped *lumped = self->lumped;
  PetscBool lonely = PETSC_TRUE; /* no ghost */

  PetscFunctionBegin;
  joint->n = n;
  PetscCall(PetscMalloc2(n, &joint->index, n, &joint->item));
  for (PetscInt i = 0; i < n; i++) {
    joint->index[i] = self->index[unknown[i]];
    joint->item[i]  = -1;
    if (!owns(self, unknown[i])) {
      lonely = PETSC_FALSE;
      continue;
    }
    if (item_of[joint->index[i]] < 0) {
      item_of[joint->index[i]]            = (int)lumped->items;
      lumped->item_index[lumped->items++] = joint->index[i];
    }
    joint->item[i] = item_of[joint->index[i]];
  }
  for (PetscInt i = 0; i < n && !lonely; i++) {
    if (joint->item[i] >= 0) lumped->border[lumped->borders++] = joint->index[i];
  }
  PetscFunctionReturn(0);
}

/* border has buffer for NS_FORCE_UNKNOWNS each, and two for each run of chains. */
static PetscErrorCode add_joints(Setup *self)
{
  const NsFe    *fe     = self->fe;
  NsLumped      *lumped = self->lumped;
  const PetscInt most   = fe->force_elements + fe->inertias;
  int           *item_of;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(most, &lumped->joint));
  PetscCall(PetscMalloc1(NS_FORCE_UNKNOWNS * (size_t)most, &lumped->item_index));
  PetscCall(PetscMalloc1(lumped->owned, &item_of));
  for (PetscInt p = 0; p < lumped->owned; p++) item_of[p] = -1;
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    const PetscInt n = c.n;
    PetscReal      K[NS_JOINT_ENTRIES], C[NS_JOINT_ENTRIES], dampers[NS_JOINT_ENTRIES];
    if (!is_joint(fe, &c)) continue;
    joint_matrices(fe, &c, K, C, dampers);
    if (!is_zero(n * n, C)) lumped->damped = PETSC_TRUE; /* on all processes */
    if (!touches(self, n, c.unknown)) continue;
    NsJoint *joint = &lumped->joint[lumped->joints++];
    PetscCall(add_joint(self, n, c.unknown, item_of, joint));
    PetscCall(copy_unless_zero(n * n, K, &joint->K));
    PetscCall(copy_unless_zero(n * n, C, &joint->C));
    PetscCall(copy_unless_zero(n * n, dampers, &joint->dampers));
  }
  PetscCall(PetscCalloc1(lumped->items, &lumped->item_force));
  PetscCall(PetscFree(item_of));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ indices and entries */

/* Owned unknowns in ascending order, then what else the elements and springs that touch them move. */
static PetscErrorCode find_indices(Setup *self)
{
  const NsFe *fe     = self->fe;
  NsLumped   *lumped = self->lumped;

  PetscFunctionBegin;
  lumped->owned = lumped->local = fe->unknowns;
  for (PetscInt u = 0; u < fe->unknowns; u++) self->index[u] = self->owner_of ? -1 : (int)u;
  if (!self->owner_of) PetscFunctionReturn(0);
  lumped->owned = lumped->local = 0;
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    if (!(c.kind == NS_FE_ELEMENT || is_joint(fe, &c)) || !touches(self, c.n, c.unknown)) continue;
    for (PetscInt k = 0; k < c.n; k++) {
      if (c.unknown[k] >= 0) self->index[c.unknown[k]] = 0;
    }
  }
  for (PetscInt u = 0; u < fe->unknowns; u++) {
    lumped->owned += owns(self, u) ? 1 : 0;
    lumped->local += owns(self, u) || self->index[u] == 0 ? 1 : 0;
  }
  PetscCall(PetscMalloc1(lumped->local, &lumped->natural));
  PetscCall(PetscMalloc1(lumped->local, &lumped->owner));
  PetscInt next[2] = {0, lumped->owned};
  for (PetscInt u = 0; u < fe->unknowns; u++) {
    if (!owns(self, u) && self->index[u] < 0) continue;
    self->index[u]                  = (int)next[owns(self, u) ? 0 : 1]++;
    lumped->natural[self->index[u]] = u;
    lumped->owner[self->index[u]]   = self->owner_of[u];
  }
  PetscFunctionReturn(0);
}

/* Storage for motions and forces of each node of elements on this process, or with owned unknowns; bars need none. */
static void find_entries(Setup *self)
{
  const NsFe *fe = self->fe;

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[i]];
    self->entry[i]       = !is_chain(body) && touches(self, body->node_unknowns, NsFeNodeUnknowns(fe, i)) ? 0 : -1;
  }
  for (NsFeComponent c = {0}; NsFeNext(fe, &c) && c.kind == NS_FE_ELEMENT;) {
    if (is_chain(c.body) || !touches(self, c.n, c.unknown)) continue;
    for (PetscInt k = 0; k < c.body->element->nodes; k++) self->entry[c.element->node[k]] = 0;
  }
  for (PetscInt i = 0; i < fe->nodes; i++) {
    if (self->entry[i] < 0) continue;
    self->entry[i] = (int)self->lumped->entries;
    self->lumped->entries += fe->body[fe->node_body[i]].node_unknowns;
  }
}

/* Returns how many there are of owned unknowns, or of ghosts; only counts while `run` is NULL. */
static PetscInt find_node_runs(const Setup *self, PetscBool owned, NsNodeRun *run)
{
  const NsFe *fe   = self->fe;
  PetscInt    runs = 0;
  NsNodeRun   last = {.count = 0};

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns && self->entry[i] >= 0; a++) {
      const PetscInt index = unknown[a] >= 0 ? self->index[unknown[a]] : -1, entry = self->entry[i] + a;
      if (index < 0 || owns(self, unknown[a]) != owned) continue;
      if (last.count && index == last.index + last.count && entry == last.entry + last.count && body->damping_stiffness == last.damping_stiffness) {
        last.count++;
      } else {
        last = (NsNodeRun){index, entry, 1, body->damping_stiffness};
        runs++;
      }
      if (run) run[runs - 1] = last;
    }
  }
  return runs;
}

/* ------------------------------------------------------------------ chains */

/* Returns how many stretches of a bar are here; only counts while `run` is NULL. stiffness[nodes + 1]: of the element before each node, 0 at the ends. */
static PetscInt find_runs(const Setup *self, const NsFeBody *body, const PetscReal *stiffness, PetscReal *coupling, NsChainRun *run)
{
  PetscInt  runs = 0;
  PetscBool open = PETSC_FALSE;

  for (PetscInt i = 0; i < body->mesh->nodes; i++) {
    const PetscInt  unknown = *NsFeNodeUnknowns(self->fe, body->first_node + i);
    const PetscInt  other   = i > 0 ? *NsFeNodeUnknowns(self->fe, body->first_node + i - 1) : -1;
    const PetscBool here    = owns(self, unknown);
    if (run && open && !here) {
      run[runs - 1].after   = unknown < 0 ? -1 : self->index[unknown];
      run[runs - 1].k_after = stiffness[i];
    }
    if (here && !open) runs++;
    if (run && here && !open) {
      run[runs - 1]        = (NsChainRun){.first = self->index[unknown],
               .before                           = other < 0 ? -1 : self->index[other],
               .k_before                         = stiffness[i],
               .damping_stiffness                = body->damping_stiffness};
      run[runs - 1].after  = -1;
      run[runs - 1].damped = body->damping_mass > 0 || body->damping_stiffness > 0;
    }
    if (run && here) run[runs - 1].end = self->index[unknown] + 1;
    if (run && here && open) coupling[self->index[unknown]] = stiffness[i];
    open = here;
  }
  return runs;
}

static PetscErrorCode add_chains(Setup *self)
{
  const NsFe *fe     = self->fe;
  NsLumped   *lumped = self->lumped;
  PetscReal  *stiffness, *coupling;
  PetscInt    runs = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(fe->nodes + 1, &stiffness, lumped->owned, &coupling));
  for (int pass = 0; pass < 2; pass++) {
    if (pass) PetscCall(PetscMalloc1(runs, &lumped->run));
    for (PetscInt b = 0; b < fe->bodies; b++) {
      const NsFeBody *body = &fe->body[b];
      if (!is_chain(body)) continue;
      stiffness[0] = stiffness[body->mesh->nodes] = 0;
      for (PetscInt i = 0; pass && i < body->mesh->elements; i++) {
        const NsFeElement *e = &fe->element[body->first_element + i];
        const PetscInt     k = e->node[1] - body->first_node;
        PetscReal          K[4];
        PetscCheck(e->node[1] == e->node[0] + 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the nodes of bar '%s' are not numbered along it", body->name);
        body->element->stiffness(body, e, K);
        stiffness[k] = K[0];
      }
      if (pass)
        lumped->runs += find_runs(self, body, stiffness, coupling, lumped->run + lumped->runs);
      else
        runs += find_runs(self, body, NULL, NULL, NULL);
    }
  }
  if (runs) PetscCall(make_blocks(lumped->owned, coupling, 1, &lumped->coupling));
  PetscCall(PetscFree2(stiffness, coupling));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ trusses, beams */

/* Whether two elements have the same matrices but for the rounding of their nodes' coordinates, which are up to `extent`. */
static PetscBool are_alike(const NsFeBody *body, const NsFeElement *a, const NsFeElement *b, PetscReal extent)
{
  PetscReal axis[3];

  return NsFeAlike(body, a, b, body->element->line ? 8 * PETSC_MACHINE_EPSILON * extent / body->element->line(a, axis) : 0);
}

/* K_e = (g, -g) (g, -g)': g from the row of the largest entry. */
static void axial_kind(const NsFeBody *body, const NsFeElement *e, PetscReal *g)
{
  const PetscInt d = body->node_unknowns, n = 2 * d;
  PetscReal      K[36];
  PetscInt       m = 0;

  body->element->stiffness(body, e, K);
  for (PetscInt a = 1; a < d; a++) {
    if (K[a * n + a] > K[m * n + m]) m = a;
  }
  for (PetscInt a = 0; a < d; a++) g[a] = K[m * n + a] / PetscSqrtReal(K[m * n + m]);
}

/* K, and with rates C and dampers, one after the other, each column by column. */
static void dense_kind(const NsFe *fe, const NsFeBody *body, const NsFeElement *e, PetscBool rates, PetscReal *kind)
{
  const PetscInt n = NsFeElementSize(body);
  PetscReal      X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], twist[NS_ELEMENT_UNKNOWNS] = {0};

  body->element->stiffness(body, e, X);
  for (PetscInt i = 0; i < n * n; i++) kind[i] = X[n * (i % n) + i / n];
  if (!rates) return;
  const PetscReal speed = body->gyroscopic ? NsFeSpeedOf(fe, body, NULL) : 0;
  if (body->damping_torsion > 0) body->element->twist(body, e, twist);
  if (speed != 0)
    body->element->gyroscopic(body, e, X);
  else
    memset(X, 0, sizeof(X));
  for (PetscInt i = 0; i < n * n; i++) {
    const PetscReal dashpot = body->damping_torsion * twist[i % n] * twist[i / n];
    kind[n * n + i]         = dashpot + speed * X[n * (i % n) + i / n];
    kind[2 * n * n + i]     = dashpot;
  }
}

static PetscErrorCode add_group(const Setup *self, const NsFeBody *body, NsGroup *group)
{
  const NsFe        *fe      = self->fe;
  const NsFeElement *element = fe->element + body->first_element, *like = element;
  const PetscInt     n = NsFeElementSize(body), nodes = body->element->nodes;
  PetscReal          kind[3 * NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
  const NsFeElement *last   = NULL;
  PetscReal          extent = 0;
  int                number = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * body->mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(body->mesh->x[i]));
  *group = (NsGroup){.nodes = nodes, .node_unknowns = body->node_unknowns, .axial = body->element->axial, .rates = has_rates(fe, body)};
  if (body->solid && body->solid->state == NS_SOLID_AXISYMMETRIC) group->slides = 1;
  for (PetscInt a = 0; a < body->node_unknowns; a++) group->slides = body->turns[a] ? body->node_unknowns : group->slides;
  for (PetscInt i = 0; i < body->mesh->elements; i++) group->members += touches(self, NsFeElementUnknowns(fe, &element[i], unknown), unknown) ? 1 : 0;
  PetscCall(PetscMalloc1((size_t)group->members * (size_t)(nodes + 1), &group->member));
  PetscCall(NsPoolCreate(group->axial ? n / 2 : (group->rates ? 3 : 1) * n * n, &group->kinds));
  group->members = 0;
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e = &element[i];
    if (!are_alike(body, like, e, extent)) like = e; /* found by going through all elements: on all processes the same one */
    if (!touches(self, NsFeElementUnknowns(fe, e, unknown), unknown)) continue;
    if (like != last) {
      if (group->axial)
        axial_kind(body, like, kind);
      else
        dense_kind(fe, body, like, group->rates, kind);
      PetscCall(NsPoolAdd(&group->kinds, kind, &number));
      last = like;
    }
    int *member = group->member + (nodes + 1) * group->members++;
    for (PetscInt k = 0; k < nodes; k++) member[k] = self->entry[e->node[k]];
    member[nodes] = number;
  }
  PetscCall(NsPoolClose(&group->kinds));
  PetscFunctionReturn(0);
}

/* Straight tetrahedra from their shape, others of many kinds by pairs of nodes, those of few kinds as other elements. */
static PetscErrorCode add_solid(const Setup *self, const NsFeBody *body, NsGroup *group)
{
  const NsFe *fe   = self->fe;
  PetscInt    tets = 0, others = 0, unknown[NS_ELEMENT_UNKNOWNS], *tet, *other;
  PetscBool   many = PETSC_TRUE;

  PetscFunctionBegin;
  if (body->element != &NsElementType_Tet4 && body->element != &NsElementType_Tet10) PetscCall(NsPairsSuit(fe, body, &many));
  if (!many) {
    PetscCall(add_group(self, body, group));
    PetscFunctionReturn(0);
  }
  *group = (NsGroup){.nodes = body->element->nodes, .node_unknowns = body->node_unknowns};
  PetscCall(PetscMalloc2(body->mesh->elements, &tet, body->mesh->elements, &other));
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[body->first_element + i];
    if (!touches(self, NsFeElementUnknowns(fe, e, unknown), unknown)) continue;
    if (NsTetsTake(e))
      tet[tets++] = i;
    else
      other[others++] = i;
  }
  if (tets) PetscCall(NsTetsCreate(fe, body, tets, tet, self->entry, &group->tets));
  if (others) PetscCall(NsPairsCreate(fe, body, others, other, self->entry, &group->pairs));
  PetscCall(PetscFree2(tet, other));
  PetscFunctionReturn(0);
}

static PetscErrorCode add_groups(Setup *self)
{
  const NsFe *fe     = self->fe;
  NsLumped   *lumped = self->lumped;
  PetscBool   rates  = PETSC_FALSE;

  PetscFunctionBegin;
  find_entries(self);
  lumped->own_node_runs = find_node_runs(self, PETSC_TRUE, NULL);
  lumped->node_runs     = lumped->own_node_runs + find_node_runs(self, PETSC_FALSE, NULL);
  PetscCall(PetscMalloc1(lumped->node_runs, &lumped->node_run));
  if (lumped->node_runs) {
    (void)find_node_runs(self, PETSC_TRUE, lumped->node_run);
    (void)find_node_runs(self, PETSC_FALSE, lumped->node_run + lumped->own_node_runs);
  }
  PetscCall(PetscMalloc1(fe->bodies, &lumped->group));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!fe->body[b].element || is_chain(&fe->body[b])) continue;
    if (fe->body[b].solid)
      PetscCall(add_solid(self, &fe->body[b], &lumped->group[lumped->groups]));
    else
      PetscCall(add_group(self, &fe->body[b], &lumped->group[lumped->groups]));
    if (lumped->group[lumped->groups++].rates) rates = PETSC_TRUE;
  }
  PetscCall(PetscCalloc1(lumped->entries, &lumped->motion)); /* supported DOF remain zero */
  PetscCall(PetscCalloc1(lumped->entries, &lumped->force));
  if (rates) PetscCall(PetscCalloc1(lumped->entries, &lumped->rate));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ masses */

static PetscErrorCode add_masses(Setup *self, const NsSparse *M)
{
  const NsFe *fe     = self->fe;
  NsLumped   *lumped = self->lumped;
  PetscReal  *x;
  PetscBool   drags = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(lumped->owned, &x));
  for (PetscInt r = 0; r < M->rows; r++) {
    const PetscInt unknown = M->row ? M->row[r] : r;
    for (PetscInt k = M->start[r]; k < M->start[r + 1]; k++) {
      if (M->column[k] == unknown && owns(self, unknown)) x[self->index[unknown]] = M->value[k];
    }
  }
  for (PetscInt p = 0; p < lumped->owned; p++)
    PetscCheck(x[p] > 0 || fe->massless, PETSC_COMM_SELF, PETSC_ERR_PLIB, "an unknown of this process has no mass, or its row of M is not here");
  PetscCall(make_blocks(lumped->owned, x, 0, &lumped->mass));
  for (PetscInt p = 0; p < lumped->owned; p++) x[p] = x[p] > 0 ? 1 / x[p] : 0; /* massless unknowns have no acceleration */
  PetscCall(make_blocks(lumped->owned, x, 0, &lumped->inverse));
  PetscCall(PetscArrayzero(x, lumped->owned));
  for (NsFeComponent c = {0}; NsFeNext(fe, &c) && c.kind == NS_FE_ELEMENT;) {
    PetscReal Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    if (c.body->damping_mass == 0) continue;
    drags = PETSC_TRUE;
    if (!touches(self, c.n, c.unknown)) continue;
    NsFeElementMass(fe, c.element, Me);
    for (PetscInt k = 0; k < c.n; k++) {
      if (owns(self, c.unknown[k])) x[self->index[c.unknown[k]]] += c.body->damping_mass * Me[k * c.n + k];
    }
  }
  if (drags) PetscCall(make_blocks(lumped->owned, x, 0, &lumped->drag));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ all of it */

PetscErrorCode NsLumpedCreate(const NsFe *fe, const NsSparse *M, int rank, const int *owner_of, NsLumped **result)
{
  NsLumped *lumped;
  Setup     self = {.fe = fe, .rank = rank, .owner_of = owner_of};

  PetscFunctionBegin;
  PetscCall(PetscNew(&lumped));
  self.lumped = *result = lumped;
  PetscCall(PetscMalloc2(fe->unknowns, &self.index, fe->nodes, &self.entry));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].damping_mass > 0 || fe->body[b].damping_stiffness > 0 || has_rates(fe, &fe->body[b])) lumped->damped = PETSC_TRUE;
  }
  PetscCall(find_indices(&self));
  PetscCall(add_masses(&self, M));
  PetscCall(add_chains(&self));
  PetscCall(add_groups(&self));
  PetscCall(PetscMalloc1(2 * (size_t)lumped->runs + NS_FORCE_UNKNOWNS * (size_t)(fe->force_elements + fe->inertias), &lumped->border));
  for (PetscInt r = 0; r < lumped->runs; r++) {
    lumped->border[lumped->borders++] = (int)lumped->run[r].first;
    lumped->border[lumped->borders++] = (int)lumped->run[r].end - 1;
  }
  PetscCall(add_joints(&self));
  PetscCall(PetscFree2(self.index, self.entry));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_blocks(NsBlocks *blocks)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(blocks->block));
  PetscCall(PetscFree(blocks->even));
  PetscCall(NsPoolDestroy(&blocks->distinct));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLumpedDestroy(NsLumped **result)
{
  NsLumped *lumped = *result;

  PetscFunctionBegin;
  if (!lumped) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < lumped->joints; i++) {
    PetscCall(PetscFree2(lumped->joint[i].index, lumped->joint[i].item));
    PetscCall(PetscFree(lumped->joint[i].K));
    PetscCall(PetscFree(lumped->joint[i].C));
    PetscCall(PetscFree(lumped->joint[i].dampers));
  }
  for (PetscInt i = 0; i < lumped->groups; i++) {
    PetscCall(PetscFree(lumped->group[i].member));
    PetscCall(NsPoolDestroy(&lumped->group[i].kinds));
    PetscCall(NsTetsDestroy(&lumped->group[i].tets));
    PetscCall(NsPairsDestroy(&lumped->group[i].pairs));
  }
  PetscCall(destroy_blocks(&lumped->mass));
  PetscCall(destroy_blocks(&lumped->inverse));
  PetscCall(destroy_blocks(&lumped->drag));
  PetscCall(destroy_blocks(&lumped->coupling));
  PetscCall(PetscFree(lumped->joint));
  PetscCall(PetscFree(lumped->item_index));
  PetscCall(PetscFree(lumped->item_force));
  PetscCall(PetscFree(lumped->border));
  PetscCall(PetscFree(lumped->group));
  PetscCall(PetscFree(lumped->run));
  PetscCall(PetscFree(lumped->node_run));
  PetscCall(PetscFree(lumped->motion));
  PetscCall(PetscFree(lumped->rate));
  PetscCall(PetscFree(lumped->force));
  PetscCall(PetscFree(lumped->natural));
  PetscCall(PetscFree(lumped->owner));
  PetscCall(PetscFree(lumped));
  *result = NULL;
  PetscFunctionReturn(0);
}
