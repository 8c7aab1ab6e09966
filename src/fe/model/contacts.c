/*
  The contacts of the config as pairs: points of bodies against a plane, a cylinder or a sphere, or a node against a node.

  The touch list are the unknowns of all points in contacts, ascending: the only ones a reaction can act on.
*/
#include <string.h>
#include "equilibrium.h"
#include "fe/surface/contact.h"
#include "fe/surface/surface.h"

#define NS_MOST_CANDIDATES 1000000 /* each takes up to 1 kB of rows and lists (tests/bench/memory.py) */

/* Its displacement would have to be known to gaps and rows. */
static void check_moved(NsFe *fe, const NsFePoint *spot)
{
  NsPoint point;

  NsFeExpandMoved(fe, spot, &point);
  for (PetscInt i = 0; i < point.unknowns; i++) {
    if (!NsFeIsMoved(point.unknown[i])) continue;
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "contacts"), "a contact acts on a node of '%s' that a support moves (`motion`)",
      fe->body[spot->body].name);
    NsDiagNote(fe->diag, "for a shaken model write `base: [{acceleration: ...}]`");
    return;
  }
}

void NsFeExpandContact(NsFe *fe, const NsFePoint *spot, NsPoint *point)
{
  NsFeExpand(fe, spot, point);
  if (fe->moving.moved && !NsDiagErrors(fe->diag)) check_moved(fe, spot);
}

/* The one point of a name; false after an error in diag. */
static PetscBool find_point(NsFe *fe, const char *name, const double offset[3], NsPlace place, NsPoint *point)
{
  NsFePoint spot;

  if (!NsFeFindPoint(fe, name, offset, place, PETSC_FALSE, &spot)) return PETSC_FALSE;
  NsFeExpandContact(fe, &spot, point);
  return PETSC_TRUE;
}

/* make_touch_list finds them. */
NsPairPoint *NsFeAddPairPoints(NsFe *fe, PetscInt count)
{
  NsFePairPoints *block = NsArenaAlloc(fe->arena, sizeof(*block));

  *block          = (NsFePairPoints){count, NsArenaAlloc(fe->arena, sizeof(*block->point) * (size_t)count), fe->pair_points};
  fe->pair_points = block;
  return block->point;
}

static NsPairPoint *keep_point(NsFe *fe, const NsPoint *point)
{
  NsPairPoint *kept = NsFeAddPairPoints(fe, 1);

  NsPairPointKeep(point, NULL, fe->arena, kept);
  return kept;
}

const NsPairPoint *NsFeKeepPoints(NsFe *fe, const NsFePointSet *set)
{
  NsPairPoint *kept = NsFeAddPairPoints(fe, set->count);

  for (PetscInt i = 0; i < set->count; i++) {
    const NsFePoint spot = NsFePointOf(set, i);
    NsPoint         point;
    NsFeExpandContact(fe, &spot, &point);
    NsPairPointKeep(&point, i > 0 ? &kept[i - 1] : NULL, fe->arena, &kept[i]);
  }
  return kept;
}

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
    last               = point[1];
    model->row_entries = PetscMax(model->row_entries, point[0]->unknowns + (fe->pair[i].type->others ? NS_PAIR_MEAN : 1) * mean);
  }
  fe->touch_q = NsArenaAlloc(fe->arena, sizeof(*fe->touch_q) * (size_t)(model->touches + 1));
  fe->touch_v = NsArenaAlloc(fe->arena, sizeof(*fe->touch_v) * (size_t)(model->touches + 1));
  PetscFunctionReturn(0);
}

/* The body of "shaft.left" or "shaft@0.3": how many bytes of the name it is. */
static size_t body_length(const char *name)
{
  return strcspn(name, ".@");
}

