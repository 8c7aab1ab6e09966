/* percuss COMMAND ...: passes the arguments to the command. */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "cli/command.h"
#include "percuss_version.h"

static int unknown_command(const char *word)
{
  enum { MOST = 64 };
  const char *names[MOST + 1] = {NULL};

  for (int i = 0; i < MOST && NsCommands[i]; i++) names[i] = NsCommands[i]->name;
  fprintf(stderr, "percuss: unknown command '%s'%s\n  commands:", word, NsDidYouMean(NsNearestWord(word, names)));
  for (int i = 0; names[i]; i++) fprintf(stderr, " %s", names[i]);
  fprintf(stderr, "\n");
  return NS_EXIT_INPUT;
}

static int call_command(const NsCommand *command, int argc, char **argv)
{
  NsArena    *arena = NsArenaCreate();
  NsArguments arguments;
  int         code = NS_EXIT_INPUT;

  for (int k = 1; k < argc && strcmp(argv[k], "--"); k++) {
    if (strcmp(argv[k], "--help") && strcmp(argv[k], "-h")) continue;
    NsHelpCommand(command, stdout);
    NsArenaDestroy(&arena);
    return NS_EXIT_DONE;
  }
  if (NsArgumentsRead(command, argc, argv, arena, &arguments)) code = command->call(&arguments);
  NsArenaDestroy(&arena);
  return code;
}

/* If a standard stream is closed at the start, one of our files would get its number, and text for the terminal would be written into it. So a closed stream is opened such
   that reading or writing it fails, except for stderr: if the user closes it, no messages are expected. */
static void keep_standard_files(void)
{
  static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};

  for (int file = 0; file < 3; file++) {
    if (fcntl(file, F_GETFD) < 0) (void)open("/dev/null", modes[file]);
  }
}

/* SuperLU_DIST, which PETSc loads, has malloc keep all memory that is freed, and large arrays in one heap, so that those that are never written take memory all the same. Undone
   here with glibc's defaults: a run with a million contact candidates takes a quarter less memory. */
static void take_memory_by_pages(void)
{
#ifdef __GLIBC__
  enum { MAPPINGS = 65536, LARGE = 128 * 1024 }; /* glibc's defaults */

  (void)mallopt(M_MMAP_MAX, MAPPINGS);
  (void)mallopt(M_MMAP_THRESHOLD, LARGE);
  (void)mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

int main(int argc, char **argv)
{
  take_memory_by_pages();
  keep_standard_files();
  (void)signal(SIGXFSZ, SIG_IGN); /* writing beyond the largest allowed file size fails with an error code, which is reported */
  if (argc < 2) {
    NsHelpProgram(stderr);
    return NS_EXIT_INPUT;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    NsHelpProgram(stdout);
    return NsFlushOutput(NS_EXIT_DONE);
  }
  if (!strcmp(argv[1], "--man")) {
    NsHelpManual(stdout);
    return NsFlushOutput(NS_EXIT_DONE);
  }
  if (!strcmp(argv[1], "--version")) {
    printf("percuss %s (%s, %s, %s)\n", PERCUSS_VERSION, PERCUSS_COMMIT, PERCUSS_COMPILER, PERCUSS_BUILD);
    return NsFlushOutput(NS_EXIT_DONE);
  }
  for (const NsCommand *const *command = NsCommands; *command; command++) {
    if (!strcmp(argv[1], (*command)->name)) return NsFlushOutput(call_command(*command, argc - 1, argv + 1));
  }
  return unknown_command(argv[1]);
}
