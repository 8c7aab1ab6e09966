/*
  Every registered element (src/fe/elements/list.h) keeps the promises of its contract (src/fe/elements/element.h).

  Elements come from bodies: every body type that has elements, with the examples of its required keys, then with each other key once (all words of a choice, else the
  example). Whoever adds an element and a body that uses it has nothing to add here.
*/
#include "expect.h"
#include "random_numbers.h"
#include <petscblaslapack.h>
#include <stdio.h>
#include "fe/elements/line.h"
#include "fe/model/fe.h"

#define NS_BODY(name) extern const NsBodyType NsBodyType_##name;
#include "fe/bodies/list.h"
#undef NS_BODY

static const NsBodyType *const bodies[] = {
#define NS_BODY(name) &NsBodyType_##name,
#include "fe/bodies/list.h"
#undef NS_BODY
};

/* Elements that a body has with other meshes than that of its example: what is written in place of its mesh. */
static const char *const others[] = {
  "{box: {from: [0, 0, 0], to: [1 m, 2 m, 3 m], cells: [2, 1, 2], elements: tet4}}",
  "{box: {from: [0, 0, 0], to: [1 m, 2 m, 3 m], cells: [2, 1, 2], elements: tet10}}",
  "{box: {from: [0, 0, 0], to: [1 m, 2 m, 0], cells: [3, 2, 0], elements: tri3}}",
  "{box: {from: [0, 0, 0], to: [1 m, 2 m, 0], cells: [3, 2, 0], elements: quad4}}",
  "{file: " PERCUSS_SOURCE_DIR "/meshes/patch_hex.msh}",
  "{file: " PERCUSS_SOURCE_DIR "/meshes/patch_quad.msh}",
};

/* A matrix of the element; entries that are not written stay NaN. */
typedef void (*Fill)(const NsFeBody *, const NsFeElement *, PetscReal *);

static void fill(Fill function, const NsFeBody *body, const NsFeElement *e, PetscInt entries, PetscReal *X)
{
  for (PetscInt i = 0; i < entries; i++) X[i] = NAN;
  function(body, e, X);
  for (PetscInt i = 0; i < entries; i++) EXPECT(isfinite(X[i]), "entry %d is not finite, or not written", (int)i);
}

static PetscReal largest(PetscInt n, const PetscReal *x)
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(x[i]));
  return size;
}

static void expect_symmetric(PetscInt n, const PetscReal *X, int sign, const char *what)
{
  for (PetscInt i = 0; i < n * n; i++)
    EXPECT(PetscAbsReal(X[i] - sign * X[n * (i % n) + i / n]) <= 1e-12 * largest(n * n, X), "%s is not %s at [%d, %d]", what,
      sign > 0 ? "symmetric" : "skew", (int)(i / n), (int)(i % n));
}

/* y = X q */
static void multiply(PetscInt n, const PetscReal *X, const PetscReal *q, PetscReal *y)
{
  for (PetscInt i = 0; i < n; i++) {
    y[i] = 0;
    for (PetscInt j = 0; j < n; j++) y[i] += X[i * n + j] * q[j];
  }
}

static PetscReal dot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Displacement a + w x (x - origin) of a point. */
typedef struct {
  PetscReal a[3], w[3], origin[3];
} Rigid;

static void displace(const Rigid *rigid, const PetscReal x[3], PetscReal u[3])
{
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    u[k] = rigid->a[k] + rigid->w[i] * (x[j] - rigid->origin[j]) - rigid->w[j] * (x[i] - rigid->origin[i]);
  }
}

/* DOF of the element in a rigid motion, as far as its body's nodes can follow. */
static void rigid_values(const NsFe *fe, const NsFeElement *e, const Rigid *rigid, PetscReal *q)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscInt  d    = body->node_unknowns;

  for (PetscInt i = 0; i < NsFeElementSize(body); i++) {
    PetscReal u[3];
    displace(rigid, fe->x + 3 * e->node[i / d], u);
    q[i] = NsDot3(body->direction[i % d], body->turns[i % d] ? rigid->w : u);
  }
}

