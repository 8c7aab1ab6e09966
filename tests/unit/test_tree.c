#include "reader.h"
#include "arena.h"
#include "percuss/tree.h"
#include <sys/stat.h>
#include <unistd.h>

static NsNode *read_text(const char *text)
{
  return NsTreeReadText("x", text, strlen(text), arena, diag);
}

static NsNode *good(const char *text)
{
  NsNode *root = read_text(text);

  if (!root) fail_msg("%s", printed(diag, arena));
  return root;
}

static void refuses(const char *text, const char *expected)
{
  if (read_text(text)) fail_msg("accepted: %s", text);
  assert_string_equal(printed(diag, arena), expected);
}

/* Only the first line of the only message. */
static void refuses_with(const char *text, const char *expected)
{
  const char *message;

  if (read_text(text)) fail_msg("accepted: %s", text);
  message = printed(diag, arena);
  assert_string_equal(NsArenaCopy(arena, message, strcspn(message, "\n")), expected);
  assert_null(strstr(strchr(message, '\n'), "error"));
}

static void place_is(NsPlace place, int line, int column, int length)
{
  if (place.line != line || place.column != column || place.length != length) {
    fail_msg("place %d:%d+%d, not %d:%d+%d", place.line, place.column, place.length, line, column, length);
  }
}

static void nodes_know_their_place(void **state)
{
  const NsNode *root = good("a: 1\n\xc3\xa4\xc3\xb6: 'x y'\nlist:\n  - u\n  - {v: [1, 2]}\nempty:\n"), *node, *item;

  (void)state;
  assert_int_equal(root->kind, NS_NODE_MAP);
  assert_int_equal(root->count, 4);
  place_is(root->place, 1, 1, 1);
  assert_string_equal(NsTreePath(root, arena), "");
  node = NsTreeChild(root, "a");
  assert_string_equal(node->text, "1");
  assert_false(node->quoted);
  place_is(node->key_place, 1, 1, 1);
  place_is(node->place, 1, 4, 1);
  node = NsTreeChild(root, "\xc3\xa4\xc3\xb6");
  assert_string_equal(node->text, "x y");
  assert_true(node->quoted);
  place_is(node->key_place, 2, 1, 2);
  place_is(node->place, 2, 5, 5);
  node = NsTreeChild(root, "list");
  assert_int_equal(node->kind, NS_NODE_LIST);
  assert_int_equal(node->count, 2);
  place_is(node->key_place, 3, 1, 4);
  place_is(node->place, 4, 3, 1);
  item = node->first->next;
  assert_null(item->key);
  place_is(item->place, 5, 5, 11);
  place_is(item->key_place, 5, 5, 11);
  assert_string_equal(NsTreePath(item, arena), "list.1");
  assert_string_equal(NsTreePath(item->first->first->next, arena), "list.1.v.1");
  place_is(item->first->place, 5, 9, 6);
  node = NsTreeChild(root, "empty");
  assert_string_equal(node->text, "");
  assert_false(node->quoted);
  place_is(node->key_place, 6, 1, 5);
  place_is(node->place, 6, 7, 1);
  assert_null(NsTreeChild(root, "none"));
  assert_null(NsTreeChild(NULL, "a"));
  assert_null(NsTreeChild(node, "a"));
}

static void empty_files_are_empty_maps(void **state)
{
  static const char *const texts[] = {"", "\n\n", "# only a comment\n", "---\n", "\xef\xbb\xbf"};

  (void)state;
  for (size_t i = 0; i < 5; ++i) {
    const NsNode *root = good(texts[i]);

    assert_int_equal(root->kind, NS_NODE_MAP);
    assert_int_equal(root->count, 0);
  }
}

