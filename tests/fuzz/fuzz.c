/* See fuzz.h. */
#include "fuzz.h"
#include <ftw.h>
#include <signal.h>
#include <slepcsys.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "core/text.h"

enum { MOST_CPU_SECONDS = 30 }; /* of one run */

void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static int report = STDERR_FILENO; /* stays open when libFuzzer closes a target's own stderr */

__attribute__((constructor)) static void keep_report(void)
{
  const int copy = dup(STDERR_FILENO);

  if (copy >= 0) report = copy;
}

_Noreturn void FuzzFinding(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  dprintf(report, "FINDING: ");
  vdprintf(report, format, arguments);
  dprintf(report, "\n");
  va_end(arguments);
  abort();
}

void FuzzStartPetsc(void)
{
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  enum { SIGNALS = sizeof(signals) / sizeof(*signals) };
  static char      name[] = "fuzz", *words[] = {name, NULL}, **argv = words;
  struct sigaction action[SIGNALS];
  int              argc = 1;

  for (int i = 0; i < SIGNALS; i++) (void)sigaction(signals[i], NULL, &action[i]);
  if (__lsan_disable) __lsan_disable();
  if (SlepcInitialize(&argc, &argv, NULL, NULL)) FuzzFinding("PETSc does not start");
  if (__lsan_enable) __lsan_enable();
  for (int i = 0; i < SIGNALS; i++) (void)sigaction(signals[i], &action[i], NULL);
}

char *FuzzText(const uint8_t *data, size_t size, NsArena *arena)
{
  return NsArenaCopy(arena, (const char *)data, size);
}

const char *FuzzMessages(NsDiag *diag, NsArena *arena)
{
  char  *text = NULL, *copy;
  size_t size = 0;
  FILE  *file = open_memstream(&text, &size);

  if (!file) FuzzFinding("no memory for messages");
  NsDiagPrint(diag, file, false);
  fclose(file);
  copy = NsArenaCopy(arena, text, size);
  free(text);
  FuzzExpect(strlen(copy) == size, "a NUL among the messages");
  for (const char *p = copy, *end = copy + size; p < end;) {
    unsigned  code;
    const int length = NsTextDecode(p, end, &code);

    FuzzExpect(length > 0, "messages are not UTF-8 at byte %zu: %s", (size_t)(p - copy), copy);
    FuzzExpect(code == '\n' || NsTextPrintable(code), "U+%04X among the messages: %s", code, copy);
    p += length;
  }
  return copy;
}

int FuzzComments(const char *text, const char *word, int most, const char *found[], NsArena *arena)
{
  const size_t size  = strlen(word);
  int          count = 0;

  while (*text == '#' && count < most) {
    const size_t length = strcspn(text, "\n");

    if (!strncmp(text + 1, word, size) && text[1 + size] == ' ') found[count++] = NsArenaCopy(arena, text + size + 2, length - size - 2);
    text += length;
    if (*text) text++;
  }
  return count;
}

const char *FuzzScheme(unsigned number, const char *step, NsArena *arena)
{
  const NsVariant *scheme;
  const char      *keys  = "";
  unsigned         count = 0;

  do count++;
  while (NsSchemeVariants[count]);
  scheme = NsSchemeVariants[number % count];
  for (const NsKey *key = scheme->table->keys; key->name; key++) {
    if (key->required && !key->default_value && strcmp(key->name, "step")) keys = NsArenaPrint(arena, "%s, %s: %s", keys, key->name, key->example);
  }
  return NsArenaPrint(arena, "{type: %s, step: %s%s}", scheme->name, step, keys);
}

static char folder[256];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
  (void)status;
  (void)kind;
  return where->level ? remove(path) : 0;
}

void FuzzEmptyFolder(void)
{
  if (nftw(FuzzFolder(), remove_one, 16, FTW_DEPTH | FTW_PHYS)) FuzzFinding("cannot empty %s", folder);
}

static void remove_folder(void)
{
  FuzzEmptyFolder();
  (void)rmdir(folder);
}

const char *FuzzFolder(void)
{
  const char *parent = getenv("TMPDIR");

  if (folder[0]) return folder;
  (void)snprintf(folder, sizeof(folder), "%s/percuss_fuzz_XXXXXX", parent ? parent : "/tmp");
  if (!mkdtemp(folder)) FuzzFinding("cannot make %s", folder);
  (void)atexit(remove_folder);
  return folder;
}

/* The scheme of the run, but for a signal in one of its steps: what a user's Ctrl-C does, at the same place each time. */
static const NsSchemeType *own_type;
static int                 steps_to_signal;

static PetscErrorCode step_with_signal(NsScheme *scheme, NsState *state, PetscReal dt, NsStepOutcome *outcome)
{
  if (steps_to_signal-- == 1) (void)raise(SIGTERM);
  return own_type->step(scheme, state, dt, outcome);
}

static void took_too_long(int number)
{
  static const char text[] = "FINDING: a run of few steps takes too much time\n"; /* FuzzFinding prints, which a signal may interrupt */

  (void)number;
  if (write(report, text, sizeof(text) - 1) < 0) _exit(EXIT_FAILURE);
  abort();
}

void FuzzExecute(NsRun *run)
{
  const struct itimerval budget = {{0, 0}, {MOST_CPU_SECONDS, 0}}, none = {{0, 0}, {0, 0}};
  NsSchemeType           type;
  struct itimerval       timer;
  struct sigaction       action;

  own_type        = run->scheme->type;
  type            = *own_type;
  type.step       = step_with_signal;
  steps_to_signal = FUZZ_STEPS;
  /* the loop takes the alarm that libFuzzer measures time with */
  (void)getitimer(ITIMER_REAL, &timer);
  (void)sigaction(SIGALRM, NULL, &action);
  (void)signal(SIGPROF, took_too_long);
  (void)setitimer(ITIMER_PROF, &budget, NULL);
  run->scheme->type = &type;
  FuzzCheck(NsRunExecute(run));
  run->scheme->type = own_type;
  (void)setitimer(ITIMER_PROF, &none, NULL);
  (void)sigaction(SIGALRM, &action, NULL);
  (void)setitimer(ITIMER_REAL, &timer, NULL);
  FuzzExpect(NsRunExit(run) != NS_EXIT_INPUT, "a run ends as wrong input");
  FuzzExpect(NsRunExit(run) == NS_EXIT_DONE || *NsRunMessage(run), "a run ends with code %d, and without reason", (int)NsRunExit(run));
}
