/*
  Progress: a live line on stderr, and status.json for other programs.

    elastic_bar  42.3 %  t = 253.8 us  163824 steps/s  12 s left  1 of 2 contacts closed  numerical energy error 1.2e-09

  On a terminal the line is renewed five times a second and wiped at the end; elsewhere (a pipe, a log file) a plain line comes every 30 s;
  with --quiet none. status.json is renewed once a second. The energies are computed only for steps that are reported.

  Steps may take a microsecond, so the clock is looked at every `stride` steps, and the stride is fitted so that this happens every 20 ms.
  Remaining time comes from an exponential mean of the speed (in simulated time) over a fifth of the time run so far, 2 s at least: the last
  moment's speed alone jumps with every contact, and the mean over the whole run does not follow a slower second half.
*/
#include "core/json.h"
#include "percuss/clock.h"
#include "writer.h"
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double look_interval = 0.02, live_interval = 0.2, plain_interval = 30, status_interval = 1; /* s of wall time */

typedef struct {
  PetscInt64 step;
  PetscReal  t;
  PetscInt   closed;
  PetscReal  numerical, relative; /* numerical energy error, J and over the size of what there is */
} Figures;

typedef struct {
  NsJson    json;
  PetscBool live, plain, shown; /* kind of stderr; a live line is shown */

  /* When to look, and when to report. */
  PetscInt64 stride, look_at;
  double     looked, line_at, status_at;

  /* Speed. */
  double    begin, measured;         /* wall time of the first snapshot and of the last measurement */
  PetscReal t_begin;                 /* s */
  double    speed, steps_per_second; /* simulated s and steps a wall second, smoothed */
  Figures   at;                      /* last measurement */
} Progress;

static PetscErrorCode open_status(NsWriter *writer)
{
  NsSink     *sink = writer->sink;
  Progress   *self = NsArenaAlloc(sink->arena, sizeof(*self));
  const char *term = getenv("TERM");

  PetscFunctionBegin;
  writer->data = self;
  self->live   = sink->writes && !writer->quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
  self->plain  = sink->writes && !writer->quiet && !self->live;
  self->stride = 1;
  NsJsonBegin(&self->json, 4096);
  NsFileListAdd(&sink->files, "status.json", sink->arena);
  PetscFunctionReturn(0);
}

static PetscBool due(NsWriter *writer, PetscInt64 step)
{
  Progress *self = writer->data;
  double    now, since;

  if (step < self->look_at) return PETSC_FALSE;
  now   = NsSeconds();
  since = now - self->looked;
  if (since > look_interval)
    self->stride = PetscMax(1, (PetscInt64)((double)self->stride * look_interval / since));
  else if (2 * since < look_interval)
    self->stride *= 2;
  self->looked  = now;
  self->look_at = step + self->stride;
  return now >= self->line_at || now >= self->status_at;
}

static double remaining(const NsWriter *writer)
{
  const Progress *self = writer->data;

  return self->speed > 0 ? PetscMax(0, (writer->end - self->at.t) / self->speed) : NAN;
}

static double per_cent(const NsWriter *writer)
{
  const Progress *self = writer->data;
  const double    span = writer->end - self->t_begin;

  return span > 0 ? PetscMin(100, 100 * (self->at.t - self->t_begin) / span) : 100;
}

/* What the numerical energy error is to be small against, J: of this state alone, so that it does not depend on when the clock looked. */
static PetscReal size_of(const NsLedger *ledger)
{
  const PetscReal motion = PetscAbsReal(ledger->now.kinetic) + PetscAbsReal(ledger->now.elastic);

  return PetscMax(PetscMax(motion, PetscAbsReal(ledger->external)), PetscMax(ledger->impact + ledger->friction + ledger->damping, 0));
}

static void measure(NsWriter *writer, const NsSnapshot *snapshot, double time)
{
  Progress       *self   = writer->data;
  const NsLedger *ledger = snapshot->ledger;
  const double    since  = time - self->measured;

  if (since > 0 && snapshot->step > self->at.step) {
    const double horizon = PetscMax(2, 0.2 * (time - self->begin));
    const double weight  = self->speed > 0 ? 1 - exp(-since / horizon) : 1;

    self->speed += weight * ((snapshot->state.t - self->at.t) / since - self->speed);
    self->steps_per_second += weight * ((double)(snapshot->step - self->at.step) / since - self->steps_per_second);
  }
  self->measured  = time;
  self->at.step   = snapshot->step;
  self->at.t      = snapshot->state.t;
  self->at.closed = 0;
  for (PetscInt i = 0; i < writer->model->candidates; i++) self->at.closed += snapshot->contact[i].state != NS_OPEN;
  self->at.numerical = ledger->numerical;
  self->at.relative  = size_of(ledger) > 0 ? ledger->numerical / size_of(ledger) : 0;
}

