#include "beam_matrices.h"

enum { N = NS_BEAM_UNKNOWNS, POINTS = 5 };

/* Gauss's rule on [0, 1], exact to degree 9. Degree 8 is what a linear taper of any shape needs: mass A (2) times w^2 (6), rotary inertia I (4) times
   r^2 (4), stiffness I (4) times r'^2 (2). */
static const PetscReal gauss_point[POINTS]  = {0.046910077030668004, 0.23076534494715846, 0.5, 0.76923465505284154, 0.953089922969332};
static const PetscReal gauss_weight[POINTS] = {
  0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454};

/* Unknowns of plane bending: displacement, rotation of the first node, then of the second; in plane 1-3 the rotations count negative. */
static const int       unknown_2[4] = {1, 5, 7, 11}, unknown_3[4] = {2, 4, 8, 10};
static const PetscReal sign_3[4] = {1, -1, 1, -1};

typedef struct {
  PetscReal w[4], slope[4], rotation[4], curvature[4], shear[4];
} Bending;

static void bending_functions(PetscReal l, const PetscReal shear[4], PetscReal x, Bending *b)
{
  const PetscReal y            = 1 - x;
  const PetscReal w[4]         = {y * y * (1 + 2 * x), l * x * y * y, x * x * (3 - 2 * x), -l * x * x * y};
  const PetscReal slope[4]     = {-6 * x * y / l, y * (1 - 3 * x), 6 * x * y / l, x * (3 * x - 2)};
  const PetscReal curvature[4] = {6 * (x - y) / (l * l), (6 * x - 4) / l, 6 * (y - x) / (l * l), (6 * x - 2) / l};

  for (int i = 0; i < 4; i++) {
    b->w[i]         = w[i] + shear[i] * l * x * y * (y - x);
    b->slope[i]     = slope[i] + shear[i] * (1 - 6 * x * y);
    b->rotation[i]  = slope[i] - shear[i] * 6 * x * y;
    b->curvature[i] = curvature[i] + shear[i] * 6 * (x - y) / l;
    b->shear[i]     = shear[i];
  }
}

/* A += factor a a' on four unknowns; the order of the products keeps A symmetric to the last digit. */
static void add_bending(PetscReal *A, PetscReal factor, const PetscReal a[4], const int unknown[4], const PetscReal *sign)
{
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) A[unknown[i] * N + unknown[j]] += factor * (a[i] * a[j]) * (sign ? sign[i] * sign[j] : 1);
  }
}

/* A += factor a a' with a = (a_first, a_second) on the unknown k of both nodes. */
static void add_pair(PetscReal *A, PetscReal factor, PetscReal first, PetscReal second, int k)
{
  A[k * N + k] += factor * (first * first);
  A[k * N + k + 6] += factor * (first * second);
  A[(k + 6) * N + k] += factor * (first * second);
  A[(k + 6) * N + k + 6] += factor * (second * second);
}

/* G += factor (r2 r3' - r3 r2'), where r2 is minus the slope without shear of plane 1-3. */
static void add_gyroscopic(PetscReal *G, PetscReal factor, const PetscReal rotation_2[4], const PetscReal rotation_3[4])
{
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      const PetscReal value = -factor * sign_3[i] * rotation_3[i] * rotation_2[j];
      G[unknown_3[i] * N + unknown_2[j]] += value;
      G[unknown_2[j] * N + unknown_3[i]] -= value;
    }
  }
}

static void add_stiffness(NsBeamMatrices *beam, const NsProperty *p, PetscReal weight, const Bending *b2, const Bending *b3)
{
  PetscReal *K = beam->stiffness, shear = weight * p->shear_factor * p->shear_modulus * p->area;

  add_pair(K, weight * p->young * p->area, -1 / beam->length, 1 / beam->length, 0);
  add_pair(K, weight * p->shear_modulus * p->torsion, -1 / beam->length, 1 / beam->length, 3);
  add_bending(K, weight * p->young * p->inertia_3, b2->curvature, unknown_2, NULL);
  add_bending(K, weight * p->young * p->inertia_2, b3->curvature, unknown_3, sign_3);
  add_bending(K, shear, b2->shear, unknown_2, NULL);
  add_bending(K, shear, b3->shear, unknown_3, sign_3);
  add_bending(K, weight * beam->axial_force, b2->slope, unknown_2, NULL);
  add_bending(K, weight * beam->axial_force, b3->slope, unknown_3, sign_3);
}

