/*
  The directory into which a command writes its results. Results of an earlier run are replaced only with --overwrite, and files that are not from percuss never.
*/
#pragma once
#include "percuss/run.h"

/* Makes sure that the directory may be used, and empties it with --overwrite. False after a message on stderr; NsRunExit(run) is NS_EXIT_FAILED if the machine refuses. */
bool NsClearResults(const char *command, NsRun *run);
/* Removes what percuss has written into the directory, which has been taken, on the process that writes. False, with NsSinkFail and a message on stderr: something could not be removed. */
bool NsEmptyResults(const char *command, NsRun *run);

/* --resume (resume.c): looks for a checkpoint among the results, with a message on stderr unless everything is as expected. */
typedef enum {
  NS_RESUME_REFUSED,  /* results of another config, or in use, or checkpoints that do not fit */
  NS_RESUME_RUN,      /* from the newest checkpoint, if there is one; else from the beginning */
  NS_RESUME_COMPLETE, /* the run is done */
} NsResume;
PetscErrorCode NsResumeResults(NsRun *run, NsResume *resume);

/* Analyses on one process: false, after a message, on several. */
bool NsAnalysisAlone(const char *command, NsRun *run);
/* Analyses of a finite-element model, which write into <directory of the run>_<command>: whether the model is one, on one process; whether the directory may be used; the exit code at the
   end, after a message. */
bool NsAnalysisPossible(const char *command, NsRun *run);
/* The directory of its results, out/NAME_COMMAND; once. */
void NsAnalysisDirectory(const char *command, NsRun *run);
/* NsAnalysisDirectory, and whether its results may be written there. */
bool NsAnalysisAllowed(const char *command, NsRun *run);
/* Warns of bearings whose tables over the speed do not reach all speeds of the first rotor from `from` to `to`, rad/s. */
void NsAnalysisWarnOfTables(const char *command, NsRun *run, PetscReal from, PetscReal to);
int  NsAnalysisEnd(const char *command, NsRun *run);
