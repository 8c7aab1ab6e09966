/*
  Output of a run: writers, each with its own files in the directory of results.

  The loop gives every accepted state to the writers as a record of the step (NsSnapshot). A writer may `observe` each step, to sum up or to compare, and it writes a record each
  `every` steps, of the first state and of the last. With several processes all of them call every writer, so that a writer may gather what it needs; files are written by the first
  alone (src/output/file.h).

  A writer knows the directory of results (NsSink), the model and its own settings, and does not depend on the code that makes the steps. A write that fails ends the run through NsSinkFail with the
  file's name; files that are complete stay readable at any moment.

  To add a writer: src/output/NAME.c with an NsWriterType `NsWriterType_Name`, and a line in src/output/list.h, which also describes its key of `output`. Its CSV files are tables of
  columns (NsCsvType): headers, `percuss compare`, units and `percuss explain` follow from them. Memory comes from the sink's arena in `open`, so that
  nothing allocates while stepping.
*/
#pragma once
#include "archive.h"
#include "contact.h"
#include "ledger.h"
#include "settings.h"

typedef struct NsJson   NsJson;
typedef struct NsFolder NsFolder; /* src/output/folder.h */

/* ---- the directory of results ---------------------------------------------------------------------------------------------------------------------------- */

/* A list of files. */
typedef struct NsFileList NsFileList;
struct NsFileList {
  const char *path;
  NsFileList *next;
  char        hash[65]; /* SHA-256 by NsFileListHash; "": not computed yet */
  int64_t     size;     /* bytes of a table that has been closed; 0: not yet */
};

/* The directory of the results, and the first failure to write into it. */
typedef struct {
  NsArena    *arena;
  const char *name; /* of the results: names the frames */
  const char *directory;
  NsFolder   *folder;        /* the directory, open, where this process writes; NULL: not yet, see src/output/file.h */
  PetscBool   writes;        /* this process writes files and prints messages: the first */
  PetscBool   resumes;       /* a run is resumed: files are kept until NsFileSerialize truncates them */
  PetscBool   units;         /* headers of tables have units */
  double      now;           /* NsSeconds() of the present step, for rows that are to be seen soon */
  NsFileList *files;         /* what is written, within the directory; for run.json */
  char        failure[8192]; /* the first failure, with room for a path; "": none */
} NsSink;

