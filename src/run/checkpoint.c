#include "checkpoint.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/sha256.h"
#include "output/file.h"
#include "percuss_version.h"
#include "physics.h"

#define NS_CHUNK       (1 << 18) /* bytes of a chunk, at most */
#define NS_CHECKSUM    72        /* "sha256 ", 64 digits, end of line */
#define NS_FOLDER      "checkpoint"
#define NS_CHECKPOINTS "step_%015lld.ckpt"

enum { NS_CHECKPOINT_NAME = 64 };

struct NsCheckpoints {
  NsCheckpointHead head; /* but for step and time */
  MPI_Comm         comm; /* messages here are separate from all others */
  int              tag;
  char             name[NS_CHECKPOINT_NAME], before[NS_CHECKPOINT_NAME]; /* of the newest; of the one before it; "": none */
  char             next[NS_CHECKPOINT_NAME];                             /* of the one that is being written */
  NsFile           file;
  NsSha256         sha;
  int              from;  /* reading: file */
  char            *chunk; /* [NS_CHUNK] */
  size_t           used, at;
  PetscBool        ended; /* the chunk of size 0 has been read */
};

/* ---- what it fits to ------------------------------------------------------------------------------------------------------------------------------ */

static void hash_inputs(const NsRun *run, char hash[NS_SHA256_TEXT])
{
  NsSha256 sha;

  NsSha256Begin(&sha);
  for (NsFileList *file = run->inputs; file; file = file->next) {
    const char *one = NsFileListHash(file);
    if (one) NsSha256Add(&sha, one, strlen(one));
  }
  NsSha256End(&sha, hash);
}

static PetscErrorCode describe(NsRun *run, NsCheckpointHead *head)
{
  size_t      size;
  const char *config = NsTreeText(NsRunPhysics(run->tree, run->arena), run->arena, &size);
  char       *options;

  PetscFunctionBegin;
  (void)snprintf(head->program, sizeof(head->program), "%s %s %s %s", PERCUSS_VERSION, PERCUSS_COMMIT, PERCUSS_COMPILER, PERCUSS_BUILD);
  NsSha256Bytes(config, size, head->config);
  hash_inputs(run, head->inputs);
  PetscCall(PetscOptionsGetAll(NULL, &options));
  NsSha256Bytes(options, strlen(options), head->options);
  PetscCall(PetscFree(options));
  head->ranks = run->model->layout->ranks;
  PetscFunctionReturn(0);
}

/* ---- files ---------------------------------------------------------------------------------------------------------------------------------------- */

static ssize_t read_some(int fd, void *to, size_t size)
{
  ssize_t n;

  do n = read(fd, to, size);
  while (n < 0 && errno == EINTR);
  return n;
}

static PetscBool read_all(int fd, void *to, size_t size)
{
  for (char *at = to; size;) {
    const ssize_t n = read_some(fd, at, size);
    if (n <= 0) return PETSC_FALSE;
    at += n;
    size -= (size_t)n;
  }
  return PETSC_TRUE;
}

/* Whether the file ends with the hash of the preceding bytes. */
static PetscBool is_whole(int fd, char *buffer, size_t capacity)
{
  struct stat status;
  NsSha256    sha;
  char        hash[NS_SHA256_TEXT], line[NS_CHECKSUM + 1], found[NS_CHECKSUM];

  if (fstat(fd, &status) || status.st_size < NS_CHECKSUM) return PETSC_FALSE;
  NsSha256Begin(&sha);
  for (size_t left = (size_t)status.st_size - NS_CHECKSUM; left;) {
    const ssize_t n = read_some(fd, buffer, PetscMin(left, capacity));
    if (n <= 0) return PETSC_FALSE;
    NsSha256Add(&sha, buffer, (size_t)n);
    left -= (size_t)n;
  }
  NsSha256End(&sha, hash);
  (void)snprintf(line, sizeof(line), "sha256 %s\n", hash);
  return read_all(fd, found, sizeof(found)) && !memcmp(line, found, sizeof(found));
}

