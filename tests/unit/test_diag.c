#include "reader.h"
#include "arena.h"

static NsSource source_of(const char *name, const char *text)
{
  return (NsSource){name, text, strlen(text)};
}

static void shows_line_and_caret(void **state)
{
  const NsSource source = source_of("a.yaml", "one: 1\n  restituton: 0.5\nlast");

  (void)state;
  NsDiagError(diag, (NsPlace){&source, 2, 3, 10}, "unknown key '%s'", "restituton");
  NsDiagNote(diag, "valid keys: %s", "a, b");
  NsDiagNote(diag, "second");
  NsDiagWarning(diag, (NsPlace){&source, 3, 5, 3}, "at the end");
  assert_int_equal(NsDiagErrors(diag), 1);
  assert_string_equal(printed(diag, arena), "a.yaml:2:3: error: unknown key 'restituton'\n"
                                            "    2 |   restituton: 0.5\n"
                                            "      |   ^~~~~~~~~~\n"
                                            "      = valid keys: a, b\n"
                                            "      = second\n"
                                            "a.yaml:3:5: warning: at the end\n"
                                            "    3 | last\n"
                                            "      |     ^\n");
  assert_string_equal(printed(diag, arena), "");
  assert_int_equal(NsDiagErrors(diag), 1);
}

static void places_without_line(void **state)
{
  const NsSource source = source_of("mesh.msh", "");

  (void)state;
  NsDiagError(diag, (NsPlace){&source, 0, 0, 0}, "no lines");
  NsDiagError(diag, (NsPlace){NULL, 0, 0, 0}, "nowhere");
  NsDiagError(diag, (NsPlace){&source, 7, 2, 1}, "beyond the end");
  assert_string_equal(printed(diag, arena), "error: nowhere\n"
                                            "mesh.msh: error: no lines\n"
                                            "mesh.msh:7:2: error: beyond the end\n");
}

static void sorts_and_drops_repetitions(void **state)
{
  const NsSource a = source_of("a", "x\ny\n"), b = source_of("b", "z\n");

  (void)state;
  NsDiagError(diag, (NsPlace){&b, 1, 1, 1}, "b first blamed");
  NsDiagError(diag, (NsPlace){&a, 2, 1, 1}, "line 2");
  NsDiagError(diag, (NsPlace){&a, 1, 2, 1}, "line 1, column 2");
  NsDiagError(diag, (NsPlace){&a, 2, 1, 1}, "other text");
  NsDiagError(diag, (NsPlace){&a, 2, 1, 1}, "line 2");
  assert_string_equal(printed(diag, arena), "b:1:1: error: b first blamed\n    1 | z\n      | ^\n"
                                            "a:1:2: error: line 1, column 2\n    1 | x\n      |  ^\n"
                                            "a:2:1: error: line 2\n    2 | y\n      | ^\n"
                                            "a:2:1: error: other text\n    2 | y\n      | ^\n");
}

static void keeps_the_caret_below_tabs_and_letters(void **state)
{
  /* tab, then 2 columns of umlauts (2 bytes each), then a wide character, a combining accent */
  const NsSource source = source_of("a", "\t\xc3\xa4\xc3\xb6 \xe7\x95\x8c o\xcc\x81 bad\r\nnext");

  (void)state;
  NsDiagError(diag, (NsPlace){&source, 1, 10, 3}, "here");
  NsDiagError(diag, (NsPlace){&source, 2, 1, 4}, "next line");
  NsDiagError(diag, (NsPlace){&source, 1, 1, 1}, "the tab");
  assert_string_equal(printed(diag, arena), "a:1:1: error: the tab\n"
                                            "    1 |     \xc3\xa4\xc3\xb6 \xe7\x95\x8c o\xcc\x81 bad\n"
                                            "      | ^~~~\n"
                                            "a:1:10: error: here\n"
                                            "    1 |     \xc3\xa4\xc3\xb6 \xe7\x95\x8c o\xcc\x81 bad\n"
                                            "      |             ^~~\n"
                                            "a:2:1: error: next line\n"
                                            "    2 | next\n"
                                            "      | ^~~~\n");
}

static void cuts_long_lines_around_the_place(void **state)
{
  char        text[1001];
  const char *line, *caret, *end;

  (void)state;
  for (int i = 0; i < 1000; ++i) text[i] = (char)('a' + i % 26);
  text[1000] = 0;
  for (int column = 1; column <= 1000; ++column) {
    const NsSource source = source_of("a", text);

    NsDiagError(diag, (NsPlace){&source, 1, column, 2000}, "x");
    line  = strchr(printed(diag, arena), '\n') + 1;
    end   = strchr(line, '\n');
    caret = strchr(end, '^');
    assert_in_range(end - line, 100, 120);
    assert_int_equal(line[caret - (end + 1)], 'a' + (column - 1) % 26);
    assert_in_range(strlen(end + 1), 9, 121);
  }
}

static void does_not_let_text_drive_the_terminal(void **state)
{
  const NsSource source = source_of("a\033[2J", "key: \033[31m\xff\xe2\x80\xae x");

  (void)state;
  NsDiagError(diag, (NsPlace){&source, 1, 11, 1}, "got '\033[0m\n\t\xff'");
  assert_string_equal(printed(diag, arena), "a\xef\xbf\xbd[2J:1:11: error: got '\xef\xbf\xbd[0m\\n\\t\xef\xbf\xbd'\n"
                                            "    1 | key: \xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd x\n"
                                            "      |           ^\n");
}

