#include "section_loads.h"
#include <string.h>
#include "components.h"
#include "fe.h"

void NsFeAddLineLoad(NsFe *fe, PetscInt body, const PetscReal force[3], const NsTimeFunction *time)
{
  NsFeLineLoads *self = &fe->line_loads;
  NsFeLineLoad  *more = NsArenaAlloc(fe->arena, sizeof(*more) * (size_t)(self->count + 1));

  if (self->count) memcpy(more, self->load, sizeof(*more) * (size_t)self->count);
  more[self->count++] = (NsFeLineLoad){.body = body, .force = {force[0], force[1], force[2]}, .time = time};
  self->load          = more;
}

/* Zeroes; the mass of nodes as redistribution has left it. */
static void begin(const NsFe *fe, const NsFeElement *e, NsFeSectionLoads *room)
{
  *room = (NsFeSectionLoads){.loads = {.share = {1, 1}}};
  for (int k = 0; k < 2 && fe->mass_factor; k++) room->loads.share[k] = fe->mass_factor[e->node[k]];
  room->loads.acceleration = room->acceleration;
  room->loads.spin         = room->spin;
  room->loads.line         = room->line;
}

/* x[n] += factor times a vector in space, in the displacements of all nodes of the element. */
static void add_vector(const NsFe *fe, const NsFeElement *e, const PetscReal vector[3], PetscReal factor, PetscReal *x)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscInt  n    = NsFeElementSize(body);

  for (PetscInt i = 0; i < n; i++) {
    const PetscInt a = i % body->node_unknowns;
    if (!body->turns[a]) x[i] += factor * NsDot3(vector, body->direction[a]);
  }
}

/* Speed at which gyroscopic terms of the shaft are part of the matrices. */
static PetscReal spin_of(const NsFe *fe, const NsFeBody *body)
{
  return body->is_rotor && body->gyroscopic ? NsFeSpeedOf(fe, body, NULL) : 0;
}

/* ---- columns of probes ---------------------------------------------------------------------------------------------------------------------- */

static void change(const NsFe *fe, const NsFeElement *e, const PetscReal xi[3], const NsFeSectionLoads *room, PetscReal value[NS_ELEMENT_OUTPUTS])
{
  const NsFeBody *body = &fe->body[e->body];

  memset(value, 0, sizeof(*value) * NS_ELEMENT_OUTPUTS);
  body->element->loaded(body, e, &room->loads, xi, value);
}

static void add_unknown(const NsFe *fe, NsProbeColumn *column, PetscInt unknown, int order, const PetscReal *value, PetscReal factor)
{
  for (int c = 0; c < NS_ELEMENT_OUTPUTS; c++) {
    if (value[c] * factor == 0) continue;
    if (NsFeIsMoved(unknown)) NsFeMovedProbe(fe, &column[c], unknown, order, value[c] * factor);
    if (unknown >= 0) NsProbeAdd(NsProbePart(&column[c], fe->arena, order), fe->arena, unknown, value[c] * factor);
  }
}

static void add_constant(NsProbeColumn *column, const PetscReal *value)
{
  for (int c = 0; c < NS_ELEMENT_OUTPUTS; c++) column[c].constant += value[c];
}

static void add_timed(const NsFe *fe, NsProbeColumn *column, const NsTimeFunction *time, const PetscReal *value)
{
  for (int c = 0; c < NS_ELEMENT_OUTPUTS; c++) {
    if (value[c] != 0) NsProbeAddTimed(&column[c], fe->arena, time, value[c]);
  }
}

void NsFeSectionColumns(const NsFe *fe, const NsFeElement *e, const PetscReal xi[3], NsProbeColumn *column)
{
  const NsFeBody  *body = &fe->body[e->body];
  const NsMotion  *base = &fe->moving.base;
  const PetscReal  spin = spin_of(fe, body);
  PetscInt         unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt   n = NsFeElementUnknowns(fe, e, unknown);
  NsFeSectionLoads room;
  PetscReal        value[NS_ELEMENT_OUTPUTS];

  if (!body->element->loaded) return;
  begin(fe, e, &room);
  for (PetscInt i = 0; i < n; i++) {
    room.acceleration[i] = 1;
    change(fe, e, xi, &room, value);
    add_unknown(fe, column, unknown[i], 2, value, 1);
    if (body->damping_mass != 0) add_unknown(fe, column, unknown[i], 1, value, body->damping_mass);
    room.acceleration[i] = 0;
    if (spin == 0) continue;
    room.spin[i] = spin;
    change(fe, e, xi, &room, value);
    add_unknown(fe, column, unknown[i], 1, value, 1);
    room.spin[i] = 0;
  }
  if (!body->weightless) {
    add_vector(fe, e, fe->gravity, -1, room.acceleration);
    change(fe, e, xi, &room, value);
    add_constant(column, value);
    memset(room.acceleration, 0, sizeof(room.acceleration));
  }
  for (int a = 0; a < base->parts; a++) {
    add_vector(fe, e, base->part[a].vector, 1, room.acceleration);
    change(fe, e, xi, &room, value);
    add_timed(fe, column, &base->part[a].derived[2], value);
    memset(room.acceleration, 0, sizeof(room.acceleration));
  }
  for (PetscInt l = 0; l < fe->line_loads.count; l++) {
    const NsFeLineLoad *load = &fe->line_loads.load[l];
    if (load->body != e->body) continue;
    add_vector(fe, e, load->force, 1, room.line);
    change(fe, e, xi, &room, value);
    if (load->time)
      add_timed(fe, column, load->time, value);
    else
      add_constant(column, value);
    memset(room.line, 0, sizeof(room.line));
  }
}

/* ---- pictures --------------------------------------------------------------------------------------------------------------------------------- */

const NsElementLoads *NsFeSectionLoadsAt(
  const NsFe *fe, const NsFeElement *e, PetscReal t, const PetscReal *v, const PetscReal *a, NsFeSectionLoads *room)
{
  const NsFeBody *body = &fe->body[e->body];
  const PetscReal spin = spin_of(fe, body);
  PetscInt        unknown[NS_ELEMENT_UNKNOWNS];
  PetscReal       base[3] = {0};

  if (!a || !body->element->loaded) return NULL;
  begin(fe, e, room);
  const PetscInt n = NsFeElementUnknowns(fe, e, unknown);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt  j     = unknown[i];
    const PetscReal rate  = j < 0 ? NsFeHeldRate(fe, j) : v[j];
    room->acceleration[i] = (j < 0 ? NsFeHeldAcceleration(fe, j) : a[j]) + body->damping_mass * rate;
    room->spin[i]         = spin * rate;
  }
  if (!body->weightless) add_vector(fe, e, fe->gravity, -1, room->acceleration);
  NsMotionAt(&fe->moving.base, 2, t, base);
  if (fe->moving.base.parts) add_vector(fe, e, base, 1, room->acceleration);
  for (PetscInt l = 0; l < fe->line_loads.count; l++) {
    const NsFeLineLoad *load = &fe->line_loads.load[l];
    if (load->body == e->body) add_vector(fe, e, load->force, load->time ? NsTimeFunctionValue(load->time, t) : 1, room->line);
  }
  return &room->loads;
}
