/*
  Many runs of one config: what a study file says, its runs, and what is measured of each.

      settings.c   the key tables of a study file
      rows.c       axes -> runs, each a list of values for keys of the config
      examine.c    every run's config is checked, and gets its fingerprint, before the first is started
      pool.c       runs in processes of their own
      signal.c     columns of a run's tables over time
      values.c     what is taken of them: final, max, rms ...
      quantity.c   the quantities of `record`, measured and checked
      orders.c     how errors fall: observed orders of convergence
      samples.c    bifurcation and Poincare data
      sweep.c      runs that start from the last state of the run before
      results.c    study.csv, study.json ... and the table on the terminal

  The process that reads the study never starts PETSc: runs and examination are forked from it.
*/
#pragma once
#include "core/arena_stream.h"
#include "core/decimal.h"
#include "core/text.h"
#include "percuss/run.h"
#include "results/table.h"

/* The statistic of a quantity: NsValue_final, ..., in the order of values.h. */
enum {
#define NS_VALUE(word, kind) NS_VALUE_##word,
#include "values.h"
#undef NS_VALUE
};

/* One quantity of `record`. */
typedef struct {
  const NsNode *where;
  NsStrings     column;  /* "contacts.wall.force": table, then the column's heading there */
  const char   *summary; /* path within the summary of run.json, or within run.json */
  const char   *event;   /* kind of event */
  const char   *contact; /* of events: NULL counts all contacts */
  int           value;   /* NS_VALUE_final ... */
  double        from, to, every;
  const char   *against; /* "reference", a number, or NULL */
  NsNumbers     exact;   /* [[t, x], ...] */
  bool          relative;
} NsQuantity;

enum { NS_GRID, NS_ZIP };
enum { NS_FINER_SMALLER, NS_FINER_LARGER };
enum { NS_SAMPLE_ROWS, NS_SAMPLE_PERIOD, NS_SAMPLE_TURN, NS_SAMPLE_MAXIMA };

typedef struct {
  const NsNode *where;
  const char   *over;
  NsStrings     of, by;
  int           finer;
} NsConvergence;

typedef struct {
  const NsNode *where;
  const char   *over;
  NsStrings     column;
  int           at;
  double        period, after;
} NsBifurcation;

enum { NS_SWEEP_UP_AND_DOWN, NS_SWEEP_DOWN_AND_UP, NS_SWEEP_UP, NS_SWEEP_DOWN };

typedef struct {
  const NsNode *where;
  const char   *over;
  int           direction; /* NS_SWEEP_... */
} NsSweep;

typedef struct {
  const NsNode        *where;
  const char          *title, *config;
  const NsNode        *set, *cases, *vary, *reference;
  int                  combine;
  NsList               record; /* NsQuantity by name */
  const NsConvergence *convergence;
  const NsBifurcation *bifurcation;
  const NsSweep       *sweep;
} NsStudySettings;

extern const NsTable NsTable_Study;

/* What is varied: a key, or the named cases. */
typedef struct {
  const char    *key; /* "scheme.step", or "case" */
  const NsNode  *where;
  int            count;
  const NsNode **value;      /* [count]; of cases: the mapping of each */
  const char   **text;       /* [count] on one line, as the user wrote it; a section's type, a case's name */
  double        *number;     /* [count] SI; NULL if some value is not a number, or they have several dimensions */
  const char    *unit;       /* SI, of numbers */
  const char    *shown;      /* the unit in which all values are written, for figures; "": they differ, or it is `unit` */
  double         shown_size; /* of this unit in SI */
  bool           spread;     /* logarithmically: for figures */
  int            turn;       /* of a sweep: the values from this one on are the way back; `count`: there is none. Else 0 */
} NsAxis;

typedef enum { NS_ROW_MISSING, NS_ROW_DONE, NS_ROW_FAILED } NsRowState;

/* One run: a row of study.csv, or a reference. */
typedef struct {
  int        *choice; /* [axes] which value of each; NULL for references */
  int         grafts;
  NsRunGraft *graft;     /* [grafts] in the order of setting */
  int         reference; /* its number among the runs; -1: none */
  int         after;     /* the run from whose last state it starts, a row before it; -1: none */
  char        fingerprint[65];
  int         same;      /* the first run with this fingerprint, whose results are used for this one, too */
  const char *name;      /* of the folder of its results, within runs: set by NsStudyNameFolders */
  const char *directory; /* and its path */
  NsRowState  state;
  const char *message; /* why it failed; "" */
  double      seconds; /* of wall time */
  double     *result;  /* [record.count]; NAN: none */
} NsStudyRun;

