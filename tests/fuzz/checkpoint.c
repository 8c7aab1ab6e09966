/*
  Checkpoints that are not what they were.

  The first two bytes choose a model and a scheme, whose run is stopped once, with a checkpoint; the others are edits of that checkpoint (numbers put at places, bytes put in or
  taken out), which gets a right checksum again: what stands behind it is looked at too. The run then goes on from it. Promises: one that was not edited goes on; any
  other is refused with a reason, or goes on.
*/
#include "fuzz.h"
#include <float.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/results.h"
#include "core/sha256.h"

enum { MODELS = 5, SCHEMES = 32, CHECKSUM = 72, MOST_FILES = 64, MOST_RECORDS = 1024 };

static const char *const models[MODELS] = {
  "bodies:\n  bar:\n    type: bar\n    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}\n    material: {density: 8000, young: 200 GPa}\n    section: {area: 1 cm^2}\n"
  "    initial: {velocity: [-1, 0, 0]}\ncontacts:\n  wall:\n    between: [{node: bar.left}, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]\n    restitution: 0.5\n"
  "time: {end: 1 ms}\nscheme: ",
  "bodies: {m: {type: slider_crank, contact: {restitution: 0.4, friction: 0.01}}}\ngravity: [0, -9.81, 0]\ntime: {end: 1 ms}\nscheme: ",
  "bodies: {m: {type: bouncing_ball}}\ngravity: [0, -9.81, 0]\ntime: {end: 1 ms}\nscheme: ",
  "bodies:\n  shaft:\n    type: rotor\n    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 2}}\n    material: {density: 7800, young: 210 GPa}\n"
  "    section: {circle: {radius: 10 mm}}\n    spin: {free: 3000 rpm}\nbearings:\n  left: {between: [shaft.left, ground], stiffness: 1 MN/m}\n"
  "  right: {between: [shaft.right, ground], stiffness: 1 MN/m}\nunbalances: {one: {at: shaft@0.5 m, mass_eccentricity: 0.001 kg m}}\n"
  "output: {orbits: {every: 1, stations: {middle: shaft@0.5 m}}}\ntime: {end: 1 ms}\nscheme: ",
  "bodies:\n  bar:\n    type: bar\n    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}\n    material: {density: 8000, young: 200 GPa}\n    section: {area: 1 cm^2}\n"
  "    mass: redistributed\n    initial: {velocity: [-1, 0, 0]}\ncontacts:\n  wall:\n    between: [{node: bar.left}, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]\n"
  "time: {end: 1 ms}\nscheme: ",
};

typedef struct {
  char  *path; /* in the folder */
  char  *data;
  size_t size;
} File;

/* What a run that was stopped has left. */
typedef struct {
  bool  tried;
  char *config;
  int   files, checkpoint; /* its number among them; -1: none, this model and scheme do not stop */
  File  file[MOST_FILES];
  int   records; /* of the checkpoint, as src/core/archive.c writes them */
  struct {
    size_t at, size; /* of what is kept, without its name */
  } record[MOST_RECORDS];
} Stopped;

static Stopped stopped[MODELS][SCHEMES], *loading;

static int load_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
  File *to = &loading->file[loading->files];
  FILE *from;

  (void)where;
  if (kind != FTW_F || loading->files == MOST_FILES) return 0;
  *to  = (File){strdup(path), malloc((size_t)status->st_size + 1), (size_t)status->st_size};
  from = fopen(path, "rb");
  if (!to->path || !to->data || !from || fread(to->data, 1, to->size, from) != to->size) FuzzFinding("cannot read %s", path);
  fclose(from);
  if (strstr(path, ".ckpt")) loading->checkpoint = loading->files;
  loading->files++;
  return 0;
}

