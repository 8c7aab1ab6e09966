/*
  Joints and contacts of bodies with large rotations, all candidates of a system at once, at random states far from the start: gaps, rows and rates of rows are those of one motion,

      g' = w(q)' v,     d = d/dt (W(q)' v) for velocities that are held

  by central differences along NsModelMove.
*/
#include "random_numbers.h"
#include "support.h"

static const char *const touching =
  "bodies:\n"
  "  box:  {type: body, mass: 2, inertia: [0.01, 0.02, 0.025], shapes: {hull: {box: [0.2, 0.3, 0.4], at: [0.01, 0.02, 0.03]}}, at: [0, 0, 5]}\n"
  "  ball: {type: body, density: 1000, shapes: {ball: {sphere: 0.1}, ear: {sphere: 0.05, at: [0.1, 0.2, 0]}}, at: [1, 2, 3]}\n"
  "  pill: {type: body, density: 1000, shapes: {pill: {capsule: {radius: 0.1, length: 0.4}}, knob: {sphere: 0.08, at: [0, 0.1, 0.2]}}, at: [-1, 0.5, 2]}\n"
  "contacts:\n"
  "  slope: {between: [[box.hull, ball.ball, pill.pill], {plane: {point: [0.1, 0, 0], normal: [0.36, 0.48, 0.8]}}], friction: 0.3}\n"
  "  balls: {between: [ball.ear, pill.knob], friction: 0.2}\n"
  "scheme: {type: half_explicit, step: 0.1 ms}\n"
  "time: {end: 1 ms}\n";

static const char *const flat = "bodies:\n"
                                "  rod:  {type: body, dimension: 2, mass: 2, inertia: 0.1, points: {tip: [0.5, 0.1, 0]}, at: [0, 3, 0]}\n"
                                "  disc: {type: body, dimension: 2, mass: 1, inertia: 0.02, shapes: {disc: {sphere: 0.1}}, at: [1, 2, 0]}\n"
                                "contacts:\n"
                                "  floor: {between: [[rod.tip, disc.disc], {plane: {point: [0, 0, 0], normal: [0.6, 0.8, 0]}}], friction: 0.3}\n"
                                "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                "time: {end: 1 ms}\n";

/* Joints of each kind, closed at the start and pulled open by the random motion. */
static const char *const jointed =
  "bodies:\n"
  "  a: {type: body, mass: 2, inertia: [0.1, 0.2, 0.25], points: {end: [0.5, 0, 0]}, at: [0, 0, 0]}\n"
  "  b: {type: body, mass: 1, inertia: [0.1, 0.2, 0.25], points: {end: [0.5, 0, 0], start: [-0.5, 0, 0]}, at: [1, 0, 0]}\n"
  "  c: {type: body, mass: 1, inertia: [0.1, 0.2, 0.25], points: {start: [-0.5, 0, 0]}, at: [2, 0, 0]}\n"
  "joints:\n"
  "  one:   {type: revolute, between: [ground, a.center], axis: [0, 0.6, 0.8]}\n"
  "  two:   {type: spherical, between: [a.end, b.start]}\n"
  "  three: {type: prismatic, between: [b.end, c.start], axis: [1, 0, 0]}\n"
  "scheme: {type: half_explicit, step: 0.1 ms}\n"
  "time: {end: 1 ms}\n";

/* A velocity that the model knows: without that beside p0, which is always zero. */
static void draw_velocity(const NsModel *model, PetscReal size, Vec v, Vec q)
{
  PetscReal *a = NsVecArray(v);
  PetscInt   n;

  CHECK(VecGetLocalSize(q, &n));
  for (PetscInt i = 0; i < n; i++) a[i] = size * draw();
  for (PetscInt i = 0; n % 7 == 0 && i < n; i += 7) a[i + 3] = 0; /* in space: x, y, z, p0, w */
  (void)model;
}

typedef struct {
  PetscReal *gap, *velocity;
} Values;

static void look(NsModel *model, NsRows *rows, const PetscInt *all, Vec q, Vec v, Values to)
{
  CHECK(NsModelGap(model, 0, q, to.gap));
  CHECK(NsModelRows(model, 0, q, model->candidates, all, rows));
  CHECK(NsRowsVelocity(model, rows, v, to.velocity));
}

static void check(const char *text)
{
  const PetscReal h     = 1e-5;
  TestRun         test  = test_run_open(text, NULL);
  NsModel        *model = test.run->model;
  PetscInt       *all   = NsArenaAlloc(test.arena, sizeof(*all) * (size_t)model->candidates);
  PetscReal      *rate  = NsArenaAlloc(test.arena, sizeof(*rate) * 3 * (size_t)model->candidates);
  NsRows          rows;
  Values          at[3];
  Vec             q, beside, v;

  for (int i = 0; i < 3; i++) {
    at[i].gap      = NsArenaAlloc(test.arena, sizeof(PetscReal) * (size_t)model->candidates);
    at[i].velocity = NsArenaAlloc(test.arena, sizeof(PetscReal) * 3 * (size_t)model->candidates);
  }
  for (PetscInt i = 0; i < model->candidates; i++) all[i] = i;
  CHECK(NsRowsCreate(model, &rows));
  CHECK(VecDuplicate(test.run->state.q, &q));
  CHECK(VecDuplicate(q, &beside));
  CHECK(VecDuplicate(q, &v));
  for (int trial = 0; trial < 50; trial++) {
    draw_velocity(model, 1, v, q);
    CHECK(NsModelMove(model, test.run->state.q, 1, v, q));
    draw_velocity(model, 2, v, q);
    for (int side = -1; side <= 1; side += 2) {
      CHECK(NsModelMove(model, q, side * h, v, beside));
      look(model, &rows, all, beside, v, at[side + 1]);
    }
    look(model, &rows, all, q, v, at[1]);
    CHECK(model->contact.rowrate(model, 0, q, v, &rows, rate));
    for (PetscInt i = 0; i < rows.contacts; i++) {
      assert_near((at[2].gap[i] - at[0].gap[i]) / (2 * h), at[1].velocity[rows.start[i]], 1e-7);
      for (PetscInt k = rows.start[i]; k < rows.start[i + 1]; k++)
        assert_near((at[2].velocity[k] - at[0].velocity[k]) / (2 * h), rate[k], 1e-6 * (1 + PetscAbsReal(rate[k])));
    }
  }
  CHECK(VecDestroy(&q));
  CHECK(VecDestroy(&beside));
  CHECK(VecDestroy(&v));
  CHECK(NsRowsDestroy(&rows));
  test_run_close(&test);
}

static void contacts_in_space(void **state)
{
  (void)state;
  check(touching);
}

static void contacts_in_the_plane(void **state)
{
  (void)state;
  check(flat);
}

static void joints_in_space(void **state)
{
  (void)state;
  check(jointed);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(contacts_in_space), cmocka_unit_test(contacts_in_the_plane), cmocka_unit_test(joints_in_space)};
TEST_MAIN(tests)
