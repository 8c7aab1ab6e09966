/*
  Impacts of round bodies: two balls of different sizes against Hertz, a disc that hits a wall obliquely and whose friction force reverses against an independent implementation.

  The meshes are meshes/ball.msh (half of a disc of 10 mm, x >= 0, on the origin), mirrored.

  K. L. Johnson, Contact Mechanics, Cambridge 1985, 11.4; N. Maw, J. R. Barber, J. N. Fawcett, The oblique impact of elastic spheres, Wear 38 (1976), 101-114.
*/
#include "support.h"
#include <stdio.h>
#include "fe/model/fe.h"

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"

enum { MOST = 4000 };

typedef struct {
  int    nodes, quads, lines, quad[MOST][4], line[MOST][2]; /* lines: those that may touch */
  double x[MOST][2];
} Mesh;

static Mesh *read_ball(void)
{
  Mesh *mesh = calloc(1, sizeof(*mesh));
  char  line[256];
  FILE *file = fopen(PERCUSS_SOURCE_DIR "/meshes/ball.msh", "r");
  int   count, number, kind, tags, group, other, n[4];

  assert_non_null(file);
  assert_non_null(mesh);
  while (fgets(line, sizeof(line), file) && strncmp(line, "$Nodes", 6)) continue;
  assert_int_equal(fscanf(file, "%d", &mesh->nodes), 1);
  assert_in_range(mesh->nodes, 1, MOST / 2);
  for (int i = 0; i < mesh->nodes; i++) {
    assert_int_equal(fscanf(file, "%d %lf %lf %*f", &number, &mesh->x[i][0], &mesh->x[i][1]), 3);
    assert_int_equal(number, i + 1);
  }
  while (fgets(line, sizeof(line), file) && strncmp(line, "$Elements", 9)) continue;
  assert_int_equal(fscanf(file, "%d", &count), 1);
  assert_in_range(count, 1, MOST / 2);
  for (int e = 0; e < count; e++) {
    assert_int_equal(fscanf(file, "%d %d %d %d %d", &number, &kind, &tags, &group, &other), 5);
    for (int a = 0; a < (kind == 3 ? 4 : kind == 1 ? 2 : 1); a++) assert_int_equal(fscanf(file, "%d", &n[a]), 1);
    for (int a = 0; a < 4 && kind == 3; a++) mesh->quad[mesh->quads][a] = n[a] - 1;
    for (int a = 0; a < 2 && kind == 1; a++) mesh->line[mesh->lines][a] = n[a] - 1;
    mesh->quads += kind == 3;
    mesh->lines += kind == 1 && group == 3;
  }
  fclose(file);
  return mesh;
}

/* Mirrored at y = 0 and scaled. */
static void turn_over(Mesh *mesh, double scale)
{
  for (int i = 0; i < mesh->nodes; i++) {
    mesh->x[i][0] *= scale;
    mesh->x[i][1] *= -scale;
  }
  for (int e = 0; e < mesh->quads; e++) {
    const int second = mesh->quad[e][1];
    mesh->quad[e][1] = mesh->quad[e][3];
    mesh->quad[e][3] = second;
  }
}

/* The half x < 0 is added. */
static void complete(Mesh *mesh)
{
  const int nodes = mesh->nodes, quads = mesh->quads, lines = mesh->lines;
  int       image[MOST];

  for (int i = 0; i < nodes; i++) {
    image[i] = fabs(mesh->x[i][0]) < 1e-9 ? i : mesh->nodes++;
    if (image[i] == i) continue;
    mesh->x[image[i]][0] = -mesh->x[i][0];
    mesh->x[image[i]][1] = mesh->x[i][1];
  }
  for (int e = 0; e < quads; e++) {
    for (int a = 0; a < 4; a++) mesh->quad[quads + e][a] = image[mesh->quad[e][3 - a]];
  }
  for (int e = 0; e < lines; e++) {
    for (int a = 0; a < 2; a++) mesh->line[lines + e][a] = image[mesh->line[e][a]];
  }
  mesh->quads = 2 * quads;
  mesh->lines = 2 * lines;
}

