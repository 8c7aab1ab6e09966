/* Contact pairs: rows against differences of gaps and against material points, rates of rows, prescribed spin; and runs with cylinders, spheres and balls. */
#include "random_numbers.h"
#include "support.h"
#include "pair_point.h"

#define TOUCHES 24
#define ROWS    3

/* Two spins over time, as the reader fills them: a run-up, and a constant one. */
static double       run_up_rows[] = {0.5, 2, 1.5, 10};
static const NsSpin run_up = {.table = {2, run_up_rows}}, constant_spin = {.constant = -3};

/* A point that moves along x, y, z by its first three unknowns, and by the others moves and turns anyhow. */
static NsPoint random_point(PetscInt unknowns, PetscInt first)
{
  NsPoint point = {.unknowns = unknowns};

  for (int k = 0; k < 3; k++) point.x[k] = draw();
  for (PetscInt a = 0; a < unknowns; a++) {
    point.touch[a] = first + a;
    for (int k = 0; k < 3; k++) {
      point.move[a][k] = a < 3 ? a == k : draw();
      point.turn[a][k] = a < 3 ? 0 : draw();
    }
  }
  return point;
}

typedef struct {
  NsPair      pair;
  NsPoint     point[2]; /* of the pair, which sees them by tie() */
  NsPairPoint tied[2];
  NsPairFrame frame;
  PetscBool   inside;
  PetscReal   axis[3], plane_velocity[3]; /* 0: none */
  PetscReal   q[TOUCHES], v[TOUCHES], t;
} Trial;

static void tie(Trial *trial)
{
  for (int p = 0; p < 2; p++) {
    trial->tied[p]       = pair_point(&trial->point[p]);
    trial->pair.point[p] = &trial->tied[p];
  }
  trial->pair.frame = &trial->frame;
}

static NsArena *arena;

static int open_arena(void **state)
{
  (void)state;
  arena = NsArenaCreate();
  return 0;
}

static int close_arena(void **state)
{
  (void)state;
  NsArenaDestroy(&arena);
  return 0;
}

/* A pair against the surface that the text describes, as in a config: "cylinder: {...}". */
static void set_surface(Trial *trial, const char *text)
{
  NsPair           *pair = &trial->pair;
  NsDiag           *diag = NsDiagCreate(arena);
  const NsNode     *node = NsTreeReadText("test", text, strlen(text), arena, diag);
  NsPartnerSettings partner;

  assert_non_null(node);
  if (!NsKeysRead(NsTable_Contact.keys[0].table, node, &partner, arena, diag)) fail_msg("%s", text);
  const int which = NsPartnerSurface(&partner);
  pair->type      = NsSurfaceTypes[which];
  pair->data      = NsArenaAlloc(arena, pair->type->size);
  tie(trial);
  assert_true(pair->type->create(pair, &(NsPairSetup){partner.surface[which], 0.2, diag}, &trial->point[1]));
  tie(trial);
}

/* A cylinder of this axis, or with 0 a sphere, around the second point. */
static void set_round(Trial *trial, PetscReal radius, PetscBool inside, const PetscReal axis[3])
{
  const PetscReal *x    = trial->point[1].x;
  const char      *side = inside ? "inside" : "outside";

  trial->inside = inside;
  for (int k = 0; k < 3; k++) trial->axis[k] = axis[k];
  if (NsDot3(axis, axis) > 0)
    set_surface(trial, NsArenaPrint(arena, "cylinder: {center: [%.17g, %.17g, %.17g], axis: [%.17g, %.17g, %.17g], radius: %.17g, side: %s}", x[0],
                         x[1], x[2], axis[0], axis[1], axis[2], radius, side));
  else
    set_surface(trial, NsArenaPrint(arena, "sphere: {center: [%.17g, %.17g, %.17g], radius: %.17g, side: %s}", x[0], x[1], x[2], radius, side));
}

static void finish(Trial *trial, PetscReal friction)
{
  trial->t           = 1 + 0.3 * draw();
  trial->pair.offset = 0.1 * draw();
  for (int i = 0; i < TOUCHES; i++) {
    trial->q[i] = 0.3 * draw();
    trial->v[i] = draw();
  }
  trial->pair.type->prepare(&trial->pair, trial->q, friction);
  for (int i = 0; i < TOUCHES; i++) trial->q[i] += 0.3 * draw(); /* away from the start, where tangents are carried along */
}

