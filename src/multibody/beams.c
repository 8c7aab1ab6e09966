/*
  Elastic rods that turn and bend by any angle: nodes with mass and moments of inertia, which are bodies of the model, and between neighbours a beam element of the length h. In the frame R that is
  midway between those of its nodes, R_1 = R exp(-phi), R_2 = R exp(phi):

      gamma = rho - (h, 0, 0),   rho = R'(x_2 - x_1)            strains times h: extension and shear
      theta = 2 phi                                             twist and bending
      V     = sum k_i gamma_i^2/2 + sum K_i theta_i^2/2,        k = (E A/h, s, s),   K = (G J/h, E I/h, E I/h),   1/s = h/(kappa G A) + h^3/(12 E I)

  For small strains this is the stiffness matrix of Timoshenko's beam that is exact for loads at its nodes: s has the flexibility of bending within the element. With angular velocities w_1, w_2 and
  d = w_2 - w_1 in the axes of R, S^-1 = phi/sin(phi) (1 - e e') + e e', e = phi/|phi|, and a = tan(phi/2)/(2 phi):

      theta' = S^-1 d,   w = (w_1 + w_2)/2 - a phi x d,   gamma' = R'(v_2 - v_1) - w x rho
      n_i = k_i (gamma_i + tau gamma_i'),   m_i = K_i (theta_i + tau theta_i'),   c = rho x n,   mu = S^-1 m + a c x phi
      on node 1: force n, moment mu + c/2        on node 2: force -n, moment -mu + c/2

  These are the derivatives of V for any rotation, so that energy, momentum and angular momentum are kept as well as the scheme keeps them. Each element has a floating frame of its own: stiffening by
  normal forces, and shortening by bending, need no further terms, and M stays diagonal and constant.

  Mass: Gregory's weights of order 4 (1/3, 4/3, 1/3 of h for two elements), so that mass, center and moments of inertia of the straight rod are exact and frequencies of bending converge with h^4,
  those of extension with h^2.

  References: J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model, 1986; R. H. MacNeal, A simple quadrilateral shell element, 1978 (residual bending flexibility); G. R. Cowper, The
  shear coefficient in Timoshenko's beam theory, 1966.
*/
#include <string.h>
#include "beams.h"

static const NsKey elastic_keys[] = {
  {"young", NS_KEY_NUMBER, offsetof(NsElasticSettings, young), .dimension = NS_DIM_PRESSURE, .required = true, .minimum = "0 <",
    .help = "Young's modulus", .example = "210 GPa"},
  {"poisson", NS_KEY_NUMBER, offsetof(NsElasticSettings, poisson), .default_value = "0.3", .minimum = "-1 <", .maximum = "0.5",
    .help = "Poisson's ratio, for shear and torsion", .example = "0.3"},
  {"elements", NS_KEY_INTEGER, offsetof(NsElasticSettings, elements), .default_value = "8", .minimum = "2", .maximum = "200",
    .help = "number of beam elements along the rod, an even number", .example = "8"},
  {"damping", NS_KEY_NUMBER, offsetof(NsElasticSettings, damping), .dimension = NS_DIM_TIME, .default_value = "0", .minimum = "0",
    .help    = "internal damping, a time tau: tau times the stiffness; the damping ratio at the angular frequency omega is omega tau/2",
    .example = "1 us"},
  {NULL},
};

static void check_elastic(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsElasticSettings *elastic = settings;

  (void)arena;
  if (elastic->elements % 2)
    NsDiagError(diag, NsKeysPlace(elastic->where, "elements"),
      "an elastic rod needs an even number of elements, so that a node is in its middle: %ld or %ld", PetscMax(elastic->elements - 1, 2),
      elastic->elements + 1);
}

const NsTable NsTable_Elastic = {"elastic_rod", "elasticity of a rod", elastic_keys, sizeof(NsElasticSettings), .check = check_elastic};

PetscInt NsMbBeamNodes(const NsElasticSettings *settings)
{
  return settings ? (PetscInt)settings->elements + 1 : 1;
}

/* ---- set-up ----------------------------------------------------------------------------------------------------------------------------------------------- */

static void set_stiffness(NsMbBeam *beam, const NsElasticSettings *settings, PetscReal radius)
{
  const PetscReal E = settings->young, nu = settings->poisson, G = E / (2 * (1 + nu)), h = beam->length;
  const PetscReal A = PETSC_PI * radius * radius, J = A * radius * radius / 4, kappa = 6 * (1 + nu) / (7 + 6 * nu);

  beam->stiffness[0][0] = E * A / h;
  beam->stiffness[0][1] = beam->stiffness[0][2] = 1 / (h / (kappa * G * A) + h * h * h / (12 * E * J));
  beam->stiffness[1][0]                         = 2 * G * J / h;
  beam->stiffness[1][1] = beam->stiffness[1][2] = E * J / h;
}

/* Gregory's weight of node k of n + 1, n >= 2. */
static PetscReal weight_of(PetscInt k, PetscInt n)
{
  static const PetscReal correction[] = {-1 / 8., 1 / 6., -1 / 24.};
  PetscReal              weight       = k == 0 || k == n ? 0.5 : 1;

  if (k < 3) weight += correction[k];
  if (n - k < 3) weight += correction[n - k];
  return weight;
}

