/*
  A machine that fails when told to. Preloaded into percuss, it makes the k-th allocation or the k-th call on a file fail; tests/faults/test_faults.py drives it.

  Starting PETSc and MPI takes most of a short run, so the program is started once and forked for every fault: at PERCUSS_FAULT_SERVER=main before main(), at =petsc
  when SlepcInitialize returns. A request is a line "MODE ERRNO K DIRECTORY" on the descriptor PERCUSS_FAULT_REQUESTS; the child goes on as the program in that
  directory, its output in files `stdout` and `stderr` there, and what waitpid says of it is a line on PERCUSS_FAULT_ANSWERS. Modes:

      m  the K-th allocation fails         f  the K-th call on a file fails with ERRNO, or, ERRNO 0, writes half of what it should
      M  ... and all that follow           F  ... and all that follow
                                           k  before the K-th call on a file the program is killed, with the process that had started it: a power cut

  Calls are distinguished by their call stacks: a number for each path of calls lies in the file PERCUSS_FAULT_PATHS, so that a driver may take one of each; it is
  odd where percuss itself asks, also by PetscMalloc.

  With PERCUSS_FAULT_CHECKPOINTS a run is asked for a checkpoint after each frame.

  Left out, for no program can do anything about them:
  - what happens while MPI and PETSc start and end (SlepcInitialize, SlepcFinalize), and all allocations of Open MPI and what it is built on (PMIx, hwloc, libevent),
    which do not look at what malloc returns; nor do PETSc's hash tables (khash), which readers of meshes fill;
  - the dynamic loader, and calls that libc makes within itself (the buffers of stdout; reading). Of files only the calls that percuss itself makes are counted:
    open, write, fsync, fdatasync, rename, close, mkdir, ftruncate, unlink, and those of them relative to a directory. Reading and stdout are tried by real files and devices.
*/
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Allocation that is not failed: glibc's, by its own names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

int SlepcInitialize(int *argc, char ***argv, const char *file, const char *help);
int SlepcFinalize(void);

enum { MOST_CALLS = 1 << 20, MOST_FRAMES = 64, MOST_RANGES = 512, HANG_SECONDS = 60, NEAR_FRAMES = 4 /* between PetscMalloc1 and malloc */ };

typedef struct {
  int64_t  calls, failed;
  uint32_t path[MOST_CALLS]; /* of each call, from 0 */
} Shared;

typedef struct {
  uintptr_t from, to;
} Range;

static Shared *shared;
static char    mode; /* 0: nothing is counted */
static int     error_number;
static int64_t at;
static pid_t   started; /* by the server */
static bool    inside;  /* our own doings are not counted */
static Range   program, petsc, foreign[MOST_RANGES];
static int     foreigners;

static int note_object(struct dl_phdr_info *info, size_t size, void *unused)
{
  static const char *const names[] = {"libmpi", "libopen-", "/mca_", "libpmix", "libhwloc", "libevent", "ld-linux", "libmunge", NULL};
  bool                     leave   = false;

  (void)size, (void)unused;
  for (int i = 0; names[i]; i++) leave = leave || strstr(info->dlpi_name, names[i]);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    const Range range      = {info->dlpi_addr + part->p_vaddr, info->dlpi_addr + part->p_vaddr + part->p_memsz};
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    if (!*info->dlpi_name && !program.to) program = range; /* the first object is the program */
    if (strstr(info->dlpi_name, "libpetsc")) petsc = range;
    if (leave && foreigners < MOST_RANGES) foreign[foreigners++] = range;
  }
  return 0;
}

static bool is_within(const void *address, Range range)
{
  return (uintptr_t)address >= range.from && (uintptr_t)address < range.to;
}

static bool is_foreign(const void *address)
{
  for (int i = 0; i < foreigners; i++) {
    if (is_within(address, foreign[i])) return true;
  }
  return false;
}

/* PETSc's hash tables call libc directly, and do not check its result. */
static bool is_unguarded(const void *caller)
{
  Dl_info info;

  if (!is_within(caller, petsc)) return false;
  return dladdr(caller, &info) && !(info.dli_sname && (!strcmp(info.dli_sname, "PetscMallocAlign") || !strcmp(info.dli_sname, "PetscReallocAlign")));
}