static void other_line_ends_and_byte_order_mark(void **state)
{
  const NsNode *root = good("\xef\xbb\xbf"
                            "a: 1\r\nb: 2\rc: 3\n");

  (void)state;
  place_is(NsTreeChild(root, "a")->place, 1, 4, 1);
  place_is(NsTreeChild(root, "b")->place, 2, 4, 1);
  place_is(NsTreeChild(root, "c")->place, 3, 4, 1);
  refuses("\xef\xbb\xbf"
          "a: 1\r\na: 2\r\n",
    "x:2:1: error: duplicate key 'a'; first given in line 1\n    2 | a: 2\n      | ^\n");
}

static void collects_what_it_refuses(void **state)
{
  (void)state;
  refuses("a: 1\nb: &x 2\nc: !!str 3\nd: *y\na: 4\n<<: 1\n'': 5\na: 6\n",
    "x:3:4: error: tags ('!') are not supported\n    3 | c: !!str 3\n      |    ^~~~~~~\n"
    "x:4:4: error: there is no anchor '&y' before this alias\n    4 | d: *y\n      |    ^~\n"
    "x:5:1: error: duplicate key 'a'; first given in line 1\n    5 | a: 4\n      | ^\n"
    "x:6:5: error: a merge key takes a mapping or a list of mappings, such as <<: *base\n    6 | <<: 1\n      |     ^\n"
    "x:7:1: error: empty key\n    7 | '': 5\n      | ^~\n"
    "x:8:1: error: duplicate key 'a'; first given in line 1\n    8 | a: 6\n      | ^\n");
}

static void what_ends_the_reading(void **state)
{
  (void)state;
  refuses_with("a: 1\n---\nb: 2\n", "x:2:1: error: a second document begins here; a config is one document");
  refuses_with("a: {{x}}\n", "x:1:5: error: a key must be a word, not a list or mapping");
  refuses_with("? [a]\n: 1\n", "x:1:3: error: a key must be a word, not a list or mapping");
  refuses_with("*x : 1\n", "x:1:1: error: a key must be a word, not an alias");
}