/* `kind` counts through all: plane, node against node, and the round ones inside and outside, around fixed centres and moving ones. */
#define KINDS 10
static void random_trial(Trial *trial, int kind)
{
  NsPair   *pair    = &trial->pair;
  PetscReal axis[3] = {0, 0, 0}, n[3], p[3];

  memset(trial, 0, sizeof(*trial));
  tie(trial);
  trial->point[0] = random_point(12, 0);
  if (kind == 0) {
    pair->radius[0] = 0.3;
    draw_unit(n);
    for (int k = 0; k < 3; k++) p[k] = draw();
    NsCross3(n, p, trial->plane_velocity);
    const PetscReal *s = trial->plane_velocity;
    set_surface(trial, NsArenaPrint(arena, "plane: {point: [%.17g, %.17g, %.17g], normal: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g]}",
                         p[0], p[1], p[2], n[0], n[1], n[2], s[0], s[1], s[2]));
  } else if (kind == 1) {
    pair->type = &NsPairType_NodeNode;
    draw_unit(pair->frame->normal);
    trial->point[1] = random_point(12, 12);
  } else {
    const PetscBool inside = (kind / 2) % 2 == 1;
    trial->point[1]        = random_point(kind < 6 ? 12 : 0, 12);
    pair->radius[0]        = 0.4;
    if (kind % 2 == 0) draw_unit(axis);
    set_round(trial, inside ? 0.9 : 0.7, inside, axis);
    trial->point[1].spin = &constant_spin;
    draw_unit(trial->point[1].axis);
  }
  trial->point[0].spin = &run_up;
  draw_unit(trial->point[0].axis);
  tie(trial);
  finish(trial, 0.2);
}

typedef struct {
  NsRows    rows;
  PetscInt  first[ROWS + 1], touch[ROWS * TOUCHES];
  PetscReal value[ROWS * TOUCHES], drive[ROWS];
} Room;

static NsRows *make_room(Room *room)
{
  room->rows = (NsRows){
    .first = room->first, .touch = room->touch, .value = room->value, .drive = room->drive, .row_capacity = ROWS, .entry_capacity = ROWS * TOUCHES};
  room->first[0] = 0;
  return &room->rows;
}

/* W' dense [ROWS, TOUCHES], and u = W' v + drive. */
static void rows_of(const Trial *trial, PetscReal t, const PetscReal *q, PetscReal W[ROWS][TOUCHES], PetscReal u[ROWS])
{
  Room    room;
  NsRows *rows = make_room(&room);

  CHECK(trial->pair.type->rows(&trial->pair, t, q, rows));
  assert_int_equal(rows->rows, 1 + trial->pair.frame->tangents);
  memset(W, 0, sizeof(PetscReal) * ROWS * TOUCHES);
  for (PetscInt r = 0; r < rows->rows; r++) {
    u[r] = rows->drive[r];
    for (PetscInt j = rows->first[r]; j < rows->first[r + 1]; j++) {
      W[r][rows->touch[j]] += rows->value[j];
      u[r] += rows->value[j] * trial->v[rows->touch[j]];
    }
  }
}

static void moved(const Trial *trial, PetscReal h, PetscReal q[TOUCHES])
{
  for (int i = 0; i < TOUCHES; i++) q[i] = trial->q[i] + h * trial->v[i];
}

static void normals_are_gradients_of_gaps(void **state)
{
  const PetscReal h = 1e-6;

  (void)state;
  seed = 1;
  for (int i = 0; i < 200; i++) {
    Trial trial;
    random_trial(&trial, i % KINDS);
    PetscReal W[ROWS][TOUCHES], u[ROWS];
    rows_of(&trial, trial.t, trial.q, W, u);
    for (int k = 0; k < TOUCHES; k++) {
      PetscReal up[TOUCHES], down[TOUCHES];
      moved(&trial, 0, up);
      moved(&trial, 0, down);
      up[k] += h;
      down[k] -= h;
      const NsPairType *type = trial.pair.type;
      assert_near(W[0][k], (type->gap(&trial.pair, up, NULL) - type->gap(&trial.pair, down, NULL)) / (2 * h), 1e-8);
    }
  }
}

/* Displacement, velocity and angular velocity of a point, summed here once more. */
static void motion_of(const Trial *trial, int p, PetscReal x[3], PetscReal v[3], PetscReal w[3])
{
  const NsPoint  *point = &trial->point[p];
  const PetscReal spin  = p ? -3 : 2 + 8 * (trial->t - 0.5); /* the run-up between its rows */

  for (int k = 0; k < 3; k++) {
    x[k] = point->x[k];
    v[k] = 0;
    w[k] = point->spin ? spin * point->axis[k] : 0;
    for (PetscInt a = 0; a < point->unknowns; a++) {
      x[k] += point->move[a][k] * trial->q[point->touch[a]];
      v[k] += point->move[a][k] * trial->v[point->touch[a]];
      w[k] += point->turn[a][k] * trial->v[point->touch[a]];
    }
  }
}

