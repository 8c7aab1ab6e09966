/* Numbers from the tables and the summary of a run. */
#include <math.h>
#include <string.h>
#include "core/text.h"
#include "study.h"

/* Run.json: YAML can read it. */
static const NsNode *read_summary(const char *directory, NsArena *arena)
{
  return NsTreeReadFile(NsArenaPrint(arena, "%s/run.json", directory), arena, NsDiagCreate(arena));
}

static const NsNode *follow(const NsNode *node, const char *path, NsArena *arena)
{
  while (node && *path) {
    const size_t size = strcspn(path, ".");

    node = NsTreeChild(node, NsArenaCopy(arena, path, size));
    path += size + (path[size] == '.');
  }
  return node;
}

static const NsNode *find_number(const NsNode *root, const char *path, NsArena *arena)
{
  const NsNode *found = follow(NsTreeChild(root, "summary"), path, arena);

  return found ? found : follow(root, path, arena);
}

static double number_of(const NsNode *node)
{
  double value;

  return node && node->kind == NS_NODE_SCALAR && !NsParseNumber(node->text, &value) ? value : NAN;
}

/* Events ------------------------------------------------------------------------------------------------------------------------------------------- */

static double measure_events(const NsQuantity *quantity, NsRunFiles *files, NsArena *arena, const char **why)
{
  const NsResultTable  *table = NsRunFilesTable(files, "events.csv");
  const NsResultColumn *time, *contact, *event;
  double                first = NAN, last = NAN;
  long                  count = 0;

  if (!table) {
    *why = NsArenaPrint(arena, "cannot read %s/events.csv", files->directory);
    return NAN;
  }
  time    = NsResultTableColumn(table, "time");
  contact = NsResultTableColumn(table, "contact");
  event   = NsResultTableColumn(table, "event");
  for (long row = 0; time && contact && event && row < table->rows; row++) {
    const double at = time->numbers[row];

    if (strcmp(event->words[row], quantity->event) || (quantity->contact && strcmp(contact->words[row], quantity->contact))) continue;
    if (at < quantity->from || at > quantity->to) continue;
    first = count ? first : at;
    last  = at;
    count++;
  }
  if (!count && quantity->value != NS_VALUE_COUNT) *why = "no such event";
  return quantity->value == NS_VALUE_COUNT ? (double)count : quantity->value == NS_VALUE_FIRST ? first : last;
}

/* Columns ------------------------------------------------------------------------------------------------------------------------------------------ */

/* Length of the part of time that a row stands for: half of the ways to its neighbours. */
static double weight(const NsSignal *signal, long row)
{
  const double before = row > 0 ? signal->time[row] - signal->time[row - 1] : 0;
  const double after  = row + 1 < signal->rows ? signal->time[row + 1] - signal->time[row] : 0;

  return signal->rows == 1 ? 1 : (before + after) / 2;
}

static double total_weight(const NsSignal *signal)
{
  return signal->rows == 1 ? 1 : signal->time[signal->rows - 1] - signal->time[0];
}

/* Integral of (x - less)^power by the trapezoidal rule. */
static double integral(const NsSignal *signal, int column, double less, int power)
{
  double sum = 0;

  for (long row = 0; row < signal->rows; row++) {
    const double x = signal->value[column][row] - less;
    sum += weight(signal, row) * (power == 1 ? x : x * x);
  }
  return sum;
}

/* The largest singular value of the matrix columns x rows, by power iteration on its square of few rows. */
static double spectral_norm(const NsSignal *signal, NsArena *arena)
{
  const int n      = signal->columns;
  double   *square = NsArenaAlloc(arena, sizeof(double) * (size_t)(n * n)), *x = NsArenaAlloc(arena, sizeof(double) * (size_t)n),
         *y = NsArenaAlloc(arena, sizeof(double) * (size_t)n), value = 0, before;

  for (int i = 0; i < n; i++) {
    x[i] = 1 + 0.1 * i; /* at right angles to no direction that occurs */
    for (int j = 0; j < n; j++) {
      for (long row = 0; row < signal->rows; row++) square[n * i + j] += signal->value[i][row] * signal->value[j][row];
    }
  }
  for (int iteration = 0; iteration < 1000; iteration++) {
    double norm = 0;

    before = value;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++) y[i] += square[n * i + j] * x[j];
    }
    for (int i = 0; i < n; i++) norm += y[i] * y[i];
    value = sqrt(norm);
    if (value == 0) return 0;
    for (int i = 0; i < n; i++) x[i] = y[i] / value;
    if (fabs(value - before) <= 1e-15 * value) break;
  }
  return sqrt(value);
}

