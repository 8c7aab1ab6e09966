/*
  Balls against balls: which pairs are near each other, by a grid.

  At a search every pair is found whose gap is at most the margin m, or was in between on the straight path since the last step; it gets a slot. All others have gaps above m then, and

      max |u_a - u_a0| + max |u_b - u_b0| < m        over the balls a, b of both sets, u_0: displacements at the search

  keeps them open: as long as that holds nothing is searched. The grid's cells are as wide as the farthest centres that are looked for, so that the 27 cells around a ball have all its
  partners; balls that moved far in one step are compared with all others. A search costs some 30 comparisons a ball, and a slot is a candidate like any other.

  Slots are given and taken by the order of searches, but candidates are ordered by their balls (NsCandidate.number), and directions depend on the balls alone, not on where they met: results
  are those of a run with all pairs listed, to the last bit. Nothing here allocates after set-up.
*/
#include "balls.h"
#include <math.h>
#include "fe.h"

#define NS_MARGIN   0.2  /* of the sum of the radii */
#define NS_SLOTS_OF 8    /* a ball; in the densest packing of equal balls each touches 12, which are 6 pairs a ball */
#define NS_LISTED   5000 /* pairs: so many are listed from the start in any case */
#define NS_FAST     16   /* balls: if more than these moved far, cells grow */

typedef struct {
  PetscReal x[3], travel; /* m: position at the search; way since the end of the last step */
} Ball;

struct NsFeBalls {
  const NsContactSettings *settings;
  NsLaw                    law;
  const NsPairPoint       *point[2];
  PetscInt                 count[2], first, slots;
  PetscBool                same; /* one set with itself: pairs i < j */
  NsPair                   common;
  NsPairFrame             *frame; /* [slots] */
  PetscReal                radii, margin;
  Ball                    *ball[2];  /* [count] at the last search */
  PetscInt                *partners; /* [count[0]] first slot of each ball of the first set, */
  PetscInt                *next;     /* [slots] and the next of the same */
  PetscInt                 lowest;   /* no slot below is free */
  PetscBool                crowded;  /* a search found more pairs than slots */
  PetscInt                *cell;     /* [cells] first ball of the second set in it, */
  PetscInt                *in_cell;  /* [count[1]] and the next */
  PetscInt                 cells;    /* a power of two; different places may share one */
  PetscReal                width;    /* m */
  NsFeBalls               *others;
};

PetscInt NsFeBallPairs(const PetscInt count[2], PetscBool same)
{
  const PetscReal pairs = same ? 0.5 * count[0] * (count[0] - 1.0) : (PetscReal)count[0] * count[1];

  return pairs < PETSC_MAX_INT ? (PetscInt)pairs : PETSC_MAX_INT;
}

PetscInt NsFeBallSlots(const PetscInt count[2], PetscBool same)
{
  const PetscReal slots = NS_SLOTS_OF * ((PetscReal)count[0] + (same ? 0 : count[1]));

  return (PetscInt)PetscMax(NS_LISTED, PetscMin(slots, 1e9));
}

