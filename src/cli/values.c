/* Values of the commands' own options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "percuss/units.h"

static bool read_integer(const char *text, long *value)
{
  char *end;

  errno  = 0;
  *value = strtol(text, &end, 10);
  return end != text && !*end && !errno;
}

bool NsOptionCount(const char *command, const NsOption *option, long least, long most, long *value)
{
  long number;

  if (!option->value) return true;
  if (!read_integer(option->value, &number)) {
    fprintf(stderr, "percuss %s: %s: '%s' is not a whole number\n", command, option->name, option->value);
    return false;
  }
  if (number < least || number > most) {
    fprintf(stderr, "percuss %s: %s: %s is out of range: %ld to %ld\n", command, option->name, option->value, least, most);
    return false;
  }
  *value = number;
  return true;
}

static bool read_speed(const char *command, const char *option, const char *text, double *value)
{
  char message[256];
  int  column, length;

  if (NsParseQuantity(text, NS_DIM_ANGULAR_VELOCITY, value, message, sizeof(message), &column, &length)) return true;
  fprintf(stderr, "percuss %s: %s '%s': %s; a speed is such as \"3000 rpm\" or \"314 rad/s\"\n", command, option, text, message);
  return false;
}

bool NsOptionSpeed(const char *command, const NsOption *option, double *value)
{
  return !option->value || read_speed(command, option->name, option->value, value);
}

bool NsOptionDuration(const char *command, const NsOption *option, double *value)
{
  char message[256];
  int  column, length;

  if (!option->value) return true;
  if (!NsParseQuantity(option->value, NS_DIM_TIME, value, message, sizeof(message), &column, &length)) {
    fprintf(stderr, "percuss %s: %s '%s': %s; a duration is such as \"2 h\" or \"90 s\"\n", command, option->name, option->value, message);
    return false;
  }
  if (*value > 0) return true;
  fprintf(stderr, "percuss %s: %s: a duration must be above 0, got '%s'\n", command, option->name, option->value);
  return false;
}

bool NsOptionRange(const char *command, const NsOption *option, NsSpeedRange *range)
{
  char         part[3][64];
  int          parts = 0;
  NsSpeedRange r;

  if (!option->value) return true;
  for (const char *p = option->value; p; parts++) {
    const size_t length = strcspn(p, ":");
    if (parts < 3) snprintf(part[parts], sizeof(part[0]), "%.*s", (int)length, p);
    p = p[length] ? p + length + 1 : NULL;
  }
  if (parts != 3) {
    fprintf(stderr, "percuss %s: %s '%s': expected FROM:TO:N, such as \"0 rpm:6000 rpm:31\"\n", command, option->name, option->value);
    return false;
  }
  if (!read_speed(command, option->name, part[0], &r.from) || !read_speed(command, option->name, part[1], &r.to)) return false;
  if (!read_integer(part[2], &r.count) || r.count < 2 || r.count > 100000) {
    fprintf(stderr, "percuss %s: %s: the number of speeds must be a whole number from 2 to 100000, got '%s'\n", command, option->name, part[2]);
    return false;
  }
  if (!(r.from >= 0 && r.from < r.to)) {
    fprintf(stderr, "percuss %s: %s: speeds must be ascending and not negative, got '%s' to '%s'\n", command, option->name, part[0], part[1]);
    return false;
  }
  *range = r;
  return true;
}
