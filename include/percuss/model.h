/*
  The model contract: what a scheme integrates.

      M(q) v' = h(t, q, v) + W(q) lambda,     q' = v

  A model is four tables of operations over PETSc vectors: dynamics, contact, view and analysis. A scheme calls the functions NsModel... and does not
  know whether it integrates three angles of a mechanism or a million nodes of a mesh. An operation that may be missing is NULL in its table; its comment
  says what callers then do.

  Contact candidates belong to the model: their gaps are functions of a few unknowns, the *touch list*. Rows of W are sparse over that list, so all contact algebra works on
  small arrays.

  A new model: a function that makes an NsModel, fills the tables (dynamics: initial, force, accel, mult, factor, solve, energy at least; contact: gap and rows) and the
  constants below them, and is called by src/run/run.c. Schemes, writers and commands use it through this header alone. Vectors are those of NsVecsCreate, in the order of
  model->layout. Operations return PETSc errors for bugs only; errors of the user are reported when the model is made. No operation of dynamics or contact allocates.
*/
#pragma once
#include <petscvec.h>
#include "archive.h"
#include "keys.h"
#include "layout.h"
#include "switches.h"
#include "core/sha256.h"

typedef struct NsModel        NsModel;
typedef struct NsTimeFunction NsTimeFunction; /* src/core/timefunction.h */

/* Position and velocity at time t (s); velocities are right limits (after an impact at t). Vectors are owned by the creator of the state. */
typedef struct {
  PetscReal t;
  Vec       q, v;
} NsState;

/* Swaps handles; no values are copied. */
static inline void NsVecSwap(Vec *a, Vec *b)
{
  const Vec old = *a;

  *a = *b;
  *b = old;
}

/* Swaps the vectors of the state with these. */
static inline void NsStateSwap(NsState *state, Vec *q, Vec *v)
{
  NsVecSwap(&state->q, q);
  NsVecSwap(&state->v, v);
}

/* What a law is beyond the coefficients of Newton and Coulomb; a scheme names the kinds that it supports (NsSchemeType.laws). */
enum {
  NS_LAW_SLIDING     = 1,  /* friction depends on the sliding speed */
  NS_LAW_ANISOTROPIC = 2,  /* friction of two tangents depends on the direction */
  NS_LAW_APPROACH    = 4,  /* restitution depends on the approach speed */
  NS_LAW_TWO_PHASE   = 8,  /* impacts have a compression and an expansion: Poisson's law, the energetic law */
  NS_LAW_JOINT       = 16, /* friction in a joint, under the load of several rows */
  NS_LAW_RESISTANCE  = 32, /* of a candidate that is the rolling or drilling resistance of a contact */
  NS_LAWS            = 63
};

typedef struct NsContactLaw NsContactLaw; /* src/contact/laws/law.h */

/* Impact and friction law of one candidate. */
typedef struct {
  PetscReal           restitution;            /* e_N: 0..1; its largest value */
  PetscReal           restitution_tangential; /* e_T: 0..1 */
  PetscReal           friction;               /* mu: 0..; at rest, along tangent 1 */
  PetscReal           across;                 /* friction along tangent 2 over that along tangent 1; 0: the same */
  unsigned            kinds;                  /* NS_LAW_... */
  const NsContactLaw *more;                   /* NULL: no kinds */
} NsLaw;

typedef struct {
  const char *name; /* of the contact, "wall"; that of the candidate is NsCandidateName */
  PetscInt    number
    [2]; /* number[0]: of the candidate among those of its contact, from 1; for two balls the numbers of both. 0: not numbered; both 0 in a slot without a pair */
  PetscInt  point;      /* 1, 2, ... where a pair may touch at several points; else 0 */
  PetscInt  directions; /* rows each: 1 normal, then 0, 1 or 2 tangents */
  PetscBool bilateral;  /* a joint: u = 0 instead of a law */
  PetscInt
            carriers; /* of a joint with friction: its tangents obey |P_T| <= mu |P_N|, with P_N the normals of so many candidates, this one and those before it; 0: tangents of a joint are u = 0, too.
               Of a resistance (not bilateral): the same, with the contact that it belongs to as the first of these; its own normal is that of the contact and has no impulse, and its tangents are rotations: moments with
               mu in m */
  PetscBool slot;     /* stands for one of many pairs, which come and go; see NsModelContact.search */
  PetscBool massless; /* its normal reaction acts on unknowns without mass */
  PetscReal tolerance; /* m: a gap up to this is closed */
  PetscReal
            torque_arm; /* m: torque of friction on a journal about the axis of its cylinder = torque_arm times the friction force along tangent 1; 0: no journal */
  PetscReal moment_arm; /* m: moment of a constraint on an angle = moment_arm times its normal force; 0: the constraint is on a length */
  PetscReal area;       /* m^2: of the surface, what belongs to the candidate; its pressure is the normal force over it; 0: not known */
  PetscReal face;       /* m: extent of the surface's faces, beside which the sliding has to be small; 0: any sliding is right */
  PetscReal clearance;  /* m: largest possible gap; PETSC_MAX_REAL: unbounded; 0: not known */
  PetscReal
                   depth; /* m: a deeper penetration exceeds limits.penetration by default; follows from the size of the bodies, elements or balls at the contact; 0: not known */
  NsLaw            law;
  const PetscBool *off; /* while it is true the candidate is no contact; NULL: it always is one */
} NsCandidate;

