/*
  Long chains in lanes: the kernels, compiled once for each kind of CPU as NS_LANE_KERNEL (CMakeLists.txt). They call and allocate nothing.

  Solving A x = h with A = U D U' (kernel.h): downwards  y_j = h_j - sum_k U_{j, j + k} y_{j + k},  then upwards  x_j = y_j / D_j - sum_k U_{j - k, j} x_{j - k}, both of all
  lanes at once. The first rows of a piece ("head") are eliminated last: they also lose  sum_j w_j y_j  over the rows of the piece before (w: spike), and give
  - w_j x_head  to those rows. So the sweep upwards gives the final solution without a correction afterwards, and the rest of a step is done in the same loop.

  Where spikes decay, each lane is cut into pieces: the sweep upwards through a piece then finds the results of the sweep downwards in the cache. Order: down 0, down S - 1, head 0;
  then down s, head s + 1, up s + 1 for s = S - 2 .. 1; head 1, up 1, up 0.
*/
#include "chain.h"

/* sum_k A_{j, j + k} x_{j + k}; inner: no row of x beyond the lane. */
INLINE Row band_row(
  const PetscInt B, const bool inner, PetscInt full, const PetscReal *A, const PetscReal *x, const PetscReal *halo, PetscInt j, Row s)
{
  for (PetscInt k = -B; k <= B; k++) s = plus(s, load(A + (k + B) * W), load(inner ? x + (j + k) * W : any_row(B, full, x, halo, j + k)));
  return s;
}

/* Prediction of rows from .. to - 1 */
INLINE void predict(const Work *w, const bool damped, PetscInt from, PetscInt to)
{
  const Arrays x = w->x;

  for (PetscInt j = from; j < to; j++) {
    const Row v = load(x.v0 + j * W), a = load(x.a0 + j * W);
    store(x.q1 + j * W, plus_scaled(plus_scaled(load(x.q0 + j * W), x.dt, v), x.dt * x.dt / 2, a));
    if (damped) store(x.v1 + j * W, plus_scaled(v, x.dt, a));
  }
}

/* out = h - K q - C v */
INLINE void band_force(const PetscInt B, const bool inner, const Work *w, PetscInt from, PetscInt to, PetscReal *out)
{
  const PetscInt   full = w->shape->full;
  const PetscReal *K = row_of(w->force->K, 2 * B + 1, from), *C = w->force->C ? row_of(w->force->C, 2 * B + 1, from) : NULL;
  const PetscInt   step = (2 * B + 1) * W;
  const Arrays     x    = w->x;

  for (PetscInt j = from; j < to; j++, K += step, out += W) {
    Row s = band_row(B, inner, full, K, x.q, w->halo_q, j, zero());
    if (C) {
      s = band_row(B, inner, full, C, x.v, w->halo_v, j, s);
      C += step;
    }
    store(out, difference(x.h ? load(x.h + j * W) : zero(), s));
  }
}

/* The right-hand side of rows from .. to - 1 of one block, full rows and perhaps the last one, into a and tail. */
INLINE void right_side(const PetscInt B, Work *w, PetscInt from, PetscInt to)
{
  const NsLaneForce *f    = w->force;
  const PetscInt     full = w->shape->full, end = least(to, full);

  if (!f) {
    for (PetscInt j = from; j < end; j++) store(w->x.a + j * W, load(w->x.h + j * W));
    if (to > full) store(w->tail, load_some(w->x.h + full * W, w->shape->rest));
    return;
  }
  if (w->flight && from >= BLOCK) predict(w, f->C != NULL, from - BLOCK, from);
  if (from >= B && to + B <= full) {
    band_force(B, true, w, from, to, w->x.a + from * W);
  } else {
    band_force(B, false, w, from, end, w->x.a + from * W);
    if (to > full) {
      Row s = band_row(B, false, full, row_of(f->K, 2 * B + 1, full), w->x.q, w->halo_q, full, zero());
      if (f->C) s = band_row(B, false, full, row_of(f->C, 2 * B + 1, full), w->x.v, w->halo_v, full, s);
      store(w->tail, difference(w->x.h ? load_some(w->x.h + full * W, w->shape->rest) : zero(), s));
    }
  }
  if (f->first_extra) {
    for (PetscInt e = f->first_extra[from / BLOCK]; e < f->first_extra[from / BLOCK + 1]; e++) {
      const PetscInt at = f->extra[e].row;
      *(at < full * W ? w->x.a + at : w->tail + at - full * W) += f->extra_force[e];
    }
  }
}