typedef struct {
  NsArena        *arena;
  NsDiag         *diag;
  const char     *path, *name; /* of the study file; without folder and .yaml */
  const char     *config;      /* path that can be opened */
  const char     *directory;   /* of the results */
  NsSink         *sink;        /* the same, once it has been taken */
  NsStudySettings settings;
  int             axes;
  NsAxis         *axis;
  int             rows, runs; /* runs: rows, then references */
  NsStudyRun     *run;        /* [runs] */
  NsRunOptions    options;    /* what all runs share */
} NsStudy;

/* Reads the file and makes its runs; false: errors are in diag. */
bool NsStudyRead(NsStudy *study);
/* sweep.c: orders the values of the axis that is swept, up and back. False: errors are in diag. */
bool NsStudyMakeSweep(NsStudy *study);
/* The run from whose last state this row starts; -1: none. */
int NsStudyPredecessor(const NsStudy *study, int row);
/* rows.c: axes and runs, from settings. */
bool NsStudyMakeRuns(NsStudy *study);
/* "case=fine, scheme.step=0.5 us"; "reference 1". */
const char *NsStudyRunName(const NsStudy *study, int run);
/* Of the row of a sweep: "up" or "down"; NULL: the study is not a sweep. */
const char *NsStudyDirection(const NsStudy *study, int row);
/* The number that a run has for this key, SI; NAN: none. text, unless NULL: as the user wrote it. */
double NsStudyNumber(const NsStudy *study, int run, const char *key, const char **text);
/* The axis that sets this key, -1: none. */
int NsStudyAxisOf(const NsStudy *study, const char *key);
/* Options of a run as `percuss run` would have them. */
NsRunOptions NsStudyRunOptions(const NsStudy *study, int run);

/* (in a process with PETSc) Checks each run as `percuss check` does, up to the first with an error, after a message. Sets fingerprints. */
PetscErrorCode NsStudyExamine(NsStudy *study, bool *good);

/* Names and paths of the runs' folders, from their fingerprints: those that exist keep their names. Finds runs that are the same. */
void NsStudyNameFolders(NsStudy *study);

/* Processes.
   work(context, number) is what each does, and its exit code; its output goes to the file that log(context, number) opens. Ended: called in the parent with the exit code, or minus the signal.
   After SIGINT or SIGTERM no more are started, and the signal is forwarded; a second one kills. Returns the signal, or 0. */
typedef struct {
  int       jobs;
  PetscBool quiet;
  void     *context;
  int (*work)(void *context, int number);
  int (*log)(void *context, int number); /* a file, open for writing; below 0: none */
  void (*ended)(void *context, int number, int code);
  /* Whether it may start: 1 yes, 0 not yet, -1 never. NULL: all may. */
  int (*ready)(void *context, int number);
  const char *name; /* on the progress line */
} NsPool;
int NsPoolRun(const NsPool *pool, int count, const int *numbers);
/* Forks, calls, waits: the exit code, or minus the signal. */
int NsPoolCall(int (*work)(void *context), void *context);

/* signal.c */

/* The directory of a run, and the tables that were read from it: each is read once. */
typedef struct {
  const char          *directory;
  NsArena             *arena;
  int                  count;
  const NsResultTable *table[16]; /* [count] */
} NsRunFiles;
NsRunFiles *NsRunFilesOpen(const char *directory);
void        NsRunFilesClose(NsRunFiles **files);
/* NULL: it cannot be read. */
const NsResultTable *NsRunFilesTable(NsRunFiles *files, const char *name);

enum { NS_MOST_SIGNALS = 16 };
typedef struct {
  long     rows;
  int      columns; /* at most NS_MOST_SIGNALS */
  double  *time;    /* [rows] */
  double **value;   /* [columns][rows]; states of contacts: 0 open, 1 not */
} NsSignal;
/* values.c: the words of values.h, with a function each. Events have rows, and no columns. */
typedef struct {
  const char *word;
  enum { NS_VALUE_OF_COLUMN, NS_VALUE_OF_NORM, NS_VALUE_OF_EVENTS } kind;
  double (*take)(const NsSignal *signal);
} NsStudyValue;
extern const NsStudyValue NsStudyValues[];     /* by number */
extern const char *const  NsStudyValueWords[]; /* the same, NULL-terminated */

