/*
  Mass redistribution: nodes that contacts can touch get no mass, so that nothing has to stop at once when they close.

  H. B. Khenous, P. Laborde, Y. Renard: Mass redistribution method for finite element contact problems in elastodynamics, Eur. J. Mech. A/Solids 27 (2008);
  C. Hager, S. Hueeber, B. Wohlmuth: A stable energy-conserving approach for frictional contact problems based on quadrature formulas (2008).

  Of a body with `mass: redistributed` (lumped otherwise), in two steps:

    1. The mass of a touched node goes to its neighbours along the edges of its elements, shared by 1/length, so that between two neighbours the centre stays; through touched ones to those
       that keep theirs (by fewest edges). Point masses and discs at the node go the same way; moments of inertia stay.
    2. That has moved the centre, and the second moments by (mass moved) x (length)^2. All nodes with mass give it back together: their element masses m_k become
       m_k (1 + p(x_k)), p the quadratic polynomial that restores mass, centre and inertia of the body: the least change, relative and weighted by mass, that does.

  p is of the size (le/L)^2 to le/L: 0.7 % for a bar of 50 elements, so that masses stay positive and waves are not affected. (Restoring the moments with a few nodes near the contact
  instead makes a local mass there that oscillates: 2 to 5 % of the reaction of a bar of 50 elements, and a step limit of 0.76 to 0.97 of the lumped one; this: 0.1 % and 0.999.)

  Of two elastic bodies in contact both should be redistributed: a warning says so (check_both).

  These cases are reported as errors: nodes without such neighbours, too few nodes for the moments, masses that would come near zero.
*/
#include <string.h>
#include "fe.h"
#include <petscblaslapack.h>

#define NS_MOMENTS    10  /* 1, x, y, z, xx, yy, zz, xy, yz, zx */
#define NS_LEAST_PART 0.1 /* of its element mass that a node must keep: the step limit falls with the root of it */
#define NS_OUT_OF_WAY (-1)
#define NS_EXACT      1e-12 /* moments, relative to body mass and size */

typedef struct {
  NsFe      *fe;
  NsFeBody  *body;
  PetscReal *own;    /* [nodes] element mass at first, kg */
  PetscReal *mass;   /* [nodes] now */
  PetscReal *load;   /* [nodes] mass on its way */
  PetscReal *moved;  /* [nodes] of inertias: by how much the mass there has changed */
  PetscInt  *level;  /* [nodes] edges to the next node with mass; 0: has mass; NS_OUT_OF_WAY: no such node */
  PetscInt   levels; /* the highest */
} Redistribution;

/* Directions in which a node can move, a bit each. */
static unsigned free_directions(const NsFe *fe, PetscInt node)
{
  const NsFeBody *body    = &fe->body[fe->node_body[node]];
  const PetscInt *unknown = NsFeNodeUnknowns(fe, node);
  unsigned        bits    = 0;

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    if (!body->turns[a] && unknown[a] >= 0) bits |= 1u << a;
  }
  return bits;
}

/* A neighbour that is supported in a direction in which the contact node is free would remove mass from the motion. */
static PetscBool can_take(const NsFe *fe, PetscInt giver, PetscInt taker)
{
  return (free_directions(fe, giver) & ~free_directions(fe, taker)) == 0;
}

/* ---- which nodes ------------------------------------------------------------------------------------------------------------------------------ */

static void touch_node(NsFe *fe, PetscInt node)
{
  if (fe->body[fe->node_body[node]].redistributed && free_directions(fe, node)) fe->mass_factor[node] = 0;
}

/* What a name touches (all: corners of ten-node tetrahedra, too); returns its body, -1 after an error. */
static PetscInt touch_point(NsFe *fe, const char *name, const double offset[3], const NsNode *where, const char *key, PetscBool all)
{
  NsFePointSet  set;
  const NsPlace place = NsKeysPlace(where, key);

  if (all ? !NsFeFindSet(fe, name, offset, place, PETSC_FALSE, &set) : !NsFeFindContactSet(fe, name, offset, place, &set)) return -1;
  for (PetscInt i = 0; i < set.count; i++) {
    const NsFePoint spot = NsFePointOf(&set, i);
    if (spot.node >= 0) touch_node(fe, spot.node);
    if (spot.node >= 0) continue;
    const NsFeElement *e = &fe->element[spot.element];
    for (PetscInt k = 0; k < fe->body[e->body].element->nodes; k++) touch_node(fe, e->node[k]);
  }
  return set.spot.body;
}

