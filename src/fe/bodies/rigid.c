/*
  Rigid body: one node with six unknowns, displacements and rotations about x, y, z of its centre of mass.

  The rotations are small, but for bodies without levers (src/fe/model/deformation.c). No gyroscopic terms: model what spins fast as a rotor.
*/
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  double        velocity[3], displacement[3], angular_velocity[3];
} NsRigidInitial;

typedef struct {
  const NsNode         *where;
  double                at[3], mass, inertia[3], radius;
  const NsRigidInitial *initial;
  const char           *material; /* read by contact/materials.c */
} NsRigidSettings;

static const NsKey initial_keys[] = {
  {"velocity", NS_KEY_VECTOR, offsetof(NsRigidInitial, velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "velocity of the centre", .example = "[0, 0, -1 m/s]"},
  {"displacement", NS_KEY_VECTOR, offsetof(NsRigidInitial, displacement), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_LENGTH,
    .default_value = "[0, 0, 0]", .help = "displacement from `at`", .example = "[0, 0, 1 mm]"},
  {"angular_velocity", NS_KEY_VECTOR, offsetof(NsRigidInitial, angular_velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_ANGULAR_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "about x, y, z", .example = "[100 rad/s, 0, 0]"},
  {NULL},
};
static const NsTable initial_table = {"rigid_initial", "initial state of a rigid body", initial_keys, sizeof(NsRigidInitial)};

static const NsKey rigid_keys[] = {
  {"at", NS_KEY_VECTOR, offsetof(NsRigidSettings, at), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .required = true,
    .help = "position of its centre of mass", .example = "[0, 0, 0]"},
  {"mass", NS_KEY_NUMBER, offsetof(NsRigidSettings, mass), .dimension = NS_DIM_MASS, .required = true, .minimum = "0 <", .help = "mass",
    .example = "2.3 kg"},
  {"inertia", NS_KEY_VECTOR, offsetof(NsRigidSettings, inertia), .space = NS_SPACE_AXES, .dimension = {2, 1, 0, 0}, .required = true,
    .minimum = "0 <", .help = "moments of inertia about x, y, z", .example = "[0.007, 1e-4, 1e-4]"},
  {"radius", NS_KEY_NUMBER, offsetof(NsRigidSettings, radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "radius of a ring about x that represents it in pictures", .example = "50 mm"},
  {"material", NS_KEY_STRING, offsetof(NsRigidSettings, material),
    .help = "name of the material in `contact_materials`: contact laws by pairs of materials", .example = "steel"},
  {"initial", NS_KEY_TABLE, offsetof(NsRigidSettings, initial), .table = &initial_table, .help = "state at the start",
    .example = "{velocity: [0, 0, -1 m/s]}"},
  {NULL},
};
static const NsTable rigid_table = {"rigid", "rigid body", rigid_keys, sizeof(NsRigidSettings)};

/* One node, named `center`. */
static PetscErrorCode NsBodyMesh_Rigid(const void *settings, NsFe *fe, NsMesh **result)
{
  const NsRigidSettings *rigid = settings;
  NsMesh                *mesh  = NsArenaAlloc(fe->arena, sizeof(*mesh));

  PetscFunctionBegin;
  mesh->nodes     = 1;
  mesh->x         = NsArenaAlloc(fe->arena, 3 * sizeof(*mesh->x));
  mesh->node_sets = 1;
  mesh->node_set  = NsArenaAlloc(fe->arena, sizeof(*mesh->node_set));
  mesh->length    = rigid->radius;
  for (int k = 0; k < 3; k++) mesh->x[k] = rigid->at[k];
  *mesh->node_set = (NsMeshSet){"center", 1, NsArenaAlloc(fe->arena, sizeof(PetscInt))};
  *result         = mesh;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsBodyBuild_Rigid(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsRigidSettings *rigid = settings;

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    const PetscReal spin = rigid->initial ? rigid->initial->angular_velocity[k] : 0;
    if (NsFeIsInRange(rigid->mass) && NsFeIsInRange(rigid->inertia[k]) && NsFeIsInRange(rigid->at[k]) && NsFeIsInRange(spin)) continue;
    NsDiagError(fe->diag, body->where->key_place,
      "rigid body '%s' is out of range: mass %g kg, moments of inertia %g, %g, %g kg m^2, position or initial state", body->name, rigid->mass,
      rigid->inertia[0], rigid->inertia[1], rigid->inertia[2]);
    break;
  }
  body->node_unknowns = 6;
  for (PetscInt a = 0; a < 6; a++) {
    body->direction[a][a % 3] = 1;
    body->turns[a]            = a >= 3;
  }
  for (int k = 0; rigid->initial && k < 3; k++) {
    body->velocity[k]         = rigid->initial->velocity[k];
    body->displacement[k]     = rigid->initial->displacement[k];
    body->angular_velocity[k] = rigid->initial->angular_velocity[k];
  }
  PetscFunctionReturn(0);
}

static void attach(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsRigidSettings *rigid = settings;

  *NsFeAddInertia(fe) = (NsFeInertia){.name = body->name,
    .at                                     = {.body = (PetscInt)(body - fe->body), .node = body->first_node, .element = -1},
    .mass                                   = rigid->mass,
    .frame                                  = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .inertia                                = {rigid->inertia[0], rigid->inertia[1], rigid->inertia[2]},
    .radius                                 = rigid->radius};
}

const NsVariant NsBodyVariant_Rigid = {
  .name  = "rigid",
  .title = "rigid body: mass and moments of inertia at one node",
  .about =
    "One node, NAME.center, with displacements along and rotations about x, y, z. Rotations are small. They may "
    "be any angle if nothing is attached off the centre, and either two of them are supported, or the moments of inertia are equal and no spring or bearing acts on the body. "
    "For a housing on mounts (`bearings`), a disc in a bore, a ball on a plane. There are no gyroscopic terms: use "
    "a rotor for bodies that spin fast.",
  .table = &rigid_table,
};
const NsBodyType NsBodyType_Rigid = {.variant = &NsBodyVariant_Rigid, .mesh = NsBodyMesh_Rigid, .build = NsBodyBuild_Rigid, .attach = attach};