static void plain_words_for_syntax(void **state)
{
  static const char *const cases[][2] = {
    {"a:\n\tb: 1\n", "x:2:1: error: a tab cannot be used for indentation; use blanks"},
    {"a: 1\n  \tb: 2\n", "x:2:3: error: a tab cannot be used for indentation; use blanks"},
    {"a: |\n\tx\n", "x:2:1: error: a tab cannot be used for indentation; use blanks"},
    {"a: b: c\n",
      "x:1:5: error: unexpected ':'; a text that holds ': ' needs quotes; else check the indentation, and the blank after each ':' above"},
    {"a:1\nb: 2\n",
      "x:2:2: error: unexpected ':'; a text that holds ': ' needs quotes; else check the indentation, and the blank after each ':' above"},
    {"a: @x\n", "x:1:4: error: text cannot begin with '@' unless it is quoted"},
    {"a: \"abc\nb: 1\n", "x:1:4: error: this quote is never closed"},
    {"a: 'abc\nb: 1\n", "x:1:4: error: this quote is never closed"},
    {"a: [1, 2\nb: 3\n", "x:1:4: error: this '[' is not closed with ']'"},
    {"a: {x: 1\nb: 3\n", "x:1:4: error: this '{' is not closed with '}'"},
    {"a: {x: [1, 2]", "x:1:4: error: this '{' is not closed with '}'"},
    {"a: [", "x:1:4: error: this '[' is not closed with ']'"},
    {"a: [1 2}\n", "x:1:8: error: expected ',' or ']'"},
    {"a: [1,,2]\n", "x:1:7: error: expected a value before ','"},
    {"a: ]\n", "x:1:4: error: expected a value before ']'"},
    {"a:\n  b: 1\n c: 2\n", "x:3:2: error: the indentation of this line matches none of the lines above"},
    {"  a: 1\nb: 2\n", "x:2:1: error: the indentation of this line matches none of the lines above"},
    {"a:\n  - 1\n  b: 2\n", "x:3:3: error: expected '-' and the next list item, or a line with less indentation"},
    {"b: 1\na\nc: 2\n", "x:2:1: error: expected ':' after this key"},
    {"a: \"\\q\"\n", "x:1:5: error: unknown escape in \"...\"; a backslash is written \\\\, or use '...'"},
    {"a: - b\n", "x:1:4: error: a list item '-' is not allowed here; start it on a line of its own"},
    {"a: 'x' y\n", "x:1:8: error: unexpected text after the value"},
    {": 1\n", "x:1:1: error: empty key"},
    {"a: |x\n  1\n", "x:1:5: error: the text of a block begins in the line after '|' or '>'"},
    {"a: &\n", "x:1:5: error: not valid YAML: did not find expected alphabetic or numeric character"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) refuses_with(cases[i][0], cases[i][1]);
  refuses("a: 1\nb: [2,\n\n", "x:2:4: error: this '[' is not closed with ']'\n    2 | b: [2,\n      |    ^\n");
}

static void bytes_that_are_no_text(void **state)
{
  static const char nul[] = "a: x\0y\n";

  (void)state;
  refuses("a: \xe4\nb: \x01\nc: \xed\xa0\x80\n",
    "x:1:4: error: byte 0xe4 is not UTF-8; save the file as UTF-8\n    1 | a: \xef\xbf\xbd\n      |    ^\n"
    "x:2:4: error: control character U+0001\n    2 | b: \xef\xbf\xbd\n      |    ^\n"
    "x:3:4: error: byte 0xed is not UTF-8; save the file as UTF-8\n    3 | c: \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n      |    ^\n"
    "x:3:5: error: byte 0xa0 is not UTF-8; save the file as UTF-8\n    3 | c: \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n      |     ^\n"
    "x:3:6: error: byte 0x80 is not UTF-8; save the file as UTF-8\n    3 | c: \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n      |      ^\n");
  assert_null(NsTreeReadText("x", nul, sizeof(nul) - 1, arena, diag));
  assert_string_equal(printed(diag, arena), "x:1:5: error: control character U+0000\n    1 | a: x\xef\xbf\xbdy\n      |     ^\n");
  assert_null(NsTreeReadText("x", "\x01\x01\x01\x01\x01\x01\x01\x01", 8, arena, diag)); /* a binary file */
  assert_non_null(strstr(printed(diag, arena),
    "error: control character U+0001\n    1 | \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n      |      ^\n      = further ones are not listed; is this a text file?\n"));
  refuses_with("a: \"x\\0y\"\n", "x:1:4: error: text cannot hold a NUL character");
  refuses_with("\"x\\0y\": 1\n", "x:1:1: error: a key cannot hold a NUL character");
}

static char *repeat(const char *before, const char *text, size_t times, const char *after)
{
  const size_t size = strlen(text);
  char        *all  = NsArenaAlloc(arena, strlen(before) + times * size + strlen(after) + 1), *p;

  p = stpcpy(all, before);
  for (size_t i = 0; i < times; ++i, p += size) memcpy(p, text, size);
  strcpy(p, after);
  return all;
}

static void limits(void **state)
{
  const char *key200 = repeat("", "k", 200, ""), *deep;
  char        many[200];

  (void)state;
  good(repeat("", "[", 64, repeat("", "]", 64, "")));
  refuses_with(repeat("", "[", 65, repeat("", "]", 65, "")), "x:1:65: error: nested deeper than 64 levels");
  refuses_with(repeat("", "[", 1000000, ""), "x:1:65: error: nested deeper than 64 levels");
  refuses_with(repeat("", "- ", 500000, ""), "x:1:129: error: nested deeper than 64 levels");
  deep = "";
  for (int i = 0; i < 65; ++i) deep = NsArenaPrint(arena, "%s%*sa:\n", deep, i, "");
  refuses_with(deep, "x:65:65: error: nested deeper than 64 levels");
  good(repeat("[", "1,", 99999, "]"));
  refuses_with(repeat("[\n", "1,\n", 100000, "]"), "x:100001:1: error: more than 100000 values");
  good(NsArenaPrint(arena, "%s: 1\n", key200));
  refuses_with(NsArenaPrint(arena, "k%s: 1\n", key200), "x:1:1: error: a key of more than 200 bytes");
  good(repeat("a: ", "x", (1 << 20) - 3, ""));
  assert_null(read_text(repeat("a: ", "x", (1 << 20) - 2, "")));
  assert_string_equal(printed(diag, arena), "x: error: larger than 1 MB: this is not a config\n");
  /* 40000 keys that are all there twice: by pairs it would take minutes */
  assert_null(read_text(repeat("", "aaaaa: 1\n", 40000, "")));
  snprintf(many, sizeof(many), "%s", strstr(printed(diag, arena), "..."));
  assert_string_equal(many, "... and 39979 more errors\n");
}

static void files(void **state)
{
  char  folder[] = "/tmp/test_tree_XXXXXX";
  char *path, *missing;
  FILE *file;

  (void)state;
  assert_non_null(mkdtemp(folder));
  path = NsArenaPrint(arena, "%s/elastic_bar.yaml", folder);
  file = fopen(path, "w");
  assert_non_null(file);
  fputs("a: [1\n", file);
  fclose(file);
  assert_null(NsTreeReadFile(path, arena, diag));
  assert_string_equal(
    printed(diag, arena), NsArenaPrint(arena, "%s:1:4: error: this '[' is not closed with ']'\n    1 | a: [1\n      |    ^\n", path));
  missing = NsArenaPrint(arena, "%s/elastic_bra.yaml", folder);
  assert_null(NsTreeReadFile(missing, arena, diag));
  assert_string_equal(
    printed(diag, arena), NsArenaPrint(arena, "error: cannot open '%s': No such file or directory; did you mean '%s'?\n", missing, path));
  missing = NsArenaPrint(arena, "%s/none/x.yaml", folder);
  assert_null(NsTreeReadFile(missing, arena, diag));
  assert_string_equal(printed(diag, arena), NsArenaPrint(arena, "error: cannot open '%s': No such file or directory\n", missing));
  assert_null(NsTreeReadFile(folder, arena, diag));
  assert_string_equal(printed(diag, arena), NsArenaPrint(arena, "error: '%s' is a directory; a config is a file\n", folder));
  file = fopen(path, "w");
  assert_non_null(file);
  fputs("a: 5 m\n", file);
  fclose(file);
  assert_string_equal(NsTreeChild(NsTreeReadFile(path, arena, diag), "a")->text, "5 m");
  unlink(path);
  rmdir(folder);
}

static const char *written(const NsNode *root)
{
  char  *text = NULL, *copy;
  size_t size = 0;
  FILE  *file = open_memstream(&text, &size);

  assert_non_null(file);
  NsTreeWrite(root, file);
  fclose(file);
  copy = NsArenaCopy(arena, text, size);
  free(text);
  return copy;
}

/* Equal but for quotes that were added where a text needs them. */
static void same_tree(const NsNode *a, const NsNode *b)
{
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->count, b->count);
  if (a->key || b->key) assert_string_equal(a->key, b->key);
  if (a->kind == NS_NODE_SCALAR) {
    assert_string_equal(a->text, b->text);
    if (a->quoted) assert_true(b->quoted);
  }
  for (a = a->first, b = b->first; a; a = a->next, b = b->next) same_tree(a, b);
}

