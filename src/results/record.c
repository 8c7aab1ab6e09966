#include "record.h"
#include "core/text.h"
#include "percuss/units.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of "out/bar", "out/bar/", "out/bar/run.json" and "out/bar/config.yaml": "out/bar". */
static const char *directory_of(const char *path, NsArena *arena)
{
  static const char *const files[] = {"run.json", "config.yaml"};
  size_t                   length  = strlen(path);
  struct stat              about;

  for (int i = 0; i < 2; i++) {
    const size_t tail = strlen(files[i]);

    if (length < tail || strcmp(path + length - tail, files[i]) || (length > tail && path[length - tail - 1] != '/')) continue;
    if (stat(path, &about) || S_ISDIR(about.st_mode)) continue;
    length -= tail;
    if (!length) return ".";
    break;
  }
  while (length > 1 && path[length - 1] == '/') length--;
  return NsArenaCopy(arena, path, length);
}

const NsNode *NsRunRecordNode(const NsNode *root, const char *path)
{
  for (const NsNode *node = root; node;) {
    const size_t  length = strcspn(path, ".");
    const NsNode *child  = node->kind == NS_NODE_MAP ? node->first : NULL;

    while (child && (strncmp(child->key, path, length) || child->key[length])) child = child->next;
    if (!path[length]) return child;
    path += length + 1;
    node = child;
  }
  return NULL;
}

const char *NsRunRecordText(const NsRunRecord *record, const char *path)
{
  const NsNode *node = NsRunRecordNode(record->manifest, path);

  if (!node || node->kind != NS_NODE_SCALAR || (!node->quoted && !strcmp(node->text, "null"))) return NULL;
  return node->text;
}

double NsRunRecordNumber(const NsRunRecord *record, const char *path)
{
  const char *text = NsRunRecordText(record, path);
  double      value;

  return text && !NsParseNumber(text, &value) ? value : NAN;
}

/* Of a run without an end in run.json: whether its process still exists, if it is on this machine. */
static bool was_killed(const NsRunRecord *record)
{
  const double pid       = NsRunRecordNumber(record, "pid");
  const char  *host      = NsRunRecordText(record, "host");
  char         here[256] = "";

  (void)gethostname(here, sizeof(here) - 1);
  return host && !strcmp(host, here) && pid > 1 && pid < 1e9 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

NsRunRecord *NsRunRecordRead(const char *path, NsArena *arena, NsDiag *diag)
{
  NsRunRecord *record = NsArenaAlloc(arena, sizeof(*record));
  const char  *config, *manifest, *program;
  NsNode      *tree;
  struct stat  about;

  record->directory = directory_of(path, arena);
  manifest          = NsArenaPrint(arena, "%s/run.json", record->directory);
  if (stat(record->directory, &about)) {
    NsDiagError(diag, (NsPlace){.source = NULL}, "cannot read %s: %s", record->directory, strerror(errno));
    return NULL;
  }
  if (!S_ISDIR(about.st_mode)) {
    NsDiagError(diag, (NsPlace){.source = NULL}, "'%s' is a file; results are a directory, named by itself or by its run.json", record->directory);
    return NULL;
  }
  if (stat(manifest, &about)) {
    NsDiagError(diag, (NsPlace){.source = NULL}, "'%s' contains no results of percuss: there is no run.json", record->directory);
    return NULL;
  }
  record->manifest = tree = NsTreeReadOwn(manifest, arena, diag);
  if (!tree) return NULL;
  NsTreeTame(tree, arena);
  program        = NsRunRecordText(record, "program.name");
  record->name   = NsRunRecordText(record, "name");
  record->status = NsRunRecordText(record, "exit_status");
  if (!program || strcmp(program, "percuss") || !record->name || !record->status) {
    NsDiagError(diag, (NsPlace){.source = NULL}, "%s: not written by percuss", manifest);
    return NULL;
  }
  if (!NsTextIsFileName(record->name)) {
    NsDiagError(diag, NsRunRecordNode(record->manifest, "name")->place,
      "'" NS_CLIP "' cannot name files: letters, digits, '-', '_' and '.' are expected, and no '.' in front", NsClip(record->name));
    return NULL;
  }
  if (!strcmp(record->status, "running") && was_killed(record)) record->status = "killed";
  config = NsArenaPrint(arena, "%s/config.yaml", record->directory);
  if (stat(config, &about) && errno == ENOENT) return record;
  record->config = tree = NsTreeReadOwn(config, arena, diag);
  if (tree) NsTreeTame(tree, arena);
  return record->config ? record : NULL;
}

const char *NsRunRecordCheck(const char *directory, const NsNode *manifest, const char *file, NsArena *arena)
{
  const NsNode *sizes = NsTreeChild(manifest, "sizes"), *size = sizes && sizes->kind == NS_NODE_MAP ? NsTreeChild(sizes, file) : NULL;
  const char   *path = NsArenaPrint(arena, "%s/%s", directory, file);
  struct stat   about;
  double        bytes;

  if (!size || !size->text || NsParseNumber(size->text, &bytes)) return "";
  if (stat(path, &about)) return NsArenaPrint(arena, "%s: %s; run.json says that it has %.0f bytes", path, strerror(errno), bytes);
  if ((double)about.st_size == bytes) return "";
  return NsArenaPrint(arena, "%s has %lld bytes, and run.json says %.0f: it was cut or changed after the run", path, (long long)about.st_size, bytes);
}

NsResultTable *NsRunRecordTable(const NsRunRecord *record, const char *file, NsArena *arena, NsDiag *diag)
{
  const char *path    = NsArenaPrint(arena, "%s/%s", record->directory, file),
             *changed = NsRunRecordCheck(record->directory, record->manifest, file, arena);
  struct stat about;

  if (*changed) {
    NsDiagError(diag, (NsPlace){.source = NULL}, "%s", changed);
    return NULL;
  }
  if (stat(path, &about) && errno == ENOENT) return NULL;
  return NsResultTableRead(path, arena, diag);
}
