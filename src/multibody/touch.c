/*
  Contacts: points, balls and rims of bodies against planes that are fixed in space or move by s(t), balls against balls.

      plane   g = n . (x_A - p - s) - r        rim   g = n . (x_A - p - s) - r |n - (n . a) a|,  a its axis
      ellipsoid   g = n . (x_A - p - s) - |A n|,  A its half axes        balls   g = |x_A - x_B| - r_A - r_B,  n = (x_A - x_B)/|x_A - x_B|

  Corners of boxes and ends of capsules are points and balls; a cylinder has of each rim the lowest point, which wanders, and three points that are fixed to it, on which it stands; an
  ellipsoid has its lowest point. n pushes the first body. Rows are those of the material points at the place c of contact: n . (v_A(c) - v_B(c)), and tangents
  likewise. With a plane (dW'/dt) v = e . (O x (O x s)) for each direction e, as the place on the ball does not turn with it; of two balls the normal row is that of a distance, and tangents
  turn with the normal: their rates are differences along the motion.
*/
#include <string.h>
#include "contact/settings.h"
#include "piles.h"
#include "touch.h"

/* ---- settings ------------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  NsSide         side;
  PetscReal      radius, axis[3];
  PetscBool      rim;       /* the lowest point of a circle about the axis, */
  const NsShape *ellipsoid; /* or of this */
  const char    *name;      /* within its contact */
} Ball;

/* What the balls touch: a plane, a cavity, or (NULL) other balls. */
typedef struct {
  PetscBool      plane;
  const NsShape *cavity;
} Target;

#define RIM_POINTS 4

/* Of both rims of a cylinder the lowest point and three that are fixed to it, on which it stands. */
static PetscInt points_of_rims(NsMultibody *self, const NsShape *shape, Ball *ball)
{
  PetscInt count = 0;

  for (int end = 0; end < 2; end++) {
    for (int i = 0; i < RIM_POINTS; i++, count++) {
      const PetscReal angle = 2 * PETSC_PI / 3 * i, along = (end ? 1 : -1) * shape->half_length;
      const PetscReal local[3] = {i ? shape->radius * cos(angle) : 0, i ? shape->radius * sin(angle) : 0, along};
      NsTurn(shape->R, local, ball[count].side.s);
      for (int k = 0; k < 3; k++) {
        ball[count].side.s[k] += shape->x[k];
        ball[count].axis[k] = shape->R[3 * k + 2];
      }
      ball[count].rim    = i == 0;
      ball[count].radius = i == 0 ? shape->radius : 0;
      ball[count].name   = NsArenaPrint(self->arena, i ? "%s.rim%d.point%d" : "%s.rim%d", shape->name, end + 1, i);
    }
  }
  return count;
}

