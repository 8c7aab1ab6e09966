/*
  Matrices: a body of which mass and stiffness are known as matrices, made by another program.

      M q'' + (C + G + a M + b K) q' + (K + N) q = f

  with skew-symmetric G (gyroscopic) and N (circulatory) where they are given. Its nodes have displacements along x, y (and z), and rotations where the matrices have them. DOF that the matrices do not have are held. Its couplings (src/fe/elements/coupling.h) are the
  pairs of nodes that an entry of the matrices joins; so it takes part in everything that bodies of elements do.
*/
#include <stdlib.h>
#include "fe/elements/coupling.h"
#include "matrices_source.h"

static const NsKey nodes_keys[] = {
  {"file", NS_KEY_STRING, offsetof(NsMatrixNodesSettings, file), .file = true, .space = NS_SPACE_FIXED, .required = true,
    .help =
      "coordinates and sets of nodes: a deck of CalculiX or Abaqus (*NODE, *NSET, *ELEMENT, *INCLUDE), an archive of Ansys (CDWRITE: NBLOCK, CMBLOCK), or a Gmsh mesh (name.msh)",
    .example = "beam.inp"},
  {"names", NS_KEY_MAPPING, offsetof(NsMatrixNodesSettings, names), .help = "further names for nodes by their numbers in the file, one or a list",
    .example = "{tip: [188, 190], sensor: 1353}"},
  {NULL},
};
static const NsTable nodes_table = {
  "matrix_nodes", "nodes of a body given by matrices", nodes_keys, sizeof(NsMatrixNodesSettings), .shorthand = "file"};

static const NsKey units_keys[] = {
  {"length", NS_KEY_NUMBER, offsetof(NsMatrixUnitsSettings, length), .dimension = {1, 0, 0, 0}, .default_value = "1 m", .minimum = "0 <",
    .help = "unit of length of all files", .example = "1 mm"},
  {"mass", NS_KEY_NUMBER, offsetof(NsMatrixUnitsSettings, mass), .dimension = {0, 1, 0, 0}, .default_value = "1 kg", .minimum = "0 <",
    .help = "unit of mass; t with mm, s and N", .example = "1 t"},
  {"time", NS_KEY_NUMBER, offsetof(NsMatrixUnitsSettings, time), .dimension = {0, 0, 1, 0}, .default_value = "1 s", .minimum = "0 <",
    .help = "unit of time", .example = "1 s"},
  {NULL},
};
static const NsTable units_table = {"matrix_units", "units of the files of a body given by matrices", units_keys, sizeof(NsMatrixUnitsSettings)};

static const NsKey matrices_keys[] = {
  {"stiffness", NS_KEY_STRING, offsetof(NsMatricesSettings, stiffness), .file = true, .required = true,
    .help    = "file of the stiffness matrix: Matrix Market, CalculiX (.sti), Abaqus (*MATRIX OUTPUT, FORMAT=MATRIX INPUT) or Ansys (HBMAT, ASCII)",
    .example = "beam.sti"},
  {"mass", NS_KEY_STRING, offsetof(NsMatricesSettings, mass), .file = true, .required = true, .help = "file of the mass matrix, of the same kinds",
    .example = "beam.mas"},
  {"damping_matrix", NS_KEY_STRING, offsetof(NsMatricesSettings, damping_matrix), .file = true, .help = "file of a damping matrix, of the same kinds",
    .example = "beam.dam"},
  {"gyroscopic_matrix", NS_KEY_STRING, offsetof(NsMatricesSettings, gyroscopic_matrix), .file = true,
    .help    = "file of a skew-symmetric matrix G of velocities, of the same kinds, at the operating speed: the force is -G v, which does no work",
    .example = "beam.gyr"},
  {"circulatory_matrix", NS_KEY_STRING, offsetof(NsMatricesSettings, circulatory_matrix), .file = true,
    .help    = "file of a skew-symmetric matrix N of displacements, of the same kinds: the force is -N q, whose work is part of the external work",
    .example = "beam.cir"},
  {"unknowns", NS_KEY_STRING, offsetof(NsMatricesSettings, unknowns), .file = true,
    .help =
      "file with the node and direction of each row, `12.3` a line: 1, 2, 3 for x, y, z, 4, 5, 6 for rotations about them (CalculiX .dof); default: x, y, z of all nodes in the "
      "order of their file; or the mapping that Ansys writes by HBMAT. Abaqus files need none",
    .example = "beam.dof"},
  {"nodes", NS_KEY_TABLE, offsetof(NsMatricesSettings, nodes), .table = &nodes_table, .required = true, .help = "coordinates and names of nodes",
    .example = "{file: beam.inp}"},
  {"units", NS_KEY_TABLE, offsetof(NsMatricesSettings, units), .table = &units_table, .default_value = "{}",
    .help = "units of the files; default: SI", .example = "{length: 1 mm, mass: 1 t, time: 1 s}"},
  {"damping", NS_KEY_TABLE, offsetof(NsMatricesSettings, damping), .table = &NsTable_Damping,
    .help = "internal damping, beside that of damping_matrix", .example = "{rayleigh: {stiffness: 5 ns}}"},
  {"initial", NS_KEY_TABLE, offsetof(NsMatricesSettings, initial), .table = &NsTable_Initial, .help = "state at the start",
    .example = "{velocity: [-0.1 m/s, 0, 0]}"},
  NS_REDUCE_KEY(offsetof(NsMatricesSettings, reduce)),
  {NULL},
};
static const NsTable matrices_table = {"matrices", "body given by its matrices", matrices_keys, sizeof(NsMatricesSettings)};
/* Files that the deck includes are inputs of the run. */
static void keep_includes(NsFe *fe, const NsNumberedNodes *nodes)
{
  const char **all = NsArenaAlloc(fe->arena, sizeof(*all) * (size_t)(fe->includes + nodes->includes + 1));

  for (PetscInt i = 0; i < fe->includes; i++) all[i] = fe->include[i];
  for (PetscInt i = 0; i < nodes->includes; i++) all[fe->includes++] = nodes->include[i];
  fe->include = all;
}

