/*
  What a step of free flight costs with the back end `lumped`, in one run. Usage: bench_lumped [ROUNDS]

  1. A uniform bar of 1e3 to 1e6 elements, one with Rayleigh damping and one that is graded (no two coefficients alike), against a plain C loop of the same formulas with a constant stiffness and
     mass: predict q, then forces, accelerations and velocities. The goal is a ratio of at most 1.3 for the uniform bar of 1e6.
  2. Lattices of struts along x, y, z and the diagonals of their faces: a truss; one whose nodes are off the lattice, so that no two directions are alike.
  3. The same lattice without diagonals, of beams.

  Time is that of the processor, rounds alternate, the best of each counts: machines are shared. Ratios are what matters.
*/
#include <math.h>
#include <slepcsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fe/backend/backend.h"
#include "fe/bodies/line_body.h"

static double processor_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ------------------------------------------------------------------ models */

static const NsProperty steel =
  {.density = 7800, .young = 210e9, .shear_modulus = 80e9, .shear_factor = 0.9, .area = 1e-4, .inertia_2 = 1e-9, .inertia_3 = 1e-9, .torsion = 2e-9};

typedef struct {
  const char *name;
  enum { BAR, TRUSS, BEAM } kind;
  PetscInt  nodes[3];
  PetscReal damping;   /* Rayleigh, share of both matrices */
  PetscReal irregular; /* of a bar: growth of its lengths in all; else where its nodes lie beside the lattice, share of its spacing */
} Shape;

typedef struct {
  NsBackEnd  back_end;
  PetscReal *q[2], *v[2], *a[2];
  double     seconds; /* of the best flight */
} Model;

static PetscReal noise(void)
{
  static unsigned long long seed = 1;

  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return 2 * (PetscReal)(seed >> 11) / 9007199254740992.0 - 1;
}

static void add_element(NsFe *fe, PetscInt a, PetscInt b)
{
  NsFeElement *e    = &fe->element[fe->elements++];
  PetscInt    *node = NsArenaAlloc(fe->arena, 2 * sizeof(*node));

  node[0] = a;
  node[1] = b;
  *e      = (NsFeElement){.node = node, .data = NsArenaAlloc(fe->arena, sizeof(NsBeamElement))};
  for (int k = 0; k < 2; k++) NsLine(e)->property[k] = &steel;
  NsLineMeasure(fe->x, e);
}

/* Struts from each node to its neighbours after it. */
static void add_elements(NsFe *fe, const Shape *shape)
{
  static const int step[9][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {-1, 1, 0}, {-1, 0, 1}, {0, -1, 1}};
  const PetscInt  *n          = shape->nodes;

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
    for (int s = 0; s < (shape->kind == TRUSS ? 9 : 3); s++) {
      PetscBool inside = PETSC_TRUE;
      for (int k = 0; k < 3; k++) inside = inside && at[k] + step[s][k] >= 0 && at[k] + step[s][k] < n[k];
      if (inside) add_element(fe, i, i + step[s][0] + n[0] * (step[s][1] + n[1] * step[s][2]));
    }
  }
}

