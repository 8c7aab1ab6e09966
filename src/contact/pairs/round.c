/*
  A ball or journal of radius r around a point against a cylinder or sphere of radius R around another, inside (s = -1) or outside (s = +1):

      d = (x1 + u1) - (x2 + u2), for the cylinder without its part along the axis;     e = d/|d|,   n = s e
      outside: g = |d| - R - r      inside: g = R - r - |d|      (+ offset)

  n pushes the first. Both may move. The cylinder's axis is fixed in space: small tilts of a housing are neglected but for what they move its centre, and so are
  those of a journal; both count as rotations in the friction. A cylinder has no ends.

  Material points meet at the arms -r n and R e = s R n from the two centres. Where the centres meet (d = 0) n is that of the start.
*/
#include <math.h>
#include "contact/pair.h"

/* 1/|d| is that of a point closer to the centre than this part of R: no contact is ever there, and nothing overflows. */
#define NS_CENTRED 1e-12

enum { NS_INSIDE, NS_OUTSIDE };

typedef struct {
  NsSurfaceSettings surface;
  double            center[3]; /* where it is fixed */
  double            axis[3];
  double            radius;
  int               side; /* on which the first partner is */
  const NsSpin     *spin; /* about the axis; NULL: none */
} Settings;

static const char *const sides[] = {"inside", "outside", NULL};

