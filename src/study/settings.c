/* The keys of a study file. */
#include <math.h>
#include <string.h>
#include "study.h"

static const char *const combines[] = {"grid", "zip", NULL}, *const finers[] = {"smaller", "larger", NULL};
static const char *const samplings[]     = {"rows", "period", "turn", "maxima", NULL};
static const NsKey       quantity_keys[] = {
        {"column", NS_KEY_STRINGS, offsetof(NsQuantity, column), .least = 1, .most = NS_MOST_SIGNALS,
          .help =
            "column of a table of the run, TABLE.HEADING; tables: history, contacts, energy, orbits; poincare.STATION.HEADING; norms take several of one table",
          .example = "contacts.wall.force"},
        {"summary", NS_KEY_STRING, offsetof(NsQuantity, summary), .help = "a number of run.json: its path within the summary, or within the whole file",
          .example = "energy.numerical"},
        {"event", NS_KEY_STRING, offsetof(NsQuantity, event), .help = "a kind of event of events.csv: impact, closing, opening, stick or slip",
          .example = "impact"},
        {"contact", NS_KEY_STRING, offsetof(NsQuantity, contact), .help = "with `event`: only events of this contact", .example = "wall"},
        {"value", NS_KEY_CHOICE, offsetof(NsQuantity, value), .choices = NsStudyValueWords,
          .help =
            "statistic. Of columns: final (default), initial, max, min, mean, deviation, largest (magnitude), rms, spectral (norm of columns x rows), "
                  "sum, integral, share (of the time above zero; of a contact's state: closed). Of events: count (default), first, last (their times)",
          .example = "rms"},
        {"from", NS_KEY_NUMBER, offsetof(NsQuantity, from), .dimension = NS_DIM_TIME, .default_value = "0", .minimum = "0",
          .help = "start of the interval of time", .example = "1 ms"},
        {"to", NS_KEY_NUMBER, offsetof(NsQuantity, to), .dimension = NS_DIM_TIME, .minimum = "0 <",
          .help = "end of the interval of time; default: the end of the run", .example = "2 ms"},
        {"every", NS_KEY_NUMBER, offsetof(NsQuantity, every), .dimension = NS_DIM_TIME, .minimum = "0 <",
          .help = "for columns: interval between samples, interpolated linearly between rows; default: each row", .example = "1 ms"},
        {"against", NS_KEY_STRING, offsetof(NsQuantity, against),
          .help =
            "record an error: the difference from a number (SI, or with a unit) or from the same quantity of the `reference`. Norms are taken of the difference",
          .example = "reference"},
        {"exact", NS_KEY_NUMBERS, offsetof(NsQuantity, exact), .columns = 2, .columns_dimension = {NS_DIM_TIME, NS_DIM_NONE}, .least = 1,
          .help    = "record an error against a known solution: straight lines through [time, value] in SI units; a time given twice is a jump",
          .example = "[[0 s, 0], [1 s, 2]]"},
        {"relative", NS_KEY_BOOLEAN, offsetof(NsQuantity, relative), .default_value = "false",
          .help = "divide the error by the magnitude of the reference value", .example = "true"},
        {NULL},
};

static void check_against(const NsQuantity *quantity, NsDiag *diag)
{
  NsDimension dimension;
  double      number;

  if (!quantity->against || !strcmp(quantity->against, "reference") || NsParseAnyQuantity(quantity->against, &dimension, &number)) return;
  NsDiagError(diag, NsKeysPlace(quantity->where, "against"), "expected `reference` or a number, got '%s'", quantity->against);
}