/* The balls that a shape touches with; 0 after an error. */
static PetscInt balls_of_shape(NsMultibody *self, const NsMbBody *body, const NsShape *shape, const Target *target, NsPlace place, Ball *ball)
{
  const PetscBool circle = body->planar && shape->kind == NS_SHAPE_CYLINDER, ellipsoid = shape->kind == NS_SHAPE_ELLIPSOID;
  PetscInt        count = 0;

  if ((circle || (body->planar && ellipsoid)) && PetscAbsReal(shape->R[8]) < 1 - 1e-12) {
    NsDiagError(
      self->diag, place, "the %s '%s' must have its z axis perpendicular to the plane in which it moves", NsShapeWords[shape->kind], shape->name);
    return 0;
  }
  if (ellipsoid && !target->plane) {
    NsDiagError(self->diag, place, "the ellipsoid '%s' can touch planes only: for contacts with other bodies use spheres or capsules", shape->name);
    return 0;
  }
  if (ellipsoid) {
    memcpy(ball[0].side.s, shape->x, sizeof(shape->x));
    if (body->planar) ball[0].side.s[2] = 0;
    ball[0].radius    = PetscMax(PetscMax(shape->half[0], shape->half[1]), body->planar ? 0 : shape->half[2]);
    ball[0].rim       = PETSC_TRUE;
    ball[0].ellipsoid = shape;
    ball[0].name      = shape->name;
    return 1;
  }
  if (shape->kind == NS_SHAPE_SPHERE || circle) {
    memcpy(ball[0].side.s, shape->x, sizeof(shape->x));
    if (body->planar) ball[0].side.s[2] = 0;
    ball[0].radius = shape->radius;
    ball[0].name   = shape->name;
    return 1;
  }
  if (!target->plane && !target->cavity) {
    NsDiagError(self->diag, place, "points of '%s' cannot touch other bodies: use a sphere, box, capsule or cylinder", shape->name);
    return 0;
  }
  if (shape->kind == NS_SHAPE_CYLINDER && target->cavity) {
    NsDiagError(self->diag, place, "a cylinder cannot touch a cavity from inside: use spheres, or points on its rims");
    return 0;
  }
  if (shape->kind == NS_SHAPE_CYLINDER) return points_of_rims(self, shape, ball);
  if (shape->kind == NS_SHAPE_CAPSULE) {
    for (int end = 0; end < 2; end++) {
      for (int k = 0; k < 3; k++) ball[count].side.s[k] = shape->x[k] + (end ? 1 : -1) * shape->half_length * shape->R[3 * k + 2];
      ball[count].radius = shape->radius;
      ball[count++].name = NsArenaPrint(self->arena, "%s.end%d", shape->name, end + 1);
    }
    return count;
  }
  for (PetscInt i = 0; i < shape->points; i++) {
    if (body->planar && shape->kind == NS_SHAPE_BOX && i >= 4) break; /* the same corners again, behind each other */
    for (int k = 0; k < 3; k++) ball[count].side.s[k] = shape->point[3 * i + k];
    if (body->planar) ball[count].side.s[2] = 0;
    ball[count++].name = NsArenaPrint(self->arena, "%s.%s%d", shape->name, shape->kind == NS_SHAPE_BOX ? "corner" : "point", (int)i + 1);
  }
  return count;
}

/* The balls of a partner: its points and shapes; 0 after an error. */
static PetscInt balls_of(NsMultibody *self, const NsPartnerSettings *partner, const Target *target, Ball *ball)
{
  PetscInt count = 0;

  for (int i = 0; i < partner->nodes.count; i++) {
    const char    *text = partner->nodes.items[i], *dot = strchr(text, '.');
    const NsPlace  place = partner->nodes.where[i] ? partner->nodes.where[i]->place : partner->where->place;
    const NsShape *shape = NULL;
    const PetscInt b     = NsMbFindBody(self, text, dot ? (size_t)(dot - text) : strlen(text), place);
    if (b < 0) return 0;
    const NsMbBody *body = &self->body[b];
    for (PetscInt s = 0; s < body->shapes; s++) {
      if ((dot && !strcmp(body->shape[s].name, dot + 1)) || (!dot && body->shapes == 1)) shape = &body->shape[s];
    }
    const PetscInt first = count;
    if (shape) {
      Ball          *to = ball ? ball + count : NsArenaAlloc(self->arena, sizeof(*to) * (size_t)(shape->points + 2 * RIM_POINTS)); /* counted only */
      const PetscInt more = balls_of_shape(self, body, shape, target, place, to);
      if (!more) return 0;
      for (PetscInt k = first; k < first + more; k++) to[k - first].side.body = b;
      count += more;
    } else {
      Ball one = {.radius = partner->radius, .name = dot ? dot + 1 : text};
      if (!NsMbFindPoint(self, text, PETSC_FALSE, place, &one.side)) return 0;
      if (!target->plane && !target->cavity && partner->radius == 0) {
        NsDiagError(self->diag, place, "a point cannot touch other bodies: give it a radius, {node: %s, radius: 1 mm}, or use a sphere", text);
        return 0;
      }
      if (ball) ball[count] = one;
      count++;
    }
    for (PetscInt k = first; k < count && ball; k++) {
      if (partner->nodes.count > 1 && shape) ball[k].name = NsArenaPrint(self->arena, "%s.%s", body->name, ball[k].name);
    }
  }
  return count;
}