static PetscErrorCode make_beams(NsFe *fe)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fe->elements; i++) {
    NsBeamMatrices *beam;
    if (i > 0 && NsLine(&fe->element[i])->length == NsLine(&fe->element[0])->length) {
      ((NsBeamElement *)fe->element[i].data)->matrices = ((NsBeamElement *)fe->element[0].data)->matrices;
      continue;
    }
    beam = NsArenaAlloc(fe->arena, sizeof(*beam));
    NsBeamMatricesMake(&steel, &steel, NsLine(&fe->element[i])->length, (NsBeamTheory){.shear = PETSC_TRUE, .lumped = PETSC_TRUE}, beam);
    ((NsBeamElement *)fe->element[i].data)->matrices = beam;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode lumped_masses(const NsFe *fe, NsSparse *M)
{
  PetscFunctionBegin;
  *M = (NsSparse){.rows = fe->unknowns};
  PetscCall(PetscMalloc1(fe->unknowns + 1, &M->start));
  PetscCall(PetscMalloc1(fe->unknowns, &M->column));
  PetscCall(PetscCalloc1(fe->unknowns, &M->value));
  for (PetscInt i = 0; i <= fe->unknowns; i++) M->start[i] = i;
  for (PetscInt i = 0; i < fe->unknowns; i++) M->column[i] = i;
  for (PetscInt i = 0; i < fe->elements; i++) {
    PetscReal      X[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt n = NsFeElementUnknowns(fe, &fe->element[i], unknown);
    fe->body->element->mass(fe->body, &fe->element[i], X);
    for (PetscInt k = 0; k < n; k++) M->value[unknown[k]] += X[k * n + k];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode make_model(const Shape *shape, NsArena *arena, Model *model)
{
  const PetscInt *n = shape->nodes, d = shape->kind == BAR ? 1 : shape->kind == TRUSS ? 3 : 6;
  NsFe           *fe   = NsArenaAlloc(arena, sizeof(*fe));
  NsFeBody       *body = NsArenaAlloc(arena, sizeof(*body));
  NsMesh         *mesh = NsArenaAlloc(arena, sizeof(*mesh));

  PetscFunctionBegin;
  *fe           = (NsFe){.arena = arena, .bodies = 1, .body = body, .nodes = n[0] * n[1] * n[2]};
  *mesh         = (NsMesh){.nodes = fe->nodes};
  fe->x         = NsArenaAlloc(arena, sizeof(*fe->x) * 3 * (size_t)fe->nodes);
  fe->node_body = NsArenaAlloc(arena, sizeof(*fe->node_body) * (size_t)fe->nodes);
  fe->element   = NsArenaAlloc(arena, sizeof(*fe->element) * 9 * (size_t)fe->nodes);
  fe->unknown   = NsArenaAlloc(arena, sizeof(*fe->unknown) * (size_t)(d * fe->nodes));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt layer = i / (n[0] * n[1]);
    fe->x[3 * i]         = (PetscReal)(i % n[0]);
    fe->x[3 * i + 1]     = (PetscReal)(i / n[0] % n[1]);
    fe->x[3 * i + 2]     = (PetscReal)layer;
    if (shape->kind == BAR && shape->irregular > 0)
      fe->x[3 * i] += fe->x[3 * i] * fe->x[3 * i] * shape->irregular / fe->nodes / 2;
    else
      for (int k = 0; k < 3; k++) fe->x[3 * i + k] += shape->irregular * noise();
    fe->node_body[i] = 0;
  }
  mesh->x = fe->x;
  for (PetscInt i = 0; i < d * fe->nodes; i++) fe->unknown[i] = i;
  fe->dofs = fe->unknowns = d * fe->nodes;
  add_elements(fe, shape);
  mesh->elements     = fe->elements;
  *body              = (NsFeBody){.name = shape->name,
                 .mesh                  = mesh,
                 .element               = shape->kind == BEAM ? &NsElementType_Beam : &NsElementType_Bar,
                 .node_unknowns         = d,
                 .lumped                = PETSC_TRUE};
  body->damping_mass = body->damping_stiffness = shape->damping;
  for (PetscInt a = 0; a < d; a++) {
    body->direction[a][a % 3] = 1;
    body->turns[a]            = a >= 3;
  }
  if (shape->kind == BEAM) PetscCall(make_beams(fe));
  *model = (Model){.back_end = {.fe = fe, .diagonal = PETSC_TRUE, .type = &NsBackEndType_Lumped}, .seconds = 1e30};
  PetscCall(lumped_masses(fe, &model->back_end.M));
  PetscCall(model->back_end.type->create(&model->back_end));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscMalloc3(fe->unknowns, &model->q[k], fe->unknowns, &model->v[k], fe->unknowns, &model->a[k]));
    for (PetscInt i = 0; i < fe->unknowns; i++) {
      model->q[k][i] = 0;
      model->v[k][i] = noise();
      model->a[k][i] = 0;
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_model(Model *model)
{
  NsSparse *M = &model->back_end.M;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(PetscFree3(model->q[k], model->v[k], model->a[k]));
  PetscCall(PetscFree(M->start));
  PetscCall(PetscFree(M->column));
  PetscCall(PetscFree(M->value));
  PetscCall(model->back_end.type->destroy(&model->back_end));
  PetscCall(NsLayoutDestroy(&model->back_end.layout));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------ what is measured */

/* Enough of them for the clock. */
static int repeats(PetscInt unknowns)
{
  return PetscMax(2, 2000000 / unknowns);
}

static PetscErrorCode fly(Model *model, PetscReal dt)
{
  const int    count = repeats(model->back_end.fe->unknowns);
  const double start = processor_seconds();

  PetscFunctionBegin;
  for (int r = 0; r < count; r++) {
    PetscCall(model->back_end.type->flight(
      &model->back_end, dt, model->q[r % 2], model->v[r % 2], model->a[r % 2], NULL, model->q[1 - r % 2], model->v[1 - r % 2], model->a[1 - r % 2]));
  }
  model->seconds = fmin(model->seconds, (processor_seconds() - start) / count);
  PetscFunctionReturn(0);
}

typedef struct {
  PetscReal *q, *v, *a[2];
  double     seconds;
} Plain;

static void plain_step(PetscInt n, PetscReal dt, PetscReal k, PetscReal m, PetscReal *restrict q, PetscReal *restrict v, const PetscReal *restrict a0,
  PetscReal *restrict a1)
{
  const PetscReal s = k / m;

  for (PetscInt i = 0; i < n; i++) q[i] += dt * v[i] + dt * dt / 2 * a0[i];
  a1[0]     = 2 * s * (q[1] - q[0]);
  a1[n - 1] = 2 * s * (q[n - 2] - q[n - 1]);
  v[0] += dt / 2 * (a0[0] + a1[0]);
  v[n - 1] += dt / 2 * (a0[n - 1] + a1[n - 1]);
  for (PetscInt i = 1; i < n - 1; i++) {
    a1[i] = s * (q[i + 1] - 2 * q[i] + q[i - 1]);
    v[i] += dt / 2 * (a0[i] + a1[i]);
  }
}

static void fly_plain(Plain *plain, PetscInt n, PetscReal dt)
{
  const PetscReal k = steel.young * steel.area, m = steel.density * steel.area;
  const int       count = repeats(n);
  const double    start = processor_seconds();

  for (int r = 0; r < count; r++) plain_step(n, dt, k, m, plain->q, plain->v, plain->a[r % 2], plain->a[1 - r % 2]);
  plain->seconds = fmin(plain->seconds, (processor_seconds() - start) / count);
}

static PetscErrorCode bench_bar(PetscInt elements, int rounds)
{
  const Shape    shape[3] = {{"bar", BAR, {elements + 1, 1, 1}}, {"damped bar", BAR, {elements + 1, 1, 1}, .damping = 1e-9},
       {"graded bar", BAR, {elements + 1, 1, 1}, .irregular = 1}};
  const PetscInt n        = elements + 1;
  NsArena       *arena    = NsArenaCreate();
  Model          model[3];
  Plain          plain = {.seconds = 1e30};

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) PetscCall(make_model(&shape[i], arena, &model[i]));
  PetscCall(PetscMalloc4(n, &plain.q, n, &plain.v, n, &plain.a[0], n, &plain.a[1]));
  for (PetscInt i = 0; i < n; i++) {
    plain.q[i] = plain.a[0][i] = plain.a[1][i] = 0;
    plain.v[i]                                 = model[0].v[0][i];
  }
  for (int r = 0; r < rounds; r++) {
    fly_plain(&plain, n, 1e-5);
    for (int i = 0; i < 3; i++) PetscCall(fly(&model[i], 1e-5));
  }
  printf("%9d %10.3f ", (int)elements, 1e9 * plain.seconds / n);
  for (int i = 0; i < 3; i++) printf(" %10.3f (%4.2f)", 1e9 * model[i].seconds / n, model[i].seconds / plain.seconds);
  printf("\n");
  for (int i = 0; i < 3; i++) PetscCall(destroy_model(&model[i]));
  PetscCall(PetscFree4(plain.q, plain.v, plain.a[0], plain.a[1]));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static PetscErrorCode bench_lattice(const Shape *shape, int rounds)
{
  NsArena *arena = NsArenaCreate();
  Model    model;

  PetscFunctionBegin;
  PetscCall(make_model(shape, arena, &model));
  const NsFe *fe = model.back_end.fe;
  for (int r = 0; r < rounds; r++) PetscCall(fly(&model, 1e-6));
  printf("%-28s %9d %9d %14.2f %14.2f\n", shape->name, (int)fe->elements, (int)fe->unknowns, 1e9 * model.seconds / fe->elements,
    1e9 * model.seconds / fe->unknowns);
  PetscCall(destroy_model(&model));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  static const Shape lattice[] = {{"truss", TRUSS, {25, 25, 20}}, {"truss", TRUSS, {50, 50, 48}},
    {"truss, irregular", TRUSS, {50, 50, 48}, .irregular = 0.1}, {"frame", BEAM, {33, 33, 32}},
    {"frame, irregular", BEAM, {33, 33, 32}, .irregular = 0.1}};
  const int          rounds    = argc > 1 ? atoi(argv[1]) : 15;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  printf("bars, ns an unknown (and over that of the plain loop)\n elements plain loop               bar        damped bar        graded bar\n");
  for (PetscInt elements = 1000; elements <= 1000000; elements *= 10) PetscCall(bench_bar(elements, rounds));
  printf("\nlattices                      elements  unknowns  ns an element  ns an unknown\n");
  for (size_t i = 0; i < sizeof(lattice) / sizeof(*lattice); i++) PetscCall(bench_lattice(&lattice[i], rounds));
  PetscCall(SlepcFinalize());
  return 0;
}
