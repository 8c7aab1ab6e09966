/*
  From a config to a run, its first steps and its outputs.

  The input is a config, with "#set KEY=VALUE" as in config.c. Configs that would be large are left alone: every mutated number would cost minutes. Files are read from
  meshes/ only, plugins not at all. Promises: no mistake of a user is an error of PETSc; a run without messages can be stepped; one that fails says why; run.json and
  config.yaml can be read.
*/
#include "fuzz.h"
#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>
#include "run/private.h"

enum { MOST_SETS = 4, MOST_ELEMENTS = 16, MOST_CELLS = 12 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  FuzzStartPetsc();
  return 0;
}

static bool is_key(const NsNode *node, const char *key)
{
  return node->key && !strcmp(node->key, key);
}

/* Whether all that a config can ask for much of is little, and its files are those of the repository. */
static bool is_small(const NsNode *node)
{
  double value, cells = 1;

  if (node->kind == NS_NODE_SCALAR) {
    if (is_key(node, "elements") && !NsParseNumber(node->text, &value) && !(value <= MOST_ELEMENTS)) return false;
    if (is_key(node, "mesh") || is_key(node, "file")) return !strncmp(node->text, "../meshes/", 10) && !strchr(node->text + 10, '/');
    return !is_key(node, "library");
  }
  for (const NsNode *child = node->first; child; child = child->next) {
    if (!is_small(child)) return false;
    if (is_key(node, "cells") && child->kind == NS_NODE_SCALAR && !NsParseNumber(child->text, &value)) cells *= 1 + fabs(value);
  }
  return cells <= MOST_CELLS;
}

/* The same look at the config that NsRunCreate will take. */
static bool may_run(const NsRunOptions *options, NsArena *arena)
{
  NsDiag *diag = NsDiagCreate(arena);
  NsNode *root = NsTreeReadText(options->config_path, options->config_text, strlen(options->config_text), arena, diag);

  for (int i = 0; root && i < options->sets; i++) (void)NsTreeSet(root, options->set[i], arena, diag);
  return root && is_small(root);
}

/* What a run wrote of itself is YAML for others too: JSON is. */
static void check_text(const NsRun *run, const char *name, NsArena *arena)
{
  NsDiag *diag = NsDiagCreate(arena);

  FuzzExpect(NsTreeReadFile(NsSinkPath(&run->sink, "%s", name), arena, diag), "%s cannot be read: %s", name, FuzzMessages(diag, arena));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena     *arena   = NsArenaCreate();
  NsDiag      *diag    = NsDiagCreate(arena);
  const char  *text    = FuzzText(data, size, arena), *set[MOST_SETS];
  NsRunOptions options = {
    .config_path = PERCUSS_SOURCE_DIR "/configs/fuzz.yaml", .config_text = text, .set = set, .directory = FuzzFolder(), .quiet = PETSC_TRUE};
  NsRun *run = NULL;

  options.sets = FuzzComments(text, "set", MOST_SETS, set, arena);
  if (may_run(&options, arena)) {
    FuzzCheck(NsRunCreate(&options, arena, diag, &run));
    if (!NsDiagErrors(diag)) {
      FuzzExpect(run->model && run->scheme && run->contact, "no messages, and no run");
      if (!run->scheme->type->bounded) FuzzCheck(NsRunCheckStep(run, PETSC_FALSE));
      if (!NsDiagErrors(diag)) {
        NsRunJudgeStep(run, PETSC_FALSE);
        FuzzEmptyFolder();
        FuzzExecute(run);
        check_text(run, "run.json", arena);
        check_text(run, "config.yaml", arena);
      }
    }
    FuzzCheck(NsRunDestroy(&run));
  }
  (void)FuzzMessages(diag, arena);
  NsArenaDestroy(&arena);
  return 0;
}
