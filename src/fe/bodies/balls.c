/*
  Many rigid balls, all alike, at the nodes of a mesh, whose lines do nothing: a heap, a shower, a bed of gravel.

  Each has six unknowns like a rigid body, with  m = 4/3 pi r^3 rho,  J = 2/5 m r^2.  Its inertia is the same about all axes, so that it may turn by any angle.
*/
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  double        velocity[3], angular_velocity[3];
} NsBallsInitial;

typedef struct {
  const NsNode         *where;
  const NsMeshSettings *mesh;
  double                radius, density;
  const NsBallsInitial *initial;
} NsBallsSettings;

static const NsKey initial_keys[] = {
  {"velocity", NS_KEY_VECTOR, offsetof(NsBallsInitial, velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "velocity of their centres", .example = "[0, 0, -1 m/s]"},
  {"angular_velocity", NS_KEY_VECTOR, offsetof(NsBallsInitial, angular_velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_ANGULAR_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "of each about its centre", .example = "[100 rad/s, 0, 0]"},
  {NULL},
};
static const NsTable initial_table = {"balls_initial", "initial state of balls", initial_keys, sizeof(NsBallsInitial)};

static const NsKey balls_keys[] = {
  {"mesh", NS_KEY_TABLE, offsetof(NsBallsSettings, mesh), .table = &NsTable_Mesh, .required = true,
    .help    = "mesh whose nodes are the centres: a line, a lattice or a file; its elements are not used",
    .example = "{lattice: {from: [0, 0, 0], to: [40 mm, 40 mm, 20 mm], cells: [4, 4, 2]}}"},
  {"radius", NS_KEY_NUMBER, offsetof(NsBallsSettings, radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "radius of each ball, for its mass and inertia; contacts have their own key `radius`", .example = "4 mm"},
  {"density", NS_KEY_NUMBER, offsetof(NsBallsSettings, density), .dimension = NS_DIM_DENSITY, .required = true, .minimum = "0 <",
    .help = "mass per volume", .example = "7800 kg/m^3"},
  {"initial", NS_KEY_TABLE, offsetof(NsBallsSettings, initial), .table = &initial_table, .help = "state at the start",
    .example = "{velocity: [0, 0, -1 m/s]}"},
  {NULL},
};
static const NsTable balls_table = {"balls", "balls", balls_keys, sizeof(NsBallsSettings)};

/* The mesh without its elements. */
static PetscErrorCode NsBodyMesh_Balls(const void *settings, NsFe *fe, NsMesh **mesh)
{
  PetscFunctionBegin;
  PetscCall(NsMeshCreate(((const NsBallsSettings *)settings)->mesh, fe->arena, fe->diag, mesh));
  if (!*mesh) PetscFunctionReturn(0);
  (*mesh)->elements     = 0;
  (*mesh)->element_sets = 0;
  (*mesh)->along        = NULL;
  PetscFunctionReturn(0);
}

static PetscReal mass_of(const NsBallsSettings *balls)
{
  return 4.0 / 3 * PETSC_PI * balls->radius * balls->radius * balls->radius * balls->density;
}

static PetscErrorCode NsBodyBuild_Balls(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsBallsSettings *balls = settings;
  const PetscReal        mass  = mass_of(balls);

  PetscFunctionBegin;
  if (!NsFeIsInRange(mass) || !NsFeIsInRange(0.4 * mass * balls->radius * balls->radius) || !NsFeIsInRange(NsFeExtent(body)))
    NsDiagError(fe->diag, body->where->key_place, "balls '%s' are out of range: radius %g m, mass %g kg", body->name, balls->radius, mass);
  body->node_unknowns = 6;
  for (PetscInt a = 0; a < 6; a++) {
    body->direction[a][a % 3] = 1;
    body->turns[a]            = a >= 3;
  }
  for (int k = 0; balls->initial && k < 3; k++) {
    body->velocity[k]         = balls->initial->velocity[k];
    body->angular_velocity[k] = balls->initial->angular_velocity[k];
  }
  PetscFunctionReturn(0);
}

static void attach(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsBallsSettings *balls = settings;
  const PetscReal        mass = mass_of(balls), moment = 0.4 * mass * balls->radius * balls->radius;

  for (PetscInt i = 0; i < body->mesh->nodes; i++)
    *NsFeAddInertia(fe) = (NsFeInertia){.name = body->name,
      .at                                     = {.body = (PetscInt)(body - fe->body), .node = body->first_node + i, .element = -1},
      .mass                                   = mass,
      .frame                                  = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      .inertia                                = {moment, moment, moment},
      .radius                                 = balls->radius,
      .is_ball                                = PETSC_TRUE};
}

const NsVariant NsBodyVariant_Balls = {
  .name  = "balls",
  .title = "many rigid balls at the nodes of a mesh",
  .about =
    "Balls of equal radius and density. NAME.all are all centres; node sets of the mesh are subsets of them. Balls touch only with a contact:\n"
    "    heap: {between: [{node: NAME.all, radius: 4 mm}, {node: NAME.all, radius: 4 mm}], friction: 0.3}",
  .table = &balls_table,
};
const NsBodyType NsBodyType_Balls = {.variant = &NsBodyVariant_Balls, .mesh = NsBodyMesh_Balls, .build = NsBodyBuild_Balls, .attach = attach};
