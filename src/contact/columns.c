#include "columns.h"

PetscErrorCode NsColumnsDrop(NsColumns *columns)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(columns->place));
  PetscCall(PetscFree(columns->start));
  PetscCall(PetscFree(columns->value));
  columns->kept     = PETSC_FALSE;
  columns->run_room = columns->number_room = 0;
  PetscFunctionReturn(0);
}

/* Room for one more run, of this many numbers. */
static PetscErrorCode make_room(NsColumns *columns, PetscInt numbers)
{
  PetscFunctionBegin;
  if (columns->runs + 1 >= columns->run_room) {
    columns->run_room = 2 * columns->run_room + 64;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)columns->run_room, &columns->place));
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)columns->run_room, &columns->start));
  }
  if (columns->numbers + numbers > columns->number_room) {
    columns->number_room = 2 * columns->number_room + numbers + 64;
    PetscCall(PetscRealloc(sizeof(PetscReal) * (size_t)columns->number_room, &columns->value));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsColumnsAdd(NsColumns *columns, PetscInt column, PetscInt size, const PetscReal *value, PetscReal cut, PetscInt join, PetscInt most)
{
  PetscFunctionBegin;
  if (!columns->kept) PetscFunctionReturn(0);
  columns->first[column] = columns->runs;
  for (PetscInt i = 0; i < size; i++) {
    PetscInt end = i;
    for (PetscInt j = i; j < size && j - end <= join; j++) {
      if (PetscAbsReal(value[j]) > cut) end = j + 1;
    }
    if (end == i) continue; /* nothing begins here */
    while (PetscAbsReal(value[i]) <= cut) i++;
    PetscCall(make_room(columns, end - i));
    columns->place[columns->runs] = i;
    columns->start[columns->runs] = columns->numbers;
    for (PetscInt j = i; j < end; j++) columns->value[columns->numbers++] = value[j];
    columns->start[++columns->runs] = columns->numbers;
    i                               = end - 1;
  }
  columns->first[column + 1] = columns->runs;
  if (columns->numbers > most) PetscCall(NsColumnsDrop(columns));
  PetscFunctionReturn(0);
}

PetscErrorCode NsColumnsBegin(NsColumns *columns)
{
  PetscFunctionBegin;
  columns->kept = PETSC_TRUE;
  columns->runs = columns->numbers = columns->first[0] = 0;
  PetscCall(make_room(columns, 0));
  columns->start[0] = 0;
  PetscFunctionReturn(0);
}
