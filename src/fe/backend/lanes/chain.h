/*
  Long chains in lanes: bars, whose force works on differences of neighbours, so that a rigid motion makes exactly no force. Only for kernel.c.

      f_j = t_j - t_{j + 1} - c_j v_j,     t_j = k_j (q_{j - 1} - q_j) + d_j (v_{j - 1} - v_j)

  with k_j, d_j: minus what couples rows j - 1 and j of K and C, and c_j: the sum of row j of C.
*/
#pragma once
#include "rows.h"

typedef struct {
  Row q, v; /* row j, when its turn comes */
  Row t, y; /* row j + 1 */
  Row lost; /* sum of w y so far */
} Chain;

/* Row j - 1 of q and v; `at` its place. */
INLINE void below(const Arrays *x, const bool flight, const bool damped, const bool keep, PetscInt at, Row *q, Row *v)
{
  if (flight) {
    const Row v0 = load(x->v0 + at), a0 = load(x->a0 + at);
    *q = plus_scaled(plus_scaled(load(x->q0 + at), x->dt, v0), x->dt * x->dt / 2, a0);
    if (keep) store(x->q1 + at, *q);
    if (damped) *v = plus_scaled(v0, x->dt, a0);
  } else {
    *q = load(x->q + at);
    if (damped) *v = load(x->v + at);
  }
}

/* Row j comes to its force, row j - 1 of q and v comes in. */
INLINE Row chain_force(Chain *c, const bool damped, Row q, Row v, const PetscReal *K, const PetscReal *C)
{
  Row t = product(load(K), difference(q, c->q)), r;

  if (damped) t = plus(t, load(C), difference(v, c->v));
  r = difference(t, c->t);
  if (damped) r = minus(r, load(C + W), c->v);
  c->q = q;
  c->v = v;
  c->t = t;
  return r;
}

/* Rows from .. to - 1 of one block, from > 0; arrays begin with row `from`. */
typedef struct {
  PetscInt         from, to;
  const PetscReal *K, *C, *U;
  const PetscReal *h, *spike; /* NULL: none */
  PetscReal       *a;
} ChainRows;

INLINE ChainRows chain_rows(const Work *w, PetscInt block, PetscInt from, PetscInt to, const PetscReal *h, PetscReal *a)
{
  const NsLaneForce  *force  = w->force;
  const NsLaneFactor *factor = w->factor;
  const PetscReal    *spike  = factor->spike[block];
  const PetscInt      skip   = (from - block * BLOCK) * W;

  return (ChainRows){from, to, force->K[block] + skip, force->C ? force->C[block] + 2 * skip : NULL, factor->down[block] + skip, h ? h + skip : NULL,
    spike ? spike + skip : NULL, a};
}

/* The sweep downwards through these rows; the flags say what there is. */
INLINE void sweep_chain(
  const Work *w, Chain *state, const ChainRows *rows, const bool flight, const bool damped, const bool forced, const bool spiked)
{
  const Arrays    x = w->x;
  const ChainRows r = *rows;
  Chain           c = *state;

  for (PetscInt i = r.to - r.from - 1; i >= 0; i--) {
    Row q, v = c.v, f;
    below(&x, flight, damped, true, (r.from + i - 1) * W, &q, &v);
    f = chain_force(&c, damped, q, v, r.K + i * W, damped ? r.C + 2 * i * W : NULL);
    if (forced) f = sum(f, load(r.h + i * W));
    c.y = minus(f, load(r.U + i * W), c.y);
    store(r.a + i * W, c.y);
    if (spiked) c.lost = plus(c.lost, load(r.spike + i * W), c.y);
  }
  *state = c;
}

INLINE void down_rows(const Work *w, Chain *c, const ChainRows *rows, const bool flight, const bool damped)
{
  if (rows->h && rows->spike)
    sweep_chain(w, c, rows, flight, damped, true, true);
  else if (rows->h)
    sweep_chain(w, c, rows, flight, damped, true, false);
  else if (rows->spike)
    sweep_chain(w, c, rows, flight, damped, false, true);
  else
    sweep_chain(w, c, rows, flight, damped, false, false);
}

