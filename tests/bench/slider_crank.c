/*
  What a step costs on the slider-crank: percuss without output against a plain-C loop of the same formulas, in one run. Usage: bench_slider_crank [ROUNDS]

  The plain loop is written for three angles and four corners, with local arrays; it shares with percuss the solver of the local
  problem only. Both take the same steps (dt = 10 us, 0.2 s, e = 0.4, mu = 0.01), and must come to the same state. Rounds alternate, the best of each counts:
  machines are shared. Ratios are what matters.
*/
#include <math.h>
#include <slepcsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "percuss/local.h"
#include "run/private.h"

enum { STEPS = 20000, CONTACTS = 4, N = 3 };
static const double dt = 1e-5, restitution = 0.4, friction = 0.01;
static const double l1 = 0.153, l2 = 0.306, m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, a = 0.05, b = 0.025, c = 1e-3,
                    gravity = 9.81;

/* ---- the plain loop -------------------------------------------------------------------------------------------------------------------------- */

static void plain_inverse(const double *q, double C[N][N])
{
  const double M00 = J1 + l1 * l1 * (m1 / 4 + m2 + m3), M11 = J2 + l2 * l2 * (m2 / 4 + m3), M01 = l1 * l2 * cos(q[0] - q[1]) * (m2 / 2 + m3);
  const double scale = 1 / (M00 * M11 - M01 * M01);

  memset(C, 0, sizeof(double) * N * N);
  C[0][0] = M11 * scale;
  C[1][1] = M00 * scale;
  C[0][1] = C[1][0] = -M01 * scale;
  C[2][2]           = 1 / J3;
}

static void plain_acceleration(double C[N][N], const double *q, const double *v, double *out)
{
  const double s  = l1 * l2 * sin(q[0] - q[1]) * (m2 / 2 + m3);
  const double h0 = -s * v[1] * v[1] - gravity * l1 * cos(q[0]) * (m1 / 2 + m2 + m3), h1 = s * v[0] * v[0] - gravity * l2 * cos(q[1]) * (m2 / 2 + m3);

  out[0] = C[0][0] * h0 + C[0][1] * h1;
  out[1] = C[1][0] * h0 + C[1][1] * h1;
  out[2] = 0;
}

static void plain_geometry(const double *q, double *g, double W[2 * CONTACTS][N])
{
  static const double wall[4] = {-1, -1, 1, 1}, end[4] = {-1, 1, -1, 1};
  const double        s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), s3 = sin(q[2]), c3 = cos(q[2]), height = l1 * s1 + l2 * s2;

  for (int k = 0; k < CONTACTS; k++) {
    g[k]            = (b + c) + wall[k] * (height + end[k] * a * s3) - b * c3;
    W[2 * k][0]     = wall[k] * l1 * c1;
    W[2 * k][1]     = wall[k] * l2 * c2;
    W[2 * k][2]     = wall[k] * end[k] * a * c3 + b * s3;
    W[2 * k + 1][0] = -l1 * s1;
    W[2 * k + 1][1] = -l2 * s2;
    W[2 * k + 1][2] = -end[k] * a * s3 + wall[k] * b * c3;
  }
}

typedef struct {
  double         q[N], v[N], guess[CONTACTS][2];
  PetscBool      closed[CONTACTS];
  NsLocalChain  *chain;
  NsLocalProblem problem;
  PetscInt       start[CONTACTS + 1];
  double         G[4 * CONTACTS * CONTACTS], rhs[2 * CONTACTS], mu[CONTACTS];
  PetscBool      joint[CONTACTS];
} Plain;

