/*
  Contacts that a step jumped over: open where it began, open where it ended, and closed in between.

  On the straight path from one to the other, s = 0 .. 1, a gap changes by no more than L times the change of s, where L is how far the partners move past each other (NsModelContact.travel), so
  that between two places a < b it is nowhere below

      (g(a) + g(b) - L (b - a))/2

  The least gap is searched for by halving what may be below it. Only curved contacts and those of turning bodies can be jumped over: linear gaps are least at the ends. A surface with a motion is moved to its position at the intermediate time. Inactive candidates are open all along the path, because the
  broad phase's measure of motion is convex. Cost: one pass over the touched values in each step, and the search only for candidates that come near enough.

  What is passed by less than NS_GRAZE of the way is a graze that every time step lets through, however small, and is left out.
*/
#include "broad_phase.h"

#define NS_GRAZE  0.02
#define NS_DEPTH  10   /* halvings: the least gap is found to a thousandth of the way */
#define NS_LOWEST 1e-3 /* of the way: where the gap in between may be less than this below that known already, the search goes on */

typedef struct {
  NsContact *contact;
  PetscInt   candidate;
  PetscReal  t[2];          /* s: of the two ends */
  PetscReal  travel, least; /* m */
} Search;

/* The gap at s; touch_v, which nothing else needs between two steps, holds the values there. */
static PetscErrorCode gap_at(const Search *search, PetscReal s, PetscReal *gap)
{
  NsContact      *contact = search->contact;
  NsModel        *model   = contact->model;
  NsBroadPhase   *broad   = &contact->broad;
  const PetscInt  i       = search->candidate;
  const PetscReal end     = contact->gap[i];

  PetscFunctionBegin;
  for (PetscInt j = 0; j < model->touches; j++) broad->touch_v[j] = (1 - s) * broad->touch_q[j] + s * broad->end_q[j];
  PetscCall(model->contact.rates_of(model, (1 - s) * search->t[0] + s * search->t[1], broad->touch_v, NULL, 1, &i, contact->gap, NULL));
  *gap            = contact->gap[i];
  contact->gap[i] = end;
  PetscFunctionReturn(0);
}

/* The least gap between a and b, where it is g[0] and g[1]. */
static PetscErrorCode search_between(Search *search, PetscReal a, PetscReal b, const PetscReal g[2], int depth)
{
  const PetscReal lowest = (g[0] + g[1] - search->travel * (b - a)) / 2, middle = (a + b) / 2;
  PetscReal       left[2] = {g[0], 0}, right[2] = {0, g[1]};

  PetscFunctionBegin;
  if (depth == NS_DEPTH || !(lowest < PetscMin(search->least, 0) - NS_LOWEST * search->travel)) PetscFunctionReturn(0);
  PetscCall(gap_at(search, middle, &left[1]));
  right[0]      = left[1];
  search->least = PetscMin(search->least, left[1]);
  PetscCall(search_between(search, a, middle, left, depth + 1));
  PetscCall(search_between(search, middle, b, right, depth + 1));
  PetscFunctionReturn(0);
}

/* Whether the step found the candidate open throughout. */
static PetscBool was_open(const NsContact *contact, PetscInt i)
{
  const NsContactReport *now = &contact->report[i], *before = &contact->last_report[i];

  return !contact->model->candidate[i].bilateral && !NsCandidateResists(&contact->model->candidate[i]) && now->state == NS_OPEN &&
         before->state == NS_OPEN && now->impulse[0] == 0 && now->force[0] == 0 && now->gap > 0 && before->gap >= 0;
}

/* The depth of the passage of a candidate that was open at both ends; 0: there is none. */
static PetscErrorCode look_at(Search *search, NsPassage *passage)
{
  NsContact      *contact = search->contact;
  const PetscInt  i       = search->candidate;
  const PetscReal after   = contact->report[i].gap;
  PetscReal       before  = contact->last_report[i].gap;

  PetscFunctionBegin;
  if (before + after > search->travel) PetscFunctionReturn(0);
  if (before == 0) { /* it was inactive: its report is empty */
    PetscCall(gap_at(search, 0, &before));
    if (!(before > contact->tolerance[i])) PetscFunctionReturn(0);
  }
  PetscCall(search_between(search, 0, 1, (const PetscReal[2]){before, after}, 0));
  if (-search->least > NS_GRAZE * search->travel + contact->tolerance[i] && -search->least > passage->depth)
    *passage = (NsPassage){i, before, -search->least, after, search->travel};
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactPassage(NsContact *contact, PetscReal from, PetscReal to, NsPassage *passage)
{
  NsModel      *model = contact->model;
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  passage->candidate = -1;
  passage->depth     = 0;
  if (model->flat_contacts || !model->contact.travel || !contact->actives) PetscFunctionReturn(0);
  const PetscReal moved = model->stretch ? NsBroadPhaseMotion(model, broad->touch_q, broad->end_q) : PETSC_INFINITY;
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt i = contact->active[k];
    if ((model->stretch && contact->last_report[i].gap + contact->report[i].gap > model->reach[i] * moved) || !was_open(contact, i)) continue;
    Search search = {.contact = contact, .candidate = i, .t = {from, to}};
    search.travel = model->contact.travel(model, i, search.t, broad->touch_q, broad->end_q);
    PetscCall(look_at(&search, passage));
  }
  PetscFunctionReturn(0);
}
