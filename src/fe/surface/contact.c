/*
  Surface against surface. Where the sliding is not small: sliding.h. Else a candidate for each node of the first surface (slave), against the mean of the second one (master) opposite to it. Weights and normals are those of
  the start (mortar.h), so that each is a node against a point, the mean, along a fixed direction:

      g_j = g0_j + n_j . (sum_k w_jk u_k - u_j)        rows are constant, forces of the node act on the master's nodes by the same weights
*/
#include <stdio.h>
#include "contact.h"
#include "sliding.h"
#include "core/text.h"

#define NS_COARSE     1.5  /* faces of the first surface over those of the second: a warning above it, */
#define NS_APART      0.05 /* of a face: gap of a tie that is an error */
#define NS_TOO_COARSE 3    /* an error above that */

static NsLaw law_of(const NsFe *fe, const NsContactSettings *settings)
{
  return settings->tied ? (NsLaw){.friction = 0} : NsContactLawOf(fe->config, settings, fe->arena);
}

static const char *vector_text(const NsFe *fe, const PetscReal x[3])
{
  return NsArenaPrint(fe->arena, "(%.3g, %.3g, %.3g)", x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
}

/* Both outward normals, for errors. */
static void note_normals(const NsFe *fe, const NsFeSurfaceContact *contact)
{
  for (int p = 0; p < 2; p++) {
    const NsFeSurface *surface   = contact->surface[p];
    PetscReal          middle[3] = {0};
    for (PetscInt i = 0; i < surface->nodes; i++) {
      for (int k = 0; k < 3; k++) middle[k] += surface->x[i][k] / (PetscReal)surface->nodes;
    }
    if (!surface->faces)
      NsDiagNote(fe->diag, "'%s' lies about %s m", surface->name, vector_text(fe, middle));
    else if (NsDot3(surface->mean, surface->mean) > 0)
      NsDiagNote(fe->diag, "'%s' lies about %s m, its outward normal is %s", surface->name, vector_text(fe, middle), vector_text(fe, surface->mean));
    else
      NsDiagNote(fe->diag, "'%s' lies about %s m, and is closed", surface->name, vector_text(fe, middle));
  }
}

/* Bodies that cannot touch as they are described. */
static PetscBool check_bodies(const NsFe *fe, const NsFeSurfaceContact *contact, NsPlace place)
{
  const NsFeSurface *a = contact->surface[0], *b = contact->surface[1];
  const PetscBool    rings[2] = {a->body->solid->state == NS_SOLID_AXISYMMETRIC, b->body->solid->state == NS_SOLID_AXISYMMETRIC};

  if (a->dimension != b->dimension || rings[0] != rings[1]) {
    NsDiagError(
      fe->diag, place, "'%s' and '%s' cannot touch: their `state` differs (space, in the plane, axisymmetric)", a->body->name, b->body->name);
    return PETSC_FALSE;
  }
  if (a->dimension == 2 && a->body->solid->thickness != b->body->solid->thickness) {
    NsDiagError(fe->diag, place, "'%s' and '%s' have different thicknesses, %g m and %g m: the contact needs the same", a->body->name, b->body->name,
      a->body->solid->thickness, b->body->solid->thickness);
    return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < a->nodes && a->body == b->body; i++) {
    for (PetscInt j = 0; j < b->nodes; j++) {
      if (a->node[i] != b->node[j]) continue;
      NsDiagError(fe->diag, place, "'%s' and '%s' have the node at %s m in common", a->name, b->name, vector_text(fe, a->x[i]));
      NsDiagNote(fe->diag, "a surface cannot touch itself, or one that is joined to it");
      return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* The same surfaces twice would share their forces anyhow. */
static PetscBool is_twice(const NsFe *fe, const NsFeSurfaceContact *contact, NsPlace place)
{
  for (const NsFeSurfaceContact *other = fe->surface_contact; other != contact; other = other->next) {
    for (int p = 0; p < 2 && other->surface[0] && other->surface[1]; p++) {
      if (strcmp(other->surface[p]->name, contact->surface[0]->name) || strcmp(other->surface[1 - p]->name, contact->surface[1]->name)) continue;
      if (!NsWindowsMeet(&other->settings->window, &contact->settings->window)) continue;
      NsDiagError(fe->diag, place, "'%s' duplicates '%s': both join the same two surfaces", contact->name, other->name);
      return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static PetscBool check_faces(const NsFe *fe, const NsFeSurfaceContact *contact, NsPlace place)
{
  const NsFeSurface *a = contact->surface[0], *b = contact->surface[1];
  const PetscReal    ratio = a->face_size / b->face_size;

  if (NsDot3(a->mean, b->mean) > 0.1) {
    NsDiagError(fe->diag, place, "'%s' and '%s' do not face each other", a->name, b->name);
    note_normals(fe, contact);
    return PETSC_FALSE;
  }
  if (ratio <= NS_COARSE) return PETSC_TRUE;
  (ratio > NS_TOO_COARSE ? NsDiagError : NsDiagWarning)(fe->diag, place,
    "the faces of '%s' are %.2g times as large as those of '%s': the nodes of the finer surface penetrate between those of the coarser one", a->name,
    ratio, b->name);
  NsDiagNote(fe->diag, "name the finer surface first: [{surface: %s}, {surface: %s}]", b->name, a->name);
  return ratio <= NS_TOO_COARSE;
}

static void check_law(const NsFe *fe, const NsContactSettings *settings, const NsLaw *law)
{
  const char *key = law->restitution != 0 ? "restitution" : "restitution_tangential";

  if (law->restitution == 0 && law->restitution_tangential == 0) return;
  NsDiagError(fe->diag, NsKeysPlace(settings->where, key), "contacts between surfaces of solids have no restitution");
  NsDiagNote(fe->diag, "they rebound by the waves in both bodies; leave `%s` out", key);
}

/* Surfaces that are joined lie on each other. */
static void check_tie(const NsFe *fe, const NsFeSurfaceContact *contact, NsPlace place)
{
  const NsFeMortar *mortar = &contact->mortar;

  for (PetscInt j = 0; j < mortar->rows; j++) {
    if (PetscAbsReal(mortar->gap[j]) <= NS_APART * contact->surface[0]->face_size) continue;
    NsDiagError(fe->diag, place, "'%s' and '%s' are %.3g m apart at %s m: a tie joins surfaces that lie on each other", contact->surface[0]->name,
      contact->surface[1]->name, PetscAbsReal(mortar->gap[j]), vector_text(fe, contact->surface[0]->x[mortar->slave[j]]));
    return;
  }
}

/* Nodes of a body against a surface. */
static void find_points(NsFe *fe, NsFeSurfaceContact *contact)
{
  const NsContactSettings *settings = contact->settings;
  const NsPartnerSettings *side = settings->between.items, *nodes = side[0].sides ? &side[1] : &side[0], *other = side[0].sides ? &side[0] : &side[1];
  const NsPlace            place  = NsKeysPlace(settings->where, "between");
  NsFeMortar              *mortar = &contact->mortar;

  contact->surface[0] = NsFePointsFind(fe, nodes);
  contact->surface[1] = NsFeSurfaceFind(fe, other->sides, NsKeysPlace(other->where, "surface"));
  if (!contact->surface[0] || !contact->surface[1]) return;
  const NsFeSurface *points = contact->surface[0], *surface = contact->surface[1];
  if (nodes->radius > 0) {
    NsDiagError(fe->diag, NsKeysPlace(nodes->where, "radius"), "balls and journals do not touch surfaces of solids; nodes do");
    NsDiagNote(fe->diag, "`gap_offset: -%g mm` in the contact moves the surface by this radius", 1e3 * nodes->radius);
    return;
  }
  if (points->body == surface->body) {
    NsDiagError(fe->diag, place, "'%s' and '%s' belong to one body, which cannot touch itself", points->name, surface->name);
    return;
  }
  if (points->body->solid && NsMeshSides(points->body->mesh, strchr(points->name, '.') + 1))
    NsDiagWarning(fe->diag, NsKeysPlace(nodes->where, "node"), "the pressure of nodes on faces is uneven; write {surface: %s}", points->name);
  if (NsFeSlidesFar(fe, contact)) {
    if (!is_twice(fe, contact, place)) NsFeSlidingCreate(fe, contact);
    return;
  }
  NsFePointsProject(fe, points, surface, mortar);
  if (!mortar->rows) {
    NsDiagError(fe->diag, place, "no node of '%s' lies opposite to a face of '%s'", points->name, surface->name);
    note_normals(fe, contact);
    NsDiagNote(fe->diag, "if they slide onto it later, write `sliding: finite`");
  } else if (mortar->left_out)
    NsDiagWarning(fe->diag, place, "%d %s of '%s' %s left out, such as the one at %s m: no face of '%s' is opposite", (int)mortar->left_out,
      mortar->left_out > 1 ? "nodes" : "node", points->name, mortar->left_out > 1 ? "are" : "is", vector_text(fe, mortar->first_left_out),
      surface->name);
}

static PetscErrorCode find(NsFe *fe, NsFeSurfaceContact *contact)
{
  const NsContactSettings *settings = contact->settings;
  const NsPartnerSettings *side     = settings->between.items;
  const NsPlace            place    = NsKeysPlace(settings->where, "between");
  const NsLaw              law      = law_of(fe, settings);
  NsFeMortar              *mortar   = &contact->mortar;

  PetscFunctionBegin;
  if (!side[0].sides || !side[1].sides) {
    find_points(fe, contact);
    PetscFunctionReturn(0);
  }
  for (int p = 0; p < 2; p++) contact->surface[p] = NsFeSurfaceFind(fe, side[p].sides, NsKeysPlace(side[p].where, "surface"));
  if (!contact->surface[0] || !contact->surface[1]) PetscFunctionReturn(0);
  check_law(fe, settings, &law);
  if (is_twice(fe, contact, place) || !check_bodies(fe, contact, place) || !check_faces(fe, contact, place)) PetscFunctionReturn(0);
  if (NsFeSlidesFar(fe, contact)) {
    NsFeSlidingCreate(fe, contact);
    PetscFunctionReturn(0);
  }
  PetscCall(NsFeMortarCreate(fe, contact->surface[0], contact->surface[1], mortar));
  if (mortar->folded >= 0) {
    const NsFeSurface *slave = contact->surface[0];
    NsDiagError(fe->diag, place, "a face of '%s' at %s m lies opposite to several faces of '%s'", slave->name,
      vector_text(fe, slave->x[slave->face[mortar->folded][0]]), contact->surface[1]->name);
    NsDiagNote(fe->diag, "name only the part of each surface that can touch");
  } else if (!mortar->rows) {
    NsDiagError(fe->diag, place, "'%s' and '%s' do not overlap: no face lies opposite to one of the other", contact->surface[0]->name,
      contact->surface[1]->name);
    note_normals(fe, contact);
    NsDiagNote(fe->diag, "if they slide onto each other later, write `sliding: finite`");
  } else if (mortar->left_out)
    NsDiagWarning(fe->diag, place, "%d %s of '%s' %s left out, such as the one at %s m: '%s' covers less than 0.1 %% of %s area",
      (int)mortar->left_out, mortar->left_out > 1 ? "nodes" : "node", contact->surface[0]->name, mortar->left_out > 1 ? "are" : "is",
      vector_text(fe, mortar->first_left_out), contact->surface[1]->name, mortar->left_out > 1 ? "their" : "its");
  if (settings->tied) check_tie(fe, contact, place);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeSurfaceContactsFind(NsFe *fe)
{
  const NsList            *list     = &fe->contact_list;
  const NsContactSettings *settings = list->items;
  NsFeSurfaceContact     **last     = &fe->surface_contact;

  PetscFunctionBegin;
  for (int c = 0; c < list->count; c++) {
    if (!NsFeHasSurface(&settings[c])) continue;
    NsFeSurfaceContact *contact = NsArenaAlloc(fe->arena, sizeof(*contact));
    *contact                    = (NsFeSurfaceContact){.settings = &settings[c], .name = list->names[c]};
    *last                       = contact;
    last                        = &contact->next;
    PetscCall(find(fe, contact));
  }
  PetscFunctionReturn(0);
}

/* The mean of the master's nodes in row j, which lies at x. */
static void keep_mean(NsFe *fe, const NsFeSurfaceContact *contact, PetscInt j, const PetscReal x[3], NsPairPoint *to)
{
  static const PetscReal none[3] = {0, 0, 0};
  const NsFeMortar      *mortar  = &contact->mortar;
  const PetscInt body = (PetscInt)(contact->surface[1]->body - fe->body), most = NS_POINT_UNKNOWNS * (mortar->first[j + 1] - mortar->first[j]);
  PetscReal(*move)[3] = NsArenaAlloc(fe->arena, sizeof(*move) * (size_t)most);

  *to      = (NsPairPoint){.touch = NsArenaAlloc(fe->arena, sizeof(*to->touch) * (size_t)most), .move = (const PetscReal(*)[3])move, .axis = none};
  to->turn = NsArenaAlloc(fe->arena, sizeof(*to->turn) * (size_t)most);
  for (int k = 0; k < 3; k++) to->x[k] = x[k];
  for (PetscInt e = mortar->first[j]; e < mortar->first[j + 1]; e++) {
    const NsFePoint spot = {.body = body, .node = contact->surface[1]->node[mortar->master[e]], .element = -1};
    NsPoint         point;
    NsFeExpandContact(fe, &spot, &point);
    for (PetscInt a = 0; a < point.unknowns; a++) {
      for (int k = 0; k < 3; k++) move[to->unknowns][k] = mortar->weight[e] * point.move[a][k];
      to->touch[to->unknowns++] = point.unknown[a];
    }
  }
}

/* The node of row j. */
static void keep_slave(NsFe *fe, const NsFeSurfaceContact *contact, PetscInt j, const NsPairPoint *like, NsPairPoint *to)
{
  const NsFeSurface *slave = contact->surface[0];
  const PetscInt     node  = contact->mortar.slave[j];
  NsFePoint          spot  = {.body = (PetscInt)(slave->body - fe->body), .node = slave->node[node], .element = -1};
  NsPoint            own;

  for (int k = 0; k < 3; k++) spot.arm[k] = slave->x[node][k] - fe->x[3 * spot.node + k];
  NsFeExpandContact(fe, &spot, &own);
  NsPairPointKeep(&own, like, fe->arena, to);
}

/* Its points: the node of row j and the mean opposite to it, g away along n. */
static void keep_points(NsFe *fe, const NsFeSurfaceContact *contact, PetscInt j, PetscReal g, const NsPairPoint *like, NsPairPoint to[2])
{
  const NsFeSurface *slave = contact->surface[0];
  const PetscInt     node  = contact->mortar.slave[j];
  PetscReal          x[3];

  for (int k = 0; k < 3; k++) x[k] = slave->x[node][k] + g * slave->normal[node][k];
  keep_slave(fe, contact, j, like, &to[0]);
  keep_mean(fe, contact, j, x, &to[1]);
}

/* Of finite sliding: each node of the slave may meet any face. */
static PetscInt sliding_candidates(NsFe *fe, const NsFeSurfaceContact *contact, NsPair *pair, NsCandidate *candidate)
{
  const NsContactSettings *settings = contact->settings;
  const NsFeMortar        *mortar   = &contact->mortar;
  const NsLaw              law      = law_of(fe, settings);
  NsPairPoint             *point    = NsFeAddPairPoints(fe, mortar->rows);

  for (PetscInt j = 0; j < mortar->rows; j++) {
    const PetscReal g = mortar->gap[j];
    keep_slave(fe, contact, j, j > 0 ? &point[j - 1] : NULL, &point[j]);
    pair[j] = (NsPair){.offset = settings->gap_offset - (PetscAbsReal(g) <= settings->adjust ? g : 0)};
    NsFeSlidingPair(fe, contact, &point[j], &pair[j]);
    pair[j].frame = NsArenaAlloc(fe->arena, sizeof(*pair[j].frame));
    candidate[j]  = (NsCandidate){
       .name = contact->name, .number = {mortar->rows > 1 ? j + 1 : 0}, .law = law, .tolerance = settings->gap_tolerance, .area = mortar->area[j]};
  }
  return mortar->rows;
}

/* Of a tie a candidate for each axis, as joints have one for each of their equations. */
PetscInt NsFeSurfaceCandidates(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate)
{
  const NsFeSurfaceContact *contact = fe->surface_contact;
  const NsLaw               law     = law_of(fe, settings);

  while (contact->settings != settings) contact = contact->next;
  const NsFeMortar  *mortar = &contact->mortar;
  const NsFeSurface *slave  = contact->surface[0];
  const PetscInt     each = settings->tied && slave ? slave->dimension : 1, count = each * mortar->rows;
  if (!pair || !slave) return count;
  if (contact->sliding) return sliding_candidates(fe, contact, pair, candidate);
  NsPairPoint    *point    = NsFeAddPairPoints(fe, 2 * mortar->rows);
  const PetscReal rounding = 1e-13 * PetscMax(slave->size, contact->surface[1]->size);
  for (PetscInt i = 0; i < count; i++) {
    const PetscInt  j = i / each;
    const PetscReal g = settings->tied || PetscAbsReal(mortar->gap[j]) <= PetscMax(settings->adjust, rounding) ? 0 : mortar->gap[j];
    if (i % each == 0) keep_points(fe, contact, j, g, j > 0 ? &point[2 * j - 2] : NULL, &point[2 * j]);
    pair[i]       = (NsPair){.type = &NsPairType_NodeNode, .point = {&point[2 * j], &point[2 * j + 1]}, .offset = settings->gap_offset};
    pair[i].frame = NsArenaAlloc(fe->arena, sizeof(*pair[i].frame));
    for (int k = 0; k < 3; k++) pair[i].frame->normal[k] = settings->tied ? k == i % each : slave->normal[mortar->slave[j]][k];
    candidate[i] = (NsCandidate){.name = name,
      .number                          = {count > 1 ? i + 1 : 0},
      .law                             = law,
      .tolerance                       = settings->gap_tolerance,
      .bilateral                       = settings->tied,
      .area                            = mortar->area[j],
      .face                            = settings->tied ? 0
                                         : slave->faces ? PetscMin(slave->face_size, contact->surface[1]->face_size)
                                                        : contact->surface[1]->face_size};
  }
  return count;
}

/* Of the relative displacement, what is across the direction of the pair. */
PetscReal NsFeSurfaceSlip(NsModel *model, PetscInt candidate, const PetscReal *touch_q)
{
  NsFe         *fe   = model->data;
  const NsPair *pair = &fe->pair[candidate];
  PetscReal     u[2][3], square = 0, along = 0;

  if (pair->type == &NsPairType_Sliding) {
    NsFeSlidingAt(fe, touch_q, model->touches);
    return NsFeSlidingSlip(pair, touch_q);
  }
  if (model->candidate[candidate].face == 0) return 0;
  for (int p = 0; p < 2; p++) NsPointDisplacement(pair->point[p], touch_q, u[p]);
  for (int k = 0; k < 3; k++) {
    square += PetscSqr(u[1][k] - u[0][k]);
    along += pair->frame->normal[k] * (u[1][k] - u[0][k]);
  }
  return PetscSqrtReal(PetscMax(0, square - along * along));
}

PetscBool NsFeNextSurfaces(NsModel *model, PetscInt *next, char *text, size_t size)
{
  const NsFe               *fe      = model->data;
  const NsFeSurfaceContact *contact = fe->surface_contact;
  PetscReal                 least = PETSC_MAX_REAL, most = -PETSC_MAX_REAL;

  for (PetscInt i = 0; contact && i < *next; i++) contact = contact->next;
  ++*next;
  if (!contact) return PETSC_FALSE;
  const NsFeMortar  *mortar = &contact->mortar;
  const NsFeSurface *slave = contact->surface[0], *master = contact->surface[1];
  for (PetscInt j = 0; j < mortar->rows; j++) {
    least = PetscMin(least, mortar->gap[j]);
    most  = PetscMax(most, mortar->gap[j]);
  }
  if (contact->sliding)
    (void)snprintf(text, size, "%s: %d %s of %s on %s (%d faces), node to surface, for finite sliding (%s %.3g m = %.3g faces); gaps %.3g to %.3g m",
      contact->name, (int)mortar->rows, NsPlural(mortar->rows, "node", "nodes"), slave->name, master->name, (int)master->faces,
      contact->settings->sliding == NS_SLIDING_AUTO ? "prescribed motion:" : "`sliding: finite`; prescribed motion:", contact->expected,
      contact->expected / master->face_size, least, most);
  else if (slave->faces)
    (void)snprintf(text, size, "%s: %s (%d faces) on %s (%d faces) by mortar, %s; %.3g %% of it opposite, gaps %.3g to %.3g m", contact->name,
      slave->name, (int)slave->faces, master->name, (int)master->faces, contact->settings->tied ? "tied" : "for small sliding",
      100 * mortar->covered / mortar->whole, least, most);
  else
    (void)snprintf(text, size, "%s: %d %s of %s on %s (%d faces), for small sliding; gaps %.3g to %.3g m", contact->name, (int)mortar->rows,
      NsPlural(mortar->rows, "node", "nodes"), slave->name, master->name, (int)master->faces, least, most);
  return PETSC_TRUE;
}
