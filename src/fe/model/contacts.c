/*
  All contacts of the config: their candidates (candidates.c), checked and in one list, and the touch list.

  The touch list are the unknowns of all points in contacts, ascending: the only ones a reaction can act on.
*/
#include <string.h>
#include "equilibrium.h"
#include "fe/surface/contact.h"
#include "fe/surface/lines.h"

#define NS_MOST_CANDIDATES 1000000 /* each takes up to 1 kB of rows and lists (tests/bench/memory.py) */

static PetscBool is_same_place(const PetscReal a[3], const PetscReal b[3])
{
  return PetscMax(PetscMax(PetscAbsReal(a[0] - b[0]), PetscAbsReal(a[1] - b[1])), PetscAbsReal(a[2] - b[2])) < 1e-12;
}

PetscBool NsFeSamePoint(const NsPairPoint *a, const NsPairPoint *b)
{
  if (!NsPairPointsAlike(a, b) || !is_same_place(a->x, b->x)) return PETSC_FALSE;
  for (PetscInt i = 0; i < a->unknowns; i++) {
    if (!is_same_place(a->move[i], b->move[i])) return PETSC_FALSE; /* between two nodes: other shares of the same unknowns */
  }
  return PETSC_TRUE;
}

/* The touch list: unknowns of all points, ascending, each once; and where each point finds its own. */
static PetscErrorCode make_touch_list(NsFe *fe, NsModel *model)
{
  PetscInt *position; /* [unknown] in the list */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(fe->unknowns + 1, &position));
  for (const NsFePairPoints *block = fe->pair_points; block; block = block->next) {
    for (PetscInt i = 0; i < block->count; i++) {
      for (PetscInt a = 0; a < block->point[i].unknowns; a++) position[block->point[i].touch[a]] = 1;
    }
  }
  for (PetscInt i = 0; i < fe->unknowns; i++) model->touches += position[i];
  model->touch = NsArenaAlloc(fe->arena, sizeof(*model->touch) * (size_t)(1 + model->touches));
  for (PetscInt i = 0, at = 0; i < fe->unknowns; i++) {
    if (!position[i]) continue;
    position[i]        = at;
    model->touch[at++] = i;
  }
  for (const NsFePairPoints *block = fe->pair_points; block; block = block->next) {
    for (PetscInt i = 0; i < block->count; i++) {
      for (PetscInt a = 0; a < block->point[i].unknowns; a++) block->point[i].touch[a] = position[block->point[i].touch[a]];
    }
  }
  PetscCall(PetscFree(position));
  const NsPairPoint *last = NULL; /* those of a surface are counted once */
  for (PetscInt i = 0, mean = 0; i < fe->pairs; i++) {
    const NsPairPoint *point[2];
    PetscInt           count[2];
    NsPairPoints(&fe->pair[i], point, count);
    for (PetscInt k = mean = point[1] == last ? mean : 0; k < count[1] && point[1] != last; k++) mean = PetscMax(mean, point[1][k].unknowns);
    last = point[1];
    model->row_entries =
      PetscMax(model->row_entries, (count[0] > 1 ? NS_PAIR_MEAN : 1) * point[0]->unknowns + (count[1] > 1 ? NS_PAIR_MEAN : 1) * mean);
  }
  fe->touch_q = NsArenaAlloc(fe->arena, sizeof(*fe->touch_q) * (size_t)(model->touches + 1));
  fe->touch_v = NsArenaAlloc(fe->arena, sizeof(*fe->touch_v) * (size_t)(model->touches + 1));
  PetscFunctionReturn(0);
}

/* "'floor.1' at (0, 0, 0)", with how many others. */
static const char *name_some(NsFe *fe, const NsCandidate *candidate, const NsPair *pair, PetscInt others)
{
  char             text[NS_CANDIDATE_NAME];
  const PetscReal *x    = pair->point[0]->x;
  const char      *name = NsArenaPrint(fe->arena, "'%s' at (%g, %g, %g)", NsCandidateName(candidate, text), x[0], x[1], x[2]);

  return others ? NsArenaPrint(fe->arena, "%s and %d more", name, (int)others) : name;
}

