#include <complex.h>
#include "whirl.h"

const char *const NsWhirlNames[] = {"-", "forward", "backward", "planar", "mixed", "torsion", "axial"};

/* i e.(conj(a) x b): Hermitian; of a = b it is 2 e.(Im a x Re a). */
static PetscComplex area(const PetscReal e[3], const PetscComplex *a, const PetscComplex *b)
{
  PetscComplex sum = 0;

  for (int k = 0; k < 3; k++) sum += e[k] * (conj(a[(k + 1) % 3]) * b[(k + 2) % 3] - conj(a[(k + 2) % 3]) * b[(k + 1) % 3]);
  return PETSC_i * sum;
}

/* conj(a).b without the part along e */
static PetscComplex lateral(const PetscReal e[3], const PetscComplex *a, const PetscComplex *b)
{
  PetscComplex sum = 0, along_a = 0, along_b = 0;

  for (int k = 0; k < 3; k++) {
    sum += conj(a[k]) * b[k];
    along_a += e[k] * a[k];
    along_b += e[k] * b[k];
  }
  return sum - conj(along_a) * along_b;
}

NsWhirl NsWhirlOfOrbits(const PetscReal axis[3], PetscInt points, const PetscComplex *u)
{
  NsWhirl   whirl   = {NS_WHIRL_NONE, 0, NULL};
  PetscReal forward = 0, backward = 0, size = 0;

  for (PetscInt i = 0; i < points; i++) {
    const PetscReal part = creal(area(axis, u + 3 * i, u + 3 * i));
    forward += PetscMax(part, 0);
    backward += PetscMax(-part, 0);
    size += creal(lateral(axis, u + 3 * i, u + 3 * i));
  }
  if (size <= 0) return whirl;
  whirl.kappa = (forward - backward) / size;
  if (PetscMin(forward, backward) > 0.1 * (forward + backward) && forward + backward > 0.01 * size)
    whirl.sense = NS_WHIRL_MIXED;
  else if (PetscAbsReal(whirl.kappa) < 0.01)
    whirl.sense = NS_WHIRL_PLANAR;
  else
    whirl.sense = whirl.kappa > 0 ? NS_WHIRL_FORWARD : NS_WHIRL_BACKWARD;
  return whirl;
}

PetscErrorCode NsModelShape(NsModel *model, const NsModes *modes, PetscInt mode, PetscComplex *u)
{
  const NsScene *scene  = &model->scene;
  NsFields       fields = {0};
  Vec            part[2];

  PetscFunctionBegin;
  PetscCall(PetscCalloc2((size_t)(3 * scene->points), &fields.displacement, (size_t)(3 * scene->points), &fields.velocity));
  PetscCall(PetscCalloc3(scene->cells, &fields.stress, scene->cells, &fields.normal_force, scene->cells, &fields.energy));
  PetscCall(NsVecsCreate(model, &part[0], &part[1], NULL));
  PetscCall(NsModeParts(modes, mode, part[0], part[1]));
  for (PetscInt i = 0; i < 3 * scene->points; i++) u[i] = 0;
  for (int k = 0; k < 2; k++) {
    PetscCall(model->view.fields(model, 0, part[k], part[k], NULL, &fields));
    for (PetscInt i = 0; i < 3 * scene->points; i++) u[i] += fields.displacement[i] * (k ? PETSC_i : 1);
  }
  PetscCall(NsVecsDestroy(&part[0], &part[1], NULL));
  PetscCall(PetscFree2(fields.displacement, fields.velocity));
  PetscCall(PetscFree3(fields.stress, fields.normal_force, fields.energy));
  PetscFunctionReturn(0);
}

/*
  Whirl form A and size form B of two shapes, Hermitian 2 x 2: A c = kappa B c gives the combinations of extreme kappa. False when one of them has
  no lateral motion.
*/
static PetscBool purest(const PetscComplex A[3], const PetscComplex B[3], PetscComplex c[2][2])
{
  const PetscReal    det = creal(B[0]) * creal(B[2]) - PetscSqr(cabs(B[1]));
  PetscReal          middle, width, kappa[2];
  const PetscComplex a = A[0], b = A[1], d = A[2], p = B[0], q = B[1], r = B[2]; /* [a b; b* d], [p q; q* r] */

  if (!(det > 1e-12 * creal(p) * creal(r))) return PETSC_FALSE;
  /* det(A - kappa B) = 0 */
  middle = creal(a * r + d * p - b * conj(q) - conj(b) * q) / (2 * det);
  width  = PetscSqrtReal(PetscMax(0, middle * middle - creal(a * d - b * conj(b)) / det));
  if (width < 1e-3) return PETSC_FALSE;
  kappa[0] = middle - width;
  kappa[1] = middle + width;
  for (int k = 0; k < 2; k++) {
    const PetscComplex first[2]  = {-(b - kappa[k] * q), a - kappa[k] * p};
    const PetscComplex second[2] = {d - kappa[k] * r, -(conj(b) - kappa[k] * conj(q))};
    const PetscBool    better    = cabs(first[0]) + cabs(first[1]) > cabs(second[0]) + cabs(second[1]);
    for (int i = 0; i < 2; i++) c[k][i] = better ? first[i] : second[i];
  }
  return PETSC_TRUE;
}