/* Right-hand side and sweep downwards of piece s, its head but for the right-hand side left out; spiked[B][W]: what the next head loses. */
INLINE void down_band(const PetscInt B, Work *w, PetscInt s, PetscReal *spiked)
{
  const NsLaneFactor *f     = w->factor;
  const PetscInt      start = f->first[s], end = f->first[s + 1], full = w->shape->full;
  Row                 y[WIDEST], lost[WIDEST];

  for (PetscInt k = 0; k < B; k++) y[k] = lost[k] = zero();
  if (w->flight) { /* rows of this block, and those that the piece above begins with */
    const PetscInt from = (end - 1) / BLOCK * BLOCK;
    predict(w, w->force->C != NULL /* NOLINT(clang-analyzer-core.NullDereference): a flight has forces */, from,
      least(most(end, from + BLOCK) + (end < full ? BLOCK : 0), full));
  }
  for (PetscInt b = (end - 1) / BLOCK; b >= start / BLOCK; b--) {
    const PetscInt   from = b * BLOCK, to = least(end, from + BLOCK);
    const PetscReal *down = f->down[b], *spike = f->spike[b];
    right_side(B, w, from, to);
    for (PetscInt j = to - 1; j >= most(from, start + B); j--) {
      PetscReal       *out = j < full ? w->x.a + j * W : w->tail;
      const PetscReal *U   = down + (j - from) * B * W;
      Row              r   = load(out);
      for (PetscInt k = B - 1; k >= 0; k--) r = minus(r, load(U + k * W), y[k]);
      store(out, r);
      for (PetscInt k = B - 1; k > 0; k--) y[k] = y[k - 1];
      y[0] = r;
      if (spike) {
        for (PetscInt k = 0; k < B; k++) lost[k] = plus(lost[k], load(spike + ((j - from) * B + k) * W), r);
      }
    }
  }
  for (PetscInt k = 0; k < B; k++) store(spiked + k * W, lost[k]);
}

/* The reduced system: x = (L D L')^-1 x, x[lanes B]. */
INLINE void solve_reduced(const PetscInt B, const PetscReal *L, PetscReal *x)
{
  const PetscInt n = W * B, wide = 2 * B;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 1; k < wide && k <= i; k++) x[i] -= L[i * wide + wide - 1 - k] * x[i - k];
  }
  for (PetscInt i = 0; i < n; i++) x[i] *= L[i * wide + wide - 1];
  for (PetscInt i = n - 1; i >= 0; i--) {
    for (PetscInt k = 1; k < wide && k <= i; k++) x[i - k] -= L[i * wide + wide - 1 - k] * x[i];
  }
}

/* The head of piece s, which loses spiked[B][W], to the end of the sweep downwards. */
INLINE void head_band(const PetscInt B, Work *w, PetscInt s, const PetscReal *spiked)
{
  const NsLaneFactor *f     = w->factor;
  const PetscInt      start = f->first[s];
  Row                 y[WIDEST];

  for (PetscInt k = 0; k < B; k++) y[k] = load(w->x.a + (start + B + k) * W);
  for (PetscInt j = B - 1; j >= 0; j--) {
    const PetscReal *U = row_of(f->down, B, start + j);
    Row              r = difference(load(w->x.a + (start + j) * W), load(spiked + j * W));
    for (PetscInt k = B - 1; k >= 0; k--) r = minus(r, load(U + k * W), y[k]);
    store(w->x.a + (start + j) * W, r);
    for (PetscInt k = B - 1; k > 0; k--) y[k] = y[k - 1];
    y[0] = r;
  }
  if (f->reduced) {
    PetscReal x[W * WIDEST];
    for (PetscInt c = 0; c < W; c++) {
      for (PetscInt j = 0; j < B; j++) x[c * B + j] = w->x.a[j * W + c];
    }
    solve_reduced(B, f->reduced, x);
    for (PetscInt c = 0; c < W; c++) {
      for (PetscInt j = 0; j < B; j++) w->x.a[j * W + c] = x[c * B + j];
    }
  }
}