/* Whether the candidate is a rolling or drilling resistance: it shares the normal of the contact before it and is not a contact itself. */
static inline PetscBool NsCandidateResists(const NsCandidate *candidate)
{
  return candidate->carriers > 0 && !candidate->bilateral;
}

#define NS_CANDIDATE_NAME 128 /* bytes */
/* "wall", "wall.2" where a contact has several candidates, "pile.3-17" of two balls; cut to the size. Made on demand: a million candidates have no names to keep. Returns text. */
const char *NsCandidateName(const NsCandidate *candidate, char text[NS_CANDIDATE_NAME]);

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
  PetscReal moved;                       /* J: of these, what prescribed motions of supports have brought beside the work of loads */
} NsEnergy;

/* Power at velocity w of the forces at (t, q, v): damping = w' C v (positive: dissipated), load = w' f(t) of all loads that are not part of the potential. */
typedef struct {
  PetscReal damping, load; /* W */
} NsPower;

/* How loads and prescribed speeds change with time. */
typedef struct {
  PetscReal next;   /* s: the first time after t at which one of them has a jump or a kink; PETSC_MAX_REAL: none has */
  PetscReal period; /* s: the shortest period of them between t and `next`; PETSC_MAX_REAL: none is periodic */
} NsTimes;

/* The operator A = mass M + damping C + stiffness K. With mass = 0: only the rows and columns of unknowns without mass; solutions are 0 elsewhere. */
typedef struct {
  PetscReal mass, damping, stiffness;
} NsOperator;

/* A sparse matrix by rows, in natural order on both sides. NsMatrixDestroy frees it. */
typedef struct {
  PetscInt   rows, *start, *column; /* [rows + 1], [entries] ascending within a row */
  PetscReal *value;                 /* [entries] */
} NsMatrix;

PetscErrorCode NsMatrixDestroy(NsMatrix *matrix);

#define NS_SLOTS        3 /* operators that a model keeps factored at a time: two of the scheme, */
#define NS_SLOT_RECORDS 2 /* and the mass matrix, where accelerations are recorded */

/* A mode, for the critical time step: frequency (rad/s), damping rate x'Cx/x'Mx and gyroscopic rate |Gx|/|x| (1/s) of its shape. */
typedef struct {
  PetscReal omega, damping_rate, gyroscopic_rate;
  PetscReal gyroscopic_rise; /* how the gyroscopic rate grows with the speed of rotors with free spin, 1/s per rad/s */
} NsStabilityMode;
#define NS_STABILITY_MODES 20

/* A bound, and where in the model it is attained, for messages. */
typedef struct {
  PetscReal value;
  char      where[256];
} NsBound;

/* What a cell of the picture is: VTK's cell types and their order of points (vtkCellType.h). */
typedef enum {
  NS_CELL_VERTEX          = 1,
  NS_CELL_LINE            = 3,
  NS_CELL_TRIANGLE        = 5,
  NS_CELL_QUAD            = 9,
  NS_CELL_TETRA           = 10,
  NS_CELL_HEXAHEDRON      = 12,
  NS_CELL_QUADRATIC_TETRA = 24
} NsCellKind;
#define NS_CELL_POINTS 10 /* most points of a cell */

static inline PetscInt NsCellPoints(NsCellKind kind)
{
  switch (kind) {
  case NS_CELL_VERTEX: return 1;
  case NS_CELL_LINE: return 2;
  case NS_CELL_TRIANGLE: return 3;
  case NS_CELL_QUAD:
  case NS_CELL_TETRA: return 4;
  case NS_CELL_HEXAHEDRON: return 8;
  case NS_CELL_QUADRATIC_TETRA: break;
  }
  return 10;
}

/* The picture: points and cells. Filled once by the model, which owns the arrays. Points need not be nodes and cells need not be elements: a beam is drawn in several
   pieces, a disc by a ring. */
typedef struct {
  PetscInt     points, cells;
  PetscInt     elements; /* of all bodies; 0: cells are only drawn */
  PetscReal   *x;        /* [points, 3] reference configuration */
  PetscReal   *radius;   /* [points] outer radius to draw, m; 0: the cells are the body itself */
  NsCellKind  *kind;     /* [cells] */
  PetscInt    *cell;     /* points of the cells, one cell after the other */
  PetscInt    *body;     /* [cells] */
  PetscInt    *element;  /* [cells] number of the element within its body; -1: the cell is only drawn */
  PetscInt     bodies;
  const char **body_name; /* [bodies] */
  PetscBool    rotations; /* points rotate: NsFields has rotation */
  PetscBool    beams;     /* cells bend: NsFields has section_force and section_moment */
  PetscBool    solids;    /* stress has all its components: NsFields has stress_tensor and strain_tensor */
} NsScene;

/* For pictures that consist of lines and vertices: scene->cell[cells, 2] has the two ends of each line, or a vertex twice. Makes scene->kind and the list of points of each cell from it. */
void NsSceneFromLines(NsScene *scene, NsArena *arena);

typedef struct {
  PetscReal *displacement, *velocity;        /* [points, 3] */
  PetscReal *stress, *normal_force, *energy; /* [cells]: Pa, N, J (elastic energy of the cell) */
  PetscReal *rotation;                       /* [points, 3] rad; NULL unless scene.rotations */
  PetscReal *section_force, *section_moment; /* [cells, 3] vectors in space at the cell's middle, N and N m; NULL unless scene.beams */
  PetscReal *stress_tensor;                  /* [cells, 3, 3] Pa; NULL unless scene.solids */
  PetscReal *strain_tensor;                  /* [cells, 3, 3] of small strains; as stress_tensor */
} NsFields;

