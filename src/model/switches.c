#include "percuss/switches.h"
#include "core/motion.h"
#include "percuss/keys.h"

/* Behind those of the same time. */
static void insert(NsSwitches *switches, NsSwitch it, NsArena *arena)
{
  PetscInt k = switches->count;

  if (k == switches->room) {
    NsSwitch *more;
    switches->room = 2 * switches->room + 8;
    more           = NsArenaAlloc(arena, sizeof(*more) * (size_t)switches->room);
    for (PetscInt i = 0; i < k; i++) more[i] = switches->item[i];
    switches->item = more;
  }
  for (; k > 0 && switches->item[k - 1].t > it.t; k--) switches->item[k] = switches->item[k - 1];
  switches->item[k] = it;
  switches->count++;
}

static const NsSwitch *find(const NsSwitches *switches, const char *name, const NsNode *where)
{
  for (PetscInt k = 0; k < switches->count; k++) {
    if (switches->item[k].where == where && switches->item[k].name == name) return &switches->item[k];
  }
  return NULL;
}

/* Its beginning and its end. */
static void add(NsSwitches *switches, PetscReal from, PetscReal until, NsSwitch it, const NsNode *where, NsArena *arena)
{
  it.where = where;
  it.t     = from;
  it.acts  = PETSC_TRUE;
  it.place = NsKeysPlace(where, "from");
  if (from > 0) insert(switches, it, arena);
  it.t     = until;
  it.acts  = PETSC_FALSE;
  it.place = NsKeysPlace(where, "until");
  if (until > 0) insert(switches, it, arena);
}

void NsSwitchesNote(NsSwitches *switches, PetscReal from, PetscReal until, const char *kind, const char *name, const NsNode *where, NsArena *arena)
{
  if (!find(switches, name, where)) add(switches, from, until, (NsSwitch){.kind = kind, .name = name}, where, arena);
}

void NsSwitchesNoteMotion(NsSwitches *switches, const NsMotion *motion, const char *name, NsArena *arena)
{
  for (int a = 0; a < motion->parts; a++)
    NsSwitchesNote(switches, motion->part[a].window.from, motion->part[a].window.until, "motion of", name, motion->part[a].where, arena);
}

PetscBool *NsSwitchesAdd(
  NsSwitches *switches, PetscReal from, PetscReal until, const char *kind, const char *name, const NsNode *where, NsArena *arena)
{
  const NsSwitch *made = find(switches, name, where);

  if (from == 0 && until == 0) return NULL;
  if (made) return made->off;
  PetscBool *off = NsArenaAlloc(arena, sizeof(*off));

  *off = from > 0;
  add(switches, from, until, (NsSwitch){.kind = kind, .name = name, .off = off}, where, arena);
  return off;
}

PetscReal NsSwitchesNext(const NsSwitches *switches, PetscReal t)
{
  for (PetscInt k = 0; k < switches->count; k++) {
    if (switches->item[k].t > t) return switches->item[k].t;
  }
  return PETSC_MAX_REAL;
}

void NsSwitchesSet(NsSwitches *switches, PetscInt done)
{
  for (PetscInt k = switches->count; k > done; k--) {
    if (switches->item[k - 1].off) *switches->item[k - 1].off = switches->item[k - 1].acts;
  }
  for (PetscInt k = 0; k < done; k++) {
    if (switches->item[k].off) *switches->item[k].off = !switches->item[k].acts;
  }
  switches->done = done;
}
