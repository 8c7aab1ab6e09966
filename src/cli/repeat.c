#include "repeat.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "output/folder.h"
#include "core/sha256.h"
#include "core/text.h"
#include "run/foreign.h"
#include "run/versions.h"

static const NsPlace nowhere = {NULL, 0, 0, 0};

static bool ends_with(const char *path, const char *file)
{
  const size_t length = strlen(path), tail = strlen(file);

  return length >= tail && !strcmp(path + length - tail, file) && (length == tail || path[length - tail - 1] == '/');
}

/* A config.yaml is that of results only with a run.json of percuss beside it. */
NsRunRecord *NsRepeatLook(const char *path, NsArena *arena, NsDiag *diag)
{
  struct stat about, beside;
  const bool  there = !stat(path, &about), directory = there && S_ISDIR(about.st_mode), config = !directory && ends_with(path, "config.yaml");

  if (!there) return NULL;
  if (config) {
    const char *folder = NsArenaCopy(arena, path, strlen(path) - strlen("config.yaml"));

    const NsDirectoryUse use = NsDirectoryLook(*folder ? folder : ".", arena);
    if (use != NS_DIRECTORY_RESULTS && use != NS_DIRECTORY_UNLISTED) return NULL;
  } else if (directory ? stat(NsArenaPrint(arena, "%s/run.json", path), &beside) != 0 : !ends_with(path, "run.json"))
    return NULL; /* the reader of configs says what a directory is not */
  return NsRunRecordRead(path, arena, diag);
}

/* Reports a change since the run: an error if the run is to be repeated, a warning if the config itself was given. */
static void __attribute__((format(printf, 3, 4))) report(NsDiag *diag, bool strict, const char *format, ...)
{
  char    text[4096];
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (strict)
    NsDiagError(diag, nowhere, "%s", text);
  else
    NsDiagWarning(diag, nowhere, "%s", text);
}

/* Whether `file` still has the hash in run.json. */
static bool compare_file(const char *file, const char *hash, bool strict, NsDiag *diag)
{
  char now[NS_SHA256_TEXT];
  int  error;

  if (!hash) return true; /* it could not be read by that run either */
  error = NsSha256File(file, now);
  if (error)
    report(diag, strict, "%s: %s; it existed when these results were made", file, strerror(error));
  else if (strcmp(now, hash) != 0)
    report(diag, strict, "%s has changed since these results were made (its SHA-256 differs from run.json)", file);
  return !error && !strcmp(now, hash);
}

static void compare_files(const NsRunRecord *record, const char *config, bool strict, NsDiag *diag)
{
  const NsNode *inputs = NsRunRecordNode(record->manifest, "inputs");
  bool          same   = compare_file(config, NsRunRecordText(record, "config.as_run_sha256"), strict, diag);

  for (const NsNode *file = inputs ? inputs->first : NULL; file; file = file->next) {
    const NsNode *path = NsTreeChild(file, "path"), *hash = NsTreeChild(file, "sha256");

    if (path && path->text && hash && hash->quoted) same = compare_file(path->text, hash->text, strict, diag) && same;
  }
  if (!same && strict)
    NsDiagNote(diag, "to run the changed config: percuss run %s", config);
  else if (!same)
    NsDiagNote(diag, "the results will differ from those in %s", record->directory);
}

/* In one line, for a message. */
static const char *put_words(const char *words, const char *word, NsArena *arena)
{
  return NsArenaPrint(arena, "%s%s%s", words, *words ? " " : "", word);
}

static const char *take_petsc_options(const NsNode *list, NsRunOptions *options, NsArena *arena)
{
  const char **option, *words = "";

  if (options->petsc_options || !list || list->kind != NS_NODE_LIST) return words;
  option = NsArenaAlloc(arena, sizeof(*option) * (size_t)(list->count + 1));
  for (const NsNode *word = list->first; word; word = word->next) {
    if (!word->text) continue; /* not written by percuss */
    option[options->petsc_options++] = word->text;
    words                            = put_words(words, word->text, arena);
  }
  options->petsc_option = option;
  return words;
}