static int open_to_read(NsRun *run, const char *name)
{
  const char *leaf;
  const int   at = NsFolderAt(run->sink.folder, name, &leaf);

  return at < 0 ? -1 : (int)TEMP_FAILURE_RETRY(openat(at, leaf, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

/* The file's head, and that it fits; "": it does. */
static void inspect(NsRun *run, const char *name, NsCheckpointHead *head, char *why, size_t size)
{
  NsCheckpoints *self = run->checkpoints;
  int            fd   = open_to_read(run, name);
  const ssize_t  n    = fd < 0 ? -1 : read_some(fd, self->chunk, NS_CHECKPOINT_HEAD);

  head->time = 0;
  if (n < 0)
    (void)snprintf(why, size, "it cannot be read: %s", NsFolderWhy(errno));
  else if (!NsCheckpointReadHead(self->chunk, (size_t)n, head))
    (void)snprintf(why, size, "it is not a checkpoint of this version");
  else if (lseek(fd, 0, SEEK_SET) < 0 || !is_whole(fd, self->chunk, NS_CHUNK))
    (void)snprintf(why, size, "it is damaged: its checksum differs");
  else
    NsCheckpointCompareHeads(&self->head, head, run->options.unstarted, why, size);
  if (fd >= 0) (void)close(fd);
}

static PetscBool is_checkpoint(const char *name)
{
  char again[64];

  if (strncmp(name, "step_", 5) != 0) return PETSC_FALSE;
  (void)snprintf(again, sizeof(again), NS_CHECKPOINTS, strtoll(name + 5, NULL, 10));
  return strcmp(name, again) == 0;
}

/* The last name in the order of steps that comes before `below` (NULL: the last of all); NULL: none. */
static const char *last_name(NsRun *run, const char *below)
{
  const char    *ignored, *last = NULL;
  const int      at     = NsFolderAt(run->sink.folder, NS_FOLDER "/", &ignored);
  const int      fd     = at < 0 ? -1 : openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR           *folder = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;

  while (folder && (entry = readdir(folder))) {
    if (!is_checkpoint(entry->d_name) || (below && strcmp(entry->d_name, below) >= 0) || (last && strcmp(entry->d_name, last) <= 0)) continue;
    last = NsArenaCopy(run->arena, entry->d_name, strlen(entry->d_name));
  }
  if (folder)
    (void)closedir(folder);
  else if (fd >= 0)
    (void)close(fd);
  return last;
}

PetscBool NsCheckpointsAreThere(NsRun *run)
{
  return last_name(run, NULL) != NULL;
}

const char *NsCheckpointFind(NsRun *run, PetscReal before, PetscReal *t, char *why, size_t size)
{
  NsCheckpoints *self  = run->checkpoints;
  const char    *found = NULL;

  *why = 0;
  for (const char *leaf = last_name(run, NULL); leaf; leaf = last_name(run, leaf)) {
    const char      *name = NsArenaPrint(run->arena, NS_FOLDER "/%s", leaf);
    char             reason[512];
    NsCheckpointHead head;
    inspect(run, name, &head, reason, sizeof(reason));
    if (reason[0] && !*why) (void)snprintf(why, size, "%s: %s", NsSinkPath(&run->sink, "%s", name), reason);
    if (reason[0] || !(head.time < before)) continue;
    if (found) {
      (void)snprintf(self->before, sizeof(self->before), "%s", name);
      break;
    }
    found = run->checkpoint = name;
    *t                      = head.time;
    (void)snprintf(self->name, sizeof(self->name), "%s", name);
  }
  return found;
}

void NsRunResume(NsRun *run, PetscBool resumes)
{
  run->sink.resumes = resumes;
  run->cleared      = run->cleared || resumes;
}

/* All but the newest two, of percuss's list; others' files of such a name stay. */
static void remove_others(NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  for (const char *leaf = last_name(run, NULL); leaf; leaf = last_name(run, leaf)) {
    const char *name = NsArenaPrint(run->arena, NS_FOLDER "/%s", leaf);
    if (!strcmp(name, self->name) || !strcmp(name, self->before)) continue;
    if (NsFolderOwns(run->sink.folder, name) || NsFolderIsEmptyFile(run->sink.folder, name)) (void)NsFolderRemoveFile(run->sink.folder, name);
  }
}

void NsCheckpointsTidy(NsRun *run)
{
  int keep = run->scheme->type->adapts ? 2 : 1; /* a shortened last step is not one to continue from: see loop.c */

  if (!run->sink.writes || !run->sink.folder) return;
  for (const char *leaf = last_name(run, NULL); leaf; leaf = last_name(run, leaf)) {
    const char     *name  = NsArenaPrint(run->arena, NS_FOLDER "/%s", leaf);
    const PetscBool empty = NsFolderIsEmptyFile(run->sink.folder, name);
    if (!empty && (!NsFolderOwns(run->sink.folder, name) || keep-- > 0)) continue;
    (void)NsFolderRemoveFile(run->sink.folder, name);
  }
}

void NsCheckpointsDropNewest(NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  if (run->sink.writes && self->name[0]) (void)NsFolderRemoveFile(run->sink.folder, self->name);
  memcpy(self->name, self->before, sizeof(self->name));
  self->before[0] = 0;
}

/* ---- chunks --------------------------------------------------------------------------------------------------------------------------------------- */

static void put_file(NsCheckpoints *self, const void *bytes, size_t size)
{
  NsSha256Add(&self->sha, bytes, size);
  NsFileBytes(&self->file, bytes, size);
}

static void put_chunk(NsCheckpoints *self)
{
  const uint32_t size = (uint32_t)self->used;

  put_file(self, &size, sizeof(size));
  put_file(self, self->chunk, self->used);
}

/* Reads a chunk from the file; false: no further chunk. */
static PetscBool get_chunk(NsCheckpoints *self)
{
  uint32_t size;

  self->used = self->at = 0;
  if (!read_all(self->from, &size, sizeof(size)) || size > NS_CHUNK || !read_all(self->from, self->chunk, size)) return PETSC_FALSE;
  self->used = size;
  return PETSC_TRUE;
}

static PetscErrorCode pass_on(NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  PetscFunctionBegin;
  if (run->sink.writes)
    put_chunk(self);
  else
    PetscCallMPI(MPI_Send(self->chunk, (int)self->used, MPI_BYTE, 0, self->tag, self->comm));
  self->used = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode fetch(NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  PetscFunctionBegin;
  if (run->sink.writes) {
    if (!get_chunk(self)) self->used = 0;
  } else {
    MPI_Status status;
    int        size;
    PetscCallMPI(MPI_Recv(self->chunk, NS_CHUNK, MPI_BYTE, 0, self->tag, self->comm, &status));
    PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &size));
    self->used = (size_t)size;
    self->at   = 0;
  }
  self->ended = self->used == 0;
  PetscFunctionReturn(0);
}

static PetscBool move_out(void *context, void *bytes, size_t size)
{
  NsRun         *run  = context;
  NsCheckpoints *self = run->checkpoints;

  for (const char *from = bytes; size;) {
    const size_t part = PetscMin(size, NS_CHUNK - self->used);
    memcpy(self->chunk + self->used, from, part);
    self->used += part;
    from += part;
    size -= part;
    if (self->used == NS_CHUNK && pass_on(run)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscBool move_in(void *context, void *bytes, size_t size)
{
  NsRun         *run  = context;
  NsCheckpoints *self = run->checkpoints;

  for (char *to = bytes; size;) {
    if (self->at == self->used && (self->ended || fetch(run) || self->ended)) return PETSC_FALSE;
    const size_t part = PetscMin(size, self->used - self->at);
    memcpy(to, self->chunk + self->at, part);
    self->at += part;
    to += part;
    size -= part;
  }
  return PETSC_TRUE;
}

/* ---- the whole of a run --------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode serialize_state(NsRun *run, NsArchive *archive)
{
  const PetscReal step_limit = run->scheme->step_limit; /* with a later end it may be smaller */

  PetscFunctionBegin;
  NsArchiveReals(archive, "t", 1, &run->state.t);
  PetscCall(NsArchiveVec(archive, "q", run->state.q));
  PetscCall(NsArchiveVec(archive, "v", run->state.v));
  NsArchiveLong(archive, "steps", &run->figures.steps);
  NsArchiveLong(archive, "impulsive_steps", &run->figures.impulsive_steps);
  NsArchiveLong(archive, "short_steps", &run->figures.short_steps);
  NsArchiveReals(archive, "last_step", 1, &run->last_step);
  NsArchiveReals(archive, "max_penetration", 1, &run->figures.max_penetration);
  NsArchiveReals(archive, "loop_seconds", 1, &run->figures.loop_seconds);
  NsArchiveReals(archive, "writing_seconds", 1, &run->figures.writing_seconds);
  NsArchiveBytes(archive, "ledger", sizeof(run->ledger), &run->ledger);
  NsArchiveReals(archive, "step_limit", 1, &run->scheme->step_limit); /* follows the spin where it is free */
  run->scheme->step_limit = PetscMin(run->scheme->step_limit, step_limit);
  NsArchiveLong(archive, "ledger_step", &run->ledger_step);
  NsGuardSerialize(&run->guard, archive);
  NsRunSerializeSwitches(run, archive);
  NsContactSerialize(run->contact, archive);
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunSerialize(NsRun *run, NsArchive *archive)
{
  PetscFunctionBegin;
  PetscCall(serialize_state(run, archive));
  PetscCall(NsWorkspaceSerialize(run->scheme->work, archive));
  PetscCall(NsWritersSerialize(run->writers, run->writer, archive));
  if (run->manifest) NsManifestSerialize(run, archive);
  PetscFunctionReturn(0);
}

PetscErrorCode NsCheckpointsCreate(NsRun *run)
{
  NsCheckpoints *self = NsArenaAlloc(run->arena, sizeof(*self));

  PetscFunctionBegin;
  run->checkpoints = self;
  self->chunk      = NsArenaAlloc(run->arena, NS_CHUNK);
  self->comm       = run->model->layout->comm;
  if (run->model->layout->ranks > 1) PetscCall(PetscCommGetNewTag(self->comm, &self->tag));
  NsFileCreate(&self->file, &run->sink, NS_CHUNK);
  PetscCall(describe(run, &self->head));
  PetscFunctionReturn(0);
}

/* Chunks of the other processes, one process after the other. */
static PetscErrorCode collect(NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  PetscFunctionBegin;
  for (int rank = 1; rank < run->model->layout->ranks; rank++) {
    do {
      MPI_Status status;
      int        size;
      PetscCallMPI(MPI_Recv(self->chunk, NS_CHUNK, MPI_BYTE, rank, self->tag, self->comm, &status));
      PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &size));
      self->used = (size_t)size;
      put_chunk(self);
    } while (self->used);
  }
  PetscFunctionReturn(0);
}

/* The finished file gets its name; the oldest of three goes. If an output could not be synced to the disk, rows may be missing in it: then there is no checkpoint. */
static void publish(const NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  if (run->sink.failure[0]) {
    NsFileDiscard(&self->file);
    return;
  }
  if (!NsFilePublish(&self->file, PETSC_TRUE) || !strcmp(self->next, self->name)) return;
  if (self->before[0]) (void)NsFolderRemoveFile(run->sink.folder, self->before);
  memcpy(self->before, self->name, sizeof(self->before));
  memcpy(self->name, self->next, sizeof(self->name));
}

PetscErrorCode NsCheckpointWrite(NsRun *run, PetscInt64 step)
{
  NsCheckpoints *self    = run->checkpoints;
  NsArchive      archive = {.reading = PETSC_FALSE, .move = move_out, .context = run};
  char           text[NS_CHECKPOINT_HEAD], hash[NS_SHA256_TEXT];

  PetscFunctionBegin;
  self->used = 0;
  if (run->sink.writes) {
    (void)snprintf(self->next, sizeof(self->next), NS_FOLDER "/" NS_CHECKPOINTS, (long long)step);
    NsFileMakeDirectory(&run->sink, NS_FOLDER);
    NsFileOpenPart(&self->file, self->next);
    NsSha256Begin(&self->sha);
    self->head.step = step;
    self->head.time = run->state.t;
    put_file(self, text, (size_t)NsCheckpointPrintHead(&self->head, text));
  }
  PetscCall(NsRunSerialize(run, &archive));
  if (self->used) PetscCall(pass_on(run));
  PetscCall(pass_on(run));
  if (!run->sink.writes) PetscFunctionReturn(0);
  PetscCall(collect(run));
  NsSha256End(&self->sha, hash);
  NsFilePrint(&self->file, "sha256 %s\n", hash);
  publish(run);
  PetscFunctionReturn(0);
}

/* Chunks for the other processes. */
static PetscErrorCode distribute(NsRun *run)
{
  NsCheckpoints *self = run->checkpoints;

  PetscFunctionBegin;
  for (int rank = 1; rank < run->model->layout->ranks; rank++) {
    do {
      if (!get_chunk(self)) self->used = 0;
      PetscCallMPI(MPI_Send(self->chunk, (int)self->used, MPI_BYTE, rank, self->tag, self->comm));
    } while (self->used);
  }
  PetscFunctionReturn(0);
}

static PetscBool open_file(NsRun *run)
{
  NsCheckpoints   *self = run->checkpoints;
  NsCheckpointHead head;
  ssize_t          n;
  size_t           begin;

  self->from = open_to_read(run, run->checkpoint);
  if (self->from < 0) return PETSC_FALSE;
  n     = read_some(self->from, self->chunk, NS_CHECKPOINT_HEAD);
  begin = n > 0 ? NsCheckpointReadHead(self->chunk, (size_t)n, &head) : 0;
  return begin && lseek(self->from, (off_t)begin, SEEK_SET) >= 0;
}

/* What `serialize` takes of the checkpoint; the rest is passed over. */
static PetscErrorCode read_into(NsRun *run, PetscErrorCode (*serialize)(NsRun *, NsArchive *), PetscBool whole)
{
  NsCheckpoints *self    = run->checkpoints;
  NsArchive      archive = {.reading = PETSC_TRUE, .move = move_in, .context = run};

  PetscFunctionBegin;
  self->used = self->at = 0;
  self->ended           = PETSC_FALSE;
  if (run->sink.writes && !open_file(run)) NsSinkFail(&run->sink, "cannot read %s/%s: %s", run->sink.directory, run->checkpoint, strerror(errno));
  PetscCall(serialize(run, &archive));
  if (whole && !archive.problem[0] && self->at < self->used) (void)snprintf(archive.problem, sizeof(archive.problem), "is longer than expected");
  while (!self->ended) PetscCall(fetch(run)); /* the rest, so that all processes have had theirs */
  if (archive.problem[0]) NsSinkFail(&run->sink, "cannot %s the checkpoint: it %s", whole ? "resume from" : "start from", archive.problem);
  if (!run->sink.writes) PetscFunctionReturn(0);
  PetscCall(distribute(run));
  if (self->from >= 0) (void)close(self->from);
  PetscFunctionReturn(0);
}

/* A failure of one process is that of all. */
static PetscErrorCode share_failure(NsRun *run)
{
  PetscInt failed = run->sink.failure[0] != 0;

  PetscFunctionBegin;
  PetscCall(NsLayoutAgree(run->model->layout, &failed));
  if (failed) NsSinkFail(&run->sink, "another process cannot read the checkpoint");
  PetscFunctionReturn(0);
}

PetscErrorCode NsCheckpointRead(NsRun *run)
{
  PetscFunctionBegin;
  PetscCall(read_into(run, NsRunSerialize, PETSC_TRUE));
  if (run->sink.writes) {
    remove_others(run);
    NsFolderRemoveParts(run->sink.folder);
  }
  PetscCall(share_failure(run));
  PetscFunctionReturn(0);
}

/* The newest, or that at the time `at`, where this is not negative. False after a message. */
static PetscBool find_state(NsRun *run, PetscReal at)
{
  NsCheckpointHead head;
  const char      *times = "";
  char             why[512], first[512] = "";

  if (!NsRunOpenFolder(run, PETSC_FALSE)) {
    NsSinkFail(&run->sink, "%s", NsFolderWhy(errno));
    return PETSC_FALSE;
  }
  for (const char *leaf = last_name(run, NULL); leaf; leaf = last_name(run, leaf)) {
    const char *name = NsArenaPrint(run->arena, NS_FOLDER "/%s", leaf);
    inspect(run, name, &head, why, sizeof(why));
    if (why[0] && !first[0]) (void)snprintf(first, sizeof(first), "%s", why);
    if (why[0]) continue;
    if (at < 0 && first[0]) {
      NsSinkFail(&run->sink, "of its last state: %s; the one before is whole: `at: %.9g s`", first, head.time);
      return PETSC_FALSE;
    }
    run->checkpoint = name;
    if (at < 0 || PetscAbsReal(head.time - at) <= 1e-9 * at) return PETSC_TRUE;
    times = NsArenaPrint(run->arena, "%s%s%.9g s", times, *times ? ", " : "", head.time);
  }
  if (*times)
    NsSinkFail(&run->sink, "it has no state at t = %.9g s, but at %s", at, times);
  else
    NsSinkFail(&run->sink, "%s%s", first[0] ? "of its last state: " : "it has kept no state", first);
  return PETSC_FALSE;
}

PetscErrorCode NsCheckpointReadState(NsRun *run, PetscReal at)
{
  PetscFunctionBegin;
  PetscCall(NsCheckpointsCreate(run));
  if (run->sink.writes) (void)find_state(run, at);
  PetscCall(share_failure(run));
  if (!run->sink.failure[0]) PetscCall(read_into(run, serialize_state, PETSC_FALSE));
  PetscCall(share_failure(run));
  PetscFunctionReturn(0);
}