static void round_trip(const NsNode *root)
{
  const char   *text  = written(root);
  const NsNode *again = read_text(text);

  if (!again) fail_msg("%s\nfrom:\n%s", printed(diag, arena), text);
  same_tree(root, again);
  assert_string_equal(written(again), text);
}

static void writes_what_it_reads(void **state)
{
  static const char config[] = "title: Elastic bar hits a rigid wall\n"
                               "bodies:\n"
                               "  bar:\n"
                               "    type: bar\n"
                               "    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 50}}\n"
                               "    initial: {velocity: [-0.1 m/s, 0, 0]}\n"
                               "contacts:\n"
                               "  wall:\n"
                               "    between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]\n"
                               "    friction: 0\n"
                               "scheme: {type: half_explicit, level: velocity, step: 0.1 us}\n"
                               "empty:\n"
                               "none: {}\n"
                               "nothing: []\n"
                               "quoted: \"5\"\n";

  (void)state;
  assert_string_equal(written(good(config)), config);
  round_trip(good(config));
  round_trip(good(""));
  round_trip(good("- 1\n- - 2\n  - - 3\n    - {a: 1}\n-\n- b:\n  c: 1\n- {d: {e: {f:  }}}\n"));
  round_trip(good("\"just text\""));
  round_trip(good("x"));
  round_trip(good(repeat("a: {b: {c: [", "1.2345678 mm, ", 100, "x]}}")));
  round_trip(good(repeat("a: {b: {c: [", "{x: 1.2345678 mm}, ", 100, "x]}}")));
  round_trip(good(repeat("", "[", 64, repeat("", "]", 64, ""))));
  round_trip(good("a: |\n  some\n   text\n\n  with # lines: \nb: >-\n  folded\n  text\nc: plain\n  on two lines\n\n  and a gap\n"));
}