#define NS_PROBE_COLUMNS   44
#define NS_PROBE_DIRECTION 6

/* One column of a probe: a weighted sum of unknowns of q, v or accelerations. Its arrays belong to it alone: writers renumber them. */
typedef struct NsProbeColumn NsProbeColumn;
typedef struct NsProbeLaw    NsProbeLaw;
typedef struct NsProbeTouch  NsProbeTouch;
struct NsProbeColumn {
  const char            *suffix; /* "ux", "vx" ...; "": the probe's name says all */
  PetscBool              of_velocity, of_acceleration;
  PetscInt               entries;
  PetscInt              *unknown; /* [entries] in the arena, filled by NsProbeAdd */
  PetscReal             *weight;
  PetscReal              constant; /* is added to the sum */
  PetscInt               timed;    /* functions of time that are added, */
  const NsTimeFunction **function;
  PetscReal             *factor; /* [timed] times these, filled by NsProbeAddTimed */
  /* > 0: no sum, but of columns before it: the von Mises stress (1), a principal stress (2, 3, 4, the largest first), half the product with strains (5), or a component of the direction of a
     principal stress (NS_PROBE_DIRECTION + 3 principal + axis). */
  int                 of_stress;
  int                 back[12];   /* offsets to columns before this one: xx, yy, zz, xy, yz, zx of the stress, then of the strain; 0: zero */
  PetscInt            coordinate; /* > 0: the column is not a sum, but the value with index coordinate - 1 in the array x that view.points fills */
  NsProbeColumn      *plus;       /* entries over velocities or accelerations that are added, with no more than those; NULL: none */
  const NsProbeLaw   *law;        /* what is not linear, and added; NULL: nothing */
  const NsProbeTouch *touch;      /* normal forces of contacts that are added (NsProbeForces of contact.h); NULL: none */
};

/* weight times the normal force of a candidate. */
struct NsProbeTouch {
  PetscInt            candidate;
  PetscReal           weight;
  const NsProbeTouch *next; /* one more, that is added */
};

/* A part of a column: value(data, t, x) of sums x[inputs] over q or v. */
struct NsProbeLaw {
  PetscReal (*value)(const void *data, PetscReal t, const PetscReal *x);
  const void       *data; /* in the arena */
  PetscInt          inputs;
  NsProbeColumn    *input; /* [inputs] without laws; of this law alone, as writers renumber them */
  const NsProbeLaw *next;  /* one more, that is added */
};
#define NS_PROBE_INPUTS 16

/* One more entry of a column. */
void NsProbeAdd(NsProbeColumn *column, NsArena *arena, PetscInt unknown, PetscReal weight);
/* The part of a column of q over velocities (order 1) or accelerations (2), appended to `plus` if it is new; order 0: the column. */
NsProbeColumn *NsProbePart(NsProbeColumn *column, NsArena *arena, int order);
/* One more function of time. */
void NsProbeAddTimed(NsProbeColumn *column, NsArena *arena, const NsTimeFunction *function, PetscReal factor);
/* Adds `factor` times a column of q that has no nonlinear law: its sum, its constant, its functions of time and the parts that are added to it. */
void NsProbeAddScaled(NsProbeColumn *column, NsArena *arena, const NsProbeColumn *from, PetscReal factor);
/* The sum of these. */
PetscReal NsProbeTimed(const NsProbeColumn *column, PetscReal t);
/* Of a column that is no sum. */
PetscReal NsProbeOfStress(const NsProbeColumn *column, PetscReal t, const PetscScalar *q, const PetscScalar *v);
/* The sum of its laws. */
PetscReal NsProbeOfLaws(const NsProbeColumn *column, PetscReal t, const PetscScalar *q, const PetscScalar *v);
/* A column with arrays of its own. */
NsProbeColumn NsProbeCopy(const NsProbeColumn *column, NsArena *arena);

/* The entries over accelerations; NULL: it has none. */
static inline const NsProbeColumn *NsProbeAccelerations(const NsProbeColumn *column)
{
  while (column && !column->of_acceleration) column = column->plus;
  return column;
}
/* The value at t without contact forces; arrays of all unknowns in natural order; a NULL: without accelerations. */
static inline PetscReal NsProbeColumnValue(const NsProbeColumn *column, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *a)
{
  if (column->of_stress) return NsProbeOfStress(column, t, q, v);
  PetscReal sum = column->constant + (column->timed ? NsProbeTimed(column, t) : 0);

  for (const NsProbeColumn *part = column; part; part = part->plus) {
    const PetscScalar *from = part->of_acceleration ? a : part->of_velocity ? v : q;
    for (PetscInt j = 0; j < part->entries && from; j++) sum += part->weight[j] * from[part->unknown[j]];
  }
  return column->law ? sum + NsProbeOfLaws(column, t, q, v) : sum;
}
/* The same without accelerations. */
static inline PetscReal NsProbeColumnSum(const NsProbeColumn *column, PetscReal t, const PetscScalar *q, const PetscScalar *v)
{
  return NsProbeColumnValue(column, t, q, v, NULL);
}

typedef struct {
  const char   *name;
  PetscInt      columns;
  NsProbeColumn column[NS_PROBE_COLUMNS];
} NsProbe;

