/* Code that the config of results, which may come from others, can make percuss run. */
#pragma once
#include "percuss/tree.h"

/* The libraries (`library`) that the tree names anywhere, also within `copies`, and that may be loaded as plugins; in one line, "" if it names no library. */
const char *NsForeignLibraries(const NsNode *tree, NsArena *arena);
/* Files that the config includes. percuss writes configs without includes, so that an included file can contain anything. */
const char *NsForeignIncludes(const NsNode *tree, NsArena *arena);
