/* Keys of an entry of `copies`. */
#pragma once
#include "percuss/keys.h"

extern const NsTable NsTable_Copies;
