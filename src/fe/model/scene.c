/*
  What is drawn: for each element the cells of its picture, bent by its own shape functions; a ring of NS_RING lines for each disc and housing; a
  vertex for each rigid body without one, with the radius of a ball. Points: nodes first, then points within elements, then rings.
*/
#include "fe/elements/beam.h"
#include "fe/elements/solid.h"
#include "fe.h"

#define NS_RING 24

static const NsElementType *type_of(const NsFe *fe, const NsFeElement *e)
{
  return fe->body[e->body].element;
}

static const NsElementPicture *picture_of(const NsFe *fe, const NsFeElement *e)
{
  static const NsElementPicture nothing = {0, 0, NULL, NULL};
  const NsElementType          *type    = type_of(fe, e);

  if (type->drawn && !type->drawn(e)) return &nothing;
  return type->solid ? NsSolidPicture(type, e) : type->picture;
}

static void allocate(NsFe *fe, NsScene *scene)
{
  size_t points, cells, ends = 0;

  scene->points = fe->nodes + NS_RING * fe->rings;
  scene->cells  = NS_RING * fe->rings;
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsElementPicture *picture = picture_of(fe, &fe->element[i]);
    scene->points += picture->points;
    scene->cells += picture->cells;
    for (PetscInt k = 0; k < picture->cells; k++) ends += (size_t)NsCellPoints(picture->cell[k].kind);
  }
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].mesh->elements) continue;
    scene->cells += fe->body[b].mesh->nodes;
    ends += (size_t)fe->body[b].mesh->nodes;
  }
  points           = (size_t)scene->points;
  cells            = (size_t)scene->cells;
  ends             = ends + 2 * NS_RING * (size_t)fe->rings;
  scene->x         = NsArenaAlloc(fe->arena, sizeof(*scene->x) * 3 * points);
  scene->radius    = NsArenaAlloc(fe->arena, sizeof(*scene->radius) * points);
  scene->kind      = NsArenaAlloc(fe->arena, sizeof(*scene->kind) * cells);
  scene->cell      = NsArenaAlloc(fe->arena, sizeof(*scene->cell) * ends);
  scene->body      = NsArenaAlloc(fe->arena, sizeof(*scene->body) * cells);
  scene->element   = NsArenaAlloc(fe->arena, sizeof(*scene->element) * cells);
  scene->body_name = NsArenaAlloc(fe->arena, sizeof(*scene->body_name) * (size_t)fe->bodies);
}

/* What has been filled of a scene. */
typedef struct {
  NsScene *scene;
  PetscInt points, cells, ends;
} Drawing;

/* A cell whose points the caller fills. */
static PetscInt *add_cell(Drawing *drawing, NsCellKind kind, PetscInt body, PetscInt element)
{
  NsScene  *scene = drawing->scene;
  PetscInt *point = scene->cell + drawing->ends;

  scene->kind[drawing->cells]      = kind;
  scene->body[drawing->cells]      = body;
  scene->element[drawing->cells++] = element;
  drawing->ends += NsCellPoints(kind);
  return point;
}

static void add_element(const NsFe *fe, PetscInt index, Drawing *drawing)
{
  const NsFeElement      *e       = &fe->element[index];
  const NsElementType    *type    = type_of(fe, e);
  const NsElementPicture *picture = picture_of(fe, e);
  const PetscInt          first   = drawing->points;

  for (PetscInt k = 0; k < picture->points; k++, drawing->points++) {
    NsFePosition(fe, e, picture->xi[k], drawing->scene->x + 3 * drawing->points);
    if (type->radius) drawing->scene->radius[drawing->points] = type->radius(e, picture->xi[k]);
  }
  for (PetscInt c = 0; c < picture->cells; c++) {
    const NsElementCell *cell = &picture->cell[c];
    PetscInt            *end  = add_cell(drawing, cell->kind, e->body, index - fe->body[e->body].first_element);
    for (PetscInt k = 0; k < NsCellPoints(cell->kind); k++)
      end[k] = cell->point[k] < type->nodes ? e->node[cell->point[k]] : first + cell->point[k] - type->nodes;
  }
}

/* Two directions across the ring's axis. */
static void ring_frame(const NsFeRing *ring, PetscReal frame[3][3])
{
  (void)NsBeamFrame(ring->axis, NULL, frame);
}

static void add_ring(const NsFeRing *ring, Drawing *drawing)
{
  NsScene       *scene = drawing->scene;
  const PetscInt first = drawing->points;
  PetscReal      frame[3][3];

  ring_frame(ring, frame);
  for (PetscInt k = 0; k < NS_RING; k++, drawing->points++) {
    const PetscReal angle = 2 * PETSC_PI * (PetscReal)k / NS_RING, c = ring->radius * PetscCosReal(angle), s = ring->radius * PetscSinReal(angle);
    for (int i = 0; i < 3; i++) scene->x[3 * drawing->points + i] = ring->centre.x[i] + c * frame[1][i] + s * frame[2][i];
    scene->radius[drawing->points] = ring->radius / 40;
    PetscInt *end                  = add_cell(drawing, NS_CELL_LINE, ring->body, -1);
    end[0]                         = first + k;
    end[1]                         = first + (k + 1) % NS_RING;
  }
}

