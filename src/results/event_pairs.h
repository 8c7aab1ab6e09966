/*
  The events of two runs, contact by contact and in their order.

  An event's partner is the one of the same contact and the same place in the order, if it is of the same kind, and if it is nearer in time than the next ones of this kind
  of either run are: where one run misses an impact, that impact has no partner, and not the last one of the other.
*/
#pragma once
#include "table.h"

typedef struct {
  const char *contact;
  double      first;           /* s: when its first event was, in either run */
  long        count[2];        /* events of each run */
  long        pairs;           /* up to the first without a partner */
  double      shift, shift_at; /* s: the largest difference in time of a pair, and when it was in the first run; 0 */
  double      impulse;         /* N s: the largest difference of a pair's impulses */
  int         alone;           /* whose event is the first without a partner: 0, 1; -1: all have one */
  double      alone_at;        /* s */
  const char *alone_event;     /* "impact" */
} NsEventPairs;

/* *count of them, one a contact, in the order of their first events. Events after `end`, s, are left out: up to there both runs have been. tables: two events.csv. */
NsEventPairs *NsPairEvents(const NsResultTable *const *tables, double end, NsArena *arena, int *count);
