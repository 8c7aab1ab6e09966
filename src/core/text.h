/*
  Characters of UTF-8 text, as the YAML reader counts them and a terminal shows them.
*/
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "percuss/arena.h"

/* Bytes of the character at text (1 to 4) and its code point; 0 for invalid bytes, surrogates and the end. */
int NsTextDecode(const char *text, const char *end, unsigned *code);
/* Characters in so many bytes; an invalid byte counts as one. */
int NsTextCount(const char *text, size_t bytes);
/* Bytes of the line break at text, or 0. What libyaml calls a break: CR LF, CR, LF, U+0085, U+2028, U+2029. */
int NsTextBreak(const char *text, const char *end);
/* Whether it is safe to send to a terminal: no control characters, nothing that turns the direction of writing. */
bool NsTextPrintable(unsigned code);
/* The text, or a copy with '?' for each character that would drive a terminal or turn the direction of writing; tab and newline stay. What is read from files of others (configs,
   run.json, tables) goes through this, so that titles and names can be printed as they are. */
const char *NsTextTame(const char *text, NsArena *arena);
/* The text, or a copy in one line: a blank in place of each run of blanks, tabs and line breaks, none at its ends. For titles and values in tables. */
const char *NsTextLine(const char *text, NsArena *arena);
/* Columns it takes on a terminal: 0 combining, 2 East Asian wide, else 1. */
int NsTextWidth(unsigned code);
/* The most bytes, at most `most`, that do not cut a character in two. */
int NsTextFit(const char *text, size_t bytes, int most);

/* A field of a CSV file, in quotes if it needs them. */
void NsPutWord(FILE *file, const char *word);
/* Whether it names a file without leading elsewhere: letters, digits, and - _ . within it. */
bool NsTextIsFileName(const char *text);
bool NsTextEndsWith(const char *text, const char *end);
/* printf("%d %s", n, NsPlural(n, "body", "bodies")). The count may be any number, because it may come from a file. */
static inline const char *NsPlural(double count, const char *one, const char *many)
{
  return count == 1 ? one : many;
}

/* How messages quote what the user wrote: printf("'" NS_CLIP "'", NsClip(text)): at most 60 bytes, then dots. Evaluates text twice. */
#define NS_CLIP      "%.*s%s"
#define NsClip(text) NsTextFit((text), strlen(text), 60), (text), strlen(text) > 60 ? "..." : ""