/* A node is as thick as its elements are on average. */
static void node_radii(const NsFe *fe, NsScene *scene)
{
  PetscInt *count = NsArenaAlloc(fe->arena, sizeof(*count) * (size_t)fe->nodes);

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement   *e    = &fe->element[i];
    const NsElementType *type = type_of(fe, e);
    for (PetscInt k = 0; k < type->nodes && type->radius; k++) {
      scene->radius[e->node[k]] += type->radius(e, type->node[k]);
      count[e->node[k]]++;
    }
  }
  for (PetscInt i = 0; i < fe->nodes; i++) scene->radius[i] /= (PetscReal)PetscMax(1, count[i]);
}

/* The body that has this unknown. */
static PetscInt body_of(const NsFe *fe, PetscInt unknown)
{
  PetscInt body = 0;

  for (PetscInt i = 0; i < fe->dofs; i++) {
    if (fe->unknown[i] != unknown) continue;
    while (body + 1 < fe->bodies && fe->body[body + 1].first_dof <= i) body++;
    break;
  }
  return body;
}

static PetscInt draw(const NsPair *pair, NsRing ring[NS_PAIR_RINGS])
{
  return pair->type->draw ? pair->type->draw(pair, ring) : 0;
}

/* A pair's point with the numbers of its equations. */
static NsPoint expand(const NsModel *model, const NsPairPoint *point)
{
  NsPoint to = {.unknowns = point->unknowns, .spin = point->spin};

  for (int k = 0; k < 3; k++) {
    to.x[k]    = point->x[k];
    to.axis[k] = point->axis[k];
  }
  for (PetscInt a = 0; a < point->unknowns; a++) {
    to.touch[a]   = point->touch[a];
    to.unknown[a] = model->touch[point->touch[a]];
    for (int k = 0; k < 3; k++) {
      to.move[a][k] = point->move[a][k];
      to.turn[a][k] = point->turn[a][k];
    }
  }
  return to;
}

/* The circles of a contact's surface; candidates against one surface follow each other. */
static void add_surface(NsFe *fe, const NsModel *model, const NsPair *pair)
{
  const NsPairPoint *of = pair->point[1]->unknowns ? pair->point[1] : pair->point[0];
  NsRing             ring[NS_PAIR_RINGS];
  const PetscInt     rings = draw(pair, ring);

  if (rings && fe->rings >= rings) {
    const NsFeRing *last = &fe->ring[fe->rings - rings];
    PetscReal       off  = PetscAbsReal(last->radius - ring[0].radius);
    for (int k = 0; k < 3; k++) off += PetscAbsReal(last->centre.x[k] - ring[0].centre.x[k]);
    if (off == 0) return;
  }
  for (PetscInt r = 0; r < rings; r++) {
    NsFeRing *to = &fe->ring[fe->rings++];
    *to          = (NsFeRing){.centre = expand(model, &ring[r].centre),
               .body                  = body_of(fe, model->touch[of->touch[0]]),
               .radius                = ring[r].radius,
               .moving                = ring[r].centre.moving};
    for (int k = 0; k < 3; k++) to->axis[k] = ring[r].axis[k];
  }
}

/* Candidates of one contact share its surface. */
static PetscBool has_surface_of_last(const NsFe *fe, PetscInt i)
{
  return i > 0 && fe->pair[i].data && fe->pair[i].data == fe->pair[i - 1].data;
}

static void list_rings(NsFe *fe, const NsModel *model)
{
  NsRing   drawn[NS_PAIR_RINGS];
  PetscInt most = fe->inertias;

  for (PetscInt i = 0; i < fe->pairs; i++) most += has_surface_of_last(fe, i) ? 0 : draw(&fe->pair[i], drawn);
  fe->ring = NsArenaAlloc(fe->arena, sizeof(*fe->ring) * (size_t)(most + 1));
  for (PetscInt i = 0; i < fe->inertias; i++) {
    const NsFeInertia *inertia = &fe->inertia[i];
    if (inertia->radius == 0 || inertia->is_ball) continue;
    NsFeRing *ring = &fe->ring[fe->rings++];
    *ring          = (NsFeRing){.body = inertia->at.body, .radius = inertia->radius};
    NsFeExpand(fe, &inertia->at, &ring->centre);
    for (int k = 0; k < 3; k++) ring->axis[k] = inertia->frame[0][k];
  }
  for (PetscInt i = 0; i < fe->pairs; i++) {
    if (!has_surface_of_last(fe, i)) add_surface(fe, model, &fe->pair[i]);
  }
}