/* The normal of node against node: given, or the line of the first body outwards, or from the first point to the second. */
static PetscBool node_normal(
  NsFe *fe, const NsContactSettings *settings, const NsPartnerSettings *first, const NsPairPoint *const point[2], PetscReal normal[3])
{
  NsFePoint spot;

  for (int k = 0; k < 3; k++) normal[k] = settings->normal[k];
  if (NsUnit3(normal)) return PETSC_TRUE;
  if (NsFeFindPoint(fe, NsPartnerNode(first), NULL, NsKeysPlace(first->where, "node"), PETSC_FALSE, &spot) && NsFeAxis(fe, &spot, normal))
    return PETSC_TRUE;
  for (int k = 0; k < 3; k++) normal[k] = point[1]->x[k] - point[0]->x[k];
  if (NsUnit3(normal)) return PETSC_TRUE;
  NsDiagError(fe->diag, settings->where->place, "this contact needs a `normal`: its nodes coincide, and are not on a single line");
  NsDiagNote(fe->diag, "normal: the direction from the first partner to the second, such as [1, 0, 0]");
  return PETSC_FALSE;
}

/* A bore across its shaft is an error in the axes. */
static void warn_across(NsFe *fe, const NsContactSettings *settings, const NsSurfaceSettings *surface, const NsPair *pair)
{
  const NsPartnerSettings *side = settings->between.items;
  const char              *name = NsPartnerNode(&side[0]) ? NsPartnerNode(&side[0]) : NsPartnerNode(&side[1]);
  NsRing                   ring[NS_PAIR_RINGS];

  if (!pair->type->draw || !pair->type->draw(pair, ring)) return;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody  *body  = &fe->body[b];
    const PetscReal *along = body->frame[0];
    const size_t     n     = strlen(body->name);
    if (!body->is_rotor || body_length(name) != n || strncmp(name, body->name, n) || PetscAbsReal(NsDot3(ring[0].axis, along)) > 0.9) continue;
    NsDiagWarning(fe->diag, NsKeysPlace(surface->where, "axis"),
      "the axis of this %s lies across the shaft '%s', which runs along (%.3g, %.3g, %.3g)", pair->type->name, body->name, along[0], along[1],
      along[2]);
  }
}

const NsSurfaceMotion *NsFeSurfaceMoves(NsFe *fe, const NsMotion *motion)
{
  NsSurfaceMotion *added = NsArenaAlloc(fe->arena, sizeof(*added));

  *added             = (NsSurfaceMotion){.motion = *motion, .next = fe->surface_motion};
  fe->surface_motion = added;
  NsSurfaceMotionAt(added, 0);
  return added;
}

/* The motion of a surface, at its start; NULL: it has none. */
static const NsSurfaceMotion *add_motion(NsFe *fe, const NsSurfaceSettings *surface)
{
  const NsMotion motion = NsMotionPrepare(&surface->motion, fe->config->time->end, fe->arena, fe->diag);

  return motion.parts ? NsFeSurfaceMoves(fe, &motion) : NULL;
}

/* The surface of a contact in a pair; false after an error. */
static PetscBool set_surface(NsFe *fe, const NsContactSettings *settings, const NsPartnerSettings *partner, NsPair *pair)
{
  const int                which   = NsPartnerSurface(partner);
  const NsSurfaceSettings *surface = partner->surface[which];
  const NsPairSetup        setup   = {surface, NsContactLawOf(fe->config, settings, fe->arena).friction, fe->diag};
  NsPoint                  carrier;

  pair->type = NsSurfaceTypes[which];
  pair->data = NsArenaAlloc(fe->arena, pair->type->size);
  memset(&carrier, 0, sizeof(carrier));
  if (surface->on && !find_point(fe, surface->on, surface->offset, NsKeysPlace(surface->where, "on"), &carrier)) return PETSC_FALSE;
  if (!pair->type->create(pair, &setup, &carrier)) return PETSC_FALSE;
  NsPairPoint *kept = keep_point(fe, &carrier);
  pair->point[1]    = kept;
  kept->moving      = add_motion(fe, surface);
  warn_across(fe, settings, surface, pair);
  return PETSC_TRUE;
}