/* Of two elastic bodies in contact both should give the mass away: a massless node between its spring and a light node that keeps its mass is a local mode above the band of the mesh, which
   cannot radiate (St. Venant's bars, 100 and 200 elements: the force rings with 0.3 of itself, with both redistributed with 0.0001). */
static void check_both(NsFe *fe, const NsContactSettings *contact, const PetscInt body[2])
{
  if (body[0] < 0 || body[1] < 0 || body[0] == body[1]) return;
  const NsFeBody *a = &fe->body[body[0]], *b = &fe->body[body[1]], *heavy = a->redistributed ? b : a;

  if (a->redistributed == b->redistributed || !heavy->element) return;
  NsDiagWarning(fe->diag, contact->where->place, "'%s' keeps its mass at this contact, '%s' does not: the contact force will ring", heavy->name,
    heavy == a ? b->name : a->name);
  NsDiagNote(fe->diag, "give both bodies `mass: redistributed`");
}

static void touch_partners(NsFe *fe)
{
  const NsContactSettings *contact = fe->config->contacts.items;

  for (int c = 0; c < fe->config->contacts.count; c++) {
    const NsPartnerSettings *side    = contact[c].between.items;
    PetscInt                 body[2] = {-1, -1};
    for (int p = 0; p < contact[c].between.count; p++) {
      const NsSurfaceSettings *surface = NsPartnerNode(&side[p]) || side[p].sides ? NULL : side[p].surface[NsPartnerSurface(&side[p])];
      if (NsPartnerNode(&side[p])) body[p % 2] = touch_point(fe, NsPartnerNode(&side[p]), side[p].offset, side[p].where, "node", PETSC_FALSE);
      if (side[p].sides) body[p % 2] = touch_point(fe, side[p].sides, side[p].offset, side[p].where, "surface", p == 1 || !side[1 - p].sides);
      if (surface && surface->on) body[p % 2] = touch_point(fe, surface->on, surface->offset, surface->where, "on", PETSC_FALSE);
    }
    check_both(fe, &contact[c], body);
  }
}

/* ---- 1: to the neighbours --------------------------------------------------------------------------------------------------------------------- */

/* Ways 2 j and 2 j + 1 are edge j of the element, there and back. An edge of several elements has a way in each. */
static void ends_of(const NsFeBody *body, const NsFeElement *e, PetscInt k, PetscInt *from, PetscInt *to)
{
  *from = e->node[body->element->edge[k / 2][k % 2]];
  *to   = e->node[body->element->edge[k / 2][1 - k % 2]];
}

static void find_levels(Redistribution *self)
{
  const NsFe     *fe   = self->fe;
  const NsFeBody *body = self->body;
  PetscBool       more = PETSC_TRUE;

  self->levels = 0;
  for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) self->level[i] = fe->mass_factor[i] == 0 ? NS_OUT_OF_WAY : 0;
  while (more) {
    more = PETSC_FALSE;
    for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
      for (PetscInt k = 0; k < 2 * body->element->edges; k++) {
        PetscInt from, to;
        ends_of(body, &fe->element[i], k, &from, &to);
        if (self->level[from] != NS_OUT_OF_WAY || self->level[to] != self->levels || !can_take(fe, from, to)) continue;
        self->level[from] = self->levels + 1;
        more              = PETSC_TRUE;
      }
    }
    if (more) self->levels++;
  }
}

static PetscReal edge_length(const Redistribution *self, const NsFeElement *e, PetscInt from, PetscInt to)
{
  const PetscReal *a = self->fe->x + 3 * from, *b = self->fe->x + 3 * to;
  PetscReal        axis[3];

  if (self->body->element->line) return self->body->element->line(e, axis); /* equal ones to the last bit */
  return PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
}

/* What way k of the element (ends_of) weighs among those that take load from its first node one level down; 0: it takes none. */
static PetscReal way_down(const Redistribution *self, const NsFeElement *e, PetscInt k, PetscInt level)
{
  PetscInt from, to;

  ends_of(self->body, e, k, &from, &to);
  return self->level[from] == level && self->level[to] == level - 1 && can_take(self->fe, from, to) ? 1 / edge_length(self, e, from, to) : 0;
}

