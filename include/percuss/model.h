/*
  What moves: M(q) v' = h(t, q, v) + W(q) lambda,  q' = v.

  A model is a table of operations over PETSc vectors. A scheme calls the functions NsModel... and never knows whether it moves three
  angles of a mechanism or a million nodes of a mesh. A missing operation is an answer with a name (NsModelCan), never a crash.

  Contact candidates belong to the model: their gaps are functions of a few unknowns, the *touch list*. Rows of W are sparse over that list,
  so all contact algebra happens on small arrays.
*/
#pragma once
#include <petscvec.h>
#include "keys.h"
#include "layout.h"

typedef struct NsModel NsModel;

/* Position and velocity at one instant; velocities are right limits (after an impact at t). Vectors are owned by whoever made the state. */
typedef struct {
  PetscReal t;
  Vec       q, v;
} NsState;

/* Handles, not values. */
static inline void NsVecSwap(Vec *a, Vec *b)
{
  const Vec old = *a;

  *a = *b;
  *b = old;
}

/* Gives the state these vectors and takes its own in exchange: handles, not values. */
static inline void NsStateSwap(NsState *state, Vec *q, Vec *v)
{
  NsVecSwap(&state->q, q);
  NsVecSwap(&state->v, v);
}

/* Impact and friction law of one candidate. */
typedef struct {
  PetscReal restitution;            /* e_N: 0..1 */
  PetscReal restitution_tangential; /* e_T: 0..1 */
  PetscReal friction;               /* mu: 0.. */
} NsLaw;

typedef struct {
  const char *name;       /* "wall", or "wall.2" where a contact has several candidates */
  PetscInt    directions; /* rows each: 1 normal, then 0, 1 or 2 tangents */
  PetscBool   bilateral;  /* u = 0 instead of a law */
  PetscBool   massless;   /* its normal reaction acts on unknowns without mass */
  PetscReal   tolerance;  /* m: a gap up to this is closed */
  PetscReal   torque_arm; /* m: times the friction along tangent 1 it is the torque on a journal about the axis of its cylinder; 0: no journal */
  NsLaw       law;
} NsCandidate;

/* Rows of W' for the active contacts: row k has entries value[j] at touch[j], j = first[k] .. first[k+1]-1. Capacity is fixed at set-up. Contact
   velocities are u = W' v + drive: surfaces may move by themselves (a belt). */
typedef struct {
  PetscInt   contacts; /* number of active contacts */
  PetscInt  *contact;  /* [contacts] candidate number, ascending */
  PetscInt  *start;    /* [contacts + 1] first row of each; the normal comes first */
  PetscInt   rows;     /* = start[contacts] */
  PetscInt  *first;    /* [rows + 1] */
  PetscInt  *touch;    /* [entries] position in the model's touch list */
  PetscReal *value;    /* [entries] */
  PetscReal *drive;    /* [rows] m/s */
  PetscInt   row_capacity, entry_capacity;
  PetscReal *touched, *load; /* [touches], [entries] scratch */
} NsRows;

typedef struct {
  PetscReal kinetic, elastic, potential; /* J */
} NsEnergy;

/* Power at velocity w of the forces at (t, q, v): damping = w' C v (positive where it takes energy away), load = w' f(t) of all loads that are not
   part of the potential. */
typedef struct {
  PetscReal damping, load; /* W */
} NsPower;

/* What loads and prescribed speeds do in time, whatever moves. */
typedef struct {
  PetscReal next;   /* s: the first instant after t at which one of them jumps or bends; PETSC_MAX_REAL: none does */
  PetscReal period; /* s: the shortest in which one of them swings, from t to then; PETSC_MAX_REAL: none does */
} NsTimes;

/* The operator A = mass M + damping C + stiffness K. With mass = 0: of the rows and columns of unknowns without mass alone; solutions are 0 elsewhere. */
typedef struct {
  PetscReal mass, damping, stiffness;
} NsOperator;

#define NS_SLOTS 2

