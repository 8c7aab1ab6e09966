/*
  Links: two points of bodies that move together, rigidly or as a hinge. For each direction d of `fix`

      displacements   d . (u_b - u_a - theta_a x (x_b - x_a)) = 0        rotations   d . (theta_b - theta_a) = 0

  as bilateral contacts (holds.c), "joint.x", "joint.rz", whose forces on the second point are in contacts.csv. Rotations are small, as everywhere in finite elements. A rigid arm joins the first point to the second
  one, where they are apart: its body has to have rotations then.

  The equations are linear in the twist of a rotor, which is large: arms of a rotor that spins lie along its axis, and its twist is held only against that of a coaxial or parallel rotor.
*/
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     between, fix;
  double        until; /* s; 0: to the end */
} NsLinkSettings;

static const NsKey link_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsLinkSettings, between), .required = true, .least = 2, .most = 2,
    .help    = "two points of bodies; if they do not coincide, a rigid arm connects the first point to the second one",
    .example = "[left.right, right.left]"},
  {"fix", NS_KEY_STRINGS, offsetof(NsLinkSettings, fix), .space = NS_SPACE_AXES, .default_value = "[all]", .least = 1,
    .help =
      "relative motions that are zero: x, y, z, rx, ry, rz; or displacements (a ball joint), rotations, all (a rigid link); a hinge about z: [displacements, rx, ry]",
    .example = "[displacements, rx, ry]"},
  {"until", NS_KEY_NUMBER, offsetof(NsLinkSettings, until), .dimension = NS_DIM_TIME, .minimum = "0 <",
    .help = "the link holds until this time and then breaks; default: to the end", .example = "0.2 s"},
  {NULL},
};

static void check_link(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsLinkSettings *link = settings;

  (void)arena;
  NsFeCheckFix(&link->fix, link->where, diag);
}
const NsTable NsTable_Link = {"link", "rigid link or hinge between two points of bodies", link_keys, sizeof(NsLinkSettings), .check = check_link};

void NsFeLinkPoints(const NsFe *fe, const NsFeHold *hold, NsPoint point[2])
{
  const int k = hold->direction % 3;

  for (int p = 0; p < 2; p++) {
    NsPoint all;
    NsFeExpand(fe, &hold->end[p], &all);
    point[p] = (NsPoint){.unknowns = 0};
    for (int c = 0; c < 3; c++) point[p].x[c] = all.x[c];
    for (PetscInt i = 0; i < all.unknowns; i++) {
      const PetscReal weight = hold->direction < 3 ? all.move[i][k] : all.turn[i][k];
      if (all.unknown[i] < 0 || weight == 0) continue;
      const PetscInt to    = point[p].unknowns++;
      point[p].unknown[to] = all.unknown[i];
      point[p].move[to][k] = weight;
    }
  }
  for (int c = 0; c < 3; c++) point[1].x[c] = point[0].x[c]; /* the arm ends at the second point */
}

/* Held rotations count: the arm is at rest then. */
static PetscBool turns(const NsFeBody *body)
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt a = 0; a < body->node_unknowns; a++) any = any || body->turns[a];
  return any;
}

static PetscBool spins(const NsFeBody *body)
{
  return body->is_rotor && (NsSpinIsFree(body->spin) || NsSpinHighest(body->spin) != 0);
}

/* Whether both are rotors whose twists may be equal: along parallel axes, both free, or prescribed with equal speeds. */
static PetscBool turn_together(const NsFeBody *a, const NsFeBody *b)
{
  if (!a->is_rotor || !b->is_rotor) return PETSC_FALSE;
  const PetscReal along = NsDot3(a->frame[0], b->frame[0]), sense = along < 0 ? -1 : 1;
  if (PetscAbsReal(along) < 1 - 1e-12 || NsSpinIsFree(a->spin) != NsSpinIsFree(b->spin)) return PETSC_FALSE;
  if (a == b || NsSpinIsFree(a->spin)) return PETSC_TRUE;
  return NsSpinAtStart(a->spin) == sense * NsSpinAtStart(b->spin) && NsSpinHighest(a->spin) == NsSpinHighest(b->spin);
}

