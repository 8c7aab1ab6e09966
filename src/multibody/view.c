/*
  Picture, probes and names of a multibody system.

  The picture has the named points of each body, and the lines of its shapes; a body without shapes is drawn by lines from its center to its points.
*/
#include <string.h>
#include "core/text.h"
#include "core/tree_copies.h"
#include "beams.h"
#include "joints.h"
#include "reactions.h"
#include "shares.h"
#include "touch.h"

/* A node of an elastic rod is drawn as a point, with a line to the next one. */
static void draw_node(const NsMultibody *self, const NsMbBody *body, NsMbPicture *picture)
{
  const PetscInt first = picture->points - body->points, node = (PetscInt)(body - self->body) - body->beam->first;

  if (node < body->beam->elements) NsMbAddCell(picture, NS_CELL_LINE, (PetscInt[2]){first, picture->points});
}

/* Adds a body's named points, its lines and the surfaces of its shapes. */
static void draw_body(const NsMultibody *self, const NsMbBody *body, NsMbPicture *picture)
{
  const PetscInt first = picture->points;

  for (PetscInt i = 0; i < body->points; i++) {
    for (int k = 0; k < 3 && picture->x; k++) picture->x[3 * picture->points + k] = body->point[i].s[k];
    picture->points++;
  }
  for (PetscInt i = 0; i < body->points && !body->beam; i++) {
    const PetscInt from = body->rod && i == 2 ? 1 : 0; /* a rod's line goes from left to right */
    if (body->rod && i < 2) continue;
    NsMbAddCell(picture, i == from ? NS_CELL_VERTEX : NS_CELL_LINE, (PetscInt[2]){first + from, first + i});
  }
  for (PetscInt i = 0; i < body->shapes; i++) NsShapeDraw(&body->shape[i], picture);
  if (body->beam) draw_node(self, body, picture);
}

/* x[points, 3] in space, and their velocities (or NULL), by the frames. */
static void scene_points(const NsMultibody *self, PetscReal *x, PetscReal *v)
{
  for (PetscInt b = 0; b < self->bodies; b++) {
    for (PetscInt i = self->first_point[b]; i < self->first_point[b + 1]; i++) {
      const NsSide side = {b, {self->picture[3 * i], self->picture[3 * i + 1], self->picture[3 * i + 2]}};
      NsMbPoint(self, &side, x + 3 * i);
      if (v) NsMbPointVelocity(&self->frame[b], x + 3 * i, v + 3 * i);
    }
  }
}

/* Bodies may move far: each plane is drawn as large as the whole picture. */
static void list_planes(NsMultibody *self, NsModel *model)
{
  const NsScene *scene = &model->scene;

  self->planes = NsPlanesCreate(self->config->contacts.count, self->arena);
  for (PetscInt i = 0; i < self->touches; i++) {
    const NsMbTouch *touch = &self->touch[i];
    NsPlane          plane = {.motion = touch->motion.parts ? &touch->motion : NULL};
    if (touch->kind != NS_TOUCH_PLANE && touch->kind != NS_TOUCH_RIM) continue;
    for (int k = 0; k < 3; k++) {
      plane.point[k]    = touch->x[k] - touch->offset * touch->n[k];
      plane.normal[k]   = touch->n[k];
      plane.velocity[k] = touch->velocity[k];
    }
    if (!NsPlanesAdd(self->planes, &plane, self->frame[touch->side[0].body].x, touch->radius[0])) continue;
    for (PetscInt j = 0; j < scene->points; j++) (void)NsPlanesAdd(self->planes, &plane, scene->x + 3 * j, 0);
  }
  NsPlanesScene(self->planes, scene, self->arena, &model->planes);
}

static PetscErrorCode NsModelPlanes_Multibody(NsModel *model, PetscReal t, NsPlaneFields *fields)
{
  PetscFunctionBegin;
  NsPlanesAt(((const NsMultibody *)model->data)->planes, t, fields);
  PetscFunctionReturn(0);
}

