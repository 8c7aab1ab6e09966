/* What `percuss compare` prints and writes about its runs. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compare.h"
#include "results/columns.h"
#include "core/decimal.h"
#include "core/text.h"

enum { SHOWN_LINES = 12, SHOWN_WORD = 30 };

static const char *word_or_dash(const char *word)
{
  return word ? word : "-";
}

static void print_run(const NsRunRecord *run, char letter)
{
  const char  *failure = NsRunRecordText(run, "failure");
  const double step = NsRunRecordNumber(run, "step"), steps = NsRunRecordNumber(run, "summary.steps"), time = NsRunRecordNumber(run, "summary.time");

  printf("%c: %s: %s, %s, step %g s", letter, run->directory, run->name, word_or_dash(NsRunRecordText(run, "scheme")), step);
  if (isfinite(steps)) printf(", %.0f steps to t = %g s", steps, time);
  printf(", %s\n", run->status);
  if (failure) printf("   %s\n", failure);
}

static void print_pair(const char *name, const char *a, const char *b)
{
  printf("  %-28s %-*.*s %.*s\n", name, SHOWN_WORD, 3 * SHOWN_WORD, word_or_dash(a), 3 * SHOWN_WORD, word_or_dash(b));
}

static void print_environment(const NsComparison *it)
{
  static const char *const paths[] = {"program.version", "program.commit", "program.compiler", "program.build", "libraries.petsc", "libraries.slepc",
    "libraries.mpi", "host", "ranks", "model.kind", "model.unknowns", "model.free_dynamics", "model.contacts"};
  bool                     any     = false;

  for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
    const char *a = NsRunRecordText(it->run[it->a], paths[i]), *b = NsRunRecordText(it->run[it->b], paths[i]);

    if (a == b || (a && b && !strcmp(a, b))) continue;
    if (!any) printf("\nproduced in a different environment (run.json)\n");
    any = true;
    print_pair(paths[i], a, b);
  }
}

static void print_figures(const NsComparison *it)
{
  static const char *const paths[] = {"steps", "impulsive_steps", "time", "max_penetration", "energy_numerical_max", "energy.kinetic",
    "energy.elastic", "energy.potential", "energy.damping", "energy.impact", "energy.friction", "energy.load", "energy.numerical"};
  bool                     any     = false;

  for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
    char   path[64];
    double a, b;

    (void)snprintf(path, sizeof(path), "summary.%s", paths[i]);
    a = NsRunRecordNumber(it->run[it->a], path);
    b = NsRunRecordNumber(it->run[it->b], path);
    if (a == b || (isnan(a) && isnan(b))) continue;
    if (!any) printf("\nsummary (run.json)             %16c %16c %16s\n", NsCompareLetter(it->a), NsCompareLetter(it->b), "difference");
    any = true;
    printf("  %-28s %16.9g %16.9g %16.4g\n", paths[i], a, b, b - a);
  }
}

void NsComparePrintRuns(const NsComparison *it)
{
  int configs = 0;

  for (int r = 0; r < it->runs; r++) print_run(it->run[r], NsCompareLetter(r));
  print_environment(it);
  for (const NsConfigDifference *difference = it->config; difference; difference = difference->next) {
    if (!configs++) printf("\nconfig                         %-*c %c\n", SHOWN_WORD, NsCompareLetter(it->a), NsCompareLetter(it->b));
    if (configs <= SHOWN_LINES) print_pair(difference->path, difference->value[0], difference->value[1]);
  }
  if (configs > SHOWN_LINES) printf("  ... and %d more\n", configs - SHOWN_LINES);
  print_figures(it);
}

/* For sorting: infinite where one value alone is not finite. */
static double rank(const NsDifference *difference)
{
  return difference->unequal && !difference->quantity->words ? (double)INFINITY : difference->relative;
}

static int by_rank(const void *a, const void *b)
{
  const NsDifference *x = *(const NsDifference *const *)a, *y = *(const NsDifference *const *)b;

  if (rank(x) != rank(y)) return rank(x) < rank(y) ? 1 : -1;
  return x < y ? -1 : 1;
}

static const char *name_of(const NsAligned *aligned, const NsAlignedQuantity *quantity, NsArena *arena)
{
  return NsColumnSums(aligned->file, quantity->name) ? NsArenaPrint(arena, "%s, sum", quantity->name) : quantity->name;
}

static void print_time(double t)
{
  if (isnan(t))
    printf(" %10s", "-");
  else
    printf(" %10.6g", t);
}

static void print_difference(const NsComparedTable *table, const NsDifference *difference, NsArena *arena)
{
  const NsAlignedQuantity *quantity = difference->quantity;

  printf("  %-30s %-6s", name_of(table->aligned, quantity, arena), quantity->unit ? quantity->unit : "");
  if (quantity->words)
    printf(" %11s %10s %10s %9.2g", NsArenaPrint(arena, "%ld rows", difference->unequal), "", "", difference->relative);
  else {
    printf(" %11.4g", difference->largest);
    print_time(difference->at);
    printf(" %10.3g %9.2g", difference->rms, difference->relative);
  }
  print_time(difference->parts);
  if (table->order) {
    const NsOrder *order = &table->order[quantity - table->aligned->quantity];
    if (isnan(order->order))
      printf("  %6s", "-");
    else
      printf("  %6.2f", order->order);
  }
  if (table->aligned->interpolated && !quantity->words) printf(" %10.2g", quantity->error);
  if (!quantity->words && difference->unequal) printf("  not finite in %ld rows of one run", difference->unequal);
  printf("\n");
}

