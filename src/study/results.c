/* The files of a study, and its table on the terminal. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "output/file.h"
#include "results/record.h"
#include "core/json.h"
#include "core/keys_internal.h"
#include "core/out_of_memory.h"
#include "percuss_version.h"
#include "study.h"

static const char *const state_names[] = {[NS_ROW_MISSING] = "missing", [NS_ROW_DONE] = "done", [NS_ROW_FAILED] = "failed"};

/* Whether all tables are as the run left them: one that was cut is made again. */
static bool is_as_it_was(const char *directory, const NsNode *root)
{
  const NsNode *sizes = NsTreeChild(root, "sizes");
  NsArena      *arena = NsArenaCreate();
  bool          same  = true;

  for (const NsNode *file = sizes && sizes->kind == NS_NODE_MAP ? sizes->first : NULL; file; file = file->next)
    same = same && !*NsRunRecordCheck(directory, root, file->key, arena);
  NsArenaDestroy(&arena);
  return same;
}

static NsRowState state_of(const char *directory, const NsNode *root, NsArena *arena, const char **message, double *seconds)
{
  const NsNode *status = NsTreeChild(root, "exit_status"), *failure = NsTreeChild(root, "failure");
  const NsNode *summary = NsTreeChild(root, "summary"), *loop = NsTreeChild(summary, "loop_seconds"), *setup = NsTreeChild(summary, "setup_seconds");
  double        a = 0, b = 0;

  if (!status || status->kind != NS_NODE_SCALAR) return NS_ROW_MISSING;
  if (loop && loop->text && setup && setup->text && !NsParseNumber(loop->text, &a) && !NsParseNumber(setup->text, &b)) *seconds = a + b;
  if (!strcmp(status->text, "done")) return is_as_it_was(directory, root) ? NS_ROW_DONE : NS_ROW_MISSING;
  *message =
    failure && failure->kind == NS_NODE_SCALAR && !NsKeysIsNull(failure) ? NsArenaCopy(arena, failure->text, strlen(failure->text)) : "failed";
  return strcmp(status->text, "failed") ? NS_ROW_MISSING : NS_ROW_FAILED; /* stopped, or killed: to be run again */
}

NsRowState NsStudyLook(const char *directory, NsArena *arena, const char **message, double *seconds)
{
  NsArena   *own = NsArenaCreate(); /* run.json makes a tree of some hundred nodes, of each of many runs */
  NsRowState state;

  *message     = "";
  *seconds     = 0;
  NsNode *root = NsTreeReadOwn(NsArenaPrint(own, "%s/run.json", directory), own, NsDiagCreate(own));
  if (root) NsTreeTame(root, own);
  state = state_of(directory, root, arena, message, seconds);
  NsArenaDestroy(&own);
  return state;
}

void NsStudyTidy(const char *directory)
{
  NsArena  *arena = NsArenaCreate();
  NsFolder *run   = NsFolderOpen(directory, 2, false, NS_FOLDER_RUN, arena);

  if (run) (void)NsFolderLock(run);
  NsFolderClose(&run);
  NsArenaDestroy(&arena);
}

/* Runs of earlier versions of the study -------------------------------------------------------------------------------------------------------------- */

/* Files -------------------------------------------------------------------------------------------------------------------------------------------- */

void NsStudyFileOpen(NsStudyFile *file, const NsStudy *study, const char *name)
{
  file->study = study;
  file->name  = name;
  file->file  = NsArenaStreamOpen(&file->stream, study->arena);
}

static bool write_whole(const NsStudy *study, const char *name, const char *text, size_t size)
{
  if (NsFileReplace(study->sink, name, text, size, PETSC_TRUE)) return true;
  fprintf(stderr, "percuss study: %s\n", study->sink->failure);
  return false;
}

bool NsStudyFileClose(NsStudyFile *file)
{
  size_t      size;
  const char *text = NsArenaStreamClose(&file->stream, &size);

  return write_whole(file->study, file->name, text, size);
}

static void put_choice(FILE *file, const NsAxis *axis, int choice)
{
  if (axis->number)
    NsPutNumber(file, axis->number[choice]);
  else
    NsPutWord(file, axis->text[choice]);
}

