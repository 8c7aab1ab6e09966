/*
  Lists and tables of src/fe/lumped.h out of the model: which elements, springs and discs touch an unknown of this process, which other unknowns they need (ghosts),
  and what their matrices are, each once.

  Elements that follow each other and differ by the rounding of their nodes' coordinates alone count as equal, as their lengths do (src/fe/bodies.c).
*/
#include <string.h>
#include "lumped.h"

typedef struct {
  const NsFe *fe;
  NsLumped   *lumped;
  int         rank;
  const int  *owner_of; /* NULL: one process */
  int        *place;    /* [unknowns] -1: not here */
  int        *slot;     /* [nodes] of trusses and beams, -1: not here */
} Setup;

static PetscBool owns(const Setup *self, PetscInt unknown)
{
  return unknown >= 0 && (!self->owner_of || self->owner_of[unknown] == self->rank) ? PETSC_TRUE : PETSC_FALSE;
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
  return body->element && body->node_unknowns == 1 ? PETSC_TRUE : PETSC_FALSE;
}

/* Of a rotor whose spin is constant, rad/s; 0: its gyroscopic terms are none, or no part of C. */
static PetscReal constant_speed(const NsFeBody *body)
{
  return body->is_rotor && NsFeSpeedIsConstant(body) ? NsSpinAtStart(body->spin) : 0;
}

/* Whether its elements have a part of C beside Rayleigh's. */
static PetscBool has_rates(const NsFeBody *body)
{
  return body->element && (body->damping_torsion > 0 || (body->gyroscopic && constant_speed(body) != 0)) ? PETSC_TRUE : PETSC_FALSE;
}

/* ------------------------------------------------------------------ equal rows, stored once */

static size_t hash(const PetscReal *x, PetscInt n)
{
  PetscInt64 h = 1469598103934665603;

  for (PetscInt i = 0; i < n; i++) {
    PetscInt64 bits;
    memcpy(&bits, &x[i], sizeof(bits));
    h = (PetscInt64)(((unsigned long long)h ^ (unsigned long long)bits) * 1099511628211ULL);
    h ^= (PetscInt64)((unsigned long long)h >> 29);
  }
  return (size_t)h;
}

static PetscErrorCode distinct_create(PetscInt width, PetscInt most, NsDistinct *distinct)
{
  PetscFunctionBegin;
  *distinct = (NsDistinct){.width = width, .size = 16};
  while (distinct->size < 2 * most) distinct->size *= 2;
  PetscCall(PetscMalloc1(distinct->size, &distinct->index));
  for (PetscInt i = 0; i < distinct->size; i++) distinct->index[i] = -1;
  PetscFunctionReturn(0);
}

static PetscErrorCode resize(NsDistinct *distinct, PetscInt room)
{
  PetscReal *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)distinct->width * (size_t)room, &row));
  PetscCall(PetscArraycpy(row, distinct->row, (size_t)distinct->width * (size_t)distinct->rows));
  PetscCall(PetscFree(distinct->row));
  distinct->row  = row;
  distinct->room = room;
  PetscFunctionReturn(0);
}

/* Number of the row that has the bits of x[width]. */
static PetscErrorCode distinct_add(NsDistinct *distinct, const PetscReal *x, int *number)
{
  const size_t width = (size_t)distinct->width, mask = (size_t)distinct->size - 1;
  size_t       i = hash(x, distinct->width) & mask;

  PetscFunctionBegin;
  while (distinct->index[i] >= 0 && memcmp(distinct->row + (size_t)distinct->index[i] * width, x, width * sizeof(*x))) i = (i + 1) & mask;
  if (distinct->index[i] < 0) {
    if (distinct->rows == distinct->room) PetscCall(resize(distinct, 2 * distinct->room + 1));
    memcpy(distinct->row + (size_t)distinct->rows * width, x, width * sizeof(*x));
    distinct->index[i] = (int)distinct->rows++;
  }
  *number = distinct->index[i];
  PetscFunctionReturn(0);
}

