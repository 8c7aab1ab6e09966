/* Reads a study file: its keys, its runs, and the checks that need both. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "core/keys_internal.h"
#include "study.h"

/* Whether the key is varied, and a number in every run if that is needed; else reports it. */
static bool check_varied(NsStudy *study, const NsNode *where, const char *word, const char *key, bool number)
{
  const char       **names  = NsArenaAlloc(study->arena, sizeof(*names) * (size_t)(study->axes + 1));
  const int          axis   = NsStudyAxisOf(study, key);
  const NsKeysReader reader = {study->arena, study->diag, NULL};
  int                count  = 0;

  if (axis < 0 || (number && !strcmp(key, "case"))) {
    for (int a = 0; a < study->axes; a++) {
      if (!number || strcmp(study->axis[a].key, "case")) names[count++] = study->axis[a].key;
    }
    NsDiagError(study->diag, NsKeysPlace(where, word), "'%s' is not varied%s", key, NsDidYouMean(NsNearestWord(key, names)));
    NsDiagNote(study->diag, "varied: %s", NsKeysJoin(&reader, names, count, 0));
    return false;
  }
  for (int row = 0; row < study->rows && number; row++) {
    if (!isnan(NsStudyNumber(study, row, key, NULL))) continue;
    NsDiagError(study->diag, NsKeysPlace(where, word), "%s is not a number in run %d (%s)", key, row + 1, NsStudyRunName(study, row));
    return false;
  }
  return true;
}

static void check_recorded(NsStudy *study, const NsStrings *names)
{
  const NsList      *record = &study->settings.record;
  const char       **known  = NsArenaAlloc(study->arena, sizeof(*known) * (size_t)(record->count + 1));
  const NsKeysReader reader = {study->arena, study->diag, NULL};

  for (int q = 0; q < record->count; q++) known[q] = record->names[q];
  for (int i = 0; i < names->count; i++) {
    int q = 0;

    while (q < record->count && strcmp(names->items[i], record->names[q])) q++;
    if (q < record->count) continue;
    NsDiagError(study->diag, names->where[i]->place, "'%s' is not recorded%s", names->items[i], NsDidYouMean(NsNearestWord(names->items[i], known)));
    NsDiagNote(study->diag, "recorded: %s", NsKeysJoin(&reader, known, record->count, 0));
    return;
  }
}

static void check_convergence(NsStudy *study)
{
  const NsConvergence *convergence = study->settings.convergence;
  const NsQuantity    *quantity    = study->settings.record.items;
  bool                 errors      = false;
  int                  first, second;

  if (!check_varied(study, convergence->where, "over", convergence->over, true)) return;
  check_recorded(study, &convergence->of);
  for (int i = 0; i < convergence->by.count; i++) {
    if (!check_varied(study, convergence->where, "by", convergence->by.items[i], false)) return;
  }
  for (int row = 0; row < study->rows; row++) {
    if (NsStudyNumber(study, row, convergence->over, NULL) > 0) continue;
    NsDiagError(study->diag, NsKeysPlace(convergence->where, "over"), "%s is not above zero in run %d (%s), so that no order can be computed",
      convergence->over, row + 1, NsStudyRunName(study, row));
    return;
  }
  if (NsOrdersRepeat(study, &first, &second)) {
    NsDiagError(study->diag, convergence->where->key_place, "runs %d and %d have the same %s in one sequence: %s; %s", first + 1, second + 1,
      convergence->over, NsStudyRunName(study, first), NsStudyRunName(study, second));
    NsDiagNote(study->diag, "add `by` with the keys that separate the sequences, such as by: [bodies.bar.mass]");
  }
  for (int q = 0; q < study->settings.record.count; q++) errors = errors || quantity[q].against || quantity[q].exact.rows;
  if (convergence->of.count || errors) return;
  NsDiagError(study->diag, convergence->where->key_place, "no recorded quantity is an error of a run: none has `against` or `exact`");
  NsDiagNote(study->diag, "name quantities with `of`, or give one `against: reference`");
}

/* `at: turn` needs an angular velocity or a frequency; a bare number is rad/s. */
static void check_bifurcation(NsStudy *study)
{
  const NsBifurcation *bifurcation = study->settings.bifurcation;
  NsDimension          dimension;
  double               value;

  if (!check_varied(study, bifurcation->where, "over", bifurcation->over, true) || bifurcation->at != NS_SAMPLE_TURN) return;
  for (int row = 0; row < study->rows; row++) {
    const char *text = "";

    (void)NsStudyNumber(study, row, bifurcation->over, &text);
    (void)NsParseAnyQuantity(text, &dimension, &value);
    if (!*NsDimensionUnit(dimension) || (dimension.s == -1 && !dimension.m && !dimension.kg)) continue;
    NsDiagError(study->diag, NsKeysPlace(bifurcation->where, "at"), "at: turn needs a study `over` an angular velocity or a frequency, but %s is %s",
      bifurcation->over, text);
    return;
  }
}

static const char *base_name(NsStudy *study)
{
  const char *slash = strrchr(study->path, '/'), *base = slash ? slash + 1 : study->path, *dot = strrchr(base, '.');

  return NsArenaCopy(study->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

bool NsStudyRead(NsStudy *study)
{
  NsNode *tree = NsTreeReadFile(study->path, study->arena, study->diag);

  study->name = base_name(study);
  if (tree && NsTreeChild(tree, "bodies") && !NsTreeChild(tree, "config")) {
    NsDiagError(study->diag, NsTreeChild(tree, "bodies")->key_place, "this is the config of one run, not a study of many");
    NsDiagNote(study->diag, "run it with: percuss run %s; a study refers to it by `config: %s`", study->path, study->path);
    return false;
  }
  if (tree) NsTreeTame(tree, study->arena);
  if (!tree || !NsKeysRead(&NsTable_Study, tree, &study->settings, study->arena, study->diag)) return false;
  study->config = NsTreeFile(NsTreeChild(tree, "config"), study->arena);
  if (access(study->config, R_OK)) NsDiagError(study->diag, NsKeysPlace(tree, "config"), "cannot open '%s': %s", study->config, strerror(errno));
  if (!NsStudyMakeRuns(study) || NsDiagErrors(study->diag)) return false;
  if (study->settings.convergence) check_convergence(study);
  if (study->settings.bifurcation) check_bifurcation(study);
  return !NsDiagErrors(study->diag);
}
