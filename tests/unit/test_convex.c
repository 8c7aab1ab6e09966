/*
  Signed distances and points of capsules, cylinders, boxes and balls, in any position, against what a search over normals by hand finds: s(n) of every n is a lower bound, so that the greatest of many
  with steps uphill is the distance. Points: none is farther in than the distance, one is as near; and the gap changes as its row says.
*/
#include "random_numbers.h"
#include "support.h"
#include "multibody/convex.h"
#include "multibody/rotation.h"

#define PAIRS   400
#define NORMALS 2000

typedef enum { BALL, BOX, CAPSULE, CYLINDER, KINDS } Kind;

static NsSolid draw_solid(Kind kind, PetscReal way)
{
  NsSolid   s = {.radius = 0};
  PetscReal axis[3];

  draw_unit(axis);
  NsAxisMatrix(axis, 3 * draw(), s.R);
  draw_unit(axis);
  for (int k = 0; k < 3; k++) s.x[k] = way * axis[k];
  const PetscReal size = 0.75 + 0.5 * draw();
  if (kind == BALL || kind == CAPSULE) s.radius = 0.3 * size;
  if (kind == BOX) s.half[0] = 0.5 * size, s.half[1] = 0.8 * size;
  if (kind != BALL) s.half[2] = size;
  if (kind == CYLINDER) s.disc = 0.6 * size;
  return s;
}

static PetscReal along(const NsSolid *s, const PetscReal n[3])
{
  PetscReal sum = s->radius;

  for (int i = 0; i < 3; i++) {
    const PetscReal c = n[0] * s->R[i] + n[1] * s->R[3 + i] + n[2] * s->R[6 + i];
    sum += s->half[i] * PetscAbsReal(c);
  }
  const PetscReal x = n[0] * s->R[0] + n[1] * s->R[3] + n[2] * s->R[6], y = n[0] * s->R[1] + n[1] * s->R[4] + n[2] * s->R[7];
  sum += s->disc * PetscSqrtReal(x * x + y * y);
  return sum;
}

static PetscReal apart(const NsSolid *a, const NsSolid *b, const PetscReal n[3])
{
  const PetscReal d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};

  return NsDot(n, d) - along(a, n) - along(b, n);
}

/* The greatest s: of many normals the best, and from there uphill with ever smaller steps. */
static PetscReal by_hand(const NsSolid *a, const NsSolid *b)
{
  PetscReal best[3] = {1, 0, 0}, most = -PETSC_MAX_REAL, n[3], step = 0.2;

  for (int i = 0; i < NORMALS; i++) {
    draw_unit(n);
    const PetscReal s = apart(a, b, n);
    if (s <= most) continue;
    most = s;
    for (int k = 0; k < 3; k++) best[k] = n[k];
  }
  for (int i = 0, failed = 0; step > 1e-9 && i < 100000; i++) {
    PetscReal u[3], length;
    draw_unit(u);
    for (int k = 0; k < 3; k++) n[k] = best[k] + step * u[k];
    length = NsLength(n);
    for (int k = 0; k < 3; k++) n[k] /= length;
    const PetscReal s = apart(a, b, n);
    if (s > most) {
      most = s;
      for (int k = 0; k < 3; k++) best[k] = n[k];
      failed = 0;
    } else if (++failed > 25) {
      step /= 2;
      failed = 0;
    }
  }
  return most;
}

/* Of the pair moved by a small velocity of b: the difference of the least gap against the row of the nearest point. */
static PetscReal rate_error(const NsSolid *a, const NsSolid *b, const NsManifold *manifold, PetscInt nearest)
{
  PetscReal       v[3], w[3], gap[2];
  const PetscReal e = 1e-6;

  draw_unit(v);
  draw_unit(w);
  for (int side = 0; side < 2; side++) {
    NsSolid    moved = *b;
    NsManifold there;
    PetscReal  R[9], h = side ? e : -e;
    NsAxisMatrix(w, h, R);
    NsProduct(R, b->R, moved.R);
    for (int k = 0; k < 3; k++) moved.x[k] += h * v[k];
    NsManifoldFind(a, &moved, &there);
    gap[side] = PETSC_MAX_REAL;
    for (PetscInt p = 0; p < there.points; p++) gap[side] = PetscMin(gap[side], there.gap[p]);
  }
  const PetscReal r[3] = {manifold->x[nearest][0] - b->x[0], manifold->x[nearest][1] - b->x[1], manifold->x[nearest][2] - b->x[2]};
  PetscReal       u[3];
  NsCross(w, r, u);
  for (int k = 0; k < 3; k++) u[k] += v[k];
  return PetscAbsReal((gap[1] - gap[0]) / (2 * e) + NsDot(manifold->n, u)); /* n pushes a */
}

static void check_pairs(Kind first, Kind second)
{
  PetscInt  worse = 0, wrong = 0;
  PetscReal worst = 0;

  for (int i = 0; i < PAIRS; i++) {
    const NsSolid   a = draw_solid(first, 0), b = draw_solid(second, 1.6 + 0.6 * draw());
    NsManifold      manifold;
    PetscReal       least   = PETSC_MAX_REAL;
    PetscInt        nearest = 0;
    const PetscReal s = NsSolidSeparation(&a, &b), expected = by_hand(&a, &b);
    if (expected < -0.3) continue; /* deep within each other: never in contact */
    NsManifoldFind(&a, &b, &manifold);
    assert_true(manifold.points >= 1 && manifold.points <= NS_MANIFOLD);
    assert_true(PetscAbsReal(NsLength(manifold.n) - 1) < 1e-12);
    for (PetscInt p = 0; p < manifold.points; p++) {
      if (manifold.gap[p] >= least) continue;
      least   = manifold.gap[p];
      nearest = p;
    }
    const PetscReal m[3] = {-manifold.n[0], -manifold.n[1], -manifold.n[2]}, low = expected - s;
    assert_true(PetscAbsReal(apart(&a, &b, m) - s) <= 1e-9);
    if (!(low <= (expected > 0 ? 1e-9 : 1.5e-3))) worse++; /* faces are preferred by a thousandth of the size where shapes overlap */
    worst = PetscMax(worst, low);
    if (!(PetscAbsReal(least - s) <= 1e-6) && s < 0.05) wrong++;
    if (i % 4 == 0 && s < 0.05 && least == manifold.gap[nearest] && rate_error(&a, &b, &manifold, nearest) > 1e-4) wrong++;
  }
  if (worse || wrong)
    print_message(
      "pair %d %d: %d of %d distances are too small, at most by %g; %d points\n", first, second, (int)worse, PAIRS, (double)worst, (int)wrong);
  assert_true(worse <= PAIRS / 100); /* beside singular normals, ends of cylinders that are apart */
  assert_true(worst < 2e-3);
  assert_true(wrong <= PAIRS / 100); /* where the normal jumps */
}

static void distances(void **state)
{
  (void)state;
  seed = 7;
  for (int first = 0; first < KINDS; first++) {
    for (int second = first; second < KINDS; second++) {
      if (first != BOX || second != BOX) check_pairs((Kind)first, (Kind)second); /* boxes: test_manifold.c */
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
