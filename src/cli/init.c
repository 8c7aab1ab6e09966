/* percuss init KIND: a commented config to start from, on stdout. The texts are src/cli/starters/KIND.yaml. */
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "percuss/diag.h"

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

int NsCommandInit(int argc, char **argv)
{
  const char *names[NS_STARTERS + 1], *near;

  if (argc < 2) {
    printf("percuss init KIND > my_config.yaml, with one of these kinds:\n");
    print_kinds(stdout);
    return 0;
  }
  for (int i = 0; i < NS_STARTERS; i++) {
    names[i] = starters[i].kind;
    if (strcmp(argv[1], starters[i].kind) || argc > 2) continue;
    fputs(starters[i].text, stdout);
    return 0;
  }
  if (argc > 2) {
    fprintf(stderr, "percuss init: one kind, please\n");
    return 2;
  }
  names[NS_STARTERS] = NULL;
  near               = NsNearestWord(argv[1], names);
  fprintf(stderr, "percuss init: unknown kind '%s'%s%s%s\n", argv[1], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  print_kinds(stderr);
  return 2;
}