/* "poincare.right.u2" -> file "poincare.csv", heading "u2", rows of station "right"; false: no such table. */
typedef struct {
  const char *file, *heading, *station;
} NsColumnName;
bool NsColumnNameRead(const char *text, NsArena *arena, NsColumnName *name);
/* The tables of a run whose columns can be recorded, NULL-terminated: all but events.csv, which `event` is for. */
const char *const *NsColumnTables(NsArena *arena);
/* Headings of a table, NULL-terminated; NULL: it cannot be read. */
const char **NsSignalHeadings(const char *path, NsArena *arena);
/* Columns of one table of a run. NULL, or why not. */
const char *NsSignalRead(NsRunFiles *files, int count, const char *const *columns, NsArena *arena, NsSignal *signal);
/* Rows from `from` to `to`. */
void NsSignalCut(NsSignal *signal, double from, double to);
/* At these times, by straight lines; beyond its ends as there. */
void NsSignalAt(const NsSignal *signal, long count, const double *time, NsArena *arena, NsSignal *result);
/* At equal intervals, from `from` to `to` or its end. NULL, or why not: that would be too many. */
const char *NsSignalEvery(NsSignal *signal, double from, double to, double interval, NsArena *arena);

/* quantity.c: of one run (and its reference, where it has one, else NULL); NAN without a value, with a reason. */
double NsQuantityMeasure(const NsQuantity *quantity, NsRunFiles *run, NsRunFiles *reference, NsArena *arena, const char **why);
/* Unit of the quantity, such as "J"; "": none, or not known. */
const char *NsQuantityUnit(const NsQuantity *quantity, NsArena *arena);
/* Reports errors in `column`, `summary`, `contact` that can only be found with a run; the directory holds its tables, empty. */
void NsQuantityCheck(const NsStudy *study, const char *directory, NsRun *run, NsDiag *diag);

/* orders.c: writes convergence.csv, and prints its tables. False: cannot write. */
bool NsStudyOrders(const NsStudy *study, FILE *out);
/* Finds two rows of one sequence with the same value of the refined key, between which there is no order. */
bool NsOrdersRepeat(const NsStudy *study, int *first, int *second);
/* Observed orders of errors over h, finest last: pair[k] between k and k + 1. fit: least squares over the longest stretch of at least two pairs whose orders differ by
   less than a quarter (first..last), over all pairs if there is no such stretch. NAN if errors are not positive. */
typedef struct {
  double *pair; /* [count - 1] */
  double  fit;
  int     first, last;
  bool    asymptotic; /* such a stretch was found */
} NsOrders;
void NsOrdersFit(int count, const double *h, const double *error, NsOrders *orders);

/* samples.c: writes bifurcation.csv. */
bool NsStudySamples(const NsStudy *study, FILE *out);
/* Indices of local maxima; returns how many. Of a flat top the first row counts. */
long NsLocalMaxima(long count, const double *x, long *index);

/* results.c */

/* study.json: the study of this directory, and the data for postprocess/study.py. */
bool NsStudyDescribe(const NsStudy *study);
/* study.csv, times.csv */
bool NsStudyWrite(const NsStudy *study);
void NsStudyPrint(const NsStudy *study, FILE *out);
/* Whether run.json in this directory says that the run is done or failed, with its failure; one that stopped or was killed is missing. */
NsRowState NsStudyLook(const char *directory, NsArena *arena, const char **message, double *seconds);
/* Removes what a run that is done has left of its list of files, if it was killed while it wrote that at last (NsFolderLock). */
void NsStudyTidy(const char *directory);
/* The number of runs in the directory that belong to no row any more, because the study has changed; removes them if `remove`. */
int NsStudyOldRuns(const NsStudy *study, bool remove);
/* A file made by one call, whole or not at all: printf into it, then close. */
typedef struct {
  FILE          *file;
  const NsStudy *study;
  const char    *name;
  NsArenaStream  stream;
} NsStudyFile;
void NsStudyFileOpen(NsStudyFile *file, const NsStudy *study, const char *name);
bool NsStudyFileClose(NsStudyFile *file);