/* Where numbers are, so that edits hit them; all in the first chunk. */
static void find_records(Stopped *self)
{
  const File *file = &self->file[self->checkpoint];
  const char *head = memmem(file->data, file->size, "\n\n", 2);
  size_t      at   = head ? (size_t)(head - file->data) + 2 + sizeof(uint32_t) : file->size;

  while (self->records < MOST_RECORDS && at + 1 < file->size) {
    const size_t name = (unsigned char)file->data[at];
    uint64_t     size;

    if (at + 1 + name + sizeof(size) > file->size - CHECKSUM) return;
    memcpy(&size, file->data + at + 1 + name, sizeof(size));
    at += 1 + name + sizeof(size);
    if (size > file->size - at) return;
    self->record[self->records].at   = at;
    self->record[self->records].size = (size_t)size;
    self->records += size > 0;
    at += (size_t)size;
  }
}

/* NULL where the config does not fit the scheme. */
static NsRun *create(const char *config, PetscBool resume, NsArena *arena)
{
  NsDiag      *diag    = NsDiagCreate(arena);
  NsRunOptions options = {.config_path = "fuzz.yaml", .config_text = config, .directory = FuzzFolder(), .quiet = PETSC_TRUE, .resume = resume};
  NsRun       *run;

  FuzzCheck(NsRunCreate(&options, arena, diag, &run));
  if (NsDiagErrors(diag)) FuzzCheck(NsRunDestroy(&run));
  return run;
}

static const Stopped *stop(unsigned model, unsigned scheme)
{
  Stopped *self  = &stopped[model][scheme];
  NsArena *arena = NsArenaCreate();
  NsRun   *run;

  if (!self->tried) {
    self->tried      = true;
    self->checkpoint = -1;
    self->config     = strdup(NsArenaPrint(arena, "%s%s\n", models[model], FuzzScheme(scheme, "20 us", arena)));
    FuzzEmptyFolder();
    run = create(self->config, PETSC_FALSE, arena);
    if (run) {
      FuzzExecute(run);
      loading = self;
      if (NsRunExit(run) == NS_EXIT_STOPPED) (void)nftw(FuzzFolder(), load_one, 16, FTW_PHYS);
      if (self->checkpoint >= 0) find_records(self);
      FuzzExpect(self->checkpoint < 0 || self->records > 10, "a checkpoint of %d records", self->records);
      FuzzCheck(NsRunDestroy(&run));
    }
  }
  NsArenaDestroy(&arena);
  return self->checkpoint < 0 ? NULL : self;
}

/* ---- edits ---- */

typedef struct {
  const uint8_t *data;
  size_t         left;
} Input;

static unsigned take(Input *input)
{
  if (!input->left) return 0;
  input->left--;
  return *input->data++;
}

static void put(char *bytes, size_t size, size_t at, const void *value, size_t length)
{
  if (at + length <= size) memcpy(bytes + at, value, length);
}

/* Anywhere, or, mostly, at a number of a record; one that an edit before has moved is missed. */
static size_t take_place(Input *input, const Stopped *self, size_t size, size_t unit)
{
  size_t number = take(input) << 8;

  number += take(input);
  if (take(input) % 4 == 0) return number % (size + 1);
  number %= (size_t)self->records;
  return self->record[number].at + take(input) % ((self->record[number].size + unit - 1) / unit) * unit;
}

