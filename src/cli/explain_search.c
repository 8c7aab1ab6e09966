/*
  `percuss explain WORD` for a word that is no name: the pages whose name, help or text has it, those first that have it in a shorter text.

  A word is found where a word of the text begins with it, in small or capital letters, and without a plural's s.
*/
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain.h"

enum { MOST_SHOWN = 15 };

/* Synonyms: words that users search for, and the terms of percuss. */
static const char *const synonyms[][2] = {{"dt", "step"}, {"timestep", "step"}, {"courant", "critical time step"}, {"mu", "friction"},
  {"coulomb", "friction"}, {"prestress", "axial_force"}, {"bc", "support"}, {"boundary", "support"}, {"dof", "direction"}, {"e-modulus", "young"},
  {"imbalance", "unbalance"}, {"rub", "contact"}, {"signorini", "contacts"}, {"delassus", "contact_solver"}, {"semismooth newton", "contact_solver"},
  {"linear complementarity", "contact_solver"}, {"lcp", "contact_solver"}, {"degree of freedom", "DOF"},
  {"coefficient of restitution", "restitution"}, {"log decrement", "damping"}, {"lumping", "lumped"}, {"mass lumping", "lumped"},
  {"eigenmode", "modes"}, {"eigenfrequency", "modes"}, {"newton-euler", "inertia"}, {"cor", "restitution"}, {"bounce", "restitution"},
  {"array", "copies"}, {"pattern", "copies"}, {"repeat", "copies"}, {"fixed", "support"}, {"clamped", "support"}, {"hinged", "support"},
  {"alias", "parameters"}, {"variable", "parameters"}, {"chattering", "event"}, {"jamming", "friction"}, {"painleve", "friction"},
  {"sinking", "penetration"}, {"overlap", "penetration"}, {"fps", "frames"}, {"animation", "frames"}, {"viscous", "damping"},
  {"hysteresis", "dissipation"}, {"preload", "axial_force"}, {"rotation speed", "spin"}, {"cfl", "critical time step"}};

typedef struct {
  const char   *word;
  size_t        size;
  int           rank; /* 0: the name has the word, 1: help or title, 2: the text */
  int           count[3];
  NsArena      *arena;
  NsExplainHit *first[3], **end[3];
} TextSearch;

static bool contains(const char *text, const char *word, size_t size)
{
  for (const char *p = text; p && *p; p++) {
    const bool begins = p == text || !isalnum((unsigned char)p[-1]);

    if (begins && !strncasecmp(p, word, size)) return true;
  }
  return false;
}

bool NsExplainContains(const char *text, const char *word)
{
  return contains(text, word, strlen(word));
}

static int count_dots(const char *path)
{
  int count = 0;

  for (; *path; path++) count += *path == '.';
  return count;
}

static void visit_text(void *context, const char *path, const NsKey *key, const NsVariant *variant)
{
  TextSearch       *search  = context;
  const char *const text[3] = {key ? key->name : variant->name, key ? key->help : variant->title, key ? key->example : variant->about};
  NsExplainHit     *hit;
  int               rank  = 0;
  bool              found = false;

  while (rank < 3 && !contains(text[rank], search->word, search->size)) rank++;
  for (int i = 0; key && rank > 1 && key->choices && key->choices[i]; i++) found = found || contains(key->choices[i], search->word, search->size);
  if (found) rank = 1;
  if (rank == 3) return;
  for (hit = search->first[rank]; hit; hit = hit->next) { /* many bodies share their keys: only the page with the shortest path is listed */
    const char *help = hit->key ? hit->key->help : NULL;

    if (hit->variant != variant || (hit->key != key && !(help && key->help && !strcmp(hit->key->name, key->name) && !strcmp(help, key->help))))
      continue;
    if (count_dots(path) < count_dots(hit->path)) hit->path = path;
    return;
  }
  hit                = NsArenaAlloc(search->arena, sizeof(*hit));
  *hit               = (NsExplainHit){.path = path, .also = "", .key = key, .variant = variant};
  *search->end[rank] = hit;
  search->end[rank]  = &hit->next;
  search->count[rank]++;
}