static void write_mesh(const Mesh *mesh, char path[64])
{
  static int written = 0;
  FILE      *file;
  int        number = 0;

  snprintf(path, 64, "/tmp/percuss_test_%d_%d.msh", (int)getpid(), written++);
  file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"body\"\n1 2 \"near\"\n0 3 \"axis\"\n$EndPhysicalNames\n$Nodes\n%d\n",
    mesh->nodes);
  for (int i = 0; i < mesh->nodes; i++) fprintf(file, "%d %.17g %.17g 0\n", i + 1, mesh->x[i][0], mesh->x[i][1]);
  int axis = 0;
  for (int i = 0; i < mesh->nodes; i++) axis += fabs(mesh->x[i][0]) < 1e-9;
  fprintf(file, "$EndNodes\n$Elements\n%d\n", mesh->quads + mesh->lines + axis);
  for (int e = 0; e < mesh->quads; e++)
    fprintf(file, "%d 3 2 1 1 %d %d %d %d\n", ++number, mesh->quad[e][0] + 1, mesh->quad[e][1] + 1, mesh->quad[e][2] + 1, mesh->quad[e][3] + 1);
  for (int e = 0; e < mesh->lines; e++) fprintf(file, "%d 1 2 2 2 %d %d\n", ++number, mesh->line[e][0] + 1, mesh->line[e][1] + 1);
  for (int i = 0; i < mesh->nodes; i++) {
    if (fabs(mesh->x[i][0]) < 1e-9) fprintf(file, "%d 15 2 3 3 %d\n", ++number, i + 1);
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
}

/* Mass of a body; its momentum along x and y, and moment of momentum about (0, height), over the mass. */
static double momenta_of(const TestRun *test, int number, double height, double p[3])
{
  const NsFe     *fe   = test->run->model->data;
  const NsFeBody *body = &fe->body[number];
  double          mass = 0;
  Vec             momentum;

  CHECK(VecDuplicate(test->run->state.v, &momentum));
  CHECK(NsModelMult(test->run->model, 0, test->run->state.q, test->run->state.v, momentum));
  for (int k = 0; k < 3; k++) p[k] = 0;
  for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) {
    double own[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      const PetscInt unknown = NsFeNodeUnknowns(fe, i)[k];
      if (unknown >= 0) own[k] = NsVecRead(momentum)[NsLayoutIndex(test->run->model->layout, unknown)];
    }
    p[0] += own[0];
    p[1] += own[1];
    p[2] += fe->x[3 * i] * own[1] - (fe->x[3 * i + 1] - height) * own[0];
  }
  for (PetscInt e = 0; e < body->mesh->elements; e++) mass += body->element->total_mass(body, &fe->element[body->first_element + e]);
  for (int k = 0; k < 3; k++) p[k] /= mass;
  CHECK(VecDestroy(&momentum));
  return mass;
}

typedef struct {
  double duration, most, least_rubbing, most_rubbing;
} Contact;

static Contact run_through(const TestRun *test)
{
  Contact found = {0, 0, 0, 0};
  double  first = -1, last = 0;

  while (test_runs(test->run)) {
    double force[2] = {0, 0};
    (void)test_step(test->run);
    for (PetscInt i = 0; i < test->run->model->candidates; i++) {
      for (int k = 0; k < 2; k++) force[k] += NsContactReports(test->run->contact)[i].force[k];
    }
    found.most          = PetscMax(found.most, force[0]);
    found.least_rubbing = PetscMin(found.least_rubbing, force[1]);
    found.most_rubbing  = PetscMax(found.most_rubbing, force[1]);
    if (force[0] == 0) continue;
    first = first < 0 ? test->run->state.t : first;
    last  = test->run->state.t;
  }
  found.duration = last - first;
  return found;
}

