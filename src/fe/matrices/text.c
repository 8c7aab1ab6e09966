/* Lines and numbers of text files. */
#include "matrices.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/load.h"
#include "core/out_of_memory.h"

PetscBool NsLinesOpen(const NsNode *where, const char *path, NsArena *arena, NsDiag *diag, NsLines *lines)
{
  const char *reason;
  size_t      size;

  *lines = (NsLines){.name = path ? path : where->text, .place = where->place, .diag = diag};
  if (!path) path = NsTreeFile(where, arena);
  lines->text = lines->next = NsFileLoad(path, &size, &reason);
  if (!lines->text) {
    NsDiagError(diag, where->place, "cannot read the file '%s': %s", lines->name, reason);
    if (strcmp(path, lines->name) != 0) NsDiagNote(diag, "looked for %s", path);
  } else if (strlen(lines->text) != size) {
    lines->number = 1;
    NsLinesFail(lines, "it is not a text file: it has a byte of value 0");
  }
  lines->failed = lines->failed || !lines->text;
  return !lines->failed;
}

void NsLinesClose(NsLines *lines)
{
  free(lines->text);
  lines->text = NULL;
}

PetscBool NsLinesNext(NsLines *lines)
{
  while (!lines->failed && *lines->next) {
    char *end   = lines->next + strcspn(lines->next, "\n");
    lines->line = lines->next;
    lines->next = *end ? end + 1 : end;
    *end        = '\0';
    lines->number++;
    if (lines->line[strspn(lines->line, " \t\r")]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void NsLinesFail(NsLines *lines, const char *format, ...)
{
  char    text[400];
  va_list arguments;

  if (lines->failed) return;
  lines->failed = PETSC_TRUE;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (lines->number)
    NsDiagError(lines->diag, lines->place, "%s:%ld: %s", lines->name, lines->number, text);
  else
    NsDiagError(lines->diag, lines->place, "%s: %s", lines->name, text);
}

/* Behind blanks and one comma. */
static char *behind(char *at)
{
  at += strspn(at, " \t\r");
  return *at == ',' ? at + 1 : at;
}

PetscBool NsLinesReal(char **at, double *value)
{
  char *end, *from = *at + strspn(*at, " \t\r");

  *value = strtod(from, &end);
  if (end == from) return PETSC_FALSE;
  if ((*end == 'D' || *end == 'd') && (isdigit((unsigned char)end[1]) || end[1] == '+' || end[1] == '-')) { /* Fortran's 1.0D+05 */
    *end   = 'e';
    *value = strtod(from, &end);
  }
  *at = behind(end);
  return PETSC_TRUE;
}

PetscBool NsLinesWhole(char **at, long *value)
{
  char *end, *from = *at + strspn(*at, " \t\r");

  errno  = 0;
  *value = strtol(from, &end, 10);
  if (end == from || errno || (*end && !strchr(" \t\r,.", *end))) return PETSC_FALSE;
  *at = behind(end);
  return PETSC_TRUE;
}

void *NsMatrixGrow(void *items, PetscInt count, PetscInt more, PetscInt *capacity, size_t size)
{
  if (count + more <= *capacity) return items;
  *capacity = 2 * (count + more) + 64;
  items     = realloc(items, (size_t)*capacity * size);
  if (!items) NsOutOfMemory();
  return items;
}
