#include "json.h"
#include "decimal.h"
#include "out_of_memory.h"
#include "text.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(NsJson *json, const char *bytes, size_t size)
{
  if (json->capacity - json->used < size) {
    const size_t capacity = 2 * json->capacity + size;
    char        *text     = realloc(json->text, capacity);

    if (!text) NsOutOfMemory();
    json->text     = text;
    json->capacity = capacity;
  }
  memcpy(json->text + json->used, bytes, size);
  json->used += size;
}

static void append_quoted(NsJson *json, const char *value)
{
  append(json, "\"", 1);
  for (const char *p = value, *end = value + strlen(value); p < end;) {
    unsigned     code;
    const size_t length = (size_t)NsTextDecode(p, end, &code);
    char         escape[8];

    if (!length)
      append(json, "\xef\xbf\xbd", 3);
    else if (*p == '"' || *p == '\\')
      append(json, (char[]){'\\', *p}, 2);
    else if (*p == '\n')
      append(json, "\\n", 2);
    else if (*p == '\t')
      append(json, "\\t", 2);
    else if (code < 0x20 || code == 0x7f)
      append(json, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04x", code & 0xff));
    else
      append(json, p, length);
    p += length ? length : 1;
  }
  append(json, "\"", 1);
}

static void new_line(NsJson *json)
{
  append(json, "\n", 1);
  for (int i = 0; i < json->depth; i++) append(json, "  ", 2);
}

/* Writes what precedes a value: comma, line, name. */
static void begin_value(NsJson *json, const char *name)
{
  if (json->depth) {
    bool *filled = &json->filled[json->depth - 1];

    if (*filled) append(json, ",", 1);
    *filled = true;
    new_line(json);
  }
  if (name) {
    append_quoted(json, name);
    append(json, ": ", 2);
  }
}

/* A text ends with a newline, as files do. */
static void end_value(NsJson *json)
{
  if (!json->depth) append(json, "\n", 1);
}

void NsJsonBegin(NsJson *json, size_t capacity)
{
  memset(json, 0, sizeof(*json));
  json->text     = malloc(capacity);
  json->capacity = capacity;
  if (!json->text) NsOutOfMemory();
}

void NsJsonClear(NsJson *json)
{
  json->used  = 0;
  json->depth = 0;
}

void NsJsonEnd(NsJson *json)
{
  free(json->text);
  memset(json, 0, sizeof(*json));
}

void NsJsonOpen(NsJson *json, const char *name, char bracket)
{
  assert(json->depth < NS_JSON_DEPTH);
  begin_value(json, name);
  append(json, &bracket, 1);
  json->bracket[json->depth] = bracket == '{' ? '}' : ']';
  json->filled[json->depth]  = false;
  json->depth++;
}

void NsJsonClose(NsJson *json)
{
  assert(json->depth > 0);
  json->depth--;
  if (json->filled[json->depth]) new_line(json);
  append(json, &json->bracket[json->depth], 1);
  end_value(json);
}

void NsJsonString(NsJson *json, const char *name, const char *value)
{
  begin_value(json, name);
  if (value)
    append_quoted(json, value);
  else
    append(json, "null", 4);
  end_value(json);
}

void NsJsonNumber(NsJson *json, const char *name, double value)
{
  char text[NS_DECIMAL_SIZE];

  begin_value(json, name);
  if (isfinite(value))
    append(json, text, (size_t)NsDecimal(value, text));
  else
    append(json, "null", 4);
  end_value(json);
}

void NsJsonInteger(NsJson *json, const char *name, long long value)
{
  char text[32];

  begin_value(json, name);
  append(json, text, (size_t)snprintf(text, sizeof(text), "%lld", value));
  end_value(json);
}

void NsJsonBoolean(NsJson *json, const char *name, bool value)
{
  begin_value(json, name);
  append(json, value ? "true" : "false", value ? 4 : 5);
  end_value(json);
}
