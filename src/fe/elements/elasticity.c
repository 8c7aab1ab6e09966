/*
  Elasticity matrices C of solids, s = C e with strains (xx, yy, zz, xy, yz, zx), shears as angles.

  Isotropic: C = lambda m m' + 2 mu on the diagonal of xx, yy, zz, and mu on that of xy, yz, zx, with mu = E/(2 (1 + nu)), lambda = E nu/((1 + nu)(1 - 2 nu)).

  Orthotropic, along the material's axes 1, 2, 3:

      C = S^-1,  S = [1/E1, -nu12/E1, -nu13/E1; ., 1/E2, -nu23/E2; ., ., 1/E3] symmetric,  and G12, G23, G31 on the diagonal

  in space by turning strains to these axes and stresses back, s = R C[R' e R] R' with the axes as columns of R.

  Plane stress: s_zz = 0 eliminated, C_ij - C_iz C_zj/C_zz. In the plane e_yz = e_zx = 0; one axis of the material is along z, so that s_yz = s_zx = 0 as well.

  S. G. Lekhnitskii, Theory of elasticity of an anisotropic body, Mir (1981), sec. 3.
*/
#include "solid.h"
#include <petscblaslapack.h>

enum { XX, YY, ZZ };
static const int pair[NS_SOLID_STRAINS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

static void eliminate_zz(PetscReal *C)
{
  const PetscReal szz = C[NS_SOLID_STRAINS * ZZ + ZZ];
  PetscReal       row[NS_SOLID_STRAINS];

  for (int i = 0; i < NS_SOLID_STRAINS; i++) row[i] = C[NS_SOLID_STRAINS * ZZ + i];
  for (int i = 0; i < NS_SOLID_STRAINS; i++) {
    for (int j = 0; j < NS_SOLID_STRAINS; j++) {
      PetscReal *c = &C[NS_SOLID_STRAINS * i + j];
      *c           = i == ZZ || j == ZZ ? 0 : *c - row[i] * row[j] / szz;
    }
  }
}

void NsSolidIsotropic(NsSolidState state, PetscReal young, PetscReal poisson, NsSolidMaterial *material)
{
  const PetscReal mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  PetscReal      *C = material->C;

  material->isotropic = PETSC_TRUE;
  for (int i = 0; i < NS_SOLID_STRAINS * NS_SOLID_STRAINS; i++) C[i] = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) C[NS_SOLID_STRAINS * i + j] = lambda + (i == j ? 2 * mu : 0);
    C[(NS_SOLID_STRAINS + 1) * (3 + i)] = mu;
  }
  if (state != NS_SOLID_PLANE_STRESS) return;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) C[NS_SOLID_STRAINS * i + j] = young / (1 - poisson * poisson) * (i == j ? 1 : poisson);
  }
  for (int i = 0; i < 3; i++) C[NS_SOLID_STRAINS * i + ZZ] = C[NS_SOLID_STRAINS * ZZ + i] = 0;
}

/* N[3, 3] = S^-1 of the normal strains; false unless S is positive definite. */
static bool invert_compliance(const double young[3], const double poisson[3], PetscReal *N)
{
  PetscBLASInt n = 3, info;

  for (int i = 0; i < 3; i++) N[4 * i] = 1 / young[i];
  N[3] = -poisson[0] / young[0]; /* column-major lower half is row-major upper half: entry (i, j) at 3 j + i */
  N[6] = -poisson[1] / young[0];
  N[7] = -poisson[2] / young[1];
  LAPACKpotrf_("U", &n, N, &n, &info);
  if (info) return false;
  LAPACKpotri_("U", &n, N, &n, &info);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) N[3 * j + i] = N[3 * i + j];
  }
  return info == 0;
}

/* A tensor along x, y, z to one along the material's axes, or (`back`) the other way. */
static void turn(PetscReal axes[3][3], bool back, PetscReal from[3][3], PetscReal to[3][3])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to[i][j] = 0;
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) to[i][j] += (back ? axes[k][i] * axes[l][j] : axes[i][k] * axes[j][l]) * from[k][l];
      }
    }
  }
}

bool NsSolidOrthotropic(
  NsSolidState state, const double young[3], const double poisson[3], const double shear[3], PetscReal axes[3][3], NsSolidMaterial *material)
{
  const PetscReal G[3][3] = {{0, shear[0], shear[1]}, {shear[0], 0, shear[2]}, {shear[1], shear[2], 0}};
  PetscReal       N[9];

  material->isotropic = PETSC_FALSE;
  if (!invert_compliance(young, poisson, N)) return false;
  for (int c = 0; c < NS_SOLID_STRAINS; c++) {
    PetscReal strain[3][3] = {{0}}, own[3][3], stress[3][3], here[3][3];
    for (int k = 0; k < 2; k++) strain[pair[c][k]][pair[c][1 - k]] = c < 3 ? 1 : 0.5;
    turn(axes, false, strain, own);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) stress[i][j] = 2 * G[i][j] * own[i][j];
      for (int j = 0; j < 3; j++) stress[i][i] += N[3 * i + j] * own[j][j];
    }
    turn(axes, true, stress, here);
    for (int s = 0; s < NS_SOLID_STRAINS; s++) material->C[NS_SOLID_STRAINS * s + c] = here[pair[s][0]][pair[s][1]];
  }
  for (int i = 0; i < NS_SOLID_STRAINS; i++) {
    for (int j = 0; j < i; j++) material->C[NS_SOLID_STRAINS * i + j] = material->C[NS_SOLID_STRAINS * j + i]; /* equal but for rounding */
  }
  if (state == NS_SOLID_PLANE_STRESS) eliminate_zz(material->C);
  return true;
}
