/*
  Rotor: a straight shaft of beam elements that spins about its axis.

  Unknowns of a node, in the shaft's own axes (1 along it, 2 and 3 across, all fixed in space): displacements u2, u3 and tilts r2, r3, small; the twist r1,
  where the spin is free, any angle; the displacement u1, where `axial` asks for it. The shaft is round: its lateral motion is that of a beam that does not
  spin, with the gyroscopic moments

      M2 = -rho Ip Omega r3',   M3 = rho Ip Omega r2'      for each length of the shaft, and the same of its discs.

  Friswell, Penny, Garvey, Lees, Dynamics of rotating machines, Cambridge (2010), ch. 5.
*/
#include "line_body.h"

static const NsKey rotor_keys[] = {
  NS_LINE_BODY_KEYS(NsTable_BeamDamping),
  NS_BEAM_KEYS,
  {"spin", NS_KEY_TABLE, offsetof(NsLineBodySettings, spin), .table = &NsTable_Spin, .standard = "{constant: 0}",
    .help = "speed about the shaft's axis, positive from axis 2 to axis 3: prescribed, or free", .example = "3000 rpm"},
  {"gyroscopic", NS_KEY_BOOLEAN, offsetof(NsLineBodySettings, gyroscopic), .standard = "true", .help = "gyroscopic moments of the shaft itself",
    .example = "false"},
  {"axial", NS_KEY_BOOLEAN, offsetof(NsLineBodySettings, axial), .standard = "false", .help = "the shaft stretches and moves along its axis, too",
    .example = "true"},
  {NULL},
};
static const NsTable rotor_table = {"rotor", "straight spinning shaft", rotor_keys, sizeof(NsLineBodySettings)};

/* The mesh is one straight line, and its elements are round. */
static PetscBool check_shaft(NsFe *fe, NsFeBody *body)
{
  const NsMesh      *mesh  = body->mesh;
  const NsPlace      place = NsKeysPlace(body->where, "mesh");
  const NsFeElement *e     = &fe->element[body->first_element];

  if (!mesh->along) {
    NsDiagError(fe->diag, place, "the mesh of rotor '%s' is not one open line", body->name);
    return PETSC_FALSE;
  }
  (void)NsBeamFrame(e->axis, NULL, body->frame);
  for (PetscInt i = 1; i < mesh->elements; i++) {
    PetscReal off = 0;
    for (int k = 0; k < 3; k++) off = PetscMax(off, PetscAbsReal(e[i].axis[k] - e[0].axis[k]));
    if (off < 1e-9) continue;
    const PetscReal *x = fe->x + 3 * e[i].node[0];
    NsDiagError(fe->diag, place, "the mesh of rotor '%s' is not straight: it bends at (%g, %g, %g) m", body->name, x[0], x[1], x[2]);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void check_round(NsFe *fe, const NsFeBody *body)
{
  for (PetscInt i = 0; i < 2 * body->mesh->elements; i++) {
    const NsProperty *p = fe->element[body->first_element + i / 2].property[i % 2];
    if (!(PetscAbsReal(p->inertia_2 - p->inertia_3) > 1e-9 * p->inertia_2)) continue; /* what is no number is found with the elements */
    NsDiagError(fe->diag, p->section->where->place, "a rotor is round, but the second moments of area of this section are %g and %g m^4",
      p->inertia_2, p->inertia_3);
    NsDiagNote(fe->diag, "a shaft that is stiffer one way than the other would change its stiffness while it turns");
    return;
  }
}

static PetscErrorCode NsBodyBuild_Rotor(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsLineBodySettings *rotor = settings;
  PetscBool                 has[6];

  PetscFunctionBegin;
  body->is_rotor = PETSC_TRUE;
  body->spin     = rotor->spin;
  if (!check_shaft(fe, body)) PetscFunctionReturn(0);
  for (int m = 0; m < 6; m++) has[m] = PETSC_TRUE;
  has[0] = rotor->axial ? PETSC_TRUE : PETSC_FALSE;
  has[3] = NsSpinIsFree(rotor->spin);
  for (int m = 0; m < 6; m++) {
    if (!has[m]) continue;
    for (int k = 0; k < 3; k++) body->direction[body->node_unknowns][k] = body->frame[m % 3][k];
    body->turns[body->node_unknowns++] = m >= 3 ? PETSC_TRUE : PETSC_FALSE;
  }
  NsLineBodyProperties(rotor, fe, body);
  check_round(fe, body);
  NsBeamElements(rotor, fe, body);
  if (body->gyroscopic && !body->theory.rotary && NsSpinHighest(rotor->spin) != 0) {
    NsDiagWarning(fe->diag, NsKeysPlace(body->where, "theory"),
      "gyroscopic moments of the shaft without its rotary inertia are half of one thing; set `rotary_inertia: yes` or `gyroscopic: false`");
  }
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Rotor = {
  .name  = "rotor",
  .title = "straight spinning shaft: beam elements with gyroscopic moments",
  .about = "Beam elements in axes that do not spin: 1 along the shaft from its first node, 2 and 3 across (y and z of a shaft\n"
           "along x). spin: SPEED or {table: ...} prescribes it; {free: SPEED} makes the twist an unknown that torques, friction\n"
           "and unbalances change. Discs, unbalances, bearings, loads (`rotating: true` turns with it) and contacts refer to places\n"
           "on it: shaft.left, shaft@0.3 (of its length), shaft@180 mm. A round shaft of small deflections; tilts are small.\n"
           "Damping stands still in space: internal damping that turns with the shaft, unstable above a critical speed, is not modelled.\n"
           "A free spin counts in the step limit by its speed at the start: choose the step for the speed that it will reach.\n"
           "`percuss modes` gives its frequencies, critical speeds and Campbell diagram, `percuss response` that of unbalances.",
  .table = &rotor_table,
};
const NsBodyType NsBodyType_Rotor = {&NsBodyVariant_Rotor, NsBodyMesh_Line, NsBodyBuild_Rotor, NULL};
