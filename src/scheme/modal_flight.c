#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "exponential.h"
#include "modal_flight.h"

PetscErrorCode NsModalFlightDeclare(NsWorkspace *work, const NsReduced *reduced, NsModalFlight *self)
{
  const PetscInt64 r = reduced->modes, varying = reduced->loads - 2;
  PetscInt64       numbers = 0;

  PetscFunctionBegin;
  self->reduced = reduced;
  for (PetscInt b = reduced->alone; b < reduced->blocks; b++) numbers += 6 * PetscSqr((PetscInt64)(reduced->block[b + 1] - reduced->block[b]));
  PetscCall(NsWorkReals(work, r, &self->S[0][0], &self->S[0][1], &self->S[1][0], &self->S[1][1], &self->Q[0], &self->Q[1], NULL));
  PetscCall(NsWorkReals(work, numbers, &self->dense, NULL));
  PetscCall(NsWorkReals(work, 2 * r, &self->constant, NULL));
  PetscCall(NsWorkReals(work, 6 * r * varying, &self->varying, NULL));
  PetscCall(NsWorkReals(work, 4 * r, &self->work, NULL));
  PetscFunctionReturn(0);
}

/*
  E = exp of a group's first-order form over dt, with its inputs: first m constant forces, one a mode, then for each load that varies three numbers (c0, c1, c2) with
  c0' = c1, c1' = c2 and the force F c0. In units (omega eta, eta'), in which an undamped mode is a rotation.
*/
static PetscErrorCode integrate(const NsReduced *reduced, PetscInt first, PetscInt m, PetscReal dt, PetscInt n, PetscReal *E)
{
  const PetscInt r = reduced->modes;
  PetscReal     *A, *unit;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2((size_t)n * (size_t)n, &A, m, &unit));
  for (PetscInt i = 0; i < m; i++) unit[i] = PetscMax(reduced->omega[first + i], 1 / dt);
  for (PetscInt i = 0; i < m; i++) {
    A[(m + i) * n + i] = dt * unit[i];
    for (PetscInt j = 0; j < m; j++) {
      const PetscInt at      = (first + i) * r + first + j;
      A[j * n + m + i]       = -dt * ((i == j ? PetscSqr(reduced->omega[first + i]) : 0) + reduced->circulation[at]) / unit[j];
      A[(m + j) * n + m + i] = -dt * reduced->damping[at];
    }
    A[(2 * m + i) * n + m + i] = dt;
    for (PetscInt l = 2; l < reduced->loads; l++) A[(3 * m + 3 * (l - 2)) * n + m + i] = dt * reduced->load[l * r + first + i];
  }
  for (PetscInt at = 3 * m; at < n; at += 3) A[(at + 1) * n + at] = A[(at + 2) * n + at + 1] = 1;
  PetscCall(NsExponential(n, A, E));
  for (PetscInt j = 0; j < n; j++) { /* back to (eta, eta') */
    for (PetscInt i = 0; i < m; i++) E[j * n + i] /= unit[i];
    for (PetscInt i = 0; i < 2 * m && j < m; i++) E[j * n + i] *= unit[j];
  }
  PetscCall(PetscFree2(A, unit));
  PetscFunctionReturn(0);
}

/* Undamped in closed form: 1 - cos is written as a square, which avoids cancellation, so that energy is conserved to rounding. Damped: only the rotation. */
static void sharpen(NsModalFlight *self, PetscInt i)
{
  const NsReduced *reduced = self->reduced;
  const PetscReal  dt = self->dt, omega = reduced->omega[i], rate = reduced->damping[i * (reduced->modes + 1)] / 2;

  if (rate == 0 && omega == 0) {
    self->S[0][0][i] = self->S[1][1][i] = 1;
    self->S[0][1][i] = self->Q[1][i] = dt;
    self->S[1][0][i]                 = 0;
    self->Q[0][i]                    = dt * dt / 2;
  } else if (rate == 0) {
    const PetscReal half = sin(omega * dt / 2);
    self->S[0][0][i] = self->S[1][1][i] = cos(omega * dt);
    self->S[0][1][i] = self->Q[1][i] = sin(omega * dt) / omega;
    self->S[1][0][i]                 = -omega * sin(omega * dt);
    self->Q[0][i]                    = 2 * half * half / (omega * omega);
  } else if (omega > fabs(rate)) {
    const PetscReal turning = sqrt((omega - rate) * (omega + rate)), fade = exp(-rate * dt), c = fade * cos(turning * dt),
                    s = fade * sin(turning * dt) / turning;
    self->S[0][0][i]  = c + rate * s;
    self->S[0][1][i]  = s;
    self->S[1][0][i]  = -omega * omega * s;
    self->S[1][1][i]  = c - rate * s;
  }
}