static double norm_of(int value, const NsSignal *signal, NsArena *arena)
{
  double result = 0;

  if (value == NS_VALUE_SPECTRAL) return spectral_norm(signal, arena);
  for (int c = 0; c < signal->columns; c++) {
    if (value == NS_VALUE_RMS) result += integral(signal, c, 0, 2) / total_weight(signal);
    for (long row = 0; value == NS_VALUE_LARGEST && row < signal->rows; row++) result = fmax(result, fabs(signal->value[c][row]));
  }
  return value == NS_VALUE_RMS ? sqrt(result) : result;
}

static double value_of(int value, const NsSignal *signal, NsArena *arena)
{
  const double *x      = signal->value[0];
  double        result = value == NS_VALUE_MAX ? -INFINITY : value == NS_VALUE_MIN ? INFINITY : 0;

  switch (value) {
  case NS_VALUE_FINAL: return x[signal->rows - 1];
  case NS_VALUE_INITIAL: return x[0];
  case NS_VALUE_MEAN: return integral(signal, 0, 0, 1) / total_weight(signal);
  case NS_VALUE_DEVIATION: return sqrt(integral(signal, 0, integral(signal, 0, 0, 1) / total_weight(signal), 2) / total_weight(signal));
  case NS_VALUE_INTEGRAL: return signal->rows > 1 ? integral(signal, 0, 0, 1) : 0;
  default: break;
  }
  if (NsValueIsNorm(value)) return norm_of(value, signal, arena);
  for (long row = 0; row < signal->rows; row++) {
    if (value == NS_VALUE_MAX) result = fmax(result, x[row]);
    if (value == NS_VALUE_MIN) result = fmin(result, x[row]);
    if (value == NS_VALUE_SUM) result += x[row];
    if (value == NS_VALUE_SHARE && row > 0 && x[row] > 0) result += signal->time[row] - signal->time[row - 1]; /* a row tells of the step before it */
  }
  return value == NS_VALUE_SHARE ? result / total_weight(signal) : result;
}

/* Rows within the window; or samples at equal intervals there. */
static bool read_window(const NsQuantity *quantity, NsRunFiles *files, NsArena *arena, NsSignal *signal, const char **why)
{
  *why = NsSignalRead(files, quantity->column.count, quantity->column.items, arena, signal);
  if (!*why && quantity->every > 0)
    *why = NsSignalEvery(signal, quantity->from, quantity->to, quantity->every, arena);
  else if (!*why)
    NsSignalCut(signal, quantity->from, quantity->to);
  if (!*why && !signal->rows) *why = "no rows in this stretch of time";
  return !*why;
}

static void subtract(NsSignal *signal, const NsSignal *other)
{
  for (int c = 0; c < signal->columns; c++) {
    for (long row = 0; row < signal->rows; row++) signal->value[c][row] -= other->value[c][row];
  }
}

/* What the norm is taken against, at the same times. */
static bool read_other(
  const NsQuantity *quantity, const NsSignal *signal, NsRunFiles *reference, double number, NsArena *arena, NsSignal *other, const char **why)
{
  NsSignal from = {.columns = signal->columns};

  if (quantity->exact.rows) {
    from.rows  = quantity->exact.rows;
    from.time  = NsArenaAlloc(arena, sizeof(double) * (size_t)from.rows);
    from.value = NsArenaAlloc(arena, sizeof(double *) * (size_t)from.columns);
    for (int c = 0; c < from.columns; c++) from.value[c] = NsArenaAlloc(arena, sizeof(double) * (size_t)from.rows);
    for (long row = 0; row < from.rows; row++) {
      from.time[row] = quantity->exact.values[2 * row];
      for (int c = 0; c < from.columns; c++) from.value[c][row] = quantity->exact.values[2 * row + 1];
    }
  } else if (reference) {
    *why = NsSignalRead(reference, quantity->column.count, quantity->column.items, arena, &from);
    if (*why) return false;
  } else {
    *other       = (NsSignal){.rows = signal->rows, .columns = signal->columns, .time = signal->time};
    other->value = NsArenaAlloc(arena, sizeof(double *) * (size_t)signal->columns);
    for (int c = 0; c < signal->columns; c++) {
      other->value[c] = NsArenaAlloc(arena, sizeof(double) * (size_t)signal->rows);
      for (long row = 0; row < signal->rows; row++) other->value[c][row] = number;
    }
    return true;
  }
  NsSignalAt(&from, signal->rows, signal->time, arena, other);
  if (!other->rows) *why = "nothing to compare with";
  return other->rows > 0;
}

