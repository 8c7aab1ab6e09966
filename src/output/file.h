/*
  Files that report write errors.

  A file is named as within the directory of results, "frames/bar_000000.vtk": it is opened there and nowhere else, and only where its name is percuss's own (folder.h).

  Everything goes through a buffer of fixed size (nothing allocates while stepping). The first failure - open, write, fsync, close, rename - ends
  in NsSinkFail("cannot write PATH: REASON"); what is written to the file afterwards is discarded, so callers need not check. So is everything on processes
  that do not write (sink->writes): all of them make the same calls.
*/
#pragma once
#include "folder.h"
#include "percuss/output.h"

#define NS_FILE_PATH 4096

typedef struct {
  NsSink     *sink;               /* not owned */
  const char *name;               /* not owned; within the directory */
  char        part[NS_FILE_PATH]; /* its name until it is published; "": NAME from the beginning */
  char       *buffer;             /* [capacity], from the sink's arena */
  size_t      used, capacity;
  int64_t     written; /* bytes that reached the file */
  double      flushed; /* when that was, by sink->now */
  int         fd;      /* -1: not open */
  PetscBool   made;    /* it is there, by its name or its .part */
  PetscBool   failed;
} NsFile;

/* Takes the buffer from the arena; a file may then be opened and closed many times. Rows of text should be shorter than half of it. */
void NsFileCreate(NsFile *file, NsSink *sink, size_t capacity);
/* Claims the name. Truncates what was there; of a run that resumes, keeps it until NsFileSerialize. */
void NsFileOpen(NsFile *file, const char *name);
/* The same with the name NAME.part until NsFilePublish, so that NAME is complete whenever it exists, also if this program is killed. */
void NsFileOpenPart(NsFile *file, const char *name);
/* What is in the buffer goes to the file; it does by itself when the buffer is full. */
void NsFileFlush(NsFile *file);
void NsFileBytes(NsFile *file, const void *bytes, size_t size);
void NsFileText(NsFile *file, const char *text);
/* At most 255 bytes. */
void NsFilePrint(NsFile *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Where the next `size` bytes go (size <= capacity); the caller writes them and adds what it wrote to `used`. */
static inline char *NsFileReserve(NsFile *file, size_t size)
{
  if (file->capacity - file->used < size) NsFileFlush(file);
  return file->buffer + file->used;
}
/* One value of a row and its separator: ',' or '\n', or 0 for none. Shortest text that reads back as the same number. */
void NsFileNumber(NsFile *file, double value, char separator);
/* A word of a CSV row; quoted if it must be (RFC 4180). */
void NsFileWord(NsFile *file, const char *word, char separator);
/* After each row: flushes between rows only (so that a failed or killed run leaves whole rows), when the buffer is half full or the last time was
   over a second ago (sink->now): others may be watching the file. */
void NsFileEndRow(NsFile *file);
/* Of a run that resumes with a table it did not have: what an even earlier part of the run left in the file goes. */
void NsFileRestart(NsFile *file);
/* Into a checkpoint: what is in the buffer goes to the disk, and how long the file is then is noted. Out of one: the file is cut there and goes on; what was put into the buffer
   since it was opened is dropped. */
void NsFileSerialize(NsFile *file, NsArchive *archive);
/* True when every byte since NsFileOpen is in the file; sync: on the disk. */
PetscBool NsFileClose(NsFile *file, PetscBool sync);
/* Closes what NsFileOpenPart opened and gives it its name; sync: once it is on the disk, where the name goes, too. False: failed. */
PetscBool NsFilePublish(NsFile *file, PetscBool sync);
/* Closes and removes it: an incomplete frame is useless, and on a full disk the tables and run.json need its space. */
void NsFileDiscard(NsFile *file);

/* A file that is whole at any moment: claimed, written to NAME.part, to the disk if sync, then renamed. False: failed, and NAME is whole, as it was or new.
   On a full disk, where there is no room for NAME.part, it is written over the old one if it fits: run.json must not remain "running". */
PetscBool NsFileReplace(NsSink *sink, const char *name, const char *text, size_t size, PetscBool sync);
/* A folder of the directory, "frames"; one that is there already is fine. */
PetscBool NsFileMakeDirectory(NsSink *sink, const char *name);
/* The directory of the sink, opened if it is not; NULL: failed, or this process does not write. */
NsFolder *NsFileFolder(NsSink *sink);
/* Makes names percuss's own, with one fsync for all; NULL-terminated. */
void NsFileClaim(NsSink *sink, const char *const *names);
