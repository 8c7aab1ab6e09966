#include "law.h"

#define NS_SPRING_LAW(Name, key, help, example) &NsForceLaw_##Name,
#define NS_BEARING_LAW(Name, key, help, example)
const NsForceLaw *const NsSpringLaws[] = {
#include "list.h"
};
#undef NS_SPRING_LAW
#undef NS_BEARING_LAW
#define NS_SPRING_LAW(Name, key, help, example)
#define NS_BEARING_LAW(Name, key, help, example) &NsForceLaw_##Name,
const NsForceLaw *const NsBearingLaws[] = {
#include "list.h"
};

PetscBool NsForceLawCreate(
  const NsForceLaw *const *laws, const void *const *settings, int count, PetscReal highest, NsArena *arena, NsDiag *diag, NsForceLawUse *use)
{
  *use = (NsForceLawUse){NULL, NULL};
  for (int i = 0; i < count; i++) {
    if (!settings[i]) continue;
    use->law  = laws[i];
    use->data = NsArenaAlloc(arena, laws[i]->size);
    return laws[i]->create(settings[i], highest, diag, use->data);
  }
  return PETSC_TRUE;
}
