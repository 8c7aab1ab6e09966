/*
  The beam element among the unknowns of its body: src/fe/elements/beam_matrices.h has its matrices in its own frame; here they are taken to the directions of the
  body's unknowns, whichever of the six motions of a node those are (planar beams have three, rotors four to six).

      X_body = B' X B,    B[motion][unknown] = e_motion . direction     where both are displacements, or both rotations
*/
#include "beam.h"
#include "fe/model/fe.h"

static const NsBeamMatrices *beam_of(const NsFeElement *e)
{
  return ((const NsBeamElement *)e->data)->matrices;
}

PetscBool NsBeamFrame(const PetscReal axis[3], const PetscReal *orientation, PetscReal frame[3][3])
{
  PetscReal along = 0, length = 0, e[3] = {0, 0, 0}, size = 0;

  for (int k = 0; k < 3; k++) {
    if (orientation) e[k] = orientation[k];
    size = PetscMax(size, PetscAbsReal(e[k]));
  }
  if (size == 0) { /* the coordinate axis after the one the beam is nearest to: y for beams along x */
    int nearest = 0;
    for (int k = 1; k < 3; k++) {
      if (PetscAbsReal(axis[k]) > PetscAbsReal(axis[nearest]) + 1e-12) nearest = k;
    }
    e[(nearest + 1) % 3] = size = 1;
  }
  for (int k = 0; k < 3; k++) along += (e[k] /= size) * axis[k];
  for (int k = 0; k < 3; k++) {
    frame[0][k] = axis[k];
    frame[1][k] = e[k] - along * axis[k];
    length += PetscSqr(frame[1][k]);
  }
  length = PetscSqrtReal(length);
  if (length < 1e-6) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) frame[1][k] /= length;
  for (int k = 0; k < 3; k++) frame[2][k] = frame[0][(k + 1) % 3] * frame[1][(k + 2) % 3] - frame[0][(k + 2) % 3] * frame[1][(k + 1) % 3];
  return PETSC_TRUE;
}

PetscBool NsFeBeamAxes(const NsFeBody *body, const NsFeElement *e, PetscReal frame[3][3])
{
  const PetscReal *axis = NsLine(e)->axis, in_plane[3] = {-axis[1], axis[0], 0};

  if (!body->is_rotor) return NsBeamFrame(axis, body->planar ? in_plane : body->orientation, frame);
  for (int i = 0; i < 9; i++) frame[i / 3][i % 3] = body->frame[i / 3][i % 3];
  return PETSC_TRUE;
}

/* B[6][node_unknowns] of one node. */
static void directions(const NsFeBody *body, const NsFeElement *e, PetscReal frame[3][3], PetscReal B[6][NS_NODE_UNKNOWNS])
{
  (void)NsFeBeamAxes(body, e, frame); /* tried when the body was built */
  for (int m = 0; m < 6; m++) {
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscReal *x = frame[m % 3], *d = body->direction[a];
      B[m][a] = body->turns[a] == (m >= 3) ? x[0] * d[0] + x[1] * d[1] + x[2] * d[2] : 0;
    }
  }
}

static void into_body(const NsFeBody *body, const NsFeElement *e, const PetscReal *X, PetscReal *Y)
{
  const PetscInt d = body->node_unknowns, n = 2 * d;
  PetscReal      B[6][NS_NODE_UNKNOWNS], frame[3][3], XB[12 * NS_ELEMENT_UNKNOWNS];

  directions(body, e, frame, B);
  for (int m = 0; m < 12; m++) {
    for (PetscInt j = 0; j < n; j++) {
      XB[m * n + j] = 0;
      for (int k = 0; k < 6; k++) XB[m * n + j] += X[12 * m + 6 * (j / d) + k] * B[k][j % d];
    }
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      Y[i * n + j] = 0;
      for (int k = 0; k < 6; k++) Y[i * n + j] += B[k][i % d] * XB[(6 * (i / d) + k) * n + j];
    }
  }
}

static void beam_mass(const NsFeBody *body, const NsFeElement *e, PetscReal *M)
{
  into_body(body, e, beam_of(e)->mass, M);
}

static void beam_stiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *K)
{
  into_body(body, e, beam_of(e)->stiffness, K);
}

static void beam_gyroscopic(const NsFeBody *body, const NsFeElement *e, PetscReal *G)
{
  into_body(body, e, beam_of(e)->gyroscopic, G);
}

