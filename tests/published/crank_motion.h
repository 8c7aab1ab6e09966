/*
  The exact motion of a slider-crank whose slider stays on the x axis. One angle a is left: sin b = - l1/l2 sin a, b' = s a'; energy is kept, so
  a' = sqrt(2 (E - V(a)) / m(a)). Nothing of the program is used: m(a) and V(a) follow from the motion of the links' middles, not from M and h.
*/
#pragma once
#include <petscsys.h>

typedef struct {
  PetscReal l1, l2, m1, m2, m3, J1, J2; /* J about the middles */
} CrankSizes;

static inline PetscReal crank_rod(const CrankSizes *c, PetscReal a)
{
  return -PetscAsinReal(c->l1 / c->l2 * PetscSinReal(a));
}

static inline PetscReal crank_potential(const CrankSizes *c, PetscReal a) /* the slider's height does not change */
{
  const PetscReal pin = c->l1 * PetscSinReal(a);

  return 9.81 * (c->m1 * pin / 2 + c->m2 * pin / 2); /* both links have one end on the x axis */
}

/* b'/a' */
static inline PetscReal crank_rod_rate(const CrankSizes *c, PetscReal a)
{
  return -c->l1 * PetscCosReal(a) / (c->l2 * PetscCosReal(crank_rod(c, a)));
}

/* x'/a' of the slider */
static inline PetscReal crank_slider_rate(const CrankSizes *c, PetscReal a)
{
  return -c->l1 * PetscSinReal(a) - c->l2 * PetscSinReal(crank_rod(c, a)) * crank_rod_rate(c, a);
}

static inline PetscReal crank_inertia(const CrankSizes *c, PetscReal a)
{
  const PetscReal b = crank_rod(c, a), s = crank_rod_rate(c, a);
  const PetscReal x = -c->l1 * PetscSinReal(a), y = c->l1 * PetscCosReal(a);                          /* of the pin, per a' */
  const PetscReal xm = x - c->l2 / 2 * PetscSinReal(b) * s, ym = y + c->l2 / 2 * PetscCosReal(b) * s; /* of the rod's middle */
  const PetscReal xs = crank_slider_rate(c, a);

  return c->J1 + c->m1 * c->l1 * c->l1 / 4 + c->J2 * s * s + c->m2 * (xm * xm + ym * ym) + c->m3 * xs * xs;
}

static inline PetscReal crank_speed(const CrankSizes *c, PetscReal a, PetscReal energy)
{
  return PetscSqrtReal(2 * (energy - crank_potential(c, a)) / crank_inertia(c, a));
}

/* From a over the time t: n steps of the classic Runge-Kutta method. */
static inline PetscReal crank_advance(const CrankSizes *c, PetscReal energy, PetscReal a, PetscReal t, PetscInt n)
{
  const PetscReal h = t / (PetscReal)n;

  for (PetscInt i = 0; i < n; i++) {
    const PetscReal k1 = crank_speed(c, a, energy), k2 = crank_speed(c, a + h / 2 * k1, energy), k3 = crank_speed(c, a + h / 2 * k2, energy);
    a += h / 6 * (k1 + 2 * k2 + 2 * k3 + crank_speed(c, a + h * k3, energy));
  }
  return a;
}