/* Whether this call is to fail. */
static bool strikes(void)
{
  void    *frame[MOST_FRAMES];
  uint32_t path   = 2166136261U;
  bool     struck = false;

  inside          = true;
  const int count = backtrace(frame, MOST_FRAMES);
  bool      fair = true, ours = false;
  for (int i = 2; i < count && fair; i++) {
    fair = !is_foreign(frame[i]);
    path = (path ^ (uint32_t)((uintptr_t)frame[i] - program.from)) * 16777619U;
    ours = ours || (i < 2 + NEAR_FRAMES && is_within(frame[i], program));
  }
  if (fair) {
    const int64_t k = ++shared->calls;
    if (k <= MOST_CALLS) shared->path[k - 1] = ours ? path | 1 : path & ~1U;
    struck = at > 0 && (k == at || (k > at && (mode == 'M' || mode == 'F')));
    shared->failed += struck;
  }
  inside = false;
  return struck;
}

static bool no_memory(const void *caller)
{
  if (inside || (mode != 'm' && mode != 'M') || is_unguarded(caller) || !strikes()) return false;
  errno = ENOMEM;
  return true;
}

/* For a call that the program itself makes: true, and errno, if it is to fail. */
static bool file_fails(const void *caller)
{
  if (inside || (mode != 'f' && mode != 'F' && mode != 'k') || !is_within(caller, program) || !strikes()) return false;
  if (mode == 'k') {
    kill(started, SIGKILL);
    kill(getpid(), SIGKILL);
  }
  errno = error_number;
  return true;
}
#define NO_MEMORY()  no_memory(__builtin_return_address(0))
#define FILE_FAILS() file_fails(__builtin_return_address(0))
/* Of a call that no signal interrupts. */
#define NAME_FAILS() (FILE_FAILS() && error_number && error_number != EINTR)
#define REAL(name) \
  static __typeof__(name) *real; \
  inside = true; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
  inside = false

void *malloc(size_t size)
{
  return NO_MEMORY() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return NO_MEMORY() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
  return NO_MEMORY() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t align, size_t size)
{
  return NO_MEMORY() ? NULL : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
  return NO_MEMORY() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **memory, size_t align, size_t size)
{
  if (NO_MEMORY()) return ENOMEM;
  *memory = __libc_memalign(align, size);
  return *memory ? 0 : ENOMEM;
}

int open(const char *path, int flags, ...)
{
  va_list      arguments;
  unsigned int rights = 0;

  if (flags & O_CREAT) {
    va_start(arguments, flags);
    rights = va_arg(arguments, unsigned int);
    va_end(arguments);
  }
  REAL(open);
  if (FILE_FAILS() && error_number) return -1;
  return real(path, flags, rights);
}

ssize_t write(int file, const void *bytes, size_t size)
{
  REAL(write);
  if (!FILE_FAILS()) return real(file, bytes, size);
  return error_number ? -1 : real(file, bytes, (size + 1) / 2);
}

int fsync(int file)
{
  REAL(fsync);
  return FILE_FAILS() && error_number ? -1 : real(file);
}

int fdatasync(int file)
{
  REAL(fdatasync);
  return FILE_FAILS() && error_number ? -1 : real(file);
}

int ftruncate(int file, off_t size)
{
  REAL(ftruncate);
  return FILE_FAILS() && error_number ? -1 : real(file, size);
}

int openat(int folder, const char *path, int flags, ...)
{
  va_list      arguments;
  unsigned int rights = 0;

  if (flags & O_CREAT) {
    va_start(arguments, flags);
    rights = va_arg(arguments, unsigned int);
    va_end(arguments);
  }
  REAL(openat);
  if (FILE_FAILS() && error_number) return -1;
  return real(folder, path, flags, rights);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
  REAL(renameat);
  if (NAME_FAILS()) return -1;
  const int   result = real(from_at, from, to_at, to), told = errno;
  const char *dot = strrchr(to, '.');
  if (mode && getenv("PERCUSS_FAULT_CHECKPOINTS") && dot && !strcmp(dot, ".vtk")) raise(SIGUSR1);
  errno = told;
  return result;
}

