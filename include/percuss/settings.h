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

enum { NS_ON_EXCEED_WARN, NS_ON_EXCEED_STOP };

typedef struct {
  const NsNode *where;
  double        energy;      /* J/J */
  double        penetration; /* m; 0: not given */
  int           on_exceed;   /* NS_ON_EXCEED_WARN, NS_ON_EXCEED_STOP */
} NsLimitsSettings;

typedef struct {
  const NsNode *where;
  long          every;
} NsEverySettings;

typedef struct {
  const NsNode *where;
  long          every;
  NsStrings     probes;
} NsHistorySettings;

/* A place along a rotor whose orbit is recorded. */
typedef struct NsStationSettings {
  const NsNode *where;
  const char   *at;          /* "shaft.left", "shaft@180 mm" */
  double        offset[3];   /* from there to the place, by a rigid arm, m */
  const char   *relative_to; /* NULL: the orbit is in space */
} NsStationSettings;

typedef struct {
  const NsNode *where;
  long          every;
  NsList        stations; /* NsStationSettings by name */
} NsOrbitsSettings;

typedef struct {
  const NsNode            *where;
  const char              *directory; /* NULL: out/<config's name> */
  const NsEverySettings   *frames;    /* VTK; every 0 switches off */
  const NsHistorySettings *history;
  const NsEverySettings   *contacts;
  const NsEverySettings   *energy;
  const NsOrbitsSettings  *orbits;
  bool                     events;
  double                   checkpoints; /* s of wall time between two; 0: none but when the run is stopped */
} NsOutputSettings;

typedef struct {
  const NsNode *where;
  double        point[3], normal[3], velocity[3];
} NsPlaneSettings;

typedef struct NsSpin NsSpin; /* core/spin.h */

enum { NS_INSIDE, NS_OUTSIDE };

/* A cylinder or a sphere (without axis and spin), fixed in space or carried by a body. */
typedef struct {
  const NsNode *where;
  double        center[3]; /* where it is fixed */
  const char   *on;        /* node that carries it, by a rigid arm `offset`; NULL: fixed */
  double        offset[3];
  double        axis[3];
  double        radius;
  int           side; /* on which the other partner is: NS_INSIDE, NS_OUTSIDE */
  const NsSpin *spin; /* about the axis; NULL: none */
} NsRoundSettings;

/* One side of a contact: named nodes of a body, or a surface. */
typedef struct {
  const NsNode          *where;
  const char            *node;   /* "bar.left" */
  double                 radius; /* of a ball or journal around it */
  double                 offset[3];
  const NsPlaneSettings *plane;
  const NsRoundSettings *cylinder, *sphere;
} NsPartnerSettings;

typedef struct {
  const NsNode *where;
  NsList        between;       /* of NsPartnerSettings, two */
  double        normal[3];     /* node against node: from the first to the second; zero: the axis of the first body */
  double        gap_offset;    /* added to the geometric gap, m */
  double        gap_tolerance; /* a gap up to this is closed, m */
  double        restitution, restitution_tangential, friction;
} NsContactSettings;

typedef struct {
  const NsNode           *where;
  const char             *title;
  double                  gravity[3];
  NsList                  bodies;                                                        /* NsChosen by name */
  NsList                  supports, springs, bearings, masses, discs, unbalances, loads; /* by name; structs in src/fe */
  int                     start;                                                         /* 0 as given, 1 static */
  int                     free_dynamics;                                                 /* 0 auto, 1 lumped, 2 banded, 3 petsc */
  bool                    solves_stiffness; /* no key: the scheme solves with more than the mass matrix */
  NsList                  contacts;         /* NsContactSettings by name */
  NsChosen                scheme;
  const NsTimeSettings   *time;
  const NsLimitsSettings *limits;
  const NsOutputSettings *output;
} NsConfig;

extern const NsTable NsTable_Config;
