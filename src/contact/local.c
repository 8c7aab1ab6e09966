/*
  What the solvers of the local problem share: the unit form, the residual, and the last rounding.

  Unit form, with d_k = G_kk, rounded to a power of four:  p = sqrt(d) P,  w / sqrt(d),  G_kj / sqrt(d_k d_j),  mu sqrt(d_T / d_N).  Energy is what
  all of it is measured in, as in a Jacobi-preconditioned system: contacts of a gram and of a ton are rows of one size, and rounding is 1e-16 of p in
  each of them. Powers of two, so that scaling rounds nothing. It costs two multiplications per entry of a small G, or of U and Y, once a solve; a large dense G is left as it is.
*/
#include <string.h>
#include "percuss/local.h"
#include "solvers/band.h"
#include "solvers/linear.h"

#define NS_LOCAL_NEWTON(Name)       extern const NsLocalSolverType NsLocalSolverType_##Name;
#define NS_LOCAL_SOLVER(Name, word) NS_LOCAL_NEWTON(Name)
#include "contact/solvers/list.h"
#undef NS_LOCAL_NEWTON

const NsLocalSolverType *const NsLocalSolverTypes[] = {
#define NS_LOCAL_NEWTON(Name) &NsLocalSolverType_##Name,
#include "contact/solvers/list.h"
#undef NS_LOCAL_SOLVER
#undef NS_LOCAL_NEWTON
  NULL,
};

#define NS_VANISHING 1e-14 /* of the largest diagonal entry: below it, one is rounding */
#define NS_ROUNDING  1e-15
#define NS_JAMMED    1e6 /* see NsLocalResidual */