PetscErrorCode NsMbScene(NsMultibody *self, NsModel *model)
{
  NsScene     *scene   = &model->scene;
  NsMbPicture  picture = {0};
  const char **names;
  int          count = 0;

  PetscFunctionBegin;
  self->first_point = NsArenaAlloc(self->arena, sizeof(*self->first_point) * (size_t)(self->bodies + 1));
  for (PetscInt b = 0; b < self->bodies; b++) {
    draw_body(self, &self->body[b], &picture);
    self->first_point[b + 1] = picture.points;
    count += (int)self->body[b].points;
  }
  scene->bodies      = self->config->bodies.count;
  scene->body_name   = self->config->bodies.names;
  scene->points      = picture.points;
  scene->cells       = picture.cells;
  self->picture      = NsArenaAlloc(self->arena, sizeof(PetscReal) * 3 * (size_t)scene->points);
  self->drawn        = NsArenaAlloc(self->arena, sizeof(PetscReal) * 3 * (size_t)scene->points);
  scene->x           = NsArenaAlloc(self->arena, sizeof(PetscReal) * 3 * (size_t)scene->points);
  scene->radius      = NsArenaAlloc(self->arena, sizeof(PetscReal) * (size_t)scene->points);
  scene->kind        = NsArenaAlloc(self->arena, sizeof(*scene->kind) * (size_t)(scene->cells + 1));
  scene->cell        = NsArenaAlloc(self->arena, sizeof(*scene->cell) * (size_t)(picture.ends + 1));
  scene->body        = NsArenaAlloc(self->arena, sizeof(*scene->body) * (size_t)(scene->cells + 1));
  scene->element     = NsArenaAlloc(self->arena, sizeof(*scene->element) * (size_t)(scene->cells + 1));
  names              = NsArenaAlloc(self->arena, sizeof(*names) * (size_t)(count + 1));
  model->probe_names = names;
  picture            = (NsMbPicture){.x = self->picture, .kind = scene->kind, .end = scene->cell};
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    PetscInt        cell = picture.cells, point = picture.points;
    draw_body(self, body, &picture);
    for (; point < picture.points; point++)
      scene->radius[point] = point - self->first_point[b] >= body->points    ? 0
                             : (body->rod || body->beam) && body->radius > 0 ? body->radius
                                                                             : self->length / 200;
    for (; cell < picture.cells; cell++) {
      scene->body[cell]    = body->owner;
      scene->element[cell] = body->beam ? b - body->beam->first : -1;
    }
    if (!body->beam || b == body->beam->first) *names++ = body->name;
  }
  for (PetscInt b = 0; b < self->bodies; b++) {
    for (PetscInt i = 1; i < self->body[b].points; i++)
      *names++ = NsArenaPrint(self->arena, "%s.%s", self->body[b].name, self->body[b].point[i].name);
  }
  NsMbFrames(self, self->start_q, NULL);
  scene_points(self, scene->x, NULL);
  list_planes(self, model);
  model->probe_help =
    "probes of bodies: the name of a body, for its position, orientation and velocities; one of these quantities, such as ball.x; a point, such as rod.left; a hinge, for its angle; springs.NAME, joints.NAME (bushings, joints with springs): forces";
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelFields_Multibody(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *fields)
{
  NsMultibody *self = model->data;

  PetscFunctionBegin;
  (void)t;
  (void)a;
  NsMbFrames(self, NsVecRead(q), NsVecRead(v));
  scene_points(self, self->drawn, fields->velocity);
  for (PetscInt i = 0; i < 3 * model->scene.points; i++) fields->displacement[i] = self->drawn[i] - model->scene.x[i];
  for (PetscInt i = 0; i < model->scene.cells; i++) fields->stress[i] = fields->normal_force[i] = fields->energy[i] = 0;
  for (PetscInt i = 0, beam = -1; i < model->scene.cells; i++) {
    if (model->scene.element[i] < 0) continue;
    if (model->scene.element[i] == 0) beam++;
    const NsMbBody *node = &self->body[self->beam[beam].first];
    NsMbBeamElement(self, &self->beam[beam], model->scene.element[i], &fields->normal_force[i], &fields->energy[i]);
    fields->stress[i] = fields->normal_force[i] / (PETSC_PI * node->radius * node->radius);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelPoints_Multibody(NsModel *model, PetscReal t, Vec q, PetscReal *x)
{
  NsMultibody *self = model->data;

  PetscFunctionBegin;
  (void)t;
  NsMbFrames(self, NsVecRead(q), NULL);
  scene_points(self, x, NULL);
  PetscFunctionReturn(0);
}

static const char *const plane_names[2][3] = {{"x", "y", "angle"}, {"vx", "vy", "omega"}};
static const char *const space_names[2][7] = {{"x", "y", "z", "p0", "p1", "p2", "p3"}, {"vx", "vy", "vz", "", "wx", "wy", "wz"}};

static PetscErrorCode NsModelNameUnknown_Multibody(NsModel *model, PetscInt i, char *text, size_t size)
{
  const NsMultibody *self = model->data;
  const NsMbBody    *body = self->body;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < self->joints && i >= self->body_unknowns; j++) {
    if (self->joint[j].turn != i) continue;
    PetscCall(PetscSNPrintf(text, size, "joint %s angle", self->joint[j].name));
    PetscFunctionReturn(0);
  }
  while (i >= body->first + body->unknowns) body++;
  PetscCall(PetscSNPrintf(text, size, "%s%s%s %s", body->name, body->beam ? "." : "", body->beam ? body->point->name : "",
    body->planar ? plane_names[0][i - body->first] : space_names[0][i - body->first]));
  PetscFunctionReturn(0);
}

/* The column of a quantity: those of rotation are about the axes of the config's frame, which is the body's own, turned back by the principal axes. */
static NsProbeColumn column_of(const NsMultibody *self, const NsMbBody *body, PetscBool rate, PetscInt i)
{
  NsProbeColumn column = {.of_velocity = rate};

  if (body->planar || i < 3) {
    NsProbeAdd(&column, self->arena, body->first + i, 1);
    return column;
  }
  if (rate) { /* w = P w_own */
    for (PetscInt k = 0; k < 3; k++) NsProbeAdd(&column, self->arena, body->first + 4 + k, body->principal[3 * (i - 4) + k]);
    return column;
  }
  PetscReal P[4]; /* p = p_own P^-1 */
  NsMatrixQuaternion(body->principal, P);
  for (PetscInt k = 0; k < 4; k++) {
    PetscReal unit[4] = {0}, product[4];
    unit[k]           = 1;
    NsQuaternionProduct(unit, (PetscReal[4]){P[0], -P[1], -P[2], -P[3]}, product);
    NsProbeAdd(&column, self->arena, body->first + 3 + k, product[i - 3]);
  }
  return column;
}

/* The angle of a hinge, with all turns; in the plane with its rate. */
static void joint_angle(const NsMultibody *self, const NsMbJoint *joint, NsProbe *probe)
{
  static const char *const suffix[] = {"angle", "omega"};

  if (joint->turn >= 0) {
    probe->column[probe->columns] = (NsProbeColumn){.suffix = "angle"};
    NsProbeAdd(&probe->column[probe->columns++], self->arena, joint->turn, 1);
    return;
  }
  for (int rate = 0; rate < 2; rate++) {
    NsProbeColumn *column = &probe->column[probe->columns++];
    *column               = (NsProbeColumn){.suffix = suffix[rate], .of_velocity = rate == 1};
    for (int side = 0; side < 2; side++) {
      if (joint->side[side].body == self->bodies) continue;
      NsProbeAdd(column, self->arena, self->body[joint->side[side].body].first + 2, side ? 1 : -1);
    }
  }
}

static PetscErrorCode NsModelProbe_Multibody(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  static const char *const axes[] = {"x", "y", "z"};
  NsMultibody             *self   = model->data;
  const char              *dot    = strchr(name, '.');
  const size_t             length = dot ? (size_t)(dot - name) : strlen(name);
  PetscInt                 b      = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(probe, sizeof(*probe)));
  probe->name = name;
  *found      = PETSC_FALSE;
  if (dot && NsMbReactionProbe(self, name, probe, why, size)) {
    *found = probe->columns > 0;
    PetscFunctionReturn(0);
  }
  while (b < self->bodies && (strlen(self->body[b].name) != length || strncmp(self->body[b].name, name, length) != 0)) b++;
  for (PetscInt j = 0; j < self->joints && b == self->bodies && !dot; j++) {
    if (strcmp(self->joint[j].name, name) || !self->joint[j].turns) continue;
    joint_angle(self, &self->joint[j], probe);
    *found = PETSC_TRUE;
    PetscFunctionReturn(0);
  }
  if (b == self->bodies) {
    (void)snprintf(why, size, "there is no body '%.*s'%s", (int)length, name,
      NsDidYouMeanBody(NsArenaCopy(self->arena, name, length), self->config->bodies.names));
    PetscFunctionReturn(0);
  }
  /* quantities of an elastic rod are those of its middle */
  const NsMbBeam *beam  = self->body[b].beam;
  const NsMbBody *body  = &self->body[b + (beam ? beam->elements / 2 : 0)];
  const PetscInt  last  = b + (beam ? beam->elements : 0);
  const char     *word  = dot ? dot + 1 : "";
  PetscInt        count = 16;
  for (PetscInt n = b; n <= last; n++) count += self->body[n].points;
  const char **words = NsArenaAlloc(self->arena, sizeof(*words) * (size_t)count);
  count              = 0;
  for (int rate = 0; rate < 2; rate++) {
    for (PetscInt i = 0; i < body->unknowns; i++) {
      const char *suffix = body->planar ? plane_names[rate][i] : space_names[rate][i];
      if (!*suffix) continue;
      words[count++] = suffix;
      if (dot && strcmp(word, suffix)) continue;
      probe->column[probe->columns]          = column_of(self, body, rate == 1, i);
      probe->column[probe->columns++].suffix = dot ? "" : suffix;
    }
  }
  for (PetscInt n = b; n <= last; n++) {
    const NsBodyPoint *point = self->body[n].point;
    for (PetscInt i = 0; i < self->body[n].points; i++) {
      words[count++] = point[i].name;
      for (PetscInt k = 0; k < (body->planar ? 2 : 3) && dot && !strcmp(word, point[i].name); k++)
        probe->column[probe->columns++] = (NsProbeColumn){.suffix = axes[k], .coordinate = 1 + 3 * (self->first_point[n] + i) + k};
    }
  }
  *found = probe->columns > 0;
  if (!*found) (void)snprintf(why, size, "body '%s' has no point or quantity '%s'%s", body->name, word, NsDidYouMean(NsNearestWord(word, words)));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelJoints_Multibody(NsModel *model, char *text, size_t size)
{
  const NsMultibody *self = model->data;

  PetscFunctionBegin;
  PetscCall(
    PetscSNPrintf(text, size, "%" PetscInt_FMT " %s, %" PetscInt_FMT " %s of rank %" PetscInt_FMT ", %" PetscInt_FMT " degree%s of freedom%s%s",
      (PetscInt)self->config->bodies.count, NsPlural(self->config->bodies.count, "body", "bodies"), self->joints,
      NsPlural(self->joints, "joint", "joints"), self->rank, self->degrees, self->degrees == 1 ? "" : "s",
      *self->redundant ? "; implied by others: " : "", self->redundant));
  PetscFunctionReturn(0);
}

const NsModelView NsMbView = {
  .joints       = NsModelJoints_Multibody,
  .fields       = NsModelFields_Multibody,
  .planes       = NsModelPlanes_Multibody,
  .points       = NsModelPoints_Multibody,
  .name_unknown = NsModelNameUnknown_Multibody,
  .probe        = NsModelProbe_Multibody,
  .owners       = NsMbOwners,
  .shares       = NsMbShareEnergies,
};