/* Points of the rod that are on this node: those to which no other node is nearer. */
static void take_points(NsMultibody *self, const NsMbBody *rod, const NsMbBeam *beam, PetscInt k, NsMbBody *node)
{
  const PetscReal left = rod->point[1].s[0];

  node->point         = NsArenaAlloc(self->arena, sizeof(*node->point) * (size_t)(rod->points + 1));
  node->points        = 1;
  node->point[0].name = NsArenaPrint(self->arena, "node%d", (int)k);
  for (PetscInt i = 0; i < rod->points; i++) {
    const PetscReal at      = (rod->point[i].s[0] - left) / beam->length;
    const PetscInt  nearest = (PetscInt)PetscMax(0, PetscMin((PetscReal)beam->elements, PetscFloorReal(at + 0.5)));
    if (nearest != k) continue;
    NsBodyPoint *point = &node->point[node->points++];
    *point             = rod->point[i];
    point->s[0] -= left + (PetscReal)k * beam->length;
    if (i < 3) point->s[0] = 0; /* ends and center are nodes: no rounding */
    node->extent = PetscMax(node->extent, NsLength(point->s));
  }
}

void NsMbAddBeam(NsMultibody *self, const NsMbBody *rod, const NsElasticSettings *settings)
{
  NsMbBeam       *beam = &self->beam[self->beams++];
  const PetscInt  n    = (PetscInt)settings->elements;
  const PetscReal left = rod->point[1].s[0];

  *beam = (NsMbBeam){.name = rod->name, .first = self->bodies, .elements = n, .length = -2 * left / (PetscReal)n, .damping = settings->damping};
  set_stiffness(beam, settings, rod->radius);
  for (PetscInt k = 0; k <= n; k++) {
    NsMbBody       *node = &self->body[self->bodies++];
    const PetscReal s[3] = {left + (PetscReal)k * beam->length, 0, 0}, J = PetscSqr(rod->radius) / 4;
    PetscReal       d[3];
    *node         = *rod;
    node->beam    = beam;
    node->rod     = PETSC_FALSE;
    node->extent  = 0;
    node->given_v = rod->given_v && 2 * k == n; /* of the middle */
    node->mass    = rod->mass / (PetscReal)n * weight_of(k, n);
    for (int i = 0; i < 3; i++) node->inertia[i] = (i == 0 ? 2 : 1) * J * node->mass;
    NsTurn(rod->R, s, d);
    for (int i = 0; i < 3; i++) node->x[i] += d[i];
    NsCross(rod->w, s, d);
    PetscReal turned[3];
    NsTurn(rod->R, d, turned);
    for (int i = 0; i < 3; i++) node->v[i] += turned[i];
    take_points(self, rod, beam, k, node);
  }
}

PetscInt NsMbBeamNearest(const NsMultibody *self, const NsMbBeam *beam, const PetscReal x[3])
{
  PetscInt  nearest = beam->first;
  PetscReal least   = PETSC_MAX_REAL;

  for (PetscInt b = beam->first; b <= beam->first + beam->elements; b++) {
    const PetscReal *node = self->body[b].x, d[3] = {x[0] - node[0], x[1] - node[1], x[2] - node[2]};
    if (NsLength(d) >= least * (1 - 1e-9)) continue;
    least   = NsLength(d);
    nearest = b;
  }
  return nearest;
}

/* ---- an element ------------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const NsFrame *node[2];
  PetscReal      R[9], rho[3], phi[3];
  PetscReal      gamma[3], theta[3];
  PetscReal      e[3], ratio, a; /* of S^-1: direction of phi, phi/sin(phi); tan(phi/2)/(2 phi) */
} Shape;

