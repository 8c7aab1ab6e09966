/* Coefficients of Fehlberg's method 4(5); src/dae/rkf45.c has the formulas and the reference. */
#pragma once

#define NS_RKF45_STAGES 6

static const double ns_rkf45_c[NS_RKF45_STAGES] = {0, 1. / 4, 3. / 8, 12. / 13, 1, 1. / 2};

static const double ns_rkf45_a[NS_RKF45_STAGES][NS_RKF45_STAGES] = {
  {0},
  {1. / 4},
  {3. / 32, 9. / 32},
  {1932. / 2197, -7200. / 2197, 7296. / 2197},
  {439. / 216, -8, 3680. / 513, -845. / 4104},
  {-8. / 27, 2, -3544. / 2565, 1859. / 4104, -11. / 40},
};

static const double ns_rkf45_b[NS_RKF45_STAGES]  = {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0};           /* order 4 */
static const double ns_rkf45_b5[NS_RKF45_STAGES] = {16. / 135, 0, 6656. / 12825, 28561. / 56430, -9. / 50, 2. / 55}; /* order 5 */
