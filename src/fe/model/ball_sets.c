/*
  A contact between two sets of balls, or within one: its pairs listed where they are few, else slots for those that are near each other (balls.c).
*/
#include <string.h>
#include "fe.h"

/* Two sets of balls. */
typedef struct {
  NsFePointSet set[2];
  PetscInt     count[2], pairs, slots; /* all pairs; slots 0: all are listed */
  PetscBool    same;                   /* one set with itself */
} BallSets;

static PetscBool find_balls(NsFe *fe, const NsContactSettings *settings, BallSets *balls)
{
  const NsPartnerSettings *side = settings->between.items;
  PetscBool                same = !strcmp(NsPartnerNode(&side[0]), NsPartnerNode(&side[1]));

  for (int p = 0; p < 2; p++) {
    if (!NsFeFindSet(fe, NsPartnerNode(&side[p]), side[p].offset, NsKeysPlace(side[p].where, "node"), PETSC_FALSE, &balls->set[p]))
      return PETSC_FALSE;
    balls->count[p] = balls->set[p].count;
  }
  for (int k = 0; k < 3; k++) same = same && side[0].offset[k] == side[1].offset[k];
  if (same && side[0].radius != side[1].radius) {
    NsDiagError(fe->diag, NsKeysPlace(side[1].where, "radius"), "balls of one set have one radius, but the partners have %g m and %g m",
      side[0].radius, side[1].radius);
    return PETSC_FALSE;
  }
  balls->same          = same;
  balls->pairs         = NsFeBallPairs(balls->count, same);
  const PetscInt slots = settings->near_pairs > 0 ? (PetscInt)settings->near_pairs : NsFeBallSlots(balls->count, same);
  balls->slots         = balls->pairs <= slots ? 0 : slots;
  if (balls->pairs == 0)
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "a ball cannot touch itself: the set needs at least two balls");
  return balls->pairs > 0;
}

/* An error where a node is in both sets: its pairs would be there twice. */
static PetscBool check_common(NsFe *fe, const NsContactSettings *settings, const BallSets *balls)
{
  const NsPartnerSettings *side = settings->between.items;

  for (PetscInt i = 0, j = 0; i < balls->count[0] && !balls->same; i++) {
    const NsFePoint a = NsFePointOf(&balls->set[0], i);
    for (j = 0; j < balls->count[1] && a.body == balls->set[1].spot.body; j++) {
      if (a.node < 0 || NsFePointOf(&balls->set[1], j).node != a.node) continue;
      NsDiagError(
        fe->diag, NsKeysPlace(settings->where, "between"), "'%s' and '%s' have nodes in common", NsPartnerNode(&side[0]), NsPartnerNode(&side[1]));
      NsDiagNote(
        fe->diag, "for contacts between the balls of one set, give this set as both partners; define another contact for contacts with other balls");
      return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

PetscInt NsFeBallSets(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate)
{
  const NsPartnerSettings *side = settings->between.items;
  const NsLaw              law  = NsContactLawOf(fe->config, settings, fe->arena);
  const NsPairPoint       *point[2];
  BallSets                 balls;
  PetscInt                 count = 0;

  if (!find_balls(fe, settings, &balls)) return 0;
  if (law.across != 0 && !pair)
    NsDiagError(
      fe->diag, NsKeysPlace(settings->where, "friction"), "friction that depends on the direction is for contacts with planes, not between balls");
  if (!pair) return !check_common(fe, settings, &balls) ? 0 : balls.slots > 0 ? balls.slots : balls.pairs;
  for (int p = 0; p < 2; p++) point[p] = p == 1 && balls.same ? point[0] : NsFeKeepPoints(fe, &balls.set[p]);
  const NsPair common = {.type = &NsPairType_Balls,
    .point                     = {point[0], point[1]},
    .radius                    = {side[0].radius, side[1].radius},
    .offset                    = settings->gap_offset,
    .frame                     = NsArenaAlloc(fe->arena, sizeof(*common.frame))};
  if (balls.slots > 0) {
    *pair = common;
    return NsFeBallsCreate(fe, settings, name, point, balls.count, balls.same, balls.slots, pair, candidate) ? balls.slots : 0;
  }
  for (PetscInt i = 0; i < balls.count[0]; i++) {
    for (PetscInt j = balls.same ? i + 1 : 0; j < balls.count[1]; j++, count++) {
      pair[count]          = common;
      pair[count].point[0] = &point[0][i];
      pair[count].point[1] = &point[1][j];
      candidate[count]     = (NsCandidate){.name = name, .number = {i + 1, j + 1}, .law = law, .tolerance = settings->gap_tolerance};
    }
  }
  return count;
}
