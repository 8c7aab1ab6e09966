/*
  The config, typed: what the reader makes of a YAML file. Fields have the names of the keys; the tables (src/core/settings.c, and beside
  each body, scheme, law ...) hold their meaning, units, ranges and defaults.
*/
#pragma once
#include "keys.h"

typedef struct {
  const NsNode *where;
  double        end; /* s */
} NsTimeSettings;

typedef struct {
  const NsNode *where;
  long          every;
} NsEverySettings;

typedef struct {
  const NsNode *where;
  long          every;
  NsStrings     probes;
} NsHistorySettings;

typedef struct {
  const NsNode            *where;
  const char              *directory; /* NULL: out/<config's name> */
  const NsEverySettings   *frames;    /* VTK; every 0 switches off */
  const NsHistorySettings *history;
  const NsEverySettings   *contacts;
  const NsEverySettings   *energy;
  bool                     events;
} NsOutputSettings;

/* One side of a contact: named nodes of a body, or a fixed surface. */
typedef struct {
  const NsNode *where;
  double        point[3], normal[3], velocity[3];
} NsPlaneSettings;

typedef struct {
  const NsNode          *where;
  const char            *node; /* "bar.left" */
  const NsPlaneSettings *plane;
} NsPartnerSettings;

typedef struct {
  const NsNode *where;
  NsList        between;    /* of NsPartnerSettings, two */
  double        normal[3];  /* node against node: from the first to the second; zero: the axis of the first body */
  double        gap_offset; /* added to the geometric gap, m */
  double        restitution, restitution_tangential, friction;
} NsContactSettings;

typedef struct {
  const NsNode           *where;
  const char             *title;
  double                  gravity[3];
  NsList                  bodies;                           /* NsChosen by name */
  NsList                  supports, springs, masses, loads; /* by name; structs in src/fe */
  NsList                  contacts;                         /* NsContactSettings by name */
  NsChosen                scheme;
  const NsTimeSettings   *time;
  const NsOutputSettings *output;
} NsConfig;

extern const NsTable NsTable_Config;
