/*
  Up to which frequency the mesh represents waves, and which nodes of trusses nothing holds.

  A free element alone has its lowest elastic frequency where a wave is about two elements long (bars) or one (beams): waves of a third of this frequency have six, or two and a half,
  elements in a wave.

  A node of a truss is held along its bars only: where they lie in one line (a bar divided into several elements), or in one plane in space, it moves freely across it.
*/
#include <stdio.h>
#include "fe.h"
#include "span.h"
#include <petscblaslapack.h>

#define NS_ZERO 1e-9 /* of the highest eigenvalue of an element: below are rigid motions */

/* Lowest elastic frequency of an element alone, rad/s; PETSC_MAX_REAL: no elastic mode. */
static PetscErrorCode lowest_frequency(const NsFe *fe, const NsFeElement *e, PetscReal *omega)
{
  const NsFeBody *body = &fe->body[e->body];
  PetscReal       M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], value[NS_ELEMENT_UNKNOWNS],
    work[64 * NS_ELEMENT_UNKNOWNS];
  PetscBLASInt type = 1, size, room = 64 * NS_ELEMENT_UNKNOWNS, info;

  PetscFunctionBegin;
  *omega = PETSC_MAX_REAL;
  PetscCall(PetscBLASIntCast(NsFeElementSize(body), &size));
  body->element->mass(body, e, M);
  body->element->stiffness(body, e, K);
  for (PetscInt i = 0; i < size; i++)
    M[i * (size + 1)] += M[i * (size + 1)] == 0 ? 1 : 0; /* repeated nodes of collapsed elements: no stiffness, no mass */
  LAPACKsygv_(&type, "N", "U", &size, K, &size, M, &size, value, work, &room, &info);
  for (PetscInt i = size - 1; i >= 0 && !info && value[i] > NS_ZERO * value[size - 1]; i--) *omega = PetscSqrtReal(value[i]);
  PetscFunctionReturn(0);
}

/* loaded[bodies]: loads that vary, or unbalances, act on it. */
static PetscErrorCode find_loaded(const NsFe *fe, PetscBool *loaded)
{
  PetscInt *body_of;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->unknowns, &body_of));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < fe->body[fe->node_body[i]].node_unknowns; a++) {
      if (unknown[a] >= 0) body_of[unknown[a]] = fe->node_body[i];
    }
  }
  for (PetscInt l = 0; l < fe->forces.loads; l++) {
    const NsFeLoad *load = &fe->forces.load[l];
    for (PetscInt i = 0; (load->time || load->sine) && i < load->entries; i++) loaded[body_of[load->unknown[i]]] = PETSC_TRUE;
  }
  for (PetscInt u = 0; u < fe->forces.unbalances; u++) loaded[fe->forces.unbalance[u].at.body] = PETSC_TRUE;
  PetscCall(PetscFree(body_of));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeMeshFrequency(NsModel *model, NsBound *lowest)
{
  const NsFe        *fe = model->data;
  PetscBool         *loaded;
  const NsFeElement *last = NULL;

  PetscFunctionBegin;
  *lowest = (NsBound){PETSC_MAX_REAL, ""};
  PetscCall(PetscCalloc1(fe->bodies, &loaded));
  PetscCall(find_loaded(fe, loaded));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    const PetscReal   *x    = fe->x + 3 * e->node[0];
    PetscReal          omega;
    if (!loaded[e->body] || body->bounds || (last && last->body == e->body && NsFeAlike(body, last, e, 2))) continue; /* whatever their directions */
    PetscCall(lowest_frequency(fe, e, &omega));
    last = e;
    if (!(omega < lowest->value)) continue;
    lowest->value = omega;
    (void)snprintf(lowest->where, sizeof(lowest->where), "the element of '%s' at (%.4g, %.4g, %.4g) m", body->name, x[0], x[1], x[2]);
  }
  PetscCall(PetscFree(loaded));
  PetscFunctionReturn(0);
}

/* ---- nodes that nothing holds ------------------------------------------------------------------------------------------------------------------- */

/* What holds a node. */
typedef struct {
  PetscInt bars;
  NsSpan   along;
} Hold;

/* Of the nodes of one body: its bars, supports, and whatever else is attached, which counts as holding in all directions. */
static void find_holds(const NsFe *fe, const NsFeBody *body, Hold *hold)
{
  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    PetscReal axis[3];
    (void)body->element->line(&fe->element[i], axis);
    for (PetscInt k = 0; k < body->element->nodes; k++) {
      Hold *at = &hold[fe->element[i].node[k] - body->first_node];
      NsSpanAdd(&at->along, axis);
      at->bars++;
    }
  }
  for (PetscInt i = 0; i < body->mesh->nodes; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, body->first_node + i);
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (unknown[a] < 0) NsSpanAdd(&hold[i].along, body->direction[a]);
    }
  }
  for (PetscInt f = 0; f < fe->force_elements; f++) {
    for (int end = 0; end < 2; end++) {
      const PetscInt node = fe->force[f].end[end].body >= 0 ? fe->force[f].end[end].node : -1;
      if (node >= body->first_node && node < body->first_node + body->mesh->nodes) hold[node - body->first_node].along.rank = 3;
    }
  }
}

/* A direction in which the node moves freely: from the axis of space, or of the DOF of the body, that is farthest from the directions that are held. */
static void free_direction(const NsFeBody *body, const NsSpan *held, PetscReal direction[3])
{
  PetscReal longest = 0;

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    PetscReal outside[3];
    NsSpanOutside(held, body->direction[a], outside);
    const PetscReal length = PetscSqrtReal(NsDot3(outside, outside));
    if (length <= longest * (1 + 1e-9)) continue;
    longest = length;
    for (int k = 0; k < 3; k++) direction[k] = outside[k] / length + 0.0; /* no -0 */
  }
}

PetscErrorCode NsFeCheckHeld(NsFe *fe)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody *body = &fe->body[b];
    Hold     *hold;
    PetscInt  loose = 0, first = -1;
    PetscReal along[3] = {0, 0, 0};
    if (!body->element || !body->element->axial || body->node_unknowns < 2) continue;
    PetscCall(PetscCalloc1(body->mesh->nodes, &hold));
    find_holds(fe, body, hold);
    for (PetscInt i = 0; i < body->mesh->nodes; i++) {
      if (hold[i].bars < 2 || hold[i].along.rank >= body->node_unknowns) continue; /* the end of a single bar turns with it */
      if (first < 0) free_direction(body, &hold[i].along, along);
      if (first < 0) first = i;
      loose++;
    }
    PetscCall(PetscFree(hold));
    body->loose = loose > 0;
    if (!loose) continue;
    const PetscReal *x = fe->x + 3 * (body->first_node + first);
    NsDiagWarning(fe->diag, NsKeysPlace(body->where, "mesh"),
      "'%s' is kinematically indeterminate: %d of its nodes can move perpendicular to the bars without any force, for example the one at (%g, %g, %g) m in the direction (%.3g, %.3g, %.3g)",
      body->name, (int)loose, x[0], x[1], x[2], along[0], along[1], along[2]);
    NsDiagNote(fe->diag, "bars of a truss are single elements (in Gmsh: `Transfinite Curve {:} = 2;`); bodies that bend are of `type: beam`");
  }
  PetscFunctionReturn(0);
}
