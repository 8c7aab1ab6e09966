/*
  Boxes, balls, capsules and cylinders against each other: pairs that are near each other, found by sorting.

  Every shape has a bounding sphere. At a search (percuss/model.h, slots) the spheres are sorted along the axis on which their centres are spread most; those that overlap there, widened by the
  margin and by their displacement since the last step, are compared, and for pairs whose spheres are near the shapes themselves. A pair that is not found has a gap of more than the margin then, so that it
  is open until two bodies have moved by the margin together. A pair that is found has a block of slots, one for each point at which the two may touch (manifold.c).

  Cost: of a search n log n and the pairs whose extents along the axis overlap; else the near pairs. Candidates are ordered by their shapes, so that results do not depend on how slots were given.
  Nothing here allocates after set-up.
*/
#include "piles.h"
#include <string.h>

#define NS_MARGIN 0.15 /* of the smallest sphere */

typedef struct {
  const NsShape *shape;
  const char    *name;
  PetscInt       body;
  PetscReal      s[3], R[9];            /* in the body's frame */
  PetscReal      half[3], radius, disc; /* NsSolid */
  PetscBool      turns;                 /* more than a ball */
  PetscReal      bound;                 /* m: radius of the sphere around it */
  int            sets;                  /* bit 0: of the first partner; bit 1: of the second */
  NsSolid        seen;                  /* at the last search */
  PetscReal      travel;
} Item;

typedef struct {
  PetscInt item[2], next; /* next: of the same first item; -1: none */
  PetscInt used;          /* slots of the block that stand for a point */
} Block;

struct NsMbPile {
  const NsContactSettings *settings;
  const char              *name;
  PetscInt                 items, blocks, points, first, lowest;
  Item                    *item;
  Block                   *block;   /* [blocks] */
  PetscInt                *blocked; /* [items] first block of each; -1 */
  PetscReal                margin;
  PetscReal               *low; /* [items] scratch of a search */
  PetscInt                *order;
  PetscInt                 found_block; /* whose manifold is known; -1: none */
  NsManifold               manifold;
};

/* ---- settings ------------------------------------------------------------------------------------------------------------------------------------------ */

const NsShape *NsMbFindShape(const NsMultibody *self, const char *text, PetscInt *of)
{
  const char  *dot    = strchr(text, '.');
  const size_t length = dot ? (size_t)(dot - text) : strlen(text);

  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    if (strlen(body->name) != length || strncmp(body->name, text, length) != 0) continue;
    *of = b;
    for (PetscInt s = 0; s < body->shapes; s++) {
      if (dot ? !strcmp(body->shape[s].name, dot + 1) : body->shapes == 1) return &body->shape[s];
    }
  }
  return NULL;
}

/* More than a point or a ball; in the plane a cylinder is a circle. */
static PetscBool is_convex(const NsMultibody *self, const NsShape *shape)
{
  return shape->kind == NS_SHAPE_BOX || shape->kind == NS_SHAPE_CAPSULE || (shape->kind == NS_SHAPE_CYLINDER && !self->body[0].planar);
}

PetscBool NsMbIsPile(NsMultibody *self, const NsContactSettings *settings)
{
  const NsPartnerSettings *side = settings->between.items;
  PetscInt                 body;
  PetscBool                convex = PETSC_FALSE;

  if (!NsPartnerNode(&side[0]) || !NsPartnerNode(&side[1])) return PETSC_FALSE;
  for (int p = 0; p < 2; p++) {
    for (int i = 0; i < side[p].nodes.count; i++) {
      const NsShape *shape = NsMbFindShape(self, side[p].nodes.items[i], &body);
      if (shape && shape->inside) return PETSC_FALSE;
      convex = convex || (shape && is_convex(self, shape));
    }
  }
  return convex;
}

