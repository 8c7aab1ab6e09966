#include "script.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *NsScriptPython(void)
{
  return access("/usr/bin/python3", X_OK) ? "python3" : "/usr/bin/python3";
}

/* From the build: PERCUSS_POSTPROCESS, in the source tree; PERCUSS_INSTALLED_POSTPROCESS, as seen from the folder of an installed program. */
const char *NsScriptFind(const char *name, NsArena *arena)
{
  char          program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
  const char   *path;
  char         *slash;

  program[length > 0 ? length : 0] = '\0';
  slash                            = strrchr(program, '/');
  if (slash) {
    path = NsArenaPrint(arena, "%.*s/%s/%s", (int)(slash - program), program, PERCUSS_INSTALLED_POSTPROCESS, name);
    if (access(path, R_OK) == 0) return path;
  }
  path = NsArenaPrint(arena, "%s/%s", PERCUSS_POSTPROCESS, name);
  return access(path, R_OK) == 0 ? path : NULL;
}

/* 0 or an error code. SIGINT ends the script, though the program ignores it. */
static int start(pid_t *child, const char *const *words, bool messages)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t          manner;
  sigset_t                   interrupt;
  int                        error = posix_spawnattr_init(&manner);

  if (error) return error;
  error = posix_spawn_file_actions_init(&actions);
  if (error) {
    (void)posix_spawnattr_destroy(&manner);
    return error;
  }
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  (void)posix_spawnattr_setsigdefault(&manner, &interrupt);
  (void)posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETSIGDEF);
  error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error && !messages) error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawnp(child, words[0], &actions, &manner, (char *const *)words, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)posix_spawnattr_destroy(&manner);
  return error;
}

bool NsScriptCall(const char *script, const char *directory, bool messages)
{
  const char *const words[] = {NsScriptPython(), script, "--", directory, NULL};
  struct sigaction  ignore  = {.sa_handler = SIG_IGN}, before;
  pid_t             child;
  int               status = 0, error;

  fflush(stdout);
  sigaction(SIGINT, &ignore, &before);
  error = start(&child, words, messages);
  if (error)
    fprintf(stderr, "percuss: cannot start %s: %s\n", words[0], strerror(error));
  else
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  sigaction(SIGINT, &before, NULL);
  return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
