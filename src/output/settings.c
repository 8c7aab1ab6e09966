/* The mapping `output` of a config, made from the list of writers. */
#include "settings.h"
#include <stddef.h>
#include "percuss/output.h"

static const NsKey every_keys[] = {
  {"every", NS_KEY_INTEGER, offsetof(NsEverySettings, every), .required = true, .minimum = "0",
    .help = "number of steps between two outputs; 0: no output", .example = "20"},
  NS_WINDOW_KEYS(NsEverySettings, "rows are written"),
  {NULL},
};

void NsEveryCheck(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsEverySettings *every = settings;

  (void)arena;
  NsWindowCheck(&every->window, every->where, diag);
}
const NsTable NsTable_Every = {"every", "an output", every_keys, sizeof(NsEverySettings), .check = NsEveryCheck};

#define NS_WRITER(Name, key, table, default_text, help_text, example_text) extern const NsTable table;
#define NS_WRITER_SWITCH(Name, key, default_text, help_text, example_text)
#define NS_WRITER_ALWAYS(Name)
#include "list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH

static const NsKey output_keys[] = {
  {"directory", NS_KEY_STRING, offsetof(NsOutputSettings, directory), .help = "directory of the results; default: out/NAME", .example = "out/trial"},
#define NS_WRITER(Name, key, its_table, default_text, help_text, example_text) \
  {#key, NS_KEY_TABLE, offsetof(NsOutputSettings, key), .table = &its_table, .default_value = default_text, .help = help_text, \
    .example = example_text},
#define NS_WRITER_SWITCH(Name, key, default_text, help_text, example_text) \
  {#key, NS_KEY_BOOLEAN, offsetof(NsOutputSettings, key), .default_value = default_text, .help = help_text, .example = example_text},
#include "list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH
#undef NS_WRITER_ALWAYS
  {"checkpoints", NS_KEY_NUMBER, offsetof(NsOutputSettings, checkpoints), .dimension = NS_DIM_TIME, .default_value = "10 min", .minimum = "0",
    .help = "wall-clock time between two checkpoints, from which `percuss run --resume` continues; 0: only at its end, and when the run is stopped",
    .example = "1 min"},
  {"units", NS_KEY_BOOLEAN, offsetof(NsOutputSettings, units), .default_value = "false",
    .help    = "write the unit after each name in the headers of tables, as in `bar.left.ux [m]`; all percuss programs read both forms",
    .example = "true"},
  {NULL},
};

static void check_output(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsOutputSettings *output = settings;

  (void)arena;
  if (output->directory && !*output->directory) NsDiagError(diag, NsKeysPlace(output->where, "directory"), "directory must not be empty");
}
const NsTable NsTable_Output = {"output", "output of a run", output_keys, sizeof(NsOutputSettings), .check = check_output};
