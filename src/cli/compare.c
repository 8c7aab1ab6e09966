/*
  percuss compare A B [C]: how far runs are apart, from when on, and what that says of their steps. Exit code 0: alike within the tolerance; 1: not; 2: cannot be compared.
*/
#include "compare.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arguments.h"
#include "cli.h"
#include "percuss/units.h"

enum { TOLERANCE, CSV };

static NsCommandOption own[] = {[TOLERANCE] = {"--tolerance", "NUMBER"}, [CSV] = {"--csv", "FILE"}, {NULL}};

char NsCompareLetter(int run)
{
  return (char)('A' + run);
}

static bool read_tolerance(double *tolerance)
{
  *tolerance = 1e-6;
  if (!own[TOLERANCE].value) return true;
  if (!NsParseNumber(own[TOLERANCE].value, tolerance) && *tolerance >= 0) return true;
  fprintf(stderr, "percuss compare: --tolerance: '%s' is no number from 0 on, such as 1e-6\n", own[TOLERANCE].value);
  return false;
}

/* The number that alone differs, apart from what is only about output; NULL if there are more, or another thing. */
static const NsConfigDifference *find_refined(const NsConfigDifference *list)
{
  const NsConfigDifference *refined = NULL;

  for (; list; list = list->next) {
    if (NsConfigIsOutput(list)) continue;
    if (refined) return NULL;
    refined = list;
  }
  return refined && isfinite(NsConfigRatio(refined)) ? refined : NULL;
}

static bool ends_with(const char *path, const char *key)
{
  const size_t length = strlen(path), tail = strlen(key);

  return length >= tail && !strcmp(path + length - tail, key);
}

/* Of a step or a tolerance the larger value is the coarser one, of a count the smaller one. */
static bool is_first_coarser(const NsConfigDifference *difference)
{
  const bool counts = ends_with(difference->path, "elements") || ends_with(difference->path, "modes");

  return counts ? NsConfigRatio(difference) < 1 : NsConfigRatio(difference) > 1;
}

static const NsConfigDifference *refined_between(const NsComparison *it, int a, int b, NsArena *arena)
{
  return find_refined(NsConfigDiffer(it->run[a]->config, it->run[b]->config, arena));
}

/* Three runs in order, and the ratio that is the same from each to the next. */
static bool put_in_order(NsComparison *it, NsArena *arena)
{
  static const int pairs[] = {0, 1, 0}; /* as bubbles rise */

  for (int i = 0; i < 3; i++) {
    NsRunRecord             **run = &it->run[pairs[i]], *first = run[0];
    const NsConfigDifference *refined = refined_between(it, pairs[i], pairs[i] + 1, arena);

    if (!refined || is_first_coarser(refined)) continue;
    run[0] = run[1];
    run[1] = first;
  }
  const NsConfigDifference *coarse = refined_between(it, 0, 1, arena), *fine = refined_between(it, 1, 2, arena);
  if (coarse && fine && !strcmp(coarse->path, fine->path)) {
    const double ratio[2] = {fabs(log(NsConfigRatio(coarse))), fabs(log(NsConfigRatio(fine)))};

    it->ratio = exp(ratio[0]);
    if (ratio[0] > 0 && fabs(ratio[0] - ratio[1]) < 1e-6 * ratio[0]) return true;
  }
  fprintf(stderr,
    "percuss compare: three runs tell an order where one number of their configs, such as scheme.step, changes by the same ratio from each to the next, and "
    "nothing else does; here that is not so: compare them two by two\n");
  return false;
}

static bool compare_configs(NsComparison *it, NsArena *arena)
{
  bool all = true;

  for (int r = 0; r < it->runs; r++) {
    all = all && it->run[r]->config;
    if (it->runs == 2 || it->run[r]->config) continue;
    fprintf(stderr, "percuss compare: '%s' has no config.yaml, from which its step would be known\n", it->run[r]->directory);
    return false;
  }
  if (it->runs > 2 && !put_in_order(it, arena)) return false;
  if (!all) return true;
  it->config  = NsConfigDiffer(it->run[it->a]->config, it->run[it->b]->config, arena);
  it->refined = find_refined(it->config);
  return true;
}