static void add_consistent(
  NsBeamMatrices *beam, const NsProperty *p, NsBeamTheory theory, PetscReal weight, PetscReal x, const Bending *b2, const Bending *b3)
{
  const PetscReal mass = weight * p->density * p->area, tilt_2 = weight * p->density * p->inertia_2, tilt_3 = weight * p->density * p->inertia_3;

  add_pair(beam->mass, mass, 1 - x, x, 0);
  add_pair(beam->mass, tilt_2 + tilt_3, 1 - x, x, 3);
  add_bending(beam->mass, mass, b2->w, unknown_2, NULL);
  add_bending(beam->mass, mass, b3->w, unknown_3, sign_3);
  if (theory.rotary) {
    add_bending(beam->mass, tilt_3, b2->rotation, unknown_2, NULL);
    add_bending(beam->mass, tilt_2, b3->rotation, unknown_3, sign_3);
  }
  if (theory.gyroscopic) add_gyroscopic(beam->gyroscopic, tilt_2 + tilt_3, b2->rotation, b3->rotation);
}

static void add_lumped(NsBeamMatrices *beam, const NsProperty *p, NsBeamTheory theory, PetscReal weight, PetscReal x)
{
  for (int node = 0; node < 2; node++) {
    const PetscReal share = weight * p->density * (node ? x : 1 - x), mass = share * p->area, polar = share * (p->inertia_2 + p->inertia_3);
    PetscReal      *M = beam->mass + 6 * node * (N + 1), *G = beam->gyroscopic + 6 * node * (N + 1); /* the node's block */
    for (int k = 0; k < 3; k++) M[k * N + k] += mass;
    M[3 * N + 3] += polar;
    for (int k = 4; k < 6; k++) M[k * N + k] += mass * beam->length * beam->length / 12; /* of a rod of length l about its middle, half at each end */
    if (theory.rotary) {
      M[4 * N + 4] += share * p->inertia_2;
      M[5 * N + 5] += share * p->inertia_3;
    }
    if (theory.gyroscopic) {
      G[4 * N + 5] += polar;
      G[5 * N + 4] -= polar;
    }
  }
}

/* Shear angles of both planes: b and c of the header. */
static void set_shear(const NsProperty *start, const NsProperty *end, NsBeamMatrices *beam)
{
  static const PetscReal none[4] = {0};
  PetscReal              bb[2] = {0}, kGA = 0, bc[2][4] = {{0}};

  for (int g = 0; g < POINTS; g++) {
    const PetscReal x = gauss_point[g], weight = gauss_weight[g] * beam->length, b = (12 * x - 6) / beam->length;
    NsProperty      p;
    Bending         hermite;
    NsPropertyBetween(start, end, x, &p);
    bending_functions(beam->length, none, x, &hermite);
    const PetscReal EI[2] = {p.young * p.inertia_3, p.young * p.inertia_2};
    for (int plane = 0; plane < 2; plane++) {
      bb[plane] += weight * EI[plane] * b * b;
      for (int i = 0; i < 4; i++) bc[plane][i] += weight * EI[plane] * b * hermite.curvature[i];
    }
    kGA += weight * p.shear_factor * p.shear_modulus * p.area;
  }
  beam->phi_2 = bb[0] / kGA;
  beam->phi_3 = bb[1] / kGA;
  for (int i = 0; i < 4; i++) {
    beam->shear_2[i] = -bc[0][i] / (bb[0] + kGA);
    beam->shear_3[i] = -bc[1][i] / (bb[1] + kGA);
  }
}