/* Energies (J) of a body or a force element, and the power that its dampers dissipate (W). */
typedef struct {
  PetscReal kinetic, elastic, potential, damping;
} NsShare;

/* An owner of energy. Force elements have neither mass nor weight. */
typedef struct {
  const char *name; /* "rod", "springs.s" */
  PetscBool   body;
} NsOwner;

/* Undamped modes of a linear model, and its operators in modal coordinates. Shapes are orthonormal in the mass; rigid motions have exactly the frequency 0. */
typedef struct {
  PetscInt   count;
  PetscReal *omega;       /* [count] rad/s, ascending; NaN: the mode grows (buckling) */
  Vec       *shape;       /* [count] */
  PetscReal *damping;     /* [count, count] shape_i' C shape_j, with gyroscopic terms */
  PetscReal *circulation; /* [count, count] shape_i' (K - K')/2 shape_j */
} NsModelModes;

/* A rotor with free spin. */
typedef struct {
  const char *rotor;
  PetscReal   start, rate; /* rad/s, absolute: at the start, and of the given state */
  const char *bearing;     /* NULL, or the bearing whose table over speed ends first, */
  PetscReal   tabulated;   /* at this speed, rad/s */
} NsFreeSpin;

typedef struct NsStationSettings NsStationSettings; /* percuss/settings.h */
typedef struct NsGaugeSettings   NsGaugeSettings;

/* A point of a shaft whose orbit is recorded. Lateral displacements are along the axes e2, e3 of the shaft (for a shaft along x: y, z), minus those
   of the body of `relative_to` at the same point in space (its node is connected to this point by a rigid arm, if it has rotations). */
typedef struct {
  NsProbeColumn lateral[2], lateral_rate[2]; /* u2, u3 (m) of q; v2, v3 (m/s) of v */
  NsProbeColumn angle, angle_rate;           /* twist of the shaft there (rad) of q, its rate (rad/s) of v; no entries where the spin is prescribed */
  PetscInt      shaft;                       /* the model's own number of the shaft, for its operation `spin` */
} NsStation;

/* What a scheme needs in addition to accelerations, known before the model is made: back ends choose their storage by it. */
typedef struct {
  PetscBool stiffness; /* operators with stiffness or damping are factored, not the mass matrix alone */
  PetscBool whole;     /* bodies with the key `reduce` are not reduced: modes and responses are those of all their DOF */
} NsModelNeeds;

/* Equations of motion, solves, energies. The functions NsModel... below say what each does. */
typedef struct {
  /* The state at t = 0; creates its vectors. */
  PetscErrorCode (*initial)(NsModel *, NsState *);
  PetscErrorCode (*move)(NsModel *, Vec q0, PetscReal h, Vec v, Vec q1); /* see NsModelMove; NULL: q1 = q0 + h v */
  PetscErrorCode (*way)(NsModel *, Vec q0, Vec q1, Vec d);               /* see NsModelWay; needed where `move` is; NULL: d = q1 - q0 */
  PetscErrorCode (*rate)(NsModel *, Vec q, Vec v, Vec qdot);             /* see NsModelRate; needed where `move` is; NULL: q' = v */
  PetscErrorCode (*tidy)(NsModel *, Vec q);                              /* see NsModelTidy; needed where `move` is */
  PetscErrorCode (*force)(NsModel *, PetscReal t, Vec q, Vec v, Vec h);
  PetscErrorCode (*accel)(NsModel *, PetscReal t, Vec q, Vec v, Vec a); /* M^-1 h, 0 where there is no mass; one call, so that models can fuse both */
  /* NsModelFlight in one pass; NULL: by accel. */
  PetscErrorCode (*flight)(NsModel *, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1);
  PetscErrorCode (*mult)(NsModel *, PetscReal t, Vec q, Vec x, Vec y);
  /* y = (dM/dt along v) v; NULL where constant_mass. */
  PetscErrorCode (*massrate)(NsModel *, PetscReal t, Vec q, Vec v, Vec y);
  PetscErrorCode (*factor)(NsModel *, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op);
  PetscErrorCode (*solve)(NsModel *, PetscInt slot, Vec b, Vec x);
  PetscErrorCode (*settle)(NsModel *, PetscInt slot, PetscReal t, Vec q, Vec v); /* NULL: all unknowns have mass */
  PetscErrorCode (*energy)(NsModel *, PetscReal t, Vec q, Vec v, NsEnergy *);
  /* Power with which the dampers and loads of the state (t, q, v) act on the mean velocity w of a step. It is not linear in w where supports move. NULL: no dampers and no loads. */
  PetscErrorCode (*power)(NsModel *, PetscReal t, Vec q, Vec v, Vec w, NsPower *);
  PetscErrorCode (*times)(NsModel *, PetscReal t, Vec v, NsTimes *); /* NULL: not known, or nothing changes in time */
  /* (all) The largest rotation (rad) of those that the model assumes to be small, the largest change of a length over that length, and where. Costs as much as the energy. NULL: the
     model assumes neither (mechanisms, bodies of large rotations). */
  PetscErrorCode (*deformation)(NsModel *, PetscReal t, Vec q, NsBound *rotation, NsBound *stretch);
  /* (all) The largest ratio of the motion of a force element to the largest motion given in its law, and the name of that element. Laws whose formula is also valid beyond that motion count
     only if `steps`, because it then determines the critical time step only. Costs as much as these forces. NULL: there are no such laws. */
  PetscErrorCode (*outgrown)(NsModel *, PetscBool steps, PetscReal t, Vec q, Vec v, NsBound *used);
} NsModelDynamics;