/* Motions that strain: of an axisymmetric body all but that along its axis. */
static PetscBool is_rigid(const NsFeBody *body, int motion)
{
  return !body->solid || body->solid->state != NS_SOLID_AXISYMMETRIC || (motion != 0 && motion != 5);
}

static Rigid make_rigid(const NsFe *fe, const NsFeElement *e, int motion)
{
  Rigid rigid = {{0}, {0}, {0}};

  for (int k = 0; k < 3; k++) rigid.origin[k] = fe->x[3 * e->node[0] + k];
  if (motion < 3)
    rigid.a[motion] = 1;
  else
    rigid.w[motion - 3] = 1;
  return rigid;
}

static void check_mass(const NsFe *fe, const NsFeElement *e)
{
  const NsFeBody    *body = &fe->body[e->body];
  const PetscInt     n = NsFeElementSize(body), d = body->node_unknowns;
  PetscReal          M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], q[NS_ELEMENT_UNKNOWNS], Mq[NS_ELEMENT_UNKNOWNS], sum = 0, directions = 0;
  const PetscReal    mass = body->element->total_mass(body, e);
  const PetscBLASInt size = (PetscBLASInt)n;
  PetscBLASInt       info;

  fill(body->element->mass, body, e, n * n, M);
  expect_symmetric(n, M, 1, "the mass matrix");
  for (PetscInt a = 0; a < d; a++) directions += body->turns[a] ? 0 : 1;
  for (int motion = 0; motion < 3; motion++) {
    const Rigid rigid = make_rigid(fe, e, motion);
    rigid_values(fe, e, &rigid, q);
    multiply(n, M, q, Mq);
    sum += dot(n, q, Mq);
  }
  EXPECT(mass > 0 && PetscAbsReal(sum - directions * mass) <= 1e-10 * sum, "translations see the mass %g kg, total_mass says %g kg", sum / directions,
    mass);
  for (PetscInt i = 0; body->lumped && i < n * n; i++)
    EXPECT(i / n / d == i % n / d || M[i] == 0, "the lumped mass matrix couples two nodes: [%d, %d]", (int)(i / n), (int)(i % n));
  LAPACKpotrf_("U", &size, M, &size, &info);
  EXPECT(info == 0, "the mass matrix is not positive definite (dpotrf returned %d)", (int)info);
}

/* Prestressed: there are section forces without displacements. */
static PetscBool is_stressed(const NsFeBody *body, const NsFeElement *e)
{
  const PetscReal q[NS_ELEMENT_UNKNOWNS] = {0}, xi[3] = {0.5, 0.5, 0.5};
  PetscReal       value[NS_ELEMENT_OUTPUTS];
  PetscInt        count = 0;

  while (body->element->output_names[count]) count++;
  body->element->outputs(body, e, q, xi, value);
  return largest(count, value) > 0;
}

static void check_stiffness(const NsFe *fe, const NsFeElement *e)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscInt  n    = NsFeElementSize(body);
  PetscReal       K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], q[NS_ELEMENT_UNKNOWNS], f[NS_ELEMENT_UNKNOWNS];

  fill(body->element->stiffness, body, e, n * n, K);
  expect_symmetric(n, K, 1, "the stiffness matrix");
  for (int motion = 0; motion < (is_stressed(body, e) ? 3 : 6); motion++) {
    const Rigid rigid = make_rigid(fe, e, motion);
    if (!is_rigid(body, motion)) continue;
    rigid_values(fe, e, &rigid, q);
    multiply(n, K, q, f);
    EXPECT(largest(n, f) <= 1e-10 * largest(n * n, K) * PetscMax(largest(n, q), 1), "rigid motion %d makes a force of %g (largest stiffness %g)",
      motion, largest(n, f), largest(n * n, K));
  }
  for (int k = 0; k < 3; k++) {
    for (PetscInt i = 0; i < n; i++) q[i] = draw();
    multiply(n, K, q, f);
    const PetscReal expected = dot(n, q, f) / 2, energy = body->element->energy(body, e, q);
    EXPECT(PetscAbsReal(energy - expected) <= 1e-9 * PetscAbsReal(expected), "the energy is %g J, q'Kq/2 is %g J", energy, expected);
  }
}

