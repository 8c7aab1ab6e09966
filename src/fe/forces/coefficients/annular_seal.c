/*
  Annular seal with turbulent incompressible flow, short solution: H. F. Black, J. Mech. Eng. Sci. 11 (1969); D. W. Childs, J. Lubr. Technol. 105 (1983); friction after G. G. Hirs (1973).

  The fluid enters with the axial velocity V and turns with w = swirl Omega. Seen from axes that turn with it, the clearance h = c - n.r changes with r alone. Without circumferential
  pressure gradients, continuity and axial momentum, linear in the perturbations h1 = -n.r/c of the clearance and W1(z) of V, are

      W1 = W(0) - z h1',    -p1_z/rho = (lambda V^2/c) (B W1/V + (m0 - 1) h1) + W1_t + V W1_z,    p1(0) = -rho a V W(0),    p1(L) = 0

      a = 1 + entrance loss,   B = 1 + (1 + m0)/(1 + u^2),   u = R Omega/(2 V),   lambda = n0 (2 V c rho/mu)^m0 (1 + u^2)^((1 + m0)/2)

  With sigma = lambda L/c, T = L/V, D = a + B sigma and s the rate times T the flow at the entrance is W(0)/(V h1) = w0 + w1 s + w2 s^2 + ..., and the pressure summed up over the seal
  gives the force in these axes, -(K0 r + D0 r' + m r''):

      w0 = sigma (1 - m0)/D,   w1 = (B sigma/2 + 1 - w0)/D,   E = a/(2 D)
      K0 = k E (1 - m0) sigma,   D0 = k T (E - E w0 + B sigma (1/12 + E/2)),   m = k T^2 (1/12 + E/2 - E w1),   k = pi R dp 2 sigma/(lambda (a + 2 sigma))

  For m0 = 0 and B = 2 these are Black's coefficients. The coefficients often quoted after Childs leave out the inertia of the flow at the entrance: the terms E w0 and E w1. Where m is
  negative (sigma below about 0.4) it is left out. In fixed axes:

      k22 = k33 = K0 - m w^2,   k23 = -k32 = w D0,   c22 = c33 = D0,   c23 = -c32 = 2 w m

  V follows from the pressure drop, dp = rho V^2 (a + 2 sigma(V))/2.
*/
#include "coefficients.h"

typedef struct {
  const NsNode *where;
  double        diameter, length, clearance, pressure_drop, density, viscosity, entrance_loss, swirl, friction, exponent;
} Settings;

typedef struct {
  Settings  given;
  PetscReal highest;
} Seal;

/* In axes that turn with the fluid. */
typedef struct {
  PetscReal stiffness, damping, mass, reynolds;
} Flow;

