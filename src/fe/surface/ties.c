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