/* Load of touched nodes to those with mass, level by level; share[nodes] is scratch. */
static void pass_on(Redistribution *self, PetscReal *share)
{
  const NsFe     *fe    = self->fe;
  const NsFeBody *body  = self->body;
  const PetscInt  first = body->first_element, end = first + body->mesh->elements, ways = 2 * body->element->edges;

  for (PetscInt level = self->levels; level > 0; level--) {
    for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) share[i] = 0;
    for (PetscInt i = first; i < end; i++) {
      for (PetscInt k = 0; k < ways; k++) share[fe->element[i].node[body->element->edge[k / 2][k % 2]]] += way_down(self, &fe->element[i], k, level);
    }
    for (PetscInt i = first; i < end; i++) {
      const NsFeElement *e = &fe->element[i];
      for (PetscInt k = 0; k < ways; k++) {
        const PetscReal way = way_down(self, e, k, level);
        PetscInt        from, to;
        ends_of(body, e, k, &from, &to);
        if (way > 0) self->load[to] += self->load[from] * way / share[from];
      }
    }
    for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) {
      if (self->level[i] == level) self->load[i] = 0;
    }
  }
}

static void take_element_masses(Redistribution *self)
{
  const NsFe     *fe   = self->fe;
  const NsFeBody *body = self->body;
  const PetscInt  n    = NsFeElementSize(body);
  PetscInt        move = 0;

  while (body->turns[move]) move++;
  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    PetscReal M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    body->element->mass(body, &fe->element[i], M);
    for (PetscInt k = 0; k < body->element->nodes; k++) self->own[fe->element[i].node[k]] += M[(move + k * body->node_unknowns) * (n + 1)];
  }
  for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) {
    self->load[i] = fe->mass_factor[i] == 0 ? self->own[i] : 0;
    self->mass[i] = fe->mass_factor[i] == 0 ? 0 : self->own[i];
  }
}

/* A mass at a touched node becomes one at each node that takes of it. */
static void move_inertia(Redistribution *self, NsFeInertia *inertia, PetscReal *share)
{
  NsFe          *fe    = self->fe;
  const PetscInt first = self->body->first_node, end = first + self->body->mesh->nodes;
  PetscInt       parts = 0;

  for (PetscInt i = first; i < end; i++) self->load[i] = 0;
  self->load[inertia->at.node] = inertia->mass;
  pass_on(self, share);
  self->moved[inertia->at.node] -= inertia->mass;
  for (PetscInt i = first; i < end; i++) parts += self->load[i] > 0 ? 1 : 0;
  NsFeInertia *all = NsArenaAlloc(fe->arena, sizeof(*all) * (size_t)(fe->inertias + parts));
  inertia->mass    = 0;
  memcpy(all, fe->inertia, sizeof(*all) * (size_t)fe->inertias);
  for (PetscInt i = first; i < end; i++) {
    if (self->load[i] <= 0) continue;
    self->moved[i] += self->load[i];
    NsFeInertia *part = &all[fe->inertias++];
    *part             = (NsFeInertia){
                  .name = inertia->name, .at = {.body = inertia->at.body, .node = i, .element = -1}, .mass = self->load[i], .across = inertia->across};
    for (int k = 0; k < 9 && part->across; k++) part->frame[k / 3][k % 3] = inertia->frame[k / 3][k % 3];
  }
  fe->inertia = all;
}

static void move_inertias(Redistribution *self, PetscReal *share)
{
  NsFe          *fe    = self->fe;
  const PetscInt count = fe->inertias;

  for (PetscInt i = 0; i < count; i++) {
    const NsFePoint spot = fe->inertia[i].at;
    if (&fe->body[spot.body] != self->body || fe->inertia[i].mass == 0) continue;
    if (spot.node >= 0 && fe->mass_factor[spot.node] == 0) move_inertia(self, &fe->inertia[i], share);
    for (PetscInt k = 0; spot.node < 0 && k < self->body->element->nodes; k++) {
      if (fe->mass_factor[fe->element[spot.element].node[k]] != 0) continue;
      NsDiagError(fe->diag, NsKeysPlace(self->body->where, "mass"),
        "'%s' is between two nodes of '%s', one of which is a contact node: its mass cannot be redistributed", fe->inertia[i].name, self->body->name);
      NsDiagNote(fe->diag, "attach it at a node");
      break;
    }
  }
}