/* bytes have room for more; returns their new number. */
static size_t edit(Input *input, const Stopped *self, char *bytes, size_t size, size_t room)
{
  static const double  reals[]  = {0, 1, -1, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 1e-9, 1e9, 1e-3};
  static const int64_t wholes[] = {0, 1, -1, 2, 3, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 16, 255, 1 << 18};
  enum { REALS = sizeof(reals) / sizeof(*reals), WHOLES = sizeof(wholes) / sizeof(*wholes) };
  const unsigned what = take(input) % 7;
  const size_t   unit = what == 1 ? sizeof(int32_t) : what == 2 || what == 3 ? sizeof(double) : 1, place = take_place(input, self, size, unit);
  const size_t   at    = place < size ? place : size;
  unsigned       n     = take(input);
  const int32_t  small = (int32_t)(wholes[n % WHOLES] > INT32_MAX ? INT32_MAX : wholes[n % WHOLES]);

  switch (what) {
  case 0: put(bytes, size, at, &(char){(char)n}, 1); return size;
  case 1: put(bytes, size, at, &small, sizeof(small)); return size;
  case 2: put(bytes, size, at, &wholes[n % WHOLES], sizeof(*wholes)); return size;
  case 3: put(bytes, size, at, &reals[n % REALS], sizeof(*reals)); return size;
  case 4: /* out */
    if (n > size - at) n = (unsigned)(size - at);
    memmove(bytes + at, bytes + at + n, size - at - n);
    return size - n;
  case 5: /* in */
    if (n > room - size) return size;
    memmove(bytes + at + n, bytes + at, size - at);
    memset(bytes + at, (int)(n % 3), n);
    return size + n;
  default: return n % 8 ? size : at;
  }
}

static void write_checksum(char *bytes, size_t size)
{
  NsSha256 sha;
  char     hash[NS_SHA256_TEXT];

  NsSha256Begin(&sha);
  NsSha256Add(&sha, bytes, size);
  NsSha256End(&sha, hash);
  (void)snprintf(bytes + size, CHECKSUM + 1, "sha256 %s\n", hash);
}

static void write_file(const char *path, const char *data, size_t size)
{
  FILE *file = fopen(path, "wb");

  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) FuzzFinding("cannot write %s", path);
}

/* True where nothing was edited. */
static bool write_edited(const Stopped *self, Input *input)
{
  enum { ROOM = 4096 };
  const File  *file   = &self->file[self->checkpoint];
  const size_t before = file->size - CHECKSUM;
  size_t       size   = before;
  char        *bytes  = malloc(file->size + ROOM + 1);
  bool         same;

  if (!bytes) FuzzFinding("no memory");
  memcpy(bytes, file->data, before);
  while (input->left) size = edit(input, self, bytes, size, before + ROOM);
  write_checksum(bytes, size);
  write_file(file->path, bytes, size + CHECKSUM);
  same = size == before && !memcmp(bytes, file->data, size);
  free(bytes);
  return same;
}

static void make_folders(const Stopped *self)
{
  for (int i = 0; i < self->files; i++) {
    const char *slash = strrchr(self->file[i].path, '/');
    char        path[512];

    (void)snprintf(path, sizeof(path), "%.*s", (int)(slash - self->file[i].path), self->file[i].path);
    if (strlen(path) > strlen(FuzzFolder())) (void)mkdir(path, 0700);
  }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  FuzzStartPetsc();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Input          input = {data, size};
  const unsigned model = take(&input) % MODELS, scheme = take(&input) % SCHEMES;
  const Stopped *self  = stop(model, scheme);
  NsArena       *arena = NsArenaCreate();
  NsResume       way   = NS_RESUME_REFUSED;
  bool           same;
  NsRun         *run;

  if (self) {
    FuzzEmptyFolder();
    make_folders(self);
    for (int i = 0; i < self->files; i++) {
      if (i != self->checkpoint) write_file(self->file[i].path, self->file[i].data, self->file[i].size);
    }
    same = write_edited(self, &input);
    run  = create(self->config, PETSC_TRUE, arena);
    FuzzExpect(run, "a config that was good is not");
    FuzzCheck(NsResumeResults(run, &way));
    FuzzExpect(!same || (way == NS_RESUME_RUN && run->sink.resumes), "a checkpoint that was not edited is refused");
    if (way == NS_RESUME_RUN) FuzzExecute(run);
    FuzzExpect(!same || NsRunExit(run) != NS_EXIT_FAILED, "a checkpoint that was not edited fails: %s", run->sink.failure);
    FuzzCheck(NsRunDestroy(&run));
  }
  NsArenaDestroy(&arena);
  return 0;
}
