/* Keys of an entry of `copies`. */
#pragma once
#include "percuss/keys.h"

extern const NsTable NsTable_Copies;

/* To end a message about a body that is not there: "; did you mean 'bar'?", or that it was copied and how its copies are named. Valid until the next call in this thread. */
const char *NsDidYouMeanBody(const char *word, const char *const *bodies);
