#include "crash.h"
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct {
  int         number;
  const char *name;
} crashes[] = {{SIGSEGV, "an invalid memory access"}, {SIGBUS, "an invalid memory access"}, {SIGFPE, "an arithmetic error"},
  {SIGILL, "an illegal instruction"}, {SIGABRT, "abort()"}};
enum { CRASHES = sizeof(crashes) / sizeof(*crashes), CALLS = 64, STACK = 65536 };

static char own_stack[STACK]; /* for the handler after a stack overflow */

static void print(const char *text)
{
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* stderr is closed */
}

/* The handler has been removed (SA_RESETHAND): raising the signal again ends the process, with a core dump where they are enabled. */
static void report(int number)
{
  void *call[CALLS];

  print("percuss: terminated by ");
  for (int i = 0; i < CRASHES; i++) {
    if (crashes[i].number == number) print(crashes[i].name);
  }
  print(", a bug in a plugin or in percuss itself; innermost call first:\n");
  backtrace_symbols_fd(call, backtrace(call, CALLS), STDERR_FILENO);
  print("percuss: please report this together with the config. What was written before is kept; --resume continues a run from its last checkpoint\n");
  (void)raise(number);
}

void NsCrashReport(void)
{
  const stack_t    stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};
  struct sigaction action;
  void            *call[1];

  memset(&action, 0, sizeof(action));
  action.sa_handler = report;
  action.sa_flags   = (int)(SA_RESETHAND | SA_ONSTACK);
  (void)backtrace(call, 1); /* its first call allocates, which a handler may not */
  if (sigaltstack(&stack, NULL)) return;
  for (int i = 0; i < CRASHES; i++) (void)sigaction(crashes[i].number, &action, NULL);
}
