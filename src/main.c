/* percuss COMMAND ...: arguments to command, nothing else. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "percuss/diag.h"
#include "percuss_version.h"

typedef struct {
  const char *name;
  int (*call)(int argc, char **argv);
  const char *arguments, *about;
} Command;

static const Command commands[] = {
#define NS_COMMAND(name, Name, arguments, about) {#name, NsCommand##Name, arguments, about},
#include "cli/list.h"
#undef NS_COMMAND
};
#define NS_COMMANDS (int)(sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *file)
{
  fprintf(file, "percuss %s: flexible bars that hit and rub, stepped without penalty springs\n\n", PERCUSS_VERSION);
  for (int i = 0; i < NS_COMMANDS; i++) fprintf(file, "  percuss %s %s\n      %s\n", commands[i].name, commands[i].arguments, commands[i].about);
  fprintf(file, "  percuss --version | --help | COMMAND --help\n\n"
                "Exit codes: 0 done; 1 the run failed; 2 the input is wrong; 3 stopped by a signal.\n"
                "Start here:  percuss init bar > my_bar.yaml && percuss run my_bar.yaml\n");
}

static int unknown_command(const char *word)
{
  const char *names[NS_COMMANDS + 1];
  const char *near;

  for (int i = 0; i < NS_COMMANDS; i++) names[i] = commands[i].name;
  names[NS_COMMANDS] = NULL;
  near               = NsNearestWord(word, names);
  fprintf(stderr, "percuss: unknown command '%s'%s%s%s\n  commands:", word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  for (int i = 0; i < NS_COMMANDS; i++) fprintf(stderr, " %s", names[i]);
  fprintf(stderr, "\n");
  return 2;
}

/* A file of ours must not get the number of a standard one that whoever started the program had closed: what is meant for the terminal would go into it. Reading
   or writing what was closed fails as it should, but for stderr: whoever closes that wants no messages. */
static void keep_standard_files(void)
{
  static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};

  for (int file = 0; file < 3; file++) {
    if (fcntl(file, F_GETFD) < 0) (void)open("/dev/null", modes[file]);
  }
}

int main(int argc, char **argv)
{
  keep_standard_files();
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows beyond what is allowed: writing fails, and is told */
  if (argc < 2) {
    print_help(stderr);
    return 2;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    print_help(stdout);
    return NsFlushOutput(0);
  }
  if (!strcmp(argv[1], "--version")) {
    printf("percuss %s (%s, %s, %s)\n", PERCUSS_VERSION, PERCUSS_COMMIT, PERCUSS_COMPILER, PERCUSS_BUILD);
    return NsFlushOutput(0);
  }
  for (int i = 0; i < NS_COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name)) continue;
    for (int k = 2; k < argc && strcmp(argv[k], "--"); k++) {
      if (strcmp(argv[k], "--help") && strcmp(argv[k], "-h")) continue;
      printf("percuss %s %s\n  %s\n", commands[i].name, commands[i].arguments, commands[i].about);
      return NsFlushOutput(0);
    }
    return NsFlushOutput(commands[i].call(argc - 1, argv + 1));
  }
  return unknown_command(argv[1]);
}