static PetscBool set_plane(NsMultibody *self, const NsContactSettings *settings, const NsPartnerSettings *partner, NsMbTouch *touch)
{
  const NsPlaneSettings *plane  = (const NsPlaneSettings *)partner->surface[NS_SURFACE_NodePlane];
  const PetscBool        planar = self->body[0].planar;

  if (!plane || plane->surface.on) {
    NsDiagError(
      self->diag, partner->where->place, "bodies of `type: body` can touch planes that are fixed or moved in space, and the shapes of other bodies");
    return PETSC_FALSE;
  }
  touch->motion = NsMotionPrepare(&plane->surface.motion, self->config->time->end, self->arena, self->diag);
  NsSwitchesNoteMotion(self->switches, &touch->motion, "plane", self->arena);
  const PetscReal length = NsLength(plane->normal);
  if (!(length > 0) || (planar && plane->normal[2] != 0)) {
    NsDiagError(self->diag, NsKeysPlace(plane->surface.where, "normal"),
      length > 0 ? "the normal of this plane is not in the x-y plane, in which the bodies move" : "the normal of a plane must not be zero");
    return PETSC_FALSE;
  }
  touch->kind = NS_TOUCH_PLANE;
  for (int k = 0; k < 3; k++) {
    touch->n[k]        = plane->normal[k] / length;
    touch->x[k]        = plane->point[k];
    touch->velocity[k] = plane->velocity[k];
  }
  if (PetscAbsReal(NsDot(touch->velocity, touch->n)) > 1e-9 * NsLength(touch->velocity)) {
    NsDiagError(self->diag, NsKeysPlace(plane->surface.where, "velocity"), "the velocity of a plane must be tangential");
    return PETSC_FALSE;
  }
  if (planar)
    NsCross((PetscReal[3]){0, 0, 1}, touch->n, touch->t[0]);
  else
    NsAcross(touch->n, touch->t[0], touch->t[1]);
  if (!NsContactLawTurn(&touch->law, touch->n, planar ? 1 : 2, touch->t)) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "friction"), "`along` of the anisotropy is normal to the surface");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void check_start(NsMultibody *self, const NsContactSettings *settings, const NsMbTouch *touch)
{
  const PetscReal gap = NsMbTouchAt(self, touch, 0, NULL);

  if (gap >= -self->config->assembly->tolerance || NsIsOff(touch->off)) return;
  NsDiagError(self->diag, settings->where->key_place, "contact '%s' starts with a penetration of %.4g m", touch->name, -gap);
  NsDiagNote(self->diag, "move the bodies apart; up to %g m is allowed (assembly.tolerance)", self->config->assembly->tolerance);
}

static PetscInt count_resistances(const NsLaw *law)
{
  PetscInt count = 0;

  for (int kind = 0; kind < NS_RESISTANCES; kind++) count += NsLawResistance(law, kind) > 0;
  return count;
}

/* Rolling and drilling resistance of a contact, behind it; how many. In the plane nothing drills. */
static PetscInt add_resistances(NsMbTouch *touch)
{
  PetscInt count = 0;

  for (int kind = 0; kind < NS_RESISTANCES; kind++) {
    if (!(NsLawResistance(&touch->law, kind) > 0)) continue;
    count++;
    touch[count]         = touch[0];
    touch[count].resists = 1 + kind;
    touch[count].before  = count;
  }
  return count;
}

PetscInt NsMbTouchTangents(const NsMultibody *self, const NsMbTouch *touch)
{
  if (touch->resists) return touch->resists == 1 + NS_ROLLING && !self->body[0].planar ? 2 : 1;
  return touch->law.friction > 0 ? self->body[0].planar ? 1 : 2 : 0;
}

