/* Columns of a run's tables over time. */
#include <stdio.h>
#include <string.h>
#include "study.h"

const char *const *NsColumnTables(NsArena *arena)
{
  const NsCsvType *type;
  const char     **names, **name;
  int              count = 0;

  while (NsCsvTypeAt(count)) count++;
  name = names = NsArenaAlloc(arena, sizeof(*names) * (size_t)(count + 1));
  for (int i = 0; (type = NsCsvTypeAt(i)); i++) {
    if (type->kind != NS_CSV_ANALYSIS && strcmp(type->file, "events.csv")) *name++ = NsArenaCopy(arena, type->file, strcspn(type->file, "."));
  }
  return names;
}

bool NsColumnNameRead(const char *text, NsArena *arena, NsColumnName *name)
{
  const size_t size = strcspn(text, ".");
  const char  *last;

  *name = (NsColumnName){0};
  for (const char *const *table = NsColumnTables(arena); *table; table++) {
    if (strlen(*table) == size && !strncmp(*table, text, size)) name->file = NsArenaPrint(arena, "%s.csv", *table);
  }
  if (!name->file || !text[size] || !text[size + 1]) return false;
  name->heading = text + size + 1;
  if (strcmp(name->file, "poincare.csv")) return true;
  last = strrchr(name->heading, '.');
  if (!last) return false;
  name->station = NsArenaCopy(arena, name->heading, (size_t)(last - name->heading));
  name->heading = last + 1;
  return true;
}

const char **NsSignalHeadings(const char *path, NsArena *arena)
{
  const NsResultTable *table = NsResultTableRead(path, arena, NsDiagCreate(arena));
  const char         **names;

  if (!table || !table->columns) return NULL;
  names = NsArenaAlloc(arena, sizeof(*names) * (size_t)(table->columns + 1));
  for (int c = 0; c < table->columns; c++) names[c] = table->column[c].name;
  return names;
}

static double cell(const NsResultColumn *column, long row)
{
  return column->numbers ? column->numbers[row] : strcmp(column->words[row], "open") != 0;
}

NsRunFiles *NsRunFilesOpen(const char *directory)
{
  NsArena    *arena = NsArenaCreate();
  NsRunFiles *files = NsArenaAlloc(arena, sizeof(*files));

  files->arena     = arena;
  files->directory = directory;
  return files;
}

void NsRunFilesClose(NsRunFiles **files)
{
  NsArena *arena = *files ? (*files)->arena : NULL;

  if (arena) NsArenaDestroy(&arena);
  *files = NULL;
}

const NsResultTable *NsRunFilesTable(NsRunFiles *files, const char *name)
{
  const char          *path = NsArenaPrint(files->arena, "%s/%s", files->directory, name);
  const NsResultTable *table;

  for (int i = 0; i < files->count; i++) {
    if (!strcmp(files->table[i]->path, path)) return files->table[i];
  }
  table = NsResultTableRead(path, files->arena, NsDiagCreate(files->arena));
  if (table && files->count < (int)(sizeof(files->table) / sizeof(*files->table))) files->table[files->count++] = table;
  return table;
}

const char *NsSignalRead(NsRunFiles *files, int count, const char *const *columns, NsArena *arena, NsSignal *signal)
{
  const NsResultTable   *table = NULL;
  const NsResultColumn **from  = NsArenaAlloc(arena, sizeof(*from) * (size_t)count), *time, *station;
  NsColumnName           name  = {0};

  if (count < 1) return "no columns";
  for (int c = 0; c < count; c++) {
    if (!NsColumnNameRead(columns[c], arena, &name)) return NsArenaPrint(arena, "no table of '%s'", columns[c]);
    if (!table) table = NsRunFilesTable(files, name.file);
    if (!table) return NsArenaPrint(arena, "cannot read %s/%s", files->directory, name.file);
    from[c] = NsResultTableColumn(table, name.heading);
    if (!from[c]) return NsArenaPrint(arena, "no column '%s' in %s/%s", name.heading, files->directory, name.file);
  }
  time    = NsResultTableColumn(table, "time");
  station = name.station ? NsResultTableColumn(table, "station") : NULL;
  if (!time || !time->numbers || (name.station && !station)) return NsArenaPrint(arena, "no times in %s", table->path);
  *signal       = (NsSignal){.columns = count};
  signal->time  = NsArenaAlloc(arena, sizeof(double) * (size_t)(table->rows + 1));
  signal->value = NsArenaAlloc(arena, sizeof(double *) * (size_t)count);
  for (int c = 0; c < count; c++) signal->value[c] = NsArenaAlloc(arena, sizeof(double) * (size_t)(table->rows + 1));
  for (long row = 0; row < table->rows; row++) {
    if (station && strcmp(station->words[row], name.station)) continue;
    signal->time[signal->rows] = time->numbers[row];
    for (int c = 0; c < count; c++) signal->value[c][signal->rows] = cell(from[c], row);
    signal->rows++;
  }
  return NULL;
}

void NsSignalCut(NsSignal *signal, double from, double to)
{
  const double slack = signal->rows ? 1e-12 * signal->time[signal->rows - 1] : 0; /* "1 ms" and the end of the thousandth step are one time */
  long         first = 0, end = signal->rows;

  while (first < end && signal->time[first] < from - slack) first++;
  while (end > first && signal->time[end - 1] > to + slack) end--;
  signal->time += first;
  for (int c = 0; c < signal->columns; c++) signal->value[c] += first;
  signal->rows = end - first;
}

void NsSignalAt(const NsSignal *signal, long count, const double *time, NsArena *arena, NsSignal *result)
{
  long row = 0;

  *result       = (NsSignal){.rows = signal->rows ? count : 0, .columns = signal->columns};
  result->time  = NsArenaAlloc(arena, sizeof(double) * (size_t)(count + 1));
  result->value = NsArenaAlloc(arena, sizeof(double *) * (size_t)signal->columns);
  for (int c = 0; c < signal->columns; c++) result->value[c] = NsArenaAlloc(arena, sizeof(double) * (size_t)(count + 1));
  for (long i = 0; i < result->rows; i++) {
    double share = 0;

    while (row + 2 < signal->rows && signal->time[row + 1] <= time[i]) row++;
    if (row + 1 < signal->rows && time[i] > signal->time[row]) share = (time[i] - signal->time[row]) / (signal->time[row + 1] - signal->time[row]);
    if (share > 1) share = 1;
    result->time[i] = time[i];
    for (int c = 0; c < signal->columns; c++) {
      const double *x     = signal->value[c];
      result->value[c][i] = share > 0 ? x[row] + share * (x[row + 1] - x[row]) : x[row];
    }
  }
}

const char *NsSignalEvery(NsSignal *signal, double from, double to, double interval, NsArena *arena)
{
  enum { MOST = 10000000 };
  const NsSignal all   = *signal;
  const double   end   = all.rows ? fmin(to, all.time[all.rows - 1]) : -INFINITY;
  const double   last  = floor((end - from) / interval * (1 + 1e-12) + 1e-9);
  const long     count = !(end >= from) ? 0 : last < MOST ? (long)last + 1 : MOST + 1;
  double        *time;

  if (count > MOST) return "more than ten million samples: use a longer interval";
  time = NsArenaAlloc(arena, sizeof(*time) * (size_t)(count + 1));
  for (long i = 0; i < count; i++) time[i] = from + (double)i * interval;
  NsSignalAt(&all, count, time, arena, signal);
  return NULL;
}