/* A capsule lies along its axis 3; in the plane along axis 1, or it is a circle. */
static void set_capsule(PetscBool planar, const NsShape *shape, Item *item)
{
  if (!planar) {
    item->half[2] = shape->half_length;
    return;
  }
  if (PetscAbsReal(shape->R[8]) > 0.5) return;
  item->half[0] = shape->half_length;
  for (int k = 0; k < 3; k++) {
    item->R[3 * k]     = shape->R[3 * k + 2];
    item->R[3 * k + 2] = k == 2;
  }
  item->R[1] = -item->R[3];
  item->R[4] = item->R[0];
  item->R[7] = 0;
}

static void make_item(const NsMultibody *self, PetscInt body, const NsShape *shape, Item *item)
{
  const PetscBool planar = self->body[0].planar;

  const PetscBool round = shape->kind == NS_SHAPE_CYLINDER && !planar;

  *item = (Item){.shape = shape, .name = self->body[body].name, .body = body, .radius = round ? 0 : shape->radius, .disc = round ? shape->radius : 0};
  memcpy(item->s, shape->x, sizeof(item->s));
  memcpy(item->R, shape->R, sizeof(item->R));
  if (planar) item->s[2] = 0;
  for (int k = 0; k < 3; k++) item->half[k] = shape->kind == NS_SHAPE_BOX ? shape->half[k] : 0;
  if (round) item->half[2] = shape->half_length;
  if (shape->kind == NS_SHAPE_CAPSULE) set_capsule(planar, shape, item);
  item->turns = is_convex(self, shape);
  item->bound =
    item->radius + PetscSqrtReal(PetscSqr(item->half[0]) + PetscSqr(item->half[1]) + (planar ? 0 : PetscSqr(item->half[2])) + PetscSqr(item->disc));
}

/* The shape `text` among the items, made if it is new. */
static void add_item(NsMultibody *self, struct NsMbPile *pile, const char *text, NsPlace place, int set)
{
  PetscInt       body  = -1, i;
  const NsShape *shape = NsMbFindShape(self, text, &body);
  const char    *dot   = strchr(text, '.');

  if (body < 0) {
    (void)NsMbFindBody(self, text, dot ? (size_t)(dot - text) : strlen(text), place); /* reports it */
    return;
  }
  if (!shape || shape->kind == NS_SHAPE_POINTS || shape->kind == NS_SHAPE_ELLIPSOID) {
    NsDiagError(self->diag, place, "'%s' is not a sphere, box, capsule or cylinder: only these can touch boxes, capsules and cylinders", text);
    NsDiagNote(self->diag, "add shapes of these kinds where the body may touch: shapes: {hull: {sphere: 50 mm}}");
    return;
  }
  const PetscReal upright = PetscAbsReal(shape->R[8]);
  if (self->body[0].planar && shape->kind != NS_SHAPE_SPHERE && upright < 1 - 1e-12 && !(shape->kind == NS_SHAPE_CAPSULE && upright < 1e-12)) {
    NsDiagError(self->diag, place, "the %s '%s' must have its z axis perpendicular to the plane in which it moves%s", NsShapeWords[shape->kind], text,
      shape->kind == NS_SHAPE_CAPSULE ? ", or in that plane" : "");
    return;
  }
  Item made;
  make_item(self, body, shape, &made);
  for (i = 0; i < pile->items; i++) {
    if (pile->item[i].shape == shape) break;
  }
  if (i == pile->items) pile->item[pile->items++] = made;
  pile->item[i].sets |= 1 << set;
}

static PetscBool may_touch(const struct NsMbPile *pile, PetscInt i, PetscInt j)
{
  const Item *a = &pile->item[i], *b = &pile->item[j];

  return a->body != b->body && (((a->sets & 1) && (b->sets & 2)) || ((a->sets & 2) && (b->sets & 1)));
}

