/*
  How far a state is from small rotations and small strains, which linear finite elements assume: the values of the limits `rotation` and `stretch`.

      rotation   |theta| of a DOF that is a small rotation;   |d - (d . a) a|/l of an element
      stretch    |d . a|/l                                    d = u_k - u_0: displacement of its node k relative to node 0, l a: from node 0 to node k

  Any angle may have: the twist of a rotor of free spin; a rigid body of which a single rotation is free, or whose moments of inertia are equal and which no force element turns, as long
  as nothing that is attached to it has a lever about its centre, for levers do not turn.

  Costs as much as the elastic energy.
*/
#include <stdio.h>
#include "fe.h"
#include "fe/backend/backend.h"

/* The largest value so far, and where: node < 0: none. */
typedef struct {
  PetscReal value;
  PetscInt  element, node; /* element < 0: the value is of the node alone */
} Largest;

static void take(Largest *largest, PetscReal value, PetscInt element, PetscInt node)
{
  if (value > largest->value) *largest = (Largest){value, element, node};
}

static PetscBool has_lever(const NsPoint *point, const PetscInt *unknown)
{
  for (PetscInt i = 0; i < point->unknowns; i++) {
    for (int a = 3; a < 6; a++) {
      if (point->unknown[i] == unknown[a] && unknown[a] >= 0 && NsDot3(point->move[i], point->move[i]) > 0) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* lever[unknown]: it moves something that a contact touches, or turns a plane on the body. */
static void mark_levers(const NsFe *fe, const NsModel *model, PetscBool *lever)
{
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsPair *pair = &fe->pair[i];
    for (int p = 0; p < 2; p++) {
      const PetscBool plane = p == 1 && pair->type->flat && pair->type != &NsPairType_NodeNode;
      if (p == 1 && pair->type->others) continue; /* nodes of solids, which do not rotate */
      for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
        if (plane || NsDot3(pair->point[p]->move[a], pair->point[p]->move[a]) > 0) lever[model->touch[pair->point[p]->touch[a]]] = PETSC_TRUE;
      }
    }
  }
}

/* Whether the rigid body may turn by any angle. */
static PetscBool turns_freely(const NsFe *fe, PetscInt number, const PetscBool *lever)
{
  const PetscInt  *unknown = NsFeNodeUnknowns(fe, fe->body[number].first_node);
  const PetscReal *moment  = NULL;
  PetscBool        held    = PETSC_FALSE;
  PetscInt         turns   = 0;
  NsPoint          point;

  for (int a = 3; a < 6; a++) turns += unknown[a] >= 0;
  for (PetscInt i = 0; i < fe->inertias; i++) {
    const NsFeInertia *inertia = &fe->inertia[i];
    if (inertia->at.body != number) continue;
    NsFeExpand(fe, &inertia->at, &point);
    if (has_lever(&point, unknown)) return PETSC_FALSE;
    if (!moment) moment = inertia->inertia;
  }
  for (PetscInt i = 0; i < fe->force_elements; i++) {
    for (int end = 0; end < 2; end++) {
      if (fe->force[i].end[end].body != number) continue;
      NsFeExpand(fe, &fe->force[i].end[end], &point);
      if (has_lever(&point, unknown)) return PETSC_FALSE;
      held = PETSC_TRUE;
    }
  }
  for (int a = 3; a < 6; a++) {
    if (unknown[a] >= 0 && lever[unknown[a]]) return PETSC_FALSE;
  }
  return turns <= 1 || (!held && moment && moment[0] == moment[1] && moment[1] == moment[2]);
}

PetscErrorCode NsFeDeformationCreate(NsFe *fe, const NsModel *model)
{
  PetscBool *lever; /* [unknowns] by contacts */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(fe->unknowns, &lever));
  mark_levers(fe, model, lever);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody *body = &fe->body[b];
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscBool twist = body->is_rotor && NsSpinIsFree(body->spin) && PetscAbsReal(NsDot3(body->direction[a], body->frame[0])) > 0.5;
      body->small[a]        = body->turns[a] && !twist;
    }
    if (body->element || !turns_freely(fe, b, lever)) continue;
    for (PetscInt a = 3; a < body->node_unknowns; a++) body->small[a] = PETSC_FALSE;
  }
  PetscCall(PetscFree(lever));
  PetscFunctionReturn(0);
}