/* A cavity stands alone, and what is in it is no cavity. */
static PetscBool check_cavity(NsMultibody *self, const NsPartnerSettings *first, const NsPartnerSettings *second, const char *name)
{
  PetscInt body;

  if (second->nodes.count == 1 && !NsMbCavity(self, first, &body)) return PETSC_TRUE;
  NsDiagError(self->diag, second->where->place,
    "a cavity (`inside: true`) must be the only shape of one partner of contact '%s'; the other partner is what is inside it", name);
  return PETSC_FALSE;
}

/* A contact of the config as candidates; list NULL: only how many. */
static PetscInt expand(NsMultibody *self, const NsContactSettings *settings, const char *name, NsMbTouch *list)
{
  const NsPartnerSettings *side  = settings->between.items;
  const PetscBool          plane = !NsPartnerNode(&side[0]) || !NsPartnerNode(&side[1]);
  const NsPartnerSettings *first = NsPartnerNode(&side[0]) ? &side[0] : &side[1], *second = first == &side[0] ? &side[1] : &side[0];
  NsMbTouch                common = {.offset = settings->gap_offset,
                   .tolerance                = settings->gap_tolerance,
                   .clearance                = PETSC_MAX_REAL,
                   .law                      = NsContactLawOf(self->config, settings, self->arena),
                   .side                     = {{.body = self->bodies}, {.body = self->bodies}}};
  PetscInt                 count[2], made = 0;

  for (int p = 0; p < 2; p++) {
    if (!side[p].sides && !side[p].line) continue;
    NsDiagError(self->diag, NsKeysPlace(side[p].where, side[p].line ? "line" : "surface"),
      "%s; of bodies of `type: body` name points or shapes: {node: ...}",
      side[p].line ? "`line` is for beams, bars and rotors" : "`surface` is for solids (`type: solid`)");
    return 0;
  }
  if (!NsPartnerNode(first)) {
    NsDiagError(
      self->diag, NsKeysPlace(settings->where, "between"), "one partner of a contact must be a point or a shape of a body, such as box.hull");
    return 0;
  }
  if (settings->near_pairs && !list)
    NsDiagError(self->diag, NsKeysPlace(settings->where, "near_pairs"), "near_pairs has no effect: all pairs of this contact are candidates");
  if (plane && !set_plane(self, settings, second, &common)) return 0;
  if (!plane && common.law.across != 0) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "friction"), "friction that depends on the direction is for contacts with planes");
    return 0;
  }
  if (self->body[0].planar && NsLawResistance(&common.law, NS_DRILLING) > 0) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "friction"), "there is no drilling in the plane: `drilling` is for bodies in space");
    return 0;
  }
  PetscInt other  = -1;
  Target   target = {.plane = plane, .cavity = plane ? NULL : NsMbCavity(self, second, &other)};
  if (!plane && !target.cavity && (target.cavity = NsMbCavity(self, first, &other))) {
    const NsPartnerSettings *swap = first;
    first                         = second;
    second                        = swap;
  }
  if (target.cavity && !check_cavity(self, first, second, name)) return 0;
  count[0] = balls_of(self, first, &target, NULL);
  count[1] = plane ? 1 : target.cavity ? NsMbWalls(self, target.cavity) : balls_of(self, second, &target, NULL);
  if (!list || !count[0] || !count[1]) return (1 + count_resistances(&common.law)) * count[0] * count[1];
  common.off = NsSwitchesAdd(self->switches, settings->window.from, settings->window.until, "contact", name, settings->where, self->arena);
  Ball *ball[2];
  for (int i = 0; i < 2; i++) ball[i] = NsArenaAlloc(self->arena, sizeof(Ball) * (size_t)count[i]);
  (void)balls_of(self, first, &target, ball[0]);
  if (!plane && !target.cavity) (void)balls_of(self, second, &target, ball[1]);
  for (PetscInt i = 0; i < count[0]; i++) {
    for (PetscInt j = 0; j < count[1]; j++) {
      const Ball *a = &ball[0][i], *b = &ball[1][j];
      if (!plane && a->side.body == (target.cavity ? other : b->side.body)) continue;
      NsMbTouch  *touch = &list[made++];
      const char *part  = plane ? NULL : b->name;
      *touch            = common;
      touch->side[0]    = a->side;
      touch->radius[0]  = a->radius;
      memcpy(touch->axis, a->axis, sizeof(a->axis));
      if (a->rim) touch->kind = NS_TOUCH_RIM;
      touch->ellipsoid = a->ellipsoid;
      if (target.cavity) {
        touch->side[1].body = other;
        part                = NsMbSetWall(self, target.cavity, j, a->radius, touch);
      } else if (!plane) {
        touch->side[1]   = b->side;
        touch->radius[1] = b->radius;
      }
      touch->name = count[0] * count[1] == 1 ? name : NsArenaPrint(self->arena, part ? "%s.%s.%s" : "%s.%s", name, a->name, part);
      check_start(self, settings, touch);
      made += add_resistances(touch);
    }
  }
  if (!made) NsDiagError(self->diag, settings->where->key_place, "both partners of contact '%s' are on the same body", name);
  return made;
}

