/*
  What the fuzz targets share.

  A target is a file here that defines LLVMFuzzerTestOneInput: it hands the bytes to a part of the program and checks what that part promises. Beside crashes,
  undefined behaviour and bad reads (sanitizers), a broken promise is a finding: FuzzExpect. The same function is driven by libFuzzer (preset `fuzz`, run.py), which
  makes up inputs, and by replay.c in the normal builds, which takes those that were kept: so what was found once is a test ever after.
*/
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "run/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Once, before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* A violated contract: prints it and aborts. */
_Noreturn void FuzzFinding(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define FuzzExpect(condition, ...) \
  do { \
    if (!(condition)) FuzzFinding(__VA_ARGS__); \
  } while (0)
/* An error code of PETSc is a bug, never an error of the user. */
#define FuzzCheck(call) \
  do { \
    const int code_ = (call); \
    FuzzExpect(!code_, "%s: PETSc's error %d", #call, code_); \
  } while (0)

/* PETSc and SLEPc, once; signals stay the sanitizers' own. What these libraries keep until the end is no leak. */
void FuzzStartPetsc(void);
/* The bytes as text with a NUL behind it, in the arena; bytes that are NUL stay in it. */
char *FuzzText(const uint8_t *data, size_t size, NsArena *arena);
/* All messages as a user sees them, in the arena. Checked: UTF-8, and nothing that drives a terminal. */
const char *FuzzMessages(NsDiag *diag, NsArena *arena);
/* The leading lines "#WORD text" of a file of such comments: the text of up to `most` of them, in the arena; returns how many. */
int FuzzComments(const char *text, const char *word, int most, const char *found[], NsArena *arena);
/* Settings of the scheme of this number (modulo how many there are), "{type: ..., step: ..., ...}", with the examples of its required keys; in the arena. */
const char *FuzzScheme(unsigned number, const char *step, NsArena *arena);
/* A folder of this process alone, which goes with it. */
const char *FuzzFolder(void);
/* Removes all that is in it. */
void FuzzEmptyFolder(void);
/* Executes a run that NsRunCreate made, in this folder, until its end or FUZZ_STEPS steps on, where a signal stops it with a checkpoint; checks what it says of that. */
enum { FUZZ_STEPS = 20 };
void FuzzExecute(NsRun *run);
