/* From a study file to its runs: axes, their values, and how they are combined. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/arena_stream.h"
#include "core/keys_internal.h"
#include "study.h"

enum { MOST_RUNS = 20000 };

static const char *line_of(NsArena *arena, const NsNode *value)
{
  NsArenaStream stream;
  FILE         *file = NsArenaStreamOpen(&stream, arena);

  if (value->kind == NS_NODE_SCALAR)
    fputs(value->text, file);
  else
    NsTreeWriteLine(value, file);
  return NsTextLine(NsArenaStreamClose(&stream, NULL), arena);
}

/* The unit of all values, if they are written in one that is not SI's. */
static void read_shown(NsAxis *axis, NsArena *arena)
{
  NsDimension dimension;

  axis->shown = "";
  for (int i = 0; i < axis->count && axis->number && *axis->unit; i++) {
    char       *end;
    const char *unit = (strtod(axis->value[i]->text, &end), end + strspn(end, " "));
    if (!*unit || (i > 0 && strcmp(unit, axis->shown))) {
      axis->shown = "";
      return;
    }
    axis->shown = NsArenaPrint(arena, "%s", unit);
  }
  if (!strcmp(axis->shown, axis->unit) || !*axis->shown) axis->shown = "";
  if (*axis->shown && !NsParseAnyQuantity(NsArenaPrint(arena, "1 %s", axis->shown), &dimension, &axis->shown_size)) axis->shown = "";
}

/* Numbers if all have one dimension: "0.5 us" and "1 ms", but not "1 m" and "1 s". A bare number is SI, of any dimension. */
static void read_numbers(NsAxis *axis, NsArena *arena)
{
  NsDimension common = NS_DIM_NONE, dimension;

  axis->number = NsArenaAlloc(arena, sizeof(*axis->number) * (size_t)axis->count);
  axis->unit   = "";
  axis->shown  = "";
  for (int i = 0; i < axis->count; i++) {
    const NsNode *value = axis->value[i];
    const bool    known = *axis->unit != 0;

    if (value->kind != NS_NODE_SCALAR || value->quoted || !NsParseAnyQuantity(value->text, &dimension, &axis->number[i])) {
      axis->number = NULL;
      return;
    }
    if (!*NsDimensionUnit(dimension)) continue;
    if (known && memcmp(&common, &dimension, sizeof(common))) {
      axis->number = NULL;
      return;
    }
    common     = dimension;
    axis->unit = NsArenaPrint(arena, "%s", NsDimensionUnit(dimension));
  }
}

typedef struct {
  const NsNode *where;
  const char   *from, *to;
  long          count;
  int           spacing;
} Range;

static const char *const spacings[]   = {"linear", "logarithmic", NULL};
static const NsKey       range_keys[] = {
        {"from", NS_KEY_STRING, offsetof(Range, from), .required = true, .help = "first value", .example = "100 rpm"},
        {"to", NS_KEY_STRING, offsetof(Range, to), .required = true, .help = "last value", .example = "3000 rpm"},
        {"count", NS_KEY_INTEGER, offsetof(Range, count), .required = true, .minimum = "2", .maximum = "20000", .help = "how many values", .example = "30"},
        {"spacing", NS_KEY_CHOICE, offsetof(Range, spacing), .choices = spacings, .default_value = "linear", .help = "equal differences, or equal ratios",
          .example = "logarithmic"},
        {NULL},
};
static const NsTable range_table = {"range", "values from one to another", range_keys, sizeof(Range)};

/* Number and unit of "100 rpm"; false after a message. */
static bool split_quantity(const Range *range, const char *key, const char *text, double *number, const char **unit, double *si,
  NsDimension *dimension, NsArena *arena, NsDiag *diag)
{
  const size_t size = strcspn(text, " ");

  *unit = text + size + strspn(text + size, " ");
  if (NsParseAnyQuantity(text, dimension, si) && !NsParseNumber(NsArenaCopy(arena, text, size), number)) return true;
  NsDiagError(diag, NsKeysPlace(range->where, key), "expected a number, perhaps with a unit, got '" NS_CLIP "'", NsClip(text));
  return false;
}

