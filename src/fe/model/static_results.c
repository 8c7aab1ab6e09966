/*
  What `percuss static` prints of the static solution, beside reactions: displacements and section forces along bodies.

  Section forces are those at the ends of an element, and what the loads between them change (section_loads.h): exact for loads that are constant along an element. Displacements within an element are
  those of its shape functions: exact at nodes.
*/
#include <math.h>
#include <string.h>
#include "components.h"

enum { POINTS = 5 }; /* of an element, with both ends */

/* The output of this name; NaN: the element has none. */
static PetscReal output_of(const NsElementType *type, const PetscReal *value, const char *name)
{
  for (int c = 0; type->output_names[c]; c++) {
    if (!strcmp(type->output_names[c], name)) return value[c];
  }
  return NAN;
}

static void section_at(
  const NsFe *fe, const NsFeElement *e, const PetscReal *q, PetscReal fraction, const NsElementLoads *loads, NsFeStaticSection *to)
{
  const NsFeBody      *body  = &fe->body[e->body];
  const NsElementType *type  = body->element;
  const PetscReal     *along = body->mesh->along, xi[3]                  = {fraction};
  PetscReal            u[NS_ELEMENT_UNKNOWNS], value[NS_ELEMENT_OUTPUTS] = {0}, move[NS_ELEMENT_UNKNOWNS][3], turn[NS_ELEMENT_UNKNOWNS][3];

  *to = (NsFeStaticSection){.body = body->name, .along = NAN};
  if (along) to->along = (1 - fraction) * along[e->node[0] - body->first_node] + fraction * along[e->node[1] - body->first_node];
  NsFePosition(fe, e, xi, to->x);
  NsFeElementValues(fe, NULL, e, q, u);
  type->shape(body, e, xi, move, turn);
  for (PetscInt i = 0; i < NsFeElementSize(body); i++) {
    for (int k = 0; k < 3; k++) {
      to->u[k] += move[i][k] * u[i];
      to->turn[k] += turn[i][k] * u[i];
    }
  }
  type->outputs(body, e, u, xi, value);
  if (loads) type->loaded(body, e, loads, xi, value);
  to->normal_force = output_of(type, value, "normal_force");
  to->torque       = output_of(type, value, "torque");
  to->shear[0]     = output_of(type, value, "shear_2");
  to->shear[1]     = output_of(type, value, "shear_3");
  to->moment[0]    = output_of(type, value, "moment_2");
  to->moment[1]    = output_of(type, value, "moment_3");
}

static PetscBool is_line(const NsFeBody *body)
{
  return body->element && body->element->line;
}

PetscErrorCode NsFeStaticSections(NsModel *model, const PetscReal *q, PetscInt *count, NsFeStaticSection **list)
{
  NsFe            *fe       = model->data;
  PetscInt         elements = 0;
  NsFeSectionLoads room;
  PetscReal       *still;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) elements += is_line(&fe->body[b]) ? fe->body[b].mesh->elements : 0;
  *list  = NsArenaAlloc(fe->arena, sizeof(**list) * (size_t)(POINTS * elements + 1));
  *count = 0;
  PetscCall(PetscCalloc1(fe->unknowns, &still));
  if (fe->moving.moved) { /* supports are where they are at t = 0, and at rest */
    NsFeMovedAt(fe, 0);
    PetscCall(PetscArrayzero(fe->moving.rate, fe->moving.moved));
    PetscCall(PetscArrayzero(fe->moving.acceleration, fe->moving.moved));
  }
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = body->first_element; is_line(body) && i < body->first_element + body->mesh->elements; i++) {
      const NsElementLoads *loads = NsFeSectionLoadsAt(fe, &fe->element[i], 0, still, still, &room);
      for (int p = 0; p < POINTS; p++) section_at(fe, &fe->element[i], q, (PetscReal)p / (POINTS - 1), loads, &(*list)[(*count)++]);
    }
  }
  PetscCall(PetscFree(still));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeDeflections(NsModel *model, const PetscReal *q, PetscInt *count, NsFeDeflection **list)
{
  const NsFe *fe = model->data;

  PetscFunctionBegin;
  *list  = NsArenaAlloc(fe->arena, sizeof(**list) * (size_t)(fe->bodies + 1));
  *count = fe->bodies;
  NsFeMovedAt(fe, 0);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    PetscReal       most = -1;
    for (PetscInt node = body->first_node; node < body->first_node + body->mesh->nodes; node++) {
      const PetscInt *unknown = NsFeNodeUnknowns(fe, node);
      PetscReal       u[3]    = {0};
      for (PetscInt a = 0; a < body->node_unknowns; a++) {
        const PetscReal value = unknown[a] < 0 ? NsFeHeldValue(fe, unknown[a]) : q[unknown[a]];
        for (int k = 0; k < 3 && !body->turns[a]; k++) u[k] += body->direction[a][k] * value;
      }
      if (!(NsDot3(u, u) > most)) continue;
      most       = NsDot3(u, u);
      (*list)[b] = (NsFeDeflection){.body = body->name, .u = {u[0], u[1], u[2]}};
      for (int k = 0; k < 3; k++) (*list)[b].x[k] = fe->x[3 * node + k];
    }
  }
  PetscFunctionReturn(0);
}

const PetscReal (*NsFeStaticForces(NsModel *model))[3]
{
  return (const PetscReal(*)[3])((NsFe *)model->data)->rest_force;
}
