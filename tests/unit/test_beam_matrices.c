/* Matrices of the beam element against closed forms. */
#include "reader.h"
#include <math.h>
#include "fe/elements/beam_matrices.h"

#define PI 3.14159265358979323846

enum { N = NS_BEAM_UNKNOWNS };

static const int       plane_2[4] = {1, 5, 7, 11}, plane_3[4] = {2, 4, 8, 10};
static const PetscReal sign_2[4] = {1, 1, 1, 1}, sign_3[4] = {1, -1, 1, -1};

static const NsMaterial steel = {.density = 7850, .young = 210e9, .poisson = 0.3};

static void is_near(double got, double expected, double tolerance)
{
  if (!(fabs(got - expected) <= tolerance)) fail_msg("%.17g is not %.17g within %g", got, expected, tolerance);
}

static void is_close(double got, double expected, double relative)
{
  is_near(got, expected, relative * fabs(expected));
}

/* Circles whose sections live as long as the program. */
static NsProperty circle_of(PetscReal radius)
{
  static NsCircle  circle[16];
  static NsSection section[16];
  static int       used;
  NsProperty       p;

  assert_true(used < 16);
  circle[used].radius  = radius;
  section[used].circle = &circle[used];
  NsPropertyMake(&section[used++], &steel, &p);
  return p;
}

/* Every entry of one plane's block is factor times this pattern. */
static void is_pattern(const PetscReal *A, const int *row, const PetscReal *row_sign, const int *column, const PetscReal *column_sign, double factor,
  const double pattern[16])
{
  double most = 0;

  for (int i = 0; i < 16; i++) most = fmax(most, fabs(factor * pattern[i]));
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) { is_near(row_sign[i] * column_sign[j] * A[row[i] * N + column[j]], factor * pattern[4 * i + j], 1e-13 * most); }
  }
}

static void in_both_planes(const PetscReal *A, double factor_2, double factor_3, const double pattern[16])
{
  is_pattern(A, plane_2, sign_2, plane_2, sign_2, factor_2, pattern);
  is_pattern(A, plane_3, sign_3, plane_3, sign_3, factor_3, pattern);
}

static void has_no_other_entries(const PetscReal *A, PetscBool coupled)
{
  static const int group[6] = {0, 1, 2, 3, 2, 1};

  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      const int a = group[i % 6], b = group[j % 6];
      if (a != b && !(coupled && a * b == 2)) assert_true(A[i * N + j] == 0);
    }
  }
}

/* Rectangles: their two planes differ. */
static const NsRectangle rectangle = {.width = 0.02, .height = 0.05}, other = {.width = 0.03, .height = 0.04};
static const NsSection   rectangle_section = {.rectangle = &rectangle}, other_section = {.rectangle = &other};

static void euler_bernoulli(void **state)
{
  const double   l = 0.7, l2 = l * l;
  const double   mass[16] = {156, 22 * l, 54, -13 * l, 22 * l, 4 * l2, 13 * l, -3 * l2, 54, 13 * l, 156, -22 * l, -13 * l, -3 * l2, -22 * l, 4 * l2};
  const double   stiffness[16] = {12, 6 * l, -12, 6 * l, 6 * l, 4 * l2, -6 * l, 2 * l2, -12, -6 * l, 12, -6 * l, 6 * l, 2 * l2, -6 * l, 4 * l2};
  NsProperty     p;
  NsBeamMatrices beam;

  (void)state;
  NsPropertyMake(&rectangle_section, &steel, &p);
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.shear = PETSC_FALSE}, &beam);
  assert_true(beam.phi_2 == 0 && beam.phi_3 == 0);
  in_both_planes(beam.mass, 7850 * 0.001 * l / 420, 7850 * 0.001 * l / 420, mass);
  in_both_planes(beam.stiffness, 210e9 * p.inertia_3 / (l2 * l), 210e9 * p.inertia_2 / (l2 * l), stiffness);
  for (int end = 0; end < 12; end += 6) {
    is_close(beam.mass[end * N + end], 7850 * 0.001 * l / 3, 1e-14);
    is_close(beam.mass[end * N + 6 - end], 7850 * 0.001 * l / 6, 1e-14);
    is_close(beam.mass[(end + 3) * (N + 1)], 7850 * (p.inertia_2 + p.inertia_3) * l / 3, 1e-14);
    is_close(beam.mass[(end + 3) * N + 9 - end], 7850 * (p.inertia_2 + p.inertia_3) * l / 6, 1e-14);
    is_close(beam.stiffness[end * (N + 1)], 210e9 * 0.001 / l, 1e-14);
    is_close(beam.stiffness[end * N + 6 - end], -210e9 * 0.001 / l, 1e-14);
    is_close(beam.stiffness[(end + 3) * (N + 1)], 210e9 / 2.6 * p.torsion / l, 1e-14);
    is_close(beam.stiffness[(end + 3) * N + 9 - end], -210e9 / 2.6 * p.torsion / l, 1e-14);
  }
  has_no_other_entries(beam.mass, PETSC_FALSE);
  has_no_other_entries(beam.stiffness, PETSC_FALSE);
  for (int i = 0; i < N * N; i++) assert_true(beam.gyroscopic[i] == 0);
}

