#include "crash.h"
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct {
  int         number;
  const char *name;
} crashes[] = {{SIGSEGV, "a bad access to memory"}, {SIGBUS, "a bad access to memory"}, {SIGFPE, "an arithmetic error"},
  {SIGILL, "an illegal instruction"}, {SIGABRT, "abort()"}};
enum { CRASHES = sizeof(crashes) / sizeof(*crashes), CALLS = 64, STACK = 65536 };

static char own_stack[STACK]; /* where calls without end have used up the other */

static void say(const char *text)
{
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* nobody listens */
}

/* The handler is gone by now (SA_RESETHAND): the signal that is raised again ends the process, with a core where they are wanted. */
static void tell(int number)
{
  void *call[CALLS];

  say("percuss: broken off by ");
  for (int i = 0; i < CRASHES; i++) {
    if (crashes[i].number == number) say(crashes[i].name);
  }
  say(", a mistake in a plugin or in percuss itself; the innermost call first:\n");
  backtrace_symbols_fd(call, backtrace(call, CALLS), STDERR_FILENO);
  say(
    "percuss: please report this together with the config. What was written before is kept; a run goes on from its last checkpoint with --resume\n");
  (void)raise(number);
}

void NsCrashTell(void)
{
  const stack_t    stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};
  struct sigaction action;
  void            *call[1];

  memset(&action, 0, sizeof(action));
  action.sa_handler = tell;
  action.sa_flags   = (int)(SA_RESETHAND | SA_ONSTACK);
  (void)backtrace(call, 1); /* its first call takes memory, which a handler may not */
  if (sigaltstack(&stack, NULL)) return;
  for (int i = 0; i < CRASHES; i++) (void)sigaction(crashes[i].number, &action, NULL);
}