/* ---- 2: the moments --------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscReal origin[3], size, mass;
} Frame;

static Frame frame_of(const Redistribution *self)
{
  const PetscReal *x     = self->fe->x;
  const PetscInt   first = self->body->first_node, end = first + self->body->mesh->nodes;
  Frame            frame = {{0, 0, 0}, 0, 0};

  for (PetscInt i = first; i < end; i++) {
    for (int k = 0; k < 3; k++) frame.origin[k] += x[3 * i + k] / (PetscReal)(end - first);
    frame.mass += self->own[i];
  }
  for (PetscInt i = first; i < end; i++) {
    for (int k = 0; k < 3; k++) frame.size = PetscMax(frame.size, PetscAbsReal(x[3 * i + k] - frame.origin[k]));
  }
  return frame;
}

static void monomials(const NsFe *fe, const Frame *frame, PetscInt node, PetscReal phi[NS_MOMENTS])
{
  PetscReal r[3];

  for (int k = 0; k < 3; k++) r[k] = (fe->x[3 * node + k] - frame->origin[k]) / frame->size;
  phi[0] = 1;
  for (int k = 0; k < 3; k++) {
    phi[1 + k] = r[k];
    phi[4 + k] = r[k] * r[k];
    phi[7 + k] = r[k] * r[(k + 1) % 3];
  }
}

/* What is missing of each moment, over the body's mass; and the largest of them. */
static PetscReal missing(const Redistribution *self, const Frame *frame, PetscReal b[NS_MOMENTS])
{
  const PetscInt first = self->body->first_node, end = first + self->body->mesh->nodes;
  PetscReal      most = 0;

  for (int a = 0; a < NS_MOMENTS; a++) b[a] = 0;
  for (PetscInt i = first; i < end; i++) {
    const PetscReal left = (self->own[i] - self->mass[i] - self->moved[i]) / frame->mass;
    PetscReal       phi[NS_MOMENTS];
    monomials(self->fe, frame, i, phi);
    for (int a = 0; a < NS_MOMENTS; a++) b[a] += left * phi[a];
  }
  for (int a = 0; a < NS_MOMENTS; a++) most = PetscMax(most, PetscAbsReal(b[a]));
  return most;
}

