/* Numbers from the tables and the summary of a run. */
#include <math.h>
#include <string.h>
#include "output/settings.h"
#include "results/columns.h"
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

/* Times of the events that the quantity counts, as rows of a signal without columns; NAN with a reason if the statistic needs events and the run has had no event. */
static double measure_events(const NsQuantity *quantity, NsRunFiles *files, NsArena *arena, const char **why)
{
  const NsResultTable  *table = NsRunFilesTable(files, "events.csv");
  const NsResultColumn *time, *contact, *event;
  NsSignal              signal = {0};
  double                value;

  if (!table) {
    *why = NsArenaPrint(arena, "cannot read %s/events.csv", files->directory);
    return NAN;
  }
  time        = NsResultTableColumn(table, "time");
  contact     = NsResultTableColumn(table, "contact");
  event       = NsResultTableColumn(table, "event");
  signal.time = NsArenaAlloc(arena, sizeof(double) * (size_t)(table->rows + 1));
  for (long row = 0; time && contact && event && row < table->rows; row++) {
    const double at = time->numbers[row];

    if (strcmp(event->words[row], quantity->event) || (quantity->contact && strcmp(contact->words[row], quantity->contact))) continue;
    if (at >= quantity->from && at <= quantity->to) signal.time[signal.rows++] = at;
  }
  value = NsStudyValues[quantity->value].take(&signal);
  if (isnan(value)) *why = "no such event";
  return value;
}

/* Rows within the window; or samples at equal intervals there. */
static bool read_window(const NsQuantity *quantity, NsRunFiles *files, NsArena *arena, NsSignal *signal, const char **why)
{
  *why = NsSignalRead(files, quantity->column.count, quantity->column.items, arena, signal);
  if (!*why && quantity->every > 0)
    *why = NsSignalEvery(signal, quantity->from, quantity->to, quantity->every, arena);
  else if (!*why)
    NsSignalCut(signal, quantity->from, quantity->to);
  if (!*why && !signal->rows) *why = "no rows in this interval of time";
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
  return read_window(quantity, files, arena, &signal, why) ? NsStudyValues[quantity->value].take(&signal) : NAN;
}

double NsQuantityMeasure(const NsQuantity *quantity, NsRunFiles *run, NsRunFiles *reference, NsArena *arena, const char **why)
{
  const bool  to_reference = quantity->against && !strcmp(quantity->against, "reference");
  const bool  compared     = quantity->against || quantity->exact.rows;
  NsDimension dimension;
  NsSignal    signal, other;
  double      number = NAN, magnitude, value;

  *why = NULL;
  if (quantity->against && !to_reference) (void)NsParseAnyQuantity(quantity->against, &dimension, &number);
  if (to_reference && !reference) {
    *why = "its reference failed";
    return NAN;
  }
  if (!compared) return measure_plain(quantity, run, arena, why);
  if (quantity->column.count && NsStudyValues[quantity->value].kind == NS_VALUE_OF_NORM) {
    if (!read_window(quantity, run, arena, &signal, why)) return NAN;
    if (!read_other(quantity, &signal, to_reference ? reference : NULL, number, arena, &other, why)) return NAN;
    subtract(&signal, &other);
    value     = NsStudyValues[quantity->value].take(&signal);
    magnitude = NsStudyValues[quantity->value].take(&other);
  } else {
    const double of = to_reference ? measure_plain(quantity, reference, arena, why) : number;
    value           = measure_plain(quantity, run, arena, why) - of;
    magnitude       = fabs(of);
  }
  if (quantity->relative && magnitude == 0) *why = "the reference value of the relative error is zero";
  return !quantity->relative ? value : magnitude > 0 ? value / magnitude : NAN;
}

/* Checks ------------------------------------------------------------------------------------------------------------------------------------------- */

