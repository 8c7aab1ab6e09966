#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core/out_of_memory.h"
#include "percuss/workspace.h"

typedef enum { FIELD, VECTOR, ROWS, COMPLIANCE, ARRAY, BLOCK } Storage; /* FIELD: nothing to be freed; BLOCK: `field` is the memory itself */
typedef enum { SCRATCH, VECTOR_VALUES, ROW_VALUES, REALS, FLAGS, INDICES, COUNTS, OTHER } Content;

struct NsWorkItem {
  Storage          storage;
  Content          content;
  void            *field; /* its address; of OTHER the argument of `serialize` */
  const char      *name;  /* in the history */
  PetscInt64       count;
  PetscInt         below; /* of INDICES: one more than the largest */
  const PetscBool *when;
  void (*serialize)(void *self, NsArchive *archive);
  NsWorkItem *next, *before;
};

PetscErrorCode NsWorkspaceCreate(NsModel *model, NsContact *contact, NsWorkspace **result)
{
  NsWorkspace *work;

  PetscFunctionBegin;
  PetscCall(PetscNew(&work));
  work->model      = model;
  work->rows       = NsContactRowCount(contact);
  work->candidates = model->candidates;
  *result          = work;
  PetscFunctionReturn(0);
}

static PetscErrorCode add(NsWorkspace *work, NsWorkItem item)
{
  NsWorkItem *copy;

  PetscFunctionBegin;
  PetscCall(PetscNew(&copy));
  *copy                                            = item;
  copy->when                                       = work->when;
  copy->before                                     = work->last;
  *(work->last ? &work->last->next : &work->first) = copy;
  work->last                                       = copy;
  PetscFunctionReturn(0);
}

/* The pointer in a field, whatever it points to. */
static void *pointer_in(const void *field)
{
  void *pointer;

  memcpy(&pointer, field, sizeof(pointer));
  return pointer;
}

