/*
  `percuss explain WORD` for a word that is no name: the pages whose name, help or text has it, those first that have it in a shorter text.

  A word is found where a word of the text begins with it, whatever the case of the letters, and without a plural's s. If several words are found nowhere as a phrase, they are searched one by one: a page must
  have all of them in its path or text. If no page has, the search is repeated without the ends of long words, so that "anisotropic friction" finds `anisotropy`.
*/
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cli/explain.h"

enum { MOST_SHOWN = 15, MOST_WORDS = 8 };

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
  {"hysteresis", "dissipation"}, {"preload", "axial_force"}, {"rotation speed", "spin"}, {"cfl", "critical time step"}, {"chirp", "sweep"},
  {"anisotropic", "anisotropy"}, {"psd", "spectrum"}, {"earthquake", "base"}, {"ground motion", "base"}, {"base excitation", "base"},
  {"excitation", "motion"}, {"conveyor", "belt"}, {"wall", "plane"}, {"damper", "damping"}, {"nonlinear", "law"}, {"unilateral", "one_sided"},
  {"stick slip", "friction"}, {"stick-slip", "friction"}, {"rate-dependent", "velocity"}, {"piecewise", "linear between rows"},
  {"power law", "power"}, {"hunt", "hertz"}, {"crossley", "hertz"}, {"orthotropic friction", "anisotropy"}, {"spinning friction", "drilling"},
  {"torsional friction", "drilling"}, {"accelerometer", "accelerations"}, {"arithmetic", "parameters"}, {"lookup", "table"}, {"window", "until"},
  {"warm start", "from"}, {"tone", "burst"}, {"moving", "motion"}, {"stribeck curve", "stribeck"}, {"energy per body", "body_energies"},
  {"blade loss", "unbalance"}, {"blade out", "unbalance"}, {"limit cycle", "orbit"}, {"restart", "resume"}};

typedef struct {
  int           words;
  const char   *word[MOST_WORDS]; /* all of them are searched for */
  size_t        size[MOST_WORDS];
  bool          in_path; /* the path of a key counts, too */
  int           rank;    /* 0: the name has the word, 1: help or title, 2: the text */
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

/* The first of texts[3] that has the word i; 3: none. */
static int rank_of(const TextSearch *search, int i, const char *path, const NsKey *key, const char *const text[3])
{
  int rank = 0;

  while (rank < 3 && !contains(text[rank], search->word[i], search->size[i])) rank++;
  for (int c = 0; key && rank > 1 && key->choices && key->choices[c]; c++)
    rank = contains(key->choices[c], search->word[i], search->size[i]) ? 1 : rank;
  return rank == 3 && search->in_path && contains(path, search->word[i], search->size[i]) ? 1 : rank;
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
  int               rank = 0;

  for (int i = 0; i < search->words; i++) {
    const int own = rank_of(search, i, path, key, text);
    if (own > rank) rank = own;
  }
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

static TextSearch begin(const char *word, size_t size, NsArena *arena)
{
  return (TextSearch){.words = 1, .word = {word}, .size = {size}, .arena = arena};
}

static bool search_all(const NsTable *const *roots, TextSearch *self)
{
  for (int rank = 0; rank < 3; rank++) {
    self->first[rank] = NULL;
    self->end[rank]   = &self->first[rank];
    self->count[rank] = 0;
  }
  for (; *roots; roots++) NsExplainWalk(*roots, self->arena, visit_text, self);
  return self->count[0] + self->count[1] + self->count[2] > 0;
}

static const char *synonym_of(const char *word)
{
  for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++) {
    if (!strcasecmp(word, synonyms[i][0])) return synonyms[i][1];
  }
  return word;
}

/* Word by word, without articles and prepositions. */
static TextSearch split(const char *phrase, NsArena *arena)
{
  static const char *const empty[] = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "over", "per", "the", "to", "with"};
  TextSearch               search  = {.in_path = true, .arena = arena};

  while (*phrase && search.words < MOST_WORDS) {
    const size_t size = strcspn(phrase, " -_");
    const char  *word = NsArenaCopy(arena, phrase, size);
    bool         says = size > 0;
    for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) says = says && strcasecmp(word, empty[i]) != 0;
    if (says) {
      word                        = synonym_of(word);
      search.word[search.words]   = word;
      search.size[search.words++] = strlen(word);
    }
    phrase += size + (phrase[size] != '\0');
  }
  return search;
}

/* Without plural's s and the ends of long words. */
static bool shorten(TextSearch *search)
{
  bool any = false;

  for (int i = 0; i < search->words; i++) {
    const size_t size = search->size[i];
    search->size[i]   = size > 7 ? size - 3 : size > 3 && search->word[i][size - 1] == 's' ? size - 1 : size;
    any               = any || search->size[i] < size;
  }
  return any;
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
  TextSearch  search = begin(word, strlen(word), arena);
  const char *list   = "";
  int         count  = 0;

  (void)search_all(roots, &search);
  for (const NsExplainHit *hit = search.first[0]; hit && count < MOST_SHOWN; hit = hit->next) {
    const char *name = hit->key ? hit->key->name : hit->variant->name;

    if (strlen(name) <= search.size[0] + 1) continue; /* the word itself, or its plural: it has been printed */
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
  const size_t size  = strlen(word);
  const char  *other = synonym_of(word);
  TextSearch   search;
  bool         found;

  if (size < 2) return false;
  search = begin(other, strlen(other), arena);
  found  = search_all(roots, &search);
  if (!found && size > 3 && word[size - 1] == 's') {
    search = begin(word, size - 1, arena);
    found  = search_all(roots, &search);
  }
  if (!found) {
    search = split(word, arena);
    if (search.words == 0 || !strpbrk(word, " -")) return false; /* a single word may be a key with an error: "did you mean" is better */
    found = search_all(roots, &search) || (shorten(&search) && search_all(roots, &search));
  }
  if (!found) return false;
  if (search.count[0] + search.count[1] + search.count[2] == 1)
    for (int rank = 0; rank < 3; rank++)
      for (const NsExplainHit *hit = search.first[rank]; hit; hit = hit->next) NsExplainPage(hit, arena, out);
  else
    print_list(&search, word, out);
  return true;
}