static void beam_shape(const NsFeBody *body, const NsFeElement *e, const PetscReal xi[3], PetscReal (*move)[3], PetscReal (*turn)[3])
{
  const PetscInt d = body->node_unknowns;
  PetscReal      B[6][NS_NODE_UNKNOWNS], frame[3][3], N[6][NS_BEAM_UNKNOWNS];

  directions(body, e, frame, B);
  NsBeamShape(beam_of(e), xi[0], N);
  for (PetscInt j = 0; j < 2 * d; j++) {
    for (int k = 0; k < 3; k++) move[j][k] = turn[j][k] = 0;
    for (int m = 0; m < 3; m++) {
      PetscReal displacement = 0, rotation = 0;
      for (int i = 0; i < 6; i++) {
        displacement += N[m][6 * (j / d) + i] * B[i][j % d];
        rotation += N[3 + m][6 * (j / d) + i] * B[i][j % d];
      }
      for (int k = 0; k < 3; k++) {
        move[j][k] += displacement * frame[m][k];
        turn[j][k] += rotation * frame[m][k];
      }
    }
  }
}

void NsFeBeamMotion(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, PetscReal u[NS_BEAM_UNKNOWNS])
{
  const PetscInt d = body->node_unknowns;
  PetscReal      B[6][NS_NODE_UNKNOWNS], frame[3][3];

  directions(body, e, frame, B);
  for (int i = 0; i < 12; i++) {
    u[i] = 0;
    for (PetscInt a = 0; a < d; a++) u[i] += B[i % 6][a] * q[(i / 6) * d + a];
  }
}

static PetscReal beam_energy(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  PetscReal u[NS_BEAM_UNKNOWNS];

  NsFeBeamMotion(body, e, q, u);
  return NsBeamEnergy(beam_of(e), u);
}

static const char *const output_names[] = {"normal_force", "shear_2", "shear_3", "torque", "moment_2", "moment_3", NULL};

static void beam_outputs(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const PetscReal xi[3], PetscReal *value)
{
  PetscReal u[NS_BEAM_UNKNOWNS];

  NsFeBeamMotion(body, e, q, u);
  NsBeamForces(beam_of(e), u, xi[0], value);
}

static void beam_results(
  const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const NsElementLoads *loads, const PetscReal xi[3], NsElementResults *results)
{
  PetscReal f[6], frame[3][3];

  beam_outputs(body, e, q, xi, f);
  if (loads) NsFeBeamLoaded(body, e, loads, xi, f);
  (void)NsFeBeamAxes(body, e, frame);
  *results = (NsElementResults){.normal_force = f[0], .stress = NsLineStress(e, xi[0], f)};
  for (int i = 0; i < 3; i++) {
    for (int m = 0; m < 3; m++) {
      results->section_force[i] += f[m] * frame[m][i];
      results->section_moment[i] += f[3 + m] * frame[m][i];
    }
  }
}

static void beam_twist(const NsFeBody *body, const NsFeElement *e, PetscReal *row)
{
  const PetscInt d = body->node_unknowns;

  for (PetscInt i = 0; i < 2 * d; i++) row[i] = body->turns[i % d] ? (i < d ? -1 : 1) * NsDot3(body->direction[i % d], NsLine(e)->axis) : 0;
}

/* As the mass matrix has it: that of a unit translation along axis 2. */
static PetscReal mass_of(const NsFeBody *body, const NsFeElement *e)
{
  static const int along_2[2] = {1, 7};
  PetscReal        mass       = 0;

  (void)body;
  for (int i = 0; i < 4; i++) mass += beam_of(e)->mass[NS_BEAM_UNKNOWNS * along_2[i / 2] + along_2[i % 2]];
  return mass;
}

static PetscBool alike(const NsFeElement *a, const NsFeElement *b, PetscReal tolerance)
{
  return beam_of(a) == beam_of(b) && NsLineAlike(a, b, tolerance);
}

const NsElementType NsElementType_Beam = {
  .name         = "beam",
  .nodes        = 2,
  .node         = NsLineNodes,
  .edges        = 1,
  .edge         = NsLineEdges,
  .picture      = &NsBentPicture,
  .weights      = NsLineWeights,
  .size         = sizeof(NsBeamElement),
  .bends        = PETSC_TRUE,
  .mass         = beam_mass,
  .stiffness    = beam_stiffness,
  .gyroscopic   = beam_gyroscopic,
  .twist        = beam_twist,
  .shape        = beam_shape,
  .energy       = beam_energy,
  .output_names = output_names,
  .outputs      = beam_outputs,
  .loaded       = NsFeBeamLoaded,
  .results      = beam_results,
  .total_mass   = mass_of,
  .radius       = NsLineRadius,
  .line         = NsLineAxis,
  .alike        = alike,
};
