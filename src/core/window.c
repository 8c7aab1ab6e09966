#include "window.h"

void NsWindowCheck(const NsWindow *window, const NsNode *where, NsDiag *diag)
{
  if (window->until == 0 || window->until > window->from) return;
  NsDiagError(diag, NsKeysPlace(where, "until"), "until = %g s is not after from = %g s", window->until, window->from);
}