static void check_frequency(const NsFeBody *body, const NsFeElement *e)
{
  const PetscInt n = NsFeElementSize(body);
  PetscReal      M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], values[NS_ELEMENT_UNKNOWNS],
    work[64 * NS_ELEMENT_UNKNOWNS];
  const PetscBLASInt size = (PetscBLASInt)n, room = 64 * NS_ELEMENT_UNKNOWNS, type = 1;
  PetscBLASInt       info;

  if (!body->element->frequency) return;
  body->element->mass(body, e, M);
  body->element->stiffness(body, e, K);
  LAPACKsygv_(&type, "N", "U", &size, K, &size, M, &size, values, work, &room, &info);
  EXPECT(info == 0, "dsygv returned %d", (int)info);
  const PetscReal highest = PetscSqrtReal(values[n - 1]), bound = body->element->frequency(body, e);
  EXPECT(bound >= highest * (1 - 1e-10), "the highest frequency is %g rad/s, above the bound of %g rad/s", highest, bound);
}

static void check_rates(const NsFe *fe, const NsFeElement *e)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscInt  n    = NsFeElementSize(body);
  PetscReal       G[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], row[NS_ELEMENT_UNKNOWNS], q[NS_ELEMENT_UNKNOWNS];

  if (body->element->gyroscopic) {
    fill(body->element->gyroscopic, body, e, n * n, G);
    expect_symmetric(n, G, -1, "the gyroscopic matrix");
  }
  if (!body->element->twist) {
    EXPECT(body->damping_torsion == 0, "an element that does not twist has torsional damping");
    return;
  }
  fill(body->element->twist, body, e, n, row);
  for (int motion = 0; motion < 6; motion++) {
    const Rigid rigid = make_rigid(fe, e, motion);
    rigid_values(fe, e, &rigid, q);
    EXPECT(PetscAbsReal(dot(n, row, q)) <= 1e-12, "rigid motion %d twists it", motion);
  }
}

/* The part of a vector that the body's nodes can follow: of displacements, or of rotations. */
static void follow(const NsFeBody *body, PetscBool turns, const PetscReal x[3], PetscReal y[3])
{
  for (int k = 0; k < 3; k++) y[k] = 0;
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    for (int k = 0; k < 3 && body->turns[a] == turns; k++) y[k] += NsDot3(body->direction[a], x) * body->direction[a][k];
  }
}

static void check_shape(const NsFe *fe, const NsFeElement *e)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscInt  n    = NsFeElementSize(body);
  PetscReal       move[NS_ELEMENT_UNKNOWNS][3], turn[NS_ELEMENT_UNKNOWNS][3], q[NS_ELEMENT_UNKNOWNS];

  for (int at = 0; at <= 4; at++) {
    const PetscReal *end   = body->element->node[body->element->nodes - 1];
    const PetscReal  xi[3] = {at / 4. * end[0], at / 4. * end[1], at / 4. * end[2]};
    for (PetscInt i = 0; i < 3 * n; i++) move[i / 3][i % 3] = turn[i / 3][i % 3] = NAN; /* what is not written is found */
    body->element->shape(body, e, xi, move, turn);
    for (int motion = 0; motion < (body->element->line ? 6 : 3); motion++) {
      const Rigid rigid = make_rigid(fe, e, motion);
      PetscReal   x[3], u[3], expected[2][3], found[2][3] = {{0}};
      rigid_values(fe, e, &rigid, q);
      NsFePosition(fe, e, xi, x);
      displace(&rigid, x, u);
      follow(body, PETSC_FALSE, u, expected[0]);
      follow(body, PETSC_TRUE, rigid.w, expected[1]);
      for (PetscInt i = 0; i < 3 * n; i++) {
        found[0][i % 3] += move[i / 3][i % 3] * q[i / 3];
        found[1][i % 3] += turn[i / 3][i % 3] * q[i / 3];
      }
      for (int k = 0; k < 6; k++)
        EXPECT(PetscAbsReal(found[k / 3][k % 3] - expected[k / 3][k % 3]) <= 1e-10,
          "at xi = %g the shape does not follow rigid motion %d: %s %g, not %g", xi[0], motion, k < 3 ? "displacement" : "rotation",
          found[k / 3][k % 3], expected[k / 3][k % 3]);
    }
  }
}