static bool write_table(const NsStudy *study)
{
  const NsList *record = &study->settings.record;
  NsStudyFile   file;

  NsStudyFileOpen(&file, study, "study.csv");
  fputs("row", file.file);
  for (int a = 0; a < study->axes; a++) {
    fputc(',', file.file);
    NsPutWord(file.file, study->axis[a].key);
  }
  if (study->settings.sweep) fputs(",direction", file.file);
  fputs(",status", file.file);
  for (int q = 0; q < record->count; q++) fprintf(file.file, ",%s", record->names[q]);
  fputs(",run,message\n", file.file);
  for (int row = 0; row < study->rows; row++) {
    const NsStudyRun *run = &study->run[row];

    fprintf(file.file, "%d", row + 1);
    for (int a = 0; a < study->axes; a++) {
      fputc(',', file.file);
      put_choice(file.file, &study->axis[a], run->choice[a]);
    }
    if (study->settings.sweep) fprintf(file.file, ",%s", NsStudyDirection(study, row));
    fprintf(file.file, ",%s", state_names[run->state]);
    for (int q = 0; q < record->count; q++) {
      fputc(',', file.file);
      NsPutNumber(file.file, run->result[q]);
    }
    fputc(',', file.file);
    NsPutWord(file.file, run->name);
    fputc(',', file.file);
    NsPutWord(file.file, run->message);
    fputc('\n', file.file);
  }
  return NsStudyFileClose(&file);
}

/* Wall times have a file of their own, because they differ each time. */
static bool write_times(const NsStudy *study)
{
  NsStudyFile file;

  NsStudyFileOpen(&file, study, "times.csv");
  fputs("run,seconds\n", file.file);
  for (int i = 0; i < study->runs; i++) {
    const NsStudyRun *run = &study->run[i];
    if (run->same != i || run->state == NS_ROW_MISSING) continue;
    NsPutWord(file.file, run->name);
    fprintf(file.file, ",%.6g\n", run->seconds);
  }
  return NsStudyFileClose(&file);
}

bool NsStudyDescribe(const NsStudy *study)
{
  const NsStudySettings *settings = &study->settings;
  const NsQuantity      *item     = settings->record.items;
  NsJson                 json;
  bool                   good;

  NsJsonBegin(&json, 4096);
  NsJsonOpen(&json, NULL, '{');
  NsJsonString(&json, "name", study->name);
  NsJsonString(&json, "title", settings->title);
  NsJsonOpen(&json, "program", '{');
  NsJsonString(&json, "name", "percuss");
  NsJsonString(&json, "version", PERCUSS_VERSION);
  NsJsonString(&json, "commit", PERCUSS_COMMIT);
  NsJsonClose(&json);
  NsJsonString(&json, "study", study->path);
  NsJsonString(&json, "config", study->config);
  NsJsonOpen(&json, "axes", '[');
  for (int a = 0; a < study->axes; a++) {
    const NsAxis *axis = &study->axis[a];
    NsJsonOpen(&json, NULL, '{');
    NsJsonString(&json, "key", axis->key);
    NsJsonBoolean(&json, "numbers", axis->number != NULL);
    NsJsonString(&json, "unit", axis->number ? axis->unit : "");
    if (axis->number && *axis->shown) {
      NsJsonOpen(&json, "shown", '{');
      NsJsonString(&json, "unit", axis->shown);
      NsJsonNumber(&json, "size", axis->shown_size);
      NsJsonClose(&json);
    }
    NsJsonBoolean(&json, "logarithmic", axis->spread);
    NsJsonOpen(&json, "values", '[');
    for (int i = 0; i < (axis->turn ? axis->turn : axis->count); i++) NsJsonString(&json, NULL, axis->text[i]);
    NsJsonClose(&json);
    NsJsonClose(&json);
  }
  NsJsonClose(&json);
  NsJsonOpen(&json, "record", '[');
  for (int q = 0; q < settings->record.count; q++) {
    NsJsonOpen(&json, NULL, '{');
    NsJsonString(&json, "name", settings->record.names[q]);
    NsJsonString(&json, "unit", NsQuantityUnit(&item[q], study->arena));
    NsJsonBoolean(&json, "error", item[q].against || item[q].exact.rows);
    NsJsonClose(&json);
  }
  NsJsonClose(&json);
  NsJsonString(&json, "sweep", settings->sweep ? settings->sweep->over : NULL);
  NsJsonString(&json, "convergence", settings->convergence ? settings->convergence->over : NULL);
  NsJsonString(&json, "bifurcation", settings->bifurcation ? settings->bifurcation->over : NULL);
  NsJsonClose(&json);
  good = write_whole(study, "study.json", json.text, json.used);
  NsJsonEnd(&json);
  return good;
}