static const char *list_of(NsArena *arena, const char *const *words)
{
  const char *text = "";
  int         i;

  for (i = 0; i < 24 && words[i]; i++) text = NsArenaPrint(arena, "%s%s%s", text, i ? ", " : "", words[i]);
  return words[i] ? NsArenaPrint(arena, "%s, ...", text) : text;
}

/* word is not among the known ones; shown: all that the user wrote. */
static void report_unknown(
  NsDiag *diag, NsPlace place, const char *what, const char *shown, const char *word, const char *const *known, NsArena *arena)
{
  NsDiagError(diag, place, "%s '" NS_CLIP "'%s", what, NsClip(shown), NsDidYouMean(NsNearestWord(word, known)));
  if (known[0]) NsDiagNote(diag, "valid: %s", list_of(arena, known));
}

static bool is_among(const char *word, const char *const *known)
{
  for (int i = 0; known[i]; i++) {
    if (!strcmp(word, known[i])) return true;
  }
  return false;
}

static void check_column(const char *text, NsPlace place, const char *directory, NsRun *run, NsDiag *diag)
{
  static const char *const every[] = {"history", "contacts", "energy", "orbits", "poincare", NULL};
  static const char *const words[] = {"contact", "event", "station", NULL};
  const NsList            *list    = NsOrbitStations(NsRunSettings(run)->output);
  NsColumnName             name;
  const char             **headings, *table = NsArenaCopy(NsRunArena(run), text, strcspn(text, "."));

  if (!is_among(table, NsColumnTables(NsRunArena(run)))) {
    report_unknown(diag, place, "no such table:", table, table, NsColumnTables(NsRunArena(run)), NsRunArena(run));
    NsDiagNote(diag, "a column is TABLE.HEADING, such as contacts.wall.force");
    return;
  }
  if (!NsColumnNameRead(text, NsRunArena(run), &name)) {
    NsDiagError(diag, place, "'%s' is not the name of a column: %s", text, strcmp(table, "poincare") ? "TABLE.HEADING" : "poincare.STATION.HEADING");
    return;
  }
  headings = NsSignalHeadings(NsArenaPrint(NsRunArena(run), "%s/%s", directory, name.file), NsRunArena(run));
  if (!headings) {
    NsDiagError(diag, place, "the run writes no %s", name.file);
    for (int i = 0; every[i]; i++) {
      if (!strcmp(every[i], table))
        NsDiagNote(diag, "see output.%s: percuss explain output.%s", i < 4 ? every[i] : "orbits", i < 4 ? every[i] : "orbits");
    }
    return;
  }
  if (name.station) {
    const char **names = NsArenaAlloc(NsRunArena(run), sizeof(*names) * (size_t)(list->count + 1));
    for (int i = 0; i < list->count; i++) names[i] = list->names[i];
    if (!is_among(name.station, names)) report_unknown(diag, place, "no station", name.station, name.station, names, NsRunArena(run));
  }
  if (!is_among(name.heading, headings) || is_among(name.heading, words))
    report_unknown(
      diag, place, NsArenaPrint(NsRunArena(run), "%s has no column of numbers", name.file), name.heading, name.heading, headings, NsRunArena(run));
}

static void check_summary(const NsQuantity *quantity, const char *directory, NsArena *arena, NsDiag *diag)
{
  const NsNode *root = read_summary(directory, arena), *node = NsTreeChild(root, "summary");
  const char  **names, *word                                 = quantity->summary;
  int           count = 0;

  if (find_number(root, quantity->summary, arena)) return;
  /* the longest part of the path that exists, and what could follow it */
  for (const char *path = quantity->summary; node && *path;) {
    const size_t  size = strcspn(path, ".");
    const NsNode *next = NsTreeChild(node, word = NsArenaCopy(arena, path, size));

    if (!next) break;
    node = next;
    path += size + (path[size] == '.');
  }
  names = NsArenaAlloc(arena, sizeof(*names) * (size_t)((node ? node->count : 0) + 1));
  for (const NsNode *child = node ? node->first : NULL; child; child = child->next) names[count++] = child->key;
  report_unknown(diag, NsKeysPlace(quantity->where, "summary"), "run.json will have no", quantity->summary, word, names, arena);
}