/* Friswell et al., sec. 5.4.4: stiffness and rotary inertia with phi. */
static void timoshenko(void **state)
{
  const double   l = 0.08, l2 = l * l;
  NsProperty     p;
  NsBeamMatrices with, without;
  PetscReal      rotary[N * N];

  (void)state;
  NsPropertyMake(&rectangle_section, &steel, &p);
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.shear = PETSC_TRUE, .rotary = PETSC_TRUE, .gyroscopic = PETSC_TRUE}, &with);
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.shear = PETSC_TRUE}, &without);
  is_close(with.phi_2, 12 * 210e9 * p.inertia_3 / (p.shear_factor * 210e9 / 2.6 * 0.001 * l2), 1e-14);
  is_close(with.phi_3, 12 * 210e9 * p.inertia_2 / (p.shear_factor * 210e9 / 2.6 * 0.001 * l2), 1e-14);
  assert_true(with.phi_2 > 1); /* a short element: shear matters */
  for (int i = 0; i < N * N; i++) rotary[i] = with.mass[i] - without.mass[i];
  for (int plane = 2; plane <= 3; plane++) {
    const double f = plane == 2 ? with.phi_2 : with.phi_3, inertia = plane == 2 ? p.inertia_3 : p.inertia_2, s = (1 + f) * (1 + f);
    const double stiffness[16] = {
      12, 6 * l, -12, 6 * l, 6 * l, (4 + f) * l2, -6 * l, (2 - f) * l2, -12, -6 * l, 12, -6 * l, 6 * l, (2 - f) * l2, -6 * l, (4 + f) * l2};
    const double     a = (3 - 15 * f) * l, b = (4 + 5 * f + 10 * f * f) * l2, c = (-1 - 5 * f + 5 * f * f) * l2;
    const double     tilt[16] = {36, a, -36, a, a, b, -a, c, -36, -a, 36, -a, a, c, -a, b};
    const int       *unknown  = plane == 2 ? plane_2 : plane_3;
    const PetscReal *sign     = plane == 2 ? sign_2 : sign_3;
    is_pattern(with.stiffness, unknown, sign, unknown, sign, 210e9 * inertia / ((1 + f) * l2 * l), stiffness);
    is_pattern(rotary, unknown, sign, unknown, sign, 7850 * inertia / (30 * l * s), tilt);
  }
  /* translational mass of a uniform beam with shear: total and first moments are those of the rod */
  for (int i = 0; i < 2; i++) {
    const int u = i + 1;
    is_close(with.mass[u * N + u] + 2 * with.mass[u * N + u + 6] + with.mass[(u + 6) * (N + 1)], 7850 * 0.001 * l, 1e-14);
  }
  has_no_other_entries(with.mass, PETSC_FALSE);
  has_no_other_entries(with.stiffness, PETSC_FALSE);
  has_no_other_entries(with.gyroscopic, PETSC_TRUE);
}

