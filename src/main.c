/* percuss COMMAND ...: arguments to command, nothing else. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/usage.h"
#include "percuss/diag.h"
#include "percuss_version.h"

static int unknown_command(const char *word)
{
  enum { MOST = 64 };
  const char *names[MOST + 1];
  const char *near;
  int         count = 0;

  for (; count < MOST && NsCommands[count].name; count++) names[count] = NsCommands[count].name;
  names[count] = NULL;
  near         = NsNearestWord(word, names);
  fprintf(stderr, "percuss: unknown command '%s'%s%s%s\n  commands:", word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  for (int i = 0; i < count; i++) fprintf(stderr, " %s", names[i]);
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
    NsHelpProgram(stderr);
    return 2;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    NsHelpProgram(stdout);
    return NsFlushOutput(0);
  }
  if (!strcmp(argv[1], "--version")) {
    printf("percuss %s (%s, %s, %s)\n", PERCUSS_VERSION, PERCUSS_COMMIT, PERCUSS_COMPILER, PERCUSS_BUILD);
    return NsFlushOutput(0);
  }
  for (const NsCommand *command = NsCommands; command->name; command++) {
    if (strcmp(argv[1], command->name)) continue;
    for (int k = 2; k < argc && strcmp(argv[k], "--"); k++) {
      if (strcmp(argv[k], "--help") && strcmp(argv[k], "-h")) continue;
      NsHelpCommand(command, stdout);
      return NsFlushOutput(0);
    }
    return NsFlushOutput(command->call(argc - 1, argv + 1));
  }
  return unknown_command(argv[1]);
}