/* Texts that a careless writer breaks, as value, as item, as key, in a map of one line and in one of many. */
static void nasty_texts_survive(void **state)
{
  static const char *const texts[] = {"", " ", " x", "x ", "'", "\"", "\\", "a'b", "a\"b", "a\\b", "\n", "a\nb", "a\n", "\na", "a\tb", "a: b",
    "a:", ":a", ": ", "a #b", "a#b", "#a", "true", "null", "~", "yes", "5", "-", "- a", "-a", "-5", "-.5", "--- x", "---", "...", "... x", "?", "? a",
    "<<", "a, b", "[a]", "{a}", "a]b", "a}b", "&a", "*a", "!a", "%a", "@a", "`a", "|", ">", "=", "a=b", "\xc3\xa4\xe7\x95\x8c", "\xc2\x85",
    "\xe2\x80\xa8", "\xef\xbb\xbf", "\xe2\x80\xae", "\xf0\x9f\x98\x80", "\x01\x1b\x7f", "a\rb", "../m.msh", "http://x", "1:2", "a\xc2\xa0",
    "\xf0\x9f\xbf\xbe" /* U+1FFFE, no character */};

  (void)state;
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i) {
    for (int quoted = 0; quoted < 2; ++quoted) {
      NsNode *root = good("a: {v: {v: {v: 1, w: [1, 2]}, n: 1}}\nb: [1, 2]\nc: 3\n"), *nodes[4];

      nodes[0] = NsTreeChild(NsTreeChild(NsTreeChild(NsTreeChild(root, "a"), "v"), "v"), "v");
      nodes[1] = NsTreeChild(NsTreeChild(NsTreeChild(NsTreeChild(root, "a"), "v"), "v"), "w")->first;
      nodes[2] = NsTreeChild(root, "b")->first->next;
      nodes[3] = NsTreeChild(root, "c");
      for (int k = 0; k < 4; ++k) {
        nodes[k]->text   = texts[i];
        nodes[k]->quoted = quoted;
        if (nodes[k]->key && *texts[i]) nodes[k]->key = texts[i];
      }
      round_trip(root);
    }
  }
}

static void sets(NsNode *root, const char *assignment, const char *expected)
{
  if (!NsTreeSet(root, assignment, arena, diag)) fail_msg("%s", printed(diag, arena));
  assert_string_equal(written(root), expected);
}