/* Workspace for problems of this size. */
static PetscErrorCode set_up(NsLocalSolver *solver, PetscInt max_contacts, PetscInt max_rows, PetscInt max_small)
{
  const PetscInt n = max_rows, small = max_small;

  PetscFunctionBegin;
  solver->max_contacts = max_contacts;
  solver->max_rows     = max_rows;
  solver->max_small    = max_small;
  PetscCall(
    PetscMalloc5((small * small), &solver->G, n, &solver->b, max_contacts, &solver->friction, max_contacts, &solver->limit, n, &solver->root));
  PetscCall(PetscMalloc3(n, &solver->inverse, n, &solver->P, n, &solver->w));
  PetscCall(solver->type->create(solver));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_down(NsLocalSolver *solver)
{
  PetscFunctionBegin;
  PetscCall(solver->type->destroy(solver));
  PetscCall(PetscFree5(solver->G, solver->b, solver->friction, solver->limit, solver->root));
  PetscCall(PetscFree3(solver->inverse, solver->P, solver->w));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalSolverCreate(const NsLocalSolverType *type, PetscInt max_contacts, PetscInt max_rows, NsLocalSolver **result)
{
  NsLocalSolver *solver;

  PetscFunctionBegin;
  PetscCall(PetscNew(&solver));
  solver->type      = type;
  solver->tolerance = 1e-12;
  solver->r         = 1;
  PetscCall(set_up(solver, max_contacts, max_rows, PetscMin(max_rows, NS_LOCAL_SMALL)));
  if (solver->max_iterations == 0) solver->max_iterations = 50;
  *result = solver;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalSolverDestroy(NsLocalSolver **result)
{
  NsLocalSolver *solver = *result;

  PetscFunctionBegin;
  if (!solver) PetscFunctionReturn(0);
  PetscCall(take_down(solver));
  PetscCall(NsLocalLinearDestroy(&solver->linear));
  PetscCall(PetscFree(solver->U));
  PetscCall(PetscFree(solver->Y));
  PetscCall(PetscFree(solver));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalSolverLinear(NsLocalSolver *solver, const NsLocalProblem *unit, NsLocalLinear **linear)
{
  NsLocalSolver *owner = solver->lender ? solver->lender : solver;

  PetscFunctionBegin;
  if (!owner->linear) PetscCall(NsLocalLinearCreate(owner->max_contacts, owner->max_small, &owner->linear));
  PetscCall(NsLocalLinearPrepare(owner->linear, unit));
  *linear = owner->linear;
  PetscFunctionReturn(0);
}

/* Where `place` is among n ascending ones from k on, or the first beyond it. */
static inline PetscInt find_from(PetscInt k, PetscInt n, const PetscInt *at, PetscInt place)
{
  for (PetscInt stride = n - k; stride > 4 && k < n && at[k] < place; stride = n - k) { /* halves, then one by one */
    if (at[k + stride / 2] > place) {
      n = k + stride / 2;
    } else {
      k += stride / 2;
    }
  }
  while (k < n && at[k] < place) k++;
  return k;
}

/* The same of U A^-1 Y. */
static PetscReal entry_by_band(
  const NsLocalBand *band, PetscInt m, const PetscInt *a, const PetscReal *u, PetscInt n, const PetscInt *b, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < m; k++) {
    const PetscReal *row = band->inverse + (PetscInt64)a[k] * NsBandWidth(band->half) + band->half - a[k];
    for (PetscInt l = 0; l < n; l++) sum += u[k] * row[b[l]] * y[l];
  }
  return sum;
}

/* Entry (i, j) of a contact's own block of U Y: both lists ascend. */
static PetscReal entry_of(const NsLocalSparse *sparse, PetscInt c, PetscInt i, PetscInt j)
{
  const NsLocalBlocks *U = &sparse->U, *Y = &sparse->Y;
  const PetscInt      *a = U->at + U->first[c], *b = Y->at + Y->first[c], m = U->first[c + 1] - U->first[c], n = Y->first[c + 1] - Y->first[c];
  const PetscReal     *u = U->value + U->place[c] + i * m, *y = Y->value + Y->place[c] + j * n;
  PetscReal            sum = 0;

  if (sparse->band) return entry_by_band(sparse->band, m, a, u, n, b, y);
  for (PetscInt k = 0, l = 0; k < m && l < n; k++) {
    l = find_from(l, n, b, a[k]);
    if (l < n && b[l] == a[k]) sum += u[k] * y[l++];
  }
  return sum;
}

/* G_kk of row k, which is contact c's. */
static inline PetscReal diagonal_of(const NsLocalProblem *p, PetscInt c, PetscInt k)
{
  return p->G ? p->G[(PetscInt64)k * p->rows + k] : entry_of(p->sparse, c, k - p->start[c], k - p->start[c]);
}

/* d of all of G, for rows that have none of their own. */
static PetscReal largest_diagonal(const NsLocalProblem *p)
{
  PetscReal largest = 0;

  for (PetscInt c = 0; c < p->contacts; c++) {
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) largest = PetscMax(largest, diagonal_of(p, c, k));
  }
  return largest > 0 ? largest : 1;
}

/* sqrt(d), a power of two: d / root^2 is in [1/2, 2). From the exponent's bits, for frexp and ldexp would be a fifth of a small solve. */
static inline PetscReal root_of(PetscReal d)
{
  uint64_t bits;

  memcpy(&bits, &d, sizeof(bits));
  bits = ((bits >> 52) / 2 + 512) << 52; /* 2^(x - 1023) has the exponent's bits x; d > 0, so that there is no sign above them */
  memcpy(&d, &bits, sizeof(d));
  return d;
}

/* mu along tangent 2 over that along tangent 1. */
static inline PetscReal across_of(const NsLocalProblem *p, PetscInt c)
{
  return p->across && p->across[c] > 0 ? p->across[c] : 1;
}

/* sqrt(d) of a contact's normal and of its tangents: these have one, so that the disc stays a disc, or those that make a disc of an ellipse. */
static void find_roots(const NsLocalProblem *p, PetscInt c, PetscReal largest, PetscReal root[3])
{
  const PetscInt  first = p->start[c], end = p->start[c + 1];
  const PetscReal d = diagonal_of(p, c, first), across = across_of(p, c);
  PetscReal       d_t = 0;

  root[0] = root_of(d > NS_VANISHING * largest ? d : largest);
  for (PetscInt k = first + 1; k < end; k++) d_t = PetscMax(d_t, diagonal_of(p, c, k) * (k == first + 1 ? 1 : across * across));
  root[1] = end == first + 1 ? root[0] : root_of(d_t > NS_VANISHING * largest ? d_t : largest);
  root[2] = root[1] / across;
}

/* The blocks with their rows divided by sqrt(d). */
static PetscErrorCode scale_blocks(
  const NsLocalProblem *p, const NsLocalBlocks *from, const PetscReal *inverse, PetscReal **value, PetscInt *room, NsLocalBlocks *to)
{
  const PetscInt size = from->place[p->contacts];

  PetscFunctionBegin;
  if (size > *room) {
    PetscCall(PetscFree(*value));
    PetscCall(PetscMalloc1(size, value));
    *room = size;
  }
  *to       = *from;
  to->value = *value;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt width = from->first[c + 1] - from->first[c];
    for (PetscInt k = p->start[c], at = from->place[c]; k < p->start[c + 1]; k++, at += width) {
      for (PetscInt j = 0; j < width; j++) to->value[at + j] = inverse[k] * from->value[at + j];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode to_unit_form(NsLocalSolver *solver, const NsLocalProblem *p, const PetscReal *P)
{
  const PetscInt  n       = p->rows;
  const PetscReal largest = largest_diagonal(p);

  PetscFunctionBegin;
  for (PetscInt c = 0; c < p->contacts; c++) {
    PetscReal root[3];
    find_roots(p, c, largest, root);
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) solver->root[k] = root[k - p->start[c]];
    solver->friction[c] = p->friction[c] * root[1] / root[0];
    solver->limit[c]    = NsLocalLimit(p, c) * root[1];
  }
  for (PetscInt k = 0; k < n; k++) solver->inverse[k] = 1 / solver->root[k];
  for (PetscInt k = 0; k < n; k++) {
    solver->b[k] = solver->inverse[k] * p->b[k];
    solver->P[k] = solver->root[k] * P[k];
  }
  solver->unit          = *p;
  solver->unit.b        = solver->b;
  solver->unit.friction = solver->friction;
  solver->unit.limit    = p->limit ? solver->limit : NULL;
  solver->unit.across   = NULL;
  solver->unit.sparse   = NULL;
  solver->unit.scale    = NULL;
  if (NsLocalIsSmall(p)) {
    for (PetscInt k = 0; k < n; k++) {
      const PetscReal s = solver->inverse[k], *from = p->G + k * n;
      PetscReal      *to = solver->G + k * n;
      for (PetscInt j = 0; j < n; j++) to[j] = s * solver->inverse[j] * from[j];
    }
    solver->unit.G = solver->G;
  } else if (p->G) {
    solver->unit.scale = solver->inverse;
  } else {
    solver->sparse = *p->sparse;
    PetscCall(scale_blocks(p, &p->sparse->U, solver->inverse, &solver->U, &solver->most_U, &solver->sparse.U));
    PetscCall(scale_blocks(p, &p->sparse->Y, solver->inverse, &solver->Y, &solver->most_Y, &solver->sparse.Y));
    solver->unit.sparse = &solver->sparse;
  }
  PetscFunctionReturn(0);
}

/* P_T to the rim in the direction of x, if x lies beyond it. */
static void to_rim(PetscInt tangents, PetscReal radius, const PetscReal *x, PetscReal *P)
{
  const PetscReal length = tangents == 1 ? PetscAbsReal(x[0]) : PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);

  for (PetscInt i = 0; i < tangents && length > radius; i++) P[i] = radius == 0 ? 0 : radius * (x[i] / length);
}

/*
  Rounding leaves an open contact with 1e-17 of an impulse, a sliding one as far outside its disc or, where it hardly pushes, on the wrong side of it:
  a solution is exactly within the law. P = 0 where x = P - w <= 0 or P is rounding of the others; where it slips, the rim in the direction of x.
*/
void NsLocalTidy(const NsLocalProblem *p, const PetscReal *inverse, const PetscReal *unit, const PetscReal *w, PetscReal *P)
{
  PetscReal largest = 0;

  for (PetscInt k = 0; k < p->rows; k++) largest = PetscMax(largest, PetscAbsReal(unit[k]));
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt  k = p->start[c], tangents = p->start[c + 1] - k - 1;
    PetscReal       x[2]  = {0};
    const PetscReal limit = NsLocalLimit(p, c);
    if (limit >= 0) {
      for (PetscInt i = 0; i < tangents; i++) x[i] = inverse[k + 1] * (unit[k + 1 + i] - w[k + 1 + i]);
      to_rim(tangents, limit, x, P + k + 1);
    }
    if (p->bilateral[c]) continue;
    if (limit >= 0) P[k] = 0;
    if (limit >= 0) continue;
    if (unit[k] <= w[k] || unit[k] <= NS_ROUNDING * largest) P[k] = 0;
    if (tangents == 0) continue;
    const PetscReal across = across_of(p, c);
    if (tangents == 2) P[k + 2] /= across; /* the ellipse as a disc */
    for (PetscInt i = 0; i < tangents; i++) x[i] = inverse[k + 1] * (unit[k + 1 + i] - w[k + 1 + i]);
    to_rim(tangents, p->friction[c] * P[k], x, P + k + 1);
    for (PetscInt i = 0; i < tangents; i++) x[i] = P[k + 1 + i];
    to_rim(tangents, p->friction[c] * P[k], x, P + k + 1);
    if (tangents == 2) P[k + 2] *= across;
  }
}

PetscErrorCode NsLocalSolve(NsLocalSolver *solver, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  *result = (NsLocalResult){PETSC_FALSE, 0, PETSC_INFINITY, PETSC_FALSE};
  if (!NsLocalCan(solver, problem)) PetscFunctionReturn(0);
  const PetscInt small = NsLocalIsSmall(problem) ? problem->rows : 0;
  if (problem->contacts > solver->max_contacts || problem->rows > solver->max_rows || small > solver->max_small) {
    PetscCall(take_down(solver));
    PetscCall(set_up(solver, PetscMax(solver->max_contacts, problem->contacts + problem->contacts / 4),
      PetscMax(solver->max_rows, problem->rows + problem->rows / 4), PetscMax(solver->max_small, small)));
  }
  PetscCall(to_unit_form(solver, problem, P));
  PetscCall(solver->type->solve(solver, &solver->unit, solver->P, result));
  result->converged = result->residual <= solver->tolerance;
  for (PetscInt k = 0; k < problem->rows; k++) P[k] = solver->inverse[k] * solver->P[k];
  if (result->converged) NsLocalTidy(problem, solver->inverse, solver->P, solver->w, P);
  PetscFunctionReturn(0);
}

/* v = Y P */
static void gather(const NsLocalProblem *p, const PetscReal *P)
{
  const NsLocalSparse *sparse = p->sparse;
  const NsLocalBlocks *Y      = &sparse->Y;

  for (PetscInt u = 0; u < sparse->unknowns; u++) sparse->v[u] = 0;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   width = Y->first[c + 1] - Y->first[c], *at = Y->at + Y->first[c];
    const PetscReal *value = Y->value + Y->place[c];
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++, value += width) {
      if (P[k] != 0) NsLocalScatter(width, at, value, P[k], sparse->v);
    }
  }
}

