/* The first lines of a checkpoint: written, read, compared. */
#include <errno.h>
#include <string.h>
#include "checkpoint.h"

int NsCheckpointPrintHead(const NsCheckpointHead *head, char *text)
{
  return snprintf(text, NS_CHECKPOINT_HEAD,
    "percuss checkpoint 2\nprogram %s\nconfig %s\ninputs %s\noptions %s\nranks %lld\nstep %lld\ntime %.17g\n\n", head->program, head->config,
    head->inputs, head->options, (long long)head->ranks, (long long)head->step, head->time);
}

/* Copies the text behind this word on the line at *text; *text moves to the next line. */
static PetscBool read_line(const char **text, const char *end, const char *word, char *to, size_t size)
{
  const size_t length = strlen(word), left = (size_t)(end - *text);
  const char  *line = *text, *stop = left ? memchr(line, '\n', left) : NULL;

  if (!stop || (size_t)(stop - line) < length + 1 || memcmp(line, word, length) != 0 || line[length] != ' ') return PETSC_FALSE;
  line += length + 1;
  if ((size_t)(stop - line) >= size) return PETSC_FALSE;
  memcpy(to, line, (size_t)(stop - line));
  to[stop - line] = 0;
  *text           = stop + 1;
  return PETSC_TRUE;
}

static PetscBool read_whole(const char **text, const char *end, const char *word, PetscInt64 *value)
{
  char number[24], *stop;
  if (!read_line(text, end, word, number, sizeof(number))) return PETSC_FALSE;
  errno  = 0;
  *value = strtoll(number, &stop, 10);
  return number[0] && !*stop && !errno && *value >= 0;
}

size_t NsCheckpointReadHead(const char *text, size_t size, NsCheckpointHead *head)
{
  const char *at = text, *end = text + PetscMin(size, NS_CHECKPOINT_HEAD);
  char        format[8], time[40];

  if (!read_line(&at, end, "percuss checkpoint", format, sizeof(format)) || strcmp(format, "2") != 0) return 0;
  if (!read_line(&at, end, "program", head->program, sizeof(head->program)) || !read_line(&at, end, "config", head->config, sizeof(head->config)) ||
      !read_line(&at, end, "inputs", head->inputs, sizeof(head->inputs)) || !read_line(&at, end, "options", head->options, sizeof(head->options)) ||
      !read_whole(&at, end, "ranks", &head->ranks) || !read_whole(&at, end, "step", &head->step) || !read_line(&at, end, "time", time, sizeof(time)))
    return 0;
  head->time = strtod(time, NULL);
  return at < end && *at == '\n' ? (size_t)(at + 1 - text) : 0;
}

void NsCheckpointCompareHeads(const NsCheckpointHead *own, const NsCheckpointHead *found, PetscBool state, char *why, size_t size)
{
  *why = 0;
  if (strcmp(own->program, found->program) != 0)
    (void)snprintf(why, size, "it was written by another program, %s; this is %s", found->program, own->program);
  else if (strcmp(own->config, found->config) != 0)
    (void)snprintf(why, size, "the config differs in more than end, output and limits");
  else if (!state && strcmp(own->inputs, found->inputs) != 0)
    (void)snprintf(why, size, "a mesh file, a plugin or the state that it started from has changed since");
  else if (!state && strcmp(own->options, found->options) != 0)
    (void)snprintf(why, size, "it was written with other PETSc options");
  else if (own->ranks != found->ranks)
    (void)snprintf(why, size, "it was written by %lld process%s, but now there %s %lld: use mpiexec -n %lld", (long long)found->ranks,
      found->ranks == 1 ? "" : "es", own->ranks == 1 ? "is" : "are", (long long)own->ranks, (long long)found->ranks);
}
