/*
  The mapping `output` of a config, typed. The key of each writer is in list.h, its table beside the writer.
*/
#pragma once
#include "percuss/settings.h"

struct NsOutputSettings {
  const NsNode *where;
  const char   *directory;   /* NULL: out/<config's name> */
  bool          units;       /* in the headers of tables */
  double        checkpoints; /* s of wall time between two; 0: none but when the run is stopped */
  /* A field for each writer with a key: `const void *frames`, the struct of its table, or `bool events`. */
#define NS_WRITER(Name, key, table, default_text, help_text, example_text) const void *key;
#define NS_WRITER_SWITCH(Name, key, default_text, help_text, example_text) bool key;
#define NS_WRITER_ALWAYS(Name)
#include "list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH
#undef NS_WRITER_ALWAYS
};

/* What the settings of every writer with a mapping begin with; alone: NsTable_Every. */
typedef struct {
  const NsNode *where;
  long          every;  /* steps between two records; 0: the writer is off */
  NsWindow      window; /* of the records */
} NsEverySettings;

typedef struct {
  const NsNode *where;
  long          every;
  NsWindow      window;
  int           format; /* position in NsVtkFormatNames (vtk.h) */
} NsFramesSettings;

typedef struct {
  const NsNode *where;
  long          every;
  NsWindow      window;
  NsStrings     probes;
  NsList        gauges; /* NsGaugeSettings by name */
  bool          accelerations, principal_directions;
  double        on_change; /* 0: every row */
} NsHistorySettings;

typedef struct {
  const NsNode *where;
  long          every;
  NsWindow      window;
  NsList        stations; /* NsStationSettings by name */
} NsOrbitsSettings;

extern const NsTable NsTable_Every;

static inline const NsStrings *NsHistoryProbes(const NsOutputSettings *output)
{
  return &((const NsHistorySettings *)output->history)->probes;
}

static inline const NsList *NsOrbitStations(const NsOutputSettings *output)
{
  return &((const NsOrbitsSettings *)output->orbits)->stations;
}

/* The keys of a writer's own table, whose struct T begins as NsEverySettings; NsEveryCheck is part of the table's check. */
#define NS_EVERY_KEY(T) \
  {"every", NS_KEY_INTEGER, offsetof(T, every), .default_value = "1", .minimum = "0", .help = "number of steps between two rows; 0: no output", \
    .example = "1"}, \
    NS_WINDOW_KEYS(T, "rows are written")

void NsEveryCheck(const void *settings, NsArena *arena, NsDiag *diag);
