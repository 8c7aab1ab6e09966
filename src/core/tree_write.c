/*
  The tree as YAML: what fits into a line and is a leaf of the config stays in a line, the rest is in block style.
*/
#include "core/arena_stream.h"
#include "core/text.h"
#include "core/tree_internal.h"
#include <string.h>

enum { LINE = 100, BLOCK_LEVELS = 2 /* bodies, and each body, are spread out even when they would fit */ };

/* Whether a scalar can be written without quotes, in brackets too, and is read back as the same text. Refuses more than it must. */
static bool is_plain(const char *text)
{
  const char *end = text + strlen(text);

  if (!*text || end[-1] == ' ') return false;
  if (*text == '-') {
    if (!((text[1] >= '0' && text[1] <= '9') || text[1] == '.')) return false;
  } else if (strchr(" ?:,[]{}#&*!|>'\"%@`=", *text)) {
    return false;
  }
  if (!strncmp(text, "...", 3) || !strcmp(text, "<<")) return false; /* end of a document, merge key */
  for (const char *p = text; p < end;) {
    unsigned  code;
    const int length = NsTextDecode(p, end, &code);

    if (!length || !NsTextPrintable(code)) return false;
    if (strchr(",[]{}", *p)) return false;
    if (*p == ':' || (*p == '#' && p[-1] == ' ')) return false;
    p += length;
  }
  return true;
}

static void write_quoted(const char *text, FILE *file)
{
  const char *end = text + strlen(text);

  fputc('"', file);
  while (text < end) {
    unsigned  code;
    const int length = NsTextDecode(text, end, &code);

    if (code == '"' || code == '\\')
      fprintf(file, "\\%c", (char)code);
    else if (code == '\n')
      fputs("\\n", file);
    else if (code == '\t')
      fputs("\\t", file);
    else if (length && NsTextPrintable(code))
      fwrite(text, 1, (size_t)length, file);
    else if (code < 0x100)
      fprintf(file, "\\x%02X", code);
    else if (code < 0x10000)
      fprintf(file, "\\u%04X", code);
    else
      fprintf(file, "\\U%08X", code);
    text += length ? length : 1;
  }
  fputc('"', file);
}

static void write_scalar(const char *text, bool quoted, FILE *file)
{
  if (!quoted && is_plain(text))
    fputs(text, file);
  else
    write_quoted(text, file);
}

static bool is_empty(const NsNode *node)
{
  return node->kind == NS_NODE_SCALAR && !node->quoted && !*node->text;
}

/* Columns in brackets; more than LINE when it cannot be written so. An empty scalar has no place in brackets. */
static size_t flow_width(const NsNode *node, size_t most)
{
  size_t width = 2;

  if (node->kind == NS_NODE_SCALAR) return is_empty(node) ? LINE + 1 : strlen(node->text) + (node->quoted || !is_plain(node->text) ? 2 : 0);
  for (const NsNode *child = node->first; child && width <= most; child = child->next) {
    width += flow_width(child, most) + (child->key ? strlen(child->key) + 2 : 0) + (child->next ? 2 : 0);
  }
  return width;
}

static bool only_scalars(const NsNode *node)
{
  for (const NsNode *child = node->first; child; child = child->next) {
    if (child->kind != NS_NODE_SCALAR || is_empty(child)) return false;
  }
  return true;
}

static void write_flow(const NsNode *node, FILE *file)
{
  if (node->kind == NS_NODE_SCALAR) {
    write_scalar(node->text, node->quoted, file);
    return;
  }
  fputc(node->kind == NS_NODE_MAP ? '{' : '[', file);
  for (const NsNode *child = node->first; child; child = child->next) {
    if (child->key) {
      write_scalar(child->key, false, file);
      fputs(": ", file);
    }
    write_flow(child, file);
    if (child->next) fputs(", ", file);
  }
  fputc(node->kind == NS_NODE_MAP ? '}' : ']', file);
}

/* A list of scalars that is too long for one line. */
static void write_wrapped(const NsNode *node, int indent, FILE *file)
{
  size_t column = LINE;

  fputc('[', file);
  for (const NsNode *child = node->first; child; child = child->next) {
    const size_t width = flow_width(child, LINE) + 2;

    if (column + width > LINE) {
      fprintf(file, "\n%*s", indent + 2, "");
      column = (size_t)indent + 2;
    } else {
      fputc(' ', file);
    }
    column += width;
    write_scalar(child->text, child->quoted, file);
    if (child->next) fputc(',', file);
  }
  fputc(']', file);
}

static bool is_flow(const NsNode *node, int level, int column)
{
  if (!node->count) return true;
  if (node->kind == NS_NODE_MAP && level <= BLOCK_LEVELS && !only_scalars(node)) return false;
  return flow_width(node, LINE) + (size_t)column <= LINE;
}

static void write_block(const NsNode *node, int level, int indent, bool inlined, FILE *file);

/* What follows "key:" or "-", with the end of the line. */
static void write_value(const NsNode *node, int level, int indent, int column, FILE *file)
{
  const bool item = !node->key;

  if (is_empty(node)) {
    fputc('\n', file);
  } else if (node->kind == NS_NODE_SCALAR || is_flow(node, level, column)) {
    fputc(' ', file);
    write_flow(node, file);
    fputc('\n', file);
  } else if (node->kind == NS_NODE_LIST && only_scalars(node)) {
    fputc(' ', file);
    write_wrapped(node, indent, file);
    fputc('\n', file);
  } else {
    fputc(item ? ' ' : '\n', file);
    write_block(node, level, indent + 2, item, file);
  }
}

/* inlined: the first line's indentation is on the page already ("- "). */
static void write_block(const NsNode *node, int level, int indent, bool inlined, FILE *file)
{
  for (const NsNode *child = node->first; child; child = child->next) {
    int column = indent + 2;

    if (!inlined) fprintf(file, "%*s", indent, "");
    inlined = false;
    if (child->key) {
      write_scalar(child->key, false, file);
      fputc(':', file);
      column += (int)strlen(child->key);
    } else {
      fputc('-', file);
    }
    write_value(child, level + 1, indent, column, file);
  }
}

void NsTreeWrite(const NsNode *root, FILE *file)
{
  if (root->kind == NS_NODE_SCALAR || !root->count) {
    if (!is_empty(root)) write_flow(root, file);
    fputc('\n', file);
  } else {
    write_block(root, 0, 0, false, file);
  }
}

void NsTreeWriteLine(const NsNode *value, FILE *file)
{
  write_flow(value, file);
}

const char *NsTreeText(const NsNode *root, NsArena *arena, size_t *size)
{
  NsArenaStream stream;

  NsTreeWrite(root, NsArenaStreamOpen(&stream, arena));
  return NsArenaStreamClose(&stream, size);
}