static void set_changes_the_tree(void **state)
{
  NsNode       *root = good("a: 1\nscheme: {type: x, step: 1 us}\nparts:\n- {range: 3}\n- {range: 4}\nz:\n");
  const NsNode *node;

  (void)state;
  sets(root, "scheme.step=0.2 us", "a: 1\nscheme: {type: x, step: 0.2 us}\nparts: [{range: 3}, {range: 4}]\nz:\n");
  node = NsTreeChild(NsTreeChild(root, "scheme"), "step");
  assert_string_equal(node->place.source->name, "--set");
  place_is(node->key_place, 1, 8, 4);
  place_is(node->place, 1, 13, 6);
  assert_string_equal(NsTreePath(node, arena), "scheme.step");
  sets(root, "parts.1.range=[1, 2 m]", "a: 1\nscheme: {type: x, step: 0.2 us}\nparts: [{range: 3}, {range: [1, 2 m]}]\nz:\n");
  place_is(NsTreeChild(NsTreeChild(root, "parts")->first->next, "range")->first->next->place, 1, 19, 3);
  sets(root, "a={circle: {radius: 1 mm}}",
    "a:\n  circle: {radius: 1 mm}\nscheme: {type: x, step: 0.2 us}\nparts: [{range: 3}, {range: [1, 2 m]}]\nz:\n");
  assert_string_equal(NsTreePath(NsTreeChild(NsTreeChild(root, "a")->first, "radius"), arena), "a.circle.radius");
  sets(root, "z.new.key=x=y",
    "a:\n  circle: {radius: 1 mm}\nscheme: {type: x, step: 0.2 us}\nparts: [{range: 3}, {range: [1, 2 m]}]\nz:\n  new: {key: x=y}\n");
  sets(root, "a=", "a:\nscheme: {type: x, step: 0.2 us}\nparts: [{range: 3}, {range: [1, 2 m]}]\nz:\n  new: {key: x=y}\n");
  assert_int_equal(root->count, 4);
  root = good("");
  sets(root, "b.c=1", "b: {c: 1}\n");
}

static void set_refuses(void **state)
{
  static const char *const cases[][2] = {
    {"scheme.step", "--set:1:1: error: expected KEY=VALUE\n    1 | scheme.step\n      | ^~~~~~~~~~~\n"},
    {"", "--set:1:1: error: expected KEY=VALUE\n    1 |\n      | ^\n"},
    {"=1", "--set:1:1: error: empty key\n    1 | =1\n      | ^\n"},
    {"a..b=1", "--set:1:3: error: empty key\n    1 | a..b=1\n      |   ^\n"},
    {"a.=1", "--set:1:3: error: empty key\n    1 | a.=1\n      |   ^\n"},
    {"s=[1, 2", "--set:1:3: error: this '[' is not closed with ']'\n    1 | s=[1, 2\n      |   ^\n"},
    {"s={a: 1, a: 2}", "--set:1:10: error: duplicate key 'a'; first given in line 1\n    1 | s={a: 1, a: 2}\n      |          ^\n"},
    {"a.b=1", "--set:1:3: error: a is '1', not a mapping\n    1 | a.b=1\n      |   ^\n"},
    {"parts.2=1",
      "--set:1:7: error: no item '2' in parts, a list of 2 items\n    1 | parts.2=1\n      |       ^\n      = items are numbered from 0 to 1\n"},
    {"parts.x.y=1",
      "--set:1:7: error: no item 'x' in parts, a list of 2 items\n    1 | parts.x.y=1\n      |       ^\n      = items are numbered from 0 to 1\n"},
    {"parts.99999999999999999999=1",
      "--set:1:7: error: no item '99999999999999999999' in parts, a list of 2 items\n    1 | parts.99999999999999999999=1\n      |       ^~~~~~~~~~~~~~~~~~~~\n      = items are numbered from 0 to 1\n"},
    {"none.0=1", "--set:1:6: error: no item '0' in none, a list of 0 items\n    1 | none.0=1\n      |      ^\n"},
    {"a=\xff", "--set:1:3: error: byte 0xff is not UTF-8; save the file as UTF-8\n    1 | a=\xef\xbf\xbd\n      |   ^\n"},
  };
  NsNode     *root   = good("a: 1\nparts: [x, y]\nnone: []\n");
  const char *before = written(root);

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
    if (NsTreeSet(root, cases[i][0], arena, diag)) fail_msg("accepted: %s", cases[i][0]);
    assert_string_equal(printed(diag, arena), cases[i][1]);
    assert_string_equal(written(root), before);
  }
  assert_true(NsTreeSet(root, repeat("", "b.", 62, NsArenaPrint(arena, "b=1")), arena, diag));
  assert_false(NsTreeSet(root, repeat("", "c.", 62, "c=[1]"), arena, diag) && NsTreeSet(root, repeat("", "d.", 62, "d=[[1]]"), arena, diag));
  assert_non_null(strstr(printed(diag, arena), "nested deeper than 64 levels"));
  assert_false(NsTreeSet(root, repeat("", "e.", 63, "e=1"), arena, diag));
  assert_non_null(strstr(printed(diag, arena), "nested deeper than 64 levels"));
  round_trip(root);
}

