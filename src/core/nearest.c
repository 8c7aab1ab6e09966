/*
  The word a user may have meant, by its letters or as a part of a longer one: optimal string alignment distance (insert, delete, replace, swap of neighbours each count once).
*/
#include "percuss/diag.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64, PART = 4 }; /* longer words are not compared; shorter parts are in too many words */

static int lower(char c)
{
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int least(int a, int b)
{
  return a < b ? a : b;
}

static int distance(const char *a, int la, const char *b, int lb)
{
  int rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];

  for (int j = 0; j <= lb; ++j) last[j] = j;
  for (int i = 1; i <= la; ++i) {
    int *free_row = before;

    row[0] = i;
    for (int j = 1; j <= lb; ++j) {
      const int differ = lower(a[i - 1]) != lower(b[j - 1]);

      row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + differ);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) row[j] = least(row[j], before[j - 2] + 1);
    }
    before = last;
    last   = row;
    row    = free_row;
  }
  return last[lb];
}

/* Whether `word` is a part of `other`. */
static int is_part(const char *word, size_t size, const char *other)
{
  for (; strlen(other) >= size; ++other) {
    size_t i = 0;

    while (i < size && lower(word[i]) == lower(other[i])) ++i;
    if (i == size) return 1;
  }
  return 0;
}

/* The only one of the words that `word` is a part of. */
static const char *only_whole(const char *word, size_t size, const char *const *words)
{
  const char *whole = NULL;

  if (size < PART || !words) return NULL;
  for (; *words; ++words) {
    if (!is_part(word, size, *words)) continue;
    if (whole) return NULL;
    whole = *words;
  }
  return whole;
}

const char *NsNearestWord(const char *word, const char *const *words)
{
  const char  *best          = NULL;
  int          best_distance = LONGEST, best_same = -1;
  const size_t size = strlen(word);

  if (size > LONGEST) return NULL;
  for (const char *const *at = words; at && *at; ++at) {
    const size_t other = strlen(*at), longer = size > other ? size : other;
    const int    limit = (int)(longer / 3);
    int          d, same = 0;

    if (longer > LONGEST || longer - (size < other ? size : other) > (size_t)limit) continue;
    d = distance(word, (int)size, *at, (int)other);
    if (d > limit || d > best_distance) continue;
    /* of two equally near words, that with more letters in their place, capitals included */
    for (size_t i = 0; i < size && i < other; ++i) same += word[i] == (*at)[i];
    if (d == best_distance && same <= best_same) continue;
    best          = *at;
    best_distance = d;
    best_same     = same;
  }
  return best ? best : only_whole(word, size, words);
}

const char *NsDidYouMean(const char *nearest)
{
  static _Thread_local char text[4096 + 32]; /* of the longest: a path */

  if (!nearest) return "";
  (void)snprintf(text, sizeof(text), "; did you mean '%s'?", nearest);
  return text;
}