/* v + w x (at - centre) */
static void material_velocity(const PetscReal centre[3], const PetscReal v[3], const PetscReal w[3], const PetscReal at[3], PetscReal out[3])
{
  const PetscReal arm[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};

  NsCross3(w, arm, out);
  for (int k = 0; k < 3; k++) out[k] += v[k];
}

/* Directions are what the unknowns that only move the first point along x, y, z see; u is then the velocity of material points along them. */
static void tangents_see_material_points(void **state)
{
  (void)state;
  seed = 2;
  for (int i = 0; i < 200; i++) {
    Trial trial;
    random_trial(&trial, i % KINDS);
    const NsPair *pair = &trial.pair;
    PetscReal     W[ROWS][TOUCHES], u[ROWS], x[2][3], v[2][3], w[2][3], between[2][3], direction[ROWS][3], touching[2][3];
    rows_of(&trial, trial.t, trial.q, W, u);
    for (int p = 0; p < 2; p++) motion_of(&trial, p, x[p], v[p], w[p]);
    assert_int_equal(pair->frame->tangents, 2);
    for (int r = 0; r < ROWS; r++) {
      for (int k = 0; k < 3; k++) direction[r][k] = (pair->type == &NsPairType_NodeNode ? -1 : 1) * W[r][k];
      for (int s = 0; s <= r; s++) assert_near(NsDot3(direction[r], direction[s]), r == s, 1e-12);
    }
    for (int k = 0; k < 3; k++) touching[0][k] = touching[1][k] = x[0][k] - pair->radius[0] * direction[0][k];
    if (!pair->type->flat) { /* the surface's own point at the foot of the first centre */
      PetscReal       d[3]  = {x[0][0] - x[1][0], x[0][1] - x[1][1], x[0][2] - x[1][2]}, length;
      const PetscReal along = NsDot3(d, trial.axis);
      for (int k = 0; k < 3; k++) d[k] -= along * trial.axis[k];
      length = PetscSqrtReal(NsDot3(d, d));
      for (int k = 0; k < 3; k++) {
        touching[1][k] = x[1][k] + pair->radius[1] * d[k] / length;
        assert_near(direction[0][k], (trial.inside ? -1 : 1) * d[k] / length, 1e-12);
      }
    }
    if (pair->type == &NsPairType_NodeNode) {
      for (int k = 0; k < 3; k++) {
        between[0][k] = v[0][k];
        between[1][k] = v[1][k];
      }
    } else {
      for (int p = 0; p < 2; p++) material_velocity(x[p], v[p], w[p], touching[p], between[p]);
    }
    if (pair->type->flat && pair->type != &NsPairType_NodeNode) {
      for (int k = 0; k < 3; k++) between[1][k] = trial.plane_velocity[k];
    }
    for (int r = 0; r < ROWS; r++) {
      const PetscReal sign = pair->type == &NsPairType_NodeNode ? -1 : 1;
      assert_near(u[r], sign * (NsDot3(direction[r], between[0]) - NsDot3(direction[r], between[1])), 1e-12);
    }
  }
}

/* Along q + h v:  d/dh (W' v + drive). */
static void rates_are_differences_of_rows(void **state)
{
  const PetscReal h = 1e-5;

  (void)state;
  seed = 3;
  for (int i = 0; i < 200; i++) {
    Trial trial;
    random_trial(&trial, i % KINDS);
    PetscReal W[ROWS][TOUCHES], before[ROWS], after[ROWS], q[TOUCHES], d[ROWS] = {0, 0, 0};
    moved(&trial, -h, q);
    rows_of(&trial, trial.t - h, q, W, before);
    moved(&trial, h, q);
    rows_of(&trial, trial.t + h, q, W, after);
    if (trial.pair.type->rate) trial.pair.type->rate(&trial.pair, trial.t, trial.q, trial.v, d);
    for (int r = 0; r < ROWS; r++) {
      const PetscReal difference = (after[r] - before[r]) / (2 * h);
      assert_near(d[r], difference, 1e-6 * (1 + PetscAbsReal(difference)));
    }
  }
}