static void check_quantity(const void *settings, NsArena *arena, NsDiag *diag)
{
  NsQuantity   *quantity = (NsQuantity *)settings; /* defaults that depend on other keys are set here */
  const NsNode *where    = quantity->where;
  NsColumnName  first, name;

  if (!NsTreeChild(where, "value")) quantity->value = quantity->event ? NS_VALUE_count : NS_VALUE_final;
  if (!NsTreeChild(where, "to")) quantity->to = INFINITY;
  check_against(quantity, diag);
  const bool events = NsStudyValues[quantity->value].kind == NS_VALUE_OF_EVENTS, norm = NsStudyValues[quantity->value].kind == NS_VALUE_OF_NORM;
  if ((quantity->event != NULL) != events) {
    const char *list = "";

    for (int i = 0; NsStudyValueWords[i]; i++) {
      if ((NsStudyValues[i].kind == NS_VALUE_OF_EVENTS) != events)
        list = NsArenaPrint(arena, "%s%s%s", list, *list ? ", " : "", NsStudyValueWords[i]);
    }
    NsDiagError(diag, NsKeysPlace(where, "value"), "'%s' is not a value of %s", NsStudyValueWords[quantity->value], events ? "columns" : "events");
    NsDiagNote(diag, "of %s: %s", events ? "columns" : "events", list);
  }
  if (quantity->contact && !quantity->event) NsDiagError(diag, NsKeysPlace(where, "contact"), "contact requires `event`");
  if (quantity->summary && (NsTreeChild(where, "value") || NsTreeChild(where, "every") || NsTreeChild(where, "to")))
    NsDiagError(diag, where->key_place, "value, every and to apply to `column`, not to `summary`");
  if (quantity->every > 0 && !quantity->column.count) NsDiagError(diag, NsKeysPlace(where, "every"), "every requires `column`");
  if (quantity->exact.rows && (!quantity->column.count || !norm))
    NsDiagError(diag, NsKeysPlace(where, "exact"), "exact requires `column` and a norm: largest, rms or spectral");
  for (int i = 1; i < quantity->exact.rows; i++) {
    if (quantity->exact.values[2 * i] < quantity->exact.values[2 * i - 2])
      NsDiagError(diag, NsKeysPlace(where, "exact"), "times of exact must not decrease: %g s comes after %g s", quantity->exact.values[2 * i],
        quantity->exact.values[2 * i - 2]);
  }
  if (quantity->relative && !quantity->against && !quantity->exact.rows)
    NsDiagError(diag, NsKeysPlace(where, "relative"), "relative requires `against` or `exact`");
  if (quantity->column.count > 1 && !norm)
    NsDiagError(diag, NsKeysPlace(where, "column"), "only norms take several columns: largest, rms and spectral");
  for (int i = 0; i < quantity->column.count; i++) {
    if (!NsColumnNameRead(quantity->column.items[i], arena, &name)) continue; /* examined with a run */
    if (i > 0 && NsColumnNameRead(quantity->column.items[0], arena, &first) && strcmp(first.file, name.file))
      NsDiagError(diag, quantity->column.where[i]->place, "the columns of a quantity must be in one table; the first is in %s", first.file);
  }
}

static const NsTable quantity_table = {"quantity", "quantity recorded of each run", quantity_keys, sizeof(NsQuantity),
  .one_of = "column, summary, event", .at_most_one_of = "against, exact", .check = check_quantity};

static const NsKey convergence_keys[] = {
  {"over", NS_KEY_STRING, offsetof(NsConvergence, over), .required = true, .help = "key of the config that is refined, as in `vary`",
    .example = "scheme.step"},
  {"of", NS_KEY_STRINGS, offsetof(NsConvergence, of), .least = 1, .help = "quantities of `record`; default: all errors", .example = "[error]"},
  {"by", NS_KEY_STRINGS, offsetof(NsConvergence, by), .help = "keys (or case) that split the runs into sequences; default: all other keys of a grid",
    .example = "[scheme.type]"},
  {"finer", NS_KEY_CHOICE, offsetof(NsConvergence, finer), .choices = finers, .default_value = "smaller",
    .help = "whether smaller or larger values of `over` are finer: steps are finer if smaller, numbers of elements if larger", .example = "larger"},
  {NULL},
};
static const NsTable convergence_table = {"convergence", "observed orders of convergence", convergence_keys, sizeof(NsConvergence)};

static const NsKey bifurcation_keys[] = {
  {"over", NS_KEY_STRING, offsetof(NsBifurcation, over), .required = true, .help = "key of the config along the axis, as in `vary`",
    .example = "bodies.shaft.spin"},
  {"column", NS_KEY_STRINGS, offsetof(NsBifurcation, column), .required = true, .least = 1, .most = 4,
    .help    = "columns to sample, of one table; with two columns Poincare sections are drawn, too",
    .example = "[poincare.wheel.u2, poincare.wheel.v2]"},
  {"at", NS_KEY_CHOICE, offsetof(NsBifurcation, at), .choices = samplings, .default_value = "rows",
    .help =
      "when to sample: rows: each row of the table (poincare.csv has one per revolution); period: each `period` from t = 0 on; turn: each revolution at the speed or frequency given by `over`, from t = 0 on; maxima: each local maximum",
    .example = "maxima"},
  {"period", NS_KEY_NUMBER, offsetof(NsBifurcation, period), .dimension = NS_DIM_TIME, .minimum = "0 <",
    .help = "period of the samples, with `at: period`", .example = "20 ms"},
  {"after", NS_KEY_NUMBER, offsetof(NsBifurcation, after), .dimension = NS_DIM_TIME, .default_value = "0", .minimum = "0",
    .help = "end of the transient, which is not sampled", .example = "0.5 s"},
  {NULL},
};

