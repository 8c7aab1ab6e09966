/*
  Supports: held unknowns are left out of the equations; then the others are numbered.
*/
#include <string.h>
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     at;
  NsStrings     fix;
  NsList        motion; /* of NsMotionPart */
  double        until;  /* s; 0: to the end */
} NsSupportSettings;

/* Words of `fix`: displacements along x, y, z; rotations about them; or several at once. */
static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz", "all", "displacements", "rotations", NULL};

static const NsKey support_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(NsSupportSettings, at), .required = true, .least = 1, .help = "nodes that are held", .example = "bar.right"},
  {"fix", NS_KEY_STRINGS, offsetof(NsSupportSettings, fix), .space = NS_SPACE_AXES, .default_value = "[all]", .least = 1,
    .help = "DOF that are held: x, y, z; for beams also rx, ry, rz (rotations); or displacements, rotations, all", .example = "[x, y]"},
  NS_MOTION_KEY(
    offsetof(NsSupportSettings, motion), "displacement, velocity or acceleration over time that the held displacements follow; several add up"),
  {"until", NS_KEY_NUMBER, offsetof(NsSupportSettings, until), .dimension = NS_DIM_TIME, .minimum = "0 <",
    .help = "the support holds until this time and then releases its nodes; default: to the end", .example = "0.2 s"},
  {NULL},
};

PetscBool NsFeAddFix(const char *word, PetscBool fixed[6])
{
  for (int i = 0; words[i]; i++) {
    if (strcmp(word, words[i])) continue;
    for (int k = 0; k < 6; k++) fixed[k] = fixed[k] || k == i || i == 6 || (i == 7 && k < 3) || (i == 8 && k >= 3);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void NsFeCheckFix(const NsStrings *fix, const NsNode *where, NsDiag *diag)
{
  PetscBool fixed[6];

  for (int i = 0; i < fix->count; i++) {
    const char *word = fix->items[i];
    if (NsFeAddFix(word, fixed)) continue;
    NsDiagError(diag, fix->where[i] ? fix->where[i]->place : NsKeysPlace(where, "fix"), "unknown direction '%s' in fix%s", word,
      NsDidYouMean(NsNearestWord(word, words)));
    NsDiagNote(diag, "directions: x, y, z, rx, ry, rz, all, displacements, rotations");
  }
}

static void check_support(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSupportSettings *support = settings;

  (void)arena;
  NsFeCheckFix(&support->fix, support->where, diag);
}
const NsTable NsTable_Support = {"support", "nodes held in place", support_keys, sizeof(NsSupportSettings), .check = check_support};

/* What a support that stops acting holds of a node. */
typedef struct {
  PetscBool stops;
  NsFeHold  hold;
} Until;

/* Holds the unknowns of a node whose direction lies within the fixed ones; one that is held only in part is an error. */
static void hold(NsFe *fe, const NsSupportSettings *support, PetscInt number, PetscInt set, const Until *until, PetscInt node,
  const PetscBool fixed[6], PetscBool *met)
{
  const NsFeBody *body    = &fe->body[fe->node_body[node]];
  PetscInt       *unknown = NsFeNodeUnknowns(fe, node);

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscBool *of = body->turns[a] ? fixed + 3 : fixed;
    PetscReal        in = 0;
    for (int k = 0; k < 3; k++) in += of[k] ? PetscSqr(body->direction[a][k]) : 0;
    if (in < 1e-16) continue;
    if (in < 1 - 1e-12) {
      NsDiagError(fe->diag, NsKeysPlace(support->where, "fix"), "the DOF of '%s' %s (%g, %g, %g), which `fix` holds only in part", body->name,
        body->turns[a] ? "are rotations about" : "are displacements along", body->direction[a][0], body->direction[a][1], body->direction[a][2]);
      NsDiagNote(fe->diag, "write `fix: all`");
      return;
    }
    if (until->stops && unknown[a] == 0) {
      NsFeHold it = until->hold;
      it.node     = node;
      it.dof      = a;
      NsFeAddHold(fe, &it);
    }
    *met = PETSC_TRUE;
    if (until->stops) continue;
    if (NsFeIsMoved(unknown[a]) || (unknown[a] == -1 && set >= 0 && !body->turns[a])) {
      NsDiagError(fe->diag, NsKeysPlace(support->where, "at"), "a DOF of '%s' is held by two supports, one of which moves", body->name);
      return;
    }
    unknown[a]                            = set >= 0 && !body->turns[a] ? NsFeAddMoved(fe, set, body->direction[a]) : -1;
    fe->holder[unknown + a - fe->unknown] = number;
  }
}

/* A motion along what is not held does nothing. */
static void check_along(const NsFe *fe, const NsMotion *motion, const PetscBool fixed[6])
{
  for (int p = 0; p < motion->parts; p++) {
    for (int k = 0; k < 3; k++) {
      if (fixed[k] || motion->part[p].vector[k] == 0) continue;
      NsDiagError(fe->diag, motion->part[p].where->place, "this motion has a part along %s, which `fix` does not hold", words[k]);
      break;
    }
  }
}

/* DOF that bodies given by matrices do not have. */
static void hold_absent(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; body->absent && i < body->mesh->nodes * body->node_unknowns; i++) {
      if (body->absent[i]) fe->unknown[body->first_dof + i] = -1;
    }
  }
}

