/* Code that the config of results, which may come from others, can make percuss run. */
#pragma once
#include "percuss/tree.h"

/* Libraries (`library`), which may be loaded as plugins, that the tree names anywhere, also within `copies`; in one line, "" if there are none. */
const char *NsForeignLibraries(const NsNode *tree, NsArena *arena);
/* Files that the config includes. percuss writes configs without includes, so that an included file can contain anything. */
const char *NsForeignIncludes(const NsNode *tree, NsArena *arena);