/* One row of the sweep upwards: x[k] of row j - 1 - k, head[k] of the next piece; spike may be NULL. */
INLINE Row up_row(const PetscInt B, const bool spiked, Row y, const PetscReal *up, const PetscReal *spike, Row *x, const Row *head)
{
  Row r = product(y, load(up));

  if (spiked) {
    for (PetscInt k = 0; k < B; k++) r = minus(r, load(spike + k * W), head[k]);
  }
  for (PetscInt k = B - 1; k >= 0; k--) r = minus(r, load(up + (k + 1) * W), x[k]);
  for (PetscInt k = B - 1; k > 0; k--) x[k] = x[k - 1];
  x[0] = r;
  return r;
}

INLINE void up_rows(const PetscInt B, const bool spiked, const bool flight, const Work *w, PetscInt from, PetscInt to, const PetscReal *up,
  const PetscReal *spike, Row *x_before, const Row *head)
{
  const Arrays all = w->x;
  Row          x[WIDEST];

  for (PetscInt k = 0; k < B; k++) x[k] = x_before[k];
  for (PetscInt j = from; j < to; j++) {
    const Row r = up_row(B, spiked, load(all.a + j * W), up + (j - from) * (B + 1) * W, spiked ? spike + (j - from) * B * W : NULL, x, head);
    store(all.a + j * W, r);
    if (flight) store(all.v1 + j * W, plus_scaled(load(all.v0 + j * W), all.dt / 2, sum(load(all.a0 + j * W), r)));
  }
  for (PetscInt k = 0; k < B; k++) x_before[k] = x[k];
}

/* The sweep upwards through piece s; next[B][W]: the head of the next one. */
INLINE void up_band(const PetscInt B, Work *w, PetscInt s, const PetscReal *next)
{
  const NsLaneFactor *f     = w->factor;
  const PetscInt      start = f->first[s], end = f->first[s + 1], full = w->shape->full, rest = w->shape->rest;
  Row                 x[WIDEST], head[WIDEST];

  for (PetscInt k = 0; k < B; k++) {
    x[k]    = zero();
    head[k] = load(next + k * W);
  }
  for (PetscInt b = start / BLOCK; b * BLOCK < end; b++) {
    const PetscInt   from = b * BLOCK, to = least(least(end, full), from + BLOCK);
    const PetscReal *spike = f->spike[b];
    if (w->flight && spike)
      up_rows(B, true, true, w, from, to, f->up[b], spike, x, head);
    else if (w->flight)
      up_rows(B, false, true, w, from, to, f->up[b], NULL, x, head);
    else if (spike)
      up_rows(B, true, false, w, from, to, f->up[b], spike, x, head);
    else
      up_rows(B, false, false, w, from, to, f->up[b], NULL, x, head);
  }
  if (end > full) {
    const PetscReal *up = row_of(f->up, B + 1, full), *spike = f->spike[full / BLOCK] ? row_of(f->spike, B, full) : NULL;
    const Row        r = spike ? up_row(B, true, load(w->tail), up, spike, x, head) : up_row(B, false, load(w->tail), up, NULL, x, head);
    store_some(w->x.a + full * W, r, rest);
    for (PetscInt i = full * W; w->flight && i < full * W + rest; i++) w->x.v1[i] = w->x.v0[i] + w->x.dt / 2 * (w->x.a0[i] + w->x.a[i]);
  }
}