int mkdir(const char *path, mode_t rights)
{
  REAL(mkdir);
  return NAME_FAILS() ? -1 : real(path, rights);
}

int mkdirat(int folder, const char *path, mode_t rights)
{
  REAL(mkdirat);
  return NAME_FAILS() ? -1 : real(folder, path, rights);
}

int unlink(const char *path)
{
  REAL(unlink);
  return NAME_FAILS() ? -1 : real(path);
}

int unlinkat(int folder, const char *path, int flags)
{
  REAL(unlinkat);
  return NAME_FAILS() ? -1 : real(folder, path, flags);
}

/* The descriptor is gone all the same, as on Linux. */
int close(int file)
{
  REAL(close);
  const bool fails = FILE_FAILS() && error_number;
  const int  told = errno, result = real(file);
  if (fails) errno = told;
  return fails ? -1 : result;
}

static volatile sig_atomic_t hung;
static pid_t                 child;

/* In the server: percuss uses the alarm of its own process. */
static void on_hang(int number)
{
  (void)number;
  hung = 1;
  kill(child, SIGKILL);
}

static int number_of(const char *name)
{
  const char *text = getenv(name);

  return text ? atoi(text) : -1;
}

static void output_to(const char *path, int descriptor)
{
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);

  if (file < 0 || dup2(file, descriptor) < 0) _exit(99);
  close(file);
}

/* Returns in each child, with its fault; the parent ends with the requests. */
static void serve(void)
{
  const char *paths    = getenv("PERCUSS_FAULT_PATHS");
  const int   requests = number_of("PERCUSS_FAULT_REQUESTS"), answers = number_of("PERCUSS_FAULT_ANSWERS"), file = open(paths ? paths : "", O_RDWR);
  char        line[4600], directory[4096], wanted;
  void       *frame[2];

  if (file < 0 || requests < 0 || answers < 0) _exit(99);
  shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) _exit(99);
  close(file);
  dl_iterate_phdr(note_object, NULL);
  (void)backtrace(frame, 2); /* loads the unwinder, now rather than in a fault */
  fflush(NULL);
  signal(SIGALRM, on_hang);
  for (;;) {
    long long k    = 0;
    size_t    used = 0;
    int       status, error;
    while (used < sizeof(line) - 1 && read(requests, line + used, 1) == 1 && line[used] != '\n') used++;
    line[used] = 0;
    if (sscanf(line, "%c %d %lld %4095s", &wanted, &error, &k, directory) != 4) _exit(0);
    shared->calls = shared->failed = 0;
    hung                           = 0;
    child                          = fork();
    if (child == 0) {
      if (chdir(directory)) _exit(99);
      output_to("stdout", STDOUT_FILENO);
      output_to("stderr", STDERR_FILENO);
      close(requests);
      close(answers);
      signal(SIGALRM, SIG_DFL);
      error_number = error;
      at           = k;
      mode         = wanted;
      started      = getpid();
      return;
    }
    alarm(HANG_SECONDS);
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(99);
    alarm(0);
    dprintf(answers, "%d\n", hung ? -SIGALRM : WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
  }
}

static bool serves_at(const char *place)
{
  const char *wanted = getenv("PERCUSS_FAULT_SERVER");

  return wanted && !strcmp(wanted, place);
}

static __attribute__((constructor)) void begin(void)
{
  if (serves_at("main")) serve();
}

int SlepcInitialize(int *argc, char ***argv, const char *file, const char *help)
{
  REAL(SlepcInitialize);
  const char before = mode;
  mode              = 0;
  const int code    = real(argc, argv, file, help);
  mode              = before;
  if (serves_at("petsc")) serve();
  return code;
}

int SlepcFinalize(void)
{
  REAL(SlepcFinalize);
  mode = 0;
  return real();
}
