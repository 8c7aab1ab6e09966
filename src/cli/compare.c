/*
  percuss compare A B [C]: differences between runs, their growth, and the order of convergence. Exit code 0: equal within the tolerance; 1: not; 2: cannot be compared.
*/
#include "compare.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "core/text.h"
#include "percuss/output.h"
#include "percuss/units.h"

enum { TOLERANCE, CSV };

static NsOption options[] = {
  [TOLERANCE] = {.name = "--tolerance", .takes = "NUMBER", .about = "relative difference up to which runs count as equal (default 1e-6)"},
  [CSV]       = {.name = "--csv", .takes = "FILE", .about = "write the difference of every quantity to a new CSV file"},
  {NULL},
};

char NsCompareLetter(int run)
{
  return (char)('A' + run);
}

static bool read_tolerance(double *tolerance)
{
  *tolerance = 1e-6;
  if (!options[TOLERANCE].value) return true;
  if (!NsParseNumber(options[TOLERANCE].value, tolerance) && *tolerance >= 0) return true;
  fprintf(stderr, "percuss compare: --tolerance: '%s' is not a number >= 0, such as 1e-6\n", options[TOLERANCE].value);
  return false;
}

/* The one number in which the configs differ, apart from output; NULL if there are more differences, or another kind. */
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

/* Of a step or a tolerance the larger value is the coarser one, of a count the smaller one. */
static bool is_first_coarser(const NsConfigDifference *difference)
{
  const bool counts = NsTextEndsWith(difference->path, "elements") || NsTextEndsWith(difference->path, "modes");

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
    "percuss compare: three runs show an order of convergence only if one number of their configs, such as scheme.step, changes by the same ratio from each to the "
    "next and nothing else differs; compare these runs two by two\n");
  return false;
}

static bool compare_configs(NsComparison *it, NsArena *arena)
{
  bool all = true;

  for (int r = 0; r < it->runs; r++) {
    all = all && it->run[r]->config;
    if (it->runs == 2 || it->run[r]->config) continue;
    fprintf(stderr, "percuss compare: '%s' has no config.yaml, which is needed to determine the step\n", it->run[r]->directory);
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
  const NsCsvType *type;
  bool             any = false;

  for (int r = 0; r < it->runs; r++) it->run[r] = NsRunRecordRead(words[r], arena, diag);
  it->end = DBL_MAX;
  it->a   = it->runs - 2;
  it->b   = it->runs - 1;
  if (NsDiagErrors(diag) || !compare_configs(it, arena)) return false;
  for (int i = 0; (type = NsCsvTypeAt(i)) && it->tables < NS_COMPARE_TABLES; i++) {
    if (type->kind != NS_CSV_STEPS) continue;
    if (!read_table(it, type->file, &it->table[it->tables], arena, diag)) return false;
    any = any || it->table[it->tables].aligned;
    it->tables++;
  }
  if (!read_events(it, arena, diag)) return false;
  if (any) return true;
  fprintf(stderr, "percuss compare: nothing to compare: no table has times and quantities that all runs have (");
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
  if (options[CSV].value && !NsCompareWrite(it, options[CSV].value)) { /* before anything is printed */
    fprintf(stderr, "percuss compare: cannot write %s: %s\n", options[CSV].value, strerror(errno));
    return NS_EXIT_INPUT;
  }
  NsComparePrintRuns(it);
  NsComparePrintTables(it, arena);
  alike = NsComparePrintVerdict(it, arena);
  return alike ? NS_EXIT_DONE : NS_EXIT_FAILED;
}

static int call(const NsArguments *arguments)
{
  NsComparison comparison = {.runs = arguments->words};

  return read_tolerance(&comparison.tolerance) ? compare(&comparison, arguments->word, arguments->arena) : NS_EXIT_INPUT;
}

const NsCommand NsCommand_Compare = {
  .name    = "compare",
  .words   = "RUN RUN [RUN]",
  .options = options,
  .about   = "compare the results of two or three runs: differences, their growth, order of convergence",
  .description =
    "RUN is a directory of results; runs that failed or were stopped are compared up to the shortest one's end. Prints how far each quantity of the tables differs, at the times that all runs "
    "have (if these are less than half, at interpolated times, with an estimate of the interpolation error), where the difference is largest and when it first exceeds the tolerance; events in pairs; figures, configs and versions that "
    "differ; how the difference grows, and from when on the motion is chaotic. A quantity's scale is its largest absolute value in either run, but at least a millionth of that of "
    "the largest quantity of the same unit in its table.\n"
    "\n"
    "Three runs that differ by one number in equal ratios, such as steps of h, h/2 and h/4, show the observed order of convergence, over time too, and the expected error.\n"
    "\n"
    "Exit code 0: equal within the tolerance; 1: not equal; 2: they cannot be compared.",
  .examples = "compare out/bar out/bar_2\n"
              "compare out/bar out/bar_half out/bar_quarter --csv order.csv",
  .call     = call,
};