/* Contact: gaps and rows of the candidates. */
typedef struct {
  PetscErrorCode (*gap)(NsModel *, PetscReal t, Vec q, PetscReal *g);
  PetscErrorCode (*rows)(NsModel *, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows);
  PetscErrorCode (*rowrate)(
    NsModel *, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d); /* NULL: not known; schemes on acceleration level refuse the model */
  /* Gaps g and contact velocities u of all candidates, row after row; NULL: from gap and rows. */
  PetscErrorCode (*rates)(NsModel *, PetscReal t, Vec q, Vec v, PetscReal *g, PetscReal *u);
  /* The same of some candidates only, from values of the touch list (NsModelTouch): gaps g[candidate] (g NULL: not wanted), and, if touch_v is not NULL, velocities u of
     their rows, indexed by the number of a row among the rows of all candidates. NULL: every candidate is evaluated every time. */
  PetscErrorCode (*rates_of)(NsModel *, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count, const PetscInt *candidate,
    PetscReal *g, PetscReal *u);
  /* Relative displacement of the partners of a candidate from the time t[0] to t[1], with these values of the touch list, m: an upper bound of the change of the gap on the straight path. NULL: not known. */
  PetscReal (*travel)(const NsModel *, PetscInt candidate, const PetscReal t[2], const PetscReal *from, const PetscReal *to);
  /* How far the partners of a candidate between two surfaces have slid along each other since the undeformed state, m; 0 for others. NULL: there are no surfaces. */
  PetscReal (*slip)(NsModel *, PetscInt candidate, const PetscReal *touch_q);
  /*
    Slots: candidates for pairs that are too many to be listed. A pair without slot is open as long as `strays` returns false; then `search` gives slots to all pairs that may be closed at `to`,
    or on the straight path there from `from` (the end of the last step), and lists them in found[slots]. `release` takes the pair out of a slot that has been open. Values are those
    of the touch list. With more pairs than slots model->crowded is set, and the run ends. NULL: there are no slots.
  */
  PetscBool (*strays)(NsModel *, const PetscReal *touch_q);
  PetscErrorCode (*search)(NsModel *, const PetscReal *from, const PetscReal *to, PetscInt *count, PetscInt *found);
  void (*release)(NsModel *, PetscInt candidate);
  void (*serialize)(NsModel *, NsArchive *); /* which slot has which pair */
  /* C[touches * touches] = E' A^-1 E with A of the slot and E the touch list. NULL: from solves. */
  PetscErrorCode (*compliance)(NsModel *, PetscInt slot, PetscReal *C);
  /* Clears acted[touches] where rows can never have an entry that is not zero. NULL: nowhere. */
  PetscErrorCode (*acted)(NsModel *, PetscBool *acted);
  /* (one process) The matrix of a constant operator, where its band may be narrow. NULL: there is none. */
  PetscErrorCode (*matrix)(NsModel *, NsOperator op, NsMatrix *A);
} NsModelContact;

/* [points of the picture of the planes, 3]. Velocity: of the surface, also of a belt. gap: normal vector from the plane to the nearest point at the start; a picture that magnifies
   displacements s times shows closed contacts as closed if it shifts the plane by (1 - s) gap. */
typedef struct {
  PetscReal *displacement, *velocity, *gap;
} NsPlaneFields;

/* Pictures, probes, stations, names. */
typedef struct {
  /* a: accelerations, for section forces; NULL: these follow from q alone, as those of a mode do. */
  PetscErrorCode (*fields)(NsModel *, PetscReal t, Vec q, Vec v, Vec a, NsFields *);
  /* Of the picture of the planes, at t. NULL: there are none. */
  PetscErrorCode (*planes)(NsModel *, PetscReal t, NsPlaneFields *);
  /* x[scene.points * 3]: coordinates of the scene's points at q. NULL: no probe needs them. */
  PetscErrorCode (*points)(NsModel *, PetscReal t, Vec q, PetscReal *x);
  /* The point of a candidate in space (reference configuration), its displacement and normal, for pictures; touch_q: values of the touch list. */
  PetscErrorCode (*contact_point)(
    NsModel *, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal u[3], PetscReal n[3]);
  /* Where a candidate is in space at present, and the directions of its forces on the first partner: the normal, then as many tangents as it has. NULL: not known, as of mechanisms. */
  PetscErrorCode (*contact_frame)(NsModel *, PetscReal t, const PetscReal *touch_q, PetscInt candidate, PetscReal x[3], PetscReal d[3][3]);
  /* Owners of energy: bodies, then springs, bearings and other force elements; the list belongs to the model. NULL: not known, as for mechanisms. */
  PetscErrorCode (*owners)(NsModel *, PetscInt *count, const NsOwner **owner);
  /* (all) share[owners] of a state, the same on all processes: their sums equal the results of `energy` and the damping power of `power` at w = v, up to rounding. `powers_only`: the energies are not set. */
  PetscErrorCode (*shares)(NsModel *, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share);
  /* A strain gauge as a probe; `why` says why it is not possible. NULL: the model does not support gauges. */
  PetscErrorCode (*gauge)(NsModel *, const NsGaugeSettings *, NsProbe *, PetscBool *found, char *why, size_t size);
  /* What unknown i is, for messages: "bar node 3 (x = 0.06 m) displacement x". */
  PetscErrorCode (*name_unknown)(NsModel *, PetscInt i, char *text, size_t size);
  /* Not found: why says what is wrong with the name, in a sentence for the user. Found: why may say what the columns leave out, else it is as before. */
  PetscErrorCode (*probe)(NsModel *, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size);
  /* Not found: why, as with probe; a sentence that begins with "relative_to" is about that key, else it is about `at`. NULL: the model has no shafts. */
  PetscErrorCode (*station)(NsModel *, const NsStationSettings *, NsStation *, PetscBool *found, char *why, size_t size);
  /* The prescribed part of the spin angle and its rate, to be added to the sums of the station; 0 if the spin is not prescribed. NULL: no spin is prescribed. */
  PetscErrorCode (*spin)(NsModel *, PetscReal t, const NsStation *, PetscReal *angle, PetscReal *rate);
  /* Bodies, rows of joints, degrees of freedom, in a line for the user. NULL: no such model. */
  PetscErrorCode (*joints)(NsModel *, char *text, size_t size);
  /* How the model is partitioned among processes, in a line for the user. NULL: one process. */
  PetscErrorCode (*partition)(NsModel *, char *text, size_t size);
} NsModelView;