void NsBeamMatricesMake(const NsProperty *start, const NsProperty *end, PetscReal length, NsBeamTheory theory, NsBeamMatrices *beam)
{
  *beam = (NsBeamMatrices){.length = length, .axial_force = theory.axial_force};
  if (theory.shear) set_shear(start, end, beam);
  for (int g = 0; g < POINTS; g++) {
    const PetscReal x = gauss_point[g], weight = gauss_weight[g] * length;
    NsProperty      p;
    Bending         b2, b3;
    NsPropertyBetween(start, end, x, &p);
    bending_functions(length, beam->shear_2, x, &b2);
    bending_functions(length, beam->shear_3, x, &b3);
    add_stiffness(beam, &p, weight, &b2, &b3);
    if (theory.lumped) {
      add_lumped(beam, &p, theory, weight, x);
    } else {
      add_consistent(beam, &p, theory, weight, x, &b2, &b3);
    }
  }
}

void NsBeamShape(const NsBeamMatrices *beam, PetscReal fraction, PetscReal shape[6][NS_BEAM_UNKNOWNS])
{
  Bending b2, b3;

  bending_functions(beam->length, beam->shear_2, fraction, &b2);
  bending_functions(beam->length, beam->shear_3, fraction, &b3);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < N; j++) shape[i][j] = 0;
  }
  shape[0][0] = shape[3][3] = 1 - fraction;
  shape[0][6] = shape[3][9] = fraction;
  for (int i = 0; i < 4; i++) {
    shape[1][unknown_2[i]] = b2.w[i];
    shape[5][unknown_2[i]] = b2.rotation[i];
    shape[2][unknown_3[i]] = sign_3[i] * b3.w[i];
    shape[4][unknown_3[i]] = -sign_3[i] * b3.rotation[i];
  }
}

/* What is left of u in a frame that moves and twists with the first node and turns with the chord, whose slopes are w2', w3'. */
static void strain_part(const NsBeamMatrices *beam, const PetscReal u[N], PetscReal d[N], PetscReal slope[2])
{
  for (int k = 0; k < 2; k++) slope[k] = (u[7 + k] - u[1 + k]) / beam->length;
  for (int i = 0; i < N; i++) d[i] = 0;
  d[6] = u[6] - u[0];
  d[9] = u[9] - u[3];
  for (int node = 0; node < 12; node += 6) {
    d[node + 4] = u[node + 4] + slope[1];
    d[node + 5] = u[node + 5] - slope[0];
  }
}

static PetscReal row_times(const NsBeamMatrices *beam, int row, const PetscReal d[N])
{
  PetscReal sum = 0;

  for (int j = 0; j < N; j++) sum += beam->stiffness[row * N + j] * d[j];
  return sum;
}

/* K (rigid part of u) is what P does on a chord that has turned: P slope at the second node, -P slope at the first, and no moments. */
void NsBeamForces(const NsBeamMatrices *beam, const PetscReal u[N], PetscReal fraction, PetscReal force[6])
{
  PetscReal d[N], slope[2];

  strain_part(beam, u, d, slope);
  for (int k = 0; k < 4; k++) force[k] = row_times(beam, 6 + k, d);
  force[0] += beam->axial_force;
  force[1] += beam->axial_force * slope[0];
  force[2] += beam->axial_force * slope[1];
  for (int k = 4; k < 6; k++) force[k] = fraction * row_times(beam, 6 + k, d) - (1 - fraction) * row_times(beam, k, d);
}

/* u'Ku = d'Kd + P l slope^2: the mixed term is P slope times what d moves at the ends across the chord, which is nothing. */
PetscReal NsBeamEnergy(const NsBeamMatrices *beam, const PetscReal u[N])
{
  PetscReal d[N], slope[2], energy;

  strain_part(beam, u, d, slope);
  energy = beam->axial_force * beam->length * (slope[0] * slope[0] + slope[1] * slope[1]);
  for (int i = 0; i < N; i++) energy += d[i] * row_times(beam, i, d);
  return energy / 2;
}
