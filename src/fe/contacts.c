/*
  The contacts of the config as pairs: a set of nodes against a plane, or a node against a node.

  The touch list are the unknowns of all nodes in contacts, ascending: the only ones a reaction can act on.
*/
#include "fe.h"

/* Compliance and Delassus matrices are dense over all candidates: at three rows each, 0.3 GB a matrix. */
#define NS_MOST_CANDIDATES 2000

typedef struct {
  PetscInt node[2]; /* global; -1: none */
  NsPair  *pair;
} Partners;

static PetscInt find_touch(const NsModel *model, PetscInt unknown)
{
  PetscInt at;

  if (PetscFindInt(unknown, model->touches, model->touch, &at)) return -1;
  return at;
}

/* The touch list: unknowns of all partners, sorted, each once. */
static PetscErrorCode make_touch_list(NsFe *fe, NsModel *model, const Partners *partners)
{
  PetscInt count = 0;

  PetscFunctionBegin;
  model->touch = NsArenaAlloc(fe->arena, sizeof(*model->touch) * (size_t)(1 + 2 * NS_NODE_UNKNOWNS * fe->pairs));
  for (PetscInt i = 0; i < fe->pairs; i++) {
    for (int p = 0; p < 2; p++) {
      for (PetscInt a = 0; partners[i].node[p] >= 0 && a < NS_NODE_UNKNOWNS; a++) {
        const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * partners[i].node[p] + a];
        if (unknown >= 0) model->touch[count++] = unknown;
      }
    }
  }
  PetscCall(PetscSortRemoveDupsInt(&count, model->touch));
  model->touches     = count;
  model->row_entries = PetscMin(count, 2 * NS_POINT_UNKNOWNS);
  fe->touch_q        = NsArenaAlloc(fe->arena, sizeof(*fe->touch_q) * (size_t)(count + 1));
  PetscFunctionReturn(0);
}

static void fill_point(const NsFe *fe, const NsModel *model, PetscInt node, NsPoint *point)
{
  const NsFeBody *body = &fe->body[fe->node_body[node]];

  for (int k = 0; k < 3; k++) point->x[k] = fe->x[3 * node + k];
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscInt unknown = fe->unknown[NS_NODE_UNKNOWNS * node + a];
    if (unknown < 0) continue;
    point->touch[point->unknowns] = find_touch(model, unknown);
    for (int k = 0; k < 3; k++) point->direction[point->unknowns][k] = body->direction[a][k];
    point->unknowns++;
  }
}

static PetscBool normalise(PetscReal v[3])
{
  const PetscReal length = PetscSqrtReal(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

  if (length == 0) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) v[k] /= length;
  return PETSC_TRUE;
}

/* The normal of node against node: given, or the line of the first body outwards, or from the first node to the second. */
static PetscBool node_normal(NsFe *fe, const NsContactSettings *settings, const PetscInt node[2], PetscReal normal[3])
{
  for (int k = 0; k < 3; k++) normal[k] = settings->normal[k];
  if (normalise(normal)) return PETSC_TRUE;
  if (NsFeAxis(fe, node[0], normal)) return PETSC_TRUE;
  for (int k = 0; k < 3; k++) normal[k] = fe->x[3 * node[1] + k] - fe->x[3 * node[0] + k];
  if (normalise(normal)) return PETSC_TRUE;
  NsDiagError(fe->diag, settings->where->place, "this contact needs a `normal`: its nodes are at the same place and on no single line");
  NsDiagNote(fe->diag, "normal: the direction from the first partner to the second, such as [1, 0, 0]");
  return PETSC_FALSE;
}

/* A surface that leaves its plane would be another contact; one that moves without friction does nothing. */
static PetscBool check_belt(NsFe *fe, const NsContactSettings *settings, const NsPlaneSettings *plane, const NsPair *pair)
{
  const PetscReal *s = plane->velocity, *n = pair->normal;
  const PetscReal  speed = PetscSqrtReal(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), out = s[0] * n[0] + s[1] * n[1] + s[2] * n[2];

  if (speed == 0) return PETSC_TRUE;
  if (PetscAbsReal(out) > 1e-9 * speed) {
    NsDiagError(
      fe->diag, NsKeysPlace(plane->where, "velocity"), "a plane moves within itself only, but this velocity has %g m/s along its normal", out);
    return PETSC_FALSE;
  }
  if (settings->friction == 0)
    NsDiagWarning(fe->diag, NsKeysPlace(plane->where, "velocity"), "without friction the velocity of the surface has no effect");
  return PETSC_TRUE;
}

