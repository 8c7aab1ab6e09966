#include "series.h"
#include "core/decimal.h"
#include "percuss/clock.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64 };               /* frames that are claimed at a time, at least */
enum { FIRST_ROOM = 1 << 26 };     /* bytes at most before the first frame; pages that are never touched cost nothing */
enum { MOST_FRAMES = 1000000000 }; /* limit for the count in a checkpoint */
static const double wait = 0.5, share = 20;
static const char   end[] = "\n]}\n";

static size_t entry_size(const NsSeries *series)
{
  return 2 * strlen(series->prefix) + 80; /* every character of the prefix may need an escape */
}

static void reserve(NsSeries *series, size_t size)
{
  if (series->capacity - series->used < size) {
    const size_t capacity = 2 * series->capacity + size;
    char        *text     = NsArenaAlloc(series->sink->arena, capacity);

    if (series->used) memcpy(text, series->text, series->used);
    series->text     = text;
    series->capacity = capacity;
  }
}

static void append(NsSeries *series, const char *bytes, size_t size)
{
  memcpy(series->text + series->used, bytes, size);
  series->used += size;
}

/* Claims more frames, a block at a time: an fsync for each would cost as much as a frame. */
static void claim(NsSeries *series, PetscInt64 most)
{
  series->claimed = NsFolderClaimFrames(series->sink->folder, series->prefix, series->frames, most);
  if (series->claimed > series->frames) return;
  NsSinkFail(
    series->sink, "cannot write %s/%s_%06lld.vtk: %s", series->sink->directory, series->prefix, (long long)series->frames, NsFolderWhy(errno));
}

void NsSeriesCreate(NsSeries *series, NsSink *sink, const char *name, const char *prefix, PetscInt64 planned)
{
  static const char start[] = "{\"file-series-version\":\"1.0\",\"files\":[\n";

  memset(series, 0, sizeof(*series));
  series->sink   = sink;
  series->name   = name;
  series->prefix = prefix;
  reserve(series, (size_t)PetscMin((double)FIRST_ROOM, ((double)planned + 2) * (double)entry_size(series)));
  append(series, start, sizeof(start) - 1);
  NsFileListAdd(&sink->files, name, sink->arena);
  if (!NsFileFolder(sink)) return;
  series->claimed = NsFolderFrames(sink->folder, prefix); /* of a run that goes on */
  if (!series->claimed) claim(series, PetscMin(planned, BLOCK));
}

void NsSeriesNextName(NsSeries *series, char *name, size_t size)
{
  if (series->sink->writes && series->sink->folder && series->frames >= series->claimed) claim(series, PetscMax(BLOCK, series->frames));
  snprintf(name, size, "%s_%06lld.vtk", series->prefix, (long long)series->frames);
}

static void write_list(NsSeries *series)
{
  const double start = NsSeconds();

  memcpy(series->text + series->used, end, sizeof(end)); /* there is room: see NsSeriesAdd */
  NsFileReplace(series->sink, series->name, series->text, series->used + sizeof(end) - 1, PETSC_TRUE);
  series->written = NsSeconds();
  series->cost    = series->written - start;
  series->behind  = PETSC_FALSE;
}

void NsSeriesAdd(NsSeries *series, PetscReal time)
{
  char number[NS_DECIMAL_SIZE + 32];
  int  length;

  /* Of two frames at one time ParaView shows one. */
  if (series->frames && !(time > series->time)) time = nextafter(series->time, HUGE_VAL);
  series->time = time;

  reserve(series, entry_size(series) + sizeof(end));
  if (series->frames) append(series, ",\n", 2);
  append(series, "{\"name\":\"", 9);
  for (const char *p = series->prefix; *p; p++) {
    if (*p == '"' || *p == '\\') append(series, "\\", 1);
    append(series, p, 1);
  }
  length = snprintf(number, sizeof(number), "_%06lld.vtk\",\"time\":", (long long)series->frames);
  append(series, number, (size_t)length);
  length = NsDecimal(time, number);
  append(series, number, (size_t)length);
  append(series, "}", 1);
  series->frames++;
  series->behind = PETSC_TRUE;
  if (series->frames == 1 || NsSeconds() - series->written > PetscMax(wait, share * series->cost)) write_list(series);
}

void NsSeriesSerialize(NsSeries *series, NsArchive *archive)
{
  PetscInt64 used = (PetscInt64)series->used;

  NsArchiveLong(archive, "frames", &series->frames);
  NsArchiveReals(archive, "frame_time", 1, &series->time);
  NsArchiveLong(archive, "series_size", &used);
  if (series->frames < 0 || series->frames > MOST_FRAMES || used < 0 || used > (PetscInt64)entry_size(series) * (series->frames + 2))
    NsArchiveDeny(archive, "series_size");
  if (archive->problem[0]) return;
  if (archive->reading) {
    series->used = 0; /* what it begins with is in the archive, too */
    reserve(series, (size_t)used + sizeof(end));
    series->used = (size_t)used;
  }
  NsArchiveBytes(archive, "series", series->used, series->text);
  series->behind = series->behind || archive->reading;
}

void NsSeriesClose(NsSeries *series)
{
  if (series->behind) write_list(series);
  if (series->sink->writes && series->sink->folder) NsFolderKeepFrames(series->sink->folder, series->prefix, series->frames);
}
