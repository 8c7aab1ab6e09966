/*
  Supports that stop acting (key `until`), and links (links.c): what they hold stays among the equations, held by bilateral contacts that are switched off at the instant (percuss/switches.h).

      g = d . u - d . s(t) = 0     for each DOF; d: its direction, s: the support's motion

  Their reactions are those of contacts, "clamp.x", "clamp.ry" in contacts.csv, with a number where the support holds several nodes.
*/
#include "fe/model/fe.h"

static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};

void NsFeAddHold(NsFe *fe, const NsFeHold *hold)
{
  if (fe->holds % 64 == 0) {
    NsFeHold *more = NsArenaAlloc(fe->arena, sizeof(*more) * (size_t)(fe->holds + 64));
    for (PetscInt h = 0; h < fe->holds; h++) more[h] = fe->hold[h];
    fe->hold = more;
  }
  fe->hold[fe->holds++] = *hold;
}

/* The axis that a direction is nearest to. */
static int axis_of(const PetscReal d[3])
{
  int best = 0;

  for (int k = 1; k < 3; k++) best = PetscAbsReal(d[k]) > PetscAbsReal(d[best]) + 1e-9 ? k : best;
  return best;
}

static const char *name_of(NsFe *fe, const NsFeHold *hold)
{
  const NsFeBody *body = &fe->body[fe->node_body[hold->node]];

  if (hold->is_link) return NsArenaPrint(fe->arena, "%s.%s", hold->name, names[hold->direction]);
  return NsArenaPrint(fe->arena, "%s.%s", hold->name, names[axis_of(body->direction[hold->dof]) + (body->turns[hold->dof] ? 3 : 0)]);
}

void NsFeHoldValues(const NsFe *fe, PetscReal *q, PetscReal *v)
{
  for (PetscInt h = 0; h < fe->holds; h++) {
    const NsFeHold  *hold    = &fe->hold[h];
    const NsFeBody  *body    = &fe->body[fe->node_body[hold->node]];
    const PetscInt   unknown = NsFeNodeUnknowns(fe, hold->node)[hold->dof];
    const PetscReal *d       = body->direction[hold->dof];
    PetscReal        s[3] = {0}, rate[3] = {0};
    if (hold->is_link || unknown < 0) continue;
    if (hold->motion && !body->turns[hold->dof]) {
      NsMotionAt(hold->motion, 0, 0, s);
      NsMotionAt(hold->motion, 1, 0, rate);
    }
    q[unknown] = NsDot3(d, s);
    v[unknown] = NsDot3(d, rate);
  }
}

/* The DOF against a point without DOF. */
static void held_points(const NsFe *fe, const NsFeHold *hold, NsPoint point[2])
{
  const NsFeBody *body = &fe->body[fe->node_body[hold->node]];

  for (int p = 0; p < 2; p++) {
    point[p] = (NsPoint){.unknowns = 0};
    for (int k = 0; k < 3; k++) point[p].x[k] = fe->x[3 * hold->node + k];
  }
  point[0].unknowns   = 1;
  point[0].unknown[0] = NsFeNodeUnknowns(fe, hold->node)[hold->dof];
  for (int k = 0; k < 3; k++) point[0].move[0][k] = body->direction[hold->dof][k];
}

/* One candidate. The normal is the direction in which the second point moves away. */
PetscInt NsFeHoldCandidate(NsFe *fe, const NsContactSettings *settings, NsPair *pair, NsCandidate *candidate)
{
  const NsFeHold *hold  = &fe->hold[settings->held - 1];
  const NsFeBody *body  = &fe->body[fe->node_body[hold->node]];
  const PetscBool turns = hold->is_link ? hold->direction >= 3 : body->turns[hold->dof];
  NsPoint         point[2];

  if (!hold->is_link && NsFeNodeUnknowns(fe, hold->node)[hold->dof] < 0) return 0; /* another support holds it for good */
  if (!pair) return 1;
  *pair = (NsPair){.type = &NsPairType_NodeNode, .frame = NsArenaAlloc(fe->arena, sizeof(*pair->frame))};
  if (hold->is_link)
    NsFeLinkPoints(fe, hold, point);
  else
    held_points(fe, hold, point);
  for (int k = 0; k < 3; k++) pair->frame->normal[k] = hold->is_link ? k == hold->direction % 3 : -body->direction[hold->dof][k];
  for (int p = 0; p < 2; p++) {
    NsPairPoint *kept = NsFeAddPairPoints(fe, 1);
    NsPairPointKeep(&point[p], NULL, fe->arena, kept);
    if (p == 1 && hold->motion && !turns) kept->moving = NsFeSurfaceMoves(fe, hold->motion);
    pair->point[p] = kept;
  }
  *candidate = (NsCandidate){.name = name_of(fe, hold), .number = {hold->number}, .bilateral = PETSC_TRUE, .moment_arm = turns};
  return 1;
}