/* The values of a range: in the unit of both ends if it is the same, as the user would write them, else in SI. */
static bool read_range(NsAxis *axis, const NsNode *node, NsArena *arena, NsDiag *diag)
{
  Range       range;
  double      from, to, si[2];
  const char *unit[2];
  NsDimension dimension[2];

  if (!NsKeysRead(&range_table, node, &range, arena, diag)) return false;
  if (!split_quantity(&range, "from", range.from, &from, &unit[0], &si[0], &dimension[0], arena, diag) ||
      !split_quantity(&range, "to", range.to, &to, &unit[1], &si[1], &dimension[1], arena, diag))
    return false;
  if (strcmp(unit[0], unit[1])) {
    if (memcmp(&dimension[0], &dimension[1], sizeof(*dimension))) {
      NsDiagError(diag, NsKeysPlace(node, "to"), "'from' and 'to' must have the same dimension, got '" NS_CLIP "' and '" NS_CLIP "'",
        NsClip(range.from), NsClip(range.to));
      return false;
    }
    from    = si[0];
    to      = si[1];
    unit[0] = *NsDimensionUnit(dimension[0]) ? NsArenaPrint(arena, "%s", NsDimensionUnit(dimension[0])) : "";
  }
  if (range.spacing && (from * to <= 0)) {
    NsDiagError(diag, NsKeysPlace(node, "spacing"), "a logarithmic range cannot include zero");
    return false;
  }
  axis->spread = range.spacing;
  axis->count  = (int)range.count;
  axis->value  = NsArenaAlloc(arena, sizeof(*axis->value) * (size_t)axis->count);
  for (int i = 0; i < axis->count; i++) {
    const double share = (double)i / (axis->count - 1);
    const double value = i == 0 ? from : i == axis->count - 1 ? to : range.spacing ? from * pow(to / from, share) : from + (to - from) * share;
    NsNode      *item  = NsArenaAlloc(arena, sizeof(*item));
    char         text[NS_DECIMAL_SIZE + 1];

    text[NsDecimal(value, text)] = 0;
    *item                        = (NsNode){.kind = NS_NODE_SCALAR, .place = node->place, .key_place = node->key_place};
    item->text                   = *unit[0] ? NsArenaPrint(arena, "%s %s", text, unit[0]) : NsArenaPrint(arena, "%s", text);
    axis->value[i]               = item;
  }
  return true;
}

static bool read_list(NsAxis *axis, const NsNode *node, NsArena *arena, NsDiag *diag)
{
  axis->count = 0;
  axis->value = NsArenaAlloc(arena, sizeof(*axis->value) * (size_t)(node->count + 1));
  for (const NsNode *item = node->first; item; item = item->next) {
    if (NsKeysIsNull(item)) NsDiagError(diag, item->place, "item %d of %s has no value", axis->count + 1, node->key);
    axis->value[axis->count++] = item;
  }
  if (!axis->count) NsDiagError(diag, node->place, "%s has no values", node->key);
  return axis->count > 0;
}

/* Sections are named by their `type` if all differ: "half_explicit", not "{type: half_explicit, step: 1 ms}". */
static void shorten(NsAxis *axis, NsArena *arena)
{
  const char **type = NsArenaAlloc(arena, sizeof(*type) * (size_t)axis->count);

  for (int i = 0; i < axis->count; i++) {
    const NsNode *word = NsTreeChild(axis->value[i], "type");

    if (!word || word->kind != NS_NODE_SCALAR) return;
    type[i] = word->text;
    for (int k = 0; k < i; k++) {
      if (!strcmp(type[k], type[i])) return;
    }
  }
  axis->text = type;
}