/* G is twice the pattern of rotary inertia, between the planes: M2 = -Jp Omega r3', M3 = +Jp Omega r2'. */
static void gyroscopic(void **state)
{
  const double     l = 0.3, l2 = l * l;
  const NsProperty p = circle_of(0.05);
  NsBeamMatrices   beam;

  (void)state;
  for (int shear = 0; shear < 2; shear++) {
    NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.shear = (PetscBool)shear, .gyroscopic = PETSC_TRUE}, &beam);
    const double f = beam.phi_2, a = (3 - 15 * f) * l, b = (4 + 5 * f + 10 * f * f) * l2, c = (-1 - 5 * f + 5 * f * f) * l2;
    const double tilt[16] = {36, a, -36, a, a, b, -a, c, -36, -a, 36, -a, a, c, -a, b};
    const double factor   = 2 * 7850 * p.inertia_3 / (30 * l * (1 + f) * (1 + f));
    assert_true(shear ? f > 0 : f == 0);
    is_pattern(beam.gyroscopic, plane_3, sign_3, plane_2, sign_2, -factor, tilt); /* r2 is minus the rotation of plane 1-3 */
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) is_near(beam.gyroscopic[i * N + j], -beam.gyroscopic[j * N + i], 1e-15 * factor * 36);
    }
    /* tilting as a rigid body about axis 3 with 1 rad/s at Omega = 1 rad/s: -G v is a moment -Jp about axis 2, of the whole rod's Jp */
    PetscReal v[N] = {0, 0, 0, 0, 0, 1, 0, l, 0, 0, 0, 1}, moment = 0;
    for (int j = 0; j < N; j++) moment -= (beam.gyroscopic[4 * N + j] + beam.gyroscopic[10 * N + j] - l * beam.gyroscopic[8 * N + j]) * v[j];
    is_close(moment, -7850 * 2 * p.inertia_3 * l, 1e-13);
  }
}

static void geometric_stiffness(void **state)
{
  const double     l = 0.4, l2 = l * l, P = 12345;
  const double     pattern[16] = {36, 3 * l, -36, 3 * l, 3 * l, 4 * l2, -3 * l, -l2, -36, -3 * l, 36, -3 * l, 3 * l, -l2, -3 * l, 4 * l2};
  const NsProperty p           = circle_of(0.001); /* slender: the difference keeps its digits */
  NsBeamMatrices   with, without;
  PetscReal        K[N * N];

  (void)state;
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.axial_force = P}, &with);
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.axial_force = 0}, &without);
  for (int i = 0; i < N * N; i++) K[i] = with.stiffness[i] - without.stiffness[i];
  in_both_planes(K, P / (30 * l), P / (30 * l), pattern);
  for (int k = 0; k < 4; k++) assert_true(K[3 * (k % 2) * (N + 1) + 6 * (k / 2)] == 0);
}

static void lumped_mass(void **state)
{
  const double   l = 0.3, m = 7850 * 0.001 * l;
  NsProperty     p;
  NsBeamMatrices beam;

  (void)state;
  NsPropertyMake(&rectangle_section, &steel, &p);
  for (int rotary = 0; rotary < 2; rotary++) {
    NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.lumped = PETSC_TRUE, .rotary = (PetscBool)rotary, .gyroscopic = PETSC_TRUE}, &beam);
    for (int i = 0; i < N; i++) {
      const double inertia = i % 6 == 4 ? p.inertia_2 : p.inertia_3;
      for (int j = 0; j < N; j++) {
        if (i != j) assert_true(beam.mass[i * N + j] == 0);
      }
      is_close(beam.mass[i * (N + 1)],
        i % 6 < 3    ? m / 2
        : i % 6 == 3 ? 7850 * (p.inertia_2 + p.inertia_3) * l / 2
                     : m * l * l / 24 + (rotary ? 7850 * inertia * l / 2 : 0),
        1e-14);
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        const int    coupled = i / 6 == j / 6 ? (i % 6 == 4 && j % 6 == 5) - (i % 6 == 5 && j % 6 == 4) : 0;
        const double polar   = 7850 * (p.inertia_2 + p.inertia_3) * l / 2;
        is_near(beam.gyroscopic[i * N + j], coupled * polar, 1e-14 * polar);
      }
    }
  }
}

/* A lumped cone keeps its mass and its centre of mass, L/4 (R^2 + 2 R r + 3 r^2)/(R^2 + R r + r^2) from the thick end. */
static void lumped_cone(void **state)
{
  const double     R = 0.05, r = 0.02, l = 0.3, mass = 7850 * PI * l / 3 * (R * R + R * r + r * r);
  const NsProperty thick = circle_of(R), thin = circle_of(r);
  NsBeamMatrices   beam;

  (void)state;
  NsBeamMatricesMake(&thick, &thin, l, (NsBeamTheory){.lumped = PETSC_TRUE}, &beam);
  for (int k = 0; k < 3; k++) {
    is_close(beam.mass[k * (N + 1)] + beam.mass[(k + 6) * (N + 1)], mass, 1e-14);
    is_close(beam.mass[(k + 6) * (N + 1)] / mass, (R * R + 2 * R * r + 3 * r * r) / (R * R + R * r + r * r) / 4, 1e-13);
  }
}

