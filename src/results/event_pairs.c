#include "event_pairs.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long        row;
  const char *contact;
} Row;

typedef struct {
  const double      *time, *impulse;
  const char *const *event;
  long               rows;  /* that count */
  Row               *order; /* [rows], by contact and then as in the file: an event's successor at its contact is the next one */
} Events;

/* Of one run and contact: order[from .. to). */
typedef struct {
  const Events *events;
  long          from, to;
} Chain;

static int by_contact(const void *a, const void *b)
{
  const Row *x = a, *y = b;
  const int  c = x->contact == y->contact ? 0 : strcmp(x->contact, y->contact);

  return c ? c : (x->row > y->row) - (x->row < y->row);
}

static void open_events(const NsResultTable *table, double end, NsArena *arena, Events *events)
{
  const NsResultColumn *time = table->columns ? &table->column[0] : NULL, *contact = NsResultTableColumn(table, "contact"),
                       *event = NsResultTableColumn(table, "event"), *impulse = NsResultTableColumn(table, "impulse");

  *events = (Events){.rows = 0};
  if (!time || !contact || !event || !impulse) return;
  *events = (Events){.time = time->numbers, .impulse = impulse->numbers, .event = event->words};
  while (events->rows < table->rows && events->time[events->rows] <= end) events->rows++;
  events->order = NsArenaAlloc(arena, sizeof(*events->order) * (size_t)(events->rows + 1));
  for (long k = 0; k < events->rows; k++) events->order[k] = (Row){k, contact->words[k]};
  qsort(events->order, (size_t)events->rows, sizeof(*events->order), by_contact);
}

static double time_of(const Chain *chain, long at)
{
  return chain->events->time[chain->events->order[at].row];
}

static const char *event_of(const Chain *chain, long at)
{
  return chain->events->event[chain->events->order[at].row];
}

/* When the next event of the same kind is; far off if never. */
static double next_like(const Chain *chain, long at)
{
  for (long k = at + 1; k < chain->to; k++) {
    if (!strcmp(event_of(chain, k), event_of(chain, at)) && time_of(chain, k) > time_of(chain, at)) return time_of(chain, k);
  }
  return DBL_MAX;
}

/* -1: they are a pair; else the run whose event has no partner. */
static int who_is_alone(const Chain chain[2], long k)
{
  const long at[2] = {chain[0].from + k, chain[1].from + k};
  double     time[2];

  for (int r = 0; r < 2; r++) {
    if (at[r] >= chain[r].to) return 1 - r;
    time[r] = time_of(&chain[r], at[r]);
  }
  const int early = time[1] < time[0] ? 1 : 0;
  if (strcmp(event_of(&chain[0], at[0]), event_of(&chain[1], at[1])) != 0) return early;
  return fabs(next_like(&chain[early], at[early]) - time[1 - early]) < fabs(time[0] - time[1]) ? early : -1;
}

static void pair_contact(const Chain chain[2], NsEventPairs *pairs)
{
  pairs->alone = -1;
  for (int r = 0; r < 2; r++) pairs->count[r] = chain[r].to - chain[r].from;
  for (long k = 0; k < pairs->count[0] || k < pairs->count[1]; k++) {
    const int alone = who_is_alone(chain, k);

    if (alone >= 0) {
      pairs->alone       = alone;
      pairs->alone_at    = time_of(&chain[alone], chain[alone].from + k);
      pairs->alone_event = event_of(&chain[alone], chain[alone].from + k);
      return;
    }
    const Row   *row[2] = {&chain[0].events->order[chain[0].from + k], &chain[1].events->order[chain[1].from + k]};
    const double at = chain[0].events->time[row[0]->row], shift = fabs(at - chain[1].events->time[row[1]->row]);
    if (shift > pairs->shift) {
      pairs->shift    = shift;
      pairs->shift_at = at;
    }
    pairs->impulse = fmax(pairs->impulse, fabs(chain[0].events->impulse[row[0]->row] - chain[1].events->impulse[row[1]->row]));
    pairs->pairs++;
  }
}

static long end_of_chain(const Events *events, long from)
{
  long to = from;

  while (to < events->rows && !strcmp(events->order[to].contact, events->order[from].contact)) to++;
  return to;
}

static int by_first(const void *a, const void *b)
{
  const NsEventPairs *x = a, *y = b;

  return (x->first > y->first) - (x->first < y->first);
}

NsEventPairs *NsPairEvents(const NsResultTable *const *tables, double end, NsArena *arena, int *count)
{
  Events        events[2];
  NsEventPairs *list;
  long          at[2] = {0, 0};
  int           pairs = 0;

  for (int r = 0; r < 2; r++) open_events(tables[r], end, arena, &events[r]);
  list = NsArenaAlloc(arena, sizeof(*list) * (size_t)(events[0].rows + events[1].rows + 1));
  while (at[0] < events[0].rows || at[1] < events[1].rows) {
    Chain chain[2];
    int   order = at[0] >= events[0].rows ? 1 : at[1] >= events[1].rows ? -1 : strcmp(events[0].order[at[0]].contact, events[1].order[at[1]].contact);

    list[pairs].first = DBL_MAX;
    for (int r = 0; r < 2; r++) {
      const bool there = r ? order >= 0 : order <= 0;

      chain[r] = (Chain){&events[r], at[r], there ? end_of_chain(&events[r], at[r]) : at[r]};
      at[r]    = chain[r].to;
      if (!there) continue;
      list[pairs].contact = events[r].order[chain[r].from].contact;
      list[pairs].first   = fmin(list[pairs].first, time_of(&chain[r], chain[r].from));
    }
    pair_contact(chain, &list[pairs++]);
  }
  qsort(list, (size_t)pairs, sizeof(*list), by_first);
  *count = pairs;
  return list;
}
