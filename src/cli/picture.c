/*
  percuss check --picture: the model at its start as an SVG file, drawn without other programs.

  Models in a plane are seen along its normal, others along (-0.33, 0.90, -0.29) with z up, in parallel projection. Faces of solids are those that belong to one cell only, sorted by depth; line bodies have their true
  thickness. On top are the marks of what acts on the bodies (supports, loads, springs and bearings, joints) and the contact points with their normals. Cost: a sort of all faces.
*/
#include "picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/out_of_memory.h"
#include "core/text.h"
#include "fe/fe.h"

enum { WIDTH = 900, HEIGHT = 620, MARGIN = 40, HEAD = 84, FOOT = 80, LEGEND = 190, MOST_FACES = 100000, MOST_MARKS = 120, MOST_NAMES = 18 };

static const char *const colours[] = {"#4878a8", "#c98a3c", "#6a9c6a", "#a8607c", "#7a70b0", "#5aa0a0", "#b0a050", "#8a7060"};
enum { COLOURS = sizeof(colours) / sizeof(*colours) };

/* A drawn part of a cell: a face, a line or a dot. */
typedef struct {
  double depth, p[4][2], width, shade;
  int    corners, body; /* -1: a plane */
} Item;

typedef struct {
  FILE          *file;
  const NsModel *model;
  PetscReal     *x;               /* [points of the scene, 3] at the start */
  PetscReal     *plane;           /* [points of the planes, 3] */
  double         view[3][3];      /* right, up, towards the eye */
  double         low[2], high[2]; /* of what is drawn, m */
  double         scale;           /* of the page, 1/m */
  Item          *item;
  size_t         items, room;
  PetscBool      flat;
} Picture;

static double along(const double a[3], const PetscReal x[3])
{
  return a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
}

static void place(const Picture *self, const PetscReal x[3], double p[2])
{
  p[0] = MARGIN + self->scale * (along(self->view[0], x) - self->low[0]);
  p[1] = HEAD + self->scale * (self->high[1] - along(self->view[1], x));
}

static void include(Picture *self, const PetscReal x[3], double radius)
{
  for (int k = 0; k < 2; k++) {
    self->low[k]  = fmin(self->low[k], along(self->view[k], x) - radius);
    self->high[k] = fmax(self->high[k], along(self->view[k], x) + radius);
  }
}

/* Of the points of bodies and planes, the extent along the axes of space. */
static void choose_view(Picture *self)
{
  static const double views[3][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {{0.9404, 0.3401, 0}, {-0.1000, 0.2766, 0.9557}, {0.3250, -0.8988, 0.2941}}};
  double              low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, size = 0;

  for (PetscInt i = 0; i < self->model->scene.points; i++) {
    for (int k = 0; k < 3; k++) {
      low[k]  = fmin(low[k], self->x[3 * i + k]);
      high[k] = fmax(high[k], self->x[3 * i + k]);
    }
  }
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  const int view = high[2] - low[2] <= 1e-6 * size ? 0 : high[1] - low[1] <= 1e-6 * size ? 1 : 2;
  self->flat     = view < 2;
  memcpy(self->view, views[view], sizeof(self->view));
}

static void fit(Picture *self)
{
  const NsModel *model = self->model;

  for (int k = 0; k < 2; k++) {
    self->low[k]  = 1e300;
    self->high[k] = -1e300;
  }
  for (PetscInt i = 0; i < model->scene.points; i++) include(self, self->x + 3 * i, model->scene.radius ? model->scene.radius[i] : 0);
  const double body = fmax(self->high[0] - self->low[0], self->high[1] - self->low[1]);
  for (PetscInt i = 0; i < model->planes.points; i++) include(self, self->plane + 3 * i, 0);
  const double least = body > 0 ? 0.2 * body : 1;
  for (int k = 0; k < 2; k++) { /* a single rod must not get the height of the page */
    const double lack = fmax(0, least - (self->high[k] - self->low[k])) / 2;
    self->low[k] -= lack;
    self->high[k] += lack;
  }
  self->scale = fmin((WIDTH - 2 * MARGIN - LEGEND) / (self->high[0] - self->low[0]), (HEIGHT - HEAD - FOOT) / (self->high[1] - self->low[1]));
}

/* ---- cells -------------------------------------------------------------------------------------------------------------------------------------- */