static PetscBool set_node(NsFe *fe, const NsContactSettings *settings, NsPair *pair)
{
  const NsPartnerSettings *side = settings->between.items;
  const size_t             size = body_length(NsPartnerNode(&side[0]));
  NsPoint                  point;

  pair->type = &NsPairType_NodeNode;
  for (int p = 0; p < 2; p++) {
    if (!find_point(fe, NsPartnerNode(&side[p]), side[p].offset, NsKeysPlace(side[p].where, "node"), &point)) return PETSC_FALSE;
    pair->point[p] = keep_point(fe, &point);
  }
  if (NsPairPointsAlike(pair->point[0], pair->point[1])) return PETSC_TRUE; /* reported with the other kinds */
  if (size == body_length(NsPartnerNode(&side[1])) && !strncmp(NsPartnerNode(&side[0]), NsPartnerNode(&side[1]), size) &&
      !NsTreeChild(settings->where, "normal")) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "both partners belong to '%.*s': such a contact needs a `normal`", (int)size,
      NsPartnerNode(&side[0]));
    NsDiagNote(fe->diag, "normal: the direction from the first partner to the second, such as [1, 0, 0]");
    return PETSC_FALSE;
  }
  return node_normal(fe, settings, &side[0], pair->point, pair->frame->normal);
}

/* A journal must fit into its bearing, and be able to leave its surface. */
static PetscBool check_clearance(NsFe *fe, const NsContactSettings *settings, const NsPartnerSettings *body, const NsPair *pair)
{
  const PetscReal clearance = pair->type->clearance(pair);

  if (!(clearance > 0)) {
    NsDiagError(fe->diag, NsKeysPlace(body->where, "radius"), "a radius of %g m does not fit into this %s: the clearance is %g m", body->radius,
      pair->type->name, clearance);
  } else if (settings->gap_tolerance >= clearance) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "gap_tolerance"),
      "gap_tolerance is as large as the clearance, %g m: the contact would never open", clearance);
  }
  return clearance > settings->gap_tolerance && clearance > 0;
}

/* The one node of a partner; an error where it is a set. */
static PetscBool is_single(NsFe *fe, const NsPartnerSettings *partner)
{
  const NsPlace place = NsKeysPlace(partner->where, "node");
  NsFePointSet  set;
  NsFePoint     spot;

  if (!NsFeFindSet(fe, NsPartnerNode(partner), partner->offset, place, PETSC_FALSE, &set)) return PETSC_FALSE;
  if (set.count == 1) return PETSC_TRUE;
  (void)NsFeFindPoint(fe, NsPartnerNode(partner), NULL, place, PETSC_FALSE, &spot); /* says so, and lists single ones */
  NsDiagNote(
    fe->diag, "with a radius its nodes are balls, which may touch those of the other partner: {node: %s, radius: 1 mm}", NsPartnerNode(partner));
  return PETSC_FALSE;
}

/* Whether all names mean something, and how many candidates they make. */
static PetscInt count_candidates(NsFe *fe, const NsPartnerSettings *body, const NsPartnerSettings *other)
{
  const NsSurfaceSettings *surface = NsPartnerNode(other) ? NULL : other->surface[NsPartnerSurface(other)];
  const NsPlace            place   = NsKeysPlace(body->where, "node");
  NsFePointSet             set;
  NsPoint                  point;
  PetscBool                good = PETSC_TRUE;
  PetscInt                 count;

  if (NsPartnerNode(other))
    count = is_single(fe, body) ? 1 : 0;
  else
    count = NsFeFindContactSet(fe, NsPartnerNode(body), body->offset, place, &set) ? set.count : 0;
  if (NsPartnerNode(other)) good = is_single(fe, other);
  if (surface && surface->on) good = find_point(fe, surface->on, surface->offset, NsKeysPlace(surface->where, "on"), &point);
  return good ? count : 0;
}