static void make_pile(NsMultibody *self, struct NsMbPile *pile, const NsContactSettings *settings, const char *name)
{
  const NsPartnerSettings *side        = settings->between.items;
  PetscReal                least       = PETSC_MAX_REAL;
  PetscBool                pairs_touch = PETSC_FALSE;

  *pile      = (struct NsMbPile){.settings = settings, .name = name, .points = 1, .found_block = -1};
  pile->item = NsArenaAlloc(self->arena, sizeof(Item) * (size_t)(side[0].nodes.count + side[1].nodes.count));
  for (int p = 0; p < 2; p++) {
    for (int i = 0; i < side[p].nodes.count; i++)
      add_item(self, pile, side[p].nodes.items[i], side[p].nodes.where[i] ? side[p].nodes.where[i]->place : side[p].where->place, p);
  }
  if (NsDiagErrors(self->diag)) return;
  for (PetscInt i = 0; i < pile->items; i++) {
    for (PetscInt j = 0; j < i; j++) pairs_touch = pairs_touch || may_touch(pile, i, j);
  }
  if (!pairs_touch) NsDiagError(self->diag, settings->where->key_place, "no two shapes of contact '%s' belong to different bodies", name);
  for (PetscInt i = 0; i < pile->items; i++) least = PetscMin(least, pile->item[i].bound);
  PetscInt turning = 0, faces = 0;
  for (PetscInt i = 0; i < pile->items; i++) {
    turning += pile->item[i].turns ? 1 : 0;
    faces += pile->item[i].turns && pile->item[i].shape->kind != NS_SHAPE_CAPSULE ? 1 : 0;
  }
  if (turning > 1) pile->points = self->body[0].planar || faces < 2 ? 2 : NS_MANIFOLD;
  pile->margin          = NS_MARGIN * least;
  pile->blocks          = settings->near_pairs ? (PetscInt)settings->near_pairs : PetscMax(16, (self->body[0].planar ? 6 : 16) * pile->items);
  const PetscReal pairs = 0.5 * pile->items * (pile->items - 1.0);
  if (!settings->near_pairs && 4.0 / 3 * pairs + 1 < pile->blocks) pile->blocks = (PetscInt)(4.0 / 3 * pairs + 1);
  pile->block   = NsArenaAlloc(self->arena, sizeof(Block) * (size_t)pile->blocks);
  pile->blocked = NsArenaAlloc(self->arena, sizeof(PetscInt) * (size_t)pile->items);
  pile->low     = NsArenaAlloc(self->arena, sizeof(PetscReal) * (size_t)pile->items);
  pile->order   = NsArenaAlloc(self->arena, sizeof(PetscInt) * (size_t)pile->items);
  for (PetscInt i = 0; i < pile->items; i++) pile->blocked[i] = -1;
}

void NsMbPiles(NsMultibody *self)
{
  const NsList            *list     = &self->config->contacts;
  const NsContactSettings *settings = list->items;

  self->pile = NsArenaAlloc(self->arena, sizeof(*self->pile) * (size_t)(list->count + 1));
  for (int i = 0; i < list->count; i++) {
    if (!NsMbIsPile(self, &settings[i])) continue;
    if (NsWindowIsGiven(&settings[i].window))
      NsDiagError(self->diag, NsKeysPlace(settings[i].where, settings[i].window.from > 0 ? "from" : "until"),
        "contacts of shapes with each other act from the start to the end: `from` and `until` are for contacts of points and balls");
    make_pile(self, &self->pile[self->piles++], &settings[i], list->names[i]);
  }
}

PetscInt NsMbPileSlots(const NsMultibody *self)
{
  PetscInt slots = 0;

  for (PetscInt p = 0; p < self->piles; p++) slots += self->pile[p].blocks * self->pile[p].points;
  return slots;
}

/* ---- where they are ------------------------------------------------------------------------------------------------------------------------------------ */

static void place_item(const NsMultibody *self, const Item *item, NsSolid *solid)
{
  const NsFrame *frame = &self->frame[item->body];

  NsTurn(frame->R, item->s, solid->x);
  for (int k = 0; k < 3; k++) solid->x[k] += frame->x[k];
  NsProduct(frame->R, item->R, solid->R);
  for (int k = 0; k < 3; k++) solid->half[k] = item->half[k];
  solid->radius = item->radius;
  solid->disc   = item->disc;
  solid->planar = self->body[0].planar;
}

