/*
  Gaps of candidates, and rows of their normals and tangents. Rows of fixed normals, where nothing turns with a spin of its own, are made once (NsFeKeptRows).
*/
#include "fe.h"

void NsFeMakeRows(NsFe *fe, const NsModel *model)
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

/* Of a candidate, whose rows stay. */
static PetscErrorCode keep_rows(NsFe *fe, PetscInt candidate, const PetscReal *touch_q)
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

static PetscErrorCode NsModelGap_Fe(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  NsSurfaceMotionAt(fe->surface_motion, t);
  PetscCall(NsModelTouch(model, q, fe->touch_q));
  NsFeSlidingAt(fe, fe->touch_q, model->touches);
  for (PetscInt i = 0; i < fe->pairs; i++) g[i] = fe->pair[i].type->gap(&fe->pair[i], fe->touch_q, NULL);
  PetscFunctionReturn(0);
}

/* Appends the rows of a candidate, as they stay. */
static void copy_rows(const NsFeKeptRows *kept, PetscInt candidate, NsRows *rows)
{
  PetscInt at = rows->first[rows->rows];

  for (PetscInt k = kept->row[candidate]; k < kept->row[candidate + 1]; k++) {
    const PetscInt from = k * kept->most, entries = kept->entries[k] - 1;
    for (PetscInt j = from; j < from + entries; j++, at++) {
      rows->touch[at] = kept->touch[j];
      rows->value[at] = kept->value[j];
    }
    rows->drive[rows->rows]   = kept->drive[k];
    rows->first[++rows->rows] = at;
  }
}

/* u of the rows of a candidate, as they stay. */
static inline void kept_velocity(const NsFeKeptRows *kept, PetscInt candidate, const PetscReal *touch_v, PetscReal *u)
{
  const PetscInt first = kept->row[candidate];

  for (PetscInt k = first; k < kept->row[candidate + 1]; k++) {
    const PetscInt from = k * kept->most, entries = kept->entries[k] - 1;
    PetscReal      sum = kept->drive[k];
    for (PetscInt j = from; j < from + entries; j++) sum += kept->value[j] * touch_v[kept->touch[j]];
    u[k - first] = sum;
  }
}

/* Whether the rows of a candidate stay; they are made then. */
static inline PetscErrorCode find_kept(NsFe *fe, PetscInt candidate, const PetscReal *touch_q, PetscBool *stays)
{
  const NsFeKeptRows *kept = &fe->kept;

  PetscFunctionBegin;
  *stays = kept->stays[candidate];
  if (*stays && kept->entries[kept->row[candidate]] == 0) PetscCall(keep_rows(fe, candidate, touch_q));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRows_Fe(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  NsFe     *fe       = model->data;
  PetscBool gathered = PETSC_FALSE, stays;

  PetscFunctionBegin;
  NsSurfaceMotionAt(fe->surface_motion, t);
  rows->contacts = active;
  rows->rows     = 0;
  rows->first[0] = 0;
  for (PetscInt i = 0; i < active; i++) {
    const NsPair *pair = &fe->pair[contact[i]];
    rows->contact[i]   = contact[i];
    rows->start[i]     = rows->rows;
    PetscCall(find_kept(fe, contact[i], fe->touch_q, &stays));
    if (stays) {
      copy_rows(&fe->kept, contact[i], rows);
      continue;
    }
    if (!gathered) {
      PetscCall(NsModelTouch(model, q, fe->touch_q));
      NsFeSlidingAt(fe, fe->touch_q, model->touches);
    }
    gathered = PETSC_TRUE;
    PetscCall(NsPairRows(pair, t, fe->touch_q, rows));
  }
  rows->start[active] = rows->rows;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRatesOf_Fe(NsModel *model, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count,
  const PetscInt *candidate, PetscReal *g, PetscReal *u)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  NsSurfaceMotionAt(fe->surface_motion, t);
  NsFeSlidingAt(fe, touch_q, model->touches);
  for (PetscInt k = 0; k < count && g; k++) g[candidate[k]] = fe->pair[candidate[k]].type->gap(&fe->pair[candidate[k]], touch_q, NULL);
  for (PetscInt k = 0; k < count && touch_v; k++) {
    const PetscInt i = candidate[k], first = fe->kept.row[i];
    PetscBool      stays;
    PetscCall(find_kept(fe, i, touch_q, &stays));
    if (stays) {
      kept_velocity(&fe->kept, i, touch_v, u + first);
      continue;
    }
    PetscCall(NsFeRowsOf(fe, i, t, touch_q));
    NsRowsVelocityTouched(&fe->one, touch_v, u + first);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelRowrate_Fe(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(d, rows->rows));
  NsSurfaceMotionAt(fe->surface_motion, t);
  PetscCall(NsModelTouch(model, q, fe->touch_q));
  PetscCall(NsModelTouch(model, v, fe->touch_v));
  NsFeSlidingAt(fe, fe->touch_q, model->touches);
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const NsPair *pair    = &fe->pair[rows->contact[i]];
    PetscReal     rate[3] = {0, 0, 0};
    NsPairRates(pair, t, fe->touch_q, fe->touch_v, rate);
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) d[k] = rate[k - rows->start[i]];
  }
  PetscFunctionReturn(0);
}

static PetscReal NsModelTravel_Fe(const NsModel *model, PetscInt candidate, const PetscReal t[2], const PetscReal *from, const PetscReal *to)
{
  return NsPairTravel(&((const NsFe *)model->data)->pair[candidate], t, from, to);
}

/* The unknowns on the touch list that forces can act on. For a node on a plane without friction that is one of three directions, because the rows of flat pairs never change. With model->slots all
   are: candidates may take any pair of their nodes later. */
static PetscErrorCode NsModelActed_Fe(NsModel *model, PetscBool *acted)
{
  NsFe         *fe  = model->data;
  const NsRows *one = &fe->one;

  PetscFunctionBegin;
  if (model->slots) PetscFunctionReturn(0); /* all */
  PetscCall(PetscArrayzero(acted, model->touches));
  for (PetscInt i = 0; i < fe->pairs; i++) {
    if (!fe->kept.stays[i]) {
      const NsPairPoint *point[2];
      PetscInt           count[2];
      NsPairPoints(&fe->pair[i], point, count);
      for (int p = 0; p < 2; p++) {
        for (PetscInt j = 0; j < count[p]; j++) {
          for (PetscInt a = 0; a < point[p][j].unknowns; a++) acted[point[p][j].touch[a]] = PETSC_TRUE;
        }
      }
      continue;
    }
    PetscCall(NsFeRowsOf(fe, i, 0, fe->touch_q));
    for (PetscInt j = 0; j < one->first[one->rows]; j++) {
      if (one->value[j] != 0) acted[one->touch[j]] = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(0);
}

const NsModelContact NsModelContact_Fe = {
  .gap      = NsModelGap_Fe,
  .rows     = NsModelRows_Fe,
  .rowrate  = NsModelRowrate_Fe,
  .rates_of = NsModelRatesOf_Fe,
  .travel   = NsModelTravel_Fe,
  .acted    = NsModelActed_Fe,
};