static void list_planes(NsFe *fe, NsModel *model)
{
  fe->planes = NsPlanesCreate(fe->config->contacts.count, fe->arena);
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsPair *pair = &fe->pair[i];
    NsPlane       plane;
    if (!pair->type->plane) continue;
    pair->type->plane(pair, &plane);
    NsPlanesAdd(fe->planes, &plane, pair->point[0]->x, pair->radius[0]);
  }
  NsPlanesScene(fe->planes, &model->scene, fe->arena, &model->planes);
}

void NsFeScene(NsFe *fe, NsModel *model)
{
  NsScene *scene   = &model->scene;
  Drawing  drawing = {.scene = scene, .points = fe->nodes};

  list_rings(fe, model);
  allocate(fe, scene);
  scene->elements = fe->elements;
  scene->bodies   = fe->bodies;
  for (PetscInt i = 0; i < 3 * fe->nodes; i++) scene->x[i] = fe->x[i];
  node_radii(fe, scene);
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    add_element(fe, i, &drawing);
    model->mass_total += type_of(fe, e)->total_mass(&fe->body[e->body], e);
    scene->beams  = scene->beams || type_of(fe, e)->bends;
    scene->solids = scene->solids || type_of(fe, e)->solid;
  }
  for (PetscInt i = 0; i < fe->inertias; i++) {
    model->mass_total += fe->inertia[i].across ? 0 : fe->inertia[i].mass;
    if (fe->inertia[i].is_ball) scene->radius[fe->inertia[i].at.node] = fe->inertia[i].radius;
  }
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    scene->body_name[b]  = body->name;
    for (PetscInt a = 0; a < body->node_unknowns; a++) scene->rotations = scene->rotations || body->turns[a];
    for (PetscInt i = body->first_node; body->mesh->elements == 0 && i < body->first_node + body->mesh->nodes; i++)
      *add_cell(&drawing, NS_CELL_VERTEX, b, -1) = i;
  }
  for (PetscInt r = 0; r < fe->rings; r++) add_ring(&fe->ring[r], &drawing);
  list_planes(fe, model);
}

PetscErrorCode NsModelPlanes_Fe(NsModel *model, PetscReal t, NsPlaneFields *fields)
{
  PetscFunctionBegin;
  NsPlanesAt(((const NsFe *)model->data)->planes, t, fields);
  PetscFunctionReturn(0);
}

/* Displacement, velocity and rotation of one point of the scene; arm: from this point, NULL for none. */
static void point_fields(const NsFe *fe, const NsPoint *at, const PetscScalar *q, const PetscScalar *v, PetscInt point, NsFields *fields)
{
  for (int k = 0; k < 3; k++) {
    PetscReal u = 0, w = 0, r = 0;
    for (PetscInt i = 0; i < at->unknowns; i++) {
      const PetscInt  unknown = at->unknown[i];
      const PetscReal x       = unknown < 0 ? NsFeHeldValue(fe, unknown) : q[unknown];
      u += at->move[i][k] * x;
      w += at->move[i][k] * (unknown < 0 ? NsFeHeldRate(fe, unknown) : v[unknown]);
      r += at->turn[i][k] * x;
    }
    fields->displacement[3 * point + k] = u;
    fields->velocity[3 * point + k]     = w;
    if (fields->rotation) fields->rotation[3 * point + k] = r;
  }
}

/* The same of a node, quicker: its unknowns are along its body's directions. */
static void node_fields(const NsFe *fe, PetscInt node, const PetscScalar *q, const PetscScalar *v, NsFields *fields)
{
  const NsFeBody *body    = &fe->body[fe->node_body[node]];
  const PetscInt *unknown = NsFeNodeUnknowns(fe, node);
  PetscReal       u[3] = {0, 0, 0}, w[3] = {0, 0, 0}, r[3] = {0, 0, 0};

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscReal *d = body->direction[a];
    const PetscInt   i = unknown[a];
    const PetscReal  x = i < 0 ? NsFeHeldValue(fe, i) : q[i];
    for (int k = 0; k < 3; k++) {
      if (body->turns[a])
        r[k] += d[k] * x;
      else {
        u[k] += d[k] * x;
        w[k] += d[k] * (i < 0 ? NsFeHeldRate(fe, i) : v[i]);
      }
    }
  }
  for (int k = 0; k < 3; k++) {
    fields->displacement[3 * node + k] = u[k];
    fields->velocity[3 * node + k]     = w[k];
    if (fields->rotation) fields->rotation[3 * node + k] = r[k];
  }
}