static void add_item(Picture *self, int body, int corners, const PetscReal *const x[4], double width)
{
  if (self->items == self->room) {
    self->room = self->room ? 2 * self->room : 1024;
    self->item = realloc(self->item, self->room * sizeof(*self->item));
    if (!self->item) NsOutOfMemory();
  }
  Item  *item = &self->item[self->items++];
  double n[3] = {0, 0, 0}, length = 0;
  *item = (Item){.corners = corners, .body = body, .width = width, .shade = 1};
  for (int c = 0; c < corners; c++) {
    place(self, x[c], item->p[c]);
    item->depth += along(self->view[2], x[c]) / corners;
  }
  if (corners < 3) return;
  for (int k = 0; k < 3; k++) {
    const int    a = (k + 1) % 3, b = (k + 2) % 3;
    const double u[2] = {x[1][a] - x[0][a], x[1][b] - x[0][b]}, v[2] = {x[2][a] - x[0][a], x[2][b] - x[0][b]};
    n[k] = u[0] * v[1] - u[1] * v[0];
    length += n[k] * n[k];
  }
  if (length > 0)
    item->shade = 0.6 + 0.4 * fabs(0.35 * along(self->view[0], n) + 0.6 * along(self->view[1], n) + 0.72 * along(self->view[2], n)) / sqrt(length);
}

typedef struct {
  PetscInt key[4], corner[4]; /* ascending; in order around the face. -1: none */
  int      body;
} Face;

static int compare_faces(const void *a, const void *b)
{
  return memcmp(((const Face *)a)->key, ((const Face *)b)->key, sizeof(((const Face *)a)->key));
}

/* Faces of a cell; how many. */
static int faces_of(NsCellKind kind, const int (**face)[4])
{
  static const int own[][4] = {{0, 1, 2, 3}}, triangle[][4] = {{0, 1, 2, -1}},
                   tetra[][4] = {{0, 1, 2, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 2, 3, -1}},
                   hexa[][4]  = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

  *face = kind == NS_CELL_QUAD ? own : kind == NS_CELL_TRIANGLE ? triangle : kind == NS_CELL_HEXAHEDRON ? hexa : tetra;
  return kind == NS_CELL_QUAD || kind == NS_CELL_TRIANGLE           ? 1
         : kind == NS_CELL_HEXAHEDRON                               ? 6
         : kind == NS_CELL_TETRA || kind == NS_CELL_QUADRATIC_TETRA ? 4
                                                                    : 0;
}

static Face make_face(const PetscInt *point, const int corner[4], int body)
{
  Face face = {.body = body};

  for (int c = 0; c < 4; c++) {
    int at         = c;
    face.corner[c] = corner[c] < 0 ? -1 : point[corner[c]];
    for (; at > 0 && face.key[at - 1] > face.corner[c]; at--) face.key[at] = face.key[at - 1];
    face.key[at] = face.corner[c];
  }
  return face;
}

/* Faces that belong to one cell only. */
static void add_faces(Picture *self, Face *face, size_t faces)
{
  qsort(face, faces, sizeof(*face), compare_faces);
  for (size_t i = 0, same; i < faces; i += same) {
    const PetscReal *x[4];
    int              corners = 0;
    for (same = 1; i + same < faces && !compare_faces(&face[i], &face[i + same]);) same++;
    if (same > 1) continue;
    for (int c = 0; c < 4; c++) {
      if (face[i].corner[c] >= 0) x[corners++] = self->x + 3 * face[i].corner[c];
    }
    add_item(self, face[i].body, corners, x, 0);
  }
}

static void add_scene(Picture *self)
{
  const NsScene  *scene = &self->model->scene;
  const PetscInt *point = scene->cell;
  size_t          faces = 0, most = 1;
  const int(*corner)[4];

  for (PetscInt c = 0; c < scene->cells; c++) most += (size_t)faces_of(scene->kind[c], &corner);
  Face *face = malloc(most * sizeof(*face));
  if (!face) NsOutOfMemory();
  for (PetscInt c = 0; c < scene->cells; point += NsCellPoints(scene->kind[c++])) {
    const int        count = faces_of(scene->kind[c], &corner), body = (int)scene->body[c];
    const PetscReal *x[4] = {self->x + 3 * point[0], self->x + 3 * point[scene->kind[c] == NS_CELL_VERTEX ? 0 : 1]};
    for (int f = 0; f < count; f++) face[faces++] = make_face(point, corner[f], body);
    if (!count) add_item(self, body, scene->kind[c] == NS_CELL_VERTEX ? 1 : 2, x, scene->radius ? 2 * self->scale * scene->radius[point[0]] : 0);
  }
  add_faces(self, face, faces);
  free(face);
}