/* x of the head of the first piece, known before the sweep upwards reaches it. */
INLINE void first_head(const PetscInt B, const Work *w, PetscReal *head)
{
  Row x[WIDEST];

  for (PetscInt k = 0; k < B; k++) x[k] = zero();
  for (PetscInt j = 0; j < B; j++) store(head + j * W, up_row(B, false, load(w->x.a + j * W), row_of(w->factor->up, B + 1, j), NULL, x, NULL));
}

INLINE void mult_band(const PetscInt B, const NsLaneShape *shape, NsLaneRows A, const PetscReal *x, PetscReal *y)
{
  const PetscInt full = shape->full;
  PetscReal      halo[NS_LANE_HALO * W];

  take_halo(shape, x, halo);
  for (PetscInt j = 0; j < full; j++) {
    const PetscReal *row = row_of(A, 2 * B + 1, j);
    store(y + j * W, j >= B && j + B < full ? band_row(B, true, full, row, x, halo, j, zero()) : band_row(B, false, full, row, x, halo, j, zero()));
  }
  if (shape->rest) store_some(y + full * W, band_row(B, false, full, row_of(A, 2 * B + 1, full), x, halo, full, zero()), shape->rest);
}

INLINE PetscReal product_band(const PetscInt B, const NsLaneShape *shape, NsLaneRows A, const PetscReal *x, const PetscReal *y)
{
  const PetscInt full = shape->full;
  PetscReal      halo[NS_LANE_HALO * W], lane[W], total = 0;
  Row            s = zero();

  take_halo(shape, y, halo);
  for (PetscInt j = 0; j < full; j++) {
    const PetscReal *row = row_of(A, 2 * B + 1, j);
    s                    = plus(s, load(x + j * W),
      j >= B && j + B < full ? band_row(B, true, full, row, y, halo, j, zero()) : band_row(B, false, full, row, y, halo, j, zero()));
  }
  if (shape->rest) s = plus(s, load_some(x + full * W, shape->rest), band_row(B, false, full, row_of(A, 2 * B + 1, full), y, halo, full, zero()));
  store(lane, s);
  for (PetscInt c = 0; c < W; c++) total += lane[c];
  return total;
}

INLINE void force_band(const PetscInt B, const Work *w, PetscReal *h)
{
  const NsLaneForce *f    = w->force;
  const PetscInt     full = w->shape->full;

  for (PetscInt j = 0; j < full + (w->shape->rest > 0); j++) {
    const PetscReal *K = row_of(f->K, 2 * B + 1, j), *C = f->C ? row_of(f->C, 2 * B + 1, j) : NULL;
    const bool       inner = j >= B && j + B < full;
    Row              s = inner ? band_row(B, true, full, K, w->x.q, w->halo_q, j, zero()) : band_row(B, false, full, K, w->x.q, w->halo_q, j, zero());
    if (C) s = inner ? band_row(B, true, full, C, w->x.v, w->halo_v, j, s) : band_row(B, false, full, C, w->x.v, w->halo_v, j, s);
    if (j < full)
      store(h + j * W, difference(load(h + j * W), s));
    else
      store_some(h + j * W, difference(load_some(h + j * W, w->shape->rest), s), w->shape->rest);
  }
}

/* Functions of each width; index 0: bars in differences. */
typedef struct {
  void (*down)(Work *, PetscInt, PetscReal *);
  void (*head)(Work *, PetscInt, const PetscReal *);
  void (*up)(Work *, PetscInt, const PetscReal *);
  void (*first_head)(const Work *, PetscReal *);
  void (*force)(const Work *, PetscReal *);
  void (*mult)(const NsLaneShape *, NsLaneRows, const PetscReal *, PetscReal *);
  PetscReal (*product)(const NsLaneShape *, NsLaneRows, const PetscReal *, const PetscReal *);
} Sweeps;

