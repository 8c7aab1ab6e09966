/*
  The config, typed: what the reader makes of a YAML file. Fields have the names of the keys; the tables (src/run/settings.c, and beside
  each body, scheme, law ...) hold their meaning, units, ranges and defaults.
*/
#pragma once
#include "keys.h"
#include "core/window.h"

typedef struct {
  const NsNode *where;
  double        end; /* s */
} NsTimeSettings;

enum { NS_ON_EXCEED_WARN, NS_ON_EXCEED_STOP };

typedef struct {
  const NsNode *where;
  double        energy;      /* J/J */
  double        rotation;    /* rad */
  double        stretch;     /* m/m */
  double        sliding;     /* m/m */
  double        penetration; /* m; 0: not given */
  int           on_exceed;   /* NS_ON_EXCEED_WARN, NS_ON_EXCEED_STOP */
} NsLimitsSettings;

/* What `percuss orbit` computes. */
typedef struct {
  const NsNode *where;
  const char   *key, *from, *to;
} NsOrbitOverSettings;

typedef struct {
  const NsNode              *where;
  long                       times, settle, points;
  double                     forcing_period; /* s; 0: that of the loads */
  double                     step;
  const NsOrbitOverSettings *over;     /* NULL: one orbit */
  NsStrings                  follow;   /* key `switch` */
  long                       starts;   /* number of further initial states that are tried */
  bool                       circular; /* equilibrium in a turning frame */
} NsOrbitSettings;

/* A point along a rotor whose orbit is recorded. */
typedef struct NsStationSettings {
  const NsNode *where;
  const char   *at;          /* "shaft.left", "shaft@180 mm" */
  double        offset[3];   /* m: rigid arm from there to the station */
  const char   *relative_to; /* NULL: the orbit is in space */
} NsStationSettings;

/* A strain gauge: the strain at a point along a direction. */
typedef struct NsGaugeSettings {
  const NsNode *where;
  const char   *at;           /* a point of a solid or of a line body */
  double        direction[3]; /* of the (first) grid; 0: not given */
  double        normal[3];    /* of the surface that a rosette is on; 0: not given */
  int           rosette;      /* index in NsRosettes */
  NsNumbers     fibre;        /* m: of beams, along axes 2 and 3 of the section; no rows: on the axis */
} NsGaugeSettings;
enum { NS_ROSETTE_NONE, NS_ROSETTE_RECTANGULAR, NS_ROSETTE_DELTA };

typedef struct NsSpringLawSettings NsSpringLawSettings; /* src/fe/forces/spring.c */

/* What force elements and loads of any model are made of; their key tables are in src/fe. */
typedef struct {
  const NsNode              *where;
  NsStrings                  between;
  double                     stiffness, damping;
  double                     direction[3];
  double                     length;    /* free length, m: of springs between bodies */
  double                     anchor[3]; /* position in space that `ground` stands for, m; for springs between bodies */
  const NsSpringLawSettings *law;       /* of finite elements; NULL: linear */
  NsWindow                   window;
} NsSpringSettings;

typedef struct NsTimeFunction NsTimeFunction; /* src/core/timefunction.h */

typedef struct {
  const NsNode         *where;
  NsStrings             at;
  const char           *on, *vector; /* vector: a file; NULL: none */
  double                force[3], moment[3], force_per_length[3], traction[3];
  double                pressure; /* Pa */
  bool                  rotating;
  const NsTimeFunction *time;
  NsWindow              window;
} NsLoadSettings;

enum {
  NS_START_AS_GIVEN,
  NS_START_STATIC,
  NS_START_STATIC_FRICTION,
  NS_START_SYNCHRONOUS
}; /* all except the first begin with the static equilibrium */
#define NS_START_WORDS \
  { \
    "as_given", "static", "static_friction", "synchronous", NULL \
  }
static inline const char *NsStartWord(int state)
{
  static const char *const words[] = NS_START_WORDS;

  return words[state];
}
typedef struct {
  const NsNode *where;
  int           state; /* NS_START_... */
  const char   *from;  /* directory of results; NULL: none */
  double        at;    /* s; < 0: the last state */
} NsStartSettings;

typedef struct {
  const NsNode *where;
  double        tolerance; /* m */
} NsAssemblySettings;

typedef struct NsOutputSettings NsOutputSettings; /* src/output/settings.h */

#define NS_CONFIG_KINDS 16 /* most kinds of force elements, and of attachments */

typedef struct {
  const NsNode             *where;
  NsStrings                 include;             /* none: the reader has merged them */
  const NsNode             *parameters;          /* NULL: the reader has put them in place */
  NsList                    copies;              /* none: the reader has made them */
  NsList                    materials, sections; /* by name: libraries for those of bodies */
  const char               *title;
  double                    gravity[3];
  NsList                    bodies;                       /* NsChosen by name */
  NsList                    base;                         /* NsMotionPart (src/core/motion.h) */
  NsList                    supports;                     /* by name; struct in src/fe/attach/supports.c */
  NsList                    forces[NS_CONFIG_KINDS];      /* by name, a list of each force element: its place in src/fe/forces/list.h, */
  NsList                    attachments[NS_CONFIG_KINDS]; /* and of each attachment: in src/fe/attach/list.h */
  NsList                    joints, drives;               /* NsChosen and structs of src/multibody, by name */
  const NsAssemblySettings *assembly;
  const NsStartSettings    *start;
  int                       free_dynamics;     /* 0 auto, 1 lumped, 2 banded, 3 petsc */
  NsList                    links;             /* by name; struct in src/fe/attach/links.c */
  NsList                    ties;              /* by name; struct in src/fe/surface/ties.c */
  NsList                    contacts;          /* NsContactSettings (src/contact/settings.h) by name */
  NsList                    contact_materials; /* NsMaterialPairSettings, in any order */
  NsChosen                  scheme;
  const NsTimeSettings     *time;
  const NsLimitsSettings   *limits;
  const NsOrbitSettings    *orbit;
  const NsOutputSettings   *output;
} NsConfig;
