/*
  A CSV file that is being written, as its NsCsvType says: header and rows.
*/
#pragma once
#include "file.h"

#define NS_CSV_NUMBER 21.0 /* bytes of a number and its comma, about */

/* One of those that the columns of a table come once for: a contact, a station. Of a table without subjects: its own features, as one subject. */
typedef struct {
  const char *name;
  unsigned    has; /* features that columns may need */
} NsSubject;

typedef struct {
  size_t    offset; /* in the row */
  PetscBool word, optional;
} NsCsvField;

struct NsCsv {
  NsFile           file;
  const NsCsvType *type; /* NULL: not open */
  PetscInt         fields;
  NsCsvField      *field; /* [fields] */
};

/* Writes the header, and lists the file in the sink. subject[subjects], NULL: a table without subjects and features. The type is not copied. */
void NsCsvOpen(NsCsv *csv, NsSink *sink, const NsCsvType *type, PetscInt subjects, const NsSubject *subject);
/* Bytes of a row: what the caller has to allocate. */
size_t NsCsvRowSize(const NsCsvType *type, PetscInt subjects);
void   NsCsvRow(NsCsv *csv, const void *row);
void   NsCsvClose(NsCsv *csv);