/* Counts the candidates of one contact, or adds them when `partners` is given. */
static PetscInt expand(NsFe *fe, const NsContactSettings *settings, const char *name, Partners *partners, NsCandidate *candidate)
{
  const NsPartnerSettings *side = settings->between.items;
  const NsPartnerSettings *body = side[0].node ? &side[0] : &side[1], *other = side[0].node ? &side[1] : &side[0];
  const NsLaw              law = {settings->restitution, settings->restitution_tangential, settings->friction};
  PetscInt                 count, first;

  if (!body->node) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "one partner of a contact must be nodes of a body, such as bar.left");
    return 0;
  }
  if (other->plane && NsTreeChild(settings->where, "normal")) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "normal"), "normal goes with two nodes; a plane has its own");
    return 0;
  }
  if (other->plane) {
    const PetscInt *nodes = NsFeFindNodes(fe, body->node, NsKeysPlace(body->where, "node"), PETSC_FALSE, &count);
    for (PetscInt i = 0; nodes && partners && i < count; i++) {
      NsPair *pair = NsArenaAlloc(fe->arena, sizeof(*pair));
      pair->type   = &NsPairType_NodePlane;
      pair->points = 1;
      pair->offset = settings->gap_offset;
      for (int k = 0; k < 3; k++) {
        pair->plane_point[k]    = other->plane->point[k];
        pair->normal[k]         = other->plane->normal[k];
        pair->plane_velocity[k] = other->plane->velocity[k];
      }
      if (!normalise(pair->normal)) {
        NsDiagError(fe->diag, NsKeysPlace(other->plane->where, "normal"), "the normal of a plane must not be zero");
        return 0;
      }
      if (!check_belt(fe, settings, other->plane, pair)) return 0;
      partners[i]  = (Partners){{nodes[i], -1}, pair};
      candidate[i] = (NsCandidate){.name = count > 1 ? NsArenaPrint(fe->arena, "%s.%d", name, (int)i + 1) : name, .law = law};
    }
    return nodes ? count : 0;
  }
  Partners found = {{-1, -1}, NULL};
  if (!NsFeFindNode(fe, body->node, NsKeysPlace(side[0].where, "node"), PETSC_FALSE, &found.node[0])) return 0;
  if (!NsFeFindNode(fe, other->node, NsKeysPlace(side[1].where, "node"), PETSC_FALSE, &found.node[1])) return 0;
  first = found.node[0];
  if (first == found.node[1]) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "a node cannot touch itself: both partners are '%s'", body->node);
    return 0;
  }
  if (fe->node_body[first] == fe->node_body[found.node[1]] && !NsTreeChild(settings->where, "normal")) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "both partners belong to '%s': such a contact needs a `normal`",
      fe->body[fe->node_body[first]].name);
    NsDiagNote(fe->diag, "normal: the direction from the first partner to the second, such as [1, 0, 0]");
    return 0;
  }
  if (partners) {
    found.pair         = NsArenaAlloc(fe->arena, sizeof(*found.pair));
    found.pair->type   = &NsPairType_NodeNode;
    found.pair->points = 2;
    found.pair->offset = settings->gap_offset;
    if (!node_normal(fe, settings, found.node, found.pair->normal)) return 0;
    partners[0]  = found;
    candidate[0] = (NsCandidate){.name = name, .law = law};
  }
  return 1;
}

/* The normal must move something, or the Delassus matrix is zero. */
static void check_pair(NsFe *fe, const NsContactSettings *settings, const NsPair *pair)
{
  PetscReal moves = 0;

  for (PetscInt p = 0; p < pair->points; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      const PetscReal *d     = pair->point[p].direction[a];
      const PetscReal  along = d[0] * pair->normal[0] + d[1] * pair->normal[1] + d[2] * pair->normal[2];
      moves                  = PetscMax(moves, PetscAbsReal(along));
    }
  }
  if (moves < 1e-12) {
    NsDiagError(fe->diag, settings->where->place, "this contact can never act: its nodes are held, or cannot move along the normal (%g, %g, %g)",
      pair->normal[0], pair->normal[1], pair->normal[2]);
  } else if (settings->friction > 0 && pair->tangents == 0) {
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "friction"), "friction has no effect here: the nodes cannot move along the surface");
  }
}