static void print_heading(const NsComparison *it, const NsComparedTable *table)
{
  const NsAligned *aligned = table->aligned;

  printf("\n%s: ", table->file);
  if (aligned->interpolated)
    printf("times do not match: interpolated to the %ld of %c", aligned->samples, NsCompareLetter(aligned->grid));
  else
    printf("%ld times that all have", aligned->samples);
  printf(" from %g to %g s (rows:", aligned->time[0], aligned->time[aligned->samples - 1]);
  for (int r = 0; r < it->runs; r++) printf(" %c %ld", NsCompareLetter(r), aligned->rows[r]);
  printf(")\n");
  if (aligned->alone) printf("  not in all: %s%s\n", aligned->first_alone, aligned->alone > 1 ? " and others" : "");
}

static void print_table(const NsComparison *it, const NsComparedTable *table, NsArena *arena)
{
  const NsAligned     *aligned = table->aligned;
  const NsDifference **sorted  = NsArenaAlloc(arena, sizeof(*sorted) * (size_t)aligned->quantities);
  int                  shown   = 0;

  for (int i = 0; i < aligned->quantities; i++) sorted[i] = &table->difference[i];
  qsort(sorted, (size_t)aligned->quantities, sizeof(*sorted), by_rank);
  print_heading(it, table);
  if (rank(sorted[0]) == 0) {
    printf("  all %d quantities are the same to the last bit\n", aligned->quantities);
    return;
  }
  printf("  %-30s %-6s %5s%c - %c| %10s %10s %9s %10s%s%s\n", "", "unit", "max |", NsCompareLetter(it->a), NsCompareLetter(it->b), "at t, s", "rms",
    "relative", "differs", table->order ? "   order" : "", aligned->interpolated ? "   interp." : "");
  while (shown < aligned->quantities && shown < SHOWN_LINES && rank(sorted[shown]) > 0) print_difference(table, sorted[shown++], arena);
  if (shown == aligned->quantities) return;
  if (rank(sorted[shown]) > 0)
    printf("  ... and %d more, none further apart than %.2g of its scale\n", aligned->quantities - shown, sorted[shown]->relative);
  else
    printf("  ... and %d more, the same to the last bit\n", aligned->quantities - shown);
}

static void print_events(const NsComparison *it)
{
  if (!it->contacts) return;
  printf("\nevents up to t = %g s, of %c and %c\n", it->end, NsCompareLetter(it->a), NsCompareLetter(it->b));
  printf("  %-24s %8c %8c %8s %14s %10s %14s  %s\n", "", NsCompareLetter(it->a), NsCompareLetter(it->b), "pairs", "largest shift", "at t, s",
    "impulse, N s", "first without partner");
  for (int i = 0; i < it->contacts && i < SHOWN_LINES; i++) {
    const NsEventPairs *pairs = &it->events[i];

    printf("  %-24s %8ld %8ld %8ld", pairs->contact, pairs->count[0], pairs->count[1], pairs->pairs);
    if (pairs->pairs)
      printf(" %12.4g s %10.6g %14.4g", pairs->shift, pairs->shift_at, pairs->impulse);
    else
      printf(" %14s %10s %14s", "", "", "");
    if (pairs->alone < 0)
      printf("  none\n");
    else
      printf("  %s of %c at %.6g s\n", pairs->alone_event, NsCompareLetter(pairs->alone ? it->b : it->a), pairs->alone_at);
  }
  if (it->contacts > SHOWN_LINES) printf("  ... and %d more contacts\n", it->contacts - SHOWN_LINES);
}

void NsComparePrintTables(const NsComparison *it, NsArena *arena)
{
  for (int i = 0; i < it->tables; i++) {
    const NsComparedTable *table = &it->table[i];
    long                   rows  = 0;

    for (int r = 0; r < it->runs; r++) rows += table->rows[r];
    if (table->aligned)
      print_table(it, table, arena);
    else if (rows) {
      printf("\n%s: nothing in common (rows:", table->file);
      for (int r = 0; r < it->runs; r++) printf(" %c %ld", NsCompareLetter(r), table->rows[r]);
      printf(")\n");
    }
  }
  print_events(it);
}

bool NsCompareWrite(const NsComparison *it, const char *path)
{
  const int fd   = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); /* never overwrite a file, which may be a table of results */
  FILE     *file = fd < 0 ? NULL : fdopen(fd, "w");
  bool      good;

  if (!file) return false;
  fputs("table,quantity,unit,scale,largest,time_of_largest,rms,relative,parts,unequal,interpolation_error,order,error\n", file);
  for (int i = 0; i < it->tables; i++) {
    const NsComparedTable *table = &it->table[i];

    for (int k = 0; table->aligned && k < table->aligned->quantities; k++) {
      const NsDifference *difference = &table->difference[k];
      const char         *word[]     = {table->file, difference->quantity->name, difference->quantity->unit ? difference->quantity->unit : ""};
      const double        value[]    = {difference->quantity->words ? NAN : difference->scale, difference->largest, difference->at, difference->rms,
        difference->relative, difference->parts, (double)difference->unequal, difference->quantity->error, table->order ? table->order[k].order : NAN,
        table->order ? table->order[k].error : NAN};

      for (size_t f = 0; f < sizeof(word) / sizeof(*word); f++) {
        if (f) fputc(',', file);
        NsPutWord(file, word[f]);
      }
      for (size_t f = 0; f < sizeof(value) / sizeof(*value); f++) {
        fputc(',', file);
        NsPutNumber(file, value[f]);
      }
      fputc('\n', file);
    }
  }
  good = !ferror(file);
  return fclose(file) == 0 && good;
}