/* Options of PETSc can load libraries (-dll_append), like plugins. Results may come from others, so both need the user's consent. */
static void ask_for_trust(const NsRunRecord *record, const char *petsc, NsArena *arena, NsDiag *diag)
{
  const char *const words[] = {petsc, NsForeignLibraries(record->config, arena), NsForeignIncludes(record->config, arena)};
  const char *const what[]  = {"name PETSc options", "name a plugin", "include files"};
  bool              some    = false;

  for (int i = 0; i < 3; i++) {
    if (*words[i]) NsDiagError(diag, nowhere, "the results in %s %s: %s", record->directory, what[i], words[i]);
    some = some || *words[i];
  }
  if (some)
    NsDiagNote(
      diag, "they can run any code: if you know where the results come from, add --trust%s", *petsc ? "; or give options of your own after --" : "");
}

void NsRepeatAskForTrust(const NsRunRecord *record, NsArena *arena, NsDiag *diag)
{
  ask_for_trust(record, "", arena, diag);
}

/* A directory beside that of the results, which may be "." */
static const char *free_beside(const char *directory, NsArena *arena)
{
  const char *name     = strrchr(directory, '/') ? strrchr(directory, '/') + 1 : directory;
  char       *absolute = strcmp(name, ".") && strcmp(name, "..") ? NULL : realpath(directory, NULL);
  const char *result   = NsDirectoryFreeName(absolute ? absolute : directory, arena);

  free(absolute);
  return result;
}

bool NsRepeatPrepare(const NsRunRecord *record, const char *command, NsRunOptions *options, NsArena *arena, NsDiag *diag)
{
  const bool  strict = !ends_with(options->config_path, "config.yaml");
  const char *config = NsArenaPrint(arena, "%s/config.yaml", record->directory);
  const char *force  = NsRunRecordText(record, "command.force");

  if (!record->config) {
    NsDiagError(diag, nowhere, "%s is missing; it is needed to repeat the run", config);
    return false;
  }
  compare_files(record, config, strict, diag);
  options->config_path = config;
  options->repeat      = PETSC_TRUE;
  options->name        = record->name;
  options->force       = options->force || (force && !strcmp(force, "true"));
  const char *petsc    = take_petsc_options(NsRunRecordNode(record->manifest, "command.petsc_options"), options, arena);
  if (!options->trust) ask_for_trust(record, petsc, arena, diag);
  if (!options->directory && !strcmp(command, "run"))
    options->directory = options->overwrite ? record->directory : free_beside(record->directory, arena);
  else if (!options->directory && strcmp(command, "check") != 0) /* not where the config of others says */
    options->directory = NsArenaPrint(arena, "out/%s_%s", record->name, command);
  return NsDiagErrors(diag) == 0;
}

PetscErrorCode NsRepeatWarn(const NsRunRecord *record, NsDiag *diag)
{
  const double ranks = NsRunRecordNumber(record, "ranks");
  int          count;
  const char  *others = "";
  NsVersion    version[NS_VERSIONS];
  char         text[1024] = "";

  PetscFunctionBegin;
  PetscCall(NsVersionsHere(version, &count));
  for (int i = 0; i < count; i++) {
    const char  *then = NsRunRecordText(record, version[i].path);
    const size_t used = strlen(text);

    if (then && !strcmp(then, version[i].text)) continue;
    (void)snprintf(text + used, sizeof(text) - used, "%s%s %s (here %s)", others, version[i].path, then ? then : "unknown", version[i].text);
    others = ", ";
  }
  if (*text)
    NsDiagWarning(
      diag, nowhere, "the results in %s were produced in a different environment, so that the last digits may differ: %s", record->directory, text);
  if (ranks > 0 && ranks != PetscGlobalSize)
    NsDiagWarning(diag, nowhere, "the results in %s were produced on %.0f %s, and this run uses %d: the last digits may differ", record->directory,
      ranks, NsPlural(ranks, "process", "processes"), (int)PetscGlobalSize);
  PetscFunctionReturn(0);
}