/* Outputs are affine in the DOF. */
static void check_outputs(const NsFeBody *body, const NsFeElement *e)
{
  const PetscInt  n     = NsFeElementSize(body);
  const PetscReal xi[3] = {0.3, 0.2, 0.1};
  PetscReal       q[4][NS_ELEMENT_UNKNOWNS], value[4][NS_ELEMENT_OUTPUTS];
  PetscInt        count = 0;

  while (body->element->output_names[count]) count++;
  EXPECT(count <= NS_ELEMENT_OUTPUTS, "%d outputs", (int)count);
  for (PetscInt i = 0; i < n; i++) {
    q[0][i] = 0;
    q[1][i] = 1e-3 * draw();
    q[2][i] = 1e-3 * draw();
    q[3][i] = q[1][i] + q[2][i];
  }
  for (int k = 0; k < 4; k++) body->element->outputs(body, e, q[k], xi, value[k]);
  for (PetscInt c = 0; c < count; c++)
    EXPECT(PetscAbsReal(value[3][c] + value[0][c] - value[1][c] - value[2][c]) <= 1e-8 * (PetscAbsReal(value[1][c]) + PetscAbsReal(value[2][c])),
      "output %s is not affine", body->element->output_names[c]);
  for (int k = 0; k < 4; k++) {
    NsElementResults results;
    memset(&results, 0xff, sizeof(results)); /* NaN */
    body->element->results(body, e, q[k], NULL, xi, &results);
    for (int i = 0; i < 9; i++) EXPECT(isfinite(results.tensor[i]), "the stress tensor is not finite, or not written");
    EXPECT(isfinite(results.normal_force + results.stress) &&
             isfinite(results.section_force[0] + results.section_force[1] + results.section_force[2]) &&
             isfinite(results.section_moment[0] + results.section_moment[1] + results.section_moment[2]),
      "results are not finite, or not written");
    const PetscReal axial = results.normal_force * results.stress; /* bending adds to the magnitude */
    EXPECT(body->element->bends || body->element->solid ? axial >= 0 : (results.normal_force == 0) == (results.stress == 0) && axial >= 0,
      "a normal force of %g N has a stress of %g Pa", results.normal_force, results.stress);
  }
  const PetscReal radius = body->element->radius ? body->element->radius(e, xi) : 1;
  EXPECT(isfinite(radius) && radius > 0, "the radius to draw is %g m", radius);
}

/* Elements that are alike have the same matrices. */
static void check_alike(const NsFeBody *body, const NsFeElement *e, const NsFeElement *other)
{
  const PetscInt n = NsFeElementSize(body);
  PetscReal      X[2][NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];

  EXPECT(!body->element->alike || body->element->alike(e, e, 0), "an element is not alike to itself");
  if (!NsFeAlike(body, e, other, 0)) return;
  for (int matrix = 0; matrix < 2; matrix++) {
    const Fill function = matrix ? body->element->mass : body->element->stiffness;
    fill(function, body, e, n * n, X[0]);
    fill(function, body, other, n * n, X[1]);
    EXPECT(!memcmp(X[0], X[1], sizeof(**X) * (size_t)(n * n)), "elements that are alike have different %s matrices", matrix ? "mass" : "stiffness");
  }
}

