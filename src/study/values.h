/*
  Statistics of a quantity (`value` in a study file): the word, what it applies to, and the function NsValue_WORD of values.c. Of columns: one number of the first
  column; norms: of several columns, and of their difference where there is something to compare with; events: of the times of events.
*/
NS_VALUE(final, COLUMN)
NS_VALUE(initial, COLUMN)
NS_VALUE(max, COLUMN)
NS_VALUE(min, COLUMN)
NS_VALUE(mean, COLUMN)
NS_VALUE(deviation, COLUMN)
NS_VALUE(largest, NORM)
NS_VALUE(rms, NORM)
NS_VALUE(spectral, NORM)
NS_VALUE(sum, COLUMN)
NS_VALUE(integral, COLUMN)
NS_VALUE(share, COLUMN)
NS_VALUE(count, EVENTS)
NS_VALUE(first, EVENTS)
NS_VALUE(last, EVENTS)