/* A journal of a rotor in a housing: t . d' + r_J alpha' - r_B phi', up to the sign of t. */
static void journal_in_housing(void **state)
{
  Trial     trial = {.pair = {.radius = {1e-2}}};
  PetscReal W[ROWS][TOUCHES], u[ROWS];

  (void)state;
  set_round(&trial, 1.01e-2, PETSC_TRUE, (const PetscReal[3]){1, 0, 0});
  for (int p = 0; p < 2; p++) { /* y, z, and the turn about the axis */
    NsPoint *point  = &trial.point[p];
    point->unknowns = 3;
    for (int a = 0; a < 3; a++) {
      point->touch[a] = 3 * p + a;
      for (int k = 0; k < 3; k++) {
        point->move[a][k] = a < 2 && k == a + 1;
        point->turn[a][k] = a == 2 && k == 0;
      }
    }
  }
  tie(&trial);
  trial.q[0] = 6e-5;
  trial.q[1] = -8e-5;
  trial.v[0] = 0.1;
  trial.v[1] = 0.2;
  trial.v[2] = 300;
  trial.v[3] = 0.03;
  trial.v[5] = 7;
  trial.pair.type->prepare(&trial.pair, trial.q, 0.01);
  assert_int_equal(trial.pair.frame->tangents, 1); /* nothing moves along the axis */
  assert_near(trial.pair.type->gap(&trial.pair, trial.q, NULL), 0, 1e-17);
  rows_of(&trial, 0, trial.q, W, u);
  const PetscReal e[2] = {0.6, -0.8}, t[2] = {0.8, 0.6}; /* t = x cross e */
  assert_near(u[0], -(e[0] * (0.1 - 0.03) + e[1] * 0.2), 1e-15);
  assert_near(PetscAbsReal(u[1]), t[0] * (0.1 - 0.03) + t[1] * 0.2 + 1e-2 * 300 - 1.01e-2 * 7, 1e-14);
}

/* A turn all around, opposite to the start too: the tangent of a cylinder is axis x n everywhere, and a sphere's in the plane does not jump. */
static void tangents_go_round(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    Trial trial = {.t = 0};
    set_round(&trial, 1, kind > 1, (const PetscReal[3]){0, 0, kind % 2 ? 0 : 1});
    trial.point[0].unknowns = 2;
    for (int a = 0; a < 2; a++) {
      trial.point[0].touch[a]   = a;
      trial.point[0].move[a][a] = 1;
    }
    tie(&trial);
    trial.q[0] = 1;
    trial.pair.type->prepare(&trial.pair, trial.q, 1);
    assert_int_equal(trial.pair.frame->tangents, 1);
    PetscReal last[2] = {trial.pair.frame->tangent[0][0], trial.pair.frame->tangent[0][1]};
    for (int i = 0; i <= 720; i++) {
      PetscReal W[ROWS][TOUCHES], u[ROWS];
      trial.q[0] = i == 360 ? -1 : PetscCosReal(i * PETSC_PI / 360);
      trial.q[1] = i == 360 ? 0 : PetscSinReal(i * PETSC_PI / 360);
      rows_of(&trial, 0, trial.q, W, u);
      assert_near(W[1][0] * last[0] + W[1][1] * last[1], 1, 1e-3);
      assert_near(W[1][0] * trial.q[0] + W[1][1] * trial.q[1], 0, 1e-12);
      last[0] = W[1][0];
      last[1] = W[1][1];
    }
  }
}

static void centred_journal_is_a_number(void **state)
{
  static const PetscReal sizes[] = {0, 1e-320, 1e-301, 1e-200, 1e-160, 1e-20};

  (void)state;
  seed = 4;
  for (int i = 0; i < 8; i++) {
    Trial trial;
    random_trial(&trial, 2 + i);
    for (int k = 0; k < TOUCHES; k++) trial.q[k] = 0;
    for (int k = 0; k < 3; k++) trial.point[0].x[k] = trial.point[1].x[k] = 0;
    tie(&trial);
    for (int s = 0; s < 6; s++) {
      PetscReal W[ROWS][TOUCHES], u[ROWS], d[ROWS], n2 = 0;
      trial.q[0] = sizes[s];
      for (int prepared = 0; prepared < 2; prepared++) {
        rows_of(&trial, trial.t, trial.q, W, u);
        trial.pair.type->rate(&trial.pair, trial.t, trial.q, trial.v, d);
        for (int r = 0; r < ROWS; r++) assert_false(PetscIsInfOrNanReal(u[r]) || PetscIsInfOrNanReal(d[r]));
        for (int k = 0; k < 3; k++) n2 += W[0][k] * W[0][k];
        trial.pair.type->prepare(&trial.pair, trial.q, 0.1);
        assert_int_equal(trial.pair.frame->tangents, 2);
      }
      assert_near(n2, 2, 1e-12);
      assert_near(trial.pair.type->gap(&trial.pair, trial.q, NULL), (trial.inside ? 1 : -1) * trial.pair.radius[1] - 0.4 + trial.pair.offset, 1e-15);
    }
  }
}

