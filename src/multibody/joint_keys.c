/* Keys of joints and drives: each type of joint has the keys that mean something for it. */
#include "joints.h"

static const NsKey limits_keys[] = {
  {"lower", NS_KEY_STRING, offsetof(NsJointLimits, lower), .help = "smallest angle, or smallest displacement of a sliding joint",
    .example = "-90 deg"},
  {"upper", NS_KEY_STRING, offsetof(NsJointLimits, upper), .help = "largest angle, or largest displacement", .example = "90 deg"},
  {"restitution", NS_KEY_NUMBER, offsetof(NsJointLimits, restitution), .default_value = "0", .minimum = "0", .maximum = "1",
    .help = "coefficient of restitution of an impact on a limit", .example = "0.5"},
  {NULL},
};
static const NsTable limits_table = {"joint_limits", "stops of a joint", limits_keys, sizeof(NsJointLimits)};

#define BETWEEN \
  {"between", NS_KEY_STRINGS, offsetof(NsJointSettings, between), .required = true, .least = 2, .most = 2, \
    .help = "two points of bodies, or `ground` and a point", .example = "[ground, crank.left]"}, \
  { \
    "at", NS_KEY_VECTOR, offsetof(NsJointSettings, at), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]", \
                                                        .help    = "initial position of the joint in space, for partners without a point", \
                                                        .example = "[0, 0, 0.1 m]" \
  }
#define AXIS \
  { \
    "axis", NS_KEY_VECTOR, offsetof(NsJointSettings, axis), .space = NS_SPACE_DIRECTION, .default_value = "[0, 0, 0]", \
                                                            .help    = "initial direction of its axis in space; not needed for hinges in the plane", \
                                                            .example = "[1, 0, 0]" \
  }
#define LIMITS \
  { \
    "limits", NS_KEY_TABLE, offsetof(NsJointSettings, limits), .table = &limits_table, .help = "end stops", \
                                                               .example = "{lower: 0, restitution: 0.7}" \
  }
#define STOP(help_) \
  { \
    "restitution", NS_KEY_NUMBER, offsetof(NsJointCone, restitution), .default_value = "0", .minimum = "0", .maximum = "1", .help = help_, \
                                                                      .example = "0.5" \
  }

static const NsKey cone_keys[] = {
  {"angle", NS_KEY_NUMBER, offsetof(NsJointCone, angle), .dimension = NS_DIM_ANGLE, .required = true, .minimum = "0 <", .maximum = "3.1",
    .help = "largest angle between the axes of the two bodies, which coincide at the start", .example = "40 deg"},
  STOP("coefficient of restitution of an impact on the stop"),
  {NULL},
};
static const NsTable cone_table = {"joint_cone", "stop of a joint that bends", cone_keys, sizeof(NsJointCone)};
#define CONE(help_) \
  { \
    "limits", NS_KEY_TABLE, offsetof(NsJointSettings, cone), .table = &cone_table, .help = help_, .example = "{angle: 40 deg, restitution: 0.5}" \
  }

#define TURNS \
  {"stiffness", NS_KEY_NUMBER, offsetof(NsJointSettings, stiffness), .dimension = {2, 1, -2, -1}, .default_value = "0", .minimum = "0", \
    .help = "torsional spring: moment per angle", .example = "5.6e-3 N m/rad"}, \
    {"damping", NS_KEY_NUMBER, offsetof(NsJointSettings, damping), .dimension = {2, 1, -1, -1}, .default_value = "0", .minimum = "0", \
      .help = "moment per angular velocity", .example = "1e-4 N m s/rad"}, \
  { \
    "free_angle", NS_KEY_NUMBER, offsetof(NsJointSettings, free_position), \
      .dimension = NS_DIM_ANGLE, .default_value = "0", \
      .help = "angle at which the spring has no moment; the angle is 0 where the frames of both bodies are parallel", .example = "30 deg" \
  }