static double measure_plain(const NsQuantity *quantity, NsRunFiles *files, NsArena *arena, const char **why)
{
  NsSignal      signal;
  const NsNode *found;

  if (quantity->event) return measure_events(quantity, files, arena, why);
  if (quantity->summary) {
    found = find_number(read_summary(files->directory, arena), quantity->summary, arena);
    if (!found) *why = NsArenaPrint(arena, "no '%s' in %s/run.json", quantity->summary, files->directory);
    return number_of(found);
  }
  return read_window(quantity, files, arena, &signal, why) ? value_of(quantity->value, &signal, arena) : NAN;
}

double NsQuantityMeasure(const NsQuantity *quantity, NsRunFiles *run, NsRunFiles *reference, NsArena *arena, const char **why)
{
  const bool  to_reference = quantity->against && !strcmp(quantity->against, "reference");
  const bool  compared     = quantity->against || quantity->exact.rows;
  NsDimension dimension;
  NsSignal    signal, other;
  double      number = NAN, size, value;

  *why = NULL;
  if (quantity->against && !to_reference) (void)NsParseAnyQuantity(quantity->against, &dimension, &number);
  if (to_reference && !reference) {
    *why = "its reference failed";
    return NAN;
  }
  if (!compared) return measure_plain(quantity, run, arena, why);
  if (quantity->column.count && NsValueIsNorm(quantity->value)) {
    if (!read_window(quantity, run, arena, &signal, why)) return NAN;
    if (!read_other(quantity, &signal, to_reference ? reference : NULL, number, arena, &other, why)) return NAN;
    subtract(&signal, &other);
    value = norm_of(quantity->value, &signal, arena);
    size  = norm_of(quantity->value, &other, arena);
  } else {
    const double of = to_reference ? measure_plain(quantity, reference, arena, why) : number;
    value           = measure_plain(quantity, run, arena, why) - of;
    size            = fabs(of);
  }
  if (quantity->relative && size == 0) *why = "relative to zero";
  return !quantity->relative ? value : size > 0 ? value / size : NAN;
}

/* Checks ------------------------------------------------------------------------------------------------------------------------------------------- */

static const char *list_of(NsArena *arena, const char *const *words)
{
  const char *text = "";
  int         i;

  for (i = 0; i < 24 && words[i]; i++) text = NsArenaPrint(arena, "%s%s%s", text, i ? ", " : "", words[i]);
  return words[i] ? NsArenaPrint(arena, "%s, ...", text) : text;
}