/* P of the contacts in list: u = Wu' v + Wu' C Wp P with shift e Wb' before (or none); adds C Wp P to v. */
static void plain_contact(
  Plain *x, double C[N][N], int count, const int *list, double Wu[][N], double Wp[][N], double Wb[][N], const double *before, double *v)
{
  double        CW[2 * CONTACTS][N], P[2 * CONTACTS];
  const int     rows = 2 * count;
  NsLocalResult result;

  for (int k = 0; k < count; k++) {
    for (int d = 0; d < 2; d++) {
      const double *w = Wp[2 * list[k] + d], *u = Wu[2 * list[k] + d];
      double        rate = 0, minus = 0;
      for (int i = 0; i < N; i++) {
        CW[2 * k + d][i] = C[i][0] * w[0] + C[i][1] * w[1] + C[i][2] * w[2];
        rate += u[i] * v[i];
        if (before) minus += Wb[2 * list[k] + d][i] * before[i];
      }
      x->rhs[2 * k + d] = rate + (before && d == 0 ? restitution * minus : 0);
      P[2 * k + d]      = x->guess[list[k]][d];
    }
  }
  for (int r = 0; r < rows; r++) {
    for (int k = 0; k < rows; k++) {
      const double *u    = Wu[2 * list[r / 2] + r % 2];
      x->G[r * rows + k] = u[0] * CW[k][0] + u[1] * CW[k][1] + u[2] * CW[k][2];
    }
  }
  x->problem.contacts = count;
  x->problem.rows     = rows;
  if (NsLocalChainSolve(x->chain, &x->problem, P, &result) || !result.converged) exit(1);
  for (int k = 0; k < rows; k++) {
    x->guess[list[k / 2]][k % 2] = P[k];
    for (int i = 0; i < N; i++) v[i] += CW[k][i] * P[k];
  }
}

static void plain_half_explicit(Plain *x)
{
  double C0[N][N], C1[N][N], a0[N], a1[N], va[N], qe[N], q1[N], v1[N], g[CONTACTS], W0[2 * CONTACTS][N], Wu[2 * CONTACTS][N];
  int    count = 0, list[CONTACTS], newly = 0;

  plain_inverse(x->q, C0);
  plain_acceleration(C0, x->q, x->v, a0);
  for (int i = 0; i < N; i++) va[i] = x->v[i] + dt * a0[i];
  for (int k = 0; k < CONTACTS; k++) {
    if (x->closed[k]) list[count++] = k;
  }
  if (count) {
    for (int i = 0; i < N; i++) qe[i] = x->q[i] + dt * x->v[i];
    plain_geometry(x->q, g, W0);
    plain_geometry(qe, g, Wu);
    plain_contact(x, C0, count, list, Wu, W0, NULL, NULL, va);
  }
  for (int i = 0; i < N; i++) q1[i] = x->q[i] + dt / 2 * (x->v[i] + va[i]);
  plain_inverse(q1, C1);
  plain_acceleration(C1, q1, va, a1);
  plain_geometry(q1, g, W0);
  count = 0;
  for (int k = 0; k < CONTACTS; k++) {
    const PetscBool is = g[k] <= 0;
    if (is) list[count++] = k;
    newly += is && !x->closed[k];
    x->closed[k] = is;
  }
  for (int i = 0; i < N; i++) v1[i] = (newly ? x->v[i] + dt / 2 * a0[i] : (x->v[i] + va[i]) / 2) + dt / 2 * a1[i];
  if (count) {
    memcpy(qe, v1, sizeof(qe));
    plain_contact(x, C1, count, list, W0, W0, W0, newly ? qe : NULL, v1);
  }
  memcpy(x->q, q1, sizeof(q1));
  memcpy(x->v, v1, sizeof(v1));
}

static void plain_moreau_jean(Plain *x)
{
  double C[N][N], acceleration[N], q1[N], v1[N], g[CONTACTS], W0[2 * CONTACTS][N], W1[2 * CONTACTS][N];
  int    count = 0, list[CONTACTS];

  plain_geometry(x->q, g, W0);
  for (int k = 0; k < CONTACTS; k++) {
    const double rate = W0[2 * k][0] * x->v[0] + W0[2 * k][1] * x->v[1] + W0[2 * k][2] * x->v[2];
    if (g[k] + dt / 2 * rate <= 0) list[count++] = k;
  }
  plain_inverse(x->q, C);
  plain_acceleration(C, x->q, x->v, acceleration);
  for (int i = 0; i < N; i++) {
    q1[i] = x->q[i] + dt * x->v[i];
    v1[i] = x->v[i] + dt * acceleration[i];
  }
  if (count) {
    plain_inverse(q1, C);
    plain_geometry(q1, g, W1);
    plain_contact(x, C, count, list, W1, W1, W0, x->v, v1);
  }
  memcpy(x->q, q1, sizeof(q1));
  memcpy(x->v, v1, sizeof(v1));
}