/*
  The candidates of one contact, each a point against the same: appended to pair[] and candidate[], or only counted where pair is NULL. The count is 0 after
  an error.
*/
static PetscInt expand(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate)
{
  const NsPartnerSettings *side = settings->between.items;
  const NsPartnerSettings *body = NsPartnerNode(&side[0]) ? &side[0] : &side[1], *other = NsPartnerNode(&side[0]) ? &side[1] : &side[0];
  const NsLaw              law   = NsContactLawOf(fe->config, settings, fe->arena);
  const NsPlace            place = NsKeysPlace(body->where, "node");
  NsPair                   common;
  NsFePointSet             set;
  PetscInt                 count;
  PetscBool                good;

  for (int p = 0; p < 2; p++) {
    if (side[p].nodes.count < 2) continue;
    NsDiagError(fe->diag, side[p].nodes.where[1]->place, "a partner is one set of nodes; lists of points are for bodies of `type: body`");
    return 0;
  }
  if (settings->held) return NsFeHoldCandidate(fe, settings, pair, candidate);
  if (NsLawResistance(&law, NS_ROLLING) + NsLawResistance(&law, NS_DRILLING) > 0 &&
      (NsFeHasSurface(settings) || (NsPartnerNode(body) && NsContactOfBalls(settings)))) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "friction"),
      "rolling and drilling resistance are for contacts of single points: of nodes against planes, cylinders, spheres or one other node");
    return 0;
  }
  if (NsFeHasSurface(settings)) return NsFeSurfaceCandidates(fe, settings, name, pair, candidate);
  if (side[0].sides || side[1].sides) {
    const NsPartnerSettings *surface = side[0].sides ? &side[0] : &side[1];
    NsDiagError(
      fe->diag, NsKeysPlace(surface->where, "surface"), "a surface of a solid touches another one, {surface: ...}, or nodes of another body");
    NsDiagNote(fe->diag, "against a rigid plane, cylinder or sphere its nodes touch: write {node: %s}", surface->sides);
    return 0;
  }
  if (!NsPartnerNode(body)) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "one partner of a contact must be nodes of a body, such as bar.left");
    return 0;
  }
  if (!NsPartnerNode(other) && NsTreeChild(settings->where, "normal")) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "normal"), "normal is for contacts of two nodes; a %s has its own",
      NsSurfaceTypes[NsPartnerSurface(other)]->name);
    return 0;
  }
  if (NsContactOfBalls(settings)) return NsFeBallSets(fe, settings, name, pair, candidate);
  if (!pair) return count_candidates(fe, body, other);
  if (!NsPartnerNode(other)) (void)NsFeFindContactSet(fe, NsPartnerNode(body), body->offset, place, &set);
  count = NsPartnerNode(other) ? 1 : set.count;

  memset(&common, 0, sizeof(common));
  common.offset    = settings->gap_offset;
  common.radius[0] = body->radius;
  common.frame     = NsArenaAlloc(fe->arena, sizeof(*common.frame));
  good             = NsPartnerNode(other) ? set_node(fe, settings, &common) : set_surface(fe, settings, other, &common);
  if (!good || !check_clearance(fe, settings, body, &common)) return 0;
  if (law.across != 0 && !common.type->flat) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "friction"),
      "friction that depends on the direction is for contacts with planes, not with a %s", common.type->name);
    return 0;
  }
  const NsPairPoint *point = NsPartnerNode(other) ? common.point[0] : NsFeKeepPoints(fe, &set);
  PetscReal         *area  = NsArenaAlloc(fe->arena, sizeof(*area) * (size_t)count);
  if (NsPartnerNode(other))
    area[0] = 0;
  else
    NsFeSideAreas(fe, NsPartnerNode(body), place, &set, area);
  for (PetscInt i = 0; i < count; i++) {
    pair[i]          = common;
    pair[i].point[0] = &point[i];
    candidate[i] = (NsCandidate){.name = name, .number = {count > 1 ? i + 1 : 0}, .law = law, .tolerance = settings->gap_tolerance, .area = area[i]};
    if (point[i].unknowns && NsPairPointsAlike(&point[i], common.point[1])) {
      NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "a node cannot touch itself: both partners are '%s'", NsPartnerNode(body));
      return 0;
    }
  }
  return count;
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
      model->reach[i] += reach_of(pair, point[0], pass, model->stretch);
      if (!pair->type->others || point[1] != last) most = 0;
      for (PetscInt k = 0; k < count[1] && (!pair->type->others || point[1] != last); k++)
        most = PetscMax(most, reach_of(pair, &point[1][k], pass, model->stretch)); /* the weights of a mean are in its bound */
      last = point[1];
      model->reach[i] += most;
    }
    NsFeBallsReach(fe, model, pass);
  }
}

