#include "coupling.h"
#include "fe/matrices/matrices.h"
#include "fe/model/fe.h"
#include "line.h"

static const NsCoupling *coupling_of(const NsFeElement *e)
{
  return e->data;
}

void NsCouplingShare(const NsFeBody *body, const PetscReal *B, int end, PetscReal *own)
{
  const PetscInt d = body->node_unknowns;

  for (PetscInt a = 0; a < d; a++) {
    for (PetscInt b = 0; b < d; b++) {
      const PetscBool rotation_a = body->turns[a], rotation_b = body->turns[b];
      const PetscReal ab = end ? B[b * d + a] : B[a * d + b], ba = end ? B[a * d + b] : B[b * d + a]; /* of B or B' */
      own[a * d + b] = rotation_a && rotation_b ? 0 : rotation_a ? -ab : rotation_b ? -ba : -(ab + ba) / 2;
    }
  }
}

/* X[2 d, 2 d] += the block B and sign B', and what is left of the nodes. */
static void add_parts(PetscInt d, PetscReal sign, const PetscReal *B, const PetscReal *first, const PetscReal *second, PetscReal *X)
{
  const PetscInt n = 2 * d;

  for (PetscInt a = 0; a < d; a++) {
    for (PetscInt b = 0; b < d; b++) {
      if (B) {
        X[a * n + d + b] += B[a * d + b];
        X[(d + b) * n + a] += sign * B[a * d + b];
      }
      if (first) X[a * n + b] += first[a * d + b];
      if (second) X[(d + a) * n + d + b] += second[a * d + b];
    }
  }
}

static void add_blocks(PetscInt d, const PetscReal *B, const PetscReal *first, const PetscReal *second, PetscReal *X)
{
  add_parts(d, 1, B, first, second, X);
}

static void coupling_mass(const NsFeBody *body, const NsFeElement *e, PetscReal *M)
{
  const NsCoupling *own = coupling_of(e);
  const PetscInt    d   = body->node_unknowns;

  for (PetscInt i = 0; i < 4 * d * d; i++) M[i] = 0;
  add_blocks(d, own->M, own->rest[0] ? own->rest[0]->M : NULL, own->rest[1] ? own->rest[1]->M : NULL, M);
}

static void coupling_damping(const NsFeBody *body, const NsFeElement *e, PetscReal *C)
{
  const NsCoupling *own = coupling_of(e);
  const PetscInt    d   = body->node_unknowns;

  for (PetscInt i = 0; i < 4 * d * d; i++) C[i] = 0;
  add_blocks(d, own->C, own->rest[0] ? own->rest[0]->C : NULL, own->rest[1] ? own->rest[1]->C : NULL, C);
}

static void coupling_skew(const NsFeBody *body, const NsFeElement *e, PetscBool of_velocities, PetscReal *X)
{
  const NsCoupling *own = coupling_of(e);
  const PetscInt    d   = body->node_unknowns;
  const PetscReal  *rest[2];

  for (int end = 0; end < 2; end++) rest[end] = !own->rest[end] ? NULL : of_velocities ? own->rest[end]->G : own->rest[end]->N;
  for (PetscInt i = 0; i < 4 * d * d; i++) X[i] = 0;
  add_parts(d, -1, of_velocities ? own->G : own->N, rest[0], rest[1], X);
}

static void coupling_stiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *K)
{
  const NsCoupling *own = coupling_of(e);
  const PetscInt    d = body->node_unknowns, n = 2 * d;
  PetscReal         share[NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS];

  for (PetscInt i = 0; i < n * n; i++) K[i] = 0;
  add_blocks(d, own->K, own->rest[0] ? own->rest[0]->K : NULL, own->rest[1] ? own->rest[1]->K : NULL, K);
  for (int end = 0; end < 2 && own->K; end++) {
    NsCouplingShare(body, own->K, end, share);
    add_blocks(d, NULL, end ? NULL : share, end ? share : NULL, K);
  }
}

/*
  For bounds: diagonal matrices that are never below the part of the body's mass that is certain, and never above it in frequency. One for each node suffices where something is attached to it.
*/
static void coupling_cell(const NsFeBody *body, const NsFeElement *e, PetscReal *M, PetscReal *C, PetscReal *K)
{
  const NsMatrixBounds *bounds = body->bounds;
  const PetscInt        d = body->node_unknowns, n = 2 * d;

  for (PetscInt i = 0; i < n * n; i++) M[i] = C[i] = K[i] = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *mass = body->node_mass + (e->node[i / d] - body->first_node) * d;
    M[i * (n + 1)]        = bounds->share * mass[i % d];
    K[i * (n + 1)]        = PetscSqr(bounds->omega) * M[i * (n + 1)];
    C[i * (n + 1)]        = bounds->damping_rate * M[i * (n + 1)];
  }
}

