/*
  What a run left in its directory, read back: run.json, config.yaml and its tables.

  Also of runs that failed, were stopped or killed, or are still running: what is there, is read.
*/
#pragma once
#include "percuss/tree.h"
#include "table.h"

typedef struct {
  const char   *directory; /* as given, without what was given behind it */
  const NsNode *manifest;  /* run.json */
  const NsNode *config;    /* config.yaml; NULL if it is missing */
  const char   *name;      /* of the config: names the files */
  const char   *status;    /* "done", "failed", "stopped", "running", or "killed": run.json says "running", but the process has ended */
} NsRunRecord;

/* path: the directory, or the run.json or config.yaml in it. NULL after an error in diag. */
NsRunRecord *NsRunRecordRead(const char *path, NsArena *arena, NsDiag *diag);
/* Values of run.json by their path, "summary.energy.kinetic"; NAN and NULL where they are not there, or null. */
double      NsRunRecordNumber(const NsRunRecord *record, const char *path);
const char *NsRunRecordText(const NsRunRecord *record, const char *path);
/* The node at a dotted path, or NULL. */
const NsNode *NsRunRecordNode(const NsNode *root, const char *path);
/* Whether a table is as the run left it, by its size in run.json; "" or why not, as a sentence with its path. Results of earlier versions do not record it. */
const char *NsRunRecordCheck(const char *directory, const NsNode *manifest, const char *file, NsArena *arena);
/* One of its tables ("history.csv"), as the run left it. NULL, without an error, if the run has no such table. */
NsResultTable *NsRunRecordTable(const NsRunRecord *record, const char *file, NsArena *arena, NsDiag *diag);
