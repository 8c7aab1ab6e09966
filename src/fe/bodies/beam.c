/*
  Beam: elements that carry axial force, shear, bending and torsion, in the plane (3 unknowns a node: x, y, rotation about z) or in space (6).

  Rotations are small. Matrices: src/fe/elements/beam_matrices.h. Elements of one body may meet at any angle: joints are rigid.
*/
#include "line_body.h"
#include <string.h>

static const NsKey beam_keys[] = {
  NS_LINE_BODY_KEYS(NsTable_BeamDamping),
  NS_BEAM_KEYS,
  {"dimension", NS_KEY_INTEGER, offsetof(NsLineBodySettings, dimension), .default_value = "3", .minimum = "2", .maximum = "3",
    .help = "2: in the x-y plane, 3 DOF per node; 3: in space, 6 DOF per node", .example = "2"},
  {"orientation", NS_KEY_VECTOR, offsetof(NsLineBodySettings, orientation), .space = NS_SPACE_DIRECTION, .default_value = "[0, 0, 0]",
    .help =
      "in space: local axis 2 of the sections lies in the plane of this vector and the beam; default: y for beams along x, z along y, x along z",
    .example = "[0, 0, 1]"},
  {NULL},
};

/* In space axis 2 of the default depends on the direction of the beam; round sections have no axis 2 that matters. */
static const char *lacks_to_turn(const NsNode *body)
{
  const NsNode *dimension = NsTreeChild(body, "dimension"), *section = NsTreeChild(body, "section");

  if (NsTreeChild(body, "orientation") || NsTreeChild(section, "circle") || NsTreeChild(section, "tube")) return NULL;
  return dimension && dimension->kind == NS_NODE_SCALAR && !strcmp(dimension->text, "2") ? NULL : "orientation";
}

static const NsTable beam_table = {"beam", "elastic beam", beam_keys, sizeof(NsLineBodySettings), .lacks_to_turn = lacks_to_turn};

/* A planar beam lies in a plane z = constant; its section's axis 2 does too. */
static PetscBool check_elements(const NsLineBodySettings *beam, NsFe *fe, const NsFeBody *body)
{
  const PetscReal z0 = fe->x[3 * body->first_node + 2];
  PetscReal       frame[3][3];

  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[body->first_element + i];
    const PetscReal   *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[1];
    if (beam->dimension == 2 && (PetscAbsReal(a[2] - z0) > 1e-9 * NsLine(e)->length || PetscAbsReal(b[2] - z0) > 1e-9 * NsLine(e)->length)) {
      NsDiagError(fe->diag, NsKeysPlace(body->where, "mesh"),
        "a beam of dimension 2 lies in one plane z = constant, but the element from (%g, %g, %g) to (%g, %g, %g) m does not", a[0], a[1], a[2], b[0],
        b[1], b[2]);
      return PETSC_FALSE;
    }
    if (!NsFeBeamAxes(body, e, frame)) {
      NsDiagError(fe->diag, NsKeysPlace(body->where, "orientation"),
        "the orientation (%g, %g, %g) is parallel to the element from (%g, %g, %g) to (%g, %g, %g) m", body->orientation[0], body->orientation[1],
        body->orientation[2], a[0], a[1], a[2], b[0], b[1], b[2]);
      NsDiagNote(fe->diag, "it gives the direction of local axis 2 of the section, across the beam");
      return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

static PetscErrorCode NsBodyBuild_Beam(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsLineBodySettings *beam   = settings;
  const PetscBool           planar = beam->dimension == 2;

  PetscFunctionBegin;
  NsLineBodyMeasure(fe, body);
  body->node_unknowns = planar ? 3 : 6;
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscInt motion          = planar && a == 2 ? 5 : a; /* x, y, rotation about z */
    body->direction[a][motion % 3] = 1;
    body->turns[a]                 = motion >= 3;
  }
  for (int k = 0; k < 3; k++) body->orientation[k] = beam->orientation[k];
  body->planar = planar;
  if (planar && NsTreeChild(body->where, "orientation")) {
    NsDiagError(fe->diag, NsKeysPlace(body->where, "orientation"), "a beam of dimension 2 has no `orientation`: its local axis 2 lies in its plane");
    PetscFunctionReturn(0);
  }
  if (!check_elements(beam, fe, body)) PetscFunctionReturn(0);
  NsLineBodyProperties(beam, fe, body);
  NsBeamElements(beam, fe, body);
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Beam = {
  .name  = "beam",
  .title = "elastic beam in the plane or in space: bending, shear, torsion, tension",
  .about = "Two-node elements, Timoshenko (interdependent shape functions, no locking) or Euler-Bernoulli, small rotations.\n"
           "DOF of a node: x, y, z and rotations about them (dimension 3), or x, y and the rotation about z (dimension 2).\n"
           "Axis 1 of an element runs along it; the height of a section is along axis 2 (orientation), its width along axis 3.\n"
           "The highest bending frequency grows with 1/length^2: fine meshes need small explicit steps; `percuss check` prints the critical one.",
  .table = &beam_table,
};
const NsBodyType NsBodyType_Beam = {.variant = &NsBodyVariant_Beam,
  .element                                   = &NsElementType_Beam,
  .mesh                                      = NsBodyMesh_Line,
  .build                                     = NsBodyBuild_Beam};