/* loads: between its nodes, or NULL. */
static void element_fields(const NsFe *fe, PetscInt index, const PetscScalar *q, const NsElementLoads *loads, PetscInt cell, NsFields *fields)
{
  const NsFeElement      *e       = &fe->element[index];
  const NsFeBody         *body    = &fe->body[e->body];
  const NsElementPicture *picture = picture_of(fe, e);
  PetscReal               u[NS_ELEMENT_UNKNOWNS], energy;

  if (!picture->cells) return;
  NsFeElementValues(fe, NULL, e, q, u);
  energy = body->element->energy(body, e, u);
  for (PetscInt k = 0; k < picture->cells; k++) {
    NsElementResults results;
    body->element->results(body, e, u, loads, picture->cell[k].middle, &results);
    fields->normal_force[cell + k] = results.normal_force;
    fields->stress[cell + k]       = results.stress;
    fields->energy[cell + k]       = energy / (PetscReal)picture->cells;
    for (int i = 0; fields->section_force && i < 3; i++) {
      fields->section_force[3 * (cell + k) + i]  = results.section_force[i];
      fields->section_moment[3 * (cell + k) + i] = results.section_moment[i];
    }
    for (int i = 0; fields->stress_tensor && i < 9; i++) {
      fields->stress_tensor[9 * (cell + k) + i] = results.tensor[i];
      fields->strain_tensor[9 * (cell + k) + i] = results.strain[i];
    }
  }
}

/* Rings tilt with their point but do not spin: magnified rotations would distort them. */
static void ring_fields(const NsFe *fe, const NsFeRing *ring, const PetscScalar *q, const PetscScalar *v, PetscInt first, NsFields *fields)
{
  PetscReal frame[3][3];

  ring_frame(ring, frame);
  for (PetscInt k = 0; k < NS_RING; k++) {
    const PetscReal angle = 2 * PETSC_PI * (PetscReal)k / NS_RING;
    NsPoint         rim   = ring->centre;
    PetscReal       arm[3];
    for (int i = 0; i < 3; i++) arm[i] = ring->radius * (PetscCosReal(angle) * frame[1][i] + PetscSinReal(angle) * frame[2][i]);
    for (PetscInt j = 0; j < rim.unknowns; j++) {
      PetscReal *turn = rim.turn[j], along = turn[0] * frame[0][0] + turn[1] * frame[0][1] + turn[2] * frame[0][2];
      for (int i = 0; i < 3; i++) turn[i] -= along * frame[0][i];
      for (int i = 0; i < 3; i++) rim.move[j][i] += turn[(i + 1) % 3] * arm[(i + 2) % 3] - turn[(i + 2) % 3] * arm[(i + 1) % 3];
    }
    point_fields(fe, &rim, q, v, first + k, fields);
    for (int i = 0; ring->moving && i < 3; i++) {
      fields->displacement[3 * (first + k) + i] += ring->moving->at[0][i];
      fields->velocity[3 * (first + k) + i] += ring->moving->at[1][i];
    }
  }
}

PetscErrorCode NsModelFields_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *fields)
{
  NsFe            *fe    = model->data;
  PetscInt         point = fe->nodes, cell = 0;
  const PetscReal *aq = NsVecRead(q), *av = NsVecRead(v), *aa = a ? NsVecRead(a) : NULL;
  NsFeSectionLoads loads;
  NsPoint          at;

  PetscFunctionBegin;
  NsFeMovedAt(fe, t);
  NsSurfaceMotionAt(fe->surface_motion, t);
  for (PetscInt i = 0; i < fe->nodes; i++) node_fields(fe, i, aq, av, fields);
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsElementPicture *picture = picture_of(fe, &fe->element[i]);
    for (PetscInt k = 0; k < picture->points; k++, point++) {
      const PetscReal *xi = picture->xi[k];
      NsFeExpandMoved(fe, &(NsFePoint){.body = fe->element[i].body, .node = -1, .element = i, .xi = {xi[0], xi[1], xi[2]}}, &at);
      point_fields(fe, &at, aq, av, point, fields);
    }
    element_fields(fe, i, aq, NsFeSectionLoadsAt(fe, &fe->element[i], t, av, aa, &loads), cell, fields);
    cell += picture->cells;
  }
  for (; cell < model->scene.cells; cell++) {
    fields->normal_force[cell] = fields->stress[cell] = fields->energy[cell] = 0;
    for (int k = 0; fields->section_force && k < 3; k++) fields->section_force[3 * cell + k] = fields->section_moment[3 * cell + k] = 0;
    for (int k = 0; fields->stress_tensor && k < 9; k++) fields->stress_tensor[9 * cell + k] = fields->strain_tensor[9 * cell + k] = 0;
  }
  for (PetscInt r = 0; r < fe->rings; r++) ring_fields(fe, &fe->ring[r], aq, av, point + NS_RING * r, fields);
  PetscFunctionReturn(0);
}