static bool read_vary(NsStudy *study, NsAxis *axis, const NsNode *node)
{
  axis->key   = node->key;
  axis->where = node;
  if (node->kind == NS_NODE_MAP) {
    if (!read_range(axis, node, study->arena, study->diag)) return false;
  } else if (node->kind == NS_NODE_LIST) {
    if (!read_list(axis, node, study->arena, study->diag)) return false;
  } else {
    if (NsKeysIsNull(node))
      NsDiagError(study->diag, node->key_place, "%s has no value", node->key);
    else
      NsDiagError(study->diag, node->place, "expected a list of values or a range, got '" NS_CLIP "'", NsClip(node->text));
    NsDiagNote(study->diag, "one value for all runs belongs under `set`; a range is {from: 1, to: 10, count: 10}");
    return false;
  }
  read_numbers(axis, study->arena);
  read_shown(axis, study->arena);
  axis->text = NsArenaAlloc(study->arena, sizeof(*axis->text) * (size_t)axis->count);
  for (int i = 0; i < axis->count; i++) axis->text[i] = line_of(study->arena, axis->value[i]);
  shorten(axis, study->arena);
  return true;
}

/* A mapping of keys of the config to values. */
static bool check_assignments(NsStudy *study, const NsNode *map)
{
  bool good = true;

  if (map->kind != NS_NODE_MAP) {
    NsDiagError(study->diag, NsKeysIsNull(map) ? map->key_place : map->place, "expected keys of the config with values, KEY: VALUE");
    return false;
  }
  for (const NsNode *child = map->first; child; child = child->next) {
    if (!NsKeysIsNull(child)) continue;
    NsDiagError(study->diag, child->key_place, "%s has no value", child->key);
    good = false;
  }
  return good;
}

static bool read_cases(NsStudy *study, NsAxis *axis, const NsNode *node)
{
  NsArena *arena = study->arena;
  bool     good  = true;

  if (!node->count) NsDiagError(study->diag, node->place, "there are no cases");
  axis->key   = "case";
  axis->where = node;
  axis->count = 0;
  axis->value = NsArenaAlloc(arena, sizeof(*axis->value) * (size_t)(node->count + 1));
  axis->text  = NsArenaAlloc(arena, sizeof(*axis->text) * (size_t)(node->count + 1));
  axis->unit  = "";
  for (const NsNode *item = node->first; item; item = item->next, axis->count++) {
    good                     = check_assignments(study, item) && good;
    axis->value[axis->count] = item;
    axis->text[axis->count]  = item->key;
  }
  return good && axis->count > 0;
}

static bool read_axes(NsStudy *study)
{
  const NsStudySettings *settings = &study->settings;
  const int              most     = (settings->vary ? settings->vary->count : 0) + 1;
  bool                   good     = true;

  study->axis = NsArenaAlloc(study->arena, sizeof(*study->axis) * (size_t)most);
  if (settings->set) good = check_assignments(study, settings->set);
  if (settings->reference) good = check_assignments(study, settings->reference) && good;
  if (settings->cases) good = read_cases(study, &study->axis[study->axes++], settings->cases) && good;
  for (const NsNode *node = settings->vary ? settings->vary->first : NULL; node; node = node->next)
    good = read_vary(study, &study->axis[study->axes++], node) && good;
  if (good && !study->axes) NsDiagError(study->diag, NsKeysPlace(settings->where, "vary"), "nothing is varied");
  return good && study->axes;
}

static bool count_rows(NsStudy *study)
{
  const bool zip   = study->settings.combine == NS_ZIP;
  double     total = 1;

  for (int a = 0; a < study->axes; a++) {
    const NsAxis *axis = &study->axis[a];

    if (zip && axis->count != study->axis[0].count) {
      NsDiagError(study->diag, axis->where->key_place, "%s has %d %s and %s %d: combine: zip needs the same number of values", axis->key, axis->count,
        axis->count == 1 ? "value" : "values", study->axis[0].key, study->axis[0].count);
      return false;
    }
    total = zip ? axis->count : total * axis->count;
  }
  if (total > MOST_RUNS) {
    NsDiagError(study->diag, study->settings.where->place, "%.0f runs are too many: at most %d", total, MOST_RUNS);
    return false;
  }
  study->rows = (int)total;
  return true;
}

