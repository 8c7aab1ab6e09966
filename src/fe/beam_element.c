/*
  The beam element among the unknowns of its body: src/fe/beam_matrices.h has its matrices in its own frame; here they are taken to the directions of the
  body's unknowns, whichever of the six motions of a node those are (planar beams have three, rotors four to six).

      X_body = B' X B,    B[motion][unknown] = e_motion . direction     where both are displacements, or both rotations
*/
#include "line_body.h"

const char *const NsTheoryChoices[] = {"timoshenko", "euler_bernoulli", NULL};
const char *const NsRotaryChoices[] = {"by_theory", "yes", "no", NULL};

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
  const PetscReal in_plane[3] = {-e->axis[1], e->axis[0], 0};

  if (!body->is_rotor) return NsBeamFrame(e->axis, body->planar ? in_plane : body->orientation, frame);
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
  into_body(body, e, e->beam->mass, M);
}

static void beam_stiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *K)
{
  into_body(body, e, e->beam->stiffness, K);
}

static void beam_gyroscopic(const NsFeBody *body, const NsFeElement *e, PetscReal *G)
{
  into_body(body, e, e->beam->gyroscopic, G);
}

static void beam_shape(const NsFeBody *body, const NsFeElement *e, PetscReal fraction, PetscReal (*move)[3], PetscReal (*turn)[3])
{
  const PetscInt d = body->node_unknowns;
  PetscReal      B[6][NS_NODE_UNKNOWNS], frame[3][3], N[6][NS_BEAM_UNKNOWNS];

  directions(body, e, frame, B);
  NsBeamShape(e->beam, fraction, N);
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

/* The element's motions in its own frame. */
static void own_motion(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, PetscReal u[NS_BEAM_UNKNOWNS])
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

  own_motion(body, e, q, u);
  return NsBeamEnergy(e->beam, u);
}

static void beam_forces(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, PetscReal fraction, PetscReal f[6])
{
  PetscReal u[NS_BEAM_UNKNOWNS];

  own_motion(body, e, q, u);
  NsBeamForces(e->beam, u, fraction, f);
}

const NsElementType NsElementType_Beam = {
  .name       = "beam",
  .mass       = beam_mass,
  .stiffness  = beam_stiffness,
  .gyroscopic = beam_gyroscopic,
  .shape      = beam_shape,
  .energy     = beam_energy,
  .forces     = beam_forces,
};

/*
  Elements that are alike share their matrices: those that follow each other, and those of the directions of a lattice, which take turns. Lengths that agree
  but for the rounding of coordinates (`extent` is the largest) become the same, as they do among bars.
*/
#define NS_ALIKE 16

static const NsBeamMatrices *matrices_of(NsFe *fe, const NsFeBody *body, NsFeElement *e, PetscReal extent, PetscInt *count, NsFeElement *like[])
{
  NsBeamMatrices *beam;

  for (PetscInt k = 0; k < PetscMin(*count, NS_ALIKE); k++) {
    const NsFeElement *other = like[k];
    if (other->property[0] != e->property[0] || other->property[1] != e->property[1]) continue;
    if (PetscAbsReal(other->length - e->length) > 8 * PETSC_MACHINE_EPSILON * extent) continue;
    e->length = other->length;
    return other->beam;
  }
  beam = NsArenaAlloc(fe->arena, sizeof(*beam));
  NsBeamMatricesMake(e->property[0], e->property[1], e->length, body->theory, beam);
  like[(*count)++ % NS_ALIKE] = e; /* in the place of the oldest */
  return beam;
}

void NsBeamElements(const NsLineBodySettings *settings, NsFe *fe, NsFeBody *body)
{
  NsFeElement *like[NS_ALIKE];
  PetscInt     alike  = 0;
  PetscReal    extent = 0;

  body->element    = &NsElementType_Beam;
  body->weightless = !settings->weight;
  body->gyroscopic = settings->gyroscopic;
  body->theory     = (NsBeamTheory){.shear = settings->theory == 0,
        .rotary                            = settings->rotary_inertia == 1 || (settings->rotary_inertia == 0 && settings->theory == 0),
        .gyroscopic                        = settings->gyroscopic,
        .axial_force                       = settings->axial_force,
        .lumped                            = body->lumped};
  for (PetscInt i = 0; i < 3 * body->mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(body->mesh->x[i]));
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    NsFeElement      *e = &fe->element[body->first_element + i];
    const NsProperty *p = e->property[0];
    if (p->section->area > 0 || e->property[1]->section->area > 0) {
      NsDiagError(fe->diag, p->section->where->place, "a beam bends, but a section given by its area alone has no second moments of area");
      NsDiagNote(fe->diag, "give a shape (circle, tube, rectangle) or `constants`");
      return;
    }
    e->beam = matrices_of(fe, body, e, extent, &alike, like);
  }
}
