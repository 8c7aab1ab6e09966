/* Node to surface with updated projection: see sliding.h. */
#include "sliding.h"
#include <string.h>
#include "lines.h"

#define NS_COARSE  2.0 /* degrees between faces of a curved surface */
#define NS_FAR     0.3 /* of a face: expected sliding from which on it is not small */
#define NS_SAMPLES 400 /* times at which prescribed motions are looked at */
#define NS_STRETCH 1.1 /* sum of the |N_k| up to the rim, at most */

struct NsFeSliding {
  NsFaces           *faces;
  const NsFeSurface *master;
  NsPairPoint       *node; /* [nodes of the master] */
  NsFeSliding       *next;
};

/* Of a pair: the mean of the master's nodes opposite to it, as of the last gap or rows. */
typedef struct {
  const NsFeSliding *sliding;
  NsPairPoint        mean;
  PetscInt          *touch;
  PetscReal (*move)[3];
} Slave;

/* ---- the pair --------------------------------------------------------------------------------------------------------------------------------- */

static void set_mean(Slave *self, const NsNearest *nearest)
{
  NsPairPoint *mean = &self->mean;

  mean->unknowns = 0;
  for (int k = 0; k < 3; k++) mean->x[k] = 0;
  for (PetscInt a = 0; a < nearest->nodes; a++) {
    const NsPairPoint *node = &self->sliding->node[nearest->node[a]];
    for (int k = 0; k < 3; k++) mean->x[k] += nearest->N[a] * node->x[k];
    for (PetscInt i = 0; i < node->unknowns && nearest->N[a] != 0; i++, mean->unknowns++) {
      self->touch[mean->unknowns] = node->touch[i];
      for (int k = 0; k < 3; k++) self->move[mean->unknowns][k] = nearest->N[a] * node->move[i][k];
    }
  }
}

static void look(const NsPair *pair, const PetscReal *touch_q, NsNearest *nearest)
{
  Slave    *self = pair->data;
  PetscReal x[3];

  NsPointDisplacement(pair->point[0], touch_q, x);
  for (int k = 0; k < 3; k++) x[k] += pair->point[0]->x[k];
  NsFacesNearest(self->sliding->faces, x, nearest);
  set_mean(self, nearest);
}

static PetscReal gap(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  NsNearest nearest;

  look(pair, touch_q, &nearest);
  for (int k = 0; n && k < 3; k++) n[k] = nearest.n[k];
  return nearest.gap + pair->offset;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  static const PetscReal none[2] = {0, 0};
  NsNearest              nearest;

  PetscFunctionBegin;
  look(pair, touch_q, &nearest);
  PetscCall(NsRowsAddCurved(out, pair, t, nearest.n, none));
  PetscFunctionReturn(0);
}

/* Directions by the face that is nearest at the start, so that they are alike for all nodes opposite to one face. */
static void prepare(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  const Slave    *self    = pair->data;
  const PetscReal axis[3] = {0, 0, self->sliding->master->dimension == 2 ? -1 : 0};
  NsNearest       nearest;

  look(pair, touch_q, &nearest);
  NsPairPrepareCurved(pair, nearest.facet_normal, axis, friction);
}

/* The distance changes by no more than the point moves. */
static PetscReal bound(const NsPair *pair, const PetscReal move[3])
{
  (void)pair;
  return NS_STRETCH * PetscSqrtReal(NsDot3(move, move));
}

static const NsPairPoint *others(const NsPair *pair, int p, PetscInt *count)
{
  const NsFeSliding *sliding = ((const Slave *)pair->data)->sliding;

  *count = sliding->master->nodes;
  return p == 0 ? NULL : sliding->node;
}

const NsPairType NsPairType_Sliding = {
  .name      = "surface",
  .about     = "a node against the nearest face of a surface of a solid",
  .prepare   = prepare,
  .gap       = gap,
  .rows      = rows,
  .bound     = bound,
  .clearance = NsPairClearanceOpen,
  .others    = others,
};

/* ---- set-up ----------------------------------------------------------------------------------------------------------------------------------- */

/* Which supports move a body, by the first node that they move: sets and directions; how many. */
static int moved_by(const NsFe *fe, const NsFeBody *body, const NsFeMovedUnknown *by[3])
{
  int count = 0;

  for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes && !count; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns && count < 3; a++) {
      if (NsFeIsMoved(unknown[a])) by[count++] = &fe->moving.unknown[-2 - unknown[a]];
    }
  }
  return count;
}