bool NsStudyWrite(const NsStudy *study)
{
  return write_table(study) && write_times(study);
}

/* Terminal ----------------------------------------------------------------------------------------------------------------------------------------- */

enum { WIDEST = 34, MOST_ROWS = 200 };

/* The key without what all axes share: "step" of "scheme.step", unless another axis ends alike. */
static const char *short_key(const NsStudy *study, int axis)
{
  const char *key = study->axis[axis].key, *dot = strrchr(key, '.'), *last = dot ? dot + 1 : key;

  for (int a = 0; a < study->axes; a++) {
    const char *other = strrchr(study->axis[a].key, '.');
    if (a != axis && !strcmp(other ? other + 1 : study->axis[a].key, last)) return key;
  }
  return last;
}

static int columns_of(const char *text)
{
  const int count = NsTextCount(text, strlen(text));

  return count < WIDEST ? count : WIDEST;
}

static void print_padded(const char *text, int width, FILE *out)
{
  const int bytes = NsTextFit(text, strlen(text), WIDEST);

  fprintf(out, "  %.*s%*s", bytes, text, width - NsTextCount(text, (size_t)bytes), "");
}

/* Units of what was recorded, under the names. */
static void print_units(const NsStudy *study, const int *width, FILE *out)
{
  const NsQuantity *item  = study->settings.record.items;
  const int         count = study->settings.record.count;
  PetscBool         some  = PETSC_FALSE;

  for (int q = 0; q < count; q++) some = some || *NsQuantityUnit(&item[q], study->arena);
  if (!some) return;
  fputs("      ", out);
  for (int a = 0; a < study->axes; a++) print_padded("", width[a], out);
  if (study->settings.sweep) fputs("        ", out);
  for (int q = 0; q < count; q++) fprintf(out, "  %*s", width[study->axes + q], NsQuantityUnit(&item[q], study->arena));
  fputc('\n', out);
}

void NsStudyPrint(const NsStudy *study, FILE *out)
{
  const NsList *record = &study->settings.record;
  int          *width  = NsArenaAlloc(study->arena, sizeof(*width) * (size_t)(study->axes + record->count + 1));

  for (int a = 0; a < study->axes; a++) {
    width[a] = columns_of(short_key(study, a));
    for (int i = 0; i < study->axis[a].count; i++)
      width[a] = columns_of(study->axis[a].text[i]) > width[a] ? columns_of(study->axis[a].text[i]) : width[a];
  }
  fprintf(out, "\n   row");
  for (int a = 0; a < study->axes; a++) print_padded(short_key(study, a), width[a], out);
  if (study->settings.sweep) fputs("        ", out);
  for (int q = 0; q < record->count; q++) {
    width[study->axes + q] = columns_of(record->names[q]) > 11 ? columns_of(record->names[q]) : 11;
    fprintf(out, "  %*s", width[study->axes + q], record->names[q]);
  }
  fputc('\n', out);
  print_units(study, width, out);
  for (int row = 0; row < study->rows && row < MOST_ROWS; row++) {
    const NsStudyRun *run = &study->run[row];

    fprintf(out, "  %4d", row + 1);
    for (int a = 0; a < study->axes; a++) print_padded(study->axis[a].text[run->choice[a]], width[a], out);
    if (study->settings.sweep) fprintf(out, "  %-6s", NsStudyDirection(study, row));
    for (int q = 0; q < record->count && run->state == NS_ROW_DONE; q++) {
      if (isnan(run->result[q]))
        fprintf(out, "  %*s", width[study->axes + q], "-");
      else
        fprintf(out, "  %*.5g", width[study->axes + q], run->result[q]);
    }
    if (run->state != NS_ROW_DONE) fprintf(out, "  %s%s%s", state_names[run->state], *run->message ? ": " : "", run->message);
    fputc('\n', out);
  }
  if (study->rows > MOST_ROWS) fprintf(out, "  ... %d more in study.csv\n", study->rows - MOST_ROWS);
}