void NsMbTouches(NsMultibody *self)
{
  const NsList            *list     = &self->config->contacts;
  const NsContactSettings *settings = list->items;
  PetscInt                 most     = 0;

  most = NsMbClearances(self, NULL);
  for (int i = 0; i < list->count; i++) most += NsMbIsPile(self, &settings[i]) ? 0 : expand(self, &settings[i], list->names[i], NULL);
  self->touch = NsArenaAlloc(self->arena, sizeof(*self->touch) * (size_t)(most + 1));
  if (NsDiagErrors(self->diag)) return;
  self->touches = NsMbClearances(self, self->touch);
  for (int i = 0; i < list->count; i++)
    self->touches += NsMbIsPile(self, &settings[i]) ? 0 : expand(self, &settings[i], list->names[i], self->touch + self->touches);
}

/* ---- geometry ------------------------------------------------------------------------------------------------------------------------------------------- */

/* The same of an ellipsoid with half axes a_i: -A^2 n/|A n| in its axes, in units of the largest. */
static void lowest_of_ellipsoid(const NsMultibody *self, const NsMbTouch *touch, PetscReal down[3])
{
  const PetscReal *half = touch->ellipsoid->half;
  PetscReal        own[3], n[3], square = 0;

  NsTurnBack(self->frame[touch->side[0].body].R, touch->n, own);
  NsTurnBack(touch->ellipsoid->R, own, n);
  for (int k = 0; k < 3; k++) square += PetscSqr(half[k] * n[k]);
  for (int k = 0; k < 3; k++) n[k] *= -half[k] * half[k] / (PetscSqrtReal(square) * touch->radius[0]);
  NsTurn(touch->ellipsoid->R, n, own);
  NsTurn(self->frame[touch->side[0].body].R, own, down);
}

/* The unit vector from the centre of a ball, or of a circle, to its point that is nearest to the plane. A circle that lies flat has none: any. */
static void lowest(const NsMultibody *self, const NsMbTouch *touch, PetscReal down[3])
{
  PetscReal a[3], other[3];

  for (int k = 0; k < 3; k++) down[k] = -touch->n[k];
  if (touch->kind != NS_TOUCH_RIM) return;
  if (touch->ellipsoid) {
    lowest_of_ellipsoid(self, touch, down);
    return;
  }
  NsTurn(self->frame[touch->side[0].body].R, touch->axis, a);
  const PetscReal along = NsDot(down, a);
  for (int k = 0; k < 3; k++) down[k] -= along * a[k];
  const PetscReal length = NsLength(down);
  if (length > 1e-12) {
    for (int k = 0; k < 3; k++) down[k] /= length;
  } else {
    NsAcross(a, down, other);
  }
}

