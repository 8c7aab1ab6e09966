/*
  Running again from results: `percuss run out/bar`, out/bar/run.json or out/bar/config.yaml.

  The config is the config.yaml among the results; the name of the files, PETSc's options (unless there are others after "--") and --force are taken from run.json. The
  same program on the same machine then writes the same bytes, except for times in run.json and status.json. Whatever prevents that is reported:

      config.yaml changed since           an error, unless it was given by its own name: then it is run as it is, with a warning
      a mesh file or plugin changed       the same
      PETSc options, plugins, includes    an error without --trust: they can run any code
      another version, compiler, library, CPU or number of processes   a warning
*/
#pragma once
#include "percuss/run.h"
#include "results/record.h"

/* The results that this path names; NULL: it names a config, or an error is in diag. */
NsRunRecord *NsRepeatLook(const char *path, NsArena *arena, NsDiag *diag);
/* Changes options to those of the run. If they have no directory it is, for "run", an unused one beside the results, out/bar_2 (with overwrite that of the results), for analyses
   out/NAME_COMMAND. Before PETSc starts. False: errors in diag; PETSc options and plugins without options->trust are one. */
bool NsRepeatPrepare(const NsRunRecord *record, const char *command, NsRunOptions *options, NsArena *arena, NsDiag *diag);
/* For a study of a config that belongs to results, without --trust: its plugins and included files are errors. */
void NsRepeatAskForTrust(const NsRunRecord *record, NsArena *arena, NsDiag *diag);
/* Warns of another program, machine or number of processes. After PETSc has started. */
PetscErrorCode NsRepeatWarn(const NsRunRecord *record, NsDiag *diag);
