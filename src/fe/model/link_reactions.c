/*
  Forces of links and ties, as probes links.NAME and ties.NAME and as parts of the reactions of supports.

  They are contacts (holds.c, surface/ties.c) along fixed directions: candidate i pushes its second point by lambda_i along its direction d, and its first point by -lambda_i. Links have the columns fx .. mz of
  the force on the second point, about this point; ties those on their second surface, about the mean of the first surface's nodes.

  A support holds DOF h on which they may act, too: its reaction is what the elements and loads need (reactions.c) less these forces,

      R_h = (M a + C v + K q - f)_h - sum_i lambda_i (W_i)_h
*/
#include <string.h>
#include "fe/surface/contact.h"
#include "link_reactions.h"

enum { FORCES = 6 };

static void add_touch(NsFe *fe, NsProbeColumn *column, PetscInt candidate, PetscReal weight)
{
  NsProbeTouch *touch = NsArenaAlloc(fe->arena, sizeof(*touch));

  if (weight == 0 || candidate < 0) return;
  *touch        = (NsProbeTouch){candidate, weight, column->touch};
  column->touch = touch;
}

/* The first candidate of a tie that is there, or the one of a link and its direction; -1: none. */
static PetscInt find_candidate(const NsModel *model, const char *name, const char *direction)
{
  const size_t size = strlen(name);

  for (PetscInt i = 0; i < model->candidates; i++) {
    const char *own = model->candidate[i].name;
    if (!model->candidate[i].bilateral || strncmp(own, name, size) != 0) continue;
    if (direction ? own[size] == '.' && !strcmp(own + size + 1, direction) : !own[size]) return i;
  }
  return -1;
}

/* [count] The candidates of a tie by their numbers; -1: left out, for nothing can move along it, as across a plane of symmetry. NULL: the tie has none. */
static const PetscInt *list_candidates(NsFe *fe, const NsModel *model, const char *name, PetscInt count)
{
  const PetscInt first = find_candidate(model, name, NULL);
  PetscInt      *list  = NsArenaAlloc(fe->arena, sizeof(*list) * (size_t)(count + 1));

  for (PetscInt k = 0; k < count; k++) list[k] = -1;
  for (PetscInt i = PetscMax(first, 0); first >= 0 && i < model->candidates && model->candidate[i].name == model->candidate[first].name; i++)
    list[count > 1 ? model->candidate[i].number[0] - 1 : 0] = i;
  return first < 0 ? NULL : list;
}

static const char *const directions[FORCES] = {"x", "y", "z", "rx", "ry", "rz"};

static const NsFeSurfaceContact *find_tie(const NsFe *fe, const char *name)
{
  const NsFeSurfaceContact *tie = fe->surface_contact;

  while (tie && (!tie->settings->tied || !tie->surface[0] || strcmp(tie->name, name) != 0)) tie = tie->next;
  return tie;
}

PetscBool NsFeLinkColumns(NsFe *fe, const NsModel *model, const char *name, PetscBool is_tie, NsProbeColumn column[6])
{
  PetscBool any = PETSC_FALSE;

  for (int k = 0; k < FORCES && !is_tie; k++) {
    const PetscInt i = find_candidate(model, name, directions[k]);
    if (i >= 0) add_touch(fe, &column[k], i, 1);
    any = any || i >= 0;
  }
  const NsFeSurfaceContact *tie = is_tie ? find_tie(fe, name) : NULL;
  if (!tie) return any;
  const NsFeSurface *slave = tie->surface[0];
  const PetscInt     each = slave->dimension, rows = tie->mortar.rows, *candidate = list_candidates(fe, model, name, each * rows);
  PetscReal          middle[3] = {0};
  if (!candidate) return any;
  for (PetscInt j = 0; j < rows; j++) {
    for (int k = 0; k < 3; k++) middle[k] += slave->x[tie->mortar.slave[j]][k] / (PetscReal)rows;
  }
  for (PetscInt j = 0; j < rows; j++) {
    const PetscReal *x = slave->x[tie->mortar.slave[j]];
    for (int a = 0; a < each; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3; /* e_a at x: moments about b and c */
      add_touch(fe, &column[a], candidate[j * each + a], 1);
      add_touch(fe, &column[3 + b], candidate[j * each + a], x[c] - middle[c]);
      add_touch(fe, &column[3 + c], candidate[j * each + a], middle[b] - x[b]);
    }
  }
  return PETSC_TRUE;
}

/* - lambda W of a node of a surface, which moves with `share` along the axis of each candidate. */
static void add_node(
  NsFe *fe, PetscInt node, PetscReal share, const PetscInt *candidate, PetscInt each, const PetscReal (*weight)[6], NsProbeColumn column[6])
{
  const NsFeBody *body   = &fe->body[fe->node_body[node]];
  const PetscInt *number = NsFeNodeUnknowns(fe, node);

  for (PetscInt d = 0; d < body->node_unknowns; d++) {
    if (number[d] < fe->unknowns || body->turns[d]) continue;
    const PetscReal *w = weight[number[d] - fe->unknowns];
    for (int k = 0; k < FORCES; k++) {
      for (int a = 0; a < each; a++) add_touch(fe, &column[k], candidate[a], -w[k] * share * body->direction[d][a]);
    }
  }
}

static void add_ties(NsFe *fe, const NsModel *model, const PetscReal (*weight)[6], NsProbeColumn column[6])
{
  for (const NsFeSurfaceContact *tie = fe->surface_contact; tie; tie = tie->next) {
    const NsFeMortar *mortar = &tie->mortar;
    if (!tie->settings->tied || !tie->surface[0]) continue;
    const PetscInt each = tie->surface[0]->dimension, *candidate = list_candidates(fe, model, tie->name, each * mortar->rows);
    for (PetscInt j = 0; candidate && j < mortar->rows; j++) {
      const PetscInt *here = &candidate[j * each];
      add_node(fe, tie->surface[0]->node[mortar->slave[j]], -1, here, each, weight, column);
      for (PetscInt e = mortar->first[j]; e < mortar->first[j + 1]; e++)
        add_node(fe, tie->surface[1]->node[mortar->master[e]], mortar->weight[e], here, each, weight, column);
    }
  }
}

void NsFeLinkReactions(NsFe *fe, const NsModel *model, const PetscReal (*weight)[6], NsProbeColumn column[6])
{
  NsPoint point[2];

  for (PetscInt h = 0; h < fe->holds; h++) {
    if (!fe->hold[h].is_link) continue;
    const PetscInt candidate = find_candidate(model, fe->hold[h].name, directions[fe->hold[h].direction]);
    NsFeLinkPoints(fe, &fe->hold[h], point);
    for (int p = 0; p < 2 && candidate >= 0; p++) {
      for (PetscInt i = 0; i < point[p].unknowns; i++) {
        if (point[p].unknown[i] < fe->unknowns) continue;
        const PetscReal *w = weight[point[p].unknown[i] - fe->unknowns], along = point[p].move[i][fe->hold[h].direction % 3];
        for (int k = 0; k < FORCES; k++) add_touch(fe, &column[k], candidate, (p ? -1 : 1) * w[k] * along);
      }
    }
  }
  add_ties(fe, model, weight, column);
}
