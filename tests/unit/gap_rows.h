/* Rows of contacts that move along surfaces and lines, against differences of their gaps. */
#pragma once
#include "support.h"
#include "fe/model/fe.h"

static double random_in(unsigned *seed, double low, double high)
{
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (double)(*seed >> 8) / (double)(1u << 24);
}

/*
  At 20 random positions of all that contacts touch, up to `about` (m, rad) from the start, where the first partners are shifted by up to shift[3], m: rows against differences of gaps, to 1e-4; changes of
  gaps against the bound of the broad phase.
*/
static void check_gap_rows(const char *name, NsModel *model, double about, const double shift[3])
{
  NsFe      *fe   = model->data;
  unsigned   seed = 3;
  double     off = 0, used = 0;
  PetscReal *q, *d, *g[2];

  CHECK(PetscMalloc4(model->touches, &q, model->touches, &d, model->candidates, &g[0], model->candidates, &g[1]));
  for (int n = 0; n < 20; n++) {
    const double step = 1e-9;
    double       most = 0, moved[3];
    for (int k = 0; k < 3; k++) moved[k] = random_in(&seed, -shift[k], shift[k]);
    for (PetscInt k = 0; k < model->touches; k++) q[k] = random_in(&seed, -about, about), d[k] = random_in(&seed, -step, step);
    for (PetscInt i = 0; i < model->candidates; i++) {
      const NsPairPoint *first = fe->pair[i].point[0];
      for (PetscInt a = 0; a < first->unknowns && n > 0; a++) q[first->touch[a]] += a < 3 ? moved[a] : 0;
    }
    for (int side = 0; side < 2; side++) {
      if (side) {
        for (PetscInt k = 0; k < model->touches; k++) most = PetscMax(most, model->stretch[k] * fabs(d[k]));
        for (PetscInt k = 0; k < model->touches; k++) q[k] += d[k];
      }
      for (PetscInt i = 0; i < model->candidates; i++) CHECK(model->contact.rates_of(model, 0, q, NULL, 1, &i, g[side], NULL));
    }
    for (PetscInt k = 0; k < model->touches; k++) q[k] -= d[k] / 2;
    for (PetscInt i = 0; i < model->candidates; i++) {
      PetscReal change = 0;
      NsFeSlidingAt(fe, q, model->touches);
      CHECK(NsFeRowsOf(fe, i, 0, q));
      for (PetscInt j = fe->one.first[0]; j < fe->one.first[1]; j++) change += fe->one.value[j] * d[fe->one.touch[j]];
      off  = PetscMax(off, fabs(g[1][i] - g[0][i] - change) / step);
      used = PetscMax(used, fabs(g[1][i] - g[0][i]) / (model->reach[i] * most));
    }
  }
  print_message("  %s: rows off by %.2g, %.3g of the bound used\n", name, off, used);
  assert_true(off < 1e-4);
  assert_true(used <= 1);
  CHECK(PetscFree4(q, d, g[0], g[1]));
}
