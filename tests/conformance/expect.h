/* A condition whose failure says what it is about. */
#pragma once
#include "support.h"

enum { TEXT = 4000 };

static char about[TEXT];

#define EXPECT(condition, ...) \
  do { \
    if (!(condition)) { \
      print_error("%s\n", about); \
      fail_msg(__VA_ARGS__); \
    } \
  } while (0)