/* No friction, no tangents; nor where nothing can move along the surface. */
static void tangents_are_those_of_motion(void **state)
{
  Trial trial;

  (void)state;
  seed = 5;
  for (int kind = 0; kind < KINDS; kind++) {
    random_trial(&trial, kind);
    trial.pair.type->prepare(&trial.pair, trial.q, 0);
    assert_int_equal(trial.pair.frame->tangents, 0);
    assert_true(NsPairActs(&trial.pair));
    trial.point[0].unknowns = trial.point[1].unknowns = 0;
    tie(&trial);
    trial.pair.type->prepare(&trial.pair, trial.q, 0.3);
    assert_int_equal(trial.pair.frame->tangents, 0);
    assert_false(NsPairActs(&trial.pair));
  }
  /* a bar that moves along x towards the centre, a ball around its end that cannot turn, and then one that can */
  for (int kind = 0; kind < 2; kind++) {
    memset(&trial, 0, sizeof(trial));
    set_round(&trial, 1, PETSC_FALSE, (const PetscReal[3]){0, 0, kind ? 0 : 1});
    trial.pair.radius[0]      = 0.1;
    trial.point[0].unknowns   = 1;
    trial.point[0].x[0]       = 2;
    trial.point[0].move[0][0] = 1;
    tie(&trial);
    trial.pair.type->prepare(&trial.pair, trial.q, 0.3);
    assert_int_equal(trial.pair.frame->tangents, 0);
    trial.point[0].x[1] = 0.2; /* beside the centre it rubs */
    tie(&trial);
    trial.pair.type->prepare(&trial.pair, trial.q, 0.3);
    assert_int_equal(trial.pair.frame->tangents, 1);
    trial.point[0].unknowns   = 2;
    trial.point[0].touch[1]   = 1;
    trial.point[0].turn[1][2] = 1;
    trial.point[0].x[1]       = 0;
    tie(&trial);
    trial.pair.type->prepare(&trial.pair, trial.q, 0.3);
    assert_int_equal(trial.pair.frame->tangents, 1);
    assert_near(PetscAbsReal(trial.pair.frame->tangent[0][1]), 1, 1e-15);
  }
}

static NsSpin read_spin(const char *text)
{
  NsDiag       *diag = NsDiagCreate(arena);
  const NsNode *node = NsTreeReadText("test", text, strlen(text), arena, diag);
  NsSpin        spin;

  assert_non_null(node);
  assert_true(NsKeysRead(&NsTable_Spin, node, &spin, arena, diag));
  return spin;
}

static void spin_over_time(void **state)
{
  NsSpin       spin = read_spin("constant: 60 rpm\n");
  const double h    = 1e-6;

  (void)state;
  assert_near(NsSpinRate(&spin, 3), 2 * PETSC_PI, 1e-14);
  assert_near(NsSpinAngle(&spin, 3), 6 * PETSC_PI, 1e-13);
  assert_near(NsSpinAcceleration(&spin, 3), 0, 0);
  assert_false(NsSpinIsFree(&spin));
  spin = read_spin("free: 60 rpm\n");
  assert_true(NsSpinIsFree(&spin));
  assert_near(spin.free, 2 * PETSC_PI, 1e-14);
  assert_near(NsSpinRate(&spin, 1), 0, 0);
  assert_false(NsSpinIsFree(NULL));
  assert_near(NsSpinRate(NULL, 1) + NsSpinAngle(NULL, 1) + NsSpinAcceleration(NULL, 1), 0, 0);

  spin = read_spin("table: [[1, 2 rad/s], [2, 4 rad/s], [4, -4 rad/s]]\n");
  assert_near(NsSpinAngle(&spin, 0), 0, 0);
  assert_near(NsSpinAngle(&spin, 1), 2, 1e-15);
  assert_near(NsSpinAngle(&spin, 1.5), 2 + 1.25, 1e-15);
  assert_near(NsSpinAngle(&spin, 2), 5, 1e-15);
  assert_near(NsSpinAngle(&spin, 3), 5 + 2, 1e-15);
  assert_near(NsSpinAngle(&spin, 4), 5, 1e-15);
  assert_near(NsSpinAngle(&spin, 5), 1, 1e-15);
  assert_near(NsSpinAngle(&spin, -1), -2, 1e-15);
  assert_near(NsSpinAcceleration(&spin, 0.9), 0, 0);
  assert_near(NsSpinAcceleration(&spin, 1), 2, 0);
  assert_near(NsSpinAcceleration(&spin, 2), -4, 0);
  assert_near(NsSpinAcceleration(&spin, 4), 0, 0);
  for (double t = -0.95; t < 6; t += 0.1) {
    assert_near(NsSpinRate(&spin, t), (NsSpinAngle(&spin, t + h) - NsSpinAngle(&spin, t - h)) / (2 * h), 1e-8);
    assert_near(NsSpinAcceleration(&spin, t), (NsSpinRate(&spin, t + h) - NsSpinRate(&spin, t - h)) / (2 * h), 1e-8);
  }
  spin = read_spin("table: [[-1, 1 rad/s], [1, 3 rad/s]]\n"); /* begins before t = 0 */
  assert_near(NsSpinAngle(&spin, 0), 0, 0);
  assert_near(NsSpinAngle(&spin, 1), 2.5, 1e-15);
  assert_near(NsSpinAngle(&spin, -1), -1.5, 1e-15);
}