static bool read_table(NsComparison *it, const char *file, NsComparedTable *table, NsArena *arena, NsDiag *diag)
{
  const NsResultTable *tables[NS_ALIGN_RUNS];
  bool                 all = true;

  table->file = file;
  for (int r = 0; r < it->runs; r++) {
    tables[r] = NsRunRecordTable(it->run[r], file, arena, diag);
    if (tables[r]) table->rows[r] = tables[r]->rows;
    all = all && table->rows[r];
  }
  if (NsDiagErrors(diag)) return false;
  if (!all) return true;
  table->aligned = NsAlign(tables, it->runs, arena, diag);
  if (!table->aligned) return false;
  if (!table->aligned->samples || !table->aligned->quantities) {
    table->aligned = NULL;
    return true;
  }
  it->end           = fmin(it->end, table->aligned->time[table->aligned->samples - 1]);
  table->difference = NsDifferences(table->aligned, it->a, it->b, it->tolerance, arena);
  if (it->runs < 3) return true;
  table->order = NsArenaAlloc(arena, sizeof(*table->order) * (size_t)table->aligned->quantities);
  for (int i = 0; i < table->aligned->quantities; i++) {
    const NsAlignedQuantity *quantity = &table->aligned->quantity[i];
    table->order[i]                   = NsOrderOf(table->aligned, quantity, table->difference[i].rounding, it->ratio);
  }
  return true;
}

static bool read_events(NsComparison *it, NsArena *arena, NsDiag *diag)
{
  const int            pair[2] = {it->a, it->b};
  const NsResultTable *tables[2];

  for (int r = 0; r < 2; r++) {
    const double ended = NsRunRecordNumber(it->run[pair[r]], "summary.time");

    tables[r] = NsRunRecordTable(it->run[pair[r]], "events.csv", arena, diag);
    if (!tables[r]) return !NsDiagErrors(diag);
    if (isfinite(ended)) it->end = fmin(it->end, ended);
  }
  it->events = NsPairEvents(tables, it->end, arena, &it->contacts);
  return true;
}

static bool read_results(NsComparison *it, const char *const *words, NsArena *arena, NsDiag *diag)
{
  static const char *const files[NS_COMPARE_TABLES] = {"history.csv", "orbits.csv", "contacts.csv", "energy.csv"};
  bool                     any                      = false;

  for (int r = 0; r < it->runs; r++) it->run[r] = NsRunRecordRead(words[r], arena, diag);
  it->end = DBL_MAX;
  it->a   = it->runs - 2;
  it->b   = it->runs - 1;
  if (NsDiagErrors(diag) || !compare_configs(it, arena)) return false;
  for (int i = 0; i < NS_COMPARE_TABLES; i++) {
    if (!read_table(it, files[i], &it->table[i], arena, diag)) return false;
    any = any || it->table[i].aligned;
  }
  if (!read_events(it, arena, diag)) return false;
  if (any) return true;
  fprintf(stderr, "percuss compare: there is nothing to compare: no table with rows of one time and with a quantity that all have (");
  for (int r = 0; r < it->runs; r++) fprintf(stderr, "%s%s", r ? ", " : "", it->run[r]->directory);
  fprintf(stderr, ")\n");
  return false;
}

static int compare(NsComparison *it, const char *const *words, NsArena *arena)
{
  NsDiag *diag = NsDiagCreate(arena);
  bool    alike;

  if (!read_results(it, words, arena, diag)) {
    NsDiagPrint(diag, stderr, NsColour(stderr));
    return NS_EXIT_INPUT;
  }
  if (own[CSV].value && !NsCompareWrite(it, own[CSV].value)) { /* first: who asks for what cannot be done is told so, and nothing else */
    fprintf(stderr, "percuss compare: cannot write %s: %s\n", own[CSV].value, strerror(errno));
    return NS_EXIT_INPUT;
  }
  NsComparePrintRuns(it);
  NsComparePrintTables(it, arena);
  alike = NsComparePrintVerdict(it, arena);
  return alike ? NS_EXIT_DONE : NS_EXIT_FAILED;
}

int NsCommandCompare(int argc, char **argv)
{
  NsComparison comparison = {0};
  const char  *word[NS_ALIGN_RUNS];
  NsArena     *arena;
  int          code;

  if (!NsCommandWords(argc, argv, own, NS_ALIGN_RUNS, word, &comparison.runs) || !read_tolerance(&comparison.tolerance)) return NS_EXIT_INPUT;
  if (comparison.runs < 2) {
    fprintf(stderr, "percuss compare: which runs? Such as: percuss compare out/bar out/bar_fine\n");
    return NS_EXIT_INPUT;
  }
  arena = NsArenaCreate();
  code  = compare(&comparison, word, arena);
  NsArenaDestroy(&arena);
  return code;
}