/* mass_k += mass_k p(x_k) with sum_k mass_k p phi = b; p of the least coefficients, for on a line or in a plane not all matter. */
static PetscErrorCode restore(Redistribution *self, const Frame *frame, PetscReal b[NS_MOMENTS])
{
  const PetscInt     first = self->body->first_node, end = first + self->body->mesh->nodes;
  const PetscBLASInt n = NS_MOMENTS, one = 1, room = 32 * NS_MOMENTS;
  const PetscReal    cut                        = 1e-13;
  PetscReal          A[NS_MOMENTS * NS_MOMENTS] = {0}, phi[NS_MOMENTS], singular[NS_MOMENTS], work[32 * NS_MOMENTS];
  PetscBLASInt       rank, info;

  PetscFunctionBegin;
  for (PetscInt i = first; i < end; i++) {
    monomials(self->fe, frame, i, phi);
    for (int a = 0; a < NS_MOMENTS * NS_MOMENTS; a++) A[a] += self->mass[i] / frame->mass * phi[a / NS_MOMENTS] * phi[a % NS_MOMENTS];
  }
  LAPACKgelss_(&n, &n, &one, A, &n, b, &n, singular, &cut, &rank, work, &room, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dgelss returned %d for the moments of '%s'", (int)info, self->body->name);
  for (PetscInt i = first; i < end; i++) {
    PetscReal p = 0;
    monomials(self->fe, frame, i, phi);
    for (int a = 0; a < NS_MOMENTS; a++) p += b[a] * phi[a];
    self->mass[i] *= 1 + p;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode restore_moments(Redistribution *self)
{
  NsFe          *fe    = self->fe;
  const PetscInt first = self->body->first_node, end = first + self->body->mesh->nodes;
  const Frame    frame = frame_of(self);
  const NsPlace  place = NsKeysPlace(self->body->where, "mass");
  PetscReal      b[NS_MOMENTS], left, least = PETSC_MAX_REAL;

  PetscFunctionBegin;
  (void)missing(self, &frame, b);
  PetscCall(restore(self, &frame, b));
  (void)missing(self, &frame, b); /* a second pass removes the rounding error of the first */
  PetscCall(restore(self, &frame, b));
  left = missing(self, &frame, b);
  for (PetscInt i = first; i < end; i++) {
    if (fe->mass_factor[i] == 0) continue;
    least              = PetscMin(least, self->mass[i] / self->own[i]);
    fe->mass_factor[i] = self->mass[i] / self->own[i];
  }
  if (left <= NS_EXACT && least >= NS_LEAST_PART) PetscFunctionReturn(0);
  if (!(left <= NS_EXACT))
    NsDiagError(fe->diag, place, "'%s' has too few nodes without contacts to keep mass, centre and inertia", self->body->name);
  else
    NsDiagError(fe->diag, place,
      "the masses at the contacts of '%s' are too large to be redistributed: to keep centre and inertia, a node would lose %.3g %% of its mass",
      self->body->name, 100 * (1 - least));
  NsDiagNote(fe->diag, "use shorter elements, or fewer contact nodes");
  PetscFunctionReturn(0);
}

/* ----------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode redistribute_body(Redistribution *self, PetscReal *share)
{
  NsFe          *fe    = self->fe;
  const PetscInt first = self->body->first_node, end = first + self->body->mesh->nodes;
  const NsPlace  place   = NsKeysPlace(self->body->where, "mass");
  PetscInt       touched = 0;

  PetscFunctionBegin;
  for (PetscInt i = first; i < end; i++) touched += fe->mass_factor[i] == 0 ? 1 : 0;
  if (!touched) {
    NsDiagWarning(fe->diag, place, "'%s' has no contacts: its mass is lumped and not redistributed", self->body->name);
    PetscFunctionReturn(0);
  }
  find_levels(self);
  for (PetscInt i = first; i < end; i++) {
    if (self->level[i] != NS_OUT_OF_WAY) continue;
    NsDiagError(fe->diag, place,
      "the node of '%s' at (%g, %g, %g) m has no neighbour that can take its mass: all of them are contact nodes or supported", self->body->name,
      fe->x[3 * i], fe->x[3 * i + 1], fe->x[3 * i + 2]);
    NsDiagNote(fe->diag, "name only those nodes that can touch, or use more elements");
    PetscFunctionReturn(0);
  }
  take_element_masses(self);
  pass_on(self, share);
  for (PetscInt i = first; i < end; i++) self->mass[i] += self->load[i];
  move_inertias(self, share);
  PetscCall(restore_moments(self));
  PetscFunctionReturn(0);
}

/* Unknowns of nodes without mass, ascending. */
static void list_massless(NsFe *fe)
{
  fe->massless_unknown = NsArenaAlloc(fe->arena, sizeof(*fe->massless_unknown) * (size_t)(fe->unknowns + 1));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns && fe->mass_factor[i] == 0; a++) {
      if (!body->turns[a] && unknown[a] >= 0) fe->massless_unknown[fe->massless++] = unknown[a];
    }
  }
}

PetscErrorCode NsFeRedistribute(NsFe *fe)
{
  Redistribution self  = {.fe = fe};
  PetscBool      any   = PETSC_FALSE;
  const PetscInt nodes = fe->nodes;
  PetscReal     *share;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) any = any || fe->body[b].redistributed;
  if (!any) PetscFunctionReturn(0);
  fe->mass_factor = NsArenaAlloc(fe->arena, sizeof(*fe->mass_factor) * (size_t)nodes);
  for (PetscInt i = 0; i < nodes; i++) fe->mass_factor[i] = 1;
  touch_partners(fe);
  PetscCall(PetscCalloc6(nodes, &self.own, nodes, &self.mass, nodes, &self.load, nodes, &self.moved, nodes, &share, nodes, &self.level));
  for (PetscInt b = 0; b < fe->bodies && !NsDiagErrors(fe->diag); b++) {
    self.body = &fe->body[b];
    if (self.body->redistributed) PetscCall(redistribute_body(&self, share));
  }
  PetscCall(PetscFree6(self.own, self.mass, self.load, self.moved, share, self.level));
  list_massless(fe);
  PetscFunctionReturn(0);
}

void NsFeElementMass(const NsFe *fe, const NsFeElement *e, PetscReal *M)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscInt  d = body->node_unknowns, n = NsFeElementSize(body);

  body->element->mass(body, e, M);
  for (PetscInt i = 0; i < n && body->redistributed; i++) { /* lumped: translations are on the diagonal */
    if (!body->turns[i % d]) M[i * n + i] *= fe->mass_factor[e->node[i / d]];
  }
}
