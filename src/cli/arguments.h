/*
  The words after a command that works on a config: the config, known options, and PETSc's options after "--".
*/
#pragma once
#include <stdio.h>
#include "percuss/run.h"

/* An option with a value that one command has for itself: {"--count", "N"}. The value given stands in `value` afterwards, else NULL. */
typedef struct {
  const char *name, *stands_for, *value;
} NsCommandOption;

/* The frame of a command that works on a config: reads its words, starts PETSc (numbers in the C locale), calls work, reports options after "--"
   that nothing took (a mistyped one would change nothing silently), ends PETSc. Returns the exit code that work left in *code.
   own: options of this command with a value, ended by a name NULL; or NULL. check, if not NULL, judges their values before PETSc starts; false
   after a message. */
int NsCommandOnConfig(int argc, char **argv, const char *const *allowed, NsCommandOption *own, bool (*check)(void),
  PetscErrorCode (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code));

/* The words of a command that works on results and not on a config: at most `most` that are no option, with their count in *words, and options of its own, as
   above. False after a message on stderr. Starts nothing. */
bool NsCommandWords(int argc, char **argv, NsCommandOption *own, int most, const char **word, int *words);

/* The same of a command that works on a file of another kind ("study", such as `example`) and starts its runs in processes of their own: PETSc is not started, and takes no
   options. work returns the exit code. */
int NsCommandOnFile(int argc, char **argv, const char *kind, const char *example, const char *const *allowed, NsCommandOption *own,
  bool (*check)(void), int (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag));

/* The same of a command, or a part of one, that works on no config, and takes no words. */
int NsCommandAlone(PetscErrorCode (*work)(void *context, int *code), void *context);

/* src/cli/run.c: a run from its options, with all messages; *code as its exit. */
PetscErrorCode NsRunConfig(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code);

/* src/cli/values.c: values of options; each says on stderr what is wrong ("percuss modes: --count: ...") and returns false then. Without the option
   *value stays as it is. */
bool NsOptionCount(const char *command, const NsCommandOption *option, long least, long most, long *value);
/* "4000 rpm", in rad/s. */
bool NsOptionSpeed(const char *command, const NsCommandOption *option, double *value);
/* "2 h", in s, above 0. */
bool NsOptionDuration(const char *command, const NsCommandOption *option, double *value);
/* "0 rpm:6000 rpm:31": FROM, TO and how many speeds from the one to the other. */
typedef struct {
  double from, to; /* rad/s; 0 <= from < to */
  long   count;    /* 2 or more; 0: option not given */
} NsSpeedRange;
bool NsOptionRange(const char *command, const NsCommandOption *option, NsSpeedRange *range);

/* src/cli/results.c: results of an earlier run are never overwritten unless asked; what is not percuss's never. False after a message on stderr; run->exit
   is NS_EXIT_FAILED then if it is the machine that refuses. */
bool NsClearResults(const char *command, NsRun *run);
/* Removes what a run has written into its directory, on the process that writes. False, with NsRunFail and a message on stderr: something could not be removed. */
bool NsEmptyResults(const char *command, NsRun *run);
/* src/cli/resume.c: what there is to go on from in the directory of results, with a word on stderr unless it is plain. */
typedef enum {
  NS_RESUME_REFUSED,  /* results of something else, or in use, or checkpoints that do not fit */
  NS_RESUME_RUN,      /* from run->checkpoint, if run->resumes; else from the beginning */
  NS_RESUME_COMPLETE, /* the run is done */
} NsResume;
PetscErrorCode NsResumeResults(NsRun *run, NsResume *way);
/* Whether messages on stderr may be coloured: a terminal, and NO_COLOR is not set. */
bool NsColour(FILE *file);
/* Of analyses of a finite-element model that write into a directory of their own, <directory of the run>_<command>: whether the model is one;
   whether the directory may be used; how it ended, as an exit code, with a word on it. */
bool NsAnalysisPossible(const char *command, const NsRun *run);
bool NsAnalysisAllowed(const char *command, NsRun *run);
int  NsAnalysisEnd(const char *command, const NsRun *run);