/* Replaces modes i and i + 1 by their purest combinations: backward first, because its frequency decreases with the spin. */
static void separate(const NsFeRotor *rotor, NsModes *modes, PetscInt mode, PetscComplex *first, PetscComplex *second)
{
  PetscComplex A[3] = {0}, B[3] = {0}, c[2][2], *x[2] = {modes->mode[mode].x, modes->mode[mode + 1].x};

  for (PetscInt i = rotor->first_point; i < rotor->first_point + rotor->points; i++) {
    PetscComplex *u = first + 3 * i, *v = second + 3 * i;
    A[0] += area(rotor->axis, u, u);
    A[1] += area(rotor->axis, u, v);
    A[2] += area(rotor->axis, v, v);
    B[0] += lateral(rotor->axis, u, u);
    B[1] += lateral(rotor->axis, u, v);
    B[2] += lateral(rotor->axis, v, v);
  }
  if (!purest(A, B, c)) return;
  for (PetscInt i = 0; i < modes->n; i++) {
    const PetscComplex p = x[0][i], q = x[1][i];
    for (int k = 0; k < 2; k++) x[k][i] = c[k][0] * p + c[k][1] * q;
  }
  for (PetscInt k = 0; k < 2; k++) NsModeTurn(modes, mode + k);
}

/* Largest displacement of a rotor's points; of all points for NULL. */
static PetscReal travel(const NsScene *scene, const NsFeRotor *rotor, const PetscComplex *u)
{
  const PetscInt first = rotor ? rotor->first_point : 0, points = rotor ? rotor->points : scene->points;
  PetscReal      largest = 0;

  for (PetscInt i = 3 * first; i < 3 * (first + points); i++) largest = PetscMax(largest, cabs(u[i]));
  return largest;
}

/* Otherwise the motion of its points is rounding, and another body vibrates. */
static PetscBool takes_part(const NsScene *scene, const NsFeRotor *rotor, const PetscComplex *u)
{
  return travel(scene, rotor, u) > 1e-6 * travel(scene, NULL, u);
}

static NsWhirl describe(const NsModel *model, const NsFeRotor *rotor, const NsModes *modes, PetscInt mode, const PetscComplex *u)
{
  NsWhirl   whirl = {NS_WHIRL_NONE, 0, rotor->name};
  PetscReal along = 0, across = 0, largest = 0;

  for (PetscInt i = 0; i < modes->n; i++) largest = PetscMax(largest, cabs(modes->mode[mode].x[i]));
  for (PetscInt i = rotor->first_point; i < rotor->first_point + rotor->points; i++) {
    PetscReal size = 0;
    for (int k = 0; k < 3; k++) size += PetscSqr(cabs(u[3 * i + k]));
    const PetscReal sideways = creal(lateral(rotor->axis, u + 3 * i, u + 3 * i));
    across += sideways;
    along += size - sideways;
  }
  /* Only rotations, measured as displacements over the length of the model: torsion. */
  if (travel(&model->scene, NULL, u) < 1e-6 * largest * PetscMax(model->length_scale, 1e-6))
    whirl.sense = NS_WHIRL_TORSION;
  else if (!takes_part(&model->scene, rotor, u))
    whirl.rotor = NULL;
  else if (across < 1e-4 * along)
    whirl.sense = NS_WHIRL_AXIAL;
  else if (modes->mode[mode].kind == NS_MODE_VIBRATION) {
    whirl       = NsWhirlOfOrbits(rotor->axis, rotor->points, u + 3 * rotor->first_point);
    whirl.rotor = rotor->name;
  }
  return whirl;
}

PetscErrorCode NsModelWhirl(NsModel *model, PetscReal speed, NsModes *modes, NsWhirl *whirl)
{
  const NsScene   *scene = &model->scene;
  const NsFeRotor *rotors;
  const PetscInt   count = NsFeRotors(model, &rotors);
  PetscComplex    *u, *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)(3 * scene->points), &u, (size_t)(3 * scene->points), &next));
  for (PetscInt i = 0; i < modes->count; i++) {
    const NsMode    *mode  = &modes->mode[i];
    const NsFeRotor *rotor = count ? &rotors[0] : NULL;
    NsFeRotor        turning;
    whirl[i] = (NsWhirl){NS_WHIRL_NONE, 0, NULL};
    if (!rotor) continue;
    PetscCall(NsModelShape(model, modes, i, u));
    for (PetscInt r = 1; r < count; r++) {
      if (travel(scene, &rotors[r], u) > travel(scene, rotor, u)) rotor = &rotors[r];
    }
    turning = *rotor;
    for (int k = 0; k < 3 && speed * rotor->ratio < 0; k++) turning.axis[k] = -rotor->axis[k];
    rotor = &turning;
    if (i + 1 < modes->count && mode->kind == NS_MODE_VIBRATION && hypot(mode[1].re - mode->re, mode[1].im - mode->im) < 1e-7 * mode->omega) {
      PetscCall(NsModelShape(model, modes, i + 1, next));
      if (takes_part(scene, rotor, u) && takes_part(scene, rotor, next)) separate(rotor, modes, i, u, next);
      PetscCall(NsModelShape(model, modes, i, u));
      PetscCall(NsModelShape(model, modes, i + 1, next));
      whirl[i]     = describe(model, rotor, modes, i, u);
      whirl[i + 1] = describe(model, rotor, modes, i + 1, next);
      i++;
      continue;
    }
    whirl[i] = describe(model, rotor, modes, i, u);
  }
  PetscCall(PetscFree2(u, next));
  PetscFunctionReturn(0);
}