/* A mode for questions of stability: frequency (rad/s), damping rate x'Cx/x'Mx and gyroscopic rate |Gx|/|x| (1/s) of its shape. */
typedef struct {
  PetscReal omega, damping_rate, gyroscopic_rate;
  PetscReal gyroscopic_rise; /* of the gyroscopic rate with the speed of rotors whose spin is free, 1/s per rad/s */
} NsStabilityMode;
#define NS_STABILITY_MODES 20

/* A bound, and what sets it, for messages. */
typedef struct {
  PetscReal value;
  char      where[256];
} NsBound;

/* What can be seen: points, cells and their fields. Filled once by the model; arrays belong to it. Points need not be nodes and cells need not be
   elements: a beam is drawn in several pieces, a disc by a ring. */
typedef struct {
  PetscInt     points, cells;
  PetscInt     elements; /* of all bodies; 0: the cells are only a drawing */
  PetscReal   *x;        /* [points, 3] reference configuration */
  PetscReal   *radius;   /* [points] outer radius to draw, m */
  PetscInt    *cell;     /* [cells, 2] lines; twice the same point: a vertex, for a point that no line reaches */
  PetscInt    *body;     /* [cells] */
  PetscInt    *element;  /* [cells] number of the element within its body; -1: the cell only draws */
  PetscInt     bodies;
  const char **body_name; /* [bodies] */
  PetscBool    rotations; /* points turn: NsFields has rotation */
  PetscBool    beams;     /* cells bend: NsFields has section_force and section_moment */
} NsScene;

typedef struct {
  PetscReal *displacement, *velocity;        /* [points, 3] */
  PetscReal *stress, *normal_force, *energy; /* [cells]: Pa, N, J (elastic energy of the cell) */
  PetscReal *rotation;                       /* [points, 3] rad; NULL unless scene.rotations */
  PetscReal *section_force, *section_moment; /* [cells, 3] vectors in space at the cell's middle, N and N m; NULL unless scene.beams */
} NsFields;

#define NS_PROBE_COLUMNS 32

/* One column of a probe: a weighted sum of a few unknowns of q or v. */
typedef struct {
  const char *suffix; /* "ux", "vx" ...; "": the probe's name says all */
  PetscBool   of_velocity;
  PetscInt    entries;
  PetscInt    unknown[24];
  PetscReal   weight[24];
  PetscReal   constant; /* added to the sum */
  PetscInt    place;    /* > 0: no such sum, but number place - 1 of what ops->places gives */
} NsProbeColumn;

/* The sum, of arrays of all unknowns. */
static inline PetscReal NsProbeColumnSum(const NsProbeColumn *column, const PetscScalar *q, const PetscScalar *v)
{
  const PetscScalar *from = column->of_velocity ? v : q;
  PetscReal          sum  = column->constant;

  for (PetscInt j = 0; j < column->entries; j++) sum += column->weight[j] * from[column->unknown[j]];
  return sum;
}

typedef struct {
  const char   *name;
  PetscInt      columns;
  NsProbeColumn column[NS_PROBE_COLUMNS];
} NsProbe;

/* Undamped modes of a linear model, and its operators as they see them. Shapes are orthonormal in the mass; rigid motions have the frequency zero, to the last bit. */
typedef struct {
  PetscInt   count;
  PetscReal *omega;       /* [count] rad/s, ascending; no number: the mode grows, for something buckles */
  Vec       *shape;       /* [count] */
  PetscReal *damping;     /* [count, count] shape_i' C shape_j, gyroscopic terms among them */
  PetscReal *circulation; /* [count, count] shape_i' (K - K')/2 shape_j */
} NsModelModes;

/* A rotor whose spin is free. */
typedef struct {
  const char *rotor;
  PetscReal   start, rate; /* rad/s, sizes: at the start, and of the state looked at */
  const char *bearing;     /* NULL, or that whose table over speed ends first, */
  PetscReal   tabulated;   /* at this speed, rad/s */
} NsFreeSpin;

typedef struct NsStationSettings NsStationSettings; /* percuss/settings.h */

/* A place along a shaft whose orbit is recorded. Lateral displacements are along the axes e2, e3 of the shaft (for a shaft along x: y, z), less those
   of `relative_to`: what the other body displaces at the same place, by a rigid arm from its node where that node turns. */