/* A point mass: the end of a string that is nothing but its node. */
#define BOB(dimension, x) \
  "bodies:\n" \
  "  string:\n" \
  "    type: truss\n" \
  "    dimension: " dimension "\n" \
  "    mesh: {line: {from: [7, 0, 0], to: " x ", elements: 1}}\n" \
  "    material: {density: 1e-12, young: 1e-9}\n" \
  "    section: {area: 1}\n"
#define BOB_REST \
  "supports: {clamp: {at: string.left}}\n" \
  "masses: {bob: {at: string.right, mass: 1 kg}}\n" \
  "scheme: {type: half_explicit, step: 1 ms}\n" \
  "time: {end: 2 s}\n"

/* Released at 60 degrees from the bottom of a bore, without friction: as a pendulum. Its period 2 pi sqrt(R/g) 1.0731820071 is a figure of elliptic integrals. */
static const char *const in_hollow = "gravity: [0, -9.81, 0]\n" BOB("2", "[0.8660254037844386, -0.5, 0]") BOB_REST;

static void slides_in_a_bore(void **state)
{
  static const char *const surfaces[] = {
    "contacts={hollow: {between: [string.right, {cylinder: {center: [0, 0, 0], axis: [0, 0, -3], radius: 1, side: inside}}]}}",
    "contacts={hollow: {between: [string.right, {sphere: {center: [0, 0, 0], radius: 1, side: inside}}]}}",
    "contacts={hollow: {between: [{node: string.right, radius: 0.2, offset: [0, 1, 0]}, {cylinder: {center: [0, 1, 0], axis: [0, 0, 1], radius: 1.2, side: inside}}]}}"};
  const double period = 2 * PETSC_PI / PetscSqrtReal(9.81) * 1.0731820071;

  (void)state;
  for (int i = 0; i < 3; i++) {
    const char *const  set[]   = {surfaces[i], NULL};
    TestRun            test    = test_run_open(in_hollow, set);
    double             deepest = 0, highest = 0, left = 0, at = 0;
    const PetscScalar *q;
    for (PetscInt64 k = 0; k < test.run->steps; k++) {
      test_step(test.run);
      CHECK(NsContactGaps(test.run->contact, test.run->state.t, test.run->state.q));
      deepest = PetscMin(deepest, NsContactLastGaps(test.run->contact)[0]);
      highest = PetscMax(highest, NsContactLastGaps(test.run->contact)[0]);
      CHECK(VecGetArrayRead(test.run->state.q, &q));
      if (q[0] < left) {
        left = q[0];
        at   = test.run->state.t;
      }
      CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    }
    assert_true(deepest > -1e-7 && highest < 1e-7);
    assert_near(left, -2 * 0.8660254037844386, 1e-5); /* as high on the other side */
    assert_near(at, period / 2, 2e-3);
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    assert_near(test.run->ledger.numerical, 0, 1e-5);
    assert_near(test.run->ledger.impact, 0, 0);
    test_run_close(&test);
  }
}

/* Schemes that project hold a curved gap to rounding. */
static void projections_hold_curved_gaps(void **state)
{
  static const char *const schemes[] = {"scheme.type=ggl_decoupled", "scheme.type=ggl_unified"};

  (void)state;
  for (int i = 0; i < 2; i++) {
    const char *const set[] = {
      schemes[i], "contacts={hollow: {between: [string.right, {sphere: {center: [0, 0, 0], radius: 1, side: inside}}]}}", "time.end=0.5", NULL};
    TestRun test = test_run_open(in_hollow, set);
    for (PetscInt64 k = 0; k < test.run->steps; k++) {
      test_step(test.run);
      CHECK(NsContactGaps(test.run->contact, test.run->state.t, test.run->state.q));
      assert_true(NsContactLastGaps(test.run->contact)[0] > -1e-14);
    }
    test_run_close(&test);
  }
}