#define WIDTH(B) \
  static void down_##B(Work *w, PetscInt s, PetscReal *spiked) \
  { \
    down_band(B, w, s, spiked); \
  } \
  static void head_##B(Work *w, PetscInt s, const PetscReal *spiked) \
  { \
    head_band(B, w, s, spiked); \
  } \
  static void up_##B(Work *w, PetscInt s, const PetscReal *next) \
  { \
    up_band(B, w, s, next); \
  } \
  static void first_head_##B(const Work *w, PetscReal *head) \
  { \
    first_head(B, w, head); \
  } \
  static void force_##B(const Work *w, PetscReal *h) \
  { \
    force_band(B, w, h); \
  } \
  static void mult_##B(const NsLaneShape *shape, NsLaneRows A, const PetscReal *x, PetscReal *y) \
  { \
    mult_band(B, shape, A, x, y); \
  } \
  static PetscReal product_##B(const NsLaneShape *shape, NsLaneRows A, const PetscReal *x, const PetscReal *y) \
  { \
    return product_band(B, shape, A, x, y); \
  }
WIDTH(1)
WIDTH(3)
WIDTH(5)
WIDTH(7)
WIDTH(11)
WIDTH(16)
#undef WIDTH

static void down_differences(Work *w, PetscInt s, PetscReal *spiked)
{
  if (w->flight && w->force->C)
    down_chain(true, true, w, s, spiked);
  else if (w->flight)
    down_chain(true, false, w, s, spiked);
  else if (w->force->C)
    down_chain(false, true, w, s, spiked);
  else
    down_chain(false, false, w, s, spiked);
}

static void force_differences(const Work *w, PetscReal *h)
{
  if (w->force->C)
    force_chain(true, w, h);
  else
    force_chain(false, w, h);
}

static const Sweeps *sweeps(const NsLaneShape *shape, const NsLaneForce *force)
{
#define OF(B) \
  { \
    down_##B, head_##B, up_##B, first_head_##B, force_##B, mult_##B, product_##B \
  }
  static const Sweeps bars  = {down_differences, head_1, up_1, first_head_1, force_differences, mult_1, product_1};
  static const Sweeps of[6] = {OF(1), OF(3), OF(5), OF(7), OF(11), OF(16)};
#undef OF
  if (force && force->differences) return &bars;
  return &of[shape->width == 1 ? 0 : shape->width == 3 ? 1 : shape->width == 5 ? 2 : shape->width == 7 ? 3 : shape->width == 11 ? 4 : 5];
}

/* to[j][c + 1] = from[j][c] (up), to[j][c - 1] = from[j][c] (down); zero comes in. */
INLINE void shift(PetscInt B, const bool up, const PetscReal *from, PetscReal *to)
{
  for (PetscInt j = 0; j < B; j++) {
    for (PetscInt c = 0; c < W; c++) to[j * W + c] = up ? (c > 0 ? from[j * W + c - 1] : 0) : (c < W - 1 ? from[j * W + c + 1] : 0);
  }
}

/* Extra entries' forces, before anything is predicted. */
INLINE void take_extras(const Work *w, PetscInt extras)
{
  const NsLaneForce *f = w->force;

  for (PetscInt e = 0; e < extras; e++) {
    const PetscInt i = f->extra[e].column;
    if (w->flight) {
      f->extra_force[e] = -f->extra[e].K * (w->x.q0[i] + w->x.dt * w->x.v0[i] + w->x.dt * w->x.dt / 2 * w->x.a0[i]) -
                          f->extra[e].C * (w->x.v0[i] + w->x.dt * w->x.a0[i]);
    } else {
      f->extra_force[e] = -f->extra[e].K * w->x.q[i] - f->extra[e].C * w->x.v[i];
    }
  }
}

static void prepare(Work *w)
{
  const NsLaneShape *shape = w->shape;
  const NsLaneForce *f     = w->force;
  const PetscInt     full = shape->full, B = shape->width, blocks = (full + (shape->rest > 0) + BLOCK - 1) / BLOCK;
  const PetscReal    dt = w->x.dt;

  if (w->flight) {
    predict(w, f->C != NULL, 0, B + 1); /* row full + B of a short lane is row B of the next one */
    predict(w, f->C != NULL, full - B, full);
    for (PetscInt i = full * W; i < full * W + shape->rest; i++) {
      w->x.q1[i] = w->x.q0[i] + dt * w->x.v0[i] + dt * dt / 2 * w->x.a0[i];
      if (f->C) w->x.v1[i] = w->x.v0[i] + dt * w->x.a0[i];
    }
  }
  take_halo(shape, w->x.q, w->halo_q);
  if (f->C) take_halo(shape, w->x.v, w->halo_v);
  if (f->first_extra) take_extras(w, f->first_extra[blocks]);
}