/* Frequencies and modes; called at set-up only. All NULL where nothing is known (mechanisms): then no critical time step is checked, and analyses refuse the model. */
typedef struct {
  /* Rigorous upper bounds of one of the model's parts: omega^2 of the eigenvalues of (K, M), damping_rate (1/s) of those of (C, M). NULL, and highest_mode
     too: not known. */
  PetscErrorCode (*frequency_bound)(NsModel *, PetscInt part, NsBound *omega, NsBound *damping_rate);
  /* The same two, by an eigensolver; costs set-up time. */
  PetscErrorCode (*highest_mode)(NsModel *, PetscInt part, PetscReal *omega, PetscReal *damping_rate);
  /* The lowest elastic frequency (rad/s) of a single free element, over all elements of bodies with time-dependent loads; PETSC_MAX_REAL: no body has such a load. NULL: not known. */
  PetscErrorCode (*mesh_frequency)(NsModel *, NsBound *lowest);
  /* (all) The rotors with free spin, at velocity v. NULL: no rotor has a free spin. */
  PetscErrorCode (*free_spins)(NsModel *, Vec v, PetscInt *count, const NsFreeSpin **spins);
  /* The highest modes (at most NS_STABILITY_MODES) of a part with gyroscopic forces, at the highest spin known beforehand; count 0: the part has no gyroscopic forces. NULL: no part has any. */
  PetscErrorCode (*gyroscopic_modes)(NsModel *, PetscInt part, PetscInt *count, NsStabilityMode *modes);
  /* The `wanted` lowest modes of a linear model on one process; fewer if the model has fewer, none if some unknown has no mass. NsModelModesDestroy frees them. Costs
     set-up time, n^3 up to some thousand unknowns. NULL: not known. */
  PetscErrorCode (*modes)(NsModel *, PetscInt wanted, NsModelModes *modes);
  /* Adds all numbers that modes and static solutions depend on, matrices first, to a hash: results are kept between runs under it. One process. NULL: nothing is kept. */
  PetscErrorCode (*fingerprint)(NsModel *, NsSha256 *);
  /* The loads of a linear model: f(t) = sum_k size_k(t) F_k. F_0 is the weight, whose work is in the potential energy, F_1 all other constant loads; their sizes
     are 1. The caller destroys the shapes (VecDestroyVecs). Not NULL where `modes` is not. */
  PetscErrorCode (*load_shapes)(NsModel *, PetscInt *count, Vec **shape);
  /* load_sizes: the factors size_k at time t. load_middles: the value at t + dt/2 of the parabola that has the values of size_k at t and t + dt, and the same mean over the interval. */
  PetscErrorCode (*load_sizes)(NsModel *, PetscReal t, PetscReal *size);
  PetscErrorCode (*load_middles)(NsModel *, PetscReal t, PetscReal dt, PetscReal *size);
} NsModelAnalysis;

/*
  For contact with large operators, which takes one solve of a linear system for each touched unknown.
    ask:  before preparations of more than some seconds, foretold from the first solves: so many take so many seconds of wall time. PETSC_FALSE leaves them out: then rows cost one solve
          each, in every step. The same answer on all processes. NULL: never asked.
    over: (one process) before each solve of these: PETSC_TRUE where results are not needed any more, and may be wrong. NULL: never.
*/
typedef struct {
  PetscBool (*ask)(void *data, PetscInt solves, double seconds);
  PetscBool (*over)(void *data);
  void *data;
} NsPatience;

