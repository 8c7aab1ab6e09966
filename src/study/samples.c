/*
  bifurcation.csv: samples of each run over the parameter, a row each: row,<over>,time,<columns>; of a sweep with its direction. With two columns, position and velocity, they are Poincare sections.
*/
#include <math.h>
#include <string.h>
#include "study.h"

long NsLocalMaxima(long count, const double *x, long *index)
{
  long found = 0;

  for (long i = 1; i + 1 < count; i++) {
    long end = i;

    if (!(x[i] > x[i - 1])) continue;
    while (end + 1 < count && x[end + 1] == x[i]) end++;
    if (end + 1 < count && x[end + 1] < x[i]) index[found++] = i;
    i = end;
  }
  return found;
}

static void sample_maxima(NsSignal *signal, NsArena *arena)
{
  long      *index = NsArenaAlloc(arena, sizeof(*index) * (size_t)(signal->rows + 1));
  const long count = NsLocalMaxima(signal->rows, signal->value[0], index);

  for (long i = 0; i < count; i++) { /* index[i] >= i */
    signal->time[i] = signal->time[index[i]];
    for (int c = 0; c < signal->columns; c++) signal->value[c][i] = signal->value[c][index[i]];
  }
  signal->rows = count;
}

static long write_run(const NsStudy *study, int row, FILE *file, NsRunFiles *files)
{
  NsArena             *arena       = files->arena;
  const NsBifurcation *bifurcation = study->settings.bifurcation;
  const double         parameter   = NsStudyNumber(study, row, bifurcation->over, NULL);
  const double         period      = bifurcation->at == NS_SAMPLE_TURN ? 2 * M_PI / fabs(parameter) : bifurcation->period;
  NsSignal             signal;
  const char          *why = NsSignalRead(files, bifurcation->column.count, bifurcation->column.items, arena, &signal);

  if (!why && (bifurcation->at == NS_SAMPLE_PERIOD || (bifurcation->at == NS_SAMPLE_TURN && parameter != 0)))
    why = NsSignalEvery(&signal, period * ceil(bifurcation->after / period - 1e-9), INFINITY, period, arena); /* the same phase in every run */
  if (why) {
    fprintf(stderr, "percuss study: warning: run %d has no samples: %s\n", row + 1, why);
    return 0;
  }
  if (bifurcation->at == NS_SAMPLE_ROWS || bifurcation->at == NS_SAMPLE_MAXIMA) NsSignalCut(&signal, bifurcation->after, INFINITY);
  if (bifurcation->at == NS_SAMPLE_MAXIMA) sample_maxima(&signal, arena);
  for (long i = 0; i < signal.rows; i++) {
    fprintf(file, "%d,", row + 1);
    if (study->settings.sweep) fprintf(file, "%s,", NsStudyDirection(study, row));
    NsPutNumber(file, parameter);
    fputc(',', file);
    NsPutNumber(file, signal.time[i]);
    for (int c = 0; c < signal.columns; c++) {
      fputc(',', file);
      NsPutNumber(file, signal.value[c][i]);
    }
    fputc('\n', file);
  }
  return signal.rows;
}

bool NsStudySamples(const NsStudy *study, FILE *out)
{
  const NsBifurcation *bifurcation = study->settings.bifurcation;
  NsStudyFile          file;
  long                 total = 0, empty = 0;

  NsStudyFileOpen(&file, study, "bifurcation.csv");
  fputs(study->settings.sweep ? "row,direction," : "row,", file.file);
  NsPutWord(file.file, bifurcation->over);
  fputs(",time", file.file);
  for (int c = 0; c < bifurcation->column.count; c++) {
    fputc(',', file.file);
    NsPutWord(file.file, bifurcation->column.items[c]);
  }
  fputc('\n', file.file);
  for (int row = 0; row < study->rows; row++) {
    NsRunFiles *files = NsRunFilesOpen(study->run[row].directory);
    const long  count = study->run[row].state == NS_ROW_DONE ? write_run(study, row, file.file, files) : 0;

    total += count;
    empty += study->run[row].state == NS_ROW_DONE && !count;
    NsRunFilesClose(&files);
  }
  fprintf(out, "\n%ld samples over %s in bifurcation.csv", total, bifurcation->over);
  if (empty) fprintf(out, "; %ld %s none after %g s", empty, empty == 1 ? "run has" : "runs have", bifurcation->after);
  fputc('\n', out);
  return NsStudyFileClose(&file);
}