/* The displacement of a body at t that is prescribed: by its initial velocity, or by its supports. */
static void prescribed(const NsFe *fe, const NsFeBody *body, int count, const NsFeMovedUnknown *const by[3], PetscReal t, PetscReal u[3])
{
  for (int k = 0; k < 3; k++) u[k] = t * body->velocity[k];
  for (int i = 0; i < count; i++) {
    PetscReal motion[3];
    NsMotionAt(&fe->moving.motion[by[i]->set], 0, t, motion);
    const PetscReal change = NsDot3(by[i]->direction, motion) - NsDot3(by[i]->direction, u);
    for (int k = 0; k < 3; k++) u[k] += by[i]->direction[k] * change;
  }
}

/* The largest relative displacement across the master's mean normal that initial velocities and moving supports prescribe up to the end of the run. */
static PetscReal expected_slide(const NsFe *fe, const NsFeSurfaceContact *contact)
{
  const PetscReal        *normal = contact->surface[1]->mean, end = fe->config->time->end;
  const NsFeMovedUnknown *by[2][3];
  int                     count[2];
  PetscReal               most = 0;

  for (int p = 0; p < 2; p++) count[p] = moved_by(fe, contact->surface[p]->body, by[p]);
  for (int i = 1; i <= NS_SAMPLES; i++) {
    const PetscReal t = end * i / NS_SAMPLES;
    PetscReal       u[2][3], d[3];
    for (int p = 0; p < 2; p++) prescribed(fe, contact->surface[p]->body, count[p], by[p], t, u[p]);
    for (int k = 0; k < 3; k++) d[k] = u[0][k] - u[1][k];
    const PetscReal along = NsDot3(d, normal);
    most                  = PetscMax(most, PetscSqrtReal(PetscMax(0, NsDot3(d, d) - along * along)));
  }
  return most;
}

PetscBool NsFeSlidesFar(const NsFe *fe, NsFeSurfaceContact *contact)
{
  const NsContactSettings *settings = contact->settings;

  if (settings->tied) return PETSC_FALSE;
  contact->expected = expected_slide(fe, contact);
  if (settings->sliding != NS_SLIDING_AUTO) return settings->sliding == NS_SLIDING_FINITE;
  return contact->expected > NS_FAR * contact->surface[1]->face_size;
}

/* A node that passes an edge hits the next face with sin(angle) of its sliding velocity, or leaves the surface for a moment: it loses up to sin(angle)^2 of its energy. */
static void warn_of_edges(NsFe *fe, const NsFeSurfaceContact *contact)
{
  PetscReal       at[3] = {0, 0, 0};
  const PetscReal angle = NsFacesTurn(fe->arena, contact->sliding->faces, at), degrees = angle * 180 / PETSC_PI;

  if (degrees <= 1.001 * NS_COARSE) return;
  NsDiagWarning(fe->diag, NsKeysPlace(contact->settings->where, "between"),
    "neighbouring faces of '%s' differ in direction by %.3g degrees at (%.4g, %.4g, %.4g) m: nodes that slide over such edges hit them with %.2g %% of their velocity",
    contact->surface[1]->name, degrees, at[0], at[1], at[2], 100 * PetscSinReal(angle));
  NsDiagNote(fe->diag, "mesh the curved edges of the second surface with faces of at most %g degrees each: 180 around a circle", NS_COARSE);
}

void NsFeSlidingCreate(NsFe *fe, NsFeSurfaceContact *contact)
{
  const NsFeSurface *slave = contact->surface[0], *master = contact->surface[1];
  NsFeMortar        *rows    = &contact->mortar;
  NsFeSliding       *sliding = NsArenaAlloc(fe->arena, sizeof(*sliding));
  const size_t       nodes   = (size_t)slave->nodes;

  *sliding         = (NsFeSliding){.faces = NsFacesCreate(fe->arena, master), .master = master, .next = fe->sliding};
  fe->sliding      = sliding;
  contact->sliding = sliding;
  *rows            = (NsFeMortar){.folded = -1};
  rows->slave      = NsArenaAlloc(fe->arena, sizeof(*rows->slave) * nodes);
  rows->area       = NsArenaAlloc(fe->arena, sizeof(*rows->area) * nodes);
  rows->gap        = NsArenaAlloc(fe->arena, sizeof(*rows->gap) * nodes);
  for (PetscInt i = 0; i < slave->nodes; i++) {
    NsNearest nearest;
    if (slave->faces && slave->area[i] == 0) continue; /* corners of faces with six nodes */
    NsFacesNearest(sliding->faces, slave->x[i], &nearest);
    rows->slave[rows->rows] = i;
    rows->area[rows->rows]  = slave->faces ? slave->area[i] : 0;
    rows->gap[rows->rows++] = nearest.gap;
    if (nearest.beyond) rows->left_out++;
  }
  warn_of_edges(fe, contact);
}