static void aliases_are_copies(void **state)
{
  NsNode *root = good("a: &a {x: 1, y: [2, 3]}\nb: *a\nc: {<<: *a, x: 5}\nd: {<<: [{x: 7}, *a], z: 0}\na2: &a 9\ne: *a\n");

  (void)state;
  assert_string_equal(
    written(root), "a:\n  x: 1\n  y: [2, 3]\nb:\n  x: 1\n  y: [2, 3]\nc:\n  x: 5\n  y: [2, 3]\nd:\n  z: 0\n  x: 7\n  y: [2, 3]\na2: 9\ne: 9\n");
  place_is(NsTreeChild(root, "b")->place, 2, 4, 2);                    /* where it is used, */
  place_is(NsTreeChild(NsTreeChild(root, "b"), "x")->place, 1, 11, 1); /* and where it is written */
  assert_true(NsTreeSet(root, "b.x=4", arena, diag));
  assert_string_equal(NsTreeChild(NsTreeChild(root, "a"), "x")->text, "1");
  round_trip(root);
  refuses_with("a: &a [1, *a]\n", "x:1:11: error: alias '*a' is inside the value of its own anchor");
  refuses_with("base: &base 1\nb: *bsae\n", "x:2:4: error: there is no anchor '&bsae' before this alias; did you mean 'base'?");
  /* 10^9 values of nine lines */
  refuses_with("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
               "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
    "x:5:29: error: this copy leads to more than 100000 values");
}

/* The tree after parameters were put in place, or the messages. */
static const char *substituted(const char *text)
{
  NsNode *root = good(text);

  if (!NsTreeSubstitute(root, NULL, arena, diag)) return printed(diag, arena);
  return written(root);
}