static void counts_what_it_does_not_show(void **state)
{
  const NsSource source = source_of("a", "x");
  const char    *text;

  (void)state;
  for (int i = 0; i < 27; ++i) NsDiagError(diag, (NsPlace){&source, 1, i + 1, 1}, "error %d", i);
  NsDiagWarning(diag, (NsPlace){&source, 1, 99, 1}, "warned");
  text = printed(diag, arena);
  assert_non_null(strstr(text, "error 19\n"));
  assert_null(strstr(text, "error 20\n"));
  assert_string_equal(strstr(text, "a:1:99"), "a:1:99: warning: warned\n    1 | x\n      |  ^\n... and 7 more errors\n");
  for (int i = 0; i < 21; ++i) NsDiagError(diag, (NsPlace){&source, 1, i + 1, 1}, "error %d", i);
  assert_string_equal(strstr(printed(diag, arena), "... and"), "... and 1 more error\n");
  for (int i = 0; i < 100000; ++i) NsDiagError(diag, (NsPlace){&source, i, 1, 1}, "error %d", i);
  assert_string_equal(strstr(printed(diag, arena), "... and"), "... and 99980 more errors\n");
  assert_int_equal(NsDiagErrors(diag), 100048);
}

static void colours_when_asked(void **state)
{
  const NsSource source = source_of("a", "x");

  (void)state;
  NsDiagError(diag, (NsPlace){&source, 1, 1, 1}, "m");
  assert_string_equal(printed_in(diag, arena, true), "\033[1ma:1:1: \033[0m\033[1;31merror: \033[0mm\n    1 | x\n      | \033[1;32m^\033[0m\n");
}

static void finds_the_nearest_word(void **state)
{
  static const char *const words[] = {"restitution", "friction", "line", "file", "GPa", "MPa", "kPa", "end", NULL};

  (void)state;
  assert_string_equal(NsNearestWord("restituton", words), "restitution");
  assert_string_equal(NsNearestWord("RESTITUTION", words), "restitution");
  assert_string_equal(NsNearestWord("frictoin", words), "friction");
  assert_string_equal(NsNearestWord("lin", words), "line");
  assert_string_equal(NsNearestWord("fiel", words), "file");
  assert_string_equal(NsNearestWord("Gpa", words), "GPa");
  assert_string_equal(NsNearestWord("mPa", words), "MPa");
  assert_string_equal(NsNearestWord("edn", words), "end");
  assert_string_equal(NsNearestWord("Tuti", words), "restitution");
  assert_null(NsNearestWord("tio", words));
  assert_null(NsNearestWord("young", words));
  assert_null(NsNearestWord("", words));
  assert_null(NsNearestWord("x", words));
  assert_null(NsNearestWord("restitutionrestitutionrestitutionrestitutionrestitutionrestitutionrestitution", words));
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
  (void)state;
  for (size_t bytes = 0; bytes < 200000; bytes = bytes * 3 / 2 + 1) {
    char *piece = NsArenaAlloc(arena, bytes);

    assert_int_equal((uintptr_t)piece % sizeof(max_align_t) % 16, 0);
    for (size_t i = 0; i < bytes; ++i) assert_int_equal(piece[i], 0);
    memset(piece, 0xff, bytes);
  }
  assert_string_equal(NsArenaPrint(arena, "%d %s", 3, "x"), "3 x");
  assert_string_equal(NsArenaCopy(arena, "abcdef", 3), "abc");
}

static void printed_warnings_are_remembered(void **state)
{
  const NsSource source = source_of("a.yaml", "one: 1\ntwo: 2"), mesh = source_of("mesh.msh", "");

  (void)state;
  NsDiagWarning(diag, (NsPlace){&source, 2, 6, 1}, "second");
  NsDiagError(diag, (NsPlace){&source, 1, 6, 1}, "an error");
  NsDiagWarning(diag, (NsPlace){&source, 1, 1, 3}, "first");
  NsDiagWarning(diag, (NsPlace){&source, 1, 1, 3}, "first");
  assert_null(NsDiagWarningPrinted(diag, 0));
  (void)printed(diag, arena);
  NsDiagWarning(diag, (NsPlace){&mesh, 0, 0, 0}, "third");
  assert_null(NsDiagWarningPrinted(diag, 2));
  (void)printed(diag, arena);
  assert_string_equal(NsDiagWarningPrinted(diag, 0), "a.yaml:1:1: first");
  assert_string_equal(NsDiagWarningPrinted(diag, 1), "a.yaml:2:6: second");
  assert_string_equal(NsDiagWarningPrinted(diag, 2), "mesh.msh: third");
  assert_null(NsDiagWarningPrinted(diag, 3));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    TEST(shows_line_and_caret),
    TEST(places_without_line),
    TEST(sorts_and_drops_repetitions),
    TEST(keeps_the_caret_below_tabs_and_letters),
    TEST(cuts_long_lines_around_the_place),
    TEST(does_not_let_text_drive_the_terminal),
    TEST(counts_what_it_does_not_show),
    TEST(colours_when_asked),
    TEST(printed_warnings_are_remembered),
    TEST(finds_the_nearest_word),
    TEST(arena_gives_zeroed_aligned_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