static void run(Work *w)
{
  const Sweeps  *on = sweeps(w->shape, w->force);
  const PetscInt B = w->shape->width, last = w->factor->pieces - 1;
  PetscReal      first[WIDEST * W], spiked[WIDEST * W], shifted[WIDEST * W];

  on->down(w, 0, first);
  if (last > 0) on->down(w, last, spiked);
  shift(B, true, last > 0 ? spiked : first, shifted);
  on->head(w, 0, shifted);
  on->first_head(w, spiked);
  shift(B, false, spiked, shifted); /* now the head after the last piece */
  for (PetscInt s = last; s > 0; s--) {
    if (s > 1) on->down(w, s - 1, spiked);
    on->head(w, s, s > 1 ? spiked : first);
    on->up(w, s, s < last ? w->x.a + w->factor->first[s + 1] * W : shifted);
  }
  on->up(w, 0, last > 0 ? w->x.a + w->factor->first[1] * W : shifted);
}

static void accel(const NsLaneShape *shape, const NsLaneForce *force, const NsLaneFactor *factor, const PetscReal *q, const PetscReal *v,
  const PetscReal *h, PetscReal *a)
{
  Work w;

  w.shape  = shape;
  w.force  = force;
  w.factor = factor;
  w.flight = PETSC_FALSE;
  w.x.dt   = 0;
  w.x.q    = q;
  w.x.v    = v;
  w.x.h    = h;
  w.x.a    = a;
  prepare(&w);
  run(&w);
}

static void flight(const NsLaneShape *shape, const NsLaneForce *force, const NsLaneFactor *factor, PetscReal dt, const PetscReal *q0,
  const PetscReal *v0, const PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  Work w;

  w.shape  = shape;
  w.force  = force;
  w.factor = factor;
  w.flight = PETSC_TRUE;
  w.x.dt   = dt;
  w.x.q0   = q0;
  w.x.v0   = v0;
  w.x.a0   = a0;
  w.x.h    = h;
  w.x.q = w.x.q1 = q1;
  w.x.v = w.x.v1 = v1;
  w.x.a          = a1;
  prepare(&w);
  run(&w);
}

static void solve(const NsLaneShape *shape, const NsLaneFactor *factor, const PetscReal *b, PetscReal *x)
{
  Work w;

  w.shape  = shape;
  w.force  = NULL;
  w.factor = factor;
  w.flight = PETSC_FALSE;
  w.x.h    = b;
  w.x.a    = x;
  run(&w);
}

static void force_of(const NsLaneShape *shape, const NsLaneForce *force, const PetscReal *q, const PetscReal *v, PetscReal *h)
{
  Work           w;
  const PetscInt blocks = (shape->full + (shape->rest > 0) + BLOCK - 1) / BLOCK;

  w.shape  = shape;
  w.force  = force;
  w.flight = PETSC_FALSE;
  w.x.dt   = 0;
  w.x.q    = q;
  w.x.v    = v;
  prepare(&w);
  sweeps(shape, force)->force(&w, h);
  for (PetscInt e = 0; force->first_extra && e < force->first_extra[blocks]; e++) h[force->extra[e].row] += force->extra_force[e];
}

static void mult(const NsLaneShape *shape, NsLaneRows A, const PetscReal *x, PetscReal *y)
{
  sweeps(shape, NULL)->mult(shape, A, x, y);
}

static PetscReal quadratic(const NsLaneShape *shape, NsLaneRows A, const PetscReal *x, const PetscReal *y)
{
  return sweeps(shape, NULL)->product(shape, A, x, y);
}

const NsLaneKernel NS_LANE_KERNEL = {accel, flight, solve, force_of, mult, quadratic};