static void parameters_take_their_places(void **state)
{
  (void)state;
  assert_string_equal(substituted("parameters: {a: 10 mm, b: \"${2*a + 1 m}\", kind: bar, q: \"5\"}\n"
                                  "x: $a\ny: [$b, \"${b/a}\"]\nt: $kind of $a, $5 each\nn: $q\nz: ${sqrt(a*b)}\n"),
    "x: 10 mm\ny: [1.02 m, 102]\nt: \"bar of 10 mm, $5 each\"\nn: \"5\"\nz: 0.10099504938362078 m\n");
  assert_string_equal(substituted("a: ${1 + 2*3^2}\n"), "a: 19\n");
  assert_non_null(strstr(substituted("parameters: {a: $b, b: $a}\nx: $a\n"), "error: parameter 'a' depends on itself\n"));
  assert_non_null(
    strstr(substituted("parameters: {length: 1 m}\nx: $lenght\n"), "x:2:5: error: unknown parameter 'lenght'; did you mean 'length'?\n"));
  assert_non_null(strstr(substituted("x: $a\n"), "parameters are given at the top of the config"));
  assert_non_null(strstr(substituted("parameters: {pi: 3}\nx: 1\n"), "'pi' is the number pi and cannot be the name of a parameter"));
  assert_non_null(strstr(substituted("parameters: {a b: 3}\nx: 1\n"), "cannot be the name of a parameter"));
  assert_non_null(strstr(substituted("parameters: {a: {}}\nx: 1\n"), "a parameter is a quantity or a word, not a mapping"));
  assert_non_null(strstr(substituted("x: \"a ${1 + 2\"\n"), "x:1:7: error: this '${' is not closed with '}'\n"));
  assert_non_null(
    strstr(substituted("parameters: {a: $b$b$b$b, b: $c$c$c$c, c: $d$d$d$d, d: $e$e$e$e, e: 0123456789012345678901234567890123456789}\nx: $a$a\n"),
      "with its parameters this has more than 10000 bytes"));
  assert_string_equal(substituted("parameters: {a: 1}\nx: 2\n"), "x: 2\n");
  assert_non_null(strstr(printed(diag, arena), "x:1:14: warning: parameter 'a' is not used\n"));
}

static void write_to(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void files_are_included(void **state)
{
  char               folder[] = "/tmp/percuss_include_XXXXXX";
  const char        *path[3];
  const char *const *files;
  NsNode            *root;

  (void)state;
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 3; i++) path[i] = NsArenaPrint(arena, "%s/%d.yaml", folder, i);
  write_to(path[0], "include: [1.yaml, 2.yaml]\na: {x: 1}\n");
  write_to(path[1], "a: {x: 2, y: 3}\nb: [1]\n");
  write_to(path[2], "b: 4\nc: 5\nmesh: here.msh\n");
  root = NsTreeReadFile(path[0], arena, diag);
  assert_true(NsTreeInclude(root, &files, arena, diag));
  assert_string_equal(written(root), "a: {x: 1, y: 3}\nb: [1]\nc: 5\nmesh: here.msh\n");
  assert_string_equal(files[0], path[1]);
  assert_string_equal(files[1], path[2]);
  assert_null(files[2]);
  assert_string_equal(NsTreeChild(root, "c")->place.source->name, path[2]); /* errors name the file they are in */
  write_to(path[2], "include: 1.yaml\n");
  write_to(path[1], "include: 2.yaml\n");
  assert_false(NsTreeInclude(NsTreeReadFile(path[0], arena, diag), &files, arena, diag));
  assert_non_null(strstr(printed(diag, arena), "files that include each other, more than 8 deep"));
  write_to(path[1], "a: [\n");
  write_to(path[2], "c: 5\n");
  assert_false(NsTreeInclude(NsTreeReadFile(path[0], arena, diag), &files, arena, diag));
  assert_non_null(strstr(printed(diag, arena), NsArenaPrint(arena, "included by %s, line 1", path[0])));
  for (int i = 0; i < 3; i++) (void)remove(path[i]);
  (void)remove(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    TEST(nodes_know_their_place),
    TEST(empty_files_are_empty_maps),
    TEST(other_line_ends_and_byte_order_mark),
    TEST(collects_what_it_refuses),
    TEST(aliases_are_copies),
    TEST(parameters_take_their_places),
    TEST(files_are_included),
    TEST(what_ends_the_reading),
    TEST(plain_words_for_syntax),
    TEST(bytes_that_are_no_text),
    TEST(limits),
    TEST(files),
    TEST(writes_what_it_reads),
    TEST(nasty_texts_survive),
    TEST(set_changes_the_tree),
    TEST(set_refuses),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