static void check_nodes(const NsFe *fe, const PetscReal *q, Largest *rotation)
{
  const NsLayout *layout = fe->back_end->layout;

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt index = body->small[a] && unknown[a] >= 0 ? NsLayoutIndex(layout, unknown[a]) : -1;
      if (index >= 0) take(rotation, PetscAbsReal(q[index]), -1, i);
    }
  }
}

/* Displacements of the nodes of an element; false where this process does not have them all. */
static PetscBool displacements(const NsFe *fe, const NsFeElement *e, const PetscReal *q, PetscReal (*u)[3])
{
  const NsFeBody *body = &fe->body[e->body];

  for (PetscInt k = 0; k < body->element->nodes; k++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, e->node[k]);
    for (int c = 0; c < 3; c++) u[k][c] = 0;
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (body->turns[a] || unknown[a] == -1) continue;
      const PetscInt index = NsFeIsMoved(unknown[a]) ? -1 : NsLayoutIndex(fe->back_end->layout, unknown[a]);
      if (index < 0 && !NsFeIsMoved(unknown[a])) return PETSC_FALSE;
      for (int c = 0; c < 3; c++) u[k][c] += body->direction[a][c] * (index < 0 ? NsFeHeldValue(fe, unknown[a]) : q[index]);
    }
  }
  return PETSC_TRUE;
}

static void look_at_elements(const NsFe *fe, const PetscReal *q, Largest *rotation, Largest *stretch)
{
  PetscReal u[NS_ELEMENT_NODES][3];

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    if (!displacements(fe, e, q, u)) continue;
    for (PetscInt k = 1; k < fe->body[e->body].element->nodes; k++) {
      PetscReal length = 0, along = 0, moved = 0;
      for (int c = 0; c < 3; c++) {
        const PetscReal between = fe->x[3 * e->node[k] + c] - fe->x[3 * e->node[0] + c], d = u[k][c] - u[0][c];
        length += between * between;
        along += between * d;
        moved += d * d;
      }
      take(stretch, PetscAbsReal(along) / length, i, e->node[k]);
      take(rotation, PetscSqrtReal(PetscMax(0, moved - along * along / length) / length), i, e->node[k]);
    }
  }
}

/* The largest of all processes, and its place in words. */
static PetscErrorCode set_bound(const NsFe *fe, const Largest *own, NsBound *bound)
{
  const NsLayout *layout = fe->back_end->layout;
  PetscReal       first;

  PetscFunctionBegin;
  bound->value    = own->value;
  bound->where[0] = 0;
  PetscCall(NsLayoutMax(layout, &bound->value));
  first = own->value == bound->value && own->node >= 0 ? -(PetscReal)own->node : -PETSC_MAX_REAL;
  PetscCall(NsLayoutMax(layout, &first));
  if (first == -PETSC_MAX_REAL) PetscFunctionReturn(0);
  const PetscInt   node = (PetscInt)-first;
  const PetscReal *x    = fe->x + 3 * node;
  (void)snprintf(bound->where, sizeof(bound->where), "%s at (%.6g, %.6g, %.6g) m", fe->body[fe->node_body[node]].name, x[0], x[1], x[2]);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeDeformation(NsModel *model, PetscReal t, Vec q, NsBound *rotation, NsBound *stretch)
{
  const NsFe *fe     = model->data;
  PetscReal  *aq     = NsVecArray(q);
  Largest     turned = {0, -1, -1}, longer = {0, -1, -1};

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(fe->back_end->layout, 1, &aq));
  NsFeMovedAt(fe, t); /* a run that continues at its end has computed no force before */
  check_nodes(fe, aq, &turned);
  look_at_elements(fe, aq, &turned, &longer);
  PetscCall(set_bound(fe, &turned, rotation));
  PetscCall(set_bound(fe, &longer, stretch));
  PetscFunctionReturn(0);
}