static void check_line(const NsFe *fe, const NsFeElement *e)
{
  const NsFeBody *body = &fe->body[e->body];
  PetscReal       axis[3];

  if (!body->element->line) return;
  const PetscReal *first = fe->x + 3 * e->node[0], *last = fe->x + 3 * e->node[body->element->nodes - 1], length = body->element->line(e, axis);
  for (int k = 0; k < 3; k++)
    EXPECT(PetscAbsReal(first[k] + length * axis[k] - last[k]) <= 1e-12 * length, "length and axis do not lead from the first node to the last");
}

/* Nodes, weights, edges and picture fit each other. */
static void check_picture(const NsElementType *type)
{
  const NsElementPicture *picture = type->picture;
  PetscReal               weight[NS_ELEMENT_NODES];
  PetscBool               drawn[NS_ELEMENT_NODES] = {PETSC_FALSE}, reached[NS_ELEMENT_NODES] = {PETSC_FALSE};

  EXPECT(type->nodes <= NS_ELEMENT_NODES && type->node && type->weights && picture && picture->cells > 0 && type->edges > 0,
    "`%s` lacks nodes, weights, edges or cells", type->name);
  for (PetscInt k = 0; k < type->nodes; k++) {
    type->weights(type->node[k], weight);
    for (PetscInt j = 0; j < type->nodes; j++)
      EXPECT(PetscAbsReal(weight[j] - (j == k)) <= 1e-14, "node %d does not lie at its natural coordinates", (int)k);
  }
  for (PetscInt j = 0; j < 2 * type->edges; j++) {
    const PetscInt k = type->edge[j / 2][j % 2];
    EXPECT(k >= 0 && k < type->nodes && k != type->edge[j / 2][1 - j % 2], "edge %d joins no two nodes", (int)(j / 2));
    reached[k] = PETSC_TRUE;
  }
  for (PetscInt c = 0; c < picture->cells; c++) {
    PetscReal sum = 0;
    for (PetscInt k = 0; k < NsCellPoints(picture->cell[c].kind); k++) {
      const PetscInt point = picture->cell[c].point[k];
      EXPECT(point >= 0 && point < type->nodes + picture->points, "cell %d has a point that is not there", (int)c);
      if (point < type->nodes) drawn[point] = PETSC_TRUE;
    }
    type->weights(picture->cell[c].middle, weight);
    for (PetscInt j = 0; j < type->nodes; j++) sum += weight[j];
    EXPECT(PetscAbsReal(sum - 1) <= 1e-14, "the weights at the middle of cell %d add up to %g", (int)c, sum);
  }
  for (PetscInt k = 0; k < type->nodes; k++) EXPECT(drawn[k] && reached[k], "node %d is in no cell, or on no edge", (int)k);
}