/* h and the extra entries of rows from .. to - 1 of a block; NULL: none. */
INLINE const PetscReal *chain_applied(const Work *w, PetscInt from, PetscInt to, PetscReal *room)
{
  const NsLaneForce *f     = w->force;
  const PetscInt     block = from / BLOCK, full = w->shape->full;
  const bool         extra = f->first_extra && f->first_extra[block] < f->first_extra[block + 1];

  if (!extra && (!w->x.h || to <= full)) return w->x.h ? w->x.h + from * W : NULL;
  for (PetscInt j = from; j < to; j++)
    store(room + (j - from) * W, !w->x.h ? zero() : j < full ? load(w->x.h + j * W) : load_some(w->x.h + j * W, w->shape->rest));
  for (PetscInt e = extra ? f->first_extra[block] : 0; extra && e < f->first_extra[block + 1]; e++)
    room[f->extra[e].row - from * W] += f->extra_force[e];
  return room;
}

INLINE void down_chain(const bool flight, const bool damped, Work *w, PetscInt s, PetscReal *spiked)
{
  const NsLaneFactor *f     = w->factor;
  const NsLaneForce  *force = w->force;
  const PetscInt      start = f->first[s], end = f->first[s + 1], full = w->shape->full;
  Chain               c = {zero(), zero(), zero(), zero(), zero()};
  Row                 q, v = zero();
  PetscReal           room[BLOCK * W];

  /* The row after the piece, then its last one. */
  if (end < full) {
    below(&w->x, flight, damped, false, end * W, &c.q, &c.v);
    below(&w->x, flight, damped, true, (end - 1) * W, &q, &v);
  } else {
    c.q = load(w->halo_q + (end - full + 1) * W);
    if (damped) c.v = load(w->halo_v + (end - full + 1) * W);
    if (end > full) {
      q = load(w->halo_q + W);
      if (damped) v = load(w->halo_v + W);
    } else {
      below(&w->x, flight, damped, true, (end - 1) * W, &q, &v);
    }
  }
  (void)chain_force(&c, damped, q, v, row_of(force->K, 1, end), damped ? row_of(force->C, 2, end) : NULL);
  for (PetscInt b = (end - 1) / BLOCK; b >= start / BLOCK; b--) {
    const PetscInt   block = b * BLOCK, to = least(end, block + BLOCK), from = most(block, start + 1);
    const PetscReal *h = chain_applied(w, block, to, room);
    if (to > full) {
      const ChainRows last = chain_rows(w, b, full, full + 1, h, w->tail);
      down_rows(w, &c, &last, flight, damped);
    }
    const ChainRows rows = chain_rows(w, b, from, least(to, full), h, w->x.a + from * W);
    down_rows(w, &c, &rows, flight, damped);
    if (block == start) { /* the head */
      Row r;
      if (start > 0) {
        below(&w->x, flight, damped, false, (start - 1) * W, &q, &v);
      } else {
        q = load(w->halo_q);
        if (damped) v = load(w->halo_v);
      }
      r = chain_force(&c, damped, q, v, force->K[b], damped ? force->C[b] : NULL);
      store(w->x.a + start * W, h ? sum(r, load(h)) : r);
    }
  }
  store(spiked, c.lost);
}

INLINE void force_chain(const bool damped, const Work *w, PetscReal *h)
{
  const NsLaneForce *f    = w->force;
  const PetscInt     full = w->shape->full, rest = w->shape->rest, rows = full + (rest > 0);
  Chain              c = {zero(), zero(), zero(), zero(), zero()};

  c.q = load(any_row(1, full, w->x.q, w->halo_q, rows));
  if (damped) c.v = load(any_row(1, full, w->x.v, w->halo_v, rows));
  for (PetscInt j = rows; j >= 0; j--) { /* row j - 1 comes in; row `rows` is the next lane's and only gives its t */
    const Row q = load(any_row(1, full, w->x.q, w->halo_q, j - 1)), v = damped ? load(any_row(1, full, w->x.v, w->halo_v, j - 1)) : zero();
    const Row r = chain_force(&c, damped, q, v, row_of(f->K, 1, j), damped ? row_of(f->C, 2, j) : NULL);
    if (j < full)
      store(h + j * W, sum(load(h + j * W), r));
    else if (j < rows)
      store_some(h + j * W, sum(load_some(h + j * W, rest), r), rest);
  }
}