/* Gap, normal and place c of contact at the frames. */
static PetscReal closest(const NsMultibody *self, const NsMbTouch *touch, PetscReal n[3], PetscReal c[3])
{
  PetscReal a[3], b[3], d[3];

  if (touch->kind > NS_TOUCH_PLANE) return NsMbClearanceAt(self, touch, n, c);
  NsMbPoint(self, &touch->side[0], a);
  if (touch->kind != NS_TOUCH_BALLS) {
    PetscReal moved[3] = {0}, down[3];
    if (touch->motion.parts) NsMotionAt(&touch->motion, 0, self->now, moved);
    lowest(self, touch, down);
    for (int k = 0; k < 3; k++) {
      n[k] = touch->n[k];
      c[k] = a[k] + touch->radius[0] * down[k];
      d[k] = a[k] - touch->x[k] - moved[k];
    }
    return NsDot(n, d) + touch->radius[0] * NsDot(n, down) + touch->offset;
  }
  NsMbPoint(self, &touch->side[1], b);
  for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
  const PetscReal distance = NsLength(d);
  for (int k = 0; k < 3; k++) {
    n[k] = distance > 0 ? d[k] / distance : k == 0;
    c[k] = a[k] - touch->radius[0] * n[k];
  }
  return distance - touch->radius[0] - touch->radius[1] + touch->offset;
}

/* Rows of directions e[rows] at the place c of contact; e pushes the first body. */
static void set_wrench(
  const NsMultibody *self, const PetscInt body[2], const PetscReal c[3], PetscReal gap, PetscInt rows, const PetscReal (*e)[3], NsMbWrench *wrench)
{
  for (PetscInt r = 0; r < rows; r++) {
    NsMbWrench *w = &wrench[r];
    w->g          = gap;
    w->parts      = 0;
    w->bodies     = 2;
    w->rate       = 0;
    w->drive      = 0;
    for (int i = 0; i < 2; i++) {
      const NsFrame  *frame  = &self->frame[body[i]];
      const PetscReal arm[3] = {c[0] - frame->x[0], c[1] - frame->x[1], c[2] - frame->x[2]};
      w->body[i]             = body[i];
      for (int k = 0; k < 3; k++) w->f[i][k] = i ? -e[r][k] : e[r][k];
      NsCross(arm, w->f[i], w->m[i]);
    }
  }
}

static void set_tangents(const NsMultibody *self, PetscInt rows, PetscReal e[3][3])
{
  if (self->body[0].planar)
    NsCross((PetscReal[3]){0, 0, 1}, e[0], e[1]);
  else if (rows > 1)
    NsAcross(e[0], e[1], e[2]);
}

void NsMbTouchWrench(
  const NsMultibody *self, const PetscInt body[2], const PetscReal n[3], const PetscReal c[3], PetscReal gap, PetscInt rows, NsMbWrench *wrench)
{
  PetscReal e[3][3] = {{n[0], n[1], n[2]}};

  set_tangents(self, rows, e);
  set_wrench(self, body, c, gap, rows, e, wrench);
}

/* Rows of rotations about a[rows - 1] behind the normal row. */
static void set_turns(PetscInt rows, const PetscReal (*a)[3], NsMbWrench *wrench)
{
  for (PetscInt r = 1; r < rows; r++) {
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3; k++) {
        wrench[r].f[i][k] = 0;
        wrench[r].m[i][k] = i ? -a[r - 1][k] : a[r - 1][k];
      }
    }
    wrench[r].drive = 0;
  }
}