static PetscBool moves(const NsPairPoint *point)
{
  for (PetscInt a = 0; a < point->unknowns; a++) {
    if (NsDot3(point->move[a], point->move[a]) > 1e-24) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool may_touch(const NsFeBalls *balls, PetscInt i, PetscInt j)
{
  const NsPairPoint *a = &balls->point[0][i], *b = &balls->point[1][j];

  if (balls->same && i >= j) return PETSC_FALSE;
  return (moves(a) || moves(b)) && !NsPairPointsAlike(a, b);
}

/* The slot's pair, ready. */
static void bind(NsFeBalls *balls, PetscInt slot, PetscInt i, PetscInt j, NsPair *pair)
{
  const NsPairFrame blank = {{0}};

  *pair              = balls->common;
  pair->point[0]     = &balls->point[0][i];
  pair->point[1]     = &balls->point[1][j];
  pair->frame        = &balls->frame[slot];
  balls->frame[slot] = blank;
}

/* Until the first search all slots have the pair with the most directions. */
static PetscBool find_sample(NsFe *fe, NsFeBalls *balls, NsPair *sample)
{
  PetscInt most = -1, best[2] = {0, 0};

  for (PetscInt i = 0; i < balls->count[0]; i++) {
    for (PetscInt j = balls->same ? i + 1 : 0; j < PetscMin(balls->count[1], i + 3); j++) {
      if (!may_touch(balls, i, j)) continue;
      bind(balls, 0, i, j, sample);
      sample->type->prepare(sample, NULL, balls->law.friction);
      if (sample->frame->tangents <= most) continue;
      most    = sample->frame->tangents;
      best[0] = i;
      best[1] = j;
    }
  }
  if (most < 0) {
    NsDiagError(fe->diag, balls->settings->where->place, "this contact has no effect: its nodes are supported, or the same");
    return PETSC_FALSE;
  }
  bind(balls, 0, best[0], best[1], sample);
  return PETSC_TRUE;
}

PetscBool NsFeBallsCreate(NsFe *fe, const NsContactSettings *settings, const char *name, const NsPairPoint *const point[2], const PetscInt count[2],
  PetscBool same, PetscInt slots, NsPair *pair, NsCandidate *candidate)
{
  NsFeBalls *balls = NsArenaAlloc(fe->arena, sizeof(*balls));
  NsPair     sample;

  *balls        = (NsFeBalls){.settings = settings,
           .law                         = NsContactLawOf(fe->config, settings, fe->arena),
           .first                       = -1,
           .slots                       = slots,
           .same                        = same,
           .common                      = *pair,
           .others                      = fe->balls};
  balls->radii  = pair->radius[0] + pair->radius[1];
  balls->margin = NS_MARGIN * balls->radii;
  balls->frame  = NsArenaAlloc(fe->arena, sizeof(*balls->frame) * (size_t)slots);
  for (int p = 0; p < 2; p++) {
    balls->point[p] = point[p];
    balls->count[p] = count[p];
    balls->ball[p]  = NsArenaAlloc(fe->arena, sizeof(Ball) * (size_t)count[p]);
  }
  if (!find_sample(fe, balls, &sample)) return PETSC_FALSE;
  for (balls->cells = 64; balls->cells < 2 * count[1];) balls->cells *= 2;
  balls->partners = NsArenaAlloc(fe->arena, sizeof(PetscInt) * (size_t)count[0]);
  balls->next     = NsArenaAlloc(fe->arena, sizeof(PetscInt) * (size_t)slots);
  balls->cell     = NsArenaAlloc(fe->arena, sizeof(PetscInt) * (size_t)balls->cells);
  balls->in_cell  = NsArenaAlloc(fe->arena, sizeof(PetscInt) * (size_t)count[1]);
  for (PetscInt i = 0; i < count[0]; i++) balls->partners[i] = -1;
  for (PetscInt s = slots - 1; s >= 0; s--) {
    pair[s]       = sample;
    pair[s].frame = &balls->frame[s];
    candidate[s]  = (NsCandidate){.name = name, .slot = PETSC_TRUE, .law = balls->law, .tolerance = settings->gap_tolerance};
  }
  fe->balls = balls;
  return PETSC_TRUE;
}

void NsFeBallsNumber(NsFe *fe, PetscInt first)
{
  NsFeBalls *oldest = NULL;

  for (NsFeBalls *balls = fe->balls; balls; balls = balls->others) {
    if (balls->first < 0) oldest = balls;
  }
  oldest->first = first;
}

void NsFeBallsReach(const NsFe *fe, NsModel *model, int pass)
{
  for (const NsFeBalls *balls = fe->balls; balls; balls = balls->others) {
    PetscReal reach = 0;
    for (int p = 0; p < 2; p++) {
      PetscReal most = 0;
      for (PetscInt i = 0; i < balls->count[p]; i++) {
        const NsPairPoint *point = &balls->point[p][i];
        PetscReal          sum   = 0;
        for (PetscInt a = 0; a < point->unknowns; a++) {
          const PetscReal change  = balls->common.type->bound(&balls->common, point->move[a]);
          PetscReal      *stretch = &model->stretch[point->touch[a]];
          if (pass == 0)
            *stretch = PetscMax(*stretch, change);
          else if (change > 0)
            sum += change / *stretch;
        }
        most = PetscMax(most, sum);
      }
      reach += most;
    }
    for (PetscInt s = 0; s < balls->slots && pass == 1; s++) model->reach[balls->first + s] = reach;
  }
}

/* ---- grid ------------------------------------------------------------------------------------------------------------------------------------------ */

static PetscInt cell_of(const NsFeBalls *balls, const PetscReal x[3], const int offset[3])
{
  static const uint64_t prime[3] = {73856093, 19349663, 83492791};
  uint64_t              hash     = 0;

  for (int k = 0; k < 3; k++) {
    const PetscReal place = floor(x[k] / balls->width);
    hash ^= (uint64_t)((int64_t)PetscMax(-1e15, PetscMin(1e15, place)) + offset[k]) * prime[k];
  }
  hash ^= hash >> 17;
  return (PetscInt)(hash & (uint64_t)(balls->cells - 1));
}

/* Where the balls are, and how far each came; the way in one step that a cell allows for: all but the few fastest keep to it. */
static PetscReal place_balls(NsFeBalls *balls, const PetscReal *from, const PetscReal *to)
{
  PetscReal most = 0;
  PetscInt  fast = 0;

  for (int p = 0; p < 2; p++) {
    for (PetscInt i = 0; i < balls->count[p]; i++) {
      Ball     *ball = &balls->ball[p][i];
      PetscReal u[2][3], d[3];
      NsPointDisplacement(&balls->point[p][i], from, u[0]);
      NsPointDisplacement(&balls->point[p][i], to, u[1]);
      for (int k = 0; k < 3; k++) {
        d[k]       = u[1][k] - u[0][k];
        ball->x[k] = balls->point[p][i].x[k] + u[1][k];
      }
      ball->travel = PetscSqrtReal(NsDot3(d, d));
      most         = PetscMax(most, ball->travel);
      fast += ball->travel > balls->margin;
    }
  }
  return fast > NS_FAST ? most : PetscMin(most, balls->margin);
}

static void fill_grid(NsFeBalls *balls, PetscReal way)
{
  static const int here[3] = {0, 0, 0};

  balls->width = PetscMax(balls->radii - balls->common.offset, 0) + balls->margin + 2 * way;
  for (PetscInt c = 0; c < balls->cells; c++) balls->cell[c] = -1;
  for (PetscInt j = balls->count[1] - 1; j >= 0; j--) {
    const PetscInt c  = cell_of(balls, balls->ball[1][j].x, here);
    balls->in_cell[j] = balls->cell[c];
    balls->cell[c]    = j;
  }
}

static PetscBool is_near(const NsFeBalls *balls, PetscInt i, PetscInt j)
{
  const Ball     *a = &balls->ball[0][i], *b = &balls->ball[1][j];
  const PetscReal d[3]  = {a->x[0] - b->x[0], a->x[1] - b->x[1], a->x[2] - b->x[2]};
  const PetscReal reach = balls->radii - balls->common.offset + balls->margin * (1 + 1e-9) + a->travel + b->travel;

  return reach > 0 && NsDot3(d, d) <= reach * reach;
}

/* ---- slots ----------------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  NsModel   *model;
  NsFe      *fe;
  NsFeBalls *balls;
  PetscInt  *found, count;
} Search;

static void link(NsFeBalls *balls, NsModel *model, NsPair *pair, PetscInt slot, PetscInt i, PetscInt j)
{
  NsCandidate *candidate = &model->candidate[balls->first + slot];

  bind(balls, slot, i, j, pair);
  pair->type->prepare(pair, NULL, balls->law.friction);
  balls->next[slot]     = balls->partners[i];
  balls->partners[i]    = slot;
  candidate->number[0]  = i + 1;
  candidate->number[1]  = j + 1;
  candidate->directions = 1 + pair->frame->tangents;
  model->slots_free--;
}

/* A slot for the pair, unless it has one: the lowest that is free. */
static void take_slot(Search *search, PetscInt i, PetscInt j)
{
  NsFeBalls *balls = search->balls;
  NsModel   *model = search->model;

  if (!is_near(balls, i, j) || !may_touch(balls, i, j)) return;
  for (PetscInt s = balls->partners[i]; s >= 0; s = balls->next[s]) {
    if (model->candidate[balls->first + s].number[1] == j + 1) return;
  }
  while (balls->lowest < balls->slots && model->candidate[balls->first + balls->lowest].number[1] > 0) balls->lowest++;
  if (balls->lowest == balls->slots) {
    model->crowded = model->candidate[balls->first].name;
    balls->crowded = PETSC_TRUE;
    return;
  }
  const PetscInt slot = balls->lowest++;
  link(balls, model, &search->fe->pair[balls->first + slot], slot, i, j);
  if (search->found) search->found[search->count] = balls->first + slot;
  search->count++;
}

static void search_around(Search *search, PetscInt i)
{
  NsFeBalls *balls = search->balls;
  PetscInt   seen[27], cells = 0;

  for (int k = 0; k < 27; k++) {
    const PetscInt c   = cell_of(balls, balls->ball[0][i].x, (const int[3]){k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1});
    PetscInt       old = 0;
    while (old < cells && seen[old] != c) old++;
    if (old < cells) continue;
    seen[cells++] = c;
    for (PetscInt j = balls->cell[c]; j >= 0; j = balls->in_cell[j]) take_slot(search, i, j);
  }
}

static void search_balls(Search *search, const PetscReal *from, const PetscReal *to)
{
  NsFeBalls      *balls = search->balls;
  const PetscReal way   = place_balls(balls, from, to);

  fill_grid(balls, way);
  for (PetscInt i = 0; i < balls->count[0]; i++) {
    const PetscBool fast = balls->ball[0][i].travel > way;
    if (!fast) search_around(search, i);
    for (PetscInt j = 0; j < balls->count[1] && fast; j++) take_slot(search, i, j);
  }
  for (PetscInt j = 0; j < balls->count[1]; j++) {
    const PetscBool fast = balls->ball[1][j].travel > way;
    for (PetscInt i = 0; i < balls->count[0] && fast; i++) take_slot(search, i, j);
  }
}

PetscErrorCode NsFeBallsSearch(NsModel *model, const PetscReal *from, const PetscReal *to, PetscInt *count, PetscInt *found)
{
  NsFe  *fe     = model->data;
  Search search = {model, fe, NULL, found, 0};

  PetscFunctionBegin;
  for (search.balls = fe->balls; search.balls; search.balls = search.balls->others) search_balls(&search, from, to);
  *count = search.count;
  PetscFunctionReturn(0);
}

PetscBool NsFeBallsStray(NsModel *model, const PetscReal *touch_q)
{
  const NsFe *fe = model->data;

  for (const NsFeBalls *balls = fe->balls; balls; balls = balls->others) {
    PetscReal moved = 0;
    for (int p = 0; p < 2; p++) {
      PetscReal most = 0;
      for (PetscInt i = 0; i < balls->count[p]; i++) {
        PetscReal u[3];
        NsPointDisplacement(&balls->point[p][i], touch_q, u);
        for (int k = 0; k < 3; k++) u[k] += balls->point[p][i].x[k] - balls->ball[p][i].x[k];
        most = PetscMax(most, NsDot3(u, u));
      }
      moved += PetscSqrtReal(most);
    }
    if (!(moved < balls->margin * (1 - 1e-9) - balls->settings->gap_tolerance)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void NsFeBallsRelease(NsModel *model, PetscInt candidate)
{
  NsFe      *fe    = model->data;
  NsFeBalls *balls = fe->balls;

  while (candidate < balls->first || candidate >= balls->first + balls->slots) balls = balls->others;
  NsCandidate   *it   = &model->candidate[candidate];
  const PetscInt slot = candidate - balls->first;
  PetscInt      *link = &balls->partners[it->number[0] - 1];
  while (*link != slot) link = &balls->next[*link];
  *link         = balls->next[slot];
  balls->lowest = PetscMin(balls->lowest, slot);
  it->number[0] = it->number[1] = 0;
  model->slots_free++;
}

PetscErrorCode NsFeBallsCheckStart(NsFe *fe, NsModel *model)
{
  const PetscReal rounding = 1e-12 * PetscMax(model->length_scale, 1e-12);
  PetscInt        found, overlaps = 0;
  char            name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  for (const NsFeBalls *balls = fe->balls; balls; balls = balls->others) model->slots_free += balls->slots;
  model->slots = model->slots_free;
  PetscCall(NsFeBallsSearch(model, fe->touch_q, fe->touch_q, &found, NULL));
  for (const NsFeBalls *balls = fe->balls; balls; balls = balls->others) {
    for (PetscInt i = balls->first; i < balls->first + balls->slots; i++) {
      if (model->candidate[i].number[1] == 0) continue;
      const PetscReal gap = fe->pair[i].type->gap(&fe->pair[i], fe->touch_q, NULL);
      if (gap < -PetscMax(rounding, balls->settings->gap_tolerance) && overlaps++ < 3) {
        NsDiagError(fe->diag, balls->settings->where->place, "contact '%s' starts with a penetration of %g m",
          NsCandidateName(&model->candidate[i], name), -gap);
        NsDiagNote(fe->diag, "%s", fe->pair[i].type->side);
      }
      NsFeBallsRelease(model, i);
    }
    if (!balls->crowded) continue;
    NsDiagError(fe->diag, balls->settings->where->place, "more than %d pairs of these balls are near each other at the start", (int)balls->slots);
    NsDiagNote(fe->diag, "raise near_pairs, or name only bodies that can touch");
  }
  PetscFunctionReturn(0);
}

/* Candidates with their balls; the lists follow. */
static void serialize(NsFeBalls *balls, NsFe *fe, NsModel *model, NsArchive *archive)
{
  for (int p = 0; p < 2; p++) NsArchiveBytes(archive, "balls", sizeof(Ball) * (size_t)balls->count[p], balls->ball[p]);
  for (PetscInt s = 0; s < balls->slots; s++) {
    NsCandidate *candidate = &model->candidate[balls->first + s];
    PetscInt     number[2] = {candidate->number[0], candidate->number[1]};
    NsArchiveCount(archive, "ball", &number[0], balls->count[0]);
    NsArchiveCount(archive, "partner", &number[1], balls->count[1]);
    if (!archive->reading) continue;
    if (candidate->number[1] > 0) NsFeBallsRelease(model, balls->first + s);
    if (archive->problem[0] || (number[0] == 0 && number[1] == 0)) continue;
    if (number[0] == 0 || number[1] == 0 || !may_touch(balls, number[0] - 1, number[1] - 1)) {
      NsArchiveDeny(archive, "partner");
      return;
    }
    link(balls, model, &fe->pair[balls->first + s], s, number[0] - 1, number[1] - 1);
  }
}

void NsFeBallsSerialize(NsModel *model, NsArchive *archive)
{
  NsFe *fe = model->data;

  for (NsFeBalls *balls = fe->balls; balls; balls = balls->others) serialize(balls, fe, model, archive);
}
