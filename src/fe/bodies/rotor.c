/*
  Rotor: a straight shaft of beam elements that spins about its axis.

  Unknowns of a node, in the shaft's own axes (1 along it, 2 and 3 across, all fixed in space): displacements u2, u3 and tilts r2, r3, small; the twist r1,
  where the spin is free, any angle; the displacement u1 with `axial: true`. The shaft is round: its lateral motion is that of a beam that does not
  spin, with the gyroscopic moments

      M2 = -rho Ip Omega r3',   M3 = rho Ip Omega r2'      for each length of the shaft, and the same of its discs.

  Friswell, Penny, Garvey, Lees, Dynamics of rotating machines, Cambridge (2010), ch. 5.
*/
#include "line_body.h"

static const NsKey rotor_keys[] = {
  NS_LINE_BODY_KEYS(NsTable_RotorDamping),
  NS_BEAM_KEYS,
  {"spin", NS_KEY_TABLE, offsetof(NsLineBodySettings, spin), .table = &NsTable_Spin, .default_value = "{constant: 0}",
    .help = "spin speed about the shaft's axis, positive from axis 2 to axis 3; prescribed or free", .example = "3000 rpm"},
  {"gyroscopic", NS_KEY_BOOLEAN, offsetof(NsLineBodySettings, gyroscopic), .default_value = "true", .help = "gyroscopic moments of the shaft itself",
    .example = "false"},
  {"axial", NS_KEY_BOOLEAN, offsetof(NsLineBodySettings, axial), .default_value = "false",
    .help = "axial DOF: the shaft stretches and moves along its axis", .example = "true"},
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
    NsDiagError(fe->diag, place, "the mesh of rotor '%s' is not a single open line", body->name);
    return PETSC_FALSE;
  }
  (void)NsBeamFrame(NsLine(e)->axis, NULL, body->frame);
  for (PetscInt i = 1; i < mesh->elements; i++) {
    PetscReal off = 0;
    for (int k = 0; k < 3; k++) off = PetscMax(off, PetscAbsReal(NsLine(&e[i])->axis[k] - NsLine(e)->axis[k]));
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
    const NsProperty *p = NsLine(&fe->element[body->first_element + i / 2])->property[i % 2];
    if (!(PetscAbsReal(p->inertia_2 - p->inertia_3) > 1e-9 * p->inertia_2)) continue; /* NaN is found by check_elements */
    NsDiagError(fe->diag, p->section->where->place, "the section of a rotor must be round, but its second moments of area are %g and %g m^4",
      p->inertia_2, p->inertia_3);
    NsDiagNote(fe->diag, "the stiffness of an asymmetric shaft would change as it rotates, which is not modelled");
    return;
  }
}

static PetscErrorCode NsBodyBuild_Rotor(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsLineBodySettings *rotor = settings;
  PetscBool                 has[6];

  PetscFunctionBegin;
  NsLineBodyMeasure(fe, body);
  body->is_rotor = PETSC_TRUE;
  body->spin     = rotor->spin;
  if (!check_shaft(fe, body)) PetscFunctionReturn(0);
  for (int m = 0; m < 6; m++) has[m] = PETSC_TRUE;
  has[0] = rotor->axial;
  has[3] = NsSpinIsFree(rotor->spin);
  for (int m = 0; m < 6; m++) {
    if (!has[m]) continue;
    for (int k = 0; k < 3; k++) body->direction[body->node_unknowns][k] = body->frame[m % 3][k];
    body->turns[body->node_unknowns++] = m >= 3;
  }
  NsLineBodyProperties(rotor, fe, body);
  check_round(fe, body);
  NsBeamElements(rotor, fe, body);
  if (body->gyroscopic && !body->theory.rotary && NsSpinHighest(rotor->spin) != 0) {
    NsDiagWarning(fe->diag, NsKeysPlace(body->where, "theory"),
      "the shaft has gyroscopic moments but no rotary inertia, which is inconsistent; set `rotary_inertia: yes` or `gyroscopic: false`");
  }
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Rotor = {
  .name  = "rotor",
  .title = "straight spinning shaft: beam elements with gyroscopic moments",
  .about =
    "Beam elements in non-rotating axes: 1 along the shaft from its first node, 2 and 3 across (y and z for a shaft "
    "along x; otherwise axis 2 is perpendicular to the shaft, towards y, z or x if the shaft is closest to x, y or z). spin: SPEED or {table: ...} prescribes it; {free: SPEED} makes the twist a DOF that torques, friction "
    "and unbalances act on. Discs, unbalances, bearings, loads (`rotating: true`: fixed to the shaft) and contacts refer to points "
    "on it: shaft.left, shaft@0.3 (of its length), shaft@180 mm. The shaft is round; deflections and tilts are small.\n"
    "Damping acts in fixed axes, except `damping: {rotating: ...}`: internal damping of the material, which drives forward whirl above critical speeds. "
    "The critical time step uses the initial speed of a free spin: choose the step for the speed that it will reach.\n"
    "`percuss modes` prints frequencies, critical speeds and the Campbell diagram, `percuss response` the unbalance response.",
  .table = &rotor_table,
};
const NsBodyType NsBodyType_Rotor = {.variant = &NsBodyVariant_Rotor,
  .element                                    = &NsElementType_Beam,
  .mesh                                       = NsBodyMesh_Line,
  .build                                      = NsBodyBuild_Rotor};
