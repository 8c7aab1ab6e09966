/* What a config can make percuss run: of results that may come from others. */
#pragma once
#include "percuss/tree.h"

/* Libraries (`library`) that the tree names anywhere, also within `copies`, which may become plugins; in one line, "" if there are none. */
const char *NsForeignLibraries(const NsNode *tree, NsArena *arena);
/* Files that it includes. Configs that percuss writes are whole: what they include can be anything. */
const char *NsForeignIncludes(const NsNode *tree, NsArena *arena);
