/*
  Pairs of one contact of the config: points of bodies against a plane, a cylinder or a sphere, or a node against a node.
*/
#include <string.h>
#include "fe.h"
#include "fe/surface/contact.h"
#include "fe/surface/lines.h"
#include "fe/surface/surface.h"

/* An error if a support moves the point: gaps and rows do not include prescribed displacements. */
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

  NsSwitchesNoteMotion(fe->switches, &motion, surface->where->key, fe->arena);
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

  if (!strpbrk(NsPartnerNode(partner), ".@")) return NsFeFindPoint(fe, NsPartnerNode(partner), NULL, place, PETSC_FALSE, &spot);
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

PetscInt NsFeExpandCandidates(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate)
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
      (NsFeHasSurface(settings) || NsFeHasLine(settings) || (NsPartnerNode(body) && NsContactOfBalls(settings)))) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "friction"),
      "rolling and drilling resistance are for contacts of single points: of nodes against planes, cylinders, spheres or one other node");
    return 0;
  }
  if (NsFeHasLine(settings)) return NsFeLineCandidates(fe, settings, name, pair, candidate);
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