typedef struct {
  NsProbeColumn lateral[2], lateral_rate[2]; /* u2, u3 (m) of q; v2, v3 (m/s) of v */
  NsProbeColumn angle, angle_rate;           /* twist of the shaft there (rad) of q, its rate (rad/s) of v; no entries where the spin is prescribed */
  PetscInt      shaft;                       /* the model's own number of the shaft, for its operation `spin` */
} NsStation;

typedef struct {
  /* The state at t = 0; makes its vectors. */
  PetscErrorCode (*initial)(NsModel *, NsState *);
  PetscErrorCode (*force)(NsModel *, PetscReal t, Vec q, Vec v, Vec h);
  PetscErrorCode (*accel)(NsModel *, PetscReal t, Vec q, Vec v, Vec a); /* M^-1 h, 0 where there is no mass; back ends fuse it */
  /* NsModelFlight at once; NULL: by accel. */
  PetscErrorCode (*flight)(NsModel *, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1);
  PetscErrorCode (*mult)(NsModel *, PetscReal t, Vec q, Vec x, Vec y);
  /* y = (dM/dt along v) v; NULL where constant_mass. */
  PetscErrorCode (*massrate)(NsModel *, PetscReal t, Vec q, Vec v, Vec y);
  PetscErrorCode (*factor)(NsModel *, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op);
  PetscErrorCode (*solve)(NsModel *, PetscInt slot, Vec b, Vec x);
  PetscErrorCode (*settle)(NsModel *, PetscInt slot, PetscReal t, Vec q, Vec v); /* NULL: there are no unknowns without mass */
  PetscErrorCode (*gap)(NsModel *, PetscReal t, Vec q, PetscReal *g);
  PetscErrorCode (*rows)(NsModel *, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows);
  PetscErrorCode (*rowrate)(NsModel *, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d); /* NULL: not known */
  /* Gaps g and velocities u of all candidates, row after row, at once; NULL: from gap and rows. */
  PetscErrorCode (*rates)(NsModel *, PetscReal t, Vec q, Vec v, PetscReal *g, PetscReal *u);
  /* The same of some candidates alone, from values of the touch list (NsModelTouch): gaps g[candidate] (NULL: not wanted), and where touch_v is not NULL velocities u of
     their rows, at the places that they have among the rows of all. NULL: every candidate is looked at every time. */
  PetscErrorCode (*look)(NsModel *, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count, const PetscInt *candidate,
    PetscReal *g, PetscReal *u);
  /* C[touches * touches] = E' A^-1 E of what is in the slot, for the touch list E. NULL: from solves. */
  PetscErrorCode (*compliance)(NsModel *, PetscInt slot, PetscReal *C);
  PetscErrorCode (*energy)(NsModel *, PetscReal t, Vec q, Vec v, NsEnergy *);
  PetscErrorCode (*power)(NsModel *, PetscReal t, Vec q, Vec v, Vec w, NsPower *); /* NULL: nothing damps or loads */
  PetscErrorCode (*times)(NsModel *, PetscReal t, Vec v, NsTimes *);               /* NULL: not known, or nothing changes in time */
  PetscErrorCode (*fields)(NsModel *, PetscReal t, Vec q, Vec v, NsFields *);
  /* x[scene.points * 3]: where the scene's points are. NULL: no probe has a place. */
  PetscErrorCode (*places)(NsModel *, PetscReal t, Vec q, PetscReal *x);
  /* The point of a candidate in space (reference configuration), its displacement and normal, for pictures; touch_q: values of the touch list. */
  PetscErrorCode (*contact_point)(
    NsModel *, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3]);
  /* "wrong" unknown for messages: what unknown i is, e.g. "bar node 3 (x = 0.06 m) displacement x". */
  PetscErrorCode (*name_unknown)(NsModel *, PetscInt i, char *text, size_t size);
  /* Not found: why says what is wrong with the name, in a sentence for the user. */
  PetscErrorCode (*probe)(NsModel *, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size);
  /* Not found: why, as with probe; a sentence that begins with "relative_to" is about that key, else it is about `at`. NULL: the model has no shafts. */
  PetscErrorCode (*station)(NsModel *, const NsStationSettings *, NsStation *, PetscBool *found, char *why, size_t size);
  /* What the spin angle and its rate have beside the sums of the station: the part that is prescribed, 0 where none is. NULL: none anywhere. */
  PetscErrorCode (*spin)(NsModel *, PetscReal t, const NsStation *, PetscReal *angle, PetscReal *rate);
  /* Rigorous upper bounds of one of the model's parts: omega^2 of the eigenvalues of (K, M), damping_rate (1/s) of those of (C, M). NULL, and highest_mode
     too: not known. */
  PetscErrorCode (*frequency_bound)(NsModel *, PetscInt part, NsBound *omega, NsBound *damping_rate);
  /* The same two, by an eigensolver; costs set-up time. */
  PetscErrorCode (*highest_mode)(NsModel *, PetscInt part, PetscReal *omega, PetscReal *damping_rate);
  /* (all) The rotors whose spin is free, at velocity v. NULL: there are none. */
  PetscErrorCode (*free_spins)(NsModel *, Vec v, PetscInt *count, const NsFreeSpin **spins);
  /* The highest modes (at most NS_STABILITY_MODES) of a part that gyroscopic forces act on, with the highest spin known beforehand; 0 where none act. NULL: nowhere. */
  PetscErrorCode (*gyroscopic_modes)(NsModel *, PetscInt part, PetscInt *count, NsStabilityMode *modes);
  /* The `wanted` lowest modes of a linear model on one process, fewer where there are no more, none where some unknown has no mass; NsModelModesDestroy frees them. Costs
     set-up time, n^3 up to some thousand unknowns. NULL: not known. */
  PetscErrorCode (*modes)(NsModel *, PetscInt wanted, NsModelModes *modes);
  /* What acts on a linear model beside M, C and K: f(t) = sum_k size_k(t) F_k. F_0 is the weight, whose work is in the potential energy, F_1 all other constant loads; their sizes
     are 1. The caller destroys the shapes (VecDestroyVecs). Where `modes` is there. */
  PetscErrorCode (*load_shapes)(NsModel *, PetscInt *count, Vec **shape);
  PetscErrorCode (*load_sizes)(NsModel *, PetscReal t, PetscReal *size);
  PetscErrorCode (*destroy)(NsModel *);
} NsModelOps;