#define NS_ROUND_KEYS(what) \
  {"center", NS_KEY_VECTOR, offsetof(Settings, center), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, \
    .help = "centre of a " what " fixed in space", .example = "[0, 0, 0.1 m]"}, \
    {"on", NS_KEY_STRING, offsetof(Settings, surface.on), .help = "node of a body, or point along it, that carries the " what, \
      .example = "housing.center"}, \
    {"offset", NS_KEY_VECTOR, offsetof(Settings, surface.offset), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_LENGTH, \
      .default_value = "[0, 0, 0]", .help = "with `on`: rigid arm from the node to the centre", .example = "[9.5 mm, 0, 0]"}, \
    {"radius", NS_KEY_NUMBER, offsetof(Settings, radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", \
      .help = "radius of the " what, .example = "10.1 mm"}, \
    NS_MOTION_KEY( \
      offsetof(Settings, surface.motion), "displacement, velocity or acceleration of a " what " without `on` over time; several add up"), \
  { \
    "side", NS_KEY_CHOICE, offsetof(Settings, side), .choices = sides, .required = true, \
                                                     .help = "side on which the other partner is: inside or outside", .example = "inside" \
  }

static const NsKey cylinder_keys[] = {
  NS_ROUND_KEYS("cylinder"),
  {"axis", NS_KEY_VECTOR, offsetof(Settings, axis), .space = NS_SPACE_DIRECTION, .required = true,
    .help = "direction of the cylinder's axis, fixed in space; any length", .example = "[1, 0, 0]"},
  {"spin", NS_KEY_TABLE, offsetof(Settings, spin), .table = &NsTable_Spin, .help = "prescribed rotation of its surface about the axis: a drum",
    .example = "3000 rpm"},
  {NULL},
};
static const NsKey sphere_keys[] = {NS_ROUND_KEYS("sphere"), {NULL}};

static void check_round(const void *data, NsArena *arena, NsDiag *diag)
{
  const Settings *settings = data;
  const NsNode   *where    = settings->surface.where;
  const double   *a        = settings->axis;

  (void)arena;
  if (NsTreeChild(where, "offset") && !settings->surface.on)
    NsDiagError(diag, NsKeysPlace(where, "offset"), "offset requires `on`; a surface without body is positioned by `center`");
  if (settings->surface.motion.count && settings->surface.on)
    NsDiagError(diag, NsKeysPlace(where, "motion"), "this surface moves with the body that it is `on`; a `motion` of its own requires `center`");
  if (NsTreeChild(where, "axis") && a[0] == 0 && a[1] == 0 && a[2] == 0)
    NsDiagError(diag, NsKeysPlace(where, "axis"), "the axis of a cylinder must not be zero");
  if (NsSpinIsFree(settings->spin)) {
    NsDiagError(diag, NsKeysPlace(where, "spin"), "the spin of a surface must be prescribed; only bodies have a free spin");
    NsDiagNote(diag, "give an angular velocity, such as 3000 rpm, or a table");
  }
}
const NsTable NsSurfaceTable_Cylinder = {
  "cylinder", "circular cylinder without ends", cylinder_keys, sizeof(Settings), .one_of = "center, on", .check = check_round};
const NsTable NsSurfaceTable_Sphere = {"sphere", "sphere", sphere_keys, sizeof(Settings), .one_of = "center, on", .check = check_round};

typedef struct {
  PetscBool inside;
  PetscReal axis[3]; /* of a cylinder, unit vector; of a sphere 0 */
} Round;

/* Balls have no data: each is outside of the other. */
static const Round *round_of(const NsPair *pair)
{
  static const Round outside = {PETSC_FALSE, {0, 0, 0}};

  return pair->data ? pair->data : &outside;
}

static PetscBool create(NsPair *pair, const NsPairSetup *setup, NsPoint *carrier)
{
  const Settings *settings = (const Settings *)setup->surface;
  const NsPlace   place    = NsKeysPlace(setup->surface->where, "spin");
  Round          *self     = pair->data;

  self->inside    = settings->side == NS_INSIDE;
  pair->radius[1] = settings->radius;
  for (int k = 0; k < 3; k++) {
    self->axis[k] = settings->axis[k];
    if (!setup->surface->on) carrier->x[k] = settings->center[k];
  }
  (void)NsUnit3(self->axis);
  if (!settings->spin) return PETSC_TRUE;
  if (carrier->spin) {
    NsDiagError(setup->diag, place, "'%s' is on a spinning rotor: this surface rotates with it and has no spin of its own", setup->surface->on);
    return PETSC_FALSE;
  }
  if (setup->friction == 0) NsDiagWarning(setup->diag, place, "without friction the spin of the surface has no effect");
  carrier->spin = settings->spin;
  for (int k = 0; k < 3; k++) carrier->axis[k] = self->axis[k];
  return PETSC_TRUE;
}

static PetscReal side(const NsPair *pair)
{
  return round_of(pair)->inside ? -1 : 1;
}

/* Without the part along the axis. */
static void across(const NsPair *pair, PetscReal d[3])
{
  const PetscReal *axis  = round_of(pair)->axis;
  const PetscReal  along = NsDot3(d, axis);

  for (int k = 0; k < 3; k++) d[k] -= along * axis[k];
}

/* |d|, and the normal. */
static PetscReal distance(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  PetscReal u1[3], u2[3], d[3], length;

  NsPointDisplacement(pair->point[0], touch_q, u1);
  NsPointDisplacement(pair->point[1], touch_q, u2);
  /* x1 - x2 first: displacements keep all their digits next to large coordinates */
  for (int k = 0; k < 3; k++) d[k] = (pair->point[0]->x[k] - pair->point[1]->x[k]) + (u1[k] - u2[k]);
  across(pair, d);
  length = PetscSqrtReal(NsDot3(d, d));
  if (length < 1e-140) length = hypot(hypot(d[0], d[1]), d[2]); /* squares would underflow; else too slow for each step */
  for (int k = 0; n && k < 3; k++) n[k] = length > 1e-300 ? side(pair) * (d[k] / length) : pair->frame->normal[k];
  return length;
}

static PetscReal gap(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  return side(pair) * (distance(pair, touch_q, n) - pair->radius[1]) - pair->radius[0] + pair->offset;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  const PetscReal arm[2] = {-pair->radius[0], side(pair) * pair->radius[1]};
  PetscReal       n[3];

  PetscFunctionBegin;
  distance(pair, touch_q, n);
  PetscCall(NsRowsAddCurved(out, pair, t, n, arm));
  PetscFunctionReturn(0);
}

/* With e' = (d' - e (e . d'))/|d|, n' = s e' the normal has  n' . (v1 - v2) = s (|d'|^2 - (e . d')^2)/|d|. */
static void rate(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *out)
{
  const PetscReal s = side(pair), arm[2] = {-pair->radius[0], s * pair->radius[1]};
  PetscReal       n[3], dn[3], d[3];
  const PetscReal length = distance(pair, touch_q, n), curvature = length > NS_CENTRED * pair->radius[1] ? 1 / length : 0;

  NsPairRelativeVelocity(pair, t, touch_v, d);
  across(pair, d);
  const PetscReal outwards = NsDot3(n, d);
  for (int k = 0; k < 3; k++) dn[k] = s * curvature * (d[k] - n[k] * outwards);
  out[0] = NsDot3(dn, d) - NsPairAcceleration(pair, n);
  NsPairTangentRates(pair, t, touch_v, n, dn, arm, out);
}

static void prepare(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  const PetscReal *axis = round_of(pair)->axis;
  PetscReal        n[3], around[3];

  if (distance(pair, touch_q, n) < NS_CENTRED * pair->radius[1]) NsPairAnyNormal(pair, axis, n);
  NsPairPrepareCurved(pair, n, axis, friction);
  /* friction F t acts at -r n from the journal's centre: its moment about the axis is -r (n x t) . axis F = -r t . (axis x n) F */
  NsCross3(axis, n, around);
  pair->frame->torque_arm = pair->frame->tangents > 0 ? -pair->radius[0] * NsDot3(pair->frame->tangent[0], around) : 0;
}

/* Directions that do not depend on where the balls meet: any ball may meet any other, and part from it. */
static void prepare_balls(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  static const PetscReal none[3] = {0, 0, 0};
  PetscReal              n[3];

  (void)touch_q;
  NsPairAnyNormal(pair, none, n);
  NsPairPrepareCurved(pair, n, none, friction);
}

/* The distance changes by no more than the point moves across the axis. */
static PetscReal bound(const NsPair *pair, const PetscReal move[3])
{
  const PetscReal *axis = round_of(pair)->axis;

  return PetscSqrtReal(PetscMax(0, NsDot3(move, move) - PetscSqr(NsDot3(move, axis))));
}

static PetscReal clearance(const NsPair *pair)
{
  return round_of(pair)->inside ? pair->radius[1] - pair->radius[0] : PETSC_MAX_REAL;
}

static PetscInt draw(const NsPair *pair, NsRing ring[NS_PAIR_RINGS])
{
  ring[0].centre = *pair->point[1];
  ring[0].radius = pair->radius[1];
  for (int k = 0; k < 3; k++) ring[0].axis[k] = round_of(pair)->axis[k];
  return 1;
}

/* Rotation about each axis. */
static PetscInt draw_sphere(const NsPair *pair, NsRing ring[NS_PAIR_RINGS])
{
  for (int r = 0; r < 3; r++) {
    (void)draw(pair, &ring[r]);
    for (int k = 0; k < 3; k++) ring[r].axis[k] = k == r;
  }
  return 3;
}

#define NS_ROUND \
  .side = "side: inside keeps the body within the surface, outside keeps it out", .size = sizeof(Round), .create = create, .prepare = prepare, \
  .gap = gap, .rows = rows, .rate = rate, .bound = bound, .clearance = clearance

const NsPairType NsPairType_Cylinder = {.name = "cylinder",
  .about                                      = "a point, ball or journal inside or outside a circular cylinder",
  NS_ROUND,
  .draw = draw};
const NsPairType NsPairType_Sphere   = {.name = "sphere", .about = "a point or ball inside or outside a sphere", NS_ROUND, .draw = draw_sphere};
const NsPairType NsPairType_Balls    = {.name = "balls",
     .about                                   = "a ball against a ball",
     .side                                    = "balls may touch, but not overlap: use a smaller radius or a larger distance",
     .prepare                                 = prepare_balls,
     .gap                                     = gap,
     .rows                                    = rows,
     .rate                                    = rate,
     .bound                                   = bound,
     .clearance                               = clearance};
