/*
  Checkpoints: the complete state and history of a run in a file, from which it continues and writes the same bytes as an uninterrupted run.

      DIRECTORY/checkpoint/step_000000000012345.ckpt      the newest two; a run that is done leaves its last state

  A file is a text of a few lines (format, program, hashes of config, input files and PETSc options, processes, step, time), for each process its NsArchive in chunks (size in four bytes, bytes; size
  0: end), and a line with the SHA-256 of all before. It is written under another name, synced to the disk and renamed: a file with the final name is complete. Output files are synced
  before, and their lengths are part of it.

  It fits the program that wrote it alone (version, commit, compiler), and the same config (but for end, limits and output: physics.h), input files, PETSc options and number of processes: a
  mismatch of each is reported separately.
*/
#pragma once
#include "private.h"

/* The head of a checkpoint, line by line. */
typedef struct {
  char       program[128];
  char       config[65], inputs[65], options[65]; /* SHA-256 */
  PetscInt64 ranks, step;
  double     time;
} NsCheckpointHead;

#define NS_CHECKPOINT_HEAD 1024 /* bytes, at most */

/* Of the first bytes of a file; returns where the chunks begin, 0: not a checkpoint of this format. */
size_t NsCheckpointReadHead(const char *text, size_t size, NsCheckpointHead *head);

/* text[NS_CHECKPOINT_HEAD] of a head; returns its length. */
int NsCheckpointPrintHead(const NsCheckpointHead *head, char *text);
/* Whether a run continues from the checkpoint `found`: "" in why[size], else why not, a sentence without full stop. A state from which another run starts (`state`) fits whatever its input files
   and options were. */
void NsCheckpointCompareHeads(const NsCheckpointHead *own, const NsCheckpointHead *found, PetscBool state, char *why, size_t size);

/* State and history of a run between two steps: state, ledger, contact, scheme, writers. */
PetscErrorCode NsRunSerialize(NsRun *run, NsArchive *archive);

/* (all) Of the state after this step, which has been passed to the writers. The older of the previous two is removed. A file that cannot be written is NsRunFail, and leaves those before. */
PetscErrorCode NsCheckpointWrite(NsRun *run, PetscInt64 step);
/* The newest is not one to continue from. */
void NsCheckpointsDropNewest(NsRun *run);
/* (all) Out of run->checkpoint into a run whose scheme has started and whose writers are open. What does not fit is NsRunFail. */
PetscErrorCode NsCheckpointRead(NsRun *run);
/* (all) Time, positions, velocities and contacts alone, from the results in the run's directory: the newest state, or that at the time `at` (s), where this is not negative. Nothing else of
   the run is started; NsSinkFail says why there is no such state. */
PetscErrorCode NsCheckpointReadState(NsRun *run, PetscReal at);
