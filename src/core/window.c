#include "window.h"

void NsWindowCheck(const NsWindow *window, const NsNode *where, NsDiag *diag)
{
  if (window->until == 0 || window->until > window->from) return;
  NsDiagError(diag, NsKeysPlace(where, "until"), "it stops acting at %g s, but begins at %g s (`from`)", window->until, window->from);
}