struct NsModel {
  NsModelDynamics dynamics;
  NsModelContact  contact;
  NsModelView     view;
  NsModelAnalysis analysis;
  PetscErrorCode (*destroy)(NsModel *);
  void        *data;
  const char  *kind;     /* "finite elements", or the mechanism's name */
  const char  *solver;   /* the back end of the large matrices, a word of the key `free_dynamics`; NULL: the model has no large matrices */
  PetscInt     unknowns; /* of all processes */
  NsLayout    *layout;   /* of them in vectors; not owned */
  PetscInt     parts;    /* parts of the model that only contacts connect; each has its own frequencies and damping; 0: not known */
  PetscBool    linear;   /* h = f(t) - K q - C v with constant K, C */
  PetscBool    constant_mass;
  PetscBool    diagonal_mass;    /* and constant */
  PetscBool    velocity_matters; /* h depends on v: accelerations must be computed anew when v changes */
  PetscBool    tangents_vary;    /* K and C depend on (q, v), and factoring them anew is cheap: Newton's method does so in each iteration */
  PetscBool    joints_drift; /* joints drift if only velocities satisfy them: schemes project positions onto g = 0 unless the config says otherwise */
  PetscBool    flat_contacts; /* gaps are linear in q: normals are constant */
  PetscInt     candidates;
  PetscInt     slots, slots_free; /* of these; how many stand for no pair at present */
  const char  *crowded;           /* the contact with more near pairs than slots; NULL: none */
  PetscInt     includes;
  const char **include;   /* [includes] paths of files that files of the config include, such as decks: inputs, too */
  NsCandidate *candidate; /* [candidates] */
  PetscInt     touches;
  PetscInt    *touch;          /* [touches] natural numbers of the unknowns that a contact can ever act on, ascending */
  PetscInt     massless;       /* unknowns without mass: in static equilibrium with the others */
  PetscInt    *massless_index; /* [massless] indices in vectors */
  PetscReal    stiffening;     /* rad/s: closed contacts between these and unknowns with mass raise the highest frequency by at most this */
  NsWatch     *watch;          /* of the touch list; NULL: one process, natural order */
  PetscInt     row_entries;    /* most entries of one row of W' */
  /* How far a gap can change: |g_i(t, q) - g_i(s, p)| <= reach[i] max_j stretch[j] |q_j - p_j|, for unknowns j of the touch list; the rate of the gap likewise,
     with v in place of q - p. stretch[touches]: m for each unit of the unknown; reach[candidates]. NULL: not known. */
  PetscReal *stretch, *reach;
  /* s: in the present step, a force evaluated at t represents the interval [t - before, t + after]: loads that jump or have a kink in it act with their mean. Set by NsSchemeStep. */
  PetscReal  before, after;
  NsPatience patience;
  NsSwitches switches; /* parts that begin to act or stop acting at a given time */
  PetscReal
    velocity_jump; /* s: when the velocity of a prescribed motion first jumps so that masses feel it, or a surface that they touch; 0: never */
  PetscBool          moved; /* prescribed motions of supports are part of its energies, or surfaces of contacts move */
  NsScene            scene;
  NsScene            planes; /* the planes that bodies may touch: points and cells alone */
  PetscReal          length_scale, mass_total;
  const char *const *probe_names; /* NULL-terminated: what is recorded by default, and candidates of "did you mean" */
  const char        *probe_help;  /* which probes there are, in a sentence for the user */
  NsArena           *arena;       /* not owned */
};

/* The reason why a scheme does not support slots: it stores data for each pair. */
#define NS_REFUSES_SLOTS "it needs all pairs of balls from the start: raise near_pairs of the contact to their number"

PetscErrorCode NsModelDestroy(NsModel **model);
/* A PETSc error that names an operation which the model needs and does not have: called once when a model has been made. */
PetscErrorCode NsModelCheck(const NsModel *model);

/* z = y + a x; z is not x or y. A plain loop, which costs less than VecWAXPY for short vectors. */
PetscErrorCode NsVecAddScaled(Vec z, PetscReal a, Vec x, Vec y);
/* q1 = the position reached from q0 at constant velocity v after the time h; q1 may be q0. Schemes change positions by this function only: with large rotations,
   positions are not a vector space and the model has its own `move`. */
PetscErrorCode NsModelMove(NsModel *model, Vec q0, PetscReal h, Vec v, Vec q1);
/* d with q1 = move(q0, 1, d): the difference of two positions as a velocity. d is not q0 or q1. */
PetscErrorCode NsModelWay(NsModel *model, Vec q0, Vec q1, Vec d);
/* qdot = dq/dt at (q, v): for methods that add up rates of positions within a step, as Runge-Kutta methods do; NsModelTidy puts such a sum back onto positions. */
PetscErrorCode NsModelRate(NsModel *model, Vec q, Vec v, Vec qdot);
/* Normalises the unit quaternions in q, whose length a sum of rates changes by the error of a step. */
PetscErrorCode NsModelTidy(NsModel *model, Vec q);

static inline PetscErrorCode NsModelForce(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  return model->dynamics.force(model, t, q, v, h);
}

/* a = M(q)^-1 h(t, q, v), 0 where there is no mass. Uses slot 0 with A = M. */
static inline PetscErrorCode NsModelAccel(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  return model->dynamics.accel(model, t, q, v, a);
}

/* NsModelFlight, operation by operation: for models' own use. */
PetscErrorCode NsModelFlightInSteps(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1);

/* Free flight by the forecasting trapezoidal rule, no two vectors the same:
   q1 = q0 + dt v0 + dt^2/2 a0,   a1 = M^-1 h(t1, q1, v0 + dt a0),   v1 = v0 + dt/2 (a0 + a1). */
static inline PetscErrorCode NsModelFlight(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1)
{
  return (model->dynamics.flight ? model->dynamics.flight : NsModelFlightInSteps)(model, t1, dt, q0, v0, a0, q1, v1, a1);
}

/* y = M(q) x */
static inline PetscErrorCode NsModelMult(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  return model->dynamics.mult(model, t, q, x, y);
}