/* The back end that the model chooses makes the force -K q - C v of the assembled matrices. */
static void check_force(const TestRun *test)
{
  NsModel           *model = test->run->model;
  Mat                M, C, G, K;
  Vec                q, v, h, f, natural[2];
  const PetscScalar *value;
  PetscScalar       *array;
  PetscReal          size, error;

  CHECK(NsFeAssemble(model->data, NULL, &M, &C, &G, &K));
  CHECK(NsVecsCreate(model, &q, &v, &h, NULL));
  CHECK(MatCreateVecs(K, &f, NULL));
  for (int k = 0; k < 2; k++) {
    CHECK(VecDuplicate(f, &natural[k]));
    CHECK(VecGetArray(natural[k], &array));
    for (PetscInt i = 0; i < model->unknowns; i++) array[i] = draw();
    CHECK(VecGetArrayRead(natural[k], &value));
    PetscScalar *here;
    CHECK(VecGetArray(k ? v : q, &here));
    NsLayoutSpread(model->layout, value, here);
    CHECK(VecRestoreArray(k ? v : q, &here));
    CHECK(VecRestoreArrayRead(natural[k], &value));
    CHECK(VecRestoreArray(natural[k], &array));
  }
  CHECK(MatMult(K, natural[0], f));
  if (C) CHECK(MatMultAdd(C, natural[1], f, f));
  if (G) CHECK(MatMultAdd(G, natural[1], f, f));
  CHECK(NsModelForce(model, 0, q, v, h));
  CHECK(VecNorm(f, NORM_INFINITY, &size));
  CHECK(VecGetArrayRead(f, &value));
  CHECK(VecGetArray(h, &array));
  error = 0;
  for (PetscInt i = 0; i < model->unknowns; i++) error = PetscMax(error, PetscAbsReal(array[NsLayoutIndex(model->layout, i)] + value[i]));
  CHECK(VecRestoreArray(h, &array));
  CHECK(VecRestoreArrayRead(f, &value));
  EXPECT(error <= 1e-10 * size, "the back end '%s' makes other forces than the assembled matrices: by %g of %g", model->solver, error, size);
  CHECK(NsVecsDestroy(&q, &v, &h, NULL));
  CHECK(VecDestroy(&f));
  for (int k = 0; k < 2; k++) CHECK(VecDestroy(&natural[k]));
  CHECK(MatDestroy(&M));
  CHECK(MatDestroy(&C));
  CHECK(MatDestroy(&G));
  CHECK(MatDestroy(&K));
}

/* A line in the plane z = 0, on which the examples of other keys are valid; a mesh of another kind as its example says. */
static const char *mesh_of(const NsKey *key)
{
  return strncmp(key->example, "{line", 5) ? key->example : "{line: {from: [0.1 m, 0.2 m, 0], to: [1.7 m, 1.4 m, 0], elements: 8, nodes_at: [0.5 m, 0.7 m, 1 m]}}";
}

/* The body with its required keys, this mesh (NULL: that of its example), and more keys. */
static void check_keys(const NsBodyType *type, const char *mesh, const char *more)
{
  int used = snprintf(about, TEXT, "bodies:\n  body:\n    type: %s\n", type->variant->name);

  for (const NsKey *key = type->variant->table->keys; key->name; key++) {
    if (!key->required) continue;
    const char *value = strcmp(key->name, "mesh") ? key->example : mesh ? mesh : mesh_of(key);
    used += snprintf(about + used, (size_t)(TEXT - used), "    %s: %s\n", key->name, value);
    assert_true(used < TEXT);
  }
  used += snprintf(about + used, (size_t)(TEXT - used), "%s", more);
  assert_true(used < TEXT);
  used += snprintf(about + used, (size_t)(TEXT - used), "scheme: {type: half_explicit, step: 1 ns}\ntime: {end: 1 ns}\n");
  assert_true(used < TEXT);

  TestRun test = test_run_open(about, NULL);
  if (NsModelIsReduced(test.run->model)) { /* tests/results/test_reduced.py compares it with the whole model */
    test_run_close(&test);
    return;
  }
  const NsFe *fe = test.run->model->data;
  assert_true(fe->elements > 0);
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    check_mass(fe, e);
    check_stiffness(fe, e);
    check_frequency(body, e);
    check_rates(fe, e);
    check_shape(fe, e);
    check_outputs(body, e);
    check_alike(body, e, &fe->element[i ? i - 1 : 0]);
    check_line(fe, e);
    check_picture(body->element);
  }
  check_force(&test);
  test_run_close(&test);
}

/* With one more key (NULL: none). A body that lies in the plane by a key has a plane mesh. */
static void check_body(const NsBodyType *type, const NsKey *more, const char *value)
{
  char text[TEXT / 2] = "";

  if (more)
    (void)snprintf(
      text, sizeof(text), "    %s: %s\n%s", more->name, value, strcmp(value, "axisymmetric") ? "" : "supports: {axis: {at: body.left, fix: x}}\n");
  const PetscBool plane = type->elements && more && !strcmp(more->name, "state") && strcmp(value, more->default_value);
  check_keys(type, plane ? others[3] : NULL, text);
}