/* A beam with everything: different planes, taper, shear. */
static void tapered(NsBeamTheory theory, PetscReal l, NsBeamMatrices *beam)
{
  NsProperty a, b;

  NsPropertyMake(&rectangle_section, &steel, &a);
  NsPropertyMake(&other_section, &steel, &b);
  NsBeamMatricesMake(&a, &b, l, theory, beam);
}

/* u = c + r x X at both nodes, with X = (0, 0, 0) and (l, 0, 0). */
static void rigid_motion(const double c[3], const double r[3], double l, double u[N])
{
  for (int k = 0; k < 3; k++) {
    u[k]     = c[k];
    u[6 + k] = c[k];
    u[3 + k] = u[9 + k] = r[k];
  }
  u[7] += r[2] * l;
  u[8] -= r[1] * l;
}

static void rigid_motions(void **state)
{
  const double   l = 0.25, c[3] = {0.3, -0.2, 0.7}, r[3] = {400, 0.02, -0.03};
  NsBeamMatrices beam;
  double         u[N], most = 0, shape[6][N];

  (void)state;
  tapered((NsBeamTheory){.shear = PETSC_TRUE}, l, &beam);
  rigid_motion(c, r, l, u);
  for (int i = 0; i < N * N; i++) most = fmax(most, fabs(beam.stiffness[i]));
  for (int i = 0; i < N; i++) {
    double force = 0;
    for (int j = 0; j < N; j++) force += beam.stiffness[i * N + j] * (j % 6 == 3 ? 0 : u[j]);
    is_near(force, 0, 1e-14 * most);
    if (i % 6 == 3) assert_true(beam.stiffness[i * N + 3] + beam.stiffness[i * N + 9] == 0);
  }
  for (double x = 0; x <= 1; x += 0.125) {
    const double expected[6] = {c[0], c[1] + r[2] * l * x, c[2] - r[1] * l * x, r[0], r[1], r[2]};
    NsBeamShape(&beam, x, shape);
    for (int i = 0; i < 6; i++) {
      double value = 0;
      for (int j = 0; j < N; j++) value += shape[i][j] * u[j];
      is_near(value, expected[i], 1e-14 * fmax(1, fabs(expected[i])));
    }
  }
}

static void shape_at_the_ends(void **state)
{
  NsBeamMatrices beam;
  double         shape[6][N];

  (void)state;
  tapered((NsBeamTheory){.shear = PETSC_TRUE}, 0.25, &beam);
  for (int end = 0; end < 2; end++) {
    NsBeamShape(&beam, end, shape);
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < N; j++) assert_true(shape[i][j] == (j == 6 * end + i ? 1 : 0));
    }
  }
}

/* Of a uniform element: the interdependent functions of the literature. */
static void interdependent_functions(void **state)
{
  const double     l = 0.1;
  const NsProperty p = circle_of(0.02);
  NsBeamMatrices   beam;
  double           shape[6][N];

  (void)state;
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.shear = PETSC_TRUE}, &beam);
  const double f = beam.phi_2, s = 1 + f;
  is_close(f, 12 * 210e9 * p.inertia_3 / (p.shear_factor * p.shear_modulus * p.area * l * l), 1e-14);
  for (double x = 0; x <= 1; x += 0.125) {
    const double w[4]        = {(1 - 3 * x * x + 2 * x * x * x + f * (1 - x)) / s, l * (x - 2 * x * x + x * x * x + f / 2 * (x - x * x)) / s,
             (3 * x * x - 2 * x * x * x + f * x) / s, l * (-x * x + x * x * x - f / 2 * (x - x * x)) / s};
    const double rotation[4] = {
      6 * (x * x - x) / (l * s), (1 - 4 * x + 3 * x * x + f * (1 - x)) / s, -6 * (x * x - x) / (l * s), (3 * x * x - 2 * x + f * x) / s};
    NsBeamShape(&beam, x, shape);
    for (int i = 0; i < 4; i++) {
      is_near(shape[1][plane_2[i]], w[i], 1e-15);
      is_near(shape[5][plane_2[i]], rotation[i], 1e-14 / l);
      is_near(shape[2][plane_3[i]], sign_3[i] * w[i], 1e-15);
      is_near(shape[4][plane_3[i]], -sign_3[i] * rotation[i], 1e-14 / l);
    }
  }
}

