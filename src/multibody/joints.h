/*
  Joints: rows of the four primitives between points and axes of two bodies A and B (s, a: in their frames; in space r = x_B - x_A, O angular velocities, c = O x (O x s)):

      rows           g             W' v                                   (dW'/dt) v
      point (3)      r             r'                                     c_B - c_A
      perp (1)       a . b         (a x b) . (O_A - O_B)                  ((O_A x a) x b + a x (O_B x b)) . (O_A - O_B)
      slide (1)      a . r         O_A . (a x r) + a . r'                 (O_A x (O_A x a)) . r + 2 (O_A x a) . r' + a . (c_B - c_A)
      distance (1)   |r| - L       n . r',  n = r/|r|                     n . (c_B - c_A) + (r'.r' - (n.r')^2)/|r|
      angle (1)      theta         a . (O_B - O_A)                        (O_A x a) . (O_B - O_A)

  Rows of angles are multiplied by an arm, the model's length, so that gaps are lengths: a force of such a row times the arm is a moment.
*/
#pragma once
#include "core/motion.h"
#include "core/spin.h"
#include "system.h"

enum {
#define NS_JOINT(Name, word, also, title) NS_JOINT_##Name,
#include "list.h"
#undef NS_JOINT
  NS_JOINTS
};

typedef struct {
  const NsNode *where;
  const char   *lower, *upper; /* an angle, or a length */
  double        restitution;
} NsJointLimits;

typedef struct {
  const NsNode *where;
  double        angle, restitution;
} NsJointCone;

typedef struct {
  const NsNode        *where;
  NsStrings            between, joints;
  double               at[3], axis[3], second_axis[3], ratio, radius, stiffness, damping, free_position, clearance, length, friction, restitution;
  double               stiffnesses[3], dampings[3], rotational_stiffness[3], rotational_damping[3];
  const NsJointLimits *limits, *angle_limits; /* of a joint that slides and turns one for each */
  const NsJointCone   *cone;
} NsJointSettings;

typedef struct {
  const NsNode         *where;
  const char           *joint;
  const NsSpin         *speed;
  double                displacement, velocity, torque, force;
  const NsTimeFunction *time;
  NsWindow              window;
} NsDriveSettings;

typedef enum { NS_ROW_POINT, NS_ROW_PERP, NS_ROW_SLIDE, NS_ROW_DISTANCE, NS_ROW_ANGLE, NS_ROW_GEAR } NsMbRowKind;

/* The points of a joint at the frames, from the centers and between them. */
typedef struct NsMbPoints {
  PetscInt64 moves;
  PetscReal  arm[2][3], r[3];
} NsMbPoints;

/* A joint. In space a joint that turns has its angle, with all turns, as an unknown of its own beside the bodies': q moves with it, v stays 0. */
struct NsMbJoint {
  const char            *name;
  const NsJointSettings *settings;
  int                    type;
  NsSide                 side[2];
  PetscReal              e[2][3][3];       /* axes in the frames of A and B: e[.][2] is the joint's axis; at the start they agree in space */
  PetscReal              zero, zero_slide; /* angle at the start; how far B's point is along the axis then */
  PetscInt               turn;             /* unknown that is its angle; -1: none */
  int                    about;            /* the axis of its angle: 2; of a slider in the plane 1, which is z there */
  PetscBool              turns, slides;    /* has an angle; a way along its axis */
  PetscBool              loose;            /* has a clearance: contacts instead of rows (clearance.c) */
  const NsMbJoint       *geared[2];        /* gear and rack */
  PetscReal              ratio;            /* position[0] + ratio position[1] is constant */
  PetscInt               first_row, rows;
};

/* One row: a candidate of the model, bilateral or a limit. */
struct NsMbRow {
  const NsMbJoint *joint;
  NsMbRowKind      kind;
  int              axis[2]; /* POINT: direction in space; PERP: axes of A and B; SLIDE: axis of A */
  PetscReal        scale;   /* of the row: the arm of angles, else 1; negative for upper limits */
  PetscReal        offset;  /* g = scale (value - offset - driven) */
  PetscReal        length;
  const NsSpin    *speed;  /* drive: theta - offset = integral of it */
  const NsMotion  *motion; /* drive by a displacement, along x; NULL: none */
  const char      *name;
  PetscReal        restitution; /* of limits, which are not */
  PetscBool        bilateral;
  PetscBool        implied;  /* by other rows, wherever the bodies are */
  PetscBool        carries;  /* the load of a joint with friction */
  PetscReal        friction; /* of the last row that carries */
  PetscInt         carriers, rubs;
  NsMbRow         *rub;   /* [rubs] along which it acts: rows of the joint's own motion, whose values do not count */
  PetscBool        loose; /* of a joint with clearance: determines initial velocities only */
  PetscBool        rigid; /* of an elastic rod: it starts without strain, and with the velocities of a rigid one */
};