/* y = (dM/dt along v) v, 0 where M is constant. With T = v' M v/2: dT/dq + (applied forces) = h + y. */
PetscErrorCode NsModelMassRate(NsModel *model, PetscReal t, Vec q, Vec v, Vec y);
/* Factors A into a slot; returns at once when nothing changed since the last call with this slot. */
static inline PetscErrorCode NsModelFactor(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  return model->dynamics.factor(model, slot, t, q, v, op);
}

/* x = A^-1 b with A of the slot. */
static inline PetscErrorCode NsModelSolve(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  return model->dynamics.solve(model, slot, b, x);
}

/* q += A^-1 h(t, q, v) for unknowns without mass, with A of these in the slot: they come to rest under the forces of the others. Only where model->massless. */
static inline PetscErrorCode NsModelSettle(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v)
{
  return model->dynamics.settle(model, slot, t, q, v);
}

/* All candidates' gaps, g[candidates] in m; negative is penetration. */
static inline PetscErrorCode NsModelGap(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  return model->contact.gap(model, t, q, g);
}

/* Rows of W' of the active candidates contact[active], ascending. */
static inline PetscErrorCode NsModelRows(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  return model->contact.rows(model, t, q, active, contact, rows);
}

/* d[rows->rows] = (dW'/dt) v + d(drive)/dt along the motion; the contact accelerations are W' v' + d. Only if the model has contact.rowrate. */
static inline PetscErrorCode NsModelRowrate(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  return model->contact.rowrate(model, t, q, v, rows, d);
}

static inline PetscErrorCode NsModelEnergy(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  return model->dynamics.energy(model, t, q, v, energy);
}

PetscErrorCode NsModelPower(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power);
/* (all) The result is the same on all processes. Switches are among the times. */
PetscErrorCode NsModelTimes(NsModel *model, PetscReal t, Vec v, NsTimes *times);

/* x[touch[touched[k]]] += value[k], k < count, on the process that owns it. Contacts read and write vectors by NsModelTouch (below) and this one only. */
PetscErrorCode NsModelTouchAdd(const NsModel *model, PetscInt count, const PetscInt *touched, const PetscReal *value, Vec x);
/* (all) The greatest |x| of all unknowns, the same on all processes; NaN if one of them is NaN. */
PetscErrorCode NsModelLargest(const NsModel *model, Vec x, PetscReal *largest);

PetscErrorCode NsModelModesDestroy(NsModelModes *modes);

/* Vectors as model->layout has them, zero; the list of pointers ends with NULL. */
PetscErrorCode NsVecsCreate(const NsModel *model, Vec *first, ...);
PetscErrorCode NsVecsDestroy(Vec *first, ...);

/*
  The numbers of such a vector, `local` long. They are in this process's memory and stay there as long as the vector lives, so nothing has to be restored. NsVecArray is also for
  writing: it marks the vector as changed, so that PETSc discards its cached norms. Write before any other PETSc operation on the vector, and do not keep the pointer.

  They are called dozens of times a step. `array` has no initial value on purpose: a processor that forwards it to the load behind the call has to undo that, which costs 20 cycles.
*/
static inline const PetscReal *NsVecRead(Vec x)
{
  const PetscReal *array;

  (void)VecGetArrayRead(x, &array);
  return array;
}

static inline PetscReal *NsVecArray(Vec x)
{
  PetscReal *array;

  (void)VecGetArray(x, &array);
  (void)VecRestoreArray(x, NULL);
  return array;
}

PetscErrorCode NsRowsCreate(const NsModel *model, NsRows *rows);
PetscErrorCode NsRowsDestroy(NsRows *rows);
void           NsRowsSerialize(NsArchive *archive, const char *name, const NsModel *model, NsRows *rows);
/* Keeps the normal row of each contact only. */
void NsRowsKeepNormals(NsRows *rows);
/* v += scale W P: reactions, not divided by a mass. */
PetscErrorCode NsRowsApply(const NsModel *model, const NsRows *rows, const PetscReal *P, PetscReal scale, Vec v);

/* (all) values[touches]: the touch list of a vector, the same on all processes. */
static inline PetscErrorCode NsModelTouch(const NsModel *model, Vec x, PetscReal *values)
{
  const PetscReal *array = NsVecRead(x);

  if (model->watch) return NsWatchGather(model->watch, array, values);
  for (PetscInt i = 0; i < model->touches; i++) values[i] = array[model->touch[i]];
  return 0;
}

/* u = W' v + drive, u[rows->rows]; v by values of the touch list, or as a vector. NsRowsVelocityOf: for the rows from .. to - 1 only, u[to - from]. */
static inline void NsRowsVelocityOf(const NsRows *rows, PetscInt from, PetscInt to, const PetscReal *touch_v, PetscReal *u)
{
  for (PetscInt k = from; k < to; k++) {
    PetscReal sum = rows->drive[k];
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) sum += rows->value[j] * touch_v[rows->touch[j]];
    u[k - from] = sum;
  }
}

static inline void NsRowsVelocityTouched(const NsRows *rows, const PetscReal *touch_v, PetscReal *u)
{
  NsRowsVelocityOf(rows, 0, rows->rows, touch_v, u);
}

static inline PetscErrorCode NsRowsVelocity(const NsModel *model, const NsRows *rows, Vec v, PetscReal *u)
{
  const PetscErrorCode code = NsModelTouch(model, v, rows->touched);

  if (!code) NsRowsVelocityTouched(rows, rows->touched, u);
  return code;
}
