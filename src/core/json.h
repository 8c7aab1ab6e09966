/*
  A JSON text, written from front to back into memory.

      NsJsonBegin(&json, 4096);
      NsJsonOpen(&json, NULL, '{');
      NsJsonString(&json, "program", "percuss");
      NsJsonOpen(&json, "steps", '[');
      NsJsonInteger(&json, NULL, 12);
      NsJsonClose(&json);
      NsJsonClose(&json);
      ... json.text, json.used ...
      NsJsonEnd(&json);

  The name is NULL within lists and for the outermost value. A value a line, indented; lists of plain values too.
  Text is taken as UTF-8 and bytes that are not become U+FFFD, so that what is written can always be read.
*/
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define NS_JSON_DEPTH 16

typedef struct NsJson {
  char  *text; /* not terminated; grows by doubling, so a text that is made often allocates only at first */
  size_t used, capacity;
  int    depth;
  char   bracket[NS_JSON_DEPTH]; /* that closes each level */
  bool   filled[NS_JSON_DEPTH];  /* the level has a value already */
} NsJson;

void NsJsonBegin(NsJson *json, size_t capacity);
/* Forgets the text and keeps the memory. */
void NsJsonClear(NsJson *json);
void NsJsonEnd(NsJson *json);
/* bracket: '{' or '['. Deeper than NS_JSON_DEPTH is a bug of the caller. */
void NsJsonOpen(NsJson *json, const char *name, char bracket);
void NsJsonClose(NsJson *json);
/* NULL makes null. */
void NsJsonString(NsJson *json, const char *name, const char *value);
/* Shortest text that reads back as the same number; NaN and infinities make null, for JSON has no word for them. */
void NsJsonNumber(NsJson *json, const char *name, double value);
void NsJsonInteger(NsJson *json, const char *name, long long value);
void NsJsonBoolean(NsJson *json, const char *name, bool value);
