/*
  The commands of the program. A command is a file and its line in list.h. The file ends with a table, NsCommand: from it the command line is read, and usage, --help, completion and
  the manual page are made.

      static PetscErrorCode count_bodies(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code) { ... }

      static int call(const NsArguments *arguments)
      {
        return NsCommandOnConfig(arguments, count_bodies);
      }

      static NsOption options[] = {NS_OPTION_SET, {.name = "--count", .takes = "N", .about = "number of ..."}, {NULL}};

      const NsCommand NsCommand_Count = {
        .name = "count", .words = "CONFIG", .options = options, .about = "count the bodies of a config", .description = "...", .call = call};

  Exit codes: 0 done; 1 the run failed; 2 the input is wrong; 3 stopped by a signal, with a checkpoint written.
*/
#pragma once
#include <stdio.h>
#include "percuss/run.h"

/* An option of a command, and its value on the command line. */
typedef struct {
  const char *name;  /* "--count" */
  const char *takes; /* its value: "N", or one of the words that completion knows (DIR, FILE, KEY=VALUE); NULL: it is a flag */
  const char *about; /* for --help and the manual page */
  bool        required, repeats;
  const char *value; /* as given, the last one; "" for a flag; NULL: not given */
} NsOption;

typedef struct NsCommand   NsCommand;
typedef struct NsArguments NsArguments;

struct NsCommand {
  const char *name;
  const char           *
    words; /* arguments that are not options: "CONFIG", "RUN RUN [RUN]", "[KEY | schemes]..."; "": none. See complete.c for the names that completion knows */
  NsOption   *options;                       /* ended by a name NULL; or NULL */
  bool        petsc;                         /* takes options of PETSc after "--" */
  bool        analysis;                      /* of a config, without steps: it needs neither `scheme` nor `time` */
  const char *about;                         /* a line for `percuss --help` */
  const char *description;                   /* paragraphs for --help and the manual page, separated by empty lines */
  const char *examples;                      /* one command a line, without "percuss " */
  int (*call)(const NsArguments *arguments); /* returns the exit code */
};

/* A command line, read by the command's table. */
struct NsArguments {
  const NsCommand *command;
  NsArena         *arena;
  int              words;
  const char     **word;    /* [words], then NULL */
  NsRunOptions     options; /* filled from --out, --set, --overwrite ... and PETSc's options; config_path is the first word */
};

#define NS_COMMAND(Name) extern const NsCommand NsCommand_##Name;
#include "list.h"
#undef NS_COMMAND

extern const NsCommand *const NsCommands[]; /* all of list.h, then NULL */

/* Options that several commands have. */
#define NS_OPTION_OUT \
  { \
    .name = "--out", .takes = "DIR", .about = "write the results into DIR (default: output.directory of the config, or out/NAME)" \
  }
#define NS_OPTION_SET \
  { \
    .name = "--set", .takes = "KEY=VALUE", .repeats = true, \
    .about = \
      "set one key of the config (scheme.step=\"0.2 us\"), a whole mapping (scheme=\"{type: moreau_jean, step: 1 us}\") or an item of a list, by its number from 0 (contacts.wall.between.1.plane.point=\"[0, 0, 0]\"); may be repeated" \
  }
#define NS_OPTION_OVERWRITE \
  { \
    .name = "--overwrite", \
    .about = \
      "replace earlier results of percuss in that directory: the files of its list percuss.files; others are kept, and a directory without the list is never touched" \
  }
#define NS_OPTION_QUIET \
  { \
    .name = "--quiet", .about = "print no progress and no summary" \
  }
#define NS_OPTION_JSON \
  { \
    .name = "--json", .about = "print the same as JSON, for programs; messages go to stderr as text" \
  }
#define NS_OPTION_TRUST \
  { \
    .name = "--trust", .about = "if CONFIG is a directory of results: use the PETSc options and plugins that it names, which can run any code" \
  }
#define NS_OPTION_FORCE \
  { \
    .name = "--force", .about = "run even if the step exceeds the critical time step" \
  }

/* Reads the words after the command's name, argv[0]; also into the values of the command's options. False after a message on stderr. */
bool NsArgumentsRead(const NsCommand *command, int argc, char **argv, NsArena *arena, NsArguments *arguments);

/* Runs a command that works on a config: starts PETSc (numbers in the C locale), calls work, warns of PETSc options that nothing has used, ends PETSc. In place of a config, the
   results of an earlier run may be given (repeat.h). Returns the exit code, that of work in *code. */
int NsCommandOnConfig(const NsArguments *arguments, PetscErrorCode (*work)(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code));
/* The same for work without a config. */
int NsCommandAlone(PetscErrorCode (*work)(void *context, int *code), void *context);
/* To end a command: writes out what it has printed. Returns code, or NS_EXIT_FAILED after a message if that is impossible. */
int NsFlushOutput(int code);
/* Whether messages may be coloured: the file is a terminal, and NO_COLOR is not set. */
bool NsColour(FILE *file);

/* Values of options: false after a message on stderr ("percuss modes: --count: ..."). *value is kept if the option is not given. */
bool NsOptionCount(const char *command, const NsOption *option, long least, long most, long *value);
bool NsOptionSpeed(const char *command, const NsOption *option, double *value);    /* "4000 rpm", in rad/s */
bool NsOptionDuration(const char *command, const NsOption *option, double *value); /* "2 h", in s, above 0 */
/* "0 rpm:6000 rpm:31": FROM, TO and the number of equally spaced speeds. */
typedef struct {
  double from, to; /* rad/s; 0 <= from < to */
  long   count;    /* 2 or more; 0: option not given */
} NsSpeedRange;
bool NsOptionRange(const char *command, const NsOption *option, NsSpeedRange *range);

/* Help (help.c): of the program, of a command, and all of it as a manual page in the language of groff. */
void NsHelpProgram(FILE *file);
void NsHelpCommand(const NsCommand *command, FILE *file);
void NsHelpManual(FILE *file);
/* "percuss run CONFIG [OPTION]..." below a message. */
void NsHelpShort(const NsCommand *command, FILE *file);

/* The kinds of starters (init.c), one after the other; NULL after the last. */
const char *NsInitKind(int i);
/* `percuss run` (run.c) with given options: prints all messages, sets the exit code. */
PetscErrorCode NsRunConfig(const NsRunOptions *options, NsArena *arena, NsDiag *diag, int *code);