static void add_planes(Picture *self)
{
  const NsScene  *scene = &self->model->planes;
  const PetscInt *point = scene->cell;

  for (PetscInt c = 0; c < scene->cells; point += NsCellPoints(scene->kind[c++])) {
    const PetscReal *x[4];
    for (int k = 0; k < 4; k++) x[k] = self->plane + 3 * point[k];
    if (scene->kind[c] == NS_CELL_QUAD) add_item(self, -1, 4, x, 0);
  }
}

static int by_depth(const void *a, const void *b)
{
  const Item *one = a, *two = b;

  if ((one->body < 0) != (two->body < 0)) return one->body < 0 ? -1 : 1;
  return one->depth < two->depth ? -1 : one->depth > two->depth;
}

static void put_colour(const Picture *self, const Item *item)
{
  unsigned rgb = 0;

  (void)sscanf(colours[item->body % COLOURS] + 1, "%x", &rgb);
  fprintf(self->file, "#%02x%02x%02x", (unsigned)(item->shade * (rgb >> 16)), (unsigned)(item->shade * (rgb >> 8 & 255)),
    (unsigned)(item->shade * (rgb & 255)));
}

static void put_items(Picture *self)
{
  const PetscBool many = self->items > MOST_FACES / 10;

  qsort(self->item, self->items, sizeof(*self->item), by_depth);
  for (size_t i = 0; i < self->items; i++) {
    const Item *item = &self->item[i];
    if (item->corners == 1) {
      fprintf(self->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"", item->p[0][0], item->p[0][1], fmax(3, item->width / 2));
      put_colour(self, item);
      fprintf(self->file, "\"/>\n");
      continue;
    }
    fprintf(self->file, "<path d=\"");
    for (int c = 0; c < item->corners; c++) fprintf(self->file, "%c%.1f %.1f", c ? 'L' : 'M', item->p[c][0], item->p[c][1]);
    if (item->body < 0) {
      fprintf(self->file, "Z\" fill=\"#b8b8b8\" fill-opacity=\"0.35\" stroke=\"#707070\"/>\n");
      continue;
    }
    fprintf(self->file,
      item->corners == 2 ? "\" fill=\"none\" stroke-linecap=\"round\" stroke-width=\"%.1f\" stroke=\""
                         : "Z\" stroke=\"#333\" stroke-width=\"%.1f\" fill=\"",
      item->corners == 2 ? fmax(1.5, item->width)
      : many             ? 0
                         : 0.4);
    put_colour(self, item);
    fprintf(self->file, "\"/>\n");
  }
}

/* ---- what acts ---------------------------------------------------------------------------------------------------------------------------------- */

/* A shaft of this length, px, towards the direction on the page of `to`, ending at x: loads push. */
static void put_arrow(const Picture *self, const PetscReal x[3], const PetscReal to[3], double length, const char *colour)
{
  double       p[2];
  const double d[2] = {along(self->view[0], to), -along(self->view[1], to)}, size = hypot(d[0], d[1]);

  place(self, x, p);
  if (!(size > 0)) return;
  const double u[2] = {d[0] / size, d[1] / size};
  fprintf(self->file, "<path d=\"M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>\n",
    p[0] - length * u[0], p[1] - length * u[1], p[0], p[1], p[0] - 7 * u[0] + 3 * u[1], p[1] - 7 * u[1] - 3 * u[0], p[0], p[1],
    p[0] - 7 * u[0] - 3 * u[1], p[1] - 7 * u[1] + 3 * u[0], colour);
}