/* The matrices are those of the energies of the shape functions, integrated here by Simpson's rule with differences for slopes. */
static void consistent_with_shape(void **state)
{
  const NsBeamTheory theory = {.shear = PETSC_TRUE, .rotary = PETSC_TRUE, .gyroscopic = PETSC_TRUE, .axial_force = 2e6};
  const double       l = 0.15, h = 1e-3;
  const int          intervals = 200;
  NsBeamMatrices     beam;
  NsProperty         a, b, p;
  double             M[N * N] = {0}, K[N * N] = {0}, G[N * N] = {0}, most[3] = {0};

  (void)state;
  NsPropertyMake(&rectangle_section, &steel, &a);
  NsPropertyMake(&other_section, &steel, &b);
  NsBeamMatricesMake(&a, &b, l, theory, &beam);
  for (int n = 0; n <= intervals; n++) {
    const double x = (double)n / intervals, weight = l / (3 * intervals) * (n == 0 || n == intervals ? 1 : n % 2 ? 4 : 2);
    double       shape[6][N], before[6][N], after[6][N], further[2][6][N], slope[6][N];
    NsPropertyBetween(&a, &b, x, &p);
    NsBeamShape(&beam, x, shape);
    NsBeamShape(&beam, x - h, before);
    NsBeamShape(&beam, x + h, after);
    NsBeamShape(&beam, x - 2 * h, further[0]);
    NsBeamShape(&beam, x + 2 * h, further[1]);
    for (int i = 0; i < 6; i++) { /* exact for cubics */
      for (int j = 0; j < N; j++) slope[i][j] = (8 * (after[i][j] - before[i][j]) - (further[1][i][j] - further[0][i][j])) / (12 * h * l);
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        const double rho_A = p.density * p.area, EA = p.young * p.area, kGA = p.shear_factor * p.shear_modulus * p.area,
                     polar = p.inertia_2 + p.inertia_3;
        M[i * N + j] +=
          weight *
          (rho_A * (shape[0][i] * shape[0][j] + shape[1][i] * shape[1][j] + shape[2][i] * shape[2][j]) +
            p.density * (polar * shape[3][i] * shape[3][j] + p.inertia_2 * shape[4][i] * shape[4][j] + p.inertia_3 * shape[5][i] * shape[5][j]));
        K[i * N + j] +=
          weight * (EA * slope[0][i] * slope[0][j] + p.shear_modulus * p.torsion * slope[3][i] * slope[3][j] +
                     p.young * (p.inertia_2 * slope[4][i] * slope[4][j] + p.inertia_3 * slope[5][i] * slope[5][j]) +
                     kGA * ((slope[1][i] - shape[5][i]) * (slope[1][j] - shape[5][j]) + (slope[2][i] + shape[4][i]) * (slope[2][j] + shape[4][j])) +
                     2e6 * (slope[1][i] * slope[1][j] + slope[2][i] * slope[2][j]));
        G[i * N + j] += weight * p.density * polar * (shape[4][i] * shape[5][j] - shape[5][i] * shape[4][j]);
      }
    }
  }
  for (int i = 0; i < N * N; i++) {
    most[0] = fmax(most[0], fabs(M[i]));
    most[1] = fmax(most[1], fabs(K[i]));
    most[2] = fmax(most[2], fabs(G[i]));
  }
  for (int i = 0; i < N * N; i++) {
    is_near(beam.mass[i], M[i], 1e-8 * most[0]);
    /* torsion of a rectangle is no polynomial of its sides: five points and Simpson's rule agree a little less there */
    is_near(beam.stiffness[i], K[i], 1e-8 * most[1]);
    is_near(beam.gyroscopic[i], G[i], 1e-8 * most[2]);
  }
}

