/* Looks for report.py where the program was installed or built, and for a Python, and runs it. */
#include "report.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* From the build: PERCUSS_POSTPROCESS, in the source tree; PERCUSS_INSTALLED_POSTPROCESS, as seen from the folder of an installed program. */
static bool find_script(char path[PATH_MAX])
{
  char          program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
  char         *slash;

  program[length > 0 ? length : 0] = '\0';
  slash                            = strrchr(program, '/');
  if (slash) {
    *slash = '\0';
    if (snprintf(path, PATH_MAX, "%s/%s/report.py", program, PERCUSS_INSTALLED_POSTPROCESS) < PATH_MAX && access(path, R_OK) == 0) return true;
  }
  return snprintf(path, PATH_MAX, "%s/report.py", PERCUSS_POSTPROCESS) < PATH_MAX && access(path, R_OK) == 0;
}

/* Its exit code; -1: it could not be started, or was killed. Ctrl-C ends it alone (report.py sees to that), for how the
   run ended is still to be told. */
static int run_quietly(char *const words[])
{
  extern char              **environ;
  posix_spawn_file_actions_t actions;
  struct sigaction           ignore = {.sa_handler = SIG_IGN}, before;
  pid_t                      child;
  int                        code, status = 0;

  if (posix_spawn_file_actions_init(&actions)) return -1;
  sigaction(SIGINT, &ignore, &before);
  code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!code) code = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code) {
    fprintf(stderr, "percuss: cannot start %s: %s\n", words[0], strerror(code));
    status = -1;
  } else {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  }
  sigaction(SIGINT, &before, NULL);
  if (status == -1) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void NsReportMake(const char *directory, bool quiet)
{
  static char python[] = "/usr/bin/python3", any_python[] = "python3", end_of_options[] = "--"; /* Debian's packages belong to the first */
  char        script[PATH_MAX], results[PATH_MAX];

  if (snprintf(results, sizeof(results), "%s", directory) >= (int)sizeof(results)) return; /* too long to have been made */
  if (!find_script(script)) {
    fprintf(stderr, "percuss run: warning: no report: there is no report.py in %s, nor where the program was installed\n", PERCUSS_POSTPROCESS);
    return;
  }
  char *words[] = {access(python, X_OK) ? any_python : python, script, end_of_options, results, NULL};
  fflush(stdout);
  if (run_quietly(words) != 0)
    fprintf(stderr, "percuss run: warning: no report was made; the results are as the run left them. Later: %s %s %s\n", words[0], script, results);
  else if (!quiet)
    printf("  report: %s/report.html\n", directory);
}
