/*
  Messages to the user about the input: each with file, line, column, the line itself and a caret.

  All messages of a run of the reader are collected, sorted by place and printed together:

      configs/elastic_bar.yaml:14:5: error: unknown key 'restituton' in contacts.wall; did you mean 'restitution'?
         14 |     restituton: 0.5
            |     ^~~~~~~~~~
            = valid keys: between, friction, restitution, restitution_tangential

  An error of the user is a message here and never a PETSc error; a PETSc error is a bug in percuss.
*/
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include "arena.h"

/* A text the user gave: a file, or one --set argument (its name is then "--set" and its text the assignment). Text is not owned. */
typedef struct NsSource NsSource;
struct NsSource {
  const char     *name;
  const char     *text; /* terminated by NUL */
  size_t          size;
  const char     *copy;   /* "copy 3 of balls": values that `copies` made of this text say so in messages; NULL: the text itself */
  const NsSource *origin; /* what a copy is of */
};

/* Where in it: line and column count from 1, columns in characters (UTF-8); length is what the caret underlines,
   cut at the end of the line.
   A place with source NULL has no location: the message is printed without one.
   Line 0 names the file as a whole (a file that cannot be opened, a mesh file's content). */
typedef struct {
  const NsSource *source;
  int             line, column, length;
} NsPlace;

typedef struct NsDiag NsDiag;

#define NS_DIAG_MAX_ERRORS 20 /* further ones are counted, not shown; likewise warnings */

/* The arena is not owned; it must outlive the object. */
NsDiag *NsDiagCreate(NsArena *arena);
void    NsDiagError(NsDiag *diag, NsPlace place, const char *format, ...) __attribute__((format(printf, 3, 4)));
void    NsDiagWarning(NsDiag *diag, NsPlace place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a line "= ..." below the message made last. */
void NsDiagNote(NsDiag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Errors since NsDiagCreate; printing does not reset it, so it can determine the exit code at the end. */
int NsDiagErrors(const NsDiag *diag);
/* Sorted by source, line, column; identical messages once; then clears the list (a second call prints only what is new).
   Colour when asked for. More than NS_DIAG_MAX_ERRORS: a last line counts the rest. Control characters in messages and lines are
   replaced, so a config cannot drive the terminal. */
void NsDiagPrint(NsDiag *diag, FILE *file, bool colour);
/* The number-th (from 0) of the warnings printed so far, with its place but without its line: "bar.yaml:12:7: ..."; NULL: there are no more. */
const char *NsDiagWarningPrinted(const NsDiag *diag, int number);

/* The word of the NULL-terminated list with the smallest edit distance to this one (case ignored, transpositions count once), if that is at most
   a third of the length. Otherwise the word of the list that contains this one, if this one has at least four letters and no other contains it. Else NULL. */
const char *NsNearestWord(const char *word, const char *const *words);
/* "; did you mean 'young'?", to end a message about a word that is not known, from what NsNearestWord returned; "" for NULL. Valid until the next call in this thread. */
const char *NsDidYouMean(const char *nearest);
