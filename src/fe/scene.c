/*
  What is drawn: a line for each bar, NS_PIECES for each beam element, bent by its own shape functions; a ring of NS_RING lines for each disc and housing; a
  vertex for each rigid body without one. Points: nodes first, then points within elements, then rings.
*/
#include "fe.h"

#define NS_PIECES 4
#define NS_RING   24

static PetscInt pieces(const NsFeElement *e)
{
  return e->beam ? NS_PIECES : 1;
}

static void allocate(NsFe *fe, NsScene *scene)
{
  size_t points, cells;

  scene->points = fe->nodes + NS_RING * fe->rings;
  scene->cells  = NS_RING * fe->rings;
  for (PetscInt i = 0; i < fe->elements; i++) {
    scene->points += pieces(&fe->element[i]) - 1;
    scene->cells += pieces(&fe->element[i]);
  }
  for (PetscInt b = 0; b < fe->bodies; b++) scene->cells += fe->body[b].mesh->elements == 0;
  points           = (size_t)scene->points;
  cells            = (size_t)scene->cells;
  scene->x         = NsArenaAlloc(fe->arena, sizeof(*scene->x) * 3 * points);
  scene->radius    = NsArenaAlloc(fe->arena, sizeof(*scene->radius) * points);
  scene->cell      = NsArenaAlloc(fe->arena, sizeof(*scene->cell) * 2 * cells);
  scene->body      = NsArenaAlloc(fe->arena, sizeof(*scene->body) * cells);
  scene->element   = NsArenaAlloc(fe->arena, sizeof(*scene->element) * cells);
  scene->body_name = NsArenaAlloc(fe->arena, sizeof(*scene->body_name) * (size_t)fe->bodies);
}

static void add_cell(NsScene *scene, PetscInt *cell, PetscInt a, PetscInt b, PetscInt body, PetscInt element)
{
  scene->cell[2 * *cell]     = a;
  scene->cell[2 * *cell + 1] = b;
  scene->body[*cell]         = body;
  scene->element[*cell]      = element;
  (*cell)++;
}

static void add_element(const NsFe *fe, PetscInt index, NsScene *scene, PetscInt *point, PetscInt *cell)
{
  const NsFeElement *e    = &fe->element[index];
  const PetscInt     n    = pieces(e);
  PetscInt           last = e->node[0];

  for (PetscInt k = 1; k <= n; k++) {
    const PetscReal s    = (PetscReal)k / (PetscReal)n;
    const PetscInt  next = k < n ? (*point)++ : e->node[1];
    for (int i = 0; i < 3 && k < n; i++) scene->x[3 * next + i] = (1 - s) * fe->x[3 * e->node[0] + i] + s * fe->x[3 * e->node[1] + i];
    if (k < n) scene->radius[next] = (1 - s) * e->property[0]->radius + s * e->property[1]->radius;
    add_cell(scene, cell, last, next, e->body, index - fe->body[e->body].first_element);
    last = next;
  }
}

/* Two directions across the ring's axis. */
static void ring_frame(const NsFeRing *ring, PetscReal frame[3][3])
{
  (void)NsBeamFrame(ring->axis, NULL, frame);
}

static void add_ring(const NsFeRing *ring, NsScene *scene, PetscInt *point, PetscInt *cell)
{
  const PetscInt first = *point;
  PetscReal      frame[3][3];

  ring_frame(ring, frame);
  for (PetscInt k = 0; k < NS_RING; k++, (*point)++) {
    const PetscReal angle = 2 * PETSC_PI * (PetscReal)k / NS_RING, c = ring->radius * PetscCosReal(angle), s = ring->radius * PetscSinReal(angle);
    for (int i = 0; i < 3; i++) scene->x[3 * *point + i] = ring->centre.x[i] + c * frame[1][i] + s * frame[2][i];
    scene->radius[*point] = ring->radius / 40;
    add_cell(scene, cell, first + k, first + (k + 1) % NS_RING, ring->body, -1);
  }
}

/* A node is as thick as its elements are on average. */
static void node_radii(const NsFe *fe, NsScene *scene)
{
  PetscInt *count = NsArenaAlloc(fe->arena, sizeof(*count) * (size_t)fe->nodes);

  for (PetscInt i = 0; i < fe->elements; i++) {
    for (int k = 0; k < 2; k++) {
      scene->radius[fe->element[i].node[k]] += fe->element[i].property[k]->radius;
      count[fe->element[i].node[k]]++;
    }
  }
  for (PetscInt i = 0; i < fe->nodes; i++) scene->radius[i] /= (PetscReal)PetscMax(1, count[i]);
}