/* The nodes of the master as points, once. */
static void keep_nodes(NsFe *fe, NsFeSliding *sliding)
{
  const NsFeSurface *master = sliding->master;

  if (sliding->node) return;
  sliding->node = NsFeAddPairPoints(fe, master->nodes);
  for (PetscInt i = 0; i < master->nodes; i++) {
    const NsFePoint spot = {.body = (PetscInt)(master->body - fe->body), .node = master->node[i], .element = -1};
    NsPoint         point;
    NsFeExpandContact(fe, &spot, &point);
    NsPairPointKeep(&point, i > 0 ? &sliding->node[i - 1] : NULL, fe->arena, &sliding->node[i]);
  }
}

void NsFeSlidingPair(NsFe *fe, const NsFeSurfaceContact *contact, const NsPairPoint *point, NsPair *pair)
{
  static const PetscReal none[3] = {0, 0, 0};
  Slave                 *self    = NsArenaAlloc(fe->arena, sizeof(*self));
  PetscInt               most    = 0;

  keep_nodes(fe, contact->sliding);
  for (PetscInt i = 0; i < contact->surface[1]->nodes; i++) most = PetscMax(most, contact->sliding->node[i].unknowns);
  const size_t room = (size_t)(most * NS_FACET_NODES);
  self->sliding     = contact->sliding;
  self->touch       = NsArenaAlloc(fe->arena, sizeof(*self->touch) * room);
  self->move        = NsArenaAlloc(fe->arena, sizeof(*self->move) * room);
  self->mean        = (NsPairPoint){.touch = self->touch, .move = (const PetscReal(*)[3])self->move, .axis = none};
  self->mean.turn   = NsArenaAlloc(fe->arena, sizeof(*self->mean.turn) * room); /* solids have no rotations: zero */
  pair->type        = &NsPairType_Sliding;
  pair->data        = self;
  pair->point[0]    = point;
  pair->point[1]    = &self->mean;
}

void NsFeSlidingAt(NsFe *fe, const PetscReal *touch_q, PetscInt touches)
{
  if (!fe->sliding && !fe->lines) return;
  if (fe->sliding_q && !memcmp(fe->sliding_q, touch_q, sizeof(*touch_q) * (size_t)touches)) return;
  if (!fe->sliding_q) fe->sliding_q = NsArenaAlloc(fe->arena, sizeof(*fe->sliding_q) * (size_t)(touches + 1));
  memcpy(fe->sliding_q, touch_q, sizeof(*touch_q) * (size_t)touches);
  for (const NsFeSliding *sliding = fe->sliding; sliding; sliding = sliding->next) {
    PetscReal(*x)[3] = NsFacesPositions(sliding->faces);
    for (PetscInt i = 0; i < sliding->master->nodes; i++) {
      NsPointDisplacement(&sliding->node[i], touch_q, x[i]);
      for (int k = 0; k < 3; k++) x[i][k] += sliding->node[i].x[k];
    }
    NsFacesPlace(sliding->faces);
  }
  NsFeLinesAt(fe->lines, touch_q);
}

PetscReal NsFeSlidingSlip(const NsPair *pair, const PetscReal *touch_q)
{
  NsNearest nearest;
  PetscReal u[2][3], square = 0, along = 0;

  look(pair, touch_q, &nearest);
  for (int p = 0; p < 2; p++) NsPointDisplacement(pair->point[p], touch_q, u[p]);
  for (int k = 0; k < 3; k++) {
    square += PetscSqr(u[1][k] - u[0][k]);
    along += nearest.n[k] * (u[1][k] - u[0][k]);
  }
  return PetscSqrtReal(PetscMax(0, square - along * along));
}
