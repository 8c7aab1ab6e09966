/* percuss init KIND: a commented config to start from, on stdout. The texts are src/cli/starters/KIND.yaml. */
#include <stdio.h>
#include <string.h>
#include "command.h"

typedef struct {
  const char *kind, *text;
} Starter;

static const Starter starters[] = {
#define NS_STARTER(kind, text) {#kind, text},
#include "percuss_starters.h"
#undef NS_STARTER
};
#define NS_STARTERS (int)(sizeof(starters) / sizeof(starters[0]))

const char *NsInitKind(int i)
{
  return i < NS_STARTERS ? starters[i].kind : NULL;
}

/* The first comment line of a starter says what it is. */
static void print_kinds(FILE *file)
{
  for (int i = 0; i < NS_STARTERS; i++)
    fprintf(file, "  %-12s %.*s\n", starters[i].kind, (int)strcspn(starters[i].text + 2, "\n"), starters[i].text + 2);
}

static int call(const NsArguments *arguments)
{
  const char *names[NS_STARTERS + 1] = {NULL}, *kind = arguments->word[0];

  if (!kind) {
    printf("percuss init KIND > my_config.yaml, with one of these kinds:\n");
    print_kinds(stdout);
    return NS_EXIT_DONE;
  }
  for (int i = 0; i < NS_STARTERS; i++) {
    names[i] = starters[i].kind;
    if (strcmp(kind, starters[i].kind)) continue;
    fputs(starters[i].text, stdout);
    return NS_EXIT_DONE;
  }
  fprintf(stderr, "percuss init: unknown kind '%s'%s\n", kind, NsDidYouMean(NsNearestWord(kind, names)));
  print_kinds(stderr);
  return NS_EXIT_INPUT;
}

const NsCommand NsCommand_Init = {
  .name        = "init",
  .words       = "[KIND]",
  .about       = "print a commented config to start from",
  .description = "Without KIND: list the kinds.",
  .examples    = "init bar > my_bar.yaml",
  .call        = call,
};
