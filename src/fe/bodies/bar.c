/*
  Bar: a straight line of bar elements (src/fe/elements/bar.c), one unknown a node, the displacement along the line.
*/
#include "line_body.h"

static const NsKey   bar_keys[] = {NS_LINE_BODY_KEYS(NsTable_Damping), {NULL}};
static const NsTable bar_table  = {"bar", "straight elastic bar", bar_keys, sizeof(NsLineBodySettings)};

static PetscErrorCode NsBodyBuild_Bar(const void *settings, NsFe *fe, NsFeBody *body)
{
  NsFeElement     *element = fe->element + body->first_element;
  const NsMesh    *mesh    = body->mesh;
  const NsPlace    place   = NsKeysPlace(body->where, "mesh");
  const PetscReal *first = fe->x + 3 * body->first_node, *last = first + 3 * (mesh->nodes - 1);
  PetscReal       *axis = body->direction[0], length = 0;

  PetscFunctionBegin;
  NsLineBodyMeasure(fe, body);
  body->node_unknowns = 1;
  if (!mesh->along) {
    NsDiagError(fe->diag, place, "the mesh of bar '%s' is not a single open line", body->name);
    NsDiagNote(fe->diag, "a bar has one DOF per node, along its line; for other meshes use `type: truss`");
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 3; k++) length += PetscSqr(last[k] - first[k]); /* nodes are numbered along the line */
  length = PetscSqrtReal(length);
  for (int k = 0; k < 3; k++) axis[k] = length > 0 ? (last[k] - first[k]) / length : 0;
  for (PetscInt i = 0; i < mesh->elements; i++) {
    const PetscReal *a = fe->x + 3 * element[i].node[0], *b = fe->x + 3 * element[i].node[1];
    PetscReal        forward = 0, along = 0, off = 0;
    for (int k = 0; k < 3; k++) {
      forward += (b[k] - a[k]) * axis[k];
      along += (b[k] - first[k]) * axis[k];
    }
    for (int k = 0; k < 3; k++) off += PetscSqr(b[k] - first[k] - along * axis[k]);
    if (forward <= 0 || off > PetscSqr(1e-9 * mesh->length)) {
      NsDiagError(fe->diag, place,
        forward <= 0 ? "the mesh of bar '%s' runs back over itself at (%g, %g, %g) m"
                     : "the mesh of bar '%s' is not straight: it bends at (%g, %g, %g) m",
        body->name, a[0], a[1], a[2]);
      NsDiagNote(fe->diag, "a bar has one DOF per node, along its line; for other meshes use `type: truss`");
      PetscFunctionReturn(0);
    }
    for (int k = 0; k < 3; k++) NsLine(&element[i])->axis[k] = axis[k]; /* of all elements the same to the last bit */
  }
  NsLineBodyProperties(settings, fe, body);
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Bar = {
  .name  = "bar",
  .title = "straight elastic bar, one DOF per node along its line",
  .about = "Linear two-node elements that carry axial force; waves run at c0 = sqrt(young/density).\n"
           "Critical time steps of explicit schemes, undamped, element length le: le/(sqrt(3) c0) with consistent mass, le/c0 lumped.",
  .table = &bar_table,
};
const NsBodyType NsBodyType_Bar = {.variant = &NsBodyVariant_Bar, .element = &NsElementType_Bar, .mesh = NsBodyMesh_Line, .build = NsBodyBuild_Bar};
