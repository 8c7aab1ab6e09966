/*
  Syntax errors in plain words: libyaml's own ("while parsing a block mapping did not find expected key") do not help someone who rarely writes YAML.
*/
#include "core/out_of_memory.h"
#include "core/text.h"
#include "core/tree_internal.h"
#include <string.h>

/* Messages of libyaml that state the cause. */
static const char *const plain[][2] = {
  {"could not find expected ':'", "expected ':' after this key"},
  {"mapping values are not allowed in this context",
    "unexpected ':'; a text that holds ': ' needs quotes; else check the indentation, and the blank after each ':' above"},
  {"block sequence entries are not allowed in this context", "a list item '-' is not allowed here; start it on a line of its own"},
  {"did not find expected '-' indicator", "expected '-' and the next list item, or a line with less indentation"},
  {"found unknown escape character", "unknown escape in \"...\"; a backslash is written \\\\, or use '...'"},
  {"found invalid Unicode character escape code", "this escape is not a character"},
  {"did not find expected hexdecimal number", "this escape needs more hexadecimal digits"},
  {"did not find expected comment or line break", "the text of a block begins in the line after '|' or '>'"},
  {"found unexpected document indicator", "a document ends here, inside quotes"},
  {"found incompatible YAML document", "this version of YAML is not supported"},
};

/* Where a line and column of the source are. */
static const char *locate(const NsSource *source, const NsPlace *place, const char **line_start)
{
  const char *p = source->text, *end = p + source->size;

  for (int line = 1; line < place->line && p < end; ++line) {
    while (p < end && !NsTextBreak(p, end)) ++p;
    p += NsTextBreak(p, end);
  }
  *line_start = p;
  for (int column = 1; column < place->column && p < end && !NsTextBreak(p, end); ++column) {
    unsigned  code;
    const int length = NsTextDecode(p, end, &code);

    p += length ? length : 1;
  }
  return p;
}

static NsPlace mark_place(const NsSource *source, const yaml_mark_t *mark, int shift)
{
  return (NsPlace){source, (int)mark->line + 1, (int)mark->column + 1 + (mark->line ? 0 : shift), 1};
}

/* The end of the text is shown behind its last character, not in an empty line after it. */
static NsPlace before_end(NsPlace place)
{
  const NsSource *source = place.source;
  const char     *line = source->text, *last = line;
  int             number = 1;

  for (const char *p = source->text, *end = p + source->size; p < end;) {
    const int newline = NsTextBreak(p, end);

    if (newline) {
      p += newline;
      if (p >= end) break;
      line = last = p;
      ++number;
    } else {
      last = ++p;
    }
  }
  place.line   = number;
  place.column = NsTextCount(line, (size_t)(last - line)) + 1;
  return place;
}

void NsTreeSyntaxError(const yaml_parser_t *parser, const NsSource *source, int shift, const NsPlace *bracket, NsDiag *diag)
{
  const char *problem = parser->problem ? parser->problem : "unknown error", *context = parser->context ? parser->context : "";
  NsPlace     place = mark_place(source, &parser->problem_mark, shift), opening = mark_place(source, &parser->context_mark, shift);
  const char *line, *opening_line, *at, *first, *end = source->text + source->size, *tab = NULL;

  if (parser->error == YAML_MEMORY_ERROR) NsOutOfMemory();
  if (parser->error == YAML_READER_ERROR) { /* has no mark; the text was checked before, so this is not reached by a config */
    NsDiagError(diag, (NsPlace){source, 0, 0, 0}, "%s", problem);
    return;
  }
  at = locate(source, &place, &line);
  for (first = line; first < end && (*first == ' ' || *first == '\t'); ++first) {
    if (*first == '\t' && !tab) tab = first;
  }
  if (tab && !strstr(context, "flow") && !strstr(context, "quoted")) {
    place.column = NsTextCount(line, (size_t)(tab - line)) + 1;
    NsDiagError(diag, place, "a tab cannot be used for indentation; use blanks");
    return;
  }
  if (strstr(context, "quoted scalar") && strstr(problem, "end of stream")) {
    NsDiagError(diag, opening, "this quote is never closed");
    return;
  }
  if (bracket && (at >= end || (strstr(problem, "did not find expected ','") && opening.line < place.line))) {
    const char open = *locate(source, bracket, &opening_line);

    NsDiagError(diag, *bracket, "this '%c' is not closed with '%c'", open, open == '{' ? '}' : ']');
    return;
  }
  if (at >= end) place = before_end(place);
  if (strstr(problem, "':'") || !strncmp(context, "while scanning a simple key", 27)) place = opening;
  for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); ++i) {
    if (strcmp(problem, plain[i][0])) continue;
    NsDiagError(diag, place, "%s", plain[i][1]);
    return;
  }
  if (bracket && at > source->text && at[-1] == '$' && *at == '{') {
    NsDiagError(diag, place, "an expression in brackets needs quotes: \"${...}\"");
  } else if (!strncmp(problem, "did not find expected ',' or ", 29)) {
    NsDiagError(diag, place, "expected %s", problem + 22);
  } else if (strstr(problem, "cannot start any token")) {
    NsDiagError(diag, place, "text cannot begin with '%c' unless it is quoted", *at);
  } else if (!strcmp(problem, "did not find expected node content")) {
    if (at < end && !NsTextBreak(at, end))
      NsDiagError(diag, place, "expected a value before '%c'", *at);
    else
      NsDiagError(diag, place, "expected a value");
  } else if (!strcmp(problem, "did not find expected key") || !strcmp(problem, "did not find expected <document start>")) {
    if (at == first && at < end && *at == ':')
      NsDiagError(diag, place, "empty key");
    else if (at == first)
      NsDiagError(diag, place, "the indentation of this line matches none of the lines above");
    else
      NsDiagError(diag, place, "unexpected text after the value");
  } else {
    NsDiagError(diag, place, "not valid YAML: %s", problem);
  }
}