/* word: what was looked for among the known; shown: as the user wrote it. */
static void complain(NsDiag *diag, NsPlace place, const char *what, const char *shown, const char *word, const char *const *known, NsArena *arena)
{
  const char *near = NsNearestWord(word, known);

  NsDiagError(diag, place, "%s '" NS_CLIP "'%s%s%s", what, NsClip(shown), near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  if (known[0]) NsDiagNote(diag, "there are: %s", list_of(arena, known));
}

static bool is_among(const char *word, const char *const *known)
{
  for (int i = 0; known[i]; i++) {
    if (!strcmp(word, known[i])) return true;
  }
  return false;
}

static void check_column(const char *text, NsPlace place, const char *directory, const NsRun *run, NsDiag *diag)
{
  static const char *const every[] = {"history", "contacts", "energy", "orbits", "poincare", NULL};
  static const char *const words[] = {"contact", "event", "station", NULL};
  const NsList            *list    = &run->config.output->orbits->stations;
  NsColumnName             name;
  const char             **headings, *table = NsArenaCopy(run->arena, text, strcspn(text, "."));

  if (!is_among(table, NsColumnTables)) {
    complain(diag, place, "no such table:", table, table, NsColumnTables, run->arena);
    NsDiagNote(diag, "a column is TABLE.HEADING, such as contacts.wall.force");
    return;
  }
  if (!NsColumnNameRead(text, run->arena, &name)) {
    NsDiagError(diag, place, "'%s' names no column: %s", text, strcmp(table, "poincare") ? "TABLE.HEADING" : "poincare.STATION.HEADING");
    return;
  }
  headings = NsSignalHeadings(NsArenaPrint(run->arena, "%s/%s", directory, name.file), run->arena);
  if (!headings) {
    NsDiagError(diag, place, "the run writes no %s", name.file);
    for (int i = 0; every[i]; i++) {
      if (!strcmp(every[i], table))
        NsDiagNote(diag, "see output.%s: percuss explain output.%s", i < 4 ? every[i] : "orbits", i < 4 ? every[i] : "orbits");
    }
    return;
  }
  if (name.station) {
    const char **names = NsArenaAlloc(run->arena, sizeof(*names) * (size_t)(list->count + 1));
    for (int i = 0; i < list->count; i++) names[i] = list->names[i];
    if (!is_among(name.station, names)) complain(diag, place, "no station", name.station, name.station, names, run->arena);
  }
  if (!is_among(name.heading, headings) || is_among(name.heading, words))
    complain(diag, place, NsArenaPrint(run->arena, "%s has no column of numbers", name.file), name.heading, name.heading, headings, run->arena);
}

static void check_summary(const NsQuantity *quantity, const char *directory, NsArena *arena, NsDiag *diag)
{
  const NsNode *root = read_summary(directory, arena), *node = NsTreeChild(root, "summary");
  const char  **names, *word                                 = quantity->summary;
  int           count = 0;

  if (find_number(root, quantity->summary, arena)) return;
  /* the longest beginning that is there, and what could follow it */
  for (const char *path = quantity->summary; node && *path;) {
    const size_t  size = strcspn(path, ".");
    const NsNode *next = NsTreeChild(node, word = NsArenaCopy(arena, path, size));

    if (!next) break;
    node = next;
    path += size + (path[size] == '.');
  }
  names = NsArenaAlloc(arena, sizeof(*names) * (size_t)((node ? node->count : 0) + 1));
  for (const NsNode *child = node ? node->first : NULL; child; child = child->next) names[count++] = child->key;
  complain(diag, NsKeysPlace(quantity->where, "summary"), "run.json will have no", quantity->summary, word, names, arena);
}

static void check_event(const NsQuantity *quantity, const NsRun *run, NsDiag *diag)
{
  static const char *const kinds[] = {"impact", "closing", "opening", "stick", "slip", NULL};
  const char             **names   = NsArenaAlloc(run->arena, sizeof(*names) * (size_t)(run->model->candidates + 1));

  for (PetscInt i = 0; i < run->model->candidates; i++) names[i] = run->model->candidate[i].name;
  if (!is_among(quantity->event, kinds))
    complain(diag, NsKeysPlace(quantity->where, "event"), "no such event:", quantity->event, quantity->event, kinds, run->arena);
  if (quantity->contact && !is_among(quantity->contact, names))
    complain(diag, NsKeysPlace(quantity->where, "contact"), "no contact", quantity->contact, quantity->contact, names, run->arena);
  if (!run->config.output->events || !run->model->candidates)
    NsDiagError(diag, NsKeysPlace(quantity->where, "event"), "the run writes no events.csv: %s",
      run->model->candidates ? "output.events is false" : "it has no contacts");
}

void NsQuantityCheck(const NsStudy *study, const char *directory, NsRun *run, NsDiag *diag)
{
  const NsList        *record      = &study->settings.record;
  const NsBifurcation *bifurcation = study->settings.bifurcation;

  for (int q = 0; q < record->count; q++) {
    const NsQuantity *quantity = (const NsQuantity *)record->items + q;

    for (int i = 0; i < quantity->column.count; i++) check_column(quantity->column.items[i], quantity->column.where[i]->place, directory, run, diag);
    if (quantity->summary) check_summary(quantity, directory, run->arena, diag);
    if (quantity->event) check_event(quantity, run, diag);
  }
  for (int i = 0; bifurcation && i < bifurcation->column.count; i++)
    check_column(bifurcation->column.items[i], bifurcation->column.where[i]->place, directory, run, diag);
}