/* The same two things twice: with different laws no reaction can satisfy both. */
static PetscBool is_same(const Partners *a, const Partners *b)
{
  PetscReal angle = 0, between = 0;

  if (a->node[0] != b->node[0] || a->node[1] != b->node[1]) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) {
    angle += a->pair->normal[k] * b->pair->normal[k];
    between += a->pair->normal[k] * (a->pair->plane_point[k] - b->pair->plane_point[k]);
  }
  return angle > 1 - 1e-12 && PetscAbsReal(between) < 1e-12 && a->pair->offset == b->pair->offset ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode initial_gap(NsFe *fe, NsModel *model, const NsContactSettings *settings, const Partners *partners, const char *name)
{
  const NsPair *pair = partners->pair;
  PetscReal     g;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(fe->touch_q, model->touches));
  for (PetscInt p = 0; p < pair->points; p++) {
    const NsFeBody *body = &fe->body[fe->node_body[partners->node[p]]];
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      const PetscReal *d = pair->point[p].direction[a];
      for (int k = 0; k < 3; k++) fe->touch_q[pair->point[p].touch[a]] += d[k] * body->displacement[k];
    }
  }
  g = pair->type->gap(pair, 0, fe->touch_q);
  if (g < -1e-12 * PetscMax(model->length_scale, 1e-12)) {
    NsDiagError(fe->diag, settings->where->place, "contact '%s' starts with a penetration of %g m", name, -g);
    if (settings->normal[0] == 0 && settings->normal[1] == 0 && settings->normal[2] == 0 && pair->points == 2) {
      NsDiagNote(fe->diag, "its normal (%g, %g, %g) goes from the first partner to the second; give `normal` if it should not", pair->normal[0],
        pair->normal[1], pair->normal[2]);
    } else if (pair->points == 1) {
      NsDiagNote(fe->diag, "the normal of a plane points to the side on which the body may be");
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeContacts(NsFe *fe, NsModel *model)
{
  const NsList            *list     = &fe->config->contacts;
  const NsContactSettings *settings = list->items;
  Partners                *partners;
  PetscInt                *latest, *before;

  PetscFunctionBegin;
  for (int c = 0; c < list->count; c++) fe->pairs += expand(fe, &settings[c], list->names[c], NULL, NULL);
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  if (fe->pairs > NS_MOST_CANDIDATES) {
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "contacts"), "%d contact candidates: more than the %d that fit dense matrices of contact",
      (int)fe->pairs, NS_MOST_CANDIDATES);
    NsDiagNote(fe->diag, "name only those nodes that can touch");
    PetscFunctionReturn(0);
  }
  partners          = NsArenaAlloc(fe->arena, sizeof(*partners) * (size_t)(fe->pairs + 1));
  latest            = NsArenaAlloc(fe->arena, sizeof(*latest) * (size_t)fe->nodes);       /* [node] the last candidate of this node, */
  before            = NsArenaAlloc(fe->arena, sizeof(*before) * (size_t)(fe->pairs + 1)); /* [candidate] and the one before it */
  fe->pair          = NsArenaAlloc(fe->arena, sizeof(NsPair *) * (size_t)(fe->pairs + 1));
  model->candidate  = NsArenaAlloc(fe->arena, sizeof(*model->candidate) * (size_t)(fe->pairs + 1));
  model->candidates = fe->pairs;
  for (PetscInt c = 0, at = 0; c < list->count; c++) at += expand(fe, &settings[c], list->names[c], partners + at, model->candidate + at);
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  PetscCall(make_touch_list(fe, model, partners));
  for (PetscInt b = 0; b < fe->bodies; b++) model->length_scale = PetscMax(model->length_scale, fe->body[b].mesh->length);
  for (PetscInt i = 0; i < fe->nodes; i++) latest[i] = -1;
  for (PetscInt c = 0, at = 0; c < list->count; c++) {
    const PetscInt count = expand(fe, &settings[c], list->names[c], NULL, NULL);
    for (PetscInt i = at; i < at + count; i++) {
      NsPair *pair = partners[i].pair;
      for (PetscInt p = 0; p < pair->points; p++) fill_point(fe, model, partners[i].node[p], &pair->point[p]);
      NsPairChooseTangents(pair, settings[c].friction);
      model->candidate[i].directions = 1 + pair->tangents;
      fe->pair[i]                    = pair;
      check_pair(fe, &settings[c], pair);
      before[i]                   = latest[partners[i].node[0]];
      latest[partners[i].node[0]] = i;
      for (PetscInt j = before[i]; j >= 0; j = before[j]) {
        if (!is_same(&partners[j], &partners[i])) continue;
        NsDiagError(fe->diag, settings[c].where->key_place, "contact '%s' is '%s' once more", model->candidate[i].name, model->candidate[j].name);
        break;
      }
      PetscCall(initial_gap(fe, model, &settings[c], &partners[i], model->candidate[i].name));
    }
    at += count;
  }
  PetscFunctionReturn(0);
}