static void plain_open(Plain *x)
{
  memset(x, 0, sizeof(*x));
  x->v[0] = 150;
  x->v[1] = -75;
  for (int k = 0; k < CONTACTS; k++) {
    x->mu[k]    = friction;
    x->start[k] = 2 * k;
  }
  x->start[CONTACTS] = 2 * CONTACTS;
  x->problem         = (NsLocalProblem){.start = x->start, .G = x->G, .b = x->rhs, .friction = x->mu, .bilateral = x->joint};
  if (NsLocalChainCreate(CONTACTS, 2 * CONTACTS, &x->chain)) exit(1);
}

static double plain_seconds(void (*step)(Plain *), double *angle)
{
  Plain  x;
  double start;

  plain_open(&x);
  start = NsSeconds();
  for (int i = 0; i < STEPS; i++) step(&x);
  start  = NsSeconds() - start;
  *angle = x.q[0];
  if (NsLocalChainDestroy(&x.chain)) exit(1);
  return start;
}

/* ---- percuss --------------------------------------------------------------------------------------------------------------------------------- */

static const char text[] = "gravity: [0, -9.81, 0]\n"
                           "bodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: 0.01}}}\n"
                           "scheme: {type: half_explicit, step: 10 us, restitution_of: all_closed}\n"
                           "time: {end: 0.2}\n";

static PetscErrorCode percuss_seconds(const char *scheme, double *seconds, double *angle)
{
  char               path[] = "/tmp/percuss_bench_XXXXXX";
  NsArena           *arena  = NsArenaCreate();
  NsDiag            *diag   = NsDiagCreate(arena);
  NsRunOptions       options;
  NsRun             *run;
  NsStepOutcome      outcome;
  const PetscScalar *q;
  const int          file = mkstemp(path);

  PetscFunctionBegin;
  PetscCheck(file >= 0 && write(file, text, sizeof(text) - 1) == sizeof(text) - 1, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot write %s", path);
  close(file);
  memset(&options, 0, sizeof(options));
  options.config_path = path;
  options.sets        = *scheme ? 1 : 0;
  options.set         = &scheme;
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  unlink(path);
  if (NsDiagErrors(diag)) {
    NsDiagPrint(diag, stderr, false);
    exit(1);
  }
  PetscCall(NsRunStart(run));
  *seconds = NsSeconds();
  for (int i = 0; i < STEPS; i++) PetscCall(NsSchemeStep(run->scheme, &run->state, run->step, &outcome));
  *seconds = NsSeconds() - *seconds;
  PetscCall(VecGetArrayRead(run->state.q, &q));
  *angle = q[0];
  PetscCall(VecRestoreArrayRead(run->state.q, &q));
  PetscCall(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  double    best[4] = {1e9, 1e9, 1e9, 1e9}, angle[4] = {0};
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  for (int r = 0; r < rounds; r++) {
    double seconds[4];
    PetscCall(percuss_seconds("", &seconds[0], &angle[0]));
    seconds[1] = plain_seconds(plain_half_explicit, &angle[1]);
    PetscCall(percuss_seconds("scheme={type: moreau_jean_explicit, step: 10 us}", &seconds[2], &angle[2]));
    seconds[3] = plain_seconds(plain_moreau_jean, &angle[3]);
    for (int i = 0; i < 4; i++) best[i] = fmin(best[i], seconds[i]);
  }
  printf("ns/step                   percuss   plain C   ratio   difference of theta1 at 0.2 s\n");
  printf("half-explicit            %8.0f  %8.0f  %6.2f   %.1e\n", 1e9 * best[0] / STEPS, 1e9 * best[1] / STEPS, best[0] / best[1],
    fabs(angle[0] - angle[1]));
  printf("explicit Moreau-Jean     %8.0f  %8.0f  %6.2f   %.1e\n", 1e9 * best[2] / STEPS, 1e9 * best[3] / STEPS, best[2] / best[3],
    fabs(angle[2] - angle[3]));
  printf("half-explicit against Moreau-Jean: percuss %.2f, plain C %.2f (the paper: 1.2)\n", best[0] / best[2], best[1] / best[3]);
  PetscCall(SlepcFinalize());
  return 0;
}