/* The frame of a pair from that of its contact; shared with the previous pair (or NULL) if both are equal. */
static void prepare(NsFe *fe, const NsContactSettings *settings, NsLaw *law, NsPair *pair, NsPairFrame *last)
{
  NsPairFrame frame;

  memset(&frame, 0, sizeof(frame)); /* to be compared */
  for (int k = 0; k < 3; k++) frame.normal[k] = pair->frame->normal[k];
  pair->frame = &frame;
  pair->type->prepare(pair, fe->touch_q, law->friction);
  if (!NsContactLawTurn(law, frame.normal, frame.tangents, frame.tangent))
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "friction"), "`along` of the anisotropy is normal to the surface");
  pair->frame = last;
  if (last && !memcmp(last, &frame, sizeof(frame))) return;
  pair->frame  = NsArenaAlloc(fe->arena, sizeof(*pair->frame));
  *pair->frame = frame;
}

/*
  The candidates of a contact with `count` of them, from `first`, into the list at `to`; how many it keeps. Gaps that cannot change are left out, or the Delassus matrix would be zero: held
  nodes among others that are free. Where all are held the contact is a mistake.
*/
static PetscInt keep_acting(NsFe *fe, const NsContactSettings *settings, PetscInt first, PetscInt count, PetscInt to, NsCandidate *candidate)
{
  const PetscBool rubs = count > 0 && candidate[first].law.friction > 0;
  PetscInt        kept = 0, held = -1, still = -1, stills = 0; /* the first one held, the first that cannot slide */

  for (PetscInt i = first; i < first + count; i++) {
    NsPair *pair = &fe->pair[i];
    prepare(fe, settings, &candidate[i].law, pair, i > first ? fe->pair[i - 1].frame : NULL);
    if (!NsPairActs(pair)) {
      held = held < 0 ? i : held;
      continue;
    }
    still = still < 0 && pair->frame->tangents == 0 ? i : still;
    stills += pair->frame->tangents == 0;
    kept++;
  }
  if (!kept && count)
    NsDiagError(fe->diag, settings->where->place, "this contact has no effect: its nodes are supported, or cannot move along its normal");
  if (kept && held >= 0 && !settings->tied) {
    NsDiagWarning(fe->diag, settings->where->place, "%s can never touch and %s ignored: supported, or fixed along the normal",
      name_some(fe, &candidate[held], &fe->pair[held], count - kept - 1), count - kept > 1 ? "are" : "is");
  }
  if (rubs && stills == kept && kept)
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "friction"), "friction has no effect here: the nodes cannot move along the surface");
  else if (rubs && stills)
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "friction"), "friction has no effect on %s, which cannot move along the surface",
      name_some(fe, &candidate[still], &fe->pair[still], stills - 1));
  for (PetscInt i = first; i < first + count; i++) {
    if (!NsPairActs(&fe->pair[i])) continue;
    fe->pair[to]    = fe->pair[i];
    candidate[to++] = candidate[i];
  }
  return kept;
}

static void check_initial_gap(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const NsPair *pair, const NsCandidate *candidate)
{
  const NsPartnerSettings *side = settings->between.items;
  const PetscReal         *x    = pair->point[0]->x;
  char                     name[NS_CANDIDATE_NAME];
  const PetscReal          g = pair->type->gap(pair, fe->touch_q, NULL);

  if (g >= -PetscMax(1e-12 * PetscMax(model->length_scale, 1e-12), settings->gap_tolerance)) return;
  NsDiagError(fe->diag, settings->where->place, "contact '%s' starts with a penetration of %g m%s", NsCandidateName(candidate, name), -g,
    side[0].sides || side[1].sides ? NsArenaPrint(fe->arena, " at (%g, %g, %g) m", x[0], x[1], x[2]) : "");
  if (candidate->face > 0 && -g > candidate->face)
    NsDiagNote(fe->diag,
      "that is deeper than the size of a face: the surfaces face away from each other, or the bodies overlap; name the sides that face each other");
  else if (side[0].sides || side[1].sides)
    NsDiagNote(fe->diag, "`adjust: %.3g mm` takes it as closed; for a press fit write `start: static`", 1.01e3 * -g);
  else if (pair->type->side)
    NsDiagNote(fe->diag, "%s", pair->type->side);
  if (!fe->rest) return;
  NsDiagNote(fe->diag, "the initial state is the static equilibrium (`start: static`)");
  NsFeNoteStaticsApart(fe);
}

/* Of the candidates of two surfaces from `first` on, which follow each other, the deepest; *end: behind them. */
static PetscInt deepest(const NsFe *fe, const PetscInt *source, PetscInt first, PetscInt *end)
{
  PetscInt  found = first;
  PetscReal least = PETSC_MAX_REAL;

  for (*end = first; *end < fe->pairs && source[*end] == source[first]; ++*end) {
    const PetscReal g = fe->pair[*end].type->gap(&fe->pair[*end], fe->touch_q, NULL);
    if (g < least) found = *end;
    least = PetscMin(least, g);
  }
  return found;
}