/* The signs and values of the section forces, in states that are known in closed form. */
static void section_forces(void **state)
{
  const double   l = 0.5, EA = 210e9 * 0.001;
  NsProperty     p;
  NsBeamMatrices beam;
  double         f[6], EI_2, EI_3, GJ, kGA;

  (void)state;
  NsPropertyMake(&rectangle_section, &steel, &p);
  EI_2 = p.young * p.inertia_2;
  EI_3 = p.young * p.inertia_3;
  GJ   = p.shear_modulus * p.torsion;
  kGA  = p.shear_factor * p.shear_modulus * p.area;
  for (int shear = 0; shear < 2; shear++) {
    NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.shear = (PetscBool)shear}, &beam);
    /* stretched by 1 mm, twisted by 0.1 rad after 500 rad of turning, bent to constant curvatures: r2' = 0.02/l, r3' = 0.03/l */
    double constant[N] = {2, 3, 4, 500, 0, 0, 2.001, 3 + 0.03 * l / 2, 4 - 0.02 * l / 2, 500.1, 0.02, 0.03};
    for (int i = 0; i <= 4; i++) {
      NsBeamForces(&beam, constant, i / 4., f);
      is_close(f[0], EA * 0.001 / l, 1e-12);
      is_near(f[1], 0, 1e-10 * EI_3 / (l * l));
      is_near(f[2], 0, 1e-10 * EI_2 / (l * l));
      is_close(f[3], GJ * 0.1 / l, 1e-11);
      is_close(f[4], EI_2 * 0.02 / l, 1e-11);
      is_close(f[5], EI_3 * 0.03 / l, 1e-11);
    }
    is_close(NsBeamEnergy(&beam, constant), (EA * 1e-6 + GJ * 0.01 + EI_2 * 4e-4 + EI_3 * 9e-4) / (2 * l), 1e-12);
    /* clamped at the first node, forces F2, F3 at the second: M3 = F2 (l - x), M2 = -F3 (l - x), Castigliano for the deflections */
    const double F2 = 100, F3 = 70;
    double       tip[N] = {0};
    tip[7]              = F2 * (l * l * l / (3 * EI_3) + (shear ? l / kGA : 0));
    tip[8]              = F3 * (l * l * l / (3 * EI_2) + (shear ? l / kGA : 0));
    tip[11]             = F2 * l * l / (2 * EI_3);
    tip[10]             = -F3 * l * l / (2 * EI_2);
    for (int i = 0; i <= 4; i++) {
      const double rest = l * (1 - i / 4.);
      NsBeamForces(&beam, tip, i / 4., f);
      is_near(f[0], 0, 0);
      is_close(f[1], F2, 1e-11);
      is_close(f[2], F3, 1e-11);
      is_near(f[3], 0, 0);
      is_near(f[4], -F3 * rest, 1e-11 * F3 * l);
      is_near(f[5], F2 * rest, 1e-11 * F2 * l);
    }
    is_close(NsBeamEnergy(&beam, tip), (F2 * tip[7] + F3 * tip[8]) / 2, 1e-11);
  }
}

/* A taut rod that has turned pulls across by P times its slope. */
static void taut_forces(void **state)
{
  const double     l = 0.5, P = 2e4;
  const double     u[N] = {1, 2, 3, 7, -0.02, 0.01, 1, 2 + 0.01 * l, 3 + 0.02 * l, 7, -0.02, 0.01};
  const NsProperty p    = circle_of(0.01);
  NsBeamMatrices   beam;
  double           f[6];

  (void)state;
  NsBeamMatricesMake(&p, &p, l, (NsBeamTheory){.axial_force = P}, &beam);
  NsBeamForces(&beam, u, 0.3, f);
  is_close(f[0], P, 1e-14);
  is_close(f[1], P * 0.01, 1e-12);
  is_close(f[2], P * 0.02, 1e-12);
  for (int k = 3; k < 6; k++) is_near(f[k], 0, 1e-9);
  is_close(NsBeamEnergy(&beam, u), P * l * (0.01 * 0.01 + 0.02 * 0.02) / 2, 1e-11);
}

