/*
  Force elements: a file each in src/fe/forces, and a line in list.h.

  A force element joins two points, or a point and the ground. It acts on their relative motion r = (u_b - u_a, theta_b - theta_a): displacement (m) and rotation (rad) of the
  second point minus those of the first, in space. Mass, where it has some, is added to that of the model. Force and moment on the second point (the opposite on the first) are

      f = -K r - C r' + f_t(r, r', spin, angle)

  K, C [6, 6] become part of the model's matrices. They may depend on the spin of the rotor that it holds: where that spin is constant, by its value; where it changes while
  stepping, K and C have what does not depend on it, and `force` gives the rest, f_t, in every step. What is not linear in r and r' is in f_t, too, whatever the spin.

  Explicit schemes add f_t. Implicit ones solve with its tangents, by low_rank.h: no factorization. `modes`, `response` and `start: static` linearise it about the static
  equilibrium. The critical time step follows from its steepest slopes.

  To add one: its settings with a key table NsTable_Name (NS_WINDOW_KEYS among its keys), an NsForceType_Name, and a line in list.h, which also describes its key of the config.
  tests/conformance/test_forces.c checks every registered one: tangents, energies, bounds.
*/
#pragma once
#include "core/window.h"
#include "fe/model/point.h"

typedef struct NsForceElement NsForceElement;

typedef struct NsForceLaw NsForceLaw;

/* A law with its data; law NULL: none. */
typedef struct {
  const NsForceLaw *law;
  void             *data;
} NsForceLawUse;

/* The motion that a force is asked for. */
typedef struct {
  const PetscReal *r, *v;       /* [components] of r and r' */
  PetscReal        spin, angle; /* rad/s, rad: of the rotor at its point; 0: none */
} NsForceMotion;

typedef struct {
  const char    *kind;  /* "spring": in messages */
  const NsTable *table; /* of its keys; its settings begin with: const NsNode *where; NsStrings between; */
  size_t         size;  /* bytes of data of its own */
  /* From the settings into force->data (zero at first); the points are there and may get arms. False after an error in diag. */
  PetscBool (*create)(NsFe *fe, const void *settings, NsForceElement *force);
  /* K and C in space, at a spin (rad/s); NULL: of a spin that changes, what does not depend on it. */
  void (*tangents)(const NsForceElement *, const PetscReal *spin, PetscReal K[36], PetscReal C[36]);
  /* The i-th of the speeds (rad/s) between which K and C are linear in the spin, or nearly so, ascending; false: there are no more. Their largest magnitude is as far as they are known,
     or expected. NULL: they do not depend on the spin. */
  PetscBool (*speed)(const NsForceElement *, PetscInt i, PetscReal *spin);
  /* Which components of r f_t is over: component c is direction[c] . r. Returns how many; 0, or NULL: K and C are all there is. */
  PetscInt (*components)(const NsForceElement *, PetscReal direction[6][6]);
  /* f_t of what depends on a changing spin, over the components: spring[c], which is not dissipative, and damper[c], which is. They add up; their work is booked as that of loads and
     of damping. And its slopes, -df_t/dr and -df_t/dr', [n, n] row-major. NULL: nothing does. */
  void (*force)(const NsForceElement *, const NsForceMotion *, PetscReal *spring, PetscReal *damper);
  void (*slopes)(const NsForceElement *, const NsForceMotion *, PetscReal *stiffness, PetscReal *damping);
  /* What is nonlinear: f_t of a law (src/fe/forces/laws/law.h), in place of `force`. NULL: it never is; the law NULL: this one is not. */
  const NsForceLawUse *(*law)(const NsForceElement *);
  /* m: the largest motion over the first two components that its key `clearance` leaves room for; 0, or NULL: there is no bound. */
  PetscReal (*room)(const NsForceElement *);
  size_t window; /* offset of an NsWindow in the settings, whose keys are in `table`; 0: it always acts */
} NsForceType;

struct NsForceElement {
  const NsForceType *type;
  const char        *name;
  const NsNode      *where;
  NsFePoint          end[2];     /* the second may be the ground */
  PetscInt           rotor;      /* body whose spin counts; -1: none */
  PetscBool          circulates; /* K is unsymmetric: its skew part feeds energy in or out */
  PetscBool          inner;      /* part of a body: it has no name in the config, and no reaction is recorded */
  PetscBool          exact;      /* the coefficients hold at every speed, also beyond those of NsForceType.speed */
  PetscBool          has_mass;   /* it has added mass to its first point (NsFeAddInertia) */
  PetscReal          rest[6];    /* of nonlinear ones: the components of r in the last static equilibrium */
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
/* The largest speed (rad/s) for which coefficients from formulas are bounded: that of a prescribed spin; for a free spin twice its initial speed, at least 1000. */
PetscReal NsFeFastest(const NsSpin *spin);
/* (internal.c) Rotating damping of shafts: how many force elements it takes, and these, added to fe->force. */
PetscInt NsFeInternalDampers(const NsFe *fe);
void     NsFeInternalDampersCreate(NsFe *fe);
/* (switched.c) Wraps an element into one that acts only within the window. False after an error in diag. */
PetscBool NsFeForceSwitch(NsFe *fe, const NsWindow *window, NsForceElement *force);
/* Whether it is one of these, and linear while it acts. */
PetscBool NsFeForceIsSwitchedLinear(const NsForceElement *force);
/* Relative motion for unit unknowns, row[n][6]; returns n. unknown and row have room for NS_FORCE_UNKNOWNS. */
PetscInt NsFeForceRows(const NsFe *fe, const NsForceElement *force, PetscInt *unknown, PetscReal (*row)[6]);
/* The same with unknowns that supports move (fe/model/moving.h). */
PetscInt NsFeForceRowsMoved(const NsFe *fe, const NsForceElement *force, PetscInt *unknown, PetscReal (*row)[6]);
/* type->tangents with its rotor at speed[bodies], and the slopes of a law, about `rest`. NULL: type->tangents alone, with the rotor's own speed where that is constant. */
void NsFeForceTangents(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal K[36], PetscReal C[36]);
/* The same with the steepest slopes, also where speed is NULL. */
void NsFeForceSteepest(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal K[36], PetscReal C[36]);
/* Whether K is unsymmetric beyond the rounding of its axes. */
PetscBool NsFeForceCirculates(const NsFe *fe, const NsForceElement *force, const PetscReal *speed);
/* Its law; NULL: it is linear in r and r'. */
const NsForceLawUse *NsFeForceLaw(const NsForceElement *force);
/* f_t and its slopes, of its law or else of its type. */
void NsFeForceNow(const NsForceElement *force, const NsForceMotion *motion, PetscReal *spring, PetscReal *damper);
void NsFeForceSlopes(const NsForceElement *force, const NsForceMotion *motion, PetscReal *stiffness, PetscReal *damping);
/* r' of the components while rotors of free spin turn at speed[bodies] (NULL: none does), and nothing else moves. */
void NsFeForceSpinRates(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, PetscReal *v);
/* Whether it has a table over a spin that changes while stepping. */
PetscBool NsFeForceFollowsSpin(const NsFe *fe, const NsForceElement *force);
/* The components of r of a force element that has some, from all six. */
PetscInt NsFeForceComponents(const NsForceElement *force, const PetscReal r[6], PetscReal *component);
/* Potential energy (J) at the relative motion r[6] of the part that belongs to the matrices: the skew part of K stores nothing. speed as in NsFeForceTangents. */
PetscReal NsFeForceEnergy(const NsFe *fe, const NsForceElement *force, const PetscReal *speed, const PetscReal r[6]);