/* w = b + G P of a large problem. */
static void large_velocities(const NsLocalProblem *p, const PetscReal *P, PetscReal *w)
{
  const PetscInt       n = p->rows;
  const NsLocalBlocks *U = p->sparse ? &p->sparse->U : NULL;

  if (!U) { /* columns without an impulse are most of them, or few; four sums, for one waits for itself */
    for (PetscInt k = 0; k < n; k++) {
      const PetscReal *row = p->G + (PetscInt64)k * n, *s = p->scale;
      PetscReal        sum[4] = {0};
      PetscInt         j      = 0;
      for (; j + 4 <= n; j += 4) {
        for (PetscInt i = 0; i < 4; i++) sum[i] += row[j + i] * (s[j + i] * P[j + i]);
      }
      for (; j < n; j++) sum[0] += row[j] * (s[j] * P[j]);
      w[k] = p->b[k] + s[k] * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return;
  }
  gather(p, P);
  if (p->sparse->band) NsBandBack(p->sparse->band->n, p->sparse->band->half, p->sparse->band->factor, p->sparse->v);
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   width = U->first[c + 1] - U->first[c], *at = U->at + U->first[c];
    const PetscReal *value = U->value + U->place[c];
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++, value += width) {
      PetscReal sum = p->b[k];
      for (PetscInt j = 0; j < width; j++) sum += value[j] * p->sparse->v[at[j]];
      w[k] = sum;
    }
  }
}

