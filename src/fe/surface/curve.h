/*
  Line elements as cubic curves, and the nearest points of a curve to a point or to another curve.

  Bars are straight, and beams have Hermite's cubic polynomials between their nodes, so that four control points, each linear in the unknowns, give them exactly (Bezier). With shear the slope at a node is
  the turn of the section: the displacement itself has a corner there, by the jump of the shear angle, and two nearest points to what presses on the node.

      x(xi) = sum_k B_k(xi) P_k,    B_k = (3 over k) xi^k (1 - xi)^(3 - k),    0 <= xi <= 1

  B_k >= 0, sum_k B_k = 1: the curve lies between its control points, and no point of it moves farther than these.
*/
#pragma once
#include "contact/pair.h"

enum { NS_CURVE_POINTS = 4 };

typedef struct {
  PetscReal P[NS_CURVE_POINTS][3];
  PetscReal low[3], high[3]; /* of a box around it */
} NsCurve;

/* P_k of the cubic polynomial with the values p at xi = 0, 1/3, 2/3, 1. */
void NsCurveControl(const PetscReal p[NS_CURVE_POINTS][3], PetscReal P[NS_CURVE_POINTS][3]);
void NsCurveWeights(PetscReal xi, PetscReal B[NS_CURVE_POINTS]);
/* low and high from P. */
void NsCurveBox(NsCurve *curve);
/* A point as a curve: all P_k are x. */
void NsCurveOfPoint(const PetscReal x[3], NsCurve *curve);
/* x and dx/dxi */
void NsCurveAt(const NsCurve *curve, PetscReal xi, PetscReal x[3], PetscReal d[3]);
/* A lower bound of the squared distance between two curves, by their boxes. */
PetscReal NsCurvesApart(const NsCurve *a, const NsCurve *b);
/*
  Nearest points of two curves that turn by less than a right angle, the first of which may be a point: their xi; returns the squared distance. Newton's method from the nearest points of the chords; of
  parallel straight curves the middle of the part in which they lie side by side.
*/
PetscReal NsCurvesNearest(const NsCurve *a, const NsCurve *b, PetscReal xi[2]);
/* d xi/dt of the nearest points at xi, while the control points move with the velocities P of va and vb: from the time derivative of the two conditions r . a' = r . b' = 0, r = a - b; at ends 0. */
void NsCurvesRate(const NsCurve *a, const NsCurve *b, const PetscReal xi[2], const NsCurve *va, const NsCurve *vb, PetscReal rate[2]);