static TextSearch search_all(const NsTable *const *roots, const char *word, size_t size, NsArena *arena)
{
  TextSearch  search = {.word = word, .size = size, .arena = arena};
  TextSearch *self   = &search;

  for (int rank = 0; rank < 3; rank++) self->end[rank] = &self->first[rank];
  for (; *roots; roots++) NsExplainWalk(*roots, arena, visit_text, self);
  return search;
}

static void print_list(const TextSearch *search, const char *word, FILE *out)
{
  int shown = 0, width = 0, total = search->count[0] + search->count[1] + search->count[2];

  for (int rank = 0; rank < 3; rank++) {
    for (const NsExplainHit *hit = search->first[rank]; hit; hit = hit->next) {
      const int size = (int)strlen(hit->path);
      if (size > width && size <= 40) width = size;
    }
  }
  fprintf(out, "pages with the word '%s'\n\n", word);
  for (int rank = 0; rank < 3; rank++) {
    for (const NsExplainHit *hit = search->first[rank]; hit && shown < MOST_SHOWN; hit = hit->next, shown++) {
      const char *title = hit->variant ? hit->variant->title : hit->key->help;
      const int   size  = (int)strlen(hit->path);

      fprintf(out, "  %-*s  ", width, hit->path);
      NsExplainWrap(out, (size > width ? size : width) + 4, title ? title : "");
    }
  }
  if (total > shown) fprintf(out, "  ... and %d more\n", total - shown);
  fprintf(out, "\npercuss explain %s prints the first of them\n",
    search->first[0]   ? search->first[0]->path
    : search->first[1] ? search->first[1]->path
                       : search->first[2]->path);
}

void NsExplainSeeAlso(const NsTable *const *roots, const char *word, NsArena *arena, FILE *out)
{
  const TextSearch search = search_all(roots, word, strlen(word), arena);
  const char      *list   = "";
  int              count  = 0;

  for (const NsExplainHit *hit = search.first[0]; hit && count < MOST_SHOWN; hit = hit->next) {
    const char *name = hit->key ? hit->key->name : hit->variant->name;

    if (strlen(name) <= search.size + 1) continue; /* the word itself, or its plural: it has been printed */
    list = NsArenaPrint(arena, "%s%s%s", list, count++ ? ", " : "", hit->path);
  }
  for (const NsExplainHit *hit = search.first[1]; hit && count < MOST_SHOWN; hit = hit->next) { /* keys of which the word is a value */
    for (int i = 0; hit->key && hit->key->choices && hit->key->choices[i]; i++) {
      if (!strcasecmp(hit->key->choices[i], word)) list = NsArenaPrint(arena, "%s%s%s", list, count++ ? ", " : "", hit->path);
    }
  }
  if (!count) return;
  fputs("\nsee also: ", out);
  NsExplainWrap(out, 10, list);
}

bool NsExplainSearch(const NsTable *const *roots, const char *word, NsArena *arena, FILE *out)
{
  const size_t size = strlen(word);
  TextSearch   search;
  const char  *other = NULL;

  for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++) {
    if (!strcasecmp(word, synonyms[i][0])) other = synonyms[i][1];
  }
  if (size < 2) return false;
  search = search_all(roots, other ? other : word, other ? strlen(other) : size, arena);
  if (!search.first[0] && !search.first[1] && !search.first[2] && size > 3 && word[size - 1] == 's')
    search = search_all(roots, word, size - 1, arena);
  if (search.count[0] + search.count[1] + search.count[2] == 0) return false;
  if (search.count[0] + search.count[1] + search.count[2] == 1)
    for (int rank = 0; rank < 3; rank++)
      for (const NsExplainHit *hit = search.first[rank]; hit; hit = hit->next) NsExplainPage(hit, arena, out);
  else
    print_list(&search, word, out);
  return true;
}