void NsLocalOwnBlock(const NsLocalProblem *p, PetscInt c, PetscReal *block)
{
  const PetscInt first = p->start[c], m = p->start[c + 1] - first;

  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < m; j++) {
      if (p->sparse)
        block[i * m + j] = entry_of(p->sparse, c, i, j);
      else
        block[i * m + j] = p->G[(PetscInt64)(first + i) * p->rows + first + j] * (p->scale ? p->scale[first + i] * p->scale[first + j] : 1);
    }
  }
}

void NsLocalVelocities(const NsLocalProblem *unit, const PetscReal *P, PetscReal *w)
{
  const PetscInt n = unit->rows;

  if (unit->sparse || unit->scale) {
    large_velocities(unit, P, w);
    return;
  }
  for (PetscInt k = 0; k < n; k++) {
    const PetscReal *row = unit->G + k * n;
    PetscReal        sum = unit->b[k];
    for (PetscInt j = 0; j < n; j++) sum += row[j] * P[j];
    w[k] = sum;
  }
}

/* The largest of |x|, NaN if one of them is: a maximum alone would lose that, a sum does not. */
typedef struct {
  PetscReal most, sum;
} Largest;

static inline void include(Largest *largest, PetscReal x)
{
  x             = PetscAbsReal(x);
  largest->most = PetscMax(largest->most, x);
  largest->sum += x;
}