/*
  A ball of 10 mm at 3 m/s hits one of 20 mm at rest, whose mesh does not match. Hertz: k = 4/3 E* sqrt(R*), m* x'' = -k x^1.5; delta = (5 m* v^2/(4 k))^(2/5), time 2.943 delta/v, force k delta^1.5.
  Balls are a little stiffer than half spaces (a/R = 0.04).
*/
static void two_balls(void **state)
{
  const double R[2] = {0.01, 0.02}, v = 3, E = 210e9 / (1 - 0.09) / 2, radius = R[0] * R[1] / (R[0] + R[1]), k = 4. / 3 * E * sqrt(radius);
  Mesh        *ball = read_ball();
  char         path[2][64], text[2000];
  double       mass[2], p[2][3];

  (void)state;
  write_mesh(ball, path[0]);
  turn_over(ball, 2);
  write_mesh(ball, path[1]);
  free(ball);
  (void)snprintf(text, sizeof(text),
    "bodies:\n"
    "  one: {type: solid, state: axisymmetric, formulation: b_bar, mass: redistributed, " STEEL
    ", mesh: {file: %s, scale: 1 mm}, initial: {velocity: [0, -3 m/s, 0]}}\n"
    "  two: {type: solid, state: axisymmetric, formulation: b_bar, mass: redistributed, " STEEL ", mesh: {file: %s, scale: 1 mm}}\n"
    "supports: {axis: {at: [one.axis, two.axis], fix: x}}\n"
    "contacts: {joint: {between: [{surface: one.near}, {surface: two.near}], adjust: 1 nm}}\n"
    "scheme: {type: massless_contact, step: 7.5 ns}\ntime: {end: 60 us}\n",
    path[0], path[1]);
  TestRun test = test_run_open(text, NULL);
  for (int i = 0; i < 2; i++) unlink(path[i]);
  assert_true(test.run->model->flat_contacts); /* no sliding is prescribed: mortar */
  const Contact contact = run_through(&test);
  for (int i = 0; i < 2; i++) mass[i] = momenta_of(&test, i, 0, p[i]);
  const double reduced = mass[0] * mass[1] / (mass[0] + mass[1]), delta = pow(5 * reduced * v * v / (4 * k), 0.4), time = 2.943 * delta / v,
               force = k * pow(delta, 1.5);
  print_message("  time %.6g of Hertz, force %.6g; velocities %.6g, %.6g of those of an elastic impact\n", contact.duration / time,
    contact.most / force, p[0][1] / (-v * (mass[0] - mass[1]) / (mass[0] + mass[1])), p[1][1] / (-v * 2 * mass[0] / (mass[0] + mass[1])));
  assert_near(contact.duration / time, 1, 0.03);
  assert_near(contact.most / force, 1, 0.03);
  assert_near(p[0][1] / (-v * (mass[0] - mass[1]) / (mass[0] + mass[1])), 1, 2e-3);
  assert_near(p[1][1] / (-v * 2 * mass[0] / (mass[0] + mass[1])), 1, 2e-3);
  assert_near((mass[0] * p[0][1] + mass[1] * p[1][1]) / (mass[0] * v), -1, 1e-9);
  test_run_close(&test);
}

/* A disc at 1 m/s down and 0.6 m/s along the wall, mu = 0.3: its friction force reverses. Figures of an independent implementation with another mesh. */
static void oblique_disc(void **state)
{
  Mesh  *disc = read_ball();
  char   path[64], text[2000];
  double p[3];

  (void)state;
  complete(disc);
  write_mesh(disc, path);
  free(disc);
  (void)snprintf(text, sizeof(text),
    "bodies:\n"
    "  disc: {type: solid, state: plane_strain, thickness: 1 m, formulation: b_bar, mass: redistributed, " STEEL
    ", mesh: {file: %s, scale: 1 mm}, initial: {velocity: [0.6 m/s, -1 m/s, 0]}}\n"
    "contacts: {wall: {between: [disc.near, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.3}}\n"
    "scheme: {type: massless_contact, step: 7.5 ns}\ntime: {end: 90 us}\n",
    path);
  TestRun test = test_run_open(text, NULL);
  unlink(path);
  const Contact contact = run_through(&test);
  const double  mass = momenta_of(&test, 0, 0.01, p), spin = p[2] / (0.01 * 0.01 / 2), start = 0.5 * mass * (1 + 0.36);
  NsEnergy      energy;
  CHECK(NsModelEnergy(test.run->model, test.run->state.t, test.run->state.q, test.run->state.v, &energy));
  print_message("  vx %.6g, vy %.6g m/s, spin %.6g rad/s, energy %.6g of the start; contact %.5g us, force %.6g N, friction %.6g to %.6g N\n", p[0],
    p[1], spin, (energy.kinetic + energy.elastic) / start, 1e6 * contact.duration, contact.most, contact.least_rubbing, contact.most_rubbing);
  assert_near(p[0] / 0.3089873855, 1, 0.01);
  assert_near(p[1] / 0.9930792117, 1, 0.004);
  assert_near(spin / -57.69571906, 1, 0.01);
  assert_near((energy.kinetic + energy.elastic) / start, 0.9312347982, 0.003);
  assert_near(contact.duration / 1.823766107e-05, 1, 0.01);
  assert_near(contact.most / 444178.5035, 1, 0.005);
  assert_near(contact.least_rubbing / -116152.0187, 1, 0.02);
  assert_near(contact.most_rubbing / 59711.79362, 1, 0.03);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(two_balls),
  cmocka_unit_test(oblique_disc),
};
TEST_MAIN(tests)
