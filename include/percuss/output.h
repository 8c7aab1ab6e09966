/*
  What is kept of a run: writers, each with its own file in the run's directory.

  The loop offers every accepted state to every writer; a writer takes what is due to it (its own `every`) and always the first and the last.
  With several processes all of them call every writer, so that a writer may gather what it needs; files are written by the first alone (src/output/file.h sees to that).

  A write that fails ends the run through NsRunFail with the file's name; files that are complete stay readable at any moment.

  A new writer: src/output/NAME.c with an NsWriterType `NsWriterType_Name`, and a line NS_WRITER(Name) in src/output/list.h. Writers are opened and
  closed in the order of the list. Mistakes of the machine (disk full) go to NsRunFail and never to the return code; memory comes from the
  run's arena in `open`, so that nothing allocates while stepping.
*/
#pragma once
#include "scheme.h"

typedef struct NsRun    NsRun;
typedef struct NsWriter NsWriter;

typedef struct {
  PetscInt64 step;             /* 0 is the initial state */
  NsState    state;            /* as model->layout has it */
  Vec        whole_q, whole_v; /* in natural numbers, where this is the first process and some writer needs_state; else NULL */
  const NsContactReport
    *contact; /* [model->candidates]; of those that are not near only the state is right, open, unless a writer needs_contacts now */
  const NsContactReport *before; /* [model->candidates] of the step before; right for those that are near */
  PetscInt               nears;
  const PetscInt        *near;   /* [nears] ascending: the candidates that are not provably open */
  const NsLedger        *ledger; /* its energies are of this state when a writer that needs them takes it, and at the last */
  PetscBool              first, last;
  PetscBool              again; /* seen by every writer that was due; now it turns out to be the last: those that were not, write it */
} NsSnapshot;

typedef struct {
  const char *name;
  /* Whether this run wants the writer at all. */
  PetscBool (*wanted)(const NsRun *);
  PetscErrorCode (*open)(NsWriter *);
  /* True when this writer takes this snapshot: asked once for it, before the ledger is closed. A writer may take a snapshot only to sum or compare. */
  PetscBool (*due)(const NsWriter *, PetscInt64 step, PetscBool last);
  PetscBool reports_alone; /* looks at reports of contacts, not at the state's vectors */
  PetscBool needs_energy;
  PetscBool needs_state; /* all of it: whole_q, whole_v */
  PetscBool by_clock;    /* `due` looks at the clock; with several processes it is asked on the first one, every now and then */
  /* NULL, or: true when it wants the reports of all candidates, not only of those that are near. */
  PetscBool (*needs_contacts)(const NsWriter *, PetscInt64 step, PetscBool last);
  PetscBool sums; /* due every step, for what it sums up; writes rows of its own choice */
  /* A snapshot that comes `again` goes only to writers that were not due to it, and to those that sum. */
  PetscErrorCode (*write)(NsWriter *, const NsSnapshot *);
  /* What it remembers between two snapshots, for checkpoints: its files (NsFileRemember), its sums. NULL: nothing. */
  PetscErrorCode (*remember)(NsWriter *, NsMemory *);
  PetscErrorCode (*close)(NsWriter *);
} NsWriterType;

struct NsWriter {
  const NsWriterType *type;
  NsRun              *run; /* not owned */
  void               *data;
  PetscBool           takes; /* the loop's: the present snapshot */
};

extern const NsWriterType *const NsWriterTypes[];  /* NULL-terminated, from src/output/list.h */
extern const NsWriterType *const NsWriterManifest; /* the one of them that writes run.json */

/* Opens: the run's directory must be there. */
PetscErrorCode NsWriterCreate(const NsWriterType *type, NsRun *run, NsWriter **writer);
/* Closes: what is still in buffers is written, or NsRunFail is called. Destroy all writers before run->exit is looked at. */
PetscErrorCode NsWriterDestroy(NsWriter **writer);
/* Those in run->writer, in the order in which they were opened. */
PetscErrorCode NsWritersClose(NsRun *run);
/* For NsLastWords (src/core/out_of_memory.h), context: the run, whose directory may be there. Its writers are closed, and run.json says that it failed for want of memory. */
void NsWritersLastWords(void *run);