#define SLIDES \
  {"stiffness", NS_KEY_NUMBER, offsetof(NsJointSettings, stiffness), .dimension = NS_DIM_STIFFNESS, .default_value = "0", .minimum = "0", \
    .help = "spring along the axis", .example = "1 kN/m"}, \
    {"damping", NS_KEY_NUMBER, offsetof(NsJointSettings, damping), .dimension = NS_DIM_DASHPOT, .default_value = "0", .minimum = "0", \
      .help = "force per velocity along the axis", .example = "10 N s/m"}, \
  { \
    "free_position", NS_KEY_NUMBER, offsetof(NsJointSettings, free_position), \
      .dimension = NS_DIM_LENGTH, .default_value = "0", .help = "displacement from the initial position at which the spring has no force", \
      .example = "10 mm" \
  }

#define CLEARANCE_OF(clearance_help, radius_help, friction_help) \
  {"clearance", NS_KEY_NUMBER, offsetof(NsJointSettings, clearance), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0", \
    .help = clearance_help, .example = "0.2 mm"}, \
    {"radius", NS_KEY_NUMBER, offsetof(NsJointSettings, radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0", \
      .help = radius_help, .example = "10 mm"}, \
    {"friction", NS_KEY_NUMBER, offsetof(NsJointSettings, friction), .default_value = "0", .minimum = "0", .help = friction_help, \
      .example = "0.05"}, \
  { \
    "restitution", NS_KEY_NUMBER, offsetof(NsJointSettings, restitution), .default_value = "0", .minimum = "0", .maximum = "1", \
                                                                          .help = "coefficient of restitution of these contacts", .example = "0.5" \
  }