/* How far a point of the item can have moved from one place to the other. */
static PetscReal way_between(const Item *item, const NsSolid *a, const NsSolid *b)
{
  PetscReal       turned = 0;
  const PetscReal d[3]   = {a->x[0] - b->x[0], a->x[1] - b->x[1], a->x[2] - b->x[2]};

  for (int k = 0; k < 9; k++) turned += PetscSqr(a->R[k] - b->R[k]);
  return NsLength(d) + (item->turns ? item->bound * PetscSqrtReal(turned) : 0);
}

static PetscBool NsMbPilesStray(NsModel *model, const PetscReal *touch_q)
{
  NsMultibody *self = model->data;

  NsMbFrames(self, touch_q, NULL);
  for (PetscInt p = 0; p < self->piles; p++) {
    const struct NsMbPile *pile    = &self->pile[p];
    PetscReal              most[2] = {0, 0};
    for (PetscInt i = 0; i < pile->items; i++) {
      NsSolid now;
      place_item(self, &pile->item[i], &now);
      const PetscReal way = way_between(&pile->item[i], &now, &pile->item[i].seen);
      if (way > most[0]) {
        most[1] = most[0];
        most[0] = way;
      } else if (way > most[1])
        most[1] = way;
    }
    if (!(most[0] + most[1] < pile->margin * (1 - 1e-9) - pile->settings->gap_tolerance)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* ---- slots --------------------------------------------------------------------------------------------------------------------------------------------- */

static struct NsMbPile *pile_of(NsMultibody *self, PetscInt candidate)
{
  struct NsMbPile *pile = self->pile;

  while (candidate >= pile->first + pile->blocks * pile->points) pile++;
  return pile;
}

static void occupy(struct NsMbPile *pile, NsModel *model, PetscInt block, PetscInt point)
{
  NsCandidate *candidate = &model->candidate[pile->first + block * pile->points + point];

  candidate->number[0] = pile->block[block].item[0] + 1;
  candidate->number[1] = pile->block[block].item[1] + 1;
  candidate->point     = pile->points > 1 ? point + 1 : 0;
  pile->block[block].used++;
  model->slots_free--;
}

static void link_block(struct NsMbPile *pile, PetscInt block, PetscInt i, PetscInt j)
{
  pile->block[block] = (Block){.item = {i, j}, .next = pile->blocked[i]};
  pile->blocked[i]   = block;
}

static void NsMbPilesRelease(NsModel *model, PetscInt candidate)
{
  struct NsMbPile *pile  = pile_of(model->data, candidate);
  const PetscInt   block = (candidate - pile->first) / pile->points;
  NsCandidate     *it    = &model->candidate[candidate];
  PetscInt        *link  = &pile->blocked[it->number[0] - 1];

  it->number[0] = it->number[1] = 0;
  model->slots_free++;
  if (--pile->block[block].used > 0) return;
  while (*link != block) link = &pile->block[*link].next;
  *link             = pile->block[block].next;
  pile->lowest      = PetscMin(pile->lowest, block);
  pile->found_block = -1;
}

static PetscBool is_near(const struct NsMbPile *pile, PetscInt i, PetscInt j)
{
  const Item     *a = &pile->item[i], *b = &pile->item[j];
  const PetscReal d[3]  = {a->seen.x[0] - b->seen.x[0], a->seen.x[1] - b->seen.x[1], a->seen.x[2] - b->seen.x[2]};
  const PetscReal wider = pile->margin * (1 + 1e-9) + a->travel + b->travel - pile->settings->gap_offset, reach = a->bound + b->bound + wider;

  return reach > 0 && NsDot(d, d) <= reach * reach && NsSolidSeparation(&a->seen, &b->seen) <= wider;
}

typedef struct {
  NsModel  *model;
  PetscInt *found, count;
} Search;

/* Slots for all points of the pair that have none. */
static void take_slots(Search *search, struct NsMbPile *pile, PetscInt i, PetscInt j)
{
  NsModel *model = search->model;
  PetscInt block;

  if (!may_touch(pile, i, j) || !is_near(pile, i, j)) return;
  for (block = pile->blocked[i]; block >= 0 && pile->block[block].item[1] != j;) block = pile->block[block].next;
  if (block < 0) {
    while (pile->lowest < pile->blocks && pile->block[pile->lowest].used > 0) pile->lowest++;
    if (pile->lowest == pile->blocks) {
      model->crowded = pile->name;
      return;
    }
    block = pile->lowest++;
    link_block(pile, block, i, j);
  }
  for (PetscInt k = 0; k < pile->points; k++) {
    const PetscInt candidate = pile->first + block * pile->points + k;
    if (model->candidate[candidate].number[0] > 0) continue;
    occupy(pile, model, block, k);
    if (search->found) search->found[search->count] = candidate;
    search->count++;
  }
}

/* The axis on which the centres are spread most. */
static int widest_axis(const struct NsMbPile *pile)
{
  PetscReal spread[3];
  int       axis = 0;

  for (int k = 0; k < 3; k++) {
    PetscReal low = PETSC_MAX_REAL, high = -PETSC_MAX_REAL;
    for (PetscInt i = 0; i < pile->items; i++) {
      low  = PetscMin(low, pile->item[i].seen.x[k]);
      high = PetscMax(high, pile->item[i].seen.x[k]);
    }
    spread[k] = high - low;
    if (spread[k] > spread[axis]) axis = k;
  }
  return axis;
}

static PetscErrorCode search_pile(Search *search, NsMultibody *self, struct NsMbPile *pile, const PetscReal *from, const PetscReal *to)
{
  PetscFunctionBegin;
  NsMbFrames(self, from, NULL);
  for (PetscInt i = 0; i < pile->items; i++) place_item(self, &pile->item[i], &pile->item[i].seen);
  NsMbFrames(self, to, NULL);
  for (PetscInt i = 0; i < pile->items; i++) {
    Item         *item = &pile->item[i];
    const NsSolid old  = item->seen;
    place_item(self, item, &item->seen);
    item->travel = way_between(item, &old, &item->seen);
  }
  const int       axis  = widest_axis(pile);
  const PetscReal wider = PetscMax(0, -pile->settings->gap_offset) / 2; /* with it the sums of is_near */
  for (PetscInt i = 0; i < pile->items; i++) {
    const Item *item = &pile->item[i];
    pile->order[i]   = i;
    pile->low[i]     = item->seen.x[axis] - item->bound - item->travel - pile->margin - wider;
  }
  PetscCall(PetscSortRealWithArrayInt(pile->items, pile->low, pile->order));
  for (PetscInt a = 0; a < pile->items; a++) {
    const Item     *item = &pile->item[pile->order[a]];
    const PetscReal high = item->seen.x[axis] + item->bound + item->travel + pile->margin + wider;
    for (PetscInt b = a + 1; b < pile->items && !(pile->low[b] > high); b++)
      take_slots(search, pile, PetscMin(pile->order[a], pile->order[b]), PetscMax(pile->order[a], pile->order[b]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsMbPilesSearch(NsModel *model, const PetscReal *from, const PetscReal *to, PetscInt *count, PetscInt *found)
{
  NsMultibody *self   = model->data;
  Search       search = {model, found, 0};

  PetscFunctionBegin;
  for (PetscInt p = 0; p < self->piles; p++) PetscCall(search_pile(&search, self, &self->pile[p], from, to));
  *count = search.count;
  PetscFunctionReturn(0);
}

static void serialize(struct NsMbPile *pile, NsModel *model, NsArchive *archive)
{
  for (PetscInt i = 0; i < pile->items; i++) {
    NsArchiveReals(archive, "seen", 3, pile->item[i].seen.x);
    NsArchiveReals(archive, "seen_axes", 9, pile->item[i].seen.R);
  }
  for (PetscInt s = 0; s < pile->blocks * pile->points && archive->reading; s++) {
    if (model->candidate[pile->first + s].number[0] > 0) NsMbPilesRelease(model, pile->first + s);
  }
  for (PetscInt b = 0; b < pile->blocks; b++) {
    PetscInt item[2] = {0, 0};
    for (int k = 0; k < 2 && pile->block[b].used; k++) item[k] = pile->block[b].item[k] + 1;
    for (int k = 0; k < 2; k++) NsArchiveCount(archive, "item", &item[k], pile->items);
    if (archive->reading && !archive->problem[0] && item[0] > 0) {
      if (item[1] == 0 || !may_touch(pile, item[0] - 1, item[1] - 1)) {
        NsArchiveDeny(archive, "item");
        return;
      }
      link_block(pile, b, item[0] - 1, item[1] - 1);
    }
    for (PetscInt k = 0; k < pile->points && item[0] > 0; k++) {
      PetscInt used = model->candidate[pile->first + b * pile->points + k].number[0] > 0;
      NsArchiveCount(archive, "used", &used, 1);
      if (archive->reading && !archive->problem[0] && used) occupy(pile, model, b, k);
    }
  }
}

static void NsMbPilesSerialize(NsModel *model, NsArchive *archive)
{
  NsMultibody *self = model->data;

  for (PetscInt p = 0; p < self->piles; p++) serialize(&self->pile[p], model, archive);
}

/* ---- points -------------------------------------------------------------------------------------------------------------------------------------------- */

void NsMbPileBegin(NsMultibody *self)
{
  for (PetscInt p = 0; p < self->piles; p++) self->pile[p].found_block = -1;
}

/* The manifold of the candidate's pair at the frames; that of the last call, if it is of the same. */
static struct NsMbPile *find_manifold(NsMultibody *self, PetscInt candidate, PetscInt *block)
{
  struct NsMbPile *pile = pile_of(self, candidate);

  *block = (candidate - pile->first) / pile->points;
  if (pile->found_block != *block) {
    NsSolid a, b;
    place_item(self, &pile->item[pile->block[*block].item[0]], &a);
    place_item(self, &pile->item[pile->block[*block].item[1]], &b);
    NsManifoldFind(&a, &b, &pile->manifold);
    pile->found_block = *block;
  }
  return pile;
}

PetscReal NsMbPileAt(NsMultibody *self, PetscInt candidate, PetscInt rows, NsMbWrench *wrench)
{
  struct NsMbPile *pile = pile_of(self, candidate);
  PetscInt         block, k = (candidate - pile->first) % pile->points;

  if (pile->block[(candidate - pile->first) / pile->points].used == 0) return self->length; /* of no pair */
  (void)find_manifold(self, candidate, &block);
  const NsManifold *manifold = &pile->manifold;
  const Item       *a = &pile->item[pile->block[block].item[0]], *b = &pile->item[pile->block[block].item[1]];
  const PetscBool   there = k < manifold->points;
  k                       = PetscMin(k, manifold->points - 1);
  const PetscReal gap     = there ? manifold->gap[k] + pile->settings->gap_offset : 2 * (a->bound + b->bound); /* open: fewer points than slots */
  if (wrench) NsMbTouchWrench(self, (const PetscInt[2]){a->body, b->body}, manifold->n, manifold->x[k], gap, rows, wrench);
  return gap;
}

void NsMbPileSides(NsMultibody *self, PetscInt candidate, NsSide side[2], PetscReal reach[2])
{
  const struct NsMbPile *pile = pile_of(self, candidate);

  for (int p = 0; p < 2; p++) {
    const Item *item = &pile->item[pile->block[(candidate - pile->first) / pile->points].item[p]];
    side[p].body     = item->body;
    memcpy(side[p].s, item->s, sizeof(side[p].s));
    reach[p] = item->turns ? item->bound : 0;
  }
}

void NsMbPilePoint(NsMultibody *self, PetscInt candidate, PetscReal x[3], PetscReal n[3])
{
  struct NsMbPile *pile = pile_of(self, candidate);
  PetscInt         block, k = (candidate - pile->first) % pile->points;

  for (int i = 0; i < 3; i++) x[i] = n[i] = 0;
  if (pile->block[(candidate - pile->first) / pile->points].used == 0) return;
  (void)find_manifold(self, candidate, &block);
  k = PetscMin(k, pile->manifold.points - 1);
  for (int i = 0; i < 3; i++) {
    x[i] = pile->manifold.x[k][i];
    n[i] = pile->manifold.n[i];
  }
}

/* ---- candidates ---------------------------------------------------------------------------------------------------------------------------------------- */

/* Overlaps at the start are errors, and more near pairs than slots. */
static PetscErrorCode check_start(NsMultibody *self, NsModel *model)
{
  PetscInt found, overlaps = 0;
  char     name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  PetscCall(NsMbPilesSearch(model, self->start_q, self->start_q, &found, NULL));
  NsMbFrames(self, self->start_q, self->start_v);
  NsMbPileBegin(self);
  for (PetscInt p = 0; p < self->piles; p++) {
    struct NsMbPile *pile = &self->pile[p];
    PetscInt         last = -1; /* one error for each pair */
    for (PetscInt c = pile->first; c < pile->first + pile->blocks * pile->points; c++) {
      if (model->candidate[c].number[0] == 0) continue;
      const PetscReal gap = NsMbPileAt(self, c, 0, NULL);
      if (gap >= -self->config->assembly->tolerance || last == (c - pile->first) / pile->points) continue;
      last = (c - pile->first) / pile->points;
      if (overlaps++ < 3) {
        NsDiagError(self->diag, pile->settings->where->key_place, "contact '%s' starts with a penetration of %.4g m: '%s' and '%s'",
          NsCandidateName(&model->candidate[c], name), -gap, pile->item[model->candidate[c].number[0] - 1].name,
          pile->item[model->candidate[c].number[1] - 1].name);
        NsDiagNote(self->diag, "move the bodies apart; up to %g m is allowed (assembly.tolerance)", self->config->assembly->tolerance);
      }
    }
    for (PetscInt c = pile->first; c < pile->first + pile->blocks * pile->points; c++) {
      if (model->candidate[c].number[0] > 0) NsMbPilesRelease(model, c);
    }
    if (model->crowded != pile->name) continue;
    NsDiagError(self->diag, pile->settings->where->key_place, "more than %d pairs of contact '%s' are near each other at the start",
      (int)pile->blocks, pile->name);
    NsDiagNote(self->diag, "raise near_pairs, or name only shapes that can touch");
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsMbPileCandidates(NsMultibody *self, NsModel *model, PetscInt first)
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < self->piles; p++) {
    struct NsMbPile         *pile     = &self->pile[p];
    const NsContactSettings *settings = pile->settings;
    const NsLaw              law      = NsContactLawOf(self->config, settings, self->arena);
    PetscReal                depth    = PETSC_MAX_REAL;
    pile->first                       = first;
    if (NsLawResistance(&law, NS_ROLLING) + NsLawResistance(&law, NS_DRILLING) > 0)
      NsDiagError(self->diag, NsKeysPlace(settings->where, "friction"),
        "rolling and drilling resistance are for contacts of spheres and points, not for boxes that touch over areas");
    if (law.across != 0)
      NsDiagError(self->diag, settings->where->key_place,
        "friction that depends on the direction is for planes: tangents of contact '%s' turn with the bodies", pile->name);
    for (PetscInt i = 0; i < pile->items; i++) depth = PetscMin(depth, pile->item[i].bound / 2);
    for (PetscInt s = 0; s < pile->blocks * pile->points; s++) {
      model->candidate[first + s] = (NsCandidate){.name = pile->name,
        .slot                                           = PETSC_TRUE,
        .directions                                     = law.friction > 0 ? self->body[0].planar ? 2 : 3 : 1,
        .tolerance                                      = settings->gap_tolerance,
        .clearance                                      = PETSC_MAX_REAL,
        .depth                                          = depth,
        .law                                            = law};
    }
    first += pile->blocks * pile->points;
  }
  model->slots = model->slots_free = NsMbPileSlots(self);
  if (!model->slots) PetscFunctionReturn(0);
  model->contact.strays    = NsMbPilesStray;
  model->contact.search    = NsMbPilesSearch;
  model->contact.release   = NsMbPilesRelease;
  model->contact.serialize = NsMbPilesSerialize;
  PetscCall(check_start(self, model));
  PetscFunctionReturn(0);
}
