/*
  A point mass in the plane under gravity: M = m 1, h = m g, q = (x, y). Common to mechanisms with one; include it after the list of parameters, in which MASS is the number of `mass`.
*/
#pragma once

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)q;
  M[0] = M[3] = c->p[MASS];
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  (void)q;
  (void)v;
  for (int i = 0; i < 2; i++) h[i] = c->p[MASS] * c->gravity[i];
}

static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{
  *elastic   = 0;
  *potential = -c->p[MASS] * (c->gravity[0] * q[0] + c->gravity[1] * q[1]);
}
