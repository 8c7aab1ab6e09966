/*
  What output costs. Usage: bench_output [ROUNDS [DIRECTORY]]; files go to a new directory in DIRECTORY (the present one), and are removed.

  1. Numbers of tables a second, random doubles in rows of 8, beside printf's %.17g.
  2. A frame of a bar of 1e6 elements, of 1e6 equal hexahedra, and of 1e6 tetrahedra under random stresses: its fields; the whole frame, beside write(2) of as many bytes in pieces of the same size, which is what the disk and
     the system allow.
  3. A frame of the elastic bar (configs/elastic_bar.yaml, 50 elements, one contact), a pair of files each, beside plain files with the same bytes.

  The best of the rounds counts, which alternate: machines are shared. Time is that of the clock, for a disk may be waited for.
*/
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <slepcsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output/file.h"
#include "output/writer.h"
#include "run/private.h"

enum { NUMBERS = 4000000, COLUMNS = 8, PIECE = 1 << 18, SMALL_FRAMES = 1000, ITEMS = 13 };

typedef struct {
  const char *name, *unit;
  double      best; /* s for one of unit */
  double      bytes;
} Item;

static Item item[ITEMS] = {{"numbers", "number"}, {"  printf", "number"}, {"fields of 1e6 elements", "frame"}, {"frame of 1e6 elements", "frame"},
  {"  plain writes", "frame"}, {"fields of 1e6 hexahedra", "frame"}, {"frame of 1e6 hexahedra", "frame"}, {"  plain writes", "frame"},
  {"fields of 1e6 tetrahedra", "frame"}, {"frame of 1e6 tetrahedra", "frame"}, {"  plain writes", "frame"}, {"frame of 50 elements", "frame"},
  {"  plain files", "frame"}};

static void keep(int i, double seconds, double count, double bytes)
{
  if (item[i].best == 0 || seconds / count < item[i].best) item[i].best = seconds / count;
  item[i].bytes = bytes;
}

static const char *in(const NsSink *sink, const char *name)
{
  return NsSinkPath(sink, "%s", name);
}

static double size_of(const char *path)
{
  struct stat status;

  return stat(path, &status) == 0 ? (double)status.st_size : 0;
}

static void write_plain(const char *path, const char *bytes, size_t size)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

  for (size_t done = 0; done < size; done += PIECE) {
    if (write(fd, bytes, PetscMin(size - done, PIECE)) < 0) exit(1);
  }
  close(fd);
}

static PetscErrorCode bench_numbers(NsSink *sink, int rounds)
{
  double  *number = malloc(sizeof(*number) * NUMBERS);
  uint64_t random = 88172645463325252u;
  NsFile   file;

  PetscFunctionBegin;
  for (int i = 0; i < NUMBERS; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    number[i] = ldexp((double)(int64_t)random, (int)(random % 60) - 90);
  }
  NsFileCreate(&file, sink, 65536);
  for (int r = 0; r < rounds; r++) {
    double start = NsSeconds();
    NsFileOpen(&file, "numbers.csv");
    for (int i = 0; i < NUMBERS; i++) {
      const int last = i % COLUMNS == COLUMNS - 1;
      NsFileNumber(&file, number[i], last ? '\n' : ',');
      if (last) NsFileEndRow(&file);
    }
    NsFileClose(&file, PETSC_FALSE);
    keep(0, NsSeconds() - start, NUMBERS, size_of(in(sink, "numbers.csv")));
    start       = NsSeconds();
    FILE *plain = fopen(in(sink, "numbers.csv"), "w");
    for (int i = 0; i < NUMBERS; i++) fprintf(plain, "%.17g%c", number[i], i % COLUMNS == COLUMNS - 1 ? '\n' : ',');
    fclose(plain);
    keep(1, NsSeconds() - start, NUMBERS, size_of(in(sink, "numbers.csv")));
  }
  free(number);
  PetscFunctionReturn(0);
}