static void shape_of(const NsMultibody *self, const NsMbBeam *beam, PetscInt element, Shape *s)
{
  PetscReal T[9], p[4], r[3], E[9];

  for (int i = 0; i < 2; i++) s->node[i] = &self->frame[beam->first + element + i];
  const PetscReal *A = s->node[0]->R, *B = s->node[1]->R;
  for (int i = 0; i < 3; i++) { /* R_1' R_2 */
    for (int j = 0; j < 3; j++) T[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
  }
  NsMatrixQuaternion(T, p);
  NsQuaternionLog(p, s->theta);
  for (int k = 0; k < 3; k++) s->phi[k] = s->theta[k] / 2;
  NsQuaternionExp(s->phi, p);
  NsQuaternionMatrix(p, E);
  NsProduct(A, E, s->R);
  for (int k = 0; k < 3; k++) r[k] = s->node[1]->x[k] - s->node[0]->x[k];
  NsTurnBack(s->R, r, s->rho);
  for (int k = 0; k < 3; k++) s->gamma[k] = s->rho[k] - (k == 0 ? beam->length : 0);
  const PetscReal angle = NsLength(s->phi), square = angle * angle;
  for (int k = 0; k < 3; k++) s->e[k] = angle > 0 ? s->phi[k] / angle : 0;
  /* series below 0.02: to rounding */
  s->ratio = angle < 0.02 ? 1 + square / 6 * (1 + square * 7 / 60) : angle / sin(angle);
  s->a     = angle < 0.02 ? (1 + square / 12 * (1 + square / 10)) / 4 : tan(angle / 2) / (2 * angle);
}

/* y = S^-1 x; y may be x. */
static void inverse_S(const Shape *s, const PetscReal x[3], PetscReal y[3])
{
  const PetscReal along = (1 - s->ratio) * NsDot(s->e, x);

  for (int k = 0; k < 3; k++) y[k] = s->ratio * x[k] + along * s->e[k];
}

static void rates_of(const Shape *s, PetscReal gamma[3], PetscReal theta[3])
{
  PetscReal sum[3], difference[3], v[3], own[3], w[3], d[3], turned[3];

  for (int k = 0; k < 3; k++) {
    sum[k]        = (s->node[0]->O[k] + s->node[1]->O[k]) / 2;
    difference[k] = s->node[1]->O[k] - s->node[0]->O[k];
    v[k]          = s->node[1]->v[k] - s->node[0]->v[k];
  }
  NsTurnBack(s->R, sum, w);
  NsTurnBack(s->R, difference, d);
  NsTurnBack(s->R, v, own);
  NsCross(s->phi, d, turned);
  for (int k = 0; k < 3; k++) w[k] -= s->a * turned[k];
  NsCross(w, s->rho, turned);
  for (int k = 0; k < 3; k++) gamma[k] = own[k] - turned[k];
  inverse_S(s, d, theta);
}

/* Forces n and moments m in the axes of R. */
static void load_of(const NsMbBeam *beam, const Shape *s, PetscReal n[3], PetscReal m[3])
{
  PetscReal gamma[3] = {0}, theta[3] = {0};

  if (beam->damping > 0) rates_of(s, gamma, theta);
  for (int k = 0; k < 3; k++) {
    n[k] = beam->stiffness[0][k] * (s->gamma[k] + beam->damping * gamma[k]);
    m[k] = beam->stiffness[1][k] * (s->theta[k] + beam->damping * theta[k]);
  }
}

static PetscReal energy_of(const NsMbBeam *beam, const Shape *s)
{
  PetscReal energy = 0;

  for (int k = 0; k < 3; k++) energy += beam->stiffness[0][k] / 2 * PetscSqr(s->gamma[k]) + beam->stiffness[1][k] / 2 * PetscSqr(s->theta[k]);
  return energy;
}

void NsMbBeamForce(const NsMultibody *self, const NsMbBeam *beam, PetscReal *h)
{
  Shape     s;
  PetscReal n[3], m[3], c[3], mu[3], more[3], own[2][3], F[2][3], M[2][3];

  for (PetscInt e = 0; e < beam->elements; e++) {
    shape_of(self, beam, e, &s);
    load_of(beam, &s, n, m);
    NsCross(s.rho, n, c);
    inverse_S(&s, m, mu);
    NsCross(c, s.phi, more);
    for (int k = 0; k < 3; k++) {
      mu[k] += s.a * more[k];
      own[0][k] = mu[k] + c[k] / 2;
      own[1][k] = -mu[k] + c[k] / 2;
    }
    NsTurn(s.R, n, F[0]);
    for (int k = 0; k < 3; k++) F[1][k] = -F[0][k];
    for (int i = 0; i < 2; i++) {
      NsTurn(s.R, own[i], M[i]);
      NsMbPush(self, beam->first + e + i, s.node[i]->x, F[i], M[i], h);
    }
  }
}

PetscReal NsMbBeamElastic(const NsMultibody *self, const NsMbBeam *beam)
{
  PetscReal energy = 0;
  Shape     s;

  for (PetscInt e = 0; e < beam->elements; e++) {
    shape_of(self, beam, e, &s);
    energy += energy_of(beam, &s);
  }
  return energy;
}

void NsMbBeamElement(const NsMultibody *self, const NsMbBeam *beam, PetscInt element, PetscReal *normal_force, PetscReal *energy)
{
  Shape s;

  shape_of(self, beam, element, &s);
  *normal_force = beam->stiffness[0][0] * s.gamma[0];
  *energy       = energy_of(beam, &s);
}

void NsMbBeamRates(const NsMultibody *self, const NsMbBeam *beam, PetscReal *rate)
{
  Shape s;

  for (PetscInt e = 0; e < beam->elements && beam->damping > 0; e++, rate += 6) {
    shape_of(self, beam, e, &s);
    rates_of(&s, rate, rate + 3);
  }
}

PetscReal NsMbBeamDamping(const NsMbBeam *beam, const PetscReal *at_v, const PetscReal *at_w)
{
  PetscReal power = 0;

  for (PetscInt e = 0; e < beam->elements && beam->damping > 0; e++, at_v += 6, at_w += 6) {
    for (int k = 0; k < 3; k++)
      power += beam->damping * (beam->stiffness[0][k] * at_v[k] * at_w[k] + beam->stiffness[1][k] * at_v[3 + k] * at_w[3 + k]);
  }
  return power;
}