static void add_graft(NsStudyRun *run, const char *key, NsPlace place, const NsNode *value)
{
  run->graft[run->grafts++] = (NsRunGraft){key, place, value};
}

static void add_grafts(NsStudyRun *run, const NsNode *map)
{
  for (const NsNode *child = map ? map->first : NULL; child; child = child->next) add_graft(run, child->key, child->key_place, child);
}

static void make_row(NsStudy *study, int row)
{
  const NsStudySettings *settings = &study->settings;
  NsStudyRun            *run      = &study->run[row];
  int                    most = settings->set ? settings->set->count : 0, rest = row;

  run->choice    = NsArenaAlloc(study->arena, sizeof(*run->choice) * (size_t)study->axes);
  run->reference = -1;
  for (int a = study->axes - 1; a >= 0; a--) {
    run->choice[a] = settings->combine == NS_ZIP ? row : rest % study->axis[a].count;
    rest /= study->axis[a].count;
    most += study->axis[a].where == settings->cases ? study->axis[a].value[run->choice[a]]->count : 1;
  }
  run->after = NsStudyPredecessor(study, row);
  run->graft = NsArenaAlloc(study->arena, sizeof(NsRunGraft) * (size_t)(most + 1));
  add_grafts(run, settings->set);
  for (int a = 0; a < study->axes; a++) {
    const NsAxis *axis  = &study->axis[a];
    const NsNode *value = axis->value[run->choice[a]];

    if (axis->where == settings->cases)
      add_grafts(run, value);
    else
      add_graft(run, axis->key, axis->where->key_place, value);
  }
}

/* Whether two references have the same values, and so are one run. */
static bool same_reference(const NsStudyRun *a, const NsStudyRun *b)
{
  if (a->grafts != b->grafts) return false;
  for (int i = 0; i < a->grafts; i++) {
    if (strcmp(a->graft[i].key, b->graft[i].key) || a->graft[i].value != b->graft[i].value) return false;
  }
  return true;
}

/* "scheme" covers "scheme.step". */
static bool covers(const NsNode *reference, const char *key)
{
  for (const NsNode *child = reference->first; child; child = child->next) {
    const size_t size = strlen(child->key);
    if (!strncmp(child->key, key, size) && (!key[size] || key[size] == '.')) return true;
  }
  return false;
}

static bool is_compared(const NsStudySettings *settings)
{
  const NsQuantity *quantity = settings->record.items;

  for (int i = 0; i < settings->record.count; i++) {
    if (quantity[i].against && !strcmp(quantity[i].against, "reference")) return true;
  }
  return false;
}

static void make_references(NsStudy *study)
{
  const NsNode *reference = study->settings.reference;

  for (int row = 0; row < study->rows; row++) {
    const NsStudyRun *of  = &study->run[row];
    NsStudyRun       *run = &study->run[study->runs];
    int               same;

    run->reference = run->after = -1;
    run->grafts                 = 0;
    run->graft                  = NsArenaAlloc(study->arena, sizeof(*run->graft) * (size_t)(of->grafts + reference->count));
    for (int i = 0; i < of->grafts; i++) {
      if (!covers(reference, of->graft[i].key)) add_graft(run, of->graft[i].key, of->graft[i].place, of->graft[i].value);
    }
    add_grafts(run, reference);
    for (same = study->rows; same < study->runs && !same_reference(&study->run[same], run);) same++;
    if (same == study->runs) study->runs++;
    study->run[row].reference = same;
  }
}