/* Frames of a config, all of its state at the start; the fields alone and the same bytes by plain writes beside. */
static PetscErrorCode bench_frames(const char *config, const char *const *set, const char *directory, int rounds, int frames, int first)
{
  NsArena     *arena   = NsArenaCreate();
  NsDiag      *diag    = NsDiagCreate(arena);
  NsRunOptions options = {.config_path = config, .set = set, .directory = directory};
  NsWriter    *writer;
  NsRun       *run;

  PetscFunctionBegin;
  while (set[options.sets]) options.sets++;
  PetscCall(NsRunCreate(&options, arena, diag, &run));
  NsDiagPrint(diag, stderr, false);
  if (NsDiagErrors(diag)) exit(1);
  PetscCall(NsContactBeginStep(run->contact));
  PetscCall(NsContactEndStep(run->contact, &run->state));

  const NsScene *scene  = &run->model->scene;
  NsFields       fields = {.displacement = malloc(sizeof(PetscReal) * 3 * (size_t)scene->points),
          .velocity                      = malloc(sizeof(PetscReal) * 3 * (size_t)scene->points),
          .stress                        = malloc(sizeof(PetscReal) * (size_t)scene->cells),
          .normal_force                  = malloc(sizeof(PetscReal) * (size_t)scene->cells),
          .energy                        = malloc(sizeof(PetscReal) * (size_t)scene->cells)};
  if (scene->solids) {
    fields.stress_tensor = malloc(sizeof(PetscReal) * 9 * (size_t)scene->cells);
    fields.strain_tensor = malloc(sizeof(PetscReal) * 9 * (size_t)scene->cells);
    PetscCall(VecSetRandom(run->state.q, NULL));
    PetscCall(VecScale(run->state.q, 1e-9));
  }
  for (int r = 0; r < rounds; r++) {
    double start = NsSeconds();
    NsFolderClose(&run->sink.folder);
    run->sink.directory = NsArenaPrint(arena, "%s/%d_%d", directory, first, r); /* a new one: removing files makes the next ones dear */
    if (mkdir(run->sink.directory, 0777)) exit(1);
    if (frames == 1) {
      PetscCall(run->model->view.fields(run->model, 0, run->state.q, run->state.v, NULL, &fields));
      keep(first++, NsSeconds() - start, 1, 56.0 * scene->points + (scene->solids ? 168.0 : 24.0) * scene->cells);
    }
    const NsWriterContext context = {.sink = &run->sink, .model = run->model, .settings = run->config.output, .end = 1, .steps = frames};
    for (const NsWriterType *const *type = NsWriterTypes; *type; type++) {
      if (!strcmp((*type)->name, "frames")) PetscCall(NsWriterCreate(*type, &context, &writer));
    }
    PetscCall(NsWriterOpen(writer));
    start = NsSeconds();
    for (int i = 0; i < frames; i++) {
      NsSnapshot snapshot = {.step = i,
        .state                     = run->state,
        .whole_q                   = run->state.q,
        .whole_v                   = run->state.v,
        .contact                   = NsContactReports(run->contact),
        .ledger                    = &run->ledger};
      snapshot.state.t    = (PetscReal)i;
      PetscCall(writer->type->write(writer, &snapshot));
    }
    const double seconds = NsSeconds() - start;
    PetscCall(NsWriterClose(writer, "done"));
    const char *last[] = {
      NsSinkPath(&run->sink, "frames/%s_%06d.vtk", run->sink.name, frames - 1), NsSinkPath(&run->sink, "frames/contacts_%06d.vtk", frames - 1)};
    const double size[] = {size_of(last[0]), size_of(last[1])}, bytes = size[0] + size[1];
    char        *plain = memset(malloc((size_t)bytes), 1, (size_t)bytes);
    keep(first, seconds, frames, bytes);
    start = NsSeconds();
    for (int i = 0; i < frames; i++) {
      for (int k = 0; k < 2; k++) {
        if (size[k] > 0) write_plain(NsSinkPath(&run->sink, "frames/plain_%d_%06d", k, i), plain, (size_t)size[k]);
      }
    }
    keep(first + 1, NsSeconds() - start, frames, bytes);
    free(plain);
    if (frames == 1) first--;
  }
  free(fields.displacement), free(fields.velocity), free(fields.stress), free(fields.normal_force), free(fields.energy);
  free(fields.stress_tensor), free(fields.strain_tensor);
  PetscCall(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
  (void)status, (void)type, (void)place;
  return remove(path);
}

int main(int argc, char **argv)
{
  static const char *const large[]   = {"bodies.bar.mesh.line.elements=1000000", "scheme.step=1e-10 s", "time.end=1e-9 s", NULL};
  static const char *const hexes[]   = {"bodies.bar.mesh.box.cells=[1000, 32, 32]", "bodies.bar.mass=lumped", "scheme.type=half_explicit",
      "scheme.step=1e-10 s", "time.end=1e-9 s", NULL};
  static const char *const tets[]    = {"bodies.bar.mesh.box.cells=[650, 16, 16]", "bodies.bar.mesh.box.elements=tet4", "bodies.bar.mass=lumped",
       "scheme.type=half_explicit", "scheme.step=1e-10 s", "time.end=1e-9 s", NULL};
  static const char *const small[]   = {NULL};
  const int                rounds    = argc > 1 ? atoi(argv[1]) : 5;
  NsSink                   sink      = {.arena = NsArenaCreate(), .writes = PETSC_TRUE};
  const char              *parent    = argc > 2 ? argv[2] : ".";
  char                    *directory = NsArenaPrint(sink.arena, "%s/bench_output_XXXXXX", parent);

  if (!mkdtemp(directory)) return perror(directory), 1;
  sink.directory = directory;
  argc           = 1;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(bench_numbers(&sink, rounds));
  PetscCall(bench_frames(PERCUSS_SOURCE_DIR "/configs/elastic_bar_lumped.yaml", large, directory, rounds, 1, 2));
  PetscCall(bench_frames(PERCUSS_SOURCE_DIR "/configs/solid_bar.yaml", hexes, directory, rounds, 1, 5));
  PetscCall(bench_frames(PERCUSS_SOURCE_DIR "/configs/solid_bar.yaml", tets, directory, rounds, 1, 8));
  PetscCall(bench_frames(PERCUSS_SOURCE_DIR "/configs/elastic_bar.yaml", small, directory, rounds, SMALL_FRAMES, 11));
  for (int i = 0; i < ITEMS; i++) {
    const double count = i < 2 ? NUMBERS : 1;
    printf("%-24s %12.4g us a %-7s %10.4g a second   %8.4g MB/s\n", item[i].name, 1e6 * item[i].best, item[i].unit, 1 / item[i].best,
      1e-6 * item[i].bytes / (count * item[i].best));
  }
  PetscCall(SlepcFinalize());
  nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  NsArenaDestroy(&sink.arena);
  return 0;
}
