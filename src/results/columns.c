#include "columns.h"
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

static const struct {
  const char *file, *column; /* `column` a pattern as of file names */
  const char *unit;          /* NULL: words */
} meanings[] = {
  {"history.csv", "time", "s"},
  {"history.csv", "u[xyz]", "m"},
  {"history.csv", "v[xyz]", "m/s"},
  {"history.csv", "r[xyz]", "rad"},
  {"history.csv", "w[xyz]", "rad/s"},
  {"history.csv", "[xyz]", "m"},
  {"history.csv", "v", "m/s"},
  {"history.csv", "l", "m"},
  {"history.csv", "vl", "m/s"},
  {"history.csv", "alpha*", "rad"},
  {"history.csv", "phi", "rad"},
  {"history.csv", "theta*", "rad"},
  {"history.csv", "omega*", "rad/s"},
  {"history.csv", "vphi", "rad/s"},
  {"history.csv", "stress", "Pa"},
  {"history.csv", "normal_force", "N"},
  {"history.csv", "shear_[23]", "N"},
  {"history.csv", "torque", "N m"},
  {"history.csv", "moment_[23]", "N m"},
  {"contacts.csv", "time", "s"},
  {"contacts.csv", "gap", "m"},
  {"contacts.csv", "gap_rate", "m/s"},
  {"contacts.csv", "force", "N"},
  {"contacts.csv", "impulse", "N s"},
  {"contacts.csv", "state", NULL},
  {"contacts.csv", "friction_force_*", "N"},
  {"contacts.csv", "friction_impulse_*", "N s"},
  {"contacts.csv", "slip_velocity_*", "m/s"},
  {"contacts.csv", "friction_torque", "N m"},
  {"contacts.csv", "friction_torque_impulse", "N m s"},
  {"events.csv", "time", "s"},
  {"events.csv", "contact", NULL},
  {"events.csv", "event", NULL},
  {"events.csv", "*velocity_*", "m/s"},
  {"events.csv", "*impulse", "N s"},
  {"events.csv", "energy_lost", "J"},
  {"energy.csv", "time", "s"},
  {"energy.csv", "*", "J"},
  {"orbits.csv", "time", "s"},
  {"orbits.csv", "u[23]", "m"},
  {"orbits.csv", "radius", "m"},
  {"orbits.csv", "angle", "rad"},
  {"orbits.csv", "*_rate", "rad/s"},
  {"poincare.csv", "time", "s"},
  {"poincare.csv", "station", NULL},
  {"poincare.csv", "turn", ""},
  {"poincare.csv", "u[23]", "m"},
  {"poincare.csv", "v[23]", "m/s"},
  {"modes.csv", "mode", ""},
  {"modes.csv", "re", "1/s"},
  {"modes.csv", "im", "rad/s"},
  {"modes.csv", "frequency_hz", "Hz"},
  {"modes.csv", "undamped", "rad/s"},
  {"modes.csv", "whirl", NULL},
  {"modes.csv", "kind", NULL},
  {"modes.csv", "*", ""},
  {"campbell.csv", "speed", "rad/s"},
  {"campbell.csv", "frequency", "rad/s"},
  {"campbell.csv", "re", "1/s"},
  {"campbell.csv", "*", ""},
  {"critical_speeds.csv", "speed", "rad/s"},
  {"critical_speeds.csv", "event", NULL},
  {"critical_speeds.csv", "whirl", NULL},
  {"critical_speeds.csv", "frequency", "rad/s"},
  {"critical_speeds.csv", "*", ""},
  {"response.csv", "speed", "rad/s"},
  {"response.csv", "phase", "rad"},
  {"response.csv", "major", "m"},
  {"response.csv", "minor", "m"},
};
enum { MEANINGS = sizeof(meanings) / sizeof(*meanings) };

const char *NsColumnFirst(const char *file)
{
  for (int i = 0; i < MEANINGS; i++) {
    if (!strcmp(meanings[i].file, file)) return meanings[i].column;
  }
  return NULL;
}

/* Its line in the table; -1: none. */
static int find(const char *file, const char *name)
{
  const char *dot = strrchr(name, '.');

  for (int i = 0; i < MEANINGS; i++) {
    if (!strcmp(meanings[i].file, file) && !fnmatch(meanings[i].column, dot ? dot + 1 : name, 0)) return i;
  }
  return -1;
}

const char *NsColumnUnit(const char *file, const char *name)
{
  const int i = find(file, name);

  return i < 0 ? NULL : meanings[i].unit;
}

bool NsColumnOfWords(const char *file, const char *name)
{
  const int i = find(file, name);

  return i >= 0 && !meanings[i].unit;
}

const char *NsColumnRate(const char *name, NsArena *arena)
{
  static const struct {
    const char *pattern, *rate; /* `rate` takes the place of the first `cut` letters */
    int         cut;
  } rates[]       = {{"u[xyz]", "v", 1}, {"r[xyz]", "w", 1}, {"[xyz]*", "v", 0}, {"l", "v", 0}, {"phi", "v", 0}, {"theta*", "omega", 5},
          {"alpha*", "omega", 5}, {"gap", "gap_rate", 3}, {"angle", "spin_rate", 5}};
  const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

  for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
    if (!fnmatch(rates[i].pattern, last, 0)) return NsArenaPrint(arena, "%.*s%s%s", (int)(last - name), name, rates[i].rate, last + rates[i].cut);
  }
  return NULL;
}