static void coupling_shape(const NsFeBody *body, const NsFeElement *e, const PetscReal xi[3], PetscReal (*move)[3], PetscReal (*turn)[3])
{
  const PetscInt d = body->node_unknowns;

  (void)e;
  for (PetscInt a = 0; a < 2 * d; a++) {
    const PetscReal weight = a < d ? 1 - xi[0] : xi[0];
    for (int k = 0; k < 3; k++) {
      move[a][k] = body->turns[a % d] ? 0 : body->direction[a % d][k] * weight;
      turn[a][k] = body->turns[a % d] ? body->direction[a % d][k] * weight : 0;
    }
  }
}

static PetscReal own_energy(PetscInt d, const NsCouplingRest *rest, const PetscReal *q)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; rest && rest->K && i < d * d; i++) sum += rest->K[i] * q[i / d] * q[i % d];
  return sum / 2;
}

/* With differences of displacements. */
static PetscReal coupling_energy(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  const NsCoupling *own = coupling_of(e);
  const PetscInt    d   = body->node_unknowns;
  const PetscReal  *p   = q + d;
  PetscReal         sum = own_energy(d, own->rest[0], q) + own_energy(d, own->rest[1], p);

  for (PetscInt a = 0; a < d && own->K; a++) {
    for (PetscInt b = 0; b < d; b++) {
      const PetscReal B = own->K[a * d + b];
      if (!body->turns[a] && !body->turns[b])
        sum += (q[a] * (B - own->K[b * d + a]) - (p[a] - q[a]) * B) * (p[b] - q[b]) / 2;
      else if (body->turns[a] && body->turns[b])
        sum += q[a] * B * p[b];
      else
        sum += body->turns[a] ? q[a] * B * (p[b] - q[b]) : (q[a] - p[a]) * B * p[b];
    }
  }
  return sum;
}

#define NS_ROUNDING 1e-12 /* of the terms of the energy: CalculiX writes 14 digits */

static PetscReal coupling_rounding(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  const NsCoupling *own = coupling_of(e);
  const PetscInt    d   = body->node_unknowns;
  const PetscReal  *p   = q + d;
  PetscReal         sum = 0;

  for (PetscInt a = 0; a < d && own->K; a++) {
    for (PetscInt b = 0; b < d; b++) {
      const PetscReal x = body->turns[a] ? PetscAbsReal(q[a]) : PetscAbsReal(p[a] - q[a]) + PetscAbsReal(q[a]),
                      y = body->turns[b] ? p[b] : p[b] - q[b];
      sum += x * PetscAbsReal(own->K[a * d + b] * y);
    }
  }
  return NS_ROUNDING * sum;
}

static void no_outputs(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const PetscReal xi[3], PetscReal *value)
{
  (void)body;
  (void)e;
  (void)q;
  (void)xi;
  (void)value;
}

static void no_results(
  const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const NsElementLoads *loads, const PetscReal xi[3], NsElementResults *results)
{
  (void)loads;
  (void)body;
  (void)e;
  (void)q;
  (void)xi;
  *results = (NsElementResults){.stress = 0};
}

/* Mean over the directions: where some DOF are held these are not alike. */
static PetscReal mass_of(const NsFeBody *body, const NsFeElement *e)
{
  PetscReal      M[4 * NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS], sum = 0;
  const PetscInt d = body->node_unknowns, n = 2 * d;
  PetscInt       moves = 0;

  coupling_mass(body, e, M);
  for (PetscInt a = 0; a < d; a++) {
    if (body->turns[a]) continue;
    moves++;
    sum += M[a * n + a] + M[(d + a) * n + a] + M[a * n + d + a] + M[(d + a) * n + d + a];
  }
  return sum / (PetscReal)moves;
}

static PetscBool is_drawn(const NsFeElement *e)
{
  return coupling_of(e)->drawn;
}

static const char *const output_names[] = {NULL};

const NsElementType NsElementType_Coupling = {
  .name         = "coupling",
  .nodes        = 2,
  .node         = NsLineNodes,
  .edges        = 1,
  .edge         = NsLineEdges,
  .picture      = &NsLinePicture,
  .drawn        = is_drawn,
  .weights      = NsLineWeights,
  .size         = sizeof(NsCoupling),
  .mass         = coupling_mass,
  .stiffness    = coupling_stiffness,
  .damping      = coupling_damping,
  .skew         = coupling_skew,
  .cell         = coupling_cell,
  .shape        = coupling_shape,
  .energy       = coupling_energy,
  .rounding     = coupling_rounding,
  .output_names = output_names,
  .outputs      = no_outputs,
  .results      = no_results,
  .total_mass   = mass_of,
};