static void print_simulated(char *text, size_t size, double t)
{
  static const struct {
    double      unit;
    const char *name;
  } scale[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  size_t i  = 0;

  while (i < 3 && fabs(t) < scale[i].unit && t != 0) i++;
  snprintf(text, size, "%.4g %s", t / scale[i].unit, scale[i].name);
}

static void print_wall(char *text, size_t size, double seconds)
{
  const bool known = seconds < 1e9;
  const long s     = known ? (long)(seconds + 0.5) : 0;

  if (!known)
    snprintf(text, size, "?");
  else if (s < 120)
    snprintf(text, size, "%ld s", s);
  else if (s < 7200)
    snprintf(text, size, "%ld min", (s + 30) / 60);
  else if (s < 172800)
    snprintf(text, size, "%ld h %02ld min", s / 3600, s % 3600 / 60);
  else
    snprintf(text, size, "%ld days %ld h", s / 86400, s % 86400 / 3600);
}

/* Where the last of the items begins, which two blanks separate; NULL: there is only one. */
static char *last_item(char *line)
{
  char *last = NULL;

  for (char *at = strstr(line, "  "); at; at = strstr(at + 2, "  ")) last = at;
  return last;
}

static void print_line(NsWriter *writer)
{
  Progress      *self          = writer->data;
  const PetscInt contacts_most = writer->model->candidates;
  char           line[512], t[32], speed[32], left[32], contacts[64] = "";
  struct winsize window;
  int            width = (int)sizeof(line);

  print_simulated(t, sizeof(t), self->at.t);
  snprintf(speed, sizeof(speed), self->steps_per_second < 100 ? "%.3g" : "%.0f", self->steps_per_second);
  print_wall(left, sizeof(left), remaining(writer));
  if (contacts_most) snprintf(contacts, sizeof(contacts), "  %lld of %lld contacts closed", (long long)self->at.closed, (long long)contacts_most);
  snprintf(line, sizeof(line), "%.60s  %.1f %%  t = %s  %s steps/s  %s left%s  numerical energy error %.2g", writer->sink->name, per_cent(writer), t,
    speed, left, contacts, (double)self->at.relative);
  if (!self->live)
    fprintf(stderr, "%s\n", line);
  else {
    /* A line that wraps cannot be renewed: items that do not fit, from the end, are left out. */
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1) width = window.ws_col - 1;
    for (char *item; strlen(line) > (size_t)width && (item = last_item(line)) != NULL;) *item = 0;
    fprintf(stderr, "\r%.*s\033[K", width, line);
    self->shown = PETSC_TRUE;
  }
  fflush(stderr);
}

static void write_status(NsWriter *writer, const char *status)
{
  Progress *self = writer->data;
  NsJson   *json = &self->json;

  NsJsonClear(json);
  NsJsonOpen(json, NULL, '{');
  NsJsonString(json, "status", status);
  NsJsonInteger(json, "pid", (long long)getpid());
  NsJsonNumber(json, "updated", (double)time(NULL)); /* s since 1970, UTC */
  NsJsonNumber(json, "per_cent", per_cent(writer));
  NsJsonNumber(json, "time", self->at.t);
  NsJsonNumber(json, "end", writer->end);
  NsJsonInteger(json, "step", self->at.step);
  NsJsonInteger(json, "steps", writer->steps);
  NsJsonNumber(json, "steps_per_second", self->steps_per_second);
  NsJsonNumber(json, "elapsed_seconds", self->begin > 0 ? NsSeconds() - self->begin : 0);
  NsJsonNumber(json, "remaining_seconds", remaining(writer));
  NsJsonInteger(json, "closed_contacts", self->at.closed);
  NsJsonInteger(json, "contacts", writer->model->candidates);
  NsJsonNumber(json, "energy_numerical", self->at.numerical);
  NsJsonNumber(json, "energy_relative", self->at.relative);
  NsJsonClose(json);
  NsFileReplace(writer->sink, "status.json", json->text, json->used, PETSC_FALSE);
}

static void begin_watching(Progress *self)
{
  self->looked  = NsSeconds();
  self->line_at = self->live ? self->looked + live_interval : self->plain ? self->looked + plain_interval : HUGE_VAL;
}

static PetscErrorCode write_progress(NsWriter *writer, const NsSnapshot *snapshot)
{
  Progress    *self = writer->data;
  const double time = NsSeconds();

  PetscFunctionBegin;
  if (snapshot->step == 0) {
    self->begin   = time;
    self->t_begin = snapshot->state.t;
    begin_watching(self);
  }
  measure(writer, snapshot, time);
  if (time >= self->line_at) {
    print_line(writer);
    self->line_at = time + (self->live ? live_interval : plain_interval);
  }
  if (time >= self->status_at) {
    write_status(writer, "running");
    self->status_at = time + status_interval;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Progress *self    = writer->data;
  PetscReal elapsed = NsSeconds() - self->begin;

  PetscFunctionBegin;
  NsArchiveReals(archive, "elapsed", 1, &elapsed);
  NsArchiveReals(archive, "t_begin", 1, &self->t_begin);
  NsArchiveLong(archive, "step", &self->at.step);
  NsArchiveReals(archive, "t", 1, &self->at.t);
  if (archive->reading) {
    self->measured = NsSeconds();
    self->begin    = self->measured - elapsed;
    begin_watching(self);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode close_status(NsWriter *writer, const char *status)
{
  Progress *self = writer->data;

  PetscFunctionBegin;
  if (self->shown) fputs("\r\033[K", stderr);
  fflush(stderr);
  write_status(writer, status);
  NsJsonEnd(&self->json);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Progress = {
  .name         = "progress",
  .open         = open_status,
  .due          = due,
  .write        = write_progress,
  .needs_energy = PETSC_TRUE,
  .serialize    = serialize,
  .close        = close_status,
};