static void prepare_until(NsFe *fe, const NsSupportSettings *support, const NsMotion *motion, NsFeHold *hold)
{
  NsMotion *kept = NsArenaAlloc(fe->arena, sizeof(*kept));

  *kept        = *motion;
  hold->motion = motion->parts ? kept : NULL;
  hold->off    = NsSwitchesAdd(fe->switches, 0, support->until, "support", hold->name, support->where, fe->arena);
}

void NsFeSupports(NsFe *fe)
{
  const NsList            *list    = &fe->config->supports;
  const NsSupportSettings *support = list->items;

  fe->holder = NsArenaAlloc(fe->arena, sizeof(*fe->holder) * (size_t)(fe->dofs + 1));
  hold_absent(fe);
  for (int s = 0; s < list->count; s++) {
    PetscBool fixed[6] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
    for (int i = 0; i < support[s].fix.count; i++) (void)NsFeAddFix(support[s].fix.items[i], fixed);
    const NsMotion motion = NsMotionPrepare(&support[s].motion, fe->config->time->end, fe->arena, fe->diag);
    NsSwitchesNoteMotion(fe->switches, &motion, list->names[s], fe->arena);
    Until          until = {support[s].until > 0, {.name = list->names[s], .where = support[s].where}};
    const PetscInt set   = motion.parts && !until.stops ? NsFeAddMotion(fe, motion) : -1;
    if (until.stops) prepare_until(fe, &support[s], &motion, &until.hold);
    check_along(fe, &motion, fixed);
    for (int i = 0; i < support[s].at.count; i++) {
      const NsPlace   place = support[s].at.where[i]->place;
      PetscBool       met   = PETSC_FALSE;
      PetscInt        count;
      const int       before = NsDiagErrors(fe->diag);
      const PetscInt *nodes  = NsFeFindNodes(fe, support[s].at.items[i], place, &count);
      for (PetscInt n = 0; nodes && n < count; n++) {
        until.hold.number = support[s].at.count > 1 || count > 1 ? until.hold.number + 1 : 0;
        hold(fe, &support[s], s + 1, set, &until, nodes[n], fixed, &met);
      }
      if (nodes && !met && NsDiagErrors(fe->diag) == before) {
        NsDiagError(
          fe->diag, NsKeysPlace(support[s].where, "fix"), "the support has no effect: '%s' has no DOF in these directions", support[s].at.items[i]);
      }
    }
  }
  for (PetscInt i = 0; i < fe->dofs; i++) {
    if (fe->unknown[i] == 0) fe->unknown[i] = fe->unknowns++;
  }
  if (fe->unknowns == 0 && !NsDiagErrors(fe->diag))
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "supports"), "the supports hold all DOF of the model");
}
