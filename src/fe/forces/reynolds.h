/*
  Oil film of finite length between a round journal and a round shell, open at both ends: the Reynolds equation with cavitation (Swift and Stieber), solved once for all directions of
  motion and eccentricities, for time stepping (D. Childs, H. Moes, H. van Leeuwen, J. Lubr. Technol. 99, 1977, call this the impedance method).
*/
#pragma once
#include <petscsys.h>

/* Size of the table: eccentricities from 0 to 0.999, and angles from the motion to the eccentricity around the circle. */
#define NS_REYNOLDS_RADII  25
#define NS_REYNOLDS_ANGLES 48

/* The forces along and across the motion over that of the short bearing with the same data, of films that begin on one side. */
typedef struct {
  PetscReal force[2][NS_REYNOLDS_RADII][NS_REYNOLDS_ANGLES];
} NsReynoldsTable;

/* slenderness: length over diameter. turns: a rotating journal, whose film begins where the gap narrows; else a damper. Cost: some tenths of a second. */
void NsReynoldsTableFill(NsReynoldsTable *table, PetscReal slenderness, PetscBool turns);
/*
  The forces, over mu R L^3/c^3 times the speed, at an eccentricity up to 0.999 whose parts along and across the motion are u and w. Analytic in them, for derivatives by complex steps;
  they and their first derivatives are continuous.
*/
void NsReynoldsTableAt(const NsReynoldsTable *table, double _Complex u, double _Complex w, double _Complex *along, double _Complex *across);
/* (unit tests) One solution of the equation, without the table: of the film of a turning journal that begins on the negative side. */
void NsReynoldsSolve(PetscReal slenderness, PetscReal eccentricity, PetscReal angle, PetscReal force[2]);
/* The same forces for the short bearing, in closed form. */
void NsShortFilm(double _Complex u, double _Complex w, double _Complex *along, double _Complex *across);
