/*
  Prescribed spin of a rotor over time: an angular velocity that is constant, or a table [[t, speed], ...], linear between its rows, constant before and
  after. Or free: then the twist is an unknown, and only its start is given.

      spin: 3000 rpm        spin: {table: [[0 s, 0 rpm], [1 s, 3000 rpm]]}        spin: {free: 3000 rpm}
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

typedef struct NsSpin NsSpin;
struct NsSpin {
  const NsNode *where;
  double        constant; /* rad/s */
  NsNumbers     table;    /* [rows, 2]: s, rad/s */
  double        free;     /* rad/s at the start */
};

extern const NsTable NsTable_Spin;

PetscBool NsSpinIsFree(const NsSpin *spin);
/* Prescribed, and never another. */
PetscBool NsSpinIsConstant(const NsSpin *spin);
/* Speed at the start, free or not; and the largest one that is known beforehand. */
PetscReal NsSpinAtStart(const NsSpin *spin);
PetscReal NsSpinHighest(const NsSpin *spin);
/* For prescribed spins; all 0 for NULL and for a free one. Angular velocity in rad/s, angle since t = 0 in rad (exact: the table's is piecewise
   quadratic), angular acceleration in rad/s^2 (at a kink: that after it). */
PetscReal NsSpinRate(const NsSpin *spin, PetscReal t);
PetscReal NsSpinAngle(const NsSpin *spin, PetscReal t);
PetscReal NsSpinAcceleration(const NsSpin *spin, PetscReal t);
/* The first time after t at which a prescribed speed bends; PETSC_MAX_REAL: none. */
PetscReal NsSpinNext(const NsSpin *spin, PetscReal t);
