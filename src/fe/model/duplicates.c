/* Duplicate contacts: with different laws no reaction can satisfy both. Contacts that never act at the same time (`from`, `until`) are allowed. */
#include "equilibrium.h"

/* Whether the gaps agree at the start (in touch_q), and wherever one unknown is moved from there. */
static PetscBool have_same_gap(const NsFe *fe, const NsPair *a, const NsPair *b, PetscReal size)
{
  for (int p = 0; p < 2; p++) {
    for (PetscInt i = 0; i < a->point[p]->unknowns; i++) {
      PetscReal *q = &fe->touch_q[a->point[p]->touch[i]], start = *q;
      for (int step = -1; step <= 1; step++) {
        *q                      = start + 1e-3 * step * size;
        const PetscReal between = a->type->gap(a, fe->touch_q, NULL) - b->type->gap(b, fe->touch_q, NULL);
        *q                      = start;
        if (PetscAbsReal(between) > 1e-12 * PetscMax(size, 1)) return PETSC_FALSE;
      }
    }
  }
  return PETSC_TRUE;
}

static PetscBool is_same(const NsFe *fe, const NsPair *a, const NsPair *b, PetscReal size)
{
  if (a->point[1]->moving || b->point[1]->moving || a->type->others) return PETSC_FALSE; /* of surfaces contact.c compares names */
  if (a->type != b->type || a->offset != b->offset || a->radius[0] != b->radius[0] || a->radius[1] != b->radius[1]) return PETSC_FALSE;
  for (int p = 0; p < 2; p++) {
    if (!NsFeSamePoint(a->point[p], b->point[p])) return PETSC_FALSE;
  }
  return have_same_gap(fe, a, b, size);
}

/* held: NsContactSettings.held */
static const char *kind_of(const NsFe *fe, PetscInt held)
{
  return !held ? "contact" : fe->hold[held - 1].is_link ? "link" : "support";
}

PetscErrorCode NsFeContactDuplicates(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const PetscInt *source)
{
  char      name[2][NS_CANDIDATE_NAME];
  PetscInt *latest, *before; /* [touches + 1] the last candidate whose first unknown it is; [candidates] and the one before it */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(model->touches + 1, &latest, fe->pairs, &before));
  for (PetscInt i = 0; i <= model->touches; i++) latest[i] = -1;
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsPair *pair = &fe->pair[i];
    if (pair->resists) continue;
    const PetscInt key = pair->point[0]->unknowns ? pair->point[0]->touch[0] : model->touches;
    before[i]          = latest[key];
    latest[key]        = i;
    for (PetscInt j = before[i]; j >= 0 && !model->candidate[i].slot; j = before[j]) {
      if (!NsWindowsMeet(&settings[source[i]].window, &settings[source[j]].window)) continue;
      if (!is_same(fe, &fe->pair[j], pair, model->length_scale)) continue;
      NsDiagError(fe->diag, settings[source[i]].where->key_place, "%s '%s' duplicates '%s'", kind_of(fe, settings[source[i]].held),
        NsCandidateName(&model->candidate[i], name[0]), NsCandidateName(&model->candidate[j], name[1]));
      break;
    }
  }
  PetscCall(PetscFree2(latest, before));
  PetscFunctionReturn(0);
}
