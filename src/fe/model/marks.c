/* What acts on the bodies, for a picture of the model: supports, loads, force elements, inertias. */
#include "fe.h"
#include "fe/reduce/reduce.h"

typedef struct {
  NsFeMark *mark; /* NULL: only counted */
  PetscInt  count;
} List;

static NsFeMark *add(List *list, NsFeMarkKind kind, const PetscReal *x)
{
  NsFeMark *mark = list->mark ? &list->mark[list->count] : NULL;

  list->count++;
  if (mark) *mark = (NsFeMark){.kind = kind, .x = {x[0], x[1], x[2]}};
  return mark;
}

static void add_supports(const NsFe *fe, List *list)
{
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body  = &fe->body[fe->node_body[i]];
    const PetscInt  first = body->first_dof + (i - body->first_node) * body->node_unknowns;
    PetscBool       held  = PETSC_FALSE;
    for (PetscInt a = 0; a < body->node_unknowns; a++) held = held || fe->holder[first + a];
    if (held) (void)add(list, NS_FE_MARK_SUPPORT, fe->x + 3 * i);
  }
}

/* force[nodes, 3] of a load at its factor 1; loads by base motion, which act on all nodes, are not drawn. */
static void add_load(const NsFe *fe, const NsFeLoad *load, const PetscInt *dof_of, PetscReal *force, List *list)
{
  const NsMotion *base = &fe->moving.base;

  for (int a = 0; a < base->parts; a++) {
    if (load->time == &base->part[a].derived[2]) return;
  }
  if (load->part) return;
  (void)PetscArrayzero(force, 3 * fe->nodes);
  for (PetscInt i = 0; i < load->entries; i++) {
    const PetscInt dof = dof_of[load->unknown[i]];
    PetscInt       b   = 0;
    while (b + 1 < fe->bodies && fe->body[b + 1].first_dof <= dof) b++;
    const NsFeBody *body = &fe->body[b];
    const PetscInt  node = body->first_node + (dof - body->first_dof) / body->node_unknowns, a = (dof - body->first_dof) % body->node_unknowns;
    for (int k = 0; k < 3 && !body->turns[a]; k++) force[3 * node + k] += load->value[i] * body->direction[a][k];
  }
  for (PetscInt i = 0; i < fe->nodes; i++) {
    if (force[3 * i] == 0 && force[3 * i + 1] == 0 && force[3 * i + 2] == 0) continue;
    NsFeMark *mark = add(list, NS_FE_MARK_LOAD, fe->x + 3 * i);
    for (int k = 0; k < 3 && mark; k++) mark->to[k] = force[3 * i + k];
  }
}

PetscErrorCode NsFeMarks(const NsModel *model, NsFeMark *marks, PetscInt *count)
{
  const NsFe *fe   = NsModelIsReduced(model) ? ((const NsFeReduced *)model->data)->whole->data : model->data;
  List        list = {.mark = marks};
  PetscInt   *dof_of;
  PetscReal  *force;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)fe->unknowns, &dof_of, 3 * (size_t)fe->nodes, &force));
  for (PetscInt d = 0; d < fe->dofs; d++) {
    if (fe->unknown[d] >= 0) dof_of[fe->unknown[d]] = d;
  }
  add_supports(fe, &list);
  for (PetscInt l = 0; l < fe->forces.loads; l++) add_load(fe, &fe->forces.load[l], dof_of, force, &list);
  for (PetscInt f = 0; f < fe->force_elements; f++) {
    NsPoint end[2];
    if (fe->force[f].inner) continue;
    for (int e = 0; e < 2; e++) NsFeExpand(fe, &fe->force[f].end[e], &end[e]);
    NsFeMark *mark = add(&list, fe->force[f].end[1].body < 0 ? NS_FE_MARK_GROUNDED : NS_FE_MARK_FORCE, end[0].x);
    for (int k = 0; k < 3 && mark; k++) mark->to[k] = end[1].x[k];
  }
  for (PetscInt i = 0; i < fe->inertias; i++) {
    NsPoint at;
    NsFeExpand(fe, &fe->inertia[i].at, &at);
    (void)add(&list, NS_FE_MARK_INERTIA, at.x);
  }
  *count = list.count;
  PetscCall(PetscFree2(dof_of, force));
  PetscFunctionReturn(0);
}