/* Dropped on the top of a sphere with e = 1 it comes back to where it was; a ball on a plane lands with its surface, not its node. */
static void bounces(void **state)
{
  static const char *const text       = "gravity: [0, -9.81, 0]\n" BOB("3", "[0, 1.5, 0]") BOB_REST;
  static const char *const surfaces[] = {
    "contacts={top: {between: [string.right, {sphere: {center: [0, 0, 0], radius: 1, side: outside}}], restitution: 1}}",
    "contacts={top: {between: [{node: string.right, radius: 0.25}, {cylinder: {center: [9, 0, 0], axis: [1, 0, 0], radius: 0.75, side: outside}}], restitution: 1}}",
    "contacts={top: {between: [{node: string.right, radius: 0.25}, {plane: {point: [0, 0.75, 0], normal: [0, 1, 0]}}], restitution: 1}}"};

  (void)state;
  for (int i = 0; i < 3; i++) {
    const char *const  set[]  = {surfaces[i], "scheme.step=0.1 ms", "time.end=0.7", NULL};
    TestRun            test   = test_run_open(text, set);
    double             lowest = 0, last = 0;
    const PetscScalar *q;
    for (PetscInt64 k = 0; k < test.run->steps; k++) {
      test_step(test.run);
      CHECK(VecGetArrayRead(test.run->state.q, &q));
      lowest = PetscMin(lowest, q[1]);
      last   = q[1];
      assert_near(q[0], 0, 1e-10);
      CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    }
    const double fall = PetscSqrtReal(2 * 0.5 / 9.81), since = 0.7 - 2 * fall;
    assert_near(lowest, -0.5, 1e-3);
    assert_near(last, -9.81 / 2 * since * since, 1e-3); /* falling for the second time, having been at the top again */
    test_run_close(&test);
  }
}

/* At the angle of friction in a drum that turns under it, a point stays where it is: mu N = m g sin(angle), N = m g cos(angle). */
static void drum_holds_at_the_angle_of_friction(void **state)
{
  static const char *const text = "gravity: [0, -10, 0]\n" BOB("2", "[0.28734788556634544, -0.9578262852211514, 0]") BOB_REST
    "contacts:\n"
    "  drum: {between: [string.right, {cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1, side: inside, spin: 30 rpm}}], friction: 0.3}\n";
  TestRun            test = test_run_open(text, NULL);
  const PetscScalar *q;

  (void)state;
  for (PetscInt64 k = 0; k < test.run->steps; k++) test_step(test.run);
  CHECK(VecGetArrayRead(test.run->state.q, &q));
  assert_near(q[0], 0, 1e-8);
  assert_near(q[1], 0, 1e-8);
  CHECK(VecRestoreArrayRead(test.run->state.q, &q));
  assert_near(NsContactReports(test.run->contact)[0].force[0], 9.578262852211514, 1e-6);
  assert_near(PetscAbsReal(NsContactReports(test.run->contact)[0].force[1]), 0.3 * 9.578262852211514, 1e-6);
  assert_near(PetscAbsReal(NsContactReports(test.run->contact)[0].velocity_after[1]), PETSC_PI, 1e-6);
  test_run_close(&test);
}

/* A ring of 2 kg carried by one node around a ball of 1 kg carried by another: after a plastic impact both go on together. */
static void both_partners_move(void **state)
{
  static const char *const text =
    "bodies:\n"
    "  a: {type: truss, dimension: 2, mesh: {line: {from: [5, 0, 0], to: [0, 0, 0], elements: 1}}, material: {density: 1e-12, young: 1e-9},\n"
    "    section: {area: 1}, initial: {velocity: [3, 0, 0]}}\n"
    "  b: {type: truss, dimension: 2, mesh: {line: {from: [-5, 0, 0], to: [-1, 0, 0], elements: 1}}, material: {density: 1e-12, young: 1e-9}, section: {area: 1}}\n"
    "masses: {ball: {at: a.right, mass: 1}, ring: {at: b.right, mass: 2}}\n"
    "contacts:\n"
    "  ring: {between: [{cylinder: {on: b.right, offset: [1, 0, 0], axis: [0, 0, 1], radius: 0.3, side: inside}}, {node: a.right, radius: 0.1}], restitution: 0.5}\n"
    "scheme: {type: half_explicit, step: 1 ms}\n"
    "time: {end: 0.1 s}\n";
  TestRun            test = test_run_open(text, NULL);
  const PetscScalar *v;
  const PetscInt    *touch;

  (void)state;
  assert_int_equal(test.run->model->touches, 4);
  assert_false(test.run->model->flat_contacts);
  for (PetscInt64 k = 0; k < test.run->steps; k++) test_step(test.run);
  touch = test.run->model->touch; /* those of a, then those of b: x and y of each */
  CHECK(VecGetArrayRead(test.run->state.v, &v));
  assert_near(v[touch[0]], 3.0 / 3 - 2.0 / 3 * 0.5 * 3, 1e-9);
  assert_near(v[touch[2]], 3.0 / 3 + 1.0 / 3 * 0.5 * 3, 1e-9);
  CHECK(VecRestoreArrayRead(test.run->state.v, &v));
  test_run_close(&test);
}