/* The body that has this unknown. */
static PetscInt body_of(const NsFe *fe, PetscInt unknown)
{
  PetscInt body = 0;

  for (PetscInt i = 0; i < fe->slots; i++) {
    if (fe->unknown[i] != unknown) continue;
    while (body + 1 < fe->bodies && fe->body[body + 1].first_slot <= i) body++;
    break;
  }
  return body;
}

/* The hollow or shaft of a contact; candidates against one surface follow each other. */
static void add_surface(NsFe *fe, const NsPair *pair)
{
  const NsFeRing *last = fe->rings ? &fe->ring[fe->rings - 1] : NULL;
  const NsPoint  *of   = pair->point[1].unknowns ? &pair->point[1] : &pair->point[0];

  if (last) {
    PetscReal off = PetscAbsReal(last->radius - pair->radius[1]);
    for (int k = 0; k < 3; k++) off += PetscAbsReal(last->centre.x[k] - pair->point[1].x[k]);
    if (off == 0) return;
  }
  NsFeRing ring = {.centre = pair->point[1], .body = body_of(fe, of->unknown[0]), .radius = pair->radius[1]};
  for (int k = 0; k < 3; k++) ring.axis[k] = pair->axis[k];
  fe->ring[fe->rings++] = ring;
}

static void list_rings(NsFe *fe)
{
  fe->ring = NsArenaAlloc(fe->arena, sizeof(*fe->ring) * (size_t)(fe->inertias + fe->pairs + 1));
  for (PetscInt i = 0; i < fe->inertias; i++) {
    const NsFeInertia *inertia = &fe->inertia[i];
    if (inertia->radius == 0) continue;
    NsFeRing *ring = &fe->ring[fe->rings++];
    *ring          = (NsFeRing){.body = inertia->spot.body, .radius = inertia->radius};
    NsFeExpand(fe, &inertia->spot, &ring->centre);
    for (int k = 0; k < 3; k++) ring->axis[k] = inertia->frame[0][k];
  }
  for (PetscInt i = 0; i < fe->pairs; i++) {
    if (fe->pair[i]->type == &NsPairType_Cylinder) add_surface(fe, fe->pair[i]);
  }
}

/* Of a beam as its matrix has it: that of a unit translation along axis 2. */
static PetscReal mass_of(const NsFeElement *e)
{
  static const int along_2[2] = {1, 7};
  PetscReal        mass       = 0;

  if (!e->beam) return e->property[0]->density * (e->property[0]->area + e->property[1]->area) / 2 * e->length;
  for (int i = 0; i < 4; i++) mass += e->beam->mass[12 * along_2[i / 2] + along_2[i % 2]];
  return mass;
}

void NsFeScene(NsFe *fe, NsModel *model)
{
  NsScene *scene = &model->scene;
  PetscInt point = fe->nodes, cell = 0;

  list_rings(fe);
  allocate(fe, scene);
  scene->elements = fe->elements;
  scene->bodies   = fe->bodies;
  for (PetscInt i = 0; i < 3 * fe->nodes; i++) scene->x[i] = fe->x[i];
  node_radii(fe, scene);
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    add_element(fe, i, scene, &point, &cell);
    model->mass_total += mass_of(e);
    if (e->beam) scene->beams = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < fe->inertias; i++) model->mass_total += fe->inertia[i].mass;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    scene->body_name[b]  = body->name;
    for (PetscInt a = 0; a < body->node_unknowns; a++) scene->rotations = scene->rotations || body->turns[a] ? PETSC_TRUE : PETSC_FALSE;
    if (body->mesh->elements == 0) add_cell(scene, &cell, body->first_node, body->first_node, b, -1);
  }
  for (PetscInt r = 0; r < fe->rings; r++) add_ring(&fe->ring[r], scene, &point, &cell);
}

/* Displacement, velocity and rotation of one point of the scene; arm: from the place's point, NULL for none. */
static void point_fields(const NsPoint *place, const PetscScalar *q, const PetscScalar *v, PetscInt point, NsFields *fields)
{
  for (int k = 0; k < 3; k++) {
    PetscReal u = 0, w = 0, r = 0;
    for (PetscInt i = 0; i < place->unknowns; i++) {
      u += place->move[i][k] * q[place->unknown[i]];
      w += place->move[i][k] * v[place->unknown[i]];
      r += place->turn[i][k] * q[place->unknown[i]];
    }
    fields->displacement[3 * point + k] = u;
    fields->velocity[3 * point + k]     = w;
    if (fields->rotation) fields->rotation[3 * point + k] = r;
  }
}