struct NsModel {
  const NsModelOps *ops;
  void             *data;
  const char       *kind;     /* "finite elements", or the mechanism's name */
  const char       *solver;   /* how large matrices are worked with: what `free_dynamics` may be; NULL: there are none */
  PetscInt          unknowns; /* of all processes */
  NsLayout         *layout;   /* where vectors have them; not owned */
  PetscInt          parts;    /* that nothing but contact joins: each has frequencies and damping of its own; 0 where they are not known */
  PetscBool         linear;   /* h = f(t) - K q - C v with constant K, C */
  PetscBool         constant_mass;
  PetscBool         diagonal_mass;    /* and constant */
  PetscBool         velocity_matters; /* h depends on v: an acceleration for one velocity is none for another */
  PetscBool         flat_contacts;    /* gaps are linear in q: no normal ever turns */
  PetscInt          candidates;
  NsCandidate      *candidate; /* [candidates] */
  PetscInt          touches;
  PetscInt         *touch;          /* [touches] natural numbers of the unknowns that a contact can ever act on, ascending */
  PetscInt          massless;       /* unknowns without mass: they follow the others statically */
  PetscInt         *massless_place; /* [massless] in the layout */
  PetscReal stiffening;  /* rad/s: contacts that press these on unknowns with mass raise the highest frequency by at most so much while closed */
  NsWatch  *watch;       /* of these; NULL: on one process in natural order */
  PetscInt  row_entries; /* most entries of one row of W' */
  /* How far a gap can change: |g_i(t, q) - g_i(s, p)| <= reach[i] max_j stretch[j] |q_j - p_j|, for unknowns j of the touch list; the rate of the gap likewise,
     with v in place of q - p. stretch[touches]: m for each unit of the unknown; reach[candidates]. NULL: not known. */
  PetscReal         *stretch, *reach;
  NsScene            scene;
  PetscReal          length_scale, mass_total;
  const char *const *probe_names; /* NULL-terminated: what is recorded when nobody says, and for "did you mean" */
  const char        *probe_help;  /* what a probe may be, in a sentence for the user */
  NsArena           *arena;       /* not owned */
};