/* Of links: the bodies start where they are given. */
static void check_initial_link(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const NsPair *pair, const NsCandidate *candidate)
{
  char            name[NS_CANDIDATE_NAME];
  const PetscReal g = pair->type->gap(pair, fe->touch_q, NULL);

  if (PetscAbsReal(g) <= 1e-9 * model->length_scale) return;
  NsDiagError(fe->diag, settings->where->place, "'%s' is violated by %.4g at the start: give both bodies the same `initial` displacement",
    NsCandidateName(candidate, name), g);
}

static void check_initial_gaps(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const PetscInt *source)
{
  for (PetscInt i = 0, end = 0; i < fe->pairs; i = end) {
    const NsPartnerSettings *side = settings[source[i]].between.items;
    end                           = i + 1;
    const PetscInt shown          = side[0].sides || side[1].sides ? deepest(fe, source, i, &end) : i;
    if (settings[source[i]].held)
      check_initial_link(fe, model, &settings[source[i]], &fe->pair[i], &model->candidate[i]);
    else if (!model->candidate[i].slot && !settings[source[i]].tied && !NsIsOff(model->candidate[i].off) && !NsCandidateResists(&model->candidate[i]))
      check_initial_gap(fe, model, &settings[source[i]], &fe->pair[shown], &model->candidate[shown]);
  }
}

/* touch_q of the start. */
static PetscErrorCode gather_initial(NsFe *fe, const NsModel *model)
{
  PetscReal *q, *v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(fe->unknowns, &q, fe->unknowns, &v));
  if (fe->rest) PetscCall(PetscArraycpy(q, NsVecRead(fe->rest), fe->unknowns));
  NsFeInitialValues(fe, q, v);
  for (PetscInt i = 0; i < model->touches; i++) fe->touch_q[i] = q[model->touch[i]];
  PetscCall(PetscFree2(q, v));
  PetscFunctionReturn(0);
}

/* Of one point: stretch, or what it adds to the reach. */
static PetscReal reach_of(const NsPair *pair, const NsPairPoint *point, int pass, PetscReal *stretch)
{
  PetscReal reach = 0;

  for (PetscInt a = 0; a < point->unknowns; a++) {
    const PetscReal change = pair->type->bound(pair, point->move[a]);
    PetscReal      *most   = &stretch[point->touch[a]];
    if (pass == 0)
      *most = PetscMax(*most, change);
    else if (change > 0)
      reach += change / *most;
  }
  return reach;
}

/* model->stretch: the most that any gap changes with an unknown; model->reach: with all of them changed by 1/stretch. */
static void set_reach(NsFe *fe, NsModel *model)
{
  model->stretch = NsArenaAlloc(fe->arena, sizeof(*model->stretch) * (size_t)(model->touches + 1));
  model->reach   = NsArenaAlloc(fe->arena, sizeof(*model->reach) * (size_t)(fe->pairs + 1));
  for (int pass = 0; pass < 2; pass++) {
    const NsPairPoint *last = NULL; /* of a surface, whose points are the same for many pairs */
    PetscReal          most = 0;
    for (PetscInt i = 0; i < fe->pairs; i++) {
      const NsPair      *pair = &fe->pair[i];
      const NsPairPoint *point[2];
      PetscInt           count[2];
      NsPairPoints(pair, point, count);
      PetscReal own = 0;
      for (PetscInt k = 0; k < count[0]; k++) own = PetscMax(own, reach_of(pair, &point[0][k], pass, model->stretch));
      model->reach[i] += own;
      if (!pair->type->others || point[1] != last) most = 0;
      for (PetscInt k = 0; k < count[1] && (!pair->type->others || point[1] != last); k++)
        most = PetscMax(most, reach_of(pair, &point[1][k], pass, model->stretch)); /* the weights of a mean are in its bound */
      last = point[1];
      model->reach[i] += most;
    }
    NsFeBallsReach(fe, model, pass);
  }
}

/* Whether the gap changes with an unknown that has no mass. */
static PetscBool acts_on_massless(const NsFe *fe, const NsModel *model, const NsPair *pair)
{
  const NsPairPoint *point[2];
  PetscInt           count[2];

  NsPairPoints(pair, point, count);
  for (int p = 0; p < 2; p++) {
    for (PetscInt i = 0; i < count[p]; i++) {
      for (PetscInt a = 0; a < point[p][i].unknowns; a++) {
        PetscInt at;
        (void)PetscFindInt(model->touch[point[p][i].touch[a]], fe->massless, fe->massless_unknown, &at);
        if (at >= 0 && pair->type->bound(pair, point[p][i].move[a]) > 0) return PETSC_TRUE;
      }
    }
  }
  return PETSC_FALSE;
}