static void check_bifurcation(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsBifurcation *bifurcation = settings;
  NsColumnName         first, name;

  if (bifurcation->at == NS_SAMPLE_PERIOD && !NsTreeChild(bifurcation->where, "period"))
    NsDiagError(diag, NsKeysPlace(bifurcation->where, "at"), "missing key 'period'");
  if (bifurcation->at != NS_SAMPLE_PERIOD && NsTreeChild(bifurcation->where, "period"))
    NsDiagError(diag, NsKeysPlace(bifurcation->where, "period"), "period requires `at: period`");
  for (int i = 1; i < bifurcation->column.count; i++) {
    if (!NsColumnNameRead(bifurcation->column.items[0], arena, &first) || !NsColumnNameRead(bifurcation->column.items[i], arena, &name)) continue;
    if (strcmp(first.file, name.file))
      NsDiagError(diag, bifurcation->column.where[i]->place, "all columns must be in one table; the first is in %s", first.file);
  }
}
static const NsTable bifurcation_table = {
  "bifurcation", "bifurcation and Poincare data", bifurcation_keys, sizeof(NsBifurcation), .check = check_bifurcation};

static const char *const directions[] = {"up_and_down", "down_and_up", "up", "down", NULL};
static const NsKey       sweep_keys[] = {
        {"over", NS_KEY_STRING, offsetof(NsSweep, over), .required = true, .help = "key of the config that is swept, as in `vary`; its values are numbers",
          .example = "parameters.frequency"},
        {"direction", NS_KEY_CHOICE, offsetof(NsSweep, direction), .choices = directions, .default_value = "up_and_down",
          .help = "order of the values; the way back begins with the last value again", .example = "up"},
        {NULL},
};
static const NsTable sweep_table = {"sweep", "runs that start from the last state of the run before", sweep_keys, sizeof(NsSweep)};

static const NsKey study_keys[] = {
  {"title", NS_KEY_STRING, offsetof(NsStudySettings, title), .help = "title of the study", .example = "Elastic bar: elements and mass"},
  {"config", NS_KEY_STRING, offsetof(NsStudySettings, config), .required = true, .help = "the config that is varied; relative to the study's folder",
    .example = "../elastic_bar.yaml"},
  {"set", NS_KEY_MAPPING, offsetof(NsStudySettings, set), .help = "keys of the config with values for all runs: KEY: VALUE",
    .example = "{time.end: 1 ms}"},
  {"cases", NS_KEY_MAPPING, offsetof(NsStudySettings, cases),
    .help    = "named cases, each a mapping of keys of the config to values, for keys that change together",
    .example = "{coarse: {scheme.step: 1 us, time.end: 1 ms}}"},
  {"vary", NS_KEY_MAPPING, offsetof(NsStudySettings, vary),
    .help =
      "keys of the config, each with its values: a list, or a range {from: .., to: .., count: N, spacing: linear | logarithmic}; values may be whole sections",
    .example = "{scheme.step: [1 us, 2 us]}"},
  {"combine", NS_KEY_CHOICE, offsetof(NsStudySettings, combine), .choices = combines, .default_value = "grid",
    .help = "grid: each value with each of the others (the last varies fastest); zip: first with first, second with second ...", .example = "zip"},
  {"reference", NS_KEY_MAPPING, offsetof(NsStudySettings, reference),
    .help =
      "keys of the config with values; for each run, a reference run with these keys changed is made, to which `against: reference` refers; identical reference runs are made once",
    .example = "{scheme.step: 0.01 us}"},
  {"record", NS_KEY_NAMED, offsetof(NsStudySettings, record), .table = &quantity_table, .required = true, .least = 1,
    .help = "quantities recorded of each run, by name: the columns of study.csv", .example = "{loss: {summary: energy.impact}}"},
  {"convergence", NS_KEY_TABLE, offsetof(NsStudySettings, convergence), .table = &convergence_table, .help = "observed orders of recorded errors",
    .example = "{over: scheme.step}"},
  {"bifurcation", NS_KEY_TABLE, offsetof(NsStudySettings, bifurcation), .table = &bifurcation_table,
    .help    = "samples of each run over a parameter: once per period, once per revolution or at maxima",
    .example = "{over: bodies.shaft.spin, column: poincare.wheel.u2}"},
  {"sweep", NS_KEY_TABLE, offsetof(NsStudySettings, sweep), .table = &sweep_table,
    .help    = "each run starts from the last state of the one before, up and down along one key: hysteresis",
    .example = "{over: parameters.frequency}"},
  {NULL},
};

static void check_study(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsStudySettings *study = settings;
  const NsQuantity      *item  = study->record.items;

  (void)arena;
  if (!study->vary && !study->cases) NsDiagError(diag, study->where->place, "nothing is varied: a study needs `vary`, `cases` or both");
  for (int i = 0; i < study->record.count; i++) {
    if (item[i].against && !strcmp(item[i].against, "reference") && !study->reference) {
      NsDiagError(diag, NsKeysPlace(item[i].where, "against"), "there is no reference");
      NsDiagNote(diag, "define one, such as reference: {scheme.step: 0.1 us}");
    }
  }
}

const NsTable NsTable_Study = {"study", "many runs of one config", study_keys, sizeof(NsStudySettings), .check = check_study};