PetscReal NsMbTouchAt(const NsMultibody *self, const NsMbTouch *touch, PetscInt rows, NsMbWrench *wrench)
{
  PetscReal       e[3][3] = {{0}}, c[3];
  const PetscReal gap     = closest(self, touch, e[0], c);

  if (!wrench) return gap;
  PetscReal speed[3];
  memcpy(speed, touch->velocity, sizeof(speed));
  if (touch->motion.parts) {
    PetscReal moving[3];
    NsMotionAt(&touch->motion, 1, self->now, moving);
    for (int k = 0; k < 3; k++) speed[k] += moving[k];
  }
  if (touch->kind == NS_TOUCH_PLANE || touch->kind == NS_TOUCH_RIM)
    memcpy(e[1], touch->t, sizeof(touch->t));
  else
    set_tangents(self, rows, e);
  set_wrench(self, (const PetscInt[2]){touch->side[0].body, touch->side[1].body}, c, gap, rows, e, wrench);
  for (PetscInt r = 0; r < rows; r++) wrench[r].drive = -NsDot(e[r], speed);
  if (touch->resists) {
    static const PetscReal across[1][3] = {{0, 0, 1}};
    set_turns(rows, touch->resists == 1 + NS_DRILLING ? e : self->body[0].planar ? across : e + 1, wrench);
  }
  return gap;
}

#define NS_ALONG 1e-5 /* of the model's length: how far the difference of rows looks along the motion */

/* Less the acceleration of a plane that moves. */
static void add_motion(const NsMultibody *self, const NsMbTouch *touch, PetscInt rows, PetscReal *rate)
{
  PetscReal faster[3];

  if (!touch->motion.parts) return;
  NsMotionAt(&touch->motion, 2, self->now, faster);
  for (PetscInt r = 0; r < rows && !(r > 0 && touch->resists); r++) rate[r] -= NsDot(r == 0 ? touch->n : touch->t[r - 1], faster);
}

void NsMbTouchRate(NsMultibody *self, const NsMbTouch *touch, PetscInt rows, const PetscReal *q, const PetscReal *v, PetscReal *rate)
{
  PetscReal *there = self->work[0], fastest = 0, s[3], u[3], c[3], sum[2][3];

  NsMbFrames(self, q, v);
  if (touch->kind == NS_TOUCH_PLANE) {
    const NsFrame *frame = &self->frame[touch->side[0].body];
    NsTurn(frame->R, touch->side[0].s, s);
    NsCross(frame->O, s, u);
    NsCross(frame->O, u, c);
    for (PetscInt r = 0; r < rows; r++) rate[r] = r == 0 ? NsDot(touch->n, c) : touch->resists ? 0 : NsDot(touch->t[r - 1], c);
    add_motion(self, touch, rows, rate);
    return;
  }
  for (int i = 0; i < 2; i++) {
    const NsFrame *frame = &self->frame[touch->side[i].body];
    fastest              = PetscMax(fastest, NsLength(frame->v) + NsLength(frame->O) * self->length);
  }
  for (PetscInt r = 0; r < rows; r++) rate[r] = 0;
  if (!(fastest > 1e-300)) {
    add_motion(self, touch, rows, rate);
    return;
  }
  const PetscReal e = NS_ALONG * self->length / fastest;
  for (int side = 0; side < 2; side++) {
    NsMbWrench w[3];
    NsMbMove(self, q, side ? e : -e, v, there);
    NsMbFrames(self, there, v);
    (void)NsMbTouchAt(self, touch, rows, w);
    for (PetscInt r = 0; r < rows; r++) sum[side][r] = NsMbWrenchRate(self, &w[r]);
  }
  for (PetscInt r = 0; r < rows; r++) rate[r] = (sum[1][r] - sum[0][r]) / (2 * e);
  NsMbFrames(self, q, v);
  add_motion(self, touch, rows, rate);
}

void NsMbTouchPoint(const NsMultibody *self, const NsMbTouch *touch, PetscReal x[3], PetscReal n[3])
{
  (void)closest(self, touch, n, x);
}