static PetscErrorCode NsBodyMesh_Matrices(const void *data, NsFe *fe, NsMesh **mesh)
{
  const NsMatricesSettings *settings = data;
  NsMatricesSource         *source   = NsArenaAlloc(fe->arena, sizeof(*source));
  const NsNode             *file     = NsTreeChild(settings->nodes->where, "file");
  NsNumberedNodes           nodes;
  PetscBool                 good;

  PetscFunctionBegin;
  PetscCall(NsReadNumberedNodes(file ? file : settings->nodes->where, fe->arena, fe->diag, &nodes, &good));
  keep_includes(fe, &nodes);
  if (good) PetscCall(NsMatricesRead(settings, fe, &nodes, source, &good));
  if (good) PetscCall(NsMatricesTakeNodes(settings, fe, &nodes, source, &good));
  source->clamped = good && source->mesh.nodes < nodes.nodes;
  if (good && source->mesh.nodes < 2) {
    NsDiagError(fe->diag, NsMatricesPlace(settings, "stiffness"), "the matrices are of one node: write a body of `type: rigid` and springs");
    good = PETSC_FALSE;
  }
  if (good) PetscCall(NsMatricesTakeSets(settings, fe, &nodes, source, &good));
  if (good) good = NsMatricesCheckMass(settings, fe, source);
  if (good) {
    NsMesh *to = &source->mesh;
    PetscCall(NsMatricesListCouplings(fe, &nodes, source));
    to->shape     = &NsMeshShape_Line2;
    to->from_file = true;
    for (int k = 0; k < 3; k++) {
      PetscReal low = to->x[k], high = low;
      for (PetscInt i = 0; i < to->nodes; i++) low = PetscMin(low, to->x[3 * i + k]), high = PetscMax(high, to->x[3 * i + k]);
      to->length = PetscMax(to->length, high - low);
    }
    NsMatricesCheckUnits(settings, fe, source);
    PetscCall(NsMatricesCheckMotions(settings, fe, source));
    *mesh = to;
  }
  NsNumberedNodesFree(&nodes);
  if (!good) { PetscCall(NsMatricesDestroy(source)); }
  PetscFunctionReturn(0);
}

/* Blocks of one matrix: own[nodes][d, d], and those of couplings where they are not zero, between[elements]. */
static PetscErrorCode take_blocks(NsFe *fe, const NsMatricesSource *source, const NsSparse *matrix, PetscReal *own, const PetscReal **between)
{
  const NsMesh  *mesh = &source->mesh;
  const PetscInt d = source->directions, square = d * d;
  PetscInt      *first;
  PetscReal    **block;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->nodes + 1, &first));
  PetscCall(PetscCalloc1(mesh->elements + 1, &block));
  for (PetscInt e = 0; e < mesh->elements; e++) first[mesh->connection[2 * e] + 1]++;
  for (PetscInt n = 0; n < mesh->nodes; n++) first[n + 1] += first[n];
  for (PetscInt i = 0; i < matrix->rows && matrix->start; i++) {
    const PetscInt node = source->node_of[i], a = source->dofs.item[i].direction - 1;
    for (PetscInt k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
      const PetscInt to = source->node_of[matrix->column[k]], b = source->dofs.item[matrix->column[k]].direction - 1;
      if (to == node) own[node * square + a * d + b] = matrix->value[k];
      if (to <= node || matrix->value[k] == 0) continue;
      PetscInt low = first[node], high = first[node + 1];
      while (high - low > 1) {
        const PetscInt middle = (low + high) / 2;
        if (mesh->connection[2 * middle + 1] > to)
          high = middle;
        else
          low = middle;
      }
      if (!block[low]) block[low] = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)square);
      block[low][a * d + b] = matrix->value[k];
    }
  }
  for (PetscInt e = 0; e < mesh->elements; e++) between[e] = block[e];
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(0);
}