static const NsKey keys[] = {
  {"diameter", NS_KEY_NUMBER, offsetof(Settings, diameter), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", .help = "of the shaft",
    .example = "160 mm"},
  {"length", NS_KEY_NUMBER, offsetof(Settings, length), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "length along the shaft; the theory of short seals holds up to half the diameter", .example = "40 mm"},
  {"clearance", NS_KEY_NUMBER, offsetof(Settings, clearance), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "radial clearance", .example = "0.25 mm"},
  {"pressure_drop", NS_KEY_NUMBER, offsetof(Settings, pressure_drop), .dimension = NS_DIM_PRESSURE, .required = true, .minimum = "0 <",
    .help = "pressure drop along the seal, including the entrance", .example = "2 MPa"},
  {"density", NS_KEY_NUMBER, offsetof(Settings, density), .dimension = NS_DIM_DENSITY, .required = true, .minimum = "0 <", .help = "of the fluid",
    .example = "1000 kg/m^3"},
  {"viscosity", NS_KEY_NUMBER, offsetof(Settings, viscosity), .dimension = {-1, 1, -1, 0}, .required = true, .minimum = "0 <",
    .help = "dynamic viscosity of the fluid; of water 1 mPa s, which is 1 cP", .example = "1 cP"},
  {"entrance_loss", NS_KEY_NUMBER, offsetof(Settings, entrance_loss), .default_value = "0.1", .minimum = "0",
    .help = "loss coefficient of the entrance: pressure loss over density V^2/2", .example = "0.5"},
  {"swirl", NS_KEY_NUMBER, offsetof(Settings, swirl), .default_value = "0.5", .minimum = "0", .maximum = "1",
    .help = "swirl ratio: mean circumferential velocity of the fluid over that of the shaft's surface; smaller with a swirl brake", .example = "0.3"},
  {"friction", NS_KEY_NUMBER, offsetof(Settings, friction), .default_value = "0.079", .minimum = "0 <",
    .help = "factor n0 of Hirs' law of friction: lambda = n0 Re^m0 (1 + u^2)^((1 + m0)/2)", .example = "0.066"},
  {"exponent", NS_KEY_NUMBER, offsetof(Settings, exponent), .default_value = "-0.25", .minimum = "-1 <", .maximum = "0",
    .help = "exponent m0 of Hirs' law of friction", .example = "-0.25"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Settings *seal = settings;

  (void)arena;
  if (seal->clearance >= seal->diameter / 2)
    NsDiagError(diag, NsKeysPlace(seal->where, "clearance"), "the clearance must be less than the radius of the shaft, %g m", seal->diameter / 2);
  else if (seal->length > seal->diameter)
    NsDiagWarning(
      diag, NsKeysPlace(seal->where, "length"), "the seal is longer than its diameter: the theory of short seals overestimates its stiffness");
}
const NsTable NsCoefficientsTable_AnnularSeal = {"annular_seal", "turbulent annular seal", keys, sizeof(Settings), .check = check};

/* ln V by Newton's method: its function is monotone with slopes between 1/2 and 1. */
static Flow flow_at(const Settings *seal, PetscReal spin)
{
  const PetscReal R = seal->diameter / 2, L = seal->length, c = seal->clearance, a = 1 + seal->entrance_loss, m0 = seal->exponent;
  PetscReal       V = PetscSqrtReal(2 * seal->pressure_drop / (seal->density * a)), lambda = 0, sigma = 0, u2 = 0, reynolds = 0;

  for (int i = 0; i < 50; i++) {
    u2                    = PetscSqr(R * spin / (2 * V));
    reynolds              = 2 * V * c * seal->density / seal->viscosity;
    lambda                = seal->friction * PetscPowReal(reynolds, m0) * PetscPowReal(1 + u2, (1 + m0) / 2);
    sigma                 = lambda * L / c;
    const PetscReal rest  = PetscLogReal(seal->density * PetscSqr(V) * (a + 2 * sigma) / (2 * seal->pressure_drop)) / 2;
    const PetscReal slope = 1 + sigma / (a + 2 * sigma) * (m0 - (1 + m0) * u2 / (1 + u2));
    V *= PetscExpReal(-rest / slope);
    if (PetscAbsReal(rest) < 1e-14) break;
  }
  const PetscReal B = 1 + (1 + m0) / (1 + u2), D = a + B * sigma, E = a / (2 * D), T = L / V;
  const PetscReal w0 = sigma * (1 - m0) / D, w1 = (B * sigma / 2 + 1 - w0) / D;
  const PetscReal k = PETSC_PI * R * seal->pressure_drop * 2 * sigma / (lambda * (a + 2 * sigma));
  return (Flow){.stiffness = k * E * (1 - m0) * sigma,
    .damping               = k * T * (E - E * w0 + B * sigma * (1. / 12 + E / 2)),
    .mass                  = PetscMax(0, k * T * T * (1. / 12 + E / 2 - E * w1)),
    .reynolds              = reynolds};
}

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  Seal *self = data;

  *self                    = (Seal){*(const Settings *)settings, highest};
  const PetscReal reynolds = flow_at(&self->given, 0).reynolds;
  if (reynolds < 2000)
    NsDiagWarning(diag, self->given.where->place, "the flow is not turbulent: its Reynolds number, 2 V c density/viscosity, is %.4g", reynolds);
  return PETSC_TRUE;
}

static void at(const void *data, PetscReal spin, PetscReal value[8])
{
  const Settings *seal = &((const Seal *)data)->given;
  const Flow      flow = flow_at(seal, spin);
  const PetscReal w    = seal->swirl * spin;

  value[0] = value[3] = flow.stiffness - flow.mass * w * w;
  value[1]            = w * flow.damping;
  value[2]            = -value[1];
  value[4] = value[7] = flow.damping;
  value[5]            = 2 * w * flow.mass;
  value[6]            = -value[5];
}

static PetscReal room(const void *data)
{
  return ((const Seal *)data)->given.clearance;
}

static PetscReal mass(const void *data)
{
  const Seal *self = data;

  return flow_at(&self->given, self->highest).mass;
}

const NsCoefficients NsCoefficients_AnnularSeal = {.size = sizeof(Seal), .create = create, .at = at, .room = room, .mass = mass};
