/*
  Observed orders of convergence of recorded errors over the refined key: convergence.csv, and its tables on the terminal.

  The other axes split the runs into sequences. In each, from coarse to fine, the observed order between neighbours is log(e_k/e_k+1)/log(h_k/h_k+1), with h the key's number, or
  one over it where larger is finer.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study.h"

static const double spread = 0.25; /* of the orders within a stretch that counts as asymptotic */

/* Least squares through (log h, log e) of first..last. */
static double fit_line(const double *h, const double *error, int first, int last)
{
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;

  for (int k = first; k <= last; k++) {
    const double a = log(h[k]), b = log(error[k]);
    n++, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

void NsOrdersFit(int count, const double *h, const double *error, NsOrders *orders)
{
  int best = 1;

  orders->first      = 0;
  orders->last       = count - 1;
  orders->asymptotic = false;
  orders->fit        = NAN;
  for (int k = 0; k + 1 < count; k++) orders->pair[k] = error[k] > 0 && error[k + 1] > 0 ? log(error[k] / error[k + 1]) / log(h[k] / h[k + 1]) : NAN;
  for (int from = 0; from + 1 < count; from++) {
    double low = orders->pair[from], high = low;

    for (int to = from; to + 1 < count; to++) {
      low  = fmin(low, orders->pair[to]);
      high = fmax(high, orders->pair[to]);
      if (isnan(orders->pair[to]) || !(high - low < spread)) break;
      if (to - from + 1 < 2 || to - from + 1 < best) continue; /* of two equally long stretches the finer */
      best               = to - from + 1;
      orders->first      = from;
      orders->last       = to + 1;
      orders->asymptotic = true;
    }
  }
  for (int k = orders->first; k <= orders->last; k++) {
    if (!(error[k] > 0)) return;
  }
  if (count > 1) orders->fit = fit_line(h, error, orders->first, orders->last);
}

/* A sequence of runs from coarse to fine. */
typedef struct {
  int      count;
  int     *row; /* [count] */
  double  *h;   /* [count] */
  double  *error;
  NsOrders orders;
} Sequence;

typedef struct {
  const NsStudy *study;
  NsArena       *arena;
  int            axes, *axis; /* that split the runs */
  int            count;
  Sequence      *sequence;
} Table;

/* The axes that split runs into sequences; returns how many. */
static int choose_axes(const NsStudy *study, NsArena *arena, int **axis)
{
  const NsConvergence *convergence = study->settings.convergence;
  const int            over        = NsStudyAxisOf(study, convergence->over);
  int                  axes        = 0;

  *axis = NsArenaAlloc(arena, sizeof(int) * (size_t)(study->axes + convergence->by.count));
  for (int i = 0; i < convergence->by.count; i++) (*axis)[axes++] = NsStudyAxisOf(study, convergence->by.items[i]);
  for (int a = 0; a < study->axes && study->settings.combine == NS_GRID && !convergence->by.count; a++) {
    if (a != over) (*axis)[axes++] = a;
  }
  return axes;
}

/* Rows of one sequence have values of the same text on these axes. */
static bool same_sequence(const NsStudy *study, int axes, const int *axis, int a, int b)
{
  for (int i = 0; i < axes; i++) {
    const char **text = study->axis[axis[i]].text;
    if (strcmp(text[study->run[a].choice[axis[i]]], text[study->run[b].choice[axis[i]]])) return false;
  }
  return true;
}

bool NsOrdersRepeat(const NsStudy *study, int *first, int *second)
{
  double *h = NsArenaAlloc(study->arena, sizeof(double) * (size_t)study->rows);
  int    *axis, axes = choose_axes(study, study->arena, &axis);

  for (int row = 0; row < study->rows; row++) {
    h[row] = NsStudyNumber(study, row, study->settings.convergence->over, NULL);
    for (int k = 0; k < row; k++) {
      if (h[k] != h[row] || !same_sequence(study, axes, axis, k, row)) continue;
      *first  = k;
      *second = row;
      return true;
    }
  }
  return false;
}

static double h_of(const NsStudy *study, int row)
{
  const double number = NsStudyNumber(study, row, study->settings.convergence->over, NULL);

  return study->settings.convergence->finer == NS_FINER_LARGER ? 1 / number : number;
}

static void insert_row(const Table *table, Sequence *sequence, int row)
{
  const double h  = h_of(table->study, row);
  int          at = sequence->count++;

  for (; at > 0 && sequence->h[at - 1] < h; at--) {
    sequence->h[at]   = sequence->h[at - 1];
    sequence->row[at] = sequence->row[at - 1];
  }
  sequence->h[at]   = h;
  sequence->row[at] = row;
}

static void make_sequences(Table *table)
{
  const NsStudy *study = table->study;
  const size_t   rows  = (size_t)study->rows;

  table->sequence = NsArenaAlloc(table->arena, sizeof(Sequence) * rows);
  for (int row = 0; row < study->rows; row++) {
    Sequence *sequence = table->sequence;

    while (sequence < table->sequence + table->count && !same_sequence(study, table->axes, table->axis, sequence->row[0], row)) sequence++;
    if (sequence == table->sequence + table->count) {
      table->count++;
      sequence->row = NsArenaAlloc(table->arena, sizeof(int) * rows);
      sequence->h   = NsArenaAlloc(table->arena, sizeof(double) * rows);
    }
    insert_row(table, sequence, row);
  }
}

/* Failed runs are skipped: orders are between the others. */
static void measure_sequence(const Table *table, Sequence *sequence, int quantity)
{
  const NsStudy *study = table->study;
  const size_t   most  = (size_t)sequence->count + 1;
  double        *h = NsArenaAlloc(table->arena, sizeof(double) * most), *error = NsArenaAlloc(table->arena, sizeof(double) * most),
         *pair = NsArenaAlloc(table->arena, sizeof(double) * most);
  int count    = 0;

  sequence->error       = NsArenaAlloc(table->arena, sizeof(double) * most);
  sequence->orders.pair = NsArenaAlloc(table->arena, sizeof(double) * most);
  for (int k = 0; k < sequence->count; k++) {
    sequence->error[k] = fabs(study->run[sequence->row[k]].result[quantity]);
    if (isnan(sequence->error[k])) continue;
    h[count]       = sequence->h[k];
    error[count++] = sequence->error[k];
  }
  NsOrders orders = {.pair = pair};
  NsOrdersFit(count, h, error, &orders);
  sequence->orders.fit        = orders.fit;
  sequence->orders.asymptotic = orders.asymptotic;
  for (int k = 0, j = 0; k < sequence->count; k++) { /* indices among all rows */
    if (isnan(sequence->error[k])) continue;
    if (j == orders.first) sequence->orders.first = k;
    if (j == orders.last) sequence->orders.last = k;
    sequence->orders.pair[k] = j ? pair[j - 1] : NAN; /* between the row before and this */
    j++;
  }
}

static void write_rows(const Table *table, const char *quantity, FILE *file)
{
  const NsStudy *study = table->study;

  for (int s = 0; s < table->count; s++) {
    const Sequence *sequence = &table->sequence[s];

    for (int k = 0; k < sequence->count; k++) {
      const NsStudyRun *run   = &study->run[sequence->row[k]];
      const bool        there = !isnan(sequence->error[k]);

      for (int i = 0; i < table->axes; i++) {
        NsPutWord(file, study->axis[table->axis[i]].text[run->choice[table->axis[i]]]);
        fputc(',', file);
      }
      NsPutNumber(file, NsStudyNumber(study, sequence->row[k], study->settings.convergence->over, NULL));
      fprintf(file, ",%s,", quantity);
      NsPutNumber(file, sequence->error[k]);
      fputc(',', file);
      NsPutNumber(file, there ? sequence->orders.pair[k] : NAN);
      fputc(',', file);
      NsPutNumber(file, sequence->orders.fit);
      fprintf(file, ",%d\n", there && sequence->orders.asymptotic && k >= sequence->orders.first && k <= sequence->orders.last);
    }
  }
}

/* All h, from coarse to fine, each with a row that has it. */
static int all_h(const Table *table, double *h, int *row)
{
  int count = 0;

  for (int s = 0; s < table->count; s++) {
    for (int k = 0; k < table->sequence[s].count; k++) {
      const double value = table->sequence[s].h[k];
      int          at    = 0;

      while (at < count && h[at] > value) at++;
      if (at < count && h[at] == value) continue;
      memmove(h + at + 1, h + at, sizeof(*h) * (size_t)(count - at));
      memmove(row + at + 1, row + at, sizeof(*row) * (size_t)(count - at));
      h[at]   = value;
      row[at] = table->sequence[s].row[k];
      count++;
    }
  }
  return count;
}

/* No -0.00. */
static double visible(double order)
{
  return fabs(order) < 0.005 ? 0 : order;
}

static void print_cell(const Sequence *sequence, double h, FILE *out)
{
  for (int k = 0; k < sequence->count; k++) {
    if (sequence->h[k] != h) continue;
    if (isnan(sequence->error[k]))
      fprintf(out, "  %12s %7s", "failed", "");
    else if (isnan(sequence->orders.pair[k]))
      fprintf(out, "  %12.3e %7s", sequence->error[k], "");
    else
      fprintf(out, "  %12.3e %7.2f", sequence->error[k], visible(sequence->orders.pair[k]));
    return;
  }
  fprintf(out, "  %20s", "");
}

static void print_table(const Table *table, const char *quantity, FILE *out)
{
  enum { ACROSS = 4 };
  const char *over = table->study->settings.convergence->over, *dot = strrchr(over, '.'), *heading = dot ? dot + 1 : over;
  double     *h     = NsArenaAlloc(table->arena, sizeof(double) * (size_t)(table->study->rows + 1));
  int        *row   = NsArenaAlloc(table->arena, sizeof(int) * (size_t)(table->study->rows + 1));
  const int   sizes = all_h(table, h, row), width = strlen(heading) > 14 ? (int)strlen(heading) : 14;

  for (int first = 0; first < table->count; first += ACROSS) {
    const int last = first + ACROSS < table->count ? first + ACROSS : table->count;

    fprintf(out, "\n  %s\n", quantity);
    for (int i = 0; i < table->axes; i++) {
      fprintf(out, "  %-*s", width, "");
      for (int s = first; s < last; s++) {
        const char *name  = table->study->axis[table->axis[i]].text[table->study->run[table->sequence[s].row[0]].choice[table->axis[i]]];
        const int   bytes = NsTextFit(name, strlen(name), 20);
        fprintf(out, "  %*s%.*s", 20 - NsTextCount(name, (size_t)bytes), "", bytes, name);
      }
      fputc('\n', out);
    }
    fprintf(out, "  %-*s", width, heading);
    for (int s = first; s < last; s++) fprintf(out, "  %12s %7s", "error", "order");
    fputc('\n', out);
    for (int k = 0; k < sizes; k++) {
      const char *text = "";
      (void)NsStudyNumber(table->study, row[k], over, &text);
      fprintf(out, "  %-*s", width, text);
      for (int s = first; s < last; s++) print_cell(&table->sequence[s], h[k], out);
      fputc('\n', out);
    }
    fprintf(out, "  %-*s", width, "fitted order");
    for (int s = first; s < last; s++) {
      const NsOrders *orders = &table->sequence[s].orders;
      if (isnan(orders->fit))
        fprintf(out, "  %20s", "-");
      else
        fprintf(out, "  %11s%1s %7.2f", "", orders->asymptotic ? "" : "*", visible(orders->fit));
    }
    fputc('\n', out);
  }
}

bool NsStudyOrders(const NsStudy *study, FILE *out)
{
  const NsConvergence *convergence = study->settings.convergence;
  const NsList        *record      = &study->settings.record;
  const NsQuantity    *item        = record->items;
  Table                table       = {.study = study, .arena = NsArenaCreate()};
  NsStudyFile          file;
  bool                 rough = false;

  NsStudyFileOpen(&file, study, "convergence.csv");
  table.axes = choose_axes(study, table.arena, &table.axis);
  make_sequences(&table);
  for (int i = 0; i < table.axes; i++) {
    NsPutWord(file.file, study->axis[table.axis[i]].key);
    fputc(',', file.file);
  }
  NsPutWord(file.file, convergence->over);
  fputs(",quantity,error,order,fitted_order,in_fit\n", file.file);
  fprintf(out, "\norders over %s:\n", convergence->over);
  for (int q = 0; q < record->count; q++) {
    bool wanted = !convergence->of.count && (item[q].against || item[q].exact.rows);

    for (int i = 0; i < convergence->of.count; i++) wanted = wanted || !strcmp(convergence->of.items[i], record->names[q]);
    if (!wanted) continue;
    for (int s = 0; s < table.count; s++) {
      measure_sequence(&table, &table.sequence[s], q);
      rough = rough || (!isnan(table.sequence[s].orders.fit) && !table.sequence[s].orders.asymptotic);
    }
    write_rows(&table, record->names[q], file.file);
    print_table(&table, record->names[q], out);
  }
  fprintf(out, "\n  fitted: least squares over the longest stretch whose orders differ by less than %g%s\n", spread,
    rough ? "; * over all, where there is none" : "");
  NsArenaDestroy(&table.arena);
  return NsStudyFileClose(&file);
}