/* All elements of a body with several, distorted ones too, in all states, formulations and kinds of mass. */
static void check_all_elements(const NsBodyType *type)
{
  static const char *const mass[] = {"consistent", "lumped"}, *const formulation[] = {"standard", "b_bar", "incompatible"};
  static const char *const plane[] = {"plane_strain", "axisymmetric", "plane_stress"};
  char                     text[TEXT / 2];

  for (size_t m = 0; m < sizeof(others) / sizeof(*others); m++) {
    const PetscBool flat = m == 2 || m == 3 || m == 5;
    for (int k = 0; k < 2 * 3 * (flat ? 3 : 1); k++) {
      const char *of = k / 6 == 2 && k / 2 % 3 == 1 ? "standard" : formulation[k / 2 % 3]; /* plane stress has no b_bar */
      (void)snprintf(text, sizeof(text), "    mass: %s\n    formulation: %s\n    state: %s\n%s", mass[k % 2], of, flat ? plane[k / 6] : "space",
        flat && k / 6 == 1 ? "supports: {axis: {at: body.left, fix: x}}\n" : "");
      check_keys(type, others[m], text);
    }
  }
}

static void elements_fulfil_their_contract(void **state)
{
  (void)state;
  for (size_t b = 0; b < sizeof(bodies) / sizeof(*bodies); b++) {
    if (bodies[b]->elements) check_all_elements(bodies[b]);
    if (!bodies[b]->element && !bodies[b]->elements) continue;
    if (bodies[b]->element && bodies[b]->element->cell) continue; /* only the sum of its elements keeps the contract: tests/unit/test_matrices.c */
    check_body(bodies[b], NULL, "");
    for (const NsKey *key = bodies[b]->variant->table->keys; key->name; key++) {
      if (key->required) continue;
      if (key->kind != NS_KEY_CHOICE) check_body(bodies[b], key, key->example);
      for (int c = 0; key->kind == NS_KEY_CHOICE && key->choices[c]; c++) check_body(bodies[b], key, key->choices[c]);
    }
  }
}

static PetscBool has_element(const NsBodyType *body, const NsElementType *type)
{
  PetscBool has = body->element == type;

  for (const NsElementType *const *other = body->elements; other && *other; other++) has = has || *other == type;
  return has;
}

static void each_element_has_a_body(void **state)
{
  (void)state;
  for (const NsElementType *const *type = NsElementTypes; *type; type++) {
    PetscBool used = PETSC_FALSE;
    for (size_t b = 0; b < sizeof(bodies) / sizeof(*bodies); b++) used = used || has_element(bodies[b], *type);
    if (!used) fail_msg("no body type of src/fe/bodies/list.h has the element '%s'", (*type)->name);
    if ((*type)->nodes < 1 || (*type)->nodes > NS_ELEMENT_NODES) fail_msg("the element '%s' has %d nodes", (*type)->name, (int)(*type)->nodes);
    if (!(*type)->mass || !(*type)->stiffness || !(*type)->shape || !(*type)->energy || !(*type)->output_names || !(*type)->outputs ||
        !(*type)->results || !(*type)->total_mass || (!(*type)->radius && !(*type)->solid && !(*type)->cell))
      fail_msg(
        "the element '%s' lacks mass, stiffness, shape, energy, output_names, outputs, results, total_mass or (of lines) radius", (*type)->name);
    if ((*type)->line && (*type)->size < sizeof(NsLineElement))
      fail_msg("the data of the element '%s' (its `size`) is no NsLineElement", (*type)->name);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(each_element_has_a_body),
  cmocka_unit_test(elements_fulfil_their_contract),
};
TEST_MAIN(tests)
