#include "series.h"
#include "vtk_format.h"
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

static size_t entry_size(const NsSeries *series)
{
  return 6 * strlen(series->frame) + 120; /* every character of the name may need an escape */
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

static void append(NsSeries *series, const char *text)
{
  const size_t size = strlen(text);

  memcpy(series->text + series->used, text, size);
  series->used += size;
}

static void append_name(NsSeries *series, PetscInt64 number)
{
  const NsVtkList *list = &series->format->list;
  char             digits[24];

  for (const char *p = series->frame; *p; p++) {
    const char plain[] = {*p, 0}, *text = plain;
    for (size_t k = 0; k < sizeof(list->escape) / sizeof(list->escape[0]) && list->escape[k].text; k++) {
      if (*p == list->escape[k].character) text = list->escape[k].text;
    }
    if (*p == '*') {
      snprintf(digits, sizeof(digits), "%06lld", (long long)number);
      text = digits;
    }
    append(series, text);
  }
}

/* Claims more frames, a block at a time: an fsync for each would cost as much as a frame. */
static void claim(NsSeries *series, PetscInt64 most)
{
  series->claimed = NsFolderClaimFrames(series->sink->folder, series->frame, series->frames, most);
  if (series->claimed > series->frames) return;
  const int why = errno;
  char      name[NS_FILE_PATH];
  NsFolderFrameName(series->frame, series->frames, name, sizeof(name));
  NsSinkFail(series->sink, "cannot write %s/%s: %s", series->sink->directory, name, NsFolderWhy(why));
}

void NsSeriesCreate(NsSeries *series, NsSink *sink, const NsVtkFormat *format, const char *name, const char *frame, PetscInt64 planned)
{
  memset(series, 0, sizeof(*series));
  series->sink   = sink;
  series->format = format;
  series->name   = NsArenaPrint(sink->arena, "%s.%s", name, format->list.extension);
  series->frame  = NsArenaPrint(sink->arena, "frames/%s_*.%s", frame, format->extension);
  reserve(series, (size_t)PetscMin((double)FIRST_ROOM, ((double)planned + 2) * (double)entry_size(series)));
  append(series, format->list.begin);
  NsFileListAdd(&sink->files, series->name, sink->arena);
  if (!NsFileFolder(sink)) return;
  series->claimed = NsFolderFrames(sink->folder, series->frame); /* of a run that goes on */
  if (!series->claimed) claim(series, PetscMin(planned, BLOCK));
}

void NsSeriesNextName(NsSeries *series, char *name, size_t size)
{
  if (series->sink->writes && series->sink->folder && series->frames >= series->claimed) claim(series, PetscMax(BLOCK, series->frames));
  NsFolderFrameName(series->frame, series->frames, name, size);
}

static void write_list(NsSeries *series)
{
  const double start = NsSeconds();
  const size_t used  = series->used;

  append(series, series->format->list.end); /* there is room: see NsSeriesAdd */
  NsFileReplace(series->sink, series->name, series->text, series->used, PETSC_TRUE);
  series->used    = used;
  series->written = NsSeconds();
  series->cost    = series->written - start;
  series->behind  = PETSC_FALSE;
}

void NsSeriesAdd(NsSeries *series, PetscReal time)
{
  const NsVtkList *list = &series->format->list;
  char             number[NS_DECIMAL_SIZE + 1];

  /* Of two frames at one time ParaView shows one. */
  if (series->frames && !(time > series->time)) time = nextafter(series->time, HUGE_VAL);
  series->time = time;

  reserve(series, entry_size(series));
  if (series->frames) append(series, list->between);
  append(series, list->before);
  append_name(series, series->frames);
  append(series, list->middle);
  number[NsDecimal(time, number)] = 0;
  append(series, number);
  append(series, list->after);
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
    series->used = 0;                                   /* what it begins with is in the archive, too */
    reserve(series, (size_t)used + entry_size(series)); /* and its end */
    series->used = (size_t)used;
  }
  NsArchiveBytes(archive, "series", series->used, series->text);
  series->behind = series->behind || archive->reading;
}

void NsSeriesClose(NsSeries *series)
{
  if (series->behind) write_list(series);
  if (series->sink->writes && series->sink->folder) NsFolderKeepFrames(series->sink->folder, series->frame, series->frames);
}
