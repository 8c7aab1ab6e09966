#include "script.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "study/study.h"

const char *NsScriptFind(const char *name, NsArena *arena)
{
  static const char *const places[] = {"../share/percuss/postprocess", "../../postprocess", NULL}; /* installed; build/release of a checkout */
  char                     self[4096];
  const ssize_t            size = readlink("/proc/self/exe", self, sizeof(self) - 1);

  if (size <= 0) return NULL;
  self[size]          = '\0';
  *strrchr(self, '/') = '\0';
  for (int i = 0; places[i]; i++) {
    const char *path = NsArenaPrint(arena, "%s/%s/%s", self, places[i], name);
    char       *real = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
    if (real) {
      path = NsArenaCopy(arena, real, strlen(real));
      free(real);
      return path;
    }
  }
  return NULL;
}

typedef struct {
  const char *script, *directory;
} Call;

/* In a process of its own. What the script says of what it lacks is left out: the command tells how to call it by hand. */
static int call(void *context)
{
  const Call *self = context;

  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) return EXIT_FAILURE;
  execl(NS_SCRIPT_PYTHON, NS_SCRIPT_PYTHON, self->script, self->directory, (char *)NULL);
  return EXIT_FAILURE;
}

int NsScriptCall(const char *script, const char *directory)
{
  Call self = {script, directory};

  return NsPoolCall(call, &self);
}