/* Reports a failure; the first one is stored, and the run stops after the present step. */
void NsSinkFail(NsSink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* printf into the arena: "<directory>/<format...>". */
const char *NsSinkPath(const NsSink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a copy of path to a list. */
void NsFileListAdd(NsFileList **list, const char *path, NsArena *arena);
/* SHA-256 of a file. It is computed at the first call and stored, so that large meshes are read only once for it. NULL: the file cannot be read. */
const char *NsFileListHash(NsFileList *file);

/* ---- tables ----------------------------------------------------------------------------------------------------------------------------------------------- */

/* A column of a CSV file. A row is a C struct, from which each column takes its value. */
typedef struct {
  const char *name;     /* in the header; a pattern (fnmatch) where the model chooses the names */
  const char *unit;     /* SI, "" without unit; NULL: the column holds words; NS_UNIT_UNKNOWN */
  const char *meaning;  /* a phrase without full stop */
  size_t      offset;   /* of the value in the row: PetscReal, or const char * for words */
  unsigned    needs;    /* features (bits of the writer's own) that a subject must have for this column; 0: none */
  bool        optional; /* NAN leaves the field empty */
  bool        sums;     /* the value is a sum over the steps since the previous row */
  const char *
    rate; /* put in place of the part of `name` before its first wildcard, it gives the name of the column with the rate; NULL: there is no such column */
} NsColumn;
#define NS_UNIT_UNKNOWN  "?"            /* coordinates of mechanisms: by the mechanism */
#define NS_UNIT_OF_PROBE "of the probe" /* that of the subject, which is a column of history.csv: m of `bar.left.ux.max` */

/* What a row of a table is. `percuss compare` puts rows of equal times side by side, and pairs events. */
typedef enum {
  NS_CSV_STEPS,   /* a step that was recorded; the first column is the time */
  NS_CSV_EVENTS,  /* something that happened; the first column is the time */
  NS_CSV_ANALYSIS /* a mode, a speed */
} NsCsvKind;

/* A CSV file: what `percuss explain` says of it, and its columns. */
typedef struct {
  const char     *file;  /* "contacts.csv" */
  const char     *about; /* what a row is, a phrase without full stop */
  NsCsvKind       kind;
  const NsColumn *column; /* [columns, then one without name]; the first is that of the row itself: time, mode, speed */
  const char      *
    subject; /* NULL: the header has the columns as they are. Else the columns after the first `own` come once for each subject, as SUBJECT.COLUMN: "contact" */
  size_t row;    /* with subjects: offset in the row of the first subject's struct, */
  size_t stride; /* and the size of these structs */
} NsCsvType;

/* All of them: those of writers, then those of analyses. NULL behind the last. */
const NsCsvType *NsCsvTypeAt(int index);
/* By the name of the file, without folders; NULL: percuss writes no such table. */
const NsCsvType *NsCsvTypeFind(const char *file);
/* The column for a name in a header; only what follows the last dot counts: "gap" of "wall.gap". NULL: none. */
const NsColumn *NsColumnFind(const NsCsvType *type, const char *name);
/* Its unit, that of the probe where it is NS_UNIT_OF_PROBE; NULL: no such column, words, or not known. */
const char *NsColumnUnitIn(const NsCsvType *type, const char *name);

/* ---- frames ----------------------------------------------------------------------------------------------------------------------------------------------- */

typedef enum { NS_VTK_SCALARS, NS_VTK_VECTORS, NS_VTK_TENSORS, NS_VTK_INTEGERS } NsVtkKind;

/* An array of a VTK file: of each point or cell 1, 3 or 9 PetscReal (tensors row-major), or a PetscInt. */
typedef struct {
  const char *name; /* without blanks */
  NsVtkKind   kind;
  const char *unit;    /* as in NsColumn */
  const char *meaning; /* a phrase without full stop */
  size_t      offset;  /* of the pointer to its values in a struct of the writer; a pointer that is NULL leaves the array out */
} NsVtkArray;

/* A series of VTK files: what `percuss explain results` says of it, and its arrays. */
typedef struct {
  const char       *file;  /* "frames/NAME_*.vtk" */
  const char       *about; /* what its points and cells are, a phrase without full stop */
  const NsVtkArray *point; /* [then one without name] */
  const NsVtkArray *cell;  /* the same; NULL: its cells are the points */
} NsVtkType;

/* All of them, of all writers; NULL behind the last. */
const NsVtkType *NsVtkTypeAt(int index);

/* ---- writers ---------------------------------------------------------------------------------------------------------------------------------------------- */

/* The state after a step, and what led to it. */
typedef struct {
  PetscInt64 step;               /* 0 is the initial state */
  PetscReal  last_step;          /* s: length of the step that led to the state; 0 at the start */
  NsState    state;              /* as model->layout has it */
  Vec        whole_q, whole_v;   /* in natural numbers, where this is the first process and some writer needs_state; else NULL */
  Vec        acceleration;       /* M^-1 (h + W F) without impulses of impacts, as the state; NULL unless some writer needs it */
  Vec        whole_acceleration; /* the same as whole_q is */
  const NsContactReport
    *contact; /* [model->candidates]; of inactive candidates only `state` is valid (open), unless a writer with needs_contacts writes in this step */
  const NsContactReport *before; /* [model->candidates] of the step before; right for the active ones */
  PetscInt               actives;
  const PetscInt        *active; /* [actives] ascending: the candidates that are not provably open */
  const NsLedger        *ledger; /* its energies belong to this state if a writer with needs_energy writes in this step, and in the last step */
} NsSnapshot;

typedef struct NsWriter     NsWriter;
typedef struct NsCsv        NsCsv; /* src/output/csv.h */
typedef struct NsWriterType NsWriterType;

#define NS_WRITER_TABLES 2
#define NS_WRITER_SERIES 3

struct NsWriterType {
  const char      *name;
  const NsCsvType *csv[NS_WRITER_TABLES + 1]; /* its tables, then NULL. The caller opens (after `open`), serializes and closes them */
  const NsVtkType *vtk[NS_WRITER_SERIES + 1]; /* its frames, then NULL; for `percuss explain` */
  /* Whether the writer is used, if its key enables it (`every` above 0, or true). NULL: always. */
  PetscBool (*wanted)(const NsWriter *);
  /* Errors in its settings that need the model to be detected; defaults that depend on the model. NULL: none. */
  PetscErrorCode (*check)(void *settings, NsModel *model, NsArena *arena, NsDiag *diag);
  /* Bytes of one record, about, for `percuss check`. NULL: not worth counting. */
  double (*bytes)(const NsWriter *);
  PetscErrorCode (*open)(NsWriter *);                        /* NULL: nothing to do */
  PetscErrorCode (*observe)(NsWriter *, const NsSnapshot *); /* each step, before `write`. NULL: not needed */
  PetscErrorCode (*write)(
    NsWriter *, const NsSnapshot *); /* a record: each `every` steps, first and last, or when it is `due`. NULL: it writes no records */
  /* Instead of `every`: whether to write, by the clock; asked at each step. With several processes it is asked on the first one, every now and then. */
  PetscBool (*due)(NsWriter *, PetscInt64 step);
  PetscBool reports_alone;  /* reads reports of contacts, not the vectors of the state */
  PetscBool needs_energy;   /* to write: the ledger's energies */
  PetscBool needs_state;    /* to write: all of it, whole_q, whole_v */
  PetscBool needs_contacts; /* to write: the reports of all candidates, not only of the active ones */
  /* Its history between two snapshots, for checkpoints: its files (NsFileSerialize), its sums. NULL: nothing beside its tables. */
  PetscErrorCode (*serialize)(NsWriter *, NsArchive *);
  /* What it adds to the summary in run.json, also after it has been closed. NULL: nothing. */
  void (*summary)(const NsWriter *, NsJson *);
  PetscErrorCode (*close)(NsWriter *, const char *status); /* status: "done", "failed", "stopped". NULL: nothing to do */
};

/* What is passed to writers about a run. */
typedef struct {
  NsSink                 *sink;     /* not owned */
  NsModel                *model;    /* not owned */
  const NsOutputSettings *settings; /* not owned */
  PetscReal               end;      /* s */
  PetscInt64              steps;    /* planned; schemes that vary their step take more */
  PetscBool               quiet;
} NsWriterContext;

struct NsWriter {
  const NsWriterType *type;
  NsSink             *sink;     /* not owned */
  NsModel            *model;    /* not owned */
  const void         *settings; /* of its key of `output`; NULL: it has none */
  const char
      *form;  /* of what it writes, where a key chooses it, set when it is opened: a run that resumes with another begins anew; NULL: there is one */
  long every; /* steps between two records; 0: none */
  const NsWindow *window; /* records are written within; NULL: always */
  PetscReal       end;
  PetscInt64      steps;
  PetscBool       quiet;
  NsCsv          *csv; /* [NS_WRITER_TABLES], as type->csv */
  void           *data;
  PetscBool       open;
  PetscBool       not_finite;         /* set by NsWriterFinite: a record has NaN or Inf, and was left out */
  PetscBool       writes_now;         /* of the loop */
  PetscBool       needs_acceleration; /* to write: that of the snapshot; set when it is opened */
  PetscBool       restored;           /* of a run that resumes: it goes on */
};

extern const NsWriterType *const NsWriterTypes[]; /* NULL-terminated, from src/output/list.h */
extern const NsTable             NsTable_Output;

/* Errors in the settings that need the model, or the end of the run (s; 0: not known), to be detected. */
PetscErrorCode NsWritersCheck(const NsOutputSettings *settings, NsModel *model, PetscReal end, NsArena *arena, NsDiag *diag);
/* *writer: not open yet; NULL if the run does not need it. */
PetscErrorCode NsWriterCreate(const NsWriterType *type, const NsWriterContext *context, NsWriter **writer);
/* The directory must be there. */
PetscErrorCode NsWriterOpen(NsWriter *writer);
PetscErrorCode NsWriterSerialize(NsWriter *writer, NsArchive *archive);
/* The same of all, by their names: reading, those that the archive does not have begin anew, and what it has of others is left out. */
PetscErrorCode NsWritersSerialize(int writers, NsWriter *const *writer, NsArchive *archive);
/* What is still in buffers is written, or NsSinkFail is called. Does nothing to a writer that is not open. Its memory is the arena's. */
PetscErrorCode NsWriterClose(NsWriter *writer, const char *status);
