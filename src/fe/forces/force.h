/*
  Force elements: a file each in src/fe/forces, and a line in list.h.

  A force element joins two points, or a point and the ground. It acts on their relative motion r = (u_b - u_a, theta_b - theta_a): displacement (m) and rotation (rad) of the
  second point minus those of the first, in space. It has no mass. Force and moment on the second point (the opposite on the first) are

      f = -K r - C r' + f_t(t, r, r', spin)

  K, C [6, 6] become part of the model's matrices. They may depend on the spin of the rotor that it holds: where that spin is constant, by its value; where it changes while
  stepping, K and C have what does not depend on it, and `force` gives the rest, f_t, in every step.

  To add one: its settings with a key table NsTable_Name, an NsForceType_Name, and a line in list.h, which also describes its key of the config.
  tests/conformance/test_forces.c checks every registered one: tangents, energies, bounds.
*/
#pragma once
#include "fe/model/point.h"

typedef struct NsForceElement NsForceElement;

typedef struct {
  const char    *kind;  /* "spring": in messages */
  const NsTable *table; /* of its keys; its settings begin with: const NsNode *where; NsStrings between; */
  size_t         size;  /* bytes of data of its own */
  /* From the settings into force->data (zero at first); the points are there and may get arms. False after an error in diag. */
  PetscBool (*create)(NsFe *fe, const void *settings, NsForceElement *force);
  /* K and C in space, at a spin (rad/s); NULL: of a spin that changes, what does not depend on it. */
  void (*tangents)(const NsForceElement *, const PetscReal *spin, PetscReal K[36], PetscReal C[36]);
  /* The i-th of the speeds (rad/s) between which K and C are linear in the spin, ascending; false: there are no more. Their largest magnitude is as far as they are known. NULL: they
     do not depend on the spin. */
  PetscBool (*speed)(const NsForceElement *, PetscInt i, PetscReal *spin);
  /* Which components of r `force` wants: component c is direction[c] . r. Returns how many; 0: K and C are all there is. */
  PetscInt (*components)(const NsForceElement *, PetscReal direction[6][6]);
  /* f_t over these components: spring[c], which is not dissipative, and damper[c], which is; their work goes into the energy balance as that of loads and of damping. Spring
     and damper add up. NULL, as is `components`: nothing but K and C. */
  void (*force)(const NsForceElement *, PetscReal t, const PetscReal *r, const PetscReal *v, PetscReal spin, PetscReal *spring, PetscReal *damper);
} NsForceType;

struct NsForceElement {
  const NsForceType *type;
  const char        *name;
  NsFePoint          end[2];     /* the second may be the ground */
  PetscInt           rotor;      /* body whose spin counts; -1: none */
  PetscBool          circulates; /* K is unsymmetric: its skew part feeds energy in or out */
  void              *data;
};

#define NS_FORCE(Name, key, help, example) extern const NsForceType NsForceType_##Name;
#include "fe/forces/list.h"
#undef NS_FORCE
/* All of them, NULL-terminated. */
extern const NsForceType *const NsForceTypes[];

#define NS_FORCE_UNKNOWNS (2 * NS_POINT_UNKNOWNS)

/* All force elements of the config: fe->force. Errors in diag. */
void NsFeForcesCreate(NsFe *fe);
/* Relative motion for unit unknowns, row[n][6]; returns n. unknown and row have room for NS_FORCE_UNKNOWNS. */
PetscInt NsFeForceRows(const NsFe *fe, const NsForceElement *force, PetscInt *unknown, PetscReal (*row)[6]);
/* type->tangents with its rotor at speed[bodies]; NULL: at the rotor's own where that is constant. */
void NsFeForceTangents(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal K[36], PetscReal C[36]);
/* Whether K is unsymmetric beyond the rounding of its axes. */
PetscBool NsFeForceCirculates(const NsFe *fe, const NsForceElement *force, const PetscReal *speed);
/* Whether part of it is computed in every step. */
PetscBool NsFeForceVaries(const NsFe *fe, const NsForceElement *force);