static void check_event(const NsQuantity *quantity, NsRun *run, NsDiag *diag)
{
  static const char *const kinds[] = {"impact", "closing", "opening", "stick", "slip", NULL};
  const char             **names   = NsArenaAlloc(NsRunArena(run), sizeof(*names) * (size_t)(NsRunModel(run)->candidates + 1));

  for (PetscInt i = 0; i < NsRunModel(run)->candidates; i++) {
    char name[NS_CANDIDATE_NAME];
    names[i] = NsArenaPrint(NsRunArena(run), "%s", NsCandidateName(&NsRunModel(run)->candidate[i], name));
  }
  if (!is_among(quantity->event, kinds))
    report_unknown(diag, NsKeysPlace(quantity->where, "event"), "no such event:", quantity->event, quantity->event, kinds, NsRunArena(run));
  if (quantity->contact && !is_among(quantity->contact, names))
    report_unknown(diag, NsKeysPlace(quantity->where, "contact"), "no contact", quantity->contact, quantity->contact, names, NsRunArena(run));
  if (!NsRunSettings(run)->output->events || !NsRunModel(run)->candidates)
    NsDiagError(diag, NsKeysPlace(quantity->where, "event"), "the run writes no events.csv: %s",
      NsRunModel(run)->candidates ? "output.events is false" : "it has no contacts");
}

void NsQuantityCheck(const NsStudy *study, const char *directory, NsRun *run, NsDiag *diag)
{
  const NsList        *record      = &study->settings.record;
  const NsBifurcation *bifurcation = study->settings.bifurcation;

  for (int q = 0; q < record->count; q++) {
    const NsQuantity *quantity = (const NsQuantity *)record->items + q;

    for (int i = 0; i < quantity->column.count; i++) check_column(quantity->column.items[i], quantity->column.where[i]->place, directory, run, diag);
    if (quantity->summary) check_summary(quantity, directory, NsRunArena(run), diag);
    if (quantity->event) check_event(quantity, run, diag);
  }
  for (int i = 0; bifurcation && i < bifurcation->column.count; i++)
    check_column(bifurcation->column.items[i], bifurcation->column.where[i]->place, directory, run, diag);
}

/* ---- units ---------------------------------------------------------------------------------------------------------------------------------------- */

const char *NsQuantityUnit(const NsQuantity *quantity, NsArena *arena)
{
  NsColumnName name = {0};
  const char  *unit = NULL, *path = quantity->summary;

  if (quantity->event) return quantity->value == NS_VALUE_first || quantity->value == NS_VALUE_last ? "s" : "";
  if (quantity->relative || quantity->value == NS_VALUE_share) return "";
  if (path) {
    const size_t size = strlen(path);
    if (!strncmp(path, "summary.", 8)) path += 8;
    if (!strncmp(path, "energy.", 7)) return "J";
    if (!strcmp(path, "max_penetration")) return "m";
    return !strcmp(path, "time") || !strcmp(path, "step") || (size >= 8 && !strcmp(quantity->summary + size - 8, "_seconds")) ||
               !strcmp(path, "seconds_per_step")
             ? "s"
             : "";
  }
  for (int c = 0; c < quantity->column.count; c++) {
    const char *own = NsColumnNameRead(quantity->column.items[c], arena, &name) ? NsColumnUnit(name.file, name.heading) : NULL;
    if (!own || (unit && strcmp(unit, own))) return ""; /* a norm of different quantities has no unit */
    unit = own;
  }
  if (!unit) return "";
  if (quantity->value != NS_VALUE_integral) return unit;
  return *unit ? NsArenaPrint(arena, "%s s", unit) : "s";
}
