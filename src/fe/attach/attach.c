#include "fe/model/fe.h"

void NsFeAttachments(NsFe *fe)
{
#define NS_ATTACHMENT(Name, key, help, example) NsFeAttach_##Name(fe, &fe->config->attachments[NS_ATTACHMENT_##Name]);
#include "fe/attach/list.h"
#undef NS_ATTACHMENT
}

/* Items with room for one more behind `count`: a copy of twice the size where that is a power of two. */
static void *with_room(NsArena *arena, void *items, PetscInt count, size_t size)
{
  if (count & (count - 1)) return items;
  void *more = NsArenaAlloc(arena, size * (size_t)PetscMax(1, 2 * count));
  if (count) memcpy(more, items, size * (size_t)count);
  return more;
}

NsFeInertia *NsFeAddInertia(NsFe *fe)
{
  fe->inertia = with_room(fe->arena, fe->inertia, fe->inertias, sizeof(*fe->inertia));
  return &fe->inertia[fe->inertias++];
}

NsFeLoad *NsFeAddLoad(NsFe *fe, const NsTimeFunction *time, PetscBool turns, PetscInt entries)
{
  NsFeForces  *forces   = &fe->forces;
  const size_t capacity = (size_t)PetscMax(1, entries);

  forces->load   = with_room(fe->arena, forces->load, forces->loads, sizeof(*forces->load));
  NsFeLoad *load = &forces->load[forces->loads++];
  *load          = (NsFeLoad){.time = time,
             .unknown               = NsArenaAlloc(fe->arena, sizeof(*load->unknown) * capacity),
             .value                 = NsArenaAlloc(fe->arena, sizeof(*load->value) * capacity),
             .sine                  = turns ? NsArenaAlloc(fe->arena, sizeof(*load->sine) * capacity) : NULL};
  return load;
}

void NsFeAddLoadEntry(NsFeLoad *load, PetscInt unknown, PetscReal value, PetscReal sine)
{
  if (unknown < 0 || (value == 0 && sine == 0)) return;
  load->unknown[load->entries] = unknown;
  if (load->sine) load->sine[load->entries] = sine;
  load->value[load->entries++] = value;
}