/* a(tau) = a0 (1 - 3 tau + 2 tau^2) + am (4 tau - 4 tau^2) + a1 (2 tau^2 - tau); the columns of E are the responses to 1, tau, tau^2/2. */
static void take_loads(NsModalFlight *self, PetscInt first, PetscInt m, PetscInt n, const PetscReal *E)
{
  static const PetscReal weight[3][3] = {{1, -3, 4}, {0, 4, -8}, {0, -1, 4}};
  const NsReduced       *reduced      = self->reduced;
  const PetscInt         r            = reduced->modes;

  for (PetscInt l = 2; l < reduced->loads; l++) {
    for (PetscInt k = 0; k < 3; k++) {
      PetscReal *to = self->varying + (3 * (l - 2) + k) * 2 * r;
      for (PetscInt i = 0; i < 2 * m; i++) {
        PetscReal sum = 0;
        for (PetscInt p = 0; p < 3; p++) sum += weight[k][p] * E[(3 * m + 3 * (l - 2) + p) * n + i];
        to[i < m ? first + i : r + first + i - m] = sum;
      }
    }
  }
}

PetscErrorCode NsModalFlightPrepare(NsModalFlight *self, PetscReal dt)
{
  const NsReduced *reduced = self->reduced;
  const PetscInt   r       = reduced->modes;
  PetscReal       *to      = self->dense;

  PetscFunctionBegin;
  if (self->dt == dt) PetscFunctionReturn(0);
  self->dt = dt;
  for (PetscInt b = 0; b < reduced->blocks; b++) {
    const PetscInt first = reduced->block[b], m = reduced->block[b + 1] - first, n = 3 * m + 3 * (reduced->loads - 2);
    PetscReal     *E;
    PetscCall(PetscMalloc1((size_t)n * (size_t)n, &E));
    PetscCall(integrate(reduced, first, m, dt, n, E));
    take_loads(self, first, m, n, E);
    if (b < reduced->alone) {
      for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) self->S[i][j][first] = E[j * n + i];
        self->Q[i][first] = E[2 * n + i];
      }
      sharpen(self, first);
    } else {
      for (PetscInt j = 0; j < 3 * m; j++, to += 2 * m) PetscCall(PetscArraycpy(to, E + j * n, 2 * m));
    }
    PetscCall(PetscFree(E));
  }
  PetscCall(PetscArrayzero(self->constant, 2 * r));
  for (PetscInt i = 0; i < r; i++) self->work[3 * r + i] = reduced->load[i] + reduced->load[r + i];
  NsModalPush(self, self->work + 3 * r, self->constant);
  PetscFunctionReturn(0);
}

/* y (+)= B x of a group's numbers out of, and into, vectors of halves. */
static void apply(PetscInt m, PetscInt columns, const PetscReal *B, const PetscReal *x, PetscReal *y)
{
  const PetscBLASInt rows = (PetscBLASInt)(2 * m), width = (PetscBLASInt)columns, next = 1;
  const PetscReal    one = 1, zero = 0;

  BLASgemv_("N", &rows, &width, &one, B, &rows, x, &next, &zero, y, &next);
}

void NsModalFly(const NsModalFlight *self, const PetscReal *x0, PetscReal *const size[3], PetscReal *x1)
{
  const NsReduced *reduced = self->reduced;
  const PetscInt   r = reduced->modes, alone = reduced->alone;
  const PetscReal *restrict const S00      = self->S[0][0];
  const PetscReal *restrict const S01      = self->S[0][1];
  const PetscReal *restrict const S10      = self->S[1][0];
  const PetscReal *restrict const S11      = self->S[1][1];
  const PetscReal *restrict const constant = self->constant;
  const PetscReal *B                       = self->dense;

  for (PetscInt i = 0; i < alone; i++) {
    x1[i]     = S00[i] * x0[i] + S01[i] * x0[r + i] + constant[i];
    x1[r + i] = S10[i] * x0[i] + S11[i] * x0[r + i] + constant[r + i];
  }
  for (PetscInt b = alone; b < reduced->blocks; b++) {
    const PetscInt first = reduced->block[b], m = reduced->block[b + 1] - first;
    PetscReal     *in = self->work, *out = in + 2 * m;
    for (PetscInt i = 0; i < m; i++) {
      in[i]     = x0[first + i];
      in[m + i] = x0[r + first + i];
    }
    apply(m, 2 * m, B, in, out);
    for (PetscInt i = 0; i < m; i++) {
      x1[first + i]     = out[i] + constant[first + i];
      x1[r + first + i] = out[m + i] + constant[r + first + i];
    }
    B += 6 * m * m;
  }
  for (PetscInt l = 2; l < reduced->loads; l++) {
    const PetscReal *from = self->varying + 6 * r * (l - 2);
    for (PetscInt i = 0; i < 2 * r; i++) x1[i] += size[0][l] * from[i] + size[1][l] * from[2 * r + i] + size[2][l] * from[4 * r + i];
  }
}

void NsModalPush(const NsModalFlight *self, const PetscReal *g, PetscReal *x)
{
  const NsReduced *reduced = self->reduced;
  const PetscInt   r       = reduced->modes;
  const PetscReal *B       = self->dense;

  for (PetscInt i = 0; i < reduced->alone; i++) {
    x[i] += self->Q[0][i] * g[i];
    x[r + i] += self->Q[1][i] * g[i];
  }
  for (PetscInt b = reduced->alone; b < reduced->blocks; b++) {
    const PetscInt first = reduced->block[b], m = reduced->block[b + 1] - first;
    PetscReal     *out = self->work;
    apply(m, m, B + 4 * m * m, g + first, out);
    for (PetscInt i = 0; i < m; i++) {
      x[first + i] += out[i];
      x[r + first + i] += out[m + i];
    }
    B += 6 * m * m;
  }
}
