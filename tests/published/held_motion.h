/*
  Motion of a mechanism with some contacts held, from its own functions alone: it goes wrong unless forces, gaps, rows and rates fit each other.

      [ M  -W ] [ v'     ]   [  h ]
      [ W'  0 ] [ lambda ] = [ -d ]          steps of the classic Runge-Kutta method; gaps drift with its error only

  and the impact of the contacts held, which all end with u = -e u^-: the same matrix on (0, -(1 + e) u^-).
*/
#pragma once
#include "support.h"
#include <petscblaslapack.h>
#include "mechanism/mechanism.h"

#define HELD_N 4 /* most coordinates, and most contacts */

typedef struct {
  const NsMechanism *m;
  NsMechanismCase    c;
  int                n;
  int                helds, held[HELD_N]; /* contacts that are held */
  PetscReal          t, q[HELD_N], v[HELD_N];
  PetscReal          lambda[HELD_N]; /* N, of the contacts held at (t, q, v) */
} Held;

typedef struct {
  PetscReal g[HELD_N], W[3 * HELD_N * HELD_N], d[3 * HELD_N];
  int       row[HELD_N]; /* of each contact's normal */
} HeldRows;

static inline HeldRows held_rows(const Held *h, const PetscReal *q, const PetscReal *v)
{
  HeldRows  r                 = {{0}, {0}, {0}, {0}};
  PetscReal drive[3 * HELD_N] = {0};
  int       row               = 0;

  for (int k = 0; h->m->contacts[k].name; k++) {
    r.row[k] = row;
    row += 1 + h->m->contacts[k].tangents;
  }
  h->m->contact(&h->c, h->t, q, r.g, r.W, drive);
  h->m->rowrate(&h->c, h->t, q, v, r.d);
  return r;
}

/* [M -W; W' 0] (x, lambda) = (top, bottom) at q. */
static inline void held_solve(
  const Held *h, const HeldRows *r, const PetscReal *q, const PetscReal *top, const PetscReal *bottom, PetscReal *x, PetscReal *lambda)
{
  const int    n                  = h->n;
  PetscReal    M[HELD_N * HELD_N] = {0}, A[4 * HELD_N * HELD_N] = {0}, b[2 * HELD_N];
  PetscBLASInt size = (PetscBLASInt)(n + h->helds), one = 1, pivot[2 * HELD_N], info;

  h->m->mass(&h->c, q, M);
  for (int i = 0; i < n; i++) {
    b[i] = top[i];
    for (int j = 0; j < n; j++) A[j * size + i] = M[i * n + j];
    for (int k = 0; k < h->helds; k++) {
      A[i * size + n + k]   = r->W[r->row[h->held[k]] * n + i];
      A[(n + k) * size + i] = -A[i * size + n + k];
    }
  }
  for (int k = 0; k < h->helds; k++) b[n + k] = bottom[k];
  LAPACKgesv_(&size, &one, A, &size, pivot, b, &size, &info);
  assert_int_equal(info, 0);
  for (int i = 0; i < n; i++) x[i] = b[i];
  for (int k = 0; k < h->helds; k++) lambda[k] = b[n + k];
}

static inline void held_acceleration(const Held *h, const PetscReal *q, const PetscReal *v, PetscReal *a, PetscReal *lambda)
{
  const HeldRows r         = held_rows(h, q, v);
  PetscReal      f[HELD_N] = {0}, minus[HELD_N];

  h->m->force(&h->c, h->t, q, v, f);
  for (int k = 0; k < h->helds; k++) minus[k] = -r.d[r.row[h->held[k]]];
  held_solve(h, &r, q, f, minus, a, lambda);
}

static inline void held_step(Held *h, PetscReal dt)
{
  static const PetscReal at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  PetscReal              q[HELD_N], v[HELD_N], a[HELD_N] = {0}, dq[HELD_N] = {0}, dv[HELD_N] = {0}, last[HELD_N] = {0};

  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < h->n; i++) {
      q[i] = h->q[i] + at[s] * dt * last[i];
      v[i] = h->v[i] + at[s] * dt * a[i];
    }
    held_acceleration(h, q, v, a, h->lambda);
    for (int i = 0; i < h->n; i++) {
      dq[i] += weight[s] * dt * v[i];
      dv[i] += weight[s] * dt * a[i];
      last[i] = v[i];
    }
  }
  for (int i = 0; i < h->n; i++) {
    h->q[i] += dq[i];
    h->v[i] += dv[i];
  }
  h->t += dt;
  held_acceleration(h, h->q, h->v, a, h->lambda);
}

static inline PetscReal held_gap(const Held *h, int contact)
{
  return held_rows(h, h->q, h->v).g[contact];
}

static inline PetscReal held_gap_rate(const Held *h, int contact)
{
  const HeldRows r    = held_rows(h, h->q, h->v);
  PetscReal      rate = 0;

  for (int i = 0; i < h->n; i++) rate += r.W[r.row[contact] * h->n + i] * h->v[i];
  return rate;
}

/* To where this contact closes: steps of dt, the last one shortened by Newton's method. */
static inline void held_until_closed(Held *h, int contact, PetscReal dt)
{
  Held before;

  do {
    before = *h;
    held_step(h, dt);
    assert_true(h->t < 100);
  } while (held_gap(h, contact) > 0);
  for (int round = 0; round < 6; round++) {
    dt -= held_gap(h, contact) / held_gap_rate(h, contact);
    *h = before;
    held_step(h, dt);
  }
}

/* The impact of the contacts held, with impulses in h->lambda. */
static inline void held_impact(Held *h, PetscReal e)
{
  const HeldRows r         = held_rows(h, h->q, h->v);
  PetscReal      f[HELD_N] = {0}, dv[HELD_N], minus[HELD_N];

  for (int k = 0; k < h->helds; k++) minus[k] = -(1 + e) * held_gap_rate(h, h->held[k]);
  held_solve(h, &r, h->q, f, minus, dv, h->lambda);
  for (int i = 0; i < h->n; i++) h->v[i] += dv[i];
}

static inline PetscReal held_energy(const Held *h)
{
  PetscReal M[HELD_N * HELD_N] = {0}, elastic, potential, kinetic = 0;

  h->m->mass(&h->c, h->q, M);
  h->m->energy(&h->c, h->q, &elastic, &potential);
  for (int i = 0; i < h->n; i++) {
    for (int j = 0; j < h->n; j++) kinetic += h->v[i] * M[i * h->n + j] * h->v[j] / 2;
  }
  return kinetic + elastic + potential;
}