/* P - proj(P - w) of one contact in unit form. */
static inline void contact_residual(
  PetscInt rows, PetscBool bilateral, PetscReal mu, PetscReal limit, const PetscReal *P, const PetscReal *w, Largest *worst)
{
  if (bilateral && limit < 0) {
    for (PetscInt i = 0; i < rows; i++) include(worst, w[i]);
    return;
  }
  include(worst, !bilateral && (limit >= 0 || P[0] <= w[0]) ? P[0] : w[0]);
  if (rows == 1) return;
  const PetscReal radius = limit >= 0 ? limit : P[0] > 0 ? mu * P[0] : 0;
  if (rows == 2) {
    const PetscReal x = P[1] - w[1];
    include(worst, x > radius ? P[1] - radius : x < -radius ? P[1] + radius : w[1]);
    return;
  }
  const PetscReal x[2] = {P[1] - w[1], P[2] - w[2]}, length = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
  for (int i = 0; i < 2; i++) include(worst, length > radius ? P[1 + i] - radius / length * x[i] : w[1 + i]);
}

static inline PetscReal relative(const Largest *worst, const Largest *velocity, const Largest *impulse)
{
  const PetscReal scale = PetscMax(velocity->most, PetscMin(impulse->most, NS_JAMMED * velocity->most)),
                  sum   = worst->sum + velocity->sum + impulse->sum;

  if (sum != sum) return sum;
  if (worst->most == 0) return 0;
  return scale > 0 ? worst->most / scale : PETSC_INFINITY;
}

PetscReal NsLocalUnitResidual(const NsLocalProblem *unit, const PetscReal *P, const PetscReal *w)
{
  Largest worst = {0, 0}, velocity = {0, 0}, impulse = {0, 0};

  for (PetscInt c = 0; c < unit->contacts; c++) {
    const PetscInt first = unit->start[c], rows = unit->start[c + 1] - first;
    contact_residual(rows, unit->bilateral[c], unit->friction[c], NsLocalLimit(unit, c), P + first, w + first, &worst);
  }
  for (PetscInt k = 0; k < unit->rows; k++) {
    include(&velocity, unit->b[k]);
    include(&impulse, P[k]);
  }
  return relative(&worst, &velocity, &impulse);
}

/* u = (G P)_k */
static PetscReal velocity_of(const NsLocalProblem *p, PetscInt c, PetscInt k, const PetscReal *P)
{
  PetscReal sum = 0;

  if (p->G) {
    for (PetscInt j = 0; j < p->rows; j++) sum += p->G[(PetscInt64)k * p->rows + j] * P[j];
    return sum;
  }
  const NsLocalBlocks *U     = &p->sparse->U;
  const PetscInt       width = U->first[c + 1] - U->first[c], *at = U->at + U->first[c];
  const PetscReal     *value = U->value + U->place[c] + (k - p->start[c]) * width;
  for (PetscInt j = 0; j < width; j++) sum += value[j] * p->sparse->v[at[j]];
  return sum;
}

PetscReal NsLocalResidual(const NsLocalProblem *problem, const PetscReal *P)
{
  const PetscReal largest = largest_diagonal(problem);
  Largest         worst = {0, 0}, velocity = {0, 0}, impulse = {0, 0};

  if (problem->sparse) gather(problem, P);
  for (PetscInt c = 0; c < problem->contacts; c++) {
    const PetscInt first = problem->start[c], rows = problem->start[c + 1] - first;
    PetscReal      p[3] = {0}, w[3] = {0}, root[3];
    find_roots(problem, c, largest, root);
    for (PetscInt i = 0; i < rows; i++) {
      const PetscReal s = root[i];
      w[i]              = (problem->b[first + i] + velocity_of(problem, c, first + i, P)) / s;
      p[i]              = P[first + i] * s;
      include(&velocity, problem->b[first + i] / s);
      include(&impulse, p[i]);
    }
    contact_residual(rows, problem->bilateral[c], problem->friction[c] * root[1] / root[0], NsLocalLimit(problem, c) * root[1], p, w, &worst);
  }
  return relative(&worst, &velocity, &impulse);
}