#define PIN_LENGTH(help_) \
  { \
    "length", NS_KEY_NUMBER, offsetof(NsJointSettings, length), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0", .help = help_, \
                                                                .example = "40 mm" \
  }
#define PIN_FRICTION   "coefficient of friction, at the radius of the pin, under the force that the joint carries"
#define SLIDE_FRICTION "coefficient of friction, under the force across the axis that the joint carries"
#define RADIAL         "radius of the hole minus that of the pin: the joint becomes a contact, with the pin on the second body"

static const NsKey keys_Fixed[]       = {BETWEEN, {NULL}};
static const NsKey keys_Revolute[]    = {BETWEEN, AXIS, LIMITS, TURNS,
     CLEARANCE_OF(RADIAL, "radius of the pin, with friction or clearance", PIN_FRICTION),
     PIN_LENGTH("length of a pin with clearance in space: it touches at its ends"), {NULL}};
static const NsKey keys_Prismatic[]   = {BETWEEN, AXIS, LIMITS, SLIDES,
    CLEARANCE_OF("distance of the slider from each side of its guide when centred, in the plane: the joint becomes contacts of both ends of the slider",
      "half height of a slider with clearance, whose ends are round", SLIDE_FRICTION),
    PIN_LENGTH("length of a slider with clearance: it touches at its ends"), {NULL}};
static const NsKey keys_Cylindrical[] = {BETWEEN, AXIS,
  {"limits", NS_KEY_TABLE, offsetof(NsJointSettings, limits), .table = &limits_table, .help = "end stops of the displacement along the axis",
    .example = "{lower: 0, upper: 50 mm}"},
  {"angle_limits", NS_KEY_TABLE, offsetof(NsJointSettings, angle_limits), .table = &limits_table, .help = "stops of the angle about the axis",
    .example = "{lower: -90 deg, upper: 90 deg}"},
  CLEARANCE_OF(RADIAL, "radius of the pin, with friction or clearance", PIN_FRICTION),
  PIN_LENGTH("length of a pin with clearance: it touches at its ends"), {NULL}};
static const NsKey keys_Spherical[]   = {BETWEEN,
    {"axis", NS_KEY_VECTOR, offsetof(NsJointSettings, axis), .space = NS_SPACE_DIRECTION, .default_value = "[0, 0, 0]",
      .help = "initial direction of the axis that `limits` bound, in both bodies", .example = "[1, 0, 0]"},
    CONE("stop of the angle between both bodies' axes (see `axis`)"),
    CLEARANCE_OF("radius of the socket minus that of the ball: the joint becomes a contact, with the ball on the second body", "radius of the ball",
      "coefficient of friction of a joint with clearance"),
    {NULL}};
static const NsKey keys_Universal[]   = {BETWEEN, AXIS,
    {"second_axis", NS_KEY_VECTOR, offsetof(NsJointSettings, second_axis), .space = NS_SPACE_DIRECTION, .required = true,
      .help = "initial direction of the axis of the second body, perpendicular to `axis`", .example = "[0, 0, 1]"},
    CONE("stop of the angle by which the joint bends: between the directions across both axes, which coincide at the start"), {NULL}};
static const NsKey keys_Planar[]      = {BETWEEN,
       {"axis", NS_KEY_VECTOR, offsetof(NsJointSettings, axis), .space = NS_SPACE_DIRECTION, .required = true,
         .help = "initial direction of the normal of the plane", .example = "[0, 0, 1]"},
       {NULL}};
static const NsKey keys_PointOnLine[] = {BETWEEN, AXIS, LIMITS,
  CLEARANCE_OF("distance of the pin from each side of its slot when centred: the joint becomes a contact, with the pin on the second body",
    "radius of a pin with clearance", SLIDE_FRICTION),
  {NULL}};
static const NsKey keys_Distance[]    = {BETWEEN,
     {"limits", NS_KEY_TABLE, offsetof(NsJointSettings, limits), .table = &limits_table,
       .help = "bounds of the distance, which is free between them; a rope has only `upper`", .example = "{upper: 0.5 m}"},
     {NULL}};
#define ALONG(key_, field_, help_, example_, ...) \
  { \
    key_, NS_KEY_VECTOR, offsetof(NsJointSettings, field_), .space = NS_SPACE_AXES, .dimension = __VA_ARGS__, .default_value = "[0, 0, 0]", \
                                                            .help = help_, .example = example_ \
  }
static const NsKey keys_Bushing[] = {BETWEEN,
  ALONG("stiffness", stiffnesses, "along x, y, z at the start; these axes turn with the first body", "[1 kN/m, 1 kN/m, 200 N/m]", NS_DIM_STIFFNESS),
  ALONG("damping", dampings, "along the same axes", "[10 N s/m, 10 N s/m, 5 N s/m]", NS_DIM_DASHPOT),
  ALONG("rotational_stiffness", rotational_stiffness, "moment per angle about the same axes", "[50 N m/rad, 50 N m/rad, 10 N m/rad]", {2, 1, -2, -1}),
  ALONG("rotational_damping", rotational_damping, "moment per angular velocity about the same axes", "[0.1 N m s/rad, 0.1 N m s/rad, 0.1 N m s/rad]",
    {2, 1, -1, -1}),
  {NULL}};
static const NsKey keys_Gear[]    = {
     {"joints", NS_KEY_STRINGS, offsetof(NsJointSettings, joints), .required = true, .least = 2, .most = 2, .help = "two hinges", .example = "[A, B]"},
     {"ratio", NS_KEY_NUMBER, offsetof(NsJointSettings, ratio), .required = true,
       .help = "n in angle_1 + n angle_2 = constant: number of teeth of the second over that of the first; negative if both turn in the same direction",
       .example = "2"},
     {NULL}};
static const NsKey keys_Rack[] = {{"joints", NS_KEY_STRINGS, offsetof(NsJointSettings, joints), .required = true, .least = 2, .most = 2,
                                    .help = "a sliding joint and a hinge", .example = "[slide, pinion]"},
  {"radius", NS_KEY_NUMBER, offsetof(NsJointSettings, radius), .dimension = NS_DIM_LENGTH, .required = true,
    .help = "r in displacement - r angle = constant; negative for the opposite direction", .example = "20 mm"},
  {NULL}};

#define NS_JOINT(Name, word, also, line) \
  static const NsTable   table_##Name   = {"joint_" word, line, keys_##Name, sizeof(NsJointSettings)}; \
  static const NsVariant variant_##Name = {word, line, "Joints and drives are for bodies of `type: body`; see bodies.body.\n", &table_##Name, also};
#include "list.h"
#undef NS_JOINT

const NsVariant *const NsJointVariants[] = {
#define NS_JOINT(Name, word, also, line) &variant_##Name,
#include "list.h"
#undef NS_JOINT
  NULL,
};

int NsJointFind(const NsChosen *chosen)
{
  int type = 0;

  while (NsJointVariants[type] != chosen->variant) type++;
  return type;
}

static const NsKey drive_keys[] = {
  {"joint", NS_KEY_STRING, offsetof(NsDriveSettings, joint), .required = true, .help = "the joint that it drives", .example = "A"},
  {"speed", NS_KEY_TABLE, offsetof(NsDriveSettings, speed), .table = &NsTable_Spin,
    .help = "angular velocity of a hinge, constant or over time; the torque that it needs is DRIVE.moment in contacts.csv", .example = "300 rpm"},
  {"displacement", NS_KEY_NUMBER, offsetof(NsDriveSettings, displacement), .dimension = NS_DIM_LENGTH,
    .help = "displacement of a sliding joint from its initial position, times the factor `time`", .example = "20 mm"},
  {"velocity", NS_KEY_NUMBER, offsetof(NsDriveSettings, velocity), .dimension = NS_DIM_VELOCITY,
    .help = "velocity of a sliding joint, times the factor `time`", .example = "0.1 m/s"},
  {"torque", NS_KEY_NUMBER, offsetof(NsDriveSettings, torque), .dimension = {2, 1, -2, 0}, .help = "given torque on the second body of a hinge",
    .example = "0.033 N m"},
  {"force", NS_KEY_NUMBER, offsetof(NsDriveSettings, force), .dimension = NS_DIM_FORCE, .help = "given force along a joint that slides",
    .example = "10 N"},
  {"time", NS_KEY_TABLE, offsetof(NsDriveSettings, time), .table = &NsTable_TimeFunction,
    .help =
      "factor over time of displacement, velocity, torque or force; default: constant; 0 outside `from` and `until`, where a velocity of 0 holds the joint",
    .example = "{harmonic: {frequency: 5 Hz}}"},
  NS_RAMPED_WINDOW_KEYS(NsDriveSettings, "the drive acts"),
  {NULL},
};

static void check_drive(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsDriveSettings *drive = settings;

  (void)arena;
  if (NsSpinIsFree(drive->speed)) NsDiagError(diag, drive->speed->where->place, "a drive prescribes the speed: it cannot be free");
  if (drive->time && NsTreeChild(drive->where, "speed"))
    NsDiagError(diag, drive->time->where->key_place,
      "`time` is a factor of a displacement, velocity, torque or force; write a speed over time as {table: [[t, speed], ...]}");
  if (NsWindowIsGiven(&drive->window) && NsTreeChild(drive->where, "speed"))
    NsDiagError(diag,
      NsKeysPlace(drive->where, drive->window.from > 0    ? "from"
                                : drive->window.until > 0 ? "until"
                                                          : "ramp"),
      "a `speed` has no window; write a speed over time as {table: [[t, speed], ...]}");
  NsWindowCheck(&drive->window, drive->where, diag);
  if (!drive->time && !NsWindowIsGiven(&drive->window) && NsTreeChild(drive->where, "displacement"))
    NsDiagError(diag, NsKeysPlace(drive->where, "displacement"),
      "a drive with a `displacement` needs the factor `time`, such as {harmonic: {frequency: 5 Hz}}; to hold a body use a joint");
}

const NsTable NsTable_Drive = {
  "drive", "motor of a joint", drive_keys, sizeof(NsDriveSettings), .one_of = "speed, displacement, velocity, torque, force", .check = check_drive};