bool NsStudyMakeRuns(NsStudy *study)
{
  if (!read_axes(study) || !NsStudyMakeSweep(study) || !count_rows(study)) return false;
  study->run  = NsArenaAlloc(study->arena, sizeof(*study->run) * 2 * (size_t)study->rows);
  study->runs = study->rows;
  for (int row = 0; row < study->rows; row++) make_row(study, row);
  if (study->settings.reference && is_compared(&study->settings)) make_references(study);
  for (int i = 0; i < study->runs; i++) {
    study->run[i].message = "";
    study->run[i].result  = NsArenaAlloc(study->arena, sizeof(double) * (size_t)study->settings.record.count);
    for (int q = 0; q < study->settings.record.count; q++) study->run[i].result[q] = NAN;
  }
  return true;
}

const char *NsStudyRunName(const NsStudy *study, int number)
{
  const NsStudyRun *run  = &study->run[number];
  const char       *text = "";

  if (!run->choice) return NsArenaPrint(study->arena, "reference %d", number - study->rows + 1);
  for (int a = 0; a < study->axes; a++) {
    const NsAxis *axis = &study->axis[a];
    text               = NsArenaPrint(study->arena, "%s%s%s=%s", text, a ? ", " : "", axis->key, axis->text[run->choice[a]]);
  }
  if (NsStudyDirection(study, number)) text = NsArenaPrint(study->arena, "%s, %s", text, NsStudyDirection(study, number));
  return text;
}

double NsStudyNumber(const NsStudy *study, int number, const char *key, const char **text)
{
  const NsStudyRun *run   = &study->run[number];
  double            value = NAN;
  NsDimension       dimension;

  for (int i = 0; i < run->grafts; i++) {
    const NsNode *node = run->graft[i].value;

    if (strcmp(run->graft[i].key, key) || node->kind != NS_NODE_SCALAR) continue;
    if (!NsParseAnyQuantity(node->text, &dimension, &value)) value = NAN;
    if (text) *text = node->text;
  }
  return value;
}

int NsStudyAxisOf(const NsStudy *study, const char *key)
{
  int found = -1;

  for (int a = 0; a < study->axes; a++) {
    const NsAxis *axis = &study->axis[a];

    if (!strcmp(axis->key, key)) found = a;
    if (axis->where != study->settings.cases) continue;
    for (int i = 0; i < axis->count; i++) {
      if (NsTreeChild(axis->value[i], key)) found = a;
    }
  }
  return found;
}

/* The values of a run, and where it is to start, once that is known. */
static const NsRunGraft *add_start(const NsStudy *study, NsStudyRun *run)
{
  NsRunGraft *graft = NsArenaAlloc(study->arena, sizeof(*graft) * (size_t)(run->grafts + 1));
  NsNode     *from = NsArenaAlloc(study->arena, sizeof(*from)), *start = NsArenaAlloc(study->arena, sizeof(*start));

  *from        = *study->settings.sweep->where;
  from->kind   = NS_NODE_SCALAR;
  from->quoted = true;
  from->key    = "from";
  from->text   = study->run[run->after].directory;
  from->first = from->next = NULL;
  *start                   = *from;
  start->kind              = NS_NODE_MAP;
  start->key               = "start";
  start->count             = 1;
  start->first             = from;
  memcpy(graft, run->graft, sizeof(*graft) * (size_t)run->grafts);
  graft[run->grafts] = (NsRunGraft){"start", study->settings.sweep->where->key_place, start};
  return graft;
}

NsRunOptions NsStudyRunOptions(const NsStudy *study, int number)
{
  NsRunOptions options = study->options;

  options.config_path = study->config;
  options.grafts      = study->run[number].grafts;
  options.graft       = study->run[number].graft;
  if (study->run[number].after >= 0 && study->run[number].directory) {
    options.graft = add_start(study, &study->run[number]);
    options.grafts++;
  }
  options.directory   = study->run[number].directory;
  options.own_folders = 2; /* runs/NAME */
  options.overwrite   = PETSC_TRUE;
  options.quiet       = PETSC_TRUE;
  return options;
}