/* The rows of all candidates, once: those of fixed normals stay. */
static void make_rows(NsFe *fe, NsModel *model)
{
  NsRows       *one  = &fe->one;
  NsFeKeptRows *kept = &fe->kept;
  PetscInt      rows = 0;

  kept->row   = NsArenaAlloc(fe->arena, sizeof(*kept->row) * (size_t)(fe->pairs + 1));
  kept->stays = NsArenaAlloc(fe->arena, sizeof(*kept->stays) * (size_t)(fe->pairs + 1));
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsPair *pair = &fe->pair[i];
    kept->row[i]       = rows;
    kept->stays[i]     = pair->type->flat && !pair->point[1]->moving && !pair->point[0]->spin && !pair->point[1]->spin;
    rows += model->candidate[i].directions;
  }
  kept->row[fe->pairs] = rows;
  kept->most           = model->row_entries;
  kept->entries        = NsArenaAlloc(fe->arena, sizeof(*kept->entries) * (size_t)(rows + 1));
  kept->drive          = NsArenaAlloc(fe->arena, sizeof(*kept->drive) * (size_t)(rows + 1));
  kept->touch          = NsArenaAlloc(fe->arena, sizeof(*kept->touch) * ((size_t)rows * (size_t)kept->most + 1));
  kept->value          = NsArenaAlloc(fe->arena, sizeof(*kept->value) * ((size_t)rows * (size_t)kept->most + 1));
  one->row_capacity    = 3;
  one->entry_capacity  = 3 * model->row_entries;
  one->first           = NsArenaAlloc(fe->arena, sizeof(*one->first) * 4);
  one->drive           = NsArenaAlloc(fe->arena, sizeof(*one->drive) * 3);
  one->touch           = NsArenaAlloc(fe->arena, sizeof(*one->touch) * (size_t)(one->entry_capacity + 1));
  one->value           = NsArenaAlloc(fe->arena, sizeof(*one->value) * (size_t)(one->entry_capacity + 1));
}

PetscErrorCode NsFeRowsOf(NsFe *fe, PetscInt candidate, PetscReal t, const PetscReal *touch_q)
{
  PetscFunctionBegin;
  fe->one.rows     = 0;
  fe->one.first[0] = 0;
  PetscCall(NsPairRows(&fe->pair[candidate], t, touch_q, &fe->one));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeKeepRows(NsFe *fe, PetscInt candidate, const PetscReal *touch_q)
{
  const NsRows *one  = &fe->one;
  NsFeKeptRows *kept = &fe->kept;

  PetscFunctionBegin;
  PetscCall(NsFeRowsOf(fe, candidate, 0, touch_q));
  for (PetscInt k = 0, row = kept->row[candidate]; k < one->rows; k++, row++) {
    const PetscInt first = one->first[k], entries = one->first[k + 1] - first;
    kept->entries[row] = entries + 1;
    kept->drive[row]   = one->drive[k];
    for (PetscInt j = 0; j < entries; j++) {
      kept->touch[row * kept->most + j] = one->touch[first + j];
      kept->value[row * kept->most + j] = one->value[first + j];
    }
  }
  PetscFunctionReturn(0);
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
          NsDiagError(fe->diag, NsKeysPlace(settings[from[i]].where, "friction"), "contact '%s' cannot have `%s`: its nodes have no rotations about %s",
            candidate[i].name, NsResistanceNames[kind], kind == NS_ROLLING ? "axes along the surface" : "the normal");
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
    counts[c] = expand(fe, &settings[c], list->names[c], fe->pair + at, model->candidate + at);
    at += counts[c];
  }
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  PetscCall(make_touch_list(fe, model));
  if (!NsLayoutIsNatural(model->layout)) PetscCall(NsWatchCreate(model->layout, model->touches, model->touch, &model->watch));
  PetscCall(gather_initial(fe, model));
  set_length_scale(fe, model);
  NsFeSlidingAt(fe, fe->touch_q, model->touches);
  if (fe->sliding) model->contact.rowrate = NULL; /* not known: faces come and go */
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
  for (int c = 0; c < list->count; c++) fe->pairs += expand(fe, &settings[c], list->names[c], NULL, NULL);
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
  make_rows(fe, model);
  PetscFunctionReturn(0);
}