/* The same of a node, of which there are many: its unknowns are its body's directions. */
static void node_fields(const NsFe *fe, PetscInt node, const PetscScalar *q, const PetscScalar *v, NsFields *fields)
{
  const NsFeBody *body    = &fe->body[fe->node_body[node]];
  const PetscInt *unknown = NsFeNodeUnknowns(fe, node);
  PetscReal       u[3] = {0, 0, 0}, w[3] = {0, 0, 0}, r[3] = {0, 0, 0};

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscReal *d = body->direction[a];
    const PetscInt   i = unknown[a];
    if (i < 0) continue;
    for (int k = 0; k < 3; k++) {
      if (body->turns[a])
        r[k] += d[k] * q[i];
      else {
        u[k] += d[k] * q[i];
        w[k] += d[k] * v[i];
      }
    }
  }
  for (int k = 0; k < 3; k++) {
    fields->displacement[3 * node + k] = u[k];
    fields->velocity[3 * node + k]     = w[k];
    if (fields->rotation) fields->rotation[3 * node + k] = r[k];
  }
}

/* Largest stress along the axis over a section. */
static PetscReal largest_stress(const NsProperty *p, const PetscReal f[6])
{
  PetscReal bending = 0;

  if (p->section->circle || p->section->tube)
    bending = p->edge_2 / p->inertia_2 * PetscSqrtReal(f[4] * f[4] + f[5] * f[5]);
  else if (p->inertia_2 > 0)
    bending = p->edge_3 / p->inertia_2 * PetscAbsReal(f[4]) + p->edge_2 / p->inertia_3 * PetscAbsReal(f[5]);
  return f[0] / p->area + (f[0] < 0 ? -bending : bending);
}

static void element_fields(const NsFe *fe, PetscInt index, const PetscScalar *q, PetscInt cell, NsFields *fields)
{
  const NsFeElement *e    = &fe->element[index];
  const NsFeBody    *body = &fe->body[e->body];
  const PetscInt     n    = pieces(e);
  PetscReal          u[NS_ELEMENT_UNKNOWNS], f[6], frame[3][3] = {{0}}, energy;

  NsFeElementValues(fe, NULL, e, q, u);
  energy = body->element->energy(body, e, u);
  if (e->beam) (void)NsFeBeamAxes(body, e, frame);
  for (PetscInt k = 0; k < n; k++) {
    const PetscReal   middle = ((PetscReal)k + 0.5) / (PetscReal)n;
    NsProperty        between;
    const NsProperty *p = e->property[0];
    body->element->forces(body, e, u, middle, f);
    if (e->property[1] != p) {
      NsPropertyBetween(e->property[0], e->property[1], middle, &between);
      p = &between;
    }
    fields->normal_force[cell + k] = f[0];
    fields->stress[cell + k]       = largest_stress(p, f);
    fields->energy[cell + k]       = energy / (PetscReal)n;
    for (int i = 0; fields->section_force && i < 3; i++) {
      fields->section_force[3 * (cell + k) + i]  = 0;
      fields->section_moment[3 * (cell + k) + i] = 0;
      for (int m = 0; m < 3 && e->beam; m++) {
        fields->section_force[3 * (cell + k) + i] += f[m] * frame[m][i];
        fields->section_moment[3 * (cell + k) + i] += f[3 + m] * frame[m][i];
      }
    }
  }
}

/* Rings tilt with their place and do not spin: a picture that magnifies displacements would tear them. */
static void ring_fields(const NsFeRing *ring, const PetscScalar *q, const PetscScalar *v, PetscInt first, NsFields *fields)
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
    point_fields(&rim, q, v, first + k, fields);
  }
}

PetscErrorCode NsModelFields_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsFields *fields)
{
  NsFe              *fe    = model->data;
  PetscInt           point = fe->nodes, cell = 0;
  const PetscScalar *aq, *av;
  NsPoint            place;

  PetscFunctionBegin;
  (void)t;
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(v, &av));
  for (PetscInt i = 0; i < fe->nodes; i++) node_fields(fe, i, aq, av, fields);
  for (PetscInt i = 0; i < fe->elements; i++) {
    const PetscInt n = pieces(&fe->element[i]);
    for (PetscInt k = 1; k < n; k++, point++) {
      NsFeExpand(fe, &(NsFeSpot){.body = fe->element[i].body, .node = -1, .element = i, .fraction = (PetscReal)k / (PetscReal)n}, &place);
      point_fields(&place, aq, av, point, fields);
    }
    element_fields(fe, i, aq, cell, fields);
    cell += n;
  }
  for (; cell < model->scene.cells; cell++) {
    fields->normal_force[cell] = fields->stress[cell] = fields->energy[cell] = 0;
    for (int k = 0; fields->section_force && k < 3; k++) fields->section_force[3 * cell + k] = fields->section_moment[3 * cell + k] = 0;
  }
  for (PetscInt r = 0; r < fe->rings; r++) ring_fields(&fe->ring[r], aq, av, point + NS_RING * r, fields);
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscFunctionReturn(0);
}