/* The largest of the lengths of meshes, radii and arms; of bodies without any, how far they are apart; 1 m where nothing has a length. */
static void set_length_scale(const NsFe *fe, NsModel *model)
{
  PetscReal scale = 0, apart = 0;

  for (PetscInt b = 0; b < fe->bodies; b++) scale = PetscMax(scale, fe->body[b].mesh->length);
  for (PetscInt i = 0; i < fe->pairs; i++) {
    for (int p = 0; p < 2; p++) {
      const NsPairPoint *point = fe->pair[i].point[p];
      scale                    = PetscMax(scale, fe->pair[i].radius[p]);
      for (PetscInt a = 0; a < point->unknowns; a++) {
        if (NsDot3(point->turn[a], point->turn[a]) > 0) scale = PetscMax(scale, PetscSqrtReal(NsDot3(point->move[a], point->move[a])));
      }
    }
  }
  for (PetscInt k = 3; k < 3 * fe->nodes; k++) apart = PetscMax(apart, PetscAbsReal(fe->x[k] - fe->x[k % 3]));
  model->length_scale = scale > 0 ? scale : apart > 0 ? apart : 1;
}

/* All candidates of a contact have its flag. */
static void switch_contacts(NsFe *fe, NsModel *model, const NsContactSettings *settings, const PetscInt *source)
{
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsContactSettings *contact   = &settings[source[i]];
    NsCandidate             *candidate = &model->candidate[i];
    if (contact->held) {
      candidate->off = fe->hold[contact->held - 1].off;
      continue;
    }
    if (i > 0 && source[i] == source[i - 1]) {
      candidate->off = candidate[-1].off;
      continue;
    }
    if (candidate->slot && NsWindowIsGiven(&contact->window)) {
      NsDiagError(fe->diag, NsKeysPlace(contact->where, contact->window.from > 0 ? "from" : "until"),
        "contacts between balls act from the start to the end: `from` and `until` are for other contacts");
      return;
    }
    candidate->off = NsSwitchesAdd(fe->switches, contact->window.from, contact->window.until, "contact", candidate->name, contact->where, fe->arena);
  }
}

/* Rolling and drilling resistance of every contact that has them, behind it. */
static void add_resistances(NsFe *fe, NsModel *model, const NsContactSettings *settings, PetscInt *source)
{
  const PetscInt     pairs     = fe->pairs;
  const NsPair      *pair      = fe->pair;
  const NsCandidate *candidate = model->candidate;
  PetscInt           at = 0, *from, refused = -1;

  fe->pair         = NsArenaAlloc(fe->arena, sizeof(*fe->pair) * (size_t)((1 + NS_RESISTANCES) * pairs + 1));
  model->candidate = NsArenaAlloc(fe->arena, sizeof(*model->candidate) * (size_t)((1 + NS_RESISTANCES) * pairs + 1));
  from             = NsArenaAlloc(fe->arena, sizeof(*from) * (size_t)(pairs + 1));
  for (PetscInt i = 0; i < pairs; i++) from[i] = source[i];
  for (PetscInt i = 0; i < pairs; i++) {
    const PetscInt first = at;
    fe->pair[at]         = pair[i];
    model->candidate[at] = candidate[i];
    source[at++]         = from[i];
    for (int kind = 0; kind < NS_RESISTANCES; kind++) {
      if (!(NsLawResistance(&candidate[i].law, kind) > 0)) continue;
      if (!NsPairResist(&pair[i], kind, fe->arena, &fe->pair[at])) {
        if (refused != from[i])
          NsDiagError(fe->diag, NsKeysPlace(settings[from[i]].where, "friction"),
            "contact '%s' cannot have `%s`: its nodes have no rotations about %s", candidate[i].name, NsResistanceNames[kind],
            kind == NS_ROLLING ? "axes along the surface" : "the normal");
        refused = from[i];
        continue;
      }
      model->candidate[at] = NsCandidateOfResistance(&candidate[i], kind, at - first, fe->arena);
      source[at++]         = from[i];
    }
  }
  fe->pairs = model->candidates = at;
}