/* Equal to u'Ku/2, and blind to rigid motions that are 1e6 times the strains. */
static void energy(void **state)
{
  const double   l    = 0.25;
  double         u[N] = {0, 0, 0, 0, 2e-4, -3e-4, 1e-5, 3e-5, -4e-5, 2e-3, -1e-4, 4e-4}, far[N];
  NsBeamMatrices beam;

  (void)state;
  for (int taut = 0; taut < 2; taut++) {
    double direct = 0;
    tapered((NsBeamTheory){.shear = PETSC_TRUE, .axial_force = taut ? 1e6 : 0}, l, &beam);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) direct += u[i] * beam.stiffness[i * N + j] * u[j] / 2;
    }
    is_close(NsBeamEnergy(&beam, u), direct, 1e-12);
  }
  tapered((NsBeamTheory){.shear = PETSC_TRUE}, l, &beam);
  rigid_motion((const double[3]){16, -8, 32}, (const double[3]){256, 4, -2}, l, far);
  for (int i = 0; i < N; i++) far[i] += u[i];
  is_close(NsBeamEnergy(&beam, far), NsBeamEnergy(&beam, u), 1e-9); /* strains of 1e-5 in displacements of 10: 1e-16 * 1e6 */
}

/* Solves A x = b with a symmetric positive definite band; both are overwritten. */
static void solve(int n, double *A, double *b)
{
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n && i < k + 4; i++) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n && j < k + 4; j++) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n && j < i + 4; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

/* Deflection under a force of 1 N at the free end of a cone clamped at its thick end, and its mass. */
static double cone_deflection(int elements, double length, const NsProperty *thick, const NsProperty *thin, PetscBool shear, double *mass)
{
  const int n = 2 * elements;
  double   *A = calloc((size_t)n * (size_t)n, sizeof(*A)), *b = calloc((size_t)n, sizeof(*b)), deflection;

  assert_non_null(A);
  assert_non_null(b);
  *mass = 0;
  for (int e = 0; e < elements; e++) {
    NsProperty     start, end;
    NsBeamMatrices beam;
    NsPropertyBetween(thick, thin, (double)e / elements, &start);
    NsPropertyBetween(thick, thin, (e + 1.) / elements, &end);
    NsBeamMatricesMake(&start, &end, length / elements, (NsBeamTheory){.shear = shear}, &beam);
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        const int r = 2 * e - 2 + i, c = 2 * e - 2 + j;
        if (r >= 0 && c >= 0) A[r * n + c] += beam.stiffness[plane_2[i] * N + plane_2[j]];
      }
    }
    *mass += beam.mass[0] + 2 * beam.mass[6] + beam.mass[6 * N + 6];
  }
  b[n - 2] = 1;
  solve(n, A, b);
  deflection = b[n - 2];
  free(A);
  free(b);
  return deflection;
}

/* Bending: L^3 R/(3 E I(R) r); shear: L/(kappa G pi R r). */
static void cone(void **state)
{
  const double     R = 0.05, r = 0.03, L = 0.4;
  const NsProperty thick = circle_of(R), thin = circle_of(r);
  const double     bending  = L * L * L * R / (3 * 210e9 * PI * R * R * R * R / 4 * r);
  const double     shear    = L / (thick.shear_factor * thick.shear_modulus * PI * R * r);
  const double     expected = 7850 * PI * L / 3 * (R * R + R * r + r * r);
  double           mass, error[3], shear_error[3];

  (void)state;
  for (int i = 0; i < 3; i++) {
    error[i] = fabs(cone_deflection(8 << i, L, &thick, &thin, PETSC_FALSE, &mass) / bending - 1);
    is_close(mass, expected, 1e-14);
    shear_error[i] = fabs(cone_deflection(16 << i, L, &thick, &thin, PETSC_TRUE, &mass) / (bending + shear) - 1);
    is_close(mass, expected, 1e-14);
  }
  is_near(log2(error[1] / error[2]), 4, 0.05);
  is_near(log2(shear_error[1] / shear_error[2]), 2, 0.05);
  assert_true(error[0] < 2e-5 && shear_error[0] < 2e-5); /* shear is 3e-2 of it: with phi of the middle it would be 1e-3 */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(euler_bernoulli),
    cmocka_unit_test(timoshenko),
    cmocka_unit_test(gyroscopic),
    cmocka_unit_test(geometric_stiffness),
    cmocka_unit_test(lumped_mass),
    cmocka_unit_test(lumped_cone),
    cmocka_unit_test(rigid_motions),
    cmocka_unit_test(shape_at_the_ends),
    cmocka_unit_test(interdependent_functions),
    cmocka_unit_test(consistent_with_shape),
    cmocka_unit_test(section_forces),
    cmocka_unit_test(taut_forces),
    cmocka_unit_test(energy),
    cmocka_unit_test(cone),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
