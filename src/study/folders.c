/*
  Folders of the runs of a study: runs/step=2_ms__type=moreau_jean__0123456789ab. The values are for the reader; the end, 12 digits of the fingerprint, identifies the run, so that it is found
  again when the study file varies its keys in another order, or varies more of them.
*/
#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include "output/folder.h"
#include "results/record.h"
#include "study.h"

enum { DIGITS = 12, LONGEST = 80 /* bytes of values */ };

/* Whether these are the results of the run, by the end of the folder's name. */
static bool is_of(const NsStudyRun *run, const char *name)
{
  const size_t size = strlen(name);

  return size >= DIGITS && !strncmp(name + size - DIGITS, run->fingerprint, DIGITS) && (size == DIGITS || name[size - DIGITS - 1] == '_');
}

/* What does not belong in a name becomes one '_'. */
static const char *plain(const char *text, NsArena *arena)
{
  char  *name = NsArenaCopy(arena, text, strlen(text));
  size_t n    = 0;

  for (const char *p = text; *p; p++) {
    if (isalnum((unsigned char)*p) || strchr("+-.", *p))
      name[n++] = *p;
    else if (n && name[n - 1] != '_')
      name[n++] = '_';
  }
  while (n && strchr("_.", name[n - 1])) n--;
  name[n] = 0;
  return name;
}

/* "step=2_ms__type=moreau_jean__": the last words of the keys with their values. */
static const char *values_of(const NsStudy *study, int number)
{
  const NsStudyRun *run  = &study->run[number];
  const char       *text = run->choice ? "" : "reference__";

  for (int a = 0; a < study->axes && run->choice; a++) {
    const NsAxis *axis = &study->axis[a];
    const char   *last = strrchr(axis->key, '.');
    text               = NsArenaPrint(
                    study->arena, "%s%s=%s__", text, plain(last ? last + 1 : axis->key, study->arena), plain(axis->text[run->choice[a]], study->arena));
  }
  if (NsStudyDirection(study, number)) text = NsArenaPrint(study->arena, "%s%s__", text, NsStudyDirection(study, number));
  return strlen(text) <= LONGEST ? text : NsArenaPrint(study->arena, "%.*s__", LONGEST, text);
}

void NsStudyNameFolders(NsStudy *study)
{
  NsArena *arena = study->arena;

  for (int i = 0; i < study->runs; i++) {
    study->run[i].name = NsArenaPrint(arena, "%s%.*s", values_of(study, i), DIGITS, study->run[i].fingerprint);
  }
  DIR *directory = opendir(NsArenaPrint(arena, "%s/runs", study->directory));
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    for (int i = 0; i < study->runs; i++) {
      if (is_of(&study->run[i], entry->d_name)) study->run[i].name = NsArenaCopy(arena, entry->d_name, strlen(entry->d_name));
    }
  }
  if (directory) closedir(directory);
  for (int i = 0; i < study->runs; i++) {
    NsStudyRun *run = &study->run[i];
    for (run->same = 0; strcmp(study->run[run->same].fingerprint, run->fingerprint);) run->same++;
    run->name      = study->run[run->same].name;
    run->directory = NsArenaPrint(arena, "%s/runs/%s", study->directory, run->name);
  }
}

static bool is_present(const NsStudy *study, const char *name)
{
  for (int i = 0; i < study->runs; i++) {
    if (is_of(&study->run[i], name)) return true;
  }
  return false;
}

int NsStudyOldRuns(const NsStudy *study, bool remove)
{
  const char    *folder    = NsArenaPrint(study->arena, "%s/runs", study->directory), *path;
  DIR           *directory = opendir(folder);
  struct dirent *entry;
  int            count = 0;

  while (directory && (entry = readdir(directory))) {
    path = NsArenaPrint(study->arena, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] == '.' || is_present(study, entry->d_name) || NsDirectoryLook(path, study->arena) != NS_DIRECTORY_RESULTS) continue;
    count++;
    if (!remove) continue;
    NsFolder *run = NsFolderOpen(path, 2, false, NS_FOLDER_RUN, study->arena);
    if (run) (void)NsFolderRemove(&run);
  }
  if (directory) closedir(directory);
  return count;
}
