/*
  Truss: bar elements in the plane or in space, 2 or 3 unknowns a node (displacements x, y, z); joints do not transmit moments.

  Elements carry axial force only and are linear: displacements are small against the element's length.
*/
#include "line_body.h"

static const NsKey truss_keys[] = {
  NS_LINE_BODY_KEYS(NsTable_Damping),
  {"dimension", NS_KEY_INTEGER, offsetof(NsLineBodySettings, dimension), .default_value = "3", .minimum = "2", .maximum = "3",
    .help = "2: nodes move in the x-y plane; 3: in space", .example = "2"},
  {NULL},
};
static const NsTable truss_table = {"truss", "bars with pinned joints", truss_keys, sizeof(NsLineBodySettings)};

static PetscErrorCode NsBodyBuild_Truss(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsLineBodySettings *truss   = settings;
  const NsFeElement        *element = fe->element + body->first_element;
  const PetscInt            d       = (PetscInt)truss->dimension;
  const PetscReal           z0      = fe->x[3 * body->first_node + 2];

  PetscFunctionBegin;
  NsLineBodyMeasure(fe, body);
  body->node_unknowns = d;
  for (PetscInt k = 0; k < d; k++) body->direction[k][k] = 1;
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const PetscReal *a = fe->x + 3 * element[i].node[0], *b = fe->x + 3 * element[i].node[1];
    if (d == 2 && (PetscAbsReal(a[2] - z0) > 1e-9 * NsLine(&element[i])->length || PetscAbsReal(b[2] - z0) > 1e-9 * NsLine(&element[i])->length)) {
      NsDiagError(fe->diag, NsKeysPlace(body->where, "mesh"),
        "a truss of dimension 2 lies in one plane z = constant, but the element from (%g, %g, %g) to (%g, %g, %g) m does not", a[0], a[1], a[2], b[0],
        b[1], b[2]);
      PetscFunctionReturn(0);
    }
  }
  NsLineBodyProperties(truss, fe, body);
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Truss = {
  .name  = "truss",
  .title = "bars in the plane or in space with pinned joints",
  .about = "Bar elements with two (x, y) or three (x, y, z) DOF per node. Displacements are small.\n"
           "A straight chain of truss elements has no stiffness across its line.",
  .table = &truss_table,
};
const NsBodyType NsBodyType_Truss = {.variant = &NsBodyVariant_Truss,
  .element                                    = &NsElementType_Bar,
  .mesh                                       = NsBodyMesh_Line,
  .build                                      = NsBodyBuild_Truss};
