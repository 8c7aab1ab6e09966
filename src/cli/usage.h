/*
  The commands of the program as a list, what their usage (src/cli/list.h) says of their words, and the help made from it.
*/
#pragma once
#include <stdbool.h>
#include <stdio.h>

typedef struct {
  const char *name;
  int (*call)(int argc, char **argv);
  const char *arguments, *about;
} NsCommand;

extern const NsCommand NsCommands[]; /* ends with a name NULL */

/* One word of a usage: an option "--out" with "DIR" for its value ("": it has none), or a place for a word, "CONFIG". */
enum { NS_USAGE_WORDS = 32, NS_USAGE_TEXT = 48 };
typedef struct {
  char name[NS_USAGE_TEXT], value[NS_USAGE_TEXT];
  bool repeats; /* may be given many times */
} NsUsageWord;

/* How many there are, up to "--". */
int  NsUsageRead(const NsCommand *command, NsUsageWord word[NS_USAGE_WORDS]);
bool NsUsageIsOption(const NsUsageWord *word);
/* What an option does, in a line or two; "" for one that help.c does not know, which a test finds. */
const char *NsUsageAbout(const char *option);

/* percuss --help: the commands, a line each. */
void NsHelpProgram(FILE *file);
/* percuss COMMAND --help: usage, options, examples. */
void NsHelpCommand(const NsCommand *command, FILE *file);