static void put_mark(const Picture *self, const NsFeMark *mark)
{
  double p[2], q[2];

  place(self, mark->x, p);
  place(self, mark->to, q);
  if (mark->kind == NS_FE_MARK_SUPPORT)
    fprintf(self->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" fill=\"#b03030\"/>\n", p[0] - 3.5, p[1] - 3.5);
  else if (mark->kind == NS_FE_MARK_LOAD)
    put_arrow(self, mark->x, mark->to, 34, "#208020");
  else if (mark->kind == NS_FE_MARK_INERTIA)
    fprintf(self->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#222\"/>\n", p[0], p[1]);
  else {
    if (mark->kind == NS_FE_MARK_GROUNDED) {
      q[0] = p[0];
      q[1] = p[1] + 20;
      fprintf(self->file, "<path d=\"M%.1f %.1fh16\" stroke=\"#8030a0\" stroke-width=\"1.6\"/>\n", q[0] - 8, q[1]);
    }
    fprintf(
      self->file, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#8030a0\" stroke-width=\"2\" stroke-dasharray=\"3 2\"/>\n", p[0], p[1], q[0], q[1]);
  }
}

/* At most so many marks of a kind, evenly distributed. drawn[kind]: some are drawn. */
static PetscErrorCode put_marks(const Picture *self, PetscBool drawn[NS_FE_MARKS])
{
  NsFeMark *mark;
  PetscInt  count, number[NS_FE_MARKS] = {0}, of[NS_FE_MARKS] = {0};

  PetscFunctionBegin;
  if (!NsModelIsFe(self->model) && !NsModelIsReduced(self->model)) PetscFunctionReturn(0);
  PetscCall(NsFeMarks(self->model, NULL, &count));
  PetscCall(PetscMalloc1(count, &mark));
  PetscCall(NsFeMarks(self->model, mark, &count));
  for (PetscInt i = 0; i < count; i++) of[mark[i].kind]++;
  for (PetscInt i = 0; i < count; i++) {
    const NsFeMarkKind kind  = mark[i].kind;
    const PetscInt     every = 1 + of[kind] / MOST_MARKS;
    drawn[kind]              = PETSC_TRUE;
    if (number[kind]++ % every == 0) put_mark(self, &mark[i]);
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(0);
}

/* Contact points with their normals, and joints. */
static PetscErrorCode put_contacts(const Picture *self, const NsState *state, PetscBool drawn[2])
{
  NsModel   *model = (NsModel *)self->model;
  PetscReal *touch_q;
  PetscInt   some[2] = {0, 0}, number[2] = {0, 0};

  PetscFunctionBegin;
  if (!model->view.contact_point || !model->candidates) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(model->touches, &touch_q));
  PetscCall(NsModelTouch(model, state->q, touch_q));
  for (PetscInt i = 0; i < model->candidates; i++) some[model->candidate[i].bilateral]++;
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    const int          joint     = candidate->bilateral;
    PetscReal          x[3], u[3], n[3], p[2];
    if (candidate->slot || NsCandidateResists(candidate) || number[joint]++ % (1 + some[joint] / MOST_MARKS)) continue;
    drawn[joint] = PETSC_TRUE;
    PetscCall(model->view.contact_point(model, state->t, touch_q, i, x, u, n));
    for (int k = 0; k < 3; k++) x[k] += u[k];
    place(self, x, p);
    if (joint)
      fprintf(self->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"white\" stroke=\"#222\" stroke-width=\"1.5\"/>\n", p[0], p[1]);
    else {
      const PetscReal from[3] = {n[0], n[1], n[2]};
      fprintf(self->file,
        "<path d=\"M%.1f %.1fl%.1f %.1f\" stroke=\"#e06000\" stroke-width=\"1.4\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"#e06000\"/>\n",
        p[0], p[1], 14 * along(self->view[0], from), -14 * along(self->view[1], from), p[0], p[1]);
    }
  }
  PetscCall(PetscFree(touch_q));
  PetscFunctionReturn(0);
}

/* ---- the page ----------------------------------------------------------------------------------------------------------------------------------- */

static void put_text(const Picture *self, double x, double y, const char *style, const char *text)
{
  fprintf(self->file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  for (; *text; text++) {
    if (strchr("<>&", *text))
      fprintf(self->file, "&#%d;", *text);
    else
      fputc(*text, self->file);
  }
  fprintf(self->file, "</text>\n");
}

static void put_legend(const Picture *self, const PetscBool marks[NS_FE_MARKS], const PetscBool contacts[2])
{
  static const struct {
    const char *symbol, *colour, *text;
  } rows[]                = {{"\u25a0", "#b03030", "support"}, {"\u2192", "#208020", "load"}, {"\u2504", "#8030a0", "spring, bearing"},
                   {"\u25cf", "#222", "mass, disc"}, {"\u25cf", "#e06000", "contact point, normal"}, {"\u25cb", "#222", "joint"}, {"\u25a0", "#b8b8b8", "plane"}};
  const PetscBool there[] = {marks[NS_FE_MARK_SUPPORT], marks[NS_FE_MARK_LOAD], marks[NS_FE_MARK_FORCE] || marks[NS_FE_MARK_GROUNDED],
    marks[NS_FE_MARK_INERTIA], contacts[0], contacts[1], self->model->planes.cells > 0};
  const double    x       = WIDTH - LEGEND - MARGIN / 2.0 + 20;
  double          y       = HEAD + 10;
  char            style[64], text[64];

  for (PetscInt b = 0; b < self->model->scene.bodies; b++, y += 18) {
    if (b == MOST_NAMES) {
      (void)snprintf(text, sizeof(text), "and %d more", (int)(self->model->scene.bodies - b));
      put_text(self, x + 16, y + 4, "", text);
      y += 18;
      break;
    }
    fprintf(self->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x, y - 6, colours[b % COLOURS]);
    put_text(self, x + 16, y + 4, "", self->model->scene.body_name[b]);
  }
  y += 8;
  for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
    if (!there[k]) continue;
    (void)snprintf(style, sizeof(style), "fill=\"%s\"", rows[k].colour);
    put_text(self, x, y + 4, style, rows[k].symbol);
    put_text(self, x + 16, y + 4, "", rows[k].text);
    y += 18;
  }
}

/* Axes at the lower left, and a length of a round number. */
static void put_scale(const Picture *self, double height)
{
  static const char *const names[] = {"x", "y", "z"};
  const double             x = MARGIN + 20, y = height - 40, most = 160 / self->scale, ten = pow(10, floor(log10(most)));
  const double             length = most >= 5 * ten ? 5 * ten : most >= 2 * ten ? 2 * ten : ten;
  char                     text[32];

  for (int k = 0; k < 3; k++) {
    const double d[2] = {30 * self->view[0][k], -30 * self->view[1][k]};
    if (hypot(d[0], d[1]) < 3) continue;
    fprintf(self->file, "<path d=\"M%.1f %.1fl%.1f %.1f\" stroke=\"#222\" stroke-width=\"1.4\"/>\n", x, y, d[0], d[1]);
    put_text(self, x + 1.3 * d[0] - 3, y + 1.3 * d[1] + 4, "", names[k]);
  }
  fprintf(self->file, "<path d=\"M%.1f %.1fv6h%.1fv-6\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.4\"/>\n", x + 90, y, length * self->scale);
  (void)snprintf(text, sizeof(text), "%.3g %s",
    length < 1e-3 ? 1e6 * length
    : length < 1  ? 1e3 * length
                  : length,
    length < 1e-3 ? "\u00b5m"
    : length < 1  ? "mm"
                  : "m");
  put_text(self, x + 96 + length * self->scale, y + 6, "", text);
}

static PetscErrorCode start_of(Picture *self, const NsState *state)
{
  NsModel       *model = (NsModel *)self->model;
  const NsScene *scene = &model->scene;
  const size_t   n = (size_t)scene->points + 1, m = (size_t)scene->cells + 1, p = (size_t)model->planes.points + 1;
  PetscReal     *room;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(12 * n + 27 * m + 9 * p, &room));
  NsFields   fields   = {.displacement = room + 3 * n, .velocity = room + 6 * n, .rotation = scene->rotations ? room + 9 * n : NULL};
  PetscReal *cells    = room + 12 * n;
  fields.stress       = cells;
  fields.normal_force = cells + m;
  fields.energy       = cells + 2 * m;
  if (scene->beams) {
    fields.section_force  = cells + 3 * m;
    fields.section_moment = cells + 6 * m;
  }
  if (scene->solids) {
    fields.stress_tensor = cells + 9 * m;
    fields.strain_tensor = cells + 18 * m;
  }
  self->x     = room;
  self->plane = cells + 27 * m;
  PetscCall(model->view.fields(model, state->t, state->q, state->v, NULL, &fields));
  for (PetscInt i = 0; i < 3 * scene->points; i++) self->x[i] = scene->x[i] + fields.displacement[i];
  if (model->planes.cells) {
    NsPlaneFields planes = {.displacement = self->plane + 3 * p, .velocity = self->plane + 6 * p, .gap = self->plane};
    PetscCall(model->view.planes(model, state->t, &planes));
    for (PetscInt i = 0; i < 3 * model->planes.points; i++) self->plane[i] = model->planes.x[i] + planes.displacement[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsPictureWrite(NsModel *model, const NsState *state, const char *title, FILE *file)
{
  Picture   self               = {.file = file, .model = model};
  PetscBool marks[NS_FE_MARKS] = {PETSC_FALSE}, contacts[2] = {PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(start_of(&self, state));
  choose_view(&self);
  fit(&self);
  const double height = HEAD + self.scale * (self.high[1] - self.low[1]) + FOOT,
               most   = fmax(height, HEAD + 18.0 * (PetscMin(model->scene.bodies, MOST_NAMES) + 9));
  fprintf(file,
    NS_PICTURE_BEGINS "\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"13\">\n",
    WIDTH, most);
  fprintf(file, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  put_text(&self, MARGIN, 26, "font-size=\"16\" font-weight=\"bold\"", title);
  add_planes(&self);
  add_scene(&self);
  put_items(&self);
  PetscCall(put_marks(&self, marks));
  PetscCall(put_contacts(&self, state, contacts));
  put_legend(&self, marks, contacts);
  put_scale(&self, most);
  fprintf(file, "</svg>\n");
  free(self.item);
  PetscCall(PetscFree(self.x));
  PetscFunctionReturn(0);
}