/* In a picture the contact is where the two touch. */
static void contact_points_for_pictures(void **state)
{
  static const char *const text = BOB("2", "[0.8, 0, 0]") BOB_REST
    "contacts:\n"
    "  a: {between: [{node: string.right, radius: 0.2}, {cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1, side: inside}}]}\n"
    "  b: {between: [{node: string.right, radius: 0.3}, {sphere: {center: [-1, 0, 0], radius: 1, side: outside}}]}\n"
    "  c: {between: [{node: string.right, radius: 0.5}, {plane: {point: [0, -1, 0], normal: [0, 1, 0]}}]}\n";
  static const double expected[3][2] = {{1, 0}, {0.5, 0}, {0.8, -0.5}}, normals[3][2] = {{-1, 0}, {1, 0}, {0, 1}};
  TestRun             test = test_run_open(text, NULL);

  (void)state;
  for (PetscInt i = 0; i < 3; i++) {
    PetscReal x[3], u[3], n[3];
    PetscReal touch_q[64];
    assert_true(test.run->model->touches <= 64);
    CHECK(NsModelTouch(test.run->model, test.run->state.q, touch_q));
    CHECK(test.run->model->view.contact_point(test.run->model, 0, touch_q, i, x, u, n));
    for (int k = 0; k < 2; k++) {
      assert_near(x[k] + u[k], expected[i][k], 1e-15);
      assert_near(n[k], normals[i][k], 1e-15);
    }
  }
  test_run_close(&test);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)
/* The first tangent is the coordinate axis farthest from the normal, x before y before z, laid into the plane; in the x-y plane the one in that plane. */
static void first_tangents(void **state)
{
  static const PetscReal normal[][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0.6, 0.8, 0}, {0.8, 0.6, 0}, {0.6, 0, 0.8}, {0, 0.6, -0.8}};
  static const PetscReal wanted[][3] = {{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.8, -0.6, 0}, {-0.6, 0.8, 0}, {0, 1, 0}, {1, 0, 0}};

  (void)state;
  for (size_t i = 0; i < sizeof(normal) / sizeof(*normal); i++) {
    Trial     trial = {.point = {random_point(3, 0), random_point(3, 3)}};
    PetscReal cross[3];
    tie(&trial);
    memcpy(trial.frame.normal, normal[i], sizeof(normal[i]));
    NsPairPrepareFlat(&trial.pair, trial.q, 0.3);
    assert_int_equal(trial.frame.tangents, 2);
    NsCross3(normal[i], wanted[i], cross);
    for (int k = 0; k < 3; k++) {
      assert_near(trial.frame.tangent[0][k], wanted[i][k], 1e-15);
      assert_near(trial.frame.tangent[1][k], cross[k], 1e-15);
    }
  }
}

static const struct CMUnitTest tests[] = {
  WITH_ARENA(normals_are_gradients_of_gaps),
  WITH_ARENA(tangents_see_material_points),
  WITH_ARENA(rates_are_differences_of_rows),
  WITH_ARENA(journal_in_housing),
  WITH_ARENA(tangents_go_round),
  WITH_ARENA(centred_journal_is_a_number),
  WITH_ARENA(tangents_are_those_of_motion),
  WITH_ARENA(spin_over_time),
  cmocka_unit_test(first_tangents),
  cmocka_unit_test(slides_in_a_bore),
  cmocka_unit_test(projections_hold_curved_gaps),
  cmocka_unit_test(bounces),
  cmocka_unit_test(drum_holds_at_the_angle_of_friction),
  cmocka_unit_test(both_partners_move),
  cmocka_unit_test(contact_points_for_pictures),
};
TEST_MAIN(tests)