#define NS_LEFT 1e-11 /* of the terms of a sum: what is rounding of the files, and no spring to ground */

/* What the shares of the couplings leave of the nodes' own blocks of K. */
static PetscErrorCode take_rests(const NsFeBody *body, const NsMesh *mesh, const PetscReal *const *between, PetscReal *own)
{
  const PetscInt d = body->node_unknowns, square = d * d;
  PetscReal     *size, share[NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)mesh->nodes * (size_t)square, &size));
  for (PetscInt i = 0; i < mesh->nodes * square; i++) size[i] = PetscAbsReal(own[i]);
  for (PetscInt e = 0; e < mesh->elements; e++) {
    for (int end = 0; end < 2 && between[e]; end++) {
      const PetscInt at = mesh->connection[2 * e + end] * square;
      NsCouplingShare(body, between[e], end, share);
      for (PetscInt i = 0; i < square; i++) own[at + i] -= share[i], size[at + i] += PetscAbsReal(share[i]);
    }
  }
  for (PetscInt n = 0; n < mesh->nodes; n++) { /* by the largest of the node's block: its entries near zero are rounding of others */
    PetscReal largest = 0;
    for (PetscInt i = 0; i < square; i++) largest = PetscMax(largest, size[n * square + i]);
    for (PetscInt i = 0; i < square; i++) {
      const PetscBool rotations = body->turns[i / d] && body->turns[i % d];
      if (!rotations && PetscAbsReal(own[n * square + i]) <= NS_LEFT * largest) own[n * square + i] = 0;
    }
  }
  PetscCall(PetscFree(size));
  PetscFunctionReturn(0);
}

static void take_state(const NsMatricesSettings *settings, NsFeBody *body)
{
  body->reduce = settings->reduce;
  if (settings->damping && settings->damping->rayleigh) {
    body->damping_mass      = settings->damping->rayleigh->mass;
    body->damping_stiffness = settings->damping->rayleigh->stiffness;
  }
  for (int k = 0; settings->initial && k < 3; k++) {
    body->velocity[k]     = settings->initial->velocity[k];
    body->displacement[k] = settings->initial->displacement[k];
  }
}

/* DOF that the matrices lack. */
static void find_absent(NsFe *fe, const NsMatricesSource *source, NsFeBody *body)
{
  const PetscInt d = source->directions, n = d * source->mesh.nodes;
  PetscBool     *absent = NsArenaAlloc(fe->arena, sizeof(*absent) * (size_t)n);

  for (PetscInt i = 0; i < n; i++) absent[i] = PETSC_TRUE;
  for (PetscInt i = 0; i < source->dofs.count; i++) absent[source->node_of[i] * d + source->dofs.item[i].direction - 1] = PETSC_FALSE;
  body->absent = source->dofs.count < n ? absent : NULL;
}

