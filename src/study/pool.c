/* Work in processes of their own, a few at a time, with a progress line on stderr. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "core/out_of_memory.h"
#include "study.h"

static const double live_interval = 0.2, plain_interval = 30; /* s, as for a run */
static const long   poll = 5000000;                           /* ns between two checks of the children */

static volatile sig_atomic_t stop_signal = 0, stop_count = 0;

static void on_signal(int number)
{
  stop_signal = number;
  stop_count  = stop_count + 1;
}

static void handle(void (*handler)(int))
{
  struct sigaction action = {.sa_handler = handler};

  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* Prepares a child: default signals, no input, output into a file, SIGTERM when the parent dies. It is a process group of its own, so that Ctrl-C reaches it once, from the parent. */
static void become_worker(int file)
{
  const int null = open("/dev/null", O_RDONLY);

  handle(SIG_DFL);
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  (void)setpgid(0, 0);
  if (null >= 0) dup2(null, STDIN_FILENO);
  if (file >= 0) {
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
  }
  (void)setenv("OMP_NUM_THREADS", "1", 0); /* there are as many processes as cores */
  (void)setenv("OPENBLAS_NUM_THREADS", "1", 0);
}

/* Exit code, or minus the signal. */
static int code_of(int status)
{
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int NsPoolCall(int (*work)(void *context), void *context)
{
  pid_t child;
  int   status = 0;

  fflush(NULL);
  child = fork();
  if (child == 0) exit(work(context));
  if (child < 0) {
    fprintf(stderr, "percuss: cannot start a process: %s\n", strerror(errno));
    return NS_EXIT_FAILED;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return code_of(status);
}

typedef struct {
  pid_t pid; /* 0: unused */
  int   number;
} Slot;

typedef struct {
  const NsPool *pool;
  const int    *numbers;
  bool         *taken; /* [count] */
  Slot         *slot;
  int           started, ended, failed, count, running, signals;
  bool          live, shown;
  double        begin, line_at;
} Work;

static void show_progress(Work *work)
{
  const double now      = NsSeconds();
  char         left[64] = "", failed[32] = "";

  if (work->pool->quiet || now - work->line_at < (work->live ? live_interval : plain_interval)) return;
  work->line_at = now;
  if (work->ended) {
    const double seconds = (now - work->begin) / work->ended * (work->count - work->ended);
    if (seconds < 100)
      snprintf(left, sizeof(left), ", %.0f s left", ceil(seconds));
    else
      snprintf(left, sizeof(left), ", %.0f min left", ceil(seconds / 60));
  }
  if (work->failed) snprintf(failed, sizeof(failed), ", %d failed", work->failed);
  fprintf(stderr, "%s%s  %d of %d runs done%s, %d running%s%s", work->live ? "\r\033[K" : "", work->pool->name, work->ended, work->count, failed,
    work->running, work->signals ? ", stopping" : left, work->live ? "" : "\n");
  fflush(stderr);
  work->shown = work->live;
}

static bool start_one(Work *work, Slot *slot, int number)
{
  const NsPool *pool = work->pool;

  fflush(NULL);
  slot->pid = fork();
  if (slot->pid == 0) {
    become_worker(pool->log(pool->context, number));
    exit(pool->work(pool->context, number));
  }
  if (slot->pid < 0) {
    slot->pid = 0;
    return false;
  }
  (void)setpgid(slot->pid, slot->pid); /* parent or child, whichever is first */
  slot->number = number;
  work->running++;
  return true;
}

/* Children that have ended. */
static bool reap(Work *work)
{
  bool any = false;

  for (int s = 0; s < work->pool->jobs; s++) {
    Slot *slot = &work->slot[s];
    int   status;

    if (!slot->pid || waitpid(slot->pid, &status, WNOHANG) != slot->pid) continue;
    slot->pid = 0;
    work->running--;
    work->ended++;
    work->failed += code_of(status) != 0 && !work->signals;
    work->pool->ended(work->pool->context, slot->number, code_of(status));
    any = true;
  }
  return any;
}

/* The first signal is forwarded, so that runs end after their step; the second kills them. */
static void forward_signal(Work *work)
{
  const int signals = stop_count > 2 ? 2 : (int)stop_count;

  if (signals <= work->signals) return;
  work->signals = signals;
  for (int s = 0; s < work->pool->jobs; s++) {
    if (work->slot[s].pid) kill(work->slot[s].pid, signals > 1 ? SIGKILL : (int)stop_signal);
  }
  work->line_at = 0;
}

/* The place in `numbers` of the next that may start; -1: none may yet. Those that never may have ended. */
static int next_ready(Work *work)
{
  const NsPool *pool = work->pool;

  for (int i = 0; i < work->count; i++) {
    const int ready = work->taken[i] ? 0 : pool->ready ? pool->ready(pool->context, work->numbers[i]) : 1;

    if (ready > 0) return i;
    if (ready == 0) continue;
    work->taken[i] = true;
    work->started++;
    work->ended++;
    work->failed++;
  }
  return -1;
}

int NsPoolRun(const NsPool *pool, int count, const int *numbers)
{
  const struct timespec pause = {0, poll};
  const char           *term  = getenv("TERM");
  Work                  work  = {.pool = pool, .numbers = numbers, .count = count, .begin = NsSeconds()};

  work.slot  = calloc((size_t)pool->jobs, sizeof(*work.slot));
  work.taken = calloc((size_t)count + 1, sizeof(*work.taken));
  if (!work.slot || !work.taken) NsOutOfMemory();
  work.live    = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
  work.line_at = work.live ? 0 : work.begin;
  stop_signal = stop_count = 0;
  handle(on_signal);
  while (work.running || (work.started < count && !stop_signal)) {
    forward_signal(&work);
    for (int s = 0; s < pool->jobs && work.started < count && !stop_signal; s++) {
      const int next = work.slot[s].pid ? -1 : next_ready(&work);
      if (next < 0) continue;
      if (start_one(&work, &work.slot[s], numbers[next])) {
        work.taken[next] = true;
        work.started++;
      } else if (!work.running) {
        fprintf(stderr, "%spercuss study: cannot start a process: %s\n", work.shown ? "\r\033[K" : "", strerror(errno));
        stop_signal = SIGABRT;
      }
    }
    if (!work.running && work.started < count && next_ready(&work) < 0) break; /* what they wait for has been stopped */
    if (!reap(&work)) nanosleep(&pause, NULL);
    show_progress(&work);
  }
  handle(SIG_DFL);
  if (work.shown) fprintf(stderr, "\r\033[K");
  free(work.slot);
  free(work.taken);
  return (int)stop_signal;
}