PetscErrorCode NsModelDestroy(NsModel **model);
PetscErrorCode NsModelForce(NsModel *model, PetscReal t, Vec q, Vec v, Vec h);
/* a = M(q)^-1 h(t, q, v), 0 where there is no mass. Uses slot 0 with A = M. */
PetscErrorCode NsModelAccel(NsModel *model, PetscReal t, Vec q, Vec v, Vec a);
/* Free flight by the forecasting trapezoidal rule, no two vectors the same:
   q1 = q0 + dt v0 + dt^2/2 a0,   a1 = M^-1 h(t1, q1, v0 + dt a0),   v1 = v0 + dt/2 (a0 + a1). */
PetscErrorCode NsModelFlight(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1);
/* The same, operation by operation: for models' own use. */
PetscErrorCode NsModelFlightInSteps(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1);
PetscErrorCode NsModelMult(NsModel *model, PetscReal t, Vec q, Vec x, Vec y);
/* y = (dM/dt along v) v, 0 where M is constant: with T = v' M v/2, the derivative of T by q and the forces together are h + y. */
PetscErrorCode NsModelMassRate(NsModel *model, PetscReal t, Vec q, Vec v, Vec y);
/* Factors A into a slot; returns at once when nothing changed since the last call with this slot. */
PetscErrorCode NsModelFactor(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op);
PetscErrorCode NsModelSolve(NsModel *model, PetscInt slot, Vec b, Vec x);
/* q += A^-1 h(t, q, v) for unknowns without mass, with A of these in the slot: they come to rest under the forces of the others. Only where model->massless. */
PetscErrorCode NsModelSettle(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v);
/* All candidates' gaps, g[candidates] in m; negative is penetration. */
PetscErrorCode NsModelGap(NsModel *model, PetscReal t, Vec q, PetscReal *g);
PetscErrorCode NsModelRows(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows);
/* d[rows->rows] = (dW'/dt) v + d(drive)/dt along the motion: what the contact accelerations have beside W' v'. Only where ops->rowrate is there. */
PetscErrorCode NsModelRowrate(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d);
PetscErrorCode NsModelEnergy(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy);
PetscErrorCode NsModelPower(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power);
PetscErrorCode NsModelTimes(NsModel *model, PetscReal t, Vec v, NsTimes *times);

/* (all) values[touches] of the touch list out of a vector, the same on all processes; and x[touch[place[k]]] += value[k], k < count, into one, by the process that owns it. All
   that contact reads and writes goes through these two. */
PetscErrorCode NsModelTouch(const NsModel *model, Vec x, PetscReal *values);
PetscErrorCode NsModelTouchAdd(const NsModel *model, PetscInt count, const PetscInt *place, const PetscReal *value, Vec x);
/* (all) The greatest |x| of all unknowns, the same on all processes; no number if one of them is none. */
PetscErrorCode NsModelLargest(const NsModel *model, Vec x, PetscReal *largest);

PetscErrorCode NsModelModesDestroy(NsModelModes *modes);

/* Vectors as model->layout has them, zero; the list of pointers ends with NULL. */
PetscErrorCode NsVecsCreate(const NsModel *model, Vec *first, ...);
PetscErrorCode NsVecsDestroy(Vec *first, ...);

PetscErrorCode NsRowsCreate(const NsModel *model, NsRows *rows);
PetscErrorCode NsRowsDestroy(NsRows *rows);
/* Leaves the normal of each contact alone. */
void NsRowsKeepNormals(NsRows *rows);
/* v += scale W P: reactions as they are, without a mass. */
PetscErrorCode NsRowsApply(const NsModel *model, const NsRows *rows, const PetscReal *P, PetscReal scale, Vec v);
/* u = W' v + drive, u[rows->rows]; of touched values, or of a vector. */
void           NsRowsVelocityTouched(const NsRows *rows, const PetscReal *touch_v, PetscReal *u);
PetscErrorCode NsRowsVelocity(const NsModel *model, const NsRows *rows, Vec v, PetscReal *u);