static PetscErrorCode find_bounds(const NsMatricesSettings *settings, NsFe *fe, const NsMatricesSource *source, const PetscReal *own, NsFeBody *body)
{
  const PetscInt  d      = source->directions;
  NsMatrixBounds *bounds = NsArenaAlloc(fe->arena, sizeof(*bounds));
  PetscReal      *mass   = NsArenaAlloc(fe->arena, sizeof(*mass) * (size_t)(d * source->mesh.nodes));

  PetscFunctionBegin;
  PetscCall(NsMatrixFindBounds(
    &source->matrix[NS_MATRIX_M], &source->matrix[NS_MATRIX_C], &source->matrix[NS_MATRIX_G], &source->matrix[NS_MATRIX_K], bounds));
  if (bounds->share == 0) {
    NsDiagError(fe->diag, NsMatricesPlace(settings, "mass"), "the mass matrix of '%s' is not positive definite, though its diagonal is", body->name);
    NsDiagNote(fe->diag, "are `stiffness` and `mass` exchanged, or is `unknowns` that of another deck?");
  }
  for (PetscInt i = 0; i < d * source->mesh.nodes; i++) {
    const PetscReal value = own[i / d * d * d + i % d * (d + 1)];
    mass[i]               = value > 0 ? value : 1; /* 1: of a DOF that is absent, and so held */
  }
  body->bounds    = bounds;
  body->node_mass = mass;
  body->lumped    = bounds->share == 1;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsBodyBuild_Matrices(const void *data, NsFe *fe, NsFeBody *body)
{
  const NsMatricesSettings *settings = data;
  NsMatricesSource         *source   = (NsMatricesSource *)body->mesh;
  const NsMesh             *mesh     = body->mesh;
  const PetscInt            d = source->directions, square = d * d;
  const NsSparse           *matrix = source->matrix;
  const PetscReal         **between[NS_MATRICES];
  PetscReal                *own[NS_MATRICES];
  NsCouplingRest           *rest  = NsArenaAlloc(fe->arena, sizeof(*rest) * (size_t)mesh->nodes);
  PetscBool                *given = NsArenaAlloc(fe->arena, sizeof(*given) * (size_t)mesh->nodes);

  PetscFunctionBegin;
  body->node_unknowns = d;
  for (PetscInt a = 0; a < d; a++) {
    body->direction[a][a % 3] = 1;
    body->turns[a]            = a >= 3;
  }
  take_state(settings, body);
  find_absent(fe, source, body);
  for (int m = 0; m < NS_MATRICES; m++) {
    own[m] = NsArenaAlloc(fe->arena, sizeof(**own) * (size_t)(mesh->nodes * square));
    PetscCall(PetscMalloc1(mesh->elements, &between[m]));
    PetscCall(take_blocks(fe, source, &matrix[m], own[m], between[m]));
  }
  PetscCall(find_bounds(settings, fe, source, own[NS_MATRIX_M], body));
  PetscCall(take_rests(body, mesh, between[NS_MATRIX_K], own[NS_MATRIX_K]));
  body->damped_by_matrix     = matrix[NS_MATRIX_C].start != NULL;
  body->turns_by_matrix      = matrix[NS_MATRIX_G].start != NULL;
  body->circulates_by_matrix = matrix[NS_MATRIX_N].start != NULL;
  fe->circulates             = fe->circulates || body->circulates_by_matrix;
  for (PetscInt i = 0; i < mesh->nodes; i++) {
    const PetscReal *of[NS_MATRICES];
    for (int m = 0; m < NS_MATRICES; m++) of[m] = matrix[m].start ? own[m] + i * square : NULL;
    rest[i] = (NsCouplingRest){.K = of[NS_MATRIX_K], .M = of[NS_MATRIX_M], .C = of[NS_MATRIX_C], .G = of[NS_MATRIX_G], .N = of[NS_MATRIX_N]};
  }
  for (PetscInt e = 0; e < mesh->elements; e++) {
    NsCoupling *coupling = fe->element[body->first_element + e].data;
    *coupling            = (NsCoupling){.K = between[NS_MATRIX_K][e],
                 .M                        = between[NS_MATRIX_M][e],
                 .C                        = between[NS_MATRIX_C][e],
                 .G                        = between[NS_MATRIX_G][e],
                 .N                        = between[NS_MATRIX_N][e],
                 .drawn                    = source->drawn[e]};
    for (int end = 0; end < 2; end++) {
      const PetscInt node = mesh->connection[2 * e + end];
      if (!given[node]) coupling->rest[end] = &rest[node];
      given[node] = PETSC_TRUE;
    }
  }
  for (int m = 0; m < NS_MATRICES; m++) PetscCall(PetscFree(between[m]));
  PetscCall(NsMatricesDestroy(source));
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Matrices = {
  .name  = "matrices",
  .title = "elastic body given by its mass and stiffness matrices",
  .about =
    "Matrices of another finite-element program: Matrix Market, CalculiX (*FREQUENCY, SOLVER=MATRIXSTORAGE, GLOBAL=YES writes .sti, .mas and .dof), Abaqus (*MATRIX OUTPUT, FORMAT=MATRIX INPUT) or\n"
    "Ansys (HBMAT), with the nodes of the deck. DOF constrained in the deck stay fixed. NAME.all are all nodes; sets of the deck (*NSET) and names by numbers are subsets. The body is held, loaded, joined by springs,\n"
    "and touches surfaces like any other one; explicit schemes also work with a consistent mass matrix, but are slower.",
  .table = &matrices_table,
};
const NsBodyType NsBodyType_Matrices = {.variant = &NsBodyVariant_Matrices,
  .element                                       = &NsElementType_Coupling,
  .mesh                                          = NsBodyMesh_Matrices,
  .build                                         = NsBodyBuild_Matrices};
