/*
  How libFuzzer changes texts: half of the time as it always does, byte by byte and with the dictionary's words; else like errors of users, a number or a line at a time.

  Not for targets whose input is no text.
*/
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static unsigned state;

static unsigned any(unsigned below)
{
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

/* Replaces bytes at..at+gone by the text; the size as it was where there is no room. */
static size_t splice(uint8_t *data, size_t size, size_t most, size_t at, size_t gone, const char *text, size_t length)
{
  if (size - gone + length > most) return size;
  memmove(data + at + length, data + at + gone, size - at - gone);
  memcpy(data + at, text, length);
  return size - gone + length;
}

static bool is_number_part(uint8_t c)
{
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e';
}

static size_t change_number(uint8_t *data, size_t size, size_t most)
{
  static const char *const numbers[] = {"0", "1", "-1", "2", "3", "10", "-0", "0.5", "1e-3", "1e3", "1e9", "1e-9", "1e18", "1e-18", "1e100", "1e-100",
    "1e300", "1e-300", "1e308", "5e-324", "-1e300", "4294967296", "2147483647", "2147483648", "9223372036854775808", "-2147483648", "nan", "inf",
    "0.1", "12"};
  size_t                   at        = any((unsigned)size), end;

  for (size_t tried = 0; tried < size && !(data[at] >= '0' && data[at] <= '9'); tried++) at = (at + 1) % size;
  if (!(data[at] >= '0' && data[at] <= '9')) return size;
  while (at > 0 && is_number_part(data[at - 1])) at--;
  for (end = at; end < size && is_number_part(data[end]); end++) continue;
  const char *number = numbers[any(sizeof(numbers) / sizeof(*numbers))];
  return splice(data, size, most, at, end - at, number, strlen(number));
}

/* Line number `line`, with its end. */
static void find_line(const uint8_t *data, size_t size, unsigned line, size_t *from, size_t *to)
{
  *from = 0;
  for (; line; line--) {
    const uint8_t *end = memchr(data + *from, '\n', size - *from);
    if (!end || end + 1 == data + size) break;
    *from = (size_t)(end + 1 - data);
  }
  const uint8_t *end = memchr(data + *from, '\n', size - *from);
  *to                = end ? (size_t)(end + 1 - data) : size;
}

/* Drops a line, or puts it somewhere else once more. */
static size_t change_line(uint8_t *data, size_t size, size_t most)
{
  unsigned lines = 1;
  size_t   from, to, other, ignored;
  char    *copy;

  for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
  find_line(data, size, any(lines), &from, &to);
  if (any(2)) return splice(data, size, most, from, to - from, "", 0);
  find_line(data, size, any(lines), &other, &ignored);
  copy = malloc(to - from);
  if (!copy) return size;
  memcpy(copy, data + from, to - from);
  size = splice(data, size, most, other, 0, copy, to - from);
  free(copy);
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  state = seed;
  if (!size || any(2)) return LLVMFuzzerMutate(data, size, most);
  do size = size && any(3) ? change_number(data, size, most) : change_line(data, size, most);
  while (size && any(3) == 0);
  return size ? size : LLVMFuzzerMutate(data, 0, most);
}