/* ---- how deep a contact may be ------------------------------------------------------------------------------------------------------------------ */

#define NS_DEEP 0.1 /* of the extent of a body */

/* Extent of a body: the largest side of the box around its nodes; of a rigid one, the diameter of its rings or twice its radius of gyration. */
static PetscReal extent_of(const NsFe *fe, PetscInt number)
{
  const NsFeBody *body   = &fe->body[number];
  PetscReal       extent = 0;

  for (int c = 0; c < 3; c++) {
    PetscReal low = PETSC_MAX_REAL, high = -PETSC_MAX_REAL;
    for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) {
      low  = PetscMin(low, fe->x[3 * i + c]);
      high = PetscMax(high, fe->x[3 * i + c]);
    }
    extent = PetscMax(extent, high - low);
  }
  for (PetscInt i = 0; extent == 0 && i < fe->inertias; i++) {
    const NsFeInertia *inertia = &fe->inertia[i];
    const PetscReal    moment  = PetscMax(PetscMax(inertia->inertia[0], inertia->inertia[1]), inertia->inertia[2]);
    if (inertia->at.body == number) extent = 2 * PetscMax(inertia->radius, PetscSqrtReal(moment / inertia->mass));
  }
  return extent;
}

/* deep[nodes]: the least of a tenth of its body's extent and the lengths of its elements. */
static void deep_of_nodes(const NsFe *fe, PetscReal *deep)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const PetscReal extent = extent_of(fe, b);
    for (PetscInt i = fe->body[b].first_node; i < fe->body[b].first_node + fe->body[b].mesh->nodes; i++)
      deep[i] = extent > 0 ? NS_DEEP * extent : PETSC_MAX_REAL;
  }
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    for (PetscInt k = 1; k < fe->body[e->body].element->nodes; k++) {
      PetscReal length = 0;
      for (int c = 0; c < 3; c++) length += PetscSqr(fe->x[3 * e->node[k] + c] - fe->x[3 * e->node[0] + c]);
      length           = PetscSqrtReal(length);
      deep[e->node[0]] = PetscMin(deep[e->node[0]], length);
      deep[e->node[k]] = PetscMin(deep[e->node[k]], length);
    }
  }
}

/* The least depth of the nodes that move a point. */
static PetscReal depth_at(const NsModel *model, const PetscReal *deep, const PetscInt *node_of, const NsPairPoint *point)
{
  PetscReal depth = PETSC_MAX_REAL;

  for (PetscInt k = 0; k < point->unknowns; k++) depth = PetscMin(depth, deep[node_of[model->touch[point->touch[k]]]]);
  return depth;
}

PetscErrorCode NsFeContactDepths(const NsFe *fe, NsModel *model)
{
  PetscReal *deep;
  PetscInt  *node_of;

  PetscFunctionBegin;
  if (!fe->pairs) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(fe->nodes, &deep, fe->unknowns, &node_of));
  deep_of_nodes(fe, deep);
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < fe->body[fe->node_body[i]].node_unknowns; a++) {
      if (unknown[a] >= 0) node_of[unknown[a]] = i;
    }
  }
  const NsPairPoint *last  = NULL; /* of a surface, whose points are the same for many pairs */
  PetscReal          least = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsPair      *pair  = &fe->pair[i];
    PetscReal          depth = pair->radius[0] > 0 ? pair->radius[0] : PETSC_MAX_REAL; /* from there on the centre of a ball is beyond the surface */
    const NsPairPoint *point[2];
    PetscInt           count[2];
    NsPairPoints(pair, point, count);
    if (!pair->type->others || point[1] != last) least = PETSC_MAX_REAL;
    for (PetscInt j = 0; j < count[1] && least == PETSC_MAX_REAL; j++) least = PetscMin(least, depth_at(model, deep, node_of, &point[1][j]));
    last                      = point[1];
    depth                     = PetscMin(depth, PetscMin(least, depth_at(model, deep, node_of, point[0])));
    model->candidate[i].depth = depth < PETSC_MAX_REAL ? depth : 0;
  }
  PetscCall(PetscFree2(deep, node_of));
  PetscFunctionReturn(0);
}
