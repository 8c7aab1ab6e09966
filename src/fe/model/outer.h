/*
  Forces beside -K q - C v: loads, unbalances, and what depends on a spin that changes while stepping.

  The same lists exist twice: in natural numbers of unknowns, and in the indices of this process (percuss/layout.h).
*/
#pragma once
#include "core/timefunction.h"
#include "fe/forces/force.h"
#include "percuss/exact_sum.h"
#include "percuss/layout.h"

/* value[] * time(t) on unknown[] (already numbered, supports left out); those that turn with the shaft: time(t) (value[] cos psi + sine[] sin psi). */
typedef struct {
  const NsTimeFunction *time;
  PetscInt              entries;
  PetscInt              counted; /* the first so many are owned by this process, which books their power */
  PetscInt             *unknown;
  PetscReal            *value;  /* N, N m */
  PetscReal            *sine;   /* NULL: does not turn */
  PetscInt              part;   /* of moving supports: 1 + number of the part of a motion whose factor is `time`; else 0 */
  PetscInt              matrix; /* and the NsFeMatrix by which it acts */
  NsFeTwist             twist;
} NsFeLoad;

/* A mass m at the eccentricity e from the shaft's axis, at the angle `phase` from lateral axis 2 at t = 0: m e matters alone. */
typedef struct {
  NsFePoint        at;
  PetscReal        moment, phase;    /* kg m, rad */
  PetscInt         entries, counted; /* as in NsFeLoad */
  PetscInt         unknown[NS_POINT_UNKNOWNS];
  PetscReal        lateral[2][NS_POINT_UNKNOWNS]; /* of the displacements along lateral axes 2 and 3 */
  PetscReal        gravity[2];                    /* m/s^2 along them */
  NsFeTwist        twist;
  PetscInt         number; /* in the config */
  const PetscBool *off;    /* NsSwitchesAdd */
} NsFeUnbalance;

/* What a force element computes in every step. */
typedef struct {
  const NsForceElement *element;
  PetscInt              components;
  PetscInt              entries;
  PetscInt              unknown[NS_FORCE_UNKNOWNS];
  PetscReal             row[6][NS_FORCE_UNKNOWNS]; /* [components][entries] of unit unknowns */
  NsFeTwist             twist;
  PetscBool             counts; /* this process books its power */
} NsFeVarying;

/* Gyroscopic force -Omega G v on a few unknowns, where Omega changes while stepping. */
typedef struct {
  PetscInt   n;
  PetscInt  *unknown; /* [n], none of them supported */
  PetscReal *G;       /* [n, n] for 1 rad/s */
  NsFeTwist  twist;
} NsFeGyro;

/* What acts beside M, C and K. */
typedef struct {
  PetscInt       loads, gyros, varyings, watches, unbalances;
  NsFeLoad      *load;
  NsFeGyro      *gyro;
  NsFeVarying   *varying;
  NsFeVarying   *watch; /* whose motion a clearance bounds (NsForceType.room); their forces are among the others */
  NsFeUnbalance *unbalance;
} NsFeForces;

/* src/fe/model/outer.c: h += all of them at (t, q, v); arrays in the numbers that `forces` has. model: whose step it is; NULL: values at the instant t. */
void NsFeOuterForce(const NsModel *model, const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h);
/* A sum of powers: exact where the bits must not depend on the number of processes (NULL: not), for that costs half a microsecond a step. */
typedef struct {
  PetscReal   plain;
  NsExactSum *exact;
} NsFePower;
static inline void NsFeAddPower(NsFePower *sum, PetscReal power)
{
  if (sum->exact)
    NsExactSumAdd(sum->exact, 1, &power);
  else
    sum->plain += power;
}
/* Power at velocity w of those that have no potential, added to the sums of this process. */
void NsFeOuterPower(const NsModel *model, const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w,
  NsFePower *load, NsFePower *damping);
/* When and how fast they change by themselves; *times comes in with what is known so far. */
void NsFeOuterTimes(const NsFeForces *forces, PetscReal t, const PetscScalar *v, NsTimes *times);
/* fe->here, fe->weight and fe->outer, once the layout is known. */
PetscErrorCode NsFeOuterIndices(NsFe *fe, const NsLayout *layout);

/* Loads of a linear model, separated in time and space: operations of percuss/model.h. */
PetscErrorCode NsFeLoadShapes(NsModel *model, PetscInt *count, Vec **shape);
PetscErrorCode NsFeLoadSizes(NsModel *model, PetscReal t, PetscReal *size);
PetscErrorCode NsFeLoadMiddles(NsModel *model, PetscReal t, PetscReal dt, PetscReal *size);
/* The same factors as NsFeOuterForce has at t: means over the interval that t represents in the step. */
void NsFeLoadMeans(const NsModel *model, PetscReal t, PetscReal *size);

/* src/fe/model/varying.c: force elements that are computed in every step. The list is made once the unknowns have numbers. */
void NsFeVaryingCreate(NsFe *fe);
void NsFeVaryingForce(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h);
/* Power at velocity w: of their dampers, of springs without a potential, and of what drives the others. */
void NsFeVaryingPower(
  const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w, NsFePower *load, NsFePower *damping);
/* Potential energy of its springs, J. */
PetscReal NsFeVaryingEnergy(const NsFeVarying *self, PetscReal t, const PetscScalar *q);
/* NsModelDynamics.outgrown */
PetscErrorCode NsFeOutgrown(NsModel *model, PetscBool steps, PetscReal t, Vec q, Vec v, NsBound *used);
/* S[components, components] = op.damping (-df/dr') + op.stiffness (-df/dr) */
void NsFeVaryingTangent(const NsFeVarying *self, PetscReal t, const PetscScalar *q, const PetscScalar *v, NsOperator op, PetscReal *S);

/* src/fe/model/spinning.c: forces that depend on the spin: gyroscopic, unbalance. Lists are made once the unknowns have numbers. */
void NsFeSpinning(NsFe *fe);
void NsFeGyroscopicForce(const NsFeForces *forces, PetscReal t, const PetscScalar *v, PetscScalar *h);
void NsFeUnbalanceForces(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h);
/* Power at velocity w of unbalances that have no potential. */
void NsFeUnbalancePower(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w, NsFePower *load);
/* Force of an unbalance along the lateral axes of its rotor, without what the mass matrix has of it, and the torque of its weight. */
void NsFeUnbalanceForce(const NsFeUnbalance *unbalance, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscReal f[2], PetscReal *torque);
/* Of the weight of unbalances where the spin is free, J. */
PetscReal NsFeSpinningPotential(const NsFeForces *forces, PetscReal t, const PetscScalar *q);