/* A spring, damper or given torque along a row: force -stiffness (value - rest) - damping rate + factor(t) push. */
struct NsMbActuator {
  NsMbRow               row;
  PetscReal             stiffness, damping, rest, push;
  const NsTimeFunction *time;
};

/* A bushing (bushing.c): stiffness, damping, and both against rotations, along the axes of the joint. */
struct NsMbBushing {
  const NsMbJoint *joint;
  PetscReal        value[4][3];
};

/* Requested parts of a row: its gap; also its forces and moments; also its rate, which needs velocities. */
typedef enum { NS_WANT_GAP, NS_WANT_ROW, NS_WANT_RATE } NsMbWanted;

enum { NS_PART_FORCE = 7, NS_PART_MOMENT = 8 };

/* What a row is at the frames: gap, forces f and moments m (about centers, in space) on `bodies` bodies for a unit reaction. */
typedef struct {
  PetscReal g, drive, rate;
  int       parts; /* of rows of joints: the parts that can be nonzero, as bits for x, y, z of forces and NS_PART_MOMENT; 0: not known */
  PetscInt  bodies, body[4];
  PetscReal f[4][3], m[4][3];
} NsMbWrench;

/* The type behind a config's choice. */
int NsJointFind(const NsChosen *chosen);
/* Joints, their rows and drives from the config; bodies that joints place are placed. Errors in diag. */
void NsMbJoints(NsMultibody *self);
/* joint_place.c: bodies without `at` go where the first joint to a placed body puts them; the first body of a group that no joint places stays at the origin. Errors in diag. */
void NsMbPlaceBodies(NsMultibody *self);
/* Sides, points, axes and the angle or way at the start of a joint whose type and settings are known. False after an error. */
PetscBool NsMbPlaceJoint(NsMultibody *self, NsMbJoint *joint);
/* Stops beyond which joints begin; by the frames of the start. Errors in diag. */
void NsMbCheckLimits(NsMultibody *self);
/* The row at (t, q) of the frames. */
void NsMbRowAt(const NsMultibody *self, const NsMbRow *row, PetscReal t, const PetscReal *q, NsMbWanted wanted, NsMbWrench *wrench);
/* Angle of a joint, all turns counted (space: by q), and along its axis. */
PetscReal NsMbAngle(const NsMultibody *self, const NsMbJoint *joint, const PetscReal *q);
PetscReal NsMbWayAlong(const NsMultibody *self, const NsMbJoint *joint);
/* The angle by the frames, nearest to `near`. */
PetscReal NsMbAngleNear(const NsMultibody *self, const NsMbJoint *joint, PetscReal near);
/* a . (O_B - O_A) by the frames. */
PetscReal NsMbAngleRate(const NsMultibody *self, const NsMbJoint *joint);
/* f . v + m . O of a wrench, by the frames. */
PetscReal NsMbWrenchRate(const NsMultibody *self, const NsMbWrench *wrench);
/* h += scale times the wrench. */
void NsMbApply(const NsMultibody *self, const NsMbWrench *wrench, PetscReal scale, PetscReal *h);

/* forces.c: force or moment of the spring and the damper of a joint; force (tension is positive) or length of a spring; by the frames with velocities. */
PetscReal NsMbActuatorForce(const NsMultibody *self, const NsMbActuator *actuator, PetscReal t, const PetscReal *q);
PetscReal NsMbSpringForce(const NsMultibody *self, const NsMbSpring *spring, PetscBool length);

/* bushing.c: of a joint of this type. Errors in diag. */
void NsMbAddBushing(NsMultibody *self, const NsMbJoint *joint);
/* h += its forces, by the frames with velocities; its elastic energy. */
void NsMbBushingForce(const NsMultibody *self, const NsMbBushing *bushing, PetscReal *h);
/* Force and moment on the second body at its point. */
void      NsMbBushingWrench(const NsMultibody *self, const NsMbBushing *bushing, PetscReal f[3], PetscReal m[3]);
PetscReal NsMbBushingElastic(const NsMultibody *self, const NsMbBushing *bushing);
/* Rates of its displacements and rotations, by the frames with velocities; the power that it dissipates with rates at v and w; whether it has dashpots. */
void      NsMbBushingRates(const NsMultibody *self, const NsMbBushing *bushing, PetscReal rate[6]);
PetscReal NsMbBushingDamping(const NsMbBushing *bushing, const PetscReal at_v[6], const PetscReal at_w[6]);
PetscBool NsMbBushingDamps(const NsMbBushing *bushing);

/* assembly.c: positions and velocities of the start fulfil the joints; redundant rows are counted. Errors in diag. */
PetscErrorCode NsMbAssemble(NsMultibody *self);