/* Pairs and candidates that act, and source[candidate]: its contact. */
static PetscErrorCode make_candidates(NsFe *fe, NsModel *model, PetscInt *source)
{
  const NsList            *list     = &fe->contact_list;
  const NsContactSettings *settings = list->items;
  PetscInt                *counts; /* [contact] its candidates, held ones too */
  PetscBool                resists = PETSC_FALSE;

  PetscFunctionBegin;
  counts           = NsArenaAlloc(fe->arena, sizeof(*counts) * (size_t)(list->count + 1));
  fe->pair         = NsArenaAlloc(fe->arena, sizeof(*fe->pair) * (size_t)(fe->pairs + 1));
  model->candidate = NsArenaAlloc(fe->arena, sizeof(*model->candidate) * (size_t)(fe->pairs + 1));
  for (PetscInt c = 0, at = 0; c < list->count; c++) {
    counts[c] = NsFeExpandCandidates(fe, &settings[c], list->names[c], fe->pair + at, model->candidate + at);
    at += counts[c];
  }
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  PetscCall(make_touch_list(fe, model));
  if (!NsLayoutIsNatural(model->layout)) PetscCall(NsWatchCreate(model->layout, model->touches, model->touch, &model->watch));
  PetscCall(gather_initial(fe, model));
  set_length_scale(fe, model);
  NsFeSlidingAt(fe, fe->touch_q, model->touches);
  if (fe->sliding || !NsFeLinesAreSmooth(fe->lines)) model->contact.rowrate = NULL; /* not known: faces come and go */
  fe->pairs = 0;
  for (PetscInt c = 0, at = 0; c < list->count; at += counts[c++]) {
    const PetscInt kept = keep_acting(fe, &settings[c], at, counts[c], fe->pairs, model->candidate);
    if (kept && model->candidate[fe->pairs].slot) NsFeBallsNumber(fe, fe->pairs);
    for (PetscInt i = 0; i < kept; i++) source[fe->pairs++] = c;
  }
  model->candidates = fe->pairs;
  for (PetscInt i = 0; i < fe->pairs; i++)
    resists = resists || NsLawResistance(&model->candidate[i].law, NS_ROLLING) + NsLawResistance(&model->candidate[i].law, NS_DRILLING) > 0;
  if (resists) add_resistances(fe, model, settings, source);
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  switch_contacts(fe, model, settings, source);
  for (PetscInt i = 0; i < fe->pairs; i++) {
    NsPair *pair                   = &fe->pair[i];
    model->candidate[i].directions = 1 + pair->frame->tangents;
    model->candidate[i].torque_arm = pair->frame->torque_arm;
    model->candidate[i].clearance  = pair->type->clearance(pair);
    model->candidate[i].massless   = acts_on_massless(fe, model, pair);
    if (!pair->type->flat) model->flat_contacts = PETSC_FALSE;
  }
  if (!NsFeStaticsTouch(fe)) check_initial_gaps(fe, model, settings, source);
  PetscCall(NsFeTiesCheckInitial(fe, model, settings, source));
  PetscCall(NsFeContactDuplicates(fe, model, settings, source));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeContacts(NsFe *fe, NsModel *model)
{
  const NsList            *list = &fe->contact_list;
  const NsContactSettings *settings;
  PetscInt                *source;

  PetscFunctionBegin;
  model->flat_contacts = PETSC_TRUE;
  NsFeTiesAdd(fe);
  PetscCall(NsFeSurfaceContactsFind(fe));
  settings = list->items;
  for (int c = 0; c < list->count; c++) fe->pairs += NsFeExpandCandidates(fe, &settings[c], list->names[c], NULL, NULL);
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  if (fe->pairs > NS_MOST_CANDIDATES) {
    NsDiagError(
      fe->diag, NsKeysPlace(fe->config->where, "contacts"), "%d contact candidates are too many: at most %d", (int)fe->pairs, NS_MOST_CANDIDATES);
    NsDiagNote(fe->diag, "name only nodes that can touch");
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc1(((1 + NS_RESISTANCES) * fe->pairs), &source));
  PetscCall(make_candidates(fe, model, source));
  PetscCall(PetscFree(source));
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  if (fe->balls && fe->massless)
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "contacts"),
      "with nodes without mass (`mass: redistributed`) all pairs of balls must be candidates: raise near_pairs to their number");
  if (fe->balls && fe->surface_motion)
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "contacts"), "surfaces with a `motion` cannot be in a model with contacts of balls");
  if (fe->balls) PetscCall(NsFeBallsCheckStart(fe, model));
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  if (!fe->surface_motion) set_reach(fe, model); /* else gaps change without their unknowns: every candidate is active */
  NsFeMakeRows(fe, model);
  PetscFunctionReturn(0);
}