/* False: an error in diag. arm: rigid arm of the first body. */
static PetscBool check_spin(NsFe *fe, const NsLinkSettings *link, const NsFeHold *hold, const PetscBool fixed[6], const PetscReal arm[3])
{
  static const char *const rotations[] = {"rx", "ry", "rz"};
  const NsFeBody *const    end[2]      = {&fe->body[hold->end[0].body], &fe->body[hold->end[1].body]};
  const PetscReal          length      = PetscSqrtReal(NsDot3(arm, arm));

  if (spins(end[0]) && (fixed[0] || fixed[1] || fixed[2]) && PetscAbsReal(NsDot3(arm, end[0]->frame[0])) < length * (1 - 1e-12) - 1e-9) {
    NsDiagError(fe->diag, link->between.where[1]->place,
      "this point is not on the axis of '%s', which spins: the rigid arm of this link, %.4g m long, would have to spin with it", end[0]->name,
      length);
    NsDiagNote(
      fe->diag, "name a point on the axis of '%s'; or write a `bearing` in place of the link, which transmits forces without an arm", end[0]->name);
    return PETSC_FALSE;
  }
  for (int p = 0; p < 2; p++) {
    if (!spins(end[p]) || turn_together(end[p], end[1 - p])) continue;
    for (int k = 0; k < 3; k++) {
      if (!fixed[3 + k] || PetscAbsReal(end[p]->frame[0][k]) < 1e-9) continue;
      NsDiagError(fe->diag, NsKeysPlace(link->where, "fix"), "this link would hold the rotation %s of '%s', which spins about (%g, %g, %g)",
        rotations[k], end[p]->name, end[p]->frame[0][0], end[p]->frame[0][1], end[p]->frame[0][2]);
      NsDiagNote(fe->diag,
        "leave the rotations about the axis of the rotor out of `fix`, such as `fix: [displacements%s%s%s]`; or write a `bearing` in place of the link",
        fixed[3] && PetscAbsReal(end[p]->frame[0][0]) < 1e-9 ? ", rx" : "", fixed[4] && PetscAbsReal(end[p]->frame[0][1]) < 1e-9 ? ", ry" : "",
        fixed[5] && PetscAbsReal(end[p]->frame[0][2]) < 1e-9 ? ", rz" : "");
      return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

static void add_link(NsFe *fe, const NsLinkSettings *link, const char *name)
{
  PetscBool fixed[6] = {PETSC_FALSE}, any = PETSC_FALSE;
  NsFeHold  hold  = {.name = name, .where = link->where, .is_link = PETSC_TRUE};
  PetscReal apart = 0, arm[3];
  NsPoint   point[2];

  for (int p = 0; p < 2; p++) {
    if (!NsFeFindPoint(fe, link->between.items[p], NULL, link->between.where[p]->place, PETSC_FALSE, &hold.end[p])) return;
    NsFeExpandMoved(fe, &hold.end[p], &point[p]);
    for (PetscInt i = 0; i < point[p].unknowns; i++) {
      if (!NsFeIsMoved(point[p].unknown[i])) continue;
      NsDiagError(
        fe->diag, link->between.where[p]->place, "a link acts on a node of '%s' that a support moves (`motion`)", fe->body[hold.end[p].body].name);
      return;
    }
  }
  if (hold.end[0].body == hold.end[1].body && hold.end[0].node == hold.end[1].node && hold.end[0].node >= 0) {
    NsDiagError(fe->diag, NsKeysPlace(link->where, "between"), "a link joins two different points");
    return;
  }
  for (int k = 0; k < 3; k++) {
    arm[k] = point[1].x[k] - point[0].x[k];
    hold.end[0].arm[k] += arm[k];
    apart = PetscMax(apart, PetscAbsReal(arm[k]));
  }
  for (int i = 0; i < link->fix.count; i++) (void)NsFeAddFix(link->fix.items[i], fixed);
  if (apart > 1e-9 && (fixed[0] || fixed[1] || fixed[2]) && !turns(&fe->body[hold.end[0].body])) {
    NsDiagError(fe->diag, NsKeysPlace(link->where, "between"), "the two points are %.4g m apart, and '%s' has no rotations that an arm could follow",
      apart, fe->body[hold.end[0].body].name);
    NsDiagNote(fe->diag, "name the point of a beam, a rotor or a rigid body first");
    return;
  }
  if (!check_spin(fe, link, &hold, fixed, arm)) return;
  hold.off = NsSwitchesAdd(fe->switches, 0, link->until, "link", name, link->where, fe->arena);
  for (hold.direction = 0; hold.direction < 6; hold.direction++) {
    if (!fixed[hold.direction]) continue;
    NsFeLinkPoints(fe, &hold, point);
    if (!point[0].unknowns && !point[1].unknowns) continue;
    NsFeAddHold(fe, &hold);
    any = PETSC_TRUE;
  }
  if (!any)
    NsDiagError(fe->diag, NsKeysPlace(link->where, "fix"), "this link has no effect: its points are supported, or have no DOF in these directions");
}

void NsFeLinks(NsFe *fe)
{
  const NsLinkSettings *link = fe->config->links.items;

  for (int l = 0; l < fe->config->links.count; l++) add_link(fe, &link[l], fe->config->links.names[l]);
}