static PetscErrorCode free_item(const NsWorkItem *item)
{
  void *memory;

  PetscFunctionBegin;
  switch (item->storage) {
  case VECTOR: PetscCall(NsVecsDestroy((Vec *)item->field, NULL)); break;
  case ROWS: PetscCall(NsRowsDestroy(item->field)); break;
  case COMPLIANCE: PetscCall(NsComplianceDestroy(item->field)); break;
  case ARRAY:
  case BLOCK:
    memory = item->storage == ARRAY ? pointer_in(item->field) : item->field;
    free(memory);
    break;
  case FIELD: break;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkspaceDestroy(NsWorkspace **result)
{
  NsWorkspace *work = *result;

  PetscFunctionBegin;
  if (!work) PetscFunctionReturn(0);
  while (work->last) { /* fields may be in memory that was declared before them */
    NsWorkItem *item = work->last;
    work->last       = item->before;
    PetscCall(free_item(item));
    PetscCall(PetscFree(item));
  }
  PetscCall(PetscFree(work));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkspaceSerialize(NsWorkspace *work, NsArchive *archive)
{
  PetscFunctionBegin;
  for (const NsWorkItem *item = work->first; item; item = item->next) {
    void *const value = item->storage == ARRAY ? pointer_in(item->field) : item->field;
    if (item->when && !*item->when) continue;
    switch (item->content) {
    case VECTOR_VALUES: PetscCall(NsArchiveVec(archive, item->name, *(Vec *)item->field)); break;
    case ROW_VALUES: NsRowsSerialize(archive, item->name, work->model, item->field); break;
    case REALS: NsArchiveReals(archive, item->name, item->count, value); break;
    case FLAGS: NsArchiveFlags(archive, item->name, (PetscInt)item->count, value); break;
    case INDICES: NsArchiveIndices(archive, item->name, (PetscInt)item->count, value, item->below); break;
    case COUNTS: NsArchiveLongs(archive, item->name, (PetscInt)item->count, value); break;
    case OTHER: item->serialize(item->field, archive); break;
    case SCRATCH: break;
    }
  }
  PetscFunctionReturn(0);
}

/* ---- scratch ---------------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsWorkVecs(NsWorkspace *work, Vec *first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (Vec *x = first; x; x = va_arg(list, Vec *)) {
    PetscCall(NsVecsCreate(work->model, x, NULL));
    PetscCall(add(work, (NsWorkItem){.storage = VECTOR, .field = x}));
  }
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkRows(NsWorkspace *work, NsRows *first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (NsRows *rows = first; rows; rows = va_arg(list, NsRows *)) {
    PetscCall(NsRowsCreate(work->model, rows));
    PetscCall(add(work, (NsWorkItem){.storage = ROWS, .field = rows}));
  }
  va_end(list);
  PetscFunctionReturn(0);
}

static PetscErrorCode allocate(NsWorkspace *work, Content content, const char *name, PetscInt64 count, size_t size, void *pointer)
{
  void *memory = NsZeros((size_t)count, size);

  PetscFunctionBegin;
  memcpy(pointer, &memory, sizeof(memory));
  PetscCall(add(work, (NsWorkItem){.storage = ARRAY, .content = content, .field = pointer, .name = name, .count = count}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkReals(NsWorkspace *work, PetscInt64 count, PetscReal **first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (PetscReal **x = first; x; x = va_arg(list, PetscReal **)) PetscCall(allocate(work, SCRATCH, NULL, count, sizeof(**x), x));
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkInts(NsWorkspace *work, PetscInt64 count, PetscInt **first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (PetscInt **x = first; x; x = va_arg(list, PetscInt **)) PetscCall(allocate(work, SCRATCH, NULL, count, sizeof(**x), x));
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkFlags(NsWorkspace *work, PetscInt64 count, PetscBool **first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (PetscBool **x = first; x; x = va_arg(list, PetscBool **)) PetscCall(allocate(work, SCRATCH, NULL, count, sizeof(**x), x));
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkBytes(NsWorkspace *work, size_t size, void *pointer)
{
  void *memory = NsZeros(1, size);

  PetscFunctionBegin;
  memcpy(pointer, &memory, sizeof(memory));
  PetscCall(add(work, (NsWorkItem){.storage = BLOCK, .field = memory}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkTakesCompliance(NsWorkspace *work, NsCompliance **compliance)
{
  PetscFunctionBegin;
  PetscCall(add(work, (NsWorkItem){.storage = COMPLIANCE, .field = compliance}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWorkCompliance(NsWorkspace *work, PetscInt slot, NsCompliance **compliance)
{
  PetscFunctionBegin;
  PetscCall(NsComplianceCreate(work->model, slot, compliance));
  PetscCall(NsWorkTakesCompliance(work, compliance));
  PetscFunctionReturn(0);
}

/* ---- history ---------------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsHistoryVec(NsWorkspace *work, const char *name, Vec *x)
{
  PetscFunctionBegin;
  PetscCall(NsVecsCreate(work->model, x, NULL));
  PetscCall(add(work, (NsWorkItem){.storage = VECTOR, .content = VECTOR_VALUES, .field = x, .name = name}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryRows(NsWorkspace *work, const char *name, NsRows *rows)
{
  PetscFunctionBegin;
  PetscCall(NsRowsCreate(work->model, rows));
  PetscCall(add(work, (NsWorkItem){.storage = ROWS, .content = ROW_VALUES, .field = rows, .name = name}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryReals(NsWorkspace *work, const char *name, PetscInt64 count, PetscReal **value)
{
  PetscFunctionBegin;
  PetscCall(allocate(work, REALS, name, count, sizeof(**value), value));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryFlags(NsWorkspace *work, const char *name, PetscInt64 count, PetscBool **flag)
{
  PetscFunctionBegin;
  PetscCall(allocate(work, FLAGS, name, count, sizeof(**flag), flag));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryIndices(NsWorkspace *work, const char *name, PetscInt64 count, PetscInt **index, PetscInt below)
{
  PetscFunctionBegin;
  PetscCall(allocate(work, INDICES, name, count, sizeof(**index), index));
  work->last->below = below;
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryNumbers(NsWorkspace *work, const char *name, PetscInt64 count, PetscReal *value)
{
  PetscFunctionBegin;
  PetscCall(add(work, (NsWorkItem){.content = REALS, .field = value, .name = name, .count = count}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryFlag(NsWorkspace *work, const char *name, PetscBool *flag)
{
  PetscFunctionBegin;
  PetscCall(add(work, (NsWorkItem){.content = FLAGS, .field = flag, .name = name, .count = 1}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryCounts(NsWorkspace *work, const char *name, PetscInt64 count, PetscInt64 *value)
{
  PetscFunctionBegin;
  PetscCall(add(work, (NsWorkItem){.content = COUNTS, .field = value, .name = name, .count = count}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsHistoryOther(NsWorkspace *work, void (*serialize)(void *self, NsArchive *archive), void *self)
{
  PetscFunctionBegin;
  PetscCall(add(work, (NsWorkItem){.content = OTHER, .field = self, .serialize = serialize}));
  PetscFunctionReturn(0);
}

void NsHistoryWhen(NsWorkspace *work, const PetscBool *flag)
{
  work->when = flag;
}
