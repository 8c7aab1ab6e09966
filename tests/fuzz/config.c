/*
  The config's reader: YAML text -> tree -> --set -> parameters -> typed settings, and back to text.

  The input is a config; comments "#set KEY=VALUE" in its first lines are given as --set. Promises: what is not read has a message; messages do not drive a terminal; a
  tree that is written reads back the same, and its settings are good if they were.
*/
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "percuss/settings.h"

enum { MOST_SETS = 4 };

static void compare(const NsNode *a, const NsNode *b)
{
  const NsNode *y = b->first;

  FuzzExpect(a->kind == b->kind && a->count == b->count, "written and read: kind %d, %d children; was kind %d, %d children", b->kind, b->count,
    a->kind, a->count);
  FuzzExpect(
    !a->key == !b->key && (!a->key || !strcmp(a->key, b->key)), "written and read: key '%s'; was '%s'", b->key ? b->key : "", a->key ? a->key : "");
  if (a->kind == NS_NODE_SCALAR) {
    FuzzExpect(!strcmp(a->text, b->text), "written and read: '%s'; was '%s'", b->text, a->text);
    FuzzExpect(b->quoted || !a->quoted, "written and read: '%s' lost its quotes", b->text);
  }
  for (const NsNode *x = a->first; x; x = x->next, y = y->next) {
    FuzzExpect(y && x->parent == a && y->parent == b, "children do not hang together");
    compare(x, y);
  }
}

static NsNode *write_and_read(const NsNode *root, NsArena *arena)
{
  NsDiag *diag = NsDiagCreate(arena);
  char   *text = NULL, *copy;
  size_t  size = 0;
  FILE   *file = open_memstream(&text, &size);
  NsNode *again;

  if (!file) FuzzFinding("no memory for the tree's text");
  NsTreeWrite(root, file);
  fclose(file);
  copy = NsArenaCopy(arena, text, size);
  free(text);
  again = NsTreeReadText("written.yaml", copy, size, arena, diag);
  FuzzExpect(again, "what was written cannot be read:\n%s\n%s", copy, FuzzMessages(diag, arena));
  return again;
}

static bool read_settings(const NsNode *root, NsDiag *diag, NsArena *arena)
{
  NsConfig   config;
  const int  errors = NsDiagErrors(diag);
  const bool good   = NsKeysRead(&NsTable_Config, root, &config, arena, diag);

  FuzzExpect(good == (NsDiagErrors(diag) == errors), "the verdict and the messages disagree");
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena    *arena = NsArenaCreate();
  NsDiag     *diag  = NsDiagCreate(arena);
  char       *text  = FuzzText(data, size, arena);
  const char *set[MOST_SETS];
  NsNode     *root = NsTreeReadText("fuzz.yaml", text, size, arena, diag);

  FuzzExpect(!root == (NsDiagErrors(diag) > 0), "no tree, and no message");
  if (root) {
    const int sets = FuzzComments(text, "set", MOST_SETS, set, arena);

    for (int i = 0; i < sets; i++) {
      const int errors = NsDiagErrors(diag);

      FuzzExpect(NsTreeSet(root, set[i], arena, diag) == (NsDiagErrors(diag) == errors), "--set %s: the verdict and the messages disagree", set[i]);
    }
    compare(root, write_and_read(root, arena));
    const int errors = NsDiagErrors(diag);
    FuzzExpect(
      NsTreeSubstitute(root, &NsTable_Config, arena, diag) == (NsDiagErrors(diag) == errors), "parameters: the verdict and the messages disagree");
    NsNode    *again = write_and_read(root, arena);
    const bool good  = read_settings(root, diag, arena);

    compare(root, again);
    if (good) FuzzExpect(read_settings(again, diag, arena), "good settings, but not once written:\n%s", FuzzMessages(diag, arena));
  }
  (void)FuzzMessages(diag, arena);
  NsArenaDestroy(&arena);
  return 0;
}
