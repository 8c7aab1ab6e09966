/*
  Ties: surfaces of solids that are joined for good, whose meshes need not match. A tie is a contact of two surfaces (contact.h) that neither opens nor slides: equations in place of a law, on all rows of
  its nodes, which the local problem solves with the contacts; in modes and responses springs a million times as stiff as the bodies.
*/
#include <string.h>
#include "contact.h"
#include "fe/fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     between; /* two surfaces */
} NsTieSettings;

static const NsKey tie_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsTieSettings, between), .required = true, .least = 2, .most = 2,
    .help = "named sides of two solids that lie on each other; the finer surface first", .example = "[upper.bottom, lower.top]"},
  {NULL},
};
const NsTable NsTable_Tie = {"tie", "surfaces of two solids that are joined", tie_keys, sizeof(NsTieSettings)};

/* Supports that stop acting: a bilateral contact for each DOF. */
static void add_holds(NsFe *fe, NsContactSettings *all, const char **names)
{
  const NsList *links = &fe->config->links;

  for (PetscInt h = 0; h < fe->holds; h++) {
    const NsFeHold *hold = &fe->hold[h];
    if (hold->is_link || (h > 0 && hold[-1].where == hold->where)) continue;
    for (int l = 0; l < links->count; l++) {
      if (!strcmp(links->names[l], hold->name))
        NsDiagError(fe->diag, hold->where->key_place, "'%s' is also the name of a link: the forces of both would be %s.x in contacts.csv", hold->name,
          hold->name);
    }
  }
  for (PetscInt h = 0; h < fe->holds; h++) {
    const NsFeHold *hold = &fe->hold[h];
    all[h]               = (NsContactSettings){.where = hold->where,
                    .between                          = {.count = 2, .items = NsArenaAlloc(fe->arena, 2 * sizeof(NsPartnerSettings))},
                    .tied                             = true,
                    .held                             = (int)h + 1};
    names[h]             = hold->name;
  }
}

void NsFeTiesAdd(NsFe *fe)
{
  const NsList        *contacts = &fe->config->contacts, *ties = &fe->config->ties;
  const NsTieSettings *tie   = ties->items;
  const int            count = contacts->count + ties->count + (int)fe->holds;
  NsContactSettings   *all   = NsArenaAlloc(fe->arena, sizeof(*all) * (size_t)(count + 1));
  const char         **names = NsArenaAlloc(fe->arena, sizeof(*names) * (size_t)(count + 1));

  if (contacts->count) memcpy(all, contacts->items, sizeof(*all) * (size_t)contacts->count);
  for (int c = 0; c < contacts->count; c++) names[c] = contacts->names[c];
  for (int t = 0; t < ties->count; t++) {
    NsPartnerSettings *side = NsArenaAlloc(fe->arena, sizeof(*side) * 2);
    for (int c = 0; c < contacts->count; c++) {
      if (!strcmp(names[c], ties->names[t])) NsDiagError(fe->diag, tie[t].where->key_place, "'%s' is also the name of a contact", names[c]);
    }
    for (int p = 0; p < 2; p++) {
      side[p].where = tie[t].between.where[p];
      side[p].sides = tie[t].between.items[p];
    }
    all[contacts->count + t]   = (NsContactSettings){.where = tie[t].where, .between = {.count = 2, .items = side}, .tied = true};
    names[contacts->count + t] = ties->names[t];
  }
  add_holds(fe, all + contacts->count + ties->count, names + contacts->count + ties->count);
  fe->contact_list = (NsList){.count = count, .names = names, .items = all};
}

/* Ties and links hold velocities, too: where those of `initial` differ, the first step is an impact. Displacements that differ would be held apart for ever (of links: check_initial_gap in contacts.c). */
PetscErrorCode NsFeTiesCheckInitial(NsFe *fe, const NsModel *model, const NsContactSettings *settings, const PetscInt *source)
{
  PetscReal *q, *v, *move[2], most[2] = {0, 0};

  PetscFunctionBegin;
  if (fe->config->ties.count + fe->config->links.count == 0 || fe->config->start->from) PetscFunctionReturn(0);
  PetscCall(PetscCalloc4(fe->unknowns, &q, fe->unknowns, &v, model->touches, &move[0], model->touches, &move[1]));
  NsFeInitialValues(fe, q, v);
  for (PetscInt i = 0; i < model->touches; i++) {
    move[0][i] = q[model->touch[i]];
    move[1][i] = v[model->touch[i]];
  }
  for (PetscInt i = 0; i < fe->pairs; i++) {
    const NsContactSettings *tie  = &settings[source[i]];
    const PetscBool          link = tie->held && fe->pair[i].point[1]->unknowns > 0;
    for (int level = link ? 1 : 0; level < 2 && (link || (tie->tied && !tie->held)); level++) {
      PetscReal u[2][3], d[3];
      for (int p = 0; p < 2; p++) NsPointDisplacement(fe->pair[i].point[p], move[level], u[p]);
      for (int k = 0; k < 3; k++) d[k] = u[1][k] - u[0][k];
      const PetscReal apart = link ? PetscAbsReal(NsDot3(d, fe->pair[i].frame->normal)) : PetscSqrtReal(NsDot3(d, d)),
                      large = PetscSqrtReal(NsDot3(u[0], u[0])) + PetscSqrtReal(NsDot3(u[1], u[1]));
      if (apart > 1e-9 * large) most[level] = PetscMax(most[level], apart);
    }
    if (i + 1 < fe->pairs && settings[source[i + 1]].where == tie->where) continue;
    if (most[0] > 0) NsDiagError(fe->diag, tie->where->place, "the displacements of `initial` on both sides of this tie differ by %.4g m", most[0]);
    if (most[1] > 0)
      NsDiagWarning(fe->diag, tie->where->place,
        "the velocities of `initial` on both sides of this %s differ by %.4g %s: it makes them equal in the first step, which dissipates energy as an impact",
        tie->held ? "link" : "tie", most[1], tie->held ? "m/s or rad/s" : "m/s");
    most[0] = most[1] = 0;
  }
  PetscCall(PetscFree4(q, v, move[0], move[1]));
  PetscFunctionReturn(0);
}