/* No more rows will come. */
static PetscErrorCode distinct_close(NsDistinct *distinct)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(distinct->index));
  if (distinct->room > distinct->rows) PetscCall(resize(distinct, distinct->rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode distinct_destroy(NsDistinct *distinct)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(distinct->index));
  PetscCall(PetscFree(distinct->row));
  PetscFunctionReturn(0);
}

/* x[n], each block with so many numbers of the next one. */
static PetscErrorCode make_blocks(PetscInt n, const PetscReal *x, PetscInt overlap, NsBlocks *blocks)
{
  const PetscInt count = (n + NS_LUMPED_BLOCK - 1) / NS_LUMPED_BLOCK;

  PetscFunctionBegin;
  PetscCall(distinct_create(NS_LUMPED_BLOCK + overlap, count, &blocks->distinct));
  PetscCall(PetscMalloc1(count, &blocks->block));
  for (PetscInt b = 0; b < count; b++) {
    PetscReal      room[NS_LUMPED_BLOCK + 1] = {0};
    const PetscInt first                     = b * NS_LUMPED_BLOCK;
    for (PetscInt i = first; i < PetscMin(n, first + NS_LUMPED_BLOCK + overlap); i++) room[i - first] = x[i];
    PetscCall(distinct_add(&blocks->distinct, room, &blocks->block[b]));
  }
  PetscCall(distinct_close(&blocks->distinct));
  PetscCall(PetscMalloc1(blocks->distinct.rows, &blocks->even));
  for (PetscInt r = 0; r < blocks->distinct.rows; r++) {
    const PetscReal *row = blocks->distinct.row + (size_t)r * (size_t)blocks->distinct.width;
    blocks->even[r]      = PETSC_TRUE;
    for (PetscInt i = 1; i < blocks->distinct.width; i++) blocks->even[r] = blocks->even[r] && row[i] == row[0] ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ springs and discs */

/* What a spring, or a disc after the springs, joins; false where it is no part of K or C. Y[n, n] = row' X row; NULL: not wanted. */
static PetscBool joint_of(const NsFe *fe, PetscInt number, PetscInt *n, PetscInt *unknown, PetscReal *K, PetscReal *C, PetscReal *dampers)
{
  PetscReal row[NS_SPRING_ENTRIES][6], k[36], c[36];

  if (number >= fe->springs) {
    const NsFeInertia *disc  = &fe->inertia[number - fe->springs];
    const PetscReal    speed = constant_speed(&fe->body[disc->spot.body]);
    NsPoint            point;
    if (!disc->gyroscopic || speed == 0) return PETSC_FALSE;
    NsFeExpand(fe, &disc->spot, &point);
    NsFeDiscGyroscopic(disc, &point, C);
    *n = point.unknowns;
    for (PetscInt i = 0; i < *n; i++) unknown[i] = point.unknown[i];
    for (PetscInt i = 0; i < *n * *n; i++) {
      C[i] *= speed;
      K[i] = dampers[i] = 0;
    }
    return PETSC_TRUE;
  }
  *n = NsFeSpringRows(fe, &fe->spring[number], unknown, row);
  NsFeSpringMatrices(fe, &fe->spring[number], NULL, k, c);
  for (PetscInt i = 0; i < *n * *n; i++) {
    const PetscReal *left = row[i / *n], *right = row[i % *n];
    K[i] = C[i] = dampers[i] = 0;
    for (int a = 0; a < 36; a++) {
      const PetscReal both = left[a / 6] * right[a % 6];
      K[i] += both * k[a];
      C[i] += both * c[a];
      dampers[i] += both * (c[a] + c[6 * (a % 6) + a / 6]) / 2; /* the skew part takes no energy */
    }
  }
  return PETSC_TRUE;
}

static PetscBool is_zero(PetscInt n, const PetscReal *x)
{
  for (PetscInt i = 0; i < n; i++) {
    if (x[i] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* NULL for zeros. */
static PetscErrorCode keep(PetscInt n, const PetscReal *x, PetscReal **kept)
{
  PetscFunctionBegin;
  *kept = NULL;
  if (is_zero(n, x)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(n, kept));
  PetscCall(PetscArraycpy(*kept, x, n));
  PetscFunctionReturn(0);
}

#define NS_JOINT_ENTRIES (NS_SPRING_ENTRIES * NS_SPRING_ENTRIES)

/* Places of the unknowns, and where their forces are summed. */
static PetscErrorCode add_joint(Setup *self, PetscInt n, const PetscInt *unknown, int *item_of, NsJoint *joint)
{
  NsLumped *lumped = self->lumped;
  PetscBool lonely = PETSC_TRUE; /* no ghost */

  PetscFunctionBegin;
  joint->n = n;
  PetscCall(PetscMalloc2(n, &joint->place, n, &joint->item));
  for (PetscInt i = 0; i < n; i++) {
    joint->place[i] = self->place[unknown[i]];
    joint->item[i]  = -1;
    if (!owns(self, unknown[i])) {
      lonely = PETSC_FALSE;
      continue;
    }
    if (item_of[joint->place[i]] < 0) {
      item_of[joint->place[i]]            = (int)lumped->items;
      lumped->item_place[lumped->items++] = joint->place[i];
    }
    joint->item[i] = item_of[joint->place[i]];
  }
  for (PetscInt i = 0; i < n && !lonely; i++) {
    if (joint->item[i] >= 0) lumped->border[lumped->borders++] = joint->place[i];
  }
  PetscFunctionReturn(0);
}

/* border has room for NS_SPRING_ENTRIES each, and two for each run of chains. */
static PetscErrorCode add_joints(Setup *self)
{
  const NsFe    *fe     = self->fe;
  NsLumped      *lumped = self->lumped;
  const PetscInt most   = fe->springs + fe->inertias;
  int           *item_of;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(most, &lumped->joint));
  PetscCall(PetscMalloc1(NS_SPRING_ENTRIES * (size_t)most, &lumped->item_place));
  PetscCall(PetscMalloc1(lumped->owned, &item_of));
  for (PetscInt p = 0; p < lumped->owned; p++) item_of[p] = -1;
  for (PetscInt s = 0; s < most; s++) {
    PetscInt  n, unknown[NS_SPRING_ENTRIES];
    PetscReal K[NS_JOINT_ENTRIES], C[NS_JOINT_ENTRIES], dampers[NS_JOINT_ENTRIES];
    if (!joint_of(fe, s, &n, unknown, K, C, dampers)) continue;
    if (!is_zero(n * n, C)) lumped->damped = PETSC_TRUE; /* on all processes */
    if (!touches(self, n, unknown)) continue;
    NsJoint *joint = &lumped->joint[lumped->joints++];
    PetscCall(add_joint(self, n, unknown, item_of, joint));
    PetscCall(keep(n * n, K, &joint->K));
    PetscCall(keep(n * n, C, &joint->C));
    PetscCall(keep(n * n, dampers, &joint->dampers));
  }
  PetscCall(PetscCalloc1(lumped->items, &lumped->item_force));
  PetscCall(PetscFree(item_of));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ places and slots */

/* Owned unknowns in ascending order, then what else the elements and springs that touch them move. */
static PetscErrorCode find_places(Setup *self)
{
  const NsFe *fe     = self->fe;
  NsLumped   *lumped = self->lumped;

  PetscFunctionBegin;
  lumped->owned = lumped->local = fe->unknowns;
  for (PetscInt u = 0; u < fe->unknowns; u++) self->place[u] = self->owner_of ? -1 : (int)u;
  if (!self->owner_of) PetscFunctionReturn(0);
  lumped->owned = lumped->local = 0;
  for (PetscInt i = 0; i < fe->elements; i++) {
    PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt n = NsFeElementUnknowns(fe, &fe->element[i], unknown);
    for (PetscInt k = 0; k < n && touches(self, n, unknown); k++) {
      if (unknown[k] >= 0) self->place[unknown[k]] = 0;
    }
  }
  for (PetscInt s = 0; s < fe->springs + fe->inertias; s++) {
    PetscInt  n, unknown[NS_SPRING_ENTRIES];
    PetscReal K[NS_JOINT_ENTRIES], C[NS_JOINT_ENTRIES], dampers[NS_JOINT_ENTRIES];
    if (!joint_of(fe, s, &n, unknown, K, C, dampers)) continue;
    for (PetscInt k = 0; k < n && touches(self, n, unknown); k++) self->place[unknown[k]] = 0;
  }
  for (PetscInt u = 0; u < fe->unknowns; u++) {
    lumped->owned += owns(self, u) ? 1 : 0;
    lumped->local += owns(self, u) || self->place[u] == 0 ? 1 : 0;
  }
  PetscCall(PetscMalloc1(lumped->local, &lumped->natural));
  PetscCall(PetscMalloc1(lumped->local, &lumped->owner));
  PetscInt next[2] = {0, lumped->owned};
  for (PetscInt u = 0; u < fe->unknowns; u++) {
    if (!owns(self, u) && self->place[u] < 0) continue;
    self->place[u]                  = (int)next[owns(self, u) ? 0 : 1]++;
    lumped->natural[self->place[u]] = u;
    lumped->owner[self->place[u]]   = self->owner_of[u];
  }
  PetscFunctionReturn(0);
}

/* Room for motions and forces of each node that elements here join, or of which something is owned; bars have none. */
static void find_slots(Setup *self)
{
  const NsFe *fe = self->fe;

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body = &fe->body[fe->node_body[i]];
    self->slot[i]        = !is_chain(body) && touches(self, body->node_unknowns, NsFeNodeUnknowns(fe, i)) ? 0 : -1;
  }
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    if (is_chain(&fe->body[e->body]) || !touches(self, NsFeElementUnknowns(fe, e, unknown), unknown)) continue;
    for (int k = 0; k < 2; k++) self->slot[e->node[k]] = 0;
  }
  for (PetscInt i = 0; i < fe->nodes; i++) {
    if (self->slot[i] < 0) continue;
    self->slot[i] = (int)self->lumped->slots;
    self->lumped->slots += fe->body[fe->node_body[i]].node_unknowns;
  }
}

/* Returns how many there are of owned unknowns, or of ghosts; only counts while `run` is NULL. */
static PetscInt find_slot_runs(const Setup *self, PetscBool owned, NsSlotRun *run)
{
  const NsFe *fe   = self->fe;
  PetscInt    runs = 0;
  NsSlotRun   last = {.count = 0};

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns && self->slot[i] >= 0; a++) {
      const PetscInt place = unknown[a] >= 0 ? self->place[unknown[a]] : -1, slot = self->slot[i] + a;
      if (place < 0 || owns(self, unknown[a]) != owned) continue;
      if (last.count && place == last.place + last.count && slot == last.slot + last.count && body->damping_stiffness == last.damping_stiffness) {
        last.count++;
      } else {
        last = (NsSlotRun){place, slot, 1, body->damping_stiffness};
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
      run[runs - 1].after   = unknown < 0 ? -1 : self->place[unknown];
      run[runs - 1].k_after = stiffness[i];
    }
    if (here && !open) runs++;
    if (run && here && !open) {
      run[runs - 1]        = (NsChainRun){.first = self->place[unknown],
               .before                           = other < 0 ? -1 : self->place[other],
               .k_before                         = stiffness[i],
               .damping_stiffness                = body->damping_stiffness};
      run[runs - 1].after  = -1;
      run[runs - 1].damped = body->damping_mass > 0 || body->damping_stiffness > 0 ? PETSC_TRUE : PETSC_FALSE;
    }
    if (run && here) run[runs - 1].end = self->place[unknown] + 1;
    if (run && here && open) coupling[self->place[unknown]] = stiffness[i];
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
static PetscBool are_alike(const NsFeElement *a, const NsFeElement *b, PetscReal extent)
{
  if (a->beam != b->beam || a->length != b->length || a->property[0] != b->property[0] || a->property[1] != b->property[1]) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) {
    if (PetscAbsReal(a->axis[k] - b->axis[k]) > 8 * PETSC_MACHINE_EPSILON * extent / a->length) return PETSC_FALSE;
  }
  return PETSC_TRUE;
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

/* K, and C and dampers, one after the other, each column by column. */
static void dense_kind(const NsFeBody *body, const NsFeElement *e, PetscBool rates, PetscReal *kind)
{
  const PetscInt d = body->node_unknowns, n                                               = 2 * d;
  PetscReal      X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], twist[NS_ELEMENT_UNKNOWNS] = {0};

  body->element->stiffness(body, e, X);
  for (PetscInt i = 0; i < n * n; i++) kind[i] = X[n * (i % n) + i / n];
  if (!rates) return;
  const PetscReal speed = body->gyroscopic ? constant_speed(body) : 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *a = body->direction[i % d];
    twist[i]           = body->turns[i % d] ? (i < d ? -1 : 1) * (a[0] * e->axis[0] + a[1] * e->axis[1] + a[2] * e->axis[2]) : 0;
  }
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
  const PetscInt     n = 2 * body->node_unknowns;
  PetscReal          kind[3 * NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
  const NsFeElement *last   = NULL;
  PetscReal          extent = 0;
  int                number = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * body->mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(body->mesh->x[i]));
  *group = (NsGroup){.node_unknowns = body->node_unknowns, .axial = element->beam ? PETSC_FALSE : PETSC_TRUE, .rates = has_rates(body)};
  for (PetscInt i = 0; i < body->mesh->elements; i++) group->members += touches(self, NsFeElementUnknowns(fe, &element[i], unknown), unknown) ? 1 : 0;
  PetscCall(PetscMalloc1(group->members, &group->member));
  PetscCall(distinct_create(group->axial ? n / 2 : (group->rates ? 3 : 1) * n * n, group->members, &group->kinds));
  group->members = 0;
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e = &element[i];
    if (!are_alike(like, e, extent)) like = e; /* found by going through all elements: on all processes the same one */
    if (!touches(self, NsFeElementUnknowns(fe, e, unknown), unknown)) continue;
    if (like != last) {
      if (group->axial)
        axial_kind(body, like, kind);
      else
        dense_kind(body, like, group->rates, kind);
      PetscCall(distinct_add(&group->kinds, kind, &number));
      last = like;
    }
    group->member[group->members++] = (NsMember){{self->slot[e->node[0]], self->slot[e->node[1]]}, number};
  }
  PetscCall(distinct_close(&group->kinds));
  PetscFunctionReturn(0);
}

static PetscErrorCode add_groups(Setup *self)
{
  const NsFe *fe     = self->fe;
  NsLumped   *lumped = self->lumped;
  PetscBool   rates  = PETSC_FALSE;

  PetscFunctionBegin;
  find_slots(self);
  lumped->own_slot_runs = find_slot_runs(self, PETSC_TRUE, NULL);
  lumped->slot_runs     = lumped->own_slot_runs + find_slot_runs(self, PETSC_FALSE, NULL);
  PetscCall(PetscMalloc1(lumped->slot_runs, &lumped->slot_run));
  if (lumped->slot_runs) {
    (void)find_slot_runs(self, PETSC_TRUE, lumped->slot_run);
    (void)find_slot_runs(self, PETSC_FALSE, lumped->slot_run + lumped->own_slot_runs);
  }
  PetscCall(PetscMalloc1(fe->bodies, &lumped->group));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!fe->body[b].element || is_chain(&fe->body[b])) continue;
    PetscCall(add_group(self, &fe->body[b], &lumped->group[lumped->groups]));
    if (lumped->group[lumped->groups++].rates) rates = PETSC_TRUE;
  }
  PetscCall(PetscCalloc1(lumped->slots, &lumped->motion)); /* what is supported stays zero */
  PetscCall(PetscCalloc1(lumped->slots, &lumped->pull));
  if (rates) PetscCall(PetscCalloc1(lumped->slots, &lumped->rate));
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
      if (M->column[k] == unknown && owns(self, unknown)) x[self->place[unknown]] = M->value[k];
    }
  }
  for (PetscInt p = 0; p < lumped->owned; p++)
    PetscCheck(x[p] > 0 || fe->massless, PETSC_COMM_SELF, PETSC_ERR_PLIB, "an unknown of this process has no mass, or its row of M is not here");
  PetscCall(make_blocks(lumped->owned, x, 0, &lumped->mass));
  for (PetscInt p = 0; p < lumped->owned; p++) x[p] = x[p] > 0 ? 1 / x[p] : 0; /* massless unknowns have no acceleration */
  PetscCall(make_blocks(lumped->owned, x, 0, &lumped->inverse));
  PetscCall(PetscArrayzero(x, lumped->owned));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    PetscReal          Me[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);
    if (body->damping_mass == 0) continue;
    drags = PETSC_TRUE;
    if (!touches(self, n, unknown)) continue;
    NsFeElementMass(fe, e, Me);
    for (PetscInt k = 0; k < n; k++) {
      if (owns(self, unknown[k])) x[self->place[unknown[k]]] += body->damping_mass * Me[k * n + k];
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
  PetscCall(PetscMalloc2(fe->unknowns, &self.place, fe->nodes, &self.slot));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].damping_mass > 0 || fe->body[b].damping_stiffness > 0 || has_rates(&fe->body[b])) lumped->damped = PETSC_TRUE;
  }
  PetscCall(find_places(&self));
  PetscCall(add_masses(&self, M));
  PetscCall(add_chains(&self));
  PetscCall(add_groups(&self));
  PetscCall(PetscMalloc1(2 * (size_t)lumped->runs + NS_SPRING_ENTRIES * (size_t)(fe->springs + fe->inertias), &lumped->border));
  for (PetscInt r = 0; r < lumped->runs; r++) {
    lumped->border[lumped->borders++] = (int)lumped->run[r].first;
    lumped->border[lumped->borders++] = (int)lumped->run[r].end - 1;
  }
  PetscCall(add_joints(&self));
  PetscCall(PetscFree2(self.place, self.slot));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_blocks(NsBlocks *blocks)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(blocks->block));
  PetscCall(PetscFree(blocks->even));
  PetscCall(distinct_destroy(&blocks->distinct));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLumpedDestroy(NsLumped **result)
{
  NsLumped *lumped = *result;

  PetscFunctionBegin;
  if (!lumped) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < lumped->joints; i++) {
    PetscCall(PetscFree2(lumped->joint[i].place, lumped->joint[i].item));
    PetscCall(PetscFree(lumped->joint[i].K));
    PetscCall(PetscFree(lumped->joint[i].C));
    PetscCall(PetscFree(lumped->joint[i].dampers));
  }
  for (PetscInt i = 0; i < lumped->groups; i++) {
    PetscCall(PetscFree(lumped->group[i].member));
    PetscCall(distinct_destroy(&lumped->group[i].kinds));
  }
  PetscCall(destroy_blocks(&lumped->mass));
  PetscCall(destroy_blocks(&lumped->inverse));
  PetscCall(destroy_blocks(&lumped->drag));
  PetscCall(destroy_blocks(&lumped->coupling));
  PetscCall(PetscFree(lumped->joint));
  PetscCall(PetscFree(lumped->item_place));
  PetscCall(PetscFree(lumped->item_force));
  PetscCall(PetscFree(lumped->border));
  PetscCall(PetscFree(lumped->group));
  PetscCall(PetscFree(lumped->run));
  PetscCall(PetscFree(lumped->slot_run));
  PetscCall(PetscFree(lumped->motion));
  PetscCall(PetscFree(lumped->rate));
  PetscCall(PetscFree(lumped->pull));
  PetscCall(PetscFree(lumped->natural));
  PetscCall(PetscFree(lumped->owner));
  PetscCall(PetscFree(lumped));
  *result = NULL;
  PetscFunctionReturn(0);
}
